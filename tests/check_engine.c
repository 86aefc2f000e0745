/* Calls through the engine: admission, outcomes, what is counted and remembered. */
#include "engine_rig.h"

START_TEST(a_new_destination_is_admitted_and_its_outcome_recorded)
{
	given_an_engine();
	call(IL_SUCCESS, START);
	ck_assert_uint_eq(the_state(), IL_CLOSED);
	ck_assert_uint_eq(count(IL_COUNT_calls_success), 1);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 1);
}
END_TEST

START_TEST(it_trips_at_the_minimum_and_rejects_the_next_call)
{
	given_an_engine();
	struct il_ticket ticket;

	given_it_is_open(START);
	ck_assert_int_eq(admit(START + SECOND, &ticket), IL_REJECTED);
	ck_assert_uint_eq(count(IL_COUNT_rejected), 1);
	ck_assert_uint_eq(count(IL_COUNT_CHANGE(IL_CLOSED, IL_OPEN)), 1);
	ck_assert_uint_eq(the_slot()->trip.failed, 4);
	ck_assert_int_eq(the_slot()->trip.at_ns, START);
}
END_TEST

START_TEST(after_the_wait_one_probe_goes_out_and_no_second_one)
{
	given_an_engine();
	struct il_ticket probe, other;

	given_it_is_open(START);
	ck_assert_int_eq(admit(START + 10 * SECOND - 1, &probe), IL_REJECTED);
	ck_assert_int_eq(admit(START + 10 * SECOND, &probe), IL_ADMITTED);
	ck_assert(probe.probe);
	ck_assert_uint_ne(probe.lease.place, 0);
	ck_assert_int_eq(admit(START + 10 * SECOND, &other), IL_REJECTED);
}
END_TEST

START_TEST(two_good_probes_close_it_with_an_empty_window)
{
	given_an_engine();
	given_it_is_open(START);
	call(IL_SUCCESS, START + 10 * SECOND);
	ck_assert_uint_eq(the_state(), IL_HALF_OPEN);
	call(IL_SUCCESS, START + 10 * SECOND);
	ck_assert_uint_eq(the_state(), IL_CLOSED);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 0);
}
END_TEST

START_TEST(a_cancelled_probe_gives_its_slot_back)
{
	given_an_engine();
	struct il_ticket probe;

	given_it_is_open(START);
	ck_assert_int_eq(admit(START + 10 * SECOND, &probe), IL_ADMITTED);
	settle(&probe, IL_VERDICT_CANCELLED, 0, START + 11 * SECOND);
	ck_assert_uint_eq(count(IL_COUNT_cancelled), 1);
	ck_assert_uint_eq(the_slot()->breaker.round.admitted, 0);
	ck_assert_int_eq(admit(START + 11 * SECOND, &probe), IL_ADMITTED);
}
END_TEST

START_TEST(a_round_of_inconclusive_probes_opens_again)
{
	given_an_engine();
	given_it_is_open(START);
	for (int i = 0; i < 2; i++) {
		struct il_ticket probe;

		ck_assert_int_eq(admit(START + 10 * SECOND, &probe), IL_ADMITTED);
		settle(&probe, IL_VERDICT_INCONCLUSIVE, 0, START + 10 * SECOND);
	}
	ck_assert_uint_eq(the_state(), IL_OPEN);
	ck_assert_uint_eq(count(IL_COUNT_inconclusive), 2);
}
END_TEST

START_TEST(a_local_failure_is_counted_and_not_recorded)
{
	given_an_engine();
	struct il_ticket ticket;

	ck_assert_int_eq(admit(START, &ticket), IL_ADMITTED);
	settle(&ticket, IL_VERDICT_INCONCLUSIVE, 0, START);
	ck_assert_uint_eq(count(IL_COUNT_inconclusive), 1);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 0);
}
END_TEST

