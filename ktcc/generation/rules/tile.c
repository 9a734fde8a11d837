/*
 * Tile: a plane whose loads run along one index and whose stores along the other goes through shared memory, a tile of
 * TILE × TILE items at a time, so that neighbouring threads touch neighbouring addresses on both sides.
 *
 *   to[x * h + y] = from[y * w + x];   becomes   tile[row][column] = from[y * w + x];
 *                                                __syncthreads();
 *                                                to[x * h + y] = tile[column][row];   with x and y exchanged
 *
 * A tile that lies inside entirely is moved in accesses of VEC elements, all loads in front of what waits for them;
 * others item by item.
 *
 * Sound when: the load happens in every item, and nothing that an item writes can overlap with what is loaded (__restrict__, or
 * a guard checks it); all threads of a block go through the same tiles, so that they may synchronise. A store is put after its
 * neighbours' only where it happens in every item and nothing else reaches what it writes. Alignment is asked in the kernel.
 */
#include <string.h>

#include "generation/rules/plane.h"

enum { MOST_LOADS = 2, MOST_STORES = 2, MOST_BYTES = 8 };

struct tile {
	struct kt_plane *plane;
	unsigned along; /* the axis along which the loads run: 0 or 1 */
	unsigned widest; /* bytes of the widest element */
	bool packs;     /* whole tiles can be moved in packs */
	bool streams;   /* they may pass by the caches */
	size_t load_count, store_count;
	const struct kt_access *loads[MOST_LOADS], *stores[MOST_STORES]; /* stores: those that can be moved in packs */
	const char *names[MOST_LOADS], *held[MOST_LOADS], *packed[MOST_STORES];
	const char *thread, *row, *column, *step, *lane, *tile_x, *tile_y, *whole;
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

/* Does the index run along this axis, and in greater steps along the other? */
static bool runs(const struct tile *tile, const struct kt_poly *index, unsigned along)
{
	struct kt_tree_variable *own = tile->plane->axes[along].variable, *other = tile->plane->axes[1 - along].variable;

	return step_along(index, own) == 1 && step_along(index, other) == 0 && !kt_poly_every(index, kt_atom_is_other, other);
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

/* Which of the loads is it; load_count: none. */
static size_t load_of(const struct tile *tile, const struct kt_access *access)
{
	size_t i = 0;

	while (i < tile->load_count &&
	       (tile->loads[i]->root != access->root || !kt_poly_equal(tile->loads[i]->index, access->index)))
		i++;
	return i;
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

		if (!runs(tile, access->index, tile->along) || !may_load(tile, access) || load_of(tile, access) < tile->load_count)
			continue;
		bytes += access->root->element_bytes;
		if (tile->load_count == MOST_LOADS || bytes > MOST_BYTES)
			return false;
		tile->loads[tile->load_count++] = access;
	}
	return tile->load_count > 0;
}

/* May the store wait until its neighbours' values are there? */
static bool may_pack(struct tile *tile, const struct kt_access *store)
{
	const struct kt_effects *effects = &tile->plane->effects;

	if (!store->writes || store->reads || store->conditional || store->atomic || store->node->in_macro ||
	    store->root->element == NULL || store->root->argument < 0 || !runs(tile, store->index, 1 - tile->along) ||
	    !kt_poly_every(store->index, is_outer, tile->plane))
		return false;
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *other = &effects->accesses[i];

		if (other != store && (other->root == store->root ||
		                       (kt_roots_may_alias(other->root, store->root) &&
		                        !kt_family_disjoint(tile->plane->family, other->root, store->root))))
			return false;
	}
	return true;
}

/*
 * Does the index move by as much from each row to the next? Then two rows tell about all of them. *terms: that have
 * v.
 */
