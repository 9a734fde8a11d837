#include "routes.h"

#include <string.h>

#include "expand.h"

#define MOST_FRAMES 6

/* Functions of the runtime that launch a kernel which they are given, and where its parts are among their arguments. */
static const struct launcher {
	const char *name;
	size_t kernel;
	bool by_structure; /* the first argument points to a cudaLaunchConfig_t; else grid, block, arguments, shared
			      follow */
	bool by_array;     /* the kernel's arguments are an array of their addresses */
} launchers[] = {
    {"cudaLaunchKernel", 0, false, true},
    {"cudaLaunchKernelEx", 1, true, false},
    {"cudaLaunchKernelExC", 1, true, true},
};

/* An argument of a call: its tokens. */
struct part {
	size_t first, end;
};

struct parts {
	struct part *items;
	size_t count;
};

/* A function that is given the kernel: what its parameters hold, as text at the user's call. */
struct frame {
	const char **names, **values;
	CXType *types;
	size_t count;
	const char *pack;  /* the name of its pack; NULL: none */
	const char **rest; /* what the pack holds */
	size_t rest_count;
	size_t body, end; /* tokens of "{" and "}" */
};

struct reader {
	struct kt_scan *scan;
	const struct kt_text *text;
	struct kt_route *out;
	struct kt_launch_site *sites;
	size_t site_count;
	bool in_header; /* a function of another file launches it, which no copy is made of */
};

/* Does a template's list begin at "<"? *close: its ">". */
static bool is_list(const struct kt_text *text, size_t open, size_t *close)
{
	static const char *const after[] = {"(", ")", ",", "::", "{", ";", ">", "..."};
	uint32_t end = 0;
	if (!kt_token_is(text, open, "<") || open == 0 || text->tokens[open - 1].kind != KT_TOKEN_NAME)
		return false;
	*close = kt_token_match_angle(text, open, &end);
	for (size_t i = 0; *close + 1 < text->count && i < sizeof after / sizeof after[0]; i++)
		if (kt_token_is(text, *close + 1, after[i]))
			return true;
	return false;
}

/* The arguments between "(" at open and its ")", which becomes *close. */
static bool split(struct reader *r, size_t open, struct parts *out, size_t *close)
{
	const struct kt_text *text = r->text;
	size_t first = open + 1, end = 0;
	*out = (struct parts){NULL, 0};
	*close = kt_token_match(text, open);
	for (size_t i = open + 1; *close < text->count && i <= *close; i++) {
		if (i < *close && is_list(text, i, &end))
			i = end;
		else if (i < *close &&
			 (kt_token_is(text, i, "(") || kt_token_is(text, i, "[") || kt_token_is(text, i, "{")))
			i = kt_token_match(text, i);
		else if (i == *close ? first < i : kt_token_is(text, i, ",")) {
			struct part *slot = kt_arena_push(r->scan->arena, &out->items, &out->count, sizeof *slot);
			if (slot == NULL)
				return false;
			*slot = (struct part){first, i};
			first = i + 1;
		}
	}
	return *close < text->count;
}

/* Does a list "{…}" of an expression end at token *i? Then it becomes its "{". */
static bool is_braced(const struct kt_text *text, size_t *i)
{
	size_t open = *i;
	while (open > 0 && !(kt_token_is(text, open, "{") && kt_token_match(text, open) >= *i))
		open--;
	if (open == 0 || kt_token_match(text, open) != *i ||
	    (text->tokens[open - 1].kind != KT_TOKEN_NAME && !kt_token_is(text, open - 1, "(") &&
	     !kt_token_is(text, open - 1, ",") && !kt_token_is(text, open - 1, ">")))
		return false;
	*i = open;
	return true;
}

