/*
 * Patches that are not whole: those at the edge, and all of rows that are not aligned. Their items go together as others do, one
 * element at a time. An item past the last one of a row, or of a column, repeats that one: it reads the
 * same elements, and stores nothing.
 *
 * Sound when: all that items write is stored after them (a window of patch.c), so that an item may be done twice.
 */
#include "generation/rules/patch.h"

static bool is_written_once(const struct kt_patch *patch, const struct kt_access *access)
{
	return !access->writes || kt_patch_is_dropped(patch, access->node) || kt_patch_store_of(patch, access->node) != NULL;
}

bool kt_patch_may_be_ragged(const struct kt_patch *patch)
{
	const struct kt_effects *effects = &patch->plane->effects;

	for (size_t i = 0; i < effects->access_count; i++)
		if (!is_written_once(patch, &effects->accesses[i]))
			return false;
	for (size_t i = 0; i < patch->statement_count; i++)
		if (!kt_calls_are_harmless(patch->statements[i]))
			return false;
	return effects->unknown == NULL && patch->store_count > 0;
}

/* Of an axis: as many as there are up to its bound, and as a patch has. */
static void count_axis(const struct kt_patch_printer *p, unsigned axis, const char *name, const char *most)
{
	const struct kt_plane_axis *a = &p->patch->plane->axes[axis];
	const char *first = kt_patch_first(p, axis);

	kt_buf_addf(p->out, "const int %s = %s + %s <= ", name, first, most);
	kt_write_node(p->out, &p->family->write, a->loop.bound_node);
	kt_buf_addf(p->out, " ? %s : (int)(", most);
	kt_write_node(p->out, &p->family->write, a->loop.bound_node);
	kt_buf_addf(p->out, " - %s);\n", first);
}

void kt_patch_count_ragged(const struct kt_patch_printer *p)
{
	count_axis(p, 0, p->lanes, "${VEC}");
	if (p->plane)
		count_axis(p, 1, p->rows, "${ROWS}");
	kt_buf_addc(p->out, '\n');
}

void kt_patch_add_ragged_stores(const struct kt_patch_printer *p)
{
	for (size_t i = 0; i < p->patch->store_count; i++) {
		const struct kt_patch_window *w = &p->patch->stores[i];
		const char *row = p->plane ? kt_family_text(p->family, "[%s]", p->row) : "";

		kt_patch_open_rows(p);
		kt_buf_addf(p->out, "#pragma unroll\nfor (int %s = 0; %s < ${VEC}; %s++)\nif (%s < %s", p->at, p->at, p->at, p->at,
			    p->lanes);
		if (p->plane)
			kt_buf_addf(p->out, " && %s < %s", p->row, p->rows);
		kt_buf_addf(p->out, ")\n%s[", w->root->name);
		kt_patch_add_base(p, w);
		kt_buf_addf(p->out, " + %s] = %s%s[%s];\n", p->at, w->name, row, p->at);
		kt_patch_close_rows(p);
	}
}
