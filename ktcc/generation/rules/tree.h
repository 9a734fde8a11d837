/*
 * The kernel as the rules see it: a tree over its own text. Every node is a range of the text with its children inside, so what
 * is not changed prints as the user wrote it, comments and blanks included; a rule replaces single nodes (write.h). ktcc-clang
 * lifts the tree out of libclang's (clang_tools/lift.c); nothing here knows libclang.
 *
 * The text is the kernel's for one instance: template parameters are concrete.
 * Everything lives in one arena.
 */
#ifndef KT_RULES_TREE_H
#define KT_RULES_TREE_H

#include "base/region.h"

enum kt_tree_kind {
	/* Expressions. Parentheses and implicit conversions are looked through by kt_tree_bare. */
	KT_TREE_REFERENCE, /* a variable: variable */
	KT_TREE_BUILTIN,   /* threadIdx.x …: builtin */
	KT_TREE_INTEGER,   /* an integer literal: value */
	KT_TREE_LITERAL,   /* any other literal */
	KT_TREE_UNARY,     /* operator_, one child; a postfix one is "x++", "x--" */
	KT_TREE_BINARY,    /* operator_, two children; "," too */
	KT_TREE_ASSIGN,    /* operator_ "=", "+=" …, two children */
	KT_TREE_CHOOSE,    /* three children */
	KT_TREE_INDEX,     /* base[index] */
	/* name; children: the callee, then the arguments; operators of classes are calls without a callee child */
	KT_TREE_CALL,
	KT_TREE_CAST,      /* type; one child */
	KT_TREE_MEMBER,    /* name; one child */
	KT_TREE_PAREN,
	KT_TREE_OTHER,     /* anything else: children are what was found in it */
	/* Statements. */
	KT_TREE_BLOCK,
	KT_TREE_DECLARE,   /* children: KT_TREE_VARIABLE */
	KT_TREE_VARIABLE,  /* variable; a child: the initialiser */
	KT_TREE_IF,        /* condition, then, else (may be absent) */
	KT_TREE_FOR,       /* four children, NULL where absent: initialisation, condition, step, body */
	KT_TREE_WHILE,     /* condition, body */
	KT_TREE_DO,        /* body, condition */
	KT_TREE_RETURN, KT_TREE_BREAK, KT_TREE_CONTINUE,
	KT_TREE_EMPTY,
	KT_TREE_STATEMENT, /* a statement that is read no further */
};

enum kt_builtin_index {
	KT_THREAD_INDEX, KT_BLOCK_INDEX, KT_BLOCK_EXTENT, KT_GRID_EXTENT,
	KT_GLOBAL_INDEX, KT_GLOBAL_EXTENT, /* OpenCL: of all threads; a polynomial has the others in their place */
};

/* A variable of the kernel: a parameter, a local, or something outside. */
struct kt_tree_variable {
	const char *name;
	const char *type;         /* concrete, as C++ spells it */
	const char *bare;         /* the same type without its own const and volatile, under any name */
	enum kt_scalar scalar;    /* of a number, or of what a pointer or array leads to; NONE: neither */
	unsigned element_bytes;   /* of what a pointer or array leads to; 0: unknown */
	int argument;             /* position in the signature; −1: none */
	bool is_reference;
	bool leads;               /* to memory of others: a pointer, a reference, an array of pointers */
	bool is_unsized;          /* an array without an extent: extern int x[] */
	bool is_pointer, is_array, is_const, is_restrict, is_shared, is_local;
	bool is_constant;         /* from outside: an array or a number that no kernel may write, const or __constant__ */
	bool is_volatile;         /* it, or what it leads to or is made of: every access must stay */
	bool points_to_const;
	bool is_enumeration;      /* an enumerator, which no number becomes without a cast */
	bool is_own;              /* the project declares it, no system header does */
	struct kt_tree *declaration; /* KT_TREE_VARIABLE; NULL: parameter or outside */
	/* Counted over the whole body. */
	size_t writes;            /* assignments and increments after the declaration */
	bool escapes;             /* its address is taken, or a reference to it is */
	const char *element;      /* C++ type of what a pointer or array leads to, without const; NULL: unknown */
};

/* What a call may do to an argument that it takes by reference. */
enum kt_passing { KT_PASS_VALUE, KT_PASS_FILLED /* written before it is read */, KT_PASS_CHANGED };

struct kt_tree {
	enum kt_tree_kind kind;
	enum kt_passing passing;  /* of a call's argument */
	struct kt_range range;    /* without the semicolon for expressions; statements end after theirs */
	/* it comes out of a macro: its text stands for all of it, its children cannot be replaced */
	bool in_macro;
	size_t count;
	struct kt_tree **children;
	struct kt_tree *parent;
	const char *operator_;    /* "+", "<=" … ; NULL when unknown */
	const char *name;         /* callee, member */
	/*
	 * Of a call: the name of a function that the language, its library or the toolkit declares, by which the rules
	 * know what it does; "" for any other function, whatever its name. Never NULL.
	 */
	const char *known;
	const char *type;         /* of a cast: the type it leads to */
	enum kt_scalar scalar;    /* type of an expression when it is a number */
	struct kt_tree_variable *variable;
	/* of a call: what is done there, or what it is given, cannot be read, or may depend on the thread index */
	bool opaque;
	bool reaches;             /* of a call: of an object, kt_callee_reaches; of any function, through a pointer in an object */
	bool keeps_object;        /* of a call of an object: its operator() is const, and no member mutable */
	bool gives_part;          /* of a class's operator[]: a reference to a part of the object */
	bool names_type;          /* EMPTY: a name for a type, or a question to the compiler, which ends with its block */
	bool is_lambda;           /* OTHER: a return in its body ends a call of it, not the kernel */
	bool is_cached;           /* a load through the read-only cache, `__ldg(&x[i])`: it may miss what the kernel wrote */
	struct kt_kernel *callee; /* of a call: the function, where its definition can be read; its parameters come first */
	enum kt_builtin_index builtin;
	unsigned dimension;       /* of a builtin: 0 x, 1 y, 2 z */
	bool has_value;           /* an integer literal, or a constant that is one */
	int64_t value;
};

