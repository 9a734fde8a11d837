/*
 * Rows: blocks take rows, the threads of a block share out the elements of one, in
 * one loop after the other, and fold partial results together in between.
 *
 *   partial[threadIdx.x] = sum;            becomes   const float total = fold(sum);
 *   __syncthreads();                                 with shuffles in a warp and one
 *   for (s = blockDim.x / 2; s > 0; s /= 2) {        exchange between the warps, and
 *     if (threadIdx.x < s)                           any number of threads will do
 *       partial[threadIdx.x] += partial[threadIdx.x + s];
 *     __syncthreads();
 *   }
 *
 * Sound when: a thread's place matters only in the loops' headers, in such trees and
 * in `if (threadIdx.x == 0)`; a value that a loop folds is used by nothing but a tree
 * before it is set again; of a shared array nothing but the tree's result is read;
 * the loops agree in how they share a row out where one reads what another wrote
 * (one condition decides for all of them). Sums are taken in another order, within
 * the region's tolerance.
 *
 * Kept rows: elements that several loops move stay in TURNS packs of registers a
 * thread, where a guard says that they hold the row.
 */
#include <string.h>

#include "generation/rules/rows.h"

static bool refuse(struct kt_row *row, const char *reason, const struct kt_tree *where, const char *detail)
{
	return kt_rule_decline(row->family, reason, where, detail);
}

void kt_row_consume(struct kt_row *row, const struct kt_tree *node)
{
	const struct kt_tree **slot =
	    kt_arena_push(row->family->kernel->arena, &row->consumed, &row->consumed_count, sizeof *slot);

	if (slot == NULL)
		row->family->failed = true;
	else
		*slot = node;
}

static bool is_thread_index(struct kt_row *row, struct kt_tree *node)
{
	const struct kt_poly *poly = kt_poly_of(&row->family->polys, node);
	enum kt_share share;
	unsigned dimension;

	return poly != NULL && kt_share_start(&share, &dimension, poly, row->family->block) && share == KT_SHARE_THREAD &&
	       dimension == 0;
}

static bool is_call(const struct kt_tree *node, const char *name)
{
	return node != NULL && node->kind == KT_TREE_CALL && strcmp(node->name, name) == 0;
}

/* The only statement in braces, or the statement. */
static struct kt_tree *lone(struct kt_tree *node)
{
	while (node != NULL && node->kind == KT_TREE_BLOCK && node->count == 1)
		node = node->children[0];
	return node;
}

/* shared[i] with this index; *array. */
static bool is_shared_element(struct kt_row *row, struct kt_tree *node, const struct kt_tree_variable **array,
                              const struct kt_poly **index)
{
	const struct kt_poly *base;

	node = kt_tree_bare(node);
	if (node->kind != KT_TREE_INDEX || !kt_access_resolve(array, &base, &row->family->polys, node->children[0]) ||
	    !(*array)->is_shared || !kt_poly_is(base, 0))
		return false;
	*index = kt_poly_of(&row->family->polys, node->children[1]);
	return *index != NULL;
}

/* The first width of a tree: half a block, however it is spelled. */
static bool is_half_block(struct kt_row *row, struct kt_tree *node)
{
	const struct kt_poly *poly = kt_poly_of(&row->family->polys, node);
	const int64_t threads = row->family->block[0];
	const struct kt_atom *atom;

	if (poly == NULL)
		return false;
	if (threads > 1 && kt_poly_is(poly, threads / 2))
		return true;
	if (poly->count != 1 || poly->terms[0].count != 1 || poly->terms[0].factor != 1)
		return false;
	atom = poly->terms[0].atoms[0];
	if (atom->kind == KT_ATOM_QUOTIENT)
		return kt_poly_is(atom->right, 2) && atom->left->count == 1 && atom->left->terms[0].count == 1 &&
		       atom->left->terms[0].factor == 1 && atom->left->terms[0].atoms[0]->kind == KT_ATOM_BUILTIN &&
		       atom->left->terms[0].atoms[0]->builtin == KT_BLOCK_EXTENT;
	/* blockDim.x >> 1 */
	return atom->kind == KT_ATOM_OPAQUE && kt_tree_is(atom->node, KT_TREE_BINARY, ">>") &&
	       kt_tree_bare(atom->node->children[0])->kind == KT_TREE_BUILTIN && kt_tree_bare(atom->node->children[1])->has_value &&
	       kt_tree_bare(atom->node->children[1])->value == 1;
}

