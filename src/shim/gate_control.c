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
