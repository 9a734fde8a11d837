/* ktcc cache list, show, export, import: entries in and out of the store. */
#include "verbs/cache.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "store/remote.h"

#define IMPORT_DEPTH 4
#define KEY_LEAST 4 /* fewer digits of a key would match by chance */

double kt_cache_speedup(const struct kt_entry *entry)
{
	double sum = 0;
	if (!kt_entry_has_variant(entry))
		return 1;
	for (size_t i = 0; i < entry->problem_count; i++)
		sum += log(entry->baseline[i].median_ns / entry->tuned[i].median_ns);
	return exp(sum / (double)entry->problem_count);
}

bool kt_cache_is_named(const char *name, const struct kt_entry *entry)
{
	return name == NULL || strcmp(name, entry->name) == 0 || strcmp(name, entry->instance) == 0 ||
	       (strlen(name) >= KEY_LEAST && strncmp(name, entry->region_key, strlen(name)) == 0);
}

/* "BLOCK=256 VEC=8 (+2)": the general configuration, and how many special ones there are. */
static void configuration_text(struct kt_buf *out, const struct kt_entry *entry)
{
	kt_entry_variant_text(out, entry, 0);
	if (entry->special_count != 0)
		kt_buf_addf(out, " (+%zu)", entry->special_count);
}

/* Walks entries of the store, then of the lock directory. */
typedef void (*entry_use)(const struct kt_entry *entry, const char *source, void *context);

struct walking {
	struct kt_cache *cache;
	const char *name;
	entry_use use;
	void *context;
	int64_t damaged, count;
};

static bool walk_local(const struct kt_entry *entry, void *context)
{
	struct walking *walking = context;
	if (kt_cache_is_named(walking->name, entry)) {
		walking->use(entry, entry->origin != NULL ? entry->origin : "local", walking->context);
		walking->count++;
	}
	return true;
}

static bool walk_lock(const char *path, const struct kt_entry *entry, void *context)
{
	struct walking *walking = context;
	(void)path;
	if (kt_cache_is_named(walking->name, entry)) {
		walking->use(entry, "lock", walking->context);
		walking->count++;
	}
	return true;
}

static void walk_damaged(const char *path, const char *reason, void *context)
{
	struct walking *walking = context;
	(void)path;
	kt_say("%s", reason);
	walking->damaged++;
}

static kt_status walk(struct walking *walking, struct kt_error *err)
{
	kt_status status = kt_store_each_entry(walking->cache->store, walk_local, walking, err);
	if (status == KT_OK && walking->cache->lock_dir != NULL)
		status = kt_lock_each(walking->cache->lock_dir, walk_lock, walk_damaged, walking, err);
	return status;
}

kt_status kt_cache_print(const cJSON *array, struct kt_error *err)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	kt_json_print_stable(&out, array);
	kt_status status = kt_buf_check(&out, "entries", err);
	if (status == KT_OK)
		fputs(kt_buf_text(&out), stdout);
	kt_buf_free(&out);
	return status;
}

static void list_json(const struct kt_entry *entry, const char *source, void *context)
{
	struct kt_buf configuration = KT_BUF(KT_LIMIT_LINE_BYTES);
	cJSON *item = kt_json_append(context);
	configuration_text(&configuration, entry);
	cJSON_AddStringToObject(item, "name", entry->name);
	cJSON_AddStringToObject(item, "instance", entry->instance);
	cJSON_AddStringToObject(item, "device", entry->device.name);
	cJSON_AddNumberToObject(item, "cc", (double)entry->device.cc);
	cJSON_AddNumberToObject(item, "speedup", round(kt_cache_speedup(entry) * 1000) / 1000);
	cJSON_AddStringToObject(item, "configuration", kt_buf_text(&configuration));
	cJSON_AddStringToObject(item, "date", entry->date);
	cJSON_AddStringToObject(item, "source", source);
	cJSON_AddStringToObject(item, "region_key", entry->region_key);
	kt_buf_free(&configuration);
}

/* The columns of the list; the widest cell of each makes its width. */
enum { LIST_COLUMNS = 7 };
static const char *const list_columns[LIST_COLUMNS] = {"region", "instance", "device", "speedup", "configuration", "date", "source"};
static const char *const list_members[LIST_COLUMNS] = {"name", "instance", "device", NULL, "configuration", "date", "source"};

static void add_cell(struct kt_buf *out, const cJSON *item, size_t column)
{
	kt_buf_clear(out);
	if (item == NULL)
		kt_buf_adds(out, list_columns[column]);
	else if (list_members[column] == NULL)
		kt_buf_addf(out, "%.2fx", kt_json_number(item, "speedup"));
	else
		kt_buf_adds(out, kt_json_text(item, list_members[column]));
}

