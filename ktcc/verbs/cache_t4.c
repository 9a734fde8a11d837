/* ktcc cache export --t4: what was measured for the entries of the store, as T4 files. */
#include "verbs/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planning/t4_result.h"
#include "verbs/session.h"

/* One entry's trials on their way into a file: the rows of one configuration follow each other. */
struct gathering {
	struct kt_arena *arena;
	const struct kt_entry *entry;
	cJSON *results;
	const char *configuration; /* whose rows are being gathered; NULL: none yet */
	enum kt_verdict verdict;
	size_t problem_count;
	const char **problems;
	double *ms;
	bool failed;
};

/* "BLOCK=256 VEC=8" as values in the entry's order; false: it is of other parameters. */
static bool read_configuration(int64_t *out, const struct kt_entry *entry, const char *text)
{
	for (size_t i = 0; i < entry->parameter_count; i++) {
		const size_t length = strlen(entry->parameters[i]);
		char *end;

		if (strncmp(text, entry->parameters[i], length) != 0 || text[length] != '=')
			return false;
		out[i] = strtoll(text + length + 1, &end, 10);
		if (end == text + length + 1 || *end != (i + 1 < entry->parameter_count ? ' ' : '\0'))
			return false;
		text = end + (*end == ' ');
	}
	return *text == '\0';
}

/* Every problem of the entry in its order; where a configuration was not run, or not right, the original runs. */
static bool fill(const char ***names, double **ms, struct gathering *g)
{
	const struct kt_entry *entry = g->entry;

	*names = kt_arena_array(g->arena, entry->problem_count, sizeof **names);
	*ms = kt_arena_array(g->arena, entry->problem_count, sizeof **ms);
	for (size_t p = 0; *names != NULL && *ms != NULL && p < entry->problem_count; p++) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

		kt_problem_print(&text, entry, p);
		(*names)[p] = kt_arena_strdup(g->arena, kt_buf_text(&text));
		kt_buf_free(&text);
		if ((*names)[p] == NULL)
			return false;
		(*ms)[p] = 1e-6 * entry->baseline[p].median_ns;
		for (size_t i = 0; i < g->problem_count; i++)
			if (strcmp(g->problems[i], (*names)[p]) == 0)
				(*ms)[p] = g->ms[i];
	}
	return *names != NULL && *ms != NULL;
}

static void finish(struct gathering *g)
{
	int64_t *values = kt_arena_array(g->arena, g->entry->parameter_count + 1, sizeof *values);
	const char **names = NULL;
	double *ms = NULL;

	if (values == NULL || !fill(&names, &ms, g)) {
		g->failed = true;
	} else if (g->configuration != NULL && read_configuration(values, g->entry, g->configuration)) {
		const struct kt_t4_result result = {
		    .parameter_count = g->entry->parameter_count,
		    .parameters = g->entry->parameters,
		    .configuration = values,
		    .verdict = g->verdict,
		    .problem_count = g->entry->problem_count,
		    .ms = ms,
		    .problems = names,
		};

		cJSON_AddItemToArray(g->results, kt_t4_result(&result));
	}
	g->problem_count = 0;
	g->verdict = KT_VERDICT_OK;
}

static bool take(const char *configuration, const char *problem, const struct kt_trial *trial, void *context)
{
	struct gathering *g = context;
	size_t times = g->problem_count;
	const char **name;
	double *ms;

	if (g->configuration == NULL || strcmp(g->configuration, configuration) != 0) {
		finish(g);
		times = 0;
		g->configuration = kt_arena_strdup(g->arena, configuration);
	}
	if (trial->verdict != KT_VERDICT_OK) {
		g->verdict = g->verdict == KT_VERDICT_OK ? trial->verdict : g->verdict;
		return g->configuration != NULL;
	}
	name = kt_arena_push(g->arena, &g->problems, &g->problem_count, sizeof *name);
	ms = kt_arena_push(g->arena, &g->ms, &times, sizeof *ms);
	if (name == NULL || ms == NULL || g->configuration == NULL) {
		g->failed = true;
		return false;
	}
	*name = kt_arena_strdup(g->arena, problem);
	*ms = 1e-6 * trial->timing.median_ns;
	return *name != NULL;
}

/* Entries of one kernel and device, as of other flags, have the beginning of their keys in the name. NULL: out of memory. */
static char *name_of(struct kt_arena *arena, struct kt_cache *cache, const struct kt_entry *entry)
{
	const char *slug = kt_device_slug(arena, &entry->device);
	char *name = slug != NULL ? kt_arena_printf(arena, "%s-%s", entry->instance, slug) : NULL;

	for (size_t i = 0; name != NULL && i < cache->written_count; i++)
		if (strcmp(cache->written[i], name) == 0)
			return kt_arena_printf(arena, "%s-%.8s", name, entry->region_key);
	return name;
}

kt_status kt_cache_export_t4(bool *written, struct kt_cache *cache, const struct kt_entry *entry, struct kt_error *err)
{
	struct gathering g = {.arena = kt_arena_new(KT_ARENA_REGION_BYTES), .entry = entry, .verdict = KT_VERDICT_OK};
	char *name = g.arena != NULL ? name_of(g.arena, cache, entry) : NULL;
	kt_status status = KT_OK;

	*written = false;
	if (name == NULL) {
		status = kt_fail(err, KT_ERR_MEMORY, "T4 file: out of memory");
	} else if (entry->trial_key != NULL) {
		g.results = cJSON_CreateArray();
		status = kt_store_each_trial(cache->store, entry->trial_key, entry->device_key, take, &g, err);
		if (status == KT_OK)
			finish(&g);
		if (status == KT_OK && g.failed)
			status = kt_fail(err, KT_ERR_MEMORY, "T4 file: out of memory");
	}
	if (status == KT_OK && cJSON_GetArraySize(g.results) != 0) {
		status = kt_t4_write(cache->t4, name, g.results, err);
		*written = status == KT_OK;
		if (*written && !kt_arena_push_text(cache->arena, &cache->written, &cache->written_count, kt_arena_strdup(cache->arena, name)))
			status = kt_fail(err, KT_ERR_MEMORY, "T4 file: out of memory");
	} else {
		cJSON_Delete(g.results);
	}
	kt_arena_free(g.arena);
	return status;
}
