/*
 * Lanes: the threads of a warp take an item together and distribute its loops, where an item goes along consecutive elements
 * and its neighbours are far away.
 *
 *   float sum = 0;                                   becomes   float sum = 0;
 *   for (j = 0; j < n; j++) sum += a[i * n + j];               for (j = lane; j < n; j += 32) sum += a[i * n + j];
 *                                                              sum = the sum over the warp, which every thread has
 *   for (j = 0; j < n; j++) y[i * n + j] = f(sum, j);          for (j = lane; j < n; j += 32) y[i * n + j] = f(sum, j);
 *   norm[i] = sum;                                             if (lane == 0) norm[i] = sum;
 *
 * Sound when: a loop that is distributed changes nothing private to the thread but sums, maxima and minima, which are taken in
 * another order. Its iterations write separate elements and touch nothing else that an iteration writes, or they add to one
 * element (`y[i] += …`), to which the first thread then adds what all have. What is between such loops every thread does for
 * itself, with the same values; what writes there changes nothing private to the thread, and the first thread does it. What one
 * thread of a warp writes no other one of them touches. All have the same item: none ends earlier.
 */
#include <string.h>

#include "generation/rules/plane.h"

enum { WARP = 32, MOST_LOOPS = 8, MOST_TOUCHES = 64 };

struct shared_loop {
	struct kt_tree *node, *bound;
	struct kt_tree_variable *variable;
	int64_t first;
	bool inclusive;
	struct kt_effects effects;
	const struct kt_access *sum; /* the element that all turns add to, and its name; NULL: there is none */
	const char *sum_name;
};

/* An access to memory, and who makes it. */
struct touch {
	const struct kt_access *access;
	const struct shared_loop *loop; /* in whose turns it is made; NULL: between the loops */
	bool first;                     /* there: by the first thread, else by each */
};

struct lanes {
	struct kt_plane *plane;
	struct kt_family *family;
	const char *lane, *turn, *apart;
	size_t shared, touch_count;
	struct shared_loop loops[MOST_LOOPS];
	struct touch touches[MOST_TOUCHES];
	bool neighbours; /* some loop goes along what lies together */
};

/* ---- loops */

static bool is_unsigned(enum kt_scalar scalar)
{
	return scalar == KT_BOOL || scalar == KT_U8 || scalar == KT_U16 || scalar == KT_U32 || scalar == KT_U64;
}

static bool is_integer(enum kt_scalar scalar)
{
	return scalar != KT_SCALAR_NONE && !kt_scalar_is_float(scalar);
}

static bool is_known(const struct kt_atom *atom, void *context)
{
	(void)context;
	return atom->kind != KT_ATOM_OPAQUE;
}

/* The number that the variable begins with. */
static bool read_first(struct shared_loop *loop, const struct lanes *lanes)
{
	bool assigned;
	struct kt_tree *first = kt_tree_loop_first(loop->node, lanes->family->kernel->body, &loop->variable, &assigned);
	const struct kt_poly *poly = first != NULL ? kt_poly_of(&lanes->family->polys, first) : NULL;

	if (poly == NULL || poly->count > 1 ||
	    (poly->count == 1 && (poly->terms[0].count > 0 || poly->terms[0].factor < 0)))
		return false;
	loop->first = poly->count == 0 ? 0 : poly->terms[0].factor;
	return true;
}

/* for (int j = FIRST; j < BOUND; j++), whose number of turns is known before it begins, and not small. */
static bool read_header(struct shared_loop *loop, const struct lanes *lanes)
{
	struct kt_polys *polys = &lanes->family->polys;
	struct kt_tree *node = loop->node,
		       *condition = node->children[1] != NULL ? kt_tree_bare(node->children[1]) : NULL;
	const struct kt_poly *bound;
	const struct kt_tree_variable *v;

	if (condition == NULL || node->in_macro || !read_first(loop, lanes))
		return false;
	v = loop->variable;
	loop->inclusive = kt_tree_is(condition, KT_TREE_BINARY, "<=");
	if ((!loop->inclusive && !kt_tree_is(condition, KT_TREE_BINARY, "<")) || v->escapes || v->is_pointer ||
	    v->is_array || !is_integer(v->scalar) || kt_scalar_bytes(v->scalar) < 4 ||
	    v->writes > (v->declaration->count == 0 ? 2 : 1) || !kt_tree_is_step(node->children[2], v) ||
	    kt_tree_bare(condition->children[0])->variable != v ||
	    kt_tree_bare(condition->children[0])->kind != KT_TREE_REFERENCE)
		return false;
	loop->bound = condition->children[1];
	/* Compared as numbers both must be what they are compared as. */
	if (!is_integer(kt_tree_bare(loop->bound)->scalar) ||
	    (is_unsigned(v->scalar) && !is_unsigned(kt_tree_bare(loop->bound)->scalar)))
		return false;
	bound = kt_poly_of(polys, loop->bound);
	if (bound == NULL || !kt_poly_every(bound, is_known, NULL) || kt_poly_varies(bound, node))
		return false;
	return bound->count > 1 ||
	       (bound->count == 1 && (bound->terms[0].count > 0 || bound->terms[0].factor >= 2 * WARP));
}

