/*
 * The state of the OpenCL backend, shared by its files:
 *   session.c  context, waiting
 *   memory.c   the field, buffers as kernels get them, mapping
 *   data.c     filling, comparing: the host's work on mapped memory (data.h)
 *   program.c  programs and kernels from source text or binaries
 *   launch.c   launching and timing
 *   fault.c    signals of a kernel that runs in this process
 *   device.c   the device record
 *   opencl.c   the table of operations for the engine
 *
 * The field is one buffer object. Kernels get sub-buffers; the host looks at
 * it by mapping, and no code but the kernel's runs on the device.
 *
 * Functions fail with KT_ERR_CHILD where the device does; fault then tells which
 * verdict that is and whether the process can go on.
 */
#ifndef KT_RUNTIME_OPENCL_SESSION_H
#define KT_RUNTIME_OPENCL_SESSION_H

#include "base/fs.h"
#include "engine.h"
#include "opencl/driver.h"

#define KT_OCL_PROGRAMS (KT_RUN_CANDIDATES + 8)
#define KT_OCL_PARTS (KT_BATCH * KT_RUN_BUFFERS) /* sub-buffers that are kept: what one batch may need */
#define KT_OCL_IMAGES 256                      /* filled inputs that are kept */
#define KT_OCL_IMAGE_BYTES ((size_t)2 << 30)   /* most host memory for them */

struct kt_ocl_program {
	char *path, *options; /* malloc; NULL: a free slot */
	struct kt_file_stamp stamp;
	kt_cl_handle handle;
	uint64_t used;
};

/* A sub-buffer of the field. */
struct kt_ocl_part {
	size_t at, bytes;
	kt_cl_handle handle;
};

/* What a fill of numbers that follow each other came to, so that it is copied and not made again. */
struct kt_ocl_image {
	enum kt_scalar scalar;
	struct kt_run_data data;
	unsigned char *bytes; /* malloc; NULL: a free slot */
};

struct kt_ocl {
	struct kt_engine engine;
	struct kt_cl cl;
	kt_cl_handle device_handle, context, queue;
	size_t allocation_bytes; /* the device's limit for one buffer object */
	bool unified;            /* device memory is host memory */
	struct kt_fault fault;
	struct kt_ocl_program programs[KT_OCL_PROGRAMS];
	uint64_t clock;
	kt_cl_handle field, lone[KT_RUN_BUFFERS];
	size_t field_bytes;
	/* In the order in which they were created, and by place: numbers of parts plus one, 0 where there is none. */
	struct kt_ocl_part parts[KT_OCL_PARTS];
	size_t part_count;
	uint16_t part_of[2 * KT_OCL_PARTS];
	struct kt_ocl_image images[KT_OCL_IMAGES];
	size_t image_count, image_bytes;
	unsigned char *host; /* malloc */
	size_t host_bytes;
	struct kt_result results[KT_SLOTS], pages[KT_PAGES][KT_SLOTS];
	kt_cl_handle kernels[KT_RUN_CANDIDATES + 1]; /* of the current request; [0] the original's */
	size_t kernel_count;
	size_t launched[KT_RUN_CANDIDATES + 1][3]; /* the block of the last launch of each; 0: none yet */
};

/* ---- session.c */
kt_status kt_ocl_open(struct kt_ocl **out, struct kt_arena *arena, int ordinal, struct kt_error *err) KT_MUST_CHECK;
/* Fails for a result other than 0 and sets the fault by it. */
kt_status kt_ocl_check(struct kt_ocl *s, kt_cl_result result, const char *what, struct kt_error *err) KT_MUST_CHECK;
/* Waits for the event; a signal of the kernel, or limit_s over, is a fatal fault. */
kt_status kt_ocl_wait(struct kt_ocl *s, kt_cl_handle event, double limit_s, const char *what, struct kt_error *err)
    KT_MUST_CHECK;

/* ---- device.c */
/* The device with this number among all of all platforms: GPUs first, then accelerators, then CPUs. */
kt_status kt_ocl_find_device(kt_cl_handle *out, const struct kt_cl *cl, int ordinal, struct kt_error *err)
    KT_MUST_CHECK;
kt_status kt_ocl_device(struct kt_device *out, struct kt_arena *arena, const struct kt_cl *cl, kt_cl_handle device,
                        struct kt_error *err) KT_MUST_CHECK;
