#include "lift_internal.h"

#include <string.h>

#include "generation/rules/access.h"
#include "base/lex.h"
#include "opencl.h"

/*
 * Is the first thing that a function does with this parameter to assign it, whatever else happens? Read off the text of
 * its definition: `out = …` before any branch.
 */
static bool fills(struct kt_lift *lift, CXCursor function, CXCursor parameter)
{
	CXCursor definition = kt_clang.getCursorDefinition(function);
	CXSourceRange extent;
	CXFile file = NULL;
	unsigned begin = 0, end = 0;
	const char *data, *name = kt_lift_text(lift, kt_clang.getCursorSpelling(parameter));
	struct kt_text text;
	struct kt_error err;
	size_t size = 0, i = 0;

	if (kt_clang.Cursor_isNull(definition) != 0 || name[0] == '\0')
		return false;
	extent = kt_clang.getCursorExtent(definition);
	kt_clang.getFileLocation(kt_clang.getRangeStart(extent), &file, NULL, NULL, &begin);
	kt_clang.getFileLocation(kt_clang.getRangeEnd(extent), NULL, NULL, NULL, &end);
	data = file != NULL ? kt_clang.getFileContents(lift->unit, file, &size) : NULL;
	if (data == NULL || begin >= end || end > size ||
	    kt_lex(&text, lift->kernel->arena, data, begin, end, false, &err) != KT_OK)
		return false;
	while (i < text.count && !kt_token_is(&text, i, "{"))
		i++;
	for (; i < text.count; i++) {
		if (kt_token_is(&text, i, "if") || kt_token_is(&text, i, "?") || kt_token_is(&text, i, "for") ||
		    kt_token_is(&text, i, "while") || kt_token_is(&text, i, "switch") || kt_token_is(&text, i, "return"))
			return false;
		if (kt_token_is(&text, i, name))
			return (kt_token_is(&text, i - 1, "{") || kt_token_is(&text, i - 1, ";")) && i + 1 < text.count &&
			       kt_token_is(&text, i + 1, "=");
	}
	return false;
}

/* What is passed by reference may be written by the callee, or kept. */
static void mark_references(struct kt_lift *lift, struct kt_tree *call, CXCursor target)
{
	for (size_t i = 1; i < call->count; i++) {
		struct kt_tree *argument = kt_tree_bare(call->children[i]);
		bool by_reference = kt_clang.Cursor_isNull(target) != 0, filled = false;

		if (!by_reference && (int)i - 1 < kt_clang.Cursor_getNumArguments(target)) {
			CXCursor parameter = kt_clang.Cursor_getArgument(target, (unsigned)i - 1);
			CXType type = kt_clang.getCanonicalType(kt_clang.getCursorType(parameter));

			by_reference = type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
			by_reference = by_reference && kt_clang.isConstQualifiedType(kt_clang.getPointeeType(type)) == 0;
			filled = by_reference && fills(lift, target, parameter);
		}
		if (!by_reference)
			continue;
		argument->passing = filled ? KT_PASS_FILLED : KT_PASS_CHANGED;
		if (argument->kind == KT_TREE_REFERENCE && argument->variable != NULL)
			argument->variable->escapes = argument->variable->escapes || !filled;
	}
}

/* The name that is called; a macro's whole text may be its call. */
static bool is_callee(const struct kt_tree *call, const struct kt_tree *child)
{
	return child->kind == KT_TREE_OTHER && child->name != NULL && strcmp(child->name, call->name) == 0;
}

/* `a * b` and `a = b` of a class such as __half: the operands without the callee between them, as for numbers. */
static struct kt_tree *read_overloaded(struct kt_tree *node)
{
	const char *text = node->name + strlen("operator");
	size_t operands = 0;

	for (size_t i = 0; i < node->count; i++) {
		if (!is_callee(node, node->children[i]))
			node->children[operands++] = node->children[i];
	}
	node->count = operands;
	if (node->opaque || node->reaches || operands != 2 || text[0] == '(' || text[0] == '[' || text[0] == ' ')
		return node;
	node->operator_ = text;
	node->kind = text[strlen(text) - 1] == '=' && strcmp(text, "==") != 0 && strcmp(text, "!=") != 0 &&
	                     strcmp(text, "<=") != 0 && strcmp(text, ">=") != 0
	                 ? KT_TREE_ASSIGN
	                 : KT_TREE_BINARY;
	return node;
}

