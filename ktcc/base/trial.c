#include "base/trial.h"

#include <string.h>

#include "base/member.h"

const char *const kt_verdict_names[] = {
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
#define VERDICTS (sizeof kt_verdict_names / sizeof kt_verdict_names[0])

const char *kt_verdict_name(enum kt_verdict verdict)
{
	return (size_t)verdict < VERDICTS ? kt_verdict_names[verdict] : "unknown";
}

bool kt_verdict_from_name(enum kt_verdict *out, const char *name)
{
	for (size_t i = 0; i < VERDICTS; i++) {
		if (strcmp(kt_verdict_names[i], name) == 0) {
			*out = (enum kt_verdict)i;
			return true;
		}
	}
	return false;
}

#define TIMING(kind, member) KT_MEMBER(kind, struct kt_timing, member)
static const struct kt_member timing_rows[] = {
    {TIMING(DOUBLE, median_ns)},    {TIMING(DOUBLE, mean_ns)}, {TIMING(DOUBLE, min_ns)},
    {TIMING(DOUBLE, deviation_ns)}, {TIMING(INT, samples)},
};
const struct kt_members kt_timing_members = {KT_MEMBERS_OF(struct kt_timing, timing_rows)};

void kt_timing_add(cJSON *object, const char *name, const struct kt_timing *timing)
{
	kt_print_members(cJSON_AddObjectToObject(object, name), timing, &kt_timing_members, NULL);
}

kt_status kt_timing_read(struct kt_timing *out, const cJSON *json, struct kt_error *err)
{
	*out = (struct kt_timing){0};
	return json != NULL ? kt_members_parse(out, json, &kt_timing_members, NULL, err) : KT_OK;
}
