#include "base/vdso.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CLOCK_NAME "__vdso_clock_gettime"

/* What the dynamic section says, as addresses in this process. */
struct image {
	const char *base; /* what its addresses are counted from */
	const Elf64_Dyn *dynamic;
	const Elf64_Sym *symbols;
	const char *names;
	const uint32_t *hash; /* of the old kind: its second word is the number of symbols */
};

/* The kernel has not relocated the image: its addresses are counted from the first segment. */
static bool find_dynamic(struct image *ret_image, const Elf64_Ehdr *header)
{
	const Elf64_Phdr *segment = (const void *)((const char *)header + header->e_phoff);
	const Elf64_Phdr *end = segment + header->e_phnum;
	const Elf64_Phdr *load = NULL, *dynamic = NULL;

	for (; segment < end; segment++) {
		if (segment->p_type == PT_LOAD && !load)
			load = segment;
		else if (segment->p_type == PT_DYNAMIC)
			dynamic = segment;
	}
	if (!load || !dynamic)
		return false;
	ret_image->base = (const char *)header + load->p_offset - load->p_vaddr;
	ret_image->dynamic = (const void *)((const char *)header + dynamic->p_offset);
	return true;
}

static bool find_tables(struct image *image)
{
	for (const Elf64_Dyn *entry = image->dynamic; entry->d_tag != DT_NULL; entry++) {
		const void *at = image->base + entry->d_un.d_ptr;

		if (entry->d_tag == DT_SYMTAB)
			image->symbols = at;
		else if (entry->d_tag == DT_STRTAB)
			image->names = at;
		else if (entry->d_tag == DT_HASH)
			image->hash = at;
	}
	return image->symbols && image->names && image->hash;
}

static const void *find_symbol(const struct image *image, const char *name)
{
	for (uint32_t i = 0; i < image->hash[1]; i++) {
		const Elf64_Sym *symbol = &image->symbols[i];

		if (symbol->st_shndx != SHN_UNDEF && !strcmp(image->names + symbol->st_name, name))
			return image->base + symbol->st_value;
	}
	return NULL;
}

il_vdso_clock il_vdso_find_clock(const void *base)
{
	const Elf64_Ehdr *header = base;
	struct image image = { 0 };

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	if (!find_dynamic(&image, header) || !find_tables(&image))
		return NULL;
	return (il_vdso_clock)(uintptr_t)find_symbol(&image, CLOCK_NAME);
}
