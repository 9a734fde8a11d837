/* Calls in host code, judged by the declaration that they lead to: its body where there is one, else a table. */
#include "quiet.h"

#include <string.h>
#include <strings.h>

#define PARTS 64
#define LENGTH(table) (sizeof(table) / sizeof(table)[0])

/* Methods that change nothing; of containers, tensors and smart pointers. */
static const char *const methods[] = {
	"data",         "data_ptr",   "mutable_data_ptr", "const_data_ptr", "get",   "size",   "sizes",
	"numel",        "dim",        "stride",           "begin",          "front", "x",      "y",
	"element_size", "nbytes",     "is_contiguous",    "value",          "c_str", "device", "storage_offset",
	"operator[]",   "strides",    "defined",          "has_value",      "empty", "z",      "ndimension",
	"get_device",   "is_cuda",    "scalar_type",      "dtype",
};
/* Functions of libraries and of the language. */
static const char *const functions[] = {
	"min",  "max",   "ceil_div", "raw_pointer_cast", "move", "forward", "__float2half", "__float2bfloat16",
	"sqrtf", "sqrt", "rsqrtf",   "abs",              "fabs", "fabsf",   "log2",         "log2f",
	"ceil", "ceilf", "floor",    "floorf",           "pow",  "powf",    "__builtin_expect",
};
/* Functions of the runtime that ask; that give the last error is in quiet_error.c. */
static const char *const queries[] = {"cudaGetErrorString", "cudaGetErrorName"};
/* What ends the process without a word to anybody who could see what the device did. */
static const char *const ends[] = {"abort", "__assert_fail", "__assert_rtn", "terminate", "__builtin_trap",
                                   "__builtin_unreachable"};
/* Functions that are only declared, and do nothing unless they are given an error. */
static const char *const reporters[] = {"c10_cuda_check_implementation"};
/* "nextStream()" gives another one each time. */
static const char *const others[] = {"next", "create", "new", "make", "acquire", "allocate", "pop", "take"};

static bool is_one_of(const char *name, const char *const *table, size_t count)
{
	return kt_has_text(table, count, name);
}

static bool is_null(CXCursor cursor)
{
	return kt_clang.Cursor_isNull(cursor) != 0;
}

static bool is_of_project(CXCursor cursor)
{
	return kt_clang.Location_isInSystemHeader(kt_clang.getCursorLocation(cursor)) == 0;
}

struct body {
	CXCursor parts[PARTS]; /* what a constructor gives its members, and statements */
	size_t count;
	CXCursor parameters[PARTS];
	size_t parameter_count;
	bool found;
};

static enum CXChildVisitResult read_body(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct body *b = data;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

	(void)parent;
	if (kind == CXCursor_ParmDecl && b->parameter_count < PARTS)
		b->parameters[b->parameter_count++] = cursor;
	if (kind != CXCursor_CompoundStmt && kind != CXCursor_CXXTryStmt && kt_clang.isExpression(kind) == 0)
		return CXChildVisit_Continue;
	b->found = b->found || kind == CXCursor_CompoundStmt || kind == CXCursor_CXXTryStmt;
	if (b->count < PARTS)
		b->parts[b->count] = cursor;
	b->count++;
	return CXChildVisit_Continue;
}

/* The function's text, or that of the template which it is an instance of. */
static struct body body_of(CXCursor function)
{
	CXCursor definition = kt_clang.getCursorDefinition(function);
	struct body b = {.count = 0};

	if (!is_null(definition))
		kt_clang.visitChildren(definition, read_body, &b);
	definition = kt_clang.getSpecializedCursorTemplate(function);
	if (!b.found && !is_null(definition)) {
		b = (struct body){.count = 0};
		definition = kt_clang.getCursorDefinition(definition);
		if (!is_null(definition))
			kt_clang.visitChildren(definition, read_body, &b);
	}
	return b;
}

/* ---- types */

struct class {
	struct kt_quiet *q;
	bool made;   /* its members are initialised by default, not by a constructor */
	bool member; /* it is a member of such a one */
	bool quiet;
};

static bool read_quiet_body(struct kt_quiet *q, CXCursor function, const CXCursor *arguments, size_t argument_count);
static bool type_is_quiet(struct kt_quiet *q, CXType type, bool made, bool member);

