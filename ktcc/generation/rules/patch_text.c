/* The text before a patch, and what it loads: see patch.c. */
#include <string.h>

#include "generation/rules/patch.h"

const char *kt_patch_type(const struct kt_tree_variable *v)
{
	return v->bare;
}

const char *kt_patch_pack(const struct kt_patch_printer *p, const struct kt_tree_variable *root)
{
	return kt_family_name(p->family, kt_family_text(p->family, "%s_group", root->name));
}

const char *kt_patch_first(const struct kt_patch_printer *p, unsigned axis)
{
	return axis == 0 ? p->x : p->y;
}

/* Items past the last one of a patch that is not whole repeat that one. */
static const char *within(const struct kt_patch_printer *p, const char *at, const char *count)
{
	return count == NULL ? at : kt_family_text(p->family, "(%s < %s ? %s : %s - 1)", at, count, at, count);
}

void kt_patch_open_rows(const struct kt_patch_printer *p)
{
	const struct kt_tree_variable *v = p->patch->plane->axes[1].variable;

	if (!p->plane)
		return;
	kt_buf_addf(p->out, "#pragma unroll\nfor (int %s = 0; %s < ${ROWS}; %s++) {\nconst %s %s = (%s)%s + %s;\n",
		    p->row, p->row, p->row, kt_patch_type(v), v->name, kt_patch_type(v), p->y, within(p, p->row, p->rows));
}

void kt_patch_close_rows(const struct kt_patch_printer *p)
{
	kt_buf_adds(p->out, p->plane ? "}\n" : "");
}

void kt_patch_open_lanes(const struct kt_patch_printer *p)
{
	const struct kt_tree_variable *v = p->patch->plane->axes[0].variable;

	kt_buf_addf(p->out, "#pragma unroll\nfor (int %s = 0; %s < ${VEC}; %s++) {\nconst %s %s = (%s)%s + %s;\n\n",
		    p->lane, p->lane, p->lane, kt_patch_type(v), v->name, kt_patch_type(v), p->x, within(p, p->lane, p->lanes));
}

/* ---- what is asked in front */

struct corner {
	const struct kt_patch_printer *p;
	const struct kt_tree_variable *further; /* has its next value */
};

static const char *corner_atom(const struct kt_atom *atom, void *context)
{
	const struct corner *c = context;
	const struct kt_patch *patch = c->p->patch;

	if (atom->kind != KT_ATOM_VARIABLE)
		return NULL;
	for (unsigned a = 0; a < 2; a++)
		if (atom->variable == patch->plane->axes[a].variable)
			return atom->variable == c->further
				   ? kt_family_text(c->p->family, "(%s + 1)", kt_patch_first(c->p, a))
				   : kt_patch_first(c->p, a);
	for (size_t i = 0; i < patch->loop_count; i++)
		if (atom->variable == patch->loops[i].variable)
			return atom->variable == c->further ? "1LL" : "0LL";
	return NULL;
}

void kt_patch_add_aligned(const struct kt_patch_printer *p, const struct kt_tree_variable *root,
			  const struct kt_poly *index, const char *width, const struct kt_tree_variable *further)
{
	struct corner corner = {p, further};
	struct kt_buf one = KT_BUF(KT_LIMIT_LINE_BYTES);

	if (further != NULL && kt_poly_every(index, kt_atom_is_other, (void *)further))
		return;
	kt_buf_addf(&one, "reinterpret_cast<unsigned long long>(%s + (", root->name);
	kt_poly_print(&one, p->family->kernel, index, corner_atom, &corner);
	kt_buf_addf(&one, ")) %% ${= %s * %u} == 0", width, root->element_bytes);
	if (p->out->data == NULL || strstr(p->out->data, kt_buf_text(&one)) == NULL)
		kt_buf_addf(p->out, " &&\n%s", kt_buf_text(&one));
	p->family->failed = p->family->failed || one.failed;
	kt_buf_free(&one);
}

static bool has_center(const struct kt_patch_window *w)
{
	return w->low <= 0 && w->high >= 0;
}

