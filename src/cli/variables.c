/* The names of all settings, and the environment variables that carry them. */
#include "cli/cli.h"
#include "cli/environment.h"

#include <ctype.h>
#include <string.h>

static const char *const settings[] = {
#define IL_SETTING(name, type, field, default_text, valid_text, help) #name,
#include "interlock/settings.def"
#undef IL_SETTING
};
static const char *const variables[] = {
#define IL_OPTION(variable, type, member, default_text, valid_text, help) #variable,
#include "config/options.def"
#undef IL_OPTION
};
#define SETTINGS  (sizeof(settings) / sizeof(settings[0]))
#define VARIABLES (sizeof(variables) / sizeof(variables[0]))
#define PREFIX    "INTERLOCK_"

static char *in_case(int (*to)(int), const char *prefix, const char *name)
{
	char *text = cli_text("%s%s", prefix, name);

	for (char *at = text + strlen(prefix); *at; at++)
		*at = (char)to((unsigned char)*at);
	return text;
}

/* `variable` without its prefix; INTERLOCK itself has none. */
static const char *without_prefix(const char *variable)
{
	bool has = strncasecmp(variable, PREFIX, strlen(PREFIX)) == 0;

	return variable + (has ? strlen(PREFIX) : 0);
}

static const char *nearest(const char *setting)
{
	const char *names[SETTINGS + VARIABLES];

	memcpy(names, settings, sizeof(settings));
	for (size_t i = 0; i < VARIABLES; i++)
		names[SETTINGS + i] = without_prefix(variables[i]);
	return in_case(tolower, "", cli_nearest(setting, names, SETTINGS + VARIABLES));
}

const char *cli_variable_of(const char *setting, const char **ret_nearest)
{
	const char *name = without_prefix(setting);

	for (size_t i = 0; i < SETTINGS; i++)
		if (strcasecmp(name, settings[i]) == 0)
			return in_case(toupper, PREFIX, settings[i]);
	for (size_t i = 0; i < VARIABLES; i++)
		if (strcasecmp(name, without_prefix(variables[i])) == 0)
			return variables[i];
	*ret_nearest = nearest(name);
	return NULL;
}