/* "int x = value;" */
static bool first_value_is_quiet(struct kt_quiet *q, CXCursor field)
{
	CXCursor parts[2];
	const size_t count = kt_quiet_operands(parts, 2, field);

	for (size_t i = 0; i < count && i < 2; i++)
		if (!kt_quiet_value(q, parts[i]))
			return false;
	return true;
}

static enum CXChildVisitResult read_member(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct class *c = data;

	(void)parent;
	switch ((int)kt_clang.getCursorKind(cursor)) {
	case CXCursor_FieldDecl:
		c->quiet = (!c->made || first_value_is_quiet(c->q, cursor)) &&
		           type_is_quiet(c->q, kt_clang.getCursorType(cursor), c->made, c->made);
		break;
	case CXCursor_CXXBaseSpecifier:
		c->quiet = type_is_quiet(c->q, kt_clang.getCursorType(cursor), c->made, c->made);
		break;
	case CXCursor_Constructor:
		if (!c->member)
			break;
		c->quiet = kt_clang.CXXMethod_isDefaulted(cursor) != 0 || kt_clang.CXXMethod_isDeleted(cursor) != 0 ||
		           read_quiet_body(c->q, cursor, NULL, 0);
		break;
	case CXCursor_Destructor:
		c->quiet = kt_clang.CXXMethod_isDefaulted(cursor) != 0 || read_quiet_body(c->q, cursor, NULL, 0);
		break;
	default:
		break;
	}
	return c->quiet ? CXChildVisit_Continue : CXChildVisit_Break;
}

static enum CXVisitorResult read_field(CXCursor cursor, CXClientData data)
{
	return read_member(cursor, cursor, data) == CXChildVisit_Continue ? CXVisit_Continue : CXVisit_Break;
}

static bool type_is_quiet(struct kt_quiet *q, CXType type, bool made, bool member)
{
	struct class c = {q, made, member, true};
	CXCursor class, pattern;

	type = kt_clang.getCanonicalType(type);
	while (type.kind == CXType_ConstantArray)
		type = kt_clang.getCanonicalType(kt_clang.getArrayElementType(type));
	if (type.kind == CXType_Unexposed || type.kind == CXType_Invalid)
		return true; /* it depends on a template's parameter, which no class is that a kernel gets */
	if (type.kind != CXType_Record)
		return true;
	class = kt_clang.getTypeDeclaration(type);
	if (++q->depth > KT_QUIET_DEPTH) {
		q->depth--;
		return kt_quiet_not(q, "'%s' is nested too deeply", kt_quiet_name(q, class));
	}
	kt_clang.Type_visitFields(type, read_field, &c);
	pattern = kt_clang.getSpecializedCursorTemplate(class);
	if (c.quiet)
		kt_clang.visitChildren(is_null(pattern) ? class : pattern, read_member, &c);
	q->depth--;
	return c.quiet || kt_quiet_not(q, "an object of class '%s'", kt_quiet_name(q, class));
}

bool kt_quiet_type(struct kt_quiet *q, CXType type)
{
	return type_is_quiet(q, type, false, false);
}

/* ---- functions */

/* Judges the function's text; parameters that are given an error hold one. */
static bool read_quiet_body(struct kt_quiet *q, CXCursor function, const CXCursor *arguments, size_t argument_count)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(function);
	struct kt_quiet inner = *q;
	struct body b = body_of(function);
	const char *name = kt_quiet_name(q, function);

	if (!b.found)
		return kt_quiet_not(q, "the effect of '%s' is not known", name);
	if (b.count > PARTS || q->depth >= KT_QUIET_DEPTH)
		return kt_quiet_not(q, "'%s' is too long to judge", name);
	inner.in_callee = true;
	inner.in_do = false;
	inner.depth++;
	inner.object = kind == CXCursor_Constructor ? kt_clang.getCursorSemanticParent(function) : kt_clang.getNullCursor();
	for (size_t i = 0; q->asks && i < b.parameter_count && i < argument_count; i++)
		if (kt_is_error(q, arguments[i]) && inner.error_count < KT_QUIET_ERRORS)
			inner.errors[inner.error_count++] = b.parameters[i];
	for (size_t i = 0; i < b.count; i++) {
		const bool quiet = kt_clang.getCursorKind(b.parts[i]) == CXCursor_CompoundStmt
		                       ? kt_quiet_statement(&inner, b.parts[i])
		                       : kt_quiet_value(&inner, b.parts[i]);

		if (!quiet)
			return kt_quiet_not(q, "in '%s': %s", name, inner.why != NULL ? inner.why : "");
	}
	return true;
}

