/* Numbers that come to stand for something else. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "shim/gate.h"
#include "shim/hooks.h"

int close(int fd)
{
	if (gate_knows(fd))
		gate_closes(fd);
	return real()->close(fd);
}

/* From thunks.S. */
HIDDEN long il_syscall_close(long number, int fd);
long il_syscall_close(long number, int fd)
{
	if (gate_knows(fd))
		gate_closes(fd);
	return real()->syscall(number, fd, 0, 0, 0, 0, 0);
}

int dup(int fd)
{
	int rc = real()->dup(fd);

	gate_saw_dup(fd, rc);
	return rc;
}

int dup2(int fd, int to)
{
	if (gate_knows(to) && fd != to)
		gate_covers(fd, to, 0);
	int rc = real()->dup2(fd, to);
	if (fd != to)
		gate_saw_dup(fd, rc);
	return rc;
}

int dup3(int fd, int to, int flags)
{
	if (gate_knows(to) && fd != to)
		gate_covers(fd, to, flags);
	int rc = real()->dup3(fd, to, flags);
	gate_saw_dup(fd, rc);
	return rc;
}

/* The two commands of fcntl that concern us. */
static int saw_fcntl(int fd, int command, long argument, int rc)
{
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		gate_saw_dup(fd, rc);
	else if (command == F_SETFL && rc == 0 && gate_knows(fd))
		gate_saw_blocking(fd, !(argument & O_NONBLOCK));
	return rc;
}

int hook_fcntl(int fd, int command, long argument)
{
	return saw_fcntl(fd, command, argument, real()->fcntl(fd, command, argument));
}

int hook_fcntl64(int fd, int command, long argument)
{
	return saw_fcntl(fd, command, argument, real()->fcntl64(fd, command, argument));
}

int hook_ioctl(int fd, unsigned long request, long argument)
{
	int rc = real()->ioctl(fd, request, argument);

	if (request == FIONBIO && rc == 0 && gate_knows(fd))
		gate_saw_blocking(fd, !*(const int *)argument);
	return rc;
}

int close_range(unsigned int first, unsigned int last, int flags)
{
	gate_closes_range(first, last, flags);
	return real()->close_range(first, last, flags);
}

void closefrom(int first)
{
	gate_closes_range(first < 0 ? 0 : (unsigned int)first, ~0U, 0);
	real()->closefrom(first);
}

/* A stream without a descriptor has fileno -1 and is none of our business. */
int fclose(FILE *stream)
{
	int error = errno;
	int fd = stream ? fileno_unlocked(stream) : -1;

	errno = error;
	if (gate_knows(fd))
		gate_closes(fd);
	return real()->fclose(stream);
}

/* From here on stdio reads and writes unseen; at the end the kernel is asked what there was. */
FILE *fdopen(int fd, const char *mode)
{
	FILE *stream = real()->fdopen(fd, mode);

	if (stream && gate_watches(fd))
		gate_saw_stream(fd);
	return stream;
}
