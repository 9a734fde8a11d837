#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/proc.h"
#include "store/internal.h"

#define USED_STEP_S 86400

bool kt_used_stale(const struct kt_store *store, int64_t used)
{
	return !store->read_only && used < kt_unix_time() - USED_STEP_S;
}

void kt_use_result(struct kt_store *store, int64_t id)
{
	struct kt_error dropped;
	if (kt_sql_run(store, KT_SQL_USE_RESULT, &dropped, "ii", id, kt_unix_time()) != KT_OK)
		kt_log("store: an entry could not be marked as used: %s", dropped.message);
}

void kt_use_region(struct kt_store *store, const char *region_key)
{
	struct kt_error dropped;
	if (kt_sql_run(store, KT_SQL_USE_REGION, &dropped, "ti", region_key, kt_unix_time()) != KT_OK)
		kt_log("store: entries could not be marked as used: %s", dropped.message);
}

void kt_store_add(struct kt_store *store, const char *name, int64_t amount)
{
	struct kt_error dropped;
	if (store == NULL || store->read_only)
		return;
	if (kt_sql_run(store, KT_SQL_COUNT, &dropped, "ti", name, amount) != KT_OK)
		kt_log("store: %s was not counted: %s", name, dropped.message);
}

void kt_store_count(struct kt_store *store, const char *name)
{
	kt_store_add(store, name, 1);
}

kt_status kt_store_each_counter(struct kt_store *store, kt_counter_visit visit, void *context, struct kt_error *err)
{
	sqlite3_stmt *statement = NULL;
	bool row = true;
	kt_status status = kt_sql_bind(&statement, store, KT_SQL_COUNTERS, err, "");
	while (status == KT_OK && row) {
		status = kt_sql_step(&row, store, statement, err);
		if (status == KT_OK && row)
			row = visit(kt_sql_column(statement, 0), sqlite3_column_int64(statement, 1), context);
	}
	kt_sql_reset(statement);
	return status;
}

/* The keys first: reading a manifest marks its row as used. */
kt_status kt_store_each_manifest(struct kt_store *store, struct kt_arena *arena, kt_manifest_visit visit, void *context,
                                 struct kt_error *err)
{
	sqlite3_stmt *statement = NULL;
	struct kt_manifest manifest;
	const char **keys = NULL, **key;
	size_t count = 0;
	bool row = true;
	kt_status status = kt_sql_bind(&statement, store, KT_SQL_MANIFESTS, err, "");

	while (status == KT_OK && row) {
		status = kt_sql_step(&row, store, statement, err);
		if (status != KT_OK || !row)
			break;
		key = kt_arena_push(arena, &keys, &count, sizeof *key);
		if (key == NULL || (*key = kt_arena_strdup(arena, kt_sql_column(statement, 0))) == NULL)
			status = kt_fail(err, KT_ERR_MEMORY, "out of memory for the keys of manifests");
	}
	kt_sql_reset(statement);
	for (size_t i = 0; status == KT_OK && i < count; i++)
		if (kt_store_get_manifest(&manifest, arena, store, keys[i]) && !visit(&manifest, context))
			break;
	return status;
}

kt_status kt_store_put_closure(struct kt_store *store, const char *closure, const char *region_key,
                               struct kt_error *err)
{
	int64_t now = kt_unix_time();
	TRY(kt_sql_begin(store, err));
	kt_status status = kt_sql_run(store, KT_SQL_STUB_REGION, err, "ti", region_key, now);
	THEN(status, kt_sql_run(store, KT_SQL_PUT_CLOSURE, err, "tti", closure, region_key, now));
	return kt_sql_end(store, status, err);
}

/* A text of the form of a hash, or nothing. */
const char *kt_store_region_key(struct kt_store *store, struct kt_arena *arena, const char *closure)
{
	struct kt_error ignored;
	sqlite3_stmt *statement = NULL;
	bool row = false;
	const char *key = NULL;
	if (kt_sql_bind(&statement, store, KT_SQL_GET_CLOSURE, &ignored, "t", closure) == KT_OK &&
	    kt_sql_step(&row, store, statement, &ignored) == KT_OK && row) {
		const char *text = kt_sql_column(statement, 0);
		if (strlen(text) == KT_HASH_TEXT - 1 && strspn(text, "0123456789abcdef") == KT_HASH_TEXT - 1)
			key = kt_arena_strdup(arena, text);
	}
	kt_sql_reset(statement);
	return key;
}

