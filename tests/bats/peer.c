/*
 * A TCP server for tests that behaves as badly as it is told.
 *
 * usage: peer [-a IPV4] [-p PORT] [-c FILE] BEHAVIOUR...
 *   -a IPV4   listen at that address (default: 127.0.0.1)
 *   -p PORT   listen there (default: a free port)
 *   -c FILE   keep `CONNECTIONS REQUESTS` in it, always current
 * Prints its port as the first line. The first connection gets the first behaviour, the second the
 * second, and so on; the last one stays. `@FILE` is the behaviour that FILE names at that moment.
 *
 *   ok         HTTP: 200 and `hello`, as many requests as come
 *   status=N   HTTP: that status
 *   slow=MS    HTTP: 200, so many milliseconds after the request
 *   cut        HTTP: announces 100 bytes, sends 10, closes
 *   tear       HTTP: announces 100 bytes, sends 10, resets
 *   body=KIB   HTTP: 200 and so many KiB
 *   mute       accepts, reads, never answers
 *   deaf       accepts, neither reads nor answers
 *   greet      speaks first, then answers each line
 *   echo       what comes goes back
 *   eof        reads a request, closes
 *   reset      reads a request, resets
 *   close      closes at once
 *   abort      resets at once
 *   half       shuts its writing side at once, reads on
 *   full       never accepts, and its backlog is full: connects hang
 */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG_FILLERS 8

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static int count_fd = -1;
static unsigned connections, requests;

static void count(unsigned more_connections, unsigned more_requests)
{
	char line[64];

	pthread_mutex_lock(&counting);
	connections += more_connections;
	requests += more_requests;
	int length = snprintf(line, sizeof(line), "%u %u\n", connections, requests);
	if (count_fd >= 0 && pwrite(count_fd, line, (size_t)length, 0) != length)
		warn("the count");
	pthread_mutex_unlock(&counting);
}

static void say(int fd, const char *text, size_t length)
{
	if (send(fd, text, length, MSG_NOSIGNAL) < 0)
		return; /* the client has gone: its right */
}

static void reset_at_close(int fd)
{
	struct linger none = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
}

/* Reads up to the end of an HTTP request's header. False: the client has gone. */
static int request(int fd)
{
	char text[65536];
	size_t have = 0;

	while (have < sizeof(text) - 1) {
		ssize_t more = read(fd, text + have, sizeof(text) - 1 - have);

		if (more <= 0)
			return 0;
		have += (size_t)more;
		text[have] = 0;
		if (strstr(text, "\r\n\r\n"))
			break;
	}
	count(0, 1);
	return 1;
}

static void http(int fd, int status, int delay_ms)
{
	char answer[256];

	while (request(fd)) {
		usleep((useconds_t)delay_ms * 1000);
		int length = snprintf(answer, sizeof(answer),
				      "HTTP/1.1 %d Said\r\nContent-Type: text/plain\r\n"
				      "Content-Length: 6\r\n\r\nhello\n",
				      status);
		say(fd, answer, (size_t)length);
	}
}

static void ok(int fd, int unused)
{
	(void)unused;
	http(fd, 200, 0);
}

static void status(int fd, int number)
{
	http(fd, number, 0);
}

static void slow(int fd, int delay_ms)
{
	http(fd, 200, delay_ms);
}

static void cut(int fd, int unused)
{
	static const char text[] = "HTTP/1.1 200 Said\r\nContent-Length: 100\r\n\r\n0123456789";

	(void)unused;
	if (request(fd))
		say(fd, text, sizeof(text) - 1);
}

static void tear(int fd, int unused)
{
	cut(fd, unused);
	reset_at_close(fd);
}

static void body(int fd, int kib)
{
	static const char page[1024] = "begins";
	char head[64];

	while (request(fd)) {
		int length = snprintf(head, sizeof(head), "HTTP/1.1 200 Said\r\nContent-Length: %d\r\n\r\n",
				      kib * 1024);
		say(fd, head, (size_t)length);
		for (int i = 0; i < kib; i++)
			say(fd, page, sizeof(page));
	}
}

static void mute(int fd, int unused)
{
	char bytes[4096];

	(void)unused;
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
}

static void deaf(int fd, int unused)
{
	(void)fd, (void)unused;
	pause();
}

