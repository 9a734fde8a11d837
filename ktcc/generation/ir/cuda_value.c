/* Values and places of the CUDA printer. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generation/ir/cuda_print.h"
#include "generation/ir/number.h"

static bool is_half(const struct kt_ir_type *type)
{
	return type->kind == KT_IR_FLOAT && type->bits == 16;
}

static void cast(struct kt_ir_cuda *p, const struct kt_ir_type *type)
{
	kt_buf_addc(p->out, '(');
	kt_ir_cuda_type(p, type);
	kt_buf_addc(p->out, ')');
}

/* ---- Constants ---- */

static void integer(struct kt_ir_cuda *p, const struct kt_ir_type *type, const uint64_t bits[2])
{
	static const char *const suffixes[2][2] = {{"u", ""}, {"ULL", "LL"}};
	const kt_ir_wide number = kt_ir_wide_of(type, bits);
	const bool is_long = type->bits == 64, is_narrow = type->bits < 32;

	if (type->bits > 64) {
		kt_buf_addf(p->out, "((%s__int128)0x%" PRIx64 "ULL << 64 | 0x%" PRIx64 "ULL)",
			    type->is_signed ? "" : "unsigned ", bits[1], bits[0]);
		return;
	}
	if (is_narrow)
		cast(p, type);
	if (type->is_signed && number == (is_long ? INT64_MIN : INT32_MIN))
		kt_buf_addf(p->out, is_long ? "(-%" PRId64 "LL - 1)" : "(-%" PRId64 " - 1)",
			    is_long ? INT64_MAX : (int64_t)INT32_MAX);
	else if (type->is_signed || is_narrow)
		kt_buf_addf(p->out, "%" PRId64 "%s", (int64_t)number, is_narrow ? "" : suffixes[is_long][1]);
	else
		kt_buf_addf(p->out, "%" PRIu64 "%s", (uint64_t)number, suffixes[is_long][0]);
}

/* The shortest decimal that reads back as the same number, with a point. */
static void decimal(struct kt_ir_cuda *p, double number, bool is_single)
{
	char text[40];

	for (int digits = 1; digits <= 17; digits++) {
		double again = 0;
		float single = 0;

		snprintf(text, sizeof text, "%.*g", digits, number);
		if (is_single ? sscanf(text, "%f", &single) == 1 && single == (float)number
			      : sscanf(text, "%lf", &again) == 1 && again == number)
			break;
	}
	kt_buf_adds(p->out, text);
	if (strpbrk(text, ".e") == NULL)
		kt_buf_adds(p->out, ".0");
	kt_buf_adds(p->out, is_single ? "f" : "");
}

static void real(struct kt_ir_cuda *p, const struct kt_ir_value *v)
{
	const double number = kt_ir_real_of(v);

	if (v->type->format >= KT_IR_F32 && isfinite(number))
		decimal(p, number, v->type->format == KT_IR_F32);
	else
		switch (v->type->format) {
		case KT_IR_F16:
			kt_buf_addf(p->out, "__ushort_as_half((unsigned short)0x%" PRIx64 "u)", v->bits[0]);
			break;
		case KT_IR_BF16:
			kt_buf_addf(p->out, "__ushort_as_bfloat16((unsigned short)0x%" PRIx64 "u)", v->bits[0]);
			break;
		case KT_IR_F32:
			kt_buf_addf(p->out, "__int_as_float(0x%" PRIx64 ")", v->bits[0]);
			break;
		case KT_IR_F64:
			kt_buf_addf(p->out, "__longlong_as_double(0x%" PRIx64 "LL)", v->bits[0]);
			break;
		}
}

static bool is_negative(const struct kt_ir_value *v)
{
	return v->type->kind == KT_IR_FLOAT ? signbit(kt_ir_real_of(v)) != 0
					    : kt_ir_wide_of(v->type, v->bits) < 0;
}

static void constant(struct kt_ir_cuda *p, const struct kt_ir_value *v)
{
	if (v->type->kind == KT_IR_BOOL)
		kt_buf_adds(p->out, v->bits[0] != 0 ? "true" : "false");
	else if (v->type->kind == KT_IR_INTEGER)
		integer(p, v->type, v->bits);
	else if (v->type->kind == KT_IR_FLOAT)
		real(p, v);
	else {
		cast(p, v->type);
		kt_buf_addf(p->out, "0x%" PRIx64 "ULL", v->bits[0]);
	}
}

