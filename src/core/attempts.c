#include "core/attempts.h"

#include <string.h>

/* An entry's life: free, under way, and then held back (its try failed) or won. Whoever won needs
 * no further word, so its entry is taken when no free one is left. */
enum state { FREE, TRYING, HELD, WON };

static struct il_attempt *entry(struct il_attempts *a, int index)
{
	return index >= 0 && index < IL_ATTEMPTS_MAX ? &a->at[index] : NULL;
}

static bool has_tried(const struct il_attempt *e, uint32_t address)
{
	for (unsigned i = 0; i < e->tried_count; i++)
		if (e->tried[i] == address)
			return true;
	return false;
}

static bool continues(const struct il_attempt *e, const struct il_try *try, int64_t now_ns)
{
	return e->state == HELD && e->lookup == try->lookup && e->thread == try->thread &&
	       now_ns - e->ended_ns <= IL_CONTINUE_NS && !has_tried(e, try->address);
}

/* The call that has been waiting longest for this address. */
static int held_for(const struct il_attempts *a, const struct il_try *try, int64_t now_ns)
{
	int best = -1;

	for (int i = 0; i < IL_ATTEMPTS_MAX; i++)
		if (continues(&a->at[i], try, now_ns) &&
		    (best < 0 || a->at[i].ended_ns < a->at[best].ended_ns))
			best = i;
	return best;
}

/* A free entry, else that of the attempt that won longest ago. */
static int room(const struct il_attempts *a)
{
	int best = -1;

	for (int i = 0; i < IL_ATTEMPTS_MAX; i++) {
		if (a->at[i].state == FREE)
			return i;
		if (a->at[i].state == WON && (best < 0 || a->at[i].ended_ns < a->at[best].ended_ns))
			best = i;
	}
	return best;
}

int il_attempts_begin(struct il_attempts *a, const struct il_try *try, int64_t now_ns,
		      bool *ret_continued)
{
	struct il_attempt *e;
	bool continued;
	int index;

	if (!try->lookup)
		return -1;
	index = held_for(a, try, now_ns);
	continued = index >= 0;
	if (!continued)
		index = room(a);
	if (index < 0)
		return -1;
	e = &a->at[index];
	if (!continued)
		*e = (struct il_attempt){ .lookup = try->lookup, .thread = try->thread };
	e->tried[e->tried_count++] = try->address;
	e->addresses = try->addresses;
	e->begun_ns = now_ns;
	e->state = TRYING;
	*ret_continued = continued;
	return index;
}

void il_attempts_connected(struct il_attempts *a, int index, int64_t now_ns)
{
	struct il_attempt *e = entry(a, index);

	if (!e || e->state != TRYING)
		return;
	e->state = WON;
	e->ended_ns = now_ns;
}

bool il_attempts_failed(struct il_attempts *a, int index, struct il_verdict verdict, int64_t now_ns)
{
	struct il_attempt *e = entry(a, index);

	if (!e || e->state != TRYING)
		return false;
	/* One that was charged is recorded already: it cannot wait for another address. */
	if (verdict.kind == IL_VERDICT_AMEND || e->tried_count == IL_ADDRESSES_MAX ||
	    (e->addresses && e->tried_count >= e->addresses)) {
		e->state = FREE;
		return false;
	}
	e->state = HELD;
	e->ended_ns = now_ns;
	e->verdict = verdict;
	return true;
}

bool il_attempts_races(const struct il_attempts *a, int index)
{
	if (index < 0 || index >= IL_ATTEMPTS_MAX)
		return false;
	for (int i = 0; i < IL_ATTEMPTS_MAX; i++)
		if (i != index && a->at[i].state == TRYING && a->at[i].lookup == a->at[index].lookup)
			return true;
	return false;
}

bool il_attempts_lost(struct il_attempts *a, int index, int64_t now_ns)
{
	struct il_attempt *e = entry(a, index);

	if (!e || e->state != TRYING)
		return false;
	for (int i = 0; i < IL_ATTEMPTS_MAX; i++) {
		const struct il_attempt *other = &a->at[i];

		if (other->state != WON || other->lookup != e->lookup ||
		    other->begun_ns <= e->begun_ns || now_ns - other->ended_ns > IL_RACE_NS ||
		    other->tried[other->tried_count - 1] == e->tried[e->tried_count - 1])
			continue;
		e->state = FREE;
		return true;
	}
	return false;
}

void il_attempts_end(struct il_attempts *a, int index)
{
	struct il_attempt *e = entry(a, index);

	if (e && e->state != WON)
		e->state = FREE;
}

int il_attempts_due(struct il_attempts *a, int64_t now_ns, struct il_verdict *ret_verdict)
{
	for (int i = 0; i < IL_ATTEMPTS_MAX; i++) {
		if (a->at[i].state != HELD || now_ns - a->at[i].ended_ns <= IL_CONTINUE_NS)
			continue;
		*ret_verdict = a->at[i].verdict;
		a->at[i].state = FREE;
		return i;
	}
	return -1;
}

int64_t il_attempts_due_ns(const struct il_attempts *a)
{
	int64_t due_ns = INT64_MAX;

	for (int i = 0; i < IL_ATTEMPTS_MAX; i++)
		if (a->at[i].state == HELD && a->at[i].ended_ns + IL_CONTINUE_NS + 1 < due_ns)
			due_ns = a->at[i].ended_ns + IL_CONTINUE_NS + 1;
	return due_ns;
}

void il_attempts_forked(struct il_attempts *a)
{
	memset(a, 0, sizeof(*a));
}

int64_t il_lookup_take(struct il_lookup *last, uint64_t lookup, int64_t now_ns)
{
	int64_t duration_ns = 0;

	if (!lookup || last->lookup != lookup)
		return 0;
	if (now_ns - last->ended_ns <= IL_BEAR_NS)
		duration_ns = last->duration_ns;
	last->lookup = 0;
	return duration_ns;
}
