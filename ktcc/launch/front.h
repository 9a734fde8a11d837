/* Scripts that stand for nvcc or for its host compiler: what they add to a command, unseen. */
#ifndef KT_LAUNCH_FRONT_H
#define KT_LAUNCH_FRONT_H

#include "launch/command.h"

struct kt_front {
	const char *mark; /* tells apart what the scripts add, options and macros; NULL: nothing, or there is no script */
	size_t definition_count;
	char **definitions; /* "-DNAME=VALUE": the macros of the command and of the scripts, but no reserved names */
};

/* nvcc's host compiler: -ccbin, NVCC_CCBIN, else gcc in PATH. NULL: not found. In the arena. */
char *kt_front_host(struct kt_arena *arena, const struct kt_command *command);
/*
 * Asks a command's nvcc, where it or its host compiler is a script: what it would run, and which macros are defined.
 * `arguments`: kt_command_code_arguments of the command. A script that only runs an nvcc adds nothing: that one says the
 * same by itself. Takes two to four processes of some 30 ms; one that does not answer leaves a mark all the same. In the arena; fails only when out of memory.
 */
kt_status kt_front_read(struct kt_front *out, struct kt_arena *arena, const struct kt_command *command,
                        char *const *arguments, struct kt_error *err) KT_MUST_CHECK;

#endif