/* index = step · v + rest, where the rest does not hold v. */
static bool take_apart(int64_t *step, struct kt_poly *rest, const struct kt_poly *index,
		       const struct kt_tree_variable *v)
{
	*step = 0;
	rest->count = 0;
	for (size_t i = 0; i < index->count; i++) {
		const struct kt_term *term = &index->terms[i];

		if (term->count == 1 && term->atoms[0]->kind == KT_ATOM_VARIABLE && term->atoms[0]->variable == v)
			*step = term->factor;
		else
			rest->terms[rest->count++] = *term;
	}
	return kt_poly_every(rest, kt_atom_is_other, (void *)v);
}

/* Does each iteration write a separate element, which no other iteration touches? */
static bool writes_its_own(const struct shared_loop *loop, const struct kt_access *write)
{
	struct kt_poly rest;
	int64_t step;

	if (!take_apart(&step, &rest, write->index, loop->variable) || step == 0 ||
	    !kt_poly_every(&rest, is_known, NULL) || kt_poly_varies(&rest, loop->node))
		return false;
	for (size_t i = 0; i < loop->effects.access_count; i++)
		if (loop->effects.accesses[i].root == write->root &&
		    !kt_poly_equal(loop->effects.accesses[i].index, write->index))
			return false;
	return true;
}

/* Do the turns do nothing with the array but add to one element of it? */
static bool adds_to_one(const struct lanes *lanes, struct shared_loop *loop, const struct kt_access *write)
{
	const struct kt_tree *node = write->node;

	if (loop->sum != NULL || write->conditional || write->root->element == NULL ||
	    write->root->scalar == KT_SCALAR_NONE || kt_scalar_bytes(write->root->scalar) < 4 || node->in_macro ||
	    !kt_tree_is(node->parent, KT_TREE_ASSIGN, "+=") || node->parent->children[0] != node ||
	    !kt_tree_is_statement(node->parent) ||
	    !kt_fold_is_exact(node->parent->children[1], write->root->scalar) ||
	    !kt_poly_every(write->index, is_known, NULL) || kt_poly_varies(write->index, loop->node))
		return false;
	for (size_t i = 0; i < loop->effects.access_count; i++)
		if (&loop->effects.accesses[i] != write && loop->effects.accesses[i].root == write->root)
			return false;
	loop->sum = write;
	loop->sum_name = kt_family_name(lanes->family, kt_family_text(lanes->family, "%s_sum", write->root->name));
	return true;
}

static bool add_touches(struct lanes *lanes, const struct kt_effects *effects, const struct shared_loop *loop,
			bool first)
{
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *access = &effects->accesses[i];
		const bool sum = loop != NULL && access == loop->sum;

		if (lanes->touch_count == MOST_TOUCHES || (access->writes && access->root->argument < 0))
			return false;
		lanes->touches[lanes->touch_count++] = (struct touch){access, sum ? NULL : loop, first || sum};
	}
	return true;
}

/* Do two loops reach the same element in iterations of the same number? The same thread has it then. */
static bool is_same_turn(const struct lanes *lanes, const struct touch *a, const struct touch *b)
{
	struct kt_poly one, other;
	int64_t step, by;

	return take_apart(&step, &one, a->access->index, a->loop->variable) &&
	       take_apart(&by, &other, b->access->index, b->loop->variable) && step == by && step != 0 &&
	       a->loop->first == b->loop->first && kt_poly_equal(&one, &other) &&
	       !kt_poly_varies(&one, lanes->plane->block);
}

