/*
 * Calls every function of real.def once so that it fails and once so that it succeeds, and prints
 * result, errno and what it wrote. What is printed must not depend on the shim.
 * errno is set to a value of our own before each call: a success must leave it.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);

#define CANARY 4242
#define TRY(name, how, expression)                                                                 \
	do {                                                                                       \
		errno = CANARY;                                                                    \
		long rc_ = (long)(expression);                                                     \
		int error_ = errno;                                                                \
		printf("%s %s: %ld errno %d\n", name, how, rc_, error_);                           \
	} while (0)
#define FAILS(name, expression)  TRY(#name, "fails", expression)
#define WORKS(name, expression)  TRY(#name, "works", expression)
#define SHOW(what, bytes, count) printf("  " what " '%.*s'\n", (int)(count), (const char *)(bytes))

static struct sockaddr_in listening, refusing;
static int listener, mine, theirs; /* a connected pair over TCP */
static char room[64];
static void *forbidden; /* a page that may not be read: what stands there, the kernel refuses */

static int bound(struct sockaddr_in *ret_at)
{
	socklen_t length = sizeof(*ret_at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*ret_at = (struct sockaddr_in){ .sin_family = AF_INET,
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (bind(fd, (struct sockaddr *)ret_at, sizeof(*ret_at)) ||
	    getsockname(fd, (struct sockaddr *)ret_at, &length))
		exit(1);
	return fd;
}

/* A copy whose last byte is the last that may be read. */
static struct sockaddr *at_the_edge(const struct sockaddr_in *address)
{
	return memcpy((char *)forbidden - sizeof(*address), address, sizeof(*address));
}

static void connecting(void)
{
	struct sockaddr_storage name;
	socklen_t length = sizeof(name);
	int value = 77, fd;

	FAILS(socket, socket(12345, SOCK_STREAM, 0));
	WORKS(socket, mine = socket(AF_INET, SOCK_STREAM, 0));
	FAILS(connect, connect(mine, (struct sockaddr *)&refusing, sizeof(refusing)));
	FAILS(connect, connect(-1, (struct sockaddr *)&listening, sizeof(listening)));
	FAILS(connect, connect(mine, (struct sockaddr *)&listening, 1));
	FAILS(connect, connect(mine, NULL, sizeof(listening)));
	FAILS(connect, connect(mine, forbidden, sizeof(listening)));
	FAILS(connect, connect(mine, at_the_edge(&listening), 2 * sizeof(listening)));
	FAILS(connect, connect(mine, (struct sockaddr *)&listening, 4096));
	FAILS(getpeername, getpeername(mine, (struct sockaddr *)&name, &length));
	WORKS(connect, connect(mine, (struct sockaddr *)&listening, sizeof(listening)));
	FAILS(connect, connect(mine, (struct sockaddr *)&listening, sizeof(listening)));
	WORKS(getpeername, getpeername(mine, (struct sockaddr *)&name, &length));
	printf("  %u %d\n", length, ((struct sockaddr_in *)&name)->sin_port == listening.sin_port);
	FAILS(accept, accept(mine, NULL, NULL));
	WORKS(accept, theirs = accept(listener, NULL, NULL));
	FAILS(accept4, accept4(mine, NULL, NULL, SOCK_CLOEXEC));
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	TRY("connect", "pends", connect(fd, (struct sockaddr *)&listening, sizeof(listening)));
	WORKS(accept4, value = accept4(listener, NULL, NULL, SOCK_CLOEXEC));
	close(value);
	length = sizeof(value);
	WORKS(getsockopt, getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &length));
	printf("  %d %u\n", value, length);
	FAILS(getsockopt, getsockopt(fd, SOL_SOCKET, 9999, &value, &length));
	FAILS(getsockopt, getsockopt(fd, SOL_SOCKET, SO_ERROR, NULL, NULL));
	FAILS(setsockopt, setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, NULL, 4));
	FAILS(setsockopt, setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &value, 1));
	WORKS(setsockopt, setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &value, sizeof(value)));
	FAILS(pidfd_getfd, pidfd_getfd(-1, fd, 0));
	FAILS(syscall, syscall(SYS_pidfd_getfd, -1, fd, 0));
	WORKS(syscall, value = syscall(SYS_pidfd_open, getpid(), 0));
	WORKS(pidfd_getfd, length = pidfd_getfd(value, fd, 0));
	close(length);
	close(value);
	WORKS(close, close(fd));
	FAILS(shutdown, shutdown(-1, SHUT_WR));
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	TRY("connect", "pends", connect(fd, (struct sockaddr *)&refusing, sizeof(refusing)));
	poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, 1000);
	length = sizeof(value);
	WORKS(getsockopt, getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &length));
	printf("  %d\n", value);
	close(fd);
	WORKS(syscall, fd = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
	FAILS(syscall, syscall(SYS_connect, fd, &refusing, sizeof(refusing)));
	WORKS(syscall, syscall(SYS_connect, fd, &listening, sizeof(listening)));
	close(accept(listener, NULL, NULL));
	WORKS(syscall, syscall(SYS_close, fd));
	FAILS(syscall, syscall(SYS_close, fd));
}

