/* Blocks of one dimension as rows of warps, and back. */
#include "generation/ir/warps.h"

#include <string.h>

#include "generation/ir/effect.h"
#include "generation/ir/form.h"
#include "generation/ir/independent.h"
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

enum { X, Y, Z };

struct seeing {
	struct kt_ir_module *module;
	struct kt_ir_function *kernel;
	struct kt_ir_lets lets;
	const int64_t *block; /* in the source */
	bool is_flat;         /* of one dimension */
	/* What was found of the thread: its lane, and anything else that is neither lane nor warp. */
	unsigned lanes, mixed;
};

static bool is_flat(const int64_t *block)
{
	return block[X] % KT_IR_LANES == 0 && block[X] > 0 && block[Y] == 1 && block[Z] == 1;
}

static bool has_rows(const int64_t *block)
{
	return block[X] == KT_IR_LANES && block[Y] > 1 && block[Z] == 1;
}

void kt_ir_block_of_warps(int64_t seen[3], const int64_t block[3])
{
	seen[X] = KT_IR_LANES;
	seen[Y] = is_flat(block) ? block[X] / KT_IR_LANES : block[Y];
	seen[Z] = 1;
}

static const struct kt_ir_value *word(const struct seeing *s, int64_t number)
{
	return kt_ir_constant(s->module, kt_ir_integer(s->module, 32, false), number);
}

static const struct kt_ir_value *axis(const struct seeing *s, enum kt_ir_axis which, unsigned d)
{
	return kt_ir_axis(s->module, which, d);
}

/* ---- Values that are made of axes come where they are used ---- */

static bool is_of_axes(const struct kt_ir_value *v, void *context)
{
	(void)context;
	return (v->op == KT_IR_AXIS && v->axis != KT_IR_WARP_SIZE) || v->op == KT_IR_CONSTANT || v->op == KT_IR_MUL ||
	       v->op == KT_IR_ADD || (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE);
}

static const struct kt_ir_value *used(const struct kt_ir_value *v, void *context)
{
	struct seeing *s = context;
	const struct kt_ir_value *behind;

	if (v->op != KT_IR_READ)
		return v;
	behind = kt_ir_behind_let(&s->lets, v);
	return behind != v && kt_ir_visit_value(behind, is_of_axes, NULL) ? behind : v;
}

/* ---- To rows of warps ---- */

/* thread.x of one dimension, as it is written when nothing better is known. */
static const struct kt_ir_value *whole_thread(struct seeing *s)
{
	s->mixed++;
	return kt_ir_apply(s->module, KT_IR_ADD,
			   kt_ir_apply(s->module, KT_IR_MUL, axis(s, KT_IR_THREAD, Y), word(s, KT_IR_LANES), NULL),
			   axis(s, KT_IR_THREAD, X), NULL);
}

/* The axis of the written launch, in the one that is seen. */
static const struct kt_ir_value *seen_axis(struct seeing *s, const struct kt_ir_value *v)
{
	const unsigned moved[] = {Y, Z, Z};

	switch (v->axis) {
	case KT_IR_LANE:
		s->lanes++;
		return axis(s, KT_IR_THREAD, X);
	case KT_IR_BLOCK:
	case KT_IR_GRID_DIM:
		/* Nothing may be counted along z, which is y's. */
		s->mixed += v->dimension == Z;
		return axis(s, v->axis, moved[v->dimension]);
	case KT_IR_THREAD:
		if (!s->is_flat || v->dimension != X)
			return v->dimension == Z || s->is_flat ? word(s, 0) : v;
		return whole_thread(s);
	case KT_IR_BLOCK_DIM:
		if (s->is_flat && v->dimension == X)
			return kt_ir_apply(s->module, KT_IR_MUL, axis(s, KT_IR_BLOCK_DIM, Y), word(s, KT_IR_LANES),
					   NULL);
		return v->dimension == X ? word(s, KT_IR_LANES) : s->is_flat || v->dimension == Z ? word(s, 1) : v;
	default:
		return v;
	}
}

enum kind { NEITHER, THREAD_OF_BLOCK, THREAD_OF_GRID };

static bool is_axis(const struct kt_ir_value *v, enum kt_ir_axis which, unsigned d)
{
	return v->op == KT_IR_AXIS && v->axis == which && v->dimension == d;
}

