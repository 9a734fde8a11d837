#include "members.h"

#include <string.h>

/* One number or pointer of an argument. */
struct leaf {
	const char *path; /* "p.size[2]" */
	CXType type;      /* canonical */
	size_t offset, bytes;
	bool is_private;
};

struct layout {
	struct kt_scan *scan;
	struct leaf *leaves;
	size_t count;
	const char *reason; /* why there is no layout, or NULL */
	CXCursor kernel;    /* whose argument it is, with its body; or a null cursor */
};

/* Where fields of a record are: its own place in the argument. */
struct record {
	struct layout *layout;
	const char *path;
	size_t offset;
	bool is_private;
	size_t first; /* of its leaves */
	bool depends; /* a base class is made of template arguments, so that its members are not known */
};

static void add_type(struct layout *l, const char *path, size_t offset, CXType type, bool is_private);
static void add_record(struct layout *l, const char *path, size_t offset, CXType type, bool is_private);

static void refuse(struct layout *l, const char *path, const char *what)
{
	if (l->reason == NULL)
		l->reason = kt_arena_printf(l->scan->arena, "'%s' %s", path, what);
}

static void add_leaf(struct layout *l, const char *path, size_t offset, CXType type, bool is_private)
{
	if (l->count == KT_MEMBERS) {
		refuse(l, path, "is one of more than 256 members");
		return;
	}
	struct leaf *leaf = kt_arena_push(l->scan->arena, &l->leaves, &l->count, sizeof *leaf);
	if (leaf == NULL)
		l->scan->failed = true;
	else
		*leaf = (struct leaf){path, type, offset, (size_t)kt_clang.Type_getSizeOf(type), is_private};
}

static enum CXVisitorResult add_field(CXCursor field, CXClientData data)
{
	const struct record *r = data;
	struct layout *l = r->layout;
	const char *name = kt_clang_text(l->scan->arena, kt_clang.getCursorSpelling(field));
	const long long bits = kt_clang.Cursor_getOffsetOfField(field);
	const enum CX_CXXAccessSpecifier access = kt_clang.getCXXAccessSpecifier(field);
	const CXType type = kt_clang.getCanonicalType(kt_clang.getCursorType(field));
	const char *path = r->path;
	if (name == NULL)
		l->scan->failed = true;
	/* The members of an anonymous structure are those of the one around it. */
	else if (name[0] != '\0' && strchr(name, '(') == NULL)
		path = kt_arena_printf(l->scan->arena, "%s.%s", r->path, name);
	if (path == NULL || l->scan->failed) {
		l->scan->failed = true;
		return CXVisit_Break;
	}
	if (kt_clang.Cursor_isBitField(field) != 0)
		refuse(l, path, "is a bit-field");
	else if (bits < 0)
		refuse(l, path, "has a place that cannot be read");
	else
		add_type(l, path, r->offset + (size_t)bits / 8, type,
		         r->is_private || access == CX_CXXPrivate || access == CX_CXXProtected);
	return l->reason == NULL ? CXVisit_Continue : CXVisit_Break;
}

/* The members of a base are the class's; the one base that has some is at the beginning. */
static void add_base(CXType type, bool is_private, bool is_virtual, void *context)
{
	struct record *r = context;
	struct layout *l = r->layout;
	const size_t first = l->count;

	r->depends = r->depends || type.kind != CXType_Record;
	if (type.kind != CXType_Record)
		return;
	if (is_virtual)
		refuse(l, r->path, "has a virtual base class");
	else if (kt_clang.Type_getSizeOf(type) > 0)
		add_record(l, r->path, r->offset, type, r->is_private || is_private);
	if (l->count > first && first > r->first)
		refuse(l, r->path, "has several base classes with members");
}

static void add_record(struct layout *l, const char *path, size_t offset, CXType type, bool is_private)
{
	struct record record = {l, path, offset, is_private, l->count, false};
	const CXCursor declaration = kt_clang.getTypeDeclaration(type);
	const size_t first = l->count, align = (size_t)kt_clang.Type_getAlignOf(type);
	size_t end = offset;
	if (kt_clang.getCursorKind(declaration) == CXCursor_UnionDecl) {
		refuse(l, path, "is a union");
		return;
	}
	kt_members_visit_bases(declaration, l->kernel, add_base, &record);
	(void)kt_clang.Type_visitFields(type, add_field, &record);
	/* Whatever is neither a member nor the padding of one is a base class or a table of virtual functions. */
	for (size_t i = first; l->reason == NULL && i <= l->count; i++) {
		const size_t next = i < l->count ? l->leaves[i].offset : offset + (size_t)kt_clang.Type_getSizeOf(type);
		const bool empty = first == l->count && next == offset + 1;
		if (next < end || (next - end >= align && !empty))
			refuse(l, path, record.depends ? "has a base class that depends on template arguments, whose members are not known"
			                               : "has virtual functions");
		for (size_t k = first; i < l->count && k < i; k++)
			if (strcmp(l->leaves[k].path, l->leaves[i].path) == 0)
				refuse(l, l->leaves[i].path, "is a member of a base class, too");
		if (i < l->count)
			end = l->leaves[i].offset + l->leaves[i].bytes;
	}
}

