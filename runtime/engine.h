/*
 * What is the same for every device: where buffers are, and in which order a
 * candidate is run, looked at, compared and timed. A backend implements
 * struct kt_ops; nothing here knows CUDA or OpenCL.
 *   place.c      where the buffers of a problem are
 *   parts.c      elements that are several numbers
 *   verify.c     runs
 *   judge.c      verdicts
 *   held.c       references that stay on the device
 *   stale.c      runs that find what an earlier launch left
 *   after.c      the look at everything after timing
 *   reference.c  runs of the original
 *   timing.c     timing, comparison, the copy bandwidth bound
 *   temporaries.c  candidates with private memory
 *   chain.c      kernels that run in sequence
 *   engine.c     requests
 *
 * Device memory of a region, one allocation ("the field"):
 *
 *   [ set 0 ][ set 1 ] … [ set N−1 ][ snapshot ][ staging ]
 *
 * A set holds every buffer of a problem with zones on both sides. Each run of
 * a verification takes the next set and another shift of them all; timing goes
 * through all of them, so that what a launch reads is not in the cache. The
 * snapshot keeps a candidate's first outputs, staging the reference while it is
 * compared with. All problems share the field.
 *
 * A function that touches the device fails with KT_ERR_CHILD; *fault then tells
 * which verdict that is and whether the device can still be used.
 */
#ifndef KT_RUNTIME_ENGINE_H
#define KT_RUNTIME_ENGINE_H

#include "data.h"

#define KT_ZONE_BYTES 1024       /* least on each side of a buffer */
#define KT_CHECK_ZONE_BYTES 32768 /* the same on checks, of other sizes than a kernel was written for and never timed */
#define KT_FAR_BYTES ((size_t)256 << 10) /* most of the other set of a check that is looked at as well */
#define KT_BUFFER_ALIGN 256      /* least, of each buffer, as a separate allocation would have */
#define KT_SETS 64               /* most sets of one problem */
#define KT_BATCH 64              /* most launches of one batch */
#define KT_LAUNCHES 2000         /* launches of an empty kernel that are remembered */
#define KT_LAUNCH_BATCH 10       /* of them in one batch: as many as a kernel has in its turn of a comparison */
#define KT_SHIFTS 16             /* of all sets by the alignment, round and round */
#define KT_REFERENCE_BYTES ((size_t)4 << 30) /* most host memory for references */
#define KT_ZONES (2 * KT_RUN_BUFFERS)

/*
 * A place in device memory: an offset in the field, or with n + 1 in the upper
 * byte an offset in the n-th separate buffer (kt_ops.lone), or in what is held
 * (kt_ops.hold).
 */
typedef uint64_t kt_at;
#define KT_AT_SHIFT 56
#define KT_AT_OFFSET (((kt_at)1 << KT_AT_SHIFT) - 1)
#define KT_AT_HELD ((kt_at)(KT_RUN_BUFFERS + 1) << KT_AT_SHIFT)
#define KT_PAGES 8 /* most looks whose results are in transfer at a time */

/* A kernel that can be launched; a backend keeps what it needs to know of it. */
struct kt_function {
	void *handle;
	void *module; /* whose kernel it is: where its device symbols are */
	size_t most_threads, fixed_block[3]; /* [0] 0: any block */
	int64_t registers, local_bytes, shared_bytes;
};

/* One launch: of a kernel, or of a copy where function is NULL. */
struct kt_run_launch {
	const struct kt_function *function;
	const struct kt_geometry *geometry;
	const uint64_t *values; /* one an argument, then one a member: kt_run_problem.values */
	const kt_at *at;        /* one per buffer; a copy: to, from */
	const size_t *bytes;    /* one per buffer; a copy: written, read */
	unsigned shape;         /* of a copy, below kt_engine.shapes; of nothing, below kt_engine.empty_shapes */
	const size_t *arguments; /* which of the region's the kernel gets, in its order; NULL: all of them */
	size_t argument_count;
	/* What runs after it and counts as one with it, on the same buffers: function, geometry, arguments.
	 * NULL: nothing. */
	const struct kt_run_launch *then;
};

