/* For emit's files only: from the edited text of a unit to one file a copy. */
#ifndef KT_EMIT_COPIES_H
#define KT_EMIT_COPIES_H

#include "base/source.h"
#include "emit/emit.h"

/*
 * The file and line that messages name for a place in the unit's text: the user's own, or those of a `#line` before
 * it. *shift is what that adds to the line's number in its file. KT_ERR_MEMORY.
 */
kt_status kt_emit_place(const char **file, uint32_t *line, int64_t *shift, struct kt_arena *arena,
                        const struct kt_emission *emission, size_t offset, struct kt_error *err) KT_MUST_CHECK;
/*
 * Fills *out, in arena. `splices` edit the unit's text and are moved here; none may
 * reach over the border of a file. One that inserts at a border belongs to the
 * file that ends there.
 * `before` is in the main file before all of the user's text.
 */
kt_status kt_emit_copies(struct kt_emitted *out, struct kt_arena *arena, const struct kt_emission *emission,
                         const char *before, struct kt_splice *splices, size_t splice_count, struct kt_error *err) KT_MUST_CHECK;

#endif
