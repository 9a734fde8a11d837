/* Parts of product_digits.c and product_index.c: threads and results of a block as digits. */
#ifndef KT_IR_PRODUCT_DIGITS_H
#define KT_IR_PRODUCT_DIGITS_H

#include "generation/ir/form.h"
#include "generation/ir/product_results.h"

enum { KT_IR_MOST_BOUNDARIES = 8, KT_IR_MOST_DIGITS = 12, KT_IR_MOST_RANGES = 32 };
enum { KT_IR_DIMENSIONS = 3 };
/* What digits are of: thread.x, thread.y, thread.z, the number of a thread's result. */
enum { KT_IR_DIGITS_OF_RESULT = KT_IR_DIMENSIONS, KT_IR_DIGIT_SOURCES };

/* value / low % (high / low) of a source. */
struct kt_ir_digit_range {
	int source; /* -1: none */
	int64_t low, high;
	const struct kt_ir_symbol *symbol; /* that stands for it meanwhile */
	const struct kt_ir_value *sum;     /* of digits, as a word; NULL: not made yet */
};

struct kt_ir_digit {
	/* What stands for it meanwhile: an axis that no launch has, since the number of a thread is one in any type of 32 bits. */
	const struct kt_ir_value *atom;
	int source;
	int64_t low, count;
	/* Where what is stored is: its factor, and what that is multiplied with. */
	int64_t factor;
	struct kt_ir_term stride;
	int index; /* along which it counts: 0 or 1 of `indices` */
};

/* Digits that are one index, the one of the least factor first. */
struct kt_ir_digit_index {
	size_t count;
	const struct kt_ir_digit *digits[KT_IR_MOST_DIGITS];
	int64_t extent;
	unsigned dimension;
};

struct kt_ir_digits {
	struct kt_ir_module *module;
	struct kt_ir_product_view *view;
	const struct kt_ir_product_items *items;
	struct kt_ir_lets lets;
	int64_t extents[KT_IR_DIGIT_SOURCES]; /* values of each source, from zero */
	size_t boundary_counts[KT_IR_DIGIT_SOURCES], range_count, digit_count, index_count;
	int64_t boundaries[KT_IR_DIGIT_SOURCES][KT_IR_MOST_BOUNDARIES];
	struct kt_ir_digit_range ranges[KT_IR_MOST_RANGES];
	struct kt_ir_digit digits[KT_IR_MOST_DIGITS];
	struct kt_ir_digit_index indices[2];
	const struct kt_ir_place *stored;
	bool failed;
};

/* Digits in place of the sources, in all values. False: one is divided unevenly, or into too many parts. */
bool kt_ir_find_digits(struct kt_ir_digits *digits);

#endif
