/*
 * Internals of the component store: the open handle, the statements, and the helpers
 * that run them. Nothing outside store/ and its tests includes this.
 */
#ifndef KT_STORE_INTERNAL_H
#define KT_STORE_INTERNAL_H

#include <sqlite3.h>

#include "store/lock.h"
#include "store/store.h"

/* The newest schema version this program knows, and the mark in the file's header that identifies its program. */
#define KT_SCHEMA_VERSION 6
#define KT_SCHEMA_MOST 9999 /* beyond: damage, not a newer program */
#define KT_SCHEMA_APPLICATION 0x4b54756e /* "KTun" */
#define KT_STORE_FILE "store.sqlite"
/* Exists when an operation met damage: the next open checks everything. Names a file that is being replaced. */
#define KT_STORE_SUSPECT "store.suspect"
#define KT_STORE_BUSY_MS 5000
#define KT_STORE_LEASES "leases"
#define KT_STORE_HEADERS "headers" /* precompiled ones: clang_tools/headers.h */
/* A holder of a lease that gives no sign for so long is replaced: far beyond the longest single step of a tuning. */
#define KT_LEASE_SILENT_S 300.0

/* Ceilings: of one stored blob, of one entry's text, and of a record that lives in an arena. */
#define KT_BLOB_BYTES ((size_t)256 << 20)
#define KT_ENTRY_BYTES ((size_t)4 << 20)
#define KT_ENTRY_FORMAT 2 /* the member "ktune" of an entry; those of before are read */

/* The check sum of a trial: over the two keys and the values of the row with this prefix. */
#define KT_SQL_TRIAL_SUM(trial_key, device_key, row) \
	"ktune_sum(" trial_key ", " device_key ", " row "configuration, " row "problem, " row "problem_index, " \
	row "verdict, " row "median_ns, " row "mean_ns, " row "min_ns, " row "deviation_ns, " row "samples, " \
	row "registers, " row "local_bytes, " row "shared_bytes, " row "detail)"
/* A name for an artifact, and what it stands for. */
#define KT_SQL_PUT_NAMED(table) \
	"INSERT INTO " table "(key, hash, used) VALUES(?1, ?2, ?3) " \
	"ON CONFLICT(key) DO UPDATE SET hash = excluded.hash, used = excluded.used"
#define KT_SQL_GET_NAMED(table) \
	"SELECT a.data, a.size, n.used, n.hash FROM " table " n JOIN artifacts a ON a.hash = n.hash WHERE n.key = ?1"

