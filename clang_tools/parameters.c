#include <stdlib.h>
#include <string.h>

#include "instances.h"
#include "opencl.h"
#include "routes.h"
#include "uses.h"

/* Everything about the parameters of one region while they are read. */
struct parameters {
	struct kt_scan *scan;
	struct kt_found *found;
	struct kt_tuned *tuned;
	size_t count;
	size_t *callees;     /* items, in the order of the file */
	size_t callee_count;
	struct kt_range *allowed; /* where uses are part of the region */
	size_t allowed_count;
	/* Of the edits that are gathered now: */
	struct kt_edit **edits;
	size_t *edit_count;
	bool mentions;       /* kt_uses_each found a use */
};

static const char escapes[] = "parameter-escapes";

static void fix(struct parameters *p, size_t index, const char *where)
{
	struct kt_parameter *parameter = p->tuned[index].parameter;
	if (parameter->fixed != NULL)
		return;
	parameter->fixed = escapes;
	const struct kt_pragma_tune *tune = &p->found->pragma->tunes[index];
	kt_scan_diagnose(p->scan, 0, KT_NOTE, p->found->text_at + tune->offset, (uint32_t)strlen(tune->name),
	                 kt_arena_printf(p->scan->arena, "'%s' keeps its value: %s", tune->name, where), NULL);
}

static void fix_all(struct parameters *p, const char *where)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->tuned[i].parameter->kind != KT_PARAMETER_TEMPLATE)
			fix(p, i, where);
}

static bool add_range(struct parameters *p, uint32_t begin, uint32_t end)
{
	struct kt_range *slot = kt_arena_push(p->scan->arena, &p->allowed, &p->allowed_count, sizeof *slot);
	if (slot != NULL)
		*slot = (struct kt_range){begin, end};
	else
		p->scan->failed = true;
	return slot != NULL;
}

/* Looks for the name that the context points to; false ends the walk. */
static bool is_another(const char *name, unsigned offset, bool pointer, void *context)
{
	(void)offset;
	(void)pointer;
	return strcmp(name, context) != 0;
}

/* Does the pragma's own geometry name it? Then it is meant as a macro of the file. */
static bool in_geometry(const struct kt_pragma *pragma, const char *name)
{
	char *wanted = (char *)(uintptr_t)name;
	bool found = pragma->shared_bytes.expr != NULL && !kt_expr_names(pragma->shared_bytes.expr, is_another, wanted);

	for (size_t i = 0; i < pragma->grid_count; i++)
		found = found || (pragma->grid[i].expr != NULL && !kt_expr_names(pragma->grid[i].expr, is_another, wanted));
	for (size_t i = 0; i < pragma->block_count; i++)
		found = found || (pragma->block[i].expr != NULL && !kt_expr_names(pragma->block[i].expr, is_another, wanted));
	return found;
}

/* What to write so that the name is a parameter. */
static const char *suggest(struct parameters *p, const char *name)
{
	const struct kt_region *r = &p->found->region;
	const char **names = NULL;
	size_t count = 0;
	for (size_t i = 0; i < r->template_count + p->scan->macro_count + p->scan->local_count; i++) {
		size_t macro = i - r->template_count, local = macro - p->scan->macro_count;
		if (!kt_arena_push_text(p->scan->arena, &names, &count,
		                        i < r->template_count          ? r->templates[i].name
		                        : macro < p->scan->macro_count ? p->scan->macros[macro].name
		                                                       : p->scan->locals[local].name))
			return NULL;
	}
	if (in_geometry(p->found->pragma, name))
		return kt_arena_printf(p->scan->arena, "define it above the pragma with the value that the original has: `#define %s N`",
		                       name);
	const char *near = kt_nearest(name, names, count);
	return near != NULL ? kt_arena_printf(p->scan->arena, "did you mean '%s'?", near)
	                    : "a parameter is a macro, a constexpr or const integer, or a template parameter";
}

static bool read_template(struct parameters *p, struct kt_tuned *t)
{
	const struct kt_region *r = &p->found->region;
	for (size_t i = 0; i < r->template_count; i++)
		if (!r->templates[i].is_type && strcmp(r->templates[i].name, t->parameter->name) == 0) {
			t->parameter->kind = KT_PARAMETER_TEMPLATE;
			t->parameter->template_index = i;
			return true;
		}
	return false;
}

