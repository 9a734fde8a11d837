/* The words of a verb's command line, read by the rows of table.def. */
#ifndef KT_VERBS_GIVEN_H
#define KT_VERBS_GIVEN_H

#include <stdbool.h>

#include "base/config.h"
#include "verbs/table.h"

struct kt_given {
	enum kt_verb verb;
	enum kt_action action; /* KT_ACTION_NONE: the verb has none */
	bool json;
	int argument_count; /* without the action */
	char **arguments;
	int flag_count; /* what follows "--" */
	char **flags;
	struct kt_given_option {
		enum kt_option option;
		const char *text; /* NULL: a flag */
	} * options;              /* in their order */
	size_t option_count;
};

/* argv[0] is the verb. False: *code is the process's exit code; help or what is wrong was printed. */
bool kt_given_read(struct kt_given *out, int *code, enum kt_verb verb, int argc, char **argv);
void kt_given_free(struct kt_given *given);

bool kt_given_has(const struct kt_given *given, enum kt_option option);
/* The last value of an option; NULL: it was not given. */
const char *kt_given_text(const struct kt_given *given, enum kt_option option);
/* All values of an option, `most` of them at most; how many were given. */
size_t kt_given_texts(const char **out, size_t most, const struct kt_given *given, enum kt_option option);
/* The last value of an option that is a number, or what it is otherwise. */
uint64_t kt_given_number(const struct kt_given *given, enum kt_option option, uint64_t otherwise);
/* Settings that options were given for. */
kt_status kt_given_configure(struct kt_config *config, struct kt_arena *arena, const struct kt_given *given,
			     struct kt_error *err) KT_MUST_CHECK;
/* Prints "ktcc: VERB: message; write" and the verb's usage line; returns KT_EXIT_USAGE. */
int kt_given_wrong(const struct kt_given *given, const char *format, ...) KT_PRINTF(2, 3);

#endif
