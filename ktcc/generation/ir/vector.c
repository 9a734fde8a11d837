/* Vector access. */
#include "generation/ir/vector.h"

#include "generation/ir/form.h"
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

enum { WIDEST = 16, MOST_POINTERS = 16 };

struct vectors {
	struct kt_ir_module *module;
	struct kt_ir_lets lets;
	size_t count; /* pointers that must be aligned, and to how many bytes */
	const struct kt_ir_value *pointers[MOST_POINTERS];
	uint64_t bytes[MOST_POINTERS];
};

/* The types of which the toolkit has vectors of 2 and 4. */
static bool has_vectors(const struct kt_ir_type *type)
{
	return (type->kind == KT_IR_INTEGER && type->bits <= 64) ||
	       (type->kind == KT_IR_FLOAT && (type->format == KT_IR_F32 || type->format == KT_IR_F64));
}

/* An access to an element of what an argument leads to. */
static bool is_element(const struct kt_ir_statement *s)
{
	const struct kt_ir_place *place = s->place;

	return (s->kind == KT_IR_S_LOAD || s->kind == KT_IR_S_STORE) && place->count == 1 &&
	       place->steps[0].kind == KT_IR_INDEX && place->pointer != NULL && place->pointer->op == KT_IR_READ &&
	       place->pointer->symbol->kind == KT_IR_ARGUMENT && has_vectors(place->type) && !s->hint.is_volatile &&
	       !place->pointer->type->is_volatile && s->hint.align == 0;
}

/* Is every number that the form may be a multiple? Also where sums of it wrapped, since it is a power of two. */
static bool is_multiple(const struct kt_ir_form *form, int64_t of)
{
	for (size_t i = 0; i < form->count; i++)
		if (form->terms[i].factor % of != 0)
			return false;
	return form->constant % of == 0;
}

/* Are these `width` statements accesses to neighbours, of which the first lies at a multiple of the width? */
static bool are_neighbours(const struct vectors *v, const struct kt_ir_statement *first, int64_t width)
{
	const struct kt_ir_statement *s = first;
	struct kt_ir_form base, form, difference;
	int64_t distance;

	if (!is_element(first) || first->place->type->size * (uint64_t)width > WIDEST ||
	    !kt_ir_form_of(&base, &v->lets, first->place->steps[0].index, true) || !is_multiple(&base, width))
		return false;
	for (int64_t i = 0; i < width; i++, s = s->next) {
		if (s == NULL || s->kind != first->kind || !is_element(s) || s->hint.cache != first->hint.cache ||
		    !kt_ir_same(s->place->pointer, first->place->pointer) ||
		    !kt_ir_form_of(&form, &v->lets, s->place->steps[0].index, true) ||
		    !kt_ir_form_minus(&difference, &form, &base) || !kt_ir_form_is_constant(&difference, &distance) ||
		    distance != i)
			return false;
	}
	return true;
}

/* The pointer must be aligned; false: too many are. */
static bool need(struct vectors *v, const struct kt_ir_value *pointer, uint64_t bytes)
{
	size_t i = 0;

	while (i < v->count && !kt_ir_same(v->pointers[i], pointer))
		i++;
	if (i == MOST_POINTERS)
		return false;
	if (i == v->count)
		v->bytes[v->count++] = bytes;
	v->pointers[i] = pointer;
	if (v->bytes[i] < bytes)
		v->bytes[i] = bytes;
	return true;
}

/* One access instead of `width`; lets of its parts take the place of loads. */
static void join(struct vectors *v, struct kt_ir_region *to, struct kt_ir_statement *first, int64_t width)
{
	struct kt_ir_module *m = v->module;
	const struct kt_ir_type *type = kt_ir_vector(m, first->place->type, width, 0);
	const struct kt_ir_place *place = type == NULL ? NULL : kt_ir_seen_as(m, first->place, type, type->align);
	struct kt_ir_statement *made = kt_ir_statement_new(m, first->kind, first), *s = first, *next;
	const struct kt_ir_value *parts[4];

	if (place == NULL || made == NULL)
		return;
	made->place = place;
	made->hint = first->hint;
	if (first->kind == KT_IR_S_STORE) {
		for (int64_t i = 0; i < width; i++, s = s->next)
			parts[i] = s->value;
		made->value = kt_ir_construct(m, type, parts, (size_t)width);
		kt_ir_push(to, made);
		return;
	}
	made->symbol = kt_ir_symbol(m, KT_IR_TEMPORARY, type, first->symbol->hint);
	kt_ir_push(to, made);
	for (int64_t i = 0; i < width && !m->failed; i++, s = next) {
		next = s->next;
		s->kind = KT_IR_S_LET;
		s->place = NULL;
		s->hint = (struct kt_ir_hint){.cache = KT_IR_CACHE_NONE};
		s->value = kt_ir_extract(m, kt_ir_read(m, made->symbol), (unsigned)i);
		kt_ir_push(to, s);
	}
}

static bool in_region(struct vectors *v, struct kt_ir_region *region)
{
	struct kt_ir_region made = {NULL, NULL}, *inner;
	bool changed = false;

	for (struct kt_ir_statement *s = region->first, *next; s != NULL && !v->module->failed; s = next) {
		int64_t width = 4;

		while (width > 1 && !are_neighbours(v, s, width))
			width /= 2;
		if (width > 1 && need(v, s->place->pointer, s->place->type->size * (uint64_t)width)) {
			next = s->next;
			for (int64_t i = 1; i < width; i++)
				next = next->next;
			join(v, &made, s, width);
			changed = true;
			continue;
		}
		next = s->next;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			changed |= in_region(v, inner);
		kt_ir_push(&made, s);
	}
	*region = made;
	return changed;
}

bool kt_ir_vectorize(struct kt_ir_module *m, const struct kt_ir_function *kernel, struct kt_ir_statement *branch)
{
	const struct kt_ir_type *word = kt_ir_integer(m, 64, false);
	struct vectors v = {.module = m};

	if (!kt_ir_lets_of(&v.lets, m->arena, m, kernel))
		return kt_ir_fail(m, "out of memory") != NULL;
	if (!in_region(&v, &branch->body))
		return false;
	for (size_t i = 0; i < v.count; i++) {
		const struct kt_ir_value *address = kt_ir_convert(m, v.pointers[i], word, KT_IR_AS_VALUE);
		const struct kt_ir_value *rest =
		    kt_ir_apply(m, KT_IR_AND, address, kt_ir_constant(m, word, (int64_t)v.bytes[i] - 1), NULL);

		branch->value = kt_ir_apply(m, KT_IR_BOTH, branch->value,
					    kt_ir_apply(m, KT_IR_EQ, rest, kt_ir_constant(m, word, 0), NULL), NULL);
	}
	return true;
}
