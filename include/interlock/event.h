/* What happened, by value. The core returns events; the engine adds what the core cannot know. */
#ifndef INTERLOCK_EVENT_H
#define INTERLOCK_EVENT_H

#include <stdint.h>

/* Two independent flags: failed and slow. */
enum il_outcome {
	IL_SUCCESS = 0,
	IL_FAILURE = 1,
	IL_SLOW_SUCCESS = 2,
	IL_SLOW_FAILURE = 3,
	IL_OUTCOMES = 4 /* how many there are */
};
#define IL_FAILED(outcome) (((unsigned)(outcome)) & 1U)
#define IL_SLOW(outcome)   ((((unsigned)(outcome)) >> 1) & 1U)

enum il_event_kind {
	IL_EVENT_STATE_CHANGE, /* from, to, why, and the numbers that decided */
	IL_EVENT_CALL,	       /* outcome; recorded or not, an ended call is an event */
	IL_EVENT_AMENDED,      /* outcome: what it is now */
	IL_EVENT_REJECTED,     /* state: to */
	IL_EVENT_RESET
};

/* Why a state changed. */
enum il_why {
	IL_WHY_FAILURE_RATE, /* the share of failed calls reached its threshold */
	IL_WHY_SLOW_RATE,    /* the share of slow calls did, and that of failed ones did not */
	IL_WHY_INCONCLUSIVE, /* a whole round of probes told nothing about the destination */
	IL_WHY_CALLS,	     /* the round of probes passed */
	IL_WHY_WAIT,	     /* the wait in OPEN was over */
	IL_WHY_OPERATOR	     /* an override or a reset */
};

struct il_event {
	uint8_t kind;	 /* enum il_event_kind */
	uint8_t from;	 /* enum il_state */
	uint8_t to;	 /* enum il_state: the state after the event */
	uint8_t why;	 /* enum il_why, of a state change */
	uint8_t outcome; /* enum il_outcome, of a call or an amendment */
	uint8_t reserved[3];
	uint32_t calls, failed, slow; /* of the window or round that decided */
	uint32_t reserved2;
	uint64_t generation;	/* after the event */
	int64_t retry_after_ns; /* of a change to OPEN; -1: none */
};

#endif
