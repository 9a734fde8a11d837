/*
 * Rows: blocks take rows, the elements of one are distributed over the threads of a block, in one loop after the other, and
 * partial results are reduced in between.
 *
 * Sound when: the thread index matters only in the loops' headers, in reductions over the block and in `if (threadIdx.x == 0)`;
 * the reductions are all that sees a thread's part (row_check.c); the loops agree in how they distribute a row where one reads
 * what another wrote (one condition decides for all of them). A block may return as a whole. Blocks along several dimensions, a
 * row each, are not changed: only their threads change.
 *
 * Blocks that share a row may get other numbers, so that they start one after the other: where every place that asks for the
 * block's index is seen and gets the new name (kt_row_can_be_named), and their number fits into 32 bits.
 *
 * Kept rows: elements that several loops move stay in TURNS packs of registers of a thread, where a guard checks that they hold
 * the row.
 */
#include <string.h>

#include "generation/rules/rows.h"

bool kt_row_refuse(struct kt_row *row, enum kt_decline reason, const struct kt_tree *where, const char *detail)
{
	return kt_rule_decline(row->family, reason, where, detail);
}

void kt_row_consume(struct kt_row *row, const struct kt_tree *node)
{
	const struct kt_tree **slot =
	    kt_arena_push(row->family->kernel->arena, &row->consumed, &row->consumed_count, sizeof *slot);

	if (slot == NULL)
		row->family->failed = true;
	else
		*slot = node;
}

static const struct kt_loop *loop_of(const struct kt_row *row, const struct kt_tree *node)
{
	for (size_t i = 0; i < row->family->loops.count; i++) {
		const struct kt_loop *loop = row->family->loops.loops[i];

		if (loop->node == node && loop->form == KT_LOOP_FOR && loop->share != KT_SHARE_BLOCK)
			return loop;
	}
	return NULL;
}

/* On the line that is in the way, in its own words where they are known. */
static bool refuse_loop(struct kt_row *row, const struct kt_effects *effects)
{
	struct kt_tree *where = effects->barrier != NULL  ? effects->barrier
	                        : effects->leaves != NULL ? effects->leaves
	                                                  : effects->unknown;
	const struct kt_tree *base = where->kind == KT_TREE_INDEX ? kt_tree_bare(where->children[0]) : where;
	const char *detail = "what this does in the loop cannot be put in another order";

	if (where == effects->barrier)
		detail = kt_synchronisation_detail(where, "threads wait for each other in the loop");
	else if (where == effects->leaves)
		detail = "an iteration leaves the loop: its order matters";
	else if (where->kind == KT_TREE_INDEX && base->kind == KT_TREE_REFERENCE && base->variable != NULL &&
	         base->variable->writes != 0)
		detail = "memory is reached through a pointer that is set more than once";
	else if (where->kind == KT_TREE_INDEX || kt_tree_is(where, KT_TREE_UNARY, "*"))
		detail = "memory is reached through a pointer that cannot be followed";
	else if (where->kind == KT_TREE_CALL)
		detail = "a function gets a pointer here, and what it does with it is not known";
	return kt_row_refuse(row, KT_DECLINE_LOOP_UNREAD, where, detail);
}

static bool add_loop(struct kt_row *row, const struct kt_loop *loop, size_t at)
{
	struct kt_effects *effects = &row->effects[row->loop_count];
	const struct kt_tree *repeated;
	struct kt_error err;

	if (row->loop_count == KT_ROW_LOOPS || loop->dimension != 0)
		return kt_row_refuse(row, KT_DECLINE_SHAPE, loop->node, "loops in more than one dimension");
	if (kt_effects_read(effects, &row->family->polys, loop->body, 0, &err) != KT_OK) {
		row->family->failed = true;
		return false;
	}
	if (effects->barrier != NULL || effects->leaves != NULL || effects->unknown != NULL)
		return refuse_loop(row, effects);
	kt_row_take_pairs(row, loop, effects);
	if (row->ties != NULL)
		return kt_row_refuse(row, KT_DECLINE_TIES, row->ties, "which of equal values is taken depends on how the row is distributed over threads");
	for (size_t i = 0; i < effects->fold_count; i++)
		if (effects->folds[i].kind == KT_FOLD_NONE)
			return kt_row_refuse(row, KT_DECLINE_CARRIED, loop->node, "a value is carried between iterations");
	repeated = kt_rule_repeats(row->family, loop, effects);
	if (repeated != NULL)
		return kt_row_refuse(row, KT_DECLINE_CARRIED, repeated, KT_REPEATED_DETAIL);
	row->flat = row->flat || loop->share == KT_SHARE_FLAT;
	if (loop->node->children[0] != NULL)
		kt_row_consume(row, loop->node->children[0]);
	else
		kt_row_consume(row, loop->variable->declaration);
	kt_row_consume(row, loop->node->children[2]);
	row->loops[row->loop_count] = loop;
	row->loop_at[row->loop_count++] = at;
	return true;
}

