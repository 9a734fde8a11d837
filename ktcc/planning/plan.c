#include "planning/planning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "planning/objective.h"
#include "tuning/search.h"

/* Where a tuning stands; lives for one kt_plan_tune. */
struct state {
	const struct kt_plan *plan;
	const struct kt_region *region;
	const struct kt_instance *instance;
	const struct kt_device *device;
	struct kt_arena *arena;
	struct kt_space *space;
	struct kt_search *search;
	struct kt_batch *batch;
	char device_key[KT_HASH_TEXT];
	char trial_key[KT_HASH_TEXT];
	double started_s, deadline_s;
	int64_t trials_left;
	size_t problems;
	struct kt_timing *baseline;   /* one a problem */
	struct kt_objective *objective;
	struct kt_built *built;       /* one a feasible configuration; cubin NULL: not compiled yet */
	const char *original_cubin, *original_function;
	size_t tried, recalled, wrong, uncompiled, total;
};

/* Ticket of the original kernel in the batch; configuration i has ticket i + 1. */
enum { ORIGINAL_TICKET = 0 };

/* Configurations that are asked for at a time: enough to keep every compiler busy, few enough to steer. */
enum { ASK_MOST = 64, CONFIRM_MOST = 5, CONFIRM_LEAST = 5 };

static const struct kt_effort search_effort = {.warmups = 2, .repetitions = 9};
static const struct kt_effort final_effort = {.warmups = 20, .repetitions = 100};

/* A candidate that is this much slower than the best on a problem is not timed further there. */
static const double give_up_factor = 1.3;

static const double default_budget_s = 60;

/* Of the budget, for the last comparison. */
static const double confirm_share = 0.2;

static void problem_text(struct kt_buf *out, const struct kt_region *region, size_t problem)
{
	for (size_t v = 0; v < region->variable_count; v++)
		kt_buf_addf(out, "%s%s=%lld", v != 0 ? " " : "", region->variables[v],
		            (long long)region->problems[problem * region->variable_count + v]);
}

static size_t problem_count(const struct kt_region *region)
{
	return region->variable_count != 0 ? region->problem_count : 1;
}

static double budget_seconds(const struct kt_plan *plan)
{
	if (plan->config->budget_seconds >= 0)
		return plan->config->budget_seconds;
	if (plan->template_->region->budget_seconds >= 0)
		return plan->template_->region->budget_seconds;
	return default_budget_s;
}

static int64_t budget_trials(const struct kt_plan *plan)
{
	if (plan->config->budget_trials >= 0)
		return plan->config->budget_trials;
	if (plan->template_->region->budget_trials >= 0)
		return plan->template_->region->budget_trials;
	return INT64_MAX;
}

static const int64_t *configuration(const struct state *s, size_t index)
{
	return kt_space_get(s->space, index);
}

/* What a measurement depends on besides configuration and problem. Value lists are not part of it: adding a value keeps every trial. */
static void make_trial_key(struct state *s)
{
	struct kt_hash hash;

	kt_hash_init(&hash);
	kt_hash_field(&hash, "trial", "1");
	kt_hash_field(&hash, "region", s->plan->region_key);
	kt_hash_field(&hash, "instance", s->instance->name);
	kt_hash_field(&hash, "generator", s->plan->template_->generator);
	kt_hash_final(&hash, s->trial_key);
}

/* The next built candidate; waits for it. False when nothing is left or the time is over. */
static bool next_built(struct kt_built *out, struct state *s)
{
	while (kt_batch_pending(s->batch) != 0) {
		if (kt_batch_next(out, s->batch, 0.25))
			return true;
		if (kt_now_s() > s->deadline_s && s->original_cubin != NULL)
			return false;
	}
	return false;
}

/* Compiles the original and waits for it; what else comes out meanwhile is kept. */
static kt_status build_original(struct state *s, struct kt_error *err)
{
	struct kt_built built;
	kt_status status = kt_batch_add(s->batch, ORIGINAL_TICKET, NULL, err);

	if (status == KT_OK)
		status = kt_batch_flush(s->batch, err);
	if (status != KT_OK)
		return status;
	if (!next_built(&built, s))
		return kt_fail(err, KT_ERR_LIMIT, "the original kernel was not compiled in time");
	if (built.cubin == NULL)
		return kt_fail(err, KT_ERR_INVALID, "the slice with the original kernel does not compile: %.600s",
		               built.message != NULL ? built.message : "no message");
	s->original_cubin = built.cubin;
	s->original_function = built.function;
	return KT_OK;
}