/* A table of zones, as it goes to the device. */
struct kt_zones {
	uint64_t count;
	struct {
		uint64_t offset, bytes;
	} zone[KT_ZONES];
};

/* The device at one moment. */
struct kt_health {
	unsigned sm_mhz, memory_mhz, celsius, watts;
	uint64_t reasons;  /* for the clocks, as NVML numbers them */
	unsigned processes; /* that compute on the device, this one included */
};

struct kt_fault {
	enum kt_verdict verdict;
	bool fatal;
};

/*
 * What a backend does. Functions that change or read memory may queue; they
 * happen in order, and `wait` waits for all of them. Results have a slot a
 * buffer, one for zones, and one for each further part of the elements of a buffer.
 */
struct kt_ops {
	/* Bytes the field may have; it may be asked again while there is a field. */
	kt_status (*budget)(size_t *bytes, void *device, struct kt_error *err);
	/* A field of at least `bytes` bytes; its content is lost when it grows. */
	kt_status (*reserve)(void *device, size_t bytes, struct kt_error *err);
	/* `count` separate buffers in place of those before. */
	kt_status (*lone)(void *device, const size_t *bytes, size_t count, struct kt_error *err);
	/*
	 * Memory apart from the field, at KT_AT_HELD: content is lost. KT_ERR_LIMIT: there is not as much to spare. May
	 * be NULL.
	 */
	kt_status (*hold)(void *device, size_t bytes, struct kt_error *err);
	/* Host memory that is good for copies; content is lost. */
	kt_status (*host_memory)(unsigned char **out, void *device, size_t bytes, struct kt_error *err);
	/* original: stays until the next original. Others stay until `release`. */
	kt_status (*load)(struct kt_function *out, void *device, const char *path, const char *options,
	                  const char *function, bool original, struct kt_error *err);
	void (*release)(void *device);
	/*
	 * The constants of the region that the kernel's program has: `remember` reads what they hold, `changed` looks whether
	 * they still do. *name is that of one that does not, which then holds it again; NULL: none. Both or neither may
	 * be NULL.
	 */
	kt_status (*remember)(void *device, const struct kt_function *function, struct kt_error *err);
	kt_status (*changed)(const char **name, void *device, struct kt_error *err);
	/* Makes sure that this geometry can be launched. */
	kt_status (*admit)(void *device, const struct kt_function *function, const struct kt_geometry *geometry,
	                   struct kt_error *err);
	/* Blocks that fit on a multiprocessor; −1: unknown. */
	int64_t (*occupancy)(void *device, const struct kt_function *function, const struct kt_geometry *geometry);

	/* The numbers of one part of the elements of the buffer at that place: data->count of them. */
	kt_status (*fill)(void *device, kt_at at, const struct kt_lanes *lanes, const struct kt_run_data *data,
	                  struct kt_error *err);
	/* Of `sets` sets at the distance `stride`, alike. */
	kt_status (*poison)(void *device, kt_at at, size_t bytes, size_t stride, size_t sets, uint64_t seed,
	                    struct kt_error *err);
	/* Zones of `sets` sets at the distance `stride`: writes them, or counts damage into the last slot. */
	kt_status (*zones)(void *device, bool check, kt_at at, size_t stride, size_t sets, const struct kt_zones *zones,
	                   uint64_t seed, struct kt_error *err);
	/* Adds to the slot's digest what is in each of `sets` sets at the distance `stride`. */
	kt_status (*digest)(void *device, size_t slot, kt_at at, size_t bytes, size_t stride, size_t sets,
	                    struct kt_error *err);
	/* Likewise, of two buffers. want_host: used instead of want where it is not NULL, which it is but with kt_engine.host_reads. */
	kt_status (*compare)(void *device, size_t slot, kt_at got, kt_at want, const void *want_host, size_t count,
	                     const struct kt_lanes *lanes, const struct kt_data_tolerance *tolerance, struct kt_error *err);
	kt_status (*copy)(void *device, kt_at to, kt_at from, size_t bytes, struct kt_error *err);
	/* As kt_data_mask; there where there is `hold`. */
	kt_status (*mask)(void *device, kt_at to, kt_at from, size_t bytes, uint64_t seed, struct kt_error *err);
	kt_status (*upload)(void *device, kt_at to, const void *from, size_t bytes, struct kt_error *err);
	kt_status (*download)(void *device, void *to, kt_at from, size_t bytes, struct kt_error *err);
	kt_status (*clear)(void *device, struct kt_error *err);
	/* The results as they are by then, on this page of the host's (kt_engine.pages); it is there after `wait`. */
	kt_status (*keep)(void *device, size_t page, struct kt_error *err);
	/* Until nothing at all runs on the device. */
	kt_status (*wait)(void *device, double limit_s, struct kt_error *err);

