#include "emit/launches.h"

#include <string.h>

static bool fits(const struct kt_launch *l, const char *source, size_t size)
{
	return l->callee.begin < l->callee.end && l->callee.end <= l->open.begin && l->open.end == l->open.begin + 3 &&
	       l->open.end <= l->close.begin && l->close.end >= l->close.begin + 4 && l->close.end <= l->end.begin &&
	       l->end.end == l->end.begin + 1 && l->end.end <= size && memcmp(source + l->open.begin, "<<<", 3) == 0 &&
	       memcmp(source + l->close.begin, ">>>", 3) == 0 && source[l->close.end - 1] == '(' &&
	       source[l->end.begin] == ')';
}

/*
 * Does the text assign, increment or hold a directive? `<<<…>>>` evaluates its
 * expressions before the arguments; a call does not order them. Calls of
 * functions are accepted: `=` also stands in lambdas and comparisons, of which
 * only the comparisons are told apart.
 */
static bool has_effects(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const char c = text[i], next = i + 1 < size ? text[i + 1] : '\0';

		if (c == '#')
			return true;
		if ((c == '+' || c == '-') && next == c)
			return true;
		if ((c == '=' || c == '!') && next == '=')
			i++;
		else if ((c == '<' || c == '>') && next == '=')
			/* "<<=" assigns, "<=" compares; behind "<<<" and ">>>" neither stands. */
			i += i > 0 && text[i - 1] == c ? 0 : 1;
		else if (c == '=')
			return true;
	}
	return false;
}

static bool binds(const struct kt_emit_region *plan, const struct kt_launch *launch)
{
	for (size_t i = 0; i < plan->region->variable_count; i++) {
		const struct kt_binding *b = &launch->bindings[i];

		if (b->argument < 0 && (b->text == NULL || b->text[0] == '\0'))
			return false;
		if (b->argument >= (int64_t)plan->region->argument_count)
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

/* Is the dispatcher declared where the launch stands, and does a call mean what the launch does? */
static bool can_move(const struct kt_region *r, const struct kt_launch *l, const struct kt_emission *emission)
{
	return l->callee.begin >= declared_at(r) &&
	       !has_effects(emission->source + l->open.end, l->close.begin - l->open.end) &&
	       !has_effects(emission->source + l->close.end, l->end.begin - l->close.end);
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
	plan->rewritten = kt_arena_array(arena, r->launch_count + 1, sizeof *plan->rewritten);
	if (plan->rewritten == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for the emission of '%.80s'", r->name);
	for (size_t i = 0; i < KT_PROBLEM_VARIABLES; i++)
		plan->carried[i] = -1;
	for (size_t i = 0; i < r->launch_count; i++) {
		const struct kt_launch *l = &r->launches[i];

		if (l->decline != NULL)
			continue;
		if (r->step_count > 0 && !fits_block(r, emission->source_size))
			return kt_fail(err, KT_ERR_INVALID, "the block at line %u does not fit the text", (unsigned)l->line);
		if (r->step_count == 0 && !fits(l, emission->source, emission->source_size))
			return kt_fail(err, KT_ERR_INVALID, "the launch at line %u does not fit the text",
				       (unsigned)l->line);
		if (!binds(plan, l) || (r->step_count == 0 && !can_move(r, l, emission)))
			continue;
		plan->rewritten[i] = true;
		++*count;
		for (size_t v = 0; v < r->variable_count; v++) {
			expression[v] = expression[v] || l->bindings[v].argument < 0;
			if (l->bindings[v].argument >= 0)
				plan->carried[v] = l->bindings[v].argument;
		}
	}
	for (size_t v = 0; v < r->variable_count; v++) {
		plan->passed[v] = expression[v];
		plan->mixed[v] = expression[v] && plan->carried[v] >= 0;
	}
	return KT_OK;
}

static void add_bindings(struct kt_buf *out, const struct kt_emit_region *plan, const struct kt_launch *launch)
{
	for (size_t i = 0; i < plan->region->variable_count; i++) {
		if (!plan->passed[i])
			continue;
		if (launch->bindings[i].argument >= 0)
			kt_buf_adds(out, ", ::ktune::binding(::ktune::carried())");
		else
			kt_buf_addf(out, ", ::ktune::binding(%s)", launch->bindings[i].text);
	}
}

/* With all namespaces: a using declaration of the kernel does not bring the dispatcher along. NULL: out of memory. */
static const char *name_dispatcher(struct kt_arena *arena, const struct kt_emit_region *plan)
{
	const size_t scope = strlen(plan->region->qualified) - strlen(plan->region->kernel);

	return scope == 0 ? plan->dispatcher
			  : kt_arena_printf(arena, "::%.*s%s", (int)scope, plan->region->qualified, plan->dispatcher);
}

kt_status kt_emit_rewrite(struct kt_splice out[3], struct kt_arena *arena, const struct kt_emit_region *plan,
			  const struct kt_launch *launch, struct kt_error *err)
{
	struct kt_buf close = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *separator = launch->has_arguments ? ", " : "";
	const char *name;
	kt_status status;
	char *text;

	kt_buf_addc(&close, ')');
	add_bindings(&close, plan, launch);
	kt_buf_adds(&close, separator);
	status = kt_buf_check(&close, "launch", err);
	if (status != KT_OK)
		goto done;
	text = kt_arena_strdup(arena, kt_buf_text(&close));
	if (text == NULL) {
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for the launch at line %u", (unsigned)launch->line);
		goto done;
	}
	name = name_dispatcher(arena, plan);
	if (name == NULL) {
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for the launch at line %u", (unsigned)launch->line);
		goto done;
	}
	out[0] = (struct kt_splice){launch->callee.begin, launch->callee.end, name, true};
	out[1] = (struct kt_splice){launch->open.begin, launch->open.end, "(::ktune::launch(", true};
	out[2] = (struct kt_splice){launch->close.begin, launch->close.end, text, true};
done:
	kt_buf_free(&close);
	return status;
}

/* "const bool ktune_x = dispatcher<T>(launches, bindings, arguments); " */
static kt_status add_attempt(struct kt_buf *out, struct kt_arena *arena, const struct kt_emit_region *plan,
			     struct kt_error *err)
{
	const struct kt_region *r = plan->region;
	const char *name = name_dispatcher(arena, plan);

	if (name == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for the block at line %u", (unsigned)r->launches[0].line);
	kt_buf_addf(out, "const bool ktune_x_%s = %s", plan->hash, name);
	for (size_t i = 0; i < r->template_count; i++)
		kt_buf_addf(out, "%s%s", i > 0 ? ", " : "<", r->templates[i].name);
	kt_buf_adds(out, r->template_count > 0 ? ">(" : "(");
	for (size_t i = 0; i < r->step_count; i++)
		kt_buf_addf(out, "%s::ktune::launch(%s)", i > 0 ? ", " : "", r->steps[i].configuration);
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
			status = add_attempt(&text, arena, plan, err);
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
