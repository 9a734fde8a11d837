/* The search of one tuning: what is asked, compiled, tried, remembered and told. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "planning/plan_internal.h"

/*
 * Candidates under way: a unit of some for every compiler, whose headers cost more than a candidate does, and enough to
 * supply the device for pending_seconds; few enough to steer, and to be through when the budget ends.
 */
enum { PENDING_LEAST = 16, PENDING_MOST = 128, UNIT_WANTED = 4, ROUND_MOST = 64 };
static const double pending_seconds = 1.5;

/* So many candidates may end the runner before one has been right. */
enum { ENDED_MOST = 24 };

/* So many may not compile, or be wrong, before one has been right: then it is the text, whatever its parameters are. */
enum { UNCOMPILED_MOST = 16, WRONG_MOST = 48 };

/* A candidate that is this much slower than the best on a problem is not timed further there. */
static const double give_up_factor = 1.3;

/* Where problems may have variants of their own: the part of budget and trials that the general one gets. */
static const double general_share = 0.75;

/* As near to the floor as two copies are to each other: others have the time first. */
static const double at_floor = 1.01;

/*
 * Nothing better by SETTLED_GAIN among so many candidates (a part of the space, within bounds): the search ends before
 * its budget does.
 */
enum { SETTLED_LEAST = 96, SETTLED_MOST = 512 };
static const double settled_part = 0.125, settled_gain = 1.003;

/* One strategy at work: towards the general configuration, or towards the fastest on one problem. */
struct kt_pursuit {
	struct kt_search *search;
	size_t problem; /* SIZE_MAX: all together */
	size_t told;    /* rows of the objective that it knows */
	bool exhausted;
	double best;    /* cost of the best seen so far, and after how many candidates it was seen */
	size_t since;
};

static void problem_text(struct kt_buf *out, const struct kt_region *region, size_t problem)
{
	for (size_t v = 0; v < region->variable_count; v++)
		kt_buf_addf(out, "%s%s=%lld", v != 0 ? " " : "", region->variables[v],
		            (long long)region->problems[problem * region->variable_count + v]);
}

static const int64_t *configuration(const struct kt_tuning *s, size_t index)
{
	return kt_space_get(s->space, index);
}

static void remember(struct kt_tuning *s, size_t index, const char *text, const struct kt_trial *trial)
{
	struct kt_buf config = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error ignored;

	if (s->plan->store != NULL) {
		kt_configuration_print(&config, s->plan->template_->parameters, s->plan->template_->parameter_count,
		                       configuration(s, index));
		/* A store that cannot be written costs a repeated measurement, not the build. */
		if (kt_store_put_trial(s->plan->store, s->trial_key, s->device_key, kt_buf_text(&config), text, trial,
		                       &ignored) != KT_OK)
			kt_log("trial not stored: %s", ignored.message);
	}
	kt_buf_free(&config);
}

static void remember_trial(struct kt_tuning *s, size_t index, size_t problem, const struct kt_trial *trial)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	problem_text(&text, s->region, problem);
	remember(s, index, kt_buf_text(&text), trial);
	kt_buf_free(&text);
}

static bool is_by_rules(const struct kt_tuning *s)
{
	return strcmp(s->plan->template_->generator, "rules") == 0;
}

/* Of ours: a candidate that a rule wrote does not compile, or is wrong. */
static void count_mistake(const struct kt_tuning *s, const char *name)
{
	if (s->plan->store != NULL && is_by_rules(s))
		kt_store_count(s->plan->store, name);
}

void kt_tuning_remember_wrong(struct kt_tuning *s, size_t index, const struct kt_outcome *outcome)
{
	struct kt_buf config = KT_BUF(KT_LIMIT_LINE_BYTES);
	const struct kt_row *row = NULL;

	for (size_t r = 0; r < outcome->row_count && row == NULL; r++)
		if (outcome->rows[r].problem == outcome->failed)
			row = &outcome->rows[r];
	if (row != NULL && row->check) {
		struct kt_trial trial = {.verdict = row->verdict, .detail = row->detail};

		remember(s, index, row->problem, &trial);
	}
	count_mistake(s, "rules-wrong");
	kt_configuration_print(&config, s->plan->template_->parameters, s->plan->template_->parameter_count,
	                       configuration(s, index));
	kt_log("%s: %s: %s on %s: %s; again: ktcc verify %s --configuration \"%s\"%s%s%s", s->instance->name,
	       kt_buf_text(&config), kt_verdict_name(outcome->verdict), row != NULL ? row->problem : "all problems",
	       row != NULL && row->detail != NULL ? row->detail : "no more is known", s->region->file, kt_buf_text(&config),
	       row != NULL ? " --check \"" : "", row != NULL ? row->problem : "", row != NULL ? "\"" : "");
	if (s->first_wrong.configuration == NULL && row != NULL)
		s->first_wrong = (struct kt_wrong){kt_arena_strdup(s->arena, kt_buf_text(&config)), row->problem,
		                                   row->detail != NULL ? row->detail : "", outcome->verdict};
	kt_buf_free(&config);
}

