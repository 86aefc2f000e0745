/* static HOST PORT: the page, with its header; linked without any shared object. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const char request[] = "GET / HTTP/1.0\r\n\r\n";
	struct sockaddr_in to = { .sin_family = AF_INET };
	char text[4096];
	ssize_t length;

	if (argc != 3)
		return 2;
	to.sin_port = htons((unsigned short)atoi(argv[2]));
	inet_pton(AF_INET, argv[1], &to.sin_addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    send(fd, request, sizeof(request) - 1, 0) < 0)
		return 1;
	while ((length = recv(fd, text, sizeof(text), 0)) > 0)
		fwrite(text, 1, (size_t)length, stdout);
	close(fd);
	return 0;
}
