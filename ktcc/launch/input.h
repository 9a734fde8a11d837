/* From a command line to what planning wants to know of it. */
#ifndef KT_LAUNCH_INPUT_H
#define KT_LAUNCH_INPUT_H

#include "launch/command.h"
#include "planning/work.h"

/* Fills *out; strings live in arena or in command. `store` may be NULL. */
kt_status kt_input_from_command(struct kt_work_input *out, struct kt_arena *arena, const struct kt_command *command,
                                const struct kt_config *config, struct kt_store *store, struct kt_error *err)
    KT_MUST_CHECK;

/*
 * The same for an OpenCL source: `flags` are the driver's build options
 * (-D, -I, -cl-…). `config` gets the backend; strings live in arena.
 */
kt_status kt_input_for_opencl(struct kt_work_input *out, struct kt_arena *arena, const char *file, int flag_count,
                              char *const *flags, struct kt_config *config, struct kt_store *store,
                              struct kt_error *err) KT_MUST_CHECK;

#endif
