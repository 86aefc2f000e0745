#include "base/text.h"

#include "check_run.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static char buffer[256];
static struct il_text text;

static void given_room(size_t size)
{
	memset(buffer, '#', sizeof(buffer));
	text = il_text_in(buffer, size);
}

START_TEST(a_text_that_fits_is_whole)
{
	given_room(8);
	il_text_add(&text, "1234567");
	ck_assert_str_eq(buffer, "1234567");
	ck_assert(!text.cut);
	ck_assert_uint_eq(text.used, 7);
}
END_TEST

START_TEST(a_text_too_long_is_cut_and_ends_with_0)
{
	given_room(8);
	il_text_add(&text, "123456789");
	ck_assert_str_eq(buffer, "1234567");
	ck_assert(text.cut);
	ck_assert_int_eq(buffer[8], '#');
}
END_TEST

START_TEST(nothing_is_added_behind_a_cut)
{
	given_room(4);
	il_text_add(&text, "12345");
	text.used = 1; /* room again: still nothing */
	il_text_add(&text, "x");
	ck_assert_str_eq(buffer, "123");
}
END_TEST

START_TEST(a_buffer_of_one_byte_holds_the_empty_text)
{
	given_room(1);
	il_text_char(&text, 'x');
	il_text_name(&text, "\n", 1);
	ck_assert_str_eq(buffer, "");
	ck_assert(text.cut);
}
END_TEST

START_TEST(whole_numbers_print_to_their_limits)
{
	given_room(200);
	il_text_unsigned(&text, 0);
	il_text_char(&text, ' ');
	il_text_unsigned(&text, UINT64_MAX);
	il_text_char(&text, ' ');
	il_text_signed(&text, INT64_MIN);
	il_text_char(&text, ' ');
	il_text_signed(&text, INT64_MAX);
	ck_assert_str_eq(buffer, "0 18446744073709551615 -9223372036854775808 9223372036854775807");
}
END_TEST

START_TEST(hexadecimal_and_padding_keep_their_width)
{
	given_room(200);
	il_text_hex(&text, 0, 0);
	il_text_char(&text, ' ');
	il_text_hex(&text, 0xbeef, 8);
	il_text_char(&text, ' ');
	il_text_hex(&text, UINT64_MAX, 1);
	il_text_char(&text, ' ');
	il_text_padded(&text, 7, 3);
	il_text_char(&text, ' ');
	il_text_padded(&text, 1234, 3);
	ck_assert_str_eq(buffer, "0 0000beef ffffffffffffffff 007 1234");
}
END_TEST

static const char *fixed(double value, unsigned digits)
{
	given_room(200);
	il_text_fixed(&text, value, digits);
	return buffer;
}

START_TEST(rates_print_with_two_digits)
{
	ck_assert_str_eq(fixed(13 / 21.0, 2), "0.62");
	ck_assert_str_eq(fixed(0, 2), "0.00");
	ck_assert_str_eq(fixed(1, 2), "1.00");
	ck_assert_str_eq(fixed(0.999, 2), "1.00");
	ck_assert_str_eq(fixed(0.005, 2), "0.01");
	ck_assert_str_eq(fixed(2.5, 0), "3");
}
END_TEST

START_TEST(what_is_no_usual_number_prints_as_something_safe)
{
	ck_assert_str_eq(fixed(-1.5, 1), "-1.5");
	ck_assert_str_eq(fixed(-0.001, 2), "0.00");
	ck_assert_str_eq(fixed(1e300, 2), "?");
	ck_assert_str_eq(fixed(__builtin_nan(""), 2), "?");
	ck_assert_str_eq(fixed(-__builtin_inf(), 2), "?");
}
END_TEST

static const char *duration(int64_t ns)
{
	given_room(200);
	il_text_duration(&text, ns);
	return buffer;
}

