/* The opening: connect, handshake, log-in and first request are one call. */
#include "conversation.h"

TALK(the_first_answer_is_the_success, "SUCCESS", "connect", "connected", "> hello", "< hi")
TALK(the_first_byte_is_an_answer, "SUCCESS", "connect", "connected", "> hello", "< h")
TALK(a_greeting_is_an_answer, "SUCCESS", "connect", "connected", "< 220 ready")
TALK(further_exchanges_belong_to_the_opening, "SUCCESS", "connect", "connected", "< 220", "> EHLO",
     "< 250", "> MAIL", "< 250", "> RCPT", "+5000", "< 250", "close")
TALK(an_exchange_99_ms_after_the_answer_still_belongs, "SUCCESS", "connect", "connected", "> a",
     "< b", "+99", "> c", "< d")
TALK(an_exchange_100_ms_after_the_answer_is_a_call, "SUCCESS +call SUCCESS", "connect",
     "connected", "> a", "< b", "+100", "> c", "< d", "close")
TALK(the_pause_counts_from_the_last_byte_received, "SUCCESS", "connect", "connected", "> a", "< b",
     "+99", "< b", "+99", "> c", "< d")
TALK(sixteen_exchanges_are_an_opening,
     "SUCCESS", "connect", "connected", "> 1", "< 1", "> 2", "< 2", "> 3", "< 3", "> 4", "< 4",
     "> 5", "< 5", "> 6", "< 6", "> 7", "< 7", "> 8", "< 8", "> 9", "< 9", "> 10", "< 10", "> 11",
     "< 11", "> 12", "< 12", "> 13", "< 13", "> 14", "< 14", "> 15", "< 15", "> 16", "< 16")
TALK(the_seventeenth_exchange_is_a_call,
     "SUCCESS +call SUCCESS", "connect", "connected", "> 1", "< 1", "> 2", "< 2", "> 3", "< 3",
     "> 4", "< 4", "> 5", "< 5", "> 6", "< 6", "> 7", "< 7", "> 8", "< 8", "> 9", "< 9", "> 10",
     "< 10", "> 11", "< 11", "> 12", "< 12", "> 13", "< 13", "> 14", "< 14", "> 15", "< 15", "> 16",
     "< 16", "> 17", "< 17")
TALK(pipelined_bytes_belong_to_the_exchange, "SUCCESS", "connect", "connected", "> a", "> b", "> c",
     "< 1", "< 2", "< 3", "close")
TALK(what_comes_unasked_is_nothing, "SUCCESS", "connect", "connected", "> a", "< b", "< push",
     "+5000", "< push", "close")

TALK(end_of_file_instead_of_an_answer_is_a_failure, "FAILURE", "connect", "connected", "> a", "eof",
     "close")
TALK(a_reset_instead_of_an_answer_is_a_failure, "FAILURE", "connect", "connected", "> a",
     "error ECONNRESET", "close failed")
TALK(a_broken_pipe_while_sending_is_a_failure, "FAILURE", "connect", "connected", "> a",
     "error EPIPE", "close")
TALK(a_failure_later_in_the_opening_amends_it, "SUCCESS ~FAILURE", "connect", "connected", "< 220",
     "> EHLO", "eof", "close")
TALK(a_last_word_on_which_the_other_side_hangs_up_is_a_goodbye, "SUCCESS", "connect", "connected",
     "> a", "< b", "> quit\r\n", "eof", "close")
TALK(also_to_one_who_waits_for_that, "SUCCESS", "connect", "connected", "> a", "< b", "> quit\r\n",
     "poll 99 ready", "eof", "close")
TALK(but_not_for_long, "SUCCESS ~FAILURE", "connect", "connected", "> a", "< b", "> quit\r\n",
     "poll 100 ready", "eof", "close")
TALK(a_word_with_another_before_it_is_no_goodbye, "SUCCESS ~FAILURE", "connect", "connected", "> a",
     "< b", "> c\r\n", "> quit\r\n", "eof", "close")
TALK(however_long_that_was, "SUCCESS ~FAILURE", "connect", "connected", "> a", "< b", "> *256",
     "> quit\r\n", "eof", "close")
TALK(nor_the_first_word, "FAILURE", "connect", "connected", "> quit\r\n", "eof", "close")
TALK(nor_one_that_is_answered_by_a_reset, "SUCCESS ~FAILURE", "connect", "connected", "> a", "< b",
     "> quit\r\n", "error ECONNRESET", "close failed")
TALK(only_the_last_exchange_counts, "SUCCESS", "connect", "connected", "> *300", "< b",
     "> quit\r\n", "eof", "close")
TALK(a_reset_later_in_the_opening_amends_it, "SUCCESS ~FAILURE", "connect", "connected", "> a",
     "< b", "+99", "> c", "error ECONNRESET")
TALK(a_time_out_later_in_the_opening_amends_it, "SUCCESS ~FAILURE", "connect", "connected", "> a",
     "< b", "> c", "poll 100 empty", "close")
