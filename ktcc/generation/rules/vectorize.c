/*
 * Vectorize: a distributed loop moves VEC neighbouring elements in one access.
 *
 *   for (d = START; d < N; d += STEP) BODY(d)
 *
 * becomes a loop over groups of VEC iterations, in which the loads of a group are before it and its stores after it, and a loop
 * over the rest, one by one.
 *
 * Sound when: no iteration leaves the loop, waits for other threads or does anything that cannot be read; what it changes
 * outside of itself is a reduction (a sum, a maximum …); a load is moved only over stores to memory that it cannot overlap
 * (__restrict__, or a guard checks it) or to the very same elements; a store is moved
 * only if it happens in every iteration. Alignment, divisibility and the range of
 * the counter are asked at run time, in front of the loop: where one of them does
 * not hold, the loop over the rest does everything.
 *
 * An index is contiguous when it grows by 1 from one iteration to the next. d / H
 * stays the same and d % H grows by 1 within a group if VEC divides H and the
 * group's first d: what depends on d / H only is then the same for all elements of
 * a group, and the compiler computes it once (hoisting across lanes). So is what is read at such an index:
 * x[row[d / H] * H + d % H] is contiguous within a group where row cannot overlap with what the loop writes.
 */
#include <string.h>

#include "generation/rules/vector.h"

static bool add_division(struct kt_family *family, struct kt_vector *vector, const struct kt_atom *atom)
{
	struct kt_division *d;

	for (size_t i = 0; i < vector->division_count; i++)
		if (kt_poly_equal(vector->divisions[i].by, atom->right))
			return true;
	if (vector->division_count == KT_VECTOR_DIVISIONS)
		return false;
	d = &vector->divisions[vector->division_count];
	d->atom = atom;
	d->by = atom->right;
	d->quotient = kt_family_name(family, vector->division_count == 0
	                                         ? "group_row"
	                                         : kt_family_text(family, "group_row%zu", vector->division_count));
	d->remainder = kt_family_name(family, vector->division_count == 0
	                                          ? "group_column"
	                                          : kt_family_text(family, "group_column%zu", vector->division_count));
	vector->division_count++;
	return true;
}

/* Adds the question whether the two overlap, which the kernel itself asks in OpenCL, and of device symbols. */
static bool add_apart(struct kt_family *family, struct kt_vector *vector, const struct kt_tree_variable *a,
                      const struct kt_tree_variable *b)
{
	const bool ordered = strcmp(a->name, b->name) < 0;
	const char *text = a->argument < 0 || b->argument < 0 ? kt_rule_symbol_apart(family, a, b)
	                                                      : kt_rule_opencl_apart(family, ordered ? a : b, ordered ? b : a);

	if (text == NULL || vector->apart_count == KT_VECTOR_PACKS)
		return false;
	vector->aparts[vector->apart_count++] = text;
	return true;
}

/*
 * Two places in one array with the same distance in every iteration: those of a group do not overlap where the distance is at
 * least VEC elements. Adds that question. False: the distance is not known, or it is always less.
 */
static bool add_distance(struct kt_family *family, struct kt_vector *vector, const struct kt_access *a,
                         const struct kt_access *b)
{
	const struct kt_poly *distance = kt_poly_add(&family->polys, a->index, b->index, -1);
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	if (distance == NULL || kt_loop_poly_varies(vector->loop, distance) || vector->apart_count == KT_VECTOR_PACKS ||
	    (distance->count == 1 && distance->terms[0].count == 0))
		return false;
	/* One question for a pair, whichever of them asks. */
	if (distance->count > 0 && distance->terms[0].factor < 0)
		distance = kt_poly_add(&family->polys, b->index, a->index, -1);
	if (distance == NULL)
		return false;
	kt_buf_adds(&text, "((");
	kt_poly_print(&text, family->kernel, distance, NULL, NULL);
	kt_buf_adds(&text, ") >= ${VEC} || (");
	kt_poly_print(&text, family->kernel, distance, NULL, NULL);
	kt_buf_adds(&text, ") <= -${VEC})");
	vector->aparts[vector->apart_count++] = kt_family_text(family, "%s", kt_buf_text(&text));
	family->failed = family->failed || text.failed;
	kt_buf_free(&text);
	return true;
}

/* May this access move over every store of the loop, or if it is one, over every access? */
static bool may_move(struct kt_family *family, struct kt_vector *vector, const struct kt_effects *effects,
                     const struct kt_access *access)
{
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *other = &effects->accesses[i];

		if (other == access || (!other->writes && !access->writes))
			continue;
		if (other->root == access->root) {
			if (!kt_poly_equal(other->index, access->index) && !add_distance(family, vector, access, other))
				return false;
			continue;
		}
		if (kt_roots_may_alias(other->root, access->root) &&
		    !kt_family_disjoint(family, other->root, access->root) &&
		    !add_apart(family, vector, other->root, access->root))
			return false;
	}
	return true;
}

