/* The control file at work on breakers. */
#include "engine_rig.h"

#include "engine/steer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

static struct il_steer steer, second;
static struct il_log log_of_events;
static char dir[64], path[128], log_path[128];
static struct il_statuses statuses;
static int64_t now;

static void remove_all(void)
{
	unlink(path);
	unlink(log_path);
	rmdir(dir);
}

static void write_rules(const char *text)
{
	char temporary[160];
	int fd;

	snprintf(temporary, sizeof(temporary), "%s.new", path);
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ck_assert_int_eq(rename(temporary, path), 0);
}

static void steered_by(struct il_steer *one, const char *file)
{
	memset(one, 0, sizeof(*one));
	il_steer_init(one, file, SECOND, &settings, &statuses);
	engine.steer = one;
}

static void look(void)
{
	now += SECOND;
	il_steer_look(&engine, &self, now);
}

/* The rules so written, and read by this process. */
static void given_rules(const char *text)
{
	write_rules(text);
	look();
}

static void given_a_steered_engine(const char *text)
{
	given_an_engine();
	strcpy(dir, "/tmp/interlock-steer-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/control", dir);
	snprintf(log_path, sizeof(log_path), "%s/log", dir);
	atexit(remove_all);
	il_log_start(&log_of_events);
	il_log_set(&log_of_events, log_path, IL_LOG_INFO, IL_LOG_TEXT);
	engine.log = &log_of_events;
	now = START;
	ck_assert_int_eq(il_words_statuses("503", 3, &statuses), 0);
	memcpy(recipe.http_failure, statuses.bits, sizeof(statuses.bits));
	steered_by(&steer, path);
	given_rules(text);
}

/* Lines of the log with all of this. */
static unsigned told(const char *what, const char *and)
{
	char line[1024];
	unsigned lines = 0;
	FILE *log = fopen(log_path, "r");

	if (!log)
		return 0;
	while (fgets(line, sizeof(line), log))
		lines += strstr(line, what) && strstr(line, and);
	fclose(log);
	return lines;
}

static enum il_admission ask(void)
{
	struct il_ticket ticket;
	enum il_admission admission = admit(now, &ticket);

	if (admission == IL_ADMITTED)
		settle(&ticket, IL_VERDICT_DROPPED, 0, now);
	return admission;
}

START_TEST(a_forced_open_breaker_rejects_until_its_line_is_gone)
{
	given_a_steered_engine("# nothing\n");
	ck_assert_int_eq(ask(), IL_ADMITTED);
	given_rules("db.internal:* FORCED_OPEN\n");
	ck_assert_int_eq(ask(), IL_REJECTED);
	ck_assert_int_eq(ask(), IL_REJECTED);
	ck_assert_uint_eq(told("state_change", "by=control"), 1);
	given_rules("# nothing\n");
	ck_assert_int_eq(ask(), IL_ADMITTED);
	ck_assert_int_eq(ask(), IL_ADMITTED);
	ck_assert_uint_eq(told("state_change", "from=FORCED_OPEN to=CLOSED"), 1);
	ck_assert_uint_eq(told("reset", ""), 0);
}
END_TEST

START_TEST(nothing_changes_before_the_interval_is_over)
{
	given_a_steered_engine("# nothing\n");
	ask();
	write_rules("*:* FORCED_OPEN\n");
	il_steer_look(&engine, &self, now + SECOND - 1);
	ck_assert_int_eq(ask(), IL_ADMITTED);
	il_steer_look(&engine, &self, now + SECOND);
	ck_assert_int_eq(ask(), IL_REJECTED);
}
END_TEST

START_TEST(a_new_breaker_is_made_in_the_state_of_its_line_without_an_event)
{
	given_a_steered_engine("*:* METRICS_ONLY\n");
	ck_assert_int_eq(ask(), IL_ADMITTED);
	ck_assert_uint_eq(the_state(), IL_METRICS_ONLY);
	ck_assert_uint_eq(told("", ""), 0);
	ck_assert_uint_eq(the_slot()->settings.initial_state, IL_CLOSED);
}
END_TEST

