/*
 * What is known about a kernel, for people: `ktcc explain --analysis` prints it on the user's lines. Nothing is changed
 * here, and no strategy asks for it; they prove what they need themselves, from the same trees and polynomials.
 */
#include <string.h>

#include "generation/rules/family.h"

/* Over which threads a value is one. Ascending: the value of an expression is the greatest of its parts. */
enum level { LEVEL_GRID, LEVEL_BLOCK, LEVEL_WARP, LEVEL_THREAD };
static const char *const level_texts[] = {"one value in the grid", "one value in a block", "one value in a warp",
                                          "a value per thread"};

enum { WARP = 32 };

struct levels {
	struct kt_family *family;
	size_t count;
	enum level *of; /* of the kernel's variables, in their order */
	bool changed;
};

static enum level greater(enum level a, enum level b)
{
	return a > b ? a : b;
}

static enum level of_builtin(const struct kt_tree *node)
{
	switch (node->builtin) {
	case KT_THREAD_INDEX:
	case KT_GLOBAL_INDEX:
		return LEVEL_THREAD;
	case KT_BLOCK_INDEX:
		return LEVEL_BLOCK;
	default:
		return LEVEL_GRID;
	}
}

static size_t position(const struct levels *l, const struct kt_tree_variable *v)
{
	size_t i = 0;

	while (i < l->count && l->family->kernel->variables[i] != v)
		i++;
	return i;
}

/* threadIdx.x / 32, in blocks of one dimension. */
static bool is_warp(struct levels *l, struct kt_tree *node)
{
	const struct kt_poly *left, *right;

	if (!kt_tree_is(node, KT_TREE_BINARY, "/") && !kt_tree_is(node, KT_TREE_BINARY, ">>"))
		return false;
	left = kt_poly_of(&l->family->polys, node->children[0]);
	right = kt_poly_of(&l->family->polys, node->children[1]);
	if (left == NULL || right == NULL || left->count != 1 || left->terms[0].count != 1 || left->terms[0].factor != 1 ||
	    left->terms[0].atoms[0]->kind != KT_ATOM_BUILTIN || left->terms[0].atoms[0]->builtin != KT_THREAD_INDEX ||
	    left->terms[0].atoms[0]->dimension != 0 || right->count != 1 || right->terms[0].count != 0)
		return false;
	return node->operator_[0] == '/' ? right->terms[0].factor % WARP == 0 : right->terms[0].factor >= 5;
}

static enum level of_node(struct levels *l, struct kt_tree *node)
{
	enum level level = LEVEL_GRID;

	if (node->kind == KT_TREE_BUILTIN)
		return of_builtin(node);
	if (node->kind == KT_TREE_REFERENCE && node->variable != NULL && !node->has_value) {
		size_t i = position(l, node->variable);

		return i < l->count ? l->of[i] : LEVEL_GRID;
	}
	if (is_warp(l, node))
		return LEVEL_WARP;
	if (node->kind == KT_TREE_CALL && kt_call_synchronises(node))
		level = LEVEL_THREAD;
	for (size_t i = 0; i < node->count; i++)
		if (node->children[i] != NULL)
			level = greater(level, of_node(l, node->children[i]));
	return level;
}

/* Whether a statement is executed may differ as well, and how often. */
static enum level of_place(struct levels *l, const struct kt_tree *node)
{
	enum level level = LEVEL_GRID;

	for (const struct kt_tree *at = node; at->parent != NULL; at = at->parent) {
		const struct kt_tree *parent = at->parent;

		if ((parent->kind == KT_TREE_IF || parent->kind == KT_TREE_CHOOSE || parent->kind == KT_TREE_WHILE) &&
		    parent->children[0] != at)
			level = greater(level, of_node(l, parent->children[0]));
		if (parent->kind == KT_TREE_DO && parent->children[1] != at)
			level = greater(level, of_node(l, parent->children[1]));
		if (parent->kind == KT_TREE_FOR && parent->children[0] != at && parent->children[1] != NULL)
			level = greater(level, of_node(l, parent->children[1]));
	}
	return level;
}

