/* How long the program has waited for an answer, and what time alone decides. */
#include "core/connection_priv.h"

void il_wait_stop(struct il_connection *c, int64_t now_ns, bool empty)
{
	if (!c->strong_since_ns)
		return;
	c->strong_ns += il_span(c->strong_since_ns, now_ns);
	c->strong_since_ns = 0;
	c->ran_out = empty;
}

static int64_t so_far(int64_t ended_ns, int64_t since_ns, int64_t now_ns)
{
	return since_ns ? ended_ns + il_span(since_ns, now_ns) : ended_ns;
}

/* Nobody waits in earnest for one who speaks only when spoken to. */
static bool strong_counts(const struct il_connection *c, const struct il_facts *facts)
{
	if (c->state == IL_STATE_CONNECTING)
		return !c->deferred;
	return !il_is_oneway(facts) && (c->sent_bytes || !il_is_asked_first(facts));
}

/* In HTTP and in a TLS handshake something comes back, whoever the other side is. */
static bool is_sure_of_answer(const struct il_connection *c)
{
	return (c->request_kind & IL_REQUEST_HTTP) ||
	       (c->protocol == IL_SPEAKS_TLS && il_is_first(c));
}

/* An event loop registers for everything, so only where an answer is certain to be due. */
static bool weak_counts(const struct il_connection *c, const struct il_facts *facts)
{
	if (c->state == IL_STATE_CONNECTING)
		return !c->deferred;
	if (il_is_oneway(facts) || (!il_answers(facts) && !is_sure_of_answer(c)))
		return false;
	if (!c->sent_bytes)
		return facts->dest & IL_DEST_GREETED;
	return il_is_first(c) || (c->request_kind & IL_REQUEST_HTTP) || il_tls_own_records(c);
}

int64_t il_waited_strong_ns(const struct il_connection *c, const struct il_facts *facts,
			    int64_t now_ns)
{
	return strong_counts(c, facts) ? so_far(c->strong_ns, c->strong_since_ns, now_ns) : 0;
}

int64_t il_waited_weak_ns(const struct il_connection *c, const struct il_facts *facts,
			  int64_t now_ns)
{
	return weak_counts(c, facts) ? so_far(c->weak_ns, c->weak_since_ns, now_ns) : 0;
}

int64_t il_waited_ns(const struct il_connection *c, const struct il_facts *facts, int64_t now_ns)
{
	int64_t strong = il_waited_strong_ns(c, facts, now_ns);
	int64_t weak = il_waited_weak_ns(c, facts, now_ns);

	return strong > weak ? strong : weak;
}

void il_connection_wait_begin(struct il_connection *c, int64_t now_ns)
{
	if (c->state == IL_STATE_UNUSED || c->state == IL_STATE_QUIET)
		return;
	il_wait_stop(c, now_ns, true);
	c->strong_since_ns = now_ns;
}

struct il_verdict il_connection_wait_end(struct il_connection *c, const struct il_facts *facts,
					 int64_t now_ns, enum il_wait_end how)
{
	il_wait_stop(c, now_ns, how != IL_WAIT_READY);
	return il_connection_tick(c, facts, now_ns);
}

void il_connection_watch(struct il_connection *c, int64_t now_ns, bool registered)
{
	if (c->state == IL_STATE_UNUSED)
		return;
	if (registered && !c->weak_since_ns) {
		c->weak_since_ns = now_ns;
	} else if (!registered && c->weak_since_ns) {
		c->weak_ns += il_span(c->weak_since_ns, now_ns);
		c->weak_since_ns = 0;
	}
}

void il_connection_defer(struct il_connection *c, int64_t now_ns)
{
	if (c->state != IL_STATE_CONNECTING)
		return;
	c->deferred = true;
	il_wait_stop(c, now_ns, false);
}

void il_connection_resume(struct il_connection *c, int64_t now_ns, bool blocking)
{
	if (!c->deferred)
		return;
	c->deferred = false;
	c->begun_ns = now_ns;
	if (blocking)
		c->strong_since_ns = now_ns;
	il_wait_restart(c, now_ns);
}

/* A probe of one who never answers is over when it has had time to object. */
static struct il_verdict oneway_probe(struct il_connection *c, const struct il_facts *facts,
				      int64_t now_ns)
{
	struct il_verdict verdict;

	if (!c->probe || !c->open || c->state != IL_STATE_OPENING || !il_is_oneway(facts) ||
	    il_span(c->sent_ns, now_ns) < IL_OPENING_PAUSE_NS)
		return (struct il_verdict){ 0 };
	il_call_lasts(c, 0);
	verdict = il_call_ends(c, facts, IL_END_CLOSED, IL_ONE_WAY, IL_SEEN_NOTHING, 0);
	c->state = IL_STATE_QUIET;
	return verdict;
}

struct il_verdict il_connection_tick(struct il_connection *c, const struct il_facts *facts,
				     int64_t now_ns)
{
	struct il_verdict verdict = oneway_probe(c, facts, now_ns);

	if (verdict.kind)
		return verdict;
	if (!c->open)
		return il_opening_lapse(c, now_ns);
	if (c->charged || c->state == IL_STATE_QUIET)
		return (struct il_verdict){ 0 };
	return il_call_charge(c, facts, il_waited_ns(c, facts, now_ns));
}

static int64_t later(int64_t time_ns, int64_t span_ns)
{
	return span_ns > INT64_MAX - time_ns ? INT64_MAX : time_ns + span_ns;
}

/* Since when a wait that still runs has been going on, taking in those before it. 0: none runs. */
static int64_t running_since(int64_t ended_ns, int64_t since_ns, bool counts)
{
	return counts && since_ns ? since_ns - ended_ns : 0;
}

int64_t il_connection_waiting_since_ns(const struct il_connection *c, const struct il_facts *facts)
{
	int64_t strong, weak;

	if (!c->open)
		return 0;
	strong = running_since(c->strong_ns, c->strong_since_ns, strong_counts(c, facts));
	weak = running_since(c->weak_ns, c->weak_since_ns, weak_counts(c, facts));
	return strong && (!weak || strong < weak) ? strong : weak;
}

int64_t il_connection_due_ns(const struct il_connection *c, const struct il_facts *facts)
{
	int64_t since_ns;

	if (c->probe && il_is_oneway(facts) && c->open && c->state == IL_STATE_OPENING)
		return later(c->sent_ns, IL_OPENING_PAUSE_NS);
	if (c->call == IL_CALL_HELD && !c->open && c->state == IL_STATE_OPENING)
		return later(c->received_ns, IL_OPENING_PAUSE_NS);
	since_ns = il_connection_waiting_since_ns(c, facts);
	if (!since_ns || c->charged || c->answer_ns || c->call == IL_CALL_NONE)
		return INT64_MAX;
	return later(since_ns, facts->slow_ns);
}
