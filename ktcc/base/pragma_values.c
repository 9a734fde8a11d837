/* The pragma language: numbers, value lists, and the two clauses made of them, problem and tune. */
#include "base/pragma_weight.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One item of a value list: a constant is a range of one. */
struct item {
	int64_t first, last, step;
	bool multiply;
	unsigned offset;
};

/* Splits a literal such as "-0x10", "1e-6f" or "3ull" off its sign; false when it is something else. */
static bool is_literal(const char *text, size_t length, bool *integral)
{
	size_t i = 0;
	while (i < length && (text[i] == '-' || text[i] == '+' || isspace((unsigned char)text[i])))
		i++;
	if (i == length || (!isdigit((unsigned char)text[i]) && text[i] != '.'))
		return false;
	const bool hexadecimal = i + 1 < length && text[i] == '0' && (text[i + 1] == 'x' || text[i + 1] == 'X');
	*integral = true;
	for (; i < length; i++) {
		const char c = text[i];
		const bool exponent_sign = (c == '-' || c == '+') && (text[i - 1] == 'e' || text[i - 1] == 'E');
		if (!isalnum((unsigned char)c) && c != '.' && !exponent_sign)
			return false;
		if (c == '.' || (!hexadecimal && strchr("eEfF", c) != NULL))
			*integral = false;
	}
	return true;
}

static bool read_fraction(double *out, const char *text, size_t length)
{
	char copy[64];
	size_t used = 0;
	char *end;
	const bool hexadecimal = memchr(text, 'x', length) != NULL || memchr(text, 'X', length) != NULL;
	/* In 0x1.F the last letter is a digit: a suffix needs the exponent in front of it. */
	if (hexadecimal && memchr(text, 'p', length) == NULL && memchr(text, 'P', length) == NULL)
		return false;
	if (length > 0 && strchr("fFlL", text[length - 1]) != NULL)
		length--;
	for (size_t i = 0; i < length; i++) {
		if (isspace((unsigned char)text[i]))
			continue;
		if (used == sizeof copy - 1)
			return false;
		copy[used++] = text[i];
	}
	copy[used] = '\0';
	*out = strtod(copy, &end);
	return used > 0 && *end == '\0' && isfinite(*out);
}

/* What is no literal: without names it is a number as well. */
static bool read_computed(struct kt_pragma_value *out, struct kt_reader *r, struct kt_slice slice)
{
	struct kt_clause_expr read;
	struct kt_error err;
	if (!kt_read_expr(&read, r, slice))
		return false;
	if (!kt_expr_is_constant(read.expr)) {
		out->expr = read;
		return true;
	}
	const kt_status status = kt_expr_eval(&out->integer, read.expr, NULL, NULL, &err);
	if (status != KT_OK)
		kt_report_token(r, slice.at + err.offset, NULL, "%s", err.message);
	return status == KT_OK;
}

bool kt_read_number(struct kt_pragma_value *out, struct kt_reader *r, struct kt_slice slice)
{
	slice = kt_trim(r, slice);
	const char *text = r->text + slice.at;
	const size_t length = slice.end - slice.at;
	bool integral = true;
	const bool is_true = length == 4 && memcmp(text, "true", 4) == 0;
	if (is_true || (length == 5 && memcmp(text, "false", 5) == 0)) {
		out->integer = is_true;
	} else if (length == 0) {
		kt_report_token(r, slice.at, NULL, "expected a number or an expression");
		return false;
	} else if (!is_literal(text, length, &integral)) {
		integral = true;
		if (!read_computed(out, r, slice))
			return false;
	} else if (integral) {
		if (!kt_read_constant(&out->integer, r, slice))
			return false;
	} else if (!read_fraction(&out->number, text, length)) {
		kt_report(r, KT_ERROR, slice.at, length, NULL, "not a finite number");
		return false;
	}
	out->integral = integral;
	if (integral)
		out->number = (double)out->integer;
	out->text = kt_arena_strndup(r->arena, text, length);
	if (out->text == NULL)
		r->out_of_memory = true;
	return out->text != NULL;
}

/* Index of ".." outside brackets, or slice.end. */
static size_t find_dots(const struct kt_reader *r, struct kt_slice slice)
{
	for (;;) {
		const size_t at = kt_find(r, slice, ".");
		if (at + 1 >= slice.end)
			return slice.end;
		if (r->text[at + 1] == '.')
			return at;
		slice.at = at + 1;
	}
}