static bool read_macro(struct parameters *p, struct kt_tuned *t)
{
	const struct kt_macro *macro = kt_scan_macro(p->scan, t->parameter->name);
	if (macro == NULL || macro->is_function)
		return false;
	t->parameter->kind = KT_PARAMETER_MACRO;
	if (macro->file == 0)
		t->definition = (struct kt_range){macro->begin, macro->end};
	return kt_scan_constant_alone(&t->parameter->original, t->parameter->name, p->scan);
}

static bool evaluate(int64_t *out, CXCursor cursor)
{
	CXEvalResult result = kt_clang.Cursor_Evaluate(cursor);
	bool known = result != NULL && kt_clang.EvalResult_getKind(result) == CXEval_Int;
	if (known)
		*out = kt_clang.EvalResult_getAsLongLong(result);
	if (result != NULL)
		kt_clang.EvalResult_dispose(result);
	return known;
}

static bool read_constant(struct parameters *p, struct kt_tuned *t)
{
	struct kt_scan *scan = p->scan;
	const char *name = t->parameter->name;
	const struct kt_local *local = kt_scan_visible(scan, name, p->found->region.body.end - 1);
	size_t item = kt_index_find(scan->item_index, name, strlen(name), 0);
	CXCursor cursor = local != NULL ? local->cursor : kt_clang.getNullCursor();
	if (local == NULL && item != SIZE_MAX && scan->items[item].kind == CXCursor_VarDecl)
		cursor = scan->items[item].cursor;
	if (kt_clang.Cursor_isNull(cursor) != 0 || (local != NULL && local->is_parameter) ||
	    (kt_clang.isConstQualifiedType(kt_clang.getCursorType(cursor)) == 0 &&
	     kt_opencl_space(kt_clang.getCursorType(cursor), scan->arena) != KT_SPACE_CONSTANT))
		return false;
	t->parameter->kind = KT_PARAMETER_CONSTANT;
	t->constant = kt_clang.getCanonicalCursor(cursor);
	if (local != NULL) {
		t->declared = local->at;
		t->definition = (struct kt_range){local->at, local->end};
	}
	/* A variant writes the value, which in C has no other type than int. */
	if (!scan->target->has_host_code &&
	    kt_clang.getCanonicalType(kt_clang.getCursorType(cursor)).kind != CXType_Int)
		fix(p, (size_t)(t - p->tuned), "it is a constant of another type than int");
	return evaluate(&t->parameter->original, cursor);
}

static bool read_parameter(struct parameters *p, size_t index)
{
	const struct kt_pragma_tune *tune = &p->found->pragma->tunes[index];
	struct kt_tuned *t = &p->tuned[index];
	t->parameter = &p->found->region.parameters[index];
	*t->parameter = (struct kt_parameter){.name = tune->name, .value_count = tune->count, .values = tune->values};
	t->declared = UINT32_MAX;
	t->constant = kt_clang.getNullCursor();
	if (read_template(p, t) || read_macro(p, t) || read_constant(p, t))
		return true;
	kt_scan_diagnose(p->scan, 0, KT_ERROR, p->found->text_at + tune->offset, (uint32_t)strlen(tune->name),
	                 kt_arena_printf(p->scan->arena, "'%s' is no integer macro, constant or template parameter of '%s'",
	                                 tune->name, p->found->region.kernel),
	                 suggest(p, tune->name));
	if (in_geometry(p->found->pragma, tune->name))
		kt_found_decline(p->scan, p->found, "parameter-not-found",
		                 "'%s' in tune(%s = …); define it above the pragma with the value that the original has: `#define %s N`",
		                 tune->name, tune->name, tune->name);
	else
		kt_found_decline(p->scan, p->found, "parameter-not-found", "'%s' in tune(%s = …)", tune->name, tune->name);
	return false;
}

static size_t callee_of(const struct parameters *p, const struct kt_text *text, size_t token)
{
	for (size_t i = 0; i < p->callee_count; i++)
		if (kt_token_is(text, token, p->scan->items[p->callees[i]].name))
			return i;
	return SIZE_MAX;
}

static void visit_mention(void *context, const struct kt_text *text, size_t token, const char *directive)
{
	struct parameters *p = context;
	(void)directive;
	for (size_t i = 0; i < p->count && !p->mentions; i++)
		p->mentions = p->tuned[i].parameter->kind != KT_PARAMETER_TEMPLATE &&
		              (kt_uses_parameter(p->scan, &p->tuned[i], text, token) ||
		               kt_uses_macro(p->scan, &p->tuned[i], text, token));
	p->mentions = p->mentions || callee_of(p, text, token) != SIZE_MAX;
}

