/* Vector access. */
#include "generation/ir/vector.h"

#include "generation/ir/form.h"
#include "generation/ir/normal.h"
#include "generation/ir/row.h"
#include "generation/ir/walk.h"

enum { WIDEST = 16, MOST_POINTERS = 16 };

struct vectors {
	struct kt_ir_module *module;
	struct kt_ir_lets lets;
	struct kt_ir_row row;   /* in front of the branch */
	struct kt_ir_row outer; /* in front of the loop, where there is one */
	/*
	 * Accesses that begin at a multiple by their form are vectors where their pointers are aligned. Where there is none: those
	 * that lie like the first one of all, wherever that begins.
	 */
	bool is_anywhere, has_first;
	struct kt_ir_form first;
	size_t count; /* what must be aligned, and to how many bytes */
	struct aligned {
		const struct kt_ir_value *pointer;
		/* Of is_anywhere: the first of the accesses; the last one where their index may wrap in between, else NULL. */
		const struct kt_ir_statement *access;
		const struct kt_ir_value *last;
		int64_t width;
		uint64_t bytes;
	} all[MOST_POINTERS];
};

/* Is every number that the form may be a multiple? Also where sums of it wrapped, since it is a power of two. */
static bool is_multiple(const struct kt_ir_form *form, int64_t of)
{
	for (size_t i = 0; i < form->count; i++)
		if (form->terms[i].factor % of != 0)
			return false;
	return form->constant % of == 0;
}

/* May an access of that form begin a vector? */
static bool may_begin(const struct vectors *v, const struct kt_ir_statement *access, const struct kt_ir_form *form, int64_t width)
{
	struct kt_ir_form difference;
	int64_t distance;

	if (!v->is_anywhere)
		return is_multiple(form, width);
	if (kt_ir_elements_past(&v->row, access, width) == NULL)
		return false;
	return !v->has_first || (kt_ir_form_minus(&difference, form, &v->first) &&
				 kt_ir_form_is_constant(&difference, &distance) && distance % width == 0);
}

/* Are these `width` statements accesses to neighbours, of which the first may lie at a multiple of the width? */
static bool are_neighbours(const struct vectors *v, const struct kt_ir_statement *first, struct kt_ir_form *base, int64_t width)
{
	const struct kt_ir_statement *s = first;
	struct kt_ir_form form, difference;
	int64_t distance;

	if (!kt_ir_is_element(first) || first->place->type->size * (uint64_t)width > WIDEST ||
	    !kt_ir_form_of(base, &v->lets, first->place->steps[0].index, true) || !may_begin(v, first, base, width))
		return false;
	for (int64_t i = 0; i < width; i++, s = s->next) {
		if (s == NULL || s->kind != first->kind || !kt_ir_is_element(s) || s->hint.cache != first->hint.cache ||
		    !kt_ir_same(s->place->pointer, first->place->pointer) ||
		    !kt_ir_form_of(&form, &v->lets, s->place->steps[0].index, true) ||
		    !kt_ir_form_minus(&difference, &form, base) || !kt_ir_form_is_constant(&difference, &distance) ||
		    distance != i)
			return false;
	}
	return true;
}

static bool is_same(const struct vectors *v, const struct aligned *one, const struct kt_ir_statement *access)
{
	return kt_ir_same(one->pointer, access->place->pointer) &&
	       (!v->is_anywhere ||
		kt_ir_same(one->access->place->steps[0].index, access->place->steps[0].index));
}

/* The index of the last of `width` accesses where it may not be the first one's plus their distance; NULL: it always is. */
static const struct kt_ir_value *last_of(const struct kt_ir_statement *access, const struct kt_ir_form *form, int64_t width)
{
	if (form->bits >= 64)
		return NULL;
	for (int64_t i = 1; i < width; i++)
		access = access->next;
	return access->place->steps[0].index;
}

