/* What is removed from the store, and when: by age, by size, and what nothing leads to any more. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "base/proc.h"
#include "store/internal.h"

#define DAYS_MOST 36500
#define DAY_S 86400
#define SIZE_ROUNDS 16
#define UNFINISHED_S 3600

/*
 * In this order: first what was not used since ?1, then what nothing refers to
 * any more. Rows of the second kind are not counted.
 */
static const struct sweep {
	const char *sql;
	bool counted;
} sweeps[] = {
    {"DELETE FROM results WHERE used <= ?1", true},
    {"DELETE FROM trials WHERE space IN (SELECT id FROM spaces WHERE used <= ?1)", true},
    {"DELETE FROM spaces WHERE used <= ?1", false},
    {"DELETE FROM manifests WHERE used <= ?1", true},
    {"DELETE FROM blobs WHERE used <= ?1", true},
    {"DELETE FROM artifacts WHERE NOT EXISTS (SELECT 1 FROM blobs n WHERE n.hash = artifacts.hash)"
     " AND NOT EXISTS (SELECT 1 FROM manifests n WHERE n.hash = artifacts.hash)", false},
    {"DELETE FROM closures WHERE used <= ?1 AND region_key NOT IN (SELECT region_key FROM results)", false},
    {"DELETE FROM ledger WHERE time <= ?1", false},
    {"DELETE FROM machines WHERE seen <= ?1", false},
    {"DELETE FROM marks WHERE time <= ?1", false},
    {"DELETE FROM regions WHERE seen <= ?1 AND region_key NOT IN (SELECT region_key FROM results)", false},
    {"DELETE FROM templates WHERE id NOT IN (SELECT template FROM results)", false},
    {"DELETE FROM toolchains WHERE id NOT IN (SELECT toolchain FROM results)", false},
    {"DELETE FROM devices WHERE seen <= ?1 AND device_key NOT IN (SELECT device_key FROM results)"
     " AND device_key NOT IN (SELECT device_key FROM spaces)", false},
};

/*
 * When each removable thing was used last and about how many bytes go with it,
 * oldest first: the text of a row, what is packed, and for keys and indices a round number.
 */
static const char by_age[] =
    "SELECT n.used, 300 + length(a.data) FROM manifests n JOIN artifacts a ON a.hash = n.hash"
    " UNION ALL SELECT n.used, 300 + length(a.data) FROM blobs n JOIN artifacts a ON a.hash = n.hash"
    " UNION ALL SELECT s.used, 300 + 150 * (SELECT count(*) FROM trials t WHERE t.space = s.id) FROM spaces s"
    " UNION ALL SELECT used, 1000 + length(json) FROM results ORDER BY 1";

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

/* Files of leases that no process holds. */
static void sweep_leases(const struct kt_store *store, int64_t before)
{
	char path[4096];
	struct dirent *item;
	DIR *directory;
	int length = snprintf(path, sizeof path, "%s/" KT_STORE_LEASES, store->directory);
	if (length <= 0 || (size_t)length >= sizeof path || (directory = opendir(path)) == NULL)
		return;
	while ((item = readdir(directory)) != NULL)
		kt_lease_sweep(store, item->d_name, before);
	closedir(directory);
}

/* Files of a process that was killed at making a precompiled header. */
static void sweep_unfinished(const char *path, const char *name, time_t changed)
{
	char whole[4096];
	struct kt_error err;
	const int length = snprintf(whole, sizeof whole, "%s/%s", path, name);

	if (changed + UNFINISHED_S > kt_unix_time() || length <= 0 || (size_t)length >= sizeof whole)
		return;
	if (kt_fs_remove_tree(whole, &err) != KT_OK)
		kt_log("%s", err.message);
}

/*
 * Precompiled headers (clang_tools/headers.h) that were not made since: a note that goes takes its header along, and
 * what has no note goes as well.
 */
