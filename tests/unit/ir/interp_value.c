/* Values of the interpreter. */
#include <math.h>
#include <string.h>

#include "interp_state.h"

kt_ir_wide kt_ir_datum_integer(const struct kt_ir_type *type, const struct kt_ir_datum *datum)
{
	uint64_t bits[2] = {0, 0};

	memcpy(bits, datum->bytes, type->size);
	return type->kind == KT_IR_POINTER || type->kind == KT_IR_FLOAT ? (kt_ir_wide)bits[0] : kt_ir_wide_of(type, bits);
}

void kt_ir_datum_set(const struct kt_ir_type *type, struct kt_ir_datum *datum, kt_ir_wide value)
{
	uint64_t bits[2];

	if (type->kind == KT_IR_POINTER || type->kind == KT_IR_FLOAT) {
		bits[0] = (uint64_t)value;
		bits[1] = 0;
	} else {
		kt_ir_wide_bits(type, value, bits);
	}
	memcpy(datum->bytes, bits, type->size);
}

double kt_ir_datum_real(const struct kt_ir_type *type, const struct kt_ir_datum *datum)
{
	return kt_ir_unround(type->format, (uint64_t)kt_ir_datum_integer(type, datum));
}

/* -ftz flushes operands and results of single precision. */
static double flushed(const struct kt_ir_thread *t, const struct kt_ir_type *type, double value)
{
	const bool is_tiny = type->format == KT_IR_F32 && fabs(value) < 0x1p-126;

	return t->machine->module->flags.ftz && is_tiny ? copysign(0, value) : value;
}

static struct kt_ir_datum real(const struct kt_ir_thread *t, const struct kt_ir_type *type, double value)
{
	struct kt_ir_datum datum;
	const double rounded = kt_ir_unround(type->format, kt_ir_round(type->format, value));

	kt_ir_datum_set(type, &datum, (kt_ir_wide)kt_ir_round(type->format, flushed(t, type, rounded)));
	return datum;
}

static struct kt_ir_datum truth(bool value)
{
	struct kt_ir_datum datum = {{0}};

	datum.bytes[0] = value;
	return datum;
}

/* ---- Operations ---- */

/* Sums, products and quotients of up to 32 bits are exact enough in double that rounding once more changes nothing. */
static double real_operation(struct kt_ir_thread *t, enum kt_ir_op op, double a, double b)
{
	switch (op) {
	case KT_IR_ADD:
		return a + b;
	case KT_IR_SUB:
		return a - b;
	case KT_IR_MUL:
		return a * b;
	case KT_IR_DIV:
		return a / b;
	case KT_IR_NEG:
		return -a;
	default:
		kt_ir_stop(t, KT_IR_UNKNOWN, "%s of fractions", kt_ir_ops[op].text);
		return 0;
	}
}

static unsigned shift(struct kt_ir_thread *t, const struct kt_ir_type *type, kt_ir_wide by)
{
	if (by < 0 || by >= (kt_ir_wide)type->bits)
		kt_ir_stop(t, KT_IR_SHIFT, "a shift of %u bits by %d", type->bits, (int)by);
	return (unsigned)by;
}

static kt_ir_wide integer_operation(struct kt_ir_thread *t, enum kt_ir_op op, const struct kt_ir_type *type,
				    kt_ir_wide a, kt_ir_wide b)
{
	switch (op) {
	case KT_IR_ADD:
		return (kt_ir_wide)((kt_ir_uwide)a + (kt_ir_uwide)b);
	case KT_IR_SUB:
		return (kt_ir_wide)((kt_ir_uwide)a - (kt_ir_uwide)b);
	case KT_IR_MUL:
		return (kt_ir_wide)((kt_ir_uwide)a * (kt_ir_uwide)b);
	case KT_IR_NEG:
		return (kt_ir_wide)-(kt_ir_uwide)a;
	case KT_IR_INVERT:
		return ~a;
	case KT_IR_DIV:
	case KT_IR_REM:
		if (b == 0 || (type->is_signed && b == -1 && kt_ir_cut(type, -a) != -a))
			kt_ir_stop(t, KT_IR_DIVISION, "a division that has no result");
		if (!type->is_signed)
			return op == KT_IR_DIV ? (kt_ir_wide)((kt_ir_uwide)a / (kt_ir_uwide)b)
					       : (kt_ir_wide)((kt_ir_uwide)a % (kt_ir_uwide)b);
		return op == KT_IR_DIV ? a / b : a % b;
	case KT_IR_AND:
		return a & b;
	case KT_IR_OR:
		return a | b;
	case KT_IR_XOR:
		return a ^ b;
	case KT_IR_SHL:
		return (kt_ir_wide)((kt_ir_uwide)a << shift(t, type, b));
	case KT_IR_SHR:
		return a >> shift(t, type, b);
	default:
		kt_ir_stop(t, KT_IR_UNKNOWN, "%s of integers", kt_ir_ops[op].text);
		return 0;
	}
}

