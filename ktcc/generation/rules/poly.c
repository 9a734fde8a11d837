#include "generation/rules/poly.h"

#include <inttypes.h>
#include <string.h>

/* A macro that begins or ends with its argument leaves but a part of its use as the text: `i)`. */
static bool is_part_of_use(const char *text)
{
	int depth = 0;

	for (; *text != '\0' && depth >= 0; text++)
		depth += (*text == '(') - (*text == ')');
	return depth != 0;
}

static bool same_text(const struct kt_tree *a, const struct kt_tree *b, const struct kt_kernel *kernel)
{
	const char *text = kt_tree_text(kernel, a);

	return a == b || (a->kind == b->kind && strcmp(text, kt_tree_text(kernel, b)) == 0 && !is_part_of_use(text));
}

static bool same_atom(const struct kt_atom *a, const struct kt_atom *b, const struct kt_kernel *kernel)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case KT_ATOM_VARIABLE:
		return a->variable == b->variable;
	case KT_ATOM_BUILTIN:
		return a->builtin == b->builtin && a->dimension == b->dimension;
	case KT_ATOM_QUOTIENT:
	case KT_ATOM_REMAINDER:
		return kt_poly_equal(a->left, b->left) && kt_poly_equal(a->right, b->right);
	case KT_ATOM_OPAQUE:
		return same_text(a->node, b->node, kernel);
	}
	return false;
}

static const struct kt_atom *intern(struct kt_polys *polys, const struct kt_atom *wanted)
{
	struct kt_atom *atom, **slot;

	for (size_t i = 0; i < polys->atom_count; i++)
		if (same_atom(polys->atoms[i], wanted, polys->kernel))
			return polys->atoms[i];
	atom = kt_arena_alloc(polys->kernel->arena, sizeof *atom);
	slot = kt_arena_push(polys->kernel->arena, &polys->atoms, &polys->atom_count, sizeof *slot);
	if (atom == NULL || slot == NULL)
		return NULL;
	*atom = *wanted;
	*slot = atom;
	return atom;
}

static size_t order(const struct kt_polys *polys, const struct kt_atom *atom)
{
	size_t i = 0;

	while (i < polys->atom_count && polys->atoms[i] != atom)
		i++;
	return i;
}

static int compare(const struct kt_polys *polys, const struct kt_term *a, const struct kt_term *b)
{
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	for (size_t i = 0; i < a->count; i++) {
		size_t left = order(polys, a->atoms[i]), right = order(polys, b->atoms[i]);

		if (left != right)
			return left < right ? -1 : 1;
	}
	return 0;
}

/* False: full, or past 64 bits. */
static bool add_term(const struct kt_polys *polys, struct kt_poly *poly, const struct kt_term *term)
{
	size_t at = 0;

	if (term->factor == 0)
		return true;
	while (at < poly->count && compare(polys, &poly->terms[at], term) < 0)
		at++;
	if (at < poly->count && compare(polys, &poly->terms[at], term) == 0) {
		if (__builtin_add_overflow(poly->terms[at].factor, term->factor, &poly->terms[at].factor))
			return false;
		if (poly->terms[at].factor == 0) {
			memmove(&poly->terms[at], &poly->terms[at + 1], (poly->count - at - 1) * sizeof *poly->terms);
			poly->count--;
		}
		return true;
	}
	if (poly->count == KT_POLY_TERMS)
		return false;
	memmove(&poly->terms[at + 1], &poly->terms[at], (poly->count - at) * sizeof *poly->terms);
	poly->terms[at] = *term;
	poly->count++;
	return true;
}

static bool multiply_term(const struct kt_polys *polys, struct kt_term *out, const struct kt_term *a,
                          const struct kt_term *b)
{
	if (a->count + b->count > KT_POLY_ATOMS || __builtin_mul_overflow(a->factor, b->factor, &out->factor))
		return false;
	out->count = 0;
	for (size_t i = 0, j = 0; i < a->count || j < b->count;) {
		bool left = j == b->count ||
		            (i < a->count && order(polys, a->atoms[i]) <= order(polys, b->atoms[j]));

		out->atoms[out->count++] = left ? a->atoms[i++] : b->atoms[j++];
	}
	return true;
}