static bool is_callee(const struct parameters *p, size_t item)
{
	for (size_t i = 0; i < p->callee_count; i++)
		if (p->callees[i] == item)
			return true;
	return false;
}

/* The closure may hold host code when names are made by ##. A constexpr function may run on both sides. */
static bool runs_on_device(struct kt_scan *scan, const struct kt_item *item)
{
	const struct kt_text *text = kt_scan_text(scan, item->file);
	bool device = item->is_device_data || !scan->target->has_host_code;
	for (size_t i = text != NULL ? kt_token_at(text, item->begin) : 0;
	     text != NULL && !device && i < text->count && text->tokens[i].begin < item->body; i++)
		device = kt_token_is(text, i, "constexpr");
	return device;
}

/* Functions of the main file that the kernel needs and that lead to a parameter. */
static void find_callees(struct parameters *p)
{
	struct kt_scan *scan = p->scan;
	for (bool changed = true; changed && !scan->failed;) {
		changed = false;
		for (size_t i = 0; i < scan->item_count; i++) {
			const struct kt_item *item = &scan->items[i];
			if (!p->found->needed[i] || i == p->found->item || item->file != 0 || !item->is_function ||
			    item->body == 0 || item->is_global || is_callee(p, i) || !runs_on_device(scan, item))
				continue;
			p->mentions = false;
			kt_uses_each(scan, 0, (struct kt_range){item->begin, item->end}, visit_mention, p);
			if (!p->mentions)
				continue;
			size_t *slot = kt_arena_push(scan->arena, &p->callees, &p->callee_count, sizeof *slot);
			if (slot == NULL) {
				scan->failed = true;
				return;
			}
			*slot = i;
			changed = true;
		}
	}
}

static int by_number(const void *a, const void *b)
{
	const size_t left = *(const size_t *)a, right = *(const size_t *)b;
	return (left > right) - (left < right);
}

/* A copy of a callee must be found by the same unqualified name from the same namespace. */
static void check_callees(struct parameters *p)
{
	struct kt_scan *scan = p->scan;
	const struct kt_item *kernel = &scan->items[p->found->item];
	for (size_t i = 0; i < p->callee_count; i++) {
		const struct kt_item *callee = &scan->items[p->callees[i]];
		size_t bodies = 0;
		for (size_t k = kt_index_find(scan->item_index, callee->name, strlen(callee->name), 0); k != SIZE_MAX;
		     k = kt_index_find(scan->item_index, callee->name, strlen(callee->name), k + 1))
			bodies += scan->items[k].is_function && scan->items[k].body != 0;
		if (bodies > 1)
			fix_all(p, kt_arena_printf(scan->arena, "it is used in '%s', which has overloads", callee->name));
		if (strcmp(callee->scope, kernel->scope) != 0 || callee->kind == CXCursor_CXXMethod)
			fix_all(p, kt_arena_printf(scan->arena, "it is used in '%s', which is in another namespace",
			                           callee->name));
	}
}

static void add_edit(struct parameters *p, const struct kt_token *token, enum kt_edit_kind kind, size_t index)
{
	struct kt_edit *slot = kt_arena_push(p->scan->arena, p->edits, p->edit_count, sizeof *slot);
	if (slot == NULL)
		p->scan->failed = true;
	else
		*slot = (struct kt_edit){{token->begin, token->end}, kind, index};
}

/* Does the name at this token stand for a variable, whatever it is called? */
static bool is_variable(const struct kt_scan *scan, uint32_t at)
{
	CXCursor target = kt_scan_target(scan, at);
	enum CXCursorKind kind = kt_clang.getCursorKind(target);
	for (size_t i = 0; i < scan->local_count; i++)
		if (scan->locals[i].at == at)
			return true;
	return kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl;
}

