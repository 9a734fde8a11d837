#include "generation/llm/check.h"

#include <stdlib.h>
#include <string.h>

#include "generation/generation.h"

/* Longer than the check's own limit on one text, and the first one brings the context along. */
static const double answer_s = 120;

static cJSON *request_json(const struct kt_check_request *request, const struct kt_reply *reply)
{
	cJSON *json = cJSON_CreateObject(), *kernels, *parameters;

	cJSON_AddStringToObject(json, "verb", "check");
	cJSON_AddStringToObject(json, "context", request->context);
	cJSON_AddStringToObject(json, "open", request->open);
	cJSON_AddStringToObject(json, "close", request->close);
	cJSON_AddStringToObject(json, "original", request->original);
	cJSON_AddStringToObject(json, "text", reply->text);
	cJSON_AddBoolToObject(json, "allow_assembly", request->allow_assembly);
	if (request->seconds > 0)
		cJSON_AddNumberToObject(json, "seconds", request->seconds);
	kernels = cJSON_AddArrayToObject(json, "kernels");
	for (size_t i = 0; i < request->kernel_count; i++) {
		cJSON *item = kt_json_append(kernels);

		cJSON_AddStringToObject(item, "name", request->kernels[i].name);
		cJSON_AddStringToObject(item, "declaration", request->kernels[i].declaration);
	}
	parameters = cJSON_AddArrayToObject(json, "parameters");
	for (size_t i = 0; i < reply->parameter_count; i++) {
		cJSON *item = kt_json_append(parameters);

		cJSON_AddStringToObject(item, "name", reply->parameters[i].name);
		kt_json_add_int(item, "value", reply->parameters[i].values[0]);
	}
	return json;
}

static kt_status read_accepted(struct kt_check_verdict *out, struct kt_arena *arena, const cJSON *json,
                               struct kt_error *err)
{
	const cJSON *kernels = NULL, *item;
	TRY(kt_json_string(&out->helpers, arena, json, "helpers", err));

	TRY(kt_json_array_or(&kernels, json, "kernels", err));
	NEED(out->kernels = kt_arena_array(arena, (size_t)cJSON_GetArraySize(kernels) + 1, sizeof *out->kernels),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory for a verdict"));
	cJSON_ArrayForEach(item, kernels) {
		struct kt_checked_kernel *kernel = &out->kernels[out->kernel_count++];

		TRY(kt_json_string(&kernel->name, arena, item, "name", err));
		TRY(kt_json_string(&kernel->head, arena, item, "head", err));
		TRY(kt_json_string(&kernel->body, arena, item, "body", err));
	}
	return out->kernel_count > 0 ? KT_OK : kt_fail(err, KT_ERR_CHILD, "ktcc-clang accepted a text without a kernel");
}

static kt_status read_verdict(struct kt_check_verdict *out, struct kt_arena *arena, const cJSON *json,
                              struct kt_error *err)
{
	const char *verdict;
	kt_status status = kt_json_string(&verdict, arena, json, "verdict", err);

	*out = (struct kt_check_verdict){.construct = "", .message = "", .source = ""};
	if (status != KT_OK)
		return status;
	if (cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(json, "cpu_s")))
		out->cpu_s = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(json, "cpu_s"));
	out->accepted = strcmp(verdict, "accepted") == 0;
	if (out->accepted)
		return read_accepted(out, arena, json, err);
	status = kt_json_string_or(&out->message, arena, json, "message", "", err);
	if (status == KT_OK && strcmp(verdict, "refused") != 0)
		return kt_fail(err, KT_ERR_CHILD, "ktcc-clang check: %.600s", out->message);
	THEN(status, kt_json_string_or(&out->construct, arena, json, "construct", "", err));
	THEN(status, kt_json_string_or(&out->source, arena, json, "source", "", err));
	THEN(status, kt_json_int_or(&out->line, json, "line", 0, err));
	THEN(status, kt_json_int_or(&out->column, json, "column", 0, err));
	return status;
}

kt_status kt_check_ask(struct kt_check_verdict *out, struct kt_arena *arena, struct kt_clang_client *clang,
                       const struct kt_check_request *request, const struct kt_reply *reply, struct kt_error *err)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_MESSAGE_BYTES), answer = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	cJSON *json = request_json(request, reply);
	kt_status status;

	kt_json_print(&line, json);
	cJSON_Delete(json);
	json = NULL;
	status = kt_buf_check(&line, "a request for ktcc-clang check", err);
	THEN(status, kt_clang_ask(&answer, clang, "check", kt_buf_text(&line), answer_s, err));
	THEN(status, kt_json_parse(&json, kt_buf_text(&answer), answer.size, err));
	THEN(status, read_verdict(out, arena, json, err));
	cJSON_Delete(json);
	kt_buf_free(&line);
	kt_buf_free(&answer);
	return status;
}

void kt_check_complain(struct kt_buf *out, const struct kt_check_verdict *verdict)
{
	kt_buf_addf(out, "%s, line %lld, column %lld: %s\n", verdict->construct, (long long)verdict->line,
	            (long long)verdict->column, verdict->message);
	if (verdict->source[0] != '\0')
		kt_buf_addf(out, "    %s\n", verdict->source);
}

