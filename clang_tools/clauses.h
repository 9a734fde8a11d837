/* Mistakes in clauses, for the clauses*.c files only. */
#ifndef KT_CLANG_CLAUSES_H
#define KT_CLANG_CLAUSES_H

#include "unit.h"

/* An error at this text of the region's pragma. */
void kt_clause_report(struct kt_scan *scan, struct kt_found *found, unsigned offset, const char *text,
                      const char *message, const char *hint);
/* A pointer to arrays leads to whole ones: a clause that counts rows, and no numbers, shows on the first problem. */
void kt_clause_rows(struct kt_scan *scan, struct kt_found *found, const struct kt_pragma_buffer *from, size_t argument);
/* The type that a clause names for a pointer to void is that of its elements, on each instance. */
void kt_clause_type(struct kt_scan *scan, struct kt_found *found, const struct kt_buffer *buffer, unsigned offset);
/* Members that a clause fills on their own become groups (kt_number.group) of the elements of each instance. */
void kt_clause_members(struct kt_scan *scan, struct kt_found *found, struct kt_buffer *buffer);

#endif
