/*
 * Does one thing over and over, as a program would that knows nothing of interlock, and prints how
 * many nanoseconds one of it took.
 *
 * usage: call WHAT MUCH [PORT | PRELOAD]
 *   WHAT  one of the names at the end of this file
 *   MUCH  a number of operations, or of milliseconds: 500, 40ms
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_BYTES 64
#define REJECTED_FROM 20 /* the default breaker opens at the tenth failure */

static char message[MESSAGE_BYTES];
static const char *argument;
static int in, out; /* what the operation reads from and writes to */

static void give_up(const char *what)
{
	perror(what);
	exit(1);
}

static int connect_socket(int fd)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				  .sin_port = htons((uint16_t)atoi(argument)) };

	return connect(fd, (struct sockaddr *)&to, sizeof(to));
}

static void exchange(void)
{
	if (write(out, message, sizeof(message)) != sizeof(message))
		give_up("write");
	for (size_t got = 0; got < sizeof(message);) {
		ssize_t now = read(in, message, sizeof(message));

		if (now <= 0)
			give_up("read");
		got += (size_t)now;
	}
}

static void make_pipe(void)
{
	int ends[2];

	if (pipe(ends))
		give_up("pipe");
	in = ends[0];
	out = ends[1];
}

static void make_connection(void)
{
	in = out = socket(AF_INET, SOCK_STREAM, 0);
	if (connect_socket(in))
		give_up("connect");
	setsockopt(in, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
}

static void connect_and_exchange(void)
{
	make_connection();
	exchange();
	close(in);
}

static void be_refused(void)
{
	if (connect_socket(out) == 0 || errno != ECONNREFUSED)
		give_up("this port should have been closed: connect");
}

static void be_refused_often(void)
{
	out = socket(AF_INET, SOCK_STREAM, 0);
	for (int i = 0; i < REJECTED_FROM; i++)
		be_refused();
}

static char preload[PATH_MAX] = "LD_PRELOAD=";

static void name_preload(void)
{
	strncat(preload, argument, sizeof(preload) - strlen(preload) - 1);
	putenv(preload);
}

static void start(void)
{
	static char path[] = "/bin/true";
	char *program[] = { path, NULL };
	int status;
	pid_t child;

	if (posix_spawn(&child, path, NULL, NULL, program, environ) ||
	    waitpid(child, &status, 0) != child || status)
		give_up(path);
}

static double now_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static double time_one(void (*operation)(void), long much, bool milliseconds)
{
	double begun = now_ns(), now;
	long done = 0;

	do {
		operation();
		done++;
		now = now_ns();
	} while (milliseconds ? now - begun < (double)much * 1e6 : done < much);
	return (now - begun) / (double)done;
}

static const struct {
	const char *name;
	void (*prepare)(void);
	void (*operation)(void);
} operations[] = {
	{ "pipe", make_pipe, exchange },	 /* 64 bytes through a pipe of its own */
	{ "exchange", make_connection, exchange }, /* 64 bytes there and back, one connection */
	{ "connect", NULL, connect_and_exchange }, /* and close */
	{ "refused", be_refused_often, be_refused }, /* connect() to a closed PORT, nothing else */
	{ "start", name_preload, start },	 /* /bin/true under PRELOAD, to its end */
};

int main(int argc, char **argv)
{
	argument = argc > 3 ? argv[3] : "";
	for (size_t i = 0; argc > 2 && i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (strcmp(argv[1], operations[i].name) != 0)
			continue;
		if (operations[i].prepare)
			operations[i].prepare();
		printf("%.1f\n", time_one(operations[i].operation, atol(argv[2]),
					  strstr(argv[2], "ms") != NULL));
		return 0;
	}
	fputs("usage: call pipe|exchange|connect|refused|start MUCH [PORT|PRELOAD]\n", stderr);
	return 2;
}
