/*
 * The backtracking solver behind a space: assigns parameters in the order in
 * which restrictions bind them and checks each restriction as soon as its last
 * parameter has a value.
 */
#ifndef KT_TUNING_SOLVER_H
#define KT_TUNING_SOLVER_H

#include "tuning/term.h"

#define KT_SOLVER_STEPS ((uint64_t)1 << 32) /* most assignments tried for one space */

struct kt_solver;
/*
 * Binds the restrictions. Those that name the device are left out while there
 * is none. The space must outlive the solver. KT_ERR_INVALID for an unknown name.
 */
kt_status kt_solver_open(struct kt_solver **out, const struct kt_term_space *space,
                         const struct kt_clause_expr *restrictions, size_t count, struct kt_error *err)
    KT_MUST_CHECK;
/* The restrictions that name a problem variable; valid while the solver lives. */
size_t kt_solver_guards(struct kt_term ***out, const struct kt_solver *solver);

/* Called with each legal row, an index per parameter in the order of the template; anything but KT_OK stops. */
typedef kt_status (*kt_solver_found)(const uint16_t *row, void *context, struct kt_error *err);
/*
 * Walks every legal row. A restriction that names a problem variable holds when
 * it holds on at least one problem. KT_ERR_INVALID when a restriction does not
 * evaluate on a row that all others allow, KT_ERR_LIMIT after KT_SOLVER_STEPS.
 */
kt_status kt_solver_run(struct kt_solver *solver, kt_solver_found found, void *context, struct kt_error *err)
    KT_MUST_CHECK;
void kt_solver_close(struct kt_solver *solver); /* accepts NULL */

#endif
