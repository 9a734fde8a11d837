/*
 * Choosing by energy. A search goes by time; those that come into the last comparison have their energy measured, and the
 * choice is made from costs that are used in the place of times (select.h).
 */
#ifndef KT_PLANNING_PLAN_ENERGY_H
#define KT_PLANNING_PLAN_ENERGY_H

#include "planning/plan_internal.h"

/* The time in ns, the energy in nJ, or the product in J ns. */
double kt_energy_cost(enum kt_goal goal, double ns, double joules);
/* Costs as timings: as noisy as the energy is uncertain, and where time counts as the times are besides. */
void kt_energy_costs(struct kt_timing *costs, enum kt_goal goal, const struct kt_timing *timings,
                     const struct kt_energy *energies, size_t count);
/* Sorts by time and keeps those that no other one is better than in one and as good as in the other; how many. */
size_t kt_energy_pareto(struct kt_energy_point *points, size_t count);
/*
 * (*out)[row × problems + problem], and of each row whether all of it was measured: time may end before the last one. Row 0
 * is the original. Fails where the device's counter cannot be used.
 */
kt_status kt_tuning_energies(struct kt_energy **out, bool *measured, struct kt_tuning *s,
                             const struct kt_candidate *candidates, const struct kt_timing *timings, size_t rows,
                             struct kt_error *err) KT_MUST_CHECK;

struct kt_energy_rows {
	size_t count;
	const struct kt_candidate *candidates;
	const struct kt_timing *timings;   /* [row × problems + problem] */
	const struct kt_energy *energies;
};
/* The energies of an entry. served: one per problem, the row that runs there. */
kt_status kt_tuning_energy_entry(struct kt_entry *entry, const struct kt_tuning *s, const struct kt_energy_rows *rows,
                                 const size_t *served, struct kt_error *err) KT_MUST_CHECK;

#endif
