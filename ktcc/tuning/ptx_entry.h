/* One kernel of a PTX text, with the functions and the data that it refers to, and nothing else of its module. */
#ifndef KT_TUNING_PTX_ENTRY_H
#define KT_TUNING_PTX_ENTRY_H

#include "base/arena.h"
#include "base/buf.h"

struct kt_ptx_module;

/* Reads a text that kt_ptx_normalise made, which must outlive the module. Allocated in arena. */
kt_status kt_ptx_open(struct kt_ptx_module **out, struct kt_arena *arena, const char *ptx, size_t size,
                      struct kt_error *err) KT_MUST_CHECK;
/* The names of its kernels, in the order of the text. */
size_t kt_ptx_kernels(const char *const **names, const struct kt_ptx_module *module);
/*
 * Appends a kernel and, in the order in which they are first named, everything it refers to. Names that a compiler
 * numbers over a module (labels, string constants, local memory) are numbered again, so that the rest of the module
 * has no effect. Several kernels may follow each other; numbers start again for each.
 */
kt_status kt_ptx_extract(struct kt_buf *out, struct kt_ptx_module *module, size_t kernel, struct kt_error *err)
    KT_MUST_CHECK;
/*
 * The same with the names of all that the module defines numbered, too, and without their linkage: two kernels that differ by
 * what they, their functions and their variables are called, by `static`, or by the order of a function's arrays in shared
 * memory alone have one text.
 */
kt_status kt_ptx_extract_unnamed(struct kt_buf *out, struct kt_ptx_module *module, size_t kernel,
                                 struct kt_error *err) KT_MUST_CHECK;

#endif
