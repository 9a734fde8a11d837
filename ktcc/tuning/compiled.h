/*
 * What a device allows of a compiled candidate: u(θ) ≤ r(device) with the
 * compiler's registers, local and static shared memory, before anything is run.
 *
 * Two limits are hard, a launch beyond them fails: the register file, and shared
 * memory (static and dynamic together); the rounding is that of
 * kt_device_occupancy_blocks. Two are soft, a launch beyond them is slow:
 *
 *   spills     a thread's local memory may exceed the original's by KT_SPILL_BYTES,
 *              the quarter of the 255 registers that a thread can have;
 *   occupancy  the warps resident on a multiprocessor may not be fewer than its
 *              KT_SCHEDULERS schedulers, unless the original has fewer.
 *
 * `relax` moves the soft limits: 0.2 lets a fifth more through, −0.2 a fifth
 * less.
 */
#ifndef KT_TUNING_COMPILED_H
#define KT_TUNING_COMPILED_H

#include "base/device.h"
#include "tuning/cubin.h"

#define KT_SPILL_BYTES 256
#define KT_SCHEDULERS 4 /* of a multiprocessor, from compute capability 5.0 on */

#define KT_COMPILED_REFUSALS(X) \
	X(NONE, "") \
	X(REGISTERS, "registers")         /* hard */ \
	X(STATIC_SHARED, "static-shared") /* hard: with the dynamic part */ \
	X(SPILLS, "spills")               /* soft */ \
	X(OCCUPANCY, "occupancy")         /* soft */

enum kt_compiled_refusal {
#define KT_COMPILED_ROW(id, name) KT_COMPILED_##id,
	KT_COMPILED_REFUSALS(KT_COMPILED_ROW)
#undef KT_COMPILED_ROW
	KT_COMPILED_COUNT
};
const char *kt_compiled_name(enum kt_compiled_refusal refusal);

struct kt_usage {
	int64_t threads;              /* of a block */
	int64_t registers;            /* a thread; −1: unknown */
	int64_t local_bytes;          /* a thread; −1: unknown */
	int64_t shared_bytes;         /* static and dynamic */
};

/* Judges a candidate; unknown numbers allow everything. `original` NULL: the soft limits are not judged. */
enum kt_compiled_refusal kt_compiled_judge(const struct kt_device *device, const struct kt_usage *candidate,
                                           const struct kt_usage *original, double relax);
/* Appends "spills: 600 bytes of local memory a thread, the original has 0". */
void kt_compiled_explain(struct kt_buf *out, enum kt_compiled_refusal refusal, const struct kt_device *device,
                         const struct kt_usage *candidate, const struct kt_usage *original);

#endif
