/* An accepted text written again: no comments, no linkage, placeholders where names differ between variants. */
#include <string.h>

#include "check.h"

struct writer {
	const struct kt_check *check;
	struct kt_buf *out;
	uint32_t last; /* where the token before ended */
};

static bool is_spelled(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* Blanks and newlines stay what they are; a comment is a blank, or a newline where it held one. */
static void put_gap(struct writer *w, uint32_t end)
{
	const char *text = w->check->text;
	uint32_t line = w->last;
	bool newline = false;

	for (uint32_t i = w->last; i < end; i++)
		if (text[i] == '\n') {
			newline = true;
			line = i + 1;
		}
	if (!newline) {
		if (end > w->last)
			kt_buf_addc(w->out, ' ');
		return;
	}
	kt_buf_addc(w->out, '\n');
	while (line < end && (text[line] == ' ' || text[line] == '\t'))
		kt_buf_addc(w->out, text[line++]);
}

/* name: of the text's names, the one that is meant; SIZE_MAX: none. */
static void put_name(struct writer *w, size_t index, uint32_t kernel_name, size_t name)
{
	const struct kt_check *check = w->check;
	const struct kt_token *token = &check->tokens.tokens[index];
	const char *text = check->text + token->begin;
	const size_t length = token->end - token->begin;

	if (token->begin == kernel_name) {
		kt_buf_adds(w->out, "${ktune:kernel}");
		return;
	}
	for (size_t i = 0; i < check->parameter_count; i++)
		if (is_spelled(check->parameters[i], text, length)) {
			kt_buf_addf(w->out, "${%s}", check->parameters[i]);
			return;
		}
	if (name != SIZE_MAX)
		kt_buf_addf(w->out, "${ktune:callee:%zu}", name);
	else
		kt_buf_add(w->out, text, length);
}

/* #pragma unroll, whose number may be a parameter or a constant of the text. */
static void put_directive(struct writer *w, const struct kt_token *token)
{
	struct kt_check inner = *w->check;
	struct kt_error err;

	if (kt_lex(&inner.tokens, inner.arena, inner.text, token->begin + 1, token->end, false, &err) != KT_OK)
		return;
	struct writer nested = {&inner, w->out, token->begin + 1};
	kt_buf_addc(w->out, '#');
	for (size_t i = 0; i < inner.tokens.count; i++) {
		const struct kt_token *each = &inner.tokens.tokens[i];

		if (i > 0)
			kt_buf_addc(w->out, ' ');
		if (each->kind == KT_TOKEN_NAME)
			put_name(&nested, i, UINT32_MAX, kt_check_spelled(w->check, each, inner.text));
		else
			kt_buf_add(w->out, inner.text + each->begin, each->end - each->begin);
	}
}

/* Tokens of [begin, end); words of linkage are left out up to `linkage`. */
static void put_range(struct writer *w, uint32_t begin, uint32_t end, uint32_t linkage, uint32_t kernel_name)
{
	const struct kt_text *t = &w->check->tokens;

	w->last = begin;
	for (size_t i = kt_token_at(t, begin); i < t->count && t->tokens[i].begin < end; i++) {
		const struct kt_token *token = &t->tokens[i];

		if (token->begin < linkage && (kt_token_is(t, i, "static") || kt_token_is(t, i, "inline"))) {
			/* The blanks in front of it are those of the next one, if there are any. */
			if (token->begin == begin && i + 1 < t->count)
				begin = w->last = t->tokens[i + 1].begin;
			continue;
		}
		if (token->begin > begin)
			put_gap(w, token->begin);
		if (token->kind == KT_TOKEN_NAME)
			put_name(w, i, kernel_name, kt_check_meaning(w->check, i));
		else if (token->kind == KT_TOKEN_DIRECTIVE)
			put_directive(w, token);
		else
			kt_buf_add(w->out, t->data + token->begin, token->end - token->begin);
		w->last = token->end;
	}
}

/* After the "template <…>" headers that begin at `begin`. */
static uint32_t behind_headers(const struct kt_text *t, uint32_t begin)
{
	size_t i = kt_token_at(t, begin);
	uint32_t end = begin;

	while (kt_token_is(t, i, "template") && kt_token_is(t, i + 1, "<")) {
		i = kt_token_match_angle(t, i + 1, &end) + 1;
		if (i >= t->count)
			return begin;
		end = t->tokens[i].begin;
	}
	return end;
}

/* `constexpr int A = 1, B = 2;` is two declarations of one text: where it ends. */
static uint32_t end_of(const struct kt_check *check, size_t index)
{
	uint32_t end = check->items[index].extent.end;

	for (size_t i = index + 1; i < check->item_count && check->items[i].extent.begin < end; i++)
		if (check->items[i].extent.end > end)
			end = check->items[i].extent.end;
	return end;
}

static void put_helper(struct writer *w, size_t index)
{
	const struct kt_check_item *item = &w->check->items[index];
	uint32_t header = behind_headers(&w->check->tokens, item->extent.begin);

	if (!item->is_function) {
		put_range(w, item->extent.begin, end_of(w->check, index), 0, UINT32_MAX);
	} else {
		put_range(w, item->extent.begin, header, 0, UINT32_MAX);
		if (header > item->extent.begin)
			kt_buf_addc(w->out, '\n');
		kt_buf_adds(w->out, "static ");
		put_range(w, header, item->extent.end, item->name_at, UINT32_MAX);
	}
	kt_buf_addc(w->out, '\n');
}

static void add_text(cJSON *object, const char *name, struct kt_buf *text)
{
	cJSON_AddStringToObject(object, name, kt_buf_text(text));
	kt_buf_clear(text);
}

void kt_check_print(cJSON *verdict, struct kt_check *check)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct writer w = {check, &text, 0};
	cJSON *kernels, *names;
	uint32_t covered = 0;

	for (size_t i = 0; i < check->item_count; i++) {
		const struct kt_check_item *item = &check->items[i];

		if (item->kernel == SIZE_MAX && item->extent.begin >= covered)
			put_helper(&w, i);
		if (item->extent.end > covered)
			covered = item->extent.end;
	}
	add_text(verdict, "helpers", &text);
	kernels = cJSON_AddArrayToObject(verdict, "kernels");
	for (size_t i = 0; i < check->item_count; i++) {
		const struct kt_check_item *item = &check->items[i];
		const struct kt_check_kernel *kernel;
		uint32_t header = behind_headers(&check->tokens, item->extent.begin);
		cJSON *object;

		if (item->kernel == SIZE_MAX)
			continue;
		kernel = &check->kernels[item->kernel];
		object = kt_json_append(kernels);
		cJSON_AddStringToObject(object, "name", kernel->name);
		put_range(&w, item->extent.begin, header, 0, UINT32_MAX);
		if (header > item->extent.begin)
			kt_buf_addc(&text, ' ');
		put_range(&w, header, kernel->body.begin, kernel->name_range.begin, kernel->name_range.begin);
		add_text(object, "head", &text);
		put_range(&w, kernel->body.begin, kernel->body.end, 0, UINT32_MAX);
		add_text(object, "body", &text);
	}
	names = cJSON_AddArrayToObject(verdict, "names");
	for (size_t i = 0; i < check->name_count; i++)
		cJSON_AddItemToArray(names, cJSON_CreateString(check->names[i]));
	kt_buf_free(&text);
}
