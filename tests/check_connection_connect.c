/* Connecting: how its end is learnt, and what giving it up means. */
#include "conversation.h"

TALK(a_connection_alone_says_nothing, "", "connect!", "+5", "connected")
TALK(connecting_once_more_is_no_news, "", "connect", "connected", "+5", "connected")

TALK(a_refused_connect_is_a_failure, "FAILURE", "connect!", "+1", "error ECONNREFUSED")
TALK(a_reset_connect_is_a_failure, "FAILURE", "connect", "error ECONNRESET")
TALK(an_aborted_connect_is_a_failure, "FAILURE", "connect", "error ECONNABORTED")
TALK(a_timed_out_connect_is_a_failure, "FAILURE", "connect", "error ETIMEDOUT")
TALK(an_unreachable_host_is_a_failure, "FAILURE", "connect", "error EHOSTUNREACH")
TALK(a_host_that_is_down_is_a_failure, "FAILURE", "connect", "error EHOSTDOWN")
TALK(a_network_reset_is_a_failure, "FAILURE", "connect", "error ENETRESET")
TALK(a_broken_pipe_instead_of_a_connection_is_a_failure, "FAILURE", "connect", "error EPIPE")

TALK(an_unreachable_network_is_a_local_matter, "inconclusive", "connect", "error ENETUNREACH")
TALK(a_missing_address_is_a_local_matter, "inconclusive", "connect", "error EADDRNOTAVAIL")
TALK(a_forbidden_connect_is_a_local_matter, "inconclusive", "connect", "error EACCES")
TALK(a_firewall_of_ours_is_a_local_matter, "inconclusive", "connect", "error EPERM")
TALK(a_lack_of_memory_is_a_local_matter, "inconclusive", "connect", "error ENOMEM")
TALK(a_local_failure_of_a_probe_releases_it, "inconclusive", "connect probe", "error ENETUNREACH",
     "close")

TALK(a_pending_connect_has_no_verdict, "", "connect", "error EINPROGRESS", "error EALREADY",
     "error EAGAIN", "error EINTR")
TALK(a_pending_connect_may_fail_later, "FAILURE", "connect", "error EINPROGRESS", "+30",
     "error ECONNREFUSED")
TALK(a_failed_connect_has_one_verdict, "FAILURE", "connect", "error ECONNREFUSED",
     "error EPIPE", "eof", "close failed")
TALK(a_send_that_learns_of_the_refusal_is_the_verdict, "FAILURE", "connect", "error EAGAIN",
     "+5", "error ECONNREFUSED", "close failed")

TALK(giving_up_after_199_ms_is_no_time_out, "cancelled", "connect", "+199", "close syn")
TALK(giving_up_after_200_ms_is_a_time_out, "FAILURE", "connect", "+200", "close syn")
TALK(a_probe_given_up_early_is_released, "cancelled", "connect probe", "+199", "close syn")
TALK(a_probe_given_up_late_has_failed, "FAILURE", "connect probe", "+200", "close syn")
TALK(an_interrupted_connect_that_is_closed_is_a_time_out, "FAILURE", "connect!", "+2000",
     "error EINTR blocking", "close syn")
TALK(a_connect_jumped_out_of_is_a_time_out, "FAILURE", "connect!", "+2000", "close syn")
TALK(a_refusal_never_asked_for_is_still_one, "FAILURE", "connect", "+5", "close failed")
TALK(a_connection_found_gone_while_connecting_proves_nothing, "cancelled", "connect", "+2000",
     "close late")
TALK(a_connection_made_but_never_noticed_is_not_a_time_out, "SUCCESS", "connect", "+2000", "close")
TALK(a_fast_open_that_never_connected_is_a_time_out, "FAILURE", "connect", "> hello", "+200",
     "close syn")

TALK(bytes_sent_imply_the_connection, "SUCCESS", "connect", "+1", "> hello", "< hi", "close")
TALK(bytes_received_imply_the_connection, "SUCCESS", "connect", "+1", "< 220 hello", "close")

TALK(a_connect_that_hangs_is_charged_while_it_hangs, "SLOW_SUCCESS charged ~SLOW_FAILURE",
     "slow 1000", "connect!", "+1000", "tick", "+500", "error ETIMEDOUT", "close failed")
TALK(one_millisecond_before_the_threshold_nothing_is_charged, "", "slow 1000", "connect!", "+999",
     "tick")
TALK(a_connect_in_the_background_is_not_charged, "", "slow 1000", "connect", "+5000", "tick")
TALK(an_event_loop_waits_for_its_connect, "SLOW_SUCCESS charged", "slow 1000", "connect", "watch",
     "+1000", "tick")
TALK(a_failed_connect_that_took_long_is_slow, "SLOW_FAILURE", "slow 1000", "connect!", "+1000",
     "error ETIMEDOUT")
TALK(one_way_use_after_a_slow_connect_is_no_failure, "SLOW_SUCCESS charged", "slow 1000",
     "connect!", "+2000", "connected", "> log", "close")
TALK(nor_is_a_spare_connection, "SLOW_SUCCESS charged", "answered", "slow 1000", "connect!",
     "+2000", "connected", "close")
