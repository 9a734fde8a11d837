#include "base/reason.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name, *text;
	bool quiet;
} rows[KT_REASON_COUNT] = {
    {"none", "nothing", true},
#define ROW(id, name, text, quiet) {name, text, quiet},
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
