/* Readers: whole breakers, without a lock, whatever the file is like. */
#include "registry_rig.h"

static struct il_snapshot *snapshot;
static struct il_reader reader;

static void given_a_breaker(void)
{
	given_a_place();
	snapshot = malloc(sizeof(*snapshot));
	segment = opened_as_file("app");
	ck_assert_int_eq(made("db:5432", NOW), 0);
	ck_assert_int_eq(il_reader_open(&reader, dir, "app", NULL), 0);
}

static void then_all_is_removed(void)
{
	il_reader_close(&reader);
	il_reader_close(&reader);
	free(snapshot);
	then_the_place_is_removed();
}

START_TEST(a_breaker_is_read_from_outside)
{
	given_a_breaker();
	for (int i = 0; i < 4; i++)
		ck_assert(recorded(0, IL_FAILURE, NOW));
	ck_assert(recorded(0, IL_SLOW_SUCCESS, NOW));
	ck_assert_int_eq(il_reader_read(&reader, 0, NOW, snapshot), 0);
	ck_assert_str_eq(snapshot->slot.name, "db:5432");
	ck_assert_uint_eq(snapshot->look.total, 5);
	ck_assert_uint_eq(snapshot->look.failed, 4);
	ck_assert_uint_eq(snapshot->look.slow, 1);
	ck_assert_int_eq(snapshot->look.retry_after_ns, -1);
	ck_assert_uint_eq(snapshot->slot.counts[IL_COUNT_calls_failure], 4);
	then_all_is_removed();
}
END_TEST

START_TEST(the_process_itself_sees_the_same)
{
	struct il_snapshot *mapped = malloc(sizeof(*mapped));

	given_a_breaker();
	for (int i = 0; i < 10; i++)
		ck_assert(recorded(0, IL_FAILURE, NOW));
	memset(mapped, 0, sizeof(*mapped));
	memset(snapshot, 0, sizeof(*snapshot));
	ck_assert_int_eq(il_segment_read(&segment, 0, NOW + SECOND, mapped), 0);
	ck_assert_int_eq(il_reader_read(&reader, 0, NOW + SECOND, snapshot), 0);
	ck_assert_mem_eq(mapped, snapshot, sizeof(*mapped));
	ck_assert_int_eq(mapped->look.retry_after_ns, 59 * SECOND);
	free(mapped);
	then_all_is_removed();
}
END_TEST

START_TEST(a_large_window_is_read_from_the_area_behind)
{
	given_a_breaker();
	settings.window_type = IL_TIME_BASED;
	settings.window_size = 3600;
	ck_assert_int_eq(made("big:1", NOW), 1);
	for (int i = 0; i < 3600; i++)
		ck_assert(recorded(1, i % 4 == 3 ? IL_FAILURE : IL_SUCCESS, NOW + i * SECOND));
	ck_assert_int_eq(il_reader_read(&reader, 1, NOW + 3599 * SECOND, snapshot), 0);
	ck_assert_uint_eq(snapshot->look.total, 3600);
	ck_assert_uint_eq(snapshot->look.failed, 900);
	/* The reader lets the seconds pass, although nobody writes. */
	ck_assert_int_eq(il_reader_read(&reader, 1, NOW + (3599 + 3000) * SECOND, snapshot), 0);
	ck_assert_uint_eq(snapshot->look.total, 600);
	ck_assert_uint_eq(snapshot->look.failed, 150);
	then_all_is_removed();
}
END_TEST

START_TEST(free_slots_and_places_that_do_not_exist_are_no_breakers)
{
	given_a_breaker();
	ck_assert_int_eq(il_reader_read(&reader, 1, NOW, snapshot), -ENOENT);
	ck_assert_int_eq(il_reader_read(&reader, 8, NOW, snapshot), -ENOENT);
	ck_assert_int_eq(il_reader_read(&reader, UINT32_MAX, NOW, snapshot), -ENOENT);
	ck_assert_int_eq(il_segment_read(&segment, 8, NOW, snapshot), -ENOENT);
	then_all_is_removed();
}
END_TEST

