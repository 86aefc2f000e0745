/*
 * Looking after the calls of others. Anyone who comes by charges what hangs and clears away what
 * the dead left: there is no other hand to do it.
 */
#include "engine/engine_priv.h"

#define QUESTIONS_A_VISIT 4                  /* to the kernel, about processes */
#define HELD_NS           INT64_C(100000000) /* the pause that ends an opening */
#define OLD_ENOUGH_NS     INT64_C(500000000) /* a younger call of a dead process tells nothing */
#define DEATHS_JITTER_NS  INT64_C(100000000)
#define DEATHS_APART_NS   INT64_C(1000000000) /* a deploy kills many at once: one of them counts */

static bool older(int64_t since_ns, int64_t age_ns, int64_t now_ns)
{
	return since_ns > 0 && now_ns >= since_ns && now_ns - since_ns >= age_ns;
}

/* A probe that succeeded and has been quiet since: its opening is over. */
static bool is_over(const struct il_lease_view *view, int64_t now_ns)
{
	return view->held && older(view->waiting_since_ns, HELD_NS, now_ns);
}

/* A call is slow when it was waited for that long; a probe also when it is that old. */
static bool is_due(const struct il_lease_view *view, int64_t slow_ns, int64_t now_ns)
{
	if (view->charged || view->held)
		return false;
	return older(view->waiting_since_ns, slow_ns, now_ns) ||
	       (view->kind == IL_LEASE_PROBE && older(view->begun_ns, slow_ns, now_ns));
}

static struct il_verdict hanging(const struct il_lease_view *view, int64_t now_ns)
{
	int64_t since_ns = view->waiting_since_ns ? view->waiting_since_ns : view->begun_ns;

	return (struct il_verdict){
		.kind = IL_VERDICT_RECORD,
		.outcome = IL_SLOW_SUCCESS,
		.seen = IL_SEEN_CHARGE,
		.phase = IL_PHASE_EXCHANGE,
		.flags = IL_CHARGED,
		.duration_ns = now_ns - since_ns,
	};
}

static void charge(struct il_engine *engine, struct il_change *change,
		   const struct il_lease_view *view, int64_t now_ns)
{
	struct il_breaker *breaker = &change->journal.breaker;
	struct il_verdict verdict = hanging(view, now_ns);
	struct il_handle handle = il_breaker_record(
		breaker, &change->settings, change->cells, now_ns,
		il_whole_generation(breaker, view->generation), IL_SLOW_SUCCESS, &change->effects);

	il_note_call(engine, change, &verdict, view->pid, now_ns);
	il_slot_count(change, IL_COUNT_charged);
	il_lease_charge(change, view->ref, handle);
	il_commit_and_tell(engine, change, NULL, &verdict, now_ns);
}

static void conclude(struct il_engine *engine, struct il_change *change,
		     const struct il_lease_view *view, int64_t now_ns)
{
	struct il_breaker *breaker = &change->journal.breaker;
	struct il_verdict verdict = {
		.kind = IL_VERDICT_RECORD,
		.outcome = view->handle.outcome % IL_OUTCOMES,
		.seen = IL_SEEN_ANSWER,
		.phase = IL_PHASE_OPENING,
		.duration_ns = view->waiting_since_ns - view->begun_ns,
	};

	il_breaker_record(breaker, &change->settings, change->cells, now_ns,
			  il_whole_generation(breaker, view->generation), verdict.outcome,
			  &change->effects);
	il_note_call(engine, change, &verdict, view->pid, now_ns);
	il_lease_close(change, view->ref);
	il_commit_and_tell(engine, change, NULL, &verdict, now_ns);
}

/* A waiting call that its process's death ended was in vain, like a time-out; but of several that
 * die together only one speaks for the destination. */
static bool counts_as_failure(const struct il_change *change, const struct il_lease_view *view,
			      int64_t now_ns)
{
	int64_t last_ns = change->journal.death_charged_ns;

	return older(view->waiting_since_ns, OLD_ENOUGH_NS, now_ns) &&
	       (last_ns == 0 || last_ns > now_ns + DEATHS_APART_NS ||
		now_ns - last_ns >= DEATHS_APART_NS - DEATHS_JITTER_NS);
}

/* One a second on the average: `timeout 1 curl` in a loop is found now a little early and now a
 * little late, and each of them counts. */
static int64_t death_time(int64_t last_ns, int64_t now_ns)
{
	bool early = last_ns != 0 && now_ns >= last_ns && now_ns - last_ns < DEATHS_APART_NS;

	return early ? last_ns + DEATHS_APART_NS : now_ns;
}

