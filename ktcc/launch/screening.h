/*
 * What NVRTC is told for a command of nvcc's: the options in its own forms, by
 * a column of options.def. nvcc reads the C library and the C++ library for its
 * host compiler; NVRTC gets the toolkit's headers and the command's folders.
 */
#ifndef KT_LAUNCH_SCREENING_H
#define KT_LAUNCH_SCREENING_H

#include "launch/command.h"
#include "launch/toolkit.h"
#include "tuning/batch.h"

struct kt_command_screening {
	const struct kt_screening *screening; /* NULL: nvcc compiles all, for this reason: */
	enum kt_unscreened why;
	const char *detail; /* the option, or NULL */
};

/*
 * `toolkit`: the root (NULL: unknown); `release`: of nvcc, or NULL. The arena holds all of it. Fails only when out of
 * memory.
 */
kt_status kt_command_screening(struct kt_command_screening *out, struct kt_arena *arena,
			       const struct kt_command *command, const char *toolkit, const struct kt_release *release,
			       struct kt_error *err) KT_MUST_CHECK;

#endif
