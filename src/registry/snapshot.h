/*
 * Reading a registry from outside: no lock, no mapping, nothing written. A file that shrinks or
 * fills with garbage under the reader is an error or an odd number, never a crash.
 */
#ifndef REGISTRY_SNAPSHOT_H
#define REGISTRY_SNAPSHOT_H

#include "registry/slot.h"

struct il_reader {
	int fd; /* owned; -1: closed */
	uint32_t breakers; /* checked; says where everything lies */
};

/* A breaker as it was at one instant: whole, and brought up to date with its journal. */
struct il_snapshot {
	struct il_slot slot;
	struct il_look look; /* the window as of now_ns */
	uint64_t cells[IL_CELLS_BYTES_MAX / 8];
};

/* Opens `dir`/`name` for reading and checks it like an attaching process does. 0 or -errno, with
 * static text in ret_wrong (NULL: not wanted) that says what is wrong. */
int il_reader_open(struct il_reader *ret_reader, const char *dir, const char *name,
		   const char **ret_wrong);

/* Is it a private registry whose processes are all gone? It is removed when the next one is made.
 */
bool il_reader_is_left(const struct il_reader *reader);
void il_reader_close(struct il_reader *reader);

/*
 * Reads slot `place` (0..breakers-1) whole. -ENOENT: free; -EAGAIN: it changed faster than it could
 * be read, 100 times; other -errno: the file. snapshot is the caller's, large: not on a stack.
 */
int il_reader_read(const struct il_reader *reader, uint32_t place, int64_t now_ns,
		   struct il_snapshot *ret_snapshot);

/* The same from a mapping: for the process itself and for tests. */
int il_segment_read(const struct il_segment *segment, uint32_t place, int64_t now_ns,
		    struct il_snapshot *ret_snapshot);

#endif
