/* Waiting for input, and for connects to end. */
#include "shim/gate.h"
#include "shim/hooks.h"

/* glibc's header says that poll only writes its array. It reads it, and so do we. */
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* `count` descriptors, waited for by `expression`. */
#define POLL(fds, count, waits, expression)                                                \
	do {                                                                               \
		bool ours = gate_polls(fds, count, waits);                                 \
		int rc = expression;                                                       \
		if (ours)                                                                  \
			gate_polled(fds, count, rc);                                       \
		return rc;                                                                 \
	} while (0)

static bool waits(const struct timespec *timeout)
{
	return !timeout || timeout->tv_sec || timeout->tv_nsec;
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	POLL(fds, count, timeout != 0, real()->poll(fds, count, timeout));
}

int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room)
{
	POLL(fds, count, timeout != 0, real()->__poll_chk(fds, count, timeout, room));
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	POLL(fds, count, waits(timeout), real()->ppoll(fds, count, timeout, mask));
}

int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		const sigset_t *mask, size_t room)
{
	POLL(fds, count, waits(timeout), real()->__ppoll_chk(fds, count, timeout, mask, room));
}

int select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
	struct gate_sets sets;

	gate_selects(&sets, count, in, out, !timeout || timeout->tv_sec || timeout->tv_usec);
	int rc = real()->select(count, in, out, other, timeout);
	if (sets.count)
		gate_selected(&sets, out, rc);
	return rc;
}

int pselect(int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout,
	    const sigset_t *mask)
{
	struct gate_sets sets;

	gate_selects(&sets, count, in, out, waits(timeout));
	int rc = real()->pselect(count, in, out, other, timeout, mask);
	if (sets.count)
		gate_selected(&sets, out, rc);
	return rc;
}

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
	int rc = real()->epoll_ctl(epoll, operation, fd, event);

	if (rc == 0 && gate_knows(fd))
		gate_registers(fd, operation == EPOLL_CTL_DEL ? 0 : event->events);
	return rc;
}

/* An event loop that wakes up gives us a chance to look after what is due, no more: which
 * descriptor an event belongs to is the program's secret. */
int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout)
{
	int rc = real()->epoll_wait(epoll, events, count, timeout);

	gate_woke();
	return rc;
}

int epoll_pwait(int epoll, struct epoll_event *events, int count, int timeout, const sigset_t *mask)
{
	int rc = real()->epoll_pwait(epoll, events, count, timeout, mask);

	gate_woke();
	return rc;
}

int epoll_pwait2(int epoll, struct epoll_event *events, int count, const struct timespec *timeout,
		 const sigset_t *mask)
{
	int rc = real()->epoll_pwait2(epoll, events, count, timeout, mask);

	gate_woke();
	return rc;
}
