/*
 * Products by tiles in registers and shared memory. Where the iterations of a loop combine what depends on the work item's index
 * along x with what depends on that along y, a block computes a tile of BX * TN by BY * TM work items. For BK iterations at a time it
 * loads both into shared memory, once for the tile, and each thread combines them for its TN by TM work items in registers; with AHEAD
 * it loads the next ones meanwhile.
 *
 * Sound where threads are independent: nothing that a thread loads in the loop is written by another one, so that any thread may load
 * it. It is loaded for indices within the bounds of all that the kernel changes, in tiles whose first work item is, and so it is loaded
 * by the original, too. Each work item has its iterations in their order. Work items past the end of the original grid are past
 * a bound that the grid covers, or there are none.
 */
#include "generation/ir/independent.h"
#include "generation/ir/product.h"
#include "generation/ir/product_view.h"

#include <string.h>

/* After each row of shared memory that is written across: without them products took a fifth longer on an H200. */
#define PADDING 4

enum { ORIGINAL = 0, MOST_BYTES = 48 * 1024, FEWEST_THREADS = 64, MOST_THREADS = 256, FEWEST_ITEMS = 4, DEEPEST = 64 };

static const int64_t rows[] = {ORIGINAL, 1, 2, 4, 8}, columns[] = {1, 2, 4, 8}, across[] = {8, 16}, down[] = {4, 8, 16},
		     choices[] = {0, 1}, depths[] = {8, 16, 32};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const tile[] = {"BX * TN", "BY * TM"};

/* Numbers of iterations that shared memory may hold: whole runs of the inner loop. */
static size_t find_depths(int64_t *values, const struct kt_ir_product *p)
{
	size_t count = 0;

	for (size_t i = 0; i < COUNT(depths); i++)
		if (depths[i] % p->inner_count == 0)
			values[count++] = depths[i];
	for (int64_t depth = p->inner_count; count < 2 && depth <= DEEPEST; depth *= 2)
		if (count == 0 || values[count - 1] < depth)
			values[count++] = depth;
	return count;
}

/* What the tile takes of shared memory. */
static const char *bytes_of(struct kt_ir_offer *offer, const struct kt_ir_product *p)
{
	const char *sum = "0";

	for (size_t i = 0; i < p->leaf_count; i++)
		sum = kt_ir_offer_text(offer, "%s + (%s + %d) * %d", sum, tile[p->leaves[i].dimension],
				       p->leaves[i].is_along_loop ? PADDING : 0, (int)p->leaves[i].value->type->size);
	return sum;
}

/* Passes that give a thread more to do, as tiles do, but load it again for each. */
static bool is_less(const struct kt_ir_pass *pass)
{
	static const char *const names[] = {"items", "items_y", "items_z", "loop_vector", "loop_unroll"};

	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(pass->name, names[i]) == 0)
			return true;
	return false;
}

/* Parameters of other passes have their originals with tiles: "TM == 0 || TEAM == 1 && …". Some have them always. */
static void keep_others(struct kt_ir_offer *offer, size_t count)
{
	const char *text = "";

	for (size_t i = 0; i < count; i++) {
		const struct kt_ir_tunable *t = &offer->tunables[i];
		const char *original = kt_ir_offer_text(offer, "%s == %lld", t->name, (long long)(t->has_original ? t->original : t->values[0]));

		if (is_less(t->pass))
			kt_ir_offer_restriction(offer, original, "tiles do the same, and load less");
		else if (strcmp(t->pass->name, "read_only") != 0 || offer->is_of_warps)
			text = kt_ir_offer_text(offer, "%s%s%s", text, *text == '\0' ? "" : " && ", original);
	}
	if (*text != '\0')
		kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "TM == 0 || %s", text), "with tiles no other pass changes the kernel");
}

