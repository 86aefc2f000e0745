/* The driver's and the clients' part of rig.h; server.c and look.c are the rest. */
#include "rig.h"
#include "server.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define BOARD_FD 19 /* a number that clients inherit */

struct board *board;

static char folder[64], shim[1024];
static pid_t server;
static int told, failed;
static uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);

int64_t now_ns(void)
{
	return il_clock_now_ns();
}

uint64_t random_up_to(uint64_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % (limit + 1);
}

void tell(bool good, const char *text, ...)
{
	va_list list;

	va_start(list, text);
	printf("%s %d - ", good ? "ok" : "not ok", ++told);
	vprintf(text, list);
	printf("\n");
	va_end(list);
	fflush(stdout);
	failed += !good;
}

void note(const char *text, ...)
{
	va_list list;

	va_start(list, text);
	printf("# ");
	vprintf(text, list);
	printf("\n");
	va_end(list);
	fflush(stdout);
}

void setting(const char *name, const char *value)
{
	if (setenv(name, value, 1))
		err(2, "setenv");
}

static void find_shim(void)
{
	const char *out = getenv("OUT");
	const char *given = getenv("SHIM");
	char path[1024];

	snprintf(path, sizeof(path), "%s/libinterlock_preload.so", out ? out : "build");
	if (!realpath(given ? given : path, shim))
		err(2, "%s", given ? given : path);
}

static void map_board(void)
{
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED, BOARD_FD, 0);
	if (board == MAP_FAILED)
		err(2, "the board");
}

static void make_board(void)
{
	int fd = memfd_create("board", 0);

	if (fd < 0 || ftruncate(fd, sizeof(*board)) || dup2(fd, BOARD_FD) < 0)
		err(2, "the board");
	if (fd != BOARD_FD)
		close(fd);
	map_board();
}

static void start_server(void)
{
	int listener = server_listen(&board->port);

	server = fork();
	if (server < 0)
		err(2, "fork");
	if (server == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		server_serve(listener);
	}
	close(listener);
}

void storm_begin(const char *registry, enum mood mood)
{
	strcpy(folder, "/tmp/interlock-storm-XXXXXX");
	if (!mkdtemp(folder))
		err(2, "%s", folder);
	find_shim();
	make_board();
	board->mood = mood;
	setting("INTERLOCK_RUNTIME_DIR", folder);
	setting("INTERLOCK_REGISTRY", registry);
	setting("SHIM", shim);
	start_server();
}

static void remove_folder(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(folder);
}

int storm_end(void)
{
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	remove_folder();
	printf("1..%d\n", told);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

pid_t client_start(const char *word, int number)
{
	char digits[16];
	pid_t client = fork();

	if (client < 0)
		err(2, "fork");
	if (client > 0)
		return client;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(digits, sizeof(digits), "%d", number);
	setting("LD_PRELOAD", shim);
	execl("/proc/self/exe", "storm", "client", word, digits, NULL);
	err(2, "exec");
}

int client_wait(pid_t client)
{
	int64_t end_ns = now_ns() + PATIENCE_S * SECOND;
	int status;

	while (waitpid(client, &status, WNOHANG) == 0) {
		if (now_ns() > end_ns) {
			kill(client, SIGKILL);
			waitpid(client, &status, 0);
			note("a client hung");
			return -1;
		}
		usleep(500);
	}
	return status;
}

int client_run(const char *word, int number)
{
	return client_wait(client_start(word, number));
}

static bool is_loaded(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	const char *wanted = getenv("SHIM");
	char line[2048];
	bool loaded = false;

	while (maps && wanted && fgets(line, sizeof(line), maps))
		loaded = loaded || strstr(line, wanted);
	if (maps)
		fclose(maps);
	return loaded;
}

const char *client_word(int argc, char **argv, int *ret_number)
{
	if (argc < 3 || strcmp(argv[1], "client") != 0)
		return NULL;
	if (!is_loaded())
		errx(2, "the shim is not loaded");
	map_board();
	*ret_number = argc > 3 ? atoi(argv[3]) : 0;
	return argv[2];
}

struct sockaddr_in address_of(uint32_t host, uint32_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons((uint16_t)port),
				     .sin_addr.s_addr = htonl(host) };
}

struct sockaddr_in server_address(void)
{
	return address_of(INADDR_LOOPBACK, board->port);
}

/* As a program goes on when a signal interrupted its connect. */
static int finish_connect(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	socklen_t length = sizeof(int);
	int error = 0;

	while (poll(&poll_fd, 1, -1) < 0 && errno == EINTR)
		;
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
	errno = error;
	return error ? -1 : 0;
}

static int connect_whole(int fd, const struct sockaddr_in *to)
{
	int rc = connect(fd, (const struct sockaddr *)to, sizeof(*to));

	return rc < 0 && errno == EINTR ? finish_connect(fd) : rc;
}

int reach(const struct sockaddr_in *to)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd >= 0 && connect_whole(fd, to) < 0) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

enum saw exchange(int fd)
{
	char answer[512];
	ssize_t got;

	do
		got = send(fd, REQUEST, sizeof(REQUEST) - 1, MSG_NOSIGNAL);
	while (got < 0 && errno == EINTR);
	if (got != sizeof(REQUEST) - 1)
		return SAW_SICK;
	do
		got = recv(fd, answer, sizeof(answer), 0);
	while (got < 0 && errno == EINTR);
	if (got < 0 && errno == EAGAIN)
		return SAW_NOTHING;
	if (got <= 0)
		return SAW_SICK;
	if (got != ANSWER_BYTES)
		return SAW_ODD;
	return memcmp(answer + 9, "200", 3) == 0 ? SAW_WELL : SAW_SICK;
}

static enum saw call_untold(const struct sockaddr_in *to, int wait_ms)
{
	struct timeval wait = { .tv_sec = wait_ms / 1000, .tv_usec = wait_ms % 1000 * 1000 };
	int fd = reach(to);

	if (fd < 0)
		return errno == ECONNREFUSED ? SAW_REFUSED : SAW_ODD;
	if (wait_ms)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	enum saw saw = exchange(fd);

	if (close(fd))
		return SAW_ODD;
	return saw;
}

enum saw call_address(const struct sockaddr_in *to, int wait_ms, struct tally *tally)
{
	if (!tally)
		return call_untold(to, wait_ms);
	tally->begun++;
	enum saw saw = call_untold(to, wait_ms);
	uint64_t *cells[] = {
		[SAW_REFUSED] = &tally->refused, [SAW_WELL] = &tally->well,
		[SAW_SICK] = &tally->sick,       [SAW_NOTHING] = &tally->in_vain,
		[SAW_ODD] = &tally->odd,
	};
	++*cells[saw];
	return saw;
}

struct tally tally_sum(void)
{
	struct tally sum = { 0 };

	for (int i = 0; i < TALLIES; i++) {
		const struct tally *one = &board->tallies[i];

		sum.begun += one->begun;
		sum.refused += one->refused;
		sum.well += one->well;
		sum.sick += one->sick;
		sum.in_vain += one->in_vain;
		sum.odd += one->odd;
	}
	return sum;
}
