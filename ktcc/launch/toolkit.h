/* What release of nvcc a command runs, for the macros that say so. */
#ifndef KT_LAUNCH_TOOLKIT_H
#define KT_LAUNCH_TOOLKIT_H

#include "launch/command.h"
#include "store/store.h"

struct kt_release {
	int major, minor, build; /* 13, 0, 88 */
};

/* Reads "V13.0.88" out of what `nvcc --version` prints; false when it is not there. */
bool kt_release_read(struct kt_release *out, const char *text);
/*
 * Asks nvcc once and remembers the answer in the store (NULL: asks each time)
 * by the program's path, inode, size and time. False when nvcc is not found or
 * says something else.
 */
bool kt_toolkit_release(struct kt_release *out, const struct kt_command *command, struct kt_store *store);

#endif
