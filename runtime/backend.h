/*
 * What a backend does for the runner, and candidates and replies as records.
 * The protocol loop (main.c) reads a request into its record (messages.h),
 * asks the backend, and writes the reply. CUDA and recordings
 * implement this interface; further devices do the same.
 *
 * All memory in requests and replies belongs to the arena of the message.
 */
#ifndef KT_RUNTIME_BACKEND_H
#define KT_RUNTIME_BACKEND_H

#include "base/device.h"
#include "base/runner_reply.h"
#include "base/runner_request.h"
#include "base/trial.h"

#define KT_RUN_CANDIDATES 64  /* most candidates of one comparison */
#define KT_RUN_SAMPLES 10000  /* most repetitions and warm-ups */
#define KT_RUN_PARTS 64       /* most parts of their elements, without the first of each */
#define KT_RUN_PATTERNS 3     /* copy patterns of the bandwidth measurement */
#define KT_RUN_POINTS 24      /* most sizes of one pattern */
#define KT_ULP_BINS 36        /* equal, then powers of two; the last holds everything beyond */

struct kt_run_candidate {
	const char *configuration; /* "BLOCK=256 VEC=8"; "" for the original */
	const char *cubin, *function; /* NULL cubin: the original */
	const char *options;          /* as in kt_run_region */
	struct kt_geometry *geometry; /* one per problem; NULL with the original */
	double *give_up_ns;           /* one per problem; 0: never */
	double *lost_ns;              /* likewise, in a first look: what is slower there is not timed on further problems */
	size_t *order;                /* of a first look, one per problem; NULL: as they come */
	bool *skip;                   /* one per problem: not to be run */
	/* Kernels after `function` that count as one with it; messages give them all arguments. */
	size_t further_count;
	struct kt_run_step *further;
	struct kt_geometry **further_geometry; /* one per problem, of one each */
	size_t temporary_count;
	struct kt_run_temporary *temporaries;
	int64_t **temporary_counts; /* elements: one per problem, of one each; 0 where it is skipped */
};


/* The device around a measurement: [0] before, [1] after. */
struct kt_run_conditions {
	bool known, throttled;
	unsigned sm_mhz[2], memory_mhz[2], celsius[2], watts[2];
	uint64_t reasons; /* for the clocks, as NVML numbers them, before or after */
	unsigned repeats; /* measurements thrown away as throttled */
};

/* What a try found besides its trial, one per problem. */
struct kt_run_notes {
	struct kt_ulp *ulp; /* one an output */
	size_t ulp_count;
	struct kt_run_conditions conditions;
};

struct kt_run_outcome {
	enum kt_verdict verdict;
	int64_t registers, local_bytes, shared_bytes, occupancy_blocks;
	struct kt_trial *trials; /* one per problem */
	struct kt_run_notes *notes; /* one per problem */
	bool fatal;              /* the device context is lost: reply, then exit */
};

/* One item per problem: was it prepared, and if not, why. */
struct kt_run_prepared {
	bool skipped, nondeterministic;
	bool by_host; /* the detail is about the host reference */
	const char *detail;
};

/* Where a runner's time goes; the rest is reading and writing messages, and waiting for them. */
enum kt_run_phase {
	KT_PHASE_PREPARE, /* what the original does on each problem */
	KT_PHASE_LOAD,    /* programs of candidates, and whether they can be launched */
	KT_PHASE_VERIFY,
	KT_PHASE_TIME,
	KT_PHASE_DEVICE,  /* looks at clocks, temperature, other processes */
	KT_PHASE_COMPILE, /* the driver's compiler, where there is one; part of no other phase */
	KT_RUN_PHASES
};

/* Why a request failed for good. */
struct kt_run_failure {
	bool fatal;
	size_t problem; /* that is to blame; SIZE_MAX: none */
};

struct kt_run_curve {
	const char *name;
	size_t count;
	struct kt_curve_point points[KT_RUN_POINTS];
};

/* What one launch uses up; launches 0: it was not measured. */
struct kt_run_energy {
	double joules;
	double error;     /* relative, of joules: largest deviation in either direction */
	double seconds;   /* that was measured */
	int64_t launches; /* in them */
	int64_t steps;    /* of the counter in them */
};

struct kt_backend {
	const char *name;
	bool measures_energy; /* the device has a counter: `energy` may be asked */
	bool wants_support;
	const char *date; /* when the answers were recorded; NULL: they are made now */
	void *state;
	const struct kt_device *device;
	kt_status (*support)(void *state, const char *cubin, struct kt_error *err);
	/* prepared: one item per problem, allocated by the caller. */
	kt_status (*region)(struct kt_run_prepared *prepared, struct kt_run_failure *failure, void *state,
	                    struct kt_arena *arena, const struct kt_run_region *region, struct kt_error *err);
	/* trials and notes: allocated by the caller. */
	kt_status (*try_candidate)(struct kt_run_outcome *out, void *state, struct kt_arena *arena,
	                           const struct kt_run_candidate *candidate, const struct kt_run_effort *effort,
	                           struct kt_error *err);
	/* timings[candidate × problems + problem] and conditions[problem], allocated by the caller. */
	kt_status (*compare)(struct kt_timing *timings, struct kt_run_conditions *conditions,
	                     struct kt_run_failure *failure, void *state, struct kt_arena *arena,
	                     const struct kt_run_candidate *candidates, size_t count,
	                     const struct kt_run_effort *effort, struct kt_error *err);
	/* energies[candidate × problems + problem], allocated by the caller; each takes most_s at most. */
	kt_status (*energy)(struct kt_run_energy *energies, struct kt_run_failure *failure, void *state,
	                    struct kt_arena *arena, const struct kt_run_candidate *candidates, size_t count, double most_s,
	                    struct kt_error *err);
	/* copy_ns: one per problem, 0 where it was not measured. */
	kt_status (*copy)(double *copy_ns, struct kt_run_failure *failure, void *state,
	                   const struct kt_run_effort *effort, struct kt_error *err);
	/* curves[KT_RUN_PATTERNS]; a pattern without points cannot be copied. NULL: not at all. */
	kt_status (*copy_curves)(struct kt_run_curve *curves, struct kt_run_failure *failure, void *state,
	                        const struct kt_run_effort *effort, uint64_t largest_bytes, struct kt_error *err);
	/* What a launch of an empty kernel takes in this process, timed as all others are; 0: not known. May be NULL. */
	double (*launch_ns)(void *state);
	/* Seconds by phase since the last call. May be NULL. */
	void (*spent)(double out[KT_RUN_PHASES], void *state);
	/* What the user should hear once; NULL: nothing new. May be NULL. */
	const char *(*warning)(void *state);
	void (*close)(void *state);
};

/* Backends. The arena lives as long as the runner. */
kt_status kt_cuda_open(struct kt_backend *out, struct kt_arena *arena, int ordinal, struct kt_error *err)
    KT_MUST_CHECK;
/* ordinal: of all OpenCL devices, GPUs first, then accelerators, then CPUs. */
kt_status kt_opencl_open(struct kt_backend *out, struct kt_arena *arena, int ordinal, struct kt_error *err)
    KT_MUST_CHECK;
kt_status kt_replay_open(struct kt_backend *out, struct kt_arena *arena, const char *path, struct kt_error *err)
    KT_MUST_CHECK;

#endif
