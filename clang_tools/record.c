/* Members of structures that are made from a list: by position, or by what a constructor does with its parameters. */
#include <string.h>

#include "expand.h"

#define MOST_PARTS 16

/* What a constructor of as many parameters does with a member. */
struct constructors {
	struct kt_scan *scan;
	const char *member;
	const char *const *parts; /* the arguments */
	size_t given;
	bool any;          /* the class declares constructors */
	const char *value; /* of the member; NULL: none yet */
	const char *by_default; /* what its declaration gives it; NULL: nothing */
	bool fits;         /* one of them has as many parameters */
	bool several;      /* constructors that differ, or one whose body writes the member */
	/* of the constructor that is looked at */
	const char **parameters;
	size_t parameter_count;
	bool is_next; /* the next expression initialises the member */
	/* of the class */
	size_t field_count, field;
};

/* How many texts are between a bracket and its partner? */
static size_t parts_of(const struct kt_text *text, size_t open)
{
	const size_t close = kt_token_match(text, open);
	size_t count = close > open + 1;
	for (size_t i = open + 1; i < close; i++) {
		if (kt_token_is(text, i, "(") || kt_token_is(text, i, "{") || kt_token_is(text, i, "["))
			i = kt_token_match(text, i);
		else
			count += kt_token_is(text, i, ",");
	}
	return count;
}

/* The text of what a cursor covers, with the parameters as the arguments have them; "grid(a, b)" of a member is "dim3 (a, b)". */
static const char *given_text(struct constructors *c, CXCursor cursor)
{
	const CXSourceRange extent = kt_clang.getCursorExtent(cursor);
	size_t file = SIZE_MAX, end_file = SIZE_MAX;
	const uint32_t begin = kt_scan_offset(c->scan, kt_clang.getRangeStart(extent), &file);
	const uint32_t end = kt_scan_offset(c->scan, kt_clang.getRangeEnd(extent), &end_file);
	const struct kt_text *text = file != SIZE_MAX && file == end_file ? kt_scan_text(c->scan, file) : NULL;
	const size_t first = text != NULL ? kt_token_at(text, begin) : 0;
	if (text == NULL || c->parameter_count != c->given)
		return NULL;
	if (!kt_token_is(text, first, c->member))
		return kt_text_put(c->scan, kt_scan_squeeze(c->scan, text, begin, end), c->parameters, c->parts, c->given);
	const size_t close = kt_token_match(text, first + 1);
	if (close >= text->count)
		return NULL;
	const char *spelt = kt_scan_squeeze(c->scan, text, text->tokens[first + 1].end, text->tokens[close].begin);
	if (spelt != NULL && parts_of(text, first + 1) > 1)
		spelt = kt_arena_printf(c->scan->arena, "dim3 (%s)", spelt);
	return kt_text_put(c->scan, spelt, c->parameters, c->parts, c->given);
}

/* Does the body of a constructor name the member? */
static bool body_names(const struct constructors *c, CXCursor body)
{
	const CXSourceRange extent = kt_clang.getCursorExtent(body);
	size_t file = SIZE_MAX;
	const uint32_t begin = kt_scan_offset(c->scan, kt_clang.getRangeStart(extent), &file);
	const struct kt_text *text = file != SIZE_MAX ? kt_scan_text(c->scan, file) : NULL;
	const size_t open = text != NULL ? kt_token_at(text, begin) : 0;
	for (size_t i = open; text != NULL && i < kt_token_match(text, open); i++)
		if (kt_token_is(text, i, c->member))
			return true;
	return text == NULL;
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
	} else if (kind == CXCursor_CompoundStmt) {
		c->several = c->several || body_names(c, cursor);
	} else if (c->is_next && kt_clang.isExpression(kind) != 0) {
		const char *value = given_text(c, cursor);
		c->several = c->several || value == NULL || (c->value != NULL && strcmp(c->value, value) != 0);
		c->value = value;
		c->is_next = false;
	}
	return CXChildVisit_Continue;
}

/* "n = 4", "n{4}" of a member's declaration: "4". NULL: it has no such value. */
static const char *default_of(struct kt_scan *scan, CXCursor field, const char *name)
{
	const CXSourceRange extent = kt_clang.getCursorExtent(field);
	size_t file = SIZE_MAX, end_file = SIZE_MAX;
	const uint32_t begin = kt_scan_offset(scan, kt_clang.getRangeStart(extent), &file);
	const uint32_t end = kt_scan_offset(scan, kt_clang.getRangeEnd(extent), &end_file);
	const struct kt_text *text = file != SIZE_MAX && file == end_file ? kt_scan_text(scan, file) : NULL;
	size_t i = text != NULL ? kt_token_at(text, begin) : 0;
	while (text != NULL && i < text->count && text->tokens[i].begin < end && !kt_token_is(text, i, name))
		i++;
	const size_t close = text != NULL && kt_token_is(text, i + 1, "{") ? kt_token_match(text, i + 1) : 0;
	if (close > i + 2 && close < text->count)
		return kt_scan_squeeze(scan, text, text->tokens[i + 1].end, text->tokens[close].begin);
	return text != NULL && kt_token_is(text, i + 1, "=") && text->tokens[i + 1].end < end
		   ? kt_scan_squeeze(scan, text, text->tokens[i + 1].end, end) : NULL;
}

