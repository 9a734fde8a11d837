#include "verbs/given.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/nearest.h"
#include "verbs/verbs.h"

enum { FIRST_CODE = 256 }; /* getopt's number of option 0; below are letters */

static bool takes_flags(enum kt_verb verb)
{
	if (strstr(kt_verb_rows[verb].arguments, "-- flags") != NULL)
		return true;
	for (size_t i = 0; i < KT_ACTIONS; i++)
		if (kt_action_rows[i].verb == verb && strstr(kt_action_rows[i].arguments, "-- flags") != NULL)
			return true;
	return false;
}

/* Cuts "-- flags" off: what getopt may exchange is in front of it. */
static int cut_flags(struct kt_given *out, int argc, char **argv)
{
	for (int i = 1; takes_flags(out->verb) && i < argc; i++)
		if (strcmp(argv[i], "--") == 0) {
			out->flags = argv + i + 1;
			out->flag_count = argc - i - 1;
			return i;
		}
	return argc;
}

int kt_given_wrong(const struct kt_given *given, const char *format, ...)
{
	const char *verb = kt_verb_rows[given->verb].name, *arguments = kt_verb_rows[given->verb].arguments;
	const char *action = "";
	char message[512];
	va_list list;

	if (given->action != KT_ACTION_NONE) {
		action = kt_action_rows[given->action].name;
		arguments = kt_action_rows[given->action].arguments;
	}
	va_start(list, format);
	vsnprintf(message, sizeof message, format, list);
	va_end(list);
	kt_say("%s%s%s: %s; write: ktcc %s%s%s [options]%s%s", verb, action[0] != '\0' ? " " : "", action, message,
	       verb, action[0] != '\0' ? " " : "", action, arguments[0] != '\0' ? " " : "", arguments);
	return KT_EXIT_USAGE;
}

/* "--budgte": the option that may have been meant. */
static int say_unknown(enum kt_verb verb, const char *word)
{
	const char *names[KT_OPTIONS], *near;
	const size_t dashes = strspn(word, "-");
	char name[64];
	size_t count = 0;

	for (size_t i = 0; i < KT_OPTIONS; i++)
		if (KT_HAS_OPTION(verb, &kt_option_rows[i]))
			names[count++] = kt_option_rows[i].name;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(word + dashes, "="), word + dashes);
	near = kt_nearest(name, names, count);
	if (near != NULL)
		kt_say("%s: unknown option '%.*s%s'; write --%s", kt_verb_rows[verb].name, (int)dashes, word, name,
		       near);
	else
		kt_say("%s: unknown option '%.*s%s'; write one of those that 'ktcc %s --help' lists",
		       kt_verb_rows[verb].name, (int)dashes, word, name, kt_verb_rows[verb].name);
	return KT_EXIT_USAGE;
}

/* "500M" with K, M or G where the row allows it. */
static bool read_number(uint64_t *out, const struct kt_option_row *row, const char *text)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno != 0 || end == text || strchr(text, '-') != NULL || *out < row->least || *out > row->most)
		return false;
	if (row->kind == KT_OPTION_NUMBER || *end == '\0')
		return *end == '\0';
	unit = strchr(units, *end);
	for (long i = 0; unit != NULL && i <= unit - units; i++)
		*out *= 1024;
	return unit != NULL && end[1] == '\0';
}

static bool is_among(const char *words, const char *text)
{
	for (size_t length; *words != '\0'; words += length + (words[length] == '|')) {
		length = strcspn(words, "|");
		if (strlen(text) == length && memcmp(words, text, length) == 0)
			return true;
	}
	return false;
}

/* 0, or the exit code after what is wrong with the value. */
static int check_value(enum kt_verb verb, const struct kt_option_row *row, const char *text)
{
	uint64_t number;

	if ((row->kind == KT_OPTION_NUMBER || row->kind == KT_OPTION_SIZE) && !read_number(&number, row, text))
		kt_say("%s: --%s has the value '%.80s'; write a number from %llu to %llu%s", kt_verb_rows[verb].name,
		       row->name, text, (unsigned long long)row->least, (unsigned long long)row->most,
		       row->kind == KT_OPTION_SIZE ? ", and K, M or G" : "");
	else if (row->kind == KT_OPTION_TEXT && strchr(row->value, '|') != NULL && row->value[0] >= 'a' &&
		 !is_among(row->value, text))
		kt_say("%s: --%s has the value '%.80s'; write one of %s", kt_verb_rows[verb].name, row->name, text,
		       row->value);
	else
		return 0;
	return KT_EXIT_USAGE;
}

static size_t make_options(struct option *out, char *letters, enum kt_verb verb)
{
	size_t count = 0;

	*letters++ = ':';
	for (int i = 0; i < KT_OPTIONS; i++) {
		const struct kt_option_row *row = &kt_option_rows[i];

		if (!KT_HAS_OPTION(verb, row))
			continue;
		out[count++] = (struct option){row->name, row->value != NULL ? required_argument : no_argument, NULL,
					       FIRST_CODE + i};
		if (kt_option_letter(row) == '\0')
			continue;
		*letters++ = kt_option_letter(row);
		if (row->value != NULL)
			*letters++ = ':';
	}
	*letters = '\0';
	out[count] = (struct option){0};
	return count;
}

static int of_letter(enum kt_verb verb, int code)
{
	for (int i = 0; i < KT_OPTIONS && code < FIRST_CODE; i++)
		if (KT_HAS_OPTION(verb, &kt_option_rows[i]) && kt_option_letter(&kt_option_rows[i]) == code)
			return i;
	return code - FIRST_CODE;
}

