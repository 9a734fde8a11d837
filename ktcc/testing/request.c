#include <math.h>
#include <string.h>

#include "testing/internal.h"

static const char *const directions[] = {
    [KT_IN] = "in", [KT_OUT] = "out", [KT_INOUT] = "inout", [KT_SCRATCH] = "scratch"};
static const char *const fills[] = {[KT_FILL_UNIFORM] = "uniform", [KT_FILL_NORMAL] = "normal",
                                    [KT_FILL_IOTA] = "iota", [KT_FILL_ZEROS] = "zeros", [KT_FILL_RANGE] = "range"};

const int64_t *kt_target_problem(const struct kt_target *target, size_t problem)
{
	const struct kt_region *region = target->template_->region;
	return region->variable_count ? region->problems + problem * region->variable_count : NULL;
}

static struct kt_scope scope_of(const struct kt_target *target, size_t problem)
{
	return (struct kt_scope){target->template_->region, target->original, kt_target_problem(target, problem),
	                         target->device};
}

static cJSON *int_item(int64_t value)
{
	cJSON *holder = cJSON_CreateObject();
	/* The one place that knows how large integers are written. */
	(void)kt_json_add_int(holder, "value", value);
	cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(holder, "value");
	cJSON_Delete(holder);
	return item;
}

static cJSON *real_item(double value)
{
	if (isnan(value))
		return cJSON_CreateString("nan");
	return isinf(value) ? cJSON_CreateString(value > 0 ? "inf" : "-inf") : cJSON_CreateNumber(value);
}

static void add_geometry(cJSON *object, const struct kt_geometry *geometry)
{
	cJSON *json = cJSON_AddObjectToObject(object, "geometry");
	cJSON *grid = cJSON_AddArrayToObject(json, "grid"), *block = cJSON_AddArrayToObject(json, "block");
	for (size_t i = 0; i < 3; i++) {
		(void)cJSON_AddItemToArray(grid, int_item(geometry->grid[i]));
		(void)cJSON_AddItemToArray(block, int_item(geometry->block[i]));
	}
	(void)kt_json_add_int(json, "shared_bytes", geometry->shared_bytes);
}

static kt_status add_problem_text(cJSON *object, const struct kt_target *target, size_t problem, struct kt_error *err)
{
	const struct kt_region *region = target->template_->region;
	const int64_t *values = kt_target_problem(target, problem);
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	for (size_t v = 0; v < region->variable_count; v++)
		kt_buf_addf(&text, "%s%s=%lld", v ? " " : "", region->variables[v], (long long)values[v]);
	kt_status status = kt_buf_check(&text, "the text of a problem", err);
	if (!status && !cJSON_AddStringToObject(object, "problem", kt_buf_text(&text)))
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory");
	kt_buf_free(&text);
	return status;
}

/* ---- the kernel's arguments */

static const struct kt_value *find_value(const struct kt_region *region, size_t argument)
{
	for (size_t i = 0; i < region->value_count; i++) {
		if (region->values[i].argument == (int64_t)argument)
			return &region->values[i];
	}
	return NULL;
}

/* The problem variable that an argument carries: by name, else as a launch binds it. −1: none. */
static int64_t find_variable(const struct kt_region *region, size_t argument)
{
	for (size_t v = 0; v < region->variable_count; v++) {
		if (strcmp(region->variables[v], region->arguments[argument].name) == 0)
			return (int64_t)v;
	}
	for (size_t l = 0; l < region->launch_count; l++) {
		const struct kt_launch *launch = &region->launches[l];
		for (size_t v = 0; launch->bindings && v < region->variable_count; v++) {
			if (launch->bindings[v].argument == (int64_t)argument)
				return (int64_t)v;
		}
	}
	return -1;
}

static int64_t find_buffer(const struct kt_region *region, size_t argument)
{
	for (size_t b = 0; b < region->buffer_count; b++) {
		if (region->buffers[b].argument == (int64_t)argument)
			return (int64_t)b;
	}
	return -1;
}

static const char *argument_name(const struct kt_region *region, size_t argument)
{
	const char *name = region->arguments[argument].name;
	return name && *name ? name : "without a name";
}

