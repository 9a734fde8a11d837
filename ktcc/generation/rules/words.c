/*
 * What the user's file declares and the words that strategies wrote: after the file, at the place of a variant, a macro
 * called `value` or `P` would rewrite them, and a function called `fmax` would be called in place of the toolkit's.
 * A word that the rules made up gets another name; where a macro has a word of the language, or one that the user's
 * own text has beside ours, there is no template.
 *
 * Sound because the user's part of a text keeps its words, macros included: a word is changed only in a text whose user's part
 * does not have it. Names that a strategy asks kt_family_name for are no macro's, nor are they in a macro's body.
 */
#include <ctype.h>
#include <string.h>

#include "generation/rules/family.h"

/* Generated words that no strategy asks a name for; members are in helpers and in the body alike. */
static const struct {
	const char *word;
	bool is_member;
} invented[] = {
	{"P", false},       {"PLACE", false},    {"T", false},       {"V", false},      {"all", false},
	{"at", false},      {"by", false},       {"dividend", false}, {"divisor", false}, {"factor", false},
	{"far", false},     {"from", false},     {"inverse", false}, {"item", true},    {"mask", false},
	{"n", false},       {"other", false},    {"pair", false},    {"parts", false},  {"place", true},
	{"policy", false},  {"product", false},  {"quotient", false}, {"root", false},  {"scale", false},
	{"shift", false},   {"step", false},     {"to", false},      {"value", true},   {"words", false},
	{"x", false},
};

/* After a placeholder, a string or a comment that begins here; else `at`. */
static const char *behind_other(const char *at)
{
	const char *end = at;

	if (at[0] == '$' && at[1] == '{')
		end = strchr(at, '}');
	else if (at[0] == '/' && at[1] == '/')
		end = strchr(at, '\n');
	else if (at[0] == '/' && at[1] == '*')
		end = strstr(at + 2, "*/");
	else if (at[0] == '"' || at[0] == '\'')
		for (end = at + 1; *end != '\0' && *end != at[0]; end++)
			end += *end == '\\' && end[1] != '\0';
	else
		return at;
	return end != NULL && *end != '\0' ? end + 1 : at + strlen(at);
}

/* The next whole word at or after `at`, outside of placeholders, strings and comments. NULL: none. */
static const char *find_word(const char *at, const char *word, bool is_call)
{
	const size_t length = strlen(word);

	while (*at != '\0') {
		const char *behind = behind_other(at);

		if (behind != at) {
			at = behind;
			continue;
		}
		if (!kt_is_name_part(*at)) {
			at++;
			continue;
		}
		for (behind = at; kt_is_name_part(*behind);)
			behind++;
		if ((size_t)(behind - at) == length && memcmp(at, word, length) == 0 &&
		    (!is_call || behind[strspn(behind, " \t\n")] == '('))
			return at;
		at = behind;
	}
	return NULL;
}

struct search {
	struct kt_family *family;
	const char *word;
	unsigned depth;
	bool found;
};

static bool says(struct kt_family *family, const struct kt_kernel *kernel, struct kt_range range, const char *word)
{
	const char *text = kt_arena_strndup(family->kernel->arena, kernel->text + range.begin, range.end - range.begin);

	family->failed = family->failed || text == NULL;
	return text == NULL || find_word(text, word, false) != NULL;
}

/* Functions that the kernel calls, of which copies may be made. */
static bool search_callee(struct kt_tree *node, void *context)
{
	struct search *s = context;

	if (node->kind != KT_TREE_CALL || node->callee == NULL || node->callee->body == NULL || s->depth > 8)
		return true;
	s->found = s->found || says(s->family, node->callee, node->callee->definition, s->word);
	s->depth++;
	(void)kt_tree_walk(node->callee->body, search_callee, s);
	s->depth--;
	return !s->found;
}

static bool in_helpers(struct kt_family *family, const char *word)
{
	struct search s = {.family = family, .word = word};

	(void)kt_tree_walk(family->kernel->body, search_callee, &s);
	return s.found;
}

static bool in_body(struct kt_family *family, const char *word)
{
	const struct kt_region *r = family->kernel->region;

	for (size_t i = 0; i < r->argument_count; i++)
		if (strcmp(r->arguments[i].name, word) == 0)
			return true;
	return says(family, family->kernel, family->kernel->body->range, word) ||
	       find_word(family->kernel->prologue, word, false) != NULL;
}

