/* Requests read into the records of backend.h. */
#include "messages.h"

#include <math.h>
#include <string.h>

static const char *const direction_names[] = {
    [KT_IN] = "in", [KT_OUT] = "out", [KT_INOUT] = "inout", [KT_SCRATCH] = "scratch"};

static bool find(int *out, const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (names[i] && strcmp(names[i], name) == 0) {
			*out = (int)i;
			return true;
		}
	}
	return false;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static kt_status required_array(const cJSON **out, size_t *count, size_t most, const cJSON *object, const char *name,
                                struct kt_error *err)
{
	TRY(kt_json_array_or(out, object, name, err));
	if (!*out)
		return kt_fail(err, KT_ERR_INVALID, "%s is missing", name);
	*count = (size_t)cJSON_GetArraySize(*out);
	if (*count > most)
		return kt_fail(err, KT_ERR_LIMIT, "%s has %zu items, at most %zu are allowed", name, *count, most);
	return KT_OK;
}

static kt_status read_vector(int64_t out[3], const cJSON *object, const char *name, struct kt_error *err)
{
	const cJSON *array = NULL;
	size_t count = 0;
	TRY(required_array(&array, &count, 3, object, name, err));
	if (count != 3)
		return kt_fail(err, KT_ERR_INVALID, "%s has %zu dimensions instead of 3", name, count);
	for (int i = 0; i < 3; i++) {
		TRY(kt_json_item_int(&out[i], cJSON_GetArrayItem(array, i), err));
	}
	return KT_OK;
}

static kt_status read_extents(struct kt_geometry *out, const cJSON *geometry, struct kt_error *err)
{
	TRY(read_vector(out->grid, geometry, "grid", err));
	TRY(read_vector(out->block, geometry, "block", err));
	return kt_json_int_or(&out->shared_bytes, geometry, "shared_bytes", 0, err);
}

static kt_status read_geometry(struct kt_geometry *out, const cJSON *object, struct kt_error *err)
{
	const cJSON *geometry = NULL;
	TRY(kt_json_object_or(&geometry, object, "geometry", err));
	return geometry ? read_extents(out, geometry, err) : kt_fail(err, KT_ERR_INVALID, "geometry is missing");
}

/* Of the original's kernels: one, or one per step. */
static kt_status read_geometries(struct kt_run_problem *out, const struct kt_run_region *region, struct kt_arena *arena,
                                 const cJSON *item, struct kt_error *err)
{
	const cJSON *array = NULL;
	size_t count = 0;
	if (region->step_count == 0)
		return read_geometry(&out->geometry, item, err);
	TRY(required_array(&array, &count, KT_RUN_STEPS, item, "geometries", err));
	if (count != region->step_count)
		return kt_fail(err, KT_ERR_INVALID, "%zu geometries for %zu steps", count, region->step_count);
	NEED(out->further = kt_arena_array(arena, count, sizeof *out->further), kt_no_memory(err));
	for (size_t i = 0; i < count; i++)
		TRY(read_extents(i ? &out->further[i - 1] : &out->geometry, cJSON_GetArrayItem(array, (int)i), err));
	return KT_OK;
}

static kt_status read_element(enum kt_scalar *out, const cJSON *object, struct kt_arena *arena, struct kt_error *err)
{
	const char *name = NULL;
	TRY(kt_json_string(&name, arena, object, "element", err));
	*out = kt_scalar_from_name(name);
	return *out == KT_SCALAR_NONE ? kt_fail(err, KT_ERR_INVALID, "unknown element type '%s'", name) : KT_OK;
}

static kt_status read_buffer_index(bool *is_buffer, size_t *out, const struct kt_run_region *region, const cJSON *item,
                                   struct kt_error *err)
{
	int64_t buffer = -1;
	TRY(kt_json_int_or(&buffer, item, "buffer", -1, err));
	*is_buffer = buffer >= 0;
	if (*is_buffer && (uint64_t)buffer >= region->buffer_count)
		return kt_fail(err, KT_ERR_INVALID, "an argument names buffer %lld of %zu", (long long)buffer,
		               region->buffer_count);
	*out = *is_buffer ? (size_t)buffer : 0;
	return KT_OK;
}

