/* When the variants of an entry run: their rules, and pointers that have to be aligned. */
#include "store/entry_record.h"

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
