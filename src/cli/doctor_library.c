/* Is the shared object there, and does the program's own loader take it? */
#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/library.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a loader says of a program when it is asked to list and not to run: `name => path (address)`
 * or `path (address)`, one a line. */
static void read_list(FILE *from, struct cli_names *files)
{
	char *line = NULL, *rest;
	size_t bytes = 0;

	while (getline(&line, &bytes, from) > 0) {
		const char *arrow = strstr(line, "=> ");
		char *name = strtok_r(arrow ? line + (arrow - line) + 3 : line, " \t\n", &rest);

		if (name && strcmp(name, "not") == 0)
			doctor_says(DOCTOR_PROBLEM, "libraries", "install it",
				    "a library is missing, and the program will not start:%.*s",
				    (int)(arrow ? arrow - line : 0), line);
		else if (name && name[0] == '/')
			cli_names_add(files, name);
	}
	free(line);
}

static bool start(const char *loader, const char *path, const char *preload, int to,
		  pid_t *ret_child)
{
	char *const arguments[] = { (char *)loader, (char *)"--preload", (char *)preload,
				    (char *)path, NULL };
	posix_spawn_file_actions_t actions;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
	setenv("LD_TRACE_LOADED_OBJECTS", "1", 1); /* list, do not run */
	bool started = posix_spawn(ret_child, loader, &actions, NULL, arguments, environ) == 0;
	unsetenv("LD_TRACE_LOADED_OBJECTS");
	posix_spawn_file_actions_destroy(&actions);
	return started;
}

static bool list(const char *loader, const char *path, const char *preload, struct cli_names *files)
{
	int ends[2], status = -1;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	bool started = start(loader, path, preload, ends[1], &child);
	FILE *from = fdopen(ends[0], "r");

	close(ends[1]);
	if (from) {
		read_list(from, files);
		fclose(from);
	}
	return started && waitpid(child, &status, 0) == child && status == 0;
}

void doctor_library(const char *path, const struct cli_object *object)
{
	const char *remedy = "`make install` puts it where it is found";
	const char *library = cli_library_find();
	char *real = realpath(path, NULL);
	struct cli_names files = { 0 };
	struct cli_object preload = { 0 };

	if (!library || !cli_object_read(library, &preload)) {
		doctor_says(DOCTOR_PROBLEM, "library", remedy, "no library that can be loaded");
		free(real);
		return;
	}
	/* Behind a link, what stands beside the program would not be found. */
	if (list(object->loader, cli_text("%s", real ? real : path), library, &files) &&
	    cli_names_have(&files, library))
		doctor_says(DOCTOR_OK, "library", NULL, "'%s', and '%s' takes it", library,
			    object->loader);
	else
		doctor_says(DOCTOR_PROBLEM, "library",
			    "compare the glibc of the two: ldd --version",
			    "'%s' is there, but '%s' does not put it into the program", library,
			    object->loader);
	cli_names_add(&files, path);
	doctor_functions(&files, &preload);
	cli_object_free(&preload);
	free(files.all);
	free(real);
}
