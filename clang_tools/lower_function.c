/* Functions: parameters, bodies, and what a body needs to be lowered again for. */
#include <string.h>

#include "lower_internal.h"

enum { MOST_TRIES = 6 };

struct kt_lower_variable *kt_lower_new_variable(struct kt_lower *l, CXCursor cursor, const struct kt_ir_type *type,
						enum kt_ir_symbol_kind kind)
{
	struct kt_lower_variable *variable = kt_arena_alloc(l->arena, sizeof *variable);
	struct kt_ir_symbol *symbol = NULL;
	const CXType declared = kt_lower_canonical(cursor);

	NEED(variable, kt_lower_cannot(l, "out of memory"));
	variable->is_reference = declared.kind == CXType_LValueReference || declared.kind == CXType_RValueReference;
	if (kind == KT_IR_ARGUMENT)
		symbol = kt_ir_argument(l->module, l->body->function, type, kt_lower_spelling(l, cursor));
	else
		symbol = kt_ir_symbol(l->module, kind, type, kt_lower_spelling(l, cursor));
	if (symbol == NULL)
		return NULL;
	symbol->line = kt_lower_line(l, cursor);
	symbol->is_volatile = kt_clang.isVolatileQualifiedType(declared) != 0;
	if (kt_lower_find(&l->body->in_memory, cursor) != NULL || type->kind == KT_IR_OPAQUE || symbol->is_volatile)
		symbol->is_memory = true;
	variable->cursor = cursor;
	variable->symbol = symbol;
	if (!kt_lower_put(&l->body->variables, l->arena, cursor, variable))
		l->failed = true;
	return variable;
}

/* A kernel's pointer leads to global memory, unless the kernel assigns to it. */
static const struct kt_ir_type *parameter_type(struct kt_lower *l, CXCursor parameter, const struct kt_ir_type *type)
{
	if (type == NULL || !l->body->function->is_kernel || type->kind != KT_IR_POINTER ||
	    kt_lower_find(&l->body->in_memory, parameter) != NULL ||
	    kt_lower_find(&l->body->assigned, parameter) != NULL)
		return type;
	return kt_ir_pointer(l->module, type->element, KT_IR_SPACE_GLOBAL, type->is_const, type->is_volatile);
}

static bool add_parameter(struct kt_lower *l, CXCursor parameter)
{
	const CXType declared = kt_clang.getCursorType(parameter);
	const struct kt_ir_type *type = parameter_type(l, parameter, kt_lower_type(l, declared));
	struct kt_lower_variable *variable;

	if (type == NULL)
		return false;
	if (kt_lower_is_class(declared) && !kt_lower_is_plain(l, declared, KT_LOWER_COPIED))
		return kt_lower_cannot(l, "a parameter of a class that is not copied as bytes"), false;
	variable = kt_lower_new_variable(l, parameter, type, KT_IR_ARGUMENT);
	if (variable == NULL)
		return false;
	variable->symbol->is_restrict = kt_clang.isRestrictQualifiedType(declared) != 0 && type->kind == KT_IR_POINTER;
	return true;
}

/* `this`, as the first parameter. */
static bool add_self(struct kt_lower *l, CXCursor function)
{
	const CXType class = kt_clang.getCursorType(kt_clang.getCursorSemanticParent(function));
	const bool is_const = kt_clang.CXXMethod_isConst(function) != 0;
	const struct kt_ir_type *of = kt_lower_type(l, class), *type;
	struct kt_lower_variable *variable;

	if (of == NULL)
		return false;
	type = kt_ir_pointer(l->module, of, KT_IR_SPACE_GENERIC, is_const, false);
	variable = kt_arena_alloc(l->arena, sizeof *variable);
	if (variable == NULL)
		return kt_lower_cannot(l, "out of memory"), false;
	variable->cursor = function;
	variable->symbol = kt_ir_argument(l->module, l->body->function, type, "self");
	return variable->symbol != NULL && kt_lower_put(&l->body->variables, l->arena, function, variable);
}

