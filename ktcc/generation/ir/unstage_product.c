/*
 * Products that were rounded when they were stored: a sum over what is loaded would become fused multiply-adds, where the compiler
 * may contract, if the product was computed beside it.
 */
#include <string.h>

#include "generation/ir/unstage_parts.h"

struct product {
	const struct kt_ir_unstaging *in;
	bool *asked; /* by symbol id */
	const struct kt_ir_symbol *symbol; /* whose values are looked at */
	bool found;
};

static bool is_float(const struct kt_ir_type *type)
{
	return type->kind == KT_IR_FLOAT || (type->kind == KT_IR_VECTOR && type->element->kind == KT_IR_FLOAT);
}

static bool is_product(const struct product *p, const struct kt_ir_value *v);

static bool looks_at_set(struct kt_ir_statement *s, void *context)
{
	struct product *p = context;

	if ((s->kind == KT_IR_S_SET || s->kind == KT_IR_S_LET) && s->symbol == p->symbol)
		p->found |= is_product(p, s->value);
	return !p->found;
}

/* Each symbol is asked once, however often it is read. */
static bool may_hold_product(const struct product *p, const struct kt_ir_symbol *symbol)
{
	struct product one = {p->in, p->asked, symbol, false};

	if (p->asked[symbol->id])
		return false;
	p->asked[symbol->id] = true;
	(void)kt_ir_visit(&p->in->kernel->body, looks_at_set, &one);
	return one.found;
}

/* Does the last operation of the value, whichever of its branches counts, multiply? */
static bool is_product(const struct product *p, const struct kt_ir_value *v)
{
	if (!is_float(v->type) && v->op != KT_IR_CONSTRUCT && v->op != KT_IR_READ)
		return false;
	switch (v->op) {
	case KT_IR_MUL:
		return true;
	case KT_IR_DIV:
		return v->arguments[1]->op == KT_IR_CONSTANT;
	case KT_IR_READ:
		return may_hold_product(p, v->symbol);
	case KT_IR_INTRINSIC:
		return strstr(v->name, "mul") != NULL && strstr(v->name, "_r") == NULL;
	case KT_IR_NEG:
	case KT_IR_SELECT:
	case KT_IR_CONVERT:
	case KT_IR_CONSTRUCT:
	case KT_IR_EXTRACT:
		for (size_t i = v->op == KT_IR_SELECT; i < v->count; i++)
			if (is_product(p, v->arguments[i]))
				return true;
		return false;
	default:
		return false;
	}
}

bool kt_ir_keeps_rounding(const struct kt_ir_origin *o)
{
	struct product p = {.in = o->in, .asked = kt_arena_array(o->in->arena, (size_t)o->in->module->next_id + 1, sizeof *p.asked)};

	if (p.asked == NULL)
		return kt_ir_unstage_refuses(o->in, o->store, "out of memory");
	return !o->in->module->flags.contract || !is_product(&p, o->store->value) ||
	       kt_ir_unstage_refuses(o->in, o->store, "a product is rounded when it is stored to shared memory");
}
