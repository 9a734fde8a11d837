/*
 * Division of many numbers by one: a compiler writes for each quotient a reciprocal, a test and a branch that hardly
 * any takes, although the reciprocal is the same for all. Here it is computed once, and a product and two
 * corrections make the quotient of it, with no branch between the elements of a group.
 *
 * Sound because the quotient is the same one: with the reciprocal rounded to nearest the first correction leaves
 * less than a unit in the last place, and the second one gives the rounded quotient (Markstein's theorem), as long
 * as nothing on the way overflows or gets subnormal. That is so where the dividend is a half or an integer of 32
 * bits, in single precision 0, not finite, or within 2⁻²⁴ … 2³², and the divisor is scaled by a power of two where
 * it is outside of 10⁻²⁵ … 10³⁰. What is no number larger than 0 after the corrections (zeros, infinities, NaN) is
 * the product. A quotient by more than 10³⁰ that is subnormal itself may be 2⁻¹⁴⁹ off, the least difference that
 * there is. The divisor is a variable that the loop around the division does not set. In CUDA alone; where
 * approximations are allowed, they are the choice (fast_math.c).
 */
#include <string.h>

#include "generation/rules/fast_math.h"

#define CALLEE "${ktune:callee:22}"

static const char helper[] =
    "// dividend / by, of a half or an integer, by what many are divided by: one reciprocal serves them all.\n"
    "__device__ __forceinline__ float " CALLEE "(float dividend, float by)\n{\n"
    "const float far = 18446744073709551616.0f;\n"
    "const float scale = fabsf(by) > 1e30f ? 1.0f / far : fabsf(by) < 1e-25f ? far : 1.0f;\n"
    "const float divisor = by * scale, inverse = 1.0f / divisor, product = dividend * inverse;\n"
    "float quotient = fmaf(fmaf(-product, divisor, dividend), inverse, product);\n\n"
    "quotient = fmaf(fmaf(-quotient, divisor, dividend), inverse, quotient);\n"
    "return (fabsf(quotient) > 0.0f ? quotient : product) * scale;\n}\n";

static bool is_narrow(enum kt_scalar scalar)
{
	return scalar == KT_F16 || (scalar != KT_SCALAR_NONE && !kt_scalar_is_float(scalar) && kt_scalar_bytes(scalar) <= 4);
}

/* What a local that is set once was made of; anything else is itself. */
static const struct kt_tree *made_of(const struct kt_tree *node)
{
	const struct kt_tree_variable *v;

	node = kt_tree_bare((struct kt_tree *)node);
	v = node->kind == KT_TREE_REFERENCE ? node->variable : NULL;
	if (v == NULL || !v->is_local || v->is_array || v->is_pointer || v->writes != 0 || v->escapes ||
	    v->declaration == NULL || v->declaration->count != 1)
		return node;
	return kt_tree_bare(v->declaration->children[0]);
}

/* Is it a half or an integer, made a float? */
static bool is_bounded(const struct kt_tree *node)
{
	node = made_of(node);
	if (node->kind == KT_TREE_CAST && node->count == 1 && node->scalar == KT_F32)
		node = kt_tree_bare(node->children[0]);
	return is_narrow(node->scalar) ||
	       (node->kind == KT_TREE_CALL && strcmp(node->known, "__half2float") == 0);
}

/* Has the variable one value in all iterations of the loop? */
static bool is_fixed(struct kt_tree *scope, struct kt_tree_variable *v)
{
	return (v->declaration == NULL || !kt_tree_contains(scope, v->declaration)) &&
	       kt_tree_walk(scope, kt_tree_does_not_set, v);
}

static bool is_repeated(const struct kt_family *family, const struct kt_tree *node, struct kt_tree_variable *v)
{
	for (size_t i = 0; i < family->loops.count; i++) {
		struct kt_tree *scope = kt_loop_scope(family->loops.loops[i]);

		if (family->loops.loops[i]->share != KT_SHARE_BLOCK && kt_tree_contains(scope, node) && is_fixed(scope, v))
			return true;
	}
	for (struct kt_tree *at = node->parent; at != NULL; at = at->parent)
		if (at->kind == KT_TREE_FOR && kt_tree_contains(at->children[3], node) && is_fixed(at, v))
			return true;
	return false;
}

static bool divide(struct kt_tree *node, void *context)
{
	struct kt_family *family = context;
	const struct kt_tree *by;

	if (node->kind != KT_TREE_BINARY || !kt_fast_is_division(family->kernel, node) || !is_bounded(node->children[0]))
		return true;
	by = kt_tree_bare(node->children[1]);
	if (by->kind == KT_TREE_REFERENCE && by->scalar == KT_F32 && by->variable != NULL && !by->variable->is_pointer &&
	    !by->variable->is_array && !by->variable->is_shared && !by->variable->escapes &&
	    (by->variable->is_local || by->variable->argument >= 0) && is_repeated(family, node, by->variable)) {
		kt_write_wrap(&family->write, node, CALLEE "(", ", ", ")");
		kt_family_applied(family, "divide", "many halves or integers are divided by one number: once is 1 divided");
	}
	return true;
}

void kt_rule_divide(struct kt_family *family)
{
	const size_t before = family->strategy_count;

	if (!kt_family_allows(family, "divide") || !kt_rule_target(family)->has_cuda_words)
		return;
	kt_tree_walk(family->kernel->body, divide, family);
	if (family->strategy_count != before)
		kt_buf_adds(&family->helpers, helper);
}
