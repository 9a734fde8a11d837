/* Which accesses of distributed loops keep their order. */
#include "generation/ir/distributed_parts.h"

#include "generation/ir/effect.h"
#include "generation/ir/independent.h"
#include "generation/ir/walk.h"

static bool keeps_value(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_parts *p = context;

	return v->op != KT_IR_READ || (v->symbol->kind == KT_IR_ARGUMENT ? p->lets->sets[v->symbol->id] == 0
									 : !p->varies[v->symbol->id]);
}

/* A multiple of the value that is below 2^62: of a signed number of 32 bits with such a number, or with a small constant. */
static bool is_multiple(const struct kt_ir_term *term, const struct kt_ir_value *of)
{
	const int64_t most = term->count == 1 ? 1 << 30 : 1;
	bool is_one = false;

	for (unsigned k = 0; of != NULL && k < term->count; k++) {
		const struct kt_ir_type *type = term->atoms[k]->type;

		if (type->kind != KT_IR_INTEGER || type->bits > 32 || !type->is_signed)
			return false;
		is_one = is_one || kt_ir_same(term->atoms[k], of);
	}
	return is_one && term->count <= 2 && term->factor <= most && term->factor >= -most;
}

static bool is_alike(const struct kt_ir_term *term, const struct kt_ir_parts *p)
{
	for (unsigned k = 0; k < term->count; k++)
		if (!kt_ir_visit_value(term->atoms[k], keeps_value, (void *)(uintptr_t)p))
			return false;
	return true;
}

/* Where an access begins: an element of what a symbol is or a pointer leads to, in numbers of elements of `unit` bytes. */
struct element {
	const struct kt_ir_symbol *symbol;
	const struct kt_ir_value *pointer, *index;
	uint64_t unit, bytes; /* bytes that are accessed from there on */
	struct kt_ir_form rest; /* of the index: what all iterations have alike */
	int64_t factor;         /* of the loop's counter */
};

static const struct kt_ir_value *behind_conversions(const struct kt_ir_parts *p, const struct kt_ir_value *pointer)
{
	for (;;) {
		const struct kt_ir_value *v = kt_ir_behind_let(p->lets, pointer);

		if (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->arguments[0]->type->kind == KT_IR_POINTER)
			v = v->arguments[0];
		if (v == pointer)
			return v;
		pointer = v;
	}
}

static bool is_alike_value(const struct kt_ir_parts *p, const struct kt_ir_value *v)
{
	return kt_ir_visit_value(v, keeps_value, (void *)(uintptr_t)p);
}

/* Bytes that an access has from its element on: after its first index no other one may lead out of the element. */
static bool has_size(struct element *e, const struct kt_ir_place *place)
{
	bool is_seen = false;

	for (size_t i = 1; i < place->count; i++) {
		is_seen = is_seen || place->steps[i].kind == KT_IR_SEEN_AS;
		if (is_seen && place->steps[i].kind == KT_IR_INDEX)
			return false;
	}
	e->unit = place->steps[0].type->size;
	e->bytes = is_seen && place->type->size > e->unit ? place->type->size : e->unit;
	return e->unit > 0;
}

/*
 * `x[4 * i]`, or that as a vector: `*(float4 *)&x[4 * i]`, whose address is an index of its array; and `v[i]`, where v is a pointer
 * that all iterations have alike.
 */
static bool begin_of(struct element *e, const struct kt_ir_parts *p, const struct kt_ir_place *place)
{
	const struct kt_ir_value *pointer = place->pointer;

	if (place->count > 0) {
		e->symbol = place->symbol;
		e->pointer = pointer;
		e->index = place->steps[0].index;
		return place->steps[0].kind == KT_IR_INDEX && has_size(e, place) && (pointer == NULL || is_alike_value(p, pointer));
	}
	pointer = pointer == NULL ? NULL : behind_conversions(p, pointer);
	if (pointer == NULL || pointer->op != KT_IR_ADDRESS || pointer->place->count != 1 || !begin_of(e, p, pointer->place))
		return false;
	e->bytes = place->type->size > e->unit ? place->type->size : e->unit;
	return true;
}

