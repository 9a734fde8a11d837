/*
 * What the files of the front share. A function that lowers returns NULL or false where it does not understand: it has
 * called kt_lower_cannot then, and the statement around becomes opaque.
 */
#ifndef KT_CLANG_LOWER_INTERNAL_H
#define KT_CLANG_LOWER_INTERNAL_H

#include "lower.h"
#include "operators.h"

/* ---- What is in front of the file ---- */

#define KT_LOWER_DEVICE_HEADER "ktune_lowered_device.h"
/* Annotations. */
#define KT_LOWER_BOUNDS "ktune bounds "
#define KT_LOWER_INLINE "ktune inline"
#define KT_LOWER_NOINLINE "ktune noinline"
enum { KT_LOWER_PRELUDE_LINES = 2, KT_LOWER_HEADERS = 2 };
/* lower_headers.c: false where clang's own headers are not known. */
bool kt_lower_headers(struct CXUnsavedFile files[KT_LOWER_HEADERS], struct kt_scan *scan);
/* lower_groups.c: the folder with headers for cooperative groups in plain CUDA; NULL: it is not installed. */
const char *kt_lower_groups(struct kt_scan *scan);
/* Is it a class of these? Without data it is a number that is never read: the text of a variant names none of them. */
bool kt_lower_is_group(CXCursor class);

/* ---- What is found by its declaration ---- */

struct kt_lower_map {
	struct kt_lower_slot {
		CXCursor cursor;
		void *value;
		bool used;
	} * slots;
	size_t room, count; /* `room`: a power of two, or 0 */
};
void *kt_lower_find(const struct kt_lower_map *map, CXCursor cursor);
/* False: out of memory. Replaces what is there. */
bool kt_lower_put(struct kt_lower_map *map, struct kt_arena *arena, CXCursor cursor, void *value);

/* A variable or parameter of the function in work. */
struct kt_lower_variable {
	CXCursor cursor;
	struct kt_ir_symbol *symbol;
	bool is_reference; /* the symbol is a pointer to what is meant */
};

/* ---- State ---- */

/* A lambda, and what its text names of the function around. */
struct kt_lower_lambda {
	CXCursor expression;
	size_t count;
	struct kt_lower_variable **captured;
	bool is_copy;                      /* by value, else by reference */
	const struct kt_ir_value **values; /* of copies */
};

/* What the pretty-printed text of a function tells that no cursor does. */
struct kt_lower_printed {
	size_t loop_count;
	int *unrolls; /* of each loop, in order; as kt_ir_statement.unroll */
	uint32_t max_threads, min_blocks;
	bool is_noinline, is_forceinline;
};

struct kt_lower_body {
	CXCursor cursor; /* the function */
	struct kt_ir_function *function;
	struct kt_ir_region *region;   /* where statements go */
	struct kt_lower_map variables; /* struct kt_lower_variable */
	struct kt_lower_map in_memory; /* found to need memory; kept for the next time */
	struct kt_lower_map assigned;  /* arguments of a kernel that it assigns to */
	bool again;                    /* something was found: lower it once more */
	struct kt_lower_printed printed;
	size_t loops;                      /* met so far */
	unsigned loop_depth, switch_depth; /* switch_depth: since the innermost loop */
	CXType result;
	struct kt_lower_map lambdas;          /* struct kt_lower_lambda, by variable */
	const struct kt_lower_lambda *lambda; /* whose function this is; NULL: of none */
};

struct kt_lower {
	struct kt_arena *arena;
	struct kt_scan *scan;
	CXTranslationUnit unit;
	CXFile main_file;
	CXCursor kernel; /* that is lowered */
	struct kt_ir_module *module;
	struct kt_lower_map functions, classes, globals; /* of the module */
	struct kt_lower_map working;                     /* functions that are being lowered */
	const struct kt_ir_type **with_defaults;         /* structures whose members have initialisers */
	size_t with_default_count;
	struct kt_lower_body *body;
	const char **uses; /* variables of namespaces, qualified */
	size_t use_count;
	struct kt_lowered_class *named; /* structures */
	size_t named_count;
	const char *why;
	struct kt_lower_reason {
		const struct kt_ir_statement *statement;
		const char *why;
	} * reasons; /* of opaque statements; of some that are thrown away as well */
	size_t reason_count;
	struct kt_lower_error *errors; /* of the unit, read once; NULL: not read yet */
	size_t error_count;
	bool escapes; /* an opaque statement holds a jump that leads out of it */
	bool failed;  /* out of memory */
};

/*
 * lower_error.c: is there an error in the function's text? The tree does not have what is wrong there. Notes libclang's
 * message.
 */
