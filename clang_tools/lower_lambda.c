/*
 * Lambdas that are called where they are written, or by the name of a variable: functions that are given what they
 * capture, by address, or by value as it was when the lambda was made.
 */
#include <string.h>

#include "lower_internal.h"

static CXCursor stripped(struct kt_lower *l, CXCursor expression)
{
	CXCursor at = kt_lower_bare(l, expression);

	for (;;) {
		const enum CXCursorKind kind = kt_clang.getCursorKind(at);
		const struct kt_lower_children c = kt_lower_children(l, at);

		if (c.count != 1 || (kind != CXCursor_UnexposedExpr && kind != CXCursor_CallExpr))
			return at;
		at = kt_lower_bare(l, c.items[0]);
	}
}

/* ---- Captures ---- */

struct captures {
	struct kt_lower *l;
	struct kt_lower_lambda *lambda;
};

static bool is_captured(const struct kt_lower_lambda *lambda, CXCursor variable)
{
	for (size_t i = 0; i < lambda->count; i++)
		if (kt_clang.equalCursors(lambda->captured[i]->cursor, variable) != 0)
			return true;
	return false;
}

/* Variables of the function around that its text names. */
static enum CXChildVisitResult find_captured(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct captures *c = data;
	struct kt_lower_variable *variable, **slot;

	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_DeclRefExpr &&
	    kt_clang.getCursorKind(cursor) != CXCursor_VariableRef)
		return CXChildVisit_Recurse;
	variable = kt_lower_find(&c->l->body->variables, kt_lower_referenced(cursor));
	if (variable == NULL || is_captured(c->lambda, variable->cursor))
		return CXChildVisit_Recurse;
	slot = kt_arena_push(c->l->arena, &c->lambda->captured, &c->lambda->count, sizeof *slot);
	if (slot == NULL)
		c->l->failed = true;
	else
		*slot = variable;
	return CXChildVisit_Recurse;
}

/* Is it `mutable`? A call then finds in the copies what the calls before it left there. */
static enum CXChildVisitResult find_mutable(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (kt_clang.getCursorKind(cursor) == CXCursor_CXXMethod && kt_clang.CXXMethod_isConst(cursor) == 0 &&
	    kt_clang.CXXMethod_isStatic(cursor) == 0)
		*(bool *)data = true;
	return CXChildVisit_Continue;
}

/* All by reference, or all by value: which of both is told for none alone. */
static bool read_modes(struct kt_lower *l, struct kt_lower_lambda *lambda)
{
	const struct kt_lower_children fields = kt_lower_fields(l, kt_clang.getCursorType(lambda->expression));
	size_t references = 0;
	bool changes = false;

	for (size_t i = 0; i < fields.count; i++)
		references += kt_lower_canonical(fields.items[i]).kind == CXType_LValueReference;
	lambda->is_copy = fields.count > 0 && references == 0;
	if (references != 0 && references != fields.count)
		return kt_lower_cannot(l, "a lambda that captures by value and by reference"), false;
	kt_clang.visitChildren(kt_clang.getTypeDeclaration(kt_clang.getCursorType(lambda->expression)), find_mutable, &changes);
	if (lambda->is_copy && changes)
		return kt_lower_cannot(l, "a lambda that changes its copies"), false;
	return true;
}

/* What is captured by value is read now. */
static bool copy(struct kt_lower *l, struct kt_lower_lambda *lambda)
{
	lambda->values = kt_arena_array(l->arena, lambda->count + 1, sizeof *lambda->values);
	if (lambda->values == NULL)
		return kt_lower_cannot(l, "out of memory"), false;
	for (size_t i = 0; lambda->is_copy && i < lambda->count; i++) {
		struct kt_ir_symbol *symbol = lambda->captured[i]->symbol;

		if (lambda->captured[i]->is_reference || symbol->type->kind == KT_IR_ARRAY)
			return kt_lower_cannot(l, "a lambda with a copy of what is no register"), false;
		lambda->values[i] =
		    symbol->is_memory
			? kt_ir_read(l->module, kt_ir_load(l->module, l->body->region, "",
							   kt_ir_place_of(l->module, symbol), (struct kt_ir_hint){0}))
			: kt_ir_read(l->module,
				     kt_ir_let(l->module, l->body->region, "", kt_ir_read(l->module, symbol)));
		if (lambda->values[i] == NULL)
			return false;
	}
	return true;
}

