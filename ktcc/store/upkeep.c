#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"
#include "store/internal.h"

/*
 * What gc removes, in this order: first what was not used since ?1, then what
 * nothing refers to any more. Rows of the second kind are not counted.
 */
static const struct sweep {
	const char *sql;
	bool counted;
} sweeps[] = {
    {"DELETE FROM results WHERE used <= ?1", true},
    {"DELETE FROM trials WHERE used <= ?1", true},
    {"DELETE FROM manifests WHERE used <= ?1", true},
    {"DELETE FROM blobs WHERE used <= ?1", true},
    {"DELETE FROM closures WHERE used <= ?1 AND region_key NOT IN (SELECT region_key FROM results)", false},
    {"DELETE FROM ledger WHERE time <= ?1", false},
    {"DELETE FROM machines WHERE seen <= ?1", false},
    {"DELETE FROM regions WHERE seen <= ?1 AND region_key NOT IN (SELECT region_key FROM results)", false},
    {"DELETE FROM templates WHERE id NOT IN (SELECT template FROM results)", false},
    {"DELETE FROM toolchains WHERE id NOT IN (SELECT toolchain FROM results)", false},
    {"DELETE FROM devices WHERE seen <= ?1 AND device_key NOT IN (SELECT device_key FROM results)"
     " AND device_key NOT IN (SELECT device_key FROM trials)", false},
};

static kt_status sweep(int64_t *removed, struct kt_store *store, const struct sweep *row, int64_t before,
                       struct kt_error *err)
{
	sqlite3_stmt *statement = NULL;
	int rc = sqlite3_prepare_v2(store->db, row->sql, -1, &statement, NULL);
	if (rc == SQLITE_OK && sqlite3_bind_parameter_count(statement) > 0)
		rc = sqlite3_bind_int64(statement, 1, before);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(statement);
	kt_status status = rc == SQLITE_DONE ? KT_OK : kt_sql_fail(store, rc, "cannot remove", err);
	if (status == KT_OK && row->counted)
		*removed += sqlite3_changes64(store->db);
	sqlite3_finalize(statement);
	return status;
}

