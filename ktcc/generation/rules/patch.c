/*
 * Patch: a thread takes VEC × ROWS items at a time, step by step.
 *
 *   float sum = 0;                             becomes   float sum[ROWS][VEC]; all of them = 0;
 *   for (k = 0; k < n; k++)                              for (k = 0; k < n; k++)
 *       sum += a[y * n + k] * b[k * w + x];                  for row, lane: sum[row][lane] += …
 *   c[y * w + x] = sum;                                  for row, lane: …
 *
 * Loops whose header is the same for all items are walked by all of them at once, so that what several of them read is
 * loaded once; neighbouring elements that the patch reads between its items are loaded in packs (a window), those
 * that it writes are stored in packs. A condition of the coordinates alone that asks for a border (`x == 0 || x == w
 * - 1`) is asked of all items of a patch in front: where they agree, they need not ask.
 *
 * Sound when: items neither wait for each other nor leave a loop that they share; they ran at the same time in no order, so any
 * order of their steps will do. A load is moved before the items only if every item does it, under all conditions on the way,
 * and nothing that items write can overlap with it (__restrict__, or a guard checks it). A store is moved after them only if
 * every item does it and nothing else reaches what it writes. An element that an item changes step by step (`c[i] += …` in a
 * loop) stays in registers from before the items to after them if every item writes it under all conditions, all accesses to
 * its array are at that one place of the item, and nothing else can overlap
 * with them. What does not hold for a patch (it lies at the edge, packs are not aligned, a loop has no turn) is
 * asked in front of it: then its items go together as well, but without packs, and items past the edge repeat the last one
 * and store nothing (patch_ragged.c); or one by one.
 */
#include "generation/rules/patch.h"

#include <string.h>

/* "[row][lane]" of what an item has for itself. */
static const char *own(const struct kt_patch_printer *p)
{
	return kt_family_text(p->family, p->plane ? "[%s][%s]" : "%.0s[%s]", p->row, p->lane);
}

/* Reads of windows and writes of packs, in the items' text. */
static void replace_accesses(const struct kt_patch_printer *p)
{
	struct kt_patch *patch = p->patch;

	for (size_t i = 0; i < patch->window_count; i++)
		for (size_t m = 0; m < patch->windows[i].member_count; m++) {
			const struct kt_patch_window *w = &patch->windows[i];
			struct kt_buf offset = KT_BUF(KT_LIMIT_LINE_BYTES);

			kt_poly_print(&offset, p->family->kernel, w->offsets[m], NULL, NULL);
			kt_write_set(&p->family->write, w->members[m],
			             kt_family_text(p->family, "%s%s[%s + %s - (%lld)]", w->name,
			                            w->rows ? kt_family_text(p->family, "[%s]", p->row) : "", p->lane, kt_buf_text(&offset),
			                            (long long)w->low));
			kt_buf_free(&offset);
		}
	for (size_t i = 0; i < patch->store_count; i++)
		for (size_t m = 0; m < patch->stores[i].member_count; m++)
			kt_write_set(&p->family->write, patch->stores[i].members[m],
			             kt_family_text(p->family, "%s%s", patch->stores[i].name, own(p)));
	for (size_t i = 0; i < patch->loop_count; i++)
		if (patch->loops[i].kept)
			kt_write_wrap(&p->family->write, patch->loops[i].node, "\n#pragma unroll\n", NULL, "");
}

/* ---- items */

struct uses {
	const struct kt_patch_printer *p;
	const struct kt_tree_variable *variable;
	const char *text;
	bool failed;
};

static bool replace_use(struct kt_tree *node, void *context)
{
	struct uses *u = context;

	if (node->kind != KT_TREE_REFERENCE || node->variable != u->variable)
		return true;
	u->failed = u->failed || node->in_macro;
	if (!node->in_macro)
		kt_write_set(&u->p->family->write, node, u->text);
	return true;
}

static bool is_used(struct kt_tree *const *items, size_t count, const struct kt_tree_variable *v)
{
	for (size_t i = 0; i < count; i++)
		if (kt_tree_uses(items[i], v))
			return true;
	return false;
}

static bool may_be_array(const struct kt_tree_variable *v)
{
	return !v->is_array && !v->is_shared && !v->escapes && !v->is_restrict &&
	       (v->is_pointer ? v->type[strlen(v->type) - 1] == '*' : v->scalar != KT_SCALAR_NONE);
}

