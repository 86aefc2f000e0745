/* Which of the functions it uses lead through the library, and which past it. */
#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/script.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *what;
} blind[] = {
#define CLI_BLIND(function, what) { #function, what },
#include "cli/blind.def"
#undef CLI_BLIND
};
#define BLIND (sizeof(blind) / sizeof(blind[0]))

/* libc itself imports nothing that matters, and the library what it stands in front of. */
static bool is_ours(const char *path)
{
	return strcmp(cli_base_name(path), "libinterlock_preload.so") == 0 ||
	       strncmp(cli_base_name(path), "libc.so", 7) == 0;
}

static void look_at_blind(const char *path, const struct cli_names *imports)
{
	const char *said = NULL; /* one sentence a file says it */

	for (size_t i = 0; i < BLIND; i++) {
		if (!cli_names_have(imports, blind[i].name) ||
		    (said && strcmp(said, blind[i].what) == 0))
			continue;
		said = blind[i].what;
		doctor_says(DOCTOR_NOTE, "functions", NULL, "%s uses %s: %s", cli_base_name(path),
			    blind[i].name, said);
	}
}

/* The functions that are stood in front of, in one line, in the order of their names. */
static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *in_a_line(struct cli_names *names)
{
	const char *line = "";

	qsort(names->all, names->count, sizeof(*names->all), by_name);
	for (size_t i = 0; i < names->count; i++)
		line = cli_text("%s%s%s", line, i ? " " : "", names->all[i]);
	return line;
}

static void collect(const struct cli_names *imports, const struct cli_object *preload,
		    struct cli_names *seen)
{
	for (size_t i = 0; i < imports->count; i++)
		if (cli_names_have(&preload->exports, imports->all[i]) &&
		    !cli_names_have(seen, imports->all[i]))
			cli_names_add(seen, imports->all[i]);
}

static void conclude(struct cli_names *seen, bool loads_more)
{
	if (seen->count)
		doctor_says(DOCTOR_OK, "functions", NULL, "through interlock: %s", in_a_line(seen));
	if (!cli_names_have(seen, "connect"))
		doctor_says(DOCTOR_NOTE, "functions", NULL,
			    "nothing that it is linked with connects%s",
			    loads_more ? "; what it loads later, or starts, is seen"
				       : "; programs that it starts are seen");
}

void doctor_functions(const struct cli_names *files, const struct cli_object *preload)
{
	struct cli_names seen = { 0 };
	bool loads_more = false;

	for (size_t i = 0; i < files->count; i++) {
		struct cli_object object;

		if (is_ours(files->all[i]) || !cli_object_read(files->all[i], &object))
			continue;
		collect(&object.imports, preload, &seen);
		look_at_blind(files->all[i], &object.imports);
		loads_more = loads_more || cli_names_have(&object.imports, "dlopen");
		cli_object_free(&object);
	}
	conclude(&seen, loads_more);
	free(seen.all);
}
