#include "report/log.h"

#include "check_run.h"
#include "interlock/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static char buffer[1024];

static struct il_line given_a_line(uint8_t kind)
{
	return (struct il_line){
		.wall_ns = 1795981139123000000,
		.pid = 4711,
		.event = { .kind = kind,
			   .from = IL_CLOSED,
			   .to = IL_OPEN,
			   .why = IL_WHY_FAILURE_RATE,
			   .outcome = IL_SLOW_SUCCESS,
			   .calls = 21,
			   .failed = 13,
			   .retry_after_ns = 60000000000 },
		.breaker = "payments.internal:443",
		.breaker_length = 21,
		.count = 312,
		.duration_ns = 2104000123,
		.seen = "http:200",
		.phase = "answer",
		.address = "10.2.0.7",
		.by = kind == IL_EVENT_RESET ? "control" : "",
	};
}

static const char *shown(const struct il_line *line, enum il_log_format format, size_t size)
{
	struct il_text text = il_text_in(buffer, size);

	il_line_event(&text, format, line);
	return buffer;
}

#define HEAD "2026-11-29T19:38:59.123Z interlock[4711] "

START_TEST(a_trip_is_told_with_the_numbers_that_decided)
{
	struct il_line line = given_a_line(IL_EVENT_STATE_CHANGE);

	ck_assert_str_eq(shown(&line, IL_LOG_TEXT, 600),
			 HEAD "warning state_change breaker=payments.internal:443 from=CLOSED "
			      "to=OPEN failure_rate=0.62 slow_rate=0.00 calls=21 failed=13 slow=0 "
			      "retry_after=60s");
}
END_TEST

START_TEST(a_rejection_is_told_with_its_count)
{
	struct il_line line = given_a_line(IL_EVENT_REJECTED);

	ck_assert_str_eq(shown(&line, IL_LOG_TEXT, 600), HEAD
			 "warning rejected breaker=payments.internal:443 state=OPEN count=312");
}
END_TEST

START_TEST(a_call_is_told_with_what_was_seen)
{
	struct il_line line = given_a_line(IL_EVENT_CALL);

	ck_assert_str_eq(shown(&line, IL_LOG_TEXT, 600),
			 HEAD "debug call breaker=payments.internal:443 outcome=SLOW_SUCCESS "
			      "duration=2.104s seen=http:200 phase=answer address=10.2.0.7");
	line.event.kind = IL_EVENT_AMENDED;
	line.event.outcome = IL_FAILURE;
	line.duration_ns = -1;
	line.seen = line.address = "";
	ck_assert_str_eq(shown(&line, IL_LOG_TEXT, 600),
			 HEAD "debug amended breaker=payments.internal:443 outcome=FAILURE "
			      "phase=answer");
}
END_TEST

START_TEST(a_reset_is_told_with_who_asked)
{
	struct il_line line = given_a_line(IL_EVENT_RESET);

	ck_assert_str_eq(shown(&line, IL_LOG_TEXT, 600),
			 HEAD "info reset breaker=payments.internal:443 by=control");
}
END_TEST

START_TEST(a_change_without_numbers_tells_its_reason)
{
	struct il_line line = given_a_line(IL_EVENT_STATE_CHANGE);

	line.breaker_length = 8;
	line.event.from = IL_OPEN;
	line.event.to = IL_HALF_OPEN;
	line.event.why = IL_WHY_WAIT;
	ck_assert_str_eq(shown(&line, IL_LOG_TEXT, 600), HEAD
			 "warning state_change breaker=payments from=OPEN to=HALF_OPEN why=wait");
	line.event.from = IL_HALF_OPEN;
	line.event.to = IL_OPEN;
	line.event.why = IL_WHY_INCONCLUSIVE;
	ck_assert_str_eq(shown(&line, IL_LOG_TEXT, 600),
			 HEAD "warning state_change breaker=payments from=HALF_OPEN to=OPEN "
			      "why=inconclusive retry_after=60s");
	line.event.to = IL_FORCED_OPEN;
	line.event.why = IL_WHY_OPERATOR;
	line.by = "control";
	ck_assert_str_eq(shown(&line, IL_LOG_TEXT, 600),
			 HEAD "warning state_change breaker=payments from=HALF_OPEN to=FORCED_OPEN "
			      "why=operator by=control");
}
END_TEST

