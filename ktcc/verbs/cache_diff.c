/* ktcc cache diff: how two sets of entries differ. */
#include "verbs/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

struct side {
	struct kt_arena *arena;
	struct item {
		struct kt_entry entry;
		const char *text; /* the stable form: equal text, equal entry */
	} *items;
	size_t count;
	int64_t damaged;
	bool failed;
};

/* A visited entry dies with its visit: kept as text, and read again from that. */
static void keep(struct side *side, const struct kt_entry *entry)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_error err;
	struct item *item = NULL;
	char *copy;
	if (kt_entry_print(&text, entry, &err) == KT_OK &&
	    (copy = kt_arena_strdup(side->arena, kt_buf_text(&text))) != NULL)
		item = kt_arena_push(side->arena, &side->items, &side->count, sizeof *item);
	if (item == NULL) {
		side->failed = true;
	} else {
		item->text = copy;
		side->failed = kt_entry_parse(&item->entry, side->arena, copy, text.size, &err) != KT_OK || side->failed;
	}
	kt_buf_free(&text);
}

static bool keep_local(const struct kt_entry *entry, void *context)
{
	keep(context, entry);
	return true;
}

static void keep_file(const char *path, void *context)
{
	struct side *side = context;
	struct kt_entry entry;
	struct kt_error err;
	if (kt_lock_read(&entry, side->arena, path, &err) == KT_OK) {
		keep(side, &entry);
		return;
	}
	kt_say("%s", err.message);
	side->damaged++;
}

static int by_identity(const void *left, const void *right)
{
	const struct kt_entry *a = &((const struct item *)left)->entry, *b = &((const struct item *)right)->entry;
	int order = strcmp(a->name, b->name);
	if (order == 0)
		order = strcmp(a->instance, b->instance);
	if (order == 0)
		order = strcmp(a->region_key, b->region_key);
	return order != 0 ? order : strcmp(a->device_key, b->device_key);
}

static void add_pair(cJSON *fields, const char *name, const char *before, const char *after)
{
	cJSON *pair;
	if (strcmp(before, after) == 0)
		return;
	pair = cJSON_AddArrayToObject(fields, name);
	cJSON_AddItemToArray(pair, cJSON_CreateString(before));
	cJSON_AddItemToArray(pair, cJSON_CreateString(after));
}

/* All variants on one line: the general one, then the special ones with their rules. */
static void variants_text(struct kt_buf *out, const struct kt_entry *entry)
{
	for (size_t k = 0; k <= entry->special_count; k++) {
		if (k > 0)
			kt_buf_addf(out, "; %s: ", entry->specials[k - 1].when);
		kt_entry_variant_text(out, entry, (int64_t)k);
	}
}

static void speedup_text(struct kt_buf *out, const struct kt_entry *entry)
{
	kt_buf_addf(out, "%.2fx", kt_cache_speedup(entry));
}

static void add_text(cJSON *fields, const char *name, void (*print)(struct kt_buf *out, const struct kt_entry *entry),
                     const struct kt_entry *a, const struct kt_entry *b)
{
	struct kt_buf before = KT_BUF(KT_LIMIT_LINE_BYTES), after = KT_BUF(KT_LIMIT_LINE_BYTES);
	print(&before, a);
	print(&after, b);
	add_pair(fields, name, kt_buf_text(&before), kt_buf_text(&after));
	kt_buf_free(&before);
	kt_buf_free(&after);
}

static void add_fields(cJSON *fields, const struct kt_entry *a, const struct kt_entry *b)
{
	add_text(fields, "configuration", variants_text, a, b);
	add_text(fields, "speedup", speedup_text, a, b);
	add_pair(fields, "toolkit", a->toolkit, b->toolkit);
	add_pair(fields, "driver", a->driver, b->driver);
	add_pair(fields, "tool", a->tool, b->tool);
	add_pair(fields, "generator", a->generator, b->generator);
	add_pair(fields, "date", a->date, b->date);
}

