/* Waiting for an answer: strong, weak, and what it proves. */
#include "conversation.h"

#define OPENED "connect", "connected", "> a", "< b", "+100"
#define GET    "> GET / HTTP/1.1\r\n\r\n"
#define OK     "< HTTP/1.1 200 OK\r\n\r\n"

/* ---- strong ---- */

TALK(waiting_100_ms_in_vain_is_a_time_out, "FAILURE", "connect", "connected", "> a",
     "poll 100 empty", "close")
TALK(waiting_99_ms_in_vain_is_none, "cancelled", "answered", "connect", "connected", "> a",
     "poll 99 empty", "close")
TALK(several_waits_in_a_row_add_up, "FAILURE", "connect", "connected", "> a", "poll 50 empty",
     "+30", "poll 30 empty", "poll 20 empty", "close")
TALK(time_between_waits_does_not_count, "cancelled", "answered", "connect", "connected", "> a",
     "poll 50 empty", "+3000", "poll 49 empty", "close")
TALK(a_wait_whose_last_part_was_ready_did_not_run_out, "cancelled", "answered", "connect",
     "connected", "> a", "poll 5000 empty", "poll 1 ready", "close")
TALK(a_look_without_a_wait_may_be_the_last_part, "FAILURE", "connect", "connected", "> a",
     "poll 500 ready", "poll 0 empty", "close")
TALK(a_blocking_receive_that_times_out_ran_out, "FAILURE", "connect", "connected", "> a", "wait",
     "+100", "error EAGAIN blocking", "close")
TALK(a_blocking_receive_that_is_interrupted_ran_out, "FAILURE", "connect", "connected", "> a",
     "wait", "+100", "error EINTR blocking", "close")
TALK(a_blocking_receive_that_times_out_is_over, "cancelled", "answered", "connect", "connected",
     "> a", "wait", "+50", "error EAGAIN blocking", "+5000", "close")
TALK(an_empty_look_without_blocking_is_no_wait, "cancelled", "answered", "connect", "connected",
     "> a", "+5000", "error EAGAIN", "close")
TALK(a_wait_jumped_out_of_ran_out, "FAILURE", "connect", "connected", "> a", "wait", "+100",
     "close")
TALK(a_wait_that_is_noticed_as_lost_ran_out, "FAILURE", "connect", "connected", "> a", "wait",
     "+100", "wait-ends lost", "+5000", "close")
TALK(a_wait_within_a_wait_counts_both, "FAILURE", "connect", "connected", "> a", "wait", "+60",
     "wait", "+40", "wait-ends empty", "close")
TALK(a_byte_sent_renews_the_wait, "cancelled", "answered", "connect", "connected", "> a", "wait",
     "+5000", "> b", "+99", "wait-ends empty", "close")
TALK(a_byte_received_renews_the_wait, "SUCCESS +call dropped farewell", OPENED, "> c",
     "< HTTP/1.1 100 Continue\r\n\r\n", "poll 99 empty", "close")
TALK(an_empty_wait_after_a_complete_answer_proves_nothing, "SUCCESS", "connect", "connected", "> a",
     "< b", "poll 1000 empty", "close")
TALK(a_connection_found_gone_does_not_count_the_wait_that_ran, "cancelled", "answered", "connect",
     "connected", "> a", "wait", "+5000", "close late")
TALK(a_connection_found_gone_counts_the_wait_that_ended, "FAILURE", "connect", "connected", "> a",
     "poll 100 empty", "+5000", "close late")

/* ---- weak ---- */

TALK(an_event_loop_waits_on_the_first_exchange, "FAILURE", "answered", "connect", "connected",
     "watch", "> a", "+100", "close")
TALK(but_not_for_99_ms, "cancelled", "answered", "connect", "connected", "watch", "> a", "+99",
     "close")
TALK(nor_for_one_that_never_answered, "SUCCESS", "connect", "connected", "watch", "> a", "+5000",
     "close")
TALK(but_who_is_asked_in_http_owes_an_answer, "FAILURE", "connect", "connected", "watch", GET,
     "+100", "close")
TALK(unless_the_operator_says_that_it_does_not, "SUCCESS", "oneway", "connect", "connected",
     "watch", GET, "+5000", "close")
TALK(nor_is_it_charged_then, "", "oneway", "slow 1000", "connect", "connected", "watch", GET,
     "+5000", "tick")
