/* Who we are, and whether somebody else still is. */
#include "base/file.h"
#include "registry/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define STAT_BYTES	512
#define FIELDS_TO_START 20 /* start time is field 22; two end with the program's name */

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

/* The program's name may hold blanks and brackets: fields are counted from its last bracket. */
static uint32_t parse_start(const char *stat)
{
	const char *at = strrchr(stat, ')');
	uint32_t start = 0;

	for (int field = 0; at && field < FIELDS_TO_START; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return 0;
	for (at++; *at >= '0' && *at <= '9'; at++)
		start = start * 10 + (uint32_t)(*at - '0');
	return start;
}

uint32_t il_process_start(uint32_t pid)
{
	char path[32] = "/proc/";
	char stat[STAT_BYTES];
	char *end = add_number(path + strlen(path), pid);

	memcpy(end, "/stat", sizeof("/stat"));
	int fd = il_sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return 0;
	ssize_t size = il_sys_read(fd, stat, sizeof(stat) - 1);
	il_sys_close(fd);
	if (size <= 0)
		return 0;
	stat[size] = 0;
	return parse_start(stat);
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
	uint32_t started = start ? il_process_start(pid) : 0;
	return started == 0 || started == start;
}