/*
 * The index of the element that the access begins in, as factor * its loop's counter + what all iterations have alike. Of the
 * rest, one multiple of a value is left out; NULL: there is no rest.
 */
static bool element_of(struct element *e, const struct kt_ir_parts *p, const struct kt_ir_part_access *a,
		       const struct kt_ir_value *of)
{
	const struct kt_ir_value *counter;
	const struct kt_ir_term *term = NULL;
	struct kt_ir_form form;
	int64_t offset = 0;
	unsigned left_out = 0;

	if (a->loop == NULL || !begin_of(e, p, a->statement->place))
		return false;
	counter = kt_ir_read(((struct kt_ir_module *)(uintptr_t)p->offer->module), a->loop->symbol);
	if (counter == NULL || !kt_ir_form_of(&form, p->lets, e->index, true) ||
	    kt_ir_form_degree(&form, counter, &term) != 1 || term->count != 1)
		return false;
	e->factor = term->factor;
	(void)kt_ir_distributed_over(&offset, a->loop, p->lets, p->block);
	e->rest = (struct kt_ir_form){.bits = form.bits, .constant = form.constant + offset * e->factor};
	for (size_t i = 0; i < form.count; i++) {
		if (&form.terms[i] == term)
			continue;
		if (is_alike(&form.terms[i], p))
			e->rest.terms[e->rest.count++] = form.terms[i];
		else if (left_out++ > 0 || !is_multiple(&form.terms[i], of))
			return false;
	}
	return true;
}

static bool counts_up(const struct kt_ir_parts *p, const struct kt_ir_statement *loop)
{
	int64_t offset, low, step;

	return kt_ir_distributed_over(&offset, loop, p->lets, p->block) != KT_IR_OVER_NOTHING ||
	       (kt_ir_is_constant(loop->value, &low) && low >= 0 && kt_ir_is_constant(loop->further[1], &step) && step > 0);
}

/* Has an index of that width a value for each iteration? A guard asks for that where the counter has more, and its bound, too. */
static bool has_index_for_all(struct kt_ir_parts *p, const struct kt_ir_statement *loop, unsigned bits, const char *unless)
{
	const struct kt_ir_value *high = kt_ir_behind_let(p->lets, loop->further[0]);
	const char *text;

	if (loop->symbol->type->bits <= bits)
		return true;
	if (!counts_up(p, loop))
		return false;
	if (high->op == KT_IR_CONVERT && high->arguments[0]->type->kind == KT_IR_INTEGER && high->arguments[0]->type->bits <= bits)
		return true;
	text = kt_ir_launch_text(p->offer, p->lets, high);
	if (text == NULL)
		return false;
	kt_ir_offer_guard(p->offer, kt_ir_offer_text(p->offer, "%s || %s <= 2147483647", unless, text),
			  "indices that are cut to 32 bits differ from iteration to iteration");
	return true;
}

/*
 * Do multiples of the counter wrap at no other place than their sum? Of a width of less than 64 bits they do not where they fit: below
 * n / factor, or (asks) as a guard asks.
 */
static bool multiples_fit(struct kt_ir_parts *p, const struct kt_ir_statement *loop, const struct element *e, const char *unless,
			  bool asks)
{
	const struct kt_ir_value *high = kt_ir_behind_let(p->lets, loop->further[0]);
	const int64_t factor = e->factor < 0 ? -e->factor : e->factor;
	const char *text;
	int64_t divisor = 0;

	if (e->rest.bits >= 64 || factor == 1)
		return true;
	if (!counts_up(p, loop))
		return false;
	if (high->op == KT_IR_DIV && high->type->bits <= e->rest.bits &&
	    kt_ir_is_constant(kt_ir_behind_let(p->lets, high->arguments[1]), &divisor) && divisor >= factor)
		return true;
	text = asks && factor <= INT32_MAX ? kt_ir_launch_text(p->offer, p->lets, high) : NULL;
	if (text == NULL)
		return false;
	kt_ir_offer_guard(p->offer, kt_ir_offer_text(p->offer, "%s || %s <= %lld", unless, text, (long long)(INT32_MAX / factor)),
			  "multiples of an index that are cut to 32 bits differ from iteration to iteration");
	return true;
}

