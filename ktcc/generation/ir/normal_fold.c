/*
 * Normal form: integers and truth values that are known are constants, operations that change nothing are gone,
 * constants are on the right, and conditions are comparisons. Floating-point operations are not changed, except
 * signs and conversions of constants, which are exact.
 */
#include <math.h>

#include "generation/ir/normal.h"
#include "generation/ir/number.h"
#include "generation/ir/walk.h"

typedef const struct kt_ir_value *folder(struct kt_ir_module *module, const struct kt_ir_value *value);

static bool is_whole(const struct kt_ir_type *type)
{
	return type->kind == KT_IR_INTEGER || type->kind == KT_IR_BOOL;
}

static bool known(const struct kt_ir_value *v, kt_ir_wide *number)
{
	if (v->op != KT_IR_CONSTANT || !is_whole(v->type))
		return false;
	*number = kt_ir_wide_of(v->type, v->bits);
	return true;
}

static bool is_number(const struct kt_ir_value *v, int64_t wanted)
{
	kt_ir_wide number;

	return known(v, &number) && number == wanted;
}

static const struct kt_ir_value *constant(struct kt_ir_module *m, const struct kt_ir_type *type, kt_ir_wide number)
{
	uint64_t bits[2];

	kt_ir_wide_bits(type, number, bits);
	return kt_ir_bits(m, type, bits[0], bits[1]);
}

/* The exact result; false: it has none. */
static bool calculate(kt_ir_wide *made, enum kt_ir_op op, const struct kt_ir_type *type, kt_ir_wide a, kt_ir_wide b)
{
	const bool divides = op == KT_IR_DIV || op == KT_IR_REM, shifts = op == KT_IR_SHL || op == KT_IR_SHR;

	if (type->bits > 64 || (divides && (b == 0 || b == -1)) || (shifts && (b < 0 || b >= (kt_ir_wide)type->bits)))
		return false;
	switch (op) {
	case KT_IR_ADD:
		*made = a + b;
		return true;
	case KT_IR_SUB:
		*made = a - b;
		return true;
	case KT_IR_MUL:
		*made = (kt_ir_wide)((kt_ir_uwide)a * (kt_ir_uwide)b);
		return true;
	case KT_IR_DIV:
		*made = a / b;
		return true;
	case KT_IR_REM:
		*made = a % b;
		return true;
	case KT_IR_AND:
		*made = a & b;
		return true;
	case KT_IR_OR:
		*made = a | b;
		return true;
	case KT_IR_XOR:
		*made = a ^ b;
		return true;
	case KT_IR_SHL:
		*made = (kt_ir_wide)((kt_ir_uwide)a << b);
		return true;
	case KT_IR_SHR:
		*made = a >> b;
		return true;
	default:
		return false;
	}
}

static bool compares(enum kt_ir_op op, kt_ir_wide a, kt_ir_wide b)
{
	const bool results[] = {[KT_IR_EQ] = a == b,
				[KT_IR_NE] = a != b,
				[KT_IR_LT] = a<b, [KT_IR_LE] = a <= b, [KT_IR_GT] = a> b,
				[KT_IR_GE] = a >= b};

	return results[op];
}

static const struct kt_ir_value *again(struct kt_ir_module *m, enum kt_ir_op op, const struct kt_ir_value *a,
				       const struct kt_ir_value *b, bool no_wrap)
{
	const struct kt_ir_value *made = kt_ir_apply(m, op, a, b, NULL);

	if (made != NULL && no_wrap)
		made = kt_ir_no_wrap(m, made);
	return made == NULL ? NULL : kt_ir_folded(m, made);
}

/* (x + 1) + 2, of which neither overflows, is x + 3; where one may wrap, so may the sum. */
static const struct kt_ir_value *regroup(struct kt_ir_module *m, const struct kt_ir_value *v)
{
	const struct kt_ir_value *inner = v->arguments[0];
	kt_ir_wide a, b, made;

	if (inner->op != v->op || (v->op != KT_IR_ADD && v->op != KT_IR_MUL) || !known(v->arguments[1], &b) ||
	    !known(inner->arguments[1], &a) || !calculate(&made, v->op, v->type, a, b))
		return v;
	/* x * -1 * -1 of the least integer overflows, x * 1 does not: only what cannot hide an overflow is exact. */
	if ((v->no_wrap || inner->no_wrap) && kt_ir_cut(v->type, made) != made)
		return v;
	return again(m, v->op, inner->arguments[0], constant(m, v->type, made), v->no_wrap && inner->no_wrap);
}

