/*
 * Conversations as readable lines. A test plays events against one connection and compares what
 * was said, in words: "SUCCESS" and so on is a record, "~FAILURE" an amendment, "cancelled",
 * "dropped" and "inconclusive" end a call without a record, "+call" begins one, "charged" and
 * "farewell" are flags. What a verdict lets learn of the destination is remembered, as the shim
 * does.
 *
 *   connect [probe]   connect! [probe]   connected      non-blocking, blocking; both with
 * "connected" connect fast   defer   resume   resume!             fast open: put off until the
 * first send error NAME [blocking]   eof   shutdown   fork   tick +N N milliseconds go by > text <
 * text    <peek text                     one send, one receive; "*N": N unseen bytes >1 text    <1
 * text                                  one byte each
 *   >> 16:517 14:1      << 16:80 17:287                 TLS records type:length, in one call
 *   >>1 ...   <<1 ...   >>5 ...  <<5 ...                the same bytewise; header, then body
 *   poll N empty|ready|lost                             a strong wait of N ms
 *   wait      wait-ends empty|ready|lost                its parts
 *   watch     unwatch                                   epoll
 *   close [syn|failed|late] [sent N] [ago N] [received N]    with what the kernel says; ago: ms
 *   answered  greeted  oneway  slow N                   what is known of the destination; ms
 */
#ifndef TESTS_CONVERSATION_H
#define TESTS_CONVERSATION_H

#include "core/connection.h"

#include "check_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct talk {
	struct il_connection c;
	struct il_facts facts;
	int64_t now_ns;
	struct il_verdict last; /* the last one that said something */
	unsigned undecided;	/* calls begun and not ended: 0 or 1 */
	char said[512];
};

static const struct {
	const char *name;
	int err;
} talk_errnos[] = {
	{ "ECONNREFUSED", ECONNREFUSED }, { "ECONNRESET", ECONNRESET },
	{ "ECONNABORTED", ECONNABORTED }, { "ETIMEDOUT", ETIMEDOUT },
	{ "EHOSTUNREACH", EHOSTUNREACH }, { "EHOSTDOWN", EHOSTDOWN },
	{ "ENETRESET", ENETRESET },	  { "EPIPE", EPIPE },
	{ "ENETUNREACH", ENETUNREACH },	  { "EADDRNOTAVAIL", EADDRNOTAVAIL },
	{ "EACCES", EACCES },		  { "EPERM", EPERM },
	{ "EMFILE", EMFILE },		  { "ENOBUFS", ENOBUFS },
	{ "ENOMEM", ENOMEM },		  { "EAGAIN", EAGAIN },
	{ "EINTR", EINTR },		  { "EALREADY", EALREADY },
	{ "EINPROGRESS", EINPROGRESS },
};

