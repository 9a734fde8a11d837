#include "launch/words.h"

#include <string.h>

#include "launch/options.h"

/* How one of the splitters treats each character. */
struct rules {
	const char *separators;
	const char *quotes;      /* characters that protect up to their next one */
	bool keep_quotes;
	bool backslash;          /* protects the next character and goes */
	bool backslash_quotes;   /* also inside quotes */
	bool quote_must_close;
	bool keep_empty;         /* a quoted empty word counts */
};

static kt_status finish_word(struct kt_words *out, struct kt_arena *arena, struct kt_buf *word, struct kt_error *err)
{
	char **slot = kt_arena_push(arena, &out->items, &out->count, sizeof *out->items);
	char *text = slot == NULL || word->failed ? NULL : kt_arena_strndup(arena, kt_buf_text(word), word->size);

	NEED(text, kt_fail(err, KT_ERR_MEMORY, "out of memory for the words of a command"));
	*slot = text;
	kt_buf_clear(word);
	return KT_OK;
}

static kt_status split(struct kt_words *out, struct kt_arena *arena, const char *text, size_t size,
                       const struct rules *rules, struct kt_error *err)
{
	struct kt_buf word = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_status status = KT_OK;
	char quote = '\0';
	bool started = false;

	*out = (struct kt_words){0, NULL, false};
	for (size_t i = 0; i < size && status == KT_OK; i++) {
		char c = text[i];
		bool escapes = rules->backslash && (quote == '\0' || rules->backslash_quotes);

		if (c == '\0')
			c = ' ';
		if (escapes && c == '\\' && i + 1 < size) {
			kt_buf_addc(&word, text[++i]);
			started = true;
		} else if (quote != '\0' ? c == quote : strchr(rules->quotes, c) != NULL) {
			quote = quote == '\0' ? c : '\0';
			if (rules->keep_quotes)
				kt_buf_addc(&word, c);
			started = started || rules->keep_empty || rules->keep_quotes;
		} else if (quote == '\0' && strchr(rules->separators, c) != NULL) {
			if (started)
				status = finish_word(out, arena, &word, err);
			started = false;
		} else {
			kt_buf_addc(&word, c);
			started = true;
		}
	}
	if (status == KT_OK && started)
		status = finish_word(out, arena, &word, err);
	out->malformed = quote != '\0' && rules->quote_must_close;
	kt_buf_free(&word);
	return status;
}

kt_status kt_words_environment(struct kt_words *out, struct kt_arena *arena, const char *text, struct kt_error *err)
{
	static const struct rules rules = {
	    .separators = " \t", .quotes = "\"", .keep_quotes = true, .quote_must_close = true};

	return split(out, arena, text, strlen(text), &rules, err);
}

/* nvcc unescapes a word of an options file again when it takes the word. */
static void unescape(char *word)
{
	char *to = word;

	for (const char *from = word; *from != '\0'; from++) {
		if (*from == '"')
			continue;
		if (*from == '\\' && from[1] != '\0')
			from++;
		*to++ = *from;
	}
	*to = '\0';
}

kt_status kt_words_options_file(struct kt_words *out, struct kt_arena *arena, const char *text, size_t size,
                                struct kt_error *err)
{
	static const struct rules rules = {
	    .separators = " \t\r\n\v\f", .quotes = "\"", .backslash = true, .backslash_quotes = true};
	TRY(split(out, arena, text, size, &rules, err));
	for (size_t i = 0; i < out->count; i++)
		unescape(out->items[i]);
	return KT_OK;
}

kt_status kt_words_list(struct kt_words *out, struct kt_arena *arena, const char *value, unsigned kind,
                        struct kt_error *err)
{
	static const struct rules list = {.separators = ",",
	                                  .quotes = "\"",
	                                  .keep_quotes = true,
	                                  .backslash = true,
	                                  .backslash_quotes = true,
	                                  .quote_must_close = true};
	static const struct rules paths = {.separators = ",", .quotes = "\"", .quote_must_close = true};

	return split(out, arena, value, strlen(value), kind == KT_VALUE_PATHS ? &paths : &list, err);
}

kt_status kt_words_shell(struct kt_words *out, struct kt_arena *arena, const char *text, struct kt_error *err)
{
	static const struct rules rules = {.separators = " \t\n",
	                                   .quotes = "\"'",
	                                   .backslash = true,
	                                   .backslash_quotes = true,
	                                   .quote_must_close = true,
	                                   .keep_empty = true};

	return split(out, arena, text, strlen(text), &rules, err);
}

void kt_words_add_host_item(struct kt_buf *out, const char *text)
{
	kt_buf_adds(out, ",\"");
	for (; *text != '\0'; text++) {
		/* One backslash for the shell, itself escaped for nvcc; then the character, escaped for nvcc. */
		if (strchr("$`\"\\", *text) != NULL)
			kt_buf_adds(out, "\\\\");
		if (strchr("\"\\", *text) != NULL)
			kt_buf_addc(out, '\\');
		kt_buf_addc(out, *text);
	}
	kt_buf_addc(out, '"');
}
