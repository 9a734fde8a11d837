/* Scripts in the place of nvcc or of its host compiler: what they add to a command without showing it. */
#ifndef KT_LAUNCH_FRONT_H
#define KT_LAUNCH_FRONT_H

#include "launch/command.h"

struct kt_front {
	const char *mark; /* differs where the scripts add other options or macros; NULL: nothing, or there is no script */
	size_t word_count;
	char **words; /* for clang: "-DNAME=VALUE" of what scripts define, but no reserved names; "-include", "HEADER" */
};

/* nvcc's host compiler: -ccbin, NVCC_CCBIN, else gcc in PATH. NULL: not found. In the arena. */
char *kt_front_host(struct kt_arena *arena, const struct kt_command *command);
/*
 * Asks a command's nvcc, where it or its host compiler is a script: what it would run, and which macros are defined.
 * `arguments`: kt_command_code_arguments of the command; asked with are those that change device code and the host
 * compiler. Of paths only the last names make a difference, so that two checkouts get the same mark. A script that only
 * runs an nvcc adds nothing: that nvcc answers the same itself. Takes two to four processes of some 30 ms, and 10 s
 * where a script hangs; one that does not answer leaves a mark all the same. Folders of headers that scripts add are
 * not known here. In the arena; fails only when out of memory.
 */
kt_status kt_front_read(struct kt_front *out, struct kt_arena *arena, const struct kt_command *command,
                        char *const *arguments, struct kt_error *err) KT_MUST_CHECK;

#endif