/* ---- Operations ---- */

struct operator_row {
	const char *text;
	int binding;
};

static const struct operator_row operators[KT_IR_OP_COUNT] = {
    [KT_IR_ADD] = {" + ", KT_IR_BIND_SUM},     [KT_IR_SUB] = {" - ", KT_IR_BIND_SUM},
    [KT_IR_MUL] = {" * ", KT_IR_BIND_PRODUCT}, [KT_IR_DIV] = {" / ", KT_IR_BIND_PRODUCT},
    [KT_IR_REM] = {" % ", KT_IR_BIND_PRODUCT}, [KT_IR_AND] = {" & ", KT_IR_BIND_AND},
    [KT_IR_OR] = {" | ", KT_IR_BIND_OR},       [KT_IR_XOR] = {" ^ ", KT_IR_BIND_XOR},
    [KT_IR_SHL] = {" << ", KT_IR_BIND_SHIFT},  [KT_IR_SHR] = {" >> ", KT_IR_BIND_SHIFT},
    [KT_IR_EQ] = {" == ", KT_IR_BIND_EQUAL},   [KT_IR_NE] = {" != ", KT_IR_BIND_EQUAL},
    [KT_IR_LT] = {" < ", KT_IR_BIND_LESS},     [KT_IR_LE] = {" <= ", KT_IR_BIND_LESS},
    [KT_IR_GT] = {" > ", KT_IR_BIND_LESS},     [KT_IR_GE] = {" >= ", KT_IR_BIND_LESS},
    [KT_IR_BOTH] = {" && ", KT_IR_BIND_BOTH},  [KT_IR_EITHER] = {" || ", KT_IR_BIND_EITHER},
    [KT_IR_NEG] = {"-", KT_IR_BIND_UNARY},     [KT_IR_INVERT] = {"~", KT_IR_BIND_UNARY},
    [KT_IR_NOT] = {"!", KT_IR_BIND_UNARY},
};

/* Functions of the toolkit for numbers of 16 bits. */
static const char *const half_functions[KT_IR_OP_COUNT] = {
    [KT_IR_ADD] = "__hadd", [KT_IR_SUB] = "__hsub", [KT_IR_MUL] = "__hmul", [KT_IR_DIV] = "__hdiv",
    [KT_IR_NEG] = "__hneg", [KT_IR_EQ] = "__heq",   [KT_IR_NE] = "__hneu",  [KT_IR_LT] = "__hlt",
    [KT_IR_LE] = "__hle",   [KT_IR_GT] = "__hgt",   [KT_IR_GE] = "__hge",
};

static bool wraps(const struct kt_ir_value *v)
{
	const bool may = v->op == KT_IR_ADD || v->op == KT_IR_SUB || v->op == KT_IR_MUL || v->op == KT_IR_NEG ||
			 v->op == KT_IR_SHL;

	return may && v->type->kind == KT_IR_INTEGER && v->type->is_signed && v->type->bits >= 32 && !v->no_wrap;
}

/* An operand, seen as the unsigned type of its width where signed arithmetic must wrap. */
static void operand(struct kt_ir_cuda *p, const struct kt_ir_value *v, int least, bool as_unsigned)
{
	if (!as_unsigned) {
		kt_ir_cuda_value(p, v, least);
		return;
	}
	kt_buf_adds(p->out, v->type->bits == 32	  ? "(unsigned int)"
			    : v->type->bits == 64 ? "(unsigned long long)"
						  : "(unsigned __int128)");
	kt_ir_cuda_value(p, v, KT_IR_BIND_UNARY);
}

static void bare_operation(struct kt_ir_cuda *p, const struct kt_ir_value *v, bool as_unsigned)
{
	const struct operator_row *row = &operators[v->op];

	if (v->count == 1) {
		kt_buf_adds(p->out, row->text);
		/* The operand may have a sign too: "-(-x)". */
		operand(p, v->arguments[0], KT_IR_BIND_UNARY + 1, as_unsigned);
		return;
	}
	operand(p, v->arguments[0], row->binding, as_unsigned);
	kt_buf_adds(p->out, row->text);
	operand(p, v->arguments[1], row->binding + 1, as_unsigned && v->op != KT_IR_SHL);
}

