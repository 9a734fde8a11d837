/*
 * Private arrays that a loop fills, and that what follows it reads: `for i { row[i] = a[…] } for r { for c { s[r][c] +=
 * row[r] * … } }`. Each read becomes what the loop stores there. What it loads is not written in between.
 */
#include "generation/ir/product_results.h"
#include "generation/ir/bounds.h"
#include "generation/ir/walk.h"

/* MOST_COPIED: statements, of all reads together. */
enum { MOST_LOOPS = 4, MOST_COPIED = 4096 };

/* A loop of those that fill the array, and its counter's part in the number of the element: number / place % count. */
struct filling {
	const struct kt_ir_statement *loop;
	int64_t place, count;
};

struct forwarding {
	struct kt_ir_module *module;
	struct kt_ir_lets lets;
	struct kt_ir_bounds bounds;
	size_t copied;     /* statements so far */
	size_t loop_count; /* one in the other, the outermost first */
	struct filling loops[MOST_LOOPS];
	const struct kt_ir_region *body; /* of the innermost */
	const struct kt_ir_statement *store;
	const struct kt_ir_symbol *array;
};

static const struct kt_ir_symbol *private_array(const struct kt_ir_place *place)
{
	return place != NULL && place->symbol != NULL && place->symbol->kind == KT_IR_LOCAL_SYMBOL &&
		       place->symbol->is_memory && place->symbol->type->kind == KT_IR_ARRAY &&
		       !place->symbol->is_volatile && place->count == 1 && place->steps[0].kind == KT_IR_INDEX
		   ? place->symbol
		   : NULL;
}

/* ---- What fills an array ---- */

/* Is the statement part of loops that only compute, load through pointers, and fill private arrays? */
static bool is_plain(struct kt_ir_statement *s, void *context)
{
	const struct forwarding *f = context;

	switch (s->kind) {
	case KT_IR_S_LET:
	case KT_IR_S_DECLARE:
	case KT_IR_S_IF:
		return true;
	case KT_IR_S_LOAD:
		return s->place->symbol == NULL || s->place->symbol->kind == KT_IR_CONSTANT_SYMBOL;
	case KT_IR_S_SET:
		return kt_ir_defines(f->body, s->symbol);
	case KT_IR_S_STORE:
		return private_array(s->place) != NULL;
	default:
		return false;
	}
}

static bool is_counter(const struct forwarding *f, const struct kt_ir_symbol *symbol)
{
	for (size_t i = 0; i < f->loop_count; i++)
		if (f->loops[i].loop->symbol == symbol)
			return true;
	return false;
}

/* Values of the loops are the same after them: they read what is defined in them, or never changes. */
static bool is_kept(const struct kt_ir_value *v, void *context)
{
	const struct forwarding *f = context;

	if (v->op == KT_IR_ADDRESS)
		return false;
	return v->op != KT_IR_READ || is_counter(f, v->symbol) || kt_ir_defines(f->body, v->symbol) || kt_ir_is_steady(&f->lets, v);
}

/* The loop, which counts up from zero, with what is in it; its body where that is not one loop alone. */
static bool enter(struct forwarding *f, const struct kt_ir_statement *loop)
{
	int64_t low, count, step;

	if (loop->kind != KT_IR_S_FOR || loop->otherwise.first != NULL || f->loop_count == MOST_LOOPS || !kt_ir_is_constant(loop->value, &low) ||
	    !kt_ir_is_constant(loop->further[0], &count) || !kt_ir_is_constant(loop->further[1], &step) || low != 0 || count < 1 || step != 1)
		return false;
	f->loops[f->loop_count++] = (struct filling){loop, 0, count};
	f->body = &loop->body;
	return loop->body.first == NULL || loop->body.first != loop->body.last || loop->body.first->kind != KT_IR_S_FOR ||
	       enter(f, loop->body.first);
}

/* Is the number of the element made of all counters, each element once? */
static bool place_counters(struct forwarding *f, const struct kt_ir_value *index)
{
	struct kt_ir_form number;
	int64_t place = 1;

	if (!kt_ir_form_of(&number, &f->lets, index, false) || number.constant != 0 || number.count != f->loop_count)
		return false;
	for (size_t found = 0; found < f->loop_count; found++) {
		struct filling *next = NULL;

		for (size_t i = 0; i < f->loop_count && next == NULL; i++) {
			const struct kt_ir_value *counter = kt_ir_read(f->module, f->loops[i].loop->symbol);
			const struct kt_ir_term *t = kt_ir_form_term(&number, &counter, 1);

			if (t == NULL)
				return false;
			if (t->factor == place && f->loops[i].place == 0)
				next = &f->loops[i];
		}
		if (next == NULL)
			return false;
		next->place = place;
		place *= next->count;
	}
	return place == f->array->type->count;
}

