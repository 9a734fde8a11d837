/* The interpreter: launches, threads and statements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp_state.h"

enum { STACK_BYTES = 128 << 10 };
#define ARENA_BYTES ((size_t)1 << 30)

const char *const kt_ir_fault_texts[KT_IR_FAULTS] = {
    "none", "out-of-bounds", "misaligned", "unset", "read-only", "race", "diverged", "overflow", "division", "shift",
    "steps", "assumed", "trapped", "unknown",
};

void kt_ir_stop(struct kt_ir_thread *t, enum kt_ir_fault fault, const char *format, ...)
{
	struct kt_ir_machine *m = t->machine;
	va_list arguments;

	if (!m->stopped) {
		m->stopped = true;
		m->result->fault = fault;
		m->result->thread = t->linear;
		m->result->block = m->block_linear;
		va_start(arguments, format);
		vsnprintf(m->result->message, sizeof m->result->message, format, arguments);
		va_end(arguments);
	}
	/* The scheduler does not come back. */
	swapcontext(&t->context, &m->scheduler);
}

/* What a statement leads to. */
enum flow { NEXT, BREAK, CONTINUE, RETURN };

static enum flow region(struct kt_ir_thread *t, const struct kt_ir_region *r);

static void assign(struct kt_ir_thread *t, const struct kt_ir_symbol *symbol, const struct kt_ir_datum *value)
{
	if (t->values[symbol->id] == NULL)
		t->values[symbol->id] = kt_arena_alloc(t->machine->arena, sizeof **t->values);
	if (t->values[symbol->id] == NULL) {
		t->machine->no_memory = true;
		kt_ir_stop(t, KT_IR_UNKNOWN, "out of memory");
	}
	*t->values[symbol->id] = *value;
	t->is_set[symbol->id] = true;
}

static uint32_t alignment(const struct kt_ir_hint *hint, const struct kt_ir_type *type)
{
	return hint->align != 0 ? hint->align : type->align;
}

static void fits(struct kt_ir_thread *t, const struct kt_ir_type *type)
{
	if (type->size > KT_IR_DATUM_BYTES)
		kt_ir_stop(t, KT_IR_UNKNOWN, "a value of %llu bytes", (unsigned long long)type->size);
}

static enum flow load(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	struct kt_ir_datum value = {{0}};
	const struct kt_ir_type *type = s->place->type;

	fits(t, type);
	/* Padding is never set. */
	kt_ir_memory_read(t, value.bytes, kt_ir_place_address(t, s->place), type->size, alignment(&s->hint, type), false,
			  type->kind == KT_IR_STRUCT || type->kind == KT_IR_OPAQUE);
	assign(t, s->symbol, &value);
	return NEXT;
}

static enum flow store(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	const struct kt_ir_datum value = kt_ir_evaluate(t, s->value);

	kt_ir_memory_write(t, value.bytes, kt_ir_place_address(t, s->place), s->place->type->size,
			   alignment(&s->hint, s->place->type), false);
	return NEXT;
}

static enum flow let(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	const struct kt_ir_datum value = kt_ir_evaluate(t, s->value);

	assign(t, s->symbol, &value);
	return NEXT;
}

/* Memory of a block exists once, whichever thread declares it first; a thread's own is unset each time. */
static enum flow declare(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	struct kt_ir_machine *m = t->machine;
	const struct kt_ir_symbol *symbol = s->symbol;
	uint32_t *slot = symbol->kind == KT_IR_SHARED_SYMBOL ? &m->globals[symbol->id] : &t->objects[symbol->id];
	const uint64_t size = symbol->is_extern ? m->launch->dynamic_shared_bytes : symbol->type->size;

	if (!symbol->is_memory) {
		t->is_set[symbol->id] = false;
		return NEXT;
	}
	if (*slot == 0) {
		*slot = kt_ir_object_new(m, symbol->hint, NULL, size, false);
		if (*slot == 0) {
			m->no_memory = true;
			kt_ir_stop(t, KT_IR_UNKNOWN, "out of memory");
		}
		m->objects[*slot - 1].is_private = symbol->kind != KT_IR_SHARED_SYMBOL;
		m->is_of_block[symbol->id] = symbol->kind == KT_IR_SHARED_SYMBOL;
		kt_ir_object_clear(&m->objects[*slot - 1]);
	} else if (symbol->kind != KT_IR_SHARED_SYMBOL) {
		kt_ir_object_clear(&m->objects[*slot - 1]);
	}
	return NEXT;
}

