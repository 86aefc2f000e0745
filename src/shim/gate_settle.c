#include "shim/gate_priv.h"
#include "shim/timer.h"

/* In a forked copy, or after an event that nobody could judge: nothing of it is ours any more. */
static void disown(struct fd_conn *conn, int64_t now_ns)
{
	struct il_verdict dropped = { .kind = IL_VERDICT_DROPPED };
	struct il_self self = gate_self();

	il_engine_settle(&gate_state.engine, &self, &conn->ticket, &dropped, now_ns);
	gate_drops_next(conn, now_ns);
	il_connection_forked(&conn->core);
	atomic_store(&conn->missed, false);
}

void gate_loses(struct fd_conn *conn, int64_t now_ns)
{
	disown(conn, now_ns);
	conn->core = (struct il_connection){ 0 };
	conn->phase = CONN_FAILED;
}

bool gate_takes(struct gate_event *ret_event, struct fd_conn *conn, uint32_t life, int fd)
{
	if (!conn || !il_guard_enter(&ret_event->guard)) {
		if (conn)
			atomic_store(&conn->missed, true);
		return false;
	}
	if (!fdtab_may_add() || !il_right_take(&conn->right, ret_event->guard.now_ns)) {
		atomic_store(&conn->missed, true);
		il_guard_leave(&ret_event->guard);
		return false;
	}
	if (atomic_load(&conn->life) != life || !il_connection_is_used(&conn->core)) {
		il_right_give(&conn->right);
		il_guard_leave(&ret_event->guard);
		return false;
	}
	if (atomic_load_explicit(&conn->missed, memory_order_relaxed))
		disown(conn, ret_event->guard.now_ns);
	ret_event->conn = conn;
	ret_event->fd = fd;
	return true;
}

void gate_tells_lease(struct fd_conn *conn)
{
	enum il_outcome outcome = IL_SUCCESS;
	int64_t since_ns = il_connection_waiting_since_ns(&conn->core, &conn->facts);
	int64_t held_ns = il_connection_held_since_ns(&conn->core, &outcome);

	if (since_ns == conn->waiting_since_ns && held_ns == conn->held_since_ns)
		return;
	if (held_ns || conn->held_since_ns)
		il_engine_hold(&gate_state.engine, &conn->ticket, outcome, held_ns);
	if (!held_ns && !gate_is_leaving())
		il_engine_wait(&gate_state.engine, &conn->ticket, since_ns);
	conn->waiting_since_ns = since_ns;
	conn->held_since_ns = held_ns;
}

/* When the next probe has something to say although nothing happens on it. A call that hangs is
 * charged by way of its lease. */
static _Atomic int64_t due_ns = INT64_MAX;

static void note_due(const struct fd_conn *conn)
{
	if (!il_connection_is_probe(&conn->core))
		return;

	int64_t mine_ns = il_connection_due_ns(&conn->core, &conn->facts);
	int64_t first_ns = atomic_load_explicit(&due_ns, memory_order_relaxed);

	while (mine_ns < first_ns && !atomic_compare_exchange_weak(&due_ns, &first_ns, mine_ns))
		;
}

static void tick(struct fd_conn *conn, void *now_ns)
{
	if (!il_right_take(&conn->right, *(int64_t *)now_ns))
		return;
	if (il_connection_is_used(&conn->core)) {
		gate_settles(conn,
			     il_connection_tick(&conn->core, gate_facts(conn), *(int64_t *)now_ns),
			     -1, *(int64_t *)now_ns);
		note_due(conn);
	}
	il_right_give(&conn->right);
}

void gate_looks_at_clock(int64_t now_ns)
{
	gate_attempts_due(now_ns, now_ns);
	if (now_ns < atomic_load_explicit(&due_ns, memory_order_relaxed))
		return;
	atomic_store(&due_ns, INT64_MAX);
	fdtab_each(tick, &now_ns);
	timer_looks();
}

