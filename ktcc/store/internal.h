/*
 * Inside of the store room: the open handle, the statements, and the helpers
 * that run them. Nothing outside store/ and its tests includes this.
 */
#ifndef KT_STORE_INTERNAL_H
#define KT_STORE_INTERNAL_H

#include <sqlite3.h>

#include "store/lock.h"
#include "store/store.h"

/* The newest schema version this program knows, and the mark in the file's header that says whose it is. */
#define KT_SCHEMA_VERSION 2
#define KT_SCHEMA_APPLICATION 0x4b54756e /* "KTun" */
#define KT_STORE_FILE "store.sqlite"
#define KT_STORE_SUSPECT "store.suspect" /* exists when an operation met damage: the next open checks everything */
#define KT_STORE_BUSY_MS 5000

/* Ceilings: of one stored blob, of one entry's text, and of a record that lives in an arena. */
#define KT_BLOB_BYTES ((size_t)256 << 20)
#define KT_ENTRY_BYTES ((size_t)4 << 20)
#define KT_ENTRY_FORMAT 1 /* the member "ktune" of an entry */

/* X(identifier, SQL). Each is prepared once a connection, when first used. */
#define KT_SQL(X) \
	X(BEGIN, "BEGIN IMMEDIATE") \
	X(COMMIT, "COMMIT") \
	X(ROLLBACK, "ROLLBACK") \
	X(COUNT, "INSERT INTO statistics(name, value) VALUES(?1, ?2) " \
	         "ON CONFLICT(name) DO UPDATE SET value = value + excluded.value") \
	X(COUNTERS, "SELECT name, value FROM statistics ORDER BY name") \
	X(PUT_DEVICE, "INSERT INTO devices(device_key, name, cc, json, seen) VALUES(?1, ?2, ?3, ?4, ?5) " \
	              "ON CONFLICT(device_key) DO UPDATE SET name = excluded.name, cc = excluded.cc, " \
	              "json = CASE WHEN ?6 OR json IS NULL THEN excluded.json ELSE json END, seen = excluded.seen") \
	X(STUB_DEVICE, "INSERT OR IGNORE INTO devices(device_key, seen) VALUES(?1, ?2)") \
	X(STUB_REGION, "INSERT OR IGNORE INTO regions(region_key, seen) VALUES(?1, ?2)") \
	X(PUT_REGION, "INSERT INTO regions(region_key, name, kernel, instance, seen) VALUES(?1, ?2, ?3, ?4, ?5) " \
	              "ON CONFLICT(region_key) DO UPDATE SET name = excluded.name, kernel = excluded.kernel, " \
	              "instance = excluded.instance, seen = excluded.seen") \
	X(PUT_TOOLCHAIN, "INSERT OR IGNORE INTO toolchains(toolkit, driver, tool) VALUES(?1, ?2, ?3)") \
	X(PUT_TEMPLATE, "INSERT OR IGNORE INTO templates(region_key, generator, parameters) VALUES(?1, ?2, ?3)") \
	X(PUT_LEDGER, "INSERT INTO ledger(time, region_key, device_key, event, detail) VALUES(?1, ?2, ?3, ?4, ?5)") \
	X(PUT_RESULT, "INSERT INTO results(region_key, device_key, near_key, closure, name, instance, toolchain, " \
	              "template, json, generation, created, used) VALUES(?1, ?2, ?3, ?4, ?5, ?6, " \
	              "(SELECT id FROM toolchains WHERE toolkit = ?7 AND driver = ?8 AND tool = ?9), " \
	              "(SELECT id FROM templates WHERE region_key = ?1 AND generator = ?10 AND parameters = ?11), " \
	              "?12, ?13, ?14, ?14) ON CONFLICT(region_key, device_key) DO UPDATE SET " \
	              "near_key = excluded.near_key, closure = excluded.closure, name = excluded.name, " \
	              "instance = excluded.instance, toolchain = excluded.toolchain, template = excluded.template, " \
	              "json = excluded.json, generation = excluded.generation, used = excluded.used") \
	X(FIND, "SELECT json, generation, id, used FROM results WHERE id IN (" \
	        "SELECT id FROM results WHERE region_key = ?1 UNION " \
	        "SELECT id FROM results WHERE closure = ?2 UNION " \
	        "SELECT id FROM results WHERE near_key = ?3)") \
	X(USE_RESULT, "UPDATE results SET used = ?2 WHERE id = ?1") \
	X(GENERATION, "SELECT generation, id, used FROM results WHERE region_key = ?1 AND device_key = ?2") \
	X(GENERATION_ALL, "SELECT ifnull(max(generation), 0) * 4096 + count(*), 0, ifnull(min(used), 9e18) " \
	                  "FROM results WHERE region_key = ?1") \
	X(USE_REGION, "UPDATE results SET used = ?2 WHERE region_key = ?1") \
	X(ENTRIES, "SELECT json, generation, region_key, device_key, near_key, closure, name, instance FROM results " \
	           "ORDER BY name, instance, device_key") \
	X(PUT_CLOSURE, "INSERT INTO closures(closure, region_key, used) VALUES(?1, ?2, ?3) " \
	               "ON CONFLICT(closure) DO UPDATE SET region_key = excluded.region_key, used = excluded.used") \
	X(GET_CLOSURE, "SELECT region_key FROM closures WHERE closure = ?1") \
	X(PUT_TRIAL, "INSERT INTO trials(trial_key, device_key, configuration, problem, problem_index, verdict, " \
	             "median_ns, mean_ns, min_ns, deviation_ns, samples, registers, local_bytes, shared_bytes, " \
	             "detail, used) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) " \
	             "ON CONFLICT(trial_key, device_key, configuration, problem) DO UPDATE SET " \
	             "problem_index = excluded.problem_index, verdict = excluded.verdict, " \
	             "median_ns = excluded.median_ns, mean_ns = excluded.mean_ns, min_ns = excluded.min_ns, " \
	             "deviation_ns = excluded.deviation_ns, samples = excluded.samples, " \
	             "registers = excluded.registers, local_bytes = excluded.local_bytes, " \
	             "shared_bytes = excluded.shared_bytes, detail = excluded.detail, used = excluded.used") \
	X(GET_TRIAL, "SELECT problem_index, verdict, median_ns, mean_ns, min_ns, deviation_ns, samples, registers, " \
	             "local_bytes, shared_bytes, detail FROM trials " \
	             "WHERE trial_key = ?1 AND device_key = ?2 AND configuration = ?3 AND problem = ?4") \
	X(PUT_MACHINE, "INSERT INTO machines(fingerprint, json, seen) VALUES(?1, ?2, ?3) " \
	               "ON CONFLICT(fingerprint) DO UPDATE SET json = excluded.json, seen = excluded.seen") \
	X(GET_MACHINE, "SELECT json FROM machines WHERE fingerprint = ?1") \
	X(PUT_BLOB, "INSERT INTO blobs(key, size, data, used) VALUES(?1, ?2, ?3, ?4) " \
	            "ON CONFLICT(key) DO UPDATE SET size = excluded.size, data = excluded.data, used = excluded.used") \
	X(GET_BLOB, "SELECT data, size, used FROM blobs WHERE key = ?1") \
	X(USE_BLOB, "UPDATE blobs SET used = ?2 WHERE key = ?1") \
	X(PUT_MANIFEST, "INSERT INTO manifests(key, size, data, used) VALUES(?1, ?2, ?3, ?4) " \
	                "ON CONFLICT(key) DO UPDATE SET size = excluded.size, data = excluded.data, " \
	                "used = excluded.used") \
	X(GET_MANIFEST, "SELECT data, size, used FROM manifests WHERE key = ?1") \
	X(USE_MANIFEST, "UPDATE manifests SET used = ?2 WHERE key = ?1") \
	X(PUT_STAMP, "INSERT OR IGNORE INTO stamps(near_key, path) VALUES(?1, ?2)") \
	X(GET_STAMPS, "SELECT path FROM stamps WHERE near_key = ?1") \
	X(DROP_STAMP, "DELETE FROM stamps WHERE near_key = ?1 AND path = ?2")

