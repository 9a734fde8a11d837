#include "generation/rules/loops.h"

#include <string.h>

struct finder {
	struct kt_polys *polys;
	const int64_t *block;
	struct kt_loops *out;
	bool failed;
};

static const struct kt_atom *single(const struct kt_term *term, enum kt_builtin_index builtin)
{
	if (term->count != 1 || term->factor != 1 || term->atoms[0]->kind != KT_ATOM_BUILTIN ||
	    term->atoms[0]->builtin != builtin)
		return NULL;
	return term->atoms[0];
}

/* a · b of two indices of one dimension, in either order. */
static bool is_product(const struct kt_term *term, enum kt_builtin_index a, enum kt_builtin_index b, unsigned dimension)
{
	bool one = false, two = false;

	if (term->factor != 1 || term->count != 2)
		return false;
	for (size_t i = 0; i < 2; i++) {
		const struct kt_atom *atom = term->atoms[i];

		if (atom->kind != KT_ATOM_BUILTIN || atom->dimension != dimension)
			return false;
		one = one || atom->builtin == a;
		two = two || atom->builtin == b;
	}
	return one && two;
}

/* blockIdx · blockDim, or blockIdx · 256 where blocks have 256 threads. */
static bool is_block_begin(const struct kt_term *term, unsigned dimension, const int64_t block[3],
                           enum kt_builtin_index first)
{
	if (is_product(term, first, KT_BLOCK_EXTENT, dimension))
		return true;
	return term->count == 1 && block[dimension] > 1 && term->factor == block[dimension] &&
	       term->atoms[0]->kind == KT_ATOM_BUILTIN && term->atoms[0]->builtin == first &&
	       term->atoms[0]->dimension == dimension;
}

bool kt_share_start(enum kt_share *share, unsigned *dimension, const struct kt_poly *poly, const int64_t block[3])
{
	const struct kt_atom *atom;

	if (poly->count == 1) {
		if ((atom = single(&poly->terms[0], KT_THREAD_INDEX)) != NULL)
			*share = KT_SHARE_THREAD;
		else if ((atom = single(&poly->terms[0], KT_BLOCK_INDEX)) != NULL)
			*share = KT_SHARE_BLOCK;
		else
			return false;
		*dimension = atom->dimension;
		return true;
	}
	if (poly->count != 2)
		return false;
	for (size_t i = 0; i < 2; i++) {
		atom = single(&poly->terms[i], KT_THREAD_INDEX);
		if (atom != NULL && is_block_begin(&poly->terms[1 - i], atom->dimension, block, KT_BLOCK_INDEX)) {
			*share = KT_SHARE_FLAT;
			*dimension = atom->dimension;
			return true;
		}
	}
	return false;
}

static bool is_step(const struct kt_poly *poly, enum kt_share share, unsigned dimension, const int64_t block[3])
{
	const struct kt_atom *atom;

	if (share == KT_SHARE_THREAD && block[dimension] > 1 && kt_poly_is(poly, block[dimension]))
		return true;
	if (poly->count != 1)
		return false;
	if (share == KT_SHARE_FLAT)
		return is_block_begin(&poly->terms[0], dimension, block, KT_GRID_EXTENT);
	atom = single(&poly->terms[0], share == KT_SHARE_THREAD ? KT_BLOCK_EXTENT : KT_GRID_EXTENT);
	return atom != NULL && atom->dimension == dimension;
}

struct kt_tree *kt_loop_bound(struct kt_tree *condition, const struct kt_tree_variable *v, bool negated)
{
	struct kt_tree *node = kt_tree_bare(condition), *left, *right;

	if (node == NULL || node->kind != KT_TREE_BINARY || node->operator_ == NULL)
		return NULL;
	left = kt_tree_bare(node->children[0]);
	right = kt_tree_bare(node->children[1]);
	while (left->kind == KT_TREE_CAST)
		left = kt_tree_bare(left->children[0]);
	while (right->kind == KT_TREE_CAST)
		right = kt_tree_bare(right->children[0]);
	if (strcmp(node->operator_, negated ? ">=" : "<") == 0 && left->kind == KT_TREE_REFERENCE && left->variable == v &&
	    !kt_tree_uses(right, v))
		return right;
	if (strcmp(node->operator_, negated ? "<=" : ">") == 0 && right->kind == KT_TREE_REFERENCE &&
	    right->variable == v && !kt_tree_uses(left, v))
		return left;
	return NULL;
}

