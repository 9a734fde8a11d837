/*
 * Where nothing can come of looking for entries, the compiler need not wait for it: the original is compiled while the
 * source is scanned. What the scan finds out is still said, counted and remembered behind it.
 */
#ifndef KT_LAUNCH_EARLY_H
#define KT_LAUNCH_EARLY_H

#include "launch/invocation.h"
#include "planning/work.h"

/*
 * Is there no entry at all, in the lock directory, the store or a server, and nothing to tune on or no leave to tune;
 * does the source itself have a pragma of ktcc's, and may the object not stay as it is? The command is then compiled as
 * written whatever the scan says.
 */
bool kt_early_may(struct kt_invocation *l, const struct kt_work_input *input);

#endif
