/* Variants of an entry that are for pointers at multiples of KT_ALIGNED_BYTES alone: docs/store.md, "An entry". */
#include <string.h>

#include "store/entry_record.h"

/* One of them, beside the entry that it belongs to. */
struct aligned {
	struct kt_aligned own;
	const struct kt_entry *entry;
};

#define AT(member) .offset = offsetof(struct aligned, own.member)
static const struct kt_shape_field aligned_fields[] = {
    {.name = "variant", .kind = KT_SHAPE_INT, AT(variant), .high = KT_SPECIALS_MOST, .optional = true},
    {.name = "argument", .kind = KT_SHAPE_IDENTIFIER, AT(argument)},
};
static const struct kt_shape aligned_record = KT_SHAPE(aligned_fields);

static kt_status read_aligned(void *record, struct kt_arena *arena, const struct kt_json_place *at, struct kt_error *err)
{
	struct kt_entry *entry = record;
	const cJSON *item;
	const int size = cJSON_GetArraySize(at->json);
	if (!cJSON_IsArray(at->json) || size < 1 || size > KT_ALIGNED_MOST)
		return kt_shape_bad(err, at, "an array of 1 to %d pointers expected", KT_ALIGNED_MOST);
	NEED(entry->aligned = kt_arena_array(arena, (size_t)size, sizeof *entry->aligned),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry"));
	cJSON_ArrayForEach(item, at->json) {
		struct kt_json_place here = {at, NULL, entry->aligned_count, item};
		struct aligned a = {.entry = entry};
		TRY(kt_shape_read(&a, arena, &here, &aligned_record, err));
		if (a.own.variant > (int64_t)entry->special_count || (a.own.variant == 0 && entry->baseline_best))
			return kt_shape_bad(err, &here, "there is no variant %lld", (long long)a.own.variant);
		entry->aligned[entry->aligned_count++] = a.own;
	}
	return KT_OK;
}

static cJSON *print_aligned(const void *record, bool *failed)
{
	const struct kt_entry *entry = record;
	cJSON *list = entry->aligned_count != 0 ? cJSON_CreateArray() : NULL;
	*failed = *failed || (list == NULL && entry->aligned_count != 0);
	for (size_t i = 0; !*failed && i < entry->aligned_count; i++) {
		const struct aligned a = {entry->aligned[i], entry};
		cJSON *item = kt_shape_print(&a, &aligned_record);
		*failed = item == NULL || !cJSON_AddItemToArray(list, item);
		if (*failed)
			cJSON_Delete(item);
	}
	return list;
}

const struct kt_shape_own kt_entry_aligned = {read_aligned, print_aligned};

void kt_entry_when_text(struct kt_buf *out, const struct kt_entry *entry, int64_t variant)
{
	const char *rule = variant != 0 ? entry->specials[variant - 1].when : NULL;
	bool asks = false;
	for (size_t i = 0; i < entry->aligned_count && !asks; i++)
		asks = entry->aligned[i].variant == variant;
	if (rule != NULL)
		kt_buf_addf(out, asks ? "(%s)" : "%s", rule);
	for (size_t i = 0; i < entry->aligned_count; i++)
		if (entry->aligned[i].variant == variant)
			kt_buf_addf(out, "%saligned(%s, %d)", out->size != 0 ? " && " : "", entry->aligned[i].argument,
			            KT_ALIGNED_BYTES);
}

kt_status kt_entry_when(struct kt_clause_expr *out, struct kt_arena *arena, const struct kt_entry *entry, int64_t variant,
                        struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_status status;
	kt_entry_when_text(&text, entry, variant);
	*out = (struct kt_clause_expr){0};
	status = kt_buf_check(&text, "a rule", err);
	if (status == KT_OK && text.size != 0) {
		out->text = kt_arena_strdup(arena, kt_buf_text(&text));
		status =
		    out->text == NULL ? kt_no_memory(err) : kt_expr_parse(&out->expr, arena, out->text, text.size, err);
		if (status != KT_OK)
			status = kt_fail_prefix(err, "rule '%.200s'", kt_buf_text(&text));
	}
	kt_buf_free(&text);
	return status;
}
