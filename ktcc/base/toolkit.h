/* The folders of a CUDA toolkit, wherever it was installed from: NVIDIA's installer, conda, PyPI, a distribution. */
#ifndef KT_BASE_TOOLKIT_H
#define KT_BASE_TOOLKIT_H

#include "base/arena.h"

/*
 * Where the toolkit below a root keeps its headers: "include", or "include" of a target ("targets/x86_64-linux") where
 * the root is shared with other packages. In the arena; NULL: there is no toolkit (or out of memory).
 */
char *kt_toolkit_headers(struct kt_arena *arena, const char *root);
/*
 * A library of the toolkit below a root, "libnvrtc.so": that file, or one of a version ("libnvrtc.so.12") where a
 * package has no other. In the arena; NULL: it is not there (or out of memory).
 */
char *kt_toolkit_library(struct kt_arena *arena, const char *root, const char *name);

#endif
