/* Completion for bash, zsh and fish. */
#include <string.h>

#include "pages/pages.h"

/* A text inside single quotes of a shell; `escaped`: characters that get a backslash besides. */
static void print_quoted(FILE *to, const char *text, const char *escaped)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			fputs("'\\'", to);
		else if (strchr(escaped, *text) != NULL)
			fputc('\\', to);
		fputc(*text, to);
	}
}

/* "a|b|c" as "a b c". */
static void print_words(FILE *to, const char *words)
{
	for (; *words != '\0'; words++)
		fputc(*words == '|' ? ' ' : *words, to);
}

/* ---- bash ---- */

static void print_bash_value(FILE *to, enum pages_value kind, const char *value)
{
	if (kind == PAGES_WORDS) {
		fputs("COMPREPLY=($(compgen -W '", to);
		print_words(to, value);
		fputs("' -- \"$cur\"))", to);
	} else if (kind == PAGES_FILE || kind == PAGES_FOLDER) {
		fprintf(to, "compopt -o filenames; COMPREPLY=($(compgen -%c -- \"$cur\"))",
			kind == PAGES_FILE ? 'f' : 'd');
	} else {
		fputc(':', to);
	}
	fputs("; return ;;\n", to);
}

static void print_bash_verb(FILE *to, enum kt_verb verb)
{
	fprintf(to, "\t%s) opts='", kt_verb_rows[verb].name);
	for (size_t i = 0; i < KT_OPTIONS; i++)
		if (KT_HAS_OPTION(verb, &kt_option_rows[i]))
			fprintf(to, " --%s", kt_option_rows[i].name);
	fputs("' acts='", to);
	for (size_t i = 0; i < KT_ACTIONS; i++)
		if (kt_action_rows[i].verb == verb)
			fprintf(to, " %s", kt_action_rows[i].name);
	fputs("' ;;\n", to);
}

static void print_bash_values(FILE *to)
{
	fputs("\tcase \"$verb $before\" in\n", to);
	for (size_t i = 0; i < KT_OPTIONS; i++) {
		const struct kt_option_row *row = &kt_option_rows[i];

		if (row->value == NULL)
			continue;
		fprintf(to, "\t'%s --%s'", kt_verb_rows[row->verb].name, row->name);
		if (kt_option_letter(row) != '\0')
			fprintf(to, "|'%s -%c'", kt_verb_rows[row->verb].name, kt_option_letter(row));
		fputs(") ", to);
		print_bash_value(to, pages_value(row->value), row->value);
	}
	fputs("\tesac\n", to);
}