struct kt_ir_datum kt_ir_operate(struct kt_ir_thread *t, enum kt_ir_op op, const struct kt_ir_type *type,
				 const struct kt_ir_datum *a, const struct kt_ir_datum *b, bool no_wrap)
{
	struct kt_ir_datum made = {{0}};
	kt_ir_wide exact;

	if (type->kind == KT_IR_FLOAT)
		return real(t, type,
			    real_operation(t, op, flushed(t, type, kt_ir_datum_real(type, a)),
					   b == NULL ? 0 : flushed(t, type, kt_ir_datum_real(type, b))));
	exact = integer_operation(t, op, type, kt_ir_datum_integer(type, a),
				  b == NULL ? 0 : kt_ir_datum_integer(type, b));
	if (no_wrap && type->is_signed && kt_ir_cut(type, exact) != exact)
		kt_ir_stop(t, KT_IR_OVERFLOW, "%s overflows %u bits", kt_ir_ops[op].text, type->bits);
	kt_ir_datum_set(type, &made, exact);
	return made;
}

/* -1, 0, 1; 2: one is no number. */
static int order(const struct kt_ir_type *type, const struct kt_ir_datum *a, const struct kt_ir_datum *b)
{
	double x, y;
	kt_ir_wide i, j;

	if (type->kind == KT_IR_FLOAT) {
		x = kt_ir_datum_real(type, a);
		y = kt_ir_datum_real(type, b);
		return isnan(x) || isnan(y) ? 2 : (x > y) - (x < y);
	}
	i = kt_ir_datum_integer(type, a);
	j = kt_ir_datum_integer(type, b);
	return (i > j) - (i < j);
}

struct kt_ir_datum kt_ir_extreme(const struct kt_ir_type *type, const struct kt_ir_datum *a,
				 const struct kt_ir_datum *b, bool greater)
{
	const int found = order(type, a, b);

	if (found == 2)
		return isnan(kt_ir_datum_real(type, a)) ? *b : *a;
	return (found > 0) == greater ? *a : *b;
}

static struct kt_ir_datum compare(enum kt_ir_op op, const struct kt_ir_type *type, const struct kt_ir_datum *a,
				  const struct kt_ir_datum *b)
{
	const int found = order(type, a, b);

	switch (op) {
	case KT_IR_EQ:
		return truth(found == 0);
	case KT_IR_NE:
		return truth(found != 0);
	case KT_IR_LT:
		return truth(found == -1);
	case KT_IR_LE:
		return truth(found == -1 || found == 0);
	case KT_IR_GT:
		return truth(found == 1);
	default:
		return truth(found == 1 || found == 0);
	}
}

/* ---- Conversions ---- */

static double rounded(enum kt_ir_mode mode, double value)
{
	switch (mode) {
	case KT_IR_NEAREST:
		return nearbyint(value);
	case KT_IR_UP:
		return ceil(value);
	case KT_IR_DOWN:
		return floor(value);
	default:
		return trunc(value);
	}
}

/* As the device does it: what is out of range becomes the nearest integer, no number becomes 0. */
static kt_ir_wide saturated(const struct kt_ir_type *type, double value)
{
	const double high = ldexp(1, (int)type->bits - (type->is_signed ? 1 : 0)), low = type->is_signed ? -high : 0;

	if (isnan(value))
		return 0;
	if (value >= high)
		return type->is_signed ? (kt_ir_wide)(((kt_ir_uwide)1 << (type->bits - 1)) - 1)
				       : (kt_ir_wide)(((kt_ir_uwide)1 << type->bits) - 1);
	return value <= low ? (kt_ir_wide)low : (kt_ir_wide)value;
}

static struct kt_ir_datum from_integer(struct kt_ir_thread *t, const struct kt_ir_type *to, kt_ir_wide value)
{
	struct kt_ir_datum made = {{0}};

