#include <string.h>

#include "store/internal.h"

/*
 * A manifest as bytes: 64-bit little-endian integers and texts (length + 1,
 * bytes, a NUL; 0: NULL), in the order of the record. The first integer is the
 * version of this form.
 */
#define FORM 5
#define ITEMS_MOST ((uint64_t)1 << 20)

static void put_int(struct kt_buf *out, uint64_t value)
{
	unsigned char bytes[8];
	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(value >> (8 * i));
	kt_buf_add(out, bytes, sizeof bytes);
}

static void put_text(struct kt_buf *out, const char *text)
{
	size_t length = text != NULL ? strlen(text) : 0;
	put_int(out, text != NULL ? (uint64_t)length + 1 : 0);
	kt_buf_add(out, text, text != NULL ? length + 1 : 0);
}

static void put_texts(struct kt_buf *out, const char *const *texts, size_t count)
{
	put_int(out, count);
	for (size_t i = 0; i < count; i++)
		put_text(out, texts[i]);
}

static void put_file(struct kt_buf *out, const struct kt_manifest_file *file)
{
	put_text(out, file->path);
	put_int(out, file->stamp.device);
	put_int(out, file->stamp.inode);
	put_int(out, file->stamp.size);
	put_int(out, (uint64_t)file->stamp.mtime_ns);
	put_int(out, (uint64_t)file->stamp.ctime_ns);
	put_text(out, file->hash);
}

static void put_emitted(struct kt_buf *out, const struct kt_emitted *emitted)
{
	put_int(out, emitted->file_count);
	for (size_t i = 0; i < emitted->file_count; i++) {
		put_text(out, emitted->files[i].name);
		put_text(out, emitted->files[i].original);
		put_text(out, emitted->files[i].text);
	}
	put_texts(out, emitted->folders, emitted->folder_count);
	put_texts(out, emitted->lookups, emitted->lookup_count);
}

kt_status kt_manifest_encode(struct kt_buf *out, const struct kt_manifest *manifest, struct kt_error *err)
{
	const char *const texts[] = {manifest->lock_dir, manifest->lock_hash, manifest->reason, manifest->message};
	put_int(out, FORM);
	put_int(out, manifest->file_count);
	for (size_t i = 0; i < manifest->file_count; i++)
		put_file(out, &manifest->files[i]);
	put_texts(out, manifest->absent, manifest->absent_count);
	put_int(out, manifest->lookup_count);
	for (size_t i = 0; i < manifest->lookup_count; i++) {
		put_text(out, manifest->lookups[i].region_key);
		put_text(out, manifest->lookups[i].device_key);
		put_int(out, (uint64_t)manifest->lookups[i].generation);
	}
	put_texts(out, manifest->region_names, manifest->region_count);
	put_texts(out, manifest->extra, manifest->extra_count);
	put_texts(out, manifest->dependencies, manifest->dependency_count);
	put_emitted(out, &manifest->emitted);
	put_texts(out, texts, sizeof texts / sizeof texts[0]);
	put_int(out, manifest->lasting);
	return kt_buf_check(out, "a manifest", err);
}

/* A read position; `bad` once something did not fit, and all later reads give zeros. */
struct reader {
	const unsigned char *at;
	size_t left;
	struct kt_arena *arena;
	bool bad;
};

static uint64_t get_int(struct reader *in)
{
	uint64_t value = 0;
	if (in->bad || in->left < 8) {
		in->bad = true;
		return 0;
	}
	for (int i = 0; i < 8; i++)
		value |= (uint64_t)in->at[i] << (8 * i);
	in->at += 8;
	in->left -= 8;
	return value;
}

static const char *get_text(struct reader *in)
{
	uint64_t size = get_int(in);
	const char *text = (const char *)in->at;
	if (in->bad || size == 0)
		return NULL;
	if (size > in->left || memchr(text, '\0', (size_t)size) != text + size - 1) {
		in->bad = true;
		return NULL;
	}
	in->at += size;
	in->left -= (size_t)size;
	return text;
}

