/*
 * Sizes at which a program ran the original kernel, or at which a variant was slower than it, as the program printed them
 * under KTUNE_TRACE (docs/emission.md). They take part in a tuning as sizes that no problem lists (derived.h).
 */
#ifndef KT_PLANNING_TRACED_H
#define KT_PLANNING_TRACED_H

#include "base/region.h"

#define KT_TRACED_MOST 64 /* sizes of a region; further ones are left out */

struct kt_traced {
	size_t count;
	/* Those with most launches first, then in the order of the file. */
	struct kt_traced_size {
		int64_t values[KT_PROBLEM_VARIABLES];
		double launches;
	} sizes[KT_TRACED_MOST];
};

/*
 * Reads those of a region from `path`, which may hold whatever else the program printed, and several runs of it. Lines with
 * other variables than the region has, values below 1 or numbers out of range are no sizes. KT_ERR_MISSING, KT_ERR_IO and
 * KT_ERR_LIMIT name the file.
 */
kt_status kt_traced_read(struct kt_traced *out, const char *path, const struct kt_region *region,
                         struct kt_error *err) KT_MUST_CHECK;

#endif
