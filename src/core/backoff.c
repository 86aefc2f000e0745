#include "core/backoff.h"

/*
 * A double between 1 and 1000 is a whole number divided by 2^52, so the product is a whole number
 * divided by a power of two: long multiplication keeps every bit of it. A floating product would
 * miss the nanosecond: 1.5^64 alone needs 102 bits.
 */
#define FRACTION_BITS 52
#define WORDS         56 /* 63 bits of wait, 64 factors of 53 bits, and room for the point */

__extension__ typedef unsigned __int128 wide;

struct product {
	uint64_t words[WORDS]; /* lowest first */
	uint32_t used;         /* words up to the last that is not 0 */
	uint32_t fraction;     /* how many of the lowest bits stand behind the point */
};

struct factor {
	uint64_t number;
	uint32_t fraction;
};

static struct factor factor_of(double multiplier)
{
	struct factor factor = { (uint64_t)1 << FRACTION_BITS, FRACTION_BITS };

	if (multiplier > 1)
		factor.number = (uint64_t)((multiplier < 1000 ? multiplier : 1000) * 0x1p52);
	while (factor.fraction > 0 && factor.number % 2 == 0) {
		factor.number /= 2;
		factor.fraction--;
	}
	return factor;
}

static void multiply(struct product *product, struct factor factor)
{
	uint64_t carry = 0;

	for (uint32_t i = 0; i < product->used; i++) {
		wide part = (wide)product->words[i] * factor.number + carry;

		product->words[i] = (uint64_t)part;
		carry = (uint64_t)(part >> 64);
	}
	if (carry != 0 && product->used < WORDS)
		product->words[product->used++] = carry;
	product->fraction += factor.fraction;
}

/* What stands before the point, or `limit` if that is less. */
static uint64_t whole_part(const struct product *product, uint64_t limit)
{
	uint32_t word = product->fraction / 64, bit = product->fraction % 64;
	wide whole = ((wide)product->words[word + 1] << 64 | product->words[word]) >> bit;

	if (product->used > word + 2)
		return limit; /* the third word alone is more than any limit */
	return whole < limit ? (uint64_t)whole : limit;
}

int64_t il_backoff_wait_ns(const struct il_settings *settings, uint32_t failed_rounds)
{
	int64_t wait =
		settings->wait_duration_in_open_ns > 0 ? settings->wait_duration_in_open_ns : 1;
	int64_t most = settings->wait_duration_in_open_max_ns;
	uint64_t limit = (uint64_t)(most > wait ? most : wait);
	struct factor factor = factor_of(settings->wait_duration_backoff_multiplier);
	struct product product = { .words = { (uint64_t)wait }, .used = 1 };

	if (failed_rounds > IL_BACKOFF_ROUNDS_MAX)
		failed_rounds = IL_BACKOFF_ROUNDS_MAX;
	for (uint32_t n = 0; n < failed_rounds; n++)
		multiply(&product, factor);
	return (int64_t)whole_part(&product, limit);
}
