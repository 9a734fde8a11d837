#include <math.h>
#include <string.h>

#include "base/proc.h"
#include "store/internal.h"

bool kt_entry_has_variant(const struct kt_entry *entry)
{
	return !entry->baseline_best || entry->special_count != 0;
}

bool kt_entry_is_final(const struct kt_entry *entry)
{
	return entry->search != KT_SEARCH_BUDGET && entry->search != KT_SEARCH_TRIALS;
}

void kt_entry_search_text(struct kt_buf *out, const struct kt_entry *entry)
{
	static const char *const texts[] = {
	    [KT_SEARCH_EXHAUSTED] = "every configuration that the device can run was measured",
	    [KT_SEARCH_MEASURED] = "measured, which is enough",
	    [KT_SEARCH_TRIALS] = "measured, as many as the budget allowed: a larger one goes on from there",
	    [KT_SEARCH_BUDGET] = "measured when the budget ended: the next tuning goes on from there",
	};

	if (entry->search == KT_SEARCH_EXHAUSTED)
		kt_buf_adds(out, texts[entry->search]);
	else if (entry->search != KT_SEARCH_UNKNOWN)
		kt_buf_addf(out, "%lld of %lld configurations %s", (long long)entry->tried, (long long)entry->legal,
		            texts[entry->search]);
}

void kt_entry_variant_text(struct kt_buf *out, const struct kt_entry *entry, int64_t variant)
{
	const int64_t *values = variant == 0 ? entry->configuration : entry->specials[variant - 1].configuration;

	if (variant == 0 && entry->baseline_best) {
		kt_buf_adds(out, "original");
		return;
	}
	for (size_t i = 0; i < entry->parameter_count; i++)
		kt_buf_addf(out, "%s%s=%lld", i > 0 ? " " : "", entry->parameters[i], (long long)values[i]);
}

int64_t kt_entry_serves(const struct kt_entry *entry, size_t problem)
{
	return entry->serves != NULL ? entry->serves[problem] : 0;
}

/* Two copies of the same bytes differ by as much. */
#define AS_FAST 0.05

void kt_copy_print(struct kt_buf *out, double of_copy)
{
	const double slower = 1 / of_copy;

	if (of_copy > 1 + AS_FAST)
		kt_buf_addf(out, "%.*fx faster than a copy of the same bytes", of_copy < 1.5 ? 2 : 1, of_copy);
	else if (slower > 1 + AS_FAST)
		kt_buf_addf(out, "%.*fx slower than a copy of the same bytes", slower < 1.5 ? 2 : 1, slower);
	else
		kt_buf_adds(out, "as fast as a copy of the same bytes");
}

double kt_entry_of_copy(const struct kt_entry *entry, size_t problem)
{
	const double copy_ns = entry->copy_ns != NULL ? entry->copy_ns[problem] : 0;
	const double ns = entry->tuned[problem].median_ns > 0 ? entry->tuned[problem].median_ns
	                                                      : entry->baseline[problem].median_ns;

	return copy_ns > 0 && ns > 0 ? copy_ns / ns : 0;
}

void kt_entry_unlisted_gain(double *gain, double *least, const struct kt_entry *entry)
{
	double logs = 0;

	*gain = *least = 0;
	for (size_t i = 0; i < entry->unlisted_count; i++) {
		const double one = entry->unlisted[i].baseline_ns / entry->unlisted[i].tuned_ns;

		logs += log(one);
		*least = i == 0 || one < *least ? one : *least;
	}
	if (entry->unlisted_count != 0)
		*gain = exp(logs / (double)entry->unlisted_count);
}

static const char *or_empty(const char *text)
{
	return text != NULL ? text : "";
}

