/*
 * Functions that compute a number in inline assembly: `asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(i) : "f"(x))`. Such a function is called by
 * its name, as the toolkit's are: its value depends on its arguments alone, where
 *
 * - it takes numbers and vectors of them, and gives one;
 * - it names its own variables, none of which is a pointer, shared or static, and calls functions of the same kind alone;
 * - no pointer is made from a number;
 * - each instruction is one of the table below, on operands: none that loads, stores, branches, waits, or reads a special register.
 *
 * The text of the assembly is what libclang prints of the function: it has no other access to it.
 */
#include <ctype.h>
#include <string.h>

#include "lower_internal.h"

enum { MOST_NESTED = 8, MOST_PARAMETERS = 8 };

/* ---- The instructions ---- */

static bool is_one_of(const char *word, size_t size, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i]) == size && memcmp(words[i], word, size) == 0)
			return true;
	return false;
}

/* Operations of PTX on registers; those that take or set the carry flag have `.cc` or are not here. */
static const char *const operations[] = {
    ".reg", "abs",  "add",  "and",  "bfe",  "bfi",  "bfind", "bmsk", "brev",  "clz", "cnot", "copysign", "cos",   "cvt",
    "div",  "dp2a", "dp4a", "ex2",  "fma",  "fns",  "lg2",   "lop3", "mad",   "max", "min",  "mov",      "mul",   "neg",
    "not",  "or",   "popc", "prmt", "rcp",  "rem",  "rsqrt", "sad",  "selp",  "set", "setp", "shf",      "shl",   "shr",
    "sin",  "slct", "sqrt", "sub",  "szext", "tanh", "testp", "xor",  "mad24", "mul24",
};

static size_t size_of_word(const char *text, const char *end)
{
	size_t size = 0;

	while (text + size < end && (isalnum((unsigned char)text[size]) != 0 || (size == 0 && *text == '.')))
		size++;
	return size;
}

/* An instruction, or nothing but blanks and braces. */
static bool is_operation(const char *text, const char *end)
{
	size_t size;

	while (text < end && (isspace((unsigned char)*text) != 0 || *text == '{' || *text == '}'))
		text++;
	if (text == end)
		return true;
	size = size_of_word(text, end);
	if (!is_one_of(text, size, operations, sizeof operations / sizeof *operations))
		return false;
	for (const char *at = text; at < end; at++)
		if (strchr("[]@\\", *at) != NULL || (*at == '%' && (at + 1 == end || isdigit((unsigned char)at[1]) == 0)) ||
		    (*at == '.' && end - at > 2 && strncmp(at, ".cc", 3) == 0 && (end - at == 3 || isalnum((unsigned char)at[3]) == 0)))
			return false;
	return true;
}

/* The characters that a literal stands for, where its escapes are blanks: "…\n\t…". */
static bool add_literal(struct kt_buf *out, const char *text, size_t size)
{
	for (size_t i = 1; i + 1 < size; i++) {
		if (text[i] == '\\' && text[i + 1] != 'n' && text[i + 1] != 't')
			return false;
		kt_buf_addc(out, text[i] == '\\' ? ' ' : text[i]);
		i += text[i] == '\\';
	}
	return true;
}

static bool are_operations(const char *text)
{
	for (const char *end;; text = end + 1) {
		end = text + strcspn(text, ";");
		if (!is_operation(text, end))
			return false;
		if (*end == '\0')
			return true;
	}
}

/* ---- Statements of assembly ---- */

/* "=r", "+f", "n": a register or a number. */
static bool is_constraint(const char *text, size_t size)
{
	const size_t first = size > 3 && (text[1] == '=' || text[1] == '+') ? 2 : 1;

	return size == first + 2 && text[0] == '"' && strchr("hrlfdn", text[first]) != NULL;
}

/* After ":": `"r" (value), …` up to the next ":" or ")". 0: it is another list. */
static size_t operands_end(const struct kt_text *text, size_t at)
{
	while (text->tokens[at].kind == KT_TOKEN_STRING) {
		const struct kt_token *token = &text->tokens[at];

		if (!is_constraint(text->data + token->begin, token->end - token->begin) || !kt_token_is(text, at + 1, "("))
			return 0;
		at = kt_token_match(text, at + 1) + 1;
		if (at >= text->count)
			return 0;
		if (!kt_token_is(text, at, ","))
			break;
		at++;
	}
	return at;
}

/* What `asm` begins, at its "(". */
static bool is_statement(const struct kt_text *text, size_t open)
{
	const size_t close = kt_token_match(text, open);
	struct kt_buf code = KT_BUF(KT_LIMIT_LINE_BYTES);
	size_t at = open + 1;
	bool is_right = close < text->count;

	for (; is_right && text->tokens[at].kind == KT_TOKEN_STRING; at++)
		is_right = add_literal(&code, text->data + text->tokens[at].begin, text->tokens[at].end - text->tokens[at].begin);
	is_right = is_right && !code.failed && are_operations(kt_buf_text(&code));
	kt_buf_free(&code);
	for (int list = 0; is_right && list < 2 && (kt_token_is(text, at, ":") || kt_token_is(text, at, "::")); list++) {
		list += kt_token_is(text, at, "::");
		at = operands_end(text, at + 1);
		is_right = at > 0;
	}
	return is_right && at == close;
}

