/*
 * Privatize: a block counts for itself in shared memory and adds its sums to the array at the end, one addition an
 * element, where every element of the loop was an addition in global memory.
 *
 *   for (…) atomicAdd(&bins[data[i]], 1u);   becomes   for (…) atomicAdd(&bins_own[data[i]], 1u);
 *                                                      __syncthreads();
 *                                                      for (at …) atomicAdd(&bins[at], bins_own[at]);
 *
 * Sound when: the loop does nothing else to the array than adding integers of 32 bits to its elements, and uses no result of
 * that: such sums are the same in any order. No other argument may lead to the array (__restrict__, or a guard checks it). The
 * loop is not inside another statement of the kernel, so that all threads of a block synchronise before it and after it. What
 * lies outside of the elements that a block has room for is added where it was.
 */
#include <string.h>

#include "generation/rules/family.h"

enum { MOST_ELEMENTS = 8192 };

/* Elements of the array on the largest problem; 0: more than a block has room for, or not known. */
static int64_t elements_of(struct kt_family *family, const struct kt_tree_variable *root)
{
	const struct kt_region *r = family->kernel->region;
	int64_t most = 0;

	for (size_t b = 0; b < r->buffer_count; b++)
		for (size_t p = 0; r->buffers[b].argument == root->argument && p < r->problem_count; p++) {
			struct kt_scope scope = {r, NULL, r->problems + p * r->variable_count, NULL};
			struct kt_error ignored;
			int64_t count;

			if (kt_expr_eval(&count, r->buffers[b].count.expr, kt_scope_lookup, &scope, &ignored) != KT_OK)
				return 0;
			most = count > most ? count : most;
		}
	return most <= MOST_ELEMENTS ? most : 0;
}

/* The call that adds to the element, where the value that was there is not used. */
static struct kt_tree *addition(const struct kt_access *access)
{
	struct kt_tree *call = access->atomic ? kt_access_atomic(access) : NULL;

	return call != NULL && strcmp(call->known, "atomicAdd") == 0 && call->count == 3 && !call->in_macro &&
		       kt_tree_is_statement(call)
		   ? call
		   : NULL;
}

struct count {
	const struct kt_tree_variable *variable;
	size_t uses;
};

static bool count_use(struct kt_tree *node, void *context)
{
	struct count *count = context;

	count->uses += node->kind == KT_TREE_REFERENCE && node->variable == count->variable;
	return true;
}

static size_t uses_of(struct kt_family *family, const struct kt_tree_variable *v)
{
	struct count count = {v, 0};

	kt_tree_walk(family->kernel->body, count_use, &count);
	return count.uses;
}

static bool may_be_private(struct kt_family *family, const struct kt_effects *effects,
			   const struct kt_tree_variable *root)
{
	size_t additions = 0;

	for (size_t i = 0; i < effects->access_count; i++)
		if (effects->accesses[i].root == root) {
			if (addition(&effects->accesses[i]) == NULL)
				return false;
			additions++;
		}
	if (additions == 0 || additions != uses_of(family, root))
		return false;
	for (size_t i = 0; i < family->kernel->region->argument_count; i++) {
		const struct kt_tree_variable *other = family->kernel->variables[i];

		if (other != root && other->is_pointer && uses_of(family, other) > 0 && kt_roots_may_alias(other, root) &&
		    !kt_family_disjoint(family, other, root))
			return false;
	}
	return true;
}

static const struct kt_tree_variable *find_root(struct kt_family *family, const struct kt_effects *effects)
{
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_tree_variable *root = effects->accesses[i].root;

		if (effects->accesses[i].atomic && root->argument >= 0 && root->element != NULL &&
		    (root->scalar == KT_I32 || root->scalar == KT_U32) && elements_of(family, root) > 0 &&
		    may_be_private(family, effects, root))
			return root;
	}
	return NULL;
}

const struct kt_tree_variable *kt_rule_private(struct kt_family *family, const struct kt_loop *loop,
                                               const struct kt_effects *effects)
{
	static const int64_t copies[] = {1, 4, 8, 2, 0};
	const struct kt_tree_variable *root;
	const char *own, *add, *at, *to, *value;
	int64_t count;

	if (!kt_rule_target(family)->has_warps || !kt_family_allows(family, "privatize") || effects->unknown != NULL ||
	    loop->node->parent != family->kernel->body || (root = find_root(family, effects)) == NULL)
		return NULL;
	count = elements_of(family, root);
	own = kt_family_name(family, kt_family_text(family, "%s_own", root->name));
	add = kt_family_name(family, kt_family_text(family, "add_to_%s", root->name));
	at = kt_family_name(family, "cell");
	to = kt_family_name(family, "to");
	value = kt_family_name(family, "value");
	for (size_t i = 0; i < effects->access_count; i++)
		if (effects->accesses[i].root == root)
			kt_write_set(&family->write, addition(&effects->accesses[i])->children[0],
			             kt_family_text(family, "${if PRIVATE}%s${else}atomicAdd${end}", add));
	kt_buf_addf(&family->top,
	            "${if PRIVATE}\n// A block counts for itself; ${PRIVATE} neighbouring threads have a row each, which begin in "
	            "different banks.\n"
	            "__shared__ %s %s[${PRIVATE}][%lld];\n"
	            "const auto %s = [&](%s *%s, %s %s) {\nconst long long %s = %s - %s;\n\n"
	            "if (%s >= 0 && %s < %lld)\natomicAdd(&%s[threadIdx.x %% ${PRIVATE}][%s], %s);\n"
	            "else\natomicAdd(%s, %s);\n};\n\n"
	            "for (int %s = threadIdx.x; %s < ${PRIVATE} * %lld; %s += ${BLOCK})\n"
	            "(&%s[0][0])[%s] = 0;\n__syncthreads();\n${end}\n",
	            root->element, own, (long long)(count | 1), add, root->element, to, root->element, value, at, to,
	            root->name, at, at, (long long)count, own, at, value, to, value, at, at, (long long)(count | 1), at, own,
	            at);
	kt_family_parameter(family, "PRIVATE", "copies of the array that a block counts in; 0: none", copies, 5);
	kt_family_restrict(family, kt_family_text(family, "PRIVATE * %lld <= 49152", (long long)(count | 1) * 4),
	                   "a block has 48 KiB of shared memory");
	kt_family_applied(
	    family, "privatize",
	    kt_family_text(family,
			   "integers are added to '%s', which a block has room for, and nothing else is done to it",
			   root->name));
	return root;
}

const char *kt_rule_private_end(struct kt_family *family, const struct kt_tree_variable *root)
{
	const char *own = kt_family_name(family, kt_family_text(family, "%s_own", root->name));
	const char *at = kt_family_name(family, "cell"), *sum = kt_family_name(family, "sum"),
		   *copy = kt_family_name(family, "copy");

	kt_family_restrict(family, "PRIVATE == 0 || WAVES > 0", "each block adds its sums to the array");
	return kt_family_text(family,
	                      "${if PRIVATE}\n__syncthreads();\nfor (int %s = threadIdx.x; %s < %lld; %s += ${BLOCK}) {\n%s %s = 0;\n\n"
	                      "#pragma unroll\nfor (int %s = 0; %s < ${PRIVATE}; %s++)\n%s += %s[%s][%s];\n"
	                      "if (%s != 0)\natomicAdd(%s + %s, %s);\n}\n${end}\n",
	                      at, at, (long long)elements_of(family, root), at, root->element, sum, copy, copy, copy, sum,
	                      own, copy, at, sum, root->name, at, sum);
}
