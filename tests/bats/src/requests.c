/*
 * Looks names up with getaddrinfo_a and connects to each. MODE: `wait` (GAI_WAIT), `later`
 * (GAI_NOWAIT, then gai_error until all are there), `never` (GAI_NOWAIT, and nobody asks). Each
 * request is made in memory that is unmapped when its list was used, and its texts are gone before
 * anybody asks for it. usage: requests MODE PORT HOST...
 */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAGE 4096

static void *page(void)
{
	return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static struct gaicb *request(const char *host, const char *service)
{
	static const struct addrinfo stream = { .ai_socktype = SOCK_STREAM };
	struct gaicb *made = page();
	char *texts = page();

	strcpy(texts, host);
	strcpy(texts + PAGE / 2, service);
	*made = (struct gaicb){ .ar_name = texts,
				.ar_service = texts + PAGE / 2,
				.ar_request = &stream };
	return made;
}

static void use(struct gaicb *gaicb, int rc)
{
	const struct addrinfo *at = gaicb->ar_result;

	if (rc == 0) {
		int fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);

		printf("connect %d\n", connect(fd, at->ai_addr, at->ai_addrlen));
		close(fd);
		freeaddrinfo(gaicb->ar_result);
	} else {
		printf("%s\n", gai_strerror(rc));
	}
	munmap(gaicb, PAGE);
}

static int settled(struct gaicb *gaicb)
{
	const struct gaicb *list[1] = { gaicb };

	while (gai_suspend(list, 1, NULL) == EAI_INTR)
		;
	munmap((void *)gaicb->ar_name, PAGE);
	return gai_error(gaicb);
}

/* Without asking, as no program should: libc's own variable. */
static int guessed(struct gaicb *gaicb)
{
	volatile int *rc = &gaicb->__return;

	while (*rc == EAI_INPROGRESS)
		usleep(1000);
	return *rc;
}

int main(int argc, char **argv)
{
	struct gaicb *list[16];
	int count = argc - 3, waits = !strcmp(argv[1], "wait");

	for (int i = 0; i < count; i++)
		list[i] = request(argv[3 + i], argv[2]);
	if (getaddrinfo_a(waits ? GAI_WAIT : GAI_NOWAIT, list, count, NULL))
		return 3;
	for (int i = 0; i < count; i++)
		use(list[i], strcmp(argv[1], "never") ? settled(list[i]) : guessed(list[i]));
	return 0;
}