	/*
	 * Launches. A buffer that is a device symbol is, at its place and for as long as the symbol is, what the symbol of
	 * the launched program holds before, and what it has left there afterwards; arguments that are at the same place get
	 * the symbol's address. A program without it leaves the place alone. Where ns is not NULL it gets the launch's
	 * time, and nothing at all runs on the device any more; else the launch may be queued only, and what is queued
	 * later happens after it and after all that it launches itself.
	 */
	kt_status (*run)(double *ns, void *device, const struct kt_run_launch *launch, double limit_s,
	                 struct kt_error *err);
	/*
	 * The next `run`, and no other, has work beside it that slows parts of the device down and not others, at most for
	 * ns; which ones depends on `number`. That work is under way before the run begins, when what was queued before is
	 * done, and ends with it. Nothing may be queued between the two. May be NULL.
	 */
	kt_status (*disturb)(void *device, uint64_t number, double ns, struct kt_error *err);
	/*
	 * Launches back to back and waits likewise; all of them are of one kernel, and device symbols hold what the first
	 * launch has at their places, and leave at the places of all what is there after the last. samples (NULL:
	 * warm-up) gets the time of each in ns, host_ns the time of all by the host's clock.
	 */
	kt_status (*batch)(double *samples, double *host_ns, void *device, const struct kt_run_launch *launches,
	                   size_t count, bool sweep, double limit_s, struct kt_error *err);
	/* Lets the caches forget what one candidate asked them to keep. May be NULL. */
	kt_status (*settle)(void *device, struct kt_error *err);
	/* False: the device does not tell. May be NULL. */
	bool (*health)(struct kt_health *out, void *device);
	/* What the device has used up since the driver was loaded; likewise. */
	bool (*energy)(uint64_t *millijoules, void *device);
};

/* One buffer of a problem. */
struct kt_span {
	size_t at, bytes; /* in its set */
	size_t kept;      /* outputs: offset in snapshot, staging and reference */
	size_t leader;    /* the buffer whose memory it is: itself, except of an alias, for which nothing below counts */
	enum kt_direction direction; /* of the memory: what its aliases do as well */
	const struct kt_run_data *data;
	struct kt_limits *limits;    /* one a part of its elements, widened to the original's own spread */
	uint64_t input_digest;
	uint64_t output_digest;      /* of the candidate that was verified last, first run */
	uint64_t held_digest;        /* of the reference as it is held */
};

/* What the memory held where nothing was written yet. */
struct kt_marks {
	uint64_t poison, zone;
};

struct kt_place {
	struct kt_span *spans; /* one per buffer */
	struct kt_zones *zones;
	size_t kept_bytes;     /* all outputs */
	size_t touched;        /* of the stride: without zones that fill it up */
	size_t stride, sets, snapshot, staging;
	unsigned char *reference; /* host; NULL: made again when it is needed */
	/* The same on the device, apart from the field and masked with `mask`; 0: it is not there. */
	kt_at held;
	uint64_t mask;
	struct kt_marks reference_marks, first_marks; /* first: of the candidate's first run */
	double original_ns;    /* of one launch, roughly */
	bool usable, nondeterministic, has_inout;
	bool host_failed;      /* the host reference could not be had, or the original disagrees with it */
	const char *unusable;  /* why it is not */
	/* Where aliases share memory: the same data in separate buffers, for one run of the original. Else NULL. */
	const struct kt_place *apart;
};

