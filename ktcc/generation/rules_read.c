/* What `ktcc-clang rewrite` answered: templates, and why there is none. */
#include <stdio.h>
#include <string.h>

#include "base/decline.h"
#include "generation/generation.h"
#include "generation/settle.h"

struct reader {
	struct kt_arena *arena;
	const struct kt_unit *unit;
	const char *source;
	struct kt_rules *out;
	struct kt_error *err;
};

/* An index below `count`. */
static bool read_index(size_t *out, const cJSON *json, const char *name, size_t count)
{
	struct kt_error ignored;
	int64_t value;

	if (kt_json_int(&value, json, name, &ignored) != KT_OK || value < 0 || (uint64_t)value >= count)
		return false;
	*out = (size_t)value;
	return true;
}

static kt_status add_decline(const struct reader *r, size_t region, int64_t instance, const char *reason, uint32_t line,
                             const char *detail)
{
	struct kt_rules_decline *slot = kt_arena_push(r->arena, &r->out->declines, &r->out->decline_count, sizeof *slot);

	if (slot == NULL || reason == NULL || detail == NULL)
		return kt_no_memory(r->err);
	*slot = (struct kt_rules_decline){region, instance, reason, line, detail};
	return KT_OK;
}

static bool has_parameter(const char *name, size_t length, const void *context)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(context, "parameters"))
	{
		const char *own = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "name"));

		if (own != NULL && strlen(own) == length && memcmp(own, name, length) == 0)
			return true;
	}
	return false;
}

/* The rules know what is right for a launch; the clauses decide whether the user wants a variant there. */
static kt_status add_conditions(const struct reader *r, cJSON *json, const struct kt_region *region, size_t instance)
{
	const struct kt_settle settle = {r->arena, region, &region->instances[instance], has_parameter, json};
	cJSON *guards = cJSON_GetObjectItemCaseSensitive(json, "guards");

	return cJSON_IsArray(guards) ? kt_settle_conditions(guards, &settle, r->err) : KT_OK;
}

static kt_status read_template(const struct reader *r, cJSON *json)
{
	struct kt_rules_template one;
	const struct kt_region *region;
	struct kt_error why;

	if (!read_index(&one.region, json, "region", r->unit->region_count))
		return kt_fail(r->err, KT_ERR_INVALID, "/templates: a template of no region");
	region = &r->unit->regions[one.region];
	if (!read_index(&one.instance, json, "instance", region->instance_count))
		return kt_fail(r->err, KT_ERR_INVALID, "/templates: a template of no instance of '%.80s'", region->name);
	/* The region is named around it, in an entry as well. */
	cJSON_DeleteItemFromObjectCaseSensitive(json, "region");
	cJSON_DeleteItemFromObjectCaseSensitive(json, "instance");
	region = kt_region_for(region, one.instance);
	TRY(add_conditions(r, json, region, one.instance));
	if (kt_rules_template(r->out, one.region, one.instance) != NULL)
		kt_fail(&why, KT_ERR_INVALID, "a second template");
	else if (kt_template_read(&one.template_, r->arena, json, &why) == KT_OK &&
	         kt_template_adopt(one.template_, region, kt_head_line(region, r->source), &why) == KT_OK) {
		struct kt_rules_template *slot =
		    kt_arena_push(r->arena, &r->out->templates, &r->out->template_count, sizeof *slot);

		NEED(slot, kt_no_memory(r->err));
		*slot = one;
		return KT_OK;
	}
	if (why.code == KT_ERR_MEMORY)
		return kt_fail(r->err, KT_ERR_MEMORY, "%s", why.message);
	/* One that is of no use must not cost the other regions theirs. */
	return add_decline(r, one.region, (int64_t)one.instance, kt_decline_name(KT_DECLINE_BAD_TEMPLATE), 0,
	                   kt_arena_strdup(r->arena, why.message));
}

