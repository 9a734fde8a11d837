/*
 * Explicit instantiations of host functions: the compiler makes their bodies, and the bodies of what these call. No cursor of
 * libclang leads from a function template to what is made of it; a reference does. So the file is parsed once more with
 * functions at its end that refer to each of them, and the walk begins there.
 */
#include <string.h>

#include "instances.h"

#define PREFIX "ktune_reference_"

/* One declaration `template R NAME(P);`: token indices. */
struct instantiation {
	size_t result, name, open, close; /* of R, of the name with its namespaces, of the parentheses of P */
};

static bool is_one_of(const struct kt_text *text, size_t t, const char *const *words)
{
	for (size_t i = 0; words[i] != NULL; i++)
		if (kt_token_is(text, t, words[i]))
			return true;
	return false;
}

/* Of a function of the host whose type can be written; others are left to the text alone. */
static bool read_instantiation(struct instantiation *out, const struct kt_text *text, size_t i)
{
	static const char *const ends[] = {";", "{", "class", "struct", "union", "operator", "decltype", "auto", "__attribute__",
	                                   "__declspec", "__global__", "__device__", NULL};
	size_t t = i + 1, open;
	uint32_t ignored;
	for (;; t++) {
		if (t >= text->count || is_one_of(text, t, ends))
			return false;
		open = t + 1;
		if (text->tokens[t].kind != KT_TOKEN_NAME)
			continue;
		if (kt_token_is(text, open, "<"))
			open = kt_token_match_angle(text, open, &ignored) + 1;
		if (kt_token_is(text, open, "("))
			break;
	}
	*out = (struct instantiation){.result = i + 1, .name = t, .open = open, .close = kt_token_match(text, open)};
	while (out->name > i + 2 && kt_token_is(text, out->name - 1, "::")) {
		const bool named = text->tokens[out->name - 2].kind == KT_TOKEN_NAME && out->name > i + 3;
		/* Of a class template it is a member. */
		if (kt_token_is(text, out->name - 2, ">"))
			return false;
		out->name -= named ? 2 : 1;
	}
	const size_t behind = out->close + 1 + kt_token_is(text, out->close + 1, "noexcept");
	return out->close < text->count && kt_token_is(text, behind, ";");
}

static void add_result(struct kt_buf *out, const struct kt_text *text, const struct instantiation *one)
{
	static const char *const specifiers[] = {"inline", "static", "constexpr", "__host__", "__forceinline__", "__inline__",
	                                         NULL};
	for (size_t t = one->result; t < one->name; t++)
		if (!is_one_of(text, t, specifiers))
			kt_buf_addf(out, "%.*s ", (int)(text->tokens[t].end - text->tokens[t].begin), text->data + text->tokens[t].begin);
}

static void add_reference(struct kt_buf *out, struct kt_scan *scan, const struct kt_text *text,
                          const struct instantiation *one, size_t number)
{
	const char *name = kt_scan_squeeze(scan, text, text->tokens[one->name].begin, text->tokens[one->open - 1].end);
	const char *types = kt_scan_squeeze(scan, text, text->tokens[one->open].begin, text->tokens[one->close].end);
	if (name == NULL || types == NULL)
		return;
	kt_buf_addf(out, "static inline void " PREFIX "%zu() { (void)static_cast<", number);
	add_result(out, text, one);
	kt_buf_addf(out, "(*)%s>(&%s); }\n", types, name);
}

/* "namespace a::b {" at token t, which is its brace; its names; false: another brace. */
static bool opens_namespace(const struct kt_text *text, size_t t, size_t *first)
{
	size_t at = t;
	while (at > 0 && (text->tokens[at - 1].kind == KT_TOKEN_NAME || kt_token_is(text, at - 1, "::")) &&
	       !kt_token_is(text, at - 1, "namespace"))
		at--;
	*first = at;
	return at > 0 && kt_token_is(text, at - 1, "namespace");
}

