/*
 * Results of a thread that an array numbers: `float s[4]; for k { for i { s[i] += … } } for i { c[…] = s[i]; }`. The
 * loops whose counters number its elements go, with the counters as digits of one result's number, and the array is one
 * number.
 *
 * Sound where no result needs another one: what a loop over results sets is defined in it, what the kernel stores is in
 * loops over all of them, and nothing that is loaded for one is stored for another. Guards ask that the buffers are disjoint.
 */
#include "generation/ir/product_results.h"

#include "generation/ir/form.h"
#include "generation/ir/walk.h"

enum { MOST_LOOPS = 32, MOST_DEPTH = 24, MOST_ARRAYS = 8, MOST_RESULTS = 1024, MOST_ACCESSES = 16 };

/* A loop over a digit of the number: number / place % count. */
struct digit_loop {
	const struct kt_ir_statement *loop;
	int64_t place, count;
};

struct array {
	const struct kt_ir_symbol *symbol;
	struct kt_ir_symbol *number; /* of one result */
	/* Stores of one value to all elements, one after the other: how many there were, and where. */
	int64_t begun;
	const struct kt_ir_region *list;
	const struct kt_ir_value *value;
};

struct results {
	struct kt_ir_module *module;
	struct kt_ir_product_view *view;
	struct kt_ir_lets lets;
	const struct kt_ir_symbol *item;
	int64_t count; /* 0: no array was found yet */
	size_t array_count, loop_count, depth, load_count, store_count;
	struct array arrays[MOST_ARRAYS];
	struct digit_loop loops[MOST_LOOPS];
	const struct kt_ir_statement *around[MOST_DEPTH]; /* loops around a statement */
	const struct kt_ir_place *loads[MOST_ACCESSES], *stores[MOST_ACCESSES];
};

/* ---- Arrays and their accesses ---- */

static const struct kt_ir_symbol *array_of(const struct kt_ir_place *place)
{
	return place != NULL && place->symbol != NULL && place->symbol->kind == KT_IR_LOCAL_SYMBOL &&
		       place->symbol->is_memory
		   ? place->symbol
		   : NULL;
}

static int64_t elements_of(const struct kt_ir_type *type)
{
	int64_t count = 1;

	for (; type->kind == KT_IR_ARRAY && type->count > 0 && count <= MOST_RESULTS; type = type->element)
		count *= type->count;
	return kt_ir_is_number(type) ? count : 0;
}

static struct array *one_of(struct results *r, const struct kt_ir_symbol *symbol)
{
	for (size_t i = 0; i < r->array_count; i++)
		if (r->arrays[i].symbol == symbol)
			return &r->arrays[i];
	return NULL;
}

/* The array's record; NULL: it numbers no results. */
static struct array *record_of(struct results *r, const struct kt_ir_symbol *symbol)
{
	const int64_t count = elements_of(symbol->type);
	struct array *known = one_of(r, symbol);

	if (known != NULL)
		return known;
	if (count < 2 || count > MOST_RESULTS || symbol->is_volatile || (r->count != 0 && r->count != count) ||
	    r->array_count == MOST_ARRAYS)
		return NULL;
	r->count = count;
	r->arrays[r->array_count] = (struct array){.symbol = symbol};
	return &r->arrays[r->array_count++];
}

/* The number of the element. */
static bool number_of(struct kt_ir_form *sum, const struct results *r, const struct kt_ir_place *place)
{
	int64_t rest = elements_of(place->symbol->type);

	*sum = (struct kt_ir_form){.bits = 128};
	for (size_t i = 0; i < place->count; i++) {
		const struct kt_ir_type *outer = i == 0 ? place->symbol->type : place->steps[i - 1].type;
		struct kt_ir_form one;

		if (place->steps[i].kind != KT_IR_INDEX || outer->kind != KT_IR_ARRAY ||
		    !kt_ir_form_of(&one, &r->lets, place->steps[i].index, false))
			return false;
		rest /= outer->count;
		if (!kt_ir_sum_add(sum, &one, rest))
			return false;
	}
	return rest == 1;
}

/* The loop around whose counter the term is, of which there are *count from zero; NULL: none. */
static const struct kt_ir_statement *loop_of(const struct results *r, const struct kt_ir_term *t, int64_t *count)
{
	int64_t low, step;

	for (size_t i = 0; t->count == 1 && t->atoms[0]->op == KT_IR_READ && i < r->depth; i++) {
		const struct kt_ir_statement *loop = r->around[i];

		if (loop->kind == KT_IR_S_FOR && loop->symbol == t->atoms[0]->symbol && loop->otherwise.first == NULL &&
		    kt_ir_is_constant(loop->value, &low) && kt_ir_is_constant(loop->further[0], count) &&
		    kt_ir_is_constant(loop->further[1], &step) && low == 0 && step == 1 && *count > 0)
			return loop;
	}
	return NULL;
}