/* A declaration that others than its own lanes use: every item has its element of an array. */
static bool spread(const struct kt_patch_printer *p, struct kt_tree *declare, struct kt_tree *const *items,
		   size_t count)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	bool fine = true;

	for (size_t i = 0; i < declare->count && fine; i++) {
		struct kt_tree *child = declare->children[i];
		const struct kt_tree_variable *v = child->kind == KT_TREE_VARIABLE ? child->variable : NULL;
		struct uses uses = {p, v, NULL, false};

		if (v != NULL && kt_patch_loop_with(p->patch, v) != NULL)
			continue;
		if (v == NULL || !may_be_array(v)) {
			fine = false;
			break;
		}
		uses.text = kt_family_text(p->family, "%s%s", v->name, own(p));
		kt_buf_addf(p->out, "%s %s%s[${VEC}];\n", kt_patch_type(v), v->name, p->plane ? "[${ROWS}]" : "");
		for (size_t k = 0; k < count; k++)
			kt_tree_walk(items[k], replace_use, &uses);
		if (child->count > 0) {
			kt_buf_addf(&text, "%s = ", uses.text);
			kt_write_node(&text, &p->family->write, child->children[0]);
			kt_buf_adds(&text, ";\n");
		}
		fine = fine && !uses.failed && child->count <= 1;
	}
	kt_write_set(&p->family->write, declare, kt_family_text(p->family, "%s", kt_buf_text(&text)));
	p->family->failed = p->family->failed || text.failed;
	kt_buf_free(&text);
	return fine;
}

static bool is_shared(const struct kt_patch_printer *p, const struct kt_tree *node)
{
	const struct kt_patch_loop *loop = kt_patch_loop_of(p->patch, node);

	return loop != NULL && !loop->kept;
}

static size_t segment_end(const struct kt_patch_printer *p, struct kt_tree *const *items, size_t count, size_t begin)
{
	while (begin < count && !is_shared(p, items[begin]))
		begin++;
	return begin;
}

static bool add_items(const struct kt_patch_printer *p, struct kt_tree *const *items, size_t count);

static bool holds_shared(const struct kt_patch_printer *p, struct kt_tree *const *items, size_t count)
{
	return segment_end(p, items, count, 0) < count;
}

/* place: of the thread among those that share the loop out; NULL: it is one's own. */
static void open_loop(const struct kt_patch_printer *p, const struct kt_patch_loop *loop, const char *place,
		      bool is_last)
{
	const char *name = loop->variable->name;

	if (is_last)
		kt_buf_adds(p->out, "#pragma unroll ${STEPS}\n");
	kt_buf_addf(p->out, "for (%s %s = ", kt_patch_type(loop->variable), name);
	kt_poly_print(p->out, p->family->kernel, loop->first, NULL, NULL);
	if (place != NULL)
		kt_buf_addf(p->out, "${if PARTS > 1} + %s${end}", place);
	kt_buf_addf(p->out, "; %s %s ", name, loop->inclusive ? "<=" : "<");
	kt_poly_print(p->out, p->family->kernel, loop->bound, NULL, NULL);
	if (place != NULL)
		kt_buf_addf(p->out, "; %s += ${PARTS}) {\n", name);
	else
		kt_buf_addf(p->out, "; %s++) {\n", name);
}

static bool add_loop(const struct kt_patch_printer *p, const struct kt_patch_loop *loop)
{
	struct kt_tree *body = loop->node->children[3];
	struct kt_tree *const *items = body->kind == KT_TREE_BLOCK ? body->children : &loop->node->children[3];
	const size_t count = body->kind == KT_TREE_BLOCK ? body->count : 1;
	const bool parted = loop == p->patch->parted && p->lanes == NULL;
	const bool has_runs = p->lanes == NULL && kt_patch_has_runs(p->patch, loop);
	/* In eight bytes what begins below zero and has no sign would be a large number. */
	const char *place = kt_scalar_bytes(loop->variable->scalar) > 4 ? "(long long)threadIdx.y" : "threadIdx.y";
	bool fine;

	if (parted)
		kt_patch_parts_begin(p->out, p->patch, p->lane);
	if (has_runs)
		kt_patch_open_runs(p, loop, parted ? place : NULL);
	else
		open_loop(p, loop, parted ? place : NULL, !holds_shared(p, items, count));
	kt_patch_add_windows(p, (size_t)(loop - p->patch->loops) + 1);
	fine = add_items(p, items, count);
	kt_buf_adds(p->out, has_runs ? "}\n}\n" : "}\n");
	if (parted)
		kt_patch_parts_end(p->out, p->patch, p->lane, p->idle);
	return fine;
}

