/* TLS from outside: handshakes, tickets, farewells, h2. */
#include "conversation.h"

/* Client and server hello of 1.3, the server's flight in one read. */
#define HELLO13	 "connect", "connected", ">> h1", "<< 16:122 14:1 17:27 17:800 17:281 17:53"
#define HELLO_H2 "connect", "connected", ">> h2", "<< 16:122 14:1 17:32 17:800 17:281 17:53"
#define HELLO12	 "connect", "connected", ">> h1", "<< 16:88 16:800 16:300 16:4"
#define FLIGHT12 ">> 16:37 14:1 16:40", "<< 14:1 16:40"

TALK(a_handshake_and_a_request_are_one_call, "SUCCESS", HELLO13, ">> 14:1 17:53", ">> 17:96",
     "<< 17:250 17:250", "<< 17:900", "close")
TALK(so_they_are_in_tls_12, "SUCCESS", HELLO12, FLIGHT12, ">> 17:96", "<< 17:900", "close")

TALK(tickets_are_no_answer, "SUCCESS ~FAILURE", HELLO13, ">> 14:1 17:53", ">> 17:96",
     "<< 17:250 17:250", "poll 1000 empty", "close")
TALK(tickets_read_one_by_one_are_none_either, "SUCCESS ~FAILURE", HELLO13, ">> 14:1 17:53",
     ">> 17:96", "<< 17:250", "<< 17:250", "poll 1000 empty", "close")
TALK(tickets_read_header_by_header_are_none_either, "SUCCESS ~FAILURE", HELLO13, ">> 14:1 17:53",
     ">> 17:96", "<<5 17:250 17:250", "poll 1000 empty", "close")
TALK(tickets_read_byte_by_byte_are_none_either, "SUCCESS ~FAILURE", HELLO13, ">> 14:1 17:53",
     ">> 17:96", "<<1 17:250 17:250", "poll 1000 empty", "close")
TALK(all_of_tls_byte_by_byte, "SUCCESS ~FAILURE", "connect", "connected", ">>1 h1",
     "<<1 16:122 14:1 17:27 17:800 17:281 17:53", ">>1 14:1 17:53", ">>1 17:96",
     "<<1 17:250 17:250", "poll 1000 empty", "close")
TALK(one_record_is_an_answer, "SUCCESS", HELLO13, ">> 14:1 17:53", ">> 17:96", "<< 17:250",
     "poll 1000 empty", "close")
TALK(two_records_of_99_bytes_are_an_answer, "SUCCESS", HELLO13, ">> 14:1 17:53", ">> 17:96",
     "<< 17:99 17:99", "poll 1000 empty", "close")
TALK(two_records_of_100_bytes_are_tickets, "SUCCESS ~FAILURE", HELLO13, ">> 14:1 17:53", ">> 17:96",
     "<< 17:100 17:100", "poll 1000 empty", "close")
TALK(two_records_of_2048_bytes_are_tickets, "SUCCESS ~FAILURE", HELLO13, ">> 14:1 17:53",
     ">> 17:96", "<< 17:1024 17:1024", "poll 1000 empty", "close")
TALK(two_records_of_more_are_an_answer, "SUCCESS", HELLO13, ">> 14:1 17:53", ">> 17:96",
     "<< 17:1025 17:1025", "poll 1000 empty", "close")
TALK(records_of_two_lengths_are_an_answer, "SUCCESS", HELLO13, ">> 14:1 17:53", ">> 17:96",
     "<< 17:250 17:251", "poll 1000 empty", "close")
TALK(four_records_are_tickets, "SUCCESS ~FAILURE", HELLO13, ">> 14:1 17:53", ">> 17:96",
     "<< 17:250 17:250 17:250 17:250", "poll 1000 empty", "close")
TALK(a_fifth_is_an_answer, "SUCCESS", HELLO13, ">> 14:1 17:53", ">> 17:96",
     "<< 17:250 17:250 17:250 17:250 17:250", "poll 1000 empty", "close")
TALK(a_record_after_the_tickets_is_an_answer, "SUCCESS", HELLO13, ">> 14:1 17:53", ">> 17:96",
     "<< 17:250 17:250 17:40", "poll 1000 empty", "close")
TALK(there_are_no_tickets_in_tls_12, "SUCCESS", HELLO12, FLIGHT12, ">> 17:96", "<< 17:250 17:250",
     "poll 1000 empty", "close")
TALK(a_single_record_followed_by_a_request_was_an_answer, "SUCCESS ~FAILURE", HELLO13,
     ">> 14:1 17:53", ">> 17:96", "<< 17:250", ">> 17:96", "<< 17:250", ">> 17:96",
     "poll 1000 empty", "close")

