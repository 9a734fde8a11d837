/* Modules, their types, symbols and functions. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "generation/ir/ir.h"

const char *const kt_ir_statement_texts[KT_IR_STATEMENT_KINDS] = {
#define KT_IR_STATEMENT(id, text) text,
#include "generation/ir/statements.def"
};

struct kt_ir_module *kt_ir_module_new(struct kt_arena *arena)
{
	struct kt_ir_module *module = kt_arena_alloc(arena, sizeof *module);

	if (module != NULL)
		module->arena = arena;
	return module;
}

void *kt_ir_fail(struct kt_ir_module *module, const char *format, ...)
{
	va_list arguments;

	if (module->failed)
		return NULL;
	module->failed = true;
	module->error.code = KT_ERR_INVALID;
	va_start(arguments, format);
	vsnprintf(module->error.message, sizeof module->error.message, format, arguments);
	va_end(arguments);
	return NULL;
}

kt_status kt_ir_check(const struct kt_ir_module *module, struct kt_error *err)
{
	if (!module->failed)
		return KT_OK;
	*err = module->error;
	return err->code;
}

/* ---- Types ---- */

static bool same_fields(const struct kt_ir_type *a, const struct kt_ir_type *b)
{
	if (a->field_count != b->field_count)
		return false;
	for (size_t i = 0; i < a->field_count; i++)
		if (strcmp(a->fields[i].name, b->fields[i].name) != 0 || a->fields[i].type != b->fields[i].type ||
		    a->fields[i].offset != b->fields[i].offset)
			return false;
	return true;
}

static bool same_type(const struct kt_ir_type *a, const struct kt_ir_type *b)
{
	return a->kind == b->kind && a->bits == b->bits && a->is_signed == b->is_signed && a->is_const == b->is_const &&
	       a->is_volatile == b->is_volatile && a->format == b->format && a->space == b->space &&
	       a->element == b->element && a->count == b->count && a->size == b->size && a->align == b->align &&
	       (a->name == NULL) == (b->name == NULL) && (a->name == NULL || strcmp(a->name, b->name) == 0) &&
	       same_fields(a, b);
}

/* The module's own of that kind: wanted is copied where there is none. */
static const struct kt_ir_type *unique(struct kt_ir_module *module, const struct kt_ir_type *wanted)
{
	struct kt_ir_type *type;

	for (const struct kt_ir_type *t = module->types; t != NULL; t = t->next)
		if (same_type(t, wanted))
			return t;
	NEED(type = kt_arena_alloc(module->arena, sizeof *type), kt_ir_fail(module, "out of memory"));
	*type = *wanted;
	type->next = module->types;
	module->types = type;
	return type;
}

const struct kt_ir_type *kt_ir_void(struct kt_ir_module *module)
{
	return unique(module, &(struct kt_ir_type){.kind = KT_IR_VOID, .align = 1});
}

const struct kt_ir_type *kt_ir_bool(struct kt_ir_module *module)
{
	return unique(module, &(struct kt_ir_type){.kind = KT_IR_BOOL, .bits = 1, .size = 1, .align = 1});
}

const struct kt_ir_type *kt_ir_integer(struct kt_ir_module *module, unsigned bits, bool is_signed)
{
	if (bits < 8 || bits > 128 || (bits & (bits - 1)) != 0)
		return kt_ir_fail(module, "no integer has %u bits", bits);
	return unique(module, &(struct kt_ir_type){
				  .kind = KT_IR_INTEGER,
				  .bits = bits,
				  .is_signed = is_signed,
				  .size = bits / 8,
				  .align = bits / 8,
			      });
}

const struct kt_ir_type *kt_ir_float(struct kt_ir_module *module, enum kt_ir_format format)
{
	static const unsigned bits[] = {[KT_IR_F16] = 16, [KT_IR_BF16] = 16, [KT_IR_F32] = 32, [KT_IR_F64] = 64};

	return unique(module, &(struct kt_ir_type){
				  .kind = KT_IR_FLOAT,
				  .bits = bits[format],
				  .format = format,
				  .size = bits[format] / 8,
				  .align = bits[format] / 8,
			      });
}

