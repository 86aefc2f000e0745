#include "shim/gate_priv.h"
#include "shim/guard.h"

void gate_disowns(struct fd_conn *conn)
{
	gate_judge_lost(conn);
}

void gate_saw_fork(pid_t rc)
{
	struct il_guard guard;

	if (rc != 0)
		return;
	il_guard_since_ns = 0; /* a handler that forks inside us */
	if (fdtab_entries && il_guard_enter(&guard)) {
		fdtab_may_change();
		il_guard_leave(&guard);
	}
}

void gate_exits(void)
{
}
