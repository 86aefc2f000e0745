/*
 * Random steps on the core and on the naive breaker of naive.h, compared after every step.
 * usage: model [STEPS [SEED]]    (300000 steps with a seed of its own choice)
 */
#include "naive.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define RUN_STEPS_MAX 1500 /* at most two entries of history a step: below HISTORY_MAX */
#define NS_PER_SECOND INT64_C(1000000000)

static struct {
	struct il_settings settings;
	struct il_breaker breaker;
	struct il_effects effects;
	uint64_t cells[IL_CELLS_BYTES_MAX / sizeof(uint64_t)];
	struct il_handle handles[RUN_STEPS_MAX];
	struct call calls[RUN_STEPS_MAX];
	size_t calls_count;
	uint64_t tickets[RUN_STEPS_MAX];
	size_t tickets_count;
	uint32_t failed_share, slow_share; /* of a hundred outcomes, in this run */
	uint64_t random;
	const char *step; /* what was done last */
	uint32_t differences;
} model;

/* What a long test must have seen to be worth its time. */
enum seen {
	SEEN_TRIP,
	SEEN_ROUND_PASSED,
	SEEN_ROUND_FAILED,
	SEEN_ROUND_INCONCLUSIVE,
	SEEN_PERMITTED_LOWERED,
	SEEN_LONGEST_WAIT,
	SEEN_AMENDED_ROUND,
	SEEN_AMENDED_TRIP,
	SEEN_AMENDED_NEWS,
	SEEN_AMENDED_NOTHING,
	SEEN_SECONDS_PASSED,
	SEEN_KINDS
};
static const char *const seen_names[SEEN_KINDS] = {
	[SEEN_TRIP] = "a window tripped",
	[SEEN_ROUND_PASSED] = "a round of probes passed",
	[SEEN_ROUND_FAILED] = "a round of probes failed",
	[SEEN_ROUND_INCONCLUSIVE] = "a round of probes told nothing",
	[SEEN_PERMITTED_LOWERED] = "a reload lowered the permitted calls below the completed ones",
	[SEEN_LONGEST_WAIT] = "a wait reached the end of the clock",
	[SEEN_AMENDED_ROUND] = "a probe was amended",
	[SEEN_AMENDED_TRIP] = "an amendment tripped the window",
	[SEEN_AMENDED_NEWS] = "an amendment was news",
	[SEEN_AMENDED_NOTHING] = "an amendment came too late",
	[SEEN_SECONDS_PASSED] = "calls left the window because time passed",
};
static uint64_t seen[SEEN_KINDS];

