#include "lift_internal.h"

#include <string.h>

#include "operators.h"
#include "unit.h"

static const struct {
	const char *text;
	enum kt_builtin_index index;
} builtins[] = {
	{"threadIdx.", KT_THREAD_INDEX},
	{"blockIdx.", KT_BLOCK_INDEX},
	{"blockDim.", KT_BLOCK_EXTENT},
	{"gridDim.", KT_GRID_EXTENT},
};

/* `threadIdx.x` is a property whose tree differs between versions of clang: its text does not. */
static bool read_builtin_text(struct kt_tree *node, const char *text, size_t size)
{
	for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
		size_t length = strlen(builtins[i].text);

		if (size == length + 1 && memcmp(text, builtins[i].text, length) == 0 && text[length] >= 'x' &&
		    text[length] <= 'z') {
			node->kind = KT_TREE_BUILTIN;
			node->builtin = builtins[i].index;
			node->dimension = (unsigned)(text[length] - 'x');
			node->scalar = KT_U32;
			node->count = 0;
			return true;
		}
	}
	return false;
}

/* Stops at a name that the project declares. */
static enum CXChildVisitResult find_own(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const CXCursor target = kt_clang.getCursorReferenced(cursor);
	bool *own = data;

	(void)parent;
	*own = kt_clang.Cursor_isNull(target) == 0 && kt_lift_is_of_project(target);
	return *own ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* Is the variable, or its member, one that the project declares: `struct { int x; } threadIdx;`? */
static bool is_own(CXCursor cursor)
{
	bool own = false;

	if (find_own(cursor, cursor, &own) != CXChildVisit_Break)
		kt_clang.visitChildren(cursor, find_own, &own);
	return own;
}

/* "threadIdx.x", also where a macro has it. */
static bool is_spelled_builtin(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor)
{
	static const char longest[] = "threadIdx.x";
	const struct kt_kernel *kernel = lift->kernel;
	CXFile file = NULL;
	uint32_t at;
	size_t size = 0;
	const char *text;

	if (read_builtin_text(node, kernel->text + node->range.begin, node->range.end - node->range.begin))
		return true;
	if (!node->in_macro || kt_clang.getCursorKind(cursor) != CXCursor_MemberRefExpr)
		return false;
	at = kt_lift_spelled(lift, kt_clang.getRangeStart(kt_clang.getCursorExtent(cursor)), &file);
	text = file != NULL ? kt_clang.getFileContents(lift->unit, file, &size) : NULL;
	for (size_t length = sizeof longest - 1; text != NULL && length + 4 > sizeof longest; length--)
		if (at + length <= size && read_builtin_text(node, text + at, length))
			return true;
	return false;
}

static bool read_builtin(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor)
{
	const struct kt_tree plain = *node;

	if (!is_spelled_builtin(lift, node, cursor))
		return false;
	if (is_own(cursor))
		*node = plain;
	return node->kind == KT_TREE_BUILTIN;
}

static void read_value(struct kt_tree *node, CXCursor cursor)
{
	CXEvalResult result = kt_clang.Cursor_Evaluate(cursor);

	if (result == NULL)
		return;
	if (kt_clang.EvalResult_getKind(result) == CXEval_Int) {
		node->has_value = true;
		node->value = kt_clang.EvalResult_getAsLongLong(result);
	}
	kt_clang.EvalResult_dispose(result);
}

static bool is_builtin_name(const struct kt_tree_variable *v)
{
	for (size_t i = 0; v != NULL && i < sizeof builtins / sizeof builtins[0]; i++)
		if (strlen(v->name) + 1 == strlen(builtins[i].text) && strncmp(v->name, builtins[i].text, strlen(v->name)) == 0)
			return true;
	return false;
}

static void read_reference(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor)
{
	CXCursor target = kt_clang.getCursorReferenced(cursor);
	enum CXCursorKind kind = kt_clang.Cursor_isNull(target) ? CXCursor_InvalidFile : kt_clang.getCursorKind(target);

	if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) {
		node->kind = KT_TREE_REFERENCE;
		node->variable = kt_lift_variable(lift, target);
		/* As a whole, or read in a way that was not seen: nothing is known about the kernel then. */
		lift->too_deep = lift->too_deep || is_builtin_name(node->variable);
		if (node->variable != NULL && node->variable->is_const && !node->variable->is_pointer &&
		    !node->variable->is_array)
			read_value(node, cursor);
	} else if (kind == CXCursor_EnumConstantDecl) {
		node->kind = KT_TREE_INTEGER;
		read_value(node, cursor);
	} else {
		/* A template's number has a value in its instance. */
		if (node->scalar != KT_SCALAR_NONE && !kt_scalar_is_float(node->scalar))
			read_value(node, cursor);
		node->kind = node->has_value ? KT_TREE_INTEGER : KT_TREE_OTHER;
		node->name = kt_lift_text(lift, kt_clang.getCursorSpelling(cursor));
	}
}

/* A node of the tree whose only child spans the same text: implicit conversions. */
bool kt_lift_is_transparent(const struct kt_tree *node)
{
	return node->count == 1 && node->children[0]->range.begin == node->range.begin &&
	       node->children[0]->range.end == node->range.end;
}

