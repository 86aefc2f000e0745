/* Connecting: admission, and how it is learnt that it ended. */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "shim/gate_priv.h"
#include "shim/timer.h"

#define IPV6_SHORTEST 24 /* what the kernel takes: without the scope */
#define AT_ONCE_NS    5000000 /* EINPROGRESS after this long was a blocking socket's time-out */

/* What is about to be tried. */
struct target {
	int fd;
	uint32_t entry; /* what fd stands for */
	const struct sockaddr *to;
	socklen_t length;
	struct il_address address;
	bool oneway;
	char host[IL_HOST_MAX + 1];
	char name[IL_HOST_MAX + 16];
};

static bool is_whole(const struct sockaddr *to, socklen_t length)
{
	if (!to || length < sizeof(sa_family_t))
		return false;
	return (to->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) ||
	       (to->sa_family == AF_INET6 && length >= IPV6_SHORTEST);
}

/* Fills in what the destination is called. False: nothing to watch. */
static bool name_target(struct target *target, int64_t now_ns)
{
	const struct il_config *config = &gate_state.config;
	struct il_text name = il_text_in(target->name, sizeof(target->name));
	uint32_t family = target->to->sa_family == AF_INET ? IL_FAMILY_INET : IL_FAMILY_INET6;

	if (!(config->families & family))
		return false;
	if (il_address_from(&target->address, target->to, target->length) < 0)
		return false;
	il_names_find(&gate_state.names, &target->address, il_right_thread(), target->host);
	if (il_address_name(&name, config->key, target->host, target->to, target->length) < 0)
		return false;
	return !name.cut &&
	       il_config_watches(config, target->name, name.used, &target->address) &&
	       gate_asks_control(target->name, sizeof(target->name), &target->address, now_ns,
				 &target->oneway);
}

/* Asks for admission, unless the call goes on with one that it has. */
static enum il_admission ask(struct target *target, const struct gate_try *try, int64_t now_ns,
			     struct il_ticket *ret_ticket)
{
	struct il_self self = gate_self();
	struct il_recipe recipe = gate_recipe(target->name);

	if (try->continues) {
		*ret_ticket = try->ticket;
		return IL_ADMITTED;
	}
	return il_engine_admit(&gate_state.engine, &self, &recipe, now_ns, ret_ticket);
}

/* The connection that fd stands for, or a new one. */
static struct fd_conn *conn_for(const struct target *target)
{
	struct fd_conn *conn = fdtab_conn(target->entry);

	return conn ? conn : fdtab_open(target->fd);
}

static void begin(struct gate_call *call, const struct target *target, const struct gate_try *try,
		  const struct il_ticket *ticket, int64_t now_ns)
{
	struct fd_conn *conn = conn_for(target);
	bool had_conn = fdtab_is_conn(target->entry);

	if (!conn || !il_right_take(&conn->right, now_ns))
		return;
	if (!had_conn)
		atomic_store(&conn->nonblocking, (target->entry & FDTAB_NONBLOCK) != 0);
	call->blocks = !atomic_load(&conn->nonblocking);
	conn->phase = CONN_CONNECTING;
	conn->writable = false;
	conn->attempt = try->index;
	conn->waiting_since_ns = conn->held_since_ns = 0;
	conn->ticket = *ticket;
	conn->oneway = target->oneway;
	conn->facts = gate_state.facts;
	gate_facts(conn);
	gate_learns_statuses(conn);
	atomic_store(&conn->missed, false);
	il_connection_begin(&conn->core, now_ns, try->lookup_ns,
			    (call->blocks ? IL_CONNECT_BLOCKING : 0) |
				    (ticket->probe ? IL_CONNECT_PROBE : 0));
	if (!had_conn && target->entry & FDTAB_EPOLL)
		il_connection_watch(&conn->core, now_ns, true);
	gate_tells_lease(conn); /* who blocks in it may be killed there */
	call->conn = conn;
	call->life = atomic_load(&conn->life);
	il_right_give(&conn->right);
}

