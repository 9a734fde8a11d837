#include "base/template_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"

#define EXPRESSIONS_BYTES ((size_t)16 << 20) /* the trees of one text's expressions */

void kt_template_value(struct kt_buf *out, int64_t value)
{
	if (value == INT64_MIN)
		kt_buf_adds(out, "(-9223372036854775807LL - 1)");
	else if (value < 0)
		kt_buf_addf(out, "(%" PRId64 "%s)", value, value < INT_MIN + 1 ? "LL" : "");
	else
		kt_buf_addf(out, "%" PRId64 "%s", value, value > INT_MAX ? "LL" : "");
}

void kt_template_arch(struct kt_buf *out, int64_t arch)
{
	if (arch == 0)
		kt_buf_addc(out, '1');
	else
		kt_buf_addf(out, "!defined(__CUDA_ARCH__) || __CUDA_ARCH__ == %" PRId64, arch * 10);
}

/* The text between "${" and "}". */
struct placeholder {
	const char *text;
	size_t length;
	unsigned offset; /* of "${" */
};

enum directive { DIRECTIVE_NONE, DIRECTIVE_IF, DIRECTIVE_ELSE, DIRECTIVE_END };

/* One walk over a text; out and render NULL: its form alone. */
struct walk {
	struct kt_buf *out;
	const struct kt_render *render;
	const struct kt_template *template_;
	const char *text;
	size_t size;
	struct kt_arena *arena; /* NULL until there is an expression */
	size_t depth;
	struct section {
		bool outer, holds, turned; /* turned: after its else */
		unsigned offset;
	} sections[KT_TEMPLATE_DEPTH];
	bool kept; /* the text at this place */
};

static bool equals(const struct placeholder *placeholder, const char *word)
{
	return strlen(word) == placeholder->length && memcmp(placeholder->text, word, placeholder->length) == 0;
}

static bool starts(const struct placeholder *placeholder, const char *word)
{
	return strlen(word) <= placeholder->length && memcmp(placeholder->text, word, strlen(word)) == 0;
}

static kt_status fail(const struct placeholder *placeholder, const char *what, struct kt_error *err)
{
	return kt_fail_at(err, KT_ERR_INVALID, placeholder->offset, "%s ${%.*s}", what,
	                  (int)(placeholder->length < 80 ? placeholder->length : 80), placeholder->text);
}

static size_t parameter_of(const struct kt_template *template_, const char *name, size_t length)
{
	for (size_t i = 0; i < template_->parameter_count; i++)
		if (strlen(template_->parameters[i].name) == length &&
		    memcmp(template_->parameters[i].name, name, length) == 0)
			return i;
	return SIZE_MAX;
}

static bool is_parameter(const char *name, unsigned offset, bool pointer, void *context)
{
	const struct walk *w = context;

	(void)offset;
	return !pointer && parameter_of(w->template_, name, strlen(name)) != SIZE_MAX;
}

static bool lookup(int64_t *value, const char *name, void *context)
{
	const struct walk *w = context;
	const size_t parameter = parameter_of(w->template_, name, strlen(name));

	if (parameter != SIZE_MAX)
		*value = w->render->configuration[parameter];
	return parameter != SIZE_MAX;
}

/* The value of an expression that starts `skip` bytes into the placeholder; 1 where nothing is rendered here. */
static kt_status evaluate(int64_t *out, struct walk *w, const struct placeholder *placeholder, size_t skip,
			  struct kt_error *err)
{
	struct kt_expr *expr;

