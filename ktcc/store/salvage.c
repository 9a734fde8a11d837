/* What a damaged store still has. All of it is verified: entries and blobs by hash, trials by check sum. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"
#include "store/internal.h"

#define SPACES_MOST 1000000 /* of which it is remembered whether they were read */

/* Reads rows of the damaged file; false stops. */
typedef bool (*row_use)(sqlite3_stmt *row, void *context);

struct salvage {
	sqlite3 *from;
	struct kt_store *to;
	struct kt_salvaged taken;
	int64_t number; /* the one that was asked for last: of a space, the largest of a table, the version */
	const char *trial_key, *device_key;
	struct kt_error err;
	kt_status status; /* of writing */
	int64_t flag_count;
	bool *flags;      /* of each space: trials of it were taken */
};

static int bind_keys(sqlite3_stmt *statement, const struct salvage *s)
{
	int rc = sqlite3_bind_text(statement, 2, s->trial_key, -1, SQLITE_TRANSIENT);

	return rc == SQLITE_OK ? sqlite3_bind_text(statement, 3, s->device_key, -1, SQLITE_TRANSIENT) : rc;
}

/* True when the last row was reached; damage ends it before. */
static bool read_rows(struct salvage *s, const char *sql, const int64_t *number, row_use use)
{
	sqlite3_stmt *statement = NULL;
	bool going = true;
	int rc = sqlite3_prepare_v2(s->from, sql, -1, &statement, NULL);

	if (rc == SQLITE_OK && number != NULL)
		rc = sqlite3_bind_int64(statement, 1, *number);
	if (rc == SQLITE_OK && sqlite3_bind_parameter_count(statement) == 3)
		rc = bind_keys(statement, s);
	while (rc == SQLITE_OK && going && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
		rc = SQLITE_OK;
		going = use(statement, s) && s->status == KT_OK;
	}
	sqlite3_finalize(statement);
	return rc == SQLITE_DONE || !going;
}

static bool take_entry(sqlite3_stmt *row, void *context)
{
	struct salvage *s = context;
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_entry entry;
	struct kt_error ignored;
	const char *text = kt_sql_column(row, 0);

	if (arena != NULL && kt_entry_parse(&entry, arena, text, strlen(text), &ignored) == KT_OK) {
		s->status = kt_store_put(s->to, &entry, &s->err);
		s->taken.entries += s->status == KT_OK;
	}
	kt_arena_free(arena);
	return true;
}

static bool take_trial(sqlite3_stmt *row, void *context)
{
	struct salvage *s = context;
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_trial trial;

	if (arena != NULL && kt_trial_read_row(&trial, arena, row)) {
		s->status = kt_trial_put_row(s->to, s->trial_key, s->device_key, kt_sql_column(row, 12),
		                             kt_sql_column(row, 13), &trial, kt_unix_time(), &s->err);
		s->taken.trials += s->status == KT_OK;
	}
	kt_arena_free(arena);
	return true;
}

/* The check sum is over the keys as well: a damaged space gives no trial. */
#define TRIALS(order) \
	"SELECT t.problem_index, t.verdict, t.median_ns, t.mean_ns, t.min_ns, t.deviation_ns, t.samples, t.registers, " \
	"t.local_bytes, t.shared_bytes, t.detail, t.measured, t.configuration, t.problem FROM trials t WHERE t.space = ?1 " \
	"AND t.sum = " KT_SQL_TRIAL_SUM("?2", "?3", "t.") " ORDER BY t.configuration " order ", t.problem " order

static bool take_space(sqlite3_stmt *row, void *context)
{
	struct salvage *s = context;
	const int64_t most = s->number, id = sqlite3_column_int64(row, 0), before = s->taken.trials;

	s->number = id;
	s->trial_key = kt_sql_column(row, 1);
	s->device_key = kt_sql_column(row, 2);
	s->status = kt_sql_begin(s->to, &s->err);
	if (s->status != KT_OK)
		return false;
	/* Up to the damage from both sides. */
	if (!read_rows(s, TRIALS("ASC"), &s->number, take_trial))
		(void)read_rows(s, TRIALS("DESC"), &s->number, take_trial);
	s->status = kt_sql_end(s->to, s->status, &s->err);
	s->number = most;
	if (id >= 1 && id <= s->flag_count)
		s->flags[id - 1] = s->taken.trials > before;
	return true;
}

/* Of the index: what the table did not give. */
static bool take_space_again(sqlite3_stmt *row, void *context)
{
	struct salvage *s = context;
	const int64_t id = sqlite3_column_int64(row, 0);

	return id < 1 || id > s->flag_count || s->flags[id - 1] ? true : take_space(row, context);
}

static bool take_blob(sqlite3_stmt *row, void *context)
{
	struct salvage *s = context;
	struct kt_buf bytes = KT_BUF(KT_BLOB_BYTES);
	struct kt_error ignored;

	if (kt_artifact_read(&bytes, row, &ignored) == KT_OK) {
		s->status = kt_store_put_blob(s->to, kt_sql_column(row, 4), kt_buf_text(&bytes), bytes.size, &s->err);
		s->taken.blobs += s->status == KT_OK;
	}
	kt_buf_free(&bytes);
	return true;
}