START_TEST(json_has_the_same_keys)
{
	struct il_line line = given_a_line(IL_EVENT_STATE_CHANGE);

	ck_assert_str_eq(
		shown(&line, IL_LOG_JSON, 600),
		"{\"time\":\"2026-11-29T19:38:59.123Z\",\"pid\":4711,\"level\":\"warning\","
		"\"event\":\"state_change\",\"breaker\":\"payments.internal:443\","
		"\"from\":\"CLOSED\",\"to\":\"OPEN\",\"failure_rate\":0.62,"
		"\"slow_rate\":0.00,\"calls\":21,\"failed\":13,\"slow\":0,"
		"\"retry_after\":\"60s\"}");
	line.event.kind = IL_EVENT_CALL;
	ck_assert_str_eq(
		shown(&line, IL_LOG_JSON, 600),
		"{\"time\":\"2026-11-29T19:38:59.123Z\",\"pid\":4711,\"level\":\"debug\","
		"\"event\":\"call\",\"breaker\":\"payments.internal:443\","
		"\"outcome\":\"SLOW_SUCCESS\",\"duration\":\"2.104s\",\"seen\":\"http:200\","
		"\"phase\":\"answer\",\"address\":\"10.2.0.7\"}");
}
END_TEST

START_TEST(a_name_cannot_break_the_line)
{
	struct il_line line = given_a_line(IL_EVENT_RESET);

	line.breaker = "a b\n\"\\";
	line.breaker_length = 6;
	ck_assert_ptr_nonnull(
		strstr(shown(&line, IL_LOG_TEXT, 600), " breaker=a\\x20b\\x0a\\x22\\x5c by="));
	ck_assert_ptr_nonnull(strstr(shown(&line, IL_LOG_JSON, 600),
				     "\"breaker\":\"a\\\\x20b\\\\x0a\\\\x22\\\\x5c\",\"by\""));
}
END_TEST

START_TEST(a_line_in_little_room_leaves_fields_out_whole)
{
	struct il_line line = given_a_line(IL_EVENT_STATE_CHANGE);
	size_t before = 0;

	for (size_t size = 120; size < 400; size++) {
		size_t length = strlen(shown(&line, IL_LOG_JSON, size));

		ck_assert_uint_lt(length, size);
		ck_assert_int_eq(buffer[length - 1], '}');
		ck_assert(buffer[length - 2] == '"' ||
			  (buffer[length - 2] >= '0' && buffer[length - 2] <= '9'));
		before = length;
	}
	ck_assert_uint_gt(before, 230);
	for (size_t size = 1; size < 120; size++)
		ck_assert_uint_lt(strlen(shown(&line, IL_LOG_JSON, size)), size);
}
END_TEST

START_TEST(a_message_is_told_in_both_forms)
{
	struct il_text text = il_text_in(buffer, sizeof(buffer));

	il_line_message(&text, IL_LOG_TEXT, 1795981139123000000, 4711, IL_LOG_WARNING, "a \"b\"\n");
	ck_assert_str_eq(buffer, HEAD "warning a \"b\"\\x0a");
	text = il_text_in(buffer, sizeof(buffer));
	il_line_message(&text, IL_LOG_JSON, 1795981139123000000, 4711, IL_LOG_ERROR, "a \"b\\\n");
	ck_assert_str_eq(buffer, "{\"time\":\"2026-11-29T19:38:59.123Z\",\"pid\":4711,"
				 "\"level\":\"error\",\"event\":\"message\","
				 "\"message\":\"a \\\"b\\\\\\u000a\"}");
	for (size_t size = 1; size < 130; size++) {
		text = il_text_in(buffer, size);
		il_line_message(&text, IL_LOG_JSON, 0, 1, IL_LOG_ERROR, "\n\n\n\"\"\"");
		ck_assert_uint_lt(strlen(buffer), size);
	}
}
END_TEST

static char folder[64], path[128];
static struct il_log logger;

