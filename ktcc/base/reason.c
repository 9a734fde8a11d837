#include "base/reason.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name, *text, *fix;
	bool quiet;
} rows[KT_REASON_COUNT] = {
    {"none", "nothing", "", true},
#define ROW(id, name, cause, fix, quiet) {name, cause, fix, quiet},
    KT_REASONS(ROW)
#undef ROW
};

const char *kt_reason_name(enum kt_reason reason)
{
	return rows[reason].name;
}

const char *kt_reason_text(enum kt_reason reason)
{
	return rows[reason].text;
}

const char *kt_reason_fix(enum kt_reason reason)
{
	return rows[reason].fix;
}

const char *kt_reason_line(struct kt_arena *arena, enum kt_reason reason, const char *detail)
{
	const char *fix = detail != NULL && strstr(detail, "; ") != NULL ? "" : rows[reason].fix;
	const char *line = kt_arena_printf(arena, "%s%s%s%s%s", rows[reason].text, detail != NULL ? ": " : "",
	                                   detail != NULL ? detail : "", fix[0] != '\0' ? "; " : "", fix);

	return line != NULL ? line : rows[reason].text;
}

bool kt_reason_quiet(enum kt_reason reason)
{
	return rows[reason].quiet;
}

enum kt_reason kt_reason_from_name(const char *name)
{
	for (size_t i = 1; i < KT_REASON_COUNT; i++)
		if (strcmp(rows[i].name, name) == 0)
			return (enum kt_reason)i;
	return KT_REASON_NONE;
}