static kt_status add_arguments(cJSON *request, const struct kt_target *target, struct kt_error *err)
{
	const struct kt_region *region = target->template_->region;
	cJSON *array = cJSON_AddArrayToObject(request, "arguments");
	for (size_t i = 0; i < region->argument_count; i++) {
		enum kt_scalar element = target->instance->elements[i];
		cJSON *item = cJSON_CreateObject();
		(void)cJSON_AddItemToArray(array, item);
		if (region->arguments[i].space == KT_SPACE_LOCAL) {
			(void)cJSON_AddBoolToObject(item, "local", true);
			continue;
		}
		if (element == KT_SCALAR_NONE)
			return kt_fail(err, KT_ERR_INVALID, "argument '%s' has a type that cannot be built",
			               argument_name(region, i));
		if (region->arguments[i].is_pointer) {
			int64_t buffer = find_buffer(region, i);
			if (buffer < 0)
				return kt_fail(err, KT_ERR_INVALID,
					       "pointer '%s' stands in no in, out, inout or scratch clause",
					       argument_name(region, i));
			(void)kt_json_add_int(item, "buffer", buffer);
		} else {
			(void)cJSON_AddStringToObject(item, "element", kt_scalar_name(element));
		}
	}
	return KT_OK;
}

static kt_status add_values(cJSON *problem_json, const struct kt_target *target, size_t problem, struct kt_error *err)
{
	const struct kt_region *region = target->template_->region;
	cJSON *array = cJSON_AddArrayToObject(problem_json, "values");
	for (size_t i = 0; i < region->argument_count; i++) {
		bool real = kt_scalar_is_float(target->instance->elements[i]);
		const struct kt_value *value = find_value(region, i);
		int64_t variable = find_variable(region, i), integer = 0;
		cJSON *item = NULL;
		if (region->arguments[i].is_pointer) {
			item = cJSON_CreateNull();
		} else if (value && !real && !value->integral) {
			return kt_fail(err, KT_ERR_INVALID, "argument '%s' is an integer, its value '%s' is not",
			               argument_name(region, i), value->text);
		} else if (value) {
			item = real ? real_item(value->number) : int_item(value->integer);
		} else if (variable >= 0) {
			integer = kt_target_problem(target, problem)[variable];
			item = real ? real_item((double)integer) : int_item(integer);
		} else {
			return kt_fail(err, KT_ERR_INVALID, "argument '%s' has no value(…) and is no problem variable",
				       argument_name(region, i));
		}
		(void)cJSON_AddItemToArray(array, item);
	}
	return KT_OK;
}

/* ---- buffers */

static enum kt_direction direction_of(const struct kt_buffer *buffer)
{
	return buffer->scratch ? KT_SCRATCH : buffer->direction;
}

static kt_status add_buffers(cJSON *request, const struct kt_target *target, struct kt_error *err)
{
	const struct kt_region *region = target->template_->region;
	cJSON *array = cJSON_AddArrayToObject(request, "buffers");
	for (size_t b = 0; b < region->buffer_count; b++) {
		const struct kt_buffer *buffer = &region->buffers[b];
		double absolute = 0, relative = 0;
		/* The region's record has no element type for a device symbol. */
		if (buffer->argument < 0 || (size_t)buffer->argument >= region->argument_count)
			return kt_fail(err, KT_ERR_INVALID, "'%s' is a device symbol, which cannot be filled",
				       buffer->name);
		enum kt_scalar element = target->instance->elements[buffer->argument];
		kt_tolerance_default(&absolute, &relative, element);
		if (buffer->absolute >= 0)
			absolute = buffer->absolute;
		if (buffer->relative >= 0)
			relative = buffer->relative;
		cJSON *item = cJSON_CreateObject();
		(void)cJSON_AddItemToArray(array, item);
		(void)cJSON_AddStringToObject(item, "name", buffer->name);
		(void)cJSON_AddStringToObject(item, "element", kt_scalar_name(element));
		(void)cJSON_AddStringToObject(item, "direction", directions[direction_of(buffer)]);
		(void)cJSON_AddNumberToObject(item, "absolute", absolute);
		(void)cJSON_AddNumberToObject(item, "relative", relative);
	}
	return KT_OK;
}

/* Without a clause: small numbers of both signs, and integers that are small in every type. */
static struct kt_fill fill_of(const struct kt_buffer *buffer, enum kt_scalar element)
{
	if (buffer->fill.kind != KT_FILL_DEFAULT)
		return buffer->fill;
	if (kt_scalar_is_float(element))
		return (struct kt_fill){KT_FILL_UNIFORM, -1, 1};
	return (struct kt_fill){KT_FILL_RANGE, 0, element == KT_BOOL ? 1 : 127};
}

