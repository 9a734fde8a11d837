/* Weights of problems where they are listed: "rows = 1 : weight 100, 16", "(16, 4096) : weight 10". */
#include "base/pragma_weight.h"

#include <string.h>

/* Index of a ":" before the word "weight", or slice.end; *after: the end of the word. */
static size_t find_weight(const struct kt_reader *r, struct kt_slice slice, size_t *after)
{
	for (;;) {
		const size_t at = kt_find(r, slice, ":");
		struct kt_slice word = {at + 1, slice.end};
		if (at == slice.end)
			return at;
		kt_skip_blanks(r, &word);
		if (kt_name_length(r, word) == 6 && memcmp(r->text + word.at, "weight", 6) == 0) {
			*after = word.at + 6;
			return at;
		}
		slice.at = at + 1;
	}
}

bool kt_has_weight(const struct kt_reader *r, struct kt_slice slice)
{
	size_t after;
	return find_weight(r, slice, &after) < slice.end;
}

bool kt_take_weight(int64_t *weight, struct kt_reader *r, struct kt_slice *slice)
{
	size_t after = 0;
	const size_t at = find_weight(r, *slice, &after);
	*weight = 1;
	if (at == slice->end)
		return true;
	const struct kt_slice number = kt_trim(r, (struct kt_slice){after, slice->end});
	if (number.at == number.end) {
		kt_report_token(r, at, "write problem(rows = 1 : weight 100, 16)", "expected a number after 'weight'");
		return false;
	}
	if (!kt_read_constant(weight, r, number))
		return false;
	if (*weight < 0) {
		kt_report_token(r, number.at, NULL, "the weight is negative: %lld", (long long)*weight);
		return false;
	}
	*slice = kt_trim(r, (struct kt_slice){slice->at, at});
	return true;
}

static void add_name(struct kt_buf *out, const char *name)
{
	kt_buf_addf(out, kt_expr_is_word(name, strlen(name)) ? "arg(%s)" : "%s", name);
}

/* "(rows == 16 && d == 4096 ? 10 : 1)", a group's rows one after the other. */
static void add_group(struct kt_buf *out, const struct kt_reader *r, const struct kt_weights *w)
{
	kt_buf_addc(out, '(');
	for (size_t row = 0; row < w->rows; row++) {
		if (w->weights[row] == 1)
			continue;
		for (size_t i = 0; i < w->width; i++) {
			kt_buf_adds(out, i > 0 ? " && " : "");
			add_name(out, r->pragma->variables[w->first + i]);
			kt_buf_addf(out, " == %lld", (long long)w->values[row * w->width + i]);
		}
		kt_buf_addf(out, " ? %lld : ", (long long)w->weights[row]);
	}
	kt_buf_adds(out, "1)");
}

void kt_weigh_problems(struct kt_reader *r, const struct kt_weights *groups, size_t count, size_t at)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_clause_expr *weight = &r->problem_weight;
	struct kt_error err;
	for (size_t i = 0; i < count; i++)
		if (groups[i].weights != NULL) {
			kt_buf_adds(&text, text.size > 0 ? " * " : "");
			add_group(&text, r, &groups[i]);
		}
	if (text.size > 0) {
		weight->offset = (unsigned)at;
		weight->text = text.failed ? NULL : kt_arena_strdup(r->arena, kt_buf_text(&text));
		if (weight->text == NULL)
			r->out_of_memory = true;
		else if (kt_expr_parse(&weight->expr, r->arena, weight->text, strlen(weight->text), &err) != KT_OK)
			kt_report_token(r, at, "write weight(…) as an expression", "these weights are too many: %s", err.message);
	}
	kt_buf_free(&text);
}

void kt_settle_weight(struct kt_reader *r)
{
	struct kt_clause_expr *clause = &r->pragma->weight;
	if (r->problem_weight.expr == NULL)
		return;
	if (clause->expr != NULL)
		kt_report_token(r, clause->offset, "write the weights in one of them",
		                "problem has weights, and there is a clause 'weight'");
	*clause = r->problem_weight;
}
