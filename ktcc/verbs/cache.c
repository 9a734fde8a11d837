/* ktcc cache: what the store holds, and its upkeep. */
#include "verbs/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/log.h"
#include "verbs/session.h"
#include "verbs/verbs.h"

#define DAYS_DEFAULT 90

struct gathered {
	cJSON *counters, *reasons;
	bool failed;
};

static bool gather_counter(const char *name, int64_t value, void *context)
{
	static const char prefix[] = "reason:";
	struct gathered *to = context;
	bool reason = strncmp(name, prefix, sizeof prefix - 1) == 0;
	if (!kt_json_add_int(reason ? to->reasons : to->counters, name, value))
		to->failed = true;
	return !to->failed;
}

static void print_section(const char *title, const cJSON *values)
{
	const cJSON *item;
	if (values->child == NULL)
		return;
	printf("%s\n", title);
	cJSON_ArrayForEach(item, values) {
		static const char prefix[] = "reason:";
		bool is_reason = strncmp(item->string, prefix, sizeof prefix - 1) == 0;
		enum kt_reason reason = is_reason ? kt_reason_from_name(item->string + sizeof prefix - 1) : KT_REASON_NONE;
		printf("  %-26s %10.0f", is_reason ? item->string + sizeof prefix - 1 : item->string, item->valuedouble);
		printf(reason != KT_REASON_NONE ? "  %s\n" : "\n", kt_reason_text(reason));
	}
}

/* {"counters":{…},"tables":{…},"bytes":n}: reasons are counters whose name starts with "reason:". */
static void print_stats_json(const struct gathered *all, const cJSON *tables, int64_t bytes)
{
	cJSON *json = cJSON_CreateObject();
	cJSON *counters = cJSON_Duplicate(all->counters, true);
	const cJSON *item;
	cJSON_ArrayForEach(item, all->reasons)
		cJSON_AddNumberToObject(counters, item->string, item->valuedouble);
	cJSON_AddItemToObject(json, "counters", counters);
	cJSON_AddItemToObject(json, "tables", cJSON_Duplicate(tables, true));
	kt_json_add_int(json, "bytes", bytes);
	kt_verb_print_json(json);
	cJSON_Delete(json);
}

static kt_status stats(struct kt_cache *cache, int64_t *found, struct kt_error *err)
{
	struct gathered all = {cJSON_CreateObject(), cJSON_CreateObject(), false};
	struct kt_buf rows = KT_BUF(KT_LIMIT_LINE_BYTES);
	cJSON *tables = NULL;
	int64_t bytes = 0;
	kt_status status = kt_store_each_counter(cache->store, gather_counter, &all, err);
	*found = 0;
	if (status == KT_OK && all.failed)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory reading counters");
	THEN(status, kt_store_table_rows(&rows, cache->store, err));
	THEN(status, kt_json_parse(&tables, kt_buf_text(&rows), rows.size, err));
	THEN(status, kt_store_bytes(&bytes, cache->store, err));
	if (status == KT_OK && cache->json)
		print_stats_json(&all, tables, bytes);
	if (status == KT_OK && !cache->json) {
		printf("store %s, %.1f MB\n", cache->config.cache_dir, 1e-6 * (double)bytes);
		print_section("counters", all.counters);
		print_section("left unmodified, by reason", all.reasons);
		print_section("rows", tables);
	}
	cJSON_Delete(tables);
	cJSON_Delete(all.counters);
	cJSON_Delete(all.reasons);
	kt_buf_free(&rows);
	return status;
}

static kt_status gc(struct kt_cache *cache, int64_t *found, struct kt_error *err)
{
	struct kt_gc done;
	kt_status status = kt_store_gc(&done, cache->store, cache->days, cache->bytes_most, err);
	*found = 0;
	if (status != KT_OK)
		return status;
	kt_store_sweep_headers(cache->config.machine_dir, cache->days);
	printf(cache->json ? "{\"removed\": %lld, \"bytes_before\": %lld, \"bytes_after\": %lld}\n"
	                   : "%lld rows removed, %lld bytes before, %lld after\n",
	       (long long)done.removed, (long long)done.bytes_before, (long long)done.bytes_after);
	return KT_OK;
}

struct findings {
	int64_t count;
	struct kt_buf text;
	size_t entries; /* of the lock directory that are whole */
};

static bool entry_is_fine(const char *path, const struct kt_entry *entry, void *context)
{
	struct findings *findings = context;
	(void)path, (void)entry;
	findings->entries++;
	return true;
}

static void entry_is_damaged(const char *path, const char *reason, void *context)
{
	struct findings *findings = context;
	(void)path;
	kt_buf_addf(&findings->text, "%s\n", reason);
	findings->count++;
}

