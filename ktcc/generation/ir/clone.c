/* Copies of statements within a module: symbols that are defined in what is copied are new ones. */
#include <string.h>

#include "generation/ir/walk.h"

bool kt_ir_cloner_start(struct kt_ir_cloner *c, struct kt_ir_module *module, kt_ir_replacer *replace, void *context)
{
	*c = (struct kt_ir_cloner){.module = module, .room = module->next_id, .replace = replace, .context = context};
	c->symbols = kt_arena_array(module->arena, c->room + 1, sizeof(struct kt_ir_symbol *));
	c->values = kt_arena_array(module->arena, c->room + 1, sizeof(const struct kt_ir_value *));
	return (c->symbols != NULL && c->values != NULL) || kt_ir_fail(module, "out of memory") != NULL;
}

void kt_ir_cloner_again(struct kt_ir_cloner *c)
{
	memset(c->symbols, 0, c->room * sizeof *c->symbols);
	memset(c->values, 0, c->room * sizeof *c->values);
}

static const struct kt_ir_symbol *mapped(const struct kt_ir_cloner *c, const struct kt_ir_symbol *symbol)
{
	return symbol->id < c->room && c->symbols[symbol->id] != NULL ? c->symbols[symbol->id] : symbol;
}

static const struct kt_ir_value *replaced(const struct kt_ir_value *value, void *context)
{
	const struct kt_ir_cloner *c = context;

	if (value->op == KT_IR_READ && value->symbol->id < c->room && c->values[value->symbol->id] != NULL)
		value = c->values[value->symbol->id];
	else if (value->op == KT_IR_READ && mapped(c, value->symbol) != value->symbol)
		value = kt_ir_read(c->module, mapped(c, value->symbol));
	return value == NULL || c->replace == NULL ? value : c->replace(value, c->context);
}

/* Places whose root is memory that was declared inside. */
static const struct kt_ir_place *rooted(const struct kt_ir_cloner *c, const struct kt_ir_place *place)
{
	struct kt_ir_place *copy;

	if (place->symbol == NULL || mapped(c, place->symbol) == place->symbol)
		return place;
	NEED(copy = kt_arena_alloc(c->module->arena, sizeof *copy), kt_ir_fail(c->module, "out of memory"));
	*copy = *place;
	copy->symbol = mapped(c, place->symbol);
	return copy;
}

static const struct kt_ir_value *rerooted(const struct kt_ir_value *value, void *context)
{
	struct kt_ir_cloner *c = context;
	const struct kt_ir_place *place;

	if (value->op == KT_IR_ADDRESS) {
		place = rooted(c, value->place);
		if (place == NULL)
			return NULL;
		if (place != value->place)
			value = kt_ir_convert(c->module, kt_ir_address(c->module, place), value->type, KT_IR_AS_VALUE);
	}
	return value == NULL ? NULL : replaced(value, context);
}

const struct kt_ir_value *kt_ir_clone_value(struct kt_ir_cloner *c, const struct kt_ir_value *value)
{
	return kt_ir_rewrite(c->module, value, rerooted, c);
}

static bool defines(const struct kt_ir_cloner *c, const struct kt_ir_statement *s)
{
	return s->symbol != NULL && s->kind != KT_IR_S_SET && s->symbol->id < c->room &&
	       !(c->shares && s->symbol->kind == KT_IR_SHARED_SYMBOL);
}

static void fresh(struct kt_ir_cloner *c, const struct kt_ir_symbol *old)
{
	struct kt_ir_symbol *made = kt_ir_symbol(c->module, old->kind, old->type, old->hint);
	uint32_t id;

	if (made == NULL)
		return;
	id = made->id;
	*made = *old;
	made->id = id;
	if (old->copy_of == 0)
		made->copy_of = old->id + 1;
	c->symbols[old->id] = made;
	c->values[old->id] = NULL;
}

static void clone_cases(struct kt_ir_cloner *c, struct kt_ir_statement *to, const struct kt_ir_statement *from)
{
	to->cases = kt_arena_array(c->module->arena, from->case_count + 1, sizeof *to->cases);
	if (to->cases == NULL) {
		kt_ir_fail(c->module, "out of memory");
		to->case_count = 0;
		return;
	}
	for (size_t i = 0; i < from->case_count; i++) {
		to->cases[i] = from->cases[i];
		to->cases[i].body = (struct kt_ir_region){NULL, NULL};
		kt_ir_clone(c, &to->cases[i].body, &from->cases[i].body);
	}
}

struct kt_ir_statement *kt_ir_clone_statement(struct kt_ir_cloner *c, struct kt_ir_region *to,
					      const struct kt_ir_statement *from)
{
	struct kt_ir_statement *s = kt_ir_append(c->module, to, from->kind);

	if (s == NULL)
		return NULL;
	*s = *from;
	s->next = NULL;
	s->body = s->otherwise = (struct kt_ir_region){NULL, NULL};
	NEED(s->arguments = kt_arena_array(c->module->arena, from->argument_count + 1, sizeof *s->arguments),
	     kt_ir_fail(c->module, "out of memory"));
	for (size_t i = 0; i < from->argument_count; i++)
		s->arguments[i] = from->arguments[i];
	if (s->place != NULL && (s->place = rooted(c, s->place)) == NULL)
		return NULL;
	(void)kt_ir_rewrite_statement(c->module, s, rerooted, c);
	/* Operands are those from before the definition. */
	if (defines(c, from))
		fresh(c, from->symbol);
	if (s->symbol != NULL && s->symbol->id < c->room && c->symbols[s->symbol->id] != NULL)
		s->symbol = c->symbols[s->symbol->id];
	kt_ir_clone(c, &s->body, &from->body);
	kt_ir_clone(c, &s->otherwise, &from->otherwise);
	clone_cases(c, s, from);
	return s;
}

void kt_ir_clone(struct kt_ir_cloner *c, struct kt_ir_region *to, const struct kt_ir_region *from)
{
	for (const struct kt_ir_statement *s = from->first; s != NULL && !c->module->failed; s = s->next)
		(void)kt_ir_clone_statement(c, to, s);
}
