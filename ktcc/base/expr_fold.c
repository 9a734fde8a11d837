/* Expressions: with the values that are known put in, and what follows from them worked out. */
#include "base/expr_tree.h"

struct folding {
	struct kt_arena *arena;
	kt_expr_lookup lookup;
	void *context;
};

static const struct kt_expr *number(const struct folding *f, const struct kt_expr *from, int64_t value)
{
	struct kt_expr *made = kt_arena_alloc(f->arena, sizeof *made);

	if (made != NULL)
		*made = (struct kt_expr){.op = KT_OP_NUMBER, .offset = from->offset, .depth = 1, .number = value};
	return made;
}

/* Is its value 0 or 1 whenever it has one? */
static bool is_truth(const struct kt_expr *expr)
{
	switch (expr->op) {
	case KT_OP_NUMBER:
		return expr->number == 0 || expr->number == 1;
	case KT_OP_NOT:
	case KT_OP_LESS:
	case KT_OP_LESS_EQUAL:
	case KT_OP_GREATER:
	case KT_OP_GREATER_EQUAL:
	case KT_OP_EQUAL:
	case KT_OP_NOT_EQUAL:
	case KT_OP_AND:
	case KT_OP_OR:
	case KT_OP_IS_POW2:
	case KT_OP_ALIGNED:
	case KT_OP_DISJOINT:
		return true;
	default:
		return false;
	}
}

static bool is_number(const struct kt_expr *expr, int64_t value)
{
	return expr->op == KT_OP_NUMBER && expr->number == value;
}

/* What an expression is the same as. One that may have no value is never left out: launches ask whether all have one. */
static const struct kt_expr *shorter(const struct kt_expr *expr, const struct folding *f)
{
	struct kt_expr *const *o = expr->operands;

	switch (expr->op) {
	case KT_OP_AND:
	case KT_OP_OR:
		if (o[0]->op != KT_OP_NUMBER)
			return expr->op == KT_OP_AND && o[1]->op == KT_OP_NUMBER && o[1]->number != 0 && is_truth(o[0]) ? o[0] : expr;
		if ((expr->op == KT_OP_OR) == (o[0]->number != 0))
			return number(f, expr, expr->op == KT_OP_OR);
		return is_truth(o[1]) ? o[1] : expr;
	case KT_OP_CHOOSE:
		return o[0]->op == KT_OP_NUMBER ? o[o[0]->number != 0 ? 1 : 2] : expr;
	case KT_OP_MULTIPLY:
		return is_number(o[0], 1) ? o[1] : is_number(o[1], 1) ? o[0] : expr;
	case KT_OP_DIVIDE:
	case KT_OP_CEIL_DIV:
		return is_number(o[1], 1) ? o[0] : expr;
	case KT_OP_ADD:
		return is_number(o[0], 0) ? o[1] : is_number(o[1], 0) ? o[0] : expr;
	case KT_OP_SUBTRACT:
		return is_number(o[1], 0) ? o[0] : expr;
	default:
		return expr;
	}
}

static const struct kt_expr *fold(const struct kt_expr *expr, const struct folding *f)
{
	bool constant = expr->op != KT_OP_POINTER;
	struct kt_error ignored;
	struct kt_expr *copy;
	int64_t value;

	if (expr->op == KT_OP_NAME)
		return f->lookup(&value, expr->name, f->context) ? number(f, expr, value) : expr;
	if (expr->count == 0)
		return expr;
	NEED(copy = kt_arena_alloc(f->arena, sizeof *copy), NULL);
	*copy = *expr;
	copy->operands = kt_arena_array(f->arena, expr->count, sizeof *copy->operands);
	for (unsigned i = 0; i < expr->count; i++) {
		const struct kt_expr *operand = copy->operands != NULL ? fold(expr->operands[i], f) : NULL;

		NEED(operand, NULL);
		/* Trees never change: that the operands of a node can be written is for those who make one. */
		copy->operands[i] = (struct kt_expr *)operand;
		constant = constant && operand->op == KT_OP_NUMBER;
	}
	/* Where there is no value, the launch has to find that out. */
	if (constant && kt_expr_eval(&value, copy, NULL, NULL, &ignored) == KT_OK)
		return number(f, expr, value);
	return shorter(copy, f);
}

const struct kt_expr *kt_expr_fold(struct kt_arena *arena, const struct kt_expr *expr, kt_expr_lookup lookup,
                                   void *context)
{
	const struct folding f = {arena, lookup, context};

	return fold(expr, &f);
}

bool kt_expr_number(int64_t *out, const struct kt_expr *expr)
{
	if (expr->op == KT_OP_NUMBER)
		*out = expr->number;
	return expr->op == KT_OP_NUMBER;
}

const char *kt_expr_name(const struct kt_expr *expr)
{
	return expr->op == KT_OP_NAME ? expr->name : NULL;
}
