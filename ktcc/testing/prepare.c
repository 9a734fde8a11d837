/* The region that the runner works on: the original, its problems, and the checks it can be run on. */
#include <string.h>

#include "base/log.h"
#include "testing/cases.h"
#include "testing/internal.h"

/*
 * Up to FAULTS_MOST times the original is run again without a check that it faulted on; then without any. After
 * UNUSUAL_MOST faults with unusual data, the original is taken not to support such data.
 */
enum { FAULTS_MOST = 6, UNUSUAL_MOST = 2 };

static kt_status begin_region(struct kt_tester *t, const struct kt_template *template_,
                              const struct kt_instance *instance, const char *cubin, const char *function,
                              const char *host, struct kt_error *err)
{
	const struct kt_region *region = template_->region;
	kt_tester_abandon(t);
	kt_buf_clear(&t->region);
	t->prepared = false;
	t->rows = (struct kt_rows){NULL, 0, 0};
	t->dropped = t->unusual_faults = 0;
	memset(t->refuted, 0, sizeof t->refuted);
	t->refused_row = -1;
	kt_arena_free(t->region_arena);
	t->region_arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	t->cubin = cubin && t->region_arena ? kt_arena_strdup(t->region_arena, cubin) : NULL;
	t->function = function && t->region_arena ? kt_arena_strdup(t->region_arena, function) : NULL;
	t->host = host && t->region_arena ? kt_arena_strdup(t->region_arena, host) : NULL;
	int64_t *original =
	    t->region_arena ? kt_arena_array(t->region_arena, region->parameter_count + 1, sizeof *original) : NULL;
	t->checks = t->region_arena
	                ? kt_arena_array(t->region_arena, region->problem_count + KT_CHECKS_MOST + 1, sizeof *t->checks)
	                : NULL;
	if (!original || !t->checks)
		return kt_no_memory(err);
	kt_status status = KT_OK;
	for (size_t i = 0; !status && i < region->parameter_count; i++)
		status = kt_region_original(&original[i], region, instance, i, err);
	t->subject = (struct kt_subject){template_, instance, &t->device, original};
	/* A failing child is not the region's doing yet. */
	return status ? status : kt_child_ready(t, 0, err);
}

/* Takes a check out, and those that differ in nothing that could matter to who failed on it. */
static void drop_check(struct kt_tester *t, size_t row)
{
	const struct kt_check bad = t->checks[row];
	size_t kept = t->rows.timed;
	t->unusual_faults += kt_fill_goes_beyond(bad.fill);
	const bool no_unusual = kt_fill_goes_beyond(bad.fill) && t->unusual_faults >= UNUSUAL_MOST;
	for (size_t r = kept; r < t->rows.count; r++) {
		const struct kt_check *check = &t->checks[r];
		if (r != row && !(bad.offset && check->offset) && !(bad.alias >= 0 && check->alias >= 0) &&
		    !(no_unusual && kt_fill_goes_beyond(check->fill)))
			t->checks[kept++] = *check;
	}
	t->dropped += t->rows.count - kept;
	t->rows.count = kept;
}

static void log_check(const struct kt_tester *t, size_t row, const char *why)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_check_print(&text, &t->subject, &t->checks[row]);
	kt_log("%s: no check on %s: %s", t->subject.instance->name, kt_buf_text(&text), why);
	kt_buf_free(&text);
}

/* Problems that cannot be run here, by their own reason; for checks the log is enough. */
static void say_skipped(struct kt_tester *t, const cJSON *reply)
{
	const cJSON *item = NULL, *array = cJSON_GetObjectItemCaseSensitive(reply, "problems");
	size_t row = 0;
	cJSON_ArrayForEach(item, array)
	{
		const cJSON *problem = cJSON_GetObjectItemCaseSensitive(item, "problem");
		const cJSON *detail = cJSON_GetObjectItemCaseSensitive(item, "detail");
		const bool skipped = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "skipped"));
		if (skipped && cJSON_IsString(problem) && row < t->rows.timed)
			kt_say("%s: %s is left out: %s", t->subject.instance->name, problem->valuestring,
			       cJSON_IsString(detail) ? detail->valuestring : "it cannot be run");
		else if (skipped && row < t->rows.count) {
			log_check(t, row, cJSON_IsString(detail) ? detail->valuestring : "it cannot be run");
			t->dropped++;
		} else if (cJSON_IsString(problem) && cJSON_IsString(detail))
			kt_log("%s: on %s the original alone is the reference: %s", t->subject.instance->name,
			       problem->valuestring, detail->valuestring);
		row++;
	}
}