static bool is_commutative(enum kt_ir_op op)
{
	return op == KT_IR_ADD || op == KT_IR_MUL || op == KT_IR_AND || op == KT_IR_OR || op == KT_IR_XOR;
}

static const struct kt_ir_value *neutral(struct kt_ir_module *m, const struct kt_ir_value *v)
{
	const struct kt_ir_value *a = v->arguments[0], *b = v->arguments[1];
	const bool is_zero = is_number(b, 0), is_one = is_number(b, 1);

	switch (v->op) {
	case KT_IR_ADD:
	case KT_IR_SUB:
	case KT_IR_OR:
	case KT_IR_XOR:
	case KT_IR_SHL:
	case KT_IR_SHR:
		if (is_zero)
			return a;
		break;
	case KT_IR_MUL:
		if (is_zero)
			return b;
		if (is_one)
			return a;
		break;
	case KT_IR_DIV:
		if (is_one)
			return a;
		break;
	case KT_IR_REM:
		if (is_one)
			return constant(m, v->type, 0);
		break;
	case KT_IR_AND:
		if (is_zero)
			return b;
		break;
	default:
		break;
	}
	return v;
}

/* x - 3 is x + -3, and x << 3 is x * 8, where that overflows in the same cases. */
static const struct kt_ir_value *one_form(struct kt_ir_module *m, const struct kt_ir_value *v)
{
	kt_ir_wide number;

	if (!known(v->arguments[1], &number))
		return v;
	if (v->op == KT_IR_SUB && v->type->is_signed && kt_ir_cut(v->type, -number) == -number)
		return again(m, KT_IR_ADD, v->arguments[0], constant(m, v->type, -number), v->no_wrap);
	if (v->op == KT_IR_SHL && number >= 0 && number < (kt_ir_wide)v->type->bits - 1 && v->type->bits <= 64)
		return again(m, KT_IR_MUL, v->arguments[0], constant(m, v->type, (kt_ir_wide)1 << (int)number),
			     v->no_wrap);
	return v;
}

static const struct kt_ir_value *integers(struct kt_ir_module *m, const struct kt_ir_value *v)
{
	kt_ir_wide a, b, made;
	const struct kt_ir_value *better;

	if (v->type->kind != KT_IR_INTEGER || v->count != 2)
		return v;
	if (known(v->arguments[0], &a) && known(v->arguments[1], &b)) {
		if (!calculate(&made, v->op, v->type, a, b) || (v->no_wrap && kt_ir_cut(v->type, made) != made))
			return v;
		return constant(m, v->type, made);
	}
	if (is_commutative(v->op) && v->arguments[0]->op == KT_IR_CONSTANT && v->arguments[1]->op != KT_IR_CONSTANT)
		return again(m, v->op, v->arguments[1], v->arguments[0], v->no_wrap);
	better = neutral(m, v);
	if (better == v)
		better = one_form(m, v);
	return better == v ? regroup(m, v) : better;
}

/* Of constants; the opposite of a comparison is a comparison. */
static const struct kt_ir_value *unary(struct kt_ir_module *m, const struct kt_ir_value *v)
{
	const struct kt_ir_value *made;
	kt_ir_wide a;

	if (v->op == KT_IR_NOT) {
		made = kt_ir_opposite(m, v->arguments[0]);
		return made != NULL && made->op == KT_IR_NOT ? v : made;
	}
	if (!known(v->arguments[0], &a) || v->type->bits > 64 ||
	    (v->op == KT_IR_NEG && v->no_wrap && kt_ir_cut(v->type, -a) != -a))
		return v;
	return constant(m, v->type, v->op == KT_IR_NEG ? -a : ~a);
}

