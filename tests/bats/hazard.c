/*
 * Programs in which preloads have failed before, one a word. Prints what came of it, which must not
 * depend on the shim. What is counted of it stands in hazards_*.bats.
 * usage: hazard WORD PORT [OTHER-PORT]    (peers on 127.0.0.1; which, each word says)
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_in peer, other;

static int reach_at(const struct sockaddr_in *at, int type)
{
	int fd = socket(AF_INET, SOCK_STREAM | type, 0);

	if (connect(fd, (const struct sockaddr *)at, sizeof(*at)) && errno != EINPROGRESS)
		perror("connect");
	return fd;
}

static int reach(void)
{
	return reach_at(&peer, 0);
}

/* So that nobody waits for ever: receives on fd end after that time. */
static void patience(int fd, int ms)
{
	struct timeval limit = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
}

/* One exchange; prints what came back. */
static void talk(int fd)
{
	char answer[64] = { 0 };
	ssize_t sent = send(fd, "hello", 5, MSG_NOSIGNAL);
	ssize_t got = recv(fd, answer, sizeof(answer) - 1, 0);

	printf("sent %zd got %zd '%s'\n", sent, got, answer);
}

/* A whole conversation, in silence. False: it went wrong. */
static bool visit(void)
{
	char byte = 0;
	int fd = reach();
	bool good =
		send(fd, "y", 1, MSG_NOSIGNAL) == 1 && recv(fd, &byte, 1, 0) == 1 && byte == 'y';

	return close(fd) == 0 && good;
}

/* Closes as libc does inside, and as a program without libc does: no hook sees it. */
static void close_unseen(int fd)
{
	long rc;

	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "0"(SYS_close), "D"((long)fd)
			 : "rcx", "r11", "memory");
	if (rc)
		printf("unseen: %ld\n", rc);
}

/* PORT echoes, or is mute. Each way to copy a descriptor: the copy goes on when the first is
 * closed. */
static void dups(void)
{
	for (int form = 0; form < 7; form++) {
		int fd = reach(), copy = -1;

		switch (form) {
		case 0:
			copy = dup(fd);
			break;
		case 1:
			copy = dup2(fd, 60);
			break;
		case 2:
			copy = dup3(fd, 61, O_CLOEXEC);
			break;
		case 3:
			copy = fcntl(fd, F_DUPFD, 62);
			break;
		case 4:
			copy = fcntl(fd, F_DUPFD_CLOEXEC, 63);
			break;
		case 5:
			copy = fcntl64(fd, F_DUPFD, 64);
			break;
		case 6:
			copy = fcntl64(fd, F_DUPFD_CLOEXEC, 65);
			break;
		}
		printf("%d %d ", form, close(fd));
		patience(copy, 300);
		talk(copy);
		printf("%d ", close(copy));
		printf("%d\n", close(copy));
	}
}

/* PORT echoes. The number of a connection that was closed unseen comes to be a file. */
static void number_to_file(void)
{
	char bytes[4096];
	int fd = reach(), file;
	long size = 0;
	ssize_t more;

	talk(fd);
	close_unseen(fd);
	file = open("/proc/self/exe", O_RDONLY);
	while ((more = read(file, bytes, sizeof(bytes))) > 0)
		size += more;
	printf("same %d size %ld\n", file == fd, size);
	printf("written %zd\n", write(file, "x", 1));
	printf("close %d\n", close(file));
}

/* PORT is mute. The same in the middle of a call: neither end of file nor EPIPE of what stands
 * there now says anything of the peer. */
static void number_to_pipe(void)
{
	for (int i = 0; i < 6; i++) {
		int fd = reach(), ends[2];
		char byte;

		send(fd, "x", 1, MSG_NOSIGNAL);
		close_unseen(fd);
		if (pipe(ends))
			perror("pipe");
		if (i % 2) {
			close(ends[1]);
			printf("same %d ", ends[0] == fd);
			printf("read %zd\n", read(ends[0], &byte, 1));
			close(ends[0]);
			continue;
		}
		dup2(ends[1], fd + 10);
		close_unseen(ends[1]);
		close_unseen(ends[0]);
		dup2(fd + 10, fd);
		close_unseen(fd + 10);
		printf("write %zd", write(fd, "x", 1));
		printf(" errno %d\n", errno);
		close_unseen(fd);
	}
}

