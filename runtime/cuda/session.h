/*
 * The state of the CUDA backend, shared by its files:
 *   session.c  context, modules, waiting, launching
 *   support.c  the runner's own kernels (kernels.cu) as functions
 *   layout.c   where the buffers of a problem stand in device memory
 *   verify.c   references and verdicts
 *   timing.c   timing, comparison, the copy floor
 *   device.c   the device record
 *
 * Device memory of a region, one allocation ("the field"):
 *
 *   [ set 0 ][ set 1 ] … [ set N−1 ][ snapshot ][ staging ]
 *
 * A set holds every buffer of a problem with canaries on both sides. Set 0 is
 * for verification; timing goes through all of them, so that what a launch
 * reads is not in the cache. The snapshot keeps a candidate's first outputs,
 * staging the reference while it is compared with. Problems share the field.
 *
 * A function that touches the device fails with KT_ERR_CHILD; session->fault
 * then says which verdict that is and whether the context is lost.
 */
#ifndef KT_RUNTIME_CUDA_SESSION_H
#define KT_RUNTIME_CUDA_SESSION_H

#include "backend.h"
#include "base/fs.h"
#include "cuda/driver.h"
#include "data.h"

#define KT_CANARY_BYTES 1024     /* least on each side of a buffer */
#define KT_BUFFER_ALIGN 256      /* of each buffer, as an allocation of its own would have */
#define KT_RUN_BUFFERS 64        /* most buffers of a region */
#define KT_SETS 64               /* most sets of one problem */
#define KT_BATCH 64              /* most launches behind one gate: below the driver's queue */
#define KT_MODULES (KT_RUN_CANDIDATES + 8)
#define KT_REFERENCE_BYTES ((size_t)4 << 30) /* most host memory for references */
#define KT_FIELD_SHARE 0.6       /* of the free device memory */

/* Poison of the first and of the second run of everything. */
#define KT_POISON_FIRST KT_DATA_POISON_FIRST
#define KT_POISON_SECOND KT_DATA_POISON_SECOND
#define KT_CANARY_SEED KT_DATA_CANARY_SEED

/* struct result of kernels.cu. */
struct kt_result {
	uint64_t wrong, first, worst, canaries, segment, digest;
};

/* struct tolerance of kernels.cu. */
struct kt_device_tolerance {
	double absolute, relative;
	uint64_t want_seed, got_seed;
	int exact;
};

/* struct segment of kernels.cu. */
struct kt_segment {
	uint64_t offset, bytes;
};

enum kt_kernel {
	KT_KERNEL_FILL, KT_KERNEL_POISON, KT_KERNEL_CANARY_WRITE, KT_KERNEL_CANARY_CHECK, KT_KERNEL_COMPARE,
	KT_KERNEL_DIGEST, KT_KERNEL_GATE, KT_KERNEL_SWEEP, KT_KERNEL_COPY_1, KT_KERNEL_COPY_2,
	KT_KERNEL_COPY_2_STREAM,
	KT_KERNEL_COPY_4_STREAM, KT_KERNEL_COUNT
};

struct kt_module {
	char path[4096];
	struct kt_file_stamp stamp;
	kt_cu_handle handle; /* NULL: free slot */
	uint64_t used;
};

/* One problem of the region as it stands on the device. */
struct kt_place {
	size_t offsets[KT_RUN_BUFFERS];       /* of each buffer's data in its set */
	size_t bytes[KT_RUN_BUFFERS];
	size_t kept[KT_RUN_BUFFERS];          /* outputs: offset in snapshot, staging and the host's reference */
	size_t kept_bytes;                    /* all outputs */
	size_t stride, sets;
	size_t snapshot, staging;             /* offsets in the field */
	kt_cu_address segments;               /* on the device, two a buffer */
	unsigned char *reference;             /* host; NULL: made again when it is needed */
	uint64_t input_digest[KT_RUN_BUFFERS];
	uint64_t output_digest[KT_RUN_BUFFERS]; /* of the candidate that was verified last, first poison */
	double original_ns;                   /* of one launch, roughly */
	bool usable, nondeterministic, has_inout;
};

