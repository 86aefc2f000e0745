#include "breaker_kit.h"

static const enum il_state every_state[] = { IL_CLOSED,      IL_OPEN,     IL_HALF_OPEN,
					     IL_FORCED_OPEN, IL_DISABLED, IL_METRICS_ONLY };

/* In that state, with a window of one failed call where the way there allows it. */
static void given_state(enum il_state state)
{
	if (state == IL_OPEN || state == IL_HALF_OPEN) {
		given_open(given_settings());
		it.now_ns += 60 * SECONDS;
		if (state == IL_HALF_OPEN)
			ck_assert(automatic());
		return;
	}
	given_breaker(given_settings());
	record(IL_FAILURE);
	if (state != IL_CLOSED)
		override(state);
}

START_TEST(a_fresh_breaker_is_in_its_initial_state_without_an_event)
{
	struct il_settings settings = given_settings();

	settings.initial_state = IL_METRICS_ONLY;
	given_breaker(settings);
	assert_state(IL_METRICS_ONLY, 0);
	assert_window(0, 0, 0);
	ck_assert_int_eq(it.breaker.last_failure_ns, -1);
}
END_TEST

START_TEST(a_state_that_needs_a_history_is_no_initial_state)
{
	struct il_settings settings = given_settings();

	for (uint32_t state = IL_OPEN; state <= IL_HALF_OPEN; state++) {
		settings.initial_state = state;
		il_breaker_init(&it.breaker, &settings);
		ck_assert_int_eq(it.breaker.state, IL_CLOSED);
	}
	settings.initial_state = IL_STATES;
	il_breaker_init(&it.breaker, &settings);
	ck_assert_int_eq(it.breaker.state, IL_CLOSED);
}
END_TEST

START_TEST(nothing_trips_below_the_minimum)
{
	given_breaker(given_settings());
	record_times(9, IL_FAILURE);
	assert_state(IL_CLOSED, 0);
	record(IL_FAILURE);
	assert_state(IL_OPEN, 1);
}
END_TEST

START_TEST(a_success_that_reaches_the_minimum_trips)
{
	given_breaker(given_settings());
	record_times(5, IL_FAILURE);
	record_times(4, IL_SUCCESS);
	assert_state(IL_CLOSED, 0);
	record(IL_SUCCESS);
	assert_state(IL_OPEN, 1);
}
END_TEST

START_TEST(three_of_ten_reach_a_threshold_of_0_3)
{
	struct il_settings settings = given_settings();

	settings.failure_rate_threshold = 0.3;
	given_breaker(settings);
	record_times(3, IL_FAILURE);
	record_times(7, IL_SUCCESS);
	assert_state(IL_OPEN, 1);
}
END_TEST

START_TEST(seven_of_25_reach_a_threshold_of_0_28_and_7_of_10_one_of_0_7)
{
	struct il_settings settings = given_settings();

	settings.failure_rate_threshold = 0.28;
	settings.window_size = settings.minimum_number_of_calls = 25;
	given_breaker(settings);
	record_times(7, IL_FAILURE);
	record_times(18, IL_SUCCESS);
	assert_state(IL_OPEN, 1);
	settings.failure_rate_threshold = 0.7;
	settings.minimum_number_of_calls = 10;
	given_breaker(settings);
	record_times(3, IL_SUCCESS);
	record_times(7, IL_FAILURE);
	assert_state(IL_OPEN, 1);
}
END_TEST

START_TEST(one_of_three_reaches_a_threshold_of_a_third)
{
	struct il_settings settings = given_settings();

	settings.failure_rate_threshold = 1 / 3.0;
	settings.minimum_number_of_calls = 3;
	given_breaker(settings);
	record_times(2, IL_SUCCESS);
	record(IL_FAILURE);
	assert_state(IL_OPEN, 1);
}
END_TEST