/* Adds a row to the matrix; ns NULL: a configuration that failed. `seen`: what is known beside its times. */
static kt_status add_row(struct kt_tuning *s, size_t index, const double *ns, const struct kt_trial *seen,
                         struct kt_error *err)
{
	struct kt_trial *slot = kt_arena_push(s->arena, &s->seen, &s->seen_count, sizeof *slot);
	double cost;

	if (slot == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "candidates: out of memory");
	*slot = *seen;
	return kt_objective_add(&cost, s->objective, index, ns, err);
}

/* One number for a row, the less the better; INFINITY: it failed. */
static double cost_for(const struct kt_tuning *s, const struct kt_pursuit *pursuit, size_t row)
{
	double general = kt_objective_cost(s->objective, row), ns;
	size_t ignored;

	if (pursuit->problem == SIZE_MAX || !isfinite(general))
		return general;
	ns = kt_objective_row(&ignored, s->objective, row)[pursuit->problem];
	/* Where a guard keeps it out it is as good as the original. */
	return ns > 0 ? ns : kt_objective_baseline_ns(s->objective, pursuit->problem);
}

/* Tells a strategy what was found out since it was last told, by whomever. */
static void catch_up(const struct kt_tuning *s, struct kt_pursuit *pursuit)
{
	for (; pursuit->told < kt_objective_rows(s->objective); pursuit->told++) {
		size_t index;

		(void)kt_objective_row(&index, s->objective, pursuit->told);
		kt_search_tell(pursuit->search, index, cost_for(s, pursuit, pursuit->told));
	}
}

/* The measurements of an earlier run: true when every problem is known; *right when they are times. */
static bool recall(double *ns, bool *right, struct kt_trial *seen, const struct kt_tuning *s, size_t index)
{
	struct kt_buf config = KT_BUF(KT_LIMIT_LINE_BYTES);
	/* Tuning again means measuring again. */
	bool known = s->plan->store != NULL && s->plan->config->mode != KT_MODE_RETUNE;

	*right = true;
	*seen = (struct kt_trial){.verdict = KT_VERDICT_SKIPPED};
	kt_configuration_print(&config, s->plan->template_->parameters, s->plan->template_->parameter_count,
	                       configuration(s, index));
	for (size_t p = 0; p < s->problems && known && *right; p++) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
		struct kt_trial trial;

		problem_text(&text, s->region, p);
		known = kt_store_get_trial(&trial, s->arena, s->plan->store, s->trial_key, s->device_key,
		                           kt_buf_text(&config), kt_buf_text(&text));
		kt_buf_free(&text);
		*right = !known || trial.verdict == KT_VERDICT_OK || trial.verdict == KT_VERDICT_SKIPPED;
		ns[p] = known && trial.verdict == KT_VERDICT_OK ? trial.timing.median_ns : NAN;
		if (known && trial.verdict != KT_VERDICT_SKIPPED)
			*seen = trial;
	}
	kt_buf_free(&config);
	return known;
}

static void show_progress(const struct kt_tuning *s)
{
	double best = kt_objective_best_speedup(s->objective);

	kt_store_lease_beat(s->plan->lease);
	kt_progress("%s: configuration %zu of %zu, best %.2fx, %.0f s left", s->instance->name, s->tried, s->total,
	            best > 0 ? best : 1.0, s->deadline_s - kt_now_s());
}

/* What a rule wrote has to compile: a mistake of ours, with the command that shows it. A user's own text need not. */
static void log_uncompiled(const struct kt_tuning *s, size_t index, const char *message)
{
	struct kt_buf config = KT_BUF(KT_LIMIT_LINE_BYTES);

	if (!is_by_rules(s))
		return;
	count_mistake(s, "rules-uncompiled");
	message = message != NULL ? message : "no more is known";
	kt_configuration_print(&config, s->plan->template_->parameters, s->plan->template_->parameter_count,
	                       configuration(s, index));
	kt_log("%s: %s: %s: %.*s; again: ktcc verify %s --configuration \"%s\"", s->instance->name, kt_buf_text(&config),
	       kt_verdict_name(KT_VERDICT_NO_COMPILE), (int)strcspn(message, "\n"), message, s->region->file,
	       kt_buf_text(&config));
	kt_buf_free(&config);
}

