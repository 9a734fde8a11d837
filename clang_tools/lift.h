/* From libclang's tree to the rules' own (generation/rules/tree.h). */
#ifndef KT_CLANG_LIFT_H
#define KT_CLANG_LIFT_H

#include "generation/rules/tree.h"
#include "unit.h"

/*
 * Reads the function that `cursor` of `unit`, one of the scan's, defines. `text` is the content of its file;
 * variables, tree and strings live in kernel->arena. Fills body, variables and
 * called. KT_ERR_INVALID when the body cannot be read at all.
 */
kt_status kt_lift(struct kt_kernel *kernel, struct kt_scan *scan, CXTranslationUnit unit, CXCursor cursor,
                  struct kt_error *err) KT_MUST_CHECK;

#endif
