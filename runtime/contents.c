/* Files that fill buffers. Each is read once, as long as the process runs. */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/npy.h"
#include "messages.h"

#define CONTENTS_BYTES ((size_t)4 << 30) /* most bytes of all files together */

static struct contents {
	struct contents *next;
	char hash[KT_HASH_TEXT];
	struct kt_npy npy;
	unsigned char *bytes;
} *all;
static size_t all_bytes;

static const struct contents *find(const char *hash)
{
	const struct contents *c = all;
	while (c && strcmp(c->hash, hash) != 0)
		c = c->next;
	return c;
}

/* A kernel may rely on a bool that is 0 or 1. */
static void make_bools(struct contents *c)
{
	for (int64_t i = 0; c->npy.scalar == KT_BOOL && i < c->npy.count; i++)
		c->bytes[c->npy.offset + (size_t)i] = c->bytes[c->npy.offset + (size_t)i] != 0;
}

/* What was announced is what is read: a file that has changed since is refused. */
static kt_status check(struct contents *c, const struct kt_buf *file, const char *path, const char *hash, struct kt_error *err)
{
	struct kt_hash state;
	kt_hash_init(&state);
	kt_hash_bytes(&state, file->data, file->size);
	kt_hash_final(&state, c->hash);
	if (strcmp(c->hash, hash) != 0)
		return kt_fail(err, KT_ERR_INVALID, "%s has changed since the source was read; start again", path);
	if (file->size > CONTENTS_BYTES - all_bytes)
		return kt_fail(err, KT_ERR_LIMIT, "files that fill buffers have more than 4 GiB");
	return kt_npy_header(&c->npy, file->data, file->size < KT_NPY_HEADER_BYTES ? file->size : KT_NPY_HEADER_BYTES, file->size, err);
}

static kt_status load(const struct contents **out, const char *path, const char *hash, struct kt_error *err)
{
	struct kt_buf file = KT_BUF(KT_NPY_FILE_BYTES);
	struct contents *c = calloc(1, sizeof *c);
	kt_status status = c ? kt_fs_read(&file, path, err) : kt_fail(err, KT_ERR_MEMORY, "out of memory");
	THEN(status, check(c, &file, path, hash, err));
	if (status) {
		kt_buf_free(&file);
		free(c);
		return status;
	}
	c->bytes = (unsigned char *)file.data;
	c->next = all;
	all = c;
	all_bytes += file.size;
	make_bools(c);
	*out = c;
	return KT_OK;
}

kt_status kt_contents(const unsigned char **out, const char *path, const char *hash, enum kt_scalar scalar, int64_t count,
                      struct kt_error *err)
{
	const struct contents *c = find(hash);
	if (!c)
		TRY(load(&c, path, hash, err));
	if (c->npy.scalar != scalar || c->npy.count != count)
		return kt_fail(err, KT_ERR_INVALID, "%s holds %lld numbers of type %s, not %lld of %s", path, (long long)c->npy.count,
		               kt_npy_type(c->npy.scalar), (long long)count, kt_npy_type(scalar));
	*out = c->bytes + c->npy.offset;
	return KT_OK;
}
