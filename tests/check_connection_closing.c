/* How a connection is closed, and what the destination is known for. */
#include "conversation.h"

TALK(one_way_use_is_a_success, "SUCCESS", "connect", "connected", "> <14>log line", "close")
TALK(but_not_where_answers_are_known, "cancelled", "answered", "connect", "connected", "> a",
     "close")
TALK(a_port_check_is_a_success, "SUCCESS", "connect", "connected", "close")
TALK(a_spare_connection_is_cancelled, "cancelled", "answered", "connect", "connected", "+5000",
     "close")
TALK(a_spare_connection_of_a_greeter_is_cancelled, "cancelled", "greeted", "connect", "connected",
     "+5000", "close")

TALK(an_end_after_a_shutdown_with_nothing_sent_is_a_success, "SUCCESS", "answered", "connect",
     "connected", "shutdown", "eof", "close")
TALK(an_end_after_a_shutdown_of_one_way_use_is_a_success, "SUCCESS", "connect", "connected",
     "> log", "shutdown", "eof", "close")
TALK(an_end_after_a_shutdown_where_answers_are_known_is_a_failure, "FAILURE", "answered", "connect",
     "connected", "> a", "shutdown", "eof", "close")
TALK(a_reset_after_a_shutdown_is_a_failure, "FAILURE", "connect", "connected", "> log", "shutdown",
     "error ECONNRESET", "close failed")
TALK(an_end_without_a_shutdown_is_a_failure, "FAILURE", "connect", "connected", "eof", "close")

TALK(an_unused_pooled_connection_may_end, "dropped", "answered", "connect", "connected", "+1000",
     "eof", "close")
TALK(but_not_within_a_second, "FAILURE", "answered", "connect", "connected", "+999", "eof", "close")
TALK(nor_by_a_reset, "FAILURE", "answered", "connect", "connected", "+5000", "error ECONNRESET",
     "close failed")
TALK(nor_at_a_greeter, "FAILURE", "greeted", "connect", "connected", "+5000", "eof", "close")
TALK(nor_at_an_unknown_destination, "FAILURE", "connect", "connected", "+5000", "eof", "close")
TALK(nor_after_sending, "FAILURE", "answered", "connect", "connected", "> a", "+5000", "eof",
     "close")
TALK(the_second_begins_with_the_connection, "FAILURE", "answered", "connect!", "+5000", "connected",
     "+999", "eof", "close")
TALK(an_unused_probe_that_ends_is_released, "dropped", "answered", "connect probe", "connected",
     "+1000", "eof", "close")

TALK(a_log_server_may_hang_up_on_a_connection_of_a_second, "dropped", "connect", "connected",
     "watch", "> log", "+1000", "eof", "close")
TALK(which_is_noticed_only_when_the_next_lines_are_sent, "dropped", "connect", "connected", "> log",
     "+1000", "> log", "error ECONNRESET", "close failed")
TALK(a_probe_of_it_is_released, "dropped", "connect probe", "connected", "> log", "+1000", "eof",
     "close")
TALK(but_not_sooner, "FAILURE", "connect", "connected", "> log", "+999", "eof", "close")
TALK(nor_on_one_who_waits_for_an_answer, "FAILURE", "connect", "connected", "> log", "+950",
     "poll 100 ready", "eof", "close")
TALK(nor_before_an_answer_in_http, "FAILURE", "connect", "connected", "> GET / HTTP/1.1\r\n\r\n",
     "+1000", "eof", "close")
TALK(nor_in_a_handshake, "FAILURE", "connect", "connected", ">> 16:517", "+1000", "eof", "close")
TALK(nor_before_a_banner, "FAILURE", "connect", "connected", "> SSH-2.0-client\r\n", "+1000", "eof",
     "close")

/* ---- several things at once ---- */

TALK(a_charge_and_an_end_at_once_are_one_record, "SLOW_FAILURE", "slow 1000", "connect!", "+2000",
     "eof", "close")
TALK(also_of_a_probe, "SLOW_FAILURE", "slow 1000", "connect! probe", "+2000", "eof", "close")

/* ---- the kernel's count ---- */

TALK(an_answer_read_by_stdio_is_one, "SUCCESS", "answered", "connect", "connected", "> a", "+5",
     "close sent 1 received 10")
