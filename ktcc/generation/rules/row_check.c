/*
 * What must hold for a row before anything is rewritten. The thread index is used by what distributes or reduces and by nothing
 * else. What a loop leaves in a thread is used by a reduction of the same kind before it is set again, and a reduction takes
 * nothing but that. A sum starts at zero, or every thread would add its start, and a maximum at what all threads have in
 * common. Of shared memory nothing is read but a tree's result, before anything else is put there.
 */
#include <stdlib.h>
#include <string.h>

#include "generation/rules/rows.h"

bool kt_row_no_write(struct kt_tree *node, void *context)
{
	struct kt_row_hunt *hunt = context;
	bool reads, memory = node->kind == KT_TREE_INDEX || kt_tree_is(node, KT_TREE_UNARY, "*");

	if (node->kind == KT_TREE_STATEMENT || kt_tree_is_return(node) || node->kind == KT_TREE_BREAK ||
	    node->kind == KT_TREE_CONTINUE || (memory && kt_tree_is_target(node, &reads)) ||
	    (node->kind == KT_TREE_CALL && strncmp(node->known, "atomic", 6) == 0)) {
		hunt->where = node;
		return false;
	}
	return true;
}

bool kt_row_is_consumed(const struct kt_row *row, const struct kt_tree *node)
{
	for (size_t i = 0; i < row->consumed_count; i++)
		if (kt_tree_contains(row->consumed[i], node))
			return true;
	return false;
}

/* Rows keep their blocks; one loop over everything gets others. */
static bool keeps_block(const struct kt_row *row, enum kt_builtin_index builtin)
{
	return !row->flat && (builtin == KT_BLOCK_INDEX || builtin == KT_GRID_EXTENT);
}

static bool asks_for_no_place(const struct kt_atom *atom, void *context)
{
	return atom->kind != KT_ATOM_BUILTIN || keeps_block(context, atom->builtin);
}

/* Nothing else may depend on the thread index, or on how many threads there are. */
static bool is_free(struct kt_tree *node, void *context)
{
	struct kt_row_hunt *hunt = context;
	struct kt_row *row = hunt->row;
	const struct kt_poly *poly;
	const struct kt_tree *at = node;

	if (node->kind != KT_TREE_BUILTIN && node->kind != KT_TREE_REFERENCE)
		return true;
	if (node->kind == KT_TREE_BUILTIN && keeps_block(row, node->builtin))
		return true;
	if (kt_row_is_consumed(row, node))
		return true;
	if (node->kind == KT_TREE_REFERENCE) {
		if (node->variable == NULL || node->variable->is_pointer || node->variable->is_array || node->has_value ||
		    kt_scalar_is_float(node->variable->scalar) || node->variable->scalar == KT_SCALAR_NONE)
			return true;
		poly = kt_poly_of(&row->family->polys, node);
		if (poly == NULL || kt_poly_every(poly, asks_for_no_place, row))
			return true;
	}
	/* In the value of another name: that name's uses are looked at. */
	while (at != NULL && at->kind != KT_TREE_VARIABLE && at->kind < KT_TREE_BLOCK)
		at = at->parent;
	if (at != NULL && at->kind == KT_TREE_VARIABLE && at->variable->writes == 0 && !at->variable->escapes &&
	    !kt_scalar_is_float(at->variable->scalar) && at->variable->scalar != KT_SCALAR_NONE)
		return true;
	hunt->where = node;
	return false;
}

/* The kind of reduction by which the loop changes the variable; NONE: it does not, or otherwise. */
static enum kt_fold_kind folds_in_loop(const struct kt_row *row, size_t loop, const struct kt_tree_variable *v)
{
	for (size_t f = 0; f < row->effects[loop].fold_count; f++)
		if (row->effects[loop].folds[f].variable == v)
			return row->effects[loop].folds[f].kind;
	return KT_FOLD_NONE;
}

static bool is_variable(struct kt_tree *node, const struct kt_tree_variable *v)
{
	node = kt_tree_bare(node);
	return node->kind == KT_TREE_REFERENCE && node->variable == v;
}

