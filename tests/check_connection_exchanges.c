/* After the opening: each exchange is a call, and farewells are none. */
#include "conversation.h"

/* Connected, asked, answered, and the opening over. */
#define OPENED "connect", "connected", "> a", "< b", "+100"

TALK(each_exchange_is_a_call, "SUCCESS +call SUCCESS +call SUCCESS", OPENED, "> c", "< d", "> e",
     "< f", "close")
TALK(a_later_exchange_is_recorded_at_its_first_byte, "SUCCESS +call SUCCESS", OPENED, "> c", "< d",
     "< rest", "< rest", "close")
TALK(a_later_exchange_may_be_slow, "SUCCESS +call SLOW_SUCCESS", "slow 1000", OPENED, "> c",
     "+1000", "< d")
TALK(slowness_does_not_stick_to_the_next_call, "SUCCESS +call SLOW_SUCCESS +call SUCCESS",
     "slow 1000", OPENED, "> c", "+1000", "< d", "> e", "< f")

TALK(a_stale_connection_is_no_failure, "SUCCESS +call dropped", OPENED, "> c", "error ECONNRESET",
     "close failed")
TALK(an_end_after_a_wait_of_99_ms_is_no_failure, "SUCCESS +call dropped", OPENED, "> c",
     "poll 99 ready", "eof", "close")
TALK(an_end_after_a_wait_of_100_ms_is_a_failure, "SUCCESS +call FAILURE", OPENED, "> c",
     "poll 100 ready", "eof", "close")
TALK(a_reset_within_a_blocking_receive_of_100_ms_is_a_failure, "SUCCESS +call FAILURE", OPENED,
     "> c", "wait", "+100", "error ECONNRESET")
TALK(a_reset_after_idling_is_no_failure, "SUCCESS +call dropped", OPENED, "> c", "+5000",
     "error ECONNRESET")
TALK(a_local_failure_of_a_later_exchange_is_inconclusive, "SUCCESS +call inconclusive", OPENED,
     "> c", "error ENOBUFS", "< d", "close")
TALK(the_call_after_a_local_failure_counts, "SUCCESS +call inconclusive +call SUCCESS", OPENED,
     "> c", "error ENOBUFS", "> e", "< f")
TALK(a_failed_send_that_sent_nothing_is_nothing, "SUCCESS", OPENED, "error EPIPE", "close")

TALK(a_farewell_is_no_call, "SUCCESS +call dropped farewell", OPENED, "> QUIT", "close")
TALK(a_farewell_with_99_ms_of_waiting_is_one, "SUCCESS +call dropped farewell", OPENED, "> QUIT",
     "poll 99 empty", "close")
TALK(a_send_waited_for_100_ms_in_vain_is_no_farewell, "SUCCESS +call FAILURE", OPENED, "> c",
     "poll 100 empty", "close")
TALK(a_farewell_in_the_opening_is_nothing, "SUCCESS farewell", "connect", "connected", "> a", "< b",
     "> QUIT", "close")
TALK(a_farewell_by_shutdown_is_no_call, "SUCCESS +call dropped farewell", OPENED, "> QUIT",
     "shutdown", "eof", "close")
TALK(a_farewell_by_shutdown_after_99_ms_is_one, "SUCCESS +call dropped farewell", OPENED, "> QUIT",
     "poll 99 empty", "shutdown", "close")
TALK(a_shutdown_after_100_ms_of_waiting_is_no_farewell, "SUCCESS +call FAILURE", OPENED, "> c",
     "poll 100 empty", "shutdown", "eof", "close")
TALK(what_follows_a_farewell_is_nothing, "SUCCESS +call dropped farewell", OPENED, "> QUIT",
     "shutdown", "poll 500 ready", "error ECONNRESET", "close failed")
TALK(an_answer_to_a_farewell_is_nothing, "SUCCESS +call dropped farewell", OPENED, "> QUIT",
     "shutdown", "< 221 bye", "eof", "close")
TALK(shutting_down_the_first_exchange_is_no_farewell, "SUCCESS", "connect", "connected", "> a",
     "shutdown", "< b", "eof", "close")
TALK(shutting_down_when_nothing_is_unanswered_is_nothing, "SUCCESS", "connect", "connected", "> a",
     "< b", "shutdown", "eof", "close")

TALK(a_farewell_does_not_renew_a_wait_that_ran_out, "SUCCESS +call FAILURE", OPENED, "> c",
     "poll 5000 empty", "> QUIT", "close")
TALK(nor_in_the_first_exchange, "FAILURE", "connect", "connected", "> a", "poll 5000 empty",
     "> QUIT", "close")
TALK(nor_when_the_farewell_is_waited_for_a_little, "SUCCESS +call FAILURE", OPENED, "> c",
     "poll 5000 empty", "> QUIT", "poll 99 ready", "close")
TALK(nor_when_it_ends_with_a_shutdown, "SUCCESS +call FAILURE", OPENED, "> c", "poll 5000 empty",
     "> QUIT", "shutdown", "close")
TALK(a_send_waited_for_anew_renews_it, "SUCCESS +call dropped farewell", OPENED, "> c",
     "poll 5000 empty", "> d", "poll 100 ready", "close")
TALK(an_answer_forgives_the_wait, "SUCCESS +call SUCCESS +call dropped farewell", OPENED, "> c",
     "poll 5000 empty", "> d", "< e", "> QUIT", "close")
TALK(a_wait_before_the_exchange_proves_nothing_about_it, "SUCCESS +call dropped farewell", OPENED,
     "poll 5000 empty", "> QUIT", "close")

TALK(nor_does_a_wait_of_a_call_that_failed_locally,
     "SUCCESS +call inconclusive +call dropped farewell", OPENED, "> c", "poll 5000 empty", "> d",
     "error ENOBUFS", "> QUIT", "close")
