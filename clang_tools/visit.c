#include "visit.h"

#include <stdlib.h>
#include <string.h>

#include "macros.h"
#include "opencl.h"

struct outer {
	struct kt_scan *scan;
	const char *scope;
	bool in_anonymous, in_extern_c, unnamed_outside;
	bool host; /* the host's pass: only functions of the main file */
};

struct inner {
	struct kt_scan *scan;
	const struct kt_item *item;
	uint32_t scope_end;
	bool host; /* the host's pass: only what device code skips */
};

static bool is_function(enum CXCursorKind kind)
{
	return kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate;
}

uint32_t kt_widen_begin(const struct kt_text *text, uint32_t begin, uint32_t least)
{
	size_t i = kt_token_at(text, begin);
	while (i > 0 && text->tokens[i - 1].begin >= least && text->tokens[i - 1].kind != KT_TOKEN_DIRECTIVE &&
	       !kt_token_is(text, i - 1, ";") && !kt_token_is(text, i - 1, "}") && !kt_token_is(text, i - 1, "{"))
		i--;
	return i < text->count && text->tokens[i].begin < begin ? text->tokens[i].begin : begin;
}

uint32_t kt_widen_end(const struct kt_text *text, uint32_t end)
{
	size_t i = kt_token_at(text, end);
	return kt_token_is(text, i, ";") ? text->tokens[i].end : end;
}

static enum CXChildVisitResult read_attribute(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct kt_item *item = data;
	(void)parent;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	if (kind == CXCursor_CUDAGlobalAttr)
		item->is_global = true;
	if (kind == CXCursor_CUDADeviceAttr || kind == CXCursor_CUDAConstantAttr)
		item->is_device_data = true;
	item->is_constant_data = item->is_constant_data || kind == CXCursor_CUDAConstantAttr;
	if (kind == CXCursor_CompoundStmt && item->body == 0) {
		unsigned offset = 0;
		CXFile file = NULL;
		kt_clang.getFileLocation(kt_clang.getRangeStart(kt_clang.getCursorExtent(cursor)), &file, NULL, NULL,
		                         &offset);
		item->body = offset;
	}
	return CXChildVisit_Continue;
}

static void add_alias(struct kt_scan *scan, CXCursor named)
{
	struct kt_alias *slot = kt_arena_push(scan->arena, &scan->aliases, &scan->alias_count, sizeof *slot);
	if (slot == NULL) {
		scan->failed = true;
		return;
	}
	slot->name = kt_clang_text(scan->arena, kt_clang.getCursorSpelling(named));
	slot->item = scan->item_count;
	slot->value = kt_clang.getCursorKind(named) == CXCursor_EnumConstantDecl
	                  ? kt_clang.getEnumConstantDeclValue(named) : 0;
	scan->failed = scan->failed || slot->name == NULL;
}

static enum CXChildVisitResult read_enumerator(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (kt_clang.getCursorKind(cursor) == CXCursor_EnumConstantDecl)
		add_alias(data, cursor);
	return CXChildVisit_Continue;
}

/* Enumerators are names of their enumeration; a member defined outside belongs to its class: true. */
static bool add_aliases(struct kt_scan *scan, CXCursor cursor, enum CXCursorKind kind)
{
	if (kind == CXCursor_EnumDecl)
		kt_clang.visitChildren(cursor, read_enumerator, scan);
	CXCursor parent = kt_clang.getCursorSemanticParent(cursor);
	enum CXCursorKind of = kt_clang.getCursorKind(parent);
	if (of != CXCursor_StructDecl && of != CXCursor_ClassDecl && of != CXCursor_ClassTemplate)
		return false;
	add_alias(scan, parent);
	return true;
}

/* "ops::v1::" of what may be defined outside of its namespace: `void ops::v1::k() {}`. NULL: a class's member. */
static const char *semantic_scope(struct kt_scan *scan, CXCursor cursor)
{
	const char *scope = "";
	for (CXCursor at = kt_clang.getCursorSemanticParent(cursor); scope != NULL;
	     at = kt_clang.getCursorSemanticParent(at)) {
		enum CXCursorKind kind = kt_clang.getCursorKind(at);
		if (kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl)
			continue;
		if (kind != CXCursor_Namespace)
			return kind == CXCursor_TranslationUnit ? scope : NULL;
		char *name = kt_clang_text(scan->arena, kt_clang.getCursorSpelling(at));
		if (name != NULL && name[0] != '\0' && name[0] != '(')
			scope = kt_arena_printf(scan->arena, "%s::%s", name, scope);
	}
	return NULL;
}