/* Is it one of the stores before a reduction of pairs, of this variable? */
static bool brings(const struct kt_row *row, size_t f, size_t at, const struct kt_tree_variable *v)
{
	const struct kt_row_fold *fold = &row->folds[f];

	return fold->places != NULL && (at == fold->statement || at == fold->statement + 1) &&
	       is_variable(row->block->children[at]->children[1], v);
}

/* Is the variable of a loop's reduction read before it is set again, other than by a reduction of the same kind? */
static bool reads_partial(struct kt_row *row, size_t loop, const struct kt_tree_variable *v)
{
	const enum kt_fold_kind kind = folds_in_loop(row, loop, v);

	for (size_t at = row->loop_at[loop] + 1; at < row->block->count; at++) {
		struct kt_tree *node = row->block->children[at];
		bool stored = false, set;

		for (size_t f = 0; f < row->fold_count; f++)
			if (row->folds[f].kind == kind)
				stored = stored || (row->folds[f].statement == at && is_variable(row->folds[f].value, v)) || brings(row, f, at, v);
		for (size_t i = 0; i < row->loop_count; i++)
			stored = stored || (row->loop_at[i] == at && folds_in_loop(row, i, v) == kind);
		if (kt_row_folds_in(row, at, v, kind, &set)) {
			if (set)
				return false;
			continue;
		}
		if (stored || !kt_tree_uses(node, v))
			continue;
		return !(kt_tree_is(node, KT_TREE_ASSIGN, "=") && kt_tree_bare(node->children[0])->variable == v &&
		         !kt_tree_uses(node->children[1], v));
	}
	return false;
}

static bool is_zero(struct kt_row *row, struct kt_tree *node)
{
	node = kt_tree_bare(node);
	while (node->kind == KT_TREE_CAST)
		node = kt_tree_bare(node->children[0]);
	if (node->has_value)
		return node->value == 0;
	return node->kind == KT_TREE_LITERAL && strtod(kt_tree_text(row->family->kernel, node), NULL) == 0;
}

static bool declares(const struct kt_tree *node, const struct kt_tree_variable *v)
{
	return node->kind == KT_TREE_DECLARE && v->declaration != NULL && kt_tree_contains(node, v->declaration);
}

/*
 * A maximum, or a pair, may start at anything that all threads have in common. What a thread brings along from another
 * row, or what one thread alone set, is not.
 */
static bool starts_alike(struct kt_row *row, size_t loop, const struct kt_tree_variable *v)
{
	bool begins = row->outer == NULL || (v->declaration != NULL && kt_tree_contains(row->block, v->declaration));

	for (size_t at = row->first; at < row->loop_at[loop]; at++) {
		struct kt_tree *node = row->block->children[at];

		if (kt_row_is_lone(row, node) && kt_tree_uses(node, v))
			return false;
		begins = begins || (kt_tree_is(node, KT_TREE_ASSIGN, "=") && is_variable(node->children[0], v) &&
		                    !kt_tree_uses(node->children[1], v));
	}
	return begins;
}

/* A sum that starts at anything but zero would have that once for each thread. */
static bool starts_neutral(struct kt_row *row, size_t loop, const struct kt_fold *fold)
{
	const struct kt_tree_variable *v = fold->variable;

	if (fold->kind != KT_FOLD_SUM)
		return fold->kind != KT_FOLD_PRODUCT && starts_alike(row, loop, v);
	for (size_t at = row->loop_at[loop]; fold->kind == KT_FOLD_SUM && at-- > row->first;) {
		struct kt_tree *node = row->block->children[at];
		bool goes_on = false, set = false;

		if (declares(node, v))
			return v->declaration->count == 1 && is_zero(row, v->declaration->children[0]);
		for (size_t i = 0; i < row->loop_count; i++)
			goes_on = goes_on || (row->loop_at[i] == at && folds_in_loop(row, i, v) == fold->kind);
		if (goes_on || !kt_tree_uses(node, v) || (kt_row_folds_in(row, at, v, fold->kind, &set) && !set))
			continue;
		if (kt_tree_is(node, KT_TREE_ASSIGN, "=") && kt_tree_bare(node->children[0])->variable == v)
			return is_zero(row, node->children[1]);
		if (node->kind != KT_TREE_ASSIGN && node->kind != KT_TREE_DECLARE)
			return false;
		/* A store for a tree, or another read. */
		if (node->kind == KT_TREE_ASSIGN && kt_tree_uses(node->children[0], v))
			return false;
	}
	return false;
}

