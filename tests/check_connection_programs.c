/* Programs as they really talk, healthy and with a mute backend. */
#include "conversation.h"

#define HTTP_OK "< HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
#define GET	"> GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/* curl: non-blocking connect, poll, SO_ERROR, send, poll, recv. */
#define CURL "connect", "error EINPROGRESS", "poll 1 ready", "connected"
TALK(curl, "SUCCESS", CURL, GET, "poll 3 ready", HTTP_OK, "close")
TALK(curl_that_times_out, "FAILURE", CURL, GET, "poll 1000 empty", "poll 999 empty", "close")
TALK(curl_into_a_black_hole, "FAILURE", "connect", "error EINPROGRESS", "poll 2000 empty",
     "close syn")
TALK(curl_against_a_refusal, "FAILURE", "connect", "error EINPROGRESS", "poll 1 ready",
     "error ECONNREFUSED", "close failed")
TALK(curl_over_tls_13, "SUCCESS farewell", CURL, ">> h2", "poll 5 ready",
     "<<5 16:122 14:1 17:32 17:800 17:281 17:53", ">> 14:1 17:53", ">> 17:64 17:90", "poll 5 ready",
     "<<5 17:250 17:250 17:60", ">> 17:26", "poll 20 ready", "<<5 17:26 17:200 17:900", ">> 17:19",
     "close")
TALK(curl_over_tls_13_with_a_mute_backend, "SUCCESS ~FAILURE", CURL, ">> h1", "poll 5 ready",
     "<<5 16:122 14:1 17:27 17:800 17:281 17:53", ">> 14:1 17:53", ">> 17:96", "poll 5 ready",
     "<<5 17:282 17:282", "poll 3000 empty", "close")
TALK(curl_over_tls_12_with_a_mute_backend, "SUCCESS ~FAILURE", CURL, ">> h1", "poll 5 ready",
     "<<5 16:93 16:800 16:300 16:4", ">> 16:37 14:1 16:40", "poll 5 ready", "<<5 14:1 16:40",
     ">> 17:108", "poll 3000 empty", "close")
TALK(curl_h2_with_a_mute_backend, "SUCCESS ~FAILURE", CURL, ">> h2", "poll 5 ready",
     "<<5 16:122 14:1 17:32 17:800 17:281 17:53", ">> 14:1 17:53", ">> 17:64 17:90", "poll 5 ready",
     "<<5 17:250 17:250 17:60", ">> 17:26", "<<5 17:26", "poll 3000 empty", "close")
TALK(curl_through_a_proxy, "SUCCESS farewell", CURL, "> CONNECT a:443 HTTP/1.1\r\n\r\n",
     "poll 9 ready", "< HTTP/1.1 200 Connection established\r\n\r\n", ">> h1", "poll 5 ready",
     "<<5 16:122 14:1 17:27 17:800 17:53", ">> 14:1 17:53", ">> 17:96", "poll 5 ready",
     "<<5 17:250 17:250", "<<5 17:900", ">> 17:19", "close")
TALK(curl_whose_origin_is_refused_by_the_proxy, "SUCCESS", CURL, "> CONNECT a:443 HTTP/1.1\r\n\r\n",
     "poll 9 ready", "< HTTP/1.1 502 Bad Gateway\r\n\r\n", "close")
TALK(curl_whose_body_breaks_off, "SUCCESS ~FAILURE", CURL, GET, "poll 3 ready",
     "< HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhi", "poll 3 ready", "eof", "close")
TALK(curl_expecting_continue_from_a_server_without, "SUCCESS", CURL,
     "> POST / HTTP/1.1\r\nExpect: 100-continue\r\n\r\n", "poll 1000 empty", "> body",
     "poll 20 ready", HTTP_OK, "close")

