/*
 * More destinations than a registry has slots, by one process and by several at once. Whoever was
 * not used for longest makes room; a breaker that is open and one that somebody is waiting on stay;
 * that there is no room is counted when it is true, and only then. No call fails.
 * usage: thousand [ROUNDS of the crowd]
 */
#include "rig.h"

#include <err.h>
#include <errno.h>
#include <sys/wait.h>

#define SLOTS    256
#define WALK     1000
#define CROWD    4
#define LAST     50          /* each of the crowd visits in the end, and which must all be there */
#define REVISIT  50          /* the favourite, after so many others */
#define SICK_NET 0x7f090000U /* 127.9.0.0: nobody listens on the closed port */
#define WELL_NET 0x7f010000U /* 127.1.0.0 */

/* board->words */
enum { CLOSED_PORT, ARRIVED, ROUNDS };

static void visit(uint32_t net, uint32_t host, int who)
{
	struct sockaddr_in to = address_of(net + host, board->port);

	call_address(&to, 0, &board->tallies[who]);
}

static bool is_there(uint32_t net, uint32_t host, uint32_t port)
{
	char name[32];
	uint32_t at = net + host;

	snprintf(name, sizeof(name), "127.%u.%u.%u:%u", at >> 16 & 255, at >> 8 & 255, at & 255,
		 port);
	return look_at(name);
}

static void walk(int destinations)
{
	struct sockaddr_in to = address_of(WELL_NET + 2, board->port);
	int fd = reach(&to);

	board->tallies[1].odd += exchange(fd) != SAW_WELL;
	for (int i = 1; i <= destinations; i++) {
		visit(WELL_NET, (uint32_t)i, 0);
		if (i % REVISIT == 0)
			visit(WELL_NET, 1, 0);
	}
	board->tallies[1].odd += exchange(fd) != SAW_WELL; /* its breaker made room long ago */
	close(fd);
}

/* Each in an order of its own; then all of them, at once, their last. */
static void crowd(int who)
{
	static const uint32_t steps[CROWD] = { 1, 7, 333, 999 };

	for (uint32_t i = 0; i < WALK * (uint32_t)board->words[ROUNDS]; i++)
		visit(WELL_NET, 1 + i * steps[who] % WALK, who);
	__atomic_fetch_add(&board->words[ARRIVED], 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&board->words[ARRIVED], __ATOMIC_SEQ_CST) < CROWD)
		usleep(1000);
	for (uint32_t i = 0; i < 3 * LAST; i++)
		visit(WELL_NET, 2000 + (uint32_t)who * LAST + i % LAST, who);
}

static void trip(int destinations)
{
	for (int i = 1; i <= 2 * destinations; i++) {
		struct sockaddr_in to = address_of(SICK_NET + 1 + ((uint32_t)i - 1) / 2,
						   (uint32_t)board->words[CLOSED_PORT]);

		call_address(&to, 0, &board->tallies[TALLIES - 1]);
	}
}

/* Asks half a question, and waits. */
static void hold(void)
{
	struct sockaddr_in to = address_of(SICK_NET + 99, board->port);
	char byte;
	int fd = reach(&to);

	send(fd, REQUEST, 8, MSG_NOSIGNAL);
	recv(fd, &byte, 1, 0);
}

static int be_client(const char *word, int number)
{
	if (strcmp(word, "walk") == 0)
		walk(number);
	else if (strcmp(word, "crowd") == 0)
		crowd(number);
	else if (strcmp(word, "trip") == 0)
		trip(number);
	else if (strcmp(word, "few") == 0)
		for (uint32_t i = 0; i < 10; i++)
			visit(WELL_NET, 100 * (uint32_t)number + i, number);
	else
		hold();
	return 0;
}

static void given_a_closed_port(void)
{
	struct sockaddr_in at = address_of(INADDR_ANY, 0);
	socklen_t length = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    getsockname(fd, (struct sockaddr *)&at, &length))
		err(2, "a port");
	board->words[CLOSED_PORT] = ntohs(at.sin_port);
}

static void given_a_registry(const char *name, const char *slots)
{
	memset(board->tallies, 0, sizeof(board->tallies));
	setting("INTERLOCK_REGISTRY", name);
	setting("INTERLOCK_MAX_BREAKERS", slots);
}

/* An open breaker, and one that a process waits on. */
static pid_t given_two_that_stay(void)
{
	int64_t end_ns = now_ns() + PATIENCE_S * SECOND;

	client_run("trip", 1);
	bool watched = is_there(SICK_NET, 1, (uint32_t)board->words[CLOSED_PORT]);
	pid_t holder = client_start("hold", 0);

	while (watched && now_ns() < end_ns &&
	       !(is_there(SICK_NET, 99, board->port) && leases_open(IL_LEASE_CALL) == 1))
		usleep(1000);
	return holder;
}

