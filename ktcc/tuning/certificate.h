/* Whether the text that a generator prints of a kernel, with nothing changed, is the kernel: the certificate of docs/ir.md. */
#ifndef KT_TUNING_CERTIFICATE_H
#define KT_TUNING_CERTIFICATE_H

#include "tuning/batch.h"

/*
 * Compiles the original and the template's configuration to PTX, in one unit: by NVRTC, where compile->screening is set, and by
 * nvcc where NVRTC does not find them equal. *why: NULL where both have the same code but
 * for names; else how they differ, in arena. Bounds that the original alone has do not count: those of an instance are in no
 * text that a generator reads. KT_ERR_CHILD: the unit does not compile; since the region key was made of the original, it is
 * the print that does not, or the compiler failed.
 */
kt_status kt_certify(const char **why, struct kt_arena *arena, const struct kt_compile *compile,
                     const struct kt_template *template_, const struct kt_instance *instance,
                     const int64_t *configuration, const char *source, size_t source_size,
                     struct kt_error *err) KT_MUST_CHECK;

#endif
