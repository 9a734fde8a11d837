#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/log.h"
#include "base/proc.h"
#include "testing/internal.h"

#define RUNNER "libexec/ktcc/ktcc-runner"
#define TRY_SECONDS 20.0
#define LAUNCHER_WORDS 64
#define PROBLEMS_PER_LIMIT 8.0 /* a try may take its limit once more for so many problems */

struct kt_tester {
	struct kt_arena *arena;        /* as long as the tester */
	struct kt_arena *region_arena; /* until the next region */
	char *argv[LAUNCHER_WORDS + 8];
	struct kt_pipe *pipe;          /* NULL: to be started */
	struct kt_device device;
	bool wants_support, prepared;  /* prepared: the running child has support and region */
	char *support;
	struct kt_target target;
	struct kt_buf region;          /* the request, for a child that is started again; empty: none */
	double try_s, busy_s;
};

static double try_seconds(void)
{
	const char *text = getenv("KTUNE_TRY_SECONDS");
	char *end = NULL;
	double value = text && *text ? strtod(text, &end) : 0;
	return value > 0 && end && !*end && value < 1e6 ? value : TRY_SECONDS;
}

static void stop(struct kt_tester *t)
{
	kt_pipe_close(t->pipe);
	t->pipe = NULL;
	t->prepared = false;
}

/* A reply that says "error": the runner's own words. */
static kt_status reply_error(const cJSON *reply, struct kt_error *err)
{
	static const struct {
		const char *name;
		kt_status status;
	} codes[] = {{"memory", KT_ERR_MEMORY}, {"io", KT_ERR_IO}, {"missing", KT_ERR_MISSING},
	             {"invalid", KT_ERR_INVALID}, {"limit", KT_ERR_LIMIT}};
	const cJSON *text = cJSON_GetObjectItemCaseSensitive(reply, "error");
	const cJSON *code = cJSON_GetObjectItemCaseSensitive(reply, "code");
	if (!text)
		return KT_OK;
	const char *message = cJSON_IsString(text) ? text->valuestring : "an error without a message";
	for (size_t i = 0; cJSON_IsString(code) && i < sizeof codes / sizeof *codes; i++) {
		if (strcmp(codes[i].name, code->valuestring) == 0)
			return kt_fail(err, codes[i].status, "%s", message);
	}
	return kt_fail(err, KT_ERR_CHILD, "%s", message);
}

/*
 * One request and its reply, which the caller deletes. A child that does not
 * answer properly is ended. `answered` tells a runner's own error apart.
 */
static kt_status exchange(cJSON **reply, bool *answered, struct kt_tester *t, const char *line, double limit_s,
                          struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	double start = kt_now_s();
	cJSON *json = NULL;
	*answered = false;
	kt_status status = kt_pipe_send(t->pipe, line, err);
	if (!status)
		status = kt_pipe_receive(&text, t->pipe, limit_s, err);
	if (!status && (kt_json_parse(&json, kt_buf_text(&text), text.size, err) || !cJSON_IsObject(json)))
		status = kt_fail(err, KT_ERR_CHILD, "ktcc-runner answered with something that is no reply");
	if (status) {
		stop(t);
	} else {
		const cJSON *fatal = cJSON_GetObjectItemCaseSensitive(json, "fatal");
		*answered = true;
		status = reply_error(json, err);
		if (cJSON_IsTrue(fatal))
			stop(t);
	}
	if (status)
		cJSON_Delete(json);
	else
		*reply = json;
	t->busy_s += kt_now_s() - start;
	kt_buf_free(&text);
	return status;
}

static kt_status exchange_json(cJSON **reply, bool *answered, struct kt_tester *t, const cJSON *request,
                               double limit_s, struct kt_error *err)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	kt_json_print(&line, request);
	kt_status status = kt_buf_check(&line, "a request", err);
	if (!status)
		status = exchange(reply, answered, t, kt_buf_text(&line), limit_s, err);
	kt_buf_free(&line);
	return status;
}

static kt_status hello(struct kt_tester *t, struct kt_error *err)
{
	cJSON *reply = NULL;
	const cJSON *device = NULL;
	bool answered = false;
	kt_status status = exchange(&reply, &answered, t, "{\"request\":\"hello\",\"protocol\":1}", 3 * t->try_s, err);
	if (status)
		return status;
	status = kt_json_bool_or(&t->wants_support, reply, "wants_support", false, err);
	if (!status)
		status = kt_json_object_or(&device, reply, "device", err);
	if (!status && !device)
		status = kt_fail(err, KT_ERR_CHILD, "ktcc-runner named no device");
	if (!status && !t->device.name)
		status = kt_device_read(&t->device, t->arena, device, err);
	cJSON_Delete(reply);
	return status;
}

