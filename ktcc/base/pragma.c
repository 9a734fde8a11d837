/* The pragma language: the table of clauses, and reading them one after the other. */
#include "base/pragma_read.h"

#include <string.h>

/* One row per clause: name, name for "appears twice", usage, repeatable, bare, parser, argument, part of the record. */
static const struct kt_clause clauses[] = {
    {"name", "name", "write name(identifier)", false, false, kt_clause_name, 0, KT_PART_elsewhere},
    {"kernel", "kernel", "write kernel(ns::name)", false, false, kt_clause_kernel, 0, KT_PART_elsewhere},
    {"instances", "instances", "write instances(float, __half) or instances(<float, 128>, <__half, 256>)", false, false, kt_clause_instances, 0, KT_PART_elsewhere},
    {"reference", "reference", "write reference(function)", false, false, kt_clause_name, 1, KT_PART_elsewhere},
    {"problem", "problem", "write problem(rows = 1, 16; d = 4096)", false, false, kt_clause_problem, 0, KT_PART_problem},
    {"in", "in", "write in(x[elements])", true, false, kt_clause_buffer, KT_IN, KT_PART_buffer},
    {"out", "out", "write out(y[elements])", true, false, kt_clause_buffer, KT_OUT, KT_PART_buffer},
    {"inout", "inout", "write inout(z[elements])", true, false, kt_clause_buffer, KT_INOUT, KT_PART_buffer},
    {"scratch", "scratch", "write scratch(t[elements])", true, false, kt_clause_buffer, KT_SCRATCH, KT_PART_buffer},
    {"value", "value", "write value(eps = 1e-6f)", true, false, kt_clause_value, 0, KT_PART_value},
    {"tune", "tune", "write tune(BLOCK = 64, 128, 256)", true, false, kt_clause_tune, 0, KT_PART_tune},
    {"restriction", "restriction", "write restriction(condition)", true, false, kt_clause_condition, 0, KT_PART_restriction},
    {"guard", "guard", "write guard(condition)", true, false, kt_clause_condition, 1, KT_PART_guard},
    {"grid", "grid", "write grid(x, y, z)", false, false, kt_clause_extent, 0, KT_PART_grid},
    {"global", "grid", "write global(x, y, z)", false, false, kt_clause_extent, 2, KT_PART_grid},
    {"block", "block", "write block(x, y, z)", false, false, kt_clause_extent, 1, KT_PART_block},
    {"local", "block", "write local(x, y, z)", false, false, kt_clause_extent, 1, KT_PART_block},
    {"auto", "auto", "write auto, auto(off) or auto(vectorize, unroll)", false, true, kt_clause_auto, 0, KT_PART_auto},
    {"bind", "bind", "write bind(rows = expression)", true, false, kt_clause_bind, 0, KT_PART_elsewhere},
    {"tolerance", "tolerance", "write tolerance(abs = 1e-3, rel = 1e-2) or tolerance(y: abs = 1e-3)", true, false,
     kt_clause_tolerance, 0, KT_PART_buffer},
    {"specialize", "specialize", "write specialize(d) or specialize(off)", false, false, kt_clause_specialize, 0, KT_PART_specialize},
    {"budget", "budget", "write budget(seconds = 30, trials = 500)", false, false, kt_clause_budget, 0, KT_PART_budget},
#define EXPRESSION(clause, member, usage) \
	{#clause, #clause, usage, false, false, kt_clause_expression, (int)offsetof(struct kt_pragma, member), KT_PART_##clause},
    KT_CLAUSE_EXPRESSIONS(EXPRESSION)
#undef EXPRESSION
};
#define KT_CLAUSES (sizeof clauses / sizeof *clauses)

static const char *clause_name(size_t index)
{
	return index < KT_CLAUSES ? clauses[index].name : NULL;
}

static const struct kt_clause *find_clause(const char *name, size_t length)
{
	for (size_t i = 0; i < KT_CLAUSES; i++) {
		if (strlen(clauses[i].name) == length && memcmp(clauses[i].name, name, length) == 0)
			return &clauses[i];
	}
	return NULL;
}

/* A clause and its place in the text. */
struct found_clause {
	struct kt_slice name, content; /* content: trimmed */
	bool has_content, closed;
};

static bool is_when(const struct kt_reader *r, struct kt_slice name)
{
	return name.end - name.at == 4 && memcmp(r->text + name.at, "when", 4) == 0;
}

static void read_unknown(struct kt_reader *r, const struct found_clause *s)
{
	const size_t length = s->name.end - s->name.at;
	if (is_when(r, s->name)) {
		kt_report(r, KT_ERROR, s->name.at, length, "write restriction(B <= n) when(n > 64)",
		          "'when' is next to the clause that it limits, and there is one for each clause");
		return;
	}
	const char *closest = kt_closest(r->text + s->name.at, length, clause_name);
	const char *hint = closest != NULL ? kt_arena_printf(r->arena, "did you mean '%s'?", closest)
	                                   : "the clauses are listed in docs/pragma.md";
	/* A misspelt clause may have defined anything. */
	r->names_incomplete = true;
	kt_report(r, KT_ERROR, s->name.at, length, hint, "unknown clause '%.*s'", length > 80 ? 80 : (int)length,
	          r->text + s->name.at);
}

/* The first place of a clause that may appear only once, by canonical name; SIZE_MAX: none yet. */
static size_t *first_place(size_t *places, const struct kt_clause *row)
{
	return &places[find_clause(row->canonical, strlen(row->canonical)) - clauses];
}

static bool appears_twice(struct kt_reader *r, const struct found_clause *s, const struct kt_clause *row,
			  size_t *places)
{
	size_t *place = first_place(places, row);
	if (row->repeatable || *place == SIZE_MAX) {
		*place = s->name.at;
		return false;
	}
	const size_t length = s->name.end - s->name.at;
	kt_report(r, KT_ERROR, s->name.at, length, NULL, "clause '%s' appears twice", row->canonical);
	kt_report(r, KT_NOTE, *place, 1, NULL, "the first is here");
	return true;
}

/* Clauses that may be limited to some problems. Others are expressions, or hold for all. */
static bool may_be_limited(const struct kt_clause *row)
{
	return row->parse == kt_clause_condition || (row->parse == kt_clause_buffer && (row->argument & KT_IN) != 0 && row->argument != KT_SCRATCH);
}

/* The "when(…)" after a clause into r->when; false: reported. */
static bool read_when(struct kt_reader *r, const struct found_clause *when, const struct kt_clause *row)
{
	const size_t length = when->name.end - when->name.at;
	r->when = (struct kt_clause_expr){.text = NULL};
	if (length == 0)
		return true;
	if (!may_be_limited(row)) {
		const bool chooses = row->parse == kt_clause_expression || row->parse == kt_clause_extent || row->parse == kt_clause_value;
		kt_report(r, KT_ERROR, when->name.at, length,
		          chooses ? kt_arena_printf(r->arena, "write an expression that chooses: %s(%sn > 64 ? a : b)", row->name,
		                                    row->parse == kt_clause_value ? "x = " : "")
		                  : "when(…) limits in, inout, restriction and guard", "clause '%s' is for all problems", row->name);
		return false;
	}
	if (!when->has_content || (when->closed && when->content.at == when->content.end)) {
		kt_report(r, KT_ERROR, when->name.at, length, "write when(n > 64)", "expected '(' and on which problems the clause holds");
		return false;
	}
	return when->closed && kt_read_expr(&r->when, r, when->content);
}

static void read_clause(struct kt_reader *r, const struct found_clause *s, const struct found_clause *when,
			size_t *places)
{
	const size_t length = s->name.end - s->name.at;
	const struct kt_clause *row = find_clause(r->text + s->name.at, length);
	if (row == NULL) {
		read_unknown(r, s);
		return;
	}
	if (appears_twice(r, s, row, places))
		return;
	if (!s->has_content && !row->bare) {
		r->names_incomplete = true;
		kt_report(r, KT_ERROR, s->name.at, length, row->usage, "clause '%s' needs '(' and ')'", row->name);
	} else if (s->has_content && !s->closed) {
		r->names_incomplete = true; /* kt_match has reported what is wrong */
	} else if (s->has_content && s->content.at == s->content.end) {
		kt_report(r, KT_ERROR, s->name.at, length, row->usage, "clause '%s' is empty", row->name);
	} else if (read_when(r, when, row)) {
		row->parse(r, s->content, row);
	} else {
		r->names_incomplete = true;
	}
}

/* Finds the clause at `at`; returns where the next one may start. */
static size_t locate_clause(struct found_clause *out, struct kt_reader *r, size_t at)
{
	struct kt_slice rest = {at, r->size};
	size_t close;
	*out = (struct found_clause){.name = {at, at + kt_name_length(r, rest)}};
	rest.at = out->name.end;
	if (!kt_accept(r, &rest, '('))
		return out->name.end;
	out->has_content = true;
	out->closed = kt_match(r, rest.at - 1, r->size, &close);
	out->content = kt_trim(r, (struct kt_slice){rest.at, close});
	return close < r->size ? close + 1 : r->size;
}

/* The "when" next to a clause, if there is one; returns where the next clause may start. */
static size_t find_when(struct found_clause *out, struct kt_reader *r, size_t at)
{
	struct kt_slice rest = {at, r->size};
	*out = (struct found_clause){.name = {at, at}};
	kt_skip_blanks(r, &rest);
	return is_when(r, (struct kt_slice){rest.at, rest.at + kt_name_length(r, rest)})
		   ? locate_clause(out, r, rest.at)
		   : at;
}

static size_t skip_garbage(struct kt_reader *r, size_t at)
{
	const unsigned char c = (unsigned char)r->text[at];
	if (c > ' ' && c < 0x7f)
		kt_report(r, KT_ERROR, at, 1, NULL, "expected a clause, found '%c'", c);
	else
		kt_report(r, KT_ERROR, at, 1, NULL, "expected a clause, found byte 0x%02x", c);
	while (at < r->size && strchr(" \t\r\n\v\f,", r->text[at]) == NULL)
		at++;
	return at;
}

static void read_clauses(struct kt_reader *r)
{
	size_t places[KT_CLAUSES];
	struct kt_slice rest = {0, r->size};
	for (size_t i = 0; i < KT_CLAUSES; i++)
		places[i] = SIZE_MAX;
	for (;;) {
		struct found_clause s, when;
		while (kt_accept(r, &rest, ','))
			continue;
		kt_skip_blanks(r, &rest);
		if (rest.at >= rest.end || r->problem_count >= KT_PRAGMA_PROBLEMS || r->out_of_memory)
			return;
		if (kt_name_length(r, rest) == 0) {
			rest.at = skip_garbage(r, rest.at);
			continue;
		}
		rest.at = locate_clause(&s, r, rest.at);
		rest.at = find_when(&when, r, rest.at);
		read_clause(r, &s, &when, places);
	}
}

/* By place in the text; a note stays after what it explains. */
static void sort_problems(struct kt_reader *r)
{
	unsigned keys[KT_PRAGMA_PROBLEMS];
	for (size_t i = 0; i < r->problem_count; i++) {
		const struct kt_pragma_problem problem = r->problems[i];
		const unsigned key = problem.severity == KT_NOTE && i > 0 ? keys[i - 1] : problem.offset;
		keys[i] = key;
	}
	for (size_t i = 1; i < r->problem_count; i++) {
		const struct kt_pragma_problem problem = r->problems[i];
		const unsigned key = keys[i];
		size_t j = i;
		for (; j > 0 && keys[j - 1] > key; j--) {
			keys[j] = keys[j - 1];
			r->problems[j] = r->problems[j - 1];
		}
		keys[j] = key;
		r->problems[j] = problem;
	}
}

kt_status kt_pragma_parse(struct kt_pragma **out, struct kt_pragma_problem **problems, size_t *problem_count,
                          struct kt_arena *arena, const char *text, size_t length,
                          const struct kt_pragma_constants *constants, struct kt_error *err)
{
	struct kt_reader r = {.arena = arena};
	r.constants = constants != NULL ? *constants : (struct kt_pragma_constants){.find = NULL};
	r.pragma = kt_arena_alloc(arena, sizeof *r.pragma);
	r.size = length <= KT_LIMIT_LINE_BYTES ? length : 0;
	r.text = kt_arena_strndup(arena, text, r.size);
	if (r.pragma == NULL || r.text == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a pragma");
	r.pragma->budget_seconds = -1;
	r.pragma->budget_trials = -1;
	if (length > r.size)
		kt_report(&r, KT_ERROR, 0, 1, NULL, "pragma is longer than %zu bytes", KT_LIMIT_LINE_BYTES);
	kt_blank_comments(&r);
	read_clauses(&r);
	kt_pragma_check(&r);
	if (r.out_of_memory)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a pragma");
	sort_problems(&r);
	r.pragma->names_incomplete = r.names_incomplete;
	*out = r.pragma;
	*problems = r.problems;
	*problem_count = r.problem_count;
	return KT_OK;
}