static uint64_t next_random(void)
{
	uint64_t z = model.random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* 0..limit-1 */
static uint32_t below(uint32_t limit)
{
	return (uint32_t)(next_random() % limit);
}

static bool chance(uint32_t of_a_hundred)
{
	return below(100) < of_a_hundred;
}

static double random_rate(void)
{
	static const double rates[] = { 0.01, 0.1, 0.25, 0.3, 1 / 3.0, 0.5, 0.6, 0.7, 0.9, 1.0 };

	return chance(90) ? rates[below(10)] : (below(1000000) + 1) / 1e6;
}

static int64_t random_wait(void)
{
	static const int64_t waits[] = {
		1,        7, NS_PER_SECOND / 64, NS_PER_SECOND, 60 * NS_PER_SECOND, INT64_MAX / 3,
		INT64_MAX
	};

	return waits[chance(85) ? below(5) : below(7)];
}

static struct il_settings random_settings(void)
{
	static const double multipliers[] = { 1, 1, 1.1, 1.5, 1.7, 2, 3, 10, 1000 };
	struct il_settings settings = il_settings_default();
	bool timed = chance(45);

	settings.failure_rate_threshold = random_rate();
	settings.slow_call_rate_threshold = random_rate();
	settings.wait_duration_backoff_multiplier = multipliers[below(9)];
	settings.wait_duration_in_open_ns = random_wait();
	settings.wait_duration_in_open_max_ns = 0;
	if (chance(30))
		settings.wait_duration_in_open_max_ns =
			settings.wait_duration_in_open_ns / 2 < INT64_MAX / 4
				? settings.wait_duration_in_open_ns * (1 + below(2)) + below(9)
				: INT64_MAX;
	settings.permitted_calls_in_half_open = chance(90) ? 1 + below(6) : 1 + below(1000);
	settings.max_concurrent_probes = 1 + below(settings.permitted_calls_in_half_open < 32
							   ? settings.permitted_calls_in_half_open
							   : 32);
	settings.window_type = timed ? IL_TIME_BASED : IL_COUNT_BASED;
	settings.window_size = chance(90) ? 1 + below(12) : 1 + below(timed ? 3600 : 10000);
	settings.minimum_number_of_calls = 0;
	if (chance(80))
		settings.minimum_number_of_calls =
			1 + below(timed || settings.window_size > 12 ? 12 : settings.window_size);
	il_settings_complete(&settings);
	return settings;
}

static enum il_outcome random_outcome(void)
{
	return (enum il_outcome)(chance(model.failed_share) + 2 * chance(model.slow_share));
}

/* Mostly a ticket that is out, given back; else any generation of these days. */
static uint64_t random_ticket(void)
{
	if (model.tickets_count > 0 && chance(90)) {
		size_t index =
			chance(70) ? model.tickets_count - 1 : below((uint32_t)model.tickets_count);
		uint64_t ticket = model.tickets[index];

		model.tickets[index] = model.tickets[--model.tickets_count];
		return ticket;
	}
	return naive_generation() - (chance(50) ? below(3) : 0);
}

static void fail(const char *what, uint64_t core, uint64_t plain)
{
	printf("# %s: core %" PRIu64 ", naive %" PRIu64 "\n", what, core, plain);
	model.differences++;
}

static void same(const char *what, uint64_t core, uint64_t plain)
{
	if (core != plain)
		fail(what, core, plain);
}

static void step_acquire(void)
{
	bool admitted =
		il_breaker_acquire(&model.breaker, &model.settings, naive.now_ns, &model.effects);

	same("admitted", admitted, naive_acquire());
	if (admitted)
		model.tickets[model.tickets_count++] = model.breaker.generation;
}

static void step_record(void)
{
	uint64_t ticket = random_ticket();
	enum il_outcome outcome = random_outcome();
	size_t index = model.calls_count++;

	model.handles[index] = il_breaker_record(&model.breaker, &model.settings, model.cells,
						 naive.now_ns, ticket, outcome, &model.effects);
	model.calls[index] = naive_record(ticket, outcome);
}

static void step_amend(void)
{
	enum il_outcome outcome = random_outcome();
	uint32_t count = (uint32_t)model.calls_count;
	size_t index;

	if (count == 0)
		return;
	index = chance(60) ? count - 1 - below(count < 4 ? count : 4) : below(count);
	model.handles[index] =
		il_breaker_amend(&model.breaker, &model.settings, model.cells, naive.now_ns,
				 model.handles[index], outcome, &model.effects);
	seen[SEEN_AMENDED_ROUND] += naive_state() == IL_HALF_OPEN &&
				    model.calls[index].probe >= 0 &&
				    model.calls[index].generation == naive_generation();
	model.calls[index] = naive_amend(model.calls[index], outcome);
	seen[SEEN_AMENDED_TRIP] +=
		naive.events_count == 2 && naive.events[0].kind == IL_EVENT_AMENDED;
	seen[SEEN_AMENDED_NEWS] += naive.events_count > 0 && naive.events[0].kind == IL_EVENT_CALL;
	seen[SEEN_AMENDED_NOTHING] += naive.events_count == 0;
}

static void step_release(void)
{
	uint64_t ticket = random_ticket();

	il_breaker_release(&model.breaker, &model.settings, naive.now_ns, ticket, &model.effects);
	naive_give_back(ticket, PROBE_RELEASED);
}

static void step_inconclusive(void)
{
	uint64_t ticket = random_ticket();

	il_breaker_inconclusive(&model.breaker, &model.settings, naive.now_ns, ticket,
				&model.effects);
	naive_give_back(ticket, PROBE_INCONCLUSIVE);
}

static void step_auto(void)
{
	bool moved = il_breaker_auto(&model.breaker, naive.now_ns, &model.effects);

	same("moved", moved, naive_auto());
}

static void step_override(void)
{
	enum il_state state = (enum il_state)(IL_FORCED_OPEN + below(3));

	il_breaker_override(&model.breaker, state, &model.effects);
	naive_override(state);
}

static void step_reset(void)
{
	il_breaker_reset(&model.breaker, &model.effects);
	naive_reset();
}

static void step_reconfigure(void)
{
	struct il_settings after = random_settings();
	uint32_t permitted = naive_round().tally.total;

	if (chance(60)) {
		after = model.settings;
		after.permitted_calls_in_half_open = permitted > 0 ? permitted : 1 + below(6);
		after.max_concurrent_probes = 1;
		seen[SEEN_PERMITTED_LOWERED] += permitted > 0;
	}
	il_breaker_reconfigure(&model.breaker, &model.settings, &after);
	model.settings = after;
	naive_reconfigure(&after);
}

static void step_advance(void)
{
	struct il_tally before = naive_window();
	int64_t to_second = NS_PER_SECOND - naive.now_ns % NS_PER_SECOND;
	int64_t steps[] = { 1,
			    below(2000000000),
			    to_second,
			    to_second - 1,
			    (int64_t)(naive.settings.window_size - 1) * NS_PER_SECOND,
			    (int64_t)naive.settings.window_size * NS_PER_SECOND,
			    naive_state() == IL_OPEN ? naive_left() : 0,
			    naive_state() == IL_OPEN ? naive_left() - 1 : 0 };
	int64_t step = steps[naive_state() == IL_OPEN ? 4 + below(4) : below(6)];

	if (step > 0 && step < INT64_MAX - naive.now_ns)
		naive.now_ns += step;
	seen[SEEN_SECONDS_PASSED] += naive_window().total < before.total;
}

static const struct {
	const char *name;
	void (*run)(void);
	uint32_t weight;
	bool decides; /* leaves effects */
} steps[] = {
	{ "acquire", step_acquire, 27, true }, { "record", step_record, 31, true },
	{ "amend", step_amend, 12, true },     { "advance", step_advance, 18, false },
	{ "auto", step_auto, 3, true },        { "inconclusive", step_inconclusive, 4, true },
	{ "release", step_release, 2, true },  { "override", step_override, 1, true },
	{ "reset", step_reset, 1, true },      { "reconfigure", step_reconfigure, 1, false },
};

static void note_seen(const struct il_event *event)
{
	if (event->kind != IL_EVENT_STATE_CHANGE)
		return;
	seen[SEEN_TRIP] += event->from == IL_CLOSED && event->to == IL_OPEN;
	seen[SEEN_ROUND_PASSED] += event->why == IL_WHY_CALLS;
	seen[SEEN_ROUND_FAILED] += event->from == IL_HALF_OPEN && event->to == IL_OPEN;
	seen[SEEN_ROUND_INCONCLUSIVE] += event->why == IL_WHY_INCONCLUSIVE;
	seen[SEEN_LONGEST_WAIT] += event->retry_after_ns == INT64_MAX;
}

static void compare_events(void)
{
	same("events", model.effects.events_count, naive.events_count);
	for (uint32_t i = 0; i < naive.events_count && i < model.effects.events_count; i++) {
		if (memcmp(&naive.events[i], &model.effects.events[i], sizeof(struct il_event)))
			fail("event of kind", model.effects.events[i].kind, naive.events[i].kind);
		note_seen(&naive.events[i]);
	}
}

static void compare_looks(void)
{
	struct il_look look =
		il_breaker_look(&model.breaker, &model.settings, model.cells, naive.now_ns);
	struct il_tally tally = naive_window();
	int64_t left = naive_state() == IL_OPEN ? naive_left() : -1;

	same("state", model.breaker.state, naive_state());
	same("generation", model.breaker.generation, naive_generation());
	same("total", look.total, tally.total);
	same("failed", look.failed, tally.failed);
	same("slow", look.slow, tally.slow);
	same("retry_after", (uint64_t)look.retry_after_ns, (uint64_t)left);
	same("would admit", il_breaker_would_admit(&model.breaker, &model.settings, naive.now_ns),
	     naive_would_admit());
}

static void step(void)
{
	uint32_t pick = below(100), i = 0;

	while (pick >= steps[i].weight)
		pick -= steps[i++].weight;
	model.step = steps[i].name;
	model.effects.events_count = 0;
	model.effects.cell_bytes = 0;
	naive.events_count = 0;
	steps[i].run();
	if (model.effects.cell_bytes > 0 &&
	    model.effects.cell_offset + model.effects.cell_bytes > il_cells_bytes(&model.settings))
		fail("cell offset", model.effects.cell_offset, 0);
	il_cells_store(model.cells, &model.effects);
	if (steps[i].decides)
		compare_events();
	compare_looks();
}

/* Half of the runs find the clock and the cells as the last one left them. */
static void start_run(void)
{
	static const int64_t starts[] = { 0, 1, 3600 * NS_PER_SECOND, INT64_MAX / 2,
					  INT64_MAX - 4000 * NS_PER_SECOND };
	int64_t now_ns = naive.now_ns;

	if (chance(50)) {
		now_ns = starts[below(5)];
		for (size_t i = 0; i < sizeof(model.cells) / sizeof(model.cells[0]); i++)
			model.cells[i] = next_random();
	}
	model.settings = random_settings();
	model.settings.initial_state = chance(70) ? IL_CLOSED : IL_FORCED_OPEN + below(3);
	model.failed_share = below(5) * 25;
	model.slow_share = below(5) * 25;
	model.calls_count = model.tickets_count = 0;
	il_breaker_init(&model.breaker, &model.settings);
	naive_init(&model.settings, now_ns);
}

static bool run_steps(uint64_t count, uint64_t seed)
{
	uint32_t left = 0;

	model.random = seed;
	for (uint64_t done = 0; done < count; done++, left--) {
		if (left == 0) {
			start_run();
			left = 100 + below(RUN_STEPS_MAX - 100);
		}
		step();
		if (model.differences > 0) {
			printf("# at step %" PRIu64 " (%s); again with: model %" PRIu64 " %" PRIu64
			       "\n",
			       done + 1, model.step, done + 1, seed);
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 300000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
	bool good = run_steps(count, seed);

	printf("%s 1 - %" PRIu64 " random steps agree with the naive breaker (seed %" PRIu64 ")\n",
	       good ? "ok" : "not ok", count, seed);
	for (int i = 0; good && count >= 300000 && i < SEEN_KINDS; i++)
		if (seen[i] == 0) {
			printf("not ok %d - %s\n", i + 2, seen_names[i]);
			good = false;
		} else {
			printf("ok %d - %s (%" PRIu64 " times)\n", i + 2, seen_names[i], seen[i]);
		}
	return !good;
}
