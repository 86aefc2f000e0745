/* Bytes. */
#include <errno.h>

#include "shim/gate_priv.h"

static void begin(struct gate_call *ret_call, int fd)
{
	ret_call->fd = fd;
	ret_call->conn = fdtab_conn(fdtab_at(fd));
	ret_call->life = ret_call->conn ? atomic_load(&ret_call->conn->life) : 0;
}

/* Does a call with these flags wait? */
static bool blocks(const struct fd_conn *conn, int flags)
{
	return !(flags & MSG_DONTWAIT) &&
	       !atomic_load_explicit(&conn->nonblocking, memory_order_relaxed);
}

void gate_receives(struct gate_call *ret_call, int fd, int flags)
{
	struct gate_event event;

	begin(ret_call, fd);
	if (!ret_call->conn || !blocks(ret_call->conn, flags))
		return;
	if (!gate_takes(&event, ret_call->conn, ret_call->life, fd))
		return;
	if (!il_connection_is_quiet(&event.conn->core))
		il_connection_wait_begin(&event.conn->core, event.guard.now_ns);
	gate_gives(&event, (struct il_verdict){ 0 });
}

/* A receive into no room at all says nothing. */
static bool has_room(const struct iovec *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (parts[i].iov_len)
			return true;
	return !parts; /* splice */
}

static struct il_verdict judge_receive(struct gate_event *event, ssize_t rc,
				       const struct iovec *parts, size_t count, int flags)
{
	struct il_connection *core = &event->conn->core;
	int64_t now_ns = event->guard.now_ns;

	if (rc > 0) {
		gate_connected(event);
		event->conn->received++;
		return il_connection_received(core, &event->conn->facts, now_ns, parts, (int)count,
					      (size_t)rc, flags & MSG_PEEK);
	}
	if (rc < 0)
		return gate_fails(event, event->guard.error, blocks(event->conn, flags));
	if (!has_room(parts, count))
		return il_connection_wait_end(core, gate_facts(event->conn), now_ns, IL_WAIT_READY);
	return il_connection_eof(core, gate_facts(event->conn), now_ns);
}

void gate_received(struct gate_call *call, ssize_t rc, const struct iovec *parts, size_t count,
		   int flags)
{
	struct gate_event event;

	if (!call->conn || flags & (MSG_ERRQUEUE | MSG_OOB))
		return;
	if (rc < 0 && errno == EAGAIN && !blocks(call->conn, flags))
		return; /* every event loop, all the time */
	if (rc > 0 && flags & MSG_TRUNC)
		parts = NULL; /* counted, but not copied to the program */
	if (gate_takes(&event, call->conn, call->life, call->fd))
		gate_gives(&event, judge_receive(&event, rc, parts, count, flags));
}

/* What the kernel had put off until now begins. */
static void resume(struct gate_call *call, int flags)
{
	struct gate_event event;

	if (!gate_takes(&event, call->conn, call->life, call->fd))
		return;
	call->blocks = blocks(event.conn, flags);
	il_connection_resume(&event.conn->core, event.guard.now_ns, call->blocks);
	gate_gives(&event, (struct il_verdict){ 0 });
}

bool gate_sends(struct gate_call *ret_call, int fd, int flags)
{
	struct fd_conn *conn;

	begin(ret_call, fd);
	ret_call->asked = false;
	conn = ret_call->conn;
	if (!conn)
		return false;
	ret_call->received = conn->received;
	ret_call->was_open = il_connection_is_open(&conn->core);
	ret_call->blocks = false;
	if (il_connection_is_deferred(&conn->core))
		resume(ret_call, flags);
	return gate_may_reject(ret_call);
}

/* Another thread may have the answer before this one has returned from sending. If it answered an
 * exchange that was open already, these bytes were of that one, and all is said. */
static struct il_verdict judge_send(struct gate_event *event, const struct gate_call *call,
				    ssize_t rc, const struct iovec *parts, size_t count)
{
	struct fd_conn *conn = event->conn;
	int64_t now_ns = event->guard.now_ns;
	bool overtaken = conn->received != call->received;
	struct il_verdict verdict = { 0 };

	if (overtaken && call->was_open)
		return verdict;
	verdict = il_connection_sent(&conn->core, &conn->facts, now_ns, parts, (int)count,
				     (size_t)rc);
	if (!overtaken)
		return verdict;
	gate_settles(conn, verdict, event->fd, now_ns);
	return il_connection_received(&conn->core, &conn->facts, now_ns, NULL, 0, 1, false);
}

/* Bytes were taken; with fast open perhaps before the connection stands. */
static struct il_verdict judge_sent(struct gate_event *event, const struct gate_call *call,
				    ssize_t rc, const struct iovec *parts, size_t count)
{
	struct fd_conn *conn = event->conn;
	int64_t now_ns = event->guard.now_ns;

	if (conn->phase != CONN_CONNECTED && gate_is_up(event)) {
		gate_connected(event);
		gate_settles(conn, il_connection_connected(&conn->core, &conn->facts, now_ns),
			     event->fd, now_ns);
	}
	return judge_send(event, call, rc, parts, count);
}

/* Every event loop, all the time; but a send that was to connect has waited in vain. */
static bool is_nothing(const struct gate_call *call, ssize_t rc)
{
	return (rc == 0 || (rc < 0 && errno == EAGAIN)) && !call->asked &&
	       !(call->blocks && call->conn->fast);
}

void gate_sent(struct gate_call *call, ssize_t rc, const struct iovec *parts, size_t count)
{
	struct gate_event event;
	struct il_verdict verdict = { 0 };

	if (!call->conn || is_nothing(call, rc))
		return;
	if (!gate_takes(&event, call->conn, call->life, call->fd))
		return;
	if (rc > 0)
		verdict = judge_sent(&event, call, rc, parts, count);
	else if (rc < 0 && event.conn->phase == CONN_CONNECTING)
		verdict = gate_judges_connect(&event, call->blocks, -1);
	else if (rc < 0)
		verdict = gate_fails(&event, event.guard.error, false);
	gate_settles(event.conn, verdict, event.fd, event.guard.now_ns);
	if (call->asked)
		gate_drops_next(event.conn, event.guard.now_ns);
	gate_gives(&event, (struct il_verdict){ 0 });
}

void gate_shuts_down(int fd, int how)
{
	struct gate_event event;
	struct gate_call call;

	begin(&call, fd);
	if (how != SHUT_RD && gate_takes(&event, call.conn, call.life, fd))
		gate_gives(&event, il_connection_shutdown(&event.conn->core, gate_facts(event.conn),
							  event.guard.now_ns));
}
