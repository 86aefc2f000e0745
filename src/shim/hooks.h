/*
 * The prototypes of everything that we export, from real.def. What headers declare with `...` is
 * defined as hook_NAME and takes its arguments from registers: the callers' convention is the same.
 */
#ifndef IL_SHIM_HOOKS_H
#define IL_SHIM_HOOKS_H

#include "shim/export.h"
#include "shim/real.h"

#define IL_REAL(type, name, parameters, arguments, call) EXPORT type name parameters;
#define IL_VARIADIC(type, name, parameters, arguments, call)                                       \
	EXPORT type hook_##name parameters __asm__(#name);
#define IL_THUNK(type, name, parameters, arguments, call)
#include "shim/real.def"
#undef IL_REAL
#undef IL_VARIADIC
#undef IL_THUNK

#endif