/* A function as the host's pass sees it: what its launches and their surroundings are read from. */
static void add_host_item(struct outer *o, CXCursor cursor, enum CXCursorKind kind, size_t file)
{
	struct kt_scan *scan = o->scan;
	struct kt_item item = {.cursor = cursor, .kind = kind, .file = file, .is_function = is_function(kind)};
	size_t end_file = 0;
	if (file != 0)
		return;
	item.name = kt_clang_text(scan->arena, kt_clang.getCursorSpelling(cursor));
	item.end = kt_scan_offset(scan, kt_clang.getRangeEnd(kt_clang.getCursorExtent(cursor)), &end_file);
	kt_clang.visitChildren(cursor, read_attribute, &item);
	struct kt_item *slot = kt_arena_push(scan->arena, &scan->host_items, &scan->host_item_count, sizeof *slot);
	if (slot == NULL || item.name == NULL)
		scan->failed = true;
	else
		*slot = item;
}

static void add_item(struct outer *o, CXCursor cursor, enum CXCursorKind kind, size_t file)
{
	struct kt_scan *scan = o->scan;
	CXSourceRange range = kt_clang.getCursorExtent(cursor);
	size_t begin_file = 0, end_file = 0;
	struct kt_item item = {.cursor = cursor, .kind = kind, .file = file, .is_function = is_function(kind)};
	item.begin = kt_scan_offset(scan, kt_clang.getRangeStart(range), &begin_file);
	item.end = kt_scan_offset(scan, kt_clang.getRangeEnd(range), &end_file);
	item.name_at = kt_scan_offset(scan, kt_clang.getCursorLocation(cursor), &file);
	if (begin_file != item.file || end_file != item.file || item.end < item.begin)
		return;
	if (file == 0) {
		const struct kt_item *last = scan->item_count > 0 ? &scan->items[scan->item_count - 1] : NULL;
		uint32_t least = last != NULL && last->file == 0 && last->end <= item.begin ? last->end : 0;
		item.begin = kt_widen_begin(scan->text, item.begin, least);
		item.end = kt_widen_end(scan->text, item.end);
	}
	item.is_member = add_aliases(scan, cursor, kind);
	item.name = kt_clang_text(scan->arena, kt_clang.getCursorSpelling(cursor));
	item.lexical = o->scope;
	item.scope = item.is_function && scan->target->has_host_code ? semantic_scope(scan, cursor) : NULL;
	if (item.scope == NULL)
		item.scope = o->scope;
	item.in_anonymous = o->in_anonymous;
	item.unnamed_outside = o->unnamed_outside;
	item.in_extern_c = o->in_extern_c;
	item.is_static = kt_clang.Cursor_getStorageClass(cursor) == CX_SC_Static;
	kt_clang.visitChildren(cursor, read_attribute, &item);
	struct kt_item *slot = kt_arena_push(scan->arena, &scan->items, &scan->item_count, sizeof *slot);
	if (slot == NULL || item.name == NULL)
		scan->failed = true;
	else
		*slot = item;
}

/* Up to libclang 16, extern "C" has no separate cursor kind. */
static bool is_linkage(struct kt_scan *scan, size_t file, CXCursor cursor)
{
	size_t begin_file = 0;
	const struct kt_text *text = kt_scan_text(scan, file);
	uint32_t begin =
	    kt_scan_offset(scan, kt_clang.getRangeStart(kt_clang.getCursorExtent(cursor)), &begin_file);
	size_t token = text != NULL && begin_file == file ? kt_token_at(text, begin) : SIZE_MAX;
	return token != SIZE_MAX && kt_token_is(text, token, "extern") && token + 1 < text->count &&
	       text->tokens[token + 1].kind == KT_TOKEN_STRING;
}

static enum CXChildVisitResult visit_outer(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct outer *o = data;
	(void)parent;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	if (kind == CXCursor_MacroDefinition) {
		if (!o->host)
			kt_macro_add(o->scan, cursor);
		return CXChildVisit_Continue;
	}
	if (kt_clang.isDeclaration(kind) == 0)
		return CXChildVisit_Continue;
	CXSourceLocation location = kt_clang.getCursorLocation(cursor);
	size_t file = 0;
	if (kt_clang.Location_isInSystemHeader(location) != 0)
		return CXChildVisit_Continue;
	(void)kt_scan_offset(o->scan, location, &file);
	if (file == SIZE_MAX)
		return CXChildVisit_Continue;
	if (kind == CXCursor_UnexposedDecl && is_linkage(o->scan, file, cursor))
		kind = CXCursor_LinkageSpec;
	if (kind != CXCursor_Namespace && kind != CXCursor_LinkageSpec) {
		if (o->host)
			add_host_item(o, cursor, kind, file);
		else
			add_item(o, cursor, kind, file);
		return o->scan->failed ? CXChildVisit_Break : CXChildVisit_Continue;
	}
	struct outer deeper = *o;
	if (kind == CXCursor_LinkageSpec) {
		deeper.in_extern_c = true;
	} else {
		char *name = kt_clang_text(o->scan->arena, kt_clang.getCursorSpelling(cursor));
		bool anonymous = name == NULL || name[0] == '\0' || name[0] == '(';
		deeper.unnamed_outside = o->unnamed_outside || (!anonymous && o->in_anonymous && o->scope[0] == '\0');
		deeper.in_anonymous = o->in_anonymous || anonymous;
		deeper.scope = anonymous ? o->scope : kt_arena_printf(o->scan->arena, "%s%s::", o->scope, name);
	}
	kt_clang.visitChildren(cursor, visit_outer, &deeper);
	return o->scan->failed ? CXChildVisit_Break : CXChildVisit_Continue;
}

