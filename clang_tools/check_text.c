/* The characters and the tokens of a text: what the preprocessor could be made to do, and words without a place. */
#include <ctype.h>
#include <string.h>

#include "check.h"

struct word {
	const char *spelling, *construct, *message;
};

/* Refused at any place. */
static const struct word words[] = {
	{"_Pragma", "directive", "_Pragma is not allowed; #pragma unroll is"},
	{"__pragma", "directive", "__pragma is not allowed; #pragma unroll is"},
	{"__host__", "host-code", "host code is not allowed: functions are __device__"},
	{"__managed__", "static-data", "managed memory is not allowed"},
	{"__constant__", "static-data", "constant memory is not allowed: use constexpr values"},
	{"thread_local", "static-data", "thread-local data is not allowed"},
	{"__thread", "static-data", "thread-local data is not allowed"},
	{"__attribute__", "attribute", "attributes of the compiler are not allowed"},
	{"__attribute", "attribute", "attributes of the compiler are not allowed"},
	{"__declspec", "attribute", "attributes of the compiler are not allowed"},
	{"__cluster_dims__", "attribute", "clusters are not allowed: the launch has none"},
	{"goto", "goto", "goto is not allowed"},
	{"try", "exception", "exceptions are not allowed in device code"},
	{"catch", "exception", "exceptions are not allowed in device code"},
	{"throw", "exception", "exceptions are not allowed in device code"},
	{"new", "allocation", "allocation is not allowed in device code"},
	{"delete", "allocation", "allocation is not allowed in device code"},
	{"typeid", "construct", "typeid is not allowed in device code"},
	{"dynamic_cast", "construct", "dynamic_cast is not allowed in device code"},
	{"virtual", "construct", "virtual functions are not allowed"},
	{"friend", "construct", "friends are not allowed"},
	{"operator", "construct", "operators cannot be declared or named: use functions"},
	{"co_await", "construct", "coroutines are not allowed"},
	{"co_yield", "construct", "coroutines are not allowed"},
	{"co_return", "construct", "coroutines are not allowed"},
	{"export", "construct", "modules are not allowed"},
	{"import", "construct", "modules are not allowed"},
	{"module", "construct", "modules are not allowed"},
	{"concept", "construct", "concepts are not allowed"},
	{"__extension__", "construct", "extensions of the compiler are not allowed"},
	{"__label__", "goto", "labels are not allowed"},
	{"__FILE__", "environment-macro", "what depends on the place or time of the build is not allowed"},
	{"__BASE_FILE__", "environment-macro", "what depends on the place or time of the build is not allowed"},
	{"__FILE_NAME__", "environment-macro", "what depends on the place or time of the build is not allowed"},
	{"__DATE__", "environment-macro", "what depends on the place or time of the build is not allowed"},
	{"__TIME__", "environment-macro", "what depends on the place or time of the build is not allowed"},
	{"__TIMESTAMP__", "environment-macro", "what depends on the place or time of the build is not allowed"},
	{"__COUNTER__", "environment-macro", "what depends on the place or time of the build is not allowed"},
	{"__INCLUDE_LEVEL__", "environment-macro", "what depends on the place or time of the build is not allowed"},
	{"__has_include", "environment-macro", "what depends on the place or time of the build is not allowed"},
	{"__has_include_next", "environment-macro", "what depends on the place or time of the build is not allowed"},
	{"__has_embed", "environment-macro", "what depends on the place or time of the build is not allowed"},
};

/* Refused unless the original kernel uses them too. */
static const struct word unless_known[] = {
	{"printf", "side-effect", "output is not allowed: the original kernel has none"},
	{"malloc", "allocation", "allocation is not allowed in device code"},
	{"calloc", "allocation", "allocation is not allowed in device code"},
	{"realloc", "allocation", "allocation is not allowed in device code"},
	{"free", "allocation", "allocation is not allowed in device code"},
	{"alloca", "allocation", "allocation is not allowed in device code"},
	{"__trap", "side-effect", "ending the program is not allowed"},
	{"__brkpt", "side-effect", "ending the program is not allowed"},
	{"abort", "side-effect", "ending the program is not allowed"},
	{"exit", "side-effect", "ending the program is not allowed"},
	{"assert", "side-effect", "assertions are not allowed: the original kernel has none"},
	{"__assert_fail", "side-effect", "assertions are not allowed: the original kernel has none"},
	{"__assertfail", "side-effect", "assertions are not allowed: the original kernel has none"},
	{"__prof_trigger", "side-effect", "profiler triggers are not allowed"},
	{"clock", "clock", "a result must not depend on time"},
	{"clock64", "clock", "a result must not depend on time"},
	{"__clock_hi", "clock", "a result must not depend on time"},
	{"__globaltimer", "clock", "a result must not depend on time"},
	{"__nanosleep", "clock", "waiting is not allowed"},
};