static kt_status not_compiled(struct kt_tuning *s, const struct kt_built *built, struct kt_error *err)
{
	struct kt_trial trial = {.verdict = KT_VERDICT_NO_COMPILE, .detail = built->message};
	size_t index = built->ticket - 1;

	s->uncompiled++;
	if (!built->unlucky)
		log_uncompiled(s, index, built->message);
	for (size_t p = 0; p < s->problems && !built->unlucky; p++) {
		trial.problem = (int64_t)p;
		remember_trial(s, index, p, &trial);
	}
	return add_row(s, index, NULL, &trial, err);
}

static kt_status keep_binary(struct kt_tuning *s, const struct kt_built *built, struct kt_error *err)
{
	struct kt_built *slot = kt_arena_push(s->arena, &s->built, &s->built_count, sizeof *slot);

	if (slot == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "candidates: out of memory");
	*slot = *built;
	return KT_OK;
}

/* Not remembered: another KTUNE_RELAX may let it through. */
static bool refused(struct kt_tuning *s, const struct kt_built *built)
{
	struct kt_buf why = KT_BUF(KT_LIMIT_LINE_BYTES);
	const bool refuses = kt_tuning_refuses(&why, s, built);

	s->refused += refuses;
	if (refuses)
		kt_log("%s: configuration %zu not run: %s", s->instance->name, built->ticket - 1, kt_buf_text(&why));
	kt_buf_free(&why);
	return refuses;
}

/* What went wrong, as the row of the problem or check that failed says it. */
static const char *detail_of(const struct kt_outcome *outcome)
{
	for (size_t r = 0; r < outcome->row_count; r++)
		if (outcome->rows[r].problem == outcome->failed)
			return outcome->rows[r].detail;
	return outcome->failed;
}

/* The place of a configuration among those that are compiled or wait to be tried; how many there are: it is none. */
static size_t find_waiting(const struct kt_tuning *s, size_t index)
{
	size_t at = 0;

	while (at < s->waiting_count && s->waiting[at] != index)
		at++;
	return at;
}

static kt_status note_waiting(struct kt_tuning *s, size_t index, struct kt_error *err)
{
	size_t *slot;

	if (s->waiting_count < s->waiting_room) {
		s->waiting[s->waiting_count++] = index;
		return KT_OK;
	}
	slot = kt_arena_push(s->arena, &s->waiting, &s->waiting_count, sizeof *slot);
	if (slot == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "search: out of memory");
	*slot = index;
	s->waiting_room = s->waiting_count;
	return KT_OK;
}

static void forget_waiting(struct kt_tuning *s, size_t index)
{
	const size_t at = find_waiting(s, index);

	if (at < s->waiting_count)
		s->waiting[at] = s->waiting[--s->waiting_count];
}

/* Verifies and times one built candidate. */
static kt_status try_candidate(struct kt_tuning *s, const struct kt_built *built, struct kt_error *err)
{
	size_t index = built->ticket - 1;
	struct kt_candidate candidate = {built->cubin, built->function, configuration(s, index)};
	struct kt_outcome outcome;
	double give_up[KT_PROBLEMS], ns[KT_PROBLEMS];
	kt_status status;

	forget_waiting(s, index);
	s->tried++;
	if (built->cubin == NULL)
		return not_compiled(s, built, err);
	if (refused(s, built))
		return add_row(s, index, NULL, &(struct kt_trial){.verdict = KT_VERDICT_OVER_LIMIT}, err);
	for (size_t p = 0; p < s->problems; p++)
		give_up[p] = kt_objective_best_ns(s->objective, p) * give_up_factor;
	status = kt_tester_try(&outcome, s->arena, s->plan->tester, &candidate, &kt_search_effort, give_up, err);
	if (status != KT_OK)
		return status;
	if (built->shared && outcome.verdict == KT_VERDICT_NO_COMPILE) {
		s->tried--;
		status = note_waiting(s, index, err);
		return status == KT_OK ? kt_batch_add_alone(s->batch, built->ticket, configuration(s, index), err) : status;
	}
	for (size_t p = 0; p < s->problems; p++) {
		remember_trial(s, index, p, &outcome.trials[p]);
		ns[p] = outcome.trials[p].verdict == KT_VERDICT_OK ? outcome.trials[p].timing.median_ns : NAN;
	}
	if (outcome.verdict == KT_VERDICT_NO_COMPILE) {
		s->uncompiled++;
		log_uncompiled(s, index, detail_of(&outcome));
	}
	s->ended_in_row = outcome.ended_runner ? s->ended_in_row + 1 : 0;
	if (outcome.verdict != KT_VERDICT_OK && outcome.verdict != KT_VERDICT_SKIPPED &&
	    outcome.verdict != KT_VERDICT_NO_COMPILE) {
		s->wrong++;
		kt_tuning_remember_wrong(s, index, &outcome);
	}
	status = add_row(s, index, outcome.verdict == KT_VERDICT_OK ? ns : NULL,
	                 &(struct kt_trial){.verdict = outcome.verdict, .detail = detail_of(&outcome),
	                                    .registers = outcome.registers, .local_bytes = outcome.local_bytes,
	                                    .shared_bytes = outcome.shared_bytes}, err);
	if (status == KT_OK && outcome.verdict == KT_VERDICT_OK)
		status = keep_binary(s, built, err);
	show_progress(s);
	return status;
}