/* thread.y * 32, or block.y * blockdim.y * 32, of which the block may be a number. */
static enum kind part_of(const struct seeing *s, const struct kt_ir_term *t)
{
	const int64_t threads = s->block[X];
	const int64_t wanted = t->count == 1 ? threads : KT_IR_LANES;

	if (t->count == 1 && is_axis(t->atoms[0], KT_IR_THREAD, Y))
		return t->factor == KT_IR_LANES ? THREAD_OF_BLOCK : NEITHER;
	if (t->count > 2 || t->factor != wanted)
		return NEITHER;
	for (unsigned i = 0; i < t->count; i++)
		if (!is_axis(t->atoms[i], KT_IR_BLOCK, Y) && !is_axis(t->atoms[i], KT_IR_BLOCK_DIM, Y))
			return NEITHER;
	return t->count == 1 ? (is_axis(t->atoms[0], KT_IR_BLOCK, Y) ? THREAD_OF_GRID : NEITHER)
	       : t->atoms[0]->axis != t->atoms[1]->axis ? THREAD_OF_GRID
							: NEITHER;
}

/* Is the value, whose axes are those that are seen, the number of a thread in its block, or in the grid? */
static enum kind kind_of(const struct seeing *s, const struct kt_ir_value *v)
{
	enum kind found = NEITHER, part;
	struct kt_ir_form form;
	bool has_lane = false, has_warp = false;

	if (!s->is_flat || !kt_ir_form_of(&form, NULL, v, false) || form.constant != 0)
		return NEITHER;
	for (size_t i = 0; i < form.count; i++) {
		const struct kt_ir_term *t = &form.terms[i];

		if (t->count == 1 && t->factor == 1 && is_axis(t->atoms[0], KT_IR_THREAD, X)) {
			has_lane = true;
			continue;
		}
		part = part_of(s, t);
		if (part == NEITHER)
			return NEITHER;
		has_warp |= part == THREAD_OF_BLOCK;
		found = part > found ? part : found;
	}
	return has_lane && has_warp ? found : NEITHER;
}

/* Launches of more threads than a signed word counts are none of the variant's. */
static void assume_threads(struct seeing *s)
{
	struct kt_ir_module *m = s->module;
	const struct kt_ir_type *wide = kt_ir_integer(m, 64, true);
	const struct kt_ir_value *threads =
	    kt_ir_apply(m, KT_IR_MUL,
			kt_ir_apply(m, KT_IR_MUL, kt_ir_convert(m, axis(s, KT_IR_GRID_DIM, Y), wide, KT_IR_AS_VALUE),
				    kt_ir_convert(m, axis(s, KT_IR_BLOCK_DIM, Y), wide, KT_IR_AS_VALUE), NULL),
			kt_ir_constant(m, wide, KT_IR_LANES), NULL);

	kt_ir_assume(m, s->kernel, kt_ir_apply(m, KT_IR_LE, threads, kt_ir_constant(m, wide, INT32_MAX), NULL));
}

/* The number of the warp that this thread's number is in. */
static const struct kt_ir_value *warp_of(struct seeing *s, enum kind kind, const struct kt_ir_type *type)
{
	struct kt_ir_module *m = s->module;

	if (kind == THREAD_OF_BLOCK)
		return kt_ir_convert(m, axis(s, KT_IR_THREAD, Y), type, KT_IR_AS_VALUE);
	assume_threads(s);
	return kt_ir_convert(m, kt_ir_global_index(m, Y, kt_ir_integer(m, 32, false)), type, KT_IR_AS_VALUE);
}

/* The lane modulo `size`, or divided by it; sizes divide a warp. */
static const struct kt_ir_value *lane_of(struct seeing *s, enum kt_ir_op op, int64_t size,
					 const struct kt_ir_type *type)
{
	const struct kt_ir_value *lane = axis(s, KT_IR_THREAD, X);

	s->lanes++;
	if (size == KT_IR_LANES)
		lane = op == KT_IR_REM ? lane : word(s, 0);
	else
		lane = kt_ir_apply(s->module, op, lane, word(s, size), NULL);
	return kt_ir_convert(s->module, lane, type, KT_IR_AS_VALUE);
}