/* A record without limits (from a lock file) never replaces one with them (from the driver). */
static kt_status put_device(struct kt_store *store, const char *key, const struct kt_device *device, int64_t now,
                            struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	cJSON *json;
	NEED(json = kt_device_json(device), kt_fail(err, KT_ERR_MEMORY, "out of memory writing a device"));
	kt_json_print(&text, json);
	kt_status status = kt_buf_check(&text, "a device", err);
	THEN(status, kt_sql_run(store, KT_SQL_PUT_DEVICE, err, "ttitii", key, device->name, device->cc,
	                        kt_buf_text(&text), now, (int64_t)(device->max_threads_per_block > 0)));
	cJSON_Delete(json);
	kt_buf_free(&text);
	return status;
}

static kt_status put_template(struct kt_store *store, const struct kt_entry *entry, const char *parameters,
                              struct kt_error *err)
{
	TRY(kt_sql_run(store, KT_SQL_PUT_TOOLCHAIN, err, "ttt", or_empty(entry->toolkit), or_empty(entry->driver),
		       or_empty(entry->tool)));
	return kt_sql_run(store, KT_SQL_PUT_TEMPLATE, err, "ttt", entry->region_key, or_empty(entry->generator),
			  parameters);
}

struct texts {
	struct kt_buf json;
	struct kt_buf parameters;    /* "BLOCK VEC" */
	struct kt_buf configuration; /* "BLOCK=256 VEC=8" */
	char device_key[KT_HASH_TEXT];
};

static kt_status put_rows(struct kt_store *store, const struct kt_entry *entry, const struct texts *texts,
                          struct kt_error *err)
{
	int64_t now = kt_unix_time();
	const char *parameters = kt_buf_text(&texts->parameters);
	TRY(put_device(store, texts->device_key, &entry->device, now, err));
	TRY(kt_sql_run(store, KT_SQL_PUT_REGION, err, "tttti", entry->region_key, entry->name, entry->kernel,
		       entry->instance, now));
	TRY(kt_sql_run(store, KT_SQL_PUT_CLOSURE, err, "tti", entry->closure, entry->region_key, now));
	TRY(put_template(store, entry, parameters, err));
	TRY(kt_sql_run(store, KT_SQL_PUT_DECISION, err, "itttt", now, entry->region_key, texts->device_key, "entry",
		       !kt_entry_has_variant(entry) ? "baseline" : kt_buf_text(&texts->configuration)));
	/* A row number of the decision log is never used twice, not even after the entry was removed: a good generation. */
	int64_t generation = sqlite3_last_insert_rowid(store->db);
	return kt_sql_run(store, KT_SQL_PUT_RESULT, err, "ttttttttttttiitt", entry->region_key, texts->device_key,
	                  entry->near_key, entry->closure, entry->name, entry->instance, or_empty(entry->toolkit),
	                  or_empty(entry->driver), or_empty(entry->tool), or_empty(entry->generator), parameters,
	                  kt_buf_text(&texts->json), generation, now, entry->origin, entry->trial_key);
}

