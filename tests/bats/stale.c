/*
 * A connection whose close no hook sees, and whose number then becomes a file by a way that no hook
 * sees, or that only tells. Prints what is read from the file. usage: stale WAY PORT
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A system call that nobody stands in front of. */
static long unseen(long number, long a, long b, long c)
{
	long rc;

	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return rc;
}

/* Sends `file` through a pair of sockets; returns the number under which it arrives. */
static int by_rights(int file, int expected)
{
	char bytes[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 'x';
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = bytes,
				  .msg_controllen = sizeof(bytes) };
	struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
	int pair[2], fd;

	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(rights), &file, sizeof(file));
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	sendmsg(pair[0], &message, 0);
	unseen(SYS_close, expected, 0, 0);
	recvmsg(pair[1], &message, 0);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	close(pair[0]);
	close(pair[1]);
	return fd;
}

static int becomes_file(const char *way, int file, int expected)
{
	int self = (int)syscall(SYS_pidfd_open, getpid(), 0);

	if (!strcmp(way, "rights"))
		return by_rights(file, expected);
	unseen(SYS_close, expected, 0, 0);
	if (!strcmp(way, "pidfd"))
		return pidfd_getfd(self, file, 0);
	if (!strcmp(way, "pidfd_call"))
		return (int)syscall(SYS_pidfd_getfd, self, file, 0);
	return open("/dev/null", O_RDWR);
}

int main(int argc, char **argv)
{
	struct sockaddr_in peer = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	char byte;

	if (argc < 3)
		return 2;
	peer.sin_port = htons((uint16_t)atoi(argv[2]));
	int file = open("/dev/null", O_RDWR);

	for (int i = 0; i < 6; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (connect(fd, (struct sockaddr *)&peer, sizeof(peer)) || send(fd, "x", 1, 0) != 1)
			return 1;
		int now = becomes_file(argv[1], file, fd);

		printf("%d %zd", now == fd, read(now, &byte, 1));
		printf(" %zd", write(now, "x", 1));
		printf(" %d\n", close(now));
	}
	return 0;
}
