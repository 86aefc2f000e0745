#include "base/pattern.h"

#include "check_run.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool glob(const char *pattern, const char *text)
{
	return il_pattern_glob(pattern, strlen(pattern), text, strlen(text), false);
}

START_TEST(a_star_takes_any_bytes_and_a_question_mark_one)
{
	ck_assert(glob("*", ""));
	ck_assert(glob("", ""));
	ck_assert(glob("a*c", "abbbc"));
	ck_assert(glob("a*c", "ac"));
	ck_assert(glob("a?c", "abc"));
	ck_assert(glob("*ab*ab", "abxabyab"));
	ck_assert(glob("**a", "bba"));
	ck_assert(!glob("a?c", "ac"));
	ck_assert(!glob("a*c", "abcd"));
	ck_assert(!glob("", "a"));
	ck_assert(!glob("?", ""));
	ck_assert(!glob("a", "A"));
}
END_TEST

START_TEST(brackets_are_no_classes)
{
	ck_assert(glob("[ab]", "[ab]"));
	ck_assert(!glob("[ab]", "a"));
	ck_assert(!glob("\\*", "*"));
}
END_TEST

START_TEST(many_stars_do_not_take_for_ever)
{
	char pattern[400], text[4000];

	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = i % 2 ? 'a' : '*';
	memset(text, 'a', sizeof(text));
	ck_assert(il_pattern_glob(pattern, sizeof(pattern), text, sizeof(text), false));
	pattern[sizeof(pattern) - 1] = 'b';
	ck_assert(!il_pattern_glob(pattern, sizeof(pattern), text, sizeof(text), false));
}
END_TEST

static bool matches_at(const char *text, const char *name, const struct il_address *address)
{
	struct il_pattern pattern;
	int rc = il_pattern_parse(&pattern, text, strlen(text));

	ck_assert_msg(rc == 0, "'%s' cannot be read", text);
	return il_pattern_matches(&pattern, name, strlen(name), address);
}

static bool matches(const char *text, const char *name)
{
	return matches_at(text, name, NULL);
}

START_TEST(a_host_ignores_case_and_a_missing_port_means_any)
{
	ck_assert(matches("Payments.Internal:443", "payments.internal:443"));
	ck_assert(!matches("payments.internal:44", "payments.internal:443"));
	ck_assert(matches("payments.internal", "payments.internal:443"));
	ck_assert(matches("payments.internal.", "payments.internal:443"));
	ck_assert(matches("*.query.consul:*", "db.query.consul:5432"));
	ck_assert(!matches("*.query.consul:*", "query.consul:5432"));
	ck_assert(matches("*:80??", "web:8080"));
	ck_assert(matches("*", "web:8080"));
	ck_assert(matches("*:*", "[2001:db8::1]:443"));
	ck_assert(matches("*:*", "unix:/run/x"));
}
END_TEST

START_TEST(a_name_without_a_port_is_matched_by_no_pattern_with_one)
{
	ck_assert(matches("web", "web"));
	ck_assert(matches("web:*", "web"));
	ck_assert(matches("[2001:db8::1]", "[2001:db8::1]"));
	ck_assert(!matches("web:80", "web"));
}
END_TEST

START_TEST(brackets_hold_an_address_in_any_spelling)
{
	ck_assert(matches("[2001:db8::1]:443", "[2001:db8::1]:443"));
	ck_assert(matches("[2001:DB8:0:0::1]", "[2001:db8::1]:443"));
	ck_assert(matches("[::ffff:10.0.0.1]:80", "10.0.0.1:80"));
	ck_assert(matches("[2001:db8:*]:443", "[2001:db8::1]:443"));
	ck_assert(!matches("[2001:db8::2]:443", "[2001:db8::1]:443"));
	ck_assert(!matches("[2001:db8::1]:44", "[2001:db8::1]:443"));
}
END_TEST

START_TEST(a_block_looks_at_the_address)
{
	struct il_address ten, doc;

	ck_assert_int_eq(il_address_parse(&ten, "10.200.0.7", 10), 0);
	ck_assert_int_eq(il_address_parse(&doc, "2001:db8:1::7", 13), 0);
	ck_assert(matches_at("10.0.0.0/8:5432", "db.internal:5432", &ten));
	ck_assert(matches_at("10.1.2.3/8", "db.internal:5432", &ten));
	ck_assert(!matches_at("10.0.0.0/8:5433", "db.internal:5432", &ten));
	ck_assert(!matches_at("10.0.0.0/9:5432", "db.internal:5432", &ten));
	ck_assert(matches_at("10.200.0.7", "db.internal:5432", &ten));
	ck_assert(!matches_at("10.200.0.0/31:*", "db.internal:1", &ten));
	ck_assert(matches_at("10.200.0.6/31:*", "db.internal:1", &ten));
	ck_assert(matches_at("0.0.0.0/0", "db.internal:1", &ten));
	ck_assert(!matches_at("[::]/0", "db.internal:1", &ten));
	ck_assert(matches_at("[2001:db8::]/32:443", "db.internal:443", &doc));
	ck_assert(!matches_at("[2001:db8::]/48:443", "db.internal:443", &doc));
	ck_assert(matches_at("[::ffff:10.0.0.0]/104:1", "db.internal:1", &ten));
}
END_TEST

START_TEST(a_block_without_an_address_looks_at_the_names_own)
{
	ck_assert(matches("10.0.0.0/8:5432", "10.1.2.3:5432"));
	ck_assert(!matches("10.0.0.0/8:5432", "db.internal:5432"));
	ck_assert(matches("[2001:db8::]/32:443", "[2001:db8::1]:443"));
}
END_TEST

