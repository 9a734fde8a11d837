/*
 * Where a search for entries cannot find any, the compiler need not wait for it: the original is compiled while the
 * source is scanned. What the scan finds is reported, counted and remembered afterwards.
 */
#ifndef KT_LAUNCH_EARLY_H
#define KT_LAUNCH_EARLY_H

#include "launch/invocation.h"
#include "planning/work.h"

/*
 * Is there no entry at all, in the lock directory, the store or a server, and no device to tune on or no permission to
 * tune; does the source itself have a pragma of ktcc's, and must the object be compiled? The user's command then runs
 * unmodified, whatever the scan finds.
 */
bool kt_early_may(struct kt_invocation *l, const struct kt_work_input *input);

#endif
