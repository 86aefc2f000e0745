/* The order in which the log tells what happened, as dashboards and people rely on it. */
#include "engine_rig.h"

#include <stdio.h>

static char path[64];
static struct il_log log_;
static char told[4096];

static void given_a_log(void)
{
	int fd;

	given_an_engine();
	snprintf(path, sizeof(path), "/tmp/il_order.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	il_log_start(&log_);
	il_log_set(&log_, path, IL_LOG_DEBUG, 0);
	engine.log = &log_;
}

/* The value of ` key=` in a line, or "". */
static const char *value(const char *line, const char *key)
{
	static char room[2][32];
	static int turn;
	const char *at = strstr(line, key);

	turn = !turn;
	room[turn][0] = 0;
	if (at)
		sscanf(at + strlen(key), "%31[A-Z_]", room[turn]);
	return room[turn];
}

/* What the log has told since the last time, short: `call=FAILURE CLOSED>OPEN reset`. */
static const char *what_is_told(void)
{
	char line[600];
	FILE *file = fopen(path, "r");
	size_t used = 0;

	ck_assert_ptr_nonnull(file);
	told[0] = 0;
	while (fgets(line, sizeof(line), file)) {
		const char *space = used ? " " : "";
		size_t room = sizeof(told) - used;

		if (strstr(line, " state_change "))
			used += (size_t)snprintf(told + used, room, "%s%s>%s", space,
						 value(line, " from="), value(line, " to="));
		else if (strstr(line, " call "))
			used += (size_t)snprintf(told + used, room, "%scall=%s", space,
						 value(line, " outcome="));
		else if (strstr(line, " reset "))
			used += (size_t)snprintf(told + used, room, "%sreset", space);
		else if (strstr(line, " rejected "))
			used += (size_t)snprintf(told + used, room, "%srejected", space);
		else
			used += (size_t)snprintf(told + used, room, "%s?", space);
	}
	fclose(file);
	ck_assert_int_eq(truncate(path, 0), 0);
	return told;
}

static void then_it_is_told(const char *events)
{
	ck_assert_str_eq(what_is_told(), events);
}

static void forget_the_log(void)
{
	unlink(path);
}

static void operator(enum il_state state)
{
	uint64_t incarnation = 0;
	int place = il_table_find(&engine.segment, recipe.name, &incarnation);

	ck_assert_int_ge(place, 0);
	ck_assert_int_eq(
		il_engine_override(&engine, &self, (uint32_t)place, incarnation, state, START), 0);
}

START_TEST(at_a_trip_first_the_call_and_then_the_change)
{
	given_a_log();
	given_it_is_open(START);
	then_it_is_told("call=FAILURE call=FAILURE call=FAILURE call=FAILURE CLOSED>OPEN");
	forget_the_log();
}
END_TEST

START_TEST(at_a_first_probe_half_open_then_the_call_then_closed)
{
	given_a_log();
	settings.permitted_calls_in_half_open = 1;
	given_it_is_open(START);
	what_is_told();
	call(IL_SUCCESS, START + 10 * SECOND);
	then_it_is_told("OPEN>HALF_OPEN call=SUCCESS HALF_OPEN>CLOSED");
	forget_the_log();
}
END_TEST

START_TEST(a_probe_that_fails_the_round_is_told_before_the_change)
{
	given_a_log();
	settings.permitted_calls_in_half_open = 1;
	given_it_is_open(START);
	what_is_told();
	call(IL_FAILURE, START + 10 * SECOND);
	then_it_is_told("OPEN>HALF_OPEN call=FAILURE HALF_OPEN>OPEN");
	forget_the_log();
}
END_TEST

START_TEST(the_timers_move_is_one_event_and_the_next_call_is_a_probe)
{
	given_a_log();
	settings.auto_transition = 1;
	settings.permitted_calls_in_half_open = 1;
	given_it_is_open(START);
	what_is_told();
	il_engine_auto(&engine, &self, START + 10 * SECOND);
	il_engine_auto(&engine, &self, START + 10 * SECOND);
	call(IL_SUCCESS, START + 10 * SECOND);
	then_it_is_told("OPEN>HALF_OPEN call=SUCCESS HALF_OPEN>CLOSED");
	forget_the_log();
}
END_TEST

START_TEST(an_override_repeated_is_no_change)
{
	given_a_log();
	call(IL_SUCCESS, START);
	what_is_told();
	operator(IL_FORCED_OPEN);
	then_it_is_told("CLOSED>FORCED_OPEN");
	operator(IL_FORCED_OPEN);
	then_it_is_told("");
	forget_the_log();
}
END_TEST

START_TEST(a_reset_is_always_told_and_a_change_only_where_there_is_one)
{
	given_a_log();
	call(IL_SUCCESS, START);
	what_is_told();
	operator(IL_CLOSED);
	then_it_is_told("reset");
	operator(IL_FORCED_OPEN);
	what_is_told();
	operator(IL_CLOSED);
	then_it_is_told("FORCED_OPEN>CLOSED reset");
	forget_the_log();
}
END_TEST

START_TEST(disabled_still_tells_of_calls_and_forced_open_of_rejections)
{
	given_a_log();
	struct il_ticket ticket;

	settings.initial_state = IL_DISABLED;
	call(IL_FAILURE, START);
	then_it_is_told("call=FAILURE");
	operator(IL_FORCED_OPEN);
	what_is_told();
	ck_assert_int_eq(admit(START, &ticket), IL_REJECTED);
	then_it_is_told("rejected");
	forget_the_log();
}
END_TEST

START_TEST(an_initial_state_is_no_change)
{
	given_a_log();
	settings.initial_state = IL_METRICS_ONLY;
	call(IL_SUCCESS, START);
	then_it_is_told("call=SUCCESS");
	forget_the_log();
}
END_TEST

START_TEST(rejections_within_a_second_are_one_line_with_their_count)
{
	given_a_log();
	struct il_ticket ticket;
	char line[600] = "";

	given_it_is_open(START);
	what_is_told();
	for (int i = 0; i < 100; i++)
		admit(START + i * MS, &ticket);
	then_it_is_told("rejected");
	admit(START + 2 * SECOND, &ticket);
	FILE *file = fopen(path, "r");

	ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
	fclose(file);
	ck_assert_ptr_nonnull(strstr(line, "count=100"));
	forget_the_log();
}
END_TEST

RUN_TESTS("order", at_a_trip_first_the_call_and_then_the_change,
	  at_a_first_probe_half_open_then_the_call_then_closed,
	  a_probe_that_fails_the_round_is_told_before_the_change,
	  the_timers_move_is_one_event_and_the_next_call_is_a_probe,
	  an_override_repeated_is_no_change,
	  a_reset_is_always_told_and_a_change_only_where_there_is_one,
	  disabled_still_tells_of_calls_and_forced_open_of_rejections,
	  an_initial_state_is_no_change, rejections_within_a_second_are_one_line_with_their_count)