static void those_two_stayed(pid_t holder, const char *when)
{
	tell(is_there(SICK_NET, 1, (uint32_t)board->words[CLOSED_PORT]) &&
		     snapshot.slot.breaker.state == IL_OPEN &&
		     count_of(IL_COUNT_calls_failure) == 2,
	     "%s, the open breaker is still there, with its counts", when);
	tell(is_there(SICK_NET, 99, board->port) && leases_open(IL_LEASE_CALL) == 1,
	     "and so is the one that somebody waits on");
	kill(holder, SIGKILL);
	client_wait(holder);
}

static void walk_alone(void)
{
	struct il_header header = { 0 };
	unsigned there = 0;

	given_a_registry("alone", "256");
	pid_t holder = given_two_that_stay();
	client_run("walk", WALK);
	tell(tally_sum().well == WALK + WALK / REVISIT && tally_sum().odd == 0,
	     "transparent: %d destinations, all well", WALK);
	for (uint32_t host = WALK - (SLOTS - 3) + 1; host <= WALK; host++)
		there += is_there(WELL_NET, host, board->port);
	tell(there == SLOTS - 3 && is_there(WELL_NET, 1, board->port) &&
		     recorded() == 1 + WALK / REVISIT,
	     "the last %d are there, and the one that was used now and then, with all its calls",
	     SLOTS - 3);
	tell(!is_there(WELL_NET, WALK - (SLOTS - 3), board->port) && look_at_header(&header) &&
		     header.evicted == WALK + 2 - SLOTS && header.registry_full == 0,
	     "the one before them is not: all others made room, and there was always some");
	those_two_stayed(holder, "after that");
}

static void come_as_a_crowd(int rounds)
{
	struct il_header header = { 0 };
	pid_t clients[CROWD];
	unsigned there = 0;

	given_a_registry("crowd", "256");
	board->words[ROUNDS] = (uint64_t)rounds;
	pid_t holder = given_two_that_stay();
	for (int i = 0; i < CROWD; i++)
		clients[i] = client_start("crowd", i);
	for (int i = 0; i < CROWD; i++)
		client_wait(clients[i]);
	struct tally sum = tally_sum();

	tell(sum.well == CROWD * (uint64_t)(rounds * WALK + 3 * LAST) && sum.begun == sum.well + 2,
	     "transparent: %d processes at once, %lu calls, all well", CROWD, sum.well);
	for (uint32_t i = 0; i < CROWD * LAST; i++)
		there += is_there(WELL_NET, 2000 + i, board->port);
	tell(there == CROWD * LAST, "the last %d of each are there", LAST);
	tell(look_at_header(&header) && header.evicted > 0 && header.registry_full == 0,
	     "and there was always somebody to make room");
	note("%lu made room", header.evicted);
	those_two_stayed(holder, "after the crowd");
}

static uint64_t full(void)
{
	struct il_header header = { 0 };

	return look_at_header(&header) ? header.registry_full : 0;
}

static void fill_up(void)
{
	pid_t clients[CROWD];
	unsigned open = 0;

	given_a_registry("full", "4");
	client_run("trip", 3);
	client_run("few", 0);
	tell(tally_sum().well == 10 && full() == 0 &&
		     is_there(SICK_NET, 3, (uint32_t)board->words[CLOSED_PORT]),
	     "one slot of four is enough for ten destinations, one after another");
	client_run("trip", 4);
	for (int i = 0; i < CROWD; i++)
		clients[i] = client_start("few", 1 + i);
	for (int i = 0; i < CROWD; i++)
		client_wait(clients[i]);
	for (uint32_t i = 1; i <= 4; i++)
		open += is_there(SICK_NET, i, (uint32_t)board->words[CLOSED_PORT]) &&
			snapshot.slot.breaker.state == IL_OPEN;
	tell(tally_sum().well == 10 + CROWD * 10 && open == 4 && full() == CROWD * 10,
	     "where all are open there is none: %d calls passed, and each is counted", CROWD * 10);
}

int main(int argc, char **argv)
{
	int number;
	const char *word = client_word(argc, argv, &number);

	if (word)
		return be_client(word, number);
	storm_begin("thousand", WELL);
	setting("INTERLOCK_MINIMUM_NUMBER_OF_CALLS", "2");
	given_a_closed_port();
	int64_t begun_ns = now_ns();

	walk_alone();
	come_as_a_crowd(argc > 1 ? atoi(argv[1]) : 1);
	fill_up();
	note("%.1f s", (double)(now_ns() - begun_ns) / 1e9);
	return storm_end();
}
