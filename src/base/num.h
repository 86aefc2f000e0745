/*
 * Numbers from text, exactly. The whole of `length` bytes must match: no blanks, no signs, no
 * exponents. No locale, no allocation, errno untouched; any thread, any signal handler.
 * All return 0; -EINVAL if the text has another form; -ERANGE if it has the right form but does not
 * fit. ret_ arguments are untouched on failure.
 */
#ifndef IL_BASE_NUM_H
#define IL_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 250ms, 1.5s, 2m, 1h, 10us, 7ns, or seconds without a unit. 0..INT64_MAX nanoseconds; a value
 * finer than a nanosecond is -ERANGE. */
int il_num_duration(const char *text, size_t length, int64_t *ret_ns);

/* 0.25 or 25%: the same double, the one nearest to the decimal. At most 19 digits, as many of them
 * after the point. */
int il_num_rate(const char *text, size_t length, double *ret_rate);

/* 1.5: as a rate, without the per cent. */
int il_num_factor(const char *text, size_t length, double *ret_factor);

/* A whole number from min to max. */
int il_num_whole(const char *text, size_t length, uint64_t min, uint64_t max, uint64_t *ret_number);

/* 1/0, true/false, yes/no, on/off; case is ignored. */
int il_num_boolean(const char *text, size_t length, bool *ret_value);

/* A word of a table; case is ignored. */
struct il_word {
	const char *word;
	int value;
};
int il_num_word(const char *text, size_t length, const struct il_word *words, size_t count,
		int *ret_value);

/* Are these `length` bytes the string `word`, ignoring the case of ASCII letters? */
bool il_num_is_word(const char *text, size_t length, const char *word);

#endif
