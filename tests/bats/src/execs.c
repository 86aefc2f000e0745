/*
 * Connects to PORT, then becomes PROGRAM by way of FORM, an exec function. If that cannot be,
 * prints errno, asks for an answer and gives up after 150 ms. usage: execs FORM PORT PROGRAM
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

extern char **environ;

static void become(const char *form, const char *path)
{
	char *const words[] = { "program", NULL };

	if (!strcmp(form, "execve"))
		execve(path, words, environ);
	else if (!strcmp(form, "execv"))
		execv(path, words);
	else if (!strcmp(form, "execvp"))
		execvp(path, words);
	else if (!strcmp(form, "execvpe"))
		execvpe(path, words, environ);
	else if (!strcmp(form, "fexecve"))
		fexecve(open(path, O_RDONLY | O_CLOEXEC), words, environ);
	else if (!strcmp(form, "execveat"))
		execveat(AT_FDCWD, path, words, environ, 0);
	else if (!strcmp(form, "execl"))
		execl(path, "program", NULL);
	else if (!strcmp(form, "execle"))
		execle(path, "program", NULL, environ);
	else if (!strcmp(form, "execlp"))
		execlp(path, "program", NULL);
	else
		exit(2);
}

int main(int argc, char **argv)
{
	struct timeval patience = { .tv_usec = 150000 };
	struct sockaddr_in peer = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char answer[100];

	if (argc != 4)
		return 2;
	peer.sin_port = htons((uint16_t)atoi(argv[2]));
	if (connect(fd, (struct sockaddr *)&peer, sizeof(peer)))
		return 3;
	become(argv[1], argv[3]);
	printf("errno %d\n", errno);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (send(fd, "ask", 3, 0) != 3 || recv(fd, answer, sizeof(answer), 0) != -1)
		return 4;
	return 0;
}
