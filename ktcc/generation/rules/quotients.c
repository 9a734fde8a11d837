/*
 * Quotients: where a thread divides many indices of a flat loop, `i / width % height`, it computes once for each divisor what
 * turns quotients by it into a product and a shift, and remainders into one product more.
 *
 * Sound because with 0 ≤ n < 2³¹, 0 < d < 2³¹, l = ⌈log₂ d⌉ and m = ⌊2³¹⁺ˡ / d⌋ + 1 it is 2³¹⁺ˡ < m·d ≤ 2³¹⁺ˡ + 2ˡ,
 * and so n / d = ⌊n·m / 2³¹⁺ˡ⌋ (Granlund and Montgomery); m has 32 bits. The dividend is the index of a distributed loop, of 32
 * bits with a sign, or a quotient or remainder of one: it is not negative. The divisor is made of arguments that the kernel
 * does not change; a guard checks that it is positive. Offered where an access moves unevenly with the index: elsewhere a group
 * of elements has one quotient (hoist). With one index for each thread it would cost more than it saves: a restriction.
 */
#include "generation/rules/vector.h"

#include <string.h>

#define NAME "${ktune:callee:23}"

enum { MOST_DIVISORS = 12 };

/* The constructor has no initialisers: nvcc's host pass leaves out what a device function does, and keeps these. */
static const char helper[] =
    "${if RECIPROCALS}\n// A divisor of many numbers that are not negative: by a product and a shift.\nstruct " NAME " {\n"
    "int by;\nunsigned shift, factor;\n\n"
    "__device__ __forceinline__ explicit " NAME "(int divisor)\n{\n"
    "by = divisor;\nshift = divisor > 1 ? 32 - __clz(divisor - 1) : 0;\n"
    "factor = (unsigned)((1ull << (31 + shift)) / (unsigned)divisor) + 1;\n}\n"
    "friend __device__ __forceinline__ int operator/(int dividend, const " NAME " &divisor)\n{\n"
    "return (int)(__umulhi(2u * (unsigned)dividend, divisor.factor) >> divisor.shift);\n}\n"
    "friend __device__ __forceinline__ int operator%(int dividend, const " NAME " &divisor)\n{\n"
    "return dividend - dividend / divisor * divisor.by;\n}\n};\n${end}\n";

struct quotients {
	struct kt_family *family;
	const struct kt_loop *loop;
	size_t count;
	const struct kt_poly *divisors[MOST_DIVISORS];
	const char *names[MOST_DIVISORS];
};

static bool is_int(const struct kt_tree *node)
{
	return node->scalar == KT_I32;
}

static bool is_division(const struct kt_tree *node)
{
	return (kt_tree_is(node, KT_TREE_BINARY, "/") || kt_tree_is(node, KT_TREE_BINARY, "%")) && node->count == 2 &&
	       !node->in_macro && is_int(node);
}

/* The divisor as a clause; NULL: it is not made of arguments alone. */
static const char *divisor_of(const struct quotients *q, struct kt_tree *node, const struct kt_poly **poly)
{
	if (node->in_macro || !is_int(kt_tree_bare(node)) || kt_tree_bare(node)->has_value)
		return NULL;
	*poly = kt_poly_of(&q->family->polys, node);
	return *poly != NULL ? kt_rule_clause(q->family, *poly) : NULL;
}

static bool is_natural(const struct quotients *q, struct kt_tree *node)
{
	const struct kt_poly *poly;
	const struct kt_tree_variable *v;

	node = kt_tree_bare(node);
	if (is_division(node))
		return is_natural(q, node->children[0]) &&
		       (divisor_of(q, node->children[1], &poly) != NULL ||
		        (kt_tree_bare(node->children[1])->has_value && kt_tree_bare(node->children[1])->value > 0));
	v = node->kind == KT_TREE_REFERENCE ? node->variable : NULL;
	return v != NULL && v == q->loop->variable && v->scalar == KT_I32 && !q->loop->changes && !v->escapes;
}

static bool replace(struct kt_tree *node, void *context)
{
	struct quotients *q = context;
	const struct kt_poly *poly;
	const char *text;
	size_t at = 0;

	if (!is_division(node) || !is_natural(q, node->children[0]) ||
	    (text = divisor_of(q, node->children[1], &poly)) == NULL)
		return true;
	while (at < q->count && !kt_poly_equal(q->divisors[at], poly))
		at++;
	if (at == MOST_DIVISORS)
		return true;
	if (at == q->count) {
		q->divisors[at] = poly;
		q->names[at] = kt_family_name(q->family, kt_family_text(q->family, "divisor%zu", q->count++));
		kt_buf_addf(&q->family->top, "${if RECIPROCALS}\nconst " NAME " %s(%s);\n${end}\n", q->names[at], text);
		kt_family_guard(q->family, kt_family_text(q->family, "RECIPROCALS == 0 || (%s) > 0", text),
		                "what divides is positive");
	}
	kt_write_set(&q->family->write, node->children[1],
	             kt_family_text(q->family, "${if RECIPROCALS}%s${else}%s${end}", q->names[at],
	                            kt_tree_text(q->family->kernel, node->children[1])));
	return true;
}

/* Is the loop's index in it only as a quotient, which is one for neighbours? */
static bool goes_by_rows(struct kt_family *family, const struct kt_loop *loop, const struct kt_poly *poly)
{
	for (size_t i = 0; i < poly->count; i++)
		for (size_t j = 0; j < poly->terms[i].count; j++) {
			const struct kt_atom *atom = poly->terms[i].atoms[j];
			const bool is_row = atom->kind == KT_ATOM_QUOTIENT && kt_loop_is_index(family, loop, atom->left);

			if (kt_loop_varies(loop, atom) &&
			    (atom->left == NULL || kt_loop_poly_varies(loop, atom->right) ||
			     !(is_row || goes_by_rows(family, loop, atom->left))))
				return false;
		}
	return true;
}

static bool is_uneven(struct kt_family *family, const struct kt_loop *loop)
{
	struct kt_effects effects;
	struct kt_motion motion;
	struct kt_error err;

	if (kt_effects_read(&effects, &family->polys, kt_loop_scope(loop), loop->first, &err) != KT_OK)
		return false;
	for (size_t i = 0; i < effects.access_count; i++) {
		kt_motion_find(&motion, family, loop, effects.accesses[i].index);
		if (!motion.affine && !goes_by_rows(family, loop, effects.accesses[i].index))
			return true;
	}
	return effects.unknown != NULL;
}

bool kt_rule_quotients(struct kt_family *family)
{
	struct quotients q = {.family = family};

	if (!kt_family_allows(family, "divide") || !kt_rule_target(family)->has_cuda_words)
		return false;
	for (size_t i = 0; i < family->loops.count; i++) {
		q.loop = family->loops.loops[i];
		if (q.loop->share == KT_SHARE_FLAT && q.loop->outer == NULL && is_uneven(family, q.loop))
			kt_tree_walk(kt_loop_scope(q.loop), replace, &q);
	}
	if (q.count > 0)
		kt_buf_adds(&family->helpers, helper);
	return q.count > 0;
}

void kt_rule_quotients_parameter(struct kt_family *family)
{
	static const int64_t flags[] = {0, 1};

	kt_family_parameter(family, "RECIPROCALS", "1: a thread computes once what its indices' quotients are products with",
	                    flags, 2);
	kt_family_restrict(family, kt_family_has(family, "WAVES") ? "RECIPROCALS == 0 || WAVES > 0" : "RECIPROCALS == 0",
	                   "it pays where a thread has many indices");
	kt_family_applied(family, "divide", "indices are divided by the same divisors again and again");
}
