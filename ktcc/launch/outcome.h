/* What the regions of a command came to: the line about it, the error of KTUNE_MODE=require. */
#ifndef KT_LAUNCH_OUTCOME_H
#define KT_LAUNCH_OUTCOME_H

#include "launch/invocation.h"

enum { KT_EXIT_REQUIRED = 102 }; /* KTUNE_MODE=require and an entry is missing */

/* Sets l->message and l->reason from regions that are left unmodified, or use a near entry; counts every reason. */
void kt_outcome_message(struct kt_invocation *l);
/* Prints an error for each region without an entry, and one for a mistake in a pragma of no region:
 * KT_EXIT_REQUIRED, or 0 when there is none. */
int kt_outcome_required(struct kt_invocation *l);
/* clang's command: what nvcc's candidates measure is not what clang compiles, an entry must be there already. */
void kt_outcome_without_entry(struct kt_invocation *l);

#endif