/* A kernel with its geometries. */
struct kt_launchable {
	struct kt_function function;
	const struct kt_geometry *geometry; /* one per problem */
	const bool *skip;                   /* one per problem; NULL: none */
	/* The original of a launch region: as in kt_run_launch; `then` is one per problem. */
	const size_t *arguments;
	size_t argument_count;
	const struct kt_run_launch *const *then;
};

/* What timing left, for the comparison after it. */
struct kt_timed {
	size_t used;  /* number of sets that were launched on, from the first */
	size_t ready; /* sets that are filled; two where there are two */
	double median_ns;
	bool alike;   /* all outputs that were looked at in between were those of the first run */
};

struct kt_engine {
	const struct kt_ops *ops;
	void *state; /* of the backend */
	struct kt_fault *fault;
	struct kt_device device;
	size_t align;          /* of buffers */
	size_t large_align;    /* of those that are as large as that, on problems that are timed; 0: as of all */
	size_t cache_bytes;    /* sets pass three times this */
	bool offsets;          /* buffers can begin after an aligned address */
	bool local_arguments;  /* kernels can take local memory as an argument */
	bool sequences;        /* kt_run_launch.then is followed */
	bool symbols;          /* buffers can be device symbols */
	bool host_reads;       /* comparing with host memory needs no staging */
	bool equal_copies;     /* a copy writes as much as it reads */
	unsigned shapes;       /* of copies */
	unsigned empty_shapes; /* of copies of nothing, where they are kernels that do nothing; 0: they are not */
	double least_limit_s;  /* of a launch, however quick the original is */
	double first_limit_s;  /* of a launch with which some drivers compile; 0: as any other */
	double launch_slack_ns, batch_slack_ns; /* of the host's clock */
	double health_age_s;   /* for so long a look at a healthy device holds: looking takes as long as many launches */
	/* From here on the engine's own. */
	size_t field_bytes, shift;
	size_t used[KT_SETS];               /* shift + 1 under which a set was launched on; 0: not */
	uint64_t runs, poisons; /* so far: no two are alike */
	uint64_t salt;          /* of the seeds of all data; 0 except in a run with other data */
	bool disturbed;         /* what is launched now runs on a disturbed device, where the backend has that */
	unsigned char *references;
	const struct kt_run_region *region; /* NULL: none; memory belongs to its message */
	struct kt_place *places;            /* one per problem */
	/* While a candidate has private memory: the region and the places as they were prepared. NULL: as they are. */
	const struct kt_run_region *prepared_region;
	struct kt_place *prepared_places;
	struct kt_launchable original;
	double limit_s;
	struct kt_result (*pages)[KT_SLOTS]; /* KT_PAGES, of the backend's; [KT_PAGES - 1] is kt_verify_fetch's */
	const struct kt_result *results;     /* the page that is looked at */
	size_t page;                         /* the next one that is free */
	double pending_s;                    /* limits of the launches that are queued */
	kt_at at[KT_SETS][KT_RUN_BUFFERS];  /* of the problem that is timed */
	size_t bytes[KT_RUN_BUFFERS];
	double host_s[2];      /* that host references of this region have taken: on tuning problems, on checks */
	bool told_processes;
	struct kt_health health; /* as last seen, and when; 0: not yet */
	double health_s;
	double spent_s[KT_RUN_PHASES]; /* since they were last told */
	double compiled_s;             /* by the backend's driver, within the phase under way; the backend adds to it */
	const char *warning;
	double launches[KT_LAUNCHES];     /* times of an empty kernel, the newest over the oldest */
	size_t launch_count, launch_next; /* how many there are; where the next one goes */
};

/* ---- engine.c */
/* The functions of kt_backend over an engine that its backend has opened. */
void kt_engine_backend(struct kt_backend *out, struct kt_engine *engine);
/* A launch of it on this problem; the places are the caller's. */
struct kt_run_launch kt_engine_launch(const struct kt_engine *e, const struct kt_launchable *what, size_t problem,
                                      const kt_at *at, const size_t *bytes);

/* The elapsed time since then belongs to this phase, without what the driver's compiler took of it. */
void kt_engine_spent(struct kt_engine *e, enum kt_run_phase phase, double since_s);

