/* The shared object that `run` puts into the program. */
#ifndef CLI_LIBRARY_H
#define CLI_LIBRARY_H

#include <stdbool.h>

/*
 * The library's absolute path: beside this tool, in ../lib, or where the loader finds it.
 * The loader has loaded it on trial, inert: with a library that it cannot load it would only warn,
 * and run the program unprotected. NULL: there is none that works, and a line said why.
 */
const char *cli_library_find(void);

/* LD_PRELOAD with the library at its end; `before` (NULL: not set) keeps its place. It
 * stays as it is where it names a loadable copy of the library already: two would count each call
 * twice. */
const char *cli_library_append(const char *before, const char *library);

/* Can the loader put the library into this program? False: it is of another machine or word size,
 * and a line said so. What is not to be found or is no ELF file is judged by those who run it. */
bool cli_library_fits(const char *program);

/* The same of the file at `path`: what is wrong, as a sentence, or NULL. Says nothing itself. */
const char *cli_program_misfit(const char *path);

/* Where execvp would find the program; NULL: nowhere. */
const char *cli_program_find(const char *program);

#endif
