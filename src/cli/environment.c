#include "cli/environment.h"

#include "cli/cli.h"
#include "config/settings.h"

#include <stdlib.h>
#include <string.h>

static bool is_name(const char *entry, const char *name)
{
	size_t length = strlen(name);

	return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

struct cli_environment cli_environment_copy(const char *const *entries)
{
	struct cli_environment copy = { 0 };

	while (entries[copy.count])
		copy.count++;
	copy.entries = cli_more(NULL, (copy.count + 1) * sizeof(*copy.entries));
	memcpy(copy.entries, entries, (copy.count + 1) * sizeof(*copy.entries));
	return copy;
}

/* The first of two equal names counts, as with getenv. */
const char *cli_environment_get(const struct cli_environment *environment, const char *name)
{
	for (size_t i = 0; i < environment->count; i++)
		if (is_name(environment->entries[i], name))
			return environment->entries[i] + strlen(name) + 1;
	return NULL;
}

void cli_environment_drop(struct cli_environment *environment, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < environment->count; i++)
		if (!is_name(environment->entries[i], name))
			environment->entries[kept++] = environment->entries[i];
	environment->entries[kept] = NULL;
	environment->count = kept;
}

void cli_environment_set(struct cli_environment *environment, const char *name, const char *value)
{
	size_t bytes;

	cli_environment_drop(environment, name);
	bytes = (environment->count + 2) * sizeof(*environment->entries);
	environment->entries = cli_more(environment->entries, bytes);
	environment->entries[environment->count++] = cli_text("%s=%s", name, value);
	environment->entries[environment->count] = NULL;
}

static void say(void *context, bool is_error, const char *line)
{
	(void)context;
	if (is_error)
		fprintf(stderr, "%s\n", line);
	else
		cli_complain("%s", line);
}

/* An inert library looks at nothing else. But a value may only be waiting to be needed, so what
 * makes it inert is taken away and the rest looked at. */
static enum il_inert check(struct cli_environment *copy, const char *command,
			   struct il_config *config)
{
	struct il_config_sink sink = { .say = say };

	for (;;) {
		il_config_read(config, copy->entries, command, sink);
		if (config->inert == IL_ACTIVE || config->inert == IL_INERT_WRONG)
			return config->inert;
		if (config->inert == IL_INERT_SWITCHED_OFF) {
			cli_environment_drop(copy, "INTERLOCK");
		} else {
			cli_environment_drop(copy, "INTERLOCK_COMMANDS");
			cli_environment_drop(copy, "INTERLOCK_IGNORE_COMMANDS");
		}
	}
}

bool cli_environment_read(const struct cli_environment *environment, const char *command,
			  struct il_config *ret_config)
{
	struct cli_environment copy = cli_environment_copy(environment->entries);
	enum il_inert inert = check(&copy, command, ret_config);

	free(copy.entries);
	return inert == IL_ACTIVE;
}

bool cli_environment_check(const struct cli_environment *environment, const char *command)
{
	static struct il_config config;

	return cli_environment_read(environment, command, &config);
}
