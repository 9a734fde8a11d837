/* Members of replies, written from the records of backend.h, and timings read again from a recording. */
#include "messages.h"

void kt_message_add_energy(cJSON *array, const struct kt_run_energy *energy)
{
	cJSON *json = energy->launches > 0 ? cJSON_CreateObject() : cJSON_CreateNull();
	(void)cJSON_AddItemToArray(array, json);
	if (energy->launches <= 0)
		return;
	(void)cJSON_AddNumberToObject(json, "joules", energy->joules);
	(void)cJSON_AddNumberToObject(json, "error", energy->error);
	(void)cJSON_AddNumberToObject(json, "seconds", energy->seconds);
	(void)kt_json_add_int(json, "launches", energy->launches);
	(void)kt_json_add_int(json, "steps", energy->steps);
}

static void add_pair(cJSON *object, const char *name, const unsigned pair[2])
{
	cJSON *array = cJSON_AddArrayToObject(object, name);
	for (size_t i = 0; i < 2; i++)
		(void)cJSON_AddItemToArray(array, cJSON_CreateNumber(pair[i]));
}

void kt_message_add_conditions(cJSON *object, const struct kt_run_conditions *c)
{
	if (!c->known)
		return;
	add_pair(object, "sm_mhz", c->sm_mhz);
	add_pair(object, "memory_mhz", c->memory_mhz);
	add_pair(object, "celsius", c->celsius);
	add_pair(object, "watts", c->watts);
	(void)kt_json_add_int(object, "reasons", (int64_t)c->reasons);
	(void)cJSON_AddBoolToObject(object, "throttled", c->throttled);
	(void)kt_json_add_int(object, "repeats", c->repeats);
}

static void add_ulp(cJSON *array, const struct kt_run_ulp *ulp)
{
	cJSON *item = kt_json_append(array), *counts = NULL;
	size_t bins = KT_ULP_BINS;
	(void)cJSON_AddStringToObject(item, "buffer", ulp->buffer);
	(void)cJSON_AddNumberToObject(item, "largest", ulp->largest);
	(void)kt_json_add_int(item, "index", (int64_t)ulp->index);
	counts = cJSON_AddArrayToObject(item, "counts");
	while (bins && !ulp->counts[bins - 1])
		bins--;
	for (size_t i = 0; i < bins; i++)
		(void)cJSON_AddItemToArray(counts, cJSON_CreateNumber((double)ulp->counts[i]));
}

void kt_message_add_notes(cJSON *object, const struct kt_run_notes *notes)
{
	cJSON *array = notes->ulp_count ? cJSON_AddArrayToObject(object, "ulp") : NULL;
	for (size_t i = 0; i < notes->ulp_count; i++)
		add_ulp(array, &notes->ulp[i]);
	if (notes->conditions.known)
		kt_message_add_conditions(cJSON_AddObjectToObject(object, "conditions"), &notes->conditions);
}

void kt_message_add_prepared(cJSON *object, const struct kt_run_prepared *prepared)
{
	(void)cJSON_AddBoolToObject(object, "skipped", prepared->skipped);
	(void)cJSON_AddBoolToObject(object, "nondeterministic", prepared->nondeterministic);
	if (prepared->by_host)
		(void)cJSON_AddBoolToObject(object, "by_host", true);
	kt_json_add_text(object, "detail", prepared->detail);
}

void kt_message_add_attributes(cJSON *object, const struct kt_run_outcome *outcome)
{
	(void)kt_json_add_int(object, "registers", outcome->registers);
	(void)kt_json_add_int(object, "local_bytes", outcome->local_bytes);
	(void)kt_json_add_int(object, "shared_bytes", outcome->shared_bytes);
	(void)kt_json_add_int(object, "occupancy_blocks", outcome->occupancy_blocks);
}

void kt_message_add_trial(cJSON *object, const struct kt_trial *trial)
{
	(void)cJSON_AddStringToObject(object, "verdict", kt_verdict_name(trial->verdict));
	if (trial->timing.samples > 0)
		kt_timing_add(object, "timing", &trial->timing);
	kt_json_add_text(object, "detail", trial->detail);
}
