#include "shim/gate_priv.h"

/* An answered exchange needs no question to the kernel. */
static bool is_open(const struct fd_conn *conn)
{
	return il_connection_is_open(&conn->core) || il_connection_is_connecting(&conn->core);
}

static struct il_verdict verdict_of_close(struct fd_conn *conn, struct il_kernel kernel,
					  int64_t now_ns)
{
	bool connecting = kernel.tcp == IL_TCP_CONNECTING;

	if (connecting && gate_attempt_lost(conn->attempt, now_ns)) {
		conn->attempt = -1;
		return (struct il_verdict){ .kind = IL_VERDICT_CANCELLED,
					    .phase = IL_PHASE_CONNECT };
	}
	return il_connection_close(&conn->core, gate_facts(conn), now_ns, &kernel);
}

static void end(struct fd_conn *conn, struct il_kernel kernel, int fd, int64_t now_ns)
{
	struct il_verdict verdict = verdict_of_close(conn, kernel, now_ns);

	gate_settles(conn, verdict, fd, now_ns);
	if (conn->attempt >= 0)
		gate_attempt_ends(conn->attempt, now_ns);
	conn->attempt = -1;
	gate_drops_next(conn, now_ns);
	conn->core = (struct il_connection){ 0 };
}

static void judge(struct fd_conn *conn, int fd, bool lost, int64_t now_ns)
{
	struct il_kernel kernel = { .tcp = IL_TCP_UNKNOWN, .late = lost };

	if (!il_right_take(&conn->right, now_ns)) {
		/* Its lease will be found, and nobody is to take it for one who waits. */
		il_engine_wait(&gate_state.engine, &conn->ticket, 0);
		return;
	}
	if (il_connection_is_used(&conn->core)) {
		if (is_open(conn) && !lost)
			kernel = gate_asks_kernel(conn, fd);
		end(conn, kernel, kernel.late ? -1 : fd, now_ns);
	}
	il_right_give(&conn->right);
}

void gate_judges_close(struct fd_conn *conn, int fd, int64_t now_ns)
{
	judge(conn, fd, false, now_ns);
}

void gate_judges_lost(struct fd_conn *conn, int64_t now_ns)
{
	judge(conn, -1, true, now_ns);
}
