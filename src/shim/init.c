/* Start and end. Everything works before and after: hooks bind libc at first use, and a process
 * whose settings were not read yet is not watched. */
#include "shim/gate_priv.h"
#include "shim/guard.h"
#include "shim/real.h"

__thread volatile int64_t il_guard_since_ns;
static atomic_bool on;

bool gate_is_on(void)
{
	return atomic_load_explicit(&on, memory_order_relaxed);
}

__attribute__((constructor)) static void start(void)
{
	real();
	atomic_store(&on, true);
}

__attribute__((destructor)) static void end(void)
{
	gate_exits();
}