const struct kt_ir_value *kt_ir_opposite(struct kt_ir_module *m, const struct kt_ir_value *c)
{
	static const enum kt_ir_op opposites[KT_IR_OP_COUNT] = {
	    [KT_IR_EQ] = KT_IR_NE, [KT_IR_NE] = KT_IR_EQ, [KT_IR_LT] = KT_IR_GE,
	    [KT_IR_GE] = KT_IR_LT, [KT_IR_GT] = KT_IR_LE, [KT_IR_LE] = KT_IR_GT};
	kt_ir_wide number;

	if (known(c, &number))
		return constant(m, c->type, number == 0);
	if (c->op == KT_IR_NOT)
		return c->arguments[0];
	/* What is no number is neither less nor at least. */
	if (opposites[c->op] != KT_IR_CONSTANT &&
	    (c->arguments[0]->type->kind != KT_IR_FLOAT || c->op == KT_IR_EQ || c->op == KT_IR_NE))
		return kt_ir_apply(m, opposites[c->op], c->arguments[0], c->arguments[1], NULL);
	if (c->op == KT_IR_BOTH || c->op == KT_IR_EITHER)
		return kt_ir_apply(m, c->op == KT_IR_BOTH ? KT_IR_EITHER : KT_IR_BOTH,
				   kt_ir_opposite(m, c->arguments[0]), kt_ir_opposite(m, c->arguments[1]), NULL);
	return kt_ir_apply(m, KT_IR_NOT, c, NULL, NULL);
}

/* What the comparison is with its sides exchanged. */
static enum kt_ir_op turned(enum kt_ir_op op)
{
	static const enum kt_ir_op turns[] = {[KT_IR_EQ] = KT_IR_EQ, [KT_IR_NE] = KT_IR_NE, [KT_IR_LT] = KT_IR_GT,
					      [KT_IR_LE] = KT_IR_GE, [KT_IR_GT] = KT_IR_LT, [KT_IR_GE] = KT_IR_LE};

	return turns[op];
}

static const struct kt_ir_value *comparison(struct kt_ir_module *m, const struct kt_ir_value *v)
{
	const struct kt_ir_value *a = v->arguments[0], *b = v->arguments[1], *made = v;
	kt_ir_wide x, y;

	if (!is_whole(a->type) || a->type->bits > 64)
		return v;
	if (known(a, &x) && known(b, &y))
		return constant(m, v->type, compares(v->op, x, y));
	if (a->op == KT_IR_CONSTANT) {
		made = kt_ir_apply(m, turned(v->op), b, a, NULL);
		return made == NULL ? NULL : kt_ir_folded(m, made);
	}
	/* A truth value compared with a constant; a truth value as a number compared with 0. */
	if ((v->op != KT_IR_NE && v->op != KT_IR_EQ) || !known(b, &y))
		return v;
	if (a->op == KT_IR_CONVERT && a->arguments[0]->type->kind == KT_IR_BOOL && y == 0)
		a = a->arguments[0];
	if (a->type->kind != KT_IR_BOOL)
		return v;
	return (v->op == KT_IR_NE) == (y == 0) ? a : kt_ir_opposite(m, a);
}

static const struct kt_ir_value *logic(struct kt_ir_module *m, const struct kt_ir_value *v)
{
	const bool decides = v->op == KT_IR_EITHER;
	kt_ir_wide a;

	(void)m;
	if (known(v->arguments[0], &a))
		return (a != 0) == decides ? v->arguments[0] : v->arguments[1];
	if (known(v->arguments[1], &a))
		return (a != 0) == decides ? v->arguments[1] : v->arguments[0];
	return v;
}

static const struct kt_ir_value *selection(struct kt_ir_module *m, const struct kt_ir_value *v)
{
	kt_ir_wide a, b;

	if (known(v->arguments[0], &a))
		return v->arguments[a != 0 ? 1 : 2];
	if (v->type->kind == KT_IR_BOOL && known(v->arguments[1], &a) && known(v->arguments[2], &b) && a != b)
		return a != 0 ? v->arguments[0] : kt_ir_opposite(m, v->arguments[0]);
	return kt_ir_same(v->arguments[1], v->arguments[2]) ? v->arguments[1] : v;
}

/* Does every value of the one type exist in the other one? */
static bool holds(const struct kt_ir_type *to, const struct kt_ir_type *from)
{
	if (from->kind == KT_IR_BOOL || to == from)
		return true;
	return to->kind == KT_IR_INTEGER && (to->is_signed == from->is_signed || to->is_signed) &&
	       (to->is_signed == from->is_signed ? to->bits >= from->bits : to->bits > from->bits);
}