/* PORT echoes. The number comes to be other sockets: of another call, of none. */
static void number_to_socket(void)
{
	int fd = reach(), again, datagrams;

	talk(fd);
	close_unseen(fd);
	again = reach();
	printf("same %d\n", again == fd);
	talk(again);
	close_unseen(again);
	datagrams = socket(AF_INET, SOCK_DGRAM, 0);
	printf("same %d\n", datagrams == fd);
	printf("connect %d\n", connect(datagrams, (struct sockaddr *)&peer, sizeof(peer)));
	printf("send %zd\n", send(datagrams, "x", 1, 0));
	printf("recv %zd\n", recv(datagrams, &fd, 1, MSG_DONTWAIT));
	close(datagrams);
}

static _Atomic int waiting_fd;
static pthread_t waiter;

static void nothing(int signal_number)
{
	(void)signal_number;
}

static void interrupts(int signal_number)
{
	struct sigaction action = { .sa_handler = nothing };

	sigaction(signal_number, &action, NULL);
}

static void *close_like_java(void *unused)
{
	int marker = socket(AF_INET, SOCK_STREAM, 0);

	usleep(500000); /* it waits by then, and for long enough to prove something */
	printf("over %d\n", dup2(marker, waiting_fd) == waiting_fd);
	pthread_kill(waiter, SIGUSR1);
	return unused;
}

/* PORT is mute. Another thread puts a marker over the descriptor, and wakes who waits on it. */
static void closed_by_marker(void)
{
	pthread_t thread;
	char byte;

	interrupts(SIGUSR1);
	waiter = pthread_self();
	waiting_fd = reach();
	send(waiting_fd, "x", 1, MSG_NOSIGNAL);
	pthread_create(&thread, NULL, close_like_java, NULL);
	ssize_t got = recv(waiting_fd, &byte, 1, 0);
	int error = errno;
	pthread_join(thread, NULL);
	printf("got %zd interrupted %d\n", got, error == EINTR);
	printf("close %d\n", close(waiting_fd));
}

static void *receive(void *ret_got)
{
	char bytes[16];

	*(ssize_t *)ret_got = recv(waiting_fd, bytes, sizeof(bytes), 0);
	return NULL;
}

/* PORT answers a request late (HTTP), OTHER-PORT is mute. A thread waits, another closes under it
 * and connects elsewhere: what the first one gets in the end is of the old connection. */
static void closed_by_another(void)
{
	static const char request[] = "GET / HTTP/1.0\r\n\r\n";
	ssize_t got = -2;
	pthread_t thread;
	char byte;

	waiting_fd = reach();
	send(waiting_fd, request, sizeof(request) - 1, MSG_NOSIGNAL);
	pthread_create(&thread, NULL, receive, &got);
	usleep(300000);
	printf("close %d\n", close(waiting_fd));
	int fd = reach_at(&other, 0);
	printf("same %d\n", fd == waiting_fd);
	patience(fd, 3000);
	send(fd, "x", 1, MSG_NOSIGNAL);
	ssize_t mute = recv(fd, &byte, 1, 0);
	pthread_join(thread, NULL);
	printf("got %zd, then %zd\n", got, mute);
	close(fd);
}

/* PORT is nobody's. Whatever comes of it, O_NONBLOCK is as the program has set it. */
static void flags(void)
{
	for (int i = 0; i < 16; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | (i & 1 ? SOCK_NONBLOCK : 0), 0), on = i & 2;

		if (i & 4)
			ioctl(fd, FIONBIO, &on);
		printf("%o ", (unsigned)fcntl(fd, F_GETFL));
		if (connect(fd, (struct sockaddr *)&peer, sizeof(peer)) && errno == EINPROGRESS)
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, 1000);
		printf("%o\n", (unsigned)fcntl(fd, F_GETFL));
		close(fd);
	}
}

