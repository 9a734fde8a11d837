#include "lift_internal.h"

#include "base/lex.h"

/* What makes an object of this variable, as a call that cannot be read. */
static void adopt_opaque(struct kt_lift *lift, struct kt_tree *variable)
{
	struct kt_tree *call = kt_arena_alloc(lift->kernel->arena, sizeof *call);

	if (call == NULL) {
		lift->failed = true;
		return;
	}
	*call = (struct kt_tree){.kind = KT_TREE_CALL, .known = "", .range = variable->range, .in_macro = variable->in_macro,
	                         .name = "", .opaque = true};
	kt_lift_adopt(lift, variable, call);
}

static struct kt_tree *read_variable(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor)
{
	CXCursor initialiser = kt_clang.Cursor_getVarDeclInitializer(cursor);

	node->kind = KT_TREE_VARIABLE;
	node->variable = kt_lift_variable(lift, cursor);
	if (node->variable != NULL) {
		node->variable->declaration = node;
		node->variable->is_local = true;
	}
	if (kt_clang.Cursor_isNull(initialiser) == 0) {
		struct kt_tree *child = kt_lift_node(lift, initialiser);

		if (child != NULL)
			kt_lift_adopt(lift, node, child);
	}
	if (kt_lift_makes_opaque(lift, cursor))
		adopt_opaque(lift, node);
	return node;
}

/* Which of for's parts is there is told by the two semicolons. */
static struct kt_tree *read_for(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor)
{
	struct kt_kernel *kernel = lift->kernel;
	struct kt_lift_cursors g = kt_lift_cursors_of(lift, cursor);
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
		struct kt_tree *child = kt_lift_node(lift, g.cursors[i]);
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
		kt_lift_adopt(lift, node, parts[i]);
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

/* Names for types, and questions to the compiler: nothing happens there. */
static bool is_for_compiler(enum CXCursorKind kind)
{
	return kind == CXCursor_TypeAliasDecl || kind == CXCursor_TypedefDecl || kind == CXCursor_StaticAssert ||
	       kind == CXCursor_UsingDeclaration || kind == CXCursor_UsingDirective;
}

static bool names_nothing(const struct kt_tree *declare)
{
	for (size_t i = 0; i < declare->count; i++)
		if (declare->children[i]->kind != KT_TREE_EMPTY)
			return false;
	return declare->count > 0;
}

static bool read_statement(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor)
{
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

	for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
		if (statements[i].cursor != kind)
			continue;
		node->kind = statements[i].kind;
		kt_lift_children(lift, node, cursor);
		if (node->count < statements[i].least || node->count > statements[i].most)
			node->kind = KT_TREE_STATEMENT;
		if (kind == CXCursor_DeclStmt && names_nothing(node))
			*node = (struct kt_tree){
			    .kind = KT_TREE_EMPTY, .range = node->range, .in_macro = node->in_macro, .names_type = true};
		if (kind != CXCursor_CompoundStmt && kind != CXCursor_IfStmt && kind != CXCursor_WhileStmt)
			widen(node, lift->kernel);
		return true;
	}
	return false;
}

struct kt_tree *kt_lift_statement(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor)
{
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

	if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl)
		return read_variable(lift, node, cursor);
	if (kind == CXCursor_ForStmt)
		return read_for(lift, node, cursor);
	if (is_for_compiler(kind))
		node->kind = KT_TREE_EMPTY;
	else if (!read_statement(lift, node, cursor))
		kt_lift_children(lift, node, cursor);
	return node;
}

/*
 * Each statement ends with one of these; libclang's extents leave out the semicolon of an expression, wherever it is
 * nested.
 */
static bool is_ended(const struct kt_tree *node, const struct kt_kernel *kernel)
{
	const char end = node->range.end > 0 ? kernel->text[node->range.end - 1] : '\0';

	return end == ';' || end == '}';
}

/* Statements that are expressions end after their semicolons, as others do; what contains them ends no earlier. */
void kt_lift_widen(struct kt_tree *node, const struct kt_kernel *kernel)
{
	for (size_t i = 0; i < node->count; i++) {
		struct kt_tree *child = node->children[i];
		bool body = node->kind == KT_TREE_BLOCK || (node->kind == KT_TREE_IF && i > 0) ||
		            (node->kind == KT_TREE_FOR && i == 3) || (node->kind == KT_TREE_WHILE && i == 1) ||
		            (node->kind == KT_TREE_DO && i == 0);

		if (child == NULL)
			continue;
		kt_lift_widen(child, kernel);
		if (!body)
			continue;
		if (child->kind <= KT_TREE_OTHER || !is_ended(child, kernel))
			widen(child, kernel);
		if (child->range.end > node->range.end)
			node->range.end = child->range.end;
	}
}
