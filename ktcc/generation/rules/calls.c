/* Calls that may be made more often than the kernel makes them. */
#include <string.h>

#include "generation/rules/access.h"

enum { MOST_DEPTH = 8 };

/* Functions of the language and its library that give a value of their arguments, and do nothing else. */
static const char *const values[] = {
    "abs",       "acos",   "acosf",    "acosh",  "acoshf",     "asin",   "asinf",    "asinh",   "asinhf", "atan",
    "atan2",     "atan2f", "atanf",    "atanh",  "atanhf",     "cbrt",   "cbrtf",    "ceil",    "ceilf",  "copysign",
    "copysignf", "cos",    "cosf",     "cosh",   "coshf",      "erf",    "erfc",     "erfcf",   "erff",   "exp",
    "exp10f",    "exp2",   "exp2f",    "expf",   "expm1",      "expm1f", "fabs",     "fabsf",   "fdim",   "fdimf",
    "floor",     "floorf", "fma",      "fmaf",   "fmax",       "fmaxf",  "fmin",     "fminf",   "fmod",   "fmodf",
    "hypot",     "hypotf", "isfinite", "isinf",  "isnan",      "labs",   "ldexp",    "ldexpf",  "llabs",  "log",
    "log10",     "log10f", "log1p",    "log1pf", "log2",       "log2f",  "logf",     "max",     "min",    "pow",
    "powf",      "rint",   "rintf",    "round",  "roundf",     "rsqrt",  "rsqrtf",   "signbit", "sin",    "sinf",
    "sinh",      "sinhf",  "sqrt",     "sqrtf",  "tan",        "tanf",   "tanh",     "tanhf",   "trunc",  "truncf",
    "__clz",     "__cosf", "__exp10f", "__expf", "__fdividef", "__ffs",  "__log10f", "__log2f", "__logf", "__mul24",
    "__popc",    "__powf", "__sinf",   "__tanf", "__umul24",   "__hadd", "__hdiv",   "__hfma",  "__hmax", "__hmin",
    "__hmul",    "__hsub", "__ldg",
};
/* __half2float, __float2int_rn, __int_as_float and their kin, and what converts an object. */
static const char *const conversions[] = {"__bfloat162", "__double2",    "__float2",       "__half2",     "__int2",
					  "__uint2",     "__ll2",        "__ull2",         "__float_as_", "__int_as_",
					  "__uint_as_",  "__double_as_", "__longlong_as_", "operator ",
					  /* What INFINITY and its like are made of. */
					  "__builtin_inf", "__builtin_huge_val", "__builtin_nan"};

static bool is_value(const char *name)
{
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
		if (strcmp(name, values[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof conversions / sizeof conversions[0]; i++)
		if (strncmp(name, conversions[i], strlen(conversions[i])) == 0)
			return true;
	return false;
}

struct inside {
	int depth; /* 0: the kernel's own text, of which effects are read elsewhere */
};

static bool is_harmless(struct kt_tree *node, void *context)
{
	const struct inside *inside = context;
	struct inside further = {inside->depth + 1};
	bool reads;

	switch (node->kind) {
	case KT_TREE_CALL:
		if (node->callee == NULL)
			return is_value(node->known);
		return node->callee->body != NULL && further.depth < MOST_DEPTH &&
		       kt_tree_walk(node->callee->body, is_harmless, &further);
	case KT_TREE_STATEMENT:
		return false;
	case KT_TREE_INDEX:
	case KT_TREE_MEMBER:
	case KT_TREE_OTHER:
		return inside->depth == 0 || !kt_tree_is_target(node, &reads);
	case KT_TREE_UNARY:
		return inside->depth == 0 || !kt_tree_is(node, KT_TREE_UNARY, "*") || !kt_tree_is_target(node, &reads);
	case KT_TREE_REFERENCE:
		/* A name from outside, or of what the caller has. */
		return inside->depth == 0 || node->variable == NULL || !kt_tree_is_target(node, &reads) ||
		       ((node->variable->is_local || node->variable->argument >= 0) && !node->variable->is_reference);
	default:
		return true;
	}
}

static bool is_in_sight(struct kt_tree *node, void *context)
{
	const struct inside *inside = context;
	struct inside further = {inside->depth + 1};

	switch (node->kind) {
	case KT_TREE_CALL:
		if (node->opaque)
			return false;
		/* The language's functions know of no block, except those of clusters; functions of others that ask for it are
		 * `opaque`. */
		if (node->callee == NULL)
			return strncmp(node->known, "__cluster", strlen("__cluster")) != 0;
		return node->callee->body != NULL && further.depth < MOST_DEPTH &&
		       kt_tree_walk(node->callee->body, is_in_sight, &further);
	case KT_TREE_BUILTIN:
		return inside->depth == 0 || (node->builtin != KT_BLOCK_INDEX && node->builtin != KT_GRID_EXTENT);
	case KT_TREE_STATEMENT:
		return false;
	default:
		return true;
	}
}

bool kt_calls_are_in_sight(struct kt_tree *node)
{
	return kt_tree_walk(node, is_in_sight, &(struct inside){0});
}

static bool is_own(const struct kt_tree_variable *v)
{
	return (v->is_local || v->argument >= 0) && !v->leads;
}

static bool keeps_others(struct kt_tree *node, void *context)
{
	const struct kt_tree *at = node;
	bool reads;

	(void)context;
	if (node->kind == KT_TREE_CALL && node->callee != NULL && node->callee->body != NULL)
		return kt_callee_keeps_others(node->callee);
	if (!kt_tree_is_target(node, &reads))
		return true;
	while ((at->kind == KT_TREE_MEMBER || at->kind == KT_TREE_INDEX || at->kind == KT_TREE_PAREN || at->gives_part) &&
	       at->count > 0)
		at = at->children[0];
	return at->kind == KT_TREE_REFERENCE && at->variable != NULL && is_own(at->variable);
}

bool kt_callee_keeps_others(const struct kt_kernel *callee)
{
	return kt_tree_walk(callee->body, keeps_others, NULL);
}

static bool stays_own(struct kt_tree *node, void *context)
{
	const struct kt_tree_variable *v = node->variable;

	(void)context;
	if (node->kind == KT_TREE_CALL)
		return !node->reaches &&
		       (node->callee == NULL || node->callee->body == NULL || !kt_callee_reaches(node->callee));
	if (node->kind != KT_TREE_REFERENCE || v == NULL || node->has_value || v->is_local || v->argument >= 0)
		return true;
	return v->is_constant || (!v->is_array && !v->is_pointer && v->is_const);
}

bool kt_callee_reaches(struct kt_kernel *callee)
{
	if (callee->reaching == KT_REACHING_UNKNOWN) {
		callee->reaching = KT_REACHING_NONE; /* of one that calls itself */
		callee->reaching = kt_tree_walk(callee->body, stays_own, NULL) ? KT_REACHING_NONE : KT_REACHING_SOME;
	}
	return callee->reaching == KT_REACHING_SOME;
}

bool kt_calls_are_harmless(struct kt_tree *node)
{
	return kt_tree_walk(node, is_harmless, &(struct inside){0});
}