static kt_status add_data(cJSON *problem_json, int64_t *read_bytes, int64_t *write_bytes,
                          const struct kt_target *target, size_t problem, struct kt_error *err)
{
	const struct kt_region *region = target->template_->region;
	struct kt_scope scope = scope_of(target, problem);
	cJSON *array = cJSON_AddArrayToObject(problem_json, "buffers");
	for (size_t b = 0; b < region->buffer_count; b++) {
		const struct kt_buffer *buffer = &region->buffers[b];
		enum kt_scalar element = target->instance->elements[buffer->argument];
		struct kt_fill fill = fill_of(buffer, element);
		int64_t count = 0, bytes = 0;
		kt_status status = kt_expr_eval(&count, buffer->count.expr, kt_scope_lookup, &scope, err);
		if (status) {
			(void)kt_fail_prefix(err, "size of '%s'", buffer->name);
			return kt_fail_prefix(err, "arguments");
		}
		if (count < 0 || __builtin_mul_overflow(count, (int64_t)kt_scalar_bytes(element), &bytes) ||
		    bytes > INT64_MAX / 256)
			return kt_fail(err, KT_ERR_INVALID, "'%s' would have %lld elements", buffer->name,
			               (long long)count);
		enum kt_direction direction = direction_of(buffer);
		if (direction == KT_IN || direction == KT_INOUT)
			*read_bytes += bytes;
		if (direction == KT_OUT || direction == KT_INOUT)
			*write_bytes += bytes;
		cJSON *item = cJSON_CreateObject();
		(void)cJSON_AddItemToArray(array, item);
		(void)kt_json_add_int(item, "count", count);
		(void)cJSON_AddStringToObject(item, "fill", fills[fill.kind]);
		(void)cJSON_AddNumberToObject(item, "a", fill.a);
		(void)cJSON_AddNumberToObject(item, "b", fill.b);
		/* Different data in every buffer and problem, the same on every run. */
		(void)kt_json_add_int(item, "seed", 1 + (int64_t)(problem * KT_PARAMETERS * 4 + b));
	}
	return KT_OK;
}

/* The clause `bytes` replaces the sum; reads and writes keep their shares. */
static kt_status add_traffic(cJSON *problem_json, int64_t read_bytes, int64_t write_bytes,
                             const struct kt_target *target, size_t problem, struct kt_error *err)
{
	const struct kt_region *region = target->template_->region;
	struct kt_scope scope = scope_of(target, problem);
	int64_t total = 0;
	if (region->bytes.expr) {
		kt_status status = kt_expr_eval(&total, region->bytes.expr, kt_scope_lookup, &scope, err);
		if (status)
			return kt_fail_prefix(err, "bytes");
		int64_t sum = read_bytes + write_bytes;
		read_bytes = sum ? (int64_t)((double)total * ((double)read_bytes / (double)sum)) : total;
		write_bytes = total - read_bytes;
	}
	(void)kt_json_add_int(problem_json, "read_bytes", read_bytes);
	(void)kt_json_add_int(problem_json, "write_bytes", write_bytes);
	return KT_OK;
}

static kt_status add_problem(cJSON *array, const struct kt_target *target, size_t problem, struct kt_error *err)
{
	struct kt_scope scope = scope_of(target, problem);
	struct kt_geometry geometry;
	int64_t read_bytes = 0, write_bytes = 0;
	cJSON *item = cJSON_CreateObject();
	(void)cJSON_AddItemToArray(array, item);
	kt_status status = add_problem_text(item, target, problem, err);
	if (!status)
		status = kt_region_geometry(&geometry, &scope, err);
	if (status)
		return status;
	add_geometry(item, &geometry);
	status = add_values(item, target, problem, err);
	if (!status)
		status = add_data(item, &read_bytes, &write_bytes, target, problem, err);
	return status ? status : add_traffic(item, read_bytes, write_bytes, target, problem, err);
}

/* For a driver that compiles itself. */
static void add_options(cJSON *request, const struct kt_target *target)
{
	if (target->template_->build_options != NULL)
		(void)cJSON_AddStringToObject(request, "options", target->template_->build_options);
}

