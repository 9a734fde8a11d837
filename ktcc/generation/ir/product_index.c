/*
 * Digits (product_digits.c) as indices of a tile. What is stored is at a sum of digits times factors. Those with one stride, each of
 * whose factors is the one before times its count, are one index: `row = (thread.x / 8) * 4 + number / 4` counts every row once. So
 * the digit of the least factor is the index minus the others, and these must cancel wherever they are.
 */
#include "generation/ir/normal.h"
#include "generation/ir/product_digits.h"
#include "generation/ir/walk.h"

enum { X, Y, Z, MOST_THREADS = 1024, MOST_EXTENT = 4096 };

static bool find_stored(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_digits *d = context;

	if (s->kind == KT_IR_S_STORE && d->stored == NULL && s->place->pointer != NULL && s->place->count > 0 &&
	    s->place->steps[0].kind == KT_IR_INDEX)
		d->stored = s->place;
	return true;
}

/* The term's atoms but this one. */
static struct kt_ir_term without(const struct kt_ir_term *t, const struct kt_ir_value *atom)
{
	struct kt_ir_term rest = {.factor = 1};

	for (unsigned i = 0; i < t->count; i++)
		if (!kt_ir_same(t->atoms[i], atom))
			rest.atoms[rest.count++] = t->atoms[i];
	return rest;
}

static bool same_stride(const struct kt_ir_term *a, const struct kt_ir_term *b)
{
	const struct kt_ir_form one = {.count = 1, .terms = {*a}};

	return kt_ir_form_term(&one, b->atoms, b->count) != NULL;
}

static bool place_digits(struct kt_ir_digits *d, const struct kt_ir_form *stored)
{
	for (size_t i = 0; i < d->digit_count; i++) {
		const struct kt_ir_value *read = d->digits[i].atom;
		const struct kt_ir_term *t;

		if (kt_ir_form_degree(stored, read, &t) != 1 || t->factor <= 0 || t->factor > INT32_MAX)
			return false;
		d->digits[i].factor = t->factor;
		d->digits[i].stride = without(t, read);
		d->digits[i].index = -1;
	}
	return true;
}

static bool is_argument(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_digits *d = context;

	return v->op != KT_IR_READ || (v->symbol->kind == KT_IR_ARGUMENT && kt_ir_is_steady(&d->lets, v));
}

/* Do results of a thread differ by their digits alone: is all else the same for them, whatever was loaded, and in all iterations? */
static bool is_of_digits(struct kt_ir_digits *d, const struct kt_ir_form *form)
{
	for (size_t i = 0; i < form->count; i++)
		for (unsigned k = 0; k < form->terms[i].count; k++)
			if (!kt_ir_visit_value(form->terms[i].atoms[k], is_argument, d))
				return false;
	return true;
}

/* Are results of a thread at different places, by what is known of the first store? None is longer than an element. */
static bool is_placed_alike(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_digits *d = context;
	const struct kt_ir_place *place = s->place;
	struct kt_ir_form form;
	const struct kt_ir_term *t;

	if (s->kind != KT_IR_S_STORE || d->items->count == 1)
		return true;
	if (place->pointer == NULL || place->count == 0 || place->steps[0].kind != KT_IR_INDEX ||
	    place->type->size > place->steps[0].type->size || !kt_ir_form_of(&form, &d->lets, place->steps[0].index, false) ||
	    !is_of_digits(d, &form))
		return false;
	for (size_t i = 0; i < d->digit_count; i++) {
		const struct kt_ir_value *read = d->digits[i].atom;
		struct kt_ir_term stride;

		if (kt_ir_form_degree(&form, read, &t) != 1 || t->factor != d->digits[i].factor)
			return false;
		stride = without(t, read);
		if (!same_stride(&stride, &d->digits[i].stride))
			return false;
	}
	return true;
}

/* The digit of the least factor, and of the fewest atoms, that no index has. */
static struct kt_ir_digit *least(struct kt_ir_digits *d)
{
	struct kt_ir_digit *found = NULL;

	for (struct kt_ir_digit *digit = d->digits; digit < d->digits + d->digit_count; digit++)
		if (digit->index < 0 && (found == NULL || digit->stride.count < found->stride.count ||
					 (digit->stride.count == found->stride.count && digit->factor < found->factor)))
			found = digit;
	return found;
}