struct references {
	struct kt_scan *scan;
	struct kt_buf *out;
	size_t count;
};

/* Between `begin` and `end`, in the namespaces whose heads are in `open`: each is opened again around a reference. */
static void add_range(struct references *r, const struct kt_text *text, size_t begin, size_t end, const char *open,
                      size_t depth)
{
	struct kt_scan *scan = r->scan;
	for (size_t i = begin; i < end && !scan->failed; i++) {
		struct instantiation one;
		size_t first;
		if (kt_token_is(text, i, "{")) {
			const size_t close = kt_token_match(text, i);
			const bool linkage = i > 1 && text->tokens[i - 1].kind == KT_TOKEN_STRING && kt_token_is(text, i - 2, "extern");
			if (opens_namespace(text, i, &first)) {
				const char *name = first < i ? kt_scan_squeeze(scan, text, text->tokens[first].begin, text->tokens[i - 1].end) : "";
				const char *inner = name != NULL ? kt_arena_printf(scan->arena, "%snamespace %s { ", open, name) : NULL;
				scan->failed = scan->failed || inner == NULL;
				if (inner != NULL)
					add_range(r, text, i + 1, close, inner, depth + 1);
			} else if (linkage) {
				add_range(r, text, i + 1, close, open, depth);
			}
			i = close;
			continue;
		}
		if (!kt_token_is(text, i, "template") || kt_token_is(text, i + 1, "<") ||
		    (i > 0 && kt_token_is(text, i - 1, "extern")) ||
		    (text == scan->text && kt_scan_skipped(scan, text->tokens[i].begin)) || !read_instantiation(&one, text, i))
			continue;
		kt_buf_adds(r->out, open);
		add_reference(r->out, scan, text, &one, r->count++);
		for (size_t n = 0; n < depth; n++)
			kt_buf_adds(r->out, "}");
		kt_buf_adds(r->out, depth > 0 ? "\n" : "");
	}
}

/* The file once more, with references at its end; *count of them. */
static kt_status parse_references(size_t *count, struct kt_scan *scan, struct kt_error *err)
{
	const struct kt_text *made = kt_instantiations(scan);
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct references r = {.scan = scan, .out = &text};
	const char *written = scan->written;
	kt_status status;
	kt_buf_addf(&text, "%.*s\n", (int)scan->text->size, scan->text->data);
	add_range(&r, scan->text, 0, scan->text->count, "", 0);
	if (made != NULL)
		add_range(&r, made, 0, made->count, "", 0);
	*count = r.count;
	status = kt_buf_check(&text, "references to instantiations", err);
	if (status == KT_OK && r.count > 0)
		status = kt_scan_again(&scan->referenced, scan, &text, err);
	scan->written = written;
	kt_buf_free(&text);
	return status;
}

struct visit {
	struct kt_scan *scan;
	struct kt_found *found;
};

static enum CXChildVisitResult visit_reference(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct visit *v = data;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	(void)parent;
	if (kind == CXCursor_Namespace)
		return CXChildVisit_Recurse;
	if (kind != CXCursor_FunctionDecl)
		return CXChildVisit_Continue;
	CXString name = kt_clang.getCursorSpelling(cursor);
	const char *text = kt_clang.getCString(name);
	if (text != NULL && strncmp(text, PREFIX, strlen(PREFIX)) == 0)
		kt_instances_walk_body(v->scan, v->found, cursor);
	kt_clang.disposeString(name);
	return v->scan->failed ? CXChildVisit_Break : CXChildVisit_Continue;
}

kt_status kt_instances_referenced(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct visit v = {scan, found};
	size_t count = 0;
	kt_status status = KT_OK;
	if (!scan->asked_references && scan->target->has_host_code)
		status = parse_references(&count, scan, err);
	scan->asked_references = true;
	if (status == KT_OK && scan->referenced != NULL)
		kt_clang.visitChildren(kt_clang.getTranslationUnitCursor(scan->referenced), visit_reference, &v);
	return status;
}
