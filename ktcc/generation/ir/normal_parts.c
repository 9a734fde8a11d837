/*
 * Normal form: a private structure or vector whose parts alone are used is a local for each part. Those of a structure are its scalar
 * fields; copies of all of it are copies of each.
 */
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

enum { MOST_PARTS = 8 };

struct parts {
	struct kt_ir_module *module;
	size_t count;
	bool *found, *kept;         /* by symbol id: it may be divided, it is not divided */
	struct kt_ir_symbol **made; /* by symbol id and part */
	bool changed;
};

static size_t count_of(const struct kt_ir_type *type)
{
	return type->kind == KT_IR_VECTOR ? (size_t)type->count : type->kind == KT_IR_STRUCT ? type->field_count : 0;
}

static const struct kt_ir_type *type_of(const struct kt_ir_type *type, size_t number)
{
	return type->kind == KT_IR_VECTOR ? type->element : type->fields[number].type;
}

static bool has_scalars(const struct kt_ir_type *type)
{
	const size_t count = count_of(type);

	for (size_t i = 0; i < count; i++)
		if (!kt_ir_is_scalar(type_of(type, i)))
			return false;
	return count > 0 && count <= MOST_PARTS && !type->is_constructed;
}

static bool is_private(const struct kt_ir_symbol *symbol)
{
	return (symbol->kind == KT_IR_LOCAL_SYMBOL || symbol->kind == KT_IR_TEMPORARY) && !symbol->is_volatile && has_scalars(symbol->type);
}

/* ---- Which ones ---- */

static void keep(struct parts *p, const struct kt_ir_symbol *symbol)
{
	if (symbol != NULL)
		p->kept[symbol->id] = true;
}

/* All of it is used, or it has an address. Vectors can be made again of their parts. */
static bool look_at(const struct kt_ir_value *v, void *context)
{
	struct parts *p = context;

	if (v->op == KT_IR_ADDRESS)
		keep(p, v->place->symbol);
	for (size_t i = 0; i < v->count; i++)
		if (v->arguments[i]->op == KT_IR_READ && v->op != KT_IR_EXTRACT && v->arguments[i]->type->kind == KT_IR_STRUCT)
			keep(p, v->arguments[i]->symbol);
	return true;
}

/* The private symbol that the statement gives a value as a whole; NULL: none. */
static struct kt_ir_symbol *set_whole(const struct kt_ir_statement *s)
{
	if (s->kind == KT_IR_S_LET || s->kind == KT_IR_S_SET)
		return s->symbol;
	return s->kind == KT_IR_S_STORE && s->place->count == 0 ? (struct kt_ir_symbol *)(uintptr_t)s->place->symbol : NULL;
}

/* What is given is the whole of another symbol, or made of parts. */
static bool is_copied(const struct kt_ir_value *v)
{
	return v->op == KT_IR_READ || v->op == KT_IR_CONSTRUCT;
}

static bool is_plain(const struct kt_ir_statement *s)
{
	const struct kt_ir_place *place = s->place;

	return (s->kind == KT_IR_S_LOAD || s->kind == KT_IR_S_STORE) && !s->hint.is_volatile && place->count <= 1 &&
	       (place->count == 0 || place->steps[0].kind == KT_IR_FIELD || place->steps[0].kind == KT_IR_LANE_OF);
}

static bool look(struct kt_ir_statement *s, void *context)
{
	struct parts *p = context;
	struct kt_ir_symbol *whole = set_whole(s);

	(void)kt_ir_visit_values(s, look_at, p);
	if (s->symbol != NULL && is_private(s->symbol) && (s->kind == KT_IR_S_LET || s->kind == KT_IR_S_DECLARE || s->kind == KT_IR_S_LOAD))
		p->found[s->symbol->id] = true;
	if (s->kind == KT_IR_S_LOAD && (s->place->symbol == NULL || s->place->symbol->kind != KT_IR_LOCAL_SYMBOL || s->place->count != 0))
		keep(p, s->symbol);
	if (s->kind != KT_IR_S_LET && s->kind != KT_IR_S_SET && s->kind != KT_IR_S_DECLARE && s->kind != KT_IR_S_LOAD)
		keep(p, s->symbol);
	if (s->place != NULL && s->place->symbol != NULL && !is_plain(s))
		keep(p, s->place->symbol);
	if (whole != NULL && is_private(whole) && !is_copied(s->value))
		keep(p, whole);
	for (size_t i = 0; i < s->argument_count; i++)
		if (s->arguments[i]->op == KT_IR_READ && s->arguments[i]->type->kind == KT_IR_STRUCT)
			keep(p, s->arguments[i]->symbol);
	if (whole == NULL && s->value != NULL && s->value->op == KT_IR_READ && s->value->type->kind == KT_IR_STRUCT)
		keep(p, s->value->symbol);
	return true;
}

