/* What expressions of the host at a launch are called by the pragma: variables, arguments, members of them. */
#include <string.h>

#include "expand.h"
#include "launches_internal.h"
#include "members.h"

bool kt_expand_is_word(const struct kt_found *found, const char *name)
{
	const struct kt_pragma *p = found->pragma;
	bool known = strncmp(name, "device.", 7) == 0;
	for (size_t i = 0; i < p->tune_count; i++)
		known = known || strcmp(p->tunes[i].name, name) == 0;
	for (size_t i = 0; i < p->variable_count; i++)
		known = known || strcmp(p->variables[i], name) == 0;
	for (size_t i = 0; i < p->value_count; i++)
		known = known || (p->values[i].integral && strcmp(p->values[i].name, name) == 0);
	/* Lists give values to members, which the region has one by one. */
	for (size_t i = 0; i < found->region.value_count; i++)
		known = known || (found->region.values[i].integral && strcmp(found->region.values[i].name, name) == 0);
	return known;
}

static bool is_same(const struct kt_text *a, size_t i, const struct kt_text *b, size_t k)
{
	const struct kt_token *one = &a->tokens[i], *other = &b->tokens[k];
	return one->end - one->begin == other->end - other->begin &&
	       memcmp(a->data + one->begin, b->data + other->begin, one->end - one->begin) == 0;
}

static void add(struct kt_expand *x, const char *name, const char *text)
{
	struct kt_rename *slot = name != NULL && text != NULL
				     ? kt_arena_push(x->scan->arena, &x->renames, &x->rename_count, sizeof *slot)
				     : NULL;
	if (slot != NULL)
		*slot = (struct kt_rename){name, text, false};
}

/* bind(rows = total / d): the same words as an extent are rows, whatever their parts are. */
static void add_bound(struct kt_expand *x, const char *bound, const char *variable)
{
	struct kt_rename *slot = kt_arena_push(x->scan->arena, &x->renames, &x->rename_count, sizeof *slot);
	if (slot != NULL)
		*slot = (struct kt_rename){bound, variable, true};
}

static bool is_joint(const struct kt_text *tokens, size_t i)
{
	return kt_token_is(tokens, i, ".") || kt_token_is(tokens, i, "->") || kt_token_is(tokens, i, "::");
}

/*
 * Is the text a name with what is selected, called and indexed of it: "x.size(0)", "p->rows", "ns::rows(x)[1]"? In a
 * larger expression these tokens are always that operand, which "a + b" is not in "2 * a + b".
 */
static bool is_operand(const struct kt_text *tokens)
{
	bool is_name = false;
	for (size_t i = 0; i < tokens->count; i++) {
		if (tokens->tokens[i].kind == KT_TOKEN_NAME) {
			if (is_name)
				return false;
			is_name = true;
		} else if (is_joint(tokens, i)) {
			is_name = false;
		} else if (i > 0 && is_name && (kt_token_is(tokens, i, "(") || kt_token_is(tokens, i, "["))) {
			i = kt_token_match(tokens, i);
		} else {
			return false;
		}
	}
	return is_name;
}

