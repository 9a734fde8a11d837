#include "planning/derived.h"

#include <math.h>
#include <string.h>

#include "base/device.h"
#include "testing/cases.h"
#include "testing/sizes.h"

/* Of the largest listed problem; of the device's memory. */
static const double growth_most = 2, memory_part = 8;

/* How fast a variable steps through the kinds, and where it begins. */
static const struct {
	size_t speed, begin;
} steps[] = {{1, 0}, {3, 2}, {5, 7}, {2, 8}, {7, 4}, {4, 1}, {9, 6}, {6, 10}, {8, 3}, {10, 9}};
enum { STEPS = sizeof steps / sizeof *steps };

/* Of a large space; which parameters bring guards shows in far fewer. */
static const size_t asked_most = 16384;

struct limits {
	double bytes, flops;
};

static struct kt_check check_of(const struct kt_subject *subject, const int64_t *values)
{
	return (struct kt_check){.problem = values, .seed = 1 + (int64_t)subject->template_->region->problem_count,
	                         .shifted = -1, .alias = -1, .alias_of = -1};
}

struct kt_check kt_derived_check(const struct kt_derived *derived, size_t shape)
{
	return check_of(&derived->subject, derived->values[shape]);
}

static double memory_most(const struct kt_subject *subject)
{
	return subject->device->memory_bytes > 0 ? (double)subject->device->memory_bytes / memory_part : INFINITY;
}

/* listed: bytes of each problem. */
static struct limits limits_of(int64_t *listed, const struct kt_subject *subject)
{
	struct limits most = {0, 0};

	for (size_t p = 0; p < subject->template_->region->problem_count; p++) {
		const struct kt_check problem = kt_check_of_problem(subject, p);

		listed[p] = kt_cases_bytes(subject, &problem);
		most.bytes = fmax(most.bytes, growth_most * (double)listed[p]);
		most.flops = fmax(most.flops, growth_most * (double)kt_cases_flops(subject, &problem));
	}
	most.bytes = fmin(most.bytes, memory_most(subject));
	return most;
}

size_t kt_derived_nearest(const int64_t *values, const int64_t *others, size_t count, size_t variables)
{
	size_t best = 0;
	double least = INFINITY;

	for (size_t p = 0; p < count; p++) {
		double distance = 0;

		for (size_t v = 0; v < variables; v++) {
			const double a = fmax(1, (double)values[v]), b = fmax(1, (double)others[p * variables + v]);

			distance += fabs(log(a / b));
		}
		if (distance < least) {
			least = distance;
			best = p;
		}
	}
	return best;
}

static bool is_known(const struct kt_derived *d, const int64_t *values)
{
	const struct kt_region *region = d->subject.template_->region;
	const size_t bytes = region->variable_count * sizeof *values;

	for (size_t p = 0; p < region->problem_count; p++)
		if (memcmp(&region->problems[p * region->variable_count], values, bytes) == 0)
			return true;
	for (size_t i = 0; i < d->count; i++)
		if (memcmp(d->values[i], values, bytes) == 0)
			return true;
	return false;
}

/* True: it is the shape with this index now. */
static bool put(struct kt_derived *d, size_t shape, const int64_t *values, const struct limits *most)
{
	const struct kt_region *region = d->subject.template_->region;
	const struct kt_check check = check_of(&d->subject, values);
	const int64_t bytes = kt_cases_bytes(&d->subject, &check);

	if (bytes < 1 || (double)bytes > most->bytes || (double)kt_cases_flops(&d->subject, &check) > most->flops ||
	    is_known(d, values) || !kt_cases_is_launch(&d->subject, &check))
		return false;
	memcpy(d->values[shape], values, region->variable_count * sizeof *values);
	d->bytes[shape] = bytes;
	d->nearest[shape] = kt_derived_nearest(values, region->problems, region->problem_count, region->variable_count);
	return true;
}

/* True: it is one of them now. */
static bool add(struct kt_derived *d, const int64_t *values, const struct limits *most)
{
	const bool added = d->count < KT_DERIVED_FIRST && put(d, d->count, values, most);

	d->count += added;
	return added;
}

bool kt_derived_add(struct kt_derived *derived, const int64_t *values)
{
	const struct limits most = {derived->bytes_most, derived->flops_most};
	const bool added = derived->count < KT_DERIVED_MOST && put(derived, derived->count, values, &most);

	derived->count += added;
	return added;
}

/* Is the one never more than the other, in all listed problems? */
static bool is_never_more(const struct kt_region *region, size_t one, size_t other)
{
	for (size_t p = 0; p < region->problem_count; p++) {
		const int64_t *values = &region->problems[p * region->variable_count];

		if (values[one] > values[other])
			return false;
	}
	return true;
}

static int64_t multiple_of(int64_t v, int64_t unit)
{
	return (v + unit / 2) / unit > 0 ? (v + unit / 2) / unit * unit : unit;
}

bool kt_derived_replace(struct kt_derived *derived, size_t shape, const int64_t *wanted, uint32_t of)
{
	const struct kt_region *region = derived->subject.template_->region;
	const size_t count = region->variable_count;
	const struct limits most = {derived->bytes_most, derived->flops_most};
	int64_t values[KT_PROBLEM_VARIABLES], units[KT_PROBLEM_VARIABLES];

	/* One problem alone does not show what launches have in common: any two of its variables have an order. */
	if (region->problem_count < 2)
		return false;
	for (size_t v = 0; v < count; v++) {
		units[v] = (of >> v & 1) != 0 ? kt_sizes_unit(region, v) : 1;
		values[v] = multiple_of(wanted[v], units[v]);
	}
	/* What grows may have to be followed by another one. */
	for (size_t turn = 0; turn < count; turn++)
		for (size_t v = 0; v < count; v++)
			for (size_t w = 0; w < count; w++)
				if (v != w && (of >> w & 1) != 0 && is_never_more(region, v, w) && values[v] > values[w])
					values[w] = (values[v] + units[w] - 1) / units[w] * units[w];
	return put(derived, shape, values, &most);
}

