/*
 * Ten thousand connections open at once in one process: connected, asked, asked again, closed, and
 * all of it once more. Each call is counted once, and what the shim keeps of a connection is small
 * and used again.
 * usage: many [CONNECTIONS]
 */
#include "rig.h"

#include <sys/resource.h>
#include <sys/wait.h>

#define SOURCES    4 /* addresses to connect from, so that ports do not run out */
#define ROUNDS     3
#define SPARE      64
#define CONN_BYTES 1024 /* at most, of the shim's, for each connection */

/* board->words: resident KiB of the client after each round, and what went wrong */
enum { RESIDENT = 0, WRONG = 8 };

static uint64_t resident_kib(void)
{
	FILE *statm = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (!statm || fscanf(statm, "%*u %lu", &pages) != 1)
		board->words[WRONG]++;
	if (statm)
		fclose(statm);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

static int reach_from(int source)
{
	struct sockaddr_in from = address_of(INADDR_LOOPBACK + 1 + (uint32_t)source, 0);
	struct sockaddr_in to = server_address();
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&from, sizeof(from)) ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)))
		board->words[WRONG]++;
	return fd;
}

static void all_at_once(int *fds, int connections)
{
	struct tally *tally = &board->tallies[0];

	for (int i = 0; i < connections; i++)
		fds[i] = reach_from(i % SOURCES);
	for (int i = 0; i < 2 * connections; i++) {
		tally->begun++;
		*(exchange(fds[i % connections]) == SAW_WELL ? &tally->well : &tally->odd) += 1;
	}
	for (int i = 0; i < connections; i++)
		board->words[WRONG] += close(fds[i]) != 0;
}

static int be_client(int connections)
{
	int *fds = calloc((size_t)connections, sizeof(*fds));
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	board->words[RESIDENT] = resident_kib();
	for (int round = 0; round < ROUNDS; round++) {
		all_at_once(fds, connections);
		board->words[RESIDENT + 1 + round] = resident_kib();
	}
	free(fds);
	return 0;
}

static int possible(int wanted)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_max >= (rlim_t)wanted + SPARE)
		return wanted;
	note("only %lu descriptors are allowed here", (unsigned long)limit.rlim_max);
	return (int)limit.rlim_max - SPARE;
}

static void judge_memory(int connections)
{
	const uint64_t *kib = &board->words[RESIDENT];
	uint64_t for_each = (kib[1] - kib[0]) * 1024 / (uint64_t)connections;

	note("resident: %lu KiB, then %lu, %lu, %lu: %lu bytes a connection, the program's "
	     "included",
	     kib[0], kib[1], kib[2], kib[3], for_each);
	tell(kib[1] > kib[0] && for_each <= CONN_BYTES, "transparent: at most %d bytes each",
	     CONN_BYTES);
	tell(kib[ROUNDS] <= kib[1] + 256, "transparent: and what it took is used again");
}

int main(int argc, char **argv)
{
	int number;
	int connections = possible(argc > 1 ? atoi(argv[1]) : 10000);

	if (client_word(argc, argv, &number))
		return be_client(number);
	storm_begin("many", WELL);
	int64_t begun_ns = now_ns();
	int status = client_run("many", connections);
	struct tally sum = tally_sum();
	uint64_t calls = 2UL * ROUNDS * (uint64_t)connections;

	tell(status == 0 && board->words[WRONG] == 0 && sum.well == calls &&
		     board->connections == (uint64_t)ROUNDS * (uint64_t)connections,
	     "transparent: %d times %d connections at once, each asked twice: all is well", ROUNDS,
	     connections);
	tell(look_at_server() && recorded() == calls && count_of(IL_COUNT_calls_success) == calls,
	     "%lu calls are counted, each once, all SUCCESS", calls);
	tell(look_at_server() && leases_open(IL_LEASE_CALL) == 0 &&
		     count_of(IL_COUNT_cancelled) == 0 && count_of(IL_COUNT_farewells) == 0 &&
		     snapshot.slot.breaker.state == IL_CLOSED,
	     "and nothing is left over");
	judge_memory(connections);
	note("%.1f s", (double)(now_ns() - begun_ns) / 1e9);
	return storm_end();
}
