/*
 * Testing: drives ktcc-runner. It verifies candidates against the original
 * kernel on every problem and on checks (cases.h), and times them. Everything
 * is evaluated here (counts, values, geometry); the runner only sees numbers.
 * The protocol is docs/protocol-runner.md. A runner that dies is started again
 * and the candidate it had marked. While the runner measures, the device is
 * locked against other processes that do the same (device_lock.h).
 */
#ifndef KT_TESTING_TESTING_H
#define KT_TESTING_TESTING_H

#include "base/config.h"
#include "base/runner_reply.h"
#include "base/template.h"
#include "store/store.h"

struct kt_tester;

/* How many of a region's checks a candidate is run on. */
enum kt_checks { KT_CHECKS_NONE, KT_CHECKS_QUICK, KT_CHECKS_ALL };

/* Called again and again while a reply of the runner is waited for. */
typedef void kt_meanwhile(void *state);

/*
 * Starts the runner with the configured backend (a GPU, or a recording with config->replay); `run` (NULL: nothing) is
 * called while the device is opened. KT_ERR_MISSING: no device.
 */
kt_status kt_tester_open(struct kt_tester **out, const struct kt_config *config, kt_meanwhile *run, void *state,
                         struct kt_error *err) KT_MUST_CHECK;
/* The same of another device of this machine: number `ordinal` as the backend counts them. */
kt_status kt_tester_open_other(struct kt_tester **out, const struct kt_config *config, int ordinal,
                               struct kt_error *err) KT_MUST_CHECK;
void kt_tester_close(struct kt_tester *tester); /* accepts NULL */
const struct kt_device *kt_tester_device(const struct kt_tester *tester);
/*
 * The runner needs private device code (fill, compare, poison): kernels.cu
 * compiled by the user's nvcc for this device. True when the backend wants it.
 */
bool kt_tester_wants_support(const struct kt_tester *tester);
kt_status kt_tester_support(struct kt_tester *tester, const char *cubin, struct kt_error *err) KT_MUST_CHECK;

/*
 * From now on `run` is called during waits for replies, so that other work (compilers) goes on while the device is
 * busy or a driver takes down what a candidate has broken. NULL: nothing.
 */
void kt_tester_meanwhile(struct kt_tester *tester, kt_meanwhile *run, void *state);

/*
 * Launches of one kernel differ from process to process by a constant, which an empty kernel shows
 * (docs/verification.md). Given what that took in the process whose times are on record for this device, all times and
 * copy bandwidth bounds from here on are those that process would have measured; no time changes by more than 15 % of
 * launch_ns. 0: as they are measured.
 */
void kt_tester_set_reference(struct kt_tester *tester, double launch_ns);
/* What an empty kernel took in the runner that answered last; 0: not known. */
double kt_tester_launch_ns(const struct kt_tester *tester);

/*
 * Prepares one region instance: buffers and scalars of every problem and check,
 * the original's cubin and geometry; runs the original for the references.
 * Checks that the original cannot be run on are left out. Template, instance
 * and names live until the next region. `function` is the original's name in
 * the cubin; of a launch region the names of its kernels, a blank between two.
 * KT_ERR_INVALID: arguments cannot be built, or the original fails; the message names which.
 */
kt_status kt_tester_region(struct kt_tester *tester, const struct kt_template *template_,
                           const struct kt_instance *instance, const char *cubin, const char *function,
                           struct kt_error *err) KT_MUST_CHECK;
/* The same with one check only, given as its text (check.h), in the place of all problems. */
kt_status kt_tester_region_check(struct kt_tester *tester, const struct kt_template *template_,
                                 const struct kt_instance *instance, const char *cubin, const char *function,
                                 const char *check, struct kt_error *err) KT_MUST_CHECK;
/*
 * The program that computes the outputs of the regions that are prepared from now on (tuning/reference.h): where the
 * original is not within the tolerance of it on a tuning problem the region is refused, and candidates are compared
 * with it. Where it disagrees on a check, or cannot be had there, the original is the reference. NULL: none. The text
 * lives until it is replaced.
 */
void kt_tester_set_host(struct kt_tester *tester, const char *program);
/* Was the last region refused for its host reference: could not be run, or disagrees? */
bool kt_tester_blames_host(const struct kt_tester *tester);
/* Checks of the region that was prepared; and those that are not run, since the original cannot be run on them. */
size_t kt_tester_checks(const struct kt_tester *tester);
size_t kt_tester_dropped(const struct kt_tester *tester);