/* One line; of NULL the headings. */
static void print_row(const cJSON *item, const size_t *widths, struct kt_buf *cell)
{
	for (size_t c = 0; c < LIST_COLUMNS; c++) {
		add_cell(cell, item, c);
		printf("%-*s%s", c + 1 < LIST_COLUMNS ? (int)widths[c] : 0, kt_buf_text(cell), c + 1 < LIST_COLUMNS ? "  " : "\n");
	}
}

static void print_list(const cJSON *list)
{
	struct kt_buf cell = KT_BUF(KT_LIMIT_LINE_BYTES);
	size_t widths[LIST_COLUMNS];
	const cJSON *item;

	for (size_t c = 0; c < LIST_COLUMNS; c++) {
		widths[c] = strlen(list_columns[c]);
		cJSON_ArrayForEach(item, list) {
			add_cell(&cell, item, c);
			widths[c] = cell.size > widths[c] ? cell.size : widths[c];
		}
	}
	print_row(NULL, widths, &cell);
	cJSON_ArrayForEach(item, list)
		print_row(item, widths, &cell);
	kt_buf_free(&cell);
}

kt_status kt_cache_list(struct kt_cache *cache, int64_t *found, struct kt_error *err)
{
	cJSON *array = cJSON_CreateArray();
	struct walking walking = {.cache = cache, .name = cache->name, .use = list_json, .context = array};
	kt_status status = walk(&walking, err);
	if (status == KT_OK && cache->json)
		status = kt_cache_print(array, err);
	else if (status == KT_OK && walking.count == 0)
		puts("no entries");
	else if (status == KT_OK)
		print_list(array);
	cJSON_Delete(array);
	*found = walking.damaged;
	return status;
}

static void show_json(const struct kt_entry *entry, const char *source, void *context)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_error err;
	cJSON *item = NULL;
	(void)source;
	if (kt_entry_print(&text, entry, &err) == KT_OK &&
	    kt_json_parse(&item, kt_buf_text(&text), text.size, &err) == KT_OK)
		cJSON_AddItemToArray(context, item);
	kt_buf_free(&text);
}

static void show_problem(const struct kt_entry *entry, size_t problem)
{
	double baseline = entry->baseline[problem].median_ns, tuned = entry->tuned[problem].median_ns;
	printf("   ");
	for (size_t v = 0; v < entry->variable_count; v++)
		printf(" %s=%lld", entry->variables[v],
		       (long long)entry->problems[problem * entry->variable_count + v]);
	printf("  %.3f us", baseline / 1e3);
	if (tuned > 0)
		printf(" -> %.3f us  %.2fx", tuned / 1e3, baseline / tuned);
	if (kt_entry_of_copy(entry, problem) > 0) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

		kt_copy_print(&text, kt_entry_of_copy(entry, problem));
		printf("  %s (%.3f us)", kt_buf_text(&text), entry->copy_ns[problem] / 1e3);
		kt_buf_free(&text);
	}
	if (kt_entry_serves(entry, problem) != 0)
		printf("  special %lld", (long long)kt_entry_serves(entry, problem));
	putchar('\n');
}

static void show_point(const struct kt_entry *entry, const struct kt_energy_point *point)
{
	printf("                ");
	for (size_t i = 0; point->configuration != NULL && i < entry->parameter_count; i++)
		printf("%s=%lld ", entry->parameters[i], (long long)point->configuration[i]);
	printf("%s: %.2f us, %.1f uJ\n", point->configuration == NULL ? "the original" : "", point->time_ns / 1e3,
	       point->energy_uj);
}