/* How far the polynomial moves with a step of v. NULL: not by the same everywhere, or it cannot be told. */
static const struct kt_poly *step_of(struct kt_polys *polys, const struct kt_poly *poly,
				     const struct kt_tree_variable *v)
{
	const struct kt_poly *step = kt_poly_constant(polys, 0);

	for (size_t i = 0; i < poly->count && step != NULL; i++) {
		struct kt_poly alone = {.count = 1, .terms = {{.factor = poly->terms[i].factor}}};
		const struct kt_poly whole = {.count = 1, .terms = {poly->terms[i]}};
		size_t found = 0;

		for (size_t k = 0; k < poly->terms[i].count; k++) {
			const struct kt_atom *atom = poly->terms[i].atoms[k];

			if (atom->kind == KT_ATOM_VARIABLE && atom->variable == v)
				found++;
			else
				alone.terms[0].atoms[alone.terms[0].count++] = atom;
		}
		if (found == 0 && kt_poly_every(&whole, kt_atom_is_other, (void *)v))
			continue;
		step = found == 1 && kt_poly_every(&alone, kt_atom_is_other, (void *)v) ? kt_poly_add(polys, step, &alone, 1) : NULL;
	}
	return step;
}

enum { MOST_ROWS_OFF = 8 };

/* Whole steps of v away from a window that begins aligned, as it does a step further, this one does as well. */
static bool is_steps_from(const struct kt_patch_printer *p, const struct kt_patch_window *w,
                          const struct kt_patch_window *other, const struct kt_tree_variable *v)
{
	struct kt_polys *polys = &p->family->polys;
	const struct kt_poly *step = step_of(polys, other->base, v);
	const struct kt_poly *off = kt_poly_add(polys, w->base, other->base, -1);

	for (int64_t k = -MOST_ROWS_OFF; step != NULL && step->count > 0 && off != NULL && k <= MOST_ROWS_OFF; k++) {
		const struct kt_poly *rest = kt_poly_add(polys, off, step, k);

		if (rest != NULL && rest->count == 0)
			return true;
	}
	return false;
}

static const struct kt_patch_window *part_of(const struct kt_patch *patch, size_t i)
{
	return i < patch->window_count ? &patch->windows[i] : &patch->stores[i - patch->window_count];
}

/* Does what is asked of a window before this one imply that it is aligned too? */
static bool follows(const struct kt_patch_printer *p, size_t at)
{
	const struct kt_patch *patch = p->patch;
	const struct kt_patch_window *w = part_of(patch, at);

	for (size_t i = 0; i < at; i++) {
		const struct kt_patch_window *other = part_of(patch, i);

		if (other->root != w->root || !has_center(other))
			continue;
		if (p->plane && is_steps_from(p, w, other, patch->plane->axes[1].variable))
			return true;
		for (size_t k = 0; k < patch->loop_count; k++)
			if (is_steps_from(p, w, other, patch->loops[k].variable))
				return true;
	}
	return false;
}

/* The loop's turns, as a condition that there is one. */
static void add_entered(const struct kt_patch_printer *p, const struct kt_patch_loop *loop)
{
	kt_buf_adds(p->out, " && ");
	kt_poly_print(p->out, p->family->kernel, loop->first, NULL, NULL);
	kt_buf_adds(p->out, loop->inclusive ? " <= " : " < ");
	kt_poly_print(p->out, p->family->kernel, loop->bound, NULL, NULL);
}

/* Part of a peeled condition: asked for each x, each y, or each item. */
static void add_peeled(const struct kt_patch_printer *p, const struct kt_patch_peel *peel, struct kt_tree *node)
{
	struct kt_tree *bare = kt_tree_bare(node);
	const struct kt_plane *plane = p->patch->plane;
	bool x, y;

	if (kt_tree_is(bare, KT_TREE_BINARY, peel->truth ? "&&" : "||") && !bare->in_macro) {
		add_peeled(p, peel, bare->children[0]);
		add_peeled(p, peel, bare->children[1]);
		return;
	}
	x = kt_tree_uses(bare, plane->axes[0].variable);
	y = p->plane && kt_tree_uses(bare, plane->axes[1].variable);
	if (y)
		kt_patch_open_rows(p);
	if (x)
		kt_patch_open_lanes(p);
	kt_buf_addf(p->out, "%s = %s && %s(", p->whole, p->whole, peel->truth ? "" : "!");
	kt_write_node(p->out, &p->family->write, bare);
	kt_buf_addf(p->out, ");\n%s%s", x ? "}\n" : "", y ? "}\n" : "");
}

