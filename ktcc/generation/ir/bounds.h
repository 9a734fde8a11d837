/*
 * Between which numbers an integer is, and which comparisons follow from the conditions around a statement. For modules in
 * normal form, of one kernel.
 */
#ifndef KT_IR_BOUNDS_H
#define KT_IR_BOUNDS_H

#include "generation/ir/form.h"
#include "generation/ir/number.h"

enum { KT_IR_MOST_FACTS = 32 };

struct kt_ir_range {
	kt_ir_wide least, greatest;
};

struct kt_ir_bounds {
	const struct kt_ir_lets *lets;
	const int64_t *block; /* threads of a block; 0: not known */
	size_t count;
	struct kt_ir_range *ranges; /* by symbol id, of lets and counters that are known */
	bool *is_known;
};

/* A comparison that holds: lower < upper, or lower <= upper. */
struct kt_ir_fact {
	const struct kt_ir_value *lower, *upper;
	bool is_strict;
};

struct kt_ir_known {
	size_t count;
	struct kt_ir_fact facts[KT_IR_MOST_FACTS];
};

/* What must hold so that a condition does; what there is no room for is left as it is (KT_IR_BOTH). */
struct kt_ir_conjuncts {
	size_t count;
	const struct kt_ir_value *list[KT_IR_MOST_FACTS];
};

/* False: out of memory. */
bool kt_ir_bounds_of(struct kt_ir_bounds *bounds, struct kt_arena *arena, const struct kt_ir_module *module,
		     const struct kt_ir_lets *lets, const int64_t *block);
/* Of an integer, wherever its symbols are in scope. */
struct kt_ir_range kt_ir_range_of(const struct kt_ir_bounds *bounds, const struct kt_ir_value *value);
/* Of the very sum. */
struct kt_ir_range kt_ir_range_of_form(const struct kt_ir_bounds *bounds, const struct kt_ir_form *form);
/* Is the sum, modulo that number, surely none of 0 … most? */
bool kt_ir_is_beyond(const struct kt_ir_bounds *bounds, const struct kt_ir_form *form, kt_ir_wide most, kt_ir_wide modulus);

void kt_ir_conjuncts_of(struct kt_ir_conjuncts *all, const struct kt_ir_lets *lets, const struct kt_ir_value *condition);
/* Adds what the condition means; more than there is room for is left out. */
void kt_ir_know(struct kt_ir_known *known, const struct kt_ir_lets *lets, const struct kt_ir_value *condition);
/* Adds that counters of the loop are below its end. */
void kt_ir_know_loop(struct kt_ir_known *known, struct kt_ir_module *module, const struct kt_ir_lets *lets,
		     const struct kt_ir_statement *loop);
/* Is the condition true wherever all that is known holds? */
bool kt_ir_follows(const struct kt_ir_bounds *bounds, const struct kt_ir_known *known, const struct kt_ir_value *condition);

#endif