TALK(tickets_read_before_and_after_the_request_are_none_either, "SUCCESS ~FAILURE", HELLO13,
     ">> 14:1", ">> 17:69", "<<5 17:266", ">> 17:151", "<<5 17:266", "poll 1000 empty", "close")
TALK(so_with_an_event_loop, "SUCCESS ~FAILURE", "answered", HELLO13, "watch", ">> 14:1 17:69",
     "<< 17:266", ">> 17:151", "<< 17:266", "+1000", "close")
TALK(after_a_ticket_before_the_request_another_length_answers, "SUCCESS", HELLO13,
     ">> 14:1 17:69", "<< 17:266", ">> 17:151", "<< 17:267", "poll 1000 empty", "close")
TALK(a_greeting_of_one_record_is_answered_with_a_request, "SUCCESS", HELLO13, ">> 14:1 17:53",
     "<< 17:120", ">> 17:40", "<< 17:60", ">> 17:40", "<< 17:60", "poll 1000 empty", "close")

TALK(an_end_after_a_handshake_and_tickets_is_nothing, "SUCCESS", HELLO13, ">> 14:1 17:53",
     "<< 17:250 17:250", "+5000", "eof", "close")
TALK(a_reset_after_a_handshake_and_tickets_is_nothing, "SUCCESS", HELLO13, ">> 14:1 17:53",
     "<< 17:250 17:250", "+5000", "error ECONNRESET", "close failed")
TALK(an_end_after_a_handshake_without_tickets_is_nothing, "SUCCESS", HELLO13, ">> 14:1 17:53",
     "+5000", "eof", "close")
TALK(an_end_after_a_request_and_tickets_is_a_failure, "SUCCESS ~FAILURE", HELLO13, ">> 14:1 17:53",
     ">> 17:96", "<< 17:250 17:250", "eof", "close")
TALK(a_request_within_the_first_send_of_the_flight_counts, "SUCCESS ~FAILURE", HELLO13,
     ">> 14:1 17:53 17:96", "<< 17:250 17:250", "eof", "close")
TALK(an_end_after_the_flight_of_tls_12_is_a_failure, "SUCCESS ~FAILURE", HELLO12,
     ">> 16:37 14:1 16:40", "eof", "close")

TALK(a_change_of_ciphers_alone_opens_no_exchange, "SUCCESS", "connect", "connected", ">> h1",
     "<< 16:122 14:1 17:27", ">> 14:1", "+50", "<< 17:800 17:281 17:53", "poll 5000 empty", "close")
TALK(nor_does_it_after_the_whole_flight, "SUCCESS", HELLO13, ">> 14:1", "poll 5000 empty", "close")
TALK(a_flight_after_a_change_of_ciphers_alone_is_13, "SUCCESS", "connect", "connected", ">> h1",
     "<< 16:122 14:1 17:27", ">> 14:1", "<< 17:800 17:281 17:53", ">> 17:53", "<< 17:250 17:250",
     "eof", "close")
TALK(a_second_client_hello_is_not_the_flight, "SUCCESS", "connect", "connected", ">> h1",
     "<< 16:88 14:1", ">> 14:1 16:512", "<< 16:122 17:27 17:800 17:53", ">> 17:53",
     "<< 17:250 17:250", "eof", "close")

TALK(what_comes_after_a_second_client_hello_is_13, "SUCCESS ~FAILURE", "connect", "connected",
     ">> h1", "<< 16:88 14:1", ">> 14:1 16:512", "<< 16:122 17:27 17:800 17:53", ">> 17:53 17:96",
     "<< 17:250 17:250", "poll 1000 empty", "close")

/* ---- farewells ---- */

TALK(an_alert_is_a_farewell, "SUCCESS farewell", HELLO12, FLIGHT12, ">> 17:96", "<< 17:900",
     "+5000", ">> 15:26", "close")
TALK(an_encrypted_alert_is_a_farewell, "SUCCESS farewell", HELLO13, ">> 14:1 17:53 17:96",
     "<< 17:900", "+5000", ">> 17:19", "eof", "close")
TALK(one_byte_more_is_a_request, "SUCCESS +call SUCCESS", HELLO13, ">> 14:1 17:53 17:96",
     "<< 17:900", "+5000", ">> 17:20", "<< 17:20", "close")
TALK(two_records_are_no_farewell, "SUCCESS +call SUCCESS", HELLO13, ">> 14:1 17:53 17:96",
     "<< 17:900", "+5000", ">> 17:19 17:19", "<< 17:20", "close")