/* The members of a structure or vector, each within its bytes. */
static kt_status read_members(struct kt_run_argument *out, struct kt_run_region *region, struct kt_arena *arena,
                              const cJSON *item, struct kt_error *err)
{
	const cJSON *array = NULL, *one = NULL;
	int64_t bytes = 0, offset = 0;
	TRY(kt_json_int(&bytes, item, "bytes", err));
	TRY(required_array(&array, &out->member_count, KT_RUN_MEMBERS, item, "members", err));
	if (bytes < 1 || bytes > KT_RUN_ARGUMENT_BYTES)
		return kt_fail(err, KT_ERR_INVALID, "an argument has %lld bytes", (long long)bytes);
	out->bytes = (size_t)bytes;
	NEED(out->members = kt_arena_array(arena, out->member_count + 1, sizeof *out->members), kt_no_memory(err));
	struct kt_run_member *member = out->members;
	cJSON_ArrayForEach(one, array)
	{
		TRY(kt_json_int(&offset, one, "offset", err));
		TRY(read_buffer_index(&member->is_buffer, &member->buffer, region, one, err));
		if (!member->is_buffer)
			TRY(read_element(&member->element, one, arena, err));
		const size_t size = member->is_buffer ? sizeof(uint64_t) : kt_scalar_bytes(member->element);
		if (offset < 0 || (uint64_t)offset + size > out->bytes)
			return kt_fail(err, KT_ERR_INVALID, "a member at %lld is outside the argument's %zu bytes",
			               (long long)offset, out->bytes);
		member->offset = (size_t)offset;
		member++;
	}
	return KT_OK;
}

static kt_status read_argument(struct kt_run_argument *out, unsigned *locals, struct kt_run_region *region,
                               struct kt_arena *arena, const cJSON *item, struct kt_error *err)
{
	if (cJSON_HasObjectItem(item, "members"))
		return read_members(out, region, arena, item, err);
	TRY(read_buffer_index(&out->is_buffer, &out->buffer, region, item, err));
	TRY(kt_json_bool_or(&out->is_local, item, "local", false, err));
	if (out->is_local && (out->is_buffer || (*locals)++))
		return kt_fail(err, KT_ERR_INVALID, "at most one argument is local memory, and it is no buffer");
	return out->is_buffer || out->is_local ? KT_OK : read_element(&out->element, item, arena, err);
}

static kt_status read_arguments(struct kt_run_region *out, struct kt_arena *arena, const cJSON *request,
                                struct kt_error *err)
{
	const cJSON *array = NULL, *item = NULL;
	size_t bytes = 0, members = 0;
	unsigned locals = 0;
	TRY(required_array(&array, &out->argument_count, KT_RUN_ARGUMENTS, request, "arguments", err));
	NEED(out->arguments = kt_arena_array(arena, out->argument_count + 1, sizeof *out->arguments),
	     kt_no_memory(err));
	struct kt_run_argument *argument = out->arguments;
	cJSON_ArrayForEach(item, array)
	{
		TRY(read_argument(argument, &locals, out, arena, item, err));
		argument->first_value = out->argument_count + members;
		members += argument->member_count;
		bytes += argument->bytes;
		argument++;
	}
	out->value_count = out->argument_count + members;
	if (members > KT_RUN_MEMBERS || bytes > KT_RUN_ARGUMENT_BYTES)
		return kt_fail(err, KT_ERR_LIMIT, "arguments of %zu members and %zu bytes", members, bytes);
	return KT_OK;
}

static kt_status read_step(struct kt_run_step *out, const struct kt_run_region *region, struct kt_arena *arena,
                           const cJSON *item, struct kt_error *err)
{
	const cJSON *list = NULL, *one = NULL;
	TRY(kt_json_string_or(&out->function, arena, item, "function", NULL, err));
	TRY(required_array(&list, &out->argument_count, KT_RUN_ARGUMENTS, item, "arguments", err));
	NEED(out->arguments = kt_arena_array(arena, out->argument_count + 1, sizeof *out->arguments),
	     kt_no_memory(err));
	size_t *next = out->arguments;
	cJSON_ArrayForEach(one, list)
	{
		int64_t index = 0;
		TRY(kt_json_item_int(&index, one, err));
		if (index < 0 || (uint64_t)index >= region->argument_count)
			return kt_fail(err, KT_ERR_INVALID, "a step names argument %lld of %zu", (long long)index,
			               region->argument_count);
		*next++ = (size_t)index;
	}
	return KT_OK;
}

/* The kernels of an original that is several; absent: it is one. */
static kt_status read_steps(struct kt_run_region *out, struct kt_arena *arena, const cJSON *request,
                            struct kt_error *err)
{
	const cJSON *array = NULL;
	if (!cJSON_HasObjectItem(request, "steps"))
		return KT_OK;
	kt_status status = required_array(&array, &out->step_count, KT_RUN_STEPS, request, "steps", err);
	if (!status && out->step_count == 0)
		return kt_fail(err, KT_ERR_INVALID, "steps is empty");
	out->steps = status ? NULL : kt_arena_array(arena, out->step_count, sizeof *out->steps);
	if (!status && !out->steps)
		return kt_no_memory(err);
	for (size_t i = 0; !status && i < out->step_count; i++)
		status = read_step(&out->steps[i], out, arena, cJSON_GetArrayItem(array, (int)i), err);
	return status;
}

