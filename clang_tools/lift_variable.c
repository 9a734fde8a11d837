#include "lift_internal.h"

#include <string.h>

#include "opencl.h"
#include "unit.h"

static CXType pointee_of(CXType type)
{
	CXType canonical = kt_clang.getCanonicalType(type);

	switch ((int)canonical.kind) {
	case CXType_Pointer:
	case CXType_LValueReference:
		return kt_clang.getPointeeType(canonical);
	case CXType_ConstantArray:
	case CXType_IncompleteArray:
	case CXType_VariableArray:
	case CXType_DependentSizedArray:
		return kt_clang.getArrayElementType(canonical);
	default:
		return (CXType){.kind = CXType_Invalid};
	}
}

static bool is_qualified(CXType type)
{
	return kt_clang.isConstQualifiedType(type) != 0 || kt_clang.isVolatileQualifiedType(type) != 0;
}

static const char *unqualified(struct kt_lift *lift, CXType type)
{
	const char *text = kt_lift_text(lift, kt_clang.getTypeSpelling(kt_clang.getUnqualifiedType(type)));

	return lift->opencl ? kt_opencl_bare(lift->kernel->arena, text) : text;
}

/* The type without qualifiers, as it is spelled where no typedef hides one. */
static const char *bare_type(struct kt_lift *lift, CXType type)
{
	const CXType canonical = kt_clang.getCanonicalType(type), bare = kt_clang.getUnqualifiedType(type);

	return unqualified(lift, is_qualified(canonical) && is_qualified(kt_clang.getCanonicalType(bare)) ? canonical : bare);
}

static enum CXChildVisitResult find_shared(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (kt_clang.getCursorKind(cursor) == CXCursor_CUDASharedAttr)
		*(bool *)data = true;
	return CXChildVisit_Continue;
}

/* "limits::most": a name that means the same at every place of the kernel's namespace. */
static const char *name_of(struct kt_lift *lift, CXCursor cursor)
{
	const char *name = kt_lift_text(lift, kt_clang.getCursorSpelling(cursor));

	for (CXCursor at = kt_clang.getCursorSemanticParent(cursor); kt_clang.Cursor_isNull(at) == 0;
	     at = kt_clang.getCursorSemanticParent(at)) {
		const enum CXCursorKind kind = kt_clang.getCursorKind(at);
		const char *outer;

		if (kind != CXCursor_Namespace && kind != CXCursor_StructDecl && kind != CXCursor_ClassDecl)
			break;
		outer = kt_lift_text(lift, kt_clang.getCursorSpelling(at));
		if (outer[0] != '\0' && outer[0] != '(')
			name = kt_arena_printf(lift->kernel->arena, "%s::%s", outer, name);
		lift->failed = lift->failed || name == NULL;
		name = name != NULL ? name : "";
	}
	return name;
}

static bool has_volatile(CXType type);

static enum CXVisitorResult find_volatile(CXCursor field, CXClientData data)
{
	bool *found = data;

	*found = *found || has_volatile(kt_clang.getCursorType(field));
	return *found ? CXVisit_Break : CXVisit_Continue;
}

/* The type, or one that it is made of: elements, members. */
static bool has_volatile(CXType type)
{
	bool found = false;

	type = kt_clang.getCanonicalType(type);
	if (kt_clang.isVolatileQualifiedType(type) != 0)
		return true;
	if (type.kind == CXType_Record)
		(void)kt_clang.Type_visitFields(type, find_volatile, &found);
	else if (type.kind != CXType_Pointer && type.kind != CXType_LValueReference && pointee_of(type).kind != CXType_Invalid)
		found = has_volatile(pointee_of(type));
	return found;
}

/* By whatever name, the type, one that it is made of, or what it leads to. */
static bool is_volatile(CXType type)
{
	const CXType canonical = kt_clang.getCanonicalType(type), pointee = pointee_of(type);

	return has_volatile(canonical) || (pointee.kind != CXType_Invalid && is_volatile(pointee));
}

static enum CXChildVisitResult find_constant(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (kt_clang.getCursorKind(cursor) == CXCursor_CUDAConstantAttr)
		*(bool *)data = true;
	return CXChildVisit_Continue;
}

/* Of what is at file scope: `__constant__`, or const all through. */
static bool is_constant(CXCursor cursor, CXType type)
{
	bool found = false;

	kt_clang.visitChildren(cursor, find_constant, &found);
	/* A canonical array has the qualifiers of its elements. */
	return found || kt_clang.isConstQualifiedType(kt_clang.getCanonicalType(type)) != 0;
}

static bool leads(CXType type)
{
	type = kt_clang.getCanonicalType(type);
	switch ((int)type.kind) {
	case CXType_Pointer:
	case CXType_LValueReference:
	case CXType_RValueReference:
		return true;
	case CXType_ConstantArray:
	case CXType_IncompleteArray:
	case CXType_VariableArray:
		return leads(kt_clang.getArrayElementType(type));
	default:
		return false;
	}
}

