#include "base/region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/device.h"

const struct kt_element *kt_instance_element(const struct kt_instance *instance, size_t argument)
{
	return instance->layouts != NULL && instance->layouts[argument] != NULL
	           ? instance->layouts[argument] : kt_element_of(instance->elements[argument]);
}

const struct kt_element *kt_buffer_element(const struct kt_buffer *buffer, const struct kt_instance *instance)
{
	if (buffer->argument >= 0)
		return kt_instance_element(instance, (size_t)buffer->argument);
	return buffer->symbol.element != NULL ? buffer->symbol.element : kt_element_of(KT_SCALAR_NONE);
}

int64_t kt_buffer_unit(const struct kt_buffer *buffer, const struct kt_instance *instance)
{
	return buffer->type != NULL ? 1 : (int64_t)kt_buffer_element(buffer, instance)->bytes;
}

void kt_region_extents(struct kt_region *region, const struct kt_extents *extents)
{
	region->grid_count = extents->grid_count;
	region->block_count = extents->block_count;
	memcpy(region->grid, extents->grid, sizeof region->grid);
	memcpy(region->block, extents->block, sizeof region->block);
	region->shared_bytes = extents->shared_bytes;
}

bool kt_region_divide(struct kt_arena *arena, struct kt_region *region)
{
	for (size_t i = 0; i < region->instance_count; i++) {
		const struct kt_extents *e = region->instances[i].extents;
		struct kt_region *own = e != NULL ? kt_arena_alloc(arena, sizeof *own) : NULL;

		if (e == NULL)
			continue;
		if (own == NULL)
			return false;
		*own = *region;
		own->whole = region;
		kt_region_extents(own, e);
		region->instances[i].region = own;
	}
	return true;
}

const struct kt_region *kt_region_for(const struct kt_region *region, size_t instance)
{
	return instance < region->instance_count && region->instances[instance].region != NULL
	           ? region->instances[instance].region : region;
}

const struct kt_region *kt_region_whole(const struct kt_region *region)
{
	return region != NULL && region->whole != NULL ? region->whole : region;
}

bool kt_region_reaches(const struct kt_region *region, const struct kt_launch *launch)
{
	return region->is_imported && launch->decline == NULL && !launch->is_routed && !region->is_overloaded;
}

void kt_region_withdraw(struct kt_region *region)
{
	static bool nothing[1];
	const struct kt_region r = *region;

	*region = (struct kt_region){
	    .language = r.language, .name = r.name, .kernel = r.kernel, .qualified = r.qualified, .file = r.file,
	    .line = r.line, .column = r.column, .decline = r.decline, .decline_detail = r.decline_detail,
	    .pragma = r.pragma, .block_range = r.block_range, .reopened = "", .specialize = nothing,
	    .budget_seconds = r.budget_seconds, .budget_trials = r.budget_trials,
	    .closure = "", .near_key = "", .clauses = "",
	};
}

/* "128", "0x40", "64u", "true" or one in parentheses. */
static bool read_integer(int64_t *out, const char *text)
{
	if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
		*out = text[0] == 't';
		return true;
	}
	char *end = NULL;
	errno = 0;
	long long value = strtoll(text, &end, 0);
	if (end == text || errno != 0)
		return false;
	end += strspn(end, "uUlL");
	*out = value;
	return *end == '\0';
}

kt_status kt_region_original(int64_t *out, const struct kt_region *region, const struct kt_instance *instance,
                             size_t parameter, struct kt_error *err)
{
	if (parameter >= region->parameter_count)
		return kt_fail(err, KT_ERR_INVALID, "%s has no parameter %zu", region->name, parameter);
	const struct kt_parameter *p = &region->parameters[parameter];
	if (p->kind != KT_PARAMETER_TEMPLATE) {
		*out = p->original;
		return KT_OK;
	}
	if (p->template_index >= instance->argument_count)
		return kt_fail(err, KT_ERR_INVALID, "instance %s has no template argument for %s", instance->name, p->name);
	const char *text = instance->arguments[p->template_index];
	if (!read_integer(out, text))
		return kt_fail(err, KT_ERR_INVALID, "template argument \"%s\" of %s is not an integer", text, p->name);
	return KT_OK;
}

