/* The current call: how what was seen becomes its verdict, and when the opening is over. */
#include "core/connection_priv.h"

uint8_t il_phase_of(const struct il_connection *c)
{
	if (c->state == IL_STATE_CONNECTING)
		return IL_PHASE_CONNECT;
	if (c->state == IL_STATE_OPENING)
		return c->exchanges == 1 ? IL_PHASE_ANSWER : IL_PHASE_OPENING;
	return IL_PHASE_EXCHANGE;
}

/* Is the current exchange the one that began with connect()? */
bool il_is_first(const struct il_connection *c)
{
	return c->state == IL_STATE_CONNECTING ||
	       (c->state == IL_STATE_OPENING && c->exchanges == 1);
}

/* A call's duration is that of its longest exchange. */
void il_call_lasts(struct il_connection *c, int64_t exchange_ns)
{
	if (il_is_first(c))
		exchange_ns += c->connecting_ns;
	if (exchange_ns > c->longest_ns)
		c->longest_ns = exchange_ns;
}

static struct il_verdict record(struct il_connection *c, struct il_verdict verdict,
				unsigned outcome)
{
	bool recorded = c->call == IL_CALL_RECORDED;

	if (c->call == IL_CALL_NONE || (recorded && c->outcome == outcome))
		return verdict;
	c->outcome = (uint8_t)outcome;
	c->call = IL_CALL_RECORDED;
	c->probe = false;
	verdict.kind = recorded ? IL_VERDICT_AMEND : IL_VERDICT_RECORD;
	verdict.outcome = c->outcome;
	return verdict;
}

/* The call came to nothing. What was recorded, or held of a probe, stands. */
static struct il_verdict release(struct il_connection *c, struct il_verdict verdict, uint8_t kind)
{
	if (c->call == IL_CALL_HELD && kind != IL_VERDICT_INCONCLUSIVE)
		return record(c, verdict, c->outcome);
	if (c->call != IL_CALL_UNDECIDED)
		return verdict;
	c->call = IL_CALL_NONE;
	c->probe = false;
	verdict.kind = kind;
	return verdict;
}

struct il_verdict il_call_ends(struct il_connection *c, const struct il_facts *facts,
			       enum il_ending ending, enum il_situation situation,
			       enum il_seen seen, uint16_t detail)
{
	struct il_judgement is = il_outcome_judge(ending, situation);
	struct il_verdict verdict = { .seen = (uint8_t)seen,
				      .phase = il_phase_of(c),
				      .detail = detail,
				      .duration_ns = c->longest_ns };
	bool hung = c->charged && situation != IL_ONE_WAY &&
		    (ending == IL_END_BROKEN || ending == IL_END_CLOSED);
	unsigned outcome = c->outcome | is.outcome;

	c->open = false;
	if (is.kind != IL_VERDICT_RECORD && !hung)
		return release(c, verdict, is.kind);
	if (hung)
		outcome |= IL_FAILURE;
	if (c->longest_ns >= facts->slow_ns)
		outcome |= IL_SLOW_SUCCESS;
	if (c->probe && c->state == IL_STATE_OPENING && ending == IL_END_ANSWER) {
		c->call = IL_CALL_HELD;
		c->outcome = (uint8_t)outcome;
		return verdict;
	}
	return record(c, verdict, outcome);
}

/* Gives the verdict on a probe that has succeeded so far. */
struct il_verdict il_call_held(struct il_connection *c, enum il_seen seen)
{
	struct il_verdict verdict = { .seen = (uint8_t)seen,
				      .phase = IL_PHASE_OPENING,
				      .duration_ns = c->longest_ns };

	return c->call == IL_CALL_HELD ? record(c, verdict, c->outcome) : verdict;
}

int64_t il_connection_held_since_ns(const struct il_connection *c, enum il_outcome *ret_outcome)
{
	if (c->call != IL_CALL_HELD || c->open)
		return 0;
	*ret_outcome = (enum il_outcome)c->outcome;
	return c->received_ns;
}