TALK(and_in_a_tls_handshake, "FAILURE", "connect", "connected", "watch", ">> h1", "+100", "close")
TALK(but_not_after_it, "SUCCESS farewell", "connect", "connected", "watch", ">> h1",
     "<< 16:122 14:1 17:27 17:800 17:281 17:53", ">> 14:1 17:53", ">> 17:200", "+5000", "close")
TALK(nor_on_a_later_exchange, "SUCCESS +call dropped farewell", OPENED, "watch", "> c", "+5000",
     "close")
TALK(nor_on_a_later_exchange_of_the_opening, "SUCCESS farewell", "connect", "connected", "watch",
     "> a", "< b", "> c", "+5000", "close")
TALK(but_on_any_plain_http_exchange, "SUCCESS +call FAILURE", "connect", "connected", "watch", GET,
     OK, GET, "+100", "close")
TALK(http_for_99_ms_is_not_enough, "SUCCESS +call dropped farewell", "connect", "connected",
     "watch", GET, OK, GET, "+99", "close")
TALK(deregistering_just_before_the_close_is_no_excuse, "FAILURE", "answered", "connect",
     "connected", "watch", "> a", "+100", "unwatch", "close")
TALK(registered_time_adds_up, "FAILURE", "answered", "connect", "connected", "> a", "watch", "+50",
     "unwatch", "+5000", "watch", "+50", "unwatch", "close")
TALK(time_without_registration_does_not_count, "cancelled", "answered", "connect", "connected",
     "> a", "watch", "+50", "unwatch", "+5000", "watch", "+49", "close")
TALK(registering_twice_is_once, "FAILURE", "answered", "connect", "connected", "> a", "watch",
     "+60", "watch", "+40", "close")
TALK(a_byte_sent_renews_the_weak_wait, "cancelled", "answered", "connect", "connected", "watch",
     "> a", "+5000", "> b", "+99", "close")
TALK(an_end_after_a_weak_wait_that_counts_is_a_failure, "SUCCESS +call FAILURE", "connect",
     "connected", "watch", GET, OK, GET, "+100", "eof", "close")
TALK(an_end_after_a_weak_wait_that_does_not_is_nothing, "SUCCESS +call dropped", OPENED, "watch",
     "> c", "+5000", "eof", "close")
TALK(a_reused_connection_watched_long_before_is_not_waited_for, "SUCCESS +call dropped", "connect",
     "connected", "watch", GET, OK, "+60000", GET, "+1", "error ECONNRESET", "close failed")

/* ---- nothing sent ---- */

TALK(a_mute_greeter_is_a_failure, "FAILURE", "connect", "connected", "poll 1000 empty", "close")
TALK(a_second_less_a_millisecond_is_none, "SUCCESS", "connect", "connected", "poll 999 empty",
     "close")
TALK(a_greeter_gone_mute_is_a_failure, "FAILURE", "greeted", "connect", "connected",
     "poll 1000 empty", "close")
TALK(a_greeter_gone_mute_is_one_to_an_event_loop, "FAILURE", "greeted", "connect", "connected",
     "watch", "+1000", "close")
TALK(an_event_loop_expects_no_greeting_of_others, "cancelled", "answered", "connect", "connected",
     "watch", "+5000", "close")
TALK(nobody_waits_for_one_who_is_asked_first, "cancelled", "answered", "connect", "connected",
     "poll 5000 empty", "close")
TALK(connecting_is_no_waiting_for_a_greeting, "SUCCESS", "connect!", "+3000", "connected", "close")
TALK(a_mute_greeter_told_good_bye_is_a_failure, "FAILURE", "connect", "connected",
     "poll 1000 empty", "> QUIT", "close")
TALK(waiting_shortly_before_asking_is_no_failure, "SUCCESS", "connect", "connected",
     "poll 999 empty", "> GET", "close")

/* ---- the charge ---- */

TALK(an_exchange_that_hangs_is_charged, "SUCCESS +call SLOW_SUCCESS charged", "slow 1000", OPENED,
     "> c", "poll 1000 ready")
TALK(not_a_millisecond_too_early, "SUCCESS +call", "slow 1000", OPENED, "> c", "poll 999 ready")
TALK(its_answer_changes_nothing, "SUCCESS +call SLOW_SUCCESS charged", "slow 1000", OPENED, "> c",
     "poll 1500 ready", "< d", "close")
TALK(its_end_amends_it, "SUCCESS +call SLOW_SUCCESS charged ~SLOW_FAILURE", "slow 1000", OPENED,
     "> c", "poll 1500 ready", "eof", "close")
TALK(its_close_amends_it, "SUCCESS +call SLOW_SUCCESS charged ~SLOW_FAILURE", "slow 1000", OPENED,
     "> c", "poll 1500 ready", "close")