static bool take_stamp(sqlite3_stmt *row, void *context)
{
	struct salvage *s = context;

	s->status = kt_store_put_stamp(s->to, kt_sql_column(row, 0), kt_sql_column(row, 1), &s->err);
	s->taken.stamps += s->status == KT_OK;
	return true;
}

static bool take_number(sqlite3_stmt *row, void *context)
{
	((struct salvage *)context)->number = sqlite3_column_int64(row, 0);
	return true;
}

/* Row by row, so that a damaged page costs its own rows only. */
static void read_by_id(struct salvage *s, const char *last, const char *one, row_use use)
{
	s->number = 0;
	(void)read_rows(s, last, NULL, take_number);
	for (int64_t id = 1, most = s->number; s->status == KT_OK && id <= most; id++)
		(void)read_rows(s, one, &id, use);
}

static void read_twice(struct salvage *s, const char *forward, const char *backward, row_use use)
{
	if (!read_rows(s, forward, NULL, use) && s->status == KT_OK)
		(void)read_rows(s, backward, NULL, use);
}

/* The keys are stored twice: in the table and in its index. */
#define SPACES "SELECT id, trial_key, device_key FROM spaces INDEXED BY sqlite_autoindex_spaces_1 ORDER BY trial_key "
#define BLOBS                                                                                                          \
	"SELECT a.data, a.size, n.used, n.hash, n.key FROM blobs n JOIN artifacts a ON a.hash = n.hash ORDER BY n.key "
#define STAMPS "SELECT near_key, path FROM stamps ORDER BY near_key "

static bool open_damaged(struct salvage *s, const char *path)
{
	sqlite3_stmt *statement = NULL;
	/* Its log belongs to it: reading may write it back, into the file that was moved aside. */
	bool readable =
	    sqlite3_open_v2(path, &s->from, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
	    kt_sql_functions(s->from) == SQLITE_OK &&
	    sqlite3_prepare_v2(s->from, "SELECT count(*) FROM sqlite_master", -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int64(statement, 0) > 0;

	sqlite3_finalize(statement);
	if (readable)
		return true;
	sqlite3_close(s->from);
	s->from = NULL;
	return false;
}

/*
 * Of the 100 bytes that a database begins with, all but a few are those of the
 * fresh file (the file format of SQLite, section 1.3): the number of pages
 * follows from the size, and free pages may be forgotten.
 */
static bool mend_head(struct kt_store *fresh, const char *path)
{
	enum { HEAD_BYTES = 100, PAGE_BYTES = 4096, CHANGES_AT = 24, PAGES_AT = 28, FREE_AT = 32, VALID_FOR_AT = 92 };
	unsigned char head[HEAD_BYTES];
	char own[4096];
	struct kt_error ignored;
	struct stat info;
	int length = snprintf(own, sizeof own, "%s/" KT_STORE_FILE, fresh->directory), from = -1, to = -1;
	bool done = length > 0 && (size_t)length < sizeof own &&
	            kt_sql_script(fresh, "PRAGMA wal_checkpoint(PASSIVE)", &ignored) == KT_OK &&
	            (from = kt_fs_open_regular(own, O_RDONLY)) >= 0 && (to = kt_fs_open_regular(path, O_RDWR)) >= 0 &&
	            fstat(to, &info) == 0 && info.st_size >= PAGE_BYTES && pread(from, head, sizeof head, 0) == HEAD_BYTES;

	if (done) {
		const uint64_t pages = (uint64_t)info.st_size / PAGE_BYTES;

		for (int i = 0; i < 4; i++)
			head[PAGES_AT + i] = (unsigned char)(pages >> (24 - 8 * i));
		memset(head + FREE_AT, 0, 8);
		memcpy(head + VALID_FOR_AT, head + CHANGES_AT, 4);
		done = pwrite(to, head, sizeof head, 0) == HEAD_BYTES;
	}
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return done;
}

kt_status kt_store_salvage(struct kt_salvaged *out, struct kt_store *store, const char *path, struct kt_error *err)
{
	struct salvage s = {.to = store};

	*out = s.taken;
	if (open_damaged(&s, path) || (mend_head(store, path) && open_damaged(&s, path))) {
		read_by_id(&s, "SELECT max(id) FROM results", "SELECT json FROM results WHERE id = ?1", take_entry);
		(void)read_rows(&s, "SELECT max(space) FROM trials", NULL, take_number);
		s.flag_count = s.number > 0 && s.number < SPACES_MOST ? s.number : SPACES_MOST;
		s.flags = calloc((size_t)s.flag_count, sizeof *s.flags);
		s.flag_count = s.flags != NULL ? s.flag_count : 0;
		read_by_id(&s, "SELECT max(id) FROM spaces", "SELECT id, trial_key, device_key FROM spaces WHERE id = ?1",
		           take_space);
		if (s.status == KT_OK)
			read_twice(&s, SPACES, SPACES "DESC", take_space_again);
		if (s.status == KT_OK)
			read_twice(&s, BLOBS, BLOBS "DESC", take_blob);
		if (s.status == KT_OK)
			read_twice(&s, STAMPS, STAMPS "DESC", take_stamp);
	}
	free(s.flags);
	sqlite3_close(s.from);
	*out = s.taken;
	return s.status == KT_OK ? KT_OK : kt_fail(err, s.status, "%s", s.err.message);
}
