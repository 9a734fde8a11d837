#include <stdio.h>
#include <string.h>

#include "store/internal.h"

/* Findings of a pragma, one line each; integrity_check returns "ok" when there is none. */
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
	NEED(arena, kt_no_memory(why));
	kt_status status = kt_entry_parse(&entry, arena, text, strlen(text), why);
	if (status == KT_OK && !(same(row, 2, entry.region_key) && same(row, 3, entry.device_key) &&
	                         same(row, 4, entry.near_key) && same(row, 5, entry.closure) &&
	                         same(row, 6, entry.name) && same(row, 7, entry.instance)))
		status = kt_fail(why, KT_ERR_CORRUPT, "its columns differ from its text");
	kt_arena_free(arena);
	return status;
}

static kt_status verify_manifest(struct kt_error *why, const struct kt_buf *bytes)
{
	struct kt_manifest manifest;
	struct kt_arena *arena;
	NEED(arena = kt_arena_new(KT_ARENA_REGION_BYTES), kt_no_memory(why));
	kt_status status = kt_manifest_decode(&manifest, arena, kt_buf_text(bytes), bytes->size, why);
	kt_arena_free(arena);
	return status;
}

static kt_status verify_packed(struct kt_error *why, sqlite3_stmt *row, bool is_manifest)
{
	struct kt_buf bytes = KT_BUF(KT_BLOB_BYTES);
	kt_status status = kt_artifact_read(&bytes, row, why);
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

/* Only damaged ones are asked for. */
static kt_status verify_as_trial(struct kt_error *why, sqlite3_stmt *row)
{
	return kt_fail(why, KT_ERR_CORRUPT, "%s on %s: its check sum is another", kt_sql_column(row, 0),
	               kt_sql_column(row, 1));
}

/* Rows whose content is verified, how to read them and what names them. */
static const struct content {
	const char *sql, *what;
	kt_status (*verify)(struct kt_error *why, sqlite3_stmt *row);
	int name;
} contents[] = {
    {"SELECT json, generation, region_key, device_key, near_key, closure, name, instance FROM results", "entry",
     verify_entry, 2},
    {"SELECT a.data, a.size, n.key, n.hash FROM manifests n LEFT JOIN artifacts a ON a.hash = n.hash", "manifest",
     verify_as_manifest, 2},
    {"SELECT a.data, a.size, n.key, n.hash FROM blobs n LEFT JOIN artifacts a ON a.hash = n.hash", "blob",
     verify_as_blob, 2},
    {"SELECT t.configuration, t.problem, s.trial_key FROM trials t JOIN spaces s ON s.id = t.space WHERE t.sum "
     "<> " KT_SQL_TRIAL_SUM("s.trial_key", "s.device_key", "t."),
     "trial", verify_as_trial, 2},
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
	THEN(status, verify_pragma(&found, out, store, "PRAGMA foreign_key_check", err));
	for (size_t i = 0; status == KT_OK && i < sizeof contents / sizeof contents[0]; i++)
		status = verify_content(&found, out, store, &contents[i], err);
	/* Damage that stops the check is a finding like any other. */
	if (status == KT_ERR_CORRUPT) {
		kt_buf_addf(out, "%s\n", err->message);
		found++;
		status = KT_OK;
	}
	THEN(status, kt_buf_check(out, "findings", err));
	if (status == KT_OK)
		*problems = found;
	return status;
}

static const char *const tables[] = {"devices", "toolchains", "regions", "closures", "templates",  "spaces", "trials",
                                     "results", "manifests",  "blobs",   "artifacts", "ledger", "statistics", "stamps",
                                     "machines", "marks"};

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
