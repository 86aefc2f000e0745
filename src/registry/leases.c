#include "registry/leases.h"

#include <string.h>

#define KIND_MASK    UINT64_C(7)
#define FLAGS_MASK   UINT64_C(0xf8)
#define PID_SHIFT    8
#define PID_MASK     UINT64_C(0x3fffff)
#define SERIAL_SHIFT 30

#define WAIT_SHIFT  48
#define WAIT_MASK   ((UINT64_C(1) << WAIT_SHIFT) - 1)
#define WAIT_UNIT_NS 4096

static enum il_lease_kind kind_of(uint64_t tag)
{
	return (enum il_lease_kind)(tag & KIND_MASK);
}

/* The owner and the serial number: what stays the same from the taking to the freeing. */
static uint64_t identity(uint64_t tag)
{
	return tag & ~(KIND_MASK | FLAGS_MASK);
}

static uint64_t with_kind(uint64_t tag, enum il_lease_kind kind)
{
	return (tag & ~KIND_MASK) | kind;
}

static uint64_t free_tag(uint64_t tag)
{
	return tag >> SERIAL_SHIFT << SERIAL_SHIFT | IL_LEASE_FREE;
}

static uint64_t load_tag(const struct il_lease *lease)
{
	return __atomic_load_n(&lease->tag, __ATOMIC_ACQUIRE);
}

