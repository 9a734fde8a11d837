/* Whether a kernel of the text is the one that was asked for. */
#include <string.h>

#include "check.h"

struct parameters {
	size_t count;
	CXCursor at[64];
};

static enum CXChildVisitResult read_parameter(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct parameters *p = data;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

	(void)parent;
	if (kind == CXCursor_ParmDecl || kind == CXCursor_TemplateTypeParameter ||
	    kind == CXCursor_NonTypeTemplateParameter || kind == CXCursor_TemplateTemplateParameter)
		if (p->count < sizeof p->at / sizeof *p->at)
			p->at[p->count++] = cursor;
	return CXChildVisit_Continue;
}

/* The function types agree, or it would be another function; qualifiers of parameters and names are left. */
static bool check_signature(struct kt_check *check, CXCursor cursor, CXCursor declared, uint32_t at)
{
	struct parameters mine = {.count = 0}, theirs = {.count = 0};

	kt_clang.visitChildren(cursor, read_parameter, &mine);
	kt_clang.visitChildren(declared, read_parameter, &theirs);
	if (mine.count != theirs.count)
		return kt_check_refuse(check, "signature", at, "the kernel has another number of parameters");
	for (size_t i = 0; i < mine.count; i++) {
		const char *name = kt_check_spelling(check, mine.at[i]), *expected = kt_check_spelling(check, theirs.at[i]);
		uint32_t place = kt_check_at(check, mine.at[i]);

		if (strcmp(name, expected) != 0)
			return kt_check_refuse(check, "signature", place, "parameter %zu is called %.60s, not %.60s", i + 1,
			                       expected, name);
		if (kt_clang.getCursorKind(mine.at[i]) != CXCursor_ParmDecl)
			continue;
		const char *type = kt_clang_text(
		    check->arena, kt_clang.getTypeSpelling(kt_clang.getCanonicalType(kt_clang.getCursorType(mine.at[i]))));
		const char *wanted = kt_clang_text(
		    check->arena,
		    kt_clang.getTypeSpelling(kt_clang.getCanonicalType(kt_clang.getCursorType(theirs.at[i]))));
		/* In a template both are patterns, whose canonical types are spelled by position:
		 * equal where they are the same. */
		if (type == NULL || wanted == NULL || strcmp(type, wanted) != 0)
			return kt_check_refuse(check, "signature", place, "parameter %.60s has the type \"%.100s\", not \"%.100s\"",
			                       name, wanted != NULL ? wanted : "", type != NULL ? type : "");
	}
	return true;
}

/* Is the word one of the tokens of [begin, end)? */
bool kt_check_has(const struct kt_check *check, uint32_t begin, uint32_t end, const char *word)
{
	for (size_t i = kt_token_at(&check->tokens, begin); i < check->tokens.count && check->tokens.tokens[i].begin < end;
	     i++)
		if (kt_token_is(&check->tokens, i, word))
			return true;
	return false;
}

bool kt_check_kernel(struct kt_check *check, struct kt_check_item *item, CXCursor cursor, CXCursor body)
{
	CXCursor declared = kt_clang.getCanonicalCursor(cursor);
	const char *name = kt_check_spelling(check, cursor);
	const uint32_t at = kt_check_at(check, cursor);
	uint32_t ignored;
	struct kt_check_kernel *kernel;

	for (item->kernel = 0; item->kernel < check->kernel_count; item->kernel++)
		if (strcmp(check->kernels[item->kernel].name, name) == 0)
			break;
	if (item->kernel == check->kernel_count)
		return kt_check_refuse(check, "other-kernel", at, "%.60s is no kernel that was asked for", name);
	kernel = &check->kernels[item->kernel];
	/* The first declaration is the one that was put in front of the text. */
	if (kt_check_place(&ignored, check, kt_clang.getCursorLocation(declared)) ||
	    kt_clang.equalCursors(declared, cursor) != 0)
		return kt_check_refuse(check, "signature", at, "the kernel must keep its signature: %.400s",
		                       kernel->declaration);
	if (kernel->found)
		return kt_check_refuse(check, "other-kernel", at, "%.60s is defined twice", name);
	kernel->found = true;
	kernel->extent = item->extent;
	kernel->name_range = (struct kt_range){at, at + (uint32_t)strlen(name)};
	kernel->body = kt_check_extent(check, body);
	/* They would be host code: the caller's side evaluates them. */
	if (kt_check_has(check, at, kernel->body.begin, "="))
		return kt_check_refuse(check, "signature", at, "default arguments are not allowed");
	return check_signature(check, cursor, declared, at);
}