static void given_a_folder(void)
{
	snprintf(folder, sizeof(folder), "/tmp/il_check_log.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void given_a_log(const char *name, enum il_log_level level)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	il_log_start(&logger);
	il_log_set(&logger, path, level, IL_LOG_TEXT);
}

static const char *content(const char *of)
{
	ssize_t length = 0;
	int fd = open(of, O_RDONLY);

	if (fd >= 0) {
		length = read(fd, buffer, sizeof(buffer) - 1);
		close(fd);
	}
	buffer[length > 0 ? length : 0] = 0;
	return buffer;
}

static void then_the_folder_goes(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(lines_are_appended_to_a_file_that_is_never_kept_open)
{
	struct il_line line = given_a_line(IL_EVENT_RESET);
	struct stat stat_of;
	int next;

	given_a_folder();
	given_a_log("log", IL_LOG_INFO);
	umask(0);
	next = dup(0);
	close(next);
	errno = 4711;
	il_log_event(&logger, &line);
	il_log_message(&logger, IL_LOG_INFO, "hello");
	il_log_message(&logger, IL_LOG_DEBUG, "not this");
	ck_assert_int_eq(errno, 4711);
	ck_assert_int_eq(dup(0), next);
	ck_assert_int_eq(stat(path, &stat_of), 0);
	ck_assert_int_eq(stat_of.st_mode & 07777, 0640);

	const char *text = content(path);
	const char *second = strchr(text, '\n') + 1;

	ck_assert_ptr_nonnull(
		strstr(text, "] info reset breaker=payments.internal:443 by=control\n"));
	ck_assert_ptr_nonnull(strstr(second, "] info hello\n"));
	ck_assert_str_eq(strchr(second, '\n'), "\n");
	then_the_folder_goes();
}
END_TEST

START_TEST(the_process_id_stands_for_percent_p)
{
	char expected[128];

	given_a_folder();
	given_a_log("log.%p.%x%", IL_LOG_INFO);
	il_log_message(&logger, IL_LOG_INFO, "hello");
	snprintf(expected, sizeof(expected), "%s/log.%d.%%x%%", folder, getpid());
	ck_assert_ptr_nonnull(strstr(content(expected), "hello"));
	then_the_folder_goes();
}
END_TEST

START_TEST(links_pipes_and_devices_are_not_written_to)
{
	char victim[128];
	int fd;

	given_a_folder();
	given_a_log("link", IL_LOG_INFO);
	snprintf(victim, sizeof(victim), "%s/victim", folder);
	ck_assert_int_eq(symlink(victim, path), 0);
	il_log_message(&logger, IL_LOG_INFO, "hello");
	ck_assert_int_eq(access(victim, F_OK), -1);

	given_a_log("fifo", IL_LOG_INFO);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	il_log_message(&logger, IL_LOG_INFO, "nobody reads");
	fd = open(path, O_RDONLY | O_NONBLOCK);
	il_log_message(&logger, IL_LOG_INFO, "somebody reads");
	ck_assert_int_eq(read(fd, buffer, 1), 0);
	close(fd);
	then_the_folder_goes();
}
END_TEST

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
	(void)number;
	signals++;
}

START_TEST(a_file_at_its_size_limit_raises_no_signal)
{
	struct rlimit limit = { 10, RLIM_INFINITY };
	sigset_t set;

	given_a_folder();
	given_a_log("log", IL_LOG_INFO);
	signal(SIGXFSZ, count_signal);
	setrlimit(RLIMIT_FSIZE, &limit); /* libcheck writes to a file at each assertion */
	for (int i = 0; i < 3; i++)
		il_log_message(&logger, IL_LOG_INFO, "hello");
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	ck_assert_int_eq(signals, 0);
	sigprocmask(SIG_BLOCK, NULL, &set);
	ck_assert_int_eq(sigismember(&set, SIGXFSZ), 0);
	ck_assert_int_eq(sigismember(&set, SIGPIPE), 0);
	then_the_folder_goes();
}
END_TEST

/* Descriptor 2 becomes `fd`; libcheck tells its results another way. */
static void given_stderr(int fd)
{
	ck_assert_int_eq(dup2(fd, STDERR_FILENO), STDERR_FILENO);
	il_log_start(&logger);
	il_log_set(&logger, "stderr", IL_LOG_INFO, IL_LOG_TEXT);
}

START_TEST(stderr_gets_a_line_while_it_is_what_it_was)
{
	int ends[2], others[2];
	ssize_t length;

	ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
	ck_assert_int_eq(pipe2(others, O_NONBLOCK), 0);
	given_stderr(ends[1]);
	il_log_message(&logger, IL_LOG_INFO, "hello");
	length = read(ends[0], buffer, sizeof(buffer));
	ck_assert_int_gt(length, 6);
	ck_assert_mem_eq(buffer + length - 6, "hello\n", 6);

	ck_assert_int_eq(dup2(others[1], STDERR_FILENO), STDERR_FILENO);
	il_log_message(&logger, IL_LOG_INFO, "hello");
	il_log_complain(&logger, "interlock: hello");
	ck_assert_int_eq(read(others[0], buffer, sizeof(buffer)), -1);
}
END_TEST

START_TEST(an_error_is_told_on_stderr_wherever_the_log_goes)
{
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
	given_stderr(ends[1]);
	il_log_set(&logger, "", IL_LOG_ERROR, IL_LOG_JSON);
	il_log_complain(&logger, "interlock: INTERLOCK_KEY 'x' is not valid");
	ck_assert_int_eq(read(ends[0], buffer, sizeof(buffer)), 42);
	ck_assert_mem_eq(buffer, "interlock: INTERLOCK_KEY 'x' is not valid\n", 42);
}
END_TEST

START_TEST(a_socket_is_never_written_to)
{
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	given_stderr(ends[1]);
	il_log_message(&logger, IL_LOG_INFO, "hello");
	il_log_complain(&logger, "interlock: hello");
	ck_assert_int_eq(read(ends[0], buffer, sizeof(buffer)), -1);
}
END_TEST

START_TEST(a_full_pipe_is_not_waited_for)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	while (write(ends[1], buffer, sizeof(buffer)) > 0)
		;
	fcntl(ends[1], F_SETFL, 0);
	given_stderr(ends[1]);
	il_log_message(&logger, IL_LOG_INFO, "hello"); /* would hang */
}
END_TEST

