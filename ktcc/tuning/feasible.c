#include "tuning/feasible.h"

struct builder {
	const struct kt_bind *bind;
	struct kt_graph *graph;
	const struct kt_template *template_;
	const struct kt_clause_expr *const *also_guards;
	size_t also_count;
	struct kt_error *err;
};

static const struct {
	const char *name, *text;
} refusals[] = {
#define KT_REFUSAL_ROW(id, name, text) {name, text},
    KT_REFUSALS(KT_REFUSAL_ROW)
#undef KT_REFUSAL_ROW
};

const char *kt_refusal_name(enum kt_refusal refusal)
{
	return (size_t)refusal < KT_REFUSAL_COUNT ? refusals[refusal].name : "";
}

const char *kt_refusal_text(enum kt_refusal refusal)
{
	return (size_t)refusal < KT_REFUSAL_COUNT ? refusals[refusal].text : "";
}

static kt_node make(struct builder *b, enum kt_node_op op, kt_node first, kt_node second)
{
	return kt_graph_make(b->graph, op, first, second, KT_NODE_NONE);
}

static kt_node number(struct builder *b, int64_t value)
{
	return kt_graph_integer(b->graph, value);
}

/* `refusal` where the condition holds, else `otherwise`. */
static kt_node refuse(struct builder *b, kt_node condition, enum kt_refusal refusal, kt_node otherwise)
{
	return kt_graph_make(b->graph, KT_NODE_CHOOSE, condition, number(b, (int64_t)refusal), otherwise);
}

static kt_status bind_all(kt_node *out, struct builder *b, const struct kt_clause_expr *clauses, size_t count,
			  size_t problem)
{
	for (size_t i = 0; i < count; i++)
		TRY(kt_bind_expr(&out[i], b->bind, &clauses[i], problem, b->err));
	return KT_OK;
}

/* Do all guards hold on this problem? */
static kt_status guards_hold(kt_node *out, struct builder *b, size_t problem)
{
	kt_node guard, all = number(b, 1);

	for (size_t i = 0; i < b->template_->guard_count + b->also_count; i++) {
		const struct kt_clause_expr *clause = i < b->template_->guard_count
							  ? &b->template_->guards[i]
							  : b->also_guards[i - b->template_->guard_count];

		TRY(kt_bind_expr(&guard, b->bind, clause, problem, b->err));
		all = make(b, KT_NODE_AND, all, make(b, KT_NODE_HOLDS, guard, KT_NODE_NONE));
	}
	*out = all;
	return KT_OK;
}

/* Value over limit; a product that overflows is over every limit. */
static kt_node over(struct builder *b, kt_node value, int64_t limit)
{
	const kt_node more = make(b, KT_NODE_LESS, number(b, limit), value);

	return make(b, KT_NODE_OR, make(b, KT_NODE_FAILS, value, KT_NODE_NONE), more);
}

/* The checks of one extent, from the last to the first, in front of `otherwise`. */
static kt_node judge_extent(struct builder *b, const kt_node *values, size_t count, const int64_t limits[3],
			    enum kt_refusal empty, enum kt_refusal too_large, kt_node otherwise)
{
	for (size_t i = count; i-- > 0;)
		if (limits[i] > 0)
			otherwise = refuse(b, over(b, values[i], limits[i]), too_large, otherwise);
	for (size_t i = count; i-- > 0;)
		otherwise = refuse(b, make(b, KT_NODE_LESS, values[i], number(b, 1)), empty, otherwise);
	for (size_t i = count; i-- > 0;)
		otherwise = refuse(b, make(b, KT_NODE_FAILS, values[i], KT_NODE_NONE), KT_REFUSAL_GEOMETRY, otherwise);
	return otherwise;
}

static kt_node judge_shared(struct builder *b, kt_node bytes)
{
	const struct kt_device *device = b->bind->device;
	const int64_t most = device->shared_bytes_per_block_optin > device->shared_bytes_per_block
				 ? device->shared_bytes_per_block_optin : device->shared_bytes_per_block;
	kt_node verdict = number(b, KT_REFUSAL_NONE);

	if (most > 0)
		verdict = refuse(b, over(b, bytes, most), KT_REFUSAL_SHARED_MEMORY, verdict);
	verdict = refuse(b, make(b, KT_NODE_LESS, bytes, number(b, 0)), KT_REFUSAL_SHARED_MEMORY, verdict);
	return refuse(b, make(b, KT_NODE_FAILS, bytes, KT_NODE_NONE), KT_REFUSAL_GEOMETRY, verdict);
}

/* Adds what one kernel's grid and block are refused for to *verdict. */
static kt_status judge_kernel(kt_node *verdict, struct builder *b, const struct kt_template_kernel *kernel,
			      size_t problem)
{
	const struct kt_device *device = b->bind->device;
	kt_node grid[3], block[3], threads = number(b, 1);

	if (bind_all(grid, b, kernel->grid, kernel->grid_count, problem) != KT_OK ||
	    bind_all(block, b, kernel->block, kernel->block_count, problem) != KT_OK)
		return b->err->code;
	*verdict = judge_extent(b, grid, kernel->grid_count, device->max_grid, KT_REFUSAL_GRID_EMPTY, KT_REFUSAL_GRID,
				*verdict);
	for (size_t i = 0; i < kernel->block_count; i++)
		threads = make(b, KT_NODE_MULTIPLY, threads, block[i]);
	if (device->max_threads_per_block > 0)
		*verdict = refuse(b, over(b, threads, device->max_threads_per_block), KT_REFUSAL_THREADS, *verdict);
	*verdict = judge_extent(b, block, kernel->block_count, device->max_block, KT_REFUSAL_BLOCK_EMPTY,
				KT_REFUSAL_BLOCK, *verdict);
	return KT_OK;
}

