/* The operator's file, as the gate needs it. */
#include "shim/gate_priv.h"

#include "registry/words.h"

#include <string.h>

void gate_looks_at_control(const struct il_self *self, int64_t now_ns)
{
	il_steer_look(&gate_state.engine, self, now_ns);
}

bool gate_asks_control(char *name, size_t size, const struct il_address *address, int64_t now_ns,
		       bool *ret_oneway)
{
	struct il_steer_destination destination;
	size_t length;

	*ret_oneway = false;
	if (!gate_state.engine.steer ||
	    !il_steer_destination(&gate_state.engine, name, strlen(name), address, now_ns,
				  &destination))
		return true;
	*ret_oneway = destination.oneway;
	length = strlen(destination.name);
	if (length > 0 && length < size)
		memcpy(name, destination.name, length + 1);
	return !destination.ignored;
}

/* The name that its destination has by now: nobody keeps one for each connection. */
__attribute__((noinline)) static void name_again(const struct fd_conn *conn, struct il_text *name)
{
	const struct il_slot *slot = il_engine_slot(&gate_state.engine, &conn->ticket);
	char host[IL_HOST_MAX + 1];

	if (conn->ticket.address.family) {
		il_names_find(&gate_state.names, &conn->ticket.address, il_right_thread(), host);
		il_address_key(name, gate_state.config.key, host, &conn->ticket.address);
	} else if (slot) {
		il_text_bytes(name, slot->name, strnlen(slot->name, sizeof(slot->name)));
	}
}

static bool says_ignore(const struct fd_conn *conn, int64_t now_ns)
{
	const struct il_address *address = &conn->ticket.address;
	char room[IL_HOST_MAX + 16];
	struct il_text name = il_text_in(room, sizeof(room));
	bool oneway;

	name_again(conn, &name);
	return !gate_asks_control(name.at, name.size, address->family ? address : NULL, now_ns,
				  &oneway);
}

bool gate_ignores_next(struct fd_conn *conn, int64_t now_ns)
{
	uint64_t version;

	if (!gate_state.engine.steer)
		return false;
	version = il_control_version(&gate_state.steer.control);
	if (version != conn->rules.version) {
		conn->rules.version = version;
		conn->rules.ignored = says_ignore(conn, now_ns);
	}
	return conn->rules.ignored;
}

bool gate_ignores(struct fd_conn *conn, int64_t now_ns)
{
	struct il_verdict dropped = { .kind = IL_VERDICT_DROPPED };
	struct il_self self;

	if (conn->rules.ignored)
		return true;
	if (!gate_ignores_next(conn, now_ns))
		return false;
	self = gate_self();
	if (conn->ticket.lease.place)
		il_engine_settle(&gate_state.engine, &self, &conn->ticket, &dropped, now_ns);
	conn->ticket.passed = 1;
	return true;
}

void gate_learns_statuses(struct fd_conn *conn)
{
	const struct il_slot *slot = il_engine_slot(&gate_state.engine, &conn->ticket);

	_Static_assert(sizeof(slot->http_failure) == sizeof(conn->facts.http_failure), "one set");
	if (slot)
		il_words_copy(conn->facts.http_failure, slot->http_failure,
			      sizeof(slot->http_failure));
}

int gate_reject_errno(const struct il_ticket *ticket)
{
	const struct il_slot *slot = il_engine_slot(&gate_state.engine, ticket);
	uint32_t number = slot ? __atomic_load_n(&slot->reject_errno, __ATOMIC_RELAXED) : 0;

	/* Garbage in shared memory must not become an errno that says something else. */
	return number > 0 && number < 134 ? (int)number : gate_state.config.reject_errno;
}
