/* Two branches that store to one place store once, after both. */
#include "generation/ir/effect.h"
#include "generation/ir/unstage_parts.h"

/* The statement moves between two others. */
static bool put_around(struct kt_ir_module *m, struct kt_ir_statement *s, const struct kt_ir_statement *before,
		       struct kt_ir_statement *after)
{
	struct kt_ir_statement *moved = kt_ir_statement_new(m, s->kind, s), *next = s->next;

	if (moved == NULL)
		return false;
	*moved = *s;
	*s = *before;
	s->next = moved;
	moved->next = after;
	after->next = next;
	return true;
}

/* `if (c) { …; s[i] = a } else { …; s[i] = b }`: each branch sets a local instead. */
static bool joins(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_unstaging *in = context;
	struct kt_ir_module *m = in->module;
	struct kt_ir_statement *a = s->body.last, *b = s->otherwise.last, *behind;
	struct kt_ir_region declared = {NULL, NULL};
	struct kt_ir_symbol *value;

	if (s->kind != KT_IR_S_IF || a == NULL || b == NULL || a->kind != KT_IR_S_STORE || b->kind != KT_IR_S_STORE ||
	    !kt_ir_is_shared(a->place) || !kt_ir_same_place(a->place, b->place) || !kt_ir_is_scalar(a->place->type))
		return true;
	value = kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, a->value->type, "stored");
	behind = kt_ir_statement_new(m, KT_IR_S_STORE, a);
	if (value == NULL || behind == NULL || kt_ir_declare(m, &declared, value) == NULL)
		return false;
	behind->place = a->place;
	behind->hint = a->hint;
	behind->value = kt_ir_read(m, value);
	for (int i = 0; i < 2; i++) {
		struct kt_ir_statement *set = i == 0 ? a : b;

		set->kind = KT_IR_S_SET;
		set->symbol = value;
		set->place = NULL;
	}
	return put_around(m, s, declared.first, behind);
}

static void mend(struct kt_ir_region *region)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		region->last = s;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			mend(inner);
	}
}

bool kt_ir_join_stores(struct kt_ir_unstaging *in)
{
	if (!kt_ir_visit(&in->kernel->body, joins, in))
		return false;
	mend(&in->kernel->body);
	return true;
}
