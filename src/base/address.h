/*
 * Socket addresses as small values, and as text. Pure; no allocation, no locale, errno untouched;
 * any thread, any signal handler.
 */
#ifndef IL_BASE_ADDRESS_H
#define IL_BASE_ADDRESS_H

#include "base/text.h"

#include <sys/socket.h>

/* Plain data without padding: two addresses are the same place if their bytes are equal. */
struct il_address {
	uint8_t bytes[16]; /* network order; IPv4: the first four, the rest 0 */
	uint32_t scope;    /* interface of an IPv6 link-local address, else 0 */
	uint16_t port;     /* host order */
	uint8_t family;    /* 4 or 6 */
	uint8_t reserved;  /* 0 */
};

/* An IPv4-mapped IPv6 address becomes IPv4; any other stays. */
void il_address_unmap(struct il_address *address);

/* The family of what a program gave to connect, which may stand at any byte; -1: it is too short,
 * or null. */
int il_address_family(const struct sockaddr *from, socklen_t size);

/* From what a program gave to connect. An IPv4-mapped address becomes IPv4. Returns 0;
 * -EAFNOSUPPORT if it is neither IPv4 nor IPv6; -EINVAL if it is too short for its family. */
int il_address_from(struct il_address *ret_address, const struct sockaddr *from, socklen_t size);

/* From text: 10.2.0.7, [2001:db8::1] or 2001:db8::1, [fe80::1%2]; port 0. All `length` bytes must
 * match; an IPv4-mapped one becomes IPv4. Returns 0 or -EINVAL. */
int il_address_parse(struct il_address *ret_address, const char *text, size_t length);

#define IL_ADDRESS_TEXT 64 /* more than the longest has, with its final 0 */

/* 10.2.0.7 or [2001:db8::1], without the port; the shortest form, lower case (RFC 5952). */
void il_address_text(struct il_text *text, const struct il_address *address);

/* Do the first `bits` (0..128, IPv4 0..32) of both agree? Port and scope are not looked at. */
bool il_address_within(const struct il_address *address, const struct il_address *block,
		       unsigned bits);

/* What a breaker is named after. */
enum il_key { IL_KEY_HOST_PORT, IL_KEY_HOST, IL_KEY_ADDRESS_PORT, IL_KEY_ADDRESS };

/* Appends the name that a destination with an address has: host, or what stands in for it, and
 * port. */
void il_address_key(struct il_text *text, enum il_key key, const char *host,
		    const struct il_address *address);

/* Appends a breaker's name, as it is (not escaped): payments.internal:443, [2001:db8::1]:443, or
 * unix:/path whatever the key. Bytes of 0 in an abstract name become %00, which is printed and
 * matched as it stands (unix:%00bus); those that fill it up at the end are left out. unix: alone is
 * a socket without a name. `host` is "" if it is not known: the address stands in. Errors of
 * il_address_from; text is then as it was. */
int il_address_name(struct il_text *text, enum il_key key, const char *host,
		    const struct sockaddr *to, socklen_t size);

#endif