bool kt_lower_has_error(struct kt_lower *l, CXCursor function);
/* Notes why; returns NULL. */
void *kt_lower_cannot(struct kt_lower *l, const char *format, ...) KT_PRINTF(2, 3);

/* ---- lower_cursor.c, lower_class.c: questions about cursors and types ---- */

enum { KT_LOWER_MOST_CHILDREN = 1024 };
struct kt_lower_children {
	CXCursor *items;
	size_t count;
};
/* All children; of expressions, references of types, templates and namespaces are left out. */
struct kt_lower_children kt_lower_children(struct kt_lower *l, CXCursor cursor);
bool kt_lower_has_child(struct kt_lower *l, CXCursor cursor, enum CXCursorKind kind);
/* Of calls without a value. */
const struct kt_ir_value *kt_lower_done(struct kt_lower *l);
const char *kt_lower_text(struct kt_lower *l, CXString string);
const char *kt_lower_spelling(struct kt_lower *l, CXCursor cursor);
CXType kt_lower_canonical(CXCursor cursor);
/* Is it declared in a header of the toolkit or the system? */
bool kt_lower_is_system(CXCursor declaration);
/* Does the expression denote an object, and not a value? */
bool kt_lower_is_lvalue(struct kt_lower *l, CXCursor expression);
CXCursor kt_lower_referenced(CXCursor expression);
/* The function that a call is of, also where a template argument names it. */
CXCursor kt_lower_called(CXCursor call);
/* Where the class's members are shown: of an instance, its template. */
CXCursor kt_lower_members(CXCursor class);
/* Its fields, with the types that they have. */
struct kt_lower_children kt_lower_fields(struct kt_lower *l, CXType class);
bool kt_lower_is_class(CXType type);
/* May objects be copied and destroyed, and besides assigned to, or made without a value, as bytes? */
enum kt_lower_doing { KT_LOWER_COPIED, KT_LOWER_ASSIGNED, KT_LOWER_MADE };
bool kt_lower_is_plain(struct kt_lower *l, CXType type, enum kt_lower_doing doing);
/* Without parentheses and what means nothing. */
CXCursor kt_lower_bare(struct kt_lower *l, CXCursor expression);
/* Can evaluating the expression set a local that the value reads? */
bool kt_lower_sets(struct kt_lower *l, CXCursor expression, const struct kt_ir_value *value);
uint32_t kt_lower_line(const struct kt_lower *l, CXCursor cursor);
/* The declaration, pretty printed. */
const char *kt_lower_printed(struct kt_lower *l, CXCursor declaration);

/* ---- lower_type.c ---- */

const struct kt_ir_type *kt_lower_type(struct kt_lower *l, CXType type);
bool kt_lower_has_defaults(const struct kt_lower *l, const struct kt_ir_type *type);
/* The field's place in the IR's structure; −1: not understood. */
int kt_lower_field(struct kt_lower *l, const struct kt_ir_type *type, CXCursor field);
/* The value as that type: pointers by their targets' qualifiers and spaces, numbers as C++ converts them. */
const struct kt_ir_value *kt_lower_as(struct kt_lower *l, const struct kt_ir_value *value,
				      const struct kt_ir_type *type);
const struct kt_ir_value *kt_lower_zero(struct kt_lower *l, const struct kt_ir_type *type);
/* What arithmetic of narrow integers is done in. */
const struct kt_ir_type *kt_lower_promoted(struct kt_lower *l, const struct kt_ir_type *type);
const struct kt_ir_type *kt_lower_common(struct kt_lower *l, const struct kt_ir_type *a, const struct kt_ir_type *b);

/* ---- lower_place.c ---- */

struct kt_lower_place {
	const struct kt_ir_type *type;
	struct kt_lower_variable *variable; /* a register, or part of one */
	bool is_part;                       /* of the variable: it can be read only */
	const struct kt_ir_place *place;    /* memory */
	const struct kt_ir_value *value;    /* otherwise, and of a part: what is read */
	bool is_volatile;
};
bool kt_lower_place(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out);
/* The place in memory; a register is put into memory the next time. */
const struct kt_ir_place *kt_lower_memory(struct kt_lower *l, struct kt_lower_place *at);
const struct kt_ir_value *kt_lower_read(struct kt_lower *l, const struct kt_lower_place *at);
bool kt_lower_write(struct kt_lower *l, struct kt_lower_place *at, const struct kt_ir_value *value);
/* lower_place.c: is the first field of the structure its base class? */
bool kt_lower_has_base(const struct kt_ir_type *type);
/* What a pointer value leads to. */
bool kt_lower_target(struct kt_lower *l, const struct kt_ir_value *pointer, struct kt_lower_place *out);
/* pointer + index, in elements. */
const struct kt_ir_value *kt_lower_offset(struct kt_lower *l, const struct kt_ir_value *pointer,
					  const struct kt_ir_value *index);