START_TEST(a_later_failure_of_the_opening_amends_its_success)
{
	given_an_engine();
	struct il_ticket ticket;

	ck_assert_int_eq(admit(START, &ticket), IL_ADMITTED);
	settle(&ticket, IL_VERDICT_RECORD, IL_SUCCESS, START);
	settle(&ticket, IL_VERDICT_AMEND, IL_FAILURE, START + SECOND);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 1);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 1);
	ck_assert_uint_eq(count(IL_COUNT_amended), 1);
	ck_assert_uint_eq(count(IL_COUNT_calls_success), 1);
}
END_TEST

START_TEST(metrics_only_records_all_and_rejects_none)
{
	given_an_engine();
	settings.initial_state = IL_METRICS_ONLY;
	for (int i = 0; i < 20; i++)
		call(IL_FAILURE, START);
	ck_assert_uint_eq(the_state(), IL_METRICS_ONLY);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 20);
	ck_assert_uint_eq(count(IL_COUNT_rejected), 0);
}
END_TEST

/* 4 failures open it, 10 s it would reject, the window is still bad then, and once more. */
START_TEST(metrics_only_tells_how_often_it_would_have_opened_and_rejected)
{
	given_an_engine();
	settings.initial_state = IL_METRICS_ONLY;
	for (int i = 0; i < 4; i++)
		call(IL_FAILURE, START);
	ck_assert_uint_eq(count(IL_COUNT_would_open), 1);
	ck_assert_uint_eq(count(IL_COUNT_would_reject), 0);
	call(IL_FAILURE, START + 1);
	call(IL_SUCCESS, START + 10 * SECOND - 1);
	ck_assert_uint_eq(count(IL_COUNT_would_reject), 2);
	ck_assert_uint_eq(count(IL_COUNT_would_open), 1);
	call(IL_SUCCESS, START + 10 * SECOND);
	ck_assert_uint_eq(count(IL_COUNT_would_open), 2);
	ck_assert_uint_eq(count(IL_COUNT_would_reject), 2);
	for (int i = 0; i < 6; i++)
		call(IL_SUCCESS, START + 20 * SECOND);
	ck_assert_uint_eq(count(IL_COUNT_would_open), 3); /* 5 of 8, 5 of 9, 5 of 10, then below */
	ck_assert_uint_eq(count(IL_COUNT_would_reject), 7);
	call(IL_SUCCESS, START + 30 * SECOND);
	ck_assert_uint_eq(count(IL_COUNT_would_open), 3);
}
END_TEST

START_TEST(what_would_have_been_is_forgotten_with_the_override)
{
	given_an_engine();
	struct il_ticket ticket;

	settings.initial_state = IL_METRICS_ONLY;
	for (int i = 0; i < 4; i++)
		call(IL_FAILURE, START);
	ck_assert_int_eq(admit(START, &ticket), IL_ADMITTED);
	ck_assert_uint_eq(count(IL_COUNT_would_reject), 1);
	il_engine_override(&engine, &self, ticket.slot - 1, ticket.incarnation, IL_DISABLED, START);
	il_engine_override(&engine, &self, ticket.slot - 1, ticket.incarnation, IL_METRICS_ONLY,
			   START);
	ck_assert_int_eq(admit(START, &ticket), IL_ADMITTED);
	ck_assert_uint_eq(count(IL_COUNT_would_reject), 1);
}
END_TEST

START_TEST(a_breaker_in_its_normal_life_counts_nothing_that_would_have_been)
{
	given_an_engine();
	struct il_ticket ticket;

	given_it_is_open(START);
	ck_assert_int_eq(admit(START, &ticket), IL_REJECTED);
	ck_assert_uint_eq(count(IL_COUNT_would_open), 0);
	ck_assert_uint_eq(count(IL_COUNT_would_reject), 0);
}
END_TEST

START_TEST(disabled_counts_calls_but_keeps_them_out_of_the_window)
{
	given_an_engine();
	settings.initial_state = IL_DISABLED;
	call(IL_FAILURE, START);
	ck_assert_uint_eq(count(IL_COUNT_calls_failure), 1);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 0);
}
END_TEST