/* ---- chain.c */
/* Kernels after the first one of a program, with a geometry of each for each problem. */
struct kt_chain {
	const char *program, *options;
	const struct kt_run_step *steps;
	size_t count;
	struct kt_geometry *const *geometry; /* one per problem, of one each */
	bool original;
};
/* The indices 0 to count - 1: for a kernel that gets all arguments. NULL: out of memory. */
const size_t *kt_chain_arguments(struct kt_arena *arena, size_t count);
/* Loads them, and makes a chain of them for each problem, after the kernel that *out has. */
kt_status kt_chain_load(struct kt_launchable *out, struct kt_engine *e, struct kt_arena *arena,
                        const struct kt_chain *further, struct kt_error *err) KT_MUST_CHECK;
/* The steps of the region's original after the first. */
kt_status kt_chain_steps(struct kt_engine *e, struct kt_arena *arena, const struct kt_run_region *region,
                         struct kt_error *err) KT_MUST_CHECK;
/* Makes sure that every kernel of it can be launched on this problem. */
kt_status kt_chain_admit(struct kt_engine *e, const struct kt_launchable *what, size_t problem, struct kt_error *err)
    KT_MUST_CHECK;

/* ---- place.c */
/*
 * Places every problem, reserves the field and the host's references. A
 * problem that does not fit is marked in prepared; KT_ERR_INVALID when none
 * but checks is left.
 */
kt_status kt_place_region(struct kt_run_prepared *prepared, struct kt_engine *e, struct kt_arena *arena,
                          const struct kt_run_region *region, struct kt_error *err) KT_MUST_CHECK;
/*
 * Places every problem once more, for a region that is e->region with more scratch after its buffers: what is known of
 * the original is taken over from `known`. Grows the field where it must; where it cannot, the field is left unmodified.
 * KT_ERR_CHILD, the fault's verdict over-limit: a problem that is `asked` does not fit.
 */
kt_status kt_place_again(struct kt_engine *e, struct kt_arena *arena, const struct kt_place *known, const bool *asked,
                         struct kt_error *err) KT_MUST_CHECK;
/* Makes sure of a field of this number of bytes. */
kt_status kt_place_reserve(struct kt_engine *e, size_t bytes, struct kt_error *err) KT_MUST_CHECK;
/* A buffer's data in a set, under the current shift. */
kt_at kt_place_at(const struct kt_engine *e, size_t problem, size_t set, size_t buffer);
/* Places of a problem's buffers for a launch on this set; bytes are alike in all. */
void kt_place_set(kt_at *at, size_t *bytes, const struct kt_engine *e, size_t problem, size_t set);
static inline bool kt_is_output(enum kt_direction direction)
{
	return direction == KT_OUT || direction == KT_INOUT;
}
static inline bool kt_is_filled(enum kt_direction direction)
{
	return direction == KT_IN || direction == KT_INOUT;
}
/* Does this buffer speak for memory that is written? An alias speaks for none. */
static inline bool kt_span_is_output(const struct kt_place *place, size_t buffer)
{
	return place->spans[buffer].leader == buffer && kt_is_output(place->spans[buffer].direction);
}

/* ---- temporaries.c */
/*
 * Candidates have private memory: until kt_temporaries_leave the engine's region has it as scratch after its buffers,
 * as large as the candidate with the largest need asks, and after its arguments. Nothing for
 * candidates without, and where this fails. KT_ERR_CHILD, the fault's verdict over-limit: it does not fit where a
 * candidate is asked.
 */
kt_status kt_temporaries_enter(struct kt_engine *e, struct kt_arena *arena, const struct kt_run_candidate *candidates,
                               size_t count, struct kt_error *err) KT_MUST_CHECK;
void kt_temporaries_leave(struct kt_engine *e);

/* ---- parts.c */
/* What fills this part of the elements: its numbers, of data's elements. */
struct kt_run_data kt_parts_data(const struct kt_run_data *data, const struct kt_element *element, size_t part);
/* Zeros in the padding bytes of `count` elements: what a kernel leaves there has no meaning. */
kt_status kt_parts_clear_padding(struct kt_engine *e, size_t buffer, kt_at at, int64_t count, struct kt_error *err)
    KT_MUST_CHECK;
