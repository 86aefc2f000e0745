/* HTTP/1.x in plain text: statuses, tunnels, bodies that break off. */
#include "conversation.h"

#define C      "connect", "connected"
#define GET    "> GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define OK     "< HTTP/1.1 200 OK\r\n\r\n"
#define TEN    "< HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"

TALK(a_status_in_the_list_is_a_failure, "FAILURE", C, GET, "< HTTP/1.1 503 No\r\n\r\n", "close")
TALK(a_status_that_is_not_is_a_success, "SUCCESS", C, GET, "< HTTP/1.1 404 No\r\n\r\n", "close")
TALK(too_many_requests_are_a_failure, "FAILURE", C, GET, "< HTTP/1.1 429 No\r\n\r\n")
TALK(a_server_error_is_a_failure, "FAILURE", C, GET, "< HTTP/1.0 500 No\r\n\r\n")
TALK(not_implemented_is_not, "SUCCESS", C, GET, "< HTTP/1.1 501 No\r\n\r\n")
TALK(http_2_in_plain_text_is_just_an_answer, "SUCCESS", C, "> PRI * HTTP/2.0\r\n\r\n",
     "< HTTP/2.0 503 No", "close")
TALK(the_status_counts_when_12_bytes_have_come, "", C, GET, "< HTTP/1.1 50")
TALK(over_however_many_reads, "FAILURE", C, GET, "< HTTP/1", "< .1 50", "< 3")
TALK(byte_by_byte, "FAILURE", C, GET, "<1 HTTP/1.1 503")
TALK(peeked_bytes_count_once, "FAILURE", C, GET, "<peek HTTP/1.1 5", "<peek HTTP/1.1 50",
     "< HTTP/1.1 50", "< 3 No")
TALK(a_peek_alone_may_decide, "FAILURE", C, GET, "<peek HTTP/1.1 503 No", "< HTTP/1.1 503 No",
     "close")
TALK(a_peek_of_the_next_answer_is_its_answer, "SUCCESS +call FAILURE", C, GET, "<peek HTTP/1.1 200",
     "< HTTP/1.1 200 OK\r\n\r\n", GET, "<peek HTTP/1.1 503", "< HTTP/1.1 503", "close")
TALK(an_answer_that_never_gets_to_12_bytes_is_one, "SUCCESS", C, GET, "< HTTP/1.1 50", "eof",
     "close")
TALK(even_when_it_is_closed, "SUCCESS", C, GET, "< HTTP", "close")
TALK(even_when_it_is_reset, "SUCCESS", C, GET, "< HTTP", "error ECONNRESET", "close failed")
TALK(even_when_the_next_request_comes, "SUCCESS +call SUCCESS", C, GET, "< H", "+100", GET, OK)
TALK(what_is_not_http_after_all_is_an_answer, "SUCCESS", C, GET, "< HTTP/1.1 abc")
TALK(an_answer_that_begins_with_h_is_no_http, "SUCCESS", C, "> a", "< HELO")
TALK(an_http_answer_to_anything_is_judged, "FAILURE", C, "> *500", "< HTTP/1.1 503 No")

TALK(an_http_answer_ends_the_opening, "SUCCESS +call SUCCESS", C, GET, OK, GET, OK, "close")
TALK(a_later_status_is_judged, "SUCCESS +call FAILURE +call SUCCESS", C, GET, OK, GET,
     "< HTTP/1.1 500 No\r\n\r\n", GET, OK)
TALK(a_probe_is_judged_at_its_http_answer, "SUCCESS", "connect probe", "connected", GET, OK)
TALK(a_probe_fails_by_its_status, "FAILURE", "connect probe", "connected", GET,
     "< HTTP/1.1 503 No\r\n\r\n")

TALK(continue_is_no_answer, "", C, "> POST / HTTP/1.1\r\n\r\n", "< HTTP/1.1 100 Continue\r\n\r\n")
TALK(nor_are_early_hints, "FAILURE", C, GET, "< HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n",
     "< HTTP/1.1 503 No")
