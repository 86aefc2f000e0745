#include "breaker_kit.h"

/* METRICS_ONLY records without judging. */
static void given_window(uint32_t type, uint32_t size)
{
	struct il_settings settings = il_settings_default();

	settings.window_type = type;
	settings.window_size = size;
	settings.minimum_number_of_calls = 1;
	settings.initial_state = IL_METRICS_ONLY;
	given_breaker(settings);
}

static void change_window(uint32_t type, uint32_t size)
{
	struct il_settings after = it.settings;

	after.window_type = type;
	after.window_size = size;
	reconfigure(after);
}

static void record_at(int64_t now_ns, enum il_outcome outcome)
{
	it.now_ns = now_ns;
	record(outcome);
}

START_TEST(cells_are_a_byte_a_call_or_a_bucket_a_second)
{
	given_window(IL_COUNT_BASED, 10000);
	ck_assert_uint_eq(il_cells_bytes(&it.settings), 10000);
	change_window(IL_TIME_BASED, 3600);
	ck_assert_uint_eq(il_cells_bytes(&it.settings), 3600 * sizeof(struct il_bucket));
	ck_assert_uint_eq(il_cells_bytes(&it.settings), IL_CELLS_BYTES_MAX);
	ck_assert_uint_eq(sizeof(struct il_bucket), 24);
}
END_TEST

START_TEST(a_window_size_out_of_range_is_taken_for_the_nearest_valid_one)
{
	struct il_settings settings = il_settings_default();

	settings.window_size = 0;
	ck_assert_uint_eq(il_cells_bytes(&settings), 1);
	settings.window_size = UINT32_MAX;
	ck_assert_uint_eq(il_cells_bytes(&settings), 10000);
	settings.window_type = IL_TIME_BASED;
	ck_assert_uint_eq(il_cells_bytes(&settings), IL_CELLS_BYTES_MAX);
	settings.window_type = 77;
	ck_assert_uint_eq(il_cells_bytes(&settings), 10000);
}
END_TEST

START_TEST(the_oldest_call_leaves_a_full_window)
{
	given_window(IL_COUNT_BASED, 3);
	record(IL_FAILURE);
	record(IL_SLOW_SUCCESS);
	record(IL_SUCCESS);
	assert_window(3, 1, 1);
	record(IL_SUCCESS);
	assert_window(3, 0, 1);
	record(IL_SUCCESS);
	assert_window(3, 0, 0);
}
END_TEST

START_TEST(a_window_of_one_call_is_the_last_call)
{
	given_window(IL_COUNT_BASED, 1);
	record(IL_FAILURE);
	record(IL_SLOW_SUCCESS);
	assert_window(1, 0, 1);
}
END_TEST

START_TEST(time_does_not_empty_a_window_of_calls)
{
	given_window(IL_COUNT_BASED, 3);
	record(IL_FAILURE);
	it.now_ns = INT64_MAX;
	assert_window(1, 1, 0);
}
END_TEST

START_TEST(one_outcome_stores_one_byte)
{
	given_window(IL_COUNT_BASED, 3);
	record_times(4, IL_SUCCESS);
	record(IL_SLOW_FAILURE);
	ck_assert_uint_eq(it.effects.cell_bytes, 1);
	ck_assert_uint_eq(it.effects.cell_offset, 1);
	ck_assert_uint_eq(it.effects.cell.outcome, IL_SLOW_FAILURE);
	ck_assert_uint_eq(((uint8_t *)it.cells)[1], IL_SLOW_FAILURE);
	ck_assert_uint_eq(((uint8_t *)it.cells)[3], 0);
}
END_TEST

START_TEST(one_outcome_stores_one_bucket)
{
	given_window(IL_TIME_BASED, 10);
	record_at(13 * SECONDS, IL_FAILURE);
	record_at(14 * SECONDS - 1, IL_SLOW_SUCCESS);
	ck_assert_uint_eq(it.effects.cell_bytes, sizeof(struct il_bucket));
	ck_assert_uint_eq(it.effects.cell_offset, 3 * sizeof(struct il_bucket));
	ck_assert_uint_eq(it.effects.cell.bucket.second, 13);
	ck_assert_uint_eq(it.effects.cell.bucket.tally.total, 2);
	ck_assert_uint_eq(it.effects.cell.bucket.tally.failed, 1);
	ck_assert_uint_eq(it.effects.cell.bucket.tally.slow, 1);
}
END_TEST

START_TEST(a_second_leaves_when_the_window_has_passed_it)
{
	given_window(IL_TIME_BASED, 10);
	record_at(5 * SECONDS + SECONDS / 2, IL_FAILURE);
	record_at(6 * SECONDS, IL_SLOW_SUCCESS);
	it.now_ns = 15 * SECONDS - 1;
	assert_window(2, 1, 1);
	it.now_ns = 15 * SECONDS;
	assert_window(1, 0, 1);
	it.now_ns = 16 * SECONDS;
	assert_window(0, 0, 0);
}
END_TEST

