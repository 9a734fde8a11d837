#include "planning/knowledge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Spaces of other kernels that are looked at, by their parameters alone; rows of one space that are read. */
enum { OTHERS_MOST = 64, ROWS_MOST = 8192 };
#define ARENA_BYTES ((size_t)64 << 20)

/* The least part of the parameters that another kernel has to have for its trials to be read: fewer predict little. */
static const double alike_least = 0.5;

/* One space of the store. */
struct candidate {
	const char *trial_key, *device_key;
	bool is_same_kernel, is_own;
	size_t column_count, alike; /* alike: parameters of the subject whose name or kind it has */
	struct kt_prior_column *columns;
	const char *label;
};

struct reader {
	struct kt_arena *arena;
	const struct kt_knowledge_subject *subject;
	const struct kt_prior_column *own; /* the subject's */
	size_t own_count;
	bool others, failed;
	size_t count;
	struct candidate *candidates;
};

static struct kt_prior_column *own_columns(struct kt_arena *arena, const struct kt_template *template_)
{
	struct kt_prior_column *columns = kt_arena_array(arena, template_->parameter_count + 1, sizeof *columns);

	for (size_t i = 0; columns != NULL && i < template_->parameter_count; i++)
		columns[i] = (struct kt_prior_column){template_->parameters[i].name, kt_kind_of(template_, i)};
	return columns;
}

