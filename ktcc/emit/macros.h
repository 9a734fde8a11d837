/* For emit's files only: copies of macros whose bodies launch, in which the launches call dispatchers. */
#ifndef KT_EMIT_MACROS_H
#define KT_EMIT_MACROS_H

#include "emit/splices.h"

struct kt_emit_macro;

/* Lives in the arena. */
struct kt_emit_macros {
	struct kt_arena *arena;
	size_t count;
	struct kt_emit_macro *items; /* a macro follows the one that uses it */
};

/* Adds what is replaced in the text of the macro that writes the launch. */
kt_status kt_emit_macros_add(struct kt_emit_macros *macros, const struct kt_launch *launch, const struct kt_splice *splices,
                             size_t count, struct kt_error *err) KT_MUST_CHECK;
/*
 * Appends the definitions of all copies to *out, each once, and to *splices the places of the unit's text that use them.
 * The copies can be defined before everything else: names in a macro have the meaning of the place that uses it.
 */
kt_status kt_emit_macros_write(struct kt_buf *out, struct kt_splices *splices, struct kt_emit_macros *macros,
                               struct kt_error *err) KT_MUST_CHECK;

#endif
