/*
 * Trees: a fold over the block that is written out.
 *
 *   partial[threadIdx.x] = sum;            becomes   const float total = fold(sum);
 *   __syncthreads();                                 with shuffles in a warp and one
 *   for (s = blockDim.x / 2; s > 0; s /= 2) {        exchange between the warps, and
 *     if (threadIdx.x < s)                           any number of threads will do
 *       partial[threadIdx.x] += partial[threadIdx.x + s];
 *     __syncthreads();
 *   }
 *
 * Sound when: blocks as launched have a power of two of threads, as halves of anything else leave values out; of the
 * shared array nothing but the tree's result is read (row_check.c). Sums are taken in another order, within the
 * region's tolerance.
 */
#include <string.h>

#include "generation/rules/rows.h"

static bool refuse(struct kt_row *row, const char *reason, const struct kt_tree *where, const char *detail)
{
	return kt_rule_decline(row->family, reason, where, detail);
}

static bool is_thread_index(struct kt_row *row, struct kt_tree *node)
{
	const struct kt_poly *poly = kt_poly_of(&row->family->polys, node);
	enum kt_share share;
	unsigned dimension;

	return poly != NULL && kt_share_start(&share, &dimension, poly, row->family->block) && share == KT_SHARE_THREAD &&
	       dimension == 0;
}

bool kt_row_is_call(const struct kt_tree *node, const char *name)
{
	return node != NULL && node->kind == KT_TREE_CALL && strcmp(node->name, name) == 0;
}

/* The only statement in braces, or the statement. */
struct kt_tree *kt_row_lone(struct kt_tree *node)
{
	while (node != NULL && node->kind == KT_TREE_BLOCK && node->count == 1)
		node = node->children[0];
	return node;
}

/* shared[i] with this index; *array. */
bool kt_row_shared_element(struct kt_row *row, struct kt_tree *node, const struct kt_tree_variable **array,
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
	       kt_tree_bare(atom->node->children[0])->kind == KT_TREE_BUILTIN &&
	       kt_tree_bare(atom->node->children[1])->has_value && kt_tree_bare(atom->node->children[1])->value == 1;
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
		return poly != NULL &&
		       ((strcmp(op, "/") == 0 && kt_poly_is(poly, 2)) || (strcmp(op, ">>") == 0 && kt_poly_is(poly, 1)));
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

	if (write->kind != KT_TREE_ASSIGN || !kt_row_shared_element(row, write->children[0], &root, &index) ||
	    root != array || !is_thread_index(row, kt_tree_bare(write->children[0])->children[1]))
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
		if (kind == KT_FOLD_NONE || !kt_row_shared_element(row, a, &root, &far) || root != array)
			return KT_FOLD_NONE;
		other = kt_poly_equal(far, index) ? b : a;
		if (other == a && (!kt_row_shared_element(row, b, &root, &far) || !kt_poly_equal(far, index)))
			return KT_FOLD_NONE;
	}
	if (other == NULL || !kt_row_shared_element(row, other, &root, &far) || root != array)
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

	/* Halves of anything else than a power of two leave values out. */
	if (loop->kind != KT_TREE_FOR || loop->children[0] == NULL || loop->children[1] == NULL ||
	    row->family->block[0] < 2 || (row->family->block[0] & (row->family->block[0] - 1)) != 0)
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
	    body->children[0]->count != 2 || !kt_row_is_call(body->children[1], "__syncthreads"))
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
	return folded_pair(row, kt_row_lone(branch->children[1]), array, width);
}

/* Store, barrier, tree. */
bool kt_row_read_tree(struct kt_row *row, size_t at)
{
	struct kt_tree *store = row->block->children[at];
	const struct kt_tree_variable *array;
	const struct kt_poly *index;
	struct kt_row_fold *fold = &row->folds[row->fold_count];

	if (!kt_tree_is(store, KT_TREE_ASSIGN, "=") || at + 2 >= row->block->count || row->fold_count == KT_ROW_FOLDS ||
	    !kt_row_shared_element(row, store->children[0], &array, &index) ||
	    !is_thread_index(row, kt_tree_bare(store->children[0])->children[1]) ||
	    !kt_row_is_call(row->block->children[at + 1], "__syncthreads"))
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
	    !kt_row_is_consumed(naming->row, node) && kt_row_shared_element(naming->row, node, &array, &index) &&
	    array == naming->fold->array)
		kt_write_set(&naming->row->family->write, node, naming->fold->name);
	return true;
}

bool kt_row_write_trees(struct kt_row *row)
{
	struct kt_family *family = row->family;

	for (size_t i = 0; i < row->fold_count; i++) {
		struct kt_row_fold *fold = &row->folds[i];
		struct naming naming = {row, fold, row->block->children[fold->end - 1]->range.end, row->block->range.end};
		const char *function = kt_row_fold_helper(row, fold->kind, fold->array->scalar, fold->statement, NULL);
		struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);

		if (function == NULL)
			return refuse(row, "shape", row->block->children[fold->statement], "a fold that has no shuffle");
		fold->name = kt_family_name(family, kt_family_text(family, "%s_all%s", fold->array->name,
		                                                   i == 0 ? "" : i == 1 ? "_b" : i == 2 ? "_c" : "_d"));
		for (size_t k = i + 1; k < row->fold_count; k++)
			if (row->folds[k].array == fold->array &&
			    row->block->children[row->folds[k].statement]->range.begin < naming.end)
				naming.end = row->block->children[row->folds[k].statement]->range.begin;
		/* Read after the barrier of the next fold's store it would be another value. */
		kt_tree_walk(family->kernel->body, name_results, &naming);
		kt_buf_addf(&text, "const %s %s = %s(static_cast<%s>(", fold->array->element, fold->name, function,
		            fold->array->element);
		kt_write_node(&text, &family->write, fold->value);
		kt_buf_addf(&text, ")%s);", kt_rule_opencl_room(family, fold->array->scalar));
		kt_write_set(&family->write, row->block->children[fold->statement],
		             kt_family_text(family, "%s", kt_buf_text(&text)));
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
