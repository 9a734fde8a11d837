/*
 * How the index of an access moves with a distributed loop: by a number of elements for each iteration, plus what does not
 * change.
 */
#include "generation/rules/vector.h"

#include <string.h>

bool kt_atom_is(const struct kt_atom *atom, const struct kt_tree_variable *v)
{
	return atom->kind == KT_ATOM_VARIABLE && atom->variable == v;
}

static bool is_alone(const struct kt_poly *poly, const struct kt_tree_variable *v)
{
	return poly->count == 1 && poly->terms[0].factor == 1 && poly->terms[0].count == 1 &&
	       kt_atom_is(poly->terms[0].atoms[0], v);
}

/* Items have their index as a declaration: its value is threadIdx and its kin, in every use. */
bool kt_loop_is_index(const struct kt_family *family, const struct kt_loop *loop, const struct kt_poly *poly)
{
	enum kt_share share;
	unsigned dimension;

	if (loop->form == KT_LOOP_FOR)
		return is_alone(poly, loop->variable);
	return kt_share_start(&share, &dimension, poly, family->block) && share == loop->share &&
	       dimension == loop->dimension;
}

bool kt_loop_varies(const struct kt_loop *loop, const struct kt_atom *atom)
{
	if (atom->left != NULL)
		return kt_loop_poly_varies(loop, atom->left) || kt_loop_poly_varies(loop, atom->right);
	/* Items that are written as a loop have no statement that sets their index. */
	if (loop->form == KT_LOOP_FOR)
		return kt_atom_is(atom, loop->variable) ||
		       (atom->node != NULL && kt_tree_uses((struct kt_tree *)atom->node, loop->variable)) ||
		       kt_atom_varies(atom, loop->node);
	if (atom->kind == KT_ATOM_BUILTIN)
		return (atom->builtin == KT_THREAD_INDEX || atom->builtin == KT_BLOCK_INDEX) &&
		       atom->dimension == loop->dimension;
	return kt_atom_varies(atom, kt_loop_scope(loop));
}

bool kt_loop_poly_varies(const struct kt_loop *loop, const struct kt_poly *poly)
{
	for (size_t i = 0; i < poly->count; i++)
		for (size_t j = 0; j < poly->terms[i].count; j++)
			if (kt_loop_varies(loop, poly->terms[i].atoms[j]))
				return true;
	return false;
}

/* The index with the loop's own part taken out, when that part is the index itself times a number. */
const struct kt_poly *kt_loop_index(struct kt_family *family, const struct kt_loop *loop)
{
	if (loop->form == KT_LOOP_FOR) {
		struct kt_tree reference = {.kind = KT_TREE_REFERENCE, .variable = (struct kt_tree_variable *)loop->variable};
		const struct kt_poly *poly;
		struct kt_tree *copy = kt_arena_alloc(family->kernel->arena, sizeof *copy);

		NEED(copy, NULL);
		*copy = reference;
		copy->range = loop->node->range;
		poly = kt_poly_of(&family->polys, copy);
		return poly;
	}
	return kt_poly_of(&family->polys, loop->declaration->children[0]->children[0]);
}

/* Takes `factor` times the loop's index out of the polynomial,
 * with the greatest factor for which it has all its terms. */
const struct kt_poly *kt_loop_take_index(struct kt_family *family, const struct kt_poly *poly,
                                         const struct kt_poly *self, int64_t *step)
{
	*step = 0;
	if (self == NULL || self->count == 0)
		return poly;
	for (size_t i = 0; i < poly->count; i++) {
		const struct kt_term *term = &poly->terms[i], *first = &self->terms[0];

		if (term->count != first->count || term->factor % first->factor != 0 ||
		    memcmp(term->atoms, first->atoms, term->count * sizeof *term->atoms) != 0)
			continue;
		*step = term->factor / first->factor;
		return kt_poly_add(&family->polys, poly, self, -*step);
	}
	return poly;
}

/* Of integers no narrower than an index. */
static const struct kt_tree *uncast(const struct kt_tree *node)
{
	node = kt_tree_bare((struct kt_tree *)node);
	while (node->kind == KT_TREE_CAST && node->count == 1 && kt_scalar_bytes(node->scalar) >= 4 &&
	       !kt_scalar_is_float(node->scalar))
		node = kt_tree_bare(node->children[0]);
	return node;
}

static bool is_row_quotient(const struct kt_family *family, const struct kt_loop *loop, const struct kt_atom *atom)
{
	return atom->kind == KT_ATOM_QUOTIENT && kt_loop_is_index(family, loop, atom->left) &&
	       !kt_loop_poly_varies(loop, atom->right);
}

