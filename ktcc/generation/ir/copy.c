/* Deep copies of modules. Types and symbols are copied once each; values and places are shared inside a module only. */
#include <string.h>

#include "generation/ir/ir.h"

struct copier {
	struct kt_ir_module *to;
	struct kt_ir_symbol **symbols; /* by id */
	bool is_raw;                   /* origins lead to what is copied */
};

static const struct kt_ir_type *type(struct copier *c, const struct kt_ir_type *from)
{
	struct kt_ir_field *fields;

	if (from == NULL)
		return NULL;
	switch (from->kind) {
	case KT_IR_VOID:
		return kt_ir_void(c->to);
	case KT_IR_BOOL:
		return kt_ir_bool(c->to);
	case KT_IR_INTEGER:
		return kt_ir_integer(c->to, from->bits, from->is_signed);
	case KT_IR_FLOAT:
		return kt_ir_float(c->to, from->format);
	case KT_IR_VECTOR:
		return kt_ir_vector(c->to, type(c, from->element), from->count, from->align);
	case KT_IR_ARRAY:
		return kt_ir_array(c->to, type(c, from->element), from->count);
	case KT_IR_POINTER:
		return kt_ir_pointer(c->to, type(c, from->element), from->space, from->is_const, from->is_volatile);
	case KT_IR_OPAQUE:
		return kt_ir_opaque(c->to, from->size, from->align);
	case KT_IR_STRUCT:
		NEED(fields = kt_arena_array(c->to->arena, from->field_count + 1, sizeof *fields),
		     kt_ir_fail(c->to, "out of memory"));
		for (size_t i = 0; i < from->field_count; i++) {
			fields[i] = from->fields[i];
			fields[i].type = type(c, from->fields[i].type);
		}
		return kt_ir_struct(c->to, from->name, from->size, from->align, fields, from->field_count);
	}
	return NULL;
}

static struct kt_ir_symbol *symbol(struct copier *c, const struct kt_ir_symbol *from)
{
	struct kt_ir_symbol *copy;

	if (from == NULL)
		return NULL;
	if (c->symbols[from->id] != NULL)
		return c->symbols[from->id];
	NEED(copy = kt_arena_alloc(c->to->arena, sizeof *copy), kt_ir_fail(c->to, "out of memory"));
	*copy = *from;
	copy->type = type(c, from->type);
	copy->hint = kt_arena_strdup(c->to->arena, from->hint);
	c->symbols[from->id] = copy;
	return copy->hint == NULL ? kt_ir_fail(c->to, "out of memory") : copy;
}

static const struct kt_ir_place *place(struct copier *c, const struct kt_ir_place *from);

static const char *text(struct copier *c, const char *from)
{
	const char *copy = from == NULL ? NULL : kt_arena_strdup(c->to->arena, from);

	return from != NULL && copy == NULL ? kt_ir_fail(c->to, "out of memory") : copy;
}

static const struct kt_ir_value *value(struct copier *c, const struct kt_ir_value *from)
{
	struct kt_ir_value *copy;

	if (from == NULL)
		return NULL;
	NEED(copy = kt_arena_alloc(c->to->arena, sizeof *copy), kt_ir_fail(c->to, "out of memory"));
	*copy = *from;
	copy->type = type(c, from->type);
	copy->name = text(c, from->name);
	copy->symbol = symbol(c, from->symbol);
	copy->place = place(c, from->place);
	NEED(copy->arguments = kt_arena_array(c->to->arena, from->count + 1, sizeof *copy->arguments),
	     kt_ir_fail(c->to, "out of memory"));
	for (size_t i = 0; i < from->count; i++)
		copy->arguments[i] = value(c, from->arguments[i]);
	return copy;
}

static const struct kt_ir_place *place(struct copier *c, const struct kt_ir_place *from)
{
	struct kt_ir_place *copy;

	if (from == NULL)
		return NULL;
	NEED(copy = kt_arena_alloc(c->to->arena, sizeof *copy), kt_ir_fail(c->to, "out of memory"));
	*copy = *from;
	copy->symbol = symbol(c, from->symbol);
	copy->pointer = value(c, from->pointer);
	copy->type = type(c, from->type);
	NEED(copy->steps = kt_arena_array(c->to->arena, from->count + 1, sizeof *copy->steps),
	     kt_ir_fail(c->to, "out of memory"));
	for (size_t i = 0; i < from->count; i++) {
		copy->steps[i] = from->steps[i];
		copy->steps[i].index = value(c, from->steps[i].index);
		copy->steps[i].type = type(c, from->steps[i].type);
	}
	return copy;
}

static struct kt_ir_function *function_like(struct copier *c, const struct kt_ir_function *from)
{
	for (struct kt_ir_function *f = c->to->functions; from != NULL && f != NULL; f = f->next)
		if (strcmp(f->name, from->name) == 0)
			return f;
	return NULL;
}

