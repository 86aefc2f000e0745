/* Making a registry's file, and attaching to it. What is refused is in check_refusals.c. */
#include "registry_rig.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static int descriptors(void)
{
	DIR *list = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(list))
		count++;
	closedir(list);
	return count;
}

START_TEST(the_directory_is_made_for_us_alone)
{
	struct stat stat_dir, stat_file;

	given_a_place();
	umask(0);
	opened_as_file("app.1.2");
	ck_assert_int_eq(stat(dir, &stat_dir), 0);
	ck_assert_uint_eq(stat_dir.st_mode & 07777, 0700);
	ck_assert_int_eq(stat(path_of("app.1.2"), &stat_file), 0);
	ck_assert_uint_eq(stat_file.st_mode & 07777, 0600);
	ck_assert_uint_eq(stat_file.st_nlink, 1);
	then_the_place_is_removed();
}
END_TEST

START_TEST(no_descriptor_is_held)
{
	given_a_place();
	int before = descriptors();

	opened_as_file("app");
	opened_as_file("app");
	then_it_is_anonymous("no/such", "cannot");
	ck_assert_int_eq(descriptors(), before);
	then_the_place_is_removed();
}
END_TEST

START_TEST(the_second_to_open_shares_with_the_first)
{
	given_a_place();
	struct il_segment first = opened_as_file("app");
	struct il_segment second = opened_as_file("app");

	ck_assert_ptr_ne(first.header, second.header);
	first.header->control_id = 4711;
	ck_assert_uint_eq(second.header->control_id, 4711);
	then_the_place_is_removed();
}
END_TEST

START_TEST(an_existing_registry_keeps_its_size)
{
	given_a_place();
	struct il_segment_options options = options_of("app");
	struct il_segment second;

	opened_as_file("app");
	options.breakers = 100;
	ck_assert_int_eq(il_segment_open(&second, &options, &self, why, sizeof(why)), 0);
	ck_assert_uint_eq(second.breakers, 8);
	then_the_place_is_removed();
}
END_TEST

START_TEST(numbers_of_breakers_that_no_registry_has_are_refused)
{
	given_a_place();
	struct il_segment_options options = options_of("app");
	struct il_segment ret;

	options.breakers = 0;
	ck_assert_int_eq(il_segment_open(&ret, &options, &self, why, sizeof(why)), -EINVAL);
	options.breakers = IL_BREAKERS_MAX + 1;
	ck_assert_int_eq(il_segment_open(&ret, &options, &self, why, sizeof(why)), -EINVAL);
	options.breakers = IL_BREAKERS_MAX;
	ck_assert_int_eq(il_segment_open(&ret, &options, &self, why, sizeof(why)), 0);
	ck_assert(!ret.anonymous);
	then_the_place_is_removed();
}
END_TEST

#define CREATORS 8
START_TEST(those_who_create_at_once_share_one)
{
	given_a_place();
	uint32_t *ready = shared_memory(4096);

	mkdir(dir, 0700);
	for (int round = 0; round < 25; round++) {
		char name[32];

		snprintf(name, sizeof(name), "app.%d", round);
		*ready = 0;
		for (int i = 0; i < CREATORS; i++) {
			if (fork() == 0) {
				self = il_self_read();
				__atomic_fetch_add(ready, 1, __ATOMIC_SEQ_CST);
				while (__atomic_load_n(ready, __ATOMIC_SEQ_CST) < CREATORS)
					sched_yield();
				segment = opened(name);
				if (!segment.anonymous)
					__atomic_fetch_add(&segment.header->evicted, 1,
							   __ATOMIC_SEQ_CST);
				/* Nobody goes before all have come, or the file could be swept. */
				__atomic_fetch_add(ready, 1, __ATOMIC_SEQ_CST);
				while (__atomic_load_n(ready, __ATOMIC_SEQ_CST) < 2 * CREATORS)
					sched_yield();
				_exit(0);
			}
		}
		for (int i = 0; i < CREATORS; i++)
			wait(NULL);
		segment = opened_as_file(name);
		ck_assert_uint_eq(segment.header->evicted, CREATORS);
	}
	then_the_place_is_removed();
}
END_TEST

START_TEST(names_that_belong_to_no_file_are_left_to_anonymous_memory)
{
	given_a_place();
	opened_as_file("app");
	then_it_is_anonymous("..", "cannot open it");
	then_it_is_anonymous(".", "cannot open it");
	then_it_is_anonymous("", "");
	then_the_place_is_removed();
}
END_TEST

static void open_without_proc(void)
{
	if (chroot(base) != 0)
		_exit(1);
	snprintf(dir, sizeof(dir), "/run");
	segment = opened("app");
	_exit(segment.anonymous && strstr(why, "no boot id") && !there_is("app") ? 0 : 2);
}

