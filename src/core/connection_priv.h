/*
 * What the sources of a connection share: connection.c (bytes and exchanges), call.c (verdicts),
 * waiting.c, closing.c, and what reads bytes: content.c, tls.c,
 * hello.c, http_request.c, http_answer.c.
 */
#ifndef CORE_CONNECTION_PRIV_H
#define CORE_CONNECTION_PRIV_H

#include "core/connection.h"

#include <string.h>

#define IL_MS 1000000LL
#define IL_OPENING_PAUSE_NS (100 * IL_MS) /* this long after an answer, the opening is over */
#define IL_OPENING_EXCHANGES 16
#define IL_PROOF_NS	    (100 * IL_MS) /* waiting this long in vain is proof */
#define IL_CONNECT_PROOF_NS                                                                        \
	(200 * IL_MS) /* a program that gives up connecting sooner changed its mind */
#define IL_GREETING_PROOF_NS (1000 * IL_MS)
#define IL_UNUSED_NS	     (1000 * IL_MS) /* a connection unused for longer is a pool's */

enum il_connection_state {
	IL_STATE_UNUSED,
	IL_STATE_CONNECTING,
	IL_STATE_OPENING,
	IL_STATE_LATER, /* connected, and the opening is over */
	IL_STATE_QUIET	/* nothing that comes matters, save close */
};

enum il_call_state {
	IL_CALL_NONE,	   /* no call of this process: a forked copy, or it ended without a record */
	IL_CALL_UNDECIDED,
	IL_CALL_HELD,	   /* a probe that has succeeded so far */
	IL_CALL_RECORDED
};

enum il_protocol { IL_SPEAKS_UNKNOWN, IL_SPEAKS_PLAIN, IL_SPEAKS_TLS, IL_SPEAKS_STREAM };

/* What received bytes mean, from the least to the most. */
enum il_meaning {
	IL_MEANS_NOTHING,   /* no answer: tickets, acknowledgements, HTTP 1xx */
	IL_MEANS_PART,	    /* an answer, perhaps: its first line or header is not complete */
	IL_MEANS_HANDSHAKE, /* an answer; but a TLS front gives it without its backend */
	IL_MEANS_TICKET,    /* one record that may be a session ticket: an answer until the next */
	IL_MEANS_ANSWER,
	IL_MEANS_HTTP	    /* an answer whose status is c->status */
};

/* What a send is. */
enum il_sending { IL_SENDS_BYTES, IL_SENDS_FAREWELL, IL_SENDS_NO_EXCHANGE };

/* Bits of c->tls. */
enum {
	IL_TLS_13 = 1,
	IL_TLS_H2 = 2,	   /* the ClientHello offered h2 */
	IL_TLS_FLIGHT = 4, /* the program's second flight has begun; IL_TLS_13 holds from then on */
	IL_TLS_CCS = 8,	   /* it began with a change-cipher-spec */
	IL_TLS_TALKED = 16, /* an answer came that is neither handshake nor ticket */
	IL_TLS_LOST = 32,  /* bytes were not seen or are no records: no more is known */
	IL_TLS_EARLY = 64  /* what may be a ticket came before the program asked for anything */
};

#define IL_HTTP_VERSION	      "HTTP/1."
#define IL_HTTP_VERSION_BYTES 7

/* Bits of c->request_kind. */
enum { IL_REQUEST_HTTP = 1, IL_REQUEST_CONNECT = 2, IL_REQUEST_HEAD = 4, IL_REQUEST_ABSOLUTE = 8 };

/* Bytes of one event, read piece by piece. */
struct il_content {
	const struct iovec *iov;
	int count;
	size_t skip;  /* of the piece at iov, already taken */
	size_t bytes; /* still to come */
};

/* The next piece, at most c->bytes long. False: no more. *ret_at == NULL: not to be seen. */
bool il_content_next(struct il_content *content, const uint8_t **ret_at, size_t *ret_length);
/* Its first piece if that is to be seen and not empty, else NULL. Takes nothing. */
static inline const uint8_t *il_content_peek(const struct il_content *content, size_t *ret_length)
{
	if (!content->iov || content->count <= 0 || !content->iov->iov_base ||
	    content->iov->iov_len <= content->skip)
		return NULL;
	*ret_length = content->iov->iov_len - content->skip;
	if (*ret_length > content->bytes)
		*ret_length = content->bytes;
	return (const uint8_t *)content->iov->iov_base + content->skip;
}

/* Skips `bytes` of it. */
void il_content_skip(struct il_content *content, size_t bytes);
/* Copies up to size bytes without taking them; returns how many. */
size_t il_content_head(struct il_content content, uint8_t *to, size_t size);

