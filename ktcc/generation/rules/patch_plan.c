/* What a patch of items reads and writes together: see patch.c. */
#include "generation/rules/patch.h"

#include <string.h>

enum { MOST_SPAN = 32, MOST_LANES = 8, LEAST_PITCH = 2 * MOST_SPAN };

static bool is_axis(const struct kt_patch *patch, const struct kt_tree_variable *v, unsigned axis)
{
	return patch->plane->axes[axis].variable == v;
}

bool kt_patch_is_dropped(const struct kt_patch *patch, const struct kt_tree *node)
{
	for (size_t i = 0; i < patch->peel_count; i++)
		if (kt_tree_contains(patch->peels[i].node, node) &&
		    (patch->peels[i].branch == NULL || !kt_tree_contains(patch->peels[i].branch, node)))
			return true;
	return false;
}

/* Does every item of a patch do this, in all iterations of the loops around it? */
static bool always(const struct kt_patch *patch, const struct kt_tree *node)
{
	for (const struct kt_tree *at = node; at != patch->plane->block && at->parent != NULL; at = at->parent) {
		const struct kt_tree *parent = at->parent;
		bool peeled = false;

		for (size_t i = 0; i < patch->peel_count; i++)
			peeled = peeled || (patch->peels[i].node == parent && patch->peels[i].branch == at);
		if (peeled)
			continue;
		if (parent->kind == KT_TREE_WHILE || parent->kind == KT_TREE_DO ||
		    ((parent->kind == KT_TREE_IF || parent->kind == KT_TREE_CHOOSE) && parent->children[0] != at) ||
		    (parent->kind == KT_TREE_FOR && parent->children[0] != at &&
		     (kt_patch_loop_of(patch, parent) == NULL || parent->children[3] != at)) ||
		    ((kt_tree_is(parent, KT_TREE_BINARY, "&&") || kt_tree_is(parent, KT_TREE_BINARY, "||")) && parent->children[1] == at))
			return false;
	}
	return true;
}

/* The parts of an index: the item's own x, what a patch's items share, and an offset. */
struct parts {
	struct kt_poly base, offset;
	int64_t pitch; /* elements of a row, where it is a constant; 0: it is none */
	int64_t low, high;
	bool rows, once;
	size_t level;
};

static bool split_term(struct parts *out, const struct kt_patch *patch, const struct kt_term *term)
{
	size_t moving = 0;

	if (term->count == 1 && term->atoms[0]->kind == KT_ATOM_VARIABLE) {
		const struct kt_patch_loop *loop = kt_patch_loop_with(patch, term->atoms[0]->variable);

		if (is_axis(patch, term->atoms[0]->variable, 0)) {
			out->once = term->factor == 1;
			out->base.terms[out->base.count++] = *term;
			return true;
		}
		if (loop != NULL && loop->kept && (term->factor == 1 || term->factor == -1)) {
			out->offset.terms[out->offset.count++] = *term;
			out->low += term->factor > 0 ? loop->low : -loop->high;
			out->high += term->factor > 0 ? loop->high : -loop->low;
			return true;
		}
	}
	if (term->count == 0) {
		struct kt_term far = *term, near = *term;

		/* Whole rows belong to the base: `a[(y - 1) * 512 + x]` lies a row away, not 512 elements. */
		const int64_t half = term->factor < 0 ? -(out->pitch / 2) : out->pitch / 2;

		far.factor = out->pitch == 0 ? 0 : (term->factor + half) / out->pitch * out->pitch;
		near.factor -= far.factor;
		if (far.factor != 0)
			out->base.terms[out->base.count++] = far;
		if (near.factor != 0)
			out->offset.terms[out->offset.count++] = near;
		out->low += near.factor;
		out->high += near.factor;
		return true;
	}
	for (size_t j = 0; j < term->count; j++) {
		const struct kt_atom *atom = term->atoms[j];
		const struct kt_patch_loop *loop = atom->kind == KT_ATOM_VARIABLE ? kt_patch_loop_with(patch, atom->variable) : NULL;
		const struct kt_poly alone = {.count = 1, .terms = {{.factor = 1, .count = 1, .atoms = {atom}}}};

		if (atom->kind == KT_ATOM_VARIABLE && is_axis(patch, atom->variable, 1)) {
			out->rows = true;
			moving++;
		} else if (loop != NULL) {
			const size_t level = (size_t)(loop - patch->loops) + 1;

			out->level = level > out->level ? level : out->level;
			moving++;
			if (loop->kept && !patch->probing)
				return false;
		} else if (!kt_poly_every(&alone, kt_patch_is_fixed, (void *)patch)) {
			return false;
		}
		for (size_t i = 0; atom->left != NULL && i < patch->loop_count; i++)
			if (kt_tree_uses(atom->node, patch->loops[i].variable))
				return false;
	}
	out->base.terms[out->base.count++] = *term;
	/* One after the other no two of them could be moved in a pack. */
	return moving == 0 || (moving == 1 && (term->count > 1 || term->factor % MOST_LANES == 0));
}

