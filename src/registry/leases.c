/* What owners and visitors do with leases on their own, without the slot's lock. */
#include "registry/leases_priv.h"

uint64_t il_lease_reserve(struct il_lease *lease, uint64_t tag, uint32_t pid)
{
	uint64_t taken = ((tag >> SERIAL_SHIFT) + 1) << SERIAL_SHIFT |
			 (pid & PID_MASK) << PID_SHIFT | IL_LEASE_FILLING;

	return il_tag_swap(lease, tag, taken) ? taken : 0;
}

struct il_lease_ref il_lease_reserve_free(struct il_slot *slot, const struct il_self *self)
{
	/* Threads start their search at different places, so that they seldom meet. */
	for (uint32_t i = 0; i < IL_LEASES; i++) {
		uint32_t index = (self->tid + i) % IL_LEASES;
		uint64_t tag = il_tag_load(&slot->leases[index]);

		if (il_tag_kind(tag) != IL_LEASE_FREE)
			continue;
		tag = il_lease_reserve(&slot->leases[index], tag, self->pid);
		if (tag)
			return (struct il_lease_ref){ .place = index + 1,
						      .tag = il_tag_identity(tag) };
	}
	return (struct il_lease_ref){ 0 };
}

struct il_lease_ref il_lease_open(struct il_slot *slot, const struct il_self *self,
				  uint64_t generation, int64_t now_ns)
{
	struct il_lease_ref ref = il_lease_reserve_free(slot, self);

	if (ref.place == 0)
		return ref;
	struct il_lease *lease = &slot->leases[ref.place - 1];
	uint64_t filling = ref.tag | IL_LEASE_FILLING;

	__atomic_store_n(&lease->begun_ns, now_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&lease->waiting, il_waiting_word(ref.tag, 0), __ATOMIC_RELAXED);
	__atomic_store_n(&lease->start, self->start, __ATOMIC_RELAXED);
	__atomic_store_n(&lease->generation, (uint32_t)generation, __ATOMIC_RELAXED);
	if (!il_tag_swap(lease, filling, il_tag_with_kind(filling, IL_LEASE_CALL)))
		return (struct il_lease_ref){ 0 };
	return ref;
}

void il_leases_clear(struct il_slot *slot)
{
	for (uint32_t i = 0; i < IL_LEASES; i++) {
		uint64_t tag = il_tag_load(&slot->leases[i]);

		/* An owner who comes between frees the entry himself, or has none left to free. */
		if (il_tag_kind(tag) != IL_LEASE_FREE)
			il_tag_swap(&slot->leases[i], tag, il_tag_freed(tag));
	}
}

void il_lease_wait(struct il_slot *slot, struct il_lease_ref ref, int64_t since_ns)
{
	if (ref.place - 1 >= IL_LEASES)
		return;
	uint64_t *waiting = &slot->leases[ref.place - 1].waiting;
	uint64_t word = __atomic_load_n(waiting, __ATOMIC_RELAXED);
	uint64_t wanted = il_waiting_word(ref.tag, since_ns);

	if (word >> WAIT_SHIFT == wanted >> WAIT_SHIFT)
		__atomic_compare_exchange_n(waiting, &word, wanted, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
}

void il_lease_hold(struct il_slot *slot, struct il_lease_ref ref, enum il_outcome outcome,
		   int64_t since_ns)
{
	if (!il_lease_current(slot, ref))
		return;
	struct il_lease *lease = &slot->leases[ref.place - 1];
	uint64_t tag = il_tag_load(lease);

	if (il_tag_identity(tag) != ref.tag || il_tag_kind(tag) != IL_LEASE_PROBE)
		return;
	if (since_ns)
		__atomic_store_n(&lease->outcome, (uint8_t)outcome, __ATOMIC_RELAXED);
	else
		il_tag_swap(lease, tag, tag & ~IL_LEASE_HELD);
	il_lease_wait(slot, ref, since_ns);
	if (since_ns)
		il_tag_swap(lease, tag, tag | IL_LEASE_HELD);
}

bool il_lease_current(const struct il_slot *slot, struct il_lease_ref ref)
{
	if (ref.place - 1 >= IL_LEASES)
		return false;
	uint64_t tag = il_tag_load(&slot->leases[ref.place - 1]);

	return il_tag_identity(tag) == ref.tag && il_tag_kind(tag) >= IL_LEASE_CALL;
}

bool il_lease_drop(struct il_slot *slot, struct il_lease_ref ref)
{
	if (!il_lease_current(slot, ref))
		return false;
	uint64_t tag = il_tag_load(&slot->leases[ref.place - 1]);

	return il_tag_identity(tag) == ref.tag && il_tag_kind(tag) == IL_LEASE_CALL &&
	       il_tag_swap(&slot->leases[ref.place - 1], tag, il_tag_freed(tag));
}

void il_lease_reap(struct il_slot *slot, uint32_t index)
{
	if (index >= IL_LEASES)
		return;
	uint64_t tag = il_tag_load(&slot->leases[index]);

	if (il_tag_kind(tag) != IL_LEASE_FILLING ||
	    il_process_alive((uint32_t)(tag >> PID_SHIFT & PID_MASK), 0))
		return;
	/* Killed between its commit and the copying, it has its probe: whoever takes the slot's lock
	 * next makes the entry one. */
	if (__atomic_load_n(&slot->applied, __ATOMIC_ACQUIRE) ==
	    IL_COMMIT_SEQUENCE(il_slot_word(slot)))
		il_tag_swap(&slot->leases[index], tag, il_tag_freed(tag));
}

bool il_lease_look(const struct il_slot *slot, uint32_t index, struct il_lease_view *ret_view)
{
	if (index >= IL_LEASES)
		return false;
	const struct il_lease *lease = &slot->leases[index];
	uint64_t tag = il_tag_load(lease);

	if (il_tag_kind(tag) != IL_LEASE_CALL && il_tag_kind(tag) != IL_LEASE_PROBE)
		return false;
	uint64_t waiting = __atomic_load_n(&lease->waiting, __ATOMIC_RELAXED);
	struct il_lease_view view = {
		.ref = { .place = index + 1, .tag = il_tag_identity(tag) },
		.kind = il_tag_kind(tag),
		.charged = (tag & IL_LEASE_CHARGED) != 0,
		.held = (tag & IL_LEASE_HELD) != 0,
		.pid = (uint32_t)(tag >> PID_SHIFT & PID_MASK),
		.start = __atomic_load_n(&lease->start, __ATOMIC_RELAXED),
		.begun_ns = __atomic_load_n(&lease->begun_ns, __ATOMIC_RELAXED),
		.waiting_since_ns = (int64_t)(waiting & WAIT_MASK) * WAIT_UNIT_NS,
		.generation = __atomic_load_n(&lease->generation, __ATOMIC_RELAXED),
		.handle = {
			.sequence = __atomic_load_n(&lease->sequence, __ATOMIC_RELAXED),
			.second = __atomic_load_n(&lease->second, __ATOMIC_RELAXED),
			.place = __atomic_load_n(&lease->place, __ATOMIC_RELAXED),
			.outcome = __atomic_load_n(&lease->outcome, __ATOMIC_RELAXED),
		},
	};
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (il_tag_load(lease) != tag)
		return false;
	*ret_view = view;
	return true;
}
