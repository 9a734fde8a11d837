/* Requests read into their records, what must hold between their members, and what follows from them. */
#include "messages.h"

#include <string.h>

/* ---- arguments and steps */

static kt_status check_kind(size_t buffer, enum kt_scalar element, const struct kt_run_region *region,
                            struct kt_error *err)
{
	if (buffer != KT_NO_BUFFER && buffer >= region->buffer_count)
		return kt_fail(err, KT_ERR_INVALID, "an argument names buffer %lld of %zu", (long long)buffer,
		               region->buffer_count);
	if (buffer == KT_NO_BUFFER && element == KT_SCALAR_NONE)
		return kt_fail(err, KT_ERR_INVALID, "an argument has no element type");
	return KT_OK;
}

static kt_status settle_member(struct kt_run_member *member, size_t bytes, const struct kt_run_region *region,
                               struct kt_error *err)
{
	member->is_buffer = member->buffer != KT_NO_BUFFER;
	TRY(check_kind(member->buffer, member->element, region, err));
	const size_t size = member->is_buffer ? sizeof(uint64_t) : kt_scalar_bytes(member->element);
	if (member->offset > KT_ARGUMENT_BYTES || member->offset + size > bytes)
		return kt_fail(err, KT_ERR_INVALID, "a member at %lld is outside the argument's %zu bytes",
		               (long long)member->offset, bytes);
	return KT_OK;
}

static kt_status settle_argument(struct kt_run_argument *argument, unsigned *locals, const struct kt_run_region *region,
                                 struct kt_error *err)
{
	argument->is_buffer = argument->buffer != KT_NO_BUFFER;
	if (argument->bytes > KT_ARGUMENT_BYTES || (argument->member_count && !argument->bytes))
		return kt_fail(err, KT_ERR_INVALID, "an argument has %lld bytes", (long long)argument->bytes);
	for (size_t m = 0; m < argument->member_count; m++)
		TRY(settle_member(&argument->members[m], argument->bytes, region, err));
	if (argument->is_local && (argument->is_buffer || (*locals)++))
		return kt_fail(err, KT_ERR_INVALID, "at most one argument is local memory, and it is no buffer");
	return argument->bytes || argument->is_local ? KT_OK
	                                             : check_kind(argument->buffer, argument->element, region, err);
}

static kt_status settle_arguments(struct kt_run_region *region, struct kt_error *err)
{
	size_t bytes = 0, members = 0;
	unsigned locals = 0;
	for (size_t i = 0; i < region->argument_count; i++) {
		struct kt_run_argument *argument = &region->arguments[i];
		TRY(settle_argument(argument, &locals, region, err));
		argument->first_value = region->argument_count + members;
		members += argument->member_count;
		bytes += argument->bytes;
	}
	region->value_count = region->argument_count + members;
	if (members > KT_MEMBERS || bytes > KT_ARGUMENT_BYTES)
		return kt_fail(err, KT_ERR_LIMIT, "arguments of %zu members and %zu bytes", members, bytes);
	return KT_OK;
}

/* The kernels of an original that is several; none: it is one. */
static kt_status check_steps(const struct kt_run_region *region, struct kt_error *err)
{
	for (size_t s = 0; s < region->step_count; s++)
		for (size_t i = 0; i < region->steps[s].argument_count; i++)
			if (region->steps[s].arguments[i] >= region->argument_count)
				return kt_fail(err, KT_ERR_INVALID, "a step names argument %lld of %zu",
				               (long long)region->steps[s].arguments[i], region->argument_count);
	return KT_OK;
}

/* What computes the outputs on the host: one per parameter of its function, a buffer or -1. */
static kt_status check_host(const struct kt_run_region *region, struct kt_error *err)
{
	for (size_t i = 0; i < region->host_count; i++)
		if (region->host_buffers[i] < -1 || region->host_buffers[i] >= (int64_t)region->buffer_count)
			return kt_fail(err, KT_ERR_INVALID, "the host reference names buffer %lld of %zu",
			               (long long)region->host_buffers[i], region->buffer_count);
	return KT_OK;
}