/* What computes the outputs on the host: a program and, one per parameter of its function, a buffer or -1; or nothing. */
static kt_status read_host(struct kt_run_region *out, struct kt_arena *arena, const cJSON *request,
                           struct kt_error *err)
{
	const cJSON *host = NULL, *array = NULL, *item = NULL;
	int64_t *next = NULL;
	TRY(kt_json_object_or(&host, request, "host", err));
	if (!host)
		return KT_OK;
	TRY(kt_json_string(&out->host_program, arena, host, "program", err));
	TRY(required_array(&array, &out->host_count, KT_RUN_ARGUMENTS, host, "buffers", err));
	out->host_buffers = next = kt_arena_array(arena, out->host_count + 1, sizeof *out->host_buffers);
	NEED(next, kt_no_memory(err));
	cJSON_ArrayForEach(item, array)
	{
		TRY(kt_json_item_int(next, item, err));
		if (*next < -1 || *next >= (int64_t)out->buffer_count)
			return kt_fail(err, KT_ERR_INVALID, "the host reference names buffer %lld of %zu", (long long)*next,
			               out->buffer_count);
		next++;
	}
	return KT_OK;
}

/* A buffer that is a device symbol; absent: it is none. */
static kt_status read_symbol(struct kt_run_buffer *out, struct kt_arena *arena, const cJSON *item, struct kt_error *err)
{
	const cJSON *symbol = NULL;
	int64_t elements = 0;
	TRY(kt_json_object_or(&symbol, item, "symbol", err));
	if (!symbol)
		return KT_OK;
	TRY(kt_json_string(&out->symbol, arena, symbol, "name", err));
	TRY(kt_json_int(&elements, symbol, "elements", err));
	if (elements < 1 || elements > KT_RUN_SYMBOL_BYTES / (int64_t)out->element->bytes)
		return kt_fail(err, KT_ERR_INVALID, "device symbol %s has %lld elements", out->name, (long long)elements);
	out->symbol_bytes = (size_t)elements * out->element->bytes;
	return KT_OK;
}

/* One tolerance for all parts of the element, or one each. */
static kt_status read_limits(struct kt_run_buffer *out, struct kt_arena *arena, const cJSON *item, struct kt_error *err)
{
	const size_t parts = out->element->part_count;
	const cJSON *array = NULL;
	struct kt_limits *limits = kt_arena_array(arena, parts + 1, sizeof *limits);
	TRY(kt_json_array_or(&array, item, "limits", err));
	NEED(limits, kt_no_memory(err));
	if (array && (size_t)cJSON_GetArraySize(array) != parts)
		return kt_fail(err, KT_ERR_INVALID, "%s: limits of %d parts, its elements have %zu", out->name,
		               cJSON_GetArraySize(array), parts);
	for (size_t i = 0; i < parts; i++) {
		const cJSON *own = array ? cJSON_GetArrayItem(array, (int)i) : item;
		TRY(kt_json_double_or(&limits[i].absolute, own, "absolute", 0, err));
		TRY(kt_json_double_or(&limits[i].relative, own, "relative", 0, err));
	}
	out->limits = limits;
	return KT_OK;
}

static kt_status read_buffer_element(struct kt_run_buffer *out, size_t *parts, struct kt_arena *arena,
                                     const cJSON *item, struct kt_error *err)
{
	kt_status status = kt_element_read(&out->element, arena, cJSON_GetObjectItemCaseSensitive(item, "element"), err);
	if (status)
		return kt_fail_prefix(err, "%s", out->name);
	if (out->element->bytes == 0)
		return kt_fail(err, KT_ERR_INVALID, "unknown element type '%s'", "none");
	out->further = *parts;
	*parts += out->element->part_count - 1;
	return *parts <= KT_RUN_PARTS ? KT_OK
	                              : kt_fail(err, KT_ERR_LIMIT, "the elements of the buffers have more than %d parts",
	                                        KT_RUN_PARTS);
}

static kt_status read_buffers(struct kt_run_region *out, struct kt_arena *arena, const cJSON *request,
                              struct kt_error *err)
{
	const cJSON *array = NULL, *item = NULL;
	TRY(required_array(&array, &out->buffer_count, KT_RUN_BUFFERS, request, "buffers", err));
	NEED(out->buffers = kt_arena_array(arena, out->buffer_count + 1, sizeof *out->buffers), kt_no_memory(err));
	struct kt_run_buffer *buffer = out->buffers;
	size_t parts = 0;
	cJSON_ArrayForEach(item, array)
	{
		const char *direction = NULL;
		int value = 0;
		TRY(kt_json_string(&buffer->name, arena, item, "name", err));
		TRY(read_buffer_element(buffer, &parts, arena, item, err));
		TRY(kt_json_string(&direction, arena, item, "direction", err));
		TRY(read_limits(buffer, arena, item, err));
		if (!find(&value, direction_names, COUNT(direction_names), direction))
			return kt_fail(err, KT_ERR_INVALID, "unknown direction '%s'", direction);
		buffer->direction = (enum kt_direction)value;
		TRY(read_symbol(buffer, arena, item, err));
		buffer++;
	}
	return KT_OK;
}