START_TEST(a_socket_in_the_file_system_is_matched_by_its_path)
{
	ck_assert(matches("unix:/run/*", "unix:/run/pg/.s:1"));
	ck_assert(matches("unix:/run/a:b", "unix:/run/a:b"));
	ck_assert(!matches("unix:/RUN/*", "unix:/run/pg"));
	ck_assert(!matches("web:*", "unix:/run/pg"));
}
END_TEST

START_TEST(what_is_no_pattern_is_refused)
{
	static const char *const bad[] = { "",
					   ":80",
					   "web:",
					   "2001:db8::1",
					   "[2001:db8::1",
					   "10.0.0.0/33",
					   "10.0.0.0/",
					   "10.0.0.0/x",
					   "[2001:db8::]/129",
					   "web/8",
					   "10.0.0/8",
					   "we b:80",
					   "web:80\n",
					   "a,b",
					   "[::ffff:1.2.3.4]/95",
					   "[::1]x:80" };
	struct il_pattern pattern;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(il_pattern_parse(&pattern, bad[i], strlen(bad[i])) == -EINVAL, "'%s'",
			      bad[i]);
}
END_TEST

START_TEST(a_list_matches_if_one_of_its_patterns_does)
{
	struct il_list list = { "a:1, b:2 ,,[::1]:3", 18 };

	ck_assert(il_pattern_list_matches(list, "a:1", 3, NULL));
	ck_assert(il_pattern_list_matches(list, "b:2", 3, NULL));
	ck_assert(il_pattern_list_matches(list, "[::1]:3", 7, NULL));
	ck_assert(!il_pattern_list_matches(list, "b:1", 3, NULL));
	ck_assert(!il_pattern_list_matches((struct il_list){ "", 0 }, "b:1", 3, NULL));
}
END_TEST

static const char *shown(const char *address)
{
	static char buffer[64];
	struct il_text text = il_text_in(buffer, sizeof(buffer));
	struct il_address parsed;

	if (il_address_parse(&parsed, address, strlen(address)) < 0)
		return "bad";
	il_address_text(&text, &parsed);
	return buffer;
}

START_TEST(addresses_print_in_their_shortest_form)
{
	ck_assert_str_eq(shown("10.2.0.7"), "10.2.0.7");
	ck_assert_str_eq(shown("::"), "[::]");
	ck_assert_str_eq(shown("::1"), "[::1]");
	ck_assert_str_eq(shown("1::"), "[1::]");
	ck_assert_str_eq(shown("2001:DB8:0:0:1:0:0:1"), "[2001:db8::1:0:0:1]");
	ck_assert_str_eq(shown("2001:db8:0:1:1:1:1:1"), "[2001:db8:0:1:1:1:1:1]");
	ck_assert_str_eq(shown("2001:0:0:1:0:0:0:1"), "[2001:0:0:1::1]");
	ck_assert_str_eq(shown("[fe80::1%2]"), "[fe80::1%2]");
	ck_assert_str_eq(shown("::ffff:1.2.3.4"), "1.2.3.4");
	ck_assert_str_eq(shown("64:ff9b::1.2.3.4"), "[64:ff9b::102:304]");
}
END_TEST

START_TEST(what_is_no_address_is_refused)
{
	static const char *const bad[] = { "",
					   "1.2.3",
					   "1.2.3.4.5",
					   "1.2.3.256",
					   "01.2.3.4",
					   "1.2.3.",
					   ":::",
					   "1::2::3",
					   "1:2:3:4:5:6:7",
					   "1:2:3:4:5:6:7:8:9",
					   "1:2:3:4:5:6:7:8::",
					   "::12345",
					   "::g",
					   ":1",
					   "1:",
					   "[::1",
					   "::1]",
					   "[]",
					   "::1.2.3",
					   "1.2.3.4::",
					   "::1%",
					   "::1%x",
					   "[1.2.3.4]" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(strcmp(shown(bad[i]), "bad") == 0, "'%s'", bad[i]);
}
END_TEST

START_TEST(addresses_agree_with_the_c_library)
{
	uint64_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		uint8_t bytes[16];
		char expected[64], brackets[72];

		for (int j = 0; j < 16; j++) {
			seed = seed * 6364136223846793005U + 1442695040888963407U;
			bytes[j] = seed >> 63 ? (uint8_t)(seed >> 40) : 0;
		}
		bytes[1] = 1;
		inet_ntop(AF_INET6, bytes, expected, sizeof(expected));
		snprintf(brackets, sizeof(brackets), "[%s]", expected);
		ck_assert_str_eq(shown(expected), brackets);
	}
}
END_TEST

RUN_TESTS("pattern", a_star_takes_any_bytes_and_a_question_mark_one, brackets_are_no_classes,
	  many_stars_do_not_take_for_ever, a_host_ignores_case_and_a_missing_port_means_any,
	  a_name_without_a_port_is_matched_by_no_pattern_with_one,
	  brackets_hold_an_address_in_any_spelling, a_block_looks_at_the_address,
	  a_block_without_an_address_looks_at_the_names_own,
	  a_socket_in_the_file_system_is_matched_by_its_path, what_is_no_pattern_is_refused,
	  a_list_matches_if_one_of_its_patterns_does, addresses_print_in_their_shortest_form,
	  what_is_no_address_is_refused, addresses_agree_with_the_c_library)
