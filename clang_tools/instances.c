#include "instances.h"

#include <stdlib.h>
#include <string.h>

#include "clauses.h"
#include "members.h"

/* Two spellings of one type would be two instances. */
static const struct {
	const char *spelling, *canonical;
} synonyms[] = {
    {"half", "__half"},
    {"nv_bfloat16", "__nv_bfloat16"},
    {"unsigned", "unsigned int"},
    {"int32_t", "int"},
    {"uint32_t", "unsigned int"},
    {"int64_t", "long"},
    {"uint64_t", "unsigned long"},
    {"size_t", "unsigned long"},
    {"int8_t", "signed char"},
    {"uint8_t", "unsigned char"},
    {"int16_t", "short"},
    {"uint16_t", "unsigned short"},
};

/* What the project's own name for a type stands for, qualified or not, where one declaration can be meant. */
static const char *named_type(struct kt_scan *scan, const char *text)
{
	static const enum CXCursorKind kinds[] = {CXCursor_TypedefDecl, CXCursor_TypeAliasDecl, CXCursor_StructDecl,
						  CXCursor_ClassDecl, CXCursor_EnumDecl};
	struct kt_text tokens;
	struct kt_error err;
	const char *own = NULL;
	if (kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &err) != KT_OK || tokens.count % 2 == 0)
		return text;
	for (size_t t = 0; t < tokens.count; t++)
		if (t % 2 == 0 ? tokens.tokens[t].kind != KT_TOKEN_NAME : !kt_token_is(&tokens, t, "::"))
			return text;
	const struct kt_token *last = &tokens.tokens[tokens.count - 1];
	const size_t length = last->end - last->begin;
	for (size_t i = kt_index_find(scan->item_index, text + last->begin, length, 0); i != SIZE_MAX;
	     i = kt_index_find(scan->item_index, text + last->begin, length, i + 1)) {
		bool is_type = false;
		for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
			is_type = is_type || (scan->items[i].kind == kinds[k] && strlen(scan->items[i].name) == length &&
					      memcmp(scan->items[i].name, text + last->begin, length) == 0);
		const char *one =
		    is_type ? kt_instance_type(scan, kt_clang.getCursorType(scan->items[i].cursor)) : NULL;
		if (one == NULL)
			continue;
		if (own != NULL && strcmp(own, one) != 0)
			return text;
		own = one;
	}
	return own != NULL ? own : text;
}

static const char *canonical_text(struct kt_scan *scan, const char *text)
{
	for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
		if (strcmp(synonyms[i].spelling, text) == 0)
			return synonyms[i].canonical;
	return named_type(scan, text);
}

/* "int BLOCK" → "int". */
static const char *declared_type(struct kt_scan *scan, const struct kt_template_parameter *t)
{
	size_t length = strlen(t->declaration), name = strlen(t->name);
	while (name > 0 && length > name && t->declaration[length - 1] == ' ')
		length--;
	length = length > name ? length - name : length;
	while (length > 0 && t->declaration[length - 1] == ' ')
		length--;
	return kt_arena_strndup(scan->arena, t->declaration, length);
}

bool kt_instance_number(int64_t *value, const char *argument)
{
	const char *close = argument[0] == '(' ? strrchr(argument, ')') : NULL;
	const char *text = close != NULL ? close + 1 : argument;
	char *end = NULL;
	*value = strcmp(text, "true") == 0 ? 1 : strtoll(text, &end, 10);
	return end == NULL || strcmp(argument, "false") == 0 || (end != text && *end == '\0');
}

static const char *value_text(struct kt_scan *scan, const struct kt_template_parameter *t, long long value)
{
	const char *type = declared_type(scan, t);
	if (type == NULL || strcmp(type, "bool") == 0)
		return value != 0 ? "true" : "false";
	if (kt_scan_scalar_text(type) == KT_SCALAR_NONE && strcmp(type, "auto") != 0)
		return kt_arena_printf(scan->arena, "(%s)%lld", type, value);
	return kt_arena_printf(scan->arena, "%lld", value);
}