/* The only part of it, inside conversions and parentheses without meaning; else a null cursor. */
static CXCursor only(struct kt_lift *lift, CXCursor cursor)
{
	for (;;) {
		const struct kt_lift_cursors parts = kt_lift_cursors_of(lift, cursor);
		enum CXCursorKind kind;

		if (parts.count != 1)
			return kt_clang.getNullCursor();
		cursor = parts.cursors[0];
		kind = kt_clang.getCursorKind(cursor);
		if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr)
			return cursor;
	}
}

/* `{ return of[i]; }`, an array of the object's. */
static bool gives_part(struct kt_lift *lift, CXCursor method)
{
	const struct kt_lift_cursors parts = kt_lift_cursors_of(lift, kt_clang.getCursorDefinition(method));
	CXCursor at = kt_clang.getNullCursor();
	struct kt_lift_cursors operands;

	if (parts.count > 0 && kt_clang.getCursorKind(parts.cursors[parts.count - 1]) == CXCursor_CompoundStmt)
		at = only(lift, parts.cursors[parts.count - 1]);
	if (kt_clang.getCursorKind(at) != CXCursor_ReturnStmt)
		return false;
	at = only(lift, at);
	operands = kt_lift_cursors_of(lift, at);
	if (kt_clang.getCursorKind(at) != CXCursor_ArraySubscriptExpr || operands.count != 2)
		return false;
	at = operands.cursors[0];
	if (kt_clang.getCursorKind(at) == CXCursor_UnexposedExpr)
		at = only(lift, at);
	operands = kt_lift_cursors_of(lift, at);
	return kt_clang.getCursorKind(at) == CXCursor_MemberRefExpr &&
	       kt_clang.getCanonicalType(kt_clang.getCursorType(kt_clang.getCursorReferenced(at))).kind ==
	           CXType_ConstantArray &&
	       (operands.count == 0 || kt_clang.getCursorKind(operands.cursors[0]) == CXCursor_CXXThisExpr);
}

/* The place of a plain function whose text means the same elsewhere in the file: not of a class, a namespace or a template. */
static void find_name(struct kt_lift *lift, CXCursor definition)
{
	struct kt_kernel *kernel = lift->kernel;
	char *name = kt_clang_text(kernel->arena, kt_clang.getCursorSpelling(definition));
	bool in_macro = false, begins_in_macro = false; /* __device__ is one */
	struct kt_range range = kt_lift_range(lift, definition, &begins_in_macro);
	uint32_t at = kt_lift_offset(lift, kt_clang.getCursorLocation(definition), &in_macro);
	CXCursor parent = kt_clang.getCursorSemanticParent(definition);

	if (name == NULL || in_macro || kt_clang.getCursorKind(definition) != CXCursor_FunctionDecl ||
	    kt_clang.getCursorKind(parent) != CXCursor_TranslationUnit || strchr(name, '<') != NULL ||
	    kt_clang.Cursor_getNumTemplateArguments(definition) > 0 || range.begin > at || range.end > kernel->size ||
	    strncmp(kernel->text + at, name, strlen(name)) != 0)
		return;
	/* Words of a type alone: nothing of a macro's call or of a directive. */
	for (uint32_t i = range.begin; i < at; i++)
		if (strchr("(){}[];#\"'/\\", kernel->text[i]) != NULL)
			return;
	kernel->definition = range;
	kernel->name = (struct kt_range){at, (uint32_t)(at + strlen(name))};
}

/* The function, read once; NULL: its definition is not there, or cannot be read. */
static struct kt_kernel *read_callee(struct kt_lift *lift, CXCursor target)
{
	CXCursor definition = kt_clang.isCursorDefinition(target) != 0 ? target : kt_clang.getCursorDefinition(target);
	struct kt_kernel *kernel;
	struct kt_lift_callee *slot;
	size_t at;
	CXFile file = NULL;

