/*
 * Values of a launch in the language of guards. Where the guards that are added with it hold, the text is the value, or more than it,
 * where a sum or a product of unsigned numbers wraps.
 */
#include "generation/ir/independent.h"

#include <inttypes.h>

const char *kt_ir_written_grid(const struct kt_ir_offer *offer, unsigned d)
{
	return offer->facts->grid[d] == NULL ? "1" : offer->facts->grid[d];
}

const char *kt_ir_written_block(const struct kt_ir_offer *offer, unsigned d)
{
	return offer->facts->blocks[d] == NULL ? "1" : offer->facts->blocks[d];
}

static const char *argument_text(struct kt_ir_offer *offer, const struct kt_ir_symbol *symbol)
{
	for (size_t i = 0; offer->facts->arguments != NULL && i < offer->kernel->argument_count; i++)
		if (offer->kernel->arguments[i]->id == symbol->id)
			return offer->facts->arguments[i].name;
	return NULL;
}

/* The number is one of that type, which has 32 bits at most. */
static void guard_range(struct kt_ir_offer *offer, const char *text, const struct kt_ir_type *type)
{
	const int64_t low = type->is_signed ? -((int64_t)1 << (type->bits - 1)) : 0, high = low + ((int64_t)1 << type->bits) - 1;

	kt_ir_offer_guard(offer, kt_ir_offer_text(offer, "%s >= %" PRId64 " && %s <= %" PRId64, text, low, text, high),
			  "it is read as a number of fewer bits");
}

/* A conversion that keeps the number, where it is not below zero. */
static const char *conversion_text(struct kt_ir_offer *offer, const struct kt_ir_lets *lets,
				   const struct kt_ir_value *v)
{
	const struct kt_ir_type *from = v->arguments[0]->type, *to = v->type;
	const char *text = kt_ir_launch_text(offer, lets, v->arguments[0]);

	if (text == NULL || from->kind != KT_IR_INTEGER || to->kind != KT_IR_INTEGER)
		return NULL;
	if (from->is_signed && !to->is_signed)
		kt_ir_offer_guard(offer, kt_ir_offer_text(offer, "%s >= 0", text), "it is read as an unsigned number");
	if (to->bits < from->bits && (to->bits < 32 || (from->is_signed && to->is_signed)))
		guard_range(offer, text, to);
	else if (to->bits < from->bits || (to->bits == from->bits && to->is_signed && !from->is_signed))
		kt_ir_offer_guard(offer, kt_ir_offer_text(offer, "%s <= 2147483647", text),
				  "it is read as a number of 32 bits");
	return text;
}

/* A difference, or a sum with what is less than zero in the other words for it: of unsigned numbers it is none below zero. */
static const char *difference_text(struct kt_ir_offer *offer, const struct kt_ir_type *type, const char *a, const char *b)
{
	if (!type->is_signed)
		kt_ir_offer_guard(offer, kt_ir_offer_text(offer, "%s >= %s", a, b), "a difference of unsigned numbers does not wrap");
	return kt_ir_offer_text(offer, "(%s - %s)", a, b);
}

/* What x + c takes from x, where that is fewer words; NULL: it adds. */
static const char *taken_text(struct kt_ir_offer *offer, const struct kt_ir_value *v)
{
	const struct kt_ir_type *type = v->type;
	int64_t number;

	if (v->op != KT_IR_ADD || type->is_signed || type->bits > 32 || !kt_ir_is_constant(v->arguments[1], &number) ||
	    number <= (int64_t)(((uint64_t)1 << type->bits) - 1) / 2)
		return NULL;
	return kt_ir_offer_text(offer, "%" PRId64, ((int64_t)1 << type->bits) - number);
}

const char *kt_ir_launch_text(struct kt_ir_offer *offer, const struct kt_ir_lets *lets, const struct kt_ir_value *v)
{
	static const char *const words[KT_IR_OP_COUNT] = {
	    [KT_IR_ADD] = "+", [KT_IR_SUB] = "-", [KT_IR_MUL] = "*",
	    [KT_IR_DIV] = "/", [KT_IR_LE] = "<=",  [KT_IR_LT] = "<"};
	const char *a, *b, *taken;
	int64_t number;

	v = kt_ir_behind_let(lets, v);
	if (kt_ir_is_constant(v, &number))
		return kt_ir_offer_text(offer, "%" PRId64, number);
	if (v->op == KT_IR_READ && v->symbol->kind == KT_IR_ARGUMENT)
		return argument_text(offer, v->symbol);
	if (v->op == KT_IR_AXIS && v->axis == KT_IR_GRID_DIM)
		return kt_ir_offer_text(offer, "(%s)", kt_ir_written_grid(offer, v->dimension));
	if (v->op == KT_IR_AXIS && v->axis == KT_IR_BLOCK_DIM)
		return kt_ir_offer_text(offer, "(%s)", kt_ir_written_block(offer, v->dimension));
	if (v->op == KT_IR_CONVERT)
		return conversion_text(offer, lets, v);
	if (words[v->op] == NULL)
		return NULL;
	taken = taken_text(offer, v);
	a = kt_ir_launch_text(offer, lets, v->arguments[0]);
	b = taken != NULL ? taken : kt_ir_launch_text(offer, lets, v->arguments[1]);
	if (a == NULL || b == NULL)
		return NULL;
	if (taken != NULL || v->op == KT_IR_SUB)
		return difference_text(offer, v->type, a, b);
	/* Whichever way quotients of negative numbers are rounded. */
	if (v->op == KT_IR_DIV)
		kt_ir_offer_guard(offer, kt_ir_offer_text(offer, "%s >= 0 && %s > 0", a, b), "a quotient is none below zero");
	return kt_ir_offer_text(offer, "(%s %s %s)", a, words[v->op], b);
}

bool kt_ir_offer_assumptions(struct kt_ir_offer *offer, const struct kt_ir_function *kernel)
{
	for (size_t i = 0; i < kernel->assumption_count; i++) {
		const char *text = kt_ir_launch_text(offer, NULL, kernel->assumptions[i]);

		if (text == NULL)
			return false;
		kt_ir_offer_guard(offer, text, "an index of the kernel does not wrap");
	}
	return true;
}
