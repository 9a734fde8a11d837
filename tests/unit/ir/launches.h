/* Random launches of a kernel, and whether another form of it computes the same. */
#ifndef KT_TEST_IR_LAUNCHES_H
#define KT_TEST_IR_LAUNCHES_H

#include "interp.h"

/* How a variant is launched where the original is launched so. */
struct ir_shape {
	uint32_t grid[3], block[3];
};

enum { IR_MESSAGE = 512 };

struct ir_comparison {
	unsigned right, dropped;  /* dropped: the original faults, or an assumption does not hold */
	enum kt_ir_fault fault;   /* of the last launch that was dropped */
	char message[IR_MESSAGE]; /* the first difference; "": none */
};

/*
 * Launches both modules' last functions `count` times on the same data, of this seed on. relaunch changes the shape for
 * the second one (NULL: the same); false: such a launch is none for it. False: there is a difference.
 */
bool ir_same_results(struct ir_comparison *comparison, const struct kt_ir_module *original,
		     const struct kt_ir_module *variant, bool (*relaunch)(struct ir_shape *shape, const void *context),
		     const void *context, uint64_t seed, unsigned count);

#endif
