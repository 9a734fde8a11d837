#include "testing/sizes.h"

#include <math.h>

/* Multiples of all widths are taken up to the smallest tuned value, within these; beyond, each width has its own. */
static const int64_t multiple_least = 128, multiple_most = 1 << 15;
/* Where no parameter cuts a variable. */
static const int64_t plain_width = 32;

static void add_value(struct kt_sizes *values, int64_t v)
{
	for (size_t i = 0; i < values->count; i++)
		if (values->v[i] == v)
			return;
	if (v >= 1 && values->count < KT_SIZES)
		values->v[values->count++] = v;
}

static bool mentions(const struct kt_clause_expr *clause, const struct kt_region *region, size_t variable)
{
	if (clause->expr == NULL)
		return false;
	if (kt_expr_uses(clause->expr, region->variables[variable]))
		return true;
	for (size_t a = 0; a < region->argument_count + region->member_count; a++)
		if (kt_region_carried(region, a) == (int64_t)variable && region->arguments[a].name[0] != '\0' &&
		    kt_expr_uses(clause->expr, region->arguments[a].name))
			return true;
	return false;
}

/* What one expression has told so far. */
struct found {
	struct kt_sizes *widths;
	int64_t least, largest; /* products */
};

static void add_factor(struct found *found, int64_t low, int64_t high)
{
	if (__builtin_mul_overflow(found->least, low, &found->least))
		found->least = 1;
	if (__builtin_mul_overflow(found->largest, high, &found->largest))
		found->largest = 1;
}

static void add_divisor(int64_t number, void *context)
{
	struct found *found = context;

	if (number < 2 || number > multiple_most)
		return;
	add_value(found->widths, number);
	add_factor(found, number, number);
}

/*
 * The values of every parameter that is in one expression with the variable, the numbers that something is divided by
 * there, and the products of the least and the largest.
 */
static void add_related(struct kt_sizes *widths, const struct kt_subject *subject, const struct kt_clause_expr *clause)
{
	const struct kt_template *template_ = subject->template_;
	struct found found = {widths, 1, 1};

	for (size_t p = 0; p < template_->parameter_count; p++) {
		const struct kt_parameter *parameter = &template_->parameters[p];
		int64_t low = INT64_MAX, high = 1;

		if (!kt_expr_uses(clause->expr, parameter->name))
			continue;
		for (size_t i = 0; i < parameter->value_count; i++) {
			const int64_t v = parameter->values[i];

			if (v < 2)
				continue;
			add_value(widths, v);
			low = v < low ? v : low;
			high = v > high ? v : high;
		}
		add_factor(&found, low == INT64_MAX ? 1 : low, high);
	}
	kt_expr_divisors(clause->expr, add_divisor, &found);
	if (found.least > 1 && found.least <= multiple_most)
		add_value(widths, found.least);
	if (found.largest > 1 && found.largest <= multiple_most)
		add_value(widths, found.largest);
}

static void add_all_related(struct kt_sizes *widths, const struct kt_subject *subject, size_t variable,
                            const struct kt_clause_expr *clauses, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (mentions(&clauses[i], subject->template_->region, variable))
			add_related(widths, subject, &clauses[i]);
}

/* The values of a parameter that are all powers of two: it may well cut something. */
static void add_powers(struct kt_sizes *widths, const struct kt_parameter *parameter)
{
	for (size_t i = 0; i < parameter->value_count; i++)
		if (parameter->values[i] < 1 || (parameter->values[i] & (parameter->values[i] - 1)) != 0)
			return;
	for (size_t i = 0; i < parameter->value_count; i++)
		if (parameter->values[i] > 1)
			add_value(widths, parameter->values[i]);
}

/* related: an expression relates the variable and parameters; else the widths are a guess. */
static struct kt_sizes widths_of(const struct kt_subject *subject, size_t variable)
{
	const struct kt_template *t = subject->template_;
	struct kt_sizes widths = {0};