TALK(what_follows_an_alert_is_nothing, "SUCCESS farewell", HELLO13, ">> 14:1 17:53 17:96",
     "<< 17:900", "+5000", ">> 17:19", "+500", ">> 17:96", "error ECONNRESET", "close failed")
TALK(an_alert_does_not_renew_a_wait_that_ran_out, "SUCCESS farewell ~FAILURE", HELLO13,
     ">> 14:1 17:53 17:96", "poll 5000 empty", ">> 17:19", "close")
TALK(nor_one_of_an_event_loop, "SUCCESS farewell ~FAILURE", "answered", "watch", HELLO13, "watch",
     ">> 14:1 17:53 17:96", "+100", ">> 17:19", "unwatch", "close")
TALK(an_end_after_an_alert_is_nothing, "SUCCESS farewell", HELLO13, ">> 14:1 17:53 17:96",
     ">> 17:19", "eof", "close")
TALK(an_alert_that_refuses_the_server_is_a_farewell, "SUCCESS farewell", HELLO13, ">> 15:2",
     "close")
TALK(a_record_that_looks_like_an_alert_within_another_is_none, "SUCCESS ~FAILURE", HELLO13,
     ">> 14:1 17:53", "> \x17\x03\x03\x01\x05", ">> 15:256", "poll 100 empty", "close")
TALK(a_goodbye_within_tls_may_be_waited_for, "SUCCESS", HELLO13, ">> 14:1 17:53 17:96", "<< 17:900",
     ">> 17:22", "eof", "close")
TALK(of_no_more_than_forty_bytes, "SUCCESS", HELLO13, ">> 14:1 17:53 17:96", "<< 17:900",
     ">> 17:35", "eof", "close")
TALK(a_longer_one_is_none, "SUCCESS ~FAILURE", HELLO13, ">> 14:1 17:53 17:96", "<< 17:900",
     ">> 17:36", "eof", "close")
TALK(but_the_word_after_a_handshake_is_none, "SUCCESS ~FAILURE", HELLO12, FLIGHT12, ">> 17:30",
     "eof", "close")
TALK(plain_text_has_no_alerts, "SUCCESS +call SUCCESS", "connect", "connected", "> a", "< b",
     "+100", ">> 17:19", "< b")

/* ---- event loops ---- */

TALK(an_event_loop_waits_for_the_first_answer_on_tls_13, "SUCCESS ~FAILURE", "answered", HELLO13,
     "watch", ">> 14:1 17:53", ">> 17:96", "<< 17:250 17:250", "+100", "close")
TALK(and_on_tls_12, "SUCCESS ~FAILURE", "answered", HELLO12, "watch", FLIGHT12, ">> 17:96", "+100",
     "close")
TALK(but_not_without_a_request_on_tls_13, "SUCCESS farewell", "answered", HELLO13, "watch",
     ">> 14:1 17:53", "<< 17:250 17:250", "+5000", "close")
TALK(nor_without_one_on_tls_12, "SUCCESS farewell", "answered", HELLO12, "watch",
     ">> 16:37 14:1 16:40", "+5000", "close")
TALK(nor_after_an_application_answer, "SUCCESS +call dropped farewell", "answered", HELLO13,
     "watch", ">> 14:1 17:53 17:96", "<< 17:250 17:250", "<< 17:900", "+5000", ">> 17:96", "+5000",
     "close")
TALK(nor_where_it_never_answered, "SUCCESS farewell", HELLO13, "watch", ">> 14:1 17:53 17:96",
     "<< 17:250 17:250", "+5000", "close")
TALK(a_mute_handshake_is_waited_for, "FAILURE", "answered", "connect", "connected", "watch",
     ">> h1", "+100", "close")

/* ---- h2 ---- */

TALK(an_acknowledgement_of_settings_answers_nothing, "SUCCESS ~FAILURE", HELLO_H2,
     ">> 14:1 17:53", ">> 17:70 17:96", "<< 17:26", "poll 1000 empty", "close")
TALK(a_record_of_25_bytes_is_an_answer_in_tls_13, "SUCCESS", HELLO_H2, ">> 14:1 17:53",
     ">> 17:70 17:96", "<< 17:25", "poll 1000 empty", "close")
TALK(without_h2_26_bytes_are_an_answer, "SUCCESS", HELLO13, ">> 14:1 17:53", ">> 17:96",
     "<< 17:26", "poll 1000 empty", "close")
TALK(acknowledging_settings_asks_for_the_answer_again, "SUCCESS ~FAILURE", HELLO_H2,
     ">> 14:1 17:53", ">> 17:70 17:96", "<< 17:250 17:250", "<< 17:60", ">> 17:26", "<< 17:26",
     "poll 1000 empty", "close")
