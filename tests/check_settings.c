#include "breaker_kit.h"
#include "core/settings_table.h"

#include <errno.h>
#include <math.h>

/* The settings with one changed by its text. */
static struct il_settings given(enum il_setting_index index, const char *text)
{
	struct il_settings settings = il_settings_default();

	ck_assert_int_eq(il_setting_read(&il_settings_table[index], text, strlen(text), &settings),
			 0);
	return settings;
}

static bool is_fine(struct il_settings settings)
{
	char why[200] = "untouched";
	int rc = il_settings_check(&settings, why, sizeof(why));

	ck_assert(rc == 0 || rc == -EINVAL);
	ck_assert_int_eq(rc == 0, strcmp(why, "untouched") == 0);
	return rc == 0;
}

static void assert_why(struct il_settings settings, const char *expected)
{
	char why[200];

	ck_assert_int_eq(il_settings_check(&settings, why, sizeof(why)), -EINVAL);
	ck_assert_str_eq(why, expected);
}

START_TEST(the_defaults_are_those_of_the_table)
{
	struct il_settings settings = il_settings_default();

	ck_assert(settings.failure_rate_threshold == 0.5);
	ck_assert_uint_eq(settings.minimum_number_of_calls, 10);
	ck_assert_int_eq(settings.slow_call_duration_threshold_ns, 60 * SECONDS);
	ck_assert(settings.slow_call_rate_threshold == 1.0);
	ck_assert_uint_eq(settings.permitted_calls_in_half_open, 10);
	ck_assert_uint_eq(settings.max_concurrent_probes, 1);
	ck_assert_int_eq(settings.wait_duration_in_open_ns, 60 * SECONDS);
	ck_assert(settings.wait_duration_backoff_multiplier == 1.0);
	ck_assert_int_eq(settings.wait_duration_in_open_max_ns, INT64_MAX);
	ck_assert_uint_eq(settings.auto_transition, 0);
	ck_assert_uint_eq(settings.window_type, IL_COUNT_BASED);
	ck_assert_uint_eq(settings.window_size, 100);
	ck_assert_uint_eq(settings.initial_state, IL_CLOSED);
	ck_assert_uint_eq(settings.reserved, 0);
	ck_assert(is_fine(settings));
	ck_assert_uint_eq(sizeof(settings), 80);
}
END_TEST

START_TEST(an_unset_minimum_fits_a_small_window_of_calls)
{
	struct il_settings settings = il_settings_default();

	for (uint32_t size = 1; size <= 12; size++) {
		settings.minimum_number_of_calls = 0;
		settings.window_size = size;
		il_settings_complete(&settings);
		ck_assert_uint_eq(settings.minimum_number_of_calls, size < 10 ? size : 10);
		ck_assert(is_fine(settings));
	}
}
END_TEST

START_TEST(an_unset_minimum_is_10_with_a_window_of_seconds)
{
	struct il_settings settings = il_settings_default();

	settings.minimum_number_of_calls = 0;
	settings.window_type = IL_TIME_BASED;
	settings.window_size = 1;
	il_settings_complete(&settings);
	ck_assert_uint_eq(settings.minimum_number_of_calls, 10);
	ck_assert(is_fine(settings));
}
END_TEST

START_TEST(completing_leaves_alone_what_was_set)
{
	struct il_settings settings = il_settings_default();

	settings.minimum_number_of_calls = 3;
	settings.wait_duration_in_open_max_ns = 90 * SECONDS;
	il_settings_complete(&settings);
	ck_assert_uint_eq(settings.minimum_number_of_calls, 3);
	ck_assert_int_eq(settings.wait_duration_in_open_max_ns, 90 * SECONDS);
}
END_TEST

START_TEST(rates_are_above_0_and_up_to_1)
{
	static const double bad[] = { 0, -0.1, 1.0000000000000002, 2, NAN, INFINITY, -INFINITY };
	struct il_settings settings = il_settings_default();

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		settings = il_settings_default();
		settings.failure_rate_threshold = bad[i];
		ck_assert(!is_fine(settings));
		settings = il_settings_default();
		settings.slow_call_rate_threshold = bad[i];
		ck_assert(!is_fine(settings));
	}
	settings = il_settings_default();
	settings.failure_rate_threshold = settings.slow_call_rate_threshold = 5e-324;
	ck_assert(is_fine(settings));
	settings.failure_rate_threshold = settings.slow_call_rate_threshold = 1;
	ck_assert(is_fine(settings));
}
END_TEST

