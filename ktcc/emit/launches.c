#include "emit/launches.h"

#include <string.h>

#include "base/lex.h"

/* The offset after three marks from `begin` on, which blanks may separate; end: they are not there. */
static size_t after_marks(const char *source, size_t begin, size_t end, char mark)
{
	size_t marks = 0;

	for (size_t at = begin; at < end; at++) {
		if (source[at] != mark && source[at] != ' ' && source[at] != '\t')
			return end;
		if (source[at] == mark && ++marks == 3)
			return at + 1;
	}
	return end;
}

static bool fits(const struct kt_launch *l, const char *source, size_t size)
{
	return l->callee.begin < l->callee.end && l->callee.end <= l->open.begin && l->open.end >= l->open.begin + 3 &&
	       l->open.end <= l->close.begin && l->close.end >= l->close.begin + 4 && l->close.end <= l->end.begin &&
	       l->end.end == l->end.begin + 1 && l->end.end <= size && source[l->open.end - 1] == '<' &&
	       after_marks(source, l->open.begin, l->open.end + 1, '<') == l->open.end &&
	       after_marks(source, l->close.begin, l->close.end, '>') < l->close.end && source[l->close.end - 1] == '(' &&
	       source[l->end.begin] == ')';
}

/* A launch in the body of a macro: its levels' texts, and the first one's name in the unit's text. */
static bool fits_macro(const struct kt_launch *l, size_t size)
{
	const struct kt_launch_level *last = &l->levels[l->level_count - 1];
	const struct kt_launch inner = {.callee = last->callee, .open = last->open, .close = last->close, .end = last->end};
	bool fit = l->level_count <= KT_LAUNCH_LEVELS && l->callee.begin < l->callee.end && l->callee.end <= size &&
	           fits(&inner, last->text, strlen(last->text));
	for (size_t i = 0; i + 1 < l->level_count; i++)
		fit = fit && l->levels[i].use.begin < l->levels[i].use.end && l->levels[i].use.end <= strlen(l->levels[i].text);
	return fit;
}

static bool fits_routed(const struct kt_launch *l, size_t size)
{
	return l->callee.begin < l->callee.end && l->callee.end <= l->end.begin && l->end.begin == l->end.end &&
	       l->end.end <= size;
}

static bool fits_site(const struct kt_launch_site *s, const char *source, size_t size)
{
	const struct kt_launch as_launch = {.callee = s->callee, .open = s->open, .close = s->close, .end = s->end};

	return s->is_function ? s->callee.begin < s->callee.end && s->callee.end <= size : fits(&as_launch, source, size);
}

static bool binds(const struct kt_emit_region *plan, const struct kt_launch *launch)
{
	for (size_t i = 0; i < plan->region->variable_count; i++) {
		const struct kt_binding *b = &launch->bindings[i];

		if (b->argument < 0 && (b->text == NULL || b->text[0] == '\0'))
			return false;
		if (b->argument >= (int64_t)(plan->region->argument_count + plan->region->member_count))
			return false;
		/* One dispatcher reads one argument. */
		if (b->argument >= 0 && plan->carried[i] >= 0 && plan->carried[i] != b->argument)
			return false;
	}
	return true;
}

/* Where the dispatcher is declared. */
static size_t declared_at(const struct kt_region *r)
{
	return r->declaration.end > r->declaration.begin ? r->declaration.end : r->extent.end;
}

static bool fits_block(const struct kt_region *r, size_t size)
{
	return r->extent.end <= r->block_range.begin && r->block_range.begin < r->block_range.end &&
	       r->block_range.end <= size;
}