kt_status kt_request_region(cJSON **out, const struct kt_target *target, const char *cubin, const char *function,
                            double limit_s, struct kt_error *err)
{
	const struct kt_region *region = target->template_->region;
	cJSON *request = cJSON_CreateObject();
	kt_status status = KT_OK;
	if (region->problem_count == 0)
		status = kt_fail(err, KT_ERR_INVALID, "there is no problem to run");
	(void)cJSON_AddStringToObject(request, "request", "region");
	(void)cJSON_AddStringToObject(request, "name", region->name);
	(void)cJSON_AddStringToObject(request, "instance", target->instance->name);
	if (cubin && function) {
		(void)cJSON_AddStringToObject(request, "cubin", cubin);
		(void)cJSON_AddStringToObject(request, "function", function);
	}
	add_options(request, target);
	(void)cJSON_AddNumberToObject(request, "limit_s", limit_s);
	if (!status)
		status = add_arguments(request, target, err);
	if (!status)
		status = add_buffers(request, target, err);
	cJSON *problems = cJSON_AddArrayToObject(request, "problems");
	for (size_t p = 0; !status && p < region->problem_count; p++)
		status = add_problem(problems, target, p, err);
	if (status)
		cJSON_Delete(request);
	else
		*out = request;
	return status;
}

/* ---- candidates */

struct candidate_scope {
	const struct kt_template *template_;
	const int64_t *configuration;
	struct kt_scope region;
};

/* The template's parameters hide those of the region. */
static bool candidate_lookup(int64_t *value, const char *name, void *context)
{
	struct candidate_scope *scope = context;
	for (size_t i = 0; i < scope->template_->parameter_count; i++) {
		if (strcmp(scope->template_->parameters[i].name, name) == 0) {
			*value = scope->configuration[i];
			return true;
		}
	}
	return kt_scope_lookup(value, name, &scope->region);
}

static kt_status eval_dimensions(int64_t out[3], const struct kt_clause_expr *clauses, size_t count,
                                 struct candidate_scope *scope, const char *what, struct kt_error *err)
{
	if (count == 0)
		return kt_fail(err, KT_ERR_INVALID, "the %s is unknown", what);
	for (size_t i = 0; i < 3; i++) {
		out[i] = 1;
		if (i < count && clauses[i].expr) {
			kt_status status = kt_expr_eval(&out[i], clauses[i].expr, candidate_lookup, scope, err);
			if (status)
				return kt_fail_prefix(err, "%s", what);
		}
	}
	return KT_OK;
}

static kt_status candidate_geometry(struct kt_geometry *out, const struct kt_target *target,
                                    const int64_t *configuration, size_t problem, struct kt_error *err)
{
	const struct kt_template *t = target->template_;
	struct candidate_scope scope = {t, configuration, scope_of(target, problem)};
	kt_status status = eval_dimensions(out->grid, t->grid, t->grid_count, &scope, "grid", err);
	if (!status)
		status = eval_dimensions(out->block, t->block, t->block_count, &scope, "block", err);
	out->shared_bytes = 0;
	if (!status && t->shared_bytes.expr) {
		status = kt_expr_eval(&out->shared_bytes, t->shared_bytes.expr, candidate_lookup, &scope, err);
		if (status)
			return kt_fail_prefix(err, "shared memory");
	}
	return status;
}

kt_status kt_request_candidate(cJSON *object, const struct kt_target *target, const struct kt_candidate *candidate,
                               const double *give_up_ns, struct kt_error *err)
{
	const struct kt_template *t = target->template_;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	/* The original goes by the empty configuration. */
	if (!candidate->cubin && !candidate->configuration)
		return cJSON_AddStringToObject(object, "configuration", "")
			   ? KT_OK
			   : kt_fail(err, KT_ERR_MEMORY, "out of memory");
	kt_configuration_print(&text, t->parameters, t->parameter_count, candidate->configuration);
	kt_status status = kt_buf_check(&text, "a configuration's text", err);
	if (!status) {
		(void)cJSON_AddStringToObject(object, "configuration", kt_buf_text(&text));
		if (candidate->cubin)
			(void)cJSON_AddStringToObject(object, "cubin", candidate->cubin);
		if (candidate->function)
			(void)cJSON_AddStringToObject(object, "function", candidate->function);
		add_options(object, target);
	}
	kt_buf_free(&text);
	cJSON *problems = cJSON_AddArrayToObject(object, "problems");
	for (size_t p = 0; !status && p < t->region->problem_count; p++) {
		struct kt_geometry geometry;
		cJSON *item = cJSON_CreateObject();
		(void)cJSON_AddItemToArray(problems, item);
		status = candidate_geometry(&geometry, target, candidate->configuration, p, err);
		if (status)
			break;
		add_geometry(item, &geometry);
		if (give_up_ns && give_up_ns[p] > 0)
			(void)cJSON_AddNumberToObject(item, "give_up_ns", give_up_ns[p]);
	}
	return status;
}