static const char *const assembly[] = {"asm", "__asm", "__asm__"};
/* Of the compiler's own functions, those that compute. */
static const char *const builtins[] = {"__builtin_assume", "__builtin_expect", "__builtin_assume_aligned",
                                       "__builtin_inff", "__builtin_inf", "__builtin_nanf", "__builtin_nan",
                                       "__builtin_huge_val", "__builtin_huge_valf"};
static const char *const attributes[] = {"maybe_unused", "nodiscard", "likely", "unlikely", "fallthrough"};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static const struct word *find_word(const struct word *list, size_t count, const char *text, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(list[i].spelling) == length && memcmp(list[i].spelling, text, length) == 0)
			return &list[i];
	return NULL;
}

static bool is_one_of(const char *const *list, size_t count, const char *text, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(list[i]) == length && memcmp(list[i], text, length) == 0)
			return true;
	return false;
}

/* Splices and trigraphs work inside of comments, too: they are looked for in every byte. */
static bool check_bytes(struct kt_check *check)
{
	const char *text = check->text;

	for (size_t i = 0; i < check->size; i++) {
		unsigned char here = (unsigned char)text[i];

		if ((here < ' ' && here != '\n' && here != '\t' && here != '\r') || here == 0x7f)
			return kt_check_refuse(check, "control-character", (uint32_t)i, "a control character (%u)", here);
		/* Alone it ends a line for some, and with it a comment. */
		if (here == '\r' && (i + 1 == check->size || text[i + 1] != '\n'))
			return kt_check_refuse(check, "control-character", (uint32_t)i, "a carriage return inside of a line");
		if (here == '?' && i + 2 < check->size && text[i + 1] == '?' && strchr("=/'()!<>-", text[i + 2]) != NULL)
			return kt_check_refuse(check, "trigraph", (uint32_t)i, "a trigraph");
		if (here == '\\') {
			size_t end = i + 1 + strspn(text + i + 1, " \t\r");

			if (end >= check->size || text[end] == '\n')
				return kt_check_refuse(check, "line-splice", (uint32_t)i, "a backslash at the end of a line");
		}
	}
	return true;
}

static bool check_directive(struct kt_check *check, const struct kt_token *token)
{
	uint32_t rest;
	const char *word = kt_directive_word(check->arena, &check->tokens, token, &rest);
	const char *text = check->text;

	if (word != NULL && strcmp(word, "include") == 0)
		return kt_check_refuse(check, "include", token->begin, "includes are not allowed");
	if (word == NULL || strcmp(word, "pragma") != 0)
		return kt_check_refuse(check, "directive", token->begin,
		                       "preprocessor directives are not allowed but #pragma unroll");
	while (rest < token->end && (text[rest] == ' ' || text[rest] == '\t'))
		rest++;
	if (token->end - rest < 6 || memcmp(text + rest, "unroll", 6) != 0 || isalnum((unsigned char)text[rest + 6]) ||
	    text[rest + 6] == '_')
		return kt_check_refuse(check, "directive", token->begin, "no pragma is allowed but #pragma unroll");
	for (uint32_t i = rest + 6; i < token->end; i++)
		if (!isalnum((unsigned char)text[i]) && strchr(" \t\r_()+-*/%", text[i]) == NULL)
			return kt_check_refuse(check, "directive", i, "a number is expected after #pragma unroll");
	return true;
}

/* A static_assert may have a message. */
static bool in_static_assert(const struct kt_check *check, size_t index)
{
	size_t depth = 0;

	for (size_t i = index; i-- > 0;) {
		if (kt_token_is(&check->tokens, i, ")"))
			depth++;
		else if (kt_token_is(&check->tokens, i, "(") && depth-- == 0)
			return i > 0 && kt_token_is(&check->tokens, i - 1, "static_assert");
		else if (kt_token_is(&check->tokens, i, ";") || kt_token_is(&check->tokens, i, "{"))
			return false;
	}
	return false;
}