void kt_store_sweep_headers(const char *machine_dir, int64_t days)
{
	const int64_t before = kt_unix_time() - days * DAY_S;
	char path[4096], note[NAME_MAX + 8];
	struct dirent *item;
	struct stat info;
	const int length = snprintf(path, sizeof path, "%s/" KT_STORE_HEADERS, machine_dir);
	const int folder = length > 0 && (size_t)length < sizeof path
	                       ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
	                       : -1;
	DIR *directory = folder >= 0 ? fdopendir(folder) : NULL;

	while (directory != NULL && (item = readdir(directory)) != NULL) {
		const char *dot = strrchr(item->d_name, '.');

		if (item->d_name[0] == '.' || fstatat(folder, item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (S_ISDIR(info.st_mode)) {
			sweep_unfinished(path, item->d_name, info.st_mtim.tv_sec);
			continue;
		}
		(void)snprintf(note, sizeof note, "%.*s.json", (int)(dot != NULL ? dot - item->d_name : 0), item->d_name);
		if (dot == NULL || (strcmp(dot, ".pch") == 0 && faccessat(folder, note, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
		                    info.st_mtim.tv_sec > before) ||
		    (strcmp(dot, ".json") == 0 && info.st_mtim.tv_sec > before))
			continue;
		(void)unlinkat(folder, item->d_name, 0);
	}
	if (directory != NULL)
		closedir(directory);
	else if (folder >= 0)
		close(folder);
}

static kt_status sweep_all(int64_t *removed, struct kt_store *store, int64_t before, struct kt_error *err)
{
	TRY(kt_sql_begin(store, err));
	kt_status status = KT_OK;
	for (size_t i = 0; status == KT_OK && i < sizeof sweeps / sizeof sweeps[0]; i++)
		status = sweep(removed, store, &sweeps[i], before, err);
	THEN(status, sweep_stamps(store, err));
	return kt_sql_end(store, status, err);
}

kt_status kt_store_bytes(int64_t *out, struct kt_store *store, struct kt_error *err)
{
	return kt_sql_int(out, store,
	                  "SELECT (c.page_count - f.freelist_count) * s.page_size FROM pragma_page_count c,"
	                  " pragma_freelist_count f, pragma_page_size s",
	                  err);
}

/* The time of last use up to which things must go for `excess` bytes to be free; −1: there is nothing left. */
static kt_status find_cutoff(int64_t *cutoff, struct kt_store *store, int64_t excess, struct kt_error *err)
{
	sqlite3_stmt *statement = NULL;
	int64_t freed = 0;
	int rc = sqlite3_prepare_v2(store->db, by_age, -1, &statement, NULL);
	*cutoff = -1;
	if (rc == SQLITE_OK)
		rc = SQLITE_ROW;
	while (freed < excess && rc == SQLITE_ROW && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
		*cutoff = sqlite3_column_int64(statement, 0);
		freed += sqlite3_column_int64(statement, 1);
	}
	kt_status status = rc == SQLITE_ROW || rc == SQLITE_DONE ? KT_OK : kt_sql_fail(store, rc, "cannot read", err);
	sqlite3_finalize(statement);
	return status;
}

/* What was used longest ago goes until the rest fits. */
static kt_status shrink(int64_t *removed, struct kt_store *store, int64_t most, struct kt_error *err)
{
	int64_t used = 0, cutoff = 0;
	for (int round = 0; round < SIZE_ROUNDS; round++) {
		TRY(kt_store_bytes(&used, store, err));
		if (used <= most)
			return KT_OK;
		TRY(find_cutoff(&cutoff, store, used - most, err));
		if (cutoff < 0)
			return KT_OK;
		TRY(sweep_all(removed, store, cutoff, err));
	}
	return KT_OK;
}

kt_status kt_store_gc(struct kt_gc *out, struct kt_store *store, int64_t days, int64_t bytes_most,
                      struct kt_error *err)
{
	struct kt_gc gc = {0};
	if (days < 0 || days > DAYS_MOST)
		return kt_fail(err, KT_ERR_INVALID, "%lld days: 0 to %d are allowed", (long long)days, DAYS_MOST);
	int64_t before = kt_unix_time() - days * DAY_S;
	kt_status status = kt_store_bytes(&gc.bytes_before, store, err);
	THEN(status, sweep_all(&gc.removed, store, before, err));
	if (status == KT_OK && bytes_most >= 0)
		status = shrink(&gc.removed, store, bytes_most, err);
	if (status != KT_OK)
		return status;
	sweep_moved_aside(store, before);
	sweep_leases(store, before);
	/* Another user of the file, or a full disk, keeps it from shrinking; what was to go is gone. */
	status = kt_sql_script(store, "VACUUM; PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)", err);
	if (status == KT_ERR_BUSY || status == KT_ERR_IO) {
		kt_log("not shrunk: %s", err->message);
		status = KT_OK;
	}
	THEN(status, kt_store_bytes(&gc.bytes_after, store, err));
	if (status == KT_OK)
		*out = gc;
	return status;
}