/* `__global__ void k(const __half *x, int n, float *t)`: a plain function of the instance's types; reply: of a plan. */
static kt_status declare(struct kt_buf *out, const struct kt_region *region, const struct kt_instance *instance,
                         const char *name, const struct kt_reply *reply, struct kt_error *err)
{
	const char *comma = region->argument_count > 0 ? ", " : "";

	kt_buf_addf(out, "__global__ void %s(", name);
	for (size_t i = 0; i < region->argument_count; i++) {
		const struct kt_argument *argument = &region->arguments[i];
		const char *type = instance->types[i];

		/* Arrays and functions are declared around their name. */
		if (type[0] == '\0' || strpbrk(type, "[(") != NULL || argument->name[0] == '\0')
			return kt_fail(err, KT_ERR_INVALID, "argument %zu of %s cannot be declared: \"%s\"", i + 1, region->kernel,
			               type);
		/* "float *x", "float *__restrict__ x", "int n" */
		kt_buf_addf(out, "%s%s%s%s%s", i > 0 ? ", " : "", type, type[strlen(type) - 1] == '*' ? "" : " ",
		            argument->is_restrict && strstr(type, "__restrict") == NULL ? "__restrict__ " : "", argument->name);
	}
	for (size_t i = 0; reply != NULL && i < reply->temporary_count; i++, comma = ", ")
		kt_buf_addf(out, "%s%s *%s", comma, kt_scalar_cuda(reply->temporaries[i].element), reply->temporaries[i].name);
	kt_buf_addc(out, ')');
	return kt_buf_check(out, "declaration", err);
}

kt_status kt_check_request_plan(struct kt_check_request *out, struct kt_arena *arena, const struct kt_region *region,
                                const struct kt_instance *instance, const struct kt_reply *reply, struct kt_error *err)
{
	kt_status status = KT_OK;

	out->kernel_count = reply->launch_count;
	NEED(out->kernels = kt_arena_array(arena, reply->launch_count, sizeof *out->kernels),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory for a plan"));
	for (size_t i = 0; status == KT_OK && i < reply->launch_count; i++) {
		struct kt_buf declaration = KT_BUF(KT_LIMIT_LINE_BYTES);

		status = declare(&declaration, region, instance, reply->launches[i].kernel, reply, err);
		out->kernels[i] = (struct kt_checked_kernel){.name = reply->launches[i].kernel,
		                                             .declaration = kt_arena_strdup(arena, kt_buf_text(&declaration))};
		kt_buf_free(&declaration);
		if (status == KT_OK && out->kernels[i].declaration == NULL)
			status = kt_fail(err, KT_ERR_MEMORY, "out of memory for a plan");
	}
	return status;
}

kt_status kt_check_request_of(struct kt_check_request *out, struct kt_arena *arena, const struct kt_region *region,
                              const struct kt_instance *instance, const char *source, size_t source_size,
                              struct kt_error *err)
{
	struct kt_buf context = KT_BUF(KT_LIMIT_SOURCE_BYTES), open = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_buf close = KT_BUF(KT_LIMIT_LINE_BYTES), original = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_buf declaration = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_checked_kernel *kernel = kt_arena_alloc(arena, sizeof *kernel);
	kt_status status = declare(&declaration, region, instance, region->kernel, NULL, err);

	kt_slice(&context, region, source, source_size, NULL);
	kt_slice_scope(&open, region, true);
	kt_slice_scope(&close, region, false);
	for (size_t i = 0; i < region->callee_count; i++) {
		kt_buf_add(&original, source + region->callees[i].extent.begin,
		           region->callees[i].extent.end - region->callees[i].extent.begin);
		kt_buf_addc(&original, '\n');
	}
	for (size_t i = 0; i < region->step_count; i++) {
		kt_buf_add(&original, source + region->steps[i].extent.begin,
		           region->steps[i].extent.end - region->steps[i].extent.begin);
		kt_buf_addc(&original, '\n');
	}
	kt_buf_add(&original, source + region->extent.begin, region->extent.end - region->extent.begin);
	if (status != KT_OK)
		goto done;
	*out = (struct kt_check_request){.context = kt_arena_strdup(arena, kt_buf_text(&context)),
	                                 .open = kt_arena_strdup(arena, kt_buf_text(&open)),
	                                 .close = kt_arena_strdup(arena, kt_buf_text(&close)),
	                                 .original = kt_arena_strdup(arena, kt_buf_text(&original)),
	                                 .kernel_count = 1, .kernels = kernel};
	if (kernel != NULL)
		*kernel = (struct kt_checked_kernel){.name = region->kernel,
		                                     .declaration = kt_arena_strdup(arena, kt_buf_text(&declaration))};
	if (kernel == NULL || kernel->declaration == NULL || out->context == NULL || out->open == NULL ||
	    out->close == NULL || out->original == NULL || context.failed || original.failed)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for the context of %s", region->name);
done:
	kt_buf_free(&context);
	kt_buf_free(&open);
	kt_buf_free(&close);
	kt_buf_free(&original);
	kt_buf_free(&declaration);
	return status;
}
