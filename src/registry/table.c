#include "registry/table.h"

#include "base/hash.h"
#include "registry/table_priv.h"
#include "registry/words.h"

#include <errno.h>
#include <string.h>

#define NAME_WORDS (IL_NAME_BYTES / sizeof(uint64_t))

/* A name, its last word padded with zeros, so that names are compared as words. */
struct wanted {
	uint64_t words[NAME_WORDS];
	uint64_t hash;
	size_t count; /* words up to the final 0; the others are not filled in */
};

static bool want(struct wanted *ret_wanted, const char *name)
{
	size_t length = strnlen(name, IL_NAME_BYTES);

	if (length == 0 || length == IL_NAME_BYTES)
		return false;
	ret_wanted->count = length / sizeof(uint64_t) + 1;
	ret_wanted->words[ret_wanted->count - 1] = 0;
	memcpy(ret_wanted->words, name, length);
	ret_wanted->hash = il_hash_bytes(name, length);
	if (ret_wanted->hash == 0)
		ret_wanted->hash = 1; /* 0 marks a free slot */
	return true;
}

static uint64_t load_hash(const struct il_segment *segment, uint32_t place)
{
	return __atomic_load_n(&segment->hashes[place], __ATOMIC_ACQUIRE);
}

static bool has_name(const struct il_slot *slot, const struct wanted *wanted)
{
	const uint64_t *words = (const uint64_t *)(const void *)slot->name;

	for (size_t i = 0; i < wanted->count; i++)
		if (__atomic_load_n(&words[i], __ATOMIC_RELAXED) != wanted->words[i])
			return false;
	return true;
}

/* Between two looks at its incarnation, a slot's name belonged to that incarnation. */
static bool is_wanted(const struct il_segment *segment, uint32_t place, const struct wanted *wanted,
		      uint64_t *ret_incarnation)
{
	const struct il_slot *slot = &segment->slots[place];
	uint64_t incarnation = __atomic_load_n(&slot->incarnation, __ATOMIC_ACQUIRE);

	if (!has_name(slot, wanted))
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (load_hash(segment, place) != wanted->hash ||
	    __atomic_load_n(&slot->incarnation, __ATOMIC_RELAXED) != incarnation)
		return false;
	*ret_incarnation = incarnation;
	return true;
}

static int find(const struct il_segment *segment, const struct wanted *wanted,
		uint64_t *ret_incarnation)
{
	for (uint32_t place = 0; place < segment->breakers; place++)
		if (load_hash(segment, place) == wanted->hash &&
		    is_wanted(segment, place, wanted, ret_incarnation))
			return (int)place;
	return -ENOENT;
}

int il_table_find(const struct il_segment *segment, const char *name, uint64_t *ret_incarnation)
{
	struct wanted wanted;

	return want(&wanted, name) ? find(segment, &wanted, ret_incarnation) : -ENOENT;
}

static void clear(void *at, size_t bytes)
{
	uint64_t *words = at;

	for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
		__atomic_store_n(&words[i], 0, __ATOMIC_RELAXED);
}

#define CLEAR(member) clear(&(member), sizeof(member))

static void fill_settings(struct il_slot *slot, const struct il_recipe *recipe)
{
	IL_WORDS_COPY(&slot->settings, recipe->settings);
	for (size_t i = 0; i < sizeof(slot->http_failure); i++)
		__atomic_store_n(&slot->http_failure[i], recipe->http_failure[i], __ATOMIC_RELAXED);
	__atomic_store_n(&slot->reject_errno, recipe->reject_errno, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->reject_established, recipe->reject_established, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->rules_version, recipe->rules_version, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->rules_word, recipe->rules_word, __ATOMIC_RELAXED);
}

/* The sequence goes on: a reader that saw the slot's last life must not take this one for it. */
static void fill_breaker(struct il_slot *slot, const struct il_recipe *recipe)
{
	uint64_t sequence = IL_COMMIT_SEQUENCE(il_slot_word(slot)) + 1;
	struct il_settings settings = *recipe->settings;
	struct il_breaker breaker;

	if (recipe->state)
		settings.initial_state = recipe->state - 1;
	il_breaker_init(&breaker, &settings);
	IL_WORDS_COPY(&slot->breaker, &breaker);
	__atomic_store_n(&slot->facts, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->applied, (uint32_t)sequence, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->commit, sequence << 32 | breaker.state, __ATOMIC_RELEASE);
}

