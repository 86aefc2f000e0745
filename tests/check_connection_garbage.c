/* A million random events: whatever comes, each call ends at most once, times
 * stay sane, and (under sanitizers) no byte outside the event is read. */
#include "conversation.h"

#define EVENTS 250000 /* four times: a busy machine may stop a test that takes a minute */

static uint64_t seed;

static unsigned any(unsigned below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 11) % below;
}

static const char *const seeds[] = {
	"GET / HTTP/1.1\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
	"HTTP/1.1 100 C\r\n\r\n",
	"CONNECT a HTTP/1.1\r\n\r\n",
	"SSH-2.0",
	"\x10\x0c\xff\x04MQTT",
	"HTTP/1.1 101 S\r\n\r\n",
	"HTTP/1.1 503 No\r\n\r\n",
};

/* Text or records or noise, cut anywhere, in one or two pieces on the heap so that a read beyond
 * them is found. */
static size_t garbage(struct iovec iov[2], int *count)
{
	static uint8_t bytes[4096];
	size_t length = 0, first;

	switch (any(3)) {
	case 0:
		length = strlen(strcpy((char *)bytes, seeds[any(8)]));
		break;
	case 1:
		length = talk_records(any(2) ? "17:19" : any(2) ? "h2" : any(2) ? "14:1 17:53" : "17:250 17:250",
				      bytes);
		break;
	default:
		for (length = 1 + any(40), first = 0; first < length; first++)
			bytes[first] = (uint8_t)any(256);
	}
	if (any(3) == 0)
		length = 1 + any((unsigned)length);
	first = any(4) ? length : any((unsigned)length);
	iov[0].iov_base = memcpy(malloc(first + 1), bytes, first);
	iov[0].iov_base = realloc(iov[0].iov_base, first ? first : 1);
	iov[0].iov_len = first;
	iov[1].iov_len = length - first;
	iov[1].iov_base = malloc(length - first ? length - first : 1);
	memcpy(iov[1].iov_base, bytes + first, length - first);
	*count = any(8) ? 2 : (int)any(3);
	return any(50) ? length : length + any(100);
}

static void carries(struct talk *t, bool sends)
{
	struct iovec iov[2];
	int count;
	size_t bytes = garbage(iov, &count);

	if (sends) {
		bool asks = il_connection_would_begin(&t->c, &t->facts, t->now_ns, iov, count, bytes);
		struct il_verdict v = il_connection_sent(&t->c, &t->facts, t->now_ns, iov, count,
							 bytes);

		ck_assert_int_eq(asks, (v.flags & IL_CALL_BEGINS) != 0);
		talk_hears(t, v);
	} else {
		talk_hears(t, il_connection_received(&t->c, &t->facts, t->now_ns, iov, count, bytes,
						     any(5) == 0));
	}
	free(iov[0].iov_base);
	free(iov[1].iov_base);
}

static void something_happens(struct talk *t)
{
	static const char *const events[] = {
		"connected", "error EAGAIN", "error EAGAIN blocking", "error EINTR blocking",
		"wait", "wait-ends empty", "wait-ends ready", "poll 60 empty", "poll 60 ready",
		"watch", "unwatch", "tick", "+5", "+50", "+99", "+100", "+300", "+2000", "shutdown",
		"eof", "error ECONNRESET", "error ENOBUFS", "fork", "close", "close syn",
		"close late", "close sent 5 received 900000", "answered", "greeted", "> *7", "< *7",
	};
	const unsigned count = sizeof(events) / sizeof(events[0]);
	unsigned what = any(100);

	t->said[0] = 0;
	if (!il_connection_is_used(&t->c)) {
		t->facts.dest = any(8);
		t->facts.slow_ns = any(2) ? 1000000000 : 60000000000;
		PLAY(t, any(2) ? "connect probe" : "connect!");
	} else if (what < 30) {
		carries(t, true);
	} else if (what < 55) {
		carries(t, false);
	} else {
		/* the endings in the middle of the list are rarer than the rest */
		unsigned i = any(count);

		if (i >= 18 && i < 27 && any(4))
			i = any(18);
		PLAY(t, events[i]);
	}
}

static void plays_at_random(uint64_t from)
{
	struct talk t = given_talk();

	seed = from;
	for (int i = 0; i < EVENTS; i++) {
		something_happens(&t);
		ck_assert_int_ge(il_connection_waiting_since_ns(&t.c, &t.facts), 0);
		ck_assert_int_ge(il_connection_due_ns(&t.c, &t.facts), 0);
		ck_assert(!il_connection_is_open(&t.c) || il_connection_is_used(&t.c));
		ck_assert(t.undecided <= 1);
		ck_assert(!il_connection_is_probe(&t.c) || t.undecided);
	}
}

START_TEST(random_events_end_every_call_at_most_once)
{
	plays_at_random(88172645463325252U);
}
END_TEST

START_TEST(so_do_others)
{
	plays_at_random(2463534242U);
}
END_TEST

START_TEST(and_others)
{
	plays_at_random(521288629U);
}
END_TEST

START_TEST(and_still_others)
{
	plays_at_random(362436069U);
}
END_TEST

RUN_TESTS("connection_garbage", random_events_end_every_call_at_most_once, so_do_others,
	  and_others, and_still_others)
