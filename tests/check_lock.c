/* The lock that outlives its holders. */
#include "registry_rig.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <sys/resource.h>

static struct il_lock *lock;
static uint64_t *shared; /* words for the test's own use */

static void given_a_lock(void)
{
	self = il_self_read();
	lock = shared_memory(4096);
	shared = (uint64_t *)(lock + 1);
}

static int take(struct il_hold *hold)
{
	return il_lock_take(lock, &self, IL_LOCK_SLOT, hold);
}

/* How often this thread went to sleep while it tried to take the lock. */
static long sleeps_while_taking(int *ret_taken)
{
	struct rusage before, after;
	struct il_hold hold;

	getrusage(RUSAGE_THREAD, &before);
	*ret_taken = take(&hold);
	getrusage(RUSAGE_THREAD, &after);
	return after.ru_nvcsw - before.ru_nvcsw;
}

/* A process that has the lock, is alive, and waits for a signal. */
static pid_t given_a_holder(void)
{
	pid_t child = fork();

	if (child == 0) {
		struct il_hold hold;

		self = il_self_read();
		take(&hold);
		shared[0] = 1;
		for (;;)
			pause();
	}
	while (__atomic_load_n(&shared[0], __ATOMIC_ACQUIRE) == 0)
		sched_yield();
	return child;
}

