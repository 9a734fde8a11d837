/*
 * Reductions in functions: `float total = block_sum(sum, partial);` reduces a value over the block in a function of the
 * project, by a shared-memory tree or by shuffles, in any form. It becomes the generated reduction, for any number of threads.
 *
 * Sound when: executing the function for every thread of the block as launched gives the reduction of all their values
 * (exchange.h), and it is called by all threads; where only thread 0 gets the result, only thread 0 uses it. A shared scalar
 * that thread 0 sets for all, after a barrier, is not changed.
 */
#include <string.h>

#include "generation/rules/rows.h"

struct look {
	struct kt_row *row;
	const struct kt_tree_variable *variable;
	size_t statement, count;
	const struct kt_tree *where;
};

static bool is_always_done(const struct kt_tree *node, const struct kt_tree *statement)
{
	for (const struct kt_tree *at = node->parent; at != NULL && at != statement; at = at->parent)
		if (at->kind == KT_TREE_CHOOSE || kt_tree_is(at, KT_TREE_BINARY, "&&") || kt_tree_is(at, KT_TREE_BINARY, "||"))
			return false;
	return true;
}

static bool read_call(struct kt_tree *node, void *context)
{
	struct look *look = context;
	struct kt_row *row = look->row;
	struct kt_row_call *call = &row->calls[row->call_count];
	struct kt_tree *value;

	if (node->kind != KT_TREE_CALL || node->callee == NULL || node->in_macro || row->call_count == KT_ROW_FOLDS ||
	    !kt_call_synchronises(node) || !is_always_done(node, row->block->children[look->statement]) ||
	    !kt_exchange_read(&call->exchange, row->family, node))
		return true;
	value = kt_tree_bare(node->children[call->exchange.argument]);
	if (value->kind != KT_TREE_REFERENCE || value->variable == NULL)
		return true;
	for (size_t i = 0; i < node->count; i++)
		if (i != call->exchange.argument)
			kt_row_consume(row, node->children[i]);
	call->node = node;
	call->value = value;
	call->statement = look->statement;
	row->call_count++;
	row->alone = true;
	return true;
}

void kt_row_read_calls(struct kt_row *row, size_t statement)
{
	struct look look = {.row = row, .statement = statement};
	struct kt_tree *node = row->block->children[statement];

	if (node->kind == KT_TREE_DECLARE || node->kind == KT_TREE_ASSIGN)
		kt_tree_walk(node, read_call, &look);
}

static bool count_use(struct kt_tree *node, void *context)
{
	struct look *look = context;

	look->count += node->kind == KT_TREE_REFERENCE && node->variable == look->variable;
	return true;
}

bool kt_row_folds_in(const struct kt_row *row, size_t statement, const struct kt_tree_variable *v,
                     enum kt_fold_kind kind, bool *set)
{
	struct kt_tree *node = row->block->children[statement];
	struct look look = {.variable = v};
	size_t folded = 0;

	*set = kt_tree_is(node, KT_TREE_ASSIGN, "=") && kt_tree_bare(node->children[0])->variable == v;
	for (size_t i = 0; i < row->call_count; i++)
		folded += row->calls[i].statement == statement && row->calls[i].value->variable == v &&
		          row->calls[i].exchange.kind == kind;
	kt_tree_walk(node, count_use, &look);
	return folded > 0 && look.count == folded + (*set ? 1 : 0);
}

/* The variable that has the result of the statement's reduction. */
static const struct kt_tree_variable *holder(const struct kt_tree *node)
{
	if (node->kind == KT_TREE_DECLARE)
		return node->count == 1 && node->children[0]->kind == KT_TREE_VARIABLE ? node->children[0]->variable : NULL;
	return kt_tree_bare(node->children[0])->kind == KT_TREE_REFERENCE ? kt_tree_bare(node->children[0])->variable
	                                                                  : NULL;
}

static bool uses_in_first_thread(const struct kt_row_call *call, struct kt_row *row)
{
	const struct kt_tree_variable *v = holder(row->block->children[call->statement]);

	if (v == NULL || v->escapes ||
	    (row->outer != NULL && v->declaration != NULL && !kt_tree_contains(row->block, v->declaration)))
		return false;
	for (size_t i = call->statement + 1; i < row->block->count; i++) {
		struct kt_tree *node = row->block->children[i];

		if (!kt_tree_uses(node, v) || kt_row_is_lone(row, node))
			continue;
		return kt_tree_is(node, KT_TREE_ASSIGN, "=") && kt_tree_bare(node->children[0])->variable == v &&
		       !kt_tree_uses(node->children[1], v);
	}
	return true;
}

static bool is_known_call(struct kt_tree *node, void *context)
{
	struct look *look = context;

	if (node->kind != KT_TREE_CALL || (node->callee == NULL && !node->opaque) || !kt_call_synchronises(node))
		return true;
	for (size_t i = 0; i < look->row->call_count; i++)
		if (look->row->calls[i].node == node)
			return true;
	look->where = node;
	return false;
}

bool kt_row_check_calls(struct kt_row *row)
{
	struct look look = {.row = row};

	if (!kt_tree_walk(row->family->kernel->body, is_known_call, &look))
		return kt_rule_decline(
		    row->family, KT_DECLINE_THREADS_WAIT, look.where,
		    kt_synchronisation_detail(look.where, "threads wait for each other in this function"));
	for (size_t i = 0; i < row->call_count; i++)
		if (!row->calls[i].exchange.everywhere && !uses_in_first_thread(&row->calls[i], row))
			return kt_rule_decline(row->family, KT_DECLINE_PARTIAL_USED, row->calls[i].node,
			                       "only one thread has the result, and others use it");
	return true;
}

void kt_row_write_calls(struct kt_row *row)
{
	struct kt_family *family = row->family;

	for (size_t i = 0; i < row->call_count; i++) {
		const struct kt_row_call *call = &row->calls[i];
		const struct kt_tree_variable *p = call->exchange.parameter;
		const char *type = p->bare;
		const char *function = kt_row_fold_helper(row, call->exchange.kind, p->scalar, call->statement, call->node),
		           *text;

		if (function == NULL) {
			family->failed = true;
			return;
		}
		text = kt_family_text(family, "%s(static_cast<%s>(%s)%s)", function, type, call->value->variable->name,
		                      kt_rule_opencl_room(family, p->scalar));
		if (call->exchange.bounded)
			text = kt_family_text(family, "%s%s(static_cast<%s>(%.17g), %s)", kt_scalar_is_float(p->scalar) ? "f" : "",
			                      call->exchange.kind == KT_FOLD_MAX ? "max" : "min", type, call->exchange.bound, text);
		kt_write_set(&family->write, call->node, text);
	}
	if (row->call_count > 0)
		kt_family_applied(family, "shuffle",
		                  "reductions over a block become shuffles and one exchange between warps");
}

static bool is_set_alone(struct kt_tree *node, void *context)
{
	struct look *look = context;
	bool reads;

	if (node->kind != KT_TREE_REFERENCE || node->variable != look->variable || !kt_tree_is_target(node, &reads))
		return true;
	for (struct kt_tree *at = node; at != NULL; at = at->parent)
		if (kt_row_is_lone(look->row, at))
			return true;
	return false;
}

bool kt_row_is_announced(struct kt_row *row, const struct kt_tree_variable *v)
{
	struct look look = {.row = row, .variable = v};

	if (!v->is_shared || v->is_array || v->is_pointer || v->escapes || v->scalar == KT_SCALAR_NONE ||
	    !kt_tree_walk(row->family->kernel->body, is_set_alone, &look))
		return false;
	row->announces = true;
	return true;
}