static void raise_level(struct levels *l, const struct kt_tree_variable *v, enum level level)
{
	size_t i = position(l, v);

	if (i < l->count && l->of[i] < level) {
		l->of[i] = level;
		l->changed = true;
	}
}

static bool read_level(struct kt_tree *node, void *context)
{
	struct levels *l = context;
	struct kt_tree *target;
	bool reads;

	if (node->kind == KT_TREE_VARIABLE && node->variable != NULL && node->count > 0) {
		raise_level(l, node->variable, of_node(l, node->children[0]));
	} else if (node->kind == KT_TREE_REFERENCE && node->variable != NULL && kt_tree_is_target(node, &reads)) {
		target = node->parent;
		while (target != NULL && target->kind == KT_TREE_PAREN)
			target = target->parent;
		raise_level(l, node->variable, of_place(l, node));
		if (target != NULL)
			raise_level(l, node->variable, of_node(l, target));
	}
	return true;
}

static bool tell_level(struct kt_tree *node, void *context)
{
	struct levels *l = context;
	const struct kt_tree_variable *v = node->kind == KT_TREE_VARIABLE ? node->variable : NULL;

	/* Arrays are told about where they are accessed; an escaped value may be anything. */
	if (v != NULL && !v->is_array && !v->is_shared && !v->escapes)
		kt_family_note(l->family, node, "'%s' is %s", v->name, level_texts[l->of[position(l, v)]]);
	return true;
}

static void tell_levels(struct kt_family *family)
{
	struct levels l = {.family = family, .count = family->kernel->variable_count, .changed = true};

	l.of = kt_arena_array(family->kernel->arena, l.count + 1, sizeof *l.of);
	if (l.of == NULL)
		return;
	for (size_t i = 0; i < l.count; i++)
		l.of[i] = family->kernel->variables[i]->escapes    ? LEVEL_THREAD
		          : family->kernel->variables[i]->is_shared ? LEVEL_BLOCK
		                                                    : LEVEL_GRID;
	while (l.changed) {
		l.changed = false;
		kt_tree_walk(family->kernel->body, read_level, &l);
	}
	kt_tree_walk(family->kernel->body, tell_level, &l);
}

/* "2 * d * row + i": without the words that make it 64 bits wide. */
static const char *poly_text(struct kt_family *family, const struct kt_poly *poly)
{
	static const char *const words[] = {"(long long)", "LL"};
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	char *text, *at;

	kt_poly_print(&out, family->kernel, poly, NULL, NULL);
	text = kt_arena_strdup(family->kernel->arena, kt_buf_text(&out));
	for (size_t i = 0; text != NULL && i < sizeof words / sizeof words[0]; i++)
		while ((at = strstr(text, words[i])) != NULL)
			memmove(at, at + strlen(words[i]), strlen(at + strlen(words[i])) + 1);
	kt_buf_free(&out);
	return text != NULL ? text : "";
}

static const struct kt_loop *loop_around(const struct kt_family *family, const struct kt_tree *node)
{
	const struct kt_loop *found = NULL;

	for (size_t i = 0; i < family->loops.count; i++) {
		const struct kt_loop *loop = family->loops.loops[i];
		const struct kt_tree *scope = kt_loop_scope(loop);
		const bool part = loop->body == NULL && loop->first < scope->count;

		if (kt_tree_contains(scope, node) && (!part || node->range.begin >= scope->children[loop->first]->range.begin))
			found = loop;
	}
	return found;
}

struct own {
	const struct kt_atom *atom;
	const struct kt_tree_variable *variable;
};

static bool is_other(const struct kt_atom *atom, void *context)
{
	const struct own *own = context;

	return atom != own->atom && (atom->kind != KT_ATOM_OPAQUE || !kt_tree_uses(atom->node, own->variable));
}

/* Does the atom move with the loop? */
static bool moves(const struct kt_atom *atom, struct own *own)
{
	return !is_other(atom, own) || (atom->left != NULL && !kt_poly_every(atom->left, is_other, own)) ||
	       (atom->right != NULL && !kt_poly_every(atom->right, is_other, own));
}

