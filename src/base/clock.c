#include "base/clock.h"

#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/file.h"
#include "base/vdso.h"

static int ask(clockid_t clock, struct timespec *ret_at)
{
	return (int)il_sys_call(SYS_clock_gettime, clock, (long)ret_at, 0, 0, 0, 0);
}

static int find_and_ask(clockid_t clock, struct timespec *ret_at);

/* Not libc's function: a library that lies to the program about the time would lie to us, and
 * breakers are shared with processes that have another, or none. Costs no system call, where the
 * kernel gives the means. */
static _Atomic il_vdso_clock clock_of_kernel = find_and_ask;

/* Any number of threads may do this at once. */
static int find_and_ask(clockid_t clock, struct timespec *ret_at)
{
	il_vdso_clock found = il_vdso_find_clock((const void *)getauxval(AT_SYSINFO_EHDR));

	if (!found)
		found = ask;
	atomic_store_explicit(&clock_of_kernel, found, memory_order_relaxed);
	return found(clock, ret_at);
}

/* Cannot fail for these two clocks. */
static int64_t look(clockid_t clock)
{
	struct timespec at = { 0, 0 };

	atomic_load_explicit(&clock_of_kernel, memory_order_relaxed)(clock, &at);
	return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

int64_t il_clock_now_ns(void)
{
	return look(CLOCK_MONOTONIC);
}

int64_t il_clock_wall_ns(void)
{
	return look(CLOCK_REALTIME);
}