static bool mark(struct results *r, const struct kt_ir_statement *loop, int64_t place, int64_t count)
{
	for (size_t i = 0; i < r->loop_count; i++)
		if (r->loops[i].loop == loop)
			return r->loops[i].place == place && r->loops[i].count == count;
	if (r->loop_count == MOST_LOOPS)
		return false;
	r->loops[r->loop_count++] = (struct digit_loop){loop, place, count};
	return true;
}

/* Are the element's digits counters of loops around it, all of them? */
static bool mark_digits(struct results *r, const struct kt_ir_form *number)
{
	int64_t place = 1, count;

	for (size_t found = 0; found < number->count; found++) {
		const struct kt_ir_statement *loop = NULL;

		for (size_t i = 0; i < number->count && loop == NULL; i++)
			if (number->terms[i].factor == place)
				loop = loop_of(r, &number->terms[i], &count);
		if (loop == NULL || !mark(r, loop, place, count))
			return false;
		place *= count;
	}
	return place == r->count;
}

/* A store of the next element's first value. */
static bool begin(struct array *a, const struct results *r, const struct kt_ir_region *list,
		  const struct kt_ir_statement *s, int64_t number)
{
	if (s->kind != KT_IR_S_STORE || number != a->begun || s->value->op != KT_IR_CONSTANT ||
	    (a->begun > 0 && (a->list != list || !kt_ir_same(a->value, s->value))))
		return false;
	a->list = list;
	a->value = s->value;
	a->begun = number + 1 == r->count ? 0 : number + 1;
	return true;
}

static bool note_access(struct results *r, const struct kt_ir_region *list, const struct kt_ir_statement *s)
{
	struct array *a = record_of(r, s->place->symbol);
	struct kt_ir_form number;

	if (a == NULL || (s->kind != KT_IR_S_LOAD && s->kind != KT_IR_S_STORE) || s->hint.is_volatile ||
	    !number_of(&number, r, s->place))
		return false;
	if (number.count == 0)
		return begin(a, r, list, s, number.constant);
	return a->begun == 0 && number.constant == 0 && mark_digits(r, &number);
}

static bool has_no_address(const struct kt_ir_value *v, void *context)
{
	(void)context;
	return v->op != KT_IR_ADDRESS || array_of(v->place) == NULL;
}

static bool note_all(struct results *r, const struct kt_ir_region *region)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		const size_t depth = r->depth;

		if (array_of(s->place) != NULL && !note_access(r, region, s))
			return false;
		if (!kt_ir_visit_values(s, has_no_address, NULL) || depth == MOST_DEPTH)
			return false;
		if (s->kind == KT_IR_S_FOR)
			r->around[r->depth++] = s;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			if (!note_all(r, inner))
				return false;
		r->depth = depth;
	}
	return true;
}

/* ---- Results that do not need each other ---- */

/* Loops over digits around a statement: the innermost one, and how many results they count together. */
struct inside {
	const struct kt_ir_statement *innermost;
	int64_t count;
	size_t depth;
	const struct digit_loop *loops[MOST_DEPTH];
};

static const struct digit_loop *digit_of(const struct results *r, const struct kt_ir_statement *loop)
{
	for (size_t i = 0; i < r->loop_count; i++)
		if (r->loops[i].loop == loop)
			return &r->loops[i];
	return NULL;
}

static bool enter(struct inside *in, const struct digit_loop *digit)
{
	for (size_t i = 0; i < in->depth; i++)
		if (digit->place < in->loops[i]->place * in->loops[i]->count &&
		    in->loops[i]->place < digit->place * digit->count)
			return false;
	if (in->depth == MOST_DEPTH || kt_ir_leaves(&digit->loop->body) ||
	    kt_ir_jumps(&digit->loop->body, KT_IR_S_CONTINUE))
		return false;
	in->loops[in->depth++] = digit;
	in->innermost = digit->loop;
	in->count *= digit->count;
	return true;
}

static bool note_place(const struct kt_ir_place **list, size_t *count, const struct kt_ir_place *place)
{
	if (*count == MOST_ACCESSES)
		return false;
	list[(*count)++] = place;
	return true;
}

static bool is_separate_here(struct results *r, const struct kt_ir_statement *s, const struct inside *in)
{
	struct kt_ir_form number;

	switch (s->kind) {
	case KT_IR_S_LET:
	case KT_IR_S_IF:
	case KT_IR_S_FOR:
	case KT_IR_S_DECLARE:
		return true;
	case KT_IR_S_SET:
		return in->innermost == NULL || kt_ir_defines(&in->innermost->body, s->symbol);
	case KT_IR_S_LOAD:
		return array_of(s->place) != NULL ||
		       (!s->hint.is_volatile && note_place(r->loads, &r->load_count, s->place));
	case KT_IR_S_STORE:
		if (array_of(s->place) == NULL)
			return in->count == r->count && !s->hint.is_volatile &&
			       note_place(r->stores, &r->store_count, s->place);
		return in->innermost == NULL || (number_of(&number, r, s->place) && number.count > 0);
	default:
		return false;
	}
}

