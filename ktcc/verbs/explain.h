/* Parts of ktcc explain. */
#ifndef KT_VERBS_EXPLAIN_H
#define KT_VERBS_EXPLAIN_H

#include "base/json.h"
#include "planning/at.h"
#include "planning/work.h"

/* Adds "unlisted": what was measured on sizes that no problem lists, of which there are some. */
void kt_explain_unlisted(cJSON *item, const struct kt_entry *entry);
/* NULL: nothing is printed. */
void kt_explain_print_unlisted(const cJSON *unlisted);

/*
 * Adds "at" to an entry's item: which variant runs where the problem variables have the values of `sizes`, the
 * guards that were evaluated, and the nearest measurement; or "at_missing": a variable that they have no value for.
 * KT_ERR_INVALID: the error names what is not understood.
 */
kt_status kt_explain_at(cJSON *item, struct kt_arena *arena, const struct kt_case *each, const struct kt_entry *entry,
                        struct kt_at_sizes *sizes, struct kt_error *err) KT_MUST_CHECK;
void kt_explain_print_at(const cJSON *at);

/* Adds "not_applied" to a template's item: the passes of the rules that it is without, each with the reason (explain_passes.c). */
void kt_explain_unapplied(cJSON *item, const struct kt_rules *rules, const struct kt_rules_template *one,
			  const struct kt_region *region);
void kt_explain_print_unapplied(const cJSON *item);

#endif
