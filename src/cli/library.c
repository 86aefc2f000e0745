#include "cli/library.h"

#include "cli/cli.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "libinterlock_preload.so"

/* Loads it, to see that this works. It stays loaded, inert. NULL: dlerror() says why not. */
static void *load(const char *path)
{
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static bool can_stand_in_preload(const char *path)
{
	if (!path[strcspn(path, " \t:$")])
		return true;
	cli_complain("'%s' cannot be preloaded: blanks, colons and dollars have a meaning in "
		     "LD_PRELOAD (install it elsewhere)",
		     path);
	return false;
}

/* The library in that directory. True: it is there; *ret_path is NULL if it does not work. */
static bool look_in(const char *directory, char **ret_path)
{
	char *real = realpath(directory, NULL);
	char *path = real ? cli_text("%s/%s", real, NAME) : NULL;

	free(real);
	if (!path || access(path, F_OK) != 0) {
		free(path);
		return false;
	}
	if (can_stand_in_preload(path) && load(path)) {
		*ret_path = path;
		return true;
	}
	if (can_stand_in_preload(path))
		cli_complain("cannot load the library: %s", dlerror());
	free(path);
	*ret_path = NULL;
	return true;
}

/* In the loader's own directories, and in LD_LIBRARY_PATH. */
static bool look_as_loader(char **ret_path)
{
	void *handle = load(NAME);
	struct link_map *map;

	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
		return false;
	*ret_path = can_stand_in_preload(map->l_name) ? cli_text("%s", map->l_name) : NULL;
	return true;
}

static char *own_directory(void)
{
	char *own = realpath("/proc/self/exe", NULL);
	char *slash = own ? strrchr(own, '/') : NULL;

	if (slash)
		slash[slash == own] = 0;
	return own ? own : cli_text(".");
}

char *cli_library_find(void)
{
	char *own = own_directory();
	char *beside = cli_text("%s/../lib", own);
	char *path = NULL;

	setenv("INTERLOCK", "off", 1); /* on trial, it looks at nothing and tells nothing */
	if (!look_in(own, &path) && !look_in(beside, &path) && !look_as_loader(&path))
		cli_complain("cannot find %s: it is neither in %s nor in %s nor where the loader "
			     "looks (make install puts it there)",
			     NAME, own, beside);
	free(own);
	free(beside);
	return path;
}

static bool is_copy(const char *entry)
{
	const char *slash = strrchr(entry, '/');

	return strcmp(slash ? slash + 1 : entry, NAME) == 0 && load(entry);
}

char *cli_library_append(const char *before, const char *library)
{
	bool is_there = false;
	char *rest, *copy;

	if (!before || !*before)
		return cli_text("%s", library);
	copy = cli_text("%s", before);
	for (char *entry = strtok_r(copy, " :", &rest); entry; entry = strtok_r(NULL, " :", &rest))
		is_there = is_there || strcmp(entry, library) == 0 || is_copy(entry);
	free(copy);
	return is_there ? cli_text("%s", before) : cli_text("%s:%s", before, library);
}