/* Room for as many items as the data claims, if it could hold that many at all. */
static void *get_items(struct reader *in, size_t *count, size_t size)
{
	uint64_t claimed = get_int(in);
	if (in->bad || claimed > ITEMS_MOST || claimed > in->left / 8) {
		in->bad = true;
		return NULL;
	}
	void *items = kt_arena_array(in->arena, (size_t)claimed + 1, size);
	in->bad = items == NULL;
	*count = in->bad ? 0 : (size_t)claimed;
	return items;
}

static const char **get_texts(struct reader *in, size_t *count)
{
	const char **texts = get_items(in, count, sizeof *texts);
	for (size_t i = 0; !in->bad && i < *count; i++) {
		texts[i] = get_text(in);
		in->bad = in->bad || texts[i] == NULL;
	}
	return texts;
}

static void get_file(struct reader *in, struct kt_manifest_file *file)
{
	file->path = get_text(in);
	file->stamp.device = get_int(in);
	file->stamp.inode = get_int(in);
	file->stamp.size = get_int(in);
	file->stamp.mtime_ns = (int64_t)get_int(in);
	file->stamp.ctime_ns = (int64_t)get_int(in);
	file->hash = get_text(in);
	in->bad = in->bad || file->path == NULL;
}

/* A path below the folder beside the object, and nothing else. */
static bool is_below(const char *path)
{
	bool below = path != NULL && *path != '\0';

	for (const char *at = path; below && *at != '\0';) {
		const size_t length = strcspn(at, "/");

		below = length > 0 && !(length == 1 && *at == '.') && !(length == 2 && memcmp(at, "..", 2) == 0);
		at += length + (at[length] == '/');
	}
	return below;
}

static void get_emitted(struct reader *in, struct kt_emitted *out)
{
	out->files = get_items(in, &out->file_count, sizeof *out->files);
	for (size_t i = 0; !in->bad && i < out->file_count; i++) {
		struct kt_emitted_file *file = &out->files[i];
		file->name = get_text(in);
		file->original = get_text(in);
		file->text = get_text(in);
		in->bad = in->bad || !is_below(file->name) || file->original == NULL || file->text == NULL;
	}
	out->folders = get_texts(in, &out->folder_count);
	out->lookups = get_texts(in, &out->lookup_count);
	for (size_t i = 0; !in->bad && i < out->lookup_count; i++)
		in->bad = !is_below(out->lookups[i]);
}

static void get_lists(struct reader *in, struct kt_manifest *out)
{
	out->files = get_items(in, &out->file_count, sizeof *out->files);
	for (size_t i = 0; !in->bad && i < out->file_count; i++)
		get_file(in, &out->files[i]);
	out->absent = get_texts(in, &out->absent_count);
	out->lookups = get_items(in, &out->lookup_count, sizeof *out->lookups);
	for (size_t i = 0; !in->bad && i < out->lookup_count; i++) {
		out->lookups[i].region_key = get_text(in);
		out->lookups[i].device_key = get_text(in);
		out->lookups[i].generation = (int64_t)get_int(in);
	}
	out->region_names = get_texts(in, &out->region_count);
	out->extra = get_texts(in, &out->extra_count);
	out->dependencies = get_texts(in, &out->dependency_count);
	get_emitted(in, &out->emitted);
}

kt_status kt_manifest_decode(struct kt_manifest *out, struct kt_arena *arena, const void *data, size_t size,
                             struct kt_error *err)
{
	struct reader in = {data, size, arena, false};
	struct kt_manifest manifest;
	memset(&manifest, 0, sizeof manifest);
	const char **const texts[] = {&manifest.lock_dir, &manifest.lock_hash, &manifest.reason, &manifest.message};
	in.bad = get_int(&in) != FORM;
	get_lists(&in, &manifest);
	in.bad = in.bad || get_int(&in) != sizeof texts / sizeof texts[0];
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		*texts[i] = get_text(&in);
	manifest.lasting = get_int(&in) != 0;
	if (in.bad || in.left != 0)
		return kt_fail(err, KT_ERR_CORRUPT, "a stored manifest is damaged");
	*out = manifest;
	return KT_OK;
}
