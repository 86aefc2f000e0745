/* Bytes and exchanges: when one begins, what answers it. */
#include "core/connection_priv.h"

static const struct il_verdict nothing;

void il_facts_add_status(struct il_facts *facts, unsigned status)
{
	if (status >= 100 && status <= 599)
		facts->http_failure[(status - 100) / 64] |= UINT64_C(1) << (status - 100) % 64;
}

bool il_facts_has_status(const struct il_facts *facts, unsigned status)
{
	return status >= 100 && status <= 599 &&
	       (facts->http_failure[(status - 100) / 64] >> (status - 100) % 64 & 1);
}

void il_connection_begin(struct il_connection *c, int64_t now_ns, int64_t lookup_ns, unsigned flags)
{
	memset(c, 0, sizeof(*c));
	c->begun_ns = now_ns;
	c->connecting_ns = lookup_ns > 0 ? lookup_ns : 0;
	c->state = IL_STATE_CONNECTING;
	c->call = IL_CALL_UNDECIDED;
	c->exchanges = 1;
	c->open = true;
	c->probe = flags & IL_CONNECT_PROBE;
	c->fast = flags & IL_CONNECT_FAST;
	if (flags & IL_CONNECT_BLOCKING)
		c->strong_since_ns = now_ns;
}

/* What was waited for until now was the connection, not an answer. */
void il_connected(struct il_connection *c, int64_t now_ns)
{
	c->state = IL_STATE_OPENING;
	c->connecting_ns += il_span(c->begun_ns, now_ns);
	c->connected_ns = now_ns;
	c->sent_ns = now_ns;
	c->charged = false;
	c->strong_since_ns = 0;
	il_wait_restart(c, now_ns);
}

struct il_verdict il_connection_connected(struct il_connection *c, const struct il_facts *facts,
					  int64_t now_ns)
{
	struct il_verdict verdict;

	if (c->state != IL_STATE_CONNECTING)
		return nothing;
	verdict = il_connection_tick(c, facts, now_ns);
	il_connected(c, now_ns);
	return verdict;
}

/* Does a send now go on with the opening? */
static bool goes_on(const struct il_connection *c, int64_t now_ns)
{
	return c->state == IL_STATE_OPENING && c->received_ns &&
	       il_span(c->received_ns, now_ns) < IL_OPENING_PAUSE_NS;
}

/* The first byte after an answer: an exchange begins, and a call with it unless the opening lasts.
 */
static struct il_verdict exchange_begins(struct il_connection *c, const struct il_facts *facts,
					 int64_t now_ns)
{
	struct il_verdict verdict = nothing;

	if (il_tls_one_answer(c)) {
		if (!il_answers(facts))
			verdict.flags |= IL_LEARNT_ANSWERED;
		il_tls_exchange_begins(c);
	}
	c->begun_ns = now_ns;
	c->open = true;
	c->gave_up = false;
	c->body_left = 0;
	c->request = c->request_kind = 0;
	c->status_have = c->skip = 0;
	c->exchange_bytes = 0;
	if (goes_on(c, now_ns)) {
		c->exchanges++;
		return verdict;
	}
	if (c->call == IL_CALL_HELD)
		verdict = il_verdict_join(verdict, il_call_held(c, IL_SEEN_ANSWER));
	verdict.flags |= IL_CALL_BEGINS;
	c->state = IL_STATE_LATER;
	c->call = IL_CALL_UNDECIDED;
	c->outcome = IL_SUCCESS;
	c->probe = c->charged = false;
	c->longest_ns = 0;
	return verdict;
}

/* A stream that has been answered: nothing more is asked. */
static struct il_verdict stream_goes_on(struct il_connection *c, const struct il_facts *facts)
{
	struct il_verdict verdict = nothing;

	if (c->open)
		verdict = il_call_ends(c, facts, IL_END_CLOSED, IL_LATER, IL_SEEN_NOTHING, 0);
	verdict = il_verdict_join(verdict, il_call_held(c, IL_SEEN_ANSWER));
	c->state = IL_STATE_QUIET;
	return verdict;
}

static enum il_sending what_is_sent(struct il_connection *c, const struct il_content *content)
{
	enum il_sending sending;

	if (c->protocol == IL_SPEAKS_UNKNOWN)
		il_content_classify(c, content);
	if (c->protocol != IL_SPEAKS_TLS)
		return IL_SENDS_BYTES;
	sending = il_tls_sends(c, content);
	il_tls_sent(c, *content);
	return sending;
}

/* Sent bytes renew the wait. One that had run out is remembered until the program waits anew: if
 * these bytes turn out to be its farewell, it counts. */
static void remember_wait(struct il_connection *c, const struct il_facts *facts, int64_t now_ns)
{
	int64_t proof_ns = c->sent_bytes ? IL_PROOF_NS : IL_GREETING_PROOF_NS;

	if (c->ran_out && il_waited_strong_ns(c, facts, now_ns) >= proof_ns)
		c->gave_up = true;
}

