/*
 * The only probe that a breaker allows, lost: with its process, killed by SIGKILL, or in a server
 * that never answers. Neither may keep the breaker half-open. And many ordinary callers lost at
 * once, which must not open it.
 * usage: probes [ROUNDS]
 */
#include "rig.h"

#define SLOW_MS       1500
#define CALLS_TO_TRIP 4
#define DEPLOYED      20

static int be_client(const char *word, int number)
{
	struct sockaddr_in to = server_address();

	(void)word;
	for (int i = 0; i < number; i++)
		call_address(&to, 0, &board->tallies[0]);
	return 0;
}

/* One call. Was it admitted and well? */
static bool is_admitted(void)
{
	uint64_t before = board->tallies[0].well;

	return client_run("call", 1) == 0 && board->tallies[0].well == before + 1;
}

static bool is_refused(void)
{
	uint64_t before = board->tallies[0].refused;

	return client_run("call", 1) == 0 && board->tallies[0].refused == before + 1;
}

/* Does the process have the only probe? Not for ever, where nobody watches. */
static bool holds_the_probe(pid_t client)
{
	int64_t end_ns = now_ns() + PATIENCE_S * SECOND;
	struct il_lease_view view;

	while (look_at_server() && now_ns() < end_ns) {
		for (uint32_t i = 0; i < IL_LEASES; i++)
			if (il_lease_look(&snapshot.slot, i, &view) &&
			    view.kind == IL_LEASE_PROBE && view.waiting_since_ns &&
			    view.pid == (uint32_t)client)
				return true;
		usleep(500);
	}
	return false;
}

static bool state_is(enum il_state state)
{
	return look_at_server() && snapshot.slot.breaker.state == state;
}

/* OPEN, and its wait is over. One call at a time, so that none comes when the wait is over. */
static bool given_a_wait_that_is_over(void)
{
	board->mood = SICK;
	for (int i = 0; i < 2 * CALLS_TO_TRIP && !state_is(IL_OPEN); i++)
		client_run("call", 1);
	bool tripped = state_is(IL_OPEN);

	usleep(60000);
	return tripped;
}

/* Whether the server has read so many requests, and so decided not to answer them. */
static bool was_asked(uint64_t requests)
{
	int64_t end_ns = now_ns() + PATIENCE_S * SECOND;

	while (__atomic_load_n(&board->requests, __ATOMIC_RELAXED) < requests && now_ns() < end_ns)
		usleep(500);
	return now_ns() < end_ns;
}

/* The client waits for an answer; what comes after it has one. */
static pid_t given_a_hanging_probe(void)
{
	uint64_t requests = board->requests;

	board->mood = MUTE;
	pid_t client = client_start("call", 1);

	if (!was_asked(requests + 1) || !holds_the_probe(client))
		note("no probe seen");
	board->mood = WELL;
	return client;
}

/* On a machine so slow that the victim had waited for half a second, its death is a FAILURE. */
static uint64_t deaths(void)
{
	if (!look_at_server())
		return 0;
	return count_of(IL_COUNT_abandoned) + count_of(IL_COUNT_calls_failure);
}

static bool kill_and_call(void)
{
	bool tripped = given_a_wait_that_is_over();
	pid_t client = given_a_hanging_probe();
	bool held = state_is(IL_HALF_OPEN) && is_refused();

	kill(client, SIGKILL);
	client_wait(client);
	uint64_t before = deaths();
	bool got_it = is_admitted();

	bool counted = deaths() == before + 1;
	bool closed = is_admitted() && state_is(IL_CLOSED);

	if (!tripped || !held || !got_it || !counted || !closed)
		note("tripped %d, held %d, got it %d, counted %d, closed %d", tripped, held, got_it,
		     counted, closed);
	return tripped && held && got_it && counted && closed;
}

static void kill_many(int rounds)
{
	int good = 0, tried = 0;

	setting("INTERLOCK_REGISTRY", "killed");
	setting("INTERLOCK_SLOW_CALL_DURATION_THRESHOLD", "60s");
	for (; tried < rounds && good == tried; tried++)
		good += kill_and_call();
	tell(good == rounds,
	     "kill -9 of the only probe's holder: the very next call has the slot, %d of %d times",
	     good, rounds);
}

/* Rejected before the threshold, if the machine let us look in time; admitted after it. */
static void hang_one(void)
{
	char slow[16];

	snprintf(slow, sizeof(slow), "%dms", SLOW_MS);
	setting("INTERLOCK_REGISTRY", "hung");
	setting("INTERLOCK_SLOW_CALL_DURATION_THRESHOLD", slow);
	bool tripped = given_a_wait_that_is_over();
	int64_t begun_ns = now_ns();
	pid_t client = given_a_hanging_probe();
	bool refused = is_refused();
	bool in_time = now_ns() - begun_ns < SLOW_MS * MS;

	tell(tripped && (refused || !in_time), "a probe that hangs has the only slot");
	usleep((useconds_t)(SLOW_MS * 1000));
	bool got_it = is_admitted();

	tell(got_it && look_at_server() && count_of(IL_COUNT_charged) == 1 &&
		     count_of(IL_COUNT_calls_slow_success) == 1,
	     "it is slow after the threshold, and the next call has the slot");
	tell(is_admitted() && state_is(IL_CLOSED), "and with it and the next, the breaker closes");
	kill(client, SIGKILL);
	client_wait(client);
}

/* The next caller comes when all of them would be slow. */
static void deploy(void)
{
	pid_t clients[DEPLOYED];

	setting("INTERLOCK_REGISTRY", "deploy");
	setting("INTERLOCK_SLOW_CALL_DURATION_THRESHOLD", "3s");
	board->mood = MUTE;
	uint64_t begun = board->requests;
	for (int i = 0; i < DEPLOYED; i++)
		clients[i] = client_start("call", 1);
	was_asked(begun + DEPLOYED);
	for (int i = 0; i < DEPLOYED; i++) {
		kill(clients[i], SIGKILL);
		client_wait(clients[i]);
	}
	board->mood = WELL;
	sleep(3);
	bool good = is_admitted();

	tell(good && state_is(IL_CLOSED) && count_of(IL_COUNT_charged) == 0 &&
		     count_of(IL_COUNT_calls_failure) <= 1 &&
		     count_of(IL_COUNT_abandoned) + count_of(IL_COUNT_calls_failure) == DEPLOYED,
	     "%d callers killed at once, found late: dropped, not charged as slow", DEPLOYED);
}

int main(int argc, char **argv)
{
	int number;
	const char *word = client_word(argc, argv, &number);

	if (word)
		return be_client(word, number);
	storm_begin("probes", WELL);
	setting("INTERLOCK_MINIMUM_NUMBER_OF_CALLS", "4");
	setting("INTERLOCK_FAILURE_RATE_THRESHOLD", "60%");
	setting("INTERLOCK_WAIT_DURATION_IN_OPEN", "50ms");
	setting("INTERLOCK_PERMITTED_CALLS_IN_HALF_OPEN", "2");
	kill_many(argc > 1 ? atoi(argv[1]) : 10);
	hang_one();
	deploy();
	return storm_end();
}
