/* Expressions: evaluation in 64 bits, every step checked. */
#include "base/expr_tree.h"

struct evaluation {
	kt_expr_lookup lookup;
	kt_expr_point point; /* NULL: pointers are aligned and disjoint */
	void *context;
	struct kt_error *err;
};

static kt_status overflow(const struct kt_expr *expr, struct kt_error *err)
{
	return kt_fail_at(err, KT_ERR_INVALID, expr->offset, "overflow in '%s'", kt_op_row(expr->op)->spelling);
}

static kt_status divide(int64_t *out, const struct kt_expr *expr, int64_t a, int64_t b, struct kt_error *err)
{
	if (b == 0)
		return kt_fail_at(err, KT_ERR_INVALID, expr->offset, "division by zero");
	if (a == INT64_MIN && b == -1)
		return overflow(expr, err);
	if (expr->op == KT_OP_REMAINDER)
		*out = a % b;
	else
		*out = a / b + (expr->op == KT_OP_CEIL_DIV && a % b != 0 && (a < 0) == (b < 0));
	return KT_OK;
}

static kt_status shift(int64_t *out, const struct kt_expr *expr, int64_t a, int64_t b, struct kt_error *err)
{
	if (b < 0 || b > 63)
		return kt_fail_at(err, KT_ERR_INVALID, expr->offset, "shift by %lld is out of range", (long long)b);
	if (expr->op == KT_OP_SHIFT_RIGHT) {
		/* Rounds down for negative values too, without relying on the compiler's choice. */
		*out = a < 0 ? ~(~a >> b) : a >> b;
		return KT_OK;
	}
	const int64_t shifted = (int64_t)((uint64_t)a << b);
	if ((shifted < 0 ? ~(~shifted >> b) : shifted >> b) != a)
		return overflow(expr, err);
	*out = shifted;
	return KT_OK;
}

static kt_status binary(int64_t *out, const struct kt_expr *expr, int64_t a, int64_t b, struct kt_error *err)
{
	switch (expr->op) {
	case KT_OP_MULTIPLY:
		return __builtin_mul_overflow(a, b, out) ? overflow(expr, err) : KT_OK;
	case KT_OP_ADD:
		return __builtin_add_overflow(a, b, out) ? overflow(expr, err) : KT_OK;
	case KT_OP_SUBTRACT:
		return __builtin_sub_overflow(a, b, out) ? overflow(expr, err) : KT_OK;
	case KT_OP_DIVIDE:
	case KT_OP_REMAINDER:
	case KT_OP_CEIL_DIV:
		return divide(out, expr, a, b, err);
	case KT_OP_SHIFT_LEFT:
	case KT_OP_SHIFT_RIGHT:
		return shift(out, expr, a, b, err);
	case KT_OP_LESS:
		*out = a < b;
		return KT_OK;
	case KT_OP_LESS_EQUAL:
		*out = a <= b;
		return KT_OK;
	case KT_OP_GREATER:
		*out = a > b;
		return KT_OK;
	case KT_OP_GREATER_EQUAL:
		*out = a >= b;
		return KT_OK;
	case KT_OP_EQUAL:
		*out = a == b;
		return KT_OK;
	case KT_OP_NOT_EQUAL:
		*out = a != b;
		return KT_OK;
	case KT_OP_BIT_AND:
		*out = a & b;
		return KT_OK;
	case KT_OP_BIT_XOR:
		*out = a ^ b;
		return KT_OK;
	case KT_OP_BIT_OR:
		*out = a | b;
		return KT_OK;
	case KT_OP_MIN:
		*out = a < b ? a : b;
		return KT_OK;
	case KT_OP_MAX:
		*out = a > b ? a : b;
		return KT_OK;
	default:
		return kt_fail_at(err, KT_ERR_INVALID, expr->offset, "not a binary operator");
	}
}

static kt_status unary(int64_t *out, const struct kt_expr *expr, int64_t a, struct kt_error *err)
{
	switch (expr->op) {
	case KT_OP_NEGATE:
		return __builtin_sub_overflow(0, a, out) ? overflow(expr, err) : KT_OK;
	case KT_OP_NOT:
		*out = !a;
		return KT_OK;
	case KT_OP_COMPLEMENT:
		*out = ~a;
		return KT_OK;
	case KT_OP_IS_POW2:
		*out = a > 0 && (a & (a - 1)) == 0;
		return KT_OK;
	default:
		return kt_fail_at(err, KT_ERR_INVALID, expr->offset, "not a unary operator");
	}
}

static kt_status evaluate(int64_t *out, const struct kt_expr *expr, const struct evaluation *e);

