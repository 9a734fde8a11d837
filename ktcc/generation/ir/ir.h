/*
 * The kernel IR: a typed, structured program over symbols (docs/ir.md).
 *
 * A module owns types, symbols and functions in its arena; nothing is freed
 * alone. Types are unique: equal types are one pointer. Constructors check the
 * types of their operands and return NULL on an error or out of memory, which
 * also sets `failed` in the module and keeps the first message; NULL operands
 * give NULL, so that callers check once.
 */
#ifndef KT_IR_IR_H
#define KT_IR_IR_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct kt_ir_value;
struct kt_ir_place;
struct kt_ir_statement;

/* ---- Types ---- */

enum kt_ir_type_kind {
	KT_IR_VOID,
	KT_IR_BOOL,
	KT_IR_INTEGER, /* bits, is_signed */
	KT_IR_FLOAT,   /* format */
	KT_IR_VECTOR,  /* element, count: 2 to 4 for CUDA's vector types */
	KT_IR_ARRAY,   /* element, count; a count of -1 is an extern shared array */
	KT_IR_STRUCT,  /* name, fields */
	KT_IR_POINTER, /* element, space, is_const, is_volatile: of the target */
	KT_IR_OPAQUE,  /* size, align: copied as a whole */
};

enum kt_ir_format { KT_IR_F16, KT_IR_BF16, KT_IR_F32, KT_IR_F64 };

/* Address spaces. */
enum kt_ir_space {
	KT_IR_SPACE_GENERIC,
	KT_IR_SPACE_GLOBAL,
	KT_IR_SPACE_SHARED,
	KT_IR_SPACE_CONSTANT,
	KT_IR_SPACE_LOCAL,
};

/* The name of a field that is the base class: C++ names its members as those of the class, where it declares that. */
#define KT_IR_BASE "ktune_base"

struct kt_ir_field {
	const char *name;
	const struct kt_ir_type *type;
	uint64_t offset; /* bytes */
};

struct kt_ir_type {
	enum kt_ir_type_kind kind;
	unsigned bits; /* of an integer: 8, 16, 32, 64 or 128; of a float */
	bool is_signed, is_const, is_volatile;
	enum kt_ir_format format;
	enum kt_ir_space space;
	const struct kt_ir_type *element;
	int64_t count;
	uint64_t size;  /* bytes; 0: unknown or void */
	uint32_t align; /* bytes, a power of two */
	const char *name;
	bool is_own;         /* of a structure: the text that is printed declares it */
	bool is_constructed; /* of a structure: its class in C++ has constructors, one of which a declaration would call */
	size_t field_count;
	struct kt_ir_field *fields;
	const struct kt_ir_type *next; /* of the module's list */
};

/* ---- Symbols ---- */

enum kt_ir_symbol_kind {
	KT_IR_ARGUMENT,
	KT_IR_LOCAL_SYMBOL,  /* a variable of one thread: a scalar that is read and set, or memory */
	KT_IR_TEMPORARY,     /* assigned once, by a let */
	KT_IR_COUNTER,       /* of a for: set by its loop alone */
	KT_IR_SHARED_SYMBOL, /* memory of a block */
	KT_IR_GLOBAL_SYMBOL, /* a __device__ variable */
	KT_IR_CONSTANT_SYMBOL,
};

struct kt_ir_symbol {
	enum kt_ir_symbol_kind kind;
	uint32_t id; /* unique in its module; kept by copies */
	const struct kt_ir_type *type;
	const char *hint; /* the user's name, or ""; not unique */
	uint32_t line;    /* of the declaration in the user's file; 0: none */
	uint32_t align;   /* bytes, where it is more than the type's */
	bool is_memory;   /* a local that is read and written by places: an array, or its address is taken */
	bool is_restrict, is_volatile, is_extern, is_grid_constant;
	uint32_t copy_of; /* id + 1 of the symbol that it was copied from, whatever that was copied from; 0: it is no copy */
};

/* ---- Values ---- */

enum kt_ir_op {
#define KT_IR_OP(id, text, arity, operands, result) KT_IR_##id,
#include "generation/ir/ops.def"
	KT_IR_OP_COUNT,
};