/* wget: blocking connect and select; its timer jumps out of connect() and receive. */
TALK(wget, "SUCCESS", "connect!", "+2", "connected", GET, "wait", "+3", "wait-ends ready",
     "<peek HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
     "< HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "< hi", "close")
TALK(wget_jumping_out_of_connect, "FAILURE", "connect!", "+1000", "close syn")
TALK(wget_jumping_out_of_receive, "FAILURE", "connect!", "+2", "connected", GET, "wait", "+1000",
     "close")
TALK(wget_leaving_its_socket_open_at_exit, "FAILURE", "connect!", "+2", "connected", GET, "wait",
     "+1000", "wait-ends lost", "+3", "close sent 34")

/* node, libuv: registered for everything, deregisters and closes. */
#define NODE "connect", "error EINPROGRESS", "watch", "+1", "connected"
TALK(node, "SUCCESS", NODE, GET, "+5", HTTP_OK, "unwatch", "close")
TALK(node_that_times_out, "FAILURE", "answered", NODE, GET, "+1000", "unwatch", "close")
TALK(node_over_tls, "SUCCESS farewell", "answered", NODE, ">> h1", "+5",
     "<< 16:122 14:1 17:27 17:800 17:53", ">> 14:1 17:53", ">> 17:120", "+5", "<< 17:250 17:250",
     "+5", "<< 17:900", "+4000", ">> 17:19", "unwatch", "close")
TALK(node_over_tls_with_a_mute_backend, "SUCCESS ~FAILURE", "answered", NODE, ">> h1", "+5",
     "<< 16:122 14:1 17:27 17:800 17:53", ">> 14:1 17:53", ">> 17:120", "+5", "<< 17:250 17:250",
     "+1000", "unwatch", "close")
TALK(node_keeping_a_connection_alive_that_the_server_ends, "SUCCESS", NODE, GET, "+5", HTTP_OK,
     "+5000", "eof", "unwatch", "close")

/* asyncio: sends its good-bye and reads the end. */
TALK(asyncio_over_tls, "SUCCESS farewell", NODE, ">> h1", "<< 16:122 14:1 17:27 17:800 17:53",
     ">> 14:1 17:53", ">> 17:120", "<< 17:250 17:250 17:900", "+500", ">> 17:19", "eof", "unwatch",
     "close")
TALK(asyncio_that_times_out, "FAILURE", "answered", NODE, "> PING\r\n", "+200", "unwatch", "close")

/* psql: SSLRequest, start-up, password, query, Terminate. */
TALK(psql, "SUCCESS farewell", "connect", "poll 1 ready", "connected", "> SSLRequ", "poll 1 ready",
     "< N", "> startup", "poll 1 ready", "< R", "> password", "poll 9 ready", "< R", "> Q select 1",
     "poll 9 ready", "< T", "> X", "close")
TALK(psql_whose_query_hangs_until_interrupted, "SUCCESS ~FAILURE", "connect",
     "poll 1 ready", "connected", "> SSLRequ", "poll 1 ready", "< N", "> startup", "poll 1 ready",
     "< R", "> Q select 1", "poll 4000 empty", "shutdown", "close")
TALK(a_session_of_queries, "SUCCESS +call SUCCESS +call SUCCESS +call dropped farewell", "connect",
     "connected", "> startup", "< R", "> Q1", "poll 5 ready", "< T", "+500", "> Q2", "poll 5 ready",
     "< T", "+500", "> Q3", "poll 5 ready", "< T", "+500", "> X", "close")

TALK(redis_cli_leaving_its_socket_open_at_exit, "SUCCESS", "connect", "connected", "> PING\r\n",
     "wait", "+1", "< +PONG\r\n", "close")
TALK(redis_waiting_for_a_pop, "SUCCESS +call SUCCESS", "connect", "connected", "> PING\r\n", "wait",
     "+1", "< +PONG\r\n", "+200", "> BLPOP q 0\r\n", "wait", "+30000", "< *2", "close")
TALK(redis_popping_for_longer_than_the_threshold, "SUCCESS +call SLOW_SUCCESS charged", "connect",
     "connected", "> PING\r\n", "wait", "+1", "< +PONG\r\n", "+200", "> BLPOP q 0\r\n", "wait",
     "+60000", "tick", "+1", "< *2", "close")
TALK(hiredis_with_a_receive_timeout, "FAILURE", "connect", "connected", "> PING\r\n", "wait",
     "+500", "error EAGAIN blocking", "close")
TALK(mariadb_polling_and_receiving_without_waiting, "SUCCESS farewell", "connect", "connected",
     "error EAGAIN", "poll 5 ready", "< greeting", "> login", "error EAGAIN", "poll 5 ready",
     "< ok", "> select", "poll 5 ready", "< rows", "> quit", "shutdown", "close")

/* nc -w 1 waits for a second after a complete answer. */
TALK(nc_with_a_time_out, "SUCCESS", "connect", "connected", "> stats\r\n", "poll 3 ready",
     "< STAT 1\r\nEND\r\n", "poll 1000 empty", "close")
TALK(nc_that_shuts_its_writing_side, "SUCCESS", "connect", "connected", "> stats\r\n", "shutdown",
     "poll 3 ready", "< END\r\n", "eof", "close")
TALK(nc_scanning_ports, "SUCCESS", "answered", "connect", "connected", "shutdown", "poll 1 ready",
     "eof", "close")

TALK(bash_reading_byte_by_byte, "SUCCESS", "connect!", "+1", "connected", GET,
     "<1 HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhi", "eof", "close")
TALK(bash_writing_within_stdio, "SUCCESS", "connect!", "+1", "connected", "<1 HTTP/1.0 200 OK\r\n",
     "close sent 30 received 17")
TALK(whois_reading_and_writing_within_stdio, "SUCCESS", "connect!", "+1", "connected", "+900",
     "close sent 12 received 3000")
TALK(java_closing_from_another_thread, "FAILURE", "connect!", "+1", "connected", "> a", "wait",
     "+2000", "close")
TALK(java_closing_while_connecting, "FAILURE", "connect!", "+2000", "close syn")
TALK(haproxy_learning_by_its_first_send, "FAILURE", "connect", "error EINPROGRESS", "watch", "+1",
     "error ECONNREFUSED", "shutdown", "close failed")
TALK(haproxy_checking_its_servers, "SUCCESS", "connect", "error EINPROGRESS", "watch", "+1",
     "connected", "close")

TALK(syslog_one_way_for_hours, "SUCCESS", "connect!", "connected", "> <14>a", "+3600000", "> <14>b",
     "+3600000", "> <14>c", "close")
/* Held for months, such a connection has nothing else to tell: ten restarts would open the breaker.
 */
TALK(syslog_whose_server_restarts, "dropped", "connect!", "connected", "> <14>a", "+3600000",
     "error EPIPE", "close")
TALK(a_pool_warmed_in_advance, "dropped", "answered", "connect", "connected", "watch", "+60000",
     "eof", "unwatch", "close")
TALK(a_pool_warmed_in_advance_and_used, "SUCCESS", "answered", "connect", "connected", "watch",
     "+60000", GET, "+3", HTTP_OK, "close")
TALK(a_stale_pooled_connection, "SUCCESS +call dropped", "connect", "connected", GET, HTTP_OK,
     "+60000", GET, "wait", "+1", "error ECONNRESET", "close failed")
TALK(pipelining, "SUCCESS", "connect", "connected", GET, GET, GET, HTTP_OK, HTTP_OK, HTTP_OK,
     "close")
TALK(a_subscriber, "SUCCESS", "connect", "connected", "> SUBSCRIBE x\r\n", "< +ok\r\n",
     "poll 30000 empty", "< news", "poll 30000 empty", "close")
TALK(a_websocket, "SUCCESS", NODE, "> GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n",
     "< HTTP/1.1 101 Switching Protocols\r\n\r\n", "> ping", "+60000", "< pong", "eof", "close")
TALK(smtp, "SUCCESS farewell", "connect!", "+1", "connected", "wait", "+20", "< 220 a\r\n",
     "> EHLO b\r\n", "wait", "+1", "< 250 a\r\n", "> MAIL\r\n", "wait", "+1", "< 250 ok\r\n",
     "> QUIT\r\n", "close")
TALK(smtp_gone_mute, "FAILURE", "greeted", "connect!", "+1", "connected", "wait", "+30000",
     "error EAGAIN blocking", "close")
TALK(mosquitto_pub, "SUCCESS", "connect!", "+1", "connected", "> \x10\x0c\xff\x04MQTT",
     "poll 5 ready", "< \x20\x02\x01", "> \x30\x05hello", "> \xe0", "shutdown", "close")
TALK(an_upload_of_a_minute, "SUCCESS", "connect", "connected", "> POST / HTTP/1.1\r\n\r\n",
     "+20000", "> part", "+20000", "> part", "+20000", "> part", "+5", HTTP_OK, "close")
TALK(a_server_worker_that_serves_and_forks, "SUCCESS", "connect", "connected", GET,
     "close sent 34 received 40")

START_TEST(fifty_requests_on_one_connection_are_fifty_calls)
{
	struct talk t = given_talk();
	unsigned successes = 0, calls = 0;

	PLAY(&t, "connect", "connected");
	for (int i = 0; i < 50; i++) {
		t.said[0] = 0;
		PLAY(&t, GET, "wait", "+2", HTTP_OK, "+3");
		successes += strstr(t.said, "SUCCESS") != NULL;
		calls += strstr(t.said, "+call") != NULL;
	}
	t.said[0] = 0;
	EXPECT(&t, "", "close");
	ck_assert_uint_eq(successes, 50);
	ck_assert_uint_eq(calls, 49);
}
END_TEST

START_TEST(n_connections_with_one_request_are_n_calls)
{
	static const char *const clients[][14] = {
		{ GET, HTTP_OK },
		{ ">> h1", "<< 16:122 17:27 17:53", ">> 17:53", ">> 17:96", "<< 17:250 17:250",
		  "<< 17:900", ">> 17:19" },
		{ ">> h1", "<< 16:88 16:800 16:4", ">> 16:37 14:1 16:40", "<< 14:1 16:40",
		  ">> 17:96", "<< 17:900", ">> 15:26" },
		{ "> startup", "< R", "> Q", "< T", "> X" },
	};

	for (unsigned i = 0; i < 4; i++) {
		struct talk t = given_talk();

		PLAY(&t, "connect", "connected");
		talk_play(&t, clients[i]);
		PLAY(&t, "close");
		ck_assert_msg(!strncmp(t.said, "SUCCESS", 7) && !strstr(t.said, "call"), "%s", t.said);
	}
}
END_TEST

RUN_TESTS("connection_programs", curl, curl_that_times_out, curl_into_a_black_hole,
	  curl_against_a_refusal, curl_over_tls_13, curl_over_tls_13_with_a_mute_backend,
	  curl_over_tls_12_with_a_mute_backend, curl_h2_with_a_mute_backend, curl_through_a_proxy,
	  curl_whose_origin_is_refused_by_the_proxy, curl_whose_body_breaks_off,
	  curl_expecting_continue_from_a_server_without, wget, wget_jumping_out_of_connect,
	  wget_jumping_out_of_receive, wget_leaving_its_socket_open_at_exit, node, node_that_times_out,
	  node_over_tls, node_over_tls_with_a_mute_backend,
	  node_keeping_a_connection_alive_that_the_server_ends, asyncio_over_tls, asyncio_that_times_out,
	  psql, psql_whose_query_hangs_until_interrupted, a_session_of_queries,
	  redis_cli_leaving_its_socket_open_at_exit, redis_waiting_for_a_pop,
	  redis_popping_for_longer_than_the_threshold, hiredis_with_a_receive_timeout,
	  mariadb_polling_and_receiving_without_waiting, nc_with_a_time_out,
	  nc_that_shuts_its_writing_side, nc_scanning_ports, bash_reading_byte_by_byte,
	  bash_writing_within_stdio, whois_reading_and_writing_within_stdio,
	  java_closing_from_another_thread, java_closing_while_connecting,
	  haproxy_learning_by_its_first_send, haproxy_checking_its_servers, syslog_one_way_for_hours,
	  syslog_whose_server_restarts, a_pool_warmed_in_advance, a_pool_warmed_in_advance_and_used,
	  a_stale_pooled_connection, pipelining, a_subscriber, a_websocket, smtp, smtp_gone_mute,
	  mosquitto_pub, an_upload_of_a_minute, a_server_worker_that_serves_and_forks,
	  fifty_requests_on_one_connection_are_fifty_calls, n_connections_with_one_request_are_n_calls)
