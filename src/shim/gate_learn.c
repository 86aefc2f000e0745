/* How it is learnt that a connection stands, or does not. */
#include <errno.h>
#include <string.h>

#include "shim/gate_priv.h"

#define AT_ONCE_NS 5000000 /* EINPROGRESS after this long was a blocking socket's time-out */

bool gate_is_up(const struct gate_event *event)
{
	return !event->conn->fast ||
	       gate_asks_kernel(event->conn, event->fd).tcp == IL_TCP_CONNECTED;
}

static struct il_verdict connected(struct gate_event *event)
{
	gate_connected(event);
	return il_connection_connected(&event->conn->core, gate_facts(event->conn),
				       event->guard.now_ns);
}

struct il_verdict gate_fails(struct gate_event *event, int error, bool blocking)
{
	struct fd_conn *conn = event->conn;

	if (conn->phase == CONN_CONNECTING && il_errno_class(error) != IL_ERRNO_PENDING)
		conn->phase = CONN_FAILED;
	return il_connection_error(&conn->core, gate_facts(conn), event->guard.now_ns, error,
				   blocking);
}

/* The attempt is over, and has told nothing. Another connect() is a new one. */
static struct il_verdict dropped(struct gate_event *event)
{
	struct fd_conn *conn = event->conn;

	conn->phase = CONN_FAILED;
	if (conn->attempt >= 0)
		gate_attempt_ends(conn->attempt, event->guard.now_ns);
	conn->attempt = -1;
	conn->core = (struct il_connection){ 0 };
	return (struct il_verdict){ .kind = IL_VERDICT_DROPPED };
}

/* A unix socket whose server's queue is full: nothing is pending. One that waited for it
 * (SO_SNDTIMEO) has given up as if it had closed. */
static struct il_verdict finds_queue_full(struct gate_event *event, bool blocks)
{
	struct fd_conn *conn = event->conn;
	struct il_kernel kernel = { .tcp = IL_TCP_CONNECTING };

	if (!blocks)
		return dropped(event);
	conn->phase = CONN_FAILED;
	return il_connection_close(&conn->core, gate_facts(conn), event->guard.now_ns, &kernel);
}

/* With TCP_FASTOPEN_CONNECT the kernel says so although it waits for the first send. */
static struct il_verdict is_told_connected(struct gate_event *event)
{
	struct fd_conn *conn = event->conn;

	if (gate_is_up(event))
		return connected(event);
	if (gate_asks_kernel(conn, event->fd).tcp == IL_TCP_CONNECTING)
		il_connection_defer(&conn->core, event->guard.now_ns);
	return (struct il_verdict){ 0 };
}

struct il_verdict gate_judges_connect(struct gate_event *event, bool blocks, int rc)
{
	struct fd_conn *conn = event->conn;
	int error = event->guard.error;

	if (rc == 0 || error == EISCONN)
		return is_told_connected(event);
	if (conn->kind & FDTAB_UNIX && error == EAGAIN)
		return finds_queue_full(event, blocks);
	if (error == EINPROGRESS &&
	    event->guard.now_ns - il_connection_begun_ns(&conn->core) < AT_ONCE_NS)
		blocks = false;
	return gate_fails(event, error, blocks);
}

void gate_saw_connect(struct gate_call *call, int rc)
{
	struct gate_event event;

	if (call->conn && gate_takes(&event, call->conn, call->life, call->fd))
		gate_gives(&event, gate_judges_connect(&event, call->blocks, rc));
}

void gate_saw_fast(struct gate_call *call, ssize_t rc, const struct iovec *parts, size_t count)
{
	struct gate_event event;
	struct il_verdict verdict;

	if (rc > 0) {
		gate_sent(call, rc, parts, count);
		return;
	}
	if (!call->conn || !gate_takes(&event, call->conn, call->life, call->fd))
		return;
	if (rc < 0 && event.guard.error == EOPNOTSUPP) /* switched off: it was not tried */
		verdict = call->begun ? dropped(&event) : (struct il_verdict){ 0 };
	else
		verdict = gate_judges_connect(&event, call->blocks, (int)rc);
	gate_gives(&event, verdict);
}

void gate_saw_fast_connect(int fd, const void *value, socklen_t length)
{
	uint32_t entry = fdtab_at(fd), fast = 0;
	struct fd_conn *conn = fdtab_conn(entry);
	int number;

	if (length < sizeof(number))
		return;
	memcpy(&number, value, sizeof(number));
	if (number)
		fast = FDTAB_FAST;
	if (conn)
		conn->kind = (uint8_t)((conn->kind & ~(uint32_t)FDTAB_FAST) | fast);
	else if (entry != FDTAB_STRANGER)
		fdtab_put(fd, (entry & ~(uint32_t)FDTAB_FAST) | fast);
}

/* Under epoll nobody says which descriptor is ready, and bytes will tell soon enough that it
 * connected. Where attempts race that is too late: the others are closed first. */
static bool has_won(const struct gate_event *event)
{
	return gate_attempt_races(event->conn->attempt, event->guard.now_ns) &&
	       gate_asks_kernel(event->conn, event->fd).tcp == IL_TCP_CONNECTED;
}

/* An error that SO_ERROR told, or success: 0 is also what a pending connect says, so that poll must
 * have said more. */
static struct il_verdict judge_option(struct gate_event *event, int error)
{
	struct fd_conn *conn = event->conn;

	if (error)
		return gate_fails(event, error, false);
	if (conn->phase == CONN_CONNECTING &&
	    ((conn->writable && gate_is_up(event)) || has_won(event)))
		return connected(event);
	return (struct il_verdict){ 0 };
}

void gate_saw_option(int fd, int level, int name, const void *value, int rc)
{
	struct fd_conn *conn = fdtab_conn(fdtab_at(fd));
	struct gate_event event;
	int error;

	if (rc || level != SOL_SOCKET || name != SO_ERROR || !conn || !value)
		return;
	memcpy(&error, value, sizeof(error));
	if (gate_takes(&event, conn, atomic_load(&conn->life), fd))
		gate_gives(&event, judge_option(&event, error));
}

void gate_saw_peer(int fd, int rc)
{
	struct fd_conn *conn = fdtab_conn(fdtab_at(fd));
	struct gate_event event;

	if (rc || !conn || conn->phase != CONN_CONNECTING)
		return;
	if (gate_takes(&event, conn, atomic_load(&conn->life), fd))
		gate_gives(&event, connected(&event));
}