/* ---- buffers */

static kt_status settle_symbol(struct kt_run_buffer *buffer, struct kt_error *err)
{
	const int64_t most = ((int64_t)4 << 30) / (int64_t)buffer->element->bytes;
	if (!buffer->symbol)
		return KT_OK;
	if (buffer->symbol_elements < 1 || buffer->symbol_elements > most)
		return kt_fail(err, KT_ERR_INVALID, "device symbol %s has %lld elements", buffer->name,
		               (long long)buffer->symbol_elements);
	buffer->symbol_bytes = (size_t)buffer->symbol_elements * buffer->element->bytes;
	return KT_OK;
}

static kt_status settle_limits(struct kt_run_buffer *buffer, struct kt_arena *arena, struct kt_error *err)
{
	const size_t parts = buffer->element->part_count;
	struct kt_limits *limits;
	if (buffer->limit_count == parts)
		return KT_OK;
	if (buffer->limit_count != 1)
		return kt_fail(err, KT_ERR_INVALID, "%s: limits of %zu parts, its elements have %zu", buffer->name,
		               buffer->limit_count, parts);
	NEED(limits = kt_arena_array(arena, parts, sizeof *limits), kt_no_memory(err));
	for (size_t i = 0; i < parts; i++)
		limits[i] = *buffer->limits;
	buffer->limits = limits;
	return KT_OK;
}

static kt_status settle_buffers(struct kt_run_region *region, struct kt_arena *arena, struct kt_error *err)
{
	size_t parts = 0;
	for (size_t b = 0; b < region->buffer_count; b++) {
		struct kt_run_buffer *buffer = &region->buffers[b];
		if (buffer->element->bytes == 0)
			return kt_fail(err, KT_ERR_INVALID, "unknown element type '%s'", "none");
		if (!buffer->direction)
			return kt_fail(err, KT_ERR_INVALID, "%s: direction is missing", buffer->name);
		buffer->further = parts;
		parts += buffer->element->part_count - 1;
		if (parts > KT_RUN_PARTS)
			return kt_fail(err, KT_ERR_LIMIT, "the elements of the buffers have more than %d parts", KT_RUN_PARTS);
		TRY(settle_limits(buffer, arena, err));
		TRY(settle_symbol(buffer, err));
	}
	return KT_OK;
}

/* ---- problems */

/* Where the buffer is: after an aligned address, or in the memory of another one. */
static kt_status check_place(const struct kt_run_data *data, const struct kt_run_buffer *buffer, struct kt_error *err)
{
	if (data->offset > 15 || data->offset % buffer->element->align || (data->offset && buffer->symbol))
		return kt_fail(err, KT_ERR_INVALID, "%s cannot begin at an offset of %lld bytes", buffer->name,
		               (long long)data->offset);
	if (buffer->symbol && data->count > buffer->symbol_elements)
		return kt_fail(err, KT_ERR_INVALID, "device symbol %s has %lld elements, not %lld", buffer->name,
		               (long long)buffer->symbol_elements, (long long)data->count);
	return KT_OK;
}

/* An argument may be where an earlier buffer is, or a device symbol; that one is where it is itself. */
static kt_status check_alias(const struct kt_run_data *all, size_t index, const struct kt_run_region *region,
                             struct kt_error *err)
{
	const struct kt_run_buffer *buffers = region->buffers;
	const size_t alias = all[index].alias;
	if (alias == KT_NO_BUFFER)
		return KT_OK;
	if (buffers[index].symbol || alias >= region->buffer_count || (alias >= index && !buffers[alias].symbol) ||
	    all[alias].alias != KT_NO_BUFFER || !kt_element_same(buffers[alias].element, buffers[index].element) ||
	    all[alias].count != all[index].count)
		return kt_fail(err, KT_ERR_INVALID, "%s cannot be an alias of buffer %zu", buffers[index].name, alias);
	return KT_OK;
}

