/*
 * What one file holds for the textual walk. No preprocessor: comments,
 * conditionals and macros are not looked at.
 */
#ifndef KT_LAUNCH_WALK_TEXT_H
#define KT_LAUNCH_WALK_TEXT_H

#include "base/buf.h"

/*
 * includes: cleared, then the includes as the memo keeps them (walk_memo.h),
 * also after the other spellings of '#' and with continued line ends anywhere.
 * flags: KT_MEMO_*. KT_ERR_MEMORY, without a message, when includes is full.
 */
kt_status kt_walk_scan(struct kt_buf *includes, unsigned *flags, const char *text, size_t size) KT_MUST_CHECK;

#endif
