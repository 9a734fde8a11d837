#include "tuning/feasible.h"

#include <stdlib.h>

struct kt_feasible {
	const struct kt_term_space *space;
	size_t guard_count, also_count, grid_count, block_count, shared_count;
	struct kt_term *guards;
	struct kt_term **also_guards;
	struct kt_term grid[3], block[3], shared;
	bool per_problem; /* guards or geometry differ from problem to problem */
};

const char *kt_refusal_name(enum kt_refusal refusal)
{
	static const char *const names[] = {
#define KT_REFUSAL_ROW(id, name) name,
	    KT_REFUSALS(KT_REFUSAL_ROW)
#undef KT_REFUSAL_ROW
	};
	return (size_t)refusal < KT_REFUSAL_COUNT ? names[refusal] : "";
}

/* Counts a term only once it is bound, so that closing frees exactly what there is. */
static kt_status bind_all(struct kt_feasible *feasible, struct kt_term *terms, size_t *bound,
			  const struct kt_clause_expr *clauses, size_t count, const char *what, struct kt_error *err)
{
	for (size_t i = 0; i < count; i++) {
		kt_status status = kt_term_bind(&terms[i], feasible->space, &clauses[i], what, err);

		(*bound)++;
		if (status != KT_OK)
			return status;
		feasible->per_problem = feasible->per_problem || terms[i].per_problem;
	}
	return KT_OK;
}

kt_status kt_feasible_open(struct kt_feasible **out, const struct kt_template *template_,
			   const struct kt_term_space *space, struct kt_term **also_guards, size_t also_count,
			   struct kt_error *err)
{
	struct kt_feasible *feasible = calloc(1, sizeof *feasible);
	kt_status status;

	if (feasible == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for device limits");
	feasible->space = space;
	feasible->also_guards = also_guards;
	feasible->also_count = also_count;
	feasible->per_problem = also_count > 0;
	if (template_->guard_count > 0) {
		feasible->guards = calloc(template_->guard_count, sizeof *feasible->guards);
		if (feasible->guards == NULL) {
			status = kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu guards", template_->guard_count);
			goto done;
		}
	}
	if (template_->grid_count > 3 || template_->block_count > 3) {
		status = kt_fail(err, KT_ERR_INVALID, "a launch has at most three dimensions");
		goto done;
	}
	status = bind_all(feasible, feasible->guards, &feasible->guard_count, template_->guards, template_->guard_count,
			  "guard", err);
	if (status == KT_OK)
		status = bind_all(feasible, feasible->grid, &feasible->grid_count, template_->grid,
				  template_->grid_count, "grid", err);
	if (status == KT_OK)
		status = bind_all(feasible, feasible->block, &feasible->block_count, template_->block,
				  template_->block_count, "block", err);
	if (status == KT_OK && template_->shared_bytes.expr != NULL)
		status = bind_all(feasible, &feasible->shared, &feasible->shared_count, &template_->shared_bytes, 1,
				  "smem", err);
done:
	if (status == KT_OK)
		*out = feasible;
	else
		kt_feasible_close(feasible);
	return status;
}

void kt_feasible_close(struct kt_feasible *feasible)
{
	if (feasible == NULL)
		return;
	for (size_t i = 0; i < feasible->guard_count; i++)
		kt_term_free(&feasible->guards[i]);
	for (size_t i = 0; i < 3; i++) {
		kt_term_free(&feasible->grid[i]);
		kt_term_free(&feasible->block[i]);
	}
	kt_term_free(&feasible->shared);
	free(feasible->guards);
	free(feasible);
}

static bool holds(struct kt_term *term, const uint16_t *row, size_t problem)
{
	int64_t value;

	return kt_term_value(&value, term, row, problem) && value != 0;
}

/* A guard that cannot be evaluated turns its launch away, as it would at run time. */
static bool guards_hold(struct kt_feasible *feasible, const uint16_t *row, size_t problem)
{
	for (size_t i = 0; i < feasible->guard_count; i++)
		if (!holds(&feasible->guards[i], row, problem))
			return false;
	for (size_t i = 0; i < feasible->also_count; i++)
		if (!holds(feasible->also_guards[i], row, problem))
			return false;
	return true;
}

/* Checks each dimension against its limit and multiplies them up; limits that the record lacks (0) allow everything. */
static enum kt_refusal judge_extent(int64_t *product, struct kt_term *terms, size_t count, const int64_t limits[3],
				    const uint16_t *row, size_t problem, enum kt_refusal empty, enum kt_refusal over)
{
	int64_t values[3];

	*product = 1;
	for (size_t i = 0; i < count; i++)
		if (!kt_term_value(&values[i], &terms[i], row, problem))
			return KT_REFUSAL_GEOMETRY;
	for (size_t i = 0; i < count; i++)
		if (values[i] < 1)
			return empty;
	for (size_t i = 0; i < count; i++) {
		if (limits[i] > 0 && values[i] > limits[i])
			return over;
		if (__builtin_mul_overflow(*product, values[i], product))
			*product = INT64_MAX;
	}
	return KT_REFUSAL_NONE;
}

static enum kt_refusal judge_problem(struct kt_feasible *feasible, const uint16_t *row, size_t problem)
{
	const struct kt_device *device = feasible->space->device;
	const int64_t shared_most = device->shared_bytes_per_block_optin > device->shared_bytes_per_block
					? device->shared_bytes_per_block_optin
					: device->shared_bytes_per_block;
	int64_t threads, blocks, shared_bytes;
	enum kt_refusal refusal;

	refusal = judge_extent(&threads, feasible->block, feasible->block_count, device->max_block, row, problem,
			       KT_REFUSAL_BLOCK_EMPTY, KT_REFUSAL_BLOCK);
	if (refusal != KT_REFUSAL_NONE)
		return refusal;
	if (device->max_threads_per_block > 0 && threads > device->max_threads_per_block)
		return KT_REFUSAL_THREADS;
	refusal = judge_extent(&blocks, feasible->grid, feasible->grid_count, device->max_grid, row, problem,
			       KT_REFUSAL_GRID_EMPTY, KT_REFUSAL_GRID);
	if (refusal != KT_REFUSAL_NONE || feasible->shared_count == 0)
		return refusal;
	if (!kt_term_value(&shared_bytes, &feasible->shared, row, problem))
		return KT_REFUSAL_GEOMETRY;
	if (shared_bytes < 0 || (shared_most > 0 && shared_bytes > shared_most))
		return KT_REFUSAL_SHARED_MEMORY;
	return KT_REFUSAL_NONE;
}

enum kt_refusal kt_feasible_judge(struct kt_feasible *feasible, const uint16_t *row)
{
	const size_t rounds = feasible->per_problem ? feasible->space->problem_count : 1;
	bool any = false;

	for (size_t problem = 0; problem < rounds; problem++) {
		if (!guards_hold(feasible, row, problem))
			continue;
		any = true;
		const enum kt_refusal refusal = judge_problem(feasible, row, problem);
		if (refusal != KT_REFUSAL_NONE)
			return refusal;
	}
	return any ? KT_REFUSAL_NONE : KT_REFUSAL_GUARDS;
}
