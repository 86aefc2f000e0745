/*
 * Eight processes that call one server which is well, sick, mute and resets in turn, as ordinary
 * callers and as probes, while one after another is killed by SIGKILL: at random moments, and, for
 * a part, at a moment when it has a probe, or the lock. The breaker is never stuck, its lock never
 * wedged, and every call is accounted for.
 *
 * What must hold at the end, however many were killed. Each kill cuts at most one call short, so
 * the breaker may have counted one call a kill that its caller did not live to tally:
 *
 *   told <= counted <= told + kills       for calls refused, and for SUCCESS and FAILURE
 *   abandoned + (counted - told) <= kills
 *   each kill that hit a probe is in abandoned, or its outcome was recorded
 *   CLOSED to OPEN = HALF_OPEN to CLOSED, and OPEN to HALF_OPEN = HALF_OPEN to anything
 *
 * A call that did not get the lock in time passes uncounted, and lock_timeouts says so. Before all
 * that, nobody dies: there, callers, counters and the log must agree to the last call.
 * usage: flapping [KILLS] [CONCURRENT PROBES]
 */
#include "rig.h"

#include <sys/wait.h>

#define CALLERS    8
#define CALM       300 /* calls of each before the storm */
#define GIVE_UP_MS 150
#define STUCK_NS   (20 * SECOND)
#define PROBES_IN  6 /* one of so many kills is meant for a probe */
#define LOCK_LOOKS 200
#define KILL_MS    100 /* at most, on the average */

static pid_t callers[CALLERS];
static uint64_t kills, kills_of_probes, kills_of_lockers;
static int64_t half_open_ns, longest_ns;
static uint64_t generation;

static bool told_to_stop(void)
{
	return __atomic_load_n(&board->stop, __ATOMIC_RELAXED);
}

static int be_client(const char *word, int number)
{
	struct sockaddr_in to = server_address();

	struct tally *tally = &board->tallies[number];

	if (strcmp(word, "few") == 0) {
		for (int i = 0; i < number; i++)
			call_address(&to, 0, &board->tallies[TALLIES - 1]);
		return 0;
	}
	while (!told_to_stop() && (tally->begun < CALM || strcmp(word, "calm") != 0))
		if (call_address(&to, GIVE_UP_MS, tally) == SAW_REFUSED)
			usleep(500);
	return 0;
}

/* How long is it in one round of probes? */
static void watch(void)
{
	if (!look_at_server())
		return;
	const struct il_breaker *breaker = &snapshot.slot.breaker;

	if (breaker->state != IL_HALF_OPEN || breaker->generation != generation)
		half_open_ns = now_ns();
	generation = breaker->generation;
	if (now_ns() - half_open_ns > longest_ns)
		longest_ns = now_ns() - half_open_ns;
}

/* Sick more often than not, so that there are many rounds of probes. */
static void flap(void)
{
	static const uint32_t moods[] = { WELL, SICK, WELL, RESET, SICK, MUTE, WELL, SICK };
	static int64_t until_ns;

	if (now_ns() < until_ns)
		return;
	board->mood = moods[random_up_to(sizeof(moods) / sizeof(moods[0]) - 1)];
	board->delay_us = (uint32_t)random_up_to(1) * 1000;
	until_ns = now_ns() + (20 + (int64_t)random_up_to(60)) * MS;
}

static void replace(int caller)
{
	int status;

	kill(callers[caller], SIGKILL);
	waitpid(callers[caller], &status, 0);
	kills++;
	callers[caller] = client_start("call", caller);
}

static int caller_of(uint64_t pid)
{
	for (int i = 0; i < CALLERS; i++)
		if (pid == (uint64_t)callers[i])
			return i;
	return -1;
}

/* Whoever has a probe, and which; -1: nobody. */
static int holder_of_probe(uint64_t *ret_which)
{
	struct il_lease_view view;

	for (uint32_t place = 0; look_at_server() && place < IL_LEASES; place++) {
		if (!il_lease_look(&snapshot.slot, place, &view) || view.kind != IL_LEASE_PROBE)
			continue;
		*ret_which = view.ref.tag;
		return caller_of(view.pid);
	}
	return -1;
}

static int holder_of_lock(uint64_t *ret_which)
{
	if (!look_at_server() || snapshot.slot.lock.owner == 0)
		return -1;
	*ret_which = snapshot.slot.lock.owner;
	return caller_of(snapshot.slot.lock.owner >> 22 & 0x3fffff);
}

/* Stopped first, and looked at again: it has what it holds when it dies. */
static bool kill_holder(int (*holder)(uint64_t *ret_which), uint64_t *ret_kills)
{
	uint64_t before = 0, which = 0;
	int status, caller = holder(&before);

	if (caller < 0)
		return false;
	kill(callers[caller], SIGSTOP);
	waitpid(callers[caller], &status, WUNTRACED);
	if (holder(&which) != caller || which != before) {
		kill(callers[caller], SIGCONT);
		return false;
	}
	++*ret_kills;
	replace(caller);
	return true;
}