const struct kt_tree_variable *kt_loop_row_load(struct kt_family *family, const struct kt_loop *loop,
                                                const struct kt_atom *atom, const struct kt_poly **index)
{
	const struct kt_tree_variable *v = atom->kind == KT_ATOM_VARIABLE ? atom->variable : NULL, *root;
	const struct kt_tree *node = atom->kind == KT_ATOM_OPAQUE ? atom->node : NULL;
	bool any = false;

	if (v != NULL && v->is_local && v->writes == 0 && !v->escapes && v->declaration != NULL &&
	    v->declaration->count == 1 && !v->is_array && !v->is_pointer &&
	    kt_tree_contains(kt_loop_scope(loop), v->declaration))
		node = v->declaration->children[0];
	if (node != NULL)
		node = uncast(node);
	if (node == NULL || node->kind != KT_TREE_INDEX || node->in_macro || kt_scalar_is_float(node->scalar) ||
	    kt_tree_bare(node->children[0])->kind != KT_TREE_REFERENCE)
		return NULL;
	root = kt_tree_bare(node->children[0])->variable;
	*index = kt_poly_of(&family->polys, node->children[1]);
	if (root == NULL || root->argument < 0 || root->writes != 0 || root->escapes || *index == NULL)
		return NULL;
	for (size_t i = 0; i < (*index)->count; i++)
		for (size_t j = 0; j < (*index)->terms[i].count; j++) {
			const struct kt_atom *part = (*index)->terms[i].atoms[j];

			if (is_row_quotient(family, loop, part))
				any = true;
			else if (kt_loop_varies(loop, part))
				return NULL;
		}
	return any ? root : NULL;
}

/* The quotients by which the row's number is found. False: too many. */
static bool add_row_load(struct kt_motion *out, struct kt_family *family, const struct kt_loop *loop,
                         const struct kt_tree_variable *root, const struct kt_poly *index)
{
	for (size_t i = 0; i < index->count; i++)
		for (size_t j = 0; j < index->terms[i].count; j++) {
			if (!is_row_quotient(family, loop, index->terms[i].atoms[j]))
				continue;
			if (out->division_count == 4)
				return false;
			out->divisions[out->division_count++] = index->terms[i].atoms[j];
		}
	if (out->load_count == 4)
		return false;
	out->loads[out->load_count++] = root;
	return true;
}

void kt_motion_find(struct kt_motion *out, struct kt_family *family, const struct kt_loop *loop,
                        const struct kt_poly *index)
{
	const struct kt_poly *self = kt_loop_index(family, loop), *rest;
	struct kt_poly *fixed = kt_arena_alloc(family->kernel->arena, sizeof *fixed);

	memset(out, 0, sizeof *out);
	rest = kt_loop_take_index(family, index, self, &out->step);
	if (rest == NULL || fixed == NULL)
		return;
	for (size_t i = 0; i < rest->count; i++) {
		const struct kt_term *term = &rest->terms[i];
		size_t moving = 0, at = 0;

		for (size_t j = 0; j < term->count; j++)
			if (kt_loop_varies(loop, term->atoms[j])) {
				moving++;
				at = j;
			}
		if (moving == 0) {
			fixed->terms[fixed->count++] = *term;
			continue;
		}
		const struct kt_atom *atom = term->atoms[at];
		const struct kt_poly *place;
		const struct kt_tree_variable *root = moving == 1 ? kt_loop_row_load(family, loop, atom, &place) : NULL;
		if (root != NULL && !add_row_load(out, family, loop, root, place))
			return;
		if (root == NULL && (moving > 1 || (atom->kind != KT_ATOM_QUOTIENT && atom->kind != KT_ATOM_REMAINDER) ||
		                     !kt_loop_is_index(family, loop, atom->left) || kt_loop_poly_varies(loop, atom->right) ||
		                     out->division_count == 4))
			return;
		if (root == NULL)
			out->divisions[out->division_count++] = atom;
		if (atom->kind == KT_ATOM_REMAINDER) {
			if (term->count != 1)
				return;
			out->step += term->factor;
		} else {
			if (out->row_count == 4)
				return;
			out->rows[out->row_count] = *term;
			/* The quotient itself is left out: the rest of the product is what VEC must divide. */
			memmove(&out->rows[out->row_count].atoms[at], &out->rows[out->row_count].atoms[at + 1],
			        (term->count - at - 1) * sizeof *term->atoms);
			out->rows[out->row_count++].count--;
		}
	}
	out->fixed = fixed;
	out->affine = true;
}

bool kt_access_same_place(struct kt_family *family, const struct kt_loop *one, const struct kt_access *a,
                          const struct kt_loop *two, const struct kt_access *b, const struct kt_poly **fixed)
{
	struct kt_motion left, right;

	kt_motion_find(&left, family, one, a->index);
	kt_motion_find(&right, family, two, b->index);
	*fixed = left.fixed;
	return a->root == b->root && left.affine && right.affine && left.division_count == 0 && right.division_count == 0 &&
	       left.step == right.step && left.step != 0 && kt_poly_equal(left.fixed, right.fixed);
}
