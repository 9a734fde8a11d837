/* Names that are of no function: CUDA's own, variables of the device, constants of the host. */
#include <string.h>

#include "lower_internal.h"

/* The axes of CUDA, by the names of the replacement header. */
static const struct {
	const char *name;
	enum kt_ir_axis axis;
} axes[] = {
    {"threadIdx", KT_IR_THREAD}, {"blockIdx", KT_IR_BLOCK}, {"blockDim", KT_IR_BLOCK_DIM}, {"gridDim", KT_IR_GRID_DIM}};

static bool find_axis(struct kt_lower *l, CXCursor base, enum kt_ir_axis *axis)
{
	CXCursor at = kt_lower_bare(l, base);
	struct kt_lower_children c = kt_lower_children(l, at);
	const char *name;

	while (kt_clang.getCursorKind(at) == CXCursor_UnexposedExpr && c.count == 1) {
		at = kt_lower_bare(l, c.items[0]);
		c = kt_lower_children(l, at);
	}
	if (kt_clang.getCursorKind(at) != CXCursor_DeclRefExpr || !kt_lower_is_system(kt_lower_referenced(at)))
		return false;
	name = kt_lower_spelling(l, kt_lower_referenced(at));
	for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
		if (strcmp(axes[i].name, name) == 0) {
			*axis = axes[i].axis;
			return true;
		}
	return false;
}

const struct kt_ir_value *kt_lower_axis(struct kt_lower *l, CXCursor base, CXCursor field)
{
	const char *part = kt_lower_spelling(l, field);
	enum kt_ir_axis axis;

	if (strlen(part) != 1 || strchr("xyz", part[0]) == NULL || !find_axis(l, base, &axis))
		return NULL;
	return kt_ir_axis(l->module, axis, (unsigned)(part[0] - 'x'));
}

const struct kt_ir_value *kt_lower_axes(struct kt_lower *l, CXCursor object, const struct kt_ir_type *type)
{
	const struct kt_ir_value *parts[3];
	enum kt_ir_axis axis;

	if (!find_axis(l, object, &axis))
		return NULL;
	for (unsigned i = 0; i < 3; i++)
		parts[i] = kt_ir_axis(l->module, axis, i);
	return kt_ir_construct(l->module, type, parts, 3);
}

/* A name of a namespace's is not found from another one. */
static void note_use(struct kt_lower *l, CXCursor variable)
{
	const char *name = kt_lower_spelling(l, variable), **slot;
	bool is_nested = false;

	for (CXCursor at = kt_clang.getCursorSemanticParent(variable);
	     kt_clang.Cursor_isNull(at) == 0 && kt_clang.getCursorKind(at) == CXCursor_Namespace;
	     at = kt_clang.getCursorSemanticParent(at)) {
		const char *outer = kt_lower_spelling(l, at);

		if (outer[0] == '\0')
			continue;
		is_nested = true;
		name = kt_arena_printf(l->arena, "%s::%s", outer, name);
		if (name == NULL)
			break;
	}
	slot = is_nested && name != NULL ? kt_arena_push(l->arena, &l->uses, &l->use_count, sizeof *slot) : NULL;
	if (slot != NULL)
		*slot = name;
	else if (is_nested)
		l->failed = true;
}

/* A __device__ or __constant__ variable of the file; NULL: it is no such thing. */
struct kt_ir_symbol *kt_lower_global(struct kt_lower *l, CXCursor variable, const struct kt_ir_type *type)
{
	const CXCursor canonical = kt_clang.getCanonicalCursor(variable);
	const struct kt_lower_children c = kt_lower_children(l, variable);
	struct kt_ir_symbol *symbol = kt_lower_find(&l->globals, canonical);
	enum kt_ir_symbol_kind kind = KT_IR_LOCAL_SYMBOL;

	if (symbol != NULL)
		return symbol;
	for (size_t i = 0; i < c.count; i++) {
		const enum CXCursorKind attribute = kt_clang.getCursorKind(c.items[i]);

		if (attribute == CXCursor_CUDAConstantAttr)
			kind = KT_IR_CONSTANT_SYMBOL;
		else if (attribute == CXCursor_CUDASharedAttr)
			kind = KT_IR_SHARED_SYMBOL;
		else if (attribute == CXCursor_CUDADeviceAttr && kind == KT_IR_LOCAL_SYMBOL)
			kind = KT_IR_GLOBAL_SYMBOL;
	}
	if (kind != KT_IR_CONSTANT_SYMBOL && kind != KT_IR_GLOBAL_SYMBOL)
		return NULL;
	/* The printer has no other name for a variable of the file than its own. */
	for (size_t i = 0; i < l->module->global_count; i++)
		if (strcmp(l->module->globals[i]->hint, kt_lower_spelling(l, variable)) == 0)
			return kt_lower_cannot(l, "two variables '%s'", kt_lower_spelling(l, variable));
	symbol = kt_ir_global(l->module, kind, type, kt_lower_spelling(l, variable));
	if (symbol == NULL || !kt_lower_put(&l->globals, l->arena, canonical, symbol))
		return NULL;
	note_use(l, variable);
	symbol->line = kt_lower_line(l, variable);
	symbol->is_volatile = kt_clang.isVolatileQualifiedType(kt_lower_canonical(variable)) != 0;
	return symbol;
}

const struct kt_ir_value *kt_lower_host_constant(struct kt_lower *l, CXCursor expression, const struct kt_ir_type *type)
{
	CXEvalResult result = kt_clang.Cursor_Evaluate(expression);
	const struct kt_ir_value *value = NULL;

	if (result == NULL)
		return NULL;
	if (kt_clang.EvalResult_getKind(result) == CXEval_Int &&
	    (type->kind == KT_IR_INTEGER || type->kind == KT_IR_BOOL))
		value = kt_ir_constant(l->module, type, kt_clang.EvalResult_getAsLongLong(result));
	else if (kt_clang.EvalResult_getKind(result) == CXEval_Float && type->kind == KT_IR_FLOAT)
		value = kt_ir_real(l->module, type, kt_clang.EvalResult_getAsDouble(result));
	kt_clang.EvalResult_dispose(result);
	return value;
}
