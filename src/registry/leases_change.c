/* What happens to leases within a change of their slot, when it commits. */
#include "registry/leases_priv.h"

/* The ordinary call that is under way longest; it goes on without a lease. */
static struct il_lease_ref reserve_oldest_call(struct il_slot *slot, const struct il_self *self)
{
	uint32_t oldest = IL_LEASES;
	uint64_t tag = 0;

	for (uint32_t i = 0; i < IL_LEASES; i++)
		if (il_tag_kind(il_tag_load(&slot->leases[i])) == IL_LEASE_CALL &&
		    (oldest == IL_LEASES ||
		     slot->leases[i].begun_ns < slot->leases[oldest].begun_ns))
			oldest = i;
	if (oldest < IL_LEASES)
		tag = il_lease_reserve(&slot->leases[oldest], il_tag_load(&slot->leases[oldest]),
				       self->pid);
	if (!tag)
		return (struct il_lease_ref){ 0 };
	il_slot_count_now(slot, IL_COUNT_unleased, 1);
	return (struct il_lease_ref){ .place = oldest + 1, .tag = il_tag_identity(tag) };
}

struct il_lease_ref il_lease_open_probe(struct il_change *change, int64_t now_ns)
{
	struct il_journal *draft = &change->journal;
	struct il_lease_ref ref = il_lease_reserve_free(change->slot, change->self);

	if (ref.place == 0)
		ref = reserve_oldest_call(change->slot, change->self);
	if (ref.place == 0)
		return ref;
	draft->lease_place = ref.place;
	draft->lease_before = ref.tag | IL_LEASE_FILLING;
	draft->lease = (struct il_lease){
		.tag = ref.tag | IL_LEASE_PROBE,
		.begun_ns = now_ns,
		.waiting = il_waiting_word(ref.tag, 0),
		.start = change->self->start,
		.generation = (uint32_t)draft->breaker.generation,
	};
	return ref;
}

void il_lease_unreserve(struct il_change *change)
{
	const struct il_journal *draft = &change->journal;

	if (draft->lease_place - 1 < IL_LEASES &&
	    il_tag_kind(draft->lease_before) == IL_LEASE_FILLING)
		il_tag_swap(&change->slot->leases[draft->lease_place - 1], draft->lease_before,
			    il_tag_freed(draft->lease_before));
}

static bool edit(struct il_change *change, struct il_lease_ref ref)
{
	struct il_journal *draft = &change->journal;

	if (!il_lease_current(change->slot, ref))
		return false;
	draft->lease_place = ref.place;
	draft->lease_before = il_tag_load(&change->slot->leases[ref.place - 1]);
	return true;
}

void il_lease_close(struct il_change *change, struct il_lease_ref ref)
{
	if (edit(change, ref))
		change->journal.lease.tag = il_tag_freed(change->journal.lease_before);
}

void il_lease_charge(struct il_change *change, struct il_lease_ref ref, struct il_handle handle)
{
	struct il_lease *lease = &change->journal.lease;

	if (!edit(change, ref))
		return;
	*lease = change->slot->leases[ref.place - 1];
	lease->tag =
		il_tag_with_kind(change->journal.lease_before, IL_LEASE_CALL) | IL_LEASE_CHARGED;
	lease->sequence = handle.sequence;
	lease->second = (uint32_t)handle.second;
	lease->generation = (uint32_t)handle.generation;
	lease->place = handle.place;
	lease->outcome = handle.outcome;
}

/* Is it the entry that the commit found? Its owner may have changed its flags since. */
static bool is_same(uint64_t tag, uint64_t before)
{
	return il_tag_identity(tag) == il_tag_identity(before) &&
	       il_tag_kind(tag) == il_tag_kind(before);
}

/* The tag changes last, and only in the entry that the commit found: done twice, it is done once.
 */
void il_lease_apply(struct il_lease *lease, const struct il_journal *journal)
{
	uint64_t before = journal->lease_before;
	uint64_t tag = il_tag_load(lease);
	const struct il_lease *after = &journal->lease;

	if (!is_same(tag, before))
		return;
	if (il_tag_kind(after->tag) != IL_LEASE_FREE) {
		__atomic_store_n(&lease->begun_ns, after->begun_ns, __ATOMIC_RELAXED);
		__atomic_store_n(&lease->sequence, after->sequence, __ATOMIC_RELAXED);
		__atomic_store_n(&lease->second, after->second, __ATOMIC_RELAXED);
		__atomic_store_n(&lease->start, after->start, __ATOMIC_RELAXED);
		__atomic_store_n(&lease->generation, after->generation, __ATOMIC_RELAXED);
		__atomic_store_n(&lease->place, after->place, __ATOMIC_RELAXED);
		__atomic_store_n(&lease->outcome, after->outcome, __ATOMIC_RELAXED);
	}
	if (il_tag_kind(before) == IL_LEASE_FILLING)
		__atomic_store_n(&lease->waiting, after->waiting, __ATOMIC_RELAXED);
	while (is_same(tag, before) && !il_tag_swap(lease, tag, after->tag))
		tag = il_tag_load(lease);
}
