/*
 * Tile: a plane whose loads run along one index and whose stores along the other goes through shared memory, a tile of
 * TILE × TILE items at a time, so that neighbouring threads touch neighbouring addresses on both sides.
 *
 *   to[x * h + y] = from[y * w + x];   becomes   tile[row][column] = from[y * w + x];
 *                                                __syncthreads();
 *                                                to[x * h + y] = tile[column][row];   with x and y exchanged
 *
 * Sound when: the load happens in every item, and nothing that an item writes can overlap with what is loaded
 * (__restrict__, or a guard says so); all threads of a block go through the same tiles, so that they may meet.
 */
#include <string.h>

#include "generation/rules/plane.h"

enum { MOST_LOADS = 2, MOST_BYTES = 8 };

struct tile {
	struct kt_plane *plane;
	unsigned along; /* the axis along which the loads run: 0 or 1 */
	size_t load_count;
	const struct kt_access *loads[MOST_LOADS];
	const char *names[MOST_LOADS];
};

/* Elements from one index to the next; 0 too where the index is only a factor of something. */
static int64_t step_along(const struct kt_poly *poly, const struct kt_tree_variable *v)
{
	for (size_t i = 0; i < poly->count; i++)
		if (poly->terms[i].count == 1 && poly->terms[i].atoms[0]->kind == KT_ATOM_VARIABLE &&
		    poly->terms[i].atoms[0]->variable == v)
			return poly->terms[i].factor;
	return 0;
}

static bool is_other(const struct kt_atom *atom, void *context)
{
	return atom->kind != KT_ATOM_VARIABLE || atom->variable != context;
}

/* Does the index run along this axis, and in greater steps along the other? */
static bool runs(const struct tile *tile, const struct kt_poly *index, unsigned along)
{
	struct kt_tree_variable *own = tile->plane->axes[along].variable, *other = tile->plane->axes[1 - along].variable;

	return step_along(index, own) == 1 && step_along(index, other) == 0 && !kt_poly_every(index, is_other, other);
}

/* Is it known in front of the items? */
static bool is_outer(const struct kt_atom *atom, void *context)
{
	const struct kt_plane *plane = context;

	if (atom->kind == KT_ATOM_OPAQUE)
		return false;
	if (atom->kind != KT_ATOM_VARIABLE || atom->variable == plane->axes[0].variable ||
	    atom->variable == plane->axes[1].variable)
		return true;
	return atom->variable->writes == 0 && atom->variable->argument >= 0;
}

static bool may_load(struct tile *tile, const struct kt_access *load)
{
	const struct kt_effects *effects = &tile->plane->effects;

	if (load->writes || load->conditional || load->atomic || load->node->in_macro || load->root->element == NULL ||
	    load->root->argument < 0 || !kt_poly_every(load->index, is_outer, tile->plane))
		return false;
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *other = &effects->accesses[i];

		if (other->writes && kt_roots_may_alias(other->root, load->root) &&
		    !kt_family_disjoint(tile->plane->family, other->root, load->root))
			return false;
	}
	return true;
}

/* The axis along which nothing is stored and something loaded. */
static bool find_loads(struct tile *tile)
{
	const struct kt_effects *effects = &tile->plane->effects;
	bool stores[2] = {false, false};
	unsigned bytes = 0;

	for (size_t i = 0; i < effects->access_count; i++)
		for (unsigned a = 0; a < 2; a++)
			stores[a] = stores[a] || (effects->accesses[i].writes && runs(tile, effects->accesses[i].index, a));
	if (stores[0] == stores[1])
		return false;
	tile->along = stores[0] ? 1 : 0;
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *access = &effects->accesses[i];

		if (!runs(tile, access->index, tile->along) || !may_load(tile, access))
			continue;
		bytes += access->root->element_bytes;
		if (tile->load_count == MOST_LOADS || bytes > MOST_BYTES)
			return false;
		tile->loads[tile->load_count++] = access;
	}
	return tile->load_count > 0;
}

struct words {
	const char *row, *column, *tile_x, *tile_y;
};