static enum CXChildVisitResult read_member(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct constructors *c = data;
	(void)parent;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	if (kind == CXCursor_FieldDecl) {
		const char *name = kt_clang_text(c->scan->arena, kt_clang.getCursorSpelling(cursor));
		if (name != NULL && strcmp(name, c->member) == 0) {
			c->field = c->field_count;
			c->by_default = default_of(c->scan, cursor, name);
		}
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
	c->fits = true;
	c->parameters = NULL;
	c->parameter_count = 0;
	c->is_next = false;
	kt_clang.visitChildren(made, read_initialiser, c);
	return CXChildVisit_Continue;
}

/* A list: `{a, b}`, `(a, b)`, `Type{a, b}`, `f(a, b)`. */
struct list {
	struct kt_text tokens;
	size_t open; /* its bracket */
	const char *parts[MOST_PARTS];
	size_t count;
};

/* Reads the texts between the bracket that ends the text and its partner; false: it has none. */
static bool split(struct list *out, struct kt_scan *scan, const char *text)
{
	struct kt_error err;
	struct kt_text *tokens = &out->tokens;
	size_t open = 0;
	if (text == NULL || kt_lex(tokens, scan->arena, text, 0, strlen(text), false, &err) != KT_OK || tokens->count < 2)
		return false;
	while (open < tokens->count && !((kt_token_is(tokens, open, "(") || kt_token_is(tokens, open, "{")) &&
					 kt_token_match(tokens, open) == tokens->count - 1))
		open++;
	/* A cast in front is no name of the type. */
	if (open >= tokens->count ||
	    (open > 0 && tokens->tokens[open - 1].kind != KT_TOKEN_NAME && !kt_token_is(tokens, open - 1, ">")))
		return false;
	out->open = open;
	out->count = 0;
	for (size_t i = open + 1, first = i; i < tokens->count; i++) {
		const bool last = i == tokens->count - 1;
		if (!last &&
		    (kt_token_is(tokens, i, "(") || kt_token_is(tokens, i, "{") || kt_token_is(tokens, i, "["))) {
			i = kt_token_match(tokens, i);
			continue;
		}
		if ((!last && !kt_token_is(tokens, i, ",")) || first == i)
			continue;
		if (out->count == MOST_PARTS)
			return false;
		out->parts[out->count++] = kt_scan_squeeze(scan, tokens, tokens->tokens[first].begin, tokens->tokens[i - 1].end);
		first = i + 1;
	}
	return true;
}

/* The name before the bracket of a list, its template arguments left out; SIZE_MAX: there is none. */
static size_t name_of(const struct list *list)
{
	size_t i = 0;
	for (size_t t = 0; t < list->open; t++) {
		if (list->tokens.tokens[t].kind == KT_TOKEN_NAME)
			i = t;
		if (kt_token_is(&list->tokens, t, "<"))
			break;
	}
	return list->open > 0 && list->tokens.tokens[i].kind == KT_TOKEN_NAME ? i : SIZE_MAX;
}

/* Where the text is a call of the project's function: what that returns. *is_call: it is a call, though nothing may be known of it. */
static const char *returned(struct kt_scan *scan, uint32_t launch, const struct list *list, bool *is_call)
{
	const char **names = NULL;
	size_t count = 0;
	const size_t at = kt_token_is(&list->tokens, list->open, "(") ? name_of(list) : SIZE_MAX;
	*is_call = false;
	if (at == SIZE_MAX)
		return NULL;
	const char *value = kt_called_value(scan, &list->tokens, at, launch, true, is_call, &names, &count);
	return value != NULL && count == list->count ? kt_text_put(scan, value, names, list->parts, count) : NULL;
}

/* ".name = value" of a list that names its members; NULL: it does not, or has none of that name. */
static const char *designated(struct kt_scan *scan, const struct list *list, const char *member)
{
	for (size_t i = 0; i < list->count; i++) {
		struct kt_text part;
		struct kt_error err;
		const char *text = list->parts[i];
		if (text == NULL || kt_lex(&part, scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
			return NULL;
		if (part.count > 3 && kt_token_is(&part, 0, ".") && kt_token_is(&part, 1, member) && kt_token_is(&part, 2, "="))
			return kt_scan_squeeze(scan, &part, part.tokens[3].begin, part.tokens[part.count - 1].end);
	}
	return NULL;
}

static bool names_members(const struct list *list)
{
	return list->count > 0 && list->parts[0] != NULL && list->parts[0][0] == '.';
}

static const char *member_of(struct kt_scan *scan, uint32_t launch, CXType type, const char *text, const char *member, int depth);

/* `c ? A : B`, whose sides may be in brackets: the member of either. False: it is no choice. */
static bool of_choice(const char **out, struct kt_scan *scan, uint32_t launch, CXType type, const char *text, const char *member, int depth)
{
	const char *parts[3], *sides[2];
	*out = NULL;
	if (!kt_text_choice(parts, scan, text))
		return false;
	for (int i = 0; i < 2; i++)
		if ((sides[i] = member_of(scan, launch, type, parts[i + 1], member, depth + 1)) == NULL)
			return true;
	*out = kt_arena_printf(scan->arena, "(%s) ? (%s) : (%s)", parts[0], sides[0], sides[1]);
	return true;
}

static const char *member_of(struct kt_scan *scan, uint32_t launch, CXType type, const char *text, const char *member, int depth)
{
	struct constructors c = {.scan = scan, .member = member, .field = SIZE_MAX};
	struct list list;
	bool is_call = false;
	CXType own = kt_clang.getCanonicalType(type);
	if (own.kind == CXType_LValueReference)
		own = kt_clang.getCanonicalType(kt_clang.getPointeeType(own));
	CXCursor class = kt_clang.getTypeDeclaration(own);
	const char *value = NULL;
	if (depth > KT_EXPAND_DEPTH || kt_clang.Cursor_isNull(class) != 0 || of_choice(&value, scan, launch, type, text, member, depth) ||
	    !split(&list, scan, text))
		return value;
	value = returned(scan, launch, &list, &is_call);
	if (is_call)
		return value != NULL ? member_of(scan, launch, type, value, member, depth + 1) : NULL;
	if (names_members(&list) && (value = designated(scan, &list, member)) != NULL)
		return value;
	if (kt_scan_is_dim3(type, scan->arena)) {
		const size_t at = (size_t)(member[0] - 'x');
		if (member[1] != '\0' || at > 2)
			return NULL;
		return at < list.count ? list.parts[at] : "1";
	}
	/* What a list of names leaves out is as it is by default. */
	c.parts = list.parts;
	c.given = names_members(&list) ? 0 : list.count;
	kt_clang.visitChildren(class, read_member, &c);
	if (c.any)
		return c.several ? NULL : c.value != NULL || !c.fits ? c.value : c.by_default;
	return c.field < c.given ? list.parts[c.field] : c.by_default;
}

const char *kt_record_member(struct kt_scan *scan, uint32_t launch, CXType type, const char *text, const char *member)
{
	return member_of(scan, launch, type, text, member, 0);
}

const char *kt_record_named(struct kt_scan *scan, const char *text, const char *member)
{
	struct list list;
	return split(&list, scan, text) ? designated(scan, &list, member) : NULL;
}

struct field {
	size_t left;
	CXCursor cursor;
};

static enum CXChildVisitResult find_field(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct field *f = data;
	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_FieldDecl || f->left-- > 0)
		return CXChildVisit_Continue;
	f->cursor = cursor;
	return CXChildVisit_Break;
}

const char *kt_record_part(struct kt_scan *scan, uint32_t launch, const char *text, size_t index)
{
	const char *parts[3];
	for (int depth = 0; depth < KT_EXPAND_DEPTH; depth++) {
		struct list list;
		bool is_call = false;
		if (kt_text_choice(parts, scan, text) || !split(&list, scan, text))
			return NULL;
		text = returned(scan, launch, &list, &is_call);
		if (!is_call)
			return !names_members(&list) && index < list.count ? list.parts[index] : NULL;
		if (text == NULL)
			return NULL;
	}
	return NULL;
}

const char *kt_record_field(struct kt_scan *scan, CXType type, size_t index)
{
	struct field f = {index, kt_clang.getNullCursor()};
	kt_clang.visitChildren(kt_clang.getTypeDeclaration(kt_clang.getCanonicalType(type)), find_field, &f);
	return kt_clang.Cursor_isNull(f.cursor) != 0 ? NULL : kt_clang_text(scan->arena, kt_clang.getCursorSpelling(f.cursor));
}
