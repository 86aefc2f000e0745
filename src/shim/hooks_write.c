/* Sending. What is sent outside a connection of ours costs a look-up and a jump. */
#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/file.h"
#include "shim/gate.h"
#include "shim/hooks.h"

/* `count` parts that hold `bytes`. What is for connections of ours stands apart, so that the other
 * needs no frame. */
#define WATCHED(name, parameters, arguments, fd, parts, count, bytes, flags)                       \
	static NOINLINE ssize_t watched_##name parameters                                          \
	{                                                                                          \
		struct gate_call call;                                                             \
		if (gate_sends(&call, fd, flags) && gate_rejects_send(&call, parts, count, bytes)) \
			return -1;                                                                 \
		ssize_t rc = real()->name arguments;                                               \
		gate_sent(&call, rc, rc > 0 ? parts : NULL, rc > 0 ? count : 0);                   \
		return rc;                                                                         \
	}

/* The same where the send is to connect on its way. */
#define FAST(name, parameters, arguments, fd, to, length, parts, count, flags)                     \
	static NOINLINE ssize_t fast_##name parameters                                             \
	{                                                                                          \
		struct gate_call call;                                                             \
		if (gate_rejects_fast(&call, fd, to, length, flags))                               \
			return -1;                                                                 \
		ssize_t rc = real()->name arguments;                                               \
		gate_saw_fast(&call, rc, parts, count);                                            \
		return rc;                                                                         \
	}

#define SEND(name, parameters, arguments, fd, parts, count, bytes, flags)                          \
	WATCHED(name, parameters, arguments, fd, parts, count, bytes, flags)                       \
	ssize_t name parameters                                                                    \
	{                                                                                          \
		if (gate_watches(fd))                                                              \
			return watched_##name arguments;                                           \
		return real()->name arguments;                                                     \
	}

#define ONE (&(struct iovec){ (void *)(uintptr_t)bytes, count })

SEND(write, (int fd, const void *bytes, size_t count), (fd, bytes, count), fd, ONE, 1, count, 0)
SEND(send, (int fd, const void *bytes, size_t count, int flags), (fd, bytes, count, flags), fd, ONE,
     1, count, flags)
SEND(writev, (int fd, const struct iovec *parts, int count), (fd, parts, count), fd, parts,
     (size_t)count, GATE_ALL, 0)

/* The kernel moves these bytes; nobody sees them. */
SEND(sendfile, (int to, int from, off_t *offset, size_t count), (to, from, offset, count), to, NULL,
     0, count, 0)
SEND(sendfile64, (int to, int from, off64_t *offset, size_t count), (to, from, offset, count), to,
     NULL, 0, count, 0)

#define SENDTO_PARAMETERS                                                                          \
	(int fd, const void *bytes, size_t count, int flags, const struct sockaddr *to,            \
	 socklen_t length)
#define SENDTO_ARGUMENTS (fd, bytes, count, flags, to, length)
WATCHED(sendto, SENDTO_PARAMETERS, SENDTO_ARGUMENTS, fd, ONE, 1, count, flags)
FAST(sendto, SENDTO_PARAMETERS, SENDTO_ARGUMENTS, fd, to, length, ONE, 1, flags)

ssize_t sendto SENDTO_PARAMETERS
{
	if (flags & MSG_FASTOPEN && to)
		return fast_sendto SENDTO_ARGUMENTS;
	if (gate_watches(fd))
		return watched_sendto SENDTO_ARGUMENTS;
	return real()->sendto SENDTO_ARGUMENTS;
}

/* Does it connect on its way? Nobody has looked at the message yet. */
static bool is_fast(const struct msghdr *message, int flags)
{
	return flags & MSG_FASTOPEN && il_sys_is_readable(message, sizeof(*message)) &&
	       message->msg_name;
}

#define PARTS message->msg_iov
#define COUNT message->msg_iovlen
WATCHED(sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), fd, PARTS,
	COUNT, GATE_ALL, flags)
FAST(sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), fd,
     message->msg_name, message->msg_namelen, PARTS, COUNT, flags)

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	if (is_fast(message, flags))
		return fast_sendmsg(fd, message, flags);
	if (gate_watches(fd))
		return watched_sendmsg(fd, message, flags);
	return real()->sendmsg(fd, message, flags);
}

/* What became of the messages; the first one may have connected. */
static void saw_messages(struct gate_call *call, const struct mmsghdr *messages, int rc, bool fast)
{
	if (fast)
		gate_saw_fast(call, rc > 0 ? (ssize_t)messages->msg_len : rc,
			      messages->msg_hdr.msg_iov, messages->msg_hdr.msg_iovlen);
	else if (rc < 0)
		gate_sent(call, rc, NULL, 0);
	for (int i = fast; i < rc; i++)
		gate_sent(call, messages[i].msg_len, messages[i].msg_hdr.msg_iov,
			  messages[i].msg_hdr.msg_iovlen);
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags)
{
	bool fast = messages && count && is_fast(&messages->msg_hdr, flags);
	struct gate_call call;

	if (!fast && (!gate_watches(fd) || !messages || !count))
		return real()->sendmmsg(fd, messages, count, flags);

	const struct msghdr *first = &messages->msg_hdr;
	if (fast ? gate_rejects_fast(&call, fd, first->msg_name, first->msg_namelen, flags)
		 : gate_sends(&call, fd, flags) &&
			   gate_rejects_send(&call, first->msg_iov, first->msg_iovlen, GATE_ALL))
		return -1;
	int rc = real()->sendmmsg(fd, messages, count, flags);
	saw_messages(&call, messages, rc, fast);
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
	else if (gate_sends(&call, to, 0) && gate_rejects_send(&call, NULL, 0, count))
		return -1;
	ssize_t rc = real()->splice(from, from_offset, to, to_offset, count, flags);
	if (receives)
		gate_received(&call, rc, NULL, 0, 0);
	else
		gate_sent(&call, rc, NULL, 0);
	return rc;
}
