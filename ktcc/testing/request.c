/* Requests to the runner: the record of a region (base/runner_request.h) filled from it and from its checks. */
#include "testing/request.h"

static kt_status problem_text(const char **out, struct kt_arena *arena, const struct kt_subject *subject,
                              const struct kt_check *check, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_check_print(&text, subject, check);
	kt_status status = kt_buf_check(&text, "the text of a problem", err);
	if (!status && !(*out = kt_arena_strdup(arena, kt_buf_text(&text))))
		status = kt_no_memory(err);
	kt_buf_free(&text);
	return status;
}

/* ---- the host reference */

static kt_status fill_host(struct kt_run_region *out, struct kt_arena *arena, const struct kt_host_reference *reference,
                           const char *program, struct kt_error *err)
{
	out->host_program = program;
	out->host_count = reference->parameter_count;
	NEED(out->host_buffers = kt_arena_array(arena, out->host_count + 1, sizeof *out->host_buffers), kt_no_memory(err));
	for (size_t i = 0; i < out->host_count; i++)
		out->host_buffers[i] = reference->parameters[i].buffer;
	return KT_OK;
}

/* ---- buffers */

static enum kt_direction direction_of(const struct kt_buffer *buffer)
{
	return buffer->scratch ? KT_SCRATCH : buffer->direction;
}

static struct kt_limits limits_of(const struct kt_buffer *buffer, enum kt_scalar scalar)
{
	struct kt_limits limits = {0, 0};
	kt_tolerance_default(&limits.absolute, &limits.relative, scalar);
	return (struct kt_limits){buffer->absolute >= 0 ? buffer->absolute : limits.absolute,
	                          buffer->relative >= 0 ? buffer->relative : limits.relative};
}

static kt_status fill_buffer(struct kt_run_buffer *out, struct kt_arena *arena, const struct kt_buffer *buffer,
                             const struct kt_element *element, struct kt_error *err)
{
	*out = (struct kt_run_buffer){.name = buffer->name, .element = element, .direction = direction_of(buffer),
	                               .limit_count = element->part_count};
	if (buffer->argument < 0) {
		out->symbol = buffer->symbol.name;
		out->symbol_elements = buffer->symbol.elements;
	}
	struct kt_limits *limits = kt_arena_array(arena, out->limit_count + 1, sizeof *limits);
	NEED(out->limits = limits, kt_no_memory(err));
	for (size_t part = 0; part < out->limit_count; part++)
		limits[part] = limits_of(buffer, element->parts[part].scalar);
	return KT_OK;
}

static kt_status fill_buffers(struct kt_run_region *out, struct kt_arena *arena, const struct kt_subject *subject,
                              struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	bool any_output = false;
	out->buffer_count = region->buffer_count;
	NEED(out->buffers = kt_arena_array(arena, out->buffer_count + 1, sizeof *out->buffers), kt_no_memory(err));
	for (size_t b = 0; b < region->buffer_count; b++) {
		const struct kt_buffer *buffer = &region->buffers[b];
		TRY(fill_buffer(&out->buffers[b], arena, buffer, kt_buffer_element(buffer, subject->instance), err));
		any_output = any_output || (!buffer->scratch && buffer->direction != KT_IN);
	}
	return any_output ? KT_OK
	                  : kt_fail(err, KT_ERR_INVALID, "no buffer is out or inout: there is nothing to compare");
}

/* What each part of the elements is filled with on this problem: what its group is. */
static kt_status fill_fills(struct kt_run_data *out, struct kt_arena *arena, const struct kt_check_scope *scope,
                            size_t b, const struct kt_buffer *buffer, const struct kt_element *element,
                            struct kt_error *err)
{
	struct kt_fill groups[KT_ELEMENT_NUMBERS + 1];
	for (size_t group = 0; group <= buffer->member_count && group <= KT_ELEMENT_NUMBERS; group++)
		TRY(kt_check_bounds(&groups[group], scope, b, group, err));
	out->fill_count = element->part_count;
	struct kt_fill *fills = kt_arena_array(arena, out->fill_count + 1, sizeof *fills);
	NEED(out->fills = fills, kt_no_memory(err));
	for (size_t part = 0; part < out->fill_count; part++) {
		struct kt_buffer own = *buffer;
		const size_t group = element->numbers[element->parts[part].first].group;
		own.fill = groups[group <= own.member_count ? group : 0];
		fills[part] = kt_check_fill(scope->check, &own, element->parts[part].scalar);
	}
	return KT_OK;
}

