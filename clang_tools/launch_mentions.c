/* The kernel's name where it is no callee: given to functions, asked about, launched from device code. */
#include "launches_internal.h"

#include <string.h>

#include "instances.h"
#include "mentions.h"
#include "routes.h"

/* The first use at or after a place. */
static size_t use_from(const struct kt_scan *scan, uint32_t at)
{
	size_t low = 0, high = scan->use_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (scan->uses[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void mark(const struct kt_scan *scan, bool *read, uint32_t begin, uint32_t end)
{
	for (size_t u = use_from(scan, begin); u < scan->use_count && scan->uses[u].at < end; u++)
		read[u] = true;
}

/* Marks the callee of a launch, which is looked at as such: all before "<<<", and a name with nothing but qualifiers before it. */
static void mark_callee(const struct kt_scan *scan, bool *read, const struct kt_call *call)
{
	const struct kt_text *text = scan->text;
	size_t token = kt_token_at(text, call->extent.begin);
	mark(scan, read, call->extent.begin, call->config_extent.begin);
	if (token >= text->count || text->tokens[token].begin < call->extent.begin)
		return;
	while (token < text->count && (kt_token_is(text, token, "::") || kt_token_is(text, token + 1, "::"))) {
		mark(scan, read, text->tokens[token].begin, text->tokens[token].begin + 1);
		token++;
	}
	if (token < text->count)
		mark(scan, read, text->tokens[token].begin, text->tokens[token].begin + 1);
}

static enum CXChildVisitResult find_global(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	*(bool *)data = kt_clang.getCursorKind(cursor) == CXCursor_CUDAGlobalAttr;
	return *(bool *)data ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* May it be a kernel? */
static bool is_kernel(CXCursor target)
{
	bool global = false;
	if (kt_clang.Cursor_isNull(target) != 0)
		return false;
	if (kt_clang.getCursorKind(target) == CXCursor_OverloadedDeclRef)
		return true;
	CXCursor from = kt_clang.getSpecializedCursorTemplate(target);
	kt_clang.visitChildren(kt_clang.Cursor_isNull(from) == 0 ? from : target, find_global, &global);
	if (!global)
		kt_clang.visitChildren(target, find_global, &global);
	return global;
}

/* Finds the uses of kernels that are no callees of launches, for all regions. False: memory is out. */
static bool find_uses(struct kt_scan *scan)
{
	if (scan->mentions_of_uses == scan->use_count && scan->mentions_of_calls == scan->call_count)
		return true;
	bool *read = kt_arena_array(scan->arena, scan->use_count + 1, sizeof *read);
	NEED(read, false);
	for (size_t i = 0; i < scan->call_count; i++)
		mark_callee(scan, read, &scan->calls[i]);
	scan->mentions = NULL;
	scan->opens = NULL;
	scan->mention_count = scan->open_count = 0;
	for (size_t t = 0; t + 1 < scan->text->count; t++) {
		if (!kt_token_is(scan->text, t + 1, "<<<"))
			continue;
		size_t *slot = kt_arena_push(scan->arena, &scan->opens, &scan->open_count, sizeof *slot);
		NEED(slot, false);
		*slot = t;
	}
	for (size_t u = 0; u < scan->use_count; u++) {
		if (read[u] || (u > 0 && scan->uses[u - 1].at == scan->uses[u].at) || !is_kernel(scan->uses[u].target))
			continue;
		size_t *slot = kt_arena_push(scan->arena, &scan->mentions, &scan->mention_count, sizeof *slot);
		NEED(slot, false);
		*slot = u;
	}
	scan->mentions_of_uses = scan->use_count;
	scan->mentions_of_calls = scan->call_count;
	return true;
}

static bool mentions_kernel(const struct kt_scan *scan, CXCursor target, CXCursor pattern)
{
	if (kt_clang.getCursorKind(target) != CXCursor_OverloadedDeclRef)
		return kt_launch_is_kernel(scan, target, pattern);
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

/* The instance whose arguments are written after the name at a place, outside of templates; −1: they are not. */
static int64_t written_instance(struct kt_scan *scan, struct kt_found *found, uint32_t at)
{
	const size_t open = kt_token_at(scan->text, at) + 1;
	const char **arguments = NULL;
	size_t count = 0, end = 0;
	for (size_t i = 0; i < scan->item_count; i++) {
		const struct kt_item *item = &scan->items[i];
		if (item->file == 0 && item->begin <= at && at < item->end &&
		    (item->kind == CXCursor_FunctionTemplate || item->kind == CXCursor_ClassTemplate))
			return -1;
	}
	return kt_token_is(scan->text, open, "<") && kt_split_angle(scan, scan->text, open, &arguments, &count, &end)
	           ? kt_instance_from_text(scan, found, arguments, count)
	           : -1;
}

/* Does the kernel's name follow the qualifiers at a place, with a separate use? In lists libclang gives both. */
static bool is_qualifier(const struct kt_scan *scan, const struct kt_found *found, uint32_t at)
{
	size_t token = kt_token_at(scan->text, at), use;
	if (kt_token_is(scan->text, token, found->region.kernel))
		return false;
	while (kt_token_is(scan->text, token + 1, "::") || kt_token_is(scan->text, token, "::"))
		token++;
	if (!kt_token_is(scan->text, token, found->region.kernel))
		return false;
	use = use_from(scan, scan->text->tokens[token].begin);
	return use < scan->use_count && scan->uses[use].at == scan->text->tokens[token].begin;
}

/* The instance that the name at a place stands for; −1 where a template decides. */
static int64_t named_instance(struct kt_scan *scan, struct kt_found *found, uint32_t at)
{
	if (found->region.template_count == 0)
		return 0;
	for (size_t i = 0; i < scan->specialised_count; i++) {
		CXCursor target = scan->specialised[i].target;
		if (scan->specialised[i].at == at && kt_launch_is_kernel(scan, target, found->pattern))
			return kt_callee_is_specialised(scan, found, target) ? -1
			                                                    : kt_instance_from_cursor(scan, found, target);
	}
	/* The elements of a list have no separate tree. */
	return written_instance(scan, found, at);
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
	const struct kt_bind_pragma *above = kt_launch_pragma(scan, found, &at);
	if (above != NULL && above->has_errors)
		l->decline = "pragma-error";
	for (size_t v = 0; v < found->pragma->variable_count; v++) {
		kt_launch_bind(scan, found, &at, above != NULL ? above->pragma : NULL, l, v);
		if (l->decline == NULL && l->bindings[v].text != NULL && writes(scan->text, kt_token_at(scan->text, call)))
			l->decline = "launch-order";
	}
}

/* A mention of the kernel as an argument of what launches it, or where other code has its address; false: it is another one. */
static bool add_routed(struct kt_scan *scan, struct kt_found *found, uint32_t at, const char *reason)
{
	struct kt_region *r = &found->region;
	struct kt_launch launch = {.instance = -1, .file = kt_scan_file(scan, at)};
	struct kt_route route;
	uint32_t call = 0;
	if (!kt_route_read(scan, found, at, &launch, &route, &call) &&
	    (strcmp(reason, "address-taken") != 0 || !kt_route_read_value(scan, found, at, &launch, &route, &call)))
		return false;
	kt_scan_position(scan, call, &launch.line, &launch.column);
	launch.instance = named_instance(scan, found, at);
	launch.bindings = kt_arena_array(scan->arena, found->pragma->variable_count + 1, sizeof *launch.bindings);
	if (launch.bindings != NULL)
		bind_routed(scan, found, call, &launch);
	/* Where the variable gets the kernel, what is bound at the launch is not known. */
	for (size_t v = 0; launch.bindings != NULL && route.is_variable && v < found->pragma->variable_count; v++)
		if (launch.bindings[v].argument < 0 && launch.decline == NULL)
			launch.decline = "launch-by-variable";
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
	if (!find_uses(scan))
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches");
	for (size_t i = 0; i < scan->open_count && status == KT_OK; i++) {
		const size_t t = scan->opens[i];
		uint32_t at = text->tokens[t].begin;
		if (!kt_token_is(text, t, found->region.kernel) ||
		    kt_clang.Cursor_isNull(kt_scan_target(scan, at)) == 0 || kt_scan_skipped(scan, at))
			continue;
		for (size_t k = 0; k < scan->item_count; k++) {
			const struct kt_item *item = &scan->items[k];
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
	const struct kt_item *kernel = &scan->items[found->item];
	if ((kernel->begin <= at && at < kernel->end) || is_qualifier(scan, found, at) || !mentions_kernel(scan, scan->uses[use].target, found->pattern))
		return false;
	const size_t token = kt_token_at(scan->text, at);
	*out = (struct kt_mention){.launch = "launch-in-macro"};
	if (kt_token_is(scan->text, token, found->region.kernel))
		*out = kt_mention_read(scan->text, token);
	/* Code that has the kernel's address may pass it to a function that changes settings. */
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
	scan->failed = !find_uses(scan) || scan->failed;
	for (size_t i = 0; i < scan->mention_count && !scan->failed; i++) {
		struct kt_mention mention;
		uint32_t line = 0, column = 0;
		if (!read_mention(&mention, scan, kernel, scan->mentions[i]) || mention.kernel == NULL)
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
kt_status kt_launch_mentions(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	TRY(find_device_launches(scan, found, err));
	if (!find_uses(scan))
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches");
	for (size_t i = 0; i < scan->mention_count; i++) {
		struct kt_mention mention;
		const uint32_t at = scan->uses[scan->mentions[i]].at;
		if (read_mention(&mention, scan, found, scan->mentions[i]) && mention.launch != NULL &&
		    !add_routed(scan, found, at, mention.launch))
			TRY(add_declined(scan, found, at, mention.launch, err));
	}
	return KT_OK;
}

/* What the program sets or asks holds for the kernel itself: none of its launches may run another one. */
void kt_launch_keep_original(struct kt_scan *scan, struct kt_found *found)
{
	struct kt_region *r = &found->region;
	const char *detail = NULL, *reason = kt_kernel_setting(scan, found, &detail);
	if (reason == NULL && found->macro_setting != NULL) {
		reason = found->macro_setting;
		detail = "in the body of a macro that launches it";
	}
	for (size_t i = 0; reason != NULL && i < r->launch_count; i++)
		if (r->launches[i].decline == NULL)
			r->launches[i].decline = reason;
	if (reason != NULL && detail != NULL)
		kt_found_decline(scan, found, reason, "%s", detail);
}
