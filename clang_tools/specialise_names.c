/* What functions and structures of a variant are called. */
#include <string.h>

#include "generation/ir/ir.h"
#include "lower.h"
#include "specialise.h"

enum { MOST_DEPTH = 16 };

/* Names of functions become placeholders: each variant has other ones. */
static void name_functions(struct kt_ir_module *module)
{
	size_t callees = 0;

	for (struct kt_ir_function *f = module->functions; f != NULL; f = f->next) {
		if (f == module->last_function)
			f->name = "${ktune:kernel}";
		else if (f->has_body)
			f->name = kt_arena_printf(module->arena, "${ktune:callee:%zu}", callees++);
		if (f->name != NULL)
			continue;
		(void)kt_ir_fail(module, "out of memory");
		f->name = "";
	}
}

/* Is the structure, or memory that holds it, of that type, or does the type lead to one? */
static bool leads_to(const struct kt_ir_type *type, const struct kt_ir_type *structure, unsigned depth)
{
	if (type == structure || depth == MOST_DEPTH)
		return true;
	if (type->kind == KT_IR_POINTER || type->kind == KT_IR_ARRAY)
		return leads_to(type->element, structure, depth + 1);
	for (size_t i = 0; type->kind == KT_IR_STRUCT && i < type->field_count; i++)
		if (leads_to(type->fields[i].type, structure, depth + 1))
			return true;
	return false;
}

/* Does the kernel alone make objects of it? */
static bool is_inner(const struct kt_ir_module *module, const struct kt_ir_type *structure)
{
	const struct kt_ir_function *kernel = module->last_function;

	for (size_t i = 0; i < kernel->argument_count; i++)
		if (leads_to(kernel->arguments[i]->type, structure, 0))
			return false;
	for (size_t i = 0; i < module->global_count; i++)
		if (leads_to(module->globals[i]->type, structure, 0))
			return false;
	return true;
}

/* Classes without a name, and of an unnamed namespace, are called by where they are. */
static bool is_unnamed(const struct kt_lowered_class *class)
{
	return strchr(class->spelling, '(') != NULL;
}

bool kt_specialise_nameable(const struct kt_ir_module *module, const struct kt_lowered *lowered)
{
	for (const struct kt_ir_type *t = module->types; t != NULL; t = t->next)
		for (size_t i = 0; t->kind == KT_IR_STRUCT && i < lowered->class_count; i++)
			if (strcmp(lowered->classes[i].name, t->name) == 0 && is_unnamed(&lowered->classes[i]) &&
			    !is_inner(module, t))
				return false;
	return true;
}

static void name_class(struct kt_ir_module *module, struct kt_ir_type *t, const struct kt_lowered_class *class, size_t number)
{
	/* Its members have no names outside of it, or it has none. */
	t->is_own = (class->is_private || is_unnamed(class)) && is_inner(module, t);
	t->is_constructed = class->is_constructed && !t->is_own;
	t->name = t->is_own ? kt_arena_printf(module->arena, "${ktune:kernel}_s%zu", number) : class->spelling;
	if (t->name == NULL) {
		(void)kt_ir_fail(module, "out of memory");
		t->name = "";
	}
}

/* Structures are those of the user's, which C++ knows by these names, or have the members of one. */
static void name_classes(struct kt_ir_module *module, const struct kt_lowered *lowered)
{
	for (const struct kt_ir_type *t = module->types; t != NULL; t = t->next)
		for (size_t i = 0; t->kind == KT_IR_STRUCT && i < lowered->class_count; i++)
			if (strcmp(lowered->classes[i].name, t->name) == 0) {
				name_class(module, (struct kt_ir_type *)t, &lowered->classes[i], i);
				break;
			}
}

void kt_specialise_names(struct kt_ir_module *module, const struct kt_lowered *lowered)
{
	name_functions(module);
	name_classes(module, lowered);
}
