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

/*
 * Index of the element that the access begins in, as factor * its loop's index + what all iterations have alike. Of the rest, one
 * multiple of a value is left out; NULL: there is no rest.
 */
static bool element_of(struct kt_ir_form *rest, int64_t *factor, const struct kt_ir_parts *p, const struct kt_ir_part_access *a,
		       const struct kt_ir_value *of)
{
	const struct kt_ir_place *place = a->statement->place;
	const struct kt_ir_value *counter;
	const struct kt_ir_term *term = NULL;
	struct kt_ir_form form;
	int64_t offset = 0;
	unsigned left_out = 0;

	if (a->loop == NULL || place->count == 0 || place->steps[0].kind != KT_IR_INDEX)
		return false;
	for (size_t i = 1; i < place->count; i++)
		if (place->steps[i].kind == KT_IR_SEEN_AS)
			return false;
	counter = kt_ir_read(((struct kt_ir_module *)(uintptr_t)p->offer->module), a->loop->symbol);
	if (counter == NULL || !kt_ir_form_of(&form, p->lets, place->steps[0].index, true) ||
	    kt_ir_form_degree(&form, counter, &term) != 1 || term->count != 1)
		return false;
	*factor = term->factor;
	/* Multiples of an index wrap at other places than the index. */
	if (form.bits < 64 && *factor != 1 && *factor != -1)
		return false;
	(void)kt_ir_distributed_over(&offset, a->loop, p->lets, p->block);
	*rest = (struct kt_ir_form){.bits = form.bits, .constant = form.constant + offset * *factor};
	for (size_t i = 0; i < form.count; i++) {
		if (&form.terms[i] == term)
			continue;
		if (is_alike(&form.terms[i], p))
			rest->terms[rest->count++] = form.terms[i];
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

/* Do two accesses through one pointer reach the same memory in the same iteration at most? */
static bool are_of_one_iteration(struct kt_ir_parts *p, const struct kt_ir_part_access *a, const struct kt_ir_part_access *b,
				 const char *unless)
{
	const struct kt_ir_place *one = a->statement->place, *two = b->statement->place;
	struct kt_ir_form x, y, difference;
	int64_t by, also, distance;

	/* Elements of one type. */
	if (one->symbol != two->symbol || (one->symbol == NULL && !kt_ir_same(one->pointer, two->pointer)))
		return false;
	if (!element_of(&x, &by, p, a, NULL) || !element_of(&y, &also, p, b, NULL) || by != also ||
	    !kt_ir_form_minus(&difference, &x, &y) || !kt_ir_form_is_constant(&difference, &distance))
		return false;
	return (distance == 0 || distance % by != 0) && has_index_for_all(p, a->loop, x.bits, unless) &&
	       has_index_for_all(p, b->loop, y.bits, unless);
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
	const struct kt_ir_place *one = a->statement->place, *two = b->statement->place;
	const struct kt_ir_value *columns = columns_of(p, a->loop), *others = columns_of(p, b->loop);
	struct kt_ir_form x, y, difference;
	int64_t by, also;

	if (one->symbol != two->symbol || (one->symbol == NULL && !kt_ir_same(one->pointer, two->pointer)) || columns == NULL || others == NULL || !kt_ir_same(columns, others) ||
	    !element_of(&x, &by, p, a, columns) || !element_of(&y, &also, p, b, columns) || by != also || (by != 1 && by != -1) ||
	    x.bits < 64 || y.bits < 64 || !kt_ir_form_minus(&difference, &x, &y) || difference.constant != 0)
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

bool kt_ir_may_swap(struct kt_ir_parts *p, const struct kt_ir_part_access *a, const struct kt_ir_part_access *b, const char *unless)
{
	const struct kt_ir_symbol *x = kt_ir_root_of(a->statement->place), *y = kt_ir_root_of(b->statement->place);

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
		return are_of_one_iteration(p, a, b, unless) || are_of_one_column(p, a, b) || are_of_threads(p, a, b, unless) ||
		       kt_ir_part_stop(p, a->writes ? a->statement : b->statement,
			    "an iteration may access what another one writes");
	return kt_ir_keep_apart(p->offer, p->kernel, x, y, unless) ||
	       kt_ir_part_stop(p, a->statement, "buffers of which one is written may overlap: their element counts are not known");
}

