/*
 * Threads and results of a block as digits: quotients and remainders of thread.x, thread.y and a result's number by constants.
 * `thread.x / 8` has the values of one digit, `thread.x % 8` those of another.
 */
#include "generation/ir/product_digits.h"

#include "generation/ir/walk.h"

enum { MOST_EXTENT = 4096, MOST_SHIFT = 12 };

static const struct kt_ir_value *bare(const struct kt_ir_digits *d, const struct kt_ir_value *v)
{
	v = kt_ir_behind_let(&d->lets, v);
	while (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->type->kind == KT_IR_INTEGER &&
	       v->type->bits >= 32 && v->arguments[0]->type->kind == KT_IR_INTEGER && v->arguments[0]->type->bits >= 32)
		v = kt_ir_behind_let(&d->lets, v->arguments[0]);
	return v;
}

static struct kt_ir_digit_range source_of(const struct kt_ir_digits *d, const struct kt_ir_value *v)
{
	if (v->op == KT_IR_AXIS && v->axis == KT_IR_THREAD && v->dimension < KT_IR_DIMENSIONS)
		return (struct kt_ir_digit_range){.source = (int)v->dimension, .low = 1, .high = d->extents[v->dimension]};
	if (v->op == KT_IR_READ && v->symbol == d->items->number)
		return (struct kt_ir_digit_range){.source = KT_IR_DIGITS_OF_RESULT, .low = 1, .high = d->items->count};
	for (size_t i = 0; v->op == KT_IR_READ && i < d->range_count; i++)
		if (v->symbol == d->ranges[i].symbol)
			return d->ranges[i];
	return (struct kt_ir_digit_range){.source = -1};
}

/* The range that the value is; -1: it is none, or divided unevenly. */
static struct kt_ir_digit_range range_of(const struct kt_ir_digits *d, const struct kt_ir_value *v)
{
	const struct kt_ir_digit_range none = {.source = -1};
	struct kt_ir_digit_range r;
	int64_t by;

	v = bare(d, v);
	if (v->op != KT_IR_DIV && v->op != KT_IR_REM && v->op != KT_IR_SHR && v->op != KT_IR_AND)
		return source_of(d, v);
	r = range_of(d, v->arguments[0]);
	if (r.source < 0 || !kt_ir_is_constant(v->arguments[1], &by) ||
	    by < (v->op == KT_IR_SHR || v->op == KT_IR_AND ? 0 : 1) || by > MOST_EXTENT ||
	    (v->op == KT_IR_SHR && by > MOST_SHIFT) || (v->op == KT_IR_AND && (by & (by + 1)) != 0))
		return none;
	by = v->op == KT_IR_SHR ? (int64_t)1 << by : v->op == KT_IR_AND ? by + 1 : by;
	if (v->op == KT_IR_DIV || v->op == KT_IR_SHR)
		r.low *= by;
	else if (r.low * by < r.high)
		r.high = r.low * by;
	r.symbol = NULL;
	r.sum = NULL;
	return r.low < r.high && r.high % r.low == 0 ? r : none;
}

static void add_boundary(struct kt_ir_digits *d, int source, int64_t boundary)
{
	int64_t *list = d->boundaries[source];
	size_t *count = &d->boundary_counts[source], at = 0;

	while (at < *count && list[at] < boundary)
		at++;
	if (at < *count && list[at] == boundary)
		return;
	d->failed |= *count == KT_IR_MOST_BOUNDARIES;
	for (size_t i = *count; !d->failed && i > at; i--)
		list[i] = list[i - 1];
	if (!d->failed) {
		list[at] = boundary;
		++*count;
	}
}

static bool is_division(const struct kt_ir_value *v)
{
	return v->type->kind == KT_IR_INTEGER &&
	       (v->op == KT_IR_DIV || v->op == KT_IR_REM || v->op == KT_IR_SHR || v->op == KT_IR_AND);
}

/* The range's record; NULL: there are too many. */
static struct kt_ir_digit_range *record_of(struct kt_ir_digits *d, struct kt_ir_digit_range r)
{
	for (size_t i = 0; i < d->range_count; i++)
		if (d->ranges[i].source == r.source && d->ranges[i].low == r.low && d->ranges[i].high == r.high)
			return &d->ranges[i];
	d->failed |= d->range_count == KT_IR_MOST_RANGES;
	if (d->failed)
		return NULL;
	d->ranges[d->range_count] = r;
	return &d->ranges[d->range_count++];
}

