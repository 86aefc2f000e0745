/* Which machine, boot and namespaces we live in. */
#include "base/file.h"
#include "registry/segment_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define NS_PER_SECOND INT64_C(1000000000)

/* A small file of /proc, 0-terminated. Its length or -errno. */
static ssize_t read_small(const char *path, char *ret_text, size_t size)
{
	int fd = il_sys_open(path, O_RDONLY, 0);

	if (fd < 0)
		return fd;
	ssize_t length = il_sys_read(fd, ret_text, size - 1);

	il_sys_close(fd);
	ret_text[length > 0 ? length : 0] = 0;
	return length;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "97039be5-14da-4b77-a7c2-a2ec3d055243" */
static int parse_boot_id(const char *text, uint8_t ret_id[16])
{
	uint8_t id[16] = { 0 };
	int digits = 0;

	for (; *text && digits < 32; text++) {
		int digit = hex_digit(*text);

		if (digit >= 0) {
			id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | digit);
			digits++;
		} else if (*text != '-') {
			return -EINVAL;
		}
	}
	if (digits != 32)
		return -EINVAL;
	memcpy(ret_id, id, sizeof(id));
	return 0;
}

static int64_t parse_whole(const char **text)
{
	bool negative = **text == '-';
	uint64_t value = 0;

	*text += negative;
	for (; **text >= '0' && **text <= '9'; ++*text)
		value = value * 10 + (uint64_t)(**text - '0');
	return (int64_t)(negative ? 0 - value : value);
}

static void skip_blanks(const char **text)
{
	while (**text == ' ')
		++*text;
}

/* "monotonic        -5         0\nboottime ...": seconds and nanoseconds. No file: no offset. */
static int64_t read_time_offset_ns(void)
{
	char text[128];
	const char *at = text;

	if (read_small("/proc/self/timens_offsets", text, sizeof(text)) <= 0)
		return 0;
	at = strstr(text, "monotonic");
	if (!at)
		return 0;
	at += strlen("monotonic");
	skip_blanks(&at);
	uint64_t seconds = (uint64_t)parse_whole(&at);
	skip_blanks(&at);
	return (int64_t)(seconds * (uint64_t)NS_PER_SECOND + (uint64_t)parse_whole(&at));
}

/* "pid:[4026531836]" */
static uint64_t read_pid_namespace(void)
{
	char text[40];
	ssize_t length = il_sys_readlink("/proc/self/ns/pid", text, sizeof(text) - 1);
	const char *at = text;

	text[length > 0 ? length : 0] = 0;
	at = strchr(text, '[');
	if (!at)
		return 0;
	at++;
	return (uint64_t)parse_whole(&at);
}

int il_identity_read(struct il_identity *ret_identity)
{
	struct il_identity identity = { .owner = il_sys_geteuid() };
	char text[48];
	ssize_t length = read_small("/proc/sys/kernel/random/boot_id", text, sizeof(text));

	if (length < 0)
		return (int)length;
	int error = parse_boot_id(text, identity.boot_id);
	if (error < 0)
		return error;
	identity.pid_namespace = read_pid_namespace();
	identity.time_offset_ns = read_time_offset_ns();
	*ret_identity = identity;
	return 0;
}
