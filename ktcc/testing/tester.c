/* What is asked of the runner about a region that it has: candidates, comparisons, floors. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "testing/cases.h"
#include "testing/internal.h"

static const double default_try_s = 20;

/* Checks are small: so many take no longer than a problem, to be generous. */
enum { checks_per_problem = 6 };

/* Of the device's memory, for the largest problem. */
static const double largest_share = 0.125;

static double try_seconds(void)
{
	const char *text = getenv("KTUNE_TRY_SECONDS");
	char *end = NULL;
	double value = text && *text ? strtod(text, &end) : 0;
	return value > 0 && end && !*end && value < 1e6 ? value : default_try_s;
}

/* A recording is nobody's device, and one without a number cannot be told from others. */
static void open_lock(struct kt_tester *t)
{
	struct kt_error err;
	if (!t->replays && t->device.uuid && *t->device.uuid &&
	    kt_device_lock_open(&t->lock, t->arena, t->device.uuid, &err))
		kt_log("measuring without a lock: %s", err.message);
}

kt_status kt_tester_open(struct kt_tester **out, const struct kt_config *config, struct kt_error *err)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_tester *t = arena ? kt_arena_alloc(arena, sizeof *t) : NULL;
	if (!t) {
		kt_arena_free(arena);
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	}
	t->arena = arena;
	t->region = (struct kt_buf)KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	t->try_s = try_seconds();
	t->replays = config->replay != NULL;
	kt_status status =
	    kt_child_arguments(t->argv, sizeof t->argv / sizeof *t->argv, t->arena, config, NULL, NULL, err);
	if (!status)
		status = kt_child_start(t, err);
	if (status) {
		kt_tester_close(t);
		return status;
	}
	open_lock(t);
	*out = t;
	return KT_OK;
}

void kt_tester_close(struct kt_tester *t)
{
	if (!t)
		return;
	kt_child_close(t);
	kt_device_lock_close(t->lock);
	kt_buf_free(&t->region);
	kt_arena_free(t->region_arena);
	kt_arena_free(t->arena);
}

const struct kt_device *kt_tester_device(const struct kt_tester *t)
{
	return &t->device;
}

bool kt_tester_wants_support(const struct kt_tester *t)
{
	return t->wants_support;
}

double kt_tester_busy_seconds(const struct kt_tester *t)
{
	return t->busy_s;
}

size_t kt_tester_starts(const struct kt_tester *t)
{
	return t->starts;
}

size_t kt_tester_checks(const struct kt_tester *t)
{
	return t->rows.count - t->rows.timed;
}

kt_status kt_tester_support(struct kt_tester *t, const char *cubin, struct kt_error *err)
{
	t->support = kt_arena_strdup(t->arena, cubin);
	if (!t->support)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	t->supported = false;
	return kt_child_ready(t, err);
}

static kt_status need_region(const struct kt_tester *t, struct kt_error *err)
{
	return t->region.size ? KT_OK : kt_fail(err, KT_ERR_INVALID, "no region was prepared");
}

/* ---- candidates */

static cJSON *new_request(const char *name, const struct kt_tester *t, const struct kt_effort *effort)
{
	cJSON *request = cJSON_CreateObject();
	(void)cJSON_AddStringToObject(request, "request", name);
	if (effort) {
		(void)kt_json_add_int(request, "warmups", effort->warmups);
		(void)kt_json_add_int(request, "repetitions", effort->repetitions);
		if (kt_child_companions(t))
			(void)kt_json_add_int(request, "companions", (int64_t)kt_child_companions(t));
		if (effort->seed)
			(void)kt_json_add_int(request, "seed", (int64_t)(effort->seed >> 1));
	}
	return request;
}

/* The thresholds of each problem: given, or the effort's own for all. NULL: out of memory. */
static const double *thresholds(struct kt_arena *arena, size_t problems, const struct kt_effort *effort,
                                const double *give_up_ns)
{
	double *all = give_up_ns ? NULL : kt_arena_array(arena, problems, sizeof *all);
	for (size_t p = 0; all && p < problems; p++)
		all[p] = effort->give_up_ns;
	return give_up_ns ? give_up_ns : all;
}

static size_t amount(enum kt_checks checks)
{
	return checks == KT_CHECKS_NONE ? 0 : checks == KT_CHECKS_QUICK ? KT_CHECKS_FIRST : KT_CHECKS_MOST;
}

