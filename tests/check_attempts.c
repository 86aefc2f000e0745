/* The addresses of one look-up are one call; the loser of a race is none. */
#include "core/attempts.h"

#include "check_run.h"

#define MS 1000000LL
#define S  (1000 * MS)

static struct il_attempts a;
static bool continued;
static const struct il_verdict failure = { .kind = IL_VERDICT_RECORD, .outcome = IL_FAILURE };
static const struct il_verdict unsure = { .kind = IL_VERDICT_INCONCLUSIVE };

static void given_no_attempts(void)
{
	il_attempts_forked(&a);
}

/* Address `address` of look-up 7, which has three, tried by thread 1. */
static int try(uint32_t address, int64_t now_ns)
{
	struct il_try t = { .lookup = 7, .thread = 1, .address = address, .addresses = 3 };

	continued = false;
	return il_attempts_begin(&a, &t, now_ns, &continued);
}

static int due(int64_t now_ns)
{
	struct il_verdict v = { 0 };
	int index = il_attempts_due(&a, now_ns, &v);

	if (index >= 0)
		ck_assert_int_ne(v.kind, IL_VERDICT_NONE);
	return index;
}

START_TEST(the_next_address_goes_on_with_the_call)
{
	given_no_attempts();
	int first = try(1, S);

	ck_assert_int_ge(first, 0);
	ck_assert(!continued);
	ck_assert(il_attempts_failed(&a, first, failure, S));
	ck_assert_int_eq(try(2, S + 5), first);
	ck_assert(continued);
	ck_assert_int_eq(due(INT64_MAX), -1);
}
END_TEST

START_TEST(the_failure_of_the_last_address_is_the_verdict)
{
	given_no_attempts();
	int index = try(1, S);

	ck_assert(il_attempts_failed(&a, index, unsure, S));
	ck_assert_int_eq(try(2, S), index);
	ck_assert(il_attempts_failed(&a, index, failure, S));
	ck_assert_int_eq(try(3, S), index);
	ck_assert(!il_attempts_failed(&a, index, failure, S));
	ck_assert_int_eq(due(INT64_MAX), -1);
}
END_TEST

START_TEST(without_a_further_try_within_two_seconds_it_is_a_failure)
{
	given_no_attempts();
	int index = try(1, S);
	struct il_verdict v = { 0 };

	il_attempts_failed(&a, index, failure, S);
	ck_assert_int_eq(il_attempts_due(&a, 3 * S, &v), -1);
	ck_assert_int_eq(v.kind, 0);
	ck_assert_int_eq(il_attempts_due_ns(&a), 3 * S + 1);
	ck_assert_int_eq(il_attempts_due(&a, 3 * S + 1, &v), index);
	ck_assert_int_eq(v.outcome, IL_FAILURE);
	ck_assert_int_eq(il_attempts_due(&a, 3 * S + 1, &v), -1);
	ck_assert_int_eq(il_attempts_due_ns(&a), INT64_MAX);
}
END_TEST

START_TEST(a_try_after_exactly_two_seconds_goes_on)
{
	given_no_attempts();
	il_attempts_failed(&a, try(1, S), failure, S);
	try(2, 3 * S);
	ck_assert(continued);
}
END_TEST

START_TEST(a_later_one_does_not)
{
	given_no_attempts();
	il_attempts_failed(&a, try(1, S), failure, S);
	try(2, 3 * S + 1);
	ck_assert(!continued);
	ck_assert_int_ge(due(3 * S + 1), 0);
}
END_TEST

START_TEST(the_two_seconds_count_from_each_failure)
{
	given_no_attempts();
	il_attempts_failed(&a, try(1, S), failure, S);
	il_attempts_failed(&a, try(2, 3 * S), failure, 9 * S);
	try(3, 11 * S);
	ck_assert(continued);
}
END_TEST

START_TEST(exit_settles_what_is_held_back)
{
	given_no_attempts();
	il_attempts_failed(&a, try(1, S), failure, S);
	ck_assert_int_ge(due(INT64_MAX), 0);
	ck_assert_int_eq(due(INT64_MAX), -1);
}
END_TEST

START_TEST(an_address_already_tried_is_another_call)
{
	given_no_attempts();
	int first = try(1, S);

	il_attempts_failed(&a, first, failure, S);
	ck_assert_int_ne(try(1, S), first);
	ck_assert(!continued);
}
END_TEST

START_TEST(of_several_the_oldest_goes_on_that_has_not_tried_it)
{
	given_no_attempts();
	int older = try(1, S), newer = try(2, S + 1);

	il_attempts_failed(&a, older, failure, S + 2);
	il_attempts_failed(&a, newer, failure, S + 3);
	ck_assert_int_eq(try(1, S + 4), newer);
	ck_assert(continued);
	ck_assert_int_eq(try(3, S + 4), older);
	ck_assert(continued);
}
END_TEST