static bool only_atomic(struct kt_tree *node, void *context)
{
	bool reads, memory = node->kind == KT_TREE_INDEX || kt_tree_is(node, KT_TREE_UNARY, "*");

	(void)context;
	return !(memory && kt_tree_is_target(node, &reads));
}

static bool read_statement(struct kt_row *row, size_t *at)
{
	struct kt_tree *node = row->block->children[*at];
	const struct kt_loop *loop = loop_of(row, node);
	struct kt_row_hunt hunt = {.row = row};

	if (loop != NULL)
		return add_loop(row, loop, *at);
	kt_row_read_calls(row, *at);
	if (kt_row_read_tree(row, *at) || kt_row_read_pair(row, *at)) {
		row->alone = true;
		*at = row->folds[row->fold_count - 1].end - 1;
		return true;
	}
	if (row->ties != NULL)
		return kt_row_refuse(row, KT_DECLINE_TIES, row->ties, "which of equal values is taken depends on how the row is distributed over threads");
	if (kt_row_is_call(node, "__syncthreads")) {
		row->alone = true;
		return true;
	}
	/* The whole block returns: the condition asks for no thread's place, as nothing does. */
	if (node->kind == KT_TREE_IF && node->count == 2 && row->outer == NULL &&
	    kt_row_lone(node->children[1])->kind == KT_TREE_RETURN && kt_row_lone(node->children[1])->count == 0 &&
	    kt_tree_walk(node->children[0], kt_row_no_write, &hunt))
		return true;
	if (kt_row_is_lone(row, node)) {
		kt_row_consume(row, node->children[0]);
		row->alone = true;
		row->only_atomics = row->only_atomics && kt_tree_walk(node->children[1], only_atomic, NULL);
		return true;
	}
	if (!kt_tree_walk(node, kt_row_no_write, &hunt)) {
		if (node->kind != KT_TREE_ASSIGN || !kt_tree_is(node, KT_TREE_ASSIGN, "="))
			return kt_row_refuse(row, KT_DECLINE_SHAPE, hunt.where,
			              "this is outside of the distributed loops, and no reduction in shared memory that the rules know");
		row->alone = true;
		row->only_atomics = false;
	}
	return true;
}

/* Which of the row's loops move elements together: all that share it out in one way, or each by itself. */
struct plan {
	struct kt_vector *vectors[KT_ROW_LOOPS], *shared[KT_ROW_LOOPS]; /* of each loop, or NULL; those of the first kind */
	size_t shared_count;
	bool unread, even; /* a loop is of no kind; with EVEN guards asked for all of the first kind */
};

/* Which loops share the row out alike, by what is known before the first one; divided: those with quotients as well. */
static void share_alike(struct plan *plan, struct kt_row *row, bool divided)
{
	plan->shared_count = 0;
	plan->unread = false;
	for (size_t i = 0; i < row->loop_count; i++) {
		if (plan->vectors[i] != NULL && !row->flat && kt_poly_equal(row->loops[i]->bound, row->loops[0]->bound) &&
		    kt_vector_is_known(row->family, plan->vectors[i], row->loops[0]->node->range.begin, divided))
			plan->shared[plan->shared_count++] = plan->vectors[i];
		else
			plan->unread = true;
	}
}