START_TEST(a_rate_just_below_the_threshold_does_not_trip)
{
	struct il_settings settings = given_settings();

	settings.failure_rate_threshold = 0.30000000000000004;
	given_breaker(settings);
	record_times(3, IL_FAILURE);
	record_times(7, IL_SUCCESS);
	assert_state(IL_CLOSED, 0);
}
END_TEST

START_TEST(slow_calls_trip_by_their_own_threshold)
{
	struct il_settings settings = given_settings();

	settings.slow_call_rate_threshold = 0.2;
	given_breaker(settings);
	record_times(8, IL_SUCCESS);
	record_times(2, IL_SLOW_SUCCESS);
	assert_state(IL_OPEN, 1);
	ck_assert_int_eq(it.effects.events[1].why, IL_WHY_SLOW_RATE);
	ck_assert_int_eq(it.effects.events[1].slow, 2);
}
END_TEST

START_TEST(failed_and_slow_are_counted_apart)
{
	given_breaker(given_settings());
	record(IL_SUCCESS);
	record(IL_FAILURE);
	record(IL_SLOW_SUCCESS);
	record(IL_SLOW_FAILURE);
	assert_window(4, 2, 2);
}
END_TEST

START_TEST(a_trip_tells_the_call_and_then_the_change_with_its_numbers)
{
	given_breaker(given_settings());
	record_times(4, IL_SUCCESS);
	record_times(5, IL_FAILURE);
	record(IL_SLOW_FAILURE);
	ck_assert_uint_eq(it.effects.events_count, 2);

	const struct il_event *call = &it.effects.events[0], *change = &it.effects.events[1];

	ck_assert_int_eq(call->kind, IL_EVENT_CALL);
	ck_assert_int_eq(call->outcome, IL_SLOW_FAILURE);
	ck_assert_int_eq(call->to, IL_CLOSED);
	ck_assert_uint_eq(call->generation, 0);
	ck_assert_int_eq(call->retry_after_ns, -1);
	ck_assert_int_eq(change->kind, IL_EVENT_STATE_CHANGE);
	ck_assert_int_eq(change->from, IL_CLOSED);
	ck_assert_int_eq(change->to, IL_OPEN);
	ck_assert_int_eq(change->why, IL_WHY_FAILURE_RATE);
	ck_assert_uint_eq(change->calls, 10);
	ck_assert_uint_eq(change->failed, 6);
	ck_assert_uint_eq(change->slow, 1);
	ck_assert_uint_eq(change->generation, 1);
	ck_assert_int_eq(change->retry_after_ns, 60 * SECONDS);
}
END_TEST

START_TEST(an_open_breaker_rejects_until_its_wait_is_over)
{
	given_open(given_settings());
	it.now_ns += 60 * SECONDS - 1;
	ck_assert(!acquire());
	ck_assert_uint_eq(it.effects.events_count, 1);
	ck_assert_int_eq(it.effects.events[0].kind, IL_EVENT_REJECTED);
	ck_assert_int_eq(it.effects.events[0].to, IL_OPEN);
	assert_state(IL_OPEN, 1);
	it.now_ns += 1;
	ck_assert(acquire());
	assert_state(IL_HALF_OPEN, 2);
}
END_TEST

START_TEST(the_first_call_after_the_wait_is_probe_1)
{
	given_first_probe(given_settings());
	ck_assert_uint_eq(it.breaker.round.admitted, 1);
	ck_assert_uint_eq(it.breaker.round.in_flight, 1);
	ck_assert_uint_eq(it.effects.events_count, 1);
	ck_assert_int_eq(it.effects.events[0].kind, IL_EVENT_STATE_CHANGE);
	ck_assert_int_eq(it.effects.events[0].why, IL_WHY_WAIT);
	ck_assert_int_eq(it.effects.events[0].from, IL_OPEN);
	ck_assert_int_eq(it.effects.events[0].to, IL_HALF_OPEN);
	ck_assert_int_eq(it.effects.events[0].retry_after_ns, -1);
	ck_assert(!acquire());
}
END_TEST