static struct kt_poly *new_poly(struct kt_polys *polys)
{
	return kt_arena_alloc(polys->kernel->arena, sizeof(struct kt_poly));
}

const struct kt_poly *kt_poly_constant(struct kt_polys *polys, int64_t value)
{
	struct kt_poly *poly = new_poly(polys);
	const struct kt_term term = {.factor = value};

	if (poly != NULL)
		(void)add_term(polys, poly, &term);
	return poly;
}

static const struct kt_poly *of_atom(struct kt_polys *polys, const struct kt_atom *wanted)
{
	struct kt_poly *poly = new_poly(polys);
	const struct kt_term term = {.factor = 1, .count = 1, .atoms = {intern(polys, wanted)}};

	if (poly == NULL || term.atoms[0] == NULL)
		return NULL;
	(void)add_term(polys, poly, &term);
	return poly;
}

static const struct kt_poly *opaque(struct kt_polys *polys, const struct kt_tree *node)
{
	return of_atom(polys, &(struct kt_atom){.kind = KT_ATOM_OPAQUE, .node = node});
}

/* Adds all terms, times the factor. False: as add_term. */
static bool add_terms(const struct kt_polys *polys, struct kt_poly *sum, const struct kt_poly *b, int64_t factor)
{
	for (size_t i = 0; i < b->count; i++) {
		struct kt_term term = b->terms[i];

		if (__builtin_mul_overflow(term.factor, factor, &term.factor) || !add_term(polys, sum, &term))
			return false;
	}
	return true;
}

/* In f · (i % H) + f · H · (i / H), which is f · i: the place of the second of them; the poly's count: nowhere. */
static size_t quotient_of(const struct kt_polys *polys, const struct kt_poly *poly, const struct kt_term *rest)
{
	const struct kt_atom *remainder = rest->atoms[0];
	const struct kt_term *by = &remainder->right->terms[0];

	for (size_t i = 0; remainder->right->count == 1 && i < poly->count; i++)
		for (size_t k = 0; k < poly->terms[i].count; k++) {
			const struct kt_atom *atom = poly->terms[i].atoms[k];
			const struct kt_term one = {.factor = rest->factor, .count = 1, .atoms = {atom}};
			struct kt_term product;

			if (atom->kind == KT_ATOM_QUOTIENT && kt_poly_equal(atom->left, remainder->left) &&
			    kt_poly_equal(atom->right, remainder->right) && multiply_term(polys, &product, &one, by) &&
			    product.factor == poly->terms[i].factor && compare(polys, &product, &poly->terms[i]) == 0)
				return i;
		}
	return poly->count;
}

static void take_out(struct kt_poly *poly, size_t at)
{
	memmove(&poly->terms[at], &poly->terms[at + 1], (poly->count - at - 1) * sizeof *poly->terms);
	poly->count--;
}

/* A row and a column of one index are that index again. */
static bool join_divisions(const struct kt_polys *polys, struct kt_poly *sum)
{
	for (size_t i = 0; i < sum->count; i++) {
		const struct kt_term rest = sum->terms[i];
		size_t at;

		if (rest.count != 1 || rest.atoms[0]->kind != KT_ATOM_REMAINDER)
			continue;
		at = quotient_of(polys, sum, &rest);
		if (at == sum->count)
			continue;
		take_out(sum, at > i ? at : i);
		take_out(sum, at > i ? i : at);
		return add_terms(polys, sum, rest.atoms[0]->left, rest.factor) && join_divisions(polys, sum);
	}
	return true;
}

const struct kt_poly *kt_poly_add(struct kt_polys *polys, const struct kt_poly *a, const struct kt_poly *b,
                                  int64_t factor)
{
	struct kt_poly *sum = new_poly(polys);

	NEED(sum, NULL);
	*sum = *a;
	return add_terms(polys, sum, b, factor) && join_divisions(polys, sum) ? sum : NULL;
}

static const struct kt_poly *multiply(struct kt_polys *polys, const struct kt_poly *a, const struct kt_poly *b)
{
	struct kt_poly *product = new_poly(polys);

	for (size_t i = 0; product != NULL && i < a->count; i++)
		for (size_t j = 0; j < b->count; j++) {
			struct kt_term term;

			if (!multiply_term(polys, &term, &a->terms[i], &b->terms[j]) || !add_term(polys, product, &term))
				return NULL;
		}
	return product;
}

