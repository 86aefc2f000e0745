/* Who we are, and whether somebody else still is. */
#include "base/file.h"
#include "registry/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define STAT_BYTES 512

/* Fields of /proc/PID/stat: the state is the 3rd, behind the name; threads the 20th, start the
 * 22nd. */
#define FIELDS_TO_STATE         1
#define FIELDS_STATE_TO_THREADS 17
#define FIELDS_THREADS_TO_START 2

static char *add_number(char *at, uint32_t number)
{
	char digits[10];
	int count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	while (count > 0)
		*at++ = digits[--count];
	return at;
}

static uint32_t number_at(const char *at)
{
	uint32_t number = 0;

	for (; *at >= '0' && *at <= '9'; at++)
		number = number * 10 + (uint32_t)(*at - '0');
	return number;
}

/* What follows that many blanks, or NULL. */
static const char *skip_fields(const char *at, int fields)
{
	for (; at && fields > 0; fields--) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at;
}

/* The program's name may hold blanks and brackets: fields are counted from its last bracket. A dead
 * process that its parent has not asked for is a zombie; so is a main thread that ended before the
 * others, but then there are others. */
static bool parse(const char *stat, struct il_process *ret_process)
{
	const char *state = skip_fields(strrchr(stat, ')'), FIELDS_TO_STATE);
	const char *threads = skip_fields(state, FIELDS_STATE_TO_THREADS);
	const char *start = skip_fields(threads, FIELDS_THREADS_TO_START);

	if (!start)
		return false;
	ret_process->start = number_at(start);
	ret_process->asleep = *state == 'S';
	ret_process->dead = (*state == 'Z' || *state == 'X') && number_at(threads) <= 1;
	return true;
}

static bool read_stat(const char *path, struct il_process *ret_process)
{
	char stat[STAT_BYTES];
	int fd = il_sys_open(path, O_RDONLY, 0);

	if (fd < 0)
		return false;
	ssize_t size = il_sys_read(fd, stat, sizeof(stat) - 1);
	il_sys_close(fd);
	if (size <= 0)
		return false;
	stat[size] = 0;
	return parse(stat, ret_process);
}

bool il_process_read(uint32_t pid, struct il_process *ret_process)
{
	char path[32] = "/proc/";
	char *end = add_number(path + strlen(path), pid);

	memcpy(end, "/stat", sizeof("/stat"));
	return read_stat(path, ret_process);
}

bool il_thread_asleep(uint32_t pid, uint32_t tid)
{
	char path[48] = "/proc/";
	char *end = add_number(path + strlen(path), pid);
	struct il_process thread;

	memcpy(end, "/task/", sizeof("/task/"));
	end = add_number(end + strlen("/task/"), tid);
	memcpy(end, "/stat", sizeof("/stat"));
	return read_stat(path, &thread) && thread.asleep;
}

uint32_t il_process_start(uint32_t pid)
{
	struct il_process process;

	return il_process_read(pid, &process) ? process.start : 0;
}

struct il_self il_self_read(void)
{
	uint32_t pid = (uint32_t)il_sys_getpid();

	return (struct il_self){
		.pid = pid,
		.tid = (uint32_t)il_sys_gettid(),
		.start = il_process_start(pid),
	};
}

bool il_process_alive(uint32_t pid, uint32_t start)
{
	/* kill(0) and negative numbers mean groups: such a number was never a process. */
	if (pid == 0 || pid > INT32_MAX)
		return false;
	if (il_sys_kill((pid_t)pid, 0) == -ESRCH)
		return false;
	struct il_process process;

	if (!il_process_read(pid, &process))
		return true;
	return !process.dead && (start == 0 || process.start == start);
}
