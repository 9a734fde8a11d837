/* Expressions that give values. */
#include <string.h>

#include "lower_internal.h"

/* What is given where only success counts. */
static const struct kt_ir_value *nothing(struct kt_lower *l)
{
	return kt_ir_constant(l->module, kt_ir_bool(l->module), 0);
}

const struct kt_ir_value *kt_lower_constant(struct kt_lower *l, CXCursor expression)
{
	const struct kt_ir_type *type = kt_lower_type(l, kt_clang.getCursorType(expression));
	CXEvalResult result = type == NULL ? NULL : kt_clang.Cursor_Evaluate(expression);
	const struct kt_ir_value *value = NULL;
	CXEvalResultKind kind;

	if (result == NULL)
		return kt_lower_cannot(l, "a constant that has no value");
	kind = kt_clang.EvalResult_getKind(result);
	if (kind == CXEval_Int && (type->kind == KT_IR_INTEGER || type->kind == KT_IR_BOOL))
		value = kt_ir_constant(l->module, type, kt_clang.EvalResult_getAsLongLong(result));
	else if (kind == CXEval_Int && type->kind == KT_IR_FLOAT)
		value = kt_ir_real(l->module, type, (double)kt_clang.EvalResult_getAsLongLong(result));
	else if (kind == CXEval_Float && type->kind == KT_IR_FLOAT)
		value = kt_ir_real(l->module, type, kt_clang.EvalResult_getAsDouble(result));
	kt_clang.EvalResult_dispose(result);
	return value != NULL ? value : kt_lower_cannot(l, "a constant of another kind than its type");
}

static const struct kt_ir_value *null_pointer(struct kt_lower *l, CXCursor expression)
{
	const struct kt_ir_type *type = kt_lower_type(l, kt_clang.getCursorType(expression));

	return type == NULL ? NULL : kt_lower_zero(l, type);
}

static const struct kt_ir_value *declared(struct kt_lower *l, CXCursor expression)
{
	const CXCursor target = kt_lower_referenced(expression);
	const struct kt_lower_children c = kt_lower_children(l, expression);
	const struct kt_ir_value *value;
	const struct kt_ir_type *type;

	if (kt_clang.getCursorKind(target) == CXCursor_EnumConstantDecl) {
		type = kt_lower_type(l, kt_clang.getCursorType(expression));
		return type == NULL ? NULL : kt_ir_constant(l->module, type, kt_clang.getEnumConstantDeclValue(target));
	}
	/* A template's parameter that has been replaced. */
	if (c.count == 1)
		return kt_lower_as(l, kt_lower_value(l, c.items[0]),
				   kt_lower_type(l, kt_clang.getCursorType(expression)));
	/* A variable of a template that is a constant. */
	value = kt_clang.isConstQualifiedType(kt_clang.getCursorType(target)) != 0 ? kt_lower_constant(l, expression) : NULL;
	if (value != NULL)
		return value;
	l->why = NULL;
	return kt_lower_cannot(l, "the name '%s'", kt_lower_spelling(l, expression));
}

static const struct kt_ir_value *member(struct kt_lower *l, CXCursor expression)
{
	return declared(l, expression);
}

static const struct kt_ir_value *inner(struct kt_lower *l, CXCursor expression)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);

	return c.count == 1 ? kt_lower_value(l, c.items[0]) : kt_lower_cannot(l, "an expression without a child");
}

/* The address of an array's first element. */
static const struct kt_ir_value *decayed(struct kt_lower *l, CXCursor array, const struct kt_ir_type *type)
{
	const struct kt_ir_value *zero = kt_ir_constant(l->module, kt_ir_integer(l->module, 64, true), 0);
	struct kt_lower_place at;
	const struct kt_ir_place *memory;

	(void)type;
	if (!kt_lower_place(l, array, &at))
		return NULL;
	memory = kt_lower_memory(l, &at);
	return memory == NULL ? NULL : kt_ir_address(l->module, kt_ir_index(l->module, memory, zero));
}

static bool is_array(CXType type)
{
	const CXType canonical = kt_clang.getCanonicalType(type);

	return canonical.kind == CXType_ConstantArray || canonical.kind == CXType_IncompleteArray;
}

