/* Calls: of functions of the file, of the toolkit's, of member functions and constructors. */
#include <string.h>

#include "lower_internal.h"

const struct kt_ir_value *kt_lower_done(struct kt_lower *l)
{
	return kt_ir_constant(l->module, kt_ir_bool(l->module), 1);
}

static bool is_member(CXCursor function)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(function);

	return (kind == CXCursor_CXXMethod || kind == CXCursor_ConversionFunction) &&
	       kt_clang.CXXMethod_isStatic(function) == 0;
}

/* The object of `a.f()`; null: `this`. */
static CXCursor object_of(struct kt_lower *l, CXCursor call, bool *is_pointer)
{
	struct kt_lower_children c = kt_lower_children(l, call);
	CXCursor callee = c.count > 0 ? kt_lower_bare(l, c.items[0]) : kt_clang.getNullCursor();

	*is_pointer = false;
	while (kt_clang.Cursor_isNull(callee) == 0 && kt_clang.getCursorKind(callee) == CXCursor_UnexposedExpr) {
		c = kt_lower_children(l, callee);
		callee = c.count == 1 ? kt_lower_bare(l, c.items[0]) : kt_clang.getNullCursor();
	}
	if (kt_clang.Cursor_isNull(callee) != 0 || kt_clang.getCursorKind(callee) != CXCursor_MemberRefExpr)
		return kt_clang.getNullCursor();
	c = kt_lower_children(l, callee);
	if (c.count != 1)
		return kt_clang.getNullCursor();
	*is_pointer = kt_lower_canonical(c.items[0]).kind == CXType_Pointer;
	return c.items[0];
}

/* An argument that is not written is shown as an expression without parts: the parameter has it. */
static CXCursor written(struct kt_lower *l, CXCursor argument, CXCursor function, unsigned number)
{
	struct kt_lower_children c = kt_lower_children(l, argument);
	CXEvalResult value;

	if (kt_clang.getCursorKind(argument) != CXCursor_UnexposedExpr || c.count != 0)
		return argument;
	value = kt_clang.Cursor_Evaluate(argument);
	if (value != NULL) {
		kt_clang.EvalResult_dispose(value);
		return argument;
	}
	c = kt_lower_children(l, kt_clang.Cursor_getArgument(function, number));
	return c.count > 0 && kt_clang.isExpression(kt_clang.getCursorKind(c.items[c.count - 1])) != 0
		   ? c.items[c.count - 1]
		   : argument;
}

struct kt_lower_children kt_lower_arguments(struct kt_lower *l, CXCursor call)
{
	const int count = kt_clang.Cursor_getNumArguments(call);
	struct kt_lower_children list = {0};

	for (int i = 0; i < count; i++) {
		CXCursor *slot = kt_arena_push(l->arena, &list.items, &list.count, sizeof *slot);

		if (slot == NULL)
			l->failed = true;
		else
			*slot = written(l, kt_clang.Cursor_getArgument(call, (unsigned)i), kt_lower_called(call),
					(unsigned)i);
	}
	return list;
}

const struct kt_ir_value *kt_lower_reference(struct kt_lower *l, CXCursor expression, const struct kt_ir_type *type)
{
	const struct kt_ir_value *value;
	struct kt_lower_place at;

	if (kt_lower_is_lvalue(l, expression)) {
		if (!kt_lower_place(l, expression, &at))
			return NULL;
		return kt_lower_as(l, kt_ir_address(l->module, kt_lower_memory(l, &at)), type);
	}
	NEED(value = kt_lower_value(l, expression), NULL);
	return kt_lower_as(l, kt_ir_address(l->module, kt_lower_temporary(l, value->type, value)), type);
}

/* ---- Copies ---- */

static bool is_implicit(CXCursor function)
{
	return kt_clang.CXXMethod_isDefaulted(function) != 0 ||
	       kt_clang.Cursor_isNull(kt_clang.getCursorDefinition(function)) != 0;
}

bool kt_lower_is_copy(struct kt_lower *l, CXCursor call, CXCursor *from)
{
	const CXCursor function = kt_lower_called(call);
	const struct kt_lower_children arguments = kt_lower_arguments(l, call);

	if (kt_clang.getCursorKind(function) != CXCursor_Constructor || arguments.count != 1 ||
	    (kt_clang.CXXConstructor_isCopyConstructor(function) == 0 &&
	     kt_clang.CXXConstructor_isMoveConstructor(function) == 0) ||
	    !kt_lower_is_plain(l, kt_clang.getCursorType(call), KT_LOWER_COPIED))
		return false;
	*from = arguments.items[0];
	return true;
}