TALK(a_response_answers_it, "SUCCESS", HELLO_H2, ">> 14:1 17:53", ">> 17:70 17:96",
     "<< 17:250 17:250", "<< 17:60", ">> 17:26", "<< 17:26", "<< 17:300", "poll 1000 empty",
     "close")
TALK(after_two_answers_an_acknowledgement_opens_no_exchange, "SUCCESS", HELLO_H2, ">> 14:1 17:53",
     ">> 17:70 17:96", "<< 17:250 17:250 17:60 17:300", "+200", ">> 17:26", "poll 1000 empty",
     "close")
TALK(after_one_it_does, "SUCCESS +call FAILURE", HELLO_H2, ">> 14:1 17:53", ">> 17:70 17:96",
     "<< 17:250 17:250 17:60", "+200", ">> 17:26", "poll 1000 empty", "close")
TALK(in_tls_12_an_acknowledgement_has_33_bytes, "SUCCESS ~FAILURE", "connect", "connected", ">> h2",
     "<< 16:88 16:800 16:4", FLIGHT12, ">> 17:70 17:96", "<< 17:33", "poll 1000 empty", "close")
TALK(or_25, "SUCCESS ~FAILURE", "connect", "connected", ">> h2", "<< 16:88 16:800 16:4", FLIGHT12,
     ">> 17:70 17:96", "<< 17:25", "poll 1000 empty", "close")
TALK(but_not_26, "SUCCESS", "connect", "connected", ">> h2", "<< 16:88 16:800 16:4", FLIGHT12,
     ">> 17:70 17:96", "<< 17:26", "poll 1000 empty", "close")
TALK(a_hello_sent_byte_by_byte_is_read, "SUCCESS ~FAILURE", "connect", "connected", ">>1 h2",
     "<< 16:122 17:27 17:53", ">> 17:53 17:70 17:96", "<< 17:26", "poll 1000 empty", "close")

TALK(names_are_read_to_the_end_of_their_list, "SUCCESS", "connect", "connected", ">> hx",
     "<< 16:122 17:27 17:53", ">> 17:53 17:70 17:96", "<< 17:26", "poll 1000 empty", "close")

/* ---- what cannot be followed ---- */

TALK(bytes_not_seen_end_the_following, "SUCCESS", HELLO13, ">> 14:1 17:53 17:96", "< *100",
     "poll 1000 empty", "close")
TALK(a_file_sent_into_tls_ends_it_too, "SUCCESS +call SUCCESS", HELLO13, ">> 14:1 17:53", "> *5000",
     "<< 17:250 17:250", "+100", ">> 17:96", "<< 17:250 17:250", "poll 1000 empty", "close")
TALK(what_is_no_record_is_an_answer, "SUCCESS", HELLO13, ">> 14:1 17:53", "< HTTP/1.1 400 Bad",
     "poll 1000 empty", "close")
TALK(a_hello_answered_in_plain_text_is_answered, "SUCCESS", "connect", "connected", ">> h1",
     "< HTTP/1.1 400 Bad Request\r\n\r\n", "eof", "close")
TALK(an_alert_that_answers_a_hello_is_an_answer, "SUCCESS", "connect", "connected", ">> h1",
     "<< 15:2", "eof", "close")
TALK(one_byte_of_0x16_is_not_yet_tls, "SUCCESS", "connect", "connected", "> \x16", "> x", "< b",
     "close")

START_TEST(neither_a_handshake_nor_tickets_are_learnt_as_answers)
{
	struct talk t = given_talk();

	PLAY(&t, HELLO13, ">> 14:1 17:53 17:96", "<< 17:250", "<< 17:250");
	ck_assert_uint_eq(t.facts.dest, 0);
	PLAY(&t, "<< 17:40");
	ck_assert_uint_eq(t.facts.dest, IL_DEST_ANSWERED);
}
END_TEST

START_TEST(a_single_record_is_learnt_at_the_close)
{
	struct talk t = given_talk();

	PLAY(&t, HELLO13, ">> 14:1 17:53 17:96", "<< 17:250");
	ck_assert_uint_eq(t.facts.dest, 0);
	PLAY(&t, "close");
	ck_assert_uint_eq(t.facts.dest, IL_DEST_ANSWERED);
}
END_TEST

START_TEST(a_single_record_is_learnt_though_the_server_ends_after_the_good_bye)
{
	struct talk t = given_talk();

	PLAY(&t, HELLO13, ">> 14:1 17:53 17:96", "<< 17:250", ">> 17:19", "eof", "close");
	ck_assert_uint_eq(t.facts.dest, IL_DEST_ANSWERED);
}
END_TEST

