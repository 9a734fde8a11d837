/*
 * Geometry: blocks of BLOCK threads, and as many of them as the work asks for.
 *
 * Sound when the thread index matters to nothing but the distributed loops' own first index and step: each of these visits
 * every index once under any geometry. One iteration for each thread (`if (i < n)`) is such a loop when the original launch has
 * a thread for every index: a guard checks it. SPLIT blocks may share a row where no thread waits for another.
 */
#include <string.h>

#include "generation/rules/family.h"

struct search {
	struct kt_family *family;
	const struct kt_tree *where; /* what is in the way */
	bool found;
};

static bool in_header(const struct kt_family *family, const struct kt_tree *node)
{
	for (size_t i = 0; i < family->loops.count; i++) {
		const struct kt_loop *loop = family->loops.loops[i];

		if (loop->form == KT_LOOP_FOR &&
		    ((loop->node->children[0] != NULL && kt_tree_contains(loop->node->children[0], node)) ||
		     kt_tree_contains(loop->node->children[2], node) ||
		     (loop->variable->declaration != NULL && kt_tree_contains(loop->variable->declaration, node))))
			return true;
		if (loop->declaration != NULL && kt_tree_contains(loop->declaration, node))
			return true;
	}
	return false;
}

static struct kt_tree_variable *declared(const struct kt_tree *node)
{
	while (node != NULL && node->kind != KT_TREE_VARIABLE && node->kind < KT_TREE_BLOCK)
		node = node->parent;
	return node != NULL && node->kind == KT_TREE_VARIABLE ? node->variable : NULL;
}

struct uses {
	const struct kt_family *family;
	const struct kt_tree_variable *variable;
};

/* Is every use of the variable in a header, or in another such variable's value? */
static bool is_fine(struct kt_tree *node, void *context)
{
	struct uses *uses = context;
	struct kt_tree_variable *into;

	if (node->kind != KT_TREE_REFERENCE || node->variable != uses->variable || in_header(uses->family, node))
		return true;
	into = declared(node);
	if (into == NULL || into == uses->variable || into->writes != 0)
		return false;
	return kt_tree_walk(uses->family->kernel->body, is_fine, &(struct uses){uses->family, into});
}

static bool stands_free(struct kt_tree *node, void *context)
{
	struct search *search = context;
	struct kt_tree_variable *v;

	if (node->kind != KT_TREE_BUILTIN || in_header(search->family, node))
		return true;
	v = declared(node);
	if (v != NULL && v->writes == 0 && !v->escapes &&
	    kt_tree_walk(search->family->kernel->body, is_fine, &(struct uses){search->family, v}))
		return true;
	search->where = node;
	return false;
}

/* Statements that share nothing out run in every thread: they may not touch memory. */
static bool has_effects(struct kt_tree *node, void *context)
{
	struct search *search = context;
	bool reads;

	for (size_t i = 0; i < search->family->loops.count; i++) {
		const struct kt_loop *loop = search->family->loops.loops[i];

		if (loop->share != KT_SHARE_BLOCK &&
		    (node == loop->node || (loop->form == KT_LOOP_RETURN && node->parent == loop->block &&
		                            node->range.begin > loop->node->range.begin)))
			return true;
	}
	if (node->kind == KT_TREE_CALL || node->kind == KT_TREE_STATEMENT ||
	    (node->kind == KT_TREE_INDEX && kt_tree_is_target(node, &reads)) ||
	    (kt_tree_is(node, KT_TREE_UNARY, "*") && kt_tree_is_target(node, &reads))) {
		search->where = node;
		search->found = true;
		return true;
	}
	for (size_t i = 0; i < node->count; i++)
		if (node->children[i] != NULL)
			has_effects(node->children[i], context);
	return true;
}

const char *kt_rule_clause(struct kt_family *family, const struct kt_poly *poly)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *text =
	    kt_poly_clause(&out, poly) && !out.failed ? kt_family_text(family, "%s", kt_buf_text(&out)) : NULL;

	kt_buf_free(&out);
	return text;
}

const char *kt_rule_launched(const struct kt_family *family, bool grid, unsigned dimension)
{
	const struct kt_region *r = family->kernel->region;
	const size_t count = grid ? r->grid_count : r->block_count;

	return dimension < count ? (grid ? r->grid[dimension].text : r->block[dimension].text) : "1";
}