START_TEST(the_oldest_comes_first)
{
	given_no_attempts();
	int one = try(1, S), two = try(1, S);

	il_attempts_failed(&a, two, failure, S + 1);
	il_attempts_failed(&a, one, failure, S + 2);
	ck_assert_int_eq(try(2, S + 3), two);
}
END_TEST

START_TEST(another_thread_does_not_go_on)
{
	struct il_try other = { .lookup = 7, .thread = 2, .address = 2, .addresses = 3 };

	given_no_attempts();
	il_attempts_failed(&a, try(1, S), failure, S);
	continued = false;
	ck_assert_int_ge(il_attempts_begin(&a, &other, S, &continued), 0);
	ck_assert(!continued);
}
END_TEST

START_TEST(another_look_up_does_not_go_on)
{
	struct il_try other = { .lookup = 8, .thread = 1, .address = 2, .addresses = 3 };

	given_no_attempts();
	il_attempts_failed(&a, try(1, S), failure, S);
	continued = false;
	il_attempts_begin(&a, &other, S, &continued);
	ck_assert(!continued);
}
END_TEST

START_TEST(an_attempt_under_way_is_not_gone_on_with)
{
	given_no_attempts();
	int first = try(1, S);

	ck_assert_int_ne(try(2, S), first);
	ck_assert(!continued);
}
END_TEST

START_TEST(an_address_of_no_look_up_stands_alone)
{
	struct il_try alone = { .thread = 1, .address = 1 };

	given_no_attempts();
	ck_assert_int_eq(il_attempts_begin(&a, &alone, S, &continued), -1);
	ck_assert(!il_attempts_failed(&a, -1, failure, S));
	ck_assert(!il_attempts_lost(&a, -1, S));
	il_attempts_connected(&a, -1, S);
	il_attempts_end(&a, -1);
}
END_TEST

START_TEST(the_only_address_has_no_other)
{
	struct il_try only = { .lookup = 7, .thread = 1, .address = 1, .addresses = 1 };

	given_no_attempts();
	ck_assert(!il_attempts_failed(&a, il_attempts_begin(&a, &only, S, &continued), failure, S));
	ck_assert_int_eq(due(INT64_MAX), -1);
}
END_TEST

START_TEST(what_was_charged_is_not_held_back)
{
	struct il_verdict charged = { .kind = IL_VERDICT_AMEND, .outcome = IL_SLOW_FAILURE };

	given_no_attempts();
	ck_assert(!il_attempts_failed(&a, try(1, S), charged, S));
	ck_assert_int_eq(due(INT64_MAX), -1);
}
END_TEST

START_TEST(a_call_goes_on_through_sixteen_addresses)
{
	struct il_try t = { .lookup = 7, .thread = 1 };
	int index = -1;

	given_no_attempts();
	for (t.address = 1; t.address <= IL_ADDRESSES_MAX; t.address++) {
		index = il_attempts_begin(&a, &t, S, &continued);
		ck_assert_int_eq(il_attempts_failed(&a, index, failure, S),
				 t.address < IL_ADDRESSES_MAX);
	}
	ck_assert_int_eq(due(INT64_MAX), -1);
}
END_TEST

START_TEST(a_full_table_lets_attempts_stand_alone)
{
	given_no_attempts();
	for (uint32_t i = 0; i < IL_ATTEMPTS_MAX; i++)
		ck_assert_int_ge(try(i, S), 0);
	ck_assert_int_eq(try(99, S), -1);
	il_attempts_end(&a, 5);
	ck_assert_int_eq(try(99, S), 5);
}
END_TEST

START_TEST(room_is_made_by_those_who_won_longest_ago)
{
	given_no_attempts();
	for (uint32_t i = 0; i < IL_ATTEMPTS_MAX; i++)
		il_attempts_connected(&a, try(i, S), S + (i == 9 ? -5 : (int)i));
	ck_assert_int_eq(try(99, S), 9);
}
END_TEST

START_TEST(the_loser_of_a_race_is_no_call)
{
	given_no_attempts();
	int slow = try(1, S), fast = try(2, S + 250 * MS);

	il_attempts_connected(&a, fast, S + 300 * MS);
	il_attempts_end(&a, fast); /* that it was closed meanwhile does not matter */
	ck_assert(il_attempts_lost(&a, slow, S + 400 * MS));
	ck_assert(!il_attempts_lost(&a, slow, S + 400 * MS));
}
END_TEST

START_TEST(attempts_race_while_more_than_one_of_a_look_up_is_under_way)
{
	struct il_try other = { .lookup = 8, .thread = 1, .address = 2 };

	given_no_attempts();
	int slow = try(1, S);

	il_attempts_begin(&a, &other, S, &continued);
	ck_assert(!il_attempts_races(&a, slow));
	int fast = try(2, S + 250 * MS);

	ck_assert(il_attempts_races(&a, slow) && il_attempts_races(&a, fast));
	ck_assert(!il_attempts_races(&a, -1));
	il_attempts_connected(&a, fast, S + 300 * MS);
	ck_assert(!il_attempts_races(&a, slow));
}
END_TEST