/* PORT is nobody's. What a non-blocking connect ends with, at once or later. */
static void refused_at_once(void)
{
	for (int i = 0; i < 12; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), error;
		socklen_t length = sizeof(error);

		error = connect(fd, (struct sockaddr *)&peer, sizeof(peer)) ? errno : 0;
		if (error == EINPROGRESS) {
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, 1000);
			getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
		}
		printf("%d ", error);
		length = sizeof(error);
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
		printf("then %d\n", error);
		close(fd);
	}
}

/* PORT echoes. The socket is in an epoll before it connects, and all its events come. */
static void epolls(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP }, ready;
	int epoll = epoll_create1(0), fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	char byte;

	event.data.fd = fd;
	printf("add %d\n", epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
	connect(fd, (struct sockaddr *)&peer, sizeof(peer));
	do
		epoll_wait(epoll, &ready, 1, 5000);
	while (!(ready.events & EPOLLOUT) || ready.events & EPOLLHUP);
	printf("out %d\n", ready.data.fd == fd);
	send(fd, "x", 1, MSG_NOSIGNAL);
	event.events = EPOLLIN | EPOLLRDHUP;
	printf("mod %d\n", epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event));
	printf("in %d ", epoll_wait(epoll, &ready, 1, 5000));
	printf("%x %zd\n", ready.events, recv(fd, &byte, 1, 0));
	shutdown(fd, SHUT_WR);
	printf("end %d ", epoll_wait(epoll, &ready, 1, 5000));
	printf("%x %zd\n", ready.events, recv(fd, &byte, 1, 0));
	close(fd);
	printf("gone %d\n", epoll_wait(epoll, &ready, 1, 0));
}

/* Connects by asking again and again, as some do, and reads through the signals. */
static void ask_among_signals(int fd)
{
	static const char request[] = "GET / HTTP/1.0\r\n\r\n";
	char bytes[256];
	ssize_t got;

	while (connect(fd, (struct sockaddr *)&peer, sizeof(peer)) && errno != EISCONN)
		if (errno != EINPROGRESS && errno != EALREADY && errno != EINTR)
			perror("connect");
	fcntl(fd, F_SETFL, 0);
	send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL);
	while ((got = recv(fd, bytes, sizeof(bytes), 0)) < 0 && errno == EINTR)
		;
	printf("%d", got > 0);
}

/* PORT is slow (HTTP). A signal every millisecond, and calls without SA_RESTART; then the same
 * socket is set free by AF_UNSPEC and connects anew. */
static void signals(void)
{
	struct sockaddr none = { .sa_family = AF_UNSPEC };

	interrupts(SIGALRM);
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 1000 }, { 0, 1000 } }, NULL);
	for (int i = 0; i < 4; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | (i % 2 ? SOCK_NONBLOCK : 0), 0);

		ask_among_signals(fd);
		printf(" %d ", connect(fd, &none, sizeof(none)));
		if (i % 2)
			fcntl(fd, F_SETFL, O_NONBLOCK);
		ask_among_signals(fd);
		printf(" %d\n", close(fd));
	}
}

/* PORT is one whose backlog is full. A connect that is asked about is one call, not many. */
static void still_connecting(void)
{
	int fd = reach_at(&peer, SOCK_NONBLOCK);

	for (int i = 0; i < 20; i++) {
		printf("%d ", connect(fd, (struct sockaddr *)&peer, sizeof(peer)));
		printf("%d\n", errno == EALREADY);
	}
	close(fd);
}

