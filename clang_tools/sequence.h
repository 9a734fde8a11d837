/*
 * A launch region while it is read:
 *   block.c      the statements of its block: launches, declarations, checks for errors
 *   sequence.c   its kernels and instances, geometry, keys
 *   sequence_signature.c   the region's own signature
 *   pure.c       what may be evaluated twice
 */
#ifndef KT_CLANG_SEQUENCE_H
#define KT_CLANG_SEQUENCE_H

#include "launches.h"

/*
 * Finds the launches of found->block and fills found->steps but for kernels and
 * instances. Declines for anything that is not a launch, a declaration or a
 * check for errors.
 */
kt_status kt_block_read(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;

/*
 * Can the expression be evaluated twice, and in another order than written? It
 * has names, members, literals, arithmetic, casts and calls that read only:
 * `x.data()` and its kin, min and max.
 */
bool kt_is_pure(struct kt_scan *scan, const char *text);
/* The same of the stream of a launch, which may also be a call without arguments that says so: `currentStream()`. */
bool kt_is_pure_stream(struct kt_scan *scan, const char *text);

/* Declines the region for one of its launches: "line 12: what". */
void kt_step_decline(struct kt_scan *scan, struct kt_found *found, const struct kt_found_step *step, const char *reason,
                     const char *what);
/*
 * Fills the region's arguments, and of its steps arguments and names. Expressions that are identifiers are called so;
 * the others get names that are left. Needs the steps' kernels, and their instances where the host is no template.
 */
kt_status kt_sequence_signature(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;
/* The identifier that a host expression is, casts aside; NULL: none. */
const char *kt_host_name(struct kt_scan *scan, const char *text);
/* "const float *" → "float *" */
const char *kt_without_const(const char *type);

#endif
