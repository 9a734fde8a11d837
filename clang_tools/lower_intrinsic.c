/* Functions of the toolkit that the IR has words for, by the rows of intrinsics.def. */
#include <string.h>

#include "lower_internal.h"

enum kind {
	PURE,
	CONVERT,
	OPERATION,
	CONSTRUCT,
	EXTRACT,
	BARRIER,
	FENCE,
	ATOMIC,
	ATOMIC_BLOCK,
	ATOMIC_SYSTEM,
	COLLECTIVE,
	LOAD,
	STORE,
	PRINT,
	TRAP,
	ORDER,
	KINDS
};

static const struct row {
	const char *name;
	enum kind kind;
	unsigned detail;
} rows[] = {
#define KT_IR_INTRINSIC_ROW(name, kind, detail) {name, kind, detail},
#include "generation/ir/intrinsics.def"
};

/*
 * The row of a function that the toolkit declares, which the program may declare again; one of the program alone may have the
 * same name, and is another.
 */
static const struct row *row_of(struct kt_lower *l, CXCursor function)
{
	const char *name = kt_lower_spelling(l, function);
	const bool is_known = kt_lower_is_system(function) || kt_lower_is_system(kt_clang.getCanonicalCursor(function));

	for (size_t i = 0; is_known && i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

/* ---- Arguments ---- */

enum { MOST_ARGUMENTS = 8 };

struct call {
	const struct row *row;
	const struct kt_ir_type *result;
	struct kt_lower_children arguments;
	const struct kt_ir_value *values[MOST_ARGUMENTS]; /* NULL: not evaluated yet */
};

static bool is_reference(CXType type)
{
	const enum CXTypeKind kind = kt_clang.getCanonicalType(type).kind;

	return kind == CXType_LValueReference || kind == CXType_RValueReference;
}

/* The parameter's type without its reference. */
static CXType parameter(CXCursor function, size_t number)
{
	const CXType type = kt_clang.getArgType(kt_lower_canonical(function), (unsigned)number);

	return is_reference(type) ? kt_clang.getPointeeType(kt_clang.getCanonicalType(type)) : type;
}

static bool is_half(const struct kt_ir_type *type)
{
	return type->kind == KT_IR_FLOAT && type->bits == 16;
}

static bool evaluate(struct kt_lower *l, CXCursor function, struct call *c)
{
	for (size_t i = 0; i < c->arguments.count; i++) {
		const struct kt_ir_type *type = kt_lower_type(l, parameter(function, i));

		c->values[i] = type == NULL || i + 1 == c->arguments.count
				   ? kt_lower_value(l, c->arguments.items[i])
				   : kt_lower_before(l, c->arguments.items[i], c->arguments.items[i + 1]);
		/* A pointer keeps its space. */
		if (c->values[i] != NULL && type != NULL && type->kind != KT_IR_POINTER)
			c->values[i] = kt_lower_as(l, c->values[i], type);
		if (c->values[i] == NULL || type == NULL)
			return false;
	}
	return true;
}

/* ---- Kinds ---- */

static const struct kt_ir_value *pure(struct kt_lower *l, struct call *c)
{
	return kt_ir_intrinsic(l->module, c->row->name, c->result, c->values, c->arguments.count);
}

static const struct kt_ir_value *convert(struct kt_lower *l, struct call *c)
{
	return kt_ir_convert(l->module, c->values[0], c->result, (enum kt_ir_mode)c->row->detail);
}

/* Operators of pairs are functions that have names. */
static const char *pair_function(const char *operator, size_t count)
{
	static const char *const names[][2] = {
	    {"operator+", "__hadd2"}, {"operator-", "__hsub2"}, {"operator*", "__hmul2"}, {"operator/", "__h2div"}};

	if (count == 1)
		return strcmp(operator, "operator-") == 0 ? "__hneg2" : NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i][0], operator) == 0)
			return names[i][1];
	return NULL;
}