TALK(an_interim_answer_forgives_the_wait, "SUCCESS +call dropped farewell", OPENED, "> c",
     "poll 5000 empty", "> d", "< HTTP/1.1 100 Continue\r\n\r\n", "close")

/* ---- two processes ---- */

TALK(a_forked_copy_does_not_wait_where_its_parent_does, "+call dropped farewell", "connect",
     "connected", "> a", "wait", "fork", "> c", "+500", "close")

TALK(a_forked_copy_owns_no_open_exchange, "", "connect", "connected", "> a", "fork", "< b",
     "close")
TALK(a_forked_copy_is_no_judge_of_an_end, "", "connect", "connected", "> a", "fork",
     "error ECONNRESET", "close failed")
TALK(a_forked_copy_judges_what_it_begins, "+call SUCCESS", "connect", "connected", "> a", "fork",
     "> c", "< d", "close")
TALK(a_forked_copy_of_a_failed_wait_does_not_inherit_it, "+call dropped farewell", "connect",
     "connected", "> a", "poll 500 empty", "fork", "> c", "close")
TALK(bytes_that_a_child_received_are_an_answer, "SUCCESS", "connect", "connected", "> a",
     "poll 500 empty", "close sent 1 received 5")

/* ---- asking before a send ---- */

static bool asks(struct talk *t, const char *text)
{
	struct iovec iov = { (void *)(uintptr_t)text, strlen(text) };

	return il_connection_would_begin(&t->c, &t->facts, t->now_ns, &iov, 1, iov.iov_len);
}

START_TEST(who_asks_is_told_whether_a_send_begins_a_call)
{
	struct talk t = given_talk();

	ck_assert(!asks(&t, "x"));
	PLAY(&t, "connect", "connected");
	ck_assert(!asks(&t, "x"));
	PLAY(&t, "> a", "< b", "+99");
	ck_assert(!asks(&t, "x"));
	PLAY(&t, "+1");
	ck_assert(asks(&t, "x"));
	ck_assert(asks(&t, "x"));
	PLAY(&t, "> c");
	ck_assert(!asks(&t, "x"));
}
END_TEST

START_TEST(the_phase_of_a_later_exchange_is_exchange)
{
	struct talk t = given_talk();

	PLAY(&t, OPENED, "> c", "+5", "< d");
	ck_assert_int_eq(t.last.phase, IL_PHASE_EXCHANGE);
	ck_assert_int_eq(t.last.seen, IL_SEEN_ANSWER);
	ck_assert_int_eq(t.last.duration_ns, 5000000);
}
END_TEST

START_TEST(an_open_exchange_is_seen_as_open)
{
	struct talk t = given_talk();

	PLAY(&t, "connect");
	ck_assert(il_connection_is_open(&t.c) && il_connection_is_connecting(&t.c));
	PLAY(&t, "connected", "> a");
	ck_assert(il_connection_is_open(&t.c) && !il_connection_is_connecting(&t.c));
	PLAY(&t, "< b", "+100");
	ck_assert(!il_connection_is_open(&t.c));
	PLAY(&t, "> c");
	ck_assert(il_connection_is_open(&t.c));
	ck_assert_int_eq(il_connection_begun_ns(&t.c), t.now_ns);
	PLAY(&t, "shutdown");
	ck_assert(!il_connection_is_open(&t.c) && il_connection_is_quiet(&t.c));
}
END_TEST

RUN_TESTS("connection_exchanges", each_exchange_is_a_call,
	  a_later_exchange_is_recorded_at_its_first_byte, a_later_exchange_may_be_slow,
	  slowness_does_not_stick_to_the_next_call, a_stale_connection_is_no_failure,
	  an_end_after_a_wait_of_99_ms_is_no_failure, an_end_after_a_wait_of_100_ms_is_a_failure,
	  a_reset_within_a_blocking_receive_of_100_ms_is_a_failure, a_reset_after_idling_is_no_failure,
	  a_local_failure_of_a_later_exchange_is_inconclusive, the_call_after_a_local_failure_counts,
	  a_failed_send_that_sent_nothing_is_nothing, a_farewell_is_no_call,
	  a_farewell_with_99_ms_of_waiting_is_one, a_send_waited_for_100_ms_in_vain_is_no_farewell,
	  a_farewell_in_the_opening_is_nothing, a_farewell_by_shutdown_is_no_call,
	  a_farewell_by_shutdown_after_99_ms_is_one, a_shutdown_after_100_ms_of_waiting_is_no_farewell,
	  what_follows_a_farewell_is_nothing, an_answer_to_a_farewell_is_nothing,
	  shutting_down_the_first_exchange_is_no_farewell,
	  shutting_down_when_nothing_is_unanswered_is_nothing,
	  a_farewell_does_not_renew_a_wait_that_ran_out, nor_in_the_first_exchange,
	  nor_when_the_farewell_is_waited_for_a_little, nor_when_it_ends_with_a_shutdown,
	  a_send_waited_for_anew_renews_it, an_answer_forgives_the_wait,
	  a_wait_before_the_exchange_proves_nothing_about_it,
	  nor_does_a_wait_of_a_call_that_failed_locally, an_interim_answer_forgives_the_wait,
	  a_forked_copy_does_not_wait_where_its_parent_does, a_forked_copy_owns_no_open_exchange,
	  a_forked_copy_is_no_judge_of_an_end, a_forked_copy_judges_what_it_begins,
	  a_forked_copy_of_a_failed_wait_does_not_inherit_it, bytes_that_a_child_received_are_an_answer,
	  who_asks_is_told_whether_a_send_begins_a_call, the_phase_of_a_later_exchange_is_exchange,
	  an_open_exchange_is_seen_as_open)
