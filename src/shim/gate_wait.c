/* Waiting. */
#include <string.h>
#include <sys/epoll.h>

#include "shim/gate_priv.h"

/* Is it waited for, in a sense that counts? While connecting, by whatever it is asked for. */
static bool is_waited_for(const struct fd_conn *conn, bool in, bool out)
{
	if (!il_connection_is_used(&conn->core) || il_connection_is_quiet(&conn->core))
		return false;
	return in || (out && il_connection_is_connecting(&conn->core));
}

static bool begins(int fd, bool in, bool out)
{
	struct fd_conn *conn = fdtab_conn(fdtab_at(fd));
	struct gate_event event;

	if (!conn || !is_waited_for(conn, in, out))
		return false;
	if (!gate_takes(&event, conn, atomic_load(&conn->life), fd))
		return false;
	il_connection_wait_begin(&event.conn->core, event.guard.now_ns);
	gate_gives(&event, (struct il_verdict){ 0 });
	return true;
}

static void ends(int fd, bool in, bool out, bool writable, enum il_wait_end how)
{
	struct fd_conn *conn = fdtab_conn(fdtab_at(fd));
	struct gate_event event;

	if (!conn || !is_waited_for(conn, in, out))
		return;
	if (!gate_takes(&event, conn, atomic_load(&conn->life), fd))
		return;
	event.conn->writable |= writable;
	gate_gives(&event, il_connection_wait_end(&event.conn->core, gate_facts(event.conn),
						  event.guard.now_ns, how));
}

bool gate_polls(const struct pollfd *fds, nfds_t count, bool waits)
{
	bool any = false;

	if (!waits || !fdtab_entries || !fds)
		return false;
	for (nfds_t i = 0; i < count; i++)
		if (gate_watches(fds[i].fd))
			any |= begins(fds[i].fd, fds[i].events & (POLLIN | POLLRDNORM),
				      fds[i].events & (POLLOUT | POLLWRNORM));
	return any;
}

void gate_polled(const struct pollfd *fds, nfds_t count, int rc)
{
	enum il_wait_end how = rc > 0 ? IL_WAIT_READY : IL_WAIT_EMPTY;

	for (nfds_t i = 0; i < count; i++)
		if (gate_watches(fds[i].fd))
			ends(fds[i].fd, fds[i].events & (POLLIN | POLLRDNORM),
			     fds[i].events & (POLLOUT | POLLWRNORM),
			     rc > 0 && (fds[i].revents & (POLLOUT | POLLERR | POLLHUP)) == POLLOUT,
			     how);
}

static bool is_in(int fd, const fd_set *set)
{
	return set && FD_ISSET(fd, set);
}

void gate_selects(struct gate_sets *ret_sets, int count, const fd_set *in, const fd_set *out,
		  bool waits)
{
	int highest = fdtab_highest();
	bool any = false;

	ret_sets->count = 0;
	if (!waits || highest < 0)
		return;
	if (count > FD_SETSIZE)
		count = FD_SETSIZE;
	if (count > highest + 1)
		count = highest + 1;
	for (int fd = 0; fd < count; fd++)
		if (gate_watches(fd) && (is_in(fd, in) || is_in(fd, out)))
			any |= begins(fd, is_in(fd, in), is_in(fd, out));
	if (!any)
		return;
	ret_sets->count = count;
	FD_ZERO(&ret_sets->in);
	FD_ZERO(&ret_sets->out);
	if (in)
		memcpy(&ret_sets->in, in, ((size_t)count + 63) / 64 * 8);
	if (out)
		memcpy(&ret_sets->out, out, ((size_t)count + 63) / 64 * 8);
}

void gate_selected(const struct gate_sets *sets, const fd_set *out, int rc)
{
	enum il_wait_end how = rc > 0 ? IL_WAIT_READY : IL_WAIT_EMPTY;

	for (int fd = 0; fd < sets->count; fd++) {
		bool asked_in = FD_ISSET(fd, &sets->in), asked_out = FD_ISSET(fd, &sets->out);

		if (gate_watches(fd) && (asked_in || asked_out))
			ends(fd, asked_in, asked_out, rc > 0 && is_in(fd, out), how);
	}
}

/* Does a registration for these events make it waited for? */
static bool counts(const struct fd_conn *conn, uint32_t events)
{
	return il_connection_is_connecting(&conn->core) ? events != 0 : (events & EPOLLIN) != 0;
}

void gate_registers(int fd, uint32_t events)
{
	uint32_t entry = fdtab_at(fd);
	struct fd_conn *conn = fdtab_conn(entry);
	struct gate_event event;

	if (!conn) /* nginx registers before it connects */
		fdtab_put(fd, events & EPOLLIN ? entry | FDTAB_EPOLL
					       : entry & ~(uint32_t)FDTAB_EPOLL);
	/* Event loops ask for output and take that back all the time. */
	if (!conn || il_connection_is_watched(&conn->core) == counts(conn, events))
		return;
	if (!gate_takes(&event, conn, atomic_load(&conn->life), fd))
		return;
	il_connection_watch(&conn->core, event.guard.now_ns, counts(conn, events));
	gate_gives(&event, (struct il_verdict){ 0 });
}

void gate_woke(void)
{
	struct il_guard guard;

	if (!fdtab_entries || !il_guard_enter(&guard))
		return;
	gate_looks_at_clock(guard.now_ns);
	il_guard_leave(&guard);
}