TALK(a_local_failure_leaves_a_recorded_opening_alone, "SUCCESS", "connect", "connected", "> a",
     "< b", "> c", "error ENOBUFS", "close")
TALK(a_local_failure_of_the_first_exchange_is_inconclusive, "inconclusive", "connect", "connected",
     "> a", "error ENOBUFS", "close")
TALK(an_answer_after_a_local_failure_is_not_counted, "inconclusive", "connect", "connected", "> a",
     "error ENOMEM", "< b", "close")
TALK(pending_errors_are_no_verdict, "SUCCESS", "connect", "connected", "error EAGAIN", "> a",
     "error EAGAIN", "error EINTR", "< b", "close")

TALK(an_end_when_nothing_is_unanswered_is_nothing, "SUCCESS", "connect", "connected", "> a", "< b",
     "eof", "close")
TALK(a_reset_when_nothing_is_unanswered_is_nothing, "SUCCESS", "connect", "connected", "> a", "< b",
     "error ECONNRESET", "close failed")
TALK(what_is_sent_after_the_end_is_nothing, "SUCCESS", "connect", "connected", "> a", "< b", "eof",
     "+500", "> bye", "error EPIPE", "close")

TALK(a_slow_exchange_makes_the_opening_slow, "SUCCESS ~SLOW_SUCCESS", "slow 1000", "connect",
     "connected", "> a", "< b", "> c", "+1000", "< d", "close")
TALK(a_hanging_exchange_of_the_opening_is_charged,
     "SUCCESS ~SLOW_SUCCESS charged ~SLOW_FAILURE", "slow 1000", "connect", "connected", "> a",
     "< b", "> c", "wait", "+1000", "tick", "wait-ends empty", "close")

/* ---- probes ---- */

TALK(a_probe_is_not_judged_at_its_first_byte, "", "connect probe", "connected", "> a", "< b")
TALK(a_probe_is_judged_when_it_is_closed, "SUCCESS", "connect probe", "connected", "> a", "< b",
     "close")
TALK(a_probe_is_judged_after_a_pause, "SUCCESS", "connect probe", "connected", "> a", "< b", "+100",
     "tick")
TALK(a_probe_is_not_judged_after_99_ms, "", "connect probe", "connected", "> a", "< b", "+99",
     "tick")
TALK(a_probe_with_an_open_exchange_is_not_judged_by_time, "", "connect probe", "connected", "> a",
     "< b", "> c", "+5000", "tick")
TALK(a_probe_is_judged_by_its_next_exchange, "SUCCESS +call SUCCESS", "connect probe", "connected",
     "> a", "< b", "+100", "> c", "< d")
TALK(a_probe_is_judged_by_what_is_pushed_after_the_pause, "SUCCESS", "connect probe", "connected",
     "> a", "< b", "+100", "< c")
TALK(a_probe_is_judged_when_a_wait_ends_after_the_pause, "SUCCESS", "connect probe", "connected",
     "> a", "< b", "poll 100 empty")
TALK(a_probe_is_judged_at_the_end_of_file, "SUCCESS", "connect probe", "connected", "> a", "< b",
     "eof")
TALK(a_probe_fails_once_and_for_all, "FAILURE", "connect probe", "connected", "> a", "< b", "> c",
     "error ECONNRESET", "close failed")
TALK(a_probe_of_sixteen_exchanges_is_judged_with_the_last_answer,
     "SUCCESS", "connect probe", "connected", "> 1", "< 1", "> 2", "< 2", "> 3", "< 3", "> 4",
     "< 4", "> 5", "< 5", "> 6", "< 6", "> 7", "< 7", "> 8", "< 8", "> 9", "< 9", "> 10", "< 10",
     "> 11", "< 11", "> 12", "< 12", "> 13", "< 13", "> 14", "< 14", "> 15", "< 15", "> 16",
     "< 16")
TALK(a_probe_of_fifteen_is_not, "", "connect probe", "connected", "> 1", "< 1", "> 2", "< 2",
     "> 3", "< 3", "> 4", "< 4", "> 5", "< 5", "> 6", "< 6", "> 7", "< 7", "> 8", "< 8", "> 9",
     "< 9", "> 10", "< 10", "> 11", "< 11", "> 12", "< 12", "> 13", "< 13", "> 14", "< 14",
     "> 15", "< 15")
TALK(a_slow_probe_is_slow, "SLOW_SUCCESS", "slow 1000", "connect probe", "connected", "> a",
     "+1000", "< b", "close")
TALK(a_probe_that_hangs_is_charged_now, "SLOW_SUCCESS charged ~SLOW_FAILURE", "slow 1000",
     "connect probe", "connected", "> a", "poll 1000 empty", "close")
TALK(a_local_failure_after_an_answer_leaves_the_probe_its_success, "SUCCESS", "connect probe",
     "connected", "> a", "< b", "> c", "error ENOBUFS", "close")