bool kt_patch_asks_entered(const struct kt_patch *patch)
{
	for (size_t i = 0; i < patch->loop_count; i++)
		if (patch->loops[i].entered)
			return true;
	return patch->peel_count > 0;
}

void kt_patch_add_entered(const struct kt_patch_printer *p)
{
	const struct kt_patch *patch = p->patch;

	kt_buf_addf(p->out, "bool %s = true", p->whole);
	for (size_t i = 0; i < patch->loop_count; i++)
		if (patch->loops[i].entered)
			add_entered(p, &patch->loops[i]);
	kt_buf_adds(p->out, ";\n\n");
	for (size_t i = 0; i < patch->peel_count; i++)
		add_peeled(p, &patch->peels[i], patch->peels[i].node->children[0]);
}

void kt_patch_add_whole(const struct kt_patch_printer *p)
{
	const struct kt_patch *patch = p->patch;
	struct kt_plane_axis *axes = patch->plane->axes;

	kt_buf_addf(p->out, "bool %s = %s + ${VEC} <= ", p->whole, p->x);
	kt_write_node(p->out, &p->family->write, axes[0].loop.bound_node);
	if (p->plane) {
		kt_buf_addf(p->out, " && %s + ${ROWS} <= ", p->y);
		kt_write_node(p->out, &p->family->write, axes[1].loop.bound_node);
	}
	for (size_t i = 0; i < patch->loop_count; i++)
		if (patch->loops[i].entered)
			add_entered(p, &patch->loops[i]);
	/* The counter may not run past its type. */
	if (patch->parted != NULL && kt_scalar_bytes(patch->parted->variable->scalar) < 8) {
		kt_buf_adds(p->out, "${if PARTS > 1} && ");
		kt_poly_print(p->out, p->family->kernel, patch->parted->bound, NULL, NULL);
		kt_buf_adds(p->out, " < 0x7fffffffLL - ");
		kt_buf_adds(p->out, patch->run_count > 0 ? "${= PARTS * ALONG}${end}" : "${PARTS}${end}");
	}
	for (size_t i = 0; i < patch->window_count + patch->store_count; i++) {
		const struct kt_patch_window *w = part_of(patch, i);

		if (!has_center(w) || follows(p, i))
			continue;
		kt_patch_add_aligned(p, w->root, w->base, "VEC", NULL);
		if (p->plane)
			kt_patch_add_aligned(p, w->root, w->base, "VEC", axes[1].variable);
		for (size_t k = 0; k < patch->loop_count; k++)
			kt_patch_add_aligned(p, w->root, w->base, "VEC", patch->loops[k].variable);
	}
	kt_patch_add_run_conditions(p);
	kt_buf_adds(p->out, ";\n\n");
	for (size_t i = 0; i < patch->peel_count; i++)
		add_peeled(p, &patch->peels[i], patch->peels[i].node->children[0]);
	if (patch->parted != NULL)
		kt_buf_addf(p->out, "${if PARTS > 1}\n%s = __syncthreads_and(%s);\n${end}\n", p->whole, p->whole);
}

/* ---- windows */

void kt_patch_add_base(const struct kt_patch_printer *p, const struct kt_patch_window *w)
{
	struct corner corner = {p, NULL};
	struct kt_poly *base = kt_arena_alloc(p->family->kernel->arena, sizeof *base), own_x = {0};

	if (base == NULL) {
		p->family->failed = true;
		return;
	}
	/* The rows' and the loops' variables are there by name; the item's own is the patch's first. */
	for (size_t i = 0; i < w->base->count; i++)
		if (w->base->terms[i].count == 1 && w->base->terms[i].atoms[0]->kind == KT_ATOM_VARIABLE &&
		    w->base->terms[i].atoms[0]->variable == p->patch->plane->axes[0].variable)
			own_x.terms[own_x.count++] = w->base->terms[i];
		else
			base->terms[base->count++] = w->base->terms[i];
	if (base->count > 0) {
		kt_poly_print(p->out, p->family->kernel, base, NULL, NULL);
		kt_buf_adds(p->out, " + ");
	}
	kt_poly_print(p->out, p->family->kernel, &own_x, corner_atom, &corner);
}