/* One try on the rows that the child has; a child that does not come to an answer is a verdict. */
static kt_status try_rows(struct kt_outcome *out, struct kt_arena *arena, struct kt_tester *t,
                          const struct kt_rows *rows, const cJSON *request, double limit_s, struct kt_error *err)
{
	cJSON *reply = NULL;
	bool answered = false;
	kt_status status = kt_child_measure(&reply, &answered, t, request, limit_s, err);
	if (!status) {
		status = kt_reply_outcome(out, arena, reply, &t->subject, rows, err);
		if (status) {
			/* A reply that cannot be read says as little as none. */
			kt_child_stop(t);
			answered = false;
			status = KT_ERR_CHILD;
		}
	}
	cJSON_Delete(reply);
	if (!answered && (status == KT_ERR_LIMIT || status == KT_ERR_CHILD)) {
		kt_log("candidate ended ktcc-runner: %s", err->message);
		status = kt_outcome_fill(out, arena, &t->subject, rows,
		                         status == KT_ERR_LIMIT ? KT_VERDICT_TIMED_OUT : KT_VERDICT_CRASHED,
		                         err->message, err);
	}
	if (!status)
		out->ended_runner = !t->pipe;
	return status;
}

/* What the runner was not asked for because of a guard says so. */
static void explain_skipped(struct kt_outcome *out, const struct kt_tester *t, const struct kt_candidate *candidate)
{
	for (size_t r = 0; candidate->configuration && r < out->row_count; r++) {
		const struct kt_check_scope scope = {&t->subject, candidate->configuration, &t->rows.checks[r]};
		if (out->rows[r].verdict != KT_VERDICT_SKIPPED || kt_check_allowed(&scope))
			continue;
		out->rows[r].detail = "a guard keeps the configuration out";
		if (r < t->rows.timed)
			out->trials[r].detail = out->rows[r].detail;
	}
}

kt_status kt_tester_try(struct kt_outcome *out, struct kt_arena *arena, struct kt_tester *t,
                        const struct kt_candidate *candidate, const struct kt_effort *effort, const double *give_up_ns,
                        struct kt_error *err)
{
	kt_status status = need_region(t, err);
	if (!status)
		status = kt_child_ready(t, err);
	if (status)
		return status;
	const double *limits = thresholds(arena, t->rows.timed, effort, give_up_ns);
	cJSON *request = new_request("try", t, effort);
	if (!limits || !request)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory");
	else if (kt_request_candidate(request, &t->subject, &t->rows, candidate, limits, amount(effort->checks), err))
		status = kt_outcome_fill(out, arena, &t->subject, &t->rows, KT_VERDICT_OVER_LIMIT, err->message, err);
	else
		status = try_rows(out, arena, t, &t->rows, request,
		                  kt_child_limit(t, t->rows.timed + amount(effort->checks) / checks_per_problem), err);
	cJSON_Delete(request);
	if (!status)
		explain_skipped(out, t, candidate);
	return status;
}

kt_status kt_tester_compare(struct kt_timing *timings, struct kt_arena *arena, struct kt_tester *t,
                            const struct kt_candidate *candidates, size_t count, const struct kt_effort *effort,
                            struct kt_error *err)
{
	cJSON *request = NULL, *reply = NULL;
	bool answered = false;
	(void)arena;
	kt_status status = need_region(t, err);
	if (!status)
		status = kt_child_ready(t, err);
	if (status)
		return status;
	request = new_request("compare", t, effort);
	cJSON *array = cJSON_AddArrayToObject(request, "candidates");
	for (size_t c = 0; !status && c < count; c++) {
		cJSON *item = cJSON_CreateObject();
		(void)cJSON_AddItemToArray(array, item);
		struct kt_candidate original = {NULL, NULL, NULL};
		/* In a comparison the one without a cubin is the baseline, whatever its configuration says. */
		const struct kt_candidate *candidate =
		    candidates[c].cubin || !t->wants_support ? &candidates[c] : &original;
		status = kt_request_candidate(item, &t->subject, &t->rows, candidate, NULL, 0, err);
	}
	if (!status)
		status = kt_child_measure(&reply, &answered, t, request, kt_child_limit(t, t->rows.timed * count), err);
	if (!status)
		status = kt_reply_timings(timings, reply, count, t->rows.timed, t->rows.count, err);
	cJSON_Delete(request);
	cJSON_Delete(reply);
	return status;
}

/* ---- floors */

kt_status kt_tester_floor(double *floor_ns, struct kt_tester *t, const struct kt_effort *effort, struct kt_error *err)
{
	cJSON *reply = NULL;
	bool answered = false;
	kt_status status = need_region(t, err);
	if (!status)
		status = kt_child_ready(t, err);
	if (status)
		return status;
	cJSON *request = new_request("floor", t, effort);
	status = kt_child_measure(&reply, &answered, t, request, kt_child_limit(t, t->rows.timed), err);
	if (!status)
		status = kt_reply_floor(floor_ns, reply, t->rows.timed, t->rows.count, err);
	cJSON_Delete(request);
	cJSON_Delete(reply);
	return status;
}

