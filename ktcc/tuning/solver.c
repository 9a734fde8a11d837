#include "tuning/solver.h"

#include <stdlib.h>
#include <string.h>

enum verdict { REJECTED, HOLDS, UNDECIDED };

struct rule {
	struct kt_term term;
	size_t depth; /* number of assigned parameters from which on it can be checked */
};

struct kt_solver {
	const struct kt_term_space *space;
	size_t rule_count, guard_count;
	struct rule *rules; /* ascending by depth, then by number of parameters */
	struct kt_term **guards;
	uint8_t order[KT_PARAMETERS];         /* parameters as they are assigned */
	size_t first_rule[KT_PARAMETERS + 2]; /* of each depth, in rules */
};

/* What speaks for assigning a parameter next; compared from the first field on. */
struct appeal {
	bool decided;     /* one value only */
	size_t completed; /* restrictions it completes */
	size_t connected; /* restrictions it shares with assigned parameters */
	size_t degree;    /* restrictions that name it */
	size_t fewness;
};

static struct appeal appeal_of(const struct kt_solver *solver, size_t parameter, const bool *assigned)
{
	const size_t count = solver->space->domains[parameter].count;
	struct appeal appeal = {count <= 1, 0, 0, 0, SIZE_MAX - count};

	for (size_t r = 0; r < solver->rule_count; r++) {
		const struct kt_term *term = &solver->rules[r].term;
		size_t known = 0;

		if (!kt_term_names(term, parameter))
			continue;
		for (size_t i = 0; i < term->parameter_count; i++)
			known += assigned[term->parameters[i]];
		appeal.degree++;
		appeal.connected += known > 0;
		appeal.completed += known + 1 == term->parameter_count;
	}
	return appeal;
}

static bool appeals_more(const struct appeal *a, const struct appeal *b)
{
	if (a->decided != b->decided)
		return a->decided;
	if (a->completed != b->completed)
		return a->completed > b->completed;
	if (a->connected != b->connected)
		return a->connected > b->connected;
	if (a->degree != b->degree)
		return a->degree > b->degree;
	return a->fewness > b->fewness;
}

static void choose_order(struct kt_solver *solver)
{
	bool assigned[KT_PARAMETERS] = {false};

	for (size_t depth = 0; depth < solver->space->dimensions; depth++) {
		struct appeal best = {0};
		size_t chosen = SIZE_MAX;

		for (size_t p = 0; p < solver->space->dimensions; p++) {
			if (assigned[p])
				continue;
			const struct appeal appeal = appeal_of(solver, p, assigned);
			if (chosen == SIZE_MAX || appeals_more(&appeal, &best)) {
				best = appeal;
				chosen = p;
			}
		}
		assigned[chosen] = true;
		solver->order[depth] = (uint8_t)chosen;
	}
}

static int compare_rules(const void *left, const void *right)
{
	const struct rule *a = left, *b = right;

	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	if (a->term.parameter_count != b->term.parameter_count)
		return a->term.parameter_count < b->term.parameter_count ? -1 : 1;
	return (a->term.clause > b->term.clause) - (a->term.clause < b->term.clause);
}

static void place_rules(struct kt_solver *solver)
{
	const size_t dimensions = solver->space->dimensions;
	size_t next = 0;

	for (size_t r = 0; r < solver->rule_count; r++) {
		for (size_t depth = 0; depth < dimensions; depth++)
			if (kt_term_names(&solver->rules[r].term, solver->order[depth]))
				solver->rules[r].depth = depth + 1;
	}
	if (solver->rule_count > 0)
		qsort(solver->rules, solver->rule_count, sizeof *solver->rules, compare_rules);
	for (size_t depth = 0; depth <= dimensions; depth++) {
		while (next < solver->rule_count && solver->rules[next].depth < depth)
			next++;
		solver->first_rule[depth] = next;
	}
	solver->first_rule[dimensions + 1] = solver->rule_count;
}

