#include "generation/rules/family.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *format_text(struct kt_family *family, const char *format, va_list list)
{
	va_list again;
	char *text;
	int size;

	va_copy(again, list);
	size = vsnprintf(NULL, 0, format, again);
	va_end(again);
	text = size >= 0 ? kt_arena_alloc(family->kernel->arena, (size_t)size + 1) : NULL;
	if (text == NULL) {
		family->failed = true;
		return "";
	}
	vsnprintf(text, (size_t)size + 1, format, list);
	return text;
}

const char *kt_family_text(struct kt_family *family, const char *format, ...)
{
	va_list list;
	const char *text;

	va_start(list, format);
	text = format_text(family, format, list);
	va_end(list);
	return text;
}

bool kt_family_allows(const struct kt_family *family, const char *strategy)
{
	if (family->allowed == NULL)
		return true;
	return kt_has_text(family->allowed, family->allowed_count, strategy);
}

bool kt_family_has(const struct kt_family *family, const char *parameter)
{
	return KT_FIND(family->parameters, family->parameter_count, name, parameter) != NULL;
}

bool kt_family_has_loop(const struct kt_family *family, const struct kt_tree *node)
{
	for (size_t i = 0; i < family->loops.count; i++)
		if (family->loops.loops[i]->node == node)
			return true;
	return false;
}

bool kt_rule_is_vector(unsigned bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

struct kt_rule_parameter *kt_family_parameter(struct kt_family *family, const char *name, const char *meaning,
                                              const int64_t *values, size_t count)
{
	struct kt_rule_parameter *p;

	for (size_t i = 0; i < family->parameter_count; i++)
		if (strcmp(family->parameters[i].name, name) == 0)
			return &family->parameters[i];
	if (family->parameter_count == KT_RULE_PARAMETERS || count > KT_RULE_VALUES) {
		family->failed = true;
		return &family->parameters[0];
	}
	p = &family->parameters[family->parameter_count++];
	*p = (struct kt_rule_parameter){.name = name, .meaning = meaning, .count = count};
	memcpy(p->values, values, count * sizeof *values);
	return p;
}

static void add_clause(struct kt_family *family, struct kt_rule_clause *clauses, size_t *count, const char *text,
                       const char *reason)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp(clauses[i].text, text) == 0)
			return;
	if (*count == KT_RULE_CLAUSES)
		family->failed = true;
	else
		clauses[(*count)++] = (struct kt_rule_clause){text, reason};
}

void kt_family_restrict(struct kt_family *family, const char *text, const char *reason)
{
	add_clause(family, family->restrictions, &family->restriction_count, text, reason);
}

void kt_family_guard(struct kt_family *family, const char *text, const char *reason)
{
	add_clause(family, family->guards, &family->guard_count, text, reason);
}

void kt_family_applied(struct kt_family *family, const char *strategy, const char *reason)
{
	add_clause(family, family->strategies, &family->strategy_count, strategy, reason);
}

void kt_family_note(struct kt_family *family, const struct kt_tree *where, const char *format, ...)
{
	va_list list;
	const char *text;

	if (family->note_count == KT_RULE_NOTES)
		return;
	va_start(list, format);
	text = format_text(family, kt_rule_opencl_message(family, format, true), list);
	va_end(list);
	text = kt_rule_opencl_message(family, text, false);
	family->notes[family->note_count++] =
	    (struct kt_rule_note){where != NULL ? kt_tree_line(family->kernel, where) : 0, text};
}

/* Placeholders and directives are passed over. */
static const char *after_placeholder(const char *at)
{
	while (at[0] == '$' && at[1] == '{' && strchr(at, '}') != NULL)
		at = strchr(at, '}') + 1;
	return at;
}

const char *kt_family_factor(struct kt_family *family, const char *text)
{
	int round = 0;

	for (const char *c = text; *c != '\0'; c++) {
		c = after_placeholder(c);
		round += *c == '(' ? 1 : *c == ')' ? -1 : 0;
		if (*c == '\0')
			break;
		if (round == 0 && *c != ')' && !isalnum((unsigned char)*c) && *c != '_' && *c != '.')
			return kt_family_text(family, "(%s)", text);
	}
	return text;
}

/* Letters that a reader of the rendered text sees, about. */
static size_t seen(const char *text)
{
	size_t count = 0;

	for (const char *c = after_placeholder(text); *c != '\0'; c = after_placeholder(c + 1))
		count++;
	return count;
}

void kt_family_for(struct kt_buf *out, const char *first, const char *condition, const char *step)
{
	/* What is before it in the line, a few tabs, is not known here. */
	const bool is_long = seen(first) + seen(condition) + seen(step) > 95;
	const char *gap = is_long ? "\n" : " ";

	kt_buf_addf(out, "for (%s;%s%s;%s%s) {\n", first, gap, condition, gap, step);
}

/* Has the text the whole word? */
static bool has_word(const char *text, size_t size, const char *word)
{
	const size_t length = strlen(word);
	const char *end = text + size;

	for (const char *at = text; (at = memmem(at, (size_t)(end - at), word, length)) != NULL; at += length)
		if ((at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
		    (at + length == end || (!isalnum((unsigned char)at[length]) && at[length] != '_')))
			return true;
	return false;
}

static bool is_taken(struct kt_family *family, const char *name)
{
	const struct kt_kernel *kernel = family->kernel;

	/* What a macro's body names is the user's where the macro is used. */
	for (size_t i = 0; i < kernel->macro_count; i++)
		if (strcmp(kernel->macros[i].name, name) == 0 ||
		    has_word(kernel->macros[i].body, strlen(kernel->macros[i].body), name))
			return true;
	for (size_t i = 0; i < kernel->variable_count; i++)
		if (strcmp(kernel->variables[i]->name, name) == 0)
			return true;
	/* A name from outside that the body uses. */
	return has_word(kernel->text + kernel->body->range.begin, kernel->body->range.end - kernel->body->range.begin, name);
}

const char *kt_family_name(struct kt_family *family, const char *wanted)
{
	const char *name = wanted;

	for (unsigned i = 2; is_taken(family, name) && i < 1000; i++)
		name = kt_family_text(family, "%s%u", wanted, i);
	return name;
}

const char *kt_family_count(const struct kt_family *family, const struct kt_tree_variable *root)
{
	const struct kt_region *region = family->kernel->region;

	for (size_t i = 0; i < region->buffer_count; i++)
		if (root->argument >= 0 && region->buffers[i].argument == root->argument)
			return region->buffers[i].count.text;
	return NULL;
}

const char *kt_family_apart(struct kt_family *family, const struct kt_tree_variable *a,
                            const struct kt_tree_variable *b)
{
	const bool ordered = strcmp(a->name, b->name) <= 0;
	const struct kt_tree_variable *first = ordered ? a : b, *second = ordered ? b : a;
	const char *left = kt_family_count(family, first), *right = kt_family_count(family, second);

	/* A launch of an OpenCL kernel has no addresses that a guard could compare. */
	if (left == NULL || right == NULL || a == b || !kt_rule_target(family)->has_addresses)
		return NULL;
	return kt_family_text(family, "disjoint(%s, %s, %s, %s)", first->name, left, second->name, right);
}

bool kt_family_disjoint(struct kt_family *family, const struct kt_tree_variable *a, const struct kt_tree_variable *b)
{
	const char *text = kt_family_apart(family, a, b);

	if (text != NULL)
		kt_family_guard(family, text, "accesses are put in another order: the two must not overlap");
	return text != NULL;
}
