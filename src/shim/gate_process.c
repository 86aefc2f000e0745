/* Processes. */
#include "shim/gate_priv.h"
#include "shim/timer.h"

void gate_disowns(struct fd_conn *conn)
{
	atomic_store(&conn->right, 0);
	atomic_store(&conn->missed, false);
	conn->attempt = -1;
	conn->waiting_since_ns = conn->held_since_ns = 0;
	conn->ticket = il_ticket_anew(&conn->ticket);
	conn->next = (struct il_ticket){ 0 };
	il_connection_forked(&conn->core);
}

void gate_adopts(void)
{
	gate_is_child();
	gate_attempts_forked();
	timer_forked();
}

void gate_saw_fork(pid_t rc)
{
	struct il_guard guard;

	if (rc != 0)
		return;
	il_guard_since_ns = 0; /* of the thread that we are a copy of, perhaps in a handler */
	if (!gate_is_on() || !il_guard_enter(&guard))
		return;
	if (!fdtab_entries)
		gate_adopts();
	else
		fdtab_may_change();
	il_guard_leave(&guard);
}

/* Everything that is still open is closed by the kernel, later than we can see. Other threads go on
 * until then, and may open anew what was judged already: hence first of all nothing new. */
void gate_exits(void)
{
	struct il_guard guard;

	if (!gate_is_on() || !il_guard_enter(&guard))
		return;
	if (fdtab_entries && fdtab_may_change() && gate_opens_no_more()) {
		for (int fd = 0; fd <= fdtab_highest(); fd++) {
			struct fd_conn *conn = fdtab_drop(fd);

			if (conn)
				gate_judges_close(conn, fd, guard.now_ns);
		}
		gate_attempts_due(INT64_MAX, guard.now_ns);
		gate_leaves();
	}
	il_guard_leave(&guard);
}

static void unlease(struct fd_conn *conn, void *now_ns)
{
	struct il_self self = gate_self();

	if (!il_right_take(&conn->right, *(int64_t *)now_ns))
		return;
	il_engine_unlease(&gate_state.engine, &self, &conn->ticket, *(int64_t *)now_ns);
	gate_drops_next(conn, *(int64_t *)now_ns);
	il_right_give(&conn->right);
}

/* What the old image has under way, the new one cannot end; yet the process lives on, and would
 * seem to hold it. A vfork child owns nothing. */
void gate_execs(void)
{
	struct il_guard guard;

	if (!gate_is_on() || !fdtab_is_mine() || !il_guard_enter(&guard))
		return;
	fdtab_each(unlease, &guard.now_ns);
	gate_attempts_due(INT64_MAX, guard.now_ns);
	timer_looks();
	il_guard_leave(&guard);
}
