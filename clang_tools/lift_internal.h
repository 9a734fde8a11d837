/*
 * What the parts of the lift share (lift.h has what others call). One kernel or callee is read by
 * one struct kt_lift; what is read lives in its arena. Nothing here returns an error: out of memory
 * sets `failed`, what must not be taken for understood sets `too_deep`, and either ends the reading.
 */
#ifndef KT_CLANG_LIFT_INTERNAL_H
#define KT_CLANG_LIFT_INTERNAL_H

#include "generation/rules/tree.h"
#include "libclang.h"
#include "unit.h"

/* Functions that were read already; one that calls itself is found here, and has no body yet. */
struct kt_lift_callees {
	size_t count;
	struct kt_lift_callee {
		CXCursor cursor;
		struct kt_kernel *kernel; /* NULL: it cannot be read */
	} *items;
};

/* Where headers lie that are not another library's, by their real paths; NULL: not known. */
struct kt_lift_folders {
	const char *toolkit, *compiler; /* the toolkit's, clang's own */
};

struct kt_lift {
	struct kt_kernel *kernel;
	size_t cursor_count;
	CXCursor *cursors; /* of the variables, in their order */
	CXTranslationUnit unit;
	struct kt_lift_callees *callees;
	const struct kt_lift_folders *folders;
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
 * lift_text.c: places of things in the kernel's file. For what a macro expands to, offsets are those of the macro's use;
 * `in_macro` becomes true for it, and is unchanged otherwise.
 */
uint32_t kt_lift_offset(struct kt_lift *lift, CXSourceLocation location, bool *in_macro);
struct kt_range kt_lift_range(struct kt_lift *lift, CXCursor cursor, bool *in_macro);

/*
 * Where the token at a location is spelled: in a macro's definition for what its body writes. clang_getSpellingLocation
 * reports that from version 19 on only; tokenizing works in every version. *file is NULL where nothing is.
 */
uint32_t kt_lift_spelled(struct kt_lift *lift, CXSourceLocation location, CXFile *file);

/* The string, which is released. Never NULL. */
char *kt_lift_text(struct kt_lift *lift, CXString string);

/* Is the operator all that there is between two offsets of the kernel's file, besides blanks and comments? */
bool kt_lift_is_between(struct kt_lift *lift, const char *operator, uint32_t begin, uint32_t end);

/* lift_variable.c: the variable of a declaration, one for all its uses. NULL: out of memory. */
struct kt_tree_variable *kt_lift_variable(struct kt_lift *lift, CXCursor target);

/* Writes and lost addresses of every variable. */
void kt_lift_count_uses(const struct kt_kernel *kernel, struct kt_tree *body);

/* lift_value.c: an expression. The result replaces `node`, and may be one of its children. */
struct kt_tree *kt_lift_value(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor);

/* A node of the tree whose only child spans the same text: implicit conversions. */
bool kt_lift_is_transparent(const struct kt_tree *node);

/* lift_call.c: a call, whose callee is read too where its definition is there. As kt_lift_value. */
struct kt_tree *kt_lift_call(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor);

/*
 * The name by which the rules know a function: "" where the language and the toolkit do not declare it
 * (lift_origin.c).
 */
const char *kt_lift_known(struct kt_lift *lift, CXCursor function);

/* May the function depend on the thread index or synchronise, or can that not be analysed? */
bool kt_lift_asks(struct kt_lift *lift, CXCursor function);

/* Does the call, of one that nothing else is read of? */
bool kt_lift_call_asks(struct kt_lift *lift, CXCursor cursor);

/* lift_origin.c: whose something is. The project's: no system header has it. */
void kt_lift_find_folders(struct kt_lift_folders *out, struct kt_scan *scan);
bool kt_lift_is_of_project(CXCursor cursor);
/* lift_pointers.c: does the function, or one that it calls, name a member that is a pointer or a reference? */
bool kt_lift_follows_pointers(CXCursor function);

/*
 * Is the function the language's or the toolkit's, and gives values but where it is known by its name? Other libraries
 * have functions and classes that may depend on the thread index, also those that come with the toolkit.
 */
bool kt_lift_is_of_language(struct kt_lift *lift, CXCursor function);

/* Is the class one that nothing is known about before it is read? */
bool kt_lift_is_class_to_read(struct kt_lift *lift, CXCursor class);

/* Is such a class, or a function, what the type is of: `pair<T, int> *`? */
bool kt_lift_has_class_to_read(struct kt_lift *lift, CXType type);

/* Is a function of the language made with such a class, of which it may call anything? */
bool kt_lift_takes_class_to_read(struct kt_lift *lift, CXCursor function);
bool kt_lift_is_for_device(struct kt_lift *lift, CXCursor function);

/*
 * lift_class.c: does making an object of the cursor's type do more than can be read at that place: a first value that is
 * computed in its class, a constructor that may depend on the thread index, a destructor?
 */
bool kt_lift_makes_opaque(struct kt_lift *lift, CXCursor cursor);
bool kt_lift_constructs_opaque(struct kt_lift *lift, CXCursor constructor);

/* Does an assignment of the class's objects call implicit code, by its own function or those of its members? */
bool kt_lift_assigns_opaque(struct kt_lift *lift, CXCursor class);

/* Does the compiler generate the class's function, because it is not written or `= default`? */
bool kt_lift_is_generated(CXCursor function);

/* Is it a template's parameter, but no pointer to one: `T`? */
bool kt_lift_is_parameter(struct kt_lift *lift, CXType type);
bool kt_lift_is_constant(CXCursor expression);

/* What arrays, pointers and references of the type lead to, as it is without names. */
CXType kt_lift_behind(CXType type);

/*
 * lift_load.c: a call of __ldg and its kin, or of a function that does nothing but read through its
 * only parameter, becomes the read: load(&x[i]) is x[i], load(p) is *p; it gets the text of the whole call. Other calls are
 * kept.
 */
void kt_lift_load(struct kt_tree *call);

/* lift_statement.c: a statement or a declaration; what is not known keeps its children. Returns `node`. */
struct kt_tree *kt_lift_statement(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor);

/* Statements that are expressions end after their semicolons, as others do; what contains them ends no earlier. */
void kt_lift_widen(struct kt_tree *node, const struct kt_kernel *kernel);

#endif