bool kt_quiet_defaults(struct kt_quiet *q, CXCursor function, CXCursor call)
{
	const int count = kt_clang.Cursor_getNumArguments(function);

	for (int i = 0; i < count; i++) {
		CXCursor argument = kt_clang.Cursor_getArgument(call, (unsigned)i), parts[PARTS];
		const CXCursor parameter = kt_clang.Cursor_getArgument(function, (unsigned)i);
		size_t part_count;

		if (!is_null(argument) && kt_clang.Range_isNull(kt_clang.getCursorExtent(argument)) == 0)
			continue;
		part_count = kt_quiet_operands(parts, PARTS, parameter);
		for (size_t k = 0; k < part_count && k < PARTS; k++)
			if (!kt_quiet_value(q, parts[k]))
				return false;
	}
	return true;
}

static bool gives_error(struct kt_quiet *q, CXCursor call)
{
	for (int i = 0; i < kt_clang.Cursor_getNumArguments(call); i++)
		if (kt_is_error(q, kt_clang.Cursor_getArgument(call, (unsigned)i)))
			return true;
	return false;
}

static bool is_method(CXCursor function)
{
	const int kind = (int)kt_clang.getCursorKind(function), of = (int)kt_clang.getTemplateCursorKind(function);

	return kind == CXCursor_CXXMethod || kind == CXCursor_ConversionFunction || of == CXCursor_CXXMethod;
}

/* What is known by its name, because its text is not there or is a library's. */
static bool is_known(struct kt_quiet *q, CXCursor function, CXCursor call, bool has_body)
{
	const char *name = kt_quiet_name(q, function);
	const bool library = !is_of_project(function);
	const bool is_const = kt_clang.CXXMethod_isConst(function) != 0;

	if (is_method(function)) {
		if (has_body && (!library || kt_clang.CXXMethod_isVirtual(function) != 0))
			return false;
		return (library || is_const) &&
		       (is_one_of(name, methods, LENGTH(methods)) ||
		        (is_const && kt_clang.getCursorKind(function) == CXCursor_ConversionFunction));
	}
	if (kt_asks_for_error(function) || (library && is_one_of(name, queries, LENGTH(queries))))
		return q->asks;
	if (!has_body && is_one_of(name, reporters, LENGTH(reporters)))
		return q->asks && gives_error(q, call);
	return library && (is_one_of(name, functions, LENGTH(functions)) || is_one_of(name, ends, LENGTH(ends)));
}

/* What initialises an object where no function for it is written: like the members. */
static bool is_generated(CXCursor function)
{
	const CXCursor definition = kt_clang.getCursorDefinition(function);

	return kt_clang.CXXMethod_isDefaulted(function) != 0 ||
	       (kt_clang.getCursorKind(function) == CXCursor_Constructor &&
	        kt_clang.equalCursors(function, kt_clang.getCursorSemanticParent(function)) == 0 && is_null(definition) &&
	        is_null(kt_clang.getSpecializedCursorTemplate(function)) &&
	        kt_clang.Range_isNull(kt_clang.getCursorExtent(function)) != 0);
}

static bool function_is_quiet(struct kt_quiet *q, CXCursor function, CXCursor call)
{
	CXCursor arguments[PARTS];
	struct body b;
	int count = kt_clang.Cursor_getNumArguments(call);

	switch ((int)kt_clang.getCursorKind(function)) {
	case CXCursor_FunctionDecl:
	case CXCursor_FunctionTemplate:
	case CXCursor_CXXMethod:
	case CXCursor_ConversionFunction:
	case CXCursor_Constructor:
		break;
	default:
		return kt_quiet_not(q, "a call through '%s'", kt_quiet_name(q, function));
	}
	if (!kt_quiet_defaults(q, function, call))
		return false;
	b = body_of(function);
	if (is_known(q, function, call, b.found))
		return true;
	if (kt_clang.CXXMethod_isVirtual(function) != 0)
		return kt_quiet_not(q, "'%s' is virtual", kt_quiet_name(q, function));
	if (!b.found && is_generated(function))
		return type_is_quiet(q, kt_clang.getCursorType(kt_clang.getCursorSemanticParent(function)), true, false);
	count = count < 0 ? 0 : count > PARTS ? PARTS : count;
	for (int i = 0; i < count; i++)
		arguments[i] = kt_clang.Cursor_getArgument(call, (unsigned)i);
	return read_quiet_body(q, function, arguments, (size_t)count);
}