static bool add_items(const struct kt_patch_printer *p, struct kt_tree *const *items, size_t count)
{
	bool fine = true;

	for (size_t begin = 0; begin < count;) {
		const size_t end = segment_end(p, items, count, begin);

		for (size_t i = begin; i < end; i++)
			for (size_t k = 0; items[i]->kind == KT_TREE_DECLARE && k < items[i]->count; k++)
				if (items[i]->children[k]->kind != KT_TREE_VARIABLE ||
				    (kt_patch_loop_with(p->patch, items[i]->children[k]->variable) == NULL &&
				     (is_used(items, begin, items[i]->children[k]->variable) ||
				      is_used(items + end, count - end, items[i]->children[k]->variable)))) {
					fine = spread(p, items[i], items, count) && fine;
					break;
				}
		if (end > begin) {
			kt_patch_open_rows(p);
			kt_patch_open_lanes(p);
			for (size_t i = begin; i < end; i++) {
				kt_write_node(p->out, &p->family->write, items[i]);
				kt_buf_addc(p->out, '\n');
			}
			kt_buf_adds(p->out, "}\n");
			kt_patch_close_rows(p);
		}
		if (end < count)
			fine = add_loop(p, kt_patch_loop_of(p->patch, items[end])) && fine;
		begin = end + 1;
	}
	return fine;
}

static void add_stores(const struct kt_patch_printer *p)
{
	for (size_t i = 0; i < p->patch->store_count; i++) {
		const struct kt_patch_window *w = &p->patch->stores[i];
		const bool streams = kt_rule_target(p->family)->has_cache_hints;

		kt_patch_open_rows(p);
		kt_buf_addf(p->out, "{\n%s %s;\n\n#pragma unroll\nfor (int %s = 0; %s < ${VEC}; %s++)\n%s.item[%s] = %s%s[%s];\n",
		            kt_patch_pack(p, w->root), p->pack, p->at, p->at, p->at, p->pack, p->at, w->name,
		            p->plane ? kt_family_text(p->family, "[%s]", p->row) : "", p->at);
		/* Spelled out: nvcc splits an assignment where it cannot see that the place is aligned. */
		if (streams) {
			const char *word = kt_family_text(
			    p->family,
			    "${if VEC * %u == 16}uint4${else}${if VEC * %u == 8}uint2${else}unsigned${end}${end}",
			    w->root->element_bytes, w->root->element_bytes);

			kt_buf_addf(p->out, "${if STREAM == 0 && VEC * %u >= 4}\n__stwb(reinterpret_cast<%s *>(%s + (",
				    w->root->element_bytes, word, w->root->name);
			kt_patch_add_base(p, w);
			kt_buf_addf(p->out, ")), *reinterpret_cast<const %s *>(&%s));\n${else}\n", word, p->pack);
		}
		kt_buf_addf(p->out, "%sreinterpret_cast<%s *>(%s + (", streams ? "${if STREAM}${ktune:callee:1}(${else}*${end}" : "*",
		            kt_patch_pack(p, w->root), w->root->name);
		kt_patch_add_base(p, w);
		kt_buf_addf(p->out, "))%s%s%s;\n%s}\n", streams ? "${if STREAM}, ${else} = ${end}" : " = ", p->pack,
		            streams ? "${if STREAM})${end}" : "", streams ? "${end}\n" : "");
		kt_patch_close_rows(p);
	}
}

static void declare_packs(const struct kt_patch_printer *p)
{
	const struct kt_patch *patch = p->patch;

	for (size_t i = 0; i < patch->window_count + patch->store_count; i++) {
		const struct kt_patch_window *w =
		    i < patch->window_count ? &patch->windows[i] : &patch->stores[i - patch->window_count];
		const char *text = kt_family_text(p->family, "struct alignas(${= VEC * %u}) %s {\n%s item[${VEC}];\n};\n",
		                                  w->root->element_bytes, kt_patch_pack(p, w->root), w->root->element);

		if (p->family->top.data == NULL || strstr(p->family->top.data, text) == NULL)
			kt_buf_adds(&p->family->top, text);
	}
}