TALK(a_final_status_may_follow_in_the_same_read, "FAILURE", C, GET,
     "< HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 No")
TALK(continue_byte_by_byte, "FAILURE", C, GET,
     "<1 HTTP/1.1 100 Continue\r\nA: b\r\n\r\nHTTP/1.1 503 No")
TALK(after_continue_it_is_still_waited_for, "FAILURE", C, GET, "< HTTP/1.1 100 Continue\r\n\r\n",
     "poll 100 empty", "close")
TALK(an_end_after_continue_is_a_failure, "FAILURE", C, GET, "< HTTP/1.1 100 Continue\r\n\r\n",
     "eof")
TALK(the_body_sent_after_continue_belongs_to_the_request, "SUCCESS", C, GET,
     "< HTTP/1.1 100 Continue\r\n\r\n", "> body", OK, "close")
TALK(one_hundred_ninety_nine_is_no_answer, "", C, GET, "< HTTP/1.1 199 Hm\r\n\r\n")

/* ---- streams and tunnels ---- */

TALK(after_switching_protocols_all_is_nothing, "SUCCESS", C, GET,
     "< HTTP/1.1 101 Switching\r\n\r\n", "+500", "> frame", "poll 5000 empty", "> frame",
     "error ECONNRESET", "close failed")
TALK(switching_protocols_decides_a_probe, "SUCCESS", "connect probe", "connected", GET,
     "< HTTP/1.1 101 Switching\r\n\r\n")
TALK(a_tunnel_goes_on_with_the_opening, "SUCCESS", C, "> CONNECT a:443 HTTP/1.1\r\n\r\n",
     "< HTTP/1.1 200 OK\r\n\r\n", ">> h1", "<< 16:122 17:27 17:53", ">> 17:53 17:96", "<< 17:900",
     "close")
TALK(any_2xx_opens_it, "SUCCESS", C, "> CONNECT a:443 HTTP/1.1\r\n\r\n",
     "< HTTP/1.1 299 OK\r\n\r\n", ">> h1", "<< 16:122 17:27 17:53", "close")
TALK(the_tunnel_is_tls, "SUCCESS ~FAILURE", C, "> CONNECT a:443 HTTP/1.1\r\n\r\n",
     "< HTTP/1.1 200 OK\r\n\r\n", ">> h1", "<< 16:122 17:27 17:53", ">> 17:53 17:96",
     "<< 17:250 17:250", "poll 1000 empty", "close")
TALK(the_tunnel_may_be_plain, "SUCCESS ~FAILURE", C, "> CONNECT a:80 HTTP/1.1\r\n\r\n",
     "< HTTP/1.1 200 OK\r\n\r\n", GET, "< HTTP/1.1 503 No\r\n\r\n", "close")
TALK(the_tunnel_may_be_a_stream, "SUCCESS", C, "> CONNECT a:22 HTTP/1.1\r\n\r\n",
     "< HTTP/1.1 200 OK\r\n\r\n", "+5", "< SSH-2.0-x", "> SSH-2.0-y", "poll 5000 empty", "close")
TALK(a_probe_through_a_tunnel_waits_for_its_end, "", "connect probe", "connected",
     "> CONNECT a:443 HTTP/1.1\r\n\r\n", "< HTTP/1.1 200 OK\r\n\r\n", ">> h1")
TALK(a_refused_tunnel_is_the_proxys_success, "SUCCESS", C, "> CONNECT a:443 HTTP/1.1\r\n\r\n",
     "< HTTP/1.1 503 No\r\n\r\n", "close")
TALK(a_refused_tunnel_ends_the_opening, "SUCCESS +call SUCCESS", C,
     "> CONNECT a:443 HTTP/1.1\r\n\r\n", "< HTTP/1.1 407 No\r\n\r\n",
     "> CONNECT a:443 HTTP/1.1\r\n\r\n", OK)