static bool is_separate(struct results *r, const struct kt_ir_region *region, const struct inside *in)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		const struct digit_loop *digit = digit_of(r, s);
		struct inside within = *in;

		if (!is_separate_here(r, s, in) || (digit != NULL && !enter(&within, digit)))
			return false;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			if (!is_separate(r, inner, &within))
				return false;
	}
	return true;
}

/* What is loaded for a result is at the place that is stored for it, always, or in another buffer; so is what else is stored. */
static bool is_apart(struct results *r)
{
	for (size_t k = 0; k < r->store_count; k++) {
		for (size_t i = 0; i < r->load_count; i++)
			if (!(kt_ir_same_place(r->loads[i], r->stores[k]) && kt_ir_is_steady_place(&r->lets, r->loads[i])) &&
			    !kt_ir_note_apart(&r->view->apart, r->loads[i], r->stores[k]))
				return false;
		for (size_t i = 0; i < k; i++)
			if (!kt_ir_note_apart(&r->view->apart, r->stores[i], r->stores[k]))
				return false;
	}
	return true;
}

/* ---- One result ---- */

/* number / place % count. */
static const struct kt_ir_value *digit_value(const struct results *r, const struct digit_loop *digit)
{
	struct kt_ir_module *m = r->module;
	const struct kt_ir_value *v = kt_ir_read(m, r->item);

	if (digit->place > 1)
		v = kt_ir_apply(m, KT_IR_DIV, v, kt_ir_constant(m, r->item->type, digit->place), NULL);
	if (digit->place * digit->count < r->count)
		v = kt_ir_apply(m, KT_IR_REM, v, kt_ir_constant(m, r->item->type, digit->count), NULL);
	return kt_ir_convert(m, v, digit->loop->symbol->type, KT_IR_AS_VALUE);
}

/* An access to an array becomes one to its number; false: it goes, being a later store of a first value. */
static bool narrow(struct results *r, struct kt_ir_statement *s)
{
	const struct array *a = s->kind == KT_IR_S_DECLARE   ? one_of(r, s->symbol)
				: array_of(s->place) != NULL ? one_of(r, s->place->symbol)
							     : NULL;
	struct kt_ir_form number;

	if (a == NULL)
		return true;
	if (s->kind == KT_IR_S_STORE && number_of(&number, r, s->place) && number.count == 0 && number.constant > 0)
		return false;
	if (s->kind == KT_IR_S_LOAD) {
		s->kind = KT_IR_S_LET;
		s->value = kt_ir_read(r->module, a->number);
	} else {
		s->kind = s->kind == KT_IR_S_STORE ? KT_IR_S_SET : s->kind;
		s->symbol = a->number;
	}
	s->place = NULL;
	return true;
}

static void take_one(struct results *r, struct kt_ir_region *region)
{
	struct kt_ir_region kept = {NULL, NULL}, *inner;

	for (struct kt_ir_statement *s = region->first, *next; s != NULL && !r->module->failed; s = next) {
		const struct digit_loop *digit = digit_of(r, s);

		next = s->next;
		if (!narrow(r, s))
			continue;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			take_one(r, inner);
		if (digit == NULL) {
			kt_ir_push(&kept, s);
			continue;
		}
		(void)kt_ir_substitute(r->module, &s->body, s->symbol, digit_value(r, digit));
		kt_ir_splice(&kept, &s->body);
	}
	*region = kept;
}

static bool has_begun(const struct results *r)
{
	for (size_t i = 0; i < r->array_count; i++)
		if (r->arrays[i].begun != 0)
			return true;
	return false;
}

static const struct kt_ir_type *number_type(const struct kt_ir_type *type)
{
	while (type->kind == KT_IR_ARRAY)
		type = type->element;
	return type;
}

bool kt_ir_product_separate(struct kt_ir_product_view *view, struct kt_ir_product_items *items, struct kt_ir_module *m)
{
	struct kt_ir_region *body = &m->last_function->body;
	struct results r = {.module = m, .view = view};
	const struct inside outside = {.count = 1};

	*items = (struct kt_ir_product_items){NULL, 1};
	if (!kt_ir_lets_of(&r.lets, m->arena, m, m->last_function) || !note_all(&r, body) || has_begun(&r))
		return false;
	if (r.array_count == 0)
		return true;
	if (!is_separate(&r, body, &outside) || !is_apart(&r))
		return false;
	r.item = kt_ir_symbol(m, KT_IR_TEMPORARY, kt_ir_integer(m, 32, false), "result");
	for (size_t i = 0; i < r.array_count && !m->failed; i++)
		r.arrays[i].number = kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, number_type(r.arrays[i].symbol->type),
						  r.arrays[i].symbol->hint);
	if (m->failed)
		return false;
	take_one(&r, body);
	*items = (struct kt_ir_product_items){r.item, r.count};
	return !m->failed;
}
