#include "cli/script.h"

#include <stdbool.h>
#include <string.h>

/*
 * Programs that run something that has a name of its own. `values` are options that take a value,
 * `names` those whose value is the name (a module, a jar), `code` those after which there is no
 * name to be had (a program on the command line, or on standard input). A list ends, and its words
 * are parted, by blanks; "-x" may also stand in a cluster: "-ex".
 */
struct launcher {
	const char *name; /* digits and dots may follow: python3.11 */
	const char *values, *names, *code;
	enum { SCRIPT, SHELL, WRAPPER, LONG } kind; /* LONG: options are words: -jar */
	int skip; /* WRAPPER: arguments of its own before the command */
};

#define NODE_VALUES "-r --require --import --loader -C --conditions"
#define NODE_CODE   "-e -p --eval --print"
#define JAVA_VALUES                                                                                \
	"-cp -classpath --class-path -p --module-path --add-modules --add-opens --add-exports "    \
	"--add-reads"

/* clang-format off */
static const struct launcher launchers[] = {
	{ "sh", "-o", "", "-s", SHELL, 0 },
	{ "bash", "-o -O +O --rcfile --init-file", "", "-s", SHELL, 0 },
	{ "dash", "-o", "", "-s", SHELL, 0 },
	{ "ash", "-o", "", "-s", SHELL, 0 },
	{ "ksh", "-o", "", "-s", SHELL, 0 },
	{ "zsh", "-o", "", "-s", SHELL, 0 },
	{ "python", "-W -X --check-hash-based-pycs", "-m", "-c", SCRIPT, 0 },
	{ "pypy", "-W -X", "-m", "-c", SCRIPT, 0 },
	{ "perl", "-I", "", "-e -E", SCRIPT, 0 },
	{ "php", "-d -c -z", "-f --file", "-r -B -R -E --run", SCRIPT, 0 },
	{ "ruby", "-I -r -C -E", "", "-e", SCRIPT, 0 },
	{ "node", NODE_VALUES, "", NODE_CODE, SCRIPT, 0 },
	{ "nodejs", NODE_VALUES, "", NODE_CODE, SCRIPT, 0 },
	{ "lua", "-l", "", "-e", SCRIPT, 0 },
	{ "java", JAVA_VALUES, "-jar -m --module", "", LONG, 0 },
	{ "env", "-u -C -S --unset --chdir", "", "", WRAPPER, 0 },
	{ "nice", "-n --adjustment", "", "", WRAPPER, 0 },
	{ "nohup", "", "", "", WRAPPER, 0 },
	{ "setsid", "", "", "", WRAPPER, 0 },
	{ "stdbuf", "-i -o -e --input --output --error", "", "", WRAPPER, 0 },
	{ "timeout", "-k -s --kill-after --signal", "", "", WRAPPER, 1 },
	{ "time", "-f -o --format --output", "", "", WRAPPER, 0 },
};
/* clang-format on */
#define LAUNCHERS (sizeof(launchers) / sizeof(launchers[0]))

/* Words that a shell understands by itself: no name for a program. */
static const char shell_words[] =
	"cd echo printf export set ulimit umask unset trap test source . : if for "
	"while until case eval read wait exit";

static bool lists(const char *list, const char *word, size_t length)
{
	while (*list) {
		size_t here = strcspn(list, " ");

		if (here == length && memcmp(list, word, length) == 0)
			return true;
		list += here + strspn(list + here, " ");
	}
	return false;
}

static const struct launcher *launcher_of(const char *program)
{
	const char *name = cli_base_name(program);

	for (size_t i = 0; i < LAUNCHERS; i++) {
		size_t length = strlen(launchers[i].name);

		if (strncmp(name, launchers[i].name, length) == 0 &&
		    name[length + strspn(name + length, "0123456789.")] == 0)
			return &launchers[i];
	}
	return NULL;
}

/* What the options before the first argument say. */
struct reading {
	const struct launcher *launcher;
	const char *const *at; /* the argument that is looked at */
	const char *name;      /* found in an option */
	bool is_code;
	bool is_text; /* a shell's -c */
};

/* Takes an option's value: the rest of its own word, or the next. */
static const char *value_of(struct reading *reading, const char *rest)
{
	if (*rest)
		return rest;
	return reading->at[1] ? *++reading->at : NULL;
}

/* True: nothing that belongs to this word is left. */
static bool read_option(struct reading *reading, const char *option, size_t length,
			const char *rest)
{
	const struct launcher *launcher = reading->launcher;

	if (lists(launcher->code, option, length))
		return reading->is_code = true;
	if (lists(launcher->names, option, length)) {
		reading->name = value_of(reading, rest);
		return true;
	}
	if (lists(launcher->values, option, length)) {
		value_of(reading, rest);
		return true;
	}
	if (launcher->kind == SHELL && length == 2 && option[1] == 'c')
		reading->is_text = true;
	return false;
}

