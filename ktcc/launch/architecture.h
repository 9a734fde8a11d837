/* -arch, -code and -gencode: which architectures a command compiles for. */
#ifndef KT_LAUNCH_ARCHITECTURE_H
#define KT_LAUNCH_ARCHITECTURE_H

#include "launch/command.h"

/* What -arch=all and all-major stand for, ascending (nvcc 13.0); without any option nvcc compiles for the first. */
struct kt_architecture_target {
	int64_t arch;
	bool major;
};

extern const struct kt_architecture_target kt_architecture_targets[];
extern const size_t kt_architecture_target_count;

/*
 * "sm_90a", "compute_90", "lto_90" into *out (lto: neither real nor virtual).
 * False for anything else.
 */
bool kt_architecture_read(struct kt_gencode *out, const char *text, size_t length);

/* Adds what one -gencode value names; *understood false when it has another form. */
kt_status kt_architecture_add_gencode(struct kt_command *command, struct kt_arena *arena, const char *value,
                                      bool *understood, struct kt_error *err) KT_MUST_CHECK;
/* Adds what -arch with -code (count 0: none) stands for; arch is NULL without -arch. */
kt_status kt_architecture_add(struct kt_command *command, struct kt_arena *arena, const char *arch, size_t code_count,
                              char *const *codes, bool *understood, struct kt_error *err) KT_MUST_CHECK;

/*
 * What the command compiles: each virtual architecture once, ascending, with
 * "via" as the architecture. -arch=native is not among them, which only the
 * machine can answer. NULL when out of memory.
 */
struct kt_gencode *kt_architecture_virtual(struct kt_arena *arena, size_t *count, const struct kt_command *command);
/*
 * The architectures whose own code the object holds, or the link makes of it (sm_XX or lto_XX through compute_XX,
 * or compute_XX): each once, ascending, with the feature a device prefers.
 */
struct kt_gencode *kt_architecture_own(struct kt_arena *arena, size_t *count, const struct kt_command *command);

#endif
