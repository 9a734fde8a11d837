/* ktcc-clang rewrite: templates by rules for every region of a unit (docs/protocol.md). */
#ifndef KT_CLANG_REWRITE_H
#define KT_CLANG_REWRITE_H

#include "unit.h"

/*
 * The reply. `strategies` is a comma-separated list of those that may be used, NULL: all. The scan is complete. NULL
 * with an error when there is no answer at all.
 */
cJSON *kt_rewrite(struct kt_scan *scan, const char *strategies, struct kt_error *err);

#endif
