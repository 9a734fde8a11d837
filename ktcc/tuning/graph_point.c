/* The graph of expressions: what an operator makes of numbers. */
#include "tuning/graph_internal.h"

#include <math.h>

static const char division[] = "division by zero", overflow[] = "overflow", shift[] = "shift out of range",
		  domain_error[] = "outside the function's domain";

static int64_t floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static const char *divide(int64_t *out, enum kt_node_op op, int64_t a, int64_t b)
{
	if (b == 0)
		return division;
	if (a == INT64_MIN && b == -1)
		return overflow;
	switch (op) {
	case KT_NODE_QUOTIENT:
		*out = a / b;
		break;
	case KT_NODE_REMAINDER:
		*out = a % b;
		break;
	case KT_NODE_CEIL_DIV:
		*out = a / b + (a % b != 0 && (a < 0) == (b < 0));
		break;
	case KT_NODE_FLOOR_DIVIDE:
		*out = floor_divide(a, b);
		break;
	default: /* MODULO */
		*out = a - b * floor_divide(a, b);
		break;
	}
	return NULL;
}

static const char *power(int64_t *out, int64_t base, int64_t exponent)
{
	int64_t result = 1;

	if (exponent < 0)
		return domain_error;
	if (base == 0 || base == 1 || base == -1) {
		*out = exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base;
		return NULL;
	}
	for (; exponent > 0; exponent--)
		if (__builtin_mul_overflow(result, base, &result))
			return overflow;
	*out = result;
	return NULL;
}

static const char *shift_by(int64_t *out, enum kt_node_op op, int64_t a, int64_t b)
{
	if (b < 0 || b > 63)
		return shift;
	if (op == KT_NODE_SHIFT_RIGHT) {
		*out = a < 0 ? ~(~a >> b) : a >> b;
		return NULL;
	}
	const int64_t shifted = (int64_t)((uint64_t)a << b);
	if ((shifted < 0 ? ~(~shifted >> b) : shifted >> b) != a)
		return overflow;
	*out = shifted;
	return NULL;
}

static const char *greatest_common(int64_t *out, int64_t a, int64_t b)
{
	if (a == INT64_MIN || b == INT64_MIN)
		return overflow;
	a = a < 0 ? -a : a;
	b = b < 0 ? -b : b;
	while (b != 0) {
		const int64_t rest = a % b;

		a = b;
		b = rest;
	}
	*out = a;
	return NULL;
}

/* One operator on integers; the reason when there is no value. */
static const char *on_integers(int64_t *out, enum kt_node_op op, int64_t a, int64_t b)
{
	switch (op) {
	case KT_NODE_NEGATE:
		return __builtin_sub_overflow(0, a, out) ? overflow : NULL;
	case KT_NODE_COMPLEMENT:
		*out = ~a;
		return NULL;
	case KT_NODE_IS_POW2:
		*out = a > 0 && (a & (a - 1)) == 0;
		return NULL;
	case KT_NODE_ABSOLUTE:
		*out = a;
		return a >= 0 ? NULL : __builtin_sub_overflow(0, a, out) ? overflow : NULL;
	case KT_NODE_TRUNCATE:
	case KT_NODE_FLOOR:
	case KT_NODE_CEIL:
	case KT_NODE_ROUND:
		*out = a;
		return NULL;
	case KT_NODE_ADD:
		return __builtin_add_overflow(a, b, out) ? overflow : NULL;
	case KT_NODE_SUBTRACT:
		return __builtin_sub_overflow(a, b, out) ? overflow : NULL;
	case KT_NODE_MULTIPLY:
		return __builtin_mul_overflow(a, b, out) ? overflow : NULL;
	case KT_NODE_QUOTIENT:
	case KT_NODE_REMAINDER:
	case KT_NODE_CEIL_DIV:
	case KT_NODE_FLOOR_DIVIDE:
	case KT_NODE_MODULO:
		return divide(out, op, a, b);
	case KT_NODE_POWER:
		return power(out, a, b);
	case KT_NODE_GCD:
		return greatest_common(out, a, b);
	case KT_NODE_SHIFT_LEFT:
	case KT_NODE_SHIFT_RIGHT:
		return shift_by(out, op, a, b);
	case KT_NODE_BIT_AND:
		*out = a & b;
		return NULL;
	case KT_NODE_BIT_XOR:
		*out = a ^ b;
		return NULL;
	case KT_NODE_BIT_OR:
		*out = a | b;
		return NULL;
	case KT_NODE_MIN:
		*out = a < b ? a : b;
		return NULL;
	default: /* MAX */
		*out = a > b ? a : b;
		return NULL;
	}
}

static const char *real_quotient(double *out, enum kt_node_op op, double a, double b)
{
	if (b == 0)
		return division;
	*out = op == KT_NODE_DIVIDE ? a / b : floor(a / b);
	if (op == KT_NODE_MODULO) {
		*out = fmod(a, b);
		if (*out != 0 && (*out < 0) != (b < 0))
			*out += b;
	}
	return NULL;
}

static const char *on_reals(double *out, enum kt_node_op op, double a, double b)
{
	switch (op) {
	case KT_NODE_NEGATE:
		*out = -a;
		return NULL;
	case KT_NODE_ABSOLUTE:
		*out = fabs(a);
		return NULL;
	case KT_NODE_TO_REAL:
		*out = a;
		return NULL;
	case KT_NODE_SQRT:
		*out = sqrt(a);
		return a < 0 ? domain_error : NULL;
	case KT_NODE_LOG2:
		*out = log2(a);
		return a <= 0 ? domain_error : NULL;
	case KT_NODE_ADD:
		*out = a + b;
		return NULL;
	case KT_NODE_SUBTRACT:
		*out = a - b;
		return NULL;
	case KT_NODE_MULTIPLY:
		*out = a * b;
		return NULL;
	case KT_NODE_DIVIDE:
	case KT_NODE_FLOOR_DIVIDE:
	case KT_NODE_MODULO:
		return real_quotient(out, op, a, b);
	case KT_NODE_POWER:
		*out = pow(a, b);
		return a == 0 && b < 0 ? division : isnan(*out) ? domain_error : NULL;
	case KT_NODE_MIN:
		*out = b < a ? b : a;
		return NULL;
	default: /* MAX */
		*out = b > a ? b : a;
		return NULL;
	}
}

static const char *to_integer(int64_t *out, enum kt_node_op op, double a)
{
	const double whole = op == KT_NODE_FLOOR ? floor(a) : op == KT_NODE_CEIL ? ceil(a)
			     : op == KT_NODE_ROUND ? nearbyint(a) : trunc(a);

	if (!(whole >= -9.2e18 && whole <= 9.2e18))
		return overflow;
	*out = (int64_t)whole;
	return NULL;
}

const char *kt_point_apply(union kt_scalar_value *out, const struct kt_node_record *record,
                           const unsigned char kinds[2], union kt_scalar_value a, union kt_scalar_value b)
{
	const enum kt_node_op op = record->op;

	if (record->kind == KT_VALUE_REAL)
		return on_reals(&out->d, op, kt_point_real(a, kinds[0]), kt_point_real(b, kinds[1]));
	if (kinds[0] == KT_VALUE_REAL && op >= KT_NODE_TRUNCATE && op <= KT_NODE_ROUND)
		return to_integer(&out->i, op, a.d);
	if (kinds[0] == KT_VALUE_REAL || kinds[1] == KT_VALUE_REAL)
		return "a fraction where an integer is expected";
	return on_integers(&out->i, op, a.i, b.i);
}
