#include "core/transitions.h"

#include "core/backoff.h"
#include "core/window.h"

static const struct il_policy policies[IL_STATES] = {
	[IL_CLOSED] = { .admits_all = true, .records = true, .trips = true },
	[IL_OPEN] = { 0 },
	[IL_HALF_OPEN] = { 0 },
	[IL_FORCED_OPEN] = { 0 },
	[IL_DISABLED] = { .admits_all = true },
	[IL_METRICS_ONLY] = { .admits_all = true, .records = true },
};

const struct il_policy *il_policy_of(const struct il_breaker *breaker)
{
	return &policies[breaker->state < IL_STATES ? breaker->state : IL_DISABLED];
}

uint32_t il_permitted_of(const struct il_settings *settings)
{
	uint32_t permitted = settings->permitted_calls_in_half_open;

	return permitted < 1 ? 1 : permitted < IL_PROBES_MAX ? permitted : IL_PROBES_MAX;
}

void il_effects_begin(struct il_effects *effects)
{
	effects->events_count = 0;
	effects->cell_bytes = 0;
	effects->cell_offset = 0;
	effects->reserved = 0;
}

static void tell(struct il_effects *effects, const struct il_event *event)
{
	if (effects->events_count < IL_EVENTS_MAX)
		effects->events[effects->events_count++] = *event;
}

void il_effects_tell(struct il_effects *effects, const struct il_breaker *breaker,
		     enum il_event_kind kind, enum il_outcome outcome)
{
	tell(effects, &(struct il_event){
			      .kind = (uint8_t)kind,
			      .from = breaker->state,
			      .to = breaker->state,
			      .outcome = (uint8_t)outcome,
			      .generation = breaker->generation,
			      .retry_after_ns = -1,
		      });
}

/* The only way into a state. Every ticket that is out becomes one of the past. */
void il_enter(struct il_breaker *breaker, enum il_state to, enum il_why why, struct il_tally tally,
	      struct il_effects *effects)
{
	uint8_t from = breaker->state;

	breaker->state = (uint8_t)to;
	breaker->generation++;
	breaker->round = (struct il_round){ 0 };
	if (from == to)
		return;
	tell(effects, &(struct il_event){
			      .kind = IL_EVENT_STATE_CHANGE,
			      .from = from,
			      .to = (uint8_t)to,
			      .why = (uint8_t)why,
			      .calls = tally.total,
			      .failed = tally.failed,
			      .slow = tally.slow,
			      .generation = breaker->generation,
			      .retry_after_ns = to == IL_OPEN ? breaker->wait_ns : -1,
		      });
}

static void enter_open(struct il_breaker *breaker, const struct il_settings *settings,
		       int64_t now_ns, enum il_why why, struct il_tally tally,
		       struct il_effects *effects)
{
	breaker->opened_at_ns = now_ns;
	breaker->wait_ns = il_backoff_wait_ns(settings, breaker->failed_rounds);
	il_enter(breaker, IL_OPEN, why, tally, effects);
}

void il_enter_closed(struct il_breaker *breaker, enum il_why why, struct il_tally tally,
		     struct il_effects *effects)
{
	breaker->failed_rounds = 0;
	il_window_clear(&breaker->window);
	il_enter(breaker, IL_CLOSED, why, tally, effects);
}

void il_enter_half_open(struct il_breaker *breaker, struct il_effects *effects)
{
	il_enter(breaker, IL_HALF_OPEN, IL_WHY_WAIT, (struct il_tally){ 0 }, effects);
}

/* The quotients are doubles: a product would miss 7 of 25 at 0.28, a float 7 of 10 at 0.7. */
static bool is_bad(struct il_tally tally, const struct il_settings *settings, enum il_why *ret_why)
{
	if (tally.total == 0)
		return false;
	if ((double)tally.failed / tally.total >= settings->failure_rate_threshold) {
		*ret_why = IL_WHY_FAILURE_RATE;
		return true;
	}
	if ((double)tally.slow / tally.total >= settings->slow_call_rate_threshold) {
		*ret_why = IL_WHY_SLOW_RATE;
		return true;
	}
	return false;
}

/* Do the outcomes in the window reach a threshold? */
static bool is_over(const struct il_breaker *breaker, const struct il_settings *settings,
		    enum il_why *ret_why)
{
	struct il_tally tally = breaker->window.tally;

	return tally.total >= settings->minimum_number_of_calls &&
	       is_bad(tally, settings, ret_why);
}

void il_judge_window(struct il_breaker *breaker, const struct il_settings *settings, int64_t now_ns,
		     struct il_effects *effects)
{
	enum il_why why = IL_WHY_CALLS;

	if (il_policy_of(breaker)->trips && is_over(breaker, settings, &why))
		enter_open(breaker, settings, now_ns, why, breaker->window.tally, effects);
}

bool il_breaker_is_over(const struct il_breaker *breaker, const struct il_settings *settings)
{
	enum il_why why;

	return is_over(breaker, settings, &why);
}

void il_judge_round(struct il_breaker *breaker, const struct il_settings *settings, int64_t now_ns,
		    struct il_effects *effects)
{
	const struct il_round *round = &breaker->round;
	struct il_tally tally = { round->completed, round->failed, round->slow };
	bool over = round->completed >= il_permitted_of(settings);
	enum il_why why = IL_WHY_INCONCLUSIVE;

	if (over && !is_bad(tally, settings, &why)) {
		il_enter_closed(breaker, IL_WHY_CALLS, tally, effects);
	} else if (over || round->inconclusive >= il_permitted_of(settings)) {
		if (breaker->failed_rounds < IL_BACKOFF_ROUNDS_MAX)
			breaker->failed_rounds++;
		enter_open(breaker, settings, now_ns, why, tally, effects);
	}
}