static kt_status read_constants(struct kt_run_region *out, struct kt_arena *arena, const cJSON *request,
                                struct kt_error *err)
{
	const cJSON *array = NULL, *item = NULL;
	if (!cJSON_HasObjectItem(request, "constants"))
		return KT_OK;
	TRY(required_array(&array, &out->constant_count, KT_RUN_CONSTANTS, request, "constants", err));
	const char **next = out->constants = kt_arena_array(arena, out->constant_count + 1, sizeof *out->constants);
	NEED(next, kt_no_memory(err));
	cJSON_ArrayForEach(item, array)
	{
		if (!cJSON_IsString(item))
			return kt_fail(err, KT_ERR_INVALID, "constants: a name expected");
		*next = kt_arena_strdup(arena, item->valuestring);
		if (!*next++)
			return kt_no_memory(err);
	}
	return KT_OK;
}

/* Where the buffer is: after an aligned address, or in the memory of another one. */
static kt_status read_place(struct kt_run_data *out, size_t index, const struct kt_run_buffer *buffers,
                            const cJSON *item, struct kt_error *err)
{
	int64_t offset = 0, alias = -1;
	const size_t size = buffers[index].element->align;
	TRY(kt_json_int_or(&offset, item, "offset", 0, err));
	TRY(kt_json_int_or(&alias, item, "alias", -1, err));
	if (offset < 0 || offset > 15 || (size_t)offset % size || (offset && buffers[index].symbol))
		return kt_fail(err, KT_ERR_INVALID, "%s cannot begin at an offset of %lld bytes", buffers[index].name,
		               (long long)offset);
	out->offset = (size_t)offset;
	out->alias = alias < 0 ? KT_NO_ALIAS : (size_t)alias;
	if (buffers[index].symbol && (size_t)out->count > buffers[index].symbol_bytes / buffers[index].element->bytes)
		return kt_fail(err, KT_ERR_INVALID, "device symbol %s has %zu elements, not %lld", buffers[index].name,
		               buffers[index].symbol_bytes / buffers[index].element->bytes, (long long)out->count);
	return KT_OK;
}

/* An argument may be where an earlier buffer is, or a device symbol; that one is where it is itself. */
static kt_status check_alias(const struct kt_run_data *all, size_t index, const struct kt_run_region *region,
                             struct kt_error *err)
{
	const struct kt_run_buffer *buffers = region->buffers;
	const size_t alias = all[index].alias;
	if (alias == KT_NO_ALIAS)
		return KT_OK;
	if (buffers[index].symbol || alias >= region->buffer_count || (alias >= index && !buffers[alias].symbol) ||
	    all[alias].alias != KT_NO_ALIAS || !kt_element_same(buffers[alias].element, buffers[index].element) ||
	    all[alias].count != all[index].count)
		return kt_fail(err, KT_ERR_INVALID, "%s cannot be an alias of buffer %zu", buffers[index].name, alias);
	return KT_OK;
}

static kt_status read_numbers(struct kt_fill *out, const cJSON *item, struct kt_error *err)
{
	const cJSON *array = NULL;
	TRY(required_array(&array, &out->count, KT_FILL_NUMBERS, item, "numbers", err));
	for (size_t i = 0; i < out->count; i++) {
		const cJSON *number = cJSON_GetArrayItem(array, (int)i);
		if (!cJSON_IsNumber(number) || !isfinite(number->valuedouble))
			return kt_fail(err, KT_ERR_INVALID, "numbers: a finite number expected");
		kt_fill_set(out, i, number->valuedouble);
	}
	return out->count ? KT_OK : kt_fail(err, KT_ERR_INVALID, "a choice between no numbers");
}

static kt_status read_fill(struct kt_fill *out, enum kt_scalar scalar, struct kt_arena *arena, const cJSON *item,
                           struct kt_error *err)
{
	const char *fill = NULL;
	int kind = 0;
	TRY(kt_json_string_or(&fill, arena, item, "fill", "uniform", err));
	TRY(kt_json_double_or(&out->a, item, "a", 0, err));
	TRY(kt_json_double_or(&out->b, item, "b", 1, err));
	if (!find(&kind, kt_fill_names, KT_FILLS, fill) || kind == KT_FILL_DEFAULT)
		return kt_fail(err, KT_ERR_INVALID, "unknown fill '%s'", fill);
	if ((kind == KT_FILL_RANGE || kind == KT_FILL_UNIQUE) && !(out->a <= out->b && out->a >= -0x1p53 && out->b <= 0x1p53))
		return kt_fail(err, KT_ERR_INVALID, "the range of a fill is empty or too wide");
	if (kind == KT_FILL_OFFSETS && !(out->a >= 0 && out->a <= 0x1p31))
		return kt_fail(err, KT_ERR_INVALID, "the mean of a fill is no length");
	if ((kind == KT_FILL_LARGE || kind == KT_FILL_DENORMAL || kind == KT_FILL_SPECIAL) && !kt_scalar_is_float(scalar))
		return kt_fail(err, KT_ERR_INVALID, "the fill '%s' needs a floating-point type", fill);
	out->kind = (enum kt_fill_kind)kind;
	return out->kind == KT_FILL_CHOICE ? read_numbers(out, item, err) : KT_OK;
}

