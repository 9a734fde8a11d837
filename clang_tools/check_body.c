/* The inside of declarations: every node of the tree is of a kind that is allowed, or is refused by name. */
#include <string.h>

#include "check.h"

/* Kinds that are allowed without a look. */
static const int allowed[] = {
	CXCursor_CompoundStmt, CXCursor_CaseStmt, CXCursor_DefaultStmt, CXCursor_IfStmt, CXCursor_SwitchStmt,
	CXCursor_WhileStmt, CXCursor_DoStmt, CXCursor_ForStmt, CXCursor_ContinueStmt, CXCursor_BreakStmt,
	CXCursor_ReturnStmt, CXCursor_NullStmt, CXCursor_DeclStmt, CXCursor_CXXForRangeStmt,
	CXCursor_UnexposedStmt, /* with an attribute: #pragma unroll */
	CXCursor_UnexposedExpr, /* implicit casts, `(… + args)`, what depends on a template parameter */
	CXCursor_IntegerLiteral, CXCursor_FloatingLiteral, CXCursor_CharacterLiteral, CXCursor_ParenExpr,
	CXCursor_UnaryOperator, CXCursor_ArraySubscriptExpr, CXCursor_BinaryOperator, CXCursor_CompoundAssignOperator,
	CXCursor_ConditionalOperator, CXCursor_CStyleCastExpr, CXCursor_CompoundLiteralExpr, CXCursor_InitListExpr,
	CXCursor_UnaryExpr, CXCursor_CXXStaticCastExpr, CXCursor_CXXReinterpretCastExpr, CXCursor_CXXConstCastExpr,
	CXCursor_CXXFunctionalCastExpr, CXCursor_CXXBoolLiteralExpr, CXCursor_CXXNullPtrLiteralExpr,
	CXCursor_PackExpansionExpr, CXCursor_SizeOfPackExpr,
	CXCursor_TypeRef, CXCursor_TemplateRef, CXCursor_NamespaceRef, CXCursor_MemberRef, CXCursor_VariableRef,
	CXCursor_OverloadedDeclRef,
	CXCursor_ParmDecl, CXCursor_TypeAliasDecl, CXCursor_TypedefDecl, CXCursor_TypeAliasTemplateDecl,
	CXCursor_UsingDirective, CXCursor_UsingDeclaration, CXCursor_StaticAssert, CXCursor_TemplateTypeParameter,
	CXCursor_NonTypeTemplateParameter, CXCursor_TemplateTemplateParameter,
};

/* Kinds that have a name in a refusal; all others are a "construct". */
static const struct {
	int kind;
	const char *construct, *message;
} refused[] = {
	{CXCursor_GotoStmt, "goto", "goto is not allowed"},
	{CXCursor_IndirectGotoStmt, "goto", "goto is not allowed"},
	{CXCursor_LabelStmt, "goto", "labels are not allowed"},
	{CXCursor_AddrLabelExpr, "goto", "labels are not allowed"},
	{CXCursor_StmtExpr, "construct", "statements inside of expressions are not allowed"},
	{CXCursor_CXXNewExpr, "allocation", "allocation is not allowed in device code"},
	{CXCursor_CXXDeleteExpr, "allocation", "allocation is not allowed in device code"},
	{CXCursor_CXXTryStmt, "exception", "exceptions are not allowed in device code"},
	{CXCursor_CXXCatchStmt, "exception", "exceptions are not allowed in device code"},
	{CXCursor_CXXThrowExpr, "exception", "exceptions are not allowed in device code"},
	{CXCursor_FunctionDecl, "declaration", "a function is declared inside of another one"},
	{CXCursor_CXXMethod, "type", "structs have fields and nothing else"},
	{CXCursor_Constructor, "type", "structs have fields and nothing else"},
	{CXCursor_Destructor, "type", "structs have fields and nothing else"},
	{CXCursor_CXXBaseSpecifier, "type", "structs have fields and nothing else"},
};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

struct body {
	struct kt_check *check;
	uint32_t at; /* of the last node that is in the text */
	bool inside; /* of a function */
};

/* Does the declaration whose name is at `at` begin with this word? */
static bool declared_with(const struct kt_check *check, uint32_t at, const char *word)
{
	for (size_t i = kt_token_at(&check->tokens, at); i-- > 0;) {
		if (kt_token_is(&check->tokens, i, word))
			return true;
		if (kt_token_is(&check->tokens, i, ";") || kt_token_is(&check->tokens, i, "{") ||
		    kt_token_is(&check->tokens, i, "}"))
			return false;
	}
	return false;
}

static enum CXChildVisitResult find_body(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_CompoundStmt)
		return CXChildVisit_Continue;
	*(CXCursor *)data = cursor;
	return CXChildVisit_Break;
}

/* A lambda anywhere else has a function that the host can call. */
static bool check_lambda(struct body *b, CXCursor cursor)
{
	struct kt_check *check = b->check;
	const struct kt_range extent = kt_check_extent(check, cursor);
	CXCursor body = kt_clang.getNullCursor();
	bool inside = false;

	for (size_t i = 0; i < check->kernel_count; i++)
		inside = inside || (extent.end > extent.begin && check->kernels[i].found &&
		                    extent.begin > check->kernels[i].body.begin && extent.end < check->kernels[i].body.end);
	if (!inside)
		return kt_check_refuse(check, "lambda", b->at, "lambdas are allowed in the body of a kernel alone");
	kt_clang.visitChildren(cursor, find_body, &body);
	const uint32_t end = kt_clang.Cursor_isNull(body) == 0 ? kt_check_extent(check, body).begin : extent.end;
	if (kt_check_has(check, extent.begin, end, "constexpr") || kt_check_has(check, extent.begin, end, "consteval"))
		return kt_check_refuse(check, "lambda", b->at, "a lambda must not be constexpr");
	return true;
}