static void region(struct copier *c, struct kt_ir_region *to, const struct kt_ir_region *from);

static void cases(struct copier *c, struct kt_ir_statement *to, const struct kt_ir_statement *from)
{
	to->cases = kt_arena_array(c->to->arena, from->case_count + 1, sizeof *to->cases);
	if (to->cases == NULL) {
		kt_ir_fail(c->to, "out of memory");
		to->case_count = 0;
		return;
	}
	for (size_t i = 0; i < from->case_count; i++) {
		to->cases[i].count = from->cases[i].count;
		to->cases[i].beside = from->cases[i].beside;
		const size_t values = from->cases[i].count + from->cases[i].beside;
		to->cases[i].values = kt_arena_array(c->to->arena, values + 1, sizeof(int64_t));
		if (to->cases[i].values == NULL) {
			kt_ir_fail(c->to, "out of memory");
			return;
		}
		if (values > 0)
			memcpy(to->cases[i].values, from->cases[i].values, values * sizeof(int64_t));
		region(c, &to->cases[i].body, &from->cases[i].body);
	}
}

static void statement(struct copier *c, struct kt_ir_statement *to, const struct kt_ir_statement *from)
{
	struct kt_ir_statement *const next = to->next;

	*to = *from;
	to->next = next;
	to->body = to->otherwise = (struct kt_ir_region){0};
	to->origin = c->is_raw ? from : from->origin;
	to->symbol = symbol(c, from->symbol);
	to->value = value(c, from->value);
	for (int i = 0; i < 3; i++)
		to->further[i] = value(c, from->further[i]);
	to->place = place(c, from->place);
	to->callee = function_like(c, from->callee);
	to->text = text(c, from->text);
	to->arguments = kt_arena_array(c->to->arena, from->argument_count + 1, sizeof *to->arguments);
	for (size_t i = 0; to->arguments != NULL && i < from->argument_count; i++)
		to->arguments[i] = value(c, from->arguments[i]);
	if (to->arguments == NULL)
		kt_ir_fail(c->to, "out of memory");
	region(c, &to->body, &from->body);
	region(c, &to->otherwise, &from->otherwise);
	cases(c, to, from);
}

static void region(struct copier *c, struct kt_ir_region *to, const struct kt_ir_region *from)
{
	struct kt_ir_statement *copy;

	for (const struct kt_ir_statement *s = from->first; s != NULL && !c->to->failed; s = s->next) {
		copy = kt_ir_append(c->to, to, s->kind);
		if (copy != NULL)
			statement(c, copy, s);
	}
}

static void function(struct copier *c, const struct kt_ir_function *from)
{
	struct kt_ir_function *to = kt_ir_function(c->to, from->name, from->is_kernel, type(c, from->result)), kept;

	if (to == NULL)
		return;
	kept = *to;
	*to = *from;
	to->name = kept.name;
	to->result = kept.result;
	to->next = NULL;
	to->body = (struct kt_ir_region){0};
	to->arguments = kt_arena_array(c->to->arena, from->argument_count + 1, sizeof(struct kt_ir_symbol *));
	if (to->arguments == NULL) {
		kt_ir_fail(c->to, "out of memory");
		return;
	}
	for (size_t i = 0; i < from->argument_count; i++)
		to->arguments[i] = symbol(c, from->arguments[i]);
	to->assumptions = NULL;
	to->assumption_count = 0;
	for (size_t i = 0; i < from->assumption_count; i++)
		kt_ir_assume(c->to, to, value(c, from->assumptions[i]));
	region(c, &to->body, &from->body);
}

/* Structures first, in the order of their making: the list of types has the last one in front. */
static void structures(struct copier *c, const struct kt_ir_type *from)
{
	if (from == NULL)
		return;
	structures(c, from->next);
	if (from->kind == KT_IR_STRUCT)
		type(c, from);
}

struct kt_ir_module *kt_ir_copy(const struct kt_ir_module *module, struct kt_arena *arena, bool is_raw)
{
	struct copier c = {.to = kt_ir_module_new(arena), .is_raw = is_raw};
	struct kt_ir_symbol **slot;

	if (c.to == NULL)
		return NULL;
	c.symbols = kt_arena_array(arena, (size_t)module->next_id + 1, sizeof(struct kt_ir_symbol *));
	if (c.symbols == NULL)
		return NULL;
	c.to->flags = module->flags;
	c.to->next_id = module->next_id;
	c.to->failed = module->failed;
	c.to->error = module->error;
	structures(&c, module->types);
	for (size_t i = 0; i < module->global_count; i++) {
		slot = kt_arena_push(arena, &c.to->globals, &c.to->global_count, sizeof *slot);
		if (slot == NULL)
			return NULL;
		*slot = symbol(&c, module->globals[i]);
	}
	for (const struct kt_ir_function *f = module->functions; f != NULL; f = f->next)
		function(&c, f);
	return c.to;
}