bool kt_rule_decline(struct kt_family *family, enum kt_decline reason, const struct kt_tree *where, const char *detail)
{
	family->reason = reason;
	family->reason_detail = kt_rule_opencl_message(family, detail, true);
	/* What is missing has no line: the kernel's own. */
	family->reason_line = kt_tree_line(family->kernel, where != NULL ? where : family->kernel->body);
	return false;
}

static void add_block(struct kt_family *family, bool warps)
{
	static const int64_t threads[] = {32, 64, 128, 256, 512, 1024};
	struct kt_rule_parameter *p =
	    kt_family_parameter(family, "BLOCK", "threads of a block", warps ? threads : threads + 1, warps ? 6 : 5);

	for (size_t i = 0; i < 6; i++)
		if (threads[i] == family->block[0]) {
			p->has_original = true;
			p->original = family->block[0];
		}
	family->blocks[0] = "BLOCK";
	family->blocks[1] = family->blocks[2] = "1";
	family->launch_bounds = "__launch_bounds__(${BLOCK}) ";
}

const char *kt_rule_capped(struct kt_family *family, const char *extent, const char *each)
{
	static const int64_t flags[] = {0, 1, 2, 4};
	static const char held[] = "device.multiprocessors * max(1, device.max_threads_per_multiprocessor / BLOCK) * WAVES";
	const char *blocks = each != NULL ? kt_family_text(family, "max(1, ceil_div(%s, %s))", extent, each)
	                                  : kt_family_text(family, "max(1, %s)", extent);
	const long long greatest = (long long)kt_rule_greatest(family, extent);

	kt_family_parameter(family, "WAVES",
	                    "most blocks, in what all multiprocessors hold at once; 0: as many as there is work", flags, 4);
	/* Private copies ask for WAVES whether it takes blocks away or not. */
	if (greatest > 0 && !kt_family_has(family, "PRIVATE"))
		kt_family_restrict(family,
		                   each != NULL
		                       ? kt_family_text(family, "WAVES == 0 || ceil_div(%lld, %s) > %s", greatest, each, held)
		                       : kt_family_text(family, "WAVES == 0 || %lld > %s", greatest, held),
		                   "there are no more blocks on any problem");
	return kt_family_text(family, "WAVES == 0 ? (%s) : min(%s, %s)", blocks, blocks, held);
}

static struct kt_loop *only_loop(const struct kt_family *family, enum kt_share share)
{
	struct kt_loop *found = NULL;

	for (size_t i = 0; i < family->loops.count; i++)
		if (family->loops.loops[i]->share == share) {
			if (found != NULL)
				return NULL;
			found = family->loops.loops[i];
		}
	return found;
}

void kt_rule_set_loop(struct kt_family *family, const struct kt_loop *loop, const char *text)
{
	if (loop->form == KT_LOOP_FOR) {
		kt_write_set(&family->write, loop->node, text);
		return;
	}
	kt_write_set(&family->write, loop->declaration, "");
	kt_write_set(&family->write, loop->node, text);
	for (size_t i = loop->first; loop->form == KT_LOOP_RETURN && i < loop->block->count; i++)
		kt_write_set(&family->write, loop->block->children[i], "");
}

/* The loop one by one, over the new geometry. */
const char *kt_rule_plain_loop(struct kt_family *family, const struct kt_loop *loop, const char *start,
                               const char *step, const struct kt_squares *squares)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_tree *scope = kt_loop_scope(loop);
	const char *text, *name, *counter, *type = loop->variable->bare;

	name = loop->changes ? kt_family_name(family, kt_family_text(family, "%s_all", loop->variable->name))
	                     : loop->variable->name;
	counter = kt_squares_counter(family, squares, name);
	kt_buf_addf(&out, "for (%s %s = %s; %s < ", type, counter, start, counter);
	kt_write_node(&out, &family->write, loop->bound_node);
	kt_buf_addf(&out, "; %s += %s) {\n", counter, step);
	kt_squares_place(&out, squares, type, name);
	if (loop->changes)
		kt_buf_addf(&out, "%s %s = %s;\n", type, loop->variable->name, name);
	if (loop->body == NULL || scope->kind == KT_TREE_BLOCK)
		kt_write_statements(&out, &family->write, scope, loop->body == NULL ? loop->first : 0, scope->count);
	else
		kt_write_statement(&out, &family->write, scope);
	kt_buf_adds(&out, "\n}\n");
	text = kt_family_text(family, "%s", kt_buf_text(&out));
	family->failed = family->failed || out.failed;
	kt_buf_free(&out);
	return text;
}

