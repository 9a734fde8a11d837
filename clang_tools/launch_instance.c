/* Which instance of the kernel template a launch leads to. */
#include "launches_internal.h"

#include <string.h>

#include "deduce.h"
#include "expand.h"
#include "instances.h"
#include "routes.h"

bool kt_callee_is_specialised(const struct kt_scan *scan, const struct kt_found *found, CXCursor target)
{
	size_t file = 0;
	uint32_t at = kt_scan_offset(scan, kt_clang.getCursorLocation(target), &file);
	for (size_t i = 0; i < scan->item_count; i++) {
		const struct kt_item *item = &scan->items[i];
		if (item->is_function && item->file == file && item->name_at == at &&
		    kt_scan_same(scan, item->cursor, found->pattern))
			return false;
	}
	return true;
}

/* A constant of the host function has its value's name in the kernel's. */
static void read_constants(struct kt_scan *scan, const struct kt_call *call, const char **arguments, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct kt_local *local = kt_scan_visible(scan, arguments[i], call->extent.begin);
		CXEvalResult value = local != NULL && !local->is_parameter && kt_launch_is_integer(local->type) &&
		                             kt_clang.isConstQualifiedType(local->type) != 0
		                         ? kt_clang.Cursor_Evaluate(local->cursor)
		                         : NULL;
		if (value != NULL && kt_clang.EvalResult_getKind(value) == CXEval_Int)
			arguments[i] = kt_arena_printf(scan->arena, "%lld", kt_clang.EvalResult_getAsLongLong(value));
		if (value != NULL)
			kt_clang.EvalResult_dispose(value);
	}
}

/* The type of the variable or of the member of the class that tokens [begin, end) name: "y", "this->y"; NULL: it is none. */
static const char *type_named(struct kt_scan *scan, const struct kt_call *call, size_t begin, size_t end)
{
	const struct kt_text *text = scan->text;
	const bool by_this = end == begin + 3 && kt_token_is(text, begin, "this") && kt_token_is(text, begin + 1, "->");
	const struct kt_token *name = &text->tokens[by_this ? begin + 2 : begin];
	const char *spelled = kt_scan_squeeze(scan, text, name->begin, name->end);
	const struct kt_local *local = NULL;
	CXCursor field;
	if (spelled == NULL || (!by_this && end != begin + 1))
		return NULL;
	local = by_this ? NULL : kt_scan_visible(scan, spelled, call->extent.begin);
	field = local == NULL ? kt_cursor_named(scan, name->begin) : kt_clang.getNullCursor();
	if (local == NULL && (kt_clang.Cursor_isNull(field) != 0 || kt_clang.getCursorKind(field) != CXCursor_FieldDecl))
		return NULL;
	return kt_clang_text(scan->arena,
	                     kt_clang.getTypeSpelling(local != NULL ? local->type : kt_clang.getCursorType(field)));
}

/* The kernel's template arguments in a template's `k<<<…>>>(y, n)`, from the types of y and n. */
static const char **deduce_arguments(struct kt_scan *scan, const struct kt_region *r, const struct kt_call *call)
{
	const struct kt_text *text = scan->text;
	const char **names = kt_arena_array(scan->arena, r->template_count + 1, sizeof *names);
	size_t open = kt_token_at(text, call->config_extent.end > 0 ? call->config_extent.end - 1 : 0);
	const char **arguments = kt_arena_array(scan->arena, r->template_count + 1, sizeof *arguments);
	size_t close, at = 0, begin;
	while (open < text->count && !kt_token_is(text, open, "(") && text->tokens[open].begin < call->extent.end)
		open++;
	close = kt_token_is(text, open, "(") ? kt_token_match(text, open) : text->count;
	if (names == NULL || arguments == NULL || close >= text->count)
		return NULL;
	for (size_t t = 0; t < r->template_count; t++)
		names[t] = r->templates[t].name;
	begin = open + 1;
	for (size_t t = open + 1; t <= close && at < r->argument_count; t++) {
		if (kt_token_is(text, t, "(") || kt_token_is(text, t, "[") || kt_token_is(text, t, "{"))
			t = kt_token_match(text, t);
		if (t < close && !kt_token_is(text, t, ","))
			continue;
		const char *type = type_named(scan, call, begin, t);
		if (type != NULL)
			(void)kt_deduce(scan, r->arguments[at].type, type, names, arguments, r->template_count);
		at++;
		begin = t + 1;
	}
	return arguments;
}

/* Appends those that are deduced to those that are written, as far as they are known. Their number; 0: unknown. */
static size_t add_deduced(struct kt_scan *scan, const struct kt_region *r, const struct kt_call *call,
                          const char ***arguments, size_t written)
{
	const char **deduced = deduce_arguments(scan, r, call);
	for (size_t i = 0; deduced != NULL && i < written; i++)
		deduced[i] = (*arguments)[i];
	while (deduced != NULL && written < r->template_count && deduced[written] != NULL)
		written++;
	if (deduced != NULL)
		*arguments = deduced;
	return written;
}

/* The template arguments that a launch names, as text at its place. */
static bool read_list(struct kt_scan *scan, const struct kt_route *route, size_t angle, const char ***arguments,
                      size_t *count)
{
	struct kt_text text;
	struct kt_error err;
	size_t end = 0;
	if (route->macro == NULL)
		return angle >= scan->text->count || kt_split_angle(scan, scan->text, angle, arguments, count, &end);
	if (route->list == NULL || kt_lex(&text, scan->arena, route->list, 0, strlen(route->list), false, &err) != KT_OK)
		return false;
	return text.count == 0 || kt_split_angle(scan, &text, 0, arguments, count, &end);
}

void kt_launch_instance(struct kt_scan *scan, struct kt_found *found, const struct kt_call *call,
                        const struct kt_callee_of *callee, struct kt_launch *l, size_t angle,
                        const struct kt_route *route)
{
	struct kt_region *r = &found->region;
	const char **arguments = NULL;
	size_t count = 0;
	l->instance = r->template_count == 0 ? 0 : -1;
	if (r->template_count == 0)
		return;
	/* An explicit specialisation is another kernel: its launches find no variant and run it. */
	if (!callee->dependent && kt_callee_is_specialised(scan, found, callee->target))
		return;
	/* Nothing is made of a host template that nothing uses. */
	if (!callee->dependent && !kt_instances_host_is_made(scan, found, call->function, call->extent.begin))
		return;
	if (!callee->dependent) {
		l->instance = kt_instance_named(scan, found, call->callee, callee->target);
		if (l->instance < 0 && l->decline == NULL)
			l->decline = "launch-form";
		return;
	}
	if (!read_list(scan, route, angle, &arguments, &count))
		return;
	read_constants(scan, call, arguments, count);
	if (count < r->template_count && route->macro == NULL)
		count = add_deduced(scan, r, call, &arguments, count);
	if (count == 0)
		return;
	read_constants(scan, call, arguments, count);
	kt_instances_of_host(scan, found, call->function, call->extent.begin, arguments, count, false);
}