static bool check_literal(struct kt_check *check, size_t index)
{
	const struct kt_token *token = &check->tokens.tokens[index];
	const char *begin = check->text + token->begin;
	size_t length = token->end - token->begin;
	const char *quote = memchr(begin, '"', length), *tick = memchr(begin, '\'', length);

	if (begin[length - 1] != '"' && begin[length - 1] != '\'')
		return kt_check_refuse(check, "string-literal", token->begin, "a literal that does not end, or has a suffix");
	if (quote == NULL || (tick != NULL && tick < quote))
		return true;
	if (memchr(begin, 'R', (size_t)(quote - begin)) != NULL)
		return kt_check_refuse(check, "string-literal", token->begin, "raw strings are not allowed");
	if (!in_static_assert(check, index))
		return kt_check_refuse(check, "string-literal", token->begin, "strings are not allowed but in static_assert");
	return true;
}

static bool check_word(struct kt_check *check, size_t index)
{
	const struct kt_token *token = &check->tokens.tokens[index];
	const char *name = check->text + token->begin;
	const size_t length = token->end - token->begin;
	const struct word *found = find_word(words, COUNT(words), name, length);
	const int shown = (int)(length < 60 ? length : 60);

	if (found != NULL)
		return kt_check_refuse(check, found->construct, token->begin, "%s", found->message);
	found = find_word(unless_known, COUNT(unless_known), name, length);
	if (found != NULL && !kt_check_is_known(check, name, length))
		return kt_check_refuse(check, found->construct, token->begin, "%s: %s", found->spelling, found->message);
	if (!check->allow_assembly && is_one_of(assembly, COUNT(assembly), name, length))
		return kt_check_refuse(check, "inline-assembly", token->begin, "inline assembly is not allowed");
	if (length > 2 && strncmp(name, "__builtin_", length < 10 ? length : 10) == 0 &&
	    !is_one_of(builtins, COUNT(builtins), name, length) && !kt_check_is_known(check, name, length))
		return kt_check_refuse(check, "builtin", token->begin, "%.*s: a function of the compiler's own", shown, name);
	if (length >= 7 && strncmp(name, "__nvvm_", 7) == 0)
		return kt_check_refuse(check, "builtin", token->begin, "%.*s: a function of the compiler's own", shown, name);
	if (length >= 5 &&
	    (strncasecmp(name, "ktune", 5) == 0 || strncasecmp(name, "__ktune", length < 7 ? length : 7) == 0))
		return kt_check_refuse(check, "reserved-name", token->begin, "%.*s: names of the runtime are not allowed",
		                       shown, name);
	if (length > 4 && strncmp(name, "cuda", 4) == 0 && isupper((unsigned char)name[4]) &&
	    !kt_check_is_known(check, name, length))
		return kt_check_refuse(check, "host-code", token->begin, "%.*s: calls of the CUDA runtime are not allowed",
		                       shown, name);
	if (memchr(name, '$', length) != NULL)
		return kt_check_refuse(check, "dollar", token->begin, "'$' is not allowed in names");
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)name[i] >= 0x80)
			return kt_check_refuse(check, "non-ascii", token->begin + (uint32_t)i,
			                       "letters outside of ASCII are not allowed");
	if (kt_token_is(&check->tokens, index, "namespace") &&
	    !(index > 0 && kt_token_is(&check->tokens, index - 1, "using")))
		return kt_check_refuse(check, "namespace", token->begin, "namespaces are not allowed");
	if (kt_token_is(&check->tokens, index, "template") && kt_token_is(&check->tokens, index + 1, "<") &&
	    kt_token_is(&check->tokens, index + 2, ">"))
		return kt_check_refuse(check, "specialisation", token->begin,
		                       "specialisations are not allowed: use if constexpr");
	if (kt_token_is(&check->tokens, index, "extern") && !kt_token_is(&check->tokens, index + 1, "__shared__"))
		return kt_check_refuse(check, "linkage", token->begin, "extern is allowed for dynamic shared memory alone");
	return true;
}

static bool touches(const struct kt_check *check, size_t index, const char *next)
{
	return kt_token_is(&check->tokens, index + 1, next) &&
	       check->tokens.tokens[index].end == check->tokens.tokens[index + 1].begin;
}