static bool is_integer(enum kt_scalar scalar)
{
	return scalar != KT_SCALAR_NONE && !kt_scalar_is_float(scalar);
}

/* Holds what 32 bits do: overflow aside, a value stays what it is. */
static bool keeps_value(enum kt_scalar scalar)
{
	return is_integer(scalar) && kt_scalar_bytes(scalar) >= 4;
}

/* A local that keeps the value it is declared with. */
static struct kt_tree *only_value(const struct kt_tree_variable *v)
{
	if (v == NULL || !v->is_local || v->writes != 0 || v->escapes || v->is_array || v->is_pointer ||
	    v->declaration == NULL || v->declaration->count == 0 || !keeps_value(v->scalar))
		return NULL;
	return v->declaration->children[0];
}

static bool written_in(struct kt_tree *node, const struct kt_tree_variable *v);

struct lifetime {
	struct kt_tree *scope;
};

static bool is_kept(struct kt_tree *node, void *context)
{
	const struct lifetime *lifetime = context;

	return node->kind != KT_TREE_REFERENCE || node->variable == NULL || node->variable->writes == 0 ||
	       !written_in(lifetime->scope, node->variable);
}

bool kt_value_is_kept(const struct kt_tree_variable *local)
{
	struct kt_tree *declare = local->declaration != NULL ? local->declaration->parent : NULL;
	struct lifetime lifetime = {declare != NULL ? declare->parent : NULL};

	return lifetime.scope != NULL && local->declaration->count > 0 &&
	       kt_tree_walk(local->declaration->children[0], is_kept, &lifetime);
}

static const struct kt_poly *of_reference(struct kt_polys *polys, struct kt_tree *node)
{
	struct kt_tree *value = only_value(node->variable);

	if (node->has_value)
		return kt_poly_constant(polys, node->value);
	if (node->variable == NULL)
		return opaque(polys, node);
	if (value != NULL && kt_value_is_kept(node->variable)) {
		const struct kt_poly *poly = kt_poly_of(polys, value);

		/* What is read from memory has a name already, and keeps its value under it. */
		if (poly == NULL || poly->count != 1 || poly->terms[0].count != 1 || poly->terms[0].factor != 1 ||
		    poly->terms[0].atoms[0]->kind != KT_ATOM_OPAQUE)
			return poly;
	}
	return of_atom(polys, &(struct kt_atom){.kind = KT_ATOM_VARIABLE, .variable = node->variable});
}

static bool is_number(const struct kt_poly *poly)
{
	return poly->count == 0 || (poly->count == 1 && poly->terms[0].count == 0);
}

static int64_t number(const struct kt_poly *poly)
{
	return poly->count == 0 ? 0 : poly->terms[0].factor;
}

static const struct kt_poly *of_division(struct kt_polys *polys, struct kt_tree *node, enum kt_atom_kind kind)
{
	const struct kt_poly *left = kt_poly_of(polys, node->children[0]), *right = kt_poly_of(polys, node->children[1]);

	if (left == NULL || right == NULL)
		return NULL;
	if (kind == KT_ATOM_QUOTIENT && kt_poly_is(right, 1))
		return left;
	if (is_number(left) && is_number(right) && right->count == 1 && right->terms[0].factor > 0)
		return kt_poly_constant(polys,
		                        kind == KT_ATOM_QUOTIENT ? number(left) / number(right) : number(left) % number(right));
	return of_atom(polys, &(struct kt_atom){.kind = kind, .left = left, .right = right, .node = node});
}