	if (to->kind != KT_IR_FLOAT) {
		kt_ir_datum_set(to, &made, value);
		return made;
	}
	/* One rounding: by way of double a float could get two. */
	return real(t, to, to->format == KT_IR_F32 ? (double)(float)value : (double)value);
}

static struct kt_ir_datum converted(struct kt_ir_thread *t, const struct kt_ir_value *v)
{
	const struct kt_ir_type *from = v->arguments[0]->type, *to = v->type;
	const struct kt_ir_datum given = kt_ir_evaluate(t, v->arguments[0]);
	struct kt_ir_datum made = {{0}};
	double value;

	if (v->mode == KT_IR_AS_BITS)
		return given;
	if (from->kind != KT_IR_FLOAT)
		return from_integer(t, to, kt_ir_datum_integer(from, &given));
	value = flushed(t, from, kt_ir_datum_real(from, &given));
	if (to->kind == KT_IR_FLOAT)
		return real(t, to, value);
	if (to->kind == KT_IR_BOOL)
		return truth(value != 0);
	kt_ir_datum_set(to, &made, saturated(to, rounded(v->mode, value)));
	return made;
}

/* ---- Intrinsics ---- */

static double reciprocal_root(double x)
{
	return 1 / sqrt(x);
}

static double reciprocal(double x)
{
	return 1 / x;
}

static double quotient(double x, double y)
{
	return x / y;
}

/* Functions of the toolkit by what they compute, with the host's functions: in double, then rounded. */
static const struct {
	const char *name;
	double (*one)(double);
	double (*two)(double, double);
	double (*three)(double, double, double);
} functions[] = {
    {"sqrtf", sqrt, NULL, NULL},    {"sqrt", sqrt, NULL, NULL},	       {"rsqrtf", reciprocal_root, NULL, NULL},
    {"rsqrt", reciprocal_root, NULL, NULL}, {"__frcp_rn", reciprocal, NULL, NULL}, {"__fdividef", NULL, quotient, NULL},
    {"expf", exp, NULL, NULL},	    {"exp", exp, NULL, NULL},	       {"__expf", exp, NULL, NULL},
    {"exp2f", exp2, NULL, NULL},    {"logf", log, NULL, NULL},	       {"log", log, NULL, NULL},
    {"__logf", log, NULL, NULL},    {"log1pf", log1p, NULL, NULL},     {"log2f", log2, NULL, NULL},
    {"sinf", sin, NULL, NULL},	    {"cosf", cos, NULL, NULL},	       {"tanhf", tanh, NULL, NULL},
    {"tanh", tanh, NULL, NULL},	    {"erff", erf, NULL, NULL},	       {"fabsf", fabs, NULL, NULL},
    {"fabs", fabs, NULL, NULL},	    {"floorf", floor, NULL, NULL},     {"ceilf", ceil, NULL, NULL},
    {"rintf", rint, NULL, NULL},    {"roundf", round, NULL, NULL},     {"truncf", trunc, NULL, NULL},
    {"powf", NULL, pow, NULL},	    {"pow", NULL, pow, NULL},	       {"fmaxf", NULL, fmax, NULL},
    {"fmax", NULL, fmax, NULL},	    {"fminf", NULL, fmin, NULL},       {"fmin", NULL, fmin, NULL},
    {"fmodf", NULL, fmod, NULL},    {"atan2f", NULL, atan2, NULL},     {"copysignf", NULL, copysign, NULL},
    {"fmaf", NULL, NULL, fma},	    {"fma", NULL, NULL, fma},	       {"__fmaf_rn", NULL, NULL, fma},
};

/* fma of floats in double would round twice: the float's own is exact. */
static double apply(size_t row, const struct kt_ir_type *type, const double *x)
{
	if (functions[row].three == fma && type->format == KT_IR_F32)
		return (double)fmaf((float)x[0], (float)x[1], (float)x[2]);
	if (functions[row].three != NULL)
		return functions[row].three(x[0], x[1], x[2]);
	return functions[row].two != NULL ? functions[row].two(x[0], x[1]) : functions[row].one(x[0]);
}

