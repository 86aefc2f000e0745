/* auto_transition: OPEN to HALF_OPEN without a call. */
#include "engine_rig.h"

#include <pthread.h>

#define OVER  (START + 10 * SECOND) /* the wait of a breaker that opened at START */
#define RACES 1000

static void given_a_timed_engine(void)
{
	given_an_engine();
	settings.auto_transition = 1;
}

static void given_it_is_timed_and_open(void)
{
	given_a_timed_engine();
	given_it_is_open(START);
}

static int64_t timer(int64_t now_ns)
{
	return il_engine_auto(&engine, &self, now_ns);
}

static uint64_t moves(void)
{
	return count(IL_COUNT_CHANGE(IL_OPEN, IL_HALF_OPEN));
}

static void override(enum il_state state, int64_t now_ns)
{
	uint64_t incarnation = 0;
	int place = il_table_find(&engine.segment, recipe.name, &incarnation);

	ck_assert_int_ge(place, 0);
	while (il_engine_override(&engine, &self, (uint32_t)place, incarnation, state, now_ns) < 0)
		;
}

START_TEST(when_the_wait_is_over_the_timer_moves_it_once)
{
	given_it_is_timed_and_open();
	ck_assert_int_eq(timer(OVER), IL_AUTO_NEVER);
	ck_assert_uint_eq(the_state(), IL_HALF_OPEN);
	ck_assert_int_eq(timer(OVER), IL_AUTO_NEVER);
	ck_assert_uint_eq(moves(), 1);
}
END_TEST

START_TEST(a_timer_that_wakes_early_is_told_when_to_come_again)
{
	given_it_is_timed_and_open();
	ck_assert_int_eq(timer(START), OVER);
	ck_assert_int_eq(timer(OVER - 1), OVER);
	ck_assert_uint_eq(the_state(), IL_OPEN);
}
END_TEST

START_TEST(the_timer_takes_no_probes_place)
{
	given_it_is_timed_and_open();
	timer(OVER);
	ck_assert_uint_eq(the_slot()->breaker.round.admitted, 0);
	call(IL_SUCCESS, OVER);
	call(IL_SUCCESS, OVER);
	ck_assert_uint_eq(the_state(), IL_CLOSED);
}
END_TEST

START_TEST(a_breaker_that_does_not_ask_for_it_is_left_alone)
{
	given_an_engine();
	given_it_is_open(START);
	ck_assert_uint_eq(engine.openings, 0);
	ck_assert_int_eq(timer(OVER), IL_AUTO_NEVER);
	ck_assert_uint_eq(the_state(), IL_OPEN);
}
END_TEST

START_TEST(where_nothing_is_open_there_is_nothing_to_wait_for)
{
	given_a_timed_engine();
	ck_assert_int_eq(timer(START), IL_AUTO_NEVER);
	call(IL_SUCCESS, START);
	ck_assert_int_eq(timer(START), IL_AUTO_NEVER);
	ck_assert_uint_eq(engine.openings, 0);
}
END_TEST

START_TEST(every_opening_is_told)
{
	given_it_is_timed_and_open();
	ck_assert_uint_eq(engine.openings, 1);
	timer(OVER);
	call(IL_FAILURE, OVER);
	call(IL_FAILURE, OVER);
	ck_assert_uint_eq(the_state(), IL_OPEN);
	ck_assert_uint_eq(engine.openings, 2);
	ck_assert_int_eq(timer(OVER), OVER + 10 * SECOND);
}
END_TEST

START_TEST(the_first_of_several_is_due_first)
{
	given_it_is_timed_and_open();
	recipe.name = "other.internal:5432";
	given_it_is_open(START + 3 * SECOND);
	ck_assert_int_eq(timer(START + 4 * SECOND), OVER);
	ck_assert_int_eq(timer(OVER), OVER + 3 * SECOND);
}
END_TEST

