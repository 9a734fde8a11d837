/* Assignments of the CUDA printer: `x += y` where the IR has `x = x + y`, and `int x = y` where a declaration is
 * followed by it. */
#include <string.h>

#include "generation/ir/cuda_print.h"

/* ---- a op= b ---- */

static const struct {
	enum kt_ir_op op;
	const char *text;
} compounds[] = {
    {KT_IR_ADD, " += "}, {KT_IR_SUB, " -= "}, {KT_IR_MUL, " *= "}, {KT_IR_DIV, " /= "},  {KT_IR_REM, " %= "},
    {KT_IR_AND, " &= "}, {KT_IR_OR, " |= "},  {KT_IR_XOR, " ^= "}, {KT_IR_SHL, " <<= "}, {KT_IR_SHR, " >>= "},
};

static const char *compound_text(enum kt_ir_op op)
{
	for (size_t i = 0; i < sizeof compounds / sizeof *compounds; i++)
		if (compounds[i].op == op)
			return compounds[i].text;
	return NULL;
}

static bool is_narrow(const struct kt_ir_type *type)
{
	return type->kind == KT_IR_BOOL || (type->kind == KT_IR_INTEGER && type->bits < 32);
}

/* Does C++ compute `a op b` in the type of `whole`? */
static bool is_common(const struct kt_ir_type *whole, const struct kt_ir_type *a, const struct kt_ir_type *b,
		      bool is_shift)
{
	const bool may_be_int = whole->kind == KT_IR_INTEGER && whole->bits == 32 && whole->is_signed;

	if (whole->kind == KT_IR_FLOAT && whole->bits == 16)
		return false;
	if (is_shift || a == b)
		return is_narrow(a) ? may_be_int : a == whole;
	if (is_narrow(a) && is_narrow(b))
		return may_be_int;
	if (a->kind != KT_IR_FLOAT && b->kind != KT_IR_FLOAT) {
		if (is_narrow(a) || (b != NULL && !is_narrow(b) && b->bits > a->bits))
			return b == whole;
		return is_narrow(b) || a->bits > b->bits ? a == whole : whole->bits == a->bits && !whole->is_signed;
	}
	if (a->kind != KT_IR_FLOAT)
		return b == whole;
	return b->kind != KT_IR_FLOAT || a->bits > b->bits ? a == whole : b == whole;
}

static const struct kt_ir_value *unconverted(const struct kt_ir_value *v, const struct kt_ir_type *type)
{
	return v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->type == type ? v->arguments[0] : v;
}

/* The left and the operation of a value that is `left op right`, converted to the left one's type; NULL: it is none. */
static const struct kt_ir_value *operation_of(const struct kt_ir_value *v, const struct kt_ir_value **left)
{
	const struct kt_ir_value *inner = unconverted(v, v->type);
	const bool is_shift = inner->op == KT_IR_SHL || inner->op == KT_IR_SHR;

	if (compound_text(inner->op) == NULL || inner->count != 2)
		return NULL;
	if (inner->type->kind == KT_IR_INTEGER && inner->type->is_signed && !inner->no_wrap && inner->op != KT_IR_DIV &&
	    inner->op != KT_IR_REM && inner->op != KT_IR_AND && inner->op != KT_IR_OR && inner->op != KT_IR_XOR &&
	    inner->op != KT_IR_SHR)
		return NULL;
	*left = unconverted(inner->arguments[0], inner->type);
	if ((*left)->type != v->type || !is_common(inner->type, (*left)->type, inner->arguments[1]->type, is_shift))
		return NULL;
	return inner;
}

static bool is_one(const struct kt_ir_value *v)
{
	int64_t number;

	return kt_ir_is_constant(v, &number) && number == 1;
}

static void finish(struct kt_ir_cuda *p, const struct kt_ir_value *operation)
{
	/* C++17 has no `++` of a truth value. */
	if (operation->type->kind == KT_IR_INTEGER && is_one(operation->arguments[1]) &&
	    unconverted(operation->arguments[0], operation->type)->type->kind != KT_IR_BOOL &&
	    (operation->op == KT_IR_ADD || operation->op == KT_IR_SUB)) {
		kt_buf_adds(p->out, operation->op == KT_IR_ADD ? "++" : "--");
		return;
	}
	kt_buf_adds(p->out, compound_text(operation->op));
	kt_ir_cuda_value(p, operation->arguments[1], KT_IR_BIND_CHOICE);
}

/* ---- Locals ---- */

void kt_ir_cuda_assign(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	const struct kt_ir_value *left = NULL,
				 *operation = p->options->inlines_lets ? operation_of(s->value, &left) : NULL;

	kt_buf_adds(p->out, kt_ir_cuda_name(p, s->symbol));
	if (operation != NULL && left->op == KT_IR_READ && left->symbol == s->symbol) {
		finish(p, operation);
		return;
	}
	kt_buf_adds(p->out, " = ");
	kt_ir_cuda_value(p, s->value, KT_IR_BIND_CHOICE);
}

/* ---- Memory ---- */

/* The operation of a store to what the load in front of it has loaded; NULL: it is none. */
static const struct kt_ir_value *added_to(const struct kt_ir_statement *load, const struct kt_ir_statement *s)
{
	const struct kt_ir_value *left = NULL, *operation = NULL;

	if (s->kind == KT_IR_S_STORE && s->hint.cache == KT_IR_CACHE_NONE && !s->hint.is_volatile)
		operation = operation_of(s->value, &left);
	if (operation == NULL || load == NULL || load->kind != KT_IR_S_LOAD || left->op != KT_IR_READ ||
	    left->symbol != load->symbol || load->hint.cache != KT_IR_CACHE_NONE || load->hint.is_volatile ||
	    !kt_ir_same_place(load->place, s->place))
		return NULL;
	return operation;
}

bool kt_ir_cuda_adds(const struct kt_ir_statement *load, const struct kt_ir_statement *s)
{
	return added_to(load, s) != NULL;
}

bool kt_ir_cuda_store_back(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	const struct kt_ir_value *operation = added_to(p->previous, s);

	if (operation == NULL || !kt_ir_cuda_is_folded(p, p->previous))
		return false;
	kt_ir_cuda_place(p, s->place);
	finish(p, operation);
	return true;
}
