/* Questions of the front about cursors, and its maps. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lower_internal.h"

void *kt_lower_cannot(struct kt_lower *l, const char *format, ...)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	va_list arguments;

	if (l->why != NULL)
		return NULL;
	va_start(arguments, format);
	kt_buf_vaddf(&text, format, arguments);
	va_end(arguments);
	l->why = kt_arena_strdup(l->arena, kt_buf_text(&text));
	l->failed |= l->why == NULL;
	kt_buf_free(&text);
	return NULL;
}

/* ---- Maps ---- */

static struct kt_lower_slot *slot_of(const struct kt_lower_map *map, CXCursor cursor)
{
	size_t at = kt_clang.hashCursor(cursor) & (map->room - 1);

	while (map->slots[at].used && kt_clang.equalCursors(map->slots[at].cursor, cursor) == 0)
		at = (at + 1) & (map->room - 1);
	return &map->slots[at];
}

void *kt_lower_find(const struct kt_lower_map *map, CXCursor cursor)
{
	const struct kt_lower_slot *slot = map->room == 0 ? NULL : slot_of(map, cursor);

	return slot != NULL && slot->used ? slot->value : NULL;
}

bool kt_lower_put(struct kt_lower_map *map, struct kt_arena *arena, CXCursor cursor, void *value)
{
	struct kt_lower_map larger = {.room = map->room == 0 ? 32 : map->room * 2};
	struct kt_lower_slot *slot;

	if (map->count * 2 >= map->room) {
		NEED(larger.slots = kt_arena_array(arena, larger.room, sizeof *larger.slots), false);
		for (size_t i = 0; i < map->room; i++)
			if (map->slots[i].used) {
				*slot_of(&larger, map->slots[i].cursor) = map->slots[i];
				larger.count++;
			}
		*map = larger;
	}
	slot = slot_of(map, cursor);
	map->count += !slot->used;
	*slot = (struct kt_lower_slot){cursor, value, true};
	return true;
}

/* ---- Cursors ---- */

struct collected {
	struct kt_lower *l;
	struct kt_lower_children children;
	bool is_expression;
};

static bool is_name_part(enum CXCursorKind kind)
{
	return kind == CXCursor_TypeRef || kind == CXCursor_TemplateRef || kind == CXCursor_NamespaceRef;
}

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct collected *c = data;
	CXCursor *slot;

	(void)parent;
	if (is_name_part(kt_clang.getCursorKind(cursor)))
		return CXChildVisit_Continue;
	slot = kt_arena_push(c->l->arena, &c->children.items, &c->children.count, sizeof *slot);
	if (slot == NULL) {
		c->l->failed = true;
		return CXChildVisit_Break;
	}
	*slot = cursor;
	return CXChildVisit_Continue;
}

struct kt_lower_children kt_lower_children(struct kt_lower *l, CXCursor cursor)
{
	struct collected c = {.l = l};

	kt_clang.visitChildren(cursor, collect, &c);
	return c.children;
}

const char *kt_lower_text(struct kt_lower *l, CXString string)
{
	const char *text = kt_clang_text(l->arena, string);

	l->failed |= text == NULL;
	return text == NULL ? "" : text;
}

const char *kt_lower_spelling(struct kt_lower *l, CXCursor cursor)
{
	return kt_lower_text(l, kt_clang.getCursorSpelling(cursor));
}

const char *kt_lower_printed(struct kt_lower *l, CXCursor declaration)
{
	CXPrintingPolicy policy = kt_clang.getCursorPrintingPolicy(declaration);
	const char *text = kt_lower_text(l, kt_clang.getCursorPrettyPrinted(declaration, policy));

	kt_clang.PrintingPolicy_dispose(policy);
	return text;
}

CXType kt_lower_canonical(CXCursor cursor)
{
	return kt_clang.getCanonicalType(kt_clang.getCursorType(cursor));
}

/* The compiler declares its own functions where they are first used; the language keeps their names for it. */
static bool is_builtin(CXCursor declaration)
{
	static const char prefix[] = "__builtin_";
	CXString name;
	bool found;

	if (kt_clang.getCursorKind(declaration) != CXCursor_FunctionDecl)
		return false;
	name = kt_clang.getCursorSpelling(declaration);
	found = strncmp(kt_clang.getCString(name), prefix, sizeof prefix - 1) == 0;
	kt_clang.disposeString(name);
	return found;
}

bool kt_lower_is_system(CXCursor declaration)
{
	const CXSourceLocation at = kt_clang.getCursorLocation(declaration);
	CXFile file = NULL;

	/* What the compiler has built in is nowhere. */
	kt_clang.getFileLocation(at, &file, NULL, NULL, NULL);
	return file == NULL || kt_clang.Location_isInSystemHeader(at) != 0 || is_builtin(declaration);
}

