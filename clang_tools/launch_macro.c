/* A launch that the body of a macro writes: what is in it, and what it is at the place of use. */
#include "launch_macro.h"

#include <string.h>

#include "launches_internal.h"
#include "mentions.h"
#include "routes.h"

/* Tokens of the last level that a launch consists of. */
struct parts {
	size_t callee, name, end; /* the qualifiers' first token, the name's first and after its last */
	size_t list;              /* "<" of template arguments; `open` where there are none */
	size_t open, close, last; /* "<<<", ">>>", ")" */
};

struct reader {
	struct kt_scan *scan;
	struct kt_found *found;
	struct kt_macro_path path;
	const struct kt_macro_level *level; /* the last one */
	struct parts parts;
	size_t root;                        /* token of the first macro's name in the main file */
	const char *list;                   /* template arguments that a macro's argument has: "<float>", or "" */
};

/* Where the token at a location is spelled, in any version of libclang. */
static bool spelled_at(struct kt_scan *scan, CXTranslationUnit unit, CXSourceLocation location, size_t *file, uint32_t *at)
{
	CXToken *tokens = NULL;
	unsigned count = 0;
	if (unit == NULL)
		return false;
	kt_clang.tokenize(unit, kt_clang.getRange(location, location), &tokens, &count);
	if (count > 0)
		*at = kt_scan_offset(scan, kt_clang.getTokenLocation(unit, tokens[0]), file);
	kt_clang.disposeTokens(unit, tokens, count);
	return count > 0 && *file != SIZE_MAX;
}

static bool find_end(struct parts *p, const struct kt_text *text)
{
	for (p->close = p->open + 1; p->close < text->count && !kt_token_is(text, p->close, ">>>"); p->close++) {
		if (kt_token_is(text, p->close, "(") || kt_token_is(text, p->close, "[") || kt_token_is(text, p->close, "{"))
			p->close = kt_token_match(text, p->close);
		if (p->close < text->count && (kt_token_is(text, p->close, ";") || kt_token_is(text, p->close, "<<<")))
			return false;
	}
	if (p->close + 1 >= text->count || !kt_token_is(text, p->close + 1, "("))
		return false;
	p->last = kt_token_match(text, p->close + 1);
	return p->last < text->count;
}

/* "::ns::a ## b" before "<" or "<<<". */
static bool find_callee(struct parts *p, const struct kt_text *text)
{
	static const char *const words[] = {"return", "else", "do", "co_return", "co_yield", "co_await", "throw"};
	uint32_t end = 0;
	p->list = p->open;
	if (p->open > 0 && text->tokens[p->open - 1].kind == KT_TOKEN_MARK)
		for (p->list = p->open; p->list-- > 0;)
			if (kt_token_is(text, p->list, "<") && kt_token_match_angle(text, p->list, &end) == p->open - 1)
				break;
	if (p->list == 0 || p->list == SIZE_MAX || text->tokens[p->list - 1].kind != KT_TOKEN_NAME)
		return false;
	p->end = p->list;
	p->name = p->list - 1;
	while (p->name > 1 && kt_token_is(text, p->name - 1, "##") && text->tokens[p->name - 2].kind == KT_TOKEN_NAME)
		p->name -= 2;
	p->callee = p->name;
	while (p->callee > 0 && kt_token_is(text, p->callee - 1, "::")) {
		bool qualified = p->callee > 1 && text->tokens[p->callee - 2].kind == KT_TOKEN_NAME;
		for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
			qualified = qualified && !kt_token_is(text, p->callee - 2, words[w]);
		p->callee -= qualified ? 2 : 1;
	}
	return p->callee == 0 || (!kt_token_is(text, p->callee - 1, "##") && !kt_token_is(text, p->callee - 1, ">") &&
	                          !kt_token_is(text, p->callee - 1, ".") && !kt_token_is(text, p->callee - 1, "->"));
}

