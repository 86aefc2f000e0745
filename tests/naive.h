/*
 * The breaker once more, as slow and plain as can be: everything that ever happened is kept, and
 * whatever is asked is counted anew from that. tests/model.c compares it with the core.
 */
#ifndef IL_TESTS_NAIVE_H
#define IL_TESTS_NAIVE_H

#include <stdlib.h>
#include <string.h>

#include "interlock/breaker.h"

#define HISTORY_MAX 8192 /* of each kind in one run; the driver stays below */

/* The state was set; the generation is the number of times that happened. */
struct arrival {
	enum il_state from, to;
	int64_t at_ns, wait_ns;
};

struct recorded {
	uint32_t window; /* which: it is emptied now and then */
	int64_t at_ns;
	enum il_outcome outcome;
};

enum probe_news { PROBE_ADMITTED, PROBE_COMPLETED, PROBE_RELEASED, PROBE_INCONCLUSIVE };
struct probe {
	uint64_t generation;
	enum probe_news news;
	enum il_outcome outcome;
};

/* A record operation: where its outcome stands, if anywhere. */
struct call {
	uint64_t generation;
	long recorded, probe; /* index, or -1 */
};

static struct naive {
	struct il_settings settings;
	enum il_state initial;
	int64_t now_ns;
	uint32_t window;
	struct arrival arrivals[HISTORY_MAX];
	struct recorded recorded[HISTORY_MAX];
	struct probe probes[HISTORY_MAX];
	long arrivals_count, recorded_count, probes_count;
	struct il_event events[IL_EVENTS_MAX];
	uint32_t events_count;
} naive;

struct round_count {
	uint32_t admitted, in_flight, inconclusive;
	struct il_tally tally;
};

static uint64_t naive_generation(void)
{
	return (uint64_t)naive.arrivals_count;
}

static enum il_state naive_state(void)
{
	return naive.arrivals_count > 0 ? naive.arrivals[naive.arrivals_count - 1].to
					: naive.initial;
}

static bool naive_records(void)
{
	return naive_state() == IL_CLOSED || naive_state() == IL_METRICS_ONLY;
}

static void count_outcome(struct il_tally *tally, enum il_outcome outcome)
{
	tally->total++;
	tally->failed += outcome == IL_FAILURE || outcome == IL_SLOW_FAILURE;
	tally->slow += outcome == IL_SLOW_SUCCESS || outcome == IL_SLOW_FAILURE;
}

/* Is that outcome in the window now? */
static bool is_live(long index)
{
	if (naive.recorded[index].window != naive.window)
		return false;
	if (naive.settings.window_type == IL_TIME_BASED)
		return naive.recorded[index].at_ns / 1000000000 >
		       naive.now_ns / 1000000000 - (int64_t)naive.settings.window_size;
	return naive.recorded_count - index <= (long)naive.settings.window_size;
}

static struct il_tally naive_window(void)
{
	struct il_tally tally = { 0 };

	for (long i = naive.recorded_count - 1; i >= 0 && is_live(i); i--)
		count_outcome(&tally, naive.recorded[i].outcome);
	return tally;
}

static struct round_count naive_round(void)
{
	struct round_count round = { 0 };

	for (long i = 0; i < naive.probes_count; i++) {
		const struct probe *probe = &naive.probes[i];

		if (probe->generation != naive_generation())
			continue;
		if (probe->news == PROBE_ADMITTED) {
			round.admitted++;
			round.in_flight++;
			continue;
		}
		round.in_flight -= round.in_flight > 0;
		if (probe->news == PROBE_COMPLETED)
			count_outcome(&round.tally, probe->outcome);
		else
			round.admitted -= round.admitted > 0;
		round.inconclusive += probe->news == PROBE_INCONCLUSIVE;
	}
	return round;
}

/* Rounds of probes that failed since the breaker was last CLOSED. */
static uint32_t naive_failed_rounds(void)
{
	uint32_t failed = 0;

	for (long i = naive.arrivals_count - 1; i >= 0 && naive.arrivals[i].to != IL_CLOSED; i--)
		failed += naive.arrivals[i].to == IL_OPEN && naive.arrivals[i].from == IL_HALF_OPEN;
	return failed;
}

