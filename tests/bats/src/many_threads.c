/* A library whose constructor starts eight threads, each of which connects to PORT (the
 * environment's) while the rest of the program is still being set up, and that forks if FORK is
 * set. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_t threads[8];
static _Atomic int bad;
static pid_t child = -1;

static void visit(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char byte = 0;

	at.sin_port = htons((uint16_t)atoi(getenv("PORT")));
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	bad += connect(fd, (struct sockaddr *)&at, sizeof(at)) || send(fd, "x", 1, 0) != 1 ||
	       recv(fd, &byte, 1, 0) != 1 || byte != 'x';
	bad += close(fd) != 0;
}

static void *work(void *unused)
{
	for (int i = 0; i < 20; i++)
		visit();
	return unused;
}

__attribute__((constructor)) static void begin(void)
{
	if (getenv("FORK"))
		child = fork();
	else
		for (int i = 0; i < 8; i++)
			pthread_create(&threads[i], NULL, work, NULL);
}

/* main's. */
void finish(void);
void finish(void)
{
	int status = 0;

	for (int i = 0; i < 8 && threads[i]; i++)
		pthread_join(threads[i], NULL);
	if (child > 0)
		waitpid(child, &status, 0);
	visit();
	if (bad || status)
		printf("bad %d, child %x\n", bad, status);
}
