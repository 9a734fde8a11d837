#include "planning/plan_t4.h"

#include <ctype.h>
#include <math.h>

#include "base/fs.h"
#include "base/json.h"

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

static void problem_text(struct kt_buf *out, const struct kt_region *region, size_t problem)
{
	for (size_t v = 0; v < region->variable_count; v++)
		kt_buf_addf(out, "%s%s=%lld", v != 0 ? " " : "", region->variables[v],
		            (long long)region->problems[problem * region->variable_count + v]);
}

/* Why a configuration without times has none: what the store says of the first problem that went wrong. */
static enum kt_verdict why(struct kt_tuning *s, size_t index)
{
	struct kt_buf config = KT_BUF(KT_LIMIT_LINE_BYTES);
	enum kt_verdict verdict = KT_VERDICT_CRASHED;

	kt_configuration_print(&config, s->plan->template_->parameters, s->plan->template_->parameter_count,
	                       kt_space_get(s->space, index));
	for (size_t p = 0; s->plan->store != NULL && p < s->problems; p++) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
		struct kt_trial trial;
		bool known;

		problem_text(&text, s->region, p);
		known = kt_store_get_trial(&trial, s->arena, s->plan->store, s->trial_key, s->device_key,
		                           kt_buf_text(&config), kt_buf_text(&text));
		kt_buf_free(&text);
		if (known && trial.verdict != KT_VERDICT_OK) {
			verdict = trial.verdict;
			break;
		}
	}
	kt_buf_free(&config);
	return verdict;
}

static void add_measurement(cJSON *list, const char *name, double ms)
{
	cJSON *item = cJSON_CreateObject();

	cJSON_AddStringToObject(item, "name", name);
	cJSON_AddNumberToObject(item, "value", ms);
	cJSON_AddStringToObject(item, "unit", "ms");
	cJSON_AddItemToArray(list, item);
}

/* Where a configuration does not run the original does. */
static double problem_ms(const struct kt_tuning *s, const double *ns, size_t problem)
{
	return 1e-6 * (ns[problem] > 0 ? ns[problem] : kt_objective_baseline_ns(s->objective, problem));
}

static void add_times(cJSON *result, const struct kt_tuning *s, const double *ns)
{
	cJSON *list = cJSON_AddArrayToObject(result, "measurements");
	double logs = 0;

	for (size_t p = 0; p < s->problems; p++)
		logs += log(problem_ms(s, ns, p));
	add_measurement(list, "time", exp(logs / (double)s->problems));
	for (size_t p = 0; s->problems > 1 && p < s->problems; p++) {
		struct kt_buf name = KT_BUF(KT_LIMIT_LINE_BYTES);

		kt_buf_adds(&name, "time ");
		problem_text(&name, s->region, p);
		add_measurement(list, kt_buf_text(&name), problem_ms(s, ns, p));
		kt_buf_free(&name);
	}
}

static cJSON *make_result(struct kt_tuning *s, size_t row)
{
	const struct kt_template *template_ = s->plan->template_;
	cJSON *result = cJSON_CreateObject(), *configuration = cJSON_AddObjectToObject(result, "configuration");
	size_t index;
	const double *ns = kt_objective_row(&index, s->objective, row);
	const bool valid = isfinite(kt_objective_cost(s->objective, row));
	const int64_t *values = kt_space_get(s->space, index);

	for (size_t p = 0; p < template_->parameter_count; p++)
		kt_json_add_int(configuration, template_->parameters[p].name, values[p]);
	cJSON_AddArrayToObject(cJSON_AddObjectToObject(result, "times"), "runtimes");
	cJSON_AddStringToObject(result, "invalidity", invalidity(valid ? KT_VERDICT_OK : why(s, index)));
	cJSON_AddNumberToObject(result, "correctness", valid ? 1 : 0);
	if (valid)
		add_times(result, s, ns);
	cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "objectives"), cJSON_CreateString("time"));
	return result;
}

kt_status kt_tuning_write_t4(struct kt_tuning *s, const char *folder, struct kt_error *err)
{
	struct kt_buf path = KT_BUF(KT_LIMIT_LINE_BYTES), text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	cJSON *root = cJSON_CreateObject(), *results;
	kt_status status;

	cJSON_AddStringToObject(root, "schema_version", "1.0.0");
	results = cJSON_AddArrayToObject(root, "results");
	for (size_t row = 0; row < kt_objective_rows(s->objective); row++)
		cJSON_AddItemToArray(results, make_result(s, row));
	kt_json_print_stable(&text, root);
	cJSON_Delete(root);
	kt_buf_addf(&path, "%s/", folder);
	for (const char *c = s->instance->name; *c != '\0'; c++)
		kt_buf_addc(&path, isalnum((unsigned char)*c) ? *c : '_');
	kt_buf_adds(&path, ".T4.json");
	status = kt_buf_check(&text, "T4 file", err);
	if (status == KT_OK)
		status = kt_buf_check(&path, "path", err);
	if (status == KT_OK)
		status = kt_fs_mkdirs(folder, err);
	if (status == KT_OK)
		status = kt_fs_write(kt_buf_text(&path), text.data, text.size, err);
	kt_buf_free(&path);
	kt_buf_free(&text);
	return status;
}
