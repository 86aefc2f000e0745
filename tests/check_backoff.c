#include "breaker_kit.h"

#include "core/backoff.h"

static int64_t wait_after(int64_t wait_ns, double multiplier, uint32_t rounds)
{
	struct il_settings settings = il_settings_default();

	settings.wait_duration_in_open_ns = wait_ns;
	settings.wait_duration_backoff_multiplier = multiplier;
	return il_backoff_wait_ns(&settings, rounds);
}

START_TEST(the_first_wait_is_the_plain_one)
{
	ck_assert_int_eq(wait_after(60 * SECONDS, 1000, 0), 60 * SECONDS);
	ck_assert_int_eq(wait_after(1, 1.5, 0), 1);
	ck_assert_int_eq(wait_after(INT64_MAX, 1000, 0), INT64_MAX);
}
END_TEST

START_TEST(each_failed_round_multiplies_the_wait)
{
	ck_assert_int_eq(wait_after(10 * SECONDS, 2, 1), 20 * SECONDS);
	ck_assert_int_eq(wait_after(10 * SECONDS, 2, 5), 320 * SECONDS);
	ck_assert_int_eq(wait_after(10 * SECONDS, 1.5, 3), 33750000000);
	ck_assert_int_eq(wait_after(60 * SECONDS, 1, 64), 60 * SECONDS);
	ck_assert_int_eq(wait_after(1, 1000, 6), 1000000000000000000);
}
END_TEST

START_TEST(parts_of_a_nanosecond_are_cut_off_at_the_end_only)
{
	ck_assert_int_eq(wait_after(1, 1.5, 1), 1);
	ck_assert_int_eq(wait_after(1, 1.5, 2), 2);
	ck_assert_int_eq(wait_after(3, 1.5, 2), 6);
	ck_assert_int_eq(wait_after(1, 1.25, 64), 1593091);
}
END_TEST

START_TEST(no_bit_is_lost_on_the_way)
{
	/* 1000000007 * 1.5^40 is 11057332398341338.38..., and needs 94 bits */
	ck_assert_int_eq(wait_after(1000000007, 1.5, 40), 11057332398341338);
	/* the double next to 1.7 is a little below it */
	ck_assert_int_eq(wait_after(10 * SECONDS, 1.7, 1), 16999999999);
	ck_assert_int_eq(wait_after(10 * SECONDS, 1.1, 1), 11 * SECONDS);
	ck_assert_int_eq(wait_after(3, 1.7, 64), 1682101596180314);
	/* 64 bits behind the point would be one nanosecond short here */
	ck_assert_int_eq(wait_after(5, 2.3, 49), 2652369157671064115);
}
END_TEST

START_TEST(the_wait_ends_at_the_clocks_range)
{
	ck_assert_int_eq(wait_after((int64_t)1 << 61, 2, 1), (int64_t)1 << 62);
	ck_assert_int_eq(wait_after((int64_t)1 << 61, 2, 2), INT64_MAX);
	ck_assert_int_eq(wait_after(INT64_MAX, 1, 64), INT64_MAX);
	ck_assert_int_eq(wait_after(60 * SECONDS, 1000, 64), INT64_MAX);
	ck_assert_int_eq(wait_after(INT64_MAX / 1000, 1000, 1), INT64_MAX - INT64_MAX % 1000);
	/* 2^72 and a little: its lowest 72 bits would be a short wait */
	ck_assert_int_eq(wait_after(4741302109, 999 + 0x1p-14, 4), INT64_MAX);
	ck_assert_int_eq(wait_after(INT64_MAX / 1000 + 1, 1000, 1), INT64_MAX);
}
END_TEST

START_TEST(the_wait_ends_at_its_own_limit)
{
	struct il_settings settings = il_settings_default();

	settings.wait_duration_in_open_ns = 10;
	settings.wait_duration_backoff_multiplier = 2;
	settings.wait_duration_in_open_max_ns = 39;
	ck_assert_int_eq(il_backoff_wait_ns(&settings, 1), 20);
	ck_assert_int_eq(il_backoff_wait_ns(&settings, 2), 39);
	settings.wait_duration_in_open_max_ns = 40;
	ck_assert_int_eq(il_backoff_wait_ns(&settings, 2), 40);
	ck_assert_int_eq(il_backoff_wait_ns(&settings, 3), 40);
}
END_TEST

