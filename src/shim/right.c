#include "shim/right.h"

#include "base/file.h"

#define LOST_MS 1000
#define SPINS	200
#define NAPS	40 /* 4 ms at most, as a nap takes twice as long */
#define NAP_NS	50000

/*
 * For a holder that lost its processor: gives ours away for a moment. By a futex that nobody wakes,
 * because a program with two threads makes this system call itself; sched_yield, and a sleep, may
 * be what its seccomp filter kills it for.
 */
static void nap(const il_right *right, uint64_t held)
{
	/* The low half, on a machine that puts it first. */
	il_sys_futex_wait((const uint32_t *)(const void *)right, (uint32_t)held, NAP_NS);
}

bool il_right_wait(il_right *right, uint64_t mine)
{
	uint32_t now_ms = (uint32_t)mine;

	for (int i = 0; i < SPINS + NAPS; i++) {
		uint64_t held = atomic_load_explicit(right, memory_order_relaxed);
		bool lost = (int32_t)(now_ms - (uint32_t)held) > LOST_MS;

		if ((!held || lost) && atomic_compare_exchange_strong(right, &held, mine))
			return true;
		if (held && !lost && held >> 32 == mine >> 32)
			return false;
		if (i >= SPINS && held)
			nap(right, held);
	}
	return false;
}