/* All parts and the padding of the buffer at that place. */
kt_status kt_parts_fill(struct kt_engine *e, size_t buffer, kt_at at, const struct kt_run_data *data,
                        struct kt_error *err) KT_MUST_CHECK;
/* Where the result of comparing this part is. */
size_t kt_parts_slot(const struct kt_engine *e, size_t buffer, size_t part);
/* What the page reports of all parts of a buffer together. */
struct kt_result kt_parts_result(const struct kt_engine *e, size_t buffer);
uint64_t kt_parts_numbers(const struct kt_engine *e, size_t problem, size_t buffer);
/* "index 7", "index 7 (w)": where the number with this index in results is. */
const char *kt_parts_index(const struct kt_element *element, struct kt_arena *arena, uint64_t index);

/* ---- verify.c */
/* Marks of a run: other ones than any before, and zones of the other kind than those of the run before. */
struct kt_marks kt_verify_marks(struct kt_engine *e);
/* A seed of poison that was never used. */
uint64_t kt_verify_poison(struct kt_engine *e);
/* Fills inputs, poisons outputs and writes the zones of one set. */
kt_status kt_verify_reset(struct kt_engine *e, size_t problem, size_t set, struct kt_marks marks,
                          struct kt_error *err) KT_MUST_CHECK;
/* Resets and launches; waits where ns is not NULL. */
kt_status kt_verify_run(double *ns, struct kt_engine *e, const struct kt_launchable *what, size_t problem, size_t set,
                        struct kt_marks marks, double limit_s, struct kt_error *err) KT_MUST_CHECK;
/* Queues poison for the outputs of these sets. */
kt_status kt_verify_poison_outputs(struct kt_engine *e, size_t problem, size_t set, size_t sets, uint64_t poison,
                                   struct kt_error *err) KT_MUST_CHECK;
/* Queues poison for the outputs of every set that something ran on. */
kt_status kt_verify_wipe_sets(struct kt_engine *e, size_t problem, struct kt_error *err) KT_MUST_CHECK;
/* The same, and for the snapshot: right results must not lie about for the next candidate. */
kt_status kt_verify_wipe(struct kt_engine *e, size_t problem, struct kt_error *err) KT_MUST_CHECK;
/* As kt_verify_run, on a set that is ready. While e->disturbed is set it has kt_ops.disturb beside it. */
kt_status kt_verify_launch(double *ns, struct kt_engine *e, const struct kt_launchable *what, size_t problem,
                           size_t set, double limit_s, struct kt_error *err) KT_MUST_CHECK;
/* Queues digests of a set's buffers and the look at its zones, after clearing the results. */
kt_status kt_verify_look(struct kt_engine *e, size_t problem, size_t set, struct kt_marks marks, struct kt_error *err)
    KT_MUST_CHECK;
/*
 * On a check: makes a zone of what lies after the set, or before the last one, up to KT_FAR_BYTES of the set that
 * is not run on, or queues the look at it. Nothing else may have results there meanwhile.
 */
kt_status kt_verify_far(struct kt_engine *e, bool look, size_t problem, size_t set, struct kt_marks marks,
                        struct kt_error *err) KT_MUST_CHECK;
/* Copies a set's outputs to the snapshot's layout at `to`. */
kt_status kt_verify_keep(struct kt_engine *e, size_t problem, size_t set, kt_at to, struct kt_error *err) KT_MUST_CHECK;
/* Queues digests, one of each buffer of these sets that is an input, or is written. */
kt_status kt_verify_digest(struct kt_engine *e, size_t problem, size_t set, size_t sets, bool inputs, bool outputs,
                           struct kt_error *err) KT_MUST_CHECK;
/* Queues the look at the zones of some sets. */
kt_status kt_verify_zones(struct kt_engine *e, size_t problem, size_t set, size_t sets, struct kt_marks marks,
                          struct kt_error *err) KT_MUST_CHECK;
/*
 * Compares a set's outputs with the reference. One that is not on the host is
 * made again, which takes the set after this one.
 */
kt_status kt_verify_with_reference(struct kt_engine *e, size_t problem, size_t set, struct kt_marks marks,
                                   struct kt_error *err) KT_MUST_CHECK;
