/* Pieces of exchange on their way to totals: what the files of cooperate.h share. */
#ifndef KT_IR_COOPERATE_PARTS_H
#define KT_IR_COOPERATE_PARTS_H

#include "generation/ir/form.h"
#include "generation/ir/simt.h"

struct kt_ir_piece {
	struct kt_ir_module *module;
	struct kt_ir_function *function;
	struct kt_arena *scratch;
	const struct kt_ir_uniformity *uniformity;
	const struct kt_ir_numbers *numbers;
	const struct kt_ir_lets *lets; /* of the kernel before its pieces are replaced */
	unsigned threads;
	const char *why;
	uint32_t line;
};

/* One list of statements: what was run before its last piece, and what that piece is replaced by. */
struct kt_ir_piece_list {
	struct kt_ir_piece *p;
	struct kt_ir_simt simt;
	const struct kt_ir_term_of ***before;              /* by symbol id: the values in front of the last piece; NULL there: leaves */
	unsigned *versions;           /* of these leaves */
	bool has_piece;
	struct kt_ir_region *out;     /* the statements so far */
	struct kt_ir_statement *last; /* of what replaces the last piece, or in front of it; NULL: at the very front */
	size_t made_count;
	struct kt_ir_made {
		const struct kt_ir_term_of *term;
		const struct kt_ir_value *value;
	} *made; /* totals, and operations on them, of the last piece */
};

/* Does the statement, or one inside of it, access shared memory, or synchronise? */
bool kt_ir_exchanges(const struct kt_ir_statement *statement);
/* Does it do more than load from shared memory? */
bool kt_ir_takes_part(const struct kt_ir_statement *statement);
/* A statement that the machine does not run, though values may pass through it. */
bool kt_ir_is_outside_piece(const struct kt_ir_statement *statement);

/* Why elements of shared memory may be reached by other names than their array's; NULL: they are not. */
const char *kt_ir_why_unnamed(const struct kt_ir_region *body);
/*
 * Loops in which a thread accesses its own element of a shared array alone, `s[thread] += …`: the element is a local there. False: out of memory.
 */
bool kt_ir_own_elements(struct kt_ir_module *module, struct kt_ir_function *kernel, const struct kt_ir_lets *lets);

/* Branches of some threads that exchange values, and whose first thread then changes memory, become two. False: out of memory. */
bool kt_ir_divide_branches(struct kt_ir_piece *piece);

/* Appends the statements to those that replace the last piece. */
void kt_ir_piece_add(struct kt_ir_piece_list *list, struct kt_ir_region *statements);
/*
 * The term as a value after the statements so far, to which its operands are added. NULL: it has no value before the last
 * piece.
 */
const struct kt_ir_value *kt_ir_piece_value(struct kt_ir_piece_list *list, const struct kt_ir_term_of *term);

#endif