/* `float sum = 0.0;`: the constant of the other type, which a compiler makes of it as well. */
static const struct kt_ir_value *real_conversion(struct kt_ir_module *m, const struct kt_ir_value *v)
{
	const struct kt_ir_value *a = v->arguments[0], *made;
	double number;

	if (v->mode != KT_IR_AS_VALUE || a->op != KT_IR_CONSTANT || a->type->kind != KT_IR_FLOAT || v->type->kind != KT_IR_FLOAT)
		return v;
	number = kt_ir_real_of(a);
	made = kt_ir_real(m, v->type, number);
	/* What is rounded is a single, and no small one: units may flush those to zero. */
	return made == NULL || kt_ir_real_of(made) == number || (v->type->bits == 32 && isnormal((float)number)) ? made : v;
}

static const struct kt_ir_value *conversion(struct kt_ir_module *m, const struct kt_ir_value *v)
{
	const struct kt_ir_value *a = v->arguments[0], *made;
	const struct kt_ir_type *inner;
	kt_ir_wide number;

	if (v->mode != KT_IR_AS_VALUE || !is_whole(a->type))
		return v;
	if (known(a, &number) && is_whole(v->type))
		return constant(m, v->type, v->type->kind == KT_IR_BOOL ? number != 0 : number);
	if (known(a, &number) && v->type->kind == KT_IR_FLOAT && number > -2048 && number < 2048) {
		made = kt_ir_real(m, v->type, (double)number);
		return made == NULL || kt_ir_real_of(made) == (double)number ? made : v;
	}
	if (a->op != KT_IR_CONVERT || a->mode != KT_IR_AS_VALUE || !is_whole(a->arguments[0]->type) ||
	    !is_whole(v->type) || a->type->kind == KT_IR_BOOL)
		return v;
	inner = a->arguments[0]->type;
	/* Of a cut value only low bits count; a value that a wider type held may go straight on. */
	if (!holds(a->type, inner) && (v->type->kind == KT_IR_BOOL || v->type->bits > a->type->bits))
		return v;
	made = kt_ir_convert(m, a->arguments[0], v->type, KT_IR_AS_VALUE);
	return made == NULL || made->op != KT_IR_CONVERT ? made : conversion(m, made);
}

static const struct kt_ir_value *nothing(struct kt_ir_module *m, const struct kt_ir_value *v)
{
	(void)m;
	return v;
}

const struct kt_ir_value *kt_ir_folded(struct kt_ir_module *module, const struct kt_ir_value *value)
{
	static folder *const by_operands[] = {
	    [KT_IR_NUMBERS] = integers,   [KT_IR_INTEGERS] = integers, [KT_IR_INTEGER_ANY] = integers,
	    [KT_IR_SCALARS] = comparison, [KT_IR_BOOLS] = logic,       [KT_IR_ANY] = nothing};

	if (module->failed)
		return value;
	if (value->op == KT_IR_NEG && value->type->kind == KT_IR_FLOAT)
		return value->arguments[0]->op == KT_IR_CONSTANT
			   ? kt_ir_bits(module, value->type, value->arguments[0]->bits[0] ^ 1ULL << (value->type->bits - 1), 0)
			   : value;
	if (value->op == KT_IR_NOT || value->op == KT_IR_NEG || value->op == KT_IR_INVERT)
		return unary(module, value);
	if (value->op == KT_IR_SELECT)
		return selection(module, value);
	if (value->op == KT_IR_CONVERT)
		return value->type->kind == KT_IR_FLOAT && value->arguments[0]->type->kind == KT_IR_FLOAT ? real_conversion(module, value)
													  : conversion(module, value);
	return by_operands[kt_ir_ops[value->op].operands](module, value);
}

static const struct kt_ir_value *fold_node(const struct kt_ir_value *value, void *context)
{
	return kt_ir_folded(context, value);
}

const struct kt_ir_value *kt_ir_fold_all(struct kt_ir_module *module, const struct kt_ir_value *value)
{
	return value == NULL ? NULL : kt_ir_rewrite(module, value, fold_node, module);
}

bool kt_ir_normal_fold(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_fold(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	return kt_ir_rewrite_region(n->module, &f->body, fold_node, n->module);
}
