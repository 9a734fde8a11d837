#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/internal.h"

/*
 * Building a cJSON tree where any allocation may fail: `ok` turns false once
 * and stays so; the tree is then incomplete and thrown away.
 */
struct builder {
	bool ok;
};

static cJSON *add_object(struct builder *b, cJSON *to, const char *name)
{
	cJSON *made = cJSON_AddObjectToObject(to, name);
	b->ok = b->ok && made != NULL;
	return made;
}

static void add_text(struct builder *b, cJSON *to, const char *name, const char *text)
{
	b->ok = b->ok && cJSON_AddStringToObject(to, name, text != NULL ? text : "") != NULL;
}

static void add_int(struct builder *b, cJSON *to, const char *name, int64_t value)
{
	b->ok = b->ok && kt_json_add_int(to, name, value);
}

static void add_double(struct builder *b, cJSON *to, const char *name, double value)
{
	b->ok = b->ok && cJSON_AddNumberToObject(to, name, value) != NULL;
}

static void add_spread(struct builder *b, cJSON *to, const char *name, const struct kt_timing *timing)
{
	cJSON *spread = add_object(b, to, name);
	add_double(b, spread, "mean_ns", timing->mean_ns);
	add_double(b, spread, "min_ns", timing->min_ns);
	add_double(b, spread, "deviation_ns", timing->deviation_ns);
	add_int(b, spread, "samples", timing->samples);
}

static bool has_tuned(const struct kt_entry *entry, size_t problem)
{
	return entry->tuned != NULL && entry->tuned[problem].median_ns > 0;
}

static void add_problem(struct builder *b, cJSON *list, const struct kt_entry *entry, size_t problem)
{
	cJSON *item = cJSON_CreateObject();
	if (item == NULL || !cJSON_AddItemToArray(list, item)) {
		cJSON_Delete(item);
		b->ok = false;
		return;
	}
	cJSON *values = add_object(b, item, "problem");
	for (size_t v = 0; v < entry->variable_count; v++)
		add_int(b, values, entry->variables[v], entry->problems[problem * entry->variable_count + v]);
	double baseline = entry->baseline[problem].median_ns;
	if (entry->serves != NULL && entry->serves[problem] != 0)
		add_int(b, item, "variant", entry->serves[problem]);
	add_double(b, item, "baseline_ns", baseline);
	if (entry->general_ns != NULL && entry->general_ns[problem] > 0)
		add_double(b, item, "general_ns", entry->general_ns[problem]);
	if (has_tuned(entry, problem))
		add_double(b, item, "tuned_ns", entry->tuned[problem].median_ns);
	if (entry->floor_ns != NULL && entry->floor_ns[problem] > 0)
		add_double(b, item, "floor_ns", entry->floor_ns[problem]);
	if (has_tuned(entry, problem))
		add_double(b, item, "speedup", round(baseline / entry->tuned[problem].median_ns * 1000) / 1000);
	add_spread(b, item, "baseline", &entry->baseline[problem]);
	if (has_tuned(entry, problem))
		add_spread(b, item, "tuned", &entry->tuned[problem]);
}

static void add_keys(struct builder *b, cJSON *root, const struct kt_entry *entry)
{
	char device_key[KT_HASH_TEXT];
	kt_device_key(device_key, &entry->device);
	cJSON *keys = add_object(b, root, "keys");
	add_text(b, keys, "region", entry->region_key);
	add_text(b, keys, "near", entry->near_key);
	add_text(b, keys, "closure", entry->closure);
	add_text(b, keys, "device", device_key);
}

/* Identity only: clocks and limits of one machine would make another machine's file differ. */
static void add_device(struct builder *b, cJSON *root, const struct kt_device *device)
{
	cJSON *json = add_object(b, root, "device");
	add_text(b, json, "vendor", device->vendor);
	add_text(b, json, "name", device->name);
	add_int(b, json, "cc", device->cc);
	add_int(b, json, "multiprocessors", device->multiprocessors);
	add_int(b, json, "memory_bus_bits", device->memory_bus_bits);
	add_int(b, json, "l2_bytes", device->l2_bytes);
}

static void add_configuration(struct builder *b, cJSON *to, const struct kt_entry *entry, const int64_t *values)
{
	cJSON *configuration = add_object(b, to, "configuration");
	for (size_t i = 0; i < entry->parameter_count; i++)
		add_int(b, configuration, entry->parameters[i], values[i]);
}

static void add_resources(struct builder *b, cJSON *to, int64_t registers, int64_t local_bytes, int64_t shared_bytes)
{
	cJSON *json = add_object(b, to, "resources");
	add_int(b, json, "registers", registers);
	add_int(b, json, "local_bytes", local_bytes);
	add_int(b, json, "shared_bytes", shared_bytes);
}

