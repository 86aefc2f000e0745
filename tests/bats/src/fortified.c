/*
 * Receives by each function that has a checked twin, as -D_FORTIFY_SOURCE makes of them: one
 * conversation each. usage: fortified PORT (a peer that echoes)
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int reach(const char *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) || send(fd, "x", 1, MSG_NOSIGNAL) != 1)
		perror("peer");
	return fd;
}

int main(int argc, char **argv)
{
	struct timespec limit = { .tv_sec = 20 };
	struct pollfd one[1] = { { .events = POLLIN } };
	volatile size_t count = argc > 1 ? 4 : 0; /* no constant, or there is nothing to check */
	char room[4];
	int fd;

	printf("read %zd\n", read(fd = reach(argv[1]), room, count));
	close(fd);
	printf("recv %zd\n", recv(fd = reach(argv[1]), room, count, 0));
	close(fd);
	printf("recvfrom %zd\n", recvfrom(fd = reach(argv[1]), room, count, 0, NULL, NULL));
	close(fd);
	fd = one[0].fd = reach(argv[1]);
	printf("poll %d\n", poll(one, count / 4, 20000));
	printf("read %zd\n", read(fd, room, 1));
	close(fd);
	fd = one[0].fd = reach(argv[1]);
	printf("ppoll %d\n", ppoll(one, count / 4, &limit, NULL));
	printf("read %zd\n", read(fd, room, 1));
	close(fd);
	return 0;
}