	*out = 1;
	if (w->render != NULL && w->render->configuration == NULL)
		return fail(placeholder, "text without a configuration has no", err);
	if (w->arena == NULL && (w->arena = kt_arena_new(EXPRESSIONS_BYTES)) == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for an expression");
	if (kt_expr_parse(&expr, w->arena, placeholder->text + skip, placeholder->length - skip, err) != KT_OK)
		goto failed;
	if (!kt_expr_names(expr, is_parameter, w))
		return fail(placeholder, "a name that is no parameter in", err);
	if (w->render == NULL || !w->kept || kt_expr_eval(out, expr, lookup, w, err) == KT_OK)
		return KT_OK;
failed:
	err->offset = placeholder->offset;
	return kt_fail_prefix(err, "${%.*s}", (int)(placeholder->length < 80 ? placeholder->length : 80),
			      placeholder->text);
}

static kt_status fill_callee(struct walk *w, const struct placeholder *placeholder, size_t skip, struct kt_error *err)
{
	const size_t digits = placeholder->length - skip;

	if (digits == 0 || digits > 6 || strspn(placeholder->text + skip, "0123456789") < digits)
		return fail(placeholder, "unknown placeholder", err);
	if (w->out != NULL && w->kept)
		kt_buf_addf(w->out, "%s_f%.*s", w->render->name, (int)digits, placeholder->text + skip);
	return KT_OK;
}

/* "LINE:FROM": the file and the line of an assertion, FROM: in a unit with a slice. */
static kt_status fill_place(struct walk *w, const struct placeholder *placeholder, size_t skip, struct kt_error *err)
{
	const struct kt_render *r = w->render;
	char *end = NULL;
	const long long line = strtoll(placeholder->text + skip, &end, 10);
	const char *colon = end;
	const long long from = *colon == ':' ? strtoll(colon + 1, &end, 10) : 0;

	if (line <= 0 || line > INT_MAX || from <= 0 || from > line || end != placeholder->text + placeholder->length)
		return fail(placeholder, "unknown placeholder", err);
	if (w->out == NULL || !w->kept)
		return KT_OK;
	if (r->of_slice || r->line_file == NULL) {
		kt_buf_addf(w->out, "\"" KT_SLICE_FILE "\", %lld", from);
		return KT_OK;
	}
	kt_source_string(w->out, r->line_file);
	kt_buf_addf(w->out, ", %lld", line + (long long)r->line_shift);
	return KT_OK;
}

static kt_status fill(struct walk *w, const struct placeholder *placeholder, struct kt_error *err)
{
	static const char callee[] = "ktune:callee:", place[] = "ktune:place:";
	const size_t parameter = parameter_of(w->template_, placeholder->text, placeholder->length);
	const bool writes = w->out != NULL && w->kept;
	int64_t value;

	if (starts(placeholder, "=")) {
		TRY(evaluate(&value, w, placeholder, 1, err));
		if (writes)
			kt_template_value(w->out, value);
	} else if (parameter != SIZE_MAX) {
		if (writes && w->render->configuration != NULL)
			kt_template_value(w->out, w->render->configuration[parameter]);
		else if (writes)
			kt_buf_adds(w->out, w->template_->parameters[parameter].name);
	} else if (equals(placeholder, "ktune:kernel")) {
		if (writes)
			kt_template_kernel_name(w->out, w->render->name, w->render->kernel);
	} else if (equals(placeholder, "ktune:arch")) {
		if (writes)
			kt_template_arch(w->out, w->render->arch);
	} else if (starts(placeholder, callee)) {
		return fill_callee(w, placeholder, sizeof callee - 1, err);
	} else if (starts(placeholder, place)) {
		return fill_place(w, placeholder, sizeof place - 1, err);
	} else {
		return fail(placeholder, "unknown placeholder", err);
	}
	return KT_OK;
}

static enum directive directive_of(const struct walk *w, const struct placeholder *placeholder)
{
	if (parameter_of(w->template_, placeholder->text, placeholder->length) != SIZE_MAX)
		return DIRECTIVE_NONE;
	return starts(placeholder, "if ")     ? DIRECTIVE_IF
	       : equals(placeholder, "else") ? DIRECTIVE_ELSE
	       : equals(placeholder, "end")  ? DIRECTIVE_END
	                              : DIRECTIVE_NONE;
}

static kt_status open_section(struct walk *w, const struct placeholder *placeholder, struct kt_error *err)
{
	int64_t value;

	if (w->depth == KT_TEMPLATE_DEPTH)
		return kt_fail_at(err, KT_ERR_LIMIT, placeholder->offset, "more than %d sections inside one another",
		                  KT_TEMPLATE_DEPTH);
	TRY(evaluate(&value, w, placeholder, strlen("if "), err));
	w->sections[w->depth++] = (struct section){w->kept, value != 0, false, placeholder->offset};
	w->kept = w->kept && value != 0;
	return KT_OK;
}

static kt_status direct(struct walk *w, enum directive directive, const struct placeholder *placeholder,
			struct kt_error *err)
{
	struct section *section = w->depth > 0 ? &w->sections[w->depth - 1] : NULL;

