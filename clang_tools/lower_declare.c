/* Variables that a body declares. */
#include "lower_internal.h"

bool kt_lower_has_child(struct kt_lower *l, CXCursor cursor, enum CXCursorKind kind)
{
	const struct kt_lower_children c = kt_lower_children(l, cursor);

	for (size_t i = 0; i < c.count; i++)
		if (kt_clang.getCursorKind(c.items[i]) == kind)
			return true;
	return false;
}

static bool declare_shared(struct kt_lower *l, CXCursor cursor, const struct kt_ir_type *type)
{
	struct kt_lower_variable *variable = kt_lower_new_variable(l, cursor, type, KT_IR_SHARED_SYMBOL);

	NEED(variable, false);
	variable->symbol->align = kt_lower_alignment(l, cursor);
	if (variable->symbol->align <= type->align)
		variable->symbol->align = 0;
	variable->symbol->is_extern = kt_clang.Cursor_getStorageClass(cursor) == CX_SC_Extern;
	return kt_ir_declare(l->module, l->body->region, variable->symbol) != NULL;
}

/* A constructor that does nothing: of a class whose members have no initialisers. */
static bool is_trivial(struct kt_lower *l, const struct kt_ir_type *type, CXCursor init)
{
	const CXCursor function = kt_lower_referenced(init);

	while (type->kind == KT_IR_ARRAY)
		type = type->element;
	return kt_clang.getCursorKind(init) == CXCursor_CallExpr &&
	       kt_clang.getCursorKind(function) == CXCursor_Constructor && kt_clang.Cursor_getNumArguments(init) == 0 &&
	       !kt_lower_has_defaults(l, type) && kt_lower_is_plain(l, kt_clang.getCursorType(init), KT_LOWER_MADE) &&
	       (kt_lower_is_system(function) || kt_clang.CXXMethod_isDefaulted(function) != 0 ||
		kt_clang.Cursor_isNull(kt_clang.getCursorDefinition(function)) != 0);
}

static bool holds_array(const struct kt_ir_type *type)
{
	for (size_t i = 0; type->kind == KT_IR_STRUCT && i < type->field_count; i++)
		if (type->fields[i].type->kind == KT_IR_ARRAY || holds_array(type->fields[i].type))
			return true;
	return false;
}

static bool initialise(struct kt_lower *l, const struct kt_lower_variable *variable, CXCursor init)
{
	struct kt_ir_symbol *symbol = variable->symbol;
	const struct kt_ir_value *value;

	if (variable->is_reference)
		value = kt_lower_reference(l, init, symbol->type);
	else if (is_trivial(l, symbol->type, init))
		return true;
	else if (!symbol->is_memory && holds_array(symbol->type) &&
		 kt_clang.getCursorKind(init) == CXCursor_InitListExpr)
		return kt_lower_need_memory(l, variable), true;
	else if (symbol->is_memory)
		return kt_lower_fill(l, kt_ir_place_of(l->module, symbol), init);
	else
		value = kt_lower_initial(l, symbol->type, init);
	return value != NULL && kt_ir_set(l->module, l->body->region, symbol, value) != NULL;
}

/* `static constexpr int parts = N / 32;`: every thread has the same number from the start, and reads of it are constants. */
static bool is_number_of_all(struct kt_lower *l, CXType declared, const struct kt_ir_type *type, CXCursor init)
{
	bool is;

	if (!kt_ir_is_scalar(type) || type->kind == KT_IR_POINTER || kt_clang.isConstQualifiedType(declared) == 0 ||
	    kt_clang.isVolatileQualifiedType(declared) != 0 || kt_clang.Cursor_isNull(init) != 0)
		return false;
	is = kt_lower_constant(l, init) != NULL;
	if (!is)
		l->why = NULL;
	return is;
}

bool kt_lower_variable_declared(struct kt_lower *l, CXCursor cursor)
{
	const CXType declared = kt_clang.getCursorType(cursor);
	const struct kt_ir_type *type = kt_lower_type(l, declared);
	const enum CX_StorageClass storage = kt_clang.Cursor_getStorageClass(cursor);
	const CXCursor init = kt_clang.Cursor_getVarDeclInitializer(cursor);
	struct kt_lower_variable *variable;

	if (kt_lower_is_lambda(l, init))
		return kt_lower_lambda_declared(l, cursor, init);
	if (type == NULL)
		return false;
	if (kt_lower_has_child(l, cursor, CXCursor_CUDASharedAttr))
		return declare_shared(l, cursor, type);
	if (storage == CX_SC_Static && is_number_of_all(l, declared, type, init))
		return true;
	if (storage == CX_SC_Static || storage == CX_SC_Extern)
		return kt_lower_cannot(l, "a variable that outlives its function"), false;
	if (!kt_lower_is_plain(l, declared, KT_LOWER_COPIED))
		return kt_lower_cannot(l, "an object of a class that declares a destructor or a copy"), false;
	NEED(variable = kt_lower_new_variable(l, cursor, type, KT_IR_LOCAL_SYMBOL), false);
	variable->symbol->align = kt_lower_alignment(l, cursor);
	if (variable->symbol->align <= type->align)
		variable->symbol->align = 0;
	return kt_ir_declare(l->module, l->body->region, variable->symbol) != NULL &&
	       (kt_clang.Cursor_isNull(init) != 0 || initialise(l, variable, init));
}