static bool begins_alike(const struct kt_ir_parts *p, const struct element *x, const struct element *y)
{
	return x->symbol == y->symbol && x->unit == y->unit &&
	       (x->symbol != NULL || kt_ir_same(kt_ir_behind_let(p->lets, x->pointer), kt_ir_behind_let(p->lets, y->pointer)));
}

/* Elements of one access. */
static int64_t elements_in(const struct element *e)
{
	return (int64_t)((e->bytes + e->unit - 1) / e->unit);
}

/* Do the accesses, the first of which begins `distance` elements after the other one, overlap in no two iterations? */
static bool are_apart(const struct element *x, const struct element *y, int64_t distance)
{
	if (elements_in(x) > INT16_MAX || elements_in(y) > INT16_MAX)
		return false;
	/* Numbers modulo the width have other multiples. */
	if (x->rest.bits < 64 && distance != 0)
		return false;
	for (int64_t v = 1 - elements_in(x); v < elements_in(y); v++)
		if (v != distance && (v - distance) % x->factor == 0)
			return false;
	return true;
}

/* Do two accesses through one pointer reach the same memory in the same iteration at most? */
static bool are_of_one_iteration(struct kt_ir_parts *p, const struct kt_ir_part_access *a, const struct kt_ir_part_access *b,
				 const char *unless, bool asks)
{
	struct kt_ir_form difference;
	struct element x, y;
	int64_t distance;

	if (!element_of(&x, p, a, NULL) || !element_of(&y, p, b, NULL) || !begins_alike(p, &x, &y) || x.factor != y.factor ||
	    !kt_ir_form_minus(&difference, &x.rest, &y.rest) || !kt_ir_form_is_constant(&difference, &distance) ||
	    !are_apart(&x, &y, distance))
		return false;
	return has_index_for_all(p, a->loop, x.rest.bits, unless) && has_index_for_all(p, b->loop, y.rest.bits, unless) &&
	       multiples_fit(p, a->loop, &x, unless, asks) && multiples_fit(p, b->loop, &y, unless, asks);
}

/* The argument that bounds a loop whose index begins at 0 or above; NULL: it is bounded by something else. */
static const struct kt_ir_value *columns_of(const struct kt_ir_parts *p, const struct kt_ir_statement *loop)
{
	struct kt_ir_form high;

	if (loop == NULL || !counts_up(p, loop) || !kt_ir_form_of(&high, p->lets, loop->further[0], true) || high.count != 1 ||
	    high.constant != 0 || high.terms[0].factor != 1 || high.terms[0].count != 1 || high.terms[0].atoms[0]->op != KT_IR_READ)
		return NULL;
	return keeps_value(high.terms[0].atoms[0], (void *)(uintptr_t)p) ? high.terms[0].atoms[0] : NULL;
}

/*
 * `y[c * n + i]` for i below n: an iteration has a column, whatever c is, since indices of different columns differ modulo n. They are
 * computed in 64 bits, in which at most three multiples of n below 2^62 do not wrap.
 */
static bool are_of_one_column(struct kt_ir_parts *p, const struct kt_ir_part_access *a, const struct kt_ir_part_access *b)
{
	const struct kt_ir_value *columns = columns_of(p, a->loop), *others = columns_of(p, b->loop);
	struct kt_ir_form difference;
	struct element x, y;

	if (columns == NULL || others == NULL || !kt_ir_same(columns, others) || !element_of(&x, p, a, columns) ||
	    !element_of(&y, p, b, columns) || !begins_alike(p, &x, &y) || elements_in(&x) != 1 || elements_in(&y) != 1 ||
	    x.factor != y.factor || (x.factor != 1 && x.factor != -1) || x.rest.bits < 64 || y.rest.bits < 64 ||
	    !kt_ir_form_minus(&difference, &x.rest, &y.rest) || difference.constant != 0)
		return false;
	for (size_t i = 0; i < difference.count; i++)
		if (i > 0 || !is_multiple(&difference.terms[i], columns))
			return false;
	return true;
}

