/* Running the user's compiler: by exec where nothing is left to do, else by fork and wait. */
#ifndef KT_LAUNCH_RUN_H
#define KT_LAUNCH_RUN_H

#include <stdbool.h>

#include "launch/command.h"

/*
 * What a program's name stands for: NULL for the program itself; the next of
 * its name along PATH where it is ktcc under another name. Free it.
 */
char *kt_run_behind(const char *name);
/* Is it a compiler cache that started this process? It keeps what comes out, and knows of no entries. */
bool kt_run_below_cache(void);
/* Replaces this process. Returns 127 after a message when the program cannot be started. */
int kt_run_exec(char *const *argv);
/* Above every exit code: KT_RUN_KILLED + signal is the code of a compiler that a signal ended. */
#define KT_RUN_KILLED 256
/*
 * Runs argv in this process group with its output untouched and returns its
 * code, 127 after a message when it cannot start. Signals that are sent to this
 * process go to the compiler, and what it makes of them is the code.
 */
int kt_run_wait(char *const *argv);
/*
 * As kt_run_wait, but holds the output back: *out and *errors get it, so that
 * a failed attempt leaves no trace. interrupted: a signal came meanwhile; its
 * sender wants no further attempt.
 */
int kt_run_held(bool *interrupted, char *const *argv, struct kt_buf *out, struct kt_buf *errors);
/* What main returns for a code; a compiler's death by a signal becomes this process's, and there is no return. */
int kt_run_finish(int code);

#endif
