/* Who uses a registry, and when its file goes. */
#include "registry_rig.h"

static void open_private(void)
{
	opened_as_file("private");
}

static void open_permanent(void)
{
	struct il_segment_options options = options_of("permanent");
	struct il_segment ret;

	options.permanent = true;
	il_segment_open(&ret, &options, &self, why, sizeof(why));
}

static int listed(const struct il_segment *where)
{
	int count = 0;

	for (int i = 0; i < (int)IL_ATTACHED; i++)
		count += where->header->attached[i].who != 0;
	return count;
}

START_TEST(the_private_file_of_the_dead_is_swept_by_the_next_who_makes_one)
{
	given_a_place();
	ck_assert_int_eq(in_a_process(open_private), 0);
	ck_assert(there_is("private"));
	opened_as_file("next");
	ck_assert(!there_is("private"));
	ck_assert(there_is("next"));
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_permanent_file_stays)
{
	given_a_place();
	ck_assert_int_eq(in_a_process(open_permanent), 0);
	opened_as_file("next");
	ck_assert(there_is("permanent"));
	then_the_place_is_removed();
}
END_TEST

START_TEST(the_file_of_the_living_stays)
{
	int hold[2], go[2];
	char byte;

	given_a_place();
	ck_assert_int_eq(pipe(hold) | pipe(go), 0);
	pid_t child = fork();
	if (child == 0) {
		self = il_self_read();
		open_private();
		ck_assert_int_eq(write(go[1], "x", 1), 1);
		close(hold[1]);
		_exit(read(hold[0], &byte, 1) != 0);
	}
	ck_assert_int_eq(read(go[0], &byte, 1), 1);
	opened_as_file("next");
	ck_assert(there_is("private"));
	close(hold[1]);
	waitpid(child, NULL, 0);
	opened_as_file("third");
	ck_assert(!there_is("private"));
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_reader_knows_whether_anybody_uses_a_private_registry)
{
	struct il_reader reader;

	given_a_place();
	ck_assert_int_eq(in_a_process(open_private), 0);
	ck_assert_int_eq(il_reader_open(&reader, dir, "private", NULL), 0);
	ck_assert(il_reader_is_left(&reader));
	segment = opened_as_file("private");
	ck_assert(!il_reader_is_left(&reader));
	il_reader_close(&reader);
	then_the_place_is_removed();
}
END_TEST

START_TEST(files_that_are_no_registries_are_left_alone)
{
	given_a_place();
	mkdir(dir, 0700);
	close(open(path_of("empty"), O_CREAT | O_WRONLY, 0600));
	ck_assert_int_eq(mkfifo(path_of("pipe"), 0600), 0);
	ck_assert_int_eq(symlink("empty", path_of("link")), 0);
	ck_assert_int_eq(in_a_process(open_private), 0);
	given_bytes("private", offsetof(struct il_registry_id, version), "\7", 1);
	opened_as_file("next");
	ck_assert(there_is("empty") && there_is("pipe") && there_is("link"));
	ck_assert(there_is("private")); /* of another version: its list may lie elsewhere */
	then_the_place_is_removed();
}
END_TEST

START_TEST(the_file_of_another_pid_namespace_is_left_alone)
{
	given_a_place();
	ck_assert_int_eq(in_a_process(open_private), 0);
	given_bytes("private", offsetof(struct il_registry_id, pid_namespace), "\1\2\3", 3);
	opened_as_file("next");
	ck_assert(there_is("private"));
	then_the_place_is_removed();
}
END_TEST

START_TEST(the_private_file_of_another_boot_is_swept)
{
	given_a_place();
	opened_as_file("private"); /* whose process lives */
	given_bytes("private", offsetof(struct il_registry_id, boot_id), "\1\2\3\4", 4);
	opened_as_file("next");
	ck_assert(!there_is("private"));
	then_the_place_is_removed();
}
END_TEST

static void do_nothing(void)
{
}

START_TEST(temporary_files_of_the_dead_are_swept_and_no_others)
{
	char namespace[64] = { 0 };
	char of_dead[128], of_living[128], of_others[128];
	int pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	given_a_place();
	in_a_process(do_nothing);
	mkdir(dir, 0700);
	ck_assert_int_gt(readlink("/proc/self/ns/pid", namespace, sizeof(namespace) - 1), 0);
	namespace[strlen(namespace) - 1] = 0;
	snprintf(of_dead, sizeof(of_dead), ".new-%d-%d-%s", pid, pid, namespace + 5);
	snprintf(of_living, sizeof(of_living), ".new-%d-1-%s", getpid(), namespace + 5);
	snprintf(of_others, sizeof(of_others), ".new-%d-1-123", pid);
	const char *names[] = { of_dead, of_living, of_others, ".new-", ".new-x-y-z", ".new-1" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		close(open(path_of(names[i]), O_CREAT | O_WRONLY, 0600));
	opened_as_file("next");
	ck_assert(!there_is(of_dead));
	for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_msg(there_is(names[i]), "%s", names[i]);
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_temporary_file_of_a_killed_namesake_is_no_obstacle)
{
	char namespace[64] = { 0 }, name[128];

	given_a_place();
	mkdir(dir, 0700);
	ck_assert_int_gt(readlink("/proc/self/ns/pid", namespace, sizeof(namespace) - 1), 0);
	namespace[strlen(namespace) - 1] = 0;
	snprintf(name, sizeof(name), ".new-%d-%d-%s", getpid(), getpid(), namespace + 5);
	close(open(path_of(name), O_CREAT | O_WRONLY, 0600));
	opened_as_file("app");
	ck_assert(!there_is(name));
	then_the_place_is_removed();
}
END_TEST

START_TEST(at_most_64_files_are_looked_at)
{
	char name[32];
	int left = 0;

	given_a_place();
	ck_assert_int_eq(in_a_process(open_private), 0);
	for (int i = 0; i < 100; i++) {
		char from[sizeof(dir) + 20];

		snprintf(from, sizeof(from), "%s/private", dir);
		snprintf(name, sizeof(name), "copy%d", i);
		ck_assert_int_eq(link(from, path_of(name)), 0);
	}
	opened_as_file("next");
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "copy%d", i);
		left += there_is(name);
	}
	ck_assert_int_ge(left, 100 - 64);
	ck_assert_int_lt(left, 100);
	then_the_place_is_removed();
}
END_TEST

