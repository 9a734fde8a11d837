/*
 * What every verb that takes `FILE [-- flags]` needs: the settings, the store
 * and the translation unit of the file.
 */
#ifndef KT_VERBS_SESSION_H
#define KT_VERBS_SESSION_H

#include "launch/command.h"
#include "planning/work.h"
#include "verbs/given.h"

struct kt_session {
	struct kt_arena *arena;
	struct kt_config config;
	struct kt_store *store; /* NULL: cannot be used (noted in the log) */
	struct kt_command *command;
	struct kt_work *work;
	struct kt_work_input input;
	uint64_t seed;
	bool go_on, refresh;  /* as of kt_work_input */
	const struct kt_observer *observer; /* the same */
};

/* A file and the command it is compiled with. */
struct kt_compile_command {
	const char *file;
	const char *directory; /* NULL: the working directory */
	int flag_count;
	char **flags;          /* what follows the compiler; NULL compiler flags: none */
	const char *compiler;  /* NULL: nvcc */
};

/* Settings and store. The caller may change config before kt_session_unit. */
kt_status kt_session_open(struct kt_session *session, struct kt_error *err) KT_MUST_CHECK;
/* Scans the command: session->work. May be called again for another file. Prints the scan's diagnostics. */
kt_status kt_session_unit(struct kt_session *session, const struct kt_compile_command *command, struct kt_error *err)
    KT_MUST_CHECK;
void kt_session_close(struct kt_session *session);

/*
 * FILE's command by DIR/compile_commands.json (or that file itself), whose items hold a "command" or its "arguments". A
 * file may be compiled several times: `nth` selects one, from 0. KT_ERR_MISSING after the last one.
 */
kt_status kt_compile_command_from_database(struct kt_compile_command *out, struct kt_arena *arena, const char *database,
                                  const char *file, size_t nth, struct kt_error *err) KT_MUST_CHECK;

/* The first argument, and the flags after "--". */
void kt_compile_command_of(struct kt_compile_command *out, const struct kt_given *given);

/* Prints "ktcc: message" and returns KT_EXIT_FAILED. */
int kt_verb_failed(const struct kt_error *err);
/* What --json prints. */
void kt_verb_print_json(const cJSON *json);
/* "rows=16 d=4096" */
void kt_problem_print(struct kt_buf *out, const struct kt_entry *entry, size_t problem);

#endif
