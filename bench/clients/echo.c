/* Says back what it hears, one connection after another, on a free port of 127.0.0.1. Prints the
 * port, and ends when its standard input does: nobody can forget it. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int listen_somewhere(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 128) ||
	    getsockname(fd, (struct sockaddr *)&at, &size))
		return -1;
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	return fd;
}

static void serve(int fd)
{
	char bytes[4096];
	ssize_t got;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	while ((got = read(fd, bytes, sizeof(bytes))) > 0)
		if (write(fd, bytes, (size_t)got) != got)
			break;
	close(fd);
}

int main(void)
{
	int listener = listen_somewhere();
	struct pollfd ready[2] = { { .fd = listener, .events = POLLIN },
				   { .fd = STDIN_FILENO, .events = POLLIN } };

	if (listener < 0)
		return 1;
	while (poll(ready, 2, -1) > 0 && !ready[1].revents)
		serve(accept(listener, NULL, NULL));
	return 0;
}
