/*
 * Which name of the text each of its tokens means. A name that the text declares in its scope is written differently in
 * each variant; a token of that spelling may also be a local variable, a member, or a function of the user's that is
 * found by its argument. The tree decides what a token means. A token with two meanings, or a use of the text's
 * names in other text, is refused: there the renamed text would be another one.
 */
#include <string.h>

#include "check.h"

enum { UNKNOWN = 0, OTHER = 1, OURS = 2 }; /* meanings; OURS + index of the name */

bool kt_check_declare(struct kt_check *check, const char *name, uint32_t at)
{
	size_t index = 0;

	while (index < check->name_count && strcmp(check->names[index], name) != 0)
		index++;
	if (index == check->name_count) {
		if (!kt_arena_push_text(check->arena, &check->names, &check->name_count, name))
			return kt_check_refuse(check, "too-long", at, "out of memory");
	}
	struct kt_check_declared *declared =
	    kt_arena_push(check->arena, &check->declared, &check->declared_count, sizeof *declared);
	NEED(declared, kt_check_refuse(check, "too-long", at, "out of memory"));
	*declared = (struct kt_check_declared){at, at, index};
	/* Of some declarations the tree has the beginning: "using Name = …" in a template. */
	for (size_t i = kt_token_at(&check->tokens, at); i < check->tokens.count; i++)
		if (kt_token_is(&check->tokens, i, name)) {
			declared->name_at = check->tokens.tokens[i].begin;
			break;
		}
	return true;
}

static size_t spelled(const struct kt_check *check, const struct kt_token *token)
{
	const size_t length = token->end - token->begin;

	if (token->kind == KT_TOKEN_NAME)
		for (size_t i = 0; i < check->name_count; i++)
			if (strlen(check->names[i]) == length &&
			    memcmp(check->names[i], check->text + token->begin, length) == 0)
				return i;
	return SIZE_MAX;
}

/* The declaration of the text's scope that this is; NULL: none. */
static const struct kt_check_declared *declared_as(const struct kt_check *check, CXCursor target)
{
	uint32_t at;

	if (kt_check_place(&at, check, kt_clang.getCursorLocation(target)))
		for (size_t i = 0; i < check->declared_count; i++)
			if (check->declared[i].at == at || check->declared[i].name_at == at)
				return &check->declared[i];
	return NULL;
}

bool kt_check_mean(struct kt_check *check, CXSourceLocation location, CXCursor target, bool instantiated)
{
	const struct kt_check_declared *declared = declared_as(check, target);
	const size_t ours = declared != NULL ? declared->name : SIZE_MAX;
	const uint32_t meaning = declared != NULL ? OURS + (uint32_t)ours : OTHER;
	uint32_t at = 0;
	size_t index, name;
	const bool here = kt_check_place(&at, check, location);

	if (here) {
		if (declared != NULL && at == declared->at)
			at = declared->name_at;
		index = kt_token_at(&check->tokens, at);
		name = index < check->tokens.count && check->tokens.tokens[index].begin == at
		           ? spelled(check, &check->tokens.tokens[index])
		           : SIZE_MAX;
		if (index < check->tokens.count && check->tokens.tokens[index].begin == at)
			check->seen[index] = true;
		if (name != SIZE_MAX && (ours == SIZE_MAX || name == ours)) {
			if (check->meanings[index] != UNKNOWN && check->meanings[index] != meaning)
				return kt_check_refuse(check, "name-clash", at, "%.60s means two things here: rename the helper",
				                       check->names[name]);
			check->meanings[index] = meaning;
			return true;
		}
	}
	if (ours != SIZE_MAX && !(here && instantiated))
		return kt_check_refuse(check, "name-clash", at, "%.60s is used by text that is not of this answer: rename it",
		                       check->names[ours]);
	return true;
}

/* Is anything else of the text called so: a local variable, a parameter, a field? */
static bool is_taken(const struct kt_check *check, size_t name)
{
	for (size_t i = 0; i < check->tokens.count; i++)
		if (check->meanings[i] == OTHER && spelled(check, &check->tokens.tokens[i]) == name)
			return true;
	return false;
}

/*
 * Tokens that the tree does not show: in an attribute, in what depends on a template's parameter. Unqualified look-up
 * finds the text's own declaration first, unless a scope inside of it has one of this name.
 */
static bool settle(struct kt_check *check, size_t index)
{
	const struct kt_text *t = &check->tokens;
	const size_t name = spelled(check, &t->tokens[index]);

	if (name == SIZE_MAX || check->meanings[index] != UNKNOWN)
		return true;
	if (index > 0 && (kt_token_is(t, index - 1, ".") || kt_token_is(t, index - 1, "->") ||
	                  kt_token_is(t, index - 1, "::") ||
	                  (kt_token_is(t, index - 1, "template") && !kt_token_is(t, index + 1, "<"))))
		check->meanings[index] = OTHER;
	else if (is_taken(check, name))
		return kt_check_refuse(check, "name-clash", t->tokens[index].begin,
		                       "%.60s has two meanings in this text: rename one", check->names[name]);
	else
		check->meanings[index] = OURS + (uint32_t)name;
	return true;
}

/* Words in front of brackets that call nothing. */
static const char *const words[] = {
	"alignas", "alignof", "bool", "char", "const_cast", "constexpr", "decltype", "double", "float", "for", "if", "int", "long",
	"reinterpret_cast", "return", "short", "signed", "sizeof", "static_assert", "static_cast", "switch", "unsigned",
	"void", "while", "auto", "wchar_t", "char16_t", "char32_t", "const", "volatile", "__restrict__", "__restrict",
	"__launch_bounds__", "__maxnreg__", "__align__", "mutable", "case", "else", "do", "explicit", "asm", "__asm", "__asm__",
};

/* A call that is not in the tree, as in an exception specification: what it calls was not checked. */
static bool check_seen(struct kt_check *check, size_t index)
{
	const struct kt_text *t = &check->tokens;
	const struct kt_token *token = &t->tokens[index];
	const size_t length = token->end - token->begin;

	if (token->kind != KT_TOKEN_NAME || check->seen[index] || !kt_token_is(t, index + 1, "(") ||
	    (index > 0 && (kt_token_is(t, index - 1, ".") || kt_token_is(t, index - 1, "->"))))
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == length && memcmp(words[i], check->text + token->begin, length) == 0)
			return true;
	return kt_check_refuse(check, "construct", token->begin, "%.*s: this call cannot be analysed here",
	                       (int)(length < 60 ? length : 60), check->text + token->begin);
}

bool kt_check_settle(struct kt_check *check)
{
	for (size_t i = 0; i < check->tokens.count; i++)
		if (!settle(check, i) || !check_seen(check, i))
			return false;
	return true;
}

size_t kt_check_meaning(const struct kt_check *check, size_t index)
{
	return check->meanings[index] >= OURS ? check->meanings[index] - OURS : SIZE_MAX;
}

size_t kt_check_spelled(const struct kt_check *check, const struct kt_token *token, const char *text)
{
	const size_t length = token->end - token->begin;

	for (size_t i = 0; i < check->name_count; i++)
		if (token->kind == KT_TOKEN_NAME && strlen(check->names[i]) == length &&
		    memcmp(check->names[i], text + token->begin, length) == 0)
			return is_taken(check, i) ? SIZE_MAX : i;
	return SIZE_MAX;
}
