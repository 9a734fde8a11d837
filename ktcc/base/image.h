/* The sections of a cubin, for the files that read one: every offset is checked, nothing is copied but headers. */
#ifndef KT_BASE_IMAGE_H
#define KT_BASE_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

#define KT_CUBIN_BYTES ((size_t)512 << 20) /* largest cubin that is read */
#define KT_CUBIN_SECTIONS ((size_t)1 << 20)

struct kt_image {
	const unsigned char *data;
	size_t size, section_count;
	uint64_t sections; /* offset of the section headers */
	const char *names; /* string table of section names, ends with NUL */
	size_t names_size;
};

/* Reads the header of data and size, which the caller has set. KT_ERR_CORRUPT: it is no cubin. */
kt_status kt_image_open(struct kt_image *image, struct kt_error *err) KT_MUST_CHECK;
/* Section headers may be at any alignment: they are copied out. */
Elf64_Shdr kt_image_section(const struct kt_image *image, size_t index);
/* "": it has none. */
const char *kt_image_name(const struct kt_image *image, size_t index);
/* Are these bytes within the file? */
bool kt_image_fits(const struct kt_image *image, uint64_t offset, uint64_t size);

/* A symbol table. */
struct kt_image_symbols {
	const unsigned char *data;
	size_t count;
	const char *names; /* ends with NUL */
	size_t names_size;
};

/* Of the section of that index, which the caller knows to be a symbol table. KT_ERR_CORRUPT: it does not fit. */
kt_status kt_image_symbols(struct kt_image_symbols *out, const struct kt_image *image, size_t index,
                           struct kt_error *err) KT_MUST_CHECK;
Elf64_Sym kt_image_symbol(const struct kt_image_symbols *symbols, size_t index);
/* "": it has none. */
const char *kt_image_symbol_name(const struct kt_image_symbols *symbols, const Elf64_Sym *symbol);
/*
 * Names of the variables that the file has memory for on the device, __constant__ ones included, allocated in arena:
 * the file may be freed.
 */
kt_status kt_image_variables(const char ***out, size_t *count, struct kt_arena *arena, const struct kt_image *image,
                             struct kt_error *err) KT_MUST_CHECK;

#endif