/* A local in memory without a name that holds the value, or nothing yet. */
const struct kt_ir_place *kt_lower_temporary(struct kt_lower *l, const struct kt_ir_type *type,
					     const struct kt_ir_value *value);
/* The next time the variable is memory. */
void kt_lower_need_memory(struct kt_lower *l, const struct kt_lower_variable *variable);

/* ---- lower_global.c ---- */

/* `threadIdx.x` and its kin; NULL: another field. */
const struct kt_ir_value *kt_lower_axis(struct kt_lower *l, CXCursor base, CXCursor field);
/* All three as a `dim3` or `uint3`; NULL: the object is another one. */
const struct kt_ir_value *kt_lower_axes(struct kt_lower *l, CXCursor object, const struct kt_ir_type *type);
/* A __device__ or __constant__ variable of the file; NULL: it is no such thing. */
struct kt_ir_symbol *kt_lower_global(struct kt_lower *l, CXCursor variable, const struct kt_ir_type *type);
/* The value of a constant variable; NULL: it has none that is known. */
const struct kt_ir_value *kt_lower_host_constant(struct kt_lower *l, CXCursor variable, const struct kt_ir_type *type);

/* ---- lower_value.c, lower_operator.c, lower_choice.c ---- */

const struct kt_ir_value *kt_lower_value(struct kt_lower *l, CXCursor expression);
/* The child's value as another type: a conversion, written or not. */
const struct kt_ir_value *kt_lower_converted(struct kt_lower *l, CXCursor child, const struct kt_ir_type *type);
/* The value of a constant expression. */
const struct kt_ir_value *kt_lower_constant(struct kt_lower *l, CXCursor expression);
/* Evaluates for its effects alone. */
bool kt_lower_effects(struct kt_lower *l, CXCursor expression);
/* As kt_lower_value; kept from changes that evaluating `next` makes. */
const struct kt_ir_value *kt_lower_before(struct kt_lower *l, CXCursor expression, CXCursor next);
const struct kt_ir_value *kt_lower_unary(struct kt_lower *l, CXCursor expression);
const struct kt_ir_value *kt_lower_binary(struct kt_lower *l, CXCursor expression);
/* Assignments and steps: what they assign to, after they did. old: the value before a step; may be NULL. */
bool kt_lower_assignment(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out);
bool kt_lower_step(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out, const struct kt_ir_value **old);
const struct kt_ir_value *kt_lower_logic(struct kt_lower *l, CXCursor a, CXCursor b, bool is_and);
/* has_value: else for its effects alone, and any value that is not NULL is success. */
const struct kt_ir_value *kt_lower_conditional(struct kt_lower *l, CXCursor expression, bool has_value);
bool kt_lower_conditional_place(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out);
/* An arithmetic operation on values of one type. */
const struct kt_ir_value *kt_lower_arithmetic(struct kt_lower *l, const char *operator, const struct kt_ir_value * a,
					      const struct kt_ir_value *b);

/* ---- lower_init.c ---- */

/* The value of an initialiser; of a list, which has no type to convert from. */
const struct kt_ir_value *kt_lower_initial(struct kt_lower *l, const struct kt_ir_type *type, CXCursor init);
/* Fills memory. */
bool kt_lower_fill(struct kt_lower *l, const struct kt_ir_place *place, CXCursor init);

/* ---- lower_call.c, lower_extern.c, lower_intrinsic.c ---- */

/* has_value as above; a call that gives an object: kt_lower_call_place. */
const struct kt_ir_value *kt_lower_call(struct kt_lower *l, CXCursor call, bool has_value);
/* Where the arguments of an operator or function of the toolkit are understood: *is_row. */
const struct kt_ir_value *kt_lower_intrinsic(struct kt_lower *l, CXCursor call, CXCursor function, bool *is_row);
/* lower_assembly.c: the value of a function that computes it in assembly, from its arguments alone: *is_one. */
const struct kt_ir_value *kt_lower_assembly(struct kt_lower *l, CXCursor call, CXCursor function, bool *is_one);
/* Is the function one of the toolkit that has no effects except loads? */
bool kt_lower_only_computes(struct kt_lower *l, CXCursor function);
/* Does the function print, and change nothing that a kernel sees? */
bool kt_lower_only_prints(struct kt_lower *l, CXCursor function);
/* Does the function end the launch with an error, and change nothing that a kernel sees? */
bool kt_lower_only_traps(struct kt_lower *l, CXCursor function);
/* Does the function order the launch with others, and do nothing else? */
bool kt_lower_only_orders(struct kt_lower *l, CXCursor function);
/* An assignment operator that copies: *is_copy, and what was assigned to. */
bool kt_lower_copy_assignment(struct kt_lower *l, CXCursor call, bool *is_copy, struct kt_lower_place *out);
/* Arguments of a call as cursors, the object of a member function first. */
struct kt_lower_children kt_lower_arguments(struct kt_lower *l, CXCursor call);
/* Arguments from `first` on, converted as the function's parameters want them. */
bool kt_lower_pass(struct kt_lower *l, CXCursor call, const struct kt_ir_function *f, size_t first,
		   const struct kt_lower_children *arguments, const struct kt_ir_value **values);
