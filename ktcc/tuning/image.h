/* The sections of a cubin, for the files that read one: every offset is checked, nothing is copied but headers. */
#ifndef KT_TUNING_IMAGE_H
#define KT_TUNING_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

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

#endif
