/* From libclang's tree to the rules' own (generation/rules/tree.h). */
#ifndef KT_CLANG_LIFT_H
#define KT_CLANG_LIFT_H

#include "generation/rules/tree.h"
#include "libclang.h"

/*
 * Reads the function that `cursor` of `unit` defines. `text` is the content of its file;
 * variables, tree and strings live in kernel->arena. Fills body, variables and
 * called. KT_ERR_INVALID when the body cannot be read at all.
 */
kt_status kt_lift(struct kt_kernel *kernel, CXTranslationUnit unit, CXCursor cursor,
                  struct kt_error *err) KT_MUST_CHECK;

#endif
