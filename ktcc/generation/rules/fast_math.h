/* Fast math: the device's approximations where the region's tolerance allows them (fast_math.c). */
#ifndef KT_RULES_FAST_MATH_H
#define KT_RULES_FAST_MATH_H

#include "generation/rules/family.h"

/*
 * Changes arithmetic in place: runs after the search for loops, in front of the strategies that move statements. False: nothing
 * to change.
 */
bool kt_rule_fast_math(struct kt_family *family);
/* The choice of it, once the template exists. */
void kt_rule_fast_math_parameter(struct kt_family *family);


/* The place of a function in the table of those that have an approximation; −1: it is none. */
int kt_fast_function_of(const char *name);

/* fast_find.c: a division, a call that has an approximation; is there one in the function, or in one that it calls? */
bool kt_fast_is_division(const struct kt_kernel *kernel, const struct kt_tree *node);
bool kt_fast_is_function(const struct kt_tree *node);
bool kt_fast_gains(const struct kt_kernel *kernel, unsigned depth);
/* Where a small error may become a large one; NULL: nowhere. */
const struct kt_tree *kt_fast_breaks(struct kt_family *family);

#endif
