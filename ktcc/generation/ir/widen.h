/* Distributed loops with several iterations side by side in a thread. */
#ifndef KT_IR_WIDEN_H
#define KT_IR_WIDEN_H

#include "generation/ir/form.h"
#include "generation/ir/vector.h"

/* A branch in which all items are below the bound. ahead.aligned: NULL: its loop is run whether memory is aligned or not. */
struct kt_ir_split {
	struct kt_ir_statement *branch;
	struct kt_ir_ahead ahead;
};

struct kt_ir_widening {
	struct kt_ir_module *module;
	struct kt_ir_lets lets;
	int64_t block, count; /* threads of the launched block, 0: not known; iterations side by side */
	bool is_spread, is_vector;  /* their distance is the number of threads; to be made vectors */
	/* For the file itself: how loops begin in front of their first index, and the beginning that they have in common. */
	enum { KT_IR_OWN_LEAD, KT_IR_COMMON_LEAD, KT_IR_NO_LEAD } leads;
	bool has_lead;
	struct kt_ir_symbol *lead;
	size_t split_count;
	struct kt_ir_split *splits;
};

/*
 * Rewrites the distributed loops of the region (distributed.h), whose iterations must be independent and whose indices must not
 * wrap, for any number of threads. Iterations side by side that are to be vectors, and whose accesses begin anywhere in
 * memory, as in rows of any length, are shifted: the first ones lie in front of the loop and do nothing. Loops of which one accesses
 * what another one writes are shifted alike, so that an index is the same thread's in all of them. Where no
 * loop accesses what another one writes, memory that is not aligned gets the loop as it was, whose threads have neighbours.
 */
void kt_ir_widen(struct kt_ir_widening *widening, struct kt_ir_region *region);

#endif
