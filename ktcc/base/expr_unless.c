/* An expression that has to hold only where another one does. */
#include "base/expr_tree.h"

static void shift_all(struct kt_expr *expr, unsigned shift)
{
	expr->offset += shift;
	for (unsigned i = 0; i < expr->count; i++)
		shift_all(expr->operands[i], shift);
}

/* NULL: out of memory, or too deep. */
static struct kt_expr *node(struct kt_arena *arena, enum kt_op op, struct kt_expr *first, struct kt_expr *second)
{
	struct kt_expr *out = first != NULL ? kt_arena_alloc(arena, sizeof *out) : NULL;
	struct kt_expr **operands = kt_arena_array(arena, 2, sizeof *operands);
	const unsigned count = second != NULL ? 2 : 1;

	if (out == NULL || operands == NULL)
		return NULL;
	operands[0] = first;
	operands[1] = second;
	*out = (struct kt_expr){.op = op, .offset = first->offset, .depth = first->depth + 1, .count = count, .operands = operands};
	if (second != NULL && second->depth >= out->depth)
		out->depth = second->depth + 1;
	return out->depth <= KT_EXPR_DEPTH ? out : NULL;
}

struct kt_expr *kt_expr_unless(struct kt_arena *arena, struct kt_expr *condition, unsigned shift, struct kt_expr *expr)
{
	shift_all(condition, shift);
	return node(arena, KT_OP_OR, node(arena, KT_OP_NOT, condition, NULL), expr);
}