bool kt_lower_copy_assignment(struct kt_lower *l, CXCursor call, bool *is_copy, struct kt_lower_place *out)
{
	const CXCursor function = kt_lower_called(call);
	const struct kt_lower_children arguments = kt_lower_arguments(l, call);
	const char *name = kt_lower_spelling(l, function);
	const struct kt_ir_value *value;
	const struct kt_ir_type *type;
	bool is_number;

	*is_copy = false;
	if (arguments.count != 2 || strncmp(name, "operator", 8) != 0)
		return true;
	NEED(type = kt_lower_type(l, kt_clang.getCursorType(arguments.items[0])), false);
	is_number = kt_lower_is_system(function) && (kt_ir_is_scalar(type) || type->kind == KT_IR_VECTOR);
	if (strcmp(name, "operator=") == 0 &&
	    (is_number || (is_implicit(function) &&
			   kt_lower_is_plain(l, kt_clang.getCursorType(arguments.items[0]), KT_LOWER_ASSIGNED)))) {
		*is_copy = true;
		value = kt_lower_before(l, arguments.items[1], arguments.items[0]);
		return value != NULL && kt_lower_place(l, arguments.items[0], out) && kt_lower_write(l, out, value);
	}
	/* `a += b` of the toolkit's numbers. */
	if (is_number && kt_ir_is_scalar(type) && strlen(name) == 10 && name[9] == '=' &&
	    strchr("+-*/", name[8]) != NULL) {
		const char op[2] = {name[8], '\0'};

		*is_copy = true;
		value = kt_lower_before(l, arguments.items[1], arguments.items[0]);
		if (value == NULL || !kt_lower_place(l, arguments.items[0], out))
			return false;
		return kt_lower_write(l, out,
				      kt_lower_arithmetic(l, op, kt_lower_read(l, out), kt_lower_as(l, value, type)));
	}
	return true;
}

/* ---- Calls of functions ---- */

bool kt_lower_pass(struct kt_lower *l, CXCursor call, const struct kt_ir_function *f, size_t first,
		   const struct kt_lower_children *arguments, const struct kt_ir_value **values)
{
	const CXType type = kt_lower_canonical(kt_lower_called(call));

	if (arguments->count + first != f->argument_count)
		return kt_lower_cannot(l, "a call with another number of arguments"), false;
	for (size_t i = 0; i < arguments->count; i++) {
		const enum CXTypeKind kind = kt_clang.getCanonicalType(kt_clang.getArgType(type, (unsigned)i)).kind;
		const struct kt_ir_type *wanted = f->arguments[first + i]->type;
		const struct kt_ir_value *value;

		if (kind == CXType_LValueReference || kind == CXType_RValueReference)
			value = kt_lower_reference(l, arguments->items[i], wanted);
		else
			value = kt_lower_as(l, kt_lower_value(l, arguments->items[i]), wanted);
		if (value != NULL && kt_lower_sets(l, call, value))
			value = kt_ir_read(l->module, kt_ir_let(l->module, l->body->region, "", value));
		if (value == NULL)
			return false;
		values[first + i] = value;
	}
	return true;
}

const struct kt_ir_value *kt_lower_call_of(struct kt_lower *l, struct kt_ir_function *f,
					   const struct kt_ir_value **values, bool has_value)
{
	struct kt_ir_statement *s = kt_ir_append(l->module, l->body->region, KT_IR_S_CALL);

	NEED(s, NULL);
	s->callee = f;
	s->arguments = values;
	s->argument_count = f->argument_count;
	if (!has_value || f->result->kind == KT_IR_VOID)
		return kt_lower_done(l);
	s->symbol = kt_ir_symbol(l->module, KT_IR_TEMPORARY, f->result, "");
	return kt_ir_read(l->module, s->symbol);
}

/* The address of the object, as the function's first argument has it. */
static const struct kt_ir_value *this_of(struct kt_lower *l, CXCursor call, const struct kt_ir_type *type,
					 struct kt_lower_children *arguments, CXCursor function)
{
	const struct kt_lower_variable *own;
	const int parameters = kt_clang.getNumArgTypes(kt_lower_canonical(function));
	bool is_pointer;
	CXCursor object;