/* One a part of the element. */
static kt_status read_fills(struct kt_run_data *out, const struct kt_element *element, struct kt_arena *arena,
                            const cJSON *item, struct kt_error *err)
{
	const cJSON *array = NULL;
	size_t count = 0;
	kt_status status = required_array(&array, &count, KT_ELEMENT_PARTS, item, "fills", err);
	struct kt_fill *fills = status ? NULL : kt_arena_array(arena, count + 1, sizeof *fills);
	if (status)
		return status;
	NEED(fills, kt_no_memory(err));
	if (count != element->part_count)
		return kt_fail(err, KT_ERR_INVALID, "%zu fills for elements of %zu parts", count, element->part_count);
	for (size_t i = 0; !status && i < count; i++)
		status = read_fill(&fills[i], element->parts[i].scalar, arena, cJSON_GetArrayItem(array, (int)i), err);
	for (size_t i = 0; !status && i < count; i++)
		status = fills[i].kind == KT_FILL_FILE ? kt_fail(err, KT_ERR_INVALID, "a file fills whole elements") : KT_OK;
	out->fills = fills;
	return status;
}

/* Elements of one type without a gap, all from the file. */
static kt_status read_contents(struct kt_run_data *out, const struct kt_run_buffer *buffer, struct kt_arena *arena,
                               const cJSON *item, struct kt_error *err)
{
	const struct kt_element *element = buffer->element;
	const char *path = NULL, *hash = NULL;
	const cJSON *file = NULL;
	int64_t count = 0;
	if (element->part_count != 1 || element->padding_count != 0 ||
	    __builtin_mul_overflow(out->count, (int64_t)element->number_count, &count))
		return kt_fail(err, KT_ERR_INVALID, "%s: a file fills elements of one type", buffer->name);
	TRY(kt_json_object_or(&file, item, "file", err));
	if (!file)
		return kt_fail(err, KT_ERR_INVALID, "%s: file is missing", buffer->name);
	TRY(kt_json_string(&path, arena, file, "path", err));
	TRY(kt_json_string(&hash, arena, file, "hash", err));
	return kt_contents(&out->contents, path, hash, element->parts[0].scalar, count, err);
}

static kt_status read_data(struct kt_run_data *all, size_t index, struct kt_arena *arena,
                           const struct kt_run_buffer *buffers, const cJSON *item, struct kt_error *err)
{
	struct kt_run_data *out = &all[index];
	const struct kt_element *element = buffers[index].element;
	struct kt_fill *whole = kt_arena_alloc(arena, sizeof *whole);
	int64_t seed = 0;
	if (!whole)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	TRY(kt_json_int(&out->count, item, "count", err));
	TRY(kt_json_int_or(&seed, item, "seed", 0, err));
	if (out->count < 0)
		return kt_fail(err, KT_ERR_INVALID, "a buffer has %lld elements", (long long)out->count);
	TRY(cJSON_HasObjectItem(item, "fills") ? read_fills(out, element, arena, item, err)
					       : read_fill(whole, element->parts[0].scalar, arena, item, err));
	out->kind = whole->kind;
	out->a = whole->a;
	out->b = whole->b;
	out->whole = whole;
	out->seed = (uint64_t)seed;
	if (out->kind == KT_FILL_FILE)
		TRY(read_contents(out, &buffers[index], arena, item, err));
	return read_place(out, index, buffers, item, err);
}

static kt_status read_member_values(struct kt_run_problem *out, const struct kt_run_argument *argument,
                                    const cJSON *values, struct kt_error *err)
{
	if (!cJSON_IsArray(values) || (size_t)cJSON_GetArraySize(values) != argument->member_count)
		return kt_fail(err, KT_ERR_INVALID, "an argument of %zu members has other values", argument->member_count);
	for (size_t m = 0; m < argument->member_count; m++)
		if (!argument->members[m].is_buffer)
			TRY(kt_scalar_bits(&out->values[argument->first_value + m], argument->members[m].element,
					   cJSON_GetArrayItem(values, (int)m), err));
	return KT_OK;
}