static enum flow atomic(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	static const enum kt_ir_op ops[KT_IR_ATOMICS] = {[KT_IR_A_ADD] = KT_IR_ADD, [KT_IR_A_SUB] = KT_IR_SUB,
							 [KT_IR_A_AND] = KT_IR_AND, [KT_IR_A_OR] = KT_IR_OR,
							 [KT_IR_A_XOR] = KT_IR_XOR};
	const struct kt_ir_type *type = s->place->type;
	const struct kt_ir_datum given = kt_ir_evaluate(t, s->value);
	const uint64_t address = kt_ir_place_address(t, s->place);
	struct kt_ir_datum old = {{0}}, made = given;
	kt_ir_wide before, limit;

	kt_ir_memory_read(t, old.bytes, address, type->size, type->align, true, false);
	switch (s->number) {
	case KT_IR_A_EXCHANGE:
		break;
	case KT_IR_A_MIN:
	case KT_IR_A_MAX:
		made = kt_ir_extreme(type, &old, &given, s->number == KT_IR_A_MAX);
		break;
	case KT_IR_A_CAS:
		made = memcmp(old.bytes, given.bytes, type->size) == 0 ? kt_ir_evaluate(t, s->further[0]) : old;
		break;
	case KT_IR_A_INCREMENT:
	case KT_IR_A_DECREMENT:
		before = kt_ir_datum_integer(type, &old);
		limit = kt_ir_datum_integer(type, &given);
		if (s->number == KT_IR_A_INCREMENT)
			kt_ir_datum_set(type, &made, before >= limit ? 0 : before + 1);
		else
			kt_ir_datum_set(type, &made, before == 0 || before > limit ? limit : before - 1);
		break;
	default:
		made = kt_ir_operate(t, ops[s->number], type, &old, &given, false);
		break;
	}
	kt_ir_memory_write(t, made.bytes, address, type->size, type->align, true);
	if (s->symbol != NULL)
		assign(t, s->symbol, &old);
	return NEXT;
}

static enum flow collective(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	const struct kt_ir_type u32 = {.kind = KT_IR_INTEGER, .bits = 32, .size = 4};
	struct kt_ir_datum mask = {{0}};

	if (s->number == KT_IR_ACTIVE_MASK)
		kt_ir_stop(t, KT_IR_UNKNOWN, "which lanes are active is not defined");
	if (s->number >= KT_IR_TOTAL_ADD) {
		t->given[0] = kt_ir_evaluate(t, s->value);
		kt_ir_wait_barrier(t, s);
		assign(t, s->symbol, &t->got);
		return NEXT;
	}
	for (int i = 0; i < 3 && s->further[i] != NULL; i++) {
		fits(t, s->further[i]->type);
		t->given[i] = kt_ir_evaluate(t, s->further[i]);
	}
	mask = kt_ir_evaluate(t, s->value);
	if (((uint32_t)kt_ir_datum_integer(&u32, &mask) >> t->linear % KT_IR_WARP_LANES & 1) == 0)
		kt_ir_stop(t, KT_IR_DIVERGED, "a lane is not in the mask of its own collective");
	kt_ir_wait_collective(t, s, (uint32_t)kt_ir_datum_integer(&u32, &mask));
	if (s->symbol != NULL)
		assign(t, s->symbol, &t->got);
	return NEXT;
}

static enum flow barrier(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	const struct kt_ir_type u32 = {.kind = KT_IR_INTEGER, .bits = 32, .size = 4};
	struct kt_ir_datum mask = {{0xff, 0xff, 0xff, 0xff}};

	if (s->scope != KT_IR_WARP) {
		kt_ir_wait_barrier(t, s);
		return NEXT;
	}
	if (s->value != NULL)
		mask = kt_ir_evaluate(t, s->value);
	kt_ir_wait_collective(t, s, (uint32_t)kt_ir_datum_integer(&u32, &mask));
	return NEXT;
}

static enum flow nothing(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	(void)t;
	(void)s;
	return NEXT;
}

static enum flow if_statement(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	return region(t, kt_ir_evaluate(t, s->value).bytes[0] ? &s->body : &s->otherwise);
}

