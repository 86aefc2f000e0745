#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define KERNEL_SIGSET_BYTES 8
#define SMALLEST_PAGE	    4096
#define UNLIKELY_WORD	    UINT32_C(0x9e3779b9) /* equal all the same, it is a wait of no time */

#if defined(__x86_64__)
long il_sys_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
long il_sys_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "interlock knows the system calls of x86-64 and aarch64 only"
#endif

#define CALL6(name, a, b, c, d, e, f)                                                              \
	il_sys_call(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define CALL4(name, a, b, c, d) CALL6(name, a, b, c, d, 0, 0)
#define CALL3(name, a, b, c)    CALL6(name, a, b, c, 0, 0, 0)
#define CALL2(name, a, b)       CALL6(name, a, b, 0, 0, 0, 0)
#define CALL1(name, a)          CALL6(name, a, 0, 0, 0, 0, 0)
#define CALL0(name)             CALL6(name, 0, 0, 0, 0, 0, 0)

int il_sys_open(const char *path, int flags, mode_t mode)
{
	return (int)CALL4(openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

int il_sys_close(int fd)
{
	return (int)CALL1(close, fd);
}

ssize_t il_sys_read(int fd, void *ret_bytes, size_t count)
{
	return CALL3(read, fd, ret_bytes, count);
}

ssize_t il_sys_pread(int fd, void *ret_bytes, size_t count, off_t offset)
{
	return CALL4(pread64, fd, ret_bytes, count, offset);
}

ssize_t il_sys_write(int fd, const void *bytes, size_t count)
{
	return CALL3(write, fd, bytes, count);
}

ssize_t il_sys_pwrite(int fd, const void *bytes, size_t count, off_t offset)
{
	return CALL4(pwrite64, fd, bytes, count, offset);
}

/* On these two machines struct stat is the kernel's own. */
int il_sys_fstat(int fd, struct stat *ret_stat)
{
	return (int)CALL2(fstat, fd, ret_stat);
}

int il_sys_stat(const char *path, struct stat *ret_stat)
{
	return (int)CALL4(newfstatat, AT_FDCWD, path, ret_stat, 0);
}

int il_sys_ftruncate(int fd, off_t size)
{
	return (int)CALL2(ftruncate, fd, size);
}

int il_sys_fallocate(int fd, int mode, off_t offset, off_t size)
{
	return (int)CALL4(fallocate, fd, mode, offset, size);
}

int il_sys_fchmod(int fd, mode_t mode)
{
	return (int)CALL2(fchmod, fd, mode);
}

int il_sys_flock(int fd, int operation)
{
	return (int)CALL2(flock, fd, operation);
}

int il_sys_mkdir(const char *path, mode_t mode)
{
	return (int)CALL3(mkdirat, AT_FDCWD, path, mode);
}

int il_sys_unlink(const char *path)
{
	return (int)CALL3(unlinkat, AT_FDCWD, path, 0);
}

int il_sys_rename(const char *from, const char *to)
{
	return (int)CALL4(renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int il_sys_link(const char *from, const char *to)
{
	return (int)CALL6(linkat, AT_FDCWD, from, AT_FDCWD, to, 0, 0);
}

int il_sys_openat(int dir, const char *name, int flags, mode_t mode)
{
	return (int)CALL4(openat, dir, name, flags | O_CLOEXEC, mode);
}

int il_sys_linkat(int dir, const char *from, const char *to)
{
	return (int)CALL6(linkat, dir, from, dir, to, 0, 0);
}

int il_sys_unlinkat(int dir, const char *name)
{
	return (int)CALL3(unlinkat, dir, name, 0);
}

uint64_t il_sys_file_limit(void)
{
	struct rlimit limit;

	if (CALL4(prlimit64, 0, RLIMIT_FSIZE, 0, &limit) < 0)
		return UINT64_MAX;
	return limit.rlim_cur;
}

ssize_t il_sys_readlink(const char *path, char *ret_bytes, size_t size)
{
	return CALL4(readlinkat, AT_FDCWD, path, ret_bytes, size);
}

ssize_t il_sys_getdents(int fd, void *ret_entries, size_t size)
{
	return CALL3(getdents64, fd, ret_entries, size);
}

void *il_sys_mmap(size_t size, int protection, int flags, int fd, off_t offset)
{
	return (void *)CALL6(mmap, 0, size, protection, flags, fd, offset);
}

int il_sys_mmap_failed(const void *address)
{
	return (uintptr_t)address >= (uintptr_t)-4095L ? (int)(intptr_t)address : 0;
}

int il_sys_munmap(void *address, size_t size)
{
	return (int)CALL2(munmap, address, size);
}

int il_sys_madvise(void *address, size_t size, int advice)
{
	return (int)CALL3(madvise, address, size, advice);
}

/* FUTEX_WAKE_OP with the operation "or 0", waking nobody: older than MADV_POPULATE_WRITE. */
int il_sys_touch(uint32_t *word)
{
	long ret = CALL6(futex, word, FUTEX_WAKE_OP, 0, 0, word,
			 FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0));

	return ret < 0 ? (int)ret : 0;
}

pid_t il_sys_getpid(void)
{
	return (pid_t)CALL0(getpid);
}

pid_t il_sys_gettid(void)
{
	return (pid_t)CALL0(gettid);
}

uid_t il_sys_geteuid(void)
{
	return (uid_t)CALL0(geteuid);
}

int il_sys_kill(pid_t pid, int signal)
{
	return (int)CALL2(kill, pid, signal);
}

static struct timespec to_timespec(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
}

int il_sys_nanosleep(int64_t ns)
{
	struct timespec time = to_timespec(ns);

	return (int)CALL2(nanosleep, &time, 0);
}

int il_sys_poll(struct pollfd *fds, size_t count, int64_t timeout_ns)
{
	struct timespec timeout = to_timespec(timeout_ns);

	return (int)CALL6(ppoll, fds, count, &timeout, 0, KERNEL_SIGSET_BYTES, 0);
}

int il_sys_futex_wait(const uint32_t *word, uint32_t expected, int64_t timeout_ns)
{
	struct timespec timeout = to_timespec(timeout_ns);

	return (int)CALL4(futex, word, FUTEX_WAIT, expected, &timeout);
}

/* The kernel reads the word, to compare it with one that it is not. */
static bool can_read(uintptr_t at)
{
	struct timespec none = { 0, 0 };
	uintptr_t word = at & ~(uintptr_t)(sizeof(uint32_t) - 1);

	return CALL4(futex, word, FUTEX_WAIT_PRIVATE, UNLIKELY_WORD, &none) != -EFAULT;
}

bool il_sys_is_readable(const void *at, size_t bytes)
{
	uintptr_t first = (uintptr_t)at, last = first + bytes - (bytes > 0);

	return can_read(first) && (first / SMALLEST_PAGE == last / SMALLEST_PAGE || can_read(last));
}

int il_sys_futex_wake(const uint32_t *word, int count)
{
	return (int)CALL3(futex, word, FUTEX_WAKE, count);
}

int il_sys_sigmask(int how, const uint64_t *mask, uint64_t *ret_before)
{
	return (int)CALL4(rt_sigprocmask, how, mask, ret_before, KERNEL_SIGSET_BYTES);
}

int il_sys_sigpending(uint64_t *ret_mask)
{
	return (int)CALL2(rt_sigpending, ret_mask, KERNEL_SIGSET_BYTES);
}

int il_sys_sigconsume(uint64_t mask)
{
	struct timespec now = { 0, 0 };

	return (int)CALL4(rt_sigtimedwait, &mask, 0, &now, KERNEL_SIGSET_BYTES);
}

int il_sys_socket(int family, int type, int protocol)
{
	return (int)CALL3(socket, family, type, protocol);
}

ssize_t il_sys_sendto(int fd, const void *bytes, size_t count, int flags, const struct sockaddr *to,
		      size_t to_size)
{
	return CALL6(sendto, fd, bytes, count, flags, to, to_size);
}