static kt_status measure_baseline(struct state *s, struct kt_error *err)
{
	struct kt_candidate original = {NULL, NULL, NULL};
	kt_status status = kt_tester_region(s->plan->tester, s->plan->template_, s->instance, s->original_cubin,
	                                    s->original_function, err);

	if (status == KT_OK)
		status = kt_tester_compare(s->baseline, s->arena, s->plan->tester, &original, 1, &search_effort, err);
	if (status != KT_OK)
		return status;
	for (size_t p = 0; p < s->problems; p++)
		kt_objective_baseline(s->objective, p, s->baseline[p].median_ns);
	return KT_OK;
}

static void remember_trial(struct state *s, size_t index, size_t problem, const struct kt_trial *trial)
{
	struct kt_buf config = KT_BUF(KT_LIMIT_LINE_BYTES), text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error ignored;

	if (s->plan->store != NULL) {
		kt_configuration_print(&config, s->plan->template_->parameters, s->plan->template_->parameter_count,
		                       configuration(s, index));
		problem_text(&text, s->region, problem);
		/* A store that cannot be written costs a repeated measurement, not the build. */
		if (kt_store_put_trial(s->plan->store, s->trial_key, s->device_key, kt_buf_text(&config),
		                       kt_buf_text(&text), trial, &ignored) != KT_OK)
			kt_log("trial not stored: %s", ignored.message);
	}
	kt_buf_free(&config);
	kt_buf_free(&text);
}

/* Takes the measurements of an earlier, interrupted run. True when every problem is known. */
static bool recall(struct state *s, size_t index)
{
	struct kt_buf config = KT_BUF(KT_LIMIT_LINE_BYTES);
	double ns[KT_PROBLEMS];
	/* Tuning again means measuring again. */
	bool known = s->plan->store != NULL && s->plan->config->mode != KT_MODE_RETUNE;
	bool right = true;

	kt_configuration_print(&config, s->plan->template_->parameters, s->plan->template_->parameter_count,
	                       configuration(s, index));
	for (size_t p = 0; p < s->problems && known; p++) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
		struct kt_trial trial;

		problem_text(&text, s->region, p);
		known = kt_store_get_trial(&trial, s->arena, s->plan->store, s->trial_key, s->device_key,
		                           kt_buf_text(&config), kt_buf_text(&text));
		kt_buf_free(&text);
		if (known && trial.verdict != KT_VERDICT_OK && trial.verdict != KT_VERDICT_SKIPPED)
			right = false;
		ns[p] = known && trial.verdict == KT_VERDICT_OK ? trial.timing.median_ns : NAN;
		if (!right)
			break;
	}
	kt_buf_free(&config);
	if (!known)
		return false;
	kt_search_tell(s->search, index, right ? kt_objective_add(s->objective, index, ns) : INFINITY);
	return true;
}

static void show_progress(const struct state *s)
{
	double best = kt_objective_best_speedup(s->objective);

	kt_progress("%s: configuration %zu of %zu, best %.2fx, %.0f s left", s->instance->name, s->tried, s->total,
	            best > 0 ? best : 1.0, s->deadline_s - kt_now_s());
}

/* Verifies and times one built candidate and tells the search. */
static kt_status try_candidate(struct state *s, const struct kt_built *built, struct kt_error *err)
{
	size_t index = built->ticket - 1;
	struct kt_candidate candidate = {built->cubin, built->function, configuration(s, index)};
	struct kt_outcome outcome;
	double give_up[KT_PROBLEMS], ns[KT_PROBLEMS];
	kt_status status;

	s->tried++;
	if (built->cubin == NULL) {
		struct kt_trial trial = {.verdict = KT_VERDICT_NO_COMPILE, .detail = built->message};

		s->uncompiled++;
		for (size_t p = 0; p < s->problems; p++) {
			trial.problem = (int64_t)p;
			remember_trial(s, index, p, &trial);
		}
		kt_search_tell(s->search, index, INFINITY);
		return KT_OK;
	}
	for (size_t p = 0; p < s->problems; p++)
		give_up[p] = kt_objective_best_ns(s->objective, p) * give_up_factor;
	status = kt_tester_try(&outcome, s->arena, s->plan->tester, &candidate, &search_effort, give_up, err);
	if (status != KT_OK)
		return status;
	if (built->shared && outcome.verdict == KT_VERDICT_NO_COMPILE) {
		s->tried--;
		return kt_batch_add_alone(s->batch, built->ticket, configuration(s, index), err);
	}
	for (size_t p = 0; p < s->problems; p++) {
		remember_trial(s, index, p, &outcome.trials[p]);
		ns[p] = outcome.trials[p].verdict == KT_VERDICT_OK ? outcome.trials[p].timing.median_ns : NAN;
	}
	if (outcome.verdict == KT_VERDICT_OK) {
		s->built[index] = *built;
		kt_search_tell(s->search, index, kt_objective_add(s->objective, index, ns));
	} else {
		s->uncompiled += outcome.verdict == KT_VERDICT_NO_COMPILE;
		s->wrong += outcome.verdict != KT_VERDICT_SKIPPED && outcome.verdict != KT_VERDICT_NO_COMPILE;
		kt_search_tell(s->search, index, INFINITY);
	}
	show_progress(s);
	return KT_OK;
}

