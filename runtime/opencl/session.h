/*
 * The state of the OpenCL backend, shared by its files:
 *   session.c  context, memory, waiting, launching
 *   program.c  programs and kernels from source text or binaries
 *   fault.c    signals of a kernel that runs in this process
 *   layout.c   where the buffers of a problem stand in memory
 *   verify.c   references and verdicts
 *   timing.c   timing, comparison, the copy floor
 *   device.c   the device record
 *
 * Device memory of a region is one buffer object ("the field"), which holds
 * the sets of a problem one behind the other; a set holds every buffer of the
 * problem with canaries on both sides. Kernels get sub-buffers; the host looks
 * at whole sets by mapping them, so filling and comparing is the host's work
 * (data.h) and no code but the kernel's runs on the device. Set 0 is for
 * verification; timing goes through all of them, so that what a launch reads
 * is not in the cache. References and snapshots are in host memory.
 *
 * A function that touches the device fails with KT_ERR_CHILD; session->fault
 * then says which verdict that is and whether the process can go on.
 */
#ifndef KT_RUNTIME_OPENCL_SESSION_H
#define KT_RUNTIME_OPENCL_SESSION_H

#include "backend.h"
#include "base/fs.h"
#include "data.h"
#include "opencl/driver.h"

#define KT_OCL_CANARY_BYTES 1024   /* least on each side of a buffer */
#define KT_OCL_ALIGN 256           /* least, of each buffer */
#define KT_OCL_BUFFERS 64          /* most buffers of a region */
#define KT_OCL_SETS 64             /* most sets of one problem */
#define KT_OCL_BATCH 64            /* most launches of one batch */
#define KT_OCL_PROGRAMS (KT_RUN_CANDIDATES + 8)
#define KT_OCL_HOST_BYTES ((size_t)4 << 30) /* most host memory for references and filled inputs */

struct kt_ocl_program {
	char *path, *options; /* malloc; NULL: a free slot */
	struct kt_file_stamp stamp;
	kt_cl_handle handle;
	uint64_t used;
};

/* One problem of the region as it stands in the field. */
struct kt_ocl_place {
	size_t offsets[KT_OCL_BUFFERS];       /* of each buffer's data in its set */
	size_t bytes[KT_OCL_BUFFERS];
	size_t kept[KT_OCL_BUFFERS];          /* outputs: offset in snapshot and reference */
	size_t kept_bytes;                    /* all outputs */
	size_t stride, sets;
	unsigned char *reference, *image;     /* outputs of the original; inputs as filled (or NULL) */
	uint64_t input_digest[KT_OCL_BUFFERS];
	uint64_t output_digest[KT_OCL_BUFFERS]; /* of the candidate that was verified last, first poison */
	double original_ns;                   /* of one launch, roughly */
	bool usable, nondeterministic, has_inout;
};

/* A kernel ready to launch on every problem. */
struct kt_ocl_launchable {
	kt_cl_handle kernel;
	const struct kt_geometry *geometry; /* one a problem */
	size_t fixed_local_bytes, private_bytes;
};

struct kt_ocl_fault {
	enum kt_verdict verdict;
	bool fatal;
};

struct kt_ocl {
	struct kt_cl cl;
	kt_cl_handle device_handle, context, queue;
	struct kt_device device;
	size_t allocation_bytes, align; /* the device's limits for one buffer object */
	bool unified;                   /* device memory is host memory */
	struct kt_ocl_fault fault;
	struct kt_ocl_program programs[KT_OCL_PROGRAMS];
	uint64_t clock;
	kt_cl_handle field;
	size_t field_bytes;
	unsigned char *host;            /* references and images of the region; malloc */
	unsigned char *snapshot;        /* outputs of a first run; malloc */
	size_t host_bytes, snapshot_bytes;
	/* Sub-buffers of the problem they were made for. */
	kt_cl_handle parts[KT_OCL_SETS][KT_OCL_BUFFERS];
	size_t parts_problem;           /* SIZE_MAX: none */
	kt_cl_handle events[KT_OCL_BATCH];
	kt_cl_handle kernels[KT_RUN_CANDIDATES + 1]; /* of the current request; [0] the original's */
	size_t kernel_count;
	/* The region; memory belongs to its message. */
	const struct kt_run_region *region;
	struct kt_ocl_place *places; /* one a problem */
	struct kt_ocl_launchable original;
	double limit_s;
	double host_ns, device_ns;   /* of the batches of a problem, by either clock */
};

/* ---- session.c */
kt_status kt_ocl_open(struct kt_ocl **out, struct kt_arena *arena, int ordinal, struct kt_error *err) KT_MUST_CHECK;
/* Fails for a result other than 0 and sets the fault by it. */
kt_status kt_ocl_check(struct kt_ocl *s, kt_cl_result result, const char *what, struct kt_error *err) KT_MUST_CHECK;
/* Waits for the event; a signal of the kernel, or limit_s over, is a fatal fault. */
kt_status kt_ocl_wait(struct kt_ocl *s, kt_cl_handle event, double limit_s, const char *what, struct kt_error *err)
    KT_MUST_CHECK;
/* Queues one launch on a problem's set; the caller releases *event. */
kt_status kt_ocl_launch(kt_cl_handle *event, struct kt_ocl *s, const struct kt_ocl_launchable *what, size_t problem,
                        size_t set, struct kt_error *err) KT_MUST_CHECK;
