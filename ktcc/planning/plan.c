#include "planning/planning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "planning/enough.h"
#include "planning/decision_log.h"
#include "planning/plan_t4.h"
#include "testing/sanitize.h"

const struct kt_effort kt_search_effort = {.warmups = 2, .repetitions = 9, .checks = KT_CHECKS_QUICK};
const struct kt_effort kt_check_effort = {.warmups = 2, .repetitions = 9, .checks = KT_CHECKS_ALL};
const struct kt_effort kt_final_effort = {.warmups = 20, .repetitions = 100};

static const double default_budget_s = 60;
static const double built_poll_s = 0.25;

static size_t problem_count(const struct kt_region *region)
{
	return region->variable_count != 0 ? region->problem_count : 1;
}

double kt_plan_seconds(const struct kt_config *config, const struct kt_region *region)
{
	if (config->budget_seconds >= 0)
		return config->budget_seconds;
	return region->budget_seconds >= 0 ? region->budget_seconds : default_budget_s;
}

int64_t kt_plan_trials(const struct kt_config *config, const struct kt_region *region)
{
	if (config->budget_trials >= 0)
		return config->budget_trials;
	return region->budget_trials >= 0 ? region->budget_trials : INT64_MAX;
}

static double budget_seconds(const struct kt_plan *plan)
{
	const double all = plan->share_seconds > 0 ? plan->share_seconds
	                                           : kt_plan_seconds(plan->config, plan->template_->region);

	return plan->most_seconds >= 0 ? fmin(plan->most_seconds, all) : all;
}

static int64_t budget_trials(const struct kt_plan *plan)
{
	return plan->share_trials > 0 ? plan->share_trials : kt_plan_trials(plan->config, plan->template_->region);
}

/* What a measurement depends on besides configuration and problem.
 * Value lists are not part of it: adding a value keeps every trial. */
static void make_trial_key(struct kt_tuning *s)
{
	struct kt_hash hash;

	kt_hash_init(&hash);
	kt_hash_field(&hash, "trial", "2");
	kt_hash_field(&hash, "measure", s->plan->measure_key);
	kt_hash_field(&hash, "instance", s->instance->name);
	kt_hash_field(&hash, "generator", s->plan->template_->generator);
	/* The measure key identifies the original kernel; a generator's text may be any. */
	if (kt_template_is_generated(s->plan->template_)) {
		char text[KT_HASH_TEXT];

		kt_template_hash(text, s->plan->template_);
		kt_hash_field(&hash, "template", text);
	}
	kt_hash_final(&hash, s->trial_key);
}

bool kt_tuning_specialises(const struct kt_tuning *s)
{
	for (size_t v = 0; v < s->region->variable_count && s->problems > 1; v++)
		if (s->region->specialize != NULL && s->region->specialize[v])
			return true;
	return false;
}

bool kt_tuning_selects_special(const struct kt_tuning *s)
{
	for (size_t v = 0; v < s->region->variable_count && s->problems + s->derived.count > 1; v++)
		if (s->region->specialize != NULL && s->region->specialize[v])
			return true;
	return false;
}

const char *kt_between_name(enum kt_between between)
{
	static const char *const names[KT_BETWEEN] = {[KT_BETWEEN_STARVED] = "starved", [KT_BETWEEN_SEARCH] = "search",
	                                              [KT_BETWEEN_STORE] = "store", [KT_BETWEEN_BUILT] = "built",
	                                              [KT_BETWEEN_REQUEST] = "request", [KT_BETWEEN_REPLY] = "reply"};

	return names[between];
}

void kt_tuning_spent(struct kt_tuning *s, enum kt_between between, double since_s)
{
	s->between_s[between] += kt_now_s() - since_s;
}

bool kt_tuning_next_built(struct kt_built *out, struct kt_tuning *s, double until_s)
{
	const double begin_s = kt_now_s();
	bool found = false, going = true;

	while (!found && going && kt_batch_pending(s->batch) != 0) {
		const double left_s = until_s - kt_now_s();

		kt_store_lease_beat(s->plan->lease);
		kt_tuning_prefer_compiled(s);
		found = kt_batch_next(out, s->batch, fmax(0, fmin(left_s, built_poll_s)));
		going = left_s > 0;
	}
	kt_tuning_spent(s, KT_BETWEEN_STARVED, begin_s);
	return found;
}

