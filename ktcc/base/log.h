/*
 * Messages of ktcc. Lines for the user go to standard error and begin with
 * "ktcc: "; KTUNE_LOG names a file that gets every decision with a time stamp.
 */
#ifndef KT_BASE_LOG_H
#define KT_BASE_LOG_H

#include <stdbool.h>

#include "base/error.h"

/* Opens the log file (append). One that cannot be opened is reported, and nothing is logged. */
void kt_log_open(const char *path);
/* One line into the log file, if there is one. */
void kt_log(const char *format, ...) KT_PRINTF(1, 2);
/* One line for the user ("ktcc: …"), and into the log. */
void kt_say(const char *format, ...) KT_PRINTF(1, 2);
/* Progress: rewrites one line on a terminal, silent elsewhere. NULL ends it. */
void kt_progress(const char *format, ...) KT_PRINTF(1, 2);
bool kt_log_on_terminal(void);

#endif
