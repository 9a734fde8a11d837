#include "tuning/term.h"

#include <stdlib.h>
#include <string.h>

enum { STATE_UNKNOWN, STATE_VALUE, STATE_FAILED };

struct binding {
	struct kt_term *term;
	struct kt_scope outer;
	const char *unknown;
};

struct evaluation {
	const struct kt_term *term;
	const uint16_t *row;
	struct kt_scope outer;
};

static const int64_t *problem_row(const struct kt_region *region, size_t problem)
{
	if (region->problem_count == 0 || region->variable_count == 0)
		return NULL;
	return region->problems + problem * region->variable_count;
}

static bool is_variable(const struct kt_region *region, const char *name)
{
	for (size_t i = 0; i < region->variable_count; i++)
		if (strcmp(region->variables[i], name) == 0)
			return true;
	return false;
}

static bool find_parameter(size_t *out, const struct kt_term_space *space, const char *name)
{
	for (size_t i = 0; i < space->dimensions; i++) {
		if (strcmp(space->domains[i].name, name) == 0) {
			*out = i;
			return true;
		}
	}
	return false;
}

bool kt_term_names(const struct kt_term *term, size_t parameter)
{
	for (size_t i = 0; i < term->parameter_count; i++)
		if (term->parameters[i] == parameter)
			return true;
	return false;
}

static bool bind_name(const char *name, unsigned offset, bool pointer, void *context)
{
	struct binding *binding = context;
	struct kt_term *term = binding->term;
	size_t parameter;
	int64_t value;

	(void)offset;
	if (pointer)
		return true;
	if (find_parameter(&parameter, term->space, name)) {
		if (!kt_term_names(term, parameter))
			term->parameters[term->parameter_count++] = (uint8_t)parameter;
		return true;
	}
	if (strncmp(name, "device.", 7) == 0) {
		term->needs_device = true;
		if (term->space->device == NULL)
			return true;
	}
	if (is_variable(term->space->region, name))
		term->per_problem = true;
	if (kt_scope_lookup(&value, name, &binding->outer))
		return true;
	binding->unknown = name;
	return false;
}

/* Strides of a mixed-radix number over the term's own parameters; a memo only where that number stays small. */
static kt_status allocate_memo(struct kt_term *term, struct kt_error *err)
{
	const size_t rounds = term->per_problem ? term->space->problem_count : 1;
	size_t combinations = 1;

	for (size_t i = 0; i < term->parameter_count; i++) {
		const size_t count = term->space->domains[term->parameters[i]].count;

		term->strides[i] = combinations;
		if (count == 0 || combinations > KT_TERM_MEMO / count)
			return KT_OK;
		combinations *= count;
	}
	if (rounds == 0 || combinations > KT_TERM_MEMO / rounds)
		return KT_OK;
	term->values = calloc(combinations * rounds, sizeof *term->values);
	term->states = calloc(combinations * rounds, 1);
	if (term->values == NULL || term->states == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu values of an expression",
			       combinations * rounds);
	term->combinations = combinations;
	return KT_OK;
}

kt_status kt_term_bind(struct kt_term *term, const struct kt_term_space *space, const struct kt_clause_expr *clause,
		       const char *what, struct kt_error *err)
{
	struct binding binding = {term, {space->region, NULL, problem_row(space->region, 0), space->device}, NULL};

	memset(term, 0, sizeof *term);
	term->space = space;
	term->clause = clause;
	if (clause->expr == NULL)
		return kt_fail(err, KT_ERR_INVALID, "%s is empty", what);
	if (!kt_expr_names(clause->expr, bind_name, &binding) && binding.unknown != NULL)
		return kt_fail(err, KT_ERR_INVALID, "%s '%.200s': unknown name '%.80s'", what, clause->text,
			       binding.unknown);
	return allocate_memo(term, err);
}

void kt_term_free(struct kt_term *term)
{
	free(term->values);
	free(term->states);
	term->values = NULL;
	term->states = NULL;
}

static bool lookup(int64_t *value, const char *name, void *context)
{
	struct evaluation *evaluation = context;
	const struct kt_term *term = evaluation->term;

	for (size_t i = 0; i < term->parameter_count; i++) {
		const size_t parameter = term->parameters[i];
		const struct kt_domain *domain = &term->space->domains[parameter];

		if (strcmp(domain->name, name) == 0) {
			*value = domain->values[evaluation->row[parameter]];
			return true;
		}
	}
	return kt_scope_lookup(value, name, &evaluation->outer);
}

static kt_status evaluate(int64_t *out, const struct kt_term *term, const uint16_t *row, size_t problem,
			  struct kt_error *err)
{
	const struct kt_term_space *space = term->space;
	struct evaluation evaluation = {
	    term, row, {space->region, NULL, problem_row(space->region, problem), space->device}};

	return kt_expr_eval(out, term->clause->expr, lookup, &evaluation, err);
}

bool kt_term_value(int64_t *out, struct kt_term *term, const uint16_t *row, size_t problem)
{
	struct kt_error ignored;
	size_t at = 0;

	if (term->combinations == 0)
		return evaluate(out, term, row, problem, &ignored) == KT_OK;
	for (size_t i = 0; i < term->parameter_count; i++)
		at += term->strides[i] * row[term->parameters[i]];
	if (term->per_problem)
		at += problem * term->combinations;
	if (term->states[at] == STATE_UNKNOWN)
		term->states[at] =
		    evaluate(&term->values[at], term, row, problem, &ignored) == KT_OK ? STATE_VALUE : STATE_FAILED;
	*out = term->values[at];
	return term->states[at] == STATE_VALUE;
}

kt_status kt_term_explain(const struct kt_term *term, const uint16_t *row, size_t problem, const char *what,
			  struct kt_error *err)
{
	struct kt_buf where = KT_BUF(512);
	int64_t value;

	if (evaluate(&value, term, row, problem, err) == KT_OK)
		return kt_fail(err, KT_ERR_INVALID, "%s '%.200s' evaluates", what, term->clause->text);
	for (size_t i = 0; i < term->parameter_count; i++) {
		const struct kt_domain *domain = &term->space->domains[term->parameters[i]];

		kt_buf_addf(&where, " %s=%lld", domain->name, (long long)domain->values[row[term->parameters[i]]]);
	}
	kt_fail_prefix(err, "%s '%.200s'%s%s", what, term->clause->text, where.size > 0 ? " at" : "",
		       kt_buf_text(&where));
	kt_buf_free(&where);
	return err->code = KT_ERR_INVALID;
}
