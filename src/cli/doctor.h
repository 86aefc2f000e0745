/* What `interlock doctor` looks at. Each function says what it found, on stdout, a line a finding.
 */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "cli/object.h"

enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE,   /* it works, but somebody may be surprised */
	DOCTOR_PROBLEM /* the program is not protected as things are */
};

/* One finding about a subject (a word or two), and what to do about it; NULL: nothing. */
__attribute__((format(printf, 4, 5))) void doctor_says(enum doctor_level level, const char *about,
						       const char *remedy, const char *format, ...);

/* How many problems were said. */
unsigned doctor_problems(void);

/*
 * doctor_program.c: the file that the kernel would start for `program`: its own, or its
 * interpreter's if it is a script. NULL: nothing can be started, or it is a program that no
 * library can be put into; a finding said why.
 */
const char *doctor_program(const char *program, struct cli_object *ret_object);

/* doctor_library.c: the shared object, and whether the loader of that program takes it. */
void doctor_library(const char *path, const struct cli_object *object);

/* doctor_functions.c: which functions of libc it uses, with what it is linked with; `preload` has
 * the functions that are stood in front of. */
void doctor_functions(const struct cli_names *files, const struct cli_object *preload);

/* doctor_place.c: settings, control file, and where registries live. `command` is the base name of
 * the program. */
void doctor_place(const char *command);

#endif
