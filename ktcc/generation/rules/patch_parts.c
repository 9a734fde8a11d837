/*
 * Parts: the iterations of the one loop that an item sums up in are distributed over PARTS threads, where items alone are too
 * few to keep the device busy.
 *
 *   for (j = 0; j < n; j++) sum += f(i, j);    becomes   for (j = threadIdx.y; j < n; j += PARTS) sum += f(i, j);
 *   y[i] = sum;                                          the first of them adds up what all have, and goes on: y[i] = sum;
 *
 * Sound when: the loop writes nothing but sums, which are taken in another order; nothing is written in front of it, and what
 * is called there gives a value alone, as all threads of an item do it. An element that the patch holds in a register (patch.c)
 * is a sum where the loop does no more than add to it. All threads of a block take this way or none does, so that they may
 * synchronise in it.
 */
#include <string.h>

#include "generation/rules/patch.h"

static bool is_declared_before(const struct kt_patch *patch, size_t loop, const struct kt_tree_variable *v)
{
	for (size_t i = 0; i < loop; i++)
		if (v->declaration != NULL && kt_tree_contains(patch->statements[i], v->declaration))
			return true;
	return false;
}

static bool writes_before(const struct kt_patch *patch, size_t loop)
{
	const struct kt_effects *effects = &patch->plane->effects;

	for (size_t s = 0; s < loop; s++)
		if (!kt_calls_are_harmless(patch->statements[s]))
			return true;
	for (size_t i = 0; i < effects->access_count; i++)
		for (size_t s = 0; s < loop && effects->accesses[i].writes; s++)
			if (kt_tree_contains(patch->statements[s], effects->accesses[i].node) &&
			    kt_patch_store_of(patch, effects->accesses[i].node) == NULL)
				return true;
	return effects->unknown != NULL;
}

static bool add_sum(struct kt_patch *patch, const char *name, const char *type, enum kt_scalar scalar)
{
	for (size_t i = 0; i < patch->sum_count; i++)
		if (strcmp(patch->sums[i].name, name) == 0)
			return true;
	if (patch->sum_count == KT_PATCH_SUMS || scalar == KT_SCALAR_NONE || kt_scalar_bytes(scalar) < 4)
		return false;
	patch->sums[patch->sum_count++] = (struct kt_patch_sum){name, type, scalar};
	return true;
}

/* An element in a register, to which the loop adds: `y[i] += …`. */
static bool read_held_sum(struct kt_patch *patch, const struct kt_tree *node)
{
	const struct kt_patch_window *store = kt_patch_store_of(patch, node);

	return store != NULL && kt_tree_is(node->parent, KT_TREE_ASSIGN, "+=") && node->parent->children[0] == node &&
	       kt_tree_is_statement(node->parent) && kt_fold_is_exact(node->parent->children[1], store->root->scalar) &&
	       add_sum(patch, store->name, store->root->element, store->root->scalar);
}

static bool read_sums(struct kt_patch *patch, size_t at)
{
	struct kt_effects effects;
	struct kt_error err;

	if (kt_effects_read(&effects, &patch->plane->family->polys, patch->statements[at]->children[3], 0, &err) != KT_OK ||
	    effects.unknown != NULL)
		return false;
	for (size_t i = 0; i < effects.access_count; i++)
		if ((effects.accesses[i].writes || kt_patch_store_of(patch, effects.accesses[i].node) != NULL) &&
		    !read_held_sum(patch, effects.accesses[i].node))
			return false;
	for (size_t i = 0; i < effects.fold_count; i++) {
		const struct kt_tree_variable *v = effects.folds[i].variable;

		if (effects.folds[i].kind != KT_FOLD_SUM || v->is_pointer || v->is_array || !is_declared_before(patch, at, v) ||
		    !add_sum(patch, v->name, v->type, v->scalar))
			return false;
	}
	return patch->sum_count > 0;
}

/* A number of turns that is written there: few. */
static bool is_short(const struct kt_patch_loop *loop)
{
	return loop->bound->count == 0 || (loop->bound->count == 1 && loop->bound->terms[0].count == 0);
}

