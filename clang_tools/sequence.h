/*
 * A launch region while it is read:
 *   block.c      the statements of its block: launches, declarations, checks for errors
 *   sequence.c   its kernels and instances, geometry, keys
 *   sequence_signature.c   the region's own signature
 *   quiet.c      what between the launches and in their arguments may have an effect
 */
#ifndef KT_CLANG_SEQUENCE_H
#define KT_CLANG_SEQUENCE_H

#include "launches.h"

/*
 * Finds the launches of found->block and fills found->steps except kernels and
 * instances. Declines where something between the launches, or an expression of
 * theirs, may have an effect (quiet.h).
 */
kt_status kt_block_read(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;

/* The declaration that the launch leads to, as an item; KT_NO_ITEM: none, or one of several. */
size_t kt_callee_item(const struct kt_scan *scan, const struct kt_callee_of *callee);

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