static void show_text(const struct kt_entry *entry, const char *source, void *context)
{
	struct kt_buf configuration = KT_BUF(KT_LIMIT_LINE_BYTES);
	char architecture[32] = "OpenCL";
	(void)context;
	kt_entry_variant_text(&configuration, entry, 0);
	if (entry->device.cc != 0)
		snprintf(architecture, sizeof architecture, "sm_%lld", (long long)entry->device.cc);
	printf("%s on %s (%s), from %s\n", entry->instance, entry->device.name, architecture, source);
	printf("  region         %s, key %s\n", entry->name, entry->region_key);
	printf("  configuration  %s, %.2fx\n", kt_buf_text(&configuration), kt_cache_speedup(entry));
	for (size_t k = 0; k < entry->special_count; k++) {
		kt_buf_clear(&configuration);
		kt_entry_variant_text(&configuration, entry, (int64_t)k + 1);
		printf("  special %zu      %s where %s\n", k + 1, kt_buf_text(&configuration), entry->specials[k].when);
	}
	printf("  search         %lld of %lld configurations, %s\n", (long long)entry->tried, (long long)entry->legal,
	       entry->generator);
	printf("  resources      %lld registers, %lld local bytes, %lld shared bytes\n", (long long)entry->registers,
	       (long long)entry->local_bytes, (long long)entry->shared_bytes);
	printf("  provenance     %s, toolkit %s, driver %s, %s\n", entry->tool, entry->toolkit,
	       entry->driver, entry->date);
	if (entry->checks != 0)
		printf("  verified       on its problems and %lld other launches%s%s\n", (long long)entry->checks,
		       entry->watched_by != NULL ? ", watched by " : "", entry->watched_by != NULL ? entry->watched_by : "");
	if (entry->stability.blocks != 0)
		printf("  device         %lld to %lld MHz, up to %lld C and %lld W in %lld measurements, %lld of them throttled\n",
		       (long long)entry->stability.sm_mhz_least, (long long)entry->stability.sm_mhz_most,
		       (long long)entry->stability.celsius_most, (long long)entry->stability.watts_most,
		       (long long)entry->stability.blocks, (long long)entry->stability.throttled);
	if (entry->objective != NULL)
		printf("  energy         chosen by %s, good to %.1f%%\n", entry->objective, 0.1 * (double)entry->energy_error);
	for (size_t i = 0; i < entry->point_count; i++)
		show_point(entry, &entry->points[i]);
	puts("  problems");
	for (size_t i = 0; i < entry->problem_count; i++)
		show_problem(entry, i);
	kt_buf_free(&configuration);
}

kt_status kt_cache_show(struct kt_cache *cache, int64_t *found, struct kt_error *err)
{
	cJSON *array = cJSON_CreateArray();
	struct walking walking = {.cache = cache, .name = cache->arguments[0],
	                          .use = cache->json ? show_json : show_text, .context = array};
	kt_status status = walk(&walking, err);
	*found = walking.damaged;
	if (status == KT_OK && walking.count == 0)
		status = kt_fail(err, KT_ERR_MISSING, "no entry of a region called %s", cache->arguments[0]);
	if (status == KT_OK && cache->json)
		status = kt_cache_print(array, err);
	cJSON_Delete(array);
	return status;
}

struct exporting {
	struct kt_cache *cache;
	const char *lock_dir;
	int64_t count;
	kt_status status;
	struct kt_error *err;
};

static bool export_entry(const struct kt_entry *entry, void *context)
{
	struct exporting *exporting = context;
	if (!kt_cache_is_named(exporting->cache->name, entry))
		return true;
	bool written = true;
	exporting->status = exporting->cache->t4 != NULL
	                        ? kt_cache_export_t4(&written, exporting->cache, entry, exporting->err)
	                        : kt_lock_write(exporting->lock_dir, entry, exporting->err);
	exporting->count += exporting->status == KT_OK && written;
	return exporting->status == KT_OK;
}

kt_status kt_cache_export(struct kt_cache *cache, int64_t *found, struct kt_error *err)
{
	struct exporting exporting = {cache, cache->lock_dir != NULL ? cache->lock_dir : "ktune.lock", 0, KT_OK, err};
	*found = 0;
	TRY(kt_fs_mkdirs(cache->t4 != NULL ? cache->t4 : exporting.lock_dir, err));
	TRY(kt_store_each_entry(cache->store, export_entry, &exporting, err));
	TRY(exporting.status);
	if (cache->name != NULL && exporting.count == 0)
		return kt_fail(err, KT_ERR_MISSING, "no entry of a region called %s", cache->name);
	if (cache->json)
		printf("{\"exported\": %lld}\n", (long long)exporting.count);
	else
		printf("%lld entr%s exported\n", (long long)exporting.count, exporting.count == 1 ? "y" : "ies");
	return KT_OK;
}

struct pushing {
	struct kt_cache *cache;
	struct kt_remote *remote;
	int64_t put, there;
	kt_status status;
	struct kt_error *err;
};

/* What came from there is not this machine's to give. */
static bool push_entry(const struct kt_entry *entry, void *context)
{
	struct pushing *pushing = context;
	bool put = false;
	if (!kt_cache_is_named(pushing->cache->name, entry) || (entry->origin != NULL && strcmp(entry->origin, "remote") == 0))
		return true;
	pushing->status = kt_remote_push(&put, pushing->remote, entry, pushing->err);
	pushing->put += put;
	pushing->there += pushing->status == KT_OK && !put;
	return pushing->status == KT_OK;
}

