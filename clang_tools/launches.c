#include "launches.h"

#include <string.h>

#include "deduce.h"
#include "members.h"
#include "instances.h"
#include "mentions.h"
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
static bool is_kernel(const struct kt_scan *scan, CXCursor target, CXCursor pattern)
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
		return is_kernel(scan, c->target, pattern);
	*overloads = kt_clang.getNumOverloadedDecls(c->overloads);
	/* A name never leads to an explicit specialisation: its template does, which is another overload of it then. */
	CXCursor primary = kt_clang.getSpecializedCursorTemplate(pattern);
	const bool is_specialised = kt_clang.Cursor_isNull(primary) == 0;
	bool found = false;
	unsigned distinct = 0;
	for (unsigned i = 0; i < *overloads; i++) {
		CXCursor one = kt_clang.getOverloadedDecl(c->overloads, i);
		bool same = kt_scan_same(scan, one, pattern);
		found = found || same || (is_specialised && kt_scan_same(scan, one, primary));
		distinct += i == 0 || !same;
	}
	*overloads = is_specialised ? distinct + 1 : distinct;
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

void kt_launch_bind(struct kt_scan *scan, struct kt_found *found, const struct kt_call *call,
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
static const struct kt_bind_pragma *pragma_above(struct kt_scan *scan, const struct kt_found *found,
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
			const char *near = kt_nearest(one->name, p->variables, p->variable_count);
			bind->has_errors = bind->has_errors || !known;
			if (!known)
				kt_scan_diagnose(
				    scan, 0, KT_ERROR, bind->text_at + one->offset, (uint32_t)strlen(one->name),
				    kt_arena_printf(scan->arena, "'%s' is no problem variable of '%s'", one->name,
				                    found->region.kernel),
				    near != NULL ? kt_arena_printf(scan->arena, "did you mean '%s'?", near) : NULL);
		}
		bind->used = true;
		return bind;
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
		CXEvalResult value = local != NULL && !local->is_parameter && is_integer(local->type) &&
		                             kt_clang.isConstQualifiedType(local->type) != 0
		                         ? kt_clang.Cursor_Evaluate(local->cursor)
		                         : NULL;
		if (value != NULL && kt_clang.EvalResult_getKind(value) == CXEval_Int)
			arguments[i] = kt_arena_printf(scan->arena, "%lld", kt_clang.EvalResult_getAsLongLong(value));
		if (value != NULL)
			kt_clang.EvalResult_dispose(value);
	}
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
		const char *name =
		    t == begin + 1 ? kt_scan_squeeze(scan, text, text->tokens[begin].begin, text->tokens[begin].end) : NULL;
		const struct kt_local *local = name != NULL ? kt_scan_visible(scan, name, call->extent.begin) : NULL;
		if (local != NULL)
			(void)kt_deduce(scan, r->arguments[at].type,
			                kt_clang_text(scan->arena, kt_clang.getTypeSpelling(local->type)), names, arguments,
			                r->template_count);
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