/* Does the guard of kt_rule_guard_counter keep the coordinate, and what a patch and a step add to it, in 32 bits? */
static bool is_narrow(const struct kt_patch_printer *p, unsigned axis)
{
	const struct kt_loop *loop = &p->patch->plane->axes[axis].loop;

	return loop->variable->scalar != KT_SCALAR_NONE && kt_scalar_bytes(loop->variable->scalar) <= 4 &&
	       kt_rule_clause(p->family, loop->bound) != NULL;
}

static void add_bound(const struct kt_patch_printer *p, unsigned axis)
{
	kt_write_node(p->out, &p->family->write, p->patch->plane->axes[axis].loop.bound_node);
}

/*
 * Threads of the last block that have no item go along with the last patch, and store nothing: else all threads of that
 * block would take its items one by one, each of them the whole loop.
 */
static void add_idle(const struct kt_patch_printer *p, const char *type)
{
	const char *first = kt_patch_first(p, 0);

	kt_buf_addf(p->out, "const bool %s = %s >= ", p->idle, p->own);
	add_bound(p, 0);
	kt_buf_adds(p->out, " && ");
	add_bound(p, 0);
	kt_buf_addf(p->out, " >= ${VEC};\nconst %s %s = %s ? (%s)(", type, first, p->idle, type);
	add_bound(p, 0);
	kt_buf_addf(p->out, ") - ${VEC} : %s;\n", p->own);
}

/* The grid has a patch along x for each thread. */
static void open_axis(const struct kt_patch_printer *p, unsigned axis)
{
	const char *width = axis == 0 ? p->plane ? "${= BLOCK_X * VEC}" : "${= BLOCK * VEC}" : "${= BLOCK_Y * ROWS}";
	const char *first = kt_patch_first(p, axis), *each = axis == 0 ? "${VEC}" : "${ROWS}";
	const char *type = is_narrow(p, axis) ? "int" : "long long", *cast = is_narrow(p, axis) ? "" : "(long long)";
	const char letter = (char)('x' + axis);

	if (p->patch->parted == NULL) {
		kt_buf_addf(p->out, "%s%s %s = %sblockIdx.%c * %s + threadIdx.%c * %s;%s%s < ", axis == 0 ? "const " : "for (",
		            type, first, cast, letter, width, letter, each, axis == 0 ? "\n\nif (" : " ", first);
	} else {
		kt_buf_addf(p->out, "const %s ${if PARTS > 1}%s${else}%s${end} = %sblockIdx.x * %s + threadIdx.x * %s;\n${if PARTS > 1}\n",
		            type, p->own, first, cast, width, each);
		add_idle(p, type);
		/* All threads of a block go through the same patches. */
		kt_buf_addf(p->out, "${end}\n\nif (${if PARTS > 1}%s - (int)threadIdx.x * ${VEC}${else}%s${end} < ", p->own, first);
	}
	add_bound(p, axis);
	if (axis > 0)
		kt_buf_addf(p->out, "; %s += %sgridDim.%c * %s", first, cast, letter, width);
	kt_buf_adds(p->out, ") {\n");
}

/* Items at the edge, one by one. */
static void add_singly(const struct kt_patch_printer *p)
{
	struct kt_plane *plane = p->patch->plane;
	const size_t mark = p->family->write.count;

	/* Unrolled as the compiler likes they would take registers from the patches. */
	for (size_t i = 0; i < p->patch->loop_count; i++)
		if (!p->patch->loops[i].kept && !kt_rule_has_pragma(p->family->kernel, p->patch->loops[i].node))
			kt_write_wrap(&p->family->write, p->patch->loops[i].node, "\n#pragma unroll ${STEPS}\n", NULL, "");
	for (unsigned a = p->plane ? 2 : 1; a-- > 0;) {
		const struct kt_tree_variable *v = plane->axes[a].variable;

		kt_buf_addf(p->out, "#pragma unroll 1\nfor (%s %s = (%s)%s; %s < ", kt_patch_type(v), v->name,
			    kt_patch_type(v), kt_patch_first(p, a), v->name);
		kt_write_node(p->out, &p->family->write, plane->axes[a].loop.bound_node);
		kt_buf_addf(p->out, " && %s < %s + %s; %s++) {\n", v->name, kt_patch_first(p, a),
			    a == 0 ? "${VEC}" : "${ROWS}", v->name);
	}
	kt_write_statements(p->out, &p->family->write, plane->block, 0, plane->block->count);
	kt_buf_adds(p->out, p->plane ? "\n}\n}\n" : "\n}\n");
	kt_write_back(&p->family->write, mark);
}

