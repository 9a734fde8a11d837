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

/* (blockIdx.x + blockIdx.y * gridDim.x) * blockDim.x + threadIdx.x */
static bool is_linear(const struct kt_poly *poly, const int64_t block[3])
{
	bool thread = false, begin = false, rows = false;

	for (size_t i = 0; poly->count == 3 && i < 3; i++) {
		const struct kt_term *term = &poly->terms[i];
		const struct kt_atom *atom = single(term, KT_THREAD_INDEX);
		const bool literal = block[0] > 1 && term->factor == block[0];
		bool y = false, extent = literal, grid = false;

		thread = thread || (atom != NULL && atom->dimension == 0);
		begin = begin || is_block_begin(term, 0, block, KT_BLOCK_INDEX);
		for (size_t a = 0; a < term->count; a++) {
			atom = term->atoms[a];
			y = y || (atom->kind == KT_ATOM_BUILTIN && atom->builtin == KT_BLOCK_INDEX && atom->dimension == 1);
			extent =
			    extent || (atom->kind == KT_ATOM_BUILTIN && atom->builtin == KT_BLOCK_EXTENT && atom->dimension == 0);
			grid = grid || (atom->kind == KT_ATOM_BUILTIN && atom->builtin == KT_GRID_EXTENT && atom->dimension == 0);
		}
		rows = rows || (y && extent && grid && term->count == (literal ? 2 : 3) && (literal || term->factor == 1));
	}
	return thread && begin && rows;
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

/* Steps of all threads would take a counter of 16 bits or less past its range. */
static bool is_narrow(const struct kt_tree_variable *v)
{
	return v->scalar != KT_SCALAR_NONE && kt_scalar_bytes(v->scalar) < 4;
}

/* A first index that was put into a separate variable before the loop: `for (int i = tid; …)`. */
static struct kt_loop *read_for(struct finder *f, struct kt_tree *node, const struct kt_loop *outer)
{
	struct kt_tree *value = NULL;
	struct kt_tree_variable *v = initialised(node->children[0], &value);
	size_t sets = node->children[0] == NULL || node->children[0]->kind == KT_TREE_DECLARE ? 1 : 2;
	struct kt_loop loop = {.form = KT_LOOP_FOR, .variable = v, .node = node, .body = node->children[3], .outer = outer};
	const struct kt_poly *start, *step;

	if (node->children[0] == NULL)
		loop.variable = v = started_before(node, &value);
	if (v == NULL || v->escapes || node->children[1] == NULL || kt_scalar_is_float(v->scalar) ||
	    is_narrow(v))
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

static bool is_no_builtin(struct kt_tree *node, void *context)
{
	(void)context;
	return node->kind != KT_TREE_BUILTIN;
}

static bool starts_by_thread(struct kt_tree *node)
{
	struct kt_tree *value = NULL;

	if (node->children[0] == NULL ? started_before(node, &value) == NULL
	                              : initialised(node->children[0], &value) == NULL)
		return false;
	value = kt_tree_bare(value);
	while (value->kind == KT_TREE_REFERENCE && value->variable != NULL && value->variable->writes == 0 &&
	       value->variable->declaration != NULL && value->variable->declaration->count == 1)
		value = kt_tree_bare(value->variable->declaration->children[0]);
	return !kt_tree_walk(value, is_no_builtin, NULL);
}

/* Touches a thread's own variables and nothing else: it writes no memory, waits for no thread and ends nothing. */
static bool is_quiet(struct kt_tree *node, void *context)
{
	bool reads;

	(void)context;
	switch (node->kind) {
	case KT_TREE_RETURN:
	case KT_TREE_BREAK:
	case KT_TREE_CONTINUE:
	case KT_TREE_STATEMENT:
	case KT_TREE_OTHER:
	case KT_TREE_CALL:
		return false;
	case KT_TREE_INDEX:
		return !kt_tree_is_target(node, &reads);
	case KT_TREE_UNARY:
		return !kt_tree_is(node, KT_TREE_UNARY, "*") || !kt_tree_is_target(node, &reads);
	case KT_TREE_VARIABLE:
		return node->variable == NULL || !node->variable->is_shared;
	default:
		return true;
	}
}

bool kt_loop_is_quiet(struct kt_tree *statement)
{
	return kt_tree_walk(statement, is_quiet, NULL);
}

struct target {
	const struct kt_tree_variable *variable;
};

static bool not_target(struct kt_tree *node, void *context)
{
	const struct target *target = context;
	bool reads;

	return node->kind != KT_TREE_REFERENCE || node->variable != target->variable || !kt_tree_is_target(node, &reads);
}

/* What bounds the index: a condition around the rest of the block, or a return.
 * `*plain`: nothing is before it. */
static bool read_guard(struct finder *f, struct kt_loop *loop, size_t at, bool *plain)
{
	const struct kt_tree_variable *v = loop->variable;
	struct target target = {v};

	*plain = true;
	for (size_t i = at + 1; i < loop->block->count; i++) {
		struct kt_tree *next = loop->block->children[i], *bound = NULL;

		if (next->kind == KT_TREE_IF && next->count == 2) {
			if ((bound = kt_loop_bound(next->children[0], v, false)) != NULL && i + 1 == loop->block->count) {
				loop->form = KT_LOOP_IF;
				loop->body = next->children[1];
			} else if ((bound = kt_loop_bound(next->children[0], v, true)) != NULL && kt_tree_only_returns(next->children[1])) {
				loop->form = KT_LOOP_RETURN;
				loop->first = i + 1;
			} else {
				bound = NULL;
			}
		}
		if (bound != NULL) {
			loop->node = next;
			loop->bound_node = bound;
			loop->bound = kt_poly_of(f->polys, bound);
			/* It is asked in front of everything: it may not be made ready there. */
			return *plain || (loop->bound != NULL && !kt_poly_varies(loop->bound, loop->block));
		}
		if (!kt_tree_walk(next, not_target, &target) || (next->kind != KT_TREE_DECLARE && !kt_loop_is_quiet(next)))
			return false;
		*plain = *plain && (next->kind == KT_TREE_DECLARE || next->kind == KT_TREE_EMPTY);
	}
	return false;
}

/* The bound that the launch is, as a node that is not in the text. */
static struct kt_tree *launched_bound(struct finder *f, const struct kt_loop *loop, const struct kt_poly **bound)
{
	struct kt_tree *node = kt_arena_alloc(f->polys->kernel->arena, sizeof *node);

	*bound = kt_launched_extent(f->polys, loop->dimension, false);
	if (node == NULL)
		f->failed = true;
	else
		*node = (struct kt_tree){.kind = KT_TREE_OTHER, .parent = loop->declaration};
	return node;
}

/* `int i = blockIdx.x * blockDim.x + threadIdx.x;` and what guards the rest of the block. */
static struct kt_loop *read_item(struct finder *f, struct kt_tree *block, size_t at, const struct kt_loop *outer)
{
	struct kt_tree *declare = block->children[at];
	struct kt_tree_variable *v;
	const struct kt_poly *start;
	struct kt_loop loop = {.form = KT_LOOP_NONE, .declaration = declare, .block = block, .first = at + 1,
	                       .outer = outer};
	bool plain;

	if (declare->count != 1 || declare->children[0]->kind != KT_TREE_VARIABLE || declare->children[0]->count != 1)
		return NULL;
	v = declare->children[0]->variable;
	if (v->escapes || kt_scalar_is_float(v->scalar) || v->scalar == KT_SCALAR_NONE || is_narrow(v))
		return NULL;
	NEED(start = kt_poly_of(f->polys, declare->children[0]->children[0]), NULL);
	if (is_linear(start, f->block)) {
		loop.share = KT_SHARE_FLAT;
		loop.linear = true;
	} else if (!kt_share_start(&loop.share, &loop.dimension, start, f->block) || loop.share == KT_SHARE_THREAD) {
		return NULL;
	}
	if (v->writes != 0 && loop.share != KT_SHARE_FLAT)
		return NULL;
	loop.variable = v;
	loop.changes = v->writes != 0;
	loop.node = declare;
	if (!read_guard(f, &loop, at, &plain)) {
		struct target target = {v};

		loop = (struct kt_loop){.form = KT_LOOP_NONE, .share = loop.share, .dimension = loop.dimension,
		                        .linear = loop.linear,
		                        .changes = loop.changes, .variable = v, .node = declare, .declaration = declare,
		                        .block = block, .first = at + 1, .outer = outer};
		if (loop.share != KT_SHARE_FLAT)
			return add(f, loop);
		if (block != f->polys->kernel->body || loop.linear || (outer != NULL && outer->form != KT_LOOP_NONE) ||
		    !kt_tree_walk(block, not_target, &target))
			return NULL;
		/* Nothing asks: all threads of the launch have an index. */
		loop.bound_node = launched_bound(f, &loop, &loop.bound);
		loop.form = KT_LOOP_RETURN;
		loop.exact = true;
		if (loop.bound_node == NULL || loop.bound == NULL) {
			f->out->unbounded = f->out->unbounded != NULL ? f->out->unbounded : declare;
			return NULL;
		}
		return add(f, loop);
	}
	if (!plain) {
		/* What is before the bound belongs to the iteration, and so does the question. */
		loop.form = KT_LOOP_RETURN;
		loop.node = declare;
		loop.body = NULL;
		loop.first = at + 1;
	}
	return add(f, loop);
}

static void find_in(struct finder *f, struct kt_tree *node, const struct kt_loop *outer)
{
	if (node == NULL || f->failed)
		return;
	if (node->kind == KT_TREE_FOR) {
		const struct kt_loop *loop = read_for(f, node, outer);

		if (loop == NULL && f->out->unread == NULL && starts_by_thread(node))
			f->out->unread = node;

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

struct names {
	const struct kt_loops *loops;
	const struct kt_loop *loop;
};

/* Is every use of the variable in what another index is declared with? */
static bool names_only(struct kt_tree *node, void *context)
{
	const struct names *names = context;

	if (node->kind != KT_TREE_REFERENCE || node->variable != names->loop->variable)
		return true;
	for (size_t i = 0; i < names->loops->count; i++) {
		const struct kt_loop *other = names->loops->loops[i];

		if (other != names->loop && other->share == KT_SHARE_FLAT && other->declaration != NULL &&
		    kt_tree_contains(other->declaration, node))
			return true;
	}
	return false;
}

static void drop(struct kt_loops *loops, size_t i)
{
	const struct kt_loop *loop = loops->loops[i];

	for (size_t k = 0; k < loops->count; k++)
		if (loops->loops[k]->outer == loop)
			loops->loops[k]->outer = loop->outer;
	memmove(&loops->loops[i], &loops->loops[i + 1], (loops->count - i - 1) * sizeof *loops->loops);
	loops->count--;
}

/*
 * `int bx = blockIdx.x;` is a name for it, not a loop over blocks, where only an index of all threads is made of it; an
 * index that nothing bounds is one where nothing else shares work out.
 */
static void drop_names(struct kt_loops *loops, struct kt_tree *body)
{
	for (size_t i = loops->count; i-- > 0;)
		if (loops->loops[i]->form == KT_LOOP_NONE &&
		    kt_tree_walk(body, names_only, &(struct names){loops, loops->loops[i]}))
			drop(loops, i);
	for (size_t i = loops->count; i-- > 0;)
		if (loops->loops[i]->exact && loops->count > 1)
			drop(loops, i);
}

kt_status kt_loops_find(struct kt_loops *out, struct kt_polys *polys, const int64_t block[3], struct kt_error *err)
{
	struct finder f = {polys, block, out, false};

	memset(out, 0, sizeof *out);
	find_in(&f, polys->kernel->body, NULL);
	drop_names(out, polys->kernel->body);
	return f.failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory for a kernel's loops") : KT_OK;
}

struct kt_tree *kt_loop_scope(const struct kt_loop *loop)
{
	return loop->body != NULL ? loop->body : loop->block;
}