/* Absent where there are none: an entry without them has the same text as before they existed. */
static void add_specials(struct builder *b, cJSON *root, const struct kt_entry *entry)
{
	cJSON *list = entry->special_count != 0 ? cJSON_AddArrayToObject(root, "specialised") : NULL;
	b->ok = b->ok && (list != NULL || entry->special_count == 0);
	for (size_t i = 0; b->ok && i < entry->special_count; i++) {
		const struct kt_special *special = &entry->specials[i];
		cJSON *item = cJSON_CreateObject();
		if (item == NULL || !cJSON_AddItemToArray(list, item)) {
			cJSON_Delete(item);
			b->ok = false;
			return;
		}
		add_text(b, item, "when", special->when);
		add_configuration(b, item, entry, special->configuration);
		add_resources(b, item, special->registers, special->local_bytes, special->shared_bytes);
	}
}

/* Of a text that a model wrote. */
static void add_author(struct builder *b, cJSON *to, const struct kt_entry_author *author)
{
	if (author->model == NULL)
		return;
	cJSON *json = add_object(b, to, "author");
	add_text(b, json, "model", author->model);
	add_text(b, json, "when", author->when);
	add_text(b, json, "question", author->question);
	add_text(b, json, "answer", author->answer);
}

static void add_figures(struct builder *b, cJSON *root, const struct kt_entry *entry)
{
	add_resources(b, root, entry->registers, entry->local_bytes, entry->shared_bytes);
	cJSON *json = add_object(b, root, "search");
	add_int(b, json, "tried", entry->tried);
	add_int(b, json, "legal", entry->legal);
	json = add_object(b, root, "provenance");
	add_text(b, json, "tool", entry->tool);
	add_text(b, json, "generator", entry->generator);
	add_text(b, json, "toolkit", entry->toolkit);
	add_text(b, json, "driver", entry->driver);
	add_text(b, json, "date", entry->date);
	add_author(b, json, &entry->author);
	if (entry->checks == 0 && entry->watched_by == NULL)
		return;
	json = add_object(b, json, "verification");
	add_int(b, json, "checks", entry->checks);
	if (entry->watched_by != NULL)
		add_text(b, json, "watched_by", entry->watched_by);
}

/* At the end: what a reviewer of figures need not scroll past. */
static void add_template(struct builder *b, cJSON *root, const struct kt_entry *entry)
{
	cJSON *json = b->ok && entry->template_ != NULL ? kt_template_json(entry->template_) : NULL;
	if (entry->template_ == NULL || (json != NULL && cJSON_AddItemToObject(root, "template", json)))
		return;
	cJSON_Delete(json);
	b->ok = false;
}

static cJSON *entry_json(const struct kt_entry *entry)
{
	cJSON *root = cJSON_CreateObject();
	struct builder b = {root != NULL};
	add_int(&b, root, "ktune", KT_ENTRY_FORMAT);
	add_text(&b, root, "name", entry->name);
	add_text(&b, root, "kernel", entry->kernel);
	add_text(&b, root, "instance", entry->instance);
	add_keys(&b, root, entry);
	add_device(&b, root, &entry->device);
	b.ok = b.ok && cJSON_AddBoolToObject(root, "baseline_best", entry->baseline_best) != NULL;
	add_configuration(&b, root, entry, entry->configuration);
	add_specials(&b, root, entry);
	cJSON *problems = cJSON_AddArrayToObject(root, "problems");
	b.ok = b.ok && problems != NULL;
	for (size_t i = 0; b.ok && i < entry->problem_count; i++)
		add_problem(&b, problems, entry, i);
	add_figures(&b, root, entry);
	add_template(&b, root, entry);
	if (!b.ok) {
		cJSON_Delete(root);
		return NULL;
	}
	return root;
}

/* A shallow walk would let a note inside a problem break the hash. */
static void drop_notes(cJSON *value)
{
	cJSON *next;
	for (cJSON *item = value->child; item != NULL; item = next) {
		next = item->next;
		if (cJSON_IsObject(value) && strncmp(item->string, "x_", 2) == 0)
			cJSON_Delete(cJSON_DetachItemViaPointer(value, item));
		else if (cJSON_IsObject(item) || cJSON_IsArray(item))
			drop_notes(item);
	}
}

kt_status kt_entry_hash(char out[KT_HASH_TEXT], const cJSON *json, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_ENTRY_BYTES);
	struct kt_hash hash;
	cJSON *copy = cJSON_Duplicate(json, true);
	if (copy == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory hashing an entry");
	cJSON_DeleteItemFromObjectCaseSensitive(copy, "hash");
	drop_notes(copy);
	kt_json_print_stable(&text, copy);
	kt_status status = kt_buf_check(&text, "an entry", err);
	if (status == KT_OK) {
		kt_hash_init(&hash);
		kt_hash_bytes(&hash, kt_buf_text(&text), text.size);
		kt_hash_final(&hash, out);
	}
	kt_buf_free(&text);
	cJSON_Delete(copy);
	return status;
}

kt_status kt_entry_print(struct kt_buf *out, const struct kt_entry *entry, struct kt_error *err)
{
	char hash[KT_HASH_TEXT];
	cJSON *json = entry_json(entry);
	if (json == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory writing an entry");
	kt_status status = kt_entry_hash(hash, json, err);
	if (status == KT_OK && cJSON_AddStringToObject(json, "hash", hash) == NULL)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory writing an entry");
	if (status == KT_OK) {
		kt_json_print_stable(out, json);
		status = kt_buf_check(out, "an entry", err);
	}
	cJSON_Delete(json);
	return status;
}
