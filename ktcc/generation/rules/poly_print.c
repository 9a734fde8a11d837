/* Polynomials as text: in C++, and in the language of the pragma. */
#include "generation/rules/poly.h"

#include <inttypes.h>
#include <string.h>

static const char *const builtin_names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};

static bool is_integer(enum kt_scalar scalar)
{
	return scalar != KT_SCALAR_NONE && !kt_scalar_is_float(scalar);
}

static void print_atom(struct kt_buf *out, const struct kt_kernel *kernel, const struct kt_atom *atom,
                       kt_atom_rename rename, void *context)
{
	const char *own = rename != NULL ? rename(atom, context) : NULL;

	if (own != NULL) {
		kt_buf_adds(out, own);
		return;
	}
	switch (atom->kind) {
	case KT_ATOM_VARIABLE:
		kt_buf_adds(out, atom->variable->name);
		break;
	case KT_ATOM_BUILTIN:
		kt_buf_addf(out, "%s.%c", builtin_names[atom->builtin], (char)('x' + atom->dimension));
		break;
	case KT_ATOM_QUOTIENT:
	case KT_ATOM_REMAINDER:
		kt_buf_addc(out, '(');
		kt_poly_print(out, kernel, atom->left, rename, context);
		kt_buf_adds(out, atom->kind == KT_ATOM_QUOTIENT ? ") / (" : ") % (");
		kt_poly_print(out, kernel, atom->right, rename, context);
		kt_buf_addc(out, ')');
		break;
	case KT_ATOM_OPAQUE:
		kt_buf_addf(out, "(%s)", kt_tree_text(kernel, atom->node));
		break;
	}
}

/* The sign and the factor in front of a term; the factor's size. */
static uint64_t print_factor(struct kt_buf *out, const struct kt_term *term, bool first, const char *times)
{
	const uint64_t size = term->factor < 0 ? 0 - (uint64_t)term->factor : (uint64_t)term->factor;

	kt_buf_adds(out, term->factor < 0 ? (first ? "-" : " - ") : (first ? "" : " + "));
	if (size != 1 || term->count == 0)
		kt_buf_addf(out, "%" PRIu64 "%s", size, term->count > 0 ? times : "");
	return size;
}

void kt_poly_print(struct kt_buf *out, const struct kt_kernel *kernel, const struct kt_poly *poly,
                   kt_atom_rename rename, void *context)
{
	if (poly->count == 0)
		kt_buf_addc(out, '0');
	for (size_t i = 0; i < poly->count; i++) {
		const struct kt_term *term = &poly->terms[i];
		uint64_t size = print_factor(out, term, i == 0, "LL * ");

		for (size_t j = 0; j < term->count; j++) {
			bool compound = term->atoms[j]->left != NULL && (rename == NULL || rename(term->atoms[j], context) == NULL);

			if (j > 0)
				kt_buf_adds(out, " * ");
			else if (term->count > 1 && size == 1)
				kt_buf_adds(out, "(long long)");
			kt_buf_adds(out, compound ? "(" : "");
			print_atom(out, kernel, term->atoms[j], rename, context);
			kt_buf_adds(out, compound ? ")" : "");
		}
	}
}

static bool clause_atom(struct kt_buf *out, const struct kt_atom *atom)
{
	if (atom->kind == KT_ATOM_VARIABLE && atom->variable->argument >= 0 && atom->variable->writes == 0 &&
	    !atom->variable->escapes && !atom->variable->is_pointer && is_integer(atom->variable->scalar)) {
		kt_buf_adds(out, atom->variable->name);
		return true;
	}
	if (atom->kind != KT_ATOM_QUOTIENT && atom->kind != KT_ATOM_REMAINDER)
		return false;
	kt_buf_adds(out, "((");
	if (!kt_poly_clause(out, atom->left))
		return false;
	kt_buf_adds(out, atom->kind == KT_ATOM_QUOTIENT ? ") / (" : ") % (");
	if (!kt_poly_clause(out, atom->right))
		return false;
	kt_buf_adds(out, "))");
	return true;
}

bool kt_poly_clause(struct kt_buf *out, const struct kt_poly *poly)
{
	if (poly->count == 0)
		kt_buf_addc(out, '0');
	for (size_t i = 0; i < poly->count; i++) {
		const struct kt_term *term = &poly->terms[i];

		(void)print_factor(out, term, i == 0, " * ");
		for (size_t j = 0; j < term->count; j++) {
			kt_buf_adds(out, j > 0 ? " * " : "");
			if (!clause_atom(out, term->atoms[j]))
				return false;
		}
	}
	return true;
}
