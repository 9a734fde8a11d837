/* What is asked of the runner about a region that it has: candidates, comparisons, copy bandwidth bounds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "testing/cases.h"
#include "base/runner_request.h"
#include "testing/internal.h"

static const double default_try_s = 20;

/* A counter that moves rarely is waited for that many times as long (docs/protocol-runner.md). */
enum { ENERGY_PATIENCE = 3 };

/* Of what is on record: by more no two processes differ that measure alike. */
static const double excess_most = 0.15;

static double try_seconds(void)
{
	const char *text = getenv("KTUNE_TRY_SECONDS");
	char *end = NULL;
	double value = text && *text ? strtod(text, &end) : 0;
	return value > 0 && end && !*end && value < 1e6 ? value : default_try_s;
}

/* A recording uses no device, and a device without a UUID cannot be told from others. */
static void open_lock(struct kt_tester *t)
{
	struct kt_error err;
	if (!t->replays && t->device.uuid && *t->device.uuid &&
	    kt_device_lock_open(&t->lock, t->arena, t->device.uuid, &err))
		kt_log("measuring without a lock: %s", err.message);
}

/* device NULL: the one of the settings. */
static kt_status open_tester(struct kt_tester **out, const struct kt_config *config, const char *device,
                             kt_meanwhile *run, void *state, struct kt_error *err)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_tester *t = arena ? kt_arena_alloc(arena, sizeof *t) : NULL;
	if (!t) {
		kt_arena_free(arena);
		return kt_no_memory(err);
	}
	t->arena = arena;
	t->region = (struct kt_buf)KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	t->try_s = try_seconds();
	t->replays = config->replay != NULL;
	kt_status status =
	    kt_child_arguments(t->argv, sizeof t->argv / sizeof *t->argv, t->arena, config, NULL, NULL, err);
	for (size_t i = 0; !status && device && i < sizeof t->argv / sizeof *t->argv; i++) {
		if (t->argv[i])
			continue;
		t->argv[i] = kt_arena_strdup(t->arena, "--device");
		t->argv[i + 1] = kt_arena_strdup(t->arena, device);
		break;
	}
	kt_tester_meanwhile(t, run, state);
	THEN(status, kt_child_start(t, err));
	kt_tester_meanwhile(t, NULL, NULL);
	if (status) {
		kt_tester_close(t);
		return status;
	}
	open_lock(t);
	*out = t;
	return KT_OK;
}

kt_status kt_tester_open(struct kt_tester **out, const struct kt_config *config, kt_meanwhile *run, void *state,
                         struct kt_error *err)
{
	return open_tester(out, config, NULL, run, state, err);
}

