/*
 * What the parts of the lift share (lift.h has what others call). One kernel or callee is read by
 * one struct kt_lift; what is read lives in its arena. Nothing here returns an error: out of memory
 * sets `failed`, what must not be taken for understood sets `too_deep`, and either ends the reading.
 */
#ifndef KT_CLANG_LIFT_INTERNAL_H
#define KT_CLANG_LIFT_INTERNAL_H

#include "generation/rules/tree.h"
#include "libclang.h"

/* Functions that were read already; one that calls itself is found here, and has no body yet. */
struct kt_lift_callees {
	size_t count;
	struct kt_lift_callee {
		CXCursor cursor;
		struct kt_kernel *kernel; /* NULL: it cannot be read */
	} *items;
};

struct kt_lift {
	struct kt_kernel *kernel;
	size_t cursor_count;
	CXCursor *cursors; /* of the variables, in their order */
	CXTranslationUnit unit;
	struct kt_lift_callees *callees;
	size_t depth;
	bool opencl; /* the language of the text */
	bool failed, too_deep;
};

struct kt_lift_cursors {
	struct kt_lift *lift;
	size_t count;
	CXCursor *cursors;
};

/* lift.c: the tree as a whole. */
struct kt_lift_cursors kt_lift_cursors_of(struct kt_lift *lift, CXCursor cursor); /* the children */
void kt_lift_adopt(struct kt_lift *lift, struct kt_tree *node, struct kt_tree *child); /* NULL: an empty place */
void kt_lift_children(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor);

/* The node for a cursor. NULL: a name alone, or it cannot be read. */
struct kt_tree *kt_lift_node(struct kt_lift *lift, CXCursor cursor);

/* Reads the parameters and the body of a function. False: not as a whole. */
bool kt_lift_body(struct kt_lift *lift, CXCursor cursor);

/*
 * lift_text.c: where things stand in the kernel's file. Of what comes out of a macro the offsets are
 * those of the macro's use; `in_macro` becomes true for it, and stays as it is otherwise.
 */
uint32_t kt_lift_offset(struct kt_lift *lift, CXSourceLocation location, bool *in_macro);
struct kt_range kt_lift_range(struct kt_lift *lift, CXCursor cursor, bool *in_macro);

/*
 * Where the token at a location is spelled: in a macro's definition for what its body writes. clang_getSpellingLocation
 * says that from version 19 on only; what is tokenized is so in every version. *file is NULL where nothing is.
 */
uint32_t kt_lift_spelled(struct kt_lift *lift, CXSourceLocation location, CXFile *file);

/* The string, which is released. Never NULL. */
char *kt_lift_text(struct kt_lift *lift, CXString string);

/* The operator between two offsets: what is there besides blanks and comments. NULL: not one operator. */
const char *kt_lift_operator_between(struct kt_lift *lift, uint32_t begin, uint32_t end);

/* The operator of an expression that a macro spells. NULL: not known. */
const char *kt_lift_operator_spelled(struct kt_lift *lift, const struct kt_tree *node, CXCursor cursor);

/* lift_variable.c: the variable of a declaration, one for all its uses. NULL: out of memory. */
struct kt_tree_variable *kt_lift_variable(struct kt_lift *lift, CXCursor target);

/* Writes and lost addresses of every variable. */
void kt_lift_count_uses(struct kt_tree *body);

/* lift_value.c: an expression. What comes back stands in the place of `node`, and may be one of its children. */
struct kt_tree *kt_lift_value(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor);

/* A node of the tree whose only child spans the same text: conversions nobody wrote. */
bool kt_lift_is_transparent(const struct kt_tree *node);

/* lift_call.c: a call, whose callee is read too where its definition is there. As kt_lift_value. */
struct kt_tree *kt_lift_call(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor);

/*
 * Is there more to an object of the cursor's type than can be read where it is made: a first value that is computed in
 * its class, a constructor that asks where a thread stands, a destructor?
 */
bool kt_lift_makes_unseen(struct kt_lift *lift, CXCursor cursor);

/*
 * lift_load.c: a call of __ldg and its kin, or of a function that does nothing but read through its
 * only parameter, becomes the read: load(&x[i]) is x[i], load(p) is *p; the whole call's text stands
 * for it. Other calls stay.
 */
void kt_lift_load(struct kt_tree *call);

/* lift_statement.c: a statement or a declaration; what is not known keeps its children. Returns `node`. */
struct kt_tree *kt_lift_statement(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor);

/* Statements that are expressions end behind their semicolons, as others do; what holds them ends no earlier. */
void kt_lift_widen(struct kt_tree *node, const struct kt_kernel *kernel);

#endif