void gate_gives(struct gate_event *event, struct il_verdict verdict)
{
	struct fd_conn *conn = event->conn;

	if (verdict.kind || verdict.flags)
		gate_settles(conn, verdict, event->fd, event->guard.now_ns);
	gate_tells_lease(conn);
	note_due(conn);
	il_right_give(&conn->right);
	timer_looks();
	il_guard_leave(&event->guard);
}

void gate_connected(struct gate_event *event)
{
	struct fd_conn *conn = event->conn;

	if (conn->phase == CONN_CONNECTED)
		return;
	conn->phase = CONN_CONNECTED;
	if (conn->attempt >= 0)
		gate_attempt_connected(conn->attempt, event->guard.now_ns);
	conn->attempt = -1;
}

/* Hooks do not see what stdio sends: did it really speak first? */
static bool has_greeted(const struct fd_conn *conn, int fd)
{
	struct il_kernel kernel = gate_asks_kernel(conn, fd);

	return kernel.tcp == IL_TCP_CONNECTED && kernel.sent_bytes == 0;
}

static bool is_failed_attempt(struct il_verdict verdict)
{
	if (verdict.phase != IL_PHASE_CONNECT)
		return false;
	return verdict.kind == IL_VERDICT_INCONCLUSIVE ||
	       (verdict.kind == IL_VERDICT_RECORD && IL_FAILED(verdict.outcome));
}

/* An end or an error is a failure only of the very socket that connected: its number may have
 * become something else behind our back. */
static bool is_doubtful(struct il_verdict verdict)
{
	return verdict.phase != IL_PHASE_CONNECT &&
	       (verdict.seen == IL_SEEN_EOF || verdict.seen == IL_SEEN_ERRNO) &&
	       (verdict.kind == IL_VERDICT_RECORD || verdict.kind == IL_VERDICT_AMEND) &&
	       IL_FAILED(verdict.outcome);
}

/* A call begins, with the admission that it asked for if it did. Of what is ignored only its
 * breaker and its address are remembered. */
static void begin_call(struct fd_conn *conn, const struct il_self *self, int64_t now_ns)
{
	gate_looks_at_control(self, now_ns);
	if (gate_ignores_next(conn, now_ns)) {
		gate_drops_next(conn, now_ns);
		conn->ticket = il_ticket_anew(&conn->ticket);
		conn->ticket.passed = 1;
	} else if (conn->next.slot) {
		conn->ticket = conn->next;
	} else {
		il_engine_begin(&gate_state.engine, self, &conn->ticket, now_ns, &conn->ticket);
	}
	conn->next = (struct il_ticket){ 0 };
	gate_learns_statuses(conn);
	conn->waiting_since_ns = conn->held_since_ns = 0;
}

void gate_settles(struct fd_conn *conn, struct il_verdict verdict, int fd, int64_t now_ns)
{
	if (!verdict.kind && !verdict.flags)
		return;

	struct il_self self = gate_self();

	if (is_doubtful(verdict) && fd >= 0 && !gate_is_same(conn, fd)) {
		gate_loses(conn, now_ns);
		return;
	}
	if (gate_ignores(conn, now_ns))
		verdict = (struct il_verdict){ .flags = verdict.flags & IL_CALL_BEGINS };
	if (verdict.flags & IL_LEARNT_GREETED && !has_greeted(conn, fd))
		verdict.flags &= (uint8_t)~IL_LEARNT_GREETED;
	if (verdict.flags & IL_FAREWELL)
		il_engine_count(&gate_state.engine, &conn->ticket, IL_COUNT_farewells);
	if (is_failed_attempt(verdict)) {
		int16_t attempt = conn->attempt;

		conn->attempt = -1;
		if (gate_attempt_is_held(attempt, &conn->ticket, verdict, now_ns))
			return;
	}
	il_engine_settle(&gate_state.engine, &self, &conn->ticket, &verdict, now_ns);
	if (verdict.flags & IL_LEARNT_ANSWERED)
		conn->facts.dest |= IL_DEST_ANSWERED;
	if (verdict.flags & IL_LEARNT_GREETED)
		conn->facts.dest |= IL_DEST_GREETED;
	if (verdict.flags & IL_CALL_BEGINS)
		begin_call(conn, &self, now_ns);
}
