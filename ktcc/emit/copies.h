/* For emit's files only: from the edited text of a unit to one file a copy. */
#ifndef KT_EMIT_COPIES_H
#define KT_EMIT_COPIES_H

#include "base/source.h"
#include "emit/emit.h"

/* The user's file and line of a place in the unit's text; what stands behind `offset` with `behind`, else in front. */
void kt_emit_place(const char **file, uint32_t *line, const struct kt_emission *emission, size_t offset, bool behind);
/*
 * Fills *out, in arena. `splices` edit the unit's text and are moved here; none may
 * reach over the border of a file. One that inserts at a border belongs to the
 * file that ends there.
 */
kt_status kt_emit_copies(struct kt_emitted *out, struct kt_arena *arena, const struct kt_emission *emission,
                         struct kt_splice *splices, size_t splice_count, struct kt_error *err) KT_MUST_CHECK;

#endif