/* What the threads contribute to a reduction is what a loop left in them: else the result depends on the number of threads. */
static bool is_brought(const struct kt_row *row, size_t statement, struct kt_tree *value, enum kt_fold_kind kind)
{
	value = kt_tree_bare(value);
	for (size_t i = 0; i < row->loop_count && value->kind == KT_TREE_REFERENCE; i++)
		if (row->loop_at[i] < statement && folds_in_loop(row, i, value->variable) == kind)
			return true;
	return false;
}

/* Parts are converted as they are brought: what threads have in common must not depend on who has which. */
static bool converts(const struct kt_tree *value, enum kt_fold_kind kind, enum kt_scalar to)
{
	return kt_fold_converts(kind, kt_tree_bare((struct kt_tree *)value)->variable->scalar, to);
}

static bool fold_is_brought(const struct kt_row *row, const struct kt_row_fold *fold)
{
	const struct kt_tree *value = kt_tree_bare(fold->value);

	if (fold->places != NULL && (!is_brought(row, fold->statement, fold->place, fold->kind) ||
	                             !kt_row_is_pair(row, value->variable, kt_tree_bare(fold->place)->variable, fold->kind)))
		return false;
	return is_brought(row, fold->statement, fold->value, fold->kind);
}

static bool refuse_conversion(struct kt_row *row, size_t statement, const char *type)
{
	return kt_row_refuse(row, KT_DECLINE_PARTIAL_USED, row->block->children[statement],
	              kt_family_text(row->family,
	                             "each thread's part is converted to '%s' here, and other parts give another whole; keep "
	                             "them in the type of what the loop adds to",
	                             type != NULL ? type : "another type"));
}

static bool folds_are_brought(struct kt_row *row)
{
	static const char why[] = "the threads of a block add what no loop left in them";

	for (size_t i = 0; i < row->fold_count; i++)
		if (!fold_is_brought(row, &row->folds[i]))
			return kt_row_refuse(row, KT_DECLINE_PARTIAL_USED, row->block->children[row->folds[i].statement], why);
	for (size_t i = 0; i < row->call_count; i++)
		if (!is_brought(row, row->calls[i].statement, row->calls[i].value, row->calls[i].exchange.kind))
			return kt_row_refuse(row, KT_DECLINE_PARTIAL_USED, row->calls[i].node, why);
	for (size_t i = 0; i < row->fold_count; i++) {
		const struct kt_row_fold *fold = &row->folds[i];

		if (!converts(fold->value, fold->kind, fold->array->scalar) ||
		    (fold->places != NULL && !converts(fold->place, fold->kind, fold->places->scalar)))
			return refuse_conversion(row, fold->statement, fold->array->element);
	}
	for (size_t i = 0; i < row->call_count; i++)
		if (!converts(row->calls[i].value, row->calls[i].exchange.kind, row->calls[i].exchange.parameter->scalar))
			return refuse_conversion(row, row->calls[i].statement, row->calls[i].exchange.parameter->type);
	return true;
}

/* Is the element at this place of the text a tree's result? */
static bool is_result(const struct kt_row *row, const struct kt_tree *node, const struct kt_tree_variable *array)
{
	uint32_t begin = 0;

	for (size_t f = 0; f < row->fold_count; f++) {
		const uint32_t end = row->block->children[row->folds[f].end - 1]->range.end;

		if ((row->folds[f].array == array || row->folds[f].places == array) && end <= node->range.begin && end > begin)
			begin = end;
	}
	/* A function may have put something else there. */
	for (size_t i = 0; i < row->call_count; i++)
		for (size_t a = 1; a < row->calls[i].node->count; a++)
			if (kt_tree_uses(row->calls[i].node->children[a], array) && row->calls[i].node->range.begin > begin &&
			    row->calls[i].node->range.begin < node->range.begin)
				return false;
	return begin > 0;
}

