/*
 * Derived shapes: launches that no problem lists, as programs have them. For
 * each variable there are values between the listed ones, below and above them,
 * 1, one more and one less, a prime, and multiples of 2 and 4 alone
 * (testing/sizes.h); of several variables each steps through these at a speed of
 * its own, so that few shapes have many pairs. One more is small and a multiple
 * of 4 in all variables, and one is 1 in all. Sizes at which a program ran the
 * original come before all of these (traced.h). A function of region, device and
 * those sizes.
 *
 * A configuration *covers* a shape where its guards and its restrictions over
 * variables hold there, which needs no device: elsewhere a launch goes to
 * another variant or to the original.
 */
#ifndef KT_PLANNING_DERIVED_H
#define KT_PLANNING_DERIVED_H

#include "planning/traced.h"
#include "testing/check.h"
#include "tuning/space.h"

#define KT_DERIVED_FIRST 13      /* most that are derived from the problems */
#define KT_DERIVED_MOST 30       /* with those that are added later */
#define KT_DERIVED_TRACED_MOST 8 /* of them those that a program has launched */

struct kt_derived {
	struct kt_subject subject;
	double bytes_most, flops_most;    /* of one of them */
	size_t count;
	size_t traced;                    /* the first of them come from a program */
	int64_t values[KT_DERIVED_MOST][KT_PROBLEM_VARIABLES];
	size_t nearest[KT_DERIVED_MOST];  /* the listed problem that is nearest, in ratio over all variables */
	int64_t bytes[KT_DERIVED_MOST];   /* of all buffers */
	int64_t *listed;                  /* likewise of each problem in the list; NULL where there are no shapes */
};

/*
 * The shapes of a region instance: possible launches of the original, none of them listed, none with more than twice
 * the bytes or operations of the largest listed problem, or an eighth of the device's memory. None without variables.
 * `traced` (NULL: none): those with most launches are taken however many bytes they have, within the memory.
 * Template, instance and device outlive it.
 */
kt_status kt_derived_make(struct kt_derived *out, struct kt_arena *arena, const struct kt_template *template_,
                          const struct kt_instance *instance, const struct kt_device *device,
                          const struct kt_traced *traced, struct kt_error *err) KT_MUST_CHECK;
/* One more, with values that the caller has chosen. False, and nothing is changed: no launch, too large, or known. */
bool kt_derived_add(struct kt_derived *derived, const int64_t *values);
/*
 * The original cannot be run on this shape: the nearest one to `values` takes its place that keeps what the listed problems
 * share of the variables in `of` (a bit each), which is what divides all values of one and which of two is never larger (a
 * row's pitch, the groups of channels). False, and nothing is changed: there is none, or it is among the shapes already.
 */
bool kt_derived_replace(struct kt_derived *derived, size_t shape, const int64_t *values, uint32_t of);
/* One of them as a launch; its values are those of `derived`. */
struct kt_check kt_derived_check(const struct kt_derived *derived, size_t shape);
/* A bit for each shape that the configuration covers. */
uint32_t kt_derived_covers(const struct kt_derived *derived, const int64_t *configuration);
/* What the configurations of a space cover, of which many are asked, spread evenly over it. */
struct kt_coverage {
	size_t asked, most;  /* configurations; shapes that a single one of them covers */
	size_t widest;       /* configurations that cover that many */
	uint32_t covers;     /* of the first of those: a bit for each shape */
	size_t index;        /* which it is */
};
void kt_derived_coverage(struct kt_coverage *out, const struct kt_derived *derived, const struct kt_space *space);
/* Of a problem given by one value per variable: the nearest of `count` others, rows of as many values. */
size_t kt_derived_nearest(const int64_t *values, const int64_t *others, size_t count, size_t variables);

#endif