static bool has_self(CXCursor function)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(function);

	return kind == CXCursor_Constructor || kind == CXCursor_ConversionFunction ||
	       (kind == CXCursor_CXXMethod && kt_clang.CXXMethod_isStatic(function) == 0);
}

/* ---- Constructors ---- */

static CXCursor initialiser_of(const struct kt_lower_children *c, CXCursor field)
{
	for (size_t i = 0; i + 1 < c->count; i++)
		if (kt_clang.getCursorKind(c->items[i]) == CXCursor_MemberRef &&
		    kt_clang.equalCursors(kt_lower_referenced(c->items[i]), field) != 0)
			return c->items[i + 1];
	return kt_clang.getNullCursor();
}

static enum CXChildVisitResult find_base(CXCursor cursor, CXCursor parent, CXClientData data)
{
	bool *found = data;

	(void)parent;
	*found = *found || kt_clang.getCursorKind(cursor) == CXCursor_CXXBaseSpecifier;
	return *found ? CXChildVisit_Break : CXChildVisit_Continue;
}

static bool has_base(CXCursor class)
{
	bool found = false;

	kt_clang.visitChildren(kt_lower_members(class), find_base, &found);
	return found;
}

/* The base, by its constructor in the list. One without data, or that the list leaves out, is not understood. */
static bool initialise_base(struct kt_lower *l, const struct kt_lower_place *object, const struct kt_lower_children *c)
{
	const struct kt_ir_type *of = object->type;
	const struct kt_ir_place *place = kt_lower_has_base(of) ? kt_ir_field(l->module, object->place, 0) : NULL;

	for (size_t i = 0; place != NULL && i < c->count; i++) {
		const CXCursor made = kt_clang.getCursorKind(c->items[i]) == CXCursor_CallExpr ? kt_lower_called(c->items[i])
												: kt_clang.getNullCursor();

		if (kt_clang.getCursorKind(made) == CXCursor_Constructor &&
		    kt_lower_type(l, kt_clang.getCursorType(kt_clang.getCursorSemanticParent(made))) == of->fields[0].type)
			return kt_lower_fill(l, place, c->items[i]);
	}
	return kt_lower_cannot(l, "a constructor of a class with a base"), false;
}

/* Members in the order of their declaration: by the constructor's list, else by their own initialisers. */
static bool initialise_members(struct kt_lower *l, CXCursor constructor, const struct kt_lower_children *c)
{
	const CXCursor class = kt_clang.getCursorSemanticParent(constructor);
	const struct kt_lower_children members = kt_lower_fields(l, kt_clang.getCursorType(class));
	const struct kt_lower_variable *self = kt_lower_find(&l->body->variables, constructor);
	struct kt_lower_place object;

	if (self == NULL || !kt_lower_target(l, kt_ir_read(l->module, self->symbol), &object))
		return false;
	if (has_base(class) && !initialise_base(l, &object, c))
		return false;
	for (size_t i = 0; i < members.count; i++) {
		const CXCursor field = members.items[i];
		CXCursor init;
		const struct kt_ir_place *place;
		int number;

		init = initialiser_of(c, field);
		if (kt_clang.Cursor_isNull(init) != 0) {
			const struct kt_lower_children own = kt_lower_children(l, field);

			/* An own initialiser of an instance's field is shown nowhere; a class may do more than nothing.
			 */
			if (kt_clang.equalCursors(kt_lower_members(class), class) == 0 &&
			    kt_lower_has_defaults(l, object.type))
				return kt_lower_cannot(l, "a member's own initialiser in an instance"), false;
			if (own.count == 0 && kt_lower_is_class(kt_clang.getCursorType(field)) &&
			    !kt_lower_is_system(kt_clang.getTypeDeclaration(kt_lower_canonical(field))))
				return kt_lower_cannot(l, "a member of a class without an initialiser"), false;
			if (own.count == 0 || !kt_lower_has_defaults(l, object.type))
				continue;
			init = own.items[own.count - 1];
		}
		number = kt_lower_field(l, object.type, field);
		place = number < 0 ? NULL : kt_ir_field(l->module, object.place, (unsigned)number);
		if (place == NULL || !kt_lower_fill(l, place, init))
			return false;
	}
	return true;
}

