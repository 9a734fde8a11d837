/*
 * Runs statements on terms for all threads of a block side by side: one statement after the other, by those threads that
 * are active. Where a branch depends on data, what it sets and stores is selected by its condition.
 */
#ifndef KT_IR_SIMT_H
#define KT_IR_SIMT_H

#include "generation/ir/symbolic.h"
#include "generation/ir/uniform.h"

/* Elements of a shared array, row by row; NULL: never written. */
struct kt_ir_cells {
	const struct kt_ir_symbol *symbol;
	int64_t count;
	const struct kt_ir_term_of **terms;
};

struct kt_ir_simt {
	struct kt_ir_terms terms;
	struct kt_arena *arena;
	const struct kt_ir_uniformity *uniformity;
	size_t symbol_count;
	unsigned *versions;                       /* by symbol id: what its leaves are called now */
	const struct kt_ir_term_of ***values;     /* by symbol id: of each thread; NULL: a leaf of its version */
	size_t cell_count;
	struct kt_ir_cells *cells;
	/* By thread, within branches of which it is not known whether they are taken: their condition; NULL: it is known. */
	const struct kt_ir_term_of **conditions;
	const char *why;                          /* what cannot be run */
	uint32_t line;
	unsigned steps;
};

/* All symbols are leaves, and all shared memory is unset. numbers: NULL: nothing is known. False: out of memory. */
bool kt_ir_simt_start(struct kt_ir_simt *simt, struct kt_ir_module *module, struct kt_arena *arena,
		      const struct kt_ir_uniformity *uniformity, const struct kt_ir_numbers *numbers, unsigned threads);

/* May the statement be run: does it compute, exchange and branch, without accesses to memory that is not shared? */
bool kt_ir_simt_fits(const struct kt_ir_statement *statement);
/* Runs it by all threads. False: why has what prevents it. */
bool kt_ir_simt_run(struct kt_ir_simt *simt, const struct kt_ir_statement *statement);
/* The symbol was set by something that is not run: from now on it is a leaf of another version. */
void kt_ir_simt_forget(struct kt_ir_simt *simt, const struct kt_ir_symbol *symbol);
/* What the symbol is for the thread. */
const struct kt_ir_term_of *kt_ir_simt_of(struct kt_ir_simt *simt, const struct kt_ir_symbol *symbol, unsigned thread);
/* What a load from shared memory gives to the thread; bad: its element is not known. */
const struct kt_ir_term_of *kt_ir_simt_load(struct kt_ir_simt *simt, const struct kt_ir_place *place, unsigned thread);

#endif
