/*
 * What real programs do rarely, one a word. Prints what came of it, which must not depend on the
 * shim. usage: rare WORD PORT (a peer that echoes), and for deepbind: rare deepbind LIBRARY
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_in peer;

static int reach(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (struct sockaddr *)&peer, sizeof(peer)))
		perror("connect");
	return fd;
}

/* One exchange; prints what came back. */
static void talk(int fd, const char *what)
{
	char answer[64] = { 0 };

	errno = 0;
	ssize_t sent = send(fd, what, strlen(what), MSG_NOSIGNAL);
	ssize_t got = sent < 0 ? -1 : recv(fd, answer, sizeof(answer) - 1, 0);
	printf("sent %zd got %zd '%s' errno %d\n", sent, got, answer, errno);
}

static sigjmp_buf out;

static void jump(int signal_number)
{
	siglongjmp(out, signal_number);
}

static void soon(void (*handler)(int), int us)
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_usec = us }, NULL);
}

/* wget and nc leave connect and recv this way. PORT is one whose backlog is full. */
static void longjmps(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (sigsetjmp(out, 1) == 0) {
		soon(jump, 50000);
		printf("connect: %d\n", connect(fd, (struct sockaddr *)&peer, sizeof(peer)));
	} else {
		printf("jumped\n");
	}
	printf("close: %d\n", close(fd));
}

/* As long as the shim's own code is left in the middle, again and again. */
static void storms(void)
{
	static volatile int jumps;
	static int fd;

	for (volatile int i = 0; i < 300; i++) {
		if (sigsetjmp(out, 1)) {
			jumps++;
			close(fd);
			continue;
		}
		soon(jump, 50 + i * 7 % 400);
		for (;;) {
			char byte;

			fd = reach();
			send(fd, "x", 1, MSG_NOSIGNAL);
			recv(fd, &byte, 1, 0);
			close(fd);
		}
	}
	printf("jumps %d\n", jumps);
	fd = reach();
	talk(fd, "after");
}

static void *receive(void *argument)
{
	char byte;

	recv(*(int *)argument, &byte, 1, 0);
	return NULL;
}

static void cancels(void)
{
	int fd = reach();
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, receive, &fd);
	usleep(20000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("cancelled %d\n", result == PTHREAD_CANCELED);
	talk(fd, "after");
}

static int handled_fd, handled;

static void handle(int signal_number)
{
	int error = errno;

	(void)signal_number;
	if (send(handled_fd, "h", 1, MSG_NOSIGNAL) == 1)
		handled++;
	close(dup(handled_fd));
	errno = error;
}

/* A handler that sends and closes, while the program does the same. */
static void handlers(void)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
	char bytes[4096];
	int bad = 0;

	handled_fd = reach();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 300 }, { 0, 300 } }, NULL);
	for (int i = 0; i < 2000; i++) {
		bad += send(handled_fd, "x", 1, MSG_NOSIGNAL) != 1;
		bad += recv(handled_fd, bytes, sizeof(bytes), 0) <= 0;
		bad += close(dup(handled_fd)) != 0;
	}
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	printf("bad %d handled %d\n", bad, handled > 0);
}

static void *converse(void *unused)
{
	int fd = reach();

	(void)unused;
	talk(fd, "small");
	close(fd);
	return NULL;
}

static void small_stack(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
	int rc = pthread_create(&thread, &attributes, converse, NULL);
	if (rc == 0)
		pthread_join(thread, NULL);
	printf("create %d\n", rc);
}

/* The child shares our memory and closes everything. */
static void vforks(void)
{
	int fd = reach();
	int status;

	talk(fd, "before");
	fflush(stdout);
	pid_t child = vfork();
	if (child == 0) {
		dup2(2, fd);
		close_range(3, ~0U, 0);
		for (int i = 3; i < 20; i++)
			close(i);
		_exit(0);
	}
	waitpid(child, &status, 0);
	printf("child %d\n", status);
	talk(fd, "after");
	printf("close %d\n", close(fd));
}

static void closes_all(void)
{
	int fd = reach();

	talk(fd, "before");
	closefrom(3);
	printf("%d\n", fcntl(fd, F_GETFD));
	fd = reach();
	talk(fd, "after");
}

