/* ktcc explain: sizes that no problem lists, and --at: which variant runs at a launch of some size. */
#include <stdio.h>
#include <string.h>

#include "planning/at.h"
#include "verbs/explain.h"

static const char *name_of(const struct kt_entry *entry, int64_t variant)
{
	return variant < 0 || (variant == 0 && entry->baseline_best) ? "original"
	       : variant == 0                                        ? "general"
	                                                             : entry->specials[variant - 1].when;
}

void kt_explain_unlisted(cJSON *item, const struct kt_entry *entry)
{
	cJSON *object = cJSON_AddObjectToObject(item, "unlisted"), *list;
	double gain, least;

	kt_entry_unlisted_gain(&gain, &least, entry);
	cJSON_AddNumberToObject(object, "gain", gain);
	cJSON_AddNumberToObject(object, "least", least);
	kt_json_add_int(object, "left_out", entry->unlisted_left_out);
	list = cJSON_AddArrayToObject(object, "sizes");
	for (size_t i = 0; i < entry->unlisted_count; i++) {
		const struct kt_unlisted *one = &entry->unlisted[i];
		cJSON *row = kt_json_append(list);

		kt_json_add_values(row, entry->variables, one->values, entry->variable_count);
		cJSON_AddStringToObject(row, "variant", name_of(entry, one->variant));
		cJSON_AddNumberToObject(row, "baseline_ns", one->baseline_ns);
		cJSON_AddNumberToObject(row, "tuned_ns", one->tuned_ns);
	}
}

static void add_values(cJSON *object, const struct kt_entry *entry, const int64_t *values)
{
	kt_json_add_values(cJSON_AddObjectToObject(object, "problem"), entry->variables, values, entry->variable_count);
}

static void add_tried(cJSON *list, const struct kt_entry *entry, const struct kt_at_variant *tried)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	cJSON *item = kt_json_append(list), *clauses;

	kt_entry_variant_text(&text, entry, tried->variant);
	cJSON_AddStringToObject(item, "variant", name_of(entry, tried->variant));
	cJSON_AddStringToObject(item, "configuration", kt_buf_text(&text));
	cJSON_AddBoolToObject(item, "rule_holds", tried->ruled);
	clauses = cJSON_AddArrayToObject(item, "guards");
	for (size_t i = 0; i < tried->clause_count; i++) {
		cJSON *clause = kt_json_append(clauses);

		cJSON_AddStringToObject(clause, "text", tried->clauses[i].text);
		cJSON_AddBoolToObject(clause, "holds", tried->clauses[i].holds);
	}
	kt_buf_free(&text);
}

static void add_nearest(cJSON *item, const struct kt_entry *entry, const struct kt_at *at)
{
	const struct kt_unlisted *other = at->listed ? NULL : &entry->unlisted[at->nearest];
	cJSON *nearest = cJSON_AddObjectToObject(item, "nearest");

	add_values(nearest, entry, at->listed ? &entry->problems[at->nearest * entry->variable_count] : other->values);
	cJSON_AddBoolToObject(nearest, "listed", at->listed);
	cJSON_AddStringToObject(nearest, "variant", name_of(entry, at->listed ? kt_entry_serves(entry, at->nearest)
	                                                                       : other->variant));
	cJSON_AddNumberToObject(nearest, "baseline_ns",
	                        at->listed ? entry->baseline[at->nearest].median_ns : other->baseline_ns);
	cJSON_AddNumberToObject(nearest, "tuned_ns", at->listed ? entry->tuned[at->nearest].median_ns : other->tuned_ns);
}

kt_status kt_explain_at(cJSON *item, struct kt_arena *arena, const struct kt_case *each, const struct kt_entry *entry,
                        struct kt_at_sizes *sizes, struct kt_error *err)
{
	const struct kt_template *template_ = kt_work_entry_template(each, entry);
	int64_t *values = kt_arena_array(arena, entry->variable_count + 1, sizeof *values);
	const char *missing = NULL;
	struct kt_at at;
	cJSON *object, *list;
	kt_status status = values != NULL ? kt_at_values(values, &missing, sizes, entry, err) : kt_no_memory(err);

