#include "store/internal.h"

kt_status kt_store_each_decision(struct kt_store *store, const char *region_key, const char *device_key,
                               const char *since, kt_decision_visit visit, void *context, struct kt_error *err)
{
	sqlite3_stmt *statement = NULL;
	bool row = true;
	kt_status status = kt_sql_bind(&statement, store, KT_SQL_DECISIONS, err, "ttt", region_key, device_key, since);

	while (status == KT_OK && row) {
		status = kt_sql_step(&row, store, statement, err);
		if (status == KT_OK && row &&
		    !visit(sqlite3_column_int64(statement, 0), kt_sql_column(statement, 1), kt_sql_column(statement, 2),
		           context))
			break;
	}
	kt_sql_reset(statement);
	return status;
}
