/* Depfiles of emitted compilations: they name the user's files and what ktcc looked up, never ktcc's copies. */
#ifndef KT_LAUNCH_DEPEND_H
#define KT_LAUNCH_DEPEND_H

#include "launch/command.h"

struct kt_depend {
	const char *emitted;     /* ktcc's copy, removed; NULL: the original was compiled */
	const char *input;       /* the user's file as given: first prerequisite */
	size_t extra_count;
	const char *const *extra; /* lock folders and the stamp, appended */
};

/*
 * Rewrites the depfile that nvcc wrote and returns its prerequisites (without
 * the extra ones) for the manifest, in arena.
 */
kt_status kt_depend_rewrite(const char ***prerequisites, size_t *count, struct kt_arena *arena, const char *path,
                            const struct kt_depend *depend, struct kt_error *err) KT_MUST_CHECK;
/* Writes the depfile of `command` from known prerequisites and the extra ones. */
kt_status kt_depend_write(const struct kt_command *command, const char *const *prerequisites, size_t count,
                          const struct kt_depend *depend, struct kt_error *err) KT_MUST_CHECK;

#endif
