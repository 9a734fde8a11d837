/* Macro definitions: those of the project and of the command line, and the toolkit's version. */
#ifndef KT_CLANG_MACROS_H
#define KT_CLANG_MACROS_H

#include "unit.h"

/* Adds a definition found in a file; those of system headers are left out, except CUDA_VERSION. */
void kt_macro_add(struct kt_scan *scan, CXCursor cursor);
/* Adds what -D defines. */
void kt_macros_from_arguments(struct kt_scan *scan);

#endif
