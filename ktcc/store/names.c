#include <string.h>

#include "store/store.h"

static const char *const closeness_names[] = {
    [KT_CLOSE_NONE] = "none",
    [KT_CLOSE_ARCHITECTURE] = "same-architecture",
    [KT_CLOSE_ASSEMBLER] = "assembler",
    [KT_CLOSE_TOOLKIT] = "toolkit",
    [KT_CLOSE_EXACT] = "exact",
};

const char *kt_closeness_name(enum kt_closeness closeness)
{
	return (size_t)closeness < sizeof closeness_names / sizeof closeness_names[0] ? closeness_names[closeness]
	                                                                               : "unknown";
}

static const char *const search_names[] = {
    [KT_SEARCH_UNKNOWN] = "",
    [KT_SEARCH_EXHAUSTED] = "exhausted",
    [KT_SEARCH_MEASURED] = "measured",
    [KT_SEARCH_TRIALS] = "trials",
    [KT_SEARCH_BUDGET] = "budget",
};

const char *kt_search_state_name(enum kt_search_state state)
{
	return (size_t)state < sizeof search_names / sizeof search_names[0] ? search_names[state] : "";
}

bool kt_search_state_from_name(enum kt_search_state *out, const char *name)
{
	for (size_t i = 1; i < sizeof search_names / sizeof search_names[0]; i++)
		if (strcmp(search_names[i], name) == 0) {
			*out = (enum kt_search_state)i;
			return true;
		}
	return false;
}