/* ---- Bodies ---- */

static bool lower_once(struct kt_lower *l, CXCursor function)
{
	struct kt_lower_body *body = l->body;
	const int count = kt_clang.Cursor_getNumArguments(function);
	const struct kt_lower_children c = kt_lower_children(l, function);
	CXCursor statements = kt_clang.getNullCursor();

	body->function->body = (struct kt_ir_region){0};
	body->function->argument_count = 0;
	body->function->arguments = NULL;
	body->variables = (struct kt_lower_map){0};
	body->region = &body->function->body;
	body->again = false;
	body->loops = 0;
	body->loop_depth = body->switch_depth = 0;
	body->lambdas = (struct kt_lower_map){0};
	if (body->lambda != NULL ? !kt_lower_add_captured(l, body->lambda)
				 : has_self(function) && !add_self(l, function))
		return false;
	for (int i = 0; i < count; i++)
		if (!add_parameter(l, kt_clang.Cursor_getArgument(function, (unsigned)i)))
			return false;
	for (size_t i = 0; i < c.count; i++)
		if (kt_clang.getCursorKind(c.items[i]) == CXCursor_CompoundStmt)
			statements = c.items[i];
	if (kt_clang.Cursor_isNull(statements) != 0)
		return kt_lower_cannot(l, "'%s' has no body", kt_lower_spelling(l, function)), false;
	if (kt_clang.getCursorKind(function) == CXCursor_Constructor && !initialise_members(l, function, &c))
		return false;
	if (kt_lower_has_error(l, function) || !kt_lower_statement(l, statements)) {
		body->function->body = (struct kt_ir_region){0};
		body->region = &body->function->body;
		kt_lower_opaque(l, statements, l->why != NULL ? l->why : "a jump");
	}
	return true;
}

static bool lower_body(struct kt_lower *l, CXCursor function)
{
	for (int i = 0; i < MOST_TRIES; i++) {
		if (!lower_once(l, function) || l->failed)
			return false;
		if (!l->body->again)
			return true;
	}
	return kt_lower_cannot(l, "variables that need memory one after the other"), false;
}

/* ---- Functions ---- */

static const char *unique_name(struct kt_lower *l, const char *wanted)
{
	const char *name = wanted;
	char *clean = kt_arena_strdup(l->arena, wanted);
	bool taken = true;

	for (char *c = clean; c != NULL && *c != '\0'; c++)
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_", *c) == NULL)
			*c = '_';
	name = clean;
	for (unsigned i = 2; name != NULL && taken; i++) {
		taken = false;
		for (const struct kt_ir_function *f = l->module->functions; f != NULL; f = f->next)
			taken |= strcmp(f->name, name) == 0;
		if (taken)
			name = kt_arena_printf(l->arena, "%s_%u", clean, i);
	}
	l->failed |= name == NULL;
	return name == NULL ? "" : name;
}

/* Functions that it calls have been added after it: it goes to the end. */
static void move_to_end(struct kt_ir_module *module, struct kt_ir_function *f)
{
	struct kt_ir_function **link = &module->functions;

	if (module->last_function == f)
		return;
	while (*link != f)
		link = &(*link)->next;
	*link = f->next;
	f->next = NULL;
	module->last_function->next = f;
	module->last_function = f;
}

static void remove_function(struct kt_ir_module *module, struct kt_ir_function *f)
{
	struct kt_ir_function **link = &module->functions, *last = NULL;

	while (*link != NULL && *link != f)
		link = &(*link)->next;
	if (*link == f)
		*link = f->next;
	for (struct kt_ir_function *at = module->functions; at != NULL; at = at->next)
		last = at;
	module->last_function = last;
}