static const struct kt_ir_value *operation(struct kt_lower *l, struct call *c)
{
	enum kt_ir_op op = (enum kt_ir_op)c->row->detail;
	const struct kt_ir_type *type = c->values[0]->type;
	const char *pair;

	if (type->kind == KT_IR_VECTOR && is_half(type->element)) {
		pair = pair_function(c->row->name, c->arguments.count);
		return pair == NULL ? kt_lower_cannot(l, "'%s' of pairs", c->row->name)
				    : kt_ir_intrinsic(l->module, pair, c->result, c->values, c->arguments.count);
	}
	if (c->arguments.count == 1)
		op = KT_IR_NEG;
	if (!is_half(type))
		return strncmp(c->row->name, "operator", 8) == 0 ? kt_lower_cannot(l, "an operator of the toolkit's")
								 : pure(l, c);
	return kt_lower_as(l, kt_ir_apply(l->module, op, c->values[0], c->values[1], NULL), c->result);
}

static const struct kt_ir_value *construct(struct kt_lower *l, struct call *c)
{
	return kt_ir_construct(l->module, c->result, c->values, c->arguments.count);
}

static const struct kt_ir_value *extract(struct kt_lower *l, struct call *c)
{
	return kt_ir_extract(l->module, c->values[0], c->row->detail);
}

static struct kt_ir_statement *append(struct kt_lower *l, enum kt_ir_statement_kind kind)
{
	return kt_ir_append(l->module, l->body->region, kind);
}

static const struct kt_ir_value *barrier(struct kt_lower *l, struct call *c)
{
	struct kt_ir_statement *s = append(l, KT_IR_S_BARRIER);

	NEED(s, NULL);
	s->scope = (enum kt_ir_scope)c->row->detail;
	s->value = c->values[0];
	return kt_lower_done(l);
}

static const struct kt_ir_value *fence(struct kt_lower *l, struct call *c)
{
	struct kt_ir_statement *s = append(l, KT_IR_S_FENCE);

	NEED(s, NULL);
	s->scope = (enum kt_ir_scope)c->row->detail;
	return kt_lower_done(l);
}

/* A new temporary for the statement's result. */
static const struct kt_ir_value *result(struct kt_lower *l, struct kt_ir_statement *s, const struct kt_ir_type *type)
{
	s->symbol = kt_ir_symbol(l->module, KT_IR_TEMPORARY, type, "");
	return kt_ir_read(l->module, s->symbol);
}

static const struct kt_ir_value *atomic(struct kt_lower *l, struct call *c)
{
	struct kt_lower_place at;
	struct kt_ir_statement *s;

	if (c->arguments.count < 2 || !kt_lower_target(l, c->values[0], &at) || (s = append(l, KT_IR_S_ATOMIC)) == NULL)
		return NULL;
	s->number = c->row->detail;
	s->scope = c->row->kind == ATOMIC_BLOCK    ? KT_IR_BLOCK_SCOPE
		   : c->row->kind == ATOMIC_SYSTEM ? KT_IR_SYSTEM
						   : KT_IR_GRID;
	s->place = at.place;
	s->value = kt_lower_as(l, c->values[1], at.type);
	if (c->arguments.count > 2)
		s->further[0] = kt_lower_as(l, c->values[2], at.type);
	return s->value == NULL ? NULL : c->result->kind == KT_IR_VOID ? kt_lower_done(l) : result(l, s, at.type);
}

static const struct kt_ir_value *collective(struct kt_lower *l, struct call *c)
{
	struct kt_ir_statement *s = append(l, KT_IR_S_COLLECTIVE);
	const struct kt_ir_type *type;

	if (s == NULL)
		return NULL;
	s->number = c->row->detail;
	s->value = c->values[0];
	for (size_t i = 1; i < c->arguments.count && i < 4; i++)
		s->further[i - 1] = c->values[i];
	type = kt_ir_collective_type(l->module, s);
	return type == NULL ? NULL : kt_lower_as(l, result(l, s, type), c->result);
}