START_TEST(a_window_of_one_second_is_this_second)
{
	given_window(IL_TIME_BASED, 1);
	record_at(0, IL_FAILURE);
	record_at(SECONDS - 1, IL_FAILURE);
	assert_window(2, 2, 0);
	record_at(SECONDS, IL_SUCCESS);
	assert_window(1, 0, 0);
}
END_TEST

START_TEST(looking_changes_nothing)
{
	given_window(IL_TIME_BASED, 3);
	record_at(0, IL_FAILURE);

	struct il_breaker before = it.breaker;

	it.now_ns = 100 * SECONDS;
	assert_window(0, 0, 0);
	ck_assert_mem_eq(&before, &it.breaker, sizeof(before));
}
END_TEST

START_TEST(outcomes_that_have_expired_do_not_trip)
{
	given_window(IL_TIME_BASED, 3);
	reset();
	it.settings.minimum_number_of_calls = 2;
	record_at(0, IL_FAILURE);
	record_at(3 * SECONDS, IL_FAILURE);
	assert_state(IL_CLOSED, 1);
	record_at(5 * SECONDS, IL_FAILURE);
	assert_state(IL_OPEN, 2);
}
END_TEST

START_TEST(an_amendment_judges_the_seconds_that_are_left)
{
	struct il_handle handle;

	given_window(IL_TIME_BASED, 3);
	reset();
	it.settings.minimum_number_of_calls = 2;
	record_at(0, IL_SUCCESS);
	record_at(0, IL_SUCCESS);
	record_at(2 * SECONDS, IL_SUCCESS);
	it.now_ns = 2 * SECONDS;
	handle = record(IL_SUCCESS);
	it.now_ns = 3 * SECONDS;
	amend(handle, IL_FAILURE);
	assert_state(IL_OPEN, 2);
	ck_assert_uint_eq(it.effects.events[1].calls, 2);
}
END_TEST

START_TEST(an_outcome_of_a_live_second_is_replaced)
{
	struct il_handle handle;

	given_window(IL_TIME_BASED, 3);
	it.now_ns = 7 * SECONDS;
	record(IL_SLOW_SUCCESS);
	handle = record(IL_SUCCESS);
	it.now_ns = 9 * SECONDS;
	amend(handle, IL_FAILURE);
	assert_window(2, 1, 1);
	ck_assert_uint_eq(it.effects.cell_offset, sizeof(struct il_bucket));
	it.now_ns = 10 * SECONDS;
	assert_window(0, 0, 0);
}
END_TEST

START_TEST(an_outcome_of_a_second_that_has_left_is_not_replaced)
{
	struct il_handle handle;

	given_window(IL_TIME_BASED, 3);
	it.now_ns = 7 * SECONDS;
	handle = record(IL_SUCCESS);
	record_at(10 * SECONDS - 1, IL_SUCCESS);
	it.now_ns = 10 * SECONDS;
	amend(handle, IL_FAILURE);
	assert_window(1, 0, 0);
	ck_assert_uint_eq(it.effects.cell_bytes, 0);
}
END_TEST

START_TEST(a_reset_within_a_second_starts_its_bucket_anew)
{
	given_window(IL_TIME_BASED, 3);
	record_at(SECONDS, IL_FAILURE);
	reset();
	assert_window(0, 0, 0);
	override(IL_METRICS_ONLY);
	record(IL_SUCCESS);
	assert_window(1, 0, 0);
	ck_assert_uint_eq(it.effects.cell.bucket.tally.total, 1);
	it.now_ns = 4 * SECONDS;
	assert_window(0, 0, 0);
}
END_TEST

START_TEST(seconds_from_before_a_reset_do_not_leave_a_second_time)
{
	given_window(IL_TIME_BASED, 5);
	record_at(1 * SECONDS, IL_FAILURE);
	record_at(2 * SECONDS, IL_FAILURE);
	reset();
	override(IL_METRICS_ONLY);
	record_at(4 * SECONDS, IL_SUCCESS);
	it.now_ns = 7 * SECONDS;
	assert_window(1, 0, 0);
}
END_TEST

START_TEST(time_that_runs_backwards_stands)
{
	given_window(IL_TIME_BASED, 3);
	record_at(9 * SECONDS, IL_SUCCESS);
	record_at(8 * SECONDS, IL_FAILURE);
	assert_window(2, 1, 0);
	ck_assert_uint_eq(it.effects.cell.bucket.second, 9);
	it.now_ns = -1;
	assert_window(2, 1, 0);
}
END_TEST