static kt_status read_values(struct kt_run_problem *out, const struct kt_run_region *region, const cJSON *item,
                             struct kt_error *err)
{
	const cJSON *values = NULL;
	size_t count = 0;
	TRY(required_array(&values, &count, KT_RUN_ARGUMENTS, item, "values", err));
	if (count != region->argument_count)
		return kt_fail(err, KT_ERR_INVALID, "%zu values for %zu arguments", count, region->argument_count);
	for (size_t i = 0; i < count; i++) {
		const struct kt_run_argument *argument = &region->arguments[i];
		const cJSON *value = cJSON_GetArrayItem(values, (int)i);
		if (argument->bytes)
			TRY(read_member_values(out, argument, value, err));
		else if (!argument->is_buffer && !argument->is_local)
			TRY(kt_scalar_bits(&out->values[i], argument->element, value, err));
	}
	return KT_OK;
}

static kt_status read_host_values(struct kt_run_problem *out, const struct kt_run_region *region,
                                  struct kt_arena *arena, const cJSON *item, struct kt_error *err)
{
	const cJSON *values = NULL;
	size_t count = 0;
	if (!region->host_program)
		return KT_OK;
	TRY(required_array(&values, &count, KT_RUN_ARGUMENTS, item, "host_values", err));
	if (count != region->host_count)
		return kt_fail(err, KT_ERR_INVALID, "%zu values for %zu parameters of the host reference", count,
		               region->host_count);
	NEED(out->host_values = kt_arena_array(arena, count + 1, sizeof *out->host_values), kt_no_memory(err));
	for (size_t i = 0; i < count; i++) {
		uint64_t bits = 0;
		if (region->host_buffers[i] >= 0)
			continue;
		TRY(kt_scalar_bits(&bits, KT_F64, cJSON_GetArrayItem(values, (int)i), err));
		memcpy(&out->host_values[i], &bits, sizeof bits);
	}
	return KT_OK;
}

static kt_status read_problem(struct kt_run_problem *out, const struct kt_run_region *region, struct kt_arena *arena,
                              const cJSON *item, struct kt_error *err)
{
	const cJSON *data = NULL, *one = NULL;
	size_t count = 0, index = 0;
	out->data = kt_arena_array(arena, region->buffer_count + 1, sizeof *out->data);
	out->values = kt_arena_array(arena, region->value_count + 1, sizeof *out->values);
	if (!out->data || !out->values)
		return kt_no_memory(err);
	TRY(kt_json_string(&out->text, arena, item, "problem", err));
	TRY(kt_json_int_or(&out->read_bytes, item, "read_bytes", 0, err));
	TRY(kt_json_int_or(&out->write_bytes, item, "write_bytes", 0, err));
	TRY(kt_json_bool_or(&out->check, item, "check", false, err));
	TRY(read_geometries(out, region, arena, item, err));
	TRY(read_values(out, region, item, err));
	TRY(read_host_values(out, region, arena, item, err));
	TRY(required_array(&data, &count, KT_RUN_BUFFERS, item, "buffers", err));
	if (count != region->buffer_count)
		return kt_fail(err, KT_ERR_INVALID, "data for %zu of %zu buffers", count, region->buffer_count);
	cJSON_ArrayForEach(one, data)
	{
		TRY(read_data(out->data, index++, arena, region->buffers, one, err));
	}
	for (index = 0; index < count; index++)
		TRY(check_alias(out->data, index, region, err));
	return KT_OK;
}

kt_status kt_message_region(struct kt_run_region **out, struct kt_arena *arena, const cJSON *request,
                            struct kt_error *err)
{
	const cJSON *problems = NULL, *item = NULL;
	struct kt_run_region *region;
	NEED(region = kt_arena_alloc(arena, sizeof *region), kt_no_memory(err));
	kt_status status;
	if ((status = kt_json_string(&region->name, arena, request, "name", err)) ||
	    (status = kt_json_string(&region->instance, arena, request, "instance", err)) ||
	    (status = kt_json_string_or(&region->cubin, arena, request, "cubin", NULL, err)) ||
	    (status = kt_json_string_or(&region->function, arena, request, "function", NULL, err)) ||
	    (status = kt_json_string_or(&region->options, arena, request, "options", "", err)) ||
	    (status = kt_json_double_or(&region->limit_s, request, "limit_s", 10.0, err)) ||
	    (status = read_buffers(region, arena, request, err)) ||
	    (status = read_host(region, arena, request, err)) ||
	    (status = read_constants(region, arena, request, err)) ||
	    (status = read_arguments(region, arena, request, err)) || (status = read_steps(region, arena, request, err)) ||
	    (status = required_array(&problems, &region->problem_count, KT_RUN_PROBLEMS, request, "problems", err)))
		return status;
	if (region->problem_count == 0)
		return kt_fail(err, KT_ERR_INVALID, "a region without problems");
	NEED(region->problems = kt_arena_array(arena, region->problem_count, sizeof *region->problems),
	     kt_no_memory(err));
	struct kt_run_problem *next = region->problems;
	cJSON_ArrayForEach(item, problems)
	{
		if ((status = read_problem(next, region, arena, item, err)))
			return status;
		if (next > region->problems && next[-1].check && !next->check)
			return kt_fail(err, KT_ERR_INVALID, "a problem comes after a check");
		next++;
	}
	*out = region;
	return KT_OK;
}