static const struct kt_ir_value *load(struct kt_lower *l, struct call *c)
{
	struct kt_lower_place at;

	if (!kt_lower_target(l, c->values[0], &at))
		return NULL;
	if (at.type != c->result)
		return kt_lower_cannot(l, "'%s' of another type", c->row->name);
	return kt_ir_read(l->module, kt_ir_load(l->module, l->body->region, "", at.place,
						(struct kt_ir_hint){.cache = (enum kt_ir_cache)c->row->detail}));
}

static const struct kt_ir_value *store(struct kt_lower *l, struct call *c)
{
	struct kt_lower_place at;
	const struct kt_ir_value *value;

	if (!kt_lower_target(l, c->values[0], &at) || (value = kt_lower_as(l, c->values[1], at.type)) == NULL)
		return NULL;
	return kt_ir_store(l->module, l->body->region, at.place, value,
			   (struct kt_ir_hint){.cache = (enum kt_ir_cache)c->row->detail}) == NULL
		   ? NULL
		   : kt_lower_done(l);
}

static const struct {
	size_t least, most; /* arguments */
	const struct kt_ir_value *(*lower)(struct kt_lower *l, struct call *c);
} kinds[KINDS] = {
    [PURE] = {0, MOST_ARGUMENTS, pure},
    [CONVERT] = {1, 1, convert},
    [OPERATION] = {1, 2, operation},
    [CONSTRUCT] = {1, 4, construct},
    [EXTRACT] = {1, 1, extract},
    [BARRIER] = {0, 1, barrier},
    [FENCE] = {0, 0, fence},
    [ATOMIC] = {2, 3, atomic},
    [ATOMIC_BLOCK] = {2, 3, atomic},
    [ATOMIC_SYSTEM] = {2, 3, atomic},
    [COLLECTIVE] = {0, 4, collective},
    [LOAD] = {1, 1, load},
    [STORE] = {2, 2, store},
};

/* A pure function that is given references, or gives one, is the library's template: another one. */
static bool takes_values(CXCursor function, const struct row *row)
{
	const CXType type = kt_lower_canonical(function);

	if (is_reference(kt_clang.getResultType(type)))
		return false;
	for (int i = 0; row->kind == PURE && i < kt_clang.getNumArgTypes(type); i++)
		if (is_reference(kt_clang.getArgType(type, (unsigned)i)))
			return false;
	return true;
}

const struct kt_ir_value *kt_lower_intrinsic(struct kt_lower *l, CXCursor call, CXCursor function, bool *is_row)
{
	struct call c = {.row = row_of(l, function)};

	*is_row = false;
	if (c.row == NULL || c.row->kind == PRINT || c.row->kind == TRAP || c.row->kind == ORDER || kt_clang.getCursorKind(function) != CXCursor_FunctionDecl ||
	    !takes_values(function, c.row))
		return NULL;
	c.arguments = kt_lower_arguments(l, call);
	if (c.arguments.count < kinds[c.row->kind].least || c.arguments.count > kinds[c.row->kind].most)
		return NULL;
	*is_row = true;
	c.result = kt_lower_type(l, kt_clang.getResultType(kt_lower_canonical(function)));
	if (c.result == NULL || !evaluate(l, function, &c))
		return NULL;
	return kinds[c.row->kind].lower(l, &c);
}

bool kt_lower_only_prints(struct kt_lower *l, CXCursor function)
{
	const struct row *row = row_of(l, function);

	return row != NULL && row->kind == PRINT;
}

bool kt_lower_only_traps(struct kt_lower *l, CXCursor function)
{
	const struct row *row = row_of(l, function);

	return row != NULL && row->kind == TRAP;
}

bool kt_lower_only_orders(struct kt_lower *l, CXCursor function)
{
	const struct row *row = row_of(l, function);

	return row != NULL && row->kind == ORDER;
}

bool kt_lower_only_computes(struct kt_lower *l, CXCursor function)
{
	const struct row *row = row_of(l, function);

	return row != NULL && (row->kind <= EXTRACT || row->kind == LOAD);
}
