#include "registry/leases.h"
#include "registry/words.h"

#include <errno.h>

uint64_t il_slot_word(const struct il_slot *slot)
{
	return __atomic_load_n(&slot->commit, __ATOMIC_ACQUIRE);
}

static uint32_t applied(const struct il_slot *slot)
{
	return __atomic_load_n(&slot->applied, __ATOMIC_ACQUIRE);
}

static void apply_cell(void *cells, size_t cells_bytes, const struct il_journal *journal)
{
	uint32_t offset = journal->cell_offset;

	if (offset >= cells_bytes)
		return;
	if (journal->cell_bytes == 1) {
		uint8_t *cell = (uint8_t *)cells + offset;

		__atomic_store_n(cell, (uint8_t)journal->cell.second, __ATOMIC_RELAXED);
	} else if (journal->cell_bytes == sizeof(struct il_bucket) && offset % 8 == 0 &&
		   cells_bytes - offset >= sizeof(struct il_bucket)) {
		il_words_copy((uint8_t *)cells + offset, &journal->cell, sizeof(journal->cell));
	}
}

static void apply_counts(struct il_slot *slot, const struct il_journal *journal)
{
	for (uint32_t i = 0; i < journal->counts && i < IL_JOURNAL_COUNTS; i++)
		if (journal->count_places[i] < IL_COUNTS)
			__atomic_store_n(&slot->counts[journal->count_places[i]],
					 journal->count_values[i], __ATOMIC_RELAXED);
}

static void apply_rules(struct il_slot *slot, const struct il_journal *journal)
{
	__atomic_store_n(&slot->rules_version, journal->rules.version, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->rules_word, journal->rules.word, __ATOMIC_RELAXED);
}

void il_slot_apply(struct il_slot *slot, void *cells, size_t cells_bytes)
{
	uint32_t sequence = IL_COMMIT_SEQUENCE(il_slot_word(slot));
	const struct il_journal *journal = &slot->journal;

	if (applied(slot) == sequence)
		return;
	IL_WORDS_COPY(&slot->breaker, &journal->breaker);
	apply_cell(cells, cells_bytes, journal);
	apply_counts(slot, journal);
	if (journal->lease_place - 1 < IL_LEASES)
		il_lease_apply(&slot->leases[journal->lease_place - 1], journal);
	if (journal->recent_place - 1 < IL_RECENT)
		IL_WORDS_COPY(&slot->recent[journal->recent_place - 1], &journal->recent);
	else if (journal->recent_place == IL_RECENT_RULES)
		apply_rules(slot, journal);
	IL_WORDS_COPY(&slot->trip, &journal->trip);
	__atomic_store_n(&slot->facts, journal->facts, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->death_charged_ns, journal->death_charged_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->applied, sequence, __ATOMIC_RELEASE);
}

static void fill_draft(struct il_change *change)
{
	struct il_slot *slot = change->slot;
	struct il_journal *draft = &change->journal;

	change->commit = il_slot_word(slot);
	change->effects.events_count = 0;
	change->effects.cell_bytes = 0;
	IL_WORDS_COPY(&change->settings, &slot->settings);
	IL_WORDS_COPY(&draft->breaker, &slot->breaker);
	IL_WORDS_COPY(&draft->trip, &slot->trip);
	draft->facts = slot->facts;
	draft->death_charged_ns = slot->death_charged_ns;
	draft->counts = draft->lease_place = draft->recent_place = 0;
}

int il_slot_begin(const struct il_segment *segment, const struct il_self *self, uint32_t place,
		  uint64_t incarnation, struct il_change *ret_change)
{
	if (place >= segment->breakers)
		return -ESTALE;

	struct il_slot *slot = &segment->slots[place];
	struct il_change *change = ret_change;

	change->slot = slot;
	change->self = self;
	int taken = il_lock_take(&slot->lock, self, IL_LOCK_SLOT, &change->hold);
	if (taken < 0) {
		il_slot_count_now(slot, IL_COUNT_lock_timeouts, 1);
		return taken;
	}
	if (taken == IL_LOCK_TAKEN_OVER)
		__atomic_fetch_add(&segment->header->takeovers, 1, __ATOMIC_RELAXED);
	if (__atomic_load_n(&slot->incarnation, __ATOMIC_RELAXED) != incarnation) {
		il_lock_release(&slot->lock, self, &change->hold);
		return -ESTALE;
	}
	fill_draft(change);
	change->cells = il_segment_cells(segment, place, &change->settings);
	if (applied(slot) != IL_COMMIT_SEQUENCE(change->commit)) {
		il_slot_apply(slot, change->cells, il_cells_bytes(&change->settings));
		fill_draft(change);
	}
	return 0;
}

static void put_cell(struct il_journal *draft, const struct il_effects *effects)
{
	draft->cell_bytes = effects->cell_bytes;
	draft->cell_offset = effects->cell_offset;
	if (effects->cell_bytes == 1)
		draft->cell.second = effects->cell.outcome;
	else if (effects->cell_bytes)
		draft->cell = effects->cell.bucket;
}

bool il_slot_commit(struct il_change *change)
{
	struct il_slot *slot = change->slot;
	const struct il_breaker *breaker = &change->journal.breaker;
	uint64_t word = (uint64_t)(IL_COMMIT_SEQUENCE(change->commit) + 1) << 32 |
			(breaker->generation & IL_GENERATION_MASK) << 3 | (breaker->state & 7U);

	if (!il_lock_held(&slot->lock, change->self, &change->hold)) {
		il_slot_abandon(change);
		return false;
	}
	put_cell(&change->journal, &change->effects);
	IL_WORDS_COPY(&slot->journal, &change->journal);
	/* From the word that the draft was made of: one who lost the lock after he had looked, because
	 * he slept in a handler, cannot undo what others did meanwhile. */
	if (!__atomic_compare_exchange_n(&slot->commit, &change->commit, word, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		il_slot_abandon(change);
		return false;
	}
	__atomic_thread_fence(__ATOMIC_ACQ_REL); /* nothing of the following before the store */
	il_slot_apply(slot, change->cells, il_cells_bytes(&change->settings));
	il_lock_release(&slot->lock, change->self, &change->hold);
	return true;
}

void il_slot_abandon(struct il_change *change)
{
	il_lease_unreserve(change);
	il_lock_release(&change->slot->lock, change->self, &change->hold);
}

void il_slot_count(struct il_change *change, uint32_t place)
{
	struct il_journal *draft = &change->journal;

	if (place >= IL_COUNTS || draft->counts >= IL_JOURNAL_COUNTS)
		return;
	draft->count_places[draft->counts] = (uint8_t)place;
	draft->count_values[draft->counts] = change->slot->counts[place] + 1;
	draft->counts++;
}

void il_slot_count_now(struct il_slot *slot, uint32_t place, uint64_t by)
{
	if (place < IL_COUNTS)
		__atomic_fetch_add(&slot->counts[place], by, __ATOMIC_RELAXED);
}
