/* Answers from a recording: the same questions get the answers a real run gave. */
#include <string.h>

#include "base/fs.h"
#include "messages.h"

struct line {
	const char *kind, *name, *instance, *configuration, *problem;
	const cJSON *json;
};

struct replay {
	struct kt_arena *arena;
	struct kt_device device;
	const char *date;
	cJSON *values; /* every line of the file, parsed */
	size_t count;
	struct line *lines;
	const struct kt_run_region *region;
	struct kt_run_prepared *prepared;
};

static kt_status read_header(struct replay *r, const cJSON *json, struct kt_error *err)
{
	int64_t version = 0;
	const cJSON *device = NULL;
	TRY(kt_json_int_or(&version, json, "recording", 0, err));
	TRY(kt_json_object_or(&device, json, "device", err));
	if (version != 1 || !device)
		return kt_fail(err, KT_ERR_INVALID, "not a recording, or one of another version");
	TRY(kt_json_string_or(&r->date, r->arena, json, "date", "", err));
	return kt_device_read(&r->device, r->arena, device, err);
}

static kt_status read_row(struct replay *r, const cJSON *json, struct kt_error *err)
{
	struct line *line;
	NEED(line = kt_arena_push(r->arena, &r->lines, &r->count, sizeof *r->lines), kt_no_memory(err));
	line->json = json;
	TRY(kt_json_string(&line->kind, r->arena, json, "kind", err));
	TRY(kt_json_string(&line->name, r->arena, json, "name", err));
	TRY(kt_json_string(&line->instance, r->arena, json, "instance", err));
	TRY(kt_json_string_or(&line->configuration, r->arena, json, "configuration", "", err));
	return kt_json_string(&line->problem, r->arena, json, "problem", err);
}

static kt_status read_lines(struct replay *r, const char *text, size_t size, struct kt_error *err)
{
	size_t number = 0;
	for (size_t start = 0; start < size;) {
		const char *end = memchr(text + start, '\n', size - start);
		size_t length = end ? (size_t)(end - text) - start : size - start;
		cJSON *json = NULL;
		number++;
		if (length) {
			kt_status status = kt_json_parse(&json, text + start, length, err);
			if (!status && !cJSON_AddItemToArray(r->values, json)) {
				cJSON_Delete(json);
				status = kt_no_memory(err);
			}
			THEN(status, number == 1 ? read_header(r, json, err) : read_row(r, json, err));
			if (status)
				return kt_fail_prefix(err, "line %zu", number);
		}
		start += length + 1;
	}
	return number ? KT_OK : kt_fail(err, KT_ERR_INVALID, "the recording is empty");
}

/* The last line that answers: a recording that was continued holds newer answers further down. */
static const cJSON *find(const struct replay *r, const char *kind, const char *configuration, size_t problem)
{
	/* Checks are not recorded, and the record of a timed problem tells nothing about a check of the same name. */
	if (r->region->problems[problem].check)
		return NULL;
	for (size_t i = r->count; i-- > 0;) {
		const struct line *line = &r->lines[i];
		if (strcmp(line->kind, kind) == 0 && strcmp(line->configuration, configuration) == 0 &&
		    strcmp(line->problem, r->region->problems[problem].text) == 0 &&
		    strcmp(line->instance, r->region->instance) == 0 && strcmp(line->name, r->region->name) == 0)
			return line->json;
	}
	return NULL;
}

static kt_status replay_support(void *state, const char *cubin, struct kt_error *err)
{
	(void)state, (void)cubin, (void)err;
	return KT_OK;
}

static kt_status replay_region(struct kt_run_prepared *prepared, struct kt_run_failure *failure, void *state,
                               struct kt_arena *arena, const struct kt_run_region *region, struct kt_error *err)
{
	struct replay *r = state;
	size_t usable = 0;
	(void)failure;
	r->region = region;
	r->prepared = prepared;
	for (size_t p = 0; p < region->problem_count; p++) {
		const cJSON *json = find(r, "region", "", p);
		prepared[p] = (struct kt_run_prepared){.skipped = true, .detail = "not recorded"};
		if (!json)
			continue;
		TRY(kt_json_bool_or(&prepared[p].skipped, json, "skipped", false, err));
		TRY(kt_json_bool_or(&prepared[p].nondeterministic, json, "nondeterministic", false, err));
		TRY(kt_json_string_or(&prepared[p].detail, arena, json, "detail", NULL, err));
		usable += !prepared[p].skipped;
	}
	if (usable)
		return KT_OK;
	r->region = NULL;
	return kt_fail(err, KT_ERR_INVALID, "the recording has nothing about %s", region->instance);
}

