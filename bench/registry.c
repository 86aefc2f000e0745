/* How long it takes to make a registry, to attach to one, to make a breaker and to find it. */
#include "base/clock.h"
#include "registry/snapshot.h"
#include "registry/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define ROUNDS 200

static char dir[64] = "/dev/shm/il_bench.XXXXXX";
static struct il_self self;
static int64_t times_ns[ROUNDS];

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void say(const char *what)
{
	qsort(times_ns, ROUNDS, sizeof(times_ns[0]), by_size);
	printf("%-36s median %6.1f us, of 100 the slowest but one %6.1f us\n", what,
	       (double)times_ns[ROUNDS / 2] / 1e3, (double)times_ns[ROUNDS * 99 / 100] / 1e3);
}

static struct il_segment opened(const char *name)
{
	struct il_segment_options options = { .dir = dir, .name = name, .breakers = 256 };
	struct il_segment segment;
	char why[256];

	if (il_segment_open(&segment, &options, &self, why, sizeof(why)) < 0 || segment.anonymous)
		fprintf(stderr, "bench: %s\n", why);
	return segment;
}

static void leave(const struct il_segment *segment, const char *name)
{
	struct il_segment_options options = { .dir = dir, .name = name, .breakers = 256 };

	il_segment_leave(segment, &options, &self);
	munmap(segment->header, segment->header->id.bytes);
}

static void make_registries(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		int64_t begun_ns = il_clock_now_ns();
		struct il_segment segment = opened("made");

		times_ns[i] = il_clock_now_ns() - begun_ns;
		leave(&segment, "made");
	}
	say("make a registry of 256 breakers");
}

static void attach(void)
{
	struct il_segment kept = opened("kept");

	for (int i = 0; i < ROUNDS; i++) {
		int64_t begun_ns = il_clock_now_ns();
		struct il_segment segment = opened("kept");

		times_ns[i] = il_clock_now_ns() - begun_ns;
		munmap(segment.header, segment.header->id.bytes);
	}
	say("attach to it");
	leave(&kept, "kept");
}

static void make_breakers(void)
{
	struct il_segment segment = opened("table");
	struct il_settings settings = il_settings_default();
	struct il_snapshot *snapshot = malloc(sizeof(*snapshot));
	uint64_t incarnation;
	char name[32];

	for (int i = 0; i < ROUNDS; i++) {
		struct il_recipe recipe = { .name = name, .settings = &settings };

		snprintf(name, sizeof(name), "host%d.internal:443", i);
		int64_t begun_ns = il_clock_now_ns();
		il_table_make(&segment, &self, &recipe, begun_ns, &incarnation);
		times_ns[i] = il_clock_now_ns() - begun_ns;
	}
	say("make a breaker");
	for (int i = 0; i < ROUNDS; i++) {
		int64_t begun_ns = il_clock_now_ns();

		il_table_find(&segment, name, &incarnation);
		times_ns[i] = il_clock_now_ns() - begun_ns;
	}
	say("find the 200th breaker");
	for (int i = 0; i < ROUNDS; i++) {
		int64_t begun_ns = il_clock_now_ns();

		il_segment_read(&segment, 7, begun_ns, snapshot);
		times_ns[i] = il_clock_now_ns() - begun_ns;
	}
	say("take a snapshot");
	free(snapshot);
	leave(&segment, "table");
}

int main(void)
{
	char command[96];

	self = il_self_read();
	if (!mkdtemp(dir))
		return 1;
	make_registries();
	attach();
	make_breakers();
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command) != 0;
}