/* The row's number is read in front of the stores of a group. */
static bool may_look_up(struct kt_family *family, struct kt_vector *vector, const struct kt_effects *effects,
                        const struct kt_motion *motion)
{
	for (size_t l = 0; l < motion->load_count; l++)
		for (size_t i = 0; i < effects->access_count; i++) {
			const struct kt_access *store = &effects->accesses[i];

			if (store->writes && (store->root == motion->loads[l] ||
			                      (kt_roots_may_alias(store->root, motion->loads[l]) &&
			                       !kt_family_disjoint(family, store->root, motion->loads[l]) &&
			                       !add_apart(family, vector, store->root, motion->loads[l]))))
				return false;
		}
	return true;
}

static bool is_whole(const struct kt_effects *effects, const struct kt_access *access)
{
	/* Every access to these elements must go through the pack, and a store must be no maybe. */
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *other = &effects->accesses[i];

		if (other->root == access->root && kt_poly_equal(other->index, access->index) &&
		    (other->atomic || (other->writes && other->conditional)))
			return false;
	}
	return true;
}

/* Unconditional somewhere: then the element exists. */
static bool happens(const struct kt_effects *effects, const struct kt_access *access)
{
	for (size_t i = 0; i < effects->access_count; i++)
		if (effects->accesses[i].root == access->root && kt_poly_equal(effects->accesses[i].index, access->index) &&
		    !effects->accesses[i].conditional)
			return true;
	return false;
}

struct kt_pack *kt_vector_pack(struct kt_vector *vector, const struct kt_access *access)
{
	for (size_t i = 0; i < vector->pack_count; i++)
		if (vector->packs[i].root == access->root && kt_poly_equal(vector->packs[i].index, access->index))
			return &vector->packs[i];
	return NULL;
}

/* The right side of an assignment is read before the left one is written; `x[i]++` reads as well. */
static uint32_t write_end(const struct kt_tree *target)
{
	const struct kt_tree *at = target->parent;

	while (at != NULL && at->kind == KT_TREE_PAREN)
		at = at->parent;
	return at != NULL && (at->kind == KT_TREE_ASSIGN || at->kind == KT_TREE_CALL) ? at->range.end : target->range.end;
}

/* Is it another one in another iteration of what is around the loop: a loop, or the grid's blocks? */
static bool varies_around(const struct kt_loop *loop, const struct kt_atom *atom)
{
	if (loop->outer != NULL)
		return kt_loop_varies(loop->outer, atom);
	return atom->kind == KT_ATOM_BUILTIN && atom->builtin == KT_BLOCK_INDEX;
}

/* Elements that only one iteration of all loops touches will not be needed again. */
static bool streams(const struct kt_loop *loop, const struct kt_motion *motion)
{
	if (loop->outer == NULL && loop->share != KT_SHARE_THREAD)
		return loop->share == KT_SHARE_FLAT && motion->row_count == 0;
	for (size_t i = 0; i < motion->fixed->count; i++)
		for (size_t j = 0; j < motion->fixed->terms[i].count; j++)
			if (varies_around(loop, motion->fixed->terms[i].atoms[j]))
				return true;
	return false;
}

static void add_member(struct kt_family *family, struct kt_vector *vector, const struct kt_access *access,
                       const struct kt_motion *motion)
{
	struct kt_pack *pack = kt_vector_pack(vector, access);
	struct kt_member *slot;

	if (pack == NULL) {
		size_t same = 0;

		if (vector->pack_count == KT_VECTOR_PACKS || vector->row_term_count + motion->row_count > KT_VECTOR_PACKS)
			return;
		for (size_t i = 0; i < motion->division_count; i++)
			if (!add_division(family, vector, motion->divisions[i]))
				return;
		for (size_t i = 0; i < vector->pack_count; i++)
			same += vector->packs[i].root == access->root;
		pack = &vector->packs[vector->pack_count++];
		*pack = (struct kt_pack){.root = access->root,
					 .index = access->index,
					 .first_read = UINT32_MAX,
					 .first_write = UINT32_MAX,
					 .streams =
					     kt_rule_target(family)->has_cache_hints && streams(vector->loop, motion)};
		pack->name = kt_family_name(family, same == 0 ? kt_family_text(family, "%s_pack", access->root->name)
		                                              : kt_family_text(family, "%s_pack_%c", access->root->name,
		                                                               (char)('b' + same - 1)));
		if (access->root->element_bytes > vector->widest)
			vector->widest = access->root->element_bytes;
		for (size_t i = 0; i < motion->row_count; i++) {
			struct kt_poly *term = kt_arena_alloc(family->kernel->arena, sizeof *term);

			if (term == NULL)
				return;
			term->count = 1;
			term->terms[0] = motion->rows[i];
			vector->row_terms[vector->row_term_count++] = term;
		}
	}
	pack->stores = pack->stores || access->writes;
	if (access->reads && access->node->range.begin < pack->first_read)
		pack->first_read = access->node->range.begin;
	if (access->writes && write_end(access->node) < pack->first_write)
		pack->first_write = write_end(access->node);
	pack->loads = pack->first_read < pack->first_write;
	slot = kt_arena_push(family->kernel->arena, &vector->members, &vector->member_count, sizeof *slot);
	if (slot != NULL)
		*slot = (struct kt_member){access->node, (size_t)(pack - vector->packs)};
}