/* The components of a vector, as OpenCL and the CUDA headers name them. */
static const char *component(struct layout *l, const char *path, long long index, long long count)
{
	return count <= 4 ? kt_arena_printf(l->scan->arena, "%s.%c", path, "xyzw"[index])
	                  : kt_arena_printf(l->scan->arena, "%s.s%llx", path, index);
}

static void add_elements(struct layout *l, const char *path, size_t offset, CXType type, bool is_private)
{
	const bool is_array = type.kind == CXType_ConstantArray;
	const CXType element = kt_clang.getCanonicalType(is_array ? kt_clang.getArrayElementType(type)
	                                                          : kt_clang.getElementType(type));
	const long long count = is_array ? kt_clang.getArraySize(type) : kt_clang.getNumElements(type);
	const long long bytes = kt_clang.Type_getSizeOf(element);
	for (long long i = 0; i < count && l->reason == NULL; i++) {
		const char *name = is_array ? kt_arena_printf(l->scan->arena, "%s[%lld]", path, i)
		                            : component(l, path, i, count);
		if (name == NULL)
			l->scan->failed = true;
		else
			add_type(l, name, offset + (size_t)(i * bytes), element, is_private);
	}
}

static void add_type(struct layout *l, const char *path, size_t offset, CXType type, bool is_private)
{
	const int kind = (int)type.kind;
	if (l->scan->failed || l->reason != NULL)
		return;
	if (kt_clang.Type_getSizeOf(type) <= 0)
		refuse(l, path, "has a type of unknown size");
	else if (kind == CXType_Pointer || kt_scan_scalar(type, l->scan->arena) != KT_SCALAR_NONE)
		add_leaf(l, path, offset, type, is_private);
	else if (kind == CXType_ConstantArray || kind == CXType_Vector || kind == CXType_ExtVector)
		add_elements(l, path, offset, type, is_private);
	else if (kind == CXType_Record)
		add_record(l, path, offset, type, is_private);
	else
		refuse(l, path, kt_arena_printf(l->scan->arena, "has type '%s', which is no number, pointer or structure of them",
		                                kt_clang_text(l->scan->arena, kt_clang.getTypeSpelling(type))));
}

/* What one element of a buffer is made of, `path` being the pointer's name; NULL: it has no layout, l->reason has the cause. */
static const struct kt_element *element_of(struct layout *l, const char *path, CXType type)
{
	struct kt_scan *scan = l->scan;
	const struct kt_element *out = NULL;
	struct kt_number *numbers;
	struct kt_error why;
	add_type(l, path, 0, type, false);
	numbers = kt_arena_array(scan->arena, l->count + 1, sizeof *numbers);
	if (numbers == NULL)
		scan->failed = true;
	for (size_t i = 0; !scan->failed && l->reason == NULL && i < l->count; i++) {
		const struct leaf *leaf = &l->leaves[i];
		const char *name = leaf->path + strlen(path);
		if (leaf->type.kind == CXType_Pointer)
			refuse(l, leaf->path, "is a pointer, which no clause fills");
		numbers[i] = (struct kt_number){name + (name[0] == '.'), kt_scan_scalar(leaf->type, scan->arena),
		                                (uint32_t)leaf->offset, 0};
	}
	if (scan->failed || l->reason != NULL)
		return NULL;
	if (kt_element_make(&out, scan->arena, (uint32_t)kt_clang.Type_getSizeOf(type),
	                    (uint32_t)kt_clang.Type_getAlignOf(type), numbers, l->count, &why) != KT_OK)
		l->reason = kt_arena_printf(scan->arena, "'%s': %s", path, why.message);
	return out;
}

const struct kt_element *kt_scan_element(const char **reason, struct kt_scan *scan, const char *name, CXType type)
{
	struct layout l = {.scan = scan, .kernel = kt_clang.getNullCursor()};
	/* What leads to void leads to bytes. */
	const enum kt_scalar scalar = kt_clang.getCanonicalType(type).kind == CXType_Void ? KT_U8 : kt_scan_scalar(type, scan->arena);
	const struct kt_element *out = scalar != KT_SCALAR_NONE ? kt_element_of(scalar)
	                                                        : element_of(&l, name, kt_clang.getCanonicalType(type));
	*reason = out == NULL ? l.reason : NULL;
	return out;
}

