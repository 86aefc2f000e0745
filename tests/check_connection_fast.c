/* Fast open: bytes that go before the connection stands, and a connect() that put it off. */
#include "conversation.h"

TALK(an_answer_to_bytes_in_the_syn_is_a_success, "SUCCESS", "connect fast", "> a", "connected",
     "+5", "< b", "close")
TALK(bytes_in_the_syn_do_not_show_a_connection, "FAILURE", "connect fast", "> a", "+250",
     "close syn")
TALK(a_syn_refused_after_its_bytes_were_taken_is_a_failure, "FAILURE", "connect fast", "> a",
     "error ECONNREFUSED", "close failed")
TALK(a_refusal_nobody_asked_for_is_one_too, "FAILURE", "connect fast", "> a", "close failed")
TALK(a_fast_open_given_up_early_is_cancelled, "cancelled", "connect fast", "> a", "+199",
     "close syn")
TALK(an_end_after_bytes_in_the_syn_is_a_failure, "FAILURE", "connect fast", "> a", "connected",
     "eof", "close")
TALK(one_way_use_with_fast_open_is_a_success, "SUCCESS", "connect fast", "> a", "close sent 1")

TALK(a_connect_put_off_and_never_used_is_cancelled, "cancelled", "connect fast", "defer", "+5000",
     "close syn")
TALK(however_long_an_event_loop_holds_it, "cancelled", "slow 1000", "connect fast", "watch",
     "defer", "+5000", "tick", "close syn")
TALK(or_is_polled_for, "cancelled", "slow 1000", "connect! fast", "defer", "poll 5000 empty",
     "close syn")
TALK(a_probe_put_off_and_never_used_is_released, "cancelled", "connect fast probe", "defer",
     "+5000", "close syn")
TALK(the_attempt_begins_with_the_first_send, "cancelled", "connect fast", "defer", "+5000",
     "resume", "> a", "+199", "close syn")
TALK(and_may_time_out_from_then_on, "FAILURE", "connect fast", "defer", "+5000", "resume", "> a",
     "+200", "close syn")
TALK(a_blocking_send_that_hangs_in_it_is_charged, "SLOW_SUCCESS charged ~SLOW_FAILURE",
     "slow 1000", "connect! fast", "defer", "+5000", "resume!", "+999", "tick", "+1", "tick",
     "close syn")
TALK(a_send_that_learns_of_the_refusal_is_its_verdict, "FAILURE", "connect! fast", "defer", "+500",
     "resume!", "error ECONNREFUSED", "close failed")

START_TEST(the_time_before_the_first_send_does_not_count)
{
	struct talk t = given_talk();

	EXPECT(&t, "SUCCESS", "connect! fast", "defer", "+5000", "resume!", "+3", "connected", "> a",
	       "+4", "< b", "close");
	ck_assert_int_eq(t.last.duration_ns, 7000000);
}
END_TEST

RUN_TESTS("connection_fast", an_answer_to_bytes_in_the_syn_is_a_success,
	  bytes_in_the_syn_do_not_show_a_connection,
	  a_syn_refused_after_its_bytes_were_taken_is_a_failure,
	  a_refusal_nobody_asked_for_is_one_too, a_fast_open_given_up_early_is_cancelled,
	  an_end_after_bytes_in_the_syn_is_a_failure, one_way_use_with_fast_open_is_a_success,
	  a_connect_put_off_and_never_used_is_cancelled, however_long_an_event_loop_holds_it,
	  or_is_polled_for, a_probe_put_off_and_never_used_is_released,
	  the_attempt_begins_with_the_first_send, and_may_time_out_from_then_on,
	  a_blocking_send_that_hangs_in_it_is_charged,
	  a_send_that_learns_of_the_refusal_is_its_verdict,
	  the_time_before_the_first_send_does_not_count)
