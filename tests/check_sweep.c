/* What a visitor does about the calls of others: those that hang, and those whose process died. */
#include "engine_rig.h"

static void leave_a_probe(int64_t now_ns)
{
	struct il_ticket probe;

	admit(now_ns, &probe);
}

static void leave_an_answered_probe(int64_t now_ns)
{
	struct il_ticket probe;

	admit(now_ns, &probe);
	il_engine_hold(&engine, &probe, IL_SUCCESS, now_ns);
}

static void leave_a_call(int64_t now_ns)
{
	struct il_ticket ticket;

	admit(now_ns, &ticket);
}

static void leave_a_waiting_call(int64_t now_ns)
{
	struct il_ticket ticket;

	admit(now_ns, &ticket);
	il_engine_wait(&engine, &ticket, now_ns);
}

static void visit(int64_t now_ns)
{
	struct il_ticket ticket;

	ck_assert_int_eq(admit(now_ns, &ticket), IL_ADMITTED);
	settle(&ticket, IL_VERDICT_DROPPED, 0, now_ns);
}

START_TEST(a_probe_of_a_killed_process_goes_to_the_next_caller)
{
	struct il_ticket probe;

	given_it_is_open(START);
	in_a_killed_process(leave_a_probe, START + 10 * SECOND);
	ck_assert_uint_eq(the_state(), IL_HALF_OPEN);
	ck_assert_int_eq(admit(START + 10 * SECOND, &probe), IL_ADMITTED);
	ck_assert(probe.probe);
	ck_assert_uint_eq(count(IL_COUNT_abandoned), 1);
}
END_TEST

START_TEST(an_answered_probe_of_a_killed_process_counts)
{
	struct il_ticket next;

	given_it_is_open(START);
	in_a_killed_process(leave_an_answered_probe, START + 10 * SECOND);
	ck_assert_int_eq(admit(START + 10 * SECOND, &next), IL_ADMITTED);
	ck_assert_uint_eq(the_slot()->breaker.round.completed, 1);
}
END_TEST

START_TEST(a_round_whose_probes_all_died_opens_again)
{
	struct il_ticket ticket;

	given_it_is_open(START);
	for (int i = 0; i < 2; i++)
		in_a_killed_process(leave_a_probe, START + 10 * SECOND);
	ck_assert_int_eq(admit(START + 10 * SECOND, &ticket), IL_REJECTED);
	ck_assert_uint_eq(the_state(), IL_OPEN);
}
END_TEST

START_TEST(a_probe_of_a_living_process_keeps_its_slot_until_it_is_slow)
{
	struct il_ticket probe, next;
	int64_t sent_ns = START + 10 * SECOND;

	given_it_is_open(START);
	ck_assert_int_eq(admit(sent_ns, &probe), IL_ADMITTED);
	ck_assert_int_eq(admit(sent_ns + 5 * SECOND - 1, &next), IL_REJECTED);
	ck_assert_int_eq(admit(sent_ns + 5 * SECOND, &next), IL_ADMITTED);
	ck_assert_uint_eq(the_slot()->breaker.round.slow, 1);
	ck_assert_uint_eq(count(IL_COUNT_charged), 1);
}
END_TEST

START_TEST(a_slow_probe_that_fails_in_the_end_amends_its_round)
{
	struct il_ticket probe, next;
	int64_t sent_ns = START + 10 * SECOND;

	given_it_is_open(START);
	ck_assert_int_eq(admit(sent_ns, &probe), IL_ADMITTED);
	ck_assert_int_eq(admit(sent_ns + 5 * SECOND, &next), IL_ADMITTED);
	settle(&probe, IL_VERDICT_RECORD, IL_SLOW_FAILURE, sent_ns + 6 * SECOND);
	ck_assert_uint_eq(the_slot()->breaker.round.failed, 1);
	ck_assert_uint_eq(the_slot()->breaker.round.completed, 1);
}
END_TEST

START_TEST(a_probe_that_was_answered_and_is_quiet_is_concluded_by_a_visitor)
{
	struct il_ticket probe, next;
	int64_t sent_ns = START + 10 * SECOND;

	given_it_is_open(START);
	ck_assert_int_eq(admit(sent_ns, &probe), IL_ADMITTED);
	il_engine_hold(&engine, &probe, IL_SUCCESS, sent_ns + MS);
	ck_assert_int_eq(admit(sent_ns + 100 * MS, &next), IL_REJECTED);
	ck_assert_int_eq(admit(sent_ns + 102 * MS, &next), IL_ADMITTED);
	ck_assert_uint_eq(the_slot()->breaker.round.completed, 1);
	settle(&probe, IL_VERDICT_RECORD, IL_SUCCESS, sent_ns + SECOND);
	ck_assert_uint_eq(the_slot()->breaker.round.completed, 1);
}
END_TEST

