/* Manual pages in mdoc, checked by `mandoc -T lint`. */
#include <ctype.h>
#include <string.h>

#include "pages/pages.h"

enum { LINE = 78 };

/* One word: a hyphen that begins an option is one that can be typed. */
static int print_word(FILE *to, const char *word, int length)
{
	int printed = 0;

	for (int i = 0; i < length; i++) {
		if (word[i] == '-' && (i == 0 || isalnum((unsigned char)word[i - 1]) == 0))
			printed += fprintf(to, "\\-");
		else
			printed += fprintf(to, "%s%c", word[i] == '\\' ? "\\" : "", word[i] == '\\' ? 'e' : word[i]);
	}
	return printed;
}

/* A sentence begins a line; a line that begins with a control character is no request. */
static void print_text(FILE *to, const char *text)
{
	int at = 0;

	while (*text != '\0') {
		const int length = (int)strcspn(text, " ");
		const char *next = text + length + strspn(text + length, " ");

		if (at > 0)
			at += fprintf(to, " ");
		else if (*text == '.' || *text == '\'')
			at += fprintf(to, "\\&");
		at += print_word(to, text, length);
		if ((text[length - 1] == '.' && isupper((unsigned char)*next) != 0) ||
		    at + 1 + (int)strcspn(next, " ") + 8 > LINE) {
			fputc('\n', to);
			at = 0;
		}
		text = next;
	}
	if (at > 0)
		fputc('\n', to);
}

/* "FILE... [-- flags]": a macro per word, or per pair of brackets. */
static void print_arguments(FILE *to, const char *arguments)
{
	while (*arguments != '\0') {
		int length = (int)strcspn(arguments, " "), depth = 0, end = 0;

		if (*arguments == '[') {
			do
				depth += (arguments[end] == '[') - (arguments[end] == ']');
			while (arguments[++end] != '\0' && depth > 0);
			end += (int)strcspn(arguments + end, " ");
			length = end;
			fputs(".Op Ar \"", to);
			print_word(to, arguments + 1, length - 2 - (arguments[length - 1] == '.' ? 3 : 0));
			fputs(arguments[length - 1] == '.' ? "\" ...\n" : "\"\n", to);
		} else if (strncmp(arguments, "--", 2) == 0) {
			fprintf(to, ".Fl %.*s\n", length - 1, arguments + 1);
		} else {
			fprintf(to, ".Ar %.*s\n", length, arguments);
		}
		arguments += length;
		arguments += strspn(arguments, " ");
	}
}

static void print_head(FILE *to, const char *name, const char *date, const char *summary)
{
	char upper[64];
	size_t length = 0;

	for (; name[length] != '\0' && length + 1 < sizeof upper; length++)
		upper[length] = (char)toupper((unsigned char)name[length]);
	upper[length] = '\0';
	fprintf(to, ".Dd %s\n.Dt %s 1\n.Os ktcc %s\n.Sh NAME\n.Nm %s\n.Nd %s\n.Sh SYNOPSIS\n", date, upper, KT_VERSION,
		name, summary);
}

static void print_actions(FILE *to, enum kt_verb verb)
{
	if (kt_verb_action(verb) == KT_ACTION_NONE)
		return;
	fputs(".Pp\nThe actions are:\n.Bl -tag -width Ds\n", to);
	for (size_t i = 0; i < KT_ACTIONS; i++) {
		if (kt_action_rows[i].verb != verb)
			continue;
		fprintf(to, ".It Cm %s", kt_action_rows[i].name);
		if (kt_action_rows[i].arguments[0] != '\0')
			fputs(" Ar \"", to);
		print_word(to, kt_action_rows[i].arguments, (int)strlen(kt_action_rows[i].arguments));
		fputs(kt_action_rows[i].arguments[0] != '\0' ? "\"\n" : "\n", to);
		print_text(to, kt_action_rows[i].text);
	}
	fputs(".El\n", to);
}

