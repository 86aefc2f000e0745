/* A process that is about to become another program gives its leases back. */
#include "engine_rig.h"

static struct il_ticket given_a_probe(int64_t now_ns)
{
	struct il_ticket probe;

	given_it_is_open(now_ns);
	ck_assert_int_eq(admit(now_ns + 10 * SECOND, &probe), IL_ADMITTED);
	ck_assert(probe.probe);
	return probe;
}

static bool has_leases(void)
{
	return !il_leases_are_free(the_slot());
}

START_TEST(an_ordinary_call_goes_on_without_its_lease_and_is_recorded)
{
	given_an_engine();
	struct il_ticket ticket;

	ck_assert_int_eq(admit(START, &ticket), IL_ADMITTED);
	il_engine_unlease(&engine, &self, &ticket, START + SECOND);
	ck_assert(!has_leases());
	ck_assert_uint_eq(count(IL_COUNT_unleased), 1);
	settle(&ticket, IL_VERDICT_RECORD, IL_FAILURE, START + 2 * SECOND);
	ck_assert_uint_eq(count(IL_COUNT_calls_failure), 1);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 1);
}
END_TEST

START_TEST(a_probe_gives_its_place_to_the_next_caller_and_says_no_more)
{
	given_an_engine();
	struct il_ticket probe = given_a_probe(START), next;
	int64_t now_ns = START + 11 * SECOND;

	il_engine_unlease(&engine, &self, &probe, now_ns);
	ck_assert(!has_leases());
	ck_assert_int_eq(admit(now_ns, &next), IL_ADMITTED);
	ck_assert(next.probe);
	settle(&probe, IL_VERDICT_RECORD, IL_FAILURE, now_ns);
	ck_assert_uint_eq(the_slot()->breaker.round.in_flight, 1);
	ck_assert_uint_eq(the_slot()->breaker.round.completed, 0);
}
END_TEST

START_TEST(a_call_that_was_charged_stays_as_it_was_recorded)
{
	given_an_engine();
	struct il_ticket ticket;

	ck_assert_int_eq(admit(START, &ticket), IL_ADMITTED);
	il_engine_wait(&engine, &ticket, START);
	il_engine_sweep(&engine, &self, ticket.slot - 1, ticket.incarnation, START + 6 * SECOND,
			false);
	ck_assert_uint_eq(count(IL_COUNT_charged), 1);
	il_engine_unlease(&engine, &self, &ticket, START + 7 * SECOND);
	ck_assert(!has_leases());
	settle(&ticket, IL_VERDICT_RECORD, IL_FAILURE, START + 8 * SECOND);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 1);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.slow, 1);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 0);
}
END_TEST

START_TEST(a_call_without_a_lease_is_left_alone)
{
	given_an_engine();
	struct il_ticket ticket, nobody = { 0 };

	ck_assert_int_eq(admit(START, &ticket), IL_ADMITTED);
	settle(&ticket, IL_VERDICT_RECORD, IL_SUCCESS, START);
	il_engine_unlease(&engine, &self, &ticket, START);
	il_engine_unlease(&engine, &self, &nobody, START);
	ck_assert_uint_eq(count(IL_COUNT_unleased), 0);
	settle(&ticket, IL_VERDICT_AMEND, IL_FAILURE, START);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 1);
}
END_TEST

/* It was recorded as slow while it hung, and its place is the next one's. */
START_TEST(a_charged_probe_that_is_given_up_takes_no_other_probes_place)
{
	given_an_engine();
	struct il_ticket probe = given_a_probe(START), next;
	int64_t now_ns = START + 16 * SECOND;

	il_engine_sweep(&engine, &self, probe.slot - 1, probe.incarnation, now_ns, false);
	ck_assert_uint_eq(the_slot()->breaker.round.completed, 1);
	ck_assert_int_eq(admit(now_ns, &next), IL_ADMITTED);
	settle(&probe, IL_VERDICT_CANCELLED, 0, now_ns);
	ck_assert_uint_eq(the_slot()->breaker.round.in_flight, 1);
	ck_assert_uint_eq(the_slot()->breaker.round.admitted, 2);
}
END_TEST

RUN_TESTS("exec", an_ordinary_call_goes_on_without_its_lease_and_is_recorded,
	  a_probe_gives_its_place_to_the_next_caller_and_says_no_more,
	  a_call_that_was_charged_stays_as_it_was_recorded, a_call_without_a_lease_is_left_alone,
	  a_charged_probe_that_is_given_up_takes_no_other_probes_place)