	/* An operator's object is its first argument. */
	if ((int)arguments->count == parameters + 1) {
		object = arguments->items[0];
		arguments->items++;
		arguments->count--;
		return kt_lower_reference(l, object, type);
	}
	object = object_of(l, call, &is_pointer);
	if (kt_clang.Cursor_isNull(object) == 0)
		return is_pointer ? kt_lower_as(l, kt_lower_value(l, object), type)
				  : kt_lower_reference(l, object, type);
	own = kt_lower_find(&l->body->variables, l->body->cursor);
	return own == NULL ? kt_lower_cannot(l, "a member function without an object")
			   : kt_lower_as(l, kt_ir_read(l->module, own->symbol), type);
}

static const struct kt_ir_value *call_body(struct kt_lower *l, CXCursor call, CXCursor function, bool has_value)
{
	const struct kt_lower_lambda *lambda = kt_lower_lambda_of(l, call);
	struct kt_ir_function *f = l->why != NULL ? NULL : kt_lower_function(l, function, false, lambda);
	struct kt_lower_children arguments = kt_lower_arguments(l, call);
	const struct kt_ir_value **values;
	const size_t first = lambda != NULL ? lambda->count : is_member(function) ? 1 : 0;

	if (f == NULL)
		return NULL;
	NEED(values = kt_arena_array(l->module->arena, f->argument_count + 1, sizeof *values),
	     kt_lower_cannot(l, "out of memory"));
	if (lambda != NULL) {
		/* The first argument is the lambda itself. */
		arguments.items++;
		arguments.count--;
		if (!kt_lower_pass_captured(l, lambda, f, values))
			return NULL;
	} else if (first == 1 && (values[0] = this_of(l, call, f->arguments[0]->type, &arguments, function)) == NULL)
		return NULL;
	return kt_lower_pass(l, call, f, first, &arguments, values) ? kt_lower_call_of(l, f, values, has_value) : NULL;
}

/* ---- Constructors ---- */

static const struct kt_ir_value *constructed(struct kt_lower *l, CXCursor call, CXCursor function)
{
	const struct kt_ir_type *type = kt_lower_type(l, kt_clang.getCursorType(call));
	struct kt_lower_children arguments = kt_lower_arguments(l, call);
	const struct kt_ir_place *place;
	const struct kt_ir_value **values;
	struct kt_ir_function *f;
	CXCursor from;

	if (type == NULL)
		return NULL;
	if (kt_lower_is_copy(l, call, &from))
		return kt_lower_as(l, kt_lower_value(l, from), type);
	/* One of the toolkit's numbers, of another number. */
	if (kt_lower_is_system(function) && kt_ir_is_scalar(type) && arguments.count == 1)
		return kt_lower_as(l, kt_lower_value(l, arguments.items[0]), type);
	if (kt_lower_is_system(function) && type->kind == KT_IR_VECTOR && (int64_t)arguments.count == type->count) {
		const struct kt_ir_value *parts[4] = {NULL};

		for (size_t i = 0; i < arguments.count && i < 4; i++)
			if ((parts[i] = kt_lower_as(l, kt_lower_value(l, arguments.items[i]), type->element)) == NULL)
				return NULL;
		return kt_ir_construct(l->module, type, parts, arguments.count);
	}
	if (is_implicit(function)) {
		if (arguments.count != 0 || kt_lower_has_defaults(l, type) ||
		    !kt_lower_is_plain(l, kt_clang.getCursorType(call), KT_LOWER_MADE))
			return kt_lower_cannot(l, "a constructor that is not written");
		if (kt_ir_is_scalar(type))
			return kt_lower_zero(l, type);
		place = kt_lower_temporary(l, type, NULL);
		return place == NULL ? NULL
				     : kt_ir_read(l->module, kt_ir_load(l->module, l->body->region, "", place,
									(struct kt_ir_hint){0}));
	}
	if (kt_lower_is_system(function))
		return kt_lower_cannot(l, "a constructor of '%s'", kt_lower_spelling(l, function));
	f = kt_lower_function(l, function, false, NULL);
	place = f == NULL ? NULL : kt_lower_temporary(l, type, NULL);
	values = place == NULL ? NULL : kt_arena_array(l->module->arena, f->argument_count + 1, sizeof *values);
	if (values == NULL ||
	    (values[0] = kt_lower_as(l, kt_ir_address(l->module, place), f->arguments[0]->type)) == NULL ||
	    !kt_lower_pass(l, call, f, 1, &arguments, values) || kt_lower_call_of(l, f, values, false) == NULL)
		return NULL;
	return kt_ir_read(l->module, kt_ir_load(l->module, l->body->region, "", place, (struct kt_ir_hint){0}));
}