size_t kt_call_around(const struct kt_text *text, size_t i, size_t *name)
{
	size_t depth = 0, angles = 0;
	while (i-- > 0) {
		if (kt_token_is(text, i, "}") && is_braced(text, &i))
			continue;
		if (kt_token_is(text, i, ";") || kt_token_is(text, i, "{") || kt_token_is(text, i, "}"))
			break;
		if (kt_token_is(text, i, ")") || kt_token_is(text, i, "]"))
			depth++;
		if (kt_token_is(text, i, "[") && depth > 0)
			depth--;
		if (!kt_token_is(text, i, "("))
			continue;
		if (depth > 0) {
			depth--;
			continue;
		}
		if (i == 0)
			break;
		size_t before = i - 1;
		for (angles = 0; before > 0 && (angles > 0 || kt_token_is(text, before, ">")); before--)
			if (kt_token_is(text, before, ">"))
				angles++;
			else if (kt_token_is(text, before, "<") && --angles == 0) {
				before--;
				break;
			}
		if (text->tokens[before].kind != KT_TOKEN_NAME || kt_token_is(text, before, "reinterpret_cast") ||
		    kt_token_is(text, before, "static_cast"))
			continue;
		*name = before;
		return i;
	}
	return text->count;
}

/* Is the argument nothing but what tokens [first, end) name, its address, or a cast of it? */
static bool is_alone(const struct kt_text *text, const struct part *part, size_t first, size_t end)
{
	static const char *const around[] = {"(",          ")", "&", "*", "<", ">", "const", "void", "reinterpret_cast",
					     "static_cast"};
	for (size_t i = part->first; i < part->end; i++) {
		bool known = i >= first && i < end;
		for (size_t a = 0; a < sizeof around / sizeof around[0] && !known; a++)
			known = kt_token_is(text, i, around[a]);
		if (!known)
			return false;
	}
	return part->first <= first && end <= part->end;
}

static const char *words(struct reader *r, size_t first, size_t end)
{
	return first < end
		   ? kt_scan_squeeze(r->scan, r->text, r->text->tokens[first].begin, r->text->tokens[end - 1].end)
		   : "";
}