/* A function ready to launch on every problem. */
struct kt_launchable {
	kt_cu_handle function;
	const struct kt_geometry *geometry; /* one a problem */
};

struct kt_fault {
	enum kt_verdict verdict;
	bool fatal;
};

struct kt_session {
	struct kt_cu cu;
	kt_cu_device ordinal;
	kt_cu_handle context, stream;
	struct kt_device device;
	struct kt_fault fault;
	/* The runner's own kernels. */
	kt_cu_handle support, kernels[KT_KERNEL_COUNT];
	struct kt_module modules[KT_MODULES];
	const struct kt_module *pinned; /* the original's; NULL: none */
	uint64_t clock;
	/* Memory that lives as long as the session or until something larger is needed. */
	kt_cu_address field, sweep, results_device, segments;
	size_t field_bytes, sweep_bytes, segments_bytes;
	struct kt_result *results; /* pinned: one a buffer and one for the canaries */
	unsigned *gate;            /* pinned and mapped */
	kt_cu_address gate_device;
	unsigned ticket;
	unsigned char *references; /* pinned */
	size_t references_bytes;
	kt_cu_handle events[KT_BATCH + 1];
	/* The region; memory belongs to its message. */
	const struct kt_run_region *region;
	struct kt_place *places; /* one a problem */
	struct kt_geometry *original_geometry;
	struct kt_launchable original;
	double limit_s;
};

/* ---- session.c */
kt_status kt_session_open(struct kt_session **out, struct kt_arena *arena, int ordinal, struct kt_error *err)
    KT_MUST_CHECK;
void kt_session_close(struct kt_session *s);
/* Fails for a result other than 0 and sets the fault by it. */
kt_status kt_session_check(struct kt_session *s, kt_cu_result result, const char *what, struct kt_error *err)
    KT_MUST_CHECK;
/* Waits until the stream is empty; past limit_s the fault is timed-out and fatal. */
kt_status kt_session_wait(struct kt_session *s, double limit_s, const char *what, struct kt_error *err) KT_MUST_CHECK;
/*
 * The function of a cubin; the module stays loaded while it is among the last
 * KT_MODULES used, a pinned one until another is pinned.
 */
kt_status kt_session_function(kt_cu_handle *out, struct kt_session *s, const char *cubin, const char *function,
                              bool pin, struct kt_error *err) KT_MUST_CHECK;
/* Checks each geometry of the usable problems against function and device; raises the dynamic shared memory limit. */
kt_status kt_session_prepare(struct kt_session *s, const struct kt_launchable *what, struct kt_error *err)
    KT_MUST_CHECK;
/* Queues one launch on a problem's set. */
kt_status kt_session_launch(struct kt_session *s, const struct kt_launchable *what, size_t problem, size_t set,
                            struct kt_error *err) KT_MUST_CHECK;
/* Makes sure that *address holds at least bytes of device memory; content is lost when it grows. */
kt_status kt_session_reserve(struct kt_session *s, kt_cu_address *address, size_t *bytes, size_t wanted,
                             const char *what, struct kt_error *err) KT_MUST_CHECK;

/* ---- device.c */
kt_status kt_cuda_device(struct kt_device *out, struct kt_arena *arena, const struct kt_cu *cu, kt_cu_device device,
                         struct kt_error *err) KT_MUST_CHECK;

