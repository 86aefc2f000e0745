/*
 * What chance alone must not do: a destination that fails 5 % of its requests at random never
 * trips, at settings that nobody touched; one that fails 80 % trips within 20 calls. Both by a
 * generator with a fixed seed.
 * usage: chance [REQUESTS on one connection] [CONNECTIONS with one request each]
 */
#include "rig.h"

static void keep_alive(int requests)
{
	struct sockaddr_in to = server_address();
	struct tally *tally = &board->tallies[0];
	int fd = reach(&to);

	for (int i = 0; i < requests; i++) {
		enum saw saw = exchange(fd);

		tally->begun++;
		*(saw == SAW_WELL   ? &tally->well
		  : saw == SAW_SICK ? &tally->sick
				    : &tally->odd) += 1;
	}
	close(fd);
}

static void connect_each_time(int connections)
{
	struct sockaddr_in to = server_address();

	for (int i = 0; i < connections; i++)
		call_address(&to, 0, &board->tallies[0]);
}

static void call_until_refused(int calls)
{
	struct sockaddr_in to = server_address();

	for (int i = 0; i < calls; i++)
		if (call_address(&to, 0, &board->tallies[0]) == SAW_REFUSED)
			return;
}

static int be_client(const char *word, int number)
{
	if (strcmp(word, "keep") == 0)
		keep_alive(number);
	else if (strcmp(word, "each") == 0)
		connect_each_time(number);
	else
		call_until_refused(number);
	return 0;
}

static void given_a_chance(uint32_t percent, const char *registry)
{
	board->percent = percent;
	board->said_well = board->said_sick = board->connections = 0;
	memset(board->tallies, 0, sizeof(board->tallies));
	setting("INTERLOCK_REGISTRY", registry);
}

static bool counts_are(uint64_t successes, uint64_t failures)
{
	return look_at_server() && count_of(IL_COUNT_calls_success) == successes &&
	       count_of(IL_COUNT_calls_failure) == failures && recorded() == successes + failures;
}

static void never_trips(const char *word, int calls, const char *how)
{
	int64_t begun_ns = now_ns();

	given_a_chance(5, word);
	int status = client_run(word, calls);
	struct tally sum = tally_sum();

	tell(status == 0 && sum.well + sum.sick == (uint64_t)calls && sum.sick * 25 > sum.begun,
	     "transparent: %d calls %s, each of them answered, one in 20 with a 503", calls, how);
	tell(counts_are(board->said_well, board->said_sick),
	     "the breaker counts what the server said: %lu SUCCESS, %lu FAILURE", board->said_well,
	     board->said_sick);
	tell(look_at_server() && snapshot.slot.breaker.state == IL_CLOSED &&
		     changes(IL_CLOSED, IL_OPEN) == 0 && count_of(IL_COUNT_rejected) == 0,
	     "and never trips");
	note("%d calls %s: %.1f s", calls, how, (double)(now_ns() - begun_ns) / 1e9);
}

static void trips_soon(void)
{
	given_a_chance(80, "trips");
	client_run("until", 1000);
	tell(board->connections <= 20, "one that fails 80 %% trips within 20 calls: after %lu",
	     board->connections);
	tell(counts_are(board->said_well, board->said_sick) &&
		     snapshot.slot.breaker.state == IL_OPEN && changes(IL_CLOSED, IL_OPEN) == 1,
	     "and every call up to then is counted");
}

int main(int argc, char **argv)
{
	int number;
	const char *word = client_word(argc, argv, &number);

	if (word)
		return be_client(word, number);
	storm_begin("chance", CHANCE);
	never_trips("keep", argc > 1 ? atoi(argv[1]) : 20000, "over one connection");
	never_trips("each", argc > 2 ? atoi(argv[2]) : 2000, "with a connection each");
	trips_soon();
	return storm_end();
}