START_TEST(more_than_64_rounds_count_as_64)
{
	ck_assert_int_eq(wait_after(1, 1.25, 65), wait_after(1, 1.25, 64));
	ck_assert_int_eq(wait_after(1, 1.25, UINT32_MAX), wait_after(1, 1.25, 64));
	ck_assert_int_gt(wait_after(1, 1.25, 64), wait_after(1, 1.25, 63));
}
END_TEST

START_TEST(settings_out_of_range_are_taken_for_the_nearest_valid_ones)
{
	struct il_settings settings = il_settings_default();

	ck_assert_int_eq(wait_after(0, 2, 3), 8);
	ck_assert_int_eq(wait_after(INT64_MIN, 1, 3), 1);
	ck_assert_int_eq(wait_after(5, 0.0 / 0.0, 3), 5);
	ck_assert_int_eq(wait_after(5, -2, 3), 5);
	ck_assert_int_eq(wait_after(5, 0.5, 3), 5);
	ck_assert_int_eq(wait_after(5, 1e300, 1), 5000);
	settings.wait_duration_in_open_max_ns = INT64_MIN;
	settings.wait_duration_backoff_multiplier = 1000;
	ck_assert_int_eq(il_backoff_wait_ns(&settings, 9), settings.wait_duration_in_open_ns);
}
END_TEST

static struct il_settings given_doubling(void)
{
	struct il_settings settings = given_settings();

	settings.permitted_calls_in_half_open = 1;
	settings.wait_duration_in_open_ns = 10;
	settings.wait_duration_backoff_multiplier = 2;
	return settings;
}

static void fail_round(void)
{
	it.now_ns += it.breaker.wait_ns;
	ck_assert(acquire());
	record(IL_FAILURE);
	ck_assert_int_eq(it.breaker.state, IL_OPEN);
}

START_TEST(the_wait_grows_with_rounds_that_failed_in_a_row)
{
	given_open(given_doubling());
	ck_assert_int_eq(look().retry_after_ns, 10);
	fail_round();
	ck_assert_int_eq(look().retry_after_ns, 20);
	fail_round();
	ck_assert_int_eq(look().retry_after_ns, 40);
	ck_assert_int_eq(it.effects.events[1].retry_after_ns, 40);
}
END_TEST

START_TEST(an_inconclusive_round_counts_as_failed)
{
	given_first_probe(given_doubling());
	inconclusive_of(2);
	assert_state(IL_OPEN, 3);
	ck_assert_int_eq(look().retry_after_ns, 20);
}
END_TEST

START_TEST(closing_forgets_the_failed_rounds)
{
	given_open(given_doubling());
	fail_round();
	it.now_ns += 20;
	acquire();
	record(IL_SUCCESS);
	ck_assert_int_eq(it.breaker.state, IL_CLOSED);
	record_times(10, IL_FAILURE);
	ck_assert_int_eq(look().retry_after_ns, 10);
}
END_TEST

START_TEST(a_reset_forgets_the_failed_rounds)
{
	given_open(given_doubling());
	fail_round();
	reset();
	record_times(10, IL_FAILURE);
	ck_assert_int_eq(look().retry_after_ns, 10);
}
END_TEST

START_TEST(the_failed_rounds_stop_at_64)
{
	struct il_settings settings = given_doubling();

	settings.wait_duration_backoff_multiplier = 1.25;
	given_open(settings);
	for (int i = 0; i < 70; i++)
		fail_round();
	ck_assert_uint_eq(it.breaker.failed_rounds, 64);
	ck_assert_int_eq(look().retry_after_ns, 15930919);
}
END_TEST

RUN_TESTS("backoff", the_first_wait_is_the_plain_one, each_failed_round_multiplies_the_wait,
	  parts_of_a_nanosecond_are_cut_off_at_the_end_only, no_bit_is_lost_on_the_way,
	  the_wait_ends_at_the_clocks_range, the_wait_ends_at_its_own_limit,
	  more_than_64_rounds_count_as_64,
	  settings_out_of_range_are_taken_for_the_nearest_valid_ones,
	  the_wait_grows_with_rounds_that_failed_in_a_row, an_inconclusive_round_counts_as_failed,
	  closing_forgets_the_failed_rounds, a_reset_forgets_the_failed_rounds,
	  the_failed_rounds_stop_at_64)