/* May both be, in any order between the threads of a warp? One of them writes. */
static bool get_along(const struct lanes *lanes, const struct touch *a, const struct touch *b)
{
	if (a->access->root != b->access->root)
		return !kt_roots_may_alias(a->access->root, b->access->root) ||
		       kt_family_disjoint(lanes->family, a->access->root, b->access->root);
	if (a->loop == NULL && b->loop == NULL)
		return a->first && b->first;
	return a->loop != NULL && b->loop != NULL && is_same_turn(lanes, a, b);
}

static bool touches_get_along(const struct lanes *lanes)
{
	for (size_t i = 0; i < lanes->touch_count; i++)
		for (size_t k = 0; k < i; k++)
			if ((lanes->touches[i].access->writes || lanes->touches[k].access->writes) &&
			    !get_along(lanes, &lanes->touches[i], &lanes->touches[k]))
				return false;
	return true;
}

static bool is_combined(const struct kt_fold *fold)
{
	const struct kt_tree_variable *v = fold->variable;

	return (fold->kind == KT_FOLD_SUM || fold->kind == KT_FOLD_MAX || fold->kind == KT_FOLD_MIN) && v->is_local &&
	       !v->is_pointer && !v->is_array && v->scalar != KT_SCALAR_NONE && kt_scalar_bytes(v->scalar) >= 4 &&
	       !v->is_reference;
}

/* No object from outside of the loop: what is done to it may not be seen. */
static bool is_no_object(struct kt_tree *node, void *context)
{
	const struct kt_tree *loop = context;
	const struct kt_tree_variable *v = node->kind == KT_TREE_REFERENCE ? node->variable : NULL;

	return v == NULL || !v->is_local || v->is_pointer || v->is_array || v->scalar != KT_SCALAR_NONE ||
	       (v->declaration != NULL && kt_tree_contains(loop, v->declaration));
}

/* May the iterations of the loop be distributed? */
static bool read_loop(struct shared_loop *loop, struct lanes *lanes, struct kt_tree *node)
{
	struct kt_error ignored;

	*loop = (struct shared_loop){.node = node};
	if (node->kind != KT_TREE_FOR || !read_header(loop, lanes) ||
	    !kt_tree_walk(node->children[3], kt_tree_stays_inside, node) ||
	    !kt_tree_walk(node->children[3], kt_tree_does_not_set, loop->variable) ||
	    !kt_tree_walk(node->children[3], is_no_object, node))
		return false;
	if (kt_effects_read(&loop->effects, &lanes->family->polys, node->children[3], 0, &ignored) != KT_OK ||
	    loop->effects.unknown != NULL || loop->effects.barrier != NULL)
		return false;
	for (size_t i = 0; i < loop->effects.fold_count; i++)
		if (!is_combined(&loop->effects.folds[i]))
			return false;
	for (size_t i = 0; i < loop->effects.access_count; i++) {
		const struct kt_access *access = &loop->effects.accesses[i];

		if (access->atomic ||
		    (access->writes && !writes_its_own(loop, access) && !adds_to_one(lanes, loop, access)))
			return false;
	}
	return true;
}

/* Does it go along what lies together, where the item beside it is elsewhere? */
static bool goes_along(const struct lanes *lanes, const struct shared_loop *loop)
{
	for (size_t i = 0; i < loop->effects.access_count; i++) {
		struct kt_poly rest, ignored;
		int64_t step, beside;

		if (take_apart(&step, &rest, loop->effects.accesses[i].index, loop->variable) && step == 1 &&
		    !(take_apart(&beside, &ignored, &rest, lanes->plane->axes[0].variable) && beside <= 1))
			return true;
	}
	return false;
}

/* ---- text */

static void add_combined(struct kt_buf *out, const struct lanes *lanes, enum kt_fold_kind kind, enum kt_scalar scalar,
			 const char *name)
{
	const char *other = kt_family_text(lanes->family, "__shfl_xor_sync(0xffffffffu, %s, %s)", name, lanes->apart);
	const bool maximum = kind == KT_FOLD_MAX;

	if (kind == KT_FOLD_SUM)
		kt_buf_addf(out, "%s += %s;\n", name, other);
	else
		kt_buf_addf(out, "%s = %s(%s, %s);\n", name,
			    scalar == KT_F32   ? maximum ? "fmaxf" : "fminf"
			    : scalar == KT_F64 ? maximum ? "fmax" : "fmin"
			    : maximum          ? "max"
					       : "min",
			    name, other);
}

