#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "store/internal.h"

#define PATH_BYTES KT_STORE_PATH_BYTES
#define PREPARE_WAIT_S 60.0 /* somebody else upgrades or takes over a large file */
#define LOG_PAGES 128 /* the log's length when it is written back */
#define MEMORY_BLOB_LIMIT ((int)(KT_BLOB_BYTES + ((size_t)1 << 20)))

static kt_status store_path(char out[PATH_BYTES], const char *directory, const char *name, struct kt_error *err)
{
	int length = snprintf(out, PATH_BYTES, "%s/%s", directory, name);
	if (length <= 0 || length >= PATH_BYTES)
		return kt_fail(err, KT_ERR_LIMIT, "%s: the path is too long", directory);
	return KT_OK;
}

static void disconnect(struct kt_store *store)
{
	for (size_t i = 0; i < KT_SQL_STATEMENTS; i++) {
		sqlite3_finalize(store->statements[i]);
		store->statements[i] = NULL;
	}
	sqlite3_close(store->db);
	store->db = NULL;
}

/*
 * The write-ahead log stays when the last process closes the store, without a
 * checkpoint: closing costs no fsync, and a process that still has a moved-aside
 * file open cannot remove the log of its successor. But a process that opens the
 * store while no other has it open reads the whole log, so it is kept short:
 * writing it back syncs, but only once in some dozens of compilations.
 */
static void set_close_behaviour(sqlite3 *db)
{
	int on = 1;
	sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
	sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_wal_autocheckpoint(db, LOG_PAGES);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MEMORY_BLOB_LIMIT);
}

/* "file:" with every byte that means something in a URI written as %XX. */
static kt_status immutable_uri(struct kt_buf *out, const char *path, struct kt_error *err)
{
	kt_buf_adds(out, "file:");
	for (const char *at = path; *at != '\0'; at++) {
		if (*at == '%' || *at == '?' || *at == '#')
			kt_buf_addf(out, "%%%02X", (unsigned)(unsigned char)*at);
		else
			kt_buf_addc(out, *at);
	}
	kt_buf_adds(out, "?immutable=1");
	return kt_buf_check(out, "a database path", err);
}

