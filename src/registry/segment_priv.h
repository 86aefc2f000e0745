/* Between the files that make up the segment. */
#ifndef REGISTRY_SEGMENT_PRIV_H
#define REGISTRY_SEGMENT_PRIV_H

#include "base/text.h"
#include "registry/segment.h"

/* Where things lie in a registry of so many breakers: all in bytes from its start. */
struct il_shape {
	uint64_t slots_at, cells_at, bytes;
};
struct il_shape il_segment_shape(uint32_t breakers); /* 1..IL_BREAKERS_MAX */

/* What must be the same for all who share a registry, besides its layout. */
struct il_identity {
	uint8_t boot_id[16];
	uint64_t pid_namespace; /* inode; 0: this kernel has none */
	int64_t time_offset_ns;
	uint32_t owner; /* effective user */
};

/* Reads it from /proc. -errno if there is no boot id to be had: nothing can be shared then. */
int il_identity_read(struct il_identity *ret_identity);

/* Everything that the steps of opening hand on. */
struct il_opening {
	const struct il_segment_options *options;
	const struct il_self *self;
	struct il_identity identity;
	int dir;           /* descriptor of options->dir */
	const char *wrong; /* the first thing found wrong with the file or directory; static text */
	int error;         /* the kernel's reason, -errno; 0: none */
};

/* Says what is wrong. Returns `error`, or -EINVAL where the kernel has nothing to do with it. */
int il_opening_fails(struct il_opening *opening, const char *wrong, int error);

/* The directory's descriptor, made if missing and checked; -errno. */
int il_directory_open(struct il_opening *opening);
int il_directory_existing(const char *dir, uint32_t owner, const char **ret_wrong);

/* Puts the parts of a mapping into the segment. */
void il_segment_place(struct il_segment *ret_segment, void *at, uint32_t breakers);

/* Attaches to the file: 0; -ENOENT: there is none, or no longer; other -errno: see `wrong`. */
int il_segment_attach(struct il_segment *ret_segment, struct il_opening *opening);

/* Makes the file under its name. 0; -EEXIST: somebody was faster; other -errno: see `wrong`. */
int il_segment_create(struct il_segment *ret_segment, struct il_opening *opening);

/* Fills in the header of a new registry, us on its list. */
void il_segment_fill(struct il_header *header, const struct il_opening *opening);

/* What is wrong with a file of that size that begins so, or NULL. */
const char *il_id_wrong(const struct il_registry_id *id, uint64_t file_bytes,
			const struct il_identity *identity);

/* Opens and checks the file. Its descriptor; -ENOENT: there is none; other -errno: see `wrong`. */
int il_file_open(struct il_opening *opening, int flags, uint32_t *ret_breakers);

/* Makes the kernel give the pages of these bytes. 0 or -ENOMEM. */
int il_segment_reserve_bytes(void *at, uint64_t bytes);

/* Temporary names: ".new-PID-TID-NAMESPACE". size >= IL_TEMPORARY_BYTES. */
#define IL_TEMPORARY_PREFIX ".new-"
#define IL_TEMPORARY_BYTES  64
void il_temporary_name(char *ret_name, size_t size, const struct il_opening *opening);

/* Removes the private files of the dead from a directory: IL_SWEEP_FILES are looked at, at most. */
#define IL_SWEEP_FILES 64
void il_directory_sweep(int dir, const struct il_identity *identity);

/* Is this a private file with nobody on its list alive? */
bool il_file_is_left(int fd, const struct il_identity *identity);

/* Removes the private file `name` if nobody on its list is alive. */
void il_file_sweep(int dir, const char *name, const struct il_identity *identity);

#endif
