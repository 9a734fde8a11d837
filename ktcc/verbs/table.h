/* The rows of table.def: verbs, their actions and options, and the options before a compiler. */
#ifndef KT_VERBS_TABLE_H
#define KT_VERBS_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum kt_verb {
#define KT_VERB(name, ...) KT_VERB_##name,
#include "verbs/table.def"
	KT_VERBS,
	KT_VERB_every = KT_VERBS /* of an option that each verb has */
};

/* "KT_ACTION_cache_list" */
enum kt_action {
#define KT_ACTION(verb, name, ...) KT_ACTION_##verb##_##name,
#include "verbs/table.def"
	KT_ACTIONS,
	KT_ACTION_NONE = KT_ACTIONS
};

/* "KT_OPTION_tune_budget" */
enum kt_option {
#define KT_OPTION(verb, id, ...) KT_OPTION_##verb##_##id,
#include "verbs/table.def"
	KT_OPTIONS
};

/* SIZE: a number that K, M or G may follow. */
enum kt_option_kind { KT_OPTION_FLAG, KT_OPTION_TEXT, KT_OPTION_NUMBER, KT_OPTION_SIZE };

struct kt_verb_row {
	const char *name, *arguments; /* of the first usage line */
	int least, most;              /* arguments; with actions: unused */
	const char *summary, *text;
};

struct kt_form_row {
	enum kt_verb verb;
	const char *arguments;
};

struct kt_action_row {
	enum kt_verb verb;
	const char *name, *arguments;
	int least, most;
	const char *text;
};

struct kt_option_row {
	enum kt_verb verb;
	const char *name;
	enum kt_option_kind kind;
	const char *value;    /* what a usage line calls it; NULL: a flag */
	uint64_t least, most; /* of numbers; of others `least` is the short form's letter, or 0 */
	const char *setting;  /* the key that the value is given to; NULL: none */
	const char *text;
};

struct kt_launcher_row {
	const char *name, *value, *variable, *text;
};

extern const struct kt_verb_row kt_verb_rows[KT_VERBS];
extern const struct kt_action_row kt_action_rows[KT_ACTIONS];
extern const struct kt_option_row kt_option_rows[KT_OPTIONS];
extern const struct kt_launcher_row kt_launcher_rows[];
extern const size_t kt_launcher_count;

/* KT_VERBS: none has that name. */
enum kt_verb kt_verb_find(const char *name);
/* Does the verb take what each verb takes, or this option besides? */
#define KT_HAS_OPTION(verb_, row) ((row)->verb == (verb_) || (row)->verb == KT_VERB_every)
/* The short form's letter, or 0. */
char kt_option_letter(const struct kt_option_row *row);
/* The arguments of usage line n of a verb, from 0; NULL: there are no more. */
const char *kt_verb_form(enum kt_verb verb, size_t n);
/* Its first action; KT_ACTION_NONE: it has none. */
enum kt_action kt_verb_action(enum kt_verb verb);

/* What --help prints. */
void kt_help(FILE *to, enum kt_verb verb);
/* What `ktcc --help` prints. */
void kt_usage(FILE *to);

#endif