/* Everything that a slot's new life begins with. The slot's lock is held, its hash is 0. */
static void fill(struct il_slot *slot, const struct il_recipe *recipe, const struct wanted *wanted,
		 int64_t now_ns)
{
	__atomic_fetch_add(&slot->incarnation, 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(
		__ATOMIC_RELEASE); /* no reader sees the new life under the old number */
	il_leases_clear(slot);
	CLEAR(slot->journal);
	CLEAR(slot->counts);
	CLEAR(slot->recent);
	CLEAR(slot->trip);
	CLEAR(slot->shadow);
	CLEAR(slot->shared);
	CLEAR(slot->death_charged_ns);
	CLEAR(slot->rejections);
	__atomic_store_n(&slot->used_at_ns, now_ns, __ATOMIC_RELAXED);
	fill_settings(slot, recipe);
	CLEAR(slot->name);
	il_words_copy(slot->name, wanted->words, wanted->count * sizeof(uint64_t));
	fill_breaker(slot, recipe);
}

/*
 * Makes the breaker in this slot, if `may_go` (NULL: the slot is free) says yes under its lock. The
 * hash comes last: killed anywhere before it, the slot is free, and its next user begins anew.
 */
static int make_at(const struct il_making *making, uint32_t place, const struct wanted *wanted,
		   uint64_t *ret_incarnation)
{
	const struct il_segment *segment = making->segment;
	const struct il_recipe *recipe = making->recipe;
	struct il_slot *slot = &segment->slots[place];
	struct il_hold hold;
	int error = il_segment_reserve(segment, place, recipe->settings);

	if (error == 0)
		error = il_lock_take(&slot->lock, making->self, IL_LOCK_SLOT, &hold);
	if (error < 0)
		return error;
	bool evicted = load_hash(segment, place) != 0;
	if (evicted && !il_slot_may_go(making, place)) {
		il_lock_release(&slot->lock, making->self, &hold);
		return -EBUSY;
	}
	__atomic_store_n(&segment->hashes[place], 0, __ATOMIC_RELEASE);
	fill(slot, recipe, wanted, making->now_ns);
	*ret_incarnation = slot->incarnation;
	il_lock_release(&slot->lock, making->self, &hold);
	__atomic_store_n(&segment->hashes[place], wanted->hash, __ATOMIC_RELEASE);
	if (evicted)
		__atomic_fetch_add(&segment->header->evicted, 1, __ATOMIC_RELAXED);
	return (int)place;
}

static int make(struct il_making *making, const struct wanted *wanted, uint64_t *ret_incarnation)
{
	uint32_t place;

	il_making_begin(making);
	while (il_making_next(making, &place)) {
		int made = make_at(making, place, wanted, ret_incarnation);

		if (made >= 0 || made == -ENOMEM)
			return made;
	}
	__atomic_fetch_add(&making->segment->header->registry_full, 1, __ATOMIC_RELAXED);
	return -ENOSPC;
}

int il_table_make(const struct il_segment *segment, const struct il_self *self,
		  const struct il_recipe *recipe, int64_t now_ns, uint64_t *ret_incarnation)
{
	struct il_making making = {
		.segment = segment,
		.self = self,
		.recipe = recipe,
		.now_ns = now_ns,
	};
	struct il_lock *lock = &segment->header->table_lock;
	struct wanted wanted;
	struct il_hold hold;

	if (!want(&wanted, recipe->name))
		return -EINVAL;
	int place = find(segment, &wanted, ret_incarnation);
	if (place >= 0)
		return place;
	int taken = il_lock_take(lock, self, IL_LOCK_TABLE, &hold);
	if (taken < 0)
		return taken;
	place = find(segment, &wanted, ret_incarnation);
	if (place < 0)
		place = make(&making, &wanted, ret_incarnation);
	il_lock_release(lock, self, &hold);
	return place;
}