static void plan_loops(struct plan *plan, struct kt_row *row)
{
	struct kt_family *family = row->family;
	bool passes;

	for (size_t i = 0; i < row->loop_count; i++)
		if (kt_family_allows(family, "vectorize"))
			plan->vectors[i] = kt_vector_plan(family, row->loops[i], &row->effects[i]);
	share_alike(plan, row, false);
	/* What shares a row out in two ways must not pass data from one to the other: where it may, all loops have one condition. */
	passes = plan->unread && kt_row_synchronises(row, false, false);
	if (passes)
		share_alike(plan, row, true);
	if (passes && plan->unread) {
		for (size_t i = 0; i < row->loop_count; i++)
			plan->vectors[i] = NULL;
		plan->shared_count = 0;
	}
	plan->even = kt_vector_even(family, plan->shared, plan->shared_count);
	for (size_t i = 0; i < row->loop_count; i++) {
		bool is_shared = plan->vectors[i] == NULL;

		for (size_t k = 0; k < plan->shared_count; k++)
			is_shared = is_shared || plan->shared[k] == plan->vectors[i];
		if (!is_shared)
			(void)kt_vector_even(family, &plan->vectors[i], 1);
	}
}

static bool is_along_x(struct kt_tree *node, void *context)
{
	(void)context;
	return node->kind != KT_TREE_BUILTIN || node->dimension == 0;
}

/* What the row does besides the loops that share it out in one way. False: that cannot be read. */
static bool read_others(struct kt_keep *keep, struct kt_row *row, const struct plan *plan)
{
	struct kt_arena *arena = row->family->kernel->arena;

	for (size_t i = row->first; i < row->block->count; i++) {
		const struct kt_effects **slot, *effects = NULL;
		bool is_shared = false;

		for (size_t l = 0; l < row->loop_count; l++) {
			if (row->loop_at[l] != i)
				continue;
			effects = &row->effects[l];
			for (size_t k = 0; k < plan->shared_count; k++)
				is_shared = is_shared || plan->shared[k] == plan->vectors[l];
		}
		if (is_shared)
			continue;
		if (effects == NULL) {
			struct kt_effects *own = kt_arena_alloc(arena, sizeof *own);
			struct kt_error ignored;

			if (own == NULL || kt_effects_read(own, &row->family->polys, row->block->children[i], 0, &ignored) != KT_OK)
				return false;
			effects = own;
		}
		NEED(slot = kt_arena_push(arena, &keep->others, &keep->other_count, sizeof *slot), false);
		*slot = effects;
	}
	return true;
}

