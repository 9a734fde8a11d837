/* The invariants of docs/ir.md. Types of operands inside of values are checked where they are made. */
#include <stdio.h>
#include <string.h>

#include "generation/ir/text.h"

/* Of a symbol: not met yet, usable here, or out of scope again. */
enum state { UNDEFINED, DEFINED, LEFT };

struct verifier {
	const struct kt_ir_module *module;
	const struct kt_ir_function *function;
	unsigned char *states;   /* by symbol id */
	const struct kt_ir_symbol **scope; /* what is defined, innermost last */
	size_t scope_count, scope_room;
	const struct kt_ir_statement **loops; /* outermost first */
	const struct kt_ir_statement *next_of; /* the loop whose next region this is, innermost */
	unsigned loop_count;
	uint32_t line;
	bool is_applied;
	struct kt_error *err;
};

enum { MOST_LOOPS = 256 };

static bool wrong(struct verifier *v, const char *format, ...) KT_PRINTF(2, 3);
static bool wrong(struct verifier *v, const char *format, ...)
{
	char message[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	kt_fail(v->err, KT_ERR_INVALID, "%s: line %u: %s", v->function == NULL ? "module" : v->function->name, v->line,
		message);
	return false;
}

static bool define(struct verifier *v, const struct kt_ir_symbol *symbol)
{
	if (symbol == NULL)
		return wrong(v, "a symbol is missing");
	if (symbol->id >= v->module->next_id)
		return wrong(v, "the symbol '%s' is of another module", symbol->hint);
	if (v->states[symbol->id] != UNDEFINED)
		return wrong(v, "the symbol '%s' is defined twice", symbol->hint);
	v->states[symbol->id] = DEFINED;
	if (v->scope_count == v->scope_room)
		return wrong(v, "out of memory");
	v->scope[v->scope_count++] = symbol;
	return true;
}

static bool usable(struct verifier *v, const struct kt_ir_symbol *symbol)
{
	if (symbol->id >= v->module->next_id || v->states[symbol->id] == UNDEFINED)
		return wrong(v, "the symbol '%s' is used before its definition", symbol->hint);
	if (v->states[symbol->id] == LEFT)
		return wrong(v, "the symbol '%s' is used outside of its block", symbol->hint);
	return true;
}

static void leave(struct verifier *v, size_t count)
{
	while (v->scope_count > count)
		v->states[v->scope[--v->scope_count]->id] = LEFT;
}

static bool place(struct verifier *v, const struct kt_ir_place *at);

static bool value(struct verifier *v, const struct kt_ir_value *x)
{
	if (x == NULL)
		return wrong(v, "a value is missing");
	if (x->op == KT_IR_PARAMETER && v->is_applied)
		return wrong(v, "the parameter '%s' is left", x->name);
	if (x->op == KT_IR_READ && x->symbol->is_memory)
		return wrong(v, "'%s' is memory, but read as a value", x->symbol->hint);
	if (x->symbol != NULL && !usable(v, x->symbol))
		return false;
	if (x->place != NULL && !place(v, x->place))
		return false;
	for (size_t i = 0; i < x->count; i++)
		if (!value(v, x->arguments[i]))
			return false;
	return true;
}

static bool place(struct verifier *v, const struct kt_ir_place *at)
{
	if (at == NULL)
		return wrong(v, "a place is missing");
	if (at->symbol != NULL && !at->symbol->is_memory)
		return wrong(v, "'%s' is no memory, but a place", at->symbol->hint);
	if (at->symbol != NULL && !usable(v, at->symbol))
		return false;
	if (at->pointer != NULL && !value(v, at->pointer))
		return false;
	for (size_t i = 0; i < at->count; i++)
		if (at->steps[i].kind == KT_IR_INDEX && !value(v, at->steps[i].index))
			return false;
	return true;
}

static bool values(struct verifier *v, const struct kt_ir_statement *s)
{
	if (s->value != NULL && !value(v, s->value))
		return false;
	for (int i = 0; i < 3; i++)
		if (s->further[i] != NULL && !value(v, s->further[i]))
			return false;
	for (size_t i = 0; i < s->argument_count; i++)
		if (!value(v, s->arguments[i]))
			return false;
	return s->place == NULL || place(v, s->place);
}

static bool region(struct verifier *v, const struct kt_ir_region *r);

static bool is_const(const struct kt_ir_place *at)
{
	return at->pointer != NULL ? at->pointer->type->is_const
				   : at->symbol->kind == KT_IR_CONSTANT_SYMBOL || at->symbol->is_grid_constant;
}

static bool call(struct verifier *v, const struct kt_ir_statement *s)
{
	const struct kt_ir_function *f = v->module->functions;

	while (f != NULL && f != v->function && f != s->callee)
		f = f->next;
	if (f != s->callee || f == v->function || f == NULL)
		return wrong(v, "a call leads to a function that is not above");
	if (s->callee->is_kernel)
		return wrong(v, "a call leads to the kernel '%s'", s->callee->name);
	if (s->argument_count != s->callee->argument_count)
		return wrong(v, "the call of '%s' has another number of arguments", s->callee->name);
	for (size_t i = 0; i < s->argument_count; i++)
		if (s->arguments[i]->type != s->callee->arguments[i]->type)
			return wrong(v, "argument %zu of '%s' has another type", i, s->callee->name);
	if (s->symbol != NULL && s->symbol->type != s->callee->result)
		return wrong(v, "the result of '%s' has another type", s->callee->name);
	return true;
}

static bool for_loop(struct verifier *v, const struct kt_ir_statement *s)
{
	int64_t step;

	if (s->further[0] == NULL || s->further[1] == NULL || s->value->type != s->further[0]->type ||
	    s->value->type != s->further[1]->type || s->symbol == NULL || s->symbol->type != s->value->type ||
	    s->symbol->kind != KT_IR_COUNTER)
		return wrong(v, "a for has a counter, bounds and a step of one type");
	if (kt_ir_is_constant(s->further[1], &step) && step == 0)
		return wrong(v, "the step of a for is zero");
	return true;
}

static bool jump(struct verifier *v, const struct kt_ir_statement *s)
{
	const struct kt_ir_statement *target;

	if (s->number >= v->loop_count)
		return wrong(v, "%s leads out of %u loops, and there are %u", kt_ir_statement_texts[s->kind],
			     s->number + 1, v->loop_count);
	target = v->loops[v->loop_count - 1 - s->number];
	if (s->kind == KT_IR_S_CONTINUE && target == v->next_of)
		return wrong(v, "a continue leads to the region that it is in");
	if (s->kind == KT_IR_S_BREAK && target->kind == KT_IR_S_FOR)
		return wrong(v, "a break ends a for, which has none");
	return true;
}

static bool returned(struct verifier *v, const struct kt_ir_statement *s)
{
	const struct kt_ir_type *wanted = v->function->result;

	if ((s->value == NULL) != (wanted->kind == KT_IR_VOID) || (s->value != NULL && s->value->type != wanted))
		return wrong(v, "what is returned has another type than the function");
	return true;
}

static bool assigned(struct verifier *v, const struct kt_ir_statement *s)
{
	if (s->symbol == NULL || s->value == NULL || s->symbol->is_memory || s->symbol->type != s->value->type ||
	    (s->symbol->kind != KT_IR_LOCAL_SYMBOL && s->symbol->kind != KT_IR_ARGUMENT))
		return wrong(v, "set has a local or an argument, and a value of its type");
	return usable(v, s->symbol);
}

static bool access(struct verifier *v, const struct kt_ir_statement *s)
{
	const struct kt_ir_type *type = s->kind == KT_IR_S_LOAD ? s->symbol->type : s->value->type;

	if (s->place->type != type)
		return wrong(v, "an access has another type than its place");
	if (s->kind == KT_IR_S_STORE && is_const(s->place))
		return wrong(v, "a store to what is const");
	if (type->size == 0)
		return wrong(v, "an access has no size");
	return true;
}

static bool atomic(struct verifier *v, const struct kt_ir_statement *s)
{
	const bool is_cas = s->number == KT_IR_A_CAS;

	if (s->value == NULL || s->value->type != s->place->type || (s->further[0] != NULL) != is_cas ||
	    (is_cas && s->further[0]->type != s->place->type))
		return wrong(v, "an atomic has a value of its place's type, compare-and-swap two");
	if (is_const(s->place))
		return wrong(v, "an atomic to what is const");
	return true;
}

static bool collective(struct verifier *v, const struct kt_ir_statement *s)
{
	const struct kt_ir_type *mask = s->value == NULL ? NULL : s->value->type;

	if (s->number >= KT_IR_TOTAL_ADD)
		return (mask != NULL && kt_ir_is_number(mask)) || wrong(v, "a total is of numbers");
	if (mask != NULL && (mask->kind != KT_IR_INTEGER || mask->bits != 32))
		return wrong(v, "the mask of a collective has 32 bits");
	if (mask == NULL && s->number != KT_IR_ACTIVE_MASK)
		return wrong(v, "a collective has a mask");
	return true;
}

static bool condition(struct verifier *v, const struct kt_ir_statement *s)
{
	return (s->value != NULL && s->value->type->kind == KT_IR_BOOL) || wrong(v, "the condition of an if is a bool");
}

static bool selector(struct verifier *v, const struct kt_ir_statement *s)
{
	size_t defaults = 0;

	if (s->value == NULL || s->value->type->kind != KT_IR_INTEGER)
		return wrong(v, "a switch is over an integer");
	for (size_t i = 0; i < s->case_count; i++)
		defaults += s->cases[i].count == 0;
	return defaults <= 1 || wrong(v, "a switch has two defaults");
}

static bool any(struct verifier *v, const struct kt_ir_statement *s)
{
	(void)v;
	(void)s;
	return true;
}

/* What each kind of statement needs besides usable symbols. */
static bool (*const checks[KT_IR_STATEMENT_KINDS])(struct verifier *v, const struct kt_ir_statement *s) = {
    [KT_IR_S_DECLARE] = any,	   [KT_IR_S_LET] = any,		      [KT_IR_S_LOAD] = access,
    [KT_IR_S_SET] = assigned,	   [KT_IR_S_STORE] = access,	      [KT_IR_S_ATOMIC] = atomic,
    [KT_IR_S_BARRIER] = any,	   [KT_IR_S_COLLECTIVE] = collective, [KT_IR_S_FENCE] = any,
    [KT_IR_S_IF] = condition,	   [KT_IR_S_FOR] = for_loop,	      [KT_IR_S_LOOP] = any,
    [KT_IR_S_SWITCH] = selector,   [KT_IR_S_BREAK] = jump,	      [KT_IR_S_CONTINUE] = jump,
    [KT_IR_S_RETURN] = returned,   [KT_IR_S_CALL] = call,	      [KT_IR_S_OPAQUE] = any,
};

static bool is_defining(const struct kt_ir_statement *s)
{
	switch (s->kind) {
	case KT_IR_S_DECLARE:
	case KT_IR_S_LET:
	case KT_IR_S_LOAD:
		return true;
	case KT_IR_S_ATOMIC:
	case KT_IR_S_COLLECTIVE:
	case KT_IR_S_CALL:
	case KT_IR_S_OPAQUE:
		return s->symbol != NULL;
	default:
		return false;
	}
}

static bool has_members(struct verifier *v, const struct kt_ir_statement *s)
{
	const bool needs_place = s->kind == KT_IR_S_LOAD || s->kind == KT_IR_S_STORE || s->kind == KT_IR_S_ATOMIC;
	const bool needs_value = s->kind == KT_IR_S_LET || s->kind == KT_IR_S_STORE || s->kind == KT_IR_S_FOR;

	if ((needs_place && s->place == NULL) || (needs_value && s->value == NULL) ||
	    (s->kind == KT_IR_S_CALL && s->callee == NULL) || (s->kind == KT_IR_S_OPAQUE && s->text == NULL) ||
	    ((s->kind == KT_IR_S_LOAD || s->kind == KT_IR_S_LET || s->kind == KT_IR_S_DECLARE) && s->symbol == NULL))
		return wrong(v, "%s lacks a member", kt_ir_statement_texts[s->kind]);
	return true;
}

static bool bodies(struct verifier *v, const struct kt_ir_statement *s)
{
	const bool is_loop = s->kind == KT_IR_S_FOR || s->kind == KT_IR_S_LOOP;
	const size_t before = v->scope_count;
	const struct kt_ir_statement *const outer = v->next_of;

	if (s->kind == KT_IR_S_FOR && s->otherwise.first != NULL)
		return wrong(v, "a for has one region");
	if (is_loop && v->loop_count == MOST_LOOPS)
		return wrong(v, "nested too deep");
	if (is_loop)
		v->loops[v->loop_count++] = s;
	if (s->kind == KT_IR_S_FOR && !define(v, s->symbol))
		return false;
	if (!region(v, &s->body))
		return false;
	leave(v, before);
	if (is_loop)
		v->next_of = s;
	if (!region(v, &s->otherwise))
		return false;
	v->loop_count -= is_loop;
	v->next_of = outer;
	for (size_t i = 0; i < s->case_count; i++)
		if (!region(v, &s->cases[i].body))
			return false;
	return true;
}

static bool region(struct verifier *v, const struct kt_ir_region *r)
{
	const size_t before = v->scope_count;

	for (const struct kt_ir_statement *s = r->first; s != NULL; s = s->next) {
		if (s->line != 0)
			v->line = s->line;
		if (!has_members(v, s) || !values(v, s) || !checks[s->kind](v, s) || !bodies(v, s) ||
		    (is_defining(s) && !define(v, s->symbol)))
			return false;
		if (s->next == NULL && r->last != s)
			return wrong(v, "a region does not know its last statement");
	}
	leave(v, before);
	return true;
}

/* Is it the same for all threads of a launch, and known before it? */
static bool is_of_launch(const struct kt_ir_value *x)
{
	if (x->place != NULL || (x->op == KT_IR_READ && x->symbol->kind != KT_IR_ARGUMENT) ||
	    (x->op == KT_IR_AXIS && x->axis != KT_IR_BLOCK_DIM && x->axis != KT_IR_GRID_DIM && x->axis != KT_IR_WARP_SIZE))
		return false;
	for (size_t i = 0; i < x->count; i++)
		if (!is_of_launch(x->arguments[i]))
			return false;
	return true;
}

static bool assumptions(struct verifier *v, const struct kt_ir_function *f)
{
	if (f->assumption_count > 0 && !f->is_kernel)
		return wrong(v, "only a kernel has assumptions");
	for (size_t i = 0; i < f->assumption_count; i++) {
		if (!value(v, f->assumptions[i]))
			return false;
		if (!is_of_launch(f->assumptions[i]))
			return wrong(v, "an assumption is over arguments and the extents of the launch");
	}
	return true;
}

static bool function(struct verifier *v, const struct kt_ir_function *f)
{
	const size_t before = v->scope_count;

	v->function = f;
	v->line = f->line;
	if (f->is_kernel && f->result->kind != KT_IR_VOID)
		return wrong(v, "a kernel returns nothing");
	for (size_t i = 0; i < f->argument_count; i++)
		if (!define(v, f->arguments[i]))
			return false;
	if (!assumptions(v, f) || !region(v, &f->body))
		return false;
	leave(v, before);
	return true;
}

kt_status kt_ir_verify(const struct kt_ir_module *module, bool is_applied, struct kt_error *err)
{
	struct kt_arena *scratch = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct verifier v = {.module = module, .err = err, .is_applied = is_applied, .scope_room = module->next_id};
	kt_status status = kt_ir_check(module, err);
	bool is_right = true;

	if (status != KT_OK || scratch == NULL)
		goto done;
	v.states = kt_arena_alloc(scratch, module->next_id + 1);
	v.scope = kt_arena_array(scratch, (size_t)module->next_id + 1, sizeof(struct kt_ir_symbol *));
	v.loops = kt_arena_array(scratch, MOST_LOOPS, sizeof(struct kt_ir_statement *));
	if (v.states == NULL || v.scope == NULL || v.loops == NULL) {
		status = kt_no_memory(err);
		goto done;
	}
	for (size_t i = 0; is_right && i < module->global_count; i++)
		is_right = define(&v, module->globals[i]);
	for (const struct kt_ir_function *f = module->functions; is_right && f != NULL; f = f->next)
		is_right = function(&v, f);
	if (!is_right)
		status = err->code;
done:
	if (scratch == NULL)
		status = kt_no_memory(err);
	kt_arena_free(scratch);
	return status;
}