/* Is the statement in the region, and in no loop of it? */
static bool is_run_once(const struct kt_ir_region *region, const struct kt_ir_statement *wanted)
{
	for (const struct kt_ir_statement *s = region->first; s != NULL; s = s->next)
		if (s == wanted || (s->kind == KT_IR_S_IF && (is_run_once(&s->body, wanted) || is_run_once(&s->otherwise, wanted))))
			return true;
	return false;
}

/*
 * Where the launch has a thread for each index of the loop, different iterations are different threads', which do not race. A guard
 * asks for that.
 */
static bool are_of_threads(struct kt_ir_parts *p, const struct kt_ir_part_access *a, const struct kt_ir_part_access *b, const char *unless)
{
	const size_t guards = p->offer->guard_count;
	const char *high;

	if (a->loop == NULL || a->loop != b->loop || p->d->over != KT_IR_OVER_GRID || !is_run_once(&p->kernel->body, a->loop))
		return false;
	high = kt_ir_launch_text(p->offer, p->lets, a->loop->further[0]);
	if (high == NULL) {
		p->offer->guard_count = guards;
		return false;
	}
	kt_ir_offer_guard(p->offer,
			  kt_ir_offer_text(p->offer, "%s || %s <= (%s) * (%s)", unless, high, kt_ir_written_grid(p->offer, 0),
					   kt_ir_written_block(p->offer, 0)),
			  "in the original, each iteration is that of another thread, so that none races with another one");
	return true;
}

/* The object or argument that the access leads to, through pointers that are set once; NULL: it is not known. */
static const struct kt_ir_symbol *root_of(const struct kt_ir_parts *p, const struct kt_ir_place *place)
{
	const struct kt_ir_value *pointer;

	if (place->pointer == NULL)
		return place->symbol;
	pointer = behind_conversions(p, place->pointer);
	if (pointer->op == KT_IR_ADDRESS)
		return root_of(p, pointer->place);
	return pointer->op == KT_IR_READ && pointer->symbol->kind == KT_IR_ARGUMENT ? pointer->symbol : NULL;
}

bool kt_ir_may_swap(struct kt_ir_parts *p, const struct kt_ir_part_access *a, const struct kt_ir_part_access *b, const char *unless)
{
	const struct kt_ir_symbol *x = root_of(p, a->statement->place), *y = root_of(p, b->statement->place);

	if (!a->writes && !b->writes)
		return true;
	if (kt_ir_commute(a->statement, b->statement))
		return true;
	if (!kt_ir_may_alias(a->statement->place, b->statement->place))
		return true;
	if (x == NULL || y == NULL)
		return kt_ir_part_stop(p, a->statement, "memory is reached through a pointer that is no argument");
	/* Of one thread in both. Others may be ordered by a barrier alone, which is gone where nothing is exchanged. */
	if (x == y && a->is_first && b->is_first)
		return true;
	if (x == y && a->loop == NULL && b->loop == NULL && (a->is_first || b->is_first))
		return kt_ir_part_stop(p, a->is_first ? a->statement : b->statement,
			    "the first thread of a block changes what all threads load");
	if (x == y)
		return are_of_one_iteration(p, a, b, unless, false) || are_of_one_column(p, a, b) || are_of_threads(p, a, b, unless) ||
		       are_of_one_iteration(p, a, b, unless, true) ||
		       kt_ir_part_stop(p, a->writes ? a->statement : b->statement,
			    "an iteration may access what another one writes");
	return kt_ir_keep_apart(p->offer, p->kernel, x, y, unless) ||
	       kt_ir_part_stop(p, a->statement, "buffers of which one is written may overlap: their element counts are not known");
}

