/* auto_transition: the move from OPEN to HALF_OPEN that waits for no call. */
#include "engine/engine_priv.h"

#define AGAIN_NS INT64_C(20000000) /* somebody has the lock: he may be about to move it himself */

bool il_open_since(const struct il_slot *slot, uint64_t word, int64_t *ret_opened_ns,
		   int64_t *ret_wait_ns)
{
	int64_t opened_ns = __atomic_load_n(&slot->breaker.opened_at_ns, __ATOMIC_RELAXED);
	int64_t wait_ns = __atomic_load_n(&slot->breaker.wait_ns, __ATOMIC_RELAXED);
	uint32_t applied = __atomic_load_n(&slot->applied, __ATOMIC_ACQUIRE);

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (IL_COMMIT_STATE(word) != IL_OPEN || applied != IL_COMMIT_SEQUENCE(word) ||
	    il_slot_word(slot) != word)
		return false;
	*ret_opened_ns = opened_ns;
	*ret_wait_ns = wait_ns;
	return true;
}

/* A wait that ends after the clock does is still one. */
static int64_t end_of(int64_t opened_ns, int64_t wait_ns)
{
	int64_t end_ns;

	if (__builtin_add_overflow(opened_ns, wait_ns, &end_ns) || end_ns == IL_AUTO_NEVER)
		return IL_AUTO_NEVER - 1;
	return end_ns;
}

static int64_t move(struct il_engine *engine, const struct il_self *self, uint32_t place,
		    uint64_t incarnation, int64_t now_ns)
{
	struct il_change change;
	struct il_breaker *breaker = &change.journal.breaker;
	int begun = il_slot_begin(&engine->segment, self, place, incarnation, &change);
	int64_t due_ns = IL_AUTO_NEVER;

	if (begun < 0)
		return now_ns + AGAIN_NS;
	if (change.settings.auto_transition && il_breaker_auto(breaker, now_ns, &change.effects)) {
		bool done = il_commit_and_tell(engine, &change, NULL, NULL, now_ns);

		return done ? IL_AUTO_NEVER : now_ns + AGAIN_NS;
	}
	if (change.settings.auto_transition && breaker->state == IL_OPEN)
		due_ns = end_of(breaker->opened_at_ns, breaker->wait_ns);
	il_slot_abandon(&change);
	return due_ns;
}

static int64_t visit(struct il_engine *engine, const struct il_self *self, uint32_t place,
		     int64_t now_ns)
{
	const struct il_slot *slot = &engine->segment.slots[place];
	uint64_t incarnation = __atomic_load_n(&slot->incarnation, __ATOMIC_ACQUIRE);
	uint64_t word = il_slot_word(slot);
	int64_t opened_ns, wait_ns;

	if (IL_COMMIT_STATE(word) != IL_OPEN || !il_slot_is_timed(slot))
		return IL_AUTO_NEVER;
	if (il_open_since(slot, word, &opened_ns, &wait_ns) && now_ns >= opened_ns &&
	    now_ns - opened_ns < wait_ns)
		return end_of(opened_ns, wait_ns);
	return move(engine, self, place, incarnation, now_ns);
}

int64_t il_engine_auto(struct il_engine *engine, const struct il_self *self, int64_t now_ns)
{
	int64_t first_ns = IL_AUTO_NEVER;

	for (uint32_t place = 0; place < engine->segment.breakers; place++) {
		/* A slot without a name has no memory yet. */
		if (__atomic_load_n(&engine->segment.hashes[place], __ATOMIC_ACQUIRE) == 0)
			continue;

		int64_t due_ns = visit(engine, self, place, now_ns);

		if (due_ns < first_ns)
			first_ns = due_ns;
	}
	return first_ns;
}
