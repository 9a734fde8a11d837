/* The kernel that a pragma names: kernel(ns::name), for headers in which no pragma can be written. */
#ifndef KT_CLANG_PRAGMA_KERNEL_H
#define KT_CLANG_PRAGMA_KERNEL_H

#include "unit.h"

/* Its first declaration in the unit's text, or in another file; KT_NO_ITEM: there is none, and a diagnostic tells why. */
size_t kt_pragma_kernel(struct kt_scan *scan, const struct kt_pragma *pragma, uint32_t text_at);

#endif
