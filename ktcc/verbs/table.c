#include "verbs/table.h"

#include <string.h>

#include "base/strategies.h"
#include "tuning/simulate.h"

const struct kt_verb_row kt_verb_rows[] = {
#define KT_VERB(name, arguments, least, most, summary, text) {#name, arguments, least, most, summary, text},
#include "verbs/table.def"
};

static const struct kt_form_row forms[] = {
#define KT_FORM(verb, arguments) {KT_VERB_##verb, arguments},
#include "verbs/table.def"
};

const struct kt_action_row kt_action_rows[] = {
#define KT_ACTION(verb, name, arguments, least, most, text) {KT_VERB_##verb, #name, arguments, least, most, text},
#include "verbs/table.def"
};

const struct kt_option_row kt_option_rows[] = {
#define KT_OPTION(verb, id, name, kind, value, least, most, setting, text)                                             \
	{KT_VERB_##verb, name, KT_OPTION_##kind, value, least, most, setting, text},
#include "verbs/table.def"
};

const struct kt_launcher_row kt_launcher_rows[] = {
#define KT_LAUNCHER(name, value, variable, text) {name, value, variable, text},
#include "verbs/table.def"
};

const size_t kt_launcher_count = sizeof kt_launcher_rows / sizeof *kt_launcher_rows;

enum { HELP_COLUMNS = 110 };

enum kt_verb kt_verb_find(const char *name)
{
	int verb = 0;

	while (verb < KT_VERBS && strcmp(kt_verb_rows[verb].name, name) != 0)
		verb++;
	return (enum kt_verb)verb;
}

char kt_option_letter(const struct kt_option_row *row)
{
	return row->kind == KT_OPTION_FLAG || row->kind == KT_OPTION_TEXT ? (char)row->least : '\0';
}

const char *kt_verb_form(enum kt_verb verb, size_t n)
{
	if (n == 0)
		return kt_verb_rows[verb].arguments;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (forms[i].verb == verb && --n == 0)
			return forms[i].arguments;
	return NULL;
}

enum kt_action kt_verb_action(enum kt_verb verb)
{
	int action = 0;

	while (action < KT_ACTIONS && kt_action_rows[action].verb != verb)
		action++;
	return (enum kt_action)action;
}

/* Words of a text in lines of HELP_COLUMNS that begin at `column`, where the first line already is. */
static void wrap(FILE *to, int column, const char *text)
{
	int at = column;

	while (*text != '\0') {
		const int length = (int)strcspn(text, " ");

		if (at > column && at + 1 + length > HELP_COLUMNS)
			at = fprintf(to, "\n%*s", column, "") - 1;
		else if (at > column)
			at += fprintf(to, " ");
		at += fprintf(to, "%.*s", length, text);
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', to);
}

/* "  --budget B" and what it means. */
static void print_row(FILE *to, int column, const char *before, const char *name, const char *value, const char *text)
{
	int at = fprintf(to, "  %s%s%s%s", before, name, value != NULL && value[0] != '\0' ? " " : "",
			 value != NULL ? value : "");

	fprintf(to, at + 2 > column ? "\n%*s" : "%*s", at + 2 > column ? column : column - at, "");
	wrap(to, column, text);
}

void kt_help(FILE *to, enum kt_verb verb)
{
	const char *form;

	for (size_t n = 0; (form = kt_verb_form(verb, n)) != NULL; n++)
		fprintf(to, "%s ktcc %s [options]%s%s\n", n == 0 ? "usage:" : "      ", kt_verb_rows[verb].name,
			form[0] != '\0' ? " " : "", form);
	wrap(to, 0, kt_verb_rows[verb].text);
	if (kt_verb_action(verb) != KT_ACTION_NONE)
		fputs("actions:\n", to);
	for (size_t i = 0; i < KT_ACTIONS; i++)
		if (kt_action_rows[i].verb == verb)
			print_row(to, 24, "", kt_action_rows[i].name, kt_action_rows[i].arguments,
				  kt_action_rows[i].text);
	fputs("options:\n", to);
	for (size_t i = 0; i < KT_OPTIONS; i++) {
		const struct kt_option_row *row = &kt_option_rows[i];
		const char letter[] = {'-', kt_option_letter(row), ',', ' ', '-', '-', '\0'};

		if (KT_HAS_OPTION(verb, row))
			print_row(to, 28, letter[1] != '\0' ? letter : letter + 4, row->name, row->value, row->text);
	}
}

void kt_usage(FILE *to)
{
	fputs("usage: ktcc [options] COMPILER ARGUMENTS...    compile, with tuned kernels\n"
	      "       ktcc VERB ARGUMENTS...                  (ktcc VERB --help)\nverbs:\n",
	      to);
	for (size_t i = 0; i < KT_VERBS; i++)
		print_row(to, 12, "", kt_verb_rows[i].name, NULL, kt_verb_rows[i].summary);
	fputs("options, each the same as a variable of the environment:\n", to);
	for (size_t i = 0; i < kt_launcher_count; i++) {
		fprintf(to, "  --%s=%s (%s)\n", kt_launcher_rows[i].name, kt_launcher_rows[i].value,
			kt_launcher_rows[i].variable);
		fprintf(to, "%*s", 12, "");
		wrap(to, 12, kt_launcher_rows[i].text);
	}
	fputs("  --        what follows is a compiler, whatever its name is\n"
	      "  --version what a report of a defect has to name\n"
	      "  --help\n",
	      to);
}