/* What the threads have of a sum or its like becomes the whole, in all of them. */
static void add_meeting(struct kt_buf *out, const struct lanes *lanes, const struct shared_loop *loop)
{
	if (loop->effects.fold_count == 0 && loop->sum == NULL)
		return;
	kt_buf_addf(out, "#pragma unroll\nfor (int %s = ${= LANES / 2}; %s > 0; %s /= 2) {\n", lanes->apart,
		    lanes->apart, lanes->apart);
	for (size_t i = 0; i < loop->effects.fold_count; i++)
		add_combined(out, lanes, loop->effects.folds[i].kind, loop->effects.folds[i].variable->scalar,
			     loop->effects.folds[i].variable->name);
	if (loop->sum != NULL)
		add_combined(out, lanes, KT_FOLD_SUM, loop->sum->root->scalar, loop->sum_name);
	kt_buf_adds(out, "}\n");
	if (loop->sum == NULL)
		return;
	/* Without a turn nothing was added. */
	kt_buf_addf(out, "if (%s == 0 && %lldLL %s (long long)(", lanes->lane, (long long)loop->first,
		    loop->inclusive ? "<=" : "<");
	kt_write_node(out, &lanes->family->write, loop->bound);
	kt_buf_adds(out, "))\n");
	kt_write_node(out, &lanes->family->write, loop->sum->node);
	kt_buf_addf(out, " += %s;\n}\n", loop->sum_name);
}

static bool begins_line(const struct kt_kernel *kernel, const struct kt_tree *node)
{
	size_t at = node->range.begin;

	while (at > 0 && (kernel->text[at - 1] == ' ' || kernel->text[at - 1] == '\t'))
		at--;
	return at == 0 || kernel->text[at - 1] == '\n';
}

static void write_loop(struct lanes *lanes, const struct shared_loop *loop)
{
	struct kt_family *family = lanes->family;
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const size_t mark = family->write.count;

	if (loop->sum != NULL) {
		kt_buf_addf(&out, "{\n%s %s = 0;\n\n", loop->sum->root->element, loop->sum_name);
		kt_write_set(&family->write, loop->sum->node, loop->sum_name);
	}
	for (size_t i = 0; i < loop->effects.fold_count; i++)
		if (loop->effects.folds[i].kind == KT_FOLD_SUM)
			kt_buf_addf(&out, "if (%s != 0)\n%s = 0;\n", lanes->lane,
				    loop->effects.folds[i].variable->name);
	/* A directive has a separate line. */
	if (out.size == 0 && !begins_line(family->kernel, loop->node))
		kt_buf_addc(&out, '\n');
	kt_buf_addf(&out, "#pragma unroll ${STEPS}\nfor (long long %s = ", lanes->turn);
	if (loop->first != 0)
		kt_buf_addf(&out, "%lldLL + ", (long long)loop->first);
	kt_buf_addf(&out, "%s; %s %s (long long)(", lanes->lane, lanes->turn, loop->inclusive ? "<=" : "<");
	kt_write_node(&out, &family->write, loop->bound);
	kt_buf_addf(&out, "); %s += ${LANES}) {\nconst %s %s = (%s)%s;\n\n", lanes->turn, loop->variable->bare,
		    loop->variable->name, loop->variable->bare, lanes->turn);
	if (loop->node->children[3]->kind == KT_TREE_BLOCK)
		kt_write_statements(&out, &family->write, loop->node->children[3], 0, loop->node->children[3]->count);
	else
		kt_write_statement(&out, &family->write, loop->node->children[3]);
	kt_buf_adds(&out, "\n}\n");
	kt_write_back(&family->write, mark);
	add_meeting(&out, lanes, loop);
	kt_write_set(&family->write, loop->node, kt_family_text(family, "%s", kt_buf_text(&out)));
	family->failed = family->failed || out.failed;
	kt_buf_free(&out);
}

/* A statement between the loops: each thread does it, or where it writes memory the first one. */
static bool write_statement(struct lanes *lanes, struct kt_tree *node)
{
	struct kt_effects effects;
	struct kt_error ignored;
	bool writes = false;

	if (node->kind == KT_TREE_EMPTY)
		return true;
	if (kt_effects_read(&effects, &lanes->family->polys, node, 0, &ignored) != KT_OK || effects.unknown != NULL ||
	    effects.barrier != NULL || effects.leaves != NULL || effects.skips != NULL)
		return false;
	for (size_t i = 0; i < effects.access_count; i++)
		writes = writes || effects.accesses[i].writes;
	if (!add_touches(lanes, &effects, NULL, writes))
		return false;
	if (!writes)
		return kt_calls_are_harmless(node);
	if (effects.fold_count > 0 || node->kind == KT_TREE_DECLARE || node->in_macro)
		return false;
	kt_write_wrap(&lanes->family->write, node, kt_family_text(lanes->family, "if (%s == 0)\n", lanes->lane), NULL,
		      "");
	return true;
}

