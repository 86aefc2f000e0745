/* The open calls of a slot. */
#include "registry_rig.h"

static struct il_slot *slot;

static void given_a_slot(void)
{
	given_a_place();
	segment = opened_as_file("app");
	ck_assert_int_eq(made("db:1", NOW), 0);
	slot = &segment.slots[0];
}

static struct il_lease_ref opened_lease(void)
{
	struct il_lease_ref ref = il_lease_open(slot, &self, 7, NOW);

	ck_assert_uint_ne(ref.place, 0);
	return ref;
}

static struct il_lease_view seen(struct il_lease_ref ref)
{
	struct il_lease_view view;

	ck_assert(il_lease_look(slot, ref.place - 1, &view));
	return view;
}

static void begin(struct il_change *change)
{
	ck_assert_int_eq(il_slot_begin(&segment, &self, 0, slot->incarnation, change), 0);
}

START_TEST(a_lease_says_whose_it_is_and_since_when)
{
	given_a_slot();
	struct il_lease_ref ref = opened_lease();
	struct il_lease_view view = seen(ref);

	ck_assert_int_eq(view.kind, IL_LEASE_CALL);
	ck_assert_uint_eq(view.pid, self.pid);
	ck_assert_uint_eq(view.start, self.start);
	ck_assert_uint_eq(view.generation, 7);
	ck_assert_int_eq(view.begun_ns, NOW);
	ck_assert_int_eq(view.waiting_since_ns, 0);
	ck_assert(!view.charged);
	then_the_place_is_removed();
}
END_TEST

START_TEST(nobody_waited_longer_than_his_lease_says)
{
	given_a_slot();
	struct il_lease_ref ref = opened_lease();

	il_lease_wait(slot, ref, NOW + 1);
	ck_assert_int_ge(seen(ref).waiting_since_ns, NOW + 1);
	ck_assert_int_le(seen(ref).waiting_since_ns, NOW + 1 + 4096);
	il_lease_wait(slot, ref, 0);
	ck_assert_int_eq(seen(ref).waiting_since_ns, 0);
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_dropped_lease_is_nobodys_any_more)
{
	given_a_slot();
	struct il_lease_ref ref = opened_lease();

	ck_assert(il_lease_current(slot, ref));
	ck_assert(il_lease_drop(slot, ref));
	ck_assert(!il_lease_current(slot, ref));
	ck_assert(!il_lease_drop(slot, ref));
	struct il_lease_ref next = opened_lease();
	ck_assert_uint_eq(next.place, ref.place);
	ck_assert(!il_lease_current(slot, ref));
	il_lease_wait(slot, ref, NOW); /* late: the successor's entry stays as it is */
	ck_assert_int_eq(seen(next).waiting_since_ns, 0);
	ck_assert(!il_lease_drop(slot, ref));
	ck_assert(il_lease_current(slot, next));
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_full_table_has_no_lease_for_an_ordinary_call)
{
	given_a_slot();
	for (uint32_t i = 0; i < IL_LEASES; i++)
		opened_lease();
	ck_assert_uint_eq(il_lease_open(slot, &self, 7, NOW).place, 0);
	ck_assert(!il_lease_current(slot, (struct il_lease_ref){ 0 }));
	ck_assert(!il_lease_drop(slot, (struct il_lease_ref){ .place = 99 }));
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_probe_takes_the_oldest_calls_place_in_a_full_table)
{
	struct il_change change;
	struct il_lease_ref refs[IL_LEASES];

	given_a_slot();
	for (uint32_t i = 0; i < IL_LEASES; i++)
		refs[i] = il_lease_open(slot, &self, 7, NOW + (i == 5 ? 0 : 10 + i));
	begin(&change);
	struct il_lease_ref probe = il_lease_open_probe(&change, NOW + 99);
	ck_assert_uint_eq(probe.place, refs[5].place);
	ck_assert(il_slot_commit(&change));
	ck_assert_int_eq(seen(probe).kind, IL_LEASE_PROBE);
	ck_assert(!il_lease_current(slot, refs[5]));
	ck_assert_uint_eq(slot->counts[IL_COUNT_unleased], 1);
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_probes_lease_stands_when_its_admission_does)
{
	struct il_change change;

	given_a_slot();
	begin(&change);
	struct il_lease_ref ref = il_lease_open_probe(&change, NOW);
	ck_assert(!il_lease_current(slot, ref));
	il_slot_abandon(&change);
	ck_assert(il_lease_is_free(slot, ref.place - 1));
	begin(&change);
	ref = il_lease_open_probe(&change, NOW);
	ck_assert(il_slot_commit(&change));
	ck_assert(il_lease_current(slot, ref));
	ck_assert_int_eq(seen(ref).kind, IL_LEASE_PROBE);
	ck_assert_int_eq(seen(ref).begun_ns, NOW);
	ck_assert(!il_lease_drop(slot, ref)); /* a probe is never let go without its breaker */
	begin(&change);
	il_lease_close(&change, ref);
	ck_assert(il_lease_current(slot, ref));
	ck_assert(il_slot_commit(&change));
	ck_assert(!il_lease_current(slot, ref));
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_charged_lease_remembers_its_outcome)
{
	struct il_handle handle = { .generation = 9,
				    .sequence = 1234567,
				    .second = 1000,
				    .place = 1,
				    .outcome = IL_SLOW_SUCCESS };
	struct il_change change;

	given_a_slot();
	struct il_lease_ref ref = opened_lease();
	begin(&change);
	il_lease_charge(&change, ref, handle);
	ck_assert(il_slot_commit(&change));
	struct il_lease_view view = seen(ref);

	ck_assert(view.charged);
	ck_assert(il_lease_is_charged(slot, ref));
	ck_assert(il_lease_current(slot, ref));
	ck_assert_uint_eq(view.handle.sequence, 1234567);
	ck_assert_uint_eq(view.handle.second, 1000);
	ck_assert_uint_eq(view.handle.place, 1);
	ck_assert_uint_eq(view.handle.outcome, IL_SLOW_SUCCESS);
	ck_assert_uint_eq(view.generation, 9);
	then_the_place_is_removed();
}
END_TEST

