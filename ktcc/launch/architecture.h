/* -arch, -code and -gencode: which architectures a command compiles for. */
#ifndef KT_LAUNCH_ARCHITECTURE_H
#define KT_LAUNCH_ARCHITECTURE_H

#include "launch/command.h"

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

#endif
