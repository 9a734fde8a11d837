#include "lift.h"

#include <string.h>

#include "unit.h"

#define MOST_DEPTH 400 /* deepest nesting of a kernel's tree */

struct lift {
	struct kt_kernel *kernel;
	size_t cursor_count;
	CXCursor *cursors; /* of the variables, in their order */
	CXTranslationUnit unit;
	struct callees *callees;
	size_t depth;
	bool failed, too_deep;
};

/* Functions that were read already; one that calls itself is found here, and has no body yet. */
struct callees {
	size_t count;
	struct callee {
		CXCursor cursor;
		struct kt_kernel *kernel; /* NULL: it cannot be read */
	} *items;
};

struct gathered {
	struct lift *lift;
	size_t count;
	CXCursor *cursors;
};

static enum CXChildVisitResult gather(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct gathered *g = data;
	CXCursor *slot = kt_arena_push(g->lift->kernel->arena, &g->cursors, &g->count, sizeof *slot);

	(void)parent;
	if (slot == NULL) {
		g->lift->failed = true;
		return CXChildVisit_Break;
	}
	*slot = cursor;
	return CXChildVisit_Continue;
}

static struct gathered children_of(struct lift *lift, CXCursor cursor)
{
	struct gathered g = {lift, 0, NULL};

	kt_clang.visitChildren(cursor, gather, &g);
	return g;
}

static uint32_t file_offset(CXSourceLocation location, bool *in_macro)
{
	CXFile file = NULL, spelled_file = NULL;
	unsigned offset = 0, spelled = 0;

	kt_clang.getFileLocation(location, &file, NULL, NULL, &offset);
	kt_clang.getSpellingLocation(location, &spelled_file, NULL, NULL, &spelled);
	*in_macro = *in_macro || spelled != offset || file == NULL || spelled_file == NULL ||
	            kt_clang.File_isEqual(file, spelled_file) == 0;
	return offset;
}

static struct kt_range range_of(CXCursor cursor, bool *in_macro)
{
	CXSourceRange extent = kt_clang.getCursorExtent(cursor);
	bool ignored = false;
	struct kt_range range = {file_offset(kt_clang.getRangeStart(extent), in_macro), 0};

	/* The end is where the last token ends: of a macro, behind its use. */
	range.end = file_offset(kt_clang.getRangeEnd(extent), &ignored);
	return range;
}

static char *text_of(struct lift *lift, CXString string)
{
	char *text = kt_clang_text(lift->kernel->arena, string);

	lift->failed = lift->failed || text == NULL;
	return text != NULL ? text : "";
}

static CXType pointee_of(CXType type)
{
	CXType canonical = kt_clang.getCanonicalType(type);

	switch ((int)canonical.kind) {
	case CXType_Pointer:
	case CXType_LValueReference:
		return kt_clang.getPointeeType(canonical);
	case CXType_ConstantArray:
	case CXType_IncompleteArray:
	case CXType_VariableArray:
	case CXType_DependentSizedArray:
		return kt_clang.getArrayElementType(canonical);
	default:
		return (CXType){.kind = CXType_Invalid};
	}
}

static const char *without_const(const char *type)
{
	return strncmp(type, "const ", 6) == 0 ? type + 6 : type;
}

static enum CXChildVisitResult find_shared(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (kt_clang.getCursorKind(cursor) == CXCursor_CUDASharedAttr)
		*(bool *)data = true;
	return CXChildVisit_Continue;
}