/* Elements of shared arrays: nothing but trees, and [0] after them. */
static bool shared_is_known(struct kt_tree *node, void *context)
{
	struct kt_row_hunt *hunt = context;
	const struct kt_tree_variable *array;
	const struct kt_poly *index;
	bool reads;

	if (node->kind == KT_TREE_REFERENCE && node->variable != NULL && node->variable->is_shared &&
	    !kt_row_is_consumed(hunt->row, node)) {
		struct kt_tree *element = node->parent;

		if (kt_row_is_announced(hunt->row, node->variable))
			return true;
		if (element == NULL || !kt_row_shared_element(hunt->row, element, &array, &index) || !kt_poly_is(index, 0) ||
		    kt_tree_is_target(element, &reads) || !is_result(hunt->row, node, array)) {
			hunt->where = node;
			return false;
		}
	}
	return true;
}

/* The result of a reduction: the element of a tree's array, or the variable that has it. NONE: it is no such thing. */
static enum kt_fold_kind kind_of_result(const struct kt_row *row, struct kt_tree *node)
{
	const struct kt_tree_variable *v;

	node = kt_tree_bare(node);
	if (node->kind == KT_TREE_INDEX)
		node = kt_tree_bare(node->children[0]);
	v = node->kind == KT_TREE_REFERENCE ? node->variable : NULL;
	for (size_t f = 0; v != NULL && f < row->fold_count; f++)
		if (row->folds[f].array == v)
			return row->folds[f].places == NULL ? row->folds[f].kind : KT_FOLD_NONE;
	for (size_t i = 0; v != NULL && i < row->call_count; i++) {
		const struct kt_tree *at = row->block->children[row->calls[i].statement];
		struct kt_tree *value = kt_tree_is(at, KT_TREE_ASSIGN, "=") ? at->children[1]
		                        : at->kind == KT_TREE_DECLARE && at->count == 1 && at->children[0]->count == 1
		                            ? at->children[0]->children[0]
		                            : NULL;
		const bool has = value != NULL && kt_tree_bare(value) == row->calls[i].node &&
		                 (at->kind == KT_TREE_DECLARE ? at->children[0]->variable == v && v->writes == 0
		                                              : is_variable(at->children[0], v));

		if (has)
			return row->calls[i].exchange.kind;
	}
	/* Another name for it. */
	if (v != NULL && v->is_local && v->writes == 0 && !v->escapes && v->declaration != NULL &&
	    v->declaration->count == 1 && kt_tree_bare(v->declaration->children[0])->scalar == v->scalar)
		return kind_of_result(row, v->declaration->children[0]);
	return KT_FOLD_NONE;
}

static bool is_argument_or_number(struct kt_tree *node, void *context)
{
	(void)context;
	return node->kind != KT_TREE_CALL && node->kind != KT_TREE_INDEX && node->kind != KT_TREE_OTHER &&
	       node->kind != KT_TREE_BUILTIN && !kt_tree_is(node, KT_TREE_UNARY, "*") &&
	       (node->kind != KT_TREE_REFERENCE || node->has_value ||
	        (node->variable != NULL && node->variable->argument >= 0 && node->variable->writes == 0));
}

/* The blocks' results, each by itself or times a real number that they have in common, add up to that of the whole. */
static enum kt_fold_kind kind_of_part(const struct kt_row *row, struct kt_tree *node)
{
	enum kt_fold_kind kind;
	bool product, quotient;

	node = kt_tree_bare(node);
	product = kt_tree_is(node, KT_TREE_BINARY, "*");
	quotient = kt_tree_is(node, KT_TREE_BINARY, "/");
	if (node->kind == KT_TREE_CAST && kt_scalar_is_float(node->scalar))
		return kind_of_part(row, node->children[0]) == KT_FOLD_SUM ? KT_FOLD_SUM : KT_FOLD_NONE;
	if (!kt_scalar_is_float(node->scalar) || (!product && !quotient))
		return kind_of_result(row, node);
	for (size_t side = 0; side < (product ? 2 : 1); side++) {
		kind = kind_of_part(row, node->children[side]);
		if (kind == KT_FOLD_SUM && kt_tree_walk(node->children[1 - side], is_argument_or_number, NULL))
			return kind;
	}
	return KT_FOLD_NONE;
}