struct search {
	struct kt_family *family;
	struct kt_vector *vector;
};

/* Divisions of the loop's index are worth being done once for each group, at any place. */
static bool find_divisions(struct kt_tree *node, void *context)
{
	struct search *s = context;
	const struct kt_poly *poly;
	const struct kt_atom *atom;
	struct kt_tree **slot;

	if (node->kind != KT_TREE_BINARY || node->in_macro ||
	    (!kt_tree_is(node, KT_TREE_BINARY, "/") && !kt_tree_is(node, KT_TREE_BINARY, "%")))
		return true;
	poly = kt_poly_of(&s->family->polys, node);
	if (poly == NULL || poly->count != 1 || poly->terms[0].count != 1 || poly->terms[0].factor != 1)
		return true;
	atom = poly->terms[0].atoms[0];
	if (atom->left == NULL || !kt_loop_is_index(s->family, s->vector->loop, atom->left) ||
	    kt_loop_poly_varies(s->vector->loop, atom->right) || !add_division(s->family, s->vector, atom))
		return true;
	slot = kt_arena_push(s->family->kernel->arena, &s->vector->quotients, &s->vector->quotient_count, sizeof *slot);
	if (slot != NULL)
		*slot = node;
	return true;
}

static const char *obstacle(const struct kt_effects *effects, const struct kt_tree **where)
{
	const struct {
		const struct kt_tree *node;
		const char *text;
	} all[] = {
		{effects->barrier, "threads wait for each other in this loop"},
		{effects->leaves, "an iteration can leave the loop"},
		{effects->skips, "an iteration can be cut short"},
		{effects->unknown, "memory is accessed in a way that cannot be analysed"},
	};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (all[i].node != NULL) {
			*where = all[i].node;
			return all[i].text;
		}
	return NULL;
}

struct kt_vector *kt_vector_plan(struct kt_family *family, const struct kt_loop *loop, const struct kt_effects *effects)
{
	struct kt_vector *vector = kt_arena_alloc(family->kernel->arena, sizeof *vector);
	const struct kt_tree *where = loop->node;
	const char *why = obstacle(effects, &where);
	struct kt_tree *scope = kt_loop_scope(loop);
	struct search search = {family, vector};

	if (vector == NULL) {
		family->failed = true;
		return NULL;
	}
	if (why != NULL || loop->bound == NULL || loop->share == KT_SHARE_BLOCK) {
		if (why != NULL)
			kt_family_note(family, where, "no vector access: %s", why);
		return NULL;
	}
	for (size_t i = 0; i < effects->fold_count; i++)
		if (effects->folds[i].kind == KT_FOLD_NONE) {
			kt_family_note(family, loop->node, "no vector access: '%s' is carried between iterations",
			               effects->folds[i].variable->name);
			return NULL;
		}
	vector->loop = loop;
	vector->effects = effects;
	vector->wide_index = kt_scalar_bytes(loop->variable->scalar) == 8;
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *access = &effects->accesses[i];
		struct kt_motion motion;

		if (access->root->is_shared || access->root->is_array || !kt_rule_is_vector(access->root->element_bytes) ||
		    access->root->element == NULL || access->node->in_macro)
			continue;
		kt_motion_find(&motion, family, loop, access->index);
		if (!motion.affine) {
			kt_family_note(family, access->node,
			               "'%s' is not contiguous here: its index depends on data or moves unevenly",
			               kt_tree_text(family->kernel, access->node));
			continue;
		}
		if (motion.step == 0)
			continue;
		if (motion.step != 1) {
			kt_family_note(family, access->node, "'%s' moves %lld elements an iteration", access->root->name,
			               (long long)motion.step);
			continue;
		}
		if (!happens(effects, access) || !is_whole(effects, access))
			continue;
		if (!may_move(family, vector, effects, access) || !may_look_up(family, vector, effects, &motion)) {
			kt_family_note(family, access->node, "'%s' may overlap with what the loop writes", access->root->name);
			continue;
		}
		add_member(family, vector, access, &motion);
	}
	if (vector->pack_count == 0)
		return NULL;
	kt_tree_walk(scope, find_divisions, &search);
	return vector;
}
