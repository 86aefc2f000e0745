/* Receiving. What is received outside a connection of ours costs a look-up and a jump. */
#include <unistd.h>

#include "shim/gate.h"
#include "shim/hooks.h"

/* One buffer. The part for connections of ours stands apart, so that the other needs no frame. */
#define RECEIVE(name, parameters, arguments, flags)                                                \
	static NOINLINE ssize_t watched_##name parameters                                          \
	{                                                                                          \
		struct gate_call call;                                                             \
		gate_receives(&call, fd, flags);                                                   \
		ssize_t rc = real()->name arguments;                                               \
		gate_received(&call, rc, &(struct iovec){ bytes, count }, 1, flags);               \
		return rc;                                                                         \
	}                                                                                          \
	ssize_t name parameters                                                                    \
	{                                                                                          \
		if (gate_watches(fd))                                                              \
			return watched_##name arguments;                                           \
		return real()->name arguments;                                                     \
	}

RECEIVE(read, (int fd, void *bytes, size_t count), (fd, bytes, count), 0)
RECEIVE(__read_chk, (int fd, void *bytes, size_t count, size_t room), (fd, bytes, count, room), 0)
RECEIVE(recv, (int fd, void *bytes, size_t count, int flags), (fd, bytes, count, flags), flags)
RECEIVE(__recv_chk, (int fd, void *bytes, size_t count, size_t room, int flags),
	(fd, bytes, count, room, flags), flags)
RECEIVE(recvfrom,
	(int fd, void *bytes, size_t count, int flags, struct sockaddr *from, socklen_t *length),
	(fd, bytes, count, flags, from, length), flags)
RECEIVE(__recvfrom_chk,
	(int fd, void *bytes, size_t count, size_t room, int flags, struct sockaddr *from,
	 socklen_t *length),
	(fd, bytes, count, room, flags, from, length), flags)

ssize_t readv(int fd, const struct iovec *parts, int count)
{
	if (!gate_watches(fd))
		return real()->readv(fd, parts, count);

	struct gate_call call;
	gate_receives(&call, fd, 0);
	ssize_t rc = real()->readv(fd, parts, count);
	gate_received(&call, rc, parts, (size_t)count, 0);
	return rc;
}

/* With messages descriptors may come. */
static void saw_control(const struct msghdr *message)
{
	if (fdtab_entries && message->msg_control && message->msg_controllen)
		gate_saw_rights(message);
}

static NOINLINE ssize_t watched_recvmsg(int fd, struct msghdr *message, int flags)
{
	struct gate_call call;

	gate_receives(&call, fd, flags);
	ssize_t rc = real()->recvmsg(fd, message, flags);
	gate_received(&call, rc, rc > 0 ? message->msg_iov : NULL, rc > 0 ? message->msg_iovlen : 0,
		      flags);
	if (rc >= 0)
		saw_control(message);
	return rc;
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	if (gate_watches(fd))
		return watched_recvmsg(fd, message, flags);
	ssize_t rc = real()->recvmsg(fd, message, flags);
	if (rc >= 0)
		saw_control(message);
	return rc;
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags,
	     struct timespec *timeout)
{
	bool ours = gate_watches(fd);
	struct gate_call call;

	if (ours)
		gate_receives(&call, fd, flags);
	int rc = real()->recvmmsg(fd, messages, count, flags, timeout);
	if (ours && rc < 0)
		gate_received(&call, rc, NULL, 0, flags);
	for (int i = 0; i < rc; i++) {
		if (ours)
			gate_received(&call, messages[i].msg_len, messages[i].msg_hdr.msg_iov,
				      messages[i].msg_hdr.msg_iovlen, flags);
		saw_control(&messages[i].msg_hdr);
	}
	return rc;
}