/* A conversion, written or not, from the child's type to the expression's. */
const struct kt_ir_value *kt_lower_converted(struct kt_lower *l, CXCursor child, const struct kt_ir_type *type)
{
	const struct kt_ir_value *value;

	if (type == NULL)
		return NULL;
	if (type->kind == KT_IR_VOID)
		return kt_lower_effects(l, child) ? nothing(l) : NULL;
	/* `assert(n > 0 && "what it means")` */
	if (type->kind == KT_IR_BOOL && kt_lower_is_text(l, child))
		return kt_ir_constant(l->module, type, 1);
	if (is_array(kt_clang.getCursorType(child)) && type->kind == KT_IR_POINTER) {
		value = decayed(l, child, type);
		/* Its memory space is known, which the type of C++ does not state. */
		if (value != NULL && value->type->element == type->element && value->type->is_const == type->is_const)
			return value;
		return kt_lower_as(l, value, type);
	}
	value = kt_lower_value(l, child);
	if (value == NULL || value->type == type)
		return value;
	/* A pointer keeps its space. */
	if (value->type->kind == KT_IR_POINTER && type->kind == KT_IR_POINTER)
		type = kt_ir_pointer(l->module, type->element, value->type->space, type->is_const, type->is_volatile);
	if (value->type->kind == KT_IR_VECTOR && type->kind == KT_IR_VECTOR)
		return kt_lower_cannot(l, "a conversion of vectors");
	return kt_lower_as(l, value, type);
}

/* One kind for many things: it is a conversion where it has one child that is an expression. */
static const struct kt_ir_value *unexposed(struct kt_lower *l, CXCursor expression)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);

	if (c.count == 0)
		return kt_lower_constant(l, expression);
	if (c.count != 1 || kt_clang.isExpression(kt_clang.getCursorKind(c.items[0])) == 0)
		return kt_lower_cannot(l, "an expression of %zu parts without a kind", c.count);
	return kt_lower_converted(l, c.items[0], kt_lower_type(l, kt_clang.getCursorType(expression)));
}

static const struct kt_ir_value *cast(struct kt_lower *l, CXCursor expression)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);
	const struct kt_ir_type *type = kt_lower_type(l, kt_clang.getCursorType(expression));
	CXCursor operand;

	if (type == NULL)
		return NULL;
	if (c.count == 0)
		return kt_lower_zero(l, type);
	/* The arguments of a template in the type come first. */
	operand = c.items[c.count - 1];
	if (kt_clang.isExpression(kt_clang.getCursorKind(operand)) == 0)
		return kt_lower_cannot(l, "a cast of %zu parts", c.count);
	if (kt_clang.getCursorKind(operand) == CXCursor_InitListExpr)
		return kt_lower_initial(l, type, operand);
	return kt_lower_converted(l, operand, type);
}

static const struct kt_ir_value *list(struct kt_lower *l, CXCursor expression)
{
	return kt_lower_initial(l, kt_lower_type(l, kt_clang.getCursorType(expression)), expression);
}

static const struct kt_ir_value *conditional(struct kt_lower *l, CXCursor expression)
{
	return kt_lower_conditional(l, expression, true);
}

static const struct kt_ir_value *call(struct kt_lower *l, CXCursor expression)
{
	return kt_lower_call(l, expression, true);
}

static const struct kt_ir_value *self(struct kt_lower *l, CXCursor expression)
{
	const struct kt_lower_variable *variable = kt_lower_find(&l->body->variables, l->body->cursor);

	(void)expression;
	return variable == NULL ? kt_lower_cannot(l, "'this'") : kt_ir_read(l->module, variable->symbol);
}

static const struct {
	enum CXCursorKind kind;
	const struct kt_ir_value *(*lower)(struct kt_lower *l, CXCursor expression);
} contracts[] = {
    {CXCursor_IntegerLiteral, kt_lower_constant},
    {CXCursor_FloatingLiteral, kt_lower_constant},
    {CXCursor_CharacterLiteral, kt_lower_constant},
    {CXCursor_CXXBoolLiteralExpr, kt_lower_constant},
    {CXCursor_UnaryExpr, kt_lower_constant}, /* sizeof and its kin */
    {CXCursor_SizeOfPackExpr, kt_lower_constant},
    {CXCursor_CXXNullPtrLiteralExpr, null_pointer},
    {CXCursor_GNUNullExpr, null_pointer}, /* NULL */
    {CXCursor_DeclRefExpr, declared},
    {CXCursor_MemberRefExpr, member},
    {CXCursor_ParenExpr, inner},
    {CXCursor_UnexposedExpr, unexposed},
    {CXCursor_CStyleCastExpr, cast},
    {CXCursor_CXXStaticCastExpr, cast},
    {CXCursor_CXXReinterpretCastExpr, cast},
    {CXCursor_CXXConstCastExpr, cast},
    {CXCursor_CXXFunctionalCastExpr, cast},
    {CXCursor_UnaryOperator, kt_lower_unary},
    {CXCursor_BinaryOperator, kt_lower_binary},
    {CXCursor_ConditionalOperator, conditional},
    {CXCursor_CallExpr, call},
    {CXCursor_InitListExpr, list},
    {CXCursor_CXXThisExpr, self},
};

