/* "did you mean": the known name that is most like one that is not known. */
#ifndef KT_BASE_NEAREST_H
#define KT_BASE_NEAREST_H

#include <stddef.h>

/* Edits that turn a into b (insert, delete, replace); SIZE_MAX: one of them is too long to be compared. */
size_t kt_edits(const char *a, const char *b);
/* The candidate with the fewest edits, where those are few for the length of the name; else NULL. */
const char *kt_nearest(const char *name, const char *const *candidates, size_t count);

#endif