kt_status kt_tester_copy_floor(struct kt_curve **out, size_t *count, struct kt_arena *arena, struct kt_tester *t,
                               struct kt_error *err)
{
	const struct kt_effort effort = {.warmups = 2, .repetitions = 20};
	cJSON *request = new_request("copy-floor", t, &effort), *reply = NULL;
	bool answered = false;
	/* A processor's memory is slow, and its curve flat from far smaller sizes on. */
	(void)kt_json_add_int(request, "largest_bytes", t->wants_support ? (int64_t)1 << 30 : (int64_t)1 << 26);
	kt_status status = kt_child_ready(t, err);
	if (!status)
		status = kt_child_measure(&reply, &answered, t, request, kt_child_limit(t, KT_CHECKS_MOST), err);
	if (!status)
		status = kt_reply_curves(out, count, arena, reply, err);
	cJSON_Delete(request);
	cJSON_Delete(reply);
	return status;
}

/* ---- the largest problem */

static void skip_row(struct kt_row *out, struct kt_arena *arena, const char *why)
{
	out->verdict = KT_VERDICT_SKIPPED;
	out->detail = kt_arena_strdup(arena, why);
}

/* The original's side of it, in the place of the region that the child has. */
static kt_status send_largest(struct kt_tester *t, const struct kt_rows *rows, struct kt_error *err)
{
	cJSON *request = NULL, *reply = NULL;
	bool answered = false;
	kt_status status =
	    kt_request_region(&request, &t->subject, rows, t->cubin, t->function, t->try_s / 2, err);
	t->prepared = false;
	if (!status)
		status = kt_child_measure(&reply, &answered, t, request, 2 * kt_child_limit(t, 1), err);
	t->holds_largest = !status;
	cJSON_Delete(request);
	cJSON_Delete(reply);
	return status;
}

/* Of the original, on the slowest problem. 0: nothing was timed. */
static double bytes_per_ns(const struct kt_tester *t, const struct kt_timing *baseline)
{
	double slowest_ns = 0, rate = 0;
	for (size_t p = 0; p < t->rows.timed; p++) {
		const double bytes = (double)kt_cases_bytes(&t->subject, &t->checks[p]);
		if (baseline[p].median_ns > slowest_ns && bytes > 0) {
			slowest_ns = baseline[p].median_ns;
			rate = bytes / slowest_ns;
		}
	}
	return rate;
}

static size_t smallest_row(const struct kt_tester *t)
{
	size_t best = 0;
	for (size_t r = 1; r < t->rows.timed; r++)
		if (kt_cases_bytes(&t->subject, &t->checks[r]) < kt_cases_bytes(&t->subject, &t->checks[best]))
			best = r;
	return best;
}

kt_status kt_tester_largest(struct kt_row *out, struct kt_arena *arena, struct kt_tester *t,
                            const struct kt_candidate *candidate, const struct kt_timing *baseline, double limit_s,
                            struct kt_error *err)
{
	const struct kt_effort effort = {.repetitions = 1};
	const double bytes_in_memory = largest_share * (double)t->device.memory_bytes;
	/* A check is not timed, but a region is of problems: the smallest one stands in front. */
	struct kt_check checks[2], *check = &checks[1];
	struct kt_rows rows = {checks, 2, 1};
	struct kt_outcome outcome;
	*out = (struct kt_row){.check = true, .problem = ""};
	kt_status status = need_region(t, err);
	if (status)
		return status;
	const double bytes_in_time = limit_s * 1e9 * bytes_per_ns(t, baseline);
	checks[0] = t->checks[smallest_row(t)];
	if (t->replays || !kt_cases_largest(check, t->region_arena, &t->subject,
	                                    (int64_t)(bytes_in_time < bytes_in_memory ? bytes_in_time : bytes_in_memory))) {
		skip_row(out, arena, "no larger problem fits");
		return KT_OK;
	}
	const struct kt_check_scope scope = {&t->subject, candidate->configuration, check};
	if (!kt_check_allowed(&scope)) {
		skip_row(out, arena, "a guard does not hold there");
		return KT_OK;
	}
	/* Of several candidates that come one after the other the first has it prepared. */
	status = t->holds_largest ? KT_OK : kt_child_ready(t, err);
	if (!status && !t->holds_largest && send_largest(t, &rows, err)) {
		skip_row(out, arena, err->message);
		return KT_OK;
	}
	cJSON *request = new_request("try", t, &effort);
	if (!status && kt_request_candidate(request, &t->subject, &rows, candidate, NULL, 1, err))
		skip_row(out, arena, err->message);
	else if (!status && (status = try_rows(&outcome, arena, t, &rows, request, kt_child_limit(t, 1), err)) == KT_OK)
		*out = outcome.rows[outcome.rows[0].verdict == KT_VERDICT_OK || outcome.rows[0].verdict == KT_VERDICT_SKIPPED];
	cJSON_Delete(request);
	return status;
}
