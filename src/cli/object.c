#include "cli/object.h"

#include "cli/cli.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GO_NOTE_NAME "Go"

bool cli_names_have(const struct cli_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->all[i], name) == 0)
			return true;
	return false;
}

void cli_names_add(struct cli_names *names, const char *name)
{
	names->all = cli_more(names->all, (names->count + 1) * sizeof(*names->all));
	names->all[names->count++] = cli_text("%s", name);
}

/* The text at that place of the file, as far as it has one. */
static const char *text_at(Elf *elf, const GElf_Phdr *part)
{
	size_t bytes;
	const char *file = elf_rawfile(elf, &bytes);

	if (!file || part->p_offset >= bytes || part->p_filesz > bytes - part->p_offset)
		return NULL;
	return cli_text("%.*s", (int)strnlen(file + part->p_offset, part->p_filesz),
			file + part->p_offset);
}

/* Go's linker leaves its build's name in a note that no `strip` removes. */
static bool has_go_note(Elf *elf, const GElf_Phdr *part)
{
	Elf_Data *data =
		elf_getdata_rawchunk(elf, (int64_t)part->p_offset, part->p_filesz, ELF_T_NHDR);
	size_t name, text, at = 0;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &text)) > 0)
		if (note.n_namesz == sizeof(GO_NOTE_NAME) + 1 &&
		    memcmp((const char *)data->d_buf + name, GO_NOTE_NAME, sizeof(GO_NOTE_NAME)) ==
			    0)
			return true;
	return false;
}

static void read_parts(Elf *elf, struct cli_object *object)
{
	size_t count;
	GElf_Phdr part;

	if (elf_getphdrnum(elf, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &part))
			continue;
		if (part.p_type == PT_INTERP)
			object->loader = text_at(elf, &part);
		else if (part.p_type == PT_NOTE && has_go_note(elf, &part))
			object->is_go = true;
	}
}

static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			 struct cli_object *object)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 1; data && i < count && gelf_getsym(data, (int)i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		int type = GELF_ST_TYPE(symbol.st_info);

		if (!name || !*name ||
		    (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC))
			continue;
		cli_names_add(symbol.st_shndx == SHN_UNDEF ? &object->imports : &object->exports,
			      name);
	}
}

static void read_sections(Elf *elf, struct cli_object *object)
{
	GElf_Shdr header;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
			read_symbols(elf, section, &header, object);
}

static bool read_elf(Elf *elf, struct cli_object *object)
{
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return false;
	object->bits = gelf_getclass(elf) == ELFCLASS32 ? 32 : 64;
	read_parts(elf, object);
	read_sections(elf, object);
	return true;
}

bool cli_object_read(const char *path, struct cli_object *ret_object)
{
	struct cli_object object = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool is_elf = read_elf(elf, &object);

	elf_end(elf);
	close(fd);
	if (is_elf)
		*ret_object = object;
	return is_elf;
}

void cli_object_free(struct cli_object *object)
{
	free(object->imports.all);
	free(object->exports.all);
}
