/* Sums of products. */
#include "generation/ir/form.h"

#include "generation/ir/number.h"
#include "generation/ir/walk.h"

/* ---- Lets ---- */

static bool count_sets(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_lets *lets = context;

	if (s->kind == KT_IR_S_SET)
		lets->sets[s->symbol->id]++;
	return true;
}

static bool is_steady_node(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_lets *lets = context;

	if (v->op != KT_IR_READ || v->symbol->kind == KT_IR_TEMPORARY || v->symbol->kind == KT_IR_COUNTER)
		return true;
	return v->symbol->kind == KT_IR_ARGUMENT && (v->symbol->id >= lets->count || lets->sets[v->symbol->id] == 0);
}

bool kt_ir_is_steady(const struct kt_ir_lets *lets, const struct kt_ir_value *value)
{
	return kt_ir_visit_value(value, is_steady_node, (void *)(uintptr_t)lets);
}

bool kt_ir_is_steady_place(const struct kt_ir_lets *lets, const struct kt_ir_place *place)
{
	return kt_ir_visit_place(place, is_steady_node, (void *)(uintptr_t)lets);
}

static bool note_let(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_lets *lets = context;

	if (s->kind == KT_IR_S_LET && kt_ir_is_steady(lets, s->value))
		lets->values[s->symbol->id] = s->value;
	return true;
}

bool kt_ir_lets_of(struct kt_ir_lets *lets, struct kt_arena *arena, const struct kt_ir_module *module,
		   const struct kt_ir_function *function)
{
	lets->count = module->next_id;
	lets->values = kt_arena_array(arena, lets->count + 1, sizeof *lets->values);
	lets->sets = kt_arena_array(arena, lets->count + 1, sizeof *lets->sets);
	if (lets->values == NULL || lets->sets == NULL)
		return false;
	(void)kt_ir_visit(&function->body, count_sets, lets);
	(void)kt_ir_visit(&function->body, note_let, lets);
	return true;
}

const struct kt_ir_value *kt_ir_behind_let(const struct kt_ir_lets *lets, const struct kt_ir_value *v)
{
	while (lets != NULL && v->op == KT_IR_READ && v->symbol->id < lets->count &&
	       lets->values[v->symbol->id] != NULL)
		v = lets->values[v->symbol->id];
	return v;
}

/* ---- Terms ---- */

static bool same_atoms(const struct kt_ir_term *a, const struct kt_ir_value *const *atoms, size_t count)
{
	unsigned used = 0;

	if (a->count != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t j = 0;

		while (j < count && ((used >> j & 1) != 0 || !kt_ir_same(a->atoms[j], atoms[i])))
			j++;
		if (j == count)
			return false;
		used |= 1u << j;
	}
	return true;
}

const struct kt_ir_term *kt_ir_form_term(const struct kt_ir_form *form, const struct kt_ir_value *const *atoms,
					 size_t count)
{
	for (size_t i = 0; i < form->count; i++)
		if (same_atoms(&form->terms[i], atoms, count))
			return &form->terms[i];
	return NULL;
}

static bool add_term(struct kt_ir_form *form, const struct kt_ir_term *term, int64_t factor)
{
	struct kt_ir_term *old = (struct kt_ir_term *)(uintptr_t)kt_ir_form_term(form, term->atoms, term->count);
	int64_t product;

	if (__builtin_mul_overflow(term->factor, factor, &product))
		return false;
	if (term->count == 0)
		return !__builtin_add_overflow(form->constant, product, &form->constant);
	if (old != NULL) {
		if (__builtin_add_overflow(old->factor, product, &old->factor))
			return false;
		if (old->factor == 0)
			*old = form->terms[--form->count];
		return true;
	}
	if (product == 0)
		return true;
	if (form->count == KT_IR_FORM_TERMS)
		return false;
	form->terms[form->count] = *term;
	form->terms[form->count++].factor = product;
	return true;
}

static bool add_form(struct kt_ir_form *to, const struct kt_ir_form *from, int64_t factor)
{
	const struct kt_ir_term constant = {.factor = from->constant};

	for (size_t i = 0; i < from->count; i++)
		if (!add_term(to, &from->terms[i], factor))
			return false;
	return add_term(to, &constant, factor);
}