/* What is left of a jump behind a loop: true where it ends the loop. */
static bool leaves(struct kt_ir_thread *t, enum flow *flow)
{
	if (*flow == RETURN)
		return true;
	if (*flow == NEXT)
		return false;
	if (t->out > 0) {
		t->out--;
		return true;
	}
	if (*flow == CONTINUE) {
		*flow = NEXT;
		return false;
	}
	*flow = NEXT;
	return true;
}

static void count_step(struct kt_ir_thread *t)
{
	if (++t->machine->steps > t->machine->launch->step_limit)
		kt_ir_stop(t, KT_IR_STEPS, "more than %llu statements", (unsigned long long)t->machine->launch->step_limit);
}

static enum flow loop(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	enum flow flow;

	for (;;) {
		count_step(t);
		flow = region(t, &s->body);
		if (leaves(t, &flow))
			return flow;
		flow = region(t, &s->otherwise);
		if (leaves(t, &flow))
			return flow;
	}
}

static enum flow for_statement(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	const struct kt_ir_type *type = s->value->type;
	const struct kt_ir_datum low = kt_ir_evaluate(t, s->value), high = kt_ir_evaluate(t, s->further[0]),
				 by = kt_ir_evaluate(t, s->further[1]);
	const kt_ir_wide end = kt_ir_datum_integer(type, &high), step = kt_ir_datum_integer(type, &by);
	const bool is_down = step < 0 && s->further[1]->op == KT_IR_CONSTANT;
	struct kt_ir_datum counter = {{0}};
	enum flow flow;

	for (kt_ir_wide i = kt_ir_datum_integer(type, &low); is_down ? i > end : i < end; i += step) {
		if (step == 0 || (step < 0 && !is_down))
			kt_ir_stop(t, KT_IR_STEPS, "the step of a for that counts up is %lld", (long long)step);
		if (s->at_most_once && i != kt_ir_datum_integer(type, &low))
			kt_ir_stop(t, KT_IR_UNKNOWN, "a loop of at most one iteration has a second one");
		count_step(t);
		kt_ir_datum_set(type, &counter, i);
		assign(t, s->symbol, &counter);
		flow = region(t, &s->body);
		if (leaves(t, &flow))
			return flow;
	}
	return NEXT;
}

static enum flow switch_statement(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	const struct kt_ir_datum datum = kt_ir_evaluate(t, s->value);
	const kt_ir_wide value = kt_ir_datum_integer(s->value->type, &datum);
	const struct kt_ir_case *chosen = NULL;

	for (size_t i = 0; i < s->case_count; i++) {
		if (s->cases[i].count == 0 && chosen == NULL)
			chosen = &s->cases[i];
		for (size_t j = 0; j < s->cases[i].count; j++)
			if (s->cases[i].values[j] == value)
				chosen = &s->cases[i];
	}
	return chosen == NULL ? NEXT : region(t, &chosen->body);
}

static enum flow jump(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	t->out = s->number;
	return s->kind == KT_IR_S_BREAK ? BREAK : CONTINUE;
}

static enum flow returned(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	if (s->value != NULL)
		t->returned = kt_ir_evaluate(t, s->value);
	return RETURN;
}

static enum flow call(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	const struct kt_ir_function *f = s->callee;
	struct kt_ir_datum values[16];

	/* There is no other launch. */
	if (!f->has_body && f->effects == KT_IR_ORDERS_LAUNCHES && s->argument_count == 0)
		return NEXT;
	if (!f->has_body || s->argument_count > sizeof values / sizeof *values)
		kt_ir_stop(t, KT_IR_UNKNOWN, "the function '%s'", f->name);
	for (size_t i = 0; i < s->argument_count; i++) {
		fits(t, s->arguments[i]->type);
		values[i] = kt_ir_evaluate(t, s->arguments[i]);
	}
	/* No function calls itself, so its symbols have one value at a time. */
	for (size_t i = 0; i < s->argument_count; i++)
		assign(t, f->arguments[i], &values[i]);
	(void)region(t, &f->body);
	if (s->symbol != NULL)
		assign(t, s->symbol, &t->returned);
	return NEXT;
}