START_TEST(retry_after_shrinks_to_nothing_and_is_none_elsewhere)
{
	for (size_t i = 0; i < 6; i++) {
		given_state(every_state[i]);
		ck_assert_int_eq(look().retry_after_ns, every_state[i] == IL_OPEN ? 0 : -1);
	}
	given_open(given_settings());
	ck_assert_int_eq(look().retry_after_ns, 60 * SECONDS);
	it.now_ns += 60 * SECONDS - 1;
	ck_assert_int_eq(look().retry_after_ns, 1);
	it.now_ns += 3600 * SECONDS;
	ck_assert_int_eq(look().retry_after_ns, 0);
}
END_TEST

START_TEST(a_clock_read_before_the_opening_waits_the_whole_wait)
{
	given_breaker(given_settings());
	it.now_ns = 5 * SECONDS;
	record_times(10, IL_FAILURE);
	it.now_ns = 4 * SECONDS;
	ck_assert_int_eq(look().retry_after_ns, 60 * SECONDS);
	ck_assert(!acquire());
}
END_TEST

START_TEST(each_state_admits_what_its_row_says)
{
	for (size_t i = 0; i < 6; i++) {
		given_state(every_state[i]);
		ck_assert_int_eq(acquire(), every_state[i] != IL_FORCED_OPEN);
	}
}
END_TEST

START_TEST(each_state_records_what_its_row_says)
{
	for (size_t i = 0; i < 6; i++) {
		enum il_state state = every_state[i];
		bool records = state == IL_CLOSED || state == IL_METRICS_ONLY;

		given_state(state);

		uint32_t before = look().total;

		record(IL_SUCCESS);
		ck_assert_uint_eq(look().total, before + records);
		ck_assert_int_eq(it.effects.events[0].kind, IL_EVENT_CALL);
	}
}
END_TEST

START_TEST(metrics_only_never_trips_and_goes_on_with_the_window_it_finds)
{
	given_breaker(given_settings());
	record_times(4, IL_FAILURE);
	override(IL_METRICS_ONLY);
	record_times(20, IL_FAILURE);
	assert_state(IL_METRICS_ONLY, 1);
	assert_window(10, 10, 0);
}
END_TEST

START_TEST(an_outcome_of_an_older_generation_changes_nothing_but_is_an_event)
{
	given_breaker(given_settings());
	record_times(3, IL_FAILURE);
	override(IL_METRICS_ONLY);

	struct il_breaker before = it.breaker;

	record_of(0, IL_FAILURE);
	ck_assert_mem_eq(&before, &it.breaker, sizeof(before));
	ck_assert_uint_eq(it.effects.events_count, 1);
	ck_assert_int_eq(it.effects.events[0].kind, IL_EVENT_CALL);
	ck_assert_int_eq(it.effects.events[0].outcome, IL_FAILURE);
	ck_assert_uint_eq(it.effects.cell_bytes, 0);
}
END_TEST

START_TEST(an_outcome_of_a_generation_to_come_changes_nothing)
{
	given_breaker(given_settings());
	record_of(1, IL_FAILURE);
	assert_window(0, 0, 0);
}
END_TEST

START_TEST(the_generation_grows_with_every_override_and_reset)
{
	given_breaker(given_settings());
	reset();
	assert_state(IL_CLOSED, 1);
	override(IL_DISABLED);
	assert_state(IL_DISABLED, 2);
	override(IL_DISABLED);
	assert_state(IL_DISABLED, 3);
	override(IL_FORCED_OPEN);
	assert_state(IL_FORCED_OPEN, 4);
	reset();
	assert_state(IL_CLOSED, 5);
}
END_TEST