/* X(identifier, SQL). Each is prepared once a connection, when first used. */
#define KT_SQL(X) \
	X(BEGIN, "BEGIN IMMEDIATE") \
	X(COMMIT, "COMMIT") \
	X(ROLLBACK, "ROLLBACK") \
	X(COUNT, "INSERT INTO statistics(name, value) VALUES(?1, ?2) " \
	         "ON CONFLICT(name) DO UPDATE SET value = value + excluded.value") \
	X(MANIFESTS, "SELECT key FROM manifests ORDER BY key") \
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
	X(DECISIONS, "SELECT time, event, detail FROM ledger WHERE region_key = ?1 AND device_key = ?2 AND id >= " \
	          "coalesce((SELECT max(id) FROM ledger WHERE region_key = ?1 AND device_key = ?2 AND event = ?3), 0) " \
	          "ORDER BY id") \
	X(PUT_DECISION, "INSERT INTO ledger(time, region_key, device_key, event, detail) VALUES(?1, ?2, ?3, ?4, ?5)") \
	X(PUT_RESULT, "INSERT INTO results(region_key, device_key, near_key, closure, name, instance, toolchain, " \
	              "template, json, generation, created, used, origin, trial_key) VALUES(?1, ?2, ?3, ?4, ?5, ?6, " \
	              "(SELECT id FROM toolchains WHERE toolkit = ?7 AND driver = ?8 AND tool = ?9), " \
	              "(SELECT id FROM templates WHERE region_key = ?1 AND generator = ?10 AND parameters = ?11), " \
	              "?12, ?13, ?14, ?14, ?15, ?16) ON CONFLICT(region_key, device_key) DO UPDATE SET " \
	              "near_key = excluded.near_key, closure = excluded.closure, name = excluded.name, " \
	              "instance = excluded.instance, toolchain = excluded.toolchain, template = excluded.template, " \
	              "json = excluded.json, generation = excluded.generation, used = excluded.used, " \
	              "origin = excluded.origin, trial_key = excluded.trial_key") \
	X(HAS_ENTRY, "SELECT max(id) FROM results") \
	X(HAS_NAME, "SELECT 1 FROM results WHERE name = ?1 LIMIT 1") \
	X(FIND, "SELECT json, generation, id, used, origin FROM results WHERE id IN (" \
	        "SELECT id FROM results WHERE region_key = ?1 UNION " \
	        "SELECT id FROM results WHERE closure = ?2 UNION " \
	        "SELECT id FROM results WHERE near_key = ?3)") \
	X(USE_RESULT, "UPDATE results SET used = ?2 WHERE id = ?1") \
	X(GENERATION, "SELECT generation, id, used FROM results WHERE region_key = ?1 AND device_key = ?2") \
	X(GENERATION_ALL, "SELECT ifnull(max(generation), 0) * 4096 + count(*), 0, ifnull(min(used), 9e18) " \
	                  "FROM results WHERE region_key = ?1") \
	X(GENERATION_ANY, "SELECT ifnull(max(id), 0), 0, 9e18 FROM ledger") \
	X(USE_REGION, "UPDATE results SET used = ?2 WHERE region_key = ?1") \
	X(ENTRIES, "SELECT json, generation, region_key, device_key, near_key, closure, name, instance, origin, " \
	           "trial_key FROM results ORDER BY name, instance, device_key") \
	X(PUT_CLOSURE, "INSERT INTO closures(closure, region_key, used) VALUES(?1, ?2, ?3) " \
	               "ON CONFLICT(closure) DO UPDATE SET region_key = excluded.region_key, used = excluded.used") \
	X(GET_CLOSURE, "SELECT region_key FROM closures WHERE closure = ?1") \
	X(PUT_SPACE, "INSERT INTO spaces(trial_key, device_key, used) VALUES(?1, ?2, ?3) " \
	             "ON CONFLICT(trial_key, device_key) DO NOTHING") \
	X(USE_SPACE, "UPDATE spaces SET used = ?2 WHERE id = ?1") \
	X(NOTE_SPACE, "UPDATE spaces SET kernel = ?3, instance = ?4, parameters = ?5 " \
	              "WHERE trial_key = ?1 AND device_key = ?2") \
	X(SPACES_OF_KERNEL, "SELECT trial_key, device_key, kernel, instance, parameters FROM spaces " \
	                    "WHERE kernel = ?1 ORDER BY used DESC LIMIT ?2") \
	X(SPACES_OF_OTHERS, "SELECT trial_key, device_key, kernel, instance, parameters FROM spaces " \
	                    "INDEXED BY spaces_used WHERE used > 0 AND kernel <> ?1 ORDER BY used DESC LIMIT ?2") \
	X(PUT_TRIAL, "INSERT INTO trials(space, configuration, problem, problem_index, verdict, median_ns, mean_ns, " \
	             "min_ns, deviation_ns, samples, registers, local_bytes, shared_bytes, detail, sum, measured) SELECT id, ?3, " \
	             "?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ktune_sum(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, " \
	             "?9, ?10, ?11, ?12, ?13, ?14, ?15), nullif(?16, 0) FROM spaces WHERE trial_key = ?1 AND device_key = ?2 " \
	             "ON CONFLICT(space, configuration, problem) DO UPDATE SET " \
	             "problem_index = excluded.problem_index, verdict = excluded.verdict, " \
	             "median_ns = excluded.median_ns, mean_ns = excluded.mean_ns, min_ns = excluded.min_ns, " \
	             "deviation_ns = excluded.deviation_ns, samples = excluded.samples, " \
	             "registers = excluded.registers, local_bytes = excluded.local_bytes, " \
	             "shared_bytes = excluded.shared_bytes, detail = excluded.detail, sum = excluded.sum, " \
	             "measured = excluded.measured") \
	X(GET_TRIAL, "SELECT t.problem_index, t.verdict, t.median_ns, t.mean_ns, t.min_ns, t.deviation_ns, t.samples, " \
	             "t.registers, t.local_bytes, t.shared_bytes, t.detail, t.measured, s.id, s.used FROM spaces s " \
	             "JOIN trials t ON t.space = s.id WHERE s.trial_key = ?1 AND s.device_key = ?2 " \
	             "AND t.configuration = ?3 AND t.problem = ?4 AND t.sum = " KT_SQL_TRIAL_SUM("?1", "?2", "t.")) \
	X(TRIALS, "SELECT t.problem_index, t.verdict, t.median_ns, t.mean_ns, t.min_ns, t.deviation_ns, t.samples, " \
	          "t.registers, t.local_bytes, t.shared_bytes, t.detail, t.measured, t.configuration, t.problem " \
	          "FROM spaces s " \
	          "JOIN trials t ON t.space = s.id WHERE s.trial_key = ?1 AND s.device_key = ?2 " \
	          "AND t.sum = " KT_SQL_TRIAL_SUM("?1", "?2", "t.") " ORDER BY t.configuration") \
	X(PUT_MACHINE, "INSERT INTO machines(fingerprint, json, seen) VALUES(?1, ?2, ?3) " \
	               "ON CONFLICT(fingerprint) DO UPDATE SET json = excluded.json, seen = excluded.seen") \
	X(GET_MACHINE, "SELECT json FROM machines WHERE fingerprint = ?1") \
	X(PUT_ARTIFACT, "INSERT OR IGNORE INTO artifacts(hash, size, data) VALUES(?1, ?2, ?3)") \
	X(HAS_ARTIFACT, "SELECT data, size FROM artifacts WHERE hash = ?1") \
	X(DROP_ARTIFACT, "DELETE FROM artifacts WHERE hash = ?1") \
	X(PUT_BLOB, KT_SQL_PUT_NAMED("blobs")) \
	X(GET_BLOB, KT_SQL_GET_NAMED("blobs")) \
	X(USE_BLOB, "UPDATE blobs SET used = ?2 WHERE key = ?1") \
	X(PUT_MANIFEST, KT_SQL_PUT_NAMED("manifests")) \
	X(GET_MANIFEST, KT_SQL_GET_NAMED("manifests")) \
	X(USE_MANIFEST, "UPDATE manifests SET used = ?2 WHERE key = ?1") \
	X(PUT_STAMP, "INSERT OR IGNORE INTO stamps(near_key, path) VALUES(?1, ?2)") \
	X(GET_STAMPS, "SELECT path FROM stamps WHERE near_key = ?1") \
	X(DROP_STAMP, "DELETE FROM stamps WHERE near_key = ?1 AND path = ?2") \
	X(GET_MARK, "SELECT value, time FROM marks WHERE name = ?1") \
	X(ADD_MARK, "INSERT INTO marks(name, value, time) VALUES(?1, ?2, ?3) ON CONFLICT(name) DO UPDATE SET " \
	            "value = CASE WHEN time > ?4 AND time <= ?3 THEN value ELSE 0 END + excluded.value, " \
	            "time = CASE WHEN time > ?4 AND time <= ?3 AND ?5 THEN time ELSE excluded.time END")

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
	bool newer; /* of a schema that this program does not know: a statement may not fit, and is then no answer */
	sqlite3_stmt *statements[KT_SQL_STATEMENTS];
};

