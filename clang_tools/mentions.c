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
    /* Variants set their own amount of dynamic shared memory. */
    {"cudaFuncSetAttribute", false, "cudaFuncAttributeMaxDynamicSharedMemorySize", NULL, "kernel-attribute"},
    {"cudaFuncSet", true, NULL, NULL, "kernel-attribute"}, /* CacheConfig, SharedMemConfig */
    /* Describes the kernel that it names, which is there and runs wherever the launch is not the one that was tuned. */
    {"cudaFuncGet", true, NULL, NULL, NULL},
    /* Suggests a block for it: where the launch has another one than the clauses give, it runs. */
    {"cudaOccupancyMaxPotentialBlock", true, NULL, NULL, NULL},
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

const char *kt_mention_setting(const struct kt_text *text, size_t token)
{
	const struct row *row = row_of(text, token);

	return row != NULL ? mention_of(text, row, token).kernel : NULL;
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

/* Is the argument that begins at a token a kernel's name alone, or a cast of its address? */
static bool is_kernel_alone(const struct kt_text *text, size_t begin, size_t end, const struct kt_kernel_names *kernels)
{
	static const char *const around[] = {"(", ")", "&", "*", "<", ">", "const", "void", "reinterpret_cast"};
	size_t named = 0;

	for (size_t i = begin; i < end; i++) {
		bool known = false;

		for (size_t a = 0; a < sizeof around / sizeof around[0] && !known; a++)
			known = kt_token_is(text, i, around[a]);
		if (!known && !kernels->is(kernels->context, text->tokens[i].begin))
			return false;
		named += !known;
	}
	return named == 1;
}

/* Does one argument of the call that opens at a token stand for one kernel? */
static bool says_which(const struct kt_text *text, size_t open, const struct kt_kernel_names *kernels)
{
	const size_t close = kt_token_match(text, open);
	size_t begin = open + 1;

	for (size_t i = open + 1; i <= close && close < text->count; i++) {
		if (i < close && kt_token_is(text, i, "(")) {
			i = kt_token_match(text, i);
			continue;
		}
		if (i < close && !kt_token_is(text, i, ","))
			continue;
		if (is_kernel_alone(text, begin, i, kernels))
			return true;
		begin = i + 1;
	}
	return false;
}

struct kt_mention kt_mention_setter(const struct kt_text *text, const struct kt_kernel_names *kernels)
{
	for (size_t i = 0; i + 1 < text->count; i++) {
		const bool called = kt_token_is(text, i + 1, "(");
		const struct row *row = called || kt_token_is(text, i + 1, "<") ? row_of(text, i) : NULL;
		struct kt_mention mention = {.launch = NULL};

		if (row != NULL && !(called && says_which(text, i + 1, kernels)))
			mention = mention_of(text, row, i);
		if (mention.kernel != NULL)
			return mention;
	}
	return (struct kt_mention){.launch = NULL};
}