START_TEST(a_single_record_is_not_learnt_where_the_server_ends_first)
{
	struct talk t = given_talk();

	PLAY(&t, HELLO13, ">> 14:1 17:53 17:96", "<< 17:250", "eof", "close");
	ck_assert_uint_eq(t.facts.dest, 0);
}
END_TEST

START_TEST(a_tls_probe_is_judged_after_its_pause)
{
	struct talk t = given_talk();

	EXPECT(&t, "", "connect probe", "connected", ">> h1", "<< 16:122 17:27 17:53", ">> 17:53 17:96",
	       "<< 17:250 17:250", "+5000", "tick");
	EXPECT(&t, "SUCCESS", "<< 17:900", "+100", "tick");
}
END_TEST

RUN_TESTS("connection_tls", a_handshake_and_a_request_are_one_call, so_they_are_in_tls_12,
	  tickets_are_no_answer, tickets_read_one_by_one_are_none_either,
	  tickets_read_header_by_header_are_none_either, tickets_read_byte_by_byte_are_none_either,
	  all_of_tls_byte_by_byte, one_record_is_an_answer, two_records_of_99_bytes_are_an_answer,
	  two_records_of_100_bytes_are_tickets, two_records_of_2048_bytes_are_tickets,
	  two_records_of_more_are_an_answer, records_of_two_lengths_are_an_answer,
	  four_records_are_tickets, a_fifth_is_an_answer, a_record_after_the_tickets_is_an_answer,
	  there_are_no_tickets_in_tls_12, a_single_record_followed_by_a_request_was_an_answer,
	  tickets_read_before_and_after_the_request_are_none_either, so_with_an_event_loop,
	  after_a_ticket_before_the_request_another_length_answers,
	  a_greeting_of_one_record_is_answered_with_a_request,
	  an_end_after_a_handshake_and_tickets_is_nothing,
	  a_reset_after_a_handshake_and_tickets_is_nothing,
	  an_end_after_a_handshake_without_tickets_is_nothing,
	  an_end_after_a_request_and_tickets_is_a_failure,
	  a_request_within_the_first_send_of_the_flight_counts,
	  an_end_after_the_flight_of_tls_12_is_a_failure, a_change_of_ciphers_alone_opens_no_exchange,
	  nor_does_it_after_the_whole_flight, a_flight_after_a_change_of_ciphers_alone_is_13,
	  a_second_client_hello_is_not_the_flight, what_comes_after_a_second_client_hello_is_13,
	  an_alert_is_a_farewell, an_encrypted_alert_is_a_farewell, one_byte_more_is_a_request,
	  two_records_are_no_farewell, what_follows_an_alert_is_nothing,
	  an_alert_does_not_renew_a_wait_that_ran_out, nor_one_of_an_event_loop,
	  an_end_after_an_alert_is_nothing, an_alert_that_refuses_the_server_is_a_farewell,
	  a_record_that_looks_like_an_alert_within_another_is_none, a_goodbye_within_tls_may_be_waited_for,
	  of_no_more_than_forty_bytes, a_longer_one_is_none, but_the_word_after_a_handshake_is_none,
	  plain_text_has_no_alerts,
	  an_event_loop_waits_for_the_first_answer_on_tls_13, and_on_tls_12,
	  but_not_without_a_request_on_tls_13, nor_without_one_on_tls_12,
	  nor_after_an_application_answer, nor_where_it_never_answered, a_mute_handshake_is_waited_for,
	  an_acknowledgement_of_settings_answers_nothing, a_record_of_25_bytes_is_an_answer_in_tls_13,
	  without_h2_26_bytes_are_an_answer, acknowledging_settings_asks_for_the_answer_again,
	  a_response_answers_it, after_two_answers_an_acknowledgement_opens_no_exchange,
	  after_one_it_does, in_tls_12_an_acknowledgement_has_33_bytes, or_25, but_not_26,
	  a_hello_sent_byte_by_byte_is_read, names_are_read_to_the_end_of_their_list,
	  bytes_not_seen_end_the_following, a_file_sent_into_tls_ends_it_too,
	  what_is_no_record_is_an_answer, a_hello_answered_in_plain_text_is_answered,
	  an_alert_that_answers_a_hello_is_an_answer, one_byte_of_0x16_is_not_yet_tls,
	  neither_a_handshake_nor_tickets_are_learnt_as_answers, a_single_record_is_learnt_at_the_close,
	  a_single_record_is_learnt_though_the_server_ends_after_the_good_bye,
	  a_single_record_is_not_learnt_where_the_server_ends_first,
	  a_tls_probe_is_judged_after_its_pause)