static void describe(struct lift *lift, struct kt_tree_variable *v, CXCursor cursor)
{
	struct kt_arena *arena = lift->kernel->arena;
	CXType type = kt_clang.getCursorType(cursor), pointee = pointee_of(type);
	enum CXTypeKind kind = kt_clang.getCanonicalType(type).kind;

	v->name = text_of(lift, kt_clang.getCursorSpelling(cursor));
	v->type = text_of(lift, kt_clang.getTypeSpelling(type));
	v->is_const = kt_clang.isConstQualifiedType(type) != 0;
	v->is_restrict = kt_clang.isRestrictQualifiedType(type) != 0;
	v->is_pointer = kind == CXType_Pointer;
	v->is_array = kind == CXType_ConstantArray || kind == CXType_IncompleteArray || kind == CXType_VariableArray;
	v->escapes = kind == CXType_LValueReference || kind == CXType_RValueReference;
	kt_clang.visitChildren(cursor, find_shared, &v->is_shared);
	if (pointee.kind == CXType_Invalid) {
		v->scalar = kt_scan_scalar(type, arena);
		return;
	}
	v->points_to_const = kt_clang.isConstQualifiedType(pointee) != 0;
	v->scalar = kt_scan_scalar(pointee, arena);
	v->element = without_const(text_of(lift, kt_clang.getTypeSpelling(kt_clang.getCanonicalType(pointee))));
	long long bytes = kt_clang.Type_getSizeOf(pointee);
	v->element_bytes = bytes > 0 && bytes <= 4096 ? (unsigned)bytes : 0;
}

static struct kt_tree_variable *variable_of(struct lift *lift, CXCursor target)
{
	struct kt_kernel *kernel = lift->kernel;
	CXCursor canonical = kt_clang.getCanonicalCursor(target);

	for (size_t i = 0; i < kernel->variable_count; i++)
		if (kt_clang.equalCursors(lift->cursors[i], canonical) != 0)
			return kernel->variables[i];
	struct kt_tree_variable *v = kt_arena_alloc(kernel->arena, sizeof *v);
	struct kt_tree_variable **slot = kt_arena_push(kernel->arena, &kernel->variables, &kernel->variable_count, sizeof *slot);
	CXCursor *cursor = kt_arena_push(kernel->arena, &lift->cursors, &lift->cursor_count, sizeof *cursor);

	if (v == NULL || slot == NULL || cursor == NULL) {
		lift->failed = true;
		return v;
	}
	v->argument = -1;
	describe(lift, v, target);
	*slot = v;
	*cursor = canonical;
	return v;
}

static struct kt_tree *new_node(struct lift *lift, enum kt_tree_kind kind, struct kt_range range, bool in_macro)
{
	struct kt_tree *node = kt_arena_alloc(lift->kernel->arena, sizeof *node);

	if (node == NULL) {
		lift->failed = true;
		return NULL;
	}
	node->kind = kind;
	node->range = range;
	node->in_macro = in_macro;
	return node;
}