	if (status == KT_OK && missing != NULL) {
		cJSON_AddStringToObject(item, "at_missing", missing);
		return KT_OK;
	}
	if (status == KT_OK && (template_ == NULL || each->region->instance_count == 0))
		status = kt_fail(err, KT_ERR_INVALID, "%s has no variant", each->region->name);
	THEN(status, kt_at_make(&at, arena, template_, &each->region->instances[each->instance], entry, values, err));
	if (status != KT_OK)
		return kt_fail_prefix(err, "--at");
	object = cJSON_AddObjectToObject(item, "at");
	add_values(object, entry, values);
	cJSON_AddStringToObject(object, "variant", name_of(entry, at.variant));
	list = cJSON_AddArrayToObject(object, "tried");
	for (size_t i = 0; i < at.tried_count; i++)
		add_tried(list, entry, &at.tried[i]);
	add_nearest(object, entry, &at);
	return KT_OK;
}

void kt_explain_print_unlisted(const cJSON *unlisted)
{
	const double left_out = kt_json_number(unlisted, "left_out");

	if (unlisted == NULL)
		return;
	printf("    on %d sizes not listed: gain %.2f, least %.2f", cJSON_GetArraySize(cJSON_GetObjectItem(unlisted, "sizes")),
	       kt_json_number(unlisted, "gain"), kt_json_number(unlisted, "least"));
	if (left_out > 0)
		printf("; the original cannot be run on %.0f more", left_out);
	putchar('\n');
}

static void print_values(const cJSON *object)
{
	const cJSON *value;

	cJSON_ArrayForEach(value, cJSON_GetObjectItem(object, "problem"))
		printf(" %s=%.0f", value->string, value->valuedouble);
}

static void print_tried(const cJSON *tried)
{
	const cJSON *guard, *guards = cJSON_GetObjectItem(tried, "guards");
	bool all = true;

	printf("      %s, %s:", kt_json_text(tried, "variant"), kt_json_text(tried, "configuration"));
	if (!cJSON_IsTrue(cJSON_GetObjectItem(tried, "rule_holds"))) {
		puts(" its rule does not hold");
		return;
	}
	cJSON_ArrayForEach(guard, guards)
		all = all && cJSON_IsTrue(cJSON_GetObjectItem(guard, "holds"));
	puts(cJSON_GetArraySize(guards) == 0 ? " runs, it has no guard" : all ? " runs, all guards hold" : " does not run");
	cJSON_ArrayForEach(guard, guards)
		printf("        %s: %s\n", cJSON_IsTrue(cJSON_GetObjectItem(guard, "holds")) ? "holds" : "does not hold",
		       kt_json_text(guard, "text"));
}

void kt_explain_print_at(const cJSON *at)
{
	const cJSON *tried, *nearest = cJSON_GetObjectItem(at, "nearest");
	const double baseline_ns = kt_json_number(nearest, "baseline_ns");
	const double tuned_ns = kt_json_number(nearest, "tuned_ns");

	printf("    at");
	print_values(at);
	printf(", pointers aligned and without overlap: %s\n", kt_json_text(at, "variant"));
	cJSON_ArrayForEach(tried, cJSON_GetObjectItem(at, "tried"))
		print_tried(tried);
	printf("      nearest measurement:");
	print_values(nearest);
	printf("%s: %s, %.2f us instead of %.2f us, %.2fx\n",
	       cJSON_IsTrue(cJSON_GetObjectItem(nearest, "listed")) ? "" : " (not listed)",
	       kt_json_text(nearest, "variant"), tuned_ns / 1e3, baseline_ns / 1e3,
	       tuned_ns > 0 ? baseline_ns / tuned_ns : 1);
}
