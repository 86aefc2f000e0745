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
	given_an_engine();
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
	given_an_engine();
	struct il_ticket next;

	given_it_is_open(START);
	in_a_killed_process(leave_an_answered_probe, START + 10 * SECOND);
	ck_assert_int_eq(admit(START + 10 * SECOND, &next), IL_ADMITTED);
	ck_assert_uint_eq(the_slot()->breaker.round.completed, 1);
}
END_TEST

START_TEST(a_round_whose_probes_all_died_opens_again)
{
	given_an_engine();
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
	given_an_engine();
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
	given_an_engine();
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
	given_an_engine();
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

/* Somebody else's, alive: the process that started this test. */
static void given_the_lock_is_held(struct il_slot *slot)
{
	uint64_t pid = (uint64_t)getppid();

	slot->lock.owner = pid | pid << 22;
	slot->lock.stuck = slot->lock.owner;
	slot->lock.looked_at_ns = INT64_MAX; /* not again: it lives */
}

START_TEST(a_probe_that_could_not_be_settled_is_settled_by_the_next_visitor)
{
	struct il_ticket probe, next;
	int64_t sent_ns = START + 10 * SECOND;

	given_an_engine();
	given_it_is_open(START);
	ck_assert_int_eq(admit(sent_ns, &probe), IL_ADMITTED);
	given_the_lock_is_held(the_slot());
	settle(&probe, IL_VERDICT_RECORD, IL_FAILURE, sent_ns + SECOND);
	ck_assert_uint_eq(count(IL_COUNT_lock_timeouts), 1);
	the_slot()->lock.owner = 0;
	ck_assert_int_eq(admit(sent_ns + 2 * SECOND, &next), IL_ADMITTED);
	ck_assert_uint_eq(the_slot()->breaker.round.failed, 1);
}
END_TEST

START_TEST(a_probe_that_goes_on_after_an_answer_is_not_concluded)
{
	given_an_engine();
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
	given_an_engine();
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
	given_an_engine();
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
	given_an_engine();
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
	given_an_engine();
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
	given_an_engine();
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
	given_an_engine();
	in_a_killed_process(leave_a_waiting_call, START);
	visit(START + 501 * MS);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 1);
	ck_assert_uint_eq(count(IL_COUNT_abandoned), 0);
}
END_TEST

START_TEST(of_many_killed_at_once_one_a_second_counts)
{
	given_an_engine();
	for (int i = 0; i < 3; i++)
		in_a_killed_process(leave_a_waiting_call, START);
	visit(START + 501 * MS);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 1);
	ck_assert_uint_eq(count(IL_COUNT_abandoned), 2);
}
END_TEST

/* A deploy in the middle of the night: the next call comes when all of them would be slow. */
START_TEST(the_dead_are_not_charged_as_slow_however_late_they_are_found)
{
	given_an_engine();

	for (int i = 0; i < 12; i++)
		in_a_killed_process(leave_a_waiting_call, START);
	visit(START + 6 * SECOND);
	ck_assert_uint_eq(count(IL_COUNT_charged), 0);
	ck_assert_uint_eq(count(IL_COUNT_calls_failure), 1);
	ck_assert_uint_eq(count(IL_COUNT_abandoned), 11);
	ck_assert_uint_eq(the_state(), IL_CLOSED);
}
END_TEST

START_TEST(deaths_a_second_apart_all_count_though_they_are_found_a_little_early_or_late)
{
	given_an_engine();
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
	given_an_engine();
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
	given_an_engine();
	in_a_killed_process(leave_a_call, START);
	visit(START + 10 * SECOND);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 0);
	ck_assert_uint_eq(count(IL_COUNT_abandoned), 1);
}
END_TEST

START_TEST(an_outcome_that_a_visitor_has_settled_changes_nothing)
{
	given_an_engine();
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
	given_an_engine();
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
	given_an_engine();
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
	given_an_engine();
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

RUN_TESTS("sweep", a_probe_of_a_killed_process_goes_to_the_next_caller,
	  a_round_whose_probes_all_died_opens_again,
	  a_probe_of_a_living_process_keeps_its_slot_until_it_is_slow,
	  a_slow_probe_that_fails_in_the_end_amends_its_round,
	  an_answered_probe_of_a_killed_process_counts,
	  a_probe_that_was_answered_and_is_quiet_is_concluded_by_a_visitor,
	  a_probe_that_could_not_be_settled_is_settled_by_the_next_visitor,
	  a_probe_that_goes_on_after_an_answer_is_not_concluded,
	  a_call_that_hangs_is_charged_by_the_next_visitor,
	  a_call_that_does_not_wait_is_never_charged,
	  a_charged_call_that_is_answered_stays_one_slow_success,
	  a_charged_call_that_ends_unanswered_becomes_a_slow_failure,
	  hanging_calls_open_the_breaker_for_the_next_caller,
	  a_killed_process_that_had_waited_counts_as_a_failure,
	  of_many_killed_at_once_one_a_second_counts,
	  the_dead_are_not_charged_as_slow_however_late_they_are_found,
	  deaths_a_second_apart_all_count_though_they_are_found_a_little_early_or_late,
	  what_is_early_is_not_gained, a_killed_process_that_did_not_wait_is_dropped,
	  an_outcome_that_a_visitor_has_settled_changes_nothing,
	  the_thirty_third_call_goes_without_a_lease_and_is_recorded_all_the_same,
	  a_probe_takes_the_lease_of_the_oldest_call_when_the_table_is_full,
	  no_sequence_of_kills_leaves_it_half_open_for_ever)