static void read_cluster(struct reading *reading)
{
	const char *word = *reading->at;
	char option[2] = { word[0] };

	for (const char *letter = word + 1; *letter; letter++) {
		option[1] = *letter;
		if (read_option(reading, option, sizeof(option), letter + 1))
			return;
	}
}

static void read_word(struct reading *reading)
{
	const char *word = *reading->at;
	size_t length = strcspn(word, "=");
	const char *rest = word[length] ? word + length + 1 : "";

	if (word[1] == '-' || reading->launcher->kind == LONG)
		read_option(reading, word, length, rest);
	else
		read_cluster(reading);
}

static bool is_option(const struct launcher *launcher, const char *word)
{
	return (word[0] == '-' || (word[0] == '+' && launcher->kind == SHELL)) && word[1];
}

/* Leaves `at` behind the options. */
static void read_options(struct reading *reading)
{
	for (reading->at++; *reading->at && !reading->name && !reading->is_code; reading->at++) {
		if (strcmp(*reading->at, "--") == 0) {
			reading->at++;
			return;
		}
		if (!is_option(reading->launcher, *reading->at))
			return;
		read_word(reading);
	}
}

static bool is_assignment(const char *word, size_t length)
{
	const char *equals = memchr(word, '=', length);

	return equals && equals > word &&
	       strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") ==
		       (size_t)(equals - word);
}

/* The command of a line for the shell, if it begins with one in plain words: *ret_length bytes. */
static const char *first_command(const char *text, size_t *ret_length)
{
	for (;;) {
		text += strspn(text, " \t\n");
		size_t length = strcspn(text, " \t\n;&|<>()");

		if (length == 0 || strcspn(text, "\"'`$\\*?[]{}~#!") < length ||
		    lists(shell_words, text, length))
			return NULL;
		if (!is_assignment(text, length) && !lists("exec command", text, length)) {
			*ret_length = length;
			return text;
		}
		text += length;
	}
}

static void reduce(const char *name, size_t length, char ret_name[CLI_REGISTRY_BYTES])
{
	size_t used = 0;

	for (; used < length && used < CLI_REGISTRY_BYTES - 1; used++) {
		unsigned char c = (unsigned char)name[used];
		bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9') || (c && strchr("._-", c));

		ret_name[used] = fits ? name[used] : '_';
	}
	ret_name[used] = 0;
	/* The name becomes a file's. */
	if (used == 0 || strcmp(ret_name, ".") == 0 || strcmp(ret_name, "..") == 0)
		memcpy(ret_name, "program", sizeof("program"));
}

static void reduce_path(const char *path, size_t length, char ret_name[CLI_REGISTRY_BYTES])
{
	const char *slash = memrchr(path, '/', length);
	size_t skip = slash && slash + 1 < path + length ? (size_t)(slash + 1 - path) : 0;

	reduce(path + skip, length - skip, ret_name);
}

/* The command behind a wrapper's own words; NULL: there is none. */
static const char *const *behind(struct reading *reading)
{
	const char *const *at = reading->at;

	for (int i = 0; i < reading->launcher->skip && *at; i++)
		at++;
	while (*at && is_assignment(*at, strlen(*at)))
		at++;
	return *at ? at : NULL;
}

/* What the interpreter runs, *ret_length bytes of it; NULL: nothing that has a name. */
static const char *script_of(struct reading *reading, size_t *ret_length)
{
	const char *found = reading->name;

	if (reading->is_text && *reading->at)
		return first_command(*reading->at, ret_length);
	if (!found && !reading->is_code && *reading->at && strcmp(*reading->at, "-") != 0)
		found = *reading->at;
	if (found)
		*ret_length = strlen(found);
	return found;
}

const char *cli_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void cli_registry_of(const char *const *argv, char ret_name[CLI_REGISTRY_BYTES])
{
	struct reading reading = { .launcher = launcher_of(argv[0]), .at = argv };
	const char *script = NULL;
	size_t length = 0;

	if (reading.launcher) {
		read_options(&reading);
		if (reading.launcher->kind != WRAPPER) {
			script = script_of(&reading, &length);
		} else if (behind(&reading)) {
			cli_registry_of(behind(&reading), ret_name);
			return;
		}
	}
	if (script)
		reduce_path(script, length, ret_name);
	else
		reduce_path(argv[0], strlen(argv[0]), ret_name);
}
