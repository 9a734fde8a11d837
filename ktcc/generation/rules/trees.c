/*
 * Trees: a reduction over the block that is written out.
 *
 *   partial[threadIdx.x] = sum;            becomes   const float total = reduced(sum);
 *   __syncthreads();                                 with shuffles in a warp and one
 *   for (s = blockDim.x / 2; s > 0; s /= 2) {        exchange between the warps, and
 *     if (threadIdx.x < s)                           any number of threads will do
 *       partial[threadIdx.x] += partial[threadIdx.x + s];
 *     __syncthreads();
 *   }
 *
 * Several arrays may be stored and reduced by one tree, each once: a separate reduction for each.
 *
 * Sound when: blocks as launched have a power of two of threads, as halves of anything else leave values out; of the
 * shared array nothing but the tree's result is read (row_check.c). Sums are taken in another order, within the
 * region's tolerance.
 */
#include <string.h>

#include "generation/rules/rows.h"

bool kt_row_is_thread_index(struct kt_row *row, struct kt_tree *node)
{
	const struct kt_poly *poly = kt_poly_of(&row->family->polys, node);
	enum kt_share share;
	unsigned dimension;

	return poly != NULL && kt_share_start(&share, &dimension, poly, row->family->block) && share == KT_SHARE_THREAD &&
	       dimension == 0;
}

