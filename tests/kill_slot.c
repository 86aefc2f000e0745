/*
 * Writers killed at random points without a thought between their calls, while another process
 * records on the same breakers all the while: plain processes first, then vfork children, which
 * share their parent's memory and leave it as they die.
 * usage: kill_slot [kills]
 */
#include "slot_rig.h"

#define BREAKERS           2
/* One of so many kills must leave a lock. vfork children live too shortly to be hit as often. */
#define PROCESSES_A_TAKEOVER 20 /* 5 % */
#define CHILDREN_A_TAKEOVER  100

static const char *const names[BREAKERS] = { "one:1", "two:2" };

/* What the processes tell each other. Each word has one writer at a time. */
struct board {
	uint64_t victims;  /* calls that they know to be recorded */
	uint64_t recorder; /* the same */
	uint64_t started;  /* victims */
	uint64_t unjudged; /* calls that found the lock busy */
	uint32_t victim;   /* the process to be killed; 0: there is none yet */
	uint32_t stop;
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

/* A breaker that never trips: every outcome stays in the counters and in the window. */
static void given_breakers(void)
{
	given_settings();
	settings.initial_state = IL_METRICS_ONLY;
	given_an_engine(NULL, "kill", BREAKERS);
	board = shared_memory(4096);
	for (int i = 0; i < BREAKERS; i++)
		call(names[i], IL_SLOW_FAILURE, il_clock_now_ns());
}

/* The victims' calls are successes, the recorder's failures: so each can be counted. */
static void be_a_victim(void)
{
	for (uint64_t i = 0;; i++) {
		bool recorded = call(names[i % BREAKERS], IL_SUCCESS, il_clock_now_ns());

		add(recorded ? &board->victims : &board->unjudged);
		if (i == 0)
			add(&board->started);
	}
}

static pid_t given_a_recorder(void)
{
	pid_t child = fork();

	if (child != 0)
		return child;
	self = il_self_read();
	for (uint64_t i = 0; !__atomic_load_n(&board->stop, __ATOMIC_ACQUIRE); i++) {
		bool recorded = call(names[i % BREAKERS], IL_FAILURE, il_clock_now_ns());

		add(recorded ? &board->recorder : &board->unjudged);
	}
	_exit(0);
}

static void kill_one_process(void)
{
	uint64_t before = load(&board->started);
	pid_t child = fork();

	if (child == 0) {
		self = il_self_read();
		be_a_victim();
	}
	while (load(&board->started) == before)
		usleep(20);
	sleep_up_to_us(100);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* A process that kills whoever is the victim, time and again. */
static pid_t given_a_killer(void)
{
	pid_t child = fork();

	if (child != 0)
		return child;
	while (!__atomic_load_n(&board->stop, __ATOMIC_ACQUIRE)) {
		uint32_t victim = __atomic_exchange_n(&board->victim, 0, __ATOMIC_ACQ_REL);

		if (victim == 0) {
			usleep(20);
			continue;
		}
		sleep_up_to_us(100);
		kill((pid_t)victim, SIGKILL);
	}
	_exit(0);
}

/* The child runs on our stack and in our memory until the killer has it. */
static void kill_one_vfork_child(void)
{
	struct il_self ours = self;
	pid_t child = vfork();

	if (child == 0) {
		self = il_self_read();
		__atomic_store_n(&board->victim, self.pid, __ATOMIC_RELEASE);
		be_a_victim();
	}
	self = ours;
	waitpid(child, NULL, 0);
	/* The parent's own calls go on in the memory that the child left. */
	if (call(names[0], IL_SUCCESS, il_clock_now_ns()))
		add(&board->victims);
}

static uint64_t sum(uint32_t count)
{
	uint64_t sum = 0;

	for (int i = 0; i < BREAKERS; i++)
		sum += count_of(slot_named(names[i]), count);
	return sum;
}

static void check_counts(const char *who, int kills)
{
	uint64_t successes = sum(IL_COUNT_calls_success), failures = sum(IL_COUNT_calls_failure);

	/* A victim may be killed between its commit and its own note of it: one call each. */
	tell(successes >= load(&board->victims) &&
		     successes <= load(&board->victims) + (uint64_t)kills,
	     "%s: %lu calls were recorded, and %lu are counted", who, load(&board->victims),
	     successes);
	tell(failures == load(&board->recorder),
	     "%s: the recorder's %lu calls are counted exactly; %lu found a lock busy", who,
	     load(&board->recorder), load(&board->unjudged));
	tell(sum(IL_COUNT_calls_slow_failure) == BREAKERS && sum(IL_COUNT_calls_slow_success) == 0,
	     "%s: nothing is counted that nobody did", who);
}

static void visit_later(const char *name, int64_t now_ns)
{
	wait_for_a_look(&slot_named(name)->lock);
	call(name, IL_SLOW_FAILURE, now_ns);
}

/* Each lease left by a dead process is buried: abandoned, since none of them was waiting. */
static void check_leases(const char *who)
{
	int64_t now_ns = il_clock_now_ns();
	uint32_t left = 0;

	for (int visit = 0; visit < 200; visit++)
		for (int i = 0; i < BREAKERS; i++)
			visit_later(names[i], now_ns + visit * SECOND / 4);
	for (int i = 0; i < BREAKERS; i++)
		for (uint32_t lease = 0; lease < IL_LEASES; lease++)
			left += !il_lease_is_free(slot_named(names[i]), lease);
	tell(left == 0, "%s: %u leases of the dead are left", who, left);
}

static void rounds_of(const char *who, void (*kill_one)(void), int kills, uint64_t a_takeover)
{
	const char *wrong = NULL;
	uint64_t before;

	given_breakers();
	pid_t recorder = given_a_recorder();
	pid_t killer = given_a_killer();

	before = load(&engine.segment.header->takeovers);
	for (int i = 0; i < kills && !wrong; i++) {
		kill_one();
		for (int place = 0; place < BREAKERS && !wrong; place++)
			wrong = slot_wrong((uint32_t)place, il_clock_now_ns());
	}
	uint64_t takeovers = load(&engine.segment.header->takeovers) - before;

	__atomic_store_n(&board->stop, 1, __ATOMIC_RELEASE);
	waitpid(recorder, NULL, 0);
	waitpid(killer, NULL, 0);
	tell(!wrong, "%s: every breaker is whole after every kill%s%s", who, wrong ? ": " : "",
	     wrong ? wrong : "");
	tell(takeovers * a_takeover >= (uint64_t)kills,
	     "%s: %lu of %d kills left a lock that was taken over", who, takeovers, kills);
	check_counts(who, kills);
	check_leases(who);
}

int main(int count, char **words)
{
	int kills = count > 1 ? atoi(words[1]) : SANITIZED_THREAD ? 600 : 2000;

	rounds_of("killed processes", kill_one_process, kills, PROCESSES_A_TAKEOVER);
	rounds_of("killed vfork children", kill_one_vfork_child, kills / 5, CHILDREN_A_TAKEOVER);
	return results();
}
