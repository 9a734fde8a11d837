#include <string.h>

#include "expand.h"
#include "launches.h"
#include "pragma_kernel.h"
#include "routes.h"

size_t kt_split_list(struct kt_scan *scan, uint32_t begin, uint32_t end, const char **out, size_t most)
{
	const struct kt_text *text = scan->text;
	size_t count = 0;
	uint32_t from = begin;
	for (size_t i = kt_token_at(text, begin); i <= text->count; i++) {
		bool last = i == text->count || text->tokens[i].begin >= end;
		if (!last && (kt_token_is(text, i, "(") || kt_token_is(text, i, "[") || kt_token_is(text, i, "{"))) {
			i = kt_token_match(text, i);
			continue;
		}
		if (!last && !kt_token_is(text, i, ","))
			continue;
		uint32_t stop = last ? end : text->tokens[i].begin;
		const char *part = kt_scan_squeeze(scan, text, from, stop);
		if (count < most && part[0] != '\0')
			out[count++] = part;
		if (last)
			break;
		from = text->tokens[i].end;
	}
	return count;
}

const char *kt_single_name(struct kt_scan *scan, const char *text)
{
	struct kt_text tokens;
	struct kt_error err;
	const char *name = NULL;
	static const char *const words[] = {"static_cast", "int", "unsigned", "long", "size_t", "int64_t", "int32_t",
	                                    "uint32_t", "uint64_t", "const", "short"};
	if (kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
		return NULL;
	for (size_t i = 0; i < tokens.count; i++) {
		bool skip = kt_token_is(&tokens, i, "(") || kt_token_is(&tokens, i, ")") || kt_token_is(&tokens, i, "<") ||
		            kt_token_is(&tokens, i, ">");
		for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
			skip = skip || kt_token_is(&tokens, i, words[w]);
		if (skip)
			continue;
		if (name != NULL || tokens.tokens[i].kind != KT_TOKEN_NAME)
			return NULL;
		name = kt_arena_strndup(scan->arena, text + tokens.tokens[i].begin,
		                        tokens.tokens[i].end - tokens.tokens[i].begin);
	}
	return name;
}

static const struct kt_route *route_of(const struct kt_found *found, const struct kt_launch *l)
{
	for (size_t i = 0; (l->is_routed || l->level_count > 0) && i < found->route_count; i++)
		if (&found->region.launches[found->routes[i].launch] == l)
			return &found->routes[i];
	return NULL;
}

size_t kt_launch_arguments(struct kt_scan *scan, const struct kt_found *found, const struct kt_launch *launch,
                           const char **texts, size_t most)
{
	const struct kt_route *route = route_of(found, launch);
	size_t count = 0;
	if (route == NULL)
		return kt_split_list(scan, launch->close.end, launch->end.begin, texts, most);
	for (; route->arguments != NULL && count < route->argument_count && count < most; count++)
		texts[count] = route->arguments[count];
	return count;
}

struct allowed {
	const struct kt_found *found;
	bool all;
};

static bool check_name(const char *name, unsigned offset, bool pointer, void *context)
{
	struct allowed *a = context;
	(void)offset;
	a->all = a->all && kt_expand_is_word(a->found, name) && !pointer;
	return a->all;
}

bool kt_expand_expr(struct kt_clause_expr *out, struct kt_expand *x, const char *text)
{
	struct kt_buf buf = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_buf canonical = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct allowed allowed = {x->found, true};
	struct kt_error err;
	struct kt_clause_expr expr = {0};
	bool done = kt_expand(&buf, x, text, 0) &&
	            kt_expr_parse(&expr.expr, x->scan->arena, kt_buf_text(&buf), buf.size, &err) == KT_OK &&
	            kt_expr_names(expr.expr, check_name, &allowed) && allowed.all;
	if (done) {
		kt_expr_canonical(&canonical, expr.expr);
		expr.text = kt_arena_strdup(x->scan->arena, kt_buf_text(&canonical));
		done =
		    expr.text != NULL && kt_expr_parse(&expr.expr, x->scan->arena, expr.text, strlen(expr.text), &err) == KT_OK;
	}
	if (done)
		*out = expr;
	kt_buf_free(&buf);
	kt_buf_free(&canonical);
	return done;
}

static size_t read_dims(struct kt_clause_expr out[3], struct kt_expand *x, const char *text)
{
	const char *dims[3] = {NULL};
	size_t count = kt_expand_dims(dims, x, text, 0);
	for (size_t i = 0; i < count; i++)
		if (!kt_expand_expr(&out[i], x, dims[i]))
			return 0;
	return count;
}

/* Why a part could not be read, or "" where it could. */
static const char *cause_of(const struct kt_expand *x, bool known)
{
	return known ? "" : x->cause != NULL ? x->cause : "it is no integer expression over known names";
}

bool kt_read_configuration(struct kt_launch *l, struct kt_expand *x, const char *const *parts, size_t count)
{
	if (count < 2)
		return false;
	x->cause = NULL;
	x->steps = 0;
	l->grid_count = read_dims(l->grid, x, parts[0]);
	x->causes[0] = cause_of(x, l->grid_count > 0);
	x->cause = NULL;
	x->steps = 0;
	l->block_count = read_dims(l->block, x, parts[1]);
	x->causes[1] = cause_of(x, l->block_count > 0);
	x->cause = NULL;
	x->steps = 0;
	x->causes[2] = cause_of(x, count < 3 || kt_expand_expr(&l->shared_bytes, x, parts[2]));
	return x->causes[0][0] == '\0' && x->causes[1][0] == '\0' && x->causes[2][0] == '\0';
}

/* What is known of a launch's configuration, and what a clause gives. */
struct reading {
	const char *parts[3];  /* as the source spells it; NULL: there is none */
	const char *causes[3]; /* "": it is known; NULL: nothing was read */
	bool by_calls;         /* calls of the host's function tell a part of it */
	bool by_instance;      /* instances differ in a part of it */
};

static const char *const clause_names[] = {"grid", "block", "smem"};

static bool has_clause(const struct kt_region *r, size_t part)
{
	return part == 0 ? r->grid_count > 0 : part == 1 ? r->block_count > 0 : r->shared_bytes.expr != NULL;
}

/* The first part that neither the launch nor a clause tells; 3: none. */
static size_t unknown_part(const struct kt_region *r, const struct reading *reading)
{
	size_t part = 0;
	while (part < 3 && (has_clause(r, part) || (reading->causes[part] != NULL && reading->causes[part][0] == '\0')))
		part++;
	return part;
}

void kt_expand_at(struct kt_expand *x, struct kt_scan *scan, struct kt_found *found, const struct kt_launch *launch)
{
	const struct kt_route *route = route_of(found, launch);
	*x = (struct kt_expand){.scan = scan, .found = found, .at = launch->callee.begin};
	if (route != NULL && route->at != 0)
		x->at = route->at;
	kt_expand_rename(x, launch);
}

static void keep_texts(struct kt_scan *scan, struct kt_found *found, const struct kt_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct kt_range *slot =
		    kt_arena_push(scan->arena, &found->launch_texts, &found->launch_text_count, sizeof *slot);
		if (slot == NULL)
			scan->failed = true;
		else
			*slot = ranges[i];
	}
}