TALK(an_answer_never_read_is_one, "SUCCESS", "answered", "connect", "connected", "> a",
     "poll 500 ready", "close sent 1 received 10")
TALK(a_probe_answered_behind_our_back_succeeds, "SUCCESS", "answered", "connect probe", "connected",
     "close sent 30 received 10")
TALK(bytes_sent_by_stdio_make_it_used, "cancelled", "answered", "connect", "connected",
     "close sent 30")
TALK(and_waited_for, "FAILURE", "connect", "connected", "poll 500 empty", "close sent 30")
TALK(and_waited_for_since, "FAILURE", "answered", "connect", "connected", "poll 500 empty",
     "close sent 30 ago 501")
TALK(but_not_waited_for_since, "cancelled", "answered", "connect", "connected", "poll 500 empty",
     "close sent 30 ago 50")
TALK(nor_watched_since, "cancelled", "answered", "connect", "connected", "watch", "+500",
     "close sent 30 ago 50")
TALK(what_hooks_have_seen_is_no_news, "FAILURE", "connect", "connected", "> a",
     "< HTTP/1.1 100 Continue\r\n\r\n", "poll 500 empty", "close sent 1 received 25")
TALK(peeked_bytes_are_in_the_count, "SUCCESS", "connect", "connected", "> a", "<peek bc", "< bc",
     "close sent 1 received 2")

START_TEST(an_answer_behind_our_back_is_learnt)
{
	struct talk t = given_talk();

	PLAY(&t, "connect", "connected", "> a", "close sent 1 received 10");
	ck_assert(t.facts.dest & IL_DEST_ANSWERED);
}
END_TEST

/* ---- one way, by the operator's word ---- */

TALK(one_way_is_a_success_wherever_it_answered, "SUCCESS", "answered", "oneway", "connect",
     "connected", "> log", "close")
TALK(one_way_may_wait, "SUCCESS", "answered", "oneway", "connect", "connected", "> log",
     "poll 1000 empty", "close")
TALK(one_way_may_be_watched, "SUCCESS", "answered", "oneway", "connect", "connected", "watch",
     "> log", "+5000", "close")
TALK(one_way_is_not_charged, "", "slow 1000", "oneway", "connect", "connected", "> log",
     "poll 5000 empty", "tick")
TALK(one_way_may_end, "SUCCESS", "answered", "oneway", "connect", "connected", "> log", "eof",
     "close")
TALK(one_way_may_be_unused, "SUCCESS", "answered", "oneway", "connect", "connected",
     "poll 5000 empty", "close")
TALK(one_way_that_refuses_is_a_failure, "FAILURE", "oneway", "connect", "error ECONNREFUSED")
TALK(one_way_that_resets_is_a_failure, "FAILURE", "oneway", "connect", "connected", "> log",
     "error EPIPE", "close")
TALK(one_way_connecting_in_vain_is_a_failure, "FAILURE", "oneway", "connect", "+200", "close syn")
TALK(one_way_that_answers_is_a_success, "SUCCESS", "oneway", "connect", "connected", "> log",
     "< ok", "close")
TALK(a_probe_of_one_way_use_is_judged_after_a_pause, "SUCCESS", "oneway", "connect probe",
     "connected", "> log", "+100", "tick")
TALK(and_no_more_after_that, "SUCCESS", "oneway", "connect probe", "connected", "> log", "+100",
     "tick", "> log", "error EPIPE", "close")
TALK(not_before, "", "oneway", "connect probe", "connected", "> log", "+99", "tick")
TALK(one_way_that_is_not_a_probe_is_judged_at_its_close, "", "oneway", "connect", "connected",
     "> log", "+5000", "tick")

/* ---- what is learnt ---- */

START_TEST(an_answer_makes_it_one_who_answers)
{
	struct talk t = given_talk();

	PLAY(&t, "connect", "connected", "> a", "< b");
	ck_assert_uint_eq(t.facts.dest, IL_DEST_ANSWERED);
}
END_TEST

START_TEST(a_greeting_makes_it_one_who_greets)
{
	struct talk t = given_talk();

	PLAY(&t, "connect", "connected", "< 220 ready");
	ck_assert_uint_eq(t.facts.dest, IL_DEST_ANSWERED | IL_DEST_GREETED);
}
END_TEST