/* `atomicAdd(sum, part[0])`: as many blocks as there are do it, each with its own part. */
static bool adds_part(const struct kt_row *row, struct kt_tree *node)
{
	static const struct {
		const char *name;
		enum kt_fold_kind kind;
	} atomics[] = {{"atomicAdd", KT_FOLD_SUM}, {"atomicMax", KT_FOLD_MAX}, {"atomicMin", KT_FOLD_MIN}};
	const struct kt_tree_variable *root;
	const struct kt_poly *offset;
	struct kt_tree *value;

	node = kt_row_lone(node);
	if (node->kind == KT_TREE_BLOCK) {
		for (size_t i = 0; i < node->count; i++)
			if (!adds_part(row, node->children[i]))
				return false;
		return true;
	}
	if (node->kind != KT_TREE_CALL || node->count != 3 || !kt_tree_is_statement(node) ||
	    !kt_access_resolve(&root, &offset, &row->family->polys, node->children[1]))
		return false;
	value = kt_tree_bare(node->children[2]);
	for (size_t i = 0; i < sizeof atomics / sizeof atomics[0]; i++)
		if (strcmp(node->known, atomics[i].name) == 0)
			return kind_of_part(row, value) == atomics[i].kind &&
			       kt_scalar_is_float(root->scalar) == kt_scalar_is_float(value->scalar) &&
			       kt_fold_converts(atomics[i].kind, value->scalar, root->scalar);
	return false;
}

static bool blocks_add_parts(struct kt_row *row, const struct kt_tree **where)
{
	for (size_t i = row->first; i < row->block->count; i++) {
		*where = row->block->children[i];
		if (kt_row_is_lone(row, row->block->children[i]) && !adds_part(row, row->block->children[i]->children[1]))
			return false;
	}
	return true;
}

/* `where`: the loop; then the place where its counter is used besides. */
static bool stays_in_loop(struct kt_tree *node, void *context)
{
	struct kt_row_hunt *hunt = context;

	if (node->kind != KT_TREE_REFERENCE || node->variable != hunt->variable || kt_tree_contains(hunt->where, node))
		return true;
	hunt->where = node;
	return false;
}

bool kt_row_check(struct kt_row *row)
{
	struct kt_row_hunt hunt = {.row = row};

	if (!kt_tree_walk(row->family->kernel->body, is_free, &hunt))
		return kt_row_refuse(row, KT_DECLINE_GEOMETRY_USED, hunt.where, "the thread index is used for something else");
	if (!kt_tree_walk(row->family->kernel->body, shared_is_known, &hunt))
		return kt_row_refuse(row, KT_DECLINE_SHARED_USED, hunt.where, "shared memory is used for more than a sum or its like");
	for (size_t i = 0; i < row->loop_count; i++) {
		hunt = (struct kt_row_hunt){row, row->loops[i]->node, row->loops[i]->variable};
		if (!kt_tree_walk(row->family->kernel->body, stays_in_loop, &hunt))
			return kt_row_refuse(row, KT_DECLINE_GEOMETRY_USED, hunt.where, "the end of a thread's part is used after the loop");
	}
	if (!kt_row_check_calls(row) || !folds_are_brought(row))
		return false;
	for (size_t i = 0; i < row->loop_count; i++)
		for (size_t f = 0; f < row->effects[i].fold_count; f++) {
			if (reads_partial(row, i, row->effects[i].folds[f].variable))
				return kt_row_refuse(row, KT_DECLINE_PARTIAL_USED, row->loops[i]->node,
				              "a thread's part of a sum is used before all parts are added");
			if (!starts_neutral(row, i, &row->effects[i].folds[f]))
				return kt_row_refuse(row, KT_DECLINE_PARTIAL_USED, row->loops[i]->node,
				              row->effects[i].folds[f].kind == KT_FOLD_SUM ? "a sum does not start at zero"
				                                                           : "threads start with different values");
		}
	if (row->flat && (row->loop_count > 1 || !row->only_atomics || row->outer != NULL))
		return kt_row_refuse(row, KT_DECLINE_SHAPE, row->loops[0]->node, "each block's part of the whole is used");
	if (row->flat && !blocks_add_parts(row, &hunt.where))
		return kt_row_refuse(row, KT_DECLINE_SHAPE, hunt.where, "each block does this once, and there would be others");
	return true;
}