START_TEST(closed_more_than_100_ms_after_the_race_it_is_one)
{
	given_no_attempts();
	int slow = try(1, S), fast = try(2, S + 250 * MS);

	il_attempts_connected(&a, fast, S + 300 * MS);
	ck_assert(!il_attempts_lost(&a, slow, S + 400 * MS + 1));
}
END_TEST

START_TEST(one_that_began_later_did_not_lose_to_one_before)
{
	given_no_attempts();
	int fast = try(1, S), late = try(2, S + 1);

	il_attempts_connected(&a, fast, S + 300 * MS);
	ck_assert(!il_attempts_lost(&a, late, S + 301 * MS));
}
END_TEST

START_TEST(nor_to_the_same_address)
{
	given_no_attempts();
	int one = try(1, S), two = try(1, S + 1);

	il_attempts_connected(&a, two, S + 300 * MS);
	ck_assert(!il_attempts_lost(&a, one, S + 301 * MS));
}
END_TEST

START_TEST(nor_to_another_look_up)
{
	struct il_try other = { .lookup = 8, .thread = 1, .address = 2 };

	given_no_attempts();
	int slow = try(1, S), fast = il_attempts_begin(&a, &other, S + 1, &continued);

	il_attempts_connected(&a, fast, S + 300 * MS);
	ck_assert(!il_attempts_lost(&a, slow, S + 301 * MS));
}
END_TEST

START_TEST(it_may_lose_to_another_thread)
{
	struct il_try other = { .lookup = 7, .thread = 2, .address = 2 };

	given_no_attempts();
	int slow = try(1, S), fast = il_attempts_begin(&a, &other, S + 1, &continued);

	il_attempts_connected(&a, fast, S + 300 * MS);
	ck_assert(il_attempts_lost(&a, slow, S + 301 * MS));
}
END_TEST

START_TEST(a_child_has_none_of_its_parents_attempts)
{
	given_no_attempts();
	il_attempts_failed(&a, try(1, S), failure, S);
	il_attempts_forked(&a);
	ck_assert_int_eq(due(INT64_MAX), -1);
	try(2, S);
	ck_assert(!continued);
}
END_TEST

START_TEST(a_look_up_is_borne_by_the_first_connect_to_its_result)
{
	struct il_lookup last = { .lookup = 7, .ended_ns = S, .duration_ns = 30 * MS };

	ck_assert_int_eq(il_lookup_take(&last, 8, S), 0);
	ck_assert_int_eq(il_lookup_take(&last, 0, S), 0);
	ck_assert_int_eq(il_lookup_take(&last, 7, 2 * S), 30 * MS);
	ck_assert_int_eq(il_lookup_take(&last, 7, 2 * S), 0);
}
END_TEST

START_TEST(a_look_up_older_than_a_second_is_not_borne)
{
	struct il_lookup last = { .lookup = 7, .ended_ns = S, .duration_ns = 30 * MS };

	ck_assert_int_eq(il_lookup_take(&last, 7, 2 * S + 1), 0);
}
END_TEST

RUN_TESTS("attempts", the_next_address_goes_on_with_the_call,
	  the_failure_of_the_last_address_is_the_verdict,
	  without_a_further_try_within_two_seconds_it_is_a_failure,
	  a_try_after_exactly_two_seconds_goes_on, a_later_one_does_not,
	  the_two_seconds_count_from_each_failure, exit_settles_what_is_held_back,
	  an_address_already_tried_is_another_call,
	  of_several_the_oldest_goes_on_that_has_not_tried_it, the_oldest_comes_first,
	  another_thread_does_not_go_on, another_look_up_does_not_go_on,
	  an_attempt_under_way_is_not_gone_on_with, an_address_of_no_look_up_stands_alone,
	  the_only_address_has_no_other, what_was_charged_is_not_held_back,
	  a_call_goes_on_through_sixteen_addresses, a_full_table_lets_attempts_stand_alone,
	  room_is_made_by_those_who_won_longest_ago, the_loser_of_a_race_is_no_call,
	  attempts_race_while_more_than_one_of_a_look_up_is_under_way,
	  closed_more_than_100_ms_after_the_race_it_is_one,
	  one_that_began_later_did_not_lose_to_one_before, nor_to_the_same_address,
	  nor_to_another_look_up, it_may_lose_to_another_thread,
	  a_child_has_none_of_its_parents_attempts,
	  a_look_up_is_borne_by_the_first_connect_to_its_result,
	  a_look_up_older_than_a_second_is_not_borne)
