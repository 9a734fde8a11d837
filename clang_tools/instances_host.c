/* Instances that explicit instantiations name, and what launches inside host templates mean where these are instantiated. */
#include <string.h>

#include "deduce.h"
#include "expand.h"
#include "instances.h"

struct names {
	struct kt_scan *scan;
	const char **items;
	size_t count;
};

static enum CXChildVisitResult read_name(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct names *n = data;
	(void)parent;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	if (kind != CXCursor_TemplateTypeParameter && kind != CXCursor_NonTypeTemplateParameter)
		return CXChildVisit_Continue;
	const char *name = kt_clang_text(n->scan->arena, kt_clang.getCursorSpelling(cursor));
	n->scan->failed = !kt_arena_push_text(n->scan->arena, &n->items, &n->count, name) || n->scan->failed;
	return CXChildVisit_Continue;
}

/* "W" of `using W = typename wide<T>::type;` in a body, or such a type itself: only the compiler knows what it is. */
static bool is_local_type(struct kt_scan *scan, const char *text)
{
	struct kt_text tokens;
	struct kt_error ignored;
	if (kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &ignored) != KT_OK)
		return true;
	for (size_t t = 0; t < tokens.count; t++) {
		const struct kt_token *token = &tokens.tokens[t];
		const char *name = token->kind == KT_TOKEN_NAME
				       ? kt_arena_strndup(scan->arena, text + token->begin, token->end - token->begin) : NULL;
		if (kt_token_is(&tokens, t, "typename") || kt_token_is(&tokens, t, "decltype"))
			return true;
		for (size_t i = 0; name != NULL && i + 2 < scan->text->count; i++)
			if (kt_token_is(scan->text, i, "using") && kt_token_is(scan->text, i + 1, name) &&
			    kt_token_is(scan->text, i + 2, "=") &&
			    kt_index_find(scan->item_index, name, strlen(name), 0) == SIZE_MAX)
				return true;
	}
	return false;
}

/* "sizeof(T)" → its number, where T is a type of the language. */
static const char *with_sizes(struct kt_scan *scan, const char *text)
{
	struct kt_text tokens;
	struct kt_error ignored;
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	uint32_t at = 0;
	if (text == NULL || kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &ignored) != KT_OK)
		return NULL;
	for (size_t t = 0; t + 3 < tokens.count; t++) {
		const size_t close = kt_token_is(&tokens, t, "sizeof") && kt_token_is(&tokens, t + 1, "(")
					 ? kt_token_match(&tokens, t + 1)
					 : tokens.count;
		const unsigned bytes =
		    close < tokens.count ? kt_scalar_bytes(kt_scan_scalar_text(kt_scan_squeeze(
					       scan, &tokens, tokens.tokens[t + 2].begin, tokens.tokens[close - 1].end)))
					 : 0;
		if (bytes == 0)
			continue;
		kt_buf_addf(&out, "%.*s%u", (int)(tokens.tokens[t].begin - at), text + at, bytes);
		at = tokens.tokens[close].end;
	}
	kt_buf_adds(&out, text + at);
	const char *copy = out.failed ? NULL : kt_arena_strdup(scan->arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return copy;
}

/* Is the condition, with these template arguments, known to be `wanted`? */
static bool is_known(struct kt_scan *scan, const char *condition, const struct names *host, const char *const *values,
		     bool wanted)
{
	const char *text = kt_substitute(scan, condition, host->items, values, host->count);
	struct kt_expr *expr = NULL;
	struct kt_error ignored;
	int64_t value = 0;
	text = text != NULL ? with_sizes(scan, text) : NULL;
	return text != NULL && kt_expr_parse(&expr, scan->arena, text, strlen(text), &ignored) == KT_OK &&
	       kt_scan_number(&value, expr, scan) && (value != 0) == wanted;
}