const struct kt_ir_type *kt_ir_vector(struct kt_ir_module *module, const struct kt_ir_type *element, int64_t count,
				      uint32_t align)
{
	uint64_t size;

	if (element == NULL)
		return NULL;
	if (!kt_ir_is_number(element) || count < 1 || count > 64)
		return kt_ir_fail(module, "a vector has 1 to 64 numbers");
	size = element->size * (uint64_t)count;
	if (align == 0)
		align = (size & (size - 1)) == 0 && size <= 16 ? (uint32_t)size : element->align;
	return unique(module, &(struct kt_ir_type){
				  .kind = KT_IR_VECTOR,
				  .element = element,
				  .count = count,
				  .size = size,
				  .align = align,
			      });
}

const struct kt_ir_type *kt_ir_array(struct kt_ir_module *module, const struct kt_ir_type *element, int64_t count)
{
	if (element == NULL)
		return NULL;
	if (element->size == 0 || count < -1 || (count > 0 && (uint64_t)count > UINT32_MAX / element->size))
		return kt_ir_fail(module, "an array has between 0 and 4 GiB of elements with a size");
	return unique(module, &(struct kt_ir_type){
				  .kind = KT_IR_ARRAY,
				  .element = element,
				  .count = count,
				  .size = count < 0 ? 0 : element->size * (uint64_t)count,
				  .align = element->align,
			      });
}

const struct kt_ir_type *kt_ir_pointer(struct kt_ir_module *module, const struct kt_ir_type *element,
				       enum kt_ir_space space, bool is_const, bool is_volatile)
{
	if (element == NULL)
		return NULL;
	return unique(module, &(struct kt_ir_type){
				  .kind = KT_IR_POINTER,
				  .bits = 64,
				  .element = element,
				  .space = space,
				  .is_const = is_const,
				  .is_volatile = is_volatile,
				  .size = 8,
				  .align = 8,
			      });
}

const struct kt_ir_type *kt_ir_opaque(struct kt_ir_module *module, uint64_t size, uint32_t align)
{
	if (align == 0 || (align & (align - 1)) != 0)
		return kt_ir_fail(module, "the alignment %u is no power of two", align);
	return unique(module, &(struct kt_ir_type){.kind = KT_IR_OPAQUE, .size = size, .align = align});
}

const struct kt_ir_type *kt_ir_struct_named(const struct kt_ir_module *module, const char *name)
{
	for (const struct kt_ir_type *t = module->types; t != NULL; t = t->next)
		if (t->kind == KT_IR_STRUCT && strcmp(t->name, name) == 0)
			return t;
	return NULL;
}

/* Copies of the fields; NULL where one lies outside of the structure or over the one before. */
static struct kt_ir_field *copy_fields(struct kt_ir_module *module, const char *name, uint64_t size,
				       const struct kt_ir_field *fields, size_t count)
{
	struct kt_ir_field *copy = kt_arena_array(module->arena, count + 1, sizeof *copy);
	uint64_t end = 0;

	NEED(copy, kt_ir_fail(module, "out of memory"));
	for (size_t i = 0; i < count; i++) {
		if (fields[i].type == NULL)
			return NULL;
		if (fields[i].offset < end || fields[i].offset + fields[i].type->size > size)
			return kt_ir_fail(module, "the field '%s' of '%s' overlaps another one, or the end",
					  fields[i].name, name);
		copy[i] = fields[i];
		NEED(copy[i].name = kt_arena_strdup(module->arena, fields[i].name),
		     kt_ir_fail(module, "out of memory"));
		end = fields[i].offset + fields[i].type->size;
	}
	return copy;
}

const struct kt_ir_type *kt_ir_struct(struct kt_ir_module *module, const char *name, uint64_t size, uint32_t align,
				      const struct kt_ir_field *fields, size_t count)
{
	const struct kt_ir_type *old = kt_ir_struct_named(module, name);
	struct kt_ir_type wanted = {.kind = KT_IR_STRUCT, .size = size, .align = align, .field_count = count};

	if (align == 0 || (align & (align - 1)) != 0)
		return kt_ir_fail(module, "the alignment %u is no power of two", align);
	wanted.name = kt_arena_strdup(module->arena, name);
	wanted.fields = copy_fields(module, name, size, fields, count);
	if (wanted.name == NULL || wanted.fields == NULL)
		return kt_ir_fail(module, "out of memory");
	if (old != NULL && !same_type(old, &wanted))
		return kt_ir_fail(module, "there are two structures '%s'", name);
	return unique(module, &wanted);
}