/* Does the body give a name of the text another meaning? Its parameters do, and so do its variables. */
static bool captures(struct kt_scan *scan, const struct kt_macro_level *level, uint32_t root, const char *text)
{
	struct kt_text tokens;
	struct kt_error err;
	if (kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
		return true;
	for (size_t t = 0; t < tokens.count; t++)
		for (size_t i = 0; i < level->macro->parameter_count; i++)
			if (kt_token_is(&tokens, t, level->macro->parameters[i]) &&
			    (level->values[i] == NULL || !kt_token_is(&tokens, t, level->values[i])))
				return true;
	/* One of the body that hides another one. */
	const struct kt_local *local = kt_macro_local(scan, root, &tokens);
	return local != NULL && kt_scan_visible(scan, local->name, root) != NULL;
}

/* Is the callee the kernel's name, by itself or as what a parameter holds? */
static bool read_callee(struct reader *r)
{
	const struct parts *p = &r->parts;
	const char *text = kt_macro_text(r->scan, r->level, p->name, p->end);
	struct kt_text tokens;
	struct kt_error err;
	size_t name = 0;
	r->list = "";
	if (text == NULL || kt_lex(&tokens, r->scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
		return false;
	while (name < tokens.count && !kt_token_is(&tokens, name, "<") && name + 1 < tokens.count &&
	       !kt_token_is(&tokens, name + 1, "<")) {
		if (tokens.tokens[name].kind != KT_TOKEN_NAME && !kt_token_is(&tokens, name, "::"))
			return false;
		name++;
	}
	if (name >= tokens.count || !kt_token_is(&tokens, name, r->found->region.kernel))
		return false;
	if (name + 1 == tokens.count)
		return true;
	uint32_t end = 0;
	r->list = kt_arena_strdup(r->scan->arena, text + tokens.tokens[name + 1].begin);
	return r->list != NULL && p->list == p->open &&
	       kt_token_match_angle(&tokens, name + 1, &end) == tokens.count - 1 && !captures(r->scan, r->level, r->scan->text->tokens[r->root].begin, r->list);
}

/* A macro that names itself, or one of the path that leads to it, is expanded another way in a copy, or is not expanded. */
static bool is_repeated(const struct reader *r)
{
	for (size_t i = r->path.first; i < r->path.count; i++) {
		const struct kt_macro_level *l = &r->path.levels[i];
		for (size_t t = l->body; t < l->text.count; t++) {
			const bool callee = i + 1 == r->path.count && r->parts.name <= t && t < r->parts.end;
			for (size_t k = r->path.first; k <= i && !callee; k++)
				if (kt_token_is(&l->text, t, r->path.levels[k].macro->name))
					return true;
		}
	}
	return false;
}

/* Why launches of the kernel keep the original: what a body sets or asks of it. NULL: it does not. */
static const char *setting_of(const struct reader *r)
{
	for (size_t i = 0; i < r->path.count; i++) {
		const struct kt_text *text = &r->path.levels[i].text;
		for (size_t t = 0; t < text->count; t++) {
			const char *reason = kt_mention_setting(text, t);
			if (reason != NULL)
				return reason;
		}
	}
	return NULL;
}

/* Would a string that a macro makes show the copy? */
static bool is_string(const struct reader *r, const struct kt_call *call)
{
	const struct kt_text *text = r->scan->text;
	bool found = kt_macro_is_string(r->scan, text, r->path.root, call->function != NULL ? kt_token_at(text, call->function->begin)
	                                                                                : 0);
	for (size_t i = r->path.first; i < r->path.count && !found; i++)
		found = kt_macro_is_string(r->scan, &r->path.levels[i].text, r->path.levels[i].use, r->path.levels[i].body);
	return found;
}

static struct kt_range range_of(const struct kt_text *text, size_t first, size_t end)
{
	return (struct kt_range){text->tokens[first].begin, text->tokens[end - 1].end};
}

static bool write_launch(struct reader *r, struct kt_launch *l)
{
	const struct kt_text *text = &r->level->text;
	const struct parts *p = &r->parts;
	const char *arguments = kt_macro_text(r->scan, r->level, p->close + 2, p->last);
	const size_t count = r->path.count - r->path.first;
	struct kt_launch_level *levels = kt_arena_array(r->scan->arena, count, sizeof *levels);
	const struct kt_range root = range_of(r->scan->text, r->path.root, r->path.root + 1);
	if (levels == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct kt_macro_level *one = &r->path.levels[r->path.first + i];
		levels[i] = (struct kt_launch_level){.text = one->text.data, .list = ""};
		if (i + 1 < count)
			levels[i].use = range_of(&one->text, one->use, one->use + 1);
	}
	l->levels = levels;
	l->level_count = count;
	levels[count - 1].list = r->list;
	levels[count - 1].callee = range_of(text, p->callee, p->end);
	levels[count - 1].open = range_of(text, p->open, p->open + 1);
	levels[count - 1].close = range_of(text, p->close, p->close + 2);
	levels[count - 1].end = range_of(text, p->last, p->last + 1);
	l->has_arguments = p->close + 2 < p->last && (arguments == NULL || arguments[0] != '\0');
	l->callee = root;
	l->open = l->close = l->end = (struct kt_range){root.end, root.end};
	return true;
}

/* Puts values in place of the body's variables. A variable that is an argument keeps its name: the extents may name it. */
static bool read_arguments(struct reader *r, struct kt_route *route, uint32_t root)
{
	for (size_t i = 0; i < route->argument_count; i++) {
		const char **text = &route->arguments[i];
		if (captures(r->scan, r->level, root, *text))
			return false;
		const char *value = kt_macro_with_locals(r->scan, r->level, root, *text, text, 1);
		*text = value != NULL ? value : *text;
	}
	return true;
}

/* The configuration and the arguments as texts at the place of use, as far as they are known. */
static void write_route(struct reader *r, struct kt_route *route)
{
	const struct parts *p = &r->parts;
	const char *configuration = kt_macro_text(r->scan, r->level, p->open + 1, p->close);
	const char *arguments = kt_macro_text(r->scan, r->level, p->close + 2, p->last);
	const uint32_t root = r->scan->text->tokens[r->root].begin;
	const char **parts = NULL;
	size_t count = 0;
	*route = (struct kt_route){.part_count = 0, .macro = kt_arena_array(r->scan->arena, 1, sizeof *route->macro)};
	if (route->macro == NULL) {
		r->scan->failed = true;
		return;
	}
	*route->macro = *r->level;
	route->list = r->list[0] != '\0' ? r->list : kt_macro_text(r->scan, r->level, p->list, p->open);
	kt_macro_configuration(r->scan, &r->path, root, p->close, route);
	if (arguments == NULL ||
	    !kt_macro_split(r->scan, arguments, &route->arguments, &route->argument_count) || !read_arguments(r, route, root))
		route->arguments = NULL;
	configuration = kt_macro_with_locals(r->scan, r->level, root, configuration, route->arguments,
	                                     route->arguments != NULL ? route->argument_count : 0);
	if (configuration != NULL && kt_macro_split(r->scan, configuration, &parts, &count) && count <= 4) {
		for (size_t i = 0; i < count; i++)
			route->parts[i] = parts[i];
		route->part_count = count;
	}
}

/* Which of the launches that uses of macros at one place make of one "<<<" a call is, and how many there are. */
struct expansion {
	size_t index, count;
};

static struct expansion expansion_of(struct kt_scan *scan, CXTranslationUnit unit, const struct kt_call *call, size_t file,
                                     uint32_t at)
{
	struct expansion out = {0, 0};
	for (size_t i = 0; i < scan->call_count; i++) {
		const struct kt_call *one = &scan->calls[i];
		size_t other_file = SIZE_MAX;
		uint32_t other = 0;
		if (one->config_extent.begin != call->config_extent.begin ||
		    !spelled_at(scan, unit, kt_clang.getRangeStart(kt_clang.getCursorExtent(one->config)), &other_file, &other) ||
		    other_file != file || other != at)
			continue;
		out.index += one < call;
		out.count++;
	}
	return out;
}

/* A copy of a macro that another one is given is for all of its uses: do they launch by one name? */
static bool launches_one_name(struct kt_scan *scan, const struct reader *r, const struct kt_macro_path *paths, size_t count)
{
	const char *name = kt_macro_text(scan, r->level, r->parts.callee, r->parts.end);
	for (size_t i = 0; i < count; i++) {
		if (r->path.first == 0)
			continue;
		const char *other = kt_macro_text(scan, &paths[i].levels[paths[i].count - 1], r->parts.callee, r->parts.end);
		if (name == NULL || other == NULL || strcmp(name, other) != 0)
			return false;
	}
	return true;
}

bool kt_launch_read_macro(struct kt_scan *scan, struct kt_found *found, const struct kt_call *call, struct kt_launch *l,
                          struct kt_route *route)
{
	struct reader r = {.scan = scan, .found = found, .root = kt_token_at(scan->text, call->config_extent.begin)};
	const CXSourceLocation begin = kt_clang.getRangeStart(kt_clang.getCursorExtent(call->config));
	const CXTranslationUnit units[] = {scan->unit, scan->host_unit};
	struct kt_macro_path *paths = NULL;
	size_t file = SIZE_MAX, count = 0;
	uint32_t at = 0;
	if (r.root >= scan->text->count || scan->text->tokens[r.root].begin != call->config_extent.begin ||
	    scan->text->tokens[r.root].kind != KT_TOKEN_NAME)
		return false;
	for (size_t u = 0; u < 2 && r.level == NULL; u++) {
		if (!spelled_at(scan, units[u], begin, &file, &at) || !kt_macro_paths(&paths, &count, scan, r.root, file, at))
			continue;
		const struct expansion e = expansion_of(scan, units[u], call, file, at);
		/* What is an argument of another macro may be expanded several times. */
		if (e.count == 0 || e.count % count != 0)
			continue;
		r.path = paths[e.index % count];
		r.level = &r.path.levels[r.path.count - 1];
	}
	if (r.level == NULL)
		return false;
	r.parts.open = r.level->use;
	if (!find_end(&r.parts, &r.level->text) || !find_callee(&r.parts, &r.level->text) ||
	    r.parts.callee < r.level->body || !read_callee(&r) || is_repeated(&r) || is_string(&r, call) ||
	    !launches_one_name(scan, &r, paths, count) || !write_launch(&r, l))
		return false;
	write_route(&r, route);
	found->macro_setting = found->macro_setting != NULL ? found->macro_setting : setting_of(&r);
	return !scan->failed;
}

bool kt_launch_macro_captures(struct kt_scan *scan, const struct kt_launch *l, const struct kt_route *route,
                              size_t variable_count)
{
	for (size_t v = 0; v < variable_count; v++)
		if (l->bindings[v].argument < 0 && l->bindings[v].text != NULL &&
		    captures(scan, route->macro, l->callee.begin, l->bindings[v].text))
			return true;
	return false;
}
