#include "base/vdso.h"

#include "check_run.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

static int64_t kernel_ns(clockid_t clock)
{
	struct timespec at;

	syscall(SYS_clock_gettime, clock, &at);
	return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

START_TEST(the_kernels_clock_is_found_and_tells_its_time)
{
	il_vdso_clock clock = il_vdso_find_clock((const void *)getauxval(AT_SYSINFO_EHDR));
	struct timespec at;
	int64_t before_ns = kernel_ns(CLOCK_MONOTONIC);

	if (!getauxval(AT_SYSINFO_EHDR))
		return; /* valgrind hides it */
	ck_assert_ptr_nonnull((void *)clock);
	ck_assert_int_eq(clock(CLOCK_MONOTONIC, &at), 0);
	ck_assert_int_ge((int64_t)at.tv_sec * 1000000000 + at.tv_nsec, before_ns);
	ck_assert_int_le((int64_t)at.tv_sec * 1000000000 + at.tv_nsec, kernel_ns(CLOCK_MONOTONIC));
}
END_TEST

START_TEST(our_clock_is_the_kernels_and_not_one_that_the_program_was_given)
{
	int64_t before_ns = kernel_ns(CLOCK_MONOTONIC);
	int64_t now_ns = il_clock_now_ns();

	ck_assert_int_ge(now_ns, before_ns);
	ck_assert_int_le(now_ns, kernel_ns(CLOCK_MONOTONIC));
}
END_TEST

START_TEST(what_is_no_image_or_has_no_such_symbol_has_no_clock)
{
	static const char nothing[4096];
	Elf64_Ehdr bare = { .e_ident = ELFMAG };

	ck_assert_ptr_null((void *)il_vdso_find_clock(NULL));
	ck_assert_ptr_null((void *)il_vdso_find_clock(nothing));
	ck_assert_ptr_null((void *)il_vdso_find_clock(&bare));
	bare.e_ident[EI_CLASS] = ELFCLASS64;
	ck_assert_ptr_null((void *)il_vdso_find_clock(&bare));
}
END_TEST

/* A library that lies about the time, as libfaketime does. */
int clock_gettime(clockid_t clock, struct timespec *ret_at)
{
	(void)clock;
	*ret_at = (struct timespec){ .tv_sec = 1 };
	return 0;
}

RUN_TESTS("vdso", the_kernels_clock_is_found_and_tells_its_time,
	  our_clock_is_the_kernels_and_not_one_that_the_program_was_given,
	  what_is_no_image_or_has_no_such_symbol_has_no_clock)
