/*
 * Files that ktcc finds by itself, a project's settings and lock directory, may have been put there by another user
 * of the machine. They are used only if each file and folder from the project's top down to them belongs to the user
 * or to root and cannot be written by everybody (a folder that a group may write is accepted), or if the user lists
 * the folder as safe. The project's top is the nearest folder upward with a version control folder in it, else the
 * folder that holds the file. The rule is that of git's safe.directory, which documents the reasons.
 */
#ifndef KT_BASE_TRUST_H
#define KT_BASE_TRUST_H

#include <stdbool.h>

#include "base/arena.h"

/*
 * What the user's settings list as safe, for this process: folders separated by ':', each with everything below it;
 * "*" is every folder. NULL: none. The text must outlive all other calls.
 */
void kt_trust_set_safe(const char *folders);

/*
 * May what is at this path be used? Links are followed, and their own place is checked as well. False: *why, in arena,
 * names the file or folder that another user could write and the setting that allows it.
 */
bool kt_trust_path(const char **why, struct kt_arena *arena, const char *path);
/* The same for a path below `top`, which was checked before. */
bool kt_trust_below(const char **why, struct kt_arena *arena, const char *top, const char *path);

#endif
