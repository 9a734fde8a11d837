/*
 * The path of a second build. What the manifest knows is put in place: the
 * emitted files where their bytes differ, the depfile, the stamp; then this
 * process becomes the compiler. No parse, no scan, no fork, no process before
 * the real compiler. In three cases ktcc runs the compiler as a child and waits for it: an
 * original; a launcher such as ccache after ktcc, which gets the same command every
 * time, since nvcc writes a depfile that must name what was looked up; and an
 * object of which some regions await entries, since what it was made of is noted
 * beside it (current.h).
 */
#ifndef KT_LAUNCH_HIT_H
#define KT_LAUNCH_HIT_H

#include "launch/invocation.h"

/*
 * Returns only when the compiler was not exec'd: its exit code, 0 where the
 * object is left as it is (current.h), or a negative
 * number when the folder or the files cannot be put in place and work is
 * needed. Closes l->store before exec.
 */
int kt_hit(struct kt_invocation *l, const struct kt_manifest *manifest);
/* Writes the command's depfile from known->prerequisites, those of l->extra with empty rules; fills the rest. */
kt_status kt_hit_depfile(struct kt_depfile *known, struct kt_invocation *l, struct kt_error *err) KT_MUST_CHECK;

#endif