static enum flow opaque(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	if (s->effects == KT_IR_TRAPS)
		kt_ir_stop(t, KT_IR_TRAPPED, "%.100s", s->text);
	kt_ir_stop(t, KT_IR_UNKNOWN, "the opaque statement \"%.100s\"", s->text);
	return NEXT;
}

static enum flow (*const steps[KT_IR_STATEMENT_KINDS])(struct kt_ir_thread *t, const struct kt_ir_statement *s) = {
    [KT_IR_S_DECLARE] = declare,	 [KT_IR_S_LET] = let,	       [KT_IR_S_LOAD] = load,
    [KT_IR_S_SET] = let,		 [KT_IR_S_STORE] = store,      [KT_IR_S_ATOMIC] = atomic,
    [KT_IR_S_COLLECTIVE] = collective,	 [KT_IR_S_BARRIER] = barrier,  [KT_IR_S_FENCE] = nothing,
    [KT_IR_S_IF] = if_statement,	 [KT_IR_S_FOR] = for_statement, [KT_IR_S_LOOP] = loop,
    [KT_IR_S_SWITCH] = switch_statement, [KT_IR_S_BREAK] = jump,       [KT_IR_S_CONTINUE] = jump,
    [KT_IR_S_RETURN] = returned,	 [KT_IR_S_CALL] = call,	       [KT_IR_S_OPAQUE] = opaque,
};

static enum flow region(struct kt_ir_thread *t, const struct kt_ir_region *r)
{
	enum flow flow;

	for (const struct kt_ir_statement *s = r->first; s != NULL; s = s->next) {
		if (s->line != 0)
			t->machine->result->line = s->line;
		count_step(t);
		flow = steps[s->kind](t, s);
		if (flow != NEXT)
			return flow;
	}
	return NEXT;
}

/* ---- Threads ---- */

static void run_thread(unsigned low, unsigned high)
{
	struct kt_ir_thread *t = (struct kt_ir_thread *)((uintptr_t)high << 32 | low);

	const struct kt_ir_function *kernel = t->machine->kernel;

	for (size_t i = 0; t->linear == 0 && i < kernel->assumption_count; i++)
		if (!kt_ir_evaluate(t, kernel->assumptions[i]).bytes[0])
			kt_ir_stop(t, KT_IR_ASSUMED, "assumption %zu does not hold", i + 1);
	(void)region(t, &kernel->body);
	t->state = KT_IR_FINISHED;
	swapcontext(&t->context, &t->machine->scheduler);
}

static uint64_t random_number(struct kt_ir_machine *m)
{
	m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
	return m->seed >> 33;
}

/* A thread that can go on, from a random one on; NULL: none. */
static struct kt_ir_thread *ready_thread(struct kt_ir_machine *m)
{
	const uint32_t first = (uint32_t)(random_number(m) % m->thread_count);

	for (uint32_t i = 0; i < m->thread_count; i++) {
		struct kt_ir_thread *t = &m->threads[(first + i) % m->thread_count];

		if (t->state == KT_IR_READY)
			return t;
	}
	return NULL;
}

static bool all_finished(const struct kt_ir_machine *m)
{
	for (uint32_t i = 0; i < m->thread_count; i++)
		if (m->threads[i].state != KT_IR_FINISHED)
			return false;
	return true;
}

static void never_complete(struct kt_ir_machine *m)
{
	for (uint32_t i = 0; i < m->thread_count; i++)
		if (m->threads[i].state != KT_IR_FINISHED) {
			m->result->line = m->threads[i].at->line;
			m->result->thread = i;
			m->result->block = m->block_linear;
			break;
		}
	m->result->fault = KT_IR_DIVERGED;
	snprintf(m->result->message, sizeof m->result->message, "a barrier or collective that can never be complete");
	m->stopped = true;
}

static void start_thread(struct kt_ir_machine *m, uint32_t linear)
{
	struct kt_ir_thread *t = &m->threads[linear];
	const uintptr_t address = (uintptr_t)t;

	t->machine = m;
	t->linear = linear;
	t->index[0] = linear % m->launch->block[0];
	t->index[1] = linear / m->launch->block[0] % m->launch->block[1];
	t->index[2] = linear / m->launch->block[0] / m->launch->block[1];
	t->state = KT_IR_READY;
	getcontext(&t->context);
	t->context.uc_stack.ss_sp = t->stack;
	t->context.uc_stack.ss_size = STACK_BYTES;
	t->context.uc_link = NULL;
	makecontext(&t->context, (void (*)(void))run_thread, 2, (unsigned)address, (unsigned)((uint64_t)address >> 32));
}