/* Term number `count` is the constant. */
static struct kt_ir_term term_of(const struct kt_ir_form *form, size_t number)
{
	return number < form->count ? form->terms[number] : (struct kt_ir_term){.factor = form->constant};
}

static bool multiply(struct kt_ir_form *made, const struct kt_ir_form *a, const struct kt_ir_form *b)
{
	for (size_t i = 0; i <= a->count; i++)
		for (size_t j = 0; j <= b->count; j++) {
			struct kt_ir_term product = term_of(a, i);
			const struct kt_ir_term other = term_of(b, j);

			if (product.count + other.count > KT_IR_TERM_ATOMS)
				return false;
			for (size_t k = 0; k < other.count; k++)
				product.atoms[product.count++] = other.atoms[k];
			if (!add_term(made, &product, other.factor))
				return false;
		}
	return true;
}

/* ---- Values ---- */

static bool is_axis(const struct kt_ir_value *v, enum kt_ir_axis axis, unsigned dimension)
{
	if (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->type->kind == KT_IR_INTEGER &&
	    v->type->bits == 64)
		v = v->arguments[0];
	return v->op == KT_IR_AXIS && v->axis == axis && v->dimension == dimension;
}

bool kt_ir_is_global(const struct kt_ir_value *v, unsigned *dimension)
{
	const struct kt_ir_value *product;

	if (v->op != KT_IR_ADD || v->arguments[0]->op != KT_IR_MUL || v->type->kind != KT_IR_INTEGER ||
	    (v->type->bits != 64 && (v->type->bits != 32 || v->type->is_signed)))
		return false;
	product = v->arguments[0];
	for (unsigned d = 0; d < 3; d++)
		if (is_axis(v->arguments[1], KT_IR_THREAD, d) && is_axis(product->arguments[0], KT_IR_BLOCK, d) &&
		    is_axis(product->arguments[1], KT_IR_BLOCK_DIM, d)) {
			*dimension = d;
			return true;
		}
	return false;
}

static const struct kt_ir_value *axis(struct kt_ir_module *m, enum kt_ir_axis which, unsigned d,
				      const struct kt_ir_type *type)
{
	return kt_ir_convert(m, kt_ir_axis(m, which, d), type, KT_IR_AS_VALUE);
}

