/*
 * The open exchanges and probes of a slot, so that a visitor can charge one that hangs and clear
 * away one whose process died.
 */
#ifndef REGISTRY_LEASES_H
#define REGISTRY_LEASES_H

#include "registry/slot.h"

/* What a ticket keeps of its lease. place 0: no lease. */
struct il_lease_ref {
	uint32_t place; /* 1 + index */
	uint32_t reserved;
	uint64_t tag; /* serial and owner, flags aside */
};

/* Takes a free entry for an ordinary call, without the slot's lock. place 0: the table is full. */
struct il_lease_ref il_lease_open(struct il_slot *slot, const struct il_self *self,
				  uint64_t generation, int64_t now_ns);

/* Reserves an entry for a probe within a change, from an ordinary call if the table is full. */
struct il_lease_ref il_lease_open_probe(struct il_change *change, int64_t now_ns);

/* Since when its owner waits for an answer; 0: it does not. Without a lock; a lease that was
 * settled meanwhile stays untouched. */
void il_lease_wait(struct il_slot *slot, struct il_lease_ref ref, int64_t since_ns);

/* Its probe has `outcome` so far and nothing unanswered, since then; 0: that is over, it goes on.
 * Without a lock. */
void il_lease_hold(struct il_slot *slot, struct il_lease_ref ref, enum il_outcome outcome,
		   int64_t since_ns);

/* Is it still open? */
bool il_lease_current(const struct il_slot *slot, struct il_lease_ref ref);

/* Drops an ordinary call's lease without a lock. False: it was settled by a visitor. */
bool il_lease_drop(struct il_slot *slot, struct il_lease_ref ref);

/* Within a change: the lease is free once it commits. */
void il_lease_close(struct il_change *change, struct il_lease_ref ref);

/* Within a change: the lease is charged as slow once it commits; its end will amend `handle`. */
void il_lease_charge(struct il_change *change, struct il_lease_ref ref, struct il_handle handle);

/* Is entry `index` (0..IL_LEASES-1) free at this moment? */
static inline bool il_lease_is_free(const struct il_slot *slot, uint32_t index)
{
	return (__atomic_load_n(&slot->leases[index].tag, __ATOMIC_RELAXED) & 7U) == IL_LEASE_FREE;
}

/* Are they all? What most visitors find, so without a branch an entry. */
static inline bool il_leases_are_free(const struct il_slot *slot)
{
	uint64_t kinds = 0;

	for (uint32_t i = 0; i < IL_LEASES; i++)
		kinds |= __atomic_load_n(&slot->leases[i].tag, __ATOMIC_RELAXED);
	return (kinds & 7U) == IL_LEASE_FREE;
}

/* Has it been charged? `ref` is current. */
static inline bool il_lease_is_charged(const struct il_slot *slot, struct il_lease_ref ref)
{
	return ref.place - 1 < IL_LEASES &&
	       (__atomic_load_n(&slot->leases[ref.place - 1].tag, __ATOMIC_RELAXED) &
		IL_LEASE_CHARGED);
}

/* Frees an entry that its taker was killed over before it was filled in. */
void il_lease_reap(struct il_slot *slot, uint32_t index);

/* A bounded copy of an entry, for judging it. False: free, being filled in, or torn. */
struct il_lease_view {
	struct il_lease_ref ref;
	enum il_lease_kind kind;
	bool charged;
	bool held; /* a probe with handle.outcome so far, since waiting_since_ns */
	uint32_t pid, start;
	int64_t begun_ns;
	int64_t waiting_since_ns; /* 0: not waiting */
	uint32_t generation;      /* low 32 bits */
	struct il_handle handle;  /* charged only; its generation is filled in by the engine */
};
bool il_lease_look(const struct il_slot *slot, uint32_t index, struct il_lease_view *ret_view);

/* For table.c: frees every entry of a slot that begins a new life. The serial numbers go on, so
 * that nobody takes a new entry for his old one. */
void il_leases_clear(struct il_slot *slot);

/* For slot.c: a commit's change to an entry, any number of times; and giving a reservation back. */
void il_lease_apply(struct il_lease *lease, const struct il_journal *journal);
void il_lease_unreserve(struct il_change *change);

#endif