/* A candidate's kernels after the first, and room for their geometries. */
static kt_status read_further(struct kt_run_candidate *out, struct kt_arena *arena, const cJSON *json,
                              const struct kt_run_region *region, struct kt_error *err)
{
	const cJSON *array = NULL;
	if (cJSON_HasObjectItem(json, "further"))
		TRY(required_array(&array, &out->further_count, KT_RUN_STEPS - 1, json, "further", err));
	out->further = kt_arena_array(arena, out->further_count + 1, sizeof *out->further);
	out->further_geometry = kt_arena_array(arena, region->problem_count, sizeof *out->further_geometry);
	if (!out->further || !out->further_geometry)
		return kt_no_memory(err);
	for (size_t i = 0; i < out->further_count; i++) {
		const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(array, (int)i));
		if (!name)
			return kt_fail(err, KT_ERR_INVALID, "further: names expected");
		NEED(out->further[i].function = kt_arena_strdup(arena, name), kt_no_memory(err));
	}
	for (size_t p = 0; p < region->problem_count; p++) {
		NEED(out->further_geometry[p] =
			 kt_arena_array(arena, out->further_count + 1, sizeof **out->further_geometry),
		     kt_no_memory(err));
	}
	return KT_OK;
}

static kt_status read_further_geometry(struct kt_geometry *out, size_t expected, const cJSON *item,
                                       struct kt_error *err)
{
	const cJSON *array = NULL;
	size_t count = 0;
	if (expected == 0)
		return KT_OK;
	kt_status status = required_array(&array, &count, KT_RUN_STEPS - 1, item, "further", err);
	if (!status && count != expected)
		return kt_fail(err, KT_ERR_INVALID, "%zu geometries for %zu further kernels", count, expected);
	for (size_t i = 0; !status && i < count; i++)
		status = read_extents(&out[i], cJSON_GetArrayItem(array, (int)i), err);
	return status;
}

/* A candidate's own memory, and room for how much of it each problem needs. */
static kt_status read_temporaries(struct kt_run_candidate *out, struct kt_arena *arena, const cJSON *json,
                                  const struct kt_run_region *region, struct kt_error *err)
{
	const cJSON *array = NULL;
	if (cJSON_HasObjectItem(json, "temporaries"))
		TRY(required_array(&array, &out->temporary_count, KT_RUN_TEMPORARIES, json, "temporaries", err));
	out->temporaries = kt_arena_array(arena, out->temporary_count + 1, sizeof *out->temporaries);
	out->temporary_counts = kt_arena_array(arena, region->problem_count, sizeof *out->temporary_counts);
	if (!out->temporaries || !out->temporary_counts)
		return kt_no_memory(err);
	for (size_t i = 0; i < out->temporary_count; i++) {
		const cJSON *item = cJSON_GetArrayItem(array, (int)i);
		TRY(kt_json_string(&out->temporaries[i].name, arena, item, "name", err));
		TRY(read_element(&out->temporaries[i].element, item, arena, err));
		if (out->temporaries[i].element == KT_SCALAR_NONE)
			return kt_fail(err, KT_ERR_INVALID, "temporary %s is made of no element", out->temporaries[i].name);
	}
	for (size_t p = 0; p < region->problem_count; p++) {
		NEED(out->temporary_counts[p] =
			 kt_arena_array(arena, out->temporary_count + 1, sizeof **out->temporary_counts),
		     kt_no_memory(err));
	}
	return KT_OK;
}

static kt_status read_temporary_counts(int64_t *out, size_t expected, const cJSON *item, struct kt_error *err)
{
	const cJSON *array = NULL;
	size_t count = 0;
	if (expected == 0)
		return KT_OK;
	kt_status status = required_array(&array, &count, KT_RUN_TEMPORARIES, item, "temporaries", err);
	if (!status && count != expected)
		return kt_fail(err, KT_ERR_INVALID, "%zu sizes for %zu temporaries", count, expected);
	for (size_t i = 0; !status && i < count; i++) {
		status = kt_json_item_int(&out[i], cJSON_GetArrayItem(array, (int)i), err);
		if (!status && out[i] < 0)
			status = kt_fail(err, KT_ERR_INVALID, "a temporary has %lld elements", (long long)out[i]);
	}
	return status;
}