static struct kt_loop *add(struct finder *f, struct kt_loop loop)
{
	struct kt_loop *copy = kt_arena_alloc(f->polys->kernel->arena, sizeof *copy);
	struct kt_loop **slot = kt_arena_push(f->polys->kernel->arena, &f->out->loops, &f->out->count, sizeof *slot);

	if (copy == NULL || slot == NULL) {
		f->failed = true;
		return NULL;
	}
	*copy = loop;
	*slot = copy;
	return copy;
}

/* The variable that for's first part declares or sets, and with what. */
static struct kt_tree_variable *initialised(struct kt_tree *part, struct kt_tree **value)
{
	if (part == NULL)
		return NULL;
	if (part->kind == KT_TREE_DECLARE && part->count == 1 && part->children[0]->kind == KT_TREE_VARIABLE &&
	    part->children[0]->count == 1) {
		*value = part->children[0]->children[0];
		return part->children[0]->variable;
	}
	if (kt_tree_is(part, KT_TREE_ASSIGN, "=") && part->children[0]->kind == KT_TREE_REFERENCE) {
		*value = part->children[1];
		return part->children[0]->variable;
	}
	return NULL;
}

/* `v += S` and `v = v + S`. */
static const struct kt_poly *step_of(struct finder *f, struct kt_tree *part, const struct kt_tree_variable *v)
{
	if (part == NULL || part->kind != KT_TREE_ASSIGN || part->children[0]->kind != KT_TREE_REFERENCE ||
	    part->children[0]->variable != v)
		return NULL;
	if (kt_tree_is(part, KT_TREE_ASSIGN, "+="))
		return kt_poly_of(f->polys, part->children[1]);
	if (kt_tree_is(part, KT_TREE_ASSIGN, "=")) {
		struct kt_tree *sum = kt_tree_bare(part->children[1]);

		for (size_t i = 0; kt_tree_is(sum, KT_TREE_BINARY, "+") && i < 2; i++) {
			struct kt_tree *self = kt_tree_bare(sum->children[i]);

			if (self->kind == KT_TREE_REFERENCE && self->variable == v)
				return kt_poly_of(f->polys, sum->children[1 - i]);
		}
	}
	return NULL;
}

/* `int i = …; for (; i < n; …)`: the variable of the condition, where it is declared with its first index. */
static struct kt_tree_variable *started_before(const struct kt_tree *node, struct kt_tree **value)
{
	struct kt_tree *condition = kt_tree_bare(node->children[1]), *left;

	if (condition == NULL || condition->kind != KT_TREE_BINARY)
		return NULL;
	left = kt_tree_bare(condition->children[0]);
	if (left->kind != KT_TREE_REFERENCE || left->variable == NULL || left->variable->declaration == NULL ||
	    left->variable->declaration->count != 1)
		return NULL;
	*value = left->variable->declaration->children[0];
	return left->variable;
}

/* A first index that was put into a variable of its own before the loop: `for (int i = tid; …)`. */
static struct kt_loop *read_for(struct finder *f, struct kt_tree *node, const struct kt_loop *outer)
{
	struct kt_tree *value = NULL;
	struct kt_tree_variable *v = initialised(node->children[0], &value);
	size_t sets = node->children[0] == NULL || node->children[0]->kind == KT_TREE_DECLARE ? 1 : 2;
	struct kt_loop loop = {.form = KT_LOOP_FOR, .variable = v, .node = node, .body = node->children[3], .outer = outer};
	const struct kt_poly *start, *step;