/* "ops::mode::fast" → "fast", "mode(7)", "(mode)7" → "7": whose name it is, the last name tells; its type is known. */
static const char *unqualified(struct kt_scan *scan, const char *text)
{
	struct kt_text tokens;
	struct kt_error err;
	size_t i = 0;
	if (kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &err) != KT_OK || tokens.count == 0)
		return text;
	while (i + 2 < tokens.count && tokens.tokens[i].kind == KT_TOKEN_NAME && kt_token_is(&tokens, i + 1, "::"))
		i += 2;
	const size_t last = tokens.count - 1;
	if (i + 2 < last && tokens.tokens[i].kind == KT_TOKEN_NAME && kt_token_is(&tokens, i + 1, "(") &&
	    kt_token_match(&tokens, i + 1) == last)
		return kt_scan_squeeze(scan, &tokens, tokens.tokens[i + 2].begin, tokens.tokens[last - 1].end);
	if (i == 0 && kt_token_is(&tokens, 0, "(") && kt_token_match(&tokens, 0) + 1 == last)
		return kt_scan_squeeze(scan, &tokens, tokens.tokens[last].begin, tokens.tokens[last].end);
	return i == last ? text + tokens.tokens[i].begin : text;
}

/* A non-type argument as a number when it is one; other text stays. */
static const char *constant_text(struct kt_scan *scan, const struct kt_template_parameter *t, const char *text)
{
	struct kt_expr *expr = NULL;
	struct kt_error err;
	int64_t value = 0;
	if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
		return text;
	text = unqualified(scan, text);
	if (kt_expr_parse(&expr, scan->arena, text, strlen(text), &err) == KT_OK &&
	    kt_scan_number(&value, expr, scan))
		return value_text(scan, t, value);
	return NULL;
}

/*
 * A type as code can write it: what an anonymous namespace holds is found without it. NULL for a type that has
 * no name, such as a lambda's.
 */
const char *kt_instance_type(struct kt_scan *scan, CXType type)
{
	static const char anonymous[] = "(anonymous namespace)::";
	char *text = kt_clang_text(scan->arena, kt_clang.getTypeSpelling(kt_clang.getCanonicalType(type)));
	for (char *at = text; at != NULL && (at = strstr(at, anonymous)) != NULL;)
		memmove(at, at + strlen(anonymous), strlen(at + strlen(anonymous)) + 1);
	return text != NULL && strstr(text, "(lambda at ") == NULL && strstr(text, "(unnamed ") == NULL ? text : NULL;
}

const char *kt_scan_symbol(struct kt_scan *scan, CXCursor kernel)
{
	const char *symbol = kt_clang_text(scan->arena, kt_clang.Cursor_getMangling(kernel));
	return symbol != NULL && symbol[0] != '\0' ? symbol : NULL;
}

static int64_t find_instance(const struct kt_region *r, const char *const *arguments)
{
	for (size_t i = 0; i < r->instance_count; i++) {
		size_t same = 0;
		while (same < r->template_count && strcmp(r->instances[i].arguments[same], arguments[same]) == 0)
			same++;
		if (same == r->template_count)
			return (int64_t)i;
	}
	return -1;
}

/* A fresh instance with its name; its types are still to be filled. NULL when out of memory. */
static struct kt_instance *new_instance(struct kt_scan *scan, struct kt_region *r, const char **arguments)
{
	struct kt_instance *i = kt_arena_push(scan->arena, &r->instances, &r->instance_count, sizeof *i);
	if (i == NULL) {
		scan->failed = true;
		return NULL;
	}
	struct kt_buf name = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_buf_addf(&name, "%s<", r->kernel);
	for (size_t a = 0; a < r->template_count; a++)
		kt_buf_addf(&name, "%s%s", a > 0 ? ", " : "", arguments[a]);
	kt_buf_adds(&name, ">");
	i->name = kt_arena_strdup(scan->arena, kt_buf_text(&name));
	kt_buf_free(&name);
	i->arguments = arguments;
	i->argument_count = r->template_count;
	i->elements = kt_arena_array(scan->arena, r->argument_count + 1, sizeof *i->elements);
	i->types = kt_arena_array(scan->arena, r->argument_count + 1, sizeof *i->types);
	if (i->elements == NULL || i->types == NULL || i->name == NULL)
		scan->failed = true;
	return scan->failed ? NULL : i;
}

