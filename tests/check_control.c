/* Looking at the control file: what is believed, and what is refused. */
#include "config/control.h"

#include "check_run.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct il_control control;
static char dir[64], path[128], other[128], told[16384];
static uint32_t lines;

static void note(void *context, const char *line)
{
	ck_assert_ptr_null(context);
	lines++;
	snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s\n", line);
}

static void remove_all(void)
{
	unlink(path);
	rmdir(path);
	unlink(other);
	rmdir(dir);
}

static void given_a_place(void)
{
	strcpy(dir, "/tmp/interlock-control-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/control", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	memset(&control, 0, sizeof(control));
	control.path = path;
	told[0] = 0;
	lines = 0;
	atexit(remove_all);
}

static void put_bytes(const char *to, const char *bytes, size_t length)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, length), (ssize_t)length);
	close(fd);
}

static void put(const char *to, const char *text)
{
	put_bytes(to, text, strlen(text));
}

static enum il_control_news look(void)
{
	return il_control_look(&control, 1, (struct il_control_sink){ note, NULL });
}

static uint32_t rules_now(void)
{
	struct il_control_version *version = il_control_pin(&control, 1);
	uint32_t count;

	ck_assert_ptr_nonnull(version);
	count = version->rules.count;
	il_control_unpin(version);
	return count;
}

START_TEST(a_file_is_read_once_while_it_is_the_same)
{
	given_a_place();
	put(path, "a:1 oneway\n");
	ck_assert_int_eq(look(), IL_CONTROL_NEW);
	ck_assert_int_eq(look(), IL_CONTROL_SAME);
	ck_assert_uint_eq(rules_now(), 1);
	ck_assert_uint_ge(il_control_version(&control), IL_CONTROL_FIRST);
	ck_assert_str_eq(told, "");
}
END_TEST

START_TEST(written_in_place_renamed_or_switched_it_is_read_anew)
{
	given_a_place();
	put(path, "a:1 oneway\n");
	ck_assert_int_eq(look(), IL_CONTROL_NEW);
	put(path, "a:1 oneway\nb:1 oneway\n");
	ck_assert_int_eq(look(), IL_CONTROL_NEW);
	ck_assert_uint_eq(rules_now(), 2);
	put(other, "a:1 oneway\nb:1 oneway\nc:1 oneway\n");
	ck_assert_int_eq(rename(other, path), 0);
	ck_assert_int_eq(look(), IL_CONTROL_NEW);
	ck_assert_uint_eq(rules_now(), 3);
	put(other, "a:1 oneway\n");
	unlink(path);
	ck_assert_int_eq(symlink(other, path), 0);
	ck_assert_int_eq(look(), IL_CONTROL_NEW);
	ck_assert_uint_eq(rules_now(), 1);
}
END_TEST

START_TEST(a_missing_file_is_believed_at_the_second_look)
{
	given_a_place();
	put(path, "a:1 oneway\n");
	look();
	unlink(path);
	ck_assert_int_eq(look(), IL_CONTROL_WAITING);
	ck_assert_uint_eq(rules_now(), 1);
	ck_assert_int_eq(look(), IL_CONTROL_NEW);
	ck_assert_uint_eq(rules_now(), 0);
	ck_assert_uint_eq(il_control_version(&control), IL_CONTROL_NOTHING);
	ck_assert_int_eq(look(), IL_CONTROL_SAME);
}
END_TEST

START_TEST(an_empty_file_is_believed_at_the_second_look)
{
	given_a_place();
	put(path, "a:1 oneway\n");
	look();
	put(path, "");
	ck_assert_int_eq(look(), IL_CONTROL_WAITING);
	put(path, "b:1 oneway\n");
	ck_assert_int_eq(look(), IL_CONTROL_NEW);
	put(path, "");
	ck_assert_int_eq(look(), IL_CONTROL_WAITING);
	ck_assert_int_eq(look(), IL_CONTROL_NEW);
	ck_assert_uint_eq(rules_now(), 0);
}
END_TEST

START_TEST(before_the_second_look_a_file_that_never_was_is_unknown)
{
	given_a_place();
	ck_assert_int_eq(look(), IL_CONTROL_WAITING);
	ck_assert_uint_eq(il_control_version(&control), IL_CONTROL_UNKNOWN);
	ck_assert_ptr_null(il_control_pin(&control, 1));
	ck_assert_int_eq(look(), IL_CONTROL_NEW);
	ck_assert_uint_eq(il_control_version(&control), IL_CONTROL_NOTHING);
}
END_TEST