	add_all_related(&widths, subject, variable, t->restrictions, t->restriction_count);
	add_all_related(&widths, subject, variable, t->guards, t->guard_count);
	for (size_t i = 0; i <= t->further_count; i++) {
		const struct kt_template_kernel kernel = kt_template_kernel_at(t, i);

		add_all_related(&widths, subject, variable, kernel.grid, kernel.grid_count);
		add_all_related(&widths, subject, variable, kernel.block, kernel.block_count);
	}
	add_all_related(&widths, subject, variable, &t->shared_bytes, 1);
	for (size_t i = 0; i < t->temporary_count; i++)
		add_all_related(&widths, subject, variable, &t->temporaries[i].count, 1);
	widths.related = widths.count != 0;
	if (!widths.related)
		for (size_t p = 0; p < t->parameter_count; p++)
			add_powers(&widths, &t->parameters[p]);
	return widths;
}

size_t kt_sizes_widths(int64_t *widths, size_t most, const struct kt_subject *subject, size_t variable)
{
	const struct kt_sizes all = widths_of(subject, variable);
	size_t count = 0;

	for (; count < all.count && count < most; count++)
		widths[count] = all.v[count];
	return count;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
	while (b != 0) {
		const int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static int64_t multiple_of_all(const struct kt_sizes *widths, int64_t least_tuned)
{
	int64_t most = least_tuned > multiple_least ? least_tuned : multiple_least, multiple = 1;

	most = most < multiple_most ? most : multiple_most;
	for (size_t i = 0; i < widths->count; i++) {
		const int64_t w = widths->v[i];
		const int64_t both = w <= most ? multiple / common_divisor(multiple, w) * w : most + 1;

		if (both <= most)
			multiple = both;
	}
	if (multiple == 1)
		return plain_width;
	/* Narrow vectors alone: sizes of several blocks and not of a few threads, while three such are no more than tuned. */
	while (2 * multiple <= multiple_least && 3 * 2 * multiple <= least_tuned)
		multiple *= 2;
	return multiple;
}

int64_t kt_sizes_least_tuned(const struct kt_region *region, size_t variable)
{
	int64_t least = INT64_MAX;

	for (size_t p = 0; p < region->problem_count; p++) {
		const int64_t v = region->problems[p * region->variable_count + variable];

		least = v < least ? v : least;
	}
	return least;
}

static int64_t prime_above(int64_t v)
{
	for (v++;; v++) {
		bool prime = v > 1;

		for (int64_t d = 2; prime && d * d <= v; d++)
			prime = v % d != 0;
		if (prime)
			return v;
	}
}

/* The least value that a launch may have and the next, then what was asked for, or the nearest below it that it may. */
static void keep_inside(struct kt_sizes *values, const struct kt_variable_bounds *bound)
{
	const struct kt_sizes asked = *values;

	values->count = 0;
	add_value(values, bound->least);
	if (bound->most - bound->least >= bound->step)
		add_value(values, bound->least + bound->step);
	for (size_t i = 0; i < asked.count; i++)
		add_value(values, kt_variable_nearest(bound, asked.v[i]));
}

void kt_sizes_make(struct kt_sizes *values, const struct kt_subject *subject, size_t variable)
{
	const struct kt_sizes widths = widths_of(subject, variable);
	const int64_t all = multiple_of_all(&widths, kt_sizes_least_tuned(subject->template_->region, variable));

	*values = (struct kt_sizes){.related = widths.related, .multiple = all};
	/* KT_SIZES_TELLING ones. */
	add_value(values, all + 1);
	add_value(values, 1);
	add_value(values, all - 1);
	add_value(values, prime_above(all + all / 2));
	for (size_t i = 0; i < widths.count; i++) {
		const int64_t w = widths.v[i];

		/* Small, so that there is nothing but a tail or one vector and one element. */
		add_value(values, w + 1);
		add_value(values, w - 1);
	}
	for (size_t i = 0; i < widths.count; i++)
		/* Inside for this width and outside for the next power of two. */
		add_value(values, 3 * widths.v[i]);
	add_value(values, 2);
	add_value(values, 2 * all);
	/* Vectors of four and eight that the kernel alone knows of, without a whole number of twice as many. */
	add_value(values, 3 * 4);
	add_value(values, 3 * 8);
	if (subject->template_->region->bounds != NULL && subject->template_->region->bounds[variable].step != 0)
		keep_inside(values, &subject->template_->region->bounds[variable]);
}

/* ---- from the listed values alone */

/* What a gap without another listed value on its lower side is taken to begin at: a part of the value. */
enum { LONE_GAP = 16, UNIT_MOST = 256 };

struct listed {
	int64_t least, most, low, high; /* of all; of the widest gap, in ratio */
	int64_t unit;                   /* divides all of them */
};

static int64_t value_of(const struct kt_region *region, size_t variable, size_t problem)
{
	const int64_t v = region->problems[problem * region->variable_count + variable];

	return v > 1 ? v : 1;
}

/* The next listed value above v; 0: there is none. */
static int64_t next_listed(const struct kt_region *region, size_t variable, int64_t v)
{
	int64_t next = 0;

	for (size_t p = 0; p < region->problem_count; p++) {
		const int64_t other = value_of(region, variable, p);

		if (other > v && (next == 0 || other < next))
			next = other;
	}
	return next;
}

int64_t kt_sizes_unit(const struct kt_region *region, size_t variable)
{
	int64_t unit = 0;

	for (size_t p = 0; p < region->problem_count; p++)
		unit = common_divisor(value_of(region, variable, p), unit);
	while (unit > UNIT_MOST && unit % 2 == 0)
		unit /= 2;
	return unit > 1 ? unit : 1;
}

static struct listed listed_of(const struct kt_region *region, size_t variable)
{
	struct listed l = {.unit = kt_sizes_unit(region, variable)};
	int64_t v = next_listed(region, variable, 0);

	l.least = l.most = v;
	l.low = v / LONE_GAP > 1 ? v / LONE_GAP : 1;
	l.high = v;
	for (int64_t next = next_listed(region, variable, v); next != 0; next = next_listed(region, variable, v)) {
		if (l.most == l.least || (double)next / (double)v > (double)l.high / (double)l.low) {
			l.low = v;
			l.high = next;
		}
		l.most = v = next;
	}
	return l;
}

static int64_t between(int64_t a, int64_t b)
{
	return (int64_t)(sqrt((double)a) * sqrt((double)b));
}

static int64_t whole(const struct listed *l)
{
	int64_t v = between(l->low, l->high) / l->unit * l->unit;

	v = v < l->unit ? l->unit : v;
	/* Three quarters of the next power of two, where that is whole as well. */
	if ((v & (v - 1)) == 0)
		v += v / 2 % l->unit == 0 && v > 1 ? v / 2 : l->unit;
	return v;
}

/* v, made a multiple of `factor` (a power of two) and of no more. */
static int64_t only_multiple(int64_t v, int64_t factor)
{
	return v / (2 * factor) * (2 * factor) + factor;
}

static int64_t any_value(const struct kt_region *region, size_t variable, enum kt_size_kind kind, size_t problem)
{
	const struct listed l = listed_of(region, variable);
	const int64_t middle = between(l.low, l.high);

	switch (kind) {
	case KT_SIZE_WHOLE:
		return whole(&l);
	case KT_SIZE_ODD:
		return middle | 1;
	case KT_SIZE_BELOW:
		return (int64_t)sqrt((double)l.least) | 1;
	case KT_SIZE_ONE:
		return 1;
	case KT_SIZE_ABOVE:
		return l.most + (l.most + 1) / 2;
	case KT_SIZE_MORE:
		return l.most + 1;
	case KT_SIZE_LESS:
		return l.least > 1 ? l.least - 1 : l.most > 1 ? l.most - 1 : 1;
	case KT_SIZE_PRIME:
		return prime_above(between(l.least, middle));
	case KT_SIZE_TWOS:
		return only_multiple(between(middle, l.most), 2);
	case KT_SIZE_FOURS:
		return only_multiple(l.least / 2, 4);
	default:
		return value_of(region, variable, problem);
	}
}

int64_t kt_sizes_unlisted(const struct kt_region *region, size_t variable, enum kt_size_kind kind, size_t problem)
{
	const int64_t value = any_value(region, variable, kind, problem);

	return region->bounds != NULL ? kt_variable_nearest(&region->bounds[variable], value) : value;
}