/* How a part of a buffer's elements is compared: outputs that held the poison of these marks before. */
struct kt_data_tolerance kt_verify_tolerance(const struct kt_engine *e, size_t problem, size_t buffer, size_t part,
                                             struct kt_marks got, struct kt_marks want, bool exact);
/* Compares a set's outputs with the snapshot, bit for bit or within the tolerance. */
kt_status kt_verify_with_snapshot(struct kt_engine *e, size_t problem, size_t set, bool exact,
                                  struct kt_marks got, struct kt_marks want, struct kt_error *err) KT_MUST_CHECK;
/* Queues the results for the next page, used for them only; e->pages[*page] has them after the wait. */
kt_status kt_verify_page(size_t *page, struct kt_engine *e, struct kt_error *err) KT_MUST_CHECK;
/* For all that is queued, as long as its launches may take. */
kt_status kt_verify_wait(struct kt_engine *e, struct kt_error *err) KT_MUST_CHECK;
/* Waits, with the results as they are now in e->results. */
kt_status kt_verify_fetch(struct kt_engine *e, struct kt_error *err) KT_MUST_CHECK;
/* Where the run with the newest marks takes place: another set than the run before, under another shift. */
size_t kt_verify_next_set(struct kt_engine *e, size_t problem);
/* Longest wait for a launch of a candidate. */
double kt_verify_limit(const struct kt_engine *e, size_t problem, bool first);

/* ---- runs.c */
/* A candidate on a problem. What is found goes to the verdict and the detail of the trial; detail NULL: it is right. */
struct kt_verification {
	struct kt_engine *e;
	struct kt_arena *arena;
	const struct kt_launchable *what;
	size_t problem;
	struct kt_trial *trial;
	struct kt_run_notes *notes; /* NULL: distances are not wanted */
};
/*
 * Verifies it. Fails only when the device does. other_data: also with data of other seeds, which takes a run of the
 * original.
 */
kt_status kt_verify_problem(const struct kt_verification *v, bool other_data, struct kt_error *err) KT_MUST_CHECK;
/* One run of one problem, compared with the reference: what a first look has. Otherwise as kt_verify_problem. */
kt_status kt_verify_once(const struct kt_verification *v, struct kt_error *err) KT_MUST_CHECK;

/* ---- judge.c: what the page reports that e->results is */
void kt_verify_found(const struct kt_verification *v, enum kt_verdict verdict, const char *detail);
/* About zones and inputs; where there is nothing the trial gets no detail and keeps its verdict. */
void kt_verify_surroundings(const struct kt_verification *v);
/* The first output whose comparison found something, or did not take place; else buffer_count. */
size_t kt_verify_wrong(const struct kt_engine *e, size_t problem);
/* "y: 3 wrong elements<when>, first at index 7, …" */
const char *kt_verify_describe(const struct kt_verification *v, size_t buffer, const char *when);
/* How far the outputs are from the reference. */
void kt_judge_distances(const struct kt_verification *v);

/* ---- held.c: references that stay on the device, masked, so that no candidate finds the right answer there */
/* After the references were made: holds those that the host has, all of them or none. */
kt_status kt_held_take(struct kt_engine *e, struct kt_error *err) KT_MUST_CHECK;
/* Queues the digest of what is held, into the outputs' slots. */
kt_status kt_held_digest(struct kt_engine *e, size_t problem, struct kt_error *err) KT_MUST_CHECK;
/* Is that digest on this page what the host knows it to be? True where nothing is held. */
bool kt_held_intact(const struct kt_engine *e, size_t problem, size_t page);
/* Puts there again what the host has. */
kt_status kt_held_restore(struct kt_engine *e, size_t problem, struct kt_error *err) KT_MUST_CHECK;

/* ---- stale.c */
/* Puts the right values of the first run into a set's outputs, except some elements, which stay poisoned. */
kt_status kt_stale_outputs(struct kt_engine *e, size_t problem, size_t set, struct kt_error *err) KT_MUST_CHECK;
/*
 * Queues a run at the addresses of the run before, with other data there, and the comparison with the original on that
 * data. *page has what it found; it is left unmodified where a problem has nothing of that kind.
 */