static bool halves(struct kt_row *row, struct kt_tree *step, const struct kt_tree_variable *v)
{
	struct kt_tree *by;
	const struct kt_poly *poly;

	if (step == NULL || step->kind != KT_TREE_ASSIGN || kt_tree_bare(step->children[0])->variable != v)
		return false;
	by = kt_tree_bare(step->children[1]);
	if (kt_tree_is(step, KT_TREE_ASSIGN, "=")) {
		const char *op = by->kind == KT_TREE_BINARY && by->operator_ != NULL ? by->operator_ : "";

		if (by->count != 2 || kt_tree_bare(by->children[0])->variable != v)
			return false;
		poly = kt_poly_of(&row->family->polys, by->children[1]);
		return poly != NULL && ((strcmp(op, "/") == 0 && kt_poly_is(poly, 2)) || (strcmp(op, ">>") == 0 && kt_poly_is(poly, 1)));
	}
	poly = kt_poly_of(&row->family->polys, by);
	return poly != NULL && ((kt_tree_is(step, KT_TREE_ASSIGN, "/=") && kt_poly_is(poly, 2)) ||
	                        (kt_tree_is(step, KT_TREE_ASSIGN, ">>=") && kt_poly_is(poly, 1)));
}

static const struct {
	const char *name;
	enum kt_fold_kind kind;
} folding[] = {
	{"fmaxf", KT_FOLD_MAX}, {"fmax", KT_FOLD_MAX}, {"max", KT_FOLD_MAX},
	{"fminf", KT_FOLD_MIN}, {"fmin", KT_FOLD_MIN}, {"min", KT_FOLD_MIN},
};

/* s[t] op s[t + w] in one of its spellings. */
static enum kt_fold_kind folded_pair(struct kt_row *row, struct kt_tree *write, const struct kt_tree_variable *array,
                                     const struct kt_tree_variable *width)
{
	const struct kt_tree_variable *root;
	const struct kt_poly *index, *far;
	struct kt_tree *other = NULL, *value;
	enum kt_fold_kind kind = KT_FOLD_NONE;

	if (write->kind != KT_TREE_ASSIGN || !is_shared_element(row, write->children[0], &root, &index) || root != array ||
	    !is_thread_index(row, kt_tree_bare(write->children[0])->children[1]))
		return KT_FOLD_NONE;
	value = kt_tree_bare(write->children[1]);
	if (kt_tree_is(write, KT_TREE_ASSIGN, "+=")) {
		kind = KT_FOLD_SUM;
		other = value;
	} else if (kt_tree_is(write, KT_TREE_ASSIGN, "=")) {
		struct kt_tree *a = NULL, *b = NULL;

		if (kt_tree_is(value, KT_TREE_BINARY, "+")) {
			kind = KT_FOLD_SUM;
			a = value->children[0];
			b = value->children[1];
		} else if (value->kind == KT_TREE_CALL && value->count == 3) {
			for (size_t i = 0; i < sizeof folding / sizeof folding[0]; i++)
				if (strcmp(folding[i].name, value->name) == 0)
					kind = folding[i].kind;
			a = value->children[1];
			b = value->children[2];
		}
		if (kind == KT_FOLD_NONE || !is_shared_element(row, a, &root, &far) || root != array)
			return KT_FOLD_NONE;
		other = kt_poly_equal(far, index) ? b : a;
		if (other == a && (!is_shared_element(row, b, &root, &far) || !kt_poly_equal(far, index)))
			return KT_FOLD_NONE;
	}
	if (other == NULL || !is_shared_element(row, other, &root, &far) || root != array)
		return KT_FOLD_NONE;
	far = kt_poly_add(&row->family->polys, far, index, -1);
	if (far == NULL || far->count != 1 || far->terms[0].count != 1 || far->terms[0].factor != 1 ||
	    far->terms[0].atoms[0]->kind != KT_ATOM_VARIABLE || far->terms[0].atoms[0]->variable != width)
		return KT_FOLD_NONE;
	return kind;
}

/* The loop that folds the halves of a shared array together. */
static enum kt_fold_kind read_tree(struct kt_row *row, struct kt_tree *loop, const struct kt_tree_variable *array)
{
	struct kt_tree *declare, *body, *branch, *condition;
	const struct kt_tree_variable *width;

