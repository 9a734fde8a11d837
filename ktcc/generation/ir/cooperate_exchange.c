/* Which statements exchange values between threads. */
#include "generation/ir/cooperate_parts.h"
#include "generation/ir/walk.h"

static bool is_apart(struct kt_ir_statement *s, void *context)
{
	bool *only_loads = context;
	const bool is_shared = s->place != NULL && s->place->symbol != NULL && s->place->symbol->kind == KT_IR_SHARED_SYMBOL;

	if (s->kind == KT_IR_S_LOAD && is_shared && only_loads != NULL)
		return true;
	return !is_shared && s->kind != KT_IR_S_BARRIER && s->kind != KT_IR_S_COLLECTIVE && s->kind != KT_IR_S_FENCE;
}

static bool exchanges_in(const struct kt_ir_statement *statement, bool *loads_are_none)
{
	return !kt_ir_visit_alone(statement, is_apart, loads_are_none);
}

bool kt_ir_exchanges(const struct kt_ir_statement *s)
{
	return exchanges_in(s, NULL);
}

bool kt_ir_takes_part(const struct kt_ir_statement *s)
{
	bool yes = true;

	return exchanges_in(s, &yes);
}

bool kt_ir_is_outside_piece(const struct kt_ir_statement *s)
{
	const bool is_nested = s->kind == KT_IR_S_IF || s->kind == KT_IR_S_FOR || s->kind == KT_IR_S_LOOP;

	return !kt_ir_simt_fits(s) || (is_nested && !kt_ir_exchanges(s)) || s->kind == KT_IR_S_BREAK || s->kind == KT_IR_S_CONTINUE;
}

static bool leads_elsewhere(const struct kt_ir_value *v, void *context)
{
	(void)context;
	return v->op != KT_IR_ADDRESS || v->place->symbol == NULL || v->place->symbol->kind != KT_IR_SHARED_SYMBOL;
}

/* Arrays whose size the launch gives begin at one address. */
static bool is_only_extern(struct kt_ir_statement *s, void *context)
{
	const struct kt_ir_symbol **found = context;

	if (!kt_ir_declares_shared(s) || s->symbol->type->kind != KT_IR_ARRAY || s->symbol->type->count >= 0)
		return true;
	if (*found != NULL && *found != s->symbol)
		return false;
	*found = s->symbol;
	return true;
}

const char *kt_ir_why_unnamed(const struct kt_ir_region *body)
{
	const struct kt_ir_symbol *of_launch = NULL;

	if (!kt_ir_visit_all(body, leads_elsewhere, NULL))
		return "shared memory is reached through a pointer";
	return kt_ir_visit(body, is_only_extern, &of_launch) ? NULL : "shared arrays whose size the launch gives are at one place";
}