/* A structure is kept whole where a copy of it is, and so is what is loaded from a structure or vector that is. */
static bool spread(struct kt_ir_statement *s, void *context)
{
	struct parts *p = context;
	struct kt_ir_symbol *to = s->kind == KT_IR_S_LOAD ? s->symbol : set_whole(s);
	const struct kt_ir_symbol *from = s->kind == KT_IR_S_LOAD		       ? (s->place->count == 0 ? s->place->symbol : NULL)
					  : to != NULL && s->value->op == KT_IR_READ ? s->value->symbol
										     : NULL;

	if (to == NULL || from == NULL)
		return true;
	if (to->type->kind == KT_IR_STRUCT && p->kept[to->id] && !p->kept[from->id])
		p->changed = p->kept[from->id] = true;
	if (s->kind == KT_IR_S_LOAD && p->kept[from->id] && !p->kept[to->id])
		p->changed = p->kept[to->id] = true;
	return true;
}

static bool is_divided(const struct parts *p, const struct kt_ir_symbol *symbol)
{
	return symbol != NULL && symbol->id < p->count && p->found[symbol->id] && !p->kept[symbol->id];
}

/* ---- Their parts ---- */

static struct kt_ir_symbol *part(struct parts *p, const struct kt_ir_symbol *symbol, size_t number)
{
	struct kt_ir_symbol **made = &p->made[symbol->id * MOST_PARTS + number];
	const struct kt_ir_type *type = symbol->type;

	if (*made == NULL)
		*made = kt_ir_symbol(p->module, symbol->kind, type_of(type, number), type->kind == KT_IR_STRUCT ? type->fields[number].name : symbol->hint);
	return *made;
}

static const struct kt_ir_value *read_part(struct parts *p, const struct kt_ir_symbol *symbol, size_t number)
{
	struct kt_ir_symbol *made = part(p, symbol, number);

	return made == NULL ? NULL : kt_ir_read(p->module, made);
}

static const struct kt_ir_value *read_all(struct parts *p, const struct kt_ir_symbol *symbol)
{
	const struct kt_ir_value *values[MOST_PARTS];
	const size_t count = count_of(symbol->type);

	for (size_t i = 0; i < count; i++)
		NEED(values[i] = read_part(p, symbol, i), NULL);
	return kt_ir_construct(p->module, symbol->type, values, count);
}

static const struct kt_ir_value *of_parts(const struct kt_ir_value *v, void *context)
{
	struct parts *p = context;
	const struct kt_ir_value *made = v;

	if (v->op == KT_IR_READ && is_divided(p, v->symbol))
		made = read_all(p, v->symbol);
	else if (v->op == KT_IR_EXTRACT && v->arguments[0]->op == KT_IR_CONSTRUCT)
		made = v->arguments[0]->arguments[v->bits[0]];
	return made == NULL ? v : made;
}

static const struct kt_ir_value *extracted(struct parts *p, const struct kt_ir_value *whole, size_t number)
{
	return whole->op == KT_IR_CONSTRUCT ? whole->arguments[number] : kt_ir_extract(p->module, whole, (unsigned)number);
}

static void give(struct parts *p, struct kt_ir_region *to, const struct kt_ir_statement *like, struct kt_ir_symbol *symbol,
		 const struct kt_ir_value *value)
{
	struct kt_ir_statement *made =
	    symbol == NULL ? NULL : kt_ir_statement_new(p->module, symbol->kind == KT_IR_TEMPORARY ? KT_IR_S_LET : KT_IR_S_SET, like);

	if (made == NULL || value == NULL)
		return;
	made->symbol = symbol;
	made->value = value;
	kt_ir_push(to, made);
}