/* instance: whose launch is read; SIZE_MAX: what all of them have in common. */
static void read_launch(struct kt_scan *scan, struct kt_found *found, struct kt_launch *l, size_t instance,
                        struct reading *out)
{
	const char *parts[4] = {NULL};
	const struct kt_route *route = route_of(found, l);
	struct kt_expand x;
	*out = (struct reading){.causes = {NULL, NULL, ""}};
	if (l->open.end == 0)
		return;
	kt_expand_at(&x, scan, found, l);
	x.instance = instance != SIZE_MAX ? &found->region.instances[instance] : NULL;
	l->grid_count = l->block_count = 0;
	l->shared_bytes = (struct kt_clause_expr){.expr = NULL};
	size_t count = route != NULL ? route->part_count : kt_split_list(scan, l->open.end, l->close.begin, parts, 4);
	for (size_t i = 0; route != NULL && i < count; i++)
		parts[i] = route->parts[i];
	/* Launches of any value compare the geometry, whichever of them tells it. */
	if (count < 2 && route != NULL && route->is_constant)
		keep_texts(scan, found, route->ranges, route->range_count);
	if (count < 2)
		return;
	kt_expand_rename_extents(&x, parts[0], found->region.grid, found->region.grid_count);
	kt_expand_rename_extents(&x, parts[1], found->region.block, found->region.block_count);
	(void)kt_read_configuration(l, &x, parts, count);
	out->by_calls = x.by_calls;
	out->by_instance = x.by_instance;
	for (size_t i = 0; i < 3; i++) {
		out->parts[i] = parts[i];
		out->causes[i] = x.causes[i];
	}
	keep_texts(scan, found, x.used, x.used_count);
	if (route != NULL)
		keep_texts(scan, found, route->ranges, route->range_count);
}

