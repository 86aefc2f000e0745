#include "server.h"
#include "rig.h"

#include <err.h>
#include <errno.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#define BACKLOG 4096
#define FDS     65536
#define LOOKS   64

static const char well[] = "HTTP/1.1 200 Said\r\nContent-Length: 3\r\n\r\nhi\n";
static const char sick[] = "HTTP/1.1 503 Said\r\nContent-Length: 3\r\n\r\nno\n";
_Static_assert(sizeof(well) - 1 == ANSWER_BYTES && sizeof(sick) == sizeof(well), "ANSWER_BYTES");

static uint8_t have[FDS]; /* bytes of a request that has not come whole */
static uint64_t dice = UINT64_C(88172645463325252);

static void count(uint64_t *word)
{
	__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
}

static uint32_t told(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

int server_listen(uint32_t *ret_port)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t length = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, BACKLOG) ||
	    getsockname(fd, (struct sockaddr *)&at, &length))
		err(2, "the server");
	*ret_port = ntohs(at.sin_port);
	return fd;
}

static bool throw_dice(uint32_t percent)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (dice >> 11) % 100 < percent;
}

static void reset(int fd)
{
	struct linger none = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	close(fd);
}

static void say(int fd, bool is_well)
{
	count(is_well ? &board->said_well : &board->said_sick);
	if (send(fd, is_well ? well : sick, ANSWER_BYTES, MSG_NOSIGNAL) < 0)
		return; /* the client has gone: its right */
}

/* False: the connection is no more. */
static bool answer(int fd)
{
	uint32_t mood = told(&board->mood);

	count(&board->requests);
	if (told(&board->delay_us))
		usleep(told(&board->delay_us));
	if (mood == RESET) {
		reset(fd);
		return false;
	}
	if (mood == WELL || mood == SICK)
		say(fd, mood == WELL);
	else if (mood == CHANCE)
		say(fd, !throw_dice(told(&board->percent)));
	return true;
}

static void hear(int fd)
{
	char bytes[4096];
	ssize_t got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (got < 0 && errno == EAGAIN)
		return;
	if (got <= 0) {
		close(fd);
		return;
	}
	size_t bytes_had = have[fd] + (size_t)got;

	for (; bytes_had >= sizeof(REQUEST) - 1; bytes_had -= sizeof(REQUEST) - 1)
		if (!answer(fd))
			return;
	have[fd] = (uint8_t)bytes_had;
}

static void welcome(int listener, int poll)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		count(&board->connections);
		have[fd] = 0;
		event.data.fd = fd;
		if (fd >= FDS || epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event))
			err(2, "epoll");
	}
}

_Noreturn void server_serve(int listener)
{
	struct epoll_event events[LOOKS] = { { .events = EPOLLIN, .data.fd = listener } };
	struct rlimit limit;
	int poll = epoll_create1(EPOLL_CLOEXEC);

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	epoll_ctl(poll, EPOLL_CTL_ADD, listener, &events[0]);
	for (;;) {
		int ready = epoll_wait(poll, events, LOOKS, -1);

		for (int i = 0; i < ready; i++) {
			if (events[i].data.fd == listener)
				welcome(listener, poll);
			else
				hear(events[i].data.fd);
		}
	}
}
