/*
 * The registry as this process sees it: a mapping of the file, or anonymous memory shared with our
 * forks where no file could be had. Mapped once and never unmapped: a thread may be inside.
 */
#ifndef REGISTRY_SEGMENT_H
#define REGISTRY_SEGMENT_H

#include "registry/lock.h"

struct il_segment {
	struct il_header *header;
	uint64_t *hashes;      /* [breakers] */
	struct il_slot *slots; /* [breakers] */
	uint8_t *cells;	       /* [breakers] strides of IL_CELLS_STRIDE */
	uint32_t breakers;     /* our own copy, checked: never read again from the header */
	bool anonymous;
};

struct il_segment_options {
	const char *dir;   /* absolute path of the runtime directory; made with mode 0700 if missing */
	const char *name;  /* file name in it */
	uint32_t breakers; /* 1..IL_BREAKERS_MAX; an existing registry keeps its own */
	bool permanent;	   /* never removed */
};

/*
 * Attaches to the registry, or makes it. Always returns a usable segment unless not even anonymous
 * memory is to be had (-ENOMEM). When it fell back to anonymous memory it puts one line, without a
 * final newline, into ret_why that says what was wrong with which path; else ret_why is "".
 */
int il_segment_open(struct il_segment *ret_segment, const struct il_segment_options *options,
		    const struct il_self *self, char *ret_why, size_t why_size);

/* Undoes an il_segment_open whose segment nobody has seen; the process stays on the list. */
void il_segment_discard(const struct il_segment *segment);

/* Takes this process off the list; removes a private file that nobody uses any more. */
void il_segment_leave(const struct il_segment *segment, const struct il_segment_options *options,
		      const struct il_self *self);

/* Puts a forked child on the list. */
void il_segment_join(const struct il_segment *segment, const struct il_self *self);

/* Makes the kernel give the memory of a slot and of the window that these settings need, so that
 * touching it later can never raise SIGBUS. 0; -ENOMEM: there is no space, and nothing is to be
 * written there. Before a breaker is made, and before its window grows. Any thread. */
int il_segment_reserve(const struct il_segment *segment, uint32_t slot,
		       const struct il_settings *settings);

/* The slot's window cells: in the slot or in the area behind. Bounds are those of `settings`. */
void *il_segment_cells(const struct il_segment *segment, uint32_t slot,
		       const struct il_settings *settings);

#endif