int64_t kt_instance_from_cursor(struct kt_scan *scan, struct kt_found *found, CXCursor specialisation)
{
	return kt_instance_with_functions(scan, found, specialisation, NULL, 0);
}

int64_t kt_instance_with_functions(struct kt_scan *scan, struct kt_found *found, CXCursor specialisation,
				   const char *const *functions, size_t function_count)
{
	size_t used = 0;
	struct kt_region *r = &found->region;
	int count = kt_clang.Cursor_getNumTemplateArguments(specialisation);
	const char **arguments = kt_arena_array(scan->arena, r->template_count + 1, sizeof *arguments);
	if (arguments == NULL || count < 0 || (size_t)count != r->template_count)
		return -1;
	for (unsigned i = 0; i < (unsigned)count; i++) {
		enum CXTemplateArgumentKind kind = kt_clang.Cursor_getTemplateArgumentKind(specialisation, i);
		if (kind == CXTemplateArgumentKind_Type) {
			CXType type = kt_clang.Cursor_getTemplateArgumentType(specialisation, i);
			arguments[i] = kt_instance_type(scan, type);
		} else if (kind == CXTemplateArgumentKind_Integral) {
			arguments[i] = value_text(scan, &r->templates[i],
						  kt_clang.Cursor_getTemplateArgumentValue(specialisation, i));
		} else if (kind == CXTemplateArgumentKind_Declaration && used < function_count) {
			arguments[i] = functions[used++];
		}
		if (arguments[i] == NULL)
			return -1;
	}
	int64_t known = find_instance(r, arguments);
	struct kt_instance *instance = known < 0 ? new_instance(scan, r, arguments) : NULL;
	/* What was only known as text gets its symbol here. */
	if (known >= 0 && r->instances[known].symbol == NULL)
		r->instances[known].symbol = kt_scan_symbol(scan, specialisation);
	if (instance == NULL)
		return known;
	instance->symbol = kt_scan_symbol(scan, specialisation);
	CXType type = kt_clang.getCanonicalType(kt_clang.getCursorType(specialisation));
	CXType *types = kt_arena_array(scan->arena, r->argument_count + 1, sizeof *types);
	if (types == NULL) {
		scan->failed = true;
		return -1;
	}
	for (size_t a = 0; a < r->argument_count; a++) {
		CXType argument = types[a] = kt_clang.getCanonicalType(kt_clang.getArgType(type, (unsigned)a));
		CXType element = argument.kind == CXType_Pointer ? kt_clang.getPointeeType(argument) : argument;
		instance->elements[a] = kt_scan_scalar(element, scan->arena);
		instance->types[a] = kt_instance_type(scan, argument);
		if (instance->types[a] == NULL)
			instance->types[a] = kt_clang_text(scan->arena, kt_clang.getTypeSpelling(argument));
	}
	kt_scan_members(scan, found, instance, types, specialisation);
	return (int64_t)r->instance_count - 1;
}

