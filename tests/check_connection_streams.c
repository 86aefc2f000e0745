/* Streams: after their first answer nothing is asked any more. */
#include "conversation.h"

#define C "connect", "connected"

TALK(ssh_is_a_stream_after_its_greeting, "SUCCESS", C, "< SSH-2.0-OpenSSH\r\n", "+200",
     "> SSH-2.0-OpenSSH\r\n", "poll 5000 empty", "> key", "poll 5000 empty", "eof", "close")
TALK(ssh_that_speaks_first_is_one_after_its_answer, "SUCCESS", C, "> SSH-2.0-x\r\n", "+5",
     "< SSH-2.0-y\r\n", "+500", "> key", "poll 5000 empty", "error ECONNRESET", "close failed")
TALK(ssh_that_gets_no_answer_is_a_failure, "FAILURE", C, "> SSH-2.0-x\r\n", "poll 100 empty",
     "close")
TALK(ssh_byte_by_byte, "SUCCESS", C, "< SSH-2.0-y\r\n", ">1 SSH-2.0-x\r\n", "poll 5000 empty",
     "close")
TALK(ssh_byte_by_byte_long_after_the_greeting, "SUCCESS +call dropped", C, "< SSH-2.0-y\r\n",
     "+500", ">1 SSH-2.0-x\r\n", "poll 5000 empty", "close")
TALK(a_probe_of_ssh_is_judged_with_the_answer, "SUCCESS", "connect probe", "connected",
     "> SSH-2.0-x\r\n", "< SSH-2.0-y\r\n")
TALK(a_probe_of_ssh_greeted_first_is_judged_when_it_is_known, "SUCCESS", "connect probe",
     "connected", "< SSH-2.0-y\r\n", "> SSH-2.0-x\r\n")
TALK(what_only_begins_like_ssh_is_none, "SUCCESS +call SUCCESS", C, "> SSHX", "< b", "+100", "> c",
     "< d")

TALK(mqtt_is_a_stream_after_its_answer, "SUCCESS", C, "> \x10\x0c\xff\x04MQTT", "< \x20\x02",
     "+500", "> \x30\x05", "poll 5000 empty", "eof", "close")
TALK(mqtt_without_an_answer_is_a_failure, "FAILURE", C, "> \x10\x0c\xff\x04MQTT", "eof", "close")
TALK(mqtt_of_the_old_kind_too, "SUCCESS", C, "> \x10\x0c\xff\x06MQIsdp", "< \x20\x02", "+500",
     "> x", "poll 500 empty", "close")
TALK(mqtt_with_a_long_length, "SUCCESS", C, "> \x10\xff\xff\x7f\xff\x04MQTT", "< \x20\x02", "+500",
     "> x", "poll 500 empty", "close")
TALK(mqtt_byte_by_byte, "SUCCESS", C, ">1 \x10\x0c\xff\x04MQTT", "< \x20\x02", "+500", "> x",
     "poll 500 empty", "close")
TALK(mq_behind_the_first_8_bytes_is_no_mqtt, "SUCCESS +call FAILURE", C, "> \x10""1234567MQTT",
     "< b", "+100", "> c", "poll 100 empty", "close")
TALK(a_0x10_without_mq_is_no_mqtt, "SUCCESS +call FAILURE", C, "> \x10""abcdefghij", "< b", "+100",
     "> c", "poll 100 empty", "close")
TALK(m_alone_is_no_mqtt, "SUCCESS +call FAILURE", C, "> \x10\x0c\xff\x04MXTT", "< b", "+100", "> c",
     "poll 100 empty", "close")
TALK(what_was_not_seen_is_not_guessed, "SUCCESS +call FAILURE", C, "> \x10", "> *5000", "< b",
     "+100", "> MQTT", "poll 100 empty", "close")
TALK(a_0x10_in_a_file_is_no_mqtt, "SUCCESS +call SUCCESS", C, "> \x10", "> *5000", "< b", "+100",
     "> c", "< d")

START_TEST(an_answered_stream_is_quiet)
{
	struct talk t = given_talk();

	PLAY(&t, C, "> SSH-2.0-x\r\n");
	ck_assert(!il_connection_is_quiet(&t.c));
	PLAY(&t, "< S");
	PLAY(&t, "> x");
	ck_assert(il_connection_is_quiet(&t.c));
}
END_TEST

RUN_TESTS("connection_streams", ssh_is_a_stream_after_its_greeting,
	  ssh_that_speaks_first_is_one_after_its_answer, ssh_that_gets_no_answer_is_a_failure,
	  ssh_byte_by_byte, ssh_byte_by_byte_long_after_the_greeting,
	  a_probe_of_ssh_is_judged_with_the_answer,
	  a_probe_of_ssh_greeted_first_is_judged_when_it_is_known, what_only_begins_like_ssh_is_none,
	  mqtt_is_a_stream_after_its_answer, mqtt_without_an_answer_is_a_failure,
	  mqtt_of_the_old_kind_too, mqtt_with_a_long_length, mqtt_byte_by_byte,
	  mq_behind_the_first_8_bytes_is_no_mqtt, a_0x10_without_mq_is_no_mqtt, m_alone_is_no_mqtt,
	  what_was_not_seen_is_not_guessed, a_0x10_in_a_file_is_no_mqtt, an_answered_stream_is_quiet)