START_TEST(hanging_up_in_http_is_no_greeting)
{
	struct talk t = given_talk();

	PLAY(&t, "connect", "connected", "< HTTP/1.1 408 Request Time-out\r\n\r\n");
	ck_assert_uint_eq(t.facts.dest, IL_DEST_ANSWERED);
}
END_TEST

START_TEST(what_is_known_is_not_learnt_again)
{
	struct talk t = given_talk();

	PLAY(&t, "greeted", "connect", "connected", "< 220 ready");
	ck_assert_int_eq(t.last.flags, 0);
}
END_TEST

START_TEST(a_success_without_an_answer_lasts_as_long_as_connecting)
{
	struct talk t = given_talk();

	EXPECT(&t, "SUCCESS", "connect!", "+12", "connected", "> log", "+5000", "> log", "+5000",
	       "close");
	ck_assert_int_eq(t.last.duration_ns, 12000000);
	ck_assert_int_eq(t.last.seen, IL_SEEN_CLOSE);
}
END_TEST

START_TEST(closing_without_the_kernels_word_is_possible)
{
	struct talk t = given_talk();

	PLAY(&t, "connect", "connected", "> log");
	ck_assert_int_eq(il_connection_close(&t.c, &t.facts, t.now_ns, NULL).kind,
			 IL_VERDICT_RECORD);
	PLAY(&t, "connect", "+200");
	ck_assert_int_eq(il_connection_close(&t.c, &t.facts, t.now_ns, NULL).outcome, IL_FAILURE);
}
END_TEST

RUN_TESTS("connection_closing", one_way_use_is_a_success, but_not_where_answers_are_known,
	  a_port_check_is_a_success, a_spare_connection_is_cancelled,
	  a_spare_connection_of_a_greeter_is_cancelled,
	  an_end_after_a_shutdown_with_nothing_sent_is_a_success,
	  an_end_after_a_shutdown_of_one_way_use_is_a_success,
	  an_end_after_a_shutdown_where_answers_are_known_is_a_failure,
	  a_reset_after_a_shutdown_is_a_failure, an_end_without_a_shutdown_is_a_failure,
	  an_unused_pooled_connection_may_end, but_not_within_a_second, nor_by_a_reset,
	  nor_at_a_greeter, nor_at_an_unknown_destination, nor_after_sending,
	  the_second_begins_with_the_connection, an_unused_probe_that_ends_is_released,
	  a_log_server_may_hang_up_on_a_connection_of_a_second,
	  which_is_noticed_only_when_the_next_lines_are_sent, a_probe_of_it_is_released,
	  but_not_sooner, nor_on_one_who_waits_for_an_answer, nor_before_an_answer_in_http,
	  nor_in_a_handshake, nor_before_a_banner, an_answer_read_by_stdio_is_one,
	  a_charge_and_an_end_at_once_are_one_record, also_of_a_probe, an_answer_never_read_is_one,
	  a_probe_answered_behind_our_back_succeeds, bytes_sent_by_stdio_make_it_used,
	  and_waited_for, and_waited_for_since, but_not_waited_for_since, nor_watched_since,
	  what_hooks_have_seen_is_no_news, peeked_bytes_are_in_the_count,
	  an_answer_behind_our_back_is_learnt, one_way_is_a_success_wherever_it_answered,
	  one_way_may_wait, one_way_may_be_watched, one_way_is_not_charged, one_way_may_end,
	  one_way_may_be_unused, one_way_that_refuses_is_a_failure,
	  one_way_that_resets_is_a_failure, one_way_connecting_in_vain_is_a_failure,
	  one_way_that_answers_is_a_success, a_probe_of_one_way_use_is_judged_after_a_pause,
	  and_no_more_after_that, not_before, one_way_that_is_not_a_probe_is_judged_at_its_close,
	  an_answer_makes_it_one_who_answers, a_greeting_makes_it_one_who_greets,
	  hanging_up_in_http_is_no_greeting, what_is_known_is_not_learnt_again,
	  a_success_without_an_answer_lasts_as_long_as_connecting,
	  closing_without_the_kernels_word_is_possible)