static bool swap_tag(struct il_lease *lease, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&lease->tag, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static uint64_t waiting_word(uint64_t tag, int64_t since_ns)
{
	/* Rounded up: nobody is said to have waited longer than he did. */
	uint64_t units = since_ns <= 0 ? 0 : ((uint64_t)since_ns + WAIT_UNIT_NS - 1) / WAIT_UNIT_NS;

	return tag >> SERIAL_SHIFT << WAIT_SHIFT | (units & WAIT_MASK);
}

/* Takes an entry whose tag was seen as `tag`. 0: somebody else was faster. */
static uint64_t reserve(struct il_lease *lease, uint64_t tag, uint32_t pid)
{
	uint64_t taken = ((tag >> SERIAL_SHIFT) + 1) << SERIAL_SHIFT |
			 (pid & PID_MASK) << PID_SHIFT | IL_LEASE_FILLING;

	return swap_tag(lease, tag, taken) ? taken : 0;
}

static struct il_lease_ref reserve_free(struct il_slot *slot, const struct il_self *self)
{
	/* Threads start their search at different places, so that they seldom meet. */
	for (uint32_t i = 0; i < IL_LEASES; i++) {
		uint32_t index = (self->tid + i) % IL_LEASES;
		uint64_t tag = load_tag(&slot->leases[index]);

		if (kind_of(tag) != IL_LEASE_FREE)
			continue;
		tag = reserve(&slot->leases[index], tag, self->pid);
		if (tag)
			return (struct il_lease_ref){ .place = index + 1, .tag = identity(tag) };
	}
	return (struct il_lease_ref){ 0 };
}

struct il_lease_ref il_lease_open(struct il_slot *slot, const struct il_self *self,
				  uint64_t generation, int64_t now_ns)
{
	struct il_lease_ref ref = reserve_free(slot, self);

	if (ref.place == 0)
		return ref;
	struct il_lease *lease = &slot->leases[ref.place - 1];
	uint64_t filling = ref.tag | IL_LEASE_FILLING;

	__atomic_store_n(&lease->begun_ns, now_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&lease->waiting, waiting_word(ref.tag, 0), __ATOMIC_RELAXED);
	__atomic_store_n(&lease->start, self->start, __ATOMIC_RELAXED);
	__atomic_store_n(&lease->generation, (uint32_t)generation, __ATOMIC_RELAXED);
	if (!swap_tag(lease, filling, with_kind(filling, IL_LEASE_CALL)))
		return (struct il_lease_ref){ 0 };
	return ref;
}

/* The ordinary call that is under way longest; it goes on without a lease. */
static struct il_lease_ref reserve_oldest_call(struct il_slot *slot, const struct il_self *self)
{
	uint32_t oldest = IL_LEASES;
	uint64_t tag = 0;

	for (uint32_t i = 0; i < IL_LEASES; i++)
		if (kind_of(load_tag(&slot->leases[i])) == IL_LEASE_CALL &&
		    (oldest == IL_LEASES ||
		     slot->leases[i].begun_ns < slot->leases[oldest].begun_ns))
			oldest = i;
	if (oldest < IL_LEASES)
		tag = reserve(&slot->leases[oldest], load_tag(&slot->leases[oldest]), self->pid);
	if (!tag)
		return (struct il_lease_ref){ 0 };
	il_slot_count_now(slot, IL_COUNT_unleased, 1);
	return (struct il_lease_ref){ .place = oldest + 1, .tag = identity(tag) };
}

struct il_lease_ref il_lease_open_probe(struct il_change *change, int64_t now_ns)
{
	struct il_journal *draft = &change->journal;
	struct il_lease_ref ref = reserve_free(change->slot, change->self);

	if (ref.place == 0)
		ref = reserve_oldest_call(change->slot, change->self);
	if (ref.place == 0)
		return ref;
	draft->lease_place = ref.place;
	draft->lease_before = ref.tag | IL_LEASE_FILLING;
	draft->lease = (struct il_lease){
		.tag = ref.tag | IL_LEASE_PROBE,
		.begun_ns = now_ns,
		.waiting = waiting_word(ref.tag, 0),
		.start = change->self->start,
		.generation = (uint32_t)draft->breaker.generation,
	};
	return ref;
}

void il_lease_unreserve(struct il_change *change)
{
	const struct il_journal *draft = &change->journal;

	if (draft->lease_place - 1 < IL_LEASES && kind_of(draft->lease_before) == IL_LEASE_FILLING)
		swap_tag(&change->slot->leases[draft->lease_place - 1], draft->lease_before,
			 free_tag(draft->lease_before));
}

void il_leases_clear(struct il_slot *slot)
{
	for (uint32_t i = 0; i < IL_LEASES; i++) {
		uint64_t tag = load_tag(&slot->leases[i]);

		/* An owner who comes between frees the entry himself, or has none left to free. */
		if (kind_of(tag) != IL_LEASE_FREE)
			swap_tag(&slot->leases[i], tag, free_tag(tag));
	}
}

void il_lease_wait(struct il_slot *slot, struct il_lease_ref ref, int64_t since_ns)
{
	if (ref.place - 1 >= IL_LEASES)
		return;
	uint64_t *waiting = &slot->leases[ref.place - 1].waiting;
	uint64_t word = __atomic_load_n(waiting, __ATOMIC_RELAXED);
	uint64_t wanted = waiting_word(ref.tag, since_ns);

	if (word >> WAIT_SHIFT == wanted >> WAIT_SHIFT)
		__atomic_compare_exchange_n(waiting, &word, wanted, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
}

bool il_lease_current(const struct il_slot *slot, struct il_lease_ref ref)
{
	if (ref.place - 1 >= IL_LEASES)
		return false;
	uint64_t tag = load_tag(&slot->leases[ref.place - 1]);

	return identity(tag) == ref.tag && kind_of(tag) >= IL_LEASE_CALL;
}

bool il_lease_drop(struct il_slot *slot, struct il_lease_ref ref)
{
	if (!il_lease_current(slot, ref))
		return false;
	uint64_t tag = load_tag(&slot->leases[ref.place - 1]);

	return identity(tag) == ref.tag && kind_of(tag) == IL_LEASE_CALL &&
	       swap_tag(&slot->leases[ref.place - 1], tag, free_tag(tag));
}

static bool edit(struct il_change *change, struct il_lease_ref ref)
{
	struct il_journal *draft = &change->journal;

	if (!il_lease_current(change->slot, ref))
		return false;
	draft->lease_place = ref.place;
	draft->lease_before = load_tag(&change->slot->leases[ref.place - 1]);
	return true;
}

void il_lease_close(struct il_change *change, struct il_lease_ref ref)
{
	if (edit(change, ref))
		change->journal.lease.tag = free_tag(change->journal.lease_before);
}

void il_lease_charge(struct il_change *change, struct il_lease_ref ref, struct il_handle handle)
{
	struct il_lease *lease = &change->journal.lease;

	if (!edit(change, ref))
		return;
	*lease = change->slot->leases[ref.place - 1];
	lease->tag = with_kind(change->journal.lease_before, IL_LEASE_CALL) | IL_LEASE_CHARGED;
	lease->sequence = handle.sequence;
	lease->second = (uint32_t)handle.second;
	lease->generation = (uint32_t)handle.generation;
	lease->place = handle.place;
	lease->outcome = handle.outcome;
}

/* The tag changes last, and only from what the commit found: done twice, it is done once. */
void il_lease_apply(struct il_lease *lease, const struct il_journal *journal)
{
	uint64_t before = journal->lease_before;
	const struct il_lease *after = &journal->lease;

	if (load_tag(lease) != before)
		return;
	if (kind_of(after->tag) != IL_LEASE_FREE) {
		__atomic_store_n(&lease->begun_ns, after->begun_ns, __ATOMIC_RELAXED);
		__atomic_store_n(&lease->sequence, after->sequence, __ATOMIC_RELAXED);
		__atomic_store_n(&lease->second, after->second, __ATOMIC_RELAXED);
		__atomic_store_n(&lease->start, after->start, __ATOMIC_RELAXED);
		__atomic_store_n(&lease->generation, after->generation, __ATOMIC_RELAXED);
		__atomic_store_n(&lease->place, after->place, __ATOMIC_RELAXED);
		__atomic_store_n(&lease->outcome, after->outcome, __ATOMIC_RELAXED);
	}
	if (kind_of(before) == IL_LEASE_FILLING)
		__atomic_store_n(&lease->waiting, after->waiting, __ATOMIC_RELAXED);
	swap_tag(lease, before, after->tag);
}

void il_lease_reap(struct il_slot *slot, uint32_t index)
{
	if (index >= IL_LEASES)
		return;
	uint64_t tag = load_tag(&slot->leases[index]);

	if (kind_of(tag) == IL_LEASE_FILLING &&
	    !il_process_alive((uint32_t)(tag >> PID_SHIFT & PID_MASK), 0))
		swap_tag(&slot->leases[index], tag, free_tag(tag));
}

bool il_lease_look(const struct il_slot *slot, uint32_t index, struct il_lease_view *ret_view)
{
	if (index >= IL_LEASES)
		return false;
	const struct il_lease *lease = &slot->leases[index];
	uint64_t tag = load_tag(lease);

	if (kind_of(tag) != IL_LEASE_CALL && kind_of(tag) != IL_LEASE_PROBE)
		return false;
	uint64_t waiting = __atomic_load_n(&lease->waiting, __ATOMIC_RELAXED);
	struct il_lease_view view = {
		.ref = { .place = index + 1, .tag = identity(tag) },
		.kind = kind_of(tag),
		.charged = (tag & IL_LEASE_CHARGED) != 0,
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
	if (load_tag(lease) != tag)
		return false;
	*ret_view = view;
	return true;
}
