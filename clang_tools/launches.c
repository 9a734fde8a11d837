#include "launches_internal.h"

#include <string.h>

#include "instances.h"
#include "pragma_kernel.h"
#include "routes.h"

static enum CXChildVisitResult find_callee(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct kt_callee_of *c = data;
	(void)parent;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	if (kind == CXCursor_OverloadedDeclRef) {
		c->overloads = cursor;
		c->dependent = true;
		return CXChildVisit_Break;
	}
	if (kind == CXCursor_DeclRefExpr) {
		CXCursor target = kt_clang.getCursorReferenced(cursor);
		if (kt_clang.getCursorKind(target) == CXCursor_FunctionDecl) {
			c->target = target;
			return CXChildVisit_Break;
		}
	}
	return CXChildVisit_Recurse;
}

struct kt_callee_of kt_callee_read(CXCursor cursor)
{
	struct kt_callee_of c = {.target = kt_clang.getNullCursor(), .overloads = kt_clang.getNullCursor()};
	if (find_callee(cursor, cursor, &c) == CXChildVisit_Recurse)
		kt_clang.visitChildren(cursor, find_callee, &c);
	return c;
}

/* The kernel, or a specialisation of it? */
bool kt_launch_is_kernel(const struct kt_scan *scan, CXCursor target, CXCursor pattern)
{
	if (kt_clang.Cursor_isNull(target) != 0)
		return false;
	CXCursor from = kt_clang.getSpecializedCursorTemplate(target);
	return kt_scan_same(scan, target, pattern) ||
	       (kt_clang.Cursor_isNull(from) == 0 && kt_scan_same(scan, from, pattern));
}

static bool calls_kernel(const struct kt_scan *scan, const struct kt_callee_of *c, CXCursor pattern,
                         unsigned *overloads)
{
	*overloads = 1;
	if (!c->dependent)
		return kt_launch_is_kernel(scan, c->target, pattern);
	*overloads = kt_clang.getNumOverloadedDecls(c->overloads);
	/* A name never leads to an explicit specialisation: its template does, which is another overload of it then. */
	CXCursor primary = kt_clang.getSpecializedCursorTemplate(pattern);
	const bool is_specialised = kt_clang.Cursor_isNull(primary) == 0;
	bool found = false;
	unsigned others = 0;
	for (unsigned i = 0; i < *overloads; i++) {
		CXCursor one = kt_clang.getOverloadedDecl(c->overloads, i);
		bool same = kt_scan_same(scan, one, pattern);
		found = found || same || (is_specialised && kt_scan_same(scan, one, primary));
		others += !same;
	}
	*overloads = 1 + others;
	return found;
}

const char *kt_launch_parts(const struct kt_scan *scan, const struct kt_call *call, const char *kernel,
                            struct kt_launch *l, size_t *angle)
{
	const struct kt_text *text = scan->text;
	struct kt_range config = call->config_extent;
	size_t open = kt_token_at(text, config.begin);
	size_t close = config.end >= 3 ? kt_token_at(text, config.end - 3) : text->count;
	size_t last = call->extent.end > 0 ? kt_token_at(text, call->extent.end - 1) : text->count;
	*angle = text->count;
	if (!kt_token_is(text, open, "<<<") || text->tokens[open].begin != config.begin ||
	    !kt_token_is(text, close, ">>>") || !kt_token_is(text, close + 1, "(") || !kt_token_is(text, last, ")"))
		return "launch-in-macro";
	size_t name = kt_token_at(text, call->extent.begin);
	while (name < open && !kt_token_is(text, name, kernel)) {
		if (text->tokens[name].kind != KT_TOKEN_NAME && !kt_token_is(text, name, "::"))
			return "launch-form";
		name++;
	}
	if (name >= open || kt_token_match(text, close + 1) != last)
		return "launch-form";
	if (name + 1 < open && !kt_token_is(text, name + 1, "<"))
		return "launch-form";
	/* What a directive leaves out is not known to mean the same. */
	for (size_t t = name; t < last; t++)
		if (text->tokens[t].kind == KT_TOKEN_DIRECTIVE)
			return "launch-form";
	if (name + 1 < open)
		*angle = name + 1;
	l->callee = (struct kt_range){call->extent.begin, text->tokens[name].end};
	l->open = (struct kt_range){text->tokens[open].begin, text->tokens[open].end};
	l->close = (struct kt_range){text->tokens[close].begin, text->tokens[close + 1].end};
	l->end = (struct kt_range){text->tokens[last].begin, text->tokens[last].end};
	l->has_arguments = close + 2 < last;
	return NULL;
}

