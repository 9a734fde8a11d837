/* Terms of a piece as values of the IR, and totals as statements. */
#include "generation/ir/cooperate.h"
#include "generation/ir/cooperate_parts.h"
#include "generation/ir/walk.h"

typedef const struct kt_ir_term_of term;

/* Is the leaf what its symbol is in front of the last piece, for every thread? */
static bool is_current(struct kt_ir_piece_list *l, term *leaf)
{
	term **values = l->before[leaf->symbol->id];

	if (values == NULL)
		return l->versions[leaf->symbol->id] == leaf->version;
	for (unsigned t = 0; t < l->p->threads; t++)
		if (values[t]->kind != KT_IR_T_LEAF || values[t]->symbol != leaf->symbol || values[t]->version != leaf->version)
			return false;
	return true;
}

void kt_ir_piece_add(struct kt_ir_piece_list *l, struct kt_ir_region *statements)
{
	if (statements->first == NULL)
		return;
	l->last = kt_ir_insert(l->out, l->last, statements);
}

/* The value combined over the threads: a statement. */
static const struct kt_ir_value *combined(struct kt_ir_piece_list *l, int number, const struct kt_ir_value *value)
{
	struct kt_ir_module *m = l->p->module;
	struct kt_ir_region one = {NULL, NULL};
	struct kt_ir_statement *made = value == NULL ? NULL : kt_ir_append(m, &one, KT_IR_S_COLLECTIVE);

	if (made == NULL)
		return NULL;
	made->number = (unsigned)number;
	made->scope = KT_IR_BLOCK_SCOPE;
	made->value = value;
	made->symbol = kt_ir_symbol(m, KT_IR_TEMPORARY, value->type, "total");
	kt_ir_piece_add(l, &one);
	return made->symbol == NULL ? NULL : kt_ir_read(m, made->symbol);
}

/* The integer where the key is the chosen one, else what every other integer is chosen before. */
static const struct kt_ir_value *where(struct kt_ir_module *m, const struct kt_ir_value *key, const struct kt_ir_value *chosen,
				       const struct kt_ir_value *integer, bool is_least)
{
	const struct kt_ir_type *type = integer->type;
	const int64_t most = (int64_t)(UINT64_MAX >> (64 - type->bits + type->is_signed)), least = type->is_signed ? -most - 1 : 0;

	return kt_ir_apply(m, KT_IR_SELECT, kt_ir_apply(m, KT_IR_EQ, key, chosen, NULL), integer,
			   kt_ir_constant(m, type, is_least ? most : least));
}

/* What goes with the chosen key: of all threads that have it, the least or greatest. */
static const struct kt_ir_value *with_total(struct kt_ir_piece_list *l, term *t)
{
	struct kt_ir_module *m = l->p->module;
	const struct kt_ir_value *chosen = kt_ir_piece_value(l, t->parts[2]), *key = kt_ir_piece_value(l, t->parts[2]->parts[0]),
				 *integer = kt_ir_piece_value(l, t->parts[0]), *both[2];
	const int number = kt_ir_total_of(t->value->op, t->value->name);
	const bool is_least = number == KT_IR_TOTAL_MIN;

	if (chosen == NULL || key == NULL || integer == NULL)
		return NULL;
	both[0] = combined(l, number, where(m, key, chosen, integer, is_least));
	if (both[0] == NULL || t->parts[1] == NULL)
		return both[0];
	key = kt_ir_piece_value(l, t->parts[2]->parts[1]);
	integer = kt_ir_piece_value(l, t->parts[1]);
	if (key == NULL || integer == NULL)
		return NULL;
	both[1] = where(m, key, chosen, integer, is_least);
	return kt_ir_intrinsic(m, t->value->name, t->value->type, both, 2);
}

static const struct kt_ir_value *total(struct kt_ir_piece_list *l, term *t)
{
	struct kt_ir_module *m = l->p->module;
	const struct kt_ir_value *part = kt_ir_piece_value(l, t->parts[0]), *extra = NULL, *both[2];

	if (!kt_ir_is_number(t->value->type) || (t->value->type->bits != 32 && t->value->type->bits != 64))
		return NULL;
	if (t->parts[1] != NULL)
		extra = kt_ir_piece_value(l, t->parts[1]);
	if (part == NULL || (t->parts[1] != NULL && extra == NULL))
		return NULL;
	both[0] = combined(l, kt_ir_total_of(t->value->op, t->value->name), part);
	if (both[0] == NULL)
		return NULL;
	both[1] = extra;
	if (extra == NULL)
		return both[0];
	return t->value->op == KT_IR_INTRINSIC ? kt_ir_intrinsic(m, t->value->name, t->value->type, both, 2)
					       : kt_ir_apply(m, t->value->op, both[0], both[1], NULL);
}

static const struct kt_ir_value *operation(struct kt_ir_piece_list *l, term *t)
{
	struct kt_ir_module *m = l->p->module;
	const struct kt_ir_value *arguments[4] = {NULL, NULL, NULL, NULL}, *made;

	for (size_t i = 0; i < t->count; i++) {
		arguments[i] = kt_ir_piece_value(l, t->parts[i]);
		if (arguments[i] == NULL)
			return NULL;
	}
	switch (t->value->op) {
	case KT_IR_CONVERT:
		return kt_ir_convert(m, arguments[0], t->value->type, t->value->mode);
	case KT_IR_INTRINSIC:
		return kt_ir_intrinsic(m, t->value->name, t->value->type, arguments, t->count);
	case KT_IR_CONSTRUCT:
		return kt_ir_construct(m, t->value->type, arguments, t->count);
	case KT_IR_EXTRACT:
		return kt_ir_extract(m, arguments[0], (unsigned)t->value->bits[0]);
	default:
		made = kt_ir_apply(m, t->value->op, arguments[0], arguments[1], arguments[2]);
		return made != NULL && t->value->no_wrap ? kt_ir_no_wrap(m, made) : made;
	}
}

const struct kt_ir_value *kt_ir_piece_value(struct kt_ir_piece_list *l, term *t)
{
	const struct kt_ir_value *value;
	struct kt_ir_region one = {NULL, NULL};
	struct kt_ir_made *slot;

	switch (t->kind) {
	case KT_IR_T_CONSTANT:
	case KT_IR_T_AXIS:
		return t->value;
	case KT_IR_T_LEAF:
		return is_current(l, t) ? kt_ir_read(l->p->module, t->symbol) : NULL;
	case KT_IR_T_BAD:
		return NULL;
	default:
		break;
	}
	for (size_t i = 0; i < l->made_count; i++)
		if (l->made[i].term == t)
			return l->made[i].value;
	value = t->kind == KT_IR_T_TOTAL ? total(l, t) : t->kind == KT_IR_T_WITH ? with_total(l, t) : operation(l, t);
	if (value == NULL)
		return NULL;
	/* Once, for all that use it. */
	if (value->op != KT_IR_READ) {
		struct kt_ir_symbol *symbol = kt_ir_let(l->p->module, &one, "", value);

		if (symbol == NULL)
			return NULL;
		kt_ir_piece_add(l, &one);
		value = kt_ir_read(l->p->module, symbol);
	}
	slot = kt_arena_push(l->p->scratch, &l->made, &l->made_count, sizeof *slot);
	if (slot == NULL)
		return NULL;
	*slot = (struct kt_ir_made){t, value};
	return value;
}
