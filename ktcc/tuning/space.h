/*
 * The space of configurations: parameters with value lists, restrictions, and
 * what the device allows. Built by a backtracking constraint solver; the
 * Cartesian product is never walked.
 */
#ifndef KT_TUNING_SPACE_H
#define KT_TUNING_SPACE_H

#include "base/device.h"
#include "base/template.h"

/*
 * Why a legal configuration is not feasible: rows with a name and a count above
 * 0. "guards" (hold together on no problem), "geometry" (does not evaluate),
 * "block-empty", "block", "threads", "grid-empty", "grid", "shared-memory".
 */
struct kt_pruned {
	const char *reason;
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
 * when more configurations are legal than can be kept. Template, instance and
 * device must outlive the space. The order of configurations is a function of
 * the template and the device's limits alone.
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
/* Values of feasible configuration i, one a parameter; valid while the space lives. Not for two threads at once. */
const int64_t *kt_space_get(const struct kt_space *space, size_t index);
/* Index of a configuration; SIZE_MAX when it is not feasible. */
size_t kt_space_find(const struct kt_space *space, const int64_t *configuration);
/* Index of the original configuration; SIZE_MAX when it is not in the space. */
size_t kt_space_original(const struct kt_space *space);

#endif