/* wait * multiplier^n in decimal, nine digits a limb, as on paper. */
#define LIMBS 144
static int64_t naive_wait(uint32_t rounds)
{
	uint64_t limb[LIMBS] = { 0 };
	uint64_t factor = (uint64_t)(naive.settings.wait_duration_backoff_multiplier * 0x1p52);
	int64_t most = naive.settings.wait_duration_in_open_max_ns;
	uint64_t value = 0;

	rounds = rounds < 64 ? rounds : 64;
	for (int64_t rest = naive.settings.wait_duration_in_open_ns, i = 0; rest > 0; i++) {
		limb[i] = (uint64_t)rest % 1000000000;
		rest /= 1000000000;
	}
	for (uint32_t n = 0; n < rounds; n++) {
		__extension__ unsigned __int128 carry = 0;

		for (int i = 0; i < LIMBS; i++) {
			carry += (unsigned __int128)limb[i] * factor;
			limb[i] = (uint64_t)(carry % 1000000000);
			carry /= 1000000000;
		}
	}
	for (uint32_t n = 0; n < rounds * 2; n++) {
		uint64_t rest = 0; /* 2^52 in two steps */

		for (int i = LIMBS - 1; i >= 0; i--) {
			rest = rest * 1000000000 + limb[i];
			limb[i] = rest >> 26;
			rest &= ((uint64_t)1 << 26) - 1;
		}
	}
	for (int i = LIMBS - 1; i >= 0; i--)
		if (__builtin_mul_overflow(value, 1000000000, &value) ||
		    __builtin_add_overflow(value, limb[i], &value))
			return most;
	return value < (uint64_t)most ? (int64_t)value : most;
}

static int64_t naive_left(void)
{
	const struct arrival *opened = &naive.arrivals[naive.arrivals_count - 1];
	int64_t elapsed = naive.now_ns - opened->at_ns;

	return elapsed < opened->wait_ns ? opened->wait_ns - elapsed : 0;
}

static struct il_event *naive_event(enum il_event_kind kind, enum il_outcome outcome)
{
	struct il_event *event = &naive.events[naive.events_count++];

	*event = (struct il_event){ .kind = (uint8_t)kind,
				    .from = (uint8_t)naive_state(),
				    .to = (uint8_t)naive_state(),
				    .outcome = (uint8_t)outcome,
				    .generation = naive_generation(),
				    .retry_after_ns = -1 };
	return event;
}

static void naive_arrive(enum il_state to, enum il_why why, struct il_tally tally)
{
	enum il_state from = naive_state();
	struct arrival *arrival = &naive.arrivals[naive.arrivals_count++];
	struct il_event *event;

	*arrival = (struct arrival){ from, to, naive.now_ns, -1 };
	if (to == IL_OPEN)
		arrival->wait_ns = naive_wait(naive_failed_rounds());
	if (to == IL_CLOSED)
		naive.window++;
	if (from == to)
		return;
	event = naive_event(IL_EVENT_STATE_CHANGE, IL_SUCCESS);
	event->from = (uint8_t)from;
	event->why = (uint8_t)why;
	event->calls = tally.total;
	event->failed = tally.failed;
	event->slow = tally.slow;
	event->retry_after_ns = arrival->wait_ns;
}

static bool over_failure(struct il_tally tally)
{
	return (double)tally.failed / (double)tally.total >= naive.settings.failure_rate_threshold;
}

static bool over_slow(struct il_tally tally)
{
	return (double)tally.slow / (double)tally.total >= naive.settings.slow_call_rate_threshold;
}

static void naive_judge_window(void)
{
	struct il_tally tally = naive_window();

	if (naive_state() != IL_CLOSED || tally.total < naive.settings.minimum_number_of_calls)
		return;
	if (over_failure(tally))
		naive_arrive(IL_OPEN, IL_WHY_FAILURE_RATE, tally);
	else if (over_slow(tally))
		naive_arrive(IL_OPEN, IL_WHY_SLOW_RATE, tally);
}

