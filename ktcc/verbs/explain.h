/* Parts of ktcc explain. */
#ifndef KT_VERBS_EXPLAIN_H
#define KT_VERBS_EXPLAIN_H

#include "base/json.h"
#include "planning/work.h"

/* Adds "unlisted": what was measured on sizes that no problem lists, of which there are some. */
void kt_explain_unlisted(cJSON *item, const struct kt_entry *entry);
/* NULL: nothing is printed. */
void kt_explain_print_unlisted(const cJSON *unlisted);

/*
 * Adds "at" to an entry's item: which variant runs where the problem variables are as `text` says ("rows=37,d=1003"), the
 * guards that were evaluated, and the nearest measurement. KT_ERR_INVALID says what is not understood.
 */
kt_status kt_explain_at(cJSON *item, struct kt_arena *arena, const struct kt_case *each, const struct kt_entry *entry,
                        const char *text, struct kt_error *err) KT_MUST_CHECK;
void kt_explain_print_at(const cJSON *at);

#endif