/* All parts at once: the value may read what is set. */
static void give_all(struct parts *p, struct kt_ir_region *to, const struct kt_ir_statement *like, const struct kt_ir_symbol *symbol,
		     const struct kt_ir_value *value)
{
	const struct kt_ir_value *values[MOST_PARTS];
	const size_t count = count_of(symbol->type);

	for (size_t i = 0; i < count && !p->module->failed; i++) {
		struct kt_ir_symbol *held = NULL;

		values[i] = extracted(p, value, i);
		if (symbol->kind != KT_IR_TEMPORARY && values[i] != NULL && values[i]->op != KT_IR_CONSTANT)
			held = kt_ir_let(p->module, to, "", values[i]);
		values[i] = held == NULL ? values[i] : kt_ir_read(p->module, held);
	}
	for (size_t i = 0; i < count && !p->module->failed; i++)
		give(p, to, like, part(p, symbol, i), values[i]);
}

static void declare_all(struct parts *p, struct kt_ir_region *to, const struct kt_ir_symbol *symbol)
{
	for (size_t i = 0; i < count_of(symbol->type); i++) {
		struct kt_ir_symbol *made = part(p, symbol, i);

		if (made != NULL)
			(void)kt_ir_declare(p->module, to, made);
	}
}

/* The statement as statements of parts. False: it stays. */
static bool divide(struct parts *p, struct kt_ir_region *to, struct kt_ir_statement *s)
{
	const struct kt_ir_symbol *whole = set_whole(s), *from = s->place != NULL ? s->place->symbol : NULL;
	const size_t number = s->place != NULL && s->place->count == 1 ? s->place->steps[0].number : 0;

	if (s->kind == KT_IR_S_DECLARE && is_divided(p, s->symbol))
		declare_all(p, to, s->symbol);
	else if (s->kind != KT_IR_S_LOAD && is_divided(p, whole))
		give_all(p, to, s, whole, s->value);
	else if (s->kind == KT_IR_S_LOAD && is_divided(p, from) && s->place->count == 0 && is_divided(p, s->symbol))
		give_all(p, to, s, s->symbol, read_all(p, from));
	else if (s->kind == KT_IR_S_LOAD && is_divided(p, from))
		give(p, to, s, s->symbol, s->place->count == 0 ? read_all(p, from) : read_part(p, from, number));
	else if (s->kind == KT_IR_S_STORE && is_divided(p, from))
		give(p, to, s, part(p, from, number), s->value);
	else
		return false;
	return true;
}

static void each_region(struct parts *p, struct kt_ir_region *region)
{
	struct kt_ir_region made = {NULL, NULL}, *inner;

	for (struct kt_ir_statement *s = region->first, *next; s != NULL && !p->module->failed; s = next) {
		next = s->next;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			each_region(p, inner);
		(void)kt_ir_rewrite_statement(p->module, s, of_parts, p);
		if (!divide(p, &made, s))
			kt_ir_push(&made, s);
	}
	if (!p->module->failed)
		*region = made;
}

static bool has_any(const struct parts *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->found[i] && !p->kept[i])
			return true;
	return false;
}

bool kt_ir_normal_parts(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_parts(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	struct parts p = {.module = n->module, .count = n->module->next_id};

	p.found = kt_arena_array(n->module->arena, p.count + 1, sizeof *p.found);
	p.kept = kt_arena_array(n->module->arena, p.count + 1, sizeof *p.kept);
	if (p.found == NULL || p.kept == NULL)
		return kt_ir_fail(n->module, "out of memory") != NULL;
	(void)kt_ir_visit(&f->body, look, &p);
	do {
		p.changed = false;
		(void)kt_ir_visit(&f->body, spread, &p);
	} while (p.changed);
	if (!has_any(&p))
		return false;
	p.made = kt_arena_array(n->module->arena, (p.count + 1) * MOST_PARTS, sizeof(struct kt_ir_symbol *));
	if (p.made == NULL)
		return kt_ir_fail(n->module, "out of memory") != NULL;
	each_region(&p, &f->body);
	return true;
}
