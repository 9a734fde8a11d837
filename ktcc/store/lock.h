/*
 * The lock directory: `ktune.lock/NAME-<first 8 of the region key>/DEVICE.json`,
 * one reviewable file per region instance and device. Format: docs/store.md.
 */
#ifndef KT_STORE_LOCK_H
#define KT_STORE_LOCK_H

#include "store/store.h"

/* Where entries of a source are. Strings live in the arena that was given. */
struct kt_lock_place {
	const char *path;    /* NULL: nowhere */
	const char *named;   /* what a setting names and is not there: only `ktcc tune --lock-dir`, `ktcc cache export` and ktune_target() make it */
	const char *refused; /* why one that is there is not used, and what allows it; NULL: nothing was refused */
};

/*
 * KTUNE_LOCK_DIR (`configured`, NULL: not set), else the nearest ktune.lock/ upward from the source. One that another
 * user could have written is refused (base/trust.h).
 */
struct kt_lock_place kt_lock_find(struct kt_arena *arena, const char *configured, const char *source_path);
/* "silu_and_mul-1a2b3c4d": the entry's folder below the lock directory. */
char *kt_lock_folder(struct kt_arena *arena, const struct kt_entry *entry);
/* The folders of regions of that name, in byte order, in arena; where they cannot be listed there are none. */
size_t kt_lock_folders(const char ***out, struct kt_arena *arena, const char *lock_dir, const char *name);
/*
 * Writes the entry (whole file or nothing; unchanged content leaves the file alone) into a lock directory that exists
 * (else KT_ERR_MISSING); the entry's folder is made. A folder that is a link is KT_ERR_INVALID. Removes what a process
 * that was killed at this left in the entry's folder, and links with the name of such a file. Text of a model becomes a
 * separate file beside it (lock_text.h).
 */
kt_status kt_lock_write(const char *lock_dir, const struct kt_entry *entry, struct kt_error *err) KT_MUST_CHECK;
/* Writes the entry into the place of a file that it was read from, its text as kt_lock_write does. */
kt_status kt_lock_rewrite(const char *path, const struct kt_entry *entry, struct kt_error *err) KT_MUST_CHECK;
/*
 * Reads and checks one file, with the text that it names in the same folder: schema, types, ranges, content hash.
 * Errors name file and JSON pointer.
 */
kt_status kt_lock_read(struct kt_entry *out, struct kt_arena *arena, const char *path, struct kt_error *err)
    KT_MUST_CHECK;
/*
 * Hash over names and bytes of all entry files, and of the texts in separate files, of region folders that start with
 * NAME- (the hit path's check).
 */
kt_status kt_lock_fingerprint(char out[KT_HASH_TEXT], const char *lock_dir, const char *const *names, size_t count,
                              struct kt_error *err) KT_MUST_CHECK;
/*
 * Visits every entry file; damaged ones, and those that another user could have written, go to `damaged` with path
 * and reason.
 */
typedef bool (*kt_lock_visit)(const char *path, const struct kt_entry *entry, void *context);
typedef void (*kt_lock_damaged)(const char *path, const char *reason, void *context);
kt_status kt_lock_each(const char *lock_dir, kt_lock_visit visit, kt_lock_damaged damaged, void *context,
                       struct kt_error *err) KT_MUST_CHECK;
/* The JSON of an entry: the same in the lock directory, in the database and in `cache show --json`. */
kt_status kt_entry_print(struct kt_buf *out, const struct kt_entry *entry, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_entry_parse(struct kt_entry *out, struct kt_arena *arena, const char *text, size_t size,
                         struct kt_error *err) KT_MUST_CHECK;

#endif
