/* The grammar of the control file, and which lines hold for whom. */
#include "config/rules.h"

#include "check_run.h"

#include <stdio.h>
#include <string.h>

static struct il_rule room[IL_RULES_MAX];
static struct il_rules rules;
static struct il_settings base;
static char told[4096];

static void note(void *context, uint32_t line, const char *why)
{
	ck_assert_ptr_null(context);
	snprintf(told + strlen(told), sizeof(told) - strlen(told), "%u: %s\n", line, why);
}

static void given_bytes(const char *text, size_t length)
{
	told[0] = 0;
	base = il_settings_default();
	rules = (struct il_rules){ .rules = room, .room = IL_RULES_MAX };
	il_rules_read(&rules, text, length, (struct il_rules_sink){ note, NULL });
}

static void given(const char *text)
{
	given_bytes(text, strlen(text));
}

static struct il_orders about(const char *name)
{
	struct il_orders orders;

	il_rules_about(&rules, name, strlen(name), &base, &orders);
	return orders;
}

static struct il_rules_destination at(const char *name)
{
	struct il_rules_destination destination;

	il_rules_at_connect(&rules, name, strlen(name), NULL, &destination);
	return destination;
}

static void is_bad(const char *line, const char *said)
{
	given(line);
	ck_assert_msg(rules.count == 0 && rules.bad == 1 && strstr(told, said), "'%s' says '%s'",
		      line, told);
}

START_TEST(comments_and_empty_lines_say_nothing)
{
	given("# all of it\n\n   \t\n   # indented\na:1 oneway # behind\n");
	ck_assert_uint_eq(rules.count, 1);
	ck_assert_uint_eq(rules.bad, 0);
	ck_assert_uint_eq(rules.rules[0].line, 5);
}
END_TEST

START_TEST(the_last_line_that_matches_wins_for_each_class)
{
	given("*:* METRICS_ONLY wait_duration_in_open=5s\ndb:* FORCED_OPEN\n"
	      "db:5432 wait_duration_in_open=7s failure_rate_threshold=25%\n");
	struct il_orders orders = about("db:5432");

	ck_assert_uint_eq(orders.state, IL_FORCED_OPEN);
	ck_assert_uint_eq(orders.state_line, 2);
	ck_assert_int_eq(orders.settings.wait_duration_in_open_ns, 7000000000);
	ck_assert_double_eq(orders.settings.failure_rate_threshold, 0.25);
	orders = about("web:80");
	ck_assert_uint_eq(orders.state, IL_METRICS_ONLY);
	ck_assert_int_eq(orders.settings.wait_duration_in_open_ns, 5000000000);
}
END_TEST

START_TEST(a_name_without_lines_has_no_orders)
{
	given("db:5432 FORCED_OPEN\n");
	ck_assert_uint_eq(about("web:80").classes, 0);
}
END_TEST

START_TEST(words_ignore_case)
{
	given("a:1 forced_open Failure_Rate_Threshold=10%\n");
	ck_assert_uint_eq(about("a:1").state, IL_FORCED_OPEN);
	ck_assert_double_eq(about("a:1").settings.failure_rate_threshold, 0.1);
}
END_TEST

START_TEST(every_word_is_read)
{
	given("a:1 reset=x reject_errno=ETIMEDOUT reject_established=1 http_failure_status=404,500\n");
	struct il_orders orders = about("a:1");

	ck_assert_uint_eq(orders.classes, IL_RULE_RESET | IL_RULE_ERRNO | IL_RULE_ESTABLISHED |
						  IL_RULE_STATUSES);
	ck_assert_uint_ne(orders.reset, 0);
	ck_assert_int_eq(orders.reject_errno, 110);
	ck_assert(orders.reject_established);
	ck_assert(il_statuses_has(&orders.http_failure, 404));
	ck_assert(!il_statuses_has(&orders.http_failure, 503));
}
END_TEST

START_TEST(another_token_is_another_hash)
{
	given("a:1 reset=1\nb:1 reset=2\n");
	ck_assert_uint_ne(about("a:1").reset, about("b:1").reset);
}
END_TEST

START_TEST(a_destination_is_ignored_until_a_later_line_says_otherwise)
{
	given("*:* IGNORE\ndb:5432 CLOSED\n");
	ck_assert(at("web:80").ignored);
	ck_assert_uint_eq(at("web:80").ignored_line, 1);
	ck_assert(!at("db:5432").ignored);
}
END_TEST

START_TEST(a_destination_gets_another_name)
{
	given("*.consul:* name=consul\nlog:514 oneway\n");
	struct il_rules_destination destination = at("x.consul:80");

	ck_assert_uint_eq(destination.name_length, 6);
	ck_assert(memcmp(destination.name, "consul", 6) == 0);
	ck_assert_ptr_null(at("x.other:80").name);
	ck_assert(at("log:514").oneway);
}
END_TEST

START_TEST(an_address_block_matches_the_address_of_a_name)
{
	struct il_rules_destination destination;
	struct il_address address;

	given("10.0.0.0/8:5432 name=databases\n");
	ck_assert_int_eq(il_address_parse(&address, "10.2.0.7", 8), 0);
	il_rules_at_connect(&rules, "db:5432", 7, &address, &destination);
	ck_assert_ptr_nonnull(destination.name);
	ck_assert_ptr_nonnull(at("10.1.1.1:5432").name);
	ck_assert_ptr_null(at("11.1.1.1:5432").name);
}
END_TEST