/* Is the place in a branch of an `if constexpr` that these template arguments discard? */
static bool is_discarded(struct kt_scan *scan, const struct kt_item *function, uint32_t at, const struct names *host,
			 const char *const *values)
{
	const struct kt_text *text = scan->text;
	size_t begin = kt_token_at(text, at);
	while (begin < text->count && text->tokens[begin].begin > function->begin) {
		size_t close = 0;
		bool otherwise = false;
		const size_t branch = kt_branch_around(text, begin, &close, &otherwise);
		if (branch >= text->count) {
			begin = kt_block_around(text, begin);
			continue;
		}
		if (kt_token_is(text, branch + 1, "constexpr") && branch + 3 < close &&
		    is_known(scan, kt_scan_squeeze(scan, text, text->tokens[branch + 3].begin, text->tokens[close - 1].end),
			     host, values, otherwise))
			return true;
		begin = branch;
	}
	return false;
}

static void add_with(struct kt_scan *scan, struct kt_found *found, const struct kt_item *function, uint32_t at,
		     const struct names *host, const char *const *values, size_t value_count,
		     const char *const *arguments, size_t count)
{
	const char **texts = kt_arena_array(scan->arena, count + 1, sizeof *texts);
	if (texts == NULL || value_count < host->count || is_discarded(scan, function, at, host, values))
		return;
	for (size_t i = 0; i < count; i++) {
		texts[i] = kt_substitute(scan, arguments[i], host->items, values, host->count);
		if (texts[i] == NULL || is_local_type(scan, texts[i]))
			return;
	}
	(void)kt_instance_from_text(scan, found, texts, count);
}

bool kt_split_angle(struct kt_scan *scan, const struct kt_text *text, size_t open, const char ***out, size_t *count,
		    size_t *end)
{
	uint32_t behind = 0;
	size_t close = kt_token_match_angle(text, open, &behind), depth = 0;
	uint32_t begin = text->tokens[open].end;
	if (close >= text->count)
		return false;
	*end = close;
	for (size_t i = open + 1; i <= close; i++) {
		bool last = i == close;
		if (kt_token_is(text, i, "(") || kt_token_is(text, i, "[") || kt_token_is(text, i, "{"))
			i = kt_token_match(text, i);
		else if (kt_token_is(text, i, "<"))
			depth++;
		else if (kt_token_is(text, i, ">") && !last)
			depth--;
		if (!last && (depth > 0 || !kt_token_is(text, i, ",")))
			continue;
		if (!kt_arena_push_text(scan->arena, out, count,
		                        kt_scan_squeeze(scan, text, begin, last ? behind - 1 : text->tokens[i].begin)))
			return false;
		begin = text->tokens[i].end;
	}
	return true;
}

/* Does `template …` instantiate something here? `extern template` declares that another unit does. */
static bool is_instantiation(const struct kt_text *text, size_t i)
{
	return kt_token_is(text, i, "template") && !kt_token_is(text, i + 1, "<") &&
	       (i == 0 || !kt_token_is(text, i - 1, "extern"));
}

/* Calls visit for each `template … NAME<…>` of the text. */
static void each_explicit(struct kt_scan *scan, const struct kt_text *text, const char *name,
			  void (*visit)(void *context, const char *const *arguments, size_t count), void *context)
{
	for (size_t i = 0; i + 1 < text->count; i++) {
		if (!is_instantiation(text, i) ||
		    (text == scan->text && kt_scan_skipped(scan, text->tokens[i].begin)))
			continue;
		for (size_t t = i + 1; t + 1 < text->count && !kt_token_is(text, t, ";"); t++) {
			const char **arguments = NULL;
			size_t count = 0, end = 0;
			if (!kt_token_is(text, t, name) || !kt_token_is(text, t + 1, "<") ||
			    !kt_split_angle(scan, text, t + 1, &arguments, &count, &end))
				continue;
			visit(context, arguments, count);
			break;
		}
	}
}

struct parameters {
	struct kt_scan *scan;
	const char **types;
	size_t count;
};

static enum CXChildVisitResult read_parameter(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct parameters *p = data;
	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_ParmDecl)
		return CXChildVisit_Continue;
	const char *type = kt_clang_text(p->scan->arena, kt_clang.getTypeSpelling(kt_clang.getCursorType(cursor)));
	p->scan->failed = !kt_arena_push_text(p->scan->arena, &p->types, &p->count, type) || p->scan->failed;
	return CXChildVisit_Continue;
}

/* The host's template arguments in `template void run(float *y, int n);`, from its parameters.
 * False: it does not follow from them. */
