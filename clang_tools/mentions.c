#include "mentions.h"

#include <string.h>

/* Functions that are given a kernel; the first row that fits counts. */
static const struct row {
	const char *name;
	bool prefix;
	const char *allowed; /* a word among its arguments with which it concerns no variant */
	const char *launch, *kernel;
} rows[] = {
    {"cudaLaunch", true, NULL, "launch-by-function", NULL},
    /* Variants ask for the dynamic shared memory of their own. */
    {"cudaFuncSetAttribute", false, "cudaFuncAttributeMaxDynamicSharedMemorySize", NULL, "kernel-attribute"},
    {"cudaFuncSet", true, NULL, NULL, "kernel-attribute"}, /* CacheConfig, SharedMemConfig */
    /* Describes the kernel that it names, which is there and runs wherever the launch is not the one that was tuned. */
    {"cudaFuncGet", true, NULL, NULL, NULL},
    {"cudaOccupancy", true, NULL, NULL, "kernel-occupancy"},
};

static const struct row *row_of(const struct kt_text *text, size_t token)
{
	const struct kt_token *name = &text->tokens[token];
	const size_t size = name->end - name->begin;

	if (name->kind != KT_TOKEN_NAME)
		return NULL;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const size_t length = strlen(rows[i].name);

		if ((rows[i].prefix ? size > length : size == length) &&
		    memcmp(text->data + name->begin, rows[i].name, length) == 0)
			return &rows[i];
	}
	return NULL;
}

/* Is the word among the arguments of the call that opens at a token? */
static bool holds(const struct kt_text *text, size_t open, const char *word)
{
	const size_t close = kt_token_match(text, open);

	for (size_t i = open; word != NULL && i < close; i++)
		if (kt_token_is(text, i, word))
			return true;
	return false;
}

static struct kt_mention mention_of(const struct kt_text *text, const struct row *row, size_t name)
{
	return (struct kt_mention){
	    .launch = row->launch,
	    .kernel = holds(text, name + 1, row->allowed) ? NULL : row->kernel,
	    .function = name,
	};
}

struct kt_mention kt_mention_read(const struct kt_text *text, size_t token)
{
	size_t depth = 0;

	for (size_t i = token; i-- > 0;) {
		const struct row *row;

		if (kt_token_is(text, i, ";") || kt_token_is(text, i, "{") || kt_token_is(text, i, "}"))
			break;
		if (kt_token_is(text, i, "using") || kt_token_is(text, i, "friend") || kt_token_is(text, i, "__global__"))
			return (struct kt_mention){.launch = NULL};
		if (kt_token_is(text, i, ")"))
			depth++;
		if (!kt_token_is(text, i, "(") || depth-- > 0)
			continue;
		depth = 0;
		row = i > 0 ? row_of(text, i - 1) : NULL;
		if (row != NULL)
			return mention_of(text, row, i - 1);
	}
	return (struct kt_mention){.launch = "address-taken"};
}

struct kt_mention kt_mention_setter(const struct kt_text *text)
{
	for (size_t i = 0; i + 1 < text->count; i++) {
		const struct row *row = kt_token_is(text, i + 1, "(") || kt_token_is(text, i + 1, "<") ? row_of(text, i) : NULL;
		struct kt_mention mention = {.launch = NULL};

		if (row != NULL)
			mention = mention_of(text, row, i);
		if (mention.kernel != NULL)
			return mention;
	}
	return (struct kt_mention){.launch = NULL};
}