/* Its memory must be aligned; false: too much is. */
static bool need(struct vectors *v, const struct kt_ir_statement *access, const struct kt_ir_form *form, int64_t width)
{
	const uint64_t bytes = access->place->type->size * (uint64_t)width;
	size_t i = 0;

	while (i < v->count && !is_same(v, &v->all[i], access))
		i++;
	if (i == MOST_POINTERS)
		return false;
	if (i == v->count) {
		struct kt_ir_statement *kept = kt_ir_statement_new(v->module, access->kind, access);

		if (kept == NULL)
			return false;
		/* Loads become lets. */
		kept->place = access->place;
		v->all[v->count++] = (struct aligned){access->place->pointer, kept, NULL, 0, 0};
	}
	if (v->all[i].bytes < bytes) {
		v->all[i].bytes = bytes;
		v->all[i].width = width;
		v->all[i].last = last_of(access, form, width);
	}
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
		struct kt_ir_form base;
		int64_t width = 4;

		while (width > 1 && !are_neighbours(v, s, &base, width))
			width /= 2;
		if (width > 1 && need(v, s, &base, width)) {
			if (!v->has_first)
				v->first = base;
			v->has_first = true;
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

/* Is the memory of these accesses aligned? Asked in front of what the row is about. */
static const struct kt_ir_value *is_aligned(const struct vectors *v, const struct kt_ir_row *row, const struct aligned *one)
{
	struct kt_ir_module *m = v->module;
	const struct kt_ir_type *word = kt_ir_integer(m, 64, false);
	const struct kt_ir_value *past;

	if (v->is_anywhere)
		past = kt_ir_elements_past(row, one->access, one->width);
	else
		past = kt_ir_apply(m, KT_IR_AND, kt_ir_convert(m, one->pointer, word, KT_IR_AS_VALUE),
				   kt_ir_constant(m, word, (int64_t)one->bytes - 1), NULL);
	return past == NULL ? NULL : kt_ir_apply(m, KT_IR_EQ, past, kt_ir_constant(m, word, 0), NULL);
}

/* Does what is accessed begin as far past a multiple of the width in every iteration of the loop? */
static bool is_steady(const struct vectors *v, const struct aligned *one)
{
	const struct kt_ir_value *counter = kt_ir_read(v->module, v->outer.symbol);
	const struct kt_ir_term *term;
	struct kt_ir_form form;
	int degree;

	if (!v->is_anywhere)
		return true;
	if (counter == NULL || !kt_ir_form_of(&form, &v->lets, one->access->place->steps[0].index, true))
		return false;
	degree = kt_ir_form_degree(&form, counter, &term);
	return degree == 0 || (degree == 1 && term->factor % one->width == 0);
}

/* Does one element follow the other, where an index may wrap in between? NULL: it does not. */
static const struct kt_ir_value *are_in_order(const struct vectors *v, const struct aligned *one)
{
	struct kt_ir_module *m = v->module;
	const struct kt_ir_value *index = one->access->place->steps[0].index, *first, *last;

	if (!v->is_anywhere || one->last == NULL)
		return NULL;
	if (v->outer.symbol != NULL && !kt_ir_may_skip(&v->outer, index) && !kt_ir_may_skip(&v->outer, one->last))
		return NULL;
	first = kt_ir_formed_outside(&v->row, index);
	last = kt_ir_formed_outside(&v->row, one->last);
	if (first == NULL || last == NULL)
		return kt_ir_constant(m, kt_ir_bool(m), 0);
	first = kt_ir_apply(m, KT_IR_ADD, first, kt_ir_constant(m, first->type, one->width - 1), NULL);
	return kt_ir_apply(m, KT_IR_EQ, first, last, NULL);
}

static bool look_ahead(struct vectors *v, const struct kt_ir_ahead *ahead)
{
	if (!kt_ir_row_of(&v->outer, v->module, &v->lets, &ahead->loop->body))
		return false;
	v->outer.symbol = ahead->loop->symbol;
	v->outer.instead = kt_ir_constant(v->module, ahead->loop->symbol->type, 0);
	return true;
}

static void ask_besides(const struct vectors *v, struct kt_ir_statement *asked, const struct kt_ir_value *condition)
{
	asked->value = kt_ir_apply(v->module, KT_IR_BOTH, asked->value, condition, NULL);
}

/* Adds the conditions: those that are the same in every iteration in front of the loop. */
static void ask(struct vectors *v, struct kt_ir_statement *branch, const struct kt_ir_ahead *ahead)
{
	for (size_t i = 0; i < v->count && !v->module->failed; i++) {
		const struct aligned *one = &v->all[i];
		const struct kt_ir_value *once = ahead != NULL && is_steady(v, one) ? is_aligned(v, &v->outer, one) : NULL,
					 *in_order = are_in_order(v, one);

		if (once != NULL)
			ask_besides(v, ahead->aligned, once);
		else
			ask_besides(v, branch, is_aligned(v, &v->row, one));
		if (in_order != NULL)
			ask_besides(v, branch, in_order);
	}
}

bool kt_ir_vectorize(struct kt_ir_module *m, const struct kt_ir_function *kernel, struct kt_ir_statement *branch,
		     const struct kt_ir_ahead *ahead)
{
	struct vectors v = {.module = m};

	if (!kt_ir_lets_of(&v.lets, m->arena, m, kernel))
		return kt_ir_fail(m, "out of memory") != NULL;
	if (!kt_ir_row_of(&v.row, m, &v.lets, &branch->body) || (ahead != NULL && !look_ahead(&v, ahead)))
		return false;
	if (!in_region(&v, &branch->body)) {
		v.is_anywhere = true;
		if (!in_region(&v, &branch->body))
			return false;
	}
	ask(&v, branch, ahead);
	return true;
}
