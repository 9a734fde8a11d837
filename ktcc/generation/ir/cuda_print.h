/* What the files of the CUDA printer share: cuda.c (functions, statements), cuda_control.c (loops, jumps), cuda_fold.c
 * (what is printed inside of what), cuda_value.c (values, places), cuda_name.c (names, types). */
#ifndef KT_IR_CUDA_PRINT_H
#define KT_IR_CUDA_PRINT_H

#include "generation/ir/cuda.h"

/* How tightly a printed expression binds, as C++ has it. */
enum kt_ir_binding {
	KT_IR_BIND_CHOICE = 20,
	KT_IR_BIND_EITHER = 29,
	KT_IR_BIND_BOTH,
	KT_IR_BIND_OR = 38,
	KT_IR_BIND_XOR,
	KT_IR_BIND_AND,
	KT_IR_BIND_EQUAL = 45,
	KT_IR_BIND_LESS = 50,
	KT_IR_BIND_SHIFT = 60,
	KT_IR_BIND_SUM = 70,
	KT_IR_BIND_PRODUCT = 80,
	KT_IR_BIND_UNARY = 90,
	KT_IR_BIND_PRIMARY = 100,
};

enum { KT_IR_MOST_AROUND = 256 };

struct kt_ir_label {
	const struct kt_ir_statement *loop;
	bool is_break;
};

/* A name that is in use. */
struct kt_ir_taken {
	const char *name;
	unsigned next; /* name_2 up to the one before name_next are taken as well */
	struct kt_ir_taken *others;
};
enum { KT_IR_TAKEN_LISTS = 1024 };

struct kt_ir_cuda {
	struct kt_buf *out;
	const struct kt_ir_module *module;
	const struct kt_ir_cuda_options *options;
	struct kt_arena *arena; /* of names, for the time of printing */
	const char **names;     /* by symbol id */
	struct kt_ir_taken **taken; /* by the hash of the name, KT_IR_TAKEN_LISTS of them */
	size_t global_count;
	int depth;
	/* By symbol id, of the function that is printed (cuda_fold.c): */
	unsigned *reads, *sets;
	const struct kt_ir_statement **pending; /* might be inlined into a statement that follows */
	const struct kt_ir_statement **folded;  /* printed where the symbol is read */
	const struct kt_ir_function **quiet; /* functions that only compute */
	size_t quiet_count;
	const struct kt_ir_statement *previous; /* in front of the one that is printed */
	/* Loops and switches around, outermost first: what a jump leads to. */
	const struct kt_ir_statement **around;
	size_t around_count;
	struct kt_ir_label *labels;
	size_t label_count;
	bool failed;
	struct kt_error *err;
};

/* Sets the first error. */
void kt_ir_cuda_fail(struct kt_ir_cuda *p, const char *format, ...) KT_PRINTF(2, 3);
/* The name of the symbol, given at its first use. */
const char *kt_ir_cuda_name(struct kt_ir_cuda *p, const struct kt_ir_symbol *symbol);
/* A name that nothing else has. */
const char *kt_ir_cuda_unique(struct kt_ir_cuda *p, const char *wanted);
/* Names of functions, structures and keywords are taken; symbols of functions are forgotten. */
void kt_ir_cuda_start_names(struct kt_ir_cuda *p);
/* "float *const", with the declarator where it belongs: "float (*x)[4]". declarator may be "". */
void kt_ir_cuda_declare(struct kt_ir_cuda *p, const struct kt_ir_type *type, const char *declarator);
void kt_ir_cuda_type(struct kt_ir_cuda *p, const struct kt_ir_type *type);
/* The name of the toolkit's vector type, such as "float4"; NULL: none. */
const char *kt_ir_cuda_vector(const struct kt_ir_type *type);

/* Decides which lets of the function are printed where they are used. */
void kt_ir_cuda_fold(struct kt_ir_cuda *p, const struct kt_ir_function *f);
/* Notes whether the function only computes: it reads memory at most. Functions that it calls have been judged. */
void kt_ir_cuda_judge(struct kt_ir_cuda *p, const struct kt_ir_function *f);
/* Is the symbol's value printed where it is read? */
bool kt_ir_cuda_is_inline(const struct kt_ir_cuda *p, const struct kt_ir_symbol *symbol);
/* Is the statement printed where its symbol is read, and not here? */
bool kt_ir_cuda_is_folded(const struct kt_ir_cuda *p, const struct kt_ir_statement *s);

/* A line break and the indentation. */
void kt_ir_cuda_start(struct kt_ir_cuda *p);
void kt_ir_cuda_region(struct kt_ir_cuda *p, const struct kt_ir_region *r);
/* The region in braces. */
void kt_ir_cuda_block(struct kt_ir_cuda *p, const struct kt_ir_region *r);
void kt_ir_cuda_for(struct kt_ir_cuda *p, const struct kt_ir_statement *s);
void kt_ir_cuda_loop(struct kt_ir_cuda *p, const struct kt_ir_statement *s);
void kt_ir_cuda_switch(struct kt_ir_cuda *p, const struct kt_ir_statement *s);
void kt_ir_cuda_jump(struct kt_ir_cuda *p, const struct kt_ir_statement *s);
/* `x = value`, or `x op= value`, without a semicolon. */
void kt_ir_cuda_assign(struct kt_ir_cuda *p, const struct kt_ir_statement *s);
/* Is the store one to what the load in front of it has loaded: `place = place op value`? */
bool kt_ir_cuda_adds(const struct kt_ir_statement *load, const struct kt_ir_statement *s);
/* Prints a store as `place op= value`, without a semicolon, where it is one. */
bool kt_ir_cuda_store_back(struct kt_ir_cuda *p, const struct kt_ir_statement *s);
/* What the load or call gives, without its result's name. */
void kt_ir_cuda_called(struct kt_ir_cuda *p, const struct kt_ir_statement *s);
void kt_ir_cuda_loaded(struct kt_ir_cuda *p, const struct kt_ir_statement *s);

/* Prints the value, in parentheses where it binds less tightly than least. */
void kt_ir_cuda_value(struct kt_ir_cuda *p, const struct kt_ir_value *value, int least);
/* Prints the place as an lvalue. */
void kt_ir_cuda_place(struct kt_ir_cuda *p, const struct kt_ir_place *place);
void kt_ir_cuda_arguments(struct kt_ir_cuda *p, const struct kt_ir_value *const *list, size_t count);

#endif
