/*
 * Threads that talk while a timer interrupts each of them a thousand times a second, and the
 * handler talks too. A handler that interrupted the shim in its own work passes unjudged; all other
 * calls are counted once, all are well, and nothing hangs. With SA_RESTART and without. usage:
 * signals [CALLS of each thread]
 */
#include "rig.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

#define TALKERS  2
#define EVERY_NS 1000000

/* board->words */
enum { HANDLED };

static int calls;
static __thread timer_t timer;
static __thread struct tally *handlers;

/* Armed anew at the end: on a busy machine the thread itself would get no turn. */
static void arm(void)
{
	struct itimerspec when = { .it_value.tv_nsec = EVERY_NS };

	timer_settime(timer, 0, &when, NULL);
}

static void handle(int signal_number)
{
	struct sockaddr_in to = server_address();
	int error = errno;

	(void)signal_number;
	call_address(&to, 0, handlers);
	arm();
	errno = error;
}

static void *talk(void *number)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM };
	struct sockaddr_in to = server_address();
	struct tally *tally = &board->tallies[(intptr_t)number];
	int fd = reach(&to);

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	handlers = &board->tallies[TALKERS + (intptr_t)number];
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		tally->odd++;
	arm();
	for (int i = 0; i < calls; i++) {
		*(exchange(fd) == SAW_WELL ? &tally->well : &tally->odd) += 1;
		call_address(&to, 0, tally);
	}
	timer_delete(timer);
	close(fd);
	return NULL;
}

static int be_client(const char *word, int number)
{
	struct sigaction action = { .sa_handler = handle };
	pthread_t threads[TALKERS];

	calls = number;
	if (strcmp(word, "restart") == 0)
		action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	for (intptr_t i = 0; i < TALKERS; i++)
		pthread_create(&threads[i], NULL, talk, (void *)i);
	for (int i = 0; i < TALKERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static void storm(const char *word, const char *how, int each)
{
	int64_t begun_ns = now_ns();

	memset(board->tallies, 0, sizeof(board->tallies));
	setting("INTERLOCK_REGISTRY", word);
	int status = client_run(word, each);
	uint64_t told = board->tallies[0].well + board->tallies[1].well;
	uint64_t handled = tally_sum().well - told;

	tell(status == 0 && told == 2UL * TALKERS * (uint64_t)each && tally_sum().odd == 0 &&
		     tally_sum().sick == 0 && handled > 0,
	     "transparent: %s, %lu calls are well, and all of the handlers", how, told);
	bool seen = look_at_server();
	uint64_t counted = count_of(IL_COUNT_calls_success),
		 lost = count_of(IL_COUNT_lock_timeouts);

	note("%lu calls of the handlers; %lu counted, %lu lock timeouts, %.1f s", handled, counted,
	     lost, (double)(now_ns() - begun_ns) / 1e9);
	tell(seen && counted + lost >= told && counted <= told + handled && recorded() == counted,
	     "each is counted once, but for handlers that interrupted us; all SUCCESS");
	tell(seen && counted + lost - told > handled / 2, "which are few");
	tell(seen && leases_open(IL_LEASE_CALL) == 0 && count_of(IL_COUNT_cancelled) == 0 &&
		     count_of(IL_COUNT_rejected) == 0 && count_of(IL_COUNT_inconclusive) == 0 &&
		     snapshot.slot.lock.owner == 0,
	     "and nothing is left over");
}

int main(int argc, char **argv)
{
	int number, each = argc > 1 ? atoi(argv[1]) : 3000;
	const char *word = client_word(argc, argv, &number);

	if (word)
		return be_client(word, number);
	storm_begin("signals", WELL);
	storm("restart", "with SA_RESTART", each);
	storm("interrupt", "without it", each);
	return storm_end();
}
