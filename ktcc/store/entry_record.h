/* For the files of entries only: the members of an entry that special functions read and print. */
#ifndef KT_STORE_ENTRY_RECORD_H
#define KT_STORE_ENTRY_RECORD_H

#include <stddef.h>

#include "base/member.h"
#include "store/internal.h"

#define KT_SPECIALS_MOST 64

/* The whole entry; docs/schema/entry.schema.json is made from it. */
extern const struct kt_members kt_entry_record;
/* entry_figures.c: "problems". */
extern const struct kt_member_own kt_entry_problems;

#endif