/* Narrow arithmetic is that of int in C++, and cut again here. */
static void operation(struct kt_ir_cuda *p, const struct kt_ir_value *v)
{
	const bool is_narrow = v->type->kind == KT_IR_INTEGER && v->type->bits < 32, as_unsigned = wraps(v);

	if (is_half(v->arguments[0]->type)) {
		if (half_functions[v->op] == NULL)
			kt_ir_cuda_fail(p, "%s has no form for 16-bit floats", kt_ir_ops[v->op].text);
		else
			kt_buf_adds(p->out, half_functions[v->op]);
		kt_ir_cuda_arguments(p, v->arguments, v->count);
		return;
	}
	if (!is_narrow && !as_unsigned) {
		bare_operation(p, v, false);
		return;
	}
	cast(p, v->type);
	kt_buf_addc(p->out, '(');
	bare_operation(p, v, as_unsigned);
	kt_buf_addc(p->out, ')');
}

/* ---- Choices that are printed where they are read ---- */

static const struct kt_ir_value *arm(const struct kt_ir_region *r)
{
	return r->last->value;
}

static bool is_bool(const struct kt_ir_value *v, bool wanted)
{
	return v->op == KT_IR_CONSTANT && v->type->kind == KT_IR_BOOL && (v->bits[0] != 0) == wanted;
}

static int choice_binding(const struct kt_ir_statement *s)
{
	return is_bool(arm(&s->body), true)	   ? KT_IR_BIND_EITHER
	       : is_bool(arm(&s->otherwise), false) ? KT_IR_BIND_BOTH
						    : KT_IR_BIND_CHOICE;
}

static void choice(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	const int binding = choice_binding(s);

	kt_ir_cuda_value(p, s->value, binding + (binding == KT_IR_BIND_CHOICE));
	if (binding == KT_IR_BIND_CHOICE) {
		kt_buf_adds(p->out, " ? ");
		kt_ir_cuda_value(p, arm(&s->body), KT_IR_BIND_CHOICE);
		kt_buf_adds(p->out, " : ");
		kt_ir_cuda_value(p, arm(&s->otherwise), KT_IR_BIND_CHOICE);
		return;
	}
	kt_buf_adds(p->out, binding == KT_IR_BIND_EITHER ? " || " : " && ");
	kt_ir_cuda_value(p, arm(binding == KT_IR_BIND_EITHER ? &s->otherwise : &s->body), binding + 1);
}

static int binding(const struct kt_ir_cuda *p, const struct kt_ir_value *v);
static bool is_sum(const struct kt_ir_value *v);

static int read_binding(const struct kt_ir_cuda *p, const struct kt_ir_statement *folded)
{
	if (folded == NULL || folded->kind == KT_IR_S_LOAD || folded->kind == KT_IR_S_CALL)
		return KT_IR_BIND_PRIMARY;
	return folded->kind == KT_IR_S_IF ? choice_binding(folded) : binding(p, folded->value);
}

static void bare(struct kt_ir_cuda *p, const struct kt_ir_value *v);

static void read(struct kt_ir_cuda *p, const struct kt_ir_value *v)
{
	const struct kt_ir_statement *folded = p->folded[v->symbol->id];

	if (folded == NULL)
		kt_buf_adds(p->out, kt_ir_cuda_name(p, v->symbol));
	else if (folded->kind == KT_IR_S_LOAD)
		kt_ir_cuda_loaded(p, folded);
	else if (folded->kind == KT_IR_S_CALL)
		kt_ir_cuda_called(p, folded);
	else if (folded->kind == KT_IR_S_IF)
		choice(p, folded);
	else
		bare(p, folded->value);
}

/* What kt_ir_cuda_value prints binds like this. */
static int binding(const struct kt_ir_cuda *p, const struct kt_ir_value *v)
{
	switch (v->op) {
	case KT_IR_READ:
		return read_binding(p, p->folded[v->symbol->id]);
	case KT_IR_CONSTANT:
		return (v->type->kind == KT_IR_INTEGER && v->type->bits < 32) || v->type->kind == KT_IR_POINTER ||
			       (v->type->kind != KT_IR_BOOL && is_negative(v))
			   ? KT_IR_BIND_UNARY
			   : KT_IR_BIND_PRIMARY;
	case KT_IR_SELECT:
		return KT_IR_BIND_CHOICE;
	case KT_IR_ADDRESS:
		return is_sum(v) ? KT_IR_BIND_SUM : KT_IR_BIND_UNARY;
	case KT_IR_CONVERT:
		return KT_IR_BIND_UNARY;
	case KT_IR_AXIS:
		return v->axis == KT_IR_LANE ? KT_IR_BIND_PRODUCT : KT_IR_BIND_PRIMARY;
	default:
		break;
	}
	if (operators[v->op].text == NULL || is_half(v->arguments[0]->type))
		return KT_IR_BIND_PRIMARY;
	if (wraps(v) || (v->type->kind == KT_IR_INTEGER && v->type->bits < 32))
		return KT_IR_BIND_UNARY;
	return operators[v->op].binding;
}

