/* ktcc report: the regions as JSON, which is also what the page shows. */
#include <math.h>
#include <string.h>

#include "verbs/report.h"

/* Members of a row of trials, in their order: docs/report.md. */
static const char *const columns[] = {"configuration", "problem",      "verdict",     "median_ns",
				      "min_ns",        "deviation_ns", "samples",     "registers",
				      "local_bytes",   "shared_bytes", "measured_ms", "detail"};

static void add_number(cJSON *row, double value)
{
	/* A tenth of a nanosecond is below what a device's clock resolves. */
	cJSON_AddItemToArray(row, cJSON_CreateNumber(round(value * 10) / 10));
}

static cJSON *trial_row(const struct kt_report_trial *row)
{
	const struct kt_trial *t = &row->trial;
	cJSON *item = cJSON_CreateArray();

	add_number(item, (double)row->configuration);
	add_number(item, (double)row->problem);
	add_number(item, (double)t->verdict);
	add_number(item, t->timing.median_ns);
	add_number(item, t->timing.min_ns);
	add_number(item, t->timing.deviation_ns);
	add_number(item, (double)t->timing.samples);
	add_number(item, (double)t->registers);
	add_number(item, (double)t->local_bytes);
	add_number(item, (double)t->shared_bytes);
	add_number(item, (double)t->measured_ms);
	if (t->detail != NULL)
		cJSON_AddItemToArray(item, cJSON_CreateString(t->detail));
	return item;
}

static void add_trials(cJSON *to, const struct kt_report_region *region)
{
	cJSON *item = cJSON_AddObjectToObject(to, "trials"), *rows;

	cJSON_AddItemToObject(item, "columns",
			      cJSON_CreateStringArray(columns, (int)(sizeof columns / sizeof *columns)));
	cJSON_AddItemToObject(item, "configurations",
			      cJSON_CreateStringArray(region->configurations, (int)region->configuration_count));
	cJSON_AddItemToObject(item, "problems", cJSON_CreateStringArray(region->problems, (int)region->problem_count));
	rows = cJSON_AddArrayToObject(item, "rows");
	for (size_t i = 0; i < region->trial_count; i++)
		cJSON_AddItemToArray(rows, trial_row(&region->trials[i]));
}

static void add_events(cJSON *to, const struct kt_report_region *region)
{
	cJSON *list = cJSON_AddArrayToObject(to, "ledger");

	for (size_t i = 0; i < region->event_count; i++) {
		cJSON *item = kt_json_append(list);

		kt_json_add_int(item, "time", region->events[i].time);
		cJSON_AddStringToObject(item, "event", region->events[i].event);
		cJSON_AddStringToObject(item, "detail", region->events[i].detail);
	}
}

static cJSON *region_json(const struct kt_report_region *region)
{
	cJSON *item = cJSON_CreateObject(), *entry = NULL;
	struct kt_error ignored;

	cJSON_AddStringToObject(item, "source", region->source);
	kt_json_add_text(item, "path", region->path);
	kt_json_add_text(item, "stale", region->stale);
	cJSON_AddNumberToObject(item, "gain", round(region->gain * 1000) / 1000);
	if (kt_json_parse(&entry, region->json, strlen(region->json), &ignored) == KT_OK)
		cJSON_AddItemToObject(item, "entry", entry);
	if (region->trial_count != 0)
		add_trials(item, region);
	if (region->event_count != 0)
		add_events(item, region);
	if (region->rounds != NULL)
		cJSON_AddItemToObject(item, "rounds", cJSON_Duplicate(region->rounds, true));
	if (region->code != NULL)
		cJSON_AddItemToObject(item, "code", cJSON_Duplicate(region->code, true));
	return item;
}

cJSON *kt_report_json(const struct kt_report *r)
{
	cJSON *all = cJSON_CreateObject(), *verdicts, *regions;

	cJSON_AddNumberToObject(all, "report", 1);
	cJSON_AddStringToObject(all, "tool", "ktcc " KT_VERSION);
	cJSON_AddStringToObject(all, "date", r->date);
	verdicts = cJSON_AddArrayToObject(all, "verdicts");
	for (int i = 0; i <= KT_VERDICT_SKIPPED; i++)
		cJSON_AddItemToArray(verdicts, cJSON_CreateString(kt_verdict_name((enum kt_verdict)i)));
	regions = cJSON_AddArrayToObject(all, "regions");
	for (size_t i = 0; i < r->region_count; i++)
		cJSON_AddItemToArray(regions, region_json(&r->regions[i]));
	return all;
}
