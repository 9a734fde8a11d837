#include "base/trial.h"

#include <string.h>

static const char *const verdict_names[] = {
    [KT_VERDICT_OK] = "ok",
    [KT_VERDICT_WRONG_ANSWER] = "wrong-answer",
    [KT_VERDICT_OUT_OF_BOUNDS] = "out-of-bounds",
    [KT_VERDICT_NON_DETERMINISTIC] = "non-deterministic",
    [KT_VERDICT_NO_COMPILE] = "no-compile",
    [KT_VERDICT_OVER_LIMIT] = "over-limit",
    [KT_VERDICT_CRASHED] = "crashed",
    [KT_VERDICT_TIMED_OUT] = "timed-out",
    [KT_VERDICT_SKIPPED] = "skipped",
};
#define VERDICTS (sizeof verdict_names / sizeof verdict_names[0])

const char *kt_verdict_name(enum kt_verdict verdict)
{
	return (size_t)verdict < VERDICTS ? verdict_names[verdict] : "unknown";
}

bool kt_verdict_from_name(enum kt_verdict *out, const char *name)
{
	for (size_t i = 0; i < VERDICTS; i++) {
		if (strcmp(verdict_names[i], name) == 0) {
			*out = (enum kt_verdict)i;
			return true;
		}
	}
	return false;
}

void kt_timing_add(cJSON *object, const char *name, const struct kt_timing *timing)
{
	cJSON *json = cJSON_AddObjectToObject(object, name);
	(void)cJSON_AddNumberToObject(json, "median_ns", timing->median_ns);
	(void)cJSON_AddNumberToObject(json, "mean_ns", timing->mean_ns);
	(void)cJSON_AddNumberToObject(json, "min_ns", timing->min_ns);
	(void)cJSON_AddNumberToObject(json, "deviation_ns", timing->deviation_ns);
	(void)kt_json_add_int(json, "samples", timing->samples);
}

kt_status kt_timing_read(struct kt_timing *out, const cJSON *json, struct kt_error *err)
{
	*out = (struct kt_timing){0};
	if (json == NULL)
		return KT_OK;
	TRY(kt_json_double_or(&out->median_ns, json, "median_ns", 0, err));
	TRY(kt_json_double_or(&out->mean_ns, json, "mean_ns", 0, err));
	TRY(kt_json_double_or(&out->min_ns, json, "min_ns", 0, err));
	TRY(kt_json_double_or(&out->deviation_ns, json, "deviation_ns", 0, err));
	return kt_json_int_or(&out->samples, json, "samples", 0, err);
}
