/* Values and addresses in front of a loop. */
#include "generation/ir/row.h"

#include "generation/ir/walk.h"

static bool note(struct kt_ir_statement *s, void *context)
{
	const struct kt_ir_row *row = context;

	if (s->symbol != NULL)
		row->inside[s->symbol->id] = true;
	return true;
}

bool kt_ir_row_of(struct kt_ir_row *row, struct kt_ir_module *m, const struct kt_ir_lets *lets, const struct kt_ir_region *region)
{
	*row = (struct kt_ir_row){.module = m, .lets = lets};
	row->inside = kt_arena_array(m->arena, (size_t)m->next_id + 1, sizeof *row->inside);
	if (row->inside == NULL)
		return kt_ir_fail(m, "out of memory") != NULL;
	(void)kt_ir_visit(region, note, row);
	return true;
}

static const struct kt_ir_value *read(const struct kt_ir_row *o, const struct kt_ir_value *v)
{
	const struct kt_ir_value *behind = v->symbol->id < o->lets->count ? o->lets->values[v->symbol->id] : NULL;

	if (v->symbol == o->symbol)
		return o->instead;
	if (!o->inside[v->symbol->id])
		return v;
	return behind == NULL ? NULL : kt_ir_formed_outside(o, behind);
}

const struct kt_ir_value *kt_ir_formed_outside(const struct kt_ir_row *o, const struct kt_ir_value *v)
{
	const struct kt_ir_value *a, *b;

	if (v->type->kind != KT_IR_INTEGER)
		return NULL;
	switch (v->op) {
	case KT_IR_CONSTANT:
	case KT_IR_AXIS:
		return v;
	case KT_IR_READ:
		return read(o, v);
	case KT_IR_CONVERT:
		if (v->mode != KT_IR_AS_VALUE)
			return NULL;
		a = kt_ir_formed_outside(o, v->arguments[0]);
		return a == NULL ? NULL : kt_ir_convert(o->module, a, v->type, v->mode);
	case KT_IR_ADD:
	case KT_IR_SUB:
	case KT_IR_MUL:
	case KT_IR_AND:
	case KT_IR_OR:
	case KT_IR_XOR:
		a = kt_ir_formed_outside(o, v->arguments[0]);
		b = kt_ir_formed_outside(o, v->arguments[1]);
		if (a == NULL || b == NULL)
			return NULL;
		a = kt_ir_apply(o->module, v->op, a, b, NULL);
		return a != NULL && o->is_run && v->no_wrap ? kt_ir_no_wrap(o->module, a) : a;
	default:
		return NULL;
	}
}

enum dependence { NONE, EXACT, WRAPS };

static enum dependence dependence_of(const struct kt_ir_row *o, const struct kt_ir_value *v)
{
	enum dependence most = NONE;
	bool is_exact;

	if (v->op == KT_IR_READ) {
		if (v->symbol == o->symbol)
			return EXACT;
		return o->inside[v->symbol->id] && v->symbol->id < o->lets->count && o->lets->values[v->symbol->id] != NULL
			   ? dependence_of(o, o->lets->values[v->symbol->id])
			   : NONE;
	}
	for (size_t i = 0; i < v->count; i++) {
		const enum dependence one = dependence_of(o, v->arguments[i]);

		most = one > most ? one : most;
	}
	if (most == NONE)
		return NONE;
	is_exact = v->type->bits >= 64 || v->no_wrap;
	if (v->op == KT_IR_CONVERT)
		is_exact = v->type->bits > v->arguments[0]->type->bits;
	return is_exact ? most : WRAPS;
}

bool kt_ir_may_skip(const struct kt_ir_row *row, const struct kt_ir_value *value)
{
	return dependence_of(row, value) == WRAPS;
}

/* The types of which the toolkit has vectors of 2 and 4. */
static bool has_vectors(const struct kt_ir_type *type)
{
	return (type->kind == KT_IR_INTEGER && type->bits <= 64) ||
	       (type->kind == KT_IR_FLOAT && (type->format == KT_IR_F32 || type->format == KT_IR_F64));
}

bool kt_ir_is_element(const struct kt_ir_statement *s)
{
	const struct kt_ir_place *place = s->place;

	return (s->kind == KT_IR_S_LOAD || s->kind == KT_IR_S_STORE) && place->count == 1 &&
	       place->steps[0].kind == KT_IR_INDEX && place->pointer != NULL && place->pointer->op == KT_IR_READ &&
	       place->pointer->symbol->kind == KT_IR_ARGUMENT && has_vectors(place->type) && !s->hint.is_volatile &&
	       !place->pointer->type->is_volatile && s->hint.align == 0;
}

const struct kt_ir_value *kt_ir_elements_past(const struct kt_ir_row *row, const struct kt_ir_statement *access, int64_t width)
{
	struct kt_ir_module *m = row->module;
	const struct kt_ir_type *word = kt_ir_integer(m, 64, false);
	const struct kt_ir_value *index = kt_ir_formed_outside(row, access->place->steps[0].index);
	const struct kt_ir_value *first;

	if (index == NULL)
		return NULL;
	/* Elements lie at multiples of their size, which is a power of two. */
	first = kt_ir_apply(m, KT_IR_DIV, kt_ir_convert(m, access->place->pointer, word, KT_IR_AS_VALUE),
			    kt_ir_constant(m, word, (int64_t)access->place->type->size), NULL);
	return kt_ir_apply(m, KT_IR_AND,
			   kt_ir_apply(m, KT_IR_ADD, first, kt_ir_convert(m, index, word, KT_IR_AS_VALUE), NULL),
			   kt_ir_constant(m, word, width - 1), NULL);
}