/* Asks the search and queues compilations until enough is under way. */
static kt_status ask(struct state *s, bool *exhausted, struct kt_error *err)
{
	size_t indices[ASK_MOST], asked;
	size_t room = ASK_MOST * 2;
	kt_status status = KT_OK;

	while (!*exhausted && kt_batch_pending(s->batch) < room && s->trials_left > 0) {
		size_t most = s->trials_left < ASK_MOST ? (size_t)s->trials_left : ASK_MOST;

		asked = kt_search_ask(indices, most, s->search);
		*exhausted = asked == 0;
		for (size_t i = 0; i < asked; i++) {
			s->trials_left--;
			if (recall(s, indices[i])) {
				s->tried++;
				s->recalled++;
				continue;
			}
			status = kt_batch_add(s->batch, indices[i] + 1, configuration(s, indices[i]), err);
			if (status != KT_OK)
				return status;
		}
	}
	return kt_batch_flush(s->batch, err);
}

/* To a tenth of a nanosecond, well below what the device's clock resolves: entries are read by people. */
static double tenth(double ns)
{
	return round(ns * 10) / 10;
}

static void round_timing(struct kt_timing *timing)
{
	timing->median_ns = tenth(timing->median_ns);
	timing->mean_ns = tenth(timing->mean_ns);
	timing->min_ns = tenth(timing->min_ns);
	timing->deviation_ns = tenth(timing->deviation_ns);
}

/* One repetition of the comparison: the baseline and the finalists, on every problem. */
static double confirm_round_s(const struct state *s)
{
	double ns = 0;

	for (size_t p = 0; p < s->problems; p++)
		ns += s->baseline[p].median_ns + CONFIRM_MOST * kt_objective_best_ns(s->objective, p);
	return 1e-9 * ns;
}

/* The paper's 20 + 100 where a share of the budget holds them; kernels of many milliseconds need fewer to tell apart. */
static struct kt_effort confirm_effort(const struct state *s)
{
	double fits = confirm_share * (s->deadline_s - s->started_s) / confirm_round_s(s);
	struct kt_effort effort = final_effort;

	if (fits < (double)(effort.warmups + effort.repetitions)) {
		effort.repetitions = fits * 5 / 6 > CONFIRM_LEAST ? (int64_t)(fits * 5 / 6) : CONFIRM_LEAST;
		effort.warmups = effort.repetitions / 5;
	}
	return effort;
}

static double confirm_seconds(const struct state *s)
{
	struct kt_effort effort = confirm_effort(s);

	return confirm_round_s(s) * (double)(effort.warmups + effort.repetitions);
}

static kt_status search(struct state *s, struct kt_error *err)
{
	bool exhausted = false;
	kt_status status = KT_OK;

	for (;;) {
		struct kt_built built;

		if (kt_now_s() < s->deadline_s)
			status = ask(s, &exhausted, err);
		if (status != KT_OK || !next_built(&built, s))
			return status;
		status = try_candidate(s, &built, err);
		if (status != KT_OK || kt_now_s() + confirm_seconds(s) > s->deadline_s)
			return status;
	}
}

/* Recalled configurations have no binary yet: the few that are confirmed are compiled now. */
static kt_status build_finalists(struct state *s, const size_t *finalists, size_t count, struct kt_error *err)
{
	kt_status status = KT_OK;

	for (size_t i = 0; i < count && status == KT_OK; i++)
		if (s->built[finalists[i]].cubin == NULL)
			status = kt_batch_add(s->batch, finalists[i] + 1, configuration(s, finalists[i]), err);
	if (status == KT_OK)
		status = kt_batch_flush(s->batch, err);
	while (status == KT_OK && kt_batch_pending(s->batch) != 0) {
		struct kt_built built;

		if (kt_batch_next(&built, s->batch, 0.25) && built.ticket != ORIGINAL_TICKET && built.cubin != NULL)
			s->built[built.ticket - 1] = built;
	}
	return status;
}