START_TEST(a_window_keeps_its_calls_while_only_other_settings_change)
{
	struct il_settings after;

	given_window(IL_COUNT_BASED, 3);
	record(IL_FAILURE);
	after = it.settings;
	after.minimum_number_of_calls = 3;
	reconfigure(after);
	assert_window(1, 1, 0);
}
END_TEST

START_TEST(a_window_of_another_size_or_type_starts_empty)
{
	given_window(IL_COUNT_BASED, 3);
	record_times(2, IL_FAILURE);
	change_window(IL_COUNT_BASED, 2);
	assert_window(0, 0, 0);
	record_times(3, IL_SUCCESS);
	assert_window(2, 0, 0);
	change_window(IL_TIME_BASED, 2);
	assert_window(0, 0, 0);
	record(IL_FAILURE);
	assert_window(1, 1, 0);
	change_window(IL_COUNT_BASED, 2);
	record(IL_SUCCESS);
	assert_window(1, 0, 0);
}
END_TEST

START_TEST(the_bytes_of_a_ring_never_look_like_a_bucket)
{
	/* FAILURE and seven SUCCESS spell the second 1 where a bucket has its stamp, and then one
	 * call where it has its total. */
	given_window(IL_COUNT_BASED, 100);
	for (int i = 0; i < 100; i++)
		record(i % 24 == 0 || i % 24 == 8 ? IL_FAILURE : IL_SUCCESS);
	change_window(IL_TIME_BASED, 2);
	record_at(0, IL_SUCCESS);
	ck_assert_uint_eq(it.cells[3], 1);
	record_at(2 * SECONDS, IL_SUCCESS);
	it.now_ns = 3 * SECONDS;
	assert_window(1, 0, 0);
}
END_TEST

START_TEST(a_stranger_in_the_cells_counts_as_nothing)
{
	given_window(IL_TIME_BASED, 10);
	memset(it.cells, 0xa5, sizeof(it.cells));
	record_at(100 * SECONDS, IL_SUCCESS);
	record_at(105 * SECONDS, IL_SUCCESS);
	it.now_ns = 112 * SECONDS;
	assert_window(1, 0, 0);
}
END_TEST

START_TEST(a_damaged_tally_does_not_go_below_zero)
{
	given_window(IL_COUNT_BASED, 2);
	record_times(2, IL_SLOW_FAILURE);
	it.breaker.window.tally = (struct il_tally){ 0 };
	record(IL_SUCCESS);
	assert_window(1, 0, 0);
}
END_TEST

START_TEST(a_bucket_of_four_thousand_million_seconds_ago_is_not_continued)
{
	given_window(IL_TIME_BASED, 4);
	record_at(1 * SECONDS, IL_FAILURE);
	record_at(((int64_t)1 << 32) * SECONDS + SECONDS, IL_SUCCESS);
	ck_assert_uint_eq(it.effects.cell.bucket.tally.total, 1);
	assert_window(1, 0, 0);
}
END_TEST

START_TEST(the_last_second_of_the_clock_is_a_second_like_any_other)
{
	given_window(IL_TIME_BASED, 3600);
	record_at(INT64_MAX - 3599 * SECONDS, IL_FAILURE);
	record_at(INT64_MAX, IL_SUCCESS);
	assert_window(2, 1, 0);
}
END_TEST

RUN_TESTS("window", cells_are_a_byte_a_call_or_a_bucket_a_second,
	  a_window_size_out_of_range_is_taken_for_the_nearest_valid_one,
	  the_oldest_call_leaves_a_full_window, a_window_of_one_call_is_the_last_call,
	  time_does_not_empty_a_window_of_calls, one_outcome_stores_one_byte,
	  one_outcome_stores_one_bucket, a_second_leaves_when_the_window_has_passed_it,
	  a_window_of_one_second_is_this_second, looking_changes_nothing,
	  outcomes_that_have_expired_do_not_trip, an_amendment_judges_the_seconds_that_are_left,
	  an_outcome_of_a_live_second_is_replaced,
	  an_outcome_of_a_second_that_has_left_is_not_replaced,
	  a_reset_within_a_second_starts_its_bucket_anew,
	  seconds_from_before_a_reset_do_not_leave_a_second_time, time_that_runs_backwards_stands,
	  a_window_keeps_its_calls_while_only_other_settings_change,
	  a_window_of_another_size_or_type_starts_empty,
	  the_bytes_of_a_ring_never_look_like_a_bucket, a_stranger_in_the_cells_counts_as_nothing,
	  a_damaged_tally_does_not_go_below_zero,
	  a_bucket_of_four_thousand_million_seconds_ago_is_not_continued,
	  the_last_second_of_the_clock_is_a_second_like_any_other)
