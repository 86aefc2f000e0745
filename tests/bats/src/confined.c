/*
 * Forbids itself every system call but those that it makes from then on; another one is its death.
 * usage: confined            connects nowhere: reads, writes, copies and closes descriptors
 *        confined PORT       has connected before (the peer echoes), then talks and closes
 *        confined PORT call  the same, by the system call seccomp and not by prctl
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALLOW(name)                                                                                \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                                     \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void confine(int by_call)
{
	static struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(read),
		ALLOW(write),
		ALLOW(dup),
		ALLOW(close),
		ALLOW(exit_group),
		ALLOW(sendto),
		ALLOW(recvfrom),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    (by_call ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)
		     : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)))
		exit(3);
}

static int reach(const char *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)))
		exit(4);
	return fd;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? reach(argv[1]) : open("/dev/zero", O_RDONLY), copy;
	char byte;

	confine(argc > 2);
	copy = dup(fd);
	if (argc > 1 && (send(fd, "x", 1, 0) != 1 || recv(fd, &byte, 1, 0) != 1))
		return 5;
	if (argc == 1 && read(fd, &byte, 1) != 1)
		return 6;
	if (close(copy) || close(fd))
		return 7;
	return write(1, "alive\n", 6) != 6;
}