static const char *renamed(struct kt_family *family, const char *text, const char *word, const char *name)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *copy;

	for (const char *at; (at = find_word(text, word, false)) != NULL; text = at + strlen(word)) {
		kt_buf_add(&out, text, (size_t)(at - text));
		kt_buf_adds(&out, name);
	}
	kt_buf_adds(&out, text);
	family->failed = family->failed || out.failed;
	copy = kt_family_text(family, "%s", kt_buf_text(&out));
	kt_buf_free(&out);
	return copy;
}

static bool is_macro(const struct kt_family *family, const char *name)
{
	return KT_FIND(family->kernel->macros, family->kernel->macro_count, name, name) != NULL;
}

/* False: the macro's name cannot be given up. */
static bool settle(struct kt_family *family, const struct kt_tree_macro *macro, const char **helpers,
                   const char *const *head, const char **body)
{
	const bool helped =
	    find_word(*helpers, macro->name, macro->is_function) != NULL && !in_helpers(family, macro->name);
	const bool stands = (find_word(*head, macro->name, macro->is_function) != NULL ||
	                     find_word(*body, macro->name, macro->is_function) != NULL);
	const bool users = stands && in_body(family, macro->name);
	const char *name = macro->name;
	size_t i = 0;

	if (!helped && (!stands || users))
		return true;
	while (i < sizeof invented / sizeof invented[0] && strcmp(invented[i].word, macro->name) != 0)
		i++;
	if (i == sizeof invented / sizeof invented[0] || (invented[i].is_member && users) ||
	    find_word(*head, name, false) != NULL)
		return false;
	for (unsigned n = 2; n < 1000 && (is_macro(family, name) || find_word(*helpers, name, false) != NULL ||
	                                  find_word(*body, name, false) != NULL);
	     n++)
		name = kt_family_text(family, "%s%u", macro->name, n);
	*helpers = helped || invented[i].is_member ? renamed(family, *helpers, macro->name, name) : *helpers;
	*body = users ? *body : renamed(family, *body, macro->name, name);
	return true;
}

/* Words of the toolkit that strategies write into the body of a kernel. */
static const char *const in_bodies[] = {
    "__cluster_barrier_arrive", "__cluster_barrier_wait", "__clz",    "__exp10f", "__expf",    "__fdividef",
    "__log10f",                 "__log2f",                "__logf",   "__stwb",   "__syncthreads", "__syncthreads_and",
    "__syncwarp",               "__umulhi",               "atomicAdd", "blockDim", "blockIdx",  "gridDim",
    "threadIdx",                "uint2",                  "uint4",    "__shfl_xor_sync",
};

static bool is_invented(const char *word)
{
	return KT_FIND(invented, sizeof invented / sizeof invented[0], word, word) != NULL;
}

/* Does a text of ours have the word in the toolkit's meaning, or may it? */
static bool is_meant(struct kt_family *family, const char *word, const char *helpers, const char *body)
{
	if (find_word(helpers, word, false) != NULL && !is_invented(word) && !in_helpers(family, word))
		return true;
	for (size_t i = 0; i < sizeof in_bodies / sizeof in_bodies[0]; i++)
		if (strcmp(in_bodies[i], word) == 0 &&
		    (find_word(helpers, word, false) != NULL || find_word(body, word, false) != NULL))
			return true;
	return false;
}

static bool refuse_declared(struct kt_family *family, const char *word, const char *helpers, const char *body)
{
	return !is_meant(family, word, helpers, body) ||
	       kt_rule_decline(
		   family, KT_DECLINE_HIDDEN_NAME, family->kernel->body,
		   kt_family_text(family, "'%s' is declared in this file, and the rules need the toolkit's", word));
}

bool kt_rule_words(struct kt_family *family, const char **helpers, const char *const *head, const char **body)
{
	for (size_t i = 0; i < family->kernel->macro_count; i++)
		if (!settle(family, &family->kernel->macros[i], helpers, head, body))
			return kt_rule_decline(family, KT_DECLINE_IN_MACRO, family->kernel->body,
			                       kt_family_text(family, "a macro is called '%s', a word that the rules need",
			                                      family->kernel->macros[i].name));
	for (size_t i = 0; i < family->kernel->declared_count; i++)
		if (!refuse_declared(family, family->kernel->declared[i], *helpers, *body))
			return false;
	for (size_t i = 0; i < family->kernel->variable_count; i++)
		if (family->kernel->variables[i]->is_own &&
		    !refuse_declared(family, family->kernel->variables[i]->name, "", *body))
			return false;
	return !family->failed;
}
