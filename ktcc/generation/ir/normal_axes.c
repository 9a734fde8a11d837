/*
 * Normal form: the global index of a thread is add(mul(block.d, blockdim.d), thread.d), wherever the three are in a sum
 * and whatever types the parts have. In 32 bits every order of additions, products and conversions is the same number;
 * in 64 bits, where the parts are widened first, or the launch is assumed to have no more than 2^31 threads a
 * dimension. A warp has 32 threads.
 */
#include "generation/ir/form.h"
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

enum { WARP = 32 };

struct axes {
	struct kt_ir_normal *n;
	struct kt_ir_function *f;
	struct kt_ir_lets lets; /* of values that are made of axes alone */
};

static bool is_axis(const struct kt_ir_value *v, enum kt_ir_axis which, unsigned d)
{
	return v->op == KT_IR_AXIS && v->axis == which && v->dimension == d;
}

/* The term without this atom; false: it has none. */
static bool without(struct kt_ir_term *term, enum kt_ir_axis which, unsigned d)
{
	for (unsigned i = 0; i < term->count; i++)
		if (is_axis(term->atoms[i], which, d)) {
			term->atoms[i] = term->atoms[--term->count];
			return true;
		}
	return false;
}

/* Is the term factor * block.d * blockdim.d (or the block's known size)? Then *rest is what a global index is
 * multiplied with. */
static bool is_block_part(const struct axes *a, const struct kt_ir_term *term, unsigned d, struct kt_ir_term *rest)
{
	const int64_t size = a->n->block == NULL ? 0 : a->n->block[d];

	*rest = *term;
	if (!without(rest, KT_IR_BLOCK, d))
		return false;
	if (without(rest, KT_IR_BLOCK_DIM, d))
		return true;
	if (size <= 0 || rest->factor % size != 0)
		return false;
	rest->factor /= size;
	return true;
}

/* A pair of terms that are a multiple of the global index of dimension d. */
static bool pair(const struct axes *a, const struct kt_ir_form *form, unsigned d, size_t *first, size_t *second,
		 struct kt_ir_term *multiple)
{
	struct kt_ir_term other;

	for (size_t i = 0; i < form->count; i++) {
		if (!is_block_part(a, &form->terms[i], d, multiple))
			continue;
		for (size_t j = 0; j < form->count; j++) {
			other = form->terms[j];
			if (j == i || !without(&other, KT_IR_THREAD, d) || other.factor != multiple->factor)
				continue;
			if (kt_ir_form_term(&(struct kt_ir_form){.count = 1, .terms = {other}}, multiple->atoms,
					    multiple->count) == NULL)
				continue;
			*first = i;
			*second = j;
			return true;
		}
	}
	return false;
}

static const struct kt_ir_value *product(struct kt_ir_module *m, const struct kt_ir_term *term,
					 const struct kt_ir_value *value, const struct kt_ir_type *type)
{
	for (unsigned i = 0; i < term->count; i++) {
		const struct kt_ir_value *atom = kt_ir_convert(m, term->atoms[i], type, KT_IR_AS_VALUE);

		value = value == NULL ? atom : kt_ir_apply(m, KT_IR_MUL, value, atom, NULL);
	}
	if (value == NULL)
		return kt_ir_constant(m, type, term->factor);
	return term->factor == 1 ? value
				 : kt_ir_apply(m, KT_IR_MUL, value, kt_ir_constant(m, type, term->factor), NULL);
}

/* The sum with its pairs as global indices; the value itself where it has none. */
static const struct kt_ir_value *with_global(const struct axes *a, const struct kt_ir_value *v)
{
	struct kt_ir_module *m = a->n->module;
	const struct kt_ir_value *sum = NULL, *term;
	struct kt_ir_term multiple;
	struct kt_ir_form form;
	size_t i = 0, j = 0;

	if (!kt_ir_form_of(&form, &a->lets, v, true) || form.bits < v->type->bits)
		return v;
	for (unsigned d = 0; d < 3; d++)
		while (pair(a, &form, d, &i, &j, &multiple)) {
			term = product(m, &multiple, kt_ir_global_index(m, d, v->type), v->type);
			sum = sum == NULL ? term : kt_ir_apply(m, KT_IR_ADD, sum, term, NULL);
			form.terms[i < j ? j : i] = form.terms[--form.count];
			if ((i < j ? i : j) < form.count)
				form.terms[i < j ? i : j] = form.terms[--form.count];
			if (sum == NULL)
				return v;
		}
	if (sum == NULL)
		return v;
	for (size_t k = 0; k < form.count && sum != NULL; k++)
		sum = kt_ir_apply(m, KT_IR_ADD, sum, product(m, &form.terms[k], NULL, v->type), NULL);
	if (form.constant != 0 && sum != NULL)
		sum = kt_ir_apply(m, KT_IR_ADD, sum, kt_ir_constant(m, v->type, form.constant), NULL);
	return sum == NULL ? v : kt_ir_fold_all(m, sum);
}

