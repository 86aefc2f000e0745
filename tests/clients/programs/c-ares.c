/* c-ares HOST PORT SECONDS DNS: asks the name server at DNS who page.test is, and fetches its page.
 */
#include <ares.h>
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static void found(void *to, int status, int timeouts, struct hostent *host)
{
	(void)timeouts;
	if (status == ARES_SUCCESS)
		memcpy(&((struct sockaddr_in *)to)->sin_addr, host->h_addr_list[0], 4);
}

static void look_up(const char *server, struct sockaddr_in *ret_to)
{
	ares_channel channel;
	fd_set in, out;
	struct timeval limit;
	int count;

	ares_library_init(ARES_LIB_INIT_ALL);
	ares_init(&channel);
	ares_set_servers_ports_csv(channel, server);
	ares_gethostbyname(channel, "page.test", AF_INET, found, ret_to);
	for (;;) {
		FD_ZERO(&in);
		FD_ZERO(&out);
		count = ares_fds(channel, &in, &out);
		if (!count)
			break;
		limit = (struct timeval){ .tv_sec = 1 };
		select(count, &in, &out, NULL, ares_timeout(channel, &limit, &limit));
		ares_process(channel, &in, &out);
	}
	ares_destroy(channel);
}

int main(int argc, char **argv)
{
	static const char request[] = "GET / HTTP/1.0\r\n\r\n";
	char server[64], text[4096], *body;
	ssize_t length;
	size_t have = 0;

	if (argc != 5)
		return 2;

	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((unsigned short)atoi(argv[2])) };
	struct timeval limit = { .tv_sec = atoi(argv[3]) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	snprintf(server, sizeof(server), "127.0.0.1:%s", argv[4]);
	look_up(server, &to);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    send(fd, request, sizeof(request) - 1, 0) < 0) {
		perror("connect");
		return 1;
	}
	while ((length = recv(fd, text + have, sizeof(text) - 1 - have, 0)) > 0)
		have += (size_t)length;
	text[have] = 0;
	body = strstr(text, "\r\n\r\n");
	if (!body)
		return 1;
	fputs(body + 4, stdout);
	close(fd);
	return 0;
}
