/*
 * The memo of the textual walk: what a file with this stamp holds. One file,
 * a table of slots and then records, only ever appended to or replaced as
 * a whole, so that a reader's mapping stays valid. Nothing here fails: a memo
 * that cannot be used finds nothing and keeps nothing.
 */
#ifndef KT_LAUNCH_WALK_MEMO_H
#define KT_LAUNCH_WALK_MEMO_H

#include "base/fs.h"

#define KT_MEMO_HAS_WORD 1u
#define KT_MEMO_COMPUTED 2u

struct kt_memo;

/* Maps DIRECTORY/walk.memo. NULL only when out of memory; directory NULL or "": an empty memo that keeps nothing. */
struct kt_memo *kt_memo_open(const char *directory);
/* text: include lines, each '"' or '<' (upper: 'Q' or 'A' for include_next), the name and '\n'; also for what
 * __has_include names. Lives as long as the memo. */
bool kt_memo_find(const struct kt_memo *memo, const struct kt_file_stamp *stamp, unsigned *flags, const char **text,
                  size_t *size);
/* Remembers for the next run; taken at kt_memo_close. */
void kt_memo_add(struct kt_memo *memo, const struct kt_file_stamp *stamp, unsigned flags, const char *text,
                 size_t size);
/* Writes what was added, unless another process is writing. Accepts NULL. */
void kt_memo_close(struct kt_memo *memo);

#endif
