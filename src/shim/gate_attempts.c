/*
 * What belongs to one look-up: how long it took, and the attempts to reach its addresses. Of a call
 * that is held back until the next address is tried, the ticket is kept here.
 */
#include <string.h>

#include "base/hash.h"
#include "shim/gate_priv.h"

#define LOOKUPS 64 /* remembered, the oldest makes room */

struct lookup {
	uint64_t host; /* hash; 0: none */
	uint64_t number;
	uint32_t addresses;
	int64_t ended_ns, duration_ns;
};

static struct {
	il_right right; /* to all of this */
	struct il_attempts attempts;
	struct il_ticket held[IL_ATTEMPTS_MAX];
	struct lookup lookups[LOOKUPS];
	uint64_t numbers; /* of look-ups so far */
} here;

static _Atomic int64_t due_ns = INT64_MAX;

/* The look-up of this thread whose duration nobody has borne yet. */
static __thread struct il_lookup last;

static uint64_t host_hash(const char *host, size_t length)
{
	char lower[IL_HOST_MAX];

	if (length && host[length - 1] == '.')
		length--;
	if (length > sizeof(lower))
		length = sizeof(lower);
	for (size_t i = 0; i < length; i++)
		lower[i] = (char)(host[i] >= 'A' && host[i] <= 'Z' ? host[i] + 32 : host[i]);
	return il_hash_bytes(lower, length) | 1;
}

static void note_due(void)
{
	atomic_store(&due_ns, il_attempts_due_ns(&here.attempts));
}

void gate_learns_lookup(const char *host, size_t length, uint32_t addresses, int64_t began_ns,
			int64_t now_ns)
{
	if (!il_right_take(&here.right, now_ns))
		return;

	uint64_t number = ++here.numbers;
	here.lookups[number % LOOKUPS] = (struct lookup){ .host = host_hash(host, length),
							  .number = number,
							  .addresses = addresses };
	il_right_give(&here.right);
	last = (struct il_lookup){ .lookup = number,
				   .ended_ns = now_ns,
				   .duration_ns = now_ns - began_ns };
}

/* The newest look-up of host; null: none is remembered. */
static const struct lookup *find_lookup(const char *host)
{
	uint64_t wanted = host_hash(host, strlen(host));

	for (uint64_t i = 0; i < LOOKUPS && i < here.numbers; i++) {
		const struct lookup *lookup = &here.lookups[(here.numbers - i) % LOOKUPS];

		if (lookup->host == wanted)
			return lookup;
	}
	return NULL;
}

struct gate_try gate_tries(const char *host, const struct il_address *address, int64_t now_ns)
{
	struct gate_try try = { .index = -1 };

	if (!host[0] || !il_right_take(&here.right, now_ns))
		return try;

	const struct lookup *lookup = find_lookup(host);
	if (lookup) {
		struct il_try what = { .lookup = lookup->number,
				       .thread = il_right_thread(),
				       .address = (uint32_t)il_hash_bytes(address, sizeof(*address)),
				       .addresses = lookup->addresses };

		try.index = (int16_t)il_attempts_begin(&here.attempts, &what, now_ns,
						       &try.continues);
		try.lookup_ns = il_lookup_take(&last, lookup->number, now_ns);
		if (try.continues)
			try.ticket = here.held[try.index];
		note_due();
	}
	il_right_give(&here.right);
	return try;
}

void gate_attempt_connected(int16_t index, int64_t now_ns)
{
	if (!il_right_take(&here.right, now_ns))
		return;
	il_attempts_connected(&here.attempts, index, now_ns);
	il_right_give(&here.right);
}

bool gate_attempt_is_held(int16_t index, const struct il_ticket *ticket,
			  struct il_verdict verdict, int64_t now_ns)
{
	if (index < 0 || !il_right_take(&here.right, now_ns))
		return false;

	bool held = il_attempts_failed(&here.attempts, index, verdict, now_ns);
	if (held)
		here.held[index] = *ticket;
	note_due();
	il_right_give(&here.right);
	return held;
}

bool gate_attempt_races(int16_t index, int64_t now_ns)
{
	if (index < 0 || !il_right_take(&here.right, now_ns))
		return false;

	bool races = il_attempts_races(&here.attempts, index);
	il_right_give(&here.right);
	return races;
}

bool gate_attempt_lost(int16_t index, int64_t now_ns)
{
	if (index < 0 || !il_right_take(&here.right, now_ns))
		return false;

	bool lost = il_attempts_lost(&here.attempts, index, now_ns);
	il_right_give(&here.right);
	return lost;
}

void gate_attempt_ends(int16_t index, int64_t now_ns)
{
	if (index < 0 || !il_right_take(&here.right, now_ns))
		return;
	il_attempts_end(&here.attempts, index);
	note_due();
	il_right_give(&here.right);
}

/* Takes one that is due out of the table. */
static bool take_due(int64_t until_ns, int64_t now_ns, struct il_verdict *ret_verdict,
		     struct il_ticket *ret_ticket)
{
	if (!il_right_take(&here.right, now_ns))
		return false;

	int index = il_attempts_due(&here.attempts, until_ns, ret_verdict);
	if (index >= 0)
		*ret_ticket = here.held[index];
	note_due();
	il_right_give(&here.right);
	return index >= 0;
}

void gate_attempts_due(int64_t until_ns, int64_t now_ns)
{
	struct il_verdict verdict;
	struct il_ticket ticket;

	if (atomic_load(&due_ns) == INT64_MAX || atomic_load(&due_ns) > until_ns)
		return;

	struct il_self self = gate_self();
	while (take_due(until_ns, now_ns, &verdict, &ticket))
		il_engine_settle(&gate_state.engine, &self, &ticket, &verdict, now_ns);
}

void gate_attempts_forked(void)
{
	atomic_store(&here.right, 0);
	il_attempts_forked(&here.attempts);
	last = (struct il_lookup){ 0 };
	note_due();
}