/* A conversion of one of the toolkit's numbers to another. */
static const struct kt_ir_value *number_conversion(struct kt_lower *l, CXCursor call, bool *is_row)
{
	const struct kt_ir_type *to = kt_lower_type(l, kt_clang.getCursorType(call)), *from;
	bool is_pointer;
	const CXCursor object = object_of(l, call, &is_pointer);

	*is_row = false;
	if (to != NULL && kt_clang.Cursor_isNull(object) == 0 && !kt_ir_is_scalar(to)) {
		const struct kt_ir_value *axes = kt_lower_axes(l, object, to);

		*is_row = axes != NULL;
		return axes;
	}
	if (to == NULL || !kt_ir_is_scalar(to) || is_pointer || kt_clang.Cursor_isNull(object) != 0)
		return NULL;
	from = kt_lower_type(l, kt_clang.getCursorType(object));
	if (from == NULL || !kt_ir_is_scalar(from))
		return NULL;
	*is_row = true;
	return kt_lower_as(l, kt_lower_value(l, object), to);
}

/* Is it of the C++ library, whose functions have complete bodies? */
static bool is_of_std(struct kt_lower *l, CXCursor function)
{
	for (CXCursor at = kt_clang.getCursorSemanticParent(function);
	     kt_clang.Cursor_isNull(at) == 0 && kt_clang.getCursorKind(at) != CXCursor_TranslationUnit;
	     at = kt_clang.getCursorSemanticParent(at))
		if (kt_clang.getCursorKind(at) == CXCursor_Namespace && strcmp(kt_lower_spelling(l, at), "std") == 0)
			return true;
	return false;
}

static bool has_body(struct kt_lower *l, CXCursor function)
{
	const CXCursor definition = kt_clang.getCursorDefinition(function);
	const struct kt_lower_children c =
	    kt_lower_children(l, kt_clang.Cursor_isNull(definition) == 0 ? definition : function);

	for (size_t i = 0; i < c.count; i++)
		if (kt_clang.getCursorKind(c.items[i]) == CXCursor_CompoundStmt)
			return true;
	return false;
}

const struct kt_ir_value *kt_lower_call(struct kt_lower *l, CXCursor call, bool has_value)
{
	const CXCursor function = kt_lower_called(call);
	const enum CXCursorKind kind = kt_clang.getCursorKind(function);
	const struct kt_ir_value *value;
	struct kt_lower_place at;
	bool is_row = false;

	if (kt_clang.Cursor_isNull(function) != 0 || kt_clang.isDeclaration(kind) == 0 || kind == CXCursor_VarDecl ||
	    kind == CXCursor_ParmDecl || kind == CXCursor_FieldDecl)
		return kt_lower_cannot(l, "a call of what is not known");
	if (kind == CXCursor_Constructor)
		return constructed(l, call, function);
	if (!kt_lower_copy_assignment(l, call, &is_row, &at))
		return NULL;
	if (is_row)
		return has_value ? kt_lower_read(l, &at) : kt_lower_done(l);
	/* `__builtin_inff()`: the compiler's own functions are in no file. */
	if (strncmp(kt_lower_spelling(l, function), "__builtin_", 10) == 0) {
		value = kt_lower_constant(l, call);
		if (value != NULL)
			return value;
		l->why = NULL;
	}
	if (kt_lower_is_system(function)) {
		value = kt_lower_intrinsic(l, call, function, &is_row);
		if (is_row)
			return value;
		if (kind == CXCursor_ConversionFunction) {
			value = number_conversion(l, call, &is_row);
			if (is_row)
				return value;
		}
		/* What has no arguments may be a constant: `numeric_limits<float>::max()`. */
		value = is_of_std(l, function) && kt_clang.Cursor_getNumArguments(call) == 0 && has_value
			    ? kt_lower_constant(l, call)
			    : NULL;
		if (value != NULL)
			return value;
		l->why = NULL;
		if (!is_of_std(l, function))
			return kt_lower_call_extern(l, call, function, has_value);
	}
	if (!has_body(l, function))
		return kt_lower_call_extern(l, call, function, has_value);
	value = kt_lower_assembly(l, call, function, &is_row);
	if (is_row)
		return value;
	return call_body(l, call, function, has_value);
}
