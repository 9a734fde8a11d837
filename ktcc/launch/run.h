/* Running the user's compiler: by exec where nothing is left to do, else by fork and wait. */
#ifndef KT_LAUNCH_RUN_H
#define KT_LAUNCH_RUN_H

#include "launch/command.h"

/*
 * What a program's name stands for: NULL for the program itself; the next of
 * its name along PATH where it is ktcc under another name. Free it.
 */
char *kt_run_behind(const char *name);
/* Replaces this process. Returns 127 after a message when the program cannot be started. */
int kt_run_exec(char *const *argv);
/*
 * Runs argv in this process group with its output untouched and returns its
 * exit code as a shell would give it (128 + signal), 127 when it cannot start.
 */
int kt_run_wait(char *const *argv);
/*
 * As kt_run_wait, but holds the output back: *out and *errors get it, so that
 * a failed attempt leaves no trace.
 */
int kt_run_held(char *const *argv, struct kt_buf *out, struct kt_buf *errors);

#endif