static kt_status fill_buffer_data(struct kt_run_data *out, struct kt_buffer *buffer, struct kt_arena *arena,
                                  const struct kt_check_scope *scope, size_t b, struct kt_error *err)
{
	TRY(kt_check_buffer(buffer, scope, b, err));
	TRY(kt_check_count(&out->count, scope, b, err));
	TRY(fill_fills(out, arena, scope, b, buffer, kt_buffer_element(buffer, scope->subject->instance), err));
	if (buffer->file.text) {
		out->path = buffer->file.path;
		out->hash = buffer->file.hash;
	}
	out->seed = (uint64_t)kt_check_seed(scope->subject, scope->check, b);
	out->offset = (size_t)kt_check_offset(scope->subject, scope->check, b);
	out->alias = scope->check->alias == (int64_t)b ? (size_t)scope->check->alias_of : KT_NO_BUFFER;
	return KT_OK;
}

static kt_status fill_data(struct kt_run_problem *out, struct kt_arena *arena, const struct kt_check_scope *scope,
                           struct kt_error *err)
{
	out->buffer_count = scope->subject->template_->region->buffer_count;
	NEED(out->data = kt_arena_array(arena, out->buffer_count + 1, sizeof *out->data), kt_no_memory(err));
	for (size_t b = 0; b < out->buffer_count; b++) {
		struct kt_run_data *data = &out->data[b];
		struct kt_buffer buffer;
		if (fill_buffer_data(data, &buffer, arena, scope, b, err))
			return kt_fail_prefix(err, "arguments");
		const int64_t bytes = data->count * (int64_t)kt_buffer_element(&buffer, scope->subject->instance)->bytes;
		const enum kt_direction direction = direction_of(&buffer);
		if (direction == KT_IN || direction == KT_INOUT)
			out->read_bytes += bytes;
		if (direction == KT_OUT || direction == KT_INOUT)
			out->write_bytes += bytes;
	}
	return KT_OK;
}

/* The clause `bytes` replaces the sum; reads and writes keep their shares. */
static kt_status settle_traffic(struct kt_run_problem *out, const struct kt_check_scope *scope, struct kt_error *err)
{
	const struct kt_expr *bytes = scope->subject->template_->region->bytes.expr;
	const int64_t sum = out->read_bytes + out->write_bytes;
	struct kt_check_scope lookup = *scope;
	int64_t total = 0;
	if (!bytes)
		return KT_OK;
	if (kt_expr_eval(&total, bytes, kt_check_lookup, &lookup, err))
		return kt_fail_prefix(err, "bytes");
	out->read_bytes = sum ? (int64_t)((double)total * ((double)out->read_bytes / (double)sum)) : total;
	out->write_bytes = total - out->read_bytes;
	return KT_OK;
}

/* Of the original: one, or one per kernel of a launch region. */
static kt_status fill_geometries(struct kt_run_problem *out, struct kt_arena *arena, const struct kt_check_scope *scope,
                                 struct kt_error *err)
{
	const bool steps = scope->subject->template_->region->step_count > 0;
	out->geometry_count = kt_check_steps(scope->subject);
	if (steps)
		NEED(out->further = kt_arena_array(arena, out->geometry_count, sizeof *out->further), kt_no_memory(err));
	for (size_t i = 0; i < out->geometry_count; i++)
		TRY(kt_check_step(i ? &out->further[i - 1] : &out->geometry, scope, i, err));
	return KT_OK;
}