static const char *canonical(struct kt_family *family, const char *text)
{
	struct kt_expr *expr;
	struct kt_error ignored;
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *canon = "";

	if (kt_expr_parse(&expr, family->kernel->arena, text, strlen(text), &ignored) == KT_OK) {
		kt_expr_canonical(&out, expr);
		canon = kt_family_text(family, "%s", kt_buf_text(&out));
	}
	kt_buf_free(&out);
	return canon;
}

/* Is the grid spelled as the bound over the block, rounded up? */
static bool rounds_up(struct kt_family *family, unsigned dimension, const char *bound)
{
	const char *grid = kt_rule_launched(family, true, dimension), *block = kt_rule_launched(family, false, dimension);
	const long long threads = family->block[dimension];
	const char *own = canonical(family, grid);
	const char *const forms[] = {
	    kt_family_text(family, "((%s) + (%s) - 1) / (%s)", bound, block, block),
	    kt_family_text(family, "((%s) + ((%s) - 1)) / (%s)", bound, block, block),
	    kt_family_text(family, "((%s) - 1) / (%s) + 1", bound, block),
	    kt_family_text(family, "ceil_div(%s, %s)", bound, block),
	    threads > 1 ? kt_family_text(family, "((%s) + %lld) / %lld", bound, threads - 1, threads) : "0",
	};

	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
		if (own[0] != '\0' && strcmp(own, canonical(family, forms[i])) == 0)
			return true;
	return false;
}

bool kt_rule_covers(struct kt_family *family, const struct kt_loop *loop)
{
	const char *bound = kt_rule_clause(family, loop->bound), *blocks = kt_rule_launched(family, true, loop->dimension);
	const char *rows = loop->linear ? kt_rule_launched(family, true, 1) : "1";

	if (loop->form == KT_LOOP_FOR || loop->exact)
		return true;
	if (bound == NULL)
		return kt_rule_decline(family, KT_DECLINE_BOUND_UNKNOWN, loop->node,
		                       "the bound of the index is no expression of the arguments");
	if (rounds_up(family, loop->dimension, bound))
		return true;
	if (strcmp(rows, "1") != 0)
		blocks = kt_family_text(family, "(%s) * (%s)", blocks, rows);
	kt_family_guard(family,
	                kt_family_text(family, "(%s) * (%s) >= (%s)", blocks,
	                               kt_rule_launched(family, false, loop->dimension), bound),
	                "the original launch has a thread for every index");
	return true;
}

struct returns {
	struct kt_family *family;
	const struct kt_tree *scope;
};

static bool set_return(struct kt_tree *node, void *context)
{
	struct returns *r = context;

	if (!kt_tree_is_return(node))
		return true;
	for (const struct kt_tree *at = node->parent; at != NULL && at != r->scope; at = at->parent)
		if (at->kind == KT_TREE_FOR || at->kind == KT_TREE_WHILE || at->kind == KT_TREE_DO)
			return false;
	kt_write_set(&r->family->write, node, "continue;");
	return true;
}

bool kt_rule_continues(struct kt_family *family, const struct kt_loop *loop, const struct kt_effects *effects)
{
	struct returns returns = {family, kt_loop_scope(loop)};
	struct kt_tree *scope = kt_loop_scope(loop);

	if (loop->form == KT_LOOP_FOR || effects->leaves->kind != KT_TREE_RETURN)
		return false;
	if (loop->body != NULL)
		return kt_tree_walk(scope, set_return, &returns);
	for (size_t i = loop->first; i < scope->count; i++)
		if (!kt_tree_walk(scope->children[i], set_return, &returns))
			return false;
	return true;
}