static void offer_values(struct kt_ir_offer *offer, const struct kt_ir_product *p)
{
	const char *without = "TN == 1 && BX == 16 && BY == 16";
	int64_t found[COUNT(depths) + 2];
	const size_t count = find_depths(found, p);

	kt_ir_offer_values(offer, "TM", "rows of work items of a thread, in tiles; 0: the loop stays", rows, COUNT(rows), ORIGINAL);
	kt_ir_offer_values(offer, "TN", "columns of work items of a thread, in tiles", columns, COUNT(columns), 1);
	kt_ir_offer_values(offer, "BX", "threads of a block along x, in tiles", across, COUNT(across), 16);
	kt_ir_offer_values(offer, "BY", "threads of a block along y, in tiles", down, COUNT(down), 16);
	kt_ir_offer_values(offer, "BK", "iterations that shared memory holds", found, count, found[0]);
	kt_ir_offer_values(offer, "AHEAD", "1: the next iterations are loaded while these are computed", choices, COUNT(choices), 0);
	without = kt_ir_offer_text(offer, "%s && BK == %lld && AHEAD == 0", without, (long long)found[0]);
	kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "TM != 0 || %s", without), "without tiles nothing depends on them");
	kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "TM == 0 || BX * BY >= %d && BX * BY <= %d", FEWEST_THREADS, MOST_THREADS),
				"more threads have no registers, fewer leave multiprocessors idle");
	kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "TM == 0 || TM * TN >= %d", FEWEST_ITEMS),
				"a thread of few work items loads more than it computes");
	kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "TM == 0 || (1 + AHEAD) * BK * (%s) <= %d", bytes_of(offer, p), MOST_BYTES),
				"a block has no more shared memory");
}

/* The written extents of the grid and of the block, along x and y as they are seen. */
struct written {
	const char *grid[2], *block[2];
};

static struct written written_of(struct kt_ir_offer *offer, const struct kt_ir_product_view *view)
{
	struct written w = {{NULL, NULL}, {NULL, NULL}};

	for (unsigned d = 0; d < 2; d++) {
		const bool is_same = view->block[d] == offer->written->block[d];

		w.grid[d] = kt_ir_written_grid(offer, view->grid[d]);
		w.block[d] = is_same ? kt_ir_written_block(offer, d) : kt_ir_offer_text(offer, "%lld", (long long)view->block[d]);
		if (view->extent[d] == NULL)
			continue;
		w.grid[d] = kt_ir_launch_text(offer, NULL, view->extent[d]);
		w.block[d] = "1";
	}
	return w;
}

/* Work items past the end of the original grid have nothing to do, and their indices do not wrap. */
static void offer_guards(struct kt_ir_offer *offer, const struct kt_ir_product *p, const struct written *w, unsigned d)
{
	const char *grid = w->grid[d], *block = w->block[d];
	const char *text = kt_ir_offer_text(offer, "TM == 0 || (%s) * (%s) %% (%s) == 0", grid, block, tile[d]);

	for (size_t i = 0; i < p->bound_count[d]; i++) {
		const size_t guards = offer->guard_count;
		const char *end = kt_ir_launch_text(offer, &p->lets, p->ends[d][i]);

		if (end == NULL) {
			offer->guard_count = guards;
			continue;
		}
		text = kt_ir_offer_text(offer, "%s || %s <= (%s) * (%s)", text, end, grid, block);
	}
	kt_ir_offer_guard(offer, text, "work items past the end of the grid have nothing to do");
	kt_ir_offer_guard(offer, kt_ir_offer_text(offer, "(%s) * (%s) <= 2130706432", grid, block),
			  "indices of work items past the end of the grid do not wrap");
}

/* What is assumed of tiles alone. False: it has no words. */
static bool offer_assumed(struct kt_ir_offer *offer, const struct kt_ir_product_view *view, const struct kt_ir_function *kernel)
{
	if (!kt_ir_keep_all_apart(offer, kernel, &view->apart, "TM == 0"))
		return false;
	for (size_t i = 0; i < view->assumed_count; i++) {
		const char *text = kt_ir_launch_text(offer, NULL, view->assumed[i]);

		if (text == NULL)
			return false;
		kt_ir_offer_guard(offer, kt_ir_offer_text(offer, "TM == 0 || %s", text), "an index of the kernel does not wrap");
	}
	return true;
}