START_TEST(a_later_exchange_is_a_call_while_closed_and_passes_while_open)
{
	given_an_engine();
	struct il_ticket connection, exchange;

	ck_assert_int_eq(admit(START, &connection), IL_ADMITTED);
	settle(&connection, IL_VERDICT_RECORD, IL_SUCCESS, START);
	il_engine_begin(&engine, &self, &connection, START, &exchange);
	ck_assert(!exchange.passed);
	settle(&exchange, IL_VERDICT_RECORD, IL_SUCCESS, START);
	ck_assert_uint_eq(count(IL_COUNT_calls_success), 2);

	given_it_is_open(START);
	il_engine_begin(&engine, &self, &connection, START, &exchange);
	ck_assert(exchange.passed);
	settle(&exchange, IL_VERDICT_RECORD, IL_FAILURE, START);
	ck_assert_uint_eq(count(IL_COUNT_passed_while_open), 1);
	ck_assert_uint_eq(count(IL_COUNT_calls_failure), 2);
}
END_TEST

START_TEST(an_outcome_of_an_older_generation_changes_nothing_but_is_counted)
{
	given_an_engine();
	struct il_ticket late;

	ck_assert_int_eq(admit(START, &late), IL_ADMITTED);
	given_it_is_open(START);
	settle(&late, IL_VERDICT_RECORD, IL_SUCCESS, START);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 4);
	ck_assert_uint_eq(count(IL_COUNT_calls_success), 1);
}
END_TEST

START_TEST(what_is_learnt_of_a_destination_is_kept)
{
	given_an_engine();
	struct il_ticket ticket;
	struct il_verdict verdict = { .flags = IL_LEARNT_GREETED };

	ck_assert_int_eq(admit(START, &ticket), IL_ADMITTED);
	ck_assert_uint_eq(il_engine_facts(&engine, &ticket), 0);
	il_engine_settle(&engine, &self, &ticket, &verdict, START);
	ck_assert_uint_eq(il_engine_facts(&engine, &ticket), IL_FACT_GREETED);
	settle(&ticket, IL_VERDICT_RECORD, IL_SUCCESS, START);
	ck_assert_uint_eq(il_engine_facts(&engine, &ticket), IL_FACT_GREETED);
}
END_TEST

START_TEST(an_override_rejects_and_a_reset_forgets)
{
	given_an_engine();
	struct il_ticket ticket;
	uint64_t incarnation = 0;

	call(IL_FAILURE, START);
	uint32_t place = (uint32_t)il_table_find(&engine.segment, recipe.name, &incarnation);

	ck_assert_int_eq(
		il_engine_override(&engine, &self, place, incarnation, IL_FORCED_OPEN, START), 0);
	ck_assert_int_eq(admit(START, &ticket), IL_REJECTED);
	ck_assert_int_eq(il_engine_override(&engine, &self, place, incarnation, IL_CLOSED, START),
			 0);
	ck_assert_int_eq(admit(START, &ticket), IL_ADMITTED);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 0);
	ck_assert_uint_eq(count(IL_COUNT_resets), 1);
}
END_TEST

START_TEST(a_failed_look_up_is_a_failure_only_while_calls_are_recorded)
{
	given_an_engine();
	call(IL_SUCCESS, START);
	il_engine_resolve_failed(&engine, &self, &recipe, SECOND, START);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 1);
	for (int i = 0; i < 2; i++)
		call(IL_FAILURE, START);
	ck_assert_uint_eq(the_state(), IL_OPEN);
	il_engine_resolve_failed(&engine, &self, &recipe, SECOND, START);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 3);
	ck_assert_uint_eq(count(IL_COUNT_resolve_failures), 2);
}
END_TEST

START_TEST(a_look_up_that_fails_before_any_connect_makes_the_breaker)
{
	given_an_engine();
	il_engine_resolve_failed(&engine, &self, &recipe, SECOND, START);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 1);
}
END_TEST

START_TEST(a_look_up_without_a_port_concerns_every_breaker_of_that_host)
{
	static const char *const names[] = { "db.internal:1", "db.internal:2", "db.internal.x:1" };

	given_an_engine();
	for (int i = 0; i < 3; i++) {
		recipe.name = names[i];
		call(IL_SUCCESS, START);
	}
	il_engine_host_failed(&engine, &self, "db.internal", SECOND, START);
	for (int i = 0; i < 3; i++) {
		recipe.name = names[i];
		ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, i < 2);
	}
}
END_TEST

