#include "base/file.h"
#include "base/num.h"
#include "base/text.h"
#include "config/options_priv.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int copy(const char *text, size_t length, char *ret_text, size_t size)
{
	if (length >= size || memchr(text, 0, length))
		return -ERANGE;
	memcpy(ret_text, text, length);
	ret_text[length] = 0;
	return 0;
}

static int BOOLEAN(const char *text, size_t length, void *ret_member)
{
	return il_num_boolean(text, length, ret_member);
}

static int DURATION(const char *text, size_t length, void *ret_member)
{
	int64_t ns;
	int rc = il_num_duration(text, length, &ns);

	if (rc < 0)
		return rc;
	if (ns == 0)
		return -ERANGE;
	*(int64_t *)ret_member = ns;
	return 0;
}

static int BREAKERS(const char *text, size_t length, void *ret_member)
{
	uint64_t number;
	int rc = il_num_whole(text, length, 1, IL_BREAKERS_MAX, &number);

	if (rc == 0)
		*(uint32_t *)ret_member = (uint32_t)number;
	return rc;
}

static int read_word(const char *text, size_t length, const struct il_word *words, size_t count,
		     void *ret_member)
{
	int value;
	int rc = il_num_word(text, length, words, count, &value);

	if (rc == 0)
		*(uint32_t *)ret_member = (uint32_t)value;
	return rc;
}

static int KEY(const char *text, size_t length, void *ret_member)
{
	static const struct il_word words[] = {
		{ "host:port", IL_KEY_HOST_PORT },
		{ "host", IL_KEY_HOST },
		{ "address:port", IL_KEY_ADDRESS_PORT },
		{ "address", IL_KEY_ADDRESS },
	};

	return read_word(text, length, words, COUNT(words), ret_member);
}

static int LEVEL(const char *text, size_t length, void *ret_member)
{
	static const struct il_word words[] = {
		{ "error", IL_LOG_ERROR },
		{ "warning", IL_LOG_WARNING },
		{ "info", IL_LOG_INFO },
		{ "debug", IL_LOG_DEBUG },
	};

	return read_word(text, length, words, COUNT(words), ret_member);
}

static int FORMAT(const char *text, size_t length, void *ret_member)
{
	static const struct il_word words[] = { { "text", IL_LOG_TEXT }, { "json", IL_LOG_JSON } };

	return read_word(text, length, words, COUNT(words), ret_member);
}

static int FAMILIES(const char *text, size_t length, void *ret_member)
{
	return il_words_families(text, length, ret_member);
}

static int ERRNO(const char *text, size_t length, void *ret_member)
{
	return il_words_errno(text, length, ret_member);
}

static int STATUSES(const char *text, size_t length, void *ret_member)
{
	return il_words_statuses(text, length, ret_member);
}

static int DIRECTORY(const char *text, size_t length, void *ret_member)
{
	return text[0] == '/' ? copy(text, length, ret_member, IL_PATH_MAX) : -EINVAL;
}

/* Programs change their directory: a relative path is fixed now. */
static int read_path(const char *text, size_t length, char *path, size_t size)
{
	long used;

	if (text[0] == '/')
		return copy(text, length, path, size);
	if (length > size - 2)
		return -ERANGE;
	used = il_sys_call(SYS_getcwd, (long)path, (long)(size - length - 1), 0, 0, 0, 0);
	if (used < 2 || path[0] != '/') {
		path[0] = 0;
		return used < 0 ? (int)used : -ENOENT;
	}
	if (used == 2)
		used = 1;     /* the root has its slash already */
	path[used - 1] = '/'; /* in place of the final 0 */
	return copy(text, length, path + used, size - (size_t)used);
}

static int PATH(const char *text, size_t length, void *ret_member)
{
	return read_path(text, length, ret_member, IL_PATH_MAX);
}

static int LOG(const char *text, size_t length, void *ret_member)
{
	static const char *const words[] = { "stderr", "syslog" };

	for (size_t i = 0; i < COUNT(words); i++) {
		if (il_num_is_word(text, length, words[i]))
			return copy(words[i], strlen(words[i]), ret_member, IL_LOG_PATH_MAX);
	}
	return read_path(text, length, ret_member, IL_LOG_PATH_MAX);
}

static bool is_registry_byte(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '.' || c == '_' || c == '-';
}

/* The name becomes a file's: it may not lead elsewhere. */
static int REGISTRY(const char *text, size_t length, void *ret_member)
{
	size_t dots = 0;

	for (size_t i = 0; i < length; i++) {
		if (!is_registry_byte(text[i]))
			return -EINVAL;
		dots += text[i] == '.';
	}
	if (dots == length && length <= 2)
		return -EINVAL;
	return copy(text, length, ret_member, IL_REGISTRY_MAX);
}

static int PATTERNS(const char *text, size_t length, void *ret_member)
{
	struct il_list list = { text, length };
	struct il_pattern pattern;
	const char *item;
	size_t item_length;

	while (il_list_next(&list, &item, &item_length)) {
		if (il_pattern_parse(&pattern, item, item_length) < 0)
			return -EINVAL;
	}
	return copy(text, length, ret_member, IL_LIST_MAX);
}

static int COMMANDS(const char *text, size_t length, void *ret_member)
{
	return copy(text, length, ret_member, IL_LIST_MAX);
}

const struct il_option il_options[IL_OPTIONS] = {
#define IL_OPTION(variable, type, member, default_text, valid_text, help)                          \
	{ #variable, type, offsetof(struct il_config, member), default_text, valid_text },
#include "config/options.def"
#undef IL_OPTION
};
