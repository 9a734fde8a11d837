/* Manifests and blobs: names for artifacts, which are compressed and kept once, by content. */
#include <string.h>

#include "base/log.h"
#include "base/proc.h"
#include "store/internal.h"

void kt_artifact_hash(char out[KT_HASH_TEXT], const void *data, size_t size)
{
	struct kt_hash hash;

	kt_hash_init(&hash);
	kt_hash_bytes(&hash, data, size);
	kt_hash_final(&hash, out);
}

/* The bytes of an artifact's row (data, size), if they match its address. */
static kt_status unpack_row(struct kt_buf *out, sqlite3_stmt *row, const char *hash, struct kt_error *err)
{
	const void *data = sqlite3_column_blob(row, 0);
	const size_t before = out->size;
	char found[KT_HASH_TEXT];

	if (data == NULL)
		return kt_fail(err, KT_ERR_CORRUPT, "artifact %.16s: no data", hash);
	TRY(kt_unpack(out, data, (size_t)sqlite3_column_bytes(row, 0), sqlite3_column_int64(row, 1), err));
	kt_artifact_hash(found, kt_buf_text(out) + before, out->size - before);
	if (strcmp(found, hash) == 0)
		return KT_OK;
	out->size = before;
	return kt_fail(err, KT_ERR_CORRUPT, "artifact %.16s: its content is another", hash);
}

kt_status kt_artifact_read(struct kt_buf *out, sqlite3_stmt *row, struct kt_error *err)
{
	return unpack_row(out, row, kt_sql_column(row, 3), err);
}

/* Is there an artifact of this address, and is it whole? A damaged one is removed, so that it can be written again. */
static kt_status has_artifact(bool *has, struct kt_store *store, const char *hash, struct kt_error *err)
{
	struct kt_buf bytes = KT_BUF(KT_BLOB_BYTES);
	sqlite3_stmt *statement = NULL;
	struct kt_error ignored;
	bool row = false;
	kt_status status = kt_sql_bind(&statement, store, KT_SQL_HAS_ARTIFACT, err, "t", hash);

	THEN(status, kt_sql_step(&row, store, statement, err));
	*has = status == KT_OK && row && unpack_row(&bytes, statement, hash, &ignored) == KT_OK;
	kt_sql_reset(statement);
	kt_buf_free(&bytes);
	return status;
}

static kt_status replace(struct kt_store *store, const char *hash, size_t size, const struct kt_buf *packed,
                         struct kt_error *err)
{
	/* Names of a damaged artifact stand for it again when it is back. */
	TRY(kt_sql_script(store, "PRAGMA defer_foreign_keys = ON", err));

	TRY(kt_sql_run(store, KT_SQL_DROP_ARTIFACT, err, "t", hash));
	return kt_sql_run(store, KT_SQL_PUT_ARTIFACT, err, "tib", hash, (int64_t)size, kt_buf_text(packed),
			  packed->size);
}

static kt_status put_named(struct kt_store *store, enum kt_sql id, const char *key, const void *data, size_t size,
                           struct kt_error *err)
{
	struct kt_buf packed = KT_BUF(KT_BLOB_BYTES);
	char hash[KT_HASH_TEXT];
	bool has = false;
	kt_status status = size <= KT_BLOB_BYTES ? KT_OK
	                                         : kt_fail(err, KT_ERR_LIMIT, "%zu bytes are too many to keep", size);

	kt_artifact_hash(hash, data, size);
	THEN(status, kt_pack(&packed, data, size, err));
	THEN(status, kt_sql_begin(store, err));
	if (status == KT_OK) {
		status = has_artifact(&has, store, hash, err);
		if (status == KT_OK && !has)
			status = replace(store, hash, size, &packed, err);
		THEN(status, kt_sql_run(store, id, err, "tti", key, hash, kt_unix_time()));
		status = kt_sql_end(store, status, err);
	}
	kt_buf_free(&packed);
	return status;
}

static bool get_named(struct kt_buf *out, struct kt_store *store, enum kt_sql id, enum kt_sql use, const char *key)
{
	struct kt_error why;
	sqlite3_stmt *statement = NULL;
	bool row = false, found = false;
	int64_t used = INT64_MAX;

	if (kt_sql_bind(&statement, store, id, &why, "t", key) == KT_OK &&
	    kt_sql_step(&row, store, statement, &why) == KT_OK && row) {
		found = kt_artifact_read(out, statement, &why) == KT_OK;
		used = sqlite3_column_int64(statement, 2);
	}
	kt_sql_reset(statement);
	if (row && !found) {
		kt_log("store: %s: %s", key, why.message);
		kt_store_count(store, "artifact-damaged");
	}
	if (found && kt_used_stale(store, used) && kt_sql_run(store, use, &why, "ti", key, kt_unix_time()) != KT_OK)
		kt_log("store: a row could not be marked as used: %s", why.message);
	return found;
}

kt_status kt_store_put_blob(struct kt_store *store, const char *key, const void *data, size_t size,
                            struct kt_error *err)
{
	return put_named(store, KT_SQL_PUT_BLOB, key, data, size, err);
}

bool kt_store_get_blob(struct kt_buf *out, struct kt_store *store, const char *key)
{
	return get_named(out, store, KT_SQL_GET_BLOB, KT_SQL_USE_BLOB, key);
}

kt_status kt_store_put_manifest(struct kt_store *store, const char *key, const struct kt_manifest *manifest,
                                struct kt_error *err)
{
	struct kt_buf bytes = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	kt_status status = kt_manifest_encode(&bytes, manifest, err);
	THEN(status, put_named(store, KT_SQL_PUT_MANIFEST, key, kt_buf_text(&bytes), bytes.size, err));
	kt_buf_free(&bytes);
	return status;
}

bool kt_store_get_manifest(struct kt_manifest *out, struct kt_arena *arena, struct kt_store *store, const char *key)
{
	struct kt_error ignored;
	struct kt_buf bytes = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	bool found = get_named(&bytes, store, KT_SQL_GET_MANIFEST, KT_SQL_USE_MANIFEST, key) &&
	             kt_arena_adopt(arena, bytes.data, bytes.size);
	if (!found) {
		kt_buf_free(&bytes);
		return false;
	}
	return kt_manifest_decode(out, arena, bytes.data, bytes.size, &ignored) == KT_OK;
}