/* All assembly that the printed function has. *count: how many statements. */
static bool are_statements(struct kt_lower *l, CXCursor function, size_t *count)
{
	const char *printed = kt_lower_printed(l, function);
	struct kt_text text;
	struct kt_error err;

	*count = 0;
	if (strstr(printed, "asm") == NULL || kt_lex(&text, l->arena, printed, 0, strlen(printed), true, &err) != KT_OK)
		return false;
	for (size_t i = 0; i + 2 < text.count; i++) {
		if (!kt_token_is(&text, i, "asm"))
			continue;
		i += kt_token_is(&text, i + 1, "volatile");
		if (!kt_token_is(&text, i + 1, "(") || !is_statement(&text, i + 1))
			return false;
		++*count;
	}
	return true;
}

/* ---- The function around them ---- */

struct inside {
	struct kt_lower *l;
	struct kt_lower_map own; /* variables */
	unsigned depth;
	size_t assembly; /* statements */
	bool is_pure;
};

static bool is_pointer(CXType type)
{
	const enum CXTypeKind kind = kt_clang.getCanonicalType(type).kind;

	return kind == CXType_Pointer || kind == CXType_MemberPointer || kind == CXType_ObjCObjectPointer;
}

static bool is_number(struct kt_lower *l, CXType type)
{
	const CXType plain = kt_clang.getCanonicalType(type);
	const bool is_const_reference = plain.kind == CXType_LValueReference &&
					kt_clang.isConstQualifiedType(kt_clang.getPointeeType(plain)) != 0;
	const struct kt_ir_type *made = kt_lower_type(l, is_const_reference ? kt_clang.getPointeeType(plain) : plain);

	l->why = NULL;
	return made != NULL && (kt_ir_is_scalar(made) || made->kind == KT_IR_VECTOR) && made->kind != KT_IR_POINTER;
}

static bool is_pure(struct kt_lower *l, CXCursor function, unsigned depth);

static bool may_call(struct inside *f, CXCursor function)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(function);

	if (kt_clang.Cursor_isNull(function) != 0)
		return false;
	if (kt_lower_is_system(function))
		return kt_lower_only_computes(f->l, function) || kind == CXCursor_ConversionFunction || kind == CXCursor_Constructor;
	return kind == CXCursor_FunctionDecl && is_pure(f->l, function, f->depth + 1);
}

/* A variable that each call has for itself, and that leads nowhere. */
static bool is_plain_variable(CXCursor variable)
{
	return kt_clang.Cursor_getStorageClass(variable) != CX_SC_Static && !is_pointer(kt_clang.getCursorType(variable));
}

static bool may_name(const struct inside *f, CXCursor target)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(target);

	return kt_lower_find(&f->own, target) != NULL || kind == CXCursor_EnumConstantDecl ||
	       kind == CXCursor_NonTypeTemplateParameter || kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod ||
	       kind == CXCursor_ConversionFunction;
}

/* A pointer that is cast from a number, or read from memory that was seen as one, may lead anywhere. */
static bool may_cast(const struct inside *f, CXCursor cast)
{
	const struct kt_lower_children c = kt_lower_children(f->l, cast);
	CXType from;

	if (!is_pointer(kt_clang.getCursorType(cast)))
		return true;
	if (c.count == 0 || is_pointer(kt_clang.getPointeeType(kt_clang.getCanonicalType(kt_clang.getCursorType(cast)))))
		return false;
	from = kt_clang.getCanonicalType(kt_clang.getCursorType(c.items[c.count - 1]));
	return is_pointer(from) || from.kind == CXType_ConstantArray;
}

static bool is_allowed(struct inside *f, CXCursor cursor)
{
	switch (kt_clang.getCursorKind(cursor)) {
	case CXCursor_VarDecl:
		return is_plain_variable(cursor) && kt_lower_put(&f->own, f->l->arena, cursor, f);
	case CXCursor_ParmDecl:
		return kt_lower_put(&f->own, f->l->arena, cursor, f);
	case CXCursor_DeclRefExpr:
		return may_name(f, kt_lower_referenced(cursor));
	case CXCursor_MemberRefExpr:
	case CXCursor_ArraySubscriptExpr:
		return !is_pointer(kt_clang.getCursorType(cursor));
	case CXCursor_CallExpr:
		return may_call(f, kt_lower_called(cursor));
	case CXCursor_CStyleCastExpr:
	case CXCursor_CXXReinterpretCastExpr:
	case CXCursor_CXXStaticCastExpr:
	case CXCursor_CXXFunctionalCastExpr:
		return may_cast(f, cursor);
	case CXCursor_GCCAsmStmt:
		f->assembly++;
		return true;
	case CXCursor_MSAsmStmt:
	case CXCursor_CUDASharedAttr:
	case CXCursor_CUDAConstantAttr:
	case CXCursor_GotoStmt:
	case CXCursor_IndirectGotoStmt:
	case CXCursor_LambdaExpr:
	case CXCursor_CXXNewExpr:
	case CXCursor_CXXDeleteExpr:
	case CXCursor_CXXThrowExpr:
	case CXCursor_CXXThisExpr:
	case CXCursor_StmtExpr:
		return false;
	default:
		return true;
	}
}