void pages_bash(FILE *to)
{
	fputs("# bash completion for ktcc\n"
	      "_ktcc() {\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} opts acts verb word i=1 n\n"
	      "\tCOMPREPLY=()\n"
	      "\t# \"--mode=x\" is three words here.\n"
	      "\twhile ((i < COMP_CWORD)); do\n"
	      "\t\tword=${COMP_WORDS[i]}\n"
	      "\t\tcase $word in =) ((i += 2)) ;; --) break ;; -*) ((i += 1)) ;; *) break ;; esac\n"
	      "\tdone\n"
	      "\tif ((i >= COMP_CWORD)); then\n"
	      "\t\t[[ $cur == = ]] && cur= && word=$before\n"
	      "\t\t[[ $before == = ]] && word=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\t\tif [[ $before == = || ${COMP_WORDS[COMP_CWORD]} == = ]]; then\n"
	      "\t\t\tcase $word in\n",
	      to);
	for (size_t i = 0; i < kt_launcher_count; i++) {
		fprintf(to, "\t\t\t--%s) ", kt_launcher_rows[i].name);
		print_bash_value(to, pages_value(kt_launcher_rows[i].value), kt_launcher_rows[i].value);
	}
	fputs("\t\t\tesac\n\t\t\treturn\n"
	      "\t\tfi\n"
	      "\t\tCOMPREPLY=($(compgen -W '--version --help",
	      to);
	for (size_t i = 0; i < kt_launcher_count; i++)
		fprintf(to, " --%s=", kt_launcher_rows[i].name);
	for (size_t i = 0; i < KT_VERBS; i++)
		fprintf(to, " %s", kt_verb_rows[i].name);
	fputs("' -- \"$cur\"))\n"
	      "\t\t[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
	      "\t\t[[ $cur == -* ]] || COMPREPLY+=($(compgen -c -- \"$cur\"))\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tverb=${COMP_WORDS[i]}\n"
	      "\tcase $verb in\n",
	      to);
	for (int verb = 0; verb < KT_VERBS; verb++)
		print_bash_verb(to, (enum kt_verb)verb);
	fputs("\t*)\n"
	      "\t\t# A compiler: completed as without ktcc in front of it.\n"
	      "\t\t[[ $verb == -- ]] && ((i += 1))\n"
	      "\t\tif declare -F _command_offset >/dev/null; then\n"
	      "\t\t\t_command_offset \"$i\"\n"
	      "\t\telse\n"
	      "\t\t\tcompopt -o filenames\n"
	      "\t\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	      "\t\tfi\n"
	      "\t\treturn\n"
	      "\t\t;;\n"
	      "\tesac\n",
	      to);
	print_bash_values(to);
	fputs("\tif [[ $cur == -* ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$opts\" -- \"$cur\"))\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tfor ((n = i + 1; n < COMP_CWORD; n++)); do\n"
	      "\t\t[[ -n $acts && \" $acts \" == *\" ${COMP_WORDS[n]} \"* ]] && acts=\n"
	      "\tdone\n"
	      "\tif [[ -n $acts ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$acts\" -- \"$cur\"))\n"
	      "\telse\n"
	      "\t\tcompopt -o filenames\n"
	      "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	      "\tfi\n"
	      "}\n"
	      "complete -F _ktcc ktcc\n",
	      to);
}

/* ---- zsh ---- */

static void print_zsh_value(FILE *to, const char *value)
{
	static const char *const uses[] = {
	    [PAGES_ANY] = " ", [PAGES_FILE] = "_files", [PAGES_FOLDER] = "_files -/", [PAGES_WORDS] = ""};

	if (value == NULL)
		return;
	fputc(':', to);
	print_quoted(to, pages_value(value) == PAGES_WORDS ? "value" : value, ":");
	fprintf(to, ":%s", uses[pages_value(value)]);
	if (pages_value(value) != PAGES_WORDS)
		return;
	fputc('(', to);
	print_words(to, value);
	fputc(')', to);
}

static void print_zsh_verb(FILE *to, enum kt_verb verb)
{
	fprintf(to, "_ktcc_%s() {\n\t_arguments -s -S", kt_verb_rows[verb].name);
	for (size_t i = 0; i < KT_OPTIONS; i++) {
		const struct kt_option_row *row = &kt_option_rows[i];

		if (!KT_HAS_OPTION(verb, row))
			continue;
		fprintf(to, " \\\n\t\t'*--%s%s[", row->name, row->value != NULL ? "=" : "");
		print_quoted(to, row->text, "[]:\\");
		fputc(']', to);
		print_zsh_value(to, row->value);
		fputc('\'', to);
	}
	if (kt_verb_action(verb) != KT_ACTION_NONE) {
		fputs(" \\\n\t\t'1:action:((", to);
		for (size_t i = 0; i < KT_ACTIONS; i++) {
			if (kt_action_rows[i].verb != verb)
				continue;
			fprintf(to, "%s\\:\"", kt_action_rows[i].name);
			print_quoted(to, kt_action_rows[i].text, ":\\\"");
			fputs("\" ", to);
		}
		fputs("))'", to);
	}
	fputs(" \\\n\t\t'*:file:_files'\n}\n\n", to);
}

