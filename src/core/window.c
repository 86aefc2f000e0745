#include "core/window.h"

#include <string.h>

#define NS_PER_SECOND 1000000000

static uint32_t less_by(uint32_t count, uint32_t part)
{
	return count > part ? count - part : 0;
}

static uint32_t one_more(uint32_t count)
{
	return count < UINT32_MAX ? count + 1 : count;
}

void il_tally_add(struct il_tally *tally, uint32_t outcome)
{
	tally->total = one_more(tally->total);
	if (IL_FAILED(outcome))
		tally->failed = one_more(tally->failed);
	if (IL_SLOW(outcome))
		tally->slow = one_more(tally->slow);
}

static void subtract(struct il_tally *tally, const struct il_tally *part)
{
	tally->total = less_by(tally->total, part->total);
	tally->failed = less_by(tally->failed, part->failed);
	tally->slow = less_by(tally->slow, part->slow);
}

static struct il_tally tally_of(uint32_t outcome)
{
	return (struct il_tally){ 1, IL_FAILED(outcome), IL_SLOW(outcome) };
}

void il_tally_replace(struct il_tally *tally, uint32_t before, uint32_t after)
{
	struct il_tally old = tally_of(before);

	subtract(tally, &old);
	il_tally_add(tally, after);
}

static bool is_time_based(const struct il_settings *settings)
{
	return settings->window_type == IL_TIME_BASED;
}

static uint32_t cells_of(const struct il_settings *settings)
{
	uint32_t most = is_time_based(settings) ? IL_TIME_WINDOW_MAX : IL_COUNT_WINDOW_MAX;
	uint32_t size = settings->window_size;

	return size < 1 ? 1 : size < most ? size : most;
}

size_t il_cells_bytes(const struct il_settings *settings)
{
	return cells_of(settings) * (is_time_based(settings) ? sizeof(struct il_bucket) : 1);
}

void il_cells_store(void *cells, const struct il_effects *effects)
{
	const size_t bucket_bytes = sizeof(struct il_bucket);
	uint8_t *bytes = cells;

	if (effects->cell_offset > IL_CELLS_BYTES_MAX - bucket_bytes)
		return;
	if (effects->cell_bytes == bucket_bytes)
		memcpy(bytes + effects->cell_offset, &effects->cell.bucket, bucket_bytes);
	else if (effects->cell_bytes == 1)
		bytes[effects->cell_offset] = effects->cell.outcome;
}

void il_window_clear(struct il_window *window)
{
	window->first = window->next;
	window->tally = (struct il_tally){ 0 };
}

static bool is_empty(const struct il_window *window)
{
	return window->next == window->first;
}

/* Time that runs backwards, because another thread's later look at the clock came first, stands. */
static uint64_t second_at(const struct il_window *window, int64_t now_ns)
{
	uint64_t second = now_ns > 0 ? (uint64_t)now_ns / NS_PER_SECOND : 0;

	return second > window->second ? second : window->second;
}

/* The oldest second of a window of `size` seconds that ends with `last`. */
static uint64_t oldest_of(uint64_t last, uint32_t size)
{
	return last >= size ? last - size + 1 : 0;
}

/* Is this the bucket of that second, filled since the window was last emptied? Seconds before
 * `since` may still have their cells, from before the window was emptied. */
static bool is_bucket_of(const struct il_bucket *bucket, uint64_t second,
			 const struct il_window *window)
{
	return bucket->second == second && bucket->check == ~(uint32_t)second &&
	       second >= window->since;
}

static void pass_seconds(struct il_window *window, uint32_t size, const struct il_bucket *buckets,
			 uint64_t second)
{
	uint64_t oldest = oldest_of(window->second, size);
	uint64_t keep = oldest_of(second, size);

	if (keep > window->second) {
		window->tally = (struct il_tally){ 0 };
		oldest = keep;
	}
	for (; oldest < keep; oldest++) {
		const struct il_bucket *bucket = &buckets[oldest % size];

		if (is_bucket_of(bucket, oldest, window))
			subtract(&window->tally, &bucket->tally);
	}
	window->second = second;
}

