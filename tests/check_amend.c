#include "breaker_kit.h"

START_TEST(an_outcome_in_the_window_changes_its_flags_and_no_total)
{
	struct il_handle handle;

	given_breaker(given_settings());
	record(IL_SUCCESS);
	handle = record(IL_SLOW_SUCCESS);
	handle = amend(handle, IL_SLOW_FAILURE);
	assert_window(2, 1, 1);
	ck_assert_uint_eq(it.effects.events_count, 1);
	ck_assert_int_eq(it.effects.events[0].kind, IL_EVENT_AMENDED);
	ck_assert_int_eq(it.effects.events[0].outcome, IL_SLOW_FAILURE);
	amend(handle, IL_SUCCESS);
	assert_window(2, 0, 0);
}
END_TEST

START_TEST(what_was_amended_leaves_the_window_as_what_it_is_now)
{
	given_breaker(given_settings());
	amend(record(IL_SUCCESS), IL_FAILURE);
	record_times(9, IL_SUCCESS);
	assert_window(10, 1, 0);
	record(IL_SUCCESS);
	assert_window(10, 0, 0);
}
END_TEST

START_TEST(an_amendment_can_trip)
{
	struct il_handle handle;

	given_breaker(given_settings());
	record_times(4, IL_FAILURE);
	record_times(5, IL_SUCCESS);
	handle = record(IL_SUCCESS);
	assert_state(IL_CLOSED, 0);
	amend(handle, IL_FAILURE);
	assert_state(IL_OPEN, 1);
	ck_assert_uint_eq(it.effects.events_count, 2);
	ck_assert_int_eq(it.effects.events[0].kind, IL_EVENT_AMENDED);
	ck_assert_int_eq(it.effects.events[1].kind, IL_EVENT_STATE_CHANGE);
	ck_assert_uint_eq(it.effects.events[1].failed, 5);
}
END_TEST

START_TEST(metrics_only_amends_without_tripping)
{
	struct il_settings settings = given_settings();
	struct il_handle handle;

	settings.initial_state = IL_METRICS_ONLY;
	given_breaker(settings);
	record_times(9, IL_FAILURE);
	handle = record(IL_SUCCESS);
	amend(handle, IL_FAILURE);
	assert_state(IL_METRICS_ONLY, 0);
	assert_window(10, 10, 0);
}
END_TEST

START_TEST(the_oldest_outcome_of_the_window_is_still_replaced)
{
	struct il_handle handle;

	given_breaker(given_settings());
	handle = record(IL_SUCCESS);
	record_times(9, IL_SUCCESS);
	amend(handle, IL_FAILURE);
	assert_window(10, 1, 0);
}
END_TEST

START_TEST(an_outcome_that_has_left_the_window_is_not_replaced)
{
	struct il_handle handle;

	given_breaker(given_settings());
	handle = record(IL_SUCCESS);
	record_times(10, IL_SUCCESS);
	amend(handle, IL_FAILURE);
	assert_window(10, 0, 0);
	ck_assert_uint_eq(it.effects.cell_bytes, 0);
	ck_assert_int_eq(it.effects.events[0].kind, IL_EVENT_AMENDED);
}
END_TEST

START_TEST(a_window_is_judged_even_if_the_amended_outcome_has_left_it)
{
	struct il_settings after = given_settings();
	struct il_handle handle;

	given_breaker(given_settings());
	handle = record(IL_SUCCESS);
	record_times(7, IL_SUCCESS);
	record_times(3, IL_FAILURE);
	after.failure_rate_threshold = 0.3;
	reconfigure(after);
	assert_state(IL_CLOSED, 0);
	amend(handle, IL_SUCCESS);
	assert_state(IL_OPEN, 1);
}
END_TEST

START_TEST(a_window_emptied_by_a_reload_has_no_outcome_left_to_replace)
{
	struct il_settings after = given_settings();
	struct il_handle handle;

	given_breaker(given_settings());
	handle = record(IL_SUCCESS);
	after.window_size = 11;
	reconfigure(after);
	amend(handle, IL_FAILURE);
	assert_window(0, 0, 0);
	record(IL_SUCCESS);
	amend(handle, IL_FAILURE);
	assert_window(1, 0, 0);
}
END_TEST

