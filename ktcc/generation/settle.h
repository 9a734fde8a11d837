/*
 * Clauses of a region in a template that has other parameters: what the user asks of a launch holds for every
 * generator's variants.
 */
#ifndef KT_GENERATION_SETTLE_H
#define KT_GENERATION_SETTLE_H

#include "base/json.h"
#include "base/template.h"

struct kt_settle {
	struct kt_arena *arena;
	const struct kt_region *region;
	const struct kt_instance *instance;
	/* Does the template have a parameter of this name? */
	bool (*has_parameter)(const char *name, size_t length, const void *context);
	const void *context;
};

/*
 * The text of a clause: parameters of the region that the template does not have are their values in the source. It
 * lives as long as the arena. NULL: out of memory.
 */
const char *kt_settle_text(const struct kt_settle *settle, const struct kt_clause_expr *clause);
/*
 * Appends objects of "text" and "reason" to a template's guards: the region's guards, and its restrictions that name a
 * variable or an argument.
 */
kt_status kt_settle_conditions(cJSON *guards, const struct kt_settle *settle, struct kt_error *err) KT_MUST_CHECK;

#endif