static struct kt_lower_lambda *make(struct kt_lower *l, CXCursor expression)
{
	struct kt_lower_lambda *lambda = kt_arena_alloc(l->arena, sizeof *lambda);
	struct captures c = {l, lambda};

	NEED(lambda, kt_lower_cannot(l, "out of memory"));
	lambda->expression = expression;
	kt_clang.visitChildren(expression, find_captured, &c);
	l->body->loops += kt_lower_loops(expression);
	return read_modes(l, lambda) && copy(l, lambda) ? lambda : NULL;
}

bool kt_lower_is_lambda(struct kt_lower *l, CXCursor init)
{
	return kt_clang.Cursor_isNull(init) == 0 && kt_clang.getCursorKind(stripped(l, init)) == CXCursor_LambdaExpr;
}

bool kt_lower_lambda_declared(struct kt_lower *l, CXCursor variable, CXCursor init)
{
	struct kt_lower_lambda *lambda = make(l, stripped(l, init));

	return lambda != NULL && kt_lower_put(&l->body->lambdas, l->arena, variable, lambda);
}

/* ---- Calls ---- */

struct kt_lower_lambda *kt_lower_lambda_of(struct kt_lower *l, CXCursor call)
{
	const CXCursor function = kt_lower_referenced(call);
	CXCursor object;

	if (kt_clang.getCursorKind(function) != CXCursor_CXXMethod ||
	    strcmp(kt_lower_spelling(l, function), "operator()") != 0 || kt_clang.Cursor_getNumArguments(call) < 1)
		return NULL;
	object = stripped(l, kt_clang.Cursor_getArgument(call, 0));
	if (kt_clang.getCursorKind(object) == CXCursor_LambdaExpr)
		return make(l, object);
	return kt_clang.getCursorKind(object) == CXCursor_DeclRefExpr
		   ? kt_lower_find(&l->body->lambdas, kt_lower_referenced(object))
		   : NULL;
}

bool kt_lower_add_captured(struct kt_lower *l, const struct kt_lower_lambda *lambda)
{
	for (size_t i = 0; i < lambda->count; i++) {
		const struct kt_lower_variable *outer = lambda->captured[i];
		const struct kt_ir_type *type = outer->symbol->type;
		struct kt_lower_variable *variable = kt_arena_alloc(l->arena, sizeof *variable);

		if (variable == NULL)
			return kt_lower_cannot(l, "out of memory"), false;
		if (!lambda->is_copy && !outer->is_reference)
			type = kt_ir_pointer(l->module, type, KT_IR_SPACE_GENERIC, false, outer->symbol->is_volatile);
		variable->cursor = outer->cursor;
		variable->is_reference = !lambda->is_copy;
		variable->symbol = kt_ir_argument(l->module, l->body->function, type, outer->symbol->hint);
		if (variable->symbol == NULL || !kt_lower_put(&l->body->variables, l->arena, outer->cursor, variable))
			return false;
		if (lambda->is_copy && kt_lower_find(&l->body->in_memory, outer->cursor) != NULL)
			variable->symbol->is_memory = true;
	}
	return true;
}

bool kt_lower_pass_captured(struct kt_lower *l, const struct kt_lower_lambda *lambda, const struct kt_ir_function *f,
			    const struct kt_ir_value **values)
{
	for (size_t i = 0; i < lambda->count; i++) {
		struct kt_lower_variable *outer = lambda->captured[i];
		struct kt_lower_place at = {
		    .type = outer->symbol->type,
		    .variable = outer,
		    .place = outer->symbol->is_memory ? kt_ir_place_of(l->module, outer->symbol) : NULL,
		};

		if (lambda->is_copy)
			values[i] = lambda->values[i];
		else if (outer->is_reference)
			values[i] = kt_ir_read(l->module, outer->symbol);
		else
			values[i] = kt_ir_address(l->module, kt_lower_memory(l, &at));
		values[i] = kt_lower_as(l, values[i], f->arguments[i]->type);
		if (values[i] == NULL)
			return false;
	}
	return true;
}
