/*
 * The path of a second build. What the manifest knows is put in place: the
 * emitted files where their bytes differ, the depfile, the stamp; then this
 * process becomes the compiler. No parse, no scan, no fork, no process before
 * the real compiler. Two cases wait for it instead, since nvcc writes a depfile
 * that must name what was looked up: an original, and what a launcher such as
 * ccache stands in front of, which gets the same command every time.
 */
#ifndef KT_LAUNCH_HIT_H
#define KT_LAUNCH_HIT_H

#include "launch/invocation.h"

/*
 * Returns only when the compiler was not exec'd: its exit code, or a negative
 * number when the folder or the files cannot be put in place and work is
 * needed. Closes l->store before exec.
 */
int kt_hit(struct kt_invocation *l, const struct kt_manifest *manifest);

#endif
