/* A connection that the program made, as long as a descriptor stands for it. */
#ifndef IL_SHIM_CONN_H
#define IL_SHIM_CONN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct fd_conn {
	/* The table's. */
	_Atomic uint64_t right;       /* whose it is, and since when: see fdtab_lock */
	_Atomic uint32_t life;        /* one more each time that the struct is used anew */
	_Atomic uint32_t descriptors; /* that stand for it */
	_Atomic uint32_t next_free;   /* index + 1; 0: none */

	/* The gate's, under the right. */
	atomic_bool missed; /* an event went unjudged: what is open here proves nothing */
	bool nonblocking;
};

#endif