TALK(a_goodbye_after_a_slow_log_in_is_no_failure, "SLOW_SUCCESS charged farewell", "slow 1000",
     "connect", "connected", "> log-in", "poll 1000 ready", "< welcome", "> quit", "close")
TALK(nor_is_one_by_a_shutdown, "SLOW_SUCCESS charged farewell", "slow 1000", "connect", "connected",
     "> log-in", "poll 1000 ready", "< welcome", "> quit", "shutdown", "close")
TALK(but_a_second_exchange_that_hangs_is_one, "SLOW_SUCCESS charged ~SLOW_FAILURE", "slow 1000",
     "connect", "connected", "> log-in", "poll 1000 ready", "< welcome", "> a", "poll 1000 empty",
     "close")
TALK(nor_is_the_end_of_one_way_use, "SLOW_SUCCESS charged", "slow 1000", "connect", "connected",
     "> log", "poll 1000 ready", "close")
TALK(it_is_charged_once, "SUCCESS +call SLOW_SUCCESS charged", "slow 1000", OPENED, "> c",
     "poll 1500 ready", "tick", "+5000", "tick", "poll 1500 ready")
TALK(the_next_call_can_be_charged_again,
     "SUCCESS +call SLOW_SUCCESS charged +call SLOW_SUCCESS charged", "slow 1000", OPENED, "> c",
     "poll 1500 ready", "< d", "> e", "poll 1500 ready")
TALK(a_local_failure_leaves_the_charge, "SUCCESS +call SLOW_SUCCESS charged", "slow 1000", OPENED,
     "> c", "poll 1500 ready", "error ENOBUFS", "close")
TALK(and_the_next_call_can_be_charged_all_the_same,
     "SUCCESS +call SLOW_SUCCESS charged +call SLOW_SUCCESS charged", "slow 1000", OPENED, "> c",
     "poll 1500 ready", "error ENOBUFS", "> e", "poll 1500 ready")
TALK(idling_is_not_charged, "SUCCESS +call", "slow 1000", OPENED, "> c", "+5000", "tick")
TALK(a_weak_wait_that_counts_is_charged, "SUCCESS +call SLOW_SUCCESS charged", "slow 1000",
     "connect", "connected", "watch", GET, OK, GET, "+1000", "tick")
TALK(a_weak_wait_that_does_not_is_not, "SUCCESS +call", "slow 1000", OPENED, "watch", "> c",
     "+5000", "tick")
TALK(what_is_answered_is_not_charged, "SUCCESS", "slow 1000", "connect", "connected", "> a", "< b",
     "poll 5000 empty", "tick")
TALK(what_is_answered_in_part_is_not_charged_either, "", "slow 1000", "connect", "connected", GET,
     "< HTTP/1.1 2", "poll 5000 empty", "tick")
TALK(a_failure_after_a_long_wait_is_slow_at_once, "SUCCESS +call SLOW_FAILURE", "slow 1000", OPENED,
     "> c", "wait", "+1000", "error ECONNRESET")

/* ---- for its lease ---- */

START_TEST(a_lease_knows_since_when_it_waits)
{
	struct talk t = given_talk();
	int64_t begun;

	PLAY(&t, OPENED);
	ck_assert_int_eq(il_connection_waiting_since_ns(&t.c, &t.facts), 0);
	PLAY(&t, "wait");
	ck_assert_int_eq(il_connection_waiting_since_ns(&t.c, &t.facts), 0);
	PLAY(&t, "wait-ends empty", "> c", "+30");
	ck_assert_int_eq(il_connection_waiting_since_ns(&t.c, &t.facts), 0);
	begun = t.now_ns;
	PLAY(&t, "wait");
	ck_assert_int_eq(il_connection_waiting_since_ns(&t.c, &t.facts), begun);
	ck_assert_int_eq(il_connection_due_ns(&t.c, &t.facts), begun + 60000000000);
	PLAY(&t, "+70", "wait-ends empty");
	ck_assert_int_eq(il_connection_waiting_since_ns(&t.c, &t.facts), 0);
	ck_assert_int_eq(il_connection_due_ns(&t.c, &t.facts), INT64_MAX);
	PLAY(&t, "+5", "wait");
	ck_assert_int_eq(il_connection_waiting_since_ns(&t.c, &t.facts), t.now_ns - 70000000);
}
END_TEST

