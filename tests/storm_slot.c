/*
 * Threads that jump out of the critical section, an owner that is stopped in it, and a crowd of
 * threads and processes on one breaker.
 * usage: storm_slot
 */
#include "slot_rig.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/resource.h>
#include <sys/time.h>

#define NAME        "db.internal:5432"
#define JUMPS       5000
#define CROWD       8    /* threads, and as many processes */
#define SETTLED     3000 /* calls of the crowd */
#define PATIENCE_NS (8 * SECOND)

struct board {
	uint64_t recorded, jumps, unjudged; /* of the one who jumps */
	uint64_t beats;                     /* calls recorded by the other process */
	uint64_t settled, rejected, unleased, passed;
	uint32_t probes_now, probes_most;
	uint32_t ready, stop;
};
static struct board *board;

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void add(uint64_t *word)
{
	__atomic_fetch_add(word, 1, __ATOMIC_ACQ_REL);
}

static bool stopped(void)
{
	return __atomic_load_n(&board->stop, __ATOMIC_ACQUIRE);
}

static void stop(void)
{
	__atomic_store_n(&board->stop, 1, __ATOMIC_RELEASE);
}

static void given_a_breaker(const char *registry, uint32_t initial_state)
{
	settings.initial_state = initial_state;
	given_an_engine(NULL, registry, 2);
	board = shared_memory(4096);
}

/* Jumps out of whatever it is in, at every signal of a timer, until there were enough. */
static sigjmp_buf out;
static volatile sig_atomic_t jumping;

static void jump(int signal)
{
	(void)signal;
	if (!jumping)
		return;
	add(&board->jumps);
	siglongjmp(out, 1);
}