static inline struct talk given_talk(void)
{
	struct talk t = { .now_ns = 5000000000LL };
	static const unsigned failures[] = { 429, 500, 502, 503, 504 };

	t.facts.slow_ns = 60000000000LL;
	for (unsigned i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		il_facts_add_status(&t.facts, failures[i]);
	return t;
}

static inline void talk_word(struct talk *t, const char *text)
{
	size_t at = strlen(t->said);

	snprintf(t->said + at, sizeof(t->said) - at, "%s%s", at ? " " : "", text);
}

static inline void talk_hears(struct talk *t, struct il_verdict v)
{
	static const char *const outcomes[] = { "SUCCESS", "FAILURE", "SLOW_SUCCESS",
						"SLOW_FAILURE" };
	static const char *const kinds[] = { "", "", "~", "inconclusive", "cancelled", "dropped" };
	char word[32];

	if (v.kind || v.flags)
		t->last = v;
	ck_assert_uint_lt(v.kind, IL_VERDICT_KINDS);
	ck_assert_uint_lt(v.outcome, IL_OUTCOMES);
	ck_assert_int_ge(v.duration_ns, 0);
	if (v.kind) {
		bool outcome = v.kind == IL_VERDICT_RECORD || v.kind == IL_VERDICT_AMEND;

		snprintf(word, sizeof(word), "%s%s", kinds[v.kind],
			 outcome ? outcomes[v.outcome] : "");
		talk_word(t, word);
		if (v.kind != IL_VERDICT_AMEND)
			ck_assert_msg(t->undecided-- == 1, "a call ended twice: %s", t->said);
	}
	if (v.flags & IL_CHARGED)
		talk_word(t, "charged");
	if (v.flags & IL_FAREWELL)
		talk_word(t, "farewell");
	if (v.flags & IL_CALL_BEGINS) {
		ck_assert_msg(t->undecided == 0, "a call began within another: %s", t->said);
		t->undecided = 1;
		talk_word(t, "+call");
	}
	if (v.flags & IL_LEARNT_ANSWERED)
		t->facts.dest |= IL_DEST_ANSWERED;
	if (v.flags & IL_LEARNT_GREETED)
		t->facts.dest |= IL_DEST_GREETED;
}

static inline void talk_bytes(struct talk *t, bool sends, const uint8_t *at, size_t bytes,
			      size_t step, bool peek)
{
	while (bytes) {
		size_t n = step && step < bytes ? step : bytes;
		struct iovec iov = { (void *)(uintptr_t)at, n };

		talk_hears(t, sends ? il_connection_sent(&t->c, &t->facts, t->now_ns, &iov, 1, n) :
				      il_connection_received(&t->c, &t->facts, t->now_ns, &iov, 1,
							     n, peek));
		at += n;
		bytes -= n;
	}
}

static inline void talk_unseen(struct talk *t, bool sends, size_t n)
{
	talk_hears(t, sends ? il_connection_sent(&t->c, &t->facts, t->now_ns, NULL, 0, n) :
			      il_connection_received(&t->c, &t->facts, t->now_ns, NULL, 0, n, false));
}

/* A ClientHello of `length` bytes that offers the protocols in `names` (its ALPN list). Behind it
 * come 4 bytes: another extension, whose type and length look like the name h2 to a poor reader. */
static inline void talk_hello(uint8_t *at, size_t length, const char *names, size_t names_length,
			      bool behind)
{
	uint8_t *p = at, *end = at + length - (behind ? 4 : 0);
	size_t alpn = names_length + 2, rest;

	memset(at, 0, length);
	*p++ = 1;
	p += 3 + 2 + 32;
	*p++ = 32;
	p += 32;
	*p++ = 0;
	*p++ = 4;
	p += 4;
	*p++ = 1;
	p += 1;
	rest = (size_t)(end - (p + 2));
	*p++ = (uint8_t)(rest >> 8);
	*p++ = (uint8_t)rest;
	rest -= 4 + alpn;
	*p++ = 0x2a; /* some other extension, then ALPN */
	*p++ = 0x2a;
	*p++ = (uint8_t)((rest - 4) >> 8);
	*p++ = (uint8_t)(rest - 4);
	p += rest - 4;
	*p++ = 0;
	*p++ = 16;
	*p++ = (uint8_t)(alpn >> 8);
	*p++ = (uint8_t)alpn;
	*p++ = (uint8_t)(names_length >> 8);
	*p++ = (uint8_t)names_length;
	memcpy(p, names, names_length);
	if (behind)
		memcpy(end, "\x02h2", 4);
}

/* "16:517 h2 17:40": `h2`, `h1` and `hx` are whole ClientHellos. Returns how many bytes. */
static inline size_t talk_records(const char *text, uint8_t *to)
{
	size_t bytes = 0;

	while (*text) {
		unsigned type = 0x16, length = 517;
		int used = 2;
		bool h2 = !strncmp(text, "h2", 2), h1 = !strncmp(text, "h1", 2);
		bool hx = !strncmp(text, "hx", 2);

		if (!h1 && !h2 && !hx)
			ck_assert_int_eq(sscanf(text, "%x:%u%n", &type, &length, &used), 2);
		to[bytes] = (uint8_t)type;
		to[bytes + 1] = 3;
		to[bytes + 2] = 3;
		to[bytes + 3] = (uint8_t)(length >> 8);
		to[bytes + 4] = (uint8_t)length;
		memset(to + bytes + 5, 0xaa, length);
		if (h2)
			talk_hello(to + bytes + 5, length, "\x08http/1.1\x02h2", 12, false);
		if (h1 || hx)
			talk_hello(to + bytes + 5, length, "\x08http/1.1", 9, hx);
		bytes += 5 + length;
		text += used;
		while (*text == ' ')
			text++;
	}
	return bytes;
}

static inline void talk_carries(struct talk *t, const char *event)
{
	static uint8_t records[65536];
	bool sends = event[0] == '>';
	const char *text = strchr(event, ' ') + 1;

	if (event[1] == event[0]) {
		size_t bytes = talk_records(text, records);

		if (event[2] == '5')
			for (size_t at = 0, n; at < bytes; at += 5 + n) {
				n = (size_t)records[at + 3] << 8 | records[at + 4];
				talk_bytes(t, sends, records + at, 5, 0, false);
				talk_bytes(t, sends, records + at + 5, n, 0, false);
			}
		else
			talk_bytes(t, sends, records, bytes, event[2] == '1', false);
	} else if (*text == '*') {
		talk_unseen(t, sends, strtoul(text + 1, NULL, 10));
	} else {
		talk_bytes(t, sends, (const uint8_t *)text, strlen(text), event[1] == '1',
			   event[1] == 'p');
	}
}

static inline enum il_wait_end talk_wait_end(const char *word)
{
	return strstr(word, "ready") ? IL_WAIT_READY :
	       strstr(word, "lost")  ? IL_WAIT_LOST :
				       IL_WAIT_EMPTY;
}

static inline void talk_error(struct talk *t, const char *event)
{
	for (unsigned i = 0; i < sizeof(talk_errnos) / sizeof(talk_errnos[0]); i++)
		if (!strncmp(event + 6, talk_errnos[i].name, strlen(talk_errnos[i].name))) {
			talk_hears(t, il_connection_error(&t->c, &t->facts, t->now_ns,
							  talk_errnos[i].err,
							  strstr(event, "blocking")));
			return;
		}
	ck_abort_msg("unknown errno: %s", event);
}

static inline void talk_close(struct talk *t, const char *event)
{
	struct il_kernel kernel = { .tcp = strstr(event, "syn")	   ? IL_TCP_CONNECTING :
					   strstr(event, "failed") ? IL_TCP_FAILED :
					   strstr(event, "late")   ? IL_TCP_UNKNOWN :
								     IL_TCP_CONNECTED,
				    .late = strstr(event, "late") };
	const char *sent = strstr(event, "sent "), *received = strstr(event, "received ");
	const char *ago = strstr(event, "ago ");

	if (sent)
		kernel.sent_bytes = strtoull(sent + 5, NULL, 10);
	if (ago)
		kernel.sent_ago_ns = 1 + strtoll(ago + 4, NULL, 10) * 1000000;
	if (received)
		kernel.received_bytes = strtoull(received + 9, NULL, 10);
	talk_hears(t, il_connection_close(&t->c, &t->facts, t->now_ns, &kernel));
	ck_assert(!il_connection_is_used(&t->c));
	ck_assert_msg(t->undecided == 0, "closed with its call undecided: %s", t->said);
}

static inline void talk_wait(struct talk *t, const char *event)
{
	il_connection_wait_begin(&t->c, t->now_ns);
	t->now_ns += strtoll(event + 5, NULL, 10) * 1000000;
	talk_hears(t, il_connection_wait_end(&t->c, &t->facts, t->now_ns, talk_wait_end(event)));
}

static inline bool talk_begins(struct talk *t, const char *event)
{
	if (!strncmp(event, "connected", 9))
		talk_hears(t, il_connection_connected(&t->c, &t->facts, t->now_ns));
	else if (!strncmp(event, "connect", 7)) {
		il_connection_begin(&t->c, t->now_ns, 0,
				    (event[7] == '!' ? IL_CONNECT_BLOCKING : 0U) |
					    (strstr(event, "probe") ? IL_CONNECT_PROBE : 0U) |
					    (strstr(event, "fast") ? IL_CONNECT_FAST : 0U));
		t->undecided = 1;
	} else if (!strcmp(event, "defer"))
		il_connection_defer(&t->c, t->now_ns);
	else if (!strncmp(event, "resume", 6))
		il_connection_resume(&t->c, t->now_ns, event[6] == '!');
	else if (!strcmp(event, "answered"))
		t->facts.dest |= IL_DEST_ANSWERED;
	else if (!strcmp(event, "greeted"))
		t->facts.dest |= IL_DEST_ANSWERED | IL_DEST_GREETED;
	else if (!strcmp(event, "oneway"))
		t->facts.dest |= IL_DEST_ONEWAY;
	else if (!strncmp(event, "slow ", 5))
		t->facts.slow_ns = strtoll(event + 5, NULL, 10) * 1000000;
	else if (*event == '+')
		t->now_ns += strtoll(event + 1, NULL, 10) * 1000000;
	else
		return false;
	return true;
}

static inline void talk_event(struct talk *t, const char *event)
{
	if (talk_begins(t, event))
		return;
	if (*event == '>' || *event == '<')
		talk_carries(t, event);
	else if (!strncmp(event, "error ", 6))
		talk_error(t, event);
	else if (!strcmp(event, "eof"))
		talk_hears(t, il_connection_eof(&t->c, &t->facts, t->now_ns));
	else if (!strcmp(event, "shutdown"))
		talk_hears(t, il_connection_shutdown(&t->c, &t->facts, t->now_ns));
	else if (!strncmp(event, "poll ", 5))
		talk_wait(t, event);
	else if (!strcmp(event, "wait"))
		il_connection_wait_begin(&t->c, t->now_ns);
	else if (!strncmp(event, "wait-ends ", 10))
		talk_hears(t, il_connection_wait_end(&t->c, &t->facts, t->now_ns,
						     talk_wait_end(event)));
	else if (!strcmp(event, "watch") || !strcmp(event, "unwatch"))
		il_connection_watch(&t->c, t->now_ns, *event == 'w');
	else if (!strncmp(event, "close", 5))
		talk_close(t, event);
	else if (!strcmp(event, "tick"))
		talk_hears(t, il_connection_tick(&t->c, &t->facts, t->now_ns));
	else if (!strcmp(event, "fork")) {
		il_connection_forked(&t->c);
		t->undecided = 0;
	} else
		ck_abort_msg("unknown event: %s", event);
}

static inline void talk_play(struct talk *t, const char *const *events)
{
	for (; *events; events++)
		talk_event(t, *events);
}

#define PLAY(t, ...) talk_play((t), (const char *const[]){ __VA_ARGS__, NULL })

/* Plays on, and compares everything that was said since the talk began. */
#define EXPECT(t, text, ...)                      \
	do {                                      \
		PLAY(t, __VA_ARGS__);             \
		ck_assert_str_eq((t)->said, text); \
	} while (0)

/* A whole conversation with a destination that nobody knows yet. */
#define CONVERSATION(text, ...)                      \
	do {                                         \
		struct talk talk_ = given_talk();    \
		EXPECT(&talk_, text, __VA_ARGS__);   \
	} while (0)

/* A test that is nothing but a conversation. */
#define TALK(name, text, ...)                    \
	START_TEST(name)                         \
	{                                        \
		CONVERSATION(text, __VA_ARGS__); \
	}                                        \
	END_TEST

#endif