static void run_block(struct kt_ir_machine *m)
{
	struct kt_ir_thread *t;

	m->epoch = 0;
	memset(m->stamps, 0, (m->thread_count / KT_IR_WARP_LANES + 1) * sizeof *m->stamps);
	memset(m->common, 0, (size_t)(m->thread_count + KT_IR_WARP_LANES) * KT_IR_WARP_LANES * sizeof *m->common);
	for (uint32_t i = 0; i < m->thread_count; i++)
		start_thread(m, i);
	while (!m->stopped && !all_finished(m)) {
		t = ready_thread(m);
		if (t != NULL)
			swapcontext(&m->scheduler, &t->context);
		else if (!kt_ir_release(m))
			never_complete(m);
	}
	m->result->steps = m->steps;
}

/* ---- Launches ---- */

/* Memory of a block is unset again. */
static void forget_block(struct kt_ir_machine *m)
{
	for (uint32_t id = 0; id < m->module->next_id; id++)
		if (m->globals[id] != 0 && m->is_of_block[id])
			kt_ir_object_clear(&m->objects[m->globals[id] - 1]);
}

/* Each thread begins with the arguments, and with nothing else. */
static bool give_arguments(struct kt_ir_machine *m, const struct kt_ir_datum *values)
{
	for (uint32_t i = 0; i < m->thread_count; i++) {
		struct kt_ir_thread *t = &m->threads[i];

		memset(t->is_set, 0, m->module->next_id);
		for (size_t a = 0; a < m->kernel->argument_count; a++) {
			const uint32_t id = m->kernel->arguments[a]->id;

			if (t->values[id] == NULL && (t->values[id] = kt_arena_alloc(m->arena, sizeof **t->values)) == NULL)
				return false;
			*t->values[id] = values[a];
			t->is_set[id] = true;
		}
	}
	return true;
}

static bool make_threads(struct kt_ir_machine *m)
{
	const size_t symbols = (size_t)m->module->next_id + 1;

	m->threads = kt_arena_array(m->arena, m->thread_count, sizeof *m->threads);
	m->globals = kt_arena_array(m->arena, symbols, sizeof *m->globals);
	m->is_of_block = kt_arena_array(m->arena, symbols, sizeof *m->is_of_block);
	m->stamps = kt_arena_array(m->arena, m->thread_count / KT_IR_WARP_LANES + 1, sizeof *m->stamps);
	m->common = kt_arena_array(m->arena, (size_t)(m->thread_count + KT_IR_WARP_LANES) * KT_IR_WARP_LANES,
				   sizeof *m->common);
	if (m->threads == NULL || m->globals == NULL || m->is_of_block == NULL || m->stamps == NULL || m->common == NULL)
		return false;
	for (uint32_t i = 0; i < m->thread_count; i++) {
		m->threads[i].stack = kt_arena_alloc(m->arena, STACK_BYTES);
		m->threads[i].values = kt_arena_array(m->arena, symbols, sizeof *m->threads[i].values);
		m->threads[i].is_set = kt_arena_array(m->arena, symbols, sizeof *m->threads[i].is_set);
		m->threads[i].objects = kt_arena_array(m->arena, symbols, sizeof *m->threads[i].objects);
		if (m->threads[i].stack == NULL || m->threads[i].values == NULL || m->threads[i].is_set == NULL ||
		    m->threads[i].objects == NULL)
			return false;
	}
	return true;
}