/* blockdim.x / 32, maybe rounded up, also times the blocks of the grid: as numbers of warps. NULL: it is none. */
static const struct kt_ir_value *counted(struct seeing *s, const struct kt_ir_value *v, int64_t size)
{
	struct kt_ir_module *m = s->module;
	const struct kt_ir_value *made;
	struct kt_ir_form form;
	const struct kt_ir_term *t = &form.terms[0];
	bool has_block = false;

	if (!kt_ir_form_of(&form, NULL, v, false) || form.count != 1 || form.constant < 0 || form.constant >= size ||
	    t->count > 2)
		return NULL;
	for (unsigned i = 0; i < t->count; i++) {
		if (!is_axis(t->atoms[i], KT_IR_BLOCK_DIM, Y) && !is_axis(t->atoms[i], KT_IR_GRID_DIM, Y))
			return NULL;
		has_block |= is_axis(t->atoms[i], KT_IR_BLOCK_DIM, Y);
	}
	if (t->factor != (has_block ? KT_IR_LANES : s->block[X]))
		return NULL;
	if (!has_block || t->count == 2)
		assume_threads(s);
	made = kt_ir_constant(m, v->type, t->factor / size);
	for (unsigned i = 0; i < t->count; i++)
		made = kt_ir_apply(m, KT_IR_MUL, kt_ir_convert(m, t->atoms[i], v->type, KT_IR_AS_VALUE), made, NULL);
	return made;
}

/* x / size, x % size, and the same as a shift or by a mask; size: a power of two that divides a warp. NULL: it is none
 * of them. */
static const struct kt_ir_value *divided(struct seeing *s, const struct kt_ir_value *v)
{
	struct kt_ir_module *m = s->module;
	const bool is_rest = v->op == KT_IR_REM || v->op == KT_IR_AND;
	const struct kt_ir_value *warps;
	enum kind kind;
	int64_t size;

	if ((!is_rest && v->op != KT_IR_DIV && v->op != KT_IR_SHR) || !kt_ir_is_constant(v->arguments[1], &size))
		return NULL;
	if (v->op == KT_IR_SHR)
		size = size >= 0 && size < 8 ? (int64_t)1 << size : 0;
	size += v->op == KT_IR_AND;
	if (size < 2 || KT_IR_LANES % size != 0)
		return NULL;
	kind = kind_of(s, v->arguments[0]);
	if (kind == NEITHER)
		return is_rest ? NULL : counted(s, v->arguments[0], size);
	s->mixed--;
	if (is_rest)
		return lane_of(s, KT_IR_REM, size, v->type);
	warps =
	    kt_ir_apply(m, KT_IR_MUL, warp_of(s, kind, v->type), kt_ir_constant(m, v->type, KT_IR_LANES / size), NULL);
	return kt_ir_apply(m, KT_IR_ADD, warps, lane_of(s, KT_IR_DIV, size, v->type), NULL);
}

/* number < 32 * n is warp < n; its opposite alike. NULL: it is neither. */
static const struct kt_ir_value *compared(struct seeing *s, const struct kt_ir_value *v)
{
	struct kt_ir_module *m = s->module;
	const struct kt_ir_value *bound = v->arguments[1];
	enum kind kind;

	if (v->op != KT_IR_LT && v->op != KT_IR_GE)
		return NULL;
	bound = kt_ir_behind_let(&s->lets, bound);
	if (bound->op != KT_IR_MUL || !bound->no_wrap ||
	    !kt_ir_same(bound->arguments[1], kt_ir_constant(m, bound->type, KT_IR_LANES)))
		return NULL;
	kind = kind_of(s, v->arguments[0]);
	if (kind == NEITHER)
		return NULL;
	s->mixed--;
	return kt_ir_apply(m, v->op, warp_of(s, kind, bound->type), bound->arguments[0], NULL);
}

static const struct kt_ir_value *seen(const struct kt_ir_value *v, void *context)
{
	struct seeing *s = context;
	const struct kt_ir_value *made = NULL;

	if (v->op == KT_IR_AXIS)
		return seen_axis(s, v);
	if (v->count == 2)
		made = divided(s, v);
	if (made == NULL && v->count == 2)
		made = compared(s, v);
	return made == NULL ? v : made;
}

