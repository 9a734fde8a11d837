/*
 * Places for approximate arithmetic, and the use of its results: those that are compared, rounded, made an integer, an index or
 * a branch make a large difference of a small one. A result is followed through variables, arrays and functions, in any order
 * of statements; what is stored through a pointer may be read through any other.
 */
#include <ctype.h>
#include <string.h>

#include "generation/rules/fast_math.h"

enum { MOST_TAINTED = 128, MOST_DEPTH = 6 };

/* Steps at which a small difference becomes a large one; the C++ overloads have no f. */
static const char *const steps[] = {"floor",     "ceil", "round",     "rint",    "trunc",
                                    "nearbyint", "fmod", "remainder", "copysign"};

struct fast {
	struct kt_family *family;
	struct kt_kernel *kernel;     /* that is read: the kernel, or a function that it calls */
	size_t tainted_count;
	const struct kt_tree_variable *tainted[MOST_TAINTED];
	bool memory;                  /* something was stored through a pointer */
	bool grew, full, all;         /* all: every argument is a result already */
	const struct kt_tree *breaks; /* where a small error may become a large one */
	size_t found;
	unsigned depth;
};

/* Is there nothing but the operator between the operands? */
static bool is_clean(const struct kt_kernel *kernel, const struct kt_tree *node)
{
	const char *op = node->operator_;
	size_t length = strlen(op);

	for (uint32_t at = node->children[0]->range.end; at < node->children[1]->range.begin; at++) {
		if (isspace((unsigned char)kernel->text[at]))
			continue;
		if (length == 0 || kernel->text[at] != *op)
			return false;
		op++;
		length--;
	}
	return length == 0;
}

static bool is_constant(const struct kt_tree *node)
{
	node = kt_tree_bare((struct kt_tree *)node);
	return node->kind == KT_TREE_LITERAL || node->kind == KT_TREE_INTEGER || node->has_value;
}

bool kt_fast_is_division(const struct kt_kernel *kernel, const struct kt_tree *node)
{
	if (node->scalar != KT_F32 || node->in_macro || node->count != 2)
		return false;
	if (kt_tree_is(node, KT_TREE_ASSIGN, "/="))
		return node->children[0]->kind == KT_TREE_REFERENCE && is_clean(kernel, node);
	return kt_tree_is(node, KT_TREE_BINARY, "/") &&
	       !(is_constant(node->children[0]) && is_constant(node->children[1])) && is_clean(kernel, node);
}

bool kt_fast_is_function(const struct kt_tree *node)
{
	return node->kind == KT_TREE_CALL && node->scalar == KT_F32 && !node->in_macro && node->callee == NULL &&
	       node->count == 2 && kt_fast_function_of(node->known) >= 0 &&
	       !node->children[0]->in_macro;
}

/* What is already approximate or has an approximation that is taken. */
static bool is_candidate(const struct kt_kernel *kernel, const struct kt_tree *node)
{
	return kt_fast_is_division(kernel, node) || kt_fast_is_function(node);
}

static bool find_candidate(const struct kt_kernel *kernel, const struct kt_tree *node, unsigned depth)
{
	if (node == NULL)
		return false;
	if (is_candidate(kernel, node) ||
	    (node->kind == KT_TREE_CALL && node->callee != NULL && kt_fast_gains(node->callee, depth + 1)))
		return true;
	for (size_t i = 0; i < node->count; i++)
		if (find_candidate(kernel, node->children[i], depth))
			return true;
	return false;
}

bool kt_fast_gains(const struct kt_kernel *kernel, unsigned depth)
{
	return depth < MOST_DEPTH && kernel->body != NULL && find_candidate(kernel, kernel->body, depth);
}

/* ---- what comes of an approximation, and what becomes of it */

static bool is_tainted(const struct fast *f, const struct kt_tree_variable *v)
{
	if (f->all && v->argument >= 0)
		return true;
	if (f->memory && v->is_pointer && !v->points_to_const)
		return true;
	for (size_t i = 0; i < f->tainted_count; i++)
		if (f->tainted[i] == v)
			return true;
	return false;
}

static bool comes_of_one(const struct fast *f, const struct kt_tree *node)
{
	if (node == NULL)
		return false;
	if (is_candidate(f->kernel, node) || (node->kind == KT_TREE_REFERENCE && node->variable != NULL &&
	                                      is_tainted(f, node->variable)) ||
	    (node->kind == KT_TREE_CALL && node->callee != NULL && kt_fast_gains(node->callee, f->depth + 1)))
		return true;
	for (size_t i = 0; i < node->count; i++)
		if (comes_of_one(f, node->children[i]))
			return true;
	return false;
}

static void taint(struct fast *f, const struct kt_tree_variable *v)
{
	if (v == NULL || is_tainted(f, v))
		return;
	f->grew = true;
	if (v->is_pointer)
		f->memory = true;
	if (f->tainted_count == MOST_TAINTED)
		f->full = true;
	else
		f->tainted[f->tainted_count++] = v;
}

