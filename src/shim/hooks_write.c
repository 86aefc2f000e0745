/* Sending. What is sent outside a connection of ours costs a look-up and a jump. */
#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "shim/gate.h"
#include "shim/hooks.h"

/* `count` parts. What is for connections of ours stands apart, so that the other needs no frame. */
#define SEND(name, parameters, arguments, fd, parts, count)                                        \
	static NOINLINE ssize_t watched_##name parameters                                          \
	{                                                                                          \
		struct gate_call call;                                                             \
		gate_sends(&call, fd);                                               \
		ssize_t rc = real()->name arguments;                                               \
		gate_sent(&call, rc, parts, count);                                               \
		return rc;                                                                         \
	}                                                                                          \
	ssize_t name parameters                                                                    \
	{                                                                                          \
		if (gate_watches(fd))                                                              \
			return watched_##name arguments;                                           \
		return real()->name arguments;                                                     \
	}

#define ONE (&(struct iovec){ (void *)(uintptr_t)bytes, count })

SEND(write, (int fd, const void *bytes, size_t count), (fd, bytes, count), fd, ONE, 1)
SEND(send, (int fd, const void *bytes, size_t count, int flags), (fd, bytes, count, flags), fd, ONE,
     1)
SEND(sendto,
     (int fd, const void *bytes, size_t count, int flags, const struct sockaddr *to,
      socklen_t length),
     (fd, bytes, count, flags, to, length), fd, ONE, 1)
SEND(writev, (int fd, const struct iovec *parts, int count), (fd, parts, count), fd, parts,
     (size_t)count)
SEND(sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), fd,
     message ? message->msg_iov : NULL, message ? message->msg_iovlen : 0)

/* The kernel moves these bytes; nobody sees them. */
SEND(sendfile, (int to, int from, off_t *offset, size_t count), (to, from, offset, count), to, NULL,
     0)
SEND(sendfile64, (int to, int from, off64_t *offset, size_t count), (to, from, offset, count), to,
     NULL, 0)

int sendmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags)
{
	if (!gate_watches(fd))
		return real()->sendmmsg(fd, messages, count, flags);

	struct gate_call call;
	gate_sends(&call, fd);
	int rc = real()->sendmmsg(fd, messages, count, flags);
	if (rc < 0)
		gate_sent(&call, rc, NULL, 0);
	for (int i = 0; i < rc; i++)
		gate_sent(&call, messages[i].msg_len, messages[i].msg_hdr.msg_iov,
			  messages[i].msg_hdr.msg_iovlen);
	return rc;
}

ssize_t splice(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t count,
	       unsigned int flags)
{
	bool receives = gate_watches(from);
	struct gate_call call;

	if (!receives && !gate_watches(to))
		return real()->splice(from, from_offset, to, to_offset, count, flags);
	if (receives)
		gate_receives(&call, from, 0);
	else
		gate_sends(&call, to);
	ssize_t rc = real()->splice(from, from_offset, to, to_offset, count, flags);
	if (receives)
		gate_received(&call, rc, NULL, 0, 0);
	else
		gate_sent(&call, rc, NULL, 0);
	return rc;
}
