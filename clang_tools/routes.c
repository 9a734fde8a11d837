#include "routes_internal.h"

#include "launches.h"

#include <string.h>

#define MOST_FRAMES 6
#define MOST_TEMPLATES 16

static bool read_call(struct kt_route_reader *r, const struct kt_route_frame *f, size_t name, size_t open, size_t first,
		      size_t end, int depth);

/* Finds what the function does with its parameter. */
static bool read_body(struct kt_route_reader *r, const struct kt_route_frame *f, const char *parameter, int depth)
{
	const struct kt_text *text = r->text;
	bool found = false;
	for (size_t i = f->body + 1; i < f->end; i++) {
		size_t name = 0;
		if (!kt_token_is(text, i, parameter) || kt_token_is(text, i - 1, ".") ||
		    kt_token_is(text, i - 1, "->") || kt_token_is(text, i - 1, "::") ||
		    (kt_scan_skipped(r->scan, text->tokens[i].begin) && kt_scan_dead(r->scan, text->tokens[i].begin)))
			continue;
		const size_t launch = kt_route_opens(text, i);
		if (launch < text->count) {
			found = kt_route_launch(r, f, i, launch) || found;
			continue;
		}
		const size_t open = kt_call_around(text, i, &name);
		if (open < text->count && open > f->body)
			found = read_call(r, f, name, open, i, i + 1, depth) || found;
	}
	return found;
}

struct listing {
	struct kt_scan *scan;
	CXCursor *items;
	size_t count;
	uint32_t body;
};

