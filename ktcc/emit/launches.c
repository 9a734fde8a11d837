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
		if (!fits(l, emission->source, emission->source_size))
			return kt_fail(err, KT_ERR_INVALID, "the launch at line %u does not fit the text",
				       (unsigned)l->line);
		if (l->callee.begin < declared_at(r) || !binds(plan, l) ||
		    has_effects(emission->source + l->open.end, l->close.begin - l->open.end) ||
		    has_effects(emission->source + l->close.end, l->end.begin - l->close.end))
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

kt_status kt_emit_rewrite(struct kt_splice out[3], struct kt_arena *arena, const struct kt_emit_region *plan,
			  const struct kt_launch *launch, struct kt_error *err)
{
	struct kt_buf close = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *separator = launch->has_arguments ? ", " : "";
	const char *name;
	kt_status status;
	size_t scope;
	char *text;

	kt_buf_addc(&close, ')');
	for (size_t i = 0; i < plan->region->variable_count; i++) {
		if (!plan->passed[i])
			continue;
		if (launch->bindings[i].argument >= 0)
			kt_buf_adds(&close, ", ::ktune::binding(::ktune::carried())");
		else
			kt_buf_addf(&close, ", ::ktune::binding(%s)", launch->bindings[i].text);
	}
	kt_buf_adds(&close, separator);
	status = kt_buf_check(&close, "launch", err);
	if (status != KT_OK)
		goto done;
	text = kt_arena_strdup(arena, kt_buf_text(&close));
	if (text == NULL) {
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for the launch at line %u", (unsigned)launch->line);
		goto done;
	}
	/* With all namespaces: a using declaration of the kernel does not bring the dispatcher along. */
	scope = strlen(plan->region->qualified) - strlen(plan->region->kernel);
	name = scope == 0 ? plan->dispatcher
			  : kt_arena_printf(arena, "::%.*s%s", (int)scope, plan->region->qualified, plan->dispatcher);
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
