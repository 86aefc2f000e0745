#include "base/address.h"

#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

static const uint8_t mapped_prefix[12] = { [10] = 0xff, [11] = 0xff };

void il_address_unmap(struct il_address *address)
{
	if (address->family != 6 || memcmp(address->bytes, mapped_prefix, 12) != 0)
		return;
	memcpy(address->bytes, address->bytes + 12, 4);
	memset(address->bytes + 4, 0, 12);
	address->family = 4;
	address->scope = 0;
}

static bool is_link_local(const struct il_address *address)
{
	return address->bytes[0] == 0xfe && (address->bytes[1] & 0xc0) == 0x80;
}

static int from_inet6(struct il_address *ret_address, const struct sockaddr *from, socklen_t size)
{
	struct sockaddr_in6 in6 = { 0 };
	struct il_address address = { .family = 6 };

	/* The kernel takes the older form without a scope too. */
	if (size < offsetof(struct sockaddr_in6, sin6_scope_id))
		return -EINVAL;
	memcpy(&in6, from, size < sizeof(in6) ? size : sizeof(in6));
	memcpy(address.bytes, &in6.sin6_addr, 16);
	address.port = ntohs(in6.sin6_port);
	if (is_link_local(&address))
		address.scope = in6.sin6_scope_id;
	il_address_unmap(&address);
	*ret_address = address;
	return 0;
}

int il_address_family(const struct sockaddr *from, socklen_t size)
{
	sa_family_t family;

	if (!from || size < sizeof(family))
		return -1;
	memcpy(&family, from, sizeof(family));
	return family;
}

int il_address_from(struct il_address *ret_address, const struct sockaddr *from, socklen_t size)
{
	struct il_address address = { .family = 4 };
	int family = il_address_family(from, size);
	struct sockaddr_in in;

	if (family == AF_INET6)
		return from_inet6(ret_address, from, size);
	if (family >= 0 && family != AF_INET)
		return -EAFNOSUPPORT;
	if (family < 0 || size < sizeof(in))
		return -EINVAL;
	memcpy(&in, from, sizeof(in));
	memcpy(address.bytes, &in.sin_addr, 4);
	address.port = ntohs(in.sin_port);
	*ret_address = address;
	return 0;
}

bool il_address_within(const struct il_address *address, const struct il_address *block,
		       unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	if (address->family != block->family || bits > (address->family == 4 ? 32 : 128))
		return false;
	if (memcmp(address->bytes, block->bytes, whole) != 0)
		return false;
	return rest == 0 || (address->bytes[whole] ^ block->bytes[whole]) >> (8 - rest) == 0;
}

/* The longest run of zero groups, the first of equals; a single one is not shortened. */
static unsigned find_gap(const uint16_t groups[8], unsigned *ret_length)
{
	unsigned start = 8, length = 1;

	for (unsigned i = 0; i < 8; i++) {
		unsigned run = 0;

		while (i + run < 8 && groups[i + run] == 0)
			run++;
		if (run > length) {
			start = i;
			length = run;
		}
	}
	*ret_length = length;
	return start;
}

static void add_inet6(struct il_text *text, const struct il_address *address)
{
	const uint8_t *bytes = address->bytes;
	uint16_t groups[8];
	unsigned gap_length;

	for (unsigned i = 0; i < 8; i++, bytes += 2)
		groups[i] = (uint16_t)(bytes[0] << 8 | bytes[1]);

	unsigned gap = find_gap(groups, &gap_length);

	il_text_char(text, '[');
	for (unsigned i = 0; i < 8; i++) {
		if (i == gap) {
			il_text_add(text, "::");
			i += gap_length - 1;
			continue;
		}
		if (i > 0 && i != gap + gap_length)
			il_text_char(text, ':');
		il_text_hex(text, groups[i], 1);
	}
	if (address->scope) {
		il_text_char(text, '%');
		il_text_unsigned(text, address->scope);
	}
	il_text_char(text, ']');
}

void il_address_text(struct il_text *text, const struct il_address *address)
{
	if (address->family == 6) {
		add_inet6(text, address);
		return;
	}
	for (unsigned i = 0; i < 4; i++) {
		if (i > 0)
			il_text_char(text, '.');
		il_text_unsigned(text, address->bytes[i]);
	}
}

static void add_unix(struct il_text *text, const struct sockaddr *to, socklen_t size)
{
	const char *path = (const char *)to + offsetof(struct sockaddr_un, sun_path);
	size_t length = size - offsetof(struct sockaddr_un, sun_path);
	bool abstract = length > 0 && path[0] == 0;

	il_text_add(text, "unix:");
	if (!abstract) {
		il_text_bytes(text, path, strnlen(path, length));
		return;
	}
	/* Programs that give the whole struct's size fill the name up. */
	while (length > 1 && path[length - 1] == 0)
		length--;
	for (size_t i = 0; i < length; i++) {
		if (path[i])
			il_text_char(text, path[i]);
		else
			il_text_add(text, "%00");
	}
}

void il_address_key(struct il_text *text, enum il_key key, const char *host,
		    const struct il_address *address)
{
	if (host[0] && (key == IL_KEY_HOST_PORT || key == IL_KEY_HOST))
		il_text_add(text, host);
	else
		il_address_text(text, address);
	if (key == IL_KEY_HOST_PORT || key == IL_KEY_ADDRESS_PORT) {
		il_text_char(text, ':');
		il_text_unsigned(text, address->port);
	}
}

int il_address_name(struct il_text *text, enum il_key key, const char *host,
		    const struct sockaddr *to, socklen_t size)
{
	struct il_address address;

	if (il_address_family(to, size) == AF_UNIX) {
		add_unix(text, to, size);
		return 0;
	}

	int rc = il_address_from(&address, to, size);

	if (rc < 0)
		return rc;
	il_address_key(text, key, host, &address);
	return 0;
}
