/* The functions of the original kernel among those that a compiler made. */
#ifndef KT_TUNING_ORIGINAL_H
#define KT_TUNING_ORIGINAL_H

#include "base/region.h"

/*
 * Fills out with the indices into names: of the instance's kernel, of a launch region one per step (at most KT_STEPS).
 * The symbol decides (base/symbol.h), so that kernels of other namespaces and overloads are never taken. False: one is
 * not there, or several could be meant.
 */
bool kt_original_find(size_t *out, const char *const *names, size_t count, const struct kt_region *region,
                      const struct kt_instance *instance);

#endif
