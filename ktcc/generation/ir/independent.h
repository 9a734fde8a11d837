/* Kernels whose threads have nothing to do with each other: which thread does what may be changed freely. */
#ifndef KT_IR_INDEPENDENT_H
#define KT_IR_INDEPENDENT_H

#include "generation/ir/effect.h"
#include "generation/ir/form.h"
#include "generation/ir/pass.h"

/*
 * Why nothing may be reordered around the statement, for any pass that gives work to other threads: a return inside of a
 * loop, an opaque statement or call, a fence, an atomic that orders other accesses. NULL: it is none of these.
 */
const char *kt_ir_why_ordered(const struct kt_ir_statement *statement);

/*
 * NULL: threads of the kernel neither wait for each other nor exchange anything but by relaxed atomics, so that any
 * order of their statements is one in which they may run: that one thread does the work of several is a launch of the
 * original. Else what prevents it, and where.
 */
const char *kt_ir_why_dependent(const struct kt_ir_function *kernel, uint32_t *line);
/*
 * The same of the warps of a kernel, whose lanes may exchange values and synchronise: that a warp does the work of several, each
 * lane that of the same lanes, is a launch of the original.
 */
const char *kt_ir_why_warps_depend(const struct kt_ir_function *kernel, uint32_t *line);

/*
 * NULL: which threads are in one block makes no difference to its accesses. Else what prevents that blocks are divided otherwise, and
 * where: an atomic that is one for the threads of a block alone.
 */
const char *kt_ir_why_blocks_stay(const struct kt_ir_function *kernel, uint32_t *line);

/* Is the axis of that dimension read outside of global indices in normal form? */
bool kt_ir_names_axis(const struct kt_ir_function *kernel, enum kt_ir_axis axis, unsigned dimension);
/* Do threads of the dimension differ by their global index alone? */
bool kt_ir_uses_global_alone(const struct kt_ir_function *kernel, unsigned dimension);

/*
 * What a thread does at all only if its global index of the dimension is less than this: a value of the launch. NULL:
 * threads past the end of the grid might do something. is_unsigned: the comparison is.
 */
const struct kt_ir_value *kt_ir_bound_of(const struct kt_ir_function *kernel, const struct kt_ir_lets *lets,
					 unsigned dimension);

/*
 * The value of the launch in the language of guards, over the names of arguments and the original launch. NULL: it
 * cannot be spelled. What it relies on is added to the guards: arguments that are read as unsigned numbers are none below
 * zero.
 */
const char *kt_ir_launch_text(struct kt_ir_offer *offer, const struct kt_ir_lets *lets,
			      const struct kt_ir_value *value);
/*
 * The other way round: an expression over the kernel's arguments (kt_ir_facts.grid_of_arguments) as a value of the module's last function, of 32
 * bits without a sign. NULL: it has an operation or a type that is not understood, or there is none.
 */
const struct kt_ir_value *kt_ir_launch_value(struct kt_ir_module *module, const struct kt_ir_facts *facts, const struct kt_expr *expr);
/* Adds the kernel's assumptions to the guards; false: one has no words. */
bool kt_ir_offer_assumptions(struct kt_ir_offer *offer, const struct kt_ir_function *kernel);

/*
 * Adds a guard that the buffers of two arguments of the (normal) kernel do not overlap, unless this condition over
 * parameters holds (NULL: in all configurations). False: their element counts are not known, or one is no argument.
 */
bool kt_ir_keep_apart(struct kt_ir_offer *offer, const struct kt_ir_function *kernel, const struct kt_ir_symbol *a,
		      const struct kt_ir_symbol *b, const char *unless);

/* The same of all pairs. */
bool kt_ir_keep_all_apart(struct kt_ir_offer *offer, const struct kt_ir_function *kernel, const struct kt_ir_apart *apart,
			  const char *unless);

/* The offered module in normal form, a copy in the offer's arena; NULL: there is none, and the offer was refused. */
struct kt_ir_module *kt_ir_offer_normal(struct kt_ir_offer *offer);
/* The grid or block of the original launch; never NULL. */
const char *kt_ir_written_grid(const struct kt_ir_offer *offer, unsigned dimension);
const char *kt_ir_written_block(const struct kt_ir_offer *offer, unsigned dimension);

#endif