static enum CXChildVisitResult look(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct inside *f = data;

	(void)parent;
	f->is_pure = is_allowed(f, cursor) && !f->l->failed;
	return f->is_pure ? CXChildVisit_Recurse : CXChildVisit_Break;
}

static bool takes_numbers(struct kt_lower *l, CXCursor function)
{
	const CXType type = kt_lower_canonical(function);
	const int count = kt_clang.getNumArgTypes(type);

	if (kt_clang.isFunctionTypeVariadic(type) != 0 || count > MOST_PARAMETERS || !is_number(l, kt_clang.getResultType(type)))
		return false;
	for (int i = 0; i < count; i++)
		if (!is_number(l, kt_clang.getArgType(type, (unsigned)i)))
			return false;
	return true;
}

static bool is_pure(struct kt_lower *l, CXCursor cursor, unsigned depth)
{
	const CXCursor definition = kt_clang.getCursorDefinition(cursor);
	struct inside f = {.l = l, .depth = depth, .is_pure = true};
	size_t printed;

	if (depth > MOST_NESTED || kt_clang.Cursor_isNull(definition) != 0 || !takes_numbers(l, definition))
		return false;
	kt_clang.visitChildren(definition, look, &f);
	if (!f.is_pure || f.assembly == 0)
		return f.is_pure;
	return are_statements(l, definition, &printed) && printed == f.assembly;
}

static enum CXChildVisitResult find_assembly(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	*(bool *)data = kt_clang.getCursorKind(cursor) == CXCursor_GCCAsmStmt;
	return *(bool *)data ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* ---- The call ---- */

/* "::outer::name"; NULL: it is a member of a class, or of a function. */
static const char *full_name(struct kt_lower *l, CXCursor function)
{
	const char *name = kt_lower_spelling(l, function);

	for (CXCursor at = kt_clang.getCursorSemanticParent(function); kt_clang.getCursorKind(at) != CXCursor_TranslationUnit;
	     at = kt_clang.getCursorSemanticParent(at)) {
		const enum CXCursorKind kind = kt_clang.getCursorKind(at);

		const char *outer = kt_lower_spelling(l, at);

		if (kind != CXCursor_LinkageSpec && kind != CXCursor_Namespace)
			return NULL;
		/* A namespace without a name is "" or "(anonymous namespace)". */
		if (kind == CXCursor_Namespace && outer[0] != '\0' && outer[0] != '(')
			name = kt_arena_printf(l->arena, "%s::%s", outer, name);
	}
	return kt_arena_printf(l->arena, "::%s", name);
}

static const struct kt_ir_value *argument(struct kt_lower *l, CXCursor call, CXCursor given, CXType type)
{
	const CXType plain = kt_clang.getCanonicalType(type);
	const struct kt_ir_type *wanted =
	    kt_lower_type(l, plain.kind == CXType_LValueReference ? kt_clang.getPointeeType(plain) : plain);
	const struct kt_ir_value *value = wanted == NULL ? NULL : kt_lower_as(l, kt_lower_value(l, given), wanted);

	return value != NULL && kt_lower_sets(l, call, value)
		   ? kt_ir_read(l->module, kt_ir_let(l->module, l->body->region, "", value))
		   : value;
}

const struct kt_ir_value *kt_lower_assembly(struct kt_lower *l, CXCursor call, CXCursor function, bool *is_one)
{
	const struct kt_lower_children arguments = kt_lower_arguments(l, call);
	const CXType type = kt_lower_canonical(function);
	const struct kt_ir_value *values[MOST_PARAMETERS];
	const struct kt_ir_type *result;
	const char *name;
	bool has_assembly = false;

	*is_one = false;
	if (kt_clang.getCursorKind(function) != CXCursor_FunctionDecl || (name = full_name(l, function)) == NULL)
		return NULL;
	kt_clang.visitChildren(kt_clang.getCursorDefinition(function), find_assembly, &has_assembly);
	if (!has_assembly || !is_pure(l, function, 0) || arguments.count != (size_t)kt_clang.getNumArgTypes(type))
		return NULL;
	*is_one = true;
	result = kt_lower_type(l, kt_clang.getResultType(type));
	for (size_t i = 0; i < arguments.count; i++)
		if ((values[i] = argument(l, call, arguments.items[i], kt_clang.getArgType(type, (unsigned)i))) == NULL)
			return NULL;
	return result == NULL ? NULL : kt_ir_intrinsic(l->module, name, result, values, arguments.count);
}