static struct kt_ir_digit *follower(struct kt_ir_digits *d, const struct kt_ir_digit_index *index)
{
	const struct kt_ir_digit *first = index->digits[0];

	for (struct kt_ir_digit *digit = d->digits; digit < d->digits + d->digit_count; digit++)
		if (digit->index < 0 && digit->factor == first->factor * index->extent &&
		    same_stride(&digit->stride, &first->stride))
			return digit;
	return NULL;
}

/* Digits along one index after the other. */
static bool find_indices(struct kt_ir_digits *d)
{
	for (struct kt_ir_digit *digit = least(d); digit != NULL; digit = least(d)) {
		struct kt_ir_digit_index *index = &d->indices[d->index_count];

		if (d->index_count == 2)
			return false;
		index->extent = 1;
		for (; digit != NULL && index->extent <= MOST_EXTENT; digit = follower(d, index)) {
			digit->index = (int)d->index_count;
			index->digits[index->count++] = digit;
			index->extent *= digit->count;
		}
		d->index_count++;
	}
	return d->index_count > 0;
}

/* The dimension of the grid whose blocks go on where the index ends; -1: none does. */
static int dimension_of(const struct kt_ir_digits *d, const struct kt_ir_digit_index *index, const struct kt_ir_form *stored)
{
	const struct kt_ir_digit *first = index->digits[0];

	for (unsigned k = 0; k < 2; k++) {
		const struct kt_ir_value *block = kt_ir_axis(d->module, KT_IR_BLOCK, k);

		for (size_t i = 0; i < stored->count; i++) {
			const struct kt_ir_term rest = without(&stored->terms[i], block);

			if (rest.count + 1 == stored->terms[i].count &&
			    stored->terms[i].factor == first->factor * index->extent &&
			    same_stride(&rest, &first->stride))
				return (int)k;
		}
	}
	return -1;
}

/* Neighbours in memory are along x. */
static bool find_dimensions(struct kt_ir_digits *d, const struct kt_ir_form *stored)
{
	int found[2] = {-1, -1};

	for (size_t i = 0; i < d->index_count; i++)
		found[i] = dimension_of(d, &d->indices[i], stored);
	for (size_t i = 0; i < d->index_count; i++)
		if (found[i] < 0)
			found[i] = d->index_count == 2 && found[1 - i] >= 0 ? 1 - found[1 - i] : (int)i;
	for (size_t i = 0; i < d->index_count; i++)
		d->indices[i].dimension = (unsigned)found[i];
	return found[0] == X && (d->index_count < 2 || found[1] == Y);
}

/* ---- One index in the digits' place ---- */

static bool add(struct kt_ir_form *to, struct kt_ir_term term, int64_t factor)
{
	return !__builtin_mul_overflow(term.factor, factor, &term.factor) && kt_ir_sum_add_term(to, &term);
}

static struct kt_ir_term with(const struct kt_ir_term *t, unsigned at, const struct kt_ir_value *atom)
{
	struct kt_ir_term made = *t;

	made.atoms[at] = atom;
	return made;
}

static const struct kt_ir_digit *digit_of(const struct kt_ir_digits *d, const struct kt_ir_value *v)
{
	return v->op == KT_IR_AXIS && v->dimension >= KT_IR_DIMENSIONS ? &d->digits[v->dimension - KT_IR_DIMENSIONS] : NULL;
}

/* The term with the index in place of its digit. */
static bool replace_term(struct kt_ir_form *made, const struct kt_ir_digits *d, const struct kt_ir_term *t)
{
	for (unsigned i = 0; i < t->count; i++) {
		const struct kt_ir_digit *digit = digit_of(d, t->atoms[i]);
		const struct kt_ir_digit_index *index = digit == NULL ? NULL : &d->indices[digit->index];
		struct kt_ir_term one;

		if (digit == NULL || index->digits[0] != digit)
			continue;
		one = with(t, i, kt_ir_axis(d->module, KT_IR_THREAD, index->dimension));
		if (!add(made, one, 1))
			return false;
		for (size_t k = 1; k < index->count; k++) {
			one = with(t, i, index->digits[k]->atom);
			if (!add(made, one, -(index->digits[k]->factor / digit->factor)))
				return false;
		}
		return true;
	}
	return add(made, *t, 1);
}