/* The text with the variables of the function's body, which are written once, replaced by what they hold. */
static const char *with_locals(struct reader *r, const struct frame *f, const char *text, uint32_t at)
{
	struct kt_expand x = {.scan = r->scan, .at = at};
	for (int depth = 0; depth < 4 && text != NULL; depth++) {
		struct kt_text tokens;
		struct kt_error err;
		const char *name = NULL, *value = NULL;
		if (kt_lex(&tokens, r->scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
			return NULL;
		for (size_t t = 0; t < tokens.count && value == NULL; t++) {
			if (tokens.tokens[t].kind != KT_TOKEN_NAME || (t > 0 && kt_token_is(&tokens, t - 1, ".")))
				continue;
			name = kt_arena_strndup(r->scan->arena, text + tokens.tokens[t].begin,
						tokens.tokens[t].end - tokens.tokens[t].begin);
			const struct kt_local *local = name != NULL ? kt_scan_visible(r->scan, name, at) : NULL;
			if (local == NULL || local->is_parameter || local->at < r->text->tokens[f->body].begin)
				continue;
			value = kt_reaching_value(&x, local);
			if (value != NULL && kt_scan_is_dim3(local->type, r->scan->arena) &&
			    (value[0] == '(' || value[0] == '{'))
				value = kt_arena_printf(r->scan->arena, "dim3 %s", value);
		}
		if (value == NULL)
			return text;
		text = strcmp(text, name) == 0 ? value : kt_text_put(r->scan, text, &name, &value, 1);
	}
	return text;
}

/* "p.blocks" of a parameter that is given `Params{n / 64, 64}` → "n / 64". */
static const char *with_members(struct reader *r, const struct frame *f, const char *text)
{
	struct kt_text tokens;
	struct kt_error err;
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	uint32_t at = 0;
	if (kt_lex(&tokens, r->scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
		return NULL;
	for (size_t t = 0; t + 2 < tokens.count; t++) {
		const struct kt_token *member = &tokens.tokens[t + 2];
		const char *value = NULL;
		for (size_t i = 0; i < f->count && kt_token_is(&tokens, t + 1, "."); i++)
			if (kt_token_is(&tokens, t, f->names[i]) && (t == 0 || !kt_token_is(&tokens, t - 1, ".")))
				value = kt_record_member(r->scan, f->types[i], f->values[i],
							 kt_arena_strndup(r->scan->arena, text + member->begin,
									  member->end - member->begin));
		if (value == NULL)
			continue;
		kt_buf_addf(&out, "%.*s(%s)", (int)(tokens.tokens[t].begin - at), text + at, value);
		at = member->end;
	}
	kt_buf_adds(&out, text + at);
	const char *copy = out.failed ? NULL : kt_arena_strdup(r->scan->arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return copy;
}

/* What a text at a place of a function is in names that are visible at the user's call. NULL: not known. */
static const char *resolve_text(struct reader *r, const struct frame *f, const char *text, uint32_t at)
{
	if (f == NULL || text == NULL)
		return text;
	text = with_locals(r, f, text, at);
	text = text != NULL ? with_members(r, f, text) : NULL;
	for (size_t i = 0; text != NULL && i < f->count; i++)
		if (strcmp(f->names[i], text) == 0)
			return f->values[i];
	return text != NULL ? kt_text_put(r->scan, text, f->names, f->values, f->count) : NULL;
}

static const char *resolve(struct reader *r, const struct frame *f, size_t first, size_t end)
{
	return resolve_text(r, f, words(r, first, end), r->text->tokens[first].begin);
}

static bool add_text(struct reader *r, const char ***texts, size_t *count, const char *text)
{
	const char **slot = text != NULL ? kt_arena_push(r->scan->arena, texts, count, sizeof *slot) : NULL;
	if (slot != NULL)
		*slot = text;
	return slot != NULL;
}

/* "args...", "std::forward<A>(args)..." stand for all that the pack holds. */
static bool holds_pack(const struct kt_text *text, const struct frame *f, const struct part *p)
{
	if (f == NULL || f->pack == NULL || !kt_token_is(text, p->end - 1, "..."))
		return false;
	for (size_t i = p->first; i < p->end; i++)
		if (kt_token_is(text, i, f->pack))
			return true;
	return false;
}

/* "std::forward<A>(a)" → "a". */
static struct part forwarded(const struct kt_text *text, struct part p)
{
	size_t close = p.end - 1, open = p.first;
	while (open < close && !(kt_token_is(text, open, "(") && kt_token_match(text, open) == close))
		open++;
	if (open < close && open > p.first && kt_token_is(text, open - 1, ">"))
		for (size_t i = p.first; i < open; i++)
			if (kt_token_is(text, i, "forward") || kt_token_is(text, i, "move"))
				return (struct part){open + 1, close};
	return p;
}

static bool resolve_all(struct reader *r, const struct frame *f, const struct parts *parts, size_t from,
			const char ***texts, size_t *count)
{
	for (size_t i = from; i < parts->count; i++) {
		bool done = true;
		if (holds_pack(r->text, f, &parts->items[i])) {
			for (size_t k = 0; k < f->rest_count && done; k++)
				done = add_text(r, texts, count, f->rest[k]);
		} else {
			const struct part p = forwarded(r->text, parts->items[i]);
			done = add_text(r, texts, count, resolve(r, f, p.first, p.end));
		}
		if (!done)
			return false;
	}
	return true;
}

static struct kt_range range_of(const struct reader *r, size_t token)
{
	return (struct kt_range){r->text->tokens[token].begin, r->text->tokens[token].end};
}

static bool add_site(struct reader *r, struct kt_launch_site site)
{
	for (size_t i = 0; i < r->site_count; i++)
		if (r->sites[i].callee.begin == site.callee.begin)
			return true;
	struct kt_launch_site *slot = kt_arena_push(r->scan->arena, &r->sites, &r->site_count, sizeof *slot);
	if (slot != NULL)
		*slot = site;
	return slot != NULL;
}

static bool add_range(struct reader *r, size_t first, size_t end)
{
	struct kt_range *slot = kt_arena_push(r->scan->arena, &r->out->ranges, &r->out->range_count, sizeof *slot);
	if (slot != NULL)
		*slot = (struct kt_range){r->text->tokens[first].begin, r->text->tokens[end - 1].end};
	return slot != NULL;
}

/* Arguments of a call that are none of the kernel's. */
static bool add_ranges(struct reader *r, const struct parts *parts)
{
	bool done = true;
	for (size_t i = 0; i < parts->count && done; i++) {
		const struct part p = forwarded(r->text, parts->items[i]);
		const char *text = words(r, p.first, p.end);
		bool passed = text == NULL;
		for (size_t a = 0; a < r->out->argument_count && r->out->arguments != NULL && !passed; a++)
			passed = strcmp(r->out->arguments[a], text) == 0;
		done = passed || add_range(r, p.first, p.end);
	}
	return done;
}

/* Fills the configuration from the cudaLaunchConfig_t that an argument points to. */
static void read_structure(struct reader *r, const struct frame *f, const struct part *p)
{
	static const char *const members[] = {"gridDim", "blockDim", "dynamicSmemBytes"};
	const bool address = p->end == p->first + 2 && kt_token_is(r->text, p->first, "&");
	const char *name = address ? words(r, p->first + 1, p->end) : NULL;
	const struct kt_local *local =
	    name != NULL ? kt_scan_visible(r->scan, name, r->text->tokens[p->first].begin) : NULL;
	if (local == NULL || local->is_parameter)
		return;
	struct kt_expand x = {.scan = r->scan, .at = r->text->tokens[p->first].begin};
	for (size_t m = 0; m < 3; m++) {
		/* Where it is given to the launch is no write of it. */
		const char *value = resolve_text(r, f, kt_reaching_member(&x, local, members[m]), x.at);
		if (value == NULL && m < 2)
			return;
		r->out->parts[m] = value != NULL ? value : "0";
		r->out->part_count = m < 2 ? 0 : 3;
	}
}

/* The kernel's arguments from an array of their addresses: {&y, (void *)&x}. */
static void read_array(struct reader *r, const struct frame *f, const struct part *p)
{
	const char *name = p->end == p->first + 1 ? words(r, p->first, p->end) : NULL;
	const struct kt_local *local =
	    name != NULL ? kt_scan_visible(r->scan, name, r->text->tokens[p->first].begin) : NULL;
	struct parts parts;
	size_t close = 0, count = 0, i = local != NULL ? kt_token_at(r->text, local->at) : r->text->count;
	const char **texts = NULL;
	while (i < r->text->count && r->text->tokens[i].begin < local->end && !kt_token_is(r->text, i, "{"))
		i++;
	if (i >= r->text->count || !kt_token_is(r->text, i, "{") || !split(r, i, &parts, &close))
		return;
	for (size_t k = 0; k < parts.count; k++) {
		size_t first = parts.items[k].first;
		while (first < parts.items[k].end && r->text->tokens[first].kind != KT_TOKEN_NAME)
			first = kt_token_is(r->text, first, "(") && kt_token_is(r->text, first + 1, "void")
				    ? kt_token_match(r->text, first) + 1
				    : first + 1;
		if (first + 1 != parts.items[k].end || !add_text(r, &texts, &count, resolve(r, f, first, first + 1)))
			return;
	}
	r->out->arguments = texts;
	r->out->argument_count = count;
}

static bool read_launcher(struct reader *r, const struct frame *f, size_t name, const struct parts *parts, size_t index)
{
	const struct launcher *l = NULL;
	for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++)
		if (kt_token_is(r->text, name, launchers[i].name) && launchers[i].kernel == index)
			l = &launchers[i];
	struct kt_range callee = range_of(r, name);
	if (l == NULL || parts->count < 3)
		return false;
	if (name > 0 && kt_token_is(r->text, name - 1, "::"))
		callee.begin = r->text->tokens[name - 1].begin;
	if (!add_site(r, (struct kt_launch_site){.is_function = true, .callee = callee}))
		return false;
	if (!l->by_structure && parts->count >= 4 &&
	    (!add_range(r, parts->items[1].first, parts->items[2].end) ||
	     (parts->count > 4 && !add_range(r, parts->items[4].first, parts->items[4].end))))
		return false;
	if (r->out->part_count > 0)
		return true;
	if (l->by_structure) {
		read_structure(r, f, &parts->items[0]);
	} else if (parts->count >= 4) {
		static const size_t places[] = {1, 2, 4};
		for (size_t i = 0; i < 3; i++)
			r->out->parts[i] = places[i] < parts->count ? resolve(r, f, parts->items[places[i]].first,
									      parts->items[places[i]].end)
								    : "0";
		r->out->part_count =
		    r->out->parts[0] != NULL && r->out->parts[1] != NULL && r->out->parts[2] != NULL ? 3 : 0;
	}
	if (l->by_array && parts->count > (l->by_structure ? 2 : 3))
		read_array(r, f, &parts->items[l->by_structure ? 2 : 3]);
	else if (!l->by_array && !resolve_all(r, f, parts, 2, &r->out->arguments, &r->out->argument_count))
		r->out->arguments = NULL;
	return true;
}

/* "kernel<<<…>>>(…)" at token i. */
static bool read_launch(struct reader *r, const struct frame *f, size_t i)
{
	const struct kt_text *text = r->text;
	struct parts parts = {NULL, 0}, arguments = {NULL, 0};
	size_t close = i + 2, first = i + 2, last = 0;
	while (close < f->end && !kt_token_is(text, close, ">>>")) {
		size_t list = 0;
		const bool comma = kt_token_is(text, close, ",");
		if (comma) {
			struct part *slot = kt_arena_push(r->scan->arena, &parts.items, &parts.count, sizeof *slot);
			if (slot == NULL)
				return false;
			*slot = (struct part){first, close};
			first = close + 1;
		}
		if (is_list(text, close, &list))
			close = list + 1;
		else if (kt_token_is(text, close, "(") || kt_token_is(text, close, "{") ||
			 kt_token_is(text, close, "["))
			close = kt_token_match(text, close) + 1;
		else
			close++;
	}
	struct part *slot = kt_arena_push(r->scan->arena, &parts.items, &parts.count, sizeof *slot);
	if (slot == NULL || close >= f->end || !kt_token_is(text, close + 1, "(") ||
	    !split(r, close + 1, &arguments, &last))
		return false;
	*slot = (struct part){first, close};
	if (first == close || !add_range(r, i + 2, close))
		return false;
	for (size_t t = i; t < last; t++)
		if (text->tokens[t].kind == KT_TOKEN_DIRECTIVE)
			return false;
	if (!add_site(r, (struct kt_launch_site){.callee = range_of(r, i),
						 .open = range_of(r, i + 1),
						 .close = {text->tokens[close].begin, text->tokens[close + 1].end},
						 .end = range_of(r, last)}))
		return false;
	/* Of several ways to launch it, this one tells more. */
	r->out->part_count = r->out->argument_count = 0;
	r->out->arguments = NULL;
	for (size_t p = 0; p < parts.count && p < 4; p++) {
		r->out->parts[p] = resolve(r, f, parts.items[p].first, parts.items[p].end);
		if (r->out->parts[p] == NULL)
			return true;
	}
	r->out->part_count = parts.count <= 4 ? parts.count : 0;
	if (!resolve_all(r, f, &arguments, 0, &r->out->arguments, &r->out->argument_count))
		r->out->arguments = NULL;
	return true;
}

static bool read_call(struct reader *r, const struct frame *f, size_t name, size_t open, size_t first, size_t end,
		      int depth);

/* Finds what the function does with its parameter. */
static bool read_body(struct reader *r, const struct frame *f, const char *parameter, int depth)
{
	const struct kt_text *text = r->text;
	bool found = false;
	for (size_t i = f->body + 1; i < f->end; i++) {
		size_t name = 0;
		if (!kt_token_is(text, i, parameter) || kt_token_is(text, i - 1, ".") ||
		    kt_token_is(text, i - 1, "->") || kt_token_is(text, i - 1, "::") ||
		    (kt_scan_skipped(r->scan, text->tokens[i].begin) && kt_scan_dead(r->scan, text->tokens[i].begin)))
			continue;
		if (kt_token_is(text, i + 1, "<<<")) {
			found = read_launch(r, f, i) || found;
			continue;
		}
		const size_t open = kt_call_around(text, i, &name);
		if (open < text->count && open > f->body)
			found = read_call(r, f, name, open, i, i + 1, depth) || found;
	}
	return found;
}

struct listing {
	struct kt_scan *scan;
	CXCursor *items;
	size_t count;
	uint32_t body;
};

static enum CXChildVisitResult list_part(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct listing *l = data;
	size_t file = 0;
	(void)parent;
	if (kt_clang.getCursorKind(cursor) == CXCursor_CompoundStmt)
		l->body = kt_scan_offset(l->scan, kt_clang.getRangeStart(kt_clang.getCursorExtent(cursor)), &file);
	if (kt_clang.getCursorKind(cursor) != CXCursor_ParmDecl)
		return CXChildVisit_Continue;
	CXCursor *slot = kt_arena_push(l->scan->arena, &l->items, &l->count, sizeof *slot);
	if (slot != NULL)
		*slot = cursor;
	l->scan->failed = l->scan->failed || slot == NULL;
	return l->scan->failed ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* The function's definition where it is a text of the project; a null cursor: none. */
static CXCursor definition_of(CXCursor target)
{
	CXCursor from = kt_clang.getSpecializedCursorTemplate(target);
	CXCursor function = kt_clang.Cursor_isNull(from) == 0 ? from : target;
	return kt_clang.getCursorDefinition(function);
}

static bool is_pack(struct reader *r, CXCursor parameter)
{
	const char *type = kt_clang_text(r->scan->arena, kt_clang.getTypeSpelling(kt_clang.getCursorType(parameter)));
	const size_t length = type != NULL ? strlen(type) : 0;
	return length > 3 && strcmp(type + length - 3, "...") == 0;
}

/* Follows the kernel into a function of the project. */
static bool read_function(struct reader *r, const struct frame *outer, CXCursor target, const struct parts *parts,
			  size_t index, int depth)
{
	CXCursor function = definition_of(target);
	struct listing l = {.scan = r->scan};
	struct frame f = {.count = 0};
	size_t file = SIZE_MAX;
	if (kt_clang.Cursor_isNull(function) != 0)
		return false;
	(void)kt_scan_offset(r->scan, kt_clang.getCursorLocation(function), &file);
	r->in_header = r->in_header || file != 0;
	if (file != 0)
		return false;
	kt_clang.visitChildren(function, list_part, &l);
	const size_t most = l.count + 1;
	f.names = kt_arena_array(r->scan->arena, most, sizeof *f.names);
	f.values = kt_arena_array(r->scan->arena, most, sizeof *f.values);
	f.types = kt_arena_array(r->scan->arena, most, sizeof *f.types);
	if (l.body == 0 || f.names == NULL || f.values == NULL || f.types == NULL || index >= l.count)
		return false;
	f.body = kt_token_at(r->text, l.body);
	f.end = kt_token_match(r->text, f.body);
	if (f.end >= r->text->count)
		return false;
	for (size_t i = 0; i < l.count; i++) {
		const char *name = kt_clang_text(r->scan->arena, kt_clang.getCursorSpelling(l.items[i]));
		if (name == NULL)
			return false;
		if (is_pack(r, l.items[i])) {
			f.pack = name;
			if (i < index || !resolve_all(r, outer, parts, i, &f.rest, &f.rest_count))
				return false;
			break;
		}
		if (i >= parts->count)
			break;
		const struct part p = forwarded(r->text, parts->items[i]);
		const char *value = resolve(r, outer, p.first, p.end);
		if (value == NULL)
			return false;
		f.names[f.count] = name;
		f.types[f.count] = kt_clang.getCursorType(l.items[i]);
		f.values[f.count++] = value;
	}
	return index < f.count && read_body(r, &f, f.names[index], depth + 1);
}

/* A call of a function of the project. */
static bool read_receiver(struct reader *r, const struct frame *f, size_t name, const struct parts *parts, size_t index,
			  int depth)
{
	CXCursor target = kt_scan_target(r->scan, r->text->tokens[name].begin);
	if (kt_clang.Cursor_isNull(target) != 0)
		return false;
	if (kt_clang.getCursorKind(target) != CXCursor_OverloadedDeclRef)
		return read_function(r, f, target, parts, index, depth);
	/* Of overloads it has to be clear which one is called. */
	CXCursor only = kt_clang.getNullCursor();
	for (unsigned i = 0; i < kt_clang.getNumOverloadedDecls(target); i++) {
		CXCursor one = kt_clang.getCanonicalCursor(kt_clang.getOverloadedDecl(target, i));
		if (kt_clang.Cursor_isNull(only) == 0 && !kt_scan_same(r->scan, only, one))
			return false;
		only = one;
	}
	return kt_clang.Cursor_isNull(only) == 0 && read_function(r, f, only, parts, index, depth);
}

/* A call that has tokens [first, end) among its arguments. */
static bool read_call(struct reader *r, const struct frame *f, size_t name, size_t open, size_t first, size_t end,
		      int depth)
{
	struct parts parts;
	size_t close = 0, index = 0;
	if (depth > MOST_FRAMES || !split(r, open, &parts, &close))
		return false;
	while (index < parts.count && parts.items[index].end <= first)
		index++;
	if (index == parts.count)
		return false;
	const struct part p = forwarded(r->text, parts.items[index]);
	if (!is_alone(r->text, &p, first, end))
		return false;
	if (read_launcher(r, f, name, &parts, index))
		return true;
	if (!read_receiver(r, f, name, &parts, index, depth))
		return false;
	return f != NULL || add_ranges(r, &parts);
}

bool kt_route_read(struct kt_scan *scan, struct kt_found *found, uint32_t at, struct kt_launch *l, struct kt_route *out,
		   uint32_t *call)
{
	struct reader r = {.scan = scan, .text = scan->text, .out = out};
	struct kt_region *region = &found->region;
	size_t token = kt_token_at(scan->text, at), first = token, end = token + 1, name = 0, close = 0;
	*out = (struct kt_route){.part_count = 0};
	while (first > 0 && kt_token_is(scan->text, first - 1, "::"))
		first -= first > 1 && scan->text->tokens[first - 2].kind == KT_TOKEN_NAME ? 2 : 1;
	if (kt_token_is(scan->text, end, "<") && is_list(scan->text, end, &close))
		end = close + 1;
	const size_t open = kt_call_around(scan->text, first, &name);
	if (open >= scan->text->count || !read_call(&r, NULL, name, open, first, end, 0))
		return false;
	for (size_t i = 0; i < r.site_count; i++) {
		size_t known = 0;
		while (known < region->site_count && region->sites[known].callee.begin != r.sites[i].callee.begin)
			known++;
		struct kt_launch_site *slot =
		    known < region->site_count
			? &region->sites[known]
			: kt_arena_push(scan->arena, &region->sites, &region->site_count, sizeof *slot);
		scan->failed = scan->failed || slot == NULL;
		if (slot != NULL)
			*slot = r.sites[i];
	}
	const uint32_t behind = scan->text->tokens[end - 1].end;
	l->callee = (struct kt_range){scan->text->tokens[first].begin, scan->text->tokens[token].end};
	l->open = l->close = l->end = (struct kt_range){behind, behind};
	l->is_routed = true;
	*call = scan->text->tokens[name].begin;
	return true;
}
