/*
 * Runs a kernel of the IR on this processor, thread by thread, and reports what docs/ir.md calls undefined: accesses
 * outside of an object, values that were never set, races, barriers that not all threads reach, overflow.
 *
 * Threads of a block are fibers that switch at barriers and collectives, in an order that the seed decides; blocks run one
 * after the other. Two accesses race where at least one writes, not both are atomic, and no barrier or collective that both
 * threads took part in lies between them. Threads of different blocks are never ordered.
 */
#ifndef KT_IR_INTERP_H
#define KT_IR_INTERP_H

#include "generation/ir/ir.h"

enum kt_ir_fault {
	KT_IR_NO_FAULT,
	KT_IR_OUT_OF_BOUNDS,
	KT_IR_MISALIGNED,
	KT_IR_UNSET,     /* read of what was never written */
	KT_IR_READ_ONLY, /* write to constant memory or a const argument's target */
	KT_IR_RACE,
	KT_IR_DIVERGED,  /* a barrier or collective that can never be complete, or is reached at two places */
	KT_IR_OVERFLOW,  /* of arithmetic that must not wrap */
	KT_IR_DIVISION,  /* by zero, or of the least integer by -1 */
	KT_IR_SHIFT,     /* by the width or more, or by less than zero */
	KT_IR_STEPS,     /* the limit of steps was reached */
	KT_IR_ASSUMED,   /* an assumption of the kernel does not hold for the launch */
	KT_IR_TRAPPED,   /* an assertion failed, or a trap was run */
	KT_IR_UNKNOWN,   /* an opaque statement, a function or an intrinsic without meaning here */
	KT_IR_FAULTS,
};
extern const char *const kt_ir_fault_texts[KT_IR_FAULTS];

/* What an argument is at a launch. */
struct kt_ir_actual {
	/* Of a pointer: the buffer it leads into, at this byte; two arguments may lead into one buffer. Else NULL. */
	const struct kt_ir_buffer *buffer;
	uint64_t offset;
	/* Of any other type: its bytes, as many as the type has. */
	const void *bytes;
};

struct kt_ir_buffer {
	void *data;          /* read and written; the caller's */
	uint64_t size;       /* bytes */
	bool is_unset;       /* nothing in it was written yet */
	bool is_read_only;
};

struct kt_ir_launch {
	uint32_t grid[3], block[3]; /* at most 1024 threads a block */
	uint64_t dynamic_shared_bytes;
	uint64_t seed;
	uint64_t step_limit; /* statements, of all threads together */
	size_t argument_count;
	const struct kt_ir_actual *arguments;
	/* Contents of the module's global and constant symbols, in its order; NULL: all bytes zero. */
	const struct kt_ir_buffer *globals;
};

struct kt_ir_result {
	enum kt_ir_fault fault;
	uint32_t thread, block; /* linear; of the fault */
	uint32_t line;          /* in the user's file, of the last statement that had one */
	uint64_t steps;
	char message[256];      /* what happened to which symbol; "" without a fault */
};

/* The most threads that a block may have. */
enum { KT_IR_BLOCK_THREADS = 1024 };

/*
 * Runs one launch of the kernel. A fault is a result, not an error; where there is one, buffers hold what was written
 * before. KT_ERR_INVALID: the launch does not fit the kernel; KT_ERR_MEMORY. The module must be verified and applied.
 */
kt_status kt_ir_run(struct kt_ir_result *result, const struct kt_ir_module *module,
		    const struct kt_ir_function *kernel, const struct kt_ir_launch *launch, struct kt_error *err)
    KT_MUST_CHECK;

#endif
