#include "base/clock.h"
#include "base/file.h"

#include "check_run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static char folder[64];

static void given_a_folder(void)
{
	snprintf(folder, sizeof(folder), "/tmp/il_check_file.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void then_it_is_removed(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

START_TEST(a_failure_is_told_by_the_result_and_errno_is_left_alone)
{
	char byte;

	errno = 4711;
	ck_assert_int_eq(il_sys_open("/nowhere/at/all", O_RDONLY, 0), -ENOENT);
	ck_assert_int_eq(il_sys_read(-1, &byte, 1), -EBADF);
	ck_assert_int_eq(il_sys_close(-1), -EBADF);
	ck_assert_int_eq(il_sys_munmap((void *)1, 1), -EINVAL);
	ck_assert_int_eq(errno, 4711);
}
END_TEST

START_TEST(a_file_is_written_read_and_measured)
{
	struct stat stat;
	char bytes[8] = "";

	given_a_folder();

	int fd = il_sys_open("f", O_RDWR | O_CREAT | O_EXCL, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(il_sys_write(fd, "abc", 3), 3);
	ck_assert_int_eq(il_sys_pwrite(fd, "X", 1, 1), 1);
	ck_assert_int_eq(il_sys_pread(fd, bytes, sizeof(bytes), 1), 2);
	ck_assert_str_eq(bytes, "Xc");
	ck_assert_int_eq(il_sys_fallocate(fd, 0, 0, 4096), 0);
	ck_assert_int_eq(il_sys_fstat(fd, &stat), 0);
	ck_assert_int_eq(stat.st_size, 4096);
	ck_assert(S_ISREG(stat.st_mode));
	ck_assert_int_eq(il_sys_ftruncate(fd, 10), 0);
	ck_assert_int_eq(il_sys_fchmod(fd, 0640), 0);
	ck_assert_int_eq(il_sys_stat("f", &stat), 0);
	ck_assert_int_eq(stat.st_size, 10);
	ck_assert_int_eq(stat.st_mode & 07777, 0640);
	ck_assert_int_eq(il_sys_close(fd), 0);
	ck_assert_int_eq(il_sys_unlink("f"), 0);
	then_it_is_removed();
}
END_TEST

START_TEST(names_are_made_moved_and_listed)
{
	char entries[1024], link[16];

	given_a_folder();
	ck_assert_int_eq(il_sys_mkdir("d", 0700), 0);
	ck_assert_int_eq(il_sys_mkdir("d", 0700), -EEXIST);
	il_sys_close(il_sys_open("a", O_WRONLY | O_CREAT, 0600));
	ck_assert_int_eq(il_sys_link("a", "b"), 0);
	ck_assert_int_eq(il_sys_link("a", "b"), -EEXIST);
	ck_assert_int_eq(il_sys_rename("b", "c"), 0);
	ck_assert_int_eq(symlink("c", "l"), 0);
	ck_assert_int_eq(il_sys_readlink("l", link, sizeof(link)), 1);

	int fd = il_sys_open(".", O_RDONLY | O_DIRECTORY, 0);
	ssize_t size = il_sys_getdents(fd, entries, sizeof(entries));
	int count = 0;

	for (ssize_t at = 0; at < size; count++)
		at += ((struct dirent64 *)(void *)(entries + at))->d_reclen;
	ck_assert_int_eq(count, 6); /* . .. a c d l */
	il_sys_close(fd);
	ck_assert_int_eq(il_sys_unlink("a"), 0);
	ck_assert_int_eq(il_sys_unlink("c"), 0);
	ck_assert_int_eq(il_sys_unlink("l"), 0);
	ck_assert_int_eq(rmdir("d"), 0);
	then_it_is_removed();
}
END_TEST

START_TEST(memory_is_mapped_or_the_reason_is_told)
{
	char *memory =
		il_sys_mmap(4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_int_eq(il_sys_mmap_failed(memory), 0);
	memory[4095] = 1;
	ck_assert_int_eq(il_sys_munmap(memory, 4096), 0);
	ck_assert_int_eq(il_sys_mmap_failed(il_sys_mmap(4096, PROT_READ, MAP_SHARED, -1, 0)),
			 -EBADF);
}
END_TEST

START_TEST(what_cannot_be_read_is_told_without_reading_it)
{
	char *page = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	page[0] = 1;
	mprotect(page, 4096, PROT_READ); /* written once, and never again */
	mprotect(page + 2 * 4096, 4096, PROT_NONE);
	ck_assert(il_sys_is_readable(page, 4096));
	ck_assert(il_sys_is_readable(page + 4095, 2));
	ck_assert(il_sys_is_readable(page + 2 * 4096 - 1, 1));
	ck_assert(il_sys_is_readable("constant", 8));
	ck_assert(!il_sys_is_readable(page + 2 * 4096 - 1, 2));
	ck_assert(!il_sys_is_readable(page + 2 * 4096, 1));
	ck_assert(!il_sys_is_readable(NULL, 16));
	ck_assert(!il_sys_is_readable((void *)UINTPTR_MAX, 1));
	munmap(page, 3 * 4096);
}
END_TEST

START_TEST(a_process_knows_itself_and_who_is_gone)
{
	ck_assert_int_eq(il_sys_getpid(), getpid());
	ck_assert_int_eq(il_sys_gettid(), gettid());
	ck_assert_uint_eq(il_sys_geteuid(), geteuid());
	ck_assert_int_eq(il_sys_kill(getpid(), 0), 0);
	ck_assert_int_eq(il_sys_kill(0x3fffffff, 0), -ESRCH);
}
END_TEST

START_TEST(waiting_ends_by_itself)
{
	uint32_t word = 1;
	struct pollfd none = { .fd = -1 };

	ck_assert_int_eq(il_sys_nanosleep(1), 0);
	ck_assert_int_eq(il_sys_poll(&none, 1, 0), 0);
	ck_assert_int_eq(il_sys_futex_wait(&word, 1, 1000), -ETIMEDOUT);
	ck_assert_int_eq(il_sys_futex_wait(&word, 2, 1000), -EAGAIN);
	ck_assert_int_eq(il_sys_futex_wake(&word, 1), 0);
}
END_TEST

START_TEST(a_blocked_signal_can_be_consumed_without_a_wait)
{
	uint64_t pipe_bit = 1U << (SIGPIPE - 1), before, pending;

	ck_assert_int_eq(il_sys_sigmask(SIG_BLOCK, &pipe_bit, &before), 0);
	ck_assert_uint_eq(before & pipe_bit, 0);
	ck_assert_int_eq(il_sys_sigconsume(pipe_bit), -EAGAIN);
	pthread_kill(pthread_self(), SIGPIPE);
	ck_assert_int_eq(il_sys_sigpending(&pending), 0);
	ck_assert_uint_ne(pending & pipe_bit, 0);
	ck_assert_int_eq(il_sys_sigconsume(pipe_bit), SIGPIPE);
	ck_assert_int_eq(il_sys_sigmask(SIG_SETMASK, &before, NULL), 0);
}
END_TEST

START_TEST(a_socket_of_our_own_sends)
{
	int fd = il_sys_socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(il_sys_sendto(fd, "x", 1, MSG_NOSIGNAL, NULL, 0), -ENOTCONN);
	il_sys_close(fd);
}
END_TEST

START_TEST(the_clock_does_not_run_backwards)
{
	int64_t before = il_clock_now_ns();

	ck_assert_int_gt(before, 0);
	ck_assert_int_ge(il_clock_now_ns(), before);
	ck_assert_int_gt(il_clock_wall_ns(), 1700000000000000000);
}
END_TEST

RUN_TESTS("file", a_failure_is_told_by_the_result_and_errno_is_left_alone,
	  a_file_is_written_read_and_measured, names_are_made_moved_and_listed,
	  memory_is_mapped_or_the_reason_is_told,
	  what_cannot_be_read_is_told_without_reading_it, a_process_knows_itself_and_who_is_gone,
	  waiting_ends_by_itself, a_blocked_signal_can_be_consumed_without_a_wait,
	  a_socket_of_our_own_sends, the_clock_does_not_run_backwards)