kt_status kt_cache_push(struct kt_cache *cache, int64_t *found, struct kt_error *err)
{
	struct pushing pushing = {cache, kt_remote_open(&cache->config, cache->store), 0, 0, KT_OK, err};
	*found = 0;
	if (pushing.remote == NULL)
		return kt_fail(err, KT_ERR_MISSING, cache->config.remote == NULL ? "KTUNE_REMOTE names no server"
		                                                                 : "the store cannot be written");
	kt_status status = kt_store_each_entry(cache->store, push_entry, &pushing, err);
	kt_remote_close(pushing.remote);
	THEN(status, pushing.status);
	if (status == KT_OK)
		printf(cache->json ? "{\"put\": %lld, \"there\": %lld}\n" : "%lld entries put, %lld were there\n",
		       (long long)pushing.put, (long long)pushing.there);
	return status;
}

struct importing {
	struct kt_cache *cache;
	int64_t imported, unchanged, refused;
};

struct sought {
	const struct kt_entry *entry;
	bool same;
};

static bool compare_entry(const struct kt_entry *entry, void *context)
{
	struct sought *sought = context;
	struct kt_buf ours = KT_BUF(KT_LIMIT_MESSAGE_BYTES), theirs = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_error err;
	if (strcmp(entry->region_key, sought->entry->region_key) != 0 ||
	    strcmp(entry->device_key, sought->entry->device_key) != 0)
		return true;
	sought->same = kt_entry_print(&ours, entry, &err) == KT_OK &&
	               kt_entry_print(&theirs, sought->entry, &err) == KT_OK &&
	               strcmp(kt_buf_text(&ours), kt_buf_text(&theirs)) == 0;
	kt_buf_free(&ours);
	kt_buf_free(&theirs);
	return false;
}

/* An entry that is already there must not raise its generation: that would rebuild objects for nothing. */
static kt_status import_entry(struct importing *importing, const struct kt_entry *entry, struct kt_error *err)
{
	struct sought sought = {entry, false};
	struct kt_store *store = importing->cache->store;
	if (kt_store_generation(store, entry->region_key, entry->device_key) != 0)
		TRY(kt_store_each_entry(store, compare_entry, &sought, err));
	if (sought.same) {
		importing->unchanged++;
		return KT_OK;
	}
	TRY(kt_store_put(store, entry, err));
	kt_store_touch_stamps(store, entry->near_key);
	kt_store_touch_named_stamps(store, entry->name);
	kt_store_count(store, "imported");
	importing->imported++;
	return KT_OK;
}

static void import_file(const char *path, void *context)
{
	struct importing *importing = context;
	struct kt_entry entry;
	struct kt_error err;
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	kt_status status = arena != NULL ? kt_lock_read(&entry, arena, path, &err)
	                                 : kt_fail(&err, KT_ERR_MEMORY, "%s: out of memory", path);
	if (status == KT_OK && kt_entry_has_text(&entry)) {
		/* Judged again at each use: a key may be revoked. */
		entry.origin = "import";
		status = kt_entry_check_signature(&entry, arena, &err);
		if (status != KT_OK) {
			kt_store_count(importing->cache->store, "reason:unsigned-text");
			status = kt_fail_prefix(&err, "%s", path);
		}
	}
	THEN(status, import_entry(importing, &entry, &err));
	if (status != KT_OK) {
		kt_say("%s", err.message);
		importing->refused++;
	}
	kt_arena_free(arena);
}

static int is_visible(const struct dirent *item)
{
	return item->d_name[0] != '.' && kt_utf8_is_printable(item->d_name);
}

static void walk_path(const char *path, kt_cache_use use, void *context, int depth)
{
	struct dirent **items = NULL;
	struct kt_arena *arena;
	if (!kt_fs_is_dir(path)) {
		use(path, context);
		return;
	}
	int count = scandir(path, &items, is_visible, alphasort);
	arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	for (int i = 0; i < count; i++) {
		const char *dot = strrchr(items[i]->d_name, '.');
		char *below = arena != NULL ? kt_path_join(arena, path, items[i]->d_name) : NULL;
		if (below != NULL && (kt_fs_is_dir(below) ? depth > 0 : dot != NULL && strcmp(dot, ".json") == 0))
			walk_path(below, use, context, depth - 1);
		free(items[i]);
	}
	free(items);
	kt_arena_free(arena);
}

void kt_cache_walk(const char *path, kt_cache_use use, void *context)
{
	walk_path(path, use, context, IMPORT_DEPTH);
}

kt_status kt_cache_import(struct kt_cache *cache, int64_t *found, struct kt_error *err)
{
	struct importing importing = {cache, 0, 0, 0};
	(void)err;
	for (int i = 0; i < cache->argument_count; i++)
		kt_cache_walk(cache->arguments[i], import_file, &importing);
	printf(cache->json ? "{\"imported\": %lld, \"unchanged\": %lld, \"refused\": %lld}\n"
	                   : "%lld entries imported, %lld unchanged, %lld refused\n",
	       (long long)importing.imported, (long long)importing.unchanged, (long long)importing.refused);
	*found = importing.refused;
	return KT_OK;
}