/* Past the end of a patch that is not whole there may be no element. */
static void add_singles(const struct kt_patch_printer *p, const struct kt_patch_window *w, const char *row,
			const char *from, const char *to)
{
	const char *at = p->at;

	if (p->lanes != NULL)
		at = within(p, at, w->high != 0 ? kt_family_text(p->family, "(%s + (%lld))", p->lanes, (long long)w->high) : p->lanes);
	kt_buf_addf(p->out, "#pragma unroll\nfor (int %s = %s; %s < %s; %s++)\n%s%s[%s - (%lld)] = %s[", p->at, from,
		    p->at, to, p->at, w->name, row, p->at, (long long)w->low, w->root->name);
	kt_patch_add_base(p, w);
	kt_buf_addf(p->out, " + %s];\n", at);
}

/* The pack of the items' own elements. */
static void add_center(const struct kt_patch_printer *p, const struct kt_patch_window *w, const char *row)
{
	kt_buf_addf(p->out, "{\nconst %s %s = *reinterpret_cast<const %s *>(%s + (", kt_patch_pack(p, w->root), p->pack,
	            kt_patch_pack(p, w->root), w->root->name);
	kt_patch_add_base(p, w);
	kt_buf_addf(p->out, "));\n\n#pragma unroll\nfor (int %s = 0; %s < ${VEC}; %s++)\n%s%s[%s", p->at, p->at, p->at,
		    w->name, row, p->at);
}

void kt_patch_add_held(const struct kt_patch_printer *p)
{
	for (size_t i = 0; i < p->patch->store_count; i++) {
		const struct kt_patch_window *w = &p->patch->stores[i];
		const char *row = p->plane ? kt_family_text(p->family, "[%s]", p->row) : "";

		kt_buf_addf(p->out, "%s %s%s[${VEC}];\n", w->root->element, w->name, p->plane ? "[${ROWS}]" : "");
		if (!w->loaded)
			continue;
		kt_patch_open_rows(p);
		if (p->lanes != NULL) {
			add_singles(p, w, row, "0", "${VEC}");
		} else {
			add_center(p, w, row);
			kt_buf_addf(p->out, "] = %s.item[%s];\n}\n", p->pack, p->at);
		}
		kt_patch_close_rows(p);
	}
}

static void add_window(const struct kt_patch_printer *p, const struct kt_patch_window *w)
{
	const char *row = w->rows ? kt_family_text(p->family, "[%s]", p->row) : "";
	const long long low = (long long)w->low, high = (long long)w->high;

	kt_buf_addf(p->out, "%s %s%s[${= VEC + %lld}];\n", w->root->element, w->name, w->rows ? "[${ROWS}]" : "", high - low);
	if (w->rows)
		kt_patch_open_rows(p);
	if (!has_center(w) || p->lanes != NULL) {
		add_singles(p, w, row, kt_family_text(p->family, "%lld", low), kt_family_text(p->family, "${VEC} + (%lld)", high));
	} else {
		add_center(p, w, row);
		kt_buf_addf(p->out, " - (%lld)] = %s.item[%s];\n}\n", low, p->pack, p->at);
		if (low < 0)
			add_singles(p, w, row, kt_family_text(p->family, "%lld", low), "0");
		if (high > 0)
			add_singles(p, w, row, "${VEC}", kt_family_text(p->family, "${VEC} + %lld", high));
	}
	if (w->rows)
		kt_patch_close_rows(p);
}

void kt_patch_add_windows(const struct kt_patch_printer *p, size_t level)
{
	for (size_t i = 0; i < p->patch->window_count; i++)
		if (p->patch->windows[i].level == level)
			add_window(p, &p->patch->windows[i]);
}
