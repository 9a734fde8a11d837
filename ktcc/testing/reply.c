#include "testing/internal.h"

static kt_status broken(struct kt_error *err, const char *what)
{
	return kt_fail(err, KT_ERR_CHILD, "ktcc-runner's reply has no %s", what);
}

static kt_status read_timing(struct kt_timing *out, const cJSON *holder, struct kt_error *err)
{
	const cJSON *json = NULL;
	kt_status status = kt_json_object_or(&json, holder, "timing", err);
	*out = (struct kt_timing){0};
	if (status || !json)
		return status;
	if ((status = kt_json_double_or(&out->median_ns, json, "median_ns", 0, err)) ||
	    (status = kt_json_double_or(&out->mean_ns, json, "mean_ns", 0, err)) ||
	    (status = kt_json_double_or(&out->min_ns, json, "min_ns", 0, err)) ||
	    (status = kt_json_double_or(&out->deviation_ns, json, "deviation_ns", 0, err)))
		return status;
	return kt_json_int_or(&out->samples, json, "samples", 0, err);
}

static kt_status read_verdict(enum kt_verdict *out, struct kt_arena *arena, const cJSON *object, struct kt_error *err)
{
	const char *name = NULL;
	kt_status status = kt_json_string(&name, arena, object, "verdict", err);
	if (!status && !kt_verdict_from_name(out, name))
		status = kt_fail(err, KT_ERR_CHILD, "ktcc-runner gave the unknown verdict '%s'", name);
	return status;
}

kt_status kt_reply_outcome(struct kt_outcome *out, struct kt_arena *arena, const cJSON *reply, size_t problems,
                           struct kt_error *err)
{
	const cJSON *array = NULL, *item = NULL;
	size_t p = 0;
	kt_status status;
	*out = (struct kt_outcome){0};
	if ((status = read_verdict(&out->verdict, arena, reply, err)) ||
	    (status = kt_json_int_or(&out->registers, reply, "registers", 0, err)) ||
	    (status = kt_json_int_or(&out->local_bytes, reply, "local_bytes", 0, err)) ||
	    (status = kt_json_int_or(&out->shared_bytes, reply, "shared_bytes", 0, err)) ||
	    (status = kt_json_int_or(&out->occupancy_blocks, reply, "occupancy_blocks", 0, err)) ||
	    (status = kt_json_array_or(&array, reply, "problems", err)))
		return status;
	if (!array || (size_t)cJSON_GetArraySize(array) != problems)
		return broken(err, "row for each problem");
	out->trials = kt_arena_array(arena, problems, sizeof *out->trials);
	if (!out->trials)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	cJSON_ArrayForEach(item, array)
	{
		struct kt_trial *trial = &out->trials[p];
		if ((status = read_verdict(&trial->verdict, arena, item, err)) ||
		    (status = read_timing(&trial->timing, item, err)) ||
		    (status = kt_json_string_or(&trial->detail, arena, item, "detail", NULL, err)))
			return status;
		trial->problem = (int64_t)p++;
		trial->registers = out->registers;
		trial->local_bytes = out->local_bytes;
		trial->shared_bytes = out->shared_bytes;
	}
	return KT_OK;
}

kt_status kt_reply_timings(struct kt_timing *out, const cJSON *reply, size_t candidates, size_t problems,
                           struct kt_error *err)
{
	const cJSON *rows = NULL, *row = NULL, *cell = NULL;
	kt_status status = kt_json_array_or(&rows, reply, "timings", err);
	if (status)
		return status;
	if (!rows || (size_t)cJSON_GetArraySize(rows) != candidates)
		return broken(err, "row for each candidate");
	size_t i = 0;
	cJSON_ArrayForEach(row, rows)
	{
		if (!cJSON_IsArray(row) || (size_t)cJSON_GetArraySize(row) != problems)
			return broken(err, "timing for each problem");
		cJSON_ArrayForEach(cell, row)
		{
			status = read_timing(&out[i++], cell, err);
			if (status)
				return status;
		}
	}
	return KT_OK;
}

kt_status kt_reply_floor(double *out, const cJSON *reply, size_t problems, struct kt_error *err)
{
	const cJSON *array = NULL, *item = NULL;
	kt_status status = kt_json_array_or(&array, reply, "floor_ns", err);
	if (status)
		return status;
	if (!array || (size_t)cJSON_GetArraySize(array) != problems)
		return broken(err, "floor for each problem");
	cJSON_ArrayForEach(item, array)
	{
		if (!cJSON_IsNumber(item))
			return broken(err, "floor for each problem");
		*out++ = item->valuedouble;
	}
	return KT_OK;
}

kt_status kt_outcome_fill(struct kt_outcome *out, struct kt_arena *arena, size_t problems, enum kt_verdict verdict,
                          const char *detail, struct kt_error *err)
{
	*out = (struct kt_outcome){.verdict = verdict};
	char *copy = kt_arena_strdup(arena, detail);
	out->trials = kt_arena_array(arena, problems, sizeof *out->trials);
	if (!out->trials || !copy)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	for (size_t p = 0; p < problems; p++)
		out->trials[p] = (struct kt_trial){.problem = (int64_t)p, .verdict = verdict, .detail = copy};
	return KT_OK;
}
