/* One configuration: asked for, recalled or compiled, tried, and remembered. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/proc.h"
#include "planning/plan_internal.h"

void kt_tuning_problem_text(struct kt_buf *out, const struct kt_region *region, size_t problem)
{
	for (size_t v = 0; v < region->variable_count; v++)
		kt_buf_addf(out, "%s%s=%lld", v != 0 ? " " : "", region->variables[v],
		            (long long)region->problems[problem * region->variable_count + v]);
}

static const int64_t *configuration(const struct kt_tuning *s, size_t index)
{
	return kt_space_get(s->space, index);
}

void kt_tuning_store_trials(struct kt_tuning *s)
{
	struct kt_error ignored;

	/* A store that cannot be written costs a repeated measurement, not the build. */
	if (s->unstored_count != 0 && kt_store_put_trials(s->plan->store, s->trial_key, s->device_key, s->unstored,
	                                                  s->unstored_count, &ignored) != KT_OK)
		kt_log("trials not stored: %s", ignored.message);
	s->unstored_count = 0;
}

/* Written at once: a process that is killed here loses nothing that was measured. */
static void remember(struct kt_tuning *s, size_t index, const char *text, const struct kt_trial *trial)
{
	struct kt_buf config = KT_BUF(KT_LIMIT_LINE_BYTES);
	const double begin_s = kt_now_s();
	struct kt_trial_row *row;

	if (s->plan->store == NULL)
		return;
	if (s->unstored_count == KT_UNSTORED)
		kt_tuning_store_trials(s);
	row = &s->unstored[s->unstored_count];
	kt_configuration_print(&config, s->plan->template_->parameters, s->plan->template_->parameter_count,
	                       configuration(s, index));
	*row = (struct kt_trial_row){kt_arena_strdup(s->arena, kt_buf_text(&config)), kt_arena_strdup(s->arena, text), *trial};
	row->trial.measured_ms = kt_unix_ms();
	/* Without memory there will be other complaints. */
	s->unstored_count += row->configuration != NULL && row->problem != NULL;
	kt_tuning_store_trials(s);
	kt_tuning_spent(s, KT_BETWEEN_STORE, begin_s);
	kt_buf_free(&config);
}

void kt_tuning_remember_trial(struct kt_tuning *s, size_t index, size_t problem, const struct kt_trial *trial)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_tuning_problem_text(&text, s->region, problem);
	remember(s, index, kt_buf_text(&text), trial);
	kt_buf_free(&text);
}

bool kt_tuning_is_by_rules(const struct kt_tuning *s)
{
	return kt_generator_has_recipes(s->plan->template_->generator);
}

/* Of ours: a candidate that a rule wrote does not compile, or is wrong. */
void kt_tuning_count_mistake(const struct kt_tuning *s, const char *name)
{
	if (s->plan->store != NULL && kt_tuning_is_by_rules(s))
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
	kt_tuning_count_mistake(s, "rules-wrong");
	kt_configuration_print(&config, s->plan->template_->parameters, s->plan->template_->parameter_count,
	                       configuration(s, index));
	kt_log("%s: %s: %s on %s: %s; again: ktcc verify %s --configuration \"%s\"%s%s%s", s->instance->name,
	       kt_buf_text(&config), kt_verdict_name(outcome->verdict), row != NULL ? row->problem : "all problems",
	       row != NULL && row->detail != NULL ? row->detail : "no more is known", kt_path_word(s->arena, s->region->file), kt_buf_text(&config),
	       row != NULL ? " --check \"" : "", row != NULL ? row->problem : "", row != NULL ? "\"" : "");
	if (s->first_wrong.configuration == NULL && row != NULL)
		s->first_wrong = (struct kt_wrong){kt_arena_strdup(s->arena, kt_buf_text(&config)), row->problem,
		                                   row->detail != NULL ? row->detail : "", outcome->verdict};
	kt_buf_free(&config);
}

/* Adds a row to the matrix; ns NULL: a configuration that failed. `seen`: what is known beside its times. */
kt_status kt_tuning_add_row(struct kt_tuning *s, size_t index, const double *ns, const struct kt_trial *seen,
                            struct kt_error *err)
{
	struct kt_trial *slot = kt_arena_push(s->arena, &s->seen, &s->seen_count, sizeof *slot);
	double cost;

