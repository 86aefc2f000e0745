/*
 * The kernel, asked directly. libc's own functions are hooked by us, are cancellation points and
 * set errno; these are none of that. Each returns what the kernel returns: a value >= 0, or -errno.
 * Arguments are those of the call of the same name in section 2 of the manual, except that paths
 * are taken relative to the working directory. Any thread, any signal handler.
 */
#ifndef IL_BASE_FILE_H
#define IL_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

struct pollfd;
struct sockaddr;

/* Any system call by its number (SYS_x). */
long il_sys_call(long number, long a, long b, long c, long d, long e, long f);

/* Files. il_sys_open always adds O_CLOEXEC. */
int il_sys_open(const char *path, int flags, mode_t mode);
int il_sys_close(int fd);
ssize_t il_sys_read(int fd, void *ret_bytes, size_t count);
ssize_t il_sys_pread(int fd, void *ret_bytes, size_t count, off_t offset);
ssize_t il_sys_write(int fd, const void *bytes, size_t count);
ssize_t il_sys_pwrite(int fd, const void *bytes, size_t count, off_t offset);
int il_sys_fstat(int fd, struct stat *ret_stat);
int il_sys_ftruncate(int fd, off_t size);
int il_sys_fallocate(int fd, int mode, off_t offset, off_t size);
int il_sys_fchmod(int fd, mode_t mode);
int il_sys_flock(int fd, int operation);

/* Names. A readlink's bytes are not 0-terminated. */
int il_sys_stat(const char *path, struct stat *ret_stat); /* follows links */
int il_sys_mkdir(const char *path, mode_t mode);
int il_sys_unlink(const char *path);
int il_sys_rename(const char *from, const char *to);
int il_sys_link(const char *from, const char *to);
ssize_t il_sys_readlink(const char *path, char *ret_bytes, size_t size);
ssize_t il_sys_getdents(int fd, void *ret_entries, size_t size); /* struct linux_dirent64 */

/* Names within an open directory. il_sys_linkat links two names of the same directory. */
int il_sys_openat(int dir, const char *name, int flags, mode_t mode);
int il_sys_linkat(int dir, const char *from, const char *to);
int il_sys_unlinkat(int dir, const char *name);

/* How large a file this process may make, in bytes: beyond it a write raises SIGXFSZ. */
uint64_t il_sys_file_limit(void);

/* Memory. il_sys_mmap: an address is never in the last page, so -errno can be told from one. */
void *il_sys_mmap(size_t size, int protection, int flags, int fd, off_t offset);
int il_sys_mmap_failed(const void *address); /* 0, or -errno */
int il_sys_munmap(void *address, size_t size);
int il_sys_madvise(void *address, size_t size, int advice);

/* Makes the kernel write the word back to itself: 0, or -EFAULT where touching it would raise
 * SIGBUS or SIGSEGV. Its value does not change, not even for an instant. */
int il_sys_touch(uint32_t *word);

/* Processes. il_sys_getpid asks the kernel each time: a vfork child shares any copy of the number.
 */
pid_t il_sys_getpid(void);
pid_t il_sys_gettid(void);
uid_t il_sys_geteuid(void);
int il_sys_kill(pid_t pid, int signal);

/* Waiting. Times are relative. */
int il_sys_nanosleep(int64_t ns);
int il_sys_poll(struct pollfd *fds, size_t count, int64_t timeout_ns);
int il_sys_futex_wait(const uint32_t *word, uint32_t expected, int64_t timeout_ns);
int il_sys_futex_wake(const uint32_t *word, int count);

/* Can these bytes be read? For what a program hands over before the kernel has looked at it. Only
 * the first and the last are tried: more than a page may have a hole in between. One system call,
 * two where the bytes stand on two pages: a futex that compares, as programs with threads make it.
 */
bool il_sys_is_readable(const void *at, size_t bytes);

/* Signals. A mask is the kernel's: bit signal-1. il_sys_sigconsume takes one pending signal of the
 * mask without waiting: its number, or -EAGAIN. */
int il_sys_sigmask(int how, const uint64_t *mask, uint64_t *ret_before);
int il_sys_sigpending(uint64_t *ret_mask);
int il_sys_sigconsume(uint64_t mask);

/* Sockets of our own. */
int il_sys_socket(int family, int type, int protocol);
ssize_t il_sys_sendto(int fd, const void *bytes, size_t count, int flags, const struct sockaddr *to,
		      size_t to_size);

#endif