static void kill_and_reap(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

START_TEST(a_free_lock_is_had_at_once)
{
	struct il_hold hold;
	int taken;

	given_a_lock();
	ck_assert_int_eq(sleeps_while_taking(&taken), 0);
	ck_assert_int_eq(taken, IL_LOCK_TAKEN);
	memset(lock, 0, sizeof(*lock));
	ck_assert_int_eq(take(&hold), IL_LOCK_TAKEN);
	ck_assert(il_lock_held(lock, &self, &hold));
	ck_assert(!il_lock_is_idle(lock));
	ck_assert(il_lock_release(lock, &self, &hold));
	ck_assert(!il_lock_held(lock, &self, &hold));
	ck_assert(il_lock_is_idle(lock));
	ck_assert(!il_lock_release(lock, &self, &hold));
	ck_assert_int_eq(take(&hold), IL_LOCK_TAKEN);
}
END_TEST

START_TEST(a_dead_holder_is_taken_over_from)
{
	struct il_hold hold;

	given_a_lock();
	kill_and_reap(given_a_holder());
	ck_assert(il_lock_is_idle(lock));
	ck_assert_int_eq(take(&hold), IL_LOCK_TAKEN_OVER);
	ck_assert(il_lock_release(lock, &self, &hold));
	ck_assert_int_eq(take(&hold), IL_LOCK_TAKEN);
}
END_TEST

START_TEST(a_holder_whose_number_was_used_again_is_dead)
{
	struct il_hold hold;

	given_a_lock();
	ck_assert_uint_ne(self.start, 0);
	struct il_self earlier = self;
	earlier.start ^= 1;
	ck_assert_int_eq(il_lock_take(lock, &earlier, IL_LOCK_TABLE, &hold), IL_LOCK_TAKEN);
	ck_assert_int_eq(take(&hold), IL_LOCK_TAKEN_OVER);
}
END_TEST

START_TEST(a_living_holder_is_waited_for_once_and_then_not_again)
{
	struct il_hold hold;
	int taken;

	given_a_lock();
	pid_t child = given_a_holder();

	kill(child, SIGSTOP);
	ck_assert_int_gt(sleeps_while_taking(&taken), 0);
	ck_assert_int_eq(taken, -ETIMEDOUT);
	ck_assert_uint_eq(lock->stuck, lock->owner);
	for (int i = 0; i < 1000; i++) {
		ck_assert_int_eq(sleeps_while_taking(&taken), 0);
		ck_assert_int_eq(taken, -ETIMEDOUT);
	}
	kill_and_reap(child);
	lock->looked_at_ns = 0; /* a tenth of a second later */
	ck_assert_int_eq(take(&hold), IL_LOCK_TAKEN_OVER);
	ck_assert_uint_eq(lock->stuck, 0);
}
END_TEST

static jmp_buf out;

__attribute__((noinline)) static void take_and_jump_out(void)
{
	struct il_hold hold;

	if (take(&hold) < 0)
		longjmp(out, 2);
	longjmp(out, 1);
}

START_TEST(a_thread_that_jumped_out_has_its_lock_again)
{
	struct il_hold hold;

	given_a_lock();
	int jumped = setjmp(out);
	if (jumped == 0)
		take_and_jump_out();
	ck_assert_int_eq(jumped, 1);
	ck_assert_int_eq(take(&hold), IL_LOCK_TAKEN_OVER);
	ck_assert(il_lock_release(lock, &self, &hold));
}
END_TEST

static volatile int taken_in_handler;

static void take_in_handler(int signal)
{
	struct il_hold hold;

	(void)signal;
	taken_in_handler = take(&hold);
}

static void then_a_handler_is_told_busy(int flags)
{
	struct sigaction action = { .sa_handler = take_in_handler, .sa_flags = flags };
	struct il_hold hold;

	given_a_lock();
	sigaction(SIGUSR1, &action, NULL);
	ck_assert_int_eq(take(&hold), IL_LOCK_TAKEN);
	taken_in_handler = 1;
	raise(SIGUSR1);
	ck_assert_int_eq(taken_in_handler, -EBUSY);
	ck_assert(il_lock_held(lock, &self, &hold));
	ck_assert(il_lock_release(lock, &self, &hold));
}

START_TEST(a_signal_handler_that_interrupts_the_holder_is_told_at_once)
{
	then_a_handler_is_told_busy(0);
}
END_TEST

#define STACK_BYTES 65536

static void then_a_handler_on_a_stack_of_its_own_is_told_busy(void *memory)
{
	stack_t before, stack = { .ss_size = STACK_BYTES, .ss_sp = memory };

	ck_assert_int_eq(sigaltstack(&stack, &before), 0);
	then_a_handler_is_told_busy(SA_ONSTACK);
	ck_assert_int_eq(sigaltstack(&before, NULL), 0);
}

START_TEST(so_is_one_on_a_stack_of_its_own)
{
	void *memory = malloc(STACK_BYTES);

	then_a_handler_on_a_stack_of_its_own_is_told_busy(memory);
	free(memory);
}
END_TEST

static void *told_busy_in_a_thread(void *memory)
{
	then_a_handler_on_a_stack_of_its_own_is_told_busy(memory);
	return NULL;
}

/* A thread's stack lies below main's and its heap above or below it: all ways round are tried. */
START_TEST(and_one_of_a_thread_on_a_static_stack)
{
	static char memory[STACK_BYTES];
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, told_busy_in_a_thread, memory), 0);
	pthread_join(thread, NULL);
}
END_TEST

START_TEST(a_vfork_child_killed_inside_leaves_the_lock_to_its_parent)
{
	struct il_hold hold;

	given_a_lock();
	pid_t child = vfork();
	if (child == 0) {
		struct il_self me = { (uint32_t)getpid(), (uint32_t)getpid(), 0 };

		il_lock_take(lock, &me, IL_LOCK_SLOT, &hold);
		kill(getpid(), SIGKILL);
	}
	waitpid(child, NULL, 0);
	ck_assert_uint_ne(lock->owner, 0);
	ck_assert_int_eq(take(&hold), IL_LOCK_TAKEN_OVER);
	ck_assert(il_lock_release(lock, &self, &hold));
}
END_TEST

START_TEST(what_was_lost_is_not_released)
{
	struct il_hold hold;

	given_a_lock();
	ck_assert_int_eq(take(&hold), IL_LOCK_TAKEN);
	lock->owner = 12345;
	ck_assert(!il_lock_release(lock, &self, &hold));
	ck_assert_uint_eq(lock->owner, 12345);
}
END_TEST

