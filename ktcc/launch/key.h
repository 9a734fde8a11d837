/* The manifest key of a command, without the contents of the files that it compiles. */
#ifndef KT_LAUNCH_KEY_H
#define KT_LAUNCH_KEY_H

#include "base/config.h"
#include "base/hash.h"
#include "launch/command.h"

/*
 * Hash of: the words of the command, its directory, the contents of its options
 * files, the environment that nvcc and the host compiler read, every KTUNE_*
 * variable, the settings, the identity (path, inode, size, time) of nvcc and of
 * the host compiler, which may be scripts, the version of ktcc, the form of
 * what it emits, and the GPUs that are present. `arena`: for what it looks up.
 */
void kt_command_key(char out[KT_HASH_TEXT], struct kt_arena *arena, const struct kt_command *command,
                    const struct kt_config *config);

/* Does this setting ("NAME=value") of the environment bear on what is compiled? */
bool kt_key_matters(const char *setting);

#endif
