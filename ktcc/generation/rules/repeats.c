/*
 * Elements that iterations of one thread share:
 *
 *   for (i = threadIdx.x; i < n; i += 64) last[i % 64] = x[i];
 *   for (i = threadIdx.x; i < n; i += 64) if (i >= 64) y[i] += y[i - 64];
 *
 * Two threads never touch one element there, so the kernel has no race: a thread comes back to its own elements, in the
 * order of its iterations. Iterations that are distributed in another way have no such order.
 */
#include "generation/rules/vector.h"

#include <string.h>

enum { MOST_DEPTH = 16 };

/* Which places an index comes back to: it is cut off (i % 64, i & 63, a narrow type), and what is cut off is used (i / 64). */
struct cut {
	bool off, kept;
};

static void find_cuts(struct cut *cut, const struct kt_loop *loop, const struct kt_tree *node, unsigned depth);

static bool is_narrow(enum kt_scalar scalar)
{
	return scalar != KT_SCALAR_NONE && !kt_scalar_is_float(scalar) && kt_scalar_bytes(scalar) < 4;
}

struct assigned {
	struct cut *cut;
	const struct kt_loop *loop;
	const struct kt_tree_variable *variable;
	unsigned depth;
};

static bool find_assigned(struct kt_tree *node, void *context)
{
	const struct assigned *a = context;
	const struct kt_tree *target = node->kind == KT_TREE_ASSIGN ? kt_tree_bare(node->children[0]) : NULL;

	if (target == NULL || target->kind != KT_TREE_REFERENCE || target->variable != a->variable)
		return true;
	a->cut->off = a->cut->off || kt_tree_is(node, KT_TREE_ASSIGN, "%=") || kt_tree_is(node, KT_TREE_ASSIGN, "&=");
	a->cut->kept = a->cut->kept || kt_tree_is(node, KT_TREE_ASSIGN, "/=") || kt_tree_is(node, KT_TREE_ASSIGN, ">>=");
	find_cuts(a->cut, a->loop, node->children[1], a->depth);
	return true;
}

/* What a variable of the iteration's own is set to. */
static void find_set(struct cut *cut, const struct kt_loop *loop, const struct kt_tree_variable *v, unsigned depth)
{
	struct kt_tree *scope = kt_loop_scope(loop);

	if (!v->is_local || v->is_array || v->is_pointer || v->declaration == NULL || !kt_tree_contains(scope, v->declaration))
		return;
	cut->off = cut->off || is_narrow(v->scalar);
	if (v->declaration->count > 0)
		find_cuts(cut, loop, v->declaration->children[0], depth);
	if (v->writes > 0)
		(void)kt_tree_walk(scope, find_assigned, &(struct assigned){cut, loop, v, depth});
}

/* Of an expression. What is read from memory may tell any two iterations apart. */
static void find_cuts(struct cut *cut, const struct kt_loop *loop, const struct kt_tree *node, unsigned depth)
{
	if (node == NULL || depth == 0)
		return;
	if (node->kind == KT_TREE_INDEX || node->kind == KT_TREE_CALL || node->kind == KT_TREE_OTHER ||
	    kt_tree_is(node, KT_TREE_UNARY, "*")) {
		cut->kept = true;
		return;
	}
	if (node->kind == KT_TREE_REFERENCE && node->variable != NULL) {
		find_set(cut, loop, node->variable, depth - 1);
		return;
	}
	if (kt_tree_is(node, KT_TREE_BINARY, "/") || kt_tree_is(node, KT_TREE_BINARY, ">>")) {
		cut->kept = true;
		return;
	}
	cut->off = cut->off || kt_tree_is(node, KT_TREE_BINARY, "%") || kt_tree_is(node, KT_TREE_BINARY, "&") ||
	           (node->kind == KT_TREE_CAST && is_narrow(node->scalar));
	for (size_t i = 0; i < node->count; i++)
		find_cuts(cut, loop, node->children[i], depth - 1);
}

/* Is the index cut off, and nothing of what is cut off in it? A row and a column of i together are i again. */
static bool comes_back(const struct kt_loop *loop, const struct kt_poly *index)
{
	struct cut cut = {false, false};

	for (size_t i = 0; index != NULL && i < index->count; i++)
		for (size_t j = 0; j < index->terms[i].count; j++) {
			const struct kt_atom *atom = index->terms[i].atoms[j];

			if (!kt_loop_varies(loop, atom))
				continue;
			if (atom->kind == KT_ATOM_VARIABLE)
				find_set(&cut, loop, atom->variable, MOST_DEPTH);
			else if (atom->kind == KT_ATOM_OPAQUE)
				find_cuts(&cut, loop, atom->node, MOST_DEPTH);
			cut.off = cut.off || atom->kind == KT_ATOM_REMAINDER;
			cut.kept = cut.kept || atom->kind == KT_ATOM_QUOTIENT;
		}
	return cut.off && !cut.kept;
}

static bool is_number(const struct kt_poly *poly, int64_t *value)
{
	*value = poly != NULL && poly->count == 1 ? poly->terms[0].factor : 0;
	return poly != NULL && (poly->count == 0 || (poly->count == 1 && poly->terms[0].count == 0));
}

/* Could iterations so many apart be of one thread? Not if they are no multiple of a block apart. */
static bool are_of_one_thread(const struct kt_family *family, const struct kt_loop *loop, int64_t distance)
{
	const int64_t threads = family->block[loop->dimension], warp = 32;

	return threads > 0 ? distance % threads == 0 : distance >= warp || distance <= -warp;
}

/* Are there two iterations of one thread of which one is at `a` where the other is at `b`? */
static bool are_apart(struct kt_family *family, const struct kt_loop *loop, const struct kt_access *a,
                      const struct kt_access *b)
{
	struct kt_motion left, right;
	int64_t distance, bound;

	kt_motion_find(&left, family, loop, a->index);
	kt_motion_find(&right, family, loop, b->index);
	if (!left.affine || !right.affine || left.division_count + right.division_count > 0 || left.step != right.step ||
	    left.step == 0 || !is_number(kt_poly_add(&family->polys, left.fixed, right.fixed, -1), &distance))
		return false;
	if (distance == 0 || distance % left.step != 0)
		return false;
	distance /= left.step;
	if (!are_of_one_thread(family, loop, distance))
		return false;
	return !is_number(loop->bound, &bound) || bound > (distance < 0 ? -distance : distance);
}

const struct kt_tree *kt_rule_repeats(struct kt_family *family, const struct kt_loop *loop,
                                      const struct kt_effects *effects)
{
	if (loop->form != KT_LOOP_FOR)
		return NULL;
	for (size_t i = 0; i < effects->access_count; i++)
		for (size_t j = 0; j < effects->access_count; j++) {
			const struct kt_access *a = &effects->accesses[i], *b = &effects->accesses[j];

			if (a->root != b->root || !a->writes || a->atomic || b->atomic || a->root->is_local)
				continue;
			if (comes_back(loop, a->index) || comes_back(loop, b->index) || (i != j && are_apart(family, loop, a, b)))
				return comes_back(loop, b->index) ? b->node : a->node;
		}
	return NULL;
}
