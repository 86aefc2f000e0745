/*
 * What the commands of the tool share. The tool is an ordinary program of one thread: libc, malloc
 * and stdio are fine here, and none of it is linked into the shared object.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit statuses. `run` ends with the program's own when it was started. */
enum cli_exit {
	CLI_OK = 0,
	CLI_FAILED = 1,
	CLI_REFUSED = 2, /* wrong usage, a wrong setting: nothing was done */
	CLI_NOT_EXECUTABLE = 126,
	CLI_NOT_FOUND = 127
};

struct cli_option {
	const char *name;  /* without its dashes */
	const char *value; /* what its value is called in the help; NULL: it takes none */
	const char *help;
	/* Takes the value (NULL if there is none). CLI_OK, or an exit status once it said why. */
	int (*take)(void *context, const char *value);
};

#define CLI_OPTIONS_MAX 12

struct cli_usage {
	const char *name;      /* "interlock run" */
	const char *arguments; /* what follows the options, with a blank in front, for the help */
	const char *about;
	const struct cli_option *options; /* besides --help and --version, which all have */
	size_t count;                     /* <= CLI_OPTIONS_MAX */
	void (*more)(FILE *to);           /* the help's last part; NULL: none */
};

/*
 * Reads the options in front of the first argument. True: go on, *ret_first is the index of the
 * first argument (argc: there is none). False: end now with *ret_exit; --help or --version was
 * answered, or what is wrong was said.
 */
bool cli_options(const struct cli_usage *usage, int argc, char **argv, void *context,
		 int *ret_first, int *ret_exit);

/* Says on stderr what is wrong with the arguments, and where the help is. Returns CLI_REFUSED. */
__attribute__((format(printf, 2, 3))) int cli_misused(const struct cli_usage *usage,
						      const char *format, ...);

/* One line on stderr, with `interlock: ` in front. */
__attribute__((format(printf, 1, 2))) void cli_complain(const char *format, ...);

/* To be called before anything is written to stdout: a closed pipe is then an error and no signal.
 */
void cli_output_begin(void);

/* Everything written to stdout is out: `status`. It is not: CLI_FAILED, once it said why. */
int cli_output_end(int status);

/* The nearest of `count` names by changed, missing and surplus letters, whatever their case. */
const char *cli_nearest(const char *name, const char *const *names, size_t count);

/* realloc; without memory, the end of the process with a message. */
void *cli_more(void *memory, size_t bytes);

/* A text that lives as long as the process: commands are short, and say little. */
__attribute__((format(printf, 1, 2))) char *cli_text(const char *format, ...);

struct cli_command {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the command's name */
	const char *help;
};

#define CLI_COMMAND(name, function, help) int function(int argc, char **argv);
#include "cli/commands.def"
#undef CLI_COMMAND

#endif
