/* The parts of a kernel whose loops are distributed: what the files of distributed.h share. */
#ifndef KT_IR_DISTRIBUTED_PARTS_H
#define KT_IR_DISTRIBUTED_PARTS_H

#include "generation/ir/distributed.h"

enum { KT_IR_MOST_ACCESSES = 96 };

struct kt_ir_part_access {
	const struct kt_ir_statement *statement, *loop; /* loop: distributed; NULL: outside of them */
	bool writes, is_first;                          /* is_first: of the first thread of a block alone */
};

struct kt_ir_parts {
	struct kt_ir_offer *offer;
	const struct kt_ir_function *kernel;
	const struct kt_ir_lets *lets;
	struct kt_ir_distribution *d;
	int64_t block;
	bool *varies; /* by symbol id: what is defined within a loop has several values */
	unsigned *sums; /* by symbol id of a total: atomics that add it to what other blocks have */
	size_t count;
	struct kt_ir_part_access accesses[KT_IR_MOST_ACCESSES];
	const char *why;
	uint32_t line;
};

/* False; the first reason is kept, with the statement's line. */
bool kt_ir_part_stop(struct kt_ir_parts *parts, const struct kt_ir_statement *statement, const char *why);

bool kt_ir_is_total(const struct kt_ir_statement *statement);
/*
 * An atomic or a total of a reduction: `v = 0; loops: v = v op …; atomic op (v)`, one after the other in the region, and v is
 * used
 * for nothing else. Then it counts only what is combined, not by how many threads.
 */
bool kt_ir_is_of_reduction(const struct kt_ir_parts *parts, const struct kt_ir_region *region,
			   const struct kt_ir_statement *atomic);
/* Is the local, which is declared outside of the loop, of a reduction? */
bool kt_ir_is_reduced(const struct kt_ir_parts *parts, const struct kt_ir_region *region, const struct kt_ir_statement *loop,
		      const struct kt_ir_symbol *symbol);

/*
 * Totals of a pair that a loop chooses, `best = c; index = d; loop: if (v > best) { best = v; index = i; }`: of the keys, and of what goes with
 * the chosen one. Then they are the same for any number of threads, of equal keys as well.
 */
bool kt_ir_is_of_choice(const struct kt_ir_parts *parts, const struct kt_ir_region *region, const struct kt_ir_statement *total);
/* Is the local, which is declared outside of the loop, of such a choice? */
bool kt_ir_is_chosen(const struct kt_ir_parts *parts, const struct kt_ir_region *region, const struct kt_ir_statement *loop,
		     const struct kt_ir_symbol *symbol);
/* The last set of the symbol in the list before that statement; NULL: there is none. */
const struct kt_ir_statement *kt_ir_set_before(const struct kt_ir_region *region, const struct kt_ir_statement *end,
					       const struct kt_ir_symbol *symbol);
/* Of a value: is it made of constants and of what the launch has, so that all threads that share iterations have it alike? */
bool kt_ir_is_fixed(const struct kt_ir_value *value, void *context);

/* May the order of these two accesses be another one, wherever they are in different iterations? Adds guards. */
bool kt_ir_may_swap(struct kt_ir_parts *parts, const struct kt_ir_part_access *a, const struct kt_ir_part_access *b,
		    const char *unless);

#endif