/*
 * All variables moved together; where that is too large or no launch, those that grow have their listed value; then one
 * variable alone, each in its turn.
 */
static void add_shape(struct kt_derived *d, size_t shape, const struct limits *most)
{
	const struct kt_region *region = d->subject.template_->region;
	const size_t count = region->variable_count, problem = shape % region->problem_count;
	int64_t all[KT_PROBLEM_VARIABLES], values[KT_PROBLEM_VARIABLES];
	const int64_t *listed = &region->problems[problem * count];

	for (size_t v = 0; v < count; v++) {
		const size_t kind = (steps[v % STEPS].speed * shape + steps[v % STEPS].begin) % KT_SIZE_KINDS;

		values[v] = all[v] = kt_sizes_unlisted(region, v, (enum kt_size_kind)kind, problem);
	}
	if (add(d, all, most))
		return;
	for (size_t v = 0; v < count; v++)
		values[v] = all[v] < listed[v] ? all[v] : listed[v];
	if (add(d, values, most))
		return;
	for (size_t i = 0; i < count; i++) {
		const size_t v = (shape + i) % count;

		memcpy(values, listed, count * sizeof *values);
		values[v] = all[v];
		if (add(d, values, most))
			return;
	}
}

/*
 * All variables far below the listed ones, and multiples of 4: the other small sizes are odd, and what loses on those need not
 * be the odd length.
 */
static void add_small(struct kt_derived *d, const struct limits *most)
{
	enum { UNIT = 4 };
	const struct kt_region *region = d->subject.template_->region;
	int64_t values[KT_PROBLEM_VARIABLES];

	for (size_t v = 0; v < region->variable_count; v++)
		values[v] = multiple_of(kt_sizes_unlisted(region, v, KT_SIZE_BELOW, 0) + UNIT / 2, UNIT);
	(void)add(d, values, most);
}

/* What a program launches is wanted, however large it is. */
static void add_traced(struct kt_derived *d, const struct kt_traced *traced)
{
	const struct limits most = {.bytes = memory_most(&d->subject), .flops = INFINITY};

	for (size_t i = 0; i < traced->count && d->count < KT_DERIVED_TRACED_MOST; i++)
		(void)add(d, traced->sizes[i].values, &most);
	d->traced = d->count;
}

kt_status kt_derived_make(struct kt_derived *out, struct kt_arena *arena, const struct kt_template *template_,
                          const struct kt_instance *instance, const struct kt_device *device,
                          const struct kt_traced *traced, struct kt_error *err)
{
	const struct kt_region *region = template_->region;
	int64_t *original = kt_arena_array(arena, region->parameter_count + 1, sizeof *original);
	int64_t ones[KT_PROBLEM_VARIABLES];

	*out = (struct kt_derived){.subject = {template_, instance, device, original}};
	NEED(original, kt_fail(err, KT_ERR_MEMORY, "derived shapes: out of memory"));
	for (size_t i = 0; i < region->parameter_count; i++)
		TRY(kt_region_original(&original[i], region, instance, i, err));
	if (region->variable_count == 0 || region->problem_count == 0)
		return KT_OK;
	NEED(out->listed = kt_arena_array(arena, region->problem_count, sizeof *out->listed),
	     kt_fail(err, KT_ERR_MEMORY, "derived shapes: out of memory"));
	const struct limits most = limits_of(out->listed, &out->subject);
	out->bytes_most = most.bytes;
	out->flops_most = most.flops;
	for (size_t v = 0; v < region->variable_count; v++)
		ones[v] = 1;
	if (traced != NULL)
		add_traced(out, traced);
	add_small(out, &most);
	for (size_t shape = 0; shape < KT_SIZE_KINDS; shape++)
		add_shape(out, shape, &most);
	(void)add(out, ones, &most);
	return KT_OK;
}

uint32_t kt_derived_covers(const struct kt_derived *derived, const int64_t *configuration)
{
	uint32_t covers = 0;

	for (size_t i = 0; i < derived->count; i++) {
		const struct kt_check check = kt_derived_check(derived, i);
		const struct kt_check_scope scope = {&derived->subject, configuration, &check};

		if (kt_check_allowed(&scope))
			covers |= (uint32_t)1 << i;
	}
	return covers;
}

void kt_derived_coverage(struct kt_coverage *out, const struct kt_derived *derived, const struct kt_space *space)
{
	const size_t total = kt_space_feasible(space);

	*out = (struct kt_coverage){.asked = total < asked_most ? total : asked_most};
	for (size_t i = 0; i < out->asked; i++) {
		const size_t index = i * total / out->asked;
		const uint32_t covers = kt_derived_covers(derived, kt_space_get(space, index));
		const size_t count = (size_t)__builtin_popcount(covers);

		if (i == 0 || count > out->most) {
			out->most = count;
			out->widest = 0;
			out->covers = covers;
			out->index = index;
		}
		out->widest += count == out->most;
	}
}