static void forks(void)
{
	int fd = reach();

	talk(fd, "before");
	for (int i = 0; i < 3; i++) {
		fflush(stdout);
		if (fork() == 0) {
			talk(fd, "child");
			close(fd);
			fd = reach();
			talk(fd, "own");
			exit(0);
		}
		wait(NULL);
	}
	talk(fd, "after");
}

static void *finish(void *argument)
{
	int fd = *(int *)argument;
	int error = -1;
	socklen_t length = sizeof(error);

	poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, 1000);
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
	printf("finished %d\n", error);
	return NULL;
}

static void *speak(void *argument)
{
	talk(*(int *)argument, "third");
	return NULL;
}

/* java.net.http: connects, finishes and talks in three threads, and closes by dup2. */
static void three_threads(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	pthread_t thread;

	connect(fd, (struct sockaddr *)&peer, sizeof(peer));
	pthread_create(&thread, NULL, finish, &fd);
	pthread_join(thread, NULL);
	fcntl(fd, F_SETFL, 0);
	pthread_create(&thread, NULL, speak, &fd);
	pthread_join(thread, NULL);
	printf("%d\n", dup2(2, fd) == fd);
}

static _Atomic int bad;

/* One short conversation. */
static void visit(void)
{
	int fd = reach();
	char byte = 0;

	if (send(fd, "y", 1, MSG_NOSIGNAL) != 1 || recv(fd, &byte, 1, 0) != 1 || byte != 'y')
		bad++;
	close(fd);
}

static void *visit_often(void *unused)
{
	for (int i = 0; i < 200; i++)
		visit();
	return unused;
}

static void nothing(int signal_number)
{
	(void)signal_number;
}

/* Threads that talk, children that talk and end in either way, and a signal every millisecond. */
static void at_once(void)
{
	struct sigaction action = { .sa_handler = nothing, .sa_flags = SA_RESTART };
	pthread_t threads[4];
	int status;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 1000 }, { 0, 1000 } }, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, visit_often, NULL);
	for (int i = 0; i < 60; i++) {
		pid_t child = i % 3 ? fork() : vfork();

		if (child == 0 && i % 3 == 0) {
			close_range(3, ~0U, 0);
			_exit(0);
		}
		if (child == 0) {
			visit();
			i % 3 == 1 ? _exit(bad) : exit(bad);
		}
		if (waitpid(child, &status, 0) != child || status)
			bad++;
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("bad %d\n", bad);
}

static void many(void)
{
	int good = 0;

	for (int i = 0; i < 10000; i++) {
		struct linger none = { 1, 0 };
		int fd = reach();
		char byte;

		send(fd, "x", 1, 0);
		good += recv(fd, &byte, 1, 0) == 1;
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &none,
			   sizeof(none)); /* leaves no TIME_WAIT */
		close(fd);
	}
	printf("good %d\n", good);
}

/* stdio reads and writes where no hook sees it. */
static void streams(void)
{
	char line[64] = { 0 };
	int fd = reach();
	FILE *stream = fdopen(fd, "r+");
	char *memory;
	size_t size;
	FILE *text = open_memstream(&memory, &size);

	fputs("hello\n", stream);
	fflush(stream);
	printf("%s", fgets(line, sizeof(line), stream));
	printf("%d\n", fclose(stream));
	fputs("text", text);
	printf("%d ", fclose(text));
	printf("%s\n", memory);
}

static void deepbind(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
	const char *(*where)(void) = (const char *(*)(void))dlsym(library, "where");

	printf("%s\n", where());
}

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		void (*act)(void);
	} acts[] = {
		{ "longjmps", longjmps },
		{ "storms", storms },
		{ "cancels", cancels },
		{ "handlers", handlers },
		{ "small_stack", small_stack },
		{ "vforks", vforks },
		{ "closes_all", closes_all },
		{ "forks", forks },
		{ "three_threads", three_threads },
		{ "at_once", at_once },	{ "many", many },
		{ "streams", streams },
	};

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "deepbind")) {
		deepbind(argv[2]);
		return 0;
	}
	peer = (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons((uint16_t)atoi(argv[2])),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (!strcmp(acts[i].word, argv[1]))
			acts[i].act();
	return 0;
}
