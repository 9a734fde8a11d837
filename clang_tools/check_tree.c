/* The declarations of a text: which there are, that they cover all of it, and what a kernel's must look like. */
#include <ctype.h>
#include <string.h>

#include "check.h"

/* What the runtime and the language call their own. */
static const char *const taken[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize",
                                    "main",      "std",      "cuda",     "nv"};

/* Specifiers in front of a declaration that libclang does not count to it, and words that take brackets. */
static const char *const specifiers[] = {
	"__device__", "__global__", "__forceinline__", "__noinline__", "__inline__", "__inline", "inline", "static",
	"constexpr", "const", "volatile", "typename", "struct", "union", "enum", "class", "using", "typedef",
	"__shared__", "__grid_constant__",
};
static const char *const with_brackets[] = {"__launch_bounds__", "__maxnreg__", "__align__", "alignas"};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

bool kt_check_in(const char *const *list, size_t count, const char *name)
{
	return kt_has_text(list, count, name);
}

char *kt_check_spelling(const struct kt_check *check, CXCursor cursor)
{
	char *name = kt_clang_text(check->arena, kt_clang.getCursorSpelling(cursor));

	return name != NULL ? name : "";
}

bool kt_check_place(uint32_t *at, const struct kt_check *check, CXSourceLocation location)
{
	CXFile file = NULL;
	unsigned line = 0, column = 0, offset = 0;

	kt_clang.getFileLocation(location, &file, &line, &column, &offset);
	if (file == NULL || kt_clang.File_isEqual(file, check->file) == 0 || offset < check->text_at ||
	    offset > check->text_at + check->size)
		return false;
	*at = offset - check->text_at;
	return true;
}

uint32_t kt_check_at(const struct kt_check *check, CXCursor cursor)
{
	uint32_t at = 0;

	(void)kt_check_place(&at, check, kt_clang.getCursorLocation(cursor));
	return at;
}

bool kt_check_name(struct kt_check *check, const char *name, uint32_t at)
{
	if (name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1])))
		return kt_check_refuse(check, "reserved-name", at, "%.60s: names that begin like this are the compiler's",
		                       name);
	if (kt_check_in(taken, COUNT(taken), name) || (strncmp(name, "cuda", 4) == 0 && isupper((unsigned char)name[4])))
		return kt_check_refuse(check, "reserved-name", at, "%.60s: this name is taken", name);
	return true;
}

bool kt_check_attribute(struct kt_check *check, CXCursor attribute, uint32_t where)
{
	switch ((int)kt_clang.getCursorKind(attribute)) {
	case CXCursor_UnexposedAttr: /* launch bounds, inlining: the words that make others are refused in the text */
	case CXCursor_AlignedAttr:
	case CXCursor_CUDADeviceAttr:
	case CXCursor_CUDAGlobalAttr:
	case CXCursor_CUDASharedAttr:
	case CXCursor_WarnUnusedResultAttr:
		return true;
	case CXCursor_CUDAHostAttr:
		return kt_check_refuse(check, "host-code", where, "host code is not allowed: functions are __device__");
	case CXCursor_CUDAConstantAttr:
		return kt_check_refuse(check, "static-data", where, "constant memory is not allowed: use constexpr values");
	case CXCursor_AsmLabelAttr:
		return kt_check_refuse(check, "inline-assembly", where, "a name for the assembler is not allowed");
	default:
		return kt_check_refuse(check, "attribute", where, "this attribute is not allowed");
	}
}

/* What the direct children of a declaration state about it. */
struct traits {
	struct kt_check *check;
	uint32_t at;
	bool device, global, shared, body;
	CXCursor statement;
};

static enum CXChildVisitResult read_trait(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct traits *t = data;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

	(void)parent;
	if (kt_clang.isAttribute(kind) != 0 && !kt_check_attribute(t->check, cursor, t->at))
		return CXChildVisit_Break;
	t->device = t->device || kind == CXCursor_CUDADeviceAttr;
	t->global = t->global || kind == CXCursor_CUDAGlobalAttr;
	t->shared = t->shared || kind == CXCursor_CUDASharedAttr;
	if (kind == CXCursor_CompoundStmt) {
		t->body = true;
		t->statement = cursor;
	}
	return CXChildVisit_Continue;
}

