/*
 * Testing: drives ktcc-runner. It verifies candidates against the original
 * kernel on every problem and times them. Everything is evaluated here
 * (counts, values, geometry); the runner only sees numbers. The protocol is
 * docs/protocol-runner.md. A runner that dies is started again and the
 * candidate it had marked.
 */
#ifndef KT_TESTING_TESTING_H
#define KT_TESTING_TESTING_H

#include "base/config.h"
#include "base/template.h"
#include "store/store.h"

struct kt_tester;

/* Starts the runner with the configured backend (a GPU, or a recording with config->replay). KT_ERR_MISSING: no device. */
kt_status kt_tester_open(struct kt_tester **out, const struct kt_config *config, struct kt_error *err) KT_MUST_CHECK;
void kt_tester_close(struct kt_tester *tester); /* accepts NULL */
const struct kt_device *kt_tester_device(const struct kt_tester *tester);
/*
 * The runner needs device code of its own (fill, compare, poison): kernels.cu
 * compiled by the user's nvcc for this device. True when the backend wants it.
 */
bool kt_tester_wants_support(const struct kt_tester *tester);
kt_status kt_tester_support(struct kt_tester *tester, const char *cubin, struct kt_error *err) KT_MUST_CHECK;

/*
 * Prepares one region instance: buffers and scalars of every problem, the
 * original's cubin and geometry; runs the original for the references.
 * KT_ERR_INVALID: arguments cannot be built, or the original fails; the message says which.
 */
kt_status kt_tester_region(struct kt_tester *tester, const struct kt_template *template_,
                           const struct kt_instance *instance, const char *cubin, const char *function,
                           struct kt_error *err) KT_MUST_CHECK;

struct kt_candidate {
	const char *cubin, *function;
	const int64_t *configuration;
};

/* How carefully to time: the paper's 20 + 100, or less during search. */
struct kt_effort {
	int64_t warmups, repetitions;
	double give_up_ns; /* stop a problem when the first samples' median is above; 0: never */
};

/* What happened to one candidate on one problem is a kt_trial. */
struct kt_outcome {
	enum kt_verdict verdict;     /* the worst over all problems */
	int64_t registers, local_bytes, shared_bytes, occupancy_blocks;
	struct kt_trial *trials;     /* one a problem, arena */
};

/* Verifies on every problem and, when right, times on every problem. Never fails because of the candidate. */
kt_status kt_tester_try(struct kt_outcome *out, struct kt_arena *arena, struct kt_tester *tester,
                        const struct kt_candidate *candidate, const struct kt_effort *effort, const double *give_up_ns,
                        struct kt_error *err) KT_MUST_CHECK;
/* Times candidates and the baseline (candidate NULL cubin) interleaved, problem by problem: timings[candidate][problem]. */
kt_status kt_tester_compare(struct kt_timing *timings, struct kt_arena *arena, struct kt_tester *tester,
                            const struct kt_candidate *candidates, size_t count, const struct kt_effort *effort,
                            struct kt_error *err) KT_MUST_CHECK;
/* The traffic-matched copy floor of each problem: ns for moving the region's bytes once (reads + writes). */
kt_status kt_tester_floor(double *floor_ns, struct kt_tester *tester, const struct kt_effort *effort,
                          struct kt_error *err) KT_MUST_CHECK;
/* Wall seconds the runner was busy since the tester was opened. */
double kt_tester_busy_seconds(const struct kt_tester *tester);

/* Default tolerances per element type (docs/verification.md). */
void kt_tolerance_default(double *absolute, double *relative, enum kt_scalar scalar);

#endif