/* ---- Conversions ---- */

/* Functions of the toolkit that see the bits of one type as another. */
static const struct {
	enum kt_ir_type_kind from, to;
	unsigned bits;
	bool is_signed; /* of the integer */
	enum kt_ir_format format;
	const char *name;
} bit_functions[] = {
    {KT_IR_FLOAT, KT_IR_INTEGER, 32, true, KT_IR_F32, "__float_as_int"},
    {KT_IR_FLOAT, KT_IR_INTEGER, 32, false, KT_IR_F32, "__float_as_uint"},
    {KT_IR_INTEGER, KT_IR_FLOAT, 32, true, KT_IR_F32, "__int_as_float"},
    {KT_IR_INTEGER, KT_IR_FLOAT, 32, false, KT_IR_F32, "__uint_as_float"},
    {KT_IR_FLOAT, KT_IR_INTEGER, 64, true, KT_IR_F64, "__double_as_longlong"},
    {KT_IR_INTEGER, KT_IR_FLOAT, 64, true, KT_IR_F64, "__longlong_as_double"},
    {KT_IR_FLOAT, KT_IR_INTEGER, 16, true, KT_IR_F16, "__half_as_short"},
    {KT_IR_FLOAT, KT_IR_INTEGER, 16, false, KT_IR_F16, "__half_as_ushort"},
    {KT_IR_INTEGER, KT_IR_FLOAT, 16, true, KT_IR_F16, "__short_as_half"},
    {KT_IR_INTEGER, KT_IR_FLOAT, 16, false, KT_IR_F16, "__ushort_as_half"},
    {KT_IR_FLOAT, KT_IR_INTEGER, 16, true, KT_IR_BF16, "__bfloat16_as_short"},
    {KT_IR_FLOAT, KT_IR_INTEGER, 16, false, KT_IR_BF16, "__bfloat16_as_ushort"},
    {KT_IR_INTEGER, KT_IR_FLOAT, 16, true, KT_IR_BF16, "__short_as_bfloat16"},
    {KT_IR_INTEGER, KT_IR_FLOAT, 16, false, KT_IR_BF16, "__ushort_as_bfloat16"},
};

static const char *bit_function(const struct kt_ir_type *from, const struct kt_ir_type *to)
{
	const struct kt_ir_type *number = from->kind == KT_IR_INTEGER ? from : to;
	const struct kt_ir_type *real = from->kind == KT_IR_FLOAT ? from : to;

	for (size_t i = 0; i < sizeof bit_functions / sizeof *bit_functions; i++)
		if (bit_functions[i].from == from->kind && bit_functions[i].to == to->kind &&
		    bit_functions[i].bits == from->bits && bit_functions[i].format == real->format &&
		    bit_functions[i].is_signed == number->is_signed)
			return bit_functions[i].name;
	return NULL;
}

/* What a type is called in the names of conversions that round; NULL: nothing. */
static const char *round_name(const struct kt_ir_type *type)
{
	if (type->kind == KT_IR_FLOAT)
		return type->format == KT_IR_F32 ? "float" : type->format == KT_IR_F64 ? "double" : NULL;
	if (type->kind != KT_IR_INTEGER || type->bits < 32 || type->bits > 64)
		return NULL;
	return type->bits == 32 ? (type->is_signed ? "int" : "uint") : type->is_signed ? "ll" : "ull";
}