const struct kt_ir_value *kt_lower_call_of(struct kt_lower *l, struct kt_ir_function *f,
					   const struct kt_ir_value **values, bool has_value);
/* Of a function without a body. */
const struct kt_ir_value *kt_lower_call_extern(struct kt_lower *l, CXCursor call, CXCursor function, bool has_value);
/* Binds an expression to a reference: the address of the object. */
const struct kt_ir_value *kt_lower_reference(struct kt_lower *l, CXCursor expression, const struct kt_ir_type *type);
/* Is the constructor one that copies? Then *from is what it copies. */
bool kt_lower_is_copy(struct kt_lower *l, CXCursor call, CXCursor *from);

/* ---- lower_name.c, lower_assert.c ---- */

/* What `__PRETTY_FUNCTION__` is there; NULL: not known. */
const char *kt_lower_nvcc_name(struct kt_lower *l, CXCursor function);

/* Is it a string literal, with or without conversions? */
bool kt_lower_is_text(struct kt_lower *l, CXCursor expression);

/*
 * Arguments of a function that prints or ends the launch, as text for an opaque statement: literals as they are; the name of the
 * function around as nvcc gives it; the place of an assertion as "$[line]"; all others as "$0", "$1" …, which are appended to `values`. False: one is not understood.
 */
bool kt_lower_printed_arguments(struct kt_lower *l, struct kt_buf *out, const struct kt_lower_children *arguments,
				const struct kt_ir_value **values, size_t *count);

/* ---- lower_lambda.c ---- */

bool kt_lower_is_lambda(struct kt_lower *l, CXCursor init);
bool kt_lower_lambda_declared(struct kt_lower *l, CXCursor variable, CXCursor init);
/* The lambda that is called; NULL: none, or not understood. */
struct kt_lower_lambda *kt_lower_lambda_of(struct kt_lower *l, CXCursor call);
/* Parameters of its function for what it captures, and the values for them. */
bool kt_lower_add_captured(struct kt_lower *l, const struct kt_lower_lambda *lambda);
bool kt_lower_pass_captured(struct kt_lower *l, const struct kt_lower_lambda *lambda, const struct kt_ir_function *f,
			    const struct kt_ir_value **values);

/* ---- lower_statement.c, lower_opaque.c, lower_loop.c, lower_declare.c ---- */

/* False: it holds a jump that leads out of it and is not understood. */
bool kt_lower_statement(struct kt_lower *l, CXCursor statement);
bool kt_lower_for(struct kt_lower *l, CXCursor statement);
bool kt_lower_while(struct kt_lower *l, CXCursor statement);
bool kt_lower_do(struct kt_lower *l, CXCursor statement);
bool kt_lower_range(struct kt_lower *l, CXCursor statement);
bool kt_lower_switch(struct kt_lower *l, CXCursor statement);
bool kt_lower_variable_declared(struct kt_lower *l, CXCursor variable);
/* How many loops there are in it. */
size_t kt_lower_loops(CXCursor statement);
/* Lowers into another region. */
bool kt_lower_into(struct kt_lower *l, struct kt_ir_region *region, CXCursor statement);
/* An opaque statement with all effects for the cursor. */
void kt_lower_opaque(struct kt_lower *l, CXCursor statement, const char *why);
/* The symbol of a variable that is declared here; kind by its storage. */
struct kt_lower_variable *kt_lower_new_variable(struct kt_lower *l, CXCursor cursor, const struct kt_ir_type *type,
						enum kt_ir_symbol_kind kind);

/* ---- lower_function.c, lower_text.c ---- */

/* The function of the module; NULL: it has no body that can be read, or calls itself. */
struct kt_ir_function *kt_lower_function(struct kt_lower *l, CXCursor cursor, bool is_kernel,
					 const struct kt_lower_lambda *lambda);
/* A function without a body. */
struct kt_ir_function *kt_lower_extern(struct kt_lower *l, CXCursor cursor, unsigned effects);
void kt_lower_read_printed(struct kt_lower *l, CXCursor function, struct kt_lower_printed *out);
/* The variable's `aligned(n)`; 0: none. */
uint32_t kt_lower_alignment(struct kt_lower *l, CXCursor variable);

#endif