/* An option that getopt could not read. */
static int say_wrong(enum kt_verb verb, int code, int about, const char *word)
{
	const struct kt_option_row *row =
	    about != 0 && (about >= FIRST_CODE || code == ':') ? &kt_option_rows[of_letter(verb, about)] : NULL;
	const char letter[] = {'-', (char)about, '\0'};

	if (row == NULL)
		return say_unknown(verb, about != 0 ? letter : word);
	if (code == ':')
		kt_say("%s: --%s has no value; write --%s %s", kt_verb_rows[verb].name, row->name, row->name,
		       row->value);
	else
		kt_say("%s: --%s takes no value; write --%s", kt_verb_rows[verb].name, row->name, row->name);
	return KT_EXIT_USAGE;
}

/* 0, or the exit code. *help: that is what is asked for. */
static int read_options(struct kt_given *out, bool *help, int argc, char **argv)
{
	struct option options[KT_OPTIONS + 1];
	char letters[2 * KT_OPTIONS + 2];
	int code, wrong = 0;

	make_options(options, letters, out->verb);
	optind = 0;
	opterr = 0;
	while (wrong == 0 && !*help && (code = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		if (code == '?' || code == ':')
			return say_wrong(out->verb, code, optopt, argv[optind - 1]);
		const enum kt_option option = (enum kt_option)of_letter(out->verb, code);

		*help = option == KT_OPTION_every_help;
		out->json = out->json || option == KT_OPTION_every_json;
		if (kt_option_rows[option].value != NULL)
			wrong = check_value(out->verb, &kt_option_rows[option], optarg);
		out->options[out->option_count++] = (struct kt_given_option){option, optarg};
	}
	out->arguments = argv + optind;
	out->argument_count = argc - optind;
	return wrong;
}

static int say_unknown_action(enum kt_verb verb, const char *word)
{
	const char *names[KT_ACTIONS], *near;
	char all[256] = "";
	size_t count = 0, used = 0;

	for (size_t i = 0; i < KT_ACTIONS; i++)
		if (kt_action_rows[i].verb == verb) {
			names[count++] = kt_action_rows[i].name;
			used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used != 0 ? ", " : "one of ",
						 kt_action_rows[i].name);
		}
	near = word != NULL ? kt_nearest(word, names, count) : NULL;
	kt_say("%s: %s%.80s%s; write %s", kt_verb_rows[verb].name, word != NULL ? "unknown action '" : "no action",
	       word != NULL ? word : "", word != NULL ? "'" : "", near != NULL ? near : all);
	return KT_EXIT_USAGE;
}

static int read_action(struct kt_given *out)
{
	const char *word = out->argument_count > 0 ? out->arguments[0] : NULL;

	for (int i = 0; word != NULL && i < KT_ACTIONS; i++)
		if (kt_action_rows[i].verb == out->verb && strcmp(kt_action_rows[i].name, word) == 0) {
			out->action = (enum kt_action)i;
			out->arguments++;
			out->argument_count--;
			return 0;
		}
	return say_unknown_action(out->verb, word);
}

static int check_arguments(const struct kt_given *given)
{
	const bool acts = given->action != KT_ACTION_NONE;
	const int least = acts ? kt_action_rows[given->action].least : kt_verb_rows[given->verb].least;
	const int most = acts ? kt_action_rows[given->action].most : kt_verb_rows[given->verb].most;

	if (given->argument_count > most)
		return kt_given_wrong(given, "one argument too many, '%.200s'", given->arguments[most]);
	return given->argument_count < least ? kt_given_wrong(given, "an argument is missing") : 0;
}

bool kt_given_read(struct kt_given *out, int *code, enum kt_verb verb, int argc, char **argv)
{
	bool help = false;

	*out = (struct kt_given){.verb = verb, .action = KT_ACTION_NONE};
	out->options = calloc((size_t)argc, sizeof *out->options);
	*code = out->options == NULL ? KT_EXIT_FAILED : read_options(out, &help, cut_flags(out, argc, argv), argv);
	if (*code == 0 && help) {
		kt_help(stdout, verb);
		return false;
	}
	if (*code == 0 && kt_verb_action(verb) != KT_ACTION_NONE)
		*code = read_action(out);
	if (*code == 0)
		*code = check_arguments(out);
	return *code == 0;
}

void kt_given_free(struct kt_given *given)
{
	free(given->options);
}

bool kt_given_has(const struct kt_given *given, enum kt_option option)
{
	return kt_given_texts(NULL, 0, given, option) != 0;
}

const char *kt_given_text(const struct kt_given *given, enum kt_option option)
{
	const char *text = NULL;

	for (size_t i = 0; i < given->option_count; i++)
		if (given->options[i].option == option)
			text = given->options[i].text;
	return text;
}

size_t kt_given_texts(const char **out, size_t most, const struct kt_given *given, enum kt_option option)
{
	size_t count = 0;

	for (size_t i = 0; i < given->option_count; i++) {
		if (given->options[i].option != option)
			continue;
		if (count < most)
			out[count] = given->options[i].text;
		count++;
	}
	return count;
}

uint64_t kt_given_number(const struct kt_given *given, enum kt_option option, uint64_t otherwise)
{
	const char *text = kt_given_text(given, option);
	uint64_t number = otherwise;

	if (text != NULL)
		(void)read_number(&number, &kt_option_rows[option], text); /* checked when it was read */
	return number;
}

kt_status kt_given_configure(struct kt_config *config, struct kt_arena *arena, const struct kt_given *given,
			     struct kt_error *err)
{
	for (size_t i = 0; i < given->option_count; i++) {
		const struct kt_given_option *one = &given->options[i];

		if (kt_option_rows[one->option].setting != NULL)
			TRY(kt_config_set(config, arena, kt_option_rows[one->option].setting, one->text, err));
	}
	return KT_OK;
}