static kt_status check_fill(const struct kt_fill *fill, enum kt_scalar scalar, struct kt_error *err)
{
	const bool is_range = fill->kind == KT_FILL_RANGE || fill->kind == KT_FILL_UNIQUE;
	const bool is_real = fill->kind == KT_FILL_LARGE || fill->kind == KT_FILL_DENORMAL || fill->kind == KT_FILL_SPECIAL;
	if (fill->kind == KT_FILL_DEFAULT)
		return kt_fail(err, KT_ERR_INVALID, "unknown fill '%s'", kt_fill_names[fill->kind]);
	if (is_range && !(fill->a <= fill->b && fill->a >= -0x1p53 && fill->b <= 0x1p53))
		return kt_fail(err, KT_ERR_INVALID, "the range of a fill is empty or too wide");
	if (fill->kind == KT_FILL_OFFSETS && !(fill->a >= 0 && fill->a <= 0x1p31))
		return kt_fail(err, KT_ERR_INVALID, "the mean of a fill is no length");
	if (is_real && !kt_scalar_is_float(scalar))
		return kt_fail(err, KT_ERR_INVALID, "the fill '%s' needs a floating-point type", kt_fill_names[fill->kind]);
	return KT_OK;
}

/* One for all parts of the element, or one each. */
static kt_status settle_fills(struct kt_run_data *data, const struct kt_element *element, struct kt_error *err)
{
	if (data->fill_count != 1 && data->fill_count != element->part_count)
		return kt_fail(err, KT_ERR_INVALID, "%zu fills for elements of %zu parts", data->fill_count,
		               element->part_count);
	for (size_t i = 0; i < data->fill_count; i++) {
		TRY(check_fill(&data->fills[i], element->parts[i].scalar, err));
		if (data->fill_count > 1 && data->fills[i].kind == KT_FILL_FILE)
			return kt_fail(err, KT_ERR_INVALID, "a file fills whole elements");
	}
	if (data->fill_count > 1)
		return KT_OK;
	data->whole = data->fills;
	data->fills = NULL;
	data->kind = data->whole->kind;
	data->a = data->whole->a;
	data->b = data->whole->b;
	return KT_OK;
}

/* Elements of one type without a gap, all from the file. */
static kt_status read_contents(struct kt_run_data *data, const struct kt_run_buffer *buffer, struct kt_error *err)
{
	const struct kt_element *element = buffer->element;
	int64_t count = 0;
	if (element->part_count != 1 || element->padding_count != 0 ||
	    __builtin_mul_overflow(data->count, (int64_t)element->number_count, &count))
		return kt_fail(err, KT_ERR_INVALID, "%s: a file fills elements of one type", buffer->name);
	if (!data->path)
		return kt_fail(err, KT_ERR_INVALID, "%s: file is missing", buffer->name);
	return kt_contents(&data->contents, data->path, data->hash, element->parts[0].scalar, count, err);
}

static kt_status settle_data(struct kt_run_data *data, const struct kt_run_buffer *buffer, struct kt_error *err)
{
	if (data->count < 0)
		return kt_fail(err, KT_ERR_INVALID, "a buffer has %lld elements", (long long)data->count);
	TRY(settle_fills(data, buffer->element, err));
	TRY(data->kind == KT_FILL_FILE ? read_contents(data, buffer, err) : KT_OK);
	return check_place(data, buffer, err);
}