static bool stores_nothing(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return s->kind != KT_IR_S_STORE;
}

/*
 * Do the loops store to each element of the array once, by the statement `store`? What is stored to other arrays is not run again, hence in no
 * branch.
 */
static bool fills(struct forwarding *f, const struct kt_ir_statement *store)
{
	f->store = store;
	f->array = store->kind == KT_IR_S_STORE ? private_array(store->place) : NULL;
	for (size_t i = 0; i < f->loop_count; i++)
		f->loops[i].place = 0;
	if (f->array == NULL || !place_counters(f, store->place->steps[0].index) || !kt_ir_visit(f->body, is_plain, f) ||
	    !kt_ir_visit_all(f->body, is_kept, f))
		return false;
	for (const struct kt_ir_statement *s = f->body->first; s != NULL; s = s->next)
		if (s->kind == KT_IR_S_STORE ? s != store && s->place->symbol == f->array : !kt_ir_visit_alone(s, stores_nothing, NULL))
			return false;
	return true;
}

/* ---- What reads it ---- */

static bool is_within(const struct forwarding *f, const struct kt_ir_form *form, int64_t count)
{
	const struct kt_ir_range range = kt_ir_range_of_form(&f->bounds, form);

	return range.least >= 0 && range.greatest < count;
}

/*
 * The part of the number that is a counter's, where terms of lesser factors are less than its place, it is less than its count, and those of greater
 * ones are multiples of both.
 */
static bool part_of(struct kt_ir_form *part, const struct forwarding *f, const struct filling *l, const struct kt_ir_value *index)
{
	struct kt_ir_form number, low = {.bits = 128};

	*part = (struct kt_ir_form){.bits = 128};
	if (!kt_ir_form_of(&number, &f->lets, index, false) || number.constant != 0)
		return false;
	for (size_t i = 0; i < number.count; i++) {
		struct kt_ir_term t = number.terms[i];

		if (t.factor < l->place) {
			if (!kt_ir_sum_add_term(&low, &t))
				return false;
		} else if (t.factor < l->place * l->count) {
			if (t.factor % l->place != 0)
				return false;
			t.factor /= l->place;
			if (!kt_ir_sum_add_term(part, &t))
				return false;
		} else if (t.factor % (l->place * l->count) != 0) {
			return false;
		}
	}
	return is_within(f, &low, l->place) && is_within(f, part, l->count);
}

/* number / place % count; NULL: out of memory. */
static const struct kt_ir_value *counter_at(const struct forwarding *f, const struct filling *l, const struct kt_ir_value *index)
{
	struct kt_ir_module *m = f->module;
	struct kt_ir_form part;

	if (f->loop_count > 1 && part_of(&part, f, l, index))
		return kt_ir_sum_value(m, &part, l->loop->symbol->type);
	if (f->loop_count > 1) {
		index = kt_ir_apply(m, KT_IR_DIV, index, kt_ir_constant(m, index->type, l->place), NULL);
		index = kt_ir_apply(m, KT_IR_REM, index, kt_ir_constant(m, index->type, l->count), NULL);
	}
	return kt_ir_convert(m, index, l->loop->symbol->type, KT_IR_AS_VALUE);
}

/* The statements before the store, for the element that is read, and the value. */
static const struct kt_ir_value *again(const struct forwarding *f, struct kt_ir_region *to, const struct kt_ir_value *index)
{
	struct kt_ir_cloner c;

	if (!kt_ir_cloner_start(&c, f->module, NULL, NULL))
		return NULL;
	for (size_t i = 0; i < f->loop_count; i++)
		c.values[f->loops[i].loop->symbol->id] = counter_at(f, &f->loops[i], index);
	for (const struct kt_ir_statement *s = f->body->first; s != f->store && !f->module->failed; s = s->next)
		if (s->kind != KT_IR_S_STORE)
			(void)kt_ir_clone_statement(&c, to, s);
	return kt_ir_clone_value(&c, f->store->value);
}

