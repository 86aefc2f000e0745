/*
 * From a descriptor to what we know of it: nothing (a stranger), a socket that may be ours and has
 * not connected yet, or a connection that we watch. Descriptors that are dups of each other share
 * one connection.
 *
 * The table is made at the first such socket and is never freed. Looking up takes no lock: one load
 * and one compare. A vfork child shares our memory and closes what it likes, so whoever changes the
 * table first asks fdtab_may_change. A forked child has a copy and becomes its owner.
 *
 * Any thread, any signal handler; no allocation but mmap, errno is kept.
 */
#ifndef IL_SHIM_FDTAB_H
#define IL_SHIM_FDTAB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "shim/export.h"

#define FDTAB_FDS   (1U << 20) /* numbers from here on are strangers */
#define FDTAB_CONNS (1U << 16) /* connections at once; more pass unwatched */

/* What an entry of the table may be. */
enum {
	FDTAB_STRANGER = 0,
	FDTAB_SOCKET = 1,   /* not connected yet; bits: */
	FDTAB_NONBLOCK = 2, /* it has O_NONBLOCK */
	FDTAB_IPV6 = 4,     /* its family is AF_INET6 */
	FDTAB_EPOLL = 8,    /* an epoll waits for input on it */
	FDTAB_UNIX = 16,    /* its family is AF_UNIX */
	FDTAB_FAST = 32,    /* it has TCP_FASTOPEN_CONNECT */
	FDTAB_KIND = FDTAB_IPV6 | FDTAB_UNIX | FDTAB_FAST,
	FDTAB_CONN = 64 /* and above: a connection's index + 64 */
};

struct fd_conn;

extern HIDDEN _Atomic uint32_t *fdtab_entries; /* of FDTAB_FDS, or null */

static inline uint32_t fdtab_at(int fd)
{
	_Atomic uint32_t *entries = fdtab_entries;

	if (!entries || (unsigned int)fd >= FDTAB_FDS)
		return FDTAB_STRANGER;
	return atomic_load_explicit(&entries[fd], memory_order_acquire);
}

static inline bool fdtab_is_conn(uint32_t entry)
{
	return entry >= FDTAB_CONN;
}

/* Makes the table if it is not there. False: no memory; everything is a stranger. */
HIDDEN bool fdtab_make(void);

/* Is the calling process the table's owner? False in a vfork child. In a forked copy that nobody
 * owns yet: makes the caller its owner, calls gate_adopts, then gate_disowns for every connection,
 * and is true. One system call: getpid. */
HIDDEN bool fdtab_may_change(void);

/* The same for what a vfork child does not do: open sockets, connect, send, receive. Costs no
 * system call. */
HIDDEN bool fdtab_may_add(void);

/* Is the calling process the table's owner, and not a vfork child or a copy that nobody owns yet?
 * False without a table. Changes nothing. */
HIDDEN bool fdtab_is_mine(void);

/* The connection of an entry; null if it is none. Stays readable for ever, but may be another
 * connection later: compare its life. */
HIDDEN struct fd_conn *fdtab_conn(uint32_t entry);

/* Makes `fd` stand for `entry` (no connection), and for a new connection. What fd stood for before
 * must be gone (fdtab_drop). fdtab_open returns null when all are in use. */
HIDDEN void fdtab_put(int fd, uint32_t entry);
HIDDEN struct fd_conn *fdtab_open(int fd);

/* `to` stands for what `from` stands for, and both keep it alive. */
HIDDEN void fdtab_dup(int from, int to);

/* Forgets fd. Returns its connection if this was the last descriptor of it: the caller judges it
 * and gives it back with fdtab_free. Null otherwise. */
HIDDEN struct fd_conn *fdtab_drop(int fd);
HIDDEN void fdtab_free(struct fd_conn *conn);

/* Calls visit for every connection in use. */
HIDDEN void fdtab_each(void (*visit)(struct fd_conn *conn, void *argument), void *argument);

/* The highest number that ever was no stranger; -1: none. */
HIDDEN int fdtab_highest(void);

#endif
