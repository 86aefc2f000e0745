/* A registry in anonymous memory with an engine on it, and short words for what tests do with it.
 */
#ifndef TESTS_ENGINE_RIG_H
#define TESTS_ENGINE_RIG_H

#include "check_run.h"
#include "engine/engine.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define MS     INT64_C(1000000)
#define START  (1000 * SECOND)

static struct il_engine engine;
static struct il_self self;
static struct il_recipe recipe;
static struct il_settings settings;

/* Trips at half of at least 4 calls, waits 10 s, asks with 2 probes, one at a time. */
__attribute__((unused)) static void given_an_engine(void)
{
	char why[256];
	struct il_segment_options options = { .dir = "/nonexistent/interlock",
					      .name = "check",
					      .breakers = 4 };

	self = il_self_read();
	settings = il_settings_default();
	settings.minimum_number_of_calls = 4;
	settings.wait_duration_in_open_ns = 10 * SECOND;
	settings.permitted_calls_in_half_open = 2;
	settings.slow_call_duration_threshold_ns = 5 * SECOND;
	recipe = (struct il_recipe){ .name = "db.internal:5432", .settings = &settings };
	memset(&engine, 0, sizeof(engine));
	ck_assert_int_eq(il_segment_open(&engine.segment, &options, &self, why, sizeof(why)), 0);
}

__attribute__((unused)) static struct il_slot *the_slot(void)
{
	uint64_t incarnation;
	int place = il_table_find(&engine.segment, recipe.name, &incarnation);

	ck_assert_int_ge(place, 0);
	return &engine.segment.slots[place];
}

__attribute__((unused)) static uint32_t the_state(void)
{
	return IL_COMMIT_STATE(il_slot_word(the_slot()));
}

__attribute__((unused)) static uint64_t count(uint32_t place)
{
	return __atomic_load_n(&the_slot()->counts[place], __ATOMIC_RELAXED);
}

__attribute__((unused)) static enum il_admission admit(int64_t now_ns, struct il_ticket *ticket)
{
	enum il_admission admission = il_engine_admit(&engine, &self, &recipe, now_ns, ticket);

	if (admission == IL_REJECTED)
		il_engine_reject(&engine, ticket, now_ns);
	return admission;
}

__attribute__((unused)) static void settle(struct il_ticket *ticket, uint8_t kind, uint8_t outcome,
					   int64_t now_ns)
{
	struct il_verdict verdict = { .kind = kind, .outcome = outcome, .duration_ns = 3 * MS };

	il_engine_settle(&engine, &self, ticket, &verdict, now_ns);
}

__attribute__((unused)) static void call(uint8_t outcome, int64_t now_ns)
{
	struct il_ticket ticket;

	ck_assert_int_eq(admit(now_ns, &ticket), IL_ADMITTED);
	settle(&ticket, IL_VERDICT_RECORD, outcome, now_ns);
}

__attribute__((unused)) static void given_it_is_open(int64_t now_ns)
{
	do
		call(IL_FAILURE, now_ns);
	while (the_state() == IL_CLOSED);
	ck_assert_uint_eq(the_state(), IL_OPEN);
}

/* A child that does `what` with the shared registry, and is then killed; reaped on return. */
__attribute__((unused)) static void in_a_killed_process(void (*what)(int64_t), int64_t now_ns)
{
	pid_t child = fork();

	if (child == 0) {
		self = il_self_read();
		what(now_ns);
		kill(getpid(), SIGKILL);
	}
	ck_assert_int_gt(child, 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

#endif