/* ---- support.c: each queues one kernel */
kt_status kt_support_load(struct kt_session *s, const char *cubin, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_fill(struct kt_session *s, kt_cu_address data, enum kt_scalar element,
                          const struct kt_run_data *fill, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_poison(struct kt_session *s, kt_cu_address data, size_t bytes, uint64_t seed,
                            struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_canaries(struct kt_session *s, bool check, size_t problem, size_t first_set, size_t sets,
                              struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_compare(struct kt_session *s, kt_cu_address got, kt_cu_address want, size_t problem,
                             size_t buffer, const struct kt_device_tolerance *tolerance, struct kt_error *err)
    KT_MUST_CHECK;
kt_status kt_support_digest(struct kt_session *s, kt_cu_address data, size_t bytes, size_t buffer,
                            struct kt_error *err) KT_MUST_CHECK;
/* Closes the gate behind what is queued; kt_support_open lets everything behind it run. */
kt_status kt_support_gate(struct kt_session *s, struct kt_error *err) KT_MUST_CHECK;
void kt_support_open(struct kt_session *s);
kt_status kt_support_sweep(struct kt_session *s, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_copy(struct kt_session *s, enum kt_kernel which, kt_cu_address to, size_t write_bytes,
                          kt_cu_address from, size_t read_bytes, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_results_clear(struct kt_session *s, struct kt_error *err) KT_MUST_CHECK;
/* Queues the copy of all results to s->results; valid after the next wait. */
kt_status kt_support_results_fetch(struct kt_session *s, struct kt_error *err) KT_MUST_CHECK;

/* ---- layout.c */
/*
 * Places every problem, reserves the field, the segment tables and the host's
 * references. A problem that does not fit is marked in prepared; KT_ERR_INVALID
 * when none is left.
 */
kt_status kt_layout_region(struct kt_run_prepared *prepared, struct kt_session *s, struct kt_arena *arena,
                           const struct kt_run_region *region, struct kt_error *err) KT_MUST_CHECK;
kt_cu_address kt_layout_buffer(const struct kt_session *s, size_t problem, size_t set, size_t buffer);
static inline bool kt_is_output(enum kt_direction direction)
{
	return direction == KT_OUT || direction == KT_INOUT;
}
static inline bool kt_is_filled(enum kt_direction direction)
{
	return direction == KT_IN || direction == KT_INOUT;
}

/* ---- verify.c */
/* Fills inputs, poisons outputs and writes the canaries of one set. */
kt_status kt_verify_reset(struct kt_session *s, size_t problem, size_t set, uint64_t poison, struct kt_error *err)
    KT_MUST_CHECK;
/* Runs the original on every usable problem for references and digests. */
kt_status kt_verify_references(struct kt_run_prepared *prepared, struct kt_session *s, struct kt_arena *arena,
                               struct kt_error *err) KT_MUST_CHECK;
/* Verifies one problem; *detail is NULL when right. Fails only when the device does. */
kt_status kt_verify_problem(enum kt_verdict *verdict, const char **detail, struct kt_session *s,
                            struct kt_arena *arena, const struct kt_launchable *what, size_t problem,
                            struct kt_error *err) KT_MUST_CHECK;
/* The check after timing, on the set that was used last; the problem was verified before. */
kt_status kt_verify_after(enum kt_verdict *verdict, const char **detail, struct kt_session *s, struct kt_arena *arena,
                          const struct kt_launchable *what, size_t problem, size_t set, struct kt_error *err)
    KT_MUST_CHECK;

/* ---- timing.c */
/* Fills every set of the problem alike. */
kt_status kt_timing_prepare(struct kt_session *s, size_t problem, struct kt_error *err) KT_MUST_CHECK;
/* Times a prepared problem; *last_set is the set that the last launch used. */
kt_status kt_timing_problem(struct kt_timing *out, size_t *last_set, struct kt_session *s,
                            const struct kt_launchable *what, size_t problem, const struct kt_run_effort *effort,
                            double give_up_ns, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_timing_compare(struct kt_timing *timings, struct kt_session *s, struct kt_arena *arena,
                            const struct kt_launchable *what, size_t count, const struct kt_run_effort *effort,
                            struct kt_error *err) KT_MUST_CHECK;
kt_status kt_timing_floor(double *floor_ns, struct kt_session *s, const struct kt_run_effort *effort,
                          struct kt_error *err) KT_MUST_CHECK;

#endif
