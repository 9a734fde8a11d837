/*
 * Which build a compile command belongs to, so that all commands of one build
 * can share a budget.
 */
#ifndef KT_LAUNCH_TREE_H
#define KT_LAUNCH_TREE_H

#include <stdbool.h>

#include "base/arena.h"

struct kt_tree {
	const char *name;   /* the same for all commands of the build */
	const char *folder; /* CMake's or Ninja's folder; NULL: none was found */
	bool has_target;    /* CMake has read the package KTune there, which makes the target `ktune` */
};

/*
 * The nearest folder from the output upward that holds CMakeCache.txt, .ninja_log or build.ninja; else the working
 * directory with the process group that the parent is in, which is one call of make. Texts live in arena; false when
 * out of memory.
 */
bool kt_tree_find(struct kt_tree *out, struct kt_arena *arena, const char *output);

#endif