void kt_patch_find_parts(struct kt_patch *patch)
{
	const struct kt_patch_loop *only = NULL;
	size_t at = 0;

	patch->sum_count = 0;
	if (patch->plane->axes[1].variable != NULL || !kt_rule_target(patch->plane->family)->has_warps ||
	    !kt_family_allows(patch->plane->family, "parts"))
		return;
	for (size_t i = 0; i < patch->statement_count; i++) {
		const struct kt_patch_loop *loop = kt_patch_loop_of(patch, patch->statements[i]);

		if (loop == NULL || loop->kept)
			continue;
		if (only != NULL)
			return;
		only = loop;
		at = i;
	}
	/* A small counter would run past its type, and come back. */
	if (only == NULL || kt_scalar_bytes(only->variable->scalar) < 4 || is_short(only) || writes_before(patch, at) ||
	    !read_sums(patch, at))
		patch->sum_count = 0;
	else
		patch->parted = only;
}

static const char *room(const struct kt_patch *patch, size_t sum)
{
	struct kt_family *family = patch->plane->family;

	return kt_family_name(family, kt_family_text(family, "%s_parts", patch->sums[sum].name));
}

static void for_lanes(struct kt_buf *out, const char *lane)
{
	kt_buf_addf(out, "#pragma unroll\nfor (int %s = 0; %s < ${VEC}; %s++) {\n", lane, lane, lane);
}

void kt_patch_parts_declare(struct kt_patch *patch)
{
	struct kt_buf *top = &patch->plane->family->top;

	kt_buf_adds(top, "${if PARTS > 1}\n// What the threads of an item have added up, each for itself.\n");
	for (size_t i = 0; i < patch->sum_count; i++)
		kt_buf_addf(top, "__shared__ %s %s[${PARTS}][${VEC}][${BLOCK}];\n", patch->sums[i].type, room(patch, i));
	kt_buf_adds(top, "${end}\n");
}

void kt_patch_parts_begin(struct kt_buf *out, struct kt_patch *patch, const char *lane)
{
	kt_buf_adds(out, "${if PARTS > 1}\nif (threadIdx.y > 0) {\n");
	for_lanes(out, lane);
	for (size_t i = 0; i < patch->sum_count; i++)
		kt_buf_addf(out, "%s[%s] = 0;\n", patch->sums[i].name, lane);
	kt_buf_adds(out, "}\n}\n${end}\n");
}

void kt_patch_parts_end(struct kt_buf *out, struct kt_patch *patch, const char *lane, const char *idle)
{
	const char *part = kt_family_name(patch->plane->family, "part");

	kt_buf_adds(out, "${if PARTS > 1}\n");
	for_lanes(out, lane);
	for (size_t i = 0; i < patch->sum_count; i++)
		kt_buf_addf(out, "%s[threadIdx.y][%s][threadIdx.x] = %s[%s];\n", room(patch, i), lane, patch->sums[i].name, lane);
	kt_buf_addf(
	    out,
	    "}\n__syncthreads();\nif (threadIdx.y == 0 && !%s) {\n#pragma unroll 4\nfor (int %s = 1; %s < ${PARTS}; %s++) {\n",
	    idle, part, part, part);
	for_lanes(out, lane);
	for (size_t i = 0; i < patch->sum_count; i++)
		kt_buf_addf(out, "%s[%s] += %s[%s][%s][threadIdx.x];\n", patch->sums[i].name, lane, room(patch, i), part, lane);
	kt_buf_adds(out, "}\n}\n${end}\n");
}

void kt_patch_parts_parameter(struct kt_patch *patch)
{
	static const int64_t parts[] = {1, 8, 16, 32, 4};
	struct kt_family *family = patch->plane->family;
	unsigned bytes = 0;

	for (size_t i = 0; i < patch->sum_count; i++)
		bytes += kt_scalar_bytes(patch->sums[i].scalar);
	kt_family_parameter(family, "PARTS", "threads over which the loop of a work item is distributed", parts, 5);
	kt_family_restrict(family, "BLOCK * PARTS <= 1024", "a block has 1024 threads at most");
	kt_family_restrict(family, kt_family_text(family, "PARTS == 1 || PARTS * VEC * BLOCK * %u <= 49152", bytes),
	                   "a block has 48 KiB of shared memory");
	kt_family_applied(family, "parts",
	                  kt_family_text(family, "line %u: the loop does nothing but add up",
	                                 kt_tree_line(family->kernel, patch->parted->node)));
}
