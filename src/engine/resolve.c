/* Look-ups: calls that ended, or are to end, before there is an address to connect to. */
#include "engine/engine_priv.h"
#include "engine/steer.h"

#include <string.h>

static bool records(uint32_t state)
{
	return state == IL_CLOSED || state == IL_METRICS_ONLY;
}

static void fail_at(struct il_engine *engine, const struct il_self *self, uint32_t place,
		    uint64_t incarnation, int64_t duration_ns, int64_t now_ns)
{
	il_steer_slot(engine, self, place, incarnation, now_ns);

	uint64_t word = il_slot_word(&engine->segment.slots[place]);
	struct il_ticket ticket = { .slot = 1 + place,
				    .incarnation = incarnation,
				    .generation = IL_COMMIT_GENERATION(word) };
	bool slow = duration_ns >= il_engine_slow_ns(engine, &ticket);
	struct il_verdict verdict = {
		.kind = IL_VERDICT_RECORD,
		.outcome = slow ? IL_SLOW_FAILURE : IL_FAILURE,
		.phase = IL_PHASE_RESOLVE,
		.duration_ns = duration_ns,
	};

	il_engine_count(engine, &ticket, IL_COUNT_resolve_failures);
	if (records(IL_COMMIT_STATE(word)))
		il_engine_settle(engine, self, &ticket, &verdict, now_ns);
}

void il_engine_resolve_failed(struct il_engine *engine, const struct il_self *self,
			      const struct il_recipe *recipe, int64_t duration_ns, int64_t now_ns)
{
	uint64_t incarnation;
	int place = il_find_or_make(engine, self, recipe, now_ns, &incarnation);

	if (place >= 0)
		fail_at(engine, self, (uint32_t)place, incarnation, duration_ns, now_ns);
}

static bool is_of_host(const struct il_slot *slot, const char *host)
{
	size_t length = strlen(host);

	return length < IL_NAME_BYTES - 1 && memcmp(slot->name, host, length) == 0 &&
	       (slot->name[length] == ':' || slot->name[length] == 0);
}

void il_engine_host_failed(struct il_engine *engine, const struct il_self *self, const char *host,
			   int64_t duration_ns, int64_t now_ns)
{
	const struct il_segment *segment = &engine->segment;

	for (uint32_t place = 0; place < segment->breakers; place++) {
		const struct il_slot *slot = &segment->slots[place];

		if (__atomic_load_n(&segment->hashes[place], __ATOMIC_ACQUIRE) == 0)
			continue;
		uint64_t incarnation = __atomic_load_n(&slot->incarnation, __ATOMIC_ACQUIRE);

		if (is_of_host(slot, host))
			fail_at(engine, self, place, incarnation, duration_ns, now_ns);
	}
}

/* Asks the breaker itself, and throws the draft away. */
__attribute__((noinline)) static bool refuses(struct il_engine *engine, const struct il_self *self,
					      const struct il_ticket *ticket, int64_t now_ns)
{
	struct il_change change;

	if (il_slot_begin(&engine->segment, self, ticket->slot - 1, ticket->incarnation, &change))
		return false;
	bool admits = il_breaker_would_admit(&change.journal.breaker, &change.settings, now_ns);

	il_slot_abandon(&change);
	return !admits;
}

static bool would_reject(struct il_engine *engine, const struct il_self *self,
			 const struct il_ticket *ticket, int64_t now_ns)
{
	const struct il_slot *slot = il_engine_slot(engine, ticket);
	uint64_t word = il_slot_word(slot);
	uint32_t state = IL_COMMIT_STATE(word);

	if (il_admits_all(state))
		return false;
	if (state == IL_FORCED_OPEN || il_surely_open(slot, word, now_ns))
		return __atomic_load_n(&slot->incarnation, __ATOMIC_ACQUIRE) == ticket->incarnation;
	if (!refuses(engine, self, ticket, now_ns))
		return false;
	/* Whoever is turned away here asks for no admission, which would do this. */
	il_engine_sweep(engine, self, ticket->slot - 1, ticket->incarnation, now_ns, true);
	return refuses(engine, self, ticket, now_ns);
}

bool il_engine_would_reject(struct il_engine *engine, const struct il_self *self, const char *name,
			    int64_t now_ns, struct il_ticket *ret_ticket)
{
	struct il_ticket ticket = { 0 };
	int place = il_table_find(&engine->segment, name, &ticket.incarnation);

	if (place < 0)
		return false;
	ticket.slot = 1 + (uint32_t)place;
	il_steer_slot(engine, self, (uint32_t)place, ticket.incarnation, now_ns);
	if (!would_reject(engine, self, &ticket, now_ns))
		return false;
	__atomic_store_n(&engine->segment.slots[place].used_at_ns, now_ns, __ATOMIC_RELAXED);
	*ret_ticket = ticket;
	return true;
}