struct varying {
	const struct kt_loop *loop;
	const struct kt_tree *scope;
	const struct kt_atom *atom;
};

static bool is_fixed(const struct kt_atom *atom, void *context)
{
	struct varying *v = context;

	if ((atom->kind == KT_ATOM_VARIABLE && atom->variable == v->loop->variable) || !kt_atom_varies(atom, v->scope))
		return true;
	v->atom = atom;
	return false;
}

/* What of an index changes within the loop besides its own variable; NULL: nothing. */
static const struct kt_atom *changes(const struct kt_loop *loop, const struct kt_poly *index)
{
	struct varying v = {loop, kt_loop_scope(loop), NULL};

	(void)kt_poly_every(index, is_fixed, &v);
	return v.atom;
}

/* What one step of the loop adds to the index; *known: it is a number. */
static int64_t step_of(struct kt_family *family, const struct kt_loop *loop, const struct kt_poly *index, bool *known)
{
	struct kt_tree *own = kt_arena_alloc(family->kernel->arena, sizeof *own);
	const struct kt_poly *self;
	int64_t step = 0;

	*known = false;
	if (own == NULL)
		return 0;
	*own = (struct kt_tree){.kind = KT_TREE_REFERENCE, .variable = (struct kt_tree_variable *)loop->variable};
	self = kt_poly_of(&family->polys, own);
	if (self == NULL || self->count == 0)
		return 0;
	/* threadIdx.x among others: the same for all of the loop's own terms. */
	for (size_t i = 0; i < index->count; i++) {
		const struct kt_term *term = &index->terms[i], *first = &self->terms[self->count - 1];
		bool uses = false;

		for (size_t k = 0; k < term->count; k++)
			uses = uses || moves(term->atoms[k], &(struct own){first->atoms[0], loop->variable});
		if (!uses)
			continue;
		if (term->count != 1 || first->count != 1 || term->atoms[0] != first->atoms[0] || step != 0)
			return 0;
		step = term->factor / first->factor;
	}
	*known = true;
	return step;
}

static void tell_access(struct kt_family *family, const struct kt_access *access)
{
	const struct kt_loop *loop = loop_around(family, access->node);
	const char *what = access->atomic   ? "changed atomically"
	                   : !access->writes ? "read"
	                   : access->reads   ? "read and written"
	                                     : "written";
	const char *place = access->root->is_shared ? "shared memory " : "", *move = "";
	bool known;

	if (loop != NULL) {
		const int64_t step = step_of(family, loop, access->index, &known);
		const struct kt_atom *other = known && step == 0 ? changes(loop, access->index) : NULL;

		move = other != NULL && other->kind == KT_ATOM_VARIABLE
			   ? kt_family_text(family, ", where '%s' changes between accesses", other->variable->name)
		       : !known || other != NULL
			   ? kt_family_text(family, ", with no constant step in '%s'", loop->variable->name)
		       : step == 0 ? kt_family_text(family, ", the same for every '%s'", loop->variable->name)
		       : step == 1
			   ? kt_family_text(family, ", contiguous in '%s'", loop->variable->name)
			   : kt_family_text(family, ", with a step of %lld in '%s'", (long long)step, loop->variable->name);
	}
	kt_family_note(family, access->node, "%s'%s' is %s at %s%s", place, access->root->name, what,
	               poly_text(family, access->index), move);
}

static bool tell_meeting(struct kt_tree *node, void *context)
{
	if (node->kind == KT_TREE_CALL && kt_call_synchronises(node))
		kt_family_note(context, node, "threads synchronise, or depend on the thread index, in '%s'", node->name);
	return true;
}