/* && || and ?: look at their later operands only when they must. */
static kt_status lazy(int64_t *out, const struct kt_expr *expr, const struct evaluation *e)
{
	int64_t first = 0;
	TRY(evaluate(&first, expr->operands[0], e));
	if (expr->op == KT_OP_CHOOSE)
		return evaluate(out, expr->operands[first ? 1 : 2], e);
	if ((expr->op == KT_OP_AND) == (first != 0)) {
		int64_t second = 0;
		TRY(evaluate(&second, expr->operands[1], e));
		first = second;
	}
	*out = first != 0;
	return KT_OK;
}

struct place {
	uint64_t address;
	int64_t element_bytes;
};

static kt_status find_place(struct place *out, const struct kt_expr *expr, const struct evaluation *e)
{
	if (e->point(&out->address, &out->element_bytes, expr->name, e->context))
		return KT_OK;
	return kt_fail_at(e->err, KT_ERR_MISSING, expr->offset, "unknown pointer '%.80s'", expr->name);
}

/* The operands at `first`: a pointer and a count of elements, as bytes. False: no such range. */
static kt_status find_range(struct place *out, int64_t *bytes, bool *valid, const struct kt_expr *expr, unsigned first,
                            const struct evaluation *e)
{
	int64_t count = 0;
	kt_status status = find_place(out, expr->operands[first], e);
	THEN(status, evaluate(&count, expr->operands[first + 1], e));
	*valid = count >= 0 && !__builtin_mul_overflow(count, out->element_bytes, bytes);
	return status;
}

static kt_status disjoint(int64_t *out, const struct kt_expr *expr, const struct evaluation *e)
{
	struct place a = {0, 0}, b = {0, 0};
	int64_t a_bytes = 0, b_bytes = 0;
	bool a_valid = false, b_valid = false;
	kt_status status = find_range(&a, &a_bytes, &a_valid, expr, 0, e);
	THEN(status, find_range(&b, &b_bytes, &b_valid, expr, 2, e));
	if (!a_valid || !b_valid)
		*out = 0;
	else if (a.address <= b.address)
		*out = b.address - a.address >= (uint64_t)a_bytes || b_bytes == 0;
	else
		*out = a.address - b.address >= (uint64_t)b_bytes || a_bytes == 0;
	return status;
}

static kt_status aligned(int64_t *out, const struct kt_expr *expr, const struct evaluation *e)
{
	struct place place = {0, 0};
	int64_t bytes = 0;
	kt_status status = find_place(&place, expr->operands[0], e);
	THEN(status, evaluate(&bytes, expr->operands[1], e));
	*out = bytes > 0 && place.address % (uint64_t)bytes == 0;
	return status;
}

static kt_status evaluate(int64_t *out, const struct kt_expr *expr, const struct evaluation *e)
{
	switch (expr->op) {
	case KT_OP_NUMBER:
		*out = expr->number;
		return KT_OK;
	case KT_OP_NAME:
		if (e->lookup != NULL && e->lookup(out, expr->name, e->context))
			return KT_OK;
		return kt_fail_at(e->err, KT_ERR_MISSING, expr->offset, "unknown name '%.80s'", expr->name);
	case KT_OP_AND:
	case KT_OP_OR:
	case KT_OP_CHOOSE:
		return lazy(out, expr, e);
	case KT_OP_ALIGNED:
	case KT_OP_DISJOINT:
		*out = 1;
		if (e->point == NULL)
			return KT_OK;
		return expr->op == KT_OP_ALIGNED ? aligned(out, expr, e) : disjoint(out, expr, e);
	default:
		break;
	}
	if (expr->count == 0)
		return kt_fail_at(e->err, KT_ERR_INVALID, expr->offset, "a pointer has no value here");
	int64_t value = 0;
	TRY(evaluate(&value, expr->operands[0], e));
	if (expr->count == 1)
		TRY(unary(&value, expr, value, e->err));
	for (unsigned i = 1; i < expr->count; i++) {
		int64_t next = 0;
		TRY(evaluate(&next, expr->operands[i], e));
		TRY(binary(&value, expr, value, next, e->err));
	}
	*out = value;
	return KT_OK;
}

kt_status kt_expr_eval(int64_t *out, const struct kt_expr *expr, kt_expr_lookup lookup, void *context,
                       struct kt_error *err)
{
	return kt_expr_eval_at(out, expr, lookup, NULL, context, err);
}

kt_status kt_expr_eval_at(int64_t *out, const struct kt_expr *expr, kt_expr_lookup lookup, kt_expr_point point,
                          void *context, struct kt_error *err)
{
	const struct evaluation e = {lookup, point, context, err};
	int64_t value = 0;
	const kt_status status = evaluate(&value, expr, &e);
	if (status == KT_OK)
		*out = value;
	return status;
}