static void adopt(struct lift *lift, struct kt_tree *node, struct kt_tree *child)
{
	struct kt_tree **slot = kt_arena_push(lift->kernel->arena, &node->children, &node->count, sizeof *slot);

	if (slot == NULL) {
		lift->failed = true;
		return;
	}
	*slot = child;
	if (child != NULL)
		child->parent = node;
}

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
static bool read_builtin(struct kt_tree *node, const struct kt_kernel *kernel)
{
	const char *text = kernel->text + node->range.begin;
	size_t size = node->range.end - node->range.begin;

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

/* The operator between two offsets: what is there besides blanks and comments. NULL: not one operator. */
static const char *operator_between(struct lift *lift, uint32_t begin, uint32_t end)
{
	struct kt_text text;
	struct kt_error err;
	const struct kt_kernel *kernel = lift->kernel;

	if (begin >= end || end > kernel->size ||
	    kt_lex(&text, kernel->arena, kernel->text, begin, end, false, &err) != KT_OK || text.count != 1)
		return NULL;
	return kt_arena_strndup(kernel->arena, kernel->text + text.tokens[0].begin,
	                        text.tokens[0].end - text.tokens[0].begin);
}

static struct kt_tree *lift_node(struct lift *lift, CXCursor cursor);

static void lift_children(struct lift *lift, struct kt_tree *node, CXCursor cursor)
{
	struct gathered g = children_of(lift, cursor);

	for (size_t i = 0; i < g.count && !lift->failed; i++) {
		struct kt_tree *child = lift_node(lift, g.cursors[i]);

		if (child != NULL)
			adopt(lift, node, child);
	}
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

static void lift_reference(struct lift *lift, struct kt_tree *node, CXCursor cursor)
{
	CXCursor target = kt_clang.getCursorReferenced(cursor);
	enum CXCursorKind kind = kt_clang.Cursor_isNull(target) ? CXCursor_InvalidFile : kt_clang.getCursorKind(target);

	if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) {
		node->kind = KT_TREE_REFERENCE;
		node->variable = variable_of(lift, target);
		if (node->variable != NULL && node->variable->is_const && !node->variable->is_pointer &&
		    !node->variable->is_array)
			read_value(node, cursor);
	} else if (kind == CXCursor_EnumConstantDecl) {
		node->kind = KT_TREE_INTEGER;
		read_value(node, cursor);
	} else {
		node->kind = KT_TREE_OTHER;
		node->name = text_of(lift, kt_clang.getCursorSpelling(cursor));
	}
}

/* A node of the tree whose only child spans the same text: conversions nobody wrote. */
static bool is_transparent(const struct kt_tree *node)
{
	return node->count == 1 && node->children[0]->range.begin == node->range.begin &&
	       node->children[0]->range.end == node->range.end;
}

/*
 * Is the first thing that a function does with this parameter to assign it, whatever else happens? Read off the text of
 * its definition: `out = …` before any branch.
 */
static bool fills(struct lift *lift, CXCursor function, CXCursor parameter)
{
	CXCursor definition = kt_clang.getCursorDefinition(function);
	CXSourceRange extent;
	CXFile file = NULL;
	unsigned begin = 0, end = 0;
	const char *data, *name = text_of(lift, kt_clang.getCursorSpelling(parameter));
	struct kt_text text;
	struct kt_error err;
	size_t size = 0, i = 0;

	if (kt_clang.Cursor_isNull(definition) != 0 || name[0] == '\0')
		return false;
	extent = kt_clang.getCursorExtent(definition);
	kt_clang.getFileLocation(kt_clang.getRangeStart(extent), &file, NULL, NULL, &begin);
	kt_clang.getFileLocation(kt_clang.getRangeEnd(extent), NULL, NULL, NULL, &end);
	data = file != NULL ? kt_clang.getFileContents(lift->unit, file, &size) : NULL;
	if (data == NULL || begin >= end || end > size ||
	    kt_lex(&text, lift->kernel->arena, data, begin, end, false, &err) != KT_OK)
		return false;
	while (i < text.count && !kt_token_is(&text, i, "{"))
		i++;
	for (; i < text.count; i++) {
		if (kt_token_is(&text, i, "if") || kt_token_is(&text, i, "?") || kt_token_is(&text, i, "for") ||
		    kt_token_is(&text, i, "while") || kt_token_is(&text, i, "switch") || kt_token_is(&text, i, "return"))
			return false;
		if (kt_token_is(&text, i, name))
			return (kt_token_is(&text, i - 1, "{") || kt_token_is(&text, i - 1, ";")) && i + 1 < text.count &&
			       kt_token_is(&text, i + 1, "=");
	}
	return false;
}

/* What is passed by reference may be written by the callee, or kept. */
static void mark_references(struct lift *lift, struct kt_tree *call, CXCursor target)
{
	for (size_t i = 1; i < call->count; i++) {
		struct kt_tree *argument = kt_tree_bare(call->children[i]);
		bool by_reference = kt_clang.Cursor_isNull(target) != 0, filled = false;

		if (!by_reference && (int)i - 1 < kt_clang.Cursor_getNumArguments(target)) {
			CXCursor parameter = kt_clang.Cursor_getArgument(target, (unsigned)i - 1);
			CXType type = kt_clang.getCanonicalType(kt_clang.getCursorType(parameter));

			by_reference = type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
			by_reference = by_reference && kt_clang.isConstQualifiedType(kt_clang.getPointeeType(type)) == 0;
			filled = by_reference && fills(lift, target, parameter);
		}
		if (!by_reference)
			continue;
		argument->passing = filled ? KT_PASS_FILLED : KT_PASS_CHANGED;
		if (argument->kind == KT_TREE_REFERENCE && argument->variable != NULL)
			argument->variable->escapes = argument->variable->escapes || !filled;
	}
}

/* `a * b` and `a = b` of a class such as __half: the operands without the callee between them, as for numbers. */
static struct kt_tree *lift_overloaded(struct kt_tree *node)
{
	const char *text = node->name + strlen("operator");
	size_t operands = 0;

	for (size_t i = 0; i < node->count; i++) {
		const struct kt_tree *child = node->children[i];
		bool is_callee = child->kind == KT_TREE_OTHER && child->name != NULL && strcmp(child->name, node->name) == 0;

		if (!is_callee)
			node->children[operands++] = node->children[i];
	}
	node->count = operands;
	if (operands != 2 || text[0] == '(' || text[0] == '[' || text[0] == ' ')
		return node;
	node->operator_ = text;
	node->kind = text[strlen(text) - 1] == '=' && strcmp(text, "==") != 0 && strcmp(text, "!=") != 0 &&
	                     strcmp(text, "<=") != 0 && strcmp(text, ">=") != 0
	                 ? KT_TREE_ASSIGN
	                 : KT_TREE_BINARY;
	return node;
}

static struct kt_kernel *lift_callee(struct lift *lift, CXCursor target);

static struct kt_tree *lift_call(struct lift *lift, struct kt_tree *node, CXCursor cursor)
{
	node->kind = KT_TREE_CALL;
	node->name = text_of(lift, kt_clang.getCursorSpelling(cursor));
	lift_children(lift, node, cursor);
	if (is_transparent(node))
		return node->children[0];
	if (strncmp(node->name, "operator", 8) == 0)
		return lift_overloaded(node);
	CXCursor target = kt_clang.getCursorReferenced(cursor);
	mark_references(lift, node, target);
	if (kt_clang.Cursor_isNull(target) == 0 &&
	    kt_clang.Location_isInSystemHeader(kt_clang.getCursorLocation(target)) == 0) {
		node->callee = lift_callee(lift, target);
		const char **slot =
		    kt_arena_push(lift->kernel->arena, &lift->kernel->called, &lift->kernel->called_count, sizeof *slot);

		if (slot != NULL)
			*slot = node->name;
	}
	return node;
}

static struct kt_tree *lift_operator(struct lift *lift, struct kt_tree *node, CXCursor cursor, enum kt_tree_kind kind)
{
	node->kind = kind;
	lift_children(lift, node, cursor);
	if (node->count == 2) {
		node->operator_ = operator_between(lift, node->children[0]->range.end, node->children[1]->range.begin);
		if (kind == KT_TREE_BINARY && node->operator_ != NULL && strcmp(node->operator_, "=") == 0)
			node->kind = KT_TREE_ASSIGN;
	} else if (node->count == 1) {
		node->operator_ = operator_between(lift, node->range.begin, node->children[0]->range.begin);
		if (node->operator_ == NULL)
			node->operator_ = operator_between(lift, node->children[0]->range.end, node->range.end);
	}
	if (node->operator_ == NULL || node->in_macro)
		node->kind = node->operator_ == NULL ? KT_TREE_OTHER : node->kind;
	return node;
}

static struct kt_tree *lift_variable(struct lift *lift, struct kt_tree *node, CXCursor cursor)
{
	CXCursor initialiser = kt_clang.Cursor_getVarDeclInitializer(cursor);

	node->kind = KT_TREE_VARIABLE;
	node->variable = variable_of(lift, cursor);
	if (node->variable != NULL) {
		node->variable->declaration = node;
		node->variable->is_local = true;
	}
	if (kt_clang.Cursor_isNull(initialiser) == 0) {
		struct kt_tree *child = lift_node(lift, initialiser);

		if (child != NULL)
			adopt(lift, node, child);
	}
	return node;
}

/* Which of for's parts is there is told by the two semicolons. */
static struct kt_tree *lift_for(struct lift *lift, struct kt_tree *node, CXCursor cursor)
{
	struct kt_kernel *kernel = lift->kernel;
	struct gathered g = children_of(lift, cursor);
	struct kt_tree *parts[4] = {NULL, NULL, NULL, NULL};
	uint32_t semicolons[2] = {UINT32_MAX, UINT32_MAX};
	struct kt_text text;
	struct kt_error err;
	size_t found = 0;
	int depth = 0;

	node->kind = KT_TREE_STATEMENT;
	if (g.count == 0 ||
	    kt_lex(&text, kernel->arena, kernel->text, node->range.begin, node->range.end, false, &err) != KT_OK)
		return node;
	for (size_t i = 0; i < text.count && found < 2; i++) {
		if (kt_token_is(&text, i, "(") || kt_token_is(&text, i, "{"))
			depth++;
		else if (kt_token_is(&text, i, ")") || kt_token_is(&text, i, "}"))
			depth--;
		else if (depth == 1 && kt_token_is(&text, i, ";"))
			semicolons[found++] = text.tokens[i].begin;
	}
	if (found < 2)
		return node;
	for (size_t i = 0; i < g.count; i++) {
		struct kt_tree *child = lift_node(lift, g.cursors[i]);
		size_t part;

		if (child == NULL)
			return node;
		part = i + 1 == g.count                          ? 3
		       : child->range.begin < semicolons[0] ? 0
		       : child->range.begin < semicolons[1] ? 1
		                                            : 2;
		if (parts[part] != NULL)
			return node;
		parts[part] = child;
	}
	node->kind = KT_TREE_FOR;
	for (size_t i = 0; i < 4; i++)
		adopt(lift, node, parts[i]);
	return node;
}

/* Expression statements and a few others end before their semicolon. */
static void widen(struct kt_tree *node, const struct kt_kernel *kernel)
{
	uint32_t at = node->range.end;

	while (at < kernel->size && (kernel->text[at] == ' ' || kernel->text[at] == '\t' || kernel->text[at] == '\n'))
		at++;
	if (at < kernel->size && kernel->text[at] == ';')
		node->range.end = at + 1;
}

static const struct {
	enum CXCursorKind cursor;
	enum kt_tree_kind kind;
	size_t least, most; /* children; otherwise it is read no further */
} statements[] = {
	{CXCursor_CompoundStmt, KT_TREE_BLOCK, 0, SIZE_MAX}, {CXCursor_DeclStmt, KT_TREE_DECLARE, 1, SIZE_MAX},
	{CXCursor_IfStmt, KT_TREE_IF, 2, 3},                 {CXCursor_WhileStmt, KT_TREE_WHILE, 2, 2},
	{CXCursor_DoStmt, KT_TREE_DO, 2, 2},                 {CXCursor_ReturnStmt, KT_TREE_RETURN, 0, 1},
	{CXCursor_BreakStmt, KT_TREE_BREAK, 0, 0},           {CXCursor_ContinueStmt, KT_TREE_CONTINUE, 0, 0},
	{CXCursor_NullStmt, KT_TREE_EMPTY, 0, 0},
};

static bool lift_statement(struct lift *lift, struct kt_tree *node, CXCursor cursor)
{
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

	for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
		if (statements[i].cursor != kind)
			continue;
		node->kind = statements[i].kind;
		lift_children(lift, node, cursor);
		if (node->count < statements[i].least || node->count > statements[i].most)
			node->kind = KT_TREE_STATEMENT;
		if (kind != CXCursor_CompoundStmt && kind != CXCursor_IfStmt && kind != CXCursor_WhileStmt)
			widen(node, lift->kernel);
		return true;
	}
	return false;
}

