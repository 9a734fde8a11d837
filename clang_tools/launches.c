#include <string.h>

#include "instances.h"

/* What a launch calls: a function, or a set of overloads when it depends on a template. */
struct callee {
	CXCursor target;   /* null when dependent */
	CXCursor overloads;
	bool dependent;
};

static enum CXChildVisitResult find_callee(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct callee *c = data;
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

static struct callee read_callee(CXCursor cursor)
{
	struct callee c = {.target = kt_clang.getNullCursor(), .overloads = kt_clang.getNullCursor()};
	if (find_callee(cursor, cursor, &c) == CXChildVisit_Recurse)
		kt_clang.visitChildren(cursor, find_callee, &c);
	return c;
}

static bool same(CXCursor a, CXCursor b)
{
	return kt_clang.equalCursors(kt_clang.getCanonicalCursor(a), b) != 0;
}

static bool calls_kernel(const struct callee *c, CXCursor pattern, unsigned *overloads)
{
	*overloads = 1;
	if (!c->dependent) {
		if (kt_clang.Cursor_isNull(c->target) != 0)
			return false;
		CXCursor from = kt_clang.getSpecializedCursorTemplate(c->target);
		return same(c->target, pattern) || (kt_clang.Cursor_isNull(from) == 0 && same(from, pattern));
	}
	*overloads = kt_clang.getNumOverloadedDecls(c->overloads);
	bool found = false;
	unsigned distinct = 0;
	for (unsigned i = 0; i < *overloads; i++) {
		CXCursor candidate = kt_clang.getCanonicalCursor(kt_clang.getOverloadedDecl(c->overloads, i));
		found = found || kt_clang.equalCursors(candidate, pattern) != 0;
		distinct += i == 0 || kt_clang.equalCursors(candidate, pattern) == 0;
	}
	*overloads = distinct;
	return found;
}

/* Fills the ranges; NULL, or why the launch stays as written. *angle: token of "<" of template arguments, or count. */
static const char *find_parts(const struct kt_scan *scan, const struct kt_call *call, const char *kernel,
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
	if (name + 1 < open)
		*angle = name + 1;
	l->callee = (struct kt_range){call->extent.begin, text->tokens[name].end};
	l->open = (struct kt_range){text->tokens[open].begin, text->tokens[open].end};
	l->close = (struct kt_range){text->tokens[close].begin, text->tokens[close + 1].end};
	l->end = (struct kt_range){text->tokens[last].begin, text->tokens[last].end};
	l->has_arguments = close + 2 < last;
	return NULL;
}

const struct kt_local *kt_scan_visible(const struct kt_scan *scan, const char *name, uint32_t offset)
{
	const struct kt_local *best = NULL;
	for (size_t i = 0; i < scan->local_count; i++) {
		const struct kt_local *local = &scan->locals[i];
		if (local->at < offset && offset < local->scope_end && strcmp(local->name, name) == 0 &&
		    (best == NULL || best->at < local->at))
			best = local;
	}
	return best;
}

static bool is_integer(CXType type)
{
	CXType canonical = kt_clang.getCanonicalType(type);
	if (canonical.kind == CXType_LValueReference)
		canonical = kt_clang.getCanonicalType(kt_clang.getPointeeType(canonical));
	return (canonical.kind >= CXType_Bool && canonical.kind <= CXType_Int128) || canonical.kind == CXType_Enum ||
	       canonical.kind == CXType_Unexposed || canonical.kind == CXType_Dependent ||
	       canonical.kind == CXType_Auto;
}

static void bind_variable(struct kt_scan *scan, struct kt_found *found, const struct kt_call *call,
                          const struct kt_pragma *above, struct kt_launch *l, size_t variable)
{
	struct kt_region *r = &found->region;
	const char *name = found->pragma->variables[variable];
	struct kt_binding *b = &l->bindings[variable];
	const struct kt_pragma *places[] = {above, found->pragma};
	b->argument = -1;
	for (size_t p = 0; p < 2; p++)
		for (size_t i = 0; places[p] != NULL && i < places[p]->bind_count; i++)
			if (strcmp(places[p]->binds[i].name, name) == 0) {
				b->text = places[p]->binds[i].text;
				return;
			}
	for (size_t i = 0; i < r->argument_count; i++)
		if (strcmp(r->arguments[i].name, name) == 0 && !r->arguments[i].is_pointer) {
			b->argument = (int64_t)i;
			return;
		}
	const struct kt_local *local = kt_scan_visible(scan, name, call->extent.begin);
	if (local != NULL && is_integer(local->type))
		b->text = name;
	else if (l->decline == NULL)
		l->decline = "binding-unknown";
}

/* The bind pragma above the launch; its names must be the region's problem variables. */
static const struct kt_pragma *pragma_above(struct kt_scan *scan, const struct kt_found *found,
                                            const struct kt_call *call)
{
	for (size_t i = 0; i < scan->bind_count; i++) {
		struct kt_bind_pragma *bind = &scan->binds[i];
		if (bind->target != call->extent.begin)
			continue;
		for (size_t b = 0; b < bind->pragma->bind_count && !bind->used; b++) {
			const struct kt_pragma_bind *one = &bind->pragma->binds[b];
			const struct kt_pragma *p = found->pragma;
			bool known = false;
			for (size_t v = 0; v < p->variable_count; v++)
				known = known || strcmp(p->variables[v], one->name) == 0;
			const char *near = kt_scan_nearest(one->name, p->variables, p->variable_count);
			if (!known)
				kt_scan_diagnose(
				    scan, 0, KT_ERROR, bind->text_at + one->offset, (uint32_t)strlen(one->name),
				    kt_arena_printf(scan->arena, "'%s' is no problem variable of '%s'", one->name,
				                    found->region.kernel),
				    near != NULL ? kt_arena_printf(scan->arena, "did you mean '%s'?", near) : NULL);
		}
		bind->used = true;
		return bind->pragma;
	}
	return NULL;
}

static struct kt_launch *launch_at(struct kt_region *r, struct kt_range callee)
{
	for (size_t i = 0; i < r->launch_count; i++)
		if (r->launches[i].decline == NULL && r->launches[i].callee.begin == callee.begin)
			return &r->launches[i];
	return NULL;
}

static void find_instance(struct kt_scan *scan, struct kt_found *found, const struct kt_call *call,
                          const struct callee *callee, struct kt_launch *l, size_t angle)
{
	struct kt_region *r = &found->region;
	const char **arguments = NULL;
	size_t count = 0, end = 0;
	l->instance = r->template_count == 0 ? 0 : -1;
	if (r->template_count == 0)
		return;
	if (!callee->dependent) {
		l->instance = kt_instance_from_cursor(scan, found, callee->target);
		if (l->instance < 0 && l->decline == NULL)
			l->decline = "launch-form";
		return;
	}
	if (angle >= scan->text->count || !kt_split_angle(scan, scan->text, angle, &arguments, &count, &end))
		return;
	kt_instances_of_host(scan, found, &scan->items[call->function], arguments, count);
}

static kt_status add_launch(struct kt_scan *scan, struct kt_found *found, const struct kt_call *call,
                            const struct callee *callee, unsigned overloads, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	struct kt_launch launch = {.instance = -1};
	size_t angle = 0;
	launch.decline = find_parts(scan, call, r->kernel, &launch, &angle);
	if (launch.decline == NULL && (overloads > 1 || scan->items[call->function].is_global))
		launch.decline = "launch-form";
	kt_scan_position(scan, call->extent.begin, &launch.line, &launch.column);
	find_instance(scan, found, call, callee, &launch, angle);
	launch.bindings = kt_arena_array(scan->arena, found->pragma->variable_count + 1, sizeof *launch.bindings);
	if (launch.bindings == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches");
	const struct kt_pragma *above = pragma_above(scan, found, call);
	for (size_t v = 0; v < found->pragma->variable_count; v++)
		bind_variable(scan, found, call, above, &launch, v);
	/* One launch in a macro's argument may be expanded several times. */
	struct kt_launch *twin = launch.decline == NULL ? launch_at(r, launch.callee) : NULL;
	if (twin != NULL) {
		twin->instance = twin->instance == launch.instance ? twin->instance : -1;
		return KT_OK;
	}
	struct kt_launch *slot = kt_arena_push(scan->arena, &r->launches, &r->launch_count, sizeof *slot);
	if (slot == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches");
	*slot = launch;
	return KT_OK;
}

kt_status kt_scan_launches(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	kt_status status = KT_OK;
	for (size_t i = 0; i < scan->call_count && status == KT_OK; i++) {
		struct callee callee = read_callee(scan->calls[i].callee);
		unsigned overloads = 0;
		if (calls_kernel(&callee, found->pattern, &overloads))
			status = add_launch(scan, found, &scan->calls[i], &callee, overloads, err);
	}
	if (status != KT_OK)
		return status;
	kt_instances_explicit(scan, found);
	/* A .cl file never holds the launches. */
	if (r->launch_count == 0 && scan->language == KT_LANGUAGE_CUDA)
		kt_found_decline(scan, found, "no-launch", NULL);
	if (r->instance_count == 0)
		kt_found_decline(scan, found, "no-instance", NULL);
	return scan->failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches") : KT_OK;
}