START_TEST(a_repeated_override_is_no_change_of_state)
{
	given_breaker(given_settings());
	override(IL_FORCED_OPEN);
	ck_assert_uint_eq(it.effects.events_count, 1);
	ck_assert_int_eq(it.effects.events[0].why, IL_WHY_OPERATOR);
	override(IL_FORCED_OPEN);
	ck_assert_uint_eq(it.effects.events_count, 0);
}
END_TEST

START_TEST(what_is_no_override_overrides_nothing)
{
	given_breaker(given_settings());
	override(IL_OPEN);
	override(IL_HALF_OPEN);
	override(IL_CLOSED);
	override(IL_STATES);
	assert_state(IL_CLOSED, 0);
}
END_TEST

START_TEST(an_override_stays_until_the_operator_acts)
{
	static const enum il_state overrides[] = { IL_FORCED_OPEN, IL_DISABLED, IL_METRICS_ONLY };

	for (size_t i = 0; i < 3; i++) {
		given_breaker(given_settings());
		override(overrides[i]);
		record_times(30, IL_FAILURE);
		release_of(1);
		inconclusive_of(1);
		it.now_ns += 7200 * SECONDS;
		acquire();
		ck_assert(!automatic());
		assert_state(overrides[i], 1);
	}
}
END_TEST

START_TEST(forced_open_tells_of_its_rejections)
{
	given_state(IL_FORCED_OPEN);
	ck_assert(!acquire());
	ck_assert_int_eq(it.effects.events[0].kind, IL_EVENT_REJECTED);
	ck_assert_int_eq(it.effects.events[0].to, IL_FORCED_OPEN);
}
END_TEST

START_TEST(disabled_and_forced_open_leave_the_window_as_it_is)
{
	given_breaker(given_settings());
	record_times(3, IL_FAILURE);
	override(IL_DISABLED);
	record_times(3, IL_FAILURE);
	override(IL_FORCED_OPEN);
	record_times(3, IL_FAILURE);
	assert_window(3, 3, 0);
	override(IL_METRICS_ONLY);
	record(IL_SUCCESS);
	assert_window(4, 3, 0);
}
END_TEST

START_TEST(a_reset_closes_and_forgets_in_every_state)
{
	for (size_t i = 0; i < 6; i++) {
		given_state(every_state[i]);

		uint64_t generation = it.breaker.generation;
		bool changes = every_state[i] != IL_CLOSED;

		ck_assert_int_ne(it.breaker.last_failure_ns, -1);
		reset();
		assert_state(IL_CLOSED, generation + 1);
		assert_window(0, 0, 0);
		ck_assert_int_eq(it.breaker.last_failure_ns, -1);
		ck_assert_uint_eq(it.effects.events_count, 1 + changes);
		ck_assert_int_eq(it.effects.events[changes].kind, IL_EVENT_RESET);
		ck_assert_int_eq(it.effects.events[changes].to, IL_CLOSED);
		ck_assert_int_eq(it.effects.events[0].from, changes ? every_state[i] : IL_CLOSED);
		ck_assert_int_eq(it.effects.events[0].why, changes ? IL_WHY_OPERATOR : 0);
	}
}
END_TEST

START_TEST(the_last_failure_is_remembered_wherever_it_is_recorded)
{
	struct il_handle handle;

	given_breaker(given_settings());
	it.now_ns = 1;
	handle = record(IL_SUCCESS);
	ck_assert_int_eq(it.breaker.last_failure_ns, -1);
	it.now_ns = 2;
	amend(handle, IL_FAILURE);
	ck_assert_int_eq(it.breaker.last_failure_ns, 2);
	it.now_ns = 3;
	record(IL_SLOW_FAILURE);
	ck_assert_int_eq(it.breaker.last_failure_ns, 3);
	it.now_ns = 4;
	record_of(7, IL_FAILURE);
	amend(handle, IL_SLOW_SUCCESS);
	ck_assert_int_eq(it.breaker.last_failure_ns, 3);
}
END_TEST