static bool add_name(struct kt_check *check, const char *name, uint32_t at)
{
	if (name[0] == '\0' || name[0] == '(')
		return true;
	if (!kt_check_name(check, name, at))
		return false;
	if (kt_check_in(check->parameters, check->parameter_count, name))
		return kt_check_refuse(check, "name-clash", at, "%.60s is a parameter", name);
	return kt_check_declare(check, name, at);
}

struct kt_range kt_check_extent(const struct kt_check *check, CXCursor cursor)
{
	CXSourceRange range = kt_clang.getCursorExtent(cursor);
	struct kt_range out = {0, 0};

	if (!kt_check_place(&out.begin, check, kt_clang.getRangeStart(range)) ||
	    !kt_check_place(&out.end, check, kt_clang.getRangeEnd(range)))
		return (struct kt_range){0, 0};
	return out;
}

/* As the front end understands it: a macro of the kernel's may bring the word along. */
static bool is_constexpr(const struct kt_check *check, CXCursor cursor)
{
	CXPrintingPolicy policy = kt_clang.getCursorPrintingPolicy(cursor);
	struct kt_text tokens;
	struct kt_error ignored;
	const char *text;
	bool found = false;

	kt_clang.PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
	text = kt_clang_text(check->arena, kt_clang.getCursorPrettyPrinted(cursor, policy));
	kt_clang.PrintingPolicy_dispose(policy);
	if (text == NULL || kt_lex(&tokens, check->arena, text, 0, strlen(text), false, &ignored) != KT_OK)
		return true;
	for (size_t i = 0; i < tokens.count; i++)
		found = found || kt_token_is(&tokens, i, "constexpr") || kt_token_is(&tokens, i, "consteval");
	return found;
}

/* One name is one function: which of several a call means may depend on what is around it. */
static bool add_function(struct kt_check *check, const char *name, uint32_t at)
{
	if (kt_check_in(check->names, check->name_count, name))
		return kt_check_refuse(check, "overload", at, "%.60s is declared already: overloads are not allowed", name);
	return add_name(check, name, at);
}

static bool check_function(struct kt_check *check, struct kt_check_item *item, CXCursor cursor)
{
	struct traits t = {.check = check, .at = kt_check_at(check, cursor)};
	const char *name = kt_check_spelling(check, cursor);

	item->is_function = true;
	item->name_at = t.at;
	kt_clang.visitChildren(cursor, read_trait, &t);
	if (check->construct != NULL)
		return false;
	if (kt_clang.Cursor_isNull(kt_clang.getSpecializedCursorTemplate(cursor)) == 0)
		return kt_check_refuse(check, "specialisation", t.at, "specialisations are not allowed: use if constexpr");
	if (is_constexpr(check, cursor))
		return kt_check_refuse(check, "constexpr-function", t.at,
		                       "%.60s: a constexpr function is one of the host as well", name);
	if (!t.body)
		return kt_check_refuse(check, "declaration", t.at,
		                       "%.60s has no body here: define helpers before their use", name);
	if (t.global) {
		if (!kt_check_kernel(check, item, cursor, t.statement))
			return false;
	} else if (!t.device) {
		return kt_check_refuse(check, "host-code", t.at, "%.60s is a host function: helpers are __device__", name);
	} else if (!add_function(check, name, t.at)) {
		return false;
	}
	return kt_check_body(check, cursor);
}

static bool check_variable(struct kt_check *check, struct kt_check_item *item, CXCursor cursor)
{
	struct traits t = {.check = check, .at = kt_check_at(check, cursor)};
	const char *name = kt_check_spelling(check, cursor);

	item->name_at = t.at;
	kt_clang.visitChildren(cursor, read_trait, &t);
	if (check->construct != NULL)
		return false;
	if (t.device || t.shared || !kt_check_has(check, item->extent.begin, t.at, "constexpr"))
		return kt_check_refuse(check, "static-data", t.at,
		                       "%.60s: only constexpr values are allowed outside of functions", name);
	return add_name(check, name, t.at) && kt_check_body(check, cursor);
}

