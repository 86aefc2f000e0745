/*
 * For the programs that do violence to a registry: an engine on memory that forks share, a checker
 * of everything that must hold in a slot at any time, and results in TAP.
 */
#ifndef TESTS_SLOT_RIG_H
#define TESTS_SLOT_RIG_H

#include "base/clock.h"
#include "engine/engine.h"
#include "registry/snapshot.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))
#define MS     INT64_C(1000000)
#define SECOND INT64_C(1000000000)
#define NOW    (1000 * SECOND)

#if defined(__SANITIZE_THREAD__)
#define SANITIZED_THREAD 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SANITIZED_THREAD 1
#endif
#endif
#ifndef SANITIZED_THREAD
#define SANITIZED_THREAD 0
#endif

static struct il_engine engine;
static struct il_self self;
static struct il_settings settings;
static int told, failed;

__attribute__((format(printf, 2, 3))) UNUSED static void tell(bool good, const char *text, ...)
{
	va_list list;

	va_start(list, text);
	printf("%s %d - ", good ? "ok" : "not ok", ++told);
	vprintf(text, list);
	printf("\n");
	va_end(list);
	fflush(stdout);
	failed += !good;
}

UNUSED static int results(void)
{
	printf("1..%d\n", told);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

UNUSED static void *shared_memory(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		abort();
	return at;
}

/* Trips at half of at least 4 calls, waits 10 s, asks with 2 probes, one at a time. */
UNUSED static void given_settings(void)
{
	settings = il_settings_default();
	settings.minimum_number_of_calls = 4;
	settings.wait_duration_in_open_ns = 10 * SECOND;
	settings.permitted_calls_in_half_open = 2;
	settings.slow_call_duration_threshold_ns = 5 * SECOND;
}

/* In memory that forks share; `dir` NULL: without a file. */
UNUSED static void given_an_engine(const char *dir, const char *name, uint32_t breakers)
{
	struct il_segment_options options = { .dir = dir ? dir : "/nonexistent/interlock",
					      .name = name,
					      .breakers = breakers };
	char why[256];

	self = il_self_read();
	memset(&engine, 0, sizeof(engine));
	if (il_segment_open(&engine.segment, &options, &self, why, sizeof(why)) < 0)
		abort();
}

UNUSED static struct il_recipe recipe_of(const char *name)
{
	return (struct il_recipe){ .name = name, .settings = &settings };
}

UNUSED static enum il_admission admit(const char *name, int64_t now_ns, struct il_ticket *ticket)
{
	struct il_recipe recipe = recipe_of(name);

	return il_engine_admit(&engine, &self, &recipe, now_ns, ticket);
}

UNUSED static void settle(struct il_ticket *ticket, uint8_t kind, uint8_t outcome, int64_t now_ns)
{
	struct il_verdict verdict = { .kind = kind, .outcome = outcome, .duration_ns = 3 * MS };

	il_engine_settle(&engine, &self, ticket, &verdict, now_ns);
}

/* One whole call. Was its outcome recorded? It is not where a lock was not had, or the breaker of
 * another generation. */
UNUSED static bool call(const char *name, uint8_t outcome, int64_t now_ns)
{
	struct il_ticket ticket;

	if (admit(name, now_ns, &ticket) != IL_ADMITTED)
		return false;
	settle(&ticket, IL_VERDICT_RECORD, outcome, now_ns);
	return ticket.handle.place != 0;
}

UNUSED static struct il_slot *slot_named(const char *name)
{
	uint64_t incarnation;
	int place = il_table_find(&engine.segment, name, &incarnation);

	return place < 0 ? NULL : &engine.segment.slots[place];
}

UNUSED static uint32_t state_of(const struct il_slot *slot)
{
	return IL_COMMIT_STATE(il_slot_word(slot));
}

UNUSED static uint64_t count_of(const struct il_slot *slot, uint32_t place)
{
	return __atomic_load_n(&slot->counts[place], __ATOMIC_RELAXED);
}

struct sums {
	uint64_t total, failed, slow;
};

static struct sums window_of(const struct il_snapshot *snapshot)
{
	const struct il_window *window = &snapshot->slot.breaker.window;
	uint32_t size = snapshot->slot.settings.window_size;
	const uint8_t *ring = (const uint8_t *)snapshot->cells;
	struct sums sums = { 0 };
	uint64_t from = window->first;

	if (window->next - from > size)
		from = window->next - size;
	for (uint64_t i = from; i < window->next; i++) {
		sums.total++;
		sums.failed += IL_FAILED(ring[i % size]);
		sums.slow += IL_SLOW(ring[i % size]);
	}
	return sums;
}

static uint32_t probes_out(const struct il_slot *slot)
{
	uint32_t probes = 0;

	for (uint32_t i = 0; i < IL_LEASES; i++)
		probes += (slot->leases[i].tag & 7) == IL_LEASE_PROBE &&
			  ((slot->leases[i].generation ^ slot->breaker.generation) &
			   IL_GENERATION_MASK) == 0;
	return probes;
}

static uint64_t sum_of_counts(const struct il_slot *slot, uint32_t from, uint32_t count)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += slot->counts[from + i];
	return sum;
}