static void print_options(FILE *to, enum kt_verb verb)
{
	fputs(".Pp\nThe options are:\n.Bl -tag -width Ds\n", to);
	for (size_t i = 0; i < KT_OPTIONS; i++) {
		const struct kt_option_row *row = &kt_option_rows[i];

		if (!KT_HAS_OPTION(verb, row))
			continue;
		fputs(".It ", to);
		if (kt_option_letter(row) != '\0')
			fprintf(to, "Fl %c , ", kt_option_letter(row));
		fprintf(to, "Fl -%s%s%s\n", row->name, row->value != NULL ? " Ar " : "",
			row->value != NULL ? row->value : "");
		print_text(to, row->text);
	}
	fputs(".El\n", to);
}

static void print_exits(FILE *to)
{
	fputs(
	    ".Sh EXIT STATUS\n.Bl -tag -width Ds -compact\n.It 0\nWhat was asked for is done.\n"
	    ".It 100\nSomething asked of\n.Nm ktcc\ncould not be done.\n.It 101\nThe command line is not understood.\n"
	    ".It 102\nAn entry is missing and\n.Ev KTUNE_MODE\nis\n.Ql require .\n"
	    ".It 127\nThe compiler cannot be started.\n.El\n",
	    to);
}

static void print_launcher(FILE *to, const char *date)
{
	print_head(to, "ktcc", date, "compiler launcher that tunes CUDA kernels");
	fputs(
	    ".Nm\n.Op Ar options\n.Ar COMPILER ARGUMENTS ...\n.Nm\n.Ar VERB ARGUMENTS ...\n.Sh DESCRIPTION\n"
	    "The\n.Nm\nutility runs a compiler.\nWhere a source has kernels that are marked with\n.Ql #pragma ktune ,\n"
	    "they are tuned, and the object holds the fastest variants that give right\n"
	    "results.\n"
	    ".Pp\nThe verbs, each with a manual page, are:\n.Bl -tag -width Ds\n",
	    to);
	for (size_t i = 0; i < KT_VERBS; i++)
		fprintf(to, ".It Xr ktcc-%s 1\n%s\n", kt_verb_rows[i].name, kt_verb_rows[i].summary);
	fputs(".El\n.Pp\nThe options, each the same as a variable of the environment, are:\n.Bl -tag -width Ds\n", to);
	for (size_t i = 0; i < kt_launcher_count; i++) {
		fprintf(to, ".It Fl -%s Ns = Ns Ar %s\n", kt_launcher_rows[i].name, kt_launcher_rows[i].value);
		print_text(to, kt_launcher_rows[i].text);
		fprintf(to, ".Pq Ev %s\n", kt_launcher_rows[i].variable);
	}
	fputs(".It Fl -\nWhat follows is a compiler, whatever its name is.\n"
	      ".It Fl -version\nPrint the versions that a report of a defect has to name.\n.El\n"
	      ".Sh ENVIRONMENT\nThe settings are in\n.Pa share/ktcc/docs/cli.md .\n"
	      ".Sh FILES\n.Bl -tag -width Ds -compact\n.It Pa ktune.lock/\nentries that are reviewed and released with "
	      "a project\n"
	      ".It Pa ~/.cache/ktune\nthe store\n.It Pa ~/.config/ktune/ktune.conf\nthe user's settings\n"
	      ".It Pa .ktune.conf\na project's settings\n.El\n",
	      to);
	print_exits(to);
	fputs(".Sh EXAMPLES\n.Dl ktcc nvcc -arch=sm_90 -c kernels.cu -o kernels.o\n", to);
}

static void print_verb(FILE *to, enum kt_verb verb, const char *date)
{
	const struct kt_verb_row *row = &kt_verb_rows[verb];
	const char *form;
	char name[64];

	snprintf(name, sizeof name, "ktcc-%s", row->name);
	print_head(to, name, date, row->summary);
	for (size_t n = 0; (form = kt_verb_form(verb, n)) != NULL; n++) {
		fprintf(to, ".Nm ktcc %s\n.Op Ar options\n", row->name);
		print_arguments(to, form);
	}
	fputs(".Sh DESCRIPTION\n", to);
	print_text(to, row->text);
	print_actions(to, verb);
	print_options(to, verb);
	print_exits(to);
	fputs(".Sh SEE ALSO\n.Xr ktcc 1\n", to);
}

void pages_man(FILE *to, enum kt_verb verb, const char *date)
{
	if (verb == KT_VERBS)
		print_launcher(to, date);
	else
		print_verb(to, verb, date);
}
