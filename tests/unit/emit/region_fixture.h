/*
 * Regions for tests without a scan: finds the kernel, its launches and its
 * parameters in a source text by their spelling.
 */
#ifndef KT_TESTS_REGION_FIXTURE_H
#define KT_TESTS_REGION_FIXTURE_H

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/source.h"
#include "emit/emit.h"

struct fixture_parameter {
	const char *name;
	enum kt_parameter_kind kind;
	int64_t original;
	size_t template_index;
};

/* What the text alone does not tell. Lists end with NULL. */
struct fixture_spec {
	const char *source, *kernel;
	const char *definition;  /* how the definition begins */
	const char *declaration; /* the first declaration's text, without ";"; NULL: none */
	const char *callee, *callee_begin; /* one copied callee and how its definition begins; NULL: none */
	const char *types[8], *names[8], *defaults[8]; /* the signature */
	const char *templates[4], *template_names[4], *template_defaults[4];
	const char *instances[2][5];       /* template arguments */
	const char *instance_types[2][8];
	struct fixture_parameter parameters[4];
	const char *variables[3];
	const char *carried[3];  /* per variable: the argument that carries it, or NULL: the variable of that name */
	const char *restrictions[3], *guards[3], *grid[3], *block[3], *shared;
	bool is_extern_c, in_anonymous_namespace;
};

struct fixture {
	struct kt_arena *arena;
	struct kt_unit unit;
	struct kt_region region;
	const char *source;
};

static inline void fx_ok(kt_status status, const struct kt_error *err)
{
	if (status != KT_OK)
		fail_msg("%s", err->message);
}

static inline size_t fx_count(const char *const *list, size_t most)
{
	size_t n = 0;

	while (n < most && list[n] != NULL)
		n++;
	return n;
}

static inline size_t fx_find(const char *source, const char *needle, size_t from)
{
	const char *at = strstr(source + from, needle);

	if (at == NULL)
		fail_msg("'%s' is not in the source", needle);
	return (size_t)(at - source);
}

static inline bool fx_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The whole word at or behind from, SIZE_MAX when there is none before to. */
static inline size_t fx_find_word(const char *source, const char *word, size_t from, size_t to)
{
	const size_t length = strlen(word);

	for (size_t i = from; i + length <= to; i++)
		if (strncmp(source + i, word, length) == 0 && (i == 0 || !fx_word(source[i - 1])) &&
		    !fx_word(source[i + length]))
			return i;
	return SIZE_MAX;
}

static inline size_t fx_match(const char *source, size_t open)
{
	const char a = source[open], b = a == '(' ? ')' : '}';
	int depth = 0;

	for (size_t i = open; source[i] != '\0'; i++) {
		depth += source[i] == a ? 1 : source[i] == b ? -1 : 0;
		if (depth == 0)
			return i + 1;
	}
	fail_msg("nothing closes '%c'", a);
	return 0;
}

static inline struct kt_range fx_range(size_t begin, size_t end)
{
	return (struct kt_range){(uint32_t)begin, (uint32_t)end};
}

static inline struct kt_clause_expr fx_expr(struct fixture *f, const char *text)
{
	struct kt_clause_expr clause = {text, 0, NULL};
	struct kt_error err;

	if (text != NULL)
		fx_ok(kt_expr_parse(&clause.expr, f->arena, text, strlen(text), &err), &err);
	return clause;
}

static inline struct kt_clause_expr *fx_exprs(struct fixture *f, const char *const *texts, size_t count)
{
	struct kt_clause_expr *out = kt_arena_array(f->arena, count + 1, sizeof *out);

	for (size_t i = 0; i < count; i++)
		out[i] = fx_expr(f, texts[i]);
	return out;
}

static inline void fx_edit(struct fixture *f, struct kt_edit **edits, size_t *count, const char *word, size_t begin,
                    size_t end, enum kt_edit_kind kind, size_t index)
{
	size_t at = begin;

	while ((at = fx_find_word(f->source, word, at, end)) != SIZE_MAX) {
		struct kt_edit *edit = kt_arena_push(f->arena, edits, count, sizeof *edit);
		size_t i = *count - 1;
		struct kt_edit made = {fx_range(at, at + strlen(word)), kind, index};

		assert_non_null(edit);
		for (; i > 0 && (*edits)[i - 1].range.begin > made.range.begin; i--)
			(*edits)[i] = (*edits)[i - 1];
		(*edits)[i] = made;
		at += strlen(word);
	}
}

