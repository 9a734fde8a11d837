/* Device symbols that clauses name: which one of a name the region's kernels mean, and what it holds. */
#include <string.h>

#include "instances.h"
#include "members.h"
#include "unit.h"

/* The device variables of a name, and those of them that a kernel's own text refers to. */
struct search {
	struct kt_scan *scan;
	const char *name;
	size_t first, second; /* items; SIZE_MAX: none */
};

static bool is_symbol(const struct kt_scan *scan, size_t item)
{
	/* Everything that OpenCL has at program scope is in device memory. */
	return scan->items[item].kind == CXCursor_VarDecl &&
	       (scan->items[item].is_device_data || !scan->target->has_host_code);
}

static void take(struct search *s, size_t item)
{
	if (s->first == SIZE_MAX)
		s->first = item;
	else if (kt_clang.equalCursors(kt_clang.getCanonicalCursor(s->scan->items[s->first].cursor),
				       kt_clang.getCanonicalCursor(s->scan->items[item].cursor)) == 0)
		s->second = item;
}

static enum CXChildVisitResult visit_reference(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct search *s = data;
	const size_t length = strlen(s->name);

	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_DeclRefExpr)
		return CXChildVisit_Recurse;
	const CXCursor target = kt_clang.getCanonicalCursor(kt_clang.getCursorReferenced(cursor));
	for (size_t i = kt_index_find(s->scan->item_index, s->name, length, 0); i != SIZE_MAX;
	     i = kt_index_find(s->scan->item_index, s->name, length, i + 1))
		if (is_symbol(s->scan, i) &&
		    kt_clang.equalCursors(target, kt_clang.getCanonicalCursor(s->scan->items[i].cursor)) != 0)
			take(s, i);
	return CXChildVisit_Recurse;
}

/* Is what is declared in that scope seen from a kernel of this qualified name without qualification? */
static bool is_around(const char *scope, const char *qualified)
{
	return strncmp(scope, qualified, strlen(scope)) == 0;
}

/* Of those that only functions use which the kernel calls: the innermost around it, else the first. */
static void choose_by_scope(struct search *s, const char *qualified)
{
	const size_t length = strlen(s->name);
	size_t chosen = SIZE_MAX;

	for (size_t i = kt_index_find(s->scan->item_index, s->name, length, 0); i != SIZE_MAX;
	     i = kt_index_find(s->scan->item_index, s->name, length, i + 1)) {
		const char *scope = s->scan->items[i].scope;

		if (!is_symbol(s->scan, i))
			continue;
		if (chosen == SIZE_MAX ||
		    (is_around(scope, qualified) && (!is_around(s->scan->items[chosen].scope, qualified) ||
						     strlen(scope) > strlen(s->scan->items[chosen].scope))))
			chosen = i;
	}
	s->first = chosen;
}

/* An array of all dimensions as one. */
struct extent {
	CXType element;
	int64_t elements; /* −1: not known */
	bool is_const;    /* at any level: an array of const and a const array are the same */
};

static struct extent extent_of(CXType type)
{
	struct extent out = {type, -1, false};

	for (;;) {
		out.is_const = out.is_const || kt_clang.isConstQualifiedType(out.element) != 0;
		const CXType plain = kt_clang.getCanonicalType(out.element);

		out.is_const = out.is_const || kt_clang.isConstQualifiedType(plain) != 0;
		if (plain.kind != CXType_ConstantArray && plain.kind != CXType_IncompleteArray)
			break;
		out.element = kt_clang.getArrayElementType(plain);
	}
	const long long bytes = kt_clang.Type_getSizeOf(type), one = kt_clang.Type_getSizeOf(out.element);

	if (bytes > 0 && one > 0)
		out.elements = bytes / one;
	return out;
}

static void describe(struct kt_buffer *out, struct kt_scan *scan, struct kt_found *found, size_t at)
{
	const struct kt_item *item = &scan->items[at];
	const CXType type = kt_clang.getCursorType(item->cursor);
	const struct extent extent = extent_of(type);
	const char *symbol = kt_scan_symbol(scan, item->cursor), *reason = NULL;

	out->symbol = (struct kt_device_symbol){.name = symbol != NULL ? symbol : item->name,
	                                        .element = kt_scan_element(&reason, scan, item->name, extent.element),
	                                        .elements = extent.elements < 0 ? 0 : extent.elements,
	                                        .is_constant = item->is_constant_data || extent.is_const};
	if (out->symbol.element == NULL)
		kt_found_decline(scan, found, "argument-type",
		                 "device symbol '%s' has type '%s': %s; declare it as an array of numbers, such as float %s[COUNT], or "
		                 "of vectors or structures of them", item->name,
		                 kt_clang_text(scan->arena, kt_clang.getTypeSpelling(type)),
		                 reason != NULL ? reason : "it cannot be read", item->name);
	else if (extent.elements < 0)
		kt_found_decline(scan, found, "argument-type",
		                 "device symbol '%s' has no size here; write its number of elements in the declaration that "
		                 "'%s' sees", item->name, found->region.kernel);
}

bool kt_scan_device_symbol(struct kt_buffer *out, const char **other, struct kt_scan *scan, struct kt_found *found)
{
	struct search s = {scan, out->name, SIZE_MAX, SIZE_MAX};

	*other = NULL;
	for (size_t i = 0; i < found->step_count; i++)
		(void)kt_clang.visitChildren(scan->items[found->steps[i].kernel->item].cursor, visit_reference, &s);
	if (found->step_count == 0 && found->item != SIZE_MAX)
		(void)kt_clang.visitChildren(scan->items[found->item].cursor, visit_reference, &s);
	if (s.first == SIZE_MAX)
		choose_by_scope(&s, found->region.qualified);
	if (s.first == SIZE_MAX)
		return false;
	if (s.second != SIZE_MAX)
		*other = kt_arena_printf(scan->arena, "%s%s", scan->items[s.second].scope, scan->items[s.second].name);
	if (scan->target->has_host_code)
		describe(out, scan, found, s.first);
	return true;
}

bool kt_scan_is_symbol(struct kt_scan *scan, size_t item, const struct kt_buffer *buffer)
{
	const char *symbol = kt_scan_symbol(scan, scan->items[item].cursor);

	return buffer->symbol.name != NULL &&
	       strcmp(symbol != NULL ? symbol : scan->items[item].name, buffer->symbol.name) == 0;
}

struct reference {
	CXCursor target; /* canonical */
	bool found;
};

static enum CXChildVisitResult visit_target(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct reference *r = data;

	(void)parent;
	if (kt_clang.getCursorKind(cursor) == CXCursor_DeclRefExpr)
		r->found = r->found ||
		           kt_clang.equalCursors(r->target,
		                                 kt_clang.getCanonicalCursor(kt_clang.getCursorReferenced(cursor))) != 0;
	return r->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

bool kt_scan_refers(const struct kt_scan *scan, const struct kt_found *found, size_t item)
{
	struct reference r = {kt_clang.getCanonicalCursor(scan->items[item].cursor), false};

	for (size_t i = 0; i < scan->item_count && !r.found; i++)
		if (found->needed[i] && scan->items[i].is_function && scan->items[i].body != 0)
			(void)kt_clang.visitChildren(scan->items[i].cursor, visit_target, &r);
	return r.found;
}