kt_status kt_solver_open(struct kt_solver **out, const struct kt_term_space *space,
			 const struct kt_clause_expr *restrictions, size_t count, struct kt_error *err)
{
	struct kt_solver *solver = calloc(1, sizeof *solver);
	kt_status status = KT_OK;

	if (solver == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a solver");
	solver->space = space;
	solver->rules = calloc(count + 1, sizeof *solver->rules);
	solver->guards = calloc(count + 1, sizeof(struct kt_term *));
	if (solver->rules == NULL || solver->guards == NULL) {
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu restrictions", count);
		goto done;
	}
	for (size_t i = 0; i < count; i++) {
		struct kt_term *term = &solver->rules[solver->rule_count].term;

		status = kt_term_bind(term, space, &restrictions[i], "restriction", err);
		if (status != KT_OK || (term->needs_device && space->device == NULL))
			kt_term_free(term);
		else
			solver->rule_count++;
		if (status != KT_OK)
			goto done;
	}
	choose_order(solver);
	place_rules(solver);
	for (size_t r = 0; r < solver->rule_count; r++)
		if (solver->rules[r].term.per_problem)
			solver->guards[solver->guard_count++] = &solver->rules[r].term;
done:
	if (status == KT_OK)
		*out = solver;
	else
		kt_solver_close(solver);
	return status;
}

void kt_solver_close(struct kt_solver *solver)
{
	if (solver == NULL)
		return;
	for (size_t r = 0; r < solver->rule_count; r++)
		kt_term_free(&solver->rules[r].term);
	free(solver->rules);
	free(solver->guards);
	free(solver);
}

size_t kt_solver_guards(struct kt_term ***out, const struct kt_solver *solver)
{
	*out = solver->guards;
	return solver->guard_count;
}

static enum verdict judge(struct kt_term *term, const uint16_t *row)
{
	const size_t rounds = term->per_problem ? term->space->problem_count : 1;
	enum verdict verdict = REJECTED;
	int64_t value;

	for (size_t problem = 0; problem < rounds; problem++) {
		if (!kt_term_value(&value, term, row, problem))
			verdict = UNDECIDED;
		else if (value != 0)
			return HOLDS;
	}
	return verdict;
}

/*
 * Checks the rules of one depth. A rule that does not evaluate is kept aside:
 * only when nothing else rejects the row is it an error, so that the result
 * does not depend on the order in which rules are looked at.
 */
static bool check(struct kt_solver *solver, size_t depth, const uint16_t *row, struct kt_term **undecided)
{
	for (size_t r = solver->first_rule[depth]; r < solver->first_rule[depth + 1]; r++) {
		const enum verdict verdict = judge(&solver->rules[r].term, row);

		if (verdict == REJECTED)
			return false;
		if (verdict == UNDECIDED && *undecided == NULL)
			*undecided = &solver->rules[r].term;
	}
	return true;
}

static kt_status explain(struct kt_term *term, const uint16_t *row, struct kt_error *err)
{
	int64_t value;
	size_t problem = 0;

	while (problem + 1 < term->space->problem_count && kt_term_value(&value, term, row, problem))
		problem++;
	return kt_term_explain(term, row, problem, "restriction", err);
}

kt_status kt_solver_run(struct kt_solver *solver, kt_solver_found found, void *context, struct kt_error *err)
{
	const size_t dimensions = solver->space->dimensions;
	struct kt_term *undecided[KT_PARAMETERS + 1] = {NULL};
	size_t cursor[KT_PARAMETERS] = {0}, depth = 0;
	uint16_t row[KT_PARAMETERS] = {0};
	uint64_t steps = 0;

	if (!check(solver, 0, row, &undecided[0]))
		return KT_OK;
	if (dimensions == 0)
		return undecided[0] != NULL ? explain(undecided[0], row, err) : found(row, context, err);
	for (;;) {
		const size_t parameter = solver->order[depth];

		if (cursor[depth] == solver->space->domains[parameter].count) {
			if (depth == 0)
				return KT_OK;
			depth--;
			continue;
		}
		if (++steps > KT_SOLVER_STEPS)
			return kt_fail(err, KT_ERR_LIMIT, "the space was not enumerated within %llu steps",
				       (unsigned long long)KT_SOLVER_STEPS);
		row[parameter] = (uint16_t)cursor[depth]++;
		undecided[depth + 1] = undecided[depth];
		if (!check(solver, depth + 1, row, &undecided[depth + 1]))
			continue;
		if (depth + 1 < dimensions) {
			cursor[++depth] = 0;
			continue;
		}
		if (undecided[dimensions] != NULL)
			return explain(undecided[dimensions], row, err);
		kt_status status = found(row, context, err);
		if (status != KT_OK)
			return status;
	}
}
