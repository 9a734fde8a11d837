/*
 * Kernels that a constant, a table of the file, a structure or a template argument holds. What launches them launches
 * any value of such a type: each such place asks for variants by the address that it has then.
 */
#include "launches.h"
#include "routes_internal.h"

#include <string.h>

struct values {
	struct kt_route_reader *r;
	const struct kt_region *region;
	const char *
	    holder; /* what is declared with the kernel as its value, or the template that is given it; NULL: neither */
	struct kt_route best; /* of the launch that is chosen */
	uint32_t at;
	size_t count, named;
};

/* Is the callee the name of a function itself, which is no value? */
static bool names_function(const struct kt_scan *scan, const struct kt_call *call, size_t open)
{
	const struct kt_callee_of callee = kt_callee_read(call->callee);
	if (callee.dependent)
		return true;
	return kt_clang.Cursor_isNull(callee.target) == 0 && !kt_token_is(scan->text, open - 1, ")") &&
	       !kt_token_is(scan->text, open - 1, "]");
}

/* Can a value of the callee's type be the kernel? What a template decides can. */
static bool fits(const struct kt_call *call, const struct kt_region *region)
{
	CXType type = kt_clang.getCanonicalType(kt_clang.getCursorType(call->callee));
	if (type.kind == CXType_Pointer || type.kind == CXType_LValueReference)
		type = kt_clang.getCanonicalType(kt_clang.getPointeeType(type));
	return type.kind != CXType_FunctionProto || (size_t)kt_clang.getNumArgTypes(type) == region->argument_count;
}

static bool is_named(const struct kt_text *text, size_t first, size_t end, const char *name)
{
	for (size_t i = first; name != NULL && i < end; i++)
		if (kt_token_is(text, i, name))
			return true;
	return false;
}

/* Keeps the sites of a launch, and its parts where it is the one that the kernel's name leads to. */
static bool keep(struct values *v, const struct kt_route_reader *one, bool named)
{
	for (size_t i = 0; i < one->site_count; i++) {
		struct kt_launch_site *slot =
		    kt_arena_push(v->r->scan->arena, &v->r->sites, &v->r->site_count, sizeof *slot);
		if (slot == NULL)
			return false;
		*slot = one->sites[i];
	}
	for (size_t i = 0; i < one->out->range_count; i++) {
		struct kt_range *slot =
		    kt_arena_push(v->r->scan->arena, &v->r->out->ranges, &v->r->out->range_count, sizeof *slot);
		if (slot == NULL)
			return false;
		*slot = one->out->ranges[i];
	}
	if (v->count++ == 0 || (named && v->named == 0)) {
		v->best = *one->out;
		v->at = one->sites[0].callee.begin;
	}
	v->named += named;
	return true;
}

static bool read_call(struct values *v, const struct kt_call *call)
{
	const struct kt_text *text = v->r->text;
	const size_t open = kt_token_at(text, call->config_extent.begin), first = kt_token_at(text, call->extent.begin);
	struct kt_route route = {.part_count = 0};
	struct kt_route_reader one = {.scan = v->r->scan, .text = text, .out = &route};
	struct kt_route_frame f = {.body = first, .end = text->count};
	if (!kt_token_is(text, open, "<<<") || first >= open || text->tokens[first].begin != call->extent.begin ||
	    call->function == NULL || call->function->is_global || call->function->is_device_data ||
	    names_function(v->r->scan, call, open) || !fits(call, v->region) ||
	    !kt_route_launch(&one, &f, first, open) || one.site_count == 0)
		return true;
	return keep(v, &one,
		    is_named(text, first, open, v->holder) ||
			(v->holder != NULL && strcmp(call->function->name, v->holder) == 0));
}

/* Does a part of the text name a function, as a kernel that is given to a function of the runtime by its name? */
static bool has_function(const struct kt_scan *scan, const struct kt_route_part *part)
{
	for (size_t i = part->first; i < part->end; i++) {
		const enum CXCursorKind kind =
		    kt_clang.getCursorKind(kt_scan_target(scan, scan->text->tokens[i].begin));
		if (kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate ||
		    kind == CXCursor_OverloadedDeclRef)
			return true;
	}
	return false;
}

/* "cudaLaunchKernel(table[i], …)" at a token. */
static bool read_function(struct values *v, size_t i)
{
	const struct kt_text *text = v->r->text;
	struct kt_route route = {.part_count = 0};
	struct kt_route_reader one = {.scan = v->r->scan, .text = text, .out = &route};
	struct kt_route_parts parts;
	size_t close = 0;
	if (!kt_token_is(text, i + 1, "(") || kt_token_is(text, i - 1, ".") || kt_token_is(text, i - 1, "->") ||
	    kt_scan_dead(v->r->scan, text->tokens[i].begin) || !kt_route_split(&one, i + 1, &parts, &close))
		return true;
	for (size_t index = 0; index < parts.count && index < 2; index++)
		if (!has_function(v->r->scan, &parts.items[index]) && kt_route_launcher(&one, NULL, i, &parts, index))
			return keep(v, &one,
				    is_named(text, parts.items[index].first, parts.items[index].end, v->holder));
	return true;
}

size_t kt_template_around(const struct kt_text *text, size_t first, size_t end)
{
	size_t close = 0;
	for (size_t i = first;
	     i-- > 1 && !kt_token_is(text, i, ";") && !kt_token_is(text, i, "{") && !kt_token_is(text, i, "}");)
		/* One ">>" may end both lists. */
		if (kt_token_is(text, i, "<") && kt_route_list(text, i, &close) && close + 1 >= end)
			return i - 1;
	return 0;
}

bool kt_route_values(struct kt_route_reader *r, const struct kt_region *region, size_t first, size_t end)
{
	const size_t holder = kt_route_holder(r->text, first, end);
	const size_t name = holder > 0 ? holder : kt_template_around(r->text, first, end);
	struct values v = {.r = r, .region = region, .holder = name > 0 ? kt_route_words(r, name, name + 1) : NULL};
	bool done = true;
	for (size_t i = 0; i < r->scan->call_count && done; i++)
		done = read_call(&v, &r->scan->calls[i]);
	for (size_t i = 1; i + 1 < r->text->count && done; i++)
		done = !kt_route_is_launcher(r->text, i) || read_function(&v, i);
	r->scan->failed = r->scan->failed || !done;
	if (v.count == 0)
		return false;
	/* Of several launches that nothing leads to, none tells the kernel's configuration. */
	if (v.named > 0 || v.count == 1) {
		r->out->part_count = v.best.part_count;
		memcpy(r->out->parts, v.best.parts, sizeof r->out->parts);
		r->out->argument_count = v.best.argument_count;
		r->out->arguments = v.best.arguments;
		r->out->at = v.at;
	}
	r->out->is_variable = r->out->is_constant = true;
	return true;
}
