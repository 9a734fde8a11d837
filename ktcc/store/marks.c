#include "base/log.h"
#include "base/proc.h"
#include "store/internal.h"

bool kt_store_get_mark(int64_t *value, struct kt_store *store, const char *name, int64_t age_s)
{
	struct kt_error ignored;
	sqlite3_stmt *statement = NULL;
	bool row = false, found = false;
	if (store == NULL)
		return false;
	if (kt_sql_bind(&statement, store, KT_SQL_GET_MARK, &ignored, "t", name) == KT_OK &&
	    kt_sql_step(&row, store, statement, &ignored) == KT_OK && row) {
		int64_t past_s = kt_unix_time() - sqlite3_column_int64(statement, 1);
		*value = sqlite3_column_int64(statement, 0);
		/* A time in the future is a clock that was set back since: the age of the mark is unknown. */
		found = past_s >= 0 && past_s < age_s;
	}
	kt_sql_reset(statement);
	return found;
}

bool kt_store_add_mark(struct kt_store *store, const char *name, int64_t amount, int64_t age_s,
                       enum kt_mark_time time)
{
	struct kt_error err;
	int64_t now = kt_unix_time();
	if (store == NULL || store->read_only)
		return false;
	if (kt_sql_run(store, KT_SQL_ADD_MARK, &err, "tiiii", name, amount, now, now - age_s,
	               (int64_t)(time == KT_MARK_FIRST)) == KT_OK)
		return true;
	kt_log("store: %s was not noted: %s", name, err.message);
	return false;
}