/* Opens with these flags and reads the version: the first thing that touches the file. */
static kt_status connect_as(int64_t *version, struct kt_store *store, const char *path, int flags,
                            struct kt_error *err)
{
	int rc = sqlite3_open_v2(path, &store->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
	if (rc != SQLITE_OK) {
		kt_status status = kt_sql_fail(store, rc, "cannot open", err);
		disconnect(store);
		return status;
	}
	sqlite3_busy_timeout(store->db, KT_STORE_BUSY_MS);
	set_close_behaviour(store->db);
	kt_status status = kt_sql_int(version, store, "PRAGMA user_version", err);
	if (status == KT_OK && kt_sql_functions(store->db) != SQLITE_OK)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory opening the store");
	THEN(status, kt_sql_script(store, "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL;"
	                                  "PRAGMA journal_size_limit = 4194304; PRAGMA temp_store = MEMORY", err));
	if (status != KT_OK)
		disconnect(store);
	else
		store->read_only = sqlite3_db_readonly(store->db, "main") != 0;
	return status;
}

/* Read and write where that is possible, else read only, else read only without the log's helper files. */
static kt_status connect(int64_t *version, struct kt_store *store, const char *path, struct kt_error *err)
{
	struct kt_buf uri = KT_BUF(4 * PATH_BYTES);
	kt_status status = connect_as(version, store, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);
	if (status != KT_ERR_IO || access(path, R_OK) != 0)
		return status;
	struct kt_error second;
	if (connect_as(version, store, path, SQLITE_OPEN_READONLY, &second) == KT_OK)
		return KT_OK;
	if (immutable_uri(&uri, path, &second) == KT_OK &&
	    connect_as(version, store, kt_buf_text(&uri), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, &second) == KT_OK)
		status = KT_OK;
	kt_buf_free(&uri);
	return status;
}

static kt_status quick_check(struct kt_store *store, struct kt_error *err)
{
	sqlite3_stmt *statement = NULL;
	kt_status status = KT_OK;
	int rc = sqlite3_prepare_v2(store->db, "PRAGMA quick_check(1)", -1, &statement, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(statement);
	if (rc != SQLITE_ROW)
		status = kt_sql_fail(store, rc, "cannot check", err);
	else if (strcmp(kt_sql_column(statement, 0), "ok") != 0)
		status = kt_fail(err, KT_ERR_CORRUPT, "%s/%s: %s", store->directory, KT_STORE_FILE,
		                 kt_sql_column(statement, 0));
	sqlite3_finalize(statement);
	return status;
}

static kt_status check_version(const struct kt_store *store, int64_t version, struct kt_error *err)
{
	if (version < 0 || version > KT_SCHEMA_MOST)
		return kt_fail(err, KT_ERR_CORRUPT, "%s/%s: schema version %lld is none of ktcc's", store->directory,
		               KT_STORE_FILE, (long long)version);
	if (version < KT_SCHEMA_VERSION && store->read_only)
		return kt_fail(err, KT_ERR_INVALID,
		               "%s/%s: schema version %lld is older than %d and the file is read-only",
		               store->directory, KT_STORE_FILE, (long long)version, KT_SCHEMA_VERSION);
	return KT_OK;
}

static bool is_newer(int64_t version)
{
	return version > KT_SCHEMA_VERSION && version <= KT_SCHEMA_MOST;
}

/* A newer file is left as it is: what this program can read of it is read, and proves itself by its hashes. */
static kt_status connect_newer(struct kt_store *store, const char *path, struct kt_error *err)
{
	int64_t version = 0;
	disconnect(store);
	TRY(connect_as(&version, store, path, SQLITE_OPEN_READONLY, err));
	store->read_only = store->newer = true;
	kt_say("%s/%s was written by a newer ktcc (schema version %lld, this one knows up to %d) and is only read",
	       store->directory, KT_STORE_FILE, (long long)version, KT_SCHEMA_VERSION);
	return KT_OK;
}

/* A file of version 0 that already has tables is somebody else's database. */
static kt_status check_owner(struct kt_store *store, int64_t version, struct kt_error *err)
{
	int64_t tables = 0, application = 0;
	if (version == 0)
		TRY(kt_sql_int(&tables, store, "SELECT count(*) FROM sqlite_master", err));
	if (tables > 0)
		TRY(kt_sql_int(&application, store, "PRAGMA application_id", err));
	if (application == KT_SCHEMA_APPLICATION)
		return kt_fail(err, KT_ERR_CORRUPT, "%s/%s: ktcc's, but without a version", store->directory, KT_STORE_FILE);
	if (tables > 0)
		return kt_fail(err, KT_ERR_INVALID, "%s/%s: a database that ktcc did not make", store->directory,
		               KT_STORE_FILE);
	return KT_OK;
}

/*
 * Everything that is not "open an intact file of our version": one process at
 * a time makes, upgrades or replaces the file; the others find it done.
 */
static kt_status prepare_locked(struct kt_store *store, const char *path, const char *suspect, struct kt_error *err)
{
	char aside[KT_REPLACE_PATH_BYTES];
	int64_t version = 0;
	bool replaced = kt_replace_resume(aside, path, suspect);
	kt_status status = connect(&version, store, path, err);
	const bool is_suspect = access(suspect, F_OK) == 0;
	if (status == KT_OK && is_newer(version))
		return connect_newer(store, path, err);
	if (status == KT_OK && is_suspect)
		status = quick_check(store, err);
	THEN(status, check_version(store, version, err));
	THEN(status, check_owner(store, version, err));
	if (status == KT_OK && version < KT_SCHEMA_VERSION)
		status = kt_schema_migrate(store, version, err);
	if (status == KT_OK && is_suspect)
		status = kt_sql_prepare_all(store, err);
	if (status == KT_ERR_CORRUPT) {
		disconnect(store);
		replaced = true;
		status = kt_replace_begin(aside, path, suspect, err);
		THEN(status, connect(&version, store, path, err));
		THEN(status, kt_schema_migrate(store, version, err));
	}
	if (status == KT_OK && (!replaced || kt_replace_end(store, aside)))
		unlink(suspect);
	return status;
}

static kt_status prepare(struct kt_store *store, const char *path, const char *suspect, struct kt_error *err)
{
	char lock_path[PATH_BYTES];
	int fd = -1;
	kt_status status = store_path(lock_path, store->directory, "store.lock", err);
	THEN(status, kt_file_lock(&fd, lock_path, PREPARE_WAIT_S, err));
	if (status != KT_OK)
		return status;
	status = prepare_locked(store, path, suspect, err);
	close(fd);
	return status;
}

/* SQLite would wait for the other end of a pipe that has the name of one of its files. */
static kt_status check_files(const struct kt_store *store, struct kt_error *err)
{
	static const char *const names[] = {KT_STORE_FILE, KT_STORE_FILE "-wal", KT_STORE_FILE "-shm",
	                                    KT_STORE_FILE "-journal", KT_STORE_SUSPECT, "store.lock"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		char path[PATH_BYTES];
		struct stat info;
		TRY(store_path(path, store->directory, names[i], err));
		if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
			return kt_fail(err, KT_ERR_IO, "%s: not a regular file; remove it", path);
	}
	return KT_OK;
}

static kt_status open_file(struct kt_store *store, struct kt_error *err)
{
	char path[PATH_BYTES], suspect[PATH_BYTES];
	int64_t version = 0;
	kt_status status = store_path(path, store->directory, KT_STORE_FILE, err);
	THEN(status, store_path(suspect, store->directory, KT_STORE_SUSPECT, err));
	THEN(status, check_files(store, err));
	if (status != KT_OK)
		return status;
	if (access(suspect, F_OK) != 0 && access(path, F_OK) == 0) {
		status = connect(&version, store, path, err);
		if (status == KT_OK && version == KT_SCHEMA_VERSION)
			return KT_OK;
		if (status == KT_OK && is_newer(version))
			return connect_newer(store, path, err);
		THEN(status, check_version(store, version, err));
		disconnect(store);
		if (status != KT_OK && status != KT_ERR_CORRUPT)
			return status;
	}
	return prepare(store, path, suspect, err);
}

struct kt_formats kt_store_formats(void)
{
	return (struct kt_formats){KT_ENTRY_FORMAT, KT_SCHEMA_VERSION};
}

kt_status kt_store_open(struct kt_store **out, const char *directory, struct kt_error *err)
{
	kt_status status;
	struct kt_store *store = calloc(1, sizeof *store);
	if (store == NULL || (store->directory = strdup(directory)) == NULL) {
		free(store);
		return kt_fail(err, KT_ERR_MEMORY, "out of memory opening the store");
	}
	status = kt_fs_is_dir(directory) ? KT_OK : kt_fs_mkdirs(directory, err);
	THEN(status, open_file(store, err));
	if (status != KT_OK) {
		kt_store_close(store);
		return status;
	}
	*out = store;
	return KT_OK;
}

void kt_store_close(struct kt_store *store)
{
	if (store == NULL)
		return;
	disconnect(store);
	free(store->directory);
	free(store);
}