/* It hangs, and has hung long enough to be slow whatever comes. */
struct il_verdict il_call_charge(struct il_connection *c, const struct il_facts *facts,
				 int64_t waited_ns)
{
	struct il_verdict verdict = { .seen = IL_SEEN_CHARGE, .phase = il_phase_of(c) };

	if (c->charged || !c->open || c->answer_ns || c->call == IL_CALL_NONE ||
	    waited_ns < facts->slow_ns)
		return (struct il_verdict){ 0 };
	c->charged = true;
	il_call_lasts(c, waited_ns);
	verdict.duration_ns = c->longest_ns;
	verdict = record(c, verdict, c->outcome | IL_SLOW_SUCCESS);
	verdict.flags = verdict.kind ? IL_CHARGED : 0;
	return verdict;
}

/* An answer in plain HTTP is whole: it ends the opening, unless it opens a tunnel. */
static enum il_ending http_ending(struct il_connection *c, const struct il_facts *facts)
{
	if (il_http_opens_tunnel(c)) {
		c->protocol = IL_SPEAKS_UNKNOWN;
		c->head_bytes = 0;
	} else {
		c->state = IL_STATE_LATER;
		if (c->status == 101)
			c->protocol = IL_SPEAKS_STREAM;
	}
	if (!il_facts_has_status(facts, c->status) || il_http_is_proxys(c))
		return IL_END_ANSWER;
	return IL_END_HTTP_FAILURE;
}

static unsigned learn(const struct il_connection *c, const struct il_facts *facts,
		      enum il_meaning meaning)
{
	unsigned flags = 0;

	if (meaning < IL_MEANS_ANSWER)
		return 0;
	if (!il_answers(facts))
		flags |= IL_LEARNT_ANSWERED;
	/* A server that hangs up on an idle client says so in HTTP: that is no greeting. */
	if (!c->sent_bytes && meaning != IL_MEANS_HTTP && !(facts->dest & IL_DEST_GREETED))
		flags |= IL_LEARNT_GREETED;
	return flags;
}

struct il_verdict il_answer(struct il_connection *c, const struct il_facts *facts,
			    enum il_meaning meaning, int64_t when_ns)
{
	bool http = meaning == IL_MEANS_HTTP;
	enum il_ending ending = IL_END_ANSWER;
	struct il_verdict verdict;
	uint8_t phase = il_phase_of(c);

	il_call_lasts(c, il_span(c->sent_ns, when_ns));
	c->answer_ns = 0;
	if (http)
		ending = http_ending(c, facts);
	if (c->protocol == IL_SPEAKS_STREAM || c->exchanges >= IL_OPENING_EXCHANGES)
		c->state = IL_STATE_LATER;
	verdict = il_call_ends(c, facts, ending, IL_IN_OPENING, http ? IL_SEEN_HTTP : IL_SEEN_ANSWER,
			       http ? c->status : 0);
	verdict.phase = phase;
	c->charged = false;
	verdict.flags |= (uint8_t)learn(c, facts, meaning);
	if (c->protocol == IL_SPEAKS_STREAM)
		c->state = IL_STATE_QUIET;
	return verdict;
}

/* An answer whose first line never got complete was one all the same. */
struct il_verdict il_answer_is_partial(struct il_connection *c, const struct il_facts *facts)
{
	return il_answer(c, facts, c->protocol == IL_SPEAKS_TLS ? IL_MEANS_HANDSHAKE : IL_MEANS_ANSWER,
			 c->answer_ns);
}

/* The opening is over after a pause with nothing unanswered. */
struct il_verdict il_opening_lapse(struct il_connection *c, int64_t now_ns)
{
	if (c->state != IL_STATE_OPENING || c->open || !c->received_ns ||
	    il_span(c->received_ns, now_ns) < IL_OPENING_PAUSE_NS)
		return (struct il_verdict){ 0 };
	c->state = IL_STATE_LATER;
	return il_call_held(c, IL_SEEN_ANSWER);
}
