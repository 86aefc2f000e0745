#include "interlock/breaker.h"

#include "core/transitions.h"
#include "core/window.h"

/* Where an outcome was put. */
enum place { PLACE_DROPPED, PLACE_WINDOW, PLACE_ROUND };

static uint16_t up(uint16_t count)
{
	return count < UINT16_MAX ? (uint16_t)(count + 1) : count;
}

static uint16_t down(uint16_t count)
{
	return count > 0 ? (uint16_t)(count - 1) : 0;
}

void il_breaker_init(struct il_breaker *breaker, const struct il_settings *settings)
{
	uint32_t state = settings->initial_state;

	if (state >= IL_STATES || state == IL_OPEN || state == IL_HALF_OPEN)
		state = IL_CLOSED; /* those two need a history */
	*breaker = (struct il_breaker){ .state = (uint8_t)state, .last_failure_ns = -1 };
}

static int64_t left_to_wait(const struct il_breaker *breaker, int64_t now_ns)
{
	int64_t opened = breaker->opened_at_ns > 0 ? breaker->opened_at_ns : 0;
	int64_t wait = breaker->wait_ns > 0 ? breaker->wait_ns : 0;
	int64_t elapsed = now_ns > opened ? now_ns - opened : 0;

	return wait > elapsed ? wait - elapsed : 0;
}

/* With no probe out there is always room for one, or a reload that lowers `permitted` to what has
 * completed would leave nobody to end the round. */
static bool has_room(const struct il_round *round, const struct il_settings *settings)
{
	return round->in_flight == 0 || (round->in_flight < settings->max_concurrent_probes &&
					 round->admitted < il_permitted_of(settings));
}

bool il_breaker_would_admit(const struct il_breaker *breaker, const struct il_settings *settings,
			    int64_t now_ns)
{
	if (breaker->state == IL_OPEN)
		return left_to_wait(breaker, now_ns) == 0;
	if (breaker->state == IL_HALF_OPEN)
		return has_room(&breaker->round, settings);
	return il_policy_of(breaker)->admits_all;
}

bool il_breaker_acquire(struct il_breaker *breaker, const struct il_settings *settings,
			int64_t now_ns, struct il_effects *ret_effects)
{
	il_effects_begin(ret_effects);
	if (!il_breaker_would_admit(breaker, settings, now_ns)) {
		il_effects_tell(ret_effects, breaker, IL_EVENT_REJECTED, IL_SUCCESS);
		return false;
	}
	if (breaker->state == IL_OPEN)
		il_enter_half_open(breaker, ret_effects);
	if (breaker->state == IL_HALF_OPEN) {
		breaker->round.admitted = up(breaker->round.admitted);
		breaker->round.in_flight = up(breaker->round.in_flight);
	}
	return true;
}

bool il_breaker_auto(struct il_breaker *breaker, int64_t now_ns, struct il_effects *ret_effects)
{
	il_effects_begin(ret_effects);
	if (breaker->state != IL_OPEN || left_to_wait(breaker, now_ns) > 0)
		return false;
	il_enter_half_open(breaker, ret_effects);
	return true;
}

static void end_probe(struct il_round *round, enum il_outcome outcome)
{
	round->in_flight = down(round->in_flight);
	round->completed = up(round->completed);
	if (IL_FAILED(outcome))
		round->failed = up(round->failed);
	if (IL_SLOW(outcome))
		round->slow = up(round->slow);
}

/* Puts a current outcome where the state wants it, and judges. */
static struct il_handle take(struct il_breaker *breaker, const struct il_settings *settings,
			     const void *cells, int64_t now_ns, enum il_outcome outcome,
			     struct il_effects *effects)
{
	struct il_handle handle = { .generation = breaker->generation,
				    .sequence = breaker->window.next,
				    .outcome = (uint8_t)outcome };

	if (il_policy_of(breaker)->records) {
		handle.place = PLACE_WINDOW;
		il_window_add(&breaker->window, settings, cells, now_ns, outcome, effects);
		handle.second = breaker->window.second;
	} else if (breaker->state == IL_HALF_OPEN) {
		handle.place = PLACE_ROUND;
		end_probe(&breaker->round, outcome);
	} else {
		return handle;
	}
	if (IL_FAILED(outcome))
		breaker->last_failure_ns = now_ns;
	if (handle.place == PLACE_ROUND)
		il_judge_round(breaker, settings, now_ns, effects);
	else
		il_judge_window(breaker, settings, now_ns, effects);
	return handle;
}

struct il_handle il_breaker_record(struct il_breaker *breaker, const struct il_settings *settings,
				   const void *cells, int64_t now_ns, uint64_t generation,
				   enum il_outcome outcome, struct il_effects *ret_effects)
{
	il_effects_begin(ret_effects);
	il_effects_tell(ret_effects, breaker, IL_EVENT_CALL, outcome);
	if (generation != breaker->generation)
		return (struct il_handle){ .generation = generation, .outcome = (uint8_t)outcome };
	return take(breaker, settings, cells, now_ns, outcome, ret_effects);
}