static void set_timer(long us)
{
	struct itimerval timer = { { 0, us }, { 0, us } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void record_and_be_jumped_out_of(void)
{
	int64_t end_ns = il_clock_now_ns() + PATIENCE_NS;

	if (sigsetjmp(out, 1) == 0)
		jumping = 1;
	while (load(&board->jumps) < JUMPS && il_clock_now_ns() < end_ns)
		add(call(NAME, IL_SUCCESS, il_clock_now_ns()) ? &board->recorded
							      : &board->unjudged);
	jumping = 0;
	set_timer(0);
}

/* Where its last frame still seems to live, it has the lock again after a second. */
static int be_a_jumper(void)
{
	int64_t end_ns;

	signal(SIGALRM, jump);
	set_timer(50 + (long)(random_word() % 50));
	record_and_be_jumped_out_of();
	end_ns = il_clock_now_ns() + 3 * SECOND;
	while (il_clock_now_ns() < end_ns) {
		if (call(NAME, IL_SUCCESS, il_clock_now_ns())) {
			add(&board->recorded);
			return 0;
		}
		usleep(10000);
	}
	return 1;
}

static pid_t given_a_process(int (*what)(void))
{
	pid_t child = fork();

	if (child != 0)
		return child;
	self = il_self_read();
	_exit(what());
}

static int result_of(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int record_all_the_while(void)
{
	while (!stopped())
		if (call(NAME, IL_FAILURE, il_clock_now_ns()))
			add(&board->beats);
	return 0;
}

static void storm_of_jumps(void)
{
	given_a_breaker("jumps", IL_METRICS_ONLY);
	call(NAME, IL_SLOW_SUCCESS, il_clock_now_ns());
	pid_t other = given_a_process(record_all_the_while);
	pid_t jumper = given_a_process(be_a_jumper);
	int jumped = result_of(jumper);

	stop();
	result_of(other);
	const struct il_slot *slot = slot_named(NAME);
	uint64_t counted = count_of(slot, IL_COUNT_calls_success);
	uint64_t taken = load(&engine.segment.header->takeovers);
	const char *wrong = slot_wrong(0, il_clock_now_ns());

	tell(jumped == 0, "a thread that jumped out %lu times records again afterwards",
	     load(&board->jumps));
	tell(load(&board->jumps) >= JUMPS && taken >= 20,
	     "%lu of %lu jumps left a lock that was taken over", taken, load(&board->jumps));
	tell(counted >= load(&board->recorded) &&
		     counted <= load(&board->recorded) + load(&board->jumps),
	     "%lu calls were recorded for certain, %lu are counted", load(&board->recorded),
	     counted);
	tell(count_of(slot, IL_COUNT_calls_failure) == load(&board->beats),
	     "the %lu calls of another process are counted exactly", load(&board->beats));
	tell(!wrong, "the breaker is whole%s%s", wrong ? ": " : "", wrong ? wrong : "");
}

/* Takes the slot's lock and is stopped in it; then goes on, and commits. */
static int be_stopped(void)
{
	struct il_change change;

	if (il_slot_begin(&engine.segment, &self, 0, 1, &change) < 0)
		return 2;
	raise(SIGSTOP);
	return il_slot_commit(&change) ? 0 : 1;
}

static long sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

static void a_stopped_owner(void)
{
	struct il_ticket ticket;
	int status, admitted = 0;

	given_a_breaker("stopped", IL_CLOSED);
	call(NAME, IL_SUCCESS, NOW);
	pid_t owner = given_a_process(be_stopped);

	waitpid(owner, &status, WUNTRACED);
	const struct il_slot *slot = slot_named(NAME);
	long before = sleeps();
	bool recorded = call(NAME, IL_SUCCESS, NOW);
	long while_first = sleeps() - before;

	before = sleeps();
	for (int i = 0; i < 100; i++) {
		admitted += admit(NAME, NOW, &ticket) == IL_ADMITTED;
		settle(&ticket, IL_VERDICT_RECORD, IL_SUCCESS, NOW);
	}
	long while_rest = sleeps() - before;

	tell(!recorded && while_first > 0, "a stopped owner is waited for (%ld sleeps)",
	     while_first);
	tell(while_rest == 0 && admitted == 100,
	     "and then not again: %d calls pass without a sleep (%ld)", admitted, while_rest);
	tell(count_of(slot, IL_COUNT_lock_timeouts) == 101, "%lu calls are counted as unjudged",
	     count_of(slot, IL_COUNT_lock_timeouts));
	kill(owner, SIGCONT);
	tell(result_of(owner) == 0, "the owner goes on, and what it did stands");
	tell(call(NAME, IL_SUCCESS, NOW), "then calls are recorded again");
}

/* One call of the crowd. A probe notes that it is out, as long as it is. */
static void one_of_the_crowd(const struct il_self *me, uint64_t word)
{
	struct il_verdict verdict = { .kind = IL_VERDICT_RECORD,
				      .outcome = word & 1,
				      .duration_ns = 3 * MS };
	struct il_recipe recipe = recipe_of(NAME);
	struct il_ticket ticket;
	enum il_admission admission =
		il_engine_admit(&engine, me, &recipe, il_clock_now_ns(), &ticket);

	if (admission != IL_ADMITTED) {
		if (admission == IL_REJECTED)
			il_engine_reject(&engine, &ticket, il_clock_now_ns());
		add(admission == IL_REJECTED ? &board->rejected : &board->passed);
		usleep(50); /* a wait, or the holder of the lock, wants its time */
		return;
	}
	bool leased = ticket.lease.place != 0;

	if (ticket.probe) {
		uint32_t now = __atomic_add_fetch(&board->probes_now, 1, __ATOMIC_ACQ_REL);
		uint32_t most = __atomic_load_n(&board->probes_most, __ATOMIC_ACQUIRE);

		while (now > most &&
		       !__atomic_compare_exchange_n(&board->probes_most, &most, now, false,
						    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			;
		sched_yield();
		__atomic_fetch_sub(&board->probes_now, 1, __ATOMIC_ACQ_REL);
	}
	il_engine_settle(&engine, me, &ticket, &verdict, il_clock_now_ns());
	if (!leased)
		add(&board->unleased);
	else if (ticket.lease.place == 0 && !IL_SLOW(ticket.handle.outcome))
		add(&board->settled); /* recorded by the commit that closed its lease */
}

static void *be_in_the_crowd(void *unused)
{
	struct il_self me = il_self_read();
	uint64_t word = me.tid * 0x9e3779b97f4a7c15ULL;
	int64_t end_ns = il_clock_now_ns() + PATIENCE_NS;

	(void)unused;
	__atomic_fetch_add(&board->ready, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&board->ready, __ATOMIC_ACQUIRE) < 2 * CROWD)
		usleep(100);
	while (load(&board->settled) < SETTLED && il_clock_now_ns() < end_ns) {
		word = word * 6364136223846793005ULL + 1442695040888963407ULL;
		one_of_the_crowd(&me, word >> 33);
	}
	return NULL;
}

static int be_a_process_in_the_crowd(void)
{
	be_in_the_crowd(NULL);
	return 0;
}

static uint64_t lines_with(const char *path, const char *word)
{
	FILE *file = fopen(path, "r");
	char line[512];
	uint64_t lines = 0;

	while (file && fgets(line, sizeof(line), file))
		lines += strstr(line, word) != NULL;
	if (file)
		fclose(file);
	return lines;
}

static void judge_the_crowd(const char *path)
{
	const struct il_slot *slot = slot_named(NAME);
	uint64_t calls = sum_of_counts(slot, IL_COUNT_calls_success, IL_OUTCOMES);
	uint64_t changes = sum_of_counts(slot, IL_COUNT_CHANGE(0, 0), IL_STATES * IL_STATES);
	uint64_t lines = lines_with(path, " state_change ");
	const char *wrong = slot_wrong(0, il_clock_now_ns());

	uint64_t charged = count_of(slot, IL_COUNT_charged);

	/* A probe whose end found the lock busy is charged by a visitor later. */
	tell(calls >= load(&board->settled) + charged &&
		     calls <= load(&board->settled) + charged + load(&board->unleased),
	     "%d threads and %d processes settled %lu calls, %lu were charged, and %lu are counted",
	     CROWD, CROWD, load(&board->settled), charged, calls);
	tell(count_of(slot, IL_COUNT_rejected) == load(&board->rejected),
	     "of %lu rejections %lu are counted, and %lu calls passed", load(&board->rejected),
	     count_of(slot, IL_COUNT_rejected), load(&board->passed));
	tell(board->probes_most > 0 && board->probes_most <= settings.max_concurrent_probes,
	     "at most %u of %u probes were out at once", board->probes_most,
	     settings.max_concurrent_probes);
	tell(changes >= 10 && lines == changes, "%lu changes of state, and %lu lines about them",
	     changes, lines);
	tell(!wrong, "the breaker is whole%s%s", wrong ? ": " : "", wrong ? wrong : "");
}

static void a_crowd(void)
{
	char path[] = "/tmp/il_storm.XXXXXX";
	pthread_t threads[CROWD];
	pid_t processes[CROWD];
	struct il_log log;

	close(mkstemp(path));
	il_log_start(&log);
	il_log_set(&log, path, IL_LOG_WARNING, IL_LOG_TEXT);
	settings.wait_duration_in_open_ns = MS / 2;
	settings.slow_call_duration_threshold_ns = SECOND;
	settings.permitted_calls_in_half_open = 3;
	settings.max_concurrent_probes = 2;
	given_a_breaker("crowd", IL_CLOSED);
	engine.log = &log;
	for (int i = 0; i < CROWD; i++)
		processes[i] = given_a_process(be_a_process_in_the_crowd);
	for (int i = 0; i < CROWD; i++)
		if (pthread_create(&threads[i], NULL, be_in_the_crowd, NULL) != 0)
			abort();
	for (int i = 0; i < CROWD; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < CROWD; i++)
		result_of(processes[i]);
	judge_the_crowd(path);
	unlink(path);
}

int main(void)
{
	given_settings();
	storm_of_jumps();
	given_settings();
	a_stopped_owner();
	given_settings();
	a_crowd();
	return results();
}