const struct kt_ir_value *kt_lower_value(struct kt_lower *l, CXCursor expression)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(expression);
	struct kt_lower_place at;

	if (l->failed)
		return NULL;
	if (kind == CXCursor_StringLiteral)
		return kt_lower_cannot(l, "a string");
	if (kt_lower_is_lvalue(l, expression))
		return kind == CXCursor_ConditionalOperator ? kt_lower_conditional(l, expression, true)
		       : kt_lower_place(l, expression, &at) ? kt_lower_read(l, &at)
							    : NULL;
	for (size_t i = 0; i < sizeof contracts / sizeof *contracts; i++)
		if (contracts[i].kind == kind)
			return contracts[i].lower(l, expression);
	return kt_lower_cannot(l, "an expression of the kind %d", (int)kind);
}

struct ordering {
	struct kt_lower *l;
	bool found;
};

static enum CXChildVisitResult find_ordered(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct ordering *o = data;
	CXCursor function;

	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_CallExpr)
		return CXChildVisit_Recurse;
	function = kt_lower_referenced(cursor);
	if (kt_clang.getCursorKind(function) == CXCursor_FunctionDecl)
		o->found = !kt_lower_only_computes(o->l, function);
	return o->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* Is there a call in it that is a separate statement? What comes before is computed before, as nvcc does. */
static bool is_ordered(struct kt_lower *l, CXCursor expression)
{
	struct ordering o = {l, false};

	if (find_ordered(expression, kt_clang.getNullCursor(), &o) == CXChildVisit_Recurse)
		kt_clang.visitChildren(expression, find_ordered, &o);
	return o.found;
}

static bool is_work(const struct kt_ir_value *value)
{
	return value->op != KT_IR_CONSTANT && value->op != KT_IR_READ && value->op != KT_IR_AXIS &&
	       value->op != KT_IR_ADDRESS && value->type->kind != KT_IR_POINTER;
}

const struct kt_ir_value *kt_lower_before(struct kt_lower *l, CXCursor expression, CXCursor next)
{
	const struct kt_ir_value *value = kt_lower_value(l, expression);

	if (value == NULL || (!kt_lower_sets(l, next, value) && !(is_work(value) && is_ordered(l, next))))
		return value;
	return kt_ir_read(l->module, kt_ir_let(l->module, l->body->region, "", value));
}

bool kt_lower_effects(struct kt_lower *l, CXCursor expression)
{
	const CXCursor bare = kt_lower_bare(l, expression);
	const struct kt_lower_children c = kt_lower_children(l, bare);
	struct kt_lower_place at;

	switch ((int)kt_clang.getCursorKind(bare)) {
	case CXCursor_CallExpr:
		return kt_lower_call(l, bare, false) != NULL;
	case CXCursor_ConditionalOperator:
		return kt_lower_conditional(l, bare, false) != NULL;
	case CXCursor_UnaryOperator:
		if (c.count == 1 && (strcmp(kt_operator(bare), "++") == 0 || strcmp(kt_operator(bare), "--") == 0))
			return kt_lower_step(l, bare, &at, NULL);
		break;
	case CXCursor_UnexposedExpr:
		return c.count == 1 ? kt_lower_effects(l, c.items[0]) : kt_lower_value(l, bare) != NULL;
	case CXCursor_CStyleCastExpr:
	case CXCursor_CXXStaticCastExpr:
	case CXCursor_CXXFunctionalCastExpr:
		if (kt_lower_canonical(bare).kind == CXType_Void && c.count == 1)
			return kt_lower_effects(l, c.items[0]);
		break;
	case CXCursor_BinaryOperator:
		if (strcmp(kt_operator(bare), ",") == 0 && c.count == 2)
			return kt_lower_effects(l, c.items[0]) && kt_lower_effects(l, c.items[1]);
		break;
	default:
		break;
	}
	/* An object that is named alone is not read; one of a volatile type aside, which nothing is known of here. */
	if (kt_lower_is_lvalue(l, bare))
		return kt_lower_place(l, bare, &at);
	return kt_lower_value(l, bare) != NULL;
}