kt_status kt_stale_data(size_t *page, const struct kt_verification *v, struct kt_error *err) KT_MUST_CHECK;
void kt_stale_judge(const struct kt_verification *v, size_t page);

/* ---- after.c */
/* Are the digests of `sets` sets, which hold the same, those of the first run? */
bool kt_after_alike(const struct kt_engine *e, size_t problem, size_t sets);
/*
 * The look at all sets after timing, with the marks of the first run; then
 * most outputs are poisoned and written once more, and looked at again. The
 * problem was verified before.
 */
kt_status kt_verify_after(const struct kt_verification *v, const struct kt_timed *timed, struct kt_error *err)
    KT_MUST_CHECK;

/* ---- reference.c */
/* Runs the original on every usable problem for references and digests; *blamed is the problem it fails on. */
kt_status kt_references(struct kt_run_prepared *prepared, size_t *blamed, struct kt_engine *e, struct kt_arena *arena,
                        struct kt_error *err) KT_MUST_CHECK;

/* ---- host.c */
/*
 * Runs the region's host reference on a problem whose reference is the original's outputs: a separate process with
 * limits on time and memory. *detail: why it cannot be had, or where the original is not within the tolerance of
 * it; NULL: it agrees, and the place's reference has become the host's, rounded to the buffers' types, except what
 * either leaves unwritten. Nothing without a host reference.
 */
kt_status kt_host_reference(const char **detail, struct kt_engine *e, struct kt_arena *arena, size_t problem,
                            struct kt_error *err) KT_MUST_CHECK;

/* ---- timing.c */
/* Times a verified problem and fills the conditions; *detail reports when the clocks disagree. */
kt_status kt_timing_problem(struct kt_timing *out, struct kt_run_conditions *conditions, const char **detail,
                            struct kt_timed *timed, struct kt_engine *e, struct kt_arena *arena,
                            const struct kt_launchable *what, size_t problem, const struct kt_run_effort *effort,
                            double give_up_ns, struct kt_error *err) KT_MUST_CHECK;
/*
 * Poisons outputs and launches on them again: a kernel that has stopped working
 * must not find its earlier results in place. The first set comes last, when
 * several launches were elsewhere: what a launch leaves to the next few is
 * missing there. *sets is how many are to be looked at.
 */
kt_status kt_timing_last_pass(size_t *sets, struct kt_engine *e, const struct kt_launchable *what, size_t problem,
                              const struct kt_timed *timed, struct kt_error *err) KT_MUST_CHECK;
/*
 * The kernel that does nothing has its turns in it as the candidates have, on
 * every problem; what was remembered of it before is forgotten.
 */
kt_status kt_timing_compare(struct kt_timing *timings, struct kt_run_conditions *conditions, struct kt_engine *e,
                            struct kt_arena *arena, const struct kt_launchable *what, size_t count, size_t baseline,
                            const struct kt_run_effort *effort, struct kt_error *err) KT_MUST_CHECK;
/* The energy of each on each problem that is timed, one after the other; each takes most_s at most. */
kt_status kt_timing_energy(struct kt_run_energy *energies, struct kt_engine *e, const struct kt_launchable *what,
                           size_t count, double most_s, struct kt_error *err) KT_MUST_CHECK;
/*
 * Launches a kernel that does nothing, in all its shapes in turn, timed as
 * everything is: a few batches beside a measurement. Where nothing is
 * remembered, as many at once as give a figure; they are the first to be
 * forgotten. Nothing where a backend has none.
 */
kt_status kt_timing_launches(struct kt_engine *e, struct kt_error *err) KT_MUST_CHECK;
/* What such a launch takes in this process: the mean of the middle half of what is remembered; 0: not known. */
double kt_timing_launch_ns(const struct kt_engine *e);
kt_status kt_timing_copy(double *copy_ns, struct kt_engine *e, const struct kt_run_effort *effort,
                          struct kt_error *err) KT_MUST_CHECK;
kt_status kt_timing_copy_curves(struct kt_run_curve *curves, struct kt_engine *e, const struct kt_run_effort *effort,
                               uint64_t largest_bytes, struct kt_error *err) KT_MUST_CHECK;

#endif
