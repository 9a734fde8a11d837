/* What a launch of the original needs, whether it can be one, and the largest of them. */
#include "testing/cases.h"

#include <string.h>

#include "base/device.h"

int64_t kt_cases_bytes(const struct kt_subject *subject, const struct kt_check *check)
{
	const struct kt_region *region = subject->template_->region;
	const struct kt_check_scope scope = {subject, NULL, check};
	int64_t bytes = 0;

	for (size_t b = 0; b < region->buffer_count; b++) {
		struct kt_error ignored;
		int64_t count = 0;

		if (kt_check_count(&count, &scope, b, &ignored) != KT_OK || count < 1)
			return -1;
		if (__builtin_add_overflow(
		        bytes, count * (int64_t)kt_buffer_element(&region->buffers[b], subject->instance)->bytes,
		        &bytes))
			return -1;
	}
	return bytes;
}

int64_t kt_cases_flops(const struct kt_subject *subject, const struct kt_check *check)
{
	const struct kt_clause_expr *flops = &subject->template_->region->flops;
	struct kt_check_scope scope = {subject, NULL, check};
	struct kt_error ignored;
	int64_t value = 0;

	return flops->expr != NULL && kt_expr_eval(&value, flops->expr, kt_check_lookup, &scope, &ignored) == KT_OK ? value
	                                                                                                            : 0;
}

/* An integer argument has to hold the variable that it carries. */
static bool variables_fit(const struct kt_subject *subject, const struct kt_check *check)
{
	const struct kt_region *region = subject->template_->region;

	for (size_t a = 0; a < region->argument_count + region->member_count; a++) {
		const int64_t variable = kt_region_carried(region, a);
		const enum kt_scalar element = subject->instance->elements[a];

		if (variable < 0 || region->arguments[a].is_pointer || kt_scalar_is_float(element))
			continue;
		if (!kt_check_fits(element, check->problem[variable], false))
			return false;
	}
	return true;
}

/* Values and bounds that are expressions have to exist there. */
static bool data_fits(const struct kt_subject *subject, const struct kt_check *check)
{
	const struct kt_region *region = subject->template_->region;
	const struct kt_scope scope = {region, subject->original, check->problem, subject->device};
	const struct kt_check_scope bounds = {subject, NULL, check};
	struct kt_error ignored;
	struct kt_fill fill;

	for (size_t v = 0; v < region->value_count; v++) {
		const struct kt_value *value = &region->values[v];
		int64_t integer;

		if (value->expr.expr == NULL)
			continue;
		if (kt_scope_value(&integer, &scope, v, &ignored) != KT_OK)
			return false;
		if (value->argument >= 0 && !kt_scalar_is_float(subject->instance->elements[value->argument]) &&
		    !kt_check_fits(subject->instance->elements[value->argument], integer, true))
			return false;
	}
	for (size_t b = 0; b < region->buffer_count; b++)
		for (size_t group = 0; group <= region->buffers[b].member_count; group++)
			if (kt_check_bounds(&fill, &bounds, b, group, &ignored) != KT_OK)
				return false;
	return true;
}

static bool step_fits(const struct kt_check_scope *scope, size_t step)
{
	const struct kt_device *device = scope->subject->device;
	struct kt_geometry geometry;
	struct kt_error ignored;

	if (kt_check_step(&geometry, scope, step, &ignored) != KT_OK)
		return false;
	for (size_t i = 0; i < 3; i++)
		if (device->max_grid[i] > 0 && geometry.grid[i] > device->max_grid[i])
			return false;
	return true;
}

bool kt_cases_is_launch(const struct kt_subject *subject, const struct kt_check *check)
{
	const struct kt_check_scope scope = {subject, NULL, check};

	if (!variables_fit(subject, check) || !data_fits(subject, check))
		return false;
	for (size_t i = 0; i < kt_check_steps(subject); i++)
		if (!step_fits(&scope, i))
			return false;
	return kt_check_allowed(&scope);
}

bool kt_cases_largest(struct kt_check *out, struct kt_arena *arena, const struct kt_subject *subject,
                      int64_t most_bytes)
{
	const struct kt_region *region = subject->template_->region;
	int64_t *values = kt_arena_array(arena, region->variable_count + 1, sizeof *values);
	struct kt_check check = {.seed = 1 + (int64_t)region->problem_count, .shifted = -1, .alias = -1, .alias_of = -1};
	int64_t base = 0;

	if (values == NULL || region->variable_count == 0 || region->problem_count == 0)
		return false;
	for (size_t p = 0; p < region->problem_count; p++) {
		const struct kt_check problem = kt_check_of_problem(subject, p);
		const int64_t bytes = kt_cases_bytes(subject, &problem);

		if (bytes > base) {
			base = bytes;
			memcpy(values, problem.problem, region->variable_count * sizeof *values);
		}
	}
	check.problem = values;
	for (size_t v = 0; v < region->variable_count && base > 0; v++) {
		const int64_t before = values[v];

		/* Doubling keeps what divides the tuned size; the original limits how far it can be launched. */
		for (int64_t next = before; next < INT64_MAX / 4; next *= 2) {
			values[v] = next * 2;
			const int64_t bytes = kt_cases_bytes(subject, &check);

			if (bytes <= base || bytes > most_bytes || !kt_cases_is_launch(subject, &check)) {
				values[v] = next;
				break;
			}
		}
		if (values[v] != before) {
			*out = check;
			return true;
		}
	}
	return false;
}
