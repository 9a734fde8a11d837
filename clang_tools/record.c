/* Members of structures that are made from a list: by position, or by what a constructor does with its parameters. */
#include <string.h>

#include "expand.h"

/* What a constructor of as many parameters does with a member. */
struct constructors {
	struct kt_scan *scan;
	const char *member;
	size_t given; /* arguments */
	bool any;     /* the class declares constructors */
	size_t index; /* of the parameter; SIZE_MAX: none yet */
	bool several; /* which differ */
	/* of the constructor that is looked at */
	const char **parameters;
	size_t parameter_count;
	bool is_next; /* the next expression initialises the member */
	/* of the class */
	size_t field_count, field;
};

static enum CXChildVisitResult find_parameter(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct constructors *c = data;
	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_DeclRefExpr)
		return CXChildVisit_Recurse;
	const char *name = kt_clang_text(c->scan->arena, kt_clang.getCursorSpelling(cursor));
	for (size_t i = 0; name != NULL && i < c->parameter_count; i++) {
		if (strcmp(name, c->parameters[i]) != 0)
			continue;
		c->several = c->several || (c->index != SIZE_MAX && c->index != i);
		c->index = i;
	}
	return CXChildVisit_Continue;
}

static enum CXChildVisitResult read_initialiser(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct constructors *c = data;
	(void)parent;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	const char *name = kt_clang_text(c->scan->arena, kt_clang.getCursorSpelling(cursor));
	if (kind == CXCursor_ParmDecl) {
		if (!kt_arena_push_text(c->scan->arena, &c->parameters, &c->parameter_count, name)) {
			c->scan->failed = true;
			return CXChildVisit_Break;
		}
	} else if (kind == CXCursor_MemberRef) {
		c->is_next = name != NULL && strcmp(name, c->member) == 0;
	} else if (c->is_next && kt_clang.isExpression(kind) != 0) {
		if (find_parameter(cursor, cursor, c) == CXChildVisit_Recurse)
			kt_clang.visitChildren(cursor, find_parameter, c);
		c->is_next = false;
	}
	return CXChildVisit_Continue;
}

static enum CXChildVisitResult read_member(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct constructors *c = data;
	(void)parent;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	if (kind == CXCursor_FieldDecl) {
		const char *name = kt_clang_text(c->scan->arena, kt_clang.getCursorSpelling(cursor));
		if (name != NULL && strcmp(name, c->member) == 0)
			c->field = c->field_count;
		c->field_count++;
	}
	if (kind != CXCursor_Constructor)
		return CXChildVisit_Continue;
	c->any = true;
	CXCursor made = kt_clang.getCursorDefinition(cursor);
	if (kt_clang.Cursor_isNull(made) != 0 || kt_clang.Cursor_getNumArguments(cursor) != (int)c->given ||
	    kt_clang.CXXConstructor_isCopyConstructor(cursor) != 0 ||
	    kt_clang.CXXConstructor_isMoveConstructor(cursor) != 0)
		return CXChildVisit_Continue;
	c->parameters = NULL;
	c->parameter_count = 0;
	c->is_next = false;
	kt_clang.visitChildren(made, read_initialiser, c);
	return CXChildVisit_Continue;
}

/* The texts between the bracket that ends the text and its partner; SIZE_MAX: it has none. */
static size_t split(struct kt_scan *scan, const char *text, const char *out[], size_t most)
{
	struct kt_text tokens;
	struct kt_error err;
	size_t open = 0, count = 0;
	if (text == NULL || kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &err) != KT_OK ||
	    tokens.count < 2)
		return SIZE_MAX;
	while (open < tokens.count && !((kt_token_is(&tokens, open, "(") || kt_token_is(&tokens, open, "{")) &&
					kt_token_match(&tokens, open) == tokens.count - 1))
		open++;
	/* A cast in front is no name of the type. */
	if (open >= tokens.count ||
	    (open > 0 && tokens.tokens[open - 1].kind != KT_TOKEN_NAME && !kt_token_is(&tokens, open - 1, ">")))
		return SIZE_MAX;
	for (size_t i = open + 1, first = i; i < tokens.count; i++) {
		const bool last = i == tokens.count - 1;
		if (!last &&
		    (kt_token_is(&tokens, i, "(") || kt_token_is(&tokens, i, "{") || kt_token_is(&tokens, i, "["))) {
			i = kt_token_match(&tokens, i);
			continue;
		}
		if ((!last && !kt_token_is(&tokens, i, ",")) || first == i)
			continue;
		if (count == most)
			return SIZE_MAX;
		out[count++] = kt_scan_squeeze(scan, &tokens, tokens.tokens[first].begin, tokens.tokens[i - 1].end);
		first = i + 1;
	}
	return count;
}

const char *kt_record_member(struct kt_scan *scan, CXType type, const char *text, const char *member)
{
	enum { MOST_PARTS = 16 };
	const char *parts[MOST_PARTS];
	struct constructors c = {.scan = scan, .member = member, .index = SIZE_MAX, .field = SIZE_MAX};
	CXType own = kt_clang.getCanonicalType(type);
	if (own.kind == CXType_LValueReference)
		own = kt_clang.getCanonicalType(kt_clang.getPointeeType(own));
	CXCursor class = kt_clang.getTypeDeclaration(own);
	c.given = split(scan, text, parts, MOST_PARTS);
	if (c.given == SIZE_MAX || kt_clang.Cursor_isNull(class) != 0)
		return NULL;
	if (kt_scan_is_dim3(type, scan->arena)) {
		const size_t at = (size_t)(member[0] - 'x');
		if (member[1] != '\0' || at > 2)
			return NULL;
		return at < c.given ? parts[at] : "1";
	}
	kt_clang.visitChildren(class, read_member, &c);
	const size_t at = c.any ? c.index : c.field;
	return !c.several && at < c.given ? parts[at] : NULL;
}