/* Does this name hold the number: is it the number's, or of what it is in? */
static bool is_below(const char *number, const char *name)
{
	const size_t length = strlen(name);
	return strncmp(number, name, length) == 0 &&
	       (number[length] == '\0' || number[length] == '.' || number[length] == '[');
}

const struct kt_element *kt_scan_groups(bool used[], struct kt_scan *scan, const struct kt_element *element,
                                        const struct kt_member_fill *members, size_t count)
{
	struct kt_number *numbers = kt_arena_array(scan->arena, element->number_count + 1, sizeof *numbers);
	const struct kt_element *out = NULL;
	struct kt_error err;
	if (numbers == NULL) {
		scan->failed = true;
		return NULL;
	}
	for (size_t n = 0; n < element->number_count; n++) {
		numbers[n] = element->numbers[n];
		for (size_t m = 0; m < count; m++)
			if (is_below(numbers[n].name, members[m].member)) {
				used[m] = true;
				numbers[n].group = (uint32_t)m + 1;
			}
	}
	return kt_element_make(&out, scan->arena, element->bytes, element->align, numbers, element->number_count, &err) == KT_OK
	           ? out : NULL;
}

CXType kt_scan_pointee(bool *is_const, CXType pointer)
{
	CXType type = kt_clang.getCanonicalType(pointer);
	type = kt_clang.getCanonicalType(type.kind == CXType_Pointer ? kt_clang.getPointeeType(type) : type);
	*is_const = kt_clang.isConstQualifiedType(type) != 0;
	/* The qualifiers of an element may be those of its array. */
	while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray) {
		type = kt_clang.getCanonicalType(kt_clang.getArrayElementType(type));
		*is_const = *is_const || kt_clang.isConstQualifiedType(type) != 0;
	}
	return type;
}

/* Of a pointer or an array whose element is not known yet: what it is, if anything is known of it. */
static void take_element(enum kt_scalar *scalar, const struct kt_element **out, struct kt_scan *scan,
                         struct kt_found *found, const char *name, CXType pointer)
{
	const char *reason = NULL;
	bool is_const;
	const struct kt_element *element = kt_scan_element(&reason, scan, name, kt_scan_pointee(&is_const, pointer));
	if (element != NULL)
		*scalar = kt_element_scalar(element);
	*out = *scalar == KT_SCALAR_NONE ? element : NULL;
	if (reason != NULL)
		found->element_reason = reason;
}

/* The region's signature with room for members after the arguments. */
static bool take_members(struct kt_scan *scan, struct kt_region *r, const struct layout *l, const size_t *parents)
{
	struct kt_argument *all = kt_arena_array(scan->arena, r->argument_count + l->count, sizeof *all);
	NEED(all, false);
	memcpy(all, r->arguments, r->argument_count * sizeof *all);
	for (size_t m = 0; m < l->count; m++) {
		const struct leaf *leaf = &l->leaves[m];
		const bool is_pointer = leaf->type.kind == CXType_Pointer;
		bool is_const = false;
		if (is_pointer)
			(void)kt_scan_pointee(&is_const, leaf->type);
		all[r->argument_count + m] = (struct kt_argument){
		    .name = leaf->path, .type = kt_clang_text(scan->arena, kt_clang.getTypeSpelling(leaf->type)),
		    .is_pointer = is_pointer, .parent = parents[m], .is_private = leaf->is_private,
		    .is_const = is_const};
	}
	r->arguments = all;
	r->member_count = l->count;
	return true;
}

static bool same_members(const struct kt_region *r, const struct layout *l)
{
	bool same = r->member_count == l->count;
	for (size_t m = 0; same && m < l->count; m++)
		same = strcmp(r->arguments[r->argument_count + m].name, l->leaves[m].path) == 0;
	return same;
}