/* Are both in the unit's text, or in one place of one macro? */
static bool is_same_place(const struct kt_launch *a, const struct kt_launch *b)
{
	bool same = a->level_count == b->level_count;
	for (size_t i = 0; i < a->level_count && same; i++)
		same = a->levels[i].use.begin == b->levels[i].use.begin && a->levels[i].open.begin == b->levels[i].open.begin;
	return same;
}

static struct kt_launch *launch_at(struct kt_region *r, const struct kt_launch *launch)
{
	for (size_t i = 0; i < r->launch_count; i++)
		if (r->launches[i].decline == NULL && r->launches[i].callee.begin == launch->callee.begin &&
		    is_same_place(&r->launches[i], launch))
			return &r->launches[i];
	return NULL;
}

/* Keeps the texts of a launch in a macro's body, once the region has it. */
static kt_status add_macro_route(struct kt_scan *scan, struct kt_found *found, struct kt_route *route, struct kt_error *err)
{
	struct kt_route *kept = kt_arena_push(scan->arena, &found->routes, &found->route_count, sizeof *kept);
	if (kept == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches");
	route->launch = found->region.launch_count;
	*kept = *route;
	return KT_OK;
}

/* Why a launch in a macro's body is left unmodified; NULL: it is not. */
static const char *judge_macro(struct kt_scan *scan, struct kt_found *found, const struct kt_call *call, unsigned overloads,
                               struct kt_launch *l, struct kt_route *route)
{
	if (overloads > 1 || !kt_launch_read_macro(scan, found, call, l, route))
		return "launch-in-macro";
	/* Of an explicit specialisation they are a part of its name. */
	return found->region.template_count == 0 && (route->list == NULL || route->list[0] != '\0') ? "launch-form" : NULL;
}

/* Are the other overloads declared where the dispatcher of this kernel will be? */
static bool declared_before(struct kt_scan *scan, const struct kt_found *found, CXCursor overloads)
{
	for (unsigned i = 0; i < kt_clang.getNumOverloadedDecls(overloads); i++) {
		size_t file = 0;
		CXCursor first = kt_clang.getCanonicalCursor(kt_clang.getOverloadedDecl(overloads, i));
		const uint32_t at = kt_scan_offset(scan, kt_clang.getCursorLocation(first), &file);
		if (file == 0 && at > scan->items[found->item].begin && !kt_scan_same(scan, first, found->pattern))
			return false;
	}
	return true;
}

static kt_status add_launch(struct kt_scan *scan, struct kt_found *found, const struct kt_call *call,
                            const struct kt_callee_of *callee, unsigned overloads, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	struct kt_launch launch = {.instance = -1};
	struct kt_route route = {.macro = NULL};
	struct kt_call at = *call;
	size_t angle = 0;
	launch.decline = kt_launch_parts(scan, call, r->kernel, &launch, &angle);
	if (launch.decline != NULL && strcmp(launch.decline, "launch-in-macro") == 0)
		launch.decline = judge_macro(scan, found, call, overloads, &launch, &route);
	if (route.macro != NULL)
		at.extent.begin = launch.callee.begin;
	if (launch.decline == NULL && (call->function->is_global || call->function->is_device_data))
		launch.decline = "launch-from-device";
	if (launch.decline == NULL && route.macro == NULL && overloads > 1) {
		/* Template arguments that are written have no place in a call of the dispatcher. */
		if (r->template_count == 0 && angle >= scan->text->count &&
		    declared_before(scan, found, callee->overloads))
			r->is_overloaded = true;
		else
			launch.decline = "launch-form";
	}
	/* Of an explicit specialisation they are a part of its name: its dispatcher is no template. */
	if (launch.decline == NULL && route.macro == NULL && r->template_count == 0 && angle < scan->text->count)
		(void)kt_token_match_angle(scan->text, angle, &launch.callee.end);
	launch.file = kt_scan_file(scan, call->extent.begin);
	kt_scan_position(scan, call->extent.begin, &launch.line, &launch.column);
	kt_launch_instance(scan, found, call, callee, &launch, angle, &route);
	NEED(launch.bindings = kt_arena_array(scan->arena, found->pragma->variable_count + 1, sizeof *launch.bindings),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches"));
	const struct kt_bind_pragma *above = kt_launch_pragma(scan, found, call);
	if (launch.decline == NULL && above != NULL && above->has_errors)
		launch.decline = "pragma-error";
	for (size_t v = 0; v < found->pragma->variable_count; v++)
		kt_launch_bind(scan, found, &at, above != NULL ? above->pragma : NULL, &launch, v);
	launch.is_quiet = kt_launch_is_quiet(scan, r, call, callee);
	if (launch.decline == NULL && !launch.is_quiet &&
	    kt_launch_changes_bound(scan, &launch, call, found->pragma->variable_count))
		launch.decline = "launch-order";
	if (launch.decline == NULL && route.macro != NULL &&
	    kt_launch_macro_captures(scan, &launch, &route, found->pragma->variable_count))
		launch.decline = "launch-in-macro";
	/* One launch in a macro's argument may be expanded several times. */
	struct kt_launch *twin = launch.decline == NULL ? launch_at(r, &launch) : NULL;
	if (twin != NULL) {
		twin->instance = twin->instance == launch.instance ? twin->instance : -1;
		twin->is_quiet = twin->is_quiet && launch.is_quiet;
		return KT_OK;
	}
	if (route.macro != NULL)
		TRY(add_macro_route(scan, found, &route, err));
	struct kt_launch *slot;
	NEED(slot = kt_arena_push(scan->arena, &r->launches, &r->launch_count, sizeof *slot),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches"));
	*slot = launch;
	return KT_OK;
}

/* The first launch of the kernel in the text, of which nothing is made; text->count: there is none. */
static size_t launch_left_out(const struct kt_scan *scan, const struct kt_found *found)
{
	const struct kt_text *text = scan->text;
	const struct kt_item *kernel = &scan->items[found->item];
	for (size_t t = 0; t + 1 < text->count; t++) {
		const uint32_t at = text->tokens[t].begin;
		size_t next = t + 1;
		uint32_t end = 0;
		if (!kt_token_is(text, t, found->region.kernel) || (kernel->begin <= at && at < kernel->end))
			continue;
		if (kt_token_is(text, next, "<"))
			next = kt_token_match_angle(text, next, &end) + 1;
		if (kt_token_is(text, next, "<<<"))
			return t;
	}
	return text->count;
}

/* Is the configuration of the launch at a token a parameter pack, "k<<<c...>>>(…)", for which libclang has no tree? */
static bool has_pack(const struct kt_text *text, size_t launch)
{
	size_t i = launch;
	while (i < text->count && !kt_token_is(text, i, "<<<") && !kt_token_is(text, i, ";"))
		i++;
	for (; i < text->count && !kt_token_is(text, i, ">>>") && !kt_token_is(text, i, ";"); i++)
		if (kt_token_is(text, i, "..."))
			return true;
	return false;
}

void kt_launches_judge(struct kt_scan *scan, struct kt_found *found)
{
	const struct kt_region *r = &found->region;
	for (size_t i = 0; i < r->launch_count; i++)
		if (r->launches[i].decline == NULL)
			return;
	/* Others may be in other sources. */
	if (r->is_exported)
		return;
	/* The launches of a .cl file are elsewhere. */
	if (r->launch_count > 0) {
		kt_launch_judge(scan, found, &r->launches[kt_launch_first(found)]);
		return;
	}
	const size_t left_out = launch_left_out(scan, found);
	uint32_t line = 0, column = 0;
	if (left_out < scan->text->count)
		kt_scan_position(scan, scan->text->tokens[left_out].begin, &line, &column);
	if (line > 0 && has_pack(scan->text, left_out))
		kt_found_decline(scan, found, "launch-form",
		                 "line %u: the configuration of the launch of '%s' is a parameter pack; write its parts, as in "
		                 "%s<<<grid, block>>>", line, r->kernel, r->kernel);
	else if (line > 0)
		kt_found_decline(scan, found, "no-launch",
		                 "line %u: the launch of '%s' is in text that a directive or a macro leaves out; build with the "
		                 "macros that keep it", line, r->kernel);
	else if (scan->target->has_host_code)
		/* What other sources reach is a kernel that is no template (signature.c, is_linked). */
		kt_found_decline(scan, found, r->template_count > 0 ? "template-elsewhere" : "no-launch", "'%s'%s", r->kernel,
		                 r->template_count > 0 ? " has no launch here" : "");
}

/* Where nothing that is made could be found, as in a host that other units call: what launches name themselves. */
static void add_named(struct kt_scan *scan, struct kt_found *found)
{
	unsigned ignored = 0;
	for (size_t i = 0; i < scan->call_count; i++) {
		struct kt_callee_of callee = kt_callee_read(scan->calls[i].callee);
		if (!callee.dependent && calls_kernel(scan, &callee, found->pattern, &ignored) &&
		    !kt_callee_is_specialised(scan, found, callee.target))
			(void)kt_instance_named(scan, found, scan->calls[i].callee, callee.target);
	}
}

/* Is there a launch in a host template that nothing known so far instantiates? */
static bool is_in_other_template(struct kt_scan *scan, const struct kt_found *found)
{
	unsigned ignored = 0;
	for (size_t i = 0; i < scan->call_count; i++) {
		const struct kt_call *call = &scan->calls[i];
		struct kt_callee_of callee = kt_callee_read(call->callee);
		if (call->function != NULL && calls_kernel(scan, &callee, found->pattern, &ignored) &&
		    !kt_instances_host_is_made(scan, found, call->function, call->extent.begin))
			return true;
	}
	return false;
}

kt_status kt_scan_launches(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	kt_status status = KT_OK;
	if (r->template_count > 0)
		kt_instances_walk(scan, found);
	for (size_t i = 0; i < scan->call_count && status == KT_OK; i++) {
		struct kt_callee_of callee = kt_callee_read(scan->calls[i].callee);
		unsigned overloads = 0;
		if (calls_kernel(scan, &callee, found->pattern, &overloads))
			status = add_launch(scan, found, &scan->calls[i], &callee, overloads, err);
	}
	THEN(status, kt_launch_mentions(scan, found, err));
	if (status != KT_OK)
		return status;
	kt_launch_keep_original(scan, found);
	kt_instances_explicit(scan, found);
	if (r->template_count > 0 && (r->instance_count == 0 || is_in_other_template(scan, found)))
		status = kt_instances_referenced(scan, found, err);
	if (status != KT_OK)
		return status;
	if (r->template_count > 0 && r->instance_count == 0)
		add_named(scan, found);
	for (size_t i = 0; i < r->launch_count; i++)
		kt_launch_bind_by_values(found, &r->launches[i]);
	kt_launches_judge(scan, found);
	if (r->instance_count == 0)
		kt_found_decline(scan, found, "no-instance",
		                 "no launch names template arguments of '%s'; write 'template __global__ void %s<…>(…);' with "
		                 "those that are launched", r->kernel, r->kernel);
	return scan->failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches") : KT_OK;
}