static bool is_not_x(const struct kt_atom *atom, void *context)
{
	return atom->kind != KT_ATOM_VARIABLE || !is_axis(context, atom->variable, 0);
}

/* How far the next row is, of the items' or of a loop that they share: the greatest constant factor. */
static int64_t find_pitch(const struct kt_patch *patch, const struct kt_poly *index)
{
	int64_t pitch = 0;

	for (size_t i = 0; i < index->count; i++) {
		const struct kt_term *term = &index->terms[i];

		if (term->count == 1 && term->atoms[0]->kind == KT_ATOM_VARIABLE && term->factor >= LEAST_PITCH &&
		    term->factor > pitch &&
		    (is_axis(patch, term->atoms[0]->variable, 1) ||
		     kt_patch_loop_with(patch, term->atoms[0]->variable) != NULL))
			pitch = term->factor;
	}
	return pitch;
}

static bool split_index(struct parts *out, const struct kt_patch *patch, const struct kt_poly *index)
{
	*out = (struct parts){.pitch = find_pitch(patch, index)};
	for (size_t i = 0; i < index->count; i++)
		if (!split_term(out, patch, &index->terms[i]))
			return false;
	return out->once;
}

/* May this access move over everything else that the patch does? */
static bool may_move(const struct kt_patch *patch, const struct kt_access *access)
{
	const struct kt_effects *effects = &patch->plane->effects;

	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *other = &effects->accesses[i];

		if (other == access || kt_patch_is_dropped(patch, other->node) || (!other->writes && !access->writes))
			continue;
		if (other->root == access->root || (kt_roots_may_alias(other->root, access->root) &&
		                                    !kt_family_disjoint(patch->plane->family, other->root, access->root)))
			return false;
	}
	return true;
}

static bool is_no_loop(const struct kt_atom *atom, void *context)
{
	return atom->kind != KT_ATOM_VARIABLE || kt_patch_loop_with(context, atom->variable) == NULL;
}

/*
 * Can what the access needs be loaded at this level? Its loop must be a shared one; loops further inside must have a
 * turn, which is asked in front of all.
 */
static bool is_level(struct kt_patch *patch, const struct kt_access *access, size_t level)
{
	for (size_t i = 0; i < patch->loop_count; i++) {
		struct kt_patch_loop *loop = &patch->loops[i];

		if (!kt_tree_contains(loop->node, access->node)) {
			if (i + 1 == level)
				return false;
			continue;
		}
		if (i < level ? loop->kept && !patch->probing : !loop->kept && (!kt_poly_every(loop->first, is_no_loop, patch) ||
		                                             !kt_poly_every(loop->bound, is_no_loop, patch)))
			return false;
	}
	for (size_t i = level; i < patch->loop_count; i++)
		if (!patch->loops[i].kept && kt_tree_contains(patch->loops[i].node, access->node))
			patch->loops[i].entered = true;
	return true;
}

bool kt_patch_may_lead(const struct kt_patch *patch, const struct kt_access *access)
{
	return !kt_patch_is_dropped(patch, access->node) && always(patch, access->node) && may_move(patch, access);
}

static struct kt_patch_window *window_of(struct kt_patch *patch, const struct kt_access *access,
					 const struct parts *parts)
{
	struct kt_poly *base;
	struct kt_patch_window *w;

	for (size_t i = 0; i < patch->window_count; i++)
		if (patch->windows[i].root == access->root && patch->windows[i].level == parts->level &&
		    kt_poly_equal(patch->windows[i].base, &parts->base))
			return &patch->windows[i];
	base = kt_arena_alloc(patch->plane->family->kernel->arena, sizeof *base);
	if (patch->window_count == KT_PATCH_WINDOWS || base == NULL)
		return NULL;
	*base = parts->base;
	w = &patch->windows[patch->window_count];
	*w = (struct kt_patch_window){.root = access->root, .base = base, .level = parts->level, .rows = parts->rows,
	                              .low = parts->low, .high = parts->high};
	w->name = kt_family_name(patch->plane->family, kt_family_text(patch->plane->family, "%s_near%zu", access->root->name,
	                                                              patch->window_count));
	patch->window_count++;
	return w;
}

static void add_member(struct kt_patch *patch, struct kt_patch_window *w, struct kt_tree *node,
		       const struct parts *parts)
{
	struct kt_poly *offset = kt_arena_alloc(patch->plane->family->kernel->arena, sizeof *offset);

	if (w == NULL || offset == NULL || w->member_count == KT_PATCH_MEMBERS)
		return;
	*offset = parts->offset;
	w->members[w->member_count] = node;
	w->lows[w->member_count] = parts->low;
	w->highs[w->member_count] = parts->high;
	w->offsets[w->member_count++] = offset;
	w->low = parts->low < w->low ? parts->low : w->low;
	w->high = parts->high > w->high ? parts->high : w->high;
}

