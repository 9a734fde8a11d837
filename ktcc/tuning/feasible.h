/* What a device allows: u(θ) ≤ r(device), each refusal with its name. */
#ifndef KT_TUNING_FEASIBLE_H
#define KT_TUNING_FEASIBLE_H

#include "tuning/term.h"

/* Why a configuration is refused, in the order of the checks; the first one that applies counts. */
#define KT_REFUSALS(X) \
	X(NONE, "") \
	X(GUARDS, "guards")                   /* on no problem do all guards hold */ \
	X(GEOMETRY, "geometry")               /* a geometry expression does not evaluate */ \
	X(BLOCK_EMPTY, "block-empty")         /* a block dimension below 1 */ \
	X(BLOCK, "block")                     /* a block dimension over the device's */ \
	X(THREADS, "threads")                 /* more threads than a block may have */ \
	X(GRID_EMPTY, "grid-empty")           /* a grid dimension below 1 */ \
	X(GRID, "grid")                       /* a grid dimension over the device's */ \
	X(SHARED_MEMORY, "shared-memory")     /* dynamic shared memory below 0 or over the opt-in limit */

enum kt_refusal {
#define KT_REFUSAL_ROW(id, name) KT_REFUSAL_##id,
	KT_REFUSALS(KT_REFUSAL_ROW)
#undef KT_REFUSAL_ROW
	KT_REFUSAL_COUNT
};
const char *kt_refusal_name(enum kt_refusal refusal);

struct kt_feasible;
/*
 * Binds guards and geometry of the template. `also_guards` are restrictions
 * that name a problem: they must hold together with the guards. The terms and
 * the space must outlive it.
 */
kt_status kt_feasible_open(struct kt_feasible **out, const struct kt_template *template_,
                           const struct kt_term_space *space, struct kt_term **also_guards, size_t also_count,
                           struct kt_error *err) KT_MUST_CHECK;
/* Judges one row on every problem where the guards hold. */
enum kt_refusal kt_feasible_judge(struct kt_feasible *feasible, const uint16_t *row);
void kt_feasible_close(struct kt_feasible *feasible); /* accepts NULL */

#endif
