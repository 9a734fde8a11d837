/* What launches the kernel in the end: a launch of a parameter, or a function of the runtime. */
#include "routes_internal.h"

#include <string.h>

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

static struct kt_range range_of(const struct kt_route_reader *r, size_t token)
{
	return (struct kt_range){r->text->tokens[token].begin, r->text->tokens[token].end};
}

static bool add_site(struct kt_route_reader *r, struct kt_launch_site site)
{
	for (size_t i = 0; i < r->site_count; i++)
		if (r->sites[i].callee.begin == site.callee.begin)
			return true;
	struct kt_launch_site *slot = kt_arena_push(r->scan->arena, &r->sites, &r->site_count, sizeof *slot);
	if (slot != NULL)
		*slot = site;
	return slot != NULL;
}

static bool add_range(struct kt_route_reader *r, size_t first, size_t end)
{
	struct kt_range *slot = kt_arena_push(r->scan->arena, &r->out->ranges, &r->out->range_count, sizeof *slot);
	if (slot != NULL)
		*slot = (struct kt_range){r->text->tokens[first].begin, r->text->tokens[end - 1].end};
	return slot != NULL;
}

/* Arguments of a call that are none of the kernel's. */
bool kt_route_add_ranges(struct kt_route_reader *r, const struct kt_route_parts *parts)
{
	bool done = true;
	for (size_t i = 0; i < parts->count && done; i++) {
		const struct kt_route_part p = kt_route_forwarded(r->text, parts->items[i]);
		const char *text = kt_route_words(r, p.first, p.end);
		bool passed = text == NULL;
		for (size_t a = 0; a < r->out->argument_count && r->out->arguments != NULL && !passed; a++)
			passed = strcmp(r->out->arguments[a], text) == 0;
		done = passed || add_range(r, p.first, p.end);
	}
	return done;
}

/* Fills the configuration from the cudaLaunchConfig_t that an argument points to. */
static void read_structure(struct kt_route_reader *r, const struct kt_route_frame *f, const struct kt_route_part *p)
{
	static const char *const members[] = {"gridDim", "blockDim", "dynamicSmemBytes"};
	const bool address = p->end == p->first + 2 && kt_token_is(r->text, p->first, "&");
	const char *name = address ? kt_route_words(r, p->first + 1, p->end) : NULL;
	const struct kt_local *local =
	    name != NULL ? kt_scan_visible(r->scan, name, r->text->tokens[p->first].begin) : NULL;
	if (local == NULL || local->is_parameter)
		return;
	struct kt_expand x = {.scan = r->scan, .at = r->text->tokens[p->first].begin};
	for (size_t m = 0; m < 3; m++) {
		/* Where it is given to the launch is no write of it. */
		const char *value = kt_route_resolve_text(r, f, kt_reaching_member(&x, local, members[m]), x.at);
		if (value == NULL && m < 2)
			return;
		r->out->parts[m] = value != NULL ? value : "0";
		r->out->part_count = m < 2 ? 0 : 3;
	}
}

/* The kernel's arguments from an array of their addresses: {&y, (void *)&x}. */
static void read_array(struct kt_route_reader *r, const struct kt_route_frame *f, const struct kt_route_part *p)
{
	const char *name = p->end == p->first + 1 ? kt_route_words(r, p->first, p->end) : NULL;
	const struct kt_local *local =
	    name != NULL ? kt_scan_visible(r->scan, name, r->text->tokens[p->first].begin) : NULL;
	struct kt_route_parts parts;
	size_t close = 0, count = 0, i = local != NULL ? kt_token_at(r->text, local->at) : r->text->count;
	const char **texts = NULL;
	while (i < r->text->count && r->text->tokens[i].begin < local->end && !kt_token_is(r->text, i, "{"))
		i++;
	if (i >= r->text->count || !kt_token_is(r->text, i, "{") || !kt_route_split(r, i, &parts, &close))
		return;
	for (size_t k = 0; k < parts.count; k++) {
		size_t first = parts.items[k].first;
		while (first < parts.items[k].end && r->text->tokens[first].kind != KT_TOKEN_NAME)
			first = kt_token_is(r->text, first, "(") && kt_token_is(r->text, first + 1, "void")
				    ? kt_token_match(r->text, first) + 1
				    : first + 1;
		if (first + 1 != parts.items[k].end ||
		    !kt_route_add_text(r, &texts, &count, kt_route_resolve(r, f, first, first + 1)))
			return;
	}
	r->out->arguments = texts;
	r->out->argument_count = count;
}

