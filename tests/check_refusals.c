/* Files and directories that are not used: memory of our own instead, and a line that says why. */
#include "registry_rig.h"

#include <sys/resource.h>

static void given_a_registry(const char *name)
{
	given_a_place();
	opened_as_file(name);
}

static void given_id(const char *name, size_t at, uint64_t value, size_t bytes)
{
	given_bytes(name, (off_t)at, &value, bytes);
}

#define ID_AT(field) offsetof(struct il_registry_id, field)

START_TEST(a_directory_of_another_user)
{
	given_a_place();
	mkdir(dir, 0700);
	if (chown(dir, 1000, 1000) == 0)
		then_it_is_anonymous("app", "another user");
	else
		fprintf(stderr, "# left out: chown needs root\n");
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_directory_that_others_may_enter)
{
	static const mode_t modes[] = { 0770, 0707, 0710, 0701, 01777 };

	given_a_place();
	mkdir(dir, 0700);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		chmod(dir, modes[i]);
		then_it_is_anonymous("app", "open to others");
	}
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_directory_that_is_a_link)
{
	char target[128];

	given_a_place();
	snprintf(target, sizeof(target), "%s/target", base);
	mkdir(target, 0700);
	ck_assert_int_eq(symlink(target, dir), 0);
	then_it_is_anonymous("app", "directory is none");
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_directory_that_is_a_file)
{
	given_a_place();
	close(open(dir, O_CREAT | O_WRONLY, 0600));
	then_it_is_anonymous("app", "directory is none");
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_directory_that_cannot_be_made)
{
	given_a_place();
	snprintf(dir, sizeof(dir), "%s/no/such/place", base);
	then_it_is_anonymous("app", "cannot make the directory");
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_file_that_is_a_link)
{
	char target[sizeof(dir) + 100];

	given_a_registry("app");
	snprintf(target, sizeof(target), "%s/app", dir);
	ck_assert_int_eq(symlink(target, path_of("link")), 0);
	then_it_is_anonymous("link", "symbolic link");
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_file_that_is_a_pipe_or_a_directory)
{
	given_a_place();
	mkdir(dir, 0700);
	ck_assert_int_eq(mkfifo(path_of("pipe"), 0600), 0);
	ck_assert_int_eq(mkdir(path_of("folder"), 0700), 0);
	then_it_is_anonymous("pipe", "not a regular file");
	then_it_is_anonymous("folder", "cannot open it");
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_file_of_another_user)
{
	given_a_registry("app");
	if (chown(path_of("app"), 1000, 1000) == 0)
		then_it_is_anonymous("app", "another user");
	else
		fprintf(stderr, "# left out: chown needs root\n");
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_file_that_others_may_write)
{
	given_a_registry("app");
	chmod(path_of("app"), 0620);
	then_it_is_anonymous("app", "another user");
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_file_of_any_other_length)
{
	struct stat stat_file;

	given_a_registry("app");
	ck_assert_int_eq(stat(path_of("app"), &stat_file), 0);
	const off_t lengths[] = {
		0, 1, 95, 96, 4096, stat_file.st_size - 1, stat_file.st_size + 1
	};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		ck_assert_int_eq(truncate(path_of("app"), lengths[i]), 0);
		then_it_is_anonymous("app", "it ");
		ck_assert_int_eq(truncate(path_of("app"), 4096), 0);
	}
	then_the_place_is_removed();
}
END_TEST

struct damage {
	size_t at, bytes;
	const char *reason;
};
static const struct damage damages[] = {
	{ ID_AT(magic), 8, "not a registry" },
	{ ID_AT(version), 4, "layout version" },
	{ ID_AT(breakers), 4, "its " },
	{ ID_AT(bytes), 8, "size" },
	{ ID_AT(slots_at), 8, "damaged" },
	{ ID_AT(cells_at), 8, "damaged" },
	{ ID_AT(slot_bytes), 8, "damaged" },
	{ ID_AT(cells_bytes), 8, "damaged" },
	{ ID_AT(boot_id), 8, "last boot" },
	{ ID_AT(boot_id) + 8, 8, "last boot" },
	{ ID_AT(pid_namespace), 8, "pid namespace" },
	{ ID_AT(time_offset_ns), 8, "time namespace" },
	{ ID_AT(owner), 4, "another user" },
};

START_TEST(a_file_with_any_part_of_its_identity_changed)
{
	static const uint64_t values[] = { 1, 9, 257, 4097, 0x7fffffff, UINT64_MAX, 1ULL << 31 };

	given_a_registry("app");
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		uint64_t before = 0;
		int fd = open(path_of("app"), O_RDONLY);

		ck_assert_int_eq(pread(fd, &before, damages[i].bytes, (off_t)damages[i].at),
				 (ssize_t)damages[i].bytes);
		close(fd);
		for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			uint64_t changed = before ^ values[v];

			if (memcmp(&before, &changed, damages[i].bytes) == 0)
				continue;
			given_id("app", damages[i].at, changed, damages[i].bytes);
			then_it_is_anonymous("app", damages[i].reason);
		}
		given_id("app", damages[i].at, before, damages[i].bytes);
		opened_as_file("app");
	}
	then_the_place_is_removed();
}
END_TEST

/* libcheck writes files itself: what is done under the limit says by its exit status how it went.
 */
static void open_under_a_file_size_limit(void)
{
	struct rlimit none = { 0, 0 };
	struct il_segment_options options = options_of("app");

	if (setrlimit(RLIMIT_FSIZE, &none) != 0 ||
	    il_segment_open(&segment, &options, &self, why, sizeof(why)) != 0)
		_exit(1);
	if (segment.anonymous && strstr(why, "file size limit"))
		_exit(2);
	_exit(made("host:80", NOW) >= 0 && recorded(0, IL_FAILURE, NOW) ? 3 : 4);
}

START_TEST(a_file_size_limit_raises_no_signal)
{
	given_a_place();
	ck_assert_int_eq(in_a_process(open_under_a_file_size_limit), 2);
	ck_assert(!there_is("app"));
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_file_size_limit_is_no_matter_for_a_file_that_is_there)
{
	given_a_registry("app");
	ck_assert_int_eq(in_a_process(open_under_a_file_size_limit), 3);
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_process_without_a_descriptor_to_spare)
{
	struct rlimit before, none = { 0, 0 };

	given_a_place();
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none.rlim_max = before.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	then_it_is_anonymous("app", "errno 24");
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	then_the_place_is_removed();
}
END_TEST

RUN_TESTS("refusals", a_directory_of_another_user, a_directory_that_others_may_enter,
	  a_directory_that_is_a_link, a_directory_that_is_a_file, a_directory_that_cannot_be_made,
	  a_file_that_is_a_link, a_file_that_is_a_pipe_or_a_directory, a_file_of_another_user,
	  a_file_that_others_may_write, a_file_of_any_other_length,
	  a_file_with_any_part_of_its_identity_changed, a_file_size_limit_raises_no_signal,
	  a_file_size_limit_is_no_matter_for_a_file_that_is_there,
	  a_process_without_a_descriptor_to_spare)