struct il_verdict il_connection_sent(struct il_connection *c, const struct il_facts *facts,
				     int64_t now_ns, const struct iovec *iov, int count,
				     size_t bytes)
{
	struct il_content content = { iov, count, 0, bytes };
	struct il_verdict verdict = nothing;
	enum il_sending sending;

	if (c->state == IL_STATE_UNUSED || !bytes)
		return nothing;
	if (c->state == IL_STATE_CONNECTING && !c->fast)
		verdict = il_connection_connected(c, facts, now_ns);
	verdict = il_verdict_join(verdict, il_answer_settle(c, facts));
	remember_wait(c, facts, now_ns);
	c->sent_bytes += bytes;
	if (c->state == IL_STATE_QUIET || c->farewell)
		return verdict;
	sending = what_is_sent(c, &content);
	if (c->protocol == IL_SPEAKS_STREAM && c->received_ns)
		return il_verdict_join(verdict, stream_goes_on(c, facts));
	if (sending == IL_SENDS_FAREWELL) {
		c->farewell = true;
		verdict.flags |= IL_FAREWELL;
		return verdict;
	}
	if (!c->open && sending == IL_SENDS_NO_EXCHANGE)
		return verdict;
	if (!c->open)
		verdict = il_verdict_join(verdict, exchange_begins(c, facts, now_ns));
	if (c->protocol != IL_SPEAKS_TLS)
		il_http_request(c, &content);
	if (c->state == IL_STATE_OPENING)
		il_exchange_sent(c, &content);
	il_wait_restart(c, now_ns);
	c->sent_ns = now_ns;
	return verdict;
}

/* On a copy: nobody needs to keep two versions of these rules alike. */
bool il_connection_would_begin(const struct il_connection *c, const struct il_facts *facts,
			       int64_t now_ns, const struct iovec *iov, int count, size_t bytes)
{
	struct il_connection copy = *c;

	return il_connection_sent(&copy, facts, now_ns, iov, count, bytes).flags & IL_CALL_BEGINS;
}

/* How many of these bytes are seen for the first time. */
static size_t count_once(struct il_connection *c, size_t bytes, bool peek)
{
	size_t known = bytes < c->peeked_bytes ? bytes : (size_t)c->peeked_bytes;

	if (!peek)
		c->peeked_bytes -= known;
	else
		c->peeked_bytes += bytes - known;
	return bytes - known;
}

static enum il_meaning what_is_received(struct il_connection *c, const struct il_content *content)
{
	uint8_t tickets = c->tickets;
	enum il_meaning means;

	if (c->protocol == IL_SPEAKS_TLS) {
		if (!il_tls_follows(c))
			return IL_MEANS_ANSWER;
		means = il_tls_received(c, *content);
		/* It was no answer after all: the exchange stands unanswered. */
		if (tickets == 1 && c->tickets == 2 && !c->farewell)
			c->open = true;
		return means;
	}
	if (c->open)
		return il_http_received(c, content);
	c->body_left -= content->bytes < c->body_left ? content->bytes : c->body_left;
	return IL_MEANS_NOTHING;
}

static struct il_verdict take(struct il_connection *c, const struct il_facts *facts, int64_t now_ns,
			      const struct il_content *content)
{
	enum il_meaning means = what_is_received(c, content);

	if (!c->open)
		return nothing;
	if (means > IL_MEANS_PART)
		return il_answer(c, facts, means, c->answer_ns ? c->answer_ns : now_ns);
	if (means == IL_MEANS_NOTHING)
		c->answer_ns = 0;
	else if (!c->answer_ns)
		c->answer_ns = now_ns;
	return nothing;
}

struct il_verdict il_connection_received(struct il_connection *c, const struct il_facts *facts,
					 int64_t now_ns, const struct iovec *iov, int count,
					 size_t bytes, bool peek)
{
	struct il_content content = { iov, count, 0, bytes };
	struct il_verdict verdict = nothing;
	size_t fresh;

	if (c->state == IL_STATE_UNUSED || !bytes)
		return nothing;
	if (c->state == IL_STATE_CONNECTING)
		verdict = il_connection_connected(c, facts, now_ns);
	fresh = count_once(c, bytes, peek);
	c->strong_since_ns = 0;
	if (!fresh)
		return verdict;
	c->received_bytes += fresh;
	if (c->state == IL_STATE_QUIET)
		return verdict;
	if (bytes != fresh)
		il_content_skip(&content, bytes - fresh);
	if (c->state == IL_STATE_OPENING && !c->open)
		verdict = il_verdict_join(verdict, il_opening_lapse(c, now_ns));
	verdict = il_verdict_join(verdict, take(c, facts, now_ns, &content));
	c->received_ns = now_ns;
	c->gave_up = false;
	il_wait_restart(c, now_ns);
	return verdict;
}

/* The parent goes on with what is open. The copy judges what it begins itself. */
void il_connection_forked(struct il_connection *c)
{
	if (c->state == IL_STATE_UNUSED)
		return;
	if (c->state != IL_STATE_QUIET)
		c->state = IL_STATE_LATER;
	c->call = IL_CALL_NONE;
	c->open = c->probe = c->charged = false;
	c->body_left = 0;
	c->answer_ns = 0;
	c->strong_since_ns = 0;
}

bool il_connection_is_connecting(const struct il_connection *c)
{
	return c->state == IL_STATE_CONNECTING;
}

bool il_connection_is_quiet(const struct il_connection *c)
{
	return c->state == IL_STATE_QUIET;
}
