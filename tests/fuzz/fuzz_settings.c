/* The environment: lines of NAME=VALUE. Whatever they say, the answer is a process that is inert,
 * or settings that pass their check. */
#include "config/options_priv.h"
#include "core/settings_table.h"

#include <stdlib.h>
#include <string.h>

#define VARIABLES 64
#define SHORT     32

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void say(void *context, bool is_error, const char *line)
{
	size_t *said = context;

	*said += strlen(line) + is_error;
	if (strchr(line, '\n'))
		abort();
}

static void check(const struct il_config *config)
{
	char why[256];

	if (config->inert != IL_ACTIVE)
		return;
	if (il_settings_check(&config->settings, why, sizeof(why)) ||
	    config->control_interval_ns <= 0 || config->families == 0 ||
	    config->max_breakers == 0 || config->max_breakers > IL_BREAKERS_MAX ||
	    config->reject_errno <= 0 || config->runtime_dir[0] != '/')
		abort();
}

static bool begins_with(const char *line, const char *variable)
{
	size_t length = strlen(variable);

	return strncmp(line, variable, length) == 0 && line[length] == '=';
}

/* An unknown name is compared with all known ones, which takes most of the time: only of inputs
 * that are short. */
static bool is_worth_it(const char *line, size_t size)
{
	char variable[IL_VARIABLE_MAX];

	for (size_t i = 0; i < IL_OPTIONS; i++)
		if (begins_with(line, il_options[i].variable))
			return true;
	for (size_t i = 0; i < IL_SETTINGS; i++) {
		il_option_of_setting(il_settings_table[i].name, variable);
		if (begins_with(line, variable))
			return true;
	}
	return size < SHORT;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct il_config config;
	const char *environment[VARIABLES + 1] = { NULL };
	char *text = malloc(size + 1), *rest = text;
	size_t said = 0, count = 0;
	struct il_config_sink sink = { .say = say, .context = &said };

	memcpy(text, bytes, size);
	text[size] = 0;
	while (count < VARIABLES && rest) {
		const char *line = strsep(&rest, "\n");

		if (is_worth_it(line, size))
			environment[count++] = line;
	}
	il_config_read(&config, environment, "billing", sink);
	check(&config);
	if (config.inert == IL_ACTIVE)
		il_config_watches(&config, "db.internal:5432", 16, NULL);
	free(text);
	return 0;
}