START_TEST(a_probe_that_goes_on_after_an_answer_is_not_concluded)
{
	struct il_ticket probe, next;
	int64_t sent_ns = START + 10 * SECOND;

	given_it_is_open(START);
	ck_assert_int_eq(admit(sent_ns, &probe), IL_ADMITTED);
	il_engine_hold(&engine, &probe, IL_SUCCESS, sent_ns + MS);
	il_engine_hold(&engine, &probe, IL_SUCCESS, 0);
	ck_assert_int_eq(admit(sent_ns + SECOND, &next), IL_REJECTED);
	settle(&probe, IL_VERDICT_RECORD, IL_FAILURE, sent_ns + SECOND);
	ck_assert_uint_eq(the_slot()->breaker.round.failed, 1);
}
END_TEST

START_TEST(a_call_that_hangs_is_charged_by_the_next_visitor)
{
	struct il_ticket hung;

	ck_assert_int_eq(admit(START, &hung), IL_ADMITTED);
	il_engine_wait(&engine, &hung, START);
	visit(START + 5 * SECOND - MS);
	ck_assert_uint_eq(count(IL_COUNT_charged), 0);
	visit(START + 5 * SECOND + MS);
	ck_assert_uint_eq(count(IL_COUNT_charged), 1);
	visit(START + 9 * SECOND);
	ck_assert_uint_eq(count(IL_COUNT_charged), 1);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.slow, 1);
}
END_TEST

START_TEST(a_call_that_does_not_wait_is_never_charged)
{
	struct il_ticket quiet;

	ck_assert_int_eq(admit(START, &quiet), IL_ADMITTED);
	il_engine_wait(&engine, &quiet, START);
	il_engine_wait(&engine, &quiet, 0);
	visit(START + 3600 * SECOND);
	ck_assert_uint_eq(count(IL_COUNT_charged), 0);
}
END_TEST

START_TEST(a_charged_call_that_is_answered_stays_one_slow_success)
{
	struct il_ticket hung;

	ck_assert_int_eq(admit(START, &hung), IL_ADMITTED);
	il_engine_wait(&engine, &hung, START);
	visit(START + 6 * SECOND);
	settle(&hung, IL_VERDICT_RECORD, IL_SLOW_SUCCESS, START + 7 * SECOND);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 1);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.slow, 1);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 0);
	ck_assert_uint_eq(count(IL_COUNT_calls_slow_success), 1);
}
END_TEST

START_TEST(a_charged_call_that_ends_unanswered_becomes_a_slow_failure)
{
	struct il_ticket hung;

	ck_assert_int_eq(admit(START, &hung), IL_ADMITTED);
	il_engine_wait(&engine, &hung, START);
	visit(START + 6 * SECOND);
	settle(&hung, IL_VERDICT_RECORD, IL_SLOW_FAILURE, START + 7 * SECOND);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 1);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 1);
}
END_TEST

START_TEST(hanging_calls_open_the_breaker_for_the_next_caller)
{
	struct il_ticket hung[4], ticket;

	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(admit(START, &hung[i]), IL_ADMITTED);
		il_engine_wait(&engine, &hung[i], START);
	}
	ck_assert_int_eq(admit(START + 6 * SECOND, &ticket), IL_REJECTED);
	ck_assert_uint_eq(the_state(), IL_OPEN);
}
END_TEST

START_TEST(a_killed_process_that_had_waited_counts_as_a_failure)
{
	in_a_killed_process(leave_a_waiting_call, START);
	visit(START + 501 * MS);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 1);
	ck_assert_uint_eq(count(IL_COUNT_abandoned), 0);
}
END_TEST

START_TEST(of_many_killed_at_once_one_a_second_counts)
{
	for (int i = 0; i < 3; i++)
		in_a_killed_process(leave_a_waiting_call, START);
	visit(START + 501 * MS);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 1);
	ck_assert_uint_eq(count(IL_COUNT_abandoned), 2);
}
END_TEST

START_TEST(deaths_a_second_apart_all_count_though_they_are_found_a_little_early_or_late)
{
	static const int64_t found_ms[] = { 1000, 1950, 3010 };

	for (int i = 0; i < 3; i++) {
		in_a_killed_process(leave_a_waiting_call, START + (found_ms[i] - 600) * MS);
		visit(START + found_ms[i] * MS);
	}
	ck_assert_uint_eq(count(IL_COUNT_calls_failure), 3);
}
END_TEST

START_TEST(what_is_early_is_not_gained)
{
	static const int64_t found_ms[] = { 1000, 1950, 2850, 3760 };

	for (int i = 0; i < 4; i++) {
		in_a_killed_process(leave_a_waiting_call, START + (found_ms[i] - 600) * MS);
		visit(START + found_ms[i] * MS);
	}
	ck_assert_uint_eq(count(IL_COUNT_calls_failure), 3);
}
END_TEST

