#include "breaker_kit.h"

static struct il_settings given_probes(uint32_t permitted, uint32_t concurrent)
{
	struct il_settings settings = given_settings();

	settings.permitted_calls_in_half_open = permitted;
	settings.max_concurrent_probes = concurrent;
	return settings;
}

static void assert_round(uint32_t admitted, uint32_t in_flight, uint32_t completed)
{
	ck_assert_uint_eq(it.breaker.round.admitted, admitted);
	ck_assert_uint_eq(it.breaker.round.in_flight, in_flight);
	ck_assert_uint_eq(it.breaker.round.completed, completed);
}

START_TEST(only_so_many_probes_are_under_way_at_once)
{
	given_first_probe(given_probes(5, 2));
	ck_assert(acquire());
	ck_assert(!acquire());
	ck_assert_int_eq(it.effects.events[0].kind, IL_EVENT_REJECTED);
	ck_assert_int_eq(it.effects.events[0].to, IL_HALF_OPEN);
	record(IL_SUCCESS);
	ck_assert(acquire());
	ck_assert(!acquire());
}
END_TEST

START_TEST(only_as_many_probes_are_admitted_as_the_round_needs)
{
	given_first_probe(given_probes(3, 3));
	record(IL_SUCCESS);
	ck_assert(acquire());
	ck_assert(acquire());
	ck_assert(!acquire());
	assert_round(3, 2, 1);
}
END_TEST

START_TEST(a_round_is_decided_when_all_its_probes_have_completed_and_not_before)
{
	given_first_probe(given_probes(3, 3));
	record(IL_FAILURE);
	acquire();
	record(IL_FAILURE);
	acquire();
	assert_state(IL_HALF_OPEN, 2);
	record(IL_FAILURE);
	assert_state(IL_OPEN, 3);
}
END_TEST

START_TEST(a_round_below_both_thresholds_closes_with_an_empty_window)
{
	given_first_probe(given_probes(3, 1));
	record(IL_SUCCESS);
	acquire();
	record(IL_FAILURE);
	acquire();
	record(IL_SUCCESS);
	assert_state(IL_CLOSED, 3);
	assert_window(0, 0, 0);
	ck_assert_uint_eq(it.effects.events_count, 2);
	ck_assert_int_eq(it.effects.events[0].kind, IL_EVENT_CALL);
	ck_assert_int_eq(it.effects.events[0].to, IL_HALF_OPEN);
	ck_assert_int_eq(it.effects.events[1].why, IL_WHY_CALLS);
	ck_assert_uint_eq(it.effects.events[1].calls, 3);
	ck_assert_uint_eq(it.effects.events[1].failed, 1);
}
END_TEST

START_TEST(a_round_at_the_failure_threshold_opens_again_from_now)
{
	given_first_probe(given_probes(2, 1));
	record(IL_SUCCESS);
	acquire();
	it.now_ns += 7;
	record(IL_FAILURE);
	assert_state(IL_OPEN, 3);
	ck_assert_int_eq(it.effects.events[1].why, IL_WHY_FAILURE_RATE);
	ck_assert_uint_eq(it.effects.events[1].calls, 2);
	ck_assert_int_eq(look().retry_after_ns, 60 * SECONDS);
}
END_TEST

START_TEST(a_round_of_slow_probes_opens_again)
{
	given_first_probe(given_probes(2, 1));
	record(IL_SLOW_SUCCESS);
	acquire();
	record(IL_SLOW_SUCCESS);
	assert_state(IL_OPEN, 3);
	ck_assert_int_eq(it.effects.events[1].why, IL_WHY_SLOW_RATE);
	ck_assert_uint_eq(it.effects.events[1].slow, 2);
}
END_TEST

START_TEST(the_minimum_number_of_calls_does_not_hold_for_probes)
{
	given_first_probe(given_probes(1, 1));
	record(IL_FAILURE);
	assert_state(IL_OPEN, 3);
}
END_TEST

START_TEST(probes_leave_the_window_alone)
{
	given_first_probe(given_probes(3, 1));
	record(IL_SLOW_FAILURE);
	assert_window(10, 10, 0);
	override(IL_METRICS_ONLY);
	record(IL_SUCCESS);
	assert_window(10, 9, 0);
}
END_TEST

START_TEST(a_released_probe_gives_its_slot_to_the_next_caller)
{
	given_first_probe(given_probes(1, 1));
	ck_assert(!acquire());
	release_of(2);
	ck_assert_uint_eq(it.effects.events_count, 0);
	assert_round(0, 0, 0);
	ck_assert(acquire());
	record(IL_SUCCESS);
	assert_state(IL_CLOSED, 3);
}
END_TEST

START_TEST(only_the_current_generation_releases)
{
	given_first_probe(given_probes(2, 2));
	release_of(1);
	release_of(3);
	inconclusive_of(1);
	assert_round(1, 1, 0);
	ck_assert_uint_eq(it.breaker.round.inconclusive, 0);
}
END_TEST

START_TEST(release_never_goes_below_zero)
{
	given_first_probe(given_probes(2, 2));
	release_of(2);
	release_of(2);
	assert_round(0, 0, 0);
	assert_state(IL_HALF_OPEN, 2);
}
END_TEST

START_TEST(a_stray_outcome_does_not_go_below_zero_either)
{
	given_first_probe(given_probes(3, 1));
	record(IL_SUCCESS);
	record(IL_SUCCESS);
	assert_round(1, 0, 2);
}
END_TEST

