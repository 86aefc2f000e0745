/* Random bytes in place of a breaker, its settings, its cells or a handle: nothing is promised of
 * the answers, but every access stays inside the cells, and the sanitizers find nothing to say. */
#include "breaker_kit.h"

#define ROUNDS 6000

static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void fill(void *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)at)[i] = (uint8_t)(next_random() >> 56);
}

/* One byte: damage that leaves most of it believable. */
static void damage(void *at, size_t size)
{
	((uint8_t *)at)[next_random() % size] = (uint8_t)next_random();
}

static void use(void *cells, size_t size)
{
	struct il_handle handle;
	uint64_t generation = it.breaker.generation;

	acquire();
	handle = record_of(generation, (enum il_outcome)(next_random() % IL_OUTCOMES));
	for (int i = 0; i < 3; i++) {
		il_breaker_record(&it.breaker, &it.settings, cells, it.now_ns,
				  it.breaker.generation, IL_FAILURE, &it.effects);
		ck_assert_uint_le(it.effects.cell_offset + it.effects.cell_bytes, size);
		il_cells_store(cells, &it.effects);
		if (i == 1)
			fill(&handle, sizeof(handle));
		handle.generation = it.breaker.generation;
		handle = il_breaker_amend(&it.breaker, &it.settings, cells, it.now_ns, handle,
					  IL_SLOW_SUCCESS, &it.effects);
		ck_assert_uint_le(it.effects.cell_offset + it.effects.cell_bytes, size);
		il_cells_store(cells, &it.effects);
		release_of(it.breaker.generation);
		inconclusive_of(it.breaker.generation);
		automatic();
		il_breaker_look(&it.breaker, &it.settings, cells, it.now_ns);
		it.now_ns = (int64_t)next_random();
	}
	override((enum il_state)(next_random() % 8));
	reset();
}

static void use_exact_cells(void)
{
	size_t size = il_cells_bytes(&it.settings);
	void *cells = malloc(size); /* so that a sanitizer sees one byte too far */

	ck_assert_ptr_nonnull(cells);
	fill(cells, size);
	use(cells, size);
	free(cells);
}

START_TEST(random_bytes_do_no_harm)
{
	state = 1;
	for (int i = 0; i < ROUNDS; i++) {
		given_breaker(given_settings());
		fill(&it.breaker, sizeof(it.breaker));
		fill(&it.settings, sizeof(it.settings));
		it.settings.window_type %= 3;
		it.breaker.state %= IL_STATES + 1;
		it.now_ns = (int64_t)next_random();
		use_exact_cells();
	}
}
END_TEST

START_TEST(a_damaged_byte_does_no_harm)
{
	state = 2;
	for (int i = 0; i < ROUNDS; i++) {
		struct il_settings settings = given_settings();

		settings.window_type = i % 2;
		settings.window_size = 20;
		given_breaker(settings);
		it.now_ns = (int64_t)(next_random() >> 1);
		record_times(i % 30, i % 3 ? IL_SUCCESS : IL_FAILURE);
		if (i % 5 == 0)
			damage(&it.settings, sizeof(it.settings));
		else
			damage(&it.breaker, sizeof(it.breaker));
		use_exact_cells();
	}
}
END_TEST

START_TEST(a_cell_beyond_every_window_is_not_stored)
{
	struct il_effects effects = { .cell_bytes = sizeof(struct il_bucket) };
	uint64_t before;

	given_breaker(given_settings());
	before = it.cells[0];
	memset(&effects.cell, 0xff, sizeof(effects.cell));
	effects.cell_offset = IL_CELLS_BYTES_MAX - sizeof(struct il_bucket) + 1;
	il_cells_store(it.cells, &effects);
	effects.cell_offset = UINT32_MAX;
	il_cells_store(it.cells, &effects);
	effects.cell_offset = 0;
	effects.cell_bytes = sizeof(struct il_bucket) + 1;
	il_cells_store(it.cells, &effects);
	ck_assert_uint_eq(it.cells[0], before);
	ck_assert_uint_eq(it.cells[IL_CELLS_BYTES_MAX / 8 - 1], 0);
}
END_TEST

RUN_TESTS("garbage", random_bytes_do_no_harm, a_damaged_byte_does_no_harm,
	  a_cell_beyond_every_window_is_not_stored)
