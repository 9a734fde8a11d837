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

int64_t kt_instance_named(struct kt_scan *scan, struct kt_found *found, CXCursor name, CXCursor target)
{
	struct named n = {.scan = scan};
	size_t count = 0;
	(void)kt_clang.visitChildren(name, add_named, &n);
	const char **functions = kt_arena_array(scan->arena, n.count + 1, sizeof *functions);
	for (size_t i = 0; functions != NULL && i < n.count; i++)
		if (kt_clang.equalCursors(n.functions[i], target) == 0)
			functions[count++] = function_text(scan, n.functions[i]);
	return kt_instance_with_functions(scan, found, target, functions, count);
}

static void add_instance(struct walk *w, CXCursor reference, CXCursor target)
{
	if (!kt_callee_is_specialised(w->scan, w->found, target))
		(void)kt_instance_named(w->scan, w->found, reference, target);
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

static void add_made(struct walk *w, CXCursor template_)
{
	struct kt_found *found = w->found;
	if (kt_clang.Cursor_isNull(template_) != 0)
		return;
	for (size_t i = 0; i < found->made_count; i++)
		if (kt_scan_same(w->scan, found->made[i], template_))
			return;
	CXCursor *slot = kt_arena_push(w->scan->arena, &found->made, &found->made_count, sizeof *slot);
	if (slot != NULL)
		*slot = kt_clang.getCanonicalCursor(template_);
	w->scan->failed = w->scan->failed || slot == NULL;
}

static void note_made(struct walk *w, CXCursor function)
{
	CXCursor class = kt_clang.getCursorSemanticParent(function);
	add_made(w, kt_clang.getSpecializedCursorTemplate(function));
	if (kt_clang.getCursorKind(function) == CXCursor_Constructor && kt_clang.Cursor_isNull(class) == 0)
		add_made(w, kt_clang.getSpecializedCursorTemplate(class));
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
	if (is_new(w, target)) {
		note_made(w, target);
		kt_clang.visitChildren(target, walk_body, w);
	}
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

void kt_instances_walk_body(struct kt_scan *scan, struct kt_found *found, CXCursor function)
{
	struct walk w = {.scan = scan, .found = found};
	kt_clang.visitChildren(function, walk_body, &w);
}

static bool is_made_of(struct kt_scan *scan, const struct kt_found *found, CXCursor template_)
{
	for (size_t i = 0; i < found->made_count; i++)
		if (kt_scan_same(scan, found->made[i], template_))
			return true;
	return false;
}

/* The method of a class template that a place is in. */
struct method_at {
	struct kt_scan *scan;
	uint32_t at;
	CXCursor method;
};

static enum CXChildVisitResult find_method(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct method_at *m = data;
	const CXSourceRange range = kt_clang.getCursorExtent(cursor);
	size_t file;
	const uint32_t begin = kt_scan_offset(m->scan, kt_clang.getRangeStart(range), &file);
	const uint32_t end = kt_scan_offset(m->scan, kt_clang.getRangeEnd(range), &file);
	(void)parent;
	if (file != 0 || m->at < begin || m->at >= end)
		return CXChildVisit_Continue;
	switch ((int)kt_clang.getCursorKind(cursor)) {
	case CXCursor_ClassTemplate:
	case CXCursor_ClassTemplatePartialSpecialization:
	case CXCursor_ClassDecl:
	case CXCursor_StructDecl:
		return CXChildVisit_Recurse;
	case CXCursor_CXXMethod:
	case CXCursor_Constructor:
	case CXCursor_Destructor:
	case CXCursor_ConversionFunction:
	case CXCursor_FunctionTemplate:
		m->method = cursor;
		return CXChildVisit_Break;
	default:
		return CXChildVisit_Continue;
	}
}

static bool is_class_template(CXCursor cursor)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	return kind == CXCursor_ClassTemplate || kind == CXCursor_ClassTemplatePartialSpecialization;
}

bool kt_instances_host_is_made(struct kt_scan *scan, const struct kt_found *found, const struct kt_item *host, uint32_t at)
{
	struct method_at in = {.scan = scan, .at = at, .method = host->cursor};
	if (is_class_template(host->cursor))
		kt_clang.visitChildren(host->cursor, find_method, &in);
	CXCursor class = kt_clang.getCursorSemanticParent(in.method);
	const enum CXCursorKind kind = kt_clang.getCursorKind(in.method);
	if (!is_class_template(class) && kind != CXCursor_FunctionTemplate)
		return true;
	/* With an object come its destructor and what its table of functions names. */
	if (is_class_template(class) && is_made_of(scan, found, class) &&
	    (kind == CXCursor_Destructor || kt_clang.CXXMethod_isVirtual(in.method) != 0))
		return true;
	return is_made_of(scan, found, in.method) || kt_instances_host_is_explicit(scan, host);
}
