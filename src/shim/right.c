#include "shim/right.h"

#include <sys/syscall.h>

#include "base/file.h"
#include "shim/guard.h"

#define LOST_MS 1000
#define SPINS	100
#define YIELDS	40 /* a holder that lost its processor gets it back within these */

/* Where the thread's own memory lies. */
uint64_t il_right_thread(void)
{
	return (uint64_t)(uintptr_t)&il_guard_since_ns;
}

static uint32_t who(void)
{
	return (uint32_t)(il_right_thread() >> 4) | 1;
}

bool il_right_take(il_right *right, int64_t now_ns)
{
	uint32_t now_ms = (uint32_t)(now_ns / 1000000);
	uint64_t mine = (uint64_t)who() << 32 | now_ms;

	for (int i = 0; i < SPINS + YIELDS; i++) {
		uint64_t held = atomic_load_explicit(right, memory_order_relaxed);
		bool lost = (int32_t)(now_ms - (uint32_t)held) > LOST_MS;

		if ((!held || lost) && atomic_compare_exchange_strong(right, &held, mine))
			return true;
		if (held && !lost && held >> 32 == mine >> 32)
			return false;
		if (i >= SPINS)
			il_sys_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
	return false;
}

void il_right_give(il_right *right)
{
	uint64_t held = atomic_load_explicit(right, memory_order_relaxed);

	if (held >> 32 == who()) /* else it was taken from us */
		atomic_compare_exchange_strong(right, &held, 0);
}