/* As kt_ocl_launch, and waits; *ns (may be NULL) is its time by the device's clock. */
kt_status kt_ocl_run(double *ns, struct kt_ocl *s, const struct kt_ocl_launchable *what, size_t problem, size_t set,
                     double limit_s, struct kt_error *err) KT_MUST_CHECK;
double kt_ocl_event_ns(struct kt_ocl *s, kt_cl_handle event);
/* Whole sets as host memory until unmapped. flags: KT_CL_MAP_READ, KT_CL_MAP_WRITE or both. */
kt_status kt_ocl_map(unsigned char **out, struct kt_ocl *s, size_t problem, size_t first_set, size_t sets,
                     uint64_t flags, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_unmap(struct kt_ocl *s, void *address, struct kt_error *err) KT_MUST_CHECK;

/* ---- device.c */
/* The device with this number among all of all platforms: GPUs first, then accelerators, then CPUs. */
kt_status kt_ocl_find_device(kt_cl_handle *out, const struct kt_cl *cl, int ordinal, struct kt_error *err)
    KT_MUST_CHECK;
kt_status kt_ocl_device(struct kt_device *out, struct kt_arena *arena, const struct kt_cl *cl, kt_cl_handle device,
                        struct kt_error *err) KT_MUST_CHECK;
/* An integer of the device that is `bytes` (4 or 8) wide; 0 when it has none. */
uint64_t kt_ocl_device_number(const struct kt_cl *cl, kt_cl_handle device, uint32_t what, size_t bytes);

/* ---- program.c */
/*
 * A kernel of a source file (or binary) built with these options; the program
 * stays while it is among the last KT_OCL_PROGRAMS used. The caller releases
 * the kernel. A failed build is the verdict no-compile with the compiler's
 * log, or over-limit where the device lacks a type that the source uses.
 */
kt_status kt_ocl_kernel(kt_cl_handle *out, struct kt_ocl *s, const char *path, const char *options,
                        const char *function, struct kt_error *err) KT_MUST_CHECK;
/* Checks arguments and each geometry of the usable problems against kernel and device. */
kt_status kt_ocl_prepare(struct kt_ocl *s, struct kt_ocl_launchable *what, struct kt_error *err) KT_MUST_CHECK;

/* ---- fault.c */
/*
 * From here on a thread that faults (a kernel on a CPU device) stops for good
 * and leaves its signal to be found; a fault of the calling thread still ends
 * the process.
 */
void kt_ocl_watch_faults(void);
/* The signal that stopped a thread, 0: none. *address (may be NULL): where it faulted. */
int kt_ocl_faulted(const void **address);

/* ---- layout.c */
/*
 * Places every problem, reserves the field and host memory. A problem that
 * does not fit is marked in prepared; KT_ERR_INVALID when none is left.
 */
kt_status kt_ocl_layout(struct kt_run_prepared *prepared, struct kt_ocl *s, struct kt_arena *arena,
                        const struct kt_run_region *region, struct kt_error *err) KT_MUST_CHECK;
/* The sub-buffer of a buffer in a set; NULL for one without elements. */
kt_status kt_ocl_part(kt_cl_handle *out, struct kt_ocl *s, size_t problem, size_t set, size_t buffer,
                      struct kt_error *err) KT_MUST_CHECK;
static inline bool kt_ocl_is_output(enum kt_direction direction)
{
	return direction == KT_OUT || direction == KT_INOUT;
}

/* ---- verify.c */
/* Fills inputs, poisons outputs and writes the canaries of one set. */
kt_status kt_ocl_reset(struct kt_ocl *s, size_t problem, size_t set, uint64_t poison, struct kt_error *err)
    KT_MUST_CHECK;
/* Runs the original on every usable problem for references and digests. */
kt_status kt_ocl_references(struct kt_run_prepared *prepared, struct kt_ocl *s, struct kt_arena *arena,
                            struct kt_error *err) KT_MUST_CHECK;
/* Verifies one problem; *detail is NULL when right. Fails only when the device does. */
kt_status kt_ocl_verify(enum kt_verdict *verdict, const char **detail, struct kt_ocl *s, struct kt_arena *arena,
                        const struct kt_ocl_launchable *what, size_t problem, struct kt_error *err) KT_MUST_CHECK;
/* The check after timing, on the set that was used last; the problem was verified before. */
kt_status kt_ocl_verify_after(enum kt_verdict *verdict, const char **detail, struct kt_ocl *s,
                              struct kt_arena *arena, const struct kt_ocl_launchable *what, size_t problem, size_t set,
                              struct kt_error *err) KT_MUST_CHECK;

/* ---- timing.c */
/* Times a problem; *last_set is the set that the last launch used; *detail says when the clocks disagree. */
kt_status kt_ocl_time(struct kt_timing *out, const char **detail, size_t *last_set, struct kt_ocl *s,
                      struct kt_arena *arena, const struct kt_ocl_launchable *what, size_t problem,
                      const struct kt_run_effort *effort, double give_up_ns, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_compare(struct kt_timing *timings, struct kt_ocl *s, struct kt_arena *arena,
                         const struct kt_ocl_launchable *what, size_t count, const struct kt_run_effort *effort,
                         struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_floor(double *floor_ns, struct kt_ocl *s, const struct kt_run_effort *effort, struct kt_error *err)
    KT_MUST_CHECK;

#endif
