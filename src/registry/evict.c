#include "registry/table_priv.h"

#include <errno.h>
#include <string.h>

#define TRIES 64 /* slots of one room that a closer look found in use */

void il_making_begin(struct il_making *making)
{
	making->room = IL_ROOM_FREE;
	making->tries = TRIES;
	making->last_used_ns = INT64_MIN;
	making->last_place = -1;
}

static int64_t load_ns(const int64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static bool is_leased(const struct il_slot *slot)
{
	for (uint32_t i = 0; i < IL_LEASES; i++)
		if ((__atomic_load_n(&slot->leases[i].tag, __ATOMIC_RELAXED) & 7U) != IL_LEASE_FREE)
			return true;
	return false;
}

static bool is_held_by_the_living(const struct il_slot *slot, bool probes_only)
{
	struct il_lease_view view;

	for (uint32_t i = 0; i < IL_LEASES; i++)
		if (il_lease_look(slot, i, &view) &&
		    (!probes_only || view.kind == IL_LEASE_PROBE) &&
		    il_process_alive(view.pid, view.start))
			return true;
	return false;
}

/* Did its wait end longer ago than it was long? */
static bool has_waited_twice(const struct il_slot *slot, int64_t now_ns)
{
	int64_t opened_ns = load_ns(&slot->breaker.opened_at_ns);
	int64_t wait_ns = load_ns(&slot->breaker.wait_ns);

	return opened_ns >= 0 && wait_ns >= 0 && now_ns >= opened_ns &&
	       (now_ns - opened_ns) / 2 > wait_ns;
}

static bool is_quiet(const struct il_slot *slot)
{
	uint32_t state = IL_COMMIT_STATE(il_slot_word(slot));

	return (state == IL_CLOSED || state == IL_METRICS_ONLY) &&
	       (__atomic_load_n(&slot->rules_word, __ATOMIC_RELAXED) & IL_RULES_STATE) == 0;
}

static bool is_tripped(const struct il_slot *slot)
{
	uint32_t state = IL_COMMIT_STATE(il_slot_word(slot));

	return state == IL_OPEN || state == IL_HALF_OPEN;
}

/* What costs no system call. */
static bool seems_idle(const struct il_making *making, uint32_t place)
{
	const struct il_slot *slot = &making->segment->slots[place];

	if (making->room == IL_ROOM_WAITED)
		return is_tripped(slot) && has_waited_twice(slot, making->now_ns);
	return is_quiet(slot) && (making->room == IL_ROOM_DESERTED || !is_leased(slot));
}

bool il_slot_may_go(const struct il_making *making, uint32_t place)
{
	const struct il_slot *slot = &making->segment->slots[place];

	if (making->room == IL_ROOM_FREE || !seems_idle(making, place))
		return false;
	return making->room == IL_ROOM_UNUSED ||
	       !is_held_by_the_living(slot, making->room == IL_ROOM_WAITED);
}

/* Is it this room's, and later in its order than the one tried last? */
static bool is_candidate(const struct il_making *making, uint32_t place, int64_t used_ns)
{
	bool is_free = __atomic_load_n(&making->segment->hashes[place], __ATOMIC_ACQUIRE) == 0;

	if (used_ns < making->last_used_ns ||
	    (used_ns == making->last_used_ns && (int64_t)place <= making->last_place))
		return false;
	if (is_free != (making->room == IL_ROOM_FREE))
		return false;
	return il_lock_is_idle(&making->segment->slots[place].lock) &&
	       (is_free || seems_idle(making, place));
}

/* All free slots are as good as each other: the first is taken. */
static int64_t used_ns_of(const struct il_making *making, uint32_t place)
{
	if (making->room == IL_ROOM_FREE)
		return 0;
	return load_ns(&making->segment->slots[place].used_at_ns);
}

static bool find_in_room(struct il_making *making, uint32_t *ret_place)
{
	uint32_t breakers = making->segment->breakers;
	uint32_t best = breakers;
	int64_t best_used_ns = INT64_MAX;

	for (uint32_t place = 0; place < breakers; place++) {
		int64_t used_ns = used_ns_of(making, place);

		if (best < breakers && used_ns >= best_used_ns)
			continue;
		if (!is_candidate(making, place, used_ns))
			continue;
		best = place;
		best_used_ns = used_ns;
		if (making->room == IL_ROOM_FREE)
			break;
	}
	if (best == breakers)
		return false;
	making->last_used_ns = best_used_ns;
	making->last_place = best;
	*ret_place = best;
	return true;
}

bool il_making_next(struct il_making *making, uint32_t *ret_place)
{
	while (making->room < IL_ROOMS) {
		if (making->tries > 0 && find_in_room(making, ret_place)) {
			making->tries--;
			return true;
		}
		enum il_room next = making->room + 1;

		il_making_begin(making);
		making->room = next;
	}
	return false;
}