START_TEST(locks_of_two_ranks_are_held_together)
{
	struct il_hold outer, inner;
	struct il_lock *other;

	given_a_lock();
	other = (struct il_lock *)&shared[8];
	ck_assert_int_eq(il_lock_take(lock, &self, IL_LOCK_TABLE, &outer), 0);
	ck_assert_int_eq(il_lock_take(other, &self, IL_LOCK_SLOT, &inner), 0);
	ck_assert(il_lock_release(other, &self, &inner));
	ck_assert(il_lock_held(lock, &self, &outer));
	ck_assert(il_lock_release(lock, &self, &outer));
}
END_TEST

START_TEST(any_words_in_the_lock_end_in_an_answer)
{
	struct il_hold hold;
	uint32_t seed = 1;
	int had = 0;

	given_a_lock();
	for (int round = 0; round < 300; round++) {
		uint64_t *words = (uint64_t *)lock;

		for (int i = 0; i < 4; i++) {
			seed = seed * 1664525 + 1013904223;
			words[i] = (uint64_t)seed * 0x9e3779b97f4a7c15ULL;
		}
		int taken = take(&hold);

		ck_assert(taken >= 0 || taken == -ETIMEDOUT || taken == -EBUSY);
		had += taken >= 0;
		if (taken >= 0)
			ck_assert(il_lock_release(lock, &self, &hold));
	}
	ck_assert_int_gt(had, 250);
}
END_TEST

#define ROUNDS 20000
static void *count_up(void *unused)
{
	struct il_self me = il_self_read();
	struct il_hold hold;

	(void)unused;
	for (int i = 0; i < ROUNDS;) {
		if (il_lock_take(lock, &me, IL_LOCK_SLOT, &hold) < 0)
			continue;
		/* Not one addition: two holders at once would lose some. */
		uint64_t value = __atomic_load_n(&shared[1], __ATOMIC_RELAXED);
		__atomic_store_n(&shared[1], value + 1, __ATOMIC_RELAXED);
		i += il_lock_release(lock, &me, &hold);
	}
	return NULL;
}

START_TEST(threads_exclude_each_other)
{
	pthread_t threads[4];

	given_a_lock();
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, count_up, NULL), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(shared[1], 4 * ROUNDS);
}
END_TEST

START_TEST(processes_exclude_each_other)
{
	given_a_lock();
	for (int i = 0; i < 4; i++) {
		if (fork() == 0) {
			count_up(NULL);
			_exit(0);
		}
	}
	for (int i = 0; i < 4; i++)
		wait(NULL);
	ck_assert_uint_eq(shared[1], 4 * ROUNDS);
}
END_TEST

START_TEST(a_process_is_alive_until_it_is_reaped)
{
	given_a_lock();
	pid_t child = fork();
	if (child == 0)
		for (;;)
			pause();
	uint32_t start = il_process_start((uint32_t)child);

	ck_assert_uint_ne(start, 0);
	ck_assert(il_process_alive((uint32_t)child, start));
	ck_assert(il_process_alive((uint32_t)child, 0));
	ck_assert(!il_process_alive((uint32_t)child, start + 1));
	kill_and_reap(child);
	ck_assert(!il_process_alive((uint32_t)child, start));
	ck_assert(!il_process_alive(0, 0));
	ck_assert(!il_process_alive(UINT32_MAX, 0));
	ck_assert(il_process_alive(1, 0));
}
END_TEST

RUN_TESTS("lock", a_free_lock_is_had_at_once, a_dead_holder_is_taken_over_from,
	  a_holder_whose_number_was_used_again_is_dead,
	  a_living_holder_is_waited_for_once_and_then_not_again,
	  a_thread_that_jumped_out_has_its_lock_again,
	  a_signal_handler_that_interrupts_the_holder_is_told_at_once,
	  so_is_one_on_a_stack_of_its_own, and_one_of_a_thread_on_a_static_stack,
	  a_vfork_child_killed_inside_leaves_the_lock_to_its_parent, what_was_lost_is_not_released,
	  locks_of_two_ranks_are_held_together, any_words_in_the_lock_end_in_an_answer,
	  threads_exclude_each_other, processes_exclude_each_other,
	  a_process_is_alive_until_it_is_reaped)
