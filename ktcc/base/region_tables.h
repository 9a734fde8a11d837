/* The tables of a region's record, for the files *_record.c only. */
#ifndef KT_BASE_REGION_TABLES_H
#define KT_BASE_REGION_TABLES_H

#include "base/member.h"

#define WORDS KT_MEMBER_WORDS
#define LIST(member_count, members) .count = member_count, .item = &(members)
#define REQUIRED .flags = KT_MEMBER_REQUIRED
#define EMPTY .flags = KT_MEMBER_EMPTY
#define SPARSE .flags = KT_MEMBER_SPARSE

/* signature_record.c: members are in the list of arguments, after them. */
extern const struct kt_members kt_members_arguments, kt_members_templates, kt_members_instances;
extern const struct kt_member_own kt_region_members_own;

#endif