static bool see(struct seeing *s)
{
	struct kt_ir_module *m = s->module;

	if (!kt_ir_lets_of(&s->lets, m->arena, m, s->kernel))
		return kt_ir_fail(m, "out of memory") != NULL;
	(void)kt_ir_rewrite_region(m, &s->kernel->body, used, s);
	/* What only they used must not be counted. */
	while (!m->failed && kt_ir_normalise_by(m, KT_IR_N_DEAD, NULL))
		continue;
	(void)kt_ir_rewrite_region(m, &s->kernel->body, seen, s);
	return !m->failed;
}

kt_status kt_ir_to_warps(struct kt_ir_module *module, const int64_t block[3], struct kt_error *err)
{
	struct seeing s = {
	    .module = module, .kernel = module->last_function, .block = block, .is_flat = is_flat(block)};
	int64_t rows[3];

	kt_ir_block_of_warps(rows, block);
	if (!see(&s))
		return kt_ir_check(module, err);
	return kt_ir_normalise(module, rows, err);
}

/* ---- Which kernels ---- */

static bool needs_no_block(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return (s->kind != KT_IR_S_BARRIER || s->scope == KT_IR_WARP) &&
	       !kt_ir_declares_shared(s);
}

bool kt_ir_is_of_warps(const struct kt_ir_module *module, const int64_t block[3])
{
	struct kt_ir_module *copy;
	struct seeing s = {.block = block, .is_flat = is_flat(block)};
	struct kt_error err;
	int64_t rows[3];

	if ((!is_flat(block) && !has_rows(block)) || !kt_ir_visit(&module->last_function->body, needs_no_block, NULL))
		return false;
	copy = kt_ir_copy(module, module->arena, true);
	if (copy == NULL)
		return false;
	s.module = copy;
	s.kernel = copy->last_function;
	kt_ir_block_of_warps(rows, block);
	if (!see(&s) || s.mixed > 0 || kt_ir_normalise(copy, rows, &err) != KT_OK)
		return false;
	/* Rows that are counted along x otherwise have their own dimension already. */
	if (!s.is_flat)
		return kt_ir_names_axis(module->last_function, KT_IR_BLOCK, X) && kt_ir_uses_global_alone(s.kernel, Y);
	return s.lanes > 0;
}

/* ---- And back ---- */

static const struct kt_ir_value *written_axis(const struct seeing *s, const struct kt_ir_value *v)
{
	static const unsigned moved[] = {X, X, Y};
	struct kt_ir_module *m = s->module;

	switch (v->axis) {
	case KT_IR_BLOCK:
	case KT_IR_GRID_DIM:
		/* Along x there is one block. */
		if (v->dimension == X)
			return word(s, v->axis == KT_IR_GRID_DIM);
		return axis(s, v->axis, moved[v->dimension]);
	case KT_IR_THREAD:
		if (!s->is_flat)
			return v;
		if (v->dimension == Z)
			return word(s, 0);
		return kt_ir_apply(m, v->dimension == X ? KT_IR_REM : KT_IR_DIV, axis(s, KT_IR_THREAD, X),
				   word(s, KT_IR_LANES), NULL);
	case KT_IR_BLOCK_DIM:
		if (!s->is_flat)
			return v;
		if (v->dimension != Y)
			return word(s, v->dimension == X ? KT_IR_LANES : 1);
		return kt_ir_apply(m, KT_IR_DIV, axis(s, KT_IR_BLOCK_DIM, X), word(s, KT_IR_LANES), NULL);
	default:
		return v;
	}
}

static const struct kt_ir_value *written(const struct kt_ir_value *v, void *context)
{
	return v->op == KT_IR_AXIS ? written_axis(context, v) : v;
}

void kt_ir_from_warps(struct kt_ir_module *m, const int64_t block[3])
{
	struct seeing s = {.module = m, .kernel = m->last_function, .block = block, .is_flat = is_flat(block)};

	(void)kt_ir_rewrite_region(m, &s.kernel->body, written, &s);
	for (size_t i = 0; i < s.kernel->assumption_count; i++)
		s.kernel->assumptions[i] = kt_ir_rewrite(m, s.kernel->assumptions[i], written, &s);
	(void)kt_ir_normalise_by(m, KT_IR_N_FOLD, NULL);
}