/* What the operands of an operation are, and what it gives. */
enum kt_ir_operands {
	KT_IR_ANY,         /* checked by a separate constructor */
	KT_IR_NUMBERS,     /* integers or floats of one type */
	KT_IR_INTEGERS,    /* integers of one type */
	KT_IR_INTEGER_ANY, /* integers; the first one's type is the result's (shifts) */
	KT_IR_SCALARS,     /* of one type: numbers, bool or pointers */
	KT_IR_BOOLS,
};
enum kt_ir_gives { KT_IR_OWN, KT_IR_SAME, KT_IR_TRUTH };

struct kt_ir_op_row {
	const char *text;
	int arity; /* -1: any */
	enum kt_ir_operands operands;
	enum kt_ir_gives result;
};
extern const struct kt_ir_op_row kt_ir_ops[KT_IR_OP_COUNT];

enum kt_ir_axis { KT_IR_THREAD, KT_IR_BLOCK, KT_IR_BLOCK_DIM, KT_IR_GRID_DIM, KT_IR_LANE, KT_IR_WARP_SIZE, KT_IR_AXES };

enum kt_ir_mode {
	KT_IR_AS_VALUE, /* C++'s conversion: towards zero to integers, to nearest even to floats */
	KT_IR_AS_BITS,  /* same size, same bits */
	KT_IR_NEAREST, KT_IR_TO_ZERO, KT_IR_UP, KT_IR_DOWN,
	KT_IR_MODES,
};

/* A pure tree. Values are immutable and may be shared within a module. */
struct kt_ir_value {
	enum kt_ir_op op;
	const struct kt_ir_type *type;
	uint64_t bits[2];    /* of a constant: its bits, the rest zero; of an extract: the index */
	enum kt_ir_axis axis;
	unsigned dimension;  /* of an axis: 0 to 2 */
	enum kt_ir_mode mode; /* of a convert */
	bool no_wrap;        /* signed overflow is undefined */
	const char *name;    /* of a parameter of the configuration, of an intrinsic */
	const struct kt_ir_symbol *symbol; /* of a read */
	const struct kt_ir_place *place;   /* of an address */
	size_t count;
	const struct kt_ir_value **arguments;
};

/* ---- Places ---- */

enum kt_ir_step_kind { KT_IR_INDEX, KT_IR_FIELD, KT_IR_LANE_OF, KT_IR_SEEN_AS };

struct kt_ir_step {
	enum kt_ir_step_kind kind;
	const struct kt_ir_value *index; /* a signed integer of 64 bits, in elements */
	unsigned number;                 /* of a field or lane */
	uint32_t align;                  /* of a seen-as: what the access claims, in bytes; 0: the type's */
	const struct kt_ir_type *type;   /* after this step */
};

struct kt_ir_place {
	const struct kt_ir_symbol *symbol;  /* the root: an object in memory, or NULL */
	const struct kt_ir_value *pointer;  /* the root: what this leads to, or NULL */
	const struct kt_ir_type *type;      /* of the place itself */
	size_t count;
	struct kt_ir_step *steps;
};

/* ---- Statements ---- */

enum kt_ir_statement_kind {
#define KT_IR_STATEMENT(id, text) KT_IR_S_##id,
#include "generation/ir/statements.def"
	KT_IR_STATEMENT_KINDS,
};
extern const char *const kt_ir_statement_texts[KT_IR_STATEMENT_KINDS];

enum kt_ir_cache { KT_IR_CACHE_NONE, KT_IR_CA, KT_IR_CG, KT_IR_CS, KT_IR_LU, KT_IR_CV, KT_IR_NC, KT_IR_WB, KT_IR_WT,
	KT_IR_CACHES };

/* How an access is made. */
struct kt_ir_hint {
	enum kt_ir_cache cache;
	bool is_volatile;
	uint32_t align; /* bytes that the access claims; 0: the type's */
};