START_TEST(closed_ends_metrics_only_with_a_fresh_window)
{
	given_a_steered_engine("# nothing\n");
	settings.initial_state = IL_METRICS_ONLY;
	call(IL_FAILURE, now);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 1);
	given_rules("*:* CLOSED\n");
	ck_assert_int_eq(ask(), IL_ADMITTED);
	ck_assert_uint_eq(the_state(), IL_CLOSED);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 0);
	ck_assert_uint_eq(told("reset", "by=control"), 1);
	recipe.name = "web.internal:80"; /* seen first now */
	ask();
	ck_assert_uint_eq(the_state(), IL_CLOSED);
	given_rules("# nothing\n");
	ask();
	ck_assert_uint_eq(the_state(), IL_METRICS_ONLY);
}
END_TEST

START_TEST(closed_leaves_a_normal_life_alone)
{
	given_a_steered_engine("# nothing\n");
	given_it_is_open(now);
	given_rules("*:* CLOSED\n");
	ck_assert_int_eq(ask(), IL_REJECTED);
	ck_assert_uint_eq(the_state(), IL_OPEN);
	given_rules("# nothing\n");
	ck_assert_int_eq(ask(), IL_REJECTED);
}
END_TEST

START_TEST(a_reset_is_done_once_for_each_token)
{
	given_a_steered_engine("# nothing\n");
	given_it_is_open(now);
	given_rules("*:* reset=1\n");
	ck_assert_int_eq(ask(), IL_ADMITTED);
	ck_assert_uint_eq(count(IL_COUNT_resets), 1);
	given_it_is_open(now);
	given_rules("*:* reset=1 # the same\n");
	ck_assert_int_eq(ask(), IL_REJECTED);
	given_rules("# nothing\n");
	ck_assert_int_eq(ask(), IL_REJECTED);
	given_rules("*:* reset=2\n");
	ck_assert_int_eq(ask(), IL_ADMITTED);
	ck_assert_uint_eq(count(IL_COUNT_resets), 2);
	ck_assert_uint_eq(told(" reset ", "by=control"), 2);
}
END_TEST

START_TEST(a_token_that_is_there_when_the_breaker_is_made_counts_as_done)
{
	given_a_steered_engine("*:* reset=1\n");
	call(IL_SUCCESS, now);
	ck_assert_uint_eq(count(IL_COUNT_resets), 0);
	given_rules("*:* reset=1\n# again\n");
	call(IL_SUCCESS, now);
	ck_assert_uint_eq(count(IL_COUNT_resets), 0);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 2);
}
END_TEST

START_TEST(a_reset_under_an_override_keeps_the_override)
{
	given_a_steered_engine("# nothing\n");
	ask();
	given_rules("*:* FORCED_OPEN\n");
	ask();
	given_rules("*:* FORCED_OPEN reset=1\n");
	ck_assert_int_eq(ask(), IL_REJECTED);
	ck_assert_uint_eq(told("state_change", ""), 1);
	ck_assert_uint_eq(told(" reset ", "by=control"), 1);
}
END_TEST

START_TEST(lower_thresholds_leave_the_wait_and_the_window_of_an_open_breaker)
{
	given_a_steered_engine("# nothing\n");
	given_it_is_open(now);
	int64_t opened_ns = the_slot()->breaker.opened_at_ns;
	uint32_t total = the_slot()->breaker.window.tally.total;

	given_rules("*:* failure_rate_threshold=1% wait_duration_in_open=1h\n");
	ck_assert_int_eq(ask(), IL_REJECTED);
	ck_assert_double_eq(the_slot()->settings.failure_rate_threshold, 0.01);
	ck_assert_int_eq(the_slot()->breaker.opened_at_ns, opened_ns);
	ck_assert_int_eq(the_slot()->breaker.wait_ns, 10 * SECOND);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, total);
}
END_TEST

