/* ktcc report: entries, trials, decisions and rounds of the regions that were asked for. */
#include <string.h>

#include "base/log.h"
#include "planning/tuning_report.h"
#include "store/lock.h"
#include "verbs/cache.h"
#include "verbs/report.h"

static bool fail_memory(struct kt_report *r)
{
	r->status = kt_fail(&r->err, KT_ERR_MEMORY, "report: out of memory");
	return false;
}

/* Without names and files every entry is wanted. */
static bool is_wanted(struct kt_report *r, const struct kt_entry *entry)
{
	bool wanted = r->name_count == 0 && r->file_count == 0;

	for (size_t i = 0; i < r->name_count; i++)
		if (kt_cache_is_named(r->names[i], entry))
			wanted = r->named[i] = true;
	return wanted || cJSON_GetObjectItemCaseSensitive(r->code, entry->region_key) != NULL;
}

static struct kt_report_region *find(const struct kt_report *r, const struct kt_entry *entry)
{
	for (size_t i = 0; i < r->region_count; i++)
		if (strcmp(r->regions[i].entry.region_key, entry->region_key) == 0 &&
		    strcmp(r->regions[i].entry.device_key, entry->device_key) == 0)
			return &r->regions[i];
	return NULL;
}

/* A copy of the entry that lives as long as the report. */
static bool copy(struct kt_report_region *to, struct kt_report *r, const struct kt_entry *entry)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	bool good = kt_entry_print(&text, entry, &r->err) == KT_OK &&
		    (to->json = kt_arena_strdup(r->arena, kt_buf_text(&text))) != NULL &&
		    kt_entry_parse(&to->entry, r->arena, to->json, strlen(to->json), &r->err) == KT_OK;

	kt_buf_free(&text);
	if (!good)
		return fail_memory(r);
	if (entry->trial_key != NULL)
		to->entry.trial_key = kt_arena_strdup(r->arena, entry->trial_key);
	to->gain = kt_cache_speedup(entry);
	to->code = cJSON_GetObjectItemCaseSensitive(r->code, entry->region_key);
	return true;
}

static struct kt_report_region *add(struct kt_report *r, const struct kt_entry *entry, const char *source)
{
	struct kt_report_region *region = kt_arena_push(r->arena, &r->regions, &r->region_count, sizeof *region);

	if (region == NULL) {
		fail_memory(r);
		return NULL;
	}
	region->source = source;
	return copy(region, r, entry) ? region : NULL;
}

static bool take_local(const struct kt_entry *entry, void *context)
{
	struct kt_report *r = context;

	if (!is_wanted(r, entry))
		return true;
	return add(r, entry,
		   entry->origin == NULL                  ? "local"
		   : strcmp(entry->origin, "remote") == 0 ? "remote"
							  : "import") != NULL;
}

/* An entry that is in both places is one region; what was measured is known in the store alone. */
static bool take_lock(const char *path, const struct kt_entry *entry, void *context)
{
	struct kt_report *r = context;
	struct kt_report_region *region;
	const size_t root = strlen(r->lock_dir);

	if (!is_wanted(r, entry))
		return true;
	region = find(r, entry);
	if (region != NULL)
		region->source = "local and lock";
	else if ((region = add(r, entry, "lock")) == NULL)
		return false;
	region->path = kt_arena_strdup(
	    r->arena, path + (strncmp(path, r->lock_dir, root) == 0 && path[root] == '/' ? root + 1 : 0));
	return region->path != NULL || fail_memory(r);
}

static void take_damaged(const char *path, const char *reason, void *context)
{
	struct kt_report *r = context;

	(void)path;
	kt_say("%s", reason);
	r->damaged++;
}

struct reading {
	struct kt_report *report;
	struct kt_report_region *region;
};

/* The place of a text in a list, appended where it is new; SIZE_MAX: out of memory. The last `look` are looked at. */
static size_t place_of(struct kt_arena *arena, const char ***list, size_t *count, const char *text, size_t look)
{
	const char **slot;

	for (size_t i = *count; i > 0 && *count - i < look; i--)
		if (strcmp((*list)[i - 1], text) == 0)
			return i - 1;
	slot = kt_arena_push(arena, list, count, sizeof *slot);
	if (slot == NULL || (*slot = kt_arena_strdup(arena, text)) == NULL)
		return SIZE_MAX;
	return *count - 1;
}

