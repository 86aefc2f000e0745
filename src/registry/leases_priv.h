/* The words of a lease: shared by those who change it without the slot's lock and within a commit.
 */
#ifndef REGISTRY_LEASES_PRIV_H
#define REGISTRY_LEASES_PRIV_H

#include "registry/leases.h"

#define KIND_MASK    UINT64_C(7)
#define FLAGS_MASK   UINT64_C(0xf8)
#define PID_SHIFT    8
#define PID_MASK     UINT64_C(0x3fffff)
#define SERIAL_SHIFT 30

#define WAIT_SHIFT   48
#define WAIT_MASK    ((UINT64_C(1) << WAIT_SHIFT) - 1)
#define WAIT_UNIT_NS 4096

static inline enum il_lease_kind il_tag_kind(uint64_t tag)
{
	return (enum il_lease_kind)(tag & KIND_MASK);
}

/* The owner and the serial number: what stays the same from the taking to the freeing. */
static inline uint64_t il_tag_identity(uint64_t tag)
{
	return tag & ~(KIND_MASK | FLAGS_MASK);
}

static inline uint64_t il_tag_with_kind(uint64_t tag, enum il_lease_kind kind)
{
	return (tag & ~KIND_MASK) | kind;
}

static inline uint64_t il_tag_freed(uint64_t tag)
{
	return tag >> SERIAL_SHIFT << SERIAL_SHIFT | IL_LEASE_FREE;
}

static inline uint64_t il_tag_load(const struct il_lease *lease)
{
	return __atomic_load_n(&lease->tag, __ATOMIC_ACQUIRE);
}

static inline bool il_tag_swap(struct il_lease *lease, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&lease->tag, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static inline uint64_t il_waiting_word(uint64_t tag, int64_t since_ns)
{
	/* Rounded up: nobody is said to have waited longer than he did. */
	uint64_t units = since_ns <= 0 ? 0 : ((uint64_t)since_ns + WAIT_UNIT_NS - 1) / WAIT_UNIT_NS;

	return tag >> SERIAL_SHIFT << WAIT_SHIFT | (units & WAIT_MASK);
}

/* Takes an entry whose tag was seen as `tag`: its new tag, FILLING; 0: somebody else was faster. */
uint64_t il_lease_reserve(struct il_lease *lease, uint64_t tag, uint32_t pid);

/* Takes any free entry. place 0: there is none. */
struct il_lease_ref il_lease_reserve_free(struct il_slot *slot, const struct il_self *self);

#endif
