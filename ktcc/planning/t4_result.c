#include "planning/t4_result.h"

#include <ctype.h>
#include <math.h>

#include "base/fs.h"

/* What a T4 file calls a verdict. */
static const char *invalidity(enum kt_verdict verdict)
{
	switch (verdict) {
	case KT_VERDICT_OK:
		return "correct";
	case KT_VERDICT_NO_COMPILE:
		return "compile";
	case KT_VERDICT_WRONG_ANSWER:
	case KT_VERDICT_OUT_OF_BOUNDS:
	case KT_VERDICT_NON_DETERMINISTIC:
		return "correctness";
	case KT_VERDICT_OVER_LIMIT:
		return "constraints";
	case KT_VERDICT_TIMED_OUT:
	case KT_VERDICT_SKIPPED: /* stopped early: slower than what was known */
		return "timeout";
	default:
		return "runtime";
	}
}

static void add_measurement(cJSON *list, const char *name, double ms)
{
	cJSON *item = kt_json_append(list);

	cJSON_AddStringToObject(item, "name", name);
	cJSON_AddNumberToObject(item, "value", ms);
	cJSON_AddStringToObject(item, "unit", "ms");
}

static void add_times(cJSON *json, const struct kt_t4_result *result)
{
	cJSON *list = cJSON_AddArrayToObject(json, "measurements");
	double logs = 0;

	for (size_t p = 0; p < result->problem_count; p++)
		logs += log(result->ms[p]);
	add_measurement(list, "time", exp(logs / (double)result->problem_count));
	for (size_t p = 0; result->problem_count > 1 && p < result->problem_count; p++) {
		struct kt_buf name = KT_BUF(KT_LIMIT_LINE_BYTES);

		kt_buf_addf(&name, "time %s", result->problems[p]);
		add_measurement(list, kt_buf_text(&name), result->ms[p]);
		kt_buf_free(&name);
	}
}

cJSON *kt_t4_result(const struct kt_t4_result *result)
{
	const bool valid = result->verdict == KT_VERDICT_OK && result->problem_count != 0;
	cJSON *json = cJSON_CreateObject();

	kt_json_add_values(cJSON_AddObjectToObject(json, "configuration"), result->parameters, result->configuration, result->parameter_count);
	cJSON_AddArrayToObject(cJSON_AddObjectToObject(json, "times"), "runtimes");
	cJSON_AddStringToObject(json, "invalidity", invalidity(result->verdict));
	cJSON_AddNumberToObject(json, "correctness", valid ? 1 : 0);
	if (valid)
		add_times(json, result);
	cJSON_AddItemToArray(cJSON_AddArrayToObject(json, "objectives"), cJSON_CreateString("time"));
	return json;
}

kt_status kt_t4_write(const char *folder, const char *name, cJSON *results, struct kt_error *err)
{
	struct kt_buf path = KT_BUF(KT_LIMIT_LINE_BYTES), text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	cJSON *root = cJSON_CreateObject();
	kt_status status;

	cJSON_AddStringToObject(root, "schema_version", "1.0.0");
	cJSON_AddItemToObject(root, "results", results);
	kt_json_print_stable(&text, root);
	cJSON_Delete(root);
	kt_buf_addf(&path, "%s/", folder);
	for (const char *c = name; *c != '\0'; c++)
		kt_buf_addc(&path, isalnum((unsigned char)*c) ? *c : '_');
	kt_buf_adds(&path, ".T4.json");
	status = kt_buf_check(&text, "T4 file", err);
	THEN(status, kt_buf_check(&path, "path", err));
	THEN(status, kt_fs_mkdirs(folder, err));
	THEN(status, kt_fs_write(kt_buf_text(&path), text.data, text.size, err));
	kt_buf_free(&path);
	kt_buf_free(&text);
	return status;
}
