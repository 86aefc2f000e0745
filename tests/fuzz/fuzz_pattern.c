/* A list of patterns, an end of line, a destination's name: `10.0.0.0/8,
 * *.internal:443\nHOST:PORT`. What can be read can be matched, within its bounds, and a list
 * matches if one of its items does. */
#include "base/pattern.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char *copy(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size ? size : 1); /* to the byte: a read beyond it is found */

	memcpy(text, bytes, size);
	return text;
}

static void check_address(const char *text, size_t length)
{
	struct il_address address, again;
	char room[64];
	struct il_text written = il_text_in(room, sizeof(room));

	if (il_address_parse(&address, text, length))
		return;
	il_address_text(&written, &address);
	if (written.cut || il_address_parse(&again, room, written.used) ||
	    memcmp(&address, &again, sizeof(address)) != 0 ||
	    !il_address_within(&address, &again, address.family == 4 ? 32 : 128))
		abort();
}

static bool item_matches(const char *item, size_t length, const char *name, size_t name_length)
{
	struct il_pattern pattern;

	if (il_pattern_parse(&pattern, item, length))
		return false;
	return il_pattern_matches(&pattern, name, name_length, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const uint8_t *end = memchr(bytes, '\n', size);
	size_t list_length = end ? (size_t)(end - bytes) : size;
	size_t name_length = end ? size - list_length - 1 : 0;
	char *list = copy(bytes, list_length);
	char *name = copy(end ? end + 1 : bytes, name_length);
	struct il_list items = { .at = list, .left = list_length };
	const char *item;
	size_t length;
	bool any = false;

	while (il_list_next(&items, &item, &length)) {
		any |= item_matches(item, length, name, name_length);
		check_address(item, length);
	}
	check_address(name, name_length);
	items = (struct il_list){ .at = list, .left = list_length };
	if (any != il_pattern_list_matches(items, name, name_length, NULL))
		abort();
	free(list);
	free(name);
	return 0;
}