/* Does the handle stand for an outcome that counts in this generation? */
static bool is_current(const struct il_breaker *breaker, const struct il_handle *handle)
{
	if (handle->generation != breaker->generation)
		return false;
	if (handle->place == PLACE_ROUND)
		return breaker->state == IL_HALF_OPEN;
	return handle->place == PLACE_WINDOW && il_policy_of(breaker)->records;
}

static void replace_probe(struct il_round *round, enum il_outcome before, enum il_outcome after)
{
	struct il_tally tally = { round->completed, round->failed, round->slow };

	il_tally_replace(&tally, before, after);
	round->failed = (uint16_t)tally.failed;
	round->slow = (uint16_t)tally.slow;
}

/* An outcome of the past that counts no more, or never did, is news of now. */
static struct il_handle take_as_news(struct il_breaker *breaker, const struct il_settings *settings,
				     const void *cells, int64_t now_ns, struct il_handle handle,
				     enum il_outcome outcome, struct il_effects *effects)
{
	if (!il_policy_of(breaker)->records)
		return handle;
	il_effects_tell(effects, breaker, IL_EVENT_CALL, outcome);
	return take(breaker, settings, cells, now_ns, outcome, effects);
}

struct il_handle il_breaker_amend(struct il_breaker *breaker, const struct il_settings *settings,
				  const void *cells, int64_t now_ns, struct il_handle handle,
				  enum il_outcome outcome, struct il_effects *ret_effects)
{
	il_effects_begin(ret_effects);
	if (!is_current(breaker, &handle))
		return take_as_news(breaker, settings, cells, now_ns, handle, outcome, ret_effects);
	il_effects_tell(ret_effects, breaker, IL_EVENT_AMENDED, outcome);
	if (IL_FAILED(outcome))
		breaker->last_failure_ns = now_ns;
	if (handle.place == PLACE_ROUND) {
		replace_probe(&breaker->round, handle.outcome, outcome);
	} else {
		il_window_replace(&breaker->window, settings, cells, now_ns, &handle, outcome,
				  ret_effects);
		il_judge_window(breaker, settings, now_ns, ret_effects);
	}
	handle.outcome = (uint8_t)outcome;
	return handle;
}

static bool give_back(struct il_breaker *breaker, uint64_t generation)
{
	if (breaker->state != IL_HALF_OPEN || generation != breaker->generation)
		return false;
	breaker->round.in_flight = down(breaker->round.in_flight);
	breaker->round.admitted = down(breaker->round.admitted);
	return true;
}

void il_breaker_release(struct il_breaker *breaker, const struct il_settings *settings,
			int64_t now_ns, uint64_t generation, struct il_effects *ret_effects)
{
	il_effects_begin(ret_effects);
	if (give_back(breaker, generation))
		il_judge_round(breaker, settings, now_ns, ret_effects);
}

void il_breaker_inconclusive(struct il_breaker *breaker, const struct il_settings *settings,
			     int64_t now_ns, uint64_t generation, struct il_effects *ret_effects)
{
	il_effects_begin(ret_effects);
	if (!give_back(breaker, generation))
		return;
	breaker->round.inconclusive = up(breaker->round.inconclusive);
	il_judge_round(breaker, settings, now_ns, ret_effects);
}

void il_breaker_override(struct il_breaker *breaker, enum il_state state,
			 struct il_effects *ret_effects)
{
	il_effects_begin(ret_effects);
	if (state == IL_FORCED_OPEN || state == IL_DISABLED || state == IL_METRICS_ONLY)
		il_enter(breaker, state, IL_WHY_OPERATOR, (struct il_tally){ 0 }, ret_effects);
}

void il_breaker_reset(struct il_breaker *breaker, struct il_effects *ret_effects)
{
	il_effects_begin(ret_effects);
	breaker->last_failure_ns = -1;
	il_enter_closed(breaker, IL_WHY_OPERATOR, (struct il_tally){ 0 }, ret_effects);
	il_effects_tell(ret_effects, breaker, IL_EVENT_RESET, IL_SUCCESS);
}

void il_breaker_reconfigure(struct il_breaker *breaker, const struct il_settings *before,
			    const struct il_settings *after)
{
	if (before->window_type != after->window_type || before->window_size != after->window_size)
		il_window_clear(&breaker->window);
}

struct il_look il_breaker_look(const struct il_breaker *breaker, const struct il_settings *settings,
			       const void *cells, int64_t now_ns)
{
	struct il_window window = breaker->window;

	il_window_pass(&window, settings, cells, now_ns);
	return (struct il_look){
		.total = window.tally.total,
		.failed = window.tally.failed,
		.slow = window.tally.slow,
		.retry_after_ns = breaker->state == IL_OPEN ? left_to_wait(breaker, now_ns) : -1,
	};
}
