/* The kernel that a pragma is of where it is not above it: kernel(ns::name), a single launch. */
#ifndef KT_CLANG_PRAGMA_KERNEL_H
#define KT_CLANG_PRAGMA_KERNEL_H

#include "unit.h"

/* Its first declaration in the unit's text, or in another file; KT_NO_ITEM: there is none, and a diagnostic tells why. */
size_t kt_pragma_kernel(struct kt_scan *scan, const struct kt_pragma *pragma, uint32_t text_at);

/*
 * pragma_launch.c: makes regions of kernels of those whose pragma is above a single launch of a kernel that has no other
 * pragma, and whose names are clear as names of the kernel. The others stay launch regions.
 */
void kt_pragmas_of_launches(struct kt_scan *scan);
/* The launch that such a pragma is above, which tells geometry and values before others do; else the first one. */
size_t kt_launch_first(const struct kt_found *found);

#endif