static bool take_trial(const char *configuration, const char *problem, const struct kt_trial *trial, void *context)
{
	struct reading *reading = context;
	struct kt_report *r = reading->report;
	struct kt_report_region *to = reading->region;
	struct kt_report_trial *row = kt_arena_push(r->arena, &to->trials, &to->trial_count, sizeof *row);

	NEED(row, fail_memory(r));
	row->trial = *trial;
	/* Trials come by configuration. */
	row->configuration = place_of(r->arena, &to->configurations, &to->configuration_count, configuration, 1);
	row->problem = place_of(r->arena, &to->problems, &to->problem_count, problem, SIZE_MAX);
	row->trial.detail = trial->detail != NULL ? kt_arena_strdup(r->arena, trial->detail) : NULL;
	if (row->configuration == SIZE_MAX || row->problem == SIZE_MAX ||
	    (trial->detail != NULL && row->trial.detail == NULL))
		return fail_memory(r);
	return true;
}

static bool take_record(struct reading *reading, const char *hash)
{
	struct kt_report_region *to = reading->region;
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error ignored;
	cJSON *record = NULL;

	/* A record that gc removed is not shown. */
	if (kt_tuning_report_text(&text, reading->report->session.store, hash) &&
	    kt_json_parse(&record, kt_buf_text(&text), text.size, &ignored) == KT_OK) {
		to->rounds = to->rounds != NULL ? to->rounds : cJSON_CreateArray();
		cJSON_AddItemToArray(to->rounds, record);
	}
	kt_buf_free(&text);
	return true;
}

static bool take_event(int64_t time, const char *event, const char *detail, void *context)
{
	struct reading *reading = context;
	struct kt_report *r = reading->report;
	struct kt_report_region *to = reading->region;
	struct kt_report_event *row;

	if (strcmp(event, KT_TUNING_REPORT_RECORD) == 0)
		return take_record(reading, detail);
	row = kt_arena_push(r->arena, &to->events, &to->event_count, sizeof *row);
	if (row == NULL || (row->event = kt_arena_strdup(r->arena, event)) == NULL ||
	    (row->detail = kt_arena_strdup(r->arena, detail)) == NULL)
		return fail_memory(r);
	row->time = time;
	return true;
}

static kt_status read_history(struct kt_report *r, struct kt_report_region *region, struct kt_error *err)
{
	struct reading reading = {r, region};
	const struct kt_entry *entry = &region->entry;
	struct kt_store *store = r->session.store;

	if (entry->trial_key != NULL)
		TRY(kt_store_each_trial(store, entry->trial_key, entry->device_key, take_trial, &reading, err));
	return kt_store_each_decision(store, entry->region_key, entry->device_key, KT_DECISION_BEGIN, take_event,
				      &reading, err);
}

static kt_status check_names(const struct kt_report *r, struct kt_error *err)
{
	for (size_t i = 0; i < r->name_count; i++)
		if (!r->named[i])
			return kt_fail(err, KT_ERR_MISSING,
				       "%s: no file, and no entry of a region of this name; ktcc cache list",
				       r->names[i]);
	return r->region_count != 0
		   ? KT_OK
		   : kt_fail(err, KT_ERR_MISSING, "there is no entry to report; tune first: ktcc tune FILE");
}

kt_status kt_report_read(struct kt_report *r, struct kt_error *err)
{
	kt_status status = KT_OK;

	if (r->session.store != NULL)
		status = kt_store_each_entry(r->session.store, take_local, r, err);
	if (status == KT_OK && r->status == KT_OK && r->lock_dir != NULL)
		status = kt_lock_each(r->lock_dir, take_lock, take_damaged, r, err);
	for (size_t i = 0; status == KT_OK && r->status == KT_OK && r->session.store != NULL && i < r->region_count;
	     i++)
		status = read_history(r, &r->regions[i], err);
	if (status == KT_OK && r->status != KT_OK) {
		*err = r->err;
		status = r->status;
	}
	THEN(status, kt_report_mark_stale(r, err));
	return status == KT_OK ? check_names(r, err) : status;
}

size_t kt_report_trials(const struct kt_report *r)
{
	size_t count = 0;

	for (size_t i = 0; i < r->region_count; i++)
		count += r->regions[i].trial_count;
	return count;
}