/* Do the extents differ on that problem? False where a parameter decides. */
static bool differs(const struct kt_clause_expr *a, size_t a_count, const struct kt_clause_expr *b, size_t b_count,
                    struct kt_scope *scope)
{
	bool differ = false;
	for (size_t d = 0; d < 3; d++) {
		int64_t one = 1, other = 1;
		struct kt_error ignored;
		if ((d < a_count && kt_expr_eval(&one, a[d].expr, kt_scope_lookup, scope, &ignored) != KT_OK) ||
		    (d < b_count && kt_expr_eval(&other, b[d].expr, kt_scope_lookup, scope, &ignored) != KT_OK))
			return false;
		differ = differ || one != other;
	}
	return differ;
}

static const char *extents_text(struct kt_scan *scan, const struct kt_clause_expr *exprs, size_t count)
{
	const char *text = exprs[0].text;
	for (size_t d = 1; d < count && text != NULL; d++)
		text = kt_arena_printf(scan->arena, "%s, %s", text, exprs[d].text);
	return text != NULL ? text : "";
}

/* A variant runs for launches of the geometry that the clauses give: one that no problem has runs the original. */
static void warn_other_geometry(struct kt_scan *scan, struct kt_found *found, const struct kt_launch *l,
                                const char *clause, const struct kt_clause_expr *said, size_t said_count,
                                const struct kt_clause_expr *launched, size_t launched_count)
{
	const struct kt_pragma *p = found->pragma;
	struct kt_scope scope = {.region = &found->region};
	if (said_count == 0 || p->problem_count == 0)
		return;
	for (size_t i = 0; i < p->problem_count; i++) {
		scope.problem = p->problems + i * p->variable_count;
		if (!differs(said, said_count, launched, launched_count, &scope))
			return;
	}
	const char *text = extents_text(scan, said, said_count);
	const char *real = extents_text(scan, launched, launched_count);
	kt_scan_diagnose(scan, 0, KT_WARNING, found->text_at + said[0].offset, (uint32_t)strlen(said[0].text),
	                 kt_arena_printf(scan->arena,
	                                 "%s(%s) is not what line %u launches, which is %s(%s): no variant runs there", clause,
	                                 text, l->line, clause, real),
	                 kt_arena_printf(scan->arena, "write %s(%s), or remove the clause", clause, real));
}

static void compare_geometry(struct kt_scan *scan, struct kt_found *found)
{
	const struct kt_pragma *p = found->pragma;
	for (size_t i = 0; i < found->region.launch_count; i++) {
		const struct kt_launch *l = &found->region.launches[i];
		if (l->decline != NULL)
			continue;
		if (l->grid_count > 0)
			warn_other_geometry(scan, found, l, "grid", p->grid, p->grid_count, l->grid, l->grid_count);
		if (l->block_count > 0)
			warn_other_geometry(scan, found, l, "block", p->block, p->block_count, l->block, l->block_count);
	}
}