/* Does the kernel's file spell the operator beside its operands? Otherwise a macro does. */
static bool is_spelled_beside(struct kt_lift *lift, const struct kt_tree *node)
{
	const struct kt_range first = node->children[0]->range;

	if (node->count == 2)
		return kt_lift_is_between(lift, node->operator_, first.end, node->children[1]->range.begin);
	return kt_lift_is_between(lift, node->operator_, node->range.begin, first.begin) ||
	       kt_lift_is_between(lift, node->operator_, first.end, node->range.end);
}

static struct kt_tree *read_operator(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor,
                                     enum kt_tree_kind kind)
{
	const char *operator = kt_operator(cursor);

	node->kind = kind;
	kt_lift_children(lift, node, cursor);
	if (node->count == 1 || node->count == 2) {
		node->operator_ = operator[0] != '\0' ? operator : NULL;
		/* One that is not known could write something. */
		lift->too_deep = lift->too_deep || node->operator_ == NULL;
		node->in_macro = node->in_macro || node->operator_ == NULL || !is_spelled_beside(lift, node);
		if (kind == KT_TREE_BINARY && strcmp(operator, "=") == 0)
			node->kind = KT_TREE_ASSIGN;
	}
	if (node->operator_ == NULL)
		node->kind = KT_TREE_OTHER;
	return node;
}

/* What [=] and [&] capture is found at these signs, and once more where the body names it. */
static void drop_implicit_captures(const struct kt_lift *lift, struct kt_tree *node)
{
	size_t kept = 0;

	for (size_t i = 0; i < node->count; i++) {
		const struct kt_tree *child = node->children[i];

		if (child->kind != KT_TREE_REFERENCE || strchr("=&", lift->kernel->text[child->range.begin]) == NULL)
			node->children[kept++] = node->children[i];
	}
	node->count = kept;
}

static struct kt_tree *read_expression(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor)
{
	switch ((int)kt_clang.getCursorKind(cursor)) {
	case CXCursor_IntegerLiteral:
	case CXCursor_CharacterLiteral:
	case CXCursor_CXXBoolLiteralExpr:
		node->kind = KT_TREE_INTEGER;
		read_value(node, cursor);
		return node;
	case CXCursor_FloatingLiteral:
	case CXCursor_StringLiteral:
		node->kind = KT_TREE_LITERAL;
		return node;
	case CXCursor_DeclRefExpr:
		read_reference(lift, node, cursor);
		return node;
	case CXCursor_BinaryOperator:
		return read_operator(lift, node, cursor, KT_TREE_BINARY);
	case CXCursor_CompoundAssignOperator:
		return read_operator(lift, node, cursor, KT_TREE_ASSIGN);
	case CXCursor_UnaryOperator:
		return read_operator(lift, node, cursor, KT_TREE_UNARY);
	case CXCursor_CallExpr:
		return kt_lift_call(lift, node, cursor);
	case CXCursor_MemberRefExpr:
		node->kind = KT_TREE_MEMBER;
		node->name = kt_lift_text(lift, kt_clang.getCursorSpelling(cursor));
		break;
	case CXCursor_ArraySubscriptExpr:
		node->kind = KT_TREE_INDEX;
		break;
	case CXCursor_ConditionalOperator:
		node->kind = KT_TREE_CHOOSE;
		break;
	case CXCursor_ParenExpr:
		node->kind = KT_TREE_PAREN;
		break;
	case CXCursor_CStyleCastExpr:
	case CXCursor_CXXStaticCastExpr:
	case CXCursor_CXXFunctionalCastExpr:
		node->kind = KT_TREE_CAST;
		node->type = kt_lift_text(lift, kt_clang.getTypeSpelling(kt_clang.getCursorType(cursor)));
		break;
	case CXCursor_CXXReinterpretCastExpr:
	default:
		node->kind = KT_TREE_OTHER;
		break;
	}
	node->is_lambda = kt_clang.getCursorKind(cursor) == CXCursor_LambdaExpr;
	kt_lift_children(lift, node, cursor);
	if (node->is_lambda)
		drop_implicit_captures(lift, node);
	/* What they are made of is not seen to be copied. */
	if ((kt_clang.getCursorKind(cursor) == CXCursor_InitListExpr ||
	     kt_clang.getCursorKind(cursor) == CXCursor_LambdaExpr) &&
	    kt_lift_makes_opaque(lift, cursor)) {
		node->kind = KT_TREE_CALL;
		node->name = "";
		node->opaque = true;
		return node;
	}
	static const struct {
		enum kt_tree_kind kind;
		size_t count;
	} shapes[] = {{KT_TREE_INDEX, 2}, {KT_TREE_CHOOSE, 3}, {KT_TREE_PAREN, 1}, {KT_TREE_CAST, 1}, {KT_TREE_MEMBER, 1}};
	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
		if (node->kind == shapes[i].kind && node->count != shapes[i].count)
			node->kind = KT_TREE_OTHER;
	return node->kind == KT_TREE_OTHER && !node->is_lambda && kt_lift_is_transparent(node) ? node->children[0] : node;
}

struct kt_tree *kt_lift_value(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor)
{
	node->scalar = kt_scan_scalar(kt_clang.getCursorType(cursor), lift->kernel->arena);
	return read_builtin(lift, node, cursor) ? node : read_expression(lift, node, cursor);
}