static kt_status print_region(struct kt_tester *t, struct kt_error *err)
{
	cJSON *request = NULL;
	if (kt_request_region(&request, &t->subject, &t->rows, t->cubin, t->function, t->host, t->try_s / 2, err))
		return err->code = KT_ERR_INVALID;
	kt_buf_clear(&t->region);
	kt_json_print(&t->region, request);
	cJSON_Delete(request);
	return kt_buf_check(&t->region, "a request", err);
}

/* Without the checks that end the runner, or that it refuses; any other answer is about the original. */
static kt_status prepare_rows(struct kt_tester *t, struct kt_error *err)
{
	for (int faults = 0;; faults++) {
		cJSON *reply = NULL;
		const double start_s = kt_now_s();
		kt_status status = print_region(t, err);
		if (!status) {
			status = kt_child_region(&reply, t, t->rows.count, err);
			t->region_s = kt_now_s() - start_s;
			t->prepared = !status;
		}
		if (!status)
			say_skipped(t, reply);
		cJSON_Delete(reply);
		if (!status || status == KT_ERR_BUSY || t->rows.count == t->rows.timed)
			return status;
		if (t->blamed >= 0 && (size_t)t->blamed < t->rows.timed)
			return status;
		if (t->blamed >= 0 && (size_t)t->blamed < t->rows.count && faults < FAULTS_MOST) {
			log_check(t, (size_t)t->blamed, err->message);
			drop_check(t, (size_t)t->blamed);
		} else {
			kt_log("%s: no checks: %s", t->subject.instance->name, err->message);
			t->dropped += t->rows.count - t->rows.timed;
			t->rows.count = t->rows.timed;
		}
		/* The request of before is no longer what a new child should get. */
		kt_buf_clear(&t->region);
		status = kt_child_ready(t, 0, err);
		if (status)
			return status;
	}
}

static kt_status prepare(struct kt_tester *t, struct kt_error *err)
{
	kt_status status = prepare_rows(t, err);
	if (!status)
		return KT_OK;
	kt_buf_clear(&t->region);
	t->refused_row = t->blamed;
	/* Whatever became of the runner, it was the original that it ran. */
	return status == KT_ERR_BUSY ? status : (err->code = KT_ERR_INVALID);
}

kt_status kt_tester_region(struct kt_tester *t, const struct kt_template *template_,
                           const struct kt_instance *instance, const char *cubin, const char *function,
                           struct kt_error *err)
{
	struct kt_check *checks = NULL;
	size_t count = 0, problems = template_->region->problem_count;
	TRY(begin_region(t, template_, instance, cubin, function, t->next_host, err));
	for (size_t p = 0; p < problems; p++)
		t->checks[p] = kt_check_of_problem(&t->subject, p);
	/* A recording holds what was timed. */
	if (!t->replays)
		TRY(kt_cases_make(&checks, &count, t->region_arena, &t->subject, err));
	for (size_t c = 0; c < count; c++)
		t->checks[problems + c] = checks[c];
	t->rows = (struct kt_rows){t->checks, problems + count, problems};
	return prepare(t, err);
}

kt_status kt_tester_region_check(struct kt_tester *t, const struct kt_template *template_,
                                 const struct kt_instance *instance, const char *cubin, const char *function,
                                 const char *check, struct kt_error *err)
{
	TRY(begin_region(t, template_, instance, cubin, function, t->next_host, err));
	TRY(kt_check_read(&t->checks[0], t->region_arena, &t->subject, check, err));
	t->rows = (struct kt_rows){t->checks, 1, 1};
	return prepare(t, err);
}

void kt_tester_set_host(struct kt_tester *t, const char *program)
{
	t->next_host = program;
}

bool kt_tester_blames_host(const struct kt_tester *t)
{
	return t->by_host;
}