static kt_status start(struct kt_tester *t, struct kt_error *err)
{
	kt_status status = kt_pipe_start(&t->pipe, t->argv, err);
	if (status)
		return status;
	status = hello(t, err);
	if (status)
		stop(t);
	return status;
}

static kt_status send_support(struct kt_tester *t, struct kt_error *err)
{
	bool answered = false;
	cJSON *reply = NULL, *request = cJSON_CreateObject();
	(void)cJSON_AddStringToObject(request, "request", "support");
	(void)cJSON_AddStringToObject(request, "cubin", t->support);
	kt_status status = exchange_json(&reply, &answered, t, request, 3 * t->try_s, err);
	cJSON_Delete(request);
	cJSON_Delete(reply);
	return status;
}

static double limit_for(const struct kt_tester *t, size_t problems)
{
	return t->try_s * (1 + (double)problems / PROBLEMS_PER_LIMIT);
}

static kt_status send_region(struct kt_tester *t, struct kt_error *err)
{
	bool answered = false;
	cJSON *reply = NULL;
	kt_status status = exchange(&reply, &answered, t, kt_buf_text(&t->region),
	                            2 * limit_for(t, t->target.template_->region->problem_count), err);
	cJSON_Delete(reply);
	return status;
}

/* A child that is ready for the next request, as far as this tester has come. */
static kt_status ready(struct kt_tester *t, struct kt_error *err)
{
	kt_status status = KT_OK;
	if (!t->pipe)
		status = start(t, err);
	if (!status && !t->prepared && t->support)
		status = send_support(t, err);
	if (!status && !t->prepared && t->region.size)
		status = send_region(t, err);
	if (!status)
		t->prepared = true;
	return status;
}

static kt_status build_argv(struct kt_tester *t, const struct kt_config *config, struct kt_error *err)
{
	size_t count = 0;
	char *runner = kt_install_path(t->arena, RUNNER), *rest = NULL;
	if (!runner)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	if (!kt_fs_is_file(runner))
		return kt_fail(err, KT_ERR_MISSING, "%s is not there", runner);
	if (config->runner_launcher) {
		char *words = kt_arena_strdup(t->arena, config->runner_launcher);
		if (!words)
			return kt_fail(err, KT_ERR_MEMORY, "out of memory");
		for (char *word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
			if (count == LAUNCHER_WORDS)
				return kt_fail(err, KT_ERR_LIMIT, "the runner's launcher has more than %d words",
				               LAUNCHER_WORDS);
			t->argv[count++] = word;
		}
	}
	t->argv[count++] = runner;
	if (config->backend && !config->replay) {
		t->argv[count++] = kt_arena_strdup(t->arena, "--backend");
		t->argv[count++] = kt_arena_strdup(t->arena, config->backend);
		if (!t->argv[count - 2] || !t->argv[count - 1])
			return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	}
	const char *file = config->replay ? config->replay : config->record;
	if (file) {
		t->argv[count++] = kt_arena_strdup(t->arena, config->replay ? "--replay" : "--record");
		t->argv[count++] = kt_arena_strdup(t->arena, file);
		if (!t->argv[count - 2] || !t->argv[count - 1])
			return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	}
	t->argv[count] = NULL;
	return KT_OK;
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
	kt_status status = build_argv(t, config, err);
	if (!status)
		status = start(t, err);
	if (status)
		kt_tester_close(t);
	else
		*out = t;
	return status;
}