static enum CXChildVisitResult read_member(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct kt_check *check = data;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	uint32_t at = kt_check_at(check, cursor);
	const char *name = kt_check_spelling(check, cursor);
	bool fine = true;

	(void)parent;
	switch ((int)kind) {
	case CXCursor_FieldDecl: {
		const char **slot = kt_arena_push(check->arena, &check->fields, &check->field_count, sizeof *slot);

		fine = slot != NULL && kt_check_name(check, name, at) && kt_check_body(check, cursor);
		if (slot != NULL)
			*slot = name;
		break;
	}
	case CXCursor_EnumConstantDecl:
		/* The name is scoped by its enumeration or local to a function: other code cannot reach it. */
		fine = kt_check_name(check, name, at) && kt_check_body(check, cursor);
		break;
	case CXCursor_TemplateTypeParameter:
	case CXCursor_NonTypeTemplateParameter:
	case CXCursor_TypeRef:
	case CXCursor_TemplateRef:
	case CXCursor_NamespaceRef:
		break;
	default:
		if (kt_clang.isAttribute(kind) != 0)
			fine = kt_check_attribute(check, cursor, at);
		else
			fine = kt_check_refuse(check, "type", at, "structs have fields and nothing else");
	}
	return fine ? CXChildVisit_Continue : CXChildVisit_Break;
}

bool kt_check_type(struct kt_check *check, CXCursor cursor, bool inside)
{
	if (!inside && kt_clang.getCursorKind(cursor) == CXCursor_EnumDecl && kt_clang.EnumDecl_isScoped(cursor) == 0)
		return kt_check_refuse(check, "enumerator", kt_check_at(check, cursor),
		                       "outside of functions an enumeration is an enum class");
	kt_clang.visitChildren(cursor, read_member, check);
	return check->construct == NULL;
}

static bool check_item(struct kt_check *check, struct kt_check_item *item, CXCursor cursor)
{
	const uint32_t at = kt_check_at(check, cursor);

	item->name_at = UINT32_MAX;
	item->kernel = SIZE_MAX;
	switch ((int)kt_clang.getCursorKind(cursor)) {
	case CXCursor_FunctionDecl:
	case CXCursor_FunctionTemplate:
		return check_function(check, item, cursor);
	case CXCursor_VarDecl:
		return check_variable(check, item, cursor);
	case CXCursor_TypeAliasDecl:
	case CXCursor_TypedefDecl:
	case CXCursor_TypeAliasTemplateDecl:
		return add_name(check, kt_check_spelling(check, cursor), at) && kt_check_body(check, cursor);
	case CXCursor_StructDecl:
	case CXCursor_UnionDecl:
	case CXCursor_ClassTemplate:
	case CXCursor_EnumDecl:
		if (kt_clang.Cursor_isNull(kt_clang.getSpecializedCursorTemplate(cursor)) == 0)
			return kt_check_refuse(check, "specialisation", at, "specialisations are not allowed: use if constexpr");
		return add_name(check, kt_check_spelling(check, cursor), at) && kt_check_type(check, cursor, false);
	case CXCursor_StaticAssert:
		return kt_check_body(check, cursor);
	case CXCursor_ClassTemplatePartialSpecialization:
		return kt_check_refuse(check, "specialisation", at, "specialisations are not allowed: use if constexpr");
	case CXCursor_UsingDirective:
	case CXCursor_UsingDeclaration:
		return kt_check_refuse(check, "using", at,
		                       "write it inside of the function: here it would reach the user's code");
	case CXCursor_Namespace:
	case CXCursor_NamespaceAlias:
		return kt_check_refuse(check, "namespace", at, "namespaces are not allowed");
	case CXCursor_LinkageSpec:
		return kt_check_refuse(check, "linkage", at, "extern \"C\" is not allowed");
	default:
		return kt_check_refuse(check, "declaration", at, "a declaration of this kind is not allowed");
	}
}

