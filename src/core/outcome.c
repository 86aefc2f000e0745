#include "core/outcome.h"

#include <errno.h>
#include <stddef.h>

#define DEATH_WAIT_NS 500000000LL /* below this a killed process may just have been redeployed */

/* Every errno that is not this machine's own trouble. */
static const struct {
	int err;
	enum il_errno_class class;
} errnos[] = {
	{ EAGAIN, IL_ERRNO_PENDING },	    { EINTR, IL_ERRNO_PENDING },
	{ EALREADY, IL_ERRNO_PENDING },	    { EINPROGRESS, IL_ERRNO_PENDING },
	{ ECONNREFUSED, IL_ERRNO_FAILED },  { ECONNRESET, IL_ERRNO_FAILED },
	{ ECONNABORTED, IL_ERRNO_FAILED },  { ETIMEDOUT, IL_ERRNO_FAILED },
	{ EHOSTUNREACH, IL_ERRNO_FAILED },  { EHOSTDOWN, IL_ERRNO_FAILED },
	{ ENETRESET, IL_ERRNO_FAILED },	    { EPIPE, IL_ERRNO_FAILED },
};

enum il_errno_class il_errno_class(int err)
{
	for (size_t i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++)
		if (errnos[i].err == err)
			return errnos[i].class;
	return IL_ERRNO_LOCAL;
}

#define GOOD	{ IL_VERDICT_RECORD, IL_SUCCESS }
#define BAD	{ IL_VERDICT_RECORD, IL_FAILURE }
#define UNSURE	{ IL_VERDICT_INCONCLUSIVE, IL_SUCCESS }
#define GIVEN_UP { IL_VERDICT_CANCELLED, IL_SUCCESS }
#define NOTHING	{ IL_VERDICT_DROPPED, IL_SUCCESS }

static const struct il_judgement table[IL_ENDINGS][IL_SITUATIONS] = {
	/*			in opening  after wait  one way  excused  later */
	[IL_END_ANSWER] =	{ GOOD,	    GOOD,	GOOD,	 GOOD,	  GOOD },
	[IL_END_HTTP_FAILURE] = { BAD,	    BAD,	BAD,	 BAD,	  BAD },
	[IL_END_BROKEN] =	{ BAD,	    BAD,	GOOD,	 NOTHING, NOTHING },
	[IL_END_LOCAL] =	{ UNSURE,   UNSURE,	UNSURE,	 UNSURE,  UNSURE },
	[IL_END_CLOSED] =	{ GIVEN_UP, BAD,	GOOD,	 NOTHING, NOTHING },
	[IL_END_UNUSED] =	{ GIVEN_UP, BAD,	GOOD,	 NOTHING, NOTHING },
};

struct il_judgement il_outcome_judge(enum il_ending ending, enum il_situation situation)
{
	static const struct il_judgement nothing = NOTHING;

	if ((unsigned)ending >= IL_ENDINGS || (unsigned)situation >= IL_SITUATIONS)
		return nothing;
	return table[ending][situation];
}

struct il_verdict il_outcome_of_death(int64_t waiting_since_ns, int64_t now_ns)
{
	struct il_verdict verdict = { .kind = IL_VERDICT_DROPPED,
				      .seen = IL_SEEN_DEATH,
				      .phase = IL_PHASE_EXCHANGE };

	if (waiting_since_ns > 0 && now_ns > waiting_since_ns)
		verdict.duration_ns = now_ns - waiting_since_ns;
	if (verdict.duration_ns >= DEATH_WAIT_NS) {
		verdict.kind = IL_VERDICT_RECORD;
		verdict.outcome = IL_FAILURE;
	}
	return verdict;
}

const char *il_seen_name(unsigned seen)
{
	static const char *const names[IL_SEEN_KINDS] = {
		[IL_SEEN_NOTHING] = "nothing", [IL_SEEN_ANSWER] = "answer",
		[IL_SEEN_HTTP] = "http",       [IL_SEEN_ERRNO] = "errno",
		[IL_SEEN_EOF] = "eof",	       [IL_SEEN_TIMEOUT] = "timeout",
		[IL_SEEN_CLOSE] = "close",     [IL_SEEN_CHARGE] = "charge",
		[IL_SEEN_CUT] = "cut",	       [IL_SEEN_DEATH] = "death",
	};

	return seen < IL_SEEN_KINDS ? names[seen] : "?";
}

const char *il_phase_name(unsigned phase)
{
	static const char *const names[IL_PHASES] = {
		[IL_PHASE_CONNECT] = "connect",	  [IL_PHASE_ANSWER] = "answer",
		[IL_PHASE_OPENING] = "opening",	  [IL_PHASE_EXCHANGE] = "exchange",
		[IL_PHASE_RESOLVE] = "resolve",
	};

	return phase < IL_PHASES ? names[phase] : "?";
}
