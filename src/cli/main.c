#include "cli/cli.h"

#include <string.h>

static const struct cli_command commands[] = {
#define CLI_COMMAND(name, function, help) { name, function, help },
#include "cli/commands.def"
#undef CLI_COMMAND
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void list_commands(FILE *to)
{
	fputs("\nCommands (`interlock COMMAND --help` says more):\n", to);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
}

static const struct cli_usage usage = {
	.name = "interlock",
	.arguments = " COMMAND ...",
	.about = "A circuit breaker for programs that nobody can change.",
	.more = list_commands,
};

static int unknown(const char *name)
{
	const char *names[COMMANDS];

	for (size_t i = 0; i < COMMANDS; i++)
		names[i] = commands[i].name;
	return cli_misused(&usage, "'%s' is no command (did you mean %s?)", name,
			   cli_nearest(name, names, COMMANDS));
}

int main(int argc, char **argv)
{
	int first, status;

	if (!cli_options(&usage, argc, argv, NULL, &first, &status))
		return status;
	if (first == argc)
		return cli_misused(&usage, "which command?");
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(argv[first], commands[i].name) == 0)
			return commands[i].run(argc - first, argv + first);
	return unknown(argv[first]);
}
