#include "tuning/bind.h"

#include <string.h>

#include "base/expr_tree.h"
#include "tuning/caret.h"

/* C operators as nodes; `swapped` ones are the mirror image with the operands exchanged. */
static const struct {
	enum kt_node_op op;
	bool swapped;
} operators[KT_OP_COUNT] = {
    [KT_OP_NEGATE] = {KT_NODE_NEGATE, false},
    [KT_OP_NOT] = {KT_NODE_NOT, false},
    [KT_OP_COMPLEMENT] = {KT_NODE_COMPLEMENT, false},
    [KT_OP_MULTIPLY] = {KT_NODE_MULTIPLY, false},
    [KT_OP_DIVIDE] = {KT_NODE_QUOTIENT, false},
    [KT_OP_REMAINDER] = {KT_NODE_REMAINDER, false},
    [KT_OP_ADD] = {KT_NODE_ADD, false},
    [KT_OP_SUBTRACT] = {KT_NODE_SUBTRACT, false},
    [KT_OP_SHIFT_LEFT] = {KT_NODE_SHIFT_LEFT, false},
    [KT_OP_SHIFT_RIGHT] = {KT_NODE_SHIFT_RIGHT, false},
    [KT_OP_LESS] = {KT_NODE_LESS, false},
    [KT_OP_LESS_EQUAL] = {KT_NODE_LESS_EQUAL, false},
    [KT_OP_GREATER] = {KT_NODE_LESS, true},
    [KT_OP_GREATER_EQUAL] = {KT_NODE_LESS_EQUAL, true},
    [KT_OP_EQUAL] = {KT_NODE_EQUAL, false},
    [KT_OP_NOT_EQUAL] = {KT_NODE_NOT_EQUAL, false},
    [KT_OP_BIT_AND] = {KT_NODE_BIT_AND, false},
    [KT_OP_BIT_XOR] = {KT_NODE_BIT_XOR, false},
    [KT_OP_BIT_OR] = {KT_NODE_BIT_OR, false},
    [KT_OP_AND] = {KT_NODE_AND, false},
    [KT_OP_OR] = {KT_NODE_OR, false},
    [KT_OP_MIN] = {KT_NODE_MIN, false},
    [KT_OP_MAX] = {KT_NODE_MAX, false},
    [KT_OP_CEIL_DIV] = {KT_NODE_CEIL_DIV, false},
    [KT_OP_CHOOSE] = {KT_NODE_CHOOSE, false},
    [KT_OP_IS_POW2] = {KT_NODE_IS_POW2, false},
};

struct names {
	const struct kt_bind *bind;
	struct kt_bound *bound;
	struct kt_scope outer;
	const char *unknown;
	unsigned offset;
};

static const int64_t *problem_row(const struct kt_bind *bind, size_t problem)
{
	const struct kt_region *region = bind->region;

	return region->problem_count == 0 || region->variable_count == 0
		   ? NULL : region->problems + problem * region->variable_count;
}

static bool find_parameter(size_t *out, const struct kt_graph *graph, const char *name)
{
	for (size_t i = 0; i < graph->dimensions; i++) {
		if (strcmp(graph->domains[i].name, name) == 0) {
			*out = i;
			return true;
		}
	}
	return false;
}

static bool look_at(const char *name, unsigned offset, bool pointer, void *context)
{
	struct names *names = context;
	const struct kt_region *region = names->bind->region;
	size_t parameter;
	int64_t value;

	if (pointer || find_parameter(&parameter, names->bind->graph, name))
		return true;
	if (strncmp(name, "device.", 7) == 0) {
		names->bound->needs_device = true;
		if (names->bind->device == NULL)
			return true;
	}
	for (size_t i = 0; i < region->variable_count; i++)
		if (strcmp(region->variables[i], name) == 0)
			names->bound->per_problem = true;
	for (size_t i = 0; i < region->argument_count + region->member_count; i++)
		if (strcmp(region->arguments[i].name, name) == 0 && kt_region_carried(region, i) >= 0)
			names->bound->per_problem = true;
	if (kt_scope_lookup(&value, name, &names->outer))
		return true;
	names->unknown = name;
	names->offset = offset;
	return false;
}

