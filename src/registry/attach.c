/* Attaching to the file of a registry, and making it. */
#include "registry/segment_priv.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>

#define OTHERS_WRITE  022U
#define SWEEP_WAITS   10 /* for somebody who looks whether the file can go: microseconds */
#define SWEEP_WAIT_NS 50000

void il_segment_fill(struct il_header *header, const struct il_opening *opening)
{
	const struct il_segment_options *options = opening->options;
	struct il_registry_id *id = &header->id;
	struct il_shape shape = il_segment_shape(options->breakers);

	*id = (struct il_registry_id){
		.magic = IL_LAYOUT_MAGIC,
		.version = IL_LAYOUT_VERSION,
		.breakers = options->breakers,
		.bytes = shape.bytes,
		.slots_at = shape.slots_at,
		.cells_at = shape.cells_at,
		.slot_bytes = sizeof(struct il_slot),
		.cells_bytes = IL_CELLS_STRIDE,
		.pid_namespace = opening->identity.pid_namespace,
		.time_offset_ns = opening->identity.time_offset_ns,
		.owner = opening->identity.owner,
		.permanent = options->permanent,
	};
	memcpy(id->boot_id, opening->identity.boot_id, sizeof(id->boot_id));
	header->attached[0].who = (uint64_t)opening->self->start << 32 | opening->self->pid;
}

static const char *arrangement_wrong(const struct il_registry_id *id, uint64_t file_bytes)
{
	if (id->breakers < 1 || id->breakers > IL_BREAKERS_MAX)
		return "its header is damaged";

	struct il_shape shape = il_segment_shape(id->breakers);

	if (id->slots_at != shape.slots_at || id->cells_at != shape.cells_at ||
	    id->slot_bytes != sizeof(struct il_slot) || id->cells_bytes != IL_CELLS_STRIDE)
		return "its header is damaged";
	if (id->bytes != shape.bytes || file_bytes != shape.bytes)
		return "it has not the size that its header says";
	return NULL;
}

const char *il_id_wrong(const struct il_registry_id *id, uint64_t file_bytes,
			const struct il_identity *identity)
{
	if (id->magic != IL_LAYOUT_MAGIC)
		return "it is not a registry";
	if (id->version != IL_LAYOUT_VERSION)
		return "it has another layout version";
	if (memcmp(id->boot_id, identity->boot_id, sizeof(id->boot_id)) != 0)
		return "it is from before the last boot, or from another machine";
	if (id->pid_namespace != identity->pid_namespace)
		return "it belongs to another pid namespace";
	if (id->time_offset_ns != identity->time_offset_ns)
		return "it belongs to another time namespace";
	if (id->owner != identity->owner)
		return "it belongs to another user";
	return arrangement_wrong(id, file_bytes);
}

static int check_file(int fd, struct il_opening *opening, uint32_t *ret_breakers)
{
	struct il_registry_id id;
	struct stat stat;
	int error = il_sys_fstat(fd, &stat);

	if (error < 0)
		return il_opening_fails(opening, "cannot look at it", error);
	if (!S_ISREG(stat.st_mode))
		return il_opening_fails(opening, "it is not a regular file", 0);
	if (stat.st_uid != opening->identity.owner || stat.st_mode & OTHERS_WRITE)
		return il_opening_fails(opening, "it belongs to another user", 0);
	if (il_sys_pread(fd, &id, sizeof(id), 0) != sizeof(id))
		return il_opening_fails(opening, "it is too short for a registry", 0);

	const char *wrong = il_id_wrong(&id, (uint64_t)stat.st_size, &opening->identity);

	if (wrong)
		return il_opening_fails(opening, wrong, 0);
	*ret_breakers = id.breakers;
	return 0;
}

int il_file_open(struct il_opening *opening, int flags, uint32_t *ret_breakers)
{
	int fd = il_sys_openat(opening->dir, opening->options->name,
			       flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);

	if (fd == -ENOENT)
		return fd;
	if (fd == -ELOOP)
		return il_opening_fails(opening, "it is a symbolic link", 0);
	if (fd < 0)
		return il_opening_fails(opening, "cannot open it", fd);
	int error = check_file(fd, opening, ret_breakers);

	if (error) {
		il_sys_close(fd);
		return error;
	}
	return fd;
}

static int map(int fd, uint32_t breakers, struct il_segment *ret_segment)
{
	void *at = il_sys_mmap(il_segment_shape(breakers).bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			       fd, 0);
	int error = il_sys_mmap_failed(at);

	if (error < 0)
		return error;
	il_segment_place(ret_segment, at, breakers);
	return 0;
}