START_TEST(without_proc_nothing_is_shared)
{
	given_a_place();
	if (geteuid() == 0)
		ck_assert_int_eq(in_a_process(open_without_proc), 0);
	else
		fprintf(stderr, "# left out: chroot needs root\n");
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_registry_of_256_breakers_uses_less_than_a_mebibyte)
{
	given_a_place();
	struct il_segment_options options = options_of("app");
	struct stat stat_file;
	char name[32];

	options.breakers = IL_BREAKERS_DEFAULT;
	ck_assert_int_eq(il_segment_open(&segment, &options, &self, why, sizeof(why)), 0);
	ck_assert_msg(!segment.anonymous, "%s", why);
	ck_assert_int_eq(stat(path_of("app"), &stat_file), 0);
	ck_assert_int_lt(stat_file.st_blocks * 512, 64 * 1024);
	for (int i = 0; i < 256; i++) {
		snprintf(name, sizeof(name), "host%d:80", i);
		ck_assert_int_ge(made(name, NOW), 0);
	}
	for (int i = 0; i < 256; i++)
		for (int call = 0; call < 150; call++)
			ck_assert(recorded(i, IL_SUCCESS, NOW));
	ck_assert_int_eq(stat(path_of("app"), &stat_file), 0);
	ck_assert_int_lt(stat_file.st_blocks * 512, 1024 * 1024);
	then_the_place_is_removed();
}
END_TEST

/* A tmpfs of `pages` pages of 4 KiB as the runtime directory. False: not allowed. */
static bool given_a_tiny_filesystem(int pages)
{
	char data[64];

	given_a_place();
	mkdir(dir, 0700);
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return false;
	snprintf(data, sizeof(data), "size=%d,mode=0700", pages * 4096);
	return mount("tmpfs", dir, "tmpfs", 0, data) == 0;
}

START_TEST(a_full_filesystem_is_an_error_when_a_breaker_is_made_and_no_sigbus)
{
	if (!given_a_tiny_filesystem(12)) {
		fprintf(stderr, "# left out: mounting needs root\n");
		then_the_place_is_removed();
		return;
	}
	char name[32];
	int places = 0, last;

	segment = opened_as_file("app");
	settings.window_type = IL_TIME_BASED;
	settings.window_size = 300; /* two pages each */
	do {
		snprintf(name, sizeof(name), "host%d:80", places);
		last = made(name, NOW);
		for (int call = 0; last >= 0 && call < 400; call++)
			ck_assert(recorded(last, IL_SUCCESS, NOW + call * SECOND));
		places++;
	} while (last >= 0);
	ck_assert_int_eq(last, -ENOMEM);
	ck_assert_int_ge(places, 2);
	umount2(dir, MNT_DETACH);
	then_the_place_is_removed();
}
END_TEST

START_TEST(a_filesystem_without_room_for_the_header_means_anonymous_memory)
{
	if (given_a_tiny_filesystem(2)) {
		then_it_is_anonymous("app", "no space");
		ck_assert_int_eq(rmdir(path_of("x")), -1);
		ck_assert(!there_is("app"));
		umount2(dir, MNT_DETACH);
	} else {
		fprintf(stderr, "# left out: mounting needs root\n");
	}
	then_the_place_is_removed();
}
END_TEST

static void given_a_kernel_without_populate(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

START_TEST(an_old_kernel_reserves_memory_page_by_page)
{
	if (!given_a_tiny_filesystem(12)) {
		fprintf(stderr, "# left out: mounting needs root\n");
		then_the_place_is_removed();
		return;
	}
	char name[32];
	int places = 0, last;

	given_a_kernel_without_populate();
	segment = opened_as_file("app");
	settings.window_size = 5000;
	do {
		snprintf(name, sizeof(name), "host%d:80", places++);
		last = made(name, NOW);
		if (last >= 0)
			ck_assert(recorded(last, IL_SUCCESS, NOW));
	} while (last >= 0);
	ck_assert_int_eq(last, -ENOMEM);
	ck_assert_int_ge(places, 2);
	umount2(dir, MNT_DETACH);
	then_the_place_is_removed();
}
END_TEST

RUN_TESTS("segment", the_directory_is_made_for_us_alone, no_descriptor_is_held,
	  the_second_to_open_shares_with_the_first, an_existing_registry_keeps_its_size,
	  numbers_of_breakers_that_no_registry_has_are_refused, those_who_create_at_once_share_one,
	  names_that_belong_to_no_file_are_left_to_anonymous_memory, without_proc_nothing_is_shared,
	  a_registry_of_256_breakers_uses_less_than_a_mebibyte,
	  a_full_filesystem_is_an_error_when_a_breaker_is_made_and_no_sigbus,
	  a_filesystem_without_room_for_the_header_means_anonymous_memory,
	  an_old_kernel_reserves_memory_page_by_page)