	if (loop->kind != KT_TREE_FOR || loop->children[0] == NULL || loop->children[1] == NULL)
		return KT_FOLD_NONE;
	declare = loop->children[0];
	if (declare->kind != KT_TREE_DECLARE || declare->count != 1 || declare->children[0]->count != 1)
		return KT_FOLD_NONE;
	width = declare->children[0]->variable;
	condition = kt_tree_bare(loop->children[1]);
	body = loop->children[3];
	if (!is_half_block(row, declare->children[0]->children[0]) || !kt_tree_is(condition, KT_TREE_BINARY, ">") ||
	    kt_tree_bare(condition->children[0])->variable != width || !kt_tree_bare(condition->children[1])->has_value ||
	    kt_tree_bare(condition->children[1])->value != 0 || !halves(row, loop->children[2], width) ||
	    body->kind != KT_TREE_BLOCK || body->count != 2 || body->children[0]->kind != KT_TREE_IF ||
	    body->children[0]->count != 2 || !is_call(body->children[1], "__syncthreads"))
		return KT_FOLD_NONE;
	branch = body->children[0];
	condition = kt_tree_bare(branch->children[0]);
	if (!kt_tree_is(condition, KT_TREE_BINARY, "<") || !is_thread_index(row, condition->children[0]))
		return KT_FOLD_NONE;
	condition = kt_tree_bare(condition->children[1]);
	while (condition->kind == KT_TREE_CAST)
		condition = kt_tree_bare(condition->children[0]);
	if (condition->variable != width)
		return KT_FOLD_NONE;
	return folded_pair(row, lone(branch->children[1]), array, width);
}

/* Store, barrier, tree. */
static bool read_fold(struct kt_row *row, size_t at)
{
	struct kt_tree *store = row->block->children[at];
	const struct kt_tree_variable *array;
	const struct kt_poly *index;
	struct kt_row_fold *fold = &row->folds[row->fold_count];

	if (!kt_tree_is(store, KT_TREE_ASSIGN, "=") || at + 2 >= row->block->count || row->fold_count == KT_ROW_FOLDS ||
	    !is_shared_element(row, store->children[0], &array, &index) ||
	    !is_thread_index(row, kt_tree_bare(store->children[0])->children[1]) ||
	    !is_call(row->block->children[at + 1], "__syncthreads"))
		return false;
	fold->kind = read_tree(row, row->block->children[at + 2], array);
	if (fold->kind == KT_FOLD_NONE)
		return false;
	fold->statement = at;
	fold->end = at + 3;
	fold->array = array;
	fold->value = store->children[1];
	kt_row_consume(row, store->children[0]);
	kt_row_consume(row, row->block->children[at + 2]);
	row->fold_count++;
	return true;
}

/* `if (threadIdx.x == 0)` without an else. */
bool kt_row_is_lone(struct kt_row *row, struct kt_tree *node)
{
	struct kt_tree *condition;

	if (node->kind != KT_TREE_IF || node->count != 2)
		return false;
	condition = kt_tree_bare(node->children[0]);
	return kt_tree_is(condition, KT_TREE_BINARY, "==") && is_thread_index(row, condition->children[0]) &&
	       kt_tree_bare(condition->children[1])->has_value && kt_tree_bare(condition->children[1])->value == 0;
}

static const struct kt_loop *loop_of(const struct kt_row *row, const struct kt_tree *node)
{
	for (size_t i = 0; i < row->family->loops.count; i++) {
		const struct kt_loop *loop = row->family->loops.loops[i];

		if (loop->node == node && loop->form == KT_LOOP_FOR && loop->share != KT_SHARE_BLOCK)
			return loop;
	}
	return NULL;
}

static bool add_loop(struct kt_row *row, const struct kt_loop *loop, size_t at)
{
	struct kt_effects *effects = &row->effects[row->loop_count];
	struct kt_error err;

	if (row->loop_count == KT_ROW_LOOPS || loop->dimension != 0)
		return refuse(row, "shape", loop->node, "loops in more than one dimension");
	if (kt_effects_read(effects, &row->family->polys, loop->body, 0, &err) != KT_OK) {
		row->family->failed = true;
		return false;
	}
	if (effects->barrier != NULL || effects->leaves != NULL || effects->unknown != NULL)
		return refuse(row, "loop-unread", effects->barrier != NULL  ? effects->barrier
		                                  : effects->leaves != NULL ? effects->leaves
		                                                            : effects->unknown,
		              "what this does in the loop cannot be put in another order");
	for (size_t i = 0; i < effects->fold_count; i++)
		if (effects->folds[i].kind == KT_FOLD_NONE)
			return refuse(row, "carried", loop->node, "a value is carried from one iteration to the next");
	row->flat = row->flat || loop->share == KT_SHARE_FLAT;
	if (loop->node->children[0] != NULL)
		kt_row_consume(row, loop->node->children[0]);
	else
		kt_row_consume(row, loop->variable->declaration);
	kt_row_consume(row, loop->node->children[2]);
	row->loops[row->loop_count] = loop;
	row->loop_at[row->loop_count++] = at;
	return true;
}