/* The entry as text, read back: what could not be read later is refused now. */
static kt_status print_checked(struct texts *texts, const struct kt_entry *entry, struct kt_error *err)
{
	struct kt_entry check;
	const char *const required[] = {entry->region_key, entry->near_key, entry->closure, entry->name,
	                                entry->instance,   entry->kernel,   entry->device.vendor, entry->device.name};
	for (size_t i = 0; i < sizeof required / sizeof required[0]; i++)
		if (required[i] == NULL)
			return kt_fail(err, KT_ERR_INVALID, "an entry without its keys or names");
	if (entry->problem_count == 0 || entry->baseline == NULL)
		return kt_fail(err, KT_ERR_INVALID, "an entry without a problem");
	struct kt_arena *arena;
	NEED(arena = kt_arena_new(KT_ARENA_REGION_BYTES),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory checking an entry"));
	kt_status status = kt_entry_print(&texts->json, entry, err);
	THEN(status, kt_entry_parse(&check, arena, kt_buf_text(&texts->json), texts->json.size, err));
	kt_arena_free(arena);
	for (size_t i = 0; status == KT_OK && i < entry->parameter_count; i++)
		kt_buf_addf(&texts->parameters, "%s%s", i > 0 ? " " : "", entry->parameters[i]);
	/* One line of history: the general one, then the special ones with their rules. */
	for (size_t k = 0; status == KT_OK && k <= entry->special_count; k++) {
		if (k > 0)
			kt_buf_addf(&texts->configuration, "; %s: ", entry->specials[k - 1].when);
		kt_entry_variant_text(&texts->configuration, entry, (int64_t)k);
	}
	THEN(status, kt_buf_check(&texts->configuration, "a configuration", err));
	return status;
}

kt_status kt_store_put(struct kt_store *store, const struct kt_entry *entry, struct kt_error *err)
{
	struct texts texts = {.json = KT_BUF(KT_ENTRY_BYTES),
	                      .parameters = KT_BUF(KT_LIMIT_LINE_BYTES),
	                      .configuration = KT_BUF(KT_LIMIT_LINE_BYTES)};
	kt_status status = print_checked(&texts, entry, err);
	THEN(status, kt_sql_begin(store, err));
	if (status == KT_OK) {
		kt_device_key(texts.device_key, &entry->device);
		status = kt_sql_end(store, put_rows(store, entry, &texts, err), err);
	}
	kt_buf_free(&texts.json);
	kt_buf_free(&texts.parameters);
	kt_buf_free(&texts.configuration);
	return status;
}

/*
 * Of all devices together: the newest generation and the number of entries.
 * A put raises the first above everything before; a removal lowers the second.
 */
int64_t kt_store_generation(struct kt_store *store, const char *region_key, const char *device_key)
{
	struct kt_error err;
	sqlite3_stmt *statement = NULL;
	bool row = false, stale = false;
	int64_t generation = 0, id = 0;
	kt_status status;

	if (region_key == NULL)
		status = kt_sql_bind(&statement, store, KT_SQL_GENERATION_ANY, &err, "");
	else if (device_key != NULL)
		status = kt_sql_bind(&statement, store, KT_SQL_GENERATION, &err, "tt", region_key, device_key);
	else
		status = kt_sql_bind(&statement, store, KT_SQL_GENERATION_ALL, &err, "t", region_key);
	if (status == KT_OK && kt_sql_step(&row, store, statement, &err) == KT_OK && row) {
		generation = sqlite3_column_int64(statement, 0);
		id = sqlite3_column_int64(statement, 1);
		stale = kt_used_stale(store, sqlite3_column_int64(statement, 2));
	}
	kt_sql_reset(statement);
	if (stale && device_key != NULL)
		kt_use_result(store, id);
	else if (stale)
		kt_use_region(store, region_key);
	return generation;
}

kt_status kt_store_each_entry(struct kt_store *store, kt_entry_visit visit, void *context, struct kt_error *err)
{
	sqlite3_stmt *statement = NULL;
	bool row = true;
	kt_status status = kt_sql_bind(&statement, store, KT_SQL_ENTRIES, err, "");
	while (status == KT_OK && row) {
		struct kt_entry entry;
		struct kt_error damaged;
		status = kt_sql_step(&row, store, statement, err);
		if (status != KT_OK || !row)
			break;
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		const char *text = kt_sql_column(statement, 0);
		if (arena == NULL)
			status = kt_fail(err, KT_ERR_MEMORY, "out of memory reading entries");
		/* A row that does not parse is verify's business; the others stay visible. */
		else if (kt_entry_parse(&entry, arena, text, strlen(text), &damaged) == KT_OK) {
			entry.generation = sqlite3_column_int64(statement, 1);
			if (sqlite3_column_type(statement, 8) != SQLITE_NULL)
				entry.origin = kt_arena_strdup(arena, kt_sql_column(statement, 8));
			if (sqlite3_column_type(statement, 9) != SQLITE_NULL)
				entry.trial_key = kt_arena_strdup(arena, kt_sql_column(statement, 9));
			row = visit(&entry, context);
		}
		kt_arena_free(arena);
	}
	kt_sql_reset(statement);
	return status;
}