	if (kt_clang.Cursor_isNull(definition) != 0)
		return NULL;
	for (size_t i = 0; i < lift->callees->count; i++)
		if (kt_clang.equalCursors(lift->callees->items[i].cursor, definition) != 0)
			return lift->callees->items[i].kernel;
	at = lift->callees->count;
	slot = kt_arena_push(lift->kernel->arena, &lift->callees->items, &lift->callees->count, sizeof *slot);
	kernel = kt_arena_alloc(lift->kernel->arena, sizeof *kernel);
	if (slot == NULL || kernel == NULL) {
		lift->failed = true;
		return NULL;
	}
	*slot = (struct kt_lift_callee){definition, NULL};
	*kernel = (struct kt_kernel){.arena = lift->kernel->arena, .prologue = ""};
	kt_clang.getFileLocation(kt_clang.getCursorLocation(definition), &file, NULL, NULL, NULL);
	kernel->text = file != NULL ? kt_clang.getFileContents(lift->unit, file, &kernel->size) : NULL;
	struct kt_lift sub = {.kernel = kernel, .unit = lift->unit, .callees = lift->callees, .folders = lift->folders,
	                      .depth = lift->depth, .opencl = lift->opencl};
	if (kernel->text == NULL || !kt_lift_body(&sub, definition))
		return NULL;
	find_name(&sub, definition);
	lift->callees->items[at].kernel = kernel;
	return kernel;
}

bool kt_lift_asks(struct kt_lift *lift, CXCursor function)
{
	struct kt_kernel *callee = read_callee(lift, function);

	return callee == NULL || kt_callee_synchronises(callee);
}

/* Are the arguments that are not written numbers? A pointer's is null. */
static bool omits_numbers(CXCursor call)
{
	for (int i = 0; i < kt_clang.Cursor_getNumArguments(call); i++) {
		CXCursor argument = kt_clang.Cursor_getArgument(call, (unsigned)i);

		if (kt_clang.Range_isNull(kt_clang.getCursorExtent(argument)) != 0 &&
		    kt_clang.getCanonicalType(kt_clang.getCursorType(argument)).kind != CXType_Pointer &&
		    !kt_lift_is_constant(argument))
			return false;
	}
	return true;
}

/* A conversion, or an operator of two operands that are read: the rules take it for one that changes none. */
static bool gives_value(const struct kt_tree *call)
{
	const char *text = call->name + strlen("operator");
	const size_t length = strlen(text);

	if (text[0] == ' ')
		return true;
	return text[0] != '(' && text[0] != '[' && call->count > 1 &&
	       (text[length - 1] != '=' || (length == 2 && strchr("=!<>", text[0]) != NULL));
}

/*
 * In a template whose arguments are numbers: `T(0)`, or `max(a, b)` of functions of the language. The call gets the
 * name of these, by which those that ask are known.
 */
static bool is_of_numbers(struct kt_lift *lift, struct kt_tree *call, CXCursor cursor)
{
	const struct kt_lift_cursors parts = kt_lift_cursors_of(lift, cursor);
	unsigned count = 0;

	if (parts.count > 0 && kt_clang.getCursorKind(parts.cursors[0]) == CXCursor_TypeRef)
		return kt_lift_is_parameter(lift, kt_clang.getCursorType(cursor));
	for (size_t i = 0; i < parts.count && count == 0; i++) {
		const CXCursor set = kt_clang.getCursorReferenced(parts.cursors[i]);

		if (kt_clang.getCursorKind(set) != CXCursor_OverloadedDeclRef)
			continue;
		count = kt_clang.getNumOverloadedDecls(set);
		call->name = kt_lift_text(lift, kt_clang.getCursorSpelling(set));
		for (unsigned k = 0; k < count; k++)
			if (!kt_lift_is_of_language(lift, kt_clang.getOverloadedDecl(set, k)))
				return false;
	}
	if (count > 0)
		call->known = call->name;
	return count > 0;
}

/* Of the language, and does nothing but what is known of it: `move(object)`, not `invoke(functor)`. */
static bool is_known(struct kt_lift *lift, const struct kt_tree *call, CXCursor target)
{
	static const char *const casts[] = {"move", "forward", "as_const", "addressof"}; /* which the compiler may know */

	if (!kt_lift_is_of_language(lift, target))
		return false;
	return kt_has_text(casts, sizeof casts / sizeof casts[0], call->known) ||
	       !kt_lift_takes_class_to_read(lift, target);
}

