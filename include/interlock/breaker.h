/*
 * The state machine of one destination: CLOSED, OPEN, HALF_OPEN and the operator's three overrides.
 *
 * Pure: time is an argument (CLOCK_MONOTONIC nanoseconds, 0..INT64_MAX, never running backwards for
 * one breaker), nothing is allocated, locked or read from outside, and no function can fail. Every
 * function is safe in any thread and signal handler as long as nobody else uses the same struct.
 *
 * The struct is small and is copied for each operation: the registry lets an operation work on a
 * draft and commits it whole. The window's cells are too large for that. So the functions only read
 * them, and say in il_effects which single cell to store; the caller stores it together with the
 * draft (il_cells_store), or throws both away.
 */
#ifndef INTERLOCK_BREAKER_H
#define INTERLOCK_BREAKER_H

#include "interlock/event.h"
#include "interlock/settings.h"

/* How many outcomes, and how many of them failed and were slow: what the thresholds judge. */
struct il_tally {
	uint32_t total, failed, slow;
};

/* A TIME_BASED window's cell: the calls of one second. Belongs to the window only while `second` is
 * the second that its place stands for. A COUNT_BASED window's cell is one byte, enum il_outcome.
 */
struct il_bucket {
	uint64_t second;
	struct il_tally tally;
	uint32_t check; /* ~second: a ring's bytes, left from before, never look like a bucket */
};

#define IL_CELLS_BYTES_MAX (IL_TIME_WINDOW_MAX * sizeof(struct il_bucket))

/* How many bytes of cells a window needs, at most IL_CELLS_BYTES_MAX. They need 8-byte alignment,
 * but no initial value: what another breaker left there counts as nothing, if its clock was ours.
 */
size_t il_cells_bytes(const struct il_settings *settings);

/* The sliding window without its cells. Seconds are whole seconds of CLOCK_MONOTONIC. */
struct il_window {
	uint64_t next;	 /* sequence number of the next outcome; only grows */
	uint64_t first;	 /* outcomes before this one are not in the window: it was emptied then */
	uint64_t second; /* TIME_BASED: the tally is as of this second */
	uint64_t since;	 /* TIME_BASED: the second of outcome `first`; older cells are strangers */
	struct il_tally tally;
	uint32_t reserved;
};

/* The running round of probes. */
struct il_round {
	uint16_t admitted;	/* probes let out and not released, <= permitted */
	uint16_t in_flight;	/* of these, still under way */
	uint16_t completed, failed, slow;
	uint16_t inconclusive;	/* released because they told nothing */
};

struct il_breaker {
	uint64_t generation;   /* +1 on every transition, override and reset */
	int64_t opened_at_ns;  /* OPEN: since when */
	int64_t wait_ns;       /* OPEN: for how long; fixed at opening */
	int64_t last_failure_ns; /* -1: none since the last reset */
	struct il_window window;
	struct il_round round;
	uint8_t state;	       /* enum il_state */
	uint8_t failed_rounds; /* in a row since last CLOSED, at most 64 */
	uint8_t reserved[2];
};

/* Where an outcome went, so that it can be amended. Opaque to callers; plain data, may be copied.
 */
struct il_handle {
	uint64_t generation;
	uint64_t sequence; /* of the window */
	uint64_t second;   /* TIME_BASED */
	uint8_t place;	   /* enum in core/breaker.c: dropped, window or round; 0 is dropped */
	uint8_t outcome;   /* as recorded or last amended */
	uint8_t reserved[6];
};

/* What an operation asks of its caller: at most one cell to store, and the events in their order.
 */
#define IL_EVENTS_MAX 4
struct il_effects {
	struct il_event events[IL_EVENTS_MAX];
	uint32_t events_count;
	uint32_t cell_bytes;  /* 0: none; 1 or sizeof(struct il_bucket) */
	uint32_t cell_offset; /* bytes from the start of the cells */
	uint32_t reserved;
	union {
		uint8_t outcome;
		struct il_bucket bucket;
	} cell;
};

/* Stores the cell that `effects` asks for, if any. */
void il_cells_store(void *cells, const struct il_effects *effects);

/* A fresh breaker in settings->initial_state: generation 0, empty window, no event. */
void il_breaker_init(struct il_breaker *breaker, const struct il_settings *settings);

/* Asks for admission. True: admitted, and the caller's ticket is breaker->generation as it is then;
 * every admitted call ends in exactly one record, release or inconclusive. False: rejected.
 * In HALF_OPEN with no probe out a call is always admitted, so that a round can always end. */
bool il_breaker_acquire(struct il_breaker *breaker, const struct il_settings *settings,
			int64_t now_ns, struct il_effects *ret_effects);

/* Would il_breaker_acquire admit? Changes nothing. */
bool il_breaker_would_admit(const struct il_breaker *breaker, const struct il_settings *settings,
			    int64_t now_ns);

/* Records the outcome of a call admitted under `generation`. The handle is for il_breaker_amend. */
struct il_handle il_breaker_record(struct il_breaker *breaker, const struct il_settings *settings,
				   const void *cells, int64_t now_ns, uint64_t generation,
				   enum il_outcome outcome, struct il_effects *ret_effects);

/*
 * Corrects an outcome. Returns the handle that stands for it from now on. Event: AMENDED. But if
 * the outcome was dropped, or is of another generation, it is news: recorded as new where the state
 * records in the window (event: CALL), nothing elsewhere (no event, the handle as it was).
 */
struct il_handle il_breaker_amend(struct il_breaker *breaker, const struct il_settings *settings,
				  const void *cells, int64_t now_ns, struct il_handle handle,
				  enum il_outcome outcome, struct il_effects *ret_effects);

/* Gives a probe's slot back without an outcome: it was cancelled, or its process died. */
void il_breaker_release(struct il_breaker *breaker, const struct il_settings *settings,
			int64_t now_ns, uint64_t generation, struct il_effects *ret_effects);

/* A call that failed for a local reason: a probe's slot is given back and the probe counted. */
void il_breaker_inconclusive(struct il_breaker *breaker, const struct il_settings *settings,
			     int64_t now_ns, uint64_t generation, struct il_effects *ret_effects);

/* auto_transition's timer: OPEN to HALF_OPEN if the wait is over. True if it moved the state. */
bool il_breaker_auto(struct il_breaker *breaker, int64_t now_ns, struct il_effects *ret_effects);

/* The operator's override: state is FORCED_OPEN, DISABLED or METRICS_ONLY. */
void il_breaker_override(struct il_breaker *breaker, enum il_state state,
			 struct il_effects *ret_effects);

/* The operator's reset: CLOSED, empty window, last failure forgotten. */
void il_breaker_reset(struct il_breaker *breaker, struct il_effects *ret_effects);

/* New settings for a living breaker: state, wait and window stay, but a window whose type or size
 * changed starts empty. `before` are the settings so far. */
void il_breaker_reconfigure(struct il_breaker *breaker, const struct il_settings *before,
			    const struct il_settings *after);

/* Do the outcomes in the window reach a threshold, whatever the state? In METRICS_ONLY: would it
 * open, were it CLOSED? */
bool il_breaker_is_over(const struct il_breaker *breaker, const struct il_settings *settings);

/* What the breaker looks like now; expired seconds are left out. */
struct il_look {
	uint32_t total, failed, slow; /* of the window */
	uint32_t reserved;
	int64_t retry_after_ns; /* -1: none (every state but OPEN) */
};
struct il_look il_breaker_look(const struct il_breaker *breaker, const struct il_settings *settings,
			       const void *cells, int64_t now_ns);

#endif