CXCursor kt_lower_referenced(CXCursor expression)
{
	return kt_clang.getCursorReferenced(expression);
}

static enum CXChildVisitResult note_first(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (is_name_part(kt_clang.getCursorKind(cursor)))
		return CXChildVisit_Continue;
	*(CXCursor *)data = cursor;
	return CXChildVisit_Break;
}

static bool is_function(CXCursor cursor)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

	return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod || kind == CXCursor_FunctionTemplate;
}

CXCursor kt_lower_called(CXCursor call)
{
	enum { MOST_NESTED = 8 };
	const CXCursor named = kt_lower_referenced(call);
	CXCursor at = call;

	for (int i = 0; kt_clang.Cursor_isNull(named) != 0 && i < MOST_NESTED; i++) {
		CXCursor inner = kt_clang.getNullCursor();
		enum CXCursorKind kind;

		(void)kt_clang.visitChildren(at, note_first, &inner);
		if (kt_clang.Cursor_isNull(inner) != 0)
			break;
		kind = kt_clang.getCursorKind(inner);
		if (kind == CXCursor_DeclRefExpr && is_function(kt_lower_referenced(inner)))
			return kt_lower_referenced(inner);
		/* A parameter of a template is a name that refers to nothing, around what takes its place. */
		if (kind == CXCursor_DeclRefExpr && kt_clang.Cursor_isNull(kt_lower_referenced(inner)) == 0)
			break;
		if (kind != CXCursor_DeclRefExpr && kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr &&
		    kind != CXCursor_UnaryOperator)
			break;
		at = inner;
	}
	return named;
}

uint32_t kt_lower_line(const struct kt_lower *l, CXCursor cursor)
{
	CXFile file = NULL;
	unsigned line = 0;

	kt_clang.getFileLocation(kt_clang.getCursorLocation(cursor), &file, &line, NULL, NULL);
	if (file != NULL && l->main_file != NULL && kt_clang.File_isEqual(file, l->main_file) != 0 &&
	    line > KT_LOWER_PRELUDE_LINES)
		line -= KT_LOWER_PRELUDE_LINES;
	return line;
}

bool kt_lower_is_class(CXType type)
{
	return kt_clang.getCanonicalType(type).kind == CXType_Record;
}

/* ---- Expressions ---- */

/* The only child of an expression that has one; else null. */
static CXCursor only_child(struct kt_lower *l, CXCursor expression)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);

	return c.count == 1 ? c.items[0] : kt_clang.getNullCursor();
}

CXCursor kt_lower_bare(struct kt_lower *l, CXCursor expression)
{
	CXCursor child;

	while (kt_clang.getCursorKind(expression) == CXCursor_ParenExpr) {
		child = only_child(l, expression);
		if (kt_clang.Cursor_isNull(child) != 0)
			return expression;
		expression = child;
	}
	return expression;
}

/* The same type, whatever its qualifiers. */
static bool same_unqualified(CXType a, CXType b)
{
	const CXType x = kt_clang.getCanonicalType(kt_clang.getUnqualifiedType(kt_clang.getCanonicalType(a)));
	const CXType y = kt_clang.getCanonicalType(kt_clang.getUnqualifiedType(kt_clang.getCanonicalType(b)));

	return x.kind == y.kind && x.data[0] == y.data[0] && x.data[1] == y.data[1];
}

/*
 * A conversion that is not written. Of an object it gives the object again where only qualifiers are added (which a
 * value of a scalar type has none of), or where the object is of a class; else its value.
 */
static bool is_lvalue_conversion(struct kt_lower *l, CXCursor expression)
{
	const CXCursor child = only_child(l, expression);
	const CXType type = kt_lower_canonical(expression);

	if (kt_clang.Cursor_isNull(child) != 0 || !kt_lower_is_lvalue(l, child))
		return false;
	if (kt_lower_is_class(type))
		/* An object of another class: its base. */
		return kt_lower_is_class(kt_clang.getCursorType(child));
	return (kt_clang.isConstQualifiedType(type) != 0 || kt_clang.isVolatileQualifiedType(type) != 0) &&
	       same_unqualified(type, kt_clang.getCursorType(child));
}

static bool gives_reference(CXCursor call)
{
	const CXCursor function = kt_lower_called(call);
	const CXType result = kt_clang.getCanonicalType(kt_clang.getResultType(kt_clang.getCursorType(function)));

	return kt_clang.getCursorKind(function) != CXCursor_Constructor &&
	       (result.kind == CXType_LValueReference || result.kind == CXType_RValueReference);
}

