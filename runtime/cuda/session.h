/*
 * The state of the CUDA backend, shared by its files:
 *   session.c  context, memory, waiting
 *   module.c   kernels from cubins, and what the device allows them
 *   support.c  the runner's own kernels (kernels.cu)
 *   symbols.c  device symbols of programs
 *   launch.c   launching and timing
 *   device.c   the device record
 *   nvml.c     clocks, temperature, who else is there
 *   cuda.c     the table of operations for the engine
 *
 * Functions fail with KT_ERR_CHILD where the device does; fault then tells which
 * verdict that is and whether the context is lost.
 */
#ifndef KT_RUNTIME_CUDA_SESSION_H
#define KT_RUNTIME_CUDA_SESSION_H

#include "base/fs.h"
#include "cuda/driver.h"
#include "cuda/nvml.h"
#include "engine.h"

#define KT_MODULES (KT_RUN_CANDIDATES + 8)
#define KT_FIELD_SHARE 0.6 /* of the free device memory */
#define KT_HELD_SHARE 0.5  /* of what is free beside the field: references that stay on the device */
#define KT_DISTURBANCE_WORDS 4

enum kt_kernel {
	KT_KERNEL_FILL, KT_KERNEL_POISON, KT_KERNEL_MASK, KT_KERNEL_ZONE_WRITE, KT_KERNEL_ZONE_CHECK, KT_KERNEL_COMPARE,
	KT_KERNEL_DIGEST, KT_KERNEL_GATE, KT_KERNEL_DISTURB, KT_KERNEL_SWEEP, KT_KERNEL_NOTHING, KT_KERNEL_COPY_1,
	KT_KERNEL_COPY_2, KT_KERNEL_COPY_2_STREAM, KT_KERNEL_COPY_4_STREAM, KT_KERNEL_COUNT
};

struct kt_module {
	char path[4096];
	struct kt_file_stamp stamp;
	kt_cu_handle handle; /* NULL: free slot */
	uint64_t used;
	kt_cu_address symbols[KT_RUN_BUFFERS]; /* of the region's buffers, as of the newest load; 0: none, or not there */
};

/* What the constants of the program that is tried held when it was loaded. */
struct kt_watch {
	size_t count;
	struct {
		const char *name;
		kt_cu_address address;
		size_t bytes, begin; /* of `held` */
	} items[KT_CONSTANTS_WATCHED];
	unsigned char *held; /* twice as large as all of them: as it was, as it is */
	size_t bytes;        /* of one half */
};

struct kt_session {
	struct kt_engine engine;
	struct kt_cu cu;
	struct kt_nvml nvml;
	kt_cu_device ordinal;
	kt_cu_handle context, stream, beside; /* beside: for what disturbs */
	struct kt_fault fault;
	/* The runner's own kernels. */
	kt_cu_handle support, kernels[KT_KERNEL_COUNT];
	struct kt_module modules[KT_MODULES];
	const struct kt_module *pinned; /* the original's; NULL: none */
	struct kt_watch watch;
	uint64_t clock;
	/* Memory that lives as long as the session or until something larger is needed. */
	kt_cu_address field, sweep, results_device, held;
	size_t field_bytes, sweep_bytes, host_bytes, held_bytes;
	kt_cu_address lone[KT_RUN_BUFFERS];
	bool launched;             /* a kernel is queued whose end was not waited for yet */
	unsigned *gate;            /* pinned and mapped */
	kt_cu_address gate_device;
	kt_cu_address disturbance; /* KT_DISTURBANCE_WORDS, as ktr_disturb has them */
	/* Where, and for how long at most, the next launch is disturbed; 0: it is not. */
	unsigned disturbed_where;
	uint64_t disturbed_ns;
	unsigned ticket;
	unsigned char *host;       /* pinned */
	kt_cu_handle events[KT_BATCH + 1];
	kt_cu_handle reached; /* event: what was queued before a gate is done */
};

/* ---- session.c */
kt_status kt_session_open(struct kt_session **out, struct kt_arena *arena, int ordinal, struct kt_error *err)
    KT_MUST_CHECK;
/* Fails for a result other than 0 and sets the fault by it. */
kt_status kt_session_check(struct kt_session *s, kt_cu_result result, const char *what, struct kt_error *err)
    KT_MUST_CHECK;
/* Waits until the stream is empty; past limit_s the fault is timed-out and fatal. */
kt_status kt_session_wait(struct kt_session *s, double limit_s, const char *what, struct kt_error *err) KT_MUST_CHECK;
/* Waits until the device has come to the event `reached`; otherwise as kt_session_wait. */
kt_status kt_session_wait_reached(struct kt_session *s, double limit_s, const char *what, struct kt_error *err)
    KT_MUST_CHECK;
/* As kt_session_wait, and then until nothing runs in any other stream of the context. */
kt_status kt_session_wait_all(struct kt_session *s, double limit_s, const char *what, struct kt_error *err)
    KT_MUST_CHECK;