static bool has_digit(const struct kt_ir_digits *d, const struct kt_ir_form *form)
{
	for (size_t i = 0; i < form->count; i++)
		for (unsigned k = 0; k < form->terms[i].count; k++)
			if (digit_of(d, form->terms[i].atoms[k]) != NULL)
				return true;
	return false;
}

/* A sum of digits that is one of indices alone. What a let holds is replaced there, where that is one. */
static const struct kt_ir_value *joined(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_digits *d = context;
	struct kt_ir_form form, made = {.bits = 128};

	if (v->type->kind != KT_IR_INTEGER || v->type->bits < 32 || v->type->bits > 64 || v->op == KT_IR_CONSTANT ||
	    v->op == KT_IR_READ ||
	    !kt_ir_form_of(&form, &d->lets, v, false) || form.bits < v->type->bits || !has_digit(d, &form))
		return v;
	made.constant = form.constant;
	for (size_t i = 0; i < form.count; i++)
		if (!replace_term(&made, d, &form.terms[i]))
			return v;
	return has_digit(d, &made) ? v : kt_ir_fold_all(d->module, kt_ir_sum_value(d->module, &made, v->type));
}

static bool is_no_digit(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_digits *d = context;

	return digit_of(d, v) == NULL && !(v->op == KT_IR_READ && v->symbol == d->items->number);
}

/* Columns of a row end before the next row begins, so that results of a thread are at different places. */
static bool assume_rows(struct kt_ir_digits *d)
{
	struct kt_ir_module *m = d->module;
	const struct kt_ir_type *wide = kt_ir_integer(m, 64, true);
	const struct kt_ir_digit *inner = d->indices[0].digits[0], *outer = d->indices[1].digits[0];
	const int64_t length = inner->factor * d->indices[0].extent;
	const struct kt_ir_value *stride;

	if (d->index_count < 2 || d->items->count == 1 || (outer->stride.count == 0 && length <= outer->factor))
		return true;
	if (inner->stride.count != 0 || outer->stride.count == 0 || d->view->assumed_count == KT_IR_VIEW_MOST_ASSUMED)
		return false;
	stride = kt_ir_constant(m, wide, outer->factor);
	for (unsigned i = 0; i < outer->stride.count; i++) {
		const struct kt_ir_value *one = kt_ir_convert(m, outer->stride.atoms[i], wide, KT_IR_AS_VALUE);

		stride = kt_ir_no_wrap(m, kt_ir_apply(m, KT_IR_MUL, one, stride, NULL));
	}
	d->view->assumed[d->view->assumed_count++] =
	    kt_ir_apply(m, KT_IR_LE, kt_ir_constant(m, wide, length), kt_ir_fold_all(m, stride), NULL);
	return true;
}

bool kt_ir_product_join_digits(struct kt_ir_product_view *view, struct kt_ir_module *m, const struct kt_ir_product_items *items)
{
	struct kt_ir_region *body = &m->last_function->body;
	struct kt_ir_digits d = {.module = m, .view = view, .items = items, .extents = {view->block[X], view->block[Y], view->block[Z], items->count}};
	struct kt_ir_form stored;

	if (view->block[X] <= 0 || view->block[Y] <= 0 || view->block[Z] != 1 || view->block[X] * view->block[Y] > MOST_THREADS ||
	    !kt_ir_find_digits(&d))
		return false;
	(void)kt_ir_visit(body, find_stored, &d);
	if (d.stored == NULL || !kt_ir_form_of(&stored, &d.lets, d.stored->steps[0].index, false) || !place_digits(&d, &stored) ||
	    !kt_ir_visit(body, is_placed_alike, &d) || !find_indices(&d) || !find_dimensions(&d, &stored) || !assume_rows(&d))
		return false;
	(void)kt_ir_rewrite_region(m, body, joined, &d);
	while (!m->failed && kt_ir_normalise_by(m, KT_IR_N_DEAD, NULL))
		continue;
	if (m->failed || !kt_ir_visit_all(body, is_no_digit, &d))
		return false;
	view->block[X] = view->block[Y] = 1;
	for (size_t i = 0; i < d.index_count; i++)
		view->block[d.indices[i].dimension] = d.indices[i].extent;
	return true;
}
