#include "base/names.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"

#include <string.h>
#include <sys/mman.h>

#define THREAD_NOTES  4096
#define LOCK_STALE_NS 50000000
#define LOCK_TRIES    40
#define LOCK_PAUSE_NS 50000
#define WORDS         35 /* of a pair */

/* Address and host, as words: read and written one word at a time, because a reader may look while
 * a writer that was overtaken still writes. */
union pair {
	struct {
		struct il_address address;
		char host[256];
	} is;
	uint64_t words[WORDS];
};
_Static_assert(sizeof(union pair) == WORDS * sizeof(uint64_t), "a pair has no padding");

/*
 * All fields are atomic words. A search reads only the three arrays in front; a pair is read when
 * it was chosen, and believed if its hash is its `check`.
 */
struct il_names_table {
	uint64_t locked_since_ns; /* 0: free */
	uint64_t used;            /* pairs that ever held something, only grows */
	uint64_t last_stamp;
	uint64_t address_hash[IL_NAMES_MAX];
	uint64_t check[IL_NAMES_MAX]; /* hash of the pair; 0: none or being written */
	uint64_t stamp[IL_NAMES_MAX]; /* of the last look-up that told this; grows */
	/* What a thread was last told of an address: the pair's check xor the hash of both. Two
	 * that share a place forget each other, and then the process's last answer holds. */
	uint64_t notes[THREAD_NOTES];
	union pair pairs[IL_NAMES_MAX];
};