kt_cu_address kt_session_address(const struct kt_session *s, kt_at at);
kt_status kt_session_budget(size_t *bytes, void *device, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_session_reserve(void *device, size_t bytes, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_session_lone(void *device, const size_t *bytes, size_t count, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_session_hold(void *device, size_t bytes, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_session_host(unsigned char **out, void *device, size_t bytes, struct kt_error *err) KT_MUST_CHECK;

/* ---- module.c */
/* The module stays loaded while it is among the last KT_MODULES used, the original's until the next original. */
kt_status kt_module_load(struct kt_function *out, void *device, const char *cubin, const char *options,
                         const char *function, bool original, struct kt_error *err) KT_MUST_CHECK;
/* Checks the geometry against function and device; raises the limit of dynamic shared memory. */
kt_status kt_module_admit(void *device, const struct kt_function *function, const struct kt_geometry *g,
                          struct kt_error *err) KT_MUST_CHECK;
int64_t kt_module_occupancy(void *device, const struct kt_function *function, const struct kt_geometry *g);

/* ---- device.c */
kt_status kt_cuda_device(struct kt_device *out, struct kt_nvml *nvml, struct kt_arena *arena, const struct kt_cu *cu,
                         kt_cu_device device, struct kt_error *err) KT_MUST_CHECK;

/* ---- support.c: each queues one kernel or copy; the first are operations of the engine */
kt_status kt_support_load(void *device, const char *cubin, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_fill(void *device, kt_at at, const struct kt_lanes *lanes, const struct kt_run_data *data,
                          struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_poison(void *device, kt_at at, size_t bytes, size_t stride, size_t sets, uint64_t seed,
                            struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_mask(void *device, kt_at to, kt_at from, size_t bytes, uint64_t seed, struct kt_error *err)
    KT_MUST_CHECK;
kt_status kt_support_zones(void *device, bool check, kt_at at, size_t stride, size_t sets,
                           const struct kt_zones *zones, uint64_t seed, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_digest(void *device, size_t slot, kt_at at, size_t bytes, size_t stride, size_t sets,
                            struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_compare(void *device, size_t slot, kt_at got, kt_at want, const void *want_host, size_t count,
                             const struct kt_lanes *lanes, const struct kt_data_tolerance *tolerance, struct kt_error *err)
    KT_MUST_CHECK;
kt_status kt_support_copy(void *device, kt_at to, kt_at from, size_t bytes, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_upload(void *device, kt_at to, const void *from, size_t bytes, struct kt_error *err)
    KT_MUST_CHECK;
kt_status kt_support_download(void *device, void *to, kt_at from, size_t bytes, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_clear(void *device, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_keep(void *device, size_t page, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_wait(void *device, double limit_s, struct kt_error *err) KT_MUST_CHECK;
/* Queues a closed gate; what is queued after it waits until kt_support_open. */
kt_status kt_support_gate(struct kt_session *s, struct kt_error *err) KT_MUST_CHECK;
void kt_support_open(struct kt_session *s);
/*
 * kt_ops.disturb: closes a gate after what is queued and before the launch. kt_support_disturb_now, after the launch,
 * queues a block of ktr_disturb for each multiprocessor in a separate stream. These blocks wait until what is before
 * the gate is done. They open the gate when all of them run, and end when what is queued by then is done. So the
 * launch and the blocks run at once, on an otherwise idle device, even if the host is late between the two calls.
 */
kt_status kt_support_disturb(void *device, uint64_t number, double ns, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_disturb_now(struct kt_session *s, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_support_sweep(struct kt_session *s, struct kt_error *err) KT_MUST_CHECK;
/* A copy of the launch's shape; of nothing, a kernel that does nothing, in 1, 16 or 256 blocks. */
kt_status kt_support_move(struct kt_session *s, const struct kt_run_launch *launch, struct kt_error *err) KT_MUST_CHECK;
#define KT_SUPPORT_SHAPES 4
#define KT_SUPPORT_EMPTY_SHAPES 3

/* ---- symbols.c */
/*
 * Where the module has the device symbols of the region. KT_ERR_INVALID: one is not as large as in the region, or the
 * original has none; a candidate may do without.
 */
kt_status kt_symbols_find(struct kt_session *s, struct kt_module *module, bool original, struct kt_error *err)
    KT_MUST_CHECK;
/* What a kernel of the module gets for a buffer: its place, or the symbol that is there. */
kt_cu_address kt_symbols_address(const struct kt_session *s, const struct kt_module *module,
                                 const struct kt_run_launch *on, size_t buffer);
/* Queues copies from the first launch's places to the symbols, and back to the places of all launches. */
kt_status kt_symbols_enter(struct kt_session *s, const struct kt_run_launch *first, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_symbols_leave(struct kt_session *s, const struct kt_run_launch *launches, size_t count,
                           struct kt_error *err) KT_MUST_CHECK;

/* Of kt_ops. Constants of more than KT_WATCH_BYTES together are not looked at. */
kt_status kt_symbols_remember(void *device, const struct kt_function *function, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_symbols_changed(const char **name, void *device, struct kt_error *err) KT_MUST_CHECK;
#define KT_WATCH_BYTES ((size_t)64 << 20)

/* ---- launch.c */
kt_status kt_launch_run(double *ns, void *device, const struct kt_run_launch *launch, double limit_s,
                        struct kt_error *err) KT_MUST_CHECK;
kt_status kt_launch_batch(double *samples, double *host_ns, void *device, const struct kt_run_launch *launches,
                          size_t count, bool sweep, double limit_s, struct kt_error *err) KT_MUST_CHECK;
/* Cache lines that a kernel asked to persist are as any other again. */
kt_status kt_launch_settle(void *device, struct kt_error *err) KT_MUST_CHECK;

#endif
