/*
 * What counts as success and failure, as data: what a program saw of its destination, turned into
 * a verdict about the call.
 *
 * Pure: no clock, no system call, no memory, no lock. Any thread, any signal handler.
 */
#ifndef CORE_OUTCOME_H
#define CORE_OUTCOME_H

#include "interlock/event.h"

#include <stdbool.h>
#include <stdint.h>

/* What an errno of connect, SO_ERROR, send or receive says. */
enum il_errno_class {
	IL_ERRNO_LOCAL,	  /* this machine's own trouble: says nothing about the destination */
	IL_ERRNO_PENDING, /* nothing yet; on a blocking socket the wait ran out */
	IL_ERRNO_FAILED	  /* the destination, or the way to it, failed */
};

enum il_errno_class il_errno_class(int err);

/* What was seen that decided. A log prints it by il_seen_name; `detail` of the verdict completes
 * some of them. */
enum il_seen {
	IL_SEEN_NOTHING,
	IL_SEEN_ANSWER,	   /* bytes */
	IL_SEEN_HTTP,	   /* detail: the status, 100..599 */
	IL_SEEN_ERRNO,	   /* detail: the errno */
	IL_SEEN_EOF,	   /* end of file */
	IL_SEEN_TIMEOUT,   /* the program gave up after waiting */
	IL_SEEN_CLOSE,	   /* the program closed without having waited */
	IL_SEEN_CHARGE,	   /* still unanswered at the slow threshold */
	IL_SEEN_CUT,	   /* an HTTP body shorter than announced */
	IL_SEEN_DEATH,	   /* the process died while it waited */
	IL_SEEN_KINDS	   /* how many there are */
};

/* "answer", "http", "errno", ...: static text; "?" for a value that is none. */
const char *il_seen_name(unsigned seen);

/* How far the conversation was. */
enum il_phase {
	IL_PHASE_CONNECT,  /* not yet connected */
	IL_PHASE_ANSWER,   /* connected, before the first answer or with it */
	IL_PHASE_OPENING,  /* a further exchange of the opening */
	IL_PHASE_EXCHANGE, /* an exchange after the opening: a call of its own */
	IL_PHASE_RESOLVE,  /* the look-up of its name */
	IL_PHASES	   /* how many there are */
};

const char *il_phase_name(unsigned phase);

/* What a caller shall do with the current call. The first word other than NONE and AMEND ends it.
 */
enum il_verdict_kind {
	IL_VERDICT_NONE,	 /* nothing new */
	IL_VERDICT_RECORD,	 /* record `outcome` with `duration_ns`: once a call */
	IL_VERDICT_AMEND,	 /* it was recorded; it is `outcome` now */
	IL_VERDICT_INCONCLUSIVE, /* it failed for a local reason: release, count */
	IL_VERDICT_CANCELLED,	 /* the program gave it up before it told anything: release, count */
	IL_VERDICT_DROPPED,	 /* it tells nothing: release */
	IL_VERDICT_KINDS	 /* how many there are */
};

/* Bits of il_verdict.flags. */
enum {
	IL_CALL_BEGINS = 1,	/* after `kind` was applied to the current call: a new one begins now */
	IL_CHARGED = 2,		/* with RECORD or AMEND: slow, and still hanging */
	IL_FAREWELL = 4,	/* a parting message was recognised: count it */
	IL_LEARNT_ANSWERED = 8, /* remember: this destination answers */
	IL_LEARNT_GREETED = 16	/* remember: it speaks first. Only hooks were asked: confirm by the
				 * kernel's count that nothing was sent, as stdio bypasses them */
};

/* By value, 16 bytes: comes back in two registers. All zero is "nothing". */
struct il_verdict {
	uint8_t kind;	 /* enum il_verdict_kind */
	uint8_t outcome; /* enum il_outcome, of RECORD and AMEND */
	uint8_t seen;	 /* enum il_seen */
	uint8_t phase;	 /* enum il_phase */
	uint8_t flags;
	uint8_t reserved;
	uint16_t detail;     /* errno or HTTP status, by `seen` */
	int64_t duration_ns; /* of the call so far: its longest exchange; >= 0 */
};

/* A way in which an exchange, or an attempt to connect, can end or go on. */
enum il_ending {
	IL_END_ANSWER,
	IL_END_HTTP_FAILURE, /* a plain HTTP answer whose status counts as failure */
	IL_END_BROKEN,	     /* an errno of class FAILED, or end of file, while unanswered */
	IL_END_LOCAL,	     /* an errno of class LOCAL */
	IL_END_CLOSED,	     /* closed by the program, unanswered, after sending */
	IL_END_UNUSED,	     /* closed by the program, connected, nothing sent or received */
	IL_ENDINGS	     /* how many there are */
};

/* The situation in which it ended. */
enum il_situation {
	IL_IN_OPENING, /* an exchange of the opening, or connecting; none of the following */
	IL_AFTER_WAIT, /* the program had waited for it, long enough to be proof */
	IL_ONE_WAY,    /* no answer was to be expected: the destination never answered anyone, or
			* the operator says so */
	IL_EXCUSED,    /* healthy servers do this: an unused pool, nothing but session tickets */
	IL_LATER,      /* a later exchange, not waited for */
	IL_SITUATIONS  /* how many there are */
};

/* The row of the table. `outcome` holds for RECORD. */
struct il_judgement {
	uint8_t kind;	 /* enum il_verdict_kind: RECORD, INCONCLUSIVE, CANCELLED or DROPPED */
	uint8_t outcome; /* IL_SUCCESS or IL_FAILURE */
};
struct il_judgement il_outcome_judge(enum il_ending ending, enum il_situation situation);

/*
 * The verdict on a call whose process died, from its lease. waiting_since_ns is 0 when it did not
 * wait. FAILURE (RECORD) after 500 ms of waiting, else DROPPED: count it as abandoned. At most one
 * such FAILURE a second and breaker is the caller's to keep.
 */
struct il_verdict il_outcome_of_death(int64_t waiting_since_ns, int64_t now_ns);

#endif