static bool integer_intrinsic(struct kt_ir_datum *made, struct kt_ir_thread *t, const struct kt_ir_value *v)
{
	const struct kt_ir_type *type = v->type;
	struct kt_ir_datum a, b;
	kt_ir_wide value;

	if (type->kind != KT_IR_INTEGER || v->count < 1)
		return false;
	a = kt_ir_evaluate(t, v->arguments[0]);
	if (v->count == 2 && (strcmp(v->name, "min") == 0 || strcmp(v->name, "max") == 0)) {
		b = kt_ir_evaluate(t, v->arguments[1]);
		*made = kt_ir_extreme(type, &a, &b, v->name[1] == 'a');
		return true;
	}
	value = kt_ir_datum_integer(v->arguments[0]->type, &a);
	if (strcmp(v->name, "abs") == 0)
		kt_ir_datum_set(type, made, value < 0 ? -value : value);
	else if (strcmp(v->name, "__popc") == 0)
		kt_ir_datum_set(type, made, __builtin_popcountll((unsigned long long)value & 0xffffffffULL));
	else if (strcmp(v->name, "__ffs") == 0)
		kt_ir_datum_set(type, made, __builtin_ffs((int)value));
	else if (strcmp(v->name, "__clz") == 0)
		kt_ir_datum_set(type, made, (uint32_t)value == 0 ? 32 : __builtin_clz((uint32_t)value));
	else
		return false;
	return true;
}

static struct kt_ir_datum intrinsic(struct kt_ir_thread *t, const struct kt_ir_value *v)
{
	struct kt_ir_datum made = {{0}}, argument;
	double x[3] = {0, 0, 0};

	if (integer_intrinsic(&made, t, v))
		return made;
	if (v->count == 0 && v->type->kind == KT_IR_FLOAT && strncmp(v->name, "__builtin_", strlen("__builtin_")) == 0)
		return real(t, v->type, INFINITY);
	for (size_t row = 0; row < sizeof functions / sizeof *functions; row++) {
		const size_t arity = functions[row].three != NULL ? 3 : functions[row].two != NULL ? 2 : 1;

		if (strcmp(functions[row].name, v->name) != 0 || v->count != arity || v->type->kind != KT_IR_FLOAT)
			continue;
		for (size_t i = 0; i < arity; i++) {
			if (v->arguments[i]->type->kind != KT_IR_FLOAT)
				break;
			argument = kt_ir_evaluate(t, v->arguments[i]);
			x[i] = flushed(t, v->arguments[i]->type, kt_ir_datum_real(v->arguments[i]->type, &argument));
		}
		return real(t, v->type, apply(row, v->type, x));
	}
	kt_ir_stop(t, KT_IR_UNKNOWN, "the intrinsic '%s'", v->name);
	return made;
}

/* ---- Values ---- */

static struct kt_ir_datum axis(struct kt_ir_thread *t, const struct kt_ir_value *v)
{
	const struct kt_ir_machine *m = t->machine;
	struct kt_ir_datum made = {{0}};
	uint32_t value = 0;

	switch (v->axis) {
	case KT_IR_THREAD:
		value = t->index[v->dimension];
		break;
	case KT_IR_BLOCK:
		value = m->block[v->dimension];
		break;
	case KT_IR_BLOCK_DIM:
		value = m->launch->block[v->dimension];
		break;
	case KT_IR_GRID_DIM:
		value = m->launch->grid[v->dimension];
		break;
	case KT_IR_LANE:
		value = t->linear % KT_IR_WARP_LANES;
		break;
	default:
		value = KT_IR_WARP_LANES;
		break;
	}
	kt_ir_datum_set(v->type, &made, value);
	return made;
}

/* Where part number of a vector or structure begins. */
static uint64_t part_offset(const struct kt_ir_type *type, uint64_t number)
{
	return type->kind == KT_IR_VECTOR ? number * type->element->size : type->fields[number].offset;
}

static struct kt_ir_datum construct(struct kt_ir_thread *t, const struct kt_ir_value *v)
{
	struct kt_ir_datum made = {{0}};

	for (size_t i = 0; i < v->count; i++) {
		const struct kt_ir_datum part = kt_ir_evaluate(t, v->arguments[i]);

		memcpy(made.bytes + part_offset(v->type, i), part.bytes, v->arguments[i]->type->size);
	}
	return made;
}

static struct kt_ir_datum extract(struct kt_ir_thread *t, const struct kt_ir_value *v)
{
	const struct kt_ir_datum whole = kt_ir_evaluate(t, v->arguments[0]);
	struct kt_ir_datum made = {{0}};

	memcpy(made.bytes, whole.bytes + part_offset(v->arguments[0]->type, v->bits[0]), v->type->size);
	return made;
}