static void tell_folds(struct kt_family *family)
{
	static const char *const kinds[] = {
		[KT_FOLD_SUM] = "a sum",     [KT_FOLD_PRODUCT] = "a product",     [KT_FOLD_MAX] = "a maximum",
		[KT_FOLD_MIN] = "a minimum", [KT_FOLD_AND] = "a conjunction", [KT_FOLD_OR] = "a disjunction",
	};

	for (size_t i = 0; i < family->loops.count; i++) {
		const struct kt_loop *loop = family->loops.loops[i];
		struct kt_effects effects;
		struct kt_error ignored;

		if (kt_effects_read(&effects, &family->polys, kt_loop_scope(loop), loop->body == NULL ? loop->first : 0,
		                    &ignored) != KT_OK)
			return;
		for (size_t f = 0; f < effects.fold_count; f++)
			if (effects.folds[f].kind != KT_FOLD_NONE)
				kt_family_note(family, loop->node, "'%s' is %s over '%s'", effects.folds[f].variable->name,
				               kinds[effects.folds[f].kind], loop->variable->name);
			else
				kt_family_note(family, loop->node, "'%s' is carried from one '%s' to the next",
				               effects.folds[f].variable->name, loop->variable->name);
	}
}

/* Pairs of buffers of which one is written, where nothing keeps them disjoint. */
static void tell_aliases(struct kt_family *family, const struct kt_effects *effects)
{
	struct kt_kernel *kernel = family->kernel;
	const size_t count = kernel->region->argument_count;
	size_t pairs = 0, apart = 0;

	for (size_t a = 0; a < count; a++)
		for (size_t b = a + 1; b < count; b++) {
			const struct kt_tree_variable *one = kernel->variables[a], *two = kernel->variables[b];
			bool writes = false;

			for (size_t i = 0; i < effects->access_count; i++)
				writes = writes || (effects->accesses[i].writes &&
				                    (effects->accesses[i].root == one || effects->accesses[i].root == two));
			if (!one->is_pointer || !two->is_pointer || !writes)
				continue;
			pairs++;
			if (kt_roots_may_alias(one, two))
				kt_family_note(family, kernel->body, "'%s' and '%s' may overlap", one->name, two->name);
			else
				apart++;
		}
	if (pairs > 0 && apart == pairs)
		kt_family_note(family, kernel->body, "no buffer overlaps with one that is written");
}

static int64_t divisor(int64_t a, int64_t b)
{
	while (b != 0) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* What holds on all problems: it may become a guard. */
static void tell_values(struct kt_family *family)
{
	const struct kt_region *r = family->kernel->region;
	int64_t constant;

	for (size_t i = 0; i < r->variable_count; i++) {
		int64_t common = 0;
		bool same = true;

		for (size_t p = 0; p < r->problem_count; p++) {
			common = divisor(common, r->problems[p * r->variable_count + i]);
			same = same && r->problems[p * r->variable_count + i] == r->problems[i];
		}
		if (same && r->problem_count > 0)
			kt_family_note(family, family->kernel->body, "'%s' is %lld on every problem", r->variables[i],
			               (long long)r->problems[i]);
		else if (common > 1)
			kt_family_note(family, family->kernel->body, "'%s' is a multiple of %lld on every problem", r->variables[i],
			               (long long)common);
	}
	for (size_t i = 0; i < r->value_count; i++)
		if (kt_value_constant(&constant, &r->values[i]) && r->values[i].argument >= 0 && (uint64_t)r->values[i].argument < r->argument_count)
			kt_family_note(family, family->kernel->body, "'%s' is %lld on every problem",
			               r->arguments[r->values[i].argument].name, (long long)constant);
}

void kt_rule_facts(struct kt_family *family)
{
	static const char *const shares[] = {"the threads of a block", "blocks", "all threads"};
	struct kt_effects effects;
	struct kt_error ignored;

	for (size_t i = 0; i < family->loops.count; i++) {
		const struct kt_loop *loop = family->loops.loops[i];

		kt_family_note(family, loop->node, "'%s' is distributed over %s", loop->variable->name, shares[loop->share]);
	}
	tell_values(family);
	if (kt_effects_read(&effects, &family->polys, family->kernel->body, 0, &ignored) != KT_OK)
		return;
	tell_aliases(family, &effects);
	tell_levels(family);
	tell_folds(family);
	for (size_t i = 0; i < effects.access_count; i++)
		tell_access(family, &effects.accesses[i]);
	if (effects.unknown != NULL)
		kt_family_note(family, effects.unknown, "memory is accessed in a way that cannot be analysed");
	kt_tree_walk(family->kernel->body, tell_meeting, family);
}
