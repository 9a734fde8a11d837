#include "testing/internal.h"

static kt_status broken(struct kt_error *err, const char *what)
{
	return kt_fail(err, KT_ERR_CHILD, "ktcc-runner's reply has no %s", what);
}

static kt_status read_timing(struct kt_timing *out, const cJSON *holder, struct kt_error *err)
{
	const cJSON *json = NULL;
	kt_status status = kt_json_object_or(&json, holder, "timing", err);
	return status == KT_OK ? kt_timing_read(out, json, err) : status;
}

/* Rows and trials with their names, nothing in them yet. */
static kt_status make_rows(struct kt_outcome *out, struct kt_arena *arena, const struct kt_subject *subject,
                           const struct kt_rows *rows, struct kt_error *err)
{
	out->row_count = rows->count;
	out->rows = kt_arena_array(arena, rows->count, sizeof *out->rows);
	out->trials = kt_arena_array(arena, rows->timed, sizeof *out->trials);
	for (size_t r = 0; out->rows && out->trials && r < rows->count; r++) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
		kt_check_print(&text, subject, &rows->checks[r]);
		out->rows[r] = (struct kt_row){.problem = kt_arena_strdup(arena, kt_buf_text(&text)),
		                               .check = r >= rows->timed};
		kt_buf_free(&text);
		NEED(out->rows[r].problem, kt_no_memory(err));
	}
	return out->rows && out->trials ? KT_OK : kt_no_memory(err);
}

/*
 * Where a row failed: its name, and its verdict for problems that were right but
 * were not timed, so that they are not taken for measurements.
 */
static kt_status blame(struct kt_outcome *out, struct kt_arena *arena, size_t timed, struct kt_error *err)
{
	const struct kt_row *failed = NULL;
	for (size_t r = 0; r < out->row_count && !failed; r++)
		if (out->rows[r].verdict != KT_VERDICT_OK && out->rows[r].verdict != KT_VERDICT_SKIPPED)
			failed = &out->rows[r];
	if (!failed || out->verdict == KT_VERDICT_OK)
		return KT_OK;
	out->failed = failed->problem;
	const char *detail;
	NEED(detail = kt_arena_printf(arena, "on %s: %s", failed->problem,
				      failed->detail ? failed->detail : kt_verdict_name(failed->verdict)),
	     kt_no_memory(err));
	for (size_t p = 0; p < timed; p++) {
		struct kt_trial *trial = &out->trials[p];
		if ((trial->verdict == KT_VERDICT_OK && trial->timing.samples == 0) ||
		    (trial->verdict == KT_VERDICT_SKIPPED && failed->check)) {
			trial->verdict = out->verdict;
			trial->detail = detail;
		}
	}
	return KT_OK;
}

static void take_row(struct kt_outcome *out, size_t row, bool timed, const struct kt_reply_row *read)
{
	out->rows[row].verdict = read->trial.verdict;
	out->rows[row].detail = read->trial.detail;
	out->rows[row].ulp_count = read->ulp_count;
	out->rows[row].ulp = read->ulp;
	if (!timed)
		return;
	out->trials[row] = read->trial;
	out->trials[row].problem = (int64_t)row;
	out->trials[row].registers = out->registers;
	out->trials[row].local_bytes = out->local_bytes;
	out->trials[row].shared_bytes = out->shared_bytes;
}

kt_status kt_reply_outcome(struct kt_outcome *out, struct kt_arena *arena, const cJSON *reply,
                           const struct kt_subject *subject, const struct kt_rows *rows, struct kt_error *err)
{
	struct kt_reply_try read = {0};
	TRY(kt_members_parse(&read, reply, &kt_reply_try_members, arena, err));
	if (read.row_count != rows->count)
		return broken(err, "row for each problem");
	*out = (struct kt_outcome){.verdict = read.verdict, .registers = read.registers, .local_bytes = read.local_bytes,
	                           .shared_bytes = read.shared_bytes, .occupancy_blocks = read.occupancy_blocks};
	TRY(make_rows(out, arena, subject, rows, err));
	for (size_t r = 0; r < rows->count; r++)
		take_row(out, r, r < rows->timed, &read.rows[r]);
	return blame(out, arena, rows->timed, err);
}

kt_status kt_reply_timings(struct kt_timing *out, const cJSON *reply, size_t candidates, size_t problems, size_t count,
                           struct kt_error *err)
{
	const cJSON *rows = NULL, *row = NULL, *cell = NULL;
	TRY(kt_json_array_or(&rows, reply, "timings", err));
	if (!rows || (size_t)cJSON_GetArraySize(rows) != candidates)
		return broken(err, "row for each candidate");
	size_t i = 0;
	cJSON_ArrayForEach(row, rows)
	{
		if (!cJSON_IsArray(row) || (size_t)cJSON_GetArraySize(row) != count)
			return broken(err, "timing for each problem");
		size_t p = 0;
		cJSON_ArrayForEach(cell, row)
		{
			/* Checks are not timed. */
			if (p++ == problems)
				break;
			TRY(read_timing(&out[i++], cell, err));
		}
	}
	return KT_OK;
}