/* The user's line of an offset; lines after it count on. */
struct kt_line_at {
	uint32_t offset, line;
};

/* A macro that the kernel's file sees, whether the kernel uses it or not. */
struct kt_tree_macro {
	const char *name, *body;
	bool is_function;
};

/* One instance of a kernel with what is known about it; or a function that it calls. */
struct kt_kernel {
	struct kt_arena *arena;
	const struct kt_region *region;
	size_t instance;
	const char *text;         /* that ranges are offsets into */
	size_t size;
	size_t mark_count;
	const struct kt_line_at *marks; /* the user's lines, ascending */
	size_t step_count;
	/* a launch region put into one kernel: where the text of each kernel begins; 0: a kernel */
	const uint32_t *steps;
	struct kt_tree *body;     /* KT_TREE_BLOCK */
	/* of a called function: kt_callee_synchronises, once it is known */
	enum { KT_MEETING_UNKNOWN, KT_MEETING_NONE, KT_MEETING_SOME } meeting;
	enum { KT_REACHING_UNKNOWN, KT_REACHING_NONE, KT_REACHING_SOME } reaching; /* the same for kt_callee_reaches */
	/* of a called function that a copy can be made of, else empty: all of it, its name */
	struct kt_range definition, name;
	size_t variable_count;
	struct kt_tree_variable **variables; /* the parameters first, in order */
	/* declarations that the text needs in a plain function: "using T = __half;\n"; "" mostly */
	const char *prologue;
	size_t called_count;
	const char **called;      /* functions of the project that the kernel calls, by name */
	size_t macro_count;
	const struct kt_tree_macro *macros; /* of the project, and of the command line */
	size_t declared_count;
	const char *const *declared; /* what the project declares outside of functions, where the kernel's text can name it */
};

/* Looks through parentheses, casts that keep a number's value class are kept. */
struct kt_tree *kt_tree_bare(struct kt_tree *node);
bool kt_tree_is(const struct kt_tree *node, enum kt_tree_kind kind, const char *operator_);
/* The text of a node, without changes. */
const char *kt_tree_text(const struct kt_kernel *kernel, const struct kt_tree *node);
/* Calls visit on the node and everything below it, in order; stops on false. NULL children are passed over. */
typedef bool (*kt_tree_visit)(struct kt_tree *node, void *context);
bool kt_tree_walk(struct kt_tree *node, kt_tree_visit visit, void *context);
bool kt_tree_contains(const struct kt_tree *outer, const struct kt_tree *inner);
/* Does the variable occur below? */
bool kt_tree_uses(const struct kt_tree *node, const struct kt_tree_variable *variable);
/* Is the node written to: the target of an assignment or increment? `*reads`: and read as well. */
bool kt_tree_is_target(const struct kt_tree *node, bool *reads);
/* Is it the variable by itself, in parentheses or not? */
bool kt_tree_is_variable(struct kt_tree *node, const struct kt_tree_variable *variable);
/*
 * For kt_tree_walk. Does nothing in a loop's body (context: the loop; NULL: any statement) return, or break or continue
 * what is outside of it? Does nothing set a variable (context)?
 */
bool kt_tree_stays_inside(struct kt_tree *node, void *loop);
/* Is it a return that ends the function itself, not a lambda in it? */
bool kt_tree_is_return(const struct kt_tree *node);
/* Is it `return;`, in blocks or not? */
bool kt_tree_only_returns(const struct kt_tree *node);
bool kt_tree_does_not_set(struct kt_tree *node, void *variable);
/* The statement that holds an expression, a child of a block or of control flow. */
struct kt_tree *kt_tree_statement(struct kt_tree *node);
/* Is the expression a statement, whose value is not used? */
bool kt_tree_is_statement(const struct kt_tree *node);
/* Is every use of the variable below the root inside of the node? */
bool kt_tree_uses_inside(struct kt_tree *root, const struct kt_tree *inside, const struct kt_tree_variable *variable);
/* Is it `v++` or `v += 1`? */
bool kt_tree_is_step(const struct kt_tree *step, const struct kt_tree_variable *v);
/*
 * The variable of a for and its first value: `int k = FIRST`, or `k = FIRST` (*assigned) where k is a local that no
 * other part of the body uses. NULL: the loop begins otherwise.
 */
struct kt_tree *kt_tree_loop_first(struct kt_tree *loop, struct kt_tree *body, struct kt_tree_variable **v,
				   bool *assigned);
/* 1-based line of the user's file. */
uint32_t kt_tree_line(const struct kt_kernel *kernel, const struct kt_tree *node);

#endif