START_TEST(durations_print_as_people_write_them)
{
	ck_assert_str_eq(duration(60000000000), "60s");
	ck_assert_str_eq(duration(2104000000), "2.104s");
	ck_assert_str_eq(duration(250000000), "250ms");
	ck_assert_str_eq(duration(1500000), "1.5ms");
	ck_assert_str_eq(duration(10000), "10us");
	ck_assert_str_eq(duration(7), "7ns");
	ck_assert_str_eq(duration(0), "0s");
	ck_assert_str_eq(duration(1000000001), "1.000000001s");
	ck_assert_str_eq(duration(-250000000), "-250ms");
	ck_assert_str_eq(duration(INT64_MAX), "9223372036.854775807s");
	ck_assert_str_eq(duration(INT64_MIN), "-9223372036.854775808s");
}
END_TEST

START_TEST(measured_durations_keep_three_digits)
{
	given_room(200);
	il_text_duration_short(&text, 2104999999);
	il_text_char(&text, ' ');
	il_text_duration_short(&text, 250123456);
	il_text_char(&text, ' ');
	il_text_duration_short(&text, 3000000001);
	ck_assert_str_eq(buffer, "2.104s 250.123ms 3s");
}
END_TEST

static const char *stamp(int64_t ns)
{
	given_room(200);
	il_text_time(&text, ns);
	return buffer;
}

START_TEST(times_print_as_utc_with_milliseconds)
{
	ck_assert_str_eq(stamp(0), "1970-01-01T00:00:00.000Z");
	ck_assert_str_eq(stamp(-1), "1970-01-01T00:00:00.000Z");
	ck_assert_str_eq(stamp(951782399999000000), "2000-02-28T23:59:59.999Z");
	ck_assert_str_eq(stamp(951782400000000000), "2000-02-29T00:00:00.000Z");
	ck_assert_str_eq(stamp(1795981139123456789), "2026-11-29T19:38:59.123Z");
	ck_assert_str_eq(stamp(INT64_MAX), "2262-04-11T23:47:16.854Z");
}
END_TEST

START_TEST(every_day_until_2262_agrees_with_the_calendar)
{
	for (time_t day = 0; day < 106750; day++) {
		time_t second = day * 86400 + 3723;
		char expected[32];
		struct tm tm;

		strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%S.000Z",
			 gmtime_r(&second, &tm));
		ck_assert_str_eq(stamp((int64_t)second * 1000000000), expected);
	}
}
END_TEST

START_TEST(a_name_keeps_its_own_bytes_and_escapes_all_others)
{
	char every[256];

	for (int i = 0; i < 256; i++)
		every[i] = (char)i;
	for (int i = 0; i < 256; i++) {
		char expected[8];
		bool plain = i != 0 && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					      "0123456789.:_%/[]-",
					      i);

		snprintf(expected, sizeof(expected), plain ? "%c" : "\\x%02x", i);
		given_room(8);
		il_text_name(&text, every + i, 1);
		ck_assert_str_eq(buffer, expected);
	}
}
END_TEST

START_TEST(an_escape_stands_whole_or_not_at_all)
{
	given_room(5);
	il_text_name(&text, "a\n", 2);
	ck_assert_str_eq(buffer, "a");
	ck_assert(text.cut);
	given_room(6);
	il_text_name(&text, "a\n", 2);
	ck_assert_str_eq(buffer, "a\\x0a");
	ck_assert(!text.cut);
}
END_TEST

START_TEST(a_quoted_text_cannot_end_its_quotes_or_move_the_cursor)
{
	given_room(200);
	il_text_quoted(&text, "5 min'\\\x1b[2J\xc3\xa4", 13);
	ck_assert_str_eq(buffer, "'5 min\\x27\\x5c\\x1b[2J\\xc3\\xa4'");
}
END_TEST

RUN_TESTS("text", a_text_that_fits_is_whole, a_text_too_long_is_cut_and_ends_with_0,
	  nothing_is_added_behind_a_cut, a_buffer_of_one_byte_holds_the_empty_text,
	  whole_numbers_print_to_their_limits, hexadecimal_and_padding_keep_their_width,
	  rates_print_with_two_digits, what_is_no_usual_number_prints_as_something_safe,
	  durations_print_as_people_write_them, measured_durations_keep_three_digits,
	  times_print_as_utc_with_milliseconds, every_day_until_2262_agrees_with_the_calendar,
	  a_name_keeps_its_own_bytes_and_escapes_all_others, an_escape_stands_whole_or_not_at_all,
	  a_quoted_text_cannot_end_its_quotes_or_move_the_cursor)
