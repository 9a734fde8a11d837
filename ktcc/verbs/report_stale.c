/* ktcc report: entries whose kernel has changed since, and those that no build uses. They are shown after the others. */
#include <string.h>

#include "base/recipe.h"
#include "launch/manifest.h"
#include "verbs/report.h"

struct used {
	struct kt_report *report;
	size_t build_count, key_count;
	const char **keys; /* of the regions that commands looked up, whose sources are unchanged */
	bool failed;
};

static bool add_keys(const struct kt_manifest *manifest, void *context)
{
	struct used *used = context;
	struct kt_arena *arena = used->report->arena;

	if (!kt_manifest_sources(manifest))
		return true;
	used->build_count++;
	for (size_t i = 0; i < manifest->lookup_count && !used->failed; i++) {
		const char *found = manifest->lookups[i].region_key, **key;

		if (found == NULL)
			continue;
		key = kt_arena_push(arena, &used->keys, &used->key_count, sizeof *key);
		used->failed = key == NULL || (*key = kt_arena_strdup(arena, found)) == NULL;
	}
	return !used->failed;
}

/* When it was tuned, in seconds of the epoch; 0: only the day is known. */
static int64_t tuned_at(const struct kt_report_region *region)
{
	return region->event_count != 0 ? region->events[region->event_count - 1].time : 0;
}

static bool is_newer(const struct kt_report_region *a, const struct kt_report_region *b)
{
	const int days = strcmp(a->entry.date, b->entry.date);

	return days > 0 || (days == 0 && tuned_at(b) != 0 && tuned_at(a) > tuned_at(b));
}

/* The newest other entry of the same kernel on the same device; NULL: this is it. */
static const struct kt_report_region *newest(const struct kt_report *r, const struct kt_report_region *region)
{
	const struct kt_report_region *found = region;

	for (size_t i = 0; i < r->region_count; i++) {
		const struct kt_entry *entry = &r->regions[i].entry;

		if (strcmp(entry->name, region->entry.name) == 0 && strcmp(entry->instance, region->entry.instance) == 0 &&
		    strcmp(entry->device_key, region->entry.device_key) == 0 && is_newer(&r->regions[i], found))
			found = &r->regions[i];
	}
	return found != region ? found : NULL;
}

static const char *why_stale(const struct used *used, const struct kt_report_region *region)
{
	const bool is_used = kt_has_text(used->keys, used->key_count, region->entry.region_key);
	const struct kt_report_region *newer = is_used ? NULL : newest(used->report, region);

	if (newer != NULL)
		return kt_arena_printf(used->report->arena, "a newer entry of this kernel, %.8s, has other text, clauses or options",
		                       newer->entry.region_key);
	if (region->entry.recipe != NULL && !kt_recipe_is_current(region->entry.recipe))
		return "this ktcc makes another text from its recipe; ktcc tune --refresh measures again";
	return !is_used && region->path != NULL && used->build_count != 0 ? "no build of the sources as they are now uses it" : NULL;
}

/* Those that are stale come last; otherwise the order is kept. */
static kt_status order(struct kt_report *r, struct kt_error *err)
{
	struct kt_report_region *sorted = kt_arena_array(r->arena, r->region_count + 1, sizeof *sorted);
	size_t count = 0;

	NEED(sorted, kt_no_memory(err));
	for (int stale = 0; stale < 2; stale++)
		for (size_t i = 0; i < r->region_count; i++)
			if ((r->regions[i].stale != NULL) == (stale == 1))
				sorted[count++] = r->regions[i];
	r->regions = sorted;
	return KT_OK;
}

kt_status kt_report_mark_stale(struct kt_report *r, struct kt_error *err)
{
	struct used used = {.report = r};

	if (r->session.store != NULL)
		TRY(kt_store_each_manifest(r->session.store, r->arena, add_keys, &used, err));
	if (used.failed)
		return kt_no_memory(err);
	for (size_t i = 0; i < r->region_count; i++)
		r->regions[i].stale = why_stale(&used, &r->regions[i]);
	return order(r, err);
}

size_t kt_report_stale(const struct kt_report *r)
{
	size_t count = 0;

	for (size_t i = 0; i < r->region_count; i++)
		count += r->regions[i].stale != NULL;
	return count;
}