static enum CXChildVisitResult visit_item(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct kt_check *check = data;
	uint32_t at;

	(void)parent;
	if (!kt_check_place(&at, check, kt_clang.getCursorLocation(cursor)))
		return CXChildVisit_Continue;
	if (check->item_count == KT_CHECK_DECLARATIONS) {
		kt_check_refuse(check, "too-long", at, "more than %d declarations", KT_CHECK_DECLARATIONS);
		return CXChildVisit_Break;
	}
	struct kt_check_item *item = kt_arena_push(check->arena, &check->items, &check->item_count, sizeof *item);
	if (item == NULL) {
		kt_check_refuse(check, "too-long", at, "out of memory");
		return CXChildVisit_Break;
	}
	item->extent = kt_check_extent(check, cursor);
	if (item->extent.end <= item->extent.begin) {
		kt_check_refuse(check, "declaration", at, "a declaration that a macro makes");
		return CXChildVisit_Break;
	}
	return check_item(check, item, cursor) ? CXChildVisit_Continue : CXChildVisit_Break;
}

/* Before the text, its namespace is the last one of its name; after the text only its end may follow. */
static enum CXChildVisitResult visit_outside(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct kt_check *check = data;
	CXFile file = NULL;
	unsigned line = 0, column = 0, offset = 0;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

	(void)parent;
	if (kt_clang.isDeclaration(kind) == 0)
		return CXChildVisit_Continue;
	kt_clang.getFileLocation(kt_clang.getRangeEnd(kt_clang.getCursorExtent(cursor)), &file, &line, &column, &offset);
	if (file == NULL || kt_clang.File_isEqual(file, check->file) == 0 || offset < check->text_at)
		return CXChildVisit_Continue;
	kt_clang.getFileLocation(kt_clang.getCursorLocation(cursor), &file, &line, &column, &offset);
	if (kind == CXCursor_Namespace && offset == check->scope_at) {
		check->scope = cursor;
		kt_clang.visitChildren(cursor, visit_item, check);
		return CXChildVisit_Continue;
	}
	if (kind == CXCursor_Namespace && offset < check->scope_at)
		return CXChildVisit_Recurse;
	/* What the compiler makes of a template of the text; one that is written there has been seen in its place. */
	if (kt_clang.Cursor_isNull(kt_clang.getSpecializedCursorTemplate(cursor)) == 0 && offset >= check->text_at)
		return CXChildVisit_Continue;
	kt_check_refuse(check, "outside", offset >= check->text_at ? offset - check->text_at : 0,
	                "a declaration outside of the kernel's scope");
	return CXChildVisit_Break;
}

static bool is_specifier(const struct kt_check *check, size_t *index)
{
	const struct kt_token *token = &check->tokens.tokens[*index];
	const char *name = check->text + token->begin;
	const size_t length = token->end - token->begin;

	for (size_t i = 0; i < COUNT(specifiers); i++)
		if (strlen(specifiers[i]) == length && memcmp(specifiers[i], name, length) == 0)
			return true;
	for (size_t i = 0; i < COUNT(with_brackets); i++)
		if (strlen(with_brackets[i]) == length && memcmp(with_brackets[i], name, length) == 0 &&
		    kt_token_is(&check->tokens, *index + 1, "(")) {
			*index = kt_token_match(&check->tokens, *index + 1);
			return true;
		}
	if (kt_token_is(&check->tokens, *index, "[") && kt_token_is(&check->tokens, *index + 1, "[")) {
		*index = kt_token_match(&check->tokens, *index);
		return true;
	}
	return false;
}

/* Every token belongs to a declaration that was looked at, to the specifiers in front of one, or is its ";". */
static bool check_cover(struct kt_check *check)
{
	const struct kt_text *t = &check->tokens;
	uint32_t covered = 0;
	size_t next = 0, begin = SIZE_MAX;

	for (size_t i = 0; i < t->count; i++) {
		const struct kt_token *token = &t->tokens[i];

		while (next < check->item_count && check->items[next].extent.begin <= token->begin) {
			struct kt_check_item *item = &check->items[next++];

			if (begin != SIZE_MAX)
				item->extent.begin = t->tokens[begin].begin;
			begin = SIZE_MAX;
			if (item->extent.end > covered)
				covered = item->extent.end;
		}
		if (token->begin < covered)
			continue;
		if (kt_token_is(t, i, ";") && begin == SIZE_MAX) {
			if (next > 0)
				check->items[next - 1].extent.end = token->end;
			continue;
		}
		if (begin == SIZE_MAX)
			begin = i;
		if (next == check->item_count || !is_specifier(check, &i))
			return kt_check_refuse(check, "declaration", token->begin,
			                       "text that belongs to no declaration that is allowed");
	}
	return true;
}

