#include "base/num.h"

#include "check_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int64_t ns(const char *text)
{
	int64_t value = -1;
	int rc = il_num_duration(text, strlen(text), &value);

	ck_assert_msg(rc < 0 ? value == -1 : value >= 0, "%s: %d", text, rc);
	return rc < 0 ? rc : value;
}

START_TEST(durations_are_read_exactly)
{
	ck_assert_int_eq(ns("250ms"), 250000000);
	ck_assert_int_eq(ns("1.5s"), 1500000000);
	ck_assert_int_eq(ns("2m"), 120000000000);
	ck_assert_int_eq(ns("1h"), 3600000000000);
	ck_assert_int_eq(ns("60"), 60000000000);
	ck_assert_int_eq(ns("0.1"), 100000000);
	ck_assert_int_eq(ns(".5s"), 500000000);
	ck_assert_int_eq(ns("7us"), 7000);
	ck_assert_int_eq(ns("9ns"), 9);
	ck_assert_int_eq(ns("0"), 0);
	ck_assert_int_eq(ns("0.000000001"), 1);
	ck_assert_int_eq(ns("1.1h"), 3960000000000);
	ck_assert_int_eq(ns("007s"), 7000000000);
	ck_assert_int_eq(ns("1.50000000000000000000000000000s"), 1500000000);
}
END_TEST

START_TEST(the_longest_duration_is_the_clocks_range)
{
	ck_assert_int_eq(ns("9223372036854775807ns"), INT64_MAX);
	ck_assert_int_eq(ns("9223372036.854775807"), INT64_MAX);
	ck_assert_int_eq(ns("9223372036854775808ns"), -ERANGE);
	ck_assert_int_eq(ns("9223372036.854775808"), -ERANGE);
	ck_assert_int_eq(ns("2562048h"), -ERANGE);
	ck_assert_int_eq(ns("18446744073709551616ns"), -ERANGE);
	ck_assert_int_eq(ns("99999999999999999999999999999999999999h"), -ERANGE);
}
END_TEST

START_TEST(what_is_finer_than_a_nanosecond_is_refused)
{
	ck_assert_int_eq(ns("0.5ns"), -ERANGE);
	ck_assert_int_eq(ns("0.0000000001"), -ERANGE);
	ck_assert_int_eq(ns("0.00000000000000000000001h"), -ERANGE);
}
END_TEST