void pages_zsh(FILE *to)
{
	fputs("#compdef ktcc\n\n", to);
	for (int verb = 0; verb < KT_VERBS; verb++)
		print_zsh_verb(to, (enum kt_verb)verb);
	fputs("_ktcc() {\n"
	      "\tlocal context state state_descr line\n"
	      "\ttypeset -A opt_args\n"
	      "\tlocal -a verbs\n"
	      "\tverbs=(\n",
	      to);
	for (size_t i = 0; i < KT_VERBS; i++) {
		fprintf(to, "\t\t'%s:", kt_verb_rows[i].name);
		print_quoted(to, kt_verb_rows[i].summary, ":\\");
		fputs("'\n", to);
	}
	fputs("\t)\n"
	      "\t_arguments -S",
	      to);
	for (size_t i = 0; i < kt_launcher_count; i++) {
		fprintf(to, " \\\n\t\t'--%s=-[", kt_launcher_rows[i].name);
		print_quoted(to, kt_launcher_rows[i].text, "[]:\\");
		fputc(']', to);
		print_zsh_value(to, kt_launcher_rows[i].value);
		fputc('\'', to);
	}
	fputs(" \\\n\t\t'--version[versions for a report]' '--help[print this help]' \\\n"
	      "\t\t'1:verb or compiler:->first' '*::argument:->rest'\n"
	      "\tcase $state in\n"
	      "\tfirst)\n\t\t_describe -t verbs verb verbs\n\t\t_command_names -e\n\t\t;;\n"
	      "\trest)\n"
	      "\t\tif (( $+functions[_ktcc_$words[1]] )); then\n"
	      "\t\t\t_ktcc_$words[1]\n"
	      "\t\telse\n"
	      "\t\t\t_normal\n"
	      "\t\tfi\n"
	      "\t\t;;\n"
	      "\tesac\n"
	      "}\n\n"
	      "_ktcc \"$@\"\n",
	      to);
}

/* ---- fish ---- */

static void print_fish_value(FILE *to, const char *value)
{
	const enum pages_value kind = pages_value(value);

	if (kind == PAGES_NONE)
		return;
	fputs(kind == PAGES_FILE ? " -r -F" : " -x", to);
	if (kind == PAGES_FOLDER)
		fputs(" -a '(__fish_complete_directories)'", to);
	if (kind != PAGES_WORDS)
		return;
	fputs(" -a '", to);
	print_words(to, value);
	fputc('\'', to);
}

static void print_fish_text(FILE *to, const char *text)
{
	fputs(" -d '", to);
	for (; *text != '\0'; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', to);
		fputc(*text, to);
	}
	fputs("'\n", to);
}

static void print_fish_options(FILE *to, enum kt_verb verb)
{
	for (size_t i = 0; i < KT_OPTIONS; i++) {
		const struct kt_option_row *row = &kt_option_rows[i];

		if (!KT_HAS_OPTION(verb, row))
			continue;
		fprintf(to, "complete -c ktcc -n '__fish_seen_subcommand_from %s' -l %s", kt_verb_rows[verb].name,
			row->name);
		if (kt_option_letter(row) != '\0')
			fprintf(to, " -s %c", kt_option_letter(row));
		print_fish_value(to, row->value);
		print_fish_text(to, row->text);
	}
}

static void print_fish_actions(FILE *to, enum kt_verb verb)
{
	for (size_t i = 0; i < KT_ACTIONS; i++) {
		if (kt_action_rows[i].verb != verb)
			continue;
		fprintf(to,
			"complete -c ktcc -n '__fish_seen_subcommand_from %s; and test (count (commandline -opc)) -eq "
			"2' -f -a %s",
			kt_verb_rows[verb].name, kt_action_rows[i].name);
		print_fish_text(to, kt_action_rows[i].text);
	}
}

void pages_fish(FILE *to)
{
	fputs("# fish completion for ktcc\n", to);
	for (size_t i = 0; i < kt_launcher_count; i++) {
		fprintf(to, "complete -c ktcc -n __fish_use_subcommand -l %s", kt_launcher_rows[i].name);
		print_fish_value(to, kt_launcher_rows[i].value);
		print_fish_text(to, kt_launcher_rows[i].text);
	}
	fputs("complete -c ktcc -n __fish_use_subcommand -l version -d 'versions for a report'\n"
	      "complete -c ktcc -n __fish_use_subcommand -a '(__fish_complete_command)'\n",
	      to);
	for (int verb = 0; verb < KT_VERBS; verb++) {
		fprintf(to, "complete -c ktcc -n __fish_use_subcommand -f -a %s", kt_verb_rows[verb].name);
		print_fish_text(to, kt_verb_rows[verb].summary);
		print_fish_actions(to, (enum kt_verb)verb);
		print_fish_options(to, (enum kt_verb)verb);
	}
}