static uint64_t get(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void set(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* The first to come maps the table; whoever loses the race gives his back. */
static struct il_names_table *table_of(struct il_names *names)
{
	struct il_names_table *table = __atomic_load_n(&names->table, __ATOMIC_ACQUIRE), *mine;

	if (table)
		return table;
	mine = il_sys_mmap(sizeof(*mine), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (il_sys_mmap_failed(mine) < 0)
		return NULL;
	if (__atomic_compare_exchange_n(&names->table, &table, mine, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return mine;
	il_sys_munmap(mine, sizeof(*mine));
	return table;
}

/* The lock is the time it was taken at; a holder that is late has jumped away, was left behind by a
 * fork, or is stopped. Returns that time, or 0. */
static uint64_t lock(struct il_names_table *table)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		uint64_t now = (uint64_t)il_clock_now_ns();
		uint64_t since = get(&table->locked_since_ns);

		if ((since == 0 || now > since + LOCK_STALE_NS) &&
		    __atomic_compare_exchange_n(&table->locked_since_ns, &since, now, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return now;
		il_sys_nanosleep(LOCK_PAUSE_NS);
	}
	return 0;
}

static void unlock(struct il_names_table *table, uint64_t mine)
{
	__atomic_compare_exchange_n(&table->locked_since_ns, &mine, 0, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_ACQUIRE);
}

static uint64_t pair_check(const union pair *pair)
{
	uint64_t hash = il_hash_bytes(pair->is.host, strnlen(pair->is.host, sizeof(pair->is.host)));

	hash ^= il_hash_bytes(&pair->is.address, sizeof(pair->is.address));
	return hash ? hash : 1;
}

static uint64_t hash_of(const struct il_address *address)
{
	struct il_address key = *address;

	key.port = 0;
	return il_hash_bytes(&key, sizeof(key));
}

static uint64_t note_key(uint64_t address_hash, uint64_t thread)
{
	return il_hash_word(address_hash + thread);
}

static size_t used_of(const struct il_names_table *table)
{
	uint64_t used = get(&table->used);

	return used < IL_NAMES_MAX ? used : IL_NAMES_MAX;
}

/* The place of a known pair, else an unused one, else that of the oldest. */
static size_t choose_place(const struct il_names_table *table, uint64_t check)
{
	size_t used = used_of(table), oldest = 0;

	for (size_t i = 0; i < used; i++) {
		if (get(&table->check[i]) == check)
			return i;
		if (get(&table->stamp[i]) < get(&table->stamp[oldest]))
			oldest = i;
	}
	return used < IL_NAMES_MAX ? used : oldest;
}

static void store(struct il_names_table *table, const union pair *pair, uint64_t check)
{
	size_t place = choose_place(table, check);
	uint64_t stamp = get(&table->last_stamp) + 1;

	if (get(&table->check[place]) != check) {
		set(&table->check[place], 0);
		for (size_t i = 0; i < WORDS; i++)
			set(&table->pairs[place].words[i], pair->words[i]);
		set(&table->address_hash[place], hash_of(&pair->is.address));
		set(&table->check[place], check);
	}
	set(&table->last_stamp, stamp);
	set(&table->stamp[place], stamp);
	if (place == get(&table->used))
		set(&table->used, place + 1);
}

/* Lower case, without the final dot. False: not a name that a breaker could have. */
static bool normalise(char ret_host[256], const char *host, size_t length)
{
	struct il_address number;

	if (length > 0 && host[length - 1] == '.')
		length--;
	if (length == 0 || length > IL_HOST_MAX || il_address_parse(&number, host, length) == 0)
		return false;
	for (size_t i = 0; i < length; i++)
		ret_host[i] = host[i] >= 'A' && host[i] <= 'Z' ? (char)(host[i] | 0x20) : host[i];
	return true;
}

void il_names_learn(struct il_names *names, const char *host, size_t length,
		    const struct il_address *address, uint64_t thread)
{
	union pair pair;

	memset(&pair, 0, sizeof(pair));
	if (!normalise(pair.is.host, host, length))
		return;
	pair.is.address = *address;
	pair.is.address.port = 0;

	struct il_names_table *table = table_of(names);
	uint64_t check = pair_check(&pair);
	uint64_t mine = table ? lock(table) : 0;

	if (mine == 0)
		return;
	store(table, &pair, check);
	if (thread) {
		uint64_t key = note_key(hash_of(address), thread);

		set(&table->notes[key % THREAD_NOTES], check ^ key);
	}
	unlock(table, mine);
}

/* The pair that this thread was told last, else the newest; IL_NAMES_MAX: none. */
static size_t search(const struct il_names_table *table, uint64_t address_hash, uint64_t thread)
{
	uint64_t key = note_key(address_hash, thread), newest = 0;
	uint64_t told = thread ? get(&table->notes[key % THREAD_NOTES]) ^ key : 0;
	size_t used = used_of(table), found = IL_NAMES_MAX;

	for (size_t i = 0; i < used; i++) {
		if (get(&table->address_hash[i]) != address_hash)
			continue;
		if (told && get(&table->check[i]) == told)
			return i;
		if (get(&table->stamp[i]) >= newest) {
			newest = get(&table->stamp[i]);
			found = i;
		}
	}
	return found;
}

size_t il_names_find(const struct il_names *names, const struct il_address *address,
		     uint64_t thread, char ret_host[IL_HOST_MAX + 1])
{
	const struct il_names_table *table = __atomic_load_n(&names->table, __ATOMIC_ACQUIRE);
	struct il_address key = *address;
	union pair pair;

	key.port = 0;
	ret_host[0] = 0;

	size_t place = table ? search(table, hash_of(&key), thread) : IL_NAMES_MAX;

	if (place == IL_NAMES_MAX)
		return 0;
	for (size_t i = 0; i < WORDS; i++)
		pair.words[i] = get(&table->pairs[place].words[i]);

	size_t length = strnlen(pair.is.host, IL_HOST_MAX + 1);

	if (length > IL_HOST_MAX || pair_check(&pair) != get(&table->check[place]) ||
	    memcmp(&pair.is.address, &key, sizeof(key)) != 0)
		return 0;
	memcpy(ret_host, pair.is.host, length);
	ret_host[length] = 0;
	return length;
}
