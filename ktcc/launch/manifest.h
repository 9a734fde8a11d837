/*
 * The hit path: what this very command came to last time, and whether anything
 * it depended on has changed since.
 */
#ifndef KT_LAUNCH_MANIFEST_H
#define KT_LAUNCH_MANIFEST_H

#include "launch/walk.h"
#include "planning/work.h"

/*
 * Is what a manifest depends on unchanged: files, absent files, entries, and the lock directory, which must be lock_dir
 * (NULL: none)? False: work is needed.
 */
bool kt_manifest_holds(const struct kt_manifest *manifest, struct kt_store *store, const char *lock_dir);
/* Is all that the compiler reads unchanged, files and absent files? A part of kt_manifest_holds. */
bool kt_manifest_sources(const struct kt_manifest *manifest);

/*
 * Remembers an outcome. `emitted` NULL: the original was compiled, for
 * `reason`. Outcomes that another attempt may change are not remembered; of
 * those that a server may change only what was read is (kt_manifest_sources).
 */
void kt_manifest_keep(struct kt_store *store, const char *key, struct kt_work *work, const struct kt_walk *walk,
                      const struct kt_emitted *emitted, enum kt_reason reason, const char *message,
                      const char *const *dependencies, size_t dependency_count, const char *const *extra,
                      size_t extra_count);

/*
 * Remembers which regions were looked up and nothing else, for `cache verify --strict`: of a command whose outcome is not
 * taken again, as ktcc emit's. `key` is no compile command's.
 */
void kt_manifest_note(struct kt_store *store, const char *key, struct kt_work *work);

#endif
