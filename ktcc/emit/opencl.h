/*
 * Emission of an OpenCL file: a tuned copy of the .cl, and a C99 header that
 * tells a host program which kernel of it to launch how (docs/emission.md).
 */
#ifndef KT_EMIT_OPENCL_H
#define KT_EMIT_OPENCL_H

#include "emit/emit.h"

/*
 * Appends the tuned source to *cl (the user's text, `#pragma ktune` lines blank,
 * the variants of a region after its kernel) and the header to *header: a
 * function ktune_NAME per region. A variant whose guards or geometry name more
 * than problem variables is in the source, but no function returns it. The
 * same input gives the same bytes on every machine.
 */
kt_status kt_emit_opencl(struct kt_buf *cl, struct kt_buf *header, const struct kt_emission *emission,
                         struct kt_error *err) KT_MUST_CHECK;

/* Appends the part that every header begins with: the record and the arithmetic. */
void kt_emit_opencl_prelude(struct kt_buf *out);

struct kt_emit_region;
/* Appends the function of one region, or a comment where its geometry cannot be written in C. */
kt_status kt_emit_opencl_function(struct kt_buf *out, const struct kt_emit_region *plan,
                                  struct kt_error *err) KT_MUST_CHECK;

#endif
