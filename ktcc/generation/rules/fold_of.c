/* The kind of reduction that a single assignment is a step of. */
#include <string.h>

#include "generation/rules/access.h"

static bool is_float(const struct kt_tree *node)
{
	return node->scalar != KT_SCALAR_NONE && kt_scalar_is_float(node->scalar);
}

bool kt_fold_is_exact(const struct kt_tree *value, enum kt_scalar scalar)
{
	return scalar != KT_BOOL && (scalar == KT_SCALAR_NONE || kt_scalar_is_float(scalar) || !is_float(value));
}

static bool adds_up(const struct kt_tree *value, const struct kt_tree_variable *v)
{
	return v->is_pointer || kt_fold_is_exact(value, v->scalar);
}

/* Are two of them compared as what the variable keeps? `int m; m = max(m, 3u)` takes −1 for the greatest. */
static bool compares_kept(const struct kt_tree *call, const struct kt_tree *other, const struct kt_tree_variable *v)
{
	const enum kt_scalar type = call->scalar;

	if (type == v->scalar || type == KT_SCALAR_NONE || v->scalar == KT_SCALAR_NONE)
		return true;
	if (is_float(call) || kt_scalar_is_float(v->scalar))
		return is_float(call) && kt_scalar_is_float(v->scalar);
	return (type == KT_I32 || type == KT_I64) && kt_scalar_bytes(type) > kt_scalar_bytes(v->scalar) &&
	       other->scalar == v->scalar;
}

static bool is_signed(enum kt_scalar scalar)
{
	return scalar == KT_I8 || scalar == KT_I16 || scalar == KT_I32 || scalar == KT_I64;
}

/* Integers alone: does the second hold every value of the first? */
static bool holds(enum kt_scalar to, enum kt_scalar from)
{
	return to == from || (kt_scalar_bytes(to) > kt_scalar_bytes(from) && (is_signed(to) || !is_signed(from)));
}

bool kt_fold_compares(enum kt_scalar call, enum kt_scalar scalar)
{
	if (call == scalar)
		return true;
	if (call == KT_SCALAR_NONE || scalar == KT_SCALAR_NONE || kt_scalar_is_float(call) || kt_scalar_is_float(scalar))
		return call != KT_SCALAR_NONE && scalar != KT_SCALAR_NONE && kt_scalar_is_float(call) && kt_scalar_is_float(scalar);
	return holds(call, scalar);
}

bool kt_fold_converts(enum kt_fold_kind kind, enum kt_scalar from, enum kt_scalar to)
{
	const bool sums = kind == KT_FOLD_SUM, compares = kind == KT_FOLD_MAX || kind == KT_FOLD_MIN;

	if (from == to)
		return true;
	if (from == KT_SCALAR_NONE || to == KT_SCALAR_NONE || from == KT_BOOL || to == KT_BOOL || (!sums && !compares))
		return false;
	if (kt_scalar_is_float(to))
		return kt_scalar_is_float(from) || compares || kt_scalar_bytes(from) < kt_scalar_bytes(to);
	if (kt_scalar_is_float(from))
		return false;
	/* Sums wrap in the narrower type whichever part does; what is wider must not have missed a wrap. */
	return sums ? kt_scalar_bytes(to) <= kt_scalar_bytes(from) || (is_signed(from) && kt_scalar_bytes(from) >= 4)
	            : holds(to, from);
}

static const struct {
	const char *name;
	enum kt_fold_kind kind;
} fold_calls[] = {
	{"fmaxf", KT_FOLD_MAX}, {"fmax", KT_FOLD_MAX}, {"max", KT_FOLD_MAX}, {"__hmax", KT_FOLD_MAX},
	{"fminf", KT_FOLD_MIN}, {"fmin", KT_FOLD_MIN}, {"min", KT_FOLD_MIN}, {"__hmin", KT_FOLD_MIN},
};
static const struct {
	const char *operator_;
	enum kt_fold_kind kind;
} fold_operators[] = {
	{"+=", KT_FOLD_SUM}, {"-=", KT_FOLD_SUM},  {"*=", KT_FOLD_PRODUCT}, {"&=", KT_FOLD_AND},
	{"|=", KT_FOLD_OR},  {"++", KT_FOLD_SUM},  {"--", KT_FOLD_SUM},
};

static bool is_of_bits(enum kt_fold_kind kind)
{
	return kind == KT_FOLD_AND || kind == KT_FOLD_OR;
}

enum kt_fold_kind kt_fold_of(struct kt_tree *write, const struct kt_tree_variable *v)
{
	struct kt_tree *value;

	if (write->operator_ == NULL)
		return KT_FOLD_NONE;
	for (size_t i = 0; i < sizeof fold_operators / sizeof fold_operators[0]; i++)
		if (strcmp(write->operator_, fold_operators[i].operator_) == 0)
			return write->count < 2 ||
			               (!kt_tree_uses(write->children[1], v) &&
			                (is_of_bits(fold_operators[i].kind) || adds_up(write->children[1], v)))
			           ? fold_operators[i].kind
			           : KT_FOLD_NONE;
	if (!kt_tree_is(write, KT_TREE_ASSIGN, "="))
		return KT_FOLD_NONE;
	value = kt_tree_bare(write->children[1]);
	if (kt_tree_is(value, KT_TREE_BINARY, "+") || kt_tree_is(value, KT_TREE_BINARY, "*")) {
		for (size_t i = 0; i < 2; i++)
			if (kt_tree_is_variable(value->children[i], v) && !kt_tree_uses(value->children[1 - i], v) &&
			    adds_up(value->children[1 - i], v))
				return value->operator_[0] == '+' ? KT_FOLD_SUM : KT_FOLD_PRODUCT;
		return KT_FOLD_NONE;
	}
	if (value->kind != KT_TREE_CALL || value->count != 3)
		return KT_FOLD_NONE;
	for (size_t i = 0; i < sizeof fold_calls / sizeof fold_calls[0]; i++)
		if (strcmp(value->known, fold_calls[i].name) == 0)
			for (size_t a = 1; a <= 2; a++)
				if (kt_tree_is_variable(value->children[a], v) && !kt_tree_uses(value->children[3 - a], v) &&
				    compares_kept(value, kt_tree_bare(value->children[3 - a]), v))
					return fold_calls[i].kind;
	return KT_FOLD_NONE;
}
