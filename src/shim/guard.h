/*
 * The mark of being inside our own code, one a thread. A signal handler that finds it set has
 * interrupted us and passes its calls on unjudged. It is never held across a call of the program's,
 * and as a siglongjmp out of a handler may have left it set, it expires.
 */
#ifndef IL_SHIM_GUARD_H
#define IL_SHIM_GUARD_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "shim/export.h"

#define IL_GUARD_EXPIRES_NS 1000000000

/* When this thread came in, CLOCK_MONOTONIC; 0: it is outside. */
extern HIDDEN __thread volatile int64_t il_guard_since_ns;

struct il_guard {
	int64_t now_ns;
	int error; /* errno as the program left it */
};

/* Comes in. False: already inside, do nothing and do not leave. */
static inline bool il_guard_enter(struct il_guard *ret_guard)
{
	int64_t since_ns = il_guard_since_ns;
	int64_t now_ns = il_clock_now_ns();

	if (since_ns && now_ns - since_ns < IL_GUARD_EXPIRES_NS)
		return false;
	il_guard_since_ns = now_ns;
	__asm__ volatile("" ::: "memory");
	ret_guard->now_ns = now_ns;
	ret_guard->error = errno;
	return true;
}

static inline void il_guard_leave(const struct il_guard *guard)
{
	errno = guard->error;
	__asm__ volatile("" ::: "memory");
	il_guard_since_ns = 0;
}

#endif