const char *kt_substitute(struct kt_scan *scan, const char *text, const char *const *names,
			  const char *const *arguments, size_t count)
{
	struct kt_text tokens;
	struct kt_error err;
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	if (kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
		return NULL;
	uint32_t at = 0;
	for (size_t t = 0; t < tokens.count; t++) {
		const char *replacement = NULL;
		for (size_t i = 0; i < count && replacement == NULL; i++)
			if (kt_token_is(&tokens, t, names[i]))
				replacement = arguments[i];
		if (replacement == NULL)
			continue;
		kt_buf_add(&out, text + at, tokens.tokens[t].begin - at);
		kt_buf_adds(&out, replacement);
		at = tokens.tokens[t].end;
	}
	kt_buf_adds(&out, text + at);
	const char *copy = kt_arena_strdup(scan->arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return copy;
}

static bool declares_type(enum CXCursorKind kind)
{
	static const enum CXCursorKind kinds[] = {CXCursor_StructDecl, CXCursor_ClassDecl, CXCursor_EnumDecl,
	                                          CXCursor_TypedefDecl, CXCursor_TypeAliasDecl};
	bool does = false;
	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
		does = does || kind == kinds[k];
	return does;
}

/* A type of headers that are not the project's, such as the toolkit's vectors. */
struct named {
	const struct kt_scan *scan;
	const char *name;
	CXType type;
	bool found;
};

static enum CXChildVisitResult visit_named(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct named *n = data;
	(void)parent;
	if (!declares_type(kt_clang.getCursorKind(cursor)))
		return CXChildVisit_Continue;
	const char *name = kt_clang_text(n->scan->arena, kt_clang.getCursorSpelling(cursor));
	n->type = kt_clang.getCursorType(cursor);
	n->found = name != NULL && strcmp(name, n->name) == 0 && kt_clang.Type_getSizeOf(n->type) > 0;
	return n->found ? CXChildVisit_Break : CXChildVisit_Continue;
}

bool kt_scan_type_named(CXType *out, const struct kt_scan *scan, const char *text)
{
	const char *name = text;
	for (const char *at = strstr(text, "::"); at != NULL; at = strstr(name, "::"))
		name = at + 2;
	const size_t length = strlen(name), scope = (size_t)(name - text);
	for (size_t i = kt_index_find(scan->item_index, name, length, 0); i != SIZE_MAX;
	     i = kt_index_find(scan->item_index, name, length, i + 1)) {
		const struct kt_item *item = &scan->items[i];
		const size_t around = strlen(item->scope);
		if (!declares_type(item->kind) || scope > around || strncmp(item->scope + around - scope, text, scope) != 0)
			continue;
		*out = kt_clang.getCursorType(item->cursor);
		if (kt_clang.Type_getSizeOf(*out) > 0)
			return true;
	}
	struct named n = {.scan = scan, .name = name};
	if (scope == 0 && length > 0)
		(void)kt_clang.visitChildren(kt_clang.getTranslationUnitCursor(scan->unit), visit_named, &n);
	if (n.found)
		*out = n.type;
	return n.found;
}

/* "const T *__restrict__" with T = __half → f16, "const __half *". */
static void fill_from_text(struct kt_scan *scan, struct kt_found *found, struct kt_instance *instance)
{
	struct kt_region *r = &found->region;
	static const char *const dropped[] = {"__restrict__", "__restrict", "const", "*"};
	const char **names = kt_arena_array(scan->arena, r->template_count + 1, sizeof *names);
	CXType *owns = kt_arena_array(scan->arena, r->argument_count + 1, sizeof *owns);
	if (names == NULL || owns == NULL) {
		scan->failed = true;
		return;
	}
	for (size_t t = 0; t < r->template_count; t++)
		names[t] = r->templates[t].name;
	for (size_t a = 0; a < r->argument_count; a++) {
		struct kt_text tokens;
		struct kt_error err;
		struct kt_buf element = KT_BUF(KT_LIMIT_LINE_BYTES);
		const char *type =
		    kt_substitute(scan, r->arguments[a].type, names, instance->arguments, r->template_count);
		if (type == NULL || kt_lex(&tokens, scan->arena, type, 0, strlen(type), false, &err) != KT_OK)
			return;
		for (size_t t = 0; t < tokens.count; t++) {
			bool drop = false;
			for (size_t d = 0; d < sizeof dropped / sizeof dropped[0]; d++)
				drop = drop || kt_token_is(&tokens, t, dropped[d]);
			if (drop)
				continue;
			if (element.size > 0 && tokens.tokens[t].kind == KT_TOKEN_NAME && element.data[element.size - 1] != ':')
				kt_buf_addc(&element, ' ');
			kt_buf_add(&element, type + tokens.tokens[t].begin,
				   tokens.tokens[t].end - tokens.tokens[t].begin);
		}
		instance->elements[a] = kt_scan_scalar_text(kt_buf_text(&element));
		/* An enumeration or a name of the project's that no parameter of the template decides. */
		if (instance->elements[a] == KT_SCALAR_NONE) {
			CXType own = kt_clang.getCanonicalType(
			    kt_clang.getArgType(kt_clang.getCursorType(found->pattern), (unsigned)a));
			instance->elements[a] = kt_scan_scalar(
			    own.kind == CXType_Pointer ? kt_clang.getPointeeType(own) : own, scan->arena);
		}
		instance->types[a] = kt_arena_printf(scan->arena, "%s%s%s", r->arguments[a].is_const ? "const " : "",
						     kt_buf_text(&element), r->arguments[a].is_pointer ? " *" : "");
		owns[a] = kt_clang.getArgType(kt_clang.getCursorType(found->pattern), (unsigned)a);
		/* A vector or a structure that the parameters decide: the element itself does for the pointer to it. */
		if (instance->elements[a] == KT_SCALAR_NONE)
			(void)kt_scan_type_named(&owns[a], scan, kt_buf_text(&element));
		kt_buf_free(&element);
	}
	kt_scan_members(scan, found, instance, owns, found->pattern);
}

/* Has this instance a separate text, `template <> …`? It is another kernel then. */
static bool has_own_text(struct kt_scan *scan, const struct kt_found *found, const char *const *arguments)
{
	for (size_t i = 0; i < scan->item_count; i++) {
		const struct kt_item *item = &scan->items[i];
		if (!item->is_function || strcmp(item->name, found->region.kernel) != 0)
			continue;
		CXCursor from = kt_clang.getSpecializedCursorTemplate(item->cursor);
		int count =
		    kt_clang.Cursor_isNull(from) == 0 ? kt_clang.Cursor_getNumTemplateArguments(item->cursor) : -1;
		bool same = count >= 0 && (size_t)count == found->region.template_count &&
			    kt_scan_same(scan, from, found->pattern);
		for (unsigned a = 0; same && a < (unsigned)count; a++) {
			const char *own =
			    kt_clang.Cursor_getTemplateArgumentKind(item->cursor, a) == CXTemplateArgumentKind_Type
				? kt_instance_type(scan, kt_clang.Cursor_getTemplateArgumentType(item->cursor, a))
				: value_text(scan, &found->region.templates[a],
					     kt_clang.Cursor_getTemplateArgumentValue(item->cursor, a));
			same = own != NULL && strcmp(own, arguments[a]) == 0;
		}
		if (same)
			return true;
	}
	return false;
}

const char *kt_instance_argument(struct kt_scan *scan, const struct kt_template_parameter *parameter, const char *text)
{
	return parameter->is_type ? canonical_text(scan, text) : constant_text(scan, parameter, text);
}

int64_t kt_instance_from_text(struct kt_scan *scan, struct kt_found *found, const char *const *arguments, size_t count)
{
	struct kt_region *r = &found->region;
	const char **complete = kt_arena_array(scan->arena, r->template_count + 1, sizeof *complete);
	if (complete == NULL || count > r->template_count)
		return -1;
	for (size_t i = 0; i < r->template_count; i++) {
		const char *text = i < count ? arguments[i] : r->templates[i].default_text;
		if (text == NULL)
			return -1;
		complete[i] = kt_instance_argument(scan, &r->templates[i], text);
		if (complete[i] == NULL)
			return -1;
	}
	if (has_own_text(scan, found, complete))
		return -1;
	int64_t known = find_instance(r, complete);
	struct kt_instance *instance = known < 0 ? new_instance(scan, r, complete) : NULL;
	if (instance == NULL)
		return known;
	fill_from_text(scan, found, instance);
	return (int64_t)r->instance_count - 1;
}
