#include <string.h>

#include "instances.h"
#include "launches.h"

/* More instantiated functions than any unit's launches are reached through. */
#define MOST_FUNCTIONS 2048

/* The bodies that the compiler makes of the host's templates, from what calls them down to launches of the kernel. */
struct walk {
	struct kt_scan *scan;
	struct kt_found *found;
	CXCursor *seen;
	size_t seen_count;
};

/* Functions that an expression names, in the order of the text. */
struct named {
	struct kt_scan *scan;
	CXCursor *functions;
	size_t count;
};

static enum CXChildVisitResult add_named(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct named *n = data;
	(void)parent;
	if (kt_clang.getCursorKind(cursor) == CXCursor_DeclRefExpr) {
		CXCursor target = kt_clang.getCursorReferenced(cursor);
		if (kt_clang.getCursorKind(target) == CXCursor_FunctionDecl) {
			CXCursor *slot = kt_arena_push(n->scan->arena, &n->functions, &n->count, sizeof *slot);
			if (slot != NULL)
				*slot = target;
			n->scan->failed = n->scan->failed || slot == NULL;
		}
	}
	return n->scan->failed ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* "ops::silu", "ops::act<float>": how code at file scope names the function. NULL: it cannot. */
static const char *function_text(struct kt_scan *scan, CXCursor function)
{
	const char *text = kt_clang_text(scan->arena, kt_clang.getCursorSpelling(function));
	int count = kt_clang.Cursor_getNumTemplateArguments(function);
	for (int i = 0; i < count && text != NULL; i++) {
		unsigned a = (unsigned)i;
		const char *between = i == 0 ? "<" : ", ";
		enum CXTemplateArgumentKind kind = kt_clang.Cursor_getTemplateArgumentKind(function, a);
		if (kind == CXTemplateArgumentKind_Type) {
			const char *type = kt_instance_type(scan, kt_clang.Cursor_getTemplateArgumentType(function, a));
			text = type != NULL ? kt_arena_printf(scan->arena, "%s%s%s", text, between, type) : NULL;
		} else if (kind == CXTemplateArgumentKind_Integral) {
			text = kt_arena_printf(scan->arena, "%s%s%lld", text, between,
					       kt_clang.Cursor_getTemplateArgumentValue(function, a));
		} else {
			text = NULL;
		}
	}
	if (text != NULL && count > 0)
		text = kt_arena_printf(scan->arena, "%s>", text);
	for (CXCursor at = kt_clang.getCursorSemanticParent(function); text != NULL;
	     at = kt_clang.getCursorSemanticParent(at)) {
		enum CXCursorKind kind = kt_clang.getCursorKind(at);
		if (kind == CXCursor_TranslationUnit)
			return text;
		if (kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl)
			continue;
		char *name = kt_clang_text(scan->arena, kt_clang.getCursorSpelling(at));
		if (name != NULL && name[0] != '\0' && name[0] != '(')
			text = kt_arena_printf(scan->arena, "%s::%s", name, text);
	}
	return NULL;
}

/* The names of the functions among the template arguments where the kernel is named. */
static void add_instance(struct walk *w, CXCursor reference, CXCursor target)
{
	struct kt_scan *scan = w->scan;
	struct named n = {.scan = scan};
	if (kt_callee_is_specialised(scan, w->found, target))
		return;
	kt_clang.visitChildren(reference, add_named, &n);
	const char **functions = kt_arena_array(scan->arena, n.count + 1, sizeof *functions);
	for (size_t i = 0; functions != NULL && i < n.count; i++)
		functions[i] = function_text(scan, n.functions[i]);
	(void)kt_instance_with_functions(scan, w->found, target, functions, functions != NULL ? n.count : 0);
}

static bool is_new(struct walk *w, CXCursor function)
{
	for (size_t i = 0; i < w->seen_count; i++)
		if (kt_clang.equalCursors(w->seen[i], function) != 0)
			return false;
	CXCursor *slot = w->seen_count < MOST_FUNCTIONS
			     ? kt_arena_push(w->scan->arena, &w->seen, &w->seen_count, sizeof *slot)
			     : NULL;
	if (slot != NULL)
		*slot = function;
	return slot != NULL;
}

/* Is it made by the compiler: of a function's template, or as a member of a class that is? */
static bool is_made(CXCursor function)
{
	if (kt_clang.Cursor_isNull(kt_clang.getSpecializedCursorTemplate(function)) == 0)
		return true;
	CXCursor class = kt_clang.getCursorSemanticParent(function);
	return kt_clang.Cursor_isNull(class) == 0 &&
	       kt_clang.Cursor_isNull(kt_clang.getSpecializedCursorTemplate(class)) == 0;
}

static enum CXChildVisitResult walk_body(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct walk *w = data;
	(void)parent;
	switch ((int)kt_clang.getCursorKind(cursor)) {
	case CXCursor_FunctionTemplate:
	case CXCursor_ClassTemplate:
		return CXChildVisit_Continue;
	case CXCursor_DeclRefExpr:
	case CXCursor_MemberRefExpr:
	case CXCursor_CallExpr:
		break;
	default:
		return w->scan->failed ? CXChildVisit_Break : CXChildVisit_Recurse;
	}
	CXCursor target = kt_clang.getCursorReferenced(cursor);
	enum CXCursorKind kind = kt_clang.getCursorKind(target);
	if (kt_clang.Cursor_isNull(target) != 0 ||
	    (kind != CXCursor_FunctionDecl && kind != CXCursor_CXXMethod && kind != CXCursor_Constructor) ||
	    kt_clang.Location_isInSystemHeader(kt_clang.getCursorLocation(target)) != 0 || !is_made(target))
		return CXChildVisit_Recurse;
	CXCursor from = kt_clang.getSpecializedCursorTemplate(target);
	if (kt_clang.Cursor_isNull(from) == 0 && kt_scan_same(w->scan, from, w->found->pattern)) {
		if (kt_clang.getCursorKind(cursor) == CXCursor_DeclRefExpr)
			add_instance(w, cursor, target);
		return CXChildVisit_Recurse;
	}
	if (is_new(w, target))
		kt_clang.visitChildren(target, walk_body, w);
	return w->scan->failed ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static bool is_body(const struct kt_item *item)
{
	return item->file == 0 && item->kind != CXCursor_FunctionTemplate && item->kind != CXCursor_ClassTemplate;
}

void kt_instances_walk(struct kt_scan *scan, struct kt_found *found)
{
	struct walk w = {.scan = scan, .found = found};
	for (size_t i = 0; i < scan->item_count && !scan->failed; i++)
		if (is_body(&scan->items[i]))
			kt_clang.visitChildren(scan->items[i].cursor, walk_body, &w);
	for (size_t i = 0; i < scan->host_item_count && !scan->failed; i++)
		if (is_body(&scan->host_items[i]))
			kt_clang.visitChildren(scan->host_items[i].cursor, walk_body, &w);
}