START_TEST(settings_go_back_when_their_line_is_gone)
{
	given_a_steered_engine("# nothing\n");
	ask();
	given_rules("*:* failure_rate_threshold=1% http_failure_status=404 reject_errno=EIO "
		    "reject_established=on\n");
	ask();
	ck_assert_uint_eq(the_slot()->reject_errno, EIO);
	ck_assert_uint_eq(the_slot()->reject_established, 2);
	ck_assert_uint_eq(the_slot()->http_failure[(404 - 100) / 8], 1 << (404 - 100) % 8);
	given_rules("# nothing\n");
	ask();
	ck_assert_double_eq(the_slot()->settings.failure_rate_threshold, 0.5);
	ck_assert_uint_eq(the_slot()->reject_errno, 0);
	ck_assert_uint_eq(the_slot()->reject_established, 0);
	ck_assert_mem_eq(the_slot()->http_failure, statuses.bits, sizeof(statuses.bits));
}
END_TEST

START_TEST(another_window_starts_empty_and_may_be_larger)
{
	given_a_steered_engine("# nothing\n");
	call(IL_FAILURE, now);
	given_rules("*:* window_type=TIME_BASED window_size=3600\n");
	call(IL_SUCCESS, now);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 1);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.failed, 0);
	for (int i = 0; i < 200; i++)
		call(IL_SUCCESS, now + i * SECOND);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 201);
}
END_TEST

START_TEST(who_was_killed_while_changing_the_window_leaves_an_empty_one)
{
	given_a_steered_engine("# nothing\n");
	call(IL_FAILURE, now);
	the_slot()->rules_version = IL_RULES_UNFINISHED;
	the_slot()->settings.window_size = 7;
	call(IL_SUCCESS, now);
	ck_assert_uint_eq(the_slot()->breaker.window.tally.total, 1);
	ck_assert_uint_eq(the_slot()->settings.window_size, settings.window_size);
}
END_TEST

START_TEST(settings_that_contradict_each_other_are_left_out_and_told)
{
	given_a_steered_engine("# nothing\n");
	ask();
	given_rules("*:* FORCED_OPEN minimum_number_of_calls=200\n");
	ck_assert_int_eq(ask(), IL_REJECTED);
	ck_assert_uint_eq(the_slot()->settings.minimum_number_of_calls, 4);
	ck_assert_uint_eq(told("line 1: the settings of db.internal:5432 contradict", ""), 1);
}
END_TEST

START_TEST(a_process_with_another_file_neither_applies_nor_withdraws)
{
	char other[160];

	given_a_steered_engine("*:* FORCED_OPEN\n");
	ck_assert_int_eq(ask(), IL_REJECTED);
	snprintf(other, sizeof(other), "%s.other", path);
	steered_by(&second, other);
	look();
	look();
	look();
	ck_assert_int_eq(ask(), IL_REJECTED);
	ck_assert_uint_eq(told("steered by another", other), 1);
	engine.steer = &steer;
	given_rules("# nothing\n");
	ck_assert_int_eq(ask(), IL_ADMITTED);
}
END_TEST

START_TEST(a_process_that_is_behind_changes_nothing_back)
{
	given_a_steered_engine("# nothing\n");
	ask();
	steered_by(&second, path);
	given_rules("*:* FORCED_OPEN\n");
	ck_assert_int_eq(ask(), IL_REJECTED);
	engine.steer = &steer; /* has not looked since */
	ck_assert_int_eq(ask(), IL_REJECTED);
	look();
	ck_assert_int_eq(ask(), IL_REJECTED);
	ck_assert_uint_eq(told("state_change", ""), 1);
}
END_TEST

START_TEST(a_missing_file_withdraws_at_the_second_look)
{
	given_a_steered_engine("*:* FORCED_OPEN\n");
	ck_assert_int_eq(ask(), IL_REJECTED);
	unlink(path);
	look();
	ck_assert_int_eq(ask(), IL_REJECTED);
	look();
	ck_assert_int_eq(ask(), IL_ADMITTED);
}
END_TEST