/* Has the original compiled, and the first candidates where the library that compiles them need not wait for it. */
static kt_status begin_building(bool *begun, struct kt_tuning *s, struct kt_error *err)
{
	kt_status status = kt_batch_add(s->batch, KT_ORIGINAL_TICKET, NULL, err);

	THEN(status, kt_batch_flush(s->batch, err));
	*begun =
	    status == KT_OK && s->plan->compile.screening != NULL && kt_target_of(s->region->language)->has_compiler;
	if (!*begun)
		return status;
	kt_batch_anticipate(s->batch);
	return kt_tuning_begin(s, err);
}

/* Waits for the original; what else comes out meanwhile is kept. */
static kt_status build_original(struct kt_tuning *s, struct kt_error *err)
{
	const double begin_s = kt_now_s();
	struct kt_built built;

	while (!kt_batch_next_of(&built, s->batch, KT_ORIGINAL_TICKET, built_poll_s)) {
		if (kt_batch_pending(s->batch) == kt_batch_ready(s->batch))
			return kt_fail(err, KT_ERR_LIMIT, "the original kernel was not compiled in time");
		kt_store_lease_beat(s->plan->lease);
	}
	kt_tuning_spent(s, KT_BETWEEN_STARVED, begin_s);
	if (built.cubin == NULL)
		return kt_fail(err, KT_ERR_INVALID, "the slice with the original kernel does not compile: %.600s",
		               built.message != NULL ? built.message : "no message");
	s->original_cubin = built.cubin;
	s->original_function = built.function;
	return KT_OK;
}

double kt_tuning_since(const struct kt_tuning *s, double begin_s)
{
	return kt_now_s() - kt_tester_waited_seconds(s->plan->tester) - begin_s;
}

static kt_status measure_baseline(bool *by_host, struct kt_tuning *s, struct kt_error *err)
{
	struct kt_candidate original = {NULL, NULL, NULL};
	struct kt_effort effort;
	double begin_s = kt_tuning_since(s, 0);
	kt_status status = kt_plan_region(by_host, s->arena, s->plan, s->original_cubin, s->original_function, NULL, err);

	s->region_s = kt_tuning_since(s, begin_s);
	begin_s = kt_tuning_since(s, 0);
	effort = kt_tuning_search_effort(s);

	s->checks = status == KT_OK ? kt_tester_checks(s->plan->tester) : 0;
	if (status == KT_OK && kt_tester_dropped(s->plan->tester) != 0)
		kt_log("%s: %zu checks are left out: the original cannot be run on them here", s->instance->name,
		       kt_tester_dropped(s->plan->tester));
	THEN(status, kt_tester_compare(s->baseline, s->arena, s->plan->tester, &original, 1, &effort, err));
	if (status != KT_OK)
		return status;
	s->baseline_s = kt_tuning_since(s, begin_s);
	for (size_t p = 0; p < s->problems; p++)
		kt_objective_baseline(s->objective, p, s->baseline[p].median_ns);
	return KT_OK;
}

static const char *today(struct kt_arena *arena)
{
	time_t now = time(NULL);
	struct tm when;
	char text[16];

	gmtime_r(&now, &when);
	strftime(text, sizeof text, "%Y-%m-%d", &when);
	return kt_arena_strdup(arena, text);
}

/* Everything of the entry that is known before the winner. */
static kt_status begin_entry(struct kt_tuning *s, struct kt_planned *out, struct kt_error *err)
{
	const struct kt_template *template_ = s->plan->template_;
	struct kt_entry *entry = &out->entry;
	size_t count = template_->parameter_count;
	kt_status status;

	entry->region_key = s->plan->region_key;
	entry->symbol = s->plan->symbol;
	entry->assembler = s->plan->assembler[0] != '\0' ? s->plan->assembler : NULL;
	entry->closure = s->plan->closure;
	entry->near_key = s->plan->near_key;
	entry->name = s->region->name;
	entry->instance = s->instance->name;
	entry->kernel = s->region->kernel;
	entry->device = *s->device;
	entry->device_key = kt_arena_strdup(s->arena, s->device_key);
	entry->generator = template_->generator;
	entry->template_ = kt_template_is_generated(template_) ? template_ : NULL;
	entry->parameter_count = count;
	entry->parameters = kt_arena_array(s->arena, count, sizeof *entry->parameters);
	entry->configuration = kt_arena_array(s->arena, count, sizeof *entry->configuration);
	entry->variable_count = s->region->variable_count;
	entry->variables = s->region->variables;
	entry->problem_count = s->problems;
	entry->problems = s->region->problems;
	entry->copy_ns = kt_arena_array(s->arena, s->problems, sizeof *entry->copy_ns);
	entry->toolkit = s->plan->toolkit;
	entry->driver = s->device->driver;
	entry->tool = "ktcc " KT_VERSION;
	entry->date = today(s->arena);
	entry->legal = (int64_t)kt_space_legal(s->space);
	entry->trial_key = kt_arena_strdup(s->arena, s->trial_key);
	entry->author = s->plan->author;
	if (entry->parameters == NULL || entry->configuration == NULL || entry->copy_ns == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "entry: out of memory");
	for (size_t i = 0; i < count; i++) {
		entry->parameters[i] = template_->parameters[i].name;
		status = kt_template_original(&entry->configuration[i], template_, s->instance, i, err);
		/* What the source has no value of has any: the configuration is the winner's, or is left out. */
		if (status == KT_ERR_MISSING)
			entry->configuration[i] = template_->parameters[i].values[0];
		else if (status != KT_OK)
			return status;
	}
	return KT_OK;
}

