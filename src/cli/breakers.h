/* The breakers of this user as they are now, read from outside: nothing is mapped or written. */
#ifndef CLI_BREAKERS_H
#define CLI_BREAKERS_H

#include "interlock/layout.h"

#include <stdio.h>

struct cli_breaker {
	char *registry;
	char *name;          /* printable: odd bytes are \xHH */
	uint32_t state;      /* enum il_state, if the registry is not damaged */
	struct il_look look; /* the window now */
	uint64_t counts[IL_COUNTERS];
};

struct cli_breakers {
	struct cli_breaker *all; /* malloc'd; sorted by registry, then name */
	size_t count;
	size_t registries; /* files that were read */
	size_t unreadable; /* files and breakers that could not be; a line named each */
};

/*
 * Reads the registries in `directory`; no directory: none. `registry` (NULL: all): only that one.
 * Private registries whose processes are all gone are left out unless asked for by name. False: the
 * directory cannot be read, and a line said why. ret_breakers->all is the caller's to free.
 */
bool cli_breakers_read(const char *directory, const char *registry,
		       struct cli_breakers *ret_breakers);

/* Rates of the window, 0 with no calls in it. */
double cli_failure_rate(const struct cli_breaker *breaker);
double cli_slow_rate(const struct cli_breaker *breaker);

/* Ways to show them. To stdout; errors are found by cli_output_end. */
void cli_print_table(const struct cli_breakers *breakers);
void cli_print_json(const struct cli_breakers *breakers);

#endif