struct hunt {
	struct kt_row *row;
	const struct kt_tree *where;
	const struct kt_tree_variable *variable;
};

static bool no_write(struct kt_tree *node, void *context)
{
	struct hunt *hunt = context;
	bool reads, memory = node->kind == KT_TREE_INDEX || kt_tree_is(node, KT_TREE_UNARY, "*");

	if (node->kind == KT_TREE_STATEMENT || node->kind == KT_TREE_RETURN || node->kind == KT_TREE_BREAK ||
	    node->kind == KT_TREE_CONTINUE || (memory && kt_tree_is_target(node, &reads)) ||
	    (node->kind == KT_TREE_CALL && strncmp(node->name, "atomic", 6) == 0)) {
		hunt->where = node;
		return false;
	}
	return true;
}

static bool only_atomic(struct kt_tree *node, void *context)
{
	bool reads, memory = node->kind == KT_TREE_INDEX || kt_tree_is(node, KT_TREE_UNARY, "*");

	(void)context;
	return !(memory && kt_tree_is_target(node, &reads));
}

static bool read_statement(struct kt_row *row, size_t *at)
{
	struct kt_tree *node = row->block->children[*at];
	const struct kt_loop *loop = loop_of(row, node);
	struct hunt hunt = {.row = row};

	if (loop != NULL)
		return add_loop(row, loop, *at);
	kt_row_read_calls(row, *at);
	if (read_fold(row, *at)) {
		row->alone = true;
		*at += 2;
		return true;
	}
	if (is_call(node, "__syncthreads")) {
		row->alone = true;
		return true;
	}
	if (kt_row_is_lone(row, node)) {
		kt_row_consume(row, node->children[0]);
		row->alone = true;
		row->only_atomics = row->only_atomics && kt_tree_walk(node->children[1], only_atomic, NULL);
		return true;
	}
	if (!kt_tree_walk(node, no_write, &hunt)) {
		if (node->kind != KT_TREE_ASSIGN || !kt_tree_is(node, KT_TREE_ASSIGN, "="))
			return refuse(row, "shape", hunt.where, "this is done outside of the shared loops");
		row->alone = true;
		row->only_atomics = false;
	}
	return true;
}

static bool is_consumed(const struct kt_row *row, const struct kt_tree *node)
{
	for (size_t i = 0; i < row->consumed_count; i++)
		if (kt_tree_contains(row->consumed[i], node))
			return true;
	return false;
}

static bool asks_for_thread(const struct kt_atom *atom, void *context)
{
	(void)context;
	return atom->kind != KT_ATOM_BUILTIN || (atom->builtin != KT_THREAD_INDEX && atom->builtin != KT_BLOCK_EXTENT);
}