int64_t kt_region_carried(const struct kt_region *region, size_t argument)
{
	for (size_t v = 0; v < region->variable_count; v++)
		if (strcmp(region->variables[v], region->arguments[argument].name) == 0)
			return (int64_t)v;
	for (size_t l = 0; l < region->launch_count; l++) {
		const struct kt_launch *launch = &region->launches[l];

		for (size_t v = 0; launch->bindings != NULL && v < region->variable_count; v++)
			if (launch->bindings[v].argument == (int64_t)argument)
				return (int64_t)v;
	}
	return -1;
}

bool kt_value_constant(int64_t *out, const struct kt_value *value)
{
	*out = value->integer;
	return value->integral && value->expr.expr == NULL;
}

/* What values see of a scope: the integral ones before them, worked out once each. */
struct earlier {
	const struct kt_scope *scope;
	size_t count;
	bool known[KT_VALUES];
	int64_t numbers[KT_VALUES];
};

static bool scope_lookup(int64_t *value, const char *name, const struct kt_scope *scope, const struct earlier *earlier);

static bool earlier_lookup(int64_t *value, const char *name, void *context)
{
	const struct earlier *e = context;
	return scope_lookup(value, name, e->scope, e);
}

/* All values up to that one. One without a value that it needs is why it has none. */
static kt_status work_out(struct earlier *e, size_t last, struct kt_error *err)
{
	const struct kt_region *region = e->scope->region;
	struct kt_error first = {0};
	kt_status status = KT_OK;
	for (e->count = 0; e->count <= last && e->count < KT_VALUES; e->count++) {
		const struct kt_value *v = &region->values[e->count];
		e->known[e->count] = kt_value_constant(&e->numbers[e->count], v);
		status = KT_OK;
		if (v->expr.expr == NULL)
			continue;
		status = kt_expr_eval(&e->numbers[e->count], v->expr.expr, earlier_lookup, e, err);
		e->known[e->count] = status == KT_OK;
		if (status == KT_OK)
			continue;
		(void)kt_fail_prefix(err, "value(%s = %s)", v->name, v->text);
		if (first.code == KT_OK)
			first = *err;
	}
	if (status == KT_ERR_MISSING)
		*err = first;
	return e->known[last] ? KT_OK : status;
}

kt_status kt_scope_value(int64_t *out, const struct kt_scope *scope, size_t value, struct kt_error *err)
{
	struct earlier e = {.scope = scope};
	const struct kt_value *v = &scope->region->values[value];
	if (value >= KT_VALUES)
		return kt_fail(err, KT_ERR_LIMIT, "more than %d values", KT_VALUES);
	TRY(work_out(&e, value, err));
	if (!e.known[value])
		return kt_fail(err, KT_ERR_INVALID, "value(%s = %s) is no integer", v->name, v->text);
	*out = e.numbers[value];
	return KT_OK;
}

static bool value_lookup(int64_t *value, size_t index, const struct kt_scope *scope, const struct earlier *earlier)
{
	struct kt_error ignored;
	if (earlier == NULL)
		return kt_scope_value(value, scope, index, &ignored) == KT_OK;
	*value = earlier->numbers[index];
	return index < earlier->count && earlier->known[index];
}

static bool scope_lookup(int64_t *value, const char *name, const struct kt_scope *scope, const struct earlier *earlier)
{
	const struct kt_region *region = scope->region;
	for (size_t i = 0; scope->configuration != NULL && i < region->parameter_count; i++)
		if (strcmp(region->parameters[i].name, name) == 0) {
			*value = scope->configuration[i];
			return true;
		}
	for (size_t i = 0; scope->problem != NULL && i < region->variable_count; i++)
		if (strcmp(region->variables[i], name) == 0) {
			*value = scope->problem[i];
			return true;
		}
	for (size_t i = 0; i < region->value_count; i++)
		if (region->values[i].integral && strcmp(region->values[i].name, name) == 0)
			return value_lookup(value, i, scope, earlier);
	for (size_t i = 0; scope->problem != NULL && i < region->argument_count + region->member_count; i++) {
		const struct kt_argument *argument = &region->arguments[i];
		const int64_t variable = !argument->is_pointer && strcmp(argument->name, name) == 0
		                             ? kt_region_carried(region, i) : -1;

		if (variable >= 0) {
			*value = scope->problem[variable];
			return true;
		}
	}
	return scope->device != NULL && kt_device_lookup(value, name, scope->device);
}

