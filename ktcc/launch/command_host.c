#include <string.h>

#include "launch/parser.h"

/* What a word of the host compiler's is to ktcc. */
enum action {
	SKIP,       /* takes a value that has no meaning for ktcc */
	PREPROCESS, /* does what the nvcc option `as` does */
	QUOTE,      /* -iquote */
	CLANG,      /* changes what is read or how: libclang is given the same words */
	REFUSE,     /* makes something else than an object, or reads what ktcc does not see */
};

/* Where the value is: after the name in its word, the next item, or either; a flag has none. */
enum form { FLAG, EITHER, NEXT, PREFIX };

struct kt_host_option {
	const char *name;
	enum form form;
	enum action action;
	enum kt_option_id as;
};

/* Those that make notes for gcov. */
static const char *const coverage[] = {"--coverage", "-coverage", "-ftest-coverage", "-fprofile-arcs"};

/* The first row that fits counts: a longer name comes before its prefixes. */
static const struct kt_host_option rows[] = {
    {"@", PREFIX, REFUSE, 0},
    {"-A", EITHER, SKIP, 0},
    {"-B", EITHER, SKIP, 0},
    {"-D", EITHER, PREPROCESS, KT_OPTION_DEFINE},
    {"-E", FLAG, REFUSE, 0},
    {"-I-", FLAG, REFUSE, 0},
    {"-I", EITHER, PREPROCESS, KT_OPTION_INCLUDE_PATH},
    {"-L", EITHER, SKIP, 0},
    {"-M", PREFIX, REFUSE, 0},
    {"-S", FLAG, REFUSE, 0},
    {"-T", EITHER, SKIP, 0},
    {"-U", EITHER, PREPROCESS, KT_OPTION_UNDEFINE},
    {"-Wp,", PREFIX, REFUSE, 0},
    {"-Xassembler", NEXT, SKIP, 0},
    {"-Xclang", NEXT, REFUSE, 0},
    {"-Xlinker", NEXT, SKIP, 0},
    {"-Xpreprocessor", NEXT, REFUSE, 0},
    {"-aux-info", NEXT, SKIP, 0},
    {"-dumpbase", NEXT, SKIP, 0},
    {"-dumpdir", NEXT, SKIP, 0},
    {"-fshort-wchar", FLAG, CLANG, 0},
    {"-fsigned-char", FLAG, CLANG, 0},
    {"-fsyntax-only", FLAG, REFUSE, 0},
    {"-funsigned-char", FLAG, CLANG, 0},
    {"-idirafter", EITHER, CLANG, 0},
    {"-imacros", EITHER, REFUSE, 0},
    {"-imultilib", NEXT, SKIP, 0},
    {"-include-pch", EITHER, REFUSE, 0},
    {"-include", EITHER, PREPROCESS, KT_OPTION_PRE_INCLUDE},
    {"-iprefix", EITHER, REFUSE, 0},
    {"-iquote", EITHER, QUOTE, 0},
    {"-isysroot", EITHER, CLANG, 0},
    {"-isystem", EITHER, PREPROCESS, KT_OPTION_SYSTEM_INCLUDE},
    {"-iwithprefix", PREFIX, REFUSE, 0},
    {"-mllvm", NEXT, SKIP, 0},
    {"-o", EITHER, REFUSE, 0},
    {"-target", NEXT, SKIP, 0},
    {"-u", NEXT, SKIP, 0},
    {"-wrapper", NEXT, SKIP, 0},
    {"-x", EITHER, REFUSE, 0},
    {"-z", NEXT, SKIP, 0},
    {"--param", NEXT, SKIP, 0},
    {"--sysroot=", PREFIX, CLANG, 0},
};

static bool starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const struct kt_host_option *find(const char *word)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool exact = rows[i].form == FLAG || rows[i].form == NEXT;

		if (exact ? strcmp(rows[i].name, word) == 0 : starts(word, rows[i].name))
			return &rows[i];
	}
	return NULL;
}

static kt_status for_clang(struct kt_parser *p, const char *word)
{
	return kt_parser_push(p, &p->command->host_arguments, &p->command->host_argument_count, word);
}

static kt_status take_value(struct kt_parser *p, const struct kt_host_option *option, const char *value)
{
	switch (option->action) {
	case PREPROCESS:
		return kt_parser_preprocess(p, option->as, value);
	case QUOTE:
		return kt_parser_push(p, &p->command->quote_include_dirs, &p->command->quote_include_count, value);
	case CLANG:
		return for_clang(p, value);
	default:
		return KT_OK;
	}
}

kt_status kt_parser_host_word(struct kt_parser *p, const char *word)
{
	const struct kt_host_option *option = p->host_pending;
	const char *value;

	if (option != NULL) {
		p->host_pending = NULL;
		return take_value(p, option, word);
	}
	if (strcmp(word, "-Werror=unknown-pragmas") == 0)
		p->command->pragma_error = true;
	for (size_t i = 0; i < sizeof coverage / sizeof *coverage; i++)
		p->coverage = p->coverage || strcmp(word, coverage[i]) == 0;
	p->excludes = p->excludes || starts(word, "-fprofile-exclude-files=");
	p->command->coverage = p->coverage && !p->excludes;
	option = find(word);
	if (option == NULL)
		return KT_OK;
	p->strange = p->strange || option->action == REFUSE;
	value = word + strlen(option->name);
	if (option->action == CLANG && (option->form != EITHER || *value != '\0'))
		return for_clang(p, word);
	if (option->form == EITHER && *value != '\0')
		return take_value(p, option, value);
	if (option->form == EITHER || option->form == NEXT)
		p->host_pending = option;
	return option->action == CLANG ? for_clang(p, word) : KT_OK;
}

kt_status kt_parser_host_items(struct kt_parser *p, const struct kt_words *items)
{
	/* The shell that nvcc starts splits an item again. */
	for (size_t i = 0; i < items->count; i++) {
		struct kt_words words;

		TRY(kt_words_shell(&words, p->arena, items->items[i], p->err));
		for (size_t k = 0; k < words.count; k++)
			TRY(kt_parser_host_word(p, words.items[k]));
	}
	return KT_OK;
}