struct variable {
	bool shared, device, constant;
};

static enum CXChildVisitResult read_variable(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct variable *v = data;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

	(void)parent;
	v->shared = v->shared || kind == CXCursor_CUDASharedAttr;
	v->device = v->device || kind == CXCursor_CUDADeviceAttr;
	v->constant = v->constant || kind == CXCursor_CUDAConstantAttr;
	return CXChildVisit_Continue;
}

static bool check_local(struct body *b, CXCursor cursor)
{
	struct kt_check *check = b->check;
	const char *name = kt_clang_text(check->arena, kt_clang.getCursorSpelling(cursor));
	struct variable v = {.shared = false};
	const bool is_static = declared_with(check, b->at, "static"), is_extern = declared_with(check, b->at, "extern");

	kt_clang.visitChildren(cursor, read_variable, &v);
	if (name == NULL || !kt_check_name(check, name, b->at))
		return false;
	if (v.device || v.constant || (is_static && !v.shared && !declared_with(check, b->at, "constexpr")))
		return kt_check_refuse(check, "static-data", b->at, "%.60s: data that outlives the launch is not allowed",
		                       name);
	if (is_extern && !v.shared)
		return kt_check_refuse(check, "linkage", b->at, "extern is allowed for dynamic shared memory alone");
	if (!is_extern)
		return true;
	/* Two variants in one file may give it different types: it is called differently in each. */
	return kt_check_declare(check, name, kt_check_at(check, cursor));
}

static bool is_const(CXType type)
{
	CXType element = kt_clang.getCanonicalType(type);

	for (CXType inner = kt_clang.getArrayElementType(element); inner.kind != CXType_Invalid;
	     inner = kt_clang.getArrayElementType(element))
		element = inner;
	return kt_clang.isConstQualifiedType(element) != 0;
}

bool kt_check_use(struct kt_check *check, CXCursor cursor, uint32_t at)
{
	CXCursor target = kt_clang.getCursorReferenced(cursor);
	enum CXCursorKind around;
	uint32_t ignored;

	if (kt_clang.Cursor_isNull(target) != 0 ||
	    kt_check_place(&ignored, check, kt_clang.getCursorLocation(target)))
		return true;
	const char *name = kt_clang_text(check->arena, kt_clang.getCursorSpelling(target));
	if (name == NULL || kt_check_is_known(check, name, strlen(name)))
		return true;
	around = kt_clang.getCursorKind(kt_clang.getCursorSemanticParent(target));
	if (kt_clang.getCursorKind(target) == CXCursor_VarDecl && around != CXCursor_FunctionDecl &&
	    around != CXCursor_FunctionTemplate && !is_const(kt_clang.getCursorType(target)))
		return kt_check_refuse(check, "global-data", at,
		                       "%.60s: global data that the original kernel does not use", name);
	return true;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct body *b = data;
	struct kt_check *check = b->check;
	const int kind = (int)kt_clang.getCursorKind(cursor);
	bool fine = true;

	(void)parent;
	(void)kt_check_place(&b->at, check, kt_clang.getCursorLocation(cursor));
	for (size_t i = 0; i < COUNT(allowed); i++)
		if (allowed[i] == kind)
			return CXChildVisit_Recurse;
	for (size_t i = 0; i < COUNT(refused); i++)
		if (refused[i].kind == kind) {
			kt_check_refuse(check, refused[i].construct, b->at, "%s", refused[i].message);
			return CXChildVisit_Break;
		}
	switch (kind) {
	case CXCursor_VarDecl:
		fine = check_local(b, cursor);
		break;
	case CXCursor_DeclRefExpr:
	case CXCursor_MemberRefExpr:
	case CXCursor_CallExpr:
		fine = kt_check_use(check, cursor, b->at);
		break;
	case CXCursor_StringLiteral: {
		size_t token = kt_token_at(&check->tokens, b->at);

		/* Those that are written here have been looked at. */
		if (token == check->tokens.count || check->tokens.tokens[token].kind != KT_TOKEN_STRING)
			fine = kt_check_refuse(check, "string-literal", b->at, "strings are not allowed");
		break;
	}
	case CXCursor_LambdaExpr:
		fine = check_lambda(b, cursor);
		break;
	case CXCursor_StructDecl:
	case CXCursor_UnionDecl:
	case CXCursor_EnumDecl:
		fine = kt_check_type(check, cursor, b->inside);
		return fine ? CXChildVisit_Continue : CXChildVisit_Break;
	case CXCursor_GCCAsmStmt:
	case CXCursor_MSAsmStmt:
		if (!check->allow_assembly)
			fine = kt_check_refuse(check, "inline-assembly", b->at, "inline assembly is not allowed");
		break;
	default:
		if (kt_clang.isAttribute((enum CXCursorKind)kind) != 0)
			fine = kt_check_attribute(check, cursor, b->at);
		else
			fine = kt_check_refuse(check, "construct", b->at, "this construct is not allowed");
	}
	return fine ? CXChildVisit_Recurse : CXChildVisit_Break;
}

bool kt_check_body(struct kt_check *check, CXCursor cursor)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	struct body b = {check, 0, kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate};

	(void)kt_check_place(&b.at, check, kt_clang.getCursorLocation(cursor));
	kt_clang.visitChildren(cursor, visit, &b);
	return check->construct == NULL;
}
