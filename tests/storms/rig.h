/*
 * For the storms: programs that are driver, server and client in one. Started by hand, a program is
 * the driver: it forks a server, starts itself again with the shim as the clients, looks into the
 * registry from outside and tells its results in TAP.
 *
 *   OUT   the build folder (default build)
 *   SHIM  what the clients preload (default $OUT/libinterlock_preload.so)
 *
 * As with the Bats promises, a result whose name begins with `transparent:` says nothing about
 * interlock; every other must be `not ok` under the empty preload.
 */
#ifndef TESTS_STORMS_RIG_H
#define TESTS_STORMS_RIG_H

#include "base/clock.h"
#include "registry/leases.h"
#include "registry/snapshot.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#define MS         INT64_C(1000000)
#define SECOND     INT64_C(1000000000)
#define PATIENCE_S 60 /* for what must come, on a machine however busy */
#define TALLIES    64
#define REQUEST    "GET / HTTP/1.1\r\nHost: storm\r\n\r\n"

/* What the server does with a request that it has read. */
enum mood {
	WELL,  /* 200 */
	SICK,  /* 503 */
	MUTE,  /* nothing */
	RESET, /* resets the connection */
	CHANCE /* 503 to board->percent of them, by a generator with a fixed seed; else 200 */
};

/* What a client knows of its calls. One writer at a time; killed in between, it is one behind. */
struct tally {
	uint64_t begun, refused, well, sick, in_vain, odd;
};

/* What all processes of a storm share. */
struct board {
	uint32_t port; /* of the server, which listens on all of 127.0.0.0/8 */
	uint32_t mood, percent, delay_us, stop;
	uint64_t connections, requests, said_well, said_sick; /* the server's own counts */
	uint64_t words[16];                                   /* for what a storm needs besides */
	struct tally tallies[TALLIES];
};
extern struct board *board;

/* The driver. storm_begin makes the board, the folder of registries and the server. */
void storm_begin(const char *registry, enum mood mood);
int storm_end(void); /* the plan; what main returns */
__attribute__((format(printf, 2, 3))) void tell(bool good, const char *text, ...);
__attribute__((format(printf, 1, 2))) void note(const char *text, ...);
void setting(const char *name, const char *value); /* for clients started from now on */

/* Starts this program as a client with `word` and `number`; its environment is ours and the shim.
 */
pid_t client_start(const char *word, int number);
/* Waits for it. Its status as by waitpid, or -1: it hung and was killed. */
int client_wait(pid_t client);
int client_run(const char *word, int number);

/* For main: am I a client, with which word and number? Ends the program if the shim is not loaded.
 */
const char *client_word(int argc, char **argv, int *ret_number);

/* A call from begin to end, on a connection of its own: connect, request, answer, close. `wait_ms`
 * 0: as long as it takes. Tallied, if there is a tally. */
enum saw { SAW_REFUSED, SAW_WELL, SAW_SICK, SAW_NOTHING, SAW_ODD };
struct sockaddr_in address_of(uint32_t host, uint32_t port);
struct sockaddr_in server_address(void);
enum saw call_address(const struct sockaddr_in *to, int wait_ms, struct tally *tally);
enum saw exchange(int fd); /* on a connection that is there */
int reach(const struct sockaddr_in *to);
struct tally tally_sum(void);

/* The registry from outside. False: there is none, or no such breaker. */
extern struct il_snapshot snapshot;
bool look_at(const char *name);
bool look_at_server(void); /* the breaker of 127.0.0.1 and the server's port */
bool look_at_header(struct il_header *ret_header);
uint64_t count_of(enum il_counter counter); /* in the snapshot */
uint64_t changes(enum il_state from, enum il_state to);
uint64_t recorded(void);
unsigned leases_open(enum il_lease_kind kind);

uint64_t random_up_to(uint64_t limit); /* seeded with the same number each time */
int64_t now_ns(void);

#endif