START_TEST(a_killed_process_that_did_not_wait_is_dropped)
{
	in_a_killed_process(leave_a_call, START);
	visit(START + 10 * SECOND);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 0);
	ck_assert_uint_eq(count(IL_COUNT_abandoned), 1);
}
END_TEST

START_TEST(an_outcome_that_a_visitor_has_settled_changes_nothing)
{
	struct il_ticket ticket;

	ck_assert_int_eq(admit(START, &ticket), IL_ADMITTED);
	struct il_lease *lease = &the_slot()->leases[ticket.lease.place - 1];

	lease->tag = (lease->tag >> 30) << 30; /* freed */
	settle(&ticket, IL_VERDICT_RECORD, IL_FAILURE, START);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 0);
}
END_TEST

START_TEST(the_thirty_third_call_goes_without_a_lease_and_is_recorded_all_the_same)
{
	struct il_ticket tickets[IL_LEASES + 1];

	for (uint32_t i = 0; i <= IL_LEASES; i++)
		ck_assert_int_eq(admit(START, &tickets[i]), IL_ADMITTED);
	ck_assert_uint_eq(tickets[IL_LEASES].lease.place, 0);
	ck_assert_uint_eq(count(IL_COUNT_unleased), 1);
	settle(&tickets[IL_LEASES], IL_VERDICT_RECORD, IL_SUCCESS, START);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 1);
}
END_TEST

START_TEST(a_probe_takes_the_lease_of_the_oldest_call_when_the_table_is_full)
{
	struct il_ticket tickets[IL_LEASES], probe;

	for (uint32_t i = 0; i < IL_LEASES; i++)
		ck_assert_int_eq(admit(START + i, &tickets[i]), IL_ADMITTED);
	given_it_is_open(START + SECOND);
	ck_assert_int_eq(admit(START + 11 * SECOND, &probe), IL_ADMITTED);
	ck_assert_uint_eq(probe.lease.place, tickets[0].lease.place);
	ck_assert(!il_lease_current(the_slot(), tickets[0].lease));
}
END_TEST

START_TEST(no_sequence_of_kills_leaves_it_half_open_for_ever)
{
	int64_t now_ns = START;

	given_it_is_open(now_ns);
	for (int i = 0; i < 20; i++) {
		struct il_ticket ticket;

		now_ns += 11 * SECOND;
		in_a_killed_process(leave_a_probe, now_ns);
		if (admit(now_ns, &ticket) == IL_ADMITTED)
			settle(&ticket, IL_VERDICT_CANCELLED, 0, now_ns);
	}
	for (int i = 0; i < 2; i++)
		call(IL_SUCCESS, now_ns += 11 * SECOND);
	ck_assert_uint_eq(the_state(), IL_CLOSED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sweep");
	TCase *tests = tcase_create("sweep");

	tcase_add_checked_fixture(tests, given_an_engine, NULL);
	tcase_add_test(tests, a_probe_of_a_killed_process_goes_to_the_next_caller);
	tcase_add_test(tests, a_round_whose_probes_all_died_opens_again);
	tcase_add_test(tests, a_probe_of_a_living_process_keeps_its_slot_until_it_is_slow);
	tcase_add_test(tests, a_slow_probe_that_fails_in_the_end_amends_its_round);
	tcase_add_test(tests, an_answered_probe_of_a_killed_process_counts);
	tcase_add_test(tests, a_probe_that_was_answered_and_is_quiet_is_concluded_by_a_visitor);
	tcase_add_test(tests, a_probe_that_goes_on_after_an_answer_is_not_concluded);
	tcase_add_test(tests, a_call_that_hangs_is_charged_by_the_next_visitor);
	tcase_add_test(tests, a_call_that_does_not_wait_is_never_charged);
	tcase_add_test(tests, a_charged_call_that_is_answered_stays_one_slow_success);
	tcase_add_test(tests, a_charged_call_that_ends_unanswered_becomes_a_slow_failure);
	tcase_add_test(tests, hanging_calls_open_the_breaker_for_the_next_caller);
	tcase_add_test(tests, a_killed_process_that_had_waited_counts_as_a_failure);
	tcase_add_test(tests, of_many_killed_at_once_one_a_second_counts);
	tcase_add_test(tests, deaths_a_second_apart_all_count_though_they_are_found_a_little_early_or_late);
	tcase_add_test(tests, what_is_early_is_not_gained);
	tcase_add_test(tests, a_killed_process_that_did_not_wait_is_dropped);
	tcase_add_test(tests, an_outcome_that_a_visitor_has_settled_changes_nothing);
	tcase_add_test(tests, the_thirty_third_call_goes_without_a_lease_and_is_recorded_all_the_same);
	tcase_add_test(tests, a_probe_takes_the_lease_of_the_oldest_call_when_the_table_is_full);
	tcase_add_test(tests, no_sequence_of_kills_leaves_it_half_open_for_ever);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);

	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);

	srunner_free(runner);
	return failed != 0;
}
