/* The end of a call: what the verdict says, done to the breaker in one commit. */
#include "engine/engine_priv.h"

static void learn(struct il_change *change, uint8_t flags)
{
	if (flags & IL_LEARNT_ANSWERED)
		change->journal.facts |= IL_FACT_ANSWERED;
	if (flags & IL_LEARNT_GREETED)
		change->journal.facts |= IL_FACT_GREETED;
}

/* A charged lease knows the outcome that was recorded for it; the ticket does not yet. */
static bool charged_handle(struct il_change *change, const struct il_ticket *ticket,
			   struct il_handle *ret_handle)
{
	struct il_lease_view view;

	if (!il_lease_is_charged(change->slot, ticket->lease) ||
	    !il_lease_look(change->slot, ticket->lease.place - 1, &view))
		return false;
	*ret_handle = view.handle;
	ret_handle->generation = il_whole_generation(&change->journal.breaker, view.generation);
	return true;
}

static void correct(struct il_change *change, struct il_ticket *ticket, struct il_handle handle,
		    uint8_t outcome, int64_t now_ns)
{
	ticket->handle = il_breaker_amend(&change->journal.breaker, &change->settings,
					  change->cells, now_ns, handle, outcome, &change->effects);
}

/* A call that a visitor charged is already in the window: its own end corrects that, and may find
 * it as it stands. */
static void record(struct il_engine *engine, struct il_change *change, const struct il_self *self,
		   struct il_ticket *ticket, const struct il_verdict *verdict, int64_t now_ns)
{
	struct il_handle handle;

	if (charged_handle(change, ticket, &handle)) {
		ticket->handle = handle;
		if ((handle.outcome | IL_SLOW_SUCCESS) != (verdict->outcome | IL_SLOW_SUCCESS))
			correct(change, ticket, handle, verdict->outcome | IL_SLOW_SUCCESS, now_ns);
		return;
	}
	ticket->handle = il_breaker_record(
		&change->journal.breaker, &change->settings, change->cells, now_ns,
		il_whole_generation(&change->journal.breaker, ticket->generation), verdict->outcome,
		&change->effects);
	il_note_call(engine, change, verdict, self->pid, now_ns);
}

static void give_back(struct il_change *change, const struct il_ticket *ticket,
		      enum il_verdict_kind kind, int64_t now_ns)
{
	struct il_breaker *breaker = &change->journal.breaker;
	uint64_t generation = il_whole_generation(breaker, ticket->generation);
	struct il_handle charged;

	if (charged_handle(change, ticket, &charged))
		return; /* its outcome is recorded, and its place free */
	if (kind == IL_VERDICT_INCONCLUSIVE)
		il_breaker_inconclusive(breaker, &change->settings, now_ns, generation,
					&change->effects);
	else if (ticket->probe)
		il_breaker_release(breaker, &change->settings, now_ns, generation,
				   &change->effects);
}

static void count_ending(struct il_slot *slot, enum il_verdict_kind kind)
{
	if (kind == IL_VERDICT_INCONCLUSIVE)
		il_slot_count_now(slot, IL_COUNT_inconclusive, 1);
	else if (kind == IL_VERDICT_CANCELLED)
		il_slot_count_now(slot, IL_COUNT_cancelled, 1);
}

/* Does the lease say that this call is still its owner's to settle? One without a lease is. */
static bool still_ours(const struct il_change *change, const struct il_ticket *ticket)
{
	return ticket->lease.place == 0 || il_lease_current(change->slot, ticket->lease);
}

/* A call that hangs keeps its lease, so that its end, or its owner's death, can correct it. */
static void end_lease(struct il_change *change, struct il_ticket *ticket,
		      const struct il_verdict *verdict)
{
	struct il_handle charged;

	if (verdict->flags & IL_CHARGED) {
		if (charged_handle(change, ticket, &charged))
			return;
		il_slot_count(change, IL_COUNT_charged);
		il_lease_charge(change, ticket->lease, ticket->handle);
		return;
	}
	il_lease_close(change, ticket->lease);
	ticket->lease.place = 0;
}