void il_window_pass(struct il_window *window, const struct il_settings *settings, const void *cells,
		    int64_t now_ns)
{
	if (is_time_based(settings))
		pass_seconds(window, cells_of(settings), cells, second_at(window, now_ns));
}

static void store_byte(struct il_effects *effects, uint32_t index, uint32_t outcome)
{
	effects->cell_bytes = 1;
	effects->cell_offset = index;
	effects->cell.outcome = (uint8_t)outcome;
}

static void store_bucket(struct il_effects *effects, uint32_t index, struct il_bucket bucket)
{
	effects->cell_bytes = sizeof(bucket);
	effects->cell_offset = index * (uint32_t)sizeof(bucket);
	effects->cell.bucket = bucket;
}

static void add_call(struct il_window *window, uint32_t size, const uint8_t *ring, uint32_t outcome,
		     struct il_effects *effects)
{
	uint32_t index = (uint32_t)(window->next % size);

	if (window->next - window->first >= size) {
		struct il_tally oldest = tally_of(ring[index]);

		subtract(&window->tally, &oldest);
	}
	il_tally_add(&window->tally, outcome);
	store_byte(effects, index, outcome);
}

static void add_in_second(struct il_window *window, uint32_t size, const struct il_bucket *buckets,
			  uint32_t outcome, struct il_effects *effects)
{
	uint32_t index = (uint32_t)(window->second % size);
	struct il_bucket bucket = { .second = window->second, .check = ~(uint32_t)window->second };

	if (is_empty(window))
		window->since = window->second;
	else if (is_bucket_of(&buckets[index], window->second, window))
		bucket = buckets[index];
	il_tally_add(&bucket.tally, outcome);
	il_tally_add(&window->tally, outcome);
	store_bucket(effects, index, bucket);
}

void il_window_add(struct il_window *window, const struct il_settings *settings, const void *cells,
		   int64_t now_ns, uint32_t outcome, struct il_effects *effects)
{
	uint32_t size = cells_of(settings);

	il_window_pass(window, settings, cells, now_ns);
	if (is_time_based(settings))
		add_in_second(window, size, cells, outcome, effects);
	else
		add_call(window, size, cells, outcome, effects);
	window->next++;
}

static void replace_call(struct il_window *window, uint32_t size, const struct il_handle *handle,
			 uint32_t outcome, struct il_effects *effects)
{
	if (window->next - handle->sequence > size)
		return;
	il_tally_replace(&window->tally, handle->outcome, outcome);
	store_byte(effects, (uint32_t)(handle->sequence % size), outcome);
}

static void replace_in_second(struct il_window *window, uint32_t size,
			      const struct il_bucket *buckets, const struct il_handle *handle,
			      uint32_t outcome, struct il_effects *effects)
{
	uint32_t index = (uint32_t)(handle->second % size);
	struct il_bucket bucket = buckets[index];

	if (handle->second < oldest_of(window->second, size) ||
	    !is_bucket_of(&bucket, handle->second, window))
		return;
	il_tally_replace(&bucket.tally, handle->outcome, outcome);
	il_tally_replace(&window->tally, handle->outcome, outcome);
	store_bucket(effects, index, bucket);
}

void il_window_replace(struct il_window *window, const struct il_settings *settings,
		       const void *cells, int64_t now_ns, const struct il_handle *handle,
		       uint32_t outcome, struct il_effects *effects)
{
	uint32_t size = cells_of(settings);

	il_window_pass(window, settings, cells, now_ns);
	if (handle->sequence < window->first || handle->sequence >= window->next)
		return;
	if (is_time_based(settings))
		replace_in_second(window, size, cells, handle, outcome, effects);
	else
		replace_call(window, size, handle, outcome, effects);
}
