#include "deduce.h"

#include <string.h>

#include "base/lex.h"

/* Tokens that carry no information about a type. */
static bool is_noise(const struct kt_text *text, size_t i)
{
	return kt_token_is(text, i, "__restrict__") || kt_token_is(text, i, "__restrict") ||
	       kt_token_is(text, i, "restrict");
}

static bool same_token(const struct kt_text *a, size_t i, const struct kt_text *b, size_t j)
{
	const size_t length = a->tokens[i].end - a->tokens[i].begin;

	return length == b->tokens[j].end - b->tokens[j].begin &&
	       memcmp(a->data + a->tokens[i].begin, b->data + b->tokens[j].begin, length) == 0;
}

static bool is_type_word(const struct kt_text *text, size_t i)
{
	static const char *const words[] = {"int",    "long",     "short",  "char", "float",
	                                    "double", "unsigned", "signed", "bool", "const"};

	for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
		if (kt_token_is(text, i, words[w]))
			return true;
	return false;
}

static size_t name_at(const struct kt_text *text, size_t i, const char *const *names, size_t count)
{
	size_t n = 0;

	while (n < count && !kt_token_is(text, i, names[n]))
		n++;
	return n;
}

static size_t skip(const struct kt_text *text, size_t i)
{
	while (i < text->count && is_noise(text, i))
		i++;
	return i;
}

/* Where the type ends that stands for the whole rest of the pattern: in front of the parameter's own name. */
static size_t end_of_type(const struct kt_text *text, size_t from)
{
	size_t end = text->count;

	if (end > from + 1 && text->tokens[end - 1].kind == KT_TOKEN_NAME && !is_type_word(text, end - 1) &&
	    !kt_token_is(text, end - 2, "::"))
		end--;
	return end;
}

bool kt_deduce(struct kt_scan *scan, const char *pattern, const char *concrete, const char *const *names,
               const char **values, size_t count)
{
	struct kt_text p, c;
	struct kt_error err;
	size_t j = 0;

	if (pattern == NULL || concrete == NULL ||
	    kt_lex(&p, scan->arena, pattern, 0, strlen(pattern), false, &err) != KT_OK ||
	    kt_lex(&c, scan->arena, concrete, 0, strlen(concrete), false, &err) != KT_OK)
		return false;
	for (size_t i = skip(&p, 0); i < p.count; i = skip(&p, i + 1)) {
		const size_t n = name_at(&p, i, names, count), stop = skip(&p, i + 1);
		size_t end;
		const char *value;

		j = skip(&c, j);
		if (n == count) {
			if (j >= c.count || !same_token(&p, i, &c, j))
				return false;
			j++;
			continue;
		}
		if (stop >= p.count) {
			end = end_of_type(&c, j);
		} else {
			end = j;
			while (end < c.count && !same_token(&p, stop, &c, end))
				end++;
		}
		if (end <= j || (stop < p.count && end == c.count))
			return false;
		value = kt_scan_squeeze(scan, &c, c.tokens[j].begin, c.tokens[end - 1].end);
		if (value == NULL || (values[n] != NULL && strcmp(values[n], value) != 0))
			return false;
		values[n] = value;
		j = end;
	}
	return true;
}
