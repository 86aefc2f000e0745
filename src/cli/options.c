/* Options from a command's table, with the help and the messages that come from it. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#define FIRST_CODE 256 /* of the table's options, for getopt_long; beyond any letter */

int cli_misused(const struct cli_usage *usage, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", usage->name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "\nusage: %s [OPTION]...%s (%s --help says more)\n", usage->name,
		usage->arguments, usage->name);
	return CLI_REFUSED;
}

static void describe(const char *name, const char *value, const char *help)
{
	char left[64];

	snprintf(left, sizeof(left), "--%s%s%s", name, value ? " " : "", value ? value : "");
	printf("  %-22s %s\n", left, help);
}

static int print_help(const struct cli_usage *usage)
{
	cli_output_begin();
	printf("usage: %s [OPTION]...%s\n\n%s\n\n", usage->name, usage->arguments, usage->about);
	for (size_t i = 0; i < usage->count; i++)
		describe(usage->options[i].name, usage->options[i].value, usage->options[i].help);
	describe("help", NULL, "print this text");
	describe("version", NULL, "print the version");
	if (usage->more)
		usage->more(stdout);
	return cli_output_end(CLI_OK);
}

static int print_version(void)
{
	cli_output_begin();
	printf("interlock %s\n", IL_VERSION);
	return cli_output_end(CLI_OK);
}

static void fill(const struct cli_usage *usage, struct option *ret_known)
{
	for (size_t i = 0; i < usage->count; i++)
		ret_known[i] = (struct option){
			.name = usage->options[i].name,
			.has_arg = usage->options[i].value ? required_argument : no_argument,
			.val = FIRST_CODE + (int)i,
		};
	ret_known[usage->count] = (struct option){ .name = "help", .val = 'h' };
	ret_known[usage->count + 1] = (struct option){ .name = "version", .val = 'V' };
	ret_known[usage->count + 2] = (struct option){ 0 };
}

static int unknown(const struct cli_usage *usage, const char *given)
{
	const char *names[CLI_OPTIONS_MAX + 2] = { "help", "version" };
	size_t length = strcspn(given, "=");

	for (size_t i = 0; i < usage->count; i++)
		names[i + 2] = usage->options[i].name;
	if (optopt >= FIRST_CODE || (optopt && given[1] == '-'))
		return cli_misused(usage, "option '%.*s' takes no value", (int)length, given);
	return cli_misused(usage, "'%s' is no option (did you mean --%s?)", given,
			   cli_nearest(given + strspn(given, "-"), names, usage->count + 2));
}

/* What getopt_long found. CLI_OK: go on; *ret_ends: or end with that. */
static int act(const struct cli_usage *usage, int code, const char *given, void *context,
	       bool *ret_ends)
{
	int status;

	*ret_ends = true;
	switch (code) {
	case 'h':
		return print_help(usage);
	case 'V':
		return print_version();
	case ':':
		return cli_misused(usage, "option '%s' needs a value", given);
	case '?':
		return unknown(usage, given);
	}
	status = usage->options[code - FIRST_CODE].take(context, optarg);
	*ret_ends = status != CLI_OK;
	return status;
}

bool cli_options(const struct cli_usage *usage, int argc, char **argv, void *context,
		 int *ret_first, int *ret_exit)
{
	struct option known[CLI_OPTIONS_MAX + 3];
	bool ends = false;
	int code, at = 1;

	fill(usage, known);
	opterr = 0;
	optind = 0; /* glibc: start anew, with these arguments */
	while (!ends && (code = getopt_long(argc, argv, "+:h", known, NULL)) != -1) {
		*ret_exit = act(usage, code, argv[at], context, &ends);
		at = optind;
	}
	*ret_first = optind;
	return !ends;
}
