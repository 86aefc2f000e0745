/* Stands behind the shim: a send that returns late, so that another thread has the answer first. */
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
	ssize_t sent = syscall(SYS_sendto, fd, bytes, count, flags, NULL, 0);

	nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
	return sent;
}
