/* For emit's files only: what quoted includes of emitted files would find in the folder of those files. */
#ifndef KT_EMIT_LOOKUPS_H
#define KT_EMIT_LOOKUPS_H

#include "base/arena.h"
#include "base/emitted.h"

/*
 * Puts "up/" in front of the files' names, so often that no quoted include leads out of the folder beside the
 * object, and fills the lookups. The result depends on the text alone. False: out of memory.
 */
bool kt_emit_lookups(struct kt_emitted *out, struct kt_arena *arena);

#endif