/* The bytes of all temporaries, as kt_template_temporary_bytes counts them, but without rounding each of them up. */
static kt_status judge_temporaries(kt_node *verdict, struct builder *b, size_t problem)
{
	const struct kt_template *t = b->template_;
	const int64_t memory = b->bind->device->memory_bytes, most = memory > 0 ? memory / KT_TEMPORARY_SHARE : INT64_MAX;
	kt_node counts[KT_TEMPORARIES], sum = number(b, 0);

	for (size_t i = 0; i < t->temporary_count; i++) {
		TRY(bind_all(&counts[i], b, &t->temporaries[i].count, 1, problem));
		sum = make(b, KT_NODE_ADD, sum,
		           make(b, KT_NODE_MULTIPLY, counts[i], number(b, kt_scalar_bytes(t->temporaries[i].element))));
	}
	if (t->temporary_count > 0)
		*verdict = refuse(b, over(b, sum, most), KT_REFUSAL_TEMPORARIES, *verdict);
	for (size_t i = t->temporary_count; i-- > 0;)
		*verdict = refuse(b, make(b, KT_NODE_LESS, counts[i], number(b, 0)), KT_REFUSAL_TEMPORARIES, *verdict);
	for (size_t i = t->temporary_count; i-- > 0;)
		*verdict = refuse(b, make(b, KT_NODE_FAILS, counts[i], KT_NODE_NONE), KT_REFUSAL_TEMPORARIES, *verdict);
	return KT_OK;
}

static kt_status judge_problem(kt_node *out, struct builder *b, size_t problem)
{
	const struct kt_template *template_ = b->template_;
	kt_node shared, verdict = number(b, KT_REFUSAL_NONE);

	if (template_->shared_bytes.expr != NULL) {
		TRY(bind_all(&shared, b, &template_->shared_bytes, 1, problem));
		verdict = judge_shared(b, shared);
	}
	TRY(judge_temporaries(&verdict, b, problem));
	for (size_t i = 0; i <= template_->further_count; i++) {
		const struct kt_template_kernel kernel = kt_template_kernel_at(template_, i);

		TRY(judge_kernel(&verdict, b, &kernel, problem));
	}
	*out = verdict;
	return KT_OK;
}

static kt_status look_at(bool *per_problem, struct builder *b, const struct kt_clause_expr *clauses, size_t count,
			 const char *what)
{
	struct kt_bound bound;

	for (size_t i = 0; i < count; i++) {
		TRY(kt_bind_names(&bound, b->bind, &clauses[i], what, b->err));
		*per_problem = *per_problem || bound.per_problem;
	}
	return KT_OK;
}

static kt_status look_at_all(bool *per_problem, struct builder *b)
{
	const struct kt_template *template_ = b->template_;

	*per_problem = b->also_count > 0;
	TRY(look_at(per_problem, b, template_->guards, template_->guard_count, "guard"));
	for (size_t i = 0; i <= template_->further_count; i++) {
		const struct kt_template_kernel kernel = kt_template_kernel_at(template_, i);

		if (kernel.grid_count > 3 || kernel.block_count > 3)
			return kt_fail(b->err, KT_ERR_INVALID, "a launch has at most three dimensions");
		if (look_at(per_problem, b, kernel.grid, kernel.grid_count, "grid") != KT_OK ||
		    look_at(per_problem, b, kernel.block, kernel.block_count, "block") != KT_OK)
			return b->err->code;
	}
	for (size_t i = 0; i < template_->temporary_count; i++)
		TRY(look_at(per_problem, b, &template_->temporaries[i].count, 1, "temporary"));
	if (template_->shared_bytes.expr == NULL)
		return KT_OK;
	return look_at(per_problem, b, &template_->shared_bytes, 1, "smem");
}

kt_status kt_feasible_verdict(kt_node *out, const struct kt_bind *bind, const struct kt_template *template_,
			      const struct kt_clause_expr *const *also_guards, size_t also_count, struct kt_error *err)
{
	struct builder b = {bind, bind->graph, template_, also_guards, also_count, err};
	kt_node guards = KT_NODE_NONE, judged = KT_NODE_NONE, any = number(&b, 0), verdict;
	bool per_problem = false;
	size_t rounds;

	TRY(look_at_all(&per_problem, &b));
	rounds = per_problem ? bind->problem_count : 1;
	for (size_t problem = 0; problem < rounds; problem++) {
		TRY(guards_hold(&guards, &b, problem));
		any = make(&b, KT_NODE_OR, any, guards);
	}
	/* The first problem that refuses decides; where no guard lets a problem through, that is the reason. */
	verdict = refuse(&b, make(&b, KT_NODE_NOT, any, KT_NODE_NONE), KT_REFUSAL_GUARDS, number(&b, KT_REFUSAL_NONE));
	for (size_t problem = rounds; problem-- > 0;) {
		if (guards_hold(&guards, &b, problem) != KT_OK || judge_problem(&judged, &b, problem) != KT_OK)
			return err->code;
		judged = kt_graph_make(b.graph, KT_NODE_CHOOSE, guards, judged, number(&b, KT_REFUSAL_NONE));
		verdict = make(&b, KT_NODE_OR_VALUE, judged, verdict);
	}
	*out = verdict;
	return verdict == KT_NODE_NONE ? kt_fail(err, KT_ERR_MEMORY, "out of memory for device limits") : KT_OK;
}