static bool write_loops(struct kt_row *row, struct plan *plan)
{
	struct kt_keep keep = {.vectors = plan->shared, .count = plan->shared_count};
	static const int64_t turns[] = {0, 1, 2, 4, 8}, splits[] = {1, 2, 4, 8, 0}, besides[] = {0, 1};
	struct kt_family *family = row->family;
	struct kt_vector **vectors = plan->vectors, **shared = plan->shared;
	struct kt_buf front = KT_BUF(KT_LIMIT_SOURCE_BYTES), first = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	/* Blocks that share a row are along y: the kernel itself may not use that index. */
	const bool split = !row->alone && !row->flat && !row->in_grid &&
	                   kt_tree_walk(family->kernel->body, is_along_x, NULL);
	const char *wide = NULL,
	           *bound = row->loops[0]->bound != NULL ? kt_rule_clause(family, row->loops[0]->bound) : NULL;
	struct kt_frame frame = {.start = "threadIdx.x", .step = "${BLOCK}"};
	const size_t shared_count = plan->shared_count;
	const bool covers = split && row->loop_count == 1 && bound != NULL;
	bool keeps = false;

	if (split) {
		kt_family_parameter(family, "SPLIT",
		                    covers ? "blocks that share a row; 0: as many as leave each thread one turn"
		                           : "blocks that share a row",
		                    splits, covers ? 5 : 4);
		if (kt_row_can_be_named(family)) {
			family->row_name = kt_family_name(family, "block_row");
			family->piece_name = kt_family_name(family, "block_piece");
			kt_family_parameter(family, "BESIDE", "1: the launch order has blocks that share a row next to each other", besides, 2);
			kt_family_restrict(family, "BESIDE == 0 || SPLIT != 1", "one block has all of a row");
		}
		frame.piece = family->piece_name != NULL ? family->piece_name : "blockIdx.y";
		frame.start = kt_family_text(family, "${if SPLIT != 1}%s * ${BLOCK} + ${end}threadIdx.x", frame.piece);
		frame.step = covers ? "${if SPLIT == 0}gridDim.y * ${BLOCK}${else}${= SPLIT * BLOCK}${end}"
		                    : "${= SPLIT * BLOCK}";
		frame.covers = covers;
	} else if (row->clusters) {
		frame.start = "${if CLUSTER > 1}blockIdx.y * ${BLOCK} + ${end}threadIdx.x";
		frame.step = "${if CLUSTER > 1}${= CLUSTER * BLOCK}${else}${BLOCK}${end}";
	} else if (row->flat) {
		frame.start = "(long long)blockIdx.x * ${BLOCK} + threadIdx.x";
		frame.step = "(long long)gridDim.x * ${BLOCK}";
		frame.once = KT_FLAT_ONCE;
	}
	if (shared_count > 0) {
		wide = kt_family_name(family, "wide");
		kt_buf_addf(&front,
		            "${if %s}\n// All accesses of the row can move ${VEC} elements.\nconst bool %s = ",
		            plan->even ? "VEC > 1 && !EVEN" : "VEC > 1", wide);
		for (size_t i = 0; i < shared_count; i++) {
			kt_vector_conditions(&front, family, shared[i]);
		}
		kt_buf_adds(&front, " &&\n(long long)(");
		kt_poly_print(&front, family->kernel, row->loops[0]->bound, NULL, NULL);
		kt_buf_addf(&front, ") + (long long)(%s) * ${VEC} <= 0x7fffffffLL;\n${end}\n", frame.step);
		keeps = shared_count > 1 && bound != NULL && kt_family_allows(family, "row_cache") &&
			kt_rule_target(family)->has_cuda_words && read_others(&keep, row, plan) &&
			kt_vector_keep(&front, family, &keep);
	}
	if (keeps) {
		kt_family_parameter(family, "TURNS", "packs of a row that a thread keeps in registers; 0: rows are read again",
		                    turns, 5);
		kt_family_restrict(family, "TURNS == 0 || VEC > 1 && UNROLL == 1",
		                   "only packs are kept, and all turns are unrolled");
		kt_family_restrict(family, kt_family_text(family, "TURNS == 0 || (%s) <= BLOCK * VEC * TURNS%s", bound,
		                                          split ? " * SPLIT" : row->clusters ? " * CLUSTER" : ""),
		                   "the kept packs hold a row");
		kt_family_applied(family, "row_cache", "elements that several loops move stay in registers");
	}
	row->shared = !plan->unread;
	row->covers = covers;
	for (size_t i = 0; i < row->loop_count; i++) {
		bool is_shared = false;

		for (size_t k = 0; k < shared_count; k++)
			is_shared = is_shared || shared[k] == vectors[i];
		frame.wide = is_shared ? wide : NULL;
		frame.turns = is_shared && keeps;
		kt_buf_clear(&first);
		if (i == 0)
			kt_buf_adds(&first, kt_buf_text(&front));
		kt_buf_adds(&first, vectors[i] != NULL ? kt_vector_text(family, vectors[i], &frame)
		                                       : kt_rule_plain_loop(family, row->loops[i], frame.start, frame.step, NULL));
		kt_rule_set_loop(family, row->loops[i], kt_family_text(family, "%s", kt_buf_text(&first)));
	}
	kt_row_fit(row);
	family->failed = family->failed || front.failed || first.failed;
	kt_buf_free(&front);
	kt_buf_free(&first);
	return !family->failed;
}

/* What thread 0 does once for each row. */
static void write_lone(struct kt_row *row)
{
	for (size_t i = row->first; row->clusters && i < row->block->count; i++) {
		struct kt_tree *node = row->block->children[i];

		if (kt_row_is_lone(row, node))
			kt_write_set(&row->family->write, node->children[0],
			             "threadIdx.x == 0${if CLUSTER > 1} && blockIdx.y == 0${end}");
	}
}

/* Barriers that only guarded the shared arrays are gone with them, and so are the arrays. */
static bool is_gone(struct kt_row *row, const struct kt_tree *node)
{
	for (size_t i = 0; node->kind == KT_TREE_DECLARE && i < node->count; i++)
		if (node->children[i]->kind != KT_TREE_VARIABLE || !node->children[i]->variable->is_shared ||
		    kt_row_is_announced(row, node->children[i]->variable))
			return false;
	return node->kind == KT_TREE_DECLARE;
}