const struct kt_ir_value *kt_ir_global_index(struct kt_ir_module *m, unsigned d, const struct kt_ir_type *type)
{
	const struct kt_ir_type *in = type->bits == 64 ? type : kt_ir_integer(m, 32, false);
	const struct kt_ir_value *first =
	    kt_ir_apply(m, KT_IR_MUL, axis(m, KT_IR_BLOCK, d, in), axis(m, KT_IR_BLOCK_DIM, d, in), NULL);

	return kt_ir_convert(m, kt_ir_apply(m, KT_IR_ADD, first, axis(m, KT_IR_THREAD, d, in), NULL), type,
			     KT_IR_AS_VALUE);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* A chain of lets that use each other twice has 2^n of them. */
struct reading {
	const struct kt_ir_lets *lets;
	bool keeps_global;
	unsigned room; /* lets that may still be expanded */
};

static bool form_of(struct kt_ir_form *form, struct reading *r, const struct kt_ir_value *v, int depth);

static bool atom(struct kt_ir_form *form, const struct kt_ir_value *v)
{
	const struct kt_ir_term term = {.factor = 1, .count = 1, .atoms = {v}};

	return add_term(form, &term, 1);
}

/* A conversion that keeps every value keeps the form; one that cuts, modulo its width. Axes of a launch are below 2^31. */
static bool converted(struct kt_ir_form *form, struct reading *r, const struct kt_ir_value *v, int depth)
{
	const struct kt_ir_type *from = v->arguments[0]->type, *to = v->type;
	const bool keeps =
	    from->kind == KT_IR_INTEGER &&
	    (to->is_signed == from->is_signed ? to->bits >= from->bits
					      : to->is_signed && (to->bits > from->bits || (to->bits == 32 && v->arguments[0]->op == KT_IR_AXIS)));

	if (from->kind != KT_IR_INTEGER || from->bits < 32 || v->mode != KT_IR_AS_VALUE)
		return atom(form, v);
	if (!form_of(form, r, v->arguments[0], depth + 1))
		return false;
	if (!keeps)
		form->bits = least(form->bits, to->bits);
	return true;
}

static bool operation(struct kt_ir_form *form, struct reading *r, const struct kt_ir_value *v, int depth)
{
	struct kt_ir_form a, b = {.bits = 128};
	kt_ir_wide by;

	if (!form_of(&a, r, v->arguments[0], depth + 1) ||
	    (v->count > 1 && !form_of(&b, r, v->arguments[1], depth + 1)))
		return false;
	form->bits = least(least(a.bits, b.bits), v->no_wrap ? 128 : v->type->bits);
	switch (v->op) {
	case KT_IR_NEG:
		return add_form(form, &a, -1);
	case KT_IR_ADD:
		return add_form(form, &a, 1) && add_form(form, &b, 1);
	case KT_IR_SUB:
		return add_form(form, &a, 1) && add_form(form, &b, -1);
	case KT_IR_MUL:
		return multiply(form, &a, &b);
	default:
		by = b.constant;
		return b.count == 0 && by >= 0 && by < 62 && add_form(form, &a, (int64_t)1 << (int)by);
	}
}

static bool form_of(struct kt_ir_form *form, struct reading *r, const struct kt_ir_value *v, int depth)
{
	const struct kt_ir_value *read = v;
	int64_t number;
	unsigned d;
	bool made = true;

	*form = (struct kt_ir_form){.bits = 128};
	v = kt_ir_behind_let(r->lets, v);
	if (v != read && r->room == 0)
		return false;
	r->room -= v != read;
	if (v->type->kind != KT_IR_INTEGER || v->type->bits < 32 || v->type->bits > 64 || depth > 32)
		return false;
	if (r->keeps_global && kt_ir_is_global(v, &d))
		return atom(form, v);
	if (kt_ir_is_constant(v, &number)) {
		form->constant = number;
		return true;
	}
	switch (v->op) {
	case KT_IR_CONVERT:
		made = converted(form, r, v, depth);
		break;
	case KT_IR_SHL:
		if (!kt_ir_is_constant(v->arguments[1], &number))
			return atom(form, v);
		made = operation(form, r, v, depth);
		break;
	case KT_IR_NEG:
	case KT_IR_ADD:
	case KT_IR_SUB:
	case KT_IR_MUL:
		made = operation(form, r, v, depth);
		break;
	default:
		return atom(form, v);
	}
	if (made)
		return true;
	/* A part has no form: the whole is one atom. */
	*form = (struct kt_ir_form){.bits = 128};
	return atom(form, v);
}

bool kt_ir_form_of(struct kt_ir_form *form, const struct kt_ir_lets *lets, const struct kt_ir_value *v,
		   bool keeps_global)
{
	struct reading r = {lets, keeps_global, KT_IR_MOST_EXPANDED};

	return form_of(form, &r, v, 0);
}

bool kt_ir_form_minus(struct kt_ir_form *form, const struct kt_ir_form *a, const struct kt_ir_form *b)
{
	*form = (struct kt_ir_form){.bits = least(a->bits, b->bits)};
	return add_form(form, a, 1) && add_form(form, b, -1);
}

bool kt_ir_form_is_constant(const struct kt_ir_form *form, int64_t *number)
{
	*number = form->constant;
	return form->count == 0;
}

struct sought {
	const struct kt_ir_value *atom;
	bool found;
};

static bool is_not(const struct kt_ir_value *v, void *context)
{
	struct sought *s = context;

	s->found = s->found || kt_ir_same(v, s->atom);
	return !s->found;
}

int kt_ir_form_degree(const struct kt_ir_form *form, const struct kt_ir_value *wanted, const struct kt_ir_term **term)
{
	int degree = 0;

	for (size_t i = 0; i < form->count; i++)
		for (unsigned k = 0; k < form->terms[i].count; k++) {
			struct sought s = {wanted, false};

			if (kt_ir_same(form->terms[i].atoms[k], wanted)) {
				*term = &form->terms[i];
				degree++;
			} else if (!kt_ir_visit_value(form->terms[i].atoms[k], is_not, &s)) {
				return 2;
			}
		}
	return degree > 1 ? 2 : degree;
}