enum kt_sql {
#define KT_SQL_ID(id, text) KT_SQL_##id,
	KT_SQL(KT_SQL_ID)
#undef KT_SQL_ID
	KT_SQL_STATEMENTS
};

struct kt_store {
	sqlite3 *db;
	char *directory;
	bool read_only;
	sqlite3_stmt *statements[KT_SQL_STATEMENTS];
};

/* The text of a statement, for tests of query plans. */
const char *kt_sql_text(enum kt_sql id);

/* A status for an SQLite result code, with SQLite's message; notes damage for the next open. */
kt_status kt_sql_fail(struct kt_store *store, int rc, const char *what, struct kt_error *err);

/*
 * Binds and hands out a statement. types: t text (NULL allowed), i int64,
 * d double, b blob (pointer, then size_t). Bound memory must stay until
 * kt_sql_reset. err stands before the variable part.
 */
kt_status kt_sql_bind(sqlite3_stmt **out, struct kt_store *store, enum kt_sql id, struct kt_error *err,
                      const char *types, ...) KT_MUST_CHECK;
/* One row: *row says whether there is one. */
kt_status kt_sql_step(bool *row, struct kt_store *store, sqlite3_stmt *statement, struct kt_error *err) KT_MUST_CHECK;
void kt_sql_reset(sqlite3_stmt *statement); /* accepts NULL */
/* Binds, runs to the end, resets. */
kt_status kt_sql_run(struct kt_store *store, enum kt_sql id, struct kt_error *err, const char *types, ...)
    KT_MUST_CHECK;