bool kt_route_is_launcher(const struct kt_text *text, size_t i)
{
	for (size_t k = 0; k < sizeof launchers / sizeof launchers[0]; k++)
		if (kt_token_is(text, i, launchers[k].name))
			return true;
	return false;
}

bool kt_route_launcher(struct kt_route_reader *r, const struct kt_route_frame *f, size_t name,
		       const struct kt_route_parts *parts, size_t index)
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
			r->out->parts[i] =
			    places[i] < parts->count
				? kt_route_resolve(r, f, parts->items[places[i]].first, parts->items[places[i]].end)
				: "0";
		r->out->part_count =
		    r->out->parts[0] != NULL && r->out->parts[1] != NULL && r->out->parts[2] != NULL ? 3 : 0;
	}
	if (l->by_array && parts->count > (l->by_structure ? 2 : 3))
		read_array(r, f, &parts->items[l->by_structure ? 2 : 3]);
	else if (!l->by_array && !kt_route_resolve_all(r, f, parts, 2, &r->out->arguments, &r->out->argument_count))
		r->out->arguments = NULL;
	return true;
}

size_t kt_route_opens(const struct kt_text *text, size_t i)
{
	const size_t open = kt_token_is(text, i + 1, "[") ? kt_token_match(text, i + 1) + 1 : i + 1;
	return open < text->count && kt_token_is(text, open, "<<<") ? open : text->count;
}

bool kt_route_launch(struct kt_route_reader *r, const struct kt_route_frame *f, size_t i, size_t open)
{
	const struct kt_text *text = r->text;
	struct kt_route_parts parts = {NULL, 0}, arguments = {NULL, 0};
	size_t close = open + 1, first = open + 1, last = 0;
	while (close < f->end && !kt_token_is(text, close, ">>>")) {
		size_t list = 0;
		const bool comma = kt_token_is(text, close, ",");
		if (comma) {
			struct kt_route_part *slot =
			    kt_arena_push(r->scan->arena, &parts.items, &parts.count, sizeof *slot);
			if (slot == NULL)
				return false;
			*slot = (struct kt_route_part){first, close};
			first = close + 1;
		}
		if (kt_route_list(text, close, &list))
			close = list + 1;
		else if (kt_token_is(text, close, "(") || kt_token_is(text, close, "{") ||
			 kt_token_is(text, close, "["))
			close = kt_token_match(text, close) + 1;
		else
			close++;
	}
	struct kt_route_part *slot = kt_arena_push(r->scan->arena, &parts.items, &parts.count, sizeof *slot);
	if (slot == NULL || close >= f->end || !kt_token_is(text, close + 1, "(") ||
	    !kt_route_split(r, close + 1, &arguments, &last))
		return false;
	*slot = (struct kt_route_part){first, close};
	if (first == close || !add_range(r, open + 1, close))
		return false;
	for (size_t t = i; t < last; t++)
		if (text->tokens[t].kind == KT_TOKEN_DIRECTIVE)
			return false;
	if (!add_site(r, (struct kt_launch_site){.callee = {text->tokens[i].begin, text->tokens[open - 1].end},
						 .open = range_of(r, open),
						 .close = {text->tokens[close].begin, text->tokens[close + 1].end},
						 .end = range_of(r, last)}))
		return false;
	/* Of several ways to launch it, this one tells more. */
	r->out->part_count = r->out->argument_count = 0;
	r->out->arguments = NULL;
	for (size_t p = 0; p < parts.count && p < 4; p++) {
		r->out->parts[p] = kt_route_resolve(r, f, parts.items[p].first, parts.items[p].end);
		if (r->out->parts[p] == NULL)
			return true;
	}
	r->out->part_count = parts.count <= 4 ? parts.count : 0;
	if (!kt_route_resolve_all(r, f, &arguments, 0, &r->out->arguments, &r->out->argument_count))
		r->out->arguments = NULL;
	return true;
}