static inline void fx_edits(struct fixture *f, const struct fixture_spec *spec, struct kt_edit **edits, size_t *count,
                     size_t begin, size_t end)
{
	for (size_t i = 0; i < 4 && spec->parameters[i].name != NULL; i++)
		if (spec->parameters[i].kind == KT_PARAMETER_CONSTANT)
			fx_edit(f, edits, count, spec->parameters[i].name, begin, end, KT_EDIT_PARAMETER, i);
	if (spec->callee != NULL)
		fx_edit(f, edits, count, spec->callee, begin, end, KT_EDIT_CALLEE, 0);
}

static inline void fx_launches(struct fixture *f, const struct fixture_spec *spec)
{
	struct kt_region *r = &f->region;
	const char *open = f->source;

	while ((open = strstr(open, "<<<")) != NULL) {
		struct kt_launch *l = kt_arena_push(f->arena, &r->launches, &r->launch_count, sizeof *l);
		size_t at = (size_t)(open - f->source), callee = at, close;

		while (fx_find_word(f->source, spec->kernel, callee, callee + strlen(spec->kernel)) == SIZE_MAX)
			callee--;
		close = fx_find(f->source, ">>>", at);
		l->line = kt_source_line(f->source, strlen(f->source), at);
		l->callee = fx_range(callee, callee + strlen(spec->kernel));
		l->open = fx_range(at, at + 3);
		l->close = fx_range(close, fx_find(f->source, "(", close) + 1);
		l->end = fx_range(fx_match(f->source, l->close.end - 1) - 1, fx_match(f->source, l->close.end - 1));
		l->has_arguments = l->end.begin > l->close.end;
		l->is_quiet = true;
		l->bindings = kt_arena_array(f->arena, r->variable_count + 1, sizeof *l->bindings);
		for (size_t v = 0; v < r->variable_count; v++) {
			l->bindings[v] = (struct kt_binding){-1, r->variables[v]};
			for (size_t a = 0; spec->carried[v] != NULL && a < r->argument_count; a++)
				if (strcmp(r->arguments[a].name, spec->carried[v]) == 0)
					l->bindings[v] = (struct kt_binding){(int64_t)a, NULL};
		}
		open += 3;
	}
}

static inline void fx_signature(struct fixture *f, const struct fixture_spec *spec)
{
	struct kt_region *r = &f->region;

	r->argument_count = fx_count(spec->types, 8);
	r->arguments = kt_arena_array(f->arena, r->argument_count + 1, sizeof *r->arguments);
	for (size_t i = 0; i < r->argument_count; i++)
		r->arguments[i] = (struct kt_argument){.name = spec->names[i],
		                                       .type = spec->types[i],
		                                       .default_text = spec->defaults[i],
		                                       .is_pointer = strchr(spec->types[i], '*') != NULL};
	r->template_count = fx_count(spec->templates, 4);
	r->templates = kt_arena_array(f->arena, r->template_count + 1, sizeof *r->templates);
	for (size_t i = 0; i < r->template_count; i++)
		r->templates[i] = (struct kt_template_parameter){
		    spec->template_names[i], spec->templates[i], spec->template_defaults[i],
		    strncmp(spec->templates[i], "typename", 8) == 0};
	r->instance_count = r->template_count == 0 ? 1 : spec->instances[1][0] != NULL ? 2 : 1;
	r->instances = kt_arena_array(f->arena, r->instance_count, sizeof *r->instances);
	for (size_t i = 0; i < r->instance_count; i++) {
		r->instances[i].name = kt_arena_printf(f->arena, "%s#%zu", spec->kernel, i);
		r->instances[i].argument_count = fx_count(spec->instances[i], 5);
		r->instances[i].arguments = kt_arena_array(f->arena, 5, sizeof(char *));
		r->instances[i].types = kt_arena_array(f->arena, 8, sizeof(char *));
		for (size_t a = 0; a < r->instances[i].argument_count; a++)
			r->instances[i].arguments[a] = spec->instances[i][a];
		for (size_t a = 0; a < r->argument_count; a++)
			r->instances[i].types[a] =
			    spec->instance_types[i][a] != NULL ? spec->instance_types[i][a] : spec->types[a];
	}
}

