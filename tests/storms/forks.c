/*
 * A process whose threads talk without a pause, on a connection that stays open and on new ones,
 * while it forks in every way there is. Each child makes a call of its own. All calls are counted
 * once, whoever made them, and all are well.
 * usage: forks [CHILDREN]
 */
#include "rig.h"

#include <pthread.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define TALKERS 3
#define AT_ONCE 4 /* children */

/* board->words */
enum { CHILDREN_WELL, CHILDREN_BAD };

static int kept_fd;

static void *talk_on_one(void *unused)
{
	struct tally *tally = &board->tallies[0];

	(void)unused;
	while (!board->stop)
		*(exchange(kept_fd) == SAW_WELL ? &tally->well : &tally->odd) += 1;
	return NULL;
}

static void *talk_on_many(void *number)
{
	struct sockaddr_in to = server_address();

	while (!board->stop)
		call_address(&to, 0, &board->tallies[(intptr_t)number]);
	return NULL;
}

static void call_as_child(void)
{
	struct sockaddr_in to = server_address();
	bool well = call_address(&to, 0, NULL) == SAW_WELL;

	__atomic_fetch_add(&board->words[well ? CHILDREN_WELL : CHILDREN_BAD], 1, __ATOMIC_RELAXED);
}

static char words[][8] = { "storm", "client", "once" };
static char *const once[] = { words[0], words[1], words[2], NULL };

static pid_t be_forked(pid_t child)
{
	if (child == 0) {
		call_as_child();
		_exit(0);
	}
	return child;
}

static pid_t by_fork(void)
{
	return be_forked(fork());
}

static pid_t by_quiet_fork(void)
{
	return be_forked(_Fork());
}

static pid_t by_clone(void)
{
	return be_forked((pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
}

/* The child lives in our memory, and closes what we go on using. */
static pid_t by_vfork(void)
{
	pid_t child = vfork();

	if (child == 0) {
		close(kept_fd);
		execv("/proc/self/exe", once);
		_exit(1);
	}
	return child;
}

static pid_t by_spawn(void)
{
	posix_spawn_file_actions_t actions;
	pid_t child = -1;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addclose(&actions, kept_fd);
	posix_spawn(&child, "/proc/self/exe", &actions, NULL, once, environ);
	posix_spawn_file_actions_destroy(&actions);
	return child;
}

static pid_t (*const ways[])(void) = { by_fork, by_quiet_fork, by_clone, by_vfork, by_spawn };

static void reap_one(void)
{
	int status;

	if (wait(&status) < 0 || status != 0)
		__atomic_fetch_add(&board->words[CHILDREN_BAD], 1, __ATOMIC_RELAXED);
}

static void fork_many(int children)
{
	for (int i = 0; i < children; i++) {
		if (i >= AT_ONCE)
			reap_one();
		if (ways[(size_t)i % (sizeof(ways) / sizeof(ways[0]))]() < 0)
			__atomic_fetch_add(&board->words[CHILDREN_BAD], 1, __ATOMIC_RELAXED);
	}
	for (int i = 0; i < AT_ONCE; i++)
		reap_one();
}

static int be_client(const char *word, int children)
{
	struct sockaddr_in to = server_address();
	pthread_t threads[TALKERS];

	if (strcmp(word, "once") == 0) {
		call_as_child();
		return 0;
	}
	kept_fd = reach(&to);
	for (intptr_t i = 0; i < TALKERS; i++)
		pthread_create(&threads[i], NULL, i ? talk_on_many : talk_on_one, (void *)i);
	fork_many(children);
	board->stop = 1;
	for (int i = 0; i < TALKERS; i++)
		pthread_join(threads[i], NULL);
	close(kept_fd);
	return 0;
}

int main(int argc, char **argv)
{
	int number, children = argc > 1 ? atoi(argv[1]) : 500;
	const char *word = client_word(argc, argv, &number);

	if (word)
		return be_client(word, number);
	storm_begin("forks", WELL);
	int64_t begun_ns = now_ns();
	int status = client_run("storm", children);
	struct tally sum = tally_sum();
	uint64_t well = sum.well + board->words[CHILDREN_WELL];

	tell(status == 0 && board->words[CHILDREN_BAD] == 0 && sum.odd + sum.sick == 0 &&
		     board->words[CHILDREN_WELL] == (uint64_t)children,
	     "transparent: %d children by fork, _Fork, clone, vfork and posix_spawn: all is well",
	     children);
	bool seen = look_at_server();
	uint64_t counted = count_of(IL_COUNT_calls_success),
		 lost = count_of(IL_COUNT_lock_timeouts);

	note("%lu calls, %lu counted, %lu lock timeouts", well, counted, lost);
	tell(seen && counted <= well && counted + lost >= well && recorded() == counted,
	     "every call of threads and children is counted once, all SUCCESS");
	tell(seen && leases_open(IL_LEASE_CALL) == 0 && count_of(IL_COUNT_abandoned) == 0 &&
		     count_of(IL_COUNT_cancelled) == 0 && count_of(IL_COUNT_rejected) == 0,
	     "and nothing is left over");
	note("%.1f s", (double)(now_ns() - begun_ns) / 1e9);
	return storm_end();
}
