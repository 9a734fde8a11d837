/* Template arguments that are not written: from the types of parameters and of what is passed for them. */
#ifndef KT_CLANG_DEDUCE_H
#define KT_CLANG_DEDUCE_H

#include "unit.h"

/*
 * Compares a parameter's type ("const T *") with another spelling of it ("const float *x", where a name may follow) and puts
 * the value of names[i] into values[i], in the arena; a value that is there already must be the
 * same. False: the two do not fit, and values may hold what fitted so far.
 */
bool kt_deduce(struct kt_scan *scan, const char *pattern, const char *concrete, const char *const *names,
               const char **values, size_t count);

#endif