static inline void fx_places(struct fixture *f, const struct fixture_spec *spec)
{
	struct kt_region *r = &f->region;
	const char *s = f->source;
	size_t begin = fx_find(s, spec->definition, 0), name, open, position = 0;

	name = fx_find_word(s, spec->kernel, begin, strlen(s));
	open = fx_find(s, "(", name);
	r->name_range = fx_range(name, name + strlen(spec->kernel));
	r->parameters_range = fx_range(open, fx_match(s, open));
	open = fx_find(s, "{", r->parameters_range.end);
	r->body = fx_range(open, fx_match(s, open));
	r->body_line = kt_source_line(s, strlen(s), open);
	r->extent = fx_range(begin, r->body.end);
	r->attributes = fx_range(begin + kt_source_template_header(s + begin, name - begin), name);
	kt_source_pragma(&r->pragma, s, strlen(s), &position);
	if (spec->declaration != NULL) {
		size_t at = fx_find(s, spec->declaration, 0);

		r->declaration = fx_range(at, at + strlen(spec->declaration));
	}
	fx_edits(f, spec, &r->edits, &r->edit_count, begin, r->body.end);
	if (spec->callee != NULL) {
		struct kt_callee *c = kt_arena_push(f->arena, &r->callees, &r->callee_count, sizeof *c);
		size_t at = fx_find(s, spec->callee_begin, 0);

		c->name = spec->callee;
		c->extent = fx_range(at, fx_match(s, fx_find(s, "{", at)));
		fx_edits(f, spec, &c->edits, &c->edit_count, c->extent.begin, c->extent.end);
	}
}

static inline void fx_open(struct fixture *f, const struct fixture_spec *spec)
{
	struct kt_region *r = &f->region;

	memset(f, 0, sizeof *f);
	f->arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	f->source = spec->source;
	r->name = r->kernel = r->qualified = spec->kernel;
	r->file = "k.cu";
	r->closure = r->near_key = r->clauses = "closure";
	r->is_extern_c = spec->is_extern_c;
	r->reopened = "";
	r->in_anonymous_namespace = spec->in_anonymous_namespace;
	fx_signature(f, spec);
	fx_places(f, spec);
	for (size_t i = 0; i < 4 && spec->parameters[i].name != NULL; i++) {
		struct kt_parameter *p = kt_arena_push(f->arena, &r->parameters, &r->parameter_count, sizeof *p);

		p->name = spec->parameters[i].name;
		p->kind = spec->parameters[i].kind;
		p->original = spec->parameters[i].original;
		p->template_index = spec->parameters[i].template_index;
	}
	r->variable_count = fx_count(spec->variables, 3);
	r->variables = kt_arena_array(f->arena, 4, sizeof *r->variables);
	memcpy(r->variables, spec->variables, sizeof spec->variables);
	r->restriction_count = fx_count(spec->restrictions, 3);
	r->restrictions = fx_exprs(f, spec->restrictions, r->restriction_count);
	r->guard_count = fx_count(spec->guards, 3);
	r->guards = fx_exprs(f, spec->guards, r->guard_count);
	r->grid_count = fx_count(spec->grid, 3);
	memcpy(r->grid, fx_exprs(f, spec->grid, r->grid_count), r->grid_count * sizeof r->grid[0]);
	r->block_count = fx_count(spec->block, 3);
	memcpy(r->block, fx_exprs(f, spec->block, r->block_count), r->block_count * sizeof r->block[0]);
	r->shared_bytes = fx_expr(f, spec->shared);
	fx_launches(f, spec);
	f->unit.file = r->file;
	f->unit.region_count = 1;
	f->unit.regions = r;
}

static inline void fx_close(struct fixture *f)
{
	kt_arena_free(f->arena);
}

/* The device that emitted tests are for. */
static inline struct kt_device fx_device(void)
{
	return (struct kt_device){.vendor = "NVIDIA", .name = "NVIDIA H200", .cc = 90, .multiprocessors = 132,
	                          .memory_bus_bits = 6016, .l2_bytes = 62914560};
}

#endif