START_TEST(what_is_no_duration_is_refused)
{
	static const char *const bad[] = { "",    "s",      "5 minuts", "5 s",   " 5s", "5s ",
					   "-1s", "+1s",    "1e3",      "0x10",  "1.s", "1.",
					   ".",   "1.5.2s", "5S",       "5MS",   "5d",  "1,5s",
					   "5sx", "inf",    "nan",      "5m30s", "5\n" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(ns(bad[i]) == -EINVAL, "'%s'", bad[i]);
}
END_TEST

START_TEST(bytes_behind_the_length_are_not_read)
{
	int64_t value;

	ck_assert_int_eq(il_num_duration("5smaller", 2, &value), 0);
	ck_assert_int_eq(value, 5000000000);
}
END_TEST

static double rate(const char *text)
{
	double value = -1;
	int rc = il_num_rate(text, strlen(text), &value);

	ck_assert_msg(rc == 0, "%s: %d", text, rc);
	return value;
}

START_TEST(a_percentage_is_the_same_double_as_its_rate)
{
	for (int i = 0; i <= 100000; i++) {
		char percent[32], plain[32];

		snprintf(percent, sizeof(percent), "%d.%03d%%", i / 1000, i % 1000);
		snprintf(plain, sizeof(plain), "%d.%05d", i / 100000, i % 100000);
		ck_assert(rate(percent) == rate(plain));
		ck_assert(rate(plain) == strtod(plain, NULL));
	}
	ck_assert(rate("25%") == 0.25);
	ck_assert(rate("33.3%") == 0.333);
	ck_assert(rate("100%") == 1.0);
}
END_TEST

START_TEST(every_decimal_of_19_digits_is_the_nearest_double)
{
	uint64_t seed = 88172645463325252U;

	for (int i = 0; i < 200000; i++) {
		char digits[32], decimal[40];
		unsigned scale = (unsigned)i % 20;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		snprintf(digits, sizeof(digits), "%020llu",
			 (unsigned long long)(seed >> (unsigned)i % 64));
		snprintf(decimal, sizeof(decimal), "%.*s%s%s", 20 - (int)scale, digits,
			 scale ? "." : "", digits + 20 - scale);
		ck_assert_msg(rate(decimal) == strtod(decimal, NULL), "%s", decimal);
	}
}
END_TEST

START_TEST(a_rate_between_two_doubles_goes_to_the_even_one)
{
	ck_assert(rate("9007199254740993") == 9007199254740992.0);
	ck_assert(rate("9007199254740995") == 9007199254740996.0);
	ck_assert(rate("9007199254740992.5") == 9007199254740992.0);
	ck_assert(rate("9007199254740993.5") == 9007199254740994.0);
}
END_TEST

START_TEST(what_is_no_rate_is_refused)
{
	static const char *const bad[] = { "",     "%",    "0.5%%", "% 5", "5 %", "-0.5",
					   "1e-3", "50pc", "0,5",   "1.",  "." };
	double value = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(il_num_rate(bad[i], strlen(bad[i]), &value), -EINVAL);
	ck_assert_int_eq(il_num_rate("0.00000000000000000001", 22, &value), -ERANGE);
	ck_assert_int_eq(il_num_rate("0.000000000000000001%", 21, &value), -ERANGE);
	ck_assert_int_eq(il_num_factor("50%", 3, &value), -EINVAL);
	ck_assert(value == 7);
	ck_assert_int_eq(il_num_factor("1.5", 3, &value), 0);
	ck_assert(value == 1.5);
}
END_TEST

START_TEST(whole_numbers_keep_to_their_range)
{
	uint64_t value = 7;

	ck_assert_int_eq(il_num_whole("0", 1, 1, 10, &value), -ERANGE);
	ck_assert_int_eq(il_num_whole("11", 2, 1, 10, &value), -ERANGE);
	ck_assert_int_eq(il_num_whole("18446744073709551616", 20, 0, UINT64_MAX, &value), -ERANGE);
	ck_assert_int_eq(il_num_whole("", 0, 0, 10, &value), -EINVAL);
	ck_assert_int_eq(il_num_whole("-1", 2, 0, 10, &value), -EINVAL);
	ck_assert_int_eq(il_num_whole("5.0", 3, 0, 10, &value), -EINVAL);
	ck_assert_int_eq(il_num_whole("5 ", 2, 0, 10, &value), -EINVAL);
	ck_assert_uint_eq(value, 7);
	ck_assert_int_eq(il_num_whole("10", 2, 1, 10, &value), 0);
	ck_assert_uint_eq(value, 10);
	ck_assert_int_eq(il_num_whole("18446744073709551615", 20, 0, UINT64_MAX, &value), 0);
	ck_assert_uint_eq(value, UINT64_MAX);
}
END_TEST

START_TEST(booleans_ignore_case)
{
	static const char *const words[] = { "0", "1", "false", "TRUE", "No", "yes", "oFF", "On" };
	bool value;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		ck_assert_int_eq(il_num_boolean(words[i], strlen(words[i]), &value), 0);
		ck_assert_int_eq(value, i % 2);
	}
	ck_assert_int_eq(il_num_boolean("yess", 4, &value), -EINVAL);
	ck_assert_int_eq(il_num_boolean("ye", 2, &value), -EINVAL);
	ck_assert_int_eq(il_num_boolean("", 0, &value), -EINVAL);
	ck_assert_int_eq(il_num_boolean("2", 1, &value), -EINVAL);
}
END_TEST

START_TEST(words_ignore_case_and_must_be_whole)
{
	static const struct il_word words[] = { { "COUNT_BASED", 3 }, { "TIME_BASED", 4 } };
	int value = 0;

	ck_assert_int_eq(il_num_word("time_Based", 10, words, 2, &value), 0);
	ck_assert_int_eq(value, 4);
	ck_assert_int_eq(il_num_word("time_base", 9, words, 2, &value), -EINVAL);
	ck_assert_int_eq(il_num_word("time_based1", 11, words, 2, &value), -EINVAL);
	ck_assert_int_eq(il_num_word("time_based\0", 11, words, 2, &value), -EINVAL);
	ck_assert_int_eq(value, 4);
}
END_TEST

RUN_TESTS("num", durations_are_read_exactly, the_longest_duration_is_the_clocks_range,
	  what_is_finer_than_a_nanosecond_is_refused, what_is_no_duration_is_refused,
	  bytes_behind_the_length_are_not_read, a_percentage_is_the_same_double_as_its_rate,
	  every_decimal_of_19_digits_is_the_nearest_double,
	  a_rate_between_two_doubles_goes_to_the_even_one, what_is_no_rate_is_refused,
	  whole_numbers_keep_to_their_range, booleans_ignore_case,
	  words_ignore_case_and_must_be_whole)