/* Runs text that is no prepared statement: schema, pragmas. */
kt_status kt_sql_script(struct kt_store *store, const char *text, struct kt_error *err) KT_MUST_CHECK;

/* A write transaction; refused on a read-only store. */
kt_status kt_sql_begin(struct kt_store *store, struct kt_error *err) KT_MUST_CHECK;
/* Commits when status is KT_OK and rolls back otherwise; returns the first failure. */
kt_status kt_sql_end(struct kt_store *store, kt_status status, struct kt_error *err) KT_MUST_CHECK;

/* A text column; "" for NULL. Valid until the statement is stepped or reset. */
const char *kt_sql_column(sqlite3_stmt *statement, int column);

/* Brings a file of an older (or no) schema to the newest in one transaction. version: what the file has. */
kt_status kt_schema_migrate(struct kt_store *store, int64_t version, struct kt_error *err) KT_MUST_CHECK;

/* Takes an exclusive flock on path (created when absent), waiting up to wait_s; *fd is closed to release it. */
kt_status kt_file_lock(int *fd, const char *path, double wait_s, struct kt_error *err) KT_MUST_CHECK;

/* zstd: compressed bytes into out; and back, where `size` is the size before compression. */
kt_status kt_pack(struct kt_buf *out, const void *data, size_t size, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_unpack(struct kt_buf *out, const void *data, size_t packed, int64_t size, struct kt_error *err)
    KT_MUST_CHECK;

/* A manifest as bytes and back; damaged bytes are KT_ERR_CORRUPT. Decoded texts lie in data, lists in arena. */
kt_status kt_manifest_encode(struct kt_buf *out, const struct kt_manifest *manifest, struct kt_error *err)
    KT_MUST_CHECK;
kt_status kt_manifest_decode(struct kt_manifest *out, struct kt_arena *arena, const void *data, size_t size,
                             struct kt_error *err) KT_MUST_CHECK;

/* Hash of an entry's JSON value without "hash" and without members that start with "x_". */
kt_status kt_entry_hash(char out[KT_HASH_TEXT], const cJSON *json, struct kt_error *err) KT_MUST_CHECK;

/* As kt_lock_each, for region folders of this name only; name NULL: all. An absent directory has no entries. */
kt_status kt_lock_each_named(const char *lock_dir, const char *name, kt_lock_visit visit, kt_lock_damaged damaged,
                             void *context, struct kt_error *err) KT_MUST_CHECK;

/*
 * Should a row last marked as used then be marked again? At most once a day,
 * so that a hit writes nothing; never in a read-only store.
 */
bool kt_used_stale(const struct kt_store *store, int64_t used);
/* Marks the result row as used now; failures are dropped. */
void kt_use_result(struct kt_store *store, int64_t id);
/* The same for every result of a region. */
void kt_use_region(struct kt_store *store, const char *region_key);

#endif