static struct kt_tree *lift_expression(struct lift *lift, struct kt_tree *node, CXCursor cursor)
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
		lift_reference(lift, node, cursor);
		return node;
	case CXCursor_BinaryOperator:
		return lift_operator(lift, node, cursor, KT_TREE_BINARY);
	case CXCursor_CompoundAssignOperator:
		return lift_operator(lift, node, cursor, KT_TREE_ASSIGN);
	case CXCursor_UnaryOperator:
		return lift_operator(lift, node, cursor, KT_TREE_UNARY);
	case CXCursor_CallExpr:
		return lift_call(lift, node, cursor);
	case CXCursor_MemberRefExpr:
		node->kind = KT_TREE_MEMBER;
		node->name = text_of(lift, kt_clang.getCursorSpelling(cursor));
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
		node->type = text_of(lift, kt_clang.getTypeSpelling(kt_clang.getCursorType(cursor)));
		break;
	case CXCursor_CXXReinterpretCastExpr:
	default:
		node->kind = KT_TREE_OTHER;
		break;
	}
	lift_children(lift, node, cursor);
	static const struct {
		enum kt_tree_kind kind;
		size_t count;
	} shapes[] = {{KT_TREE_INDEX, 2}, {KT_TREE_CHOOSE, 3}, {KT_TREE_PAREN, 1}, {KT_TREE_CAST, 1}, {KT_TREE_MEMBER, 1}};
	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
		if (node->kind == shapes[i].kind && node->count != shapes[i].count)
			node->kind = KT_TREE_OTHER;
	return node->kind == KT_TREE_OTHER && is_transparent(node) ? node->children[0] : node;
}

