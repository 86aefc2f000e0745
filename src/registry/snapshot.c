#include "registry/snapshot.h"

#include "base/file.h"
#include "registry/segment_priv.h"
#include "registry/words.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define TRIES 100

/* Where a snapshot comes from: a file, or a mapping. */
struct source {
	const struct il_reader *reader;	    /* NULL: the segment */
	const struct il_segment *segment;
};

/* Copies a part of the registry, in whole words. 0; -EIO: the file has shrunk; other -errno. */
static int copy_out(const struct source *source, void *ret_bytes, uint64_t at, size_t bytes)
{
	if (!source->reader) {
		il_words_copy(ret_bytes, (const uint8_t *)source->segment->header + at, bytes);
		__atomic_thread_fence(__ATOMIC_ACQUIRE); /* before what is read next */
		return 0;
	}
	ssize_t got = il_sys_pread(source->reader->fd, ret_bytes, bytes, (off_t)at);

	if (got < 0)
		return (int)got;
	return (size_t)got == bytes ? 0 : -EIO;
}

/* What changes whenever a slot does: read before and after it. */
struct version {
	uint64_t hash;
	uint64_t commit;
	uint64_t applied_and_facts;
	uint64_t incarnation;
};

static int read_version(const struct source *source, uint64_t hash_at, uint64_t slot_at,
			struct version *ret_version)
{
	_Static_assert(offsetof(struct il_slot, incarnation) ==
			       offsetof(struct il_slot, commit) + 2 * sizeof(uint64_t),
		       "these three are read at once");
	int error = copy_out(source, &ret_version->hash, hash_at, sizeof(uint64_t));

	if (error < 0)
		return error;
	return copy_out(source, &ret_version->commit, slot_at + offsetof(struct il_slot, commit),
			3 * sizeof(uint64_t));
}

static size_t cells_bytes_of(const struct il_slot *slot)
{
	return (il_cells_bytes(&slot->settings) + 7) / 8 * 8;
}

static int read_cells(const struct source *source, uint64_t cells_at,
		      struct il_snapshot *ret_snapshot)
{
	const struct il_slot *slot = &ret_snapshot->slot;
	size_t bytes = cells_bytes_of(slot);

	if (il_cells_bytes(&slot->settings) > IL_INLINE_CELLS)
		return copy_out(source, ret_snapshot->cells, cells_at, bytes);
	memcpy(ret_snapshot->cells, slot->cells, bytes);
	return 0;
}

/* One attempt. -EAGAIN: the slot changed meanwhile. */
static int read_once(const struct source *source, uint64_t hash_at, uint64_t slot_at,
		     uint64_t cells_at, struct il_snapshot *ret_snapshot)
{
	struct version before, after;
	int error = read_version(source, hash_at, slot_at, &before);

	if (error < 0)
		return error;
	if (before.hash == 0)
		return -ENOENT;
	error = copy_out(source, &ret_snapshot->slot, slot_at, sizeof(struct il_slot));
	if (error == 0)
		error = read_cells(source, cells_at, ret_snapshot);
	if (error == 0)
		error = read_version(source, hash_at, slot_at, &after);
	if (error < 0)
		return error;
	return memcmp(&before, &after, sizeof(before)) == 0 ? 0 : -EAGAIN;
}

static int read_slot(const struct source *source, uint32_t place, uint32_t breakers, int64_t now_ns,
		     struct il_snapshot *ret_snapshot)
{
	struct il_shape shape = il_segment_shape(breakers);
	uint64_t hash_at = IL_HASHES_AT + place * sizeof(uint64_t);
	uint64_t slot_at = shape.slots_at + place * sizeof(struct il_slot);
	uint64_t cells_at = shape.cells_at + place * (uint64_t)IL_CELLS_STRIDE;
	struct il_slot *slot = &ret_snapshot->slot;
	int error = -EAGAIN;

	if (place >= breakers)
		return -ENOENT;
	for (int i = 0; i < TRIES && error == -EAGAIN; i++)
		error = read_once(source, hash_at, slot_at, cells_at, ret_snapshot);
	if (error < 0)
		return error;
	slot->name[IL_NAME_BYTES - 1] = 0;
	il_slot_apply(slot, ret_snapshot->cells, il_cells_bytes(&slot->settings));
	ret_snapshot->look =
		il_breaker_look(&slot->breaker, &slot->settings, ret_snapshot->cells, now_ns);
	return 0;
}

int il_segment_read(const struct il_segment *segment, uint32_t place, int64_t now_ns,
		    struct il_snapshot *ret_snapshot)
{
	struct source source = { .segment = segment };

	return read_slot(&source, place, segment->breakers, now_ns, ret_snapshot);
}

int il_reader_read(const struct il_reader *reader, uint32_t place, int64_t now_ns,
		   struct il_snapshot *ret_snapshot)
{
	struct source source = { .reader = reader };

	return read_slot(&source, place, reader->breakers, now_ns, ret_snapshot);
}

static int open_checked(struct il_opening *opening, uint32_t *ret_breakers)
{
	int error = il_identity_read(&opening->identity);

	if (error < 0)
		return il_opening_fails(opening, "no boot id in /proc", error);
	opening->dir =
		il_directory_existing(opening->options->dir, opening->identity.owner, &opening->wrong);
	if (opening->dir < 0)
		return opening->dir;
	int fd = il_file_open(opening, O_RDONLY, ret_breakers);

	il_sys_close(opening->dir);
	return fd;
}

int il_reader_open(struct il_reader *ret_reader, const char *dir, const char *name,
		   const char **ret_wrong)
{
	struct il_segment_options options = { .dir = dir, .name = name };
	struct il_opening opening = { .options = &options };
	uint32_t breakers;
	int fd = open_checked(&opening, &breakers);

	if (fd < 0) {
		if (ret_wrong)
			*ret_wrong = opening.wrong ? opening.wrong : "it is not there";
		return fd;
	}
	*ret_reader = (struct il_reader){ .fd = fd, .breakers = breakers };
	return 0;
}

bool il_reader_is_left(const struct il_reader *reader)
{
	struct il_identity identity;

	return il_identity_read(&identity) == 0 && il_file_is_left(reader->fd, &identity);
}

void il_reader_close(struct il_reader *reader)
{
	if (reader->fd >= 0)
		il_sys_close(reader->fd);
	reader->fd = -1;
}
