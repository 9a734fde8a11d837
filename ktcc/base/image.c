#include "base/image.h"

#include <string.h>

/* Of variables, as nvcc marks them in what is still to be linked; elsewhere they are STT_OBJECT. */
enum { STT_CUDA_OBJECT = 13 };

static kt_status corrupt(const char *what, struct kt_error *err)
{
	return kt_fail(err, KT_ERR_CORRUPT, "damaged cubin: %s", what);
}

Elf64_Shdr kt_image_section(const struct kt_image *image, size_t index)
{
	Elf64_Shdr section;

	memcpy(&section, image->data + image->sections + index * sizeof section, sizeof section);
	return section;
}

bool kt_image_fits(const struct kt_image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

kt_status kt_image_open(struct kt_image *image, struct kt_error *err)
{
	Elf64_Ehdr header;
	Elf64_Shdr names;
	uint64_t count;
	size_t names_index;

	if (image->size < sizeof header)
		return corrupt("too short", err);
	memcpy(&header, image->data, sizeof header);
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return corrupt("not a 64-bit little-endian ELF file", err);
	if (header.e_shentsize != sizeof names || header.e_shoff == 0 ||
	    !kt_image_fits(image, header.e_shoff, sizeof names))
		return corrupt("no section headers", err);
	image->sections = header.e_shoff;
	/* With more than 65279 sections, the first header has the real numbers. */
	const Elf64_Shdr first = kt_image_section(image, 0);
	count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
	names_index = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first.sh_link;
	if (count > KT_CUBIN_SECTIONS || !kt_image_fits(image, header.e_shoff, count * sizeof names))
		return corrupt("section headers do not fit", err);
	if (names_index >= count)
		return corrupt("no section names", err);
	names = kt_image_section(image, names_index);
	if (names.sh_type != SHT_STRTAB || names.sh_size == 0 ||
	    !kt_image_fits(image, names.sh_offset, names.sh_size) ||
	    image->data[names.sh_offset + names.sh_size - 1] != '\0')
		return corrupt("section names do not fit", err);
	image->section_count = (size_t)count;
	image->names = (const char *)image->data + names.sh_offset;
	image->names_size = (size_t)names.sh_size;
	return KT_OK;
}

const char *kt_image_name(const struct kt_image *image, size_t index)
{
	const Elf64_Shdr section = kt_image_section(image, index);

	return section.sh_name < image->names_size ? image->names + section.sh_name : "";
}

kt_status kt_image_symbols(struct kt_image_symbols *out, const struct kt_image *image, size_t index,
			   struct kt_error *err)
{
	const Elf64_Shdr section = kt_image_section(image, index);
	const Elf64_Shdr names =
	    section.sh_link < image->section_count ? kt_image_section(image, section.sh_link) : (Elf64_Shdr){0};

	if (!kt_image_fits(image, section.sh_offset, section.sh_size) || names.sh_type != SHT_STRTAB ||
	    !kt_image_fits(image, names.sh_offset, names.sh_size) || names.sh_size == 0 ||
	    image->data[names.sh_offset + names.sh_size - 1] != '\0')
		return corrupt("its symbols do not fit", err);
	*out = (struct kt_image_symbols){.data = image->data + section.sh_offset,
					 .count = (size_t)(section.sh_size / sizeof(Elf64_Sym)),
					 .names = (const char *)image->data + names.sh_offset,
					 .names_size = (size_t)names.sh_size};
	return KT_OK;
}

Elf64_Sym kt_image_symbol(const struct kt_image_symbols *symbols, size_t index)
{
	Elf64_Sym symbol;

	memcpy(&symbol, symbols->data + index * sizeof symbol, sizeof symbol);
	return symbol;
}

const char *kt_image_symbol_name(const struct kt_image_symbols *symbols, const Elf64_Sym *symbol)
{
	return symbol->st_name < symbols->names_size ? symbols->names + symbol->st_name : "";
}

static bool is_variable(const Elf64_Sym *symbol)
{
	const unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return (type == STT_OBJECT || type == STT_CUDA_OBJECT) && symbol->st_shndx != SHN_UNDEF && symbol->st_size != 0;
}

static kt_status add_variables(const char ***out, size_t *count, struct kt_arena *arena,
			       const struct kt_image_symbols *symbols, struct kt_error *err)
{
	for (size_t i = 0; i < symbols->count; i++) {
		const Elf64_Sym symbol = kt_image_symbol(symbols, i);

		if (!is_variable(&symbol))
			continue;
		if (!kt_arena_push_text(arena, out, count, kt_arena_strdup(arena, kt_image_symbol_name(symbols, &symbol))))
			return kt_fail(err, KT_ERR_MEMORY, "out of memory for the variables of a cubin");
	}
	return KT_OK;
}

kt_status kt_image_variables(const char ***out, size_t *count, struct kt_arena *arena, const struct kt_image *image,
			     struct kt_error *err)
{
	*out = NULL;
	*count = 0;
	for (size_t i = 0; i < image->section_count; i++) {
		struct kt_image_symbols symbols;

		if (kt_image_section(image, i).sh_type != SHT_SYMTAB)
			continue;
		TRY(kt_image_symbols(&symbols, image, i, err));
		TRY(add_variables(out, count, arena, &symbols, err));
	}
	return KT_OK;
}
