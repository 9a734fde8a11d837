/* For emit's files only: what is replaced in a source. */
#ifndef KT_EMIT_SPLICES_H
#define KT_EMIT_SPLICES_H

#include "base/source.h"
#include "emit/emit.h"

/* Lives in the arena. */
struct kt_splices {
	struct kt_arena *arena;
	size_t count;
	struct kt_splice *items;
};
kt_status kt_splices_add(struct kt_splices *splices, struct kt_splice splice, struct kt_error *err) KT_MUST_CHECK;
/* Takes the pragmas of a source away, and a byte order mark, which is legal at the start of a file only. */
kt_status kt_splices_blank(struct kt_splices *splices, const struct kt_emission *emission, struct kt_error *err) KT_MUST_CHECK;

#endif
