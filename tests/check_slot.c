/* One operation on one slot: all of it or nothing. */
#include "registry_rig.h"

#include <setjmp.h>

static struct il_slot *slot;
static struct il_change change;

static void given_a_slot(void)
{
	given_a_place();
	segment = opened_as_file("app");
	ck_assert_int_eq(made("db:1", NOW), 0);
	slot = &segment.slots[0];
}

static void begin(void)
{
	ck_assert_int_eq(il_slot_begin(&segment, &self, 0, slot->incarnation, &change), 0);
}

static void record_failure(void)
{
	il_breaker_record(&change.journal.breaker, &change.settings, change.cells, NOW,
			  change.journal.breaker.generation, IL_FAILURE, &change.effects);
	il_slot_count(&change, IL_COUNT_calls_failure);
}

START_TEST(a_commit_changes_everything_at_once)
{
	given_a_slot();
	uint64_t before = il_slot_word(slot);

	begin();
	record_failure();
	change.journal.facts = IL_FACT_GREETED;
	change.journal.death_charged_ns = 77;
	change.journal.trip.calls = 5;
	change.journal.recent_place = 32;
	change.journal.recent.pid = 4711;
	ck_assert_uint_eq(slot->breaker.window.next, 0);
	ck_assert(il_slot_commit(&change));
	ck_assert_uint_eq(slot->breaker.window.next, 1);
	ck_assert_uint_eq(slot->cells[0], IL_FAILURE);
	ck_assert_uint_eq(slot->counts[IL_COUNT_calls_failure], 1);
	ck_assert_uint_eq(slot->facts, IL_FACT_GREETED);
	ck_assert_int_eq(slot->death_charged_ns, 77);
	ck_assert_uint_eq(slot->trip.calls, 5);
	ck_assert_uint_eq(slot->recent[31].pid, 4711);
	ck_assert_uint_eq(IL_COMMIT_SEQUENCE(slot->commit), IL_COMMIT_SEQUENCE(before) + 1);
	ck_assert_uint_eq(slot->applied, IL_COMMIT_SEQUENCE(slot->commit));
	ck_assert_uint_eq(slot->lock.owner, 0);
	then_the_place_is_removed();
}
END_TEST

START_TEST(abandoning_changes_nothing)
{
	struct il_slot *before = malloc(sizeof(*before));

	given_a_slot();
	memcpy(before, slot, sizeof(*before));
	begin();
	record_failure();
	il_slot_abandon(&change);
	ck_assert_mem_eq(&before->commit, &slot->commit,
			 sizeof(*slot) - offsetof(struct il_slot, commit));
	ck_assert_uint_eq(slot->lock.owner, 0);
	free(before);
	then_the_place_is_removed();
}
END_TEST

START_TEST(the_commit_word_tells_state_and_generation)
{
	given_a_slot();
	for (int i = 0; i < 10; i++)
		ck_assert(recorded(0, IL_FAILURE, NOW));
	ck_assert_uint_eq(IL_COMMIT_STATE(il_slot_word(slot)), IL_OPEN);
	ck_assert_uint_eq(IL_COMMIT_GENERATION(il_slot_word(slot)), 1);
	then_the_place_is_removed();
}
END_TEST

START_TEST(another_incarnation_is_another_breaker)
{
	given_a_slot();
	ck_assert_int_eq(il_slot_begin(&segment, &self, 0, slot->incarnation + 1, &change),
			 -ESTALE);
	ck_assert_int_eq(il_slot_begin(&segment, &self, 8, 1, &change), -ESTALE);
	ck_assert_int_eq(il_slot_begin(&segment, &self, UINT32_MAX, 1, &change), -ESTALE);
	ck_assert_uint_eq(slot->lock.owner, 0);
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_lock_that_is_not_had_is_counted)
{
	given_a_slot();
	slot->lock.owner = 1 | 1 << 22; /* init lives, and somebody waited for it already */
	slot->lock.stuck = slot->lock.owner;
	slot->lock.looked_at_ns = INT64_MAX / 2;
	int begun = il_slot_begin(&segment, &self, 0, 1, &change);

	ck_assert_int_eq(begun, -ETIMEDOUT);
	ck_assert_uint_eq(slot->counts[IL_COUNT_lock_timeouts], 1);
	then_the_place_is_removed();
}
END_TEST

static jmp_buf out;

__attribute__((noinline)) static void begin_and_jump_out(void)
{
	struct il_change local;

	if (il_slot_begin(&segment, &self, 0, 1, &local) == 0)
		longjmp(out, 1);
}

START_TEST(a_jump_out_of_an_operation_is_no_operation)
{
	given_a_slot();
	if (setjmp(out) == 0)
		begin_and_jump_out();
	/* Where nothing has used that stack since, the frame seems to live: for a second. */
	if (!recorded(0, IL_SUCCESS, NOW)) {
		slot->lock.looked_at_ns = 1;
		ck_assert(recorded(0, IL_SUCCESS, NOW));
	}
	for (int i = 0; i < 2; i++)
		ck_assert(recorded(0, IL_SUCCESS, NOW));
	ck_assert_uint_eq(slot->breaker.window.next, 3);
	then_the_place_is_removed();
}
END_TEST

START_TEST(what_is_committed_without_the_lock_is_dropped)
{
	given_a_slot();
	uint64_t before = il_slot_word(slot);

	begin();
	record_failure();
	slot->lock.owner = 4711;
	ck_assert(!il_slot_commit(&change));
	ck_assert_uint_eq(il_slot_word(slot), before);
	ck_assert_uint_eq(slot->breaker.window.next, 0);
	ck_assert_uint_eq(slot->lock.owner, 4711);
	then_the_place_is_removed();
}
END_TEST

/* Applies the same journal once and again, from any mixture of before and after. */
START_TEST(a_journal_applied_twice_is_applied_once)
{
	struct il_slot *once = malloc(sizeof(*once));

	given_a_slot();
	begin();
	record_failure();
	ck_assert(il_slot_commit(&change));
	memcpy(once, slot, sizeof(*once));
	for (int i = 0; i < 3; i++) {
		slot->applied--;
		slot->breaker.window.next = 0;
		slot->counts[IL_COUNT_calls_failure] = 0;
		slot->cells[0] = IL_SUCCESS;
		il_slot_apply(slot, slot->cells, sizeof(slot->cells));
		ck_assert_mem_eq(once, slot, sizeof(*once));
	}
	free(once);
	then_the_place_is_removed();
}
END_TEST

START_TEST(more_counts_than_a_journal_holds_are_dropped)
{
	given_a_slot();
	begin();
	for (uint32_t i = 0; i < IL_JOURNAL_COUNTS + 3; i++)
		il_slot_count(&change, i);
	il_slot_count(&change, IL_COUNTS);
	ck_assert(il_slot_commit(&change));
	for (uint32_t i = 0; i < IL_JOURNAL_COUNTS + 3; i++)
		ck_assert_uint_eq(slot->counts[i], i < IL_JOURNAL_COUNTS);
	il_slot_count_now(slot, IL_COUNT_rejected, 5);
	il_slot_count_now(slot, IL_COUNTS, 5);
	then_the_place_is_removed();
}
END_TEST

RUN_TESTS("slot", a_commit_changes_everything_at_once, abandoning_changes_nothing,
	  the_commit_word_tells_state_and_generation, another_incarnation_is_another_breaker,
	  a_lock_that_is_not_had_is_counted, a_jump_out_of_an_operation_is_no_operation,
	  what_is_committed_without_the_lock_is_dropped, a_journal_applied_twice_is_applied_once,
	  more_counts_than_a_journal_holds_are_dropped)