/* Whoever sweeps holds the file alone while it looks and removes. It is not waited for long: what
 * could be lost is only that the family shares one registry. */
static void keep_sweepers_off(int fd)
{
	for (int i = 0; i < SWEEP_WAITS; i++) {
		if (il_sys_flock(fd, LOCK_SH | LOCK_NB) != -EWOULDBLOCK)
			return;
		il_sys_nanosleep(SWEEP_WAIT_NS);
	}
}

static bool is_removed(int fd)
{
	struct stat stat;

	return il_sys_fstat(fd, &stat) == 0 && stat.st_nlink == 0;
}

static int map_and_join(int fd, uint32_t breakers, struct il_segment *ret_segment,
			struct il_opening *opening)
{
	struct il_segment segment;

	keep_sweepers_off(fd);
	int error = map(fd, breakers, &segment);
	if (error < 0)
		return il_opening_fails(opening, "cannot map it", error);
	il_segment_join(&segment, opening->self);
	bool removed = is_removed(fd);

	/* The mapping keeps the open file, and with it the lock, after its descriptor is closed. */
	il_sys_flock(fd, LOCK_UN);
	if (removed) {
		il_segment_discard(&segment);
		return -ENOENT;
	}
	*ret_segment = segment;
	return 0;
}

int il_segment_attach(struct il_segment *ret_segment, struct il_opening *opening)
{
	uint32_t breakers;
	int fd = il_file_open(opening, O_RDWR, &breakers);

	if (fd < 0)
		return fd;
	int error = map_and_join(fd, breakers, ret_segment, opening);

	il_sys_close(fd);
	return error;
}

static int create_temporary(const char *name, struct il_opening *opening)
{
	int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;
	int fd = il_sys_openat(opening->dir, name, flags, 0600);

	if (fd != -EEXIST)
		return fd;
	/* Left by a process that had our numbers and was killed here. */
	il_sys_unlinkat(opening->dir, name);
	return il_sys_openat(opening->dir, name, flags, 0600);
}

static int fill_file(int fd, struct il_segment *ret_segment, struct il_opening *opening)
{
	uint32_t breakers = opening->options->breakers;
	struct il_shape shape = il_segment_shape(breakers);
	int error = il_sys_fchmod(fd, 0600);

	if (error == 0)
		error = il_sys_ftruncate(fd, (off_t)shape.bytes);
	if (error < 0)
		return il_opening_fails(opening, "cannot give it its size", error);
	error = map(fd, breakers, ret_segment);
	if (error < 0)
		return il_opening_fails(opening, "cannot map it", error);
	error = il_segment_reserve_bytes(ret_segment->header, shape.slots_at);
	if (error < 0) {
		il_segment_discard(ret_segment);
		return il_opening_fails(opening, "no space for it", error);
	}
	il_segment_fill(ret_segment->header, opening);
	return 0;
}

/* Complete before it has its name: nobody ever meets half a registry. */
static int fill_and_link(int fd, const char *temporary, struct il_segment *ret_segment,
			 struct il_opening *opening)
{
	struct il_segment segment;
	int error = fill_file(fd, &segment, opening);

	if (error)
		return error;
	error = il_sys_linkat(opening->dir, temporary, opening->options->name);
	if (error == 0) {
		*ret_segment = segment;
		return 0;
	}
	il_segment_discard(&segment);
	return error == -EEXIST ? error : il_opening_fails(opening, "cannot name it", error);
}

int il_segment_create(struct il_segment *ret_segment, struct il_opening *opening)
{
	char temporary[IL_TEMPORARY_BYTES];

	/* Beyond that limit ftruncate would raise SIGXFSZ in the program. */
	if (il_sys_file_limit() < il_segment_shape(opening->options->breakers).bytes)
		return il_opening_fails(opening, "it would be larger than the file size limit", 0);
	il_temporary_name(temporary, sizeof(temporary), opening);
	int fd = create_temporary(temporary, opening);
	if (fd < 0)
		return il_opening_fails(opening, "cannot make it", fd);
	int error = fill_and_link(fd, temporary, ret_segment, opening);

	il_sys_unlinkat(opening->dir, temporary);
	il_sys_close(fd);
	if (error == 0)
		il_directory_sweep(opening->dir, &opening->identity);
	return error;
}
