/* A request from its JSON, and a verdict as JSON: docs/protocol.md, "check". */
#include <string.h>

#include "check.h"

static kt_status read_kernels(struct kt_check *check, const cJSON *list, struct kt_error *err)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, list) {
		struct kt_check_kernel *kernel =
		    kt_arena_push(check->arena, &check->kernels, &check->kernel_count, sizeof *kernel);

		NEED(kernel, kt_no_memory(err));
		TRY(kt_json_string(&kernel->name, check->arena, item, "name", err));
		TRY(kt_json_string(&kernel->declaration, check->arena, item, "declaration", err));
	}
	return check->kernel_count > 0 ? KT_OK : kt_fail(err, KT_ERR_INVALID, "/kernels: none");
}

static kt_status read_parameters(struct kt_check *check, const cJSON *list, struct kt_error *err)
{
	const size_t most = list != NULL ? (size_t)cJSON_GetArraySize(list) : 0;
	const cJSON *item;

	check->parameters = kt_arena_array(check->arena, most + 1, sizeof *check->parameters);
	check->values = kt_arena_array(check->arena, most + 1, sizeof *check->values);
	if (check->parameters == NULL || check->values == NULL)
		return kt_no_memory(err);
	cJSON_ArrayForEach(item, list) {
		TRY(kt_json_string(&check->parameters[check->parameter_count], check->arena, item, "name", err));
		TRY(kt_json_int(&check->values[check->parameter_count], item, "value", err));
		check->parameter_count++;
	}
	return KT_OK;
}

kt_status kt_check_read(struct kt_check *check, const cJSON *request, struct kt_error *err)
{
	const cJSON *kernels = NULL, *parameters = NULL;
	const char *original = "";
	kt_status status = kt_json_string_or(&check->context, check->arena, request, "context", "", err);

	THEN(status, kt_json_string_or(&check->open, check->arena, request, "open", "", err));
	THEN(status, kt_json_string_or(&check->close, check->arena, request, "close", "", err));
	THEN(status, kt_json_string_or(&original, check->arena, request, "original", "", err));
	THEN(status, kt_json_string(&check->text, check->arena, request, "text", err));
	THEN(status, kt_json_bool_or(&check->allow_assembly, request, "allow_assembly", false, err));
	if (cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(request, "seconds")))
		check->seconds = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(request, "seconds"));
	THEN(status, kt_json_array_or(&kernels, request, "kernels", err));
	THEN(status, kt_json_array_or(&parameters, request, "parameters", err));
	THEN(status, read_kernels(check, kernels, err));
	THEN(status, read_parameters(check, parameters, err));
	if (status != KT_OK)
		return status;
	check->size = strlen(check->text);
	return kt_lex(&check->known, check->arena, original, 0, strlen(original), true, err);
}

static void add_place(cJSON *verdict, const struct kt_check *check)
{
	const size_t at = check->at < check->size ? check->at : check->size;
	size_t begin = at, end = at;
	uint32_t line = 1;
	char *source;

	for (size_t i = 0; i < at; i++)
		line += check->text[i] == '\n';
	while (begin > 0 && check->text[begin - 1] != '\n' && at - begin < 200)
		begin--;
	while (end < check->size && check->text[end] != '\n' && end - at < 200)
		end++;
	size_t column = at;
	while (column > 0 && check->text[column - 1] != '\n')
		column--;
	kt_json_add_int(verdict, "line", line);
	kt_json_add_int(verdict, "column", (int64_t)(at - column) + 1);
	source = kt_arena_strndup(check->arena, check->text + begin, end - begin);
	/* What is shown goes into a line of JSON and back to a model. */
	for (char *each = source; each != NULL && *each != '\0'; each++)
		if ((unsigned char)*each < ' ' || (unsigned char)*each >= 0x7f)
			*each = ' ';
	kt_json_add_text(verdict, "source", source);
}

cJSON *kt_check_verdict(struct kt_check *check)
{
	cJSON *verdict = cJSON_CreateObject();

	if (check->construct == NULL) {
		cJSON_AddStringToObject(verdict, "verdict", "accepted");
		kt_check_print(verdict, check);
	} else if (strcmp(check->construct, "context") == 0) {
		cJSON_AddStringToObject(verdict, "verdict", "error");
		cJSON_AddStringToObject(verdict, "message", check->message != NULL ? check->message : "");
	} else {
		cJSON_AddStringToObject(verdict, "verdict", "refused");
		cJSON_AddStringToObject(verdict, "construct", check->construct);
		add_place(verdict, check);
		cJSON_AddStringToObject(verdict, "message", check->message != NULL ? check->message : "");
	}
	return verdict;
}
