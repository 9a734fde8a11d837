/* What threads have: symbols, values and shared memory as terms. */
#include "generation/ir/simt_data.h"

typedef const struct kt_ir_term_of term;

bool kt_ir_simt_start(struct kt_ir_simt *s, struct kt_ir_module *module, struct kt_arena *arena,
		      const struct kt_ir_uniformity *uniformity, const struct kt_ir_numbers *numbers, unsigned threads)
{
	*s = (struct kt_ir_simt){.arena = arena, .uniformity = uniformity, .symbol_count = (size_t)module->next_id + 1};
	s->versions = kt_arena_array(arena, s->symbol_count, sizeof *s->versions);
	s->values = kt_arena_array(arena, s->symbol_count, sizeof *s->values);
	if (threads > KT_IR_TERM_THREADS || s->versions == NULL || s->values == NULL ||
	    !kt_ir_terms_start(&s->terms, module, arena, threads))
		return false;
	s->terms.numbers = numbers;
	return true;
}

bool kt_ir_simt_stop(struct kt_ir_simt *s, uint32_t line, const char *why)
{
	if (s->why == NULL) {
		s->why = why;
		s->line = line;
	}
	return false;
}

/* ---- Symbols ---- */

static term *leaf_of(struct kt_ir_simt *s, const struct kt_ir_symbol *symbol, unsigned thread)
{
	/* Symbols that are newer than the analysis are of a thread. */
	const bool is_common = symbol->id < s->uniformity->count && s->uniformity->of[symbol->id] != KT_IR_OF_THREAD;

	return kt_ir_term_leaf(&s->terms, symbol, s->versions[symbol->id], is_common ? KT_IR_EVERY : (int)thread);
}

term *kt_ir_simt_of(struct kt_ir_simt *s, const struct kt_ir_symbol *symbol, unsigned thread)
{
	return s->values[symbol->id] == NULL ? leaf_of(s, symbol, thread) : s->values[symbol->id][thread];
}

void kt_ir_simt_forget(struct kt_ir_simt *s, const struct kt_ir_symbol *symbol)
{
	s->values[symbol->id] = NULL;
	s->versions[symbol->id]++;
}

term **kt_ir_simt_owned(struct kt_ir_simt *s, const struct kt_ir_symbol *symbol)
{
	term **made = s->values[symbol->id];

	if (made != NULL)
		return made;
	made = kt_arena_array(s->arena, s->terms.threads, sizeof *made);
	if (made == NULL) {
		(void)kt_ir_simt_stop(s, symbol->line, "out of memory");
		return NULL;
	}
	for (unsigned t = 0; t < s->terms.threads; t++)
		made[t] = leaf_of(s, symbol, t);
	return s->values[symbol->id] = made;
}

/* ---- Values ---- */

term *kt_ir_simt_number(struct kt_ir_simt *s, const struct kt_ir_type *type, int64_t value)
{
	return kt_ir_term_constant(&s->terms, kt_ir_constant(s->terms.module, type, value));
}

static term *axis(struct kt_ir_simt *s, const struct kt_ir_value *v, unsigned thread)
{
	switch (v->axis) {
	case KT_IR_THREAD:
	case KT_IR_BLOCK_DIM:
		if (v->dimension != 0)
			return s->uniformity->in_row ? kt_ir_term_axis(&s->terms, v)
						     : kt_ir_simt_number(s, v->type, v->axis == KT_IR_BLOCK_DIM);
		return kt_ir_simt_number(s, v->type, v->axis == KT_IR_THREAD ? thread : s->terms.threads);
	case KT_IR_LANE:
		return kt_ir_simt_number(s, v->type, thread % KT_IR_SIMT_WARP);
	case KT_IR_WARP_SIZE:
		return kt_ir_simt_number(s, v->type, KT_IR_SIMT_WARP);
	default:
		return kt_ir_term_axis(&s->terms, v);
	}
}

term *kt_ir_simt_value(struct kt_ir_simt *s, const struct kt_ir_value *v, unsigned thread)
{
	term *operands[4];

	switch (v->op) {
	case KT_IR_CONSTANT:
		return kt_ir_term_constant(&s->terms, v);
	case KT_IR_AXIS:
		return axis(s, v, thread);
	case KT_IR_READ:
		return kt_ir_simt_of(s, v->symbol, thread);
	case KT_IR_ADDRESS:
	case KT_IR_PARAMETER:
		return s->terms.bad;
	default:
		break;
	}
	if (v->count == 0 || v->count > 4)
		return s->terms.bad;
	for (size_t i = 0; i < v->count; i++)
		operands[i] = kt_ir_simt_value(s, v->arguments[i], thread);
	return kt_ir_term_apply(&s->terms, v, operands, v->count);
}

bool kt_ir_simt_known(term *t, int64_t *value)
{
	return t->kind == KT_IR_T_CONSTANT && kt_ir_is_constant(t->value, value);
}

/* ---- Shared memory ---- */

/* Elements of an array along its first index. Of one whose size the launch gives: as many as are looked at. */
static int64_t extent_of(const struct kt_ir_type *type)
{
	return type->count < 0 ? KT_IR_SIMT_CELLS : type->count;
}

static int64_t elements_of(const struct kt_ir_type *type)
{
	int64_t count = 1;

	for (; type->kind == KT_IR_ARRAY; type = type->element) {
		if (extent_of(type) == 0 || count > KT_IR_SIMT_CELLS / extent_of(type))
			return 0;
		count *= extent_of(type);
	}
	return kt_ir_is_number(type) ? count : 0;
}

struct kt_ir_cells *kt_ir_simt_cells(struct kt_ir_simt *s, const struct kt_ir_symbol *symbol)
{
	struct kt_ir_cells *made;
	/* What rows of a block have in common is not known. */
	const int64_t count = s->uniformity->in_row ? 0 : elements_of(symbol->type);

	for (size_t i = 0; i < s->cell_count; i++)
		if (s->cells[i].symbol == symbol)
			return &s->cells[i];
	if (count == 0)
		return NULL;
	made = kt_arena_push(s->arena, &s->cells, &s->cell_count, sizeof *made);
	if (made == NULL)
		return NULL;
	*made = (struct kt_ir_cells){symbol, count, kt_arena_array(s->arena, (size_t)count, sizeof *made->terms)};
	return made->terms == NULL ? NULL : made;
}

term **kt_ir_simt_cell(struct kt_ir_simt *s, const struct kt_ir_place *place, unsigned thread)
{
	struct kt_ir_cells *cells = kt_ir_simt_cells(s, place->symbol);
	const struct kt_ir_type *type = place->symbol->type;
	int64_t at = 0, index;

	for (size_t i = 0; i < place->count; i++, type = type->element) {
		if (place->steps[i].kind != KT_IR_INDEX || type->kind != KT_IR_ARRAY ||
		    !kt_ir_simt_known(kt_ir_simt_value(s, place->steps[i].index, thread), &index) || index < 0 || index >= extent_of(type))
			return NULL;
		at = at * extent_of(type) + index;
	}
	return cells == NULL || type->kind == KT_IR_ARRAY ? NULL : &cells->terms[at];
}

term *kt_ir_simt_load(struct kt_ir_simt *s, const struct kt_ir_place *place, unsigned thread)
{
	term **from = kt_ir_simt_cell(s, place, thread);

	return from == NULL || *from == NULL ? s->terms.bad : *from;
}