/* Both indices of a tile's place; `along`: the axis that neighbouring threads share out. */
static void open_place(struct kt_buf *out, struct tile *tile, const struct words *w, unsigned along)
{
	struct kt_plane *plane = tile->plane;

	kt_buf_addf(out,
	            "for (int %s = threadIdx.y; %s < ${TILE}; %s += ${BLOCK_Y}) {\n"
	            "for (int %s = threadIdx.x; %s < ${TILE}; %s += ${BLOCK_X}) {\n",
	            w->row, w->row, w->row, w->column, w->column, w->column);
	kt_buf_adds(out, "if (");
	for (unsigned a = 0; a < 2; a++) {
		kt_buf_addf(out, "%s%s + %s >= ", a > 0 ? " || " : "", a == 0 ? w->tile_x : w->tile_y, a == along ? w->column : w->row);
		kt_write_node(out, &plane->family->write, plane->axes[a].loop.bound_node);
	}
	kt_buf_adds(out, ")\ncontinue;\n");
	for (unsigned a = 0; a < 2; a++) {
		const char *type = plane->axes[a].variable->type;

		kt_buf_addf(out, "const %s %s = %s + %s;\n", strncmp(type, "const ", 6) == 0 ? type + 6 : type,
		            plane->axes[a].variable->name, a == 0 ? w->tile_x : w->tile_y, a == along ? w->column : w->row);
	}
	kt_buf_addc(out, '\n');
}

static void add_loads(struct kt_buf *out, struct tile *tile, const struct words *w)
{
	open_place(out, tile, w, tile->along);
	for (size_t i = 0; i < tile->load_count; i++) {
		kt_buf_addf(out, "%s[%s][%s] = %s[", tile->names[i], w->row, w->column, tile->loads[i]->root->name);
		kt_poly_print(out, tile->plane->family->kernel, tile->loads[i]->index, NULL, NULL);
		kt_buf_adds(out, "];\n");
	}
	kt_buf_adds(out, "}\n}\n");
}

static void add_items(struct kt_buf *out, struct tile *tile, const struct words *w)
{
	struct kt_family *family = tile->plane->family;
	const size_t mark = family->write.count;

	open_place(out, tile, w, 1 - tile->along);
	for (size_t i = 0; i < tile->load_count; i++)
		kt_write_set(&family->write, tile->loads[i]->node,
		             kt_family_text(family, "%s[%s][%s]", tile->names[i], w->column, w->row));
	kt_write_statements(out, &family->write, tile->plane->block, 0, tile->plane->block->count);
	kt_write_back(&family->write, mark);
	kt_buf_adds(out, "\n}\n}\n");
}

static void open_tiles(struct kt_buf *out, struct tile *tile, const char *name, unsigned axis)
{
	const char letter = (char)('x' + axis);

	kt_buf_addf(out, "for (long long %s = (long long)blockIdx.%c * ${TILE}; %s < ", name, letter, name);
	kt_write_node(out, &tile->plane->family->write, tile->plane->axes[axis].loop.bound_node);
	kt_buf_addf(out, "; %s += (long long)gridDim.%c * ${TILE}) {\n", name, letter);
}

bool kt_plane_tile(struct kt_buf *out, struct kt_plane *plane)
{
	static const int64_t sizes[] = {0, 16, 32, 64};
	struct kt_family *family = plane->family;
	struct tile tile = {.plane = plane};
	const struct kt_effects *effects = &plane->effects;
	const struct words w = {kt_family_name(family, "row"), kt_family_name(family, "column"), kt_family_name(family, "tile_x"),
	                        kt_family_name(family, "tile_y")};

	if (plane->axes[2].variable != NULL || effects->leaves != NULL || effects->skips != NULL || effects->unknown != NULL ||
	    !find_loads(&tile))
		return false;
	kt_buf_adds(out, "${if TILE}\n// A tile goes through shared memory: neighbouring threads touch neighbouring addresses on "
	                 "both sides.\n");
	for (size_t i = 0; i < tile.load_count; i++) {
		tile.names[i] = kt_family_name(family, kt_family_text(family, i == 0 ? "%s_tile" : "%s_tile_b", tile.loads[i]->root->name));
		kt_buf_addf(out, "__shared__ %s %s[${TILE}][${= TILE + 1}];\n", tile.loads[i]->root->element, tile.names[i]);
	}
	kt_buf_addc(out, '\n');
	open_tiles(out, &tile, w.tile_y, 1);
	open_tiles(out, &tile, w.tile_x, 0);
	kt_buf_adds(out, "__syncthreads();\n");
	add_loads(out, &tile, &w);
	kt_buf_adds(out, "__syncthreads();\n");
	add_items(out, &tile, &w);
	kt_buf_adds(out, "}\n}\n${else}\n");
	kt_family_parameter(family, "TILE", "items of a tile's side in shared memory; 0: no tile", sizes, 4);
	kt_family_restrict(family, "TILE == 0 || BLOCK_X <= TILE && BLOCK_Y <= TILE", "a block has no more threads than a tile items");
	kt_family_restrict(family, "TILE == 0 || ROWS == 1", "a tile has rows of its own");
	kt_family_applied(family, "tile", "loads run along one index and stores along the other");
	return true;
}