bool kt_ir_is_number(const struct kt_ir_type *type)
{
	return type->kind == KT_IR_INTEGER || type->kind == KT_IR_FLOAT;
}

bool kt_ir_is_scalar(const struct kt_ir_type *type)
{
	return kt_ir_is_number(type) || type->kind == KT_IR_BOOL || type->kind == KT_IR_POINTER;
}

/* ---- Symbols and functions ---- */

struct kt_ir_symbol *kt_ir_symbol(struct kt_ir_module *module, enum kt_ir_symbol_kind kind,
				  const struct kt_ir_type *type, const char *hint)
{
	struct kt_ir_symbol *symbol;

	if (type == NULL)
		return NULL;
	symbol = kt_arena_alloc(module->arena, sizeof *symbol);
	if (symbol == NULL || (symbol->hint = kt_arena_strdup(module->arena, hint)) == NULL)
		return kt_ir_fail(module, "out of memory");
	symbol->kind = kind;
	symbol->type = type;
	symbol->id = module->next_id++;
	symbol->is_memory = kind == KT_IR_SHARED_SYMBOL || kind == KT_IR_GLOBAL_SYMBOL || kind == KT_IR_CONSTANT_SYMBOL ||
			    (kind == KT_IR_LOCAL_SYMBOL && type->kind == KT_IR_ARRAY);
	return symbol;
}

struct kt_ir_function *kt_ir_function(struct kt_ir_module *module, const char *name, bool is_kernel,
				      const struct kt_ir_type *result)
{
	struct kt_ir_function *function;

	if (result == NULL)
		return NULL;
	function = kt_arena_alloc(module->arena, sizeof *function);
	if (function == NULL || (function->name = kt_arena_strdup(module->arena, name)) == NULL)
		return kt_ir_fail(module, "out of memory");
	function->is_kernel = is_kernel;
	function->result = result;
	if (module->last_function == NULL)
		module->functions = function;
	else
		module->last_function->next = function;
	module->last_function = function;
	return function;
}

struct kt_ir_symbol *kt_ir_argument(struct kt_ir_module *module, struct kt_ir_function *function,
				    const struct kt_ir_type *type, const char *hint)
{
	struct kt_ir_symbol *symbol = kt_ir_symbol(module, KT_IR_ARGUMENT, type, hint), **slot;

	if (symbol == NULL)
		return NULL;
	NEED(slot = kt_arena_push(module->arena, &function->arguments, &function->argument_count, sizeof *slot),
	     kt_ir_fail(module, "out of memory"));
	*slot = symbol;
	return symbol;
}

void kt_ir_assume(struct kt_ir_module *module, struct kt_ir_function *kernel, const struct kt_ir_value *condition)
{
	const struct kt_ir_value **slot;
	int64_t truth;

	if (condition == NULL)
		return;
	if (condition->type->kind != KT_IR_BOOL) {
		kt_ir_fail(module, "what is assumed is a bool");
		return;
	}
	if (kt_ir_is_constant(condition, &truth) && truth != 0)
		return;
	for (size_t i = 0; i < kernel->assumption_count; i++)
		if (kt_ir_same(kernel->assumptions[i], condition))
			return;
	slot = kt_arena_push(module->arena, &kernel->assumptions, &kernel->assumption_count, sizeof *slot);
	if (slot == NULL)
		kt_ir_fail(module, "out of memory");
	else
		*slot = condition;
}

struct kt_ir_symbol *kt_ir_global(struct kt_ir_module *module, enum kt_ir_symbol_kind kind,
				  const struct kt_ir_type *type, const char *hint)
{
	struct kt_ir_symbol *symbol = kt_ir_symbol(module, kind, type, hint), **slot;

	if (symbol == NULL)
		return NULL;
	NEED(slot = kt_arena_push(module->arena, &module->globals, &module->global_count, sizeof *slot),
	     kt_ir_fail(module, "out of memory"));
	*slot = symbol;
	return symbol;
}
