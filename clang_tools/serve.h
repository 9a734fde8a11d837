/* `ktcc-clang serve`: requests about one source file, a line of JSON each (docs/protocol.md, "serve"). */
#ifndef KT_CLANG_SERVE_H
#define KT_CLANG_SERVE_H

#include "unit.h"

/* Answers until standard input ends; the exit code. */
int kt_serve(const struct kt_scan_options *options);

#endif