static void greet(int fd, int unused)
{
	char bytes[4096];

	(void)unused;
	say(fd, "220 hello\r\n", 11);
	while (read(fd, bytes, sizeof(bytes)) > 0) {
		count(0, 1);
		say(fd, "250 yes\r\n", 9);
	}
}

static void echo(int fd, int unused)
{
	char bytes[4096];
	ssize_t length;

	(void)unused;
	while ((length = read(fd, bytes, sizeof(bytes))) > 0) {
		count(0, 1);
		say(fd, bytes, (size_t)length);
	}
}

static void eof(int fd, int unused)
{
	(void)unused;
	request(fd);
}

static void abort_now(int fd, int unused)
{
	(void)unused;
	reset_at_close(fd);
}

static void reset(int fd, int unused)
{
	request(fd);
	abort_now(fd, unused);
}

static void close_now(int fd, int unused)
{
	(void)fd, (void)unused;
}

static void half(int fd, int unused)
{
	shutdown(fd, SHUT_WR);
	mute(fd, unused);
}

struct behaviour {
	const char *name;
	void (*act)(int fd, int number); /* the connection is closed afterwards */
};
static const struct behaviour behaviours[] = {
	{ "ok", ok },     { "status", status }, { "slow", slow },       { "cut", cut },
	{ "mute", mute }, { "deaf", deaf },     { "greet", greet },     { "echo", echo },
	{ "eof", eof },   { "reset", reset },   { "close", close_now }, { "abort", abort_now },
	{ "half", half }, { "tear", tear },     { "body", body },       { "full", NULL },
};

struct job {
	int fd, number;
	const struct behaviour *behaviour;
};

static struct job understand(const char *word)
{
	size_t length = strcspn(word, "=\n");
	const char *number = word[length] == '=' ? word + length + 1 : "0";

	for (size_t i = 0; i < sizeof(behaviours) / sizeof(behaviours[0]); i++)
		if (strlen(behaviours[i].name) == length &&
		    !strncmp(behaviours[i].name, word, length))
			return (struct job){ -1, atoi(number), &behaviours[i] };
	errx(2, "'%s' is no behaviour", word);
}

static struct job choose(const char *word)
{
	char text[64] = { 0 };

	if (word[0] != '@')
		return understand(word);

	int fd = open(word + 1, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		err(2, "%s", word + 1);
	close(fd);
	return understand(text);
}

static void *serve(void *argument)
{
	struct job job = *(struct job *)argument;

	free(argument);
	job.behaviour->act(job.fd, job.number);
	close(job.fd);
	return NULL;
}

static void start(struct job job)
{
	struct job *copy = malloc(sizeof(*copy));
	pthread_attr_t attributes;
	pthread_t thread;

	*copy = job;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	if (pthread_create(&thread, &attributes, serve, copy))
		errx(1, "no thread");
	pthread_attr_destroy(&attributes);
}

static int listen_on(const char *address, int port, int backlog)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	socklen_t length = sizeof(at);
	int on = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (inet_pton(AF_INET, address, &at.sin_addr) != 1)
		errx(2, "'%s' is no address", address);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, backlog))
		err(1, "%s port %d", address, port);
	getsockname(fd, (struct sockaddr *)&at, &length);
	for (int i = 0; backlog == 0 && i < BACKLOG_FILLERS; i++) {
		int filler = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

		if (connect(filler, (struct sockaddr *)&at, sizeof(at)) == 0)
			continue; /* takes a place until we end */
	}
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	return fd;
}

int main(int argc, char **argv)
{
	const char *address = "127.0.0.1";
	int port = 0, option;

	signal(SIGPIPE, SIG_IGN);
	while ((option = getopt(argc, argv, "a:p:c:")) != -1) {
		if (option == 'a')
			address = optarg;
		else if (option == 'p')
			port = atoi(optarg);
		else if (option != 'c')
			return 2;
		else if ((count_fd = open(optarg, O_RDWR | O_CREAT | O_CLOEXEC, 0600)) < 0)
			err(1, "%s", optarg);
	}
	if (optind == argc)
		errx(2, "usage: peer [-a IPV4] [-p PORT] [-c FILE] BEHAVIOUR...");
	count(0, 0);
	bool never = !strcmp(argv[optind], "full");
	int listener = listen_on(address, port, never ? 0 : 1024);
	while (never)
		pause();
	for (int next = optind;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			continue;
		count(1, 0);

		struct job job = choose(argv[next]);
		job.fd = fd;
		start(job);
		next += next < argc - 1;
	}
}