static void write_rest(struct kt_row *row)
{
	const bool meet = row->announces || kt_row_synchronises(row, row->shared, false);

	for (size_t i = row->first; i < row->block->count; i++) {
		struct kt_tree *node = row->block->children[i];
		bool in_fold = false;

		for (size_t f = 0; f < row->fold_count; f++)
			in_fold = in_fold || (i >= row->folds[f].statement && i < row->folds[f].end);
		if (!in_fold && !meet && kt_row_is_call(node, "__syncthreads"))
			kt_write_set(&row->family->write, node, "");
	}
	for (size_t i = 0; i < row->family->kernel->body->count; i++) {
		struct kt_tree *node = row->family->kernel->body->children[i];

		if (is_gone(row, node))
			kt_write_set(&row->family->write, node, "");
	}
}

static bool find_row(struct kt_row *row)
{
	struct kt_family *family = row->family;

	row->block = family->kernel->body;
	for (size_t i = 0; i < family->loops.count; i++) {
		const struct kt_loop *loop = family->loops.loops[i];

		if (loop->share != KT_SHARE_BLOCK || loop->form != KT_LOOP_FOR)
			continue;
		if (row->outer != NULL || loop->outer != NULL || loop->dimension != 0)
			return kt_row_refuse(row, KT_DECLINE_SHAPE, loop->node, "rows are distributed more than once");
		row->outer = loop;
	}
	if (row->outer == NULL)
		return true;
	if (row->outer->body->kind == KT_TREE_BLOCK) {
		row->block = row->outer->body;
	} else {
		/* A lone statement: its loop is the only child of a block that is not there. */
		struct kt_tree *block = kt_arena_alloc(family->kernel->arena, sizeof *block);

		NEED(block, false);
		*block = (struct kt_tree){.kind = KT_TREE_BLOCK, .range = row->outer->body->range, .count = 1,
		                          .children = &row->outer->node->children[3], .parent = row->outer->node};
		row->block = block;
	}
	return true;
}

static bool outside_is_pure(struct kt_row *row)
{
	struct kt_row_hunt hunt = {.row = row};

	if (row->outer == NULL)
		return true;
	for (size_t i = 0; i < row->family->kernel->body->count; i++) {
		struct kt_tree *node = row->family->kernel->body->children[i];

		if (node != row->outer->node && (node->kind != KT_TREE_DECLARE || !kt_tree_walk(node, kt_row_no_write, &hunt)))
			return kt_row_refuse(row, KT_DECLINE_SHAPE, node, "this is done outside of the loop over rows");
	}
	return true;
}

struct use {
	const struct kt_loop *outer;
};

static bool in_row_header(struct kt_tree *node, void *context)
{
	const struct use *use = context;

	return node->kind != KT_TREE_BUILTIN || (node->builtin != KT_BLOCK_INDEX && node->builtin != KT_GRID_EXTENT) ||
	       kt_tree_contains(use->outer->node->children[0], node) ||
	       kt_tree_contains(use->outer->node->children[2], node);
}

/* A block's number among all that share rows is one of 32 bits. */
static void guard_pieces(struct kt_family *family, const char *rows, const char *pieces)
{
	const char *launched = rows != NULL ? rows : kt_rule_launched(family, true, 0);

	if (family->piece_name != NULL)
		kt_family_guard(family,
		                kt_family_text(family, "BESIDE == 0 || (%s) * max(SPLIT, %s) <= 4294967295", launched, pieces),
		                "blocks are counted in 32 bits");
}