START_TEST(a_probe_of_the_running_round_is_replaced_and_decides_at_the_end)
{
	struct il_handle handle;

	given_first_probe(given_settings());
	handle = record(IL_SUCCESS);
	acquire();
	handle = amend(handle, IL_FAILURE);
	assert_state(IL_HALF_OPEN, 2);
	ck_assert_int_eq(it.effects.events[0].kind, IL_EVENT_AMENDED);
	record(IL_SUCCESS);
	assert_state(IL_OPEN, 3);
	ck_assert_uint_eq(it.effects.events[1].failed, 1);
}
END_TEST

START_TEST(an_amended_probe_counts_once)
{
	struct il_handle handle;

	given_first_probe(given_settings());
	handle = amend(record(IL_SLOW_FAILURE), IL_SUCCESS);
	ck_assert_uint_eq(it.breaker.round.completed, 1);
	ck_assert_uint_eq(it.breaker.round.failed, 0);
	ck_assert_uint_eq(it.breaker.round.slow, 0);
	amend(handle, IL_SLOW_SUCCESS);
	ck_assert_uint_eq(it.breaker.round.completed, 1);
	ck_assert_uint_eq(it.breaker.round.slow, 1);
}
END_TEST

START_TEST(amending_does_not_decide_a_lowered_round)
{
	struct il_settings lowered = given_settings();
	struct il_handle handle;

	given_first_probe(given_settings());
	handle = record(IL_SUCCESS);
	acquire();
	lowered.permitted_calls_in_half_open = 1;
	reconfigure(lowered);
	amend(handle, IL_FAILURE);
	assert_state(IL_HALF_OPEN, 2);
}
END_TEST

START_TEST(an_outcome_of_an_older_generation_is_news_in_closed)
{
	struct il_handle handle;

	given_breaker(given_settings());
	handle = record(IL_SUCCESS);
	reset();
	handle = amend(handle, IL_FAILURE);
	assert_window(1, 1, 0);
	ck_assert_uint_eq(it.effects.events_count, 1);
	ck_assert_int_eq(it.effects.events[0].kind, IL_EVENT_CALL);
	ck_assert_int_eq(it.effects.events[0].outcome, IL_FAILURE);
	amend(handle, IL_SUCCESS);
	assert_window(1, 0, 0);
	ck_assert_int_eq(it.effects.events[0].kind, IL_EVENT_AMENDED);
}
END_TEST

START_TEST(news_can_trip)
{
	struct il_handle handle;

	given_breaker(given_settings());
	handle = record(IL_SUCCESS);
	reset();
	record_times(9, IL_FAILURE);
	amend(handle, IL_SUCCESS);
	assert_state(IL_OPEN, 2);
}
END_TEST

START_TEST(a_dropped_outcome_is_news_in_closed_and_metrics_only)
{
	struct il_handle handle;

	given_breaker(given_settings());
	handle = record_of(5, IL_SUCCESS);
	assert_window(0, 0, 0);
	amend(handle, IL_SLOW_SUCCESS);
	assert_window(1, 0, 1);
	override(IL_METRICS_ONLY);
	amend(handle, IL_FAILURE);
	assert_window(2, 1, 1);
}
END_TEST

START_TEST(an_outcome_dropped_in_this_generation_is_news_too)
{
	struct il_handle handle;

	given_breaker(given_settings());
	handle = record_of(1, IL_SUCCESS);
	override(IL_METRICS_ONLY);
	ck_assert_uint_eq(handle.generation, it.breaker.generation);
	amend(handle, IL_FAILURE);
	assert_window(1, 1, 0);
	ck_assert_int_eq(it.effects.events[0].kind, IL_EVENT_CALL);
}
END_TEST

START_TEST(in_other_states_news_is_nothing)
{
	static const enum il_state overrides[] = { IL_FORCED_OPEN, IL_DISABLED };

	for (int i = 0; i < 2; i++) {
		struct il_handle handle, after;

		given_breaker(given_settings());
		handle = record(IL_SUCCESS);
		override(overrides[i]);

		struct il_breaker before = it.breaker;

		after = amend(handle, IL_FAILURE);
		ck_assert_mem_eq(&before, &it.breaker, sizeof(before));
		ck_assert_mem_eq(&handle, &after, sizeof(after));
		ck_assert_uint_eq(it.effects.events_count, 0);
		ck_assert_uint_eq(it.effects.cell_bytes, 0);
	}
}
END_TEST