/* Remembered, or queued for the compilers. */
static kt_status try_index(struct kt_tuning *s, size_t index, struct kt_error *err)
{
	double ns[KT_PROBLEMS];
	struct kt_trial seen;
	bool right;

	s->trials_left--;
	if (recall(ns, &right, &seen, s, index)) {
		s->tried++;
		s->recalled++;
		return add_row(s, index, right ? ns : NULL, &seen, err);
	}
	if (note_waiting(s, index, err) != KT_OK)
		return err->code;
	return kt_batch_add(s->batch, index + 1, configuration(s, index), err);
}

static bool is_start(const struct kt_tuning *s, size_t index)
{
	for (size_t i = 0; i < s->start_count; i++)
		if (s->starts[i].index == index)
			return true;
	return false;
}

/* Who names a strategy gets it as it is. */
static kt_status ask_starts(struct kt_tuning *s, struct kt_error *err)
{
	const size_t most = s->plan->strategy == NULL
	                        ? kt_start_choose(s->starts, s->arena, s->space, s->plan->template_, s->instance, s->device)
	                        : 0;
	kt_status status = KT_OK;

	while (s->start_count < most && s->trials_left > 0 && status == KT_OK)
		status = try_index(s, s->starts[s->start_count++].index, err);
	return status;
}

/* What a strategy asks for, unless somebody asked before. */
static kt_status take_up(struct kt_tuning *s, size_t index, struct kt_error *err)
{
	if (index == s->given || is_start(s, index) || find_waiting(s, index) < s->waiting_count)
		return KT_OK;
	return try_index(s, index, err);
}

/*
 * A model gives the values that it thinks best first: what they are worth without a search is part of what is found out
 * about its text. SIZE_MAX: the device cannot run them, or nobody thought about them.
 */
static size_t given_index(const struct kt_tuning *s)
{
	const struct kt_template *template_ = s->plan->template_;
	int64_t *values = kt_arena_array(s->arena, template_->parameter_count + 1, sizeof *values);

	if (values == NULL || strcmp(template_->generator, "llm") != 0)
		return SIZE_MAX;
	for (size_t i = 0; i < template_->parameter_count; i++)
		values[i] = template_->parameters[i].values[0];
	return kt_space_find(s->space, values);
}

/* Without the baseline's times no cost is known: a strategy is told of nothing yet. */
static bool is_blind(const struct kt_tuning *s)
{
	for (size_t p = 0; p < s->problems; p++)
		if (kt_objective_baseline_ns(s->objective, p) > 0)
			return false;
	return true;
}

static bool is_settled(const struct kt_tuning *s, struct kt_pursuit *pursuit)
{
	const double speedup = kt_objective_best_speedup(s->objective);
	const double cost = pursuit->problem == SIZE_MAX ? (speedup > 0 ? 1 / speedup : INFINITY)
	                                                 : kt_objective_best_ns(s->objective, pursuit->problem);
	const double part = settled_part * (double)s->total;
	const size_t patience = part < (double)SETTLED_LEAST ? SETTLED_LEAST
	                        : part > (double)SETTLED_MOST ? SETTLED_MOST : (size_t)part;

	/* Who asks for all of the space gets it. */
	if (s->plan->strategy != NULL && strcmp(s->plan->strategy, "exhaustive") == 0)
		return false;
	if (pursuit->best == 0 || cost * settled_gain < pursuit->best) {
		pursuit->best = cost;
		pursuit->since = s->tried;
	}
	return s->tried - pursuit->since >= patience;
}

