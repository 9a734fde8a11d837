/* Values of scalar arguments that no clause gives, from what launches pass for them. */
#include <stdlib.h>
#include <string.h>

#include "expand.h"
#include "launches.h"
#include "members.h"
#include "pragma_kernel.h"

/* Names that stand for names. */
#define DEPTH_MOST 8
/* Calls of a host function that are looked at. */
#define CALLS_MOST 16

static bool is_readable(const struct kt_launch *l)
{
	return l->decline == NULL && l->open.end != 0 && (l->is_routed || l->has_arguments);
}

/* The texts of a launch's arguments, one for each of the kernel's; NULL: they are others. */
static const char **texts_of(struct kt_scan *scan, const struct kt_found *found, const struct kt_launch *l)
{
	const struct kt_region *r = &found->region;
	const char **texts = kt_arena_array(scan->arena, r->argument_count + 1, sizeof *texts);
	if (texts == NULL || !is_readable(l) ||
	    kt_launch_arguments(scan, found, l, texts, r->argument_count + 1) != r->argument_count)
		return NULL;
	return texts;
}

static bool is_missing(const struct kt_region *r, size_t argument)
{
	size_t first = 0;
	return !r->arguments[argument].is_pointer && kt_members_of(r, argument, &first) == 0 && !kt_argument_given(r, argument);
}

/* "0.5f", "-1e-6", "(1.f)"; false: it is no literal of a floating-point number. */
static bool read_literal(double *out, const char *text, size_t length)
{
	char copy[64], *end;
	if (length > 2 && text[0] == '(' && text[length - 1] == ')')
		return read_literal(out, text + 1, length - 2);
	if (length > 1 && strchr("fFlL", text[length - 1]) != NULL)
		length--;
	if (length == 0 || length >= sizeof copy || strspn(text, "+-.0123456789eE \t") < length)
		return false;
	size_t used = 0;
	for (size_t i = 0; i < length; i++)
		if (text[i] != ' ' && text[i] != '\t')
			copy[used++] = text[i];
	copy[used] = '\0';
	*out = strtod(copy, &end);
	return used > 0 && *end == '\0';
}

/* A constant outside of functions, by its value. */
static bool read_constant(double *out, struct kt_scan *scan, const char *name)
{
	const size_t item = kt_index_find(scan->item_index, name, strlen(name), 0);
	if (item == SIZE_MAX || scan->items[item].kind != CXCursor_VarDecl ||
	    kt_clang.isConstQualifiedType(kt_clang.getCursorType(scan->items[item].cursor)) == 0)
		return false;
	CXEvalResult result = kt_clang.Cursor_Evaluate(scan->items[item].cursor);
	const bool known = result != NULL && kt_clang.EvalResult_getKind(result) == CXEval_Float;
	if (known)
		*out = kt_clang.EvalResult_getAsDouble(result);
	if (result != NULL)
		kt_clang.EvalResult_dispose(result);
	return known;
}

/* Is it the name of a type there: of numbers, of the project, or of a template's parameter? */
static bool names_type(const struct kt_expand *x, const char *name)
{
	static const char *const words[] = {"float", "double"};
	const size_t item = kt_index_find(x->scan->item_index, name, strlen(name), 0);
	const enum CXCursorKind kind = item != SIZE_MAX ? x->scan->items[item].kind : CXCursor_InvalidFile;

	if (item != SIZE_MAX)
		return kind == CXCursor_TypedefDecl || kind == CXCursor_TypeAliasDecl;
	for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
		if (strcmp(words[w], name) == 0)
			return true;
	for (size_t t = 0; t < x->template_count && t < x->found->region.template_count; t++)
		if (x->found->region.templates[t].is_type && strcmp(x->templates[t], name) == 0)
			return true;
	return false;
}

/* X of "T(X)", "T{X}", "(T)X", "static_cast<T>(X)", T a type of numbers; the text itself, where it is no cast. */
static const char *without_cast(struct kt_expand *x, const char *text)
{
	struct kt_text t;
	struct kt_error ignored;
	uint32_t end = 0;
	size_t first = 0, last, name = 0;

	if (kt_lex(&t, x->scan->arena, text, 0, strlen(text), false, &ignored) != KT_OK || t.count < 4)
		return text;
	last = t.count - 1;
	if (kt_token_is(&t, 0, "(") && kt_token_is(&t, 2, ")")) {
		name = 1;
		first = 3;
		last = t.count;
	} else if (kt_token_is(&t, 0, "static_cast") && kt_token_is(&t, 1, "<") && kt_token_is(&t, 3, ">")) {
		name = 2;
		first = kt_token_match_angle(&t, 1, &end) + 1;
	}
	if (first < 3 && (kt_token_is(&t, 1, "(") || kt_token_is(&t, 1, "{")))
		first = 1;
	/* The bracket is the whole of the rest. */
	if (first == 0 || (last < t.count && kt_token_match(&t, first) != last))
		return text;
	const char *type = kt_scan_squeeze(x->scan, &t, t.tokens[name].begin, t.tokens[name].end);
	const size_t from = last < t.count ? first + 1 : first;
	return type != NULL && from < last && names_type(x, type)
		   ? kt_scan_squeeze(x->scan, &t, t.tokens[from].begin, t.tokens[last - 1].end)
		   : text;
}