static void convert(struct kt_ir_cuda *p, const struct kt_ir_value *v)
{
	static const char *const modes[KT_IR_MODES] = {[KT_IR_NEAREST] = "rn", [KT_IR_TO_ZERO] = "rz", [KT_IR_UP] = "ru",
						       [KT_IR_DOWN] = "rd"};
	const struct kt_ir_type *from = v->arguments[0]->type, *to = v->type;
	const char *name;

	if (v->mode >= KT_IR_NEAREST) {
		if (round_name(from) == NULL || round_name(to) == NULL)
			kt_ir_cuda_fail(p, "a conversion that rounds has no function in CUDA C++");
		else
			kt_buf_addf(p->out, "__%s2%s_%s", round_name(from), round_name(to), modes[v->mode]);
		kt_ir_cuda_arguments(p, v->arguments, 1);
		return;
	}
	name = v->mode == KT_IR_AS_BITS ? bit_function(from, to) : NULL;
	if (name != NULL) {
		kt_buf_adds(p->out, name);
		kt_ir_cuda_arguments(p, v->arguments, 1);
		return;
	}
	if (v->mode == KT_IR_AS_BITS && from->kind != KT_IR_INTEGER && from->kind != KT_IR_POINTER)
		kt_ir_cuda_fail(p, "a conversion of bits has no function in CUDA C++");
	cast(p, to);
	kt_ir_cuda_value(p, v->arguments[0], KT_IR_BIND_UNARY);
}

/* ---- Parts ---- */

static const char *const lanes[] = {"x", "y", "z", "w"};

static void part_name(struct kt_ir_cuda *p, const struct kt_ir_type *type, uint64_t number)
{
	if (type->kind == KT_IR_STRUCT && !p->options->declares_types && !type->is_own &&
	    strcmp(type->fields[number].name, KT_IR_BASE) == 0)
		return;
	kt_buf_addf(p->out, ".%s", type->kind == KT_IR_VECTOR ? lanes[number & 3] : type->fields[number].name);
}

static void construct(struct kt_ir_cuda *p, const struct kt_ir_value *v)
{
	if (v->type->kind == KT_IR_VECTOR && is_half(v->type->element)) {
		kt_buf_adds(p->out, v->type->element->format == KT_IR_F16 ? "__halves2half2" : "__halves2bfloat162");
		kt_ir_cuda_arguments(p, v->arguments, v->count);
	} else if (v->type->kind == KT_IR_VECTOR) {
		kt_buf_adds(p->out, "make_");
		kt_ir_cuda_type(p, v->type);
		kt_ir_cuda_arguments(p, v->arguments, v->count);
	} else {
		kt_ir_cuda_type(p, v->type);
		kt_buf_addc(p->out, '{');
		for (size_t i = 0; i < v->count; i++) {
			kt_buf_adds(p->out, i > 0 ? ", " : "");
			kt_ir_cuda_value(p, v->arguments[i], KT_IR_BIND_CHOICE);
		}
		kt_buf_addc(p->out, '}');
	}
}

static void axis(struct kt_ir_cuda *p, const struct kt_ir_value *v)
{
	static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};

	if (v->axis == KT_IR_LANE)
		kt_buf_adds(p->out, "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32u");
	else if (v->axis == KT_IR_WARP_SIZE)
		kt_buf_adds(p->out, "warpSize");
	else
		kt_buf_addf(p->out, "%s.%c", names[v->axis], "xyz"[v->dimension]);
}

/* C++ widens an index as the IR does; nvcc compiles an index that is widened by a cast otherwise. */
static void index_of(struct kt_ir_cuda *p, const struct kt_ir_value *v, int least)
{
	int64_t number;

	if (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->arguments[0]->type->kind == KT_IR_INTEGER &&
	    v->arguments[0]->type->bits <= 64)
		v = v->arguments[0];
	if (kt_ir_is_constant(v, &number) && v->type->bits == 64 && number >= 0 && number <= INT32_MAX)
		kt_buf_addf(p->out, "%" PRId64, number);
	else
		kt_ir_cuda_value(p, v, least);
}

/* `p + i` for an element at an offset from a pointer. */
static bool is_sum(const struct kt_ir_value *v)
{
	return v->place->pointer != NULL && v->place->count == 1 && v->place->steps[0].kind == KT_IR_INDEX;
}

static void address(struct kt_ir_cuda *p, const struct kt_ir_value *v)
{
	if (is_sum(v)) {
		kt_ir_cuda_value(p, v->place->pointer, KT_IR_BIND_SUM);
		kt_buf_adds(p->out, " + ");
		index_of(p, v->place->steps[0].index, KT_IR_BIND_SUM + 1);
		return;
	}
	kt_buf_addc(p->out, '&');
	kt_ir_cuda_place(p, v->place);
}

