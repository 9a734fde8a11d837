/* What it means that nothing of a space was right. */
#include <string.h>

#include "planning/plan_internal.h"

static bool is_failure(enum kt_verdict verdict)
{
	return verdict != KT_VERDICT_OK && verdict != KT_VERDICT_SKIPPED && verdict != KT_VERDICT_OVER_LIMIT;
}

bool kt_tuning_all_failed(const struct kt_tuning *s)
{
	size_t failed = 0;

	for (size_t i = 0; i < s->seen_count; i++) {
		if (s->seen[i].verdict == KT_VERDICT_OK)
			return false;
		failed += is_failure(s->seen[i].verdict);
	}
	return failed != 0;
}

/* The recorded detail of one failed candidate, where there is no check to run it on again. */
static const char *first_detail(const struct kt_tuning *s)
{
	for (size_t i = 0; i < s->seen_count; i++)
		if (is_failure(s->seen[i].verdict) && s->seen[i].detail != NULL)
			return s->seen[i].detail;
	return "no more is known";
}

const char *kt_tuning_failure(enum kt_reason *reason, const struct kt_tuning *s)
{
	const struct kt_wrong *first = &s->first_wrong;
	const char *detail = first->configuration != NULL ? first->detail : first_detail(s);
	const int line = (int)strcspn(detail, "\n");

	/* A compiler that cannot run is no evidence against any text. */
	if (s->unlucky == s->tried) {
		*reason = KT_REASON_TUNE_FAILED;
		return kt_arena_printf(s->arena, "none of %zu configurations could be compiled: %.*s", s->tried, line, detail);
	}
	*reason = KT_REASON_CANDIDATES_FAILED;
	if (first->configuration == NULL)
		return kt_arena_printf(s->arena, "none of %zu was right; the first: %.*s; please report it with the file",
		                       s->tried, line, detail);
	return kt_arena_printf(
	    s->arena, "none of %zu was right; the first, %s, was %s%s%s: %.*s; please report it with the file and the output "
	              "of: ktcc verify %s --configuration \"%s\"%s%s%s",
	    s->tried, first->configuration, kt_verdict_name(first->verdict), first->check != NULL ? " on " : "",
	    first->check != NULL ? first->check : "", line, detail, kt_path_word(s->arena, s->region->file), first->configuration,
	    first->check != NULL ? " --check \"" : "", first->check != NULL ? first->check : "",
	    first->check != NULL ? "\"" : "");
}