/* One object for each buffer, whatever leads into it. */
static bool make_arguments(struct kt_ir_machine *m, struct kt_ir_datum *values)
{
	const struct kt_ir_launch *launch = m->launch;
	uint32_t numbers[64] = {0};

	for (size_t a = 0; a < launch->argument_count; a++) {
		const struct kt_ir_actual *actual = &launch->arguments[a];
		const struct kt_ir_symbol *symbol = m->kernel->arguments[a];

		for (size_t b = 0; actual->buffer != NULL && b < a; b++)
			if (launch->arguments[b].buffer == actual->buffer)
				numbers[a] = numbers[b];
		if (actual->buffer != NULL && numbers[a] == 0) {
			numbers[a] = kt_ir_object_new(m, symbol->hint, actual->buffer->data, actual->buffer->size,
						      !actual->buffer->is_unset);
			if (numbers[a] == 0)
				return false;
			m->objects[numbers[a] - 1].is_read_only = actual->buffer->is_read_only;
		}
		if (actual->buffer != NULL)
			kt_ir_datum_set(symbol->type, &values[a],
					(kt_ir_wide)kt_ir_object_address(numbers[a], actual->offset));
		else
			memcpy(values[a].bytes, actual->bytes, symbol->type->size);
	}
	for (size_t i = 0; i < m->module->global_count; i++) {
		const struct kt_ir_symbol *symbol = m->module->globals[i];
		uint32_t number = kt_ir_object_new(m, symbol->hint, launch->globals != NULL ? launch->globals[i].data : NULL,
						   symbol->type->size, true);

		if (number == 0)
			return false;
		m->objects[number - 1].is_read_only = symbol->kind == KT_IR_CONSTANT_SYMBOL;
		m->globals[symbol->id] = number;
	}
	return true;
}

static kt_status check_launch(const struct kt_ir_function *kernel, const struct kt_ir_launch *launch,
			      struct kt_error *err)
{
	const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];

	if (!kernel->is_kernel || kernel->argument_count != launch->argument_count || launch->argument_count > 64)
		return kt_fail(err, KT_ERR_INVALID, "'%s' does not have %zu arguments", kernel->name, launch->argument_count);
	if (threads == 0 || threads > KT_IR_BLOCK_THREADS || launch->grid[0] == 0 || launch->grid[1] == 0 ||
	    launch->grid[2] == 0)
		return kt_fail(err, KT_ERR_INVALID, "a block has 1 to %d threads, and a grid at least one block",
			       KT_IR_BLOCK_THREADS);
	for (size_t i = 0; i < kernel->argument_count; i++) {
		const struct kt_ir_type *type = kernel->arguments[i]->type;

		if ((launch->arguments[i].buffer != NULL) != (type->kind == KT_IR_POINTER) ||
		    (launch->arguments[i].buffer == NULL && launch->arguments[i].bytes == NULL) ||
		    type->size > KT_IR_DATUM_BYTES)
			return kt_fail(err, KT_ERR_INVALID, "argument %zu of '%s' is of another kind", i, kernel->name);
	}
	return KT_OK;
}

static void run_grid(struct kt_ir_machine *m, const struct kt_ir_datum *values)
{
	const uint32_t *grid = m->launch->grid;
	const uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];

	for (uint64_t b = 0; b < blocks && !m->stopped; b++) {
		m->block_linear = (uint32_t)b;
		m->block[0] = (uint32_t)(b % grid[0]);
		m->block[1] = (uint32_t)(b / grid[0] % grid[1]);
		m->block[2] = (uint32_t)(b / grid[0] / grid[1]);
		forget_block(m);
		if (!give_arguments(m, values)) {
			m->no_memory = true;
			return;
		}
		run_block(m);
	}
}

kt_status kt_ir_run(struct kt_ir_result *result, const struct kt_ir_module *module,
		    const struct kt_ir_function *kernel, const struct kt_ir_launch *launch, struct kt_error *err)
{
	struct kt_ir_machine m = {.module = module, .kernel = kernel, .launch = launch, .result = result,
				  .seed = launch->seed};
	struct kt_ir_datum *values;
	kt_status status = check_launch(kernel, launch, err);

	if (status != KT_OK)
		return status;
	*result = (struct kt_ir_result){.fault = KT_IR_NO_FAULT};
	m.thread_count = launch->block[0] * launch->block[1] * launch->block[2];
	m.arena = kt_arena_new(ARENA_BYTES);
	if (m.arena == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	values = kt_arena_array(m.arena, kernel->argument_count + 1, sizeof *values);
	m.no_memory = values == NULL || !make_threads(&m) || !make_arguments(&m, values);
	if (!m.no_memory)
		run_grid(&m, values);
	kt_arena_free(m.arena);
	return m.no_memory ? kt_fail(err, KT_ERR_MEMORY, "the launch needs more memory than there is for it") : KT_OK;
}