static void bare(struct kt_ir_cuda *p, const struct kt_ir_value *v)
{
	switch (v->op) {
	case KT_IR_CONSTANT:
		constant(p, v);
		return;
	case KT_IR_AXIS:
		axis(p, v);
		return;
	case KT_IR_PARAMETER:
		kt_ir_cuda_fail(p, "the parameter '%s' has no value", v->name);
		return;
	case KT_IR_READ:
		read(p, v);
		return;
	case KT_IR_SELECT:
		kt_ir_cuda_value(p, v->arguments[0], KT_IR_BIND_CHOICE + 1);
		kt_buf_adds(p->out, " ? ");
		kt_ir_cuda_value(p, v->arguments[1], KT_IR_BIND_CHOICE);
		kt_buf_adds(p->out, " : ");
		kt_ir_cuda_value(p, v->arguments[2], KT_IR_BIND_CHOICE);
		return;
	case KT_IR_CONVERT:
		convert(p, v);
		return;
	case KT_IR_ADDRESS:
		address(p, v);
		return;
	case KT_IR_CONSTRUCT:
		construct(p, v);
		return;
	case KT_IR_EXTRACT:
		kt_ir_cuda_value(p, v->arguments[0], KT_IR_BIND_PRIMARY);
		part_name(p, v->arguments[0]->type, v->bits[0]);
		return;
	case KT_IR_INTRINSIC:
		kt_buf_adds(p->out, v->name);
		kt_ir_cuda_arguments(p, v->arguments, v->count);
		return;
	default:
		operation(p, v);
		return;
	}
}

void kt_ir_cuda_value(struct kt_ir_cuda *p, const struct kt_ir_value *v, int least)
{
	const bool is_loose = binding(p, v) < least;

	kt_buf_adds(p->out, is_loose ? "(" : "");
	bare(p, v);
	kt_buf_adds(p->out, is_loose ? ")" : "");
}

void kt_ir_cuda_arguments(struct kt_ir_cuda *p, const struct kt_ir_value *const *list, size_t count)
{
	kt_buf_addc(p->out, '(');
	for (size_t i = 0; i < count; i++) {
		kt_buf_adds(p->out, i > 0 ? ", " : "");
		kt_ir_cuda_value(p, list[i], KT_IR_BIND_CHOICE);
	}
	kt_buf_addc(p->out, ')');
}

/* ---- Places ---- */

/* The steps up to `count`, from the root on: casts of places enclose what is in front of them. */
static void steps(struct kt_ir_cuda *p, const struct kt_ir_place *at, size_t count)
{
	const struct kt_ir_step *step;
	const struct kt_ir_type *before;

	if (count == 0) {
		if (at->symbol != NULL) {
			kt_buf_adds(p->out, kt_ir_cuda_name(p, at->symbol));
			return;
		}
		kt_buf_adds(p->out, "(*");
		kt_ir_cuda_value(p, at->pointer, KT_IR_BIND_UNARY);
		kt_buf_addc(p->out, ')');
		return;
	}
	step = &at->steps[count - 1];
	before = count > 1		? at->steps[count - 2].type
		 : at->symbol != NULL ? at->symbol->type
				      : at->pointer->type->element;
	switch (step->kind) {
	case KT_IR_INDEX:
		if (count == 1 && at->pointer != NULL)
			kt_ir_cuda_value(p, at->pointer, KT_IR_BIND_PRIMARY);
		else
			steps(p, at, count - 1);
		kt_buf_addc(p->out, '[');
		index_of(p, step->index, KT_IR_BIND_CHOICE);
		kt_buf_addc(p->out, ']');
		return;
	case KT_IR_FIELD:
	case KT_IR_LANE_OF:
		steps(p, at, count - 1);
		part_name(p, before, step->number);
		return;
	case KT_IR_SEEN_AS:
		kt_buf_adds(p->out, "(*(");
		kt_ir_cuda_declare(p, step->type, step->type->kind == KT_IR_ARRAY ? "(*)" : "*");
		kt_buf_adds(p->out, ")&");
		steps(p, at, count - 1);
		kt_buf_addc(p->out, ')');
		return;
	}
}

void kt_ir_cuda_place(struct kt_ir_cuda *p, const struct kt_ir_place *place)
{
	steps(p, place, place->count);
}
