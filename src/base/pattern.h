/*
 * Which destinations a line speaks of. A pattern is HOST, HOST:PORT, ADDRESS/BITS or
 * ADDRESS/BITS:PORT; a missing port means any. In HOST and PORT `*` stands for any bytes and `?`
 * for one; brackets stand for themselves and hold an IPv6 address: [2001:db8::1]:443. A HOST that
 * is an address in any of its spellings is a block of one. unix:/path may hold `*` and `?` too.
 * Pure; no allocation, no locale, errno untouched; any thread, any signal handler.
 */
#ifndef IL_BASE_PATTERN_H
#define IL_BASE_PATTERN_H

#include "base/address.h"

/* Points into the text that it was read from, which must outlive it. */
struct il_pattern {
	const char *host; /* of a block: unused */
	const char *port;
	uint32_t host_length;
	uint32_t port_length;
	struct il_address block; /* family 0: the host is a glob */
	uint32_t bits;
};

/* Does the whole text match? `*` and `?` only; time at most the product of both lengths. */
bool il_pattern_glob(const char *pattern, size_t pattern_length, const char *text,
		     size_t text_length, bool ignore_case);

/* Reads one pattern. Returns 0, or -EINVAL: empty, an IPv6 address without its brackets, an
 * unknown block, blanks inside. */
int il_pattern_parse(struct il_pattern *ret_pattern, const char *text, size_t length);

/* Does a destination match? `name` is host:port, or only a host, which then has no port and so is
 * matched by no pattern with one. `address` may be NULL: a block then looks at the name's own
 * host, if that is an address. */
bool il_pattern_matches(const struct il_pattern *pattern, const char *name, size_t length,
			const struct il_address *address);

/* A comma list, blanks around its items dropped. Takes the next item that is not empty off the
 * front of `list`; false at the end. */
struct il_list {
	const char *at;
	size_t left;
};
bool il_list_next(struct il_list *list, const char **ret_item, size_t *ret_length);

/* Does any pattern of the list match? Patterns that cannot be read match nothing. */
bool il_pattern_list_matches(struct il_list list, const char *name, size_t length,
			     const struct il_address *address);

#endif