static void visit_edit(void *context, const struct kt_text *text, size_t token, const char *directive)
{
	struct parameters *p = context;
	const struct kt_region *r = &p->found->region;
	const struct kt_token *t = &text->tokens[token];
	bool member = token > 0 && (kt_token_is(text, token - 1, ".") || kt_token_is(text, token - 1, "->"));
	bool qualified = token > 0 && kt_token_is(text, token - 1, "::");
	if (directive != NULL && strcmp(directive, "pragma") != 0)
		return;
	for (size_t i = 0; i < p->count; i++) {
		const struct kt_tuned *tuned = &p->tuned[i];
		if (tuned->parameter->kind == KT_PARAMETER_MACRO)
			continue;
		if (kt_uses_macro(p->scan, tuned, text, token))
			kt_found_decline(p->scan, p->found, "parameter-in-macro",
			                 "'%s' is used by the macro '%.*s'; write it in the kernel itself",
			                 tuned->parameter->name, (int)(t->end - t->begin), text->data + t->begin);
		bool header = tuned->parameter->kind == KT_PARAMETER_TEMPLATE && t->begin < r->attributes.begin &&
		              t->begin >= r->extent.begin;
		bool outside = tuned->parameter->kind == KT_PARAMETER_TEMPLATE &&
		               (t->begin < r->extent.begin || t->begin >= r->extent.end);
		if (header || outside || t->begin == tuned->declared ||
		    !kt_uses_parameter(p->scan, tuned, text, token))
			continue;
		if (qualified)
			fix(p, i, "a use of it is qualified");
		else
			add_edit(p, t, KT_EDIT_PARAMETER, i);
		return;
	}
	if (member || is_variable(p->scan, t->begin))
		return;
	size_t callee = callee_of(p, text, token);
	if (callee != SIZE_MAX && qualified)
		fix_all(p, "a call of a function that uses it is qualified");
	else if (callee != SIZE_MAX)
		add_edit(p, t, KT_EDIT_CALLEE, callee);
	else if (!qualified && kt_token_is(text, token, r->kernel))
		add_edit(p, t, KT_EDIT_KERNEL_NAME, 0);
}

static void gather_edits(struct parameters *p)
{
	struct kt_region *r = &p->found->region;
	struct kt_scan *scan = p->scan;
	p->edits = &r->edits;
	p->edit_count = &r->edit_count;
	kt_uses_each(scan, 0, r->extent, visit_edit, p);
	r->callees = kt_arena_array(scan->arena, p->callee_count + 1, sizeof *r->callees);
	if (r->callees == NULL) {
		scan->failed = true;
		return;
	}
	for (; r->callee_count < p->callee_count; r->callee_count++) {
		const struct kt_item *item = &scan->items[p->callees[r->callee_count]];
		struct kt_callee *callee = &r->callees[r->callee_count];
		*callee = (struct kt_callee){.name = item->name, .extent = {item->begin, item->end}};
		p->edits = &callee->edits;
		p->edit_count = &callee->edit_count;
		kt_uses_each(scan, 0, callee->extent, visit_edit, p);
	}
}

static bool allow(struct kt_scan *scan, uint32_t begin, uint32_t end, const struct kt_found *except)
{
	struct kt_allowed *slot = kt_arena_push(scan->arena, &scan->allowed, &scan->allowed_count, sizeof *slot);
	scan->failed = scan->failed || slot == NULL;
	if (slot != NULL)
		*slot = (struct kt_allowed){{begin, end}, except};
	return slot != NULL;
}

/* A kernel and the configurations of its launches. */
static bool allow_region(struct kt_scan *scan, const struct kt_found *found)
{
	const struct kt_region *r = &found->region;
	bool done = allow(scan, r->extent.begin, r->extent.end, NULL) && allow(scan, r->declaration.begin, r->declaration.end, NULL);
	for (size_t i = 0; i < r->launch_count && done; i++)
		done = allow(scan, r->launches[i].callee.end, r->launches[i].close.begin, NULL);
	for (size_t i = 0; i < found->launch_text_count && done; i++)
		done = allow(scan, found->launch_texts[i].begin, found->launch_texts[i].end, NULL);
	return done;
}

static bool is_complete(const struct kt_found *found)
{
	return found->needed != NULL && found->region.body.end != 0;
}

/*
 * Another region's kernel keeps the value that is written; so do its launches.
 * What passes between the two kernels is what the clauses call output, and a
 * variant that changes it is found wrong. Made once, for all regions.
 */