/* Index of the word "step", or slice.end. */
static size_t find_step(const struct kt_reader *r, struct kt_slice slice)
{
	while (slice.at < slice.end) {
		const size_t length = kt_name_length(r, slice);
		if (length == 4 && memcmp(r->text + slice.at, "step", 4) == 0)
			return slice.at;
		slice.at += length > 0 ? length : 1;
	}
	return slice.end;
}

static bool read_step(struct item *item, struct kt_reader *r, struct kt_slice slice)
{
	static const char *const hint = "write 'step +32' or 'step *2'";
	kt_skip_blanks(r, &slice);
	if (slice.at == slice.end || (r->text[slice.at] != '+' && r->text[slice.at] != '*')) {
		kt_report_token(r, slice.at, hint, "expected '+' or '*' after step");
		return false;
	}
	item->multiply = r->text[slice.at++] == '*';
	if (!kt_read_constant(&item->step, r, slice))
		return false;
	kt_skip_blanks(r, &slice);
	if (item->step < (item->multiply ? 2 : 1)) {
		kt_report(r, KT_ERROR, slice.at, slice.end - slice.at, NULL, "step %c%lld never reaches the end of the range",
		          item->multiply ? '*' : '+', (long long)item->step);
		return false;
	}
	return true;
}

static bool read_range(struct item *item, struct kt_reader *r, struct kt_slice slice, size_t dots)
{
	const struct kt_slice rest = {dots + 2, slice.end};
	const size_t step = find_step(r, rest);
	if (!kt_read_constant(&item->first, r, (struct kt_slice){slice.at, dots}) ||
	    !kt_read_constant(&item->last, r, (struct kt_slice){rest.at, step}))
		return false;
	item->step = 1;
	if (step < slice.end && !read_step(item, r, (struct kt_slice){step + 4, slice.end}))
		return false;
	if (item->first > item->last) {
		kt_report(r, KT_ERROR, slice.at, slice.end - slice.at, NULL, "range is empty: %lld is above %lld",
		          (long long)item->first, (long long)item->last);
		return false;
	}
	if (item->multiply && item->first < 1) {
		kt_report(r, KT_ERROR, slice.at, slice.end - slice.at, NULL,
		          "a range with step * starts at 1 or above, not at %lld", (long long)item->first);
		return false;
	}
	return true;
}

static bool read_item(struct item *item, struct kt_reader *r, struct kt_slice slice)
{
	item->offset = (unsigned)slice.at;
	if (slice.at == slice.end) {
		kt_report_token(r, slice.at, NULL, "expected a value");
		return false;
	}
	if (kt_at_assignment(r, slice)) {
		kt_report_token(r, slice.at, "separate names with ';'", "expected a value, found another name");
		return false;
	}
	const size_t dots = find_dots(r, slice);
	if (dots < slice.end)
		return read_range(item, r, slice, dots);
	if (!kt_read_constant(&item->first, r, slice))
		return false;
	item->last = item->first;
	item->step = 1;
	return true;
}

/* How many values the item has, at most limit + 1. */
static size_t item_count(const struct item *item, size_t limit)
{
	size_t count = 1;
	if (!item->multiply) {
		const uint64_t steps =
		    ((uint64_t)item->last - (uint64_t)item->first) / (uint64_t)item->step;
		return steps >= limit ? limit + 1 : (size_t)steps + 1;
	}
	for (int64_t value = item->first; value <= item->last / item->step; value *= item->step)
		count++;
	return count;
}

