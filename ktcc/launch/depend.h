/*
 * The depfile of an emission: what the build system reads must name the user's
 * files, never the emitted copy, which it would otherwise wait for.
 */
#ifndef KT_LAUNCH_DEPEND_H
#define KT_LAUNCH_DEPEND_H

#include "base/emitted.h"
#include "emit/depfile.h"

/* Paths are as given on the command line: absolute, or relative to the working directory. */
struct kt_depend {
	const char *depfile;
	const char *source;  /* the user's file: becomes the first prerequisite */
	const char *emitted; /* the copy: leaves; NULL: the original was compiled */
	const struct kt_emitted *copies; /* beside it: those of headers leave as well, for their originals; NULL: none */
	size_t extra_count;
	const char *const *extra; /* further prerequisites, put last, with empty rules: the stamp, the lock directory */
	bool bare;                /* "./" in front of a header's name is of our making and goes */
	bool phony;               /* -MP: an empty rule for each prerequisite but the source */
};

/*
 * Rewrites what nvcc wrote for the emission. The copies and the installation's
 * ktune/ktune.h leave, each file is named once. Atomic: a reader sees the old
 * or the new text. A depfile that names no target is KT_ERR_CORRUPT.
 */
kt_status kt_depend_rewrite(const struct kt_depend *depend, struct kt_error *err) KT_MUST_CHECK;
/* Writes a depfile from a known list: `known` without a copy of an emission; `phony` of known counts. Atomic. */
kt_status kt_depend_write(const char *depfile, const struct kt_depfile *known, struct kt_error *err) KT_MUST_CHECK;

#endif