kt_status kt_bind_names(struct kt_bound *out, const struct kt_bind *bind, const struct kt_clause_expr *clause,
			const char *what, struct kt_error *err)
{
	struct names names = {bind, out, {bind->region, NULL, problem_row(bind, 0), bind->device}, NULL, 0};

	*out = (struct kt_bound){false, false};
	if (clause->expr == NULL)
		return kt_fail(err, KT_ERR_INVALID, "%s is empty", what);
	if (kt_expr_names(clause->expr, look_at, &names) || names.unknown == NULL)
		return KT_OK;
	kt_fail_at(err, KT_ERR_INVALID, names.offset, "%s '%.200s': unknown name '%.80s'", what, clause->text,
		   names.unknown);
	return kt_fail_caret(err, clause->text, names.offset);
}

static kt_node compile(const struct kt_bind *bind, const struct kt_expr *expr, struct kt_scope *scope)
{
	struct kt_graph *graph = bind->graph;
	const enum kt_node_op op = operators[expr->op].op;
	kt_node first, second, chosen[3];
	size_t parameter;
	int64_t value;

	switch (expr->op) {
	case KT_OP_NUMBER:
		return kt_graph_integer(graph, expr->number);
	case KT_OP_ALIGNED: /* the tester allocates aligned, disjoint buffers */
	case KT_OP_DISJOINT:
		return kt_graph_integer(graph, 1);
	case KT_OP_NAME:
		if (find_parameter(&parameter, graph, expr->name))
			return kt_graph_parameter(graph, parameter);
		return kt_scope_lookup(&value, expr->name, scope) ? kt_graph_integer(graph, value) : KT_NODE_NONE;
	case KT_OP_CHOOSE:
		for (unsigned i = 0; i < 3; i++)
			chosen[i] = compile(bind, expr->operands[i], scope);
		return kt_graph_make(graph, op, chosen[0], chosen[1], chosen[2]);
	default:
		break;
	}
	if (expr->count == 0)
		return KT_NODE_NONE;
	first = compile(bind, expr->operands[0], scope);
	if (expr->count == 1)
		return kt_graph_make(graph, op, first, KT_NODE_NONE, KT_NODE_NONE);
	for (unsigned i = 1; i < expr->count; i++) {
		second = compile(bind, expr->operands[i], scope);
		first = operators[expr->op].swapped ? kt_graph_make(graph, op, second, first, KT_NODE_NONE)
						    : kt_graph_make(graph, op, first, second, KT_NODE_NONE);
	}
	return first;
}

kt_status kt_bind_expr(kt_node *out, const struct kt_bind *bind, const struct kt_clause_expr *clause, size_t problem,
		       struct kt_error *err)
{
	struct kt_scope scope = {bind->region, NULL, problem_row(bind, problem), bind->device};

	*out = compile(bind, clause->expr, &scope);
	if (*out == KT_NODE_NONE)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for '%.200s'", clause->text);
	return KT_OK;
}

struct evaluation {
	const struct kt_bind *bind;
	const uint16_t *positions;
	struct kt_scope outer;
};

static bool lookup(int64_t *value, const char *name, void *context)
{
	struct evaluation *evaluation = context;
	const struct kt_graph *graph = evaluation->bind->graph;
	size_t parameter;

	if (!find_parameter(&parameter, graph, name))
		return kt_scope_lookup(value, name, &evaluation->outer);
	*value = graph->domains[parameter].values[evaluation->positions[parameter]];
	return true;
}

kt_status kt_bind_explain(const struct kt_bind *bind, const struct kt_clause_expr *clause, size_t problem,
			  const uint16_t *positions, const char *what, struct kt_error *err)
{
	struct evaluation evaluation = {bind, positions, {bind->region, NULL, problem_row(bind, problem),
							  bind->device}};
	struct kt_buf where = KT_BUF(512);
	int64_t value;
	unsigned offset;

	if (kt_expr_eval(&value, clause->expr, lookup, &evaluation, err) == KT_OK)
		return kt_fail(err, KT_ERR_INVALID, "%s '%.200s' evaluates", what, clause->text);
	offset = err->offset;
	for (size_t i = 0; i < bind->graph->dimensions; i++) {
		const struct kt_domain *domain = &bind->graph->domains[i];

		if (kt_expr_uses(clause->expr, domain->name))
			kt_buf_addf(&where, " %s=%lld", domain->name, (long long)domain->values[positions[i]]);
	}
	kt_fail_prefix(err, "%s '%.200s'%s%s", what, clause->text, where.size > 0 ? " at" : "", kt_buf_text(&where));
	kt_buf_free(&where);
	err->code = KT_ERR_INVALID;
	return kt_fail_caret(err, clause->text, offset);
}