static void describe(struct kt_lift *lift, struct kt_tree_variable *v, CXCursor cursor)
{
	struct kt_arena *arena = lift->kernel->arena;
	CXType type = kt_clang.getCursorType(cursor), pointee = pointee_of(type);
	enum CXTypeKind kind = kt_clang.getCanonicalType(type).kind;

	v->name = name_of(lift, cursor);
	v->type = kt_lift_text(lift, kt_clang.getTypeSpelling(type));
	if (lift->opencl)
		v->type = kt_opencl_bare(arena, v->type);
	v->bare = bare_type(lift, type);
	v->is_enumeration = kind == CXType_Enum;
	v->is_own = kt_lift_is_of_project(cursor);
	v->is_const = kt_clang.isConstQualifiedType(type) != 0;
	v->is_volatile = is_volatile(type);
	v->is_restrict = kt_clang.isRestrictQualifiedType(type) != 0;
	v->is_pointer = kind == CXType_Pointer;
	v->is_array = kind == CXType_ConstantArray || kind == CXType_IncompleteArray || kind == CXType_VariableArray;
	v->is_unsized = kind == CXType_IncompleteArray;
	v->is_reference = kind == CXType_LValueReference || kind == CXType_RValueReference;
	v->leads = leads(type);
	v->escapes = v->is_reference;
	kt_clang.visitChildren(cursor, find_shared, &v->is_shared);
	v->is_constant = !v->is_pointer && kind != CXType_LValueReference && is_constant(cursor, type);
	if (pointee.kind == CXType_Invalid) {
		v->scalar = kt_scan_scalar(type, arena);
		return;
	}
	v->points_to_const = kt_clang.isConstQualifiedType(pointee) != 0;
	v->scalar = kt_scan_scalar(pointee, arena);
	v->element = unqualified(lift, kt_clang.getCanonicalType(pointee));
	long long bytes = kt_clang.Type_getSizeOf(pointee);
	v->element_bytes = bytes > 0 && bytes <= 4096 ? (unsigned)bytes : 0;
	if (!lift->opencl)
		return;
	v->is_shared = kt_opencl_space(v->is_array ? type : pointee, arena) == KT_SPACE_LOCAL;
	/* Accesses of another width spell out the address space: __global. */
	if (kt_opencl_space(pointee, arena) == KT_SPACE_CONSTANT) {
		v->element_bytes = 0;
		v->is_constant = v->is_array;
	}
}

struct kt_tree_variable *kt_lift_variable(struct kt_lift *lift, CXCursor target)
{
	struct kt_kernel *kernel = lift->kernel;
	CXCursor canonical = kt_clang.getCanonicalCursor(target);

	for (size_t i = 0; i < kernel->variable_count; i++)
		if (kt_clang.equalCursors(lift->cursors[i], canonical) != 0)
			return kernel->variables[i];
	struct kt_tree_variable *v = kt_arena_alloc(kernel->arena, sizeof *v);
	struct kt_tree_variable **slot =
	    kt_arena_push(kernel->arena, &kernel->variables, &kernel->variable_count, sizeof *slot);
	CXCursor *cursor = kt_arena_push(kernel->arena, &lift->cursors, &lift->cursor_count, sizeof *cursor);

	if (v == NULL || slot == NULL || cursor == NULL) {
		lift->failed = true;
		return v;
	}
	v->argument = -1;
	describe(lift, v, target);
	*slot = v;
	*cursor = canonical;
	return v;
}

/* In a lambda, and not its own: it is read and set where that is called. Returns the lambda, or NULL. */
static const struct kt_tree *capturing(const struct kt_tree *node)
{
	for (const struct kt_tree *at = node->parent; at != NULL; at = at->parent)
		if (at->is_lambda)
			return node->variable->declaration == NULL || !kt_tree_contains(at, node->variable->declaration) ? at
			                                                                                                : NULL;
	return NULL;
}

/* Does it capture whatever its body names? Else a name is in its list too, where nothing else can be written for it. */
static bool captures_all(const struct kt_kernel *kernel, const struct kt_tree *lambda)
{
	const char *text = kernel->text + lambda->range.begin;

	return lambda->range.end - lambda->range.begin > 3 && text[0] == '[' && (text[1] == '=' || text[1] == '&') &&
	       text[2] == ']';
}

static bool count_use(struct kt_tree *node, void *context)
{
	const struct kt_kernel *kernel = context;
	const struct kt_tree *lambda;
	bool reads;

	if (node->kind != KT_TREE_REFERENCE || node->variable == NULL)
		return true;
	if (kt_tree_is_target(node, &reads))
		node->variable->writes++;
	lambda = capturing(node);
	if (lambda != NULL)
		node->variable->escapes = node->variable->escapes || kt_tree_is_target(node, &reads) ||
		                          (node->variable->is_local && !captures_all(kernel, lambda));
	for (const struct kt_tree *at = node; at->parent != NULL; at = at->parent) {
		const struct kt_tree *parent = at->parent;

		if (kt_tree_is(parent, KT_TREE_UNARY, "&"))
			node->variable->escapes = true;
		if (parent->kind != KT_TREE_PAREN && parent->kind != KT_TREE_MEMBER)
			break;
	}
	/* Something unread could do anything to it. */
	if (node->parent != NULL && node->parent->kind == KT_TREE_OTHER && !node->variable->is_pointer &&
	    !node->variable->is_array)
		node->variable->writes++;
	return true;
}

void kt_lift_count_uses(const struct kt_kernel *kernel, struct kt_tree *body)
{
	kt_tree_walk(body, count_use, (void *)kernel);
}
