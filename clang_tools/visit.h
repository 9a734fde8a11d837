/* The walk over the syntax tree that gathers what every later step looks up. */
#ifndef KT_CLANG_VISIT_H
#define KT_CLANG_VISIT_H

#include "unit.h"

/* From the token after the declaration before it (";", "}", "{" or a directive), but not before `least`. */
uint32_t kt_widen_begin(const struct kt_text *text, uint32_t begin, uint32_t least);
/* After a ";" that follows. */
uint32_t kt_widen_end(const struct kt_text *text, uint32_t end);
kt_status kt_visit_unit(struct kt_scan *scan, struct kt_error *err) KT_MUST_CHECK;
/* Adds what device code skips, from scan->host_unit. */
kt_status kt_visit_host(struct kt_scan *scan, struct kt_error *err) KT_MUST_CHECK;

#endif