bool kt_scope_lookup(int64_t *value, const char *name, void *context)
{
	return scope_lookup(value, name, context, NULL);
}

static kt_status evaluate(int64_t *out, const struct kt_clause_expr *clause, const char *what, int64_t least,
                          const struct kt_scope *scope, struct kt_error *err)
{
	struct kt_scope copy = *scope;
	kt_status status = kt_expr_eval(out, clause->expr, kt_scope_lookup, &copy, err);
	if (status != KT_OK)
		return kt_fail_prefix(err, "%s: %s(%s)", scope->region->name, what, clause->text);
	if (*out < least)
		return kt_fail(err, KT_ERR_INVALID, "%s: %s(%s) is %lld", scope->region->name, what, clause->text,
		               (long long)*out);
	return KT_OK;
}

/* Three extents a side and the dynamic shared memory. */
static kt_status geometry_of(struct kt_geometry *out, const struct kt_clause_expr *grid, size_t grid_count,
                             const struct kt_clause_expr *block, size_t block_count,
                             const struct kt_clause_expr *shared, const struct kt_scope *scope, struct kt_error *err)
{
	struct kt_geometry geometry = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
	if (grid_count == 0 || block_count == 0)
		return kt_fail(err, KT_ERR_INVALID, "the launch geometry of %s is not known", scope->region->name);
	for (size_t i = 0; i < grid_count; i++)
		TRY(evaluate(&geometry.grid[i], &grid[i], "grid", 1, scope, err));
	for (size_t i = 0; i < block_count; i++)
		TRY(evaluate(&geometry.block[i], &block[i], "block", 1, scope, err));
	if (shared->expr != NULL)
		TRY(evaluate(&geometry.shared_bytes, shared, "smem", 0, scope, err));
	*out = geometry;
	return KT_OK;
}

kt_status kt_region_geometry(struct kt_geometry *out, const struct kt_scope *scope, struct kt_error *err)
{
	const struct kt_region *r = scope->region;
	return geometry_of(out, r->grid, r->grid_count, r->block, r->block_count, &r->shared_bytes, scope, err);
}

kt_status kt_region_weights(double **out, struct kt_arena *arena, const struct kt_region *region,
                            const struct kt_device *device, struct kt_error *err)
{
	struct kt_scope scope = {.region = region, .device = device};
	double *weights = kt_arena_array(arena, region->problem_count + 1, sizeof *weights), sum = 0;
	int64_t value = 0;

	*out = NULL;
	if (region->weight.expr == NULL)
		return KT_OK;
	NEED(weights, kt_fail(err, KT_ERR_MEMORY, "weights: out of memory"));
	for (size_t p = 0; p < region->problem_count; p++) {
		scope.problem = region->problems + p * region->variable_count;
		TRY(evaluate(&value, &region->weight, "weight", 0, &scope, err));
		weights[p] = (double)value;
		sum += weights[p];
	}
	if (!(sum > 0))
		return kt_fail(err, KT_ERR_INVALID, "%s: every problem has the weight 0", region->name);
	for (size_t p = 0; p < region->problem_count; p++)
		weights[p] *= (double)region->problem_count / sum;
	*out = weights;
	return KT_OK;
}

kt_status kt_step_geometry(struct kt_geometry *out, size_t step, const struct kt_scope *scope, struct kt_error *err)
{
	const struct kt_region_step *s = &scope->region->steps[step];
	return geometry_of(out, s->grid, s->grid_count, s->block, s->block_count, &s->shared_bytes, scope, err);
}

int64_t kt_variable_nearest(const struct kt_variable_bounds *bounds, int64_t value)
{
	const int64_t below = value < bounds->most ? value : bounds->most;

	if (bounds->step == 0)
		return value;
	return below <= bounds->least ? bounds->least : bounds->least + (below - bounds->least) / bounds->step * bounds->step;
}
