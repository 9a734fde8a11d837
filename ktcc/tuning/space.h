/*
 * The space of configurations: parameters with value lists, restrictions, and
 * what the device allows. Built by a constraint solver; the Cartesian product
 * is never walked and the configurations are never listed: they are the paths
 * of a decision diagram, which goes from index to configuration and back in
 * O(dimensions · log(values)).
 *
 * A configuration has three names: its *index* in [0, feasible), its *values*
 * (int64_t, one per parameter, as in the template), and its *row*: one rank for
 * each parameter, where rank 0 is the smallest value of the parameter's list. A
 * parameter without order (texts of a T1 file) ranks in the order of its list.
 */
#ifndef KT_TUNING_SPACE_H
#define KT_TUNING_SPACE_H

#include "base/device.h"
#include "base/template.h"
#include "tuning/rng.h"

#define KT_SPACE_MOST ((size_t)1 << 26) /* most feasible configurations of a space */

/*
 * Why a legal configuration is not feasible: rows with a name and a count above
 * 0. The names are those of KT_REFUSALS in tuning/feasible.h.
 */
struct kt_pruned {
	const char *reason;
	const char *text; /* what that means */
	int64_t count;
};

struct kt_space;

/*
 * Builds the legal set (restrictions) and the feasible set (device limits on
 * every problem where the guards hold). A restriction that names a problem
 * variable is a guard as well: a configuration is legal when it holds on at
 * least one problem, and feasible only if all guards hold together on one.
 * A parameter that is fixed takes its original value only. `device` NULL:
 * feasible = legal, and restrictions that name the device are not judged.
 * KT_ERR_INVALID when a restriction fails to evaluate (unknown name, or division
 * by zero on a configuration that all other restrictions allow), KT_ERR_LIMIT
 * when more than KT_SPACE_MOST are feasible or the diagram grows too large.
 * Template, instance and device must outlive the space. The order of
 * configurations is a function of the template and the device's limits alone.
 */
kt_status kt_space_build(struct kt_space **out, const struct kt_template *template_,
                         const struct kt_instance *instance, const struct kt_device *device, struct kt_error *err)
    KT_MUST_CHECK;
void kt_space_free(struct kt_space *space);

size_t kt_space_dimensions(const struct kt_space *space);
double kt_space_cartesian(const struct kt_space *space);
size_t kt_space_legal(const struct kt_space *space);
size_t kt_space_feasible(const struct kt_space *space);
size_t kt_space_pruned(const struct kt_pruned **out, const struct kt_space *space);
/*
 * When nothing is legal: a contradiction among the restrictions of which no part is one, as
 * indices into the template's restrictions (the conditions of a T1 file), ascending; else 0.
 */
size_t kt_space_conflict(const size_t **out, const struct kt_space *space);
/* Values of feasible configuration i, one per parameter; valid while the space lives. Not for two threads at once. */
const int64_t *kt_space_get(const struct kt_space *space, size_t index);
/* Index of a configuration; SIZE_MAX when it is not feasible. */
size_t kt_space_find(const struct kt_space *space, const int64_t *configuration);
/* Index of the original configuration; SIZE_MAX when it is not in the space. */
size_t kt_space_original(const struct kt_space *space);

/* Number of values of a parameter, legal or not; those that no feasible configuration has count as well. */
size_t kt_space_values(const struct kt_space *space, size_t dimension);
/* The value with that rank: ascending in rank; in the order of the list where the parameter is not ordered. */
int64_t kt_space_value(const struct kt_space *space, size_t dimension, size_t rank);
/* Has the parameter an order, so that "adjacent" and distances mean something? */
bool kt_space_ordered(const struct kt_space *space, size_t dimension);
/* Rank of a value; SIZE_MAX when the parameter has no such value. */
size_t kt_space_rank(const struct kt_space *space, size_t dimension, int64_t value);

/* Fills row (one rank a parameter) with configuration `index`. */
void kt_space_row(uint16_t *row, const struct kt_space *space, size_t index);
/* The index of a row; SIZE_MAX when it is not feasible (a rank out of range is not). */
size_t kt_space_at(const struct kt_space *space, const uint16_t *row);

enum kt_neighbourhood {
	/* One parameter has any other value. */
	KT_NEIGHBOUR_HAMMING,
	/*
	 * One parameter has the next smaller or larger value with which the configuration is
	 * feasible (values that are not are stepped over); any other value where it has no order.
	 */
	KT_NEIGHBOUR_ADJACENT,
};
/* Most neighbours that a configuration can have: room for kt_space_neighbours. */
size_t kt_space_neighbours_most(const struct kt_space *space);
/* Writes the indices of all neighbours, each once, by dimension, then by rank; returns how many. */
size_t kt_space_neighbours(size_t *out, const struct kt_space *space, size_t index,
                           enum kt_neighbourhood neighbourhood);

/*
 * Repair: the feasible configuration nearest to a row that may not be one; the
 * row itself where it is. A parameter that differs costs 1, plus the difference in
 * rank over the number of values where it is ordered: few parameters change, and
 * those by little. Ranks past the end count as the last. Ties go to the lowest
 * index. SIZE_MAX when the space is empty.
 */
size_t kt_space_nearest(const struct kt_space *space, const uint16_t *row);

#endif