/* The text of a statement, for tests of query plans. */
const char *kt_sql_text(enum kt_sql id);

/* A status for an SQLite result code, with SQLite's message; notes damage for the next open. */
kt_status kt_sql_fail(struct kt_store *store, int rc, const char *what, struct kt_error *err);

/*
 * Binds and hands out a statement. types: t text (NULL allowed), i int64,
 * d double, b blob (pointer, then size_t). Bound memory must stay until
 * kt_sql_reset. err comes before the variable part.
 */
kt_status kt_sql_bind(sqlite3_stmt **out, struct kt_store *store, enum kt_sql id, struct kt_error *err,
                      const char *types, ...) KT_MUST_CHECK;
/* One row: *row is whether there is one. */
kt_status kt_sql_step(bool *row, struct kt_store *store, sqlite3_stmt *statement, struct kt_error *err) KT_MUST_CHECK;
void kt_sql_reset(sqlite3_stmt *statement); /* accepts NULL */
/* Do all statements fit the tables? KT_ERR_CORRUPT where the schema is not that of its version. */
kt_status kt_sql_prepare_all(struct kt_store *store, struct kt_error *err) KT_MUST_CHECK;
/* Binds, runs to the end, resets. */
kt_status kt_sql_run(struct kt_store *store, enum kt_sql id, struct kt_error *err, const char *types, ...)
    KT_MUST_CHECK;
