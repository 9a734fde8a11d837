#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing/internal.h"

static const char *const directions[] = {
    [KT_IN] = "in", [KT_OUT] = "out", [KT_INOUT] = "inout", [KT_SCRATCH] = "scratch"};

static cJSON *real_item(double value)
{
	if (isnan(value))
		return cJSON_CreateString("nan");
	return isinf(value) ? cJSON_CreateString(value > 0 ? "inf" : "-inf") : cJSON_CreateNumber(value);
}

static cJSON *geometry_json(const struct kt_geometry *geometry)
{
	cJSON *json = cJSON_CreateObject();
	cJSON *grid = cJSON_AddArrayToObject(json, "grid"), *block = cJSON_AddArrayToObject(json, "block");
	for (size_t i = 0; i < 3; i++) {
		(void)cJSON_AddItemToArray(grid, kt_json_create_int(geometry->grid[i]));
		(void)cJSON_AddItemToArray(block, kt_json_create_int(geometry->block[i]));
	}
	(void)kt_json_add_int(json, "shared_bytes", geometry->shared_bytes);
	return json;
}

static void add_geometry(cJSON *object, const struct kt_geometry *geometry)
{
	(void)cJSON_AddItemToObject(object, "geometry", geometry_json(geometry));
}

static kt_status add_problem_text(cJSON *object, const struct kt_subject *subject, const struct kt_check *check,
                                  struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_check_print(&text, subject, check);
	kt_status status = kt_buf_check(&text, "the text of a problem", err);
	if (!status && !cJSON_AddStringToObject(object, "problem", kt_buf_text(&text)))
		status = kt_no_memory(err);
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

/* What a parameter or a member of one is: a buffer by its number, or a number of that type. */
static kt_status add_kind(cJSON *item, const struct kt_subject *subject, size_t i, struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	const int64_t buffer = find_buffer(region, i);

	if (kt_instance_element(subject->instance, i)->bytes == 0)
		return kt_fail(err, KT_ERR_INVALID, "argument '%s' has a type that cannot be built", argument_name(region, i));
	if (region->arguments[i].is_pointer && buffer < 0)
		return kt_fail(err, KT_ERR_INVALID, "pointer '%s' appears in no in, out, inout or scratch clause",
		               argument_name(region, i));
	if (region->arguments[i].is_pointer)
		(void)kt_json_add_int(item, "buffer", buffer);
	else
		(void)cJSON_AddStringToObject(item, "element", kt_scalar_name(subject->instance->elements[i]));
	return KT_OK;
}

static bool is_whole(const struct kt_subject *subject, size_t argument)
{
	return subject->instance->bytes != NULL && subject->instance->bytes[argument] > 0;
}

/* The next member of an argument from there on; where there is none, the end of all. */
static size_t next_member(const struct kt_region *region, size_t argument, size_t from)
{
	const size_t end = region->argument_count + region->member_count;

	while (from < end && region->arguments[from].parent != argument)
		from++;
	return from;
}

static kt_status add_members(cJSON *item, const struct kt_subject *subject, size_t argument, struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	const size_t end = region->argument_count + region->member_count;
	cJSON *array = cJSON_AddArrayToObject(item, "members");

	(void)kt_json_add_int(item, "bytes", subject->instance->bytes[argument]);
	for (size_t m = next_member(region, argument, region->argument_count); m < end;
	     m = next_member(region, argument, m + 1)) {
		cJSON *member = kt_json_append(array);

		(void)kt_json_add_int(member, "offset", subject->instance->offsets[m - region->argument_count]);
		TRY(add_kind(member, subject, m, err));
	}
	return KT_OK;
}

static kt_status add_arguments(cJSON *request, const struct kt_subject *subject, struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	cJSON *array = cJSON_AddArrayToObject(request, "arguments");

	for (size_t i = 0; i < region->argument_count; i++) {
		cJSON *item = kt_json_append(array);
		if (region->arguments[i].space == KT_SPACE_LOCAL)
			(void)cJSON_AddBoolToObject(item, "local", true);
		else
			TRY(is_whole(subject, i) ? add_members(item, subject, i, err)
						 : add_kind(item, subject, i, err));
	}
	return KT_OK;
}

/* What a scalar argument gets: a value, or a problem variable. */
struct number {
	bool is_value, integral;
	const char *text; /* of the value, in the user's spelling */
	int64_t integer;
	double real;
};

static kt_status number_of(struct number *out, const struct kt_subject *subject, const struct kt_check *check,
                           size_t argument, struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	const struct kt_scope scope = {region, subject->original, check->problem, subject->device};
	const struct kt_value *value = find_value(region, argument);
	const int64_t variable = kt_region_carried(region, argument);
	kt_status status = KT_OK;

	if (!value && variable < 0)
		return kt_fail(err, KT_ERR_INVALID, "argument '%s' has no value(…) and is no problem variable",
		               argument_name(region, argument));
	*out = (struct number){.is_value = value, .integral = !value || value->integral, .text = value ? value->text : ""};
	if (!value)
		out->integer = check->problem[variable];
	else if (value->integral)
		status = kt_scope_value(&out->integer, &scope, (size_t)(value - region->values), err);
	out->real = out->integral ? (double)out->integer : value->number;
	return status;
}

static kt_status value_item(cJSON **out, const struct kt_subject *subject, const struct kt_check *check,
                            size_t argument, struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	const enum kt_scalar element = subject->instance->elements[argument];
	struct number number;
	TRY(number_of(&number, subject, check, argument, err));

	if (kt_scalar_is_float(element)) {
		*out = real_item(number.real);
		return KT_OK;
	}
	if (!number.integral)
		return kt_fail(err, KT_ERR_INVALID, "argument '%s' is an integer, its value '%s' is not",
		               argument_name(region, argument), number.text);
	if (!kt_check_fits(element, number.integer, number.is_value))
		return kt_fail(err, KT_ERR_INVALID, "argument '%s' is %s and cannot be %lld", argument_name(region, argument),
		               kt_scalar_name(element), (long long)number.integer);
	*out = kt_json_create_int(number.integer);
	return KT_OK;
}

static kt_status add_value(cJSON *array, const struct kt_subject *subject, const struct kt_check *check,
                           size_t argument, struct kt_error *err)
{
	cJSON *item = NULL;

	if (subject->template_->region->arguments[argument].is_pointer)
		item = cJSON_CreateNull();
	else
		TRY(value_item(&item, subject, check, argument, err));
	(void)cJSON_AddItemToArray(array, item);
	return KT_OK;
}

/* One per parameter; of a structure or a vector a list, one per member. */
static kt_status add_values(cJSON *problem_json, const struct kt_subject *subject, const struct kt_check *check,
                            struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	const size_t end = region->argument_count + region->member_count;
	cJSON *array = cJSON_AddArrayToObject(problem_json, "values");
	kt_status status = KT_OK;

	for (size_t i = 0; !status && i < region->argument_count; i++) {
		if (!is_whole(subject, i)) {
			status = add_value(array, subject, check, i, err);
			continue;
		}
		cJSON *members = cJSON_CreateArray();

		(void)cJSON_AddItemToArray(array, members);
		for (size_t m = next_member(region, i, region->argument_count); !status && m < end;
		     m = next_member(region, i, m + 1))
			status = add_value(members, subject, check, m, err);
	}
	return status;
}

/* ---- the host reference */

static void add_host(cJSON *request, const struct kt_region *region, const char *program)
{
	cJSON *host = cJSON_AddObjectToObject(request, "host");
	(void)cJSON_AddStringToObject(host, "program", program);
	cJSON *buffers = cJSON_AddArrayToObject(host, "buffers");
	for (size_t i = 0; i < region->reference.parameter_count; i++)
		(void)cJSON_AddItemToArray(buffers, kt_json_create_int(region->reference.parameters[i].buffer));
}

/* What the kernel gets, as a double; the request has been refused where there is nothing. */
static double host_value(const struct kt_subject *subject, const struct kt_check *check, size_t argument)
{
	struct number number = {0};
	struct kt_error ignored;

	if (number_of(&number, subject, check, argument, &ignored) != KT_OK)
		return 0;
	return subject->instance->elements[argument] == KT_F32 ? (double)(float)number.real : number.real;
}

static void add_host_values(cJSON *problem_json, const struct kt_subject *subject, const struct kt_check *check)
{
	const struct kt_host_reference *reference = &subject->template_->region->reference;
	cJSON *array = cJSON_AddArrayToObject(problem_json, "host_values");
	for (size_t i = 0; i < reference->parameter_count; i++) {
		const struct kt_host_parameter *p = &reference->parameters[i];
		cJSON *item = NULL;
		if (p->buffer >= 0)
			item = cJSON_CreateNull();
		else
			item = real_item(p->argument >= 0 ? host_value(subject, check, (size_t)p->argument)
			                                  : (double)check->problem[p->variable]);
		(void)cJSON_AddItemToArray(array, item);
	}
}

/* ---- buffers */

static enum kt_direction direction_of(const struct kt_buffer *buffer)
{
	return buffer->scratch ? KT_SCRATCH : buffer->direction;
}

static void add_symbol(cJSON *item, const struct kt_device_symbol *symbol)
{
	cJSON *object = cJSON_AddObjectToObject(item, "symbol");
	kt_json_add_text(object, "name", symbol->name);
	(void)kt_json_add_int(object, "elements", symbol->elements);
}

/*
 * The members for each part of a buffer's elements: beside the rest where there is one part, else in a list. `add` gets
 * the object, the element and the part.
 */
static void add_parts(cJSON *item, const char *list, const struct kt_element *element,
                      void (*add)(cJSON *, const struct kt_element *, size_t, const void *), const void *context)
{
	cJSON *array = element->part_count > 1 ? cJSON_AddArrayToObject(item, list) : NULL;
	for (size_t i = 0; i < element->part_count; i++) {
		cJSON *own = array ? cJSON_CreateObject() : item;
		add(own, element, i, context);
		if (array)
			(void)cJSON_AddItemToArray(array, own);
	}
}

static void add_limits(cJSON *item, const struct kt_element *element, size_t part, const void *context)
{
	const struct kt_buffer *buffer = context;
	double absolute = 0, relative = 0;
	kt_tolerance_default(&absolute, &relative, element->parts[part].scalar);
	(void)cJSON_AddNumberToObject(item, "absolute", buffer->absolute >= 0 ? buffer->absolute : absolute);
	(void)cJSON_AddNumberToObject(item, "relative", buffer->relative >= 0 ? buffer->relative : relative);
}

static kt_status add_buffers(cJSON *request, const struct kt_subject *subject, struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	cJSON *array = cJSON_AddArrayToObject(request, "buffers");
	bool any_output = false;
	for (size_t b = 0; b < region->buffer_count; b++) {
		const struct kt_buffer *buffer = &region->buffers[b];
		const struct kt_element *element = kt_buffer_element(buffer, subject->instance);
		cJSON *item = kt_json_append(array);
		(void)cJSON_AddStringToObject(item, "name", buffer->name);
		(void)cJSON_AddItemToObject(item, "element", kt_element_print(element));
		(void)cJSON_AddStringToObject(item, "direction", directions[direction_of(buffer)]);
		add_parts(item, "limits", element, add_limits, buffer);
		if (buffer->argument < 0)
			add_symbol(item, &buffer->symbol);
		any_output = any_output || (!buffer->scratch && buffer->direction != KT_IN);
	}
	return any_output ? KT_OK
	                  : kt_fail(err, KT_ERR_INVALID, "no buffer is out or inout: there is nothing to compare");
}

static void add_place(cJSON *item, const struct kt_subject *subject, const struct kt_check *check, size_t buffer)
{
	const int64_t offset = kt_check_offset(subject, check, buffer);
	if (offset)
		(void)kt_json_add_int(item, "offset", offset);
	if (check->alias == (int64_t)buffer)
		(void)kt_json_add_int(item, "alias", check->alias_of);
}

/* A buffer, and how its groups are filled on this problem. */
struct filling {
	const struct kt_check *check;
	const struct kt_buffer *buffer;
	struct kt_fill fills[KT_ELEMENT_NUMBERS + 1];
};

static kt_status read_fills(struct filling *out, const struct kt_check_scope *scope, size_t buffer, struct kt_error *err)
{
	for (size_t group = 0; group <= out->buffer->member_count && group <= KT_ELEMENT_NUMBERS; group++)
		TRY(kt_check_bounds(&out->fills[group], scope, buffer, group, err));
	return KT_OK;
}

static void add_fill(cJSON *item, const struct kt_element *element, size_t part, const void *context)
{
	const struct filling *filling = context;
	struct kt_buffer own = *filling->buffer;
	const size_t group = element->numbers[element->parts[part].first].group;
	own.fill = filling->fills[group <= own.member_count ? group : 0];
	const struct kt_fill fill = kt_check_fill(filling->check, &own, element->parts[part].scalar);
	(void)cJSON_AddStringToObject(item, "fill", kt_fill_names[fill.kind]);
	(void)cJSON_AddNumberToObject(item, "a", fill.a);
	(void)cJSON_AddNumberToObject(item, "b", fill.b);
	cJSON *numbers = fill.count > 0 ? cJSON_AddArrayToObject(item, "numbers") : NULL;
	for (size_t i = 0; i < fill.count; i++)
		(void)cJSON_AddItemToArray(numbers, cJSON_CreateNumber(kt_fill_number(&fill, i)));
}

static void add_file(cJSON *item, const struct kt_data_file *file)
{
	cJSON *object = cJSON_AddObjectToObject(item, "file");
	(void)cJSON_AddStringToObject(object, "path", file->path);
	(void)cJSON_AddStringToObject(object, "hash", file->hash);
}

static kt_status add_data(cJSON *problem_json, int64_t *read_bytes, int64_t *write_bytes,
                          const struct kt_subject *subject, const struct kt_check *check, struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	const struct kt_check_scope scope = {subject, NULL, check};
	cJSON *array = cJSON_AddArrayToObject(problem_json, "buffers");
	for (size_t b = 0; b < region->buffer_count; b++) {
		struct kt_buffer held;
		if (kt_check_buffer(&held, &scope, b, err))
			return kt_fail_prefix(err, "arguments");
		const struct kt_buffer *buffer = &held;
		const struct kt_element *element = kt_buffer_element(buffer, subject->instance);
		struct filling filling = {.check = check, .buffer = buffer};
		int64_t count = 0;
		if (kt_check_count(&count, &scope, b, err))
			return kt_fail_prefix(err, "arguments");
		if (read_fills(&filling, &scope, b, err))
			return kt_fail_prefix(err, "arguments");
		int64_t bytes = count * (int64_t)element->bytes;
		enum kt_direction direction = direction_of(buffer);
		if (direction == KT_IN || direction == KT_INOUT)
			*read_bytes += bytes;
		if (direction == KT_OUT || direction == KT_INOUT)
			*write_bytes += bytes;
		cJSON *item = kt_json_append(array);
		(void)kt_json_add_int(item, "count", count);
		add_parts(item, "fills", element, add_fill, &filling);
		if (buffer->file.text)
			add_file(item, &buffer->file);
		(void)kt_json_add_int(item, "seed", kt_check_seed(subject, check, b));
		add_place(item, subject, check, b);
	}
	return KT_OK;
}

/* The clause `bytes` replaces the sum; reads and writes keep their shares. */
static kt_status add_traffic(cJSON *problem_json, int64_t read_bytes, int64_t write_bytes,
                             const struct kt_subject *subject, const struct kt_check *check, struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	struct kt_check_scope scope = {subject, NULL, check};
	int64_t total = 0;
	if (region->bytes.expr) {
		kt_status status = kt_expr_eval(&total, region->bytes.expr, kt_check_lookup, &scope, err);
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

/* Of the original: one, or one per kernel of a launch region. */
static kt_status add_geometries(cJSON *item, const struct kt_check_scope *scope, struct kt_error *err)
{
	const bool steps = scope->subject->template_->region->step_count > 0;
	cJSON *array = steps ? cJSON_AddArrayToObject(item, "geometries") : NULL;
	kt_status status = KT_OK;
	for (size_t i = 0; !status && i < kt_check_steps(scope->subject); i++) {
		struct kt_geometry geometry;
		status = kt_check_step(&geometry, scope, i, err);
		if (!status && steps)
			(void)cJSON_AddItemToArray(array, geometry_json(&geometry));
		else if (!status)
			add_geometry(item, &geometry);
	}
	return status;
}

static kt_status add_problem(cJSON *array, const struct kt_subject *subject, const struct kt_check *check, bool timed,
                             struct kt_error *err)
{
	const struct kt_check_scope scope = {subject, NULL, check};
	int64_t read_bytes = 0, write_bytes = 0;
	cJSON *item = kt_json_append(array);
	TRY(add_problem_text(item, subject, check, err));
	if (!timed)
		(void)cJSON_AddBoolToObject(item, "check", true);
	TRY(add_geometries(item, &scope, err));
	TRY(add_values(item, subject, check, err));
	TRY(add_data(item, &read_bytes, &write_bytes, subject, check, err));
	return add_traffic(item, read_bytes, write_bytes, subject, check, err);
}

/* The kernels of a launch region; their names in the cubin are in `functions`, a blank between two. NULL: unknown. */
static void add_steps(cJSON *request, const struct kt_region *region, const char *functions)
{
	cJSON *array = region->step_count > 0 ? cJSON_AddArrayToObject(request, "steps") : NULL;
	for (size_t s = 0; s < region->step_count; s++) {
		const struct kt_region_step *step = &region->steps[s];
		cJSON *item = kt_json_append(array), *arguments = NULL;
		if (functions) {
			const size_t length = strcspn(functions, " ");
			char *name = strndup(functions, length);
			/* Without its name the runner refuses the region. */
			kt_json_add_text(item, "function", name);
			free(name);
			functions += length + (functions[length] == ' ');
		}
		arguments = cJSON_AddArrayToObject(item, "arguments");
		for (size_t a = 0; a < step->argument_count; a++)
			(void)cJSON_AddItemToArray(arguments, kt_json_create_int((int64_t)step->arguments[a]));
	}
}

/* Device variables that no clause names and no kernel may change. */
static void add_constants(cJSON *request, const struct kt_region *region)
{
	cJSON *array = region->constant_count ? cJSON_AddArrayToObject(request, "constants") : NULL;
	for (size_t i = 0; i < region->constant_count && i < KT_CONSTANTS_WATCHED; i++)
		(void)cJSON_AddItemToArray(array, cJSON_CreateString(region->constants[i]));
}

/* For a driver that compiles itself. */
static void add_options(cJSON *request, const struct kt_subject *subject)
{
	kt_json_add_text(request, "options", subject->template_->build_options);
}

kt_status kt_request_region(cJSON **out, const struct kt_subject *subject, const struct kt_rows *rows,
                            const char *cubin, const char *function, const char *host, double limit_s,
                            struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	cJSON *request = cJSON_CreateObject();
	kt_status status = KT_OK;
	if (rows->timed == 0)
		status = kt_fail(err, KT_ERR_INVALID, "there is no problem to run");
	(void)cJSON_AddStringToObject(request, "request", "region");
	(void)cJSON_AddStringToObject(request, "name", region->name);
	(void)cJSON_AddStringToObject(request, "instance", subject->instance->name);
	if (cubin && function) {
		(void)cJSON_AddStringToObject(request, "cubin", cubin);
		if (region->step_count == 0)
			(void)cJSON_AddStringToObject(request, "function", function);
	}
	add_steps(request, region, cubin ? function : NULL);
	add_options(request, subject);
	(void)cJSON_AddNumberToObject(request, "limit_s", limit_s);
	THEN(status, add_arguments(request, subject, err));
	THEN(status, add_buffers(request, subject, err));
	add_constants(request, region);
	if (host)
		add_host(request, region, host);
	cJSON *problems = cJSON_AddArrayToObject(request, "problems");
	for (size_t r = 0; !status && r < rows->count; r++) {
		status = add_problem(problems, subject, &rows->checks[r], r < rows->timed, err);
		if (!status && host)
			add_host_values(cJSON_GetArrayItem(problems, (int)r), subject, &rows->checks[r]);
	}
	if (status)
		cJSON_Delete(request);
	else
		*out = request;
	return status;
}

/* ---- candidates */

/* The first of names with a blank between two, and those after it. */
static void add_functions(cJSON *object, const char *functions)
{
	cJSON *further = strchr(functions, ' ') ? cJSON_AddArrayToObject(object, "further") : NULL;
	for (bool first = true; *functions; first = false) {
		const size_t length = strcspn(functions, " ");
		char *name = strndup(functions, length);
		/* Without its name the runner refuses the candidate. */
		if (name && first)
			(void)cJSON_AddStringToObject(object, "function", name);
		else if (name)
			(void)cJSON_AddItemToArray(further, cJSON_CreateString(name));
		free(name);
		functions += length + (functions[length] == ' ');
	}
}

static kt_status add_further(cJSON *item, const struct kt_check_scope *scope, struct kt_error *err)
{
	const size_t count = scope->subject->template_->further_count;
	cJSON *array = count ? cJSON_AddArrayToObject(item, "further") : NULL;
	for (size_t i = 1; i <= count; i++) {
		struct kt_geometry geometry;
		TRY(kt_check_kernel(&geometry, scope, i, err));
		(void)cJSON_AddItemToArray(array, geometry_json(&geometry));
	}
	return KT_OK;
}

/* Names and element types of temporaries; add_temporary_counts adds their sizes for each problem. */
static void add_temporaries(cJSON *object, const struct kt_template *t)
{
	cJSON *array = t->temporary_count ? cJSON_AddArrayToObject(object, "temporaries") : NULL;
	for (size_t i = 0; i < t->temporary_count; i++) {
		cJSON *item = kt_json_append(array);
		(void)cJSON_AddStringToObject(item, "name", t->temporaries[i].name);
		(void)cJSON_AddStringToObject(item, "element", kt_scalar_name(t->temporaries[i].element));
	}
}

static kt_status add_temporary_counts(cJSON *item, const struct kt_check_scope *scope, struct kt_error *err)
{
	const size_t count = scope->subject->template_->temporary_count;
	int64_t counts[KT_TEMPORARIES];
	kt_status status = count ? kt_check_temporaries(counts, scope, err) : KT_OK;
	cJSON *array = count ? cJSON_AddArrayToObject(item, "temporaries") : NULL;
	for (size_t i = 0; !status && i < count; i++)
		(void)cJSON_AddItemToArray(array, kt_json_create_int(counts[i]));
	return status;
}

static kt_status add_names(cJSON *object, const struct kt_subject *subject, const struct kt_candidate *candidate,
                           struct kt_error *err)
{
	const struct kt_template *t = subject->template_;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_configuration_print(&text, t->parameters, t->parameter_count, candidate->configuration);
	kt_status status = kt_buf_check(&text, "a configuration's text", err);
	if (!status) {
		(void)cJSON_AddStringToObject(object, "configuration", kt_buf_text(&text));
		kt_json_add_text(object, "cubin", candidate->cubin);
		if (candidate->function)
			add_functions(object, candidate->function);
		add_temporaries(object, t);
		add_options(object, subject);
	}
	kt_buf_free(&text);
	return status;
}

kt_status kt_request_candidate(cJSON *object, const struct kt_subject *subject, const struct kt_rows *rows,
                               const struct kt_candidate *candidate, const double *give_up_ns, struct kt_asked asked,
                               struct kt_error *err)
{
	const size_t begin = rows->timed + asked.first, end = begin + asked.count;
	/* The original goes by the empty configuration. */
	const bool original = !candidate->cubin && !candidate->configuration;
	kt_status status = KT_OK;
	if (original)
		(void)cJSON_AddStringToObject(object, "configuration", "");
	else
		status = add_names(object, subject, candidate, err);
	cJSON *problems = original ? NULL : cJSON_AddArrayToObject(object, "problems");
	for (size_t r = 0; !original && !status && r < rows->count; r++) {
		const struct kt_check_scope scope = {subject, candidate->configuration, &rows->checks[r]};
		struct kt_geometry geometry;
		cJSON *item = kt_json_append(problems);
		/* Where a guard keeps the variant out the original runs, and there is nothing to be wrong. */
		if ((r >= rows->timed && (r < begin || r >= end)) || !kt_check_allowed(&scope)) {
			(void)cJSON_AddBoolToObject(item, "skip", true);
			continue;
		}
		status = kt_check_geometry(&geometry, &scope, err);
		if (status)
			break;
		add_geometry(item, &geometry);
		status = add_further(item, &scope, err);
		THEN(status, add_temporary_counts(item, &scope, err));
		if (give_up_ns && r < rows->timed && give_up_ns[r] > 0)
			(void)cJSON_AddNumberToObject(item, "give_up_ns", give_up_ns[r]);
	}
	return status;
}