static void receiving(void)
{
	struct iovec parts[2] = { { room, 3 }, { room + 3, 3 } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	struct mmsghdr messages = { .msg_hdr = message };
	int nobody = socket(AF_INET, SOCK_STREAM, 0);

#define ROOM memset(room, '.', sizeof(room)), send(theirs, "answer", 6, 0)
#define READS(name, bad, good)                                                                     \
	FAILS(name, bad);                                                                          \
	ROOM;                                                                                      \
	WORKS(name, good);                                                                         \
	SHOW("got", room, 8)
	READS(read, read(-1, room, 9), read(mine, room, 9));
	READS(readv, readv(nobody, parts, 2), readv(mine, parts, 2));
	READS(recv, recv(mine, room, 9, MSG_DONTWAIT), recv(mine, room, 9, 0));
	READS(recvfrom, recvfrom(nobody, room, 9, 0, NULL, NULL),
	      recvfrom(mine, room, 9, 0, NULL, NULL));
	READS(recvmsg, recvmsg(mine, &message, MSG_DONTWAIT), recvmsg(mine, &message, 0));
	FAILS(recvmsg, recvmsg(mine, NULL, 0));
	FAILS(recv, recv(mine, NULL, 9, MSG_DONTWAIT));
	READS(recvmmsg, recvmmsg(mine, &messages, 1, MSG_DONTWAIT, NULL),
	      recvmmsg(mine, &messages, 1, 0, NULL));
	READS(__read_chk, __read_chk(nobody, room, 9, 64), __read_chk(mine, room, 9, 64));
	READS(__recv_chk, __recv_chk(mine, room, 9, 64, MSG_DONTWAIT),
	      __recv_chk(mine, room, 9, 64, 0));
	READS(__recvfrom_chk, __recvfrom_chk(nobody, room, 9, 64, 0, NULL, NULL),
	      __recvfrom_chk(mine, room, 9, 64, 0, NULL, NULL));
	ROOM;
	WORKS(recv, recv(mine, room, 0, MSG_DONTWAIT));
	WORKS(recv, recv(mine, NULL, 9, MSG_TRUNC));
	ROOM;
	WORKS(recv, recv(mine, room, 9, MSG_PEEK));
	WORKS(recv, recv(mine, room, 9, 0));
	close(nobody);
}

static void sending(const char *self)
{
	struct iovec parts[2] = { { "req", 3 }, { "uest", 4 } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	struct mmsghdr messages = { .msg_hdr = message };
	int nobody = socket(AF_INET, SOCK_STREAM, 0);
	int file = open(self, O_RDONLY | O_CLOEXEC), ends[2];
	off64_t offset = 1;

	signal(SIGPIPE, SIG_IGN);
#define WRITES(name, bad, good)                                                                    \
	FAILS(name, bad);                                                                          \
	memset(room, '.', sizeof(room));                                                           \
	WORKS(name, good);                                                                         \
	recv(theirs, room, sizeof(room), 0);                                                       \
	SHOW("sent", room, 8)
	WRITES(write, write(nobody, "request", 7), write(mine, "request", 7));
	WRITES(writev, writev(-1, parts, 2), writev(mine, parts, 2));
	WRITES(send, send(nobody, "request", 7, 0), send(mine, "request", 7, MSG_NOSIGNAL));
	WRITES(sendto, sendto(nobody, "request", 7, 0, NULL, 0),
	       sendto(mine, "request", 7, 0, NULL, 0));
	WRITES(sendmsg, sendmsg(nobody, &message, 0), sendmsg(mine, &message, 0));
	FAILS(sendmsg, sendmsg(mine, NULL, 0));
	FAILS(sendmsg, sendmsg(mine, forbidden, 0));
	FAILS(sendmsg, sendmsg(mine, forbidden, MSG_FASTOPEN));
	FAILS(sendmmsg, sendmmsg(mine, forbidden, 1, 0));
	FAILS(sendmmsg, sendmmsg(mine, forbidden, 1, MSG_FASTOPEN));
	FAILS(write, write(mine, forbidden, 9));
	FAILS(writev, writev(mine, forbidden, 1));
	FAILS(sendto, sendto(nobody, "request", 7, MSG_FASTOPEN, forbidden, sizeof(listening)));
	FAILS(sendmmsg, sendmmsg(mine, NULL, 1, 0));
	WRITES(sendmmsg, sendmmsg(nobody, &messages, 1, 0), sendmmsg(mine, &messages, 1, 0));
	WRITES(sendfile, sendfile(nobody, file, NULL, 3), sendfile(mine, file, &offset, 3));
	WRITES(sendfile64, sendfile64(mine, -1, NULL, 3), sendfile64(mine, file, &offset, 3));
	if (pipe(ends))
		exit(1);
	write(ends[1], "spliced", 7);
	WRITES(splice, splice(mine, NULL, nobody, NULL, 3, 0),
	       splice(ends[0], NULL, mine, NULL, 7, 0));
	send(theirs, "spliced", 7, 0);
	WORKS(splice, splice(mine, NULL, ends[1], NULL, 7, 0));
	close(ends[0]), close(ends[1]), close(file), close(nobody);
}

static fd_set *set_of(int fd)
{
	static fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	return &set;
}

static void waiting(void)
{
	struct pollfd one = { .fd = mine, .events = POLLIN }, *nowhere = NULL;
	struct timespec none = { 0, 0 }, wrong = { 0, -1 };
	struct timeval no = { 0, 0 }, bad = { -1, 0 };
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = 5 }, ready;
	int epoll = epoll_create1(0);

#define EMPTY_AND_READY(name, bad, good)                                                           \
	FAILS(name, bad);                                                                          \
	TRY(#name, "waits", good);                                                                 \
	send(theirs, "x", 1, 0);                                                                   \
	WORKS(name, good);                                                                         \
	recv(mine, room, 1, 0)
	EMPTY_AND_READY(poll, poll(nowhere, 1, 0), poll(&one, 1, 1));
	EMPTY_AND_READY(ppoll, ppoll(&one, 1, &wrong, NULL), ppoll(&one, 1, &none, NULL));
	EMPTY_AND_READY(__poll_chk, __poll_chk(nowhere, 1, 0, 8), __poll_chk(&one, 1, 1, 8));
	EMPTY_AND_READY(__ppoll_chk, __ppoll_chk(&one, 1, &wrong, NULL, 8),
			__ppoll_chk(&one, 1, &none, NULL, 8));
	EMPTY_AND_READY(select, select(mine + 1, set_of(mine), NULL, NULL, &bad),
			select(mine + 1, set_of(mine), NULL, NULL, &no));
	EMPTY_AND_READY(pselect, pselect(mine + 1, set_of(mine), NULL, NULL, &wrong, NULL),
			pselect(mine + 1, set_of(mine), NULL, NULL, &none, NULL));
	FAILS(epoll_ctl, epoll_ctl(epoll, EPOLL_CTL_MOD, mine, &event));
	FAILS(epoll_ctl, epoll_ctl(epoll, EPOLL_CTL_ADD, mine, NULL));
	WORKS(epoll_ctl, epoll_ctl(epoll, EPOLL_CTL_ADD, mine, &event));
	EMPTY_AND_READY(epoll_wait, epoll_wait(mine, &ready, 1, 0),
			epoll_wait(epoll, &ready, 1, 1));
	EMPTY_AND_READY(epoll_pwait, epoll_pwait(epoll, &ready, 0, 0, NULL),
			epoll_pwait(epoll, &ready, 1, 0, NULL));
	EMPTY_AND_READY(epoll_pwait2, epoll_pwait2(-1, &ready, 1, &none, NULL),
			epoll_pwait2(epoll, &ready, 1, &none, NULL));
	printf("  data %u\n", ready.data.u32);
	WORKS(epoll_ctl, epoll_ctl(epoll, EPOLL_CTL_DEL, mine, NULL));
	close(epoll);
}

static void numbers(void)
{
	int first, second, value = 1;
	FILE *stream;

	FAILS(dup, dup(-1));
	WORKS(dup, first = dup(mine));
	FAILS(dup2, dup2(-1, first));
	WORKS(dup2, dup2(mine, first));
	WORKS(dup2, dup2(mine, mine));
	FAILS(dup3, dup3(mine, mine, 0));
	FAILS(dup3, dup3(mine, first, 1));
	WORKS(dup3, dup3(mine, first, O_CLOEXEC));
	FAILS(fcntl, fcntl(-1, F_GETFD));
	WORKS(fcntl, second = fcntl(mine, F_DUPFD, 30));
	WORKS(fcntl, fcntl(second, F_SETFL, O_NONBLOCK));
	WORKS(fcntl, fcntl(mine, F_GETFL));
	FAILS(fcntl64, fcntl64(mine, 9999, 0));
	WORKS(fcntl64, fcntl64(mine, F_SETFL, 0));
	FAILS(prctl, prctl(12345, 0, 0, 0, 0));
	FAILS(prctl, prctl(PR_SET_SECCOMP, 2, NULL, 0, 0));
	WORKS(prctl, prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
	FAILS(syscall, syscall(SYS_seccomp, 1, 0, NULL));
	FAILS(ioctl, ioctl(mine, 0x1234567, &value));
	WORKS(ioctl, ioctl(mine, FIONBIO, &value));
	value = 0;
	WORKS(ioctl, ioctl(mine, FIONBIO, &value));
	FAILS(fdopen, fdopen(first, "?"));
	TRY("fdopen", "works", (stream = fdopen(first, "r")) != NULL);
	WORKS(fclose, fclose(stream));
	stream = fdopen(second, "w");
	fputs("late", stream);
	close(second);
	FAILS(fclose, fclose(stream));
	FAILS(close, close(second));
	WORKS(send, send(theirs, "x", 1, 0)); /* the connection outlived its dups */
	WORKS(recv, recv(mine, room, 1, 0));
	WORKS(dup2, dup2(mine, 40));
	FAILS(close_range, close_range(9, 8, 0));
	FAILS(close_range, close_range(40, 50, 999));
	WORKS(close_range, close_range(40, 50, 0));
	FAILS(fcntl, fcntl(40, F_GETFD));
	dup2(mine, 41);
	WORKS(closefrom, (closefrom(41), 0));
	FAILS(closefrom, fcntl(41, F_GETFD));
}

static void names(void)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM }, *list;
	struct gaicb one = { .ar_name = "127.0.0.1" }, *all[1] = { &one };
	struct gaicb none = { .__return = EAI_NONAME };
	struct hostent entry, *result;
	char buffer[1024];
	int error = 0;

	FAILS(getaddrinfo, getaddrinfo("no number", "80", &hints, &list));
	WORKS(getaddrinfo, getaddrinfo("127.0.0.1", "80", &hints, &list));
	printf("  %d %d\n", list->ai_family,
	       ntohs(((struct sockaddr_in *)list->ai_addr)->sin_port));
	freeaddrinfo(list);
	FAILS(getaddrinfo_a, getaddrinfo_a(99, all, 1, NULL));
	FAILS(gai_error, gai_error(&none));
	WORKS(getaddrinfo_a, getaddrinfo_a(GAI_WAIT, all, 1, NULL));
	WORKS(gai_error, gai_error(&one));
	WORKS(gai_error, gai_error(&one));
	TRY("gethostbyname", "fails", gethostbyname("not a host.invalid") != NULL);
	TRY("gethostbyname", "works", gethostbyname("127.0.0.1") != NULL);
	TRY("gethostbyname2", "fails", gethostbyname2("127.0.0.1", 999) != NULL);
	TRY("gethostbyname2", "works", gethostbyname2("127.0.0.1", AF_INET) != NULL);
	FAILS(gethostbyname_r, gethostbyname_r("127.0.0.1", &entry, buffer, 1, &result, &error));
	WORKS(gethostbyname_r, gethostbyname_r("127.0.0.1", &entry, buffer, 1024, &result, &error));
	SHOW("name", result->h_name, 20);
	FAILS(gethostbyname2_r,
	      gethostbyname2_r("127.0.0.1", AF_INET, &entry, buffer, 1, &result, &error));
	WORKS(gethostbyname2_r,
	      gethostbyname2_r("127.0.0.1", AF_INET, &entry, buffer, 1024, &result, &error));
}

static int status_of(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return status;
}

static void processes(void)
{
	pid_t child;

	fflush(stdout);
	if ((child = fork()) == 0)
		_exit(send(theirs, "x", 1, 0) == 1 ? 3 : 4);
	WORKS(fork, status_of(child));
	recv(mine, room, 1, 0);
	fflush(stdout);
	if ((child = fork()) == 0)
		_Exit(5);
	WORKS(_Exit, status_of(child));
	if ((child = fork()) == 0)
		quick_exit(6);
	WORKS(quick_exit, status_of(child));
	WORKS(_exit, 0);
	if ((child = vfork()) == 0)
		_exit(7);
	WORKS(vfork, status_of(child));
	FAILS(dlopen, dlopen("./no/such/library.so", RTLD_NOW) != NULL);
	printf("  %s\n", dlerror());
	TRY("dlopen", "works", dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD) != NULL);
	TRY("dlopen", "works", dlopen(NULL, RTLD_NOW) != NULL);
}