static void add_use(struct kt_scan *scan, struct kt_use **uses, size_t *count, uint32_t at, CXCursor target)
{
	struct kt_use *slot = kt_arena_push(scan->arena, uses, count, sizeof *slot);
	if (slot == NULL)
		scan->failed = true;
	else
		*slot = (struct kt_use){at, target};
}

static void visit_reference(const struct inner *in, CXCursor cursor)
{
	struct kt_scan *scan = in->scan;
	CXCursor target = kt_clang.getCursorReferenced(cursor);
	size_t file = 0;
	if (kt_clang.Cursor_isNull(target) != 0)
		return;
	uint32_t at = kt_scan_offset(scan, kt_clang.getCursorLocation(cursor), &file);
	if (file != 0)
		return;
	if (!in->host || kt_scan_skipped(scan, at))
		add_use(scan, &scan->uses, &scan->use_count, at, kt_clang.getCanonicalCursor(target));
	if (kt_clang.getCursorKind(target) == CXCursor_FunctionDecl &&
	    kt_clang.Cursor_getNumTemplateArguments(target) > 0)
		add_use(scan, &scan->specialised, &scan->specialised_count, at, target);
}

static void visit_variable(const struct inner *in, CXCursor cursor, bool parameter)
{
	struct kt_scan *scan = in->scan;
	size_t file = 0;
	struct kt_local local = {.cursor = cursor, .scope_end = in->scope_end, .is_parameter = parameter};
	local.at = kt_scan_offset(scan, kt_clang.getCursorLocation(cursor), &file);
	if (file != 0 || (in->host && !kt_scan_skipped(scan, local.at)))
		return;
	local.end = kt_scan_offset(scan, kt_clang.getRangeEnd(kt_clang.getCursorExtent(cursor)), &file);
	local.name = kt_clang_text(scan->arena, kt_clang.getCursorSpelling(cursor));
	local.type = kt_clang.getCursorType(cursor);
	struct kt_local *slot = kt_arena_push(scan->arena, &scan->locals, &scan->local_count, sizeof *slot);
	if (slot == NULL || local.name == NULL)
		scan->failed = true;
	else
		*slot = local;
}

struct children {
	CXCursor first, config;
	size_t count;
	bool found;
};

static enum CXChildVisitResult read_call(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct children *c = data;
	(void)parent;
	if (c->count++ == 0)
		c->first = cursor;
	if (kt_clang.getCursorKind(cursor) != CXCursor_CallExpr)
		return CXChildVisit_Continue;
	CXString name = kt_clang.getCursorSpelling(cursor);
	const char *text = kt_clang.getCString(name);
	if (text != NULL && (strcmp(text, "__cudaPushCallConfiguration") == 0 || strcmp(text, "cudaConfigureCall") == 0)) {
		c->config = cursor;
		c->found = true;
	}
	kt_clang.disposeString(name);
	return c->found ? CXChildVisit_Break : CXChildVisit_Continue;
}

static struct kt_range extent_of(const struct kt_scan *scan, CXCursor cursor)
{
	size_t file = 0;
	CXSourceRange range = kt_clang.getCursorExtent(cursor);
	struct kt_range out = {kt_scan_offset(scan, kt_clang.getRangeStart(range), &file), 0};
	out.end = kt_scan_offset(scan, kt_clang.getRangeEnd(range), &file);
	return out;
}

static void visit_call(const struct inner *in, CXCursor cursor)
{
	struct children c = {.found = false};
	kt_clang.visitChildren(cursor, read_call, &c);
	if (!c.found || (in->host && !kt_scan_skipped(in->scan, extent_of(in->scan, cursor).begin)))
		return;
	struct kt_call *slot = kt_arena_push(in->scan->arena, &in->scan->calls, &in->scan->call_count, sizeof *slot);
	if (slot == NULL) {
		in->scan->failed = true;
		return;
	}
	*slot = (struct kt_call){.cursor = cursor, .callee = c.first, .config = c.config, .function = in->item};
	slot->extent = extent_of(in->scan, cursor);
	slot->config_extent = extent_of(in->scan, c.config);
}