START_TEST(durations_fall_into_their_cells)
{
	given_an_engine();
	struct il_ticket ticket;
	struct il_verdict verdict = { .kind = IL_VERDICT_RECORD, .duration_ns = MS };

	ck_assert_int_eq(admit(START, &ticket), IL_ADMITTED);
	il_engine_settle(&engine, &self, &ticket, &verdict, START);
	ck_assert_int_eq(admit(START, &ticket), IL_ADMITTED);
	verdict.duration_ns = 61 * SECOND;
	il_engine_settle(&engine, &self, &ticket, &verdict, START);
	ck_assert_uint_eq(count(IL_COUNT_DURATION(0)), 1);
	ck_assert_uint_eq(count(IL_COUNT_DURATION(IL_DURATIONS - 1)), 1);
}
END_TEST

START_TEST(the_last_outcomes_are_remembered_in_a_ring)
{
	given_an_engine();
	for (int i = 0; i < 40; i++)
		call(IL_SUCCESS, START + i);
	ck_assert_int_eq(the_slot()->recent[39 % IL_RECENT].at_ns, START + 39);
	ck_assert_int_eq(the_slot()->recent[8].at_ns, START + 8);
	ck_assert_uint_eq(the_slot()->recent[8].pid, self.pid);
}
END_TEST

START_TEST(a_ticket_of_an_evicted_breaker_changes_nothing)
{
	given_an_engine();
	struct il_ticket ticket;

	ck_assert_int_eq(admit(START, &ticket), IL_ADMITTED);
	struct il_slot *slot = the_slot();

	slot->incarnation++;
	settle(&ticket, IL_VERDICT_RECORD, IL_FAILURE, START);
	ck_assert_uint_eq(slot->breaker.window.tally.total, 0);
}
END_TEST

START_TEST(a_full_registry_lets_calls_pass)
{
	given_an_engine();
	static const char *const names[] = { "a:1", "b:1", "c:1", "d:1", "e:1" };
	struct il_ticket tickets[5];

	for (int i = 0; i < 5; i++) {
		recipe.name = names[i];
		ck_assert_int_eq(admit(START, &tickets[i]), i < 4 ? IL_ADMITTED : IL_PASSED);
	}
	ck_assert_uint_eq(engine.segment.header->registry_full, 1);
	settle(&tickets[4], IL_VERDICT_RECORD, IL_FAILURE, START);
}
END_TEST

RUN_TESTS("engine", a_new_destination_is_admitted_and_its_outcome_recorded,
	  it_trips_at_the_minimum_and_rejects_the_next_call,
	  after_the_wait_one_probe_goes_out_and_no_second_one,
	  two_good_probes_close_it_with_an_empty_window, a_cancelled_probe_gives_its_slot_back,
	  a_round_of_inconclusive_probes_opens_again, a_local_failure_is_counted_and_not_recorded,
	  a_later_failure_of_the_opening_amends_its_success,
	  metrics_only_records_all_and_rejects_none,
	  metrics_only_tells_how_often_it_would_have_opened_and_rejected,
	  what_would_have_been_is_forgotten_with_the_override,
	  a_breaker_in_its_normal_life_counts_nothing_that_would_have_been,
	  disabled_counts_calls_but_keeps_them_out_of_the_window,
	  a_later_exchange_is_a_call_while_closed_and_passes_while_open,
	  an_outcome_of_an_older_generation_changes_nothing_but_is_counted,
	  what_is_learnt_of_a_destination_is_kept, an_override_rejects_and_a_reset_forgets,
	  a_failed_look_up_is_a_failure_only_while_calls_are_recorded,
	  a_look_up_that_fails_before_any_connect_makes_the_breaker,
	  a_look_up_without_a_port_concerns_every_breaker_of_that_host,
	  durations_fall_into_their_cells, the_last_outcomes_are_remembered_in_a_ring,
	  a_ticket_of_an_evicted_breaker_changes_nothing, a_full_registry_lets_calls_pass)
