/* A runtime directory of the test's own, registries in it, and processes that do something. */
#ifndef TESTS_REGISTRY_RIG_H
#define TESTS_REGISTRY_RIG_H

#include "registry/leases.h"
#include "registry/snapshot.h"
#include "registry/table.h"

#include "check_run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))
#define SECOND INT64_C(1000000000)
#define NOW    (1000 * SECOND)

static char base[64]; /* of the test, removed after it */
static char dir[96];  /* the runtime directory, in base */
static char why[300]; /* what il_segment_open said last */
static struct il_self self;
static struct il_settings settings;
static struct il_segment segment;

UNUSED static void given_a_place(void)
{
	const char *root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	snprintf(base, sizeof(base), "%s/il_check.XXXXXX", root);
	ck_assert_ptr_nonnull(mkdtemp(base));
	snprintf(dir, sizeof(dir), "%s/run", base);
	self = il_self_read();
	settings = il_settings_default();
}

UNUSED static void then_the_place_is_removed(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", base);
	if (base[0] && system(command) != 0)
		fprintf(stderr, "# %s is left\n", base);
}

UNUSED static struct il_segment_options options_of(const char *name)
{
	return (struct il_segment_options){ .dir = dir, .name = name, .breakers = 8 };
}

/* Opens it; the segment stays mapped, as in real life. */
UNUSED static struct il_segment opened(const char *name)
{
	struct il_segment_options options = options_of(name);
	struct il_segment ret;

	ck_assert_int_eq(il_segment_open(&ret, &options, &self, why, sizeof(why)), 0);
	return ret;
}

UNUSED static struct il_segment opened_as_file(const char *name)
{
	struct il_segment ret = opened(name);

	ck_assert_msg(!ret.anonymous, "%s", why);
	ck_assert_str_eq(why, "");
	return ret;
}

/* It works, in memory of our own, and the line names the reason. */
UNUSED static void then_it_is_anonymous(const char *name, const char *reason)
{
	struct il_segment ret = opened(name);

	ck_assert_msg(ret.anonymous, "'%s' was used", name);
	ck_assert_msg(strstr(why, reason) != NULL, "'%s' does not say '%s'", why, reason);
	ck_assert_ptr_null(strchr(why, '\n'));
	ret.slots[7].used_at_ns = 1;
	il_segment_leave(&ret, &(struct il_segment_options){ .dir = dir, .name = name }, &self);
}

UNUSED static const char *path_of(const char *name)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

UNUSED static bool there_is(const char *name)
{
	struct stat stat;

	return lstat(path_of(name), &stat) == 0;
}

/* Overwrites bytes of a registry's file. */
UNUSED static void given_bytes(const char *name, off_t at, const void *bytes, size_t count)
{
	int fd = open(path_of(name), O_WRONLY);

	ck_assert_int_eq(pwrite(fd, bytes, count, at), (ssize_t)count);
	close(fd);
}

/* A process that does `what` and is gone when this returns: its exit status, or 128 + signal. */
UNUSED static int in_a_process(void (*what)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		self = il_self_read();
		what();
		_exit(0);
	}
	ck_assert_int_gt(child, 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

UNUSED static void *shared_memory(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(at, MAP_FAILED);
	return at;
}

/* A breaker called `name`, made or found: its slot. */
UNUSED static int made(const char *name, int64_t now_ns)
{
	struct il_recipe recipe = { .name = name, .settings = &settings };
	uint64_t incarnation;

	return il_table_make(&segment, &self, &recipe, now_ns, &incarnation);
}

/* The record of one outcome, as the engine does it. */
UNUSED static bool recorded(int place, enum il_outcome outcome, int64_t now_ns)
{
	struct il_change change;

	if (il_slot_begin(&segment, &self, (uint32_t)place, segment.slots[place].incarnation,
			  &change) < 0)
		return false;
	il_breaker_record(&change.journal.breaker, &change.settings, change.cells, now_ns,
			  change.journal.breaker.generation, outcome, &change.effects);
	il_slot_count(&change, IL_COUNT_calls_success + outcome);
	return il_slot_commit(&change);
}

#endif