static void record_death(struct il_engine *engine, struct il_change *change,
			 const struct il_lease_view *view, struct il_verdict *verdict,
			 int64_t now_ns)
{
	struct il_breaker *breaker = &change->journal.breaker;
	struct il_handle handle = view->handle;

	change->journal.death_charged_ns = death_time(change->journal.death_charged_ns, now_ns);
	if (view->charged) {
		handle.generation = il_whole_generation(breaker, view->generation);
		verdict->outcome = IL_SLOW_FAILURE;
		il_breaker_amend(breaker, &change->settings, change->cells, now_ns, handle,
				 IL_SLOW_FAILURE, &change->effects);
		return;
	}
	il_breaker_record(breaker, &change->settings, change->cells, now_ns,
			  il_whole_generation(breaker, view->generation), verdict->outcome,
			  &change->effects);
	il_note_call(engine, change, verdict, view->pid, now_ns);
}

static void abandon(struct il_change *change, const struct il_lease_view *view, int64_t now_ns)
{
	struct il_breaker *breaker = &change->journal.breaker;

	il_slot_count(change, IL_COUNT_abandoned);
	if (view->kind == IL_LEASE_PROBE)
		il_breaker_inconclusive(breaker, &change->settings, now_ns,
					il_whole_generation(breaker, view->generation),
					&change->effects);
}

static void bury(struct il_engine *engine, struct il_change *change,
		 const struct il_lease_view *view, int64_t now_ns)
{
	struct il_verdict verdict = il_outcome_of_death(view->waiting_since_ns, now_ns);

	if (counts_as_failure(change, view, now_ns))
		record_death(engine, change, view, &verdict, now_ns);
	else
		abandon(change, view, now_ns);
	il_lease_close(change, view->ref);
	il_commit_and_tell(engine, change, NULL, &verdict, now_ns);
}

/* Seen without the lock, a lease may be another one by now: looked at again under it. */
static void act(struct il_engine *engine, const struct il_self *self, uint32_t place,
		uint64_t incarnation, const struct il_lease_view *seen, bool dead, int64_t now_ns)
{
	struct il_change change;
	struct il_lease_view view;

	if (il_slot_begin(&engine->segment, self, place, incarnation, &change) < 0)
		return;
	bool same = il_lease_look(change.slot, seen->ref.place - 1, &view) &&
		    view.ref.tag == seen->ref.tag;

	if (same && view.held && (dead || is_over(&view, now_ns)))
		conclude(engine, &change, &view, now_ns);
	else if (same && dead)
		bury(engine, &change, &view, now_ns);
	else if (same && is_due(&view, change.settings.slow_call_duration_threshold_ns, now_ns))
		charge(engine, &change, &view, now_ns);
	else
		il_slot_abandon(&change);
}

void il_engine_sweep(struct il_engine *engine, const struct il_self *self, uint32_t place,
		     uint64_t incarnation, int64_t now_ns, bool probes)
{
	if (place >= engine->segment.breakers)
		return;
	struct il_slot *slot = &engine->segment.slots[place];
	int64_t slow_ns =
		__atomic_load_n(&slot->settings.slow_call_duration_threshold_ns, __ATOMIC_RELAXED);
	int questions = QUESTIONS_A_VISIT;

	if (il_leases_are_free(slot))
		return;
	/* Each visit begins elsewhere, so that the questions go round. */
	for (uint32_t i = 0; i < IL_LEASES; i++) {
		uint32_t index = (uint32_t)((uint64_t)now_ns + i) % IL_LEASES;
		struct il_lease_view view;

		if (il_lease_is_free(slot, index))
			continue;
		if (!il_lease_look(slot, index, &view)) {
			il_lease_reap(slot, index);
			continue;
		}
		/* The dead do not wait, however long ago they were killed: nobody is charged unasked.
		 * That is once a call, so it is bounded without being counted. */
		bool due = is_due(&view, slow_ns, now_ns);
		bool ask = due || (probes && view.kind == IL_LEASE_PROBE) ||
			   (older(view.begun_ns, OLD_ENOUGH_NS, now_ns) && questions-- > 0);
		bool dead = ask && view.pid != self->pid && !il_process_alive(view.pid, view.start);

		if (dead || due || is_over(&view, now_ns))
			act(engine, self, place, incarnation, &view, dead, now_ns);
	}
}