START_TEST(release_does_nothing_outside_half_open)
{
	given_breaker(given_settings());
	record(IL_FAILURE);
	release_of(0);
	inconclusive_of(0);
	assert_window(1, 1, 0);
	assert_state(IL_CLOSED, 0);
	ck_assert_uint_eq(it.effects.events_count, 0);
}
END_TEST

START_TEST(a_round_of_inconclusive_probes_opens_again)
{
	given_first_probe(given_probes(2, 1));
	inconclusive_of(2);
	assert_state(IL_HALF_OPEN, 2);
	ck_assert_uint_eq(it.effects.events_count, 0);
	ck_assert(acquire());
	inconclusive_of(2);
	assert_state(IL_OPEN, 3);
	ck_assert_uint_eq(it.effects.events_count, 1);
	ck_assert_int_eq(it.effects.events[0].why, IL_WHY_INCONCLUSIVE);
}
END_TEST

START_TEST(inconclusive_probes_beside_completed_ones_do_not_decide)
{
	given_first_probe(given_probes(2, 1));
	inconclusive_of(2);
	acquire();
	record(IL_SUCCESS);
	acquire();
	record(IL_SUCCESS);
	assert_state(IL_CLOSED, 3);
}
END_TEST

START_TEST(inconclusive_probes_of_another_round_are_forgotten)
{
	given_first_probe(given_probes(2, 1));
	inconclusive_of(2);
	acquire();
	record(IL_FAILURE);
	acquire();
	record(IL_FAILURE);
	it.now_ns += 60 * SECONDS;
	acquire();
	assert_state(IL_HALF_OPEN, 4);
	inconclusive_of(4);
	assert_state(IL_HALF_OPEN, 4);
}
END_TEST

START_TEST(a_round_lowered_to_what_has_completed_is_decided_at_the_next_outcome)
{
	given_first_probe(given_probes(5, 2));
	record(IL_SUCCESS);
	acquire();
	acquire();
	reconfigure(given_probes(1, 1));
	assert_state(IL_HALF_OPEN, 2);
	ck_assert(!acquire());
	record(IL_FAILURE);
	assert_state(IL_OPEN, 3);
	ck_assert_uint_eq(it.effects.events[1].calls, 2);
}
END_TEST

START_TEST(a_round_lowered_to_what_has_completed_is_decided_at_the_next_release)
{
	given_first_probe(given_probes(5, 2));
	record(IL_SUCCESS);
	acquire();
	reconfigure(given_probes(1, 1));
	release_of(2);
	assert_state(IL_CLOSED, 3);
	ck_assert_uint_eq(it.effects.events_count, 1);
}
END_TEST

START_TEST(a_lowered_round_with_no_probe_out_lets_one_more_out_to_end_it)
{
	given_first_probe(given_probes(5, 1));
	record(IL_SUCCESS);
	acquire();
	record(IL_SUCCESS);
	reconfigure(given_probes(2, 1));
	ck_assert(acquire());
	ck_assert(!acquire());
	record(IL_SUCCESS);
	assert_state(IL_CLOSED, 3);
}
END_TEST

START_TEST(a_damaged_number_of_permitted_calls_is_taken_for_the_nearest_valid_one)
{
	given_first_probe(given_probes(2, 1));
	it.settings.permitted_calls_in_half_open = 0;
	release_of(2);
	assert_state(IL_HALF_OPEN, 2);
	it.settings.permitted_calls_in_half_open = UINT32_MAX;
	record_times(999, IL_SUCCESS);
	assert_state(IL_HALF_OPEN, 2);
	record(IL_SUCCESS);
	assert_state(IL_CLOSED, 3);
}
END_TEST

START_TEST(a_raised_round_goes_on)
{
	given_first_probe(given_probes(2, 1));
	record(IL_SUCCESS);
	reconfigure(given_probes(3, 2));
	ck_assert(acquire());
	ck_assert(acquire());
	record(IL_SUCCESS);
	assert_state(IL_HALF_OPEN, 2);
	record(IL_SUCCESS);
	assert_state(IL_CLOSED, 3);
}
END_TEST

RUN_TESTS("probes", only_so_many_probes_are_under_way_at_once,
	  only_as_many_probes_are_admitted_as_the_round_needs,
	  a_round_is_decided_when_all_its_probes_have_completed_and_not_before,
	  a_round_below_both_thresholds_closes_with_an_empty_window,
	  a_round_at_the_failure_threshold_opens_again_from_now, a_round_of_slow_probes_opens_again,
	  the_minimum_number_of_calls_does_not_hold_for_probes, probes_leave_the_window_alone,
	  a_released_probe_gives_its_slot_to_the_next_caller, only_the_current_generation_releases,
	  release_never_goes_below_zero, a_stray_outcome_does_not_go_below_zero_either,
	  release_does_nothing_outside_half_open, a_round_of_inconclusive_probes_opens_again,
	  inconclusive_probes_beside_completed_ones_do_not_decide,
	  inconclusive_probes_of_another_round_are_forgotten,
	  a_round_lowered_to_what_has_completed_is_decided_at_the_next_outcome,
	  a_round_lowered_to_what_has_completed_is_decided_at_the_next_release,
	  a_lowered_round_with_no_probe_out_lets_one_more_out_to_end_it,
	  a_damaged_number_of_permitted_calls_is_taken_for_the_nearest_valid_one,
	  a_raised_round_goes_on)