/* Nothing else may depend on where a thread stands, or on how many there are. */
static bool is_free(struct kt_tree *node, void *context)
{
	struct hunt *hunt = context;
	struct kt_row *row = hunt->row;
	const struct kt_poly *poly;
	const struct kt_tree *at = node;

	if (node->kind != KT_TREE_BUILTIN && node->kind != KT_TREE_REFERENCE)
		return true;
	if (node->kind == KT_TREE_BUILTIN && (node->builtin == KT_BLOCK_INDEX || node->builtin == KT_GRID_EXTENT))
		return true;
	if (is_consumed(row, node))
		return true;
	if (node->kind == KT_TREE_REFERENCE) {
		if (node->variable == NULL || node->variable->is_pointer || node->variable->is_array || node->has_value ||
		    kt_scalar_is_float(node->variable->scalar) || node->variable->scalar == KT_SCALAR_NONE)
			return true;
		poly = kt_poly_of(&row->family->polys, node);
		if (poly == NULL || kt_poly_every(poly, asks_for_thread, NULL))
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

/* Is a variable that a loop folds read before it is set again, other than by a fold? */
static bool reads_partial(struct kt_row *row, size_t loop, const struct kt_tree_variable *v)
{
	for (size_t at = row->loop_at[loop] + 1; at < row->block->count; at++) {
		struct kt_tree *node = row->block->children[at];
		bool stored = false, set;

		for (size_t f = 0; f < row->fold_count; f++)
			if (row->folds[f].statement == at) {
				struct kt_tree *value = kt_tree_bare(row->folds[f].value);

				stored = value->kind == KT_TREE_REFERENCE && value->variable == v;
			}
		if (kt_row_folds_in(row, at, v, &set)) {
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

/* A folded value that starts as another than the fold's neutral one would be counted by every thread. */
static bool starts_neutral(struct kt_row *row, const struct kt_fold *fold)
{
	const struct kt_tree_variable *v = fold->variable;

	(void)row;
	return fold->kind != KT_FOLD_SUM || v->declaration == NULL || v->declaration->count == 0 ||
	       (v->declaration->count == 1 && (kt_tree_bare(v->declaration->children[0])->has_value
	                                           ? kt_tree_bare(v->declaration->children[0])->value == 0
	                                           : kt_tree_bare(v->declaration->children[0])->kind == KT_TREE_LITERAL));
}

/* Elements of shared arrays: nothing but trees, and [0] behind them. */
static bool shared_is_known(struct kt_tree *node, void *context)
{
	struct hunt *hunt = context;
	const struct kt_tree_variable *array;
	const struct kt_poly *index;
	bool reads;

	if (node->kind == KT_TREE_REFERENCE && node->variable != NULL && node->variable->is_shared && !is_consumed(hunt->row, node)) {
		struct kt_tree *element = node->parent;

		if (kt_row_is_announced(hunt->row, node->variable))
			return true;
		if (element == NULL || !is_shared_element(hunt->row, element, &array, &index) || !kt_poly_is(index, 0) ||
		    kt_tree_is_target(element, &reads)) {
			hunt->where = node;
			return false;
		}
	}
	return true;
}

static bool check(struct kt_row *row)
{
	struct hunt hunt = {.row = row};

	if (!kt_tree_walk(row->family->kernel->body, is_free, &hunt))
		return refuse(row, "geometry-used", hunt.where, "where a thread stands is used for something else");
	if (!kt_tree_walk(row->family->kernel->body, shared_is_known, &hunt))
		return refuse(row, "shared-used", hunt.where, "shared memory is used for more than a sum or its like");
	if (!kt_row_check_calls(row))
		return false;
	for (size_t i = 0; i < row->loop_count; i++)
		for (size_t f = 0; f < row->effects[i].fold_count; f++) {
			if (reads_partial(row, i, row->effects[i].folds[f].variable))
				return refuse(row, "partial-used", row->loops[i]->node,
				              "a thread's part of a sum is used before all parts are added");
			if (!starts_neutral(row, &row->effects[i].folds[f]))
				return refuse(row, "partial-used", row->loops[i]->node, "a sum does not start at zero");
		}
	if (row->flat && (row->loop_count > 1 || !row->only_atomics || row->outer != NULL))
		return refuse(row, "shape", row->loops[0]->node, "each block's part of the whole is used");
	return true;
}

static const struct {
	enum kt_fold_kind kind;
	const char *function, *real, *whole, *word;
} helpers[] = {
	{KT_FOLD_SUM, "${ktune:callee:2}", "value + other", "value + other", "sum"},
	{KT_FOLD_MAX, "${ktune:callee:3}", "fmax(value, other)", "max(value, other)", "greatest"},
	{KT_FOLD_MIN, "${ktune:callee:4}", "fmin(value, other)", "min(value, other)", "least"},
};

const char *kt_row_fold_helper(struct kt_row *row, enum kt_fold_kind kind, enum kt_scalar scalar)
{
	struct kt_family *family = row->family;

	for (size_t i = 0; i < sizeof helpers / sizeof helpers[0]; i++) {
		const char *text;

		if (helpers[i].kind != kind)
			continue;
		text = kt_family_text(
		    family,
		    "// The %s of all threads' values, in every thread.\n"
		    "template <typename V> __device__ __forceinline__ V %s(V value)\n{\n"
		    "#pragma unroll\nfor (int mask = 16; mask > 0; mask /= 2) {\nconst V other = __shfl_xor_sync(0xffffffffu, value, mask);\n\n"
		    "value = %s;\n}\n"
		    "${if BLOCK > 32}\n"
		    "__shared__ V parts[${= BLOCK / 32}];\n\n"
		    "__syncthreads();\nif (threadIdx.x %% 32 == 0)\nparts[threadIdx.x / 32] = value;\n__syncthreads();\n"
		    "value = parts[threadIdx.x %% ${= BLOCK / 32}];\n"
		    "#pragma unroll\nfor (int mask = ${= BLOCK / 64}; mask > 0; mask /= 2) {\nconst V other = __shfl_xor_sync(0xffffffffu, value, mask);\n\n"
		    "value = %s;\n}\n${else}\n__syncwarp();\n${end}\nreturn value;\n}\n",
		    helpers[i].word, helpers[i].function,
		    kt_scalar_is_float(scalar) ? helpers[i].real : helpers[i].whole,
		    kt_scalar_is_float(scalar) ? helpers[i].real : helpers[i].whole);
		if (family->helpers.data == NULL || strstr(family->helpers.data, text) == NULL)
			kt_buf_adds(&family->helpers, text);
		return helpers[i].function;
	}
	return NULL;
}

struct naming {
	struct kt_row *row;
	const struct kt_row_fold *fold;
	uint32_t begin, end; /* where its result stands for [0] */
};

static bool name_results(struct kt_tree *node, void *context)
{
	const struct naming *naming = context;
	const struct kt_tree_variable *array;
	const struct kt_poly *index;

	if (node->kind == KT_TREE_INDEX && node->range.begin >= naming->begin && node->range.begin < naming->end &&
	    !is_consumed(naming->row, node) && is_shared_element(naming->row, node, &array, &index) &&
	    array == naming->fold->array)
		kt_write_set(&naming->row->family->write, node, naming->fold->name);
	return true;
}

static bool write_folds(struct kt_row *row)
{
	struct kt_family *family = row->family;

	for (size_t i = 0; i < row->fold_count; i++) {
		struct kt_row_fold *fold = &row->folds[i];
		struct naming naming = {row, fold, row->block->children[fold->end - 1]->range.end, row->block->range.end};
		const char *function = kt_row_fold_helper(row, fold->kind, fold->array->scalar);
		struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);

		if (function == NULL)
			return refuse(row, "shape", row->block->children[fold->statement], "a fold that has no shuffle");
		fold->name = kt_family_name(family, kt_family_text(family, "%s_all%s", fold->array->name, i == 0 ? "" : i == 1 ? "_b" : i == 2 ? "_c" : "_d"));
		for (size_t k = i + 1; k < row->fold_count; k++)
			if (row->folds[k].array == fold->array && row->block->children[row->folds[k].statement]->range.begin < naming.end)
				naming.end = row->block->children[row->folds[k].statement]->range.begin;
		/* Read after the barrier of the next fold's store it would be another value. */
		kt_tree_walk(family->kernel->body, name_results, &naming);
		kt_buf_addf(&text, "const %s %s = %s(static_cast<%s>(", fold->array->element, fold->name, function, fold->array->element);
		kt_write_node(&text, &family->write, fold->value);
		kt_buf_adds(&text, "));");
		kt_write_set(&family->write, row->block->children[fold->statement], kt_family_text(family, "%s", kt_buf_text(&text)));
		kt_write_set(&family->write, row->block->children[fold->statement + 1], "");
		kt_write_set(&family->write, row->block->children[fold->statement + 2], "");
		family->failed = family->failed || text.failed;
		kt_buf_free(&text);
	}
	kt_row_write_calls(row);
	if (row->fold_count > 0)
		kt_family_applied(family, "shuffle", "trees in shared memory become shuffles and one exchange between warps");
	return !family->failed;
}

static bool write_loops(struct kt_row *row)
{
	static const int64_t turns[] = {0, 1, 2, 4, 8}, splits[] = {1, 2, 4, 8};
	struct kt_family *family = row->family;
	struct kt_vector *vectors[KT_ROW_LOOPS] = {NULL}, *shared[KT_ROW_LOOPS];
	struct kt_buf front = KT_BUF(KT_LIMIT_SOURCE_BYTES), first = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const bool split = !row->alone && !row->flat;
	const char *wide = NULL, *bound = row->loops[0]->bound != NULL ? kt_rule_clause(family, row->loops[0]->bound) : NULL;
	struct kt_frame frame = {.start = "threadIdx.x", .step = "${BLOCK}"};
	size_t shared_count = 0;
	bool unread = false, keeps = false;

	if (split) {
		kt_family_parameter(family, "SPLIT", "blocks that share a row", splits, 4);
		frame.start = "${if SPLIT > 1}blockIdx.y * ${BLOCK} + ${end}threadIdx.x";
		frame.step = "${if SPLIT > 1}${= SPLIT * BLOCK}${else}${BLOCK}${end}";
	} else if (row->flat) {
		frame.start = "(long long)blockIdx.x * ${BLOCK} + threadIdx.x";
		frame.step = "(long long)gridDim.x * ${BLOCK}";
	}
	for (size_t i = 0; i < row->loop_count; i++) {
		if (kt_family_allows(family, "vectorize"))
			vectors[i] = kt_vector_plan(family, row->loops[i], &row->effects[i]);
		if (vectors[i] != NULL && !row->flat && kt_poly_equal(row->loops[i]->bound, row->loops[0]->bound) &&
		    kt_vector_is_known(family, vectors[i], row->loops[0]->node->range.begin))
			shared[shared_count++] = vectors[i];
		else
			unread = true;
	}
	/* What shares a row out in two ways must not pass data from one to the other. */
	if (unread && kt_row_meets(row, true)) {
		for (size_t i = 0; i < row->loop_count; i++)
			vectors[i] = NULL;
		shared_count = 0;
	}
	if (shared_count > 0) {
		wide = kt_family_name(family, "wide");
		kt_buf_addf(&front, "${if VEC > 1}\n// All accesses of the row can move ${VEC} elements.\nconst bool %s = ", wide);
		for (size_t i = 0; i < shared_count; i++) {
			kt_vector_conditions(&front, family, shared[i]);
		}
		kt_buf_adds(&front, " &&\n(long long)(");
		kt_poly_print(&front, family->kernel, row->loops[0]->bound, NULL, NULL);
		kt_buf_addf(&front, ") + (long long)(%s) * ${VEC} <= 0x7fffffffLL;\n${end}\n", frame.step);
		keeps = shared_count > 1 && bound != NULL && kt_family_allows(family, "row_cache") &&
		        kt_vector_keep(&front, family, shared, shared_count);
	}
	if (keeps) {
		kt_family_parameter(family, "TURNS", "packs of a row that a thread keeps in registers; 0: rows are read again", turns, 5);
		kt_family_restrict(family, "TURNS == 0 || VEC > 1 && UNROLL == 1", "only packs are kept, and all turns are unrolled");
		kt_family_restrict(family, kt_family_text(family, "TURNS == 0 || (%s) <= BLOCK * VEC * TURNS", bound),
		                   "the kept packs hold a row");
		kt_family_applied(family, "row_cache", "elements that several loops move stay in registers");
	}
	row->shared = !unread;
	for (size_t i = 0; i < row->loop_count; i++) {
		bool is_shared = false;

		for (size_t k = 0; k < shared_count; k++)
			is_shared = is_shared || shared[k] == vectors[i];
		frame.wide = is_shared ? wide : NULL;
		frame.turns = is_shared && keeps;
		kt_buf_clear(&first);
		if (i == 0)
			kt_buf_adds(&first, kt_buf_text(&front));
		kt_buf_adds(&first, vectors[i] != NULL ? kt_vector_text(family, vectors[i], &frame)
		                                       : kt_rule_plain_loop(family, row->loops[i], frame.start, frame.step));
		kt_rule_set_loop(family, row->loops[i], kt_family_text(family, "%s", kt_buf_text(&first)));
	}
	family->failed = family->failed || front.failed || first.failed;
	kt_buf_free(&front);
	kt_buf_free(&first);
	return !family->failed;
}

/* Barriers that only guarded the shared arrays are gone with them, and so are the arrays. */
static void write_rest(struct kt_row *row)
{
	const bool meet = row->announces || kt_row_meets(row, row->shared);

	for (size_t i = row->first; i < row->block->count; i++) {
		struct kt_tree *node = row->block->children[i];
		bool in_fold = false;

		for (size_t f = 0; f < row->fold_count; f++)
			in_fold = in_fold || (i >= row->folds[f].statement && i < row->folds[f].end);
		if (!in_fold && !meet && is_call(node, "__syncthreads"))
			kt_write_set(&row->family->write, node, "");
	}
	for (size_t i = 0; i < row->family->kernel->body->count; i++) {
		struct kt_tree *node = row->family->kernel->body->children[i];

		if (node->kind == KT_TREE_DECLARE && node->count == 1 && node->children[0]->kind == KT_TREE_VARIABLE &&
		    node->children[0]->variable->is_shared && !kt_row_is_announced(row, node->children[0]->variable))
			kt_write_set(&row->family->write, node, "");
	}
}

static bool find_row(struct kt_row *row)
{
	struct kt_family *family = row->family;

	row->block = family->kernel->body;
	for (size_t i = 0; i < family->loops.count; i++) {
		const struct kt_loop *loop = family->loops.loops[i];

		if (loop->share != KT_SHARE_BLOCK || loop->form != KT_LOOP_FOR)
			continue;
		if (row->outer != NULL || loop->outer != NULL || loop->dimension != 0)
			return refuse(row, "shape", loop->node, "rows are shared out more than once");
		row->outer = loop;
	}
	if (row->outer == NULL)
		return true;
	if (row->outer->body->kind == KT_TREE_BLOCK) {
		row->block = row->outer->body;
	} else {
		/* A lone statement: its loop is the only child of a block that is not there. */
		struct kt_tree *block = kt_arena_alloc(family->kernel->arena, sizeof *block);

		if (block == NULL)
			return false;
		*block = (struct kt_tree){.kind = KT_TREE_BLOCK, .range = row->outer->body->range, .count = 1,
		                          .children = &row->outer->node->children[3], .parent = row->outer->node};
		row->block = block;
	}
	return true;
}

static bool outside_is_pure(struct kt_row *row)
{
	struct hunt hunt = {.row = row};

	if (row->outer == NULL)
		return true;
	for (size_t i = 0; i < row->family->kernel->body->count; i++) {
		struct kt_tree *node = row->family->kernel->body->children[i];

		if (node != row->outer->node && (node->kind != KT_TREE_DECLARE || !kt_tree_walk(node, no_write, &hunt)))
			return refuse(row, "shape", node, "this is done outside of the loop over rows");
	}
	return true;
}

struct use {
	const struct kt_loop *outer;
};

static bool in_row_header(struct kt_tree *node, void *context)
{
	const struct use *use = context;

	return node->kind != KT_TREE_BUILTIN || (node->builtin != KT_BLOCK_INDEX && node->builtin != KT_GRID_EXTENT) ||
	       kt_tree_contains(use->outer->node->children[0], node) || kt_tree_contains(use->outer->node->children[2], node);
}

static void set_grid(struct kt_row *row)
{
	struct kt_family *family = row->family;
	const char *rows = row->outer != NULL ? kt_rule_clause(family, row->outer->bound) : NULL;
	struct use use = {row->outer};

	family->grid[1] = kt_family_has(family, "SPLIT") ? "SPLIT" : "1";
	family->grid[2] = "1";
	if (row->flat) {
		const char *bound = kt_rule_clause(family, row->loops[0]->bound);

		family->grid[0] = bound != NULL ? kt_rule_capped(family, kt_family_text(family, "max(1, ceil_div(%s, BLOCK%s%s))", bound,
		                                                                       kt_family_has(family, "VEC") ? " * VEC" : "",
		                                                                       kt_family_has(family, "UNROLL") ? " * UNROLL" : ""))
		                                : kt_rule_launched(family, true, 0);
	} else if (rows != NULL && kt_tree_walk(family->kernel->body, in_row_header, &use)) {
		family->grid[0] = kt_rule_capped(family, kt_family_text(family, "max(1, %s)", rows));
	} else {
		family->grid[0] = kt_rule_launched(family, true, 0);
	}
}

bool kt_rule_rows(struct kt_family *family)
{
	struct kt_row *row = kt_arena_alloc(family->kernel->arena, sizeof *row);

	if (row == NULL) {
		family->failed = true;
		return false;
	}
	row->family = family;
	row->only_atomics = true;
	if (!find_row(row))
		return false;
	if (row->outer != NULL) {
		if (row->outer->node->children[0] == NULL)
			return refuse(row, "shape", row->outer->node, "the rows' first index is set elsewhere");
		kt_row_consume(row, row->outer->node->children[0]);
		kt_row_consume(row, row->outer->node->children[2]);
	}
	for (size_t i = row->first; i < row->block->count; i++)
		if (!read_statement(row, &i))
			return false;
	if (row->loop_count == 0)
		return refuse(row, "no-shared-loop", NULL, "no loop shares its iterations out among threads");
	if (!outside_is_pure(row) || !check(row) || !kt_row_fuses(row) || !write_folds(row))
		return false;
	kt_row_forward(row);
	if (!write_loops(row))
		return false;
	write_rest(row);
	set_grid(row);
	kt_family_applied(family, "geometry", "rows among blocks, elements among threads: any number of threads will do");
	return true;
}
