#include "shim/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

enum {
#define IL_REAL(type, name, parameters, arguments, call)     INDEX_##name,
#define IL_VARIADIC(type, name, parameters, arguments, call) INDEX_##name,
#define IL_THUNK(type, name, parameters, arguments, call)    INDEX_##name,
#include "shim/real.def"
#undef IL_REAL
#undef IL_VARIADIC
#undef IL_THUNK
	COUNT
};

/* Arrays of bytes, not pointers: read before our relocations are done. */
static const char names[COUNT][20] = {
#define IL_REAL(type, name, parameters, arguments, call)     #name,
#define IL_VARIADIC(type, name, parameters, arguments, call) #name,
#define IL_THUNK(type, name, parameters, arguments, call)    #name,
#include "shim/real.def"
#undef IL_REAL
#undef IL_VARIADIC
#undef IL_THUNK
};

/* thunks.S: for each function the distance of its system call from here. */
extern HIDDEN const int32_t il_raw_distances[COUNT];

struct il_real il_real_table;
atomic_bool il_real_is_bound;
static struct il_real raw_table;

_Static_assert(sizeof(struct il_real) == COUNT * sizeof(void *), "a table of pointers");

/* Points to itself once our own relocations are done. */
static const void *const volatile relocated = (const void *)&relocated;

static bool is_relocated(void)
{
	return relocated == (const void *)&relocated;
}

/* Set while this thread is inside dlsym, which may call malloc, which may be anyone's. */
static __thread bool binding;

/* Any number of threads may store here at once, all the same values. */
static void store(struct il_real *table, int index, void *function)
{
	__atomic_store_n((void **)table + index, function, __ATOMIC_RELAXED);
}

/* From thunks.S: a plain system call's -errno becomes what libc would return. */
HIDDEN long il_raw_failed(long rc);
long il_raw_failed(long rc)
{
	if (is_relocated())
		errno = (int)-rc;
	return -1;
}

static void *raw(int index)
{
	return (char *)(uintptr_t)il_raw_distances + il_raw_distances[index];
}

static const struct il_real *raw_all(void)
{
	for (int i = 0; i < COUNT; i++)
		store(&raw_table, i, raw(i));
	return &raw_table;
}

/* A failed look-up leaves an error that the program would find in its own dlerror. The next one
 * that succeeds takes it away; dlerror itself translates it, under the lock of the locales, which
 * newlocale holds while it allocates, and the allocator may be who called us. */
static void bind_one(int index)
{
	void *function = dlsym(RTLD_NEXT, names[index]);

	if (!function) {
		dlsym(RTLD_NEXT, names[INDEX_connect]);
		function = raw(index);
	}
	store(&il_real_table, index, function);
}

const struct il_real *il_real_bind(void)
{
	if (!is_relocated() || binding)
		return raw_all();

	int error = errno;

	binding = true;
	for (int i = 0; i < COUNT; i++)
		bind_one(i);
	binding = false;
	atomic_store_explicit(&il_real_is_bound, true, memory_order_release);
	errno = error;
	return &il_real_table;
}
