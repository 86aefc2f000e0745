#include "shim/right.h"

#include <sys/syscall.h>

#include "base/file.h"

#define LOST_MS 1000
#define SPINS	100
#define YIELDS	40 /* a holder that lost its processor gets it back within these */

bool il_right_wait(il_right *right, uint64_t mine)
{
	uint32_t now_ms = (uint32_t)mine;

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