/* Each problem once; checks keep their places after them. */
static kt_status read_order(struct kt_run_candidate *out, struct kt_arena *arena, const cJSON *json,
                            const struct kt_run_region *region, struct kt_error *err)
{
	const cJSON *array = NULL, *item = NULL;
	size_t i = 0;
	kt_status status = kt_json_array_or(&array, json, "order", err);
	if (status || !array)
		return status;
	out->order = kt_arena_array(arena, region->problem_count, sizeof *out->order);
	bool *named = kt_arena_array(arena, region->problem_count, sizeof *named);
	if (!out->order || !named)
		return kt_no_memory(err);
	cJSON_ArrayForEach(item, array)
	{
		const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
		if (i == region->problem_count || !(value >= 0) || value >= (double)region->problem_count ||
		    value != (double)(size_t)value || named[(size_t)value])
			return kt_fail(err, KT_ERR_INVALID, "'order' does not name each problem once");
		out->order[i++] = (size_t)value;
		named[(size_t)value] = true;
	}
	for (size_t p = 0; p < region->problem_count; p++) {
		if (!named[p])
			out->order[i++] = p;
	}
	return KT_OK;
}

kt_status kt_message_candidate(struct kt_run_candidate *out, struct kt_arena *arena, const cJSON *json,
                               const struct kt_run_region *region, struct kt_error *err)
{
	const cJSON *problems = NULL, *item = NULL;
	size_t count = 0, i = 0;
	kt_status status;
	*out = (struct kt_run_candidate){0};
	if ((status = kt_json_string_or(&out->configuration, arena, json, "configuration", "", err)) ||
	    (status = kt_json_string_or(&out->cubin, arena, json, "cubin", NULL, err)) ||
	    (status = kt_json_string_or(&out->function, arena, json, "function", NULL, err)) ||
	    (status = kt_json_string_or(&out->options, arena, json, "options", "", err)) ||
	    (status = read_further(out, arena, json, region, err)) ||
	    (status = read_temporaries(out, arena, json, region, err)) ||
	    (status = read_order(out, arena, json, region, err)))
		return status;
	out->geometry = kt_arena_array(arena, region->problem_count, sizeof *out->geometry);
	out->give_up_ns = kt_arena_array(arena, region->problem_count, sizeof *out->give_up_ns);
	out->lost_ns = kt_arena_array(arena, region->problem_count, sizeof *out->lost_ns);
	out->skip = kt_arena_array(arena, region->problem_count, sizeof *out->skip);
	if (!out->geometry || !out->give_up_ns || !out->lost_ns || !out->skip)
		return kt_no_memory(err);
	/* Without a configuration it is the original, whose geometry the region has. */
	bool original = !*out->configuration && !out->cubin;
	if (original && !cJSON_HasObjectItem(json, "problems"))
		return KT_OK;
	if ((status = required_array(&problems, &count, KT_RUN_PROBLEMS, json, "problems", err)))
		return status;
	if (count != region->problem_count)
		return kt_fail(err, KT_ERR_INVALID, "a candidate for %zu of %zu problems", count,
			       region->problem_count);
	if (out->cubin && !out->function)
		return kt_fail(err, KT_ERR_INVALID, "a candidate without a function");
	cJSON_ArrayForEach(item, problems)
	{
		if ((status = kt_json_bool_or(&out->skip[i], item, "skip", false, err)))
			return status;
		if (!out->skip[i] && !original &&
		    ((status = read_geometry(&out->geometry[i], item, err)) ||
		     (status = read_further_geometry(out->further_geometry[i], out->further_count, item, err)) ||
		     (status = read_temporary_counts(out->temporary_counts[i], out->temporary_count, item, err)) ||
		     (status = kt_json_double_or(&out->give_up_ns[i], item, "give_up_ns", 0, err)) ||
		     (status = kt_json_double_or(&out->lost_ns[i], item, "lost_ns", 0, err))))
			return status;
		i++;
	}
	return KT_OK;
}

kt_status kt_message_effort(struct kt_run_effort *out, const cJSON *request, struct kt_error *err)
{
	int64_t seed = 0;
	*out = (struct kt_run_effort){0};
	TRY(kt_json_bool_or(&out->hot, request, "hot", false, err));
	TRY(kt_json_bool_or(&out->screen, request, "screen", false, err));
	TRY(kt_json_int_or(&out->companions, request, "companions", 0, err));
	TRY(kt_json_int_or(&seed, request, "seed", 0, err));
	out->seed = (uint64_t)seed;
	TRY(kt_json_int_or(&out->warmups, request, "warmups", 20, err));
	TRY(kt_json_int_or(&out->repetitions, request, "repetitions", 100, err));
	if (out->warmups < 0 || out->warmups > KT_RUN_SAMPLES || out->repetitions < 1 ||
	    out->repetitions > KT_RUN_SAMPLES)
		return kt_fail(err, KT_ERR_INVALID, "%lld warm-ups and %lld repetitions", (long long)out->warmups,
		               (long long)out->repetitions);
	return KT_OK;
}