static const struct kt_poly *of_binary(struct kt_polys *polys, struct kt_tree *node)
{
	const struct kt_poly *left, *right, *result = NULL;

	if (kt_tree_is(node, KT_TREE_BINARY, "/") && is_integer(node->scalar))
		return of_division(polys, node, KT_ATOM_QUOTIENT);
	if (kt_tree_is(node, KT_TREE_BINARY, "%"))
		return of_division(polys, node, KT_ATOM_REMAINDER);
	if (node->operator_ == NULL || strchr("+-*<", node->operator_[0]) == NULL ||
	    (node->operator_[0] == '<' && strcmp(node->operator_, "<<") != 0))
		return opaque(polys, node);
	left = kt_poly_of(polys, node->children[0]);
	right = kt_poly_of(polys, node->children[1]);
	if (left == NULL || right == NULL)
		return NULL;
	switch (node->operator_[0]) {
	case '+':
		result = kt_poly_add(polys, left, right, 1);
		break;
	case '-':
		result = kt_poly_add(polys, left, right, -1);
		break;
	case '*':
		result = multiply(polys, left, right);
		break;
	default:
		for (int64_t shift = 0; shift < 32; shift++)
			if (kt_poly_is(right, shift))
				result = multiply(polys, left, kt_poly_constant(polys, (int64_t)1 << shift));
		break;
	}
	return result != NULL ? result : opaque(polys, node);
}

static const struct kt_poly *of_builtin(struct kt_polys *polys, enum kt_builtin_index builtin, unsigned dimension)
{
	return of_atom(polys, &(struct kt_atom){.kind = KT_ATOM_BUILTIN, .builtin = builtin, .dimension = dimension});
}

/* get_global_id(d), get_global_size(d): launches have no offset. */
static const struct kt_poly *of_global(struct kt_polys *polys, const struct kt_tree *node)
{
	const bool index = node->builtin == KT_GLOBAL_INDEX;
	const struct kt_poly *extent = of_builtin(polys, KT_BLOCK_EXTENT, node->dimension);
	const struct kt_poly *blocks = of_builtin(polys, index ? KT_BLOCK_INDEX : KT_GRID_EXTENT, node->dimension);
	const struct kt_poly *product = extent != NULL && blocks != NULL ? multiply(polys, blocks, extent) : NULL;
	const struct kt_poly *thread = index ? of_builtin(polys, KT_THREAD_INDEX, node->dimension) : NULL;

	return !index || product == NULL ? product : thread != NULL ? kt_poly_add(polys, product, thread, 1) : NULL;
}

const struct kt_poly *kt_poly_of(struct kt_polys *polys, struct kt_tree *node)
{
	node = kt_tree_bare(node);
	switch (node->kind) {
	case KT_TREE_INTEGER:
		return node->has_value ? kt_poly_constant(polys, node->value) : opaque(polys, node);
	case KT_TREE_REFERENCE:
		return of_reference(polys, node);
	case KT_TREE_BUILTIN:
		if (node->builtin == KT_GLOBAL_INDEX || node->builtin == KT_GLOBAL_EXTENT)
			return of_global(polys, node);
		return of_atom(polys, &(struct kt_atom){.kind = KT_ATOM_BUILTIN, .builtin = node->builtin,
		                                        .dimension = node->dimension});
	case KT_TREE_CAST:
		/* Between integers only the width changes. */
		if (keeps_value(node->scalar) && is_integer(node->children[0]->scalar))
			return kt_poly_of(polys, node->children[0]);
		return opaque(polys, node);
	case KT_TREE_UNARY:
		if (kt_tree_is(node, KT_TREE_UNARY, "-") && is_integer(node->scalar)) {
			const struct kt_poly *zero = kt_poly_constant(polys, 0), *of = kt_poly_of(polys, node->children[0]);

			return zero != NULL && of != NULL ? kt_poly_add(polys, zero, of, -1) : NULL;
		}
		return opaque(polys, node);
	case KT_TREE_BINARY:
		return of_binary(polys, node);
	default:
		return opaque(polys, node);
	}
}

const struct kt_poly *kt_poly_multiply(struct kt_polys *polys, const struct kt_poly *a, const struct kt_poly *b)
{
	return multiply(polys, a, b);
}

const struct kt_poly *kt_poly_divide(struct kt_polys *polys, const struct kt_poly *a, const struct kt_poly *b)
{
	if (kt_poly_is(b, 1))
		return a;
	if (is_number(a) && is_number(b) && b->count == 1 && b->terms[0].factor > 0)
		return kt_poly_constant(polys, number(a) / number(b));
	return of_atom(polys, &(struct kt_atom){.kind = KT_ATOM_QUOTIENT, .left = a, .right = b});
}

