/* What of a declaration only host code uses. */
#include "device.h"

#include <string.h>

static bool is_function(enum CXCursorKind kind)
{
	static const enum CXCursorKind kinds[] = {
		CXCursor_FunctionDecl, CXCursor_FunctionTemplate, CXCursor_CXXMethod,
		CXCursor_Constructor,  CXCursor_Destructor,       CXCursor_ConversionFunction,
	};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (kind == kinds[i])
			return true;
	return false;
}

static bool is_class(enum CXCursorKind kind)
{
	return kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl || kind == CXCursor_UnionDecl ||
	       kind == CXCursor_ClassTemplate || kind == CXCursor_ClassTemplatePartialSpecialization;
}

static enum CXChildVisitResult read_device(CXCursor cursor, CXCursor parent, CXClientData data)
{
	bool *device = data;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	(void)parent;
	*device = *device || kind == CXCursor_CUDADeviceAttr || kind == CXCursor_CUDAGlobalAttr;
	return *device ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* The token that ends the declaration's head: "{", ";", ":" of initialisers, "=" of default and delete. */
static size_t head_end(const struct kt_text *text, struct kt_range range)
{
	size_t i = kt_token_at(text, range.begin);
	bool has_parameters = false;
	while (i < text->count && text->tokens[i].begin < range.end) {
		if (kt_token_is(text, i, "{") || kt_token_is(text, i, ";") ||
		    (has_parameters && (kt_token_is(text, i, ":") || kt_token_is(text, i, "="))))
			return i;
		if (kt_token_is(text, i, "(")) {
			has_parameters = true;
			i = kt_token_match(text, i);
		}
		i++;
	}
	return i;
}

bool kt_device_is_host(CXCursor cursor, const struct kt_text *text, struct kt_range range)
{
	bool device = false;
	if (!is_function(kt_clang.getCursorKind(cursor)) || text == NULL || range.end <= range.begin)
		return false;
	(void)kt_clang.visitChildren(cursor, read_device, &device);
	if (device || kt_clang.CXXMethod_isDefaulted(cursor) != 0 || kt_clang.CXXMethod_isDeleted(cursor) != 0)
		return false;
	/* The compiler takes what can be constant for both sides. */
	for (size_t i = kt_token_at(text, range.begin), end = head_end(text, range); i < end; i++)
		if (kt_token_is(text, i, "constexpr") || kt_token_is(text, i, "consteval"))
			return false;
	return true;
}

struct members {
	struct kt_scan *scan;
	const struct kt_text *text;
	struct kt_range within;
	size_t file;
	struct kt_device_cut **cuts;
	size_t *count;
};

/* The member's text: "public:" before it is none of it. */
static struct kt_range member_range(const struct members *m, CXCursor cursor)
{
	CXSourceRange extent = kt_clang.getCursorExtent(cursor);
	struct kt_range range = {0, 0};
	size_t begin_file = 0, end_file = 0;
	range.begin = kt_scan_offset(m->scan, kt_clang.getRangeStart(extent), &begin_file);
	range.end = kt_scan_offset(m->scan, kt_clang.getRangeEnd(extent), &end_file);
	if (begin_file != m->file || end_file != m->file || range.begin < m->within.begin || range.end > m->within.end ||
	    range.end <= range.begin)
		return (struct kt_range){0, 0};
	size_t first = kt_token_at(m->text, range.begin), last = kt_token_at(m->text, range.end);
	while (first > 0 && m->text->tokens[first - 1].begin > m->within.begin &&
	       m->text->tokens[first - 1].kind != KT_TOKEN_DIRECTIVE && !kt_token_is(m->text, first - 1, ";") &&
	       !kt_token_is(m->text, first - 1, "}") && !kt_token_is(m->text, first - 1, "{") &&
	       !kt_token_is(m->text, first - 1, ":"))
		first--;
	if (first < m->text->count && m->text->tokens[first].begin < range.begin)
		range.begin = m->text->tokens[first].begin;
	/* A macro's body has no place in the file. */
	if (last == 0 || !(kt_token_is(m->text, last - 1, "}") || kt_token_is(m->text, last, ";")))
		return (struct kt_range){0, 0};
	range.end = kt_token_is(m->text, last, ";") ? m->text->tokens[last].end : range.end;
	return range;
}

static bool has_directive(const struct kt_text *text, struct kt_range range)
{
	for (size_t i = kt_token_at(text, range.begin); i < text->count && text->tokens[i].begin < range.end; i++)
		if (text->tokens[i].kind == KT_TOKEN_DIRECTIVE)
			return true;
	return false;
}

/* Types of the standard library are the host's. */
static bool names_std(const struct kt_text *text, uint32_t begin, uint32_t end)
{
	for (size_t i = kt_token_at(text, begin); i < text->count && text->tokens[i].begin < end; i++)
		if (kt_token_is(text, i, "std"))
			return true;
	return false;
}

/*
 * How a class is passed and laid out depends on its constructors, destructor and virtual functions: they stay declared.
 * Others cannot be called by device code.
 */
static void add_cut(const struct members *m, CXCursor cursor, struct kt_range range)
{
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	bool special = kind == CXCursor_Constructor || kind == CXCursor_Destructor ||
	               kt_clang.CXXMethod_isVirtual(cursor) != 0;
	const char *text = "";
	if (has_directive(m->text, range))
		return;
	if (special) {
		size_t end = head_end(m->text, range);
		if (end < m->text->count && !names_std(m->text, range.begin, m->text->tokens[end].begin)) {
			range.begin = m->text->tokens[end].begin;
			text = ";";
		}
	}
	struct kt_device_cut *slot = kt_arena_push(m->scan->arena, m->cuts, m->count, sizeof *slot);
	if (slot == NULL)
		m->scan->failed = true;
	else
		*slot = (struct kt_device_cut){range, text};
}

static enum CXChildVisitResult find_first(CXCursor cursor, CXCursor parent, CXClientData data)
{
	CXCursor *first = data;
	(void)parent;
	if (kt_clang.isDeclaration(kt_clang.getCursorKind(cursor)) == 0)
		return CXChildVisit_Continue;
	*first = cursor;
	return CXChildVisit_Break;
}

static enum CXChildVisitResult visit_member(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const struct members *m = data;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	(void)parent;
	if (is_class(kind))
		return CXChildVisit_Recurse;
	CXCursor function = cursor;
	if (kind == CXCursor_FriendDecl)
		kt_clang.visitChildren(cursor, find_first, &function);
	struct kt_range range = member_range(m, cursor);
	if (kt_device_is_host(function, m->text, range))
		add_cut(m, function, range);
	return m->scan->failed ? CXChildVisit_Break : CXChildVisit_Continue;
}

bool kt_device_class_cuts(struct kt_device_cut **cuts, size_t *count, struct kt_scan *scan, const struct kt_item *item)
{
	struct members m = {
		scan, item->file == 0 ? scan->text : kt_scan_text(scan, item->file), kt_item_range(scan, item), item->file, cuts,
		count};
	*cuts = NULL;
	*count = 0;
	if (is_class(item->kind) && m.text != NULL)
		kt_clang.visitChildren(item->cursor, visit_member, &m);
	return !scan->failed;
}
