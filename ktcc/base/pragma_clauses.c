/* The pragma language: the clauses that are not lists of values, one parser each. */
#include "base/passes.h"
#include "base/pragma_read.h"

#include <string.h>

/* name and reference; row->argument: is it a reference? */
void kt_clause_name(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	const char *name, *what = row->argument ? "the name of a host function" : "the name of a region";
	kt_skip_blanks(r, &content);
	const size_t at = content.at;
	if (!kt_read_name(&name, r, &content, what) || !kt_read_end(r, &content, row->usage))
		return;
	*(row->argument ? &r->pragma->reference : &r->pragma->name) = name;
	*(row->argument ? &r->pragma->reference_offset : &r->pragma->name_offset) = (unsigned)at;
}

/* "ns::name", with or without "::" in front */
void kt_clause_kernel(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	const char *whole = "", *name;
	bool more = true;
	kt_skip_blanks(r, &content);
	const size_t at = content.at;
	if (kt_accept(r, &content, ':') && !kt_accept(r, &content, ':'))
		content.at = at;
	while (more) {
		if (!kt_read_name(&name, r, &content, "the name of a kernel"))
			return;
		whole = kt_arena_printf(r->arena, "%s%s", whole, name);
		more = kt_accept(r, &content, ':') && kt_accept(r, &content, ':');
		whole = whole != NULL && more ? kt_arena_printf(r->arena, "%s::", whole) : whole;
		if (whole == NULL) {
			r->out_of_memory = true;
			return;
		}
	}
	if (!kt_read_end(r, &content, row->usage))
		return;
	r->pragma->kernel = whole;
	r->pragma->kernel_offset = (unsigned)at;
}

static bool read_buffer(struct kt_pragma_buffer *buffer, struct kt_reader *r, struct kt_slice slice)
{
	size_t close;
	kt_skip_blanks(r, &slice);
	buffer->offset = (unsigned)slice.at;
	if (!kt_read_member(&buffer->name, r, &slice, "the name of a buffer", true))
		return false;
	if (!kt_accept(r, &slice, '[')) {
		kt_report_token(r, slice.at, "write x[rows * d]", "expected '[' and the number of elements of '%s'",
		                buffer->name);
		return false;
	}
	if (!kt_match(r, slice.at - 1, slice.end, &close) ||
	    !kt_read_expr(&buffer->count, r, (struct kt_slice){slice.at, close}))
		return false;
	slice.at = close + 1;
	if (kt_accept(r, &slice, ':'))
		return kt_read_fills(buffer, r, &slice);
	return kt_read_end(r, &slice, "separate buffers with ','");
}

void kt_clause_buffer(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	struct kt_slice piece;
	bool more = true;
	while (kt_take(r, &piece, &content, ",", &more)) {
		struct kt_pragma_buffer read = {.direction = (enum kt_direction)row->argument, .when = r->when};
		if (!read_buffer(&read, r, piece)) {
			r->names_incomplete = true;
			continue;
		}
		struct kt_pragma_buffer *buffer =
		    kt_reader_push_limited(r, &r->pragma->buffers, &r->pragma->buffer_count, sizeof *buffer, KT_CLAUSE_ITEMS,
		                           read.offset, "buffers");
		if (buffer != NULL)
			*buffer = read;
	}
}

static bool read_value(struct kt_reader *r, struct kt_slice slice, struct kt_pragma_value read)
{
	if (!kt_read_number(&read, r, slice))
		return false;
	struct kt_pragma_value *value = kt_reader_push_limited(r, &r->pragma->values, &r->pragma->value_count,
	                                                       sizeof *value, KT_CLAUSE_ITEMS, read.offset, "values");
	if (value != NULL)
		*value = read;
	return value != NULL;
}

/* "{1, 2 * n}": the numbers of a vector, an array or a structure, in order. */
static void read_list(struct kt_reader *r, struct kt_slice slice, struct kt_pragma_value read)
{
	size_t close;
	bool more = true;
	if (!kt_match(r, slice.at, slice.end, &close))
		return;
	struct kt_slice behind = {close + 1, slice.end}, rest = {slice.at + 1, close}, piece;
	if (!kt_read_end(r, &behind, NULL))
		return;
	struct kt_slice counted = rest;
	while (kt_take(r, &piece, &counted, ",", &more))
		read.places++;
	more = true;
	while (kt_take(r, &piece, &rest, ",", &more)) {
		if (!read_value(r, piece, read))
			return;
		read.place++;
	}
}