kt_status kt_tester_open_other(struct kt_tester **out, const struct kt_config *config, int ordinal,
                               struct kt_error *err)
{
	char device[16];
	snprintf(device, sizeof device, "%d", ordinal);
	return open_tester(out, config, device, NULL, NULL, err);
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

double kt_tester_waited_seconds(const struct kt_tester *t)
{
	return t->waited_s;
}

const double *kt_tester_spent(const struct kt_tester *t)
{
	return t->spent_s;
}

size_t kt_tester_starts(const struct kt_tester *t)
{
	return t->starts;
}

size_t kt_tester_checks(const struct kt_tester *t)
{
	return t->rows.count - t->rows.timed;
}

size_t kt_tester_dropped(const struct kt_tester *t)
{
	return t->dropped;
}

kt_status kt_tester_support(struct kt_tester *t, const char *cubin, struct kt_error *err)
{
	NEED(t->support = kt_arena_strdup(t->arena, cubin), kt_no_memory(err));
	t->supported = false;
	return kt_child_ready(t, 0, err);
}

void kt_tester_meanwhile(struct kt_tester *t, kt_meanwhile *run, void *state)
{
	t->meanwhile = run;
	t->meanwhile_state = state;
}

void kt_tester_set_reference(struct kt_tester *t, double launch_ns)
{
	t->reference_ns = launch_ns;
}

double kt_tester_launch_ns(const struct kt_tester *t)
{
	return t->launch_ns;
}

/* By how much launches take longer in the runner that answered last than in the one on record. */
static double excess_ns(const struct kt_tester *t)
{
	const double most = excess_most * t->reference_ns;
	return t->reference_ns > 0 && t->launch_ns > 0 ? fmax(-most, fmin(most, t->launch_ns - t->reference_ns)) : 0;
}

static void set_off(struct kt_timing *timing, double ns)
{
	if (timing->samples < 1 || timing->min_ns <= ns)
		return;
	timing->median_ns -= ns;
	timing->mean_ns -= ns;
	timing->min_ns -= ns;
}

kt_status kt_tester_need_idle(const struct kt_tester *t, struct kt_error *err)
{
	if (t->attempt_count)
		return kt_fail(err, KT_ERR_INVALID, "the runner still measures %zu candidates", t->attempt_count);
	return KT_OK;
}

kt_status kt_tester_need_region(const struct kt_tester *t, struct kt_error *err)
{
	return t->region.size ? KT_OK : kt_fail(err, KT_ERR_INVALID, "no region was prepared");
}

/* Nothing is measured, and the process has the region. */
static kt_status need_region_ready(struct kt_tester *t, struct kt_error *err)
{
	TRY(kt_tester_need_idle(t, err));
	TRY(kt_tester_need_region(t, err));
	return kt_child_ready(t, 0, err);
}

/* ---- candidates */

cJSON *kt_tester_request(const char *name, const struct kt_tester *t, const struct kt_effort *effort)
{
	cJSON *request = cJSON_CreateObject();
	(void)cJSON_AddStringToObject(request, "request", name);
	if (effort) {
		const struct kt_run_effort sent = {.warmups = effort->warmups, .repetitions = effort->repetitions,
		                                   .companions = (int64_t)kt_child_companions(t), .screen = effort->screen,
		                                   .seed = effort->seed >> 1};
		kt_print_members(request, &sent, &kt_run_effort, NULL);
	}
	return request;
}

kt_status kt_tester_outcome(struct kt_outcome *out, struct kt_arena *arena, struct kt_tester *t,
                            const struct kt_rows *rows, cJSON *reply, bool answered, kt_status status,
                            struct kt_error *err)
{
	if (!status) {
		status = kt_reply_outcome(out, arena, reply, &t->subject, rows, err);
		if (status) {
			/* A reply that cannot be read is treated as none. */
			kt_child_stop(t);
			answered = false;
			status = KT_ERR_CHILD;
		}
		for (size_t p = 0; !status && p < rows->timed; p++)
			set_off(&out->trials[p].timing, excess_ns(t));
	}
	cJSON_Delete(reply);
	const bool late = !answered && status == KT_ERR_LIMIT;
	if (!answered && (status == KT_ERR_LIMIT || status == KT_ERR_CHILD)) {
		kt_log("candidate ended ktcc-runner: %s", err->message);
		status = kt_outcome_fill(out, arena, &t->subject, rows,
		                         status == KT_ERR_LIMIT ? KT_VERDICT_TIMED_OUT : KT_VERDICT_CRASHED,
		                         err->message, err);
	}
	if (!status) {
		out->ended_runner = !t->pipe;
		out->unanswered = late;
	}
	return status;
}

kt_status kt_tester_try_rows(struct kt_outcome *out, struct kt_arena *arena, struct kt_tester *t,
                             const struct kt_rows *rows, const cJSON *request, double limit_s, struct kt_error *err)
{
	cJSON *reply = NULL;
	bool answered = false;
	kt_status status = kt_child_measure(&reply, &answered, t, request, limit_s, err);
	return kt_tester_outcome(out, arena, t, rows, reply, answered, status, err);
}

struct kt_rows kt_tester_held_rows(const struct kt_tester *t)
{
	return (struct kt_rows){t->rows.checks, t->held, t->rows.timed};
}

static kt_status add_candidates(cJSON *request, const struct kt_tester *t, const struct kt_rows *rows,
                                const struct kt_candidate *candidates, size_t count, struct kt_error *err)
{
	cJSON *array = cJSON_AddArrayToObject(request, "candidates");
	for (size_t c = 0; c < count; c++) {
		cJSON *item = kt_json_append(array);
		struct kt_candidate original = {NULL, NULL, NULL};
		/* In a comparison the one without a cubin is the baseline, whatever its configuration. */
		const struct kt_candidate *candidate =
		    candidates[c].cubin || !t->wants_support ? &candidates[c] : &original;
		TRY(kt_request_candidate(item, &t->subject, rows, candidate, (struct kt_asked){0}, err));
	}
	return KT_OK;
}

kt_status kt_tester_compare_rows(struct kt_timing *timings, struct kt_tester *t, const struct kt_rows *rows,
                                 const struct kt_candidate *candidates, size_t count, const struct kt_effort *effort,
                                 struct kt_error *err)
{
	cJSON *request = kt_tester_request("compare", t, effort), *reply = NULL;
	bool answered = false;
	kt_status status = add_candidates(request, t, rows, candidates, count, err);
	THEN(status, kt_child_measure(&reply, &answered, t, request, kt_child_limit(t, rows->timed * count), err));
	THEN(status, kt_reply_timings(timings, reply, count, rows->timed, rows->count, err));
	THEN(status, kt_reply_stability(&t->stability, reply, err));
	for (size_t i = 0; !status && i < count * rows->timed; i++)
		set_off(&timings[i], excess_ns(t));
	cJSON_Delete(request);
	cJSON_Delete(reply);
	return status;
}

kt_status kt_tester_compare(struct kt_timing *timings, struct kt_arena *arena, struct kt_tester *t,
                            const struct kt_candidate *candidates, size_t count, const struct kt_effort *effort,
                            struct kt_error *err)
{
	(void)arena;
	TRY(need_region_ready(t, err));
	const struct kt_rows rows = kt_tester_held_rows(t);
	return kt_tester_compare_rows(timings, t, &rows, candidates, count, effort, err);
}

bool kt_tester_measures_energy(const struct kt_tester *t)
{
	return t->measures_energy;
}

kt_status kt_tester_energy(struct kt_energy *energies, struct kt_tester *t, const struct kt_candidate *candidates,
                           size_t count, double most_s, struct kt_error *err)
{
	static const struct kt_effort none = {0};
	cJSON *reply = NULL;
	bool answered = false;
	TRY(need_region_ready(t, err));
	const struct kt_rows rows = kt_tester_held_rows(t);
	const size_t measurements = t->rows.timed * count;
	cJSON *request = kt_tester_request("energy", t, &none);
	(void)cJSON_AddNumberToObject(request, "most_s", most_s);
	kt_status status = add_candidates(request, t, &rows, candidates, count, err);
	if (!status)
		status = kt_child_measure(&reply, &answered, t, request,
		                          kt_child_limit(t, measurements) + ENERGY_PATIENCE * most_s * (double)measurements, err);
	THEN(status, kt_reply_energies(energies, reply, count, t->rows.timed, t->held, err));
	cJSON_Delete(request);
	cJSON_Delete(reply);
	return status;
}

struct kt_stability kt_tester_stability(struct kt_tester *t)
{
	const struct kt_stability stability = t->stability;
	t->stability = (struct kt_stability){0};
	return stability;
}

/* ---- copy bandwidth bounds */

kt_status kt_tester_copy(double *copy_ns, struct kt_tester *t, const struct kt_effort *effort, struct kt_error *err)
{
	cJSON *reply = NULL;
	bool answered = false;
	TRY(need_region_ready(t, err));
	cJSON *request = kt_tester_request("floor", t, effort);
	kt_status status = kt_child_measure(&reply, &answered, t, request, kt_child_limit(t, t->rows.timed), err);
	THEN(status, kt_reply_copy(copy_ns, reply, t->rows.timed, t->held, err));
	for (size_t p = 0; !status && p < t->rows.timed; p++)
		copy_ns[p] -= copy_ns[p] > excess_ns(t) ? excess_ns(t) : 0;
	cJSON_Delete(request);
	cJSON_Delete(reply);
	return status;
}

kt_status kt_tester_copy_curves(struct kt_curve **out, size_t *count, struct kt_arena *arena, struct kt_tester *t,
                               struct kt_error *err)
{
	const struct kt_effort effort = {.warmups = 2, .repetitions = 20};
	cJSON *request = kt_tester_request("copy-floor", t, &effort), *reply = NULL;
	bool answered = false;
	/* A processor's memory is slow, and its curve flat from far smaller sizes on. */
	(void)kt_json_add_int(request, "largest_bytes", t->wants_support ? (int64_t)1 << 30 : (int64_t)1 << 26);
	kt_status status = kt_tester_need_idle(t, err);
	THEN(status, kt_child_ready(t, 0, err));
	THEN(status, kt_child_measure(&reply, &answered, t, request, kt_child_limit(t, KT_CHECKS_MOST), err));
	THEN(status, kt_reply_curves(out, count, arena, reply, err));
	cJSON_Delete(request);
	cJSON_Delete(reply);
	return status;
}
