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

/*
 * Which places an index comes back to: it is cut off (i % 64, i & 63, a narrow type), and what is cut off is used (i
 * / 64).
 */
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

/* Of an expression. What is read from memory may distinguish any two iterations. */
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
	/* Whatever it is made of: (i / 64) % 2 comes back, and so does order[i] & 31. */
	if (kt_tree_is(node, KT_TREE_BINARY, "%") || kt_tree_is(node, KT_TREE_BINARY, "&") ||
	    (node->kind == KT_TREE_CAST && is_narrow(node->scalar))) {
		cut->off = true;
		return;
	}
	for (size_t i = 0; i < node->count; i++)
		find_cuts(cut, loop, node->children[i], depth - 1);
}

bool kt_rule_comes_back(const struct kt_loop *loop, const struct kt_poly *index)
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
			/* i - i / 64 * 64 is a remainder. */
			cut.off = cut.off || atom->kind == KT_ATOM_REMAINDER ||
				  (atom->kind == KT_ATOM_QUOTIENT && index->terms[i].factor < 0);
			cut.kept = cut.kept || (atom->kind == KT_ATOM_QUOTIENT && index->terms[i].factor > 0);
		}
	return cut.off && !cut.kept;
}

/* Could iterations at this distance be of one thread? Not if the distance is no multiple of a block. */
static bool are_of_one_thread(const struct kt_family *family, const struct kt_loop *loop, int64_t distance)
{
	const int64_t threads = family->block[loop->dimension], warp = 32;

	return threads > 0 ? distance % threads == 0 : distance >= warp || distance <= -warp;
}

/*
 * Places at a distance that arguments determine: a guard asks that no iteration comes from one to the other. Where no clause
 * has these arguments, the places are of different rows.
 */
static void guard_distance(struct kt_family *family, const struct kt_loop *loop, const struct kt_access *a,
			   const struct kt_access *b, int64_t step)
{
	struct kt_polys *polys = &family->polys;
	const struct kt_poly *distance = kt_poly_add(polys, a->index, b->index, -1), *reach = NULL;
	const char *bound;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	if (distance != NULL && distance->count > 0 && distance->terms[0].factor < 0)
		distance = kt_poly_add(polys, b->index, a->index, -1);
	if (loop->bound != NULL)
		reach = kt_poly_multiply(polys, loop->bound, kt_poly_constant(polys, step < 0 ? -step : step));
	if (distance == NULL || reach == NULL || kt_poly_equal(distance, reach))
		return;
	bound = kt_rule_clause(family, reach);
	if (bound != NULL && kt_poly_clause(&text, distance)) {
		const char *apart = kt_family_text(family, "%s", kt_buf_text(&text));

		kt_family_guard(family,
				kt_family_text(family, "(%s) >= (%s) || (%s) + (%s) <= 0", apart, bound, apart, bound),
				"no iteration touches what another one of its thread wrote");
	}
	family->failed = family->failed || text.failed;
	kt_buf_free(&text);
}

/* Are there two iterations of one thread of which one is at `a` where the other is at `b`? */
static bool are_apart(struct kt_family *family, const struct kt_loop *loop, const struct kt_access *a,
                      const struct kt_access *b)
{
	struct kt_motion left, right;
	int64_t distance, bound;

	kt_motion_find(&left, family, loop, a->index);
	kt_motion_find(&right, family, loop, b->index);
	if (!left.affine || !right.affine || left.division_count + right.division_count > 0 ||
	    left.step != right.step || left.step == 0)
		return false;
	if (!kt_poly_is_number(kt_poly_add(&family->polys, left.fixed, right.fixed, -1), &distance)) {
		guard_distance(family, loop, a, b, left.step);
		return false;
	}
	if (distance == 0 || distance % left.step != 0)
		return false;
	distance /= left.step;
	if (!are_of_one_thread(family, loop, distance))
		return false;
	return !kt_poly_is_number(loop->bound, &bound) || bound > (distance < 0 ? -distance : distance);
}

/* The number that the access sets its element to, or NULL: `found[0] = 1`. */
static const struct kt_tree *mark(const struct kt_access *access)
{
	const struct kt_tree *set = access->node->parent;

	if (access->reads || !kt_tree_is(set, KT_TREE_ASSIGN, "=") || set->children[0] != access->node)
		return NULL;
	set = kt_tree_bare(set->children[1]);
	return set->has_value ? set : NULL;
}

/* Iterations that leave the same number in an element have no order. */
static bool mark_alike(const struct kt_access *a, const struct kt_access *b)
{
	const struct kt_tree *one = mark(a), *other = mark(b);

	return one != NULL && other != NULL && one->value == other->value;
}

/* Where one thread does all iterations, each is to have its own element: nothing that a race would forbid is known. */
static bool is_shared(struct kt_family *family, const struct kt_loop *loop, const struct kt_access *access,
		      const struct kt_access *other)
{
	struct kt_motion motion;

	if (family->block[0] != 1 || family->block[1] > 1 || family->block[2] > 1)
		return false;
	kt_motion_find(&motion, family, loop, access->index);
	return !kt_poly_equal(access->index, other->index) || !motion.affine || motion.step == 0 ||
	       motion.division_count + motion.row_count > 0;
}

const struct kt_tree *kt_rule_repeats(struct kt_family *family, const struct kt_loop *loop,
                                      const struct kt_effects *effects)
{
	if (loop->form != KT_LOOP_FOR)
		return NULL;
	for (size_t i = 0; i < effects->access_count; i++)
		for (size_t j = 0; j < effects->access_count; j++) {
			const struct kt_access *a = &effects->accesses[i], *b = &effects->accesses[j];

			if (!a->writes || (a->atomic && b->atomic) || a->root->is_local || b->root->is_local ||
			    mark_alike(a, b))
				continue;
			/* In OpenCL a launch has no addresses that a guard could compare. */
			if (a->root != b->root && kt_roots_may_alias(a->root, b->root))
				(void)kt_family_disjoint(family, a->root, b->root);
			if (a->root != b->root || a->atomic || b->atomic)
				continue;
			if (is_shared(family, loop, a, b))
				return a->node;
			if (kt_rule_comes_back(loop, a->index) || kt_rule_comes_back(loop, b->index) ||
			    (i != j && are_apart(family, loop, a, b)))
				return kt_rule_comes_back(loop, b->index) ? b->node : a->node;
		}
	return NULL;
}