kt_status kt_store_put_decision(struct kt_store *store, const char *region_key, const char *device_key,
                              const char *event, const char *detail, struct kt_error *err)
{
	TRY(kt_sql_begin(store, err));
	return kt_sql_end(
	    store,
	    kt_sql_run(store, KT_SQL_PUT_DECISION, err, "itttt", kt_unix_time(), region_key, device_key, event, detail),
	    err);
}

kt_status kt_store_put_machine(struct kt_store *store, const char *fingerprint, const struct kt_device *device,
                               struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	cJSON *json;
	NEED(json = kt_device_json(device), kt_fail(err, KT_ERR_MEMORY, "out of memory writing a device"));
	kt_json_print(&text, json);
	kt_status status = kt_buf_check(&text, "a device", err);
	THEN(status, kt_sql_begin(store, err));
	THEN(status, kt_sql_end(store, kt_sql_run(store, KT_SQL_PUT_MACHINE, err, "tti", fingerprint,
	                                          kt_buf_text(&text), kt_unix_time()), err));
	cJSON_Delete(json);
	kt_buf_free(&text);
	return status;
}

bool kt_store_get_machine(struct kt_device *out, struct kt_arena *arena, struct kt_store *store,
                          const char *fingerprint)
{
	struct kt_error ignored;
	sqlite3_stmt *statement = NULL;
	cJSON *json = NULL;
	bool row = false, found = false;
	if (kt_sql_bind(&statement, store, KT_SQL_GET_MACHINE, &ignored, "t", fingerprint) == KT_OK &&
	    kt_sql_step(&row, store, statement, &ignored) == KT_OK && row) {
		const char *text = kt_sql_column(statement, 0);
		found = kt_json_parse(&json, text, strlen(text), &ignored) == KT_OK &&
		        kt_device_read(out, arena, json, &ignored) == KT_OK;
	}
	cJSON_Delete(json);
	kt_sql_reset(statement);
	return found;
}

kt_status kt_store_put_stamp(struct kt_store *store, const char *near_key, const char *stamp_path,
                             struct kt_error *err)
{
	TRY(kt_sql_begin(store, err));
	return kt_sql_end(store, kt_sql_run(store, KT_SQL_PUT_STAMP, err, "tt", near_key, stamp_path), err);
}

/* In the column of near keys, which are hexadecimal digits: "name NAME". */
static kt_status print_name_key(struct kt_buf *out, const char *name, struct kt_error *err)
{
	kt_buf_addf(out, "name %s", name);
	return kt_buf_check(out, "name of a stamp", err);
}

kt_status kt_store_put_named_stamp(struct kt_store *store, const char *name, const char *stamp_path,
                                   struct kt_error *err)
{
	struct kt_buf key = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_status status = print_name_key(&key, name, err);
	THEN(status, kt_store_put_stamp(store, kt_buf_text(&key), stamp_path, err));
	kt_buf_free(&key);
	return status;
}

/* The paths of a region's stamps, copied out: rows are deleted while they are walked. */
static const char **stamp_paths(size_t *count, struct kt_arena *arena, struct kt_store *store, const char *near_key)
{
	struct kt_error ignored;
	sqlite3_stmt *statement = NULL;
	const char **paths = NULL;
	bool row = false;
	kt_status status = kt_sql_bind(&statement, store, KT_SQL_GET_STAMPS, &ignored, "t", near_key);
	while (status == KT_OK && (status = kt_sql_step(&row, store, statement, &ignored)) == KT_OK && row) {
		const char *path = kt_arena_strdup(arena, kt_sql_column(statement, 0));
		if (!kt_arena_push_text(arena, &paths, count, path))
			break;
	}
	kt_sql_reset(statement);
	return paths;
}

void kt_store_touch_stamps(struct kt_store *store, const char *near_key)
{
	struct kt_error dropped;
	size_t count = 0;
	struct kt_arena *arena = store != NULL ? kt_arena_new(KT_ARENA_REGION_BYTES) : NULL;
	if (arena == NULL)
		return;
	const char **paths = stamp_paths(&count, arena, store, near_key);
	for (size_t i = 0; i < count; i++) {
		/* Not kt_fs_touch: the file of a build tree that was removed must not come back. */
		if (utimensat(AT_FDCWD, paths[i], NULL, 0) == 0 || store->read_only)
			continue;
		if (kt_sql_run(store, KT_SQL_DROP_STAMP, &dropped, "tt", near_key, paths[i]) != KT_OK)
			break;
	}
	kt_arena_free(arena);
}

void kt_store_touch_named_stamps(struct kt_store *store, const char *name)
{
	struct kt_buf key = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error ignored;
	if (print_name_key(&key, name, &ignored) == KT_OK)
		kt_store_touch_stamps(store, kt_buf_text(&key));
	kt_buf_free(&key);
}
