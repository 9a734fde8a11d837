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
	struct kt_ir_statement copy = *statement;
	const struct kt_ir_region alone = {&copy, &copy};

	copy.next = NULL;
	return !kt_ir_visit(&alone, is_apart, loads_are_none);
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