static const char *most_refused(const struct kt_space *space)
{
	const struct kt_pruned *pruned;
	const size_t count = kt_space_pruned(&pruned, space);
	size_t most = 0;

	for (size_t i = 1; i < count; i++)
		most = pruned[i].count > pruned[most].count ? i : most;
	return count != 0 ? pruned[most].text : NULL;
}

static uint32_t covers(void *state, size_t configuration)
{
	const struct kt_tuning *s = state;

	return kt_derived_covers(&s->derived, kt_space_get(s->space, configuration));
}

static kt_status open_objective(struct kt_tuning *s, struct kt_error *err)
{
	const char *path = s->plan->config->sizes;
	struct kt_traced traced = {.count = 0};
	TRY(kt_objective_open(&s->objective, s->problems, err));

	TRY(kt_region_weights(&s->weights, s->arena, s->region, s->device, err));
	kt_objective_weigh(s->objective, s->weights);
	if (path != NULL)
		TRY(kt_traced_read(&traced, path, s->plan->template_->region, err));
	TRY(kt_derived_make(&s->derived, s->arena, s->plan->template_, s->instance, s->device, &traced, err));
	if (path != NULL)
		kt_say("%s: %zu of %zu sizes of %s take part in the tuning", s->instance->name, s->derived.traced, traced.count,
		       path);
	kt_objective_derive(s->objective, s->derived.count, s->derived.nearest, covers, s);
	return KT_OK;
}

static kt_status open_space(struct kt_tuning *s, struct kt_planned *out, struct kt_error *err)
{
	TRY(kt_space_build(&s->space, s->plan->template_, s->instance, s->device, err));

	s->total = kt_space_feasible(s->space);
	if (s->total == 0) {
		out->reason = KT_REASON_EMPTY_SPACE;
		out->refusal = most_refused(s->space);
		return KT_OK;
	}
	/* The only configuration of a user's parameters is measured: its time and its checks are what was asked for. */
	if (kt_tuning_is_alone(s) && s->region->parameter_count == 0) {
		out->reason = KT_REASON_NOTHING_TO_TUNE;
		return KT_OK;
	}
	return open_objective(s, err);
}

/* What a reviewer of the entry wants to know: how much a winner was looked at. */
static void note_verification(struct kt_entry *entry, const struct kt_tuning *s)
{
	struct kt_buf tools = KT_BUF(KT_LIMIT_LINE_BYTES);

	if (!kt_entry_has_variant(entry))
		return;
	for (int tool = 0; tool < KT_SANITIZERS; tool++)
		if ((s->watched & 1u << tool) != 0)
			kt_buf_addf(&tools, "%s%s", tools.size != 0 ? ", " : "", kt_sanitizer_name((enum kt_sanitizer)tool));
	if (tools.size != 0)
		entry->watched_by = kt_arena_strdup(s->arena, kt_buf_text(&tools));
	kt_buf_free(&tools);
}

/* While the runner works. */
void kt_tuning_poll(struct kt_tuning *s)
{
	kt_store_lease_beat(s->plan->lease);
	kt_batch_poll(s->batch);
	kt_tuning_store_trials(s);
	kt_tuning_poll_ahead(s);
}

static void poll(void *state)
{
	kt_tuning_poll(state);
}

/* What a rule wrote is ours to answer for. */
static bool ends_in_failure(const struct kt_tuning *s)
{
	return kt_tuning_all_failed(s) && kt_tuning_is_by_rules(s);
}

