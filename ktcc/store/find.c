#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "store/internal.h"

/* What one lookup gathers: every entry of the region, whatever its device, from both places. */
struct gathering {
	struct kt_arena *arena;
	const struct kt_query *query;
	const char *region_key; /* the query's, or what the closure is known to compile to */
	struct kt_found *items;
	size_t count;
	char *damaged;
	bool out_of_memory;
};

static bool equal(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

/* How close the entry's kernel is, its device aside. */
static enum kt_closeness kernel_closeness(const struct gathering *g, const struct kt_entry *entry)
{
	const struct kt_query *query = g->query;
	bool instance = query->instance == NULL || equal(query->instance, entry->instance);
	bool toolkit = query->toolkit == NULL || equal(query->toolkit, entry->toolkit);
	if (query->symbol != NULL && entry->symbol != NULL && !equal(query->symbol, entry->symbol))
		return KT_CLOSE_NONE;
	/* A region key holds what the instance compiles to; a closure, and a key remembered for it, is text. */
	bool same = equal(query->region_key, entry->region_key) ||
	            (instance && (equal(g->region_key, entry->region_key) || equal(query->closure, entry->closure)));
	if (!same && !(instance && equal(query->near_key, entry->near_key)))
		return KT_CLOSE_NONE;
	if (!same_text(query->assembler, entry->assembler))
		return KT_CLOSE_ASSEMBLER;
	return same && toolkit ? KT_CLOSE_EXACT : KT_CLOSE_TOOLKIT;
}

static bool is_architecture(const struct kt_query *query, int64_t cc)
{
	for (size_t i = 0; i < query->architecture_count; i++)
		if (query->architectures[i] == cc)
			return true;
	return query->architecture_count == 0;
}

static bool is_wanted(const char *wanted, const struct kt_device *device)
{
	char item[512];
	while (*wanted != '\0') {
		size_t length = strcspn(wanted, ";");
		if (length < sizeof item) {
			memcpy(item, wanted, length);
			item[length] = '\0';
			if (kt_device_matches(device, item))
				return true;
		}
		wanted += length;
		wanted += *wanted == ';';
	}
	return false;
}

static bool is_gpu(const struct kt_device *gpu, const struct kt_entry *entry)
{
	char key[KT_HASH_TEXT];
	if (gpu == NULL)
		return false;
	kt_device_key(key, gpu);
	return equal(key, entry->device_key);
}

static bool is_usable(const struct kt_query *query, const struct kt_entry *entry)
{
	if (query->wanted_devices != NULL && query->wanted_devices[0] != '\0')
		return is_wanted(query->wanted_devices, &entry->device);
	return is_gpu(query->gpu, entry) || is_architecture(query, entry->device.cc);
}

bool kt_query_takes(const struct kt_query *query, const struct kt_entry *entry)
{
	const struct gathering g = {.query = query, .region_key = query->region_key};
	return kernel_closeness(&g, entry) != KT_CLOSE_NONE && is_usable(query, entry);
}

static void add(struct gathering *g, const struct kt_entry *entry, const char *source, const char *path)
{
	enum kt_closeness closeness = kernel_closeness(g, entry);
	if (closeness == KT_CLOSE_NONE || !is_usable(g->query, entry))
		return;
	struct kt_found *slot = NULL;
	for (size_t i = 0; i < g->count; i++)
		if (equal(g->items[i].entry.device_key, entry->device_key))
			slot = &g->items[i];
	/* The lock directory is read first, so that it wins where both are as close. */
	if (slot != NULL && slot->closeness >= closeness)
		return;
	if (slot == NULL)
		slot = kt_arena_push(g->arena, &g->items, &g->count, sizeof *g->items);
	if (slot == NULL) {
		g->out_of_memory = true;
		return;
	}
	*slot = (struct kt_found){.entry = *entry, .closeness = closeness, .source = source, .path = path};
}

static void note_damaged(struct gathering *g, const char *reason)
{
	char *text = g->damaged == NULL ? kt_arena_strdup(g->arena, reason)
	                                : kt_arena_printf(g->arena, "%s\n%s", g->damaged, reason);
	if (text != NULL)
		g->damaged = text;
}

/* Visits inside kt_lock_each see entries that die with the visit: read those that may count again. */
static bool visit_lock(const char *path, const struct kt_entry *entry, void *context)
{
	struct gathering *g = context;
	struct kt_entry kept;
	struct kt_error err;
	if (kernel_closeness(g, entry) == KT_CLOSE_NONE || !is_usable(g->query, entry))
		return true;
	char *name = kt_arena_strdup(g->arena, path);
	if (name == NULL)
		g->out_of_memory = true;
	else if (kt_lock_read(&kept, g->arena, name, &err) == KT_OK)
		add(g, &kept, "lock", name);
	else
		note_damaged(g, err.message);
	return !g->out_of_memory;
}

static void visit_damaged(const char *path, const char *reason, void *context)
{
	(void)path;
	note_damaged(context, reason);
}

static kt_status gather_local(struct gathering *g, struct kt_store *store, struct kt_error *err)
{
	sqlite3_stmt *statement = NULL;
	bool row = true;
	kt_status status = kt_sql_bind(&statement, store, KT_SQL_FIND, err, "ttt", g->region_key, g->query->closure,
	                               g->query->near_key);
	while (status == KT_OK && row) {
		struct kt_entry entry;
		struct kt_error ignored;
		status = kt_sql_step(&row, store, statement, err);
		if (status != KT_OK || !row)
			break;
		const char *text = kt_sql_column(statement, 0);
		if (kt_entry_parse(&entry, g->arena, text, strlen(text), &ignored) != KT_OK) {
			kt_store_count(store, "entry-damaged");
			continue;
		}
		entry.generation = sqlite3_column_int64(statement, 1);
		if (sqlite3_column_type(statement, 4) != SQLITE_NULL)
			entry.origin = kt_arena_strdup(g->arena, kt_sql_column(statement, 4));
		add(g, &entry, entry.origin != NULL ? entry.origin : "local", NULL);
		if (kt_used_stale(store, sqlite3_column_int64(statement, 3)))
			kt_use_result(store, sqlite3_column_int64(statement, 2));
	}
	kt_sql_reset(statement);
	return status;
}

/* Without an entry for the GPU itself, those of its architecture are used. */
static void judge_architecture(struct gathering *g)
{
	const struct kt_device *gpu = g->query->gpu;
	if (gpu == NULL || (g->query->wanted_devices != NULL && g->query->wanted_devices[0] != '\0'))
		return;
	for (size_t i = 0; i < g->count; i++)
		if (is_gpu(gpu, &g->items[i].entry))
			return;
	for (size_t i = 0; i < g->count; i++)
		/* Devices without a compute capability (OpenCL) have no architecture in common. */
		if (gpu->cc != 0 && g->items[i].entry.device.cc == gpu->cc)
			g->items[i].closeness = KT_CLOSE_ARCHITECTURE;
}

/* The GPU's own entry, then its architecture's, then by closeness and device name: the same on every run. */
static int64_t rank(const struct kt_found *found, const struct kt_device *gpu)
{
	return (is_gpu(gpu, &found->entry) ? 100 : 0) + (gpu != NULL && found->entry.device.cc == gpu->cc ? 10 : 0) +
	       (int64_t)found->closeness;
}

static int by_rank(const void *left, const void *right, void *context)
{
	const struct kt_found *a = left, *b = right;
	int64_t difference = rank(b, context) - rank(a, context);
	if (difference != 0)
		return difference < 0 ? -1 : 1;
	int names = strcmp(a->entry.device.name, b->entry.device.name);
	return names != 0 ? names : strcmp(a->entry.device_key, b->entry.device_key);
}

static kt_status lock_each_named(struct gathering *g, const char *lock_dir, struct kt_error *err)
{
	if (!kt_fs_is_dir(lock_dir))
		return KT_OK;
	return kt_lock_each_named(lock_dir, g->query->name, visit_lock, visit_damaged, g, err);
}

static kt_status gather(struct gathering *g, struct kt_store *store, struct kt_error *err)
{
	const struct kt_query *query = g->query;
	g->region_key = query->region_key;
	if (g->region_key == NULL && store != NULL && query->closure != NULL)
		g->region_key = kt_store_region_key(store, g->arena, query->closure);
	if (query->lock_dir != NULL)
		TRY(lock_each_named(g, query->lock_dir, err));
	/* What cannot be read here must not hide the entries of the lock directory. */
	if (store != NULL && gather_local(g, store, err) != KT_OK)
		kt_log("store: look-up: %s", err->message);
	if (g->out_of_memory)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory looking up an entry");
	return KT_OK;
}

kt_status kt_store_find(struct kt_found **out, size_t *count, char **damaged, struct kt_arena *arena,
                        struct kt_store *store, const struct kt_query *query, struct kt_error *err)
{
	struct gathering g = {.arena = arena, .query = query};
	TRY(gather(&g, store, err));
	judge_architecture(&g);
	if (g.count > 1)
		qsort_r(g.items, g.count, sizeof *g.items, by_rank, (void *)query->gpu);
	*out = g.items;
	*count = g.count;
	*damaged = g.damaged;
	return KT_OK;
}

bool kt_store_has_any(struct kt_store *store, const struct kt_query *query)
{
	struct kt_error ignored;
	struct kt_query any = *query;
	struct gathering g = {.query = &any};
	any.wanted_devices = NULL;
	any.gpu = NULL;
	any.architecture_count = 0;
	g.arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	bool found = g.arena != NULL && gather(&g, store, &ignored) == KT_OK && g.count > 0;
	kt_arena_free(g.arena);
	return found;
}

static bool visit_named(const char *path, const struct kt_entry *entry, void *context)
{
	(void)path;
	(void)entry;
	*(bool *)context = true;
	return false;
}

static void visit_named_damaged(const char *path, const char *reason, void *context)
{
	(void)path;
	(void)reason;
	*(bool *)context = true;
}

bool kt_store_has_name(struct kt_store *store, const struct kt_query *query)
{
	sqlite3_stmt *statement = NULL;
	struct kt_error ignored;
	bool found = false, row = false;
	if (query->lock_dir != NULL && kt_fs_is_dir(query->lock_dir) &&
	    kt_lock_each_named(query->lock_dir, query->name, visit_named, visit_named_damaged, &found, &ignored) != KT_OK)
		return true;
	if (found || store == NULL)
		return found;
	const kt_status bound = query->name != NULL
	                            ? kt_sql_bind(&statement, store, KT_SQL_HAS_NAME, &ignored, "t", query->name)
	                            : kt_sql_bind(&statement, store, KT_SQL_HAS_ENTRY, &ignored, "");
	/* What cannot be told may be there. */
	found = bound != KT_OK || kt_sql_step(&row, store, statement, &ignored) != KT_OK ||
	        (row && sqlite3_column_type(statement, 0) != SQLITE_NULL);
	kt_sql_reset(statement);
	return found;
}