TALK(an_absolute_form_is_the_proxys_success, "SUCCESS", C, "> GET http://a/ HTTP/1.1\r\n\r\n",
     "< HTTP/1.1 503 No\r\n\r\n", "close")
TALK(an_absolute_form_over_many_sends, "SUCCESS", C, ">1 GET http://a/ HTTP/1.1\r\n\r\n",
     "< HTTP/1.1 503 No\r\n\r\n", "close")
TALK(an_origin_form_over_many_sends, "FAILURE", C, ">1 GET /http://a/ HTTP/1.1\r\n\r\n",
     "< HTTP/1.1 503 No\r\n\r\n", "close")
TALK(options_of_a_server_are_its_own, "FAILURE", C, "> OPTIONS * HTTP/1.1\r\n\r\n",
     "< HTTP/1.1 503 No\r\n\r\n", "close")
TALK(connecting_in_another_protocol_is_no_tunnel, "FAILURE", C, "> CONNECT a:443 STOMP\r\n\r\n",
     "< HTTP/1.1 503 No\r\n\r\n", "close")
TALK(a_word_longer_than_connect_is_no_tunnel, "FAILURE", C, "> CONNECTED /x HTTP/1.1\r\n\r\n",
     "< HTTP/1.1 503 No\r\n\r\n", "close")
TALK(small_letters_are_no_method, "SUCCESS +call dropped farewell", C, "watch", "> a", "< b",
     "+100", "> get /x HTTP/1.1\r\n\r\n", "+5000", "close")

/* ---- bodies ---- */

TALK(a_body_that_breaks_off_amends, "SUCCESS ~FAILURE", C, GET, TEN, "< 6789", "eof", "close")
TALK(a_body_that_is_complete_does_not, "SUCCESS", C, GET, TEN, "< 67890", "eof", "close")
TALK(a_body_complete_in_the_first_read_does_not, "SUCCESS", C, GET,
     "< HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345", "eof", "close")
TALK(a_body_broken_by_a_reset_amends, "SUCCESS ~FAILURE", C, GET, TEN, "error ECONNRESET",
     "close failed")
TALK(a_body_waited_for_in_vain_amends, "SUCCESS ~FAILURE", C, GET, TEN, "poll 100 empty", "close")
TALK(a_body_waited_for_99_ms_does_not, "SUCCESS", C, GET, TEN, "poll 99 empty", "close")
TALK(a_body_whose_wait_was_ready_does_not, "SUCCESS", C, GET, TEN, "poll 500 ready", "close")
TALK(a_body_not_wanted_does_not, "SUCCESS", C, GET, TEN, "close")
TALK(a_body_an_event_loop_waits_for_does_not, "SUCCESS", C, "watch", GET, TEN, "+5000", "close")
TALK(an_answer_to_head_has_no_body, "SUCCESS", C, "> HEAD / HTTP/1.1\r\n\r\n", TEN, "eof", "close")
TALK(no_content_has_no_body, "SUCCESS", C, GET,
     "< HTTP/1.1 204 No Content\r\nContent-Length: 10\r\n\r\n", "eof", "close")
TALK(not_modified_has_no_body, "SUCCESS", C, GET,
     "< HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", "eof", "close")
TALK(a_tunnel_has_no_body, "SUCCESS", C, "> CONNECT a:1 HTTP/1.1\r\n\r\n",
     "< HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", "eof", "close")
TALK(a_header_over_two_reads_is_not_followed, "SUCCESS", C, GET, "< HTTP/1.1 200 OK\r\n",
     "< Content-Length: 10\r\n\r\n", "eof", "close")
TALK(nor_is_one_whose_status_line_was_cut, "SUCCESS", C, GET, "< HTTP/1.1 2",
     "< 00 OK\r\nContent-Length: 10\r\n\r\n", "eof", "close")