static void wait_up_to_ms(uint64_t ms)
{
	int64_t end_ns = now_ns() + (int64_t)random_up_to(ms * 1000) * 1000;

	do {
		usleep(200);
		flap();
		watch();
	} while (now_ns() < end_ns);
}

static uint64_t lines_with(const char *what, const char *outcome)
{
	FILE *log = fopen(getenv("INTERLOCK_LOG"), "r");
	char line[1024];
	uint64_t lines = 0;

	while (log && fgets(line, sizeof(line), log))
		lines += strstr(line, what) && strstr(line, outcome);
	if (log)
		fclose(log);
	return lines;
}

static void judge_calm(void)
{
	struct tally sum = tally_sum();
	bool seen = look_at_server();
	uint64_t lost = count_of(IL_COUNT_lock_timeouts);
	uint64_t ended = sum.well + sum.sick + sum.in_vain;

	note("%lu well, %lu sick, %lu in vain, %lu refused, %lu lock timeouts", sum.well, sum.sick,
	     sum.in_vain, sum.refused, lost);
	tell(seen && recorded() <= ended && recorded() + lost >= ended &&
		     count_of(IL_COUNT_rejected) == sum.refused &&
		     count_of(IL_COUNT_calls_failure) <= sum.sick + sum.in_vain &&
		     count_of(IL_COUNT_abandoned) + count_of(IL_COUNT_cancelled) == 0,
	     "while nobody dies, the breaker counts what its callers saw");
	tell(lines_with(" call ", "=SUCCESS ") == count_of(IL_COUNT_calls_success) &&
		     lines_with(" call ", "=FAILURE ") == count_of(IL_COUNT_calls_failure) &&
		     lines_with(" call ", "outcome=") == recorded() &&
		     lines_with(" state_change ", "to=OPEN") ==
			     changes(IL_CLOSED, IL_OPEN) + changes(IL_HALF_OPEN, IL_OPEN) &&
		     recorded() > 0,
	     "and the log tells of the same calls and changes");
}

static void be_calm(void)
{
	char path[256];
	int status;

	snprintf(path, sizeof(path), "%s/log", getenv("INTERLOCK_RUNTIME_DIR"));
	setting("INTERLOCK_REGISTRY", "calm");
	setting("INTERLOCK_LOG", path);
	setting("INTERLOCK_LOG_LEVEL", "debug");
	for (int i = 0; i < CALLERS; i++)
		callers[i] = client_start("calm", i);
	for (int i = 0; i < CALLERS; i++)
		while (waitpid(callers[i], &status, WNOHANG) == 0)
			wait_up_to_ms(1);
	judge_calm();
	unsetenv("INTERLOCK_LOG");
	setting("INTERLOCK_REGISTRY", "flapping");
	memset(board->tallies, 0, sizeof(board->tallies));
	board->connections = 0;
	longest_ns = 0;
}

static void kill_one(uint64_t wanted, int64_t end_ns)
{
	uint64_t before = kills;

	if (kills_of_probes * PROBES_IN < wanted && kills % 2)
		while (!kill_holder(holder_of_probe, &kills_of_probes) && now_ns() < end_ns)
			wait_up_to_ms(0);
	for (int i = 0; i < LOCK_LOOKS && kills == before && kills % 8 == 0; i++)
		kill_holder(holder_of_lock, &kills_of_lockers);
	if (kills > before)
		return;
	wait_up_to_ms(6);
	replace((int)random_up_to(CALLERS - 1));
}

/* Only as long as somebody watches. */
static void storm(uint64_t wanted)
{
	int64_t end_ns = now_ns() + PATIENCE_S * SECOND + (int64_t)wanted * KILL_MS * MS;

	for (int i = 0; i < CALLERS; i++)
		callers[i] = client_start("call", i);
	while (!look_at_server() && now_ns() < end_ns && tally_sum().begun < 1000)
		usleep(1000);
	while (kills < wanted && look_at_server() && now_ns() < end_ns)
		kill_one(wanted, end_ns);
	tell(kills == wanted && kills_of_probes * PROBES_IN >= wanted,
	     "%lu processes were killed, one in %d as it had a probe", wanted, PROBES_IN);
}

/* Well again: CLOSED, and nothing left of the dead. */
static bool recovers(void)
{
	int64_t end_ns = now_ns() + PATIENCE_S * SECOND;
	bool closed = false;

	board->mood = WELL;
	board->delay_us = 0;
	while (!closed && look_at_server() && now_ns() < end_ns) {
		watch();
		closed = snapshot.slot.breaker.state == IL_CLOSED;
	}
	board->stop = 1;
	for (int i = 0; i < CALLERS; i++)
		client_wait(callers[i]);
	sleep(1); /* so old that visitors ask who is alive */
	client_run("few", 50);
	return closed && look_at_server() && snapshot.slot.breaker.state == IL_CLOSED;
}