static bool read_fraction(double *out, struct kt_expand *x, const char *text, int depth);

/* A parameter of the host: what one of the function's calls passes, for a kernel has any of them. */
static bool read_passed(double *out, struct kt_expand *x, const struct kt_local *local, int depth)
{
	struct kt_expand there = *x;
	const char *text;

	for (size_t i = 0; i < CALLS_MOST && (text = kt_parameter_passed(&there.at, x, local, i)) != NULL; i++)
		if (read_fraction(out, &there, text, depth + DEPTH_MOST / 2))
			return true;
	return false;
}

/* A literal, or a name that stands for one: a local with one value there, a macro, a constant. */
static bool read_fraction(double *out, struct kt_expand *x, const char *text, int depth)
{
	const char *inner = without_cast(x, text);
	if (inner != text && inner != NULL && depth < DEPTH_MOST)
		return read_fraction(out, x, inner, depth + 1);
	if (read_literal(out, text, strlen(text)))
		return true;
	const char *scope = strrchr(text, ':');
	const char *name = depth < DEPTH_MOST ? kt_single_name(x->scan, scope != NULL ? scope + 1 : text) : NULL;
	NEED(name, false);
	const struct kt_local *local = scope == NULL ? kt_scan_visible(x->scan, name, x->at) : NULL;
	const struct kt_macro *macro = local == NULL ? kt_scan_macro(x->scan, name) : NULL;
	const char *value = local != NULL ? kt_reaching_value(x, local)
	                    : macro != NULL && !macro->is_function ? macro->body : NULL;
	if (value != NULL)
		return read_fraction(out, x, value, depth + 1);
	if (local != NULL && local->is_parameter && !kt_reaching_is_written(x, local))
		return read_passed(out, x, local, depth);
	return local == NULL && macro == NULL && read_constant(out, x->scan, name);
}

static bool read_text(struct kt_pragma_value *out, struct kt_expand *x, const char *text)
{
	struct kt_error ignored;
	const bool is_true = strcmp(text, "true") == 0;
	out->text = text;
	out->integral = true;
	if (is_true || strcmp(text, "false") == 0) {
		out->integer = is_true;
	} else if (!kt_expand_expr(&out->expr, x, text)) {
		out->integral = false;
		if (!read_fraction(&out->number, x, text, 0))
			return false;
		out->text = kt_arena_printf(x->scan->arena, "%.9g", out->number);
		return out->text != NULL;
	} else if (kt_expr_is_constant(out->expr.expr)) {
		if (kt_expr_eval(&out->integer, out->expr.expr, NULL, NULL, &ignored) != KT_OK)
			return false;
		out->expr = (struct kt_clause_expr){.text = NULL};
		out->text = kt_arena_printf(x->scan->arena, "%lld", (long long)out->integer);
	} else {
		out->text = out->expr.text;
	}
	out->number = (double)out->integer;
	return out->text != NULL;
}

/* What one launch tells of those that are missing: `values` has room for one each. Returns how many. *all: is nothing left? */
static size_t read_launch(struct kt_pragma_value *values, bool *all, struct kt_scan *scan, struct kt_found *found,
                          const struct kt_launch *l)
{
	const struct kt_region *r = &found->region;
	const char **texts = texts_of(scan, found, l);
	struct kt_expand x;
	size_t count = 0;
	*all = texts != NULL;
	if (texts == NULL)
		return 0;
	kt_expand_at(&x, scan, found, l);
	for (size_t a = 0; a < r->argument_count; a++) {
		if (!is_missing(r, a))
			continue;
		values[count] = (struct kt_pragma_value){.name = r->arguments[a].name};
		if (read_text(&values[count], &x, texts[a]))
			count++;
		else
			*all = false;
	}
	return count;
}

size_t kt_launch_values(struct kt_scan *scan, struct kt_found *found)
{
	const struct kt_region *r = &found->region;
	struct kt_pragma *p = found->pragma;
	const size_t first = p->value_count;
	size_t count = 0, most = 0;
	bool all = false;
	for (size_t i = 0; i < r->launch_count && !all; i++) {
		const struct kt_launch *l = &r->launches[(kt_launch_first(found) + i) % r->launch_count];
		struct kt_pragma_value *values = kt_arena_array(scan->arena, first + r->argument_count + 1, sizeof *values);
		if (values == NULL) {
			scan->failed = true;
			return first;
		}
		count = read_launch(&values[first], &all, scan, found, l);
		/* The launch that the pragma is above tells alone. */
		all = all || (found->above.end != 0 && count > 0);
		if ((count <= most && !all) || count == 0 || first + count > KT_CLAUSE_ITEMS)
			continue;
		if (first != 0)
			memcpy(values, p->values, first * sizeof *values);
		most = count;
		p->values = values;
		p->value_count = first + count;
	}
	return first;
}