START_TEST(bad_lines_are_told_with_number_and_cause_and_the_others_hold)
{
	given("a:1 FORCED_OPEN\nb:1 FORCED\nc:1 wait_duration_in_open='5 minuts'\nd:1 oneway\n");
	ck_assert_uint_eq(rules.count, 2);
	ck_assert_uint_eq(rules.bad, 2);
	ck_assert_ptr_nonnull(strstr(told, "2: 'FORCED' is no word of a rule"));
	ck_assert_ptr_nonnull(strstr(told, "3: wait_duration_in_open '\\x275' is not valid (give"));
	ck_assert_uint_eq(about("a:1").state, IL_FORCED_OPEN);
	ck_assert(at("d:1").oneway);
}
END_TEST

START_TEST(what_is_wrong_is_said)
{
	is_bad("a:1", "nothing is said");
	is_bad("a:1 # CLOSED", "nothing is said");
	is_bad("a:1 CLOSED IGNORE", "two state words");
	is_bad("a:1 OPEN", "no word of a rule");
	is_bad("a:1 colour=red", "'colour' is no setting");
	is_bad("a:1 name=", "name '' is not valid");
	is_bad("a:1 name=a,b", "name 'a,b' is not valid");
	is_bad("a:1 reset=", "reset '' is not valid");
	is_bad("a:1 failure_rate_threshold=2", "failure_rate_threshold");
	is_bad("a:1 initial_state=OPEN", "initial_state");
	is_bad("a:1 window_size=10 minimum_number_of_calls=20", "minimum_number_of_calls");
	is_bad("a:1 reject_errno=EAGAIN", "reject_errno");
	is_bad("a:1 http_failure_status=99", "http_failure_status");
	is_bad("::1:443 CLOSED", "is no destination");
	is_bad("10.0.0.0/40 CLOSED", "is no destination");
}
END_TEST

START_TEST(a_line_may_go_beyond_the_defaults_that_it_does_not_speak_of)
{
	given("a:1 minimum_number_of_calls=200\na:1 wait_duration_in_open_max=5s\n"
	      "a:1 max_concurrent_probes=20\n");
	ck_assert_msg(rules.count == 3, "%s", told);
}
END_TEST

START_TEST(settings_that_contradict_the_rest_are_left_out)
{
	given("a:1 minimum_number_of_calls=200 failure_rate_threshold=1%\na:1 FORCED_OPEN\n");
	struct il_orders orders = about("a:1");

	ck_assert(orders.contradicts);
	ck_assert_double_eq(orders.settings.failure_rate_threshold, 0.5);
	ck_assert_uint_eq(orders.state, IL_FORCED_OPEN);
}
END_TEST

START_TEST(a_smaller_window_brings_its_own_minimum)
{
	given("a:1 window_size=5\n");
	ck_assert(!about("a:1").contradicts);
	ck_assert_uint_eq(about("a:1").settings.minimum_number_of_calls, 5);
}
END_TEST

START_TEST(the_last_line_may_lack_its_end_and_lines_may_end_in_crlf)
{
	given("a:1 FORCED_OPEN\r\n\r\nb:1 DISABLED\r\nc:1 CLOSED");
	ck_assert_uint_eq(rules.count, 3);
	ck_assert_uint_eq(rules.bad, 0);
	ck_assert_uint_eq(about("b:1").state, IL_DISABLED);
	ck_assert_uint_eq(about("c:1").state_line, 4);
}
END_TEST

START_TEST(binary_is_bad_line_by_line)
{
	char bytes[3000];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7 % 256);
	given_bytes(bytes, sizeof(bytes));
	ck_assert_uint_eq(rules.count, 0);
	ck_assert_uint_gt(rules.bad, 0);
	given_bytes("a:1 CLOSED\0\n", 12);
	ck_assert_uint_eq(rules.bad, 1);
}
END_TEST

START_TEST(rules_beyond_the_room_are_bad_lines)
{
	told[0] = 0;
	rules = (struct il_rules){ .rules = room, .room = 1 };
	il_rules_read(&rules, "a:1 oneway\nb:1 oneway\n", 22, (struct il_rules_sink){ note, NULL });
	ck_assert_uint_eq(rules.count, 1);
	ck_assert_str_eq(told, "2: too many rules\n");
}
END_TEST

RUN_TESTS("rules", comments_and_empty_lines_say_nothing,
	  the_last_line_that_matches_wins_for_each_class, a_name_without_lines_has_no_orders,
	  words_ignore_case, every_word_is_read, another_token_is_another_hash,
	  a_destination_is_ignored_until_a_later_line_says_otherwise,
	  a_destination_gets_another_name, an_address_block_matches_the_address_of_a_name,
	  bad_lines_are_told_with_number_and_cause_and_the_others_hold, what_is_wrong_is_said,
	  a_line_may_go_beyond_the_defaults_that_it_does_not_speak_of,
	  settings_that_contradict_the_rest_are_left_out, a_smaller_window_brings_its_own_minimum,
	  the_last_line_may_lack_its_end_and_lines_may_end_in_crlf,
	  binary_is_bad_line_by_line, rules_beyond_the_room_are_bad_lines)
