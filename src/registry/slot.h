/*
 * One operation on one slot: take its lock, work on a draft, commit it by one store.
 *
 *	struct il_change change;
 *	if (il_slot_begin(segment, self, slot, incarnation, &change) < 0)
 *		return;			      the call passes unjudged, and is counted
 *	... il_breaker_record(&change.breaker, ..., &change.effects) ...
 *	il_slot_count(&change, IL_COUNT_calls_success);
 *	il_slot_commit(&change);
 *
 * A change lives on the caller's stack (about 700 bytes) and belongs to one thread. Killed
 *anywhere, the slot is as before or as after.
 */
#ifndef REGISTRY_SLOT_H
#define REGISTRY_SLOT_H

#include "registry/segment.h"

struct il_change {
	struct il_slot *slot;
	const struct il_self *self;
	struct il_hold hold;
	void *cells;
	struct il_settings settings; /* a copy: others may write garbage while the core reads */
	struct il_journal journal;   /* the draft; journal.breaker is the breaker to work on */
	struct il_effects effects;   /* of the core's operation */
	uint64_t commit;	     /* the commit word as it was */
};

/*
 * Takes the slot's lock, repairs what a dead holder left, and fills in the draft. 0; -ESTALE: the
 * slot belongs to another incarnation; -EBUSY, -ETIMEDOUT: the lock (counted as lock_timeouts).
 */
int il_slot_begin(const struct il_segment *segment, const struct il_self *self, uint32_t slot,
		  uint64_t incarnation, struct il_change *ret_change);

/* Commits the draft with the effects' cell, and lets the lock go. False: we had lost the lock (a
 * jump out of a handler, another's takeover), and nothing of the draft has been stored. */
bool il_slot_commit(struct il_change *change);

/* Lets the lock go and changes nothing. */
void il_slot_abandon(struct il_change *change);

/* Adds one to a count (IL_COUNT_...) with this commit; beyond IL_JOURNAL_COUNTS it is dropped. */
void il_slot_count(struct il_change *change, uint32_t place);

/* Adds to a count outside any commit: rejected, lock_timeouts and the like, which no decision
 * rests on. Never for a count that il_slot_count is used for. Any thread, any signal handler. */
void il_slot_count_now(struct il_slot *slot, uint32_t place, uint64_t by);

/* The commit word: state, generation and sequence in one load. */
uint64_t il_slot_word(const struct il_slot *slot);

/* Copies the journal to its places if it is not there yet; the caller holds the lock, or owns a
 * private copy of the slot (cells_bytes: what `cells` has room for). */
void il_slot_apply(struct il_slot *slot, void *cells, size_t cells_bytes);

#endif