START_TEST(a_commit_that_is_not_applied_yet_is_read_as_done)
{
	struct il_change change;

	given_a_breaker();
	for (int i = 0; i < 3; i++)
		ck_assert(recorded(0, IL_FAILURE, NOW));
	/* As a writer killed right after the commit word leaves it. */
	ck_assert_int_eq(il_slot_begin(&segment, &self, 0, 1, &change), 0);
	il_breaker_record(&change.journal.breaker, &change.settings, change.cells, NOW, 0,
			  IL_FAILURE, &change.effects);
	il_slot_count(&change, IL_COUNT_calls_failure);
	change.journal.cell_bytes = change.effects.cell_bytes;
	change.journal.cell_offset = change.effects.cell_offset;
	change.journal.cell.second = change.effects.cell.outcome;
	segment.slots[0].journal = change.journal;
	segment.slots[0].commit += UINT64_C(1) << 32;
	ck_assert_int_eq(il_reader_read(&reader, 0, NOW, snapshot), 0);
	ck_assert_uint_eq(snapshot->look.total, 4);
	ck_assert_uint_eq(snapshot->slot.counts[IL_COUNT_calls_failure], 4);
	ck_assert_uint_eq(segment.slots[0].counts[IL_COUNT_calls_failure], 3);
	il_slot_abandon(&change);
	then_all_is_removed();
}
END_TEST

START_TEST(a_file_that_shrinks_under_the_reader_is_an_error)
{
	given_a_breaker();
	for (off_t size = 30000; size > 0; size -= 1000) {
		ck_assert_int_eq(truncate(path_of("app"), size), 0);
		int got = il_reader_read(&reader, 0, NOW, snapshot);

		ck_assert(got == 0 || got == -EIO || got == -ENOENT);
	}
	then_all_is_removed();
}
END_TEST

START_TEST(what_an_attaching_process_refuses_a_reader_refuses_too)
{
	given_a_breaker();
	struct il_reader other = { .fd = -1 };

	ck_assert_int_eq(il_reader_open(&other, dir, "none", NULL), -ENOENT);
	ck_assert_int_eq(il_reader_open(&other, "/nonexistent", "app", NULL), -ENOENT);
	given_bytes("app", 0, "x", 1);
	ck_assert_int_eq(il_reader_open(&other, dir, "app", NULL), -EINVAL);
	ck_assert_int_eq(other.fd, -1);
	then_all_is_removed();
}
END_TEST

/* Every call is counted and in the window, whose size is beyond what is recorded: sums must agree.
 */
START_TEST(a_reader_never_sees_half_an_operation)
{
	int whole = 0;

	given_a_breaker();
	settings.failure_rate_threshold = 1;
	settings.window_size = 10000;
	ck_assert_int_eq(made("busy:1", NOW), 1);
	pid_t child = fork();
	if (child == 0) {
		self = il_self_read();
		for (int i = 0; i < 9000; i++) {
			recorded(1, i % 3 ? IL_SUCCESS : IL_FAILURE, NOW);
			if (i % 50 == 0)
				usleep(100);
		}
		_exit(0);
	}
	while (waitpid(child, NULL, WNOHANG) == 0) {
		int got = il_reader_read(&reader, 1, NOW, snapshot);
		const uint64_t *counts = snapshot->slot.counts;
		uint32_t in_cells = 0;

		ck_assert(got == 0 || got == -EAGAIN);
		if (got < 0)
			continue;
		whole++;
		ck_assert_uint_eq(snapshot->look.total,
				  counts[IL_COUNT_calls_success] + counts[IL_COUNT_calls_failure]);
		ck_assert_uint_eq(snapshot->look.failed, counts[IL_COUNT_calls_failure]);
		ck_assert_uint_eq(snapshot->slot.breaker.window.next, snapshot->look.total);
		for (uint32_t i = 0; i < snapshot->look.total; i++)
			in_cells += ((const uint8_t *)snapshot->cells)[i] & 1;
		ck_assert_uint_eq(in_cells, snapshot->look.failed);
	}
	ck_assert_int_gt(whole, 0);
	then_all_is_removed();
}
END_TEST

RUN_TESTS("snapshot", a_breaker_is_read_from_outside, the_process_itself_sees_the_same,
	  a_large_window_is_read_from_the_area_behind,
	  free_slots_and_places_that_do_not_exist_are_no_breakers,
	  a_commit_that_is_not_applied_yet_is_read_as_done,
	  a_file_that_shrinks_under_the_reader_is_an_error,
	  what_an_attaching_process_refuses_a_reader_refuses_too,
	  a_reader_never_sees_half_an_operation)