/* What could not be read of the first launch, why, and the clause that gives it. */
static void decline_geometry(struct kt_scan *scan, struct kt_found *found, const struct reading *readings)
{
	const struct kt_region *r = &found->region;
	for (size_t k = 0; k < r->launch_count; k++) {
		const size_t i = (kt_launch_first(found) + k) % r->launch_count;
		const struct kt_launch *l = &r->launches[i];
		if (l->decline != NULL || l->open.end == 0)
			continue;
		const size_t part = unknown_part(r, &readings[i]);
		if (part < 3 && readings[i].parts[part] != NULL)
			kt_found_decline(scan, found, "geometry-unknown",
			                 "line %u: %s '%s' of the launch of '%s': %s; write %s(…) over problem variables and parameters",
			                 l->line, clause_names[part], readings[i].parts[part], r->kernel, readings[i].causes[part],
			                 clause_names[part]);
		else
			kt_found_decline(scan, found, "geometry-unknown",
			                 "line %u: what launches '%s' does not tell its configuration; write grid(…) and block(…) over "
			                 "problem variables and parameters", l->line, r->kernel);
	}
	kt_found_decline(scan, found, "geometry-unknown", "'%s' has no launch here; write %s over problem variables and "
	                 "parameters", r->kernel,
	                 scan->target->geometry);
}

/* Is the dynamic shared memory known of no launch? */
static bool lacks_shared(const struct kt_region *r, const struct reading *readings)
{
	bool any = false;
	for (size_t i = 0; r->shared_bytes.expr == NULL && i < r->launch_count; i++) {
		const struct kt_launch *l = &r->launches[i];
		if (l->decline != NULL || l->open.end == 0)
			continue;
		if (readings[i].causes[2] == NULL || readings[i].causes[2][0] == '\0')
			return false;
		any = true;
	}
	return any;
}

/* The launches that an instance may come from: those that name it, and those whose template decides. */
static bool is_of(const struct kt_launch *l, size_t instance)
{
	return l->decline == NULL && (instance == SIZE_MAX || l->instance < 0 || (size_t)l->instance == instance);
}

/* The launch that gives what clauses do not, of an instance or (SIZE_MAX) of all of them; NULL: none does. */
static const struct kt_launch *readable_launch(const struct kt_found *found, const struct reading *readings, size_t instance)
{
	const struct kt_region *r = &found->region;
	const size_t first = kt_launch_first(found);
	/* A launch that tells it by itself comes first. */
	for (size_t i = 0; i < 2 * r->launch_count; i++) {
		const size_t at = (first + i) % r->launch_count;
		/* The launch that the pragma is above is what the variants take the place of. */
		if (found->above.end != 0 && at != first && is_of(&r->launches[first], instance))
			continue;
		if (is_of(&r->launches[at], instance) && unknown_part(r, &readings[at]) == 3 &&
		    readings[at].by_calls == (i >= r->launch_count))
			return &r->launches[at];
	}
	return NULL;
}

static void read_launches(struct kt_scan *scan, struct kt_found *found, struct reading *readings, size_t instance)
{
	const struct kt_region *r = &found->region;
	for (size_t i = 0; i < r->launch_count; i++)
		if (instance == SIZE_MAX || is_of(&r->launches[i], instance))
			read_launch(scan, found, &found->region.launches[i], instance, &readings[i]);
}