/* An integer of the device that is `bytes` (4 or 8) wide; 0 when it has none. */
uint64_t kt_ocl_device_number(const struct kt_cl *cl, kt_cl_handle device, uint32_t what, size_t bytes);

/* ---- memory.c: operations of the engine, and what launches need */
kt_status kt_ocl_budget(size_t *bytes, void *device, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_reserve(void *device, size_t bytes, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_lone(void *device, const size_t *bytes, size_t count, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_host(unsigned char **out, void *device, size_t bytes, struct kt_error *err) KT_MUST_CHECK;
/* Makes sure that this number of parts can be made; handles of before may be gone. Nothing may be queued. */
kt_status kt_ocl_part_room(struct kt_ocl *s, size_t count, struct kt_error *err) KT_MUST_CHECK;
/* What a kernel gets for a buffer; NULL for one without elements. Call kt_ocl_part_room before. */
kt_status kt_ocl_part(kt_cl_handle *out, struct kt_ocl *s, kt_at at, size_t bytes, struct kt_error *err) KT_MUST_CHECK;
/* Memory as the host's until unmapped. flags: KT_CL_MAP_READ, KT_CL_MAP_WRITE or both. */
kt_status kt_ocl_map(unsigned char **out, struct kt_ocl *s, kt_at at, size_t bytes, uint64_t flags,
                     struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_unmap(struct kt_ocl *s, kt_at at, void *address, struct kt_error *err) KT_MUST_CHECK;

/* ---- data.c: operations of the engine */
kt_status kt_ocl_fill(void *device, kt_at at, const struct kt_lanes *lanes, const struct kt_run_data *data,
                      struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_poison(void *device, kt_at at, size_t bytes, size_t stride, size_t sets, uint64_t seed,
                        struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_zones(void *device, bool check, kt_at at, size_t stride, size_t sets, const struct kt_zones *zones,
                       uint64_t seed, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_digest(void *device, size_t slot, kt_at at, size_t bytes, size_t stride, size_t sets,
                        struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_compare(void *device, size_t slot, kt_at got, kt_at want, const void *want_host, size_t count,
                         const struct kt_lanes *lanes, const struct kt_data_tolerance *tolerance, struct kt_error *err)
    KT_MUST_CHECK;
kt_status kt_ocl_copy(void *device, kt_at to, kt_at from, size_t bytes, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_upload(void *device, kt_at to, const void *from, size_t bytes, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_download(void *device, void *to, kt_at from, size_t bytes, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_clear(void *device, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_keep(void *device, size_t page, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_ocl_wait_all(void *device, double limit_s, struct kt_error *err) KT_MUST_CHECK;
/* Images of fills belong to a region. */
void kt_ocl_forget_images(struct kt_ocl *s);

/* ---- program.c */
/*
 * A kernel of a source file (or binary) built with these options; the program
 * stays while it is among the last KT_OCL_PROGRAMS used. A failed build is the
 * verdict no-compile with the compiler's log, or over-limit where the device
 * lacks a type that the source uses.
 */
kt_status kt_ocl_load(struct kt_function *out, void *device, const char *path, const char *options,
                      const char *function, bool original, struct kt_error *err) KT_MUST_CHECK;
/* Kernels of a request end with it; the original's stays until the next. */
void kt_ocl_release(void *device);
kt_status kt_ocl_admit(void *device, const struct kt_function *function, const struct kt_geometry *g,
                       struct kt_error *err) KT_MUST_CHECK;

/* ---- launch.c */
kt_status kt_ocl_run(double *ns, void *device, const struct kt_run_launch *launch, double limit_s, struct kt_error *err)
    KT_MUST_CHECK;
kt_status kt_ocl_batch(double *samples, double *host_ns, void *device, const struct kt_run_launch *launches,
                       size_t count, bool sweep, double limit_s, struct kt_error *err) KT_MUST_CHECK;

/* ---- fault.c */
/*
 * From here on a thread that faults (a kernel on a CPU device) stops for good
 * and leaves its signal to be found; a fault of the calling thread still ends
 * the process.
 */
void kt_ocl_watch_faults(void);
/* The signal that stopped a thread, 0: none. *address (may be NULL): where it faulted. */
int kt_ocl_faulted(const void **address);

#endif