static enum CXChildVisitResult list_part(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct listing *l = data;
	size_t file = 0;
	(void)parent;
	if (kt_clang.getCursorKind(cursor) == CXCursor_CompoundStmt)
		l->body = kt_scan_offset(l->scan, kt_clang.getRangeStart(kt_clang.getCursorExtent(cursor)), &file);
	if (kt_clang.getCursorKind(cursor) != CXCursor_ParmDecl)
		return CXChildVisit_Continue;
	CXCursor *slot = kt_arena_push(l->scan->arena, &l->items, &l->count, sizeof *slot);
	if (slot != NULL)
		*slot = cursor;
	l->scan->failed = l->scan->failed || slot == NULL;
	return l->scan->failed ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* The function's definition where it is a text of the project; a null cursor: none. */
static CXCursor definition_of(CXCursor target)
{
	CXCursor from = kt_clang.getSpecializedCursorTemplate(target);
	CXCursor function = kt_clang.Cursor_isNull(from) == 0 ? from : target;
	return kt_clang.getCursorDefinition(function);
}

static bool is_pack(struct kt_route_reader *r, CXCursor parameter)
{
	const char *type = kt_clang_text(r->scan->arena, kt_clang.getTypeSpelling(kt_clang.getCursorType(parameter)));
	const size_t length = type != NULL ? strlen(type) : 0;
	return length > 3 && strcmp(type + length - 3, "...") == 0;
}

struct templates {
	struct kt_route_reader *r;
	const struct kt_route_frame *outer;
	struct kt_route_frame *f;
	const char *given[MOST_TEMPLATES];
	size_t count, index;
	uint32_t at;
};

/* A number that the call's list gives the parameter. */
static enum CXChildVisitResult add_template(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct templates *t = data;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	const char *name, *value;

	(void)parent;
	if (kind != CXCursor_TemplateTypeParameter && kind != CXCursor_NonTypeTemplateParameter &&
	    kind != CXCursor_TemplateTemplateParameter)
		return CXChildVisit_Continue;
	if (t->index >= t->count)
		return CXChildVisit_Break;
	value = t->given[t->index++];
	if (kind != CXCursor_NonTypeTemplateParameter)
		return CXChildVisit_Continue;
	name = kt_clang_text(t->r->scan->arena, kt_clang.getCursorSpelling(cursor));
	value = t->outer != NULL ? kt_route_resolve_text(t->r, t->outer, value, t->at) : value;
	if (name == NULL || value == NULL)
		return CXChildVisit_Break;
	t->f->names[t->f->count] = name;
	t->f->types[t->f->count] = kt_clang.getCursorType(cursor);
	t->f->values[t->f->count++] = value;
	return CXChildVisit_Continue;
}

/* Numbers that the call whose name is a token gives the function's template: "launch<256, 2>(kernel, …)". */
static void add_templates(struct kt_route_reader *r, const struct kt_route_frame *outer, struct kt_route_frame *f, CXCursor function,
			  size_t name)
{
	struct templates t = {.r = r, .outer = outer, .f = f, .at = r->text->tokens[name].begin};
	size_t close = 0;

	if (!kt_token_is(r->text, name + 1, "<") || !kt_route_list(r->text, name + 1, &close))
		return;
	t.count = kt_split_list(r->scan, r->text->tokens[name + 1].end, r->text->tokens[close].begin, t.given, MOST_TEMPLATES);
	kt_clang.visitChildren(function, add_template, &t);
}

/* Follows the kernel into a function of the project, which the call names at a token. */
static bool read_function(struct kt_route_reader *r, const struct kt_route_frame *outer, CXCursor target,
			  size_t name, const struct kt_route_parts *parts, size_t index, int depth)
{
	CXCursor function = definition_of(target);
	struct listing l = {.scan = r->scan};
	struct kt_route_frame f = {.count = 0};
	size_t file = SIZE_MAX;
	if (kt_clang.Cursor_isNull(function) != 0)
		return false;
	(void)kt_scan_offset(r->scan, kt_clang.getCursorLocation(function), &file);
	r->in_header = r->in_header || file != 0;
	if (file != 0)
		return false;
	kt_clang.visitChildren(function, list_part, &l);
	const size_t most = l.count + 1 + MOST_TEMPLATES;
	f.names = kt_arena_array(r->scan->arena, most, sizeof *f.names);
	f.values = kt_arena_array(r->scan->arena, most, sizeof *f.values);
	f.types = kt_arena_array(r->scan->arena, most, sizeof *f.types);
	if (l.body == 0 || f.names == NULL || f.values == NULL || f.types == NULL || index >= l.count)
		return false;
	f.body = kt_token_at(r->text, l.body);
	f.end = kt_token_match(r->text, f.body);
	if (f.end >= r->text->count)
		return false;
	for (size_t i = 0; i < l.count; i++) {
		const char *own = kt_clang_text(r->scan->arena, kt_clang.getCursorSpelling(l.items[i]));
		NEED(own, false);
		if (is_pack(r, l.items[i])) {
			f.pack = own;
			if (i < index || !kt_route_resolve_all(r, outer, parts, i, &f.rest, &f.rest_count))
				return false;
			break;
		}
		if (i >= parts->count)
			break;
		const struct kt_route_part p = kt_route_forwarded(r->text, parts->items[i]);
		const char *value = kt_route_resolve(r, outer, p.first, p.end);
		NEED(value, false);
		f.names[f.count] = own;
		f.types[f.count] = kt_clang.getCursorType(l.items[i]);
		f.values[f.count++] = value;
	}
	if (index >= f.count)
		return false;
	add_templates(r, outer, &f, function, name);
	return read_body(r, &f, f.names[index], depth + 1);
}

/* A call of a function of the project. */
static bool read_receiver(struct kt_route_reader *r, const struct kt_route_frame *f, size_t name,
			  const struct kt_route_parts *parts, size_t index, int depth)
{
	CXCursor target = kt_scan_target(r->scan, r->text->tokens[name].begin);
	if (kt_clang.Cursor_isNull(target) != 0)
		return false;
	if (kt_clang.getCursorKind(target) != CXCursor_OverloadedDeclRef)
		return read_function(r, f, target, name, parts, index, depth);
	/* Of overloads it has to be clear which one is called. */
	CXCursor only = kt_clang.getNullCursor();
	for (unsigned i = 0; i < kt_clang.getNumOverloadedDecls(target); i++) {
		CXCursor one = kt_clang.getCanonicalCursor(kt_clang.getOverloadedDecl(target, i));
		if (kt_clang.Cursor_isNull(only) == 0 && !kt_scan_same(r->scan, only, one))
			return false;
		only = one;
	}
	return kt_clang.Cursor_isNull(only) == 0 && read_function(r, f, only, name, parts, index, depth);
}

/* A call that has tokens [first, end) among its arguments. */
static bool read_call(struct kt_route_reader *r, const struct kt_route_frame *f, size_t name, size_t open, size_t first,
		      size_t end, int depth)
{
	struct kt_route_parts parts;
	size_t close = 0, index = 0;
	if (depth > MOST_FRAMES || !kt_route_split(r, open, &parts, &close))
		return false;
	while (index < parts.count && parts.items[index].end <= first)
		index++;
	if (index == parts.count)
		return false;
	const struct kt_route_part p = kt_route_forwarded(r->text, parts.items[index]);
	if (!kt_route_is_alone(r->text, &p, first, end))
		return false;
	if (kt_route_launcher(r, f, name, &parts, index))
		return true;
	if (!read_receiver(r, f, name, &parts, index, depth))
		return false;
	/* A frame without names is the function itself, in which a variable holds the kernel. */
	return (f != NULL && f->names != NULL) || kt_route_add_ranges(r, &parts);
}

/*
 * Does "<…>" at tokens [open, end) name all that makes the instance? What the type of a variable or parameter tells
 * (`void (*k)(float *) = kernel;`) is not known to the function that takes the kernel's place.
 */
static bool names_instance(const struct kt_text *text, const struct kt_region *region, size_t open, size_t end)
{
	size_t given = open < end, close = 0;
	for (size_t i = open + 1; i + 1 < end; i++) {
		if (kt_route_list(text, i, &close))
			i = close;
		else if (kt_token_is(text, i, "(") || kt_token_is(text, i, "[") || kt_token_is(text, i, "{"))
			i = kt_token_match(text, i);
		else
			given += kt_token_is(text, i, ",");
	}
	while (given < region->template_count && region->templates[given].default_text != NULL)
		given++;
	return given >= region->template_count;
}

/* The kernel's name at tokens [first, end): an argument of a call, or what a variable holds that is launched. *call: where. */
static bool read_use(struct kt_route_reader *r, size_t first, size_t end, size_t *call)
{
	struct kt_route_frame f;
	const char *variable = NULL;
	const size_t open = kt_call_around(r->text, first, call);
	if (open < r->text->count)
		return read_call(r, NULL, *call, open, first, end, 0);
	r->out->is_variable = kt_route_variable(r, first, end, &f, &variable) && read_body(r, &f, variable, 0) &&
	                      r->site_count > 0;
	*call = r->out->is_variable ? kt_token_at(r->text, r->sites[0].callee.begin) : 0;
	return r->out->is_variable;
}

/* The kernel's name, with its qualifiers and template arguments. */
struct name {
	size_t first, token, end;
};

static struct name name_at(const struct kt_text *text, uint32_t at)
{
	struct name n = {.token = kt_token_at(text, at)};
	size_t close = 0;
	n.first = n.token;
	n.end = n.token + 1;
	while (n.first > 0 && kt_token_is(text, n.first - 1, "::"))
		n.first -= n.first > 1 && text->tokens[n.first - 2].kind == KT_TOKEN_NAME ? 2 : 1;
	if (kt_token_is(text, n.end, "<") && kt_route_list(text, n.end, &close))
		n.end = close + 1;
	return n;
}

/* Fills the launch, and adds the sites to the region's. */
static void finish(struct kt_route_reader *r, struct kt_region *region, const struct name *n, struct kt_launch *l)
{
	const struct kt_text *text = r->text;
	const uint32_t behind = text->tokens[n->end - 1].end;
	for (size_t i = 0; i < r->site_count; i++) {
		size_t known = 0;
		while (known < region->site_count && region->sites[known].callee.begin != r->sites[i].callee.begin)
			known++;
		struct kt_launch_site *slot =
		    known < region->site_count
			? &region->sites[known]
			: kt_arena_push(r->scan->arena, &region->sites, &region->site_count, sizeof *slot);
		r->scan->failed = r->scan->failed || slot == NULL;
		if (slot != NULL)
			*slot = r->sites[i];
	}
	l->callee = (struct kt_range){text->tokens[n->first].begin, text->tokens[n->token].end};
	l->open = l->close = l->end = (struct kt_range){behind, behind};
	l->is_routed = true;
	l->is_constant = r->out->is_constant;
}

bool kt_route_read(struct kt_scan *scan, struct kt_found *found, uint32_t at, struct kt_launch *l, struct kt_route *out,
		   uint32_t *call)
{
	struct kt_route_reader r = {.scan = scan, .text = scan->text, .out = out};
	const struct name n = name_at(scan->text, at);
	size_t name = 0;
	*out = (struct kt_route){.part_count = 0};
	if (!names_instance(scan->text, &found->region, n.token + 1, n.end) || !read_use(&r, n.first, n.end, &name))
		return false;
	finish(&r, &found->region, &n, l);
	*call = scan->text->tokens[name].begin;
	return true;
}

bool kt_route_read_value(struct kt_scan *scan, struct kt_found *found, uint32_t at, struct kt_launch *l, struct kt_route *out,
			 uint32_t *call)
{
	struct kt_route_reader r = {.scan = scan, .text = scan->text, .out = out};
	const struct name n = name_at(scan->text, at);
	*out = (struct kt_route){.part_count = 0};
	if (!kt_route_values(&r, &found->region, n.first, n.end))
		return false;
	finish(&r, &found->region, &n, l);
	*call = out->at != 0 ? out->at : at;
	return true;
}