static bool is_even(size_t *terms, const struct kt_poly *index, struct kt_tree_variable *v)
{
	*terms = 0;
	for (size_t i = 0; i < index->count; i++) {
		size_t times = 0;

		for (size_t j = 0; j < index->terms[i].count; j++) {
			const struct kt_atom *atom = index->terms[i].atoms[j];

			times += atom->kind == KT_ATOM_VARIABLE && atom->variable == v;
			if ((atom->left != NULL && !kt_poly_every(atom->left, kt_atom_is_other, v)) ||
			    (atom->right != NULL && !kt_poly_every(atom->right, kt_atom_is_other, v)))
				return false;
		}
		if (times > 1)
			return false;
		*terms += times;
	}
	return true;
}

/* Neighbours along the axis next to each other, and rows at even distances. */
static bool is_packed(const struct tile *tile, const struct kt_poly *index, unsigned along)
{
	size_t own, other;

	return is_even(&own, index, tile->plane->axes[along].variable) && own == 1 &&
	       is_even(&other, index, tile->plane->axes[1 - along].variable);
}

static void find_stores(struct tile *tile)
{
	const struct kt_effects *effects = &tile->plane->effects;

	tile->packs = true;
	for (size_t i = 0; i < effects->access_count && tile->store_count < MOST_STORES; i++)
		if (may_pack(tile, &effects->accesses[i]))
			tile->stores[tile->store_count++] = &effects->accesses[i];
	for (size_t i = 0; i < tile->load_count + tile->store_count; i++) {
		const struct kt_access *access = i < tile->load_count ? tile->loads[i] : tile->stores[i - tile->load_count];
		const unsigned bytes = access->root->element_bytes;

		tile->packs = tile->packs && kt_rule_is_vector(bytes) &&
		              is_packed(tile, access->index, i < tile->load_count ? tile->along : 1 - tile->along);
		tile->widest = bytes > tile->widest ? bytes : tile->widest;
	}
	if (!tile->packs)
		tile->store_count = 0;
}

static const char *type_of(const struct kt_plane_axis *axis)
{
	return axis->variable->bare;
}

static void add_bound(struct kt_buf *out, const struct tile *tile, unsigned axis)
{
	kt_write_node(out, &tile->plane->family->write, tile->plane->axes[axis].loop.bound_node);
}

static void open_steps(struct kt_buf *out, const struct tile *t)
{
	kt_buf_addf(out,
		    "#pragma unroll\nfor (int %s = 0; %s < ${= TILE * TILE / (BLOCK_X * BLOCK_Y * VEC)}; %s++) {\n",
		    t->step, t->step, t->step);
	kt_buf_addf(out, "const int %s = %s / ${= TILE / VEC} + %s * ${= BLOCK_X * BLOCK_Y * VEC / TILE};\n", t->row,
		    t->thread, t->step);
	kt_buf_addf(out, "const int %s = %s %% ${= TILE / VEC} * ${VEC};\n\n", t->column, t->thread);
}

/* Both indices of a place; `along`: the axis that neighbouring threads go along; lane: of the access, "" its first. */
static void add_indices(struct kt_buf *out, const struct tile *t, unsigned along, const char *lane)
{
	for (unsigned a = 0; a < 2; a++) {
		const struct kt_plane_axis *axis = &t->plane->axes[a];

		kt_buf_addf(out, "const %s %s = (%s)%s + %s%s;\n", type_of(axis), axis->variable->name, type_of(axis),
		            a == 0 ? t->tile_x : t->tile_y, a == along ? t->column : t->row, a == along ? lane : "");
	}
	kt_buf_addc(out, '\n');
}

static void open_lanes(struct kt_buf *out, const struct tile *t)
{
	kt_buf_addf(out, "#pragma unroll\nfor (int %s = 0; %s < ${VEC}; %s++) {\n", t->lane, t->lane, t->lane);
}

static void add_outside(struct kt_buf *out, const struct tile *t)
{
	kt_buf_addf(out, "if (%s >= ", t->plane->axes[0].variable->name);
	add_bound(out, t, 0);
	kt_buf_addf(out, " || %s >= ", t->plane->axes[1].variable->name);
	add_bound(out, t, 1);
	kt_buf_adds(out, ")\ncontinue;\n");
}