void kt_clause_value(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	struct kt_slice piece;
	bool more = true;
	while (kt_take(r, &piece, &content, ",;", &more)) {
		struct kt_pragma_value read = {0};
		kt_skip_blanks(r, &piece);
		read.offset = (unsigned)piece.at;
		if (!kt_read_member(&read.name, r, &piece, "the name of an argument", false))
			continue;
		if (!kt_accept(r, &piece, '=')) {
			kt_report_token(r, piece.at, row->usage, "expected '=' and the value of '%s'", read.name);
			continue;
		}
		kt_skip_blanks(r, &piece);
		if (piece.at < piece.end && r->text[piece.at] == '{')
			read_list(r, piece, read);
		else
			(void)read_value(r, piece, read);
	}
}

/* A condition that holds on some problems: "!when || condition". */
static bool limit(struct kt_clause_expr *condition, struct kt_reader *r)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	if (r->when.expr == NULL)
		return true;
	struct kt_expr *whole = kt_expr_unless(r->arena, r->when.expr, r->when.offset - condition->offset, condition->expr);
	if (whole == NULL) {
		kt_report_token(r, r->when.offset, NULL, "expression is nested deeper than %d levels", KT_EXPR_DEPTH);
		return false;
	}
	kt_expr_canonical(&text, whole);
	condition->expr = whole;
	condition->text = text.failed ? NULL : kt_arena_strdup(r->arena, kt_buf_text(&text));
	r->out_of_memory = r->out_of_memory || condition->text == NULL;
	kt_buf_free(&text);
	return condition->text != NULL;
}

/* restriction and guard; row->argument: is it a guard? */
void kt_clause_condition(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	struct kt_pragma *pragma = r->pragma;
	struct kt_clause_expr read;
	if (!kt_read_expr(&read, r, content) || !limit(&read, r))
		return;
	struct kt_clause_expr *condition =
	    row->argument ? kt_reader_push_limited(r, &pragma->guards, &pragma->guard_count, sizeof read, KT_CLAUSE_ITEMS,
	                                           read.offset, "guards")
	                  : kt_reader_push_limited(r, &pragma->restrictions, &pragma->restriction_count, sizeof read,
	                                           KT_CLAUSE_ITEMS, read.offset, "restrictions");
	if (condition != NULL)
		*condition = read;
}

/* grid, global and block; row->argument: 0 the grid, 1 the block, 2 the grid in work-items. */
void kt_clause_extent(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	struct kt_clause_expr axes[3] = {{0}};
	struct kt_slice piece;
	size_t count = 0;
	bool more = true;
	while (kt_take(r, &piece, &content, ",", &more)) {
		if (count == 3) {
			kt_report_token(r, piece.at, row->usage, "%s has at most three extents", row->name);
			return;
		}
		if (!kt_read_expr(&axes[count], r, piece))
			return;
		count++;
	}
	const bool block = row->argument == 1;
	memcpy(block ? r->pragma->block : r->pragma->grid, axes, sizeof axes);
	*(block ? &r->pragma->block_count : &r->pragma->grid_count) = count;
	r->pragma->grid_is_global = r->pragma->grid_is_global || row->argument == 2;
}

/* One expression; row->argument: its offset in the record. */
void kt_clause_expression(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	struct kt_clause_expr read;
	if (kt_read_expr(&read, r, content))
		memcpy((char *)r->pragma + row->argument, &read, sizeof read);
}

static bool is_word(const struct kt_reader *r, struct kt_slice slice, const char *word)
{
	const size_t length = strlen(word);
	slice = kt_trim(r, slice);
	return slice.end - slice.at == length && memcmp(r->text + slice.at, word, length) == 0;
}

/* Names separated by commas, each once; *off when the only word is "off". */
static bool read_names(const char ***names, size_t *count, bool *off, struct kt_reader *r, struct kt_slice content,
                       const char *what, enum kt_use_kind *use)
{
	struct kt_slice piece;
	bool more = true;
	*off = is_word(r, content, "off");
	if (*off)
		return true;
	while (kt_take(r, &piece, &content, ",", &more)) {
		const char *name;
		const size_t at = piece.at;
		if (is_word(r, piece, "off")) {
			kt_report_token(r, at, NULL, "'off' must be alone");
			return false;
		}
		if (!kt_read_name(&name, r, &piece, what) || !kt_read_end(r, &piece, "separate names with ','"))
			return false;
		for (size_t i = 0; i < *count; i++) {
			if (strcmp((*names)[i], name) == 0) {
				kt_report_token(r, at, NULL, "'%s' appears twice", name);
				return false;
			}
		}
		const char **place = kt_reader_push_limited(r, names, count, sizeof *place, KT_CLAUSE_ITEMS, at, "names");
		NEED(place, false);
		*place = name;
		if (use != NULL)
			kt_reader_use(r, *use, name, at);
	}
	return true;
}

