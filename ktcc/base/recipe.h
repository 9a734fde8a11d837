/*
 * A recipe: how the rules made the variants of an entry, without a line of their text. From the present source, the
 * rules rebuild text, guards and launch geometry; the hash shows whether that is what was measured.
 */
#ifndef KT_BASE_RECIPE_H
#define KT_BASE_RECIPE_H

#include "base/member.h"
#include "base/template.h"

#define KT_RECIPE_PASSES 64 /* most passes of a recipe */

struct kt_recipe_pass {
	const char *name;
	int64_t version; /* 0: not known, as in an entry of format 1 */
};

struct kt_recipe {
	size_t pass_count;
	struct kt_recipe_pass *passes; /* in the order in which they were applied */
	const char *text;              /* hash of what was measured: kt_recipe_text */
};

/* Tables of the record, of a pass and of a recipe (docs/store.md). */
extern const struct kt_members kt_recipe_record;

/*
 * The hash of what these configurations of a template make: the tokens of their text (without comments and blanks),
 * guards, geometry and temporaries. Each configuration has one value per parameter.
 */
kt_status kt_recipe_text(char out[KT_HASH_TEXT], const struct kt_template *template_,
                         const int64_t *const *configurations, size_t count, struct kt_error *err) KT_MUST_CHECK;
/* The recipe of a template that the rules made, in arena. Versions are today's. */
kt_status kt_recipe_make(struct kt_recipe **out, struct kt_arena *arena, const struct kt_template *template_,
                         const int64_t *const *configurations, size_t count, struct kt_error *err) KT_MUST_CHECK;
/* Are all its passes known here, in these versions? */
bool kt_recipe_is_current(const struct kt_recipe *recipe);

#endif
