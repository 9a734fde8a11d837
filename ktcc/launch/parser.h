/*
 * What the parts of the command parser share. Each part fills struct
 * kt_command; what it cannot judge makes the command foreign or strange.
 */
#ifndef KT_LAUNCH_PARSER_H
#define KT_LAUNCH_PARSER_H

#include "launch/command.h"
#include "launch/options.h"
#include "launch/words.h"

#define KT_PLACE_ENVIRONMENT SIZE_MAX
#define KT_PLACE_FILE (SIZE_MAX - 1) /* an options file */

struct kt_parser {
	struct kt_command *command;
	struct kt_arena *arena;
	struct kt_error *err;
	const char *language;         /* -x */
	const char *output_directory; /* -odir */
	const char *architecture;     /* -arch */
	struct kt_words codes;        /* -code */
	size_t input_count, place_count;
	const char **inputs;          /* whatever is no option */
	size_t *places;               /* of each: its index in argv, or one of the next two */
	unsigned depth;               /* of options files */
	bool in_environment;          /* what is read is in NVCC_PREPEND_FLAGS or NVCC_APPEND_FLAGS */
	bool forwards_unknown, has_unknown;
	bool foreign;                 /* declines with NOT_OURS: nvcc does or reports what is right */
	bool strange;                 /* declines with UNKNOWN_OPTION */
	const char *unknown_word, *strange_word; /* the first one after which has_unknown, or strange, was set */
	bool coverage, excludes;      /* notes for gcov are made; an option excludes files from them */
	const struct kt_host_option *host_pending; /* its value is the next item; NULL: none */
};

kt_status kt_parser_out_of_memory(struct kt_parser *p);
/* Appends text (NULL: out of memory) to a list of the command's. */
kt_status kt_parser_push(struct kt_parser *p, const char ***items, size_t *count, const char *text) KT_MUST_CHECK;
/* What -I, -isystem, -include, -D and -U do, with their values already split; nothing for other options. */
kt_status kt_parser_preprocess(struct kt_parser *p, enum kt_option_id id, const char *value) KT_MUST_CHECK;

/* After each word: was it the one that is not understood? */
void kt_parser_note_odd(struct kt_parser *p, const char *word);

/* A word that is no option; index is its place in argv, or KT_PLACE_…. */
kt_status kt_parser_input(struct kt_parser *p, const char *word, size_t index) KT_MUST_CHECK;

/* command_clang.c: the options of clang, from argv. */
kt_status kt_parser_read_clang(struct kt_parser *p) KT_MUST_CHECK;

/* command_host.c: the items of one -Xcompiler list, and a word that nvcc passes on as it is. */
kt_status kt_parser_host_items(struct kt_parser *p, const struct kt_words *items) KT_MUST_CHECK;
kt_status kt_parser_host_word(struct kt_parser *p, const char *word) KT_MUST_CHECK;

/* command_compiler.c: which word of argv is the compiler, after its launchers. */
void kt_parser_find_compiler(struct kt_parser *p);

/* command_names.c: output, depfile and its target where no option names them; the command has one input. */
kt_status kt_parser_derive_names(struct kt_parser *p) KT_MUST_CHECK;

#endif