START_TEST(a_reset_disarms_it)
{
	given_it_is_timed_and_open();
	override(IL_CLOSED, START + SECOND);
	ck_assert_int_eq(timer(OVER), IL_AUTO_NEVER);
	ck_assert_uint_eq(the_state(), IL_CLOSED);
}
END_TEST

START_TEST(forced_open_disarms_it)
{
	given_it_is_timed_and_open();
	override(IL_FORCED_OPEN, START + SECOND);
	ck_assert_int_eq(timer(OVER), IL_AUTO_NEVER);
	ck_assert_uint_eq(the_state(), IL_FORCED_OPEN);
}
END_TEST

START_TEST(a_wait_that_began_anew_is_waited_for_to_its_end)
{
	given_it_is_timed_and_open();
	override(IL_CLOSED, START + 5 * SECOND);
	given_it_is_open(START + 6 * SECOND);
	ck_assert_int_eq(timer(OVER), OVER + 6 * SECOND);
	ck_assert_uint_eq(the_state(), IL_OPEN);
}
END_TEST

START_TEST(a_wait_beyond_the_clock_is_never_over)
{
	given_a_timed_engine();
	settings.wait_duration_in_open_ns = INT64_MAX;
	given_it_is_open(START);
	ck_assert_int_eq(timer(OVER), IL_AUTO_NEVER - 1);
	ck_assert_uint_eq(the_state(), IL_OPEN);
}
END_TEST

static void trip(int64_t now_ns)
{
	given_it_is_open(now_ns);
}

START_TEST(what_a_process_opened_that_died_another_moves)
{
	given_a_timed_engine();
	call(IL_SUCCESS, START);
	in_a_killed_process(trip, START);
	ck_assert_uint_eq(the_state(), IL_OPEN);
	ck_assert_int_eq(timer(OVER), IL_AUTO_NEVER);
	ck_assert_uint_eq(the_state(), IL_HALF_OPEN);
}
END_TEST

/* Both threads wait here for each other; nothing sleeps. */
static pthread_barrier_t line;

static void *timers(void *nothing)
{
	struct il_self me = il_self_read();

	for (int i = 0; i < RACES; i++) {
		pthread_barrier_wait(&line);
		while (il_engine_auto(&engine, &me, OVER) != IL_AUTO_NEVER)
			;
		pthread_barrier_wait(&line);
	}
	return nothing;
}

START_TEST(of_a_thousand_races_of_timer_and_call_each_moves_it_once)
{
	pthread_t thread;

	given_a_timed_engine();
	pthread_barrier_init(&line, NULL, 2);
	pthread_create(&thread, NULL, timers, NULL);
	for (uint64_t i = 0; i < RACES; i++) {
		struct il_ticket ticket;

		given_it_is_open(START);
		pthread_barrier_wait(&line);
		if (il_engine_admit(&engine, &self, &recipe, OVER, &ticket) == IL_ADMITTED)
			settle(&ticket, IL_VERDICT_DROPPED, 0, OVER);
		pthread_barrier_wait(&line);
		ck_assert_uint_eq(the_state(), IL_HALF_OPEN);
		ck_assert_uint_eq(moves(), i + 1);
		override(IL_CLOSED, OVER);
	}
	pthread_join(thread, NULL);
}
END_TEST

RUN_TESTS("auto", when_the_wait_is_over_the_timer_moves_it_once,
	  a_timer_that_wakes_early_is_told_when_to_come_again, the_timer_takes_no_probes_place,
	  a_breaker_that_does_not_ask_for_it_is_left_alone,
	  where_nothing_is_open_there_is_nothing_to_wait_for, every_opening_is_told,
	  the_first_of_several_is_due_first, a_reset_disarms_it, forced_open_disarms_it,
	  a_wait_that_began_anew_is_waited_for_to_its_end, a_wait_beyond_the_clock_is_never_over,
	  what_a_process_opened_that_died_another_moves,
	  of_a_thousand_races_of_timer_and_call_each_moves_it_once)