static void reserve_and_die(void)
{
	struct il_change change;

	if (il_slot_begin(&segment, &self, 0, slot->incarnation, &change) == 0)
		il_lease_open_probe(&change, NOW);
	kill(getpid(), SIGKILL);
}

START_TEST(a_reservation_of_the_dead_is_cleared_away)
{
	struct il_change change;
	struct il_lease_view view;

	given_a_slot();
	ck_assert_int_eq(in_a_process(reserve_and_die), 128 + SIGKILL);
	begin(&change);
	il_slot_abandon(&change);
	int left = 0;

	for (uint32_t i = 0; i < IL_LEASES; i++) {
		ck_assert(!il_lease_look(slot, i, &view));
		left += !il_lease_is_free(slot, i);
		il_lease_reap(slot, i);
		ck_assert(il_lease_is_free(slot, i));
	}
	ck_assert_int_eq(left, 1);
	then_the_place_is_removed();
}
END_TEST

START_TEST(closing_what_is_no_longer_ours_changes_nothing)
{
	struct il_change change;

	given_a_slot();
	struct il_lease_ref ref = opened_lease();
	ck_assert(il_lease_drop(slot, ref));
	struct il_lease_ref next = opened_lease();

	begin(&change);
	il_lease_close(&change, ref);
	ck_assert(il_slot_commit(&change));
	begin(&change);
	il_lease_charge(&change, ref, (struct il_handle){ .outcome = IL_SLOW_SUCCESS });
	ck_assert(il_slot_commit(&change));
	ck_assert(il_lease_current(slot, next));
	ck_assert(!il_lease_is_charged(slot, next));
	then_the_place_is_removed();
}
END_TEST

RUN_TESTS("leases", a_lease_says_whose_it_is_and_since_when,
	  nobody_waited_longer_than_his_lease_says, a_dropped_lease_is_nobodys_any_more,
	  a_full_table_has_no_lease_for_an_ordinary_call,
	  a_probe_takes_the_oldest_calls_place_in_a_full_table,
	  a_probes_lease_stands_when_its_admission_does, a_charged_lease_remembers_its_outcome,
	  a_reservation_of_the_dead_is_cleared_away, closing_what_is_no_longer_ours_changes_nothing)