START_TEST(in_open_and_half_open_an_outcome_of_the_window_is_nothing)
{
	struct il_handle handle;

	given_breaker(given_settings());
	handle = record(IL_FAILURE);
	record_times(9, IL_FAILURE);
	assert_state(IL_OPEN, 1);
	amend(handle, IL_SUCCESS);
	assert_window(10, 10, 0);
	it.now_ns += 60 * SECONDS;
	automatic();
	amend(handle, IL_SUCCESS);
	assert_window(10, 10, 0);
	ck_assert_uint_eq(it.breaker.round.completed, 0);
}
END_TEST

START_TEST(a_probe_amended_after_its_round_passed_is_news)
{
	struct il_handle handle;

	given_first_probe(given_settings());
	handle = record(IL_SUCCESS);
	acquire();
	record(IL_SUCCESS);
	assert_state(IL_CLOSED, 3);
	amend(handle, IL_FAILURE);
	assert_window(1, 1, 0);
}
END_TEST

START_TEST(the_outcome_that_tripped_is_of_the_generation_before)
{
	struct il_handle handle;

	given_breaker(given_settings());
	record_times(9, IL_FAILURE);
	handle = record(IL_FAILURE);
	ck_assert_uint_eq(handle.generation, 0);
	ck_assert_uint_eq(it.breaker.generation, 1);
	amend(handle, IL_SUCCESS);
	assert_window(10, 10, 0);
	ck_assert_uint_eq(it.effects.events_count, 0);
}
END_TEST

START_TEST(a_damaged_handle_is_news)
{
	struct il_handle handle;

	given_breaker(given_settings());
	handle = record(IL_SUCCESS);
	handle.place = 77;
	amend(handle, IL_FAILURE);
	assert_window(2, 1, 0);
}
END_TEST

START_TEST(a_handle_of_a_number_to_come_replaces_nothing)
{
	struct il_handle handle;

	given_breaker(given_settings());
	handle = record(IL_SUCCESS);
	handle.sequence = 1;
	amend(handle, IL_FAILURE);
	assert_window(1, 0, 0);
}
END_TEST

START_TEST(a_handle_of_a_probe_is_news_where_no_round_runs)
{
	struct il_handle handle;

	given_first_probe(given_settings());
	handle = record(IL_SUCCESS);
	reset();
	handle.generation = it.breaker.generation;
	amend(handle, IL_FAILURE);
	assert_window(1, 1, 0);
}
END_TEST

RUN_TESTS("amend", an_outcome_in_the_window_changes_its_flags_and_no_total,
	  what_was_amended_leaves_the_window_as_what_it_is_now, an_amendment_can_trip,
	  metrics_only_amends_without_tripping, the_oldest_outcome_of_the_window_is_still_replaced,
	  an_outcome_that_has_left_the_window_is_not_replaced,
	  a_window_is_judged_even_if_the_amended_outcome_has_left_it,
	  a_window_emptied_by_a_reload_has_no_outcome_left_to_replace,
	  a_probe_of_the_running_round_is_replaced_and_decides_at_the_end,
	  an_amended_probe_counts_once, amending_does_not_decide_a_lowered_round,
	  an_outcome_of_an_older_generation_is_news_in_closed, news_can_trip,
	  a_dropped_outcome_is_news_in_closed_and_metrics_only,
	  an_outcome_dropped_in_this_generation_is_news_too, in_other_states_news_is_nothing,
	  in_open_and_half_open_an_outcome_of_the_window_is_nothing,
	  a_probe_amended_after_its_round_passed_is_news,
	  the_outcome_that_tripped_is_of_the_generation_before, a_damaged_handle_is_news,
	  a_handle_of_a_number_to_come_replaces_nothing,
	  a_handle_of_a_probe_is_news_where_no_round_runs)