static void apply_verdict(struct il_engine *engine, struct il_change *change,
			  const struct il_self *self, struct il_ticket *ticket,
			  const struct il_verdict *verdict, int64_t now_ns)
{
	switch (verdict->kind) {
	case IL_VERDICT_RECORD:
		record(engine, change, self, ticket, verdict, now_ns);
		end_lease(change, ticket, verdict);
		break;
	case IL_VERDICT_AMEND:
		charged_handle(change, ticket, &ticket->handle);
		correct(change, ticket, ticket->handle, verdict->outcome, now_ns);
		end_lease(change, ticket, verdict);
		break;
	case IL_VERDICT_NONE:
		break;
	default:
		give_back(change, ticket, verdict->kind, now_ns);
		count_ending(change->slot, verdict->kind);
		end_lease(change, ticket, verdict);
	}
}

static bool nothing_to_do(const struct il_engine *engine, const struct il_ticket *ticket,
			  const struct il_verdict *verdict)
{
	uint32_t known = il_engine_facts(engine, ticket);
	bool learns = ((verdict->flags & IL_LEARNT_ANSWERED) && !(known & IL_FACT_ANSWERED)) ||
		      ((verdict->flags & IL_LEARNT_GREETED) && !(known & IL_FACT_GREETED));

	return ticket->slot == 0 || (verdict->kind == IL_VERDICT_NONE && !learns) ||
	       (ticket->passed && !learns);
}

/* The lock was not to be had. A probe's outcome is left in its lease for the next visitor: lost, it
 * would keep the breaker half-open. That of an ordinary call is lost, and lock_timeouts counts it.
 */
static void settle_later(struct il_engine *engine, const struct il_ticket *ticket,
			 const struct il_verdict *verdict, int64_t now_ns)
{
	struct il_slot *slot = il_engine_slot(engine, ticket);

	if (!slot)
		return;
	if (!ticket->probe)
		il_lease_drop(slot, ticket->lease);
	else if (verdict->kind == IL_VERDICT_RECORD)
		il_lease_hold(slot, ticket->lease, verdict->outcome % IL_OUTCOMES, now_ns);
}

void il_engine_settle(struct il_engine *engine, const struct il_self *self,
		      struct il_ticket *ticket, const struct il_verdict *verdict, int64_t now_ns)
{
	struct il_change change;

	/* Counted at its end: only then is it known to be no farewell. */
	if (ticket->passed && verdict->kind == IL_VERDICT_RECORD)
		il_engine_count(engine, ticket, IL_COUNT_passed_while_open);
	if (nothing_to_do(engine, ticket, verdict))
		return;
	if (il_slot_begin(&engine->segment, self, ticket->slot - 1, ticket->incarnation, &change)) {
		settle_later(engine, ticket, verdict, now_ns);
		return;
	}
	learn(&change, verdict->flags);
	if (!ticket->passed && still_ours(&change, ticket))
		apply_verdict(engine, &change, self, ticket, verdict, now_ns);
	il_commit_and_tell(engine, &change, ticket, verdict, now_ns);
}

void il_engine_unlease(struct il_engine *engine, const struct il_self *self,
		       struct il_ticket *ticket, int64_t now_ns)
{
	struct il_verdict dropped = { .kind = IL_VERDICT_DROPPED };
	struct il_slot *slot = il_engine_slot(engine, ticket);

	if (!slot || ticket->lease.place == 0)
		return;
	if (ticket->probe || il_lease_is_charged(slot, ticket->lease)) {
		il_engine_settle(engine, self, ticket, &dropped, now_ns);
		ticket->passed = 1;
	} else if (il_lease_drop(slot, ticket->lease)) {
		il_slot_count_now(slot, IL_COUNT_unleased, 1);
		ticket->lease.place = 0;
	}
}

int il_engine_override(struct il_engine *engine, const struct il_self *self, uint32_t slot,
		       uint64_t incarnation, enum il_state state, int64_t now_ns)
{
	struct il_change change;
	int begun = il_slot_begin(&engine->segment, self, slot, incarnation, &change);

	if (begun < 0)
		return begun;
	if (state == IL_CLOSED)
		il_breaker_reset(&change.journal.breaker, &change.effects);
	else
		il_breaker_override(&change.journal.breaker, state, &change.effects);
	il_commit_and_tell(engine, &change, NULL, NULL, now_ns);
	return 0;
}