/* The clauses, and for what they leave out the launch. */
static struct kt_extents extents_of(const struct kt_region *r, const struct kt_launch *l)
{
	struct kt_extents e = {.grid_count = r->grid_count, .block_count = r->block_count, .shared_bytes = r->shared_bytes};
	memcpy(e.grid, r->grid, sizeof e.grid);
	memcpy(e.block, r->block, sizeof e.block);
	if (l == NULL)
		return e;
	if (e.shared_bytes.expr == NULL)
		e.shared_bytes = l->shared_bytes;
	if (e.grid_count == 0) {
		e.grid_count = l->grid_count;
		memcpy(e.grid, l->grid, sizeof e.grid);
	}
	if (e.block_count == 0) {
		e.block_count = l->block_count;
		memcpy(e.block, l->block, sizeof e.block);
	}
	return e;
}

static bool is_same_extent(const struct kt_clause_expr *a, const struct kt_clause_expr *b)
{
	return a->expr == NULL || b->expr == NULL ? a->expr == b->expr : strcmp(a->text, b->text) == 0;
}

static bool is_same_extents(const struct kt_extents *a, const struct kt_extents *b)
{
	bool same = a->grid_count == b->grid_count && a->block_count == b->block_count &&
	            is_same_extent(&a->shared_bytes, &b->shared_bytes);
	for (size_t d = 0; d < a->grid_count && same; d++)
		same = is_same_extent(&a->grid[d], &b->grid[d]);
	for (size_t d = 0; d < a->block_count && same; d++)
		same = is_same_extent(&a->block[d], &b->block[d]);
	return same;
}

/* Is the geometry another one in each instance: by what a launch passes, or by launches that name an instance each? */
static bool is_by_instance(const struct kt_region *r, const struct reading *readings, const struct kt_launch *chosen)
{
	const struct kt_extents own = extents_of(r, chosen);
	for (size_t i = 0; r->instance_count > 1 && i < r->launch_count; i++) {
		const struct kt_launch *l = &r->launches[i];
		if (l->decline != NULL)
			continue;
		if (readings[i].by_instance)
			return true;
		if (chosen == NULL || l->instance < 0 || unknown_part(r, &readings[i]) < 3)
			continue;
		const struct kt_extents other = extents_of(r, l);
		if (chosen->instance >= 0 && chosen->instance != l->instance && !is_same_extents(&own, &other))
			return true;
	}
	return false;
}

/*
 * Reads each instance by itself. What the first one has is the region's. False: one is not known, and what was read of its
 * launches is left in the readings.
 */
static bool read_instances(struct kt_scan *scan, struct kt_found *found, struct reading *readings,
                           const struct kt_launch *chosen)
{
	struct kt_region *r = &found->region;
	struct kt_extents *all = kt_arena_array(scan->arena, r->instance_count, sizeof *all);
	const struct kt_extents clauses = extents_of(r, chosen);
	scan->failed = scan->failed || all == NULL;
	/* The first one comes last: launches are printed as they are of it. */
	for (size_t i = r->instance_count; all != NULL && i-- > 0;) {
		read_launches(scan, found, readings, i);
		const struct kt_launch *l = readable_launch(found, readings, i);
		if (l == NULL && chosen == NULL)
			return false;
		all[i] = l != NULL ? extents_of(r, l) : clauses;
	}
	for (size_t i = 1; all != NULL && i < r->instance_count; i++)
		if (!is_same_extents(&all[0], &all[i]))
			r->instances[i].extents = &all[i];
	if (all != NULL)
		kt_region_extents(r, &all[0]);
	return all != NULL;
}

kt_status kt_scan_geometry(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	struct reading *readings;
	NEED(readings = kt_arena_array(scan->arena, r->launch_count + 1, sizeof *readings),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches"));
	read_launches(scan, found, readings, SIZE_MAX);
	const struct kt_launch *readable = readable_launch(found, readings, SIZE_MAX);
	if (!is_by_instance(r, readings, readable) || !read_instances(scan, found, readings, readable)) {
		const struct kt_extents own = extents_of(r, readable);
		kt_region_extents(r, &own);
	}
	if (r->grid_count == 0 || r->block_count == 0 || lacks_shared(r, readings))
		decline_geometry(scan, found, readings);
	compare_geometry(scan, found);
	return scan->failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading launches") : KT_OK;
}
