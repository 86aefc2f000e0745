/* interlock run: checks everything that can be wrong beforehand, then becomes the program. */
#include "cli/cli.h"
#include "cli/environment.h"
#include "cli/library.h"
#include "cli/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int take_registry(void *context, const char *value)
{
	cli_environment_set(context, "INTERLOCK_REGISTRY", value);
	return CLI_OK;
}

static int take_log(void *context, const char *value)
{
	cli_environment_set(context, "INTERLOCK_LOG", value);
	return CLI_OK;
}

static int take_control(void *context, const char *value)
{
	cli_environment_set(context, "INTERLOCK_CONTROL", value);
	return CLI_OK;
}

static int take_set(void *context, const char *value);

static const struct cli_option options[] = {
	{ "registry", "NAME", "share breakers with all who say this name (default: the program's)",
	  take_registry },
	{ "log", "D", "tell events there: stderr, syslog or a file (%p: process id)", take_log },
	{ "control", "F", "steer it by this control file while it runs", take_control },
	{ "set", "SETTING=VALUE", "a setting, such as wait_duration_in_open=5s; may be repeated",
	  take_set },
};

static const struct cli_usage usage = {
	.name = "interlock run",
	.arguments = " [--] PROGRAM [ARG...]",
	.about = "Runs an unmodified program with a circuit breaker before every destination.\n"
		 "Settings come from the environment (INTERLOCK_...) and from --set; all are\n"
		 "checked before the program starts. Ends with the program's exit status; 2: not\n"
		 "started because of what was said; 126: cannot be executed; 127: not found.",
	.options = options,
	.count = sizeof(options) / sizeof(options[0]),
};

static int take_set(void *context, const char *value)
{
	const char *equals = strchr(value, '=');
	const char *nearest;

	if (!equals || equals == value)
		return cli_misused(&usage, "--set takes SETTING=VALUE, not '%s'", value);
	char *name = cli_text("%.*s", (int)(equals - value), value);
	const char *variable = cli_variable_of(name, &nearest);

	if (!variable)
		return cli_misused(&usage, "'%s' is no setting (did you mean %s?)", name, nearest);
	cli_environment_set(context, variable, equals + 1);
	return CLI_OK;
}

static void name_registry(struct cli_environment *environment, char **argv)
{
	const char *given = cli_environment_get(environment, "INTERLOCK_REGISTRY");
	char name[CLI_REGISTRY_BYTES];

	if (given && *given)
		return;
	cli_registry_of((const char *const *)argv, name);
	cli_environment_set(environment, "INTERLOCK_REGISTRY", name);
}

static bool prepare(struct cli_environment *environment, char **argv)
{
	const char *preload = cli_environment_get(environment, "LD_PRELOAD");
	const char *library;

	name_registry(environment, argv);
	if (!cli_environment_check(environment, cli_base_name(argv[0])) || !cli_library_fits(argv[0]))
		return false;
	library = cli_library_find();
	if (!library)
		return false;
	cli_environment_set(environment, "LD_PRELOAD", cli_library_append(preload, library));
	return true;
}

static int start(const struct cli_environment *environment, char **argv)
{
	execvpe(argv[0], argv, (char *const *)environment->entries);

	int error = errno;

	cli_complain("cannot run '%s': %s", argv[0], strerror(error));
	return error == ENOENT ? CLI_NOT_FOUND : CLI_NOT_EXECUTABLE;
}

static int run(struct cli_environment *environment, int argc, char **argv)
{
	int first, status;

	if (!cli_options(&usage, argc, argv, environment, &first, &status))
		return status;
	if (first == argc)
		return cli_misused(&usage, "which program?");
	if (!prepare(environment, argv + first)) {
		cli_complain("'%s' was not started", argv[first]);
		return CLI_REFUSED;
	}
	return start(environment, argv + first);
}

int cmd_run(int argc, char **argv)
{
	struct cli_environment environment = cli_environment_copy((const char *const *)environ);
	int status = run(&environment, argc, argv);

	free(environment.entries);
	return status;
}