static bool deduce_host(struct kt_scan *scan, const struct kt_text *text, const struct parameters *host,
			const struct names *names, size_t open, const char **values)
{
	size_t close = kt_token_match(text, open), at = 0;
	uint32_t begin = text->tokens[open].end;
	if (close >= text->count || !kt_token_is(text, close + 1, ";"))
		return false;
	for (size_t t = open + 1; t <= close && at < host->count; t++) {
		if (kt_token_is(text, t, "(") || kt_token_is(text, t, "["))
			t = kt_token_match(text, t);
		if (t < close && !kt_token_is(text, t, ","))
			continue;
		/* A parameter whose type does not depend on them need not fit. */
		const char *concrete = kt_scan_squeeze(scan, text, begin, text->tokens[t].begin);
		(void)kt_deduce(scan, host->types[at++], concrete, names->items, values, names->count);
		begin = text->tokens[t].end;
	}
	for (size_t i = 0; i < names->count; i++)
		if (values[i] == NULL)
			return false;
	return names->count > 0 && at == host->count;
}

/* Calls visit for each `template … NAME(…);` of the text, with the arguments that follow from its parameters. */
static void each_deduced(struct kt_scan *scan, const struct kt_text *text, const struct kt_item *host,
			 const struct names *names,
			 void (*visit)(void *context, const char *const *arguments, size_t count), void *context)
{
	struct parameters parameters = {.scan = scan};
	kt_clang.visitChildren(host->cursor, read_parameter, &parameters);
	for (size_t i = 0; i + 1 < text->count; i++) {
		if (!is_instantiation(text, i) ||
		    (text == scan->text && kt_scan_skipped(scan, text->tokens[i].begin)))
			continue;
		for (size_t t = i + 1; t + 1 < text->count && !kt_token_is(text, t, ";") && !kt_token_is(text, t, "{");
		     t++) {
			if (!kt_token_is(text, t, host->name) || !kt_token_is(text, t + 1, "("))
				continue;
			const char **values = kt_arena_array(scan->arena, names->count + 1, sizeof *values);
			if (values != NULL && deduce_host(scan, text, &parameters, names, t + 1, values))
				visit(context, values, names->count);
			break;
		}
	}
}

struct host_visit {
	struct kt_scan *scan;
	struct kt_found *found;
	const struct kt_item *function;
	uint32_t at;
	const struct names *host;
	const char *const *arguments;
	size_t count;
};

static void visit_host(void *context, const char *const *values, size_t value_count)
{
	struct host_visit *v = context;
	add_with(v->scan, v->found, v->function, v->at, v->host, values, value_count, v->arguments, v->count);
}

static void visit_kernel(void *context, const char *const *arguments, size_t count)
{
	struct host_visit *v = context;
	(void)kt_instance_from_text(v->scan, v->found, arguments, count);
}

void kt_instances_explicit(struct kt_scan *scan, struct kt_found *found)
{
	struct host_visit v = {.scan = scan, .found = found};
	const struct kt_text *made = kt_instantiations(scan);
	if (found->region.template_count == 0)
		return;
	each_explicit(scan, scan->text, found->region.kernel, visit_kernel, &v);
	if (made != NULL)
		each_explicit(scan, made, found->region.kernel, visit_kernel, &v);
}

/* Calls of the host's function whose template arguments the compiler deduced. */
static void each_called(struct kt_scan *scan, struct kt_found *found, const struct kt_item *host, uint32_t at,
			const struct names *names, const char *const *arguments, size_t count)
{
	CXCursor pattern = kt_clang.getCanonicalCursor(host->cursor);
	for (size_t i = 0; i < scan->specialised_count; i++) {
		CXCursor target = scan->specialised[i].target;
		CXCursor from = kt_clang.getSpecializedCursorTemplate(target);
		int given = kt_clang.Cursor_getNumTemplateArguments(target);
		if (given < 0 || kt_clang.Cursor_isNull(from) != 0 || !kt_scan_same(scan, from, pattern))
			continue;
		const char **values = kt_arena_array(scan->arena, (size_t)given + 1, sizeof *values);
		bool written = values != NULL;
		for (unsigned a = 0; written && a < (unsigned)given; a++) {
			CXType type = kt_clang.Cursor_getTemplateArgumentType(target, a);
			values[a] = kt_clang.Cursor_getTemplateArgumentKind(target, a) == CXTemplateArgumentKind_Type
					? kt_instance_type(scan, type)
					: kt_arena_printf(scan->arena, "%lld",
							  kt_clang.Cursor_getTemplateArgumentValue(target, a));
			written = values[a] != NULL;
		}
		if (written)
			add_with(scan, found, host, at, names, values, (size_t)given, arguments, count);
	}
}

