/* A library whose constructor, before the shim's, connects and closes 40 descriptors, and starts a
 * thread that does the same. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void *work(void *unused)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(1) };
	int fds[40], refused = 0;

	(void)unused;
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int i = 0; i < 40; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
		refused += connect(fds[i], (struct sockaddr *)&at, sizeof(at)) < 0;
	}
	for (int i = 0; i < 40; i++)
		refused += close(fds[i]) == 0;
	return (void *)(long)refused;
}

__attribute__((constructor)) static void start(void)
{
	pthread_t thread;
	void *sum;
	char line[64];

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, &sum);
	int length = snprintf(line, sizeof(line), "early: %ld %ld\n", (long)sum, (long)work(NULL));
	if (write(1, line, (size_t)length) != length)
		_exit(9);
}
