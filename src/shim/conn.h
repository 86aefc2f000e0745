/* A connection that the program made, as long as a descriptor stands for it. */
#ifndef IL_SHIM_CONN_H
#define IL_SHIM_CONN_H

#include "base/address.h"
#include "core/connection.h"
#include "engine/engine.h"
#include "shim/right.h"

enum conn_phase {
	CONN_FRESH, /* not handed to the kernel yet */
	CONN_CONNECTING,
	CONN_CONNECTED,
	CONN_FAILED /* the program knows; another connect() is a new attempt */
};

/* What the control file says of a connection that stands. */
struct conn_rules {
	uint64_t version; /* of the file, when it was last asked; 0: not yet */
	bool ignored;	  /* nothing of the current call is recorded */
};

struct fd_conn {
	/* The table's. */
	_Atomic uint32_t life;	      /* one more each time that the struct is used anew */
	_Atomic uint32_t descriptors; /* that stand for it */
	_Atomic uint32_t next_free;   /* index + 1; 0: none */

	il_right right;	     /* to all that follows, unless it says otherwise */
	atomic_bool missed;  /* without the right: an event went unjudged, so that what is open here
			      * proves nothing */
	_Atomic uint8_t nonblocking; /* without the right: O_NONBLOCK */
	uint32_t received;	     /* receives that brought bytes: a thread that sends compares */
	uint8_t kind;	     /* FDTAB_KIND bits of its socket; without the right */
	bool fast;	     /* told that it is connected, or that bytes were taken, it may not be yet */
	bool writable;	     /* poll said so while it was connecting */
	bool oneway;	     /* the operator says that no answer is to be expected */
	uint8_t phase;	     /* enum conn_phase */
	int16_t attempt;     /* its place in the table of attempts; -1: stands alone */
	int64_t waiting_since_ns, held_since_ns; /* as its lease was told */
	struct il_connection core;
	struct il_facts facts; /* of its destination, as they were when something hung on them */
	struct conn_rules rules;
	struct il_ticket ticket; /* of the current call */
	struct il_ticket next;	 /* of an exchange that was let through and is about to begin, if
				  * slot is not 0; a longjmp may leave it behind */
};

#endif