static bool is_in_loop(const struct kt_patch *patch, const struct kt_tree *node)
{
	for (const struct kt_tree *at = node->parent; at != patch->plane->block; at = at->parent)
		if (at->kind == KT_TREE_FOR)
			return true;
	return false;
}

/* Is the first access to the array one that sets it, before anything of it is read? */
static bool is_set_first(const struct kt_patch *patch, size_t at)
{
	const struct kt_effects *effects = &patch->plane->effects;
	const struct kt_access *access = &effects->accesses[at];
	const struct kt_tree *statement = kt_tree_statement(access->node);

	for (size_t i = 0; i < effects->access_count; i++)
		if (i != at && effects->accesses[i].root == access->root && kt_tree_contains(statement, effects->accesses[i].node))
			return false;
	return access->writes && !access->reads && always(patch, access->node) && !is_in_loop(patch, access->node);
}

/* May all accesses to the array, which are at one place of the item's own, be to a register? */
static bool hold(struct kt_patch *patch, const struct kt_tree_variable *root)
{
	const struct kt_effects *effects = &patch->plane->effects;
	struct kt_patch_window store = {.root = root, .rows = patch->plane->axes[1].variable != NULL};
	struct kt_poly *base = kt_arena_alloc(patch->plane->family->kernel->arena, sizeof *base);
	bool stored = false, goes_on = false; /* it is written; what was there is changed */
	struct parts parts;

	if (base == NULL || patch->store_count == KT_PATCH_MEMBERS || root->argument < 0 || root->element == NULL ||
	    !kt_rule_is_vector(root->element_bytes))
		return false;
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *access = &effects->accesses[i];

		if (access->root != root || kt_patch_is_dropped(patch, access->node))
			continue;
		if (access->atomic || access->node->in_macro || !split_index(&parts, patch, access->index) || parts.level > 0 ||
		    parts.rows != store.rows || parts.low != 0 || parts.high != 0 || store.member_count == KT_PATCH_MEMBERS ||
		    (store.member_count > 0 && !kt_poly_equal(base, &parts.base)))
			return false;
		if (store.member_count == 0) {
			*base = parts.base;
			store.loaded = !is_set_first(patch, i);
		}
		add_member(patch, &store, access->node, &parts);
		goes_on = goes_on || (access->writes && access->reads);
		stored = stored || (access->writes && always(patch, access->node) && !is_in_loop(patch, access->node));
	}
	if (!stored || (store.member_count < 2 && !goes_on))
		return false;
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *other = &effects->accesses[i];

		if (other->root != root && !kt_patch_is_dropped(patch, other->node) && kt_roots_may_alias(other->root, root) &&
		    !kt_family_disjoint(patch->plane->family, other->root, root))
			return false;
	}
	store.base = base;
	store.name = kt_family_name(patch->plane->family,
	                            kt_family_text(patch->plane->family, "%s_new%zu", root->name, patch->store_count));
	patch->stores[patch->store_count++] = store;
	return true;
}

static bool is_held(const struct kt_patch *patch, const struct kt_tree_variable *root)
{
	for (size_t i = 0; i < patch->store_count; i++)
		if (patch->stores[i].root == root)
			return true;
	return false;
}

/* Elements that an item changes step by step. */
static void find_held(struct kt_patch *patch)
{
	const struct kt_effects *effects = &patch->plane->effects;

	for (size_t i = 0; effects->unknown == NULL && i < effects->access_count; i++)
		if (effects->accesses[i].writes && !kt_patch_is_dropped(patch, effects->accesses[i].node) &&
		    !is_held(patch, effects->accesses[i].root))
			(void)hold(patch, effects->accesses[i].root);
}