/* Refused, told once, and the rules last read stay. */
static void then_it_is_refused(const char *why)
{
	char expected[512];

	ck_assert_int_eq(look(), IL_CONTROL_REFUSED);
	ck_assert_int_eq(look(), IL_CONTROL_REFUSED);
	snprintf(expected, sizeof(expected), "%s: %s; refused, and the rules last read stay\n", path,
		 why);
	ck_assert_str_eq(told, expected);
	ck_assert_uint_eq(rules_now(), 1);
}

static void given_rules_that_hold(void)
{
	given_a_place();
	put(path, "a:1 oneway\n");
	ck_assert_int_eq(look(), IL_CONTROL_NEW);
}

START_TEST(a_file_that_others_may_write_is_refused)
{
	given_rules_that_hold();
	chmod(path, 0620);
	then_it_is_refused("its group or others may write to it");
	chmod(path, 0602);
	ck_assert_int_eq(look(), IL_CONTROL_REFUSED);
	chmod(path, 0644);
	ck_assert_int_eq(look(), IL_CONTROL_NEW);
}
END_TEST

START_TEST(a_file_of_another_user_is_refused)
{
	given_rules_that_hold();
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(path, 1234, 0), 0);
	} else {
		unlink(path); /* a stranger's regular file that is there on every system is root's */
		return;
	}
	then_it_is_refused("it belongs to another user");
}
END_TEST

START_TEST(a_fifo_is_refused_and_nobody_waits)
{
	given_rules_that_hold();
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	then_it_is_refused("it is no regular file");
}
END_TEST

START_TEST(a_directory_is_refused)
{
	given_rules_that_hold();
	unlink(path);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	then_it_is_refused("it is no regular file");
}
END_TEST

START_TEST(a_gigabyte_is_refused)
{
	given_rules_that_hold();
	ck_assert_int_eq(truncate(path, 1 << 30), 0);
	then_it_is_refused("it is longer than 64 KiB");
}
END_TEST

START_TEST(a_link_to_itself_is_refused)
{
	given_rules_that_hold();
	unlink(path);
	ck_assert_int_eq(symlink(path, path), 0);
	then_it_is_refused("cannot be read (errno 40)");
}
END_TEST

START_TEST(bad_lines_are_told_once_a_version)
{
	char expected[256];

	given_a_place();
	put(path, "a:1 oneway\nb:1 onway\n");
	ck_assert_int_eq(look(), IL_CONTROL_NEW);
	ck_assert_int_eq(look(), IL_CONTROL_SAME);
	ck_assert_uint_eq(lines, 1);
	snprintf(expected, sizeof(expected), "%s:2: 'onway' is no word of a rule", path);
	ck_assert_ptr_nonnull(strstr(told, expected));
	ck_assert_uint_eq(rules_now(), 1);
}
END_TEST

START_TEST(of_a_binary_file_the_first_lines_are_told)
{
	static char bytes[IL_RULES_BYTES_MAX];

	given_a_place();
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 11 % 251);
	put_bytes(path, bytes, sizeof(bytes));
	ck_assert_int_eq(look(), IL_CONTROL_NEW);
	ck_assert_uint_eq(lines, 20);
	ck_assert_uint_eq(rules_now(), 0);
}
END_TEST

START_TEST(rules_that_somebody_reads_are_not_overwritten)
{
	struct il_control_version *first, *second;

	given_a_place();
	put(path, "a:1 oneway\n");
	look();
	first = il_control_pin(&control, 1);
	put(path, "a:1 oneway\nb:1 oneway\n");
	look();
	second = il_control_pin(&control, 1);
	for (int i = 3; i < 8; i++) {
		char text[256] = "# again\n";

		memset(text, '#', (size_t)i);
		put(path, text);
		look();
	}
	ck_assert_uint_eq(first->rules.count, 1);
	ck_assert_uint_eq(second->rules.count, 2);
	il_control_unpin(first);
	il_control_unpin(second);
	put(path, "a:1 oneway\n");
	ck_assert_int_eq(look(), IL_CONTROL_NEW);
	ck_assert_uint_eq(rules_now(), 1);
}
END_TEST

RUN_TESTS("control", a_file_is_read_once_while_it_is_the_same,
	  written_in_place_renamed_or_switched_it_is_read_anew,
	  a_missing_file_is_believed_at_the_second_look,
	  an_empty_file_is_believed_at_the_second_look,
	  before_the_second_look_a_file_that_never_was_is_unknown,
	  a_file_that_others_may_write_is_refused, a_file_of_another_user_is_refused,
	  a_fifo_is_refused_and_nobody_waits, a_directory_is_refused, a_gigabyte_is_refused,
	  a_link_to_itself_is_refused, bad_lines_are_told_once_a_version,
	  of_a_binary_file_the_first_lines_are_told,
	  rules_that_somebody_reads_are_not_overwritten)