	NEED(slot, kt_fail(err, KT_ERR_MEMORY, "candidates: out of memory"));
	*slot = *seen;
	return kt_objective_add(&cost, s->objective, index, ns, err);
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

		kt_tuning_problem_text(&text, s->region, p);
		known = kt_store_get_trial(&trial, s->arena, s->plan->store, s->trial_key, s->device_key,
		                           kt_buf_text(&config), kt_buf_text(&text));
		kt_buf_free(&text);
		/* What it would have taken was guessed from what was best then. */
		known = known && !kt_tuning_is_lost(&trial);
		*right = !known || trial.verdict == KT_VERDICT_OK || trial.verdict == KT_VERDICT_SKIPPED;
		ns[p] = known && trial.verdict == KT_VERDICT_OK ? trial.timing.median_ns : NAN;
		if (known && trial.verdict != KT_VERDICT_SKIPPED)
			*seen = trial;
	}
	kt_buf_free(&config);
	return known;
}

/* A free place among those that wait. */
#define FREE SIZE_MAX

/* The place of a configuration among those that are compiled or wait to be tried; how many there are: it is none. */
static size_t find_waiting(const struct kt_tuning *s, size_t index)
{
	size_t at = 0;

	while (at < s->waiting_count && s->waiting[at] != index)
		at++;
	return at;
}

bool kt_tuning_is_waiting(const struct kt_tuning *s, size_t index)
{
	return find_waiting(s, index) < s->waiting_count;
}

size_t kt_tuning_waiting(const struct kt_tuning *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->waiting_count; i++)
		count += s->waiting[i] != FREE;
	return count;
}

kt_status kt_tuning_note_waiting(struct kt_tuning *s, size_t index, struct kt_error *err)
{
	const size_t at = find_waiting(s, FREE);

	if (at == s->waiting_count && kt_arena_push(s->arena, &s->waiting, &s->waiting_count, sizeof *s->waiting) == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "search: out of memory");
	s->waiting[at] = index;
	return KT_OK;
}

void kt_tuning_forget_waiting(struct kt_tuning *s, size_t index)
{
	const size_t at = find_waiting(s, index);

	if (at < s->waiting_count)
		s->waiting[at] = FREE;
}

void kt_tuning_remember_outcome(double *ns, struct kt_tuning *s, size_t index, const struct kt_outcome *outcome)
{
	for (size_t p = 0; p < s->problems; p++) {
		struct kt_trial *trial = &outcome->trials[p];

		if (outcome->screened && trial->verdict == KT_VERDICT_OK)
			trial->detail = KT_TRIAL_SCREENED;
		kt_tuning_remember_trial(s, index, p, trial);
		ns[p] = kt_tuning_trial_ns(s, p, trial, outcome->screened);
	}
	(void)kt_tuning_fill_lost(ns, s, outcome->trials);
}

void kt_tuning_refute(struct kt_tuning *s, size_t index, const struct kt_trial *trial)
{
	size_t configuration;

	kt_objective_fail(s->objective, index);
	for (size_t row = 0; row < s->seen_count && row < kt_objective_rows(s->objective); row++) {
		(void)kt_objective_row(&configuration, s->objective, row);
		if (configuration == index)
			s->seen[row] = *trial;
	}
}

static bool has_row(const struct kt_tuning *s, size_t index)
{
	size_t other;

	for (size_t row = 0; row < kt_objective_rows(s->objective); row++) {
		(void)kt_objective_row(&other, s->objective, row);
		if (other == index)
			return true;
	}
	return false;
}

/* True: an earlier run has measured it, and it counts as tried. */
static bool take_over(kt_status *status, struct kt_tuning *s, size_t index, struct kt_error *err)
{
	double ns[KT_PROBLEMS];
	struct kt_trial seen;
	bool right;

	*status = KT_OK;
	if (!recall(ns, &right, &seen, s, index))
		return false;
	s->trials_left--;
	s->tried++;
	s->recalled++;
	*status = kt_tuning_add_row(s, index, right ? ns : NULL, &seen, err);
	/* An earlier search may have ended before it verified its contenders. */
	if (*status == KT_OK && right && kt_tuning_is_screened(&seen))
		kt_objective_doubt(s->objective, kt_objective_rows(s->objective) - 1, true);
	return true;
}