static void add_change(cJSON *list, const char *change, const struct kt_entry *entry, const struct kt_entry *other)
{
	cJSON *item = kt_json_append(list), *fields;
	cJSON_AddStringToObject(item, "change", change);
	cJSON_AddStringToObject(item, "name", entry->name);
	cJSON_AddStringToObject(item, "instance", entry->instance);
	cJSON_AddStringToObject(item, "device", entry->device.name);
	cJSON_AddStringToObject(item, "region_key", entry->region_key);
	fields = cJSON_AddObjectToObject(item, "fields");
	if (other != NULL)
		add_fields(fields, entry, other);
}

/* Both sides are sorted the same way: one walk through both. */
static void compare(cJSON *list, const struct side *a, const struct side *b)
{
	size_t i = 0, j = 0;
	while (i < a->count || j < b->count) {
		int order = i == a->count   ? 1
		            : j == b->count ? -1
		                            : by_identity(&a->items[i], &b->items[j]);
		if (order < 0)
			add_change(list, "removed", &a->items[i].entry, NULL);
		else if (order > 0)
			add_change(list, "added", &b->items[j].entry, NULL);
		else if (strcmp(a->items[i].text, b->items[j].text) != 0)
			add_change(list, "changed", &a->items[i].entry, &b->items[j].entry);
		i += order <= 0;
		j += order >= 0;
	}
}

static void print_changes(const cJSON *list)
{
	const cJSON *item, *field;
	cJSON_ArrayForEach(item, list) {
		const char *change = kt_json_text(item, "change");
		printf("%c %s on %s", change[0] == 'r' ? '-' : change[0] == 'a' ? '+' : '~',
		       kt_json_text(item, "instance"), kt_json_text(item, "device"));
		if (change[0] == 'c' && cJSON_GetObjectItem(item, "fields")->child == NULL)
			printf(": other figures");
		cJSON_ArrayForEach(field, cJSON_GetObjectItem(item, "fields"))
			printf("%s %s %s → %s", field->prev->next == NULL ? ":" : ",", field->string,
			       cJSON_GetStringValue(cJSON_GetArrayItem(field, 0)),
			       cJSON_GetStringValue(cJSON_GetArrayItem(field, 1)));
		putchar('\n');
	}
	printf("%d difference%s\n", cJSON_GetArraySize(list), cJSON_GetArraySize(list) == 1 ? "" : "s");
}

static kt_status gather(struct side *side, struct kt_cache *cache, const char *path, struct kt_error *err)
{
	side->arena = cache->arena;
	if (path == NULL)
		TRY(kt_store_each_entry(cache->store, keep_local, side, err));
	else
		kt_cache_walk(path, keep_file, side);
	if (side->failed)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory comparing entries");
	if (side->count > 1)
		qsort(side->items, side->count, sizeof *side->items, by_identity);
	return KT_OK;
}

kt_status kt_cache_diff(struct kt_cache *cache, int64_t *found, struct kt_error *err)
{
	struct side a = {0}, b = {0};
	cJSON *list = cJSON_CreateArray();
	/* No path: the store with the lock directory; one: with that; two: those. */
	const char *first = cache->argument_count == 2 ? cache->arguments[0] : NULL;
	const char *second = cache->argument_count > 0 ? cache->arguments[cache->argument_count - 1] : cache->lock_dir;
	kt_status status = second != NULL ? gather(&a, cache, first, err)
	                                  : kt_fail(err, KT_ERR_MISSING, "there is no lock directory to compare with");
	THEN(status, gather(&b, cache, second, err));
	if (status == KT_OK) {
		compare(list, &a, &b);
		if (cache->json)
			status = kt_cache_print(list, err);
		else
			print_changes(list);
		*found = cJSON_GetArraySize(list) + a.damaged + b.damaged;
	}
	cJSON_Delete(list);
	return status;
}
