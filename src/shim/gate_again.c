/* A later exchange on a connection that stands, of a program that wants these rejected too. */
#include <errno.h>
#include <limits.h>

#include "base/file.h"
#include "shim/gate_priv.h"
#include "shim/timer.h"

void gate_drops_next(struct fd_conn *conn, int64_t now_ns)
{
	struct il_verdict dropped = { .kind = IL_VERDICT_DROPPED };
	struct il_self self;

	if (!conn->next.slot)
		return;
	self = gate_self();
	il_engine_settle(&gate_state.engine, &self, &conn->next, &dropped, now_ns);
	conn->next = (struct il_ticket){ 0 };
}

/* What the control file says of the destination, else what the process does. */
static bool is_wished(const struct fd_conn *conn)
{
	const struct il_slot *slot = il_engine_slot(&gate_state.engine, &conn->ticket);
	uint32_t word = slot ? __atomic_load_n(&slot->reject_established, __ATOMIC_RELAXED) : 0;

	return word ? word == 2 : gate_state.config.reject_established;
}

static size_t total(const struct iovec *parts, size_t count)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += parts[i].iov_len;
	return bytes;
}

/* The kernel has not looked at the parts yet. */
static bool is_readable(const struct iovec *parts, size_t count)
{
	if (count > IOV_MAX || (count && !il_sys_is_readable(parts, count * sizeof(*parts))))
		return false;
	for (size_t i = 0; i < count; i++)
		if (parts[i].iov_len && !il_sys_is_readable(parts[i].iov_base, parts[i].iov_len))
			return false;
	return true;
}

/* Asks for admission, if these bytes would begin a call. True: it is turned away. */
static bool ask(struct gate_event *event, struct gate_call *call, const struct iovec *parts,
		size_t count, size_t bytes, struct il_ticket *ret_ticket)
{
	struct fd_conn *conn = event->conn;
	int64_t now_ns = event->guard.now_ns;
	struct il_self self = gate_self();

	if (!il_connection_would_begin(&conn->core, gate_facts(conn), now_ns, parts, (int)count,
				       bytes))
		return false;
	gate_looks_at_control(&self, now_ns);
	gate_drops_next(conn, now_ns);
	if (gate_ignores_next(conn, now_ns))
		return false;

	enum il_admission admission = il_engine_admit_again(&gate_state.engine, &self, &conn->ticket,
							    now_ns, ret_ticket);

	if (admission == IL_ADMITTED) {
		conn->next = *ret_ticket;
		call->asked = true;
	}
	if (admission != IL_REJECTED || !gate_would_send(conn, event->fd))
		return false;
	il_engine_reject(&gate_state.engine, ret_ticket, now_ns);
	return true;
}

/* Without the right to the connection, which is why it comes late. */
static void meet(const struct il_ticket *ticket)
{
	struct il_guard guard;

	if (!ticket->slot || !il_guard_enter(&guard))
		return;
	timer_meets(ticket);
	il_guard_leave(&guard);
}

bool gate_may_reject(const struct gate_call *call)
{
	const struct fd_conn *conn = call->conn;

	return gate_state.minds_exchanges && !call->was_open && conn->phase == CONN_CONNECTED &&
	       is_wished(conn) && !il_engine_admits_all(&gate_state.engine, &conn->ticket);
}

bool gate_rejects_send(struct gate_call *call, const struct iovec *parts, size_t count,
		       size_t bytes)
{
	struct il_ticket ticket = { 0 };
	struct gate_event event;

	if (!is_readable(parts, count) || !gate_takes(&event, call->conn, call->life, call->fd))
		return false;
	if (bytes == GATE_ALL)
		bytes = total(parts, count);

	bool rejected = ask(&event, call, parts, count, bytes, &ticket);
	if (rejected)
		event.guard.error = ECONNRESET;
	gate_gives(&event, (struct il_verdict){ 0 });
	meet(&ticket);
	return rejected;
}