static bool allow_regions(struct kt_scan *scan)
{
	bool done = true;
	if (scan->made_allowed)
		return true;
	scan->made_allowed = true;
	for (size_t f = 0; f < scan->found_count && done; f++)
		done = !is_complete(scan->found[f]) || allow_region(scan, scan->found[f]);
	for (size_t i = 0; i < scan->item_count && done; i++) {
		const struct kt_item *item = &scan->items[i];
		const struct kt_found *user = NULL;
		size_t users = 0;
		if (item->file != 0 || !item->is_function || item->body == 0 || item->is_global)
			continue;
		for (size_t f = 0; f < scan->found_count; f++)
			if (is_complete(scan->found[f]) && scan->found[f]->needed[i]) {
				user = scan->found[f];
				users++;
			}
		if (users > 0 && runs_on_device(scan, item))
			done = allow(scan, item->begin, item->end, users == 1 ? user : NULL);
	}
	return done;
}

static void allow_places(struct parameters *p)
{
	bool done = allow_regions(p->scan) && (is_complete(p->found) || allow_region(p->scan, p->found));
	for (size_t i = 0; i < p->callee_count && done; i++)
		done = add_range(p, p->scan->items[p->callees[i]].begin, p->scan->items[p->callees[i]].end);
	for (size_t i = 0; i < p->scan->item_count && done; i++) {
		const struct kt_item *item = &p->scan->items[i];
		if (item->file == 0 && (item->kind == CXCursor_StaticAssert ||
		                        (p->callee_count > 0 && item->is_function && item->body == 0 && !item->is_global &&
		                         callee_of(p, p->scan->text, kt_token_at(p->scan->text, item->name_at)) != SIZE_MAX)))
			done = add_range(p, item->begin, item->end);
	}
}

struct escape_visit {
	struct parameters *p;
	size_t file;
};

/* Does a macro's name lead to the parameter? */
static bool leads(const struct parameters *p, const struct kt_tuned *t, const char *name)
{
	const size_t length = strlen(name);
	bool found = strcmp(name, t->parameter->name) == 0;
	for (size_t at = kt_index_first(p->scan->macro_index, name, length); at != 0 && !found;
	     at = kt_index_next(p->scan->macro_index, at))
		found = t->macros[kt_index_entry(p->scan->macro_index, at)];
	return found;
}

static bool is_at(const struct kt_found *found, const struct kt_route *route, uint32_t at)
{
	return route->name_count > 0 && found->region.launches[route->launch].callee.begin == at;
}

/* Is the name in a macro a part of the configuration of a launch that the use of macros at that place leads to? */
static bool configures(const struct parameters *p, const struct kt_macro_name *name, uint32_t at)
{
	for (size_t f = 0; f < p->scan->found_count; f++) {
		const struct kt_found *found = p->scan->found[f];
		for (size_t i = 0; i < found->route_count; i++)
			for (size_t n = 0; is_at(found, &found->routes[i], at) && n < found->routes[i].name_count; n++)
				if (found->routes[i].names[n].is_configuration && found->routes[i].names[n].macro == name->macro &&
				    found->routes[i].names[n].token == name->token)
					return true;
	}
	return false;
}

/* Do configurations alone lead from the use of macros at that place to the parameter? */
static bool is_configuration(const struct parameters *p, const struct kt_tuned *t, const struct kt_found *found, uint32_t at)
{
	for (size_t i = 0; i < found->route_count; i++) {
		const struct kt_route *route = &found->routes[i];
		bool alone = is_at(found, route, at);
		for (size_t n = 0; n < route->name_count && alone; n++)
			alone = !leads(p, t, route->names[n].name) || configures(p, &route->names[n], at);
		if (alone)
			return true;
	}
	return false;
}

static bool is_allowed(const struct parameters *p, const struct kt_tuned *t, uint32_t at)
{
	if (t->definition.begin <= at && at < t->definition.end)
		return true;
	for (size_t i = 0; i < p->allowed_count; i++)
		if (p->allowed[i].begin <= at && at < p->allowed[i].end)
			return true;
	for (size_t i = 0; i < p->scan->allowed_count; i++) {
		const struct kt_allowed *a = &p->scan->allowed[i];
		if (a->range.begin <= at && at < a->range.end && a->except != p->found)
			return true;
	}
	for (size_t f = 0; f < p->scan->found_count; f++)
		if (is_configuration(p, t, p->scan->found[f], at))
			return true;
	return false;
}

/* "define", "undef", "ifdef" and "ifndef" do not depend on the value; "defined(NAME)" neither. */
static bool is_silent(const struct kt_text *text, size_t token, const char *directive)
{
	static const char *const silent[] = {"define", "undef", "ifdef", "ifndef", "include"};
	for (size_t i = 0; directive != NULL && i < sizeof silent / sizeof silent[0]; i++)
		if (strcmp(silent[i], directive) == 0)
			return true;
	return directive != NULL && ((token > 0 && kt_token_is(text, token - 1, "defined")) ||
	                             (token > 1 && kt_token_is(text, token - 2, "defined")));
}