/* `ktcc cache stats` shows which compiler built the candidates of tunings, and why it was nvcc. */
static void count_compiler(const struct kt_tuning *s)
{
	const struct kt_screened *screened;
	char name[64];

	if (s->batch == NULL || s->plan->store == NULL || !kt_target_of(s->region->language)->has_compiler)
		return;
	screened = kt_batch_screened(s->batch);
	if (screened->why != KT_UNSCREENED_NONE) {
		snprintf(name, sizeof name, "nvcc:%s", kt_unscreened_name(screened->why));
		kt_store_count(s->plan->store, name);
	} else if (screened->nvrtc) {
		kt_store_count(s->plan->store, "nvrtc");
	}
	kt_log("%s: %zu candidates compiled by NVRTC, %zu by nvcc; %zu refused, %zu of them overturned; %zu crashed, "
	       "%zu hung, "
	       "%zu out of memory, %zu killed",
	       s->instance->name, screened->by_nvrtc, screened->by_nvcc, screened->refused, screened->overturned,
	       screened->crashed, screened->hung, screened->starved, screened->killed);
}

static void close_state(struct kt_tuning *s)
{
	count_compiler(s);
	kt_tuning_dismiss(s);
	kt_tester_abandon(s->plan->tester);
	kt_tester_meanwhile(s->plan->tester, NULL, NULL);
	kt_tuning_store_trials(s);
	kt_ahead_close(s->compiled_ahead);
	kt_batch_close(s->batch);
	kt_tuning_end(s);
	kt_objective_close(s->objective);
	kt_space_free(s->space);
}

/* The runner's kernels, the copy bandwidth bound: compilers work meanwhile. At least half of the budget remains. */
static kt_status prepare(struct kt_tuning *s, struct kt_error *err)
{
	const double begin_s = kt_now_s(), most_s = (s->deadline_s - s->started_s) / 2;
	kt_status status = KT_OK;

	if (s->plan->prepare != NULL)
		status = s->plan->prepare(s->plan->prepare_context, poll, s, err);
	s->deadline_s += fmax(0, kt_now_s() - begin_s - most_s);
	return status;
}

