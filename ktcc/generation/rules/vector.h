/*
 * For vectorize.c and its kin: motion.c (how an index moves with a loop), vector_text.c (the loop over groups as text)
 * and vector_keep.c (packs that stay in registers from loop to loop).
 */
#ifndef KT_RULES_VECTOR_H
#define KT_RULES_VECTOR_H

#include "generation/rules/family.h"

/* How an index moves with the loop. */
struct kt_motion {
	bool affine;           /* it is one of: */
	int64_t step;          /* elements an iteration */
	const struct kt_poly *fixed;  /* the part that does not depend on the loop's variable */
	size_t row_count;      /* terms with a quotient: the same within a group */
	struct kt_term rows[4];
	size_t division_count;
	const struct kt_atom *divisions[4];
	size_t load_count;     /* arrays from which a row's number is read */
	const struct kt_tree_variable *loads[4];
};

enum { KT_VECTOR_PACKS = 16, KT_VECTOR_DIVISIONS = 8 };

struct kt_pack {
	const struct kt_tree_variable *root;
	const struct kt_poly *index;
	const char *name;
	bool loads, stores, streams;
	const char *kept; /* the array in registers that holds it from loop to loop; NULL: none */
	bool known;       /* an earlier loop has it there */
	bool again;       /* a later loop reads it, from memory where nothing is kept */
	/* the array that the first loop of the row fills for this one, with AHEAD; NULL: none */
	const char *ahead;
	uint32_t first_read, first_write; /* where: a write's is the end of its assignment */
};

/* v / H and v % H, with one H. */
struct kt_division {
	const struct kt_atom *atom; /* of either */
	const struct kt_poly *by;
	const char *quotient, *remainder;
	bool shifts; /* with EVEN: H is a power of two */
};

struct kt_member {
	struct kt_tree *node;
	size_t pack;
};

struct kt_vector {
	const struct kt_loop *loop;
	const struct kt_effects *effects;
	size_t pack_count, division_count, member_count;
	struct kt_pack packs[KT_VECTOR_PACKS];
	struct kt_division divisions[KT_VECTOR_DIVISIONS];
	struct kt_member *members;
	struct kt_tree **quotients; /* nodes v / H and v % H, and which division each is of */
	size_t quotient_count;
	unsigned widest;          /* bytes of the widest element in a pack */
	bool wide_index;          /* the variable has 64 bits */
	size_t ahead_count;       /* packs of later loops that this one loads for them */
	struct {
		const struct kt_vector *vector;
		size_t pack;
	} aheads[KT_VECTOR_PACKS];
	bool even;                /* with EVEN guards asked for everything (kt_vector_even) */
	size_t apart_count;       /* conditions that buffers do not overlap */
	const char *aparts[KT_VECTOR_PACKS];
	size_t row_term_count;    /* products that VEC must divide */
	const struct kt_poly *row_terms[KT_VECTOR_PACKS];
};

/* motion.c */
bool kt_atom_is(const struct kt_atom *atom, const struct kt_tree_variable *v);
/* Is the polynomial the loop's own index? Items have theirs as a declaration: its value is threadIdx and its kin,
 * in every use. */
bool kt_loop_is_index(const struct kt_family *family, const struct kt_loop *loop, const struct kt_poly *poly);
/* Has it another value in another iteration of the loop? */
bool kt_loop_varies(const struct kt_loop *loop, const struct kt_atom *atom);
bool kt_loop_poly_varies(const struct kt_loop *loop, const struct kt_poly *poly);
/* The loop's index as a polynomial; NULL: no memory. */
const struct kt_poly *kt_loop_index(struct kt_family *family, const struct kt_loop *loop);
/* The polynomial without its multiple (*step) of the loop's index `self`. */
const struct kt_poly *kt_loop_take_index(struct kt_family *family, const struct kt_poly *poly,
                                         const struct kt_poly *self, int64_t *step);
/*
 * x[i / H], where the atom is that or a local that keeps it: read at an index that is the same within a group. NULL: it
 * is something else. *index: of the element.
 */
const struct kt_tree_variable *kt_loop_row_load(struct kt_family *family, const struct kt_loop *loop,
                                                const struct kt_atom *atom, const struct kt_poly **index);
void kt_motion_find(struct kt_motion *out, struct kt_family *family, const struct kt_loop *loop,
                    const struct kt_poly *index);

/* vectorize.c: the pack that an access goes through; NULL: none. */
struct kt_pack *kt_vector_pack(struct kt_vector *vector, const struct kt_access *access);

/* vector_text.c: the type of packs of a root's elements; declares it at the top of the kernel. */
const char *kt_pack_type(struct kt_family *family, const struct kt_tree_variable *root);
void kt_pack_declare(struct kt_family *family, const struct kt_tree_variable *root);

#endif