static bool rewrite_loop(struct kt_family *family, const struct kt_loop *loop, const char *start, const char *step)
{
	struct kt_effects effects;
	struct kt_error err;
	struct kt_vector *vector = NULL;
	const struct kt_tree_variable *counted;
	const struct kt_tree *repeated;
	struct kt_squares places, *squares = NULL;
	const char *text;
	const size_t first = loop->body == NULL ? loop->first : 0;

	if (kt_effects_read(&effects, &family->polys, kt_loop_scope(loop), first, &err) != KT_OK) {
		family->failed = true;
		return false;
	}
	if (effects.leaves != NULL && !kt_rule_continues(family, loop, &effects))
		return kt_rule_decline(family, KT_DECLINE_LOOP_LEFT, effects.leaves, "an iteration leaves the loop: its order matters");
	if (effects.barrier != NULL)
		return kt_rule_decline(
		    family, KT_DECLINE_THREADS_WAIT, effects.barrier,
		    kt_synchronisation_detail(effects.barrier, "threads wait for each other in the loop"));
	for (size_t i = 0; i < effects.fold_count; i++)
		if (!loop->changes || effects.folds[i].variable != loop->variable)
			return kt_rule_decline(family, KT_DECLINE_CARRIED, loop->node, "a value is carried between iterations");
	repeated = kt_rule_repeats(family, loop, &effects);
	if (repeated != NULL)
		return kt_rule_decline(family, KT_DECLINE_CARRIED, repeated, KT_REPEATED_DETAIL);
	/* Two iterations of a thread could access one place there, and the variant runs them in another order. */
	if (loop->form == KT_LOOP_FOR && effects.opaque != NULL)
		return kt_rule_decline(family, KT_DECLINE_LOOP_UNREAD, effects.opaque,
		                       "what this accesses cannot be followed, and a thread does its iterations in order");
	if (kt_family_allows(family, "vectorize") && !loop->changes)
		vector = kt_vector_plan(family, loop, &effects);
	counted = kt_rule_private(family, loop, &effects);
	if (vector != NULL)
		(void)kt_vector_even(family, &vector, 1);
	if (kt_rule_squares(&places, family, loop, &effects))
		squares = &places;
	text = vector != NULL ? kt_vector_text(family, vector,
	                                       &(struct kt_frame){.start = start, .step = step, .once = KT_FLAT_ONCE,
	                                                          .squares = squares})
	                      : kt_rule_plain_loop(family, loop, start, step, squares);
	if (counted != NULL)
		text = kt_family_text(family, "%s%s", text, kt_rule_private_end(family, counted));
	kt_rule_set_loop(family, loop, text);
	return !family->failed;
}

static bool is_top(const struct kt_family *family, const struct kt_loop *loop)
{
	return loop->outer == NULL && kt_loop_scope(loop) != NULL && family->kernel->body != NULL;
}

/* A bound that is not in the text is written out. */
static void write_bound(struct kt_family *family, const struct kt_loop *loop)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_poly_print(&text, family->kernel, loop->bound, NULL, NULL);
	kt_write_set(&family->write, loop->bound_node, kt_family_text(family, "%s", kt_buf_text(&text)));
	family->failed = family->failed || text.failed;
	kt_buf_free(&text);
}

void kt_rule_guard_counter(struct kt_family *family, const struct kt_loop *loop, const char *unless)
{
	const long long most = (1LL << 30) - 1024;
	const struct kt_poly *poly = loop->bound;
	const char *bound = kt_rule_clause(family, poly);

	if (bound == NULL || loop->variable->scalar == KT_SCALAR_NONE || kt_scalar_bytes(loop->variable->scalar) > 4 ||
	    poly->count == 0 || (poly->count == 1 && poly->terms[0].count == 0 && poly->terms[0].factor <= most))
		return;
	kt_family_guard(family, kt_family_text(family, "%s(%s) <= %lld", unless, bound, most),
	                "the counter keeps its range after the last index");
}

/* One loop over everything. */
static bool flat(struct kt_family *family, const struct kt_loop *loop)
{
	const char *bound, *unroll;

	if (loop->exact)
		write_bound(family, loop);
	if (!is_top(family, loop) || loop->dimension != 0)
		return kt_rule_decline(family, KT_DECLINE_SHAPE, loop->node, "more than one dimension");
	if (!kt_rule_covers(family, loop) || !rewrite_loop(family, loop, "(long long)blockIdx.x * ${BLOCK} + threadIdx.x",
	                                                   "(long long)gridDim.x * ${BLOCK}"))
		return false;
	bound = kt_rule_clause(family, loop->bound);
	kt_rule_guard_counter(family, loop, "");
	unroll = kt_family_has(family, "UNROLL") ? " * UNROLL" : "";
	family->grid[0] = kt_rule_capped(
	    family,
	    bound != NULL ? bound
	                  : kt_family_text(family, "(%s) * (%s)", kt_rule_launched(family, true, 0),
	                                   kt_rule_launched(family, false, 0)),
	    kt_family_text(family, "BLOCK%s%s", kt_family_has(family, "VEC") ? " * VEC" : "", unroll));
	family->grid[1] = family->grid[2] = "1";
	kt_family_applied(family, "geometry", "one loop over all elements: any number of threads and blocks will do");
	if (unroll[0] != '\0')
		kt_family_applied(family, "coarsen", "a thread takes UNROLL groups");
	return true;
}