static void find_windows(struct kt_patch *patch)
{
	const struct kt_effects *effects = &patch->plane->effects;

	find_held(patch);
	for (size_t i = 0; effects->unknown == NULL && i < effects->access_count; i++) {
		const struct kt_access *access = &effects->accesses[i];
		struct parts parts;

		if (kt_patch_is_dropped(patch, access->node) || kt_patch_store_of(patch, access->node) != NULL ||
		    access->atomic || access->node->in_macro || access->root->argument < 0 ||
		    access->root->element == NULL || !kt_rule_is_vector(access->root->element_bytes) ||
		    !always(patch, access->node) || !split_index(&parts, patch, access->index) ||
		    !is_level(patch, access, parts.level))
			continue;
		if (access->writes) {
			struct kt_poly *base = kt_arena_alloc(patch->plane->family->kernel->arena, sizeof *base);

			if (access->reads || parts.level > 0 || parts.rows != (patch->plane->axes[1].variable != NULL) ||
			    parts.low != 0 || parts.high != 0 || base == NULL ||
			    patch->store_count == KT_PATCH_MEMBERS || !may_move(patch, access))
				continue;
			if (is_in_loop(patch, access->node))
				continue;
			*base = parts.base;
			patch->stores[patch->store_count] = (struct kt_patch_window){.root = access->root, .base = base, .rows = parts.rows};
			patch->stores[patch->store_count].name = kt_family_name(
			    patch->plane->family,
			    kt_family_text(patch->plane->family, "%s_new%zu", access->root->name, patch->store_count));
			add_member(patch, &patch->stores[patch->store_count++], access->node, &parts);
		} else if (may_move(patch, access)) {
			add_member(patch, window_of(patch, access, &parts), access->node, &parts);
		}
	}
}

/* Elements that no item reads are not loaded: one offset must follow the other. */
static bool is_gapless(const struct kt_patch_window *w)
{
	for (int64_t at = w->low; at < w->high;) {
		int64_t next = at;

		for (size_t i = 0; i < w->member_count; i++)
			if (w->lows[i] <= at + 1 && w->highs[i] > next)
				next = w->highs[i];
		if (next == at)
			return false;
		at = next;
	}
	return w->high - w->low < MOST_SPAN;
}

/* Short loops that no window needs are shared like others. */
static bool is_needed(const struct kt_patch *patch, const struct kt_patch_loop *loop)
{
	for (size_t i = 0; i < patch->window_count; i++)
		for (size_t m = 0; m < patch->windows[i].member_count; m++)
			for (size_t t = 0; t < patch->windows[i].offsets[m]->count; t++) {
				const struct kt_term *term = &patch->windows[i].offsets[m]->terms[t];

				if (term->count == 1 && term->atoms[0]->variable == loop->variable)
					return true;
			}
	return false;
}

/*
 * Does an item read along a loop that items share, with its neighbours far away? Such a loop is better gone through alone
 * (serial.c).
 */
static bool strides_in_shared(const struct kt_patch *patch)
{
	const struct kt_effects *effects = &patch->plane->effects;

	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *access = &effects->accesses[i];
		struct parts parts;

		if (kt_patch_is_dropped(patch, access->node) || kt_poly_every(access->index, is_not_x, (void *)patch) ||
		    split_index(&parts, patch, access->index))
			continue;
		for (size_t k = 0; k < patch->loop_count; k++)
			if (!patch->loops[k].kept && kt_tree_contains(patch->loops[k].node, access->node))
				return true;
	}
	return false;
}

static bool is_inside_kept(const struct kt_patch *patch, size_t loop)
{
	for (size_t i = 0; i < loop; i++)
		if (patch->loops[i].kept && kt_tree_contains(patch->loops[i].node, patch->loops[loop].node))
			return true;
	return false;
}

bool kt_patch_plan(struct kt_patch *patch, struct kt_plane *plane)
{
	size_t shared = 0, count = 0;

	*patch = (struct kt_patch){.plane = plane};
	if (!kt_patch_read_items(patch))
		return false;
	/* Twice: only then is it known which short loops are shared. */
	for (int pass = 0; pass < 2; pass++) {
		count = shared = 0;
		patch->probing = pass == 0;
		find_windows(patch);
		for (size_t i = 0; i < patch->window_count; i++)
			if (is_gapless(&patch->windows[i]))
				patch->windows[count++] = patch->windows[i];
		patch->window_count = count;
		for (size_t i = 0; pass == 0 && i < patch->loop_count; i++) {
			patch->loops[i].kept = is_inside_kept(patch, i) || (patch->loops[i].kept && is_needed(patch, &patch->loops[i]));
			patch->loops[i].entered = false;
		}
		if (pass == 0)
			patch->window_count = patch->store_count = 0;
	}
	for (size_t i = 0; i < patch->loop_count; i++) {
		/* A loop that is not changed is at a place where its variable is not declared. */
		if (patch->loops[i].kept && patch->loops[i].assigned)
			return false;
		shared += !patch->loops[i].kept;
	}
	for (size_t i = 0; i < patch->window_count + patch->store_count; i++) {
		const struct kt_patch_window *w =
		    i < patch->window_count ? &patch->windows[i] : &patch->stores[i - patch->window_count];

		patch->widest = w->root->element_bytes > patch->widest ? w->root->element_bytes : patch->widest;
	}
	if (strides_in_shared(patch))
		return false;
	kt_patch_find_parts(patch);
	kt_patch_find_runs(patch);
	return shared > 0 || (patch->peel_count > 0 && patch->window_count > 0);
}
