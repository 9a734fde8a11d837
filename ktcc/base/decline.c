#include "base/decline.h"

#include <string.h>

static const struct {
	const char *name, *fix;
} rows[KT_DECLINE_COUNT] = {
    {"none", ""},
#define ROW(id, name, fix) {name, fix},
    KT_DECLINES(ROW)
#undef ROW
};

const char *kt_decline_name(enum kt_decline decline)
{
	return rows[decline].name;
}

enum kt_decline kt_decline_from_name(const char *name)
{
	for (size_t i = 1; i < KT_DECLINE_COUNT; i++)
		if (strcmp(rows[i].name, name) == 0)
			return (enum kt_decline)i;
	return KT_DECLINE_NONE;
}

const char *kt_decline_fix(const char *name, const char *detail)
{
	return strstr(detail, "; ") != NULL ? "" : rows[kt_decline_from_name(name)].fix;
}