static void naive_judge_round(void)
{
	struct round_count round = naive_round();
	uint32_t permitted = naive.settings.permitted_calls_in_half_open;

	if (round.tally.total >= permitted && over_failure(round.tally))
		naive_arrive(IL_OPEN, IL_WHY_FAILURE_RATE, round.tally);
	else if (round.tally.total >= permitted && over_slow(round.tally))
		naive_arrive(IL_OPEN, IL_WHY_SLOW_RATE, round.tally);
	else if (round.tally.total >= permitted)
		naive_arrive(IL_CLOSED, IL_WHY_CALLS, round.tally);
	else if (round.inconclusive >= permitted)
		naive_arrive(IL_OPEN, IL_WHY_INCONCLUSIVE, round.tally);
}

static void naive_add_probe(enum probe_news news, enum il_outcome outcome)
{
	naive.probes[naive.probes_count++] = (struct probe){ naive_generation(), news, outcome };
}

static bool naive_would_admit(void)
{
	struct round_count round = naive_round();

	switch (naive_state()) {
	case IL_OPEN:
		return naive_left() == 0;
	case IL_HALF_OPEN:
		return round.in_flight == 0 ||
		       (round.in_flight < naive.settings.max_concurrent_probes &&
			round.admitted < naive.settings.permitted_calls_in_half_open);
	default:
		return naive_state() != IL_FORCED_OPEN;
	}
}

static bool naive_acquire(void)
{
	if (!naive_would_admit()) {
		naive_event(IL_EVENT_REJECTED, IL_SUCCESS);
		return false;
	}
	if (naive_state() == IL_OPEN)
		naive_arrive(IL_HALF_OPEN, IL_WHY_WAIT, (struct il_tally){ 0 });
	if (naive_state() == IL_HALF_OPEN)
		naive_add_probe(PROBE_ADMITTED, IL_SUCCESS);
	return true;
}

static struct call naive_take(enum il_outcome outcome)
{
	struct call call = { naive_generation(), -1, -1 };

	if (naive_records()) {
		call.recorded = naive.recorded_count++;
		naive.recorded[call.recorded] =
			(struct recorded){ naive.window, naive.now_ns, outcome };
		naive_judge_window();
	} else if (naive_state() == IL_HALF_OPEN) {
		call.probe = naive.probes_count;
		naive_add_probe(PROBE_COMPLETED, outcome);
		naive_judge_round();
	}
	return call;
}

static struct call naive_record(uint64_t generation, enum il_outcome outcome)
{
	naive_event(IL_EVENT_CALL, outcome);
	if (generation != naive_generation())
		return (struct call){ generation, -1, -1 };
	return naive_take(outcome);
}

static struct call naive_amend(struct call call, enum il_outcome outcome)
{
	bool counts = call.recorded >= 0 || call.probe >= 0;

	if (!counts || call.generation != naive_generation()) {
		if (!naive_records())
			return call;
		naive_event(IL_EVENT_CALL, outcome);
		return naive_take(outcome);
	}
	naive_event(IL_EVENT_AMENDED, outcome);
	if (call.probe >= 0)
		naive.probes[call.probe].outcome = outcome;
	else if (is_live(call.recorded))
		naive.recorded[call.recorded].outcome = outcome;
	naive_judge_window();
	return call;
}

static void naive_give_back(uint64_t generation, enum probe_news news)
{
	if (naive_state() != IL_HALF_OPEN || generation != naive_generation())
		return;
	naive_add_probe(news, IL_SUCCESS);
	naive_judge_round();
}

static bool naive_auto(void)
{
	if (naive_state() != IL_OPEN || naive_left() > 0)
		return false;
	naive_arrive(IL_HALF_OPEN, IL_WHY_WAIT, (struct il_tally){ 0 });
	return true;
}

static void naive_override(enum il_state state)
{
	naive_arrive(state, IL_WHY_OPERATOR, (struct il_tally){ 0 });
}

static void naive_reset(void)
{
	naive_arrive(IL_CLOSED, IL_WHY_OPERATOR, (struct il_tally){ 0 });
	naive_event(IL_EVENT_RESET, IL_SUCCESS);
}

static void naive_reconfigure(const struct il_settings *after)
{
	if (naive.settings.window_type != after->window_type ||
	    naive.settings.window_size != after->window_size)
		naive.window++;
	naive.settings = *after;
}

static void naive_init(const struct il_settings *settings, int64_t now_ns)
{
	memset(&naive, 0, sizeof(naive));
	naive.settings = *settings;
	naive.initial = (enum il_state)settings->initial_state;
	naive.now_ns = now_ns;
}

#endif