/* The text without brackets and casts of integers around it, where it is an operand; NULL: it is none. */
static const char *operand_of(struct kt_expand *x, const char *text)
{
	struct kt_text tokens;
	struct kt_error err;
	const char *name = kt_single_name(x->scan, text);
	if (name != NULL)
		return name;
	if (kt_lex(&tokens, x->scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
		return NULL;
	const size_t last = tokens.count;
	/* "(long)x.size(0)", "(x.size(0))", "static_cast<int>(x.size(0))" */
	if (last > 2 && kt_token_is(&tokens, 0, "(")) {
		const size_t close = kt_token_match(&tokens, 0);
		const bool whole = close == last - 1;
		return whole || close == 2
			   ? operand_of(x, kt_scan_squeeze(x->scan, &tokens, tokens.tokens[whole ? 1 : 3].begin,
							   tokens.tokens[last - 1 - whole].end))
			   : NULL;
	}
	return is_operand(&tokens) ? text : NULL;
}

/* p.rows of an argument that the host passes as q is q.rows there. */
static void add_members(struct kt_expand *x, size_t argument, const char *passed)
{
	const struct kt_region *r = &x->found->region;
	size_t first = 0;
	const size_t count = kt_members_of(r, argument, &first);
	for (size_t m = first; m < first + count; m++) {
		const struct kt_argument *member = &r->arguments[m];
		if (member->is_pointer || !kt_expand_is_word(x->found, member->name))
			continue;
		add(x,
		    kt_arena_printf(x->scan->arena, "%s%s", passed, member->name + strlen(r->arguments[argument].name)),
		    member->name);
	}
}

/* What a tuned template argument is called in the host's function; and all of them, as they are written. */
static void add_templates(struct kt_expand *x, const struct kt_launch *l)
{
	struct kt_scan *scan = x->scan;
	const struct kt_region *r = &x->found->region;
	const struct kt_pragma *p = x->found->pragma;
	uint32_t end = 0;
	const size_t angle = kt_token_at(scan->text, l->callee.end);
	const char **texts = kt_arena_array(scan->arena, r->template_count + 1, sizeof *texts);
	if (texts == NULL || !kt_token_is(scan->text, angle, "<") ||
	    kt_token_match_angle(scan->text, angle, &end) >= scan->text->count)
		return;
	x->templates = texts;
	x->template_count = kt_split_list(scan, scan->text->tokens[angle].end, end - 1, texts, r->template_count);
	for (size_t i = 0; i < x->template_count; i++)
		for (size_t t = 0; t < p->tune_count; t++)
			if (!r->templates[i].is_type && strcmp(p->tunes[t].name, r->templates[i].name) == 0)
				add(x, kt_single_name(scan, texts[i]), r->templates[i].name);
}

/* Where the host passes a variable that is not written, what it was made from is called like it: `const int n = shape[0]`. */
static void add_origin(struct kt_expand *x, const char *passed, const char *text)
{
	const char *name = kt_single_name(x->scan, passed), *cause = x->cause;
	const struct kt_local *local = name != NULL ? kt_scan_visible(x->scan, name, x->at) : NULL;
	const char *origin = NULL;
	if (local != NULL && !local->is_parameter && kt_launch_is_integer(local->type) && !kt_reaching_is_written(x, local))
		origin = kt_reaching_value(x, local);
	if (origin != NULL)
		add(x, operand_of(x, origin), text);
	x->cause = cause;
}

void kt_expand_rename(struct kt_expand *x, const struct kt_launch *l)
{
	struct kt_scan *scan = x->scan;
	const struct kt_region *r = &x->found->region;
	const struct kt_pragma *p = x->found->pragma;
	const size_t most = r->argument_count + p->variable_count + 1;
	const char **arguments = kt_arena_array(scan->arena, most, sizeof *arguments);
	const char **varying = kt_arena_array(scan->arena, most, sizeof *varying);
	if (arguments == NULL || varying == NULL)
		return;
	x->varying = varying;
	/* bind(tokens = n): n is tokens there, also where an argument that no clause names is n, too. */
	for (size_t v = 0; v < p->variable_count; v++) {
		if (l->bindings[v].text == NULL)
			continue;
		varying[x->varying_count++] = l->bindings[v].text;
		add(x, operand_of(x, l->bindings[v].text), p->variables[v]);
		add_bound(x, l->bindings[v].text, p->variables[v]);
		add_origin(x, l->bindings[v].text, p->variables[v]);
	}
	const size_t count = kt_launch_arguments(scan, x->found, l, arguments, r->argument_count);
	for (size_t i = 0; i < count; i++) {
		varying[x->varying_count++] = arguments[i];
		const char *passed = r->arguments[i].is_pointer ? NULL : operand_of(x, arguments[i]);
		if (passed == NULL)
			continue;
		if (kt_expand_is_word(x->found, r->arguments[i].name)) {
			add(x, passed, r->arguments[i].name);
			add_origin(x, passed, r->arguments[i].name);
		}
		add_members(x, i, passed);
	}
	if (l->callee.end + 1 < l->open.begin)
		add_templates(x, l);
}

void kt_expand_rename_extents(struct kt_expand *x, const char *text, const struct kt_clause_expr *extents, size_t count)
{
	const char *dims[3] = {NULL}, *cause = x->cause;
	const size_t known = count > 0 ? kt_expand_dims(dims, x, text, 0) : 0;
	for (size_t d = 0; d < known && d < count; d++) {
		const char *name = kt_single_name(x->scan, dims[d]);
		const struct kt_local *local = name != NULL ? kt_scan_visible(x->scan, name, x->at) : NULL;
		if (local != NULL && local->is_parameter && kt_launch_is_integer(local->type))
			add(x, name, kt_arena_printf(x->scan->arena, "(%s)", extents[d].text));
	}
	x->cause = cause;
}

const char *kt_expand_whole(const struct kt_expand *x, const struct kt_text *tokens)
{
	struct kt_error ignored;
	for (size_t r = 0; r < x->rename_count; r++) {
		const char *bound = x->renames[r].name;
		struct kt_text own;
		size_t t = 0;
		if (!x->renames[r].whole || kt_lex(&own, x->scan->arena, bound, 0, strlen(bound), false, &ignored) != KT_OK ||
		    own.count != tokens->count)
			continue;
		while (t < own.count && is_same(tokens, t, &own, t))
			t++;
		if (t == own.count)
			return x->renames[r].text;
	}
	return NULL;
}

const char *kt_expand_renamed(const struct kt_expand *x, const struct kt_text *tokens, size_t *i)
{
	const struct kt_rename *best = NULL;
	size_t length = 0;
	struct kt_error ignored;
	if (*i > 0 && is_joint(tokens, *i - 1))
		return NULL;
	for (size_t r = 0; r < x->rename_count; r++) {
		const char *name = x->renames[r].name;
		struct kt_text own;
		size_t t = 0;
		if (x->renames[r].whole || kt_lex(&own, x->scan->arena, name, 0, strlen(name), false, &ignored) != KT_OK ||
		    own.count <= length)
			continue;
		while (t < own.count && *i + t < tokens->count && is_same(tokens, *i + t, &own, t))
			t++;
		if (t < own.count || is_joint(tokens, *i + t) || kt_token_is(tokens, *i + t, "(") ||
		    kt_token_is(tokens, *i + t, "["))
			continue;
		best = &x->renames[r];
		length = own.count;
	}
	if (best == NULL)
		return NULL;
	*i += length - 1;
	return best->text;
}