static kt_status replay_try(struct kt_run_outcome *out, void *state, struct kt_arena *arena,
                            const struct kt_run_candidate *candidate, const struct kt_run_effort *effort,
                            struct kt_error *err)
{
	struct replay *r = state;
	bool missing = false;
	(void)effort;
	if (!r->region)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	for (size_t p = 0; p < r->region->problem_count; p++) {
		const cJSON *json = find(r, "try", candidate->configuration, p);
		bool asked = !candidate->skip[p];
		out->trials[p] =
		    (struct kt_trial){.verdict = KT_VERDICT_SKIPPED, .detail = asked ? "not recorded" : "not asked"};
		if (!json || !asked) {
			missing = missing || (asked && !r->prepared[p].skipped);
			continue;
		}
		out->trials[p] = (struct kt_trial){0};
		TRY(kt_members_parse(&out->trials[p], json, &kt_trial_members, arena, err));
		TRY(kt_members_parse(out, json, &kt_outcome_attributes, arena, err));
		if (out->verdict == KT_VERDICT_OK && out->trials[p].verdict != KT_VERDICT_SKIPPED)
			out->verdict = out->trials[p].verdict;
	}
	/* A candidate of which only some problems are known was not recorded. */
	if (missing && out->verdict == KT_VERDICT_OK)
		out->verdict = KT_VERDICT_SKIPPED;
	for (size_t p = 0; p < r->region->problem_count; p++) {
		out->trials[p].registers = out->registers;
		out->trials[p].local_bytes = out->local_bytes;
		out->trials[p].shared_bytes = out->shared_bytes;
	}
	return KT_OK;
}

static kt_status replay_compare(struct kt_timing *timings, struct kt_run_conditions *conditions,
                                struct kt_run_failure *failure, void *state, struct kt_arena *arena,
                                const struct kt_run_candidate *candidates, size_t count,
                                const struct kt_run_effort *effort, struct kt_error *err)
{
	struct replay *r = state;
	(void)conditions, (void)failure, (void)arena, (void)effort;
	if (!r->region)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	for (size_t i = 0; i < count * r->region->problem_count; i++) {
		const char *configuration = candidates[i / r->region->problem_count].configuration;
		size_t p = i % r->region->problem_count;
		const cJSON *timing = NULL, *json = find(r, "compare", configuration, p);
		if (r->prepared[p].skipped || candidates[i / r->region->problem_count].skip[p])
			continue;
		if (!json)
			json = find(r, "try", configuration, p);
		if (!json)
			return kt_fail(err, KT_ERR_MISSING, "the recording has no time of %s on %s",
			               *configuration ? configuration : "the original", r->region->problems[p].text);
		TRY(kt_json_object_or(&timing, json, "timing", err));
		TRY(kt_timing_read(&timings[i], timing, err));
	}
	return KT_OK;
}

static kt_status replay_copy(double *copy_ns, struct kt_run_failure *failure, void *state,
                              const struct kt_run_effort *effort, struct kt_error *err)
{
	struct replay *r = state;
	(void)failure, (void)effort;
	if (!r->region)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	for (size_t p = 0; p < r->region->problem_count; p++) {
		const cJSON *json = find(r, "floor", "", p);
		copy_ns[p] = 0;
		TRY(json ? kt_json_double_or(&copy_ns[p], json, "floor_ns", 0, err) : KT_OK);
	}
	return KT_OK;
}

static void replay_close(void *state)
{
	struct replay *r = state;
	cJSON_Delete(r->values);
}

kt_status kt_replay_open(struct kt_backend *out, struct kt_arena *arena, const char *path, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct replay *r = kt_arena_alloc(arena, sizeof *r);
	kt_status status = r ? kt_fs_read(&text, path, err) : kt_no_memory(err);
	if (status)
		goto done;
	r->arena = arena;
	r->values = cJSON_CreateArray();
	if (!r->values) {
		status = kt_no_memory(err);
		goto done;
	}
	status = read_lines(r, kt_buf_text(&text), text.size, err);
	if (status) {
		(void)kt_fail_prefix(err, "%s", path);
		goto done;
	}
	*out = (struct kt_backend){
	    .name = "replay",
	    .date = r->date,
	    .state = r,
	    .device = &r->device,
	    .support = replay_support,
	    .region = replay_region,
	    .try_candidate = replay_try,
	    .compare = replay_compare,
	    .copy = replay_copy,
	    .close = replay_close,
	};
done:
	if (status && r)
		cJSON_Delete(r->values);
	kt_buf_free(&text);
	return status;
}
