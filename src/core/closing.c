/* How a connection ends: errors, end of file, shutdown and close. */
#include "core/connection_priv.h"

/* The proof of a time-out: waiting in earnest that came back empty, or an event loop's waiting
 * where it counts. A wait that ran out before a farewell counts as if the farewell had not been
 * sent. */
static bool waited_in_vain(const struct il_connection *c, const struct il_facts *facts,
			   int64_t now_ns)
{
	int64_t strong = il_waited_strong_ns(c, facts, now_ns);

	if (il_is_oneway(facts))
		return false;
	if (strong >= IL_PROOF_NS ? c->ran_out : c->gave_up)
		return true;
	return il_waited_weak_ns(c, facts, now_ns) >= IL_PROOF_NS;
}

/* The connection is of no more use: what a probe has so far is its verdict. */
static struct il_verdict finish(struct il_connection *c, const struct il_facts *facts,
				enum il_seen seen, uint16_t detail, bool cut)
{
	struct il_verdict verdict = { 0 };

	if (cut && c->body_left)
		verdict = il_call_ends(c, facts, IL_END_BROKEN, IL_IN_OPENING, IL_SEEN_CUT, detail);
	else
		verdict = il_call_held(c, seen);
	c->state = IL_STATE_QUIET;
	return verdict;
}

static bool is_unused_pool(const struct il_connection *c, const struct il_facts *facts,
			   int64_t now_ns)
{
	return !c->sent_bytes && il_is_asked_first(facts) &&
	       il_span(c->connected_ns, now_ns) >= IL_UNUSED_NS;
}

/* Who has never answered anyone may be a log server, and those hang up on who is idle. Not where
 * an answer is certain to be due, or was waited for in earnest. */
static bool is_idle_one_way(const struct il_connection *c, const struct il_facts *facts,
			    int64_t now_ns)
{
	if (!c->sent_bytes || il_answers(facts) || c->protocol == IL_SPEAKS_TLS ||
	    c->protocol == IL_SPEAKS_STREAM || (c->request_kind & IL_REQUEST_HTTP))
		return false;
	return il_span(c->connected_ns, now_ns) >= IL_UNUSED_NS &&
	       il_waited_strong_ns(c, facts, now_ns) < IL_PROOF_NS;
}

static enum il_situation situation_of(const struct il_connection *c, const struct il_facts *facts,
				      int64_t now_ns, bool eof)
{
	if (il_tls_only_tickets(c))
		return IL_EXCUSED;
	if (c->state == IL_STATE_LATER || (eof && c->exchanges > 1 && il_exchange_may_be_goodbye(c)))
		return il_waited_ns(c, facts, now_ns) >= IL_PROOF_NS ? IL_AFTER_WAIT : IL_LATER;
	if (eof && (il_is_oneway(facts) || (c->shut && (!c->sent_bytes || !il_answers(facts)))))
		return IL_ONE_WAY;
	if (is_idle_one_way(c, facts, now_ns) || (eof && is_unused_pool(c, facts, now_ns)))
		return IL_EXCUSED;
	return IL_IN_OPENING;
}

/* End of file or a failure of the way, while the exchange is unanswered. */
static struct il_verdict breaks(struct il_connection *c, const struct il_facts *facts,
				int64_t now_ns, enum il_seen seen, int err)
{
	enum il_situation situation = situation_of(c, facts, now_ns, seen == IL_SEEN_EOF);
	struct il_verdict verdict;

	il_wait_stop(c, now_ns, false);
	il_call_lasts(c, situation == IL_ONE_WAY ? 0 : il_waited_ns(c, facts, now_ns));
	verdict = il_call_ends(c, facts, IL_END_BROKEN, situation, seen, (uint16_t)err);
	c->state = IL_STATE_QUIET;
	return verdict;
}

/* Not connected: the whole attempt counts. */
static struct il_verdict connect_fails(struct il_connection *c, const struct il_facts *facts,
				       int64_t now_ns, enum il_errno_class class, int err)
{
	struct il_verdict verdict;

	il_call_lasts(c, il_span(c->begun_ns, now_ns));
	verdict = il_call_ends(c, facts, class == IL_ERRNO_LOCAL ? IL_END_LOCAL : IL_END_BROKEN,
			       IL_IN_OPENING, IL_SEEN_ERRNO, (uint16_t)err);
	c->state = IL_STATE_QUIET;
	return verdict;
}