	if (directive == DIRECTIVE_IF)
		return open_section(w, placeholder, err);
	if (section == NULL || (directive == DIRECTIVE_ELSE && section->turned))
		return fail(placeholder, "no section is open for", err);
	if (directive == DIRECTIVE_END) {
		w->kept = section->outer;
		w->depth--;
		return KT_OK;
	}
	section->turned = true;
	w->kept = section->outer && !section->holds;
	return KT_OK;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The line from *begin to *end where nothing else is on it; false: something is. */
static bool whole_line(size_t *begin, size_t *end, const struct walk *w)
{
	size_t from = *begin, to = *end;

	while (from > 0 && blank(w->text[from - 1]))
		from--;
	while (to < w->size && blank(w->text[to]))
		to++;
	if ((from > 0 && w->text[from - 1] != '\n') || (to < w->size && w->text[to] != '\n'))
		return false;
	*begin = from;
	*end = to + (to < w->size);
	return true;
}

/* Where the next placeholder or "$$" starts, else the text's end; a lone '$' is text. */
static size_t next_mark(const struct walk *w, size_t at)
{
	while (at < w->size) {
		const char *dollar = memchr(w->text + at, '$', w->size - at);

		if (dollar == NULL)
			return w->size;
		at = (size_t)(dollar - w->text);
		if (at + 1 < w->size && (w->text[at + 1] == '{' || w->text[at + 1] == '$'))
			return at;
		at++;
	}
	return w->size;
}

static void copy(struct walk *w, size_t from, size_t to)
{
	if (w->out != NULL && w->kept && to > from)
		kt_buf_add(w->out, w->text + from, to - from);
}

/* One placeholder whose "${" is at `mark`; the text from `done` on is not copied yet. *next: the offset after it. */
static kt_status take_placeholder(struct walk *w, size_t done, size_t mark, size_t *next, struct kt_error *err)
{
	const char *close = memchr(w->text + mark, '}', w->size - mark);
	size_t begin = mark, end;
	struct placeholder placeholder;
	enum directive directive;

	if (close == NULL)
		return kt_fail_at(err, KT_ERR_SYNTAX, (unsigned)mark, "placeholder without a closing brace");
	end = (size_t)(close - w->text) + 1;
	placeholder = (struct placeholder){w->text + mark + 2, end - mark - 3, (unsigned)mark};
	directive = directive_of(w, &placeholder);
	if (directive != DIRECTIVE_NONE)
		(void)whole_line(&begin, &end, w);
	/* The end of a line that is left out may be where the last one began. */
	copy(w, done, begin > done ? begin : done);
	*next = end;
	return directive != DIRECTIVE_NONE ? direct(w, directive, &placeholder, err) : fill(w, &placeholder, err);
}

static kt_status walk(struct walk *w, struct kt_error *err)
{
	size_t done = 0;
	kt_status status = KT_OK;

	w->kept = true;
	while (status == KT_OK && done < w->size) {
		const size_t mark = next_mark(w, done);

		if (mark == w->size) {
			copy(w, done, mark);
			break;
		}
		if (w->text[mark + 1] == '$') {
			copy(w, done, mark + 1);
			done = mark + 2;
			continue;
		}
		status = take_placeholder(w, done, mark, &done, err);
	}
	if (status == KT_OK && w->depth > 0)
		status = kt_fail_at(err, KT_ERR_INVALID, w->sections[w->depth - 1].offset, "a section without its ${end}");
	kt_arena_free(w->arena);
	return status;
}

kt_status kt_template_expand(struct kt_buf *out, const struct kt_render *render, const char *text, size_t size,
                             struct kt_error *err)
{
	struct walk w = {.out = out, .render = render, .template_ = render->template_, .text = text, .size = size};

	return walk(&w, err);
}

kt_status kt_template_check_text(const struct kt_template *template_, const char *text, struct kt_error *err)
{
	struct walk w = {.template_ = template_, .text = text, .size = strlen(text)};

	return walk(&w, err);
}