enum kt_ir_scope { KT_IR_WARP, KT_IR_BLOCK_SCOPE, KT_IR_CLUSTER, KT_IR_GRID, KT_IR_SYSTEM, KT_IR_SCOPES };
enum kt_ir_order { KT_IR_RELAXED, KT_IR_ACQUIRE, KT_IR_RELEASE, KT_IR_ACQ_REL, KT_IR_SEQ_CST, KT_IR_ORDERS };
enum kt_ir_atomic { KT_IR_A_ADD, KT_IR_A_SUB, KT_IR_A_EXCHANGE, KT_IR_A_MIN, KT_IR_A_MAX, KT_IR_A_INCREMENT,
	KT_IR_A_DECREMENT, KT_IR_A_CAS, KT_IR_A_AND, KT_IR_A_OR, KT_IR_A_XOR, KT_IR_ATOMICS };
enum kt_ir_collective { KT_IR_SHUFFLE, KT_IR_SHUFFLE_UP, KT_IR_SHUFFLE_DOWN, KT_IR_SHUFFLE_XOR, KT_IR_VOTE_ALL,
	KT_IR_VOTE_ANY, KT_IR_BALLOT, KT_IR_MATCH_ANY, KT_IR_REDUCE_ADD, KT_IR_REDUCE_MIN, KT_IR_REDUCE_MAX,
	KT_IR_REDUCE_AND, KT_IR_REDUCE_OR, KT_IR_REDUCE_XOR, KT_IR_ACTIVE_MASK,
	/*
	 * Over all threads of the block, which all reach it; recognised in the normal form (cooperate.h), never printed as
	 * CUDA C++. The value is no mask but what the thread gives.
	 */
	KT_IR_TOTAL_ADD, KT_IR_TOTAL_MIN, KT_IR_TOTAL_MAX, KT_IR_TOTAL_AND, KT_IR_TOTAL_OR, KT_IR_TOTAL_XOR,
	KT_IR_COLLECTIVES };

/* What a statement may do to others: a set of bits. */
enum kt_ir_effects {
	KT_IR_READS_MEMORY = 1 << 0,  /* of unknown symbols */
	KT_IR_WRITES_MEMORY = 1 << 1, /* of unknown symbols */
	KT_IR_SYNCHRONISES = 1 << 2,
	KT_IR_VOLATILE = 1 << 3,
	KT_IR_THREAD_DEPENDENT = 1 << 4, /* may read a special register */
	KT_IR_MAY_NOT_RETURN = 1 << 5,
	KT_IR_PRINTS = 1 << 6, /* printf, assert, traps */
	KT_IR_ALL_EFFECTS = (1 << 7) - 1,
	/* Of a function without a body: it orders the launch with others (intrinsics.def), and does nothing else. */
	KT_IR_ORDERS_LAUNCHES = KT_IR_READS_MEMORY | KT_IR_WRITES_MEMORY | KT_IR_SYNCHRONISES,
	/* Of an opaque statement: an assertion that failed, a trap (one that prints has KT_IR_PRINTS alone). It ends the launch with an error, and does nothing else. */
	KT_IR_TRAPS = KT_IR_PRINTS | KT_IR_MAY_NOT_RETURN,
};

struct kt_ir_region {
	struct kt_ir_statement *first, *last;
};

/* A case of a switch; without values: the default. */
struct kt_ir_case {
	size_t count;
	int64_t *values;
	size_t beside; /* of the default: values that are written beside it, without an effect but on the compiler's code */
	struct kt_ir_region body;
};