static void visit_escape(void *context, const struct kt_text *text, size_t token, const char *directive)
{
	struct escape_visit *v = context;
	struct parameters *p = v->p;
	uint32_t at = text->tokens[token].begin, line = 0, column = 0;
	bool callee = v->file == 0 && callee_of(p, text, token) != SIZE_MAX && !is_variable(p->scan, at);
	if (is_silent(text, token, directive))
		return;
	for (size_t i = 0; i < p->count; i++) {
		const struct kt_tuned *t = &p->tuned[i];
		if (t->parameter->kind == KT_PARAMETER_TEMPLATE || t->parameter->fixed != NULL ||
		    (!callee && !kt_uses_parameter(p->scan, t, text, token) && !kt_uses_macro(p->scan, t, text, token)))
			continue;
		if (v->file != 0) {
			fix(p, i, kt_arena_printf(p->scan->arena, "it is also used in %s", p->scan->files[v->file].path));
		} else if (!is_allowed(p, t, at) && !kt_scan_dead(p->scan, at)) {
			kt_scan_position(p->scan, at, &line, &column);
			fix(p, i, kt_arena_printf(p->scan->arena, "it is also used outside the kernel, in line %u", line));
		}
	}
}

/* The names by which the main file may use a parameter: of parameters, of macros and functions that lead to them. */
static const char **names_of(struct parameters *p, size_t *count)
{
	struct kt_scan *scan = p->scan;
	const char **names = NULL;
	for (size_t i = 0; i < p->count; i++) {
		const struct kt_tuned *t = &p->tuned[i];
		bool done = kt_arena_push_text(scan->arena, &names, count, t->parameter->name);
		for (size_t m = 0; m < scan->macro_count && done && t->macros != scan->no_macros; m++)
			done = !t->macros[m] || kt_arena_push_text(scan->arena, &names, count, scan->macros[m].name);
		scan->failed = scan->failed || !done;
	}
	for (size_t i = 0; i < p->callee_count; i++)
		scan->failed = !kt_arena_push_text(scan->arena, &names, count, scan->items[p->callees[i]].name) || scan->failed;
	return names;
}

static void find_escapes(struct parameters *p)
{
	struct kt_scan *scan = p->scan;
	struct escape_visit main_file = {p, 0};
	size_t count = 0;
	const char **names = names_of(p, &count);
	if (!scan->failed)
		kt_uses_of(scan, names, count, visit_escape, &main_file);
	for (size_t file = 1; file < scan->file_count; file++) {
		struct escape_visit v = {p, file};
		size_t size = 0;
		bool named = false;
		const char *data = kt_clang.getFileContents(scan->unit, scan->files[file].file, &size);
		for (size_t i = 0; data != NULL && i < p->count && !named; i++)
			named = memmem(data, size, p->tuned[i].parameter->name, strlen(p->tuned[i].parameter->name)) != NULL;
		if (named && data != NULL)
			kt_uses_each(scan, file, (struct kt_range){0, (uint32_t)size}, visit_escape, &v);
	}
	for (size_t i = 0; i < p->count; i++)
		for (size_t b = 0; b < p->found->region.buffer_count; b++) {
			const struct kt_buffer *buffer = &p->found->region.buffers[b];
			if (buffer->direction != KT_IN && buffer->count.expr != NULL &&
			    kt_expr_uses(buffer->count.expr, p->tuned[i].parameter->name))
				fix(p, i, kt_arena_printf(scan->arena, "it is part of the extent of '%s'", buffer->name));
		}
}

/* Does the declaration around the token "static" make memory that outlives the kernel and can change? */
static bool is_mutable_static(const struct kt_text *text, size_t token)
{
	static const char *const harmless[] = {"const", "constexpr", "__shared__", "__constant__"};
	bool pointer = false, found = false;
	size_t first = token;
	while (first > 0 && !kt_token_is(text, first - 1, ";") && !kt_token_is(text, first - 1, "{") &&
	       !kt_token_is(text, first - 1, "}"))
		first--;
	for (size_t i = first; i < text->count; i++) {
		if (kt_token_is(text, i, ";") || kt_token_is(text, i, "=") || kt_token_is(text, i, "{"))
			break;
		pointer = pointer || kt_token_is(text, i, "*");
		for (size_t h = 0; h < sizeof harmless / sizeof harmless[0]; h++)
			if (kt_token_is(text, i, harmless[h])) {
				found = true;
				pointer = false; /* "T *const p" */
			}
	}
	return !found || pointer;
}

