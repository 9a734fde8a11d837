#include "generation/ir/roots.h"

#include "generation/ir/walk.h"

struct kt_ir_roots {
	int *symbols; /* by id */
	bool changed;
};

static int join(int a, int b)
{
	if (a == KT_IR_ROOT_NONE || a == b)
		return b;
	return b == KT_IR_ROOT_NONE ? a : KT_IR_ROOT_UNKNOWN;
}

static int of_object(const struct kt_ir_symbol *symbol)
{
	return symbol->kind == KT_IR_GLOBAL_SYMBOL || symbol->kind == KT_IR_CONSTANT_SYMBOL ? KT_IR_ROOT_UNKNOWN : KT_IR_ROOT_PRIVATE;
}

static int of_value(const struct kt_ir_roots *r, const struct kt_ir_value *v)
{
	switch (v->op) {
	case KT_IR_READ:
		return r->symbols[v->symbol->id];
	case KT_IR_ADDRESS:
		return kt_ir_roots_place(r, v->place);
	case KT_IR_CONVERT:
		return v->arguments[0]->type->kind == KT_IR_POINTER ? of_value(r, v->arguments[0]) : KT_IR_ROOT_UNKNOWN;
	case KT_IR_SELECT:
		return join(of_value(r, v->arguments[1]), of_value(r, v->arguments[2]));
	case KT_IR_CONSTANT:
		return KT_IR_ROOT_NONE;
	default:
		return KT_IR_ROOT_UNKNOWN;
	}
}

int kt_ir_roots_place(const struct kt_ir_roots *roots, const struct kt_ir_place *place)
{
	return place->pointer != NULL ? of_value(roots, place->pointer) : of_object(place->symbol);
}

static void put(struct kt_ir_roots *r, const struct kt_ir_symbol *symbol, int root)
{
	const int joined = symbol == NULL ? KT_IR_ROOT_NONE : join(r->symbols[symbol->id], root);

	if (symbol == NULL || symbol->type->kind != KT_IR_POINTER || joined == r->symbols[symbol->id])
		return;
	r->symbols[symbol->id] = joined;
	r->changed = true;
}

struct returned {
	const struct kt_ir_roots *roots;
	int root;
};

static bool add_returned(struct kt_ir_statement *s, void *context)
{
	struct returned *out = context;

	if (s->kind == KT_IR_S_RETURN && s->value != NULL)
		out->root = join(out->root, of_value(out->roots, s->value));
	return true;
}

/* What a call passes, and what it gives. */
static void call(struct kt_ir_roots *r, const struct kt_ir_statement *s)
{
	struct returned result = {r, KT_IR_ROOT_NONE};

	for (size_t i = 0; i < s->argument_count && i < s->callee->argument_count; i++)
		if (s->arguments[i]->type->kind == KT_IR_POINTER)
			put(r, s->callee->arguments[i], of_value(r, s->arguments[i]));
	if (s->symbol == NULL || s->symbol->type->kind != KT_IR_POINTER)
		return;
	(void)kt_ir_visit(&s->callee->body, add_returned, &result);
	put(r, s->symbol, s->callee->has_body ? result.root : KT_IR_ROOT_UNKNOWN);
}

static bool look(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_roots *r = context;

	if (s->kind == KT_IR_S_CALL)
		call(r, s);
	else if ((s->kind == KT_IR_S_SET || s->kind == KT_IR_S_LET) && s->symbol->type->kind == KT_IR_POINTER)
		put(r, s->symbol, of_value(r, s->value));
	else if (s->kind != KT_IR_S_DECLARE)
		/* Loaded from memory, exchanged, or given by what is opaque. */
		put(r, s->symbol, KT_IR_ROOT_UNKNOWN);
	return true;
}

struct kt_ir_roots *kt_ir_roots_find(const struct kt_ir_module *module, const struct kt_ir_function *kernel)
{
	struct kt_ir_roots *r = kt_arena_alloc(module->arena, sizeof *r);
	const size_t count = (size_t)module->next_id + 1;

	if (r == NULL || (r->symbols = kt_arena_array(module->arena, count, sizeof *r->symbols)) == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++)
		r->symbols[i] = KT_IR_ROOT_NONE;
	for (size_t i = 0; i < kernel->argument_count; i++)
		r->symbols[kernel->arguments[i]->id] = (int)i;
	do {
		r->changed = false;
		for (const struct kt_ir_function *f = module->functions; f != NULL; f = f->next)
			(void)kt_ir_visit(&f->body, look, r);
	} while (r->changed);
	return r;
}
