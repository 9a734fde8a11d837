/*
 * The tree of struct kt_expr, for the expr_*.c files only: the operators as
 * one table, and the node.
 */
#ifndef KT_BASE_EXPR_TREE_H
#define KT_BASE_EXPR_TREE_H

#include "base/expr.h"

#define KT_EXPR_ARGUMENTS 64 /* most arguments of one call */

enum kt_op_form { KT_FORM_LEAF, KT_FORM_UNARY, KT_FORM_BINARY, KT_FORM_TERNARY, KT_FORM_CALL };

/*
 * X(identifier, form, spelling, precedence, least and most operands, C++ helper)
 * A larger precedence binds tighter. Where the helper is NULL, the C++ operator
 * of the same spelling means the same for every operand.
 */
#define KT_OPS(X) \
	X(NUMBER, LEAF, "", 13, 0, 0, NULL) \
	X(NAME, LEAF, "", 13, 0, 0, NULL) \
	X(POINTER, LEAF, "", 13, 0, 0, NULL) \
	X(NEGATE, UNARY, "-", 12, 1, 1, "::ktune::neg_") \
	X(NOT, UNARY, "!", 12, 1, 1, NULL) \
	X(COMPLEMENT, UNARY, "~", 12, 1, 1, NULL) \
	X(MULTIPLY, BINARY, "*", 11, 2, 2, "::ktune::mul_") \
	X(DIVIDE, BINARY, "/", 11, 2, 2, "::ktune::div_") \
	X(REMAINDER, BINARY, "%", 11, 2, 2, "::ktune::rem_") \
	X(ADD, BINARY, "+", 10, 2, 2, "::ktune::add_") \
	X(SUBTRACT, BINARY, "-", 10, 2, 2, "::ktune::sub_") \
	X(SHIFT_LEFT, BINARY, "<<", 9, 2, 2, "::ktune::shl_") \
	X(SHIFT_RIGHT, BINARY, ">>", 9, 2, 2, "::ktune::shr_") \
	X(LESS, BINARY, "<", 8, 2, 2, NULL) \
	X(LESS_EQUAL, BINARY, "<=", 8, 2, 2, NULL) \
	X(GREATER, BINARY, ">", 8, 2, 2, NULL) \
	X(GREATER_EQUAL, BINARY, ">=", 8, 2, 2, NULL) \
	X(EQUAL, BINARY, "==", 7, 2, 2, NULL) \
	X(NOT_EQUAL, BINARY, "!=", 7, 2, 2, NULL) \
	X(BIT_AND, BINARY, "&", 6, 2, 2, NULL) \
	X(BIT_XOR, BINARY, "^", 5, 2, 2, NULL) \
	X(BIT_OR, BINARY, "|", 4, 2, 2, NULL) \
	X(AND, BINARY, "&&", 3, 2, 2, NULL) \
	X(OR, BINARY, "||", 2, 2, 2, NULL) \
	X(CHOOSE, TERNARY, "?", 1, 3, 3, NULL) \
	X(MIN, CALL, "min", 13, 2, KT_EXPR_ARGUMENTS, "::ktune::min_") \
	X(MAX, CALL, "max", 13, 2, KT_EXPR_ARGUMENTS, "::ktune::max_") \
	X(CEIL_DIV, CALL, "ceil_div", 13, 2, 2, "::ktune::ceil_div_") \
	X(IS_POW2, CALL, "is_pow2", 13, 1, 1, "::ktune::is_pow2_") \
	X(ALIGNED, CALL, "aligned", 13, 2, 2, "::ktune::aligned_") \
	X(DISJOINT, CALL, "disjoint", 13, 4, 4, "::ktune::disjoint_")

enum kt_op {
#define KT_OP_ID(id, form, spelling, precedence, least, most, helper) KT_OP_##id,
	KT_OPS(KT_OP_ID)
#undef KT_OP_ID
	KT_OP_COUNT
};

#define KT_PRECEDENCE_CHOOSE 1
#define KT_PRECEDENCE_OR 2
#define KT_PRECEDENCE_UNARY 12

struct kt_op_row {
	enum kt_op_form form;
	const char *spelling;
	int precedence;
	unsigned least, most;
	const char *helper;
};

struct kt_expr {
	enum kt_op op;
	unsigned offset; /* of the operator or name in the parsed text */
	unsigned depth;  /* 1 for a leaf */
	unsigned count;
	int64_t number;
	const char *name;
	struct kt_expr **operands;
};

const struct kt_op_row *kt_op_row(enum kt_op op);
/* The function of that name, or KT_OP_COUNT. */
enum kt_op kt_op_function(const char *name, size_t length);

#endif
