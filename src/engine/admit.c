/* The way in: one atomic load where everything is admitted, the slot's lock where not. */
#include "engine/engine_priv.h"
#include "engine/steer.h"

#define FIND_TRIES 3 /* a breaker may be evicted between finding it and looking at it */

static void open_lease(struct il_slot *slot, const struct il_self *self, int64_t now_ns,
		       struct il_ticket *ticket)
{
	ticket->lease = il_lease_open(slot, self, ticket->generation, now_ns);
	if (ticket->lease.place == 0)
		il_slot_count_now(slot, IL_COUNT_unleased, 1);
}

/* Asks the breaker itself. Its probes take a lease with the same commit: without, there is none. */
static enum il_admission acquire(struct il_engine *engine, const struct il_self *self,
				 int64_t now_ns, struct il_ticket *ticket)
{
	struct il_change change;
	struct il_breaker *breaker = &change.journal.breaker;

	if (il_slot_begin(&engine->segment, self, ticket->slot - 1, ticket->incarnation, &change))
		return IL_PASSED;
	if (!il_breaker_acquire(breaker, &change.settings, now_ns, &change.effects)) {
		il_slot_abandon(&change);
		return IL_REJECTED;
	}
	ticket->generation = breaker->generation;
	if (breaker->state == IL_HALF_OPEN) {
		ticket->probe = 1;
		ticket->lease = il_lease_open_probe(&change, now_ns);
		if (ticket->lease.place == 0) {
			il_slot_abandon(&change);
			return IL_REJECTED;
		}
	}
	return il_commit_and_tell(engine, &change, NULL, NULL, now_ns) ? IL_ADMITTED : IL_PASSED;
}

static enum il_admission ask(struct il_engine *engine, const struct il_self *self, int64_t now_ns,
			     struct il_ticket *ticket)
{
	enum il_admission admission = acquire(engine, self, now_ns, ticket);

	if (admission != IL_REJECTED)
		return admission;
	/* Before we turn a call away because of probes: do their processes still live? */
	il_engine_sweep(engine, self, ticket->slot - 1, ticket->incarnation, now_ns, true);
	return acquire(engine, self, now_ns, ticket);
}

static enum il_admission admit_to(struct il_engine *engine, const struct il_self *self,
				  int64_t now_ns, struct il_ticket *ticket)
{
	struct il_slot *slot = il_engine_slot(engine, ticket);
	enum il_admission admission = IL_REJECTED;

	il_steer_slot(engine, self, ticket->slot - 1, ticket->incarnation, now_ns);
	il_engine_sweep(engine, self, ticket->slot - 1, ticket->incarnation, now_ns, false);
	uint64_t word = il_slot_word(slot);

	ticket->generation = IL_COMMIT_GENERATION(word);
	if (il_admits_all(IL_COMMIT_STATE(word)))
		admission = IL_ADMITTED;
	else if (IL_COMMIT_STATE(word) != IL_FORCED_OPEN && !il_surely_open(slot, word, now_ns))
		admission = ask(engine, self, now_ns, ticket);
	if (admission == IL_ADMITTED && ticket->lease.place == 0)
		open_lease(slot, self, now_ns, ticket);
	if (IL_COMMIT_STATE(word) == IL_METRICS_ONLY &&
	    now_ns < __atomic_load_n(&slot->shadow.open_until_ns, __ATOMIC_RELAXED))
		il_slot_count_now(slot, IL_COUNT_would_reject, 1);
	__atomic_store_n(&slot->used_at_ns, now_ns, __ATOMIC_RELAXED);
	return admission;
}

/* Evicted under us: its answer was about another breaker. */
static bool was_evicted(const struct il_engine *engine, const struct il_ticket *ticket)
{
	struct il_slot *slot = il_engine_slot(engine, ticket);

	if (__atomic_load_n(&slot->incarnation, __ATOMIC_ACQUIRE) == ticket->incarnation)
		return false;
	il_lease_drop(slot, ticket->lease);
	return true;
}

