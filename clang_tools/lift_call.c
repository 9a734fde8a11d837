#include "lift_internal.h"

#include <string.h>

#include "generation/rules/access.h"
#include "lex.h"
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
	if (node->unseen || operands != 2 || text[0] == '(' || text[0] == '[' || text[0] == ' ')
		return node;
	node->operator_ = text;
	node->kind = text[strlen(text) - 1] == '=' && strcmp(text, "==") != 0 && strcmp(text, "!=") != 0 &&
	                     strcmp(text, "<=") != 0 && strcmp(text, ">=") != 0
	                 ? KT_TREE_ASSIGN
	                 : KT_TREE_BINARY;
	return node;
}

/* Where a plain function stands whose text means the same elsewhere in the file: not of a class,
 * a namespace or a template. */
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
	struct kt_lift sub = {.kernel = kernel, .unit = lift->unit, .callees = lift->callees, .depth = lift->depth,
	                      .opencl = lift->opencl};
	if (kernel->text == NULL || !kt_lift_body(&sub, definition))
		return NULL;
	find_name(&sub, definition);
	lift->callees->items[at].kernel = kernel;
	return kernel;
}

static bool is_of_project(CXCursor cursor)
{
	return kt_clang.Location_isInSystemHeader(kt_clang.getCursorLocation(cursor)) == 0;
}

/* The compiler's own, which no header declares. */
static bool is_builtin(const char *name)
{
	return strncmp(name, "__builtin_", strlen("__builtin_")) == 0;
}

/* Functions of these give values, but for those known by their names; other libraries have classes of threads. */
static bool is_of_language(struct kt_lift *lift, CXCursor function)
{
	const char *outer = "", *next = "";

	for (CXCursor at = kt_clang.getCursorSemanticParent(function);
	     kt_clang.Cursor_isNull(at) == 0 && kt_clang.getCursorKind(at) != CXCursor_TranslationUnit;
	     at = kt_clang.getCursorSemanticParent(at))
		if (kt_clang.getCursorKind(at) == CXCursor_Namespace) {
			next = outer;
			outer = kt_lift_text(lift, kt_clang.getCursorSpelling(at));
		}
	return outer[0] == '\0' || strcmp(outer, "std") == 0 || strcmp(outer, "thrust") == 0 ||
	       (strcmp(outer, "cuda") == 0 && strcmp(next, "std") == 0);
}

static bool asks(struct kt_lift *lift, CXCursor function)
{
	const struct kt_kernel *callee = read_callee(lift, function);

	return callee == NULL || kt_callee_meets(callee);
}

static bool is_constant(CXCursor expression)
{
	CXEvalResult result = kt_clang.Cursor_Evaluate(expression);

	if (result != NULL)
		kt_clang.EvalResult_dispose(result);
	return result != NULL;
}

/* Are the arguments that are not written numbers? A pointer's is null. */
static bool omits_numbers(CXCursor call)
{
	for (int i = 0; i < kt_clang.Cursor_getNumArguments(call); i++) {
		CXCursor argument = kt_clang.Cursor_getArgument(call, (unsigned)i);

		if (kt_clang.Range_isNull(kt_clang.getCursorExtent(argument)) != 0 &&
		    kt_clang.getCanonicalType(kt_clang.getCursorType(argument)).kind != CXType_Pointer && !is_constant(argument))
			return false;
	}
	return true;
}

/* The project's class that objects of the type, or the elements of such an array, are of. False: there is none. */
static bool class_of(CXCursor *out, CXType type)
{
	type = kt_clang.getCanonicalType(type);
	while (type.kind == CXType_ConstantArray)
		type = kt_clang.getCanonicalType(kt_clang.getArrayElementType(type));
	if (type.kind != CXType_Record)
		return false;
	*out = kt_clang.getTypeDeclaration(type);
	return is_of_project(*out);
}

static bool makes_unseen(struct kt_lift *lift, CXCursor class, size_t depth);

/* Does something happen, unseen, where a value of this type is made or ends? */
static bool type_is_unseen(struct kt_lift *lift, CXType type, size_t depth)
{
	CXCursor class;

	return class_of(&class, type) && makes_unseen(lift, class, depth);
}

static bool has_body(struct kt_lift *lift, CXCursor function)
{
	const struct kt_lift_cursors parts = kt_lift_cursors_of(lift, function);

	for (size_t i = 0; i < parts.count; i++)
		if (kt_clang.getCursorKind(parts.cursors[i]) == CXCursor_CompoundStmt)
			return true;
	return false;
}

enum { CLASS_DEPTH = 8 };