/* A cast of an array to a pointer, which is a value. */
static bool is_decay(CXCursor expression, CXCursor operand)
{
	const enum CXTypeKind from = kt_lower_canonical(operand).kind;

	return kt_lower_canonical(expression).kind == CXType_Pointer &&
	       (from == CXType_ConstantArray || from == CXType_IncompleteArray);
}

bool kt_lower_is_lvalue(struct kt_lower *l, CXCursor expression)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);
	enum CXCursorKind kind;
	const char *op;

	switch ((int)kt_clang.getCursorKind(expression)) {
	case CXCursor_DeclRefExpr:
		kind = kt_clang.getCursorKind(kt_lower_referenced(expression));
		return kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl;
	case CXCursor_MemberRefExpr:
		kind = kt_clang.getCursorKind(kt_lower_referenced(expression));
		return kind == CXCursor_FieldDecl || kind == CXCursor_VarDecl;
	case CXCursor_ArraySubscriptExpr:
	case CXCursor_StringLiteral:
		return true;
	case CXCursor_ParenExpr:
		return c.count == 1 && kt_lower_is_lvalue(l, c.items[0]);
	case CXCursor_UnaryOperator:
		op = kt_operator(expression);
		return strcmp(op, "*") == 0 ||
		       ((strcmp(op, "++") == 0 || strcmp(op, "--") == 0) && !kt_operator_is_postfix(expression));
	case CXCursor_BinaryOperator:
		op = kt_operator(expression);
		return strcmp(op, "=") == 0 ||
		       (strcmp(op, ",") == 0 && c.count == 2 && kt_lower_is_lvalue(l, c.items[1]));
	case CXCursor_CompoundAssignOperator:
		return true;
	case CXCursor_ConditionalOperator:
		return c.count == 3 && kt_lower_is_lvalue(l, c.items[1]) && kt_lower_is_lvalue(l, c.items[2]);
	case CXCursor_CallExpr:
		return gives_reference(expression);
	case CXCursor_UnexposedExpr:
		return is_lvalue_conversion(l, expression);
	case CXCursor_CStyleCastExpr:
	case CXCursor_CXXStaticCastExpr:
	case CXCursor_CXXConstCastExpr:
	case CXCursor_CXXReinterpretCastExpr:
		return c.count > 0 && kt_lower_canonical(expression).kind != CXType_Void &&
		       kt_lower_is_lvalue(l, c.items[c.count - 1]) && !is_decay(expression, c.items[c.count - 1]);
	default:
		return false;
	}
}

struct setting {
	struct kt_lower *l;
	const struct kt_ir_value *value;
	bool found;
};

static bool reads(const struct kt_ir_value *value, const struct kt_ir_symbol *symbol)
{
	if (value == NULL)
		return false;
	if (value->op == KT_IR_READ && value->symbol == symbol)
		return true;
	for (size_t i = 0; i < value->count; i++)
		if (reads(value->arguments[i], symbol))
			return true;
	if (value->place == NULL)
		return false;
	for (size_t i = 0; i < value->place->count; i++)
		if (reads(value->place->steps[i].index, symbol))
			return true;
	return reads(value->place->pointer, symbol);
}

/* Does it assign to a variable that the value reads? Memory is loaded by statements, which keep their order. */
static enum CXChildVisitResult find_set(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	const char *op = kind == CXCursor_UnaryOperator || kind == CXCursor_BinaryOperator ? kt_operator(cursor) : "";
	struct setting *s = data;
	struct kt_lower_children c;
	struct kt_lower_variable *variable;

	(void)parent;
	if (kind != CXCursor_CompoundAssignOperator && kind != CXCursor_CallExpr && strcmp(op, "=") != 0 &&
	    strcmp(op, "++") != 0 && strcmp(op, "--") != 0)
		return CXChildVisit_Recurse;
	/* Of a call, an operator that assigns has its target among the children, too. */
	c = kt_lower_children(s->l, cursor);
	for (size_t i = 0; i < c.count && (i == 0 || kind == CXCursor_CallExpr); i++) {
		const CXCursor target = kt_lower_bare(s->l, c.items[i]);

		if (kt_clang.getCursorKind(target) != CXCursor_DeclRefExpr)
			continue;
		variable = kt_lower_find(&s->l->body->variables, kt_lower_referenced(target));
		s->found = s->found || (variable != NULL && reads(s->value, variable->symbol));
	}
	return s->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

bool kt_lower_sets(struct kt_lower *l, CXCursor expression, const struct kt_ir_value *value)
{
	struct setting s = {l, value, false};

	if (find_set(expression, kt_clang.getNullCursor(), &s) == CXChildVisit_Recurse)
		kt_clang.visitChildren(expression, find_set, &s);
	return s.found;
}
