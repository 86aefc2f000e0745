#include "registry/segment_priv.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define PAGE_BYTES 4096U /* of the file's arrangement, whatever the machine's is */
#define LINE_BYTES 64U
#define RETRIES    4 /* a file that comes and goes between our looks */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

struct il_shape il_segment_shape(uint32_t breakers)
{
	struct il_shape shape;

	shape.slots_at = round_up(IL_HASHES_AT + breakers * sizeof(uint64_t), LINE_BYTES);
	shape.cells_at = round_up(shape.slots_at + breakers * sizeof(struct il_slot), PAGE_BYTES);
	shape.bytes = shape.cells_at + breakers * (uint64_t)IL_CELLS_STRIDE;
	return shape;
}

void il_segment_place(struct il_segment *ret_segment, void *at, uint32_t breakers)
{
	struct il_shape shape = il_segment_shape(breakers);
	uint8_t *bytes = at;

	*ret_segment = (struct il_segment){
		.header = at,
		.hashes = (uint64_t *)(void *)(bytes + IL_HASHES_AT),
		.slots = (struct il_slot *)(void *)(bytes + shape.slots_at),
		.cells = bytes + shape.cells_at,
		.breakers = breakers,
	};
}

/* Kernels before 5.14 do not know the advice; touching page by page says the same. */
int il_segment_reserve_bytes(void *at, uint64_t bytes)
{
	uintptr_t page = getauxval(AT_PAGESZ);
	uintptr_t first = (uintptr_t)at / page * page;
	uintptr_t end = round_up((uintptr_t)at + bytes, page);

	if (il_sys_madvise((void *)first, end - first, MADV_POPULATE_WRITE) == 0)
		return 0;
	for (; first < end; first += page)
		if (il_sys_touch((uint32_t *)first) < 0)
			return -ENOMEM;
	return 0;
}

static bool fits_slot(const struct il_settings *settings)
{
	return il_cells_bytes(settings) <= IL_INLINE_CELLS;
}

void *il_segment_cells(const struct il_segment *segment, uint32_t slot,
		       const struct il_settings *settings)
{
	if (fits_slot(settings))
		return segment->slots[slot].cells;
	return segment->cells + (uint64_t)slot * IL_CELLS_STRIDE;
}

int il_segment_reserve(const struct il_segment *segment, uint32_t slot,
		       const struct il_settings *settings)
{
	int error = il_segment_reserve_bytes(&segment->slots[slot], sizeof(struct il_slot));

	if (error < 0 || fits_slot(settings))
		return error;
	return il_segment_reserve_bytes(il_segment_cells(segment, slot, settings),
					il_cells_bytes(settings));
}

int il_opening_fails(struct il_opening *opening, const char *wrong, int error)
{
	opening->wrong = wrong;
	opening->error = error;
	return error ? error : -EINVAL;
}

static int open_file(struct il_segment *ret_segment, struct il_opening *opening)
{
	int error = il_identity_read(&opening->identity);

	if (error < 0)
		return il_opening_fails(opening, "no boot id in /proc", error);
	opening->dir = il_directory_open(opening);
	if (opening->dir < 0)
		return opening->dir;
	for (int i = 0; i < RETRIES; i++) {
		error = il_segment_attach(ret_segment, opening);
		if (error != -ENOENT)
			break;
		error = il_segment_create(ret_segment, opening);
		if (error != -EEXIST)
			break;
	}
	il_sys_close(opening->dir);
	if ((error == -ENOENT || error == -EEXIST) && !opening->wrong)
		return il_opening_fails(opening, "it comes and goes", error);
	return error;
}

static void say_why(struct il_text *why, const struct il_opening *opening)
{
	const struct il_segment_options *options = opening->options;

	il_text_add(why, "registry ");
	il_text_quoted(why, options->dir, strlen(options->dir));
	il_text_add(why, "/");
	il_text_quoted(why, options->name, strlen(options->name));
	il_text_add(why, ": ");
	il_text_add(why, opening->wrong);
	if (opening->error) {
		il_text_add(why, " (errno ");
		il_text_signed(why, -opening->error);
		il_text_add(why, ")");
	}
	il_text_add(why, "; its breakers live in memory of this process and its forks");
}

static int open_anonymous(struct il_segment *ret_segment, const struct il_opening *opening)
{
	uint32_t breakers = opening->options->breakers;
	struct il_shape shape = il_segment_shape(breakers);
	void *at = il_sys_mmap(shape.bytes, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (il_sys_mmap_failed(at))
		return -ENOMEM;
	if (il_segment_reserve_bytes(at, shape.slots_at) < 0) {
		il_sys_munmap(at, shape.bytes);
		return -ENOMEM;
	}
	il_segment_fill(at, opening);
	il_segment_place(ret_segment, at, breakers);
	ret_segment->anonymous = true;
	return 0;
}

int il_segment_open(struct il_segment *ret_segment, const struct il_segment_options *options,
		    const struct il_self *self, char *ret_why, size_t why_size)
{
	struct il_opening opening = { .options = options, .self = self, .dir = -1 };
	struct il_text why = il_text_in(ret_why, why_size);

	if (options->breakers < 1 || options->breakers > IL_BREAKERS_MAX)
		return -EINVAL;
	if (open_file(ret_segment, &opening) == 0)
		return 0;
	say_why(&why, &opening);
	return open_anonymous(ret_segment, &opening);
}