/* Is it a number that no clause gives? The region's clauses are not read yet. */
static bool is_open(const struct kt_pragma *p, const struct kt_argument *argument)
{
	return !argument->is_pointer && !kt_has_text(p->variables, p->variable_count, argument->name) &&
	       KT_FIND(p->values, p->value_count, name, argument->name) == NULL;
}

void kt_expression_values(struct kt_scan *scan, struct kt_found *found, struct kt_expand *x)
{
	const struct kt_region *r = &found->region;
	struct kt_pragma *p = found->pragma;
	struct kt_pragma_value *values = kt_arena_array(scan->arena, p->value_count + r->argument_count + 1, sizeof *values);

	scan->failed = scan->failed || values == NULL;
	if (values == NULL)
		return;
	if (p->value_count != 0)
		memcpy(values, p->values, p->value_count * sizeof *values);
	p->values = values;
	for (size_t a = 0; a < r->argument_count && p->value_count < KT_CLAUSE_ITEMS; a++) {
		struct kt_pragma_value *value = &values[p->value_count];

		*value = (struct kt_pragma_value){.name = r->arguments[a].name};
		if (is_open(p, &r->arguments[a]) && read_text(value, x, r->arguments[a].expression))
			p->value_count++;
	}
}

const char *kt_launch_passes(struct kt_scan *scan, const struct kt_found *found, size_t argument)
{
	const struct kt_region *r = &found->region;
	for (size_t i = 0; i < r->launch_count; i++) {
		const struct kt_launch *l = &r->launches[(kt_launch_first(found) + i) % r->launch_count];
		const char **texts = texts_of(scan, found, l);
		if (texts != NULL)
			return kt_arena_printf(scan->arena, "line %u passes '%s', which is no expression over problem variables", l->line,
			                       texts[argument]);
	}
	return NULL;
}

/* Is the argument a whole number in each instance, that no problem variable is read from? Then launches may differ in it. */
static bool differs(const struct kt_found *found, size_t argument)
{
	const struct kt_region *r = &found->region;
	const struct kt_launch *l = &r->launches[kt_launch_first(found)];

	for (size_t v = 0; v < found->pragma->variable_count; v++)
		if (l->bindings[v].argument == (int64_t)argument)
			return false;
	for (size_t i = 0; i < r->instance_count; i++) {
		const enum kt_scalar *elements = r->instances[i].elements;

		if (elements == NULL || elements[argument] == KT_SCALAR_NONE || kt_scalar_is_float(elements[argument]))
			return false;
	}
	return r->instance_count > 0 && !r->arguments[argument].is_pointer;
}

/* "NAME == VALUE"; false: it is no expression. */
static bool describe(struct kt_clause_expr *out, struct kt_arena *arena, const struct kt_pragma_value *value)
{
	const char *form = kt_expr_is_word(value->name, strlen(value->name)) ? "arg(%s) == (%s)" : "%s == (%s)";
	const char *number = kt_arena_printf(arena, "%lld", (long long)value->integer);
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error ignored;
	struct kt_expr *expr;

	kt_buf_addf(&text, form, value->name, value->expr.expr != NULL ? value->expr.text : number);
	*out = (struct kt_clause_expr){.text = NULL};
	if (!text.failed && kt_expr_parse(&expr, arena, kt_buf_text(&text), text.size, &ignored) == KT_OK) {
		kt_buf_clear(&text);
		kt_expr_canonical(&text, expr);
		*out = (struct kt_clause_expr){.text = kt_arena_strdup(arena, kt_buf_text(&text)), .expr = expr};
	}
	kt_buf_free(&text);
	return out->text != NULL;
}

void kt_launch_guards(struct kt_scan *scan, struct kt_found *found)
{
	const struct kt_region *r = &found->region;
	struct kt_pragma *p = found->pragma;
	struct kt_clause_expr *guards = kt_arena_array(scan->arena, p->guard_count + r->argument_count + 1, sizeof *guards);

	scan->failed = scan->failed || guards == NULL;
	if (guards == NULL || found->above.end == 0 || r->launch_count < 2)
		return;
	if (p->guard_count != 0)
		memcpy(guards, p->guards, p->guard_count * sizeof *guards);
	p->guards = guards;
	for (size_t a = 0; a < r->argument_count && p->guard_count < KT_CLAUSE_ITEMS; a++) {
		const struct kt_pragma_value *value = KT_FIND(p->values, p->value_count, name, r->arguments[a].name);

		if (value != NULL && value->integral && value->places == 0 && differs(found, a) &&
		    describe(&guards[p->guard_count], scan->arena, value))
			p->guard_count++;
	}
}