static bool between(const char *what, uint64_t told, uint64_t counted, uint64_t more)
{
	uint64_t lost = count_of(IL_COUNT_lock_timeouts);

	note("%s: %lu by their callers, %lu by the breaker", what, told, counted);
	return told <= counted + lost && counted <= told + more;
}

static void judge_counts(void)
{
	struct tally sum = tally_sum();
	uint64_t recorded_all = recorded(), abandoned = count_of(IL_COUNT_abandoned);
	uint64_t ended = sum.well + sum.sick + sum.in_vain;
	uint64_t lost = count_of(IL_COUNT_lock_timeouts);

	note("abandoned %lu, lock timeouts %lu, cancelled %lu, inconclusive %lu, charged %lu",
	     abandoned, lost, count_of(IL_COUNT_cancelled), count_of(IL_COUNT_inconclusive),
	     count_of(IL_COUNT_charged));
	tell(look_at_server() && sum.odd == 0, "no caller saw anything odd");
	tell(between("refused", sum.refused, count_of(IL_COUNT_rejected), kills) && sum.refused,
	     "every refusal is counted");
	tell(between("well", sum.well, count_of(IL_COUNT_calls_success), kills + sum.in_vain) &&
		     between("sick", sum.sick, count_of(IL_COUNT_calls_failure),
			     kills + sum.in_vain) &&
		     between("ended", ended, recorded_all, kills),
	     "every call that ended is recorded once, as what it was");
	tell(abandoned + recorded_all <= ended + kills && abandoned <= kills &&
		     abandoned + (recorded_all + lost - ended) >= kills_of_probes &&
		     kills_of_probes > 0,
	     "every call that a kill cut short is abandoned or recorded, and none twice");
	tell(board->connections <= recorded_all + abandoned + lost + kills &&
		     board->connections >= ended,
	     "and the server saw no others: %lu connections", board->connections);
}

static void judge_changes(void)
{
	uint64_t trips = changes(IL_CLOSED, IL_OPEN);
	uint64_t rounds = changes(IL_OPEN, IL_HALF_OPEN);
	uint64_t passed = changes(IL_HALF_OPEN, IL_CLOSED);

	note("%lu trips, %lu rounds of probes", trips, rounds);
	tell(trips > 0 && trips == passed && rounds == passed + changes(IL_HALF_OPEN, IL_OPEN),
	     "as often as it opened, it closed again");
}

static void judge_lock(void)
{
	struct il_header header = { 0 };
	uint64_t before = recorded(), lost = count_of(IL_COUNT_lock_timeouts);

	client_run("few", 200);
	tell(look_at_server() && recorded() == before + 200 && snapshot.slot.lock.owner == 0 &&
		     count_of(IL_COUNT_lock_timeouts) == lost && look_at_header(&header) &&
		     header.table_lock.owner == 0,
	     "no lock is wedged: 200 calls more are 200 more");
	tell(look_at_server() && leases_open(IL_LEASE_CALL) + leases_open(IL_LEASE_PROBE) == 0,
	     "and nothing is left of the dead");
	tell(header.takeovers >= kills_of_lockers && kills > 0,
	     "the lock of each who died with it was taken over: %lu, of which %lu seen",
	     header.takeovers, kills_of_lockers);
}

int main(int argc, char **argv)
{
	int number;
	const char *word = client_word(argc, argv, &number);

	if (word)
		return be_client(word, number);
	storm_begin("flapping", WELL);
	setting("INTERLOCK_MINIMUM_NUMBER_OF_CALLS", "5");
	setting("INTERLOCK_WINDOW_SIZE", "20");
	setting("INTERLOCK_WAIT_DURATION_IN_OPEN", "5ms");
	setting("INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN", "4");
	setting("INTERLOCK_SLOW_CALL_DURATION_THRESHOLD", "10s");
	setting("INTERLOCK_MAX_CONCURRENT_PROBES", argc > 2 ? argv[2] : "1");
	int64_t begun_ns = now_ns();

	be_calm();
	storm(argc > 1 ? (uint64_t)atoi(argv[1]) : 150);
	tell(recovers(), "it closes once the server is well");
	tell(longest_ns > 0 && longest_ns < STUCK_NS,
	     "no round of probes took long: %.3f s at most", (double)longest_ns / 1e9);
	judge_counts();
	judge_changes();
	judge_lock();
	note("%lu kills, %lu of them of a probe's holder; %.1f s", kills, kills_of_probes,
	     (double)(now_ns() - begun_ns) / 1e9);
	return storm_end();
}