/* Made as the control file wants it from the beginning: nobody sees it otherwise. */
__attribute__((noinline)) static int make(struct il_engine *engine, const struct il_self *self,
					  const struct il_recipe *recipe, int64_t now_ns,
					  uint64_t *ret_incarnation)
{
	struct il_settings settings = *recipe->settings;
	struct il_recipe steered = *recipe;

	steered.settings = &settings;
	il_steer_recipe(engine, &steered, &settings, now_ns);
	return il_table_make(&engine->segment, self, &steered, now_ns, ret_incarnation);
}

int il_find_or_make(struct il_engine *engine, const struct il_self *self,
		    const struct il_recipe *recipe, int64_t now_ns, uint64_t *ret_incarnation)
{
	int place = il_table_find(&engine->segment, recipe->name, ret_incarnation);

	return place >= 0 ? place : make(engine, self, recipe, now_ns, ret_incarnation);
}

enum il_admission il_engine_admit(struct il_engine *engine, const struct il_self *self,
				  const struct il_recipe *recipe, int64_t now_ns,
				  struct il_ticket *ret_ticket)
{
	enum il_admission admission = IL_PASSED;

	for (int i = 0; i < FIND_TRIES; i++) {
		struct il_ticket ticket = { 0 };
		int place = il_find_or_make(engine, self, recipe, now_ns, &ticket.incarnation);

		if (place < 0)
			break;
		ticket.slot = 1 + (uint32_t)place;
		admission = admit_to(engine, self, now_ns, &ticket);
		if (was_evicted(engine, &ticket))
			continue;
		if (admission == IL_PASSED)
			break;
		*ret_ticket = ticket;
		return admission;
	}
	*ret_ticket = (struct il_ticket){ 0 };
	return IL_PASSED;
}

bool il_engine_admits_all(const struct il_engine *engine, const struct il_ticket *ticket)
{
	const struct il_slot *slot = il_engine_slot(engine, ticket);

	return !slot || il_admits_all(IL_COMMIT_STATE(il_slot_word(slot)));
}

enum il_admission il_engine_admit_again(struct il_engine *engine, const struct il_self *self,
					const struct il_ticket *connection, int64_t now_ns,
					struct il_ticket *ret_ticket)
{
	struct il_ticket ticket = il_ticket_anew(connection);
	enum il_admission admission = IL_PASSED;

	*ret_ticket = (struct il_ticket){ 0 };
	if (!il_engine_slot(engine, &ticket) || was_evicted(engine, &ticket))
		return IL_PASSED;
	admission = admit_to(engine, self, now_ns, &ticket);
	if (was_evicted(engine, &ticket) || admission == IL_PASSED)
		return IL_PASSED;
	*ret_ticket = ticket;
	return admission;
}

void il_engine_begin(struct il_engine *engine, const struct il_self *self,
		     const struct il_ticket *connection, int64_t now_ns,
		     struct il_ticket *ret_ticket)
{
	struct il_ticket ticket = il_ticket_anew(connection);
	struct il_slot *slot = il_engine_slot(engine, &ticket);

	*ret_ticket = (struct il_ticket){ .address = ticket.address };
	if (!slot || __atomic_load_n(&slot->incarnation, __ATOMIC_ACQUIRE) != ticket.incarnation)
		return;
	il_steer_slot(engine, self, ticket.slot - 1, ticket.incarnation, now_ns);
	uint64_t word = il_slot_word(slot);

	ticket.generation = IL_COMMIT_GENERATION(word);
	ticket.passed = !il_admits_all(IL_COMMIT_STATE(word));
	if (!ticket.passed)
		open_lease(slot, self, now_ns, &ticket);
	*ret_ticket = ticket;
}

void il_engine_wait(struct il_engine *engine, const struct il_ticket *ticket, int64_t since_ns)
{
	struct il_slot *slot = il_engine_slot(engine, ticket);

	if (slot)
		il_lease_wait(slot, ticket->lease, since_ns);
}

void il_engine_hold(struct il_engine *engine, const struct il_ticket *ticket,
		    enum il_outcome outcome, int64_t since_ns)
{
	struct il_slot *slot = il_engine_slot(engine, ticket);

	if (slot)
		il_lease_hold(slot, ticket->lease, outcome, since_ns);
}

void il_engine_count(struct il_engine *engine, const struct il_ticket *ticket,
		     enum il_counter counter)
{
	struct il_slot *slot = il_engine_slot(engine, ticket);

	if (slot)
		il_slot_count_now(slot, counter, 1);
}
