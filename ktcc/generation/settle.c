#include "generation/settle.h"

#include <string.h>

const char *kt_settle_text(const struct kt_settle *settle, const struct kt_clause_expr *clause)
{
	const struct kt_region *region = settle->region;
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *copy;

	for (const char *at = clause->text; *at != '\0';) {
		const size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.");
		struct kt_error ignored;
		size_t known = region->parameter_count;
		int64_t value;

		for (size_t i = 0; i < region->parameter_count; i++)
			if (strlen(region->parameters[i].name) == length && memcmp(region->parameters[i].name, at, length) == 0)
				known = i;
		if (known < region->parameter_count && !settle->has_parameter(at, length, settle->context) &&
		    kt_region_original(&value, region, settle->instance, known, &ignored) == KT_OK)
			kt_buf_addf(&out, "(%lld)", (long long)value);
		else
			kt_buf_add(&out, at, length > 0 ? length : 1);
		at += length > 0 ? length : 1;
	}
	copy = out.failed ? NULL : kt_arena_strndup(settle->arena, kt_buf_text(&out), out.size);
	kt_buf_free(&out);
	return copy;
}

static bool is_constant(const char *name, unsigned offset, bool pointer, void *context)
{
	const struct kt_region *const *region = context;

	(void)offset;
	for (size_t i = 0; !pointer && i < (*region)->parameter_count; i++)
		if (strcmp((*region)->parameters[i].name, name) == 0)
			return true;
	return !pointer && strncmp(name, "device.", 7) == 0;
}

static kt_status put(cJSON *guards, const struct kt_settle *settle, const struct kt_clause_expr *clause,
                     const char *reason, struct kt_error *err)
{
	const char *text = kt_settle_text(settle, clause);
	cJSON *item = kt_json_append(guards);

	if (text == NULL || cJSON_AddStringToObject(item, "text", text) == NULL ||
	    cJSON_AddStringToObject(item, "reason", reason) == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for the guards of '%.80s'", settle->region->name);
	return KT_OK;
}

kt_status kt_settle_conditions(cJSON *guards, const struct kt_settle *settle, struct kt_error *err)
{
	const struct kt_region *region = settle->region;

	for (size_t i = 0; i < region->guard_count; i++)
		TRY(put(guards, settle, &region->guards[i], KT_REASON_GUARD_CLAUSE, err));
	for (size_t i = 0; i < region->restriction_count; i++)
		if (!kt_expr_names(region->restrictions[i].expr, is_constant, &region))
			TRY(put(guards, settle, &region->restrictions[i], KT_REASON_RESTRICTION_CLAUSE, err));
	return KT_OK;
}