static kt_status verify(struct kt_cache *cache, int64_t *found, struct kt_error *err)
{
	struct findings findings = {.text = KT_BUF(KT_LIMIT_OUTPUT_BYTES)};
	int64_t stale = 0;
	kt_status status = kt_store_verify(&findings.count, &findings.text, cache->store, err);
	/* One that is found is there; one that somebody names may not be, and is not taken for an empty one. */
	if (status == KT_OK && cache->lock_dir != NULL && !kt_fs_is_dir(cache->lock_dir))
		entry_is_damaged(cache->lock_dir, kt_arena_printf(cache->arena, "%s: no such folder", cache->lock_dir),
		                 &findings);
	else if (status == KT_OK && cache->lock_dir != NULL)
		status = kt_lock_each(cache->lock_dir, entry_is_fine, entry_is_damaged, &findings, err);
	if (status == KT_OK && cache->strict && cache->lock_dir == NULL)
		status = kt_fail(err, KT_ERR_MISSING, "there is no lock directory; name it with --lock-dir");
	if (status == KT_OK && cache->strict && kt_fs_is_dir(cache->lock_dir))
		status = kt_cache_stale(&stale, &findings.text, cache, err);
	findings.count += stale;
	if (status == KT_OK && cache->json) {
		struct kt_buf quoted = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
		kt_buf_addjson(&quoted, kt_buf_text(&findings.text));
		printf("{\"problems\": %lld, \"entries\": %zu, \"text\": %s}\n", (long long)findings.count, findings.entries,
		       kt_buf_text(&quoted));
		kt_buf_free(&quoted);
	} else if (status == KT_OK) {
		fputs(kt_buf_text(&findings.text), stdout);
		printf("%lld problem%s", (long long)findings.count, findings.count == 1 ? "" : "s");
		if (cache->lock_dir != NULL)
			printf("; %zu whole entr%s in %s\n", findings.entries, findings.entries == 1 ? "y" : "ies", cache->lock_dir);
		else
			puts("; no lock directory was found: name it with --lock-dir");
	}
	*found = findings.count;
	kt_buf_free(&findings.text);
	return status;
}

static kt_status (*const actions[])(struct kt_cache *cache, int64_t *found, struct kt_error *err) = {
    [KT_ACTION_cache_stats] = stats,           [KT_ACTION_cache_list] = kt_cache_list,
    [KT_ACTION_cache_show] = kt_cache_show,    [KT_ACTION_cache_export] = kt_cache_export,
    [KT_ACTION_cache_import] = kt_cache_import, [KT_ACTION_cache_sign] = kt_cache_sign,
    [KT_ACTION_cache_push] = kt_cache_push,    [KT_ACTION_cache_diff] = kt_cache_diff,
    [KT_ACTION_cache_gc] = gc,                 [KT_ACTION_cache_verify] = verify,
};

static kt_status run(struct kt_cache *cache, int64_t *found, struct kt_error *err)
{
	NEED(cache->arena = kt_arena_new(KT_ARENA_REGION_BYTES), kt_no_memory(err));
	TRY(kt_config_load(&cache->config, cache->arena, err));
	const char *unknown = kt_config_unknown(cache->arena, &cache->config, false);
	if (unknown != NULL)
		kt_say("%s", unknown);
	if (cache->config.ignored_file != NULL)
		kt_say("%s", cache->config.ignored_file);
	const struct kt_lock_place place = kt_lock_find(
	    cache->arena, cache->lock_dir != NULL ? cache->lock_dir : cache->config.lock_dir, "here");
	cache->lock_dir = place.path != NULL ? place.path : place.named;
	if (place.refused != NULL) {
		kt_say("%s", place.refused);
		cache->lock_dir = NULL;
	}
	TRY(kt_store_open(&cache->store, cache->config.cache_dir, err));
	return actions[cache->action](cache, found, err);
}

int kt_verb_cache(const struct kt_given *given)
{
	struct kt_cache cache = {.action = given->action,
	                         .lock_dir = kt_given_text(given, KT_OPTION_cache_lock_dir),
	                         .t4 = kt_given_text(given, KT_OPTION_cache_t4),
	                         .name = kt_given_text(given, KT_OPTION_cache_name),
	                         .json = given->json,
	                         .strict = kt_given_has(given, KT_OPTION_cache_strict),
	                         .days = (int64_t)kt_given_number(given, KT_OPTION_cache_days, DAYS_DEFAULT),
	                         .bytes_most = -1,
	                         .argument_count = given->argument_count,
	                         .arguments = given->arguments};
	struct kt_error err;
	int64_t found = 0;

	if (kt_given_has(given, KT_OPTION_cache_size))
		cache.bytes_most = (int64_t)kt_given_number(given, KT_OPTION_cache_size, 0);
	kt_status status = run(&cache, &found, &err);
	if (status != KT_OK)
		kt_say("%s", err.message);
	kt_store_close(cache.store);
	kt_arena_free(cache.arena);
	return status == KT_OK && found == 0 ? 0 : KT_EXIT_FAILED;
}
