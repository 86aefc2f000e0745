/*
 * The right to change something of this process, for a few instructions. Never waits long: false
 * means that another thread has it, or that this one had it when a signal interrupted it. A right
 * that is older than a second was left behind by a longjmp, and is taken.
 *
 * Any thread, any signal handler; times are CLOCK_MONOTONIC nanoseconds; errno is kept.
 */
#ifndef IL_SHIM_RIGHT_H
#define IL_SHIM_RIGHT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "shim/guard.h"

/* Whose it is (high half), and since when, in ms (low half); 0: nobody's. */
typedef _Atomic uint64_t il_right;

/* A number that no other thread of this process has: where its own memory lies. */
static inline uint64_t il_right_thread(void)
{
	return (uint64_t)(uintptr_t)&il_guard_since_ns;
}

static inline uint64_t il_right_mark(int64_t now_ns)
{
	return ((il_right_thread() >> 4) | 1) << 32 | (uint32_t)(now_ns / 1000000);
}

/* For il_right_take: somebody has it. */
HIDDEN bool il_right_wait(il_right *right, uint64_t mine);

static inline bool il_right_take(il_right *right, int64_t now_ns)
{
	uint64_t mine = il_right_mark(now_ns), nobody = 0;

	return __builtin_expect(atomic_compare_exchange_strong(right, &nobody, mine), 1) ||
	       il_right_wait(right, mine);
}

static inline void il_right_give(il_right *right)
{
	uint64_t held = atomic_load_explicit(right, memory_order_relaxed);

	if (held >> 32 == il_right_mark(0) >> 32) /* else it was taken from us */
		atomic_compare_exchange_strong(right, &held, 0);
}

#endif