bool kt_row_is_call(const struct kt_tree *node, const char *name)
{
	return node != NULL && node->kind == KT_TREE_CALL && strcmp(node->known, name) == 0;
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

/* blockDim.x */
static bool is_block_length(const struct kt_poly *poly)
{
	const struct kt_atom *atom = poly->count == 1 && poly->terms[0].count == 1 && poly->terms[0].factor == 1
	                                 ? poly->terms[0].atoms[0]
	                                 : NULL;

	return atom != NULL && atom->kind == KT_ATOM_BUILTIN && atom->builtin == KT_BLOCK_EXTENT && atom->dimension == 0;
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
		return kt_poly_is(atom->right, 2) && is_block_length(atom->left);
	/* blockDim.x >> 1 */
	if (atom->kind != KT_ATOM_OPAQUE || !kt_tree_is(atom->node, KT_TREE_BINARY, ">>") ||
	    !kt_tree_bare(atom->node->children[1])->has_value || kt_tree_bare(atom->node->children[1])->value != 1)
		return false;
	poly = kt_poly_of(&row->family->polys, atom->node->children[0]);
	return poly != NULL && is_block_length(poly);
}

/* Has the counter all the widths? One of fewer bits would start at another one, and a fraction never ends at zero. */
static bool counts_widths(const struct kt_tree_variable *v, int64_t most)
{
	switch (v->scalar) {
	case KT_SCALAR_NONE:
	case KT_BOOL:
		return false;
	case KT_I8:
		return most <= INT8_MAX;
	case KT_U8:
		return most <= UINT8_MAX;
	default:
		return !kt_scalar_is_float(v->scalar);
	}
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

static bool is_variable(const struct kt_poly *poly, const struct kt_tree_variable *v)
{
	return poly->count == 1 && poly->terms[0].count == 1 && poly->terms[0].factor == 1 &&
	       poly->terms[0].atoms[0]->kind == KT_ATOM_VARIABLE && poly->terms[0].atoms[0]->variable == v;
}

/* s[t] op s[t + w] in one of its spellings. */
static enum kt_fold_kind folded_pair(struct kt_row *row, struct kt_tree *write, const struct kt_tree_variable *array,
                                     const struct kt_tree_variable *width)
{
	const struct kt_tree_variable *root;
	const struct kt_poly *index, *far;
	struct kt_tree *other = NULL, *value;
	enum kt_fold_kind kind = KT_FOLD_NONE;

	if (write->kind != KT_TREE_ASSIGN || !kt_row_shared_element(row, write->children[0], &root, &index) ||
	    root != array || !kt_row_is_thread_index(row, kt_tree_bare(write->children[0])->children[1]))
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
				if (strcmp(folding[i].name, value->known) == 0)
					kind = folding[i].kind;
			a = value->children[1];
			b = value->children[2];
			if (!kt_fold_compares(value->scalar, array->scalar))
				return KT_FOLD_NONE;
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
	return far != NULL && is_variable(far, width) ? kind : KT_FOLD_NONE;
}

bool kt_row_is_tree_place(struct kt_row *row, struct kt_tree *node, const struct kt_tree_variable *width)
{
	struct kt_tree *sum = kt_tree_bare(node);

	if (width == NULL)
		return kt_row_is_thread_index(row, node);
	for (size_t side = 0; side < 2 && kt_tree_is(sum, KT_TREE_BINARY, "+"); side++) {
		const struct kt_poly *poly = kt_poly_of(&row->family->polys, sum->children[1 - side]);

		if (poly != NULL && is_variable(poly, width) && kt_row_is_thread_index(row, sum->children[side]))
			return true;
	}
	return false;
}

struct kt_tree *kt_row_tree_step(struct kt_row *row, struct kt_tree *loop, const struct kt_tree_variable **out)
{
	struct kt_tree *declare, *body, *branch, *condition;
	const struct kt_tree_variable *width;

	/* Halves of anything else than a power of two leave values out. */
	if (loop->kind != KT_TREE_FOR || loop->children[0] == NULL || loop->children[1] == NULL ||
	    row->family->block[0] < 2 || (row->family->block[0] & (row->family->block[0] - 1)) != 0)
		return NULL;
	declare = loop->children[0];
	if (declare->kind != KT_TREE_DECLARE || declare->count != 1 || declare->children[0]->count != 1)
		return NULL;
	width = declare->children[0]->variable;
	condition = kt_tree_bare(loop->children[1]);
	body = loop->children[3];
	if (!is_half_block(row, declare->children[0]->children[0]) || !counts_widths(width, row->family->block[0] / 2) ||
	    !kt_tree_is(condition, KT_TREE_BINARY, ">") ||
	    kt_tree_bare(condition->children[0])->variable != width || !kt_tree_bare(condition->children[1])->has_value ||
	    kt_tree_bare(condition->children[1])->value != 0 || !halves(row, loop->children[2], width) ||
	    body->kind != KT_TREE_BLOCK || body->count != 2 || body->children[0]->kind != KT_TREE_IF ||
	    body->children[0]->count != 2 || !kt_row_is_call(body->children[1], "__syncthreads"))
		return NULL;
	branch = body->children[0];
	condition = kt_tree_bare(branch->children[0]);
	if (!kt_tree_is(condition, KT_TREE_BINARY, "<") || !kt_row_is_thread_index(row, condition->children[0]))
		return NULL;
	condition = kt_tree_bare(condition->children[1]);
	while (condition->kind == KT_TREE_CAST)
		condition = kt_tree_bare(condition->children[0]);
	if (condition->variable != width)
		return NULL;
	*out = width;
	return branch->children[1];
}

/* The loop that combines the halves of shared arrays, each once. */
static bool read_tree(struct kt_row *row, struct kt_tree *loop, struct kt_row_fold *folds, size_t count)
{
	const struct kt_tree_variable *width;
	struct kt_tree *step = kt_row_tree_step(row, loop, &width);

	if (step == NULL || (count > 1 && (step->kind != KT_TREE_BLOCK || step->count != count)))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct kt_tree *write = count > 1 ? kt_row_lone(step->children[i]) : kt_row_lone(step);
		size_t found = 0;

		for (size_t f = 0; f < count; f++) {
			const enum kt_fold_kind kind = folded_pair(row, write, folds[f].array, width);

			if (kind != KT_FOLD_NONE && folds[f].kind == KT_FOLD_NONE) {
				folds[f].kind = kind;
				found++;
			}
		}
		if (found != 1)
			return false;
	}
	return true;
}

static bool read_store(struct kt_row *row, struct kt_row_fold *fold, size_t at)
{
	struct kt_tree *store = row->block->children[at];
	const struct kt_poly *index;

	*fold = (struct kt_row_fold){.statement = at, .value = store->count == 2 ? store->children[1] : NULL};
	return kt_tree_is(store, KT_TREE_ASSIGN, "=") && kt_row_shared_element(row, store->children[0], &fold->array, &index) &&
	       kt_row_is_thread_index(row, kt_tree_bare(store->children[0])->children[1]);
}

/* Stores, a barrier, a tree over all of the arrays. */
bool kt_row_read_tree(struct kt_row *row, size_t at)
{
	struct kt_row_fold *folds = &row->folds[row->fold_count];
	size_t count = 0;

	while (row->fold_count + count < KT_ROW_FOLDS && at + count + 2 < row->block->count &&
	       read_store(row, &folds[count], at + count))
		count++;
	if (count == 0 || !kt_row_is_call(row->block->children[at + count], "__syncthreads") ||
	    !read_tree(row, row->block->children[at + count + 1], folds, count))
		return false;
	for (size_t i = 0; i < count; i++) {
		folds[i].end = at + count + 2;
		kt_row_consume(row, row->block->children[at + i]->children[0]);
	}
	kt_row_consume(row, row->block->children[at + count + 1]);
	row->fold_count += count;
	return true;
}

/* `if (threadIdx.x == 0)` without an else. */
bool kt_row_is_lone(struct kt_row *row, struct kt_tree *node)
{
	struct kt_tree *condition;

	if (node->kind != KT_TREE_IF || node->count != 2)
		return false;
	condition = kt_tree_bare(node->children[0]);
	return kt_tree_is(condition, KT_TREE_BINARY, "==") && kt_row_is_thread_index(row, condition->children[0]) &&
	       kt_tree_bare(condition->children[1])->has_value && kt_tree_bare(condition->children[1])->value == 0;
}

struct naming {
	struct kt_row *row;
	const struct kt_tree_variable *array;
	const char *name;
	uint32_t begin, end; /* where the name stands for [0] */
};

static bool name_results(struct kt_tree *node, void *context)
{
	const struct naming *naming = context;
	const struct kt_tree_variable *array;
	const struct kt_poly *index;

	if (node->kind == KT_TREE_INDEX && node->range.begin >= naming->begin && node->range.begin < naming->end &&
	    !kt_row_is_consumed(naming->row, node) && kt_row_shared_element(naming->row, node, &array, &index) &&
	    array == naming->array)
		kt_write_set(&naming->row->family->write, node, naming->name);
	return true;
}

/* Up to the next reduction in that array the result is the element [0]. */
static void name_result(struct kt_row *row, size_t i, const struct kt_tree_variable *array, const char *name)
{
	struct naming naming = {row, array, name, row->block->children[row->folds[i].end - 1]->range.end,
				row->block->range.end};

	for (size_t k = i + 1; k < row->fold_count; k++)
		if ((row->folds[k].array == array || row->folds[k].places == array) &&
		    row->block->children[row->folds[k].statement]->range.begin < naming.end)
			naming.end = row->block->children[row->folds[k].statement]->range.begin;
	/* Read after the barrier of the next reduction's store it would be another value. */
	kt_tree_walk(row->family->kernel->body, name_results, &naming);
}

/* The reduction's result is declared where the store was. */
static bool write_fold(struct kt_row *row, size_t i, struct kt_buf *out)
{
	struct kt_family *family = row->family;
	struct kt_row_fold *fold = &row->folds[i];
	const char *function = kt_row_fold_helper(row, fold->kind, fold->array->scalar, fold->statement, NULL);
	const char *type = fold->array->element;

	if (function == NULL)
		return kt_row_refuse(row, KT_DECLINE_SHAPE, row->block->children[fold->statement], "a reduction that has no shuffle");
	fold->name = kt_family_name(family, i == 0 ? kt_family_text(family, "%s_all", fold->array->name)
	                                           : kt_family_text(family, "%s_all_%c", fold->array->name, (char)('a' + i)));
	name_result(row, i, fold->array, fold->places != NULL ? kt_family_text(family, "%s.value", fold->name) : fold->name);
	if (fold->places != NULL) {
		name_result(row, i, fold->places, kt_family_text(family, "%s.place", fold->name));
		type = kt_family_text(family, "${ktune:callee:5}<%s, %s>", type, fold->places->element);
	}
	kt_buf_addf(out, "const %s %s = %s(", type, fold->name, function);
	kt_buf_addf(out, fold->places != NULL ? "%s{" : "static_cast<%s>(", type);
	kt_write_node(out, &family->write, fold->value);
	if (fold->places != NULL) {
		kt_buf_adds(out, ", ");
		kt_write_node(out, &family->write, fold->place);
	}
	kt_buf_addf(out, "%c%s);", fold->places != NULL ? '}' : ')', kt_rule_opencl_room(family, fold->array->scalar));
	return true;
}

bool kt_row_write_trees(struct kt_row *row)
{
	struct kt_family *family = row->family;

	for (size_t i = 0; i < row->fold_count; i++) {
		struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
		const bool written = write_fold(row, i, &text);
		const size_t first = row->folds[i].statement;

		if (written)
			kt_write_set(&family->write, row->block->children[first], kt_family_text(family, "%s", kt_buf_text(&text)));
		for (size_t k = first + 1; written && k < row->folds[i].end; k++)
			kt_write_set(&family->write, row->block->children[k], "");
		family->failed = family->failed || text.failed;
		kt_buf_free(&text);
		if (!written)
			return false;
	}
	kt_row_write_calls(row);
	if (row->fold_count > 0)
		kt_family_applied(family, "shuffle", "trees in shared memory become shuffles and one exchange between warps");
	return !family->failed;
}
