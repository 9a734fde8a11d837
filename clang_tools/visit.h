/* The walk over the syntax tree that gathers what every later step looks up. */
#ifndef KT_CLANG_VISIT_H
#define KT_CLANG_VISIT_H

#include "unit.h"

kt_status kt_visit_unit(struct kt_scan *scan, struct kt_error *err) KT_MUST_CHECK;

#endif