/* The instance's arrays with the members after the parameters; their places. */
static bool take_places(struct kt_scan *scan, struct kt_found *found, struct kt_instance *i, const struct layout *l)
{
	const struct kt_region *r = &found->region;
	const size_t own = r->argument_count;
	const struct kt_element **layouts = kt_arena_array(scan->arena, own + l->count, sizeof *layouts);
	enum kt_scalar *elements = kt_arena_array(scan->arena, own + l->count, sizeof *elements);
	const char **types = kt_arena_array(scan->arena, own + l->count, sizeof *types);
	i->offsets = kt_arena_array(scan->arena, l->count, sizeof *i->offsets);
	if (elements == NULL || layouts == NULL || types == NULL || i->offsets == NULL)
		return false;
	memcpy(elements, i->elements, own * sizeof *elements);
	memcpy(layouts, i->layouts, own * sizeof *layouts);
	memcpy(types, i->types, own * sizeof *types);
	for (size_t m = 0; m < l->count; m++) {
		const CXType type = l->leaves[m].type;
		const CXType element = type.kind == CXType_Pointer ? kt_clang.getPointeeType(type) : type;
		elements[own + m] = kt_scan_scalar(element, scan->arena);
		types[own + m] = kt_clang_text(scan->arena, kt_clang.getTypeSpelling(type));
		i->offsets[m] = (uint32_t)l->leaves[m].offset;
		if (type.kind == CXType_Pointer && elements[own + m] == KT_SCALAR_NONE)
			take_element(&elements[own + m], &layouts[own + m], scan, found, l->leaves[m].path, type);
	}
	i->elements = elements;
	i->layouts = layouts;
	i->types = types;
	return true;
}

void kt_scan_members(struct kt_scan *scan, struct kt_found *found, struct kt_instance *instance, const CXType *types,
                     CXCursor kernel)
{
	struct kt_region *r = &found->region;
	struct layout l = {.scan = scan, .kernel = kernel};
	size_t *parents = kt_arena_array(scan->arena, KT_MEMBERS, sizeof *parents);
	uint32_t *bytes = kt_arena_array(scan->arena, r->argument_count + 1, sizeof *bytes);
	instance->layouts = kt_arena_array(scan->arena, r->argument_count + 1, sizeof *instance->layouts);
	if (parents == NULL || bytes == NULL || instance->layouts == NULL || instance->elements == NULL ||
	    instance->types == NULL) {
		scan->failed = true;
		return;
	}
	for (size_t a = 0; a < r->argument_count && !scan->failed; a++)
		if (instance->elements[a] == KT_SCALAR_NONE && r->arguments[a].is_pointer &&
		    r->arguments[a].space != KT_SPACE_LOCAL)
			take_element(&instance->elements[a], &instance->layouts[a], scan, found, r->arguments[a].name, types[a]);
	for (size_t a = 0; a < r->argument_count && !scan->failed; a++) {
		const CXType type = kt_clang.getCanonicalType(types[a]);
		const size_t first = l.count;
		if (instance->elements[a] != KT_SCALAR_NONE || r->arguments[a].is_pointer ||
		    r->arguments[a].space == KT_SPACE_LOCAL)
			continue;
		add_type(&l, r->arguments[a].name, 0, type, false);
		if (l.reason == NULL && !scan->target->has_host_code)
			for (size_t m = first; m < l.count; m++)
				if (l.leaves[m].type.kind == CXType_Pointer)
					refuse(&l, l.leaves[m].path, "is a pointer in a structure, which an OpenCL host cannot pass");
		if (l.reason != NULL) {
			found->member_reason = l.reason;
			return;
		}
		bytes[a] = (uint32_t)kt_clang.Type_getSizeOf(type);
		for (size_t m = first; m < l.count; m++)
			parents[m] = a;
	}
	if (scan->failed)
		return;
	if (l.count == 0) {
		/* Classes without members, such as functors, are bytes that nothing fills. */
		for (size_t a = 0; a < r->argument_count; a++)
			if (bytes[a] > 0)
				instance->bytes = bytes;
		return;
	}
	if (r->member_count == 0 && r->instance_count > 1 && r->instances[0].offsets == NULL)
		found->member_reason = "not every instance has members";
	else if (r->member_count == 0 && !take_members(scan, r, &l, parents))
		scan->failed = true;
	else if (!same_members(r, &l))
		found->member_reason = "the instances have different members";
	else if (!take_places(scan, found, instance, &l))
		scan->failed = true;
	else
		instance->bytes = bytes;
}

void kt_scan_members_check(struct kt_scan *scan, struct kt_found *found)
{
	struct kt_region *r = &found->region;
	for (size_t i = 0; i < r->instance_count && r->member_count > 0; i++)
		if (r->instances[i].offsets == NULL) {
			kt_found_decline(scan, found, "argument-type",
			                 "'%s': %s; pass what the kernel reads as separate arguments", r->instances[i].name,
			                 found->member_reason != NULL ? found->member_reason : "the members are not known");
			/* What is declined is not looked at by its members. */
			r->member_count = 0;
		}
}
