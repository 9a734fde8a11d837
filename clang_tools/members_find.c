/* Members by their names, and base classes. */
#include "members.h"

#include <string.h>

#include "lower_internal.h"

struct bases {
	CXCursor class_, kernel;
	void (*visit)(CXType type, bool is_private, bool is_virtual, void *context);
	void *context;
};

static enum CXChildVisitResult find_base(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const struct bases *b = data;
	const enum CX_CXXAccessSpecifier access = kt_clang.getCXXAccessSpecifier(cursor);

	(void)parent;
	if (kt_clang.getCursorKind(cursor) == CXCursor_CXXBaseSpecifier)
		b->visit(kt_base_type(b->class_, cursor, b->kernel), access == CX_CXXPrivate || access == CX_CXXProtected, kt_clang.isVirtualBase(cursor) != 0,
			 b->context);
	return CXChildVisit_Continue;
}

void kt_members_visit_bases(CXCursor class_, CXCursor kernel, void (*visit)(CXType type, bool is_private, bool is_virtual, void *context),
			    void *context)
{
	struct bases b = {class_, kernel, visit, context};

	kt_clang.visitChildren(kt_lower_members(class_), find_base, &b);
}

size_t kt_members_of(const struct kt_region *region, size_t argument, size_t *first)
{
	size_t count = 0;
	for (size_t m = 0; m < region->member_count; m++) {
		const size_t index = region->argument_count + m;
		if (region->arguments[index].parent != argument)
			continue;
		*first = count == 0 ? index : *first;
		count++;
	}
	return count;
}

int64_t kt_members_at(const struct kt_region *region, const struct kt_pragma_value *value, size_t *count)
{
	const size_t length = strlen(value->name);
	int64_t found = -1;
	*count = 0;
	for (size_t m = region->argument_count; m < region->argument_count + region->member_count; m++) {
		const char *name = region->arguments[m].name;
		if (strncmp(name, value->name, length) != 0 || (name[length] != '[' && name[length] != '.'))
			continue;
		if ((*count)++ == value->place)
			found = (int64_t)m;
	}
	return found;
}

int64_t kt_members_given(const struct kt_region *region, const struct kt_pragma_value *value)
{
	size_t count;
	if (value->places > 0)
		return kt_members_at(region, value, &count);
	for (size_t i = 0; i < region->argument_count + region->member_count; i++)
		if (strcmp(region->arguments[i].name, value->name) == 0)
			return (int64_t)i;
	return -1;
}