struct kt_ir_statement {
	enum kt_ir_statement_kind kind;
	struct kt_ir_statement *next;
	uint32_t line;                       /* in the user's file; 0: made by a pass */
	const struct kt_ir_statement *origin; /* of the raw IR; NULL: in the raw IR itself, or made by a pass */
	struct kt_ir_symbol *symbol;   /* declared, set, or assigned by a let; the counter of a for */
	const struct kt_ir_value *value; /* the right side; a condition; a mask; what is returned */
	const struct kt_ir_value *further[3]; /* for: high end and step; collective, atomic: more operands */
	const struct kt_ir_place *place; /* of a load, store or atomic */
	struct kt_ir_hint hint;
	enum kt_ir_scope scope;
	enum kt_ir_order order;
	unsigned number;               /* enum kt_ir_atomic, enum kt_ir_collective; break, continue: loops outward */
	const struct kt_ir_function *callee;
	size_t argument_count;
	const struct kt_ir_value **arguments; /* of a call or an opaque statement */
	const char *text;              /* of an opaque statement; of a comment */
	unsigned effects;              /* of an opaque statement: enum kt_ir_effects */
	int unroll;                    /* of a loop: as asked for; 0: not, -1: as far as possible, 1: never */
	bool at_most_once;             /* of a for: a guarded single iteration */
	struct kt_ir_region body, otherwise; /* otherwise: of an if; of a loop, what follows each iteration or a continue */
	size_t case_count;
	struct kt_ir_case *cases;
};

/* ---- Functions and modules ---- */

struct kt_ir_flags {
	bool contract, ftz, fast_division, fast_square_root;
};

struct kt_ir_function {
	const char *name; /* a hint; kernels keep it */
	bool is_kernel, has_body, is_inline;
	const struct kt_ir_type *result;
	size_t argument_count;
	struct kt_ir_symbol **arguments;
	struct kt_ir_region body;
	unsigned effects; /* of a function without a body */
	uint32_t max_threads, min_blocks, max_registers; /* launch bounds; 0: none */
	uint32_t cluster[3];                             /* 0: none */
	uint32_t line;
	/*
	 * Of a kernel: conditions over its arguments and the extents of its launch. Where one does not hold, the function may
	 * compute something else than the original, which is launched instead.
	 */
	size_t assumption_count;
	const struct kt_ir_value **assumptions;
	struct kt_ir_function *next;
};

struct kt_ir_module {
	struct kt_arena *arena; /* the caller's */
	struct kt_ir_flags flags;
	const struct kt_ir_type *types;
	struct kt_ir_function *functions, *last_function;
	size_t symbol_count;            /* of the whole module */
	size_t global_count;
	struct kt_ir_symbol **globals;  /* global and constant symbols in order */
	uint32_t next_id;
	bool failed;
	struct kt_error error;          /* the first one */
};

/* An empty module in the arena, which must outlive it. NULL: out of memory. */
struct kt_ir_module *kt_ir_module_new(struct kt_arena *arena);
/* Sets `failed` and, the first time, the message. Returns NULL, so that constructors may return it. */
void *kt_ir_fail(struct kt_ir_module *module, const char *format, ...) KT_PRINTF(2, 3);
/* KT_ERR_INVALID with the first message where anything failed. */
kt_status kt_ir_check(const struct kt_ir_module *module, struct kt_error *err) KT_MUST_CHECK;

/* ---- Constructors of types ---- */

const struct kt_ir_type *kt_ir_void(struct kt_ir_module *module);
const struct kt_ir_type *kt_ir_bool(struct kt_ir_module *module);
const struct kt_ir_type *kt_ir_integer(struct kt_ir_module *module, unsigned bits, bool is_signed);
const struct kt_ir_type *kt_ir_float(struct kt_ir_module *module, enum kt_ir_format format);
/* align 0: that of CUDA's vector type (all of it where its size is a power of two, else the element's). */
const struct kt_ir_type *kt_ir_vector(struct kt_ir_module *module, const struct kt_ir_type *element, int64_t count,
				      uint32_t align);
const struct kt_ir_type *kt_ir_array(struct kt_ir_module *module, const struct kt_ir_type *element, int64_t count);
const struct kt_ir_type *kt_ir_pointer(struct kt_ir_module *module, const struct kt_ir_type *element,
				       enum kt_ir_space space, bool is_const, bool is_volatile);
const struct kt_ir_type *kt_ir_opaque(struct kt_ir_module *module, uint64_t size, uint32_t align);
/* The structure of that name, made where there is none. Fields are copied; a second one of other fields fails. */
const struct kt_ir_type *kt_ir_struct(struct kt_ir_module *module, const char *name, uint64_t size, uint32_t align,
				      const struct kt_ir_field *fields, size_t count);