static bool is_same_type(CXType a, CXType b)
{
	return kt_clang.equalCursors(kt_clang.getTypeDeclaration(kt_clang.getCanonicalType(a)),
	                             kt_clang.getTypeDeclaration(kt_clang.getCanonicalType(b))) != 0;
}

static enum CXChildVisitResult read_first(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	*(CXCursor *)data = cursor;
	return CXChildVisit_Break;
}

/* In a template it may not be known yet: all that it can be, or a method by its name. */
static bool dependent_is_quiet(struct kt_quiet *q, CXCursor call)
{
	CXCursor callee = kt_clang.getNullCursor(), overloads;
	const char *name;
	unsigned count;

	kt_clang.visitChildren(call, read_first, &callee);
	/* A generated constructor has no body in the tree. */
	if (is_null(callee) || (kt_clang.getCanonicalType(kt_clang.getCursorType(call)).kind == CXType_Record &&
	                        is_same_type(kt_clang.getCursorType(callee), kt_clang.getCursorType(call))))
		return type_is_quiet(q, kt_clang.getCursorType(call), true, false);
	if (kt_clang.isExpression(kt_clang.getCursorKind(callee)) == 0)
		return true; /* T(value), whose operand was judged */
	callee = kt_quiet_inner(callee);
	name = kt_quiet_name(q, callee);
	overloads = kt_clang.getCursorReferenced(callee);
	count = kt_clang.getCursorKind(overloads) == CXCursor_OverloadedDeclRef
		    ? kt_clang.getNumOverloadedDecls(overloads)
		    : 0;
	for (unsigned i = 0; i < count; i++)
		if (!function_is_quiet(q, kt_clang.getOverloadedDecl(overloads, i), call))
			return false;
	if (count > 0)
		return true;
	if (kt_clang.getCursorKind(callee) == CXCursor_MemberRefExpr && is_one_of(name, methods, LENGTH(methods)))
		return true;
	return kt_quiet_not(q, "the effect of '%s' is not known", name);
}

bool kt_quiet_callee(struct kt_quiet *q, CXCursor call)
{
	const CXCursor function = kt_clang.getCursorReferenced(call);

	return is_null(function) || kt_clang.getCursorKind(function) == CXCursor_OverloadedDeclRef
	           ? dependent_is_quiet(q, call)
	           : function_is_quiet(q, function, call);
}

/* ---- streams */

/* Objects are converted to streams unasked. */
static CXCursor asked_of(CXCursor expression)
{
	for (;;) {
		CXCursor inner = kt_quiet_inner(expression), operand;

		if (kt_clang.getCursorKind(inner) != CXCursor_CallExpr ||
		    kt_clang.getCursorKind(kt_clang.getCursorReferenced(inner)) != CXCursor_ConversionFunction ||
		    kt_quiet_operands(&operand, 1, inner) == 0)
			return inner;
		operand = kt_quiet_inner(operand);
		if (kt_clang.getCursorKind(operand) == CXCursor_MemberRefExpr && kt_quiet_operands(&operand, 1, operand) == 0)
			return inner;
		expression = operand;
	}
}

static bool names_stream(const char *name)
{
	const size_t length = strlen(name), word = strlen("stream");

	for (size_t i = 0; i < LENGTH(others); i++)
		if (strncasecmp(name, others[i], strlen(others[i])) == 0)
			return false;
	return length >= word && strcasecmp(name + length - word, "stream") == 0;
}

bool kt_quiet_stream(struct kt_quiet *q, CXCursor expression)
{
	const CXCursor call = asked_of(expression), function = kt_clang.getCursorReferenced(call);

	if (kt_clang.getCursorKind(call) != CXCursor_CallExpr || is_null(function) ||
	    (is_of_project(function) && body_of(function).found) || kt_clang.Cursor_getNumArguments(call) > 0 ||
	    !names_stream(kt_quiet_name(q, function)))
		return kt_quiet_value(q, expression);
	return true;
}