START_TEST(a_pipe_without_a_reader_raises_no_signal)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	given_stderr(ends[1]);
	close(ends[0]);
	signal(SIGPIPE, count_signal);
	il_log_message(&logger, IL_LOG_INFO, "hello");
	ck_assert_int_eq(signals, 0);
}
END_TEST

START_TEST(a_closed_stderr_stays_unused)
{
	int ends[2];

	close(STDERR_FILENO);
	il_log_start(&logger);
	il_log_set(&logger, "stderr", IL_LOG_INFO, IL_LOG_TEXT);
	ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
	dup2(ends[1], STDERR_FILENO);
	il_log_message(&logger, IL_LOG_INFO, "hello");
	ck_assert_int_eq(read(ends[0] == STDERR_FILENO ? ends[1] : ends[0], buffer, 1), -1);
}
END_TEST

START_TEST(nothing_is_told_without_a_target)
{
	il_log_start(&logger);
	ck_assert(!il_log_wants(&logger, IL_LOG_ERROR));
	il_log_set(&logger, "syslog", IL_LOG_WARNING, IL_LOG_TEXT);
	ck_assert(il_log_wants(&logger, IL_LOG_WARNING));
	ck_assert(!il_log_wants(&logger, IL_LOG_INFO));
	errno = 4711;
	il_log_message(&logger, IL_LOG_WARNING, "interlock's own test of syslog");
	ck_assert_int_eq(errno, 4711);
}
END_TEST

START_TEST(rejections_are_told_once_a_second_with_their_count)
{
	struct il_log_quiet quiet = { 0, 0 };
	int64_t start = 5000000000;

	ck_assert_uint_eq(il_log_rejected(&quiet, start), 1);
	for (int i = 1; i <= 311; i++)
		ck_assert_uint_eq(il_log_rejected(&quiet, start + i), 0);
	ck_assert_uint_eq(il_log_rejected(&quiet, start + 999999999), 0);
	ck_assert_uint_eq(il_log_rejected(&quiet, start + 1000000000), 313);
	ck_assert_uint_eq(il_log_rejected(&quiet, start + 1000000001), 0);
}
END_TEST

START_TEST(a_damaged_time_does_not_silence_rejections_for_ever)
{
	struct il_log_quiet quiet = { INT64_MAX, 0 };

	ck_assert_uint_eq(il_log_rejected(&quiet, 5), 1);
	quiet.until_ns = INT64_MIN;
	ck_assert_uint_eq(il_log_rejected(&quiet, 5), 1);
}
END_TEST

RUN_TESTS("log", a_trip_is_told_with_the_numbers_that_decided, a_rejection_is_told_with_its_count,
	  a_call_is_told_with_what_was_seen, a_reset_is_told_with_who_asked,
	  a_change_without_numbers_tells_its_reason, json_has_the_same_keys,
	  a_name_cannot_break_the_line, a_line_in_little_room_leaves_fields_out_whole,
	  a_message_is_told_in_both_forms, lines_are_appended_to_a_file_that_is_never_kept_open,
	  the_process_id_stands_for_percent_p, links_pipes_and_devices_are_not_written_to,
	  a_file_at_its_size_limit_raises_no_signal, stderr_gets_a_line_while_it_is_what_it_was,
	  an_error_is_told_on_stderr_wherever_the_log_goes, a_socket_is_never_written_to,
	  a_full_pipe_is_not_waited_for, a_pipe_without_a_reader_raises_no_signal,
	  a_closed_stderr_stays_unused, nothing_is_told_without_a_target,
	  rejections_are_told_once_a_second_with_their_count,
	  a_damaged_time_does_not_silence_rejections_for_ever)
