/* What a device allows: u(θ) ≤ r(device), each refusal with its name. */
#ifndef KT_TUNING_FEASIBLE_H
#define KT_TUNING_FEASIBLE_H

#include "tuning/bind.h"

/* Why a configuration is refused before it is compiled, in the order of the checks;
 * the first one that applies counts. */
#define KT_REFUSALS(X) \
	X(NONE, "", "") \
	X(GUARDS, "guards", "on no problem do all guards hold") \
	X(GEOMETRY, "geometry", "a geometry expression has no value") \
	X(BLOCK_EMPTY, "block-empty", "a block dimension is below 1") \
	X(BLOCK, "block", "a block dimension is over the device's") \
	X(THREADS, "threads", "a block has more threads than the device allows") \
	X(GRID_EMPTY, "grid-empty", "a grid dimension is below 1") \
	X(GRID, "grid", "a grid dimension is over the device's") \
	X(SHARED_MEMORY, "shared-memory", "dynamic shared memory is below 0 or over the device's opt-in limit") \
	X(TEMPORARIES, "temporaries", "memory of the plan's own is below 0 or over its part of the device's")

enum kt_refusal {
#define KT_REFUSAL_ROW(id, name, text) KT_REFUSAL_##id,
	KT_REFUSALS(KT_REFUSAL_ROW)
#undef KT_REFUSAL_ROW
	KT_REFUSAL_COUNT
};
const char *kt_refusal_name(enum kt_refusal refusal);
const char *kt_refusal_text(enum kt_refusal refusal);

/*
 * The node whose value is the enum kt_refusal of a configuration, judged on every
 * problem where the guards hold; limits that the device record lacks (0) allow everything.
 * `also_guards` are restrictions that name a problem: they must hold together with the
 * guards. A guard that does not evaluate turns its launch away, as it would at run time.
 */
kt_status kt_feasible_verdict(kt_node *out, const struct kt_bind *bind, const struct kt_template *template_,
                              const struct kt_clause_expr *const *also_guards, size_t also_count,
                              struct kt_error *err) KT_MUST_CHECK;

#endif