/* PORT is nobody's. Addresses of every length, at the very end of what may be read. */
static void short_addresses(void)
{
	static const int families[] = { AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, 999 };
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char whole[28] = { 0 };

	mprotect(page + 4096, 4096, PROT_NONE);
	memcpy(whole, &peer, sizeof(peer));
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]) * 29; i++) {
		size_t length = i % 29;
		sa_family_t family = (sa_family_t)families[i / 29];
		char *at = memcpy(page + 4096 - length, whole, length);
		int fds[] = { socket(AF_INET, SOCK_STREAM, 0), socket(AF_UNIX, SOCK_STREAM, 0),
			      socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE),
			      socket(AF_INET6, SOCK_STREAM, 0), 99 };

		if (length >= sizeof(family))
			memcpy(at, &family, sizeof(family));
		printf("%d %zu:", family, length);
		for (size_t j = 0; j < sizeof(fds) / sizeof(fds[0]); j++) {
			int rc = connect(fds[j], (struct sockaddr *)at, (socklen_t)length);

			printf(" %d", rc ? errno : 0);
			close(fds[j]);
		}
		printf("\n");
	}
	printf("%d\n", connect(0, NULL, sizeof(peer)));
}

static _Atomic int visits, failures;

static void *visit_for_ever(void *unused)
{
	for (;;) {
		failures += !visit();
		visits++;
	}
	return unused;
}

/* PORT echoes. The process ends in the middle of what eight threads have to say. */
static void exits(void)
{
	pthread_t thread;

	for (int i = 0; i < 8; i++)
		pthread_create(&thread, NULL, visit_for_ever, NULL);
	while (visits < 100)
		usleep(1000);
	printf("failures %d\n", failures);
	exit(0);
}

static void *visit_often(void *unused)
{
	for (int i = 0; i < 100; i++)
		failures += !visit();
	return unused;
}

/* A copy of this process for which no handler of pthread_atfork has run. */
static pid_t copy(int form)
{
	if (form % 3 == 0)
		return _Fork();
	if (form % 3 == 1)
		return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	return fork();
}

/* PORT echoes. Copies by _Fork, clone and fork, beside threads that talk: 200 conversations of the
 * threads, 60 of children, and two calls of the parent on one connection. */
static void copies(void)
{
	pthread_t threads[2];
	int fd = reach(), status;

	talk(fd);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, visit_often, NULL);
	fflush(stdout);
	for (int i = 0; i < 60; i++) {
		pid_t child = copy(i);

		if (child == 0)
			_exit(!visit());
		if (waitpid(child, &status, 0) != child || status)
			printf("child %d of form %d: %x\n", i, i % 3, status);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	usleep(150000); /* the opening is over */
	talk(fd);
	printf("failures %d close %d\n", failures, close(fd));
}

/* Numbers that nobody knows, and known ones with six arguments. */
static void numbers(void)
{
	int number = 77;
	char *page;

	printf("%ld", syscall(9999, 1, 2, 3, 4, 5, 6));
	printf(" %d\n", errno);
	printf("%ld", syscall(-1L, 1, 2, 3, 4, 5, 6));
	printf(" %d\n", errno);
	page = (char *)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page[4095] = 1;
	printf("unmapped %ld\n", syscall(SYS_munmap, page, 4096));
	printf("woken %ld\n", syscall(SYS_futex, &number, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0));
	printf("sent %ld ", syscall(SYS_sendto, reach(), "x", 1L, MSG_NOSIGNAL, NULL, 0));
	printf("pid %d\n", syscall(SYS_getpid) == getpid());
}

static const struct {
	const char *word;
	void (*act)(void);
} acts[] = {
	{ "dups", dups },
	{ "number_to_file", number_to_file },
	{ "number_to_pipe", number_to_pipe },
	{ "number_to_socket", number_to_socket },
	{ "closed_by_marker", closed_by_marker },
	{ "closed_by_another", closed_by_another },
	{ "flags", flags },
	{ "refused_at_once", refused_at_once },
	{ "epolls", epolls },
	{ "signals", signals },
	{ "still_connecting", still_connecting },
	{ "short_addresses", short_addresses },
	{ "exits", exits },
	{ "copies", copies },
	{ "numbers", numbers },
};

static struct sockaddr_in at(const char *port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons((uint16_t)atoi(port)),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	peer = at(argv[2]);
	other = at(argc > 3 ? argv[3] : argv[2]);
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (!strcmp(acts[i].word, argv[1])) {
			acts[i].act();
			return 0;
		}
	return 2;
}