static void set_grid(struct kt_row *row)
{
	struct kt_family *family = row->family;
	const char *rows = row->outer != NULL ? kt_rule_clause(family, row->outer->bound) : NULL;
	struct use use = {row->outer};
	const bool by_rows = rows != NULL && kt_tree_walk(family->kernel->body, in_row_header, &use);
	const char *across = by_rows ? rows : NULL;

	family->grid[1] = kt_family_has(family, "SPLIT") ? "SPLIT" : row->clusters ? "CLUSTER" : "1";
	family->grid[2] = "1";
	if (row->covers) {
		const char *pieces = kt_family_text(family, "ceil_div(%s, BLOCK%s)", kt_rule_clause(family, row->loops[0]->bound),
		                                    kt_family_has(family, "VEC") ? " * VEC * UNROLL" : "");

		family->grid[1] = kt_family_text(family, "SPLIT == 0 ? max(1, %s) : SPLIT", pieces);
		kt_family_guard(family, kt_family_text(family, "SPLIT != 0 || %s <= 65535", pieces),
		                "a grid has no more blocks in this direction");
		kt_rule_guard_counter(family, row->loops[0], "SPLIT != 0 || ");
		guard_pieces(family, across, pieces);
	} else {
		guard_pieces(family, across, "1");
	}
	if (row->in_grid) {
		for (unsigned d = 0; d < 3; d++)
			family->grid[d] = kt_rule_launched(family, true, d);
	} else if (row->flat) {
		const char *bound = kt_rule_clause(family, row->loops[0]->bound);

		kt_rule_guard_counter(family, row->loops[0], "");
		family->grid[0] =
		    bound != NULL ? kt_rule_capped(family, bound, kt_family_text(family, "BLOCK%s%s",
		                                                                 kt_family_has(family, "VEC") ? " * VEC" : "",
		                                                                 kt_family_has(family, "UNROLL") ? " * UNROLL" : ""))
		                  : kt_rule_launched(family, true, 0);
	} else if (by_rows) {
		family->grid[0] = kt_rule_capped(family, rows, row->teams ? "ROWS" : NULL);
		kt_row_take_once(row, rows);
	} else if (row->teams) {
		family->grid[0] = kt_family_text(family, row->outer != NULL ? "ceil_div(%s, ROWS)" : "(%s) / ROWS",
		                                 kt_rule_launched(family, true, 0));
	} else {
		family->grid[0] = kt_rule_launched(family, true, 0);
	}
}

bool kt_row_is_in_grid(const struct kt_family *family)
{
	bool found = false;

	for (unsigned d = 1; d < 3; d++)
		if (strcmp(kt_rule_launched(family, false, d), "1") != 0)
			return false;
	for (size_t i = 0; i < family->loops.count; i++) {
		const struct kt_loop *loop = family->loops.loops[i];

		if (loop->share == KT_SHARE_FLAT || (loop->share == KT_SHARE_BLOCK && loop->form == KT_LOOP_FOR))
			return false;
		found = found || loop->share == KT_SHARE_THREAD;
	}
	return found && kt_rule_target(family)->has_cuda_words;
}

bool kt_rule_rows(struct kt_family *family)
{
	struct kt_row *row = kt_arena_alloc(family->kernel->arena, sizeof *row);
	struct plan plan = {.shared_count = 0};

	if (row == NULL) {
		family->failed = true;
		return false;
	}
	row->family = family;
	row->only_atomics = true;
	for (unsigned d = 1; d < 3; d++)
		row->in_grid = row->in_grid || strcmp(kt_rule_launched(family, true, d), "1") != 0;
	if (!find_row(row))
		return false;
	if (row->outer != NULL) {
		if (row->outer->node->children[0] == NULL)
			return kt_row_refuse(row, KT_DECLINE_SHAPE, row->outer->node, "the rows' first index is set elsewhere");
		kt_row_consume(row, row->outer->node->children[0]);
		kt_row_consume(row, row->outer->node->children[2]);
	}
	for (size_t i = row->first; i < row->block->count; i++)
		if (!read_statement(row, &i))
			return false;
	row->in_grid = row->in_grid && !row->flat;
	if (row->loop_count == 0)
		return kt_row_refuse(row, KT_DECLINE_NO_SHARED_LOOP, NULL, "no loop is distributed over threads");
	if (!outside_is_pure(row) || !kt_row_check(row) || !kt_row_has_no_order(row) || !kt_row_fuses(row))
		return false;
	kt_row_forward(row, false);
	kt_row_plan_team(row);
	plan_loops(&plan, row);
	if (!kt_row_write_trees(row))
		return false;
	write_lone(row);
	kt_row_forward(row, true);
	if (!write_loops(row, &plan))
		return false;
	write_rest(row);
	set_grid(row);
	kt_family_applied(family, "geometry", "rows among blocks, elements among threads: any number of threads will do");
	return true;
}
