/* Sums of products (form.h) that become values, and grow. */
#include "generation/ir/form.h"

/* The product of a term's atoms and a factor. */
static const struct kt_ir_value *product(struct kt_ir_module *m, const struct kt_ir_term *t, int64_t factor, const struct kt_ir_type *type)
{
	const struct kt_ir_value *one = NULL;

	for (unsigned k = 0; k < t->count; k++) {
		const struct kt_ir_value *atom = kt_ir_convert(m, t->atoms[k], type, KT_IR_AS_VALUE);

		one = one == NULL ? atom : kt_ir_apply(m, KT_IR_MUL, one, atom, NULL);
	}
	return factor == 1 ? one : kt_ir_apply(m, KT_IR_MUL, one, kt_ir_constant(m, type, factor), NULL);
}

/* The sum as a value of the type; what is taken off comes after what it is taken off. */
const struct kt_ir_value *kt_ir_sum_value(struct kt_ir_module *m, const struct kt_ir_form *form, const struct kt_ir_type *type)
{
	const struct kt_ir_value *sum = NULL;

	for (size_t i = 0; i < form->count; i++)
		if (form->terms[i].factor > 0) {
			const struct kt_ir_value *one = product(m, &form->terms[i], form->terms[i].factor, type);

			sum = sum == NULL ? one : kt_ir_apply(m, KT_IR_ADD, sum, one, NULL);
		}
	if (sum == NULL)
		sum = kt_ir_constant(m, type, form->constant);
	else if (form->constant != 0)
		sum = kt_ir_apply(m, KT_IR_ADD, sum, kt_ir_constant(m, type, form->constant), NULL);
	for (size_t i = 0; i < form->count; i++)
		if (form->terms[i].factor < 0)
			sum = kt_ir_apply(m, KT_IR_SUB, sum, product(m, &form->terms[i], (int64_t)(0 - (uint64_t)form->terms[i].factor), type), NULL);
	return sum;
}

/* The form times a factor added to another one. */
bool kt_ir_sum_add(struct kt_ir_form *to, const struct kt_ir_form *from, int64_t factor)
{
	struct kt_ir_form times = {.bits = from->bits, .count = from->count}, sum;

	if (factor > INT32_MAX || factor < -INT32_MAX)
		return false;
	for (size_t i = 0; i < from->count; i++) {
		times.terms[i] = from->terms[i];
		if (__builtin_mul_overflow(from->terms[i].factor, -factor, &times.terms[i].factor))
			return false;
	}
	if (__builtin_mul_overflow(from->constant, -factor, &times.constant))
		return false;
	if (!kt_ir_form_minus(&sum, to, &times))
		return false;
	*to = sum;
	return true;
}

bool kt_ir_sum_add_term(struct kt_ir_form *to, const struct kt_ir_term *term)
{
	const struct kt_ir_form one = {.bits = 128, .count = 1, .terms = {*term}};

	return kt_ir_sum_add(to, &one, 1);
}
