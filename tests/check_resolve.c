/* Look-ups that are not to be made: what the breaker would say, without asking it. */
#include "engine_rig.h"

static bool would_reject(int64_t now_ns)
{
	struct il_ticket ticket = { 0 };
	uint64_t word = il_slot_word(the_slot());
	bool rejects = il_engine_would_reject(&engine, &self, recipe.name, now_ns, &ticket);

	ck_assert_uint_eq(ticket.slot != 0, rejects);
	ck_assert_uint_eq(il_slot_word(the_slot()), word);
	return rejects;
}

START_TEST(nothing_is_known_of_a_destination_that_nobody_called)
{
	given_an_engine();
	struct il_ticket ticket;

	ck_assert(!il_engine_would_reject(&engine, &self, recipe.name, START, &ticket));
	uint64_t incarnation;
	ck_assert_int_lt(il_table_find(&engine.segment, recipe.name, &incarnation), 0);
}
END_TEST

START_TEST(open_would_reject_until_the_wait_is_over_and_is_not_moved)
{
	given_an_engine();
	call(IL_SUCCESS, START);
	ck_assert(!would_reject(START));
	given_it_is_open(START);
	ck_assert(would_reject(START));
	ck_assert(would_reject(START + 10 * SECOND - 1));
	ck_assert(!would_reject(START + 10 * SECOND));
	ck_assert_uint_eq(the_state(), IL_OPEN);
}
END_TEST

START_TEST(half_open_would_reject_while_its_probes_are_out)
{
	given_an_engine();
	struct il_ticket probe;

	given_it_is_open(START);
	ck_assert_int_eq(admit(START + 10 * SECOND, &probe), IL_ADMITTED);
	ck_assert(would_reject(START + 10 * SECOND));
	settle(&probe, IL_VERDICT_RECORD, IL_SUCCESS, START + 11 * SECOND);
	ck_assert(!would_reject(START + 11 * SECOND));
	ck_assert_uint_eq(the_slot()->breaker.round.in_flight, 0);
}
END_TEST

START_TEST(the_overrides_say_what_they_always_say)
{
	given_an_engine();
	struct il_ticket ticket;

	ck_assert_int_eq(admit(START, &ticket), IL_ADMITTED);
	for (enum il_state state = IL_FORCED_OPEN; state <= IL_METRICS_ONLY; state++) {
		il_engine_override(&engine, &self, ticket.slot - 1, ticket.incarnation, state,
				   START);
		ck_assert_int_eq(would_reject(START), state == IL_FORCED_OPEN);
	}
}
END_TEST

static void take_the_probe(int64_t now_ns)
{
	struct il_ticket probe;

	admit(now_ns, &probe);
}

START_TEST(a_probe_whose_process_died_stands_in_nobodys_way)
{
	given_an_engine();
	struct il_ticket ticket;

	given_it_is_open(START);
	in_a_killed_process(take_the_probe, START + 10 * SECOND);
	ck_assert_uint_eq(the_slot()->breaker.round.in_flight, 1);
	ck_assert(
		!il_engine_would_reject(&engine, &self, recipe.name, START + 10 * SECOND, &ticket));
	ck_assert_uint_eq(the_slot()->breaker.round.in_flight, 0);
}
END_TEST

START_TEST(a_probe_that_hangs_stands_in_the_way_until_it_is_slow)
{
	given_an_engine();
	struct il_ticket probe, ticket;

	given_it_is_open(START);
	ck_assert_int_eq(admit(START + 10 * SECOND, &probe), IL_ADMITTED);
	ck_assert(would_reject(START + 14 * SECOND));
	ck_assert(
		!il_engine_would_reject(&engine, &self, recipe.name, START + 15 * SECOND, &ticket));
	ck_assert_uint_eq(count(IL_COUNT_charged), 1);
}
END_TEST

RUN_TESTS("resolve", nothing_is_known_of_a_destination_that_nobody_called,
	  open_would_reject_until_the_wait_is_over_and_is_not_moved,
	  half_open_would_reject_while_its_probes_are_out, the_overrides_say_what_they_always_say,
	  a_probe_whose_process_died_stands_in_nobodys_way,
	  a_probe_that_hangs_stands_in_the_way_until_it_is_slow)