/*
 * Asks until `room` candidates are under way; those of earlier calls are the strategy's own and not asked twice. Where
 * nothing can be told it asks once: what is remembered of a killed search may be all that was asked for.
 */
static kt_status ask(struct kt_tuning *s, struct kt_pursuit *pursuit, size_t room, struct kt_error *err)
{
	const bool blind = is_blind(s);
	bool going = true;
	kt_status status = KT_OK;

	while (going && status == KT_OK && !pursuit->exhausted && kt_batch_pending(s->batch) < room && s->trials_left > 0) {
		size_t indices[ROUND_MOST];
		size_t most = room - kt_batch_pending(s->batch), asked;

		most = most < ROUND_MOST ? most : ROUND_MOST;
		if ((int64_t)most > s->trials_left)
			most = (size_t)s->trials_left;
		if (!blind)
			catch_up(s, pursuit);
		asked = kt_search_ask(indices, most, pursuit->search);
		pursuit->exhausted = asked == 0;
		for (size_t i = 0; i < asked && status == KT_OK; i++)
			status = take_up(s, indices[i], err);
		going = !blind;
	}
	return status == KT_OK ? kt_batch_flush(s->batch, err) : status;
}

static size_t pending_most(const struct kt_tuning *s)
{
	const size_t jobs = s->plan->compile.jobs;
	const double elapsed_s = kt_now_s() - s->search_began_s;
	double most = UNIT_WANTED * (double)jobs;

	if (s->tried != s->recalled)
		most += pending_seconds * (double)(s->tried - s->recalled) / elapsed_s;
	most = fmin(fmax(most, PENDING_LEAST), PENDING_MOST);
	return (size_t)most;
}

/* Where every candidate fails alike nothing will be found. NULL: there is hope. */
static const char *hopeless(const struct kt_tuning *s)
{
	if (s->built_count != 0 || s->recalled != 0)
		return NULL;
	if (s->ended_in_row >= ENDED_MOST)
		return "every candidate ended the runner";
	if (s->uncompiled == s->tried && s->tried >= UNCOMPILED_MOST)
		return "no candidate compiled";
	return s->wrong == s->tried && s->tried >= WRONG_MOST ? "every candidate was wrong" : NULL;
}

static bool gives_up(struct kt_tuning *s)
{
	const char *why = hopeless(s);

	if (why != NULL && s->trials_left > 0)
		kt_log("%s: after %zu candidates: %s", s->instance->name, s->tried, why);
	if (why != NULL)
		s->trials_left = 0;
	return why != NULL;
}

/* Asks for more where `pursuit` is not NULL; tries what was built until `until_s`, or until only so many are left. */
static kt_status pursue(struct kt_tuning *s, struct kt_pursuit *pursuit, size_t left, double until_s,
                        struct kt_error *err)
{
	for (;;) {
		struct kt_built built;
		kt_status status = KT_OK;

		if (pursuit == NULL && left != 0 && kt_batch_pending(s->batch) <= left)
			return KT_OK;
		if (pursuit != NULL && kt_now_s() < until_s && !is_settled(s, pursuit))
			status = ask(s, pursuit, pending_most(s), err);
		/* Where nothing was tried yet a late candidate is better than none. */
		if (status != KT_OK || !kt_tuning_next_built(&built, s, s->tried != 0 ? until_s : s->deadline_s))
			return status;
		status = try_candidate(s, &built, err);
		if (status != KT_OK || kt_now_s() > until_s || gives_up(s))
			return status;
	}
}

static kt_status open_pursuit(struct kt_pursuit *out, struct kt_tuning *s, size_t problem, struct kt_error *err)
{
	const char *strategy = s->plan->strategy != NULL ? s->plan->strategy : "default";

	*out = (struct kt_pursuit){.problem = problem};
	return kt_search_open(&out->search, strategy, s->space, s->plan->seed, (size_t)s->trials_left, err);
}

/* A problem on which little can be gained any more; a floor that is not known is far away. */
static bool is_at_floor(const struct kt_tuning *s, size_t problem)
{
	return kt_objective_best_ns(s->objective, problem) <= at_floor * s->floor_ns[problem];
}

