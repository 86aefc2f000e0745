/* Connecting: what is tried, and admission. How it ends is in gate_learn.c. */
#include <netinet/in.h>
#include <stddef.h>
#include <sys/un.h>

#include "base/file.h"
#include "shim/gate_priv.h"
#include "shim/timer.h"

#define IPV6_SHORTEST 24 /* what the kernel takes: without the scope */

/* What is about to be tried. */
struct target {
	int fd;
	uint32_t entry; /* what fd stands for */
	const struct sockaddr *to;
	socklen_t length;
	int family; /* of `to`; -1: none */
	struct il_address address; /* all zero for a unix socket */
	bool fast;     /* a send that connects on its way */
	bool dontwait; /* and does not block, whatever its socket does */
	bool oneway;
	char host[IL_HOST_MAX + 1];
	char name[IL_HOST_MAX + 16];
};

/* Unix sockets that nobody asked to watch cost no more than this. */
static bool is_watched_unix(socklen_t length)
{
	return gate_state.config.families & IL_FAMILY_UNIX &&
	       length > offsetof(struct sockaddr_un, sun_path) &&
	       length <= sizeof(struct sockaddr_un);
}

static bool is_whole(int family, socklen_t length)
{
	return (family == AF_INET && length >= sizeof(struct sockaddr_in)) ||
	       (family == AF_INET6 && length >= IPV6_SHORTEST) ||
	       (family == AF_UNIX && is_watched_unix(length));
}

/* An IPv4 address on an IPv6 socket, as java uses them, is IPv4. */
static uint32_t family_of(const struct il_address *address)
{
	return address->family == 4   ? IL_FAMILY_INET
	       : address->family == 6 ? IL_FAMILY_INET6
				      : IL_FAMILY_UNIX;
}

/* Its address, and what that was looked up as. */
static bool find_host(struct target *target)
{
	if (target->family == AF_UNIX)
		return true;
	if (il_address_from(&target->address, target->to, target->length) < 0)
		return false;
	il_names_find(&gate_state.names, &target->address, il_right_thread(), target->host);
	return true;
}

/* Fills in what the destination is called. False: nothing to watch. */
static bool name_target(struct target *target, int64_t now_ns)
{
	const struct il_config *config = &gate_state.config;
	struct il_text name = il_text_in(target->name, sizeof(target->name));

	if (!find_host(target) || !(config->families & family_of(&target->address)))
		return false;
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

/* FDTAB_KIND bits of the socket. */
static uint32_t kind_of(const struct target *target)
{
	const struct fd_conn *conn = fdtab_conn(target->entry);

	return conn ? conn->kind : target->entry & FDTAB_KIND;
}

static unsigned flags_of(const struct gate_call *call, const struct fd_conn *conn)
{
	return (call->blocks ? IL_CONNECT_BLOCKING : 0U) |
	       (conn->ticket.probe ? IL_CONNECT_PROBE : 0U) | (conn->fast ? IL_CONNECT_FAST : 0U);
}

static void begin(struct gate_call *call, const struct target *target, const struct gate_try *try,
		  const struct il_ticket *ticket, int64_t now_ns)
{
	uint32_t kind = kind_of(target);
	struct fd_conn *conn = conn_for(target);
	bool had_conn = fdtab_is_conn(target->entry);

	if (!conn || !il_right_take(&conn->right, now_ns))
		return;
	if (!had_conn)
		atomic_store(&conn->nonblocking, (target->entry & FDTAB_NONBLOCK) != 0);
	call->blocks = !atomic_load(&conn->nonblocking) && !target->dontwait;
	call->begun = true;
	conn->kind = (uint8_t)kind;
	conn->fast = target->fast || kind & FDTAB_FAST;
	conn->phase = CONN_CONNECTING;
	conn->writable = false;
	conn->attempt = try->index;
	conn->waiting_since_ns = conn->held_since_ns = 0;
	conn->ticket = *ticket;
	conn->ticket.address = target->address;
	conn->next = (struct il_ticket){ 0 };
	conn->oneway = target->oneway;
	conn->rules = (struct conn_rules){ 0 };
	conn->facts = gate_state.facts;
	gate_facts(conn);
	gate_learns_statuses(conn);
	atomic_store(&conn->missed, false);
	il_connection_begin(&conn->core, now_ns, try->lookup_ns, flags_of(call, conn));
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
	if (admission != IL_REJECTED ||
	    !gate_would_connect(target->fd, kind_of(target), target->to, target->length))
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
	    (!gate_is_fit(target->fd, target->family, &target->entry) || !fdtab_make()))
		return false;
	if ((target->family == AF_UNIX) != ((kind_of(target) & FDTAB_UNIX) != 0))
		return false;
	conn = fdtab_conn(target->entry);
	if (!conn || conn->phase == CONN_FAILED)
		return true;
	call->conn = conn;
	call->life = atomic_load(&conn->life);
	call->blocks = !atomic_load(&conn->nonblocking) && !target->dontwait;
	return false;
}

/* Sets errno if it is rejected. The target is whole. */
static bool rejects(struct gate_call *ret_call, struct target *target)
{
	struct il_guard guard;
	int error = 0;

	target->host[0] = target->name[0] = 0;
	target->address = (struct il_address){ 0 };
	if (!il_guard_enter(&guard))
		return false;
	if (fdtab_make() && fdtab_may_add() && is_new(ret_call, target))
		error = attempt(ret_call, target, guard.now_ns);
	timer_looks();
	if (error)
		guard.error = error;
	il_guard_leave(&guard);
	return error != 0;
}

/* False: nothing that could be ours. */
static bool aim(struct target *ret_target, int fd, const struct sockaddr *to, socklen_t length)
{
	if (!gate_is_on())
		return false;
	ret_target->fd = fd;
	ret_target->to = to;
	ret_target->length = length;
	ret_target->family = -1;
	if (length <= sizeof(struct sockaddr_storage) && il_sys_is_readable(to, length))
		ret_target->family = il_address_family(to, length);
	ret_target->fast = ret_target->dontwait = false;
	return true;
}

bool gate_rejects_connect(struct gate_call *ret_call, int fd, const struct sockaddr *to,
			  socklen_t length)
{
	struct target target; /* half a page, so not cleared */

	*ret_call = (struct gate_call){ .fd = fd };
	if (!aim(&target, fd, to, length))
		return false;
	if (target.family == AF_UNSPEC && gate_watches(fd))
		gate_closes(fd); /* what follows on this socket is another conversation */
	return is_whole(target.family, length) && rejects(ret_call, &target);
}

bool gate_rejects_fast(struct gate_call *ret_call, int fd, const struct sockaddr *to,
		       socklen_t length, int flags)
{
	struct target target;

	*ret_call = (struct gate_call){ .fd = fd };
	if (!aim(&target, fd, to, length) || !is_whole(target.family, length) ||
	    target.family == AF_UNIX)
		return false;
	target.fast = true;
	target.dontwait = flags & MSG_DONTWAIT;
	if (rejects(ret_call, &target))
		return true;
	if (ret_call->conn)
		ret_call->received = ret_call->conn->received;
	return false;
}