void kt_tester_close(struct kt_tester *t)
{
	if (!t)
		return;
	kt_pipe_close(t->pipe);
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

kt_status kt_tester_support(struct kt_tester *t, const char *cubin, struct kt_error *err)
{
	t->support = kt_arena_strdup(t->arena, cubin);
	if (!t->support)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	t->prepared = false;
	return ready(t, err);
}

kt_status kt_tester_region(struct kt_tester *t, const struct kt_template *template_,
                           const struct kt_instance *instance, const char *cubin, const char *function,
                           struct kt_error *err)
{
	const struct kt_region *region = template_->region;
	cJSON *request = NULL;
	kt_buf_clear(&t->region);
	kt_arena_free(t->region_arena);
	t->region_arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	int64_t *original =
	    t->region_arena ? kt_arena_array(t->region_arena, region->parameter_count + 1, sizeof *original) : NULL;
	if (!original)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	kt_status status = KT_OK;
	for (size_t i = 0; !status && i < region->parameter_count; i++)
		status = kt_region_original(&original[i], region, instance, i, err);
	if (status)
		return status;
	t->target = (struct kt_target){template_, instance, &t->device, original};
	/* A failing child is not the region's doing yet. */
	status = ready(t, err);
	if (status)
		return status;
	status = kt_request_region(&request, &t->target, cubin, function, t->try_s / 2, err);
	if (status)
		return err->code = KT_ERR_INVALID;
	kt_json_print(&t->region, request);
	cJSON_Delete(request);
	status = kt_buf_check(&t->region, "a request", err);
	/* Whatever became of the runner, it was the original that it ran. */
	if (!status && send_region(t, err))
		status = err->code = KT_ERR_INVALID;
	if (status)
		kt_buf_clear(&t->region);
	return status;
}

static void add_effort(cJSON *request, const struct kt_effort *effort)
{
	(void)kt_json_add_int(request, "warmups", effort->warmups);
	(void)kt_json_add_int(request, "repetitions", effort->repetitions);
}

static kt_status need_region(const struct kt_tester *t, struct kt_error *err)
{
	return t->region.size ? KT_OK : kt_fail(err, KT_ERR_INVALID, "no region was prepared");
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

kt_status kt_tester_try(struct kt_outcome *out, struct kt_arena *arena, struct kt_tester *t,
                        const struct kt_candidate *candidate, const struct kt_effort *effort, const double *give_up_ns,
                        struct kt_error *err)
{
	cJSON *request = NULL, *reply = NULL;
	bool answered = false;
	kt_status status = need_region(t, err);
	if (!status)
		status = ready(t, err);
	if (status)
		return status;
	size_t problems = t->target.template_->region->problem_count;
	const double *limits = thresholds(arena, problems, effort, give_up_ns);
	request = cJSON_CreateObject();
	if (!limits || !request) {
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory");
		goto done;
	}
	(void)cJSON_AddStringToObject(request, "request", "try");
	add_effort(request, effort);
	if (kt_request_candidate(request, &t->target, candidate, limits, err)) {
		status = kt_outcome_fill(out, arena, problems, KT_VERDICT_OVER_LIMIT, err->message, err);
		goto done;
	}
	status = exchange_json(&reply, &answered, t, request, limit_for(t, problems), err);
	if (!status) {
		status = kt_reply_outcome(out, arena, reply, problems, err);
		if (!status)
			goto done;
		/* A reply that cannot be read says as little as none. */
		stop(t);
		answered = false;
		status = KT_ERR_CHILD;
	}
	if (!answered && (status == KT_ERR_LIMIT || status == KT_ERR_CHILD)) {
		kt_log("candidate ended ktcc-runner: %s", err->message);
		status = kt_outcome_fill(out, arena, problems,
		                         status == KT_ERR_LIMIT ? KT_VERDICT_TIMED_OUT : KT_VERDICT_CRASHED,
		                         err->message, err);
	}
done:
	cJSON_Delete(request);
	cJSON_Delete(reply);
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
		status = ready(t, err);
	if (status)
		return status;
	size_t problems = t->target.template_->region->problem_count;
	request = cJSON_CreateObject();
	(void)cJSON_AddStringToObject(request, "request", "compare");
	add_effort(request, effort);
	cJSON *array = cJSON_AddArrayToObject(request, "candidates");
	for (size_t c = 0; !status && c < count; c++) {
		cJSON *item = cJSON_CreateObject();
		(void)cJSON_AddItemToArray(array, item);
		struct kt_candidate original = {NULL, NULL, NULL};
		/* In a comparison the one without a cubin is the baseline, whatever its configuration says. */
		const struct kt_candidate *candidate =
		    candidates[c].cubin || !t->wants_support ? &candidates[c] : &original;
		status = kt_request_candidate(item, &t->target, candidate, NULL, err);
	}
	if (!status)
		status = exchange_json(&reply, &answered, t, request, limit_for(t, problems * count), err);
	if (!status)
		status = kt_reply_timings(timings, reply, count, problems, err);
	cJSON_Delete(request);
	cJSON_Delete(reply);
	return status;
}

kt_status kt_tester_floor(double *floor_ns, struct kt_tester *t, const struct kt_effort *effort, struct kt_error *err)
{
	cJSON *request = NULL, *reply = NULL;
	bool answered = false;
	kt_status status = need_region(t, err);
	if (!status)
		status = ready(t, err);
	if (status)
		return status;
	size_t problems = t->target.template_->region->problem_count;
	request = cJSON_CreateObject();
	(void)cJSON_AddStringToObject(request, "request", "floor");
	add_effort(request, effort);
	status = exchange_json(&reply, &answered, t, request, limit_for(t, problems), err);
	if (!status)
		status = kt_reply_floor(floor_ns, reply, problems, err);
	cJSON_Delete(request);
	cJSON_Delete(reply);
	return status;
}