	if (node->children[0] == NULL)
		loop.variable = v = started_before(node, &value);
	if (v == NULL || v->escapes || node->children[1] == NULL || kt_scalar_is_float(v->scalar))
		return NULL;
	start = kt_poly_of(f->polys, value);
	if (start == NULL || !kt_share_start(&loop.share, &loop.dimension, start, f->block))
		return NULL;
	step = step_of(f, node->children[2], v);
	loop.bound_node = kt_loop_bound(node->children[1], v, false);
	/* Once by the loop, and where it is set before; a body that writes it is no such loop. */
	if (step == NULL || loop.bound_node == NULL || !is_step(step, loop.share, loop.dimension, f->block) ||
	    v->writes != sets)
		return NULL;
	loop.bound = kt_poly_of(f->polys, loop.bound_node);
	if (loop.bound == NULL || kt_poly_varies(loop.bound, node->children[3]))
		return NULL;
	return add(f, loop);
}

static bool only_returns(const struct kt_tree *node)
{
	if (node->kind == KT_TREE_BLOCK)
		return node->count == 1 && only_returns(node->children[0]);
	return node->kind == KT_TREE_RETURN && node->count == 0;
}

/* `int i = blockIdx.x * blockDim.x + threadIdx.x;` and what guards the rest of the block. */
static struct kt_loop *read_item(struct finder *f, struct kt_tree *block, size_t at, const struct kt_loop *outer)
{
	struct kt_tree *declare = block->children[at];
	struct kt_tree_variable *v;
	const struct kt_poly *start;
	struct kt_loop loop = {.form = KT_LOOP_NONE, .declaration = declare, .block = block, .first = at + 1, .outer = outer};

	if (declare->count != 1 || declare->children[0]->kind != KT_TREE_VARIABLE || declare->children[0]->count != 1)
		return NULL;
	v = declare->children[0]->variable;
	if (v->writes != 0 || v->escapes || kt_scalar_is_float(v->scalar) || v->scalar == KT_SCALAR_NONE)
		return NULL;
	start = kt_poly_of(f->polys, declare->children[0]->children[0]);
	if (start == NULL || !kt_share_start(&loop.share, &loop.dimension, start, f->block) ||
	    loop.share == KT_SHARE_THREAD)
		return NULL;
	loop.variable = v;
	loop.node = declare;
	for (size_t i = at + 1; i < block->count; i++) {
		struct kt_tree *next = block->children[i];
		struct kt_tree *bound;

		if (next->kind == KT_TREE_DECLARE)
			continue;
		if (next->kind != KT_TREE_IF)
			break;
		bound = kt_loop_bound(next->children[0], v, false);
		if (bound != NULL && next->count == 2 && i + 1 == block->count) {
			loop.form = KT_LOOP_IF;
			loop.body = next->children[1];
		} else if ((bound = kt_loop_bound(next->children[0], v, true)) != NULL && next->count == 2 &&
		           only_returns(next->children[1])) {
			loop.form = KT_LOOP_RETURN;
			loop.first = i + 1;
		} else {
			break;
		}
		loop.node = next;
		loop.bound_node = bound;
		loop.bound = kt_poly_of(f->polys, bound);
		break;
	}
	/* A grid that covers the bound is no proof of anything where nothing is checked. */
	if (loop.form == KT_LOOP_NONE && loop.share == KT_SHARE_FLAT)
		return NULL;
	return add(f, loop);
}

static void find_in(struct finder *f, struct kt_tree *node, const struct kt_loop *outer)
{
	if (node == NULL || f->failed)
		return;
	if (node->kind == KT_TREE_FOR) {
		const struct kt_loop *loop = read_for(f, node, outer);

		find_in(f, node->children[3], loop != NULL ? loop : outer);
		return;
	}
	for (size_t i = 0; i < node->count; i++) {
		const struct kt_loop *loop = NULL;

		if (node->kind == KT_TREE_BLOCK && node->children[i]->kind == KT_TREE_DECLARE)
			loop = read_item(f, node, i, outer);
		if (loop != NULL)
			outer = loop;
		find_in(f, node->children[i], outer);
	}
}

kt_status kt_loops_find(struct kt_loops *out, struct kt_polys *polys, const int64_t block[3], struct kt_error *err)
{
	struct finder f = {polys, block, out, false};

	memset(out, 0, sizeof *out);
	find_in(&f, polys->kernel->body, NULL);
	return f.failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory for a kernel's loops") : KT_OK;
}

struct kt_tree *kt_loop_scope(const struct kt_loop *loop)
{
	return loop->body != NULL ? loop->body : loop->block;
}