START_TEST(one_who_opened_an_existing_file_is_no_obstacle_to_its_removal)
{
	struct il_segment_options options = options_of("app");

	given_a_place();
	struct il_segment first = opened_as_file("app");
	struct il_segment again = opened_as_file("app"); /* the same process, still mapped */

	ck_assert_ptr_ne(first.header, again.header);
	il_segment_leave(&again, &options, &self);
	ck_assert(!there_is("app"));
	then_the_place_is_removed();
}
END_TEST

START_TEST(the_last_to_leave_removes_a_private_file)
{
	struct il_segment_options options = options_of("app");
	int hold[2], go[2];
	char byte;

	given_a_place();
	ck_assert_int_eq(pipe(hold) | pipe(go), 0);
	struct il_segment first = opened_as_file("app");
	pid_t child = fork();

	if (child == 0) {
		self = il_self_read();
		il_segment_join(&first, &self);
		ck_assert_int_eq(write(go[1], "x", 1), 1);
		close(hold[1]);
		if (read(hold[0], &byte, 1) == 0)
			il_segment_leave(&first, &options, &self);
		_exit(0);
	}
	ck_assert_int_eq(read(go[0], &byte, 1), 1);
	il_segment_leave(&first, &options, &self);
	ck_assert(there_is("app"));
	close(hold[1]);
	waitpid(child, NULL, 0);
	ck_assert(!there_is("app"));
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_permanent_file_outlives_the_last_to_leave)
{
	given_a_place();
	struct il_segment_options options = options_of("app");
	options.permanent = true;
	ck_assert_int_eq(il_segment_open(&segment, &options, &self, why, sizeof(why)), 0);
	il_segment_leave(&segment, &options, &self);
	options.permanent = false; /* what the file says counts too */
	il_segment_leave(&segment, &options, &self);
	ck_assert(there_is("app"));
	ck_assert_int_eq(listed(&segment), 0);
	then_the_place_is_removed();
}
END_TEST

START_TEST(nobody_is_listed_twice)
{
	given_a_place();
	segment = opened_as_file("app");
	opened_as_file("app");
	il_segment_join(&segment, &self);
	ck_assert_int_eq(listed(&segment), 1);
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_full_list_gives_the_places_of_the_dead)
{
	given_a_place();
	segment = opened_as_file("app");
	for (uint32_t i = 0; i < IL_ATTACHED; i++)
		segment.header->attached[i].who = 1; /* init lives */
	il_segment_join(&segment, &self);
	ck_assert_int_eq(listed(&segment), IL_ATTACHED);
	segment.header->attached[700].who = INT32_MAX; /* no such process */
	il_segment_join(&segment, &self);
	ck_assert_uint_eq(segment.header->attached[700].who,
			  (uint64_t)self.start << 32 | (uint64_t)getpid());
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_file_that_is_being_removed_is_not_joined)
{
	given_a_place();
	ck_assert_int_eq(in_a_process(open_private), 0);
	struct il_segment old = opened_as_file("private");

	unlink(path_of("private"));
	struct il_segment new = opened_as_file("private");

	new.header->control_id = 1;
	ck_assert_uint_eq(old.header->control_id, 0);
	then_the_place_is_removed();
}
END_TEST

RUN_TESTS("members", the_private_file_of_the_dead_is_swept_by_the_next_who_makes_one,
	  a_reader_knows_whether_anybody_uses_a_private_registry,
	  a_permanent_file_stays, the_file_of_the_living_stays,
	  files_that_are_no_registries_are_left_alone,
	  the_file_of_another_pid_namespace_is_left_alone,
	  the_private_file_of_another_boot_is_swept,
	  temporary_files_of_the_dead_are_swept_and_no_others,
	  a_temporary_file_of_a_killed_namesake_is_no_obstacle, at_most_64_files_are_looked_at,
	  one_who_opened_an_existing_file_is_no_obstacle_to_its_removal,
	  the_last_to_leave_removes_a_private_file, a_permanent_file_outlives_the_last_to_leave,
	  nobody_is_listed_twice, a_full_list_gives_the_places_of_the_dead,
	  a_file_that_is_being_removed_is_not_joined)