static void add_index(struct kt_buf *out, const struct tile *t, const struct kt_access *access)
{
	kt_poly_print(out, t->plane->family->kernel, access->index, NULL, NULL);
}

static const char *pack_type(const struct tile *t, const struct kt_access *access)
{
	return kt_family_name(t->plane->family, kt_family_text(t->plane->family, "%s_line", access->root->name));
}

/* From global to shared memory. */
static void add_loads(struct kt_buf *out, struct tile *t)
{
	const char *lane = kt_family_text(t->plane->family, " + %s", t->lane);

	if (t->packs) {
		kt_buf_addf(out, "if (%s) {\n", t->whole);
		for (size_t i = 0; i < t->load_count; i++)
			kt_buf_addf(out, "%s %s[${= TILE * TILE / (BLOCK_X * BLOCK_Y * VEC)}];\n", pack_type(t, t->loads[i]), t->held[i]);
		kt_buf_addc(out, '\n');
		open_steps(out, t);
		add_indices(out, t, t->along, "");
		for (size_t i = 0; i < t->load_count; i++) {
			kt_buf_addf(out, "%s[%s] = %sreinterpret_cast<const %s *>(%s + (", t->held[i], t->step,
			            t->streams ? "${if STREAM > 1}${ktune:callee:0}(${else}*${end}" : "*", pack_type(t, t->loads[i]),
			            t->loads[i]->root->name);
			add_index(out, t, t->loads[i]);
			kt_buf_addf(out, "))%s;\n", t->streams ? "${if STREAM > 1})${end}" : "");
		}
		kt_buf_adds(out, "}\n");
		open_steps(out, t);
		open_lanes(out, t);
		for (size_t i = 0; i < t->load_count; i++)
			kt_buf_addf(out, "%s[%s][%s%s] = %s[%s].item[%s];\n", t->names[i], t->row, t->column, lane, t->held[i], t->step,
			            t->lane);
		kt_buf_adds(out, "}\n}\n} else {\n");
	}
	open_steps(out, t);
	open_lanes(out, t);
	add_indices(out, t, t->along, lane);
	add_outside(out, t);
	for (size_t i = 0; i < t->load_count; i++) {
		kt_buf_addf(out, "%s[%s][%s%s] = %s[", t->names[i], t->row, t->column, lane, t->loads[i]->root->name);
		add_index(out, t, t->loads[i]);
		kt_buf_adds(out, "];\n");
	}
	kt_buf_addf(out, "}\n}\n%s", t->packs ? "}\n" : "");
}

static void add_item(struct kt_buf *out, struct tile *t, bool whole)
{
	struct kt_family *family = t->plane->family;
	const size_t mark = family->write.count;

	open_lanes(out, t);
	add_indices(out, t, 1 - t->along, kt_family_text(family, " + %s", t->lane));
	if (!whole)
		add_outside(out, t);
	for (size_t i = 0; i < t->plane->effects.access_count; i++) {
		const struct kt_access *access = &t->plane->effects.accesses[i];
		const size_t load = load_of(t, access);

		if (load < t->load_count && !access->node->in_macro)
			kt_write_set(&family->write, access->node,
			             kt_family_text(family, "%s[%s + %s][%s]", t->names[load], t->column, t->lane, t->row));
	}
	for (size_t i = 0; whole && i < t->store_count; i++)
		kt_write_set(&family->write, t->stores[i]->node, kt_family_text(family, "%s.item[%s]", t->packed[i], t->lane));
	kt_write_statements(out, &family->write, t->plane->block, 0, t->plane->block->count);
	kt_write_back(&family->write, mark);
	kt_buf_adds(out, "\n}\n");
}