struct il_verdict il_connection_error(struct il_connection *c, const struct il_facts *facts,
				      int64_t now_ns, int err, bool blocking)
{
	enum il_errno_class class = il_errno_class(err);
	struct il_verdict verdict;

	if (c->state == IL_STATE_UNUSED || c->state == IL_STATE_QUIET)
		return (struct il_verdict){ 0 };
	if (class == IL_ERRNO_PENDING) {
		if (!blocking)
			return (struct il_verdict){ 0 };
		return il_connection_wait_end(c, facts, now_ns, IL_WAIT_EMPTY);
	}
	if (c->state == IL_STATE_CONNECTING)
		return connect_fails(c, facts, now_ns, class, err);
	if (class == IL_ERRNO_LOCAL) {
		if (!c->open || c->answer_ns)
			return (struct il_verdict){ 0 };
		return il_call_ends(c, facts, IL_END_LOCAL, IL_IN_OPENING, IL_SEEN_ERRNO,
				    (uint16_t)err);
	}
	verdict = il_answer_settle(c, facts);
	if (!c->open)
		return il_verdict_join(verdict, finish(c, facts, IL_SEEN_ERRNO, (uint16_t)err, true));
	if (c->farewell)
		return verdict;
	return breaks(c, facts, now_ns, IL_SEEN_ERRNO, err);
}

struct il_verdict il_connection_eof(struct il_connection *c, const struct il_facts *facts,
				    int64_t now_ns)
{
	struct il_verdict verdict = { 0 };

	if (c->state == IL_STATE_UNUSED || c->state == IL_STATE_QUIET)
		return verdict;
	if (c->state == IL_STATE_CONNECTING)
		verdict = il_connection_connected(c, facts, now_ns);
	verdict = il_verdict_join(verdict, il_answer_settle(c, facts));
	if (!c->open)
		return il_verdict_join(verdict, finish(c, facts, IL_SEEN_EOF, 0, true));
	if (c->farewell)
		return verdict;
	return il_verdict_join(verdict, breaks(c, facts, now_ns, IL_SEEN_EOF, 0));
}

struct il_verdict il_connection_shutdown(struct il_connection *c, const struct il_facts *facts,
					 int64_t now_ns)
{
	struct il_verdict verdict;

	if (c->state == IL_STATE_UNUSED || c->state == IL_STATE_QUIET)
		return (struct il_verdict){ 0 };
	verdict = il_answer_settle(c, facts);
	c->shut = true;
	if (!c->open || il_is_first(c) || c->gave_up || c->charged ||
	    il_waited_ns(c, facts, now_ns) >= IL_PROOF_NS)
		return verdict;
	verdict = il_call_ends(c, facts, IL_END_CLOSED, IL_LATER, IL_SEEN_CLOSE, 0);
	verdict.flags |= IL_FAREWELL;
	c->state = IL_STATE_QUIET;
	return verdict;
}

static struct il_verdict close_connecting(struct il_connection *c, const struct il_facts *facts,
					  int64_t now_ns, const struct il_kernel *kernel)
{
	int64_t tried_ns = il_span(c->begun_ns, now_ns);
	enum il_situation situation = IL_IN_OPENING;

	if (c->deferred)
		tried_ns = 0;
	else if (!kernel->late && (kernel->tcp == IL_TCP_FAILED || tried_ns >= IL_CONNECT_PROOF_NS))
		situation = IL_AFTER_WAIT;
	c->state = IL_STATE_CONNECTING;
	c->longest_ns = c->connecting_ns + tried_ns;
	return il_call_ends(c, facts, IL_END_CLOSED, situation,
			    situation == IL_AFTER_WAIT ? IL_SEEN_TIMEOUT : IL_SEEN_CLOSE, 0);
}

/* Closed, connected, nothing sent or received. */
static struct il_verdict close_unused(struct il_connection *c, const struct il_facts *facts,
				      int64_t now_ns)
{
	int64_t waited_ns = il_waited_ns(c, facts, now_ns);
	enum il_situation situation = IL_IN_OPENING;

	if (waited_ns >= IL_GREETING_PROOF_NS)
		situation = IL_AFTER_WAIT;
	else if (il_expects_nothing(facts))
		situation = IL_ONE_WAY;
	il_call_lasts(c, situation == IL_AFTER_WAIT ? waited_ns : 0);
	return il_call_ends(c, facts, IL_END_UNUSED, situation,
			    situation == IL_AFTER_WAIT ? IL_SEEN_TIMEOUT : IL_SEEN_CLOSE, 0);
}

