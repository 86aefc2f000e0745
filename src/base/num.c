#include "base/num.h"

#include <errno.h>
#include <string.h>

#define SCALE_MAX 19 /* 10^19 < 2^64 */

/* digits / 10^scale, without zeros at the end of the fraction. */
struct decimal {
	uint64_t digits;
	unsigned scale;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static uint64_t power_of_ten(unsigned exponent)
{
	uint64_t power = 1;

	while (exponent-- > 0)
		power *= 10;
	return power;
}

static int push_digit(struct decimal *number, unsigned digit)
{
	if (__builtin_mul_overflow(number->digits, 10, &number->digits) ||
	    __builtin_add_overflow(number->digits, digit, &number->digits))
		return -ERANGE;
	return 0;
}

static int read_fraction(const char *text, size_t length, struct decimal *number)
{
	int rc = 0;

	while (length > 0 && text[length - 1] == '0')
		length--;
	for (size_t i = 0; i < length && rc == 0; i++) {
		rc = number->scale < SCALE_MAX ? push_digit(number, (unsigned)(text[i] - '0'))
					       : -ERANGE;
		number->scale++;
	}
	return rc;
}

static size_t count_digits(const char *text, size_t length)
{
	size_t count = 0;

	while (count < length && is_digit(text[count]))
		count++;
	return count;
}

/* Reads 12, 1.5 or .5 from the start; the rest of the text is the caller's. A text of another form
 * is never called out of range: both parts are found before either is read. */
static int read_decimal(const char *text, size_t length, struct decimal *ret_number,
			size_t *ret_taken)
{
	struct decimal number = { 0, 0 };
	size_t whole = count_digits(text, length), taken = whole, fraction = 0;
	int rc = 0;

	if (taken < length && text[taken] == '.') {
		fraction = count_digits(text + taken + 1, length - taken - 1);
		if (fraction == 0)
			return -EINVAL;
		taken += 1 + fraction;
	}
	if (taken == 0)
		return -EINVAL;
	for (size_t i = 0; i < whole && rc == 0; i++)
		rc = push_digit(&number, (unsigned)(text[i] - '0'));
	if (rc == 0)
		rc = read_fraction(text + taken - fraction, fraction, &number);
	*ret_taken = taken;
	*ret_number = number;
	return rc;
}

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "", 1000000000 }, { "s", 1000000000 },  { "ms", 1000000 },      { "us", 1000 },
	{ "ns", 1 },        { "m", 60000000000 }, { "h", 3600000000000 },
};

static uint64_t find_unit(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].name) == length && memcmp(units[i].name, text, length) == 0)
			return units[i].ns;
	}
	return 0;
}

int il_num_duration(const char *text, size_t length, int64_t *ret_ns)
{
	struct decimal number;
	size_t taken;
	int rc = read_decimal(text, length, &number, &taken);

	if (rc == -EINVAL)
		return rc;

	uint64_t unit = find_unit(text + taken, length - taken);

	if (unit == 0)
		return -EINVAL;
	if (rc < 0)
		return rc;

	unsigned __int128 scaled = (unsigned __int128)number.digits * unit;
	uint64_t divisor = power_of_ten(number.scale);

	if (scaled % divisor != 0 || scaled / divisor > INT64_MAX)
		return -ERANGE;
	*ret_ns = (int64_t)(scaled / divisor);
	return 0;
}

/* 2^-shift, 0 <= shift < 1023. */
static double half_power(unsigned shift)
{
	uint64_t bits = (uint64_t)(1023 - shift) << 52;
	double power;

	memcpy(&power, &bits, sizeof(power));
	return power;
}

/* The double nearest to the decimal, ties to even: a long division with the numerator's top bit at
 * 127 leaves at least 64 bits of quotient; what is cut off below decides only a tie, so it may
 * stand in the lowest bit before the one conversion that rounds. */
static double nearest_double(struct decimal number)
{
	if (number.digits == 0)
		return 0;

	unsigned shift = 64 + (unsigned)__builtin_clzll(number.digits);
	unsigned __int128 scaled = (unsigned __int128)number.digits << shift;
	uint64_t divisor = power_of_ten(number.scale);
	unsigned __int128 quotient = scaled / divisor;

	while (quotient >> 64) {
		quotient = quotient >> 1 | (quotient & 1);
		shift--;
	}
	if (scaled % divisor != 0)
		quotient |= 1;

	return (double)(uint64_t)quotient * half_power(shift);
}

static int read_double(const char *text, size_t length, unsigned divide, double *ret_value)
{
	struct decimal number;
	size_t taken;
	int rc = read_decimal(text, length, &number, &taken);

	if (rc == -EINVAL || taken != length)
		return -EINVAL;
	if (rc < 0)
		return rc;
	while (divide > 0 && number.digits % 10 == 0) {
		number.digits /= 10;
		divide--;
	}
	number.scale += divide;
	if (number.scale > SCALE_MAX)
		return -ERANGE;
	*ret_value = nearest_double(number);
	return 0;
}

int il_num_rate(const char *text, size_t length, double *ret_rate)
{
	bool percent = length > 0 && text[length - 1] == '%';

	return read_double(text, length - percent, percent ? 2 : 0, ret_rate);
}

int il_num_factor(const char *text, size_t length, double *ret_factor)
{
	return read_double(text, length, 0, ret_factor);
}

int il_num_whole(const char *text, size_t length, uint64_t min, uint64_t max, uint64_t *ret_number)
{
	struct decimal number = { 0, 0 };
	int rc = 0;

	if (length == 0 || count_digits(text, length) != length)
		return -EINVAL;
	for (size_t i = 0; i < length && rc == 0; i++)
		rc = push_digit(&number, (unsigned)(text[i] - '0'));
	if (rc < 0 || number.digits < min || number.digits > max)
		return -ERANGE;
	*ret_number = number.digits;
	return 0;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool il_num_is_word(const char *text, size_t length, const char *word)
{
	for (size_t i = 0; i < length; i++) {
		if (word[i] == 0 || lower(text[i]) != lower(word[i]))
			return false;
	}
	return word[length] == 0;
}

int il_num_word(const char *text, size_t length, const struct il_word *words, size_t count,
		int *ret_value)
{
	for (size_t i = 0; i < count; i++) {
		if (il_num_is_word(text, length, words[i].word)) {
			*ret_value = words[i].value;
			return 0;
		}
	}
	return -EINVAL;
}

int il_num_boolean(const char *text, size_t length, bool *ret_value)
{
	static const struct il_word words[] = {
		{ "1", 1 }, { "true", 1 },  { "yes", 1 }, { "on", 1 },
		{ "0", 0 }, { "false", 0 }, { "no", 0 },  { "off", 0 },
	};
	int value;
	int rc = il_num_word(text, length, words, sizeof(words) / sizeof(words[0]), &value);

	if (rc == 0)
		*ret_value = value;
	return rc;
}
