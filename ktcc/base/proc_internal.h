/* Shared by proc.c and pipe.c. */
#ifndef KT_BASE_PROC_INTERNAL_H
#define KT_BASE_PROC_INTERNAL_H

#include "base/proc.h"
#include "base/relay.h"

/*
 * Forks and execs; stdin, out and errors are descriptors of the child's three
 * streams (−1: the parent's; for stdin of a child of ours /dev/null). That exec
 * failed comes back through a close-on-exec pipe. A relay is for a user's
 * program: it holds signals, and passes them on once this returned KT_OK.
 */
kt_status kt_proc_spawn(pid_t *out, char *const argv[], const struct kt_proc_options *options, int in, int to,
                        int errors, struct kt_relay *relay, struct kt_error *err) KT_MUST_CHECK;
/* Those that are not −1. */
void kt_proc_close_pair(int pair[2]);
/* Takes what can be read now; false at the end of the stream. */
bool kt_proc_drain(int fd, struct kt_buf *out);

#endif