/* The structure of that name; NULL: none. */
const struct kt_ir_type *kt_ir_struct_named(const struct kt_ir_module *module, const char *name);
/* Is it a scalar that registers hold: bool, integer, float or pointer? */
bool kt_ir_is_scalar(const struct kt_ir_type *type);
bool kt_ir_is_number(const struct kt_ir_type *type);

/* ---- Constructors of symbols and functions ---- */

struct kt_ir_symbol *kt_ir_symbol(struct kt_ir_module *module, enum kt_ir_symbol_kind kind,
				  const struct kt_ir_type *type, const char *hint);
/* Adds a function at the end of the module. */
struct kt_ir_function *kt_ir_function(struct kt_ir_module *module, const char *name, bool is_kernel,
				      const struct kt_ir_type *result);
struct kt_ir_symbol *kt_ir_argument(struct kt_ir_module *module, struct kt_ir_function *function,
				    const struct kt_ir_type *type, const char *hint);
/* Adds a condition that launches of the kernel must fulfil; one that is there already, or always holds, is not added. */
void kt_ir_assume(struct kt_ir_module *module, struct kt_ir_function *kernel, const struct kt_ir_value *condition);
/* A global or constant symbol of the module. */
struct kt_ir_symbol *kt_ir_global(struct kt_ir_module *module, enum kt_ir_symbol_kind kind,
				  const struct kt_ir_type *type, const char *hint);

/* ---- Constructors of values ---- */

/* An integer, or a bool, cut to the type's width. */
const struct kt_ir_value *kt_ir_constant(struct kt_ir_module *module, const struct kt_ir_type *type, int64_t value);
/* A constant by its bits, which must fit the type. */
const struct kt_ir_value *kt_ir_bits(struct kt_ir_module *module, const struct kt_ir_type *type, uint64_t low,
				     uint64_t high);
/* A floating-point constant, rounded to nearest even. */
const struct kt_ir_value *kt_ir_real(struct kt_ir_module *module, const struct kt_ir_type *type, double value);
/* Unsigned 32 bits; the warp's size is an int. dimension: 0 to 2, and 0 for lane and warp size. */
const struct kt_ir_value *kt_ir_axis(struct kt_ir_module *module, enum kt_ir_axis axis, unsigned dimension);
/* A parameter of the configuration. */
const struct kt_ir_value *kt_ir_parameter(struct kt_ir_module *module, const char *name,
					  const struct kt_ir_type *type);
/* The value of a symbol that is not memory. */
const struct kt_ir_value *kt_ir_read(struct kt_ir_module *module, const struct kt_ir_symbol *symbol);
/* An operation of the table with one, two or three operands (the others NULL). Overflow wraps. */
const struct kt_ir_value *kt_ir_apply(struct kt_ir_module *module, enum kt_ir_op op, const struct kt_ir_value *a,
				      const struct kt_ir_value *b, const struct kt_ir_value *c);
/* The same value whose signed overflow is undefined; itself where that means nothing. */
const struct kt_ir_value *kt_ir_no_wrap(struct kt_ir_module *module, const struct kt_ir_value *value);
/* NULL type: fails. A conversion to the value's own type by value is the value itself. */
const struct kt_ir_value *kt_ir_convert(struct kt_ir_module *module, const struct kt_ir_value *value,
					const struct kt_ir_type *type, enum kt_ir_mode mode);
const struct kt_ir_value *kt_ir_address(struct kt_ir_module *module, const struct kt_ir_place *place);
const struct kt_ir_value *kt_ir_construct(struct kt_ir_module *module, const struct kt_ir_type *type,
					  const struct kt_ir_value *const *parts, size_t count);
const struct kt_ir_value *kt_ir_extract(struct kt_ir_module *module, const struct kt_ir_value *value,
					unsigned number);
/* A call of a pure function of the toolkit, by its row's name. */
const struct kt_ir_value *kt_ir_intrinsic(struct kt_ir_module *module, const char *name,
					  const struct kt_ir_type *type, const struct kt_ir_value *const *arguments,
					  size_t count);
