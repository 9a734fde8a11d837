/* The page of parameters, docs/parameters.md: what each pass of the generators does, what it needs, and what it makes. */
#include <string.h>

#include "base/pass_texts.h"
#include "pages/pages.h"

static const struct {
	const char *pass, *name, *meaning, *values;
} parameters[] = {
#define ROW(pass, name, meaning, values) {pass, name, meaning, values},
    KT_PASS_PARAMETERS(ROW)
#undef ROW
};

static void print_pass(FILE *to, const char *name, const char *does, const char *needs)
{
	bool any = false;

	fprintf(to, "\n### %s\n\nDoes: %s.\nNeeds: %s.\n", name, does, needs);
	for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
		if (strcmp(parameters[i].pass, name) != 0)
			continue;
		if (!any)
			fputs("\n| parameter | values | meaning |\n| --- | --- | --- |\n", to);
		any = true;
		fprintf(to, "| `%s` | %s | %s |\n", parameters[i].name, parameters[i].values, parameters[i].meaning);
	}
	if (!any)
		fputs("\nIt has no parameter.\n", to);
}

static void print_passes(FILE *to, const char *generator)
{
#define PRINT(name, of, does, needs, notes) \
	if (strcmp(of, generator) == 0) \
		print_pass(to, name, does, needs);
	KT_PASS_TEXTS(PRINT)
#undef PRINT
}

void pages_parameters(FILE *to)
{
	fputs("<!-- Made by ktcc-pages from ktcc/base/pass_texts.h. -->\n\n# Parameters of generated spaces\n\n"
	      "A region without `tune` clauses gets its parameters from two generators, the rules and the kernel IR. These are all of them.\n"
	      "`ktcc explain --analysis FILE` shows which a kernel has, and why it is without a pass. How passes work: [templates by\n"
	      "rules](generation.md), [kernel IR](ir.md#passes). A template has those of the values that can make a difference for its kernel.\n"
	      "Parameters of your own: [how to](howto/parameters.md).\n\n## Of the rules\n",
	      to);
	print_passes(to, "rules");
	fputs("\n## Of the kernel IR\n", to);
	print_passes(to, "ir");
}