START_TEST(the_timer_moves_an_open_breaker_without_taking_a_probe_slot)
{
	given_open(given_settings());
	it.now_ns += 60 * SECONDS - 1;
	ck_assert(!automatic());
	ck_assert_uint_eq(it.effects.events_count, 0);
	it.now_ns += 1;
	ck_assert(automatic());
	assert_state(IL_HALF_OPEN, 2);
	ck_assert_uint_eq(it.effects.events_count, 1);
	ck_assert_int_eq(it.effects.events[0].why, IL_WHY_WAIT);
	ck_assert(!automatic());
	ck_assert(acquire());
	ck_assert_uint_eq(it.effects.events_count, 0);
	ck_assert_uint_eq(it.breaker.round.admitted, 1);
}
END_TEST

START_TEST(the_timer_moves_no_other_state)
{
	for (size_t i = 0; i < 6; i++) {
		if (every_state[i] == IL_OPEN)
			continue;
		given_state(every_state[i]);
		it.now_ns += 3600 * SECONDS;
		ck_assert(!automatic());
		ck_assert_uint_eq(it.effects.events_count, 0);
	}
}
END_TEST

START_TEST(a_reload_keeps_state_wait_and_window)
{
	struct il_settings after = given_settings();

	given_open(given_settings());
	after.wait_duration_in_open_ns = 1;
	after.failure_rate_threshold = 1;
	reconfigure(after);
	assert_state(IL_OPEN, 1);
	assert_window(10, 10, 0);
	ck_assert_int_eq(look().retry_after_ns, 60 * SECONDS);
}
END_TEST

START_TEST(a_state_that_is_none_passes_every_call_and_records_nothing)
{
	given_breaker(given_settings());
	it.breaker.state = IL_STATES;
	ck_assert(acquire());
	record(IL_FAILURE);
	assert_window(0, 0, 0);
	ck_assert_uint_eq(it.breaker.state, IL_STATES);
}
END_TEST

RUN_TESTS("breaker", a_fresh_breaker_is_in_its_initial_state_without_an_event,
	  a_state_that_needs_a_history_is_no_initial_state, nothing_trips_below_the_minimum,
	  a_success_that_reaches_the_minimum_trips, three_of_ten_reach_a_threshold_of_0_3,
	  seven_of_25_reach_a_threshold_of_0_28_and_7_of_10_one_of_0_7,
	  one_of_three_reaches_a_threshold_of_a_third,
	  a_rate_just_below_the_threshold_does_not_trip, slow_calls_trip_by_their_own_threshold,
	  failed_and_slow_are_counted_apart,
	  a_trip_tells_the_call_and_then_the_change_with_its_numbers,
	  an_open_breaker_rejects_until_its_wait_is_over, the_first_call_after_the_wait_is_probe_1,
	  retry_after_shrinks_to_nothing_and_is_none_elsewhere,
	  a_clock_read_before_the_opening_waits_the_whole_wait, each_state_admits_what_its_row_says,
	  each_state_records_what_its_row_says,
	  metrics_only_never_trips_and_goes_on_with_the_window_it_finds,
	  an_outcome_of_an_older_generation_changes_nothing_but_is_an_event,
	  an_outcome_of_a_generation_to_come_changes_nothing,
	  the_generation_grows_with_every_override_and_reset,
	  a_repeated_override_is_no_change_of_state, what_is_no_override_overrides_nothing,
	  an_override_stays_until_the_operator_acts, forced_open_tells_of_its_rejections,
	  disabled_and_forced_open_leave_the_window_as_it_is,
	  a_reset_closes_and_forgets_in_every_state,
	  the_last_failure_is_remembered_wherever_it_is_recorded,
	  the_timer_moves_an_open_breaker_without_taking_a_probe_slot,
	  the_timer_moves_no_other_state, a_reload_keeps_state_wait_and_window,
	  a_state_that_is_none_passes_every_call_and_records_nothing)