/* Spellings of brackets and "#" by other characters. */
static bool is_digraph(const struct kt_check *check, size_t index)
{
	const struct kt_text *t = &check->tokens;

	return (kt_token_is(t, index, "<") && (touches(check, index, ":") || touches(check, index, "%"))) ||
	       (kt_token_is(t, index, ":") && touches(check, index, ">")) ||
	       (kt_token_is(t, index, "%") && (touches(check, index, ">") || touches(check, index, ":"))) ||
	       (kt_token_is(t, index, "<") && touches(check, index, "%="));
}

static bool check_mark(struct kt_check *check, size_t index)
{
	const struct kt_text *t = &check->tokens;
	const struct kt_token *token = &t->tokens[index];
	const char here = t->data[token->begin];

	if (here == '#')
		return kt_check_refuse(check, "token-pasting", token->begin, "'#' is not allowed");
	if (here == '\\' || here == '@' || here == '`')
		return kt_check_refuse(check, "control-character", token->begin, "'%c' is not allowed", here);
	if (kt_token_is(t, index, "<<<"))
		return kt_check_refuse(check, "launch", token->begin, "launches are not allowed");
	if (is_digraph(check, index))
		return kt_check_refuse(check, "digraph", token->begin, "digraphs are not allowed");
	if (here == '[' && kt_token_is(t, index + 1, "[")) {
		const struct kt_token *name = index + 2 < t->count ? &t->tokens[index + 2] : token;

		if (!is_one_of(attributes, COUNT(attributes), t->data + name->begin, name->end - name->begin) ||
		    !kt_token_is(t, index + 3, "]") || !kt_token_is(t, index + 4, "]"))
			return kt_check_refuse(check, "attribute", token->begin, "this attribute is not allowed");
	}
	return true;
}

static bool check_brackets(struct kt_check *check)
{
	const struct kt_text *t = &check->tokens;
	char open[KT_CHECK_NESTING];
	size_t depth = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct kt_token *token = &t->tokens[i];
		const char here = t->data[token->begin];

		if (token->kind != KT_TOKEN_MARK || token->end - token->begin != 1 || strchr("()[]{}", here) == NULL)
			continue;
		if (here == '(' || here == '[' || here == '{') {
			if (depth == KT_CHECK_NESTING)
				return kt_check_refuse(check, "nesting", token->begin, "brackets nested deeper than %d",
				                       KT_CHECK_NESTING);
			open[depth++] = here == '(' ? ')' : here == '[' ? ']' : '}';
		} else if (depth == 0 || open[--depth] != here) {
			return kt_check_refuse(check, "unbalanced", token->begin, "'%c' closes nothing", here);
		}
	}
	if (depth > 0)
		return kt_check_refuse(check, "unbalanced", (uint32_t)check->size, "'%c' is missing at the end",
		                       open[depth - 1]);
	return true;
}

bool kt_check_text(struct kt_check *check, struct kt_error *err)
{
	bool fine = true;

	if (check->size > KT_CHECK_TEXT_BYTES)
		return kt_check_refuse(check, "too-long", 0, "%zu bytes of text; at most %zu are allowed", check->size,
		                       KT_CHECK_TEXT_BYTES);
	if (!check_bytes(check))
		return false;
	if (kt_lex(&check->tokens, check->arena, check->text, 0, check->size, true, err) != KT_OK)
		return kt_check_refuse(check, "too-long", 0, "%s", err->message);
	if (check->tokens.count > KT_CHECK_TOKENS)
		return kt_check_refuse(check, "too-long", 0, "%zu tokens; at most %d are allowed", check->tokens.count,
		                       KT_CHECK_TOKENS);
	for (size_t i = 0; fine && i < check->tokens.count; i++) {
		const struct kt_token *token = &check->tokens.tokens[i];

		switch (token->kind) {
		case KT_TOKEN_DIRECTIVE:
			fine = check_directive(check, token);
			break;
		case KT_TOKEN_STRING:
			fine = check_literal(check, i);
			break;
		case KT_TOKEN_NAME:
			fine = check_word(check, i);
			break;
		case KT_TOKEN_MARK:
			fine = check_mark(check, i);
			break;
		case KT_TOKEN_NUMBER:
			break;
		}
	}
	return fine && check_brackets(check);
}