static kt_status read_decline(const struct reader *r, const cJSON *json)
{
	const char *reason, *detail;
	size_t region, instance = 0;
	int64_t line, number;

	if (kt_json_string(&reason, r->arena, json, "reason", r->err) != KT_OK ||
	    kt_json_string_or(&detail, r->arena, json, "detail", "", r->err) != KT_OK ||
	    kt_json_int_or(&line, json, "line", 0, r->err) != KT_OK ||
	    kt_json_int_or(&number, json, "instance", -1, r->err) != KT_OK)
		return r->err->code;
	if (!read_index(&region, json, "region", r->unit->region_count) ||
	    (number >= 0 && !read_index(&instance, json, "instance", r->unit->regions[region].instance_count)) ||
	    line < 0 || line > UINT32_MAX)
		return kt_fail(r->err, KT_ERR_INVALID, "/declined: of no region, instance or line");
	return add_decline(r, region, number, reason, (uint32_t)line, detail);
}

static kt_status read_note(const struct reader *r, const cJSON *json)
{
	struct kt_rules_note note, *slot;
	int64_t line;

	if (kt_json_string(&note.text, r->arena, json, "text", r->err) != KT_OK ||
	    kt_json_int(&line, json, "line", r->err) != KT_OK)
		return r->err->code;
	if (!read_index(&note.region, json, "region", r->unit->region_count) || line < 0 || line > UINT32_MAX)
		return kt_fail(r->err, KT_ERR_INVALID, "/analysis: of no region or line");
	note.line = (uint32_t)line;
	NEED(slot = kt_arena_push(r->arena, &r->out->notes, &r->out->note_count, sizeof *slot), kt_no_memory(r->err));
	*slot = note;
	/* By region and line; notes about one line keep their order. */
	for (; slot > r->out->notes && (slot[-1].region > slot->region ||
	                                (slot[-1].region == slot->region && slot[-1].line > slot->line));
	     slot--) {
		note = slot[-1];
		slot[-1] = slot[0];
		slot[0] = note;
	}
	return KT_OK;
}

kt_status kt_rules_read(struct kt_rules **out, struct kt_arena *arena, const struct kt_unit *unit, const char *source,
                        const char *text, size_t size, struct kt_error *err)
{
	struct reader r = {arena, unit, source, kt_arena_alloc(arena, sizeof(struct kt_rules)), err};
	const cJSON *array;
	cJSON *json = NULL;
	kt_status status;

	NEED(r.out, kt_no_memory(err));
	memset(r.out, 0, sizeof *r.out);
	status = kt_json_parse(&json, text, size, err);
	THEN(status, kt_json_array_or(&array, json, "templates", err));
	for (cJSON *item = status == KT_OK && array != NULL ? array->child : NULL; item != NULL && status == KT_OK;
	     item = item->next)
		status = read_template(&r, item);
	THEN(status, kt_json_array_or(&array, json, "declined", err));
	for (cJSON *item = status == KT_OK && array != NULL ? array->child : NULL; item != NULL && status == KT_OK;
	     item = item->next)
		status = read_decline(&r, item);
	THEN(status, kt_json_array_or(&array, json, "analysis", err));
	for (cJSON *item = status == KT_OK && array != NULL ? array->child : NULL; item != NULL && status == KT_OK;
	     item = item->next)
		status = read_note(&r, item);
	cJSON_Delete(json);
	if (status == KT_OK)
		*out = r.out;
	return status;
}

struct kt_template *kt_rules_template(const struct kt_rules *rules, size_t region, size_t instance)
{
	for (size_t i = 0; i < rules->template_count; i++)
		if (rules->templates[i].region == region && rules->templates[i].instance == instance)
			return rules->templates[i].template_;
	return NULL;
}

const char *kt_rules_declined(const struct kt_rules *rules, struct kt_arena *arena, size_t region, size_t instance)
{
	const struct kt_rules_decline *found = NULL;
	char line[24] = "";
	const char *fix;

	/* What is reported for the instance is more precise than what is reported for the region. */
	for (size_t i = 0; i < rules->decline_count; i++) {
		const struct kt_rules_decline *one = &rules->declines[i];

		if (one->region == region && (one->instance == (int64_t)instance || (one->instance < 0 && found == NULL)))
			found = one;
	}
	if (found == NULL)
		return NULL;
	if (found->line != 0)
		snprintf(line, sizeof line, "line %lu: ", (unsigned long)found->line);
	fix = kt_decline_fix(found->reason, found->detail);
	return kt_arena_printf(arena, "%s%s%s%s%s%s", line, found->reason, found->detail[0] != '\0' ? ": " : "", found->detail,
	                       fix[0] != '\0' ? "; " : "", fix);
}