/* The new image says by its exit status what came over: arguments, those on the stack too, and the
 * environment. */
static void images(void)
{
	static char *const words[] = { "sh", "-c", "exit $#$E", "sh", "a", "b", NULL };
	static char *const env[] = { "E=1", NULL };
	const char *none = "/no/such/file", *sh = "/bin/sh", *count = "exit $#$E";
	int shell = open(sh, O_RDONLY | O_CLOEXEC);
	pid_t child;

#define EXECS(name, bad, good)                                                                     \
	FAILS(name, bad);                                                                          \
	fflush(stdout);                                                                            \
	if ((child = fork()) == 0)                                                                 \
		good, _exit(99);                                                                   \
	WORKS(name, status_of(child))

	EXECS(execve, execve(none, words, env), execve(sh, words, env));
	EXECS(execv, execv(none, words), execv(sh, words));
	EXECS(execvp, execvp("no such file", words), execvp("sh", words));
	EXECS(execvpe, execvpe("no such file", words, env), execvpe("sh", words, env));
	EXECS(fexecve, fexecve(-1, words, env), fexecve(shell, words, env));
	EXECS(execveat, execveat(-1, "sh", words, env, 0),
	      execveat(shell, "", words, env, AT_EMPTY_PATH));
	EXECS(execl, execl(none, none, NULL),
	      execl(sh, "sh", "-c", count, "sh", "a", "b", "c", "d", "e", "f", "g", NULL));
	EXECS(execle, execle(none, none, NULL, env),
	      execle(sh, "sh", "-c", count, "sh", "a", "b", "c", "d", "e", "f", NULL, env));
	EXECS(execlp, execlp("no such file", none, NULL),
	      execlp("sh", "sh", "-c", count, "sh", "a", "b", "c", "d", "e", NULL));
}

int main(int argc, char **argv)
{
	(void)argc;
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	forbidden = (char *)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				 0) + 4096;
	mprotect(forbidden, 4096, PROT_NONE);
	listener = bound(&listening);
	listen(listener, 16);
	bound(&refusing);
	connecting();
	receiving();
	sending(argv[0]);
	waiting();
	numbers();
	names();
	processes();
	images();
	WORKS(shutdown, shutdown(mine, SHUT_WR));
	TRY("read", "ends", read(theirs, room, 1));
	WORKS(close, close(mine));
	return 0;
}