typedef void visit_arguments(void *context, const char *const *arguments, size_t count);

static void read_host_names(struct names *names, const struct kt_item *host)
{
	CXCursor class = kt_clang.getCursorSemanticParent(host->cursor);
	kt_clang.visitChildren(host->cursor, read_name, names);
	if (kt_clang.getCursorKind(class) == CXCursor_ClassTemplate && names->count == 0)
		kt_clang.visitChildren(class, read_name, names);
}

/* A partial specialisation `f<gpu, T, I>`: what its parameters are where `f<gpu, float, int>` is instantiated. */
struct partial {
	struct kt_scan *scan;
	const struct names *names;
	const char **pattern;
	size_t count;
	visit_arguments *visit;
	void *context;
};

static void visit_partial(void *context, const char *const *arguments, size_t count)
{
	const struct partial *p = context;
	const char **values = kt_arena_array(p->scan->arena, p->names->count + 1, sizeof *values);
	bool fits = values != NULL && count == p->count;
	for (size_t i = 0; fits && i < count; i++)
		fits = kt_deduce(p->scan, p->pattern[i], arguments[i], p->names->items, values, p->names->count);
	for (size_t i = 0; fits && i < p->names->count; i++)
		fits = values[i] != NULL;
	if (fits)
		p->visit(p->context, values, p->names->count);
}

/* Calls visit for each explicit instantiation of a host; a member of a class template is made with its class. */
static void each_of_host(struct kt_scan *scan, const struct kt_item *host, const struct names *names,
			 visit_arguments *visit, void *context)
{
	CXCursor class = kt_clang.getCursorSemanticParent(host->cursor);
	bool member = kt_clang.getCursorKind(class) == CXCursor_ClassTemplate;
	const char *name = member ? kt_clang_text(scan->arena, kt_clang.getCursorSpelling(class)) : host->name;
	const struct kt_text *texts[] = {scan->text, kt_instantiations(scan)};
	struct partial p = {scan, names, NULL, 0, visit, context};
	const size_t open = kt_token_at(scan->text, host->name_at) + 1;
	size_t end = 0;
	if (kt_clang.getCursorKind(host->cursor) == CXCursor_ClassTemplatePartialSpecialization) {
		if (!kt_token_is(scan->text, open, "<") || !kt_split_angle(scan, scan->text, open, &p.pattern, &p.count, &end))
			return;
		visit = visit_partial;
		context = &p;
	}
	for (size_t t = 0; t < 2 && name != NULL; t++) {
		if (texts[t] == NULL)
			continue;
		each_explicit(scan, texts[t], name, visit, context);
		if (!member && host->is_function)
			each_deduced(scan, texts[t], host, names, visit, context);
	}
}

static void note_explicit(void *context, const char *const *arguments, size_t count)
{
	(void)arguments;
	(void)count;
	*(bool *)context = true;
}

bool kt_instances_host_is_explicit(struct kt_scan *scan, const struct kt_item *host)
{
	struct names names = {.scan = scan};
	bool is_explicit = false;
	read_host_names(&names, host);
	each_of_host(scan, host, &names, note_explicit, &is_explicit);
	return is_explicit;
}

void kt_instances_of_host(struct kt_scan *scan, struct kt_found *found, const struct kt_item *host, uint32_t at,
			  const char *const *arguments, size_t count, bool called)
{
	struct names names = {.scan = scan};
	struct host_visit v = {scan, found, host, at, &names, arguments, count};
	read_host_names(&names, host);
	if (called)
		each_called(scan, found, host, at, &names, arguments, count);
	each_of_host(scan, host, &names, visit_host, &v);
}