kt_status kt_plan_tune(struct kt_planned *out, struct kt_arena *arena, const struct kt_plan *plan, struct kt_error *err)
{
	struct kt_tuning s = {.plan = plan, .arena = arena, .given = SIZE_MAX};
	double busy_s = kt_tester_busy_seconds(plan->tester), spent_s[KT_SPENT];
	bool by_host = false, begun = false;
	kt_status status;

	memset(out, 0, sizeof *out);
	memcpy(spent_s, kt_tester_spent(plan->tester), sizeof spent_s);
	s.region = plan->template_->region;
	s.instance = &s.region->instances[plan->instance];
	s.device = kt_tester_device(plan->tester);
	s.problems = problem_count(s.region);
	s.started_s = kt_now_s();
	s.deadline_s = s.started_s + budget_seconds(plan);
	s.waited_before_s = kt_tester_waited_seconds(plan->tester);
	s.trials_left = budget_trials(plan);
	s.baseline = kt_arena_array(arena, s.problems, sizeof *s.baseline);
	s.look_factors = kt_arena_array(arena, s.problems, sizeof *s.look_factors);
	if (s.baseline == NULL || s.look_factors == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "baseline: out of memory");
	for (size_t p = 0; p < s.problems; p++)
		s.look_factors[p] = 1;
	kt_device_key(s.device_key, s.device);
	make_trial_key(&s);
	kt_tuning_note_begin(&s);
	status = open_space(&s, out, err);
	if (status != KT_OK || out->reason != KT_REASON_NONE)
		goto done;
	kt_tuning_observe(&s, KT_PHASE_PREPARE, 0, s.total);
	status = begin_entry(&s, out, err);
	THEN(status, kt_batch_open(&s.batch, &plan->compile, plan->template_, s.instance, plan->source,
	                           plan->source_size, err));
	if (status == KT_OK)
		kt_tester_meanwhile(plan->tester, poll, &s);
	THEN(status, begin_building(&begun, &s, err));
	THEN(status, prepare(&s, err));
	if (status == KT_OK && plan->config->goal != KT_GOAL_TIME && !kt_tester_measures_energy(plan->tester)) {
		out->reason = KT_REASON_NO_ENERGY;
		out->refusal = "NVML has no nvmlDeviceGetTotalEnergyConsumption for it";
		goto done;
	}
	THEN(status, build_original(&s, err));
	if (status != KT_OK)
		goto done;
	/* The device itself may be what compiles: one processor is the runner's. */
	status = kt_ahead_open(&s.compiled_ahead, arena, plan->tester, plan->config, plan->compile.scratch,
	                       plan->compile.jobs > 1 ? plan->compile.jobs - 1 : 0, err);
	if (status != KT_OK)
		goto done;
	/* The first candidates compile while the references are made. */
	if (!begun)
		status = kt_tuning_begin(&s, err);
	if (status == KT_OK && (status = measure_baseline(&by_host, &s, err)) != KT_OK) {
		out->reason = by_host ? KT_REASON_REFERENCE_FAILED : KT_REASON_BASELINE_FAILED;
		if (!by_host)
			kt_tuning_explain_baseline(&s, err);
	}
	/* A failure here does not end the tuning: its result is worth more than these figures. */
	if (status == KT_OK && kt_tester_copy(out->entry.copy_ns, plan->tester, &kt_final_effort, err) != KT_OK) {
		kt_log("%s: no copy bandwidth bound: %s", s.instance->name, err->message);
		memset(out->entry.copy_ns, 0, s.problems * sizeof *out->entry.copy_ns);
	}
	s.copy_ns = out->entry.copy_ns;
	if (status == KT_OK)
		kt_tuning_recruit(&s);
	THEN(status, kt_tuning_search(&s, err));
	if (status == KT_OK)
		kt_tuning_note_search(&s);
	out->contest.alone = kt_tuning_is_alone(&s);
	if (status == KT_OK && kt_objective_best_row(s.objective) != SIZE_MAX)
		out->contest.searched = kt_objective_best_speedup(s.objective);
	THEN(status, kt_tuning_digest(&out->digest, &s, err));
	if (status == KT_OK && plan->config->t4 != NULL && kt_tuning_write_t4(&s, plan->config->t4, err) != KT_OK)
		kt_log("no T4 file: %s", err->message);
	for (size_t p = 0; status == KT_OK && p < s.problems; p++)
		out->entry.copy_ns[p] = kt_tuning_tenth(out->entry.copy_ns[p]);
	if (status == KT_OK && !ends_in_failure(&s))
		status = kt_tuning_confirm(&s, out, err);
	if (status != KT_OK)
		goto done;
	/* All checks may have refuted what the search believed to be right. */
	if (ends_in_failure(&s)) {
		out->refusal = kt_tuning_failure(&out->reason, &s);
		goto done;
	}
	out->entry.tried = (int64_t)s.tried;
	out->entry.search = s.confirmed ? s.state : KT_SEARCH_BUDGET;
	if (out->entry.search == KT_SEARCH_BUDGET)
		out->enough_s = kt_tuning_enough_seconds(&s);
	else if (out->entry.search == KT_SEARCH_TRIALS)
		out->enough_trials = (int64_t)kt_enough_trials(s.total);
	note_verification(&out->entry, &s);
	out->kept = plan->keep != NULL && plan->keep(plan->keep_context, &out->entry);
	out->original_usage = s.original_usage;
	if (out->kept && plan->ncu != NULL)
		kt_tuning_count(out, &s);
done:
	kt_progress(NULL);
	kt_tuning_note_end(&s, out, err, status != KT_OK);
	out->tried = (int64_t)s.tried;
	out->recalled = (int64_t)s.recalled;
	out->identical = (int64_t)s.identical;
	out->wrong = (int64_t)s.wrong;
	out->uncompiled = (int64_t)s.uncompiled;
	out->refused = (int64_t)s.refused;
	out->first_wrong = s.first_wrong;
	out->original_usage = s.original_usage;
	out->wall.compile_s = s.batch != NULL ? kt_batch_compile_seconds(s.batch) : 0;
	out->wall.run_s = kt_tester_busy_seconds(plan->tester) - busy_s;
	out->wall.wait_s = kt_tester_waited_seconds(plan->tester) - s.waited_before_s;
	for (int i = 0; i < KT_SPENT; i++)
		out->wall.spent_s[i] = kt_tester_spent(plan->tester)[i] - spent_s[i];
	out->wall.compile_s += out->wall.spent_s[KT_SPENT_COMPILE];
	memcpy(out->wall.between_s, s.between_s, sizeof out->wall.between_s);
	out->wall.total_s = kt_now_s() - s.started_s;
	close_state(&s);
	return status;
}
