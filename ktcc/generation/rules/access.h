/*
 * What a distributed loop does to memory, and in what its iterations depend on each other.
 */
#ifndef KT_RULES_ACCESS_H
#define KT_RULES_ACCESS_H

#include "generation/rules/loops.h"

struct kt_access {
	struct kt_tree *node;                 /* x[i] or *(x + i) */
	const struct kt_tree_variable *root;  /* the argument, shared or local array it leads to */
	const struct kt_poly *index;          /* elements from the root's begin */
	bool reads, writes, atomic;
	bool conditional;                     /* not in every iteration, or several times in one */
	size_t order;                         /* in the order of the text */
};

/* A variable from outside that the iterations change without setting it first. */
enum kt_fold_kind {
	KT_FOLD_NONE, KT_FOLD_SUM, KT_FOLD_PRODUCT, KT_FOLD_MAX, KT_FOLD_MIN, KT_FOLD_AND, KT_FOLD_OR,
	KT_FOLD_FIRST_MAX, KT_FOLD_FIRST_MIN, /* of two variables together, value and place: pairs.c alone finds them */
};
struct kt_fold {
	const struct kt_tree_variable *variable;
	enum kt_fold_kind kind;               /* NONE: something else */
};

struct kt_effects {
	size_t access_count;
	struct kt_access *accesses;           /* to global and shared memory */
	size_t fold_count;
	struct kt_fold *folds;
	struct kt_tree *barrier;              /* a call in which threads synchronise, or NULL */
	struct kt_tree *leaves;               /* return, or break out of the scope; NULL: none */
	struct kt_tree *skips;                /* continue */
	struct kt_tree *unknown;              /* memory or a call that cannot be analysed; NULL: none */
	struct kt_tree *opaque;               /* the same, which may be memory that other iterations use; NULL: none */
};

/*
 * The call of an atomic function whose first argument, `&x[i]`, is the access; NULL: it is none, or another argument.
 */
struct kt_tree *kt_access_atomic(const struct kt_access *access);
/*
 * fold_of.c: the kind of reduction that an assignment is a step of: `s += e`, `s = s + e`, `m = fmaxf(m, e)`. KT_FOLD_NONE:
 * none.
 */
enum kt_fold_kind kt_fold_of(struct kt_tree *write, const struct kt_tree_variable *v);
/*
 * May values of this type be added up in another order, in a variable of type `scalar`? `int s; s += 0.5f` drops a
 * part at each step, and a bool is 1 however often one is added. Floating point rounds: that is within tolerances.
 */
bool kt_fold_is_exact(const struct kt_tree *value, enum kt_scalar scalar);
/* Have values of a type one order with what a maximum or minimum of type `call` compares them as? */
bool kt_fold_compares(enum kt_scalar call, enum kt_scalar scalar);
/*
 * Is the reduction of converted values the converted reduction, for any partial results? A sum of floats that is cut to an
 * integer is not, nor is a maximum of integers that lose their high bits.
 */
bool kt_fold_converts(enum kt_fold_kind kind, enum kt_scalar from, enum kt_scalar to);
/* Of the statements [first, end) of scope, or of the scope itself where it is no block. */
kt_status kt_effects_read(struct kt_effects *out, struct kt_polys *polys, struct kt_tree *scope, size_t first,
                          struct kt_error *err) KT_MUST_CHECK;
/* `anew.c`: takes out of the reductions each variable that the scope sets first in every iteration. */
void kt_effects_drop_set_anew(struct kt_effects *effects, struct kt_polys *polys, struct kt_tree *scope, size_t first);
/*
 * Do threads wait for each other in this call, or may it depend on the thread index? In what the function calls itself too,
 * where its definition can be read; where it cannot, it may.
 */
bool kt_call_synchronises(const struct kt_tree *call);
/* What people are told about such a call; `meets`: where threads are known to. */
const char *kt_synchronisation_detail(const struct kt_tree *where, const char *meets);
/* The same of what a function does, which has a body. */
bool kt_callee_synchronises(struct kt_kernel *callee);
/* Is it a function of the language by which threads synchronise, or exchange values? */
bool kt_call_is_meeting(const struct kt_tree *call);
/*
 * calls.c: may the statement's calls be made by several threads instead of one? They give values alone: of functions
 * that are known to, or whose definition changes nothing but its own variables. What the statement itself writes is
 * not asked.
 */
bool kt_calls_are_harmless(struct kt_tree *node);
/* Does the function, which has a body, change nothing but its own variables? */
bool kt_callee_keeps_others(const struct kt_kernel *callee);
/*
 * Does the function, which has a body, use variables that are neither its own nor constants, other than through its
 * parameters: a lambda's captures, memory from outside?
 */
bool kt_callee_reaches(struct kt_kernel *callee);
/*
 * Is every place where the block's index can be asked for in the kernel's own text? Not so where a function that
 * cannot be read is called, or one that asks, or where what makes an object is not seen.
 */
bool kt_calls_are_in_sight(struct kt_tree *node);
/* The pointer's root and offset in elements. False: it leads nowhere that is known. */
bool kt_access_resolve(const struct kt_tree_variable **root, const struct kt_poly **offset, struct kt_polys *polys,
                       struct kt_tree *pointer);
/*
 * Could the two roots overlap at a launch? False where __restrict__, const data or their
 * kinds forbid it. A pointer may lead to a device symbol.
 */
bool kt_roots_may_alias(const struct kt_tree_variable *a, const struct kt_tree_variable *b);

#endif