bool kt_patch_is_single(const struct kt_patch *patch, const struct kt_tree *node)
{
	for (size_t i = 0; i < patch->window_count; i++)
		for (size_t m = 0; m < patch->windows[i].member_count; m++)
			if (patch->windows[i].members[m] == node)
				return false;
	return kt_patch_store_of(patch, node) == NULL;
}

/* An element that items load in a loop over all of them, but not in packs. */
static bool is_single_in_loop(const struct kt_patch *patch, const struct kt_tree *node)
{
	for (size_t i = 0; i < patch->loop_count && kt_patch_is_single(patch, node); i++)
		if (!patch->loops[i].kept && kt_tree_contains(patch->loops[i].node, node))
			return true;
	return false;
}

/*
 * What is stored is held to the end; of what is loaded about half at a time, as a row's is used up before the next
 * one's.
 */
static const char *held_words(const struct kt_patch_printer *p)
{
	const struct kt_patch *patch = p->patch;
	const struct kt_effects *effects = &patch->plane->effects;
	const char *text = "", *rows = p->plane ? " * ROWS" : "";
	size_t singles = 0;

	for (size_t i = 0; i < effects->access_count; i++)
		singles += is_single_in_loop(patch, effects->accesses[i].node);
	if (singles > 0)
		text = kt_family_text(p->family, " + %zu * STEPS / 2", singles);
	for (size_t i = 0; i < patch->store_count; i++)
		text =
		    kt_family_text(p->family, "%s + VEC%s * %u / 4", text, rows, patch->stores[i].root->element_bytes);
	for (size_t i = 0; i < patch->window_count; i++) {
		const struct kt_patch_window *w = &patch->windows[i];

		const char *width =
		    w->high > w->low ? kt_family_text(p->family, "(VEC + %lld)", (long long)(w->high - w->low)) : "VEC";

		text = kt_family_text(p->family, "%s + %s%s%s * %u / 8", text, width, w->rows ? rows : "",
		                      w->level > 0 ? " * STEPS" : "", w->root->element_bytes);
	}
	return kt_family_text(p->family, "%s%s", text, kt_patch_run_words(p));
}

static void add_parameters(const struct kt_patch_printer *p)
{
	static const int64_t widths[] = {1, 2, 4, 8}, steps[] = {4, 1, 8};
	const struct kt_patch *patch = p->patch;
	struct kt_family *family = p->family;
	bool shared = false;

	for (size_t i = 0; i < patch->loop_count; i++)
		shared = shared || !patch->loops[i].kept;
	kt_family_parameter(family, "VEC", "neighbouring items of a patch", widths, 4)->original = 1;
	if (patch->widest > 0)
		kt_family_restrict(family, kt_family_text(family, "VEC * %u <= 16", patch->widest), "an access has 16 bytes at most");
	if (p->plane)
		kt_family_restrict(family, "VEC * ROWS <= 16", "a thread has 16 items at most");
	p->family->held_words = held_words(p);
	if (shared) {
		kt_family_parameter(family, "STEPS", "turns of an inner loop at a time", steps, 3);
		kt_patch_runs_parameter(patch);
		if (patch->parted != NULL)
			kt_patch_parts_parameter(p->patch);
		kt_family_restrict(family, p->plane ? "VEC * ROWS * STEPS <= 64" : "VEC * STEPS <= 32",
				   "more would not stay in registers");
	}
}

static void tell(const struct kt_patch_printer *p)
{
	const struct kt_patch *patch = p->patch;
	size_t shared = 0;

	for (size_t i = 0; i < patch->loop_count; i++)
		shared += !patch->loops[i].kept;
	kt_family_applied(p->family, "patch",
	                  kt_family_text(p->family,
	                                 "neighbouring items go together: %zu loops are walked by all of them at once, %zu reads and %zu "
	                                 "writes are moved in packs, %zu conditions are asked once",
	                                 shared, patch->window_count, patch->store_count, patch->peel_count));
}

