/*
 * The several addresses of one look-up. What one thread tries one after another, each after the
 * failure of the last and within 2 s, is one call: one admission, one ticket, the verdict of the
 * last. And of attempts that race each other (happy eyeballs), the loser is not recorded.
 *
 * One table a process. The caller keeps what belongs to the call (its ticket) in an array beside
 * it, at the same index. Order of events for a connect() whose address came from a look-up:
 *
 *   index = il_attempts_begin(...)           before admission
 *   continued?  take the ticket at index     no admission is asked, no new call
 *   else        ask for admission; rejected: il_attempts_end(index)
 *   connected   il_attempts_connected(index)
 *   a verdict of phase CONNECT that is a FAILURE or INCONCLUSIVE:
 *               il_attempts_failed(index): true: say nothing now, il_attempts_due will
 *   closed while connecting: first ask il_attempts_lost(index); true: CANCELLED instead
 *   whatever else ends it: il_attempts_end(index)
 *
 * An index of -1 (the table is full, or there was no look-up) is accepted everywhere and means that
 * the attempt stands alone.
 *
 * Pure: no clock, system call, memory or lock; the caller serialises access. Plain data, all zero
 * is empty. Times are CLOCK_MONOTONIC nanoseconds, > 0.
 */
#ifndef CORE_ATTEMPTS_H
#define CORE_ATTEMPTS_H

#include "core/outcome.h"

#define IL_ATTEMPTS_MAX	  32 /* under way, held back or just won, at once */
#define IL_ADDRESSES_MAX  16 /* of one look-up, that a call goes on through */
#define IL_CONTINUE_NS	  2000000000LL /* curl takes a second from one address to the next */
#define IL_BEAR_NS	  1000000000LL
#define IL_RACE_NS	  100000000LL

/* Who tries what. */
struct il_try {
	uint64_t lookup;    /* of which look-up the address is a result; 0: of none */
	uint64_t thread;    /* who tries */
	uint32_t address;   /* a hash of address and port */
	uint32_t addresses; /* how many the look-up has; 0: not known */
};

struct il_attempt {
	uint64_t lookup, thread;
	int64_t begun_ns;  /* the attempt under way, or that won */
	int64_t ended_ns;  /* when it failed or won */
	struct il_verdict verdict; /* held back */
	uint32_t tried[IL_ADDRESSES_MAX]; /* the last is the current one */
	uint32_t addresses;
	uint8_t tried_count;
	uint8_t state; /* enum in attempts.c; 0: free */
	uint8_t reserved[2];
};

struct il_attempts {
	struct il_attempt at[IL_ATTEMPTS_MAX];
};

/* A connect() to try->address is about to be made. Returns its index, 0..IL_ATTEMPTS_MAX-1, or -1.
 * *ret_continued (untouched when -1): it goes on with a call that was held back at this index. */
int il_attempts_begin(struct il_attempts *a, const struct il_try *try, int64_t now_ns,
		      bool *ret_continued);

/* The attempt has connected. The entry is remembered for a while and needs no further word. */
void il_attempts_connected(struct il_attempts *a, int index, int64_t now_ns);

/* The attempt failed with `verdict`. True: it is held back, as another address may follow. False:
 * there is no other address; the verdict holds now, and the entry is free. */
bool il_attempts_failed(struct il_attempts *a, int index, struct il_verdict verdict,
			int64_t now_ns);

/* Is another attempt of the same look-up under way, so that it matters when this one connects? */
bool il_attempts_races(const struct il_attempts *a, int index);

/* The program closes the attempt while it is connecting. True: within 100 ms before, a connection
 * to another address of the same look-up, begun later, succeeded: this one lost. The entry is free
 * if so, else unchanged. */
bool il_attempts_lost(struct il_attempts *a, int index, int64_t now_ns);

/* The attempt ended otherwise: the entry is free. */
void il_attempts_end(struct il_attempts *a, int index);

/* A call that was held back for 2 s: its index, and its verdict in *ret_verdict; the entry is free
 * and the caller settles the ticket at that index. -1: none is due. To be repeated until -1.
 * At exit, pass INT64_MAX: all are due. */
int il_attempts_due(struct il_attempts *a, int64_t now_ns, struct il_verdict *ret_verdict);

/* When the next falls due; INT64_MAX: none is held back. */
int64_t il_attempts_due_ns(const struct il_attempts *a);

/* In a forked child: the parent's attempts are the parent's. */
void il_attempts_forked(struct il_attempts *a);

/* A look-up's own duration, which the first connect to its result bears: one of these a thread. */
struct il_lookup {
	uint64_t lookup; /* 0: none, or already borne */
	int64_t ended_ns, duration_ns;
};

/* The duration to add to a connect() to a result of `lookup`, once, within 1 s; else 0. */
int64_t il_lookup_take(struct il_lookup *last, uint64_t lookup, int64_t now_ns);

#endif