static struct kt_tree *lift_node(struct lift *lift, CXCursor cursor)
{
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	bool in_macro = false, is_expression = kt_clang.isExpression(kind) != 0;
	struct kt_range range = range_of(cursor, &in_macro);
	struct kt_tree *node;

	if (kt_clang.isReference(kind) != 0 || lift->failed)
		return NULL;
	if (range.begin > range.end || range.end > lift->kernel->size || ++lift->depth > MOST_DEPTH) {
		lift->too_deep = true;
		return NULL;
	}
	node = new_node(lift, is_expression ? KT_TREE_OTHER : KT_TREE_STATEMENT, range, in_macro);
	if (node != NULL && is_expression) {
		node->scalar = kt_scan_scalar(kt_clang.getCursorType(cursor), lift->kernel->arena);
		if (!read_builtin(node, lift->kernel))
			node = lift_expression(lift, node, cursor);
	} else if (node != NULL && kind == CXCursor_VarDecl) {
		node = lift_variable(lift, node, cursor);
	} else if (node != NULL && kind == CXCursor_ForStmt) {
		node = lift_for(lift, node, cursor);
	} else if (node != NULL && !lift_statement(lift, node, cursor)) {
		lift_children(lift, node, cursor);
	}
	lift->depth--;
	return node;
}

