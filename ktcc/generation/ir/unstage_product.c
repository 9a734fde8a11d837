/*
 * Products that were rounded when they were stored: a sum over what is loaded would become fused multiply-adds, where the compiler
 * may contract, if the product was computed beside it.
 */
#include <string.h>

#include "generation/ir/unstage_parts.h"

enum { DEEPEST = 16 };

struct product {
	const struct kt_ir_unstaging *in;
	const struct kt_ir_symbol *symbol;
	int depth;
	bool found;
};

static bool is_float(const struct kt_ir_type *type)
{
	return type->kind == KT_IR_FLOAT || (type->kind == KT_IR_VECTOR && type->element->kind == KT_IR_FLOAT);
}

static bool is_product(const struct kt_ir_unstaging *in, const struct kt_ir_value *v, int depth);

static bool looks_at_set(struct kt_ir_statement *s, void *context)
{
	struct product *p = context;

	if ((s->kind == KT_IR_S_SET || s->kind == KT_IR_S_LET) && s->symbol == p->symbol)
		p->found |= is_product(p->in, s->value, p->depth + 1);
	return !p->found;
}

static bool may_hold_product(const struct kt_ir_unstaging *in, const struct kt_ir_symbol *symbol, int depth)
{
	struct product p = {in, symbol, depth, false};

	(void)kt_ir_visit(&in->kernel->body, looks_at_set, &p);
	return p.found;
}

/* Does the last operation of the value, whichever of its branches counts, multiply? What is nested too deep may. */
static bool is_product(const struct kt_ir_unstaging *in, const struct kt_ir_value *v, int depth)
{
	if (!is_float(v->type) && v->op != KT_IR_CONSTRUCT && v->op != KT_IR_READ)
		return false;
	if (depth > DEEPEST)
		return true;
	switch (v->op) {
	case KT_IR_MUL:
		return true;
	case KT_IR_DIV:
		return v->arguments[1]->op == KT_IR_CONSTANT;
	case KT_IR_READ:
		return may_hold_product(in, v->symbol, depth);
	case KT_IR_INTRINSIC:
		return strstr(v->name, "mul") != NULL && strstr(v->name, "_r") == NULL;
	case KT_IR_NEG:
	case KT_IR_SELECT:
	case KT_IR_CONVERT:
	case KT_IR_CONSTRUCT:
	case KT_IR_EXTRACT:
		for (size_t i = v->op == KT_IR_SELECT; i < v->count; i++)
			if (is_product(in, v->arguments[i], depth + 1))
				return true;
		return false;
	default:
		return false;
	}
}

bool kt_ir_keeps_rounding(const struct kt_ir_origin *o)
{
	return !o->in->module->flags.contract || !is_product(o->in, o->store->value, 0) ||
	       kt_ir_unstage_refuses(o->in, o->store, "a product is rounded when it is stored to shared memory");
}