/* tls.c, hello.c, http_request.c, http_answer.c */
enum il_sending il_tls_sends(const struct il_connection *c, const struct il_content *content);
void il_tls_sent(struct il_connection *c, struct il_content content);
enum il_meaning il_tls_received(struct il_connection *c, struct il_content content);
bool il_tls_follows(const struct il_connection *c);
void il_tls_exchange_begins(struct il_connection *c);
bool il_tls_one_answer(const struct il_connection *c);
bool il_tls_only_tickets(const struct il_connection *c);
bool il_tls_own_records(const struct il_connection *c);
void il_hello_read(struct il_connection *c, const uint8_t *at, size_t length);
void il_http_request(struct il_connection *c, const struct il_content *content);
enum il_meaning il_http_received(struct il_connection *c, const struct il_content *content);
bool il_http_is_proxys(const struct il_connection *c);
bool il_http_opens_tunnel(const struct il_connection *c);
bool il_http_has_body(const struct il_connection *c);

/* goodbye.c: how much was sent in the current exchange, and whether that may have been all that the
 * program wanted to say. */
void il_exchange_sent(struct il_connection *c, const struct il_content *content);
bool il_exchange_may_be_goodbye(const struct il_connection *c);

/* content.c: what the first bytes sent say it speaks. */
void il_content_classify(struct il_connection *c, const struct il_content *content);

/* call.c */
uint8_t il_phase_of(const struct il_connection *c);
bool il_is_first(const struct il_connection *c);
void il_call_lasts(struct il_connection *c, int64_t exchange_ns);
struct il_verdict il_call_ends(struct il_connection *c, const struct il_facts *facts,
			       enum il_ending ending, enum il_situation situation,
			       enum il_seen seen, uint16_t detail);
struct il_verdict il_call_held(struct il_connection *c, enum il_seen seen);
struct il_verdict il_call_charge(struct il_connection *c, const struct il_facts *facts,
				 int64_t waited_ns);
struct il_verdict il_answer(struct il_connection *c, const struct il_facts *facts,
			    enum il_meaning meaning, int64_t when_ns);
struct il_verdict il_answer_is_partial(struct il_connection *c, const struct il_facts *facts);
struct il_verdict il_opening_lapse(struct il_connection *c, int64_t now_ns);

/* waiting.c */
void il_wait_stop(struct il_connection *c, int64_t now_ns, bool empty);
int64_t il_waited_strong_ns(const struct il_connection *c, const struct il_facts *facts,
			    int64_t now_ns);
int64_t il_waited_weak_ns(const struct il_connection *c, const struct il_facts *facts,
			  int64_t now_ns);
int64_t il_waited_ns(const struct il_connection *c, const struct il_facts *facts, int64_t now_ns);

/* connection.c */
void il_connected(struct il_connection *c, int64_t now_ns);

static inline bool il_answers(const struct il_facts *facts)
{
	return facts->dest & IL_DEST_ANSWERED;
}

static inline bool il_is_oneway(const struct il_facts *facts)
{
	return facts->dest & IL_DEST_ONEWAY;
}

static inline bool il_expects_nothing(const struct il_facts *facts)
{
	return il_is_oneway(facts) || !il_answers(facts);
}

/* Asked first: it answers, and never spoke before it was spoken to. */
static inline bool il_is_asked_first(const struct il_facts *facts)
{
	return (facts->dest & (IL_DEST_ANSWERED | IL_DEST_GREETED)) == IL_DEST_ANSWERED;
}

static inline int64_t il_span(int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* One after the other. Where both speak of the call, it is at once what the second makes of it. */
static inline struct il_verdict il_verdict_join(struct il_verdict first, struct il_verdict then)
{
	unsigned flags = first.flags | then.flags;

	if (first.kind && then.kind) {
		then.kind = first.kind;
		flags = (first.flags & ~(unsigned)IL_CHARGED) | then.flags;
	}
	if (!then.kind && first.kind)
		then = first;
	then.flags = (uint8_t)flags;
	return then;
}

/* Something else than the rest of the first line comes: what there is of it is an answer. */
static inline struct il_verdict il_answer_settle(struct il_connection *c,
						 const struct il_facts *facts)
{
	return c->answer_ns ? il_answer_is_partial(c, facts) : (struct il_verdict){ 0 };
}

/* A byte went or came: waiting counts from here. */
static inline void il_wait_restart(struct il_connection *c, int64_t now_ns)
{
	c->strong_ns = c->weak_ns = 0;
	c->ran_out = false;
	if (c->strong_since_ns)
		c->strong_since_ns = now_ns;
	if (c->weak_since_ns)
		c->weak_since_ns = now_ns;
}

#endif