/* A loop in which threads synchronise. */
static bool waits_in_no_loop(struct kt_tree *node, void *context)
{
	struct search *search = context;

	if (node->kind != KT_TREE_CALL || !kt_call_synchronises(node))
		return true;
	for (const struct kt_tree *at = node->parent; at != NULL; at = at->parent)
		if (at->kind == KT_TREE_FOR || at->kind == KT_TREE_WHILE || at->kind == KT_TREE_DO) {
			search->where = node;
			return false;
		}
	return true;
}

static bool is_one(const char *text)
{
	return strcmp(text, "1") == 0;
}

static bool is_no_loop(struct kt_tree *node, void *context)
{
	return node->kind != KT_TREE_FOR || node == context;
}

/* Items with separate loops, one thread for each, may go together (patch.c). */
static bool goes_in_patches(const struct kt_family *family, const struct kt_loop *loop)
{
	const struct kt_tree *body = family->kernel->body;

	if ((loop->form != KT_LOOP_IF && loop->form != KT_LOOP_RETURN) || loop->exact || loop->linear || loop->changes ||
	    loop->dimension != 0 || loop->node->parent != body || loop->declaration->count != 1 ||
	    kt_tree_walk(kt_loop_scope(loop), is_no_loop, NULL) || !kt_family_allows(family, "patch"))
		return false;
	for (size_t i = 0; i < body->count && body->children[i] != loop->node; i++)
		if (body->children[i]->kind != KT_TREE_DECLARE)
			return false;
	return true;
}

bool kt_rule_may_patch(const struct kt_family *family)
{
	const struct kt_loop *loop = only_loop(family, KT_SHARE_FLAT);

	for (unsigned d = 1; d < 3; d++)
		if ((!is_one(kt_rule_launched(family, true, d)) && !(d == 1 && loop != NULL && loop->linear)) ||
		    !is_one(kt_rule_launched(family, false, d)))
			return true;
	return loop != NULL && family->loops.count == 1 && goes_in_patches(family, loop);
}

static bool whole_rows(struct kt_family *family)
{
	add_block(family, true);
	return kt_rule_rows(family);
}

bool kt_rule_geometry(struct kt_family *family)
{
	struct search search = {.family = family};
	struct kt_loop *loop = only_loop(family, KT_SHARE_FLAT);

	for (unsigned d = 1; d < 3; d++)
		if ((!is_one(kt_rule_launched(family, true, d)) && !(d == 1 && loop != NULL && loop->linear)) ||
		    !is_one(kt_rule_launched(family, false, d)))
			return kt_row_is_in_grid(family) ? whole_rows(family)
			                                 : kt_rule_plane(family) || (family->reason == KT_DECLINE_NONE && kt_plane_decline(family));
	if (family->loops.count == 0 && family->loops.unbounded != NULL)
		return kt_rule_decline(family, KT_DECLINE_BOUND_UNKNOWN, family->loops.unbounded,
		                       "nothing bounds the index, and the launch's threads are no expression of the arguments");
	if (family->loops.count == 0 && family->loops.unread != NULL)
		return kt_rule_decline(family, KT_DECLINE_NO_SHARED_LOOP, family->loops.unread,
		                       "the loop's first index and step are not those of a loop that threads share");
	if (family->loops.count == 0 && !kt_tree_walk(family->kernel->body, waits_in_no_loop, &search))
		return kt_rule_decline(family, KT_DECLINE_THREADS_WAIT, search.where,
		                       "threads carry values between iterations, as in a scan: the result depends on "
		                       "the thread index");
	if (family->loops.count == 0)
		return kt_rule_decline(family, KT_DECLINE_NO_SHARED_LOOP, NULL,
		                       "no loop is distributed over threads or blocks");
	has_effects(family->kernel->body, &search);
	if (loop != NULL && family->loops.count == 1 && !search.found &&
	    kt_tree_walk(family->kernel->body, stands_free, &search)) {
		if (goes_in_patches(family, loop))
			return kt_rule_plane(family);
		add_block(family, false);
		return flat(family, loop);
	}
	return whole_rows(family);
}
