/* Dependency files in make's syntax, as nvcc and gcc write them. */
#ifndef KT_EMIT_DEPFILE_H
#define KT_EMIT_DEPFILE_H

#include "base/arena.h"
#include "base/buf.h"

struct kt_depfile {
	size_t target_count;
	const char **targets;
	size_t prerequisite_count;
	const char **prerequisites;
	bool phony; /* -MP: an empty rule per prerequisite */
	/* Printed only: prerequisites that have an empty rule without -MP too, because no build system made them. */
	size_t empty_count;
	const char *const *empty;
};

/* Parses; escapes of make (`\ `, `\#`, `$$`, line continuations) are undone. */
kt_status kt_depfile_parse(struct kt_depfile *out, struct kt_arena *arena, const char *text, size_t size,
                           struct kt_error *err) KT_MUST_CHECK;
/* Appends in nvcc's form: "target : \", one prerequisite a line, escaped. */
void kt_depfile_print(struct kt_buf *out, const struct kt_depfile *depfile);

#endif