START_TEST(a_lease_takes_the_longer_of_two_waits)
{
	struct talk t = given_talk();
	int64_t watched;

	PLAY(&t, "answered", "connect", "connected", "> a", "watch");
	watched = t.now_ns;
	PLAY(&t, "+10", "wait");
	ck_assert_int_eq(il_connection_waiting_since_ns(&t.c, &t.facts), watched);
	PLAY(&t, "unwatch");
	ck_assert_int_eq(il_connection_waiting_since_ns(&t.c, &t.facts), t.now_ns);
}
END_TEST

START_TEST(a_time_out_says_how_long_was_waited)
{
	struct talk t = given_talk();

	EXPECT(&t, "FAILURE", "connect", "+10", "connected", "> a", "poll 250 empty", "+5000", "close");
	ck_assert_int_eq(t.last.duration_ns, 260000000);
	ck_assert_int_eq(t.last.seen, IL_SEEN_TIMEOUT);
}
END_TEST

START_TEST(events_on_an_unused_struct_say_nothing)
{
	struct talk t = given_talk();

	EXPECT(&t, "", "> a", "< b", "eof", "error ECONNRESET", "poll 500 empty", "watch", "unwatch",
	       "shutdown", "tick", "fork", "connected", "close");
}
END_TEST

RUN_TESTS("connection_waiting", waiting_100_ms_in_vain_is_a_time_out, waiting_99_ms_in_vain_is_none,
	  several_waits_in_a_row_add_up, time_between_waits_does_not_count,
	  a_wait_whose_last_part_was_ready_did_not_run_out,
	  a_look_without_a_wait_may_be_the_last_part, a_blocking_receive_that_times_out_ran_out,
	  a_blocking_receive_that_is_interrupted_ran_out, a_blocking_receive_that_times_out_is_over,
	  an_empty_look_without_blocking_is_no_wait, a_wait_jumped_out_of_ran_out,
	  a_wait_that_is_noticed_as_lost_ran_out, a_wait_within_a_wait_counts_both,
	  a_byte_sent_renews_the_wait, a_byte_received_renews_the_wait,
	  an_empty_wait_after_a_complete_answer_proves_nothing,
	  a_connection_found_gone_does_not_count_the_wait_that_ran,
	  a_connection_found_gone_counts_the_wait_that_ended,
	  an_event_loop_waits_on_the_first_exchange, but_not_for_99_ms,
	  nor_for_one_that_never_answered, but_who_is_asked_in_http_owes_an_answer,
	  unless_the_operator_says_that_it_does_not, nor_is_it_charged_then, and_in_a_tls_handshake,
	  but_not_after_it, nor_on_a_later_exchange, nor_on_a_later_exchange_of_the_opening,
	  but_on_any_plain_http_exchange, http_for_99_ms_is_not_enough,
	  deregistering_just_before_the_close_is_no_excuse, registered_time_adds_up,
	  time_without_registration_does_not_count, registering_twice_is_once,
	  a_byte_sent_renews_the_weak_wait, an_end_after_a_weak_wait_that_counts_is_a_failure,
	  an_end_after_a_weak_wait_that_does_not_is_nothing,
	  a_reused_connection_watched_long_before_is_not_waited_for, a_mute_greeter_is_a_failure,
	  a_second_less_a_millisecond_is_none, a_greeter_gone_mute_is_a_failure,
	  a_greeter_gone_mute_is_one_to_an_event_loop, an_event_loop_expects_no_greeting_of_others,
	  nobody_waits_for_one_who_is_asked_first, connecting_is_no_waiting_for_a_greeting,
	  a_mute_greeter_told_good_bye_is_a_failure, waiting_shortly_before_asking_is_no_failure,
	  an_exchange_that_hangs_is_charged, not_a_millisecond_too_early,
	  its_answer_changes_nothing, its_end_amends_it, its_close_amends_it,
	  a_goodbye_after_a_slow_log_in_is_no_failure, nor_is_one_by_a_shutdown,
	  but_a_second_exchange_that_hangs_is_one, nor_is_the_end_of_one_way_use,
	  it_is_charged_once, the_next_call_can_be_charged_again, a_local_failure_leaves_the_charge,
	  and_the_next_call_can_be_charged_all_the_same, idling_is_not_charged,
	  a_weak_wait_that_counts_is_charged, a_weak_wait_that_does_not_is_not,
	  what_is_answered_is_not_charged, what_is_answered_in_part_is_not_charged_either,
	  a_failure_after_a_long_wait_is_slow_at_once, a_lease_knows_since_when_it_waits,
	  a_lease_takes_the_longer_of_two_waits, a_time_out_says_how_long_was_waited,
	  events_on_an_unused_struct_say_nothing)