/* A copy of the function would have separate static storage. */
static void check_statics(struct parameters *p, const struct kt_item *item)
{
	const struct kt_text *text = kt_scan_text(p->scan, item->file);
	size_t open = text != NULL ? kt_token_at(text, item->body) : 0;
	size_t close = text != NULL ? kt_token_match(text, open) : 0;
	for (size_t i = open; text != NULL && i < close && i < text->count; i++)
		if (kt_token_is(text, i, "static") && is_mutable_static(text, i))
			kt_found_decline(p->scan, p->found, "mutable-global", "a static variable in '%s'; pass it as an "
			                 "argument", item->name);
}

static bool is_kernel_of(const struct kt_found *found, size_t item)
{
	for (size_t i = 0; i < found->step_count; i++)
		if (found->steps[i].kernel->item == item)
			return true;
	return item == found->item;
}

static void add_constant(struct parameters *p, const struct kt_item *item)
{
	struct kt_region *r = &p->found->region;
	const char *symbol = kt_scan_symbol(p->scan, item->cursor);

	if (!kt_arena_push_text(p->scan->arena, &r->constants, &r->constant_count, symbol != NULL ? symbol : item->name))
		p->scan->failed = true;
}

static void check_globals(struct parameters *p)
{
	const struct kt_region *r = &p->found->region;
	for (size_t i = 0; i < p->scan->item_count; i++) {
		const struct kt_item *item = &p->scan->items[i];
		if (!p->found->needed[i])
			continue;
		CXType type = kt_clang.getCursorType(item->cursor);
		if (item->is_function && item->body != 0 &&
		    (item->is_global ? is_kernel_of(p->found, i) : runs_on_device(p->scan, item)))
			check_statics(p, item);
		if (item->kind != CXCursor_VarDecl || !item->is_device_data)
			continue;
		while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray)
			type = kt_clang.getArrayElementType(type);
		const bool is_const = kt_clang.isConstQualifiedType(type) != 0;
		bool named = false, known = is_const;
		for (size_t b = 0; b < r->buffer_count; b++)
			known = known || (r->buffers[b].argument < 0 && strcmp(r->buffers[b].name, item->name) == 0 &&
			                  (kt_scan_is_symbol(p->scan, i, &r->buffers[b]) ||
			                   !kt_scan_refers(p->scan, p->found, i)));
		for (size_t b = 0; b < r->buffer_count; b++)
			named = named || kt_scan_is_symbol(p->scan, i, &r->buffers[b]);
		if (is_const && !named && p->scan->target->has_host_code && kt_scan_refers(p->scan, p->found, i))
			add_constant(p, item);
		if (!known)
			kt_found_decline(
			    p->scan, p->found, "mutable-global",
			    p->scan->target->has_host_code
				? "'%s'; write in, out or inout(%s[COUNT]), or make it const"
				: "'%s'; an OpenCL host can neither write nor read it: pass it as an argument",
			    item->name, item->name);
	}
}

kt_status kt_scan_parameters(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	struct parameters p = {.scan = scan, .found = found, .count = found->pragma->tune_count};
	r->parameters = kt_arena_array(scan->arena, p.count + 1, sizeof *r->parameters);
	p.tuned = kt_arena_array(scan->arena, p.count + 1, sizeof *p.tuned);
	if (r->parameters == NULL || p.tuned == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading parameters");
	for (; r->parameter_count < p.count; r->parameter_count++) {
		(void)read_parameter(&p, r->parameter_count);
		TRY(kt_uses_find_macros(scan, &p.tuned[r->parameter_count], err));
	}
	find_callees(&p);
	if (p.callee_count > 1)
		qsort(p.callees, p.callee_count, sizeof *p.callees, by_number);
	check_callees(&p);
	gather_edits(&p);
	allow_places(&p);
	find_escapes(&p);
	check_globals(&p);
	return scan->failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading parameters") : KT_OK;
}

void kt_scan_globals(struct kt_scan *scan, struct kt_found *found)
{
	struct parameters p = {.scan = scan, .found = found};
	check_globals(&p);
}