/* Writes and lost addresses of every variable. */
static bool count_uses(struct kt_tree *node, void *context)
{
	bool reads;

	(void)context;
	if (node->kind != KT_TREE_REFERENCE || node->variable == NULL)
		return true;
	if (kt_tree_is_target(node, &reads))
		node->variable->writes++;
	for (const struct kt_tree *at = node; at->parent != NULL; at = at->parent) {
		const struct kt_tree *parent = at->parent;

		if (kt_tree_is(parent, KT_TREE_UNARY, "&"))
			node->variable->escapes = true;
		if (parent->kind != KT_TREE_PAREN && parent->kind != KT_TREE_MEMBER)
			break;
	}
	/* Something unread could do anything to it. */
	if (node->parent != NULL && node->parent->kind == KT_TREE_OTHER && !node->variable->is_pointer &&
	    !node->variable->is_array)
		node->variable->writes++;
	return true;
}

/* Statements that are expressions end behind their semicolons, as others do; what holds them ends no earlier. */
static void widen_all(struct kt_tree *node, const struct kt_kernel *kernel)
{
	for (size_t i = 0; i < node->count; i++) {
		struct kt_tree *child = node->children[i];
		bool body = node->kind == KT_TREE_BLOCK || (node->kind == KT_TREE_IF && i > 0) ||
		            (node->kind == KT_TREE_FOR && i == 3) || (node->kind == KT_TREE_WHILE && i == 1) ||
		            (node->kind == KT_TREE_DO && i == 0);

		if (child == NULL)
			continue;
		widen_all(child, kernel);
		if (!body)
			continue;
		if (child->kind <= KT_TREE_OTHER)
			widen(child, kernel);
		if (child->range.end > node->range.end)
			node->range.end = child->range.end;
	}
}