TALK(nor_is_one_who_changes_his_mind, "SLOW_SUCCESS charged", "answered", "slow 1000", "connect!",
     "+2000", "connected", "> a", "close")
TALK(a_charged_connect_that_succeeds_stays_slow, "SLOW_SUCCESS charged", "slow 1000", "connect!",
     "+1500", "connected", "> hello", "< hi", "close")

START_TEST(the_duration_of_a_connect_takes_in_its_look_up)
{
	struct talk t = given_talk();

	il_connection_begin(&t.c, t.now_ns, 300000000, 0);
	t.undecided = 1;
	EXPECT(&t, "FAILURE", "+20", "error ECONNREFUSED");
	ck_assert_int_eq(t.last.duration_ns, 320000000);
	ck_assert_int_eq(t.last.seen, IL_SEEN_ERRNO);
	ck_assert_int_eq(t.last.detail, ECONNREFUSED);
	ck_assert_int_eq(t.last.phase, IL_PHASE_CONNECT);
}
END_TEST

START_TEST(connecting_and_answering_add_up_and_idling_does_not)
{
	struct talk t = given_talk();

	EXPECT(&t, "SUCCESS", "connect", "+20", "connected", "+5000", "> hello", "+7", "< hi");
	ck_assert_int_eq(t.last.duration_ns, 27000000);
	ck_assert_int_eq(t.last.phase, IL_PHASE_ANSWER);
}
END_TEST

START_TEST(time_spent_sending_does_not_count)
{
	struct talk t = given_talk();

	EXPECT(&t, "SUCCESS", "slow 1000", "connect", "connected", "> a", "+900", "> b", "+900",
	       "> c", "+30", "< hi");
	ck_assert_int_eq(t.last.duration_ns, 30000000);
}
END_TEST

START_TEST(connecting_and_answering_together_may_be_slow)
{
	struct talk t = given_talk();

	EXPECT(&t, "SLOW_SUCCESS", "slow 1000", "connect!", "+400", "connected", "> a", "+600", "< b");
}
END_TEST

START_TEST(one_nanosecond_below_the_threshold_is_not_slow)
{
	struct talk t = given_talk();

	t.facts.slow_ns = 1000000001;
	EXPECT(&t, "SUCCESS", "connect!", "+400", "connected", "> a", "+600", "< b");
}
END_TEST

START_TEST(a_connect_by_an_event_loop_counts_the_same)
{
	struct talk t = given_talk();

	EXPECT(&t, "SUCCESS", "connect", "error EINPROGRESS", "watch", "+3", "connected", "> a", "+4",
	       "< b", "close");
	ck_assert_int_eq(t.last.duration_ns, 7000000);
}
END_TEST

RUN_TESTS("connection_connect", a_connection_alone_says_nothing, connecting_once_more_is_no_news,
	  a_refused_connect_is_a_failure, a_reset_connect_is_a_failure,
	  an_aborted_connect_is_a_failure, a_timed_out_connect_is_a_failure,
	  an_unreachable_host_is_a_failure, a_host_that_is_down_is_a_failure,
	  a_network_reset_is_a_failure, a_broken_pipe_instead_of_a_connection_is_a_failure,
	  an_unreachable_network_is_a_local_matter, a_missing_address_is_a_local_matter,
	  a_forbidden_connect_is_a_local_matter, a_firewall_of_ours_is_a_local_matter,
	  a_lack_of_memory_is_a_local_matter, a_local_failure_of_a_probe_releases_it,
	  a_pending_connect_has_no_verdict, a_pending_connect_may_fail_later,
	  a_failed_connect_has_one_verdict, a_send_that_learns_of_the_refusal_is_the_verdict,
	  giving_up_after_199_ms_is_no_time_out, giving_up_after_200_ms_is_a_time_out,
	  a_probe_given_up_early_is_released, a_probe_given_up_late_has_failed,
	  an_interrupted_connect_that_is_closed_is_a_time_out,
	  a_connect_jumped_out_of_is_a_time_out, a_refusal_never_asked_for_is_still_one,
	  a_connection_found_gone_while_connecting_proves_nothing,
	  a_connection_made_but_never_noticed_is_not_a_time_out,
	  a_fast_open_that_never_connected_is_a_time_out, bytes_sent_imply_the_connection,
	  bytes_received_imply_the_connection, a_connect_that_hangs_is_charged_while_it_hangs,
	  one_millisecond_before_the_threshold_nothing_is_charged,
	  a_connect_in_the_background_is_not_charged, an_event_loop_waits_for_its_connect,
	  one_way_use_after_a_slow_connect_is_no_failure, nor_is_a_spare_connection,
	  nor_is_one_who_changes_his_mind, a_failed_connect_that_took_long_is_slow,
	  a_charged_connect_that_succeeds_stays_slow,
	  the_duration_of_a_connect_takes_in_its_look_up,
	  connecting_and_answering_add_up_and_idling_does_not, time_spent_sending_does_not_count,
	  connecting_and_answering_together_may_be_slow,
	  one_nanosecond_below_the_threshold_is_not_slow,
	  a_connect_by_an_event_loop_counts_the_same)
