/*
 * What a call costs through the engine, with its lease, the slot's lock and a commit: admission and
 * the record of a SUCCESS on a CLOSED breaker with default settings, in anonymous shared memory.
 *
 * usage: build/bench/engine [calls]      prints nanoseconds a call, and the parts
 */
#include "base/clock.h"
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>

static struct il_engine engine;
static struct il_self self;

static double admit_and_settle(const struct il_recipe *recipe, long calls)
{
	struct il_verdict verdict = { .kind = IL_VERDICT_RECORD, .duration_ns = 1000000 };
	int64_t begun_ns = il_clock_now_ns();

	for (long i = 0; i < calls; i++) {
		struct il_ticket ticket;

		il_engine_admit(&engine, &self, recipe, begun_ns, &ticket);
		il_engine_settle(&engine, &self, &ticket, &verdict, begun_ns);
	}
	return (double)(il_clock_now_ns() - begun_ns) / (double)calls;
}

static double begin_and_settle(const struct il_recipe *recipe, long calls)
{
	struct il_verdict verdict = { .kind = IL_VERDICT_RECORD, .duration_ns = 1000000 };
	struct il_ticket connection;
	int64_t begun_ns = il_clock_now_ns();

	il_engine_admit(&engine, &self, recipe, begun_ns, &connection);
	for (long i = 0; i < calls; i++) {
		struct il_ticket ticket;

		il_engine_begin(&engine, &self, &connection, begun_ns, &ticket);
		il_engine_settle(&engine, &self, &ticket, &verdict, begun_ns);
	}
	return (double)(il_clock_now_ns() - begun_ns) / (double)calls;
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
	printf("connect: admit + settle   %6.1f ns\n", admit_and_settle(&recipe, calls));
	printf("exchange: begin + settle  %6.1f ns\n", begin_and_settle(&recipe, calls));
	return 0;
}