/* Re-tests the best beside the baseline with the full effort and fills the entry with the winner, if there is one. */
static kt_status confirm(struct state *s, struct kt_planned *out, struct kt_error *err)
{
	size_t finalists[CONFIRM_MOST], count = kt_objective_top(finalists, CONFIRM_MOST, s->objective);
	struct kt_candidate candidates[CONFIRM_MOST + 1] = {{NULL, NULL, NULL}};
	struct kt_effort effort = confirm_effort(s);
	struct kt_timing *timings;
	size_t winner = SIZE_MAX, used = 0;
	kt_status status;

	status = build_finalists(s, finalists, count, err);
	if (status != KT_OK)
		return status;
	for (size_t i = 0; i < count; i++) {
		const struct kt_built *built = &s->built[finalists[i]];
		struct kt_outcome outcome;

		if (built->cubin == NULL)
			continue;
		candidates[used + 1] = (struct kt_candidate){built->cubin, built->function, configuration(s, finalists[i])};
		/* The final answer is verified once more with fresh seeds' worth of runs before it is timed. */
		status = kt_tester_try(&outcome, s->arena, s->plan->tester, &candidates[used + 1], &search_effort, NULL, err);
		if (status != KT_OK)
			return status;
		if (outcome.verdict == KT_VERDICT_OK)
			finalists[used++] = finalists[i];
	}
	timings = kt_arena_array(s->arena, (used + 1) * s->problems, sizeof *timings);
	if (timings == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "timings: out of memory");
	kt_progress("%s: confirming the best %zu", s->instance->name, used);
	status = kt_tester_compare(timings, s->arena, s->plan->tester, candidates, used + 1, &effort, err);
	if (status != KT_OK)
		return status;
	for (size_t i = 0; i < (used + 1) * s->problems; i++)
		round_timing(&timings[i]);
	memcpy(s->baseline, timings, s->problems * sizeof *timings);
	winner = kt_select_winner(timings, used + 1, s->problems);
	out->entry.baseline = s->baseline;
	out->entry.tuned = timings + (winner == SIZE_MAX ? 0 : winner) * s->problems;
	out->entry.baseline_best = winner == SIZE_MAX;
	if (winner == SIZE_MAX) {
		out->reason = KT_REASON_BASELINE_BEST;
		return KT_OK;
	}
	{
		struct kt_outcome outcome;

		status = kt_tester_try(&outcome, s->arena, s->plan->tester, &candidates[winner], &search_effort, NULL, err);
		if (status != KT_OK)
			return status;
		/* Checked again after all timing: a kernel that is right only while it is fresh is not right. */
		if (outcome.verdict != KT_VERDICT_OK) {
			out->entry.baseline_best = true;
			out->entry.tuned = s->baseline;
			out->reason = KT_REASON_BASELINE_BEST;
			return KT_OK;
		}
		out->entry.registers = outcome.registers;
		out->entry.local_bytes = outcome.local_bytes;
		out->entry.shared_bytes = outcome.shared_bytes;
	}
	memcpy(out->entry.configuration, configuration(s, finalists[winner - 1]),
	       s->plan->template_->parameter_count * sizeof(int64_t));
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
static kt_status begin_entry(struct state *s, struct kt_planned *out, struct kt_error *err)
{
	const struct kt_template *template_ = s->plan->template_;
	struct kt_entry *entry = &out->entry;
	size_t count = template_->parameter_count;

	entry->region_key = s->plan->region_key;
	entry->closure = s->plan->closure;
	entry->near_key = s->plan->near_key;
	entry->name = s->region->name;
	entry->instance = s->instance->name;
	entry->kernel = s->region->kernel;
	entry->device = *s->device;
	entry->device_key = kt_arena_strdup(s->arena, s->device_key);
	entry->generator = template_->generator;
	entry->parameter_count = count;
	entry->parameters = kt_arena_array(s->arena, count, sizeof *entry->parameters);
	entry->configuration = kt_arena_array(s->arena, count, sizeof *entry->configuration);
	entry->variable_count = s->region->variable_count;
	entry->variables = s->region->variables;
	entry->problem_count = s->problems;
	entry->problems = s->region->problems;
	entry->floor_ns = kt_arena_array(s->arena, s->problems, sizeof *entry->floor_ns);
	entry->toolkit = s->plan->toolkit;
	entry->driver = s->device->driver;
	entry->tool = "ktcc " KT_VERSION;
	entry->date = today(s->arena);
	entry->legal = (int64_t)kt_space_legal(s->space);
	if (entry->parameters == NULL || entry->configuration == NULL || entry->floor_ns == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "entry: out of memory");
	for (size_t i = 0; i < count; i++) {
		entry->parameters[i] = template_->parameters[i].name;
		if (kt_region_original(&entry->configuration[i], s->region, s->instance, i, err) != KT_OK)
			return err->code;
	}
	return KT_OK;
}

static kt_status open_space(struct state *s, struct kt_planned *out, struct kt_error *err)
{
	kt_status status = kt_space_build(&s->space, s->plan->template_, s->instance, s->device, err);
	const char *strategy = s->plan->strategy;

	if (status != KT_OK)
		return status;
	s->total = kt_space_feasible(s->space);
	if (s->total == 0) {
		out->reason = KT_REASON_EMPTY_SPACE;
		return KT_OK;
	}
	if (s->total == 1 && kt_space_original(s->space) == 0) {
		out->reason = KT_REASON_NOTHING_TO_TUNE;
		return KT_OK;
	}
	s->built = kt_arena_array(s->arena, s->total, sizeof *s->built);
	status = kt_objective_open(&s->objective, s->total, s->problems, err);
	if (status != KT_OK)
		return status;
	if (s->built == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "space: out of memory");
	/* Without replacement: all of the space where the budget holds it, else a fair sample of it. */
	if (strategy == NULL)
		strategy = "random";
	return kt_search_open(&s->search, strategy, s->space, s->plan->seed, err);
}

static void close_state(struct state *s)
{
	kt_batch_close(s->batch);
	kt_search_close(s->search);
	kt_objective_close(s->objective);
	kt_space_free(s->space);
}

kt_status kt_plan_tune(struct kt_planned *out, struct kt_arena *arena, const struct kt_plan *plan, struct kt_error *err)
{
	struct state s = {.plan = plan, .arena = arena};
	double busy_s = kt_tester_busy_seconds(plan->tester);
	kt_status status;

	memset(out, 0, sizeof *out);
	s.region = plan->template_->region;
	s.instance = &s.region->instances[plan->instance];
	s.device = kt_tester_device(plan->tester);
	s.problems = problem_count(s.region);
	s.started_s = kt_now_s();
	s.deadline_s = s.started_s + budget_seconds(plan);
	s.trials_left = budget_trials(plan);
	s.baseline = kt_arena_array(arena, s.problems, sizeof *s.baseline);
	if (s.baseline == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "baseline: out of memory");
	kt_device_key(s.device_key, s.device);
	make_trial_key(&s);
	status = open_space(&s, out, err);
	if (status != KT_OK || out->reason != KT_REASON_NONE)
		goto done;
	status = begin_entry(&s, out, err);
	if (status == KT_OK)
		status = kt_batch_open(&s.batch, &plan->compile, plan->template_, s.instance, plan->source,
		                       plan->source_size, err);
	if (status == KT_OK)
		status = build_original(&s, err);
	if (status != KT_OK)
		goto done;
	/* The first candidates compile while the references are made. */
	{
		bool exhausted = false;

		status = ask(&s, &exhausted, err);
	}
	if (status == KT_OK && (status = measure_baseline(&s, err)) != KT_OK)
		out->reason = KT_REASON_BASELINE_FAILED;
	if (status == KT_OK)
		status = search(&s, err);
	if (status == KT_OK)
		status = confirm(&s, out, err);
	if (status == KT_OK)
		status = kt_tester_floor(out->entry.floor_ns, plan->tester, &final_effort, err);
	for (size_t p = 0; status == KT_OK && p < s.problems; p++)
		out->entry.floor_ns[p] = tenth(out->entry.floor_ns[p]);
	if (status != KT_OK)
		goto done;
	out->entry.tried = (int64_t)s.tried;
	if (plan->store != NULL && kt_store_put(plan->store, &out->entry, err) != KT_OK) {
		/* The winner is known: a store that cannot be written must not cost this build its result. */
		kt_log("entry not stored: %s", err->message);
	}
done:
	kt_progress(NULL);
	out->tried = (int64_t)s.tried;
	out->recalled = (int64_t)s.recalled;
	out->wrong = (int64_t)s.wrong;
	out->uncompiled = (int64_t)s.uncompiled;
	out->wall.compile_s = s.batch != NULL ? kt_batch_compile_seconds(s.batch) : 0;
	out->wall.run_s = kt_tester_busy_seconds(plan->tester) - busy_s;
	out->wall.total_s = kt_now_s() - s.started_s;
	close_state(&s);
	return status;
}
