#include "store/internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const sql_texts[KT_SQL_STATEMENTS] = {
#define KT_SQL_TEXT(id, text) text,
    KT_SQL(KT_SQL_TEXT)
#undef KT_SQL_TEXT
};

const char *kt_sql_text(enum kt_sql id)
{
	return sql_texts[id];
}

/* Damage met in the middle of work cannot be repaired there: other processes use the file. */
static void note_damage(const struct kt_store *store)
{
	char path[4096];
	int length = snprintf(path, sizeof path, "%s/%s", store->directory, KT_STORE_SUSPECT);
	if (length <= 0 || (size_t)length >= sizeof path)
		return;
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
	if (fd >= 0)
		close(fd);
}

static kt_status status_of(int rc)
{
	static const struct {
		int rc;
		kt_status status;
	} rows[] = {
	    {SQLITE_BUSY, KT_ERR_BUSY},       {SQLITE_LOCKED, KT_ERR_BUSY},       {SQLITE_NOMEM, KT_ERR_MEMORY},
	    {SQLITE_CORRUPT, KT_ERR_CORRUPT}, {SQLITE_NOTADB, KT_ERR_CORRUPT},    {SQLITE_TOOBIG, KT_ERR_LIMIT},
	    {SQLITE_MISUSE, KT_ERR_INVALID},  {SQLITE_CONSTRAINT, KT_ERR_INVALID},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].rc == (rc & 0xff))
			return rows[i].status;
	return KT_ERR_IO;
}

kt_status kt_sql_fail(struct kt_store *store, int rc, const char *what, struct kt_error *err)
{
	kt_status status = status_of(rc);
	if (status == KT_ERR_CORRUPT)
		note_damage(store);
	return kt_fail(err, status, "%s/%s: %s: %s", store->directory, KT_STORE_FILE, what,
	               store->db != NULL ? sqlite3_errmsg(store->db) : sqlite3_errstr(rc));
}

static int bind_one(sqlite3_stmt *statement, int index, char type, va_list *arguments)
{
	const void *data;
	switch (type) {
	case 't':
		return sqlite3_bind_text(statement, index, va_arg(*arguments, const char *), -1, SQLITE_STATIC);
	case 'i':
		return sqlite3_bind_int64(statement, index, va_arg(*arguments, int64_t));
	case 'd':
		return sqlite3_bind_double(statement, index, va_arg(*arguments, double));
	case 'b':
		data = va_arg(*arguments, const void *);
		return sqlite3_bind_blob64(statement, index, data, va_arg(*arguments, size_t), SQLITE_STATIC);
	default:
		return SQLITE_MISUSE;
	}
}

/* A statement that does not fit the tables of the program's version shows a damaged schema. */
static kt_status prepare(struct kt_store *store, enum kt_sql id, struct kt_error *err)
{
	int rc = sqlite3_prepare_v3(store->db, sql_texts[id], -1, SQLITE_PREPARE_PERSISTENT, &store->statements[id], NULL);
	if (rc == SQLITE_OK)
		return KT_OK;
	kt_status status = kt_sql_fail(store, rc, "cannot prepare", err);
	if ((rc & 0xff) != SQLITE_ERROR || store->newer)
		return status;
	note_damage(store);
	return err->code = KT_ERR_CORRUPT;
}

kt_status kt_sql_prepare_all(struct kt_store *store, struct kt_error *err)
{
	for (int id = 0; id < KT_SQL_STATEMENTS; id++)
		if (store->statements[id] == NULL)
			TRY(prepare(store, (enum kt_sql)id, err));
	return KT_OK;
}

static kt_status bind_all(sqlite3_stmt **out, struct kt_store *store, enum kt_sql id, struct kt_error *err,
                          const char *types, va_list *arguments)
{
	sqlite3_stmt **cached;
	int rc = SQLITE_OK;

	/* Callers go on without a store: every question then has no answer. */
	if (store == NULL)
		return kt_fail(err, KT_ERR_MISSING, "there is no store");
	cached = &store->statements[id];
	if (*cached == NULL && prepare(store, id, err) != KT_OK)
		return err->code;
	for (int i = 0; rc == SQLITE_OK && types[i] != '\0'; i++)
		rc = bind_one(*cached, i + 1, types[i], arguments);
	if (rc != SQLITE_OK) {
		kt_status status = kt_sql_fail(store, rc, "cannot bind", err);
		kt_sql_reset(*cached);
		return status;
	}
	*out = *cached;
	return KT_OK;
}

kt_status kt_sql_bind(sqlite3_stmt **out, struct kt_store *store, enum kt_sql id, struct kt_error *err,
                      const char *types, ...)
{
	va_list arguments;
	va_start(arguments, types);
	kt_status status = bind_all(out, store, id, err, types, &arguments);
	va_end(arguments);
	return status;
}

kt_status kt_sql_step(bool *row, struct kt_store *store, sqlite3_stmt *statement, struct kt_error *err)
{
	int rc = sqlite3_step(statement);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return kt_sql_fail(store, rc, "cannot run", err);
	*row = rc == SQLITE_ROW;
	return KT_OK;
}

void kt_sql_reset(sqlite3_stmt *statement)
{
	if (statement == NULL)
		return;
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
}

kt_status kt_sql_run(struct kt_store *store, enum kt_sql id, struct kt_error *err, const char *types, ...)
{
	sqlite3_stmt *statement = NULL;
	bool row = true;
	va_list arguments;
	va_start(arguments, types);
	kt_status status = bind_all(&statement, store, id, err, types, &arguments);
	va_end(arguments);
	while (status == KT_OK && row)
		status = kt_sql_step(&row, store, statement, err);
	kt_sql_reset(statement);
	return status;
}

kt_status kt_sql_script(struct kt_store *store, const char *text, struct kt_error *err)
{
	int rc = sqlite3_exec(store->db, text, NULL, NULL, NULL);
	return rc == SQLITE_OK ? KT_OK : kt_sql_fail(store, rc, "cannot run", err);
}

kt_status kt_sql_int(int64_t *out, struct kt_store *store, const char *text, struct kt_error *err)
{
	sqlite3_stmt *statement = NULL;
	int rc = sqlite3_prepare_v2(store->db, text, -1, &statement, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(statement);
	if (rc == SQLITE_ROW)
		*out = sqlite3_column_int64(statement, 0);
	kt_status status = rc == SQLITE_ROW ? KT_OK : kt_sql_fail(store, rc, "cannot read", err);
	sqlite3_finalize(statement);
	return status;
}

kt_status kt_sql_begin(struct kt_store *store, struct kt_error *err)
{
	if (store->read_only)
		return kt_fail(err, KT_ERR_IO, "%s/%s: the store is read-only", store->directory, KT_STORE_FILE);
	return kt_sql_run(store, KT_SQL_BEGIN, err, "");
}

kt_status kt_sql_end(struct kt_store *store, kt_status status, struct kt_error *err)
{
	struct kt_error ignored;
	THEN(status, kt_sql_run(store, KT_SQL_COMMIT, err, ""));
	if (status != KT_OK && sqlite3_get_autocommit(store->db) == 0 &&
	    kt_sql_run(store, KT_SQL_ROLLBACK, &ignored, "") != KT_OK)
		return status;
	return status;
}

const char *kt_sql_column(sqlite3_stmt *statement, int column)
{
	const unsigned char *text = sqlite3_column_text(statement, column);
	return text != NULL ? (const char *)text : "";
}
