/* One breaker under test, with its cells and a clock that the test moves. */
#ifndef IL_TESTS_BREAKER_KIT_H
#define IL_TESTS_BREAKER_KIT_H

#include "check_run.h"
#include "interlock/breaker.h"

#include <string.h>

#define SECONDS INT64_C(1000000000)

static struct {
	struct il_settings settings;
	struct il_breaker breaker;
	struct il_effects effects;
	int64_t now_ns;
	uint64_t cells[IL_CELLS_BYTES_MAX / sizeof(uint64_t)];
} it;

/* Ten calls, half of them failed, a wait of 60 s, two probes. */
static inline struct il_settings given_settings(void)
{
	struct il_settings settings = il_settings_default();

	settings.window_size = 10;
	settings.permitted_calls_in_half_open = 2;
	return settings;
}

static inline void given_breaker(struct il_settings settings)
{
	char why[200] = "";

	ck_assert_msg(il_settings_check(&settings, why, sizeof(why)) == 0, "%s", why);
	memset(&it, 0, sizeof(it));
	it.settings = settings;
	il_breaker_init(&it.breaker, &it.settings);
}

static inline bool acquire(void)
{
	bool would = il_breaker_would_admit(&it.breaker, &it.settings, it.now_ns);
	bool does = il_breaker_acquire(&it.breaker, &it.settings, it.now_ns, &it.effects);

	ck_assert_int_eq(would, does);
	return does;
}

static inline struct il_handle record_of(uint64_t generation, enum il_outcome outcome)
{
	struct il_handle handle = il_breaker_record(&it.breaker, &it.settings, it.cells, it.now_ns,
						    generation, outcome, &it.effects);

	il_cells_store(it.cells, &it.effects);
	return handle;
}

static inline struct il_handle record(enum il_outcome outcome)
{
	return record_of(it.breaker.generation, outcome);
}

static inline void record_times(int times, enum il_outcome outcome)
{
	while (times-- > 0)
		record(outcome);
}

static inline struct il_handle amend(struct il_handle handle, enum il_outcome outcome)
{
	handle = il_breaker_amend(&it.breaker, &it.settings, it.cells, it.now_ns, handle, outcome,
				  &it.effects);
	il_cells_store(it.cells, &it.effects);
	return handle;
}

static inline void release_of(uint64_t generation)
{
	il_breaker_release(&it.breaker, &it.settings, it.now_ns, generation, &it.effects);
}

static inline void inconclusive_of(uint64_t generation)
{
	il_breaker_inconclusive(&it.breaker, &it.settings, it.now_ns, generation, &it.effects);
}

static inline bool automatic(void)
{
	return il_breaker_auto(&it.breaker, it.now_ns, &it.effects);
}

static inline void override(enum il_state state)
{
	il_breaker_override(&it.breaker, state, &it.effects);
}

static inline void reset(void)
{
	il_breaker_reset(&it.breaker, &it.effects);
}

static inline void reconfigure(struct il_settings after)
{
	il_breaker_reconfigure(&it.breaker, &it.settings, &after);
	it.settings = after;
}

static inline struct il_look look(void)
{
	return il_breaker_look(&it.breaker, &it.settings, it.cells, it.now_ns);
}

static inline void given_open(struct il_settings settings)
{
	given_breaker(settings);
	record_times((int)settings.minimum_number_of_calls, IL_FAILURE);
	ck_assert_int_eq(it.breaker.state, IL_OPEN);
}

/* HALF_OPEN with the first probe out. */
static inline void given_first_probe(struct il_settings settings)
{
	given_open(settings);
	it.now_ns += it.breaker.wait_ns;
	ck_assert(acquire());
	ck_assert_int_eq(it.breaker.state, IL_HALF_OPEN);
}

static inline void assert_state(enum il_state state, uint64_t generation)
{
	ck_assert_str_eq(il_state_name(it.breaker.state), il_state_name(state));
	ck_assert_uint_eq(it.breaker.generation, generation);
}

static inline void assert_window(uint32_t total, uint32_t failed, uint32_t slow)
{
	struct il_look seen = look();

	ck_assert_uint_eq(seen.total, total);
	ck_assert_uint_eq(seen.failed, failed);
	ck_assert_uint_eq(seen.slow, slow);
}

#endif