TALK(a_header_without_a_length_is_not_followed, "SUCCESS", C, GET,
     "< HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "eof", "close")
TALK(a_length_may_be_written_in_any_case, "SUCCESS ~FAILURE", C, GET,
     "< HTTP/1.1 200 OK\r\nA: b\r\ncONTENT-lENGTH:10 \r\nC: d\r\n\r\n", "eof", "close")
TALK(a_length_that_is_no_number_is_not_followed, "SUCCESS", C, GET,
     "< HTTP/1.1 200 OK\r\nContent-Length: 10a\r\n\r\n", "eof", "close")
TALK(a_length_beyond_all_numbers_is_not_followed, "SUCCESS", C, GET,
     "< HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", "eof", "close")
TALK(two_lengths_are_not_followed, "SUCCESS", C, GET,
     "< HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 20\r\n\r\n", "eof", "close")
TALK(chunks_are_not_followed, "SUCCESS", C, GET,
     "< HTTP/1.1 200 OK\r\nContent-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n", "eof",
     "close")
TALK(a_peeked_header_is_a_first_read, "SUCCESS ~FAILURE", C, GET,
     "<peek HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", TEN, "eof", "close")
TALK(a_peeked_body_counts_once, "SUCCESS", C, GET,
     "<peek HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", TEN, "< 67890", "eof", "close")
TALK(a_body_that_is_peeked_at_its_end_counts_once, "SUCCESS ~FAILURE", C, GET, TEN, "<peek 678",
     "<peek 678", "< 678", "eof", "close")
TALK(a_body_spliced_away_counts, "SUCCESS", C, GET, TEN, "< *5", "eof", "close")
TALK(the_next_request_ends_the_following, "SUCCESS +call dropped", C, GET, TEN, GET, "eof", "close")
TALK(even_when_it_is_answered, "SUCCESS +call SUCCESS", C, GET, TEN, GET, OK, "eof", "close")
TALK(a_body_of_a_later_answer_amends_that_call, "SUCCESS +call SUCCESS ~FAILURE", C, GET, OK, GET,
     TEN, "eof", "close")
TALK(a_failed_status_with_a_broken_body_is_one_failure, "FAILURE", C, GET,
     "< HTTP/1.1 503 No\r\nContent-Length: 10\r\n\r\n", "eof", "close")

START_TEST(an_answer_lasts_until_its_first_byte)
{
	struct talk t = given_talk();

	EXPECT(&t, "SUCCESS", C, GET, "+40", "< HTTP/1.1 2", "+5000", "< 00 OK\r\n\r\n");
	ck_assert_int_eq(t.last.duration_ns, 40000000);
	ck_assert_int_eq(t.last.seen, IL_SEEN_HTTP);
	ck_assert_int_eq(t.last.detail, 200);
	ck_assert_int_eq(t.last.phase, IL_PHASE_ANSWER);
}
END_TEST

START_TEST(an_answer_in_many_pieces_is_one)
{
	struct talk t = given_talk();
	char a[] = "HTTP", b[] = "/1.1 ", c[] = "503 No";
	struct iovec iov[] = { { a, 4 }, { NULL, 0 }, { b, 5 }, { c, 6 } };

	PLAY(&t, C, GET);
	talk_hears(&t, il_connection_received(&t.c, &t.facts, t.now_ns, iov, 4, 15, false));
	ck_assert_str_eq(t.said, "FAILURE");
}
END_TEST

START_TEST(only_what_was_received_of_the_pieces_is_read)
{
	struct talk t = given_talk();
	char a[] = "HTTP/1.1 50", b[] = "3";
	struct iovec iov[] = { { a, 11 }, { b, 1 } };

	PLAY(&t, C, GET);
	talk_hears(&t, il_connection_received(&t.c, &t.facts, t.now_ns, iov, 2, 11, false));
	ck_assert_str_eq(t.said, "");
}
END_TEST

START_TEST(the_set_of_statuses_has_its_ends)
{
	struct il_facts facts = { 0 };

	il_facts_add_status(&facts, 100);
	il_facts_add_status(&facts, 599);
	il_facts_add_status(&facts, 99);
	il_facts_add_status(&facts, 600);
	for (unsigned status = 0; status < 1000; status++)
		ck_assert_int_eq(il_facts_has_status(&facts, status), status == 100 || status == 599);
}
END_TEST

RUN_TESTS("connection_http", a_status_in_the_list_is_a_failure, a_status_that_is_not_is_a_success,
	  too_many_requests_are_a_failure, a_server_error_is_a_failure, not_implemented_is_not,
	  http_2_in_plain_text_is_just_an_answer, the_status_counts_when_12_bytes_have_come,
	  over_however_many_reads, byte_by_byte, peeked_bytes_count_once, a_peek_alone_may_decide,
	  a_peek_of_the_next_answer_is_its_answer, an_answer_that_never_gets_to_12_bytes_is_one,
	  even_when_it_is_closed, even_when_it_is_reset, even_when_the_next_request_comes,
	  what_is_not_http_after_all_is_an_answer, an_answer_that_begins_with_h_is_no_http,
	  an_http_answer_to_anything_is_judged, an_http_answer_ends_the_opening,
	  a_later_status_is_judged, a_probe_is_judged_at_its_http_answer, a_probe_fails_by_its_status,
	  continue_is_no_answer, nor_are_early_hints, a_final_status_may_follow_in_the_same_read,
	  continue_byte_by_byte, after_continue_it_is_still_waited_for,
	  an_end_after_continue_is_a_failure, the_body_sent_after_continue_belongs_to_the_request,
	  one_hundred_ninety_nine_is_no_answer, after_switching_protocols_all_is_nothing,
	  switching_protocols_decides_a_probe, a_tunnel_goes_on_with_the_opening, any_2xx_opens_it,
	  the_tunnel_is_tls, the_tunnel_may_be_plain, the_tunnel_may_be_a_stream,
	  a_probe_through_a_tunnel_waits_for_its_end, a_refused_tunnel_is_the_proxys_success,
	  a_refused_tunnel_ends_the_opening, an_absolute_form_is_the_proxys_success,
	  an_absolute_form_over_many_sends, an_origin_form_over_many_sends,
	  options_of_a_server_are_its_own, connecting_in_another_protocol_is_no_tunnel,
	  a_word_longer_than_connect_is_no_tunnel, small_letters_are_no_method,
	  a_body_that_breaks_off_amends, a_body_that_is_complete_does_not,
	  a_body_complete_in_the_first_read_does_not, a_body_broken_by_a_reset_amends,
	  a_body_waited_for_in_vain_amends, a_body_waited_for_99_ms_does_not,
	  a_body_whose_wait_was_ready_does_not, a_body_not_wanted_does_not,
	  a_body_an_event_loop_waits_for_does_not, an_answer_to_head_has_no_body, no_content_has_no_body,
	  not_modified_has_no_body, a_tunnel_has_no_body, a_header_over_two_reads_is_not_followed,
	  nor_is_one_whose_status_line_was_cut, a_header_without_a_length_is_not_followed,
	  a_length_may_be_written_in_any_case, a_length_that_is_no_number_is_not_followed,
	  a_length_beyond_all_numbers_is_not_followed, two_lengths_are_not_followed,
	  chunks_are_not_followed, a_peeked_header_is_a_first_read, a_peeked_body_counts_once,
	  a_body_that_is_peeked_at_its_end_counts_once, a_body_spliced_away_counts,
	  the_next_request_ends_the_following, even_when_it_is_answered,
	  a_body_of_a_later_answer_amends_that_call, a_failed_status_with_a_broken_body_is_one_failure,
	  an_answer_lasts_until_its_first_byte, an_answer_in_many_pieces_is_one,
	  only_what_was_received_of_the_pieces_is_read, the_set_of_statuses_has_its_ends)