/* What does not fit together in a breaker that only ever was recorded to, or NULL. */
UNUSED static const char *snapshot_wrong(const struct il_snapshot *snapshot)
{
	const struct il_slot *slot = &snapshot->slot;
	const struct il_breaker *breaker = &slot->breaker;
	const struct il_round *round = &breaker->round;

	if (slot->settings.window_type == IL_COUNT_BASED) {
		struct sums sums = window_of(snapshot);

		if (sums.total != breaker->window.tally.total ||
		    sums.failed != breaker->window.tally.failed ||
		    sums.slow != breaker->window.tally.slow)
			return "the window's sums are not those of its cells";
	}
	if (IL_COMMIT_STATE(slot->commit) != breaker->state ||
	    IL_COMMIT_GENERATION(slot->commit) != (breaker->generation & IL_GENERATION_MASK))
		return "the commit word is of another breaker";
	if (slot->applied != IL_COMMIT_SEQUENCE(slot->commit))
		return "the journal was not applied";
	if (sum_of_counts(slot, IL_COUNT_calls_success, IL_OUTCOMES) !=
	    sum_of_counts(slot, IL_COUNT_DURATION(0), IL_DURATIONS))
		return "calls by outcome and by duration differ";
	if (sum_of_counts(slot, IL_COUNT_CHANGE(0, 0), IL_STATES * IL_STATES) !=
	    breaker->generation)
		return "a change of state was not counted once";
	if (breaker->state == IL_HALF_OPEN && round->in_flight != probes_out(slot))
		return "probes in flight and their leases differ";
	if (breaker->state == IL_HALF_OPEN &&
	    round->admitted != round->in_flight + round->completed)
		return "a probe was neither completed nor released";
	if (round->in_flight > slot->settings.max_concurrent_probes ||
	    round->admitted > slot->settings.permitted_calls_in_half_open)
		return "more probes than are permitted";
	return NULL;
}

/* The same of a slot, read as a tool reads it. Spins while the slot changes too fast. */
UNUSED static const char *slot_wrong(uint32_t place, int64_t now_ns)
{
	static struct il_snapshot snapshot;
	int got = -EAGAIN;

	for (int i = 0; i < 10000 && got == -EAGAIN; i++)
		got = il_segment_read(&engine.segment, place, now_ns, &snapshot);
	return got == 0 ? snapshot_wrong(&snapshot) : got == -EAGAIN ? NULL : "it cannot be read";
}

/* A lock that was not had in 5 ms, on a busy machine, is not waited for until its holder was looked
 * at again: ten times a second. */
UNUSED static void wait_for_a_look(const struct il_lock *lock)
{
	if (lock->stuck && lock->stuck == lock->owner)
		usleep(110000);
}

/* A pseudo-random number, the same in each run from the same seed. */
static uint64_t random_state = 0x9e3779b97f4a7c15ULL;
UNUSED static uint64_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * 0x2545f4914f6cdd1dULL;
}

UNUSED static void sleep_up_to_us(uint64_t us)
{
	usleep((useconds_t)(random_word() % us + 1));
}

#endif
