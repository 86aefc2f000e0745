/* What a command line is called: the program's base name, or the script's where an interpreter runs
 * one. Pure. */
#ifndef CLI_SCRIPT_H
#define CLI_SCRIPT_H

#include <stddef.h>

#define CLI_REGISTRY_BYTES 65 /* the longest name of a registry, and its final 0 */

/* The registry of the command `argv` (ends with NULL, not empty): 1 to 64 of A-Za-z0-9._-, never
 * "." or "..". What cannot stand in such a name becomes `_`. */
void cli_registry_of(const char *const *argv, char ret_name[CLI_REGISTRY_BYTES]);

/* What follows the last slash; within `path`. */
const char *cli_base_name(const char *path);

#endif