static void offer_launch(struct kt_ir_offer *offer, const struct written *w)
{
	static const char *const threads[] = {"BX", "BY"};

	offer->unless = "TM == 0";
	for (unsigned d = 0; d < 2; d++) {
		offer->other_grid[d] = kt_ir_offer_text(offer, "ceil_div((%s) * (%s), %s)", w->grid[d], w->block[d], tile[d]);
		offer->other_blocks[d] = threads[d];
	}
}

static const char *why_refused(struct kt_ir_product *p, struct kt_ir_product_view *view, struct kt_ir_offer *offer, struct kt_ir_module *module)
{
	p->line = offer->kernel->line;
	if (offer->facts->block[2] != 1)
		return "the block of the launches is not known, or has more than two dimensions";
	module = kt_ir_product_see(view, module, offer->facts->block);
	if (!kt_ir_product_of(p, offer->arena, module, view->block))
		return view->why != NULL ? view->why : p->why != NULL ? p->why : "out of memory";
	if (module->last_function->max_registers != 0)
		return "the kernel has a register limit";
	return kt_ir_offer_assumptions(offer, module->last_function) && offer_assumed(offer, view, module->last_function) ? NULL : "an assumption about the launch has no words";
}

static bool applies_to(struct kt_ir_offer *offer, struct kt_ir_module *module)
{
	const size_t guards = offer->guard_count, others = offer->tunable_count;
	struct kt_ir_product *p = kt_arena_alloc(offer->arena, sizeof *p);
	struct kt_ir_product_view view;
	struct written w;
	const char *why;

	if (module == NULL || p == NULL)
		return kt_ir_refuses(offer, offer->kernel->line, "out of memory");
	why = why_refused(p, &view, offer, module);
	if (why != NULL) {
		offer->guard_count = guards;
		return kt_ir_refuses(offer, p->line, "%s", why);
	}
	w = written_of(offer, &view);
	offer_values(offer, p);
	keep_others(offer, others);
	for (unsigned d = 0; d < 2; d++)
		offer_guards(offer, p, &w, d);
	offer_launch(offer, &w);
	return kt_ir_applies(offer, "what a tile of work items loads is the same for its rows and for its columns");
}

/* Of the launch as it is written: tiles have rows of their threads, also where warps have a row each. */
static bool applies(struct kt_ir_offer *offer)
{
	const struct kt_ir_facts *facts = offer->facts;
	bool does;

	if (offer->plain == NULL)
		return kt_ir_refuses(offer, offer->kernel->line, "the kernel has no normal form");
	offer->facts = offer->written;
	does = applies_to(offer, kt_ir_copy(offer->plain, offer->arena, false));
	offer->facts = facts;
	return does;
}

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	const struct kt_ir_product_shape shape = {
	    .items = {kt_ir_chosen_of(variant, "TN"), kt_ir_chosen_of(variant, "TM")},
	    .block = {kt_ir_chosen_of(variant, "BX"), kt_ir_chosen_of(variant, "BY")},
	    .depth = kt_ir_chosen_of(variant, "BK"), .padding = PADDING,
	    .is_ahead = kt_ir_chosen_of(variant, "AHEAD") != 0};
	struct kt_ir_product *p = kt_arena_alloc(variant->module->arena, sizeof *p);
	struct kt_ir_product_view view;
	TRY(kt_ir_variant_plain(variant, err));

	NEED(p, kt_no_memory(err));
	variant->module = kt_ir_product_see(&view, variant->module, variant->offer->written->block);
	variant->kernel = variant->module->last_function;
	if (!kt_ir_product_of(p, variant->module->arena, variant->module, view.block))
		return kt_fail(err, KT_ERR_INVALID, "%s", p->why);
	(void)kt_ir_product_make(p, &shape);
	return kt_ir_check(variant->module, err);
}

const struct kt_ir_pass kt_ir_pass_product = {"product", applies, transform};