struct kt_candidate {
	const char *cubin, *function;
	const int64_t *configuration;
};

/* How carefully to time: the paper's 20 + 100, or less during search. */
struct kt_effort {
	int64_t warmups, repetitions;
	double give_up_ns; /* stop a problem when the first samples' median is above; 0: never */
	enum kt_checks checks;
	uint64_t seed;     /* of the order in a comparison */
	/*
	 * A first look at a candidate: one run of one of the checks, the one that has refuted most candidates of this
	 * region so far, then `repetitions` launches of each problem. One that may win has to be tried again without it.
	 */
	bool screen;
	/*
	 * Of a first look, one for each tuning problem: the order in which they are timed, and times above which the candidate
	 * has lost, so that the later problems are skipped (detail KT_TRIAL_LOST); 0: never. NULL: all are timed.
	 */
	const size_t *order;
	const double *lost_ns;
};


/* One problem or check, as `ktcc verify` shows it. */
struct kt_row {
	const char *problem; /* the text of the problem or check */
	bool check;
	enum kt_verdict verdict;
	const char *detail;  /* NULL: none */
	size_t ulp_count;
	struct kt_ulp *ulp;
};

/* What happened to one candidate on one problem is a kt_trial. */
struct kt_outcome {
	enum kt_verdict verdict;     /* the worst over all problems and checks */
	int64_t registers, local_bytes, shared_bytes, occupancy_blocks;
	/*
	 * One per tuning problem, arena. Where a check failed, problems that were right and not timed have its verdict and
	 * its detail; a problem that a guard keeps the candidate off is KT_VERDICT_SKIPPED.
	 */
	struct kt_trial *trials;
	const char *failed;          /* the text of the problem or check that failed; NULL: none */
	size_t row_count;
	struct kt_row *rows;         /* tuning problems, then checks */
	bool ended_runner;           /* the runner had to be started again */
	bool unanswered;             /* it did not answer within the client's limit */
	bool screened;               /* a first look: right on one check, and timed */
};

/* Verifies on every problem and on checks and, when right, times on every problem.
 * Never fails because of the candidate. */
kt_status kt_tester_try(struct kt_outcome *out, struct kt_arena *arena, struct kt_tester *tester,
                        const struct kt_candidate *candidate, const struct kt_effort *effort, const double *give_up_ns,
                        struct kt_error *err) KT_MUST_CHECK;
/*
 * The same in two steps, so that the runner has its next request at hand while replies are read: `begin` asks, `end` waits
 * for the reply to whatever was asked first. At most KT_TESTER_AHEAD are under way; nothing else may be asked meanwhile.
 * What the candidate's and the thresholds' pointers lead to lives until its `end`. A candidate that ends the runner costs
 * the others nothing: they are asked about again.
 */