static bool note_copied(struct kt_ir_statement *s, void *context)
{
	struct forwarding *f = context;

	(void)s;
	return ++f->copied <= MOST_COPIED;
}

static void read_all(struct forwarding *f, struct kt_ir_region *region);

/* Reads in a statement of the region, which is after `before`. */
static void read_again(struct forwarding *f, struct kt_ir_region *region, struct kt_ir_statement *before,
		       struct kt_ir_statement *s)
{
	struct kt_ir_region made = {NULL, NULL}, *inner;

	for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
		read_all(f, inner);
	if (s->kind != KT_IR_S_LOAD || private_array(s->place) != f->array || !kt_ir_visit(f->body, note_copied, f))
		return;
	s->value = again(f, &made, s->place->steps[0].index);
	s->kind = KT_IR_S_LET;
	s->place = NULL;
	(void)kt_ir_insert(region, before, &made);
}

static void read_all(struct forwarding *f, struct kt_ir_region *region)
{
	struct kt_ir_statement *before = NULL;

	for (struct kt_ir_statement *s = region->first; s != NULL && !f->module->failed; before = s, s = s->next)
		read_again(f, region, before, s);
}

/* What the loop loads is written neither to, nor is the array filled otherwise. */
static bool writes_nothing(struct kt_ir_statement *s, void *context)
{
	const struct forwarding *f = context;

	switch (s->kind) {
	case KT_IR_S_STORE:
		return s->place->symbol != NULL && s->place->symbol->kind == KT_IR_LOCAL_SYMBOL &&
		       s->place->symbol != f->array;
	case KT_IR_S_LET:
	case KT_IR_S_LOAD:
	case KT_IR_S_SET:
	case KT_IR_S_DECLARE:
	case KT_IR_S_IF:
	case KT_IR_S_FOR:
		return true;
	default:
		return false;
	}
}

static void forward(struct forwarding *f, struct kt_ir_region *region, struct kt_ir_statement *loop)
{
	struct kt_ir_statement *before = loop;

	for (struct kt_ir_statement *s = loop->next; s != NULL && kt_ir_visit_alone(s, writes_nothing, f);
	     before = s, s = s->next)
		read_again(f, region, before, s);
}

static void forward_in(struct forwarding *f, struct kt_ir_region *region)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *loop = region->first; loop != NULL && !f->module->failed; loop = loop->next) {
		for (size_t i = 0; (inner = kt_ir_region_of(loop, i)) != NULL; i++)
			forward_in(f, inner);
		f->loop_count = 0;
		for (const struct kt_ir_statement *s = enter(f, loop) ? f->body->first : NULL; s != NULL; s = s->next)
			if (fills(f, s))
				forward(f, region, loop);
	}
}

/* ---- Arrays that nothing reads any more ---- */

struct unread {
	bool *is_read; /* by symbol id */
};

static bool note_read(struct kt_ir_statement *s, void *context)
{
	struct unread *u = context;

	if (s->kind != KT_IR_S_STORE && s->place != NULL && s->place->symbol != NULL)
		u->is_read[s->place->symbol->id] = true;
	return true;
}

static bool note_address(const struct kt_ir_value *v, void *context)
{
	struct unread *u = context;

	if (v->place != NULL && v->place->symbol != NULL)
		u->is_read[v->place->symbol->id] = true;
	return true;
}

static bool is_read(struct kt_ir_statement *s, void *context)
{
	const struct unread *u = context;

	return s->kind != KT_IR_S_STORE || private_array(s->place) == NULL || u->is_read[s->place->symbol->id];
}

void kt_ir_product_forward(struct kt_ir_module *m, const int64_t block[3])
{
	struct kt_ir_region *body = &m->last_function->body;
	struct forwarding f = {.module = m};
	struct unread u;

	if (!kt_ir_lets_of(&f.lets, m->arena, m, m->last_function) || !kt_ir_bounds_of(&f.bounds, m->arena, m, &f.lets, block))
		return;
	forward_in(&f, body);
	u.is_read = kt_arena_array(m->arena, m->next_id + 1, sizeof *u.is_read);
	if (u.is_read == NULL)
		return;
	(void)kt_ir_visit(body, note_read, &u);
	(void)kt_ir_visit_all(body, note_address, &u);
	(void)kt_ir_filter(body, is_read, &u);
}
