/*
 * Cleans up when this process is killed. A guard is a process that is started
 * with the first thing to watch, or before. It notices that ktcc has ended in whatever way
 * (also by exec). Then it kills the process groups and removes the directories
 * that are still registered. It holds no descriptor except its pipe and is a
 * child of init, so that neither a build system nor a compiler waits for it.
 *
 * Without a guard (no memory, no process) everything works, but is not cleaned up.
 */
#ifndef KT_BASE_GUARD_H
#define KT_BASE_GUARD_H

#include <sys/types.h>

/* Starts the guard before there is something to watch: what is made next is registered at once. */
void kt_guard_start(void);
void kt_guard_group(pid_t group);
/* Before the group's number can be given to somebody else: as soon as its leader was reaped. */
void kt_guard_release_group(pid_t group);
/* A directory with everything in it; absolute, at most 2000 bytes, others are not watched. */
void kt_guard_directory(const char *path);
void kt_guard_release_directory(const char *path);

#endif