kt_status kt_emit_choose(size_t *count, struct kt_emit_region *plan, struct kt_arena *arena,
			 const struct kt_emission *emission, struct kt_error *err)
{
	const struct kt_region *r = plan->region;
	bool expression[KT_PROBLEM_VARIABLES] = {false};

	*count = 0;
	if (r->variable_count > KT_PROBLEM_VARIABLES)
		return kt_fail(err, KT_ERR_INVALID, "too many problem variables");
	NEED(plan->rewritten = kt_arena_array(arena, r->launch_count + 1, sizeof *plan->rewritten),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory for the emission of '%.80s'", r->name));
	for (size_t i = 0; i < KT_PROBLEM_VARIABLES; i++)
		plan->carried[i] = -1;
	for (size_t i = 0; i < r->launch_count; i++) {
		const struct kt_launch *l = &r->launches[i];

		if (l->decline != NULL)
			continue;
		if (r->step_count > 0 && !fits_block(r, emission->source_size))
			return kt_fail(err, KT_ERR_INVALID, "the block at line %u does not fit the text", (unsigned)l->line);
		if (r->step_count == 0 && !(l->is_routed         ? fits_routed(l, emission->source_size)
		                            : l->level_count > 0 ? fits_macro(l, emission->source_size)
		                                                 : fits(l, emission->source, emission->source_size)))
			return kt_fail(err, KT_ERR_INVALID, "the launch at line %u does not fit the text",
				       (unsigned)l->line);
		if (r->is_imported && !kt_region_reaches(r, l))
			continue;
		if (!binds(plan, l) || (r->step_count == 0 && l->callee.begin < declared_at(r)))
			continue;
		plan->rewritten[i] = true;
		if (l->is_routed) {
			plan->has_routed = true;
			plan->constant = l->is_constant ? l : plan->constant;
		} else {
			plan->has_dispatcher = plan->has_dispatcher || r->step_count > 0 || l->is_quiet;
			plan->has_ordered = plan->has_ordered || !(r->step_count > 0 || l->is_quiet);
		}
		++*count;
		for (size_t v = 0; v < r->variable_count; v++) {
			expression[v] = expression[v] || l->bindings[v].argument < 0;
			if (l->bindings[v].argument >= 0)
				plan->carried[v] = l->bindings[v].argument;
		}
	}
	for (size_t i = 0; i < r->site_count; i++)
		if (!fits_site(&r->sites[i], emission->source, emission->source_size))
			return kt_fail(err, KT_ERR_INVALID, "a function that launches '%.80s' does not fit the text", r->name);
	for (size_t v = 0; v < r->variable_count; v++) {
		plan->passed[v] = expression[v] || r->is_exported;
		plan->mixed[v] = plan->passed[v] && plan->carried[v] >= 0;
		plan->values[v] = plan->carried[v] >= 0 ? kt_emit_argument(arena, r, (size_t)plan->carried[v]) : NULL;
		if (plan->carried[v] >= 0 && plan->values[v] == NULL)
			return kt_fail(err, KT_ERR_MEMORY, "out of memory for the emission of '%.80s'", r->name);
	}
	return KT_OK;
}

static void add_bindings(struct kt_buf *out, const struct kt_emit_region *plan, const struct kt_launch *launch)
{
	for (size_t i = 0; i < plan->region->variable_count; i++) {
		if (!plan->passed[i])
			continue;
		if (launch->bindings[i].argument >= 0)
			kt_buf_adds(out, ", ::ktune::binding_(::ktune::carried_())");
		else
			kt_buf_addf(out, ", ::ktune::binding_(%s)", launch->bindings[i].text);
	}
}

/* With all namespaces: a using declaration of the kernel does not bring the dispatcher along. */
static void add_name(struct kt_buf *out, const struct kt_emit_region *plan, const char *dispatcher)
{
	const size_t scope = strlen(plan->region->qualified) - strlen(plan->region->kernel);

	kt_buf_addf(out, "%s%.*s%s", scope > 0 ? "::" : "", (int)scope, plan->region->qualified, dispatcher);
}

/* A launch's parts, and the text that has them: the unit's, or that of the macro that writes it. */
struct place {
	const char *source, *list; /* list: template arguments that are not in the text */
	struct kt_range callee, open, close, end;
};

static struct place place_of(const struct kt_launch *l, const struct kt_emission *emission)
{
	if (l->level_count == 0)
		return (struct place){emission->source, "", l->callee, l->open, l->close, l->end};
	const struct kt_launch_level *last = &l->levels[l->level_count - 1];
	return (struct place){last->text, last->list, last->callee, last->open, last->close, last->end};
}

/* The template arguments between the callee and "<<<" in one line, without comments. */
static kt_status add_template_arguments(struct kt_buf *out, struct kt_arena *arena, const struct place *place,
                                        struct kt_error *err)
{
	struct kt_text text;
	kt_buf_adds(out, place->list);
	TRY(kt_lex(&text, arena, place->source, place->callee.end, place->open.begin, false, err));
	for (size_t i = 0; i < text.count; i++)
		kt_buf_addf(out, "%s%.*s", i > 0 ? " " : "", (int)(text.tokens[i].end - text.tokens[i].begin),
		            text.data + text.tokens[i].begin);
	return KT_OK;
}

/* "dispatcher<T>(::ktune::launch_(" configuration ")" bindings "," arguments ")" */
static kt_status write_call(struct kt_buf out[4], const struct kt_emit_region *plan, const struct kt_launch *launch,
                            const struct place *place)
{
	add_name(&out[0], plan, plan->dispatcher);
	kt_buf_adds(&out[0], place->list);
	kt_buf_adds(&out[1], "(::ktune::launch_(");
	kt_buf_addc(&out[2], ')');
	add_bindings(&out[2], plan, launch);
	kt_buf_adds(&out[2], launch->has_arguments ? ", " : "");
	kt_buf_addc(&out[3], ')');
	return KT_OK;
}

/* "(::ktune::push_(" configuration ") ? void() : dispatcher<T>(" bindings "," arguments "))" */
static kt_status write_ordered(struct kt_buf out[4], struct kt_arena *arena, const struct kt_emit_region *plan,
                               const struct kt_launch *launch, const struct place *place, struct kt_error *err)
{
	struct kt_buf bindings = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_status status;

	kt_buf_adds(&out[0], "(::ktune::push_(");
	kt_buf_adds(&out[2], ") ? void() : ");
	add_name(&out[2], plan, plan->ordered);
	status = add_template_arguments(&out[2], arena, place, err);
	kt_buf_addc(&out[2], '(');
	add_bindings(&bindings, plan, launch);
	if (status == KT_OK)
		status = kt_buf_check(&bindings, "launch", err);
	if (bindings.size > 0)
		kt_buf_addf(&out[2], "%s%s", kt_buf_text(&bindings) + strlen(", "), launch->has_arguments ? ", " : "");
	kt_buf_adds(&out[3], "))");
	kt_buf_free(&bindings);
	return status;
}

void kt_emit_routed_call(struct kt_buf *out, const struct kt_emit_region *plan, const struct kt_launch *launch)
{
	size_t passed = 0;

	for (size_t i = 0; i < plan->region->variable_count; i++)
		passed += plan->passed[i];
	kt_buf_addc(out, '(');
	if (passed > 0) {
		kt_buf_addf(out, "::ktune::held_<%zu>(", passed);
		add_name(out, plan, plan->held);
		kt_buf_adds(out, "()");
		add_bindings(out, plan, launch);
		kt_buf_addc(out, ')');
	}
	kt_buf_addc(out, ')');
}

/* "k<T>" → "::ktune_w_HASH_k<T>()": the kernel itself, known to the sites. */
static kt_status rewrite_routed(struct kt_splice out[4], size_t *count, struct kt_arena *arena,
                                const struct kt_emit_region *plan, const struct kt_launch *launch, struct kt_error *err)
{
	struct kt_buf name = KT_BUF(KT_LIMIT_LINE_BYTES), call = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_status status;

	*count = 0;
	if (launch->is_constant)
		return KT_OK;
	add_name(&name, plan, plan->routed);
	kt_emit_routed_call(&call, plan, launch);
	status = kt_buf_check(&name, "launch", err);
	if (status == KT_OK)
		status = kt_buf_check(&call, "launch", err);
	out[0] = (struct kt_splice){launch->callee.begin, launch->callee.end,
	                            kt_arena_strdup(arena, kt_buf_text(&name)), true};
	out[1] = (struct kt_splice){launch->end.begin, launch->end.end, kt_arena_strdup(arena, kt_buf_text(&call)), false};
	*count = 2;
	kt_buf_free(&name);
	kt_buf_free(&call);
	if (status == KT_OK && (out[0].text == NULL || out[1].text == NULL))
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for the launch at line %u", (unsigned)launch->line);
	return status;
}

/* "k<<<" configuration ">>>(" arguments ")" → "(::ktune::push_(" configuration ") ? void() : ::ktune::bound_(k)("
 * arguments "))"; "cudaLaunchKernel" → "::ktune::cudaLaunchKernel". */
kt_status kt_emit_site(struct kt_splice out[4], size_t *count, struct kt_arena *arena, const struct kt_launch_site *site,
                       const struct kt_emission *emission, struct kt_error *err)
{
	const int length = (int)(site->callee.end - site->callee.begin);
	const char *callee = emission->source + site->callee.begin;
	const bool qualified = length > 2 && memcmp(callee, "::", 2) == 0;

	out[0] = (struct kt_splice){site->callee.begin, site->callee.end,
	                            site->is_function ? kt_arena_printf(arena, "::ktune%s%.*s", qualified ? "" : "::", length,
	                                                                callee)
	                                              : "(",
	                            true};
	out[1] = (struct kt_splice){site->open.begin, site->open.end, "::ktune::push_(", true};
	out[2] = (struct kt_splice){site->close.begin, site->close.end,
	                            kt_arena_printf(arena, ") ? void() : ::ktune::bound_(%.*s)(", length, callee), true};
	out[3] = (struct kt_splice){site->end.begin, site->end.end, "))", true};
	*count = site->is_function ? 1 : 4;
	if (out[0].text == NULL || out[2].text == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a launch");
	return KT_OK;
}

kt_status kt_emit_rewrite(struct kt_splice out[4], size_t *count, struct kt_arena *arena,
			  const struct kt_emit_region *plan, const struct kt_launch *launch,
			  const struct kt_emission *emission, struct kt_error *err)
{
	const struct place place = place_of(launch, emission);
	/* The template's arguments remain where they are, or are written again after the configuration. */
	const struct kt_range callee = {place.callee.begin, launch->is_quiet ? place.callee.end : place.open.begin};
	const struct kt_range places[4] = {callee, place.open, place.close, place.end};
	struct kt_buf text[4] = {KT_BUF(KT_LIMIT_LINE_BYTES), KT_BUF(KT_LIMIT_LINE_BYTES), KT_BUF(KT_LIMIT_LINE_BYTES),
	                         KT_BUF(KT_LIMIT_LINE_BYTES)};
	kt_status status;

	if (launch->is_routed)
		return rewrite_routed(out, count, arena, plan, launch, err);
	*count = 4;
	status = launch->is_quiet ? write_call(text, plan, launch, &place)
	                          : write_ordered(text, arena, plan, launch, &place, err);
	for (size_t i = 0; i < 4; i++) {
		if (status == KT_OK)
			status = kt_buf_check(&text[i], "launch", err);
		out[i] = (struct kt_splice){places[i].begin, places[i].end, kt_arena_strdup(arena, kt_buf_text(&text[i])), true};
		if (status == KT_OK && out[i].text == NULL)
			status = kt_fail(err, KT_ERR_MEMORY, "out of memory for the launch at line %u", (unsigned)launch->line);
		kt_buf_free(&text[i]);
	}
	return status;
}

/* "const bool ktune_x = dispatcher<T>(launches, bindings, arguments); " */
static kt_status add_attempt(struct kt_buf *out, const struct kt_emit_region *plan, struct kt_error *err)
{
	const struct kt_region *r = plan->region;

	kt_buf_addf(out, "const bool ktune_x_%s = ", plan->hash);
	add_name(out, plan, plan->dispatcher);
	for (size_t i = 0; i < r->template_count; i++)
		kt_buf_addf(out, "%s%s", i > 0 ? ", " : "<", r->templates[i].name);
	kt_buf_adds(out, r->template_count > 0 ? ">(" : "(");
	for (size_t i = 0; i < r->step_count; i++)
		kt_buf_addf(out, "%s::ktune::launch_(%s)", i > 0 ? ", " : "", r->steps[i].configuration);
	add_bindings(out, plan, &r->launches[0]);
	for (size_t i = 0; i < r->argument_count; i++)
		kt_buf_addf(out, ", %s", r->arguments[i].expression);
	kt_buf_adds(out, "); ");
	return kt_buf_check(out, "block", err);
}

kt_status kt_emit_block(struct kt_splice **out, size_t *count, struct kt_arena *arena,
			const struct kt_emit_region *plan, const struct kt_emission *emission, struct kt_error *err)
{
	const struct kt_region *r = plan->region;
	const bool braces = emission->source[r->block_range.begin] == '{';
	struct kt_splice *splices = kt_arena_array(arena, r->step_count + 1, sizeof *splices);
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_status status = splices != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory for a block");

	for (size_t i = 0; status == KT_OK && i < r->step_count; i++) {
		kt_buf_clear(&text);
		kt_buf_adds(&text, i == 0 && !braces ? "{ " : "");
		if (i == 0)
			status = add_attempt(&text, plan, err);
		kt_buf_addf(&text, "if (!ktune_x_%s) ", plan->hash);
		if (status == KT_OK)
			status = kt_buf_check(&text, "block", err);
		splices[i] = (struct kt_splice){r->steps[i].launch.begin, r->steps[i].launch.begin,
						kt_arena_strdup(arena, kt_buf_text(&text)), false};
		if (status == KT_OK && splices[i].text == NULL)
			status = kt_fail(err, KT_ERR_MEMORY, "out of memory for a block");
	}
	*count = r->step_count;
	/* The one statement below the pragma may be all of an `if`. */
	if (status == KT_OK && !braces)
		splices[(*count)++] = (struct kt_splice){r->block_range.end, r->block_range.end, " }", false};
	*out = splices;
	kt_buf_free(&text);
	return status;
}