START_TEST(a_wrong_rate_is_explained)
{
	assert_why(given(IL_SETTING_failure_rate_threshold, "1.5"),
		   "failure_rate_threshold '1.5' is not valid: "
		   "give a rate above 0 and up to 1 (0.25 or 25%)");
	assert_why(given(IL_SETTING_slow_call_rate_threshold, "0"),
		   "slow_call_rate_threshold '0' is not valid: "
		   "give a rate above 0 and up to 1 (0.25 or 25%)");
	assert_why(given(IL_SETTING_slow_call_rate_threshold, "100"),
		   "slow_call_rate_threshold '100' is not valid: "
		   "give a rate above 0 and up to 1 (0.25 or 25%)");
}
END_TEST

START_TEST(the_minimum_is_at_least_1_and_fits_the_window_of_calls)
{
	struct il_settings settings = il_settings_default();

	settings.minimum_number_of_calls = 100;
	ck_assert(is_fine(settings));
	settings.minimum_number_of_calls = 1;
	ck_assert(is_fine(settings));
	settings.minimum_number_of_calls = 101;
	assert_why(settings, "minimum_number_of_calls '101' is not valid: "
			     "give a whole number from 1; with COUNT_BASED at most window_size");
	settings.window_type = IL_TIME_BASED;
	ck_assert(is_fine(settings));
	settings.minimum_number_of_calls = 0;
	assert_why(settings, "minimum_number_of_calls '0' is not valid: "
			     "give a whole number from 1; with COUNT_BASED at most window_size");
}
END_TEST

START_TEST(durations_are_above_0)
{
	struct il_settings settings = il_settings_default();

	settings.slow_call_duration_threshold_ns = 1;
	settings.wait_duration_in_open_ns = 1;
	settings.wait_duration_in_open_max_ns = 1;
	ck_assert(is_fine(settings));
	settings.slow_call_duration_threshold_ns = 0;
	assert_why(settings, "slow_call_duration_threshold '0s' is not valid: "
			     "give a duration above 0 (250ms, 1.5s, 2m)");
	settings = il_settings_default();
	settings.wait_duration_in_open_ns = 0;
	assert_why(settings, "wait_duration_in_open '0s' is not valid: "
			     "give a duration above 0 (250ms, 1.5s, 2m)");
}
END_TEST

START_TEST(the_longest_wait_is_at_least_the_wait)
{
	struct il_settings settings = il_settings_default();

	settings.wait_duration_in_open_max_ns = 60 * SECONDS;
	ck_assert(is_fine(settings));
	settings.wait_duration_in_open_max_ns = 1500000000;
	assert_why(settings, "wait_duration_in_open_max '1.5s' is not valid: "
			     "give a duration of at least wait_duration_in_open");
}
END_TEST

START_TEST(the_multiplier_is_1_to_1000)
{
	struct il_settings settings = il_settings_default();

	settings.wait_duration_backoff_multiplier = 1000;
	ck_assert(is_fine(settings));
	settings.wait_duration_backoff_multiplier = 1000.0000000000001;
	ck_assert(!is_fine(settings));
	settings.wait_duration_backoff_multiplier = NAN;
	ck_assert(!is_fine(settings));
	settings.wait_duration_backoff_multiplier = 0.9;
	assert_why(settings, "wait_duration_backoff_multiplier '0.9' is not valid: "
			     "give a number from 1 to 1000");
}
END_TEST

START_TEST(a_round_has_1_to_1000_probes)
{
	struct il_settings settings = il_settings_default();

	settings.permitted_calls_in_half_open = 1;
	ck_assert(is_fine(settings));
	settings.permitted_calls_in_half_open = 1000;
	ck_assert(is_fine(settings));
	settings.permitted_calls_in_half_open = 0;
	assert_why(settings, "permitted_calls_in_half_open '0' is not valid: "
			     "give a whole number from 1 to 1000");
	settings.permitted_calls_in_half_open = 1001;
	assert_why(settings, "permitted_calls_in_half_open '1001' is not valid: "
			     "give a whole number from 1 to 1000");
}
END_TEST

