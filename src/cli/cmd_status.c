/* interlock status: every breaker of this user, as it is at this moment. */
#include "cli/breakers.h"
#include "cli/cli.h"
#include "config/settings.h"

#include <stdlib.h>

struct request {
	const char *registry;  /* NULL: all */
	const char *directory; /* NULL: the usual one */
	void (*print)(const struct cli_breakers *breakers);
};

static int take_registry(void *context, const char *value)
{
	((struct request *)context)->registry = value;
	return CLI_OK;
}

static int take_json(void *context, const char *value)
{
	(void)value;
	((struct request *)context)->print = cli_print_json;
	return CLI_OK;
}

static int take_directory(void *context, const char *value)
{
	((struct request *)context)->directory = value;
	return CLI_OK;
}

static const struct cli_option options[] = {
	{ "registry", "NAME", "only this registry", take_registry },
	{ "json", NULL, "as one JSON array of objects, with every counter", take_json },
	{ "runtime-dir", "D",
	  "look there (default: INTERLOCK_RUNTIME_DIR, or /dev/shm/interlock-UID)",
	  take_directory },
};

static const struct cli_usage usage = {
	.name = "interlock status",
	.arguments = "",
	.about = "Shows every breaker of this user, live, without asking any program. Calls,\n"
		 "failures and rates are those of the window; retry is the time until an open\n"
		 "breaker lets a probe out. Ends with 1 if something could not be read, or there\n"
		 "is no such registry.",
	.options = options,
	.count = sizeof(options) / sizeof(options[0]),
};

static void say(void *context, bool is_error, const char *line)
{
	(void)context;
	if (is_error)
		fprintf(stderr, "%s\n", line);
}

/* Where the library puts them, by the same rules. NULL: the variable is wrong, which was said. */
static const char *usual_directory(void)
{
	static struct il_config config;
	const char *value = getenv("INTERLOCK_RUNTIME_DIR");
	const char *environment[2] = { value ? cli_text("INTERLOCK_RUNTIME_DIR=%s", value) : NULL };

	il_config_read(&config, environment, "", (struct il_config_sink){ .say = say });
	return config.inert == IL_ACTIVE ? config.runtime_dir : NULL;
}

static int show(const struct request *request, const char *directory,
		const struct cli_breakers *breakers)
{
	if (request->registry && breakers->registries == 0) {
		if (breakers->unreadable == 0)
			cli_complain("there is no registry '%s' in %s", request->registry,
				     directory);
		return CLI_FAILED;
	}
	if (breakers->count == 0 && breakers->unreadable == 0)
		cli_complain("there are no breakers in %s: no program that runs now has connected "
			     "to anything, or none has the library",
			     directory);
	cli_output_begin();
	if (breakers->count > 0 || request->print != cli_print_table)
		request->print(breakers);
	return cli_output_end(breakers->unreadable > 0 ? CLI_FAILED : CLI_OK);
}

static int answer(const struct request *request)
{
	const char *directory = request->directory ? request->directory : usual_directory();
	struct cli_breakers breakers;

	if (!directory)
		return CLI_REFUSED;
	if (!cli_breakers_read(directory, request->registry, &breakers))
		return CLI_FAILED;

	int status = show(request, directory, &breakers);

	free(breakers.all);
	return status;
}

int cmd_status(int argc, char **argv)
{
	struct request request = { .print = cli_print_table };
	int first, status;

	if (!cli_options(&usage, argc, argv, &request, &first, &status))
		return status;
	if (first < argc)
		return cli_misused(&usage, "'%s' is too much", argv[first]);
	return answer(&request);
}
