/*
 * libc as it is without us: real()->connect(...) is libc's (or the next preload's) connect.
 *
 * All functions are bound at once, at the first use of any: binding them one by one deadlocks
 * against a thread that waits for this one inside a dlopen constructor. There is no lock; threads
 * that bind at the same time store the same values.
 *
 * Where binding is not possible yet (another library's IFUNC resolver calls before our relocations
 * are done, or dlsym itself ended up in a hook), the functions are plain system calls, and those
 * that are none fail with ENOSYS.
 */
#ifndef IL_SHIM_REAL_H
#define IL_SHIM_REAL_H

#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "shim/export.h"

struct il_real {
#define IL_REAL(type, name, parameters, arguments, call)     type(*name) parameters;
#define IL_VARIADIC(type, name, parameters, arguments, call) type(*name) parameters;
#define IL_THUNK(type, name, parameters, arguments, call)    type(*name) parameters;
#include "shim/real.def"
#undef IL_REAL
#undef IL_VARIADIC
#undef IL_THUNK
};

/* Hidden: reached without a relocation. */
extern HIDDEN struct il_real il_real_table; /* valid once il_real_is_bound */
extern HIDDEN atomic_bool il_real_is_bound;

/* Binds what can be bound. Returns il_real_table, or the table of plain system calls. Any thread,
 * any signal handler; errno is kept. */
HIDDEN const struct il_real *il_real_bind(void);

/* The functions to call. Never null, and neither is any of its members. */
static inline const struct il_real *real(void)
{
	if (__builtin_expect(atomic_load_explicit(&il_real_is_bound, memory_order_acquire), 1))
		return &il_real_table;
	return il_real_bind();
}

#endif
