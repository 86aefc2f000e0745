#include "core/backoff.h"

/*
 * The product is kept in fixed point: 128 bits before the point and 256 behind it. What each step
 * drops is less than 2^-256 and grows to less than 2^-180 by the last one. A product that is a
 * whole number drops nothing, because it never has more than 62 bits behind the point. So what is
 * cut off at the end is what would be cut off the exact product.
 */
#define FRACTION_WORDS 4
#define WORDS          (FRACTION_WORDS + 2)

__extension__ typedef unsigned __int128 wide;

/* The multiplier times 2^52, which is a whole number because it is a double of at least 1. */
static uint64_t factor_of(double multiplier)
{
	if (!(multiplier > 1))
		multiplier = 1;
	return (uint64_t)((multiplier < 1000 ? multiplier : 1000) * 0x1p52);
}

/* words * factor / 2^52; the lowest word comes first. */
static void multiply(uint64_t words[WORDS], uint64_t factor)
{
	uint64_t carry = 0, lower = 0;

	for (int i = 0; i < WORDS; i++) {
		wide part = (wide)words[i] * factor + carry;

		if (i > 0)
			words[i - 1] = (uint64_t)part << 12 | lower >> 52;
		lower = (uint64_t)part;
		carry = (uint64_t)(part >> 64);
	}
	words[WORDS - 1] = lower >> 52; /* the whole part is below 2^73: no carry is left */
}

/* What stands before the point, or `limit` if that is less. */
static uint64_t whole_part(const uint64_t words[WORDS], uint64_t limit)
{
	if (words[FRACTION_WORDS + 1] != 0 || words[FRACTION_WORDS] > limit)
		return limit;
	return words[FRACTION_WORDS];
}

int64_t il_backoff_wait_ns(const struct il_settings *settings, uint32_t failed_rounds)
{
	int64_t wait =
		settings->wait_duration_in_open_ns > 0 ? settings->wait_duration_in_open_ns : 1;
	int64_t most = settings->wait_duration_in_open_max_ns;
	uint64_t limit = (uint64_t)(most > wait ? most : wait);
	uint64_t factor = factor_of(settings->wait_duration_backoff_multiplier);
	uint64_t words[WORDS] = { [FRACTION_WORDS] = (uint64_t)wait };

	if (failed_rounds > IL_BACKOFF_ROUNDS_MAX)
		failed_rounds = IL_BACKOFF_ROUNDS_MAX;
	for (uint32_t n = 0; n < failed_rounds && whole_part(words, limit) < limit; n++)
		multiply(words, factor);
	return (int64_t)whole_part(words, limit);
}