/* Quotients and remainders become reads of symbols that stand for them. */
static const struct kt_ir_value *named(const struct kt_ir_value *v, void *context)
{
	struct kt_ir_digits *d = context;
	const struct kt_ir_digit_range r = is_division(v) ? range_of(d, v) : (struct kt_ir_digit_range){.source = -1};
	struct kt_ir_digit_range *record = r.source < 0 ? NULL : record_of(d, r);

	if (record == NULL)
		return v;
	add_boundary(d, r.source, r.low);
	add_boundary(d, r.source, r.high);
	if (record->symbol == NULL)
		record->symbol = kt_ir_symbol(d->module, KT_IR_TEMPORARY, kt_ir_integer(d->module, 32, false), "range");
	return record->symbol == NULL ? v : kt_ir_convert(d->module, kt_ir_read(d->module, record->symbol), v->type, KT_IR_AS_VALUE);
}

/* ---- Digits ---- */

/* An axis of a dimension that no launch has: nothing but this file and product_index.c sees it. */
static const struct kt_ir_value *atom_of(struct kt_ir_module *m, size_t number)
{
	const struct kt_ir_value *axis = kt_ir_axis(m, KT_IR_THREAD, 0);
	struct kt_ir_value *atom = axis == NULL ? NULL : kt_arena_alloc(m->arena, sizeof *atom);

	if (atom == NULL)
		return kt_ir_fail(m, "out of memory");
	*atom = *axis;
	atom->dimension = KT_IR_DIMENSIONS + (unsigned)number;
	return atom;
}

static bool split(struct kt_ir_digits *d, int source)
{
	const int64_t *list = d->boundaries[source];

	for (size_t i = 0; i + 1 < d->boundary_counts[source]; i++) {
		if (list[i + 1] % list[i] != 0 || d->digit_count == KT_IR_MOST_DIGITS)
			return false;
		d->digits[d->digit_count] = (struct kt_ir_digit){
		    .atom = atom_of(d->module, d->digit_count), .source = source, .low = list[i], .count = list[i + 1] / list[i]};
		d->digit_count++;
	}
	return !d->module->failed;
}

/* The range as a sum of digits. In types of signed numbers it does not wrap. */
static const struct kt_ir_value *sum_of_digits(const struct kt_ir_digits *d, const struct kt_ir_digit_range *r, const struct kt_ir_type *type)
{
	struct kt_ir_module *m = d->module;
	const struct kt_ir_value *sum = NULL;

	for (size_t i = 0; i < d->digit_count; i++) {
		const struct kt_ir_digit *digit = &d->digits[i];
		const struct kt_ir_value *one;

		if (digit->source != r->source || digit->low < r->low || digit->low >= r->high)
			continue;
		one = kt_ir_convert(m, digit->atom, type, KT_IR_AS_VALUE);
		if (digit->low > r->low)
			one = kt_ir_no_wrap(m, kt_ir_apply(m, KT_IR_MUL, one, kt_ir_constant(m, type, digit->low / r->low), NULL));
		sum = sum == NULL ? one : kt_ir_no_wrap(m, kt_ir_apply(m, KT_IR_ADD, sum, one, NULL));
	}
	return sum == NULL ? kt_ir_constant(m, type, 0) : sum;
}

/* What a conversion makes of a range is a sum of that type. */
static const struct kt_ir_value *by_digits(const struct kt_ir_value *v, void *context)
{
	struct kt_ir_digits *d = context;
	const struct kt_ir_digit_range r = source_of(d, v);
	struct kt_ir_digit_range *record = r.source < 0 ? NULL : record_of(d, r);

	if (record != NULL)
		return record->sum != NULL ? record->sum : (record->sum = sum_of_digits(d, record, v->type));
	if (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->type->kind == KT_IR_INTEGER && v->type->bits >= 32)
		for (size_t i = 0; i < d->range_count; i++)
			if (d->ranges[i].sum == v->arguments[0])
				return sum_of_digits(d, &d->ranges[i], v->type);
	return v;
}

bool kt_ir_find_digits(struct kt_ir_digits *d)
{
	struct kt_ir_function *kernel = d->module->last_function;

	if (!kt_ir_lets_of(&d->lets, d->module->arena, d->module, kernel))
		return false;
	for (int source = 0; source < KT_IR_DIGIT_SOURCES; source++) {
		add_boundary(d, source, 1);
		add_boundary(d, source, d->extents[source]);
	}
	(void)kt_ir_rewrite_region(d->module, &kernel->body, named, d);
	for (int source = 0; source < KT_IR_DIGIT_SOURCES && !d->failed; source++)
		d->failed = !split(d, source);
	if (d->failed)
		return false;
	(void)kt_ir_rewrite_region(d->module, &kernel->body, by_digits, d);
	return !d->failed && !d->module->failed && kt_ir_lets_of(&d->lets, d->module->arena, d->module, kernel);
}