/* Is it an integer or bool constant? Then *value is it, extended by its signedness. */
bool kt_ir_is_constant(const struct kt_ir_value *value, int64_t *constant);
/* The exact value of a floating-point constant. */
double kt_ir_real_of(const struct kt_ir_value *value);
/* Are they the same tree? Symbols count by identity. */
bool kt_ir_same(const struct kt_ir_value *a, const struct kt_ir_value *b);
bool kt_ir_same_place(const struct kt_ir_place *a, const struct kt_ir_place *b);

/* ---- Constructors of places ---- */

/* The memory of a symbol; or, for a pointer value, what it leads to. */
const struct kt_ir_place *kt_ir_place_of(struct kt_ir_module *module, const struct kt_ir_symbol *symbol);
const struct kt_ir_place *kt_ir_place_at(struct kt_ir_module *module, const struct kt_ir_value *pointer);
/* An element of an array; directly after a pointer root: the index counts targets. The index is converted to 64 bits. */
const struct kt_ir_place *kt_ir_index(struct kt_ir_module *module, const struct kt_ir_place *place,
				      const struct kt_ir_value *index);
const struct kt_ir_place *kt_ir_field(struct kt_ir_module *module, const struct kt_ir_place *place, unsigned number);
const struct kt_ir_place *kt_ir_seen_as(struct kt_ir_module *module, const struct kt_ir_place *place,
					const struct kt_ir_type *type, uint32_t align);
/* The space that the place lies in: of its root. */
enum kt_ir_space kt_ir_space_of(const struct kt_ir_place *place);

/* ---- Statements ---- */

/* Appends an empty statement of that kind to the region; its members are for the caller. */
struct kt_ir_statement *kt_ir_append(struct kt_ir_module *module, struct kt_ir_region *region,
				     enum kt_ir_statement_kind kind);
/* let: declares a temporary of the value's type. Returns the temporary. */
struct kt_ir_symbol *kt_ir_let(struct kt_ir_module *module, struct kt_ir_region *region, const char *hint,
			       const struct kt_ir_value *value);
struct kt_ir_symbol *kt_ir_load(struct kt_ir_module *module, struct kt_ir_region *region, const char *hint,
				const struct kt_ir_place *place, struct kt_ir_hint how);
struct kt_ir_statement *kt_ir_store(struct kt_ir_module *module, struct kt_ir_region *region,
				    const struct kt_ir_place *place, const struct kt_ir_value *value,
				    struct kt_ir_hint how);
/* Declares a local; is_memory as in the symbol. */
struct kt_ir_statement *kt_ir_declare(struct kt_ir_module *module, struct kt_ir_region *region,
				      struct kt_ir_symbol *symbol);
struct kt_ir_statement *kt_ir_set(struct kt_ir_module *module, struct kt_ir_region *region,
				  struct kt_ir_symbol *symbol, const struct kt_ir_value *value);
struct kt_ir_statement *kt_ir_if(struct kt_ir_module *module, struct kt_ir_region *region,
				 const struct kt_ir_value *condition);
/* for: counts from low while below high (above, where the step is a negative constant), by step. */
struct kt_ir_statement *kt_ir_for(struct kt_ir_module *module, struct kt_ir_region *region, const char *hint,
				  const struct kt_ir_value *low, const struct kt_ir_value *high,
				  const struct kt_ir_value *step);

/* What a collective gives, by its number and operands: a vote a bool, a ballot and the like 32 bits, any other the type of
 * its value. NULL: an error. */
const struct kt_ir_type *kt_ir_collective_type(struct kt_ir_module *module, const struct kt_ir_statement *statement);

/* ---- Whole modules ---- */

/* A deep copy in another arena (or the same one): ids and origins stay; origins lead to `module` where it is raw. */
struct kt_ir_module *kt_ir_copy(const struct kt_ir_module *module, struct kt_arena *arena, bool is_raw);

/*
 * KT_ERR_INVALID with "function: line N: …" where an invariant of docs/ir.md does not hold. is_applied: a configuration was
 * applied, so that no parameter may be left.
 */
kt_status kt_ir_verify(const struct kt_ir_module *module, bool is_applied, struct kt_error *err) KT_MUST_CHECK;

#endif