START_TEST(probes_at_once_are_at_most_32_and_fit_the_round)
{
	struct il_settings settings = il_settings_default();

	settings.max_concurrent_probes = 10;
	ck_assert(is_fine(settings));
	settings.max_concurrent_probes = 11;
	assert_why(settings, "max_concurrent_probes '11' is not valid: "
			     "give a whole number from 1 to 32, at most "
			     "permitted_calls_in_half_open");
	settings.permitted_calls_in_half_open = 1000;
	settings.max_concurrent_probes = 32;
	ck_assert(is_fine(settings));
	settings.max_concurrent_probes = 33;
	ck_assert(!is_fine(settings));
	settings.max_concurrent_probes = 0;
	ck_assert(!is_fine(settings));
}
END_TEST

START_TEST(a_window_has_a_type_and_its_size_a_range_of_its_own)
{
	struct il_settings settings = il_settings_default();

	settings.window_size = 10000;
	ck_assert(is_fine(settings));
	settings.window_size = 10001;
	assert_why(settings, "window_size '10001' is not valid: "
			     "give COUNT_BASED: 1 to 10000 calls; TIME_BASED: 1 to 3600 seconds");
	settings.window_type = IL_TIME_BASED;
	settings.window_size = 3600;
	ck_assert(is_fine(settings));
	settings.window_size = 3601;
	ck_assert(!is_fine(settings));
	settings.window_size = 0;
	ck_assert(!is_fine(settings));
	settings.window_type = 2;
	assert_why(settings, "window_type '2' is not valid: give COUNT_BASED or TIME_BASED");
}
END_TEST

START_TEST(a_wrong_window_is_named_before_the_minimum_that_it_does_not_hold)
{
	struct il_settings settings = il_settings_default();

	settings.window_size = 0;
	assert_why(settings, "window_size '0' is not valid: "
			     "give COUNT_BASED: 1 to 10000 calls; TIME_BASED: 1 to 3600 seconds");
}
END_TEST

START_TEST(open_and_half_open_are_no_initial_states)
{
	static const uint32_t good[] = { IL_CLOSED, IL_FORCED_OPEN, IL_DISABLED, IL_METRICS_ONLY };
	struct il_settings settings = il_settings_default();

	for (int i = 0; i < 4; i++) {
		settings.initial_state = good[i];
		ck_assert(is_fine(settings));
	}
	settings.initial_state = IL_OPEN;
	assert_why(settings, "initial_state 'OPEN' is not valid: "
			     "give CLOSED, FORCED_OPEN, DISABLED or METRICS_ONLY");
	settings.initial_state = IL_HALF_OPEN;
	assert_why(settings, "initial_state 'HALF_OPEN' is not valid: "
			     "give CLOSED, FORCED_OPEN, DISABLED or METRICS_ONLY");
	settings.initial_state = 6;
	assert_why(settings, "initial_state '6' is not valid: "
			     "give CLOSED, FORCED_OPEN, DISABLED or METRICS_ONLY");
}
END_TEST

START_TEST(auto_transition_is_a_boolean)
{
	struct il_settings settings = il_settings_default();

	settings.auto_transition = 1;
	ck_assert(is_fine(settings));
	settings.auto_transition = 2;
	assert_why(settings, "auto_transition '2' is not valid: "
			     "give 1/0, true/false, yes/no or on/off");
}
END_TEST

START_TEST(the_explanation_is_cut_to_its_room)
{
	struct il_settings settings = il_settings_default();
	char why[8] = "1234567";

	settings.window_size = 0;
	ck_assert_int_eq(il_settings_check(&settings, why, 0), -EINVAL);
	ck_assert_str_eq(why, "1234567");
	ck_assert_int_eq(il_settings_check(&settings, why, 7), -EINVAL);
	ck_assert_str_eq(why, "window");
	ck_assert_int_eq(il_settings_check(&settings, why, 1), -EINVAL);
	ck_assert_str_eq(why, "");
}
END_TEST