/* "NAME:KIND NAME:KIND"; false where it is none. */
static bool read_columns(struct candidate *out, struct kt_arena *arena, const char *text)
{
	char *copy = kt_arena_strdup(arena, text), *rest = NULL;

	for (char *word = copy == NULL ? NULL : strtok_r(copy, " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest)) {
		char *colon = strchr(word, ':');
		struct kt_prior_column *column;

		if (colon == NULL || colon == word || out->column_count == KT_PARAMETERS)
			return false;
		NEED(column = kt_arena_push(arena, &out->columns, &out->column_count, sizeof *column), false);
		*colon = '\0';
		*column = (struct kt_prior_column){word, kt_kind_from_name(colon + 1)};
	}
	return out->column_count != 0;
}

static size_t count_alike(const struct reader *r, const struct candidate *candidate)
{
	size_t alike = 0;

	for (size_t i = 0; i < r->own_count; i++)
		for (size_t c = 0; c < candidate->column_count; c++)
			if (strcmp(r->own[i].name, candidate->columns[c].name) == 0 ||
			    (r->own[i].kind != KT_KIND_OTHER && r->own[i].kind == candidate->columns[c].kind)) {
				alike++;
				break;
			}
	return alike;
}

static bool take_subject(const struct kt_trial_subject *subject, void *context)
{
	struct reader *r = context;
	struct candidate candidate = {.is_same_kernel = !r->others}, *slot;

	candidate.is_own = strcmp(subject->trial_key, r->subject->trial_key) == 0 &&
	                   strcmp(subject->device_key, r->subject->device_key) == 0;
	if (!read_columns(&candidate, r->arena, subject->parameters))
		return true;
	candidate.alike = count_alike(r, &candidate);
	if ((double)candidate.alike < (r->others ? alike_least * (double)r->own_count : 1))
		return true;
	candidate.trial_key = kt_arena_strdup(r->arena, subject->trial_key);
	candidate.device_key = kt_arena_strdup(r->arena, subject->device_key);
	candidate.label = kt_arena_printf(r->arena, "%s%s", subject->instance,
	                                  strcmp(subject->device_key, r->subject->device_key) == 0 ? ""
	                                                                                           : " on another device");
	slot = kt_arena_push(r->arena, &r->candidates, &r->count, sizeof *slot);
	r->failed = slot == NULL || candidate.trial_key == NULL || candidate.device_key == NULL || candidate.label == NULL;
	if (slot != NULL)
		*slot = candidate;
	return !r->failed;
}

/* The same kernel first, then the most alike; else in the order in which they were used last. */
static void sort(struct reader *r)
{
	for (size_t i = 1; i < r->count; i++) {
		const struct candidate moved = r->candidates[i];
		size_t at = i;

		for (; at > 0; at--) {
			const struct candidate *before = &r->candidates[at - 1];

			if (before->is_same_kernel > moved.is_same_kernel ||
			    (before->is_same_kernel == moved.is_same_kernel && before->alike >= moved.alike))
				break;
			r->candidates[at] = *before;
		}
		r->candidates[at] = moved;
	}
}

/* The trials of a space become rows: of each configuration the mean over the problems of the logarithm of its time by the
 * least of all on that problem. */
struct gathering {
	struct kt_arena *arena;
	const struct candidate *of;
	size_t count, problem_count; /* of measurements; of problems */
	struct measurement {
		const char *configuration; /* the same pointer for all of one */
		size_t problem;
		double ns;                 /* INFINITY: it failed */
	} *measurements;
	struct problem {
		const char *text;
		double least_ns;
	} *problems;
	bool failed;
};

/* Of a first look as well; what was skipped for its time on another problem tells nothing here. */
static double time_of(const struct kt_trial *trial)
{
	if (trial->verdict == KT_VERDICT_SKIPPED)
		return NAN;
	return trial->verdict == KT_VERDICT_OK && trial->timing.median_ns > 0 ? trial->timing.median_ns : (double)INFINITY;
}

static bool take_trial(const char *configuration, const char *problem, const struct kt_trial *trial, void *context)
{
	struct gathering *g = context;
	const double ns = time_of(trial);
	struct measurement *slot;
	size_t at = 0;

	if (isnan(ns))
		return true;
	for (; at < g->problem_count && strcmp(g->problems[at].text, problem) != 0; at++)
		continue;
	if (at == g->problem_count) {
		struct problem *new = kt_arena_push(g->arena, &g->problems, &g->problem_count, sizeof *new);
		char *text = kt_arena_strdup(g->arena, problem);

		g->failed = new == NULL || text == NULL;
		if (g->failed)
			return false;
		*new = (struct problem){text, (double)INFINITY};
	}
	g->problems[at].least_ns = fmin(g->problems[at].least_ns, ns);
	slot = kt_arena_push(g->arena, &g->measurements, &g->count, sizeof *slot);
	g->failed = slot == NULL;
	if (g->failed)
		return false;
	*slot = (struct measurement){NULL, at, ns};
	if (g->count > 1 && strcmp(g->measurements[g->count - 2].configuration, configuration) == 0)
		slot->configuration = g->measurements[g->count - 2].configuration;
	else
		slot->configuration = kt_arena_strdup(g->arena, configuration);
	g->failed = slot->configuration == NULL;
	return !g->failed && g->count < ROWS_MOST;
}

/* "BLOCK=256 VEC=8", each column once, in any order. */
static bool read_values(int64_t *values, const struct candidate *of, const char *text)
{
	bool seen[KT_PARAMETERS] = {false};
	size_t found = 0;

	while (*text != '\0') {
		const size_t length = strcspn(text, "=");
		size_t c = 0;
		char *end;

		while (c < of->column_count &&
		       (strlen(of->columns[c].name) != length || strncmp(of->columns[c].name, text, length) != 0))
			c++;
		if (text[length] != '=' || c == of->column_count || seen[c])
			return false;
		values[c] = strtoll(text + length + 1, &end, 10);
		if (end == text + length + 1 || (*end != ' ' && *end != '\0'))
			return false;
		seen[c] = true;
		found++;
		text = *end == ' ' ? end + 1 : end;
	}
	return found == of->column_count;
}

/* Measurements of one configuration, from `at` on, are one row; returns where the next one begins. */
static size_t add_row(struct kt_prior_source *out, int64_t *values, double *costs, const struct gathering *g, size_t at)
{
	const char *configuration = g->measurements[at].configuration;
	double sum = 0;
	size_t next = at;

	for (; next < g->count && g->measurements[next].configuration == configuration; next++)
		sum += log(g->measurements[next].ns / g->problems[g->measurements[next].problem].least_ns);
	if (read_values(values + out->row_count * out->column_count, g->of, configuration))
		costs[out->row_count++] = exp(sum / (double)(next - at));
	return next;
}

/* Has it trials of all problems of the subject? */
static bool knows_all(const struct gathering *g, const struct kt_knowledge_subject *subject)
{
	size_t known = 0;

	for (size_t p = 0; p < subject->problem_count; p++)
		for (size_t i = 0; i < g->problem_count; i++)
			known += strcmp(g->problems[i].text, subject->problems[p]) == 0;
	return known == subject->problem_count;
}

static kt_status make_source(struct kt_prior_source *out, struct reader *r, struct kt_store *store,
                             const struct candidate *of, struct kt_error *err)
{
	struct kt_arena *arena = r->arena;
	struct gathering g = {.arena = arena, .of = of};
	kt_status status = kt_store_each_trial(store, of->trial_key, of->device_key, take_trial, &g, err);
	int64_t *values = kt_arena_array(arena, g.count * of->column_count + 1, sizeof *values);
	double *costs = kt_arena_array(arena, g.count + 1, sizeof *costs);

	if (status == KT_OK && (g.failed || values == NULL || costs == NULL))
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for what earlier tunings found");
	*out = (struct kt_prior_source){of->label, of->is_same_kernel, of->column_count, 0, of->columns, values, costs};
	/* The search is told of them. */
	if (of->is_own && knows_all(&g, r->subject))
		return status;
	for (size_t at = 0; status == KT_OK && at < g.count;)
		at = add_row(out, values, costs, &g, at);
	return status;
}

static kt_status read_sources(struct kt_prior **out, struct reader *r, struct kt_store *store,
                              const struct kt_space *space, struct kt_error *err)
{
	struct kt_prior_source sources[KT_PRIOR_SOURCES];
	size_t count = 0;
	kt_status status = KT_OK;

	for (size_t i = 0; status == KT_OK && i < r->count && count < KT_PRIOR_SOURCES; i++) {
		status = make_source(&sources[count], r, store, &r->candidates[i], err);
		/* A space that was noted and never measured takes no place. */
		count += status == KT_OK && sources[count].row_count != 0;
	}
	return status == KT_OK ? kt_prior_open(out, space, r->own, sources, count, err) : status;
}

kt_status kt_knowledge_open(struct kt_prior **out, struct kt_store *store, const struct kt_knowledge_subject *subject,
                            const struct kt_space *space, struct kt_error *err)
{
	struct reader r = {.arena = kt_arena_new(ARENA_BYTES), .subject = subject,
	                   .own_count = subject->template_->parameter_count};
	const char *kernel = subject->template_->region->qualified;
	kt_status status = KT_OK;

	*out = NULL;
	r.own = r.arena == NULL ? NULL : own_columns(r.arena, subject->template_);
	r.failed = r.own == NULL;
	for (int others = 0; status == KT_OK && others < 2 && !r.failed; others++) {
		r.others = others != 0;
		status = kt_store_each_subject(store, kernel, r.others, OTHERS_MOST, take_subject, &r, err);
	}
	if (status == KT_OK && r.failed)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for what earlier tunings found");
	sort(&r);
	THEN(status, read_sources(out, &r, store, space, err));
	kt_arena_free(r.arena);
	return status;
}

kt_status kt_knowledge_note(struct kt_store *store, const struct kt_knowledge_subject *subject, struct kt_error *err)
{
	const struct kt_template *template_ = subject->template_;
	struct kt_buf parameters = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_status status;

	for (size_t i = 0; i < template_->parameter_count; i++)
		kt_buf_addf(&parameters, "%s%s:%s", i == 0 ? "" : " ", template_->parameters[i].name,
		            kt_kind_name(kt_kind_of(template_, i)));
	status = kt_store_put_subject(store, &(struct kt_trial_subject){subject->trial_key, subject->device_key,
	                                                                template_->region->qualified, subject->instance->name,
	                                                                kt_buf_text(&parameters)}, err);
	kt_buf_free(&parameters);
	return status;
}