TALK(and_does_not_end_it, "", "connect probe", "connected", "> a", "< b", "> c", "error ENOBUFS")
TALK(a_farewell_in_the_opening_leaves_the_probe_its_success, "SUCCESS farewell", "connect probe",
     "connected", "> a", "< b", "> QUIT", "close")

START_TEST(a_probe_is_one_until_it_is_judged)
{
	struct talk t = given_talk();

	PLAY(&t, "connect probe", "connected", "> a", "< b");
	ck_assert(il_connection_is_probe(&t.c));
	ck_assert(!il_connection_is_open(&t.c));
	ck_assert_int_eq(il_connection_due_ns(&t.c, &t.facts), t.now_ns + 100000000);
	EXPECT(&t, "SUCCESS", "+100", "tick");
	ck_assert(!il_connection_is_probe(&t.c));
	ck_assert_int_eq(il_connection_due_ns(&t.c, &t.facts), INT64_MAX);
}
END_TEST

START_TEST(a_probe_that_is_released_is_none_any_more)
{
	struct talk t = given_talk();

	EXPECT(&t, "inconclusive", "connect probe", "connected", "> a", "error ENOBUFS");
	ck_assert(!il_connection_is_probe(&t.c));
}
END_TEST

START_TEST(a_greeting_lasts_from_the_connection_to_its_first_byte)
{
	struct talk t = given_talk();

	EXPECT(&t, "SUCCESS", "connect", "+20", "connected", "+30", "< 220");
	ck_assert_int_eq(t.last.duration_ns, 50000000);
}
END_TEST

START_TEST(a_call_lasts_as_long_as_its_longest_exchange)
{
	struct talk t = given_talk();

	EXPECT(&t, "SUCCESS", "connect probe", "+10", "connected", "> a", "+10", "< b", "> c", "+500",
	       "< d", "> e", "+30", "< f", "close");
	ck_assert_int_eq(t.last.duration_ns, 500000000);
}
END_TEST

RUN_TESTS("connection_opening", the_first_answer_is_the_success, the_first_byte_is_an_answer,
	  a_greeting_is_an_answer, further_exchanges_belong_to_the_opening,
	  an_exchange_99_ms_after_the_answer_still_belongs,
	  an_exchange_100_ms_after_the_answer_is_a_call, the_pause_counts_from_the_last_byte_received,
	  sixteen_exchanges_are_an_opening, the_seventeenth_exchange_is_a_call,
	  pipelined_bytes_belong_to_the_exchange, what_comes_unasked_is_nothing,
	  end_of_file_instead_of_an_answer_is_a_failure, a_reset_instead_of_an_answer_is_a_failure,
	  a_broken_pipe_while_sending_is_a_failure, a_failure_later_in_the_opening_amends_it,
	  a_reset_later_in_the_opening_amends_it,
	  a_last_word_on_which_the_other_side_hangs_up_is_a_goodbye,
	  also_to_one_who_waits_for_that, but_not_for_long,
	  a_word_with_another_before_it_is_no_goodbye, however_long_that_was, nor_the_first_word,
	  nor_one_that_is_answered_by_a_reset,
	  only_the_last_exchange_counts, a_time_out_later_in_the_opening_amends_it,
	  a_local_failure_leaves_a_recorded_opening_alone,
	  a_local_failure_of_the_first_exchange_is_inconclusive,
	  an_answer_after_a_local_failure_is_not_counted, pending_errors_are_no_verdict,
	  an_end_when_nothing_is_unanswered_is_nothing, a_reset_when_nothing_is_unanswered_is_nothing,
	  what_is_sent_after_the_end_is_nothing, a_slow_exchange_makes_the_opening_slow,
	  a_hanging_exchange_of_the_opening_is_charged, a_probe_is_not_judged_at_its_first_byte,
	  a_probe_is_judged_when_it_is_closed, a_probe_is_judged_after_a_pause,
	  a_probe_is_not_judged_after_99_ms, a_probe_with_an_open_exchange_is_not_judged_by_time,
	  a_probe_is_judged_by_its_next_exchange, a_probe_is_judged_by_what_is_pushed_after_the_pause,
	  a_probe_is_judged_when_a_wait_ends_after_the_pause, a_probe_is_judged_at_the_end_of_file,
	  a_probe_fails_once_and_for_all, a_probe_of_sixteen_exchanges_is_judged_with_the_last_answer,
	  a_probe_of_fifteen_is_not, a_slow_probe_is_slow, a_probe_that_hangs_is_charged_now,
	  a_local_failure_after_an_answer_leaves_the_probe_its_success, and_does_not_end_it,
	  a_farewell_in_the_opening_leaves_the_probe_its_success, a_probe_is_one_until_it_is_judged,
	  a_probe_that_is_released_is_none_any_more,
	  a_greeting_lasts_from_the_connection_to_its_first_byte,
	  a_call_lasts_as_long_as_its_longest_exchange)
