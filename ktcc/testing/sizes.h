/*
 * The sizes of one problem variable that checks have, from what the template
 * says about it: which parameters cut it, and at which widths.
 */
#ifndef KT_TESTING_SIZES_H
#define KT_TESTING_SIZES_H

#include "testing/check.h"

#define KT_SIZES 160        /* most of a variable */
#define KT_SIZES_TELLING 4  /* of these, in front: what says most; the others only cover */

struct kt_sizes {
	bool related;     /* does an expression say which parameters cut the variable? */
	int64_t multiple; /* of all widths that are small enough */
	size_t count;
	int64_t v[KT_SIZES];
};

/* Most telling first: 1, a prime, and ±1 around multiples of the widths. */
void kt_sizes_make(struct kt_sizes *out, const struct kt_subject *subject, size_t variable);
/* The least value that the variable has in a tuning problem; INT64_MAX without any. */
int64_t kt_sizes_least_tuned(const struct kt_region *region, size_t variable);
/* The vector widths and tiles that cut the variable, at most `most`. */
size_t kt_sizes_widths(int64_t *widths, size_t most, const struct kt_subject *subject, size_t variable);

#endif
