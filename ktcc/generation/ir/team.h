/*
 * Loops that one thread runs for its work item, whose iterations several threads, a team, may share: sums, least and greatest
 * values with what goes with them (their index), and iterations that write to separate places. For kernels in normal form.
 */
#ifndef KT_IR_TEAM_H
#define KT_IR_TEAM_H

#include "generation/ir/form.h"
#include "generation/ir/pass.h"
#include "generation/ir/uniform.h"

enum { KT_IR_MOST_TEAM_LOOPS = 8, KT_IR_MOST_CARRIED = 8, KT_IR_MOST_PAYLOADS = 4 };

/* A local that a loop carries from iteration to iteration, so that parts of it can be combined. */
struct kt_ir_carried {
	struct kt_ir_symbol *symbol;
	struct kt_ir_reduction reduction; /* of a sum, product, minimum or maximum: `v = v op e` */
	/*
	 * Of a choice, `if (e > best) { best = e; index = … }`: its branch, the comparison as (chosen, kept), and what is set
	 * besides. NULL: it is a reduction.
	 */
	const struct kt_ir_statement *choice;
	enum kt_ir_op comparison;
	/* Of equal values the payload of that number decides, by this comparison (LT, GT); CONSTANT: the order of iterations does. */
	enum kt_ir_op tie;
	size_t tie_payload;
	size_t payload_count;
	struct kt_ir_symbol *payloads[KT_IR_MOST_PAYLOADS];
};

struct kt_ir_team_loop {
	struct kt_ir_statement *statement;
	bool is_repeated; /* it is inside of another loop */
	size_t count;
	struct kt_ir_carried carried[KT_IR_MOST_CARRIED];
};

struct kt_ir_team {
	size_t count;
	struct kt_ir_team_loop loops[KT_IR_MOST_TEAM_LOOPS]; /* none is in another one */
	/* Accesses of different threads of a team may reach one place, so that they synchronise around each write. */
	bool needs_order;
	bool has_repeated_write; /* a write, or a loop with one, is inside of a loop */
	bool goes_along, goes_across; /* accesses whose next iteration is at an element nearby; others */
	uint64_t bytes; /* of all that is combined for one thread */
};

/*
 * Finds the outermost loops that a team may share. NULL: there is one at least, and everything else may be computed by all
 * threads of the team alike, while one of them writes. Else what prevents it, and where. Guards that keep buffers disjoint,
 * unless
 * TEAM is 1, are added to the offer.
 */
const char *kt_ir_why_no_team(struct kt_ir_team *team, uint32_t *line, struct kt_ir_offer *offer, struct kt_ir_module *module,
			      const struct kt_ir_lets *lets);

/*
 * Choices in one form, in the bodies of loops: neighbouring branches and selections of one condition one branch, which names its comparison.
 */
void kt_ir_join_branches(struct kt_ir_module *module, struct kt_ir_function *kernel);

/*
 * What the loop carries. NULL: every value that goes from one iteration to the next one is one of these. `at`: where the loop
 * is. Else what prevents it, and where.
 */
const char *kt_ir_why_carried(struct kt_ir_team_loop *loop, uint32_t *line, const struct kt_ir_lets *lets,
			      const struct kt_ir_function *kernel, const void *at);

/* Is the local chosen in the loop by comparison, or goes with one that is, and depends nothing there on it but the choice? *found: which. */
bool kt_ir_is_choice(struct kt_ir_carried *found, struct kt_ir_statement *loop, const struct kt_ir_symbol *symbol,
		     const struct kt_ir_lets *lets);

/* How a team is placed, and what its threads have: symbols of the kernel's body. */
struct kt_ir_team_shape {
	struct kt_ir_module *module;
	struct kt_ir_region *front; /* what comes before the kernel's body: declarations are added */
	int64_t size;    /* threads of a team, a power of two */
	int64_t width;   /* neighbouring work items between two threads of a team, a power of two */
	int64_t threads; /* of a block */
	const struct kt_ir_symbol *thread, *member; /* the thread in its block, and in its team */
	const struct kt_ir_symbol *mask; /* lanes of the warp that are of its team */
};

/* Is the team in one warp? Else its threads synchronise by barriers of the block. */
bool kt_ir_team_is_in_warp(const struct kt_ir_team_shape *shape);
/* Orders accesses of the team's threads. */
void kt_ir_team_synchronise(const struct kt_ir_team_shape *shape, struct kt_ir_region *to);
/*
 * The loop with its iterations distributed over the team, and its carried values combined after it, at the end of the region.
 * The statement is changed, and becomes part of it.
 */
void kt_ir_team_share(const struct kt_ir_team_shape *shape, struct kt_ir_region *to, const struct kt_ir_team_loop *loop);
/*
 * Moves barriers of the block out of the branches that they are in: those are divided into what comes before and after the
 * barrier, so that all threads of the block come to it.
 */
void kt_ir_lift_barriers(struct kt_ir_module *module, struct kt_ir_function *kernel);

#endif