static kt_status fill_problem(struct kt_run_problem *out, struct kt_arena *arena, const struct kt_subject *subject,
                              const struct kt_check *check, struct kt_error *err)
{
	const struct kt_check_scope scope = {subject, NULL, check};
	out->json_values = cJSON_CreateArray();
	TRY(problem_text(&out->text, arena, subject, check, err));
	TRY(fill_geometries(out, arena, &scope, err));
	TRY(kt_request_values(out->json_values, subject, check, err));
	TRY(fill_data(out, arena, &scope, err));
	return settle_traffic(out, &scope, err);
}

static kt_status fill_problems(struct kt_run_region *out, struct kt_arena *arena, const struct kt_subject *subject,
                               const struct kt_rows *rows, struct kt_error *err)
{
	NEED(out->problems = kt_arena_array(arena, rows->count + 1, sizeof *out->problems), kt_no_memory(err));
	while (out->problem_count < rows->count) {
		const size_t r = out->problem_count++;
		struct kt_run_problem *problem = &out->problems[r];
		problem->check = r >= rows->timed;
		TRY(fill_problem(problem, arena, subject, &rows->checks[r], err));
		if (out->host_program)
			problem->json_host_values = kt_request_host_values(subject, &rows->checks[r]);
	}
	return KT_OK;
}

/* The kernels of a launch region; their names in the cubin are in `functions`, a blank between two. NULL: unknown. */
static kt_status fill_steps(struct kt_run_region *out, struct kt_arena *arena, const struct kt_region *region,
                            const char *functions, struct kt_error *err)
{
	const char *const *names = NULL;
	size_t named = 0;
	out->step_count = region->step_count;
	NEED(out->steps = kt_arena_array(arena, out->step_count + 1, sizeof *out->steps), kt_no_memory(err));
	TRY(kt_request_names(&names, &named, arena, functions ? functions : "", err));
	for (size_t s = 0; s < region->step_count; s++) {
		const struct kt_region_step *step = &region->steps[s];
		/* Without its name the runner refuses the region. */
		out->steps[s] = (struct kt_run_step){s < named ? names[s] : NULL, step->argument_count, step->arguments};
	}
	return KT_OK;
}

static kt_status fill_region(struct kt_run_region *out, struct kt_arena *arena, const struct kt_subject *subject,
                             const struct kt_rows *rows, const char *cubin, const char *function, const char *host,
                             struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	if (rows->timed == 0)
		return kt_fail(err, KT_ERR_INVALID, "there is no problem to run");
	out->cubin = function ? cubin : NULL;
	out->function = cubin && region->step_count == 0 ? function : NULL;
	TRY(fill_steps(out, arena, region, cubin ? function : NULL, err));
	TRY(kt_request_arguments(out, arena, subject, err));
	TRY(fill_buffers(out, arena, subject, err));
	/* Device variables that no clause names and no kernel may change. */
	out->constants = region->constants;
	out->constant_count = region->constant_count < KT_CONSTANTS_WATCHED ? region->constant_count : KT_CONSTANTS_WATCHED;
	TRY(host ? fill_host(out, arena, &region->reference, host, err) : KT_OK);
	return fill_problems(out, arena, subject, rows, err);
}

/* The request, with the members of a record. */
static cJSON *print_region(const struct kt_run_region *region)
{
	cJSON *request = cJSON_CreateObject();
	(void)cJSON_AddStringToObject(request, "request", "region");
	kt_print_members(request, region, &kt_run_region, NULL);
	return request;
}

kt_status kt_request_region(cJSON **out, const struct kt_subject *subject, const struct kt_rows *rows,
                            const char *cubin, const char *function, const char *host, double limit_s,
                            struct kt_error *err)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_run_region region = {.name = subject->template_->region->name, .instance = subject->instance->name,
	                                .options = subject->template_->build_options, .limit_s = limit_s};
	kt_status status = arena ? fill_region(&region, arena, subject, rows, cubin, function, host, err) : kt_no_memory(err);
	if (!status)
		*out = print_region(&region);
	for (size_t p = 0; status && p < region.problem_count; p++) {
		cJSON_Delete(region.problems[p].json_values);
		cJSON_Delete(region.problems[p].json_host_values);
	}
	kt_arena_free(arena);
	return status;
}
