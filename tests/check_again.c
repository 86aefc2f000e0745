/* Later exchanges on established connections, of programs that want these rejected too. */
#include "engine_rig.h"

static struct il_ticket connection;

static enum il_admission again(int64_t now_ns, struct il_ticket *ret_ticket)
{
	return il_engine_admit_again(&engine, &self, &connection, now_ns, ret_ticket);
}

static void given_a_connection(void)
{
	given_an_engine();
	ck_assert_int_eq(admit(START, &connection), IL_ADMITTED);
	settle(&connection, IL_VERDICT_RECORD, IL_SUCCESS, START);
}

START_TEST(closed_it_admits_whoever_comes_and_open_nobody)
{
	struct il_ticket ticket;

	given_a_connection();
	ck_assert(il_engine_admits_all(&engine, &connection));
	ck_assert_int_eq(again(START, &ticket), IL_ADMITTED);
	settle(&ticket, IL_VERDICT_RECORD, IL_FAILURE, START);
	ck_assert_uint_eq(count(IL_COUNT_calls_failure), 1);

	given_it_is_open(START);
	ck_assert(!il_engine_admits_all(&engine, &connection));
	ck_assert_int_eq(again(START + SECOND, &ticket), IL_REJECTED);
	il_engine_reject(&engine, &ticket, START + SECOND);
	ck_assert_uint_eq(count(IL_COUNT_rejected), 1);
	ck_assert_uint_eq(count(IL_COUNT_passed_while_open), 0);
}
END_TEST

START_TEST(after_the_wait_a_later_exchange_is_a_probe)
{
	struct il_ticket first, second;

	given_a_connection();
	given_it_is_open(START);
	ck_assert_int_eq(again(START + 11 * SECOND, &first), IL_ADMITTED);
	ck_assert(first.probe);
	ck_assert_uint_ne(first.lease.place, 0);
	ck_assert_int_eq(again(START + 11 * SECOND, &second), IL_REJECTED);
	settle(&first, IL_VERDICT_RECORD, IL_SUCCESS, START + 11 * SECOND);
	ck_assert_int_eq(again(START + 12 * SECOND, &second), IL_ADMITTED);
	settle(&second, IL_VERDICT_RECORD, IL_SUCCESS, START + 12 * SECOND);
	ck_assert_uint_eq(the_state(), IL_CLOSED);
}
END_TEST

START_TEST(an_exchange_that_did_not_begin_gives_its_probe_back)
{
	struct il_ticket first, second;

	given_a_connection();
	given_it_is_open(START);
	ck_assert_int_eq(again(START + 11 * SECOND, &first), IL_ADMITTED);
	settle(&first, IL_VERDICT_DROPPED, 0, START + 11 * SECOND);
	ck_assert_int_eq(again(START + 11 * SECOND, &second), IL_ADMITTED);
	ck_assert(second.probe);
}
END_TEST

START_TEST(without_a_breaker_or_with_an_evicted_one_it_passes)
{
	struct il_ticket ticket = { .slot = 7 };

	given_a_connection();
	connection.incarnation++;
	ck_assert_int_eq(again(START, &ticket), IL_PASSED);
	ck_assert_uint_eq(ticket.slot, 0);
	connection = (struct il_ticket){ 0 };
	ck_assert_int_eq(again(START, &ticket), IL_PASSED);
	ck_assert(il_engine_admits_all(&engine, &connection));
}
END_TEST

RUN_TESTS("again", closed_it_admits_whoever_comes_and_open_nobody,
	  after_the_wait_a_later_exchange_is_a_probe,
	  an_exchange_that_did_not_begin_gives_its_probe_back,
	  without_a_breaker_or_with_an_evicted_one_it_passes)