/* The items, with what was loaded in shared memory. */
static void add_items(struct kt_buf *out, struct tile *t)
{
	if (t->packs) {
		kt_buf_addf(out, "if (%s) {\n", t->whole);
		open_steps(out, t);
		for (size_t i = 0; i < t->store_count; i++)
			kt_buf_addf(out, "%s %s;\n", pack_type(t, t->stores[i]), t->packed[i]);
		add_item(out, t, true);
		if (t->store_count > 0)
			add_indices(out, t, 1 - t->along, "");
		for (size_t i = 0; i < t->store_count; i++) {
			kt_buf_addf(out, "%sreinterpret_cast<%s *>(%s + (",
				    t->streams ? "${if STREAM}${ktune:callee:1}(${else}*${end}" : "*",
				    pack_type(t, t->stores[i]), t->stores[i]->root->name);
			add_index(out, t, t->stores[i]);
			kt_buf_addf(out, "))%s%s%s;\n", t->streams ? "${if STREAM}, ${else} = ${end}" : " = ", t->packed[i],
			            t->streams ? "${if STREAM})${end}" : "");
		}
		kt_buf_adds(out, "}\n} else {\n");
	}
	open_steps(out, t);
	add_item(out, t, false);
	kt_buf_addf(out, "}\n%s", t->packs ? "}\n" : "");
}

static void open_tiles(struct kt_buf *out, struct tile *tile, const char *name, unsigned axis)
{
	const char letter = (char)('x' + axis);

	kt_buf_addf(out, "for (long long %s = (long long)blockIdx.%c * ${TILE}; %s < ", name, letter, name);
	add_bound(out, tile, axis);
	kt_buf_addf(out, "; %s += (long long)gridDim.%c * ${TILE}) {\n", name, letter);
}

struct corner {
	const struct tile *tile;
	unsigned row_axis; /* one further along this one */
};

static const char *corner_atom(const struct kt_atom *atom, void *context)
{
	const struct corner *c = context;

	for (unsigned a = 0; a < 2; a++)
		if (atom->kind == KT_ATOM_VARIABLE && atom->variable == c->tile->plane->axes[a].variable)
			return a == c->row_axis ? kt_family_text(c->tile->plane->family, "(%s + 1)",
								 a == 0 ? c->tile->tile_x : c->tile->tile_y)
			       : a == 0         ? c->tile->tile_x
						: c->tile->tile_y;
	return NULL;
}

/* Does the tile lie inside, and do its packs begin where accesses of their size may? */
static void add_whole(struct kt_buf *out, struct tile *t)
{
	kt_buf_addf(out, "const bool %s = %s + ${TILE} <= ", t->whole, t->tile_x);
	add_bound(out, t, 0);
	kt_buf_addf(out, " && %s + ${TILE} <= ", t->tile_y);
	add_bound(out, t, 1);
	for (size_t i = 0; i < t->load_count + t->store_count; i++) {
		const bool load = i < t->load_count;
		const struct kt_access *access = load ? t->loads[i] : t->stores[i - t->load_count];

		/* The first of the tile's rows, and the second. */
		for (unsigned row = 0; row < 2; row++) {
			struct corner corner = {t, row == 0 ? 2 : load ? 1 - t->along : t->along};

			kt_buf_addf(out, " &&\nreinterpret_cast<unsigned long long>(%s + (", access->root->name);
			kt_poly_print(out, t->plane->family->kernel, access->index, corner_atom, &corner);
			kt_buf_addf(out, ")) %% ${= VEC * %u} == 0", access->root->element_bytes);
		}
	}
	kt_buf_adds(out, ";\n\n");
}

static void add_declarations(struct kt_buf *out, struct tile *t)
{
	struct kt_family *family = t->plane->family;

	for (size_t i = 0; t->packs && i < t->load_count + t->store_count; i++) {
		const struct kt_access *access = i < t->load_count ? t->loads[i] : t->stores[i - t->load_count];

		if (i > 0 && i < t->load_count && access->root == t->loads[0]->root)
			continue;
		kt_buf_addf(out, "struct alignas(${= VEC * %u}) %s {\n%s item[${VEC}];\n};\n", access->root->element_bytes,
		            pack_type(t, access), access->root->element);
	}
	for (size_t i = 0; i < t->load_count; i++) {
		const unsigned bytes = t->loads[i]->root->element_bytes;

		t->names[i] = kt_family_name(
		    family, kt_family_text(family, i == 0 ? "%s_tile" : "%s_tile_b", t->loads[i]->root->name));
		t->held[i] = kt_family_name(
		    family, kt_family_text(family, i == 0 ? "%s_held" : "%s_held_b", t->loads[i]->root->name));
		kt_buf_addf(out, "__shared__ %s %s[${TILE}][${= TILE + %u}];\n", t->loads[i]->root->element, t->names[i],
		            bytes < 4 && bytes > 0 ? 4 / bytes : 1);
	}
	for (size_t i = 0; i < t->store_count; i++)
		t->packed[i] = kt_family_name(family, kt_family_text(family, "%s_packed", t->stores[i]->root->name));
	kt_buf_addf(out, "const int %s = threadIdx.y * ${BLOCK_X} + threadIdx.x;\n\n", t->thread);
}