/* Has it something to ask for, and is there nobody who needs the time more? */
static bool may_ask(struct kt_tuning *s, struct kt_pursuit *pursuits, size_t problem)
{
	bool others = false;

	if (pursuits[problem].exhausted || is_settled(s, &pursuits[problem]))
		return false;
	for (size_t p = 0; p < s->problems && !others; p++)
		others = !is_at_floor(s, p) && !pursuits[p].exhausted && !is_settled(s, &pursuits[p]);
	return !others || !is_at_floor(s, problem);
}

/* One round: every problem's strategy asks for a few, all are tried. False in *going when none has a question left. */
static kt_status pursue_round(struct kt_tuning *s, struct kt_pursuit *pursuits, bool *going, double until_s,
                              struct kt_error *err)
{
	size_t share = ROUND_MOST / s->problems > 2 ? ROUND_MOST / s->problems : 2;
	kt_status status = KT_OK;

	*going = false;
	for (size_t p = 0; status == KT_OK && p < s->problems; p++) {
		size_t indices[ROUND_MOST], asked;

		if (s->trials_left <= 0 || !may_ask(s, pursuits, p))
			continue;
		catch_up(s, &pursuits[p]);
		asked = kt_search_ask(indices, share, pursuits[p].search);
		pursuits[p].exhausted = asked == 0;
		*going = *going || asked != 0;
		for (size_t i = 0; i < asked && status == KT_OK && s->trials_left > 0; i++)
			status = take_up(s, indices[i], err);
	}
	if (status == KT_OK)
		status = kt_batch_flush(s->batch, err);
	/* The compilers go on with the rest while strategies think. */
	return status == KT_OK ? pursue(s, NULL, pending_most(s) / 2, until_s, err) : status;
}

/* Each problem for itself, until time, trials or the space end. */
static kt_status pursue_problems(struct kt_tuning *s, double until_s, struct kt_error *err)
{
	struct kt_pursuit *pursuits = kt_arena_array(s->arena, s->problems, sizeof *pursuits);
	kt_status status = pursuits != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "search: out of memory");
	bool going = true;

	for (size_t p = 0; status == KT_OK && p < s->problems; p++)
		status = open_pursuit(&pursuits[p], s, p, err);
	while (status == KT_OK && going && s->trials_left > 0 && kt_now_s() < until_s)
		status = pursue_round(s, pursuits, &going, until_s, err);
	if (status == KT_OK)
		status = pursue(s, NULL, 0, until_s, err);
	for (size_t p = 0; pursuits != NULL && p < s->problems; p++)
		kt_search_close(pursuits[p].search);
	return status;
}

kt_status kt_tuning_begin(struct kt_tuning *s, struct kt_error *err)
{
	s->general = kt_arena_alloc(s->arena, sizeof *s->general);
	if (s->general == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "search: out of memory");
	if (open_pursuit(s->general, s, SIZE_MAX, err) != KT_OK)
		return err->code;
	s->given = given_index(s);
	if (s->given != SIZE_MAX && s->trials_left > 0 && try_index(s, s->given, err) != KT_OK)
		return err->code;
	if (ask_starts(s, err) != KT_OK)
		return err->code;
	return ask(s, s->general, pending_most(s), err);
}

kt_status kt_tuning_search(struct kt_tuning *s, struct kt_error *err)
{
	bool special = kt_tuning_specialises(s);
	double end_s = s->deadline_s - kt_tuning_confirm_seconds(s), now_s = kt_now_s();
	double until_s = special ? now_s + general_share * (end_s - now_s) : end_s;
	int64_t kept = special ? (int64_t)((1 - general_share) * (double)s->trials_left) : 0;
	kt_status status;

	s->trials_left -= kept;
	s->search_began_s = now_s;
	status = pursue(s, s->general, 0, until_s, err);
	s->trials_left += kept;
	if (status == KT_OK)
		status = special && !s->general->exhausted ? pursue_problems(s, end_s, err) : pursue(s, NULL, 0, end_s, err);
	s->stopped = hopeless(s) != NULL                                  ? hopeless(s)
	             : is_settled(s, s->general)                          ? "nothing better was found for long"
	             : s->general->exhausted                              ? "the strategy has nothing left to ask for"
	             : s->trials_left <= 0                                ? "the trials of the budget are spent"
	                                                                  : "the time of the budget is spent";
	return status;
}

void kt_tuning_end(struct kt_tuning *s)
{
	if (s->general != NULL)
		kt_search_close(s->general->search);
}
