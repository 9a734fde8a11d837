/*
 * Objects that are up to date. A region without an entry depends on the lock directory as a whole, since the name of
 * the folder in which an entry would arrive is not known; most entries that arrive are for other regions. Where only
 * such a dependency made the build system run the command, and the compiler would get the same text as before, it is
 * not run.
 */
#ifndef KT_LAUNCH_CURRENT_H
#define KT_LAUNCH_CURRENT_H

#include "launch/invocation.h"

/*
 * Sets l->current where the object may be up to date: it is the file that this command made, unchanged since; a
 * dependency that ktcc added is newer than it or missing; no other dependency is; and no file that the compiler would
 * read has changed. Only for commands that write a depfile. `manifest`: what is remembered of the command, NULL:
 * nothing. To be called before the lock directory is read.
 */
void kt_current_begin(struct kt_invocation *l, const struct kt_manifest *manifest);
/* Is the object up to date if this is to be compiled? `emitted` NULL: the unmodified source. */
bool kt_current_is(const struct kt_invocation *l, const struct kt_emitted *emitted);
/*
 * Gives the object the time at which kt_current_begin looked, and writes the emission, and the depfile with l->extra,
 * whose prerequisites are in *known. Where this fails the object is as it was or has to be compiled.
 */
kt_status kt_current_keep(struct kt_depfile *known, struct kt_invocation *l, const struct kt_emitted *emitted,
			  struct kt_error *err) KT_MUST_CHECK;
/* After a successful compilation: writes what the object was made of next to it. Failures are logged. */
void kt_current_note(struct kt_invocation *l, const struct kt_emitted *emitted);

#endif