/* What the rules can do: docs/generation.md, "Strategies". */
static const char *const strategies[] = {
#define NAME(name, version) name,
    KT_PASSES(NAME)
#undef NAME
};

static const char *strategy_name(size_t index)
{
	return index < sizeof strategies / sizeof *strategies ? strategies[index] : NULL;
}

/* Each of them is a strategy: a misspelt one would switch off what it was meant to allow. */
static bool are_strategies(struct kt_reader *r, struct kt_slice content)
{
	struct kt_slice piece;
	bool more = true;
	while (kt_take(r, &piece, &content, ",", &more)) {
		size_t i = 0;
		while (strategy_name(i) != NULL && !is_word(r, piece, strategies[i]))
			i++;
		if (strategy_name(i) != NULL)
			continue;
		piece = kt_trim(r, piece);
		const size_t length = piece.end - piece.at;
		const char *closest = kt_closest(r->text + piece.at, length, strategy_name);
		kt_report_token(r, piece.at,
		                closest != NULL ? kt_arena_printf(r->arena, "did you mean '%s'?", closest)
		                                : kt_word_list(r->arena, strategy_name),
		                "unknown strategy '%.*s'", (int)length, r->text + piece.at);
		return false;
	}
	return true;
}

void kt_clause_auto(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	const char **names = NULL;
	size_t count = 0;
	bool off = false;
	(void)row;
	if (content.at == content.end) {
		r->pragma->generation = KT_AUTO_ALL;
		return;
	}
	if (!read_names(&names, &count, &off, r, content, "the name of a strategy, or off", NULL) ||
	    (!off && !are_strategies(r, content)))
		return;
	r->pragma->generation = off ? KT_AUTO_OFF : KT_AUTO_LIST;
	r->pragma->strategies = names;
	r->pragma->strategy_count = count;
}

void kt_clause_specialize(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	enum kt_use_kind use = KT_USE_SPECIALIZE;
	const char **names = NULL;
	size_t count = 0;
	bool off = false;
	(void)row;
	if (!read_names(&names, &count, &off, r, content, "the name of a problem variable, or off", &use))
		return;
	r->pragma->specialize_off = off;
	r->pragma->specialize = names;
	r->pragma->specialize_count = count;
}

/* Where one binding ends: at ';', or at a ',' that the next "name =" follows. */
static size_t binding_end(const struct kt_reader *r, struct kt_slice slice)
{
	for (;;) {
		const size_t at = kt_find(r, slice, ",;");
		if (at == slice.end || r->text[at] == ';' || kt_at_assignment(r, (struct kt_slice){at + 1, slice.end}))
			return at;
		slice.at = at + 1;
	}
}

static bool read_bind(struct kt_pragma_bind *bind, struct kt_reader *r, struct kt_slice slice, const char *usage)
{
	kt_skip_blanks(r, &slice);
	bind->offset = (unsigned)slice.at;
	if (!kt_read_name(&bind->name, r, &slice, "the name of a problem variable"))
		return false;
	if (!kt_accept(r, &slice, '=')) {
		kt_report_token(r, slice.at, usage, "expected '=' and how to compute '%s'", bind->name);
		return false;
	}
	slice = kt_trim(r, slice);
	if (slice.at == slice.end) {
		kt_report_token(r, slice.at, usage, "expected an expression for '%s'", bind->name);
		return false;
	}
	bind->text = kt_arena_strndup(r->arena, r->text + slice.at, slice.end - slice.at);
	if (bind->text == NULL)
		r->out_of_memory = true;
	return bind->text != NULL;
}

void kt_clause_bind(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	bool more = true;
	while (more) {
		const size_t end = binding_end(r, content);
		struct kt_pragma_bind read = {0};
		if (read_bind(&read, r, (struct kt_slice){content.at, end}, row->usage)) {
			struct kt_pragma_bind *bind =
			    kt_reader_push_limited(r, &r->pragma->binds, &r->pragma->bind_count, sizeof *bind, KT_CLAUSE_ITEMS,
			                           read.offset, "bindings");
			if (bind != NULL)
				*bind = read;
		}
		more = end < content.end;
		content.at = end + 1;
	}
}