static kt_status check_count(const cJSON *values, size_t expected, const char *of, struct kt_error *err)
{
	const size_t count = (size_t)cJSON_GetArraySize(values);
	return cJSON_IsArray(values) && count == expected
	           ? KT_OK : kt_fail(err, KT_ERR_INVALID, "%zu values for %zu %s", count, expected, of);
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

static kt_status read_values(struct kt_run_problem *out, const struct kt_run_region *region, struct kt_arena *arena,
                             struct kt_error *err)
{
	NEED(out->values = kt_arena_array(arena, region->value_count + 1, sizeof *out->values), kt_no_memory(err));
	TRY(check_count(out->json_values, region->argument_count, "arguments", err));
	for (size_t i = 0; i < region->argument_count; i++) {
		const struct kt_run_argument *argument = &region->arguments[i];
		const cJSON *value = cJSON_GetArrayItem(out->json_values, (int)i);
		if (argument->bytes)
			TRY(read_member_values(out, argument, value, err));
		else if (!argument->is_buffer && !argument->is_local)
			TRY(kt_scalar_bits(&out->values[i], argument->element, value, err));
	}
	return KT_OK;
}

static kt_status read_host_values(struct kt_run_problem *out, const struct kt_run_region *region,
                                  struct kt_arena *arena, struct kt_error *err)
{
	if (!region->host_program)
		return KT_OK;
	TRY(check_count(out->json_host_values, region->host_count, "parameters of the host reference", err));
	NEED(out->host_values = kt_arena_array(arena, region->host_count + 1, sizeof *out->host_values), kt_no_memory(err));
	for (size_t i = 0; i < region->host_count; i++) {
		uint64_t bits = 0;
		if (region->host_buffers[i] >= 0)
			continue;
		TRY(kt_scalar_bits(&bits, KT_F64, cJSON_GetArrayItem(out->json_host_values, (int)i), err));
		memcpy(&out->host_values[i], &bits, sizeof bits);
	}
	return KT_OK;
}

/* Of the original's kernels: one, or one per step. */
static kt_status check_geometries(const struct kt_run_problem *problem, const struct kt_run_region *region,
                                  struct kt_error *err)
{
	if (region->step_count == 0)
		return problem->geometry_count && !problem->further ? KT_OK
		                                                    : kt_fail(err, KT_ERR_INVALID, "geometry is missing");
	return problem->geometry_count == region->step_count
	           ? KT_OK : kt_fail(err, KT_ERR_INVALID, "%zu geometries for %zu steps", problem->geometry_count,
	                             region->step_count);
}

static kt_status settle_problem(struct kt_run_problem *problem, const struct kt_run_region *region,
                                struct kt_arena *arena, struct kt_error *err)
{
	TRY(check_geometries(problem, region, err));
	TRY(read_values(problem, region, arena, err));
	TRY(read_host_values(problem, region, arena, err));
	if (problem->buffer_count != region->buffer_count)
		return kt_fail(err, KT_ERR_INVALID, "data for %zu of %zu buffers", problem->buffer_count, region->buffer_count);
	for (size_t b = 0; b < region->buffer_count; b++)
		TRY(settle_data(&problem->data[b], &region->buffers[b], err));
	for (size_t b = 0; b < region->buffer_count; b++)
		TRY(check_alias(problem->data, b, region, err));
	return KT_OK;
}

static kt_status settle_problems(const struct kt_run_region *region, struct kt_arena *arena, struct kt_error *err)
{
	if (region->problem_count == 0)
		return kt_fail(err, KT_ERR_INVALID, "a region without problems");
	for (size_t p = 0; p < region->problem_count; p++) {
		TRY(settle_problem(&region->problems[p], region, arena, err));
		if (p > 0 && region->problems[p - 1].check && !region->problems[p].check)
			return kt_fail(err, KT_ERR_INVALID, "a problem comes after a check");
	}
	return KT_OK;
}

kt_status kt_message_region(struct kt_run_region **out, struct kt_arena *arena, const cJSON *request,
                            struct kt_error *err)
{
	struct kt_run_region *region;
	NEED(region = kt_arena_alloc(arena, sizeof *region), kt_no_memory(err));
	TRY(kt_members_parse(region, request, &kt_run_region, arena, err));
	TRY(settle_buffers(region, arena, err));
	TRY(check_host(region, err));
	TRY(settle_arguments(region, err));
	TRY(check_steps(region, err));
	TRY(settle_problems(region, arena, err));
	*out = region;
	return KT_OK;
}