static void add_parameters(struct kt_family *family, const struct tile *tile)
{
	static const int64_t sizes[] = {64, 32, 0}, widths[] = {1, 2, 4, 8, 16};

	kt_family_parameter(family, "TILE", "items of a tile's side in shared memory; 0: no tile", sizes, 3);
	kt_family_parameter(family, "VEC", "elements of one memory access", widths,
			    tile->packs || tile->plane->vector ? 5 : 1);
	if (!tile->plane->vector)
		kt_family_restrict(family, "TILE != 0 || VEC == 1", "only tiles are moved in packs");
	if (tile->packs)
		kt_family_restrict(family, kt_family_text(family, "TILE == 0 || VEC * %u <= 16", tile->widest),
		                   "an access has 16 bytes at most");
	else
		kt_family_restrict(family, "TILE == 0 || VEC == 1", "the tile's elements are moved one by one");
	kt_family_restrict(family, "TILE == 0 || BLOCK_X == 32",
	                   "a tile's threads are numbered through: one way to write their number will do");
	kt_family_restrict(family, "TILE == 0 || BLOCK_X * BLOCK_Y * VEC >= TILE && TILE * TILE >= BLOCK_X * BLOCK_Y * VEC",
	                   "the threads of a block move whole rows of a tile, and no more than there are");
	kt_family_restrict(family, "TILE == 0 || TILE * TILE <= 32 * BLOCK_X * BLOCK_Y", "a thread holds 32 elements at most");
	kt_family_restrict(family, "TILE == 0 || ROWS == 1", "no two tiles share a row");
}

bool kt_plane_tile(struct kt_buf *out, struct kt_plane *plane)
{
	struct kt_family *family = plane->family;
	struct tile tile = {.plane = plane, .thread = kt_family_name(family, "place"), .row = kt_family_name(family, "row"),
	                    .column = kt_family_name(family, "column"), .step = kt_family_name(family, "step"),
	                    .lane = kt_family_name(family, "lane"), .tile_x = kt_family_name(family, "tile_x"),
	                    .tile_y = kt_family_name(family, "tile_y"), .whole = kt_family_name(family, "whole")};
	const struct kt_effects *effects = &plane->effects;

	if (plane->axes[2].variable != NULL || effects->leaves != NULL || effects->skips != NULL || effects->unknown != NULL ||
	    !find_loads(&tile))
		return false;
	find_stores(&tile);
	tile.streams = kt_rule_target(family)->has_cache_hints;
	kt_buf_adds(
	    out,
	    "${if TILE}\n// A tile goes through shared memory: neighbouring threads touch neighbouring addresses on "
	    "both sides.\n");
	add_declarations(out, &tile);
	open_tiles(out, &tile, tile.tile_y, 1);
	open_tiles(out, &tile, tile.tile_x, 0);
	if (tile.packs)
		add_whole(out, &tile);
	kt_buf_adds(out, "__syncthreads();\n");
	add_loads(out, &tile);
	kt_buf_adds(out, "__syncthreads();\n");
	add_items(out, &tile);
	kt_buf_adds(out, "}\n}\n${else}\n");
	add_parameters(family, &tile);
	kt_family_applied(family, "tile", "loads run along one index and stores along the other");
	return true;
}