enum { KT_TESTER_AHEAD = 2 };
kt_status kt_tester_begin(struct kt_arena *arena, struct kt_tester *tester, const struct kt_candidate *candidate,
                          const struct kt_effort *effort, const double *give_up_ns, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_tester_end(struct kt_outcome *out, struct kt_arena *arena, struct kt_tester *tester, struct kt_error *err)
    KT_MUST_CHECK;
/* May one more be begun? After others not while another process waits for the device. */
bool kt_tester_may_begin(const struct kt_tester *tester);
size_t kt_tester_begun(const struct kt_tester *tester); /* how many are under way */
/* Would kt_tester_end return at once? Nothing is under way: no. */
bool kt_tester_answers(const struct kt_tester *tester);
/* To wait for that; negative: nowhere. */
int kt_tester_fd(const struct kt_tester *tester);
/* Gives up what is under way: the runner ends with it. */
void kt_tester_abandon(struct kt_tester *tester);
/* Times candidates and the baseline (candidate NULL cubin) interleaved,
 * problem by problem: timings[candidate][problem]. */
kt_status kt_tester_compare(struct kt_timing *timings, struct kt_arena *arena, struct kt_tester *tester,
                            const struct kt_candidate *candidates, size_t count, const struct kt_effort *effort,
                            struct kt_error *err) KT_MUST_CHECK;
/* What one launch uses up, and by how much that may be off, relative; joules 0: not measured. */
struct kt_energy {
	double joules, error;
};
/* Does the driver count the device's energy? */
bool kt_tester_measures_energy(const struct kt_tester *tester);
/*
 * Energies of candidates that were verified, and of the baseline (candidate NULL cubin): energies[candidate][problem], each
 * measured for most_s at most, three times that where the counter moves rarely. KT_ERR_CHILD: among others, the counter
 * does not move often enough; the message has the cause.
 */
kt_status kt_tester_energy(struct kt_energy *energies, struct kt_tester *tester, const struct kt_candidate *candidates,
                           size_t count, double most_s, struct kt_error *err) KT_MUST_CHECK;
/* How the device was in all comparisons since the last call; all 0: it does not tell. */
struct kt_stability kt_tester_stability(struct kt_tester *tester);
/* The copy bandwidth bound of each problem, traffic-matched: ns for moving the region's bytes once (reads + writes). */
kt_status kt_tester_copy(double *copy_ns, struct kt_tester *tester, const struct kt_effort *effort,
                          struct kt_error *err) KT_MUST_CHECK;
/*
 * Verifies on the largest problem that memory, `limit_s` of the original's time and `most_s` of wall time allow: the
 * first by its times on the tuning problems (`baseline`, one each; 0: not known), the last by what setting up, running
 * and comparing took so far for each byte. It grows in steps, each of which fits by the time measured for the one
 * before; where time ended it the detail states it. Candidates that come one after the other share what the first one
 * grew to. The tuning problems are prepared again by whatever is asked next. The verdict is KT_VERDICT_SKIPPED with a
 * reason where nothing larger than they can be run, and where the runner does not answer in time: that is no
 * candidate's fault, for the runner has separate limits for kernels.
 */
kt_status kt_tester_largest(struct kt_row *out, struct kt_arena *arena, struct kt_tester *tester,
                            const struct kt_candidate *candidate, const struct kt_timing *baseline, double limit_s,
                            double most_s, struct kt_error *err) KT_MUST_CHECK;

/* ---- shapes.c: other launches than the region's problems, verified and timed in the same manner */
/*
 * Prepares such launches of the region that was prepared, which come in the place of its problems until something is
 * asked about those again. ran[i]: it is there; else why[i] is what the original did on it, in arena. Both have
 * `count` members. KT_ERR_LIMIT: it took longer than limit_s.
 */
struct kt_check;
kt_status kt_tester_shapes(bool *ran, const char **why, struct kt_arena *arena, struct kt_tester *tester,
                           const struct kt_check *shapes, size_t count, double limit_s, struct kt_error *err)
    KT_MUST_CHECK;
/* As kt_tester_try, on those that are there alone: rows and trials are theirs, in their order. */
kt_status kt_tester_shapes_try(struct kt_outcome *out, struct kt_arena *arena, struct kt_tester *tester,
                               const struct kt_candidate *candidate, const struct kt_effort *effort,
                               struct kt_error *err) KT_MUST_CHECK;
/* As kt_tester_compare: timings[candidate × those that are there + shape]. */
kt_status kt_tester_shapes_compare(struct kt_timing *timings, struct kt_tester *tester,
                                   const struct kt_candidate *candidates, size_t count, const struct kt_effort *effort,
                                   struct kt_error *err) KT_MUST_CHECK;

/* Needs support, no region. KT_ERR_INVALID: the backend has none. */
kt_status kt_tester_copy_curves(struct kt_curve **out, size_t *count, struct kt_arena *arena, struct kt_tester *tester,
                               struct kt_error *err) KT_MUST_CHECK;

/* The uses of its time that a runner reports; the rest of its busy seconds is communication. */
enum kt_spent {
	KT_SPENT_PREPARE, /* the original on each problem, and what is known of it afterwards */
	KT_SPENT_LOAD,    /* programs of candidates */
	KT_SPENT_VERIFY,
	KT_SPENT_TIME,
	KT_SPENT_DEVICE,  /* looks at clocks, temperature and other processes */
	KT_SPENT_COMPILE, /* OpenCL: the driver's compiler, at builds and first launches; part of no other */
	KT_SPENT
};
/* "verify" */
const char *kt_spent_name(enum kt_spent spent);

/* Wall seconds the runner was busy since the tester was opened. */
double kt_tester_busy_seconds(const struct kt_tester *tester);
/* The seconds of each kind since the tester was opened; the tester's. All 0 with a recording. */
const double *kt_tester_spent(const struct kt_tester *tester);
/* Wall seconds that this process waited for others who measured on the device. */
double kt_tester_waited_seconds(const struct kt_tester *tester);
/* How often the runner was started. */
size_t kt_tester_starts(const struct kt_tester *tester);

/* Default tolerances per element type (docs/verification.md). */
void kt_tolerance_default(double *absolute, double *relative, enum kt_scalar scalar);

#endif