/* convert(mul(block.d, blockdim.d)):i64, of which the product was of 32 bits. */
static const struct kt_ir_value *widened(const struct axes *a, const struct kt_ir_value *v)
{
	struct kt_ir_module *m = a->n->module;
	const struct kt_ir_value *x = kt_ir_behind_let(&a->lets, v->arguments[0]), *block, *size, *threads;
	const struct kt_ir_type *wide = kt_ir_integer(m, 64, true);

	while (x->op == KT_IR_CONVERT && x->mode == KT_IR_AS_VALUE && x->type->kind == KT_IR_INTEGER &&
	       x->type->bits == 32)
		x = kt_ir_behind_let(&a->lets, x->arguments[0]);
	if (x->op != KT_IR_MUL || x->type->bits != 32 || !a->f->is_kernel)
		return v;
	for (unsigned d = 0; d < 3; d++) {
		block = x->arguments[is_axis(x->arguments[0], KT_IR_BLOCK, d) ? 0 : 1];
		size = x->arguments[is_axis(x->arguments[0], KT_IR_BLOCK, d) ? 1 : 0];
		if (!is_axis(block, KT_IR_BLOCK, d) || !is_axis(size, KT_IR_BLOCK_DIM, d))
			continue;
		threads =
		    kt_ir_apply(m, KT_IR_MUL, kt_ir_convert(m, kt_ir_axis(m, KT_IR_GRID_DIM, d), wide, KT_IR_AS_VALUE),
				kt_ir_convert(m, size, wide, KT_IR_AS_VALUE), NULL);
		kt_ir_assume(m, a->f, kt_ir_apply(m, KT_IR_LE, threads, kt_ir_constant(m, wide, INT32_MAX), NULL));
		return kt_ir_apply(m, KT_IR_MUL, kt_ir_convert(m, block, v->type, KT_IR_AS_VALUE),
				   kt_ir_convert(m, size, v->type, KT_IR_AS_VALUE), NULL);
	}
	return v;
}

static const struct kt_ir_value *normal(const struct kt_ir_value *v, void *context)
{
	const struct axes *a = context;
	const struct kt_ir_value *made;

	if (v->type->kind != KT_IR_INTEGER || v->type->bits < 32 || v->type->bits > 64)
		return v;
	if (v->op == KT_IR_AXIS && v->axis == KT_IR_WARP_SIZE)
		return kt_ir_constant(a->n->module, v->type, WARP);
	if (v->op == KT_IR_CONVERT && v->type->bits == 64 && v->mode == KT_IR_AS_VALUE)
		made = widened(a, v);
	else if (v->op == KT_IR_ADD || v->op == KT_IR_SUB)
		made = with_global(a, v);
	else
		return v;
	return made == NULL ? v : made;
}

static bool is_of_axes(const struct kt_ir_value *v, void *context)
{
	(void)context;
	switch (v->op) {
	case KT_IR_AXIS:
		return v->axis != KT_IR_LANE && v->axis != KT_IR_WARP_SIZE;
	case KT_IR_CONSTANT:
	case KT_IR_MUL:
	case KT_IR_ADD:
		return true;
	case KT_IR_CONVERT:
		return v->mode == KT_IR_AS_VALUE;
	default:
		return false;
	}
}

static bool join(struct axes *a, bool through_all)
{
	struct kt_ir_module *m = a->n->module;

	if (!kt_ir_lets_of(&a->lets, m->arena, m, a->f))
		return kt_ir_fail(m, "out of memory") != NULL;
	for (size_t i = 0; i < a->lets.count && !through_all; i++)
		if (a->lets.values[i] != NULL && !kt_ir_visit_value(a->lets.values[i], is_of_axes, NULL))
			a->lets.values[i] = NULL;
	return kt_ir_rewrite_region(m, &a->f->body, normal, a);
}

bool kt_ir_normal_axes(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_axes(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	struct axes a = {.n = n, .f = f};

	return join(&a, false);
}

bool kt_ir_join_axes(struct kt_ir_module *module, const int64_t *block)
{
	struct kt_ir_normal n = {module, block};
	struct axes a = {.n = &n, .f = module->last_function};

	return join(&a, true);
}
