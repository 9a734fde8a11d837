#include "tuning/code.h"

#include <stdbool.h>
#include <string.h>

#include "base/fs.h"
#include "tuning/cubin.h"

/* Sections without influence on what a launch does. */
static const char *const ignored[] = {".shstrtab", ".strtab", ".debug_", ".nv_debug", ".note", ".nv.callgraph"};

static bool is_ignored(const char *name)
{
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		if (strncmp(name, ignored[i], strlen(ignored[i])) == 0)
			return true;
	return false;
}

/* Is it the code of one of these functions? */
static bool is_text_of(const char *name, const char *functions)
{
	static const char prefix[] = ".text.";
	size_t length;

	if (strncmp(name, prefix, sizeof prefix - 1) != 0)
		return false;
	name += sizeof prefix - 1;
	for (const char *at = functions; at != NULL && *at != '\0'; at += length + (at[length] == ' ')) {
		length = strcspn(at, " ");
		if (strncmp(at, name, length) == 0 && name[length] == '\0')
			return true;
	}
	return functions == NULL;
}

/* Appends a name with `part` left out. */
static void add_name(struct kt_hash *hash, const char *name, const char *part)
{
	const char *at = part != NULL && part[0] != '\0' ? strstr(name, part) : NULL;
	const size_t before = at != NULL ? (size_t)(at - name) : strlen(name);

	kt_hash_int(hash, "before", (int64_t)before);
	kt_hash_bytes(hash, name, before);
	kt_hash_field(hash, "behind", at != NULL ? at + strlen(part) : NULL);
}

static kt_status add_section(struct kt_hash *hash, const struct kt_image *image, size_t index, struct kt_error *err)
{
	const Elf64_Shdr section = kt_image_section(image, index);
	const bool has_bytes = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;

	kt_hash_int(hash, "size", (int64_t)section.sh_size);
	if (!has_bytes)
		return KT_OK;
	if (!kt_image_fits(image, section.sh_offset, section.sh_size))
		return kt_fail(err, KT_ERR_CORRUPT, "damaged cubin: section %zu does not fit", index);
	kt_hash_bytes(hash, image->data + section.sh_offset, (size_t)section.sh_size);
	return KT_OK;
}

/* What the code refers to: names, places, sizes. Offsets into the table of names differ with the names' lengths. */
static kt_status add_symbols(struct kt_hash *hash, const struct kt_image *image, size_t index, const char *part,
			     struct kt_error *err)
{
	struct kt_image_symbols symbols;
	TRY(kt_image_symbols(&symbols, image, index, err));
	for (size_t i = 0; i < symbols.count; i++) {
		const Elf64_Sym symbol = kt_image_symbol(&symbols, i);
		add_name(hash, kt_image_symbol_name(&symbols, &symbol), part);
		kt_hash_int(hash, "info", symbol.st_info);
		kt_hash_int(hash, "other", symbol.st_other);
		kt_hash_int(hash, "section", symbol.st_shndx);
		kt_hash_int(hash, "value", (int64_t)symbol.st_value);
		kt_hash_int(hash, "bytes", (int64_t)symbol.st_size);
	}
	return KT_OK;
}

/* `whole`: everything but what is ignored, under its name without `part`; else the code of functions called `part`. */
static kt_status hash_file(char out[KT_HASH_TEXT], const char *path, bool whole, const char *part, struct kt_error *err)
{
	struct kt_buf data = KT_BUF(KT_CUBIN_BYTES);
	struct kt_image image = {0};
	struct kt_hash hash;
	kt_status status = kt_fs_read(&data, path, err);

	kt_hash_init(&hash);
	image.data = (const unsigned char *)data.data;
	image.size = data.size;
	THEN(status, kt_image_open(&image, err));
	for (size_t i = 0; status == KT_OK && i < image.section_count; i++) {
		const char *name = kt_image_name(&image, i);

		if (whole ? is_ignored(name) : !is_text_of(name, part))
			continue;
		if (whole)
			add_name(&hash, name, part);
		status = whole && kt_image_section(&image, i).sh_type == SHT_SYMTAB
			     ? add_symbols(&hash, &image, i, part, err)
			     : add_section(&hash, &image, i, err);
	}
	kt_hash_final(&hash, out);
	kt_buf_free(&data);
	return status;
}

kt_status kt_code_hash(char out[KT_HASH_TEXT], const char *path, const char *functions, struct kt_error *err)
{
	return hash_file(out, path, false, functions, err);
}

kt_status kt_module_hash(char out[KT_HASH_TEXT], const char *path, const char *name, struct kt_error *err)
{
	return hash_file(out, path, true, name, err);
}

/* Nearly the same: registers within an eighth, bytes of code within a quarter; local and shared memory may differ by
 * this. */
enum { REGISTERS_LEAST = 8, LOCAL_BYTES_MOST = 32, SHARED_BYTES_MOST = 64 };

static bool is_near(int64_t a, int64_t b, int64_t part, int64_t least)
{
	const int64_t more = a > b ? a : b, difference = a > b ? a - b : b - a;

	return difference <= least || difference * part <= more;
}

static bool is_alike(const struct kt_cubin_entry *a, const struct kt_cubin_entry *b)
{
	return is_near(a->registers, b->registers, 8, REGISTERS_LEAST) &&
	       is_near(a->code_bytes, b->code_bytes, 4, 512) &&
	       is_near(a->local_bytes, b->local_bytes, 8, LOCAL_BYTES_MOST) &&
	       is_near(a->shared_bytes, b->shared_bytes, 64, SHARED_BYTES_MOST);
}

static const struct kt_cubin_entry *next_entry(const struct kt_cubin *cubin, struct kt_arena *arena, const char **at)
{
	const size_t length = strcspn(*at, " ");
	const char *name = kt_arena_strndup(arena, *at, length);

	*at += length + ((*at)[length] == ' ');
	return name != NULL ? kt_cubin_find(cubin, name) : NULL;
}

static kt_status compare_usage(enum kt_likeness *out, struct kt_arena *arena, const char *path, const char *functions,
			       const char *other_path, const char *other_functions, struct kt_error *err)
{
	struct kt_cubin cubin, other;
	TRY(kt_cubin_read(&cubin, arena, path, err));

	TRY(kt_cubin_read(&other, arena, other_path, err));
	*out = KT_CODE_ALIKE;
	while (*functions != '\0' && *other_functions != '\0') {
		const struct kt_cubin_entry *a = next_entry(&cubin, arena, &functions),
					    *b = next_entry(&other, arena, &other_functions);

		if (a == NULL || b == NULL || !is_alike(a, b))
			*out = KT_CODE_OTHER;
	}
	if (*functions != '\0' || *other_functions != '\0')
		*out = KT_CODE_OTHER;
	return KT_OK;
}

kt_status kt_code_compare(enum kt_likeness *out, const char *path, const char *functions, const char *other_path,
			  const char *other_functions, struct kt_error *err)
{
	struct kt_arena *arena = kt_arena_new(KT_CUBIN_BYTES);
	char hash[KT_HASH_TEXT], other[KT_HASH_TEXT];
	kt_status status = arena != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory to compare code");

	THEN(status, kt_code_hash(hash, path, functions, err));
	THEN(status, kt_code_hash(other, other_path, other_functions, err));
	if (status == KT_OK && strcmp(hash, other) == 0)
		*out = KT_CODE_EQUAL;
	else if (status == KT_OK)
		status = compare_usage(out, arena, path, functions, other_path, other_functions, err);
	kt_arena_free(arena);
	return status;
}