/* A new attempt. 0, or what it is rejected with. */
static int attempt(struct gate_call *call, struct target *target, int64_t now_ns)
{
	struct il_ticket ticket;

	gate_looks_at_clock(now_ns);
	if (!gate_is_open())
		return 0;

	struct il_self self = gate_self();

	gate_looks_at_control(&self, now_ns);
	if (!name_target(target, now_ns))
		return 0;

	struct gate_try try = gate_tries(target->host, &target->address, now_ns);
	enum il_admission admission = ask(target, &try, now_ns, &ticket);

	timer_meets(&ticket);
	if (admission == IL_ADMITTED)
		begin(call, target, &try, &ticket, now_ns);
	if (!call->conn)
		gate_attempt_ends(try.index, now_ns);
	if (admission == IL_ADMITTED && !call->conn) {
		struct il_verdict dropped = { .kind = IL_VERDICT_DROPPED };

		il_engine_settle(&gate_state.engine, &self, &ticket, &dropped, now_ns);
	}
	if (admission != IL_REJECTED || !gate_would_connect(target->fd, target->entry, target->to))
		return 0;
	il_engine_reject(&gate_state.engine, &ticket, now_ns);
	return gate_reject_errno(&ticket);
}

/* Is this connect() a new attempt, and not one more on a socket that has one? */
static bool is_new(struct gate_call *call, struct target *target)
{
	struct fd_conn *conn;

	target->entry = fdtab_at(target->fd);
	if (target->entry == FDTAB_STRANGER &&
	    (!gate_is_tcp(target->fd, &target->entry) || !fdtab_make()))
		return false;
	conn = fdtab_conn(target->entry);
	if (!conn || conn->phase == CONN_FAILED)
		return true;
	call->conn = conn;
	call->life = atomic_load(&conn->life);
	call->blocks = !atomic_load(&conn->nonblocking);
	return false;
}

bool gate_rejects_connect(struct gate_call *ret_call, int fd, const struct sockaddr *to,
			  socklen_t length)
{
	struct target target; /* half a page, so not cleared */
	struct il_guard guard;
	int error = 0;

	target.fd = fd;
	target.to = to;
	target.length = length;
	target.host[0] = target.name[0] = 0;
	*ret_call = (struct gate_call){ .fd = fd };
	if (to && length >= sizeof(sa_family_t) && to->sa_family == AF_UNSPEC && gate_watches(fd))
		gate_closes(fd); /* what follows on this socket is another conversation */
	if (!gate_is_on() || !is_whole(to, length) || !il_guard_enter(&guard))
		return false;
	if (fdtab_make() && fdtab_may_add() && is_new(ret_call, &target))
		error = attempt(ret_call, &target, guard.now_ns);
	timer_looks();
	if (error)
		guard.error = error;
	il_guard_leave(&guard);
	return error != 0;
}

static struct il_verdict judge_connect(struct gate_event *event, bool blocks, int rc)
{
	struct il_connection *core = &event->conn->core;
	int64_t now_ns = event->guard.now_ns;
	int error = event->guard.error;

	if (rc == 0 || error == EISCONN) {
		gate_connected(event);
		return il_connection_connected(core, gate_facts(event->conn), now_ns);
	}
	if (error == EINPROGRESS && now_ns - il_connection_begun_ns(core) < AT_ONCE_NS)
		blocks = false;
	if (il_errno_class(error) != IL_ERRNO_PENDING)
		event->conn->phase = CONN_FAILED;
	return il_connection_error(core, gate_facts(event->conn), now_ns, error, blocks);
}

void gate_saw_connect(struct gate_call *call, int rc)
{
	struct gate_event event;

	if (call->conn && gate_takes(&event, call->conn, call->life, call->fd))
		gate_gives(&event, judge_connect(&event, call->blocks, rc));
}

/* Under epoll nobody says which descriptor is ready, and bytes will tell soon enough that it connected.
 * Where attempts race that is too late: the others are closed first. */
static bool has_won(const struct gate_event *event)
{
	return gate_attempt_races(event->conn->attempt, event->guard.now_ns) &&
	       gate_asks_kernel(event->fd, false).tcp == IL_TCP_CONNECTED;
}

/* An error that SO_ERROR told, or success: 0 is also what a pending connect says, so that poll must
 * have said more. */
static struct il_verdict judge_option(struct gate_event *event, int error)
{
	struct il_connection *core = &event->conn->core;
	bool connecting = event->conn->phase == CONN_CONNECTING;

	if (error) {
		if (connecting && il_errno_class(error) != IL_ERRNO_PENDING)
			event->conn->phase = CONN_FAILED;
		return il_connection_error(core, gate_facts(event->conn), event->guard.now_ns, error, false);
	}
	if (!connecting || (!event->conn->writable && !has_won(event)))
		return (struct il_verdict){ 0 };
	gate_connected(event);
	return il_connection_connected(core, gate_facts(event->conn), event->guard.now_ns);
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
	if (!gate_takes(&event, conn, atomic_load(&conn->life), fd))
		return;
	gate_connected(&event);
	gate_gives(&event, il_connection_connected(&event.conn->core, gate_facts(event.conn),
						   event.guard.now_ns));
}
