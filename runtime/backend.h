/*
 * What a backend does for the runner, and the requests and replies as records.
 * The protocol loop (main.c) reads a request into one of these records
 * (messages.h), asks the backend, and writes the reply. CUDA and recordings
 * implement this interface; further devices do the same.
 *
 * All memory in requests and replies belongs to the arena of the message.
 */
#ifndef KT_RUNTIME_BACKEND_H
#define KT_RUNTIME_BACKEND_H

#include "base/device.h"
#include "base/template.h"
#include "base/trial.h"

#define KT_RUN_ARGUMENTS 256  /* most kernel arguments */
#define KT_RUN_CANDIDATES 64  /* most candidates of one comparison */
#define KT_RUN_SAMPLES 10000  /* most repetitions and warm-ups */
#define KT_RUN_BUFFERS 64     /* most buffers of a region */
#define KT_RUN_PARTS 64       /* most parts of their elements, without the first of each */
#define KT_RUN_CONSTANTS KT_CONSTANTS_WATCHED
#define KT_RUN_SYMBOL_BYTES ((int64_t)4 << 30) /* largest device symbol */
#define KT_RUN_PROBLEMS (KT_PROBLEMS + 256) /* tuning problems and checks */
#define KT_RUN_PATTERNS 3     /* copy patterns of the bandwidth measurement */
#define KT_RUN_POINTS 24      /* most sizes of one pattern */
#define KT_ULP_BINS 36        /* equal, then powers of two; the last holds everything beyond */

/* A number or a pointer in an argument that is a structure or a vector. */
struct kt_run_member {
	size_t offset;
	bool is_buffer;
	size_t buffer;
	enum kt_scalar element;
};

/*
 * A kernel argument: a buffer by index, local memory of the launch's
 * shared_bytes (OpenCL), a scalar's bits, as wide as its element, or a structure, zero outside its members.
 */
struct kt_run_argument {
	bool is_buffer, is_local;
	size_t buffer;
	enum kt_scalar element;
	size_t bytes;          /* of a structure; 0: it is none */
	size_t member_count;
	struct kt_run_member *members;
	size_t first_value;    /* where in kt_run_problem.values those of the members begin */
};
#define KT_RUN_MEMBERS KT_MEMBERS
#define KT_RUN_ARGUMENT_BYTES KT_ARGUMENT_BYTES /* of all structures together */

struct kt_limits {
	double absolute, relative;
};

struct kt_run_buffer {
	const char *name;
	const struct kt_element *element;
	enum kt_direction direction;
	const struct kt_limits *limits; /* one a part of the element */
	size_t further; /* the result of the element's second part, if it has one, is this one of KT_RUN_PARTS */
	/* A device symbol, as libclang mangles it (kt_symbol_variable), and all of its bytes; NULL: memory of the launch. */
	const char *symbol;
	size_t symbol_bytes;
};

struct kt_run_data {
	int64_t count; /* elements */
	enum kt_fill_kind kind;
	double a, b;
	const struct kt_fill *whole; /* choice: with all of its numbers; else NULL or the same */
	const unsigned char *contents; /* of a file: the numbers, one after the other (contents.c); else NULL */
	const struct kt_fill *fills; /* of the element's parts, one each; NULL: kind, a and b hold for all */
	uint64_t seed;
	size_t offset; /* bytes after an address aligned to 256; 0 of a device symbol */
	size_t alias;  /* the earlier buffer, or the device symbol, whose memory this is; KT_NO_ALIAS */
};
#define KT_NO_ALIAS SIZE_MAX

struct kt_run_problem {
	const char *text;          /* "rows=16 d=4096" */
	struct kt_run_data *data;  /* one per buffer */
	uint64_t *values;          /* one per argument: a scalar's bits, 0 for buffers; then those of members */
	struct kt_geometry geometry;
	struct kt_geometry *further; /* of the steps after the first, one each */
	int64_t read_bytes, write_bytes; /* what one call has to move */
	bool check;                /* verified, never timed; after all that are timed */
	double *host_values;       /* one per parameter of the host reference; 0 for buffers; NULL without one */
};

/* One of the kernels of an original that runs several in sequence. */
struct kt_run_step {
	const char *function; /* NULL for a recording */
	size_t argument_count;
	size_t *arguments;    /* of the region's, in the kernel's order; NULL: all */
};
#define KT_RUN_STEPS KT_STEPS

struct kt_run_region {
	const char *name, *instance;
	const char *cubin, *function; /* the original; may be NULL for a recording */
	const char *options;          /* of the compiler where cubin is source text (OpenCL); "" */
	double limit_s;               /* longest wait for one step on the device */
	bool once;                    /* run by a tool: see "--once" in docs/protocol-runner.md */
	size_t argument_count, buffer_count, problem_count;
	size_t value_count; /* of arguments and members together */
	struct kt_run_argument *arguments;
	struct kt_run_buffer *buffers;
	struct kt_run_problem *problems;
	/* The original of a launch region; 0: it is `function` with all arguments. */
	size_t step_count;
	struct kt_run_step *steps;
	/* Variables in device memory that no kernel may change, as kt_run_buffer.symbol; programs need not have them. */
	size_t constant_count;
	const char **constants;
	/* A program that computes the outputs in double precision (docs/protocol-runner.md, "Host reference"), or NULL. */
	const char *host_program;
	size_t host_count;
	int64_t *host_buffers;        /* one per parameter of its function: a buffer, -1 for a number */
};

/* Private memory of a candidate: its kernels get the address after the region's arguments. */
struct kt_run_temporary {
	const char *name;
	enum kt_scalar element;
};
#define KT_RUN_TEMPORARIES KT_TEMPORARIES

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

struct kt_run_effort {
	int64_t warmups, repetitions;
	bool hot;      /* one set of buffers, no sweep */
	uint64_t seed; /* of the order in a comparison */
	int64_t companions; /* processes of the client's own that use the device beside this one */
	bool screen;   /* a first look: one run on one row, then a few launches of each problem (screen.c) */
};

/* How far one output was from the reference. */
struct kt_run_ulp {
	const char *buffer;
	double largest;   /* absolute error among finite elements */
	uint64_t index;   /* where it is */
	uint64_t counts[KT_ULP_BINS];
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
	struct kt_run_ulp *ulp; /* one an output */
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

/* What a copy takes, by what it moves. */
struct kt_run_point {
	uint64_t bytes; /* read and written together */
	double median_ns, deviation_ns;
};

struct kt_run_curve {
	const char *name;
	size_t count;
	struct kt_run_point points[KT_RUN_POINTS];
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
