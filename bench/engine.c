/*
 * What a call costs through the engine, with its lease, the slot's lock and a commit: admission and
 * the record of a SUCCESS on a CLOSED breaker with default settings, in anonymous shared memory.
 *
 * usage: build/bench/engine [calls]      prints nanoseconds of processor time a call
 */
#include "base/clock.h"
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BATCHES 50

static struct il_engine engine;
static struct il_self self;

/* What others do on the machine meanwhile does not count. */
static double spent_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
	return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static void admit_and_settle(const struct il_recipe *recipe, int64_t now_ns)
{
	struct il_verdict verdict = { .kind = IL_VERDICT_RECORD, .duration_ns = 1000000 };
	struct il_ticket ticket;

	il_engine_admit(&engine, &self, recipe, now_ns, &ticket);
	il_engine_settle(&engine, &self, &ticket, &verdict, now_ns);
}

static void begin_and_settle(const struct il_recipe *recipe, int64_t now_ns)
{
	static struct il_ticket connection;
	struct il_verdict verdict = { .kind = IL_VERDICT_RECORD, .duration_ns = 1000000 };
	struct il_ticket ticket;

	if (!connection.slot)
		il_engine_admit(&engine, &self, recipe, now_ns, &connection);
	il_engine_begin(&engine, &self, &connection, now_ns, &ticket);
	il_engine_settle(&engine, &self, &ticket, &verdict, now_ns);
}

/* The fastest of many batches is the one that was disturbed least. */
static double best_ns(void (*call)(const struct il_recipe *, int64_t),
		      const struct il_recipe *recipe, long calls)
{
	double best = 1e9;

	for (int batch = 0; batch < BATCHES; batch++) {
		int64_t now_ns = il_clock_now_ns();
		double begun_ns = spent_ns();

		for (long i = 0; i < calls / BATCHES; i++)
			call(recipe, now_ns);
		double each_ns = (spent_ns() - begun_ns) / (double)(calls / BATCHES);
		if (each_ns < best)
			best = each_ns;
	}
	return best;
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 2000000;
	char why[256];
	struct il_settings settings = il_settings_default();
	struct il_recipe recipe = { .name = "db.internal:5432", .settings = &settings };
	struct il_segment_options options = {
		.dir = "/nonexistent/interlock", .name = "bench", .breakers = IL_BREAKERS_DEFAULT
	};

	self = il_self_read();
	if (il_segment_open(&engine.segment, &options, &self, why, sizeof(why)) < 0)
		return 1;
	printf("connect: admit + settle   %6.1f ns\n", best_ns(admit_and_settle, &recipe, calls));
	printf("exchange: begin + settle  %6.1f ns\n", best_ns(begin_and_settle, &recipe, calls));
	return 0;
}
