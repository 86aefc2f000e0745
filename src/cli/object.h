/* What an ELF file says of itself. */
#ifndef CLI_OBJECT_H
#define CLI_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct cli_names {
	const char **all; /* malloc'd; the names live as long as the process */
	size_t count;
};

struct cli_object {
	int bits;           /* 32 or 64 */
	const char *loader; /* what the kernel starts in its place; NULL: itself */
	bool is_go;
	struct cli_names imports; /* functions that it wants from others */
	struct cli_names exports; /* functions that it has for others */
};

/* Reads the file at `path`. False: it cannot be read, or is no ELF file. */
bool cli_object_read(const char *path, struct cli_object *ret_object);
void cli_object_free(struct cli_object *object);

bool cli_names_have(const struct cli_names *names, const char *name);

/* Keeps the text of `name` as one more. */
void cli_names_add(struct cli_names *names, const char *name);

#endif