/* The variable that an assignment to the expression changes: the one on its left end. */
static const struct kt_tree_variable *target_of(const struct kt_tree *node)
{
	while (node != NULL && node->kind != KT_TREE_REFERENCE)
		node = node->count > 0 ? node->children[0] : NULL;
	return node != NULL ? node->variable : NULL;
}

static void taint_arguments(struct fast *f, const struct kt_tree *call)
{
	for (size_t i = 1; i < call->count; i++) {
		const struct kt_tree *argument = kt_tree_bare(call->children[i]);
		const struct kt_tree_variable *v = target_of(argument);

		if (v != NULL && (argument->passing != KT_PASS_VALUE || v->is_pointer || v->is_array ||
		                  kt_tree_is(argument, KT_TREE_UNARY, "&")))
			taint(f, v);
	}
}

static bool spread(struct kt_tree *node, void *context)
{
	struct fast *f = context;

	if (node->kind == KT_TREE_VARIABLE && node->count > 0 && comes_of_one(f, node->children[0]))
		taint(f, node->variable);
	else if (node->kind == KT_TREE_ASSIGN && node->count == 2 &&
	         (kt_fast_is_division(f->kernel, node) || comes_of_one(f, node->children[1])))
		taint(f, target_of(node->children[0]));
	else if (node->kind == KT_TREE_CALL)
		for (size_t i = 1; i < node->count; i++)
			if (comes_of_one(f, node->children[i]) ||
			    (node->callee != NULL && kt_fast_gains(node->callee, f->depth + 1)))
				taint_arguments(f, node);
	return true;
}

static bool is_step(const struct kt_tree *call)
{
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		size_t length = strlen(steps[i]);

		if (strncmp(call->known, steps[i], length) == 0 &&
		    (call->known[length] == '\0' || strcmp(call->known + length, "f") == 0))
			return true;
	}
	return false;
}

static bool is_integer(enum kt_scalar scalar)
{
	return scalar != KT_SCALAR_NONE && !kt_scalar_is_float(scalar);
}

static bool breaks(struct fast *f, bool all);

static bool call_breaks(struct fast *f, const struct kt_tree *node)
{
	bool any = false;

	for (size_t i = 1; i < node->count; i++)
		any = any || comes_of_one(f, node->children[i]);
	if (node->callee != NULL && (any || kt_fast_gains(node->callee, f->depth + 1))) {
		struct fast below = {.family = f->family, .kernel = node->callee, .depth = f->depth + 1};

		return f->depth >= MOST_DEPTH || breaks(&below, any);
	}
	return any && (node->name == NULL || is_step(node) || is_integer(node->scalar));
}

static bool node_breaks(struct fast *f, const struct kt_tree *node)
{
	static const char *const comparisons[] = {"<", ">", "<=", ">=", "==", "!=", "%"};

	switch (node->kind) {
	case KT_TREE_BINARY:
		for (size_t i = 0; node->operator_ != NULL && i < sizeof comparisons / sizeof comparisons[0]; i++)
			if (strcmp(node->operator_, comparisons[i]) == 0)
				return comes_of_one(f, node);
		return false;
	case KT_TREE_VARIABLE:
		return node->count > 0 && !node->variable->is_pointer && is_integer(node->variable->scalar) &&
		       comes_of_one(f, node->children[0]);
	case KT_TREE_ASSIGN:
		return is_integer(node->children[0]->scalar) && comes_of_one(f, node->children[1]);
	case KT_TREE_CAST:
		return is_integer(node->scalar) && comes_of_one(f, node);
	case KT_TREE_INDEX:
		return comes_of_one(f, node->children[1]);
	case KT_TREE_CHOOSE:
	case KT_TREE_IF:
	case KT_TREE_WHILE:
		return comes_of_one(f, node->children[0]);
	case KT_TREE_CALL:
		return call_breaks(f, node);
	case KT_TREE_STATEMENT:
		return comes_of_one(f, node);
	default:
		return false;
	}
}

static bool find_break(struct kt_tree *node, void *context)
{
	struct fast *f = context;

	if (f->breaks == NULL && node_breaks(f, node))
		f->breaks = node;
	return f->breaks == NULL;
}

static bool breaks(struct fast *f, bool all)
{
	f->all = all;
	do {
		f->grew = false;
		kt_tree_walk(f->kernel->body, spread, f);
	} while (f->grew && !f->full);
	if (!f->full)
		kt_tree_walk(f->kernel->body, find_break, f);
	return f->full || f->breaks != NULL;
}

const struct kt_tree *kt_fast_breaks(struct kt_family *family)
{
	struct fast fast = {.family = family, .kernel = family->kernel};

	return breaks(&fast, false) ? (fast.breaks != NULL ? fast.breaks : family->kernel->body) : NULL;
}