static enum CXChildVisitResult visit_inner(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct inner deeper = *(struct inner *)data;
	(void)parent;
	switch ((int)kt_clang.getCursorKind(cursor)) {
	case CXCursor_CallExpr:
		visit_call(&deeper, cursor);
		break;
	case CXCursor_DeclRefExpr:
	case CXCursor_TypeRef:
	case CXCursor_TemplateRef:
	case CXCursor_OverloadedDeclRef:
		visit_reference(&deeper, cursor);
		break;
	case CXCursor_VarDecl:
	case CXCursor_ParmDecl:
		visit_variable(&deeper, cursor, kt_clang.getCursorKind(cursor) == CXCursor_ParmDecl);
		break;
	case CXCursor_CompoundStmt:
	case CXCursor_ForStmt:
	case CXCursor_IfStmt:
	case CXCursor_WhileStmt:
	case CXCursor_LambdaExpr:
	case CXCursor_CXXForRangeStmt:
		deeper.scope_end = extent_of(deeper.scan, cursor).end;
		break;
	default:
		break;
	}
	if (deeper.scan->failed)
		return CXChildVisit_Break;
	kt_clang.visitChildren(cursor, visit_inner, &deeper);
	return CXChildVisit_Continue;
}

static int by_offset(const void *a, const void *b)
{
	const struct kt_use *left = a, *right = b;
	return (left->at > right->at) - (left->at < right->at);
}

static kt_status index_names(struct kt_scan *scan, struct kt_error *err)
{
	scan->item_index = kt_index_new(scan->arena, scan->item_count + scan->alias_count);
	scan->macro_index = kt_index_new(scan->arena, scan->macro_count);
	if (scan->item_index == NULL || scan->macro_index == NULL)
		return kt_no_memory(err);
	for (size_t i = 0; i < scan->item_count; i++)
		(void)kt_index_add(scan->item_index, scan->items[i].name, strlen(scan->items[i].name), i);
	for (size_t i = 0; i < scan->alias_count; i++)
		(void)kt_index_add(scan->item_index, scan->aliases[i].name, strlen(scan->aliases[i].name),
		                   scan->aliases[i].item);
	for (size_t i = 0; i < scan->macro_count; i++)
		(void)kt_index_add(scan->macro_index, scan->macros[i].name, strlen(scan->macros[i].name), i);
	return KT_OK;
}

static void sort_uses(struct kt_scan *scan)
{
	if (scan->use_count > 1)
		qsort(scan->uses, scan->use_count, sizeof *scan->uses, by_offset);
}

kt_status kt_visit_host(struct kt_scan *scan, struct kt_error *err)
{
	struct outer o = {.scan = scan, .scope = "", .host = true};
	kt_clang.visitChildren(kt_clang.getTranslationUnitCursor(scan->host_unit), visit_outer, &o);
	for (size_t i = 0; i < scan->host_item_count && !scan->failed; i++) {
		const struct kt_item *item = &scan->host_items[i];
		struct inner in = {scan, item, item->is_function ? item->end : UINT32_MAX, true};
		if (item->kind == CXCursor_VarDecl)
			visit_variable(&in, item->cursor, false);
		kt_clang.visitChildren(item->cursor, visit_inner, &in);
	}
	if (scan->failed)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading the host's syntax tree");
	sort_uses(scan);
	return KT_OK;
}

kt_status kt_visit_unit(struct kt_scan *scan, struct kt_error *err)
{
	struct outer o = {.scan = scan, .scope = ""};
	kt_macros_from_arguments(scan);
	kt_clang.visitChildren(kt_clang.getTranslationUnitCursor(scan->unit), visit_outer, &o);
	for (size_t i = 0; i < scan->item_count && !scan->failed; i++) {
		struct kt_item *item = &scan->items[i];
		if (item->file != 0)
			continue;
		struct inner in = {scan, item, item->is_function ? item->end : UINT32_MAX, false};
		if (item->kind == CXCursor_VarDecl)
			visit_variable(&in, item->cursor, false);
		kt_clang.visitChildren(item->cursor, visit_inner, &in);
	}
	if (scan->failed)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading the syntax tree");
	sort_uses(scan);
	kt_status status = index_names(scan, err);
	if (status == KT_OK && !scan->target->has_host_code)
		kt_opencl_mark(scan);
	return status;
}
