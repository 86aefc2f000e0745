/* The program to be started: where it is, and whether the library can be put into it. */
#include "cli/cli.h"
#include "cli/library.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat stat_of;

	return stat(path, &stat_of) == 0 && S_ISREG(stat_of.st_mode) && access(path, X_OK) == 0;
}

const char *cli_program_find(const char *program)
{
	const char *path = getenv("PATH");

	if (strchr(program, '/'))
		return program;
	for (const char *at = path ? path : "/bin:/usr/bin"; at;) {
		int length = (int)strcspn(at, ":");
		const char *found =
			cli_text("%.*s/%s", length ? length : 1, length ? at : ".", program);

		if (is_program(found))
			return found;
		at = at[length] ? at + length + 1 : NULL;
	}
	return NULL;
}

/* Class and machine stand at the same places in files of either class. */
static bool read_header(const char *path, ElfW(Ehdr) * ret_header)
{
	FILE *file = fopen(path, "re");
	size_t got = file ? fread(ret_header, 1, sizeof(*ret_header), file) : 0;

	if (file)
		fclose(file);
	return got >= offsetof(ElfW(Ehdr), e_version) &&
	       memcmp(ret_header->e_ident, ELFMAG, SELFMAG) == 0;
}

const char *cli_program_misfit(const char *path)
{
	ElfW(Ehdr) own, other;

	if (!read_header(path, &other) || !read_header("/proc/self/exe", &own) ||
	    (own.e_ident[EI_CLASS] == other.e_ident[EI_CLASS] &&
	     own.e_machine == other.e_machine))
		return NULL;
	return cli_text("'%s' is a program of another machine or word size (%d bit): the loader "
			"would run it without the library",
			path, other.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64);
}

bool cli_library_fits(const char *program)
{
	const char *path = cli_program_find(program);
	const char *misfit = path ? cli_program_misfit(path) : NULL;

	if (misfit)
		cli_complain("%s", misfit);
	return !misfit;
}
