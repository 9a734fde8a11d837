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

cJSON *kt_message_conditions(const struct kt_run_conditions *c)
{
	cJSON *object = c->known ? cJSON_CreateObject() : NULL;
	NEED(object, NULL);
	add_pair(object, "sm_mhz", c->sm_mhz);
	add_pair(object, "memory_mhz", c->memory_mhz);
	add_pair(object, "celsius", c->celsius);
	add_pair(object, "watts", c->watts);
	(void)kt_json_add_int(object, "reasons", (int64_t)c->reasons);
	(void)cJSON_AddBoolToObject(object, "throttled", c->throttled);
	(void)kt_json_add_int(object, "repeats", c->repeats);
	return object;
}

void kt_message_add_prepared(cJSON *object, const struct kt_run_prepared *prepared)
{
	(void)cJSON_AddBoolToObject(object, "skipped", prepared->skipped);
	(void)cJSON_AddBoolToObject(object, "nondeterministic", prepared->nondeterministic);
	if (prepared->by_host)
		(void)cJSON_AddBoolToObject(object, "by_host", true);
	kt_json_add_text(object, "detail", prepared->detail);
}

static const struct kt_member attribute_rows[] = {KT_ATTRIBUTE_ROWS(struct kt_run_outcome)};
const struct kt_members kt_outcome_attributes = {KT_MEMBERS_OF(struct kt_run_outcome, attribute_rows)};