struct ranked {
	int64_t value;
	size_t index;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Drops values that appear a second time, warning once. */
static void drop_repeated(int64_t *values, size_t *count, struct kt_reader *r, struct kt_slice slice, const char *name)
{
	struct ranked *ranked = malloc(*count * sizeof *ranked);
	bool *again = calloc(*count, sizeof *again);
	size_t kept = 0;
	bool warned = false;
	if (ranked == NULL || again == NULL) {
		r->out_of_memory = true;
		goto done;
	}
	for (size_t i = 0; i < *count; i++)
		ranked[i] = (struct ranked){values[i], i};
	qsort(ranked, *count, sizeof *ranked, compare_ranked);
	for (size_t i = 1; i < *count; i++)
		again[ranked[i].index] = ranked[i].value == ranked[i - 1].value;
	for (size_t i = 0; i < *count; i++) {
		if (again[i] && !warned) {
			kt_report(r, KT_WARNING, slice.at, slice.end - slice.at, NULL, "value %lld of '%s' appears twice",
			          (long long)values[i], name);
			warned = true;
		}
		if (!again[i])
			values[kept++] = values[i];
	}
	*count = kept;
done:
	free(ranked);
	free(again);
}

bool kt_read_values(int64_t **values, size_t *count, struct kt_reader *r, struct kt_slice slice, const char *name,
                    size_t limit)
{
	struct kt_slice rest = kt_trim(r, slice), piece;
	struct item *items = NULL;
	size_t item_total = 0, total = 0;
	bool more = true;
	while (kt_take(r, &piece, &rest, ",", &more)) {
		struct item *item = kt_reader_push(r, &items, &item_total, sizeof *item);
		if (item == NULL || !read_item(item, r, piece))
			return false;
		total += item_count(item, limit);
		if (total > limit) {
			kt_report(r, KT_ERROR, piece.at, piece.end - piece.at, NULL, "'%s' has more than %zu values", name,
			          limit);
			return false;
		}
	}
	int64_t *list = kt_arena_array(r->arena, total, sizeof *list);
	if (list == NULL) {
		r->out_of_memory = true;
		return false;
	}
	size_t used = 0;
	for (size_t i = 0; i < item_total; i++) {
		int64_t value = items[i].first;
		for (size_t left = item_count(&items[i], limit); left > 0; left--) {
			list[used++] = value;
			if (left > 1)
				value = items[i].multiply ? value * items[i].step : value + items[i].step;
		}
	}
	drop_repeated(list, &used, r, kt_trim(r, slice), name);
	*values = list;
	*count = used;
	return true;
}

void kt_clause_tune(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	struct kt_slice piece;
	bool more = true;
	while (kt_take(r, &piece, &content, ";", &more)) {
		struct kt_pragma_tune read = {0};
		kt_skip_blanks(r, &piece);
		read.offset = (unsigned)piece.at;
		if (!kt_read_name(&read.name, r, &piece, "the name of a parameter")) {
			r->names_incomplete = true;
			continue;
		}
		if (!kt_accept(r, &piece, '=')) {
			kt_report_token(r, piece.at, row->usage, "expected '=' and the values of '%s'", read.name);
			r->names_incomplete = true;
			continue;
		}
		if (!kt_read_values(&read.values, &read.count, r, piece, read.name, KT_PARAMETER_VALUES)) {
			r->names_incomplete = true;
			continue;
		}
		struct kt_pragma_tune *tune = kt_reader_push_limited(r, &r->pragma->tunes, &r->pragma->tune_count, sizeof *tune,
		                                                     KT_PARAMETERS, read.offset, "tunable parameters");
		if (tune != NULL)
			*tune = read;
	}
}

/* A group of the problem clause: rows of width values. */
struct group {
	size_t width, rows;
	int64_t *values, *weights; /* weights: one per row, NULL: all are 1 */
};

static bool add_variable(struct kt_reader *r, struct kt_slice *slice, const char **name)
{
	struct kt_pragma *pragma = r->pragma;
	kt_skip_blanks(r, slice);
	const size_t at = slice->at;
	if (!kt_read_name(name, r, slice, "the name of a problem variable"))
		return false;
	const char **variable = kt_reader_push_limited(r, &pragma->variables, &pragma->variable_count, sizeof *variable,
	                                               KT_PROBLEM_VARIABLES, at, "problem variables");
	NEED(variable, false);
	*variable = *name;
	kt_reader_use(r, KT_USE_VARIABLE, *name, at);
	return true;
}

/* "(…)" as the whole slice: its content. */
static bool unwrap(struct kt_slice *content, struct kt_reader *r, struct kt_slice slice, const char *what)
{
	size_t close;
	slice = kt_trim(r, slice);
	if (slice.at == slice.end || r->text[slice.at] != '(') {
		kt_report_token(r, slice.at, "write problem((a, b) = (1, 2), (3, 4))", "expected '(' and %s", what);
		return false;
	}
	if (!kt_match(r, slice.at, slice.end, &close))
		return false;
	struct kt_slice behind = {close + 1, slice.end};
	if (!kt_read_end(r, &behind, NULL))
		return false;
	*content = kt_trim(r, (struct kt_slice){slice.at + 1, close});
	return true;
}

static bool read_tuple(struct group *group, struct kt_reader *r, struct kt_slice slice)
{
	struct kt_slice rest, piece;
	size_t count = 0;
	bool more = true;
	if (!kt_take_weight(&group->weights[group->rows], r, &slice) || !unwrap(&rest, r, slice, "one value a variable"))
		return false;
	while (kt_take(r, &piece, &rest, ",", &more)) {
		int64_t value;
		if (!kt_read_constant(&value, r, piece))
			return false;
		if (count < group->width)
			group->values[group->rows * group->width + count] = value;
		count++;
	}
	if (count != group->width) {
		kt_report(r, KT_ERROR, slice.at, slice.end - slice.at, NULL, "%zu values for %zu variables", count,
		          group->width);
		return false;
	}
	group->rows++;
	return true;
}

/* "(rows, d) = (16, 4096), (64, 8192)" */
static bool read_zip(struct group *group, struct kt_reader *r, struct kt_slice slice)
{
	struct kt_slice names, piece;
	const char *name;
	size_t close;
	bool more = true;
	if (!kt_match(r, slice.at, slice.end, &close))
		return false;
	names = kt_trim(r, (struct kt_slice){slice.at + 1, close});
	while (kt_take(r, &piece, &names, ",", &more)) {
		if (!add_variable(r, &piece, &name) || !kt_read_end(r, &piece, NULL))
			return false;
		group->width++;
	}
	slice.at = close + 1;
	if (!kt_accept(r, &slice, '=')) {
		kt_report_token(r, slice.at, NULL, "expected '=' and tuples of values");
		return false;
	}
	group->values = kt_arena_array(r->arena, KT_PROBLEMS, group->width * sizeof(int64_t));
	group->weights = kt_arena_array(r->arena, KT_PROBLEMS, sizeof *group->weights);
	if (group->values == NULL || group->weights == NULL) {
		r->out_of_memory = true;
		return false;
	}
	more = true;
	while (kt_take(r, &piece, &slice, ",", &more)) {
		if (group->rows == KT_PROBLEMS) {
			kt_report(r, KT_ERROR, piece.at, piece.end - piece.at, NULL, "more than %d problems", KT_PROBLEMS);
			return false;
		}
		if (!read_tuple(group, r, piece))
			return false;
	}
	return true;
}

/* "64..8192 step 8": in a bound a step is added. */
static bool read_bound_values(struct kt_pragma_bound *out, struct kt_reader *r, struct kt_slice slice)
{
	static const char *const usage = "write problem(d = 64, 4096; d in 64..8192 step 8)";
	slice = kt_trim(r, slice);
	const size_t dots = find_dots(r, slice);
	const size_t step = find_step(r, slice);
	if (dots >= step) {
		kt_report_token(r, slice.at, usage, "expected the least and the largest value of '%s'", out->name);
		return false;
	}
	struct kt_slice every = {step + 4, slice.end};
	out->step = 1;
	if (!kt_read_constant(&out->least, r, (struct kt_slice){slice.at, dots}) ||
	    !kt_read_constant(&out->most, r, (struct kt_slice){dots + 2, step}))
		return false;
	if (step < slice.end) {
		kt_skip_blanks(r, &every);
		every.at += every.at < every.end && r->text[every.at] == '+';
		if (!kt_read_constant(&out->step, r, every))
			return false;
	}
	if (out->least < 1 || out->most < out->least || out->step < 1) {
		kt_report(r, KT_ERROR, slice.at, slice.end - slice.at, usage,
		          "no value of '%s' is in these bounds: they begin at 1 or above, end there or later, and step by 1 or more",
		          out->name);
		return false;
	}
	return true;
}

/* What a launch is asked for: bounds are a guard. */
static bool guard_bound(struct kt_reader *r, const struct kt_pragma_bound *bound)
{
	struct kt_pragma *pragma = r->pragma;
	struct kt_clause_expr read = {.offset = bound->offset}, *slot;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error err;
	const bool is_word = kt_expr_is_word(bound->name, strlen(bound->name));
	const char *name = is_word ? kt_arena_printf(r->arena, "arg(%s)", bound->name) : bound->name;
	kt_buf_addf(&text, "%s >= %lld && %s <= %lld", name, (long long)bound->least, name, (long long)bound->most);
	if (bound->step > 1)
		kt_buf_addf(&text, " && (%s - %lld) %% %lld == 0", name, (long long)bound->least, (long long)bound->step);
	read.text = text.failed ? NULL : kt_arena_strdup(r->arena, kt_buf_text(&text));
	kt_buf_free(&text);
	if (read.text == NULL || kt_expr_parse(&read.expr, r->arena, read.text, strlen(read.text), &err) != KT_OK) {
		r->out_of_memory = true;
		return false;
	}
	slot = kt_reader_push_limited(r, &pragma->guards, &pragma->guard_count, sizeof read, KT_CLAUSE_ITEMS, bound->offset,
	                              "guards");
	if (slot != NULL)
		*slot = read;
	return slot != NULL;
}

/* "d in 64..8192 step 8", where `slice` begins after "in". */
static bool read_bound(struct kt_reader *r, struct kt_slice slice, const char *name, size_t at)
{
	struct kt_pragma *pragma = r->pragma;
	struct kt_pragma_bound read = {.name = name, .offset = (unsigned)at}, *slot;
	if (!read_bound_values(&read, r, slice))
		return false;
	for (size_t i = 0; i < pragma->bound_count; i++)
		if (strcmp(pragma->bounds[i].name, name) == 0) {
			kt_report_token(r, at, NULL, "'%s' has bounds twice", name);
			return false;
		}
	slot = kt_reader_push_limited(r, &pragma->bounds, &pragma->bound_count, sizeof read, KT_PROBLEM_VARIABLES, at,
	                              "bounds");
	if (slot != NULL)
		*slot = read;
	return slot != NULL && guard_bound(r, &read);
}

/* Is a group "d in …"? The slice then moves past "in". */
static bool is_bound(const char **name, size_t *at, struct kt_reader *r, struct kt_slice *slice)
{
	struct kt_slice rest = kt_trim(r, *slice);
	const size_t length = kt_name_length(r, rest);
	*at = rest.at;
	rest.at += length;
	kt_skip_blanks(r, &rest);
	if (length == 0 || kt_name_length(r, rest) != 2 || memcmp(r->text + rest.at, "in", 2) != 0)
		return false;
	*name = kt_arena_strndup(r->arena, r->text + *at, length);
	r->out_of_memory = r->out_of_memory || *name == NULL;
	slice->at = rest.at + 2;
	return *name != NULL;
}

/* Each bound is of a variable, and all problems are in it. */
static bool check_bounds(struct kt_reader *r)
{
	const struct kt_pragma *p = r->pragma;
	for (size_t i = 0; i < p->bound_count; i++) {
		const struct kt_variable_bounds bound = {p->bounds[i].least, p->bounds[i].most, p->bounds[i].step};
		size_t v = 0;
		while (v < p->variable_count && strcmp(p->variables[v], p->bounds[i].name) != 0)
			v++;
		if (v == p->variable_count) {
			kt_report_token(r, p->bounds[i].offset, "write problem(d = 64, 4096; d in 64..8192)",
			                "'%s' has bounds and no values", p->bounds[i].name);
			return false;
		}
		for (size_t k = 0; k < p->problem_count; k++) {
			const int64_t value = p->problems[k * p->variable_count + v];
			if (kt_variable_nearest(&bound, value) == value)
				continue;
			kt_report_token(r, p->bounds[i].offset, NULL, "the problem %s = %lld is not in these bounds",
			                p->bounds[i].name, (long long)value);
			return false;
		}
	}
	return true;
}

static bool is_listed(const struct group *group, int64_t value)
{
	size_t row = 0;
	while (row < group->rows && group->values[row] != value)
		row++;
	return row < group->rows;
}

/* "1, 16 : weight 10, 256" */
static bool read_weighted(struct group *group, struct kt_reader *r, struct kt_slice slice, const char *name)
{
	struct kt_slice piece;
	bool more = true;
	while (kt_take(r, &piece, &slice, ",", &more)) {
		int64_t *values = NULL, weight = 1;
		size_t count = 0, weights = group->rows;
		if (!kt_take_weight(&weight, r, &piece) || !kt_read_values(&values, &count, r, piece, name, KT_PROBLEMS))
			return false;
		for (size_t i = 0; i < count; i++) {
			if (is_listed(group, values[i])) {
				kt_report_token(r, piece.at, NULL, "%lld is a value of '%s' twice", (long long)values[i], name);
				return false;
			}
			int64_t *value = kt_reader_push_limited(r, &group->values, &group->rows, sizeof *value, KT_PROBLEMS,
			                                        piece.at, "problems");
			int64_t *own = value != NULL ? kt_reader_push(r, &group->weights, &weights, sizeof *own) : NULL;
			NEED(own, false);
			*value = values[i];
			*own = weight;
		}
	}
	return true;
}

/* "rows = 1, 16, 256" */
static bool read_group(struct group *group, struct kt_reader *r, struct kt_slice slice)
{
	const char *name;
	kt_skip_blanks(r, &slice);
	if (slice.at < slice.end && r->text[slice.at] == '(')
		return read_zip(group, r, slice);
	group->width = 1;
	if (!add_variable(r, &slice, &name))
		return false;
	if (!kt_accept(r, &slice, '=')) {
		kt_report_token(r, slice.at, "write problem(rows = 1, 16; d = 4096)", "expected '=' and the values of '%s'",
		                name);
		return false;
	}
	return kt_has_weight(r, slice) ? read_weighted(group, r, slice, name)
	                               : kt_read_values(&group->values, &group->rows, r, slice, name, KT_PROBLEMS);
}

static void weigh(struct kt_reader *r, const struct group *groups, size_t group_count, size_t at)
{
	struct kt_weights weights[KT_PROBLEM_VARIABLES];
	size_t first = 0;
	for (size_t g = 0; g < group_count; g++) {
		const struct group *from = &groups[g];
		bool weighs = false;
		for (size_t row = 0; from->weights != NULL && row < from->rows; row++)
			weighs = weighs || from->weights[row] != 1;
		weights[g] = (struct kt_weights){first, from->width, from->rows, from->values, weighs ? from->weights : NULL};
		first += from->width;
	}
	kt_weigh_problems(r, weights, group_count, at);
}

static void cross(struct kt_reader *r, const struct group *groups, size_t group_count, size_t problems)
{
	struct kt_pragma *pragma = r->pragma;
	const size_t width = pragma->variable_count;
	int64_t *rows = kt_arena_array(r->arena, problems * width, sizeof *rows);
	if (rows == NULL) {
		r->out_of_memory = true;
		return;
	}
	for (size_t problem = 0; problem < problems; problem++) {
		size_t index = problem, column = width;
		for (size_t g = group_count; g-- > 0;) {
			const struct group *group = &groups[g];
			column -= group->width;
			memcpy(rows + problem * width + column, group->values + index % group->rows * group->width,
			       group->width * sizeof *rows);
			index /= group->rows;
		}
	}
	pragma->problems = rows;
	pragma->problem_count = problems;
}

void kt_clause_problem(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row)
{
	struct group groups[KT_PROBLEM_VARIABLES] = {{0}};
	const struct kt_slice all = content;
	size_t group_count = 0, problems = 1;
	struct kt_slice piece;
	bool more = true, right = true;
	(void)row;
	r->has_problem_clause = true;
	while (kt_take(r, &piece, &content, ";", &more)) {
		struct group read = {0};
		const char *name;
		size_t at;
		if (is_bound(&name, &at, r, &piece)) {
			right = read_bound(r, piece, name, at) && right;
			continue;
		}
		if (!read_group(&read, r, piece)) {
			right = false;
			continue;
		}
		/* add_variable refuses the variable that would make one group too many */
		groups[group_count++] = read;
		problems = problems > KT_PROBLEMS ? problems : problems * read.rows;
	}
	if (right && problems > KT_PROBLEMS) {
		kt_report(r, KT_ERROR, all.at, all.end - all.at, NULL, "more than %d problems in the cross product",
		          KT_PROBLEMS);
		right = false;
	}
	if (right) {
		cross(r, groups, group_count, problems);
		weigh(r, groups, group_count, all.at);
		if (check_bounds(r))
			return;
		r->pragma->problem_count = 0;
	}
	/* Half a problem set would be measured as if it were whole. */
	r->pragma->variable_count = 0;
	r->names_incomplete = true;
}