const struct kt_poly *kt_poly_variable(struct kt_polys *polys, const struct kt_tree_variable *variable)
{
	return of_atom(polys, &(struct kt_atom){.kind = KT_ATOM_VARIABLE, .variable = variable});
}

bool kt_poly_equal(const struct kt_poly *a, const struct kt_poly *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (a->terms[i].factor != b->terms[i].factor || a->terms[i].count != b->terms[i].count)
			return false;
		for (size_t j = 0; j < a->terms[i].count; j++)
			if (a->terms[i].atoms[j] != b->terms[i].atoms[j])
				return false;
	}
	return true;
}

bool kt_poly_is(const struct kt_poly *poly, int64_t value)
{
	if (value == 0)
		return poly->count == 0;
	return poly->count == 1 && poly->terms[0].count == 0 && poly->terms[0].factor == value;
}

bool kt_poly_every(const struct kt_poly *poly, kt_atom_visit visit, void *context)
{
	for (size_t i = 0; i < poly->count; i++)
		for (size_t j = 0; j < poly->terms[i].count; j++) {
			const struct kt_atom *atom = poly->terms[i].atoms[j];

			if (!visit(atom, context) || (atom->left != NULL && !kt_poly_every(atom->left, visit, context)) ||
			    (atom->right != NULL && !kt_poly_every(atom->right, visit, context)))
				return false;
		}
	return true;
}

struct write_search {
	const struct kt_tree_variable *variable;
};

static bool not_written(struct kt_tree *node, void *context)
{
	const struct write_search *search = context;
	bool reads;

	return node->kind != KT_TREE_REFERENCE || node->variable != search->variable || !kt_tree_is_target(node, &reads);
}

static bool written_in(struct kt_tree *node, const struct kt_tree_variable *v)
{
	struct write_search search = {v};

	return !kt_tree_walk(node, not_written, &search);
}

static bool variable_varies(const struct kt_tree_variable *v, const struct kt_tree *inside)
{
	if (v->escapes)
		return true;
	if (v->declaration != NULL && kt_tree_contains(inside, v->declaration))
		return true;
	return v->writes != 0 && written_in((struct kt_tree *)inside, v);
}

static bool node_is_fixed(struct kt_tree *node, void *context)
{
	const struct kt_tree *inside = context;

	switch (node->kind) {
	case KT_TREE_REFERENCE:
		return node->variable != NULL && (node->has_value || !variable_varies(node->variable, inside));
	case KT_TREE_INDEX:
	case KT_TREE_CALL:
	case KT_TREE_OTHER:
	case KT_TREE_ASSIGN:
	case KT_TREE_MEMBER:
		return false;
	default:
		return true;
	}
}

bool kt_atom_varies(const struct kt_atom *atom, const struct kt_tree *inside)
{
	switch (atom->kind) {
	case KT_ATOM_VARIABLE:
		return variable_varies(atom->variable, inside);
	case KT_ATOM_BUILTIN:
		return false;
	case KT_ATOM_QUOTIENT:
	case KT_ATOM_REMAINDER:
		return kt_poly_varies(atom->left, inside) || kt_poly_varies(atom->right, inside);
	case KT_ATOM_OPAQUE:
		return !kt_tree_walk((struct kt_tree *)atom->node, node_is_fixed, (void *)inside);
	}
	return true;
}

bool kt_poly_varies(const struct kt_poly *poly, const struct kt_tree *inside)
{
	for (size_t i = 0; i < poly->count; i++)
		for (size_t j = 0; j < poly->terms[i].count; j++)
			if (kt_atom_varies(poly->terms[i].atoms[j], inside))
				return true;
	return false;
}

bool kt_poly_is_number(const struct kt_poly *poly, int64_t *value)
{
	*value = poly != NULL && poly->count == 1 ? poly->terms[0].factor : 0;
	return poly != NULL && (poly->count == 0 || (poly->count == 1 && poly->terms[0].count == 0));
}

bool kt_atom_is_other(const struct kt_atom *atom, void *context)
{
	return atom->kind != KT_ATOM_VARIABLE || atom->variable != context;
}
