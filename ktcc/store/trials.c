/* Trials: what was measured, one row each, in the space of a trial key on a device. */
#include "base/log.h"
#include "base/proc.h"
#include "store/internal.h"

kt_status kt_trial_put_row(struct kt_store *store, const char *trial_key, const char *device_key,
                           const char *config_text, const char *problem_text, const struct kt_trial *trial, int64_t now,
                           struct kt_error *err)
{
	const struct kt_timing *timing = &trial->timing;
	TRY(kt_sql_run(store, KT_SQL_STUB_DEVICE, err, "ti", device_key, now));

	TRY(kt_sql_run(store, KT_SQL_PUT_SPACE, err, "tti", trial_key, device_key, now));
	return kt_sql_run(store, KT_SQL_PUT_TRIAL, err, "ttttitddddiiiiti", trial_key, device_key, config_text,
			  problem_text, trial->problem, kt_verdict_name(trial->verdict), timing->median_ns,
			  timing->mean_ns, timing->min_ns, timing->deviation_ns, timing->samples, trial->registers,
			  trial->local_bytes, trial->shared_bytes, trial->detail, trial->measured_ms);
}

kt_status kt_store_put_trial(struct kt_store *store, const char *trial_key, const char *device_key,
                             const char *config_text, const char *problem_text, const struct kt_trial *trial,
                             struct kt_error *err)
{
	TRY(kt_sql_begin(store, err));
	kt_status status = kt_trial_put_row(store, trial_key, device_key, config_text, problem_text, trial, kt_unix_time(),
	                                    err);
	return kt_sql_end(store, status, err);
}

kt_status kt_store_put_trials(struct kt_store *store, const char *trial_key, const char *device_key,
                              const struct kt_trial_row *rows, size_t count, struct kt_error *err)
{
	TRY(kt_sql_begin(store, err));
	kt_status status = KT_OK;
	for (size_t i = 0; status == KT_OK && i < count; i++)
		status = kt_trial_put_row(store, trial_key, device_key, rows[i].configuration, rows[i].problem, &rows[i].trial,
		                          kt_unix_time(), err);
	return kt_sql_end(store, status, err);
}

bool kt_trial_read_row(struct kt_trial *out, struct kt_arena *arena, sqlite3_stmt *row)
{
	struct kt_trial trial = {.problem = sqlite3_column_int64(row, 0)};

	if (!kt_verdict_from_name(&trial.verdict, kt_sql_column(row, 1)))
		return false;
	trial.timing = (struct kt_timing){sqlite3_column_double(row, 2), sqlite3_column_double(row, 3),
	                                  sqlite3_column_double(row, 4), sqlite3_column_double(row, 5),
	                                  sqlite3_column_int64(row, 6)};
	trial.registers = sqlite3_column_int64(row, 7);
	trial.local_bytes = sqlite3_column_int64(row, 8);
	trial.shared_bytes = sqlite3_column_int64(row, 9);
	trial.measured_ms = sqlite3_column_int64(row, 11);
	if (sqlite3_column_type(row, 10) != SQLITE_NULL) {
		NEED(trial.detail = kt_arena_strdup(arena, kt_sql_column(row, 10)), false);
	}
	*out = trial;
	return true;
}

bool kt_store_get_trial(struct kt_trial *out, struct kt_arena *arena, struct kt_store *store, const char *trial_key,
                        const char *device_key, const char *config_text, const char *problem_text)
{
	struct kt_error dropped;
	sqlite3_stmt *statement = NULL;
	bool row = false, found;
	int64_t space = 0, used = INT64_MAX;

	found = kt_sql_bind(&statement, store, KT_SQL_GET_TRIAL, &dropped, "tttt", trial_key, device_key, config_text,
	                    problem_text) == KT_OK &&
	        kt_sql_step(&row, store, statement, &dropped) == KT_OK && row && kt_trial_read_row(out, arena, statement);
	if (found) {
		space = sqlite3_column_int64(statement, 12);
		used = sqlite3_column_int64(statement, 13);
	}
	kt_sql_reset(statement);
	if (found && kt_used_stale(store, used) &&
	    kt_sql_run(store, KT_SQL_USE_SPACE, &dropped, "ii", space, kt_unix_time()) != KT_OK)
		kt_log("store: trials could not be marked as used: %s", dropped.message);
	return found;
}

kt_status kt_store_each_trial(struct kt_store *store, const char *trial_key, const char *device_key,
                              kt_trial_visit visit, void *context, struct kt_error *err)
{
	sqlite3_stmt *statement = NULL;
	bool row = true;
	kt_status status = kt_sql_bind(&statement, store, KT_SQL_TRIALS, err, "tt", trial_key, device_key);

	while (status == KT_OK && row) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_trial trial;

		if (arena == NULL)
			status = kt_fail(err, KT_ERR_MEMORY, "out of memory reading trials");
		else
			status = kt_sql_step(&row, store, statement, err);
		if (status == KT_OK && row && kt_trial_read_row(&trial, arena, statement))
			row = visit(kt_sql_column(statement, 12), kt_sql_column(statement, 13), &trial, context);
		kt_arena_free(arena);
	}
	kt_sql_reset(statement);
	return status;
}

kt_status kt_store_put_subject(struct kt_store *store, const struct kt_trial_subject *subject, struct kt_error *err)
{
	const int64_t now = kt_unix_time();
	TRY(kt_sql_begin(store, err));
	kt_status status = kt_sql_run(store, KT_SQL_STUB_DEVICE, err, "ti", subject->device_key, now);
	THEN(status, kt_sql_run(store, KT_SQL_PUT_SPACE, err, "tti", subject->trial_key, subject->device_key, now));
	THEN(status, kt_sql_run(store, KT_SQL_NOTE_SPACE, err, "ttttt", subject->trial_key, subject->device_key,
	                        subject->kernel, subject->instance, subject->parameters));
	return kt_sql_end(store, status, err);
}

kt_status kt_store_each_subject(struct kt_store *store, const char *kernel, bool others, int64_t most,
                                kt_subject_visit visit, void *context, struct kt_error *err)
{
	sqlite3_stmt *statement = NULL;
	bool row = true;
	kt_status status =
	    kt_sql_bind(&statement, store, others ? KT_SQL_SPACES_OF_OTHERS : KT_SQL_SPACES_OF_KERNEL, err, "ti", kernel, most);

	while (status == KT_OK && row) {
		status = kt_sql_step(&row, store, statement, err);
		if (status == KT_OK && row)
			row = visit(&(struct kt_trial_subject){kt_sql_column(statement, 0), kt_sql_column(statement, 1),
			                                       kt_sql_column(statement, 2), kt_sql_column(statement, 3),
			                                       kt_sql_column(statement, 4)},
			            context);
	}
	kt_sql_reset(statement);
	return status;
}
