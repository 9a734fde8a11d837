/*
 * The values of one problem variable that no problem lists: those of checks,
 * from the template's expressions (which parameters cut it, and at which
 * widths), and those that finalists are timed on, from the listed values alone.
 */
#ifndef KT_TESTING_SIZES_H
#define KT_TESTING_SIZES_H

#include "testing/check.h"

#define KT_SIZES 160        /* most of a variable */
#define KT_SIZES_TELLING 4  /* of these, the first ones: the most telling; the others only cover */

struct kt_sizes {
	bool related;     /* does an expression name parameters that cut the variable? */
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

/*
 * How an unlisted value relates to the listed ones. Their number is prime, so that variables which step through them at
 * different speeds give different pairs (planning/derived.c).
 */
enum kt_size_kind {
	KT_SIZE_LISTED,   /* the value of the problem that it is asked for */
	KT_SIZE_WHOLE,    /* in the widest gap, a multiple of what divides all listed values, no power of two */
	KT_SIZE_ODD,      /* in the middle of the widest gap, in ratio, and odd */
	KT_SIZE_BELOW,    /* far below the smallest, and odd */
	KT_SIZE_ONE,
	KT_SIZE_ABOVE,    /* half as much again as the largest */
	KT_SIZE_MORE,     /* the largest and one */
	KT_SIZE_LESS,     /* the smallest less one; of 1 the largest less one */
	KT_SIZE_PRIME,    /* between the smallest and the middle of the widest gap */
	KT_SIZE_TWOS,     /* between that middle and the largest; a multiple of 2, not of 4 */
	KT_SIZE_FOURS,    /* half of the smallest; a multiple of 4, not of 8 */
	KT_SIZE_KINDS
};
/* What divides all listed values of a variable, at most 256 where it is even; at least 1. */
int64_t kt_sizes_unit(const struct kt_region *region, size_t variable);
/* At least 1. KT_SIZE_LISTED is the value of `problem`. */
int64_t kt_sizes_unlisted(const struct kt_region *region, size_t variable, enum kt_size_kind kind, size_t problem);

#endif
