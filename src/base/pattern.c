#include "base/pattern.h"
#include "base/num.h"

#include <errno.h>
#include <string.h>

static char fold(char c, bool ignore_case)
{
	return ignore_case && c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* One star at a time is enough: what the last star took is given back byte by byte, and what an
 * earlier one took never needs to be. */
bool il_pattern_glob(const char *pattern, size_t pattern_length, const char *text,
		     size_t text_length, bool ignore_case)
{
	const char *end = pattern + pattern_length, *text_end = text + text_length;
	const char *after_star = NULL, *taken = text;

	while (text < text_end) {
		if (pattern < end && *pattern == '*') {
			after_star = ++pattern;
			taken = text;
		} else if (pattern < end && (*pattern == '?' || fold(*pattern, ignore_case) ==
									fold(*text, ignore_case))) {
			pattern++;
			text++;
		} else if (after_star) {
			pattern = after_star;
			text = ++taken;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}

struct halves {
	const char *host, *port; /* port is NULL if there is none */
	size_t host_length, port_length;
};

/* The colon that ends the host. Those of an IPv6 address are inside its brackets; the path of a
 * UNIX socket may hold any. */
static const char *find_port_colon(const char *text, size_t length)
{
	const char *bracket = length > 0 && text[0] == '[' ? memchr(text, ']', length) : NULL;

	if (length >= 5 && memcmp(text, "unix:", 5) == 0)
		return text + 4;
	return memrchr(bracket ? bracket : text, ':',
		       length - (bracket ? (size_t)(bracket - text) : 0));
}

static struct halves split(const char *text, size_t length)
{
	const char *colon = find_port_colon(text, length);
	struct halves halves = { .host = text, .host_length = length };

	if (colon) {
		halves.host_length = (size_t)(colon - text);
		halves.port = colon + 1;
		halves.port_length = length - halves.host_length - 1;
	}
	return halves;
}

/* Blanks and control bytes stand in no name; a comma or a slash would be a misread list or block.
 */
static bool is_plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f || text[i] == ',')
			return false;
	}
	return length > 0;
}

static int parse_block(struct il_pattern *pattern, const char *host, size_t length)
{
	const char *slash = memchr(host, '/', length);
	size_t size = slash ? (size_t)(slash - host) : length;
	bool was_six = memchr(host, ':', size);
	uint64_t bits = was_six ? 128 : 32;

	if (was_six && host[0] != '[')
		return -EINVAL;
	if (il_address_parse(&pattern->block, host, size) < 0 ||
	    (slash && il_num_whole(slash + 1, length - size - 1, 0, bits, &bits) < 0))
		return -EINVAL;
	if (was_six && pattern->block.family == 4) {
		if (bits < 96)
			return -EINVAL;
		bits -= 96;
	}
	pattern->bits = (uint32_t)bits;
	return 0;
}

static int parse_host(struct il_pattern *pattern, const char *host, size_t length)
{
	if (length == 4 && memcmp(host, "unix", 4) == 0)
		return 0;
	if (parse_block(pattern, host, length) == 0)
		return 0;
	if (memchr(host, '/', length) || (host[0] != '[' && memchr(host, ':', length)))
		return -EINVAL;
	if (host[0] == '[' && host[length - 1] != ']')
		return -EINVAL;
	return 0;
}

int il_pattern_parse(struct il_pattern *ret_pattern, const char *text, size_t length)
{
	struct halves halves = split(text, length);
	struct il_pattern pattern = { .port = "*", .port_length = 1 };

	if (!is_plain(text, length) || length > UINT32_MAX || halves.host_length == 0 ||
	    (halves.port && halves.port_length == 0))
		return -EINVAL;
	if (halves.port) {
		pattern.port = halves.port;
		pattern.port_length = (uint32_t)halves.port_length;
	}
	if (halves.host_length > 1 && halves.host[halves.host_length - 1] == '.')
		halves.host_length--;
	pattern.host = halves.host;
	pattern.host_length = (uint32_t)halves.host_length;
	if (parse_host(&pattern, halves.host, halves.host_length) < 0)
		return -EINVAL;
	*ret_pattern = pattern;
	return 0;
}

bool il_pattern_matches(const struct il_pattern *pattern, const char *name, size_t length,
			const struct il_address *address)
{
	struct halves halves = split(name, length);
	struct il_address own;

	if (!il_pattern_glob(pattern->port, pattern->port_length, halves.port ? halves.port : "",
			     halves.port_length, false))
		return false;
	if (pattern->block.family == 0)
		return il_pattern_glob(pattern->host, pattern->host_length, halves.host,
				       halves.host_length, true);
	if (!address) {
		if (il_address_parse(&own, halves.host, halves.host_length) < 0)
			return false;
		address = &own;
	}
	return il_address_within(address, &pattern->block, pattern->bits) &&
	       (pattern->block.scope == 0 || pattern->block.scope == address->scope);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool trim(const char **item, size_t *length)
{
	while (*length > 0 && is_blank((*item)[0])) {
		(*item)++;
		(*length)--;
	}
	while (*length > 0 && is_blank((*item)[*length - 1]))
		(*length)--;
	return *length > 0;
}

bool il_list_next(struct il_list *list, const char **ret_item, size_t *ret_length)
{
	while (list->left > 0) {
		const char *item = list->at;
		const char *comma = memchr(item, ',', list->left);
		size_t length = comma ? (size_t)(comma - item) : list->left;
		size_t used = length + (comma != NULL);

		list->at += used;
		list->left -= used;
		if (trim(&item, &length)) {
			*ret_item = item;
			*ret_length = length;
			return true;
		}
	}
	return false;
}

bool il_pattern_list_matches(struct il_list list, const char *name, size_t length,
			     const struct il_address *address)
{
	struct il_pattern pattern;
	const char *item;
	size_t item_length;

	while (il_list_next(&list, &item, &item_length)) {
		if (il_pattern_parse(&pattern, item, item_length) == 0 &&
		    il_pattern_matches(&pattern, name, length, address))
			return true;
	}
	return false;
}
