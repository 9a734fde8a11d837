#include "store/internal.h"

/*
 * Row i takes a file from version i to version i + 1. Rows are never edited
 * once released; a change of the schema is a new row.
 */
static const char *const migrations[KT_SCHEMA_VERSION] = {
    "CREATE TABLE devices(device_key TEXT NOT NULL PRIMARY KEY, name TEXT, cc INTEGER, json TEXT,"
    " seen INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE toolchains(id INTEGER PRIMARY KEY, toolkit TEXT NOT NULL, driver TEXT NOT NULL,"
    " tool TEXT NOT NULL, UNIQUE(toolkit, driver, tool)) STRICT;"
    "CREATE TABLE regions(region_key TEXT NOT NULL PRIMARY KEY, name TEXT, kernel TEXT, instance TEXT,"
    " seen INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE closures(closure TEXT NOT NULL PRIMARY KEY,"
    " region_key TEXT NOT NULL REFERENCES regions ON DELETE CASCADE, used INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE INDEX closures_region ON closures(region_key);"
    "CREATE TABLE templates(id INTEGER PRIMARY KEY,"
    " region_key TEXT NOT NULL REFERENCES regions ON DELETE CASCADE, generator TEXT NOT NULL,"
    " parameters TEXT NOT NULL, UNIQUE(region_key, generator, parameters)) STRICT;"
    "CREATE TABLE results(id INTEGER PRIMARY KEY, region_key TEXT NOT NULL REFERENCES regions,"
    " device_key TEXT NOT NULL REFERENCES devices, near_key TEXT NOT NULL, closure TEXT NOT NULL,"
    " name TEXT NOT NULL, instance TEXT NOT NULL, toolchain INTEGER NOT NULL REFERENCES toolchains,"
    " template INTEGER NOT NULL REFERENCES templates, json TEXT NOT NULL, generation INTEGER NOT NULL,"
    " created INTEGER NOT NULL, used INTEGER NOT NULL, UNIQUE(region_key, device_key)) STRICT;"
    "CREATE INDEX results_closure ON results(closure);"
    "CREATE INDEX results_near ON results(near_key);"
    "CREATE INDEX results_name ON results(name, instance, device_key);"
    "CREATE INDEX results_device ON results(device_key);"
    "CREATE INDEX results_toolchain ON results(toolchain);"
    "CREATE INDEX results_template ON results(template);"
    "CREATE TABLE trials(trial_key TEXT NOT NULL, device_key TEXT NOT NULL REFERENCES devices,"
    " configuration TEXT NOT NULL, problem TEXT NOT NULL, problem_index INTEGER NOT NULL, verdict TEXT NOT NULL,"
    " median_ns REAL, mean_ns REAL, min_ns REAL, deviation_ns REAL, samples INTEGER NOT NULL,"
    " registers INTEGER NOT NULL, local_bytes INTEGER NOT NULL, shared_bytes INTEGER NOT NULL, detail TEXT,"
    " used INTEGER NOT NULL, PRIMARY KEY(trial_key, device_key, configuration, problem)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX trials_device ON trials(device_key);"
    "CREATE TABLE manifests(key TEXT NOT NULL PRIMARY KEY, size INTEGER NOT NULL, data BLOB NOT NULL,"
    " used INTEGER NOT NULL) STRICT;"
    "CREATE TABLE ledger(id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, region_key TEXT NOT NULL,"
    " device_key TEXT NOT NULL, event TEXT NOT NULL, detail TEXT) STRICT;"
    "CREATE INDEX ledger_region ON ledger(region_key, device_key);"
    "CREATE TABLE statistics(name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE stamps(near_key TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY(near_key, path))"
    " STRICT, WITHOUT ROWID;"
    "CREATE TABLE machines(fingerprint TEXT NOT NULL PRIMARY KEY, json TEXT NOT NULL, seen INTEGER NOT NULL)"
    " STRICT, WITHOUT ROWID;"
    "CREATE TABLE blobs(key TEXT NOT NULL PRIMARY KEY, size INTEGER NOT NULL, data BLOB NOT NULL,"
    " used INTEGER NOT NULL) STRICT;",
    /* Manifests hold several emitted files: what was known of older commands is found again. */
    "DELETE FROM manifests;",
    /* Sums and times that several processes share (store/marks.c); where an entry came from. */
    "CREATE TABLE marks(name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL, time INTEGER NOT NULL)"
    " STRICT, WITHOUT ROWID;"
    "ALTER TABLE results ADD COLUMN origin TEXT;",
    /*
     * Trials: the two keys once for all trials of a region on a device, and a check sum. Manifests and blobs: names of
     * artifacts, which are kept by content.
     */
    "CREATE TABLE spaces(id INTEGER PRIMARY KEY, trial_key TEXT NOT NULL,"
    " device_key TEXT NOT NULL REFERENCES devices, used INTEGER NOT NULL, UNIQUE(trial_key, device_key)) STRICT;"
    "CREATE INDEX spaces_device ON spaces(device_key);"
    "CREATE INDEX spaces_used ON spaces(used);"
    "INSERT INTO spaces(trial_key, device_key, used) SELECT trial_key, device_key, max(used) FROM trials"
    " GROUP BY trial_key, device_key;"
    "ALTER TABLE trials RENAME TO trials_3;"
    "DROP INDEX trials_device;"
    "CREATE TABLE trials(space INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE, configuration TEXT NOT NULL,"
    " problem TEXT NOT NULL, problem_index INTEGER NOT NULL, verdict TEXT NOT NULL, median_ns REAL, mean_ns REAL,"
    " min_ns REAL, deviation_ns REAL, samples INTEGER NOT NULL, registers INTEGER NOT NULL,"
    " local_bytes INTEGER NOT NULL, shared_bytes INTEGER NOT NULL, detail TEXT, sum INTEGER NOT NULL,"
    " PRIMARY KEY(space, configuration, problem)) STRICT, WITHOUT ROWID;"
    "INSERT INTO trials SELECT s.id, t.configuration, t.problem, t.problem_index, t.verdict, t.median_ns, t.mean_ns,"
    " t.min_ns, t.deviation_ns, t.samples, t.registers, t.local_bytes, t.shared_bytes, t.detail, "
    KT_SQL_TRIAL_SUM("t.trial_key", "t.device_key", "t.")
    " FROM trials_3 t JOIN spaces s ON s.trial_key = t.trial_key AND s.device_key = t.device_key;"
    "DROP TABLE trials_3;"
    "CREATE TABLE artifacts(hash TEXT NOT NULL PRIMARY KEY, size INTEGER NOT NULL, data BLOB NOT NULL) STRICT;"
    "ALTER TABLE blobs RENAME TO blobs_3;"
    "ALTER TABLE manifests RENAME TO manifests_3;"
    "CREATE TABLE blobs(key TEXT NOT NULL PRIMARY KEY, hash TEXT NOT NULL REFERENCES artifacts,"
    " used INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE INDEX blobs_hash ON blobs(hash);"
    "CREATE INDEX blobs_used ON blobs(used);"
    "CREATE TABLE manifests(key TEXT NOT NULL PRIMARY KEY, hash TEXT NOT NULL REFERENCES artifacts,"
    " used INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE INDEX manifests_hash ON manifests(hash);"
    "CREATE INDEX manifests_used ON manifests(used);"
    "INSERT OR IGNORE INTO artifacts SELECT ktune_content(data, size), size, data FROM blobs_3"
    " WHERE ktune_content(data, size) IS NOT NULL;"
    "INSERT INTO blobs SELECT key, ktune_content(data, size), used FROM blobs_3"
    " WHERE ktune_content(data, size) IS NOT NULL;"
    "INSERT OR IGNORE INTO artifacts SELECT ktune_content(data, size), size, data FROM manifests_3"
    " WHERE ktune_content(data, size) IS NOT NULL;"
    "INSERT INTO manifests SELECT key, ktune_content(data, size), used FROM manifests_3"
    " WHERE ktune_content(data, size) IS NOT NULL;"
    "DROP TABLE blobs_3;"
    "DROP TABLE manifests_3;"
    "CREATE INDEX results_used ON results(used);"
    "ALTER TABLE results ADD COLUMN trial_key TEXT;",
    /* What a space is about, so that searches of other spaces start from it; NULL of those from before. */
    "ALTER TABLE spaces ADD COLUMN kernel TEXT;"
    "ALTER TABLE spaces ADD COLUMN instance TEXT;"
    "ALTER TABLE spaces ADD COLUMN parameters TEXT;"
    "CREATE INDEX spaces_kernel ON spaces(kernel, used);",
    /* When a trial was measured, in ms of the epoch; NULL of those from before. It is not in the check sum: it decides nothing. */
    "ALTER TABLE trials ADD COLUMN measured INTEGER;",
};

static kt_status run_migrations(struct kt_store *store, int64_t version, struct kt_error *err)
{
	char mark[96];
	kt_status status = KT_OK;
	for (int64_t at = version; status == KT_OK && at < KT_SCHEMA_VERSION; at++)
		status = kt_sql_script(store, migrations[at], err);
	/* The tables are not those of the version in the file. */
	if (status == KT_ERR_IO && (sqlite3_errcode(store->db) & 0xff) == SQLITE_ERROR)
		return kt_fail(err, KT_ERR_CORRUPT, "%s/%s: not of the schema version that it has", store->directory,
		               KT_STORE_FILE);
	if (status != KT_OK)
		return status;
	sqlite3_snprintf((int)sizeof mark, mark, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
	                 KT_SCHEMA_APPLICATION, KT_SCHEMA_VERSION);
	return kt_sql_script(store, mark, err);
}

kt_status kt_schema_migrate(struct kt_store *store, int64_t version, struct kt_error *err)
{
	/* Turning WAL on is refused inside a transaction. */
	TRY(kt_sql_script(store, "PRAGMA journal_mode = WAL", err));
	TRY(kt_sql_begin(store, err));
	return kt_sql_end(store, run_migrations(store, version, err), err);
}
