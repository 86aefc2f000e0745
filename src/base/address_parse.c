#include "base/address.h"
#include "base/num.h"

#include <errno.h>
#include <string.h>

/* Four numbers 0..255 without leading zeros: some readers take 010 for eight. */
static int parse_inet4(uint8_t ret_bytes[4], const char *text, size_t length)
{
	const char *end = text + length;

	for (unsigned i = 0; i < 4; i++) {
		const char *dot = memchr(text, '.', (size_t)(end - text));
		const char *stop = i < 3 ? dot : end;
		uint64_t number;

		if (!stop || (stop - text > 1 && text[0] == '0') ||
		    il_num_whole(text, (size_t)(stop - text), 0, 255, &number) < 0)
			return -EINVAL;
		ret_bytes[i] = (uint8_t)number;
		text = stop + 1;
	}
	return 0;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int parse_group(uint8_t ret_bytes[2], const char *text, size_t length)
{
	unsigned value = 0;

	if (length < 1 || length > 4)
		return -EINVAL;
	for (size_t i = 0; i < length; i++) {
		int digit = hex_value(text[i]);

		if (digit < 0)
			return -EINVAL;
		value = value << 4 | (unsigned)digit;
	}
	ret_bytes[0] = (uint8_t)(value >> 8);
	ret_bytes[1] = (uint8_t)value;
	return 0;
}

/* Groups between single colons; those that come last may end in an IPv4 address. Returns how many
 * bytes they are, at most `room`, or -EINVAL. An empty text is none. */
static int parse_groups(uint8_t *ret_bytes, size_t room, const char *text, size_t length, bool last)
{
	const char *end = text + length;
	size_t used = 0;

	while (text < end) {
		const char *colon = memchr(text, ':', (size_t)(end - text));
		size_t size = (size_t)((colon ? colon : end) - text);
		bool inet4 = last && !colon && memchr(text, '.', size);
		size_t bytes = inet4 ? 4 : 2;

		if (bytes > room - used || (colon && colon + 1 == end))
			return -EINVAL;
		if (inet4 ? parse_inet4(ret_bytes + used, text, size) < 0
			  : parse_group(ret_bytes + used, text, size) < 0)
			return -EINVAL;
		used += bytes;
		text = colon ? colon + 1 : end;
	}
	return (int)used;
}

static int parse_inet6(uint8_t ret_bytes[16], const char *text, size_t length)
{
	const char *gap = memmem(text, length, "::", 2);
	uint8_t tail[16];
	size_t head_length = gap ? (size_t)(gap - text) : length;
	int head_size = parse_groups(ret_bytes, 16, text, head_length, !gap);

	if (!gap)
		return head_size == 16 ? 0 : -EINVAL;
	if (head_size < 0)
		return -EINVAL;

	const char *rest = gap + 2;
	int tail_size =
		parse_groups(tail, sizeof(tail), rest, (size_t)(text + length - rest), true);

	if (tail_size < 0 || head_size + tail_size > 14)
		return -EINVAL;
	memset(ret_bytes + head_size, 0, (size_t)(16 - head_size));
	memcpy(ret_bytes + 16 - tail_size, tail, (size_t)tail_size);
	return 0;
}

static int parse_scoped(struct il_address *address, const char *text, size_t length)
{
	const char *percent = memchr(text, '%', length);
	size_t size = percent ? (size_t)(percent - text) : length;
	uint64_t scope = 0;

	if (percent && il_num_whole(percent + 1, length - size - 1, 1, UINT32_MAX, &scope) < 0)
		return -EINVAL;
	address->family = 6;
	address->scope = (uint32_t)scope;
	return parse_inet6(address->bytes, text, size);
}

int il_address_parse(struct il_address *ret_address, const char *text, size_t length)
{
	struct il_address address = { .family = 4 };
	bool brackets = length >= 2 && text[0] == '[' && text[length - 1] == ']';
	int rc;

	if (brackets)
		rc = parse_scoped(&address, text + 1, length - 2);
	else if (memchr(text, ':', length))
		rc = parse_scoped(&address, text, length);
	else
		rc = parse_inet4(address.bytes, text, length);
	if (rc < 0)
		return rc;
	il_address_unmap(&address);
	*ret_address = address;
	return 0;
}