static struct kt_ir_datum read(struct kt_ir_thread *t, const struct kt_ir_symbol *symbol)
{
	if (!t->is_set[symbol->id])
		kt_ir_stop(t, KT_IR_UNSET, "'%s' was never set", symbol->hint);
	return *t->values[symbol->id];
}

static struct kt_ir_datum operation(struct kt_ir_thread *t, const struct kt_ir_value *v)
{
	const struct kt_ir_datum a = kt_ir_evaluate(t, v->arguments[0]);
	struct kt_ir_datum b = {{0}};

	if ((v->op == KT_IR_BOTH && !a.bytes[0]) || (v->op == KT_IR_EITHER && a.bytes[0]))
		return a;
	if (v->count > 1)
		b = kt_ir_evaluate(t, v->arguments[1]);
	if (kt_ir_ops[v->op].operands == KT_IR_BOOLS)
		return truth(v->op == KT_IR_NOT ? !a.bytes[0] : b.bytes[0] != 0);
	if (kt_ir_ops[v->op].result == KT_IR_TRUTH)
		return compare(v->op, v->arguments[0]->type, &a, &b);
	if (v->op == KT_IR_SHL || v->op == KT_IR_SHR) {
		/* The right side has a type of its own. */
		const kt_ir_wide by = kt_ir_datum_integer(v->arguments[1]->type, &b);

		b = (struct kt_ir_datum){{0}};
		if (by < 0 || by >= (kt_ir_wide)v->type->bits)
			(void)shift(t, v->type, by);
		kt_ir_datum_set(v->type, &b, by);
	}
	return kt_ir_operate(t, v->op, v->type, &a, v->count > 1 ? &b : NULL, v->no_wrap);
}

struct kt_ir_datum kt_ir_evaluate(struct kt_ir_thread *t, const struct kt_ir_value *v)
{
	struct kt_ir_datum made = {{0}}, chosen;

	switch (v->op) {
	case KT_IR_CONSTANT:
		memcpy(made.bytes, v->bits, v->type->size);
		return made;
	case KT_IR_AXIS:
		return axis(t, v);
	case KT_IR_PARAMETER:
		kt_ir_stop(t, KT_IR_UNKNOWN, "the parameter '%s'", v->name);
		return made;
	case KT_IR_READ:
		return read(t, v->symbol);
	case KT_IR_SELECT:
		chosen = kt_ir_evaluate(t, v->arguments[0]);
		return kt_ir_evaluate(t, v->arguments[chosen.bytes[0] ? 1 : 2]);
	case KT_IR_CONVERT:
		return converted(t, v);
	case KT_IR_ADDRESS:
		kt_ir_datum_set(v->type, &made, (kt_ir_wide)kt_ir_place_address(t, v->place));
		return made;
	case KT_IR_CONSTRUCT:
		return construct(t, v);
	case KT_IR_EXTRACT:
		return extract(t, v);
	case KT_IR_INTRINSIC:
		return intrinsic(t, v);
	default:
		return operation(t, v);
	}
}

uint64_t kt_ir_place_address(struct kt_ir_thread *t, const struct kt_ir_place *place)
{
	const struct kt_ir_type *type;
	struct kt_ir_datum datum;
	uint64_t address;
	kt_ir_wide index;

	if (place->symbol != NULL) {
		address = kt_ir_symbol_address(t, place->symbol);
		type = place->symbol->type;
	} else {
		datum = kt_ir_evaluate(t, place->pointer);
		address = (uint64_t)kt_ir_datum_integer(place->pointer->type, &datum);
		type = place->pointer->type->element;
	}
	for (size_t i = 0; i < place->count; i++) {
		const struct kt_ir_step *step = &place->steps[i];

		if (step->kind == KT_IR_INDEX) {
			datum = kt_ir_evaluate(t, step->index);
			index = kt_ir_datum_integer(step->index->type, &datum);
			if (type->kind == KT_IR_ARRAY && i + (place->symbol != NULL) > 0 && type->count >= 0 &&
			    (index < 0 || index >= type->count))
				kt_ir_stop(t, KT_IR_OUT_OF_BOUNDS, "element %lld of an array of %lld", (long long)index,
					   (long long)type->count);
			address += (uint64_t)index * step->type->size;
		} else if (step->kind != KT_IR_SEEN_AS) {
			address += part_offset(type, step->number);
		}
		type = step->type;
	}
	return address;
}