struct function {
	struct lift *lift;
	CXCursor body;
	int arguments;
	bool found;
};

static enum CXChildVisitResult read_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct function *f = data;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

	(void)parent;
	if (kind == CXCursor_ParmDecl) {
		struct kt_tree_variable *v = variable_of(f->lift, cursor);

		if (v != NULL)
			v->argument = f->arguments++;
	} else if (kind == CXCursor_CompoundStmt) {
		f->body = cursor;
		f->found = true;
	}
	return CXChildVisit_Continue;
}

static bool lift_body(struct lift *lift, CXCursor cursor)
{
	struct function f = {.lift = lift};

	kt_clang.visitChildren(cursor, read_function, &f);
	if (f.found)
		lift->kernel->body = lift_node(lift, f.body);
	if (lift->kernel->body == NULL || lift->failed || lift->too_deep)
		return false;
	kt_tree_walk(lift->kernel->body, count_uses, NULL);
	widen_all(lift->kernel->body, lift->kernel);
	return true;
}

/* The function, read once; NULL: its definition is not there, or cannot be read. */
static struct kt_kernel *lift_callee(struct lift *lift, CXCursor target)
{
	CXCursor definition = kt_clang.isCursorDefinition(target) != 0 ? target : kt_clang.getCursorDefinition(target);
	struct kt_kernel *kernel;
	struct callee *slot;
	size_t at;
	CXFile file = NULL;

	if (kt_clang.Cursor_isNull(definition) != 0)
		return NULL;
	for (size_t i = 0; i < lift->callees->count; i++)
		if (kt_clang.equalCursors(lift->callees->items[i].cursor, definition) != 0)
			return lift->callees->items[i].kernel;
	at = lift->callees->count;
	slot = kt_arena_push(lift->kernel->arena, &lift->callees->items, &lift->callees->count, sizeof *slot);
	kernel = kt_arena_alloc(lift->kernel->arena, sizeof *kernel);
	if (slot == NULL || kernel == NULL) {
		lift->failed = true;
		return NULL;
	}
	*slot = (struct callee){definition, NULL};
	*kernel = (struct kt_kernel){.arena = lift->kernel->arena, .prologue = ""};
	kt_clang.getFileLocation(kt_clang.getCursorLocation(definition), &file, NULL, NULL, NULL);
	kernel->text = file != NULL ? kt_clang.getFileContents(lift->unit, file, &kernel->size) : NULL;
	struct lift sub = {.kernel = kernel, .unit = lift->unit, .callees = lift->callees, .depth = lift->depth};
	if (kernel->text == NULL || !lift_body(&sub, definition))
		return NULL;
	lift->callees->items[at].kernel = kernel;
	return kernel;
}

kt_status kt_lift(struct kt_kernel *kernel, CXTranslationUnit unit, CXCursor cursor, struct kt_error *err)
{
	struct callees callees = {0, NULL};
	struct lift lift = {.kernel = kernel, .unit = unit, .callees = &callees};

	if (lift_body(&lift, cursor))
		return KT_OK;
	if (lift.failed)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a kernel's tree");
	return kt_fail(err, KT_ERR_INVALID, "the kernel's body cannot be read");
}
