/*
 * Which host an address stands for: what look-ups told, at most 4096 pairs of address and host, the
 * oldest making room. An address with several hosts stands for the one resolved last by the same
 * thread, else by anyone.
 *
 * Its memory (1.3 MiB of address space, used as it fills) is mapped at the first il_names_learn and
 * never given back. Any thread, any signal handler. There is no lock that could be left held: a
 * writer that is cut short by a longjmp or a fork is overtaken after 50 ms, and a half-written
 * entry is known by its checksum and reads as unknown. il_names_learn waits at most 2 ms for
 * another writer and then forgets; il_names_find never waits. errno is untouched.
 */
#ifndef IL_BASE_NAMES_H
#define IL_BASE_NAMES_H

#include "base/address.h"

#define IL_HOST_MAX  253 /* bytes of a host name */
#define IL_NAMES_MAX 4096

struct il_names_table;

/* Starts as zeros; one for the whole process, shared by its threads. */
struct il_names {
	struct il_names_table *table;
};

/* `host` resolved to `address`, in `thread` (any number that stays with a thread; 0: nobody's).
 * Kept in lower case without a final dot; the port is not looked at. Ignored if the host is itself
 * an address, empty or too long, or if there is no memory. */
void il_names_learn(struct il_names *names, const char *host, size_t length,
		    const struct il_address *address, uint64_t thread);

/* The host of `address` for `thread`, 0-terminated; its length, or 0 and an empty text if it is not
 * known. */
size_t il_names_find(const struct il_names *names, const struct il_address *address,
		     uint64_t thread, char ret_host[IL_HOST_MAX + 1]);

#endif
