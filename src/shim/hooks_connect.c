/* Beginning and ending conversations. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "shim/gate.h"
#include "shim/hooks.h"

int connect(int fd, const struct sockaddr *to, socklen_t length)
{
	struct gate_call call;

	if (gate_rejects_connect(&call, fd, to, length))
		return -1; /* errno is set; no packet left */

	int rc = real()->connect(fd, to, length);
	gate_saw_connect(&call, rc);
	return rc;
}

/* From thunks.S. */
HIDDEN long il_syscall_connect(long number, int fd, const struct sockaddr *to, socklen_t length);
long il_syscall_connect(long number, int fd, const struct sockaddr *to, socklen_t length)
{
	struct gate_call call;

	if (gate_rejects_connect(&call, fd, to, length))
		return -1;

	long rc = real()->syscall(number, fd, (long)to, length, 0, 0, 0);
	gate_saw_connect(&call, (int)rc);
	return rc;
}

int socket(int family, int type, int protocol)
{
	int fd = real()->socket(family, type, protocol);

	gate_saw_socket(fd, family, type, protocol);
	return fd;
}

int accept(int fd, struct sockaddr *from, socklen_t *length)
{
	int rc = real()->accept(fd, from, length);

	gate_saw_stranger(rc);
	return rc;
}

int accept4(int fd, struct sockaddr *from, socklen_t *length, int flags)
{
	int rc = real()->accept4(fd, from, length, flags);

	gate_saw_stranger(rc);
	return rc;
}

/* Takes a copy of another process's descriptor. */
int pidfd_getfd(int process, int fd, unsigned int flags)
{
	int rc = real()->pidfd_getfd(process, fd, flags);

	gate_saw_stranger(rc);
	return rc;
}

/* From thunks.S. */
HIDDEN long il_syscall_pidfd_getfd(long number, int process, int fd, unsigned int flags);
long il_syscall_pidfd_getfd(long number, int process, int fd, unsigned int flags)
{
	long rc = real()->syscall(number, process, fd, flags, 0, 0, 0);

	gate_saw_stranger((int)rc);
	return rc;
}

int getsockopt(int fd, int level, int name, void *value, socklen_t *length)
{
	int rc = real()->getsockopt(fd, level, name, value, length);

	if (gate_watches(fd))
		gate_saw_option(fd, level, name, value, rc);
	return rc;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
	int rc = real()->setsockopt(fd, level, name, value, length);

	if (rc == 0 && level == IPPROTO_TCP && name == TCP_FASTOPEN_CONNECT && gate_knows(fd))
		gate_saw_fast_connect(fd, value, length);
	return rc;
}

int getpeername(int fd, struct sockaddr *peer, socklen_t *length)
{
	int rc = real()->getpeername(fd, peer, length);

	if (gate_watches(fd))
		gate_saw_peer(fd, rc);
	return rc;
}

int shutdown(int fd, int how)
{
	if (gate_watches(fd))
		gate_shuts_down(fd, how);
	return real()->shutdown(fd, how);
}