/* Stamps whose build tree is gone. */
static kt_status sweep_stamps(struct kt_store *store, struct kt_error *err)
{
	sqlite3_stmt *all = NULL, *drop = NULL;
	int rc = sqlite3_prepare_v2(store->db, "SELECT near_key, path FROM stamps", -1, &all, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(store->db, "DELETE FROM stamps WHERE near_key = ?1 AND path = ?2", -1, &drop,
					NULL);
	while (rc == SQLITE_OK && (rc = sqlite3_step(all)) == SQLITE_ROW) {
		rc = SQLITE_OK;
		if (access(kt_sql_column(all, 1), F_OK) == 0)
			continue;
		rc = sqlite3_bind_value(drop, 1, sqlite3_column_value(all, 0));
		if (rc == SQLITE_OK)
			rc = sqlite3_bind_value(drop, 2, sqlite3_column_value(all, 1));
		if (rc == SQLITE_OK && sqlite3_step(drop) != SQLITE_DONE)
			rc = sqlite3_errcode(store->db);
		sqlite3_reset(drop);
	}
	kt_status status = rc == SQLITE_DONE ? KT_OK : kt_sql_fail(store, rc, "cannot remove", err);
	sqlite3_finalize(all);
	sqlite3_finalize(drop);
	return status;
}

/* Damaged stores that were moved aside and have lain there long enough. */
static void sweep_moved_aside(const struct kt_store *store, int64_t before)
{
	static const char prefix[] = KT_STORE_FILE ".corrupt-";
	DIR *directory = opendir(store->directory);
	struct dirent *item;
	struct stat info;
	while (directory != NULL && (item = readdir(directory)) != NULL)
		if (strncmp(item->d_name, prefix, sizeof prefix - 1) == 0 &&
		    fstatat(dirfd(directory), item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
		    info.st_mtim.tv_sec <= before)
			unlinkat(dirfd(directory), item->d_name, 0);
	if (directory != NULL)
		closedir(directory);
}

kt_status kt_store_gc(int64_t *removed, struct kt_store *store, int64_t days, struct kt_error *err)
{
	int64_t before, total = 0;
	if (days < 0 || days > 36500)
		return kt_fail(err, KT_ERR_INVALID, "%lld days: 0 to 36500 are allowed", (long long)days);
	before = kt_unix_time() - days * 86400;
	kt_status status = kt_sql_begin(store, err);
	if (status != KT_OK)
		return status;
	for (size_t i = 0; status == KT_OK && i < sizeof sweeps / sizeof sweeps[0]; i++)
		status = sweep(&total, store, &sweeps[i], before, err);
	if (status == KT_OK)
		status = sweep_stamps(store, err);
	status = kt_sql_end(store, status, err);
	if (status != KT_OK)
		return status;
	sweep_moved_aside(store, before);
	status = kt_sql_script(store, "VACUUM; PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)", err);
	/* Another user of the file keeps it from shrinking; what was to go is gone. */
	if (status == KT_ERR_BUSY)
		status = KT_OK;
	if (status == KT_OK)
		*removed = total;
	return status;
}

/* Findings of a pragma, one line each; integrity_check says "ok" when there is none. */
static kt_status verify_pragma(int64_t *problems, struct kt_buf *out, struct kt_store *store, const char *pragma,
                               struct kt_error *err)
{
	sqlite3_stmt *statement = NULL;
	int rc = sqlite3_prepare_v2(store->db, pragma, -1, &statement, NULL);
	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(statement);
		if (rc != SQLITE_ROW || strcmp(kt_sql_column(statement, 0), "ok") == 0)
			continue;
		kt_buf_adds(out, pragma + sizeof "PRAGMA");
		for (int column = 0; column < sqlite3_column_count(statement); column++)
			kt_buf_addf(out, "%s%s", column == 0 ? ": " : " ", kt_sql_column(statement, column));
		kt_buf_addc(out, '\n');
		*problems += 1;
	}
	kt_status status = rc == SQLITE_DONE ? KT_OK : kt_sql_fail(store, rc, "cannot check", err);
	sqlite3_finalize(statement);
	return status;
}

static bool same(sqlite3_stmt *row, int column, const char *text)
{
	return strcmp(kt_sql_column(row, column), text) == 0;
}

static kt_status verify_entry(struct kt_error *why, sqlite3_stmt *row)
{
	struct kt_entry entry;
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const char *text = kt_sql_column(row, 0);
	if (arena == NULL)
		return kt_fail(why, KT_ERR_MEMORY, "out of memory");
	kt_status status = kt_entry_parse(&entry, arena, text, strlen(text), why);
	if (status == KT_OK && !(same(row, 2, entry.region_key) && same(row, 3, entry.device_key) &&
	                         same(row, 4, entry.near_key) && same(row, 5, entry.closure) &&
	                         same(row, 6, entry.name) && same(row, 7, entry.instance)))
		status = kt_fail(why, KT_ERR_CORRUPT, "its columns are not what its text says");
	kt_arena_free(arena);
	return status;
}

static kt_status verify_manifest(struct kt_error *why, const struct kt_buf *bytes)
{
	struct kt_manifest manifest;
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	if (arena == NULL)
		return kt_fail(why, KT_ERR_MEMORY, "out of memory");
	kt_status status = kt_manifest_decode(&manifest, arena, kt_buf_text(bytes), bytes->size, why);
	kt_arena_free(arena);
	return status;
}

static kt_status verify_packed(struct kt_error *why, sqlite3_stmt *row, bool is_manifest)
{
	struct kt_buf bytes = KT_BUF(KT_BLOB_BYTES);
	kt_status status = kt_unpack(&bytes, sqlite3_column_blob(row, 0), (size_t)sqlite3_column_bytes(row, 0),
	                             sqlite3_column_int64(row, 1), why);
	if (status == KT_OK && is_manifest)
		status = verify_manifest(why, &bytes);
	kt_buf_free(&bytes);
	return status;
}

static kt_status verify_as_manifest(struct kt_error *why, sqlite3_stmt *row)
{
	return verify_packed(why, row, true);
}

static kt_status verify_as_blob(struct kt_error *why, sqlite3_stmt *row)
{
	return verify_packed(why, row, false);
}

/* Rows with content of their own, how to read them and what names them. */
static const struct content {
	const char *sql, *what;
	kt_status (*verify)(struct kt_error *why, sqlite3_stmt *row);
	int name;
} contents[] = {
    {"SELECT json, generation, region_key, device_key, near_key, closure, name, instance FROM results", "entry",
     verify_entry, 2},
    {"SELECT data, size, key FROM manifests", "manifest", verify_as_manifest, 2},
    {"SELECT data, size, key FROM blobs", "blob", verify_as_blob, 2},
};

static kt_status verify_content(int64_t *problems, struct kt_buf *out, struct kt_store *store,
                                const struct content *content, struct kt_error *err)
{
	sqlite3_stmt *statement = NULL;
	int rc = sqlite3_prepare_v2(store->db, content->sql, -1, &statement, NULL);
	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		struct kt_error why;
		rc = sqlite3_step(statement);
		if (rc != SQLITE_ROW || content->verify(&why, statement) == KT_OK)
			continue;
		kt_buf_addf(out, "%s %s: %s\n", content->what, kt_sql_column(statement, content->name), why.message);
		*problems += 1;
	}
	kt_status status = rc == SQLITE_DONE ? KT_OK : kt_sql_fail(store, rc, "cannot check", err);
	sqlite3_finalize(statement);
	return status;
}

