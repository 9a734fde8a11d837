/* What the files of the interpreter share: interp.c (threads, statements), interp_value.c (values), interp_memory.c (objects,
 * races), interp_collective.c (what threads of a warp do together). */
#ifndef KT_IR_INTERP_STATE_H
#define KT_IR_INTERP_STATE_H

#include <ucontext.h>

#include "interp.h"
#include "generation/ir/number.h"

enum { KT_IR_DATUM_BYTES = 128, KT_IR_WARP_LANES = 32 };

/* A value of any type that fits: its bytes as in the device's memory. */
struct kt_ir_datum {
	unsigned char bytes[KT_IR_DATUM_BYTES];
};

/* Who made an access, and when. */
struct kt_ir_access {
	uint32_t who;    /* linear thread of the whole grid + 1; 0: nobody */
	uint32_t epoch;  /* barriers of the block before it */
	uint32_t stamp;  /* collectives of the warp before it */
	bool is_atomic;
};

/* The last accesses to a byte: the last write, and the last two readers. */
struct kt_ir_shadow {
	struct kt_ir_access write, read[2];
	bool is_set;
};

struct kt_ir_object {
	unsigned char *data;
	struct kt_ir_shadow *shadow; /* one a byte */
	uint64_t size;
	const char *name;
	bool is_private; /* of one thread: no races */
	bool is_read_only;
};

enum kt_ir_thread_state { KT_IR_READY, KT_IR_AT_BARRIER, KT_IR_AT_COLLECTIVE, KT_IR_FINISHED };

struct kt_ir_thread {
	struct kt_ir_machine *machine;
	ucontext_t context;
	void *stack;
	uint32_t index[3], linear;
	enum kt_ir_thread_state state;
	const struct kt_ir_statement *at; /* what it waits at */
	uint32_t mask;                    /* of the collective */
	struct kt_ir_datum given[3], got; /* operands of a collective behind the mask; its result */
	struct kt_ir_datum **values;      /* by symbol id, made at the first assignment */
	bool *is_set;                     /* by symbol id: does it have that value now? */
	uint32_t *objects;                /* by symbol id: memory of its own, object + 1 */
	unsigned out;                     /* loops to leave */
	struct kt_ir_datum returned;
};

struct kt_ir_machine {
	const struct kt_ir_module *module;
	const struct kt_ir_function *kernel;
	const struct kt_ir_launch *launch;
	struct kt_ir_result *result;
	struct kt_arena *arena;       /* of the launch */
	struct kt_ir_object *objects;
	size_t object_count;
	uint32_t *globals;            /* by symbol id: object + 1 of what all threads or the block share */
	bool *is_of_block;            /* by symbol id: shared memory, unset in each block */
	uint32_t block[3], block_linear;
	uint32_t thread_count;
	struct kt_ir_thread *threads;
	uint32_t epoch;               /* barriers of this block */
	uint32_t *stamps;             /* by warp: its collectives */
	uint32_t *common;             /* by warp and two lanes: the last collective of both */
	ucontext_t scheduler;
	uint64_t seed, steps;
	bool stopped;                 /* there is a fault, or no memory */
	bool no_memory;
};

/* Ends the run with this fault, unless it has one: the fiber never returns from here. */
void kt_ir_stop(struct kt_ir_thread *t, enum kt_ir_fault fault, const char *format, ...) KT_PRINTF(3, 4);

/* ---- interp_memory.c */
/* A new object; its index + 1, 0: no memory. data NULL: memory of the machine's own, unset. */
uint32_t kt_ir_object_new(struct kt_ir_machine *m, const char *name, void *data, uint64_t size, bool is_set);
/* Forgets contents and accesses: the bytes are unset again. */
void kt_ir_object_clear(struct kt_ir_object *object);
uint64_t kt_ir_object_address(uint32_t number, uint64_t offset);
void kt_ir_memory_read(struct kt_ir_thread *t, void *bytes, uint64_t address, uint64_t size, uint32_t align,
		       bool is_atomic, bool may_be_unset);
void kt_ir_memory_write(struct kt_ir_thread *t, const void *bytes, uint64_t address, uint64_t size, uint32_t align,
			bool is_atomic);
/* Of a symbol that is memory. */
uint64_t kt_ir_symbol_address(struct kt_ir_thread *t, const struct kt_ir_symbol *symbol);

/* ---- interp_value.c */
struct kt_ir_datum kt_ir_evaluate(struct kt_ir_thread *t, const struct kt_ir_value *value);
uint64_t kt_ir_place_address(struct kt_ir_thread *t, const struct kt_ir_place *place);
kt_ir_wide kt_ir_datum_integer(const struct kt_ir_type *type, const struct kt_ir_datum *datum);
void kt_ir_datum_set(const struct kt_ir_type *type, struct kt_ir_datum *datum, kt_ir_wide value);
/* An operation of the table on two operands of that type; sum, least and the like of collectives and atomics too. */
struct kt_ir_datum kt_ir_operate(struct kt_ir_thread *t, enum kt_ir_op op, const struct kt_ir_type *type,
				 const struct kt_ir_datum *a, const struct kt_ir_datum *b, bool no_wrap);
/* The smaller of two numbers, or the greater. */
struct kt_ir_datum kt_ir_extreme(const struct kt_ir_type *type, const struct kt_ir_datum *a,
				 const struct kt_ir_datum *b, bool greater);
double kt_ir_datum_real(const struct kt_ir_type *type, const struct kt_ir_datum *datum);

/* ---- interp_collective.c */
/* Waits until all threads of the scope are there; the value of a collective is in t->got. */
void kt_ir_wait_barrier(struct kt_ir_thread *t, const struct kt_ir_statement *s);
void kt_ir_wait_collective(struct kt_ir_thread *t, const struct kt_ir_statement *s, uint32_t mask);
/* Lets those go on whose barrier or collective is complete. False: nobody can. */
bool kt_ir_release(struct kt_ir_machine *m);

#endif