/* The front end's own errors: those that have a name among ours. */
static const char *construct_of(const char *message)
{
	static const struct {
		const char *words, *construct;
	} known[] = {{"__host__ function", "host-code"},
	             {"__global__ function", "launch"},
	             {"recursive template instantiation", "template-depth"}};

	for (size_t i = 0; i < COUNT(known); i++)
		if (strstr(message, known[i].words) != NULL)
			return known[i].construct;
	return "syntax";
}

/* An error in the text means that its tree is not what another compiler would see. */
static bool check_diagnostics(struct kt_check *check)
{
	unsigned count = kt_clang.getNumDiagnostics(check->unit);

	for (unsigned i = 0; i < count && check->construct == NULL; i++) {
		CXDiagnostic diagnostic = kt_clang.getDiagnostic(check->unit, i);
		enum CXDiagnosticSeverity severity = kt_clang.getDiagnosticSeverity(diagnostic);
		const char *message = kt_clang_text(check->arena, kt_clang.getDiagnosticSpelling(diagnostic));
		uint32_t at = 0;
		bool here = kt_check_place(&at, check, kt_clang.getDiagnosticLocation(diagnostic));

		if (message == NULL)
			message = "an error";
		if (here && severity >= CXDiagnostic_Error)
			kt_check_refuse(check, construct_of(message), at, "%.600s", message);
		else if (severity == CXDiagnostic_Fatal)
			kt_check_refuse(check, "context", 0, "%.600s", message);
		kt_clang.disposeDiagnostic(diagnostic);
	}
	return check->construct == NULL;
}

/* A function that uses its own name calls itself; one of a later name has been refused for lack of a declaration. */
static bool check_recursion(struct kt_check *check)
{
	for (size_t n = 0; n < check->item_count; n++) {
		const struct kt_check_item *item = &check->items[n];

		if (!item->is_function)
			continue;
		for (size_t i = kt_token_at(&check->tokens, item->name_at + 1); i < check->tokens.count; i++) {
			const struct kt_token *token = &check->tokens.tokens[i], *own = NULL;
			size_t name = kt_token_at(&check->tokens, item->name_at);

			if (token->begin >= item->extent.end)
				break;
			own = &check->tokens.tokens[name];
			if (token->kind == KT_TOKEN_NAME && token->end - token->begin == own->end - own->begin &&
			    memcmp(check->text + token->begin, check->text + own->begin, token->end - token->begin) == 0)
				return kt_check_refuse(check, "recursion", token->begin, "a function must not use its own name");
		}
	}
	return true;
}

/* A kernel's name anywhere but in its definition would be a launch or an address. */
static bool check_kernel_names(struct kt_check *check)
{
	for (size_t k = 0; k < check->kernel_count; k++) {
		const struct kt_check_kernel *kernel = &check->kernels[k];

		if (!kernel->found)
			return kt_check_refuse(check, "missing-kernel", (uint32_t)check->size,
			                       "the text does not define %.60s: %.400s", kernel->name, kernel->declaration);
		for (size_t i = 0; i < check->tokens.count; i++)
			if (kt_token_is(&check->tokens, i, kernel->name) &&
			    check->tokens.tokens[i].begin != kernel->name_range.begin)
				return kt_check_refuse(check, "recursion", check->tokens.tokens[i].begin,
				                       "the kernel's name stands for the kernel alone");
	}
	for (size_t i = 0; i < check->field_count; i++)
		if (kt_check_in(check->names, check->name_count, check->fields[i]))
			return kt_check_refuse(check, "name-clash", 0, "%.60s is a field and a helper: rename one",
			                       check->fields[i]);
	return true;
}

bool kt_check_tree(struct kt_check *check)
{
	if (!kt_check_macros(check) || !check_diagnostics(check))
		return false;
	kt_clang.visitChildren(kt_clang.getTranslationUnitCursor(check->unit), visit_outside, check);
	if (check->construct != NULL)
		return false;
	return check_cover(check) && check_kernel_names(check) && check_recursion(check) && kt_check_uses(check);
}
