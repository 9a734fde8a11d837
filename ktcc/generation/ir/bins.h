/* Atomics that accumulate in few elements of a buffer, of which a block may have copies in shared memory. For kernels in normal form. */
#ifndef KT_IR_BINS_H
#define KT_IR_BINS_H

#include "generation/ir/form.h"
#include "generation/ir/pass.h"

enum { KT_IR_MOST_BINS = 4 };

/* A buffer to which the kernel does nothing else than atomics of one operation. */
struct kt_ir_bin_buffer {
	const struct kt_ir_symbol *root; /* an argument, or a variable of the program that is an array */
	const struct kt_ir_statement *first; /* one of its atomics: the operation, and the type of an element */
	int64_t elements; /* the first ones of the buffer, of which there are copies */
};

struct kt_ir_bins {
	size_t count;
	struct kt_ir_bin_buffer buffers[KT_IR_MOST_BINS];
	int64_t own_bytes; /* shared memory of the kernel as it is, without what the launch gives */
	bool has_dynamic;  /* the launch gives some */
};

/*
 * Finds the buffers to whose elements different threads of a block add, and of which one copy of all fits beside the kernel's shared
 * memory. NULL where there is one at least, and it makes no difference when the kernel's atomics take place; else what prevents it, and where.
 * Adds guards to the offer. The module gets own values, and is not changed otherwise.
 */
const char *kt_ir_why_no_bins(struct kt_ir_bins *bins, uint32_t *line, struct kt_ir_offer *offer, struct kt_ir_module *module,
			      const struct kt_ir_lets *lets);
/* Elements of a copy in memory: neighbouring copies begin in different banks. */
int64_t kt_ir_bin_pitch(const struct kt_ir_bin_buffer *buffer, int64_t copies);
/* Bytes of that number of copies of all buffers. */
int64_t kt_ir_bin_bytes(const struct kt_ir_bins *bins, int64_t copies);
/* The index of an atomic of one of the buffers, whose number it gives; NULL: it is none, or has no single index. */
const struct kt_ir_value *kt_ir_bin_of(size_t *number, const struct kt_ir_bins *bins, const struct kt_ir_statement *statement);

#endif
