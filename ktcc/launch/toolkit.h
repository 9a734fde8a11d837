/* The CUDA toolkit that a command uses: where it is, and its release, for the macros with the release. */
#ifndef KT_LAUNCH_TOOLKIT_H
#define KT_LAUNCH_TOOLKIT_H

#include "launch/command.h"
#include "store/store.h"

struct kt_release {
	int major, minor, build; /* 13, 0, 88 */
};

/*
 * The toolkit's root ("/usr/local/cuda"), as nvcc or clang was called if that leads there: a link outlives the version
 * that it points to. Where the compiler lies outside its toolkit (a script that calls the real one), with `ask` nvcc
 * itself is asked where it is, which takes a process of some 10 ms; last, the first nvcc along PATH that lies in a toolkit.
 * NULL when unknown. In the arena.
 */
char *kt_toolkit_root(struct kt_arena *arena, const struct kt_command *command, bool ask);
/* Reads "V13.0.88" out of what `nvcc --version` prints; false when it is not there. */
bool kt_release_read(struct kt_release *out, const char *text);
/*
 * Asks nvcc once and remembers the answer in the store (NULL: asks each time)
 * by the program's path, inode, size and time. False when nvcc is not found or
 * prints something else.
 */
bool kt_toolkit_release(struct kt_release *out, const struct kt_command *command, struct kt_store *store);

#endif