struct kt_ir_function *kt_lower_function(struct kt_lower *l, CXCursor cursor, bool is_kernel,
					 const struct kt_lower_lambda *lambda)
{
	const CXCursor definition = kt_clang.getCursorDefinition(cursor);
	const CXCursor function = kt_clang.Cursor_isNull(definition) == 0 ? definition : cursor;
	struct kt_ir_function *f = kt_lower_find(&l->functions, function);
	struct kt_lower_body body = {.cursor = function, .lambda = lambda}, *const outer = l->body;
	const struct kt_ir_type *result;
	bool is_right;

	if (f != NULL)
		return f;
	if (kt_lower_find(&l->working, function) != NULL)
		return kt_lower_cannot(l, "'%s' calls itself", kt_lower_spelling(l, function));
	result = kt_clang.getCursorKind(function) == CXCursor_Constructor
		     ? kt_ir_void(l->module)
		     : kt_lower_type(l, kt_clang.getResultType(kt_lower_canonical(function)));
	if (result == NULL || !kt_lower_put(&l->working, l->arena, function, l))
		return NULL;
	f = kt_ir_function(l->module, unique_name(l, kt_lower_spelling(l, function)), is_kernel, result);
	if (f == NULL)
		return NULL;
	f->has_body = true;
	f->line = kt_lower_line(l, function);
	kt_lower_read_printed(l, function, &body.printed);
	f->is_inline = body.printed.is_forceinline;
	f->max_threads = body.printed.max_threads;
	f->min_blocks = body.printed.min_blocks;
	body.function = f;
	body.result = kt_clang.getResultType(kt_lower_canonical(function));
	l->body = &body;
	is_right = lower_body(l, function);
	l->body = outer;
	(void)kt_lower_put(&l->working, l->arena, function, NULL);
	if (!is_right) {
		remove_function(l->module, f);
		return NULL;
	}
	move_to_end(l->module, f);
	return kt_lower_put(&l->functions, l->arena, function, f) ? f : NULL;
}

static bool names_structure(const struct kt_ir_type *type)
{
	while (type->kind == KT_IR_POINTER || type->kind == KT_IR_ARRAY)
		type = type->element;
	return type->kind == KT_IR_STRUCT || type->kind == KT_IR_OPAQUE;
}

struct kt_ir_function *kt_lower_extern(struct kt_lower *l, CXCursor cursor, unsigned effects)
{
	const CXCursor function = kt_clang.getCanonicalCursor(cursor);
	const CXType type = kt_lower_canonical(function);
	const struct kt_ir_type *result = kt_lower_type(l, kt_clang.getResultType(type));
	const int count = kt_clang.getNumArgTypes(type);
	const char *name = kt_lower_spelling(l, function);
	struct kt_ir_function *f = kt_lower_find(&l->functions, function);

	if (f != NULL || result == NULL)
		return f;
	if (kt_clang.getCursorKind(kt_clang.getCursorSemanticParent(function)) == CXCursor_Namespace ||
	    strncmp(name, "operator", 8) == 0)
		return kt_lower_cannot(l, "a call of '%s', which has no body here", name);
	for (f = l->module->functions; f != NULL; f = f->next)
		if (strcmp(f->name, name) == 0)
			return kt_lower_cannot(l, "calls of two functions '%s'", name);
	/* Structures are declared again where the IR is printed. */
	if (names_structure(result))
		return kt_lower_cannot(l, "a call of '%s', which gives an object", name);
	f = kt_ir_function(l->module, name, false, result);
	for (int i = 0; f != NULL && i < count; i++) {
		const struct kt_ir_type *parameter = kt_lower_type(l, kt_clang.getArgType(type, (unsigned)i));

		if (parameter != NULL && names_structure(parameter))
			parameter = kt_lower_cannot(l, "a call of '%s', which takes an object", name);
		if (parameter == NULL || kt_ir_argument(l->module, f, parameter, "") == NULL) {
			remove_function(l->module, f);
			return NULL;
		}
	}
	if (f == NULL || !kt_lower_put(&l->functions, l->arena, function, f))
		return NULL;
	f->effects = effects;
	f->line = 0;
	return f;
}
