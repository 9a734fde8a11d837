#include <string.h>
#include <strings.h>

#include "sequence.h"

/* Methods without arguments, or with indices, that change nothing; of containers, tensors and smart pointers. */
static const char *const methods[] = {
	"data",         "data_ptr",   "mutable_data_ptr", "const_data_ptr", "get",   "size",   "sizes",
	"numel",        "dim",        "stride",           "begin",          "front", "x",      "y",
	"element_size", "nbytes",     "is_contiguous",    "value",          "c_str", "device", "storage_offset",
};
static const char *const functions[] = {
	"min",    "max",     "ceil_div", "static_cast", "const_cast", "reinterpret_cast", "raw_pointer_cast",
	"sizeof", "int64_t", "int32_t",  "uint32_t",    "uint64_t",   "size_t",           "int",
	"float",  "double",  "unsigned", "long",        "bool",       "__float2half",     "__float2bfloat16",
	"sqrtf",  "sqrt",    "rsqrtf",   "abs",         "fabs",       "fabsf",            "dim3",
};
static const char *const acts[] = {"new", "delete", "throw", "co_await", "co_yield"};
static const char *const marks[] = {"=",  "+=", "-=", "*=", "/=",  "%=",  "<<=", ">>=", "&=",
                                    "|=", "^=", "++", "--", "{",   "}",   ";",   "#",   "<<<"};
static const char *const types[] = {"const", "void", "char", "short", "int", "long", "unsigned", "signed", "float",
                                    "double", "bool", "half", "__half", "__nv_bfloat16", "*", "std", "::", "size_t",
                                    "int64_t", "uint64_t", "int32_t", "uint32_t"};

#define LENGTH(table) (sizeof(table) / sizeof(table)[0])

static bool is_one_of(const struct kt_text *text, size_t token, const char *const *table, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (kt_token_is(text, token, table[i]))
			return true;
	return false;
}

/* The "(" of a call of the name at the token, template arguments between them; 0: it is not called. */
static size_t call_of(const struct kt_text *text, size_t token)
{
	uint32_t end = 0;
	if (kt_token_is(text, token + 1, "("))
		return token + 1;
	if (!kt_token_is(text, token + 1, "<"))
		return 0;
	size_t close = kt_token_match_angle(text, token + 1, &end);
	return close < text->count && kt_token_is(text, close + 1, "(") ? close + 1 : 0;
}

/* "(f)(x)" calls what it cannot be known; "(int)(x)" casts. */
static bool is_cast(const struct kt_text *text, size_t close)
{
	for (size_t i = close; i-- > 0;) {
		if (kt_token_is(text, i, "("))
			return i + 1 < close;
		if (!is_one_of(text, i, types, LENGTH(types)))
			return false;
	}
	return false;
}

static bool is_harmless(const struct kt_text *text, size_t token)
{
	if (is_one_of(text, token, acts, LENGTH(acts)) || is_one_of(text, token, marks, LENGTH(marks)))
		return false;
	if (kt_token_is(text, token, ")") && kt_token_is(text, token + 1, "("))
		return is_cast(text, token);
	if (text->tokens[token].kind == KT_TOKEN_DIRECTIVE)
		return false;
	if (text->tokens[token].kind != KT_TOKEN_NAME || call_of(text, token) == 0)
		return true;
	const bool member = token > 0 && (kt_token_is(text, token - 1, ".") || kt_token_is(text, token - 1, "->"));
	return member ? is_one_of(text, token, methods, LENGTH(methods))
	              : is_one_of(text, token, functions, LENGTH(functions));
}

bool kt_is_pure(struct kt_scan *scan, const char *text)
{
	struct kt_text tokens;
	struct kt_error err;
	if (kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &err) != KT_OK || tokens.count == 0)
		return false;
	for (size_t i = 0; i < tokens.count; i++)
		if (!is_harmless(&tokens, i))
			return false;
	return true;
}

bool kt_is_pure_stream(struct kt_scan *scan, const char *text)
{
	struct kt_text tokens;
	struct kt_error err;
	if (kt_is_pure(scan, text))
		return true;
	if (kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &err) != KT_OK || tokens.count < 3 ||
	    !kt_token_is(&tokens, tokens.count - 1, ")") || !kt_token_is(&tokens, tokens.count - 2, "("))
		return false;
	const struct kt_token *name = &tokens.tokens[tokens.count - 3];
	const char *spelling = kt_arena_strndup(scan->arena, text + name->begin, name->end - name->begin);
	for (size_t i = 0; i + 2 < tokens.count; i++)
		if (!is_harmless(&tokens, i) && i + 3 != tokens.count)
			return false;
	return spelling != NULL && strcasestr(spelling, "stream") != NULL;
}
