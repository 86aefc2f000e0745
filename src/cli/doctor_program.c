/* Can a library be put into this program at all? */
#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/library.h"
#include "cli/script.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SCRIPTS_DEEP 4 /* interpreters that are scripts themselves: as deep as the kernel goes */

/* Programs that start others, and what becomes of LD_PRELOAD there. */
static const struct {
	const char *name, *what, *remedy;
} starters[] = {
#define DROPS  "starts programs with an environment of its own making"
#define INSIDE "put `interlock run` behind it, in front of the program"
	{ "sudo", DROPS, INSIDE },
	{ "su", DROPS, INSIDE },
	{ "doas", DROPS, INSIDE },
	{ "runuser", DROPS, INSIDE },
	{ "cron", DROPS, INSIDE },
	{ "crond", DROPS, INSIDE },
	{ "sshd", DROPS, INSIDE },
	{ "systemd-run", DROPS, INSIDE },
	{ "docker", DROPS, INSIDE },
	{ "podman", DROPS, INSIDE },
	{ "env", "drops LD_PRELOAD when it is told -i or -u", INSIDE },
#undef DROPS
#undef INSIDE
};

static void look_at_starter(const char *path)
{
	for (size_t i = 0; i < sizeof(starters) / sizeof(starters[0]); i++)
		if (strcmp(cli_base_name(path), starters[i].name) == 0)
			doctor_says(DOCTOR_NOTE, "environment", starters[i].remedy, "'%s' %s", path,
				    starters[i].what);
}

/* The loader ignores LD_PRELOAD where the program gets rights that its caller has not. */
static void look_at_rights(const char *path)
{
	const char *remedy =
		"run it as a user who needs no such rights (a service file can say so)";
	struct stat file;
	bool mine, others;

	if (stat(path, &file) != 0)
		return;
	mine = !(file.st_mode & S_ISUID && file.st_uid != getuid()) &&
	       !(file.st_mode & S_ISGID && file.st_gid != getgid());
	others = file.st_mode & (S_ISUID | S_ISGID);
	if (!mine)
		doctor_says(DOCTOR_PROBLEM, "rights", remedy,
			    "set-user-id or set-group-id: the loader ignores LD_PRELOAD");
	else if (others)
		doctor_says(DOCTOR_NOTE, "rights", remedy,
			    "set-user-id or set-group-id: for other users than you the loader "
			    "ignores LD_PRELOAD");
	if (getxattr(path, "security.capability", NULL, 0) > 0)
		doctor_says(getuid() ? DOCTOR_PROBLEM : DOCTOR_NOTE, "rights", remedy,
			    "has capabilities (getcap): the loader ignores LD_PRELOAD%s",
			    getuid() ? "" : " for all but root");
}

/* The words of a `#!` line: the interpreter and at most one argument. False: there is none. */
static bool read_script(const char *path, const char **ret_interpreter, const char **ret_argument)
{
	char line[256];
	FILE *file = fopen(path, "re");
	bool is_script =
		file && fgets(line, sizeof(line), file) && line[0] == '#' && line[1] == '!';
	char *rest;

	if (file)
		fclose(file);
	if (!is_script)
		return false;
	*ret_interpreter = strtok_r(line + 2, " \t\n", &rest);
	*ret_interpreter = cli_text("%s", *ret_interpreter ? *ret_interpreter : "/bin/sh");
	*ret_argument = strtok_r(NULL, " \t\n", &rest);
	*ret_argument = *ret_argument ? cli_text("%s", *ret_argument) : NULL;
	return true;
}

/* `#!/usr/bin/env perl` means perl. */
static const char *interpreter_of(const char *interpreter, const char *argument)
{
	bool by_env = strcmp(cli_base_name(interpreter), "env") == 0 && argument && argument[0] != '-';

	return by_env ? cli_program_find(argument) : interpreter;
}

/* Follows scripts to the program that runs them. */
static const char *follow(const char *path)
{
	const char *interpreter, *argument;

	for (int deep = 0; deep < SCRIPTS_DEEP && read_script(path, &interpreter, &argument);
	     deep++) {
		const char *next = interpreter_of(interpreter, argument);

		if (!next || access(next, X_OK) != 0) {
			doctor_says(DOCTOR_PROBLEM, "program", "install it, or mend the first line",
				    "'%s' is a script for '%s', which is not there", path,
				    next ? next : argument);
			return NULL;
		}
		doctor_says(DOCTOR_OK, "program", NULL, "'%s' is a script that '%s' runs", path,
			    next);
		path = next;
	}
	return path;
}

static const char *machine_remedy(const struct cli_object *object)
{
	return object->bits == 32 ? "build the library for it: make CC='gcc -m32'"
				  : "build the library on that machine";
}

/* Another machine, another libc, no loader. False: that ends it. */
static bool fits(const char *path, const struct cli_object *object)
{
	const char *misfit = cli_program_misfit(path);
	const char *loader = object->loader ? cli_base_name(object->loader) : "";

	if (object->is_go)
		doctor_says(DOCTOR_PROBLEM, "program",
			    "a proxy in front of the dependency can break "
			    "the circuit for it",
			    "'%s' is written in Go, which calls the kernel "
			    "without libc: nothing of it is seen",
			    path);
	else if (!object->loader)
		doctor_says(
			DOCTOR_PROBLEM, "program", "use a build that is linked dynamically",
			"'%s' is linked statically: no loader, so no library can be put into it",
			path);
	else if (strncmp(loader, "ld-linux", 8) != 0)
		doctor_says(DOCTOR_PROBLEM, "program", "use a build of it for glibc",
			    "'%s' uses another libc than glibc (loader '%s')", path,
			    object->loader);
	else if (misfit)
		doctor_says(DOCTOR_PROBLEM, "program", machine_remedy(object), "%s", misfit);
	else
		return true;
	return false;
}

const char *doctor_program(const char *program, struct cli_object *ret_object)
{
	const char *path = cli_program_find(program);

	if (!path || access(path, X_OK) != 0) {
		doctor_says(DOCTOR_PROBLEM, "program",
			    path && errno == EACCES ? "make it executable (chmod +x)"
						    : "give its path, or put its folder into PATH",
			    "'%s': %s", program, path ? strerror(errno) : "not found");
		return NULL;
	}
	look_at_starter(path);
	path = follow(path);
	if (!path)
		return NULL;
	if (!cli_object_read(path, ret_object)) {
		doctor_says(DOCTOR_PROBLEM, "program",
			    "give the program that is started in the end",
			    "'%s' cannot be read, or is neither a program nor a script", path);
		return NULL;
	}
	look_at_rights(path);
	if (!fits(path, ret_object))
		return NULL;
	doctor_says(DOCTOR_OK, "program", NULL, "'%s': %d bit, dynamically linked, glibc", path,
		    ret_object->bits);
	return path;
}
