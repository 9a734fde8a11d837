/*
 * Integer expressions of a kernel as polynomials: sums of products of atoms
 * with constant factors. Two expressions that have the same polynomial have the
 * same value wherever neither overflows; what an index is affine in can be read
 * off. Locals that are set once are looked through.
 *
 * An atom is a variable, threadIdx.x and its kin, a quotient or remainder of
 * polynomials, or anything else as it is written.
 */
#ifndef KT_RULES_POLY_H
#define KT_RULES_POLY_H

#include "generation/rules/tree.h"

enum { KT_POLY_TERMS = 24, KT_POLY_ATOMS = 4 };

struct kt_poly;
enum kt_atom_kind { KT_ATOM_VARIABLE, KT_ATOM_BUILTIN, KT_ATOM_QUOTIENT, KT_ATOM_REMAINDER, KT_ATOM_OPAQUE };
struct kt_atom {
	enum kt_atom_kind kind;
	const struct kt_tree_variable *variable;
	enum kt_builtin_index builtin;
	unsigned dimension;
	const struct kt_poly *left, *right; /* of a quotient or remainder */
	const struct kt_tree *node;         /* opaque, quotient, remainder: its place */
};

struct kt_term {
	int64_t factor;
	size_t count;
	const struct kt_atom *atoms[KT_POLY_ATOMS]; /* sorted, with repetition */
};

struct kt_poly {
	size_t count;
	struct kt_term terms[KT_POLY_TERMS]; /* sorted; no factor is 0 */
};

/* Knows the atoms, so that equal ones are one. */
struct kt_polys {
	const struct kt_kernel *kernel;
	size_t atom_count;
	struct kt_atom **atoms;
};

/* The polynomial of an expression, in the kernel's arena; an expression that is none is one opaque atom.
 * NULL: no memory. */
const struct kt_poly *kt_poly_of(struct kt_polys *polys, struct kt_tree *node);
const struct kt_poly *kt_poly_constant(struct kt_polys *polys, int64_t value);
bool kt_poly_equal(const struct kt_poly *a, const struct kt_poly *b);
/* a + factor · b. NULL: too long. */
const struct kt_poly *kt_poly_add(struct kt_polys *polys, const struct kt_poly *a, const struct kt_poly *b,
                                  int64_t factor);
/*
 * Is what a local is declared with still its value wherever it can be named? False where a variable in there is set
 * again in the same scope.
 */
bool kt_value_is_kept(const struct kt_tree_variable *local);
/* a · b, a / b as C divides, and the variable itself. NULL: too long, or no memory. */
const struct kt_poly *kt_poly_multiply(struct kt_polys *polys, const struct kt_poly *a, const struct kt_poly *b);
const struct kt_poly *kt_poly_divide(struct kt_polys *polys, const struct kt_poly *a, const struct kt_poly *b);
const struct kt_poly *kt_poly_variable(struct kt_polys *polys, const struct kt_tree_variable *variable);
/*
 * launched.c: threads of the original launch along a dimension, over the kernel's arguments; `blocks_only`: its blocks. A
 * variant runs for launches of exactly that geometry, so what the launch has is known in the kernel. NULL: the clauses use more
 * than arguments, or a launch computes a variable of theirs in another way.
 */
const struct kt_poly *kt_launched_extent(struct kt_polys *polys, unsigned dimension, bool blocks_only);
/* Is it this constant? */
bool kt_poly_is(const struct kt_poly *poly, int64_t value);
/* Is it a constant? NULL is none. */
bool kt_poly_is_number(const struct kt_poly *poly, int64_t *value);
/* Does visit hold for every node and variable that the polynomial is made of, those inside of atoms too? */
typedef bool (*kt_atom_visit)(const struct kt_atom *atom, void *context);
bool kt_poly_every(const struct kt_poly *poly, kt_atom_visit visit, void *context);
/* For it: another atom than the variable `context`? */
bool kt_atom_is_other(const struct kt_atom *atom, void *context);
/*
 * Could the atom have another value in another iteration of the loop (or any
 * statement), or at another place in it? `inside`: its whole statement.
 */
bool kt_atom_varies(const struct kt_atom *atom, const struct kt_tree *inside);
bool kt_poly_varies(const struct kt_poly *poly, const struct kt_tree *inside);

/*
 * Appends as C++ of 64 bits: "(long long)b * stride + d". rename gives text for
 * an atom, or NULL for its own.
 */
typedef const char *(*kt_atom_rename)(const struct kt_atom *atom, void *context);
void kt_poly_print(struct kt_buf *out, const struct kt_kernel *kernel, const struct kt_poly *poly,
                   kt_atom_rename rename, void *context);
/* Appends in the pragma's language, over scalar arguments only. False: it holds something else. */
bool kt_poly_clause(struct kt_buf *out, const struct kt_poly *poly);

#endif