START_TEST(every_setting_prints_what_it_reads)
{
	static const char *const texts[IL_SETTINGS] = {
		[IL_SETTING_failure_rate_threshold] = "0.25",
		[IL_SETTING_minimum_number_of_calls] = "7",
		[IL_SETTING_slow_call_duration_threshold] = "250ms",
		[IL_SETTING_slow_call_rate_threshold] = "1",
		[IL_SETTING_permitted_calls_in_half_open] = "1000",
		[IL_SETTING_max_concurrent_probes] = "32",
		[IL_SETTING_wait_duration_in_open] = "1.5s",
		[IL_SETTING_wait_duration_backoff_multiplier] = "100",
		[IL_SETTING_wait_duration_in_open_max] = "3600s",
		[IL_SETTING_auto_transition] = "true",
		[IL_SETTING_window_type] = "TIME_BASED",
		[IL_SETTING_window_size] = "3600",
		[IL_SETTING_initial_state] = "METRICS_ONLY",
	};

	for (size_t i = 0; i < IL_SETTINGS; i++) {
		struct il_settings settings = given((enum il_setting_index)i, texts[i]);
		char printed[40];
		struct il_text text = il_text_in(printed, sizeof(printed));

		il_setting_put(&il_settings_table[i], &settings, &text);
		ck_assert_str_eq(printed, texts[i]);
	}
}
END_TEST

START_TEST(a_setting_that_cannot_be_read_changes_nothing)
{
	struct il_settings settings = il_settings_default(), before = settings;

	for (size_t i = 0; i < IL_SETTINGS; i++)
		ck_assert_int_eq(il_setting_read(&il_settings_table[i], "~", 1, &settings),
				 -EINVAL);
	for (size_t i = 0; i < IL_SETTINGS; i++)
		ck_assert_int_eq(il_setting_read(&il_settings_table[i], "", 0, &settings), -EINVAL);
	ck_assert_mem_eq(&settings, &before, sizeof(before));
}
END_TEST

START_TEST(zero_is_no_count_and_no_duration)
{
	static const enum il_setting_index indices[] = { IL_SETTING_minimum_number_of_calls,
							 IL_SETTING_wait_duration_in_open_max };
	struct il_settings settings = il_settings_default(), before = settings;

	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(il_setting_read(&il_settings_table[indices[i]], "0", 1, &settings),
				 -ERANGE);
	ck_assert_mem_eq(&settings, &before, sizeof(before));
}
END_TEST

START_TEST(words_of_settings_ignore_case)
{
	ck_assert_uint_eq(given(IL_SETTING_window_type, "time_based").window_type, IL_TIME_BASED);
	ck_assert_uint_eq(given(IL_SETTING_initial_state, "Disabled").initial_state, IL_DISABLED);
	ck_assert_uint_eq(given(IL_SETTING_auto_transition, "ON").auto_transition, 1);
}
END_TEST

START_TEST(every_state_has_a_name)
{
	ck_assert_str_eq(il_state_name(IL_CLOSED), "CLOSED");
	ck_assert_str_eq(il_state_name(IL_OPEN), "OPEN");
	ck_assert_str_eq(il_state_name(IL_HALF_OPEN), "HALF_OPEN");
	ck_assert_str_eq(il_state_name(IL_FORCED_OPEN), "FORCED_OPEN");
	ck_assert_str_eq(il_state_name(IL_DISABLED), "DISABLED");
	ck_assert_str_eq(il_state_name(IL_METRICS_ONLY), "METRICS_ONLY");
	ck_assert_str_eq(il_state_name(IL_STATES), "?");
	ck_assert_str_eq(il_state_name(UINT32_MAX), "?");
}
END_TEST

RUN_TESTS("settings", the_defaults_are_those_of_the_table,
	  an_unset_minimum_fits_a_small_window_of_calls,
	  an_unset_minimum_is_10_with_a_window_of_seconds, completing_leaves_alone_what_was_set,
	  rates_are_above_0_and_up_to_1, a_wrong_rate_is_explained,
	  the_minimum_is_at_least_1_and_fits_the_window_of_calls, durations_are_above_0,
	  the_longest_wait_is_at_least_the_wait, the_multiplier_is_1_to_1000,
	  a_round_has_1_to_1000_probes, probes_at_once_are_at_most_32_and_fit_the_round,
	  a_window_has_a_type_and_its_size_a_range_of_its_own,
	  a_wrong_window_is_named_before_the_minimum_that_it_does_not_hold,
	  open_and_half_open_are_no_initial_states, auto_transition_is_a_boolean,
	  the_explanation_is_cut_to_its_room, every_setting_prints_what_it_reads,
	  a_setting_that_cannot_be_read_changes_nothing, zero_is_no_count_and_no_duration,
	  words_of_settings_ignore_case, every_state_has_a_name)
