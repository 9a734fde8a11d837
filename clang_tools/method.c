/* Functions of objects in the host's text: `sizer.blocks(n)`, where what made the object tells its members. */
#include "expand.h"

#include <string.h>

#define MOST_FIELDS 16

struct fields {
	struct kt_scan *scan;
	const char *names[MOST_FIELDS];
	size_t count;
	const char *method; /* to look for; NULL: none */
	CXCursor found;
	size_t found_count;
};

static enum CXChildVisitResult read_member(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct fields *f = data;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	(void)parent;
	if (kind != CXCursor_FieldDecl && kind != CXCursor_CXXMethod)
		return CXChildVisit_Continue;
	const char *name = kt_clang_text(f->scan->arena, kt_clang.getCursorSpelling(cursor));
	if (kind == CXCursor_FieldDecl && name != NULL && f->count < MOST_FIELDS)
		f->names[f->count++] = name;
	if (kind == CXCursor_CXXMethod && name != NULL && f->method != NULL && strcmp(name, f->method) == 0) {
		f->found = cursor;
		f->found_count++;
	}
	return CXChildVisit_Continue;
}

static bool names(const struct kt_text *text, const char *name)
{
	for (size_t i = 0; i < text->count; i++)
		if (kt_token_is(text, i, name) &&
		    (i == 0 || (!kt_token_is(text, i - 1, ".") && !kt_token_is(text, i - 1, "->") &&
				!kt_token_is(text, i - 1, "::"))))
			return true;
	return false;
}

/* The value with the members of an object of the function put in; NULL: one that it names is not known. */
static const char *put_fields(struct kt_expand *x, const struct fields *f, const char *object, const char *value,
			      const char *const *parameters, size_t count)
{
	struct kt_scan *scan = x->scan;
	const struct kt_local *local = kt_scan_visible(scan, object, x->at);
	const char *used[MOST_FIELDS], *values[MOST_FIELDS];
	struct kt_text text;
	struct kt_error ignored;
	size_t known = 0;
	if (kt_lex(&text, scan->arena, value, 0, strlen(value), false, &ignored) != KT_OK)
		return NULL;
	for (size_t i = 0; i < f->count; i++) {
		if (!names(&text, f->names[i]) || kt_has_text(parameters, count, f->names[i]))
			continue;
		used[known] = f->names[i];
		values[known] =
		    local != NULL && !local->is_parameter ? kt_reaching_member(x, local, f->names[i]) : NULL;
		if (values[known++] == NULL)
			return NULL;
	}
	return known > 0 ? kt_text_put(scan, value, used, values, known) : value;
}

static const char *word_at(struct kt_scan *scan, const struct kt_text *text, size_t i)
{
	return kt_arena_strndup(scan->arena, text->data + text->tokens[i].begin,
				text->tokens[i].end - text->tokens[i].begin);
}

/* Parameters and members: what else the value names has to mean the same at the launch. */
static bool is_clear(struct kt_expand *x, CXCursor function, const struct fields *f, const char *value,
		     const char *const *parameters, size_t count)
{
	const char **all = kt_arena_array(x->scan->arena, count + f->count + 1, sizeof *all);
	for (size_t i = 0; all != NULL && i < count + f->count; i++)
		all[i] = i < count ? parameters[i] : f->names[i - count];
	return all != NULL && kt_is_hygienic(x->scan, function, value, all, count + f->count, x->at);
}

const char *kt_with_fields(struct kt_expand *x, CXCursor function, size_t name, const char *value,
			   const char *const *parameters, size_t count)
{
	const struct kt_text *text = x->scan->text;
	struct fields f = {.scan = x->scan};
	const bool of_object =
	    name > 1 && kt_token_is(text, name - 1, ".") && text->tokens[name - 2].kind == KT_TOKEN_NAME;
	if (kt_clang.getCursorKind(function) == CXCursor_CXXMethod && kt_clang.CXXMethod_isStatic(function) == 0) {
		if (!of_object || (name > 2 && (kt_token_is(text, name - 3, ".") || kt_token_is(text, name - 3, "->"))))
			return NULL;
		kt_clang.visitChildren(kt_clang.getCursorSemanticParent(function), read_member, &f);
	}
	if (!is_clear(x, function, &f, value, parameters, count))
		return NULL;
	return f.count > 0 ? put_fields(x, &f, word_at(x->scan, text, name - 2), value, parameters, count) : value;
}

const char *kt_method_value(struct kt_expand *x, const char *object, const char *method, const char *const *arguments,
			    size_t count)
{
	struct kt_scan *scan = x->scan;
	const struct kt_local *local = kt_scan_visible(scan, object, x->at);
	struct fields f = {.scan = scan, .method = method};
	const char **parameters = NULL;
	size_t parameter_count = 0;
	if (local == NULL || local->is_parameter)
		return NULL;
	kt_clang.visitChildren(kt_clang.getTypeDeclaration(kt_clang.getCanonicalType(local->type)), read_member, &f);
	const char *value =
	    f.found_count == 1 ? kt_definition_value(scan, f.found, &parameters, &parameter_count) : NULL;
	if (value == NULL || parameter_count != count || !is_clear(x, f.found, &f, value, parameters, count))
		return NULL;
	/* Members first: an argument may have the name of one. */
	value = put_fields(x, &f, object, value, parameters, count);
	return value != NULL ? kt_text_put(scan, value, parameters, arguments, count) : NULL;
}
