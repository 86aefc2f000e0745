/* The environment of the program to be started, and whether the shared object will accept it. */
#ifndef CLI_ENVIRONMENT_H
#define CLI_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* NAME=VALUE entries and a final NULL. The array is malloc'd, its owner's to free; the entries live
 * as long as the process. */
struct cli_environment {
	const char **entries;
	size_t count; /* without the NULL */
};

struct cli_environment cli_environment_copy(const char *const *entries);

/* NULL if it is not set. */
const char *cli_environment_get(const struct cli_environment *environment, const char *name);

void cli_environment_drop(struct cli_environment *environment, const char *name);

/* Copies both texts. */
void cli_environment_set(struct cli_environment *environment, const char *name, const char *value);

/*
 * Reads every setting as the shared object will do it in the program `command`, also where it will
 * be inert. False: something is wrong, and a line on stderr said what. Unknown INTERLOCK_ variables
 * are named there too, and are no error.
 */
bool cli_environment_check(const struct cli_environment *environment, const char *command);

/* The same, and what they say: as the shared object will have it, or as it would where it will be
 * inert. ret_config is large. */
struct il_config;
bool cli_environment_read(const struct cli_environment *environment, const char *command,
			  struct il_config *ret_config);

/* The variable of a setting as users write it: a name of settings.def, a variable's name with or
 * without INTERLOCK_, whatever its case. NULL: there is none; *ret_nearest is then the setting that
 * was perhaps meant. */
const char *cli_variable_of(const char *setting, const char **ret_nearest);

#endif