static bool is_own(const struct kt_tree_variable *v)
{
	return v->is_local && (v->is_array || v->escapes || v->is_reference);
}

static bool write_items(struct lanes *lanes)
{
	struct kt_tree *block = lanes->plane->block;

	/* What a thread keeps in an array, or reaches by another name, is not looked at. */
	for (size_t i = 0; i < lanes->family->kernel->variable_count; i++)
		if (is_own(lanes->family->kernel->variables[i]))
			return false;
	for (size_t i = 0; i < block->count; i++) {
		struct shared_loop *loop = &lanes->loops[lanes->shared];

		if (lanes->shared < MOST_LOOPS && read_loop(loop, lanes, block->children[i])) {
			lanes->shared++;
			lanes->neighbours = lanes->neighbours || goes_along(lanes, loop);
			if (!add_touches(lanes, &loop->effects, loop, false))
				return false;
			write_loop(lanes, loop);
		} else if (!write_statement(lanes, block->children[i])) {
			return false;
		}
	}
	return lanes->neighbours && touches_get_along(lanes);
}

bool kt_plane_lanes(struct kt_buf *out, struct kt_plane *plane)
{
	struct kt_family *family = plane->family;
	struct lanes *lanes = kt_arena_alloc(family->kernel->arena, sizeof *lanes);
	const struct kt_tree_variable *v = plane->axes[0].variable;
	const size_t mark = family->write.count, guards = family->guard_count;
	const char *type = v->bare;

	if (plane->axes[1].variable != NULL || !kt_rule_target(family)->has_warps ||
	    !kt_family_allows(family, "parts") || plane->effects.unknown != NULL || plane->effects.leaves != NULL ||
	    plane->effects.skips != NULL || lanes == NULL)
		return false;
	*lanes = (struct lanes){.plane = plane,
				.family = family,
				.lane = kt_family_name(family, "lane_of"),
				.turn = kt_family_name(family, "turn"),
				.apart = kt_family_name(family, "apart")};
	if (!write_items(lanes)) {
		kt_write_back(&family->write, mark);
		family->guard_count = guards;
		return false;
	}
	kt_buf_addf(out, "${if LANES > 1}\nconst int %s = threadIdx.x %% ${LANES};\n\n", lanes->lane);
	kt_buf_addf(out, "for (%s %s = ((long long)blockIdx.x * ${BLOCK} + threadIdx.x) / ${LANES}; %s < ", type,
		    v->name, v->name);
	kt_write_node(out, &family->write, plane->axes[0].loop.bound_node);
	kt_buf_addf(out, "; %s += ((long long)gridDim.x * ${BLOCK}) / ${LANES}) {\n", v->name);
	kt_write_statements(out, &family->write, plane->block, 0, plane->block->count);
	kt_buf_adds(out, "\n}\n${else}\n");
	kt_write_back(&family->write, mark);
	return true;
}

void kt_plane_lanes_parameters(struct kt_family *family)
{
	static const int64_t lanes[] = {WARP, 1}, steps[] = {4, 1, 8};
	static const struct {
		const char *name, *text;
	} others[] = {{"VEC", "LANES == 1 || VEC == 1"},
		      {"UNROLL", "LANES == 1 || UNROLL == 1"},
		      {"ALONG", "LANES == 1 || ALONG == 1"},
		      {"INNER", "LANES == 1 || INNER == 0"},
		      {"NARROW", "LANES == 1 || NARROW == 0"}};

	kt_family_parameter(family, "LANES", "threads over which the loops of a work item are distributed", lanes, 2);
	kt_family_parameter(family, "STEPS", "iterations of such a loop at a time", steps, 3);
	kt_family_restrict(family, "LANES > 1 || STEPS == 4", "no loop is distributed");
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (kt_family_has(family, others[i].name))
			kt_family_restrict(family, others[i].text, "no thread has a whole loop");
	kt_family_applied(family, "parts", "the loops of a work item can be distributed over the threads of a warp");
}
