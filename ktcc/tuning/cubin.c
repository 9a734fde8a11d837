#include "tuning/cubin.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/fs.h"
#include "base/image.h"

static const char text_prefix[] = ".text.";
static const char bank_prefix[] = ".nv.constant0.";
static const char shared_prefix[] = ".nv.shared.";
static const char reserved_name[] = ".nv.shared.reserved.0";

/*
 * Attributes of ".nv.info" with the same form: a symbol and a value, 32 bits each. The names are those that
 * `cuobjdump -elf` prints.
 */
enum { EIATTR_FRAME_SIZE = 0x11, EIATTR_REGCOUNT = 0x2f, EIFMT_SIZED = 0x04 };

/* From compute capability 9.0 on the first KiB of shared memory is the system's, and the section counts it in. */
enum { SHARED_RESERVED_BYTES = 1024 };

static const char *behind(const char *name, const char *prefix, size_t length)
{
	return strncmp(name, prefix, length) == 0 && name[length] != '\0' ? name + length : NULL;
}

/* Banks are in the order of their functions, so that the search starts after the last hit. */
static bool has_bank(const struct kt_image *image, const char *function, size_t *hint)
{
	for (size_t i = 0; i < image->section_count; i++) {
		const size_t at = (*hint + i) % image->section_count;
		const char *bank = behind(kt_image_name(image, at), bank_prefix, sizeof bank_prefix - 1);

		if (bank != NULL && strcmp(bank, function) == 0) {
			*hint = at + 1;
			return true;
		}
	}
	return false;
}

/* The low part of a text section's info is its function's symbol. */
enum { SYMBOL_MASK = 0xffffff };

static void note_attribute(struct kt_cubin *cubin, const uint32_t *symbols, unsigned attribute, uint32_t symbol,
			   uint32_t value)
{
	for (size_t i = 0; i < cubin->count; i++) {
		if (symbols[i] != symbol)
			continue;
		if (attribute == EIATTR_REGCOUNT)
			cubin->functions[i].registers = value;
		else if (attribute == EIATTR_FRAME_SIZE)
			cubin->functions[i].local_bytes = value;
	}
}

/* Records of four bytes, some with a payload whose size they hold. */
static void read_attributes(struct kt_cubin *cubin, const uint32_t *symbols, const unsigned char *data, size_t size)
{
	for (size_t at = 0; size - at >= 4;) {
		const size_t payload = data[at] == EIFMT_SIZED ? data[at + 2] | (size_t)data[at + 3] << 8 : 0;
		uint32_t words[2];

		if (payload > size - at - 4)
			return;
		if (payload == sizeof words) {
			memcpy(words, data + at + 4, sizeof words);
			note_attribute(cubin, symbols, data[at + 1], words[0], words[1]);
		}
		at += 4 + payload;
	}
}

static void read_usage(struct kt_cubin *cubin, const uint32_t *symbols, const struct kt_image *image)
{
	bool reserved = false;

	for (size_t i = 0; i < image->section_count; i++)
		reserved = reserved || strcmp(kt_image_name(image, i), reserved_name) == 0;
	for (size_t i = 0; i < image->section_count; i++) {
		const Elf64_Shdr section = kt_image_section(image, i);
		const char *name = kt_image_name(image, i), *of = behind(name, shared_prefix, sizeof shared_prefix - 1);

		if (strcmp(name, ".nv.info") == 0 && kt_image_fits(image, section.sh_offset, section.sh_size))
			read_attributes(cubin, symbols, image->data + section.sh_offset, (size_t)section.sh_size);
		for (size_t f = 0; of != NULL && f < cubin->count; f++)
			if (strcmp(cubin->functions[f].name, of) == 0 && section.sh_size <= INT32_MAX)
				cubin->functions[f].shared_bytes =
				    (int64_t)section.sh_size -
				    (reserved && section.sh_size >= SHARED_RESERVED_BYTES ? SHARED_RESERVED_BYTES : 0);
	}
}

kt_status kt_cubin_parse(struct kt_cubin *out, struct kt_arena *arena, const void *data, size_t size,
			 struct kt_error *err)
{
	struct kt_image image = {.data = data, .size = size};
	struct kt_cubin cubin = {0, NULL};
	TRY(kt_image_open(&image, err));
	uint32_t *symbols = NULL, *symbol;
	size_t hint = 0, symbol_count = 0;

	for (size_t i = 0; i < image.section_count; i++) {
		const char *function = behind(kt_image_name(&image, i), text_prefix, sizeof text_prefix - 1);
		struct kt_cubin_entry *entry;

		if (function == NULL)
			continue;
		entry = kt_arena_push(arena, &cubin.functions, &cubin.count, sizeof *entry);
		symbol = kt_arena_push(arena, &symbols, &symbol_count, sizeof *symbol);
		if (entry != NULL)
			entry->name = kt_arena_strdup(arena, function);
		if (entry == NULL || symbol == NULL || entry->name == NULL)
			return kt_fail(err, KT_ERR_MEMORY, "out of memory for the functions of a cubin");
		entry->kernel = has_bank(&image, function, &hint);
		entry->registers = entry->local_bytes = -1;
		entry->code_bytes = (int64_t)kt_image_section(&image, i).sh_size;
		*symbol = kt_image_section(&image, i).sh_info & SYMBOL_MASK;
	}
	read_usage(&cubin, symbols, &image);
	*out = cubin;
	return KT_OK;
}

kt_status kt_cubin_read(struct kt_cubin *out, struct kt_arena *arena, const char *path, struct kt_error *err)
{
	struct kt_buf data = KT_BUF(KT_CUBIN_BYTES);
	kt_status status = kt_fs_read(&data, path, err);

	THEN(status, kt_cubin_parse(out, arena, data.data, data.size, err));
	kt_buf_free(&data);
	return status;
}

const struct kt_cubin_entry *kt_cubin_find(const struct kt_cubin *cubin, const char *name)
{
	return KT_FIND(cubin->functions, cubin->count, name, name);
}

struct match {
	const char *name;
	bool kernel, whole;
	size_t at, length;
};

static bool is_better(const struct match *a, const struct match *b)
{
	if (a->kernel != b->kernel)
		return a->kernel;
	if (a->whole != b->whole)
		return a->whole;
	if (a->at != b->at)
		return a->at < b->at;
	return a->length < b->length;
}

static bool find_match(struct match *out, const struct kt_cubin_entry *entry, const char *part)
{
	const char *found = strstr(entry->name, part);

	NEED(found, false);
	*out = (struct match){entry->name, entry->kernel, false, (size_t)(found - entry->name), strlen(entry->name)};
	for (; found != NULL; found = *found != '\0' ? strstr(found + 1, part) : NULL) {
		if (found == entry->name || !isdigit((unsigned char)part[0]) || !isdigit((unsigned char)found[-1])) {
			out->whole = true;
			out->at = (size_t)(found - entry->name);
			break;
		}
	}
	return true;
}

const char *kt_cubin_pick(const struct kt_cubin *cubin, const char *part)
{
	struct match best = {0}, match;

	for (size_t i = 0; i < cubin->count; i++)
		if (find_match(&match, &cubin->functions[i], part) && (best.name == NULL || is_better(&match, &best)))
			best = match;
	return best.name;
}

