/*
 * Opens libraries by their plain names, as a program or a library does that has a RUNPATH of its
 * own. Linked as `caller` (main, usage: caller PORT) and as libcaller.so (call_all). Prints what
 * came.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void try(const char *how, void *library, int port)
{
	int (*reach)(int) = library ? (int (*)(int))dlsym(library, "reach") : NULL;

	printf("%s: %s\n", how, library ? "opened" : "not found");
	if (reach)
		printf("%s: connect %d\n", how, reach(port));
}

void call_all(int port);
void call_all(int port)
{
	try("deep", dlopen("libplugin.so", RTLD_NOW | RTLD_DEEPBIND), port);
	try("nowhere", dlopen("libnowhere.so", RTLD_NOW | RTLD_DEEPBIND), port);
	try("apart", dlmopen(LM_ID_NEWLM, "libplugin.so", RTLD_NOW), port);
}

#ifdef MAIN
int main(int argc, char **argv)
{
	(void)argc;
	call_all(atoi(argv[1]));
	return 0;
}
#endif