/* The configurations of a space that trials are of, each once; those that failed a check besides. */
struct remembered {
	struct kt_tuning *s;
	size_t count, *indices;
	size_t refuted_count;
	struct refuted {
		size_t index;
		struct kt_trial trial;
	} *refuted;
	int64_t *values;
	bool failed;
};

/* "BLOCK=256 VEC=8", every parameter with a value of its list; false for anything else. */
static bool read_text(int64_t *values, const struct kt_template *t, const char *text)
{
	size_t found = 0;

	for (size_t i = 0; i < t->parameter_count; i++) {
		const size_t length = strlen(t->parameters[i].name);
		char *end = NULL;

		if (strncmp(text, t->parameters[i].name, length) != 0 || text[length] != '=')
			return false;
		values[i] = strtoll(text + length + 1, &end, 10);
		text = *end == ' ' ? end + 1 : end;
		found++;
	}
	return found != 0 && *text == '\0';
}

static bool is_failure(enum kt_verdict verdict)
{
	return verdict != KT_VERDICT_OK && verdict != KT_VERDICT_SKIPPED;
}

static bool note_refuted(struct remembered *r, size_t index, const struct kt_trial *trial)
{
	struct refuted *slot = kt_arena_push(r->s->arena, &r->refuted, &r->refuted_count, sizeof *slot);

	if (slot != NULL) {
		*slot = (struct refuted){index, *trial};
		slot->trial.detail = trial->detail != NULL ? kt_arena_strdup(r->s->arena, trial->detail) : NULL;
	}
	return slot != NULL;
}

static bool note_remembered(const char *configuration_text, const char *problem_text, const struct kt_trial *trial,
                            void *context)
{
	struct remembered *r = context;
	size_t index, *slot;

	(void)problem_text;
	if (!read_text(r->values, r->s->plan->template_, configuration_text))
		return true;
	index = kt_space_find(r->s->space, r->values);
	if (index == SIZE_MAX)
		return true;
	/* A failed check counts whatever the problems were like. */
	r->failed = is_failure(trial->verdict) && !note_refuted(r, index, trial);
	/* Rows are in the order of their configurations. */
	if (r->failed || (r->count != 0 && r->indices[r->count - 1] == index))
		return !r->failed;
	slot = kt_arena_push(r->s->arena, &r->indices, &r->count, sizeof *slot);
	r->failed = slot == NULL;
	if (slot != NULL)
		*slot = index;
	return !r->failed;
}

kt_status kt_tuning_remembered(struct kt_tuning *s, struct kt_error *err)
{
	struct remembered r = {.s = s};
	kt_status status = KT_OK;

	if (s->plan->store == NULL || s->plan->config->mode == KT_MODE_RETUNE)
		return KT_OK;
	NEED(r.values = kt_arena_array(s->arena, s->plan->template_->parameter_count + 1, sizeof *r.values),
	     kt_fail(err, KT_ERR_MEMORY, "search: out of memory"));
	if (kt_store_each_trial(s->plan->store, s->trial_key, s->device_key, note_remembered, &r, err) != KT_OK)
		kt_log("%s: what was measured before cannot be read: %s", s->instance->name, err->message);
	if (r.failed)
		return kt_fail(err, KT_ERR_MEMORY, "search: out of memory");
	for (size_t i = 0; i < r.count && status == KT_OK && s->trials_left > 0; i++)
		if (!kt_tuning_is_waiting(s, r.indices[i]) && !has_row(s, r.indices[i]))
			(void)take_over(&status, s, r.indices[i], err);
	for (size_t i = 0; i < r.refuted_count && status == KT_OK; i++)
		kt_tuning_refute(s, r.refuted[i].index, &r.refuted[i].trial);
	return status;
}

kt_status kt_tuning_ask_for(struct kt_tuning *s, size_t index, struct kt_error *err)
{
	kt_status status = KT_OK;

	/* A strategy that was told of nothing yet may ask for what is known. */
	if (s->recalled != 0 && has_row(s, index))
		return KT_OK;
	if (take_over(&status, s, index, err))
		return status;
	s->trials_left--;
	TRY(kt_tuning_note_waiting(s, index, err));
	return kt_batch_add(s->batch, index + 1, configuration(s, index), err);
}