/* "key = number, …" into the places of two keys; a place that is not negative was given before. */
struct setting {
	const char *key;
	double *place;
	bool integral;
	double least; /* smallest value; excluded when positive values only make sense */
	bool above;
};

static bool read_setting(struct kt_reader *r, struct kt_slice slice, const struct setting *settings, const char *usage)
{
	struct kt_pragma_value value = {0};
	const struct setting *setting = NULL;
	const char *name;
	kt_skip_blanks(r, &slice);
	const size_t at = slice.at;
	if (!kt_read_name(&name, r, &slice, "a name and its number"))
		return false;
	for (size_t i = 0; i < 2; i++) {
		if (strcmp(settings[i].key, name) == 0)
			setting = &settings[i];
	}
	if (setting == NULL) {
		kt_report_token(r, at, usage, "unknown name '%s'", name);
		return false;
	}
	if (!kt_accept(r, &slice, '=')) {
		kt_report_token(r, slice.at, usage, "expected '=' and a number");
		return false;
	}
	slice = kt_trim(r, slice);
	if (!kt_read_number(&value, r, slice))
		return false;
	if ((setting->integral && !value.integral) || value.number < setting->least ||
	    (setting->above && value.number <= setting->least)) {
		kt_report(r, KT_ERROR, slice.at, slice.end - slice.at, NULL, "'%s' must be %s %s %g", name,
		          setting->integral ? "an integer" : "a number", setting->above ? "above" : "of at least",
		          setting->least);
		return false;
	}
	if (*setting->place >= 0) {
		kt_report_token(r, at, NULL, "'%s' appears twice", name);
		return false;
	}
	*setting->place = value.number;
	return true;
}

static bool read_settings(struct kt_reader *r, struct kt_slice content, const struct setting *settings,
                          const char *usage)
{
	struct kt_slice piece;
	bool more = true, right = true;
	while (kt_take(r, &piece, &content, ",", &more))
		right = read_setting(r, piece, settings, usage) && right;
	return right;
}

/* "abs = a, rel = r", with "buffer:" in front or not. */
static bool read_tolerance(struct kt_pragma_tolerance *read, size_t *at, struct kt_reader *r, struct kt_slice slice,
                           const char *usage)
{
	const struct setting settings[2] = {{"abs", &read->absolute, false, 0, false},
	                                    {"rel", &read->relative, false, 0, false}};
	const size_t colon = kt_find(r, slice, ":");
	*at = slice.at;
	if (colon < slice.end) {
		struct kt_slice name = {slice.at, colon};
		if (!kt_read_member(&read->buffer, r, &name, "the name of a buffer", false) || !kt_read_end(r, &name, NULL))
			return false;
		slice.at = colon + 1;
	}
	return read_settings(r, slice, settings, usage);
}

void kt_clause_tolerance(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	struct kt_pragma *pragma = r->pragma;
	struct kt_slice piece;
	bool more = true;
	while (kt_take(r, &piece, &content, ";", &more)) {
		struct kt_pragma_tolerance read = {NULL, -1, -1};
		size_t at;
		if (!read_tolerance(&read, &at, r, piece, row->usage))
			continue;
		struct kt_pragma_tolerance *tolerance =
		    kt_reader_push_limited(r, &pragma->tolerances, &pragma->tolerance_count, sizeof *tolerance,
		                           KT_CLAUSE_ITEMS, at, "tolerances");
		if (tolerance == NULL)
			continue;
		*tolerance = read;
		kt_reader_use(r, KT_USE_TOLERANCE, read.buffer, at);
	}
}

void kt_clause_budget(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	double seconds = -1, trials = -1;
	const struct setting settings[2] = {{"seconds", &seconds, false, 0, true}, {"trials", &trials, true, 1, false}};
	if (!read_settings(r, content, settings, row->usage))
		return;
	if (trials > 0x1p53) {
		kt_report(r, KT_ERROR, content.at, content.end - content.at, NULL, "'trials' is too large");
		return;
	}
	r->pragma->budget_seconds = seconds;
	r->pragma->budget_trials = trials < 0 ? -1 : (int64_t)trials;
}
