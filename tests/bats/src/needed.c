/* What a plugin needs: it connects. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

int needed(int port);
int needed(int port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((unsigned short)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int rc = connect(fd, (struct sockaddr *)&to, sizeof(to));

	close(fd);
	return rc;
}