/* Runs text that is no prepared statement: schema, pragmas. */
kt_status kt_sql_script(struct kt_store *store, const char *text, struct kt_error *err) KT_MUST_CHECK;
/* The number that such a text answers with. */
kt_status kt_sql_int(int64_t *out, struct kt_store *store, const char *text, struct kt_error *err) KT_MUST_CHECK;

/* A write transaction; refused on a read-only store. */
kt_status kt_sql_begin(struct kt_store *store, struct kt_error *err) KT_MUST_CHECK;
/* Commits when status is KT_OK and rolls back otherwise; returns the first failure. */
kt_status kt_sql_end(struct kt_store *store, kt_status status, struct kt_error *err) KT_MUST_CHECK;

/* A text column; "" for NULL. Valid until the statement is stepped or reset. */
const char *kt_sql_column(sqlite3_stmt *statement, int column);

/* The functions that statements and migrations use: ktune_sum, ktune_content. Returns SQLite's code. */
int kt_sql_functions(sqlite3 *db);

/* The address of an artifact: the hash of its bytes. */
void kt_artifact_hash(char out[KT_HASH_TEXT], const void *data, size_t size);
/* Appends the bytes of a row (data, size, …, hash); KT_ERR_CORRUPT where they do not match the address. */
kt_status kt_artifact_read(struct kt_buf *out, sqlite3_stmt *row, struct kt_error *err) KT_MUST_CHECK;

/* As kt_store_put_trial, inside a transaction that the caller has begun. */
kt_status kt_trial_put_row(struct kt_store *store, const char *trial_key, const char *device_key,
                           const char *config_text, const char *problem_text, const struct kt_trial *trial, int64_t now,
                           struct kt_error *err) KT_MUST_CHECK;
/* The trial of a row whose columns begin as those of GET_TRIAL; false for one that cannot be read. */
bool kt_trial_read_row(struct kt_trial *out, struct kt_arena *arena, sqlite3_stmt *row);

/* Brings a file of an older (or no) schema to the newest in one transaction. version: what the file has. */
kt_status kt_schema_migrate(struct kt_store *store, int64_t version, struct kt_error *err) KT_MUST_CHECK;

/* Takes an exclusive flock on path (created when absent), waiting up to wait_s; *fd is closed to release it. */
kt_status kt_file_lock(int *fd, const char *path, double wait_s, struct kt_error *err) KT_MUST_CHECK;

/* As kt_store_lease, with the time after which a silent holder is replaced (0: never). */
kt_status kt_lease_take(struct kt_lease **out, const struct kt_store *store, const char *name, double wait_s,
                        double silent_s, struct kt_error *err) KT_MUST_CHECK;
/* Removes the lease file of that name unless it is held or was used since `before` (seconds of the epoch). */
void kt_lease_sweep(const struct kt_store *store, const char *name, int64_t before);

/*
 * Takes over what can be read and is whole from a damaged file of this schema: entries, trials, blobs, stamps. What
 * cannot be read is left out; a file that cannot be read at all gets a new head first. Counts what was taken.
 */
struct kt_salvaged {
	int64_t entries, trials, blobs, stamps;
};
kt_status kt_store_salvage(struct kt_salvaged *out, struct kt_store *store, const char *path, struct kt_error *err)
    KT_MUST_CHECK;

/*
 * Replacing a damaged file, by the process that holds store.lock. The mark (`suspect`) has the path that the damaged one
 * is moved to, from before the move until all of it is taken over. So the next process that opens the store goes on
 * where another was killed. kt_replace_begin gives each file of the store at `path` another name; kt_replace_resume
 * finishes such a move and returns whether there was one; kt_replace_end takes over and returns whether that is done:
 * false, the disk failed, leaves the rest to the next open.
 */
#define KT_STORE_PATH_BYTES 4096
#define KT_REPLACE_PATH_BYTES (KT_STORE_PATH_BYTES + 96)
kt_status kt_replace_begin(char aside[KT_REPLACE_PATH_BYTES], const char *path, const char *suspect,
                           struct kt_error *err) KT_MUST_CHECK;
bool kt_replace_resume(char aside[KT_REPLACE_PATH_BYTES], const char *path, const char *suspect);
bool kt_replace_end(struct kt_store *store, const char *aside);

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

/* Is the entry one that the query may use, whatever its closeness? */
bool kt_query_takes(const struct kt_query *query, const struct kt_entry *entry);

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