/* The items of a patch, step by step. */
static bool add_patch(const struct kt_patch_printer *p)
{
	struct kt_patch *patch = p->patch;
	const size_t mark = p->family->write.count;
	bool fine;

	kt_patch_add_held(p);
	kt_patch_add_windows(p, 0);
	replace_accesses(p);
	if (p->lanes == NULL)
		kt_patch_replace_runs(p);
	fine = add_items(p, patch->statements, patch->statement_count);
	if (p->lanes == NULL)
		add_stores(p);
	else
		kt_patch_add_ragged_stores(p);
	kt_write_back(&p->family->write, mark);
	return fine;
}

/* A patch at the edge, or whose packs are not aligned. */
static bool add_ragged(const struct kt_patch_printer *whole)
{
	struct kt_patch *patch = whole->patch;
	struct kt_patch_printer p = *whole;
	const bool asks = kt_patch_asks_entered(patch);
	bool fine;

	if (!kt_patch_may_be_ragged(patch)) {
		add_singly(whole);
		return true;
	}
	p.lanes = kt_family_name(p.family, "lanes");
	p.rows = p.plane ? kt_family_name(p.family, "rows") : NULL;
	p.whole = kt_family_name(p.family, "together");
	if (patch->parted != NULL)
		kt_buf_adds(p.out, "${if PARTS == 1}\n");
	kt_patch_count_ragged(&p);
	if (asks) {
		kt_patch_add_entered(&p);
		kt_buf_addf(p.out, "if (%s) {\n", p.whole);
	}
	fine = add_patch(&p);
	if (asks) {
		kt_buf_adds(p.out, "} else {\n");
		add_singly(whole);
		kt_buf_adds(p.out, "}\n");
	}
	if (patch->parted != NULL) {
		kt_buf_adds(p.out, "${else}\n");
		add_singly(whole);
		kt_buf_adds(p.out, "${end}\n");
	}
	return fine;
}

const char *kt_plane_patch(struct kt_plane *plane)
{
	struct kt_family *family = plane->family;
	struct kt_patch *patch = kt_arena_alloc(family->kernel->arena, sizeof *patch);
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *text = NULL;
	bool fine;

	if (patch == NULL || plane->effects.skips != NULL || !kt_patch_plan(patch, plane))
		return NULL;
	const struct kt_patch_printer p = {.patch = patch, .family = family, .out = &out, .plane = plane->axes[1].variable != NULL,
	                          .x = kt_family_name(family, kt_family_text(family, "%s_patch", plane->axes[0].variable->name)),
	                          .y = plane->axes[1].variable != NULL
	                                   ? kt_family_name(family, kt_family_text(family, "%s_patch", plane->axes[1].variable->name))
	                                   : "",
	                          .row = kt_family_name(family, "row_of"), .lane = kt_family_name(family, "lane"),
	                          .whole = kt_family_name(family, "whole"), .at = kt_family_name(family, "place"),
	                          .pack = kt_family_name(family, "pack"),
	                          .own = patch->parted != NULL ? kt_family_name(family, "own") : "",
	                          .idle = patch->parted != NULL ? kt_family_name(family, "idle") : ""};
	if (p.plane)
		open_axis(&p, 1);
	open_axis(&p, 0);
	kt_patch_add_whole(&p);
	kt_buf_addf(&out, "if (%s) {\n", p.whole);
	fine = add_patch(&p);
	if (patch->parted != NULL)
		kt_buf_adds(&out, "${if PARTS > 1}\n}\n${end}\n");
	kt_buf_adds(&out, patch->parted != NULL ? kt_family_text(family, "} else${if PARTS > 1} if (threadIdx.y == 0 && !%s)${end} {\n", p.idle) : "} else {\n");
	fine = add_ragged(&p) && fine;
	kt_buf_addf(&out, "}\n}\n%s", p.plane ? "}\n" : "");
	family->failed = family->failed || out.failed;
	if (fine) {
		text = kt_family_text(family, "%s", kt_buf_text(&out));
		declare_packs(&p);
		kt_patch_declare_runs(&p);
		if (patch->parted != NULL)
			kt_patch_parts_declare(patch);
		add_parameters(&p);
		plane->patched = true;
		plane->parted = patch->parted != NULL;
		tell(&p);
	}
	kt_buf_free(&out);
	return text;
}