/* Sent past the hooks, as stdio does: what was waited since then was for an answer. */
static void take_unseen_sends(struct il_connection *c, const struct il_kernel *kernel,
			      int64_t now_ns)
{
	if (c->sent_bytes || !kernel->sent_ago_ns)
		return;
	il_connection_watch(c, now_ns, false);
	c->sent_bytes = kernel->sent_bytes;
	if (c->strong_ns > kernel->sent_ago_ns)
		c->strong_ns = kernel->sent_ago_ns;
	if (c->weak_ns > kernel->sent_ago_ns)
		c->weak_ns = kernel->sent_ago_ns;
}

static struct il_verdict close_unanswered(struct il_connection *c, const struct il_facts *facts,
					  int64_t now_ns)
{
	enum il_situation situation = il_is_first(c) ? IL_IN_OPENING : IL_LATER;
	bool in_vain = waited_in_vain(c, facts, now_ns);
	struct il_verdict verdict;

	if (in_vain)
		situation = IL_AFTER_WAIT;
	else if (il_is_first(c) && il_expects_nothing(facts))
		situation = IL_ONE_WAY;
	il_call_lasts(c, in_vain ? il_waited_ns(c, facts, now_ns) : 0);
	verdict = il_call_ends(c, facts, IL_END_CLOSED, situation,
			       in_vain ? IL_SEEN_TIMEOUT : IL_SEEN_CLOSE, 0);
	if (situation == IL_LATER && !c->farewell && !c->charged)
		verdict.flags |= IL_FAREWELL;
	return verdict;
}

static struct il_verdict close_connected(struct il_connection *c, const struct il_facts *facts,
					 int64_t now_ns, const struct il_kernel *kernel)
{
	struct il_verdict verdict = il_answer_settle(c, facts);
	unsigned flags = 0;
	bool unseen = kernel->received_bytes > c->received_bytes;
	bool cut = c->ran_out && c->strong_ns >= IL_PROOF_NS;

	if (!c->open) {
		verdict = il_verdict_join(verdict, finish(c, facts, IL_SEEN_CLOSE, 0, cut));
	} else if (unseen) {
		il_call_lasts(c, 0);
		verdict = il_call_ends(c, facts, IL_END_ANSWER, IL_IN_OPENING, IL_SEEN_ANSWER, 0);
		if (c->protocol != IL_SPEAKS_TLS && !il_answers(facts))
			flags |= IL_LEARNT_ANSWERED;
	} else if (!c->sent_bytes && !kernel->sent_bytes) {
		verdict = close_unused(c, facts, now_ns);
	} else {
		take_unseen_sends(c, kernel, now_ns);
		verdict = close_unanswered(c, facts, now_ns);
	}
	verdict.flags |= (uint8_t)flags;
	return verdict;
}

struct il_verdict il_connection_close(struct il_connection *c, const struct il_facts *facts,
				      int64_t now_ns, const struct il_kernel *kernel)
{
	static const struct il_kernel unknown;
	struct il_verdict verdict = { 0 };
	/* A program that closes, or says good-bye, after a single record was content with it. */
	bool content = c->tickets == 1 && (c->state != IL_STATE_QUIET || c->farewell);

	if (!kernel)
		kernel = &unknown;
	if (kernel->late)
		c->strong_since_ns = c->weak_since_ns = 0;
	il_wait_stop(c, now_ns, true); /* it never returned */
	if (c->state == IL_STATE_CONNECTING && kernel->tcp == IL_TCP_CONNECTED)
		il_connected(c, c->begun_ns);
	if (c->state == IL_STATE_CONNECTING ||
	    (kernel->tcp == IL_TCP_CONNECTING && c->open && il_is_first(c)))
		verdict = close_connecting(c, facts, now_ns, kernel);
	else if (c->state != IL_STATE_UNUSED && c->state != IL_STATE_QUIET)
		verdict = close_connected(c, facts, now_ns, kernel);
	if (content && !il_answers(facts))
		verdict.flags |= IL_LEARNT_ANSWERED;
	/* What a probe has succeeded in is its verdict. */
	c->state = IL_STATE_LATER;
	verdict = il_verdict_join(verdict, il_call_held(c, IL_SEEN_CLOSE));
	memset(c, 0, sizeof(*c));
	return verdict;
}
