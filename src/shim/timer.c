#include "shim/timer.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/file.h"

#define STACK_BYTES       65536
#define LARGE_STACK_BYTES 1048576
#define NAP_NS            INT64_C(1000000) /* at least: what looks due may be in somebody's hands */
#define LOOK_NS           INT64_C(1000000000) /* at most: others open and reset breakers, too */

static _Atomic uint32_t life;
enum { ABSENT, ALIVE, HOPELESS /* the program may have no more threads */ };

/* engine.openings, as far as the thread was told. */
static _Atomic uint32_t told;

/* What this thread of the program blocks, as a rule. */
static __thread uint64_t usual_mask = ~UINT64_C(0);

/*
 * pthread_create allocates: not in a signal handler that may have interrupted malloc. There the
 * signal is blocked that otherwise is not. The next call outside is early enough.
 */
static bool is_in_handler(void)
{
	uint64_t mask;

	if (il_sys_sigmask(SIG_BLOCK, NULL, &mask) < 0)
		return true;
	usual_mask &= mask;
	return mask != usual_mask;
}

static int64_t nap_until(int64_t due_ns, int64_t now_ns)
{
	if (due_ns <= now_ns + NAP_NS)
		return NAP_NS;
	return due_ns - now_ns < LOOK_NS ? due_ns - now_ns : LOOK_NS;
}

/* Has the first thread ended, by pthread_exit? Its state follows the last bracket. */
static bool has_lost_first(void)
{
	char stat[128];
	int fd = il_sys_open("/proc/self/stat", O_RDONLY, 0);
	ssize_t length = fd < 0 ? 0 : il_sys_read(fd, stat, sizeof(stat) - 1);

	if (fd >= 0)
		il_sys_close(fd);
	stat[length > 0 ? length : 0] = 0;

	const char *bracket = strrchr(stat, ')');
	return bracket && bracket[1] == ' ' && bracket[2] == 'Z';
}

/* Are we all that is left of the program? Then it waits for us. A folder has two links besides. */
static bool is_alone(void)
{
	struct stat tasks;

	return il_sys_stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink <= 2 + 2 &&
	       has_lost_first();
}

/* Until there is nothing left to do. False: the program is to end. */
static bool serve(uint32_t *ret_seen)
{
	struct il_engine *engine = &gate_state.engine;
	struct il_self self = gate_self();

	for (;;) {
		*ret_seen = __atomic_load_n(&engine->openings, __ATOMIC_SEQ_CST);

		int64_t now_ns = il_clock_now_ns();
		int64_t due_ns =
			gate_is_open() ? il_engine_auto(engine, &self, now_ns) : IL_AUTO_NEVER;

		if (due_ns == IL_AUTO_NEVER)
			return true;
		if (is_alone())
			return false;
		il_sys_futex_wait(&engine->openings, *ret_seen, nap_until(due_ns, now_ns));
	}
}

/* Whoever opens one says so first and then looks whether we live; we do it the other way round. */
static bool is_called_back(uint32_t seen)
{
	uint32_t absent = ABSENT;

	atomic_store(&life, ABSENT);
	return gate_is_open() &&
	       __atomic_load_n(&gate_state.engine.openings, __ATOMIC_SEQ_CST) != seen &&
	       atomic_compare_exchange_strong(&life, &absent, ALIVE);
}

/* The last thread to end runs the program's exit handlers, with the signals that it would have. */
static void *run(void *usual)
{
	uint64_t mask = (uint64_t)(uintptr_t)usual;
	uint32_t seen;

	il_sys_call(SYS_prctl, PR_SET_NAME, (long)"interlock", 0, 0, 0, 0);
	do {
		if (!serve(&seen)) {
			il_sys_sigmask(SIG_SETMASK, &mask, NULL);
			break;
		}
	} while (is_called_back(seen));
	return NULL;
}

/* A program with much thread-local memory needs more stack than we do. */
static int create_with(size_t stack_bytes)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int rc = pthread_attr_init(&attributes);

	if (rc)
		return rc;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	rc = pthread_attr_setstacksize(&attributes, stack_bytes);
	if (!rc)
		rc = pthread_create(&thread, &attributes, run, (void *)(uintptr_t)usual_mask);
	pthread_attr_destroy(&attributes);
	return rc;
}

/* pthread_sigmask leaves alone the signal by which libc gives all threads a new user. */
static int create(void)
{
	sigset_t all, before;

	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before))
		return EAGAIN;

	int rc = create_with(STACK_BYTES);
	if (rc)
		rc = create_with(LARGE_STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* False: not now. A vfork child would leave its parent with a thread that is none. */
static bool start(void)
{
	uint32_t absent = ABSENT;

	if ((uint32_t)il_sys_getpid() != gate_self().pid || is_in_handler())
		return false;
	if (!atomic_compare_exchange_strong(&life, &absent, ALIVE) || create() == 0)
		return true;
	atomic_store(&life, HOPELESS);
	il_log_message(&gate_state.log, IL_LOG_WARNING,
		       "auto_transition: no thread can be had here; an open breaker waits for its "
		       "next call");
	return true;
}

void timer_looks(void)
{
	uint32_t openings = __atomic_load_n(&gate_state.engine.openings, __ATOMIC_SEQ_CST);

	if (openings == atomic_load_explicit(&told, memory_order_relaxed))
		return;
	if (atomic_load(&life) == ABSENT && !start())
		return;
	il_sys_futex_wake(&gate_state.engine.openings, 1);
	atomic_store(&told, openings);
}

void timer_meets(const struct il_ticket *ticket)
{
	const struct il_slot *slot = il_engine_slot(&gate_state.engine, ticket);

	if (!slot || !il_slot_is_timed(slot))
		return;
	if (usual_mask == ~UINT64_C(0))
		is_in_handler();
	if (IL_COMMIT_STATE(il_slot_word(slot)) == IL_OPEN && atomic_load(&life) == ABSENT)
		start();
}

void timer_forked(void)
{
	if (atomic_exchange(&life, ABSENT) == ALIVE)
		atomic_fetch_sub(&told, 1);
}