static kt_status read_energy(struct kt_energy *out, const cJSON *cell, struct kt_error *err)
{
	*out = (struct kt_energy){0};
	if (cJSON_IsNull(cell))
		return KT_OK;
	const double joules = kt_json_number(cell, "joules"), error = kt_json_number(cell, "error");
	if (!(joules > 0 && joules < 1e9 && error >= 0 && error < 1e3))
		return broken(err, "energy for each problem");
	*out = (struct kt_energy){joules, error};
	return KT_OK;
}

kt_status kt_reply_energies(struct kt_energy *out, const cJSON *reply, size_t candidates, size_t problems, size_t count,
                            struct kt_error *err)
{
	const cJSON *rows = NULL;
	TRY(kt_json_array_or(&rows, reply, "energies", err));
	if (!rows || (size_t)cJSON_GetArraySize(rows) != candidates)
		return broken(err, "row for each candidate");
	for (size_t c = 0; c < candidates; c++) {
		const cJSON *row = cJSON_GetArrayItem(rows, (int)c);
		if (!cJSON_IsArray(row) || (size_t)cJSON_GetArraySize(row) != count)
			return broken(err, "energy for each problem");
		/* Checks are not measured. */
		for (size_t p = 0; p < problems; p++)
			TRY(read_energy(&out[c * problems + p], cJSON_GetArrayItem(row, (int)p), err));
	}
	return KT_OK;
}

/* Both numbers of a pair, before and after: the least that is known, and the most. */
static void note_pair(int64_t *least, int64_t *most, const cJSON *block, const char *name)
{
	const cJSON *item = NULL;
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(block, name))
	{
		/* A million of anything is nonsense. */
		const int64_t value = cJSON_IsNumber(item) && item->valuedouble > 0 && item->valuedouble < 1e6
		                          ? (int64_t)item->valuedouble : 0;
		*least = value > 0 && (*least == 0 || value < *least) ? value : *least;
		*most = value > *most ? value : *most;
	}
}

kt_status kt_reply_stability(struct kt_stability *out, const cJSON *reply, struct kt_error *err)
{
	const cJSON *blocks = NULL, *block = NULL;
	kt_status status = kt_json_array_or(&blocks, reply, "conditions", err);
	cJSON_ArrayForEach(block, blocks)
	{
		int64_t repeats = 0, ignored = 0;
		if (status || !cJSON_IsObject(block))
			continue;
		status = kt_json_int_or(&repeats, block, "repeats", 0, err);
		out->blocks++;
		out->throttled += cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(block, "throttled"));
		out->repeats += repeats > 0 && repeats < 1000 ? repeats : 0;
		note_pair(&out->sm_mhz_least, &out->sm_mhz_most, block, "sm_mhz");
		note_pair(&ignored, &out->celsius_most, block, "celsius");
		note_pair(&ignored, &out->watts_most, block, "watts");
	}
	return status;
}

kt_status kt_reply_copy(double *out, const cJSON *reply, size_t problems, size_t count, struct kt_error *err)
{
	const cJSON *array = NULL;
	TRY(kt_json_array_or(&array, reply, "floor_ns", err));
	if (!array || (size_t)cJSON_GetArraySize(array) != count)
		return broken(err, "copy time for each problem");
	for (size_t p = 0; p < problems; p++) {
		const cJSON *item = cJSON_GetArrayItem(array, (int)p);
		if (!cJSON_IsNumber(item))
			return broken(err, "copy time for each problem");
		out[p] = item->valuedouble;
	}
	return KT_OK;
}

kt_status kt_reply_curves(struct kt_curve **out, size_t *count, struct kt_arena *arena, const cJSON *reply,
                          struct kt_error *err)
{
	struct kt_reply_curves read = {0};
	TRY(kt_members_parse(&read, reply, &kt_reply_curves_members, arena, err));
	*out = read.curves;
	*count = read.count;
	return KT_OK;
}

kt_status kt_outcome_fill(struct kt_outcome *out, struct kt_arena *arena, const struct kt_subject *subject,
                          const struct kt_rows *rows, enum kt_verdict verdict, const char *detail, struct kt_error *err)
{
	*out = (struct kt_outcome){.verdict = verdict};
	char *copy = kt_arena_strdup(arena, detail);
	kt_status status = make_rows(out, arena, subject, rows, err);
	if (status || !copy)
		return status ? status : kt_no_memory(err);
	for (size_t r = 0; r < rows->count; r++) {
		out->rows[r].verdict = verdict;
		out->rows[r].detail = copy;
		if (r < rows->timed)
			out->trials[r] = (struct kt_trial){.problem = (int64_t)r, .verdict = verdict, .detail = copy};
	}
	return KT_OK;
}
