#include "cli/library.h"

#include "cli/cli.h"
#include "cli/script.h"

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

/* Without links and dots; NULL: there is no such file. */
static const char *real_path(const char *path)
{
	char *real = realpath(path, NULL);
	const char *text = real ? cli_text("%s", real) : NULL;

	free(real);
	return text;
}

/* The library in that directory. True: it is there; *ret_path is NULL if it does not work. */
static bool look_in(const char *directory, const char **ret_path)
{
	const char *real = real_path(directory);
	const char *path = real ? cli_text("%s/%s", real, NAME) : NULL;

	if (!path || access(path, F_OK) != 0)
		return false;
	*ret_path = NULL;
	if (!can_stand_in_preload(path))
		return true;
	if (load(path))
		*ret_path = path;
	else
		cli_complain("cannot load the library: %s", dlerror());
	return true;
}

/* In the loader's own directories, and in LD_LIBRARY_PATH. */
static bool look_as_loader(const char **ret_path)
{
	void *handle = load(NAME);
	struct link_map *map;

	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
		return false;
	*ret_path = can_stand_in_preload(map->l_name) ? cli_text("%s", map->l_name) : NULL;
	return true;
}

static const char *own_directory(void)
{
	const char *own = real_path("/proc/self/exe");
	const char *slash = own ? strrchr(own, '/') : NULL;

	return slash ? cli_text("%.*s", (int)(slash - own), own) : ".";
}

const char *cli_library_find(void)
{
	const char *own = own_directory();
	const char *beside = cli_text("%s/../lib", own);
	const char *path = NULL;

	setenv("INTERLOCK", "off", 1); /* on trial, it looks at nothing and tells nothing */
	if (!look_in(own, &path) && !look_in(beside, &path) && !look_as_loader(&path))
		cli_complain("cannot find %s: it is neither in %s nor in %s nor where the loader "
			     "looks (make install puts it there)",
			     NAME, own, beside);
	return path;
}

static bool is_copy(const char *entry)
{
	return strcmp(cli_base_name(entry), NAME) == 0 && load(entry);
}

const char *cli_library_append(const char *before, const char *library)
{
	bool is_there = false;
	char *rest, *copy;

	if (!before || !*before)
		return library;
	copy = cli_text("%s", before);
	for (char *entry = strtok_r(copy, " :", &rest); entry; entry = strtok_r(NULL, " :", &rest))
		is_there = is_there || strcmp(entry, library) == 0 || is_copy(entry);
	return is_there ? before : cli_text("%s:%s", before, library);
}