kt_status kt_store_verify(int64_t *problems, struct kt_buf *out, struct kt_store *store, struct kt_error *err)
{
	int64_t found = 0;
	kt_status status = verify_pragma(&found, out, store, "PRAGMA integrity_check", err);
	if (status == KT_OK)
		status = verify_pragma(&found, out, store, "PRAGMA foreign_key_check", err);
	for (size_t i = 0; status == KT_OK && i < sizeof contents / sizeof contents[0]; i++)
		status = verify_content(&found, out, store, &contents[i], err);
	/* Damage that stops the check is a finding like any other. */
	if (status == KT_ERR_CORRUPT) {
		kt_buf_addf(out, "%s\n", err->message);
		found++;
		status = KT_OK;
	}
	if (status == KT_OK)
		status = kt_buf_check(out, "findings", err);
	if (status == KT_OK)
		*problems = found;
	return status;
}

static const char *const tables[] = {"devices", "toolchains", "regions",  "closures", "templates",  "trials", "results",
                                     "manifests", "ledger",   "statistics", "stamps",   "machines",  "blobs"};

kt_status kt_store_table_rows(struct kt_buf *out_json_object, struct kt_store *store, struct kt_error *err)
{
	kt_status status = KT_OK;
	kt_buf_addc(out_json_object, '{');
	for (size_t i = 0; status == KT_OK && i < sizeof tables / sizeof tables[0]; i++) {
		char sql[96];
		sqlite3_stmt *statement = NULL;
		snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", tables[i]);
		int rc = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
		if (rc == SQLITE_OK)
			rc = sqlite3_step(statement);
		if (rc == SQLITE_ROW)
			kt_buf_addf(out_json_object, "%s\"%s\":%lld", i > 0 ? "," : "", tables[i],
			            (long long)sqlite3_column_int64(statement, 0));
		else
			status = kt_sql_fail(store, rc, "cannot count", err);
		sqlite3_finalize(statement);
	}
	kt_buf_addc(out_json_object, '}');
	return status == KT_OK ? kt_buf_check(out_json_object, "row counts", err) : status;
}