START_TEST(an_unsafe_file_changes_nothing)
{
	given_a_steered_engine("*:* FORCED_OPEN\n");
	ask();
	write_rules("# nothing\n");
	chmod(path, 0666);
	look();
	ck_assert_int_eq(ask(), IL_REJECTED);
	ck_assert_uint_eq(told("its group or others may write to it", ""), 1);
}
END_TEST

START_TEST(a_later_exchange_brings_the_breaker_up_too)
{
	given_a_steered_engine("# nothing\n");
	struct il_ticket ticket;

	ck_assert_int_eq(admit(now, &ticket), IL_ADMITTED);
	settle(&ticket, IL_VERDICT_RECORD, IL_SUCCESS, now);
	given_rules("*:* FORCED_OPEN\n");
	il_engine_begin(&engine, &self, &ticket, now, &ticket);
	ck_assert_uint_eq(the_state(), IL_FORCED_OPEN);
	ck_assert(ticket.passed);
}
END_TEST

static int64_t at_ns;

static void use_the_breaker(int64_t now_ns)
{
	struct il_ticket ticket;

	steer.due_ns = 0;
	il_steer_look(&engine, &self, now_ns);
	admit(now_ns, &ticket);
	settle(&ticket, IL_VERDICT_DROPPED, 0, now_ns);
}

START_TEST(eight_processes_reset_once)
{
	given_a_steered_engine("# nothing\n");
	given_it_is_open(now);
	at_ns = now;
	write_rules("*:* reset=1\n");
	pid_t children[8];

	for (int i = 0; i < 8; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			self = il_self_read();
			il_steer_forked(&steer);
			use_the_breaker(at_ns);
			_exit(0);
		}
	}
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(waitpid(children[i], NULL, 0), children[i]);
	ck_assert_uint_eq(count(IL_COUNT_resets), 1);
	ck_assert_uint_eq(the_state(), IL_CLOSED);
}
END_TEST

START_TEST(what_is_said_of_a_destination_is_found)
{
	struct il_steer_destination destination;

	given_a_steered_engine("*.consul:* name=consul\nlog:514 oneway\nmeta:* IGNORE\n");
	ck_assert(il_steer_destination(&engine, "a.consul:80", 11, NULL, now, &destination));
	ck_assert_str_eq(destination.name, "consul");
	ck_assert(!destination.ignored && !destination.oneway);
	ck_assert(il_steer_destination(&engine, "log:514", 7, NULL, now, &destination));
	ck_assert(destination.oneway);
	ck_assert(il_steer_destination(&engine, "meta:80", 7, NULL, now, &destination));
	ck_assert(destination.ignored);
}
END_TEST

RUN_TESTS("steer", a_forced_open_breaker_rejects_until_its_line_is_gone,
	  nothing_changes_before_the_interval_is_over,
	  a_new_breaker_is_made_in_the_state_of_its_line_without_an_event,
	  closed_ends_metrics_only_with_a_fresh_window, closed_leaves_a_normal_life_alone,
	  a_reset_is_done_once_for_each_token,
	  a_token_that_is_there_when_the_breaker_is_made_counts_as_done,
	  a_reset_under_an_override_keeps_the_override,
	  lower_thresholds_leave_the_wait_and_the_window_of_an_open_breaker,
	  settings_go_back_when_their_line_is_gone, another_window_starts_empty_and_may_be_larger,
	  who_was_killed_while_changing_the_window_leaves_an_empty_one,
	  settings_that_contradict_each_other_are_left_out_and_told,
	  a_process_with_another_file_neither_applies_nor_withdraws,
	  a_process_that_is_behind_changes_nothing_back,
	  a_missing_file_withdraws_at_the_second_look, an_unsafe_file_changes_nothing,
	  a_later_exchange_brings_the_breaker_up_too, eight_processes_reset_once,
	  what_is_said_of_a_destination_is_found)