static bool member_is_unseen(struct kt_lift *lift, CXCursor member, size_t depth)
{
	const struct kt_lift_cursors parts = kt_lift_cursors_of(lift, member);

	switch ((int)kt_clang.getCursorKind(member)) {
	case CXCursor_FieldDecl:
		for (size_t i = 0; i < parts.count; i++)
			if (kt_clang.isExpression(kt_clang.getCursorKind(parts.cursors[i])) != 0 && !is_constant(parts.cursors[i]))
				return true;
		return type_is_unseen(lift, kt_clang.getCursorType(member), depth);
	case CXCursor_CXXBaseSpecifier:
		return type_is_unseen(lift, kt_clang.getCursorType(member), depth);
	case CXCursor_Constructor:
		return has_body(lift, member) && asks(lift, member);
	case CXCursor_Destructor:
		for (size_t i = 0; i < parts.count; i++)
			if (kt_clang.getCursorKind(parts.cursors[i]) == CXCursor_CompoundStmt)
				return kt_lift_cursors_of(lift, parts.cursors[i]).count > 0;
		return false;
	default:
		return false;
	}
}

static bool makes_unseen(struct kt_lift *lift, CXCursor class, size_t depth)
{
	const struct kt_lift_cursors members = kt_lift_cursors_of(lift, class);

	if (depth == CLASS_DEPTH)
		return true;
	for (size_t i = 0; i < members.count; i++)
		if (member_is_unseen(lift, members.cursors[i], depth + 1))
			return true;
	return false;
}

/* Is what the function of a class does for the compiler to say, as nobody wrote it or `= default` stands there? */
static bool is_generated(CXCursor function)
{
	CXCursor definition = kt_clang.getCursorDefinition(function);

	return kt_clang.CXXMethod_isDefaulted(function) != 0 ||
	       (kt_clang.Cursor_isNull(definition) == 0 && kt_clang.CXXMethod_isDefaulted(definition) != 0);
}

static bool constructor_is_unseen(struct kt_lift *lift, CXCursor constructor)
{
	return makes_unseen(lift, kt_clang.getCursorSemanticParent(constructor), 0) ||
	       (!is_generated(constructor) && asks(lift, constructor));
}

/* Does an assignment of the class's objects do something unseen, by its own function or those of its members? */
static bool assigns_unseen(struct kt_lift *lift, CXCursor class, size_t depth)
{
	const struct kt_lift_cursors members = kt_lift_cursors_of(lift, class);

	if (depth == CLASS_DEPTH)
		return true;
	for (size_t i = 0; i < members.count; i++) {
		const CXCursor member = members.cursors[i];
		const enum CXCursorKind kind = kt_clang.getCursorKind(member);
		CXCursor inner;

		if ((kind == CXCursor_FieldDecl || kind == CXCursor_CXXBaseSpecifier) &&
		    class_of(&inner, kt_clang.getCursorType(member)) && assigns_unseen(lift, inner, depth + 1))
			return true;
		if (kind == CXCursor_CXXMethod && !is_generated(member) &&
		    strcmp(kt_lift_text(lift, kt_clang.getCursorSpelling(member)), "operator=") == 0 && asks(lift, member))
			return true;
	}
	return false;
}

bool kt_lift_makes_unseen(struct kt_lift *lift, CXCursor cursor)
{
	return !lift->opencl && type_is_unseen(lift, kt_clang.getCursorType(cursor), 0);
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

static bool is_unseen(struct kt_lift *lift, const struct kt_tree *call, CXCursor cursor, CXCursor target)
{
	if (lift->opencl)
		return false;
	if (kt_clang.Cursor_isNull(target) != 0)
		return true;
	if (is_builtin(call->name))
		return false;
	if (!is_of_project(target))
		return !is_of_language(lift, target) && asks(lift, target);
	if (kt_clang.getCursorKind(target) == CXCursor_Constructor)
		return !omits_numbers(cursor) || constructor_is_unseen(lift, target);
	if (strcmp(call->name, "operator=") == 0 && is_generated(target))
		return assigns_unseen(lift, kt_clang.getCursorSemanticParent(target), 0);
	if (strncmp(call->name, "operator", strlen("operator")) == 0)
		return asks(lift, target) || (gives_value(call) && !kt_callee_keeps_others(read_callee(lift, target)));
	return !omits_numbers(cursor) || read_callee(lift, target) == NULL;
}

struct kt_tree *kt_lift_call(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor)
{
	CXCursor target = kt_clang.getCursorReferenced(cursor);

	node->kind = KT_TREE_CALL;
	node->name = kt_lift_text(lift, kt_clang.getCursorSpelling(cursor));
	kt_lift_children(lift, node, cursor);
	node->unseen = is_unseen(lift, node, cursor, target);
	if (!node->unseen && kt_lift_is_transparent(node) && !is_callee(node, node->children[0]))
		return node->children[0];
	if (strncmp(node->name, "operator", 8) == 0)
		return read_overloaded(node);
	mark_references(lift, node, target);
	if (lift->opencl)
		kt_opencl_call(node);
	if (kt_clang.Cursor_isNull(target) == 0 && is_of_project(target)) {
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