static bool is_opaque(struct kt_lift *lift, struct kt_tree *call, CXCursor cursor, CXCursor target)
{
	if (lift->opencl)
		return false;
	if (kt_clang.Cursor_isNull(target) != 0)
		return !is_of_numbers(lift, call, cursor);
	if (strncmp(call->known, "__builtin_", strlen("__builtin_")) == 0 || is_known(lift, call, target))
		return false;
	/* The function that runs there may be another one. */
	if (kt_clang.CXXMethod_isVirtual(target) != 0)
		return true;
	if (kt_clang.getCursorKind(target) == CXCursor_Constructor)
		return !omits_numbers(cursor) || kt_lift_constructs_opaque(lift, target);
	if (strcmp(call->name, "operator=") == 0 && kt_lift_is_generated(target))
		return kt_lift_assigns_opaque(lift, kt_clang.getCursorSemanticParent(target));
	if (strncmp(call->name, "operator", strlen("operator")) == 0)
		return kt_lift_asks(lift, target) ||
		       (gives_value(call) && !kt_callee_keeps_others(read_callee(lift, target)));
	/* What the project's functions ask, the rules read; others' are names to them. */
	return !omits_numbers(cursor) ||
	       (kt_lift_is_of_project(target) ? read_callee(lift, target) == NULL : kt_lift_asks(lift, target));
}

bool kt_lift_call_asks(struct kt_lift *lift, CXCursor cursor)
{
	struct kt_tree call = {.kind = KT_TREE_CALL, .name = kt_lift_text(lift, kt_clang.getCursorSpelling(cursor))};
	const CXCursor target = kt_clang.getCursorReferenced(cursor);

	call.known = kt_lift_known(lift, target);
	if (is_opaque(lift, &call, cursor, target) || kt_call_is_meeting(&call))
		return true;
	return kt_clang.Cursor_isNull(target) == 0 && kt_lift_is_of_project(target) && !kt_lift_is_generated(target) &&
	       kt_lift_asks(lift, target);
}

/* A call of an object: a lambda's captures are no arguments. */
static bool reaches(struct kt_lift *lift, CXCursor target)
{
	struct kt_kernel *callee = kt_clang.Cursor_isNull(target) == 0 ? read_callee(lift, target) : NULL;

	return callee == NULL || callee->body == NULL || kt_callee_reaches(callee);
}

static enum CXVisitorResult find_mutable(CXCursor field, CXClientData data)
{
	bool *found = data;
	const CXType type = kt_clang.getCanonicalType(kt_clang.getCursorType(field));

	*found = *found || kt_clang.CXXField_isMutable(field) != 0;
	if (type.kind == CXType_Record)
		(void)kt_clang.Type_visitFields(type, find_mutable, data);
	return *found ? CXVisit_Break : CXVisit_Continue;
}

/* A lambda that is not mutable, or a class like one. */
static bool keeps_object(CXCursor method)
{
	const CXCursor class = kt_clang.getCursorSemanticParent(method);
	bool found = false;

	if (kt_clang.Cursor_isNull(method) != 0 || kt_clang.CXXMethod_isConst(method) == 0)
		return false;
	(void)kt_clang.Type_visitFields(kt_clang.getCursorType(class), find_mutable, &found);
	return !found;
}

struct kt_tree *kt_lift_call(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor)
{
	CXCursor target = kt_clang.getCursorReferenced(cursor);

	node->kind = KT_TREE_CALL;
	node->name = kt_lift_text(lift, kt_clang.getCursorSpelling(cursor));
	node->known = kt_lift_known(lift, target);
	kt_lift_children(lift, node, cursor);
	node->opaque = is_opaque(lift, node, cursor, target);
	node->reaches = !lift->opencl && kt_lift_follows_pointers(target);
	if (!node->opaque && !node->reaches && kt_lift_is_transparent(node) && !is_callee(node, node->children[0]))
		return node->children[0];
	node->gives_part = strcmp(node->name, "operator[]") == 0 && gives_part(lift, target);
	if (strncmp(node->name, "operator", 8) == 0) {
		node->reaches = node->reaches || (strcmp(node->name, "operator()") == 0 && reaches(lift, target));
		node->keeps_object = strcmp(node->name, "operator()") == 0 && keeps_object(target);
		return read_overloaded(node);
	}
	mark_references(lift, node, target);
	if (lift->opencl)
		kt_opencl_call(node);
	if (kt_clang.Cursor_isNull(target) == 0 && kt_lift_is_of_project(target)) {
		node->callee = read_callee(lift, target);
		const char **slot =
		    kt_arena_push(lift->kernel->arena, &lift->kernel->called, &lift->kernel->called_count, sizeof *slot);

		if (slot != NULL)
			*slot = node->name;
	}
	if (node->kind == KT_TREE_CALL)
		kt_lift_load(node);
	return node;
}
