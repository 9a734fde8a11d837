/* Which locals are read later: one walk over what runs after a statement. */
#include "generation/ir/counted.h"
#include "generation/ir/walk.h"

/* What comes first on each way through: a read on any, else a set (or the end) on all, else neither. */
enum first { NEITHER, SET, READ };

static enum first in_region(const struct kt_ir_statement *from, const struct kt_ir_symbol *symbol);

struct wanted {
	const struct kt_ir_symbol *symbol;
};

static bool is_no_read(const struct kt_ir_value *v, void *context)
{
	return v->op != KT_IR_READ || v->symbol != context;
}

static enum first branches(const struct kt_ir_statement *s, const struct kt_ir_symbol *symbol)
{
	const enum first a = in_region(s->body.first, symbol), b = in_region(s->otherwise.first, symbol);

	if (a == READ || b == READ)
		return READ;
	return a == SET && b == SET ? SET : NEITHER;
}

static enum first in_statement(const struct kt_ir_statement *s, const struct kt_ir_symbol *symbol)
{
	enum first found;

	if (!kt_ir_visit_values(s, is_no_read, (void *)(uintptr_t)symbol))
		return READ;
	switch (s->kind) {
	case KT_IR_S_SET:
		return s->symbol == symbol ? SET : NEITHER;
	case KT_IR_S_RETURN:
		return SET;
	case KT_IR_S_BREAK:
	case KT_IR_S_CONTINUE:
		/* Where it leads is not followed: the worst. */
		return READ;
	case KT_IR_S_IF:
		return branches(s, symbol);
	case KT_IR_S_FOR:
		return in_region(s->body.first, symbol) == READ ? READ : NEITHER;
	case KT_IR_S_LOOP:
		/* Its own breaks lead to what follows it: only whether there is a read at all counts. */
		found = in_region(s->body.first, symbol);
		if (found == SET)
			return SET;
		return kt_ir_count_reads(&s->body, symbol) + kt_ir_count_reads(&s->otherwise, symbol) > 0 ? READ
													  : NEITHER;
	default:
		for (size_t i = 0; i < s->case_count; i++)
			if (in_region(s->cases[i].body.first, symbol) == READ)
				return READ;
		return NEITHER;
	}
}

static enum first in_region(const struct kt_ir_statement *from, const struct kt_ir_symbol *symbol)
{
	enum first found;

	for (const struct kt_ir_statement *s = from; s != NULL; s = s->next) {
		found = in_statement(s, symbol);
		if (found != NEITHER)
			return found;
	}
	return NEITHER;
}

bool kt_ir_is_live_after(const struct kt_ir_symbol *symbol, const struct kt_ir_after *at)
{
	enum first found;

	for (; at != NULL; at = at->outer) {
		const struct kt_ir_statement *around = at->outer == NULL ? NULL : at->outer->statement;

		found = in_region(at->statement->next, symbol);
		if (found != NEITHER)
			return found == READ;
		if (around == NULL || (around->kind != KT_IR_S_LOOP && around->kind != KT_IR_S_FOR))
			continue;
		/* The next iteration. A declaration in it ends the value. */
		if (kt_ir_defines(&around->body, symbol))
			return false;
		if (in_region(around->otherwise.first, symbol) == READ || in_region(around->body.first, symbol) == READ)
			return true;
	}
	return false;
}