static void find_instance(struct kt_scan *scan, struct kt_found *found, const struct kt_call *call,
                          const struct kt_callee_of *callee, struct kt_launch *l, size_t angle)
{
	struct kt_region *r = &found->region;
	const char **arguments = NULL;
	size_t count = 0, end = 0;
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
		l->instance = kt_instance_from_cursor(scan, found, callee->target);
		if (l->instance < 0 && l->decline == NULL)
			l->decline = "launch-form";
		return;
	}
	if (angle < scan->text->count && !kt_split_angle(scan, scan->text, angle, &arguments, &count, &end))
		return;
	read_constants(scan, call, arguments, count);
	if (count < r->template_count)
		count = add_deduced(scan, r, call, &arguments, count);
	if (count == 0)
		return;
	read_constants(scan, call, arguments, count);
	kt_instances_of_host(scan, found, call->function, call->extent.begin, arguments, count, false);
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
	size_t angle = 0;
	launch.decline = kt_launch_parts(scan, call, r->kernel, &launch, &angle);
	if (launch.decline == NULL && (call->function->is_global || call->function->is_device_data))
		launch.decline = "launch-from-device";
	if (launch.decline == NULL && overloads > 1) {
		/* Template arguments that are written have no place in a call of the dispatcher. */
		if (r->template_count == 0 && angle >= scan->text->count &&
		    declared_before(scan, found, callee->overloads))
			r->is_overloaded = true;
		else
			launch.decline = "launch-form";
	}
	/* Of an explicit specialisation they are a part of its name: its dispatcher is no template. */
	if (launch.decline == NULL && r->template_count == 0 && angle < scan->text->count)
		(void)kt_token_match_angle(scan->text, angle, &launch.callee.end);
	launch.file = kt_scan_file(scan, call->extent.begin);
	kt_scan_position(scan, call->extent.begin, &launch.line, &launch.column);
	find_instance(scan, found, call, callee, &launch, angle);
	launch.bindings = kt_arena_array(scan->arena, found->pragma->variable_count + 1, sizeof *launch.bindings);
	if (launch.bindings == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches");
	const struct kt_bind_pragma *above = pragma_above(scan, found, call);
	if (launch.decline == NULL && above != NULL && above->has_errors)
		launch.decline = "pragma-error";
	for (size_t v = 0; v < found->pragma->variable_count; v++)
		kt_launch_bind(scan, found, call, above != NULL ? above->pragma : NULL, &launch, v);
	launch.is_quiet = kt_launch_is_quiet(scan, r, call, callee);
	if (launch.decline == NULL && !launch.is_quiet &&
	    kt_launch_changes_bound(scan, &launch, call, found->pragma->variable_count))
		launch.decline = "launch-order";
	/* One launch in a macro's argument may be expanded several times. */
	struct kt_launch *twin = launch.decline == NULL ? launch_at(r, launch.callee) : NULL;
	if (twin != NULL) {
		twin->instance = twin->instance == launch.instance ? twin->instance : -1;
		twin->is_quiet = twin->is_quiet && launch.is_quiet;
		return KT_OK;
	}
	struct kt_launch *slot = kt_arena_push(scan->arena, &r->launches, &r->launch_count, sizeof *slot);
	if (slot == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches");
	*slot = launch;
	return KT_OK;
}

/* Is it the callee of a launch, which was looked at as such, or the kernel's own text? */
static bool is_read(const struct kt_scan *scan, const struct kt_found *found, uint32_t at)
{
	const struct kt_item *kernel = &scan->items[found->item];
	for (size_t i = 0; i < scan->call_count; i++)
		if (scan->calls[i].extent.begin <= at &&
		    (at < scan->calls[i].config_extent.begin || at == scan->calls[i].extent.begin))
			return true;
	return kernel->begin <= at && at < kernel->end;
}

static bool mentions_kernel(const struct kt_scan *scan, CXCursor target, CXCursor pattern)
{
	if (kt_clang.getCursorKind(target) != CXCursor_OverloadedDeclRef)
		return is_kernel(scan, target, pattern);
	for (unsigned i = 0; i < kt_clang.getNumOverloadedDecls(target); i++)
		if (kt_scan_same(scan, kt_clang.getOverloadedDecl(target, i), pattern))
			return true;
	return false;
}

static kt_status add_declined(struct kt_scan *scan, struct kt_found *found, uint32_t at, const char *reason,
                              struct kt_error *err)
{
	struct kt_region *r = &found->region;
	struct kt_launch launch = {.instance = -1, .decline = reason, .file = kt_scan_file(scan, at)};
	launch.bindings = kt_arena_array(scan->arena, found->pragma->variable_count + 1, sizeof *launch.bindings);
	kt_scan_position(scan, at, &launch.line, &launch.column);
	struct kt_launch *slot = kt_arena_push(scan->arena, &r->launches, &r->launch_count, sizeof *slot);
	if (slot == NULL || launch.bindings == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches");
	for (size_t v = 0; v < found->pragma->variable_count; v++)
		launch.bindings[v].argument = -1;
	*slot = launch;
	return KT_OK;
}

/* The instance that the name at a place stands for; −1 where a template decides. */
static int64_t named_instance(struct kt_scan *scan, struct kt_found *found, uint32_t at)
{
	if (found->region.template_count == 0)
		return 0;
	for (size_t i = 0; i < scan->specialised_count; i++) {
		CXCursor target = scan->specialised[i].target;
		if (scan->specialised[i].at == at && is_kernel(scan, target, found->pattern))
			return kt_callee_is_specialised(scan, found, target) ? -1
			                                                    : kt_instance_from_cursor(scan, found, target);
	}
	return -1;
}

/* Does an argument of the call at a token write something? Arguments have no order. */
static bool writes(const struct kt_text *text, size_t name)
{
	static const char *const marks[] = {"++", "--", "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="};
	size_t open = name;
	while (open < text->count && !kt_token_is(text, open, "("))
		open++;
	const size_t close = kt_token_match(text, open);
	for (size_t t = open; t < close && t < text->count; t++)
		for (size_t m = 0; m < sizeof marks / sizeof marks[0]; m++)
			if (kt_token_is(text, t, marks[m]))
				return true;
	return false;
}

static void bind_routed(struct kt_scan *scan, struct kt_found *found, uint32_t call, struct kt_launch *l)
{
	/* A pragma is above the statement. */
	size_t first = kt_token_at(scan->text, call);
	while (first > 0 && !kt_token_is(scan->text, first - 1, ";") && !kt_token_is(scan->text, first - 1, "{") &&
	       !kt_token_is(scan->text, first - 1, "}") && scan->text->tokens[first - 1].kind != KT_TOKEN_DIRECTIVE)
		first--;
	const uint32_t begin = scan->text->tokens[first].begin;
	const struct kt_call at = {.extent = {begin, begin}};
	const struct kt_bind_pragma *above = pragma_above(scan, found, &at);
	if (above != NULL && above->has_errors)
		l->decline = "pragma-error";
	for (size_t v = 0; v < found->pragma->variable_count; v++) {
		kt_launch_bind(scan, found, &at, above != NULL ? above->pragma : NULL, l, v);
		if (l->decline == NULL && l->bindings[v].text != NULL && writes(scan->text, kt_token_at(scan->text, call)))
			l->decline = "launch-order";
	}
}

/* A mention of the kernel as an argument of what launches it; false: it is another one. */
static bool add_routed(struct kt_scan *scan, struct kt_found *found, uint32_t at)
{
	struct kt_region *r = &found->region;
	struct kt_launch launch = {.instance = -1, .file = kt_scan_file(scan, at)};
	struct kt_route route;
	uint32_t call = 0;
	if (!kt_route_read(scan, found, at, &launch, &route, &call))
		return false;
	kt_scan_position(scan, call, &launch.line, &launch.column);
	launch.instance = named_instance(scan, found, at);
	launch.bindings = kt_arena_array(scan->arena, found->pragma->variable_count + 1, sizeof *launch.bindings);
	if (launch.bindings != NULL)
		bind_routed(scan, found, call, &launch);
	route.launch = r->launch_count;
	struct kt_launch *slot = kt_arena_push(scan->arena, &r->launches, &r->launch_count, sizeof *slot);
	struct kt_route *kept = kt_arena_push(scan->arena, &found->routes, &found->route_count, sizeof *kept);
	scan->failed = scan->failed || launch.bindings == NULL || slot == NULL || kept == NULL;
	if (!scan->failed) {
		*slot = launch;
		*kept = route;
	}
	return true;
}

/* Clang has no tree for a launch in device code: it is found by its text. */
static kt_status find_device_launches(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	const struct kt_text *text = scan->text;
	kt_status status = KT_OK;
	for (size_t t = 0; t + 1 < text->count && status == KT_OK; t++) {
		uint32_t at = text->tokens[t].begin;
		if (!kt_token_is(text, t, found->region.kernel) || !kt_token_is(text, t + 1, "<<<") ||
		    kt_clang.Cursor_isNull(kt_scan_target(scan, at)) == 0 || kt_scan_skipped(scan, at))
			continue;
		for (size_t i = 0; i < scan->item_count; i++) {
			const struct kt_item *item = &scan->items[i];
			if (item->file == 0 && item->is_function && item->begin <= at && at < item->end &&
			    (item->is_global || item->is_device_data)) {
				status = add_declined(scan, found, at, "launch-from-device", err);
				break;
			}
		}
	}
	return status;
}

/* Does the name at a place stand for a kernel of the project? */
static bool names_kernel(const void *context, uint32_t offset)
{
	const struct kt_scan *scan = context;

	for (size_t u = 0; u < scan->use_count; u++) {
		if (scan->uses[u].at != offset)
			continue;
		for (size_t i = 0; i < scan->item_count; i++)
			if (scan->items[i].is_global && kt_scan_same(scan, scan->uses[u].target, scan->items[i].cursor))
				return true;
	}
	return false;
}

/* What the mention of the kernel at a place is; false: it is none, or was looked at as a launch. */
static bool read_mention(struct kt_mention *out, const struct kt_scan *scan, const struct kt_found *found, size_t use)
{
	const uint32_t at = scan->uses[use].at;
	const size_t token = kt_token_at(scan->text, at);
	if ((use > 0 && scan->uses[use - 1].at == at) || is_read(scan, found, at) ||
	    !mentions_kernel(scan, scan->uses[use].target, found->pattern))
		return false;
	*out = (struct kt_mention){.launch = "launch-in-macro"};
	if (kt_token_is(scan->text, token, found->region.kernel))
		*out = kt_mention_read(scan->text, token);
	/* Whoever has the kernel's address may give it to what sets something. */
	if (out->kernel == NULL && out->launch != NULL) {
		const struct kt_kernel_names kernels = {names_kernel, scan};
		const struct kt_mention setter = kt_mention_setter(scan->text, &kernels);
		out->kernel = setter.kernel;
		out->function = setter.function;
	}
	return true;
}

const char *kt_kernel_setting(struct kt_scan *scan, const struct kt_found *kernel, const char **detail)
{
	for (size_t i = 0; i < scan->use_count; i++) {
		struct kt_mention mention;
		uint32_t line = 0, column = 0;
		if (!read_mention(&mention, scan, kernel, i) || mention.kernel == NULL)
			continue;
		const struct kt_token *name = &scan->text->tokens[mention.function];
		kt_scan_position(scan, name->begin, &line, &column);
		*detail = kt_arena_printf(scan->arena, "line %u: '%.*s'", line, (int)(name->end - name->begin),
		                          scan->text->data + name->begin);
		scan->failed = scan->failed || *detail == NULL;
		return mention.kernel;
	}
	return NULL;
}

/* The kernel's name where it is no callee: other ways to launch it, which are left unmodified. */
static kt_status find_mentions(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	kt_status status = find_device_launches(scan, found, err);
	for (size_t i = 0; i < scan->use_count && status == KT_OK; i++) {
		struct kt_mention mention;
		if (read_mention(&mention, scan, found, i) && mention.launch != NULL &&
		    !add_routed(scan, found, scan->uses[i].at))
			status = add_declined(scan, found, scan->uses[i].at, mention.launch, err);
	}
	return status;
}

/* What the program sets or asks holds for the kernel itself: none of its launches may run another one. */
static void keep_original(struct kt_scan *scan, struct kt_found *found)
{
	struct kt_region *r = &found->region;
	const char *detail = NULL, *reason = kt_kernel_setting(scan, found, &detail);
	for (size_t i = 0; reason != NULL && i < r->launch_count; i++)
		if (r->launches[i].decline == NULL)
			r->launches[i].decline = reason;
	if (reason != NULL && detail != NULL)
		kt_found_decline(scan, found, reason, "%s", detail);
}

/* The first problem variable that nothing at the launch has the value of, where that is why it is left unmodified. */
static const char *unbound(const struct kt_found *found, const struct kt_launch *l)
{
	if (l->decline == NULL || strcmp(l->decline, "binding-unknown") != 0)
		return NULL;
	for (size_t v = 0; v < found->pragma->variable_count; v++)
		if (l->bindings[v].argument < 0 && l->bindings[v].text == NULL)
			return found->pragma->variables[v];
	return NULL;
}

void kt_launch_judge(struct kt_scan *scan, struct kt_found *found, const struct kt_launch *l)
{
	const char *variable = unbound(found, l);
	if (variable != NULL)
		kt_found_decline(scan, found, l->decline, "line %u: '%s' is no argument and no variable there; write "
		                 "'#pragma ktune bind(%s = EXPRESSION)' above the launch", l->line, variable, variable);
	else if (l->decline != NULL)
		kt_found_decline(scan, found, l->decline, "line %u", l->line);
}

/* The argument or member whose value is that variable and nothing else, where a launch can read it; -1: none. */
static int64_t carrier_of(const struct kt_found *found, const char *variable)
{
	const struct kt_region *r = &found->region;
	for (size_t i = 0; i < found->pragma->value_count; i++) {
		const struct kt_pragma_value *v = &found->pragma->values[i];
		if (v->expr.expr == NULL || strcmp(v->expr.text, variable) != 0)
			continue;
		const int64_t argument = kt_members_given(r, v);
		if (argument >= 0 && !r->arguments[argument].is_pointer && !r->arguments[argument].is_private)
			return argument;
	}
	return -1;
}

/* value(p.rows = rows): where nothing else at a launch has rows, p.rows is it. */
static void bind_by_values(struct kt_found *found, struct kt_launch *l)
{
	bool all = true;
	if (l->decline == NULL || strcmp(l->decline, "binding-unknown") != 0)
		return;
	for (size_t v = 0; v < found->pragma->variable_count; v++) {
		struct kt_binding *b = &l->bindings[v];
		if (b->argument < 0 && b->text == NULL)
			b->argument = carrier_of(found, found->pragma->variables[v]);
		all = all && (b->argument >= 0 || b->text != NULL);
	}
	if (all)
		l->decline = NULL;
}

/* A region whose launches are all left unmodified need not be tuned: the reason is the first one's. */
static void judge_launches(struct kt_scan *scan, struct kt_found *found)
{
	const struct kt_region *r = &found->region;
	for (size_t i = 0; i < r->launch_count; i++)
		if (r->launches[i].decline == NULL)
			return;
	/* The launches of a .cl file are elsewhere. */
	if (r->launch_count > 0)
		kt_launch_judge(scan, found, &r->launches[0]);
	else if (scan->language == KT_LANGUAGE_CUDA)
		kt_found_decline(scan, found, "no-launch", "'%s'", r->kernel);
}

/* Where nothing that is made could be found, as in a host that other units call: what launches name themselves. */
static void add_named(struct kt_scan *scan, struct kt_found *found)
{
	unsigned ignored = 0;
	for (size_t i = 0; i < scan->call_count; i++) {
		struct kt_callee_of callee = kt_callee_read(scan->calls[i].callee);
		if (!callee.dependent && calls_kernel(scan, &callee, found->pattern, &ignored) &&
		    !kt_callee_is_specialised(scan, found, callee.target))
			(void)kt_instance_from_cursor(scan, found, callee.target);
	}
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
	if (status == KT_OK)
		status = find_mentions(scan, found, err);
	if (status != KT_OK)
		return status;
	keep_original(scan, found);
	kt_instances_explicit(scan, found);
	if (r->template_count > 0 && r->instance_count == 0)
		add_named(scan, found);
	for (size_t i = 0; i < r->launch_count; i++)
		bind_by_values(found, &r->launches[i]);
	judge_launches(scan, found);
	if (r->instance_count == 0)
		kt_found_decline(scan, found, "no-instance",
		                 "no launch names template arguments of '%s'; write 'template __global__ void %s<…>(…);' with "
		                 "those that are launched", r->kernel, r->kernel);
	return scan->failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches") : KT_OK;
}
